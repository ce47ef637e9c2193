/* block_spread.cuh - one block spreads the keys of a short array over buckets that follow each
 * other in the order of keys, so few to a bucket that they are soon told apart.
 *
 * The buckets divide the stretch between the least and the greatest key evenly: a key's distance
 * from the least, in the key's own arithmetic, then as a float, times a factor, cut to an integer.
 * Each of these steps keeps the order or makes neighbours equal, rounding included, so no key is
 * in a bucket behind that of a greater one. Floats that are not finite do not stretch the line:
 * infinities fall into the bucket at their end, NaNs into the last. An atomic for each key counts
 * the bucket and tells how many came before, and a scan makes the counts places: bucket sort, in
 * one pass whatever the width of the keys. Which of a bucket's keys comes first is left open, and
 * is up to the caller, who must also see whether a bucket holds too many: what lies unevenly is
 * for other algorithms.
 *
 * Keys of a block of THREADS x ITEMS lie in registers: item i of thread t is key THREADS i + t.
 * Four buckets a thread, 16 bytes of shared memory for them. H200, 4096 keys f32: with their read
 * and a median's result 2.9 us beyond an empty launch, which takes 2.7.
 *
 * Called by all threads of a one-dimensional block. Used by device/dev_radix_small.cu,
 * dev_select_few.cuh and dev_topk_few.cuh. */
#ifndef ORDO_CUDA_BLOCK_BLOCK_SPREAD_H
#define ORDO_CUDA_BLOCK_BLOCK_SPREAD_H

#include "cuda/block/block_scan.cuh"
#include "cuda/runtime/cuda_keys.cuh"
#include "cuda/runtime/cuda_tuning.cuh"

enum {
    SPREAD_SHARE = 4, /* buckets of a thread */
    SPREAD_FEW = 4,   /* keys of a thread: as many as buckets */
    SPREAD_MANY = CUDA_TUNE_SPREAD_KEYS / 1024
};

template <int THREADS> struct spread_shared {
    enum {
        WARPS = THREADS / WARP_LANES,
        BUCKETS = THREADS * SPREAD_SHARE
    };
    uint4    buckets[THREADS + 1]; /* keys of each; then where each starts, and n behind the last */
    uint32_t low[2][WARPS], high[2][WARPS], sums[WARPS];
};

template <int THREADS>
static __device__ __forceinline__ uint32_t spread_start(const spread_shared<THREADS> &s,
                                                        unsigned                      bucket)
{
    return ((const uint32_t *)s.buckets)[bucket];
}

/* A thread's keys as they are in memory, and where they fell. */
template <typename BITS, int ITEMS> struct spread_items {
    BITS     raw[ITEMS];
    uint32_t at[ITEMS]; /* bucket below the rank in it */

    __device__ __forceinline__ unsigned bucket(int i) const { return at[i] & 0xffff; }
    __device__ __forceinline__ unsigned rank(int i) const { return at[i] >> 16; }
};

/* A thread's buckets, after the scan. */
struct spread_counts {
    uint32_t start[SPREAD_SHARE], count[SPREAD_SHARE];
};

/* ---- The line that keys lie on ---- */

/* Integers: their encoded words, from the least. */
template <typename BITS, bool FLOAT> struct spread_line {
    BITS  first;
    float scale;

    /* What the ends are taken of; all keys are on the line. */
    static __device__ __forceinline__ bool is_on(const key_code<BITS, false> &, BITS)
    {
        return true;
    }
    static __device__ __forceinline__ BITS mark(const key_code<BITS, false> &code, BITS raw)
    {
        return code.encode(raw);
    }
    __device__ __forceinline__ float stretch(const key_code<BITS, false> &, BITS low, BITS high)
    {
        first = low;
        return (float)(BITS)(high - low);
    }
    __device__ __forceinline__ bool     turn(unsigned) { return false; }
    __device__ __forceinline__ unsigned bucket(const key_code<BITS, false> &code, BITS raw,
                                               unsigned last) const
    {
        float const at = (float)(BITS)(code.encode(raw) - first) * scale;
        return min(__float2uint_rz(at), last);
    }
};

/* Floats: their values, from the end where the order begins; or their bits, which rise with the
 * logarithm, if most of the keys are close to zero beside the greatest. */
template <typename BITS> struct spread_line<BITS, true> {
    typedef key_float<BITS>  F;
    typedef typename F::type VALUE;

    VALUE first;
    BITS  low, high;
    float scale;
    bool  is_of_bits;

    static __device__ __forceinline__ VALUE value(BITS raw)
    {
        VALUE x;
        memcpy(&x, &raw, sizeof x);
        return x;
    }
    static __device__ __forceinline__ bool is_on(const key_code<BITS, true> &, BITS raw)
    {
        VALUE const x = value(raw);
        return x - x == 0;
    }
    static __device__ __forceinline__ BITS mark(const key_code<BITS, true> &, BITS raw)
    {
        return F::bits(raw);
    }
    __device__ __forceinline__ float stretch(const key_code<BITS, true> &code, BITS least,
                                             BITS greatest)
    {
        VALUE const from = value(F::raw(least)), to = value(F::raw(greatest));
        first = code.descending ? to : from;
        low = least;
        high = greatest;
        is_of_bits = false;
        return (float)(to - from);
    }
    /* Goes over to the line of bits; false if that is where it is. */
    __device__ __forceinline__ bool turn(unsigned buckets)
    {
        if (is_of_bits)
            return false;
        is_of_bits = true;
        scale = (float)buckets / (float)(BITS)(high - low);
        return true;
    }
    /* A NaN that is made here, infinity times nothing, is cut to 0 like all else on such a line. */
    __device__ __forceinline__ unsigned bucket(const key_code<BITS, true> &code, BITS raw,
                                               unsigned last) const
    {
        VALUE const x = value(raw);
        float       distance;
        if (is_of_bits) {
            BITS const bits = min(max(F::bits(raw), low), high);
            distance = (float)(BITS)(code.descending ? high - bits : bits - low);
        } else {
            distance = (float)(code.descending ? first - x : x - first);
        }
        return x != x ? last : min(__float2uint_rz(distance * scale), last);
    }
};

/* ---- Its ends ---- */

struct spread_ends {
    uint32_t low, high; /* low > high: there is no key */
    unsigned alike;     /* threads whose key is that of another */
};

/* The least and greatest of all threads' in all of them, and how many of them are `alike`. Holds
 * one barrier; `row` changes from call to call. */
template <int THREADS>
static __device__ __forceinline__ spread_ends spread_meet(spread_shared<THREADS> *s, int row,
                                                          spread_ends mine, bool alike)
{
    enum {
        WARPS = THREADS / WARP_LANES
    };
    unsigned const lane = lane_id(), warp = threadIdx.x / WARP_LANES;
    mine.low = __reduce_min_sync(WARP_ALL, mine.low);
    mine.high = __reduce_max_sync(WARP_ALL, mine.high);
    if (lane == 0) {
        s->low[row][warp] = mine.low;
        s->high[row][warp] = mine.high;
    }
    mine.alike = (unsigned)__syncthreads_count(alike);
    mine.low = __reduce_min_sync(WARP_ALL, s->low[row][lane % WARPS]);
    mine.high = __reduce_max_sync(WARP_ALL, s->high[row][lane % WARPS]);
    return mine;
}

template <typename BITS, typename F>
static __device__ __forceinline__ void spread_widen(spread_ends *ends, bool is_on, F half)
{
    if (is_on) {
        ends->low = min(ends->low, half());
        ends->high = max(ends->high, half());
    }
}

/* Finds the line; false, in all threads, if all keys are at one end of it, or so many alike that
 * their atomics would wait for each other. Of words of 64 bits the upper halves do, unless they are
 * all the same. Called first of all, it ends the stretch in which the buckets are cleared. */
template <typename BITS, bool FLOAT, int THREADS, int ITEMS>
static __device__ __forceinline__ bool
spread_find_line(spread_shared<THREADS> *s, const key_code<BITS, FLOAT> &code,
                 const spread_items<BITS, ITEMS> &items, unsigned n, spread_line<BITS, FLOAT> *line)
{
    typedef spread_line<BITS, FLOAT> LINE;
    constexpr int                    UPPER = sizeof(BITS) == 8 ? 32 : 0;
    spread_ends                      ends = {UINT32_MAX, 0, 0};
    auto const                       is_on = [&](int i) {
        return i * THREADS + threadIdx.x < n && LINE::is_on(code, items.raw[i]);
    };
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        spread_widen<BITS>(&ends, is_on(i),
                           [&] { return (uint32_t)(LINE::mark(code, items.raw[i]) >> UPPER); });
    BITS const other = (BITS)__shfl_xor_sync(WARP_ALL, items.raw[0], WARP_LANES / 2);
    ends = spread_meet(s, 0, ends, threadIdx.x < n && other == items.raw[0]);
    if (ends.low > ends.high || ends.alike * CUDA_TUNE_SPREAD_ALIKE > min(n, (unsigned)THREADS))
        return false;
    BITS low = (BITS)((BITS)ends.low << UPPER);
    BITS high = (BITS)((BITS)ends.high << UPPER | (((BITS)1 << UPPER) - 1));
    if (UPPER != 0 && ends.low == ends.high) {
        ends.low = UINT32_MAX;
        ends.high = 0;
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            spread_widen<BITS>(&ends, is_on(i),
                               [&] { return (uint32_t)LINE::mark(code, items.raw[i]); });
        ends = spread_meet(s, 1, ends, false);
        high = (BITS)(low | ends.high);
        low = (BITS)(low | ends.low);
    }
    float const stretch = line->stretch(code, low, high);
    line->scale = (float)spread_shared<THREADS>::BUCKETS / stretch;
    return stretch > 0 && line->scale > 0;
}

/* ---- Spread ---- */

/* Before anything else. */
template <int THREADS>
static __device__ __forceinline__ void spread_clear(spread_shared<THREADS> *s)
{
    s->buckets[threadIdx.x] = make_uint4(0, 0, 0, 0);
}

/* Counts the buckets; a barrier must follow. */
template <typename BITS, bool FLOAT, int THREADS, int ITEMS>
static __device__ __forceinline__ void
spread_count(spread_shared<THREADS> *s, const key_code<BITS, FLOAT> &code,
             const spread_line<BITS, FLOAT> &line, spread_items<BITS, ITEMS> *items, unsigned n)
{
    uint32_t *const counts = (uint32_t *)s->buckets;
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (i * THREADS + threadIdx.x < n) {
            unsigned const bucket =
                line.bucket(code, items->raw[i], spread_shared<THREADS>::BUCKETS - 1);
            items->at[i] = bucket | atomicAdd(counts + bucket, 1u) << 16;
        }
}

/* Counts become starts, for all threads after the next barrier; returns the thread's own. Holds
 * one barrier. */
template <int THREADS>
static __device__ __forceinline__ spread_counts spread_scan(spread_shared<THREADS> *s, unsigned n)
{
    typedef scan_add<uint32_t> ADD;
    uint4 const                mine = s->buckets[threadIdx.x];
    uint32_t const             sum = mine.x + mine.y + mine.z + mine.w;
    uint32_t const             scanned = warp_scan<ADD>(sum);
    uint32_t const             warp_sum = __shfl_sync(WARP_ALL, scanned, WARP_LANES - 1);
    uint32_t const             first =
        block_scan_warps<ADD, THREADS / WARP_LANES>(warp_sum, s->sums).before + scanned - sum;
    spread_counts const counts = {
        {first, first + mine.x, first + mine.x + mine.y, first + mine.x + mine.y + mine.z},
        {mine.x, mine.y, mine.z, mine.w}};
    s->buckets[threadIdx.x] =
        make_uint4(counts.start[0], counts.start[1], counts.start[2], counts.start[3]);
    if (threadIdx.x == 0)
        s->buckets[THREADS] = make_uint4(n, n, n, n);
    return counts;
}

/* Counts and scans, again on the line's other form if is_full(counts), of the thread's own buckets,
 * is true in any thread; false, in all threads, if it is then too. Only once if there are many keys
 * in registers, for which the two forms would be too much. Ends with a barrier. */
template <typename BITS, bool FLOAT, int THREADS, int ITEMS, typename F>
static __device__ __forceinline__ bool
spread_over_line(spread_shared<THREADS> *s, const key_code<BITS, FLOAT> &code,
                 spread_line<BITS, FLOAT> *line, spread_items<BITS, ITEMS> *items, unsigned n,
                 F &&is_full)
{
    for (;;) {
        spread_count(s, code, *line, items, n);
        __syncthreads();
        if (!__syncthreads_or(is_full(spread_scan(s, n))))
            return true;
        if (ITEMS > 2 * SPREAD_FEW || !line->turn(spread_shared<THREADS>::BUCKETS))
            return false;
        spread_clear(s);
        __syncthreads();
    }
}

#endif
