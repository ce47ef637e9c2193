/* block_radix.cuh - the place of each key when a tile is sorted, stably, by one digit.
 *
 * A tile is in the registers of a block: warp w has the 32 * ITEMS keys from w * 32 * ITEMS on, and
 * item i of lane l is key 32 * i + l of them. So loads are coalesced, and (warp, item, lane) is the
 * order of the keys. Each warp counts its digits in its own row of counters: the first of the lanes
 * with the same digit (warp_match) adds their number. The rank of a key is the counter plus the
 * number of these lanes before it. Then one thread per digit sums its column, and a scan over the
 * 256 totals turns the counters into places. After Adinets and Merrill, "Onesweep" (2022). Called
 * by all threads of a one-dimensional block of at least 256; each function names the barriers that
 * must follow. Shared memory: 1 KB per warp. */
#ifndef ORDO_CUDA_BLOCK_BLOCK_RADIX_H
#define ORDO_CUDA_BLOCK_BLOCK_RADIX_H

#include "cuda/warp/warp_scan.cuh"

#include <stdint.h>

enum {
    RADIX_BITS = 8,
    RADIX_BINS = 1 << RADIX_BITS
};

template <int WARPS> struct radix_counters {
    uint32_t count[WARPS][RADIX_BINS];
    uint32_t sums[RADIX_BINS / 32];
};

/* Zeroes the counters of the calling warp. A warp may call this as soon as it has its places. */
template <int WARPS> static DEVICE void block_radix_clear(radix_counters<WARPS> *counters)
{
    uint32_t *const row = counters->count[threadIdx.x / 32];
    __syncwarp();
#pragma unroll
    for (unsigned d = threadIdx.x % 32; d < RADIX_BINS; d += 32)
        row[d] = 0;
    __syncwarp();
}

/* Returns how many keys of this warp with this digit (below 256) were ranked before. `row` is the
 * warp's counters, zero before the first key; `before` is the mask of the lanes before this one. A
 * barrier must follow the last key. */
static DEVICE uint32_t block_radix_rank_one(uint32_t *row, uint32_t before, unsigned digit)
{
    uint32_t const peers = warp_match<RADIX_BITS>(digit), lower = peers & before;
    uint32_t const count = row[digit];
    __syncwarp();
    if (lower == 0)
        row[digit] = count + __popc(peers);
    __syncwarp();
    return count + __popc(lower);
}

/* Ranks of the ITEMS keys of a thread, two per register, because registers limit the tile size. */
template <int ITEMS> struct radix_ranks {
    uint32_t pair[(ITEMS + 1) / 2];
};

/* Ranks all keys of a thread; digit_of(i) is the digit of key i. */
template <int WARPS, int ITEMS, typename F>
static DEVICE void block_radix_rank(radix_counters<WARPS> *counters, radix_ranks<ITEMS> &ranks,
                                    F &&digit_of)
{
    uint32_t *const row = counters->count[threadIdx.x / 32];
    uint32_t        before = lanes_before();
    asm volatile(
        ""
        : "+r"(before)); /* keeps the compiler from reading the special register every time */
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        uint32_t const rank = block_radix_rank_one(row, before, digit_of(i));
        ranks.pair[i / 2] = i % 2 == 0 ? rank : ranks.pair[i / 2] | rank << 16;
    }
}

/* Ranks keys in any order, not stably: one atomic per key, which is faster than warp_match if most
 * digits differ. */
template <int WARPS, int ITEMS, typename F>
static DEVICE void block_radix_rank_loose(radix_counters<WARPS> *counters,
                                          radix_ranks<ITEMS> &ranks, F &&digit_of)
{
    uint32_t *const row = counters->count[threadIdx.x / 32];
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        uint32_t const rank = atomicAdd(row + digit_of(i), 1u);
        ranks.pair[i / 2] = i % 2 == 0 ? rank : ranks.pair[i / 2] | rank << 16;
    }
}

/* In threads below 256: returns the number of keys of the tile with digit threadIdx.x and sets
 * *start to the place of the first of them. Calls publish(number) as soon as the number is known.
 * The counters become places in the tile. Contains one barrier; another must follow. */
template <int WARPS, typename F>
static DEVICE uint32_t block_radix_columns(radix_counters<WARPS> *counters, uint32_t *start,
                                           F &&publish)
{
    static_assert(WARPS >= RADIX_BINS / 32, "a thread for each digit");
    unsigned const digit = threadIdx.x, lane = digit % 32;
    uint32_t       total = 0, scan = 0;
    if (digit < RADIX_BINS) {
#pragma unroll
        for (int w = 0; w < WARPS; w++)
            total += counters->count[w][digit];
        publish(total);
        scan = total;
#pragma unroll
        for (unsigned step = 1; step < 32; step *= 2) {
            uint32_t const below = __shfl_up_sync(WARP_ALL, scan, step);
            scan += lane >= step ? below : 0;
        }
        if (lane == 31)
            counters->sums[digit / 32] = scan;
    }
    __syncthreads();
    if (digit < RADIX_BINS) {
        uint32_t at = scan - total;
#pragma unroll
        for (unsigned w = 0; w < RADIX_BINS / 32; w++)
            at += w < digit / 32 ? counters->sums[w] : 0;
        *start = at;
#pragma unroll
        for (int w = 0; w < WARPS; w++) {
            uint32_t const count = counters->count[w][digit];
            counters->count[w][digit] = at;
            at += count;
        }
    }
    return total;
}

/* The value stored for key i: its rank, or its place after block_radix_keep. */
template <int ITEMS> static DEVICE uint32_t block_radix_kept(const radix_ranks<ITEMS> &ranks, int i)
{
    return i % 2 == 0 ? ranks.pair[i / 2] & 0xffff : ranks.pair[i / 2] >> 16;
}

/* The place in the tile of key i of this thread; `digit` is the digit of the key. */
template <int WARPS, int ITEMS>
static DEVICE uint32_t block_radix_place(const radix_counters<WARPS> *counters,
                                         const radix_ranks<ITEMS> &ranks, int i, unsigned digit)
{
    return block_radix_kept(ranks, i) + counters->count[threadIdx.x / 32][digit];
}

/* Stores the place of key i instead of its rank. */
template <int ITEMS>
static DEVICE void block_radix_keep(radix_ranks<ITEMS> &ranks, int i, uint32_t place)
{
    uint32_t const other = ranks.pair[i / 2];
    ranks.pair[i / 2] = i % 2 == 0 ? (other & 0xffff0000) | place : (other & 0xffff) | place << 16;
}

#endif
