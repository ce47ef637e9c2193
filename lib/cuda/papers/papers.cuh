/* papers.cuh - the algorithms of the papers, which run only when a caller asks for one by name.
 *
 * dev_sort.cu, dev_rank_sorted.cu and dev_select.cu choose by name and are the only callers outside
 * this folder and the benchmarks. Every entry only enqueues work on call->stream, except rough and
 * halving, which wait for the radius or for the check of a given radius. The function with _scratch
 * in its name gives the bytes of device scratch. */
#ifndef ORDO_CUDA_PAPERS_PAPERS_H
#define ORDO_CUDA_PAPERS_PAPERS_H

#include "cuda/runtime/cuda_rt.cuh"

/* Sorts of keys, pairs and indices: dev_compare.cu (bitonic, merge, sample, rough,
 * halving), dev_split.cu. */
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
PAPER_SORT(split)
PAPER_SORT(rough)
PAPER_SORT(halving)
#undef PAPER_SORT

/* dev_rank_paper.cu: ranks of a sorted array, algorithms naive, shuffle and hybrid. */
size_t      dev_rank_paper_scratch(const ordo_rank_sorted_job *job);
ordo_status dev_rank_paper(cuda_call *call, const ordo_rank_sorted_job *job);

/* dev_select_bitonic.cu: selection as in the median paper. The parts are separate functions because
 * the paper times them for sub-arrays of 256 to 2048 keys. */
static constexpr int BITONIC_SUB_ARRAY_MAX = 2048;
size_t               dev_select_bitonic_scratch(const ordo_select_job *job);
ordo_status dev_select_bitonic(cuda_call *call, const ordo_select_job *job, unsigned sub_array);

struct select_bitonic_work { /* scratch: words of 8 bytes for 8-byte keys, else of 4 */
    void     *words, *others;
    uint64_t *k;
};
select_bitonic_work select_bitonic_layout(cuda_scratch *scratch, const ordo_select_job *job);

/* Sorts sub-arrays of sub_array keys, a power of 2, into work->words. */
ordo_status select_bitonic_sort(cuda_call *call, const ordo_select_job *job,
                                const select_bitonic_work *work, unsigned sub_array);
/* Merges the sub-arrays; *sorted becomes the array that holds the result. */
ordo_status select_bitonic_merge(cuda_call *call, const ordo_select_job *job,
                                 const select_bitonic_work *work, unsigned sub_array,
                                 void **sorted);
/* Writes the keys at the wanted positions to job->out. */
ordo_status select_bitonic_read(cuda_call *call, const ordo_select_job *job,
                                const select_bitonic_work *work, const void *sorted);

#endif
