/* dev_radix_grid_leaves.cuh - the last step of dev_radix_grid.cu: blocks sort the keys of each
 * code.
 *
 * A leaf is as many consecutive codes of a block as fit (dev_radix_leaf.cuh). A code that is too
 * long for a leaf, and a leaf of keys alone that crowd in few buckets, is sorted by digits, in a
 * time that does not depend on its keys. A leaf of pairs or indices whose keys crowd is sorted code
 * by code; only codes whose keys crowd alone, too, are sorted by digits. */
#ifndef ORDO_CUDA_SORT_DEV_RADIX_GRID_LEAVES_H
#define ORDO_CUDA_SORT_DEV_RADIX_GRID_LEAVES_H

#include "cuda/sort/one_launch/dev_radix_grid_sample.cuh"

/* Where the index of each moved key is. */
static DEVICE uint32_t *grid_index(const radix_job &job)
{
    return job.source != NULL ? (uint32_t *)job.values[1] : job.index;
}

/* The arrays of the leaves. Values of `size` bytes are fetched from `values`; 0: indices are
 * written. */
template <typename CODE, typename VALUE, bool SHORT_> struct grid_array : leaf_array<CODE, VALUE> {
    static constexpr bool SHORT = SHORT_;

    const void *values;
    unsigned    size;

    DEVICE void store_value(size_t i, VALUE value) const
    {
        if (size == 0)
            leaf_array<CODE, VALUE>::store_value(i, value);
        else if (size == 4)
            ((uint32_t *)this->values_out)[i] = ((const uint32_t *)values)[value];
        else
            ((uint64_t *)this->values_out)[i] = ((const uint64_t *)values)[value];
    }
};

/* Loads `count` keys from `first` on, and their indices, and pads them with the largest. Ends with
 * a barrier. */
template <bool INDEXED, typename ARRAY>
static DEVICE void grid_load_digits(grid_digits<INDEXED> *digits, ARRAY const &array,
                                    uint32_t first, unsigned count, unsigned items)
{
    uint32_t ones[2] = {0, 0}, zeros[2] = {0, 0};
    if (threadIdx.x < 2)
        digits->ones[threadIdx.x] = digits->zeros[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll 4
    for (unsigned p = threadIdx.x; p < items * GRID_THREADS; p += GRID_THREADS) {
        uint32_t bits = UINT32_MAX, index = UINT32_MAX;
        if (p < count) {
            bits = array.code.encode(array.keys_in[first + p]);
            ones[0] |= array.code.fold(bits);
            zeros[0] |= ~array.code.fold(bits);
            if constexpr (INDEXED) {
                index = array.values_in[first + p];
                ones[1] |= index;
                zeros[1] |= ~index;
            }
        }
        digits->keys[p] = bits;
        digits->order[p] = (uint16_t)p;
        if (INDEXED)
            digits->index[p] = index;
    }
#pragma unroll
    for (int which = 0; which < (INDEXED ? 2 : 1); which++)
        radix_note_bits(ones[which], zeros[which], digits->ones + which, digits->zeros + which);
    __syncthreads();
}

/* Sorts a leaf in a time that does not depend on its keys: by the digits of the indices and then of
 * the keys. Ends with a barrier. */
template <bool INDEXED, typename ARRAY>
static DEVICE void grid_sort_digits(grid_digits<INDEXED> *digits, ARRAY const &array,
                                    uint32_t first, unsigned count)
{
    constexpr int  ITEMS = GRID_MOST_ITEMS;
    unsigned const items = (count - 1) / GRID_THREADS + 1;
    grid_load_digits(digits, array, first, count, items);
    auto const sort_by = [&](int which, auto &&bits_at) {
        uint32_t const differ = digits->ones[which] & digits->zeros[which];
        block_sort_places<ITEMS>(&digits->counters, digits->order, items, radix_low_bit(differ),
                                 radix_high_bit(differ), bits_at);
    };
    if (INDEXED)
        sort_by(1, [&](unsigned p) { return digits->index[p]; });
    sort_by(0, [&](unsigned p) { return array.code.fold(digits->keys[p]); });
    for (unsigned p = threadIdx.x; p < count; p += GRID_THREADS) {
        unsigned const from = digits->order[p];
        array.store(first + p, digits->keys[from]);
        if constexpr (INDEXED)
            array.store_value(first + p, digits->index[from]);
    }
    __syncthreads();
}

/* The arrays of the leaves of a job. */
template <bool SHORT, typename CODE, bool INDEXED>
static DEVICE grid_array<CODE, typename grid_value<INDEXED>::type, SHORT>
              grid_array_of(const radix_job &job, CODE const &code)
{
    typedef typename grid_value<INDEXED>::type VALUE;
    grid_array<CODE, VALUE, SHORT>             array;
    (leaf_array<CODE, VALUE> &)array = leaf_array_of<VALUE>(job, code, 1);
    bool const pairs = INDEXED && job.source == NULL;
    array.values_in = (const VALUE *)grid_index(job);
    array.values = job.values[1];
    array.size = pairs ? job.value_size : 0;
    return array;
}

/* Calls f(code, first, count) for each leaf of this block: its first code and its keys. Skips codes
 * with too many keys. */
template <typename SHARED, typename F>
static DEVICE void grid_each_leaf(const SHARED *shared, uint32_t codes, F &&f)
{
    uint32_t const last = codes * (blockIdx.x + 1) / gridDim.x;
    for (uint32_t at = codes * blockIdx.x / gridDim.x; at < last;) {
        uint32_t const here = at, first = shared->start[at++];
        while (at < last && shared->start[at + 1] - first <= LEAF_KEYS)
            at++;
        uint32_t const count = shared->start[at] - first;
        if (count != 0 && count <= GRID_MOST)
            f(here, first, count);
    }
}

/* Sorts the leaves that grid_sort_codes has left: by digits, but with indices, which take more
 * digits, first each code alone, because a frequent value far from the other keys of a leaf makes
 * them crowd. A separate function and loop, because registers are short. */
template <bool SHORT, typename CODE, bool INDEXED>
static __device__ __noinline__ void grid_sort_left(grid_shared<CODE, INDEXED> *shared,
                                                   const radix_job &job, CODE const &code,
                                                   uint32_t codes)
{
    auto const array = grid_array_of<SHORT, CODE, INDEXED>(job, code);
    grid_each_leaf(shared, codes, [&](uint32_t at, uint32_t first, unsigned count) {
        if ((shared->left[at / 32] >> at % 32) % 2 == 0)
            return;
        for (uint32_t from = first; from < first + count; at++) {
            /* A leaf of keys alone is sorted at once. */
            unsigned const alone = INDEXED ? shared->start[at + 1] - from : count;
            bool const     again = INDEXED && alone < count && alone <= LEAF_KEYS;
            unsigned       patience = 0;
            if (alone != 0 && (!again || !leaf_sort(array, &shared->leaf, from, alone, &patience)))
                grid_sort_digits(&shared->digits, array, from, alone);
            from += alone;
        }
    });
}

/* Sorts the codes of this block. */
template <bool SHORT, typename CODE, bool INDEXED>
static DEVICE void grid_sort_codes(grid_shared<CODE, INDEXED> *shared, const radix_job &job,
                                   CODE const &code, uint32_t codes)
{
    auto const array = grid_array_of<SHORT, CODE, INDEXED>(job, code);
    if (threadIdx.x < GRID_CODES / 32)
        shared->left[threadIdx.x] = 0;
    __syncthreads();
    grid_each_leaf(shared, codes, [&](uint32_t at, uint32_t first, unsigned count) {
        unsigned patience = 0;
        /* A leaf that is too long, or whose keys crowd in few buckets, is left. */
        bool const done =
            count <= LEAF_KEYS && leaf_sort(array, &shared->leaf, first, count, &patience);
        if (!done && threadIdx.x == 0)
            shared->left[at / 32] |= 1u << at % 32;
    });
    __syncthreads();
    if (__syncthreads_or(threadIdx.x < GRID_CODES / 32 && shared->left[threadIdx.x] != 0))
        grid_sort_left<SHORT>(shared, job, code, codes);
}

#endif
