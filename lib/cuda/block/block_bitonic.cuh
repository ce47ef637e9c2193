/* block_bitonic.cuh - one block sorts 2^m keys in shared memory by Batcher's bitonic network
 * (1968), as Alyafi and Khalid, "Median Element Parallelized Search", sort their sub-arrays.
 *
 * All comparisons put the smaller key first. The phase that makes sorted sequences of `size` keys
 * compares each key with its mirror image in the sequence, then with the keys at distance size/4,
 * ..., 1. Padding keys have the largest value and never move. A thread does three distances on 8
 * keys in registers, which takes a third of the barriers and of the shared-memory traffic of the
 * plain network. K is an unsigned integer or a record with operator<; the sort is not stable. Cost:
 * n lg n (lg n + 1) / 4 comparisons. Called by all threads of a block of any size. No barrier is
 * needed between the writes of the keys and the call; the result is visible to all threads. */
#ifndef ORDO_CUDA_BLOCK_BLOCK_BITONIC_H
#define ORDO_CUDA_BLOCK_BLOCK_BITONIC_H

#include "cuda/runtime/cuda_rt.cuh"

static constexpr int BITONIC_LEAST = 8; /* the smallest tile: the keys of one thread */

/* bitonic_at: the index of key i of a tile in shared memory; one element is left free after
 * every 128 bytes to avoid bank conflicts. bitonic_room: the number of elements that `count`
 * keys occupy. */
template <typename K> __host__ __device__ constexpr unsigned bitonic_at(unsigned i)
{
    return i + i / (unsigned)(128 / sizeof(K));
}
template <typename K> __host__ __device__ constexpr unsigned bitonic_room(unsigned count)
{
    return bitonic_at<K>(count);
}

static __host__ DEVICE unsigned bitonic_tile(unsigned n)
{
    unsigned tile = BITONIC_LEAST;
    while (tile < n)
        tile *= 2;
    return tile;
}

template <typename K> static DEVICE void bitonic_order(K &a, K &b)
{
    bool const turned = b < a;
    K const    low = turned ? b : a, high = turned ? a : b;
    a = low;
    b = high;
}

/* Compares the keys of one thread at distances FROM, FROM/2, ..., 1. */
template <int FROM, int KEYS, typename K> static DEVICE void bitonic_halve(K (&e)[KEYS])
{
#pragma unroll
    for (int distance = FROM; distance > 0; distance /= 2)
#pragma unroll
        for (int i = 0; i < KEYS; i++)
            if ((i & distance) == 0)
                bitonic_order(e[i], e[i + distance]);
}

/* Compares each key with its mirror image in sequences of SIZE keys. */
template <int SIZE, int KEYS, typename K> static DEVICE void bitonic_mirror(K (&e)[KEYS])
{
#pragma unroll
    for (int i = 0; i < KEYS; i++)
        if ((i & (SIZE / 2)) == 0)
            bitonic_order(e[i], e[i ^ (SIZE - 1)]);
}

/* Does LG distances: size/2 (or the mirror image in sequences of `size`), size/4, ... The keys of a
 * thread are size >> LG apart. With MIRROR the keys of the upper half are the mirror images of the
 * keys of the lower half; later distances stay within each half. */
template <int LG, bool MIRROR, typename K>
static DEVICE void bitonic_step(K *const keys, unsigned count, unsigned lg_size)
{
    constexpr int  KEYS = 1 << LG;
    unsigned const lg_gap = lg_size - LG, gap = 1u << lg_gap;
    for (unsigned t = threadIdx.x; t < count >> LG; t += blockDim.x) {
        unsigned const at = t & (gap - 1), start = (t >> lg_gap) << lg_size;
        unsigned const low = start + at, high = start + (MIRROR ? gap - 1 - at : at);
        K              e[KEYS];
#pragma unroll
        for (int i = 0; i < KEYS; i++)
            e[i] = keys[bitonic_at<K>((i < KEYS / 2 ? low : high) + (i << lg_gap))];
        if (MIRROR) {
            bitonic_mirror<KEYS>(e);
            bitonic_halve<KEYS / 4>(e);
        } else {
            bitonic_halve<KEYS / 2>(e);
        }
#pragma unroll
        for (int i = 0; i < KEYS; i++)
            keys[bitonic_at<K>((i < KEYS / 2 ? low : high) + (i << lg_gap))] = e[i];
    }
    __syncthreads();
}

/* Does distances 2^(lg - 1), ..., 2, 1. */
template <typename K> static DEVICE void bitonic_steps(K *const keys, unsigned count, unsigned lg)
{
    for (; lg >= 3; lg -= 3)
        bitonic_step<3, false>(keys, count, lg);
    if (lg == 2)
        bitonic_step<2, false>(keys, count, lg);
    else if (lg == 1)
        bitonic_step<1, false>(keys, count, lg);
}

/* Sorts every bitonic sequence of 2^lg keys. Used to finish a phase that began in device memory. */
template <typename K>
static DEVICE void block_bitonic_merge(K *const keys, unsigned count, unsigned lg)
{
    __syncthreads();
    bitonic_steps(keys, count, lg);
}

/* Sorts keys[bitonic_at(0)], ..., keys[bitonic_at(count - 1)]; count is a power of 2, at least
 * BITONIC_LEAST. */
template <typename K> static DEVICE void block_bitonic_sort(K *const keys, unsigned count)
{
    __syncthreads();
    for (unsigned t = threadIdx.x; t < count / BITONIC_LEAST; t += blockDim.x) {
        K e[BITONIC_LEAST];
#pragma unroll
        for (int i = 0; i < BITONIC_LEAST; i++)
            e[i] = keys[bitonic_at<K>(t * BITONIC_LEAST + i)];
        bitonic_mirror<2>(e);
        bitonic_mirror<4>(e);
        bitonic_halve<1>(e);
        bitonic_mirror<8>(e);
        bitonic_halve<2>(e);
#pragma unroll
        for (int i = 0; i < BITONIC_LEAST; i++)
            keys[bitonic_at<K>(t * BITONIC_LEAST + i)] = e[i];
    }
    __syncthreads();
    for (unsigned lg = 4; 1u << lg <= count; lg++) {
        bitonic_step<3, true>(keys, count, lg);
        bitonic_steps(keys, count, lg - 3);
    }
}

#endif
