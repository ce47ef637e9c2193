/* papers.cuh - the algorithms of the papers, which run only when a caller asks for one by name.
 *
 * dev_sort.cu and dev_select.cu choose by name and are the only callers outside this folder and the
 * benchmarks. A function only enqueues work on call->stream unless its comment says that it waits; rough and halving wait for the radius or for
 * the check of a given radius. The functions with _scratch in their names return the bytes of
 * device scratch. */
#ifndef ORDO_CUDA_PAPERS_PAPERS_H
#define ORDO_CUDA_PAPERS_PAPERS_H

#include "cuda/runtime/cuda_rt.cuh"

/* Sorts of keys, pairs and indices: dev_compare.cu (bitonic, merge, sample, rough,
 * halving). */
#define PAPER_SORT(name)                                                                           \
    size_t      dev_##name##_keys_scratch(const ordo_sort_job *job);                               \
    ordo_status dev_##name##_keys(cuda_call *call, const ordo_sort_job *job);                      \
    size_t      dev_##name##_pairs_scratch(const ordo_pairs_job *job);                             \
    ordo_status dev_##name##_pairs(cuda_call *call, const ordo_pairs_job *job);                    \
    size_t      dev_##name##_argsort_scratch(const ordo_argsort_job *job);                         \
    ordo_status dev_##name##_argsort(cuda_call *call, const ordo_argsort_job *job);
PAPER_SORT(bitonic)
PAPER_SORT(merge)
PAPER_SORT(sample)
PAPER_SORT(rough)
PAPER_SORT(halving)
#undef PAPER_SORT

/* dev_select_bitonic.cu: selection by sorted sub-arrays, algorithms bitonic and merge. Bitonic
 * merges on the host, so this call waits. */
size_t      dev_select_bitonic_scratch(const ordo_select_job *job);
ordo_status dev_select_bitonic(cuda_call *call, const ordo_select_job *job);

/* The steps of MERGE, which the benchmark times separately. */
struct select_bitonic_work { /* scratch; words have 8 bytes for 8-byte keys, else 4 */
    void     *words, *others;
    uint64_t *k;
};
select_bitonic_work select_bitonic_layout(cuda_scratch *scratch, const ordo_select_job *job);

/* Sorts the sub-arrays into work->words. */
ordo_status select_bitonic_sort(cuda_call *call, const ordo_select_job *job,
                                const select_bitonic_work *work);
/* Merges pairs of sub-arrays; *sorted becomes the array that holds the result. */
ordo_status select_bitonic_merge(cuda_call *call, const ordo_select_job *job,
                                 const select_bitonic_work *work, void **sorted);
/* Writes the keys at the wanted positions to job->out. */
ordo_status select_bitonic_read(cuda_call *call, const ordo_select_job *job,
                                const select_bitonic_work *work, const void *sorted);

#endif
