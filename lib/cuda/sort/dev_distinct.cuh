/* dev_distinct.cuh - what dev_distinct.cu and dev_distinct_many.cu share. */
#ifndef ORDO_CUDA_SORT_DEV_DISTINCT_H
#define ORDO_CUDA_SORT_DEV_DISTINCT_H

#include "cuda/runtime/cuda_keys.cuh"
#include "cuda/sort/dev_radix.cuh"

struct distinct_state { /* result of an attempt, in device memory */
    unsigned values;    /* values on the list; 0: none, or too many */
    unsigned missed;    /* some key is not on the list */
    unsigned sampled;   /* distinct values of the sample, about */
};

/* An array as vectors of 16 bytes, with single keys before and after them. */
template <typename BITS> struct distinct_vectors {
    static constexpr unsigned EACH = sizeof(uint4) / sizeof(BITS);

    size_t n, head, count; /* keys, keys before the vectors, vectors */

    DEVICE distinct_vectors(const BITS *keys, size_t given)
        : n(given), head(min((16 - (size_t)keys % 16) % 16 / sizeof(BITS), given)),
          count((given - head) / EACH)
    {
    }
    /* The place of the first key of vector c. */
    DEVICE size_t first(size_t c) const { return head + c * EACH; }
    /* Calls f(i) for every single key, by all threads of the grid. */
    template <typename F> DEVICE void each_single(F &&f) const
    {
        grid_each(head, f);
        grid_each(n - first(count), [&](size_t i) { f(first(count) + i); });
    }
};

/* Calls add(key) for the keys of this thread, until *missed, which is_missed() also sets. */
template <typename BITS, typename IS_MISSED, typename ADD>
static DEVICE void distinct_read(const BITS *keys, size_t n, bool *missed, IS_MISSED &&is_missed,
                                 ADD &&add)
{
    distinct_vectors<BITS> const all(keys, n);
    const uint4 *const           vectors = (const uint4 *)(keys + all.head);
    size_t const                 threads = (size_t)gridDim.x * blockDim.x;
    size_t const                 me = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (size_t c = me; c < all.count && !*missed; c += 4 * threads) {
        vector_16<BITS> chunk[4];
#pragma unroll
        for (unsigned j = 0; j < 4; j++)
            if (c + j * threads < all.count)
                chunk[j].all = vectors[c + j * threads];
        *missed = is_missed();
#pragma unroll
        for (unsigned j = 0; j < 4; j++)
            if (c + j * threads < all.count) {
#pragma unroll
                for (unsigned k = 0; k < all.EACH; k++)
                    add(chunk[j].key[k]);
            }
    }
    all.each_single([&](size_t i) { add(keys[i]); });
}

/* A vector of values; start[v] is the first place of value v. Value *v has the key at `first` or
 * starts before it, and becomes that of the last key. */
template <typename BITS>
static DEVICE uint4 distinct_chunk(const uint64_t *start, const BITS *raw, size_t first,
                                   unsigned *v)
{
    vector_16<BITS> chunk;
#pragma unroll
    for (unsigned k = 0; k < distinct_vectors<BITS>::EACH; k++) {
        while (start[*v + 1] <= first + k)
            ++*v;
        chunk.key[k] = raw[*v];
    }
    return chunk.all;
}

/* dev_distinct_many.cu: enqueues the attempt with more values; it does nothing if `few` shows that
 * the array is sorted. *state is set to its result. */
size_t      dev_distinct_many_scratch(void);
ordo_status dev_distinct_many(cuda_call *call, const ordo_sort_job *job, const distinct_state *few,
                              const distinct_state **state);

#endif
