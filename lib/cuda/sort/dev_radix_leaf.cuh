/* dev_radix_leaf.cuh - orders keys that are sorted by their leading digits, a leaf at a time.
 *
 * A leaf is a range of whole groups, a group being the keys with one prefix; it fits the shared
 * memory of a block. Bounds, one for each LEAF_TILE places, are the first start of a group from
 * there on; a block joins neighbouring tiles as long as they fit. It spreads the keys of a leaf
 * evenly over buckets between the smallest and the largest key: one atomic a key counts a bucket
 * and gives the key's rank in it, and a scan gives its start. Then each key finds its place among
 * the keys of its bucket, by key and by source place, so pairs stay in order. A group that is too
 * long or a bucket that is too full sets plan->again. Cost: one read and one write. */
#ifndef ORDO_CUDA_SORT_DEV_RADIX_LEAF_H
#define ORDO_CUDA_SORT_DEV_RADIX_LEAF_H

#include "cuda/block/block_scan.cuh"
#include "cuda/sort/dev_radix_memory.cuh"
#include "cuda/sort/dev_radix_plan.cuh"

enum {
    LEAF_THREADS = CUDA_TUNE_LEAF_THREADS,
    LEAF_ITEMS = CUDA_TUNE_LEAF_ITEMS, /* keys of a thread */
    LEAF_KEYS = LEAF_THREADS * LEAF_ITEMS,
    LEAF_WARPS = LEAF_THREADS / 32,
    LEAF_BUCKETS = CUDA_TUNE_LEAF_BUCKETS,
    LEAF_SHARE = LEAF_BUCKETS / LEAF_THREADS, /* buckets of a thread */
    LEAF_TILE = CUDA_TUNE_LEAF_TILE
};
static_assert(LEAF_SHARE % 4 == 0 && LEAF_BUCKETS <= 1 << 16 && LEAF_KEYS < 1 << 16,
              "buckets are scanned in fours, and a bucket and a rank share a word");

/* The number of tiles that have a bound. */
static __host__ __device__ inline size_t leaf_tiles(size_t n)
{
    return n / LEAF_TILE + (n % LEAF_TILE != 0);
}

template <typename CODE, typename VALUE> struct alignas(16) leaf_shared {
    typedef typename CODE::BITS BITS;

    uint32_t bucket[LEAF_BUCKETS + 4]; /* counts; later starts, and the number of keys */
    uint32_t sums[LEAF_WARPS];
    BITS     low[LEAF_WARPS], high[LEAF_WARPS];
    BITS     keys[LEAF_KEYS];
    VALUE    values[value_traits<VALUE>::exists ? LEAF_KEYS : 1]; /* by source place */
    uint16_t source[value_traits<VALUE>::exists ? LEAF_KEYS : 2];
};

/* ---- bounds --------------------------------------------------------------------------------- */

/* Writes the bounds of all tiles. Called by all blocks; all keys are sorted by their prefix, unless
 * the plan has one step, whose starts are known. */
template <typename CODE>
static __device__ __noinline__ void leaf_bounds(const radix_job &job, CODE const &code,
                                                const radix_tables &tables)
{
    typedef typename CODE::BITS BITS;
    radix_plan *const           plan = tables.plan;
    const BITS *const           keys = (const BITS *)job.keys[plan->leaf_from];
    unsigned const              shift = plan->prefix_shift;
    size_t const                n = job.n;
    auto const                  prefix_at = [&](size_t i) {
        BITS const key = __ldcg(keys + i);
        return code.fold(job.source == NULL ? code.encode(key) : key) >> shift;
    };
    const uint64_t *const starts =
        tables.starts + plan->step[0].digit * (tables.portions + 1) * RADIX_BINS;
    bool const known = plan->steps == 1;
    grid_each(leaf_tiles(n) + 1, [&](size_t tile) {
        size_t const from = min(tile * LEAF_TILE, n), limit = min(from + LEAF_KEYS, n);
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

template <typename CODE, typename VALUE> struct leaf_array {
    typedef typename CODE::BITS BITS;
    static constexpr bool       PAIRS = value_traits<VALUE>::exists;

    const BITS *keys_in;
    BITS       *keys_out;
    const void *values_in;
    void       *values_out;
    bool        wide; /* values are indices of 64 bits, VALUE has 32 */
    bool        raw;  /* keys are not encoded */
    CODE        code;

    DEVICE BITS load(size_t i) const
    {
        BITS const key = keys_in[i];
        return raw ? code.encode(key) : key;
    }
    DEVICE void  store(size_t i, BITS bits) const { keys_out[i] = raw ? code.decode(bits) : bits; }
    DEVICE VALUE load_value(size_t i) const
    {
        return wide ? (VALUE)((const uint64_t *)values_in)[i] : ((const VALUE *)values_in)[i];
    }
    DEVICE void store_value(size_t i, VALUE value) const
    {
        if (wide)
            ((uint64_t *)values_out)[i] = value;
        else
            ((VALUE *)values_out)[i] = value;
    }

    /* Copies keys that are left to the second list. */
    DEVICE void copy(size_t first, size_t count) const
    {
        if (keys_in == keys_out)
            return;
        for (size_t i = first + threadIdx.x; i < first + count; i += blockDim.x) {
            keys_out[i] = keys_in[i];
            if constexpr (PAIRS)
                store_value(i, load_value(i));
        }
    }
};

/* How keys of a leaf are spread: the distance from the smallest, as 32 bits, times a factor. */
template <typename BITS> struct leaf_line {
    BITS     low;
    unsigned shift;
    uint32_t factor; /* 0: the distance is the bucket */

    DEVICE unsigned bucket(BITS bits) const
    {
        uint32_t const distance = (uint32_t)((BITS)(bits - low) >> shift);
        return factor == 0 ? distance : __umulhi(distance, factor);
    }
};

template <typename BITS> static DEVICE BITS leaf_least(BITS x)
{
    if constexpr (sizeof(BITS) == 4) {
        return __reduce_min_sync(WARP_ALL, x);
    } else {
#pragma unroll
        for (int step = 16; step > 0; step /= 2)
            x = min(x, (BITS)__shfl_xor_sync(WARP_ALL, (unsigned long long)x, step));
        return x;
    }
}

/* The line through the ends of all threads; false, in all threads, if all keys are equal. Contains
 * one barrier. */
template <typename SHARED, typename BITS>
static DEVICE bool leaf_find_line(SHARED *shared, BITS low, BITS high, leaf_line<BITS> *line)
{
    unsigned const lane = lane_id(), warp = threadIdx.x / 32;
    low = leaf_least(low);
    high = (BITS)~leaf_least((BITS)~high);
    if (lane == 0) {
        shared->low[warp] = low;
        shared->high[warp] = high;
    }
    __syncthreads();
    low = leaf_least(shared->low[lane % LEAF_WARPS]);
    high = (BITS)~leaf_least((BITS)~shared->high[lane % LEAF_WARPS]);
    BITS const     range = high - low;
    unsigned const length = 64 - (unsigned)__clzll((long long)range);
    line->low = low;
    line->shift = length > 32 ? length - 32 : 0;
    uint32_t const most = (uint32_t)(range >> line->shift);
    /* a little less than buckets / distances, so that no bucket is past the last */
    float const factor = (float)LEAF_BUCKETS * 4294967296.0f * 0.99999f / ((float)most + 1);
    line->factor = most < LEAF_BUCKETS ? 0 : __float2uint_rz(factor);
    return range != 0;
}

/* Turns counts into starts. Returns, in all threads, whether a bucket has more than `most` keys.
 * Ends with a barrier. */
template <typename SHARED>
static DEVICE bool leaf_scan(SHARED *shared, unsigned count, unsigned most)
{
    typedef scan_add<uint32_t> ADD;
    uint4 *const               mine = (uint4 *)shared->bucket + threadIdx.x * (LEAF_SHARE / 4);
    uint4                      part[LEAF_SHARE / 4];
    uint32_t                   sum = 0;
    bool                       full = false;
#pragma unroll
    for (int i = 0; i < LEAF_SHARE / 4; i++) {
        part[i] = mine[i];
        sum += part[i].x + part[i].y + part[i].z + part[i].w;
        full |= max(max(part[i].x, part[i].y), max(part[i].z, part[i].w)) > most;
    }
    uint32_t const scanned = warp_scan<ADD>(sum);
    uint32_t const warp_sum = __shfl_sync(WARP_ALL, scanned, 31);
    uint32_t at = block_scan_warps<ADD, LEAF_WARPS>(warp_sum, shared->sums).before + scanned - sum;
#pragma unroll
    for (int i = 0; i < LEAF_SHARE / 4; i++) {
        uint4 const counts = part[i];
        mine[i] = make_uint4(at, at + counts.x, at + counts.x + counts.y,
                             at + counts.x + counts.y + counts.z);
        at += counts.x + counts.y + counts.z + counts.w;
    }
    if (threadIdx.x == 0)
        shared->bucket[LEAF_BUCKETS] = count;
    return __syncthreads_or(full) != 0;
}

/* The place in the leaf of the key at place p of shared memory. */
template <typename SHARED, typename BITS, typename CODE>
static DEVICE unsigned leaf_place(const SHARED *shared, CODE const &code, bool pairs, unsigned p,
                                  BITS mine, const leaf_line<BITS> &line)
{
    unsigned const bucket = line.bucket(mine);
    unsigned const start = shared->bucket[bucket], end = shared->bucket[bucket + 1];
    unsigned       place = start;
    if (end - start == 1 || (!pairs && line.factor == 0))
        return p;
    unsigned const source = pairs ? shared->source[p] : p;
#pragma unroll 1
    for (unsigned q = start; q < end; q++) {
        BITS const     other = code.fold(shared->keys[q]);
        unsigned const its = pairs ? shared->source[q] : q;
        place += other < mine || (other == mine && its < source);
    }
    return place;
}

/* Sorts `count` keys from `first` on, at most LEAF_KEYS. False, in all threads, if a bucket is too
 * full; the keys are not written then. Ends with a barrier. */
template <typename CODE, typename VALUE, typename BITS = typename CODE::BITS>
static DEVICE bool leaf_sort(leaf_array<CODE, VALUE> const &array, leaf_shared<CODE, VALUE> *shared,
                             size_t first, unsigned count)
{
    constexpr bool PAIRS = value_traits<VALUE>::exists;
    BITS           bits[LEAF_ITEMS], low = (BITS) ~(BITS)0, high = 0;
    uint32_t       at[LEAF_ITEMS];
    auto const     each = [&](auto &&f) {
#pragma unroll
        for (int i = 0; i < LEAF_ITEMS; i++)
            if (i * LEAF_THREADS + threadIdx.x < count)
                f(i, i * LEAF_THREADS + threadIdx.x);
    };

    each([&](int i, unsigned p) { bits[i] = array.load(first + p); });
    if constexpr (PAIRS) { /* all loads before the first store */
        VALUE value[LEAF_ITEMS];
        if (array.wide)
            each([&](int i, unsigned p) {
                value[i] = (VALUE)((const uint64_t *)array.values_in)[first + p];
            });
        else
            each(
                [&](int i, unsigned p) { value[i] = ((const VALUE *)array.values_in)[first + p]; });
        each([&](int i, unsigned p) { shared->values[p] = value[i]; });
    }
#pragma unroll
    for (int i = 0; i < LEAF_SHARE / 4; i++)
        ((uint4 *)shared->bucket)[threadIdx.x + i * LEAF_THREADS] = make_uint4(0, 0, 0, 0);
    each([&](int i, unsigned) {
        low = min(low, array.code.fold(bits[i]));
        high = max(high, array.code.fold(bits[i]));
    });
    leaf_line<BITS> line;
    if (!leaf_find_line(shared, low, high, &line)) {
        each([&](int i, unsigned p) {
            array.store(first + p, bits[i]);
            if constexpr (PAIRS)
                array.store_value(first + p, shared->values[p]);
        });
        __syncthreads();
        return true;
    }

    each([&](int i, unsigned) {
        unsigned const bucket = line.bucket(array.code.fold(bits[i]));
        at[i] = bucket | atomicAdd(shared->bucket + bucket, 1u) << 16;
    });
    __syncthreads();
    /* keys of a bucket are equal if the distance is the bucket */
    if (leaf_scan(shared, count, !PAIRS && line.factor == 0 ? LEAF_KEYS : CUDA_TUNE_LEAF_FULL))
        return false;
    each([&](int i, unsigned p) {
        unsigned const place = shared->bucket[at[i] & 0xffff] + (at[i] >> 16);
        shared->keys[place] = bits[i];
        if constexpr (PAIRS)
            shared->source[place] = (uint16_t)p;
    });
    __syncthreads();
    each([&](int, unsigned p) {
        BITS const     key = shared->keys[p];
        unsigned const place = leaf_place(shared, array.code, PAIRS, p, array.code.fold(key), line);
        array.store(first + place, key);
        if constexpr (PAIRS)
            array.store_value(first + place, shared->values[shared->source[p]]);
    });
    __syncthreads();
    return true;
}

/* ---- the kernel ----------------------------------------------------------------------------- */

template <typename CODE, typename VALUE>
static __global__ void __launch_bounds__(LEAF_THREADS,
                                         CUDA_TUNE_LEAF_RESIDENT(sizeof(typename CODE::BITS),
                                                                 value_traits<VALUE>::size))
    radix_leaves(__grid_constant__ radix_job const job, __grid_constant__ CODE const code,
                 __grid_constant__ radix_tables const tables)
{
    typedef typename CODE::BITS BITS;
    extern __shared__ uint4     leaf_memory[];
    auto *const                 shared = (leaf_shared<CODE, VALUE> *)leaf_memory;
    radix_plan *const           plan = tables.plan;
    if (plan->leaf == 0)
        return;
    unsigned const                from = plan->leaf_from;
    leaf_array<CODE, VALUE> const array = {(const BITS *)job.keys[from],
                                           (BITS *)job.keys[0],
                                           job.values[from],
                                           job.values[0],
                                           job.value_out > value_traits<VALUE>::size,
                                           job.source == NULL,
                                           code};
    size_t const                  tiles = leaf_tiles(job.n), each = (tiles - 1) / gridDim.x + 1;
    size_t const                  last = min((blockIdx.x + 1) * each, tiles);
    bool const                    given_up = __syncthreads_or(load_relaxed(&plan->again) != 0) != 0;

    for (size_t tile = blockIdx.x * each; tile < last;) {
        uint64_t const bound = tables.bounds[min(tile + lane_id(), last)];
        uint64_t const first = __shfl_sync(WARP_ALL, bound, 0);
        unsigned const fit =
            (unsigned)__popc(__ballot_sync(WARP_ALL, bound - first <= LEAF_KEYS)) - 1;
        unsigned const taken = max(fit, 1u);
        size_t const   count = __shfl_sync(WARP_ALL, bound, taken) - first;
        tile += taken;
        if (count == 0)
            continue;
        if (given_up) {
            array.copy(first, count);
        } else if (fit == 0 || !leaf_sort(array, shared, first, (unsigned)count)) {
            array.copy(first, count);
            store_relaxed(&plan->again, 1);
            __syncthreads();
        }
    }
}

#endif
