/* dev_radix.cuh - the interface of the radix sort for the other files of the backend.
 *
 * Keys are sorted by the 8-bit digits in which they differ, least significant first
 * (dev_radix_plan.cuh). Many evenly spread keys, alone or with indices, are partitioned instead
 * (dev_radix_even.cu), and a middle number of keys is sorted by one launch (dev_radix_grid.cu).
 * Keys of one or two bytes without values are counted. Every function only enqueues on
 * call->stream, except dev_distinct, which waits. The host decides only by n and the types, so a
 * graph can capture the other functions. */
#ifndef ORDO_CUDA_SORT_DEV_RADIX_H
#define ORDO_CUDA_SORT_DEV_RADIX_H

#include "cuda/runtime/cuda_rt.cuh"

size_t      dev_radix_keys_scratch(const ordo_sort_job *job);
ordo_status dev_radix_keys(cuda_call *call, const ordo_sort_job *job);
size_t      dev_radix_pairs_scratch(const ordo_pairs_job *job);
ordo_status dev_radix_pairs(cuda_call *call, const ordo_pairs_job *job);
size_t      dev_radix_argsort_scratch(const ordo_argsort_job *job);
ordo_status dev_radix_argsort(cuda_call *call, const ordo_argsort_job *job);

/* Argsort that keeps the keys: *sorted_bits becomes an array in scratch of n folded key bits in
 * sorted order, uint64_t for 8-byte keys and uint32_t for others. Equal values are ties; the values
 * ascend, also for a descending order. Scratch: dev_radix_argsort_scratch. */
ordo_status dev_argsort_keys(cuda_call *call, const ordo_argsort_job *job, void **sorted_bits);

/* dev_count.cu: sorts keys of one or two bytes by counting them. */
size_t      dev_count_keys_scratch(const ordo_sort_job *job);
ordo_status dev_count_keys(cuda_call *call, const ordo_sort_job *job);

/* dev_distinct.cu: sorts at least 8192 keys of 4 or 8 bytes with up to a few thousand values. If
 * *done is false, the array has not changed. */
size_t      dev_distinct_scratch(void);
ordo_status dev_distinct(cuda_call *call, const ordo_sort_job *job, bool *done);

/* dev_gather.cu: scratch for copies of keys and values, from which the job's arrays are
 * gathered. */
struct gather_buffers {
    char *keys, *values;
};
gather_buffers gather_layout(cuda_scratch *scratch, const ordo_pairs_job *job);

/* keys[i] = old keys[index[i]], and the same for values; an index of all ones leaves the element
 * unchanged. The index type is uint64_t if wide, else uint32_t; the index may be in scratch. */
ordo_status dev_gather_pairs(cuda_call *call, const ordo_pairs_job *job, const void *index,
                             bool wide, gather_buffers buffers);

/* words[i] = the bytes of values[i], and back. Words have 4 or 8 bytes and are at least as long as
 * a value; values need no alignment. */
ordo_status dev_values_to_words(cuda_call *call, void *words, size_t word_size, const void *values,
                                size_t value_size, size_t n);
ordo_status dev_words_to_values(cuda_call *call, void *values, size_t value_size, const void *words,
                                size_t word_size, size_t n);

#endif
