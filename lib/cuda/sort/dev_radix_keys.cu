/* dev_radix_keys.cu - the radix sort of dev_radix_run.cuh for keys alone. A file of its own for the
 * compiler's time. */
#include "cuda/sort/dev_radix_run.cuh"

ordo_status radix_run_keys(cuda_call *call, const radix_job *job, ordo_type type, bool descending,
                           radix_tables tables)
{
    return with_radix_code<false>(type, descending, KEY_TOTAL, [&](auto code) {
        return radix_run<radix_no_value>(call, job, code, tables);
    });
}
