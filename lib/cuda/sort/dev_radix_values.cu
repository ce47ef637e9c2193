/* dev_radix_values.cu - the radix sort of dev_radix_run.cuh for values of 4 and 8 bytes: pairs and
 * indices. A separate file, to compile in parallel with dev_radix.cu. */
#include "cuda/sort/dev_radix_run.cuh"

/* Argsort (job->source) does not restore the original keys, so ties are folded when keys are
 * encoded. */
template <typename VALUE>
static ordo_status run_values(cuda_call *call, const radix_job *job, ordo_type type,
                              bool descending, radix_tables tables)
{
    auto const run = [&](auto code) { return radix_run<VALUE>(call, job, code, tables); };
    return job->source != NULL ? with_radix_code<false>(type, descending, KEY_FOLDED, run)
                               : with_radix_code<true>(type, descending, KEY_TOTAL, run);
}

ordo_status radix_run_values(cuda_call *call, const radix_job *job, ordo_type type, bool descending,
                             radix_tables tables)
{
    return job->value_size == 4 ? run_values<uint32_t>(call, job, type, descending, tables)
                                : run_values<uint64_t>(call, job, type, descending, tables);
}
