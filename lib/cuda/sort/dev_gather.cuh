/* dev_gather.cuh - pairs put in the order that an argsort found; values of odd sizes as words. */
#ifndef ORDO_CUDA_SORT_DEV_GATHER_H
#define ORDO_CUDA_SORT_DEV_GATHER_H

#include "cuda/runtime/cuda_rt.cuh"

/* Copies of keys and values, which are gathered from them into the job's arrays. */
struct gather_buffers {
    char *keys, *values;
};
gather_buffers gather_layout(cuda_scratch *scratch, const ordo_pairs_job *job);

/* keys[i] = old keys[index[i]], values likewise. index is of uint64_t if wide, else of uint32_t;
 * it may lie in scratch. */
ordo_status dev_gather_pairs(cuda_call *call, const ordo_pairs_job *job, const void *index,
                             bool wide, gather_buffers buffers);

/* words[i] = the bytes of values[i], and back. Words have 4 or 8 bytes, values no more; they need
 * no alignment. */
ordo_status dev_values_to_words(cuda_call *call, void *words, size_t word_size, const void *values,
                                size_t value_size, size_t n);
ordo_status dev_words_to_values(cuda_call *call, void *values, size_t value_size, const void *words,
                                size_t word_size, size_t n);

#endif
