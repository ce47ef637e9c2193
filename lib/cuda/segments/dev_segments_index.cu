/* dev_segments_index.cu - the sort of segments (segment_sort.cuh) for keys with indices. 32 key
 * bits and an index share a 64-bit word, unless a segment may be too long for a 32-bit index. */
#include "cuda/segments/segment_sort.cuh"

ordo_status segments_sort_index(cuda_call *call, const segment_plan *plan,
                                const segment_job<uint32_t> &job)
{
    if (plan->record_size > sizeof(uint64_t))
        return segments_run<records_wide<uint32_t>>(call, plan, job);
    return segments_run<records_short>(call, plan, job);
}

ordo_status segments_sort_index(cuda_call *call, const segment_plan *plan,
                                const segment_job<uint64_t> &job)
{
    return segments_run<records_wide<uint64_t>>(call, plan, job);
}
