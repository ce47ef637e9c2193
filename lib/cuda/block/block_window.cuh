/* block_window.cuh - merges sorted runs of keys in shared memory, WINDOW_ITEMS keys a thread.
 *
 * Two runs lie side by side, the first ascending, the second turned around: the least key that is
 * left is always at one of the two ends, so a merge needs no test for the end of a run, and even
 * equal keys cannot lead it astray. A thread finds where its keys begin by a binary search along
 * its diagonal ("merge path": O. Green, R. McColl, D. Bader, 2012) and takes them one by one.
 * Cost: for each key one read and one write of shared memory, and 2 lg(run) / WINDOW_ITEMS reads
 * for the search; two barriers a level.
 *
 * Called by whole blocks; results are valid after the barrier that ends each function. Used by
 * device/dev_rough_block.cu. */
#ifndef ORDO_CUDA_BLOCK_BLOCK_WINDOW_H
#define ORDO_CUDA_BLOCK_BLOCK_WINDOW_H

#include "cuda/warp/warp_sort.cuh"

enum {
    WINDOW_ITEMS = WARP_SORT_ITEMS
};

/* Where place i lies: one key is left out after every 128 bytes, so that threads that write 16 keys
 * each do not meet in a bank. */
template <typename BITS> static __device__ __forceinline__ constexpr int window_at(int i)
{
    return i + i / (128 / (int)sizeof(BITS));
}

/* Of the `diagonal` first keys of the merge of [first, middle), ascending, and [middle, last),
 * descending: how many are from the former. */
template <typename BITS>
static __device__ __forceinline__ int window_split(const BITS *memory, int first, int middle,
                                                   int last, int diagonal)
{
    int begin = max(0, diagonal - (last - middle)), end = min(diagonal, middle - first);
#pragma unroll 1
    while (begin < end) {
        int const half = (begin + end) / 2;
        if (memory[window_at<BITS>(first + half)] <=
            memory[window_at<BITS>(last - diagonal + half)])
            begin = half + 1;
        else
            end = half;
    }
    return begin;
}

/* The keys of the merge from `diagonal` on. */
template <typename BITS>
static __device__ __forceinline__ void window_merge(const BITS *memory, int first, int middle,
                                                    int last, int diagonal, BITS *x)
{
    int  left = first + window_split(memory, first, middle, last, diagonal);
    int  right = last - 1 - (diagonal - (left - first));
    BITS low = memory[window_at<BITS>(left)], high = memory[window_at<BITS>(right)];
#pragma unroll
    for (int i = 0; i < WINDOW_ITEMS; i++) {
        bool const take = low <= high;
        x[i] = take ? low : high;
        if (i == WINDOW_ITEMS - 1)
            break;
        left += take;
        right -= !take;
        BITS const next = memory[window_at<BITS>(take ? left : right)];
        low = take ? next : low;
        high = take ? high : next;
    }
}

/* Writes keys to the 16 places from `at` on, a multiple of 16; the last one first if turned. */
template <typename BITS>
static __device__ __forceinline__ void window_put(BITS *memory, int at, bool turned, const BITS *x)
{
    BITS *const to = memory + window_at<BITS>(at);
#pragma unroll
    for (int i = 0; i < WINDOW_ITEMS; i++)
        to[i] = turned ? x[WINDOW_ITEMS - 1 - i] : x[i];
}

/* Merges the runs of `run` keys of the tile [first, first + size), every second one turned around,
 * to a single one, turned around. Sizes are powers of two; thread t writes keys 16 t to 16 t + 15
 * of each level. */
template <typename BITS>
static __device__ __forceinline__ void window_merge_runs(BITS *memory, int first, int size, int run)
{
    int const mine = threadIdx.x * WINDOW_ITEMS;
#pragma unroll 1
    for (; run < size; run *= 2) {
        BITS       x[WINDOW_ITEMS];
        int const  begin = mine & ~(2 * run - 1), at = mine - begin;
        bool const turned = (begin & (2 * run)) != 0 || 2 * run == size;
        window_merge(memory, first + begin, first + begin + run, first + begin + 2 * run, at, x);
        __syncthreads();
        window_put(memory, first + begin + (turned ? 2 * run - WINDOW_ITEMS - at : at), turned, x);
        __syncthreads();
    }
}

#endif
