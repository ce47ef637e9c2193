/* dev_radix_leaf.cuh - orders keys that are sorted by their leading digits, one leaf at a time.
 *
 * A group is the keys with one prefix or code; a leaf is a range of whole groups that fits in the
 * shared memory of a block. Bounds are starts of groups; a block joins consecutive parts as long as
 * they fit. It distributes the keys evenly over buckets between the smallest and the largest key:
 * one atomic per key counts a bucket and gives the rank of the key in it, and a scan gives the
 * start of each bucket. Keys of four bytes without values are then near their places, and two
 * rounds of windows in registers sort them. Other keys find their places in their bucket, by key
 * and by source place or index. A group that is too long, or too many full buckets, set a flag. One
 * read, one write. */
#ifndef ORDO_CUDA_SORT_DEV_RADIX_LEAF_H
#define ORDO_CUDA_SORT_DEV_RADIX_LEAF_H

#include "cuda/block/block_scan.cuh"
#include "cuda/block/block_windows.cuh"
#include "cuda/sort/dev_radix_memory.cuh"
#include "cuda/sort/dev_radix_plan.cuh"

/* The size of a leaf. ITEMS: keys per thread. SHARE: buckets per thread. REAL: the buckets of
 * floats divide the range of their values, not of their bits, which crowd around zero. */
template <int THREADS_, int ITEMS_, int BUCKETS_, bool REAL_ = false> struct leaf_shape {
    static constexpr bool REAL = REAL_;
    enum {
        THREADS = THREADS_,
        ITEMS = ITEMS_,
        KEYS = THREADS_ * ITEMS_,
        WARPS = THREADS_ / 32,
        BUCKETS = BUCKETS_,
        SHARE = BUCKETS_ / THREADS_
    };
    static_assert(KEYS <= THREADS * WARP_SORT_ITEMS && KEYS % 32 == 0,
                  "a window for each thread, and whole rows of keys");
    static_assert(SHARE % 4 == 0 && BUCKETS <= 1 << 16 && KEYS < 1 << 16,
                  "buckets are scanned in fours, and a bucket and a rank share a word");
};
typedef leaf_shape<CUDA_TUNE_LEAF_THREADS, CUDA_TUNE_LEAF_ITEMS, CUDA_TUNE_LEAF_BUCKETS> leaf_plain;
typedef leaf_shape<leaf_plain::THREADS, leaf_plain::ITEMS, leaf_plain::BUCKETS, true>    leaf_real;
typedef leaf_shape<1024, 12, 8192> leaf_large; /* for many pairs with uneven leading digits */

enum {
    LEAF_KEYS = leaf_plain::KEYS,
    LEAF_TILE = CUDA_TUNE_LEAF_TILE
};

/* The number of tiles that have a bound. */
static __host__ __device__ inline size_t leaf_tiles(size_t n)
{
    return n / LEAF_TILE + (n % LEAF_TILE != 0);
}

/* BY_VALUE: equal keys are ordered by their values, which are indices; else by their places. NEAR:
 * windows sort the keys. PACKED: a key and its order among equal keys are one word, so that one
 * comparison is enough. */
template <typename CODE, typename VALUE, bool BY_VALUE, typename SHAPE_ = leaf_plain>
struct alignas(16) leaf_shared {
    typedef typename CODE::BITS BITS;
    typedef SHAPE_              SHAPE;
    static constexpr bool       PAIRS = value_traits<VALUE>::exists;
    static constexpr bool       NEAR = !PAIRS && sizeof(BITS) == 4;
    static constexpr bool       PACKED = PAIRS && sizeof(BITS) == 4 && !CODE::folds;
    static constexpr bool       REAL = SHAPE::REAL && CODE::is_float;

    /* The index of place p in `keys`. */
    static DEVICE constexpr unsigned at(unsigned p) { return NEAR ? windows_at<BITS>(p) : p; }
    /* Windows reach past the last key. */
    static constexpr unsigned ROOM =
        NEAR ? (SHAPE::KEYS + 2 * WARP_SORT_ITEMS) / 32 * 36 : SHAPE::KEYS;

    uint32_t bucket[SHAPE::BUCKETS + 4]; /* counts; later starts, and the number of keys */
    uint32_t sums[SHAPE::WARPS];
    BITS     low[SHAPE::WARPS], high[SHAPE::WARPS], differ[SHAPE::WARPS];
    alignas(16) BITS keys[PACKED ? 4 : ROOM];
    uint64_t records[PACKED ? SHAPE::KEYS : 1];
    VALUE values[PAIRS && !(PACKED && BY_VALUE) ? SHAPE::KEYS : 1]; /* by source place; BY_VALUE: in
                                                                      * the order of the keys */
    uint16_t source[PAIRS && !BY_VALUE && !PACKED ? SHAPE::KEYS : 2];
};

/* ---- bounds --------------------------------------------------------------------------------- */

/* Writes the bounds of all tiles. Called by all blocks. All keys must be sorted by their prefix,
 * unless the plan has only one step, whose starts are known. */
template <typename CODE>
static __device__ __noinline__ void leaf_bounds(const radix_job &job, CODE const &code,
                                                const radix_tables &tables)
{
    typedef typename CODE::BITS BITS;
    radix_plan *const           plan = tables.plan;
    const BITS *const           keys = (const BITS *)job.keys[plan->leaf_from];
    unsigned const              shift = plan->prefix_shift;
    size_t const                n = job.n, most = plan->leaf > 1 ? leaf_large::KEYS : LEAF_KEYS;
    auto const                  prefix_at = [&](size_t i) {
        BITS const key = __ldcg(keys + i);
        return code.fold(code.encode(key)) >> shift;
    };
    const uint64_t *const starts =
        tables.starts + plan->step[0].digit * (tables.portions + 1) * RADIX_BINS;
    bool const known = plan->steps == 1;
    grid_each(leaf_tiles(n) + 1, [&](size_t tile) {
        size_t const from = min(tile * LEAF_TILE, n), limit = min(from + most, n);
        size_t       low = from, high = limit;
        if (known) { /* the first start from `from` on */
            unsigned bin = 0;
#pragma unroll
            for (unsigned half = RADIX_BINS / 2; half > 0; half /= 2)
                bin += starts[bin + half - 1] < from ? half : 0;
            low = starts[bin] >= from ? starts[bin] : n;
        } else if (from > 0 && from < n) { /* the end of the group of the key before */
            auto const prefix = prefix_at(from - 1);
            while (low < high) {
                size_t const middle = low + (high - low) / 2;
                if (prefix_at(middle) == prefix)
                    low = middle + 1;
                else
                    high = middle;
            }
            if (low == limit && limit < n)
                store_relaxed(&plan->again, 1);
        }
        tables.bounds[tile] = low;
    });
}

/* ---- a leaf --------------------------------------------------------------------------------- */

template <typename CODE_, typename VALUE_> struct leaf_array {
    typedef CODE_               CODE;
    typedef VALUE_              VALUE;
    typedef typename CODE::BITS BITS;
    static constexpr bool       PAIRS = value_traits<VALUE>::exists;
    static constexpr bool       SHORT = false; /* leaves are mostly short */

    const BITS  *keys_in;
    BITS        *keys_out; /* NULL: keys are not written */
    const VALUE *values_in;
    void        *values_out;
    bool         wide; /* values are written as 64 bits although VALUE has 32 */
    bool         raw;  /* keys are written decoded, not as key bits */
    unsigned     lead; /* leading zeros of 32-bit indices */
    CODE         code;

    DEVICE void store(size_t i, BITS bits) const
    {
        if (keys_out != NULL)
            keys_out[i] = raw ? code.decode(bits) : bits;
    }
    DEVICE void store_value(size_t i, VALUE value) const
    {
        if (wide)
            ((uint64_t *)values_out)[i] = value;
        else
            ((VALUE *)values_out)[i] = value;
    }

    /* Copies keys that the second list of steps will sort. */
    DEVICE void copy(size_t first, size_t count) const
    {
        if (keys_in == keys_out)
            return;
        for (size_t i = first + threadIdx.x; i < first + count; i += blockDim.x) {
            keys_out[i] = keys_in[i];
            if constexpr (PAIRS)
                store_value(i, values_in[i]);
        }
    }
};

/* The arrays of a job: from arrays `from` to the result. */
template <typename VALUE, typename CODE>
static DEVICE leaf_array<CODE, VALUE> leaf_array_of(const radix_job &job, CODE const &code,
                                                    unsigned from)
{
    typedef typename CODE::BITS BITS;
    bool const                  keys = job.source == NULL || job.keep_keys;
    return {(const BITS *)job.keys[from],
            keys ? (BITS *)job.keys[0] : NULL,
            (const VALUE *)job.values[from],
            job.values[0],
            job.value_out > value_traits<VALUE>::size,
            job.source == NULL,
            (unsigned)__clz((int)(job.n - 1)),
            code};
}

/* How the keys of a leaf are distributed: by the distance from the smallest key, times a factor. If
 * equal keys are distributed by their order too, the order fills the bits below the distance. */
template <typename BITS> struct leaf_line {
    BITS     low;
    unsigned shift, room; /* low bits of a distance that are dropped; free bits above a distance,
                           * or, if factor is 0, lg of the buckets of a distance */
    uint32_t factor;      /* 0: buckets of equal keys; lanes count in different ones, because
                           * atomics of one address are serialised */
    bool     is_flat;     /* all keys are equal */
    bool     is_real;     /* buckets divide the range of the values: REAL */
    float    from, scale; /* of that line */

    /* Makes buckets from 0 on of the values between two ends; the first may be the larger. */
    DEVICE void fit_values(float first, float last, unsigned buckets)
    {
        from = first;
        scale = (float)buckets / (last - first);
        is_real = scale != 0 && isfinite(scale);
    }
    DEVICE unsigned value_bucket(float value, unsigned last) const
    {
        float const at = __fmul_rn(__fsub_rn(value, from), scale);
        return value == value ? min(__float2uint_rz(at), last) : last;
    }
    DEVICE uint32_t distance(BITS bits) const { return (uint32_t)((BITS)(bits - low) >> shift); }
    DEVICE unsigned bucket(BITS bits) const
    {
        return factor == 0 ? distance(bits) << room | threadIdx.x % (1u << room)
                           : __umulhi(distance(bits), factor);
    }
    DEVICE unsigned bucket(BITS bits, uint32_t order) const
    {
        return __umulhi(__funnelshift_lc(order, distance(bits), room), factor);
    }
};

static DEVICE uint32_t leaf_max(uint32_t x) { return __reduce_max_sync(WARP_ALL, x); }
static DEVICE uint64_t leaf_max(uint64_t x) { return warp_reduce<scan_max<uint64_t>>(x); }
static DEVICE uint32_t leaf_or(uint32_t x) { return __reduce_or_sync(WARP_ALL, x); }
static DEVICE uint64_t leaf_or(uint64_t x)
{
    return (uint64_t)leaf_or((uint32_t)(x >> 32)) << 32 | leaf_or((uint32_t)x);
}

/* The line through the smallest and largest keys of all threads. TRIM: `differ` has the bits in
 * which keys differ, and the equal bits below them are dropped. Contains one barrier. */
template <bool BY_ORDER, bool TRIM, typename SHARED, typename CODE, typename BITS>
static DEVICE leaf_line<BITS> leaf_find_line(SHARED *shared, CODE const &code, BITS low, BITS high,
                                             BITS differ)
{
    unsigned const warp = threadIdx.x / 32, lane = lane_id();
    low = leaf_max((BITS)~low);
    high = leaf_max(high);
    if (TRIM)
        differ = leaf_or(differ);
    if (lane == 0) {
        shared->low[warp] = low;
        shared->high[warp] = high;
        shared->differ[warp] = differ;
    }
    __syncthreads();
    low = (BITS)~leaf_max(shared->low[lane % SHARED::SHAPE::WARPS]);
    high = leaf_max(shared->high[lane % SHARED::SHAPE::WARPS]);
    if (TRIM)
        differ = leaf_or(shared->differ[lane % SHARED::SHAPE::WARPS]);
    leaf_line<BITS> line;
    unsigned const  same = !TRIM || differ == 0 ? 0 : (unsigned)__ffsll((long long)differ) - 1;
    BITS const      range = (BITS)(high - low) >> same;
    unsigned const  length = 64 - (unsigned)__clzll((long long)range);
    unsigned const  excess = length > 32 ? length - 32 : 0;
    line.low = low;
    line.is_flat = range == 0;
    line.shift = same + excess;
    line.room = 32 - (length - excess);
    uint32_t const most = (uint32_t)(range >> excess);
    line.is_real = false;
    if constexpr (SHARED::REAL) /* unless each value has its own buckets */
        if (BY_ORDER || most >= SHARED::SHAPE::BUCKETS)
            line.fit_values(key_float<BITS>::value(code.decode(low)),
                            key_float<BITS>::value(code.decode(high)), SHARED::SHAPE::BUCKETS);
    /* a little less than buckets / distances, so that no bucket is past the last */
    float const factor =
        (float)SHARED::SHAPE::BUCKETS * 4294967296.0f * 0.99999f / ((float)most + 1);
    if (BY_ORDER)
        line.factor = __float2uint_rz(factor / (float)(1ull << line.room));
    else {
        line.factor = most < SHARED::SHAPE::BUCKETS ? 0 : __float2uint_rz(factor);
        line.room = SHARED::PAIRS ? 0 : (unsigned)__ffs(SHARED::SHAPE::BUCKETS) - 1 - length;
    }
    return line;
}

/* The smallest and largest of some values of all threads, below 2^32. Contains two barriers. */
template <typename SHARED>
static DEVICE void leaf_find_range(SHARED *shared, uint32_t *low, uint32_t *high)
{
    unsigned const warp = threadIdx.x / 32, lane = lane_id();
    __syncthreads(); /* shared->low and high were read */
    *low = leaf_max(~*low);
    *high = leaf_max(*high);
    if (lane == 0) {
        shared->low[warp] = *low;
        shared->high[warp] = *high;
    }
    __syncthreads();
    *low = ~leaf_max((uint32_t)shared->low[lane % SHARED::SHAPE::WARPS]);
    *high = leaf_max((uint32_t)shared->high[lane % SHARED::SHAPE::WARPS]);
}

/* Turns counts into starts. Returns the largest count of this thread. A barrier must follow. */
template <typename SHARED> static DEVICE uint32_t leaf_scan(SHARED *shared, unsigned count)
{
    typedef scan_add<uint32_t> ADD;
    uint4 *const mine = (uint4 *)shared->bucket + threadIdx.x * (SHARED::SHAPE::SHARE / 4);
    uint4        part[SHARED::SHAPE::SHARE / 4];
    uint32_t     sum = 0, most = 0;
#pragma unroll
    for (int i = 0; i < SHARED::SHAPE::SHARE / 4; i++) {
        part[i] = mine[i];
        sum += part[i].x + part[i].y + part[i].z + part[i].w;
        most = max(most, max(max(part[i].x, part[i].y), max(part[i].z, part[i].w)));
    }
    uint32_t const scanned = warp_scan<ADD>(sum);
    uint32_t const warp_sum = __shfl_sync(WARP_ALL, scanned, 31);
    uint32_t       at =
        block_scan_warps<ADD, SHARED::SHAPE::WARPS>(warp_sum, shared->sums).before + scanned - sum;
#pragma unroll
    for (int i = 0; i < SHARED::SHAPE::SHARE / 4; i++) {
        uint4 const counts = part[i];
        mine[i] = make_uint4(at, at + counts.x, at + counts.x + counts.y,
                             at + counts.x + counts.y + counts.z);
        at += counts.x + counts.y + counts.z + counts.w;
    }
    if (threadIdx.x == 0)
        shared->bucket[SHARED::SHAPE::BUCKETS] = count;
    return most;
}

/* The start of `bucket` plus the number of its records that come before the record at place p.
 * order(p): the order of equal keys. */
template <typename SHARED, typename CODE, typename BITS, typename F>
static DEVICE unsigned leaf_place(const SHARED *shared, CODE const &code, unsigned p, BITS mine,
                                  unsigned bucket, F &&order)
{
    unsigned const start = shared->bucket[bucket], end = shared->bucket[bucket + 1];
    unsigned       place = start;
    if (end - start == 1)
        return p;
    auto const here = order(p);
#pragma unroll 1
    for (unsigned q = start; q < end; q++) {
        BITS const other = code.fold(shared->keys[SHARED::at(q)]);
        place += other < mine || (other == mine && order(q) < here);
    }
    return place;
}

/* The same for packed records. */
template <typename SHARED>
static DEVICE unsigned leaf_place_packed(const SHARED *shared, unsigned p, uint64_t mine,
                                         unsigned bucket)
{
    unsigned const start = shared->bucket[bucket], end = shared->bucket[bucket + 1];
    unsigned       place = start;
    if (end - start == 1)
        return p;
#pragma unroll 1
    for (unsigned q = start; q < end; q++)
        place += shared->records[q] < mine;
    return place;
}

/* Sorts `count` keys from `first` on, at most SHAPE::KEYS. Returns false, in all threads, if a
 * bucket is full and *patience is 0; then the keys are not written. Full buckets take long, because
 * each of their keys reads all of them. Floats around zero fill buckets in one leaf, if it is not
 * REAL. Ends with a barrier. */
template <bool BY_VALUE, typename SHAPE, typename ARRAY, typename CODE, typename VALUE,
          typename BITS = typename CODE::BITS>
static DEVICE bool leaf_sort(ARRAY const &array, leaf_shared<CODE, VALUE, BY_VALUE, SHAPE> *shared,
                             size_t first, unsigned count, unsigned *patience)
{
    typedef leaf_shared<CODE, VALUE, BY_VALUE, SHAPE> SHARED;
    constexpr bool PAIRS = SHARED::PAIRS, NEAR = SHARED::NEAR, TRIM = NEAR || BY_VALUE;
    constexpr bool PACKED = SHARED::PACKED;
    constexpr int  ITEMS = SHAPE::ITEMS, THREADS = SHAPE::THREADS;
    CODE const    &code = array.code;
    BITS           bits[ITEMS], low = (BITS) ~(BITS)0, high = 0, differ = 0;
    VALUE          value[PAIRS && BY_VALUE ? ITEMS : 1];
    uint32_t       at[ITEMS];
    auto const     each = [&](auto &&f) {
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            if (ARRAY::SHORT && i * THREADS >= count) /* fewer instructions are fetched */
                break;
            if (i * THREADS + threadIdx.x < count)
                f(i, i * THREADS + threadIdx.x);
        }
    };

    BITS const one = TRIM ? code.fold(code.encode(array.keys_in[first])) : 0;
    each([&](int i, unsigned p) { bits[i] = array.keys_in[first + p]; });
    if constexpr (PAIRS && BY_VALUE) {
        each([&](int i, unsigned p) { value[i] = array.values_in[first + p]; });
    } else if constexpr (PAIRS) { /* all loads before the first store */
        VALUE moved[ITEMS];
        each([&](int i, unsigned p) { moved[i] = array.values_in[first + p]; });
        each([&](int i, unsigned p) { shared->values[p] = moved[i]; });
    }
#pragma unroll
    for (int i = 0; i < SHAPE::SHARE / 4; i++)
        ((uint4 *)shared->bucket)[threadIdx.x + i * THREADS] = make_uint4(0, 0, 0, 0);
    each([&](int i, unsigned) {
        bits[i] = code.encode(bits[i]);
        BITS const mine = code.fold(bits[i]);
        low = min(low, mine);
        high = max(high, mine);
        differ |= TRIM ? mine ^ one : 0;
    });
    leaf_line<BITS> const line = leaf_find_line<BY_VALUE, TRIM>(shared, code, low, high, differ);
    if (PAIRS && !BY_VALUE && line.is_flat) {
        each([&](int i, unsigned p) {
            array.store(first + p, bits[i]);
            if constexpr (PAIRS)
                array.store_value(first + p, shared->values[p]);
        });
        __syncthreads();
        return true;
    }
    uint32_t least = 0; /* of the orders of equal keys, and the leading zeros of their range */
    unsigned lead = array.lead;
    if constexpr (PAIRS && BY_VALUE)
        if (line.is_flat) {
            uint32_t most = 0;
            least = UINT32_MAX;
            each([&](int i, unsigned) {
                least = min(least, (uint32_t)value[i]);
                most = max(most, (uint32_t)value[i]);
            });
            leaf_find_range(shared, &least, &most);
            lead = (unsigned)__clz((int)(most - least));
        }
    auto const bucket_of = [&](BITS mine, uint32_t order) {
        if constexpr (SHARED::REAL)
            if (line.is_real)
                return line.value_bucket(key_float<BITS>::value(code.decode(mine)),
                                         SHAPE::BUCKETS - 1);
        return BY_VALUE ? line.bucket(mine, (order - least) << lead) : line.bucket(mine);
    };

    each([&](int i, unsigned p) {
        uint32_t order = p;
        if constexpr (PAIRS && BY_VALUE)
            order = value[i];
        unsigned const bucket = bucket_of(code.fold(bits[i]), order);
        at[i] = bucket | atomicAdd(shared->bucket + bucket, 1u) << 16;
    });
    __syncthreads();
    uint32_t const most = leaf_scan(shared, count);
    bool const exact = !PAIRS && line.factor == 0 && !line.is_real; /* keys of a bucket are equal */
    bool const far = __syncthreads_or(most > (NEAR ? WINDOWS_NEAR : CUDA_TUNE_LEAF_FULL)) != 0;
    bool const full = far && !exact && __syncthreads_or(most > CUDA_TUNE_LEAF_FULL) != 0;
    auto const gives_up = [&] { return *patience == 0 || (--*patience, false); };
    if (!NEAR && full && gives_up())
        return false;
    each([&](int i, unsigned p) {
        unsigned const place = shared->bucket[at[i] & 0xffff] + (at[i] >> 16);
        if constexpr (PACKED && BY_VALUE)
            shared->records[place] = (uint64_t)bits[i] << 32 | value[i];
        else if constexpr (PACKED)
            shared->records[place] = (uint64_t)bits[i] << 32 | p;
        else
            shared->keys[SHARED::at(place)] = bits[i];
        if constexpr (PACKED)
            return;
        else if constexpr (PAIRS && BY_VALUE)
            shared->values[place] = value[i];
        else if constexpr (PAIRS)
            shared->source[place] = (uint16_t)p;
    });
    if (NEAR && threadIdx.x < 2 * WARP_SORT_ITEMS)
        shared->keys[SHARED::at(count + threadIdx.x)] = (BITS) ~(BITS)0;
    __syncthreads();
    bool single = exact; /* the keys of each bucket are equal */
    if (NEAR && far && !exact) {
        bool differ = false;
        each([&](int, unsigned p) {
            BITS const key = shared->keys[SHARED::at(p)];
            differ |= key != shared->keys[SHARED::at(shared->bucket[bucket_of(code.fold(key), p)])];
        });
        single = __syncthreads_or(differ) == 0;
        if (full && !single && gives_up())
            return false;
    }
    if (single || (NEAR && !far)) {
        if (NEAR && !single)
            block_windows(shared, count);
        each([&](int, unsigned p) { array.store(first + p, shared->keys[SHARED::at(p)]); });
        __syncthreads();
        return true;
    }
    if constexpr (PACKED) {
        each([&](int, unsigned p) {
            uint64_t const mine = shared->records[p];
            uint32_t const key = (uint32_t)(mine >> 32), order = (uint32_t)mine;
            unsigned const place = leaf_place_packed(shared, p, mine, bucket_of(key, order));
            array.store(first + place, key);
            array.store_value(first + place, BY_VALUE ? order : shared->values[order]);
        });
        __syncthreads();
        return true;
    }
    auto const order_of = [&](unsigned p) -> uint32_t {
        if constexpr (!PAIRS)
            return p;
        else if constexpr (BY_VALUE)
            return shared->values[p];
        else
            return shared->source[p];
    };
    each([&](int, unsigned p) {
        BITS const     key = shared->keys[SHARED::at(p)], mine = code.fold(key);
        unsigned const bucket = bucket_of(mine, order_of(p));
        unsigned const place = leaf_place(shared, code, p, mine, bucket, order_of);
        array.store(first + place, key);
        if constexpr (PAIRS && BY_VALUE)
            array.store_value(first + place, shared->values[p]);
        else if constexpr (PAIRS)
            array.store_value(first + place, shared->values[shared->source[p]]);
    });
    __syncthreads();
    return true;
}

/* ---- the kernel ----------------------------------------------------------------------------- */

/* Sorts the leaves of `tiles` tiles with these bounds; every block takes consecutive tiles. A leaf
 * that cannot be sorted is left unsorted, and *failed is set. */
template <bool BY_VALUE, typename SHAPE, typename CODE, typename VALUE>
static DEVICE void leaf_walk(leaf_array<CODE, VALUE> const             &array,
                             leaf_shared<CODE, VALUE, BY_VALUE, SHAPE> *shared,
                             const uint64_t *bounds, uint32_t tiles, uint32_t *failed)
{
    uint32_t const each = (tiles - 1) / gridDim.x + 1;
    uint32_t const last = min((blockIdx.x + 1) * each, tiles);
    bool const     given_up = __syncthreads_or(load_relaxed(failed) != 0) != 0;
    unsigned       patience = CUDA_TUNE_LEAF_PATIENCE;
    for (uint32_t tile = blockIdx.x * each; tile < last;) {
        uint64_t const bound = bounds[min(tile + lane_id(), last)];
        uint64_t const first = __shfl_sync(WARP_ALL, bound, 0);
        unsigned const fit =
            (unsigned)__popc(__ballot_sync(WARP_ALL, bound - first <= SHAPE::KEYS)) - 1;
        unsigned const taken = max(fit, 1u);
        size_t const   count = __shfl_sync(WARP_ALL, bound, taken) - first;
        tile += taken;
        if (count == 0)
            continue;
        if (fit > 0 && !given_up && leaf_sort(array, shared, first, (unsigned)count, &patience))
            continue;
        if (!BY_VALUE) /* indices are sorted again from the source */
            array.copy(first, count);
        if (!given_up)
            store_relaxed(failed, 1);
        __syncthreads();
    }
}

/* The number of blocks per multiprocessor. */
template <typename CODE, typename VALUE, typename SHAPE = leaf_plain>
static constexpr int leaf_resident = SHAPE::THREADS > 512
                                         ? 1
                                         : CUDA_TUNE_LEAF_RESIDENT(sizeof(typename CODE::BITS),
                                                                   value_traits<VALUE>::size);

template <typename CODE, typename VALUE, typename SHAPE>
static __global__ void __launch_bounds__(SHAPE::THREADS, leaf_resident<CODE, VALUE, SHAPE>)
    radix_leaves(__grid_constant__ radix_job const job, __grid_constant__ CODE const code,
                 __grid_constant__ radix_tables const tables)
{
    extern __shared__ uint4 leaf_memory[];
    radix_plan *const       plan = tables.plan;
    if (plan->leaf == (SHAPE::KEYS > LEAF_KEYS ? 2u : 1u))
        leaf_walk<false>(leaf_array_of<VALUE>(job, code, plan->leaf_from),
                         (leaf_shared<CODE, VALUE, false, SHAPE> *)leaf_memory, tables.bounds,
                         (uint32_t)leaf_tiles(job.n), &plan->again);
}

/* Enqueues a kernel of leaves: (job, code, tables). */
template <typename VALUE, bool BY_VALUE, typename SHAPE = leaf_plain, typename CODE,
          typename TABLES>
static ordo_status leaf_launch(cuda_call       *call, void (*kernel)(radix_job, CODE, TABLES),
                               const radix_job *job, CODE code, TABLES tables)
{
    constexpr size_t bytes = sizeof(leaf_shared<CODE, VALUE, BY_VALUE, SHAPE>);
    int              resident;
    TRY(cuda_allow_shared(call, kernel, bytes));
    CUDA_TRY(call->exec, cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                             &resident, (const void *)kernel, SHAPE::THREADS, bytes));
    size_t const most = (size_t)(resident * call->facts->sms);
    return CUDA_LAUNCH(call, kernel, ordo_min(most, leaf_tiles(job->n)), SHAPE::THREADS, bytes,
                       *job, code, tables);
}

#endif
