/* dev_segments_keys.cu - the sort of segments (segment_sort.cuh) for keys alone. */
#include "cuda/segments/segment_sort.cuh"

ordo_status segments_sort_keys(cuda_call *call, const segment_plan *plan,
                               const segment_job<uint32_t> &job)
{
    return segments_run<records_alone<uint32_t>>(call, plan, job);
}

ordo_status segments_sort_keys(cuda_call *call, const segment_plan *plan,
                               const segment_job<uint64_t> &job)
{
    return segments_run<records_alone<uint64_t>>(call, plan, job);
}
