/* block_window.cuh - one block sorts or merges keys in shared memory, WINDOW_ITEMS keys a thread.
 *
 * Merges: of two sorted sequences side by side the second is reversed, so the smallest key left is
 * always at one of the two ends, and no test for the end of a sequence is needed. A thread finds
 * its first key by a binary search along its diagonal (merge path: Green, McColl, Bader, 2012).
 * Buckets: bucket_sort cuts the range of the keys into as many equal buckets as there are keys.
 * Shared counters give each key its rank and place. If no bucket holds more than BUCKET_MOST keys,
 * no key is more than 8 places away, and sorting 16 places of every thread, then 16 places shifted
 * by 8, finishes. Otherwise the caller sorts in another way. Called by whole blocks; results are
 * visible after the barrier that ends each function. */
#ifndef ORDO_CUDA_BLOCK_BLOCK_WINDOW_H
#define ORDO_CUDA_BLOCK_BLOCK_WINDOW_H

#include "cuda/warp/warp_scan.cuh"
#include "cuda/warp/warp_sort.cuh"

static constexpr int WINDOW_ITEMS = WARP_SORT_ITEMS;

/* The index of place i: one key is left out after every 128 bytes, against bank conflicts of
 * threads that write 16 keys each. */
template <typename BITS> static __device__ __forceinline__ constexpr int window_at(int i)
{
    return i + i / (128 / (int)sizeof(BITS));
}

/* How many of the first `diagonal` keys of the merge of [first, middle), ascending, and [middle,
 * last), descending, come from the former. */
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

/* WINDOW_ITEMS keys of the merge, from `diagonal` on. */
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

/* Writes keys to the 16 places from `at` on, a multiple of 16; in reverse if turned. */
template <typename BITS>
static __device__ __forceinline__ void window_put(BITS *memory, int at, bool turned, const BITS *x)
{
    BITS *const to = memory + window_at<BITS>(at);
#pragma unroll
    for (int i = 0; i < WINDOW_ITEMS; i++)
        to[i] = turned ? x[WINDOW_ITEMS - 1 - i] : x[i];
}

/* Merges sorted sequences of `run` keys of the tile [first, first + size), every second one
 * reversed, to a single reversed one. Sizes are powers of two; thread t writes keys 16 t to 16 t +
 * 15 of each level. */
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

/* ---- Buckets ---- */

static constexpr int BUCKET_MOST = 9; /* so a key is at most 8 places, half a window, away */

template <typename BITS, int THREADS> struct bucket_shared {
    BITS     low[THREADS / 32], high[THREADS / 32];
    unsigned keys[THREADS / 32];
};

/* The smallest and the largest key of the block. */
template <typename BITS, int THREADS>
static __device__ __forceinline__ void bucket_range(bucket_shared<BITS, THREADS> *shared,
                                                    const BITS *x, BITS *least, BITS *most)
{
    unsigned const lane = lane_id(), warp = threadIdx.x / 32;
    BITS           low = x[0], high = x[0];
#pragma unroll
    for (int i = 1; i < WINDOW_ITEMS; i++) {
        low = min(low, x[i]);
        high = max(high, x[i]);
    }
    low = warp_smallest(low);
    high = warp_largest(high);
    if (lane == 0) {
        shared->low[warp] = low;
        shared->high[warp] = high;
    }
    __syncthreads();
    unsigned const other = lane % (THREADS / 32);
    *least = warp_smallest(shared->low[other]);
    *most = warp_largest(shared->high[other]);
}

/* A monotonic map from [0, range] to [0, BUCKETS). */
template <typename BITS, int BUCKETS> struct bucket_map {
    int      shift; /* leaves 32 bits */
    unsigned factor;

    __device__ __forceinline__ void cover(BITS range)
    {
        shift = 0;
        if constexpr (sizeof(BITS) == 8)
            shift = max(0, 32 - __clzll((long long)range));
        unsigned const top = (unsigned)(range >> shift);
        /* top * factor < BUCKETS * 2^32 */
        factor = (unsigned)min(((unsigned long long)BUCKETS << 32) / ((unsigned long long)top + 1),
                               0xffffffffull);
    }
    __device__ __forceinline__ unsigned operator()(BITS x) const
    {
        return __umulhi((unsigned)(x >> shift), factor);
    }
};

/* Leaves x, sorted and reversed, at the places [first, first + THREADS * 16). If it returns false,
 * it has only destroyed what was there. */
template <typename BITS, int THREADS>
static __device__ __forceinline__ bool bucket_sort(bucket_shared<BITS, THREADS> *shared,
                                                   BITS *memory, int first, const BITS *x)
{
    constexpr int          N = WINDOW_ITEMS, KEYS = THREADS * N;
    int const              mine = threadIdx.x * N;
    unsigned const         lane = lane_id(), warp = threadIdx.x / 32;
    unsigned *const        counts = (unsigned *)(memory + window_at<BITS>(first));
    BITS                   least, most;
    bucket_map<BITS, KEYS> map;
    unsigned               at[N];

    unsigned *const own = counts + window_at<unsigned>(mine);
#pragma unroll
    for (int i = 0; i < N; i++)
        own[i] = 0;
    bucket_range<BITS, THREADS>(shared, x, &least, &most);
    map.cover((BITS)(most - least));
#pragma unroll
    for (int i = 0; i < N; i++) {
        unsigned const bucket = window_at<unsigned>((int)map((BITS)(x[i] - least)));
        at[i] = bucket << 16 | atomicAdd(counts + bucket, 1u);
    }
    __syncthreads();

    unsigned sum = 0, full = 0;
#pragma unroll
    for (int i = 0; i < N; i++) {
        unsigned const count = own[i];
        full = max(full, count);
        sum += count;
    }
    unsigned const upto = warp_scan<scan_add<unsigned>>(sum);
    if (lane == 31)
        shared->keys[warp] = upto;
    if (__syncthreads_or(full > BUCKET_MOST))
        return false;
    unsigned const before = __reduce_add_sync(WARP_ALL, lane < warp ? shared->keys[lane] : 0u);
    unsigned       place = before + upto - sum;
#pragma unroll
    for (int i = 0; i < N; i++) {
        unsigned const count = own[i];
        own[i] = place;
        place += count;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < N; i++)
        at[i] = counts[at[i] >> 16] + (at[i] & 0xffff);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < N; i++)
        memory[window_at<BITS>(first + KEYS - 1 - (int)at[i])] = x[i];
    __syncthreads();

    BITS *const here = memory + window_at<BITS>(first + KEYS - N - mine);
    BITS        y[N];
#pragma unroll
    for (int i = 0; i < N; i++)
        y[i] = here[N - 1 - i];
    lane_sort(y);
#pragma unroll
    for (int i = 0; i < N; i++)
        here[N - 1 - i] = y[i];
    __syncthreads();
    if (threadIdx.x < THREADS - 1) { /* 8 places of this thread and 8 of the next */
        BITS *const next = memory + window_at<BITS>(first + KEYS - 2 * N - mine);
#pragma unroll
        for (int i = 0; i < N / 2; i++) {
            y[i] = here[N / 2 - 1 - i];
            y[N / 2 + i] = next[N / 2 + i]; /* larger keys first */
        }
        lane_clean<N / 2>(y);
#pragma unroll
        for (int i = 0; i < N / 2; i++) {
            here[N / 2 - 1 - i] = y[i];
            next[N - 1 - i] = y[N / 2 + i];
        }
    }
    __syncthreads();
    return true;
}

#endif
