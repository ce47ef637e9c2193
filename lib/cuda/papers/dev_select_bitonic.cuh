/* dev_select_bitonic.cuh - selection as the median paper has it, and its two parts by themselves,
 * which the paper times for sub-arrays of 256 to 2048 keys. */
#ifndef ORDO_CUDA_PAPERS_DEV_SELECT_BITONIC_H
#define ORDO_CUDA_PAPERS_DEV_SELECT_BITONIC_H

#include "cuda/runtime/cuda_rt.cuh"

enum {
    BITONIC_SUB_ARRAY_MIN = 256,
    BITONIC_SUB_ARRAY_MAX = 2048
};

struct select_bitonic_work { /* scratch: words of 8 bytes for 8-byte keys, else of 4 */
    void     *words, *others;
    uint64_t *k;
};

select_bitonic_work select_bitonic_layout(cuda_scratch *scratch, const ordo_select_job *job);

/* Sorts sub-arrays of sub_array keys, a power of 2, into work->words; merges them, *sorted being
 * where they end; reads the wanted ones. */
ordo_status select_bitonic_sort(cuda_call *call, const ordo_select_job *job,
                                const select_bitonic_work *work, unsigned sub_array);
ordo_status select_bitonic_merge(cuda_call *call, const ordo_select_job *job,
                                 const select_bitonic_work *work, unsigned sub_array,
                                 void **sorted);
ordo_status select_bitonic_read(cuda_call *call, const ordo_select_job *job,
                                const select_bitonic_work *work, const void *sorted);

size_t      dev_select_bitonic_scratch(const ordo_select_job *job);
ordo_status dev_select_bitonic(cuda_call *call, const ordo_select_job *job, unsigned sub_array);

#endif
