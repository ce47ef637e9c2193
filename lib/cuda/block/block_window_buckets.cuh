/* block_window_buckets.cuh - sorts a block's keys, WINDOW_ITEMS a thread, by one pass over buckets.
 *
 * The range of the keys is cut into as many equal buckets as there are keys. A shared counter for
 * each bucket gives a key its number in it; the sum of counters before it, its place. After that no
 * key is further from its place than its bucket has others, and if no bucket holds more than
 * BUCKET_MOST keys, sorting 16 places of every thread and then 16 places shifted by 8, each a merge
 * of two sorted halves, puts all in order: the array is roughly sorted, and is finished as one.
 * Keys that crowd in a part of their range, or are equal, make a bucket overflow: the caller sorts
 * in some other way.
 *
 * Cost for each key: two accesses at random and six in order to shared memory, 14 comparators;
 * eight barriers. Called by whole blocks. Used by device/dev_rough_block.cu. */
#ifndef ORDO_CUDA_BLOCK_BLOCK_WINDOW_BUCKETS_H
#define ORDO_CUDA_BLOCK_BLOCK_WINDOW_BUCKETS_H

#include "cuda/block/block_window.cuh"
#include "cuda/warp/warp_scan.cuh"

enum {
    BUCKET_MOST = 9 /* 8 places from its own at most, half a window */
};

template <typename BITS, int THREADS> struct bucket_shared {
    BITS     low[THREADS / 32], high[THREADS / 32];
    unsigned keys[THREADS / 32];
};

template <typename BITS> static __device__ __forceinline__ BITS bucket_warp_min(BITS x)
{
    if constexpr (sizeof(BITS) == 4) {
        return __reduce_min_sync(WARP_ALL, x);
    } else {
#pragma unroll
        for (int apart = 16; apart > 0; apart /= 2)
            x = min(x, __shfl_xor_sync(WARP_ALL, x, apart));
        return x;
    }
}

/* The least and the largest key of the block. */
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
    low = bucket_warp_min(low);
    high = (BITS)~bucket_warp_min((BITS)~high);
    if (lane == 0) {
        shared->low[warp] = low;
        shared->high[warp] = high;
    }
    __syncthreads();
    unsigned const other = lane % (THREADS / 32);
    *least = bucket_warp_min(shared->low[other]);
    *most = (BITS)~bucket_warp_min((BITS)~shared->high[other]);
}

/* A rising map of [0, range] to [0, BUCKETS). */
template <typename BITS, int BUCKETS> struct bucket_map {
    int      shift; /* so that 32 bits are left */
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

/* Leaves x, sorted and turned around, at the places [first, first + THREADS * 16), or returns false
 * and has only destroyed what was there. */
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
    if (threadIdx.x < THREADS - 1) { /* 8 places of this thread's and 8 of the next one's */
        BITS *const next = memory + window_at<BITS>(first + KEYS - 2 * N - mine);
#pragma unroll
        for (int i = 0; i < N / 2; i++) {
            y[i] = here[N / 2 - 1 - i];
            y[N / 2 + i] = next[N / 2 + i]; /* the larger ones first */
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
