/* warp_sort.cuh - sorts keys in the registers of a warp, WARP_SORT_ITEMS per lane, by networks
 * without branches: K. Batcher, "Sorting networks and their applications" (1968).
 *
 * The odd-even merge network sorts the keys of a lane (63 comparators for 16). Level m then merges
 * sorted sequences of 2^(m-1) lanes in pairs by a bitonic network of 4 + m steps: for m <= 2 by
 * shuffles, for m = 3, 4 and 5 through shared memory. There the keys are exchanged so that a lane
 * holds keys 2^m apart. That layout ("dealt") allows four steps without a shuffle; then the keys go
 * back for the remaining m steps. All sequences ascend; the first step of a merge compares with the
 * mirrored place. In the "blocked" layout lane l holds places 16 l to 16 l + 15 of the 512 places
 * of the warp. Called by whole warps, each with its own shared memory. */
#ifndef ORDO_CUDA_WARP_WARP_SORT_H
#define ORDO_CUDA_WARP_WARP_SORT_H

#include "cuda/warp/warp_scan.cuh"

enum {
    WARP_SORT_ITEMS = 16,
    WARP_SORT_KEYS = 32 * WARP_SORT_ITEMS
};

/* The index of place i in a warp's memory. 16 bytes stay free after every 128 bytes (for records of
 * 16 bytes after the keys of a lane), and 64 bytes after every 256 places. This avoids bank
 * conflicts between lanes that read their own 16-byte vectors, or keys 16 apart. */
template <typename BITS> static DEVICE constexpr int warp_sort_at(int i)
{
    constexpr int EACH = sizeof(BITS) > 8 ? (int)WARP_SORT_ITEMS : 128 / (int)sizeof(BITS);
    return i + i / EACH * (16 / (int)sizeof(BITS)) + i / 256 * (64 / (int)sizeof(BITS));
}

template <typename BITS> static DEVICE void sort_two(BITS &a, BITS &b)
{
    BITS const low = a < b ? a : b, high = a < b ? b : a;
    a = low;
    b = high;
}

/* The comparators at distance APART of the odd-even network that merges sorted sequences of PART
 * of N keys. */
template <int PART, int APART, int N, typename BITS> static DEVICE void lane_sort_step(BITS *x)
{
    constexpr int FIRST = APART % PART;
#pragma unroll
    for (int i = 0; i < N - APART; i++)
        if (i >= FIRST && (i - FIRST) / APART % 2 == 0 &&
            i / (2 * PART) == (i + APART) / (2 * PART))
            sort_two(x[i], x[i + APART]);
    if constexpr (APART > 1)
        lane_sort_step<PART, APART / 2, N>(x);
}

/* Sorts N keys of one lane, a power of 2, by the odd-even merge network. */
template <int PART = 1, int N = WARP_SORT_ITEMS, typename BITS>
static DEVICE void lane_sort(BITS *x)
{
    lane_sort_step<PART, PART, N>(x);
    if constexpr (2 * PART < N)
        lane_sort<2 * PART, N>(x);
}

/* The bitonic steps FIRST, FIRST / 2, ..., 1 on the keys of one lane. */
template <int FIRST, typename BITS> static DEVICE void lane_clean(BITS *x)
{
#pragma unroll
    for (int i = 0; i < WARP_SORT_ITEMS; i++)
        if ((i & FIRST) == 0)
            sort_two(x[i], x[i + FIRST]);
    if constexpr (FIRST > 1)
        lane_clean<FIRST / 2>(x);
}

/* Returns the smaller key, or the larger one in the upper lane of a pair. */
template <typename BITS> static DEVICE BITS sort_keep(BITS mine, BITS other, bool upper)
{
    return (mine < other) != upper ? mine : other;
}

/* Level m by shuffles; the keys are blocked before and after. */
template <int M, typename BITS> static DEVICE void warp_merge_lanes(BITS *x)
{
    constexpr int  N = WARP_SORT_ITEMS;
    unsigned const lane = lane_id();
    BITS           y[N];
#pragma unroll
    for (int i = 0; i < N; i++)
        y[i] = __shfl_xor_sync(WARP_ALL, x[N - 1 - i], (1 << M) - 1);
#pragma unroll
    for (int i = 0; i < N; i++)
        x[i] = sort_keep(x[i], y[i], lane >> (M - 1) & 1);
#pragma unroll
    for (int bit = M - 2; bit >= 0; bit--)
#pragma unroll
        for (int i = 0; i < N; i++)
            x[i] = sort_keep(x[i], __shfl_xor_sync(WARP_ALL, x[i], 1 << bit), lane >> bit & 1);
    lane_clean<N / 2>(x);
}

/* Writes blocked keys to places 0 to 511 (warp_put), or reads them (warp_get). */
template <typename BITS> static DEVICE void warp_put(BITS *memory, const BITS *x)
{
    constexpr int V = 16 / sizeof(BITS);
    BITS *const   mine = memory + warp_sort_at<BITS>(lane_id() * WARP_SORT_ITEMS);
#pragma unroll
    for (int i = 0; i < WARP_SORT_ITEMS; i += V) {
        vector_16<BITS> vector;
#pragma unroll
        for (int j = 0; j < V; j++)
            vector.key[j] = x[i + j];
        *(uint4 *)(mine + i) = vector.all;
    }
}

template <typename BITS> static DEVICE void warp_get(BITS *x, const BITS *memory)
{
    constexpr int     V = 16 / sizeof(BITS);
    const BITS *const mine = memory + warp_sort_at<BITS>(lane_id() * WARP_SORT_ITEMS);
#pragma unroll
    for (int i = 0; i < WARP_SORT_ITEMS; i += V) {
        vector_16<BITS> vector;
        vector.all = *(const uint4 *)(mine + i);
#pragma unroll
        for (int j = 0; j < V; j++)
            x[i + j] = vector.key[j];
    }
}

/* The start of a lane's keys in the dealt layout of level m: its i-th key is at place i 2^m +
 * (number of the lane among the 2^m lanes). */
template <int M, typename BITS> static DEVICE int warp_dealt(void)
{
    unsigned const lane = lane_id();
    return warp_sort_at<BITS>((lane >> M << (M + 4)) + (lane & ((1 << M) - 1)));
}
/* The same with the lanes in reverse order, for the mirrored second half. */
template <int M, typename BITS> static DEVICE int warp_dealt_turned(void)
{
    unsigned const lane = lane_id();
    return warp_sort_at<BITS>((lane >> M << (M + 4)) + ((1 << M) - 1 - (lane & ((1 << M) - 1))));
}

/* The end of level m, after the dealt keys were compared at distances 8, 4, 2 and 1: returns the
 * keys to the blocked layout and does the remaining steps. */
template <int M, typename BITS> static DEVICE void warp_merge_end(BITS *x, BITS *memory)
{
    BITS *const dealt = memory + warp_dealt<M, BITS>();
#pragma unroll
    for (int i = 0; i < WARP_SORT_ITEMS; i++)
        dealt[warp_sort_at<BITS>(i << M)] = x[i];
    __syncwarp();
    warp_get(x, memory);
    if constexpr (M == 5) { /* places 16 apart are in neighbouring lanes */
#pragma unroll
        for (int i = 0; i < WARP_SORT_ITEMS; i++)
            x[i] = sort_keep(x[i], __shfl_xor_sync(WARP_ALL, x[i], 1), lane_id() & 1);
        lane_clean<WARP_SORT_ITEMS / 2>(x);
    } else {
        lane_clean<(1 << M) / 2>(x);
    }
    __syncwarp();
}

/* Level m through shared memory; the keys are blocked before and after. */
template <int M, typename BITS> static DEVICE void warp_merge_memory(BITS *x, BITS *memory)
{
    constexpr int     N = WARP_SORT_ITEMS;
    const BITS *const dealt = memory + warp_dealt<M, BITS>();
    const BITS *const turned = memory + warp_dealt_turned<M, BITS>();
    warp_put(memory, x);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < N / 2; i++)
        x[i] = dealt[warp_sort_at<BITS>(i << M)];
#pragma unroll
    for (int i = N / 2; i < N; i++)
        x[i] = turned[warp_sort_at<BITS>((N + N / 2 - 1 - i) << M)];
    __syncwarp();
    lane_clean<N / 2>(x);
    warp_merge_end<M>(x, memory);
}

/* Sorts the keys of every 2^M lanes, M <= 5. The keys may be distributed over these lanes in any
 * way; they are blocked afterwards. */
template <int M, typename BITS> static DEVICE void warp_sort_parts(BITS *x, BITS *memory)
{
    lane_sort(x);
    if constexpr (M >= 1)
        warp_merge_lanes<1>(x);
    if constexpr (M >= 2)
        warp_merge_lanes<2>(x);
    if constexpr (M >= 3)
        warp_merge_memory<3>(x, memory);
    if constexpr (M >= 4)
        warp_merge_memory<4>(x, memory);
    if constexpr (M >= 5)
        warp_merge_memory<5>(x, memory);
}

#endif
