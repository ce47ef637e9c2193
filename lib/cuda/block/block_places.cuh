/* block_places.cuh - one block sorts the places of keys in shared memory, stably, by some of their
 * bits.
 *
 * The keys stay where they are, and 16-bit places move: one pass for each digit of eight bits,
 * least significant first (block_radix.cuh). Called by all threads of a block of WARPS warps. Every
 * thread has `items` places, at most ITEMS; warp w has those from w * 32 * items on. Keys that pad
 * the last rows are the largest and come last. Three barriers per pass; ends with a barrier. */
#ifndef ORDO_CUDA_BLOCK_BLOCK_PLACES_H
#define ORDO_CUDA_BLOCK_BLOCK_PLACES_H

#include "cuda/block/block_radix.cuh"

/* Adds a warp's bits to those of the block, in shared memory: bits set in some key, bits not set in
 * all. */
template <typename BITS>
static DEVICE void radix_note_bits(BITS ones, BITS zeros, BITS *shared_ones, BITS *shared_zeros)
{
#pragma unroll
    for (int half = 0; half < sizeof(BITS) / 4; half++) {
        unsigned const some = __reduce_or_sync(WARP_ALL, (unsigned)(ones >> 32 * half));
        unsigned const lack = __reduce_or_sync(WARP_ALL, (unsigned)(zeros >> 32 * half));
        if (threadIdx.x % 32 == 0) {
            atomicOr((unsigned *)shared_ones + half, some);
            atomicOr((unsigned *)shared_zeros + half, lack);
        }
    }
}

/* The lowest set bit, 0 if there is none, and one more than the highest. */
template <typename BITS> static DEVICE unsigned radix_low_bit(BITS bits)
{
    return bits == 0 ? 0 : (unsigned)__ffsll((long long)bits) - 1;
}
template <typename BITS> static DEVICE unsigned radix_high_bit(BITS bits)
{
    return 64 - (unsigned)__clzll((long long)bits);
}

/* Sorts `order`, places below 65536, by the bits [low, high) of bits_at(place). */
template <int ITEMS, int WARPS, typename F>
static DEVICE void block_sort_places(radix_counters<WARPS> *counters, uint16_t *order,
                                     unsigned items, unsigned low, unsigned high, F &&bits_at)
{
    unsigned const  first = threadIdx.x / 32 * 32 * items + threadIdx.x % 32;
    uint32_t *const row = counters->count[threadIdx.x / 32];
    uint32_t const  before = lanes_before();
    for (unsigned shift = low; shift < high; shift += RADIX_BITS) {
        unsigned const width = min(high - shift, (unsigned)RADIX_BITS), mask = (1u << width) - 1;
        uint32_t       place[ITEMS], ranked[ITEMS], start; /* rank above digit */
        block_radix_clear(counters);
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            if (i < items) {
                place[i] = order[first + i * 32];
                unsigned const digit = (unsigned)(bits_at(place[i]) >> shift) & mask;
                ranked[i] = block_radix_rank_one(row, before, digit) << RADIX_BITS | digit;
            }
        __syncthreads();
        block_radix_columns(counters, &start, [](uint32_t) {});
        __syncthreads();
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            if (i < items) {
                uint32_t const to = (ranked[i] >> RADIX_BITS) + row[ranked[i] % RADIX_BINS];
                order[to] = (uint16_t)place[i];
            }
        __syncthreads();
    }
}

#endif
