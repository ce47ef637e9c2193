/* dev_radix_values4.cu - the radix sort of dev_radix_run.cuh for values of four bytes, indices of
 * 32 bits among them. A file of its own for the compiler's time. */
#include "cuda/sort/dev_radix_run.cuh"

ordo_status radix_run_values4(cuda_call *call, const radix_job *job, ordo_type type,
                              bool descending, radix_tables tables)
{
    return radix_run_values<uint32_t>(call, job, type, descending, tables);
}
