/* block_windows.cuh - one block sorts records in shared memory that are near their final places.
 *
 * Records that are at most 8 places from their final places are sorted by windows of 16 records and
 * then by windows shifted by 8: each thread sorts one window in registers by Batcher's network
 * (warp_sort.cuh). The array has room for 2 * WARP_SORT_ITEMS records after the last one, and these
 * are the largest. Called by all threads of a block, at least one for each window. */
#ifndef ORDO_CUDA_BLOCK_BLOCK_WINDOWS_H
#define ORDO_CUDA_BLOCK_BLOCK_WINDOWS_H

#include "cuda/warp/warp_sort.cuh"

enum {
    WINDOWS_NEAR = WARP_SORT_ITEMS / 2 + 1 /* most records in any order that windows can sort */
};

/* The index of place p in shared memory: 16 bytes stay free after every 128, so that lanes that
 * read their windows use different banks. */
template <typename K> static __host__ DEVICE constexpr unsigned windows_at(unsigned p)
{
    return p + p / (128 / sizeof(K)) * (16 / sizeof(K));
}

/* Sorts `count` records of type K: shared->keys[SHARED::at(p)] is the record at place p, and
 * SHARED::at is windows_at<K>. A barrier must come before. Ends with a barrier. */
template <typename SHARED, typename K = typename SHARED::BITS>
static DEVICE void block_windows(SHARED *shared, unsigned count)
{
    constexpr int EACH = sizeof(uint4) / sizeof(K), VECTORS = WARP_SORT_ITEMS / EACH;
    union {
        uint4 all[VECTORS];
        K     key[WARP_SORT_ITEMS];
    } window;
#pragma unroll
    for (int round = 0; round < 2; round++) {
        unsigned const from = threadIdx.x * WARP_SORT_ITEMS + round * (WARP_SORT_ITEMS / 2);
        if (from < count) {
            auto const vector = [&](int v) -> uint4 & {
                return *(uint4 *)(shared->keys + SHARED::at(from + v * EACH));
            };
#pragma unroll
            for (int v = 0; v < VECTORS; v++)
                window.all[v] = vector(v);
            if (round == 0)
                lane_sort(window.key);
            else
                lane_sort<WARP_SORT_ITEMS / 2>(window.key);
#pragma unroll
            for (int v = 0; v < VECTORS; v++)
                vector(v) = window.all[v];
        }
        __syncthreads();
    }
}

#endif
