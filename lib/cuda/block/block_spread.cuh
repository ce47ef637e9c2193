/* block_spread.cuh - one block distributes the keys of a short array over buckets in key order.
 *
 * The buckets divide the range between the smallest and the largest key evenly: the distance from
 * the smallest key, as a float, times a factor, truncated to an integer. Each step is monotonic, so
 * no key is in a later bucket than a larger key. Infinities fall into the first or last bucket,
 * NaNs into the last. One atomic per key counts the bucket and gives the key's rank in it; a scan
 * turns counts into places. The order inside a bucket is arbitrary, and the caller must check that
 * no bucket is too full. Item i of thread t is key THREADS * i + t. Shared memory: 16 bytes per
 * thread. H200, 4096 f32 keys: 2.9 us more than an empty launch (2.7 us), with the read and the
 * result of a median. Called by all threads of a one-dimensional block. */
#ifndef ORDO_CUDA_BLOCK_BLOCK_SPREAD_H
#define ORDO_CUDA_BLOCK_BLOCK_SPREAD_H

#include "cuda/block/block_scan.cuh"
#include "cuda/runtime/cuda_keys.cuh"
#include "cuda/runtime/cuda_tuning.cuh"

enum {
    SPREAD_SHARE = 4, /* buckets per thread */
    SPREAD_FEW = 4,   /* keys per thread: as many as its buckets */
    SPREAD_MANY = CUDA_TUNE_SPREAD_KEYS / 1024
};

template <int THREADS> struct spread_shared {
    enum {
        WARPS = THREADS / WARP_LANES,
        BUCKETS = THREADS * SPREAD_SHARE
    };
    uint4    buckets[THREADS + 1]; /* counts of the buckets; later their starts, followed by n */
    uint32_t low[2][WARPS], high[2][WARPS], sums[WARPS];
};

template <int THREADS>
static DEVICE uint32_t spread_start(const spread_shared<THREADS> &s, unsigned bucket)
{
    return ((const uint32_t *)s.buckets)[bucket];
}

/* The keys of a thread, not encoded, with their buckets and ranks. */
template <typename BITS, int ITEMS> struct spread_items {
    BITS     raw[ITEMS];
    uint32_t at[ITEMS]; /* bucket in the low 16 bits, rank in the bucket above */

    DEVICE unsigned bucket(int i) const { return at[i] & 0xffff; }
    DEVICE unsigned rank(int i) const { return at[i] >> 16; }
};

/* The buckets of a thread, after the scan. */
struct spread_counts {
    uint32_t start[SPREAD_SHARE], count[SPREAD_SHARE];
};

/* The map from keys to buckets ("line"). For integers: the distance of the key bits from the
 * smallest key bits. If most keys are close to the smallest compared with the largest, the bits of
 * that distance as a float instead, which grow with its logarithm. */
template <typename BITS, bool FLOAT> struct spread_line {
    BITS  first;
    float scale, length;
    bool  is_of_bits;

    /* Whether a key counts for the ends of the line: all integers do. */
    static DEVICE bool is_on(const key_code<BITS, false> &, BITS) { return true; }
    static DEVICE BITS mark(const key_code<BITS, false> &code, BITS raw)
    {
        return code.encode(raw);
    }
    DEVICE float stretch(const key_code<BITS, false> &, BITS low, BITS high)
    {
        first = low;
        length = (float)(BITS)(high - low);
        is_of_bits = false;
        return length;
    }
    /* 0 for 0; the distances from 1 to 2 begin at 2^23. */
    static DEVICE float height(float distance)
    {
        return distance < 1 ? 0.0f : (float)(__float_as_uint(distance) - 0x3f000000u);
    }
    /* Switches to the bits; returns false if they are in use already. */
    DEVICE bool turn(unsigned buckets)
    {
        if (is_of_bits)
            return false;
        is_of_bits = true;
        scale = (float)buckets / height(length);
        return true;
    }
    DEVICE unsigned bucket(const key_code<BITS, false> &code, BITS raw, unsigned last) const
    {
        float const at = (float)(BITS)(code.encode(raw) - first);
        return min(__float2uint_rz((is_of_bits ? height(at) : at) * scale), last);
    }
};

/* For floats: the distance of the value from the first value. If most keys are close to zero
 * compared with the largest, the distance of the key bits instead, which grow with the
 * logarithm. */
template <typename BITS> struct spread_line<BITS, true> {
    typedef key_float<BITS>  F;
    typedef typename F::type VALUE;

    VALUE first;
    BITS  low, high;
    float scale;
    bool  is_of_bits;

    static DEVICE bool is_on(const key_code<BITS, true> &, BITS raw)
    {
        VALUE const x = F::value(raw);
        return x - x == 0;
    }
    static DEVICE BITS mark(const key_code<BITS, true> &, BITS raw) { return F::bits(raw); }
    DEVICE float       stretch(const key_code<BITS, true> &code, BITS least, BITS greatest)
    {
        VALUE const from = F::value(F::raw(least)), to = F::value(F::raw(greatest));
        first = code.descending ? to : from;
        low = least;
        high = greatest;
        is_of_bits = false;
        return (float)(to - from);
    }
    /* Switches to key bits; returns false if they are in use already. */
    DEVICE bool turn(unsigned buckets)
    {
        if (is_of_bits)
            return false;
        is_of_bits = true;
        scale = (float)buckets / (float)(BITS)(high - low);
        return true;
    }
    /* Infinity times a scale of 0 is NaN; the conversion makes it 0, like every other distance on
     * such a line. */
    DEVICE unsigned bucket(const key_code<BITS, true> &code, BITS raw, unsigned last) const
    {
        VALUE const x = F::value(raw);
        float       distance;
        if (is_of_bits) {
            BITS const bits = min(max(F::bits(raw), low), high);
            distance = (float)(BITS)(code.descending ? high - bits : bits - low);
        } else {
            distance = (float)(code.descending ? first - x : x - first);
        }
        return F::is_nan(raw) ? last : min(__float2uint_rz(distance * scale), last);
    }
};

struct spread_ends {
    uint32_t low, high; /* low > high: there is no key */
    unsigned alike;     /* number of threads whose key equals the key of lane ^ 16 */
};

/* The smallest and the largest value of all threads, and the number of threads with `alike`.
 * Contains one barrier; `row` must alternate between calls. */
template <int THREADS>
static DEVICE spread_ends spread_meet(spread_shared<THREADS> *s, int row, spread_ends mine,
                                      bool alike)
{
    constexpr int  WARPS = THREADS / WARP_LANES;
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
static DEVICE void spread_widen(spread_ends *ends, bool is_on, F half)
{
    if (is_on) {
        ends->low = min(ends->low, half());
        ends->high = max(ends->high, half());
    }
}

/* Finds the line. Returns false, in all threads, if all keys are at one end of the line, or if so
 * many keys are equal that their atomics would serialise. For 64-bit words the upper halves decide
 * unless they are all equal. Contains the barrier that must follow spread_clear. */
template <typename BITS, bool FLOAT, int THREADS, int ITEMS>
static DEVICE bool spread_find_line(spread_shared<THREADS> *s, const key_code<BITS, FLOAT> &code,
                                    const spread_items<BITS, ITEMS> &items, unsigned n,
                                    spread_line<BITS, FLOAT> *line)
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

/* Zeroes the counts. Must be called first. */
template <int THREADS> static DEVICE void spread_clear(spread_shared<THREADS> *s)
{
    s->buckets[threadIdx.x] = make_uint4(0, 0, 0, 0);
}

/* Counts the keys of each bucket; a barrier must follow. */
template <typename BITS, bool FLOAT, int THREADS, int ITEMS>
static DEVICE void spread_count(spread_shared<THREADS> *s, const key_code<BITS, FLOAT> &code,
                                const spread_line<BITS, FLOAT> &line,
                                spread_items<BITS, ITEMS> *items, unsigned n)
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

/* Turns counts into starts, which are visible to all threads after the next barrier. Returns the
 * thread's own buckets. Contains one barrier. */
template <int THREADS>
static DEVICE spread_counts spread_scan(spread_shared<THREADS> *s, unsigned n)
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

/* Counts and scans. If is_full(the counts of the thread's buckets) is true in any thread, repeats
 * with the other form of the line; returns false, in all threads, if that is too full as well. With
 * more than 2 * SPREAD_FEW keys per thread it does not repeat, because registers are short. Ends
 * with a barrier. */
template <typename BITS, bool FLOAT, int THREADS, int ITEMS, typename F>
static DEVICE bool spread_over_line(spread_shared<THREADS> *s, const key_code<BITS, FLOAT> &code,
                                    spread_line<BITS, FLOAT>  *line,
                                    spread_items<BITS, ITEMS> *items, unsigned n, F &&is_full)
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

/* Loads the n keys of a block by load(p) and distributes them. Returns false, in all threads, if
 * they are too uneven. Ends with a barrier. */
template <typename BITS, bool FLOAT, int THREADS, int ITEMS, typename LOAD, typename F>
static DEVICE bool spread_keys(spread_shared<THREADS> *s, const key_code<BITS, FLOAT> &code,
                               spread_items<BITS, ITEMS> *items, unsigned n, LOAD &&load,
                               F &&is_full)
{
    spread_line<BITS, FLOAT> line;
    spread_clear(s);
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        unsigned const p = i * THREADS + threadIdx.x;
        items->raw[i] = p < n ? load(p) : (BITS)0;
    }
    if (spread_find_line(s, code, *items, n, &line) &&
        spread_over_line(s, code, &line, items, n, is_full))
        return true;
    __syncthreads();
    return false;
}

/* The place of the key `mine` in the order by key and then by index. tags[q] holds the bucket (high
 * 16 bits) and the index (low 16 bits) of the key at place q; key_at(q) returns its key bits. */
template <int THREADS, typename BITS, typename F>
static DEVICE unsigned spread_place(const spread_shared<THREADS> &s, BITS mine, uint32_t tag,
                                    const uint32_t *tags, F &&key_at)
{
    unsigned const start = spread_start(s, tag >> 16), end = spread_start(s, (tag >> 16) + 1);
    unsigned       place = start;
#pragma unroll 4
    for (unsigned q = start; q < end; q++) {
        BITS const other = key_at(q);
        place += other < mine || (other == mine && tags[q] < tag);
    }
    return place;
}

#endif
