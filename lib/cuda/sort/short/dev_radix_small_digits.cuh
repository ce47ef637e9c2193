/* dev_radix_small_digits.cuh - one block sorts a short array by digits: dev_radix_small.cu.
 *
 * The key bits are in shared memory, and 16-bit places move. The block sorts by the digits in which
 * the keys differ, least significant first (block_places.cuh). */
#ifndef ORDO_CUDA_SORT_DEV_RADIX_SMALL_DIGITS_H
#define ORDO_CUDA_SORT_DEV_RADIX_SMALL_DIGITS_H

#include "cuda/sort/dev_radix_run.cuh"

template <typename BITS, int THREADS, int ITEMS> struct small_digits {
    BITS                         keys[THREADS * ITEMS];
    radix_counters<THREADS / 32> counters;
    uint16_t                     order[THREADS * ITEMS]; /* index of the key at each place */
    BITS                         ones, zeros; /* bits set in some key; bits not set in all */
};

/* Whether every key of this code has as many bytes as its bits. */
template <typename CODE>
static constexpr bool small_is_whole = CODE::is_float || sizeof(typename CODE::BITS) == 8;

/* The key at place p of the source, not encoded. */
template <typename CODE, typename BITS = typename CODE::BITS>
static DEVICE BITS small_load(const radix_job &job, unsigned p)
{
    const void *const source = job.source != NULL ? job.source : job.keys[0];
    if (small_is_whole<CODE>)
        return ((const BITS *)source)[p];
    return load_sized<BITS>(source, p, job.key_size);
}

/* Writes the key `bits` to place `to` of the result. */
template <typename CODE, typename BITS = typename CODE::BITS>
static DEVICE void small_put_key(const radix_job &job, CODE const &code, unsigned to, BITS bits)
{
    if (job.source != NULL) {
        if (job.keep_keys)
            ((BITS *)job.keys[0])[to] = code.fold(bits);
    } else if (small_is_whole<CODE>) {
        ((BITS *)job.keys[0])[to] = code.decode(bits);
    } else {
        store_sized<BITS>((char *)job.keys[0] + (size_t)to * job.key_size, job.key_size,
                          code.decode(bits));
    }
}

/* Writes an index, of 4 or 8 bytes, to place `to` of the result of an argsort. */
static DEVICE void small_put_index(const radix_job &job, unsigned to, unsigned index)
{
    if (job.value_out == 8)
        ((uint64_t *)job.values[0])[to] = index;
    else
        ((uint32_t *)job.values[0])[to] = index;
}

/* Sorts the places of n keys by digits; key_at(p) returns the bits of key p. */
template <typename CODE, int THREADS, int ITEMS, typename F, typename BITS = typename CODE::BITS>
static DEVICE void small_by_digits(small_digits<BITS, THREADS, ITEMS> *shared, CODE const &code,
                                   unsigned n, F &&key_at)
{
    unsigned const items = (n + THREADS - 1) / THREADS;
    if (threadIdx.x == 0) {
        shared->ones = 0;
        shared->zeros = 0;
    }
    __syncthreads();
    BITS ones = 0, zeros = 0;
#pragma unroll 4
    for (unsigned p = threadIdx.x; p < items * THREADS; p += THREADS) {
        BITS bits = (BITS) ~(BITS)0;
        if (p < n) {
            bits = key_at(p);
            ones |= code.fold(bits);
            zeros |= ~code.fold(bits);
        }
        shared->keys[p] = bits;
        shared->order[p] = (uint16_t)p;
    }
    radix_note_bits(ones, zeros, &shared->ones, &shared->zeros);
    __syncthreads();
    BITS const differ = shared->ones & shared->zeros;
    block_sort_places<ITEMS>(&shared->counters, shared->order, items, radix_low_bit(differ),
                             radix_high_bit(differ),
                             [&](unsigned p) { return code.fold(shared->keys[p]); });
}

/* Writes the sorted array and its values. */
template <typename CODE, int THREADS, int ITEMS, typename BITS = typename CODE::BITS>
static __device__ void small_write(small_digits<BITS, THREADS, ITEMS> *shared, CODE const &code,
                                   const radix_job &job)
{
    unsigned const n = (unsigned)job.n;
#pragma unroll 1
    for (unsigned p = threadIdx.x; p < n; p += THREADS) {
        unsigned const source = shared->order[p];
        small_put_key(job, code, p, shared->keys[source]);
        if (job.source != NULL)
            small_put_index(job, p, source);
    }
    if (job.source != NULL || job.value_size == 0)
        return;
    __syncthreads();
    /* Values replace the keys in shared memory, half a value at a time if they have 8 bytes. */
    uint32_t *const words = (uint32_t *)shared->keys;
    unsigned const  halves = job.value_size / 4;
    for (unsigned h = 0; h < halves; h++) {
        uint32_t *const values = (uint32_t *)job.values[0] + h;
#pragma unroll 1
        for (unsigned p = threadIdx.x; p < n; p += THREADS)
            words[p] = values[p * halves];
        __syncthreads();
#pragma unroll 1
        for (unsigned p = threadIdx.x; p < n; p += THREADS)
            values[p * halves] = words[shared->order[p]];
        __syncthreads();
    }
}

#endif
