/* dev_radix_even.cu - sorts evenly spread keys by two partitions and then leaf by leaf.
 *
 * A map gives each key a code, linear between the ends of a sample: in the key bits of integers, in
 * the value of floats. Two launches partition the keys by the halves of the code, the leading half
 * first. They do not keep the order of equal codes, so a block ranks its keys by atomics and
 * reserves its places by one atomic per bucket, without look-back. Leaves (dev_radix_leaf.cuh) sort
 * the keys of each code; ties are ordered by the indices, so an argsort is stable. Each partition
 * follows a count of its buckets. If the sample is uneven, a code has too many keys or a leaf
 * fails, the sort by digits starts again. Traffic: two reads of the keys, two partitions and the
 * leaves; 32 bytes per 4-byte key. */
#include "cuda/block/block_scan.cuh"
#include "cuda/sort/dev_radix_leaf.cuh"
#include "cuda/sort/dev_radix_memory.cuh"
#include "cuda/sort/dev_radix_plan.cuh"

enum {
    EVEN_THREADS = EVEN_MOST,
    EVEN_WARPS = EVEN_THREADS / 32,
    EVEN_SAMPLE_THREADS = 1024,
    EVEN_SAMPLE_EACH = 16, /* sample keys per thread */
    EVEN_SAMPLE = EVEN_SAMPLE_THREADS * EVEN_SAMPLE_EACH,
    EVEN_PARTS = 256,    /* ranges of codes in which sample keys are counted */
    EVEN_LG_MARKS = 20,  /* lg of the bits of a table of sample keys */
    EVEN_REPEATED = 170, /* most marks that sample keys of different values set twice */
    EVEN_COPIES = 4      /* counters per bucket */
};

/* ---- codes ---------------------------------------------------------------------------------- */

/* The code of a key that is not encoded: 0 to codes - 1, in the order of the keys. */
template <typename CODE, bool FLOAT = CODE::is_float> struct even_map;

template <typename CODE> struct even_map<CODE, false> {
    typedef typename CODE::BITS BITS;
    BITS                        low, high;
    uint32_t                    shift, factor;

    /* Makes the map for keys with these ends of a sample; false if there are too few values. */
    DEVICE bool fit(CODE const &, BITS first, BITS last, uint32_t codes)
    {
        BITS const margin = (last - first) / (EVEN_SAMPLE / 16);
        low = first > margin ? first - margin : 0;
        high = last < (BITS) ~(BITS)0 - margin ? last + margin : (BITS) ~(BITS)0;
        BITS const     range = high - low;
        unsigned const length = 64 - (unsigned)__clzll((long long)range);
        shift = length > 32 ? length - 32 : 0;
        float const most = (float)(uint32_t)(range >> shift) + 1;
        /* a little less than codes / distances, so that no code is past the last */
        factor = __float2uint_rz((float)codes * 4294967296.0f * 0.99999f / most);
        /* With up to four digits, keys of eight bytes are sorted by digits faster. */
        return range / 2 > codes && (sizeof(BITS) == 4 || length > 32);
    }
    DEVICE uint32_t of(CODE const &code, BITS raw) const
    {
        BITS const inside = min(max(code.encode(raw), low), high) - low;
        return __umulhi((uint32_t)(inside >> shift), factor);
    }
};

/* Codes are computed as 2^23 + code or 2^52 + code, so that the code is in the lowest bits. */
template <typename CODE> struct even_map<CODE, true> {
    typedef typename CODE::BITS            BITS;
    typedef typename key_float<BITS>::type REAL;
    static constexpr REAL                  ONE = sizeof(BITS) == 4 ? 8388608.0 : 4503599627370496.0;
    REAL                                   scale, offset, least, most;

    DEVICE bool fit(CODE const &code, BITS first, BITS last, uint32_t codes)
    {
        REAL const from = value(code.decode(first)), to = value(code.decode(last));
        REAL const range = to - from, used = (REAL)codes * (REAL)(1 - 32.0 / EVEN_SAMPLE);
        scale = used / range;
        offset = ONE + ((REAL)codes - used) / 2 - from * scale;
        least = ONE;
        most = ONE + (REAL)(codes - 1);
        return range != 0 && isfinite(scale) && isfinite(offset);
    }
    static DEVICE REAL value(BITS raw) { return key_float<BITS>::value(raw); }
    DEVICE uint32_t    of(CODE const &, BITS raw) const
    {
        REAL const x = multiply_add(value(raw), scale, offset);
        return low_bits(x < least ? least : x <= most ? x : most); /* NaN: most */
    }
    /* The same rounding in every kernel, so that a key always has the same code. */
    static DEVICE float    multiply_add(float x, float y, float z) { return __fmaf_rn(x, y, z); }
    static DEVICE double   multiply_add(double x, double y, double z) { return __fma_rn(x, y, z); }
    static DEVICE uint32_t low_bits(float x) { return __float_as_uint(x) & 0x7fffff; }
    static DEVICE uint32_t low_bits(double x) { return (uint32_t)__double2loint(x); }
};

/* Whether a key counts for the ends of the sample: not NaN, not infinite. */
template <typename CODE>
static DEVICE bool even_is_finite(CODE const &code, typename CODE::BITS bits)
{
    return !CODE::is_float || (bits > 0 && bits < code.inf);
}

struct even_shape {    /* known to the host */
    uint32_t codes;    /* each for about CUDA_TUNE_EVEN_GROUP keys */
    unsigned parts;    /* buckets of the first partition */
    unsigned lg_below; /* lg of the buckets of the second partition */
};

static even_shape even_shape_of(size_t n)
{
    even_shape shape = {(uint32_t)(n / CUDA_TUNE_EVEN_GROUP + 1), 0, 0};
    while (ordo_div_up(shape.codes, (size_t)1 << shape.lg_below) > (size_t)1 << shape.lg_below)
        shape.lg_below++;
    shape.parts = (unsigned)ordo_div_up(shape.codes, (size_t)1 << shape.lg_below);
    return shape;
}

size_t even_codes(size_t n, size_t key_size)
{
    even_shape const shape = even_shape_of(n);
    bool const       used = key_size >= 4 && n >= CUDA_TUNE_EVEN_FROM && n <= CUDA_TUNE_EVEN_TO;
    return used ? (size_t)shape.parts << shape.lg_below : 0;
}

/* In device scratch. counts and groups are zeroed before use. */
struct even_tables {
    even_state *state;
    uint32_t   *counts; /* [EVEN_MOST] keys of the buckets of the first partition; later cursors */
    uint32_t   *starts; /* [EVEN_MOST + 1] their first places */
    uint32_t   *tiles;  /* [EVEN_MOST + 1] the first tiles of the second partition */
    uint32_t   *groups; /* [codes] keys of each code; then cursors */
    uint64_t   *bounds; /* [codes + 1] first places of the codes */
    even_shape  shape;
};

template <typename CODE> static DEVICE even_map<CODE> even_load(const even_state *state)
{
    static_assert(sizeof(even_map<CODE>) <= sizeof state->map, "room for the map");
    even_map<CODE> map;
#pragma unroll
    for (int i = 0; i < sizeof map / 4; i++)
        ((uint32_t *)&map)[i] = state->map[i];
    return map;
}

/* ---- the sample ----------------------------------------------------------------------------- */

/* Makes the map and decides whether the keys are even enough. One block. `repeats`: number of keys
 * of one value that leaves can sort. */
template <typename CODE>
static __global__ void __launch_bounds__(EVEN_SAMPLE_THREADS)
    even_sample(radix_job const job, CODE const code, even_tables const tables, unsigned repeats)
{
    typedef typename CODE::BITS BITS;
    typedef scan_max<BITS>      MAX;
    extern __shared__ uint32_t  marks[]; /* [2^EVEN_LG_MARKS / 32] */
    __shared__ BITS             ends[2][32];
    __shared__ uint32_t         count[EVEN_PARTS], twice;
    __shared__ even_map<CODE> map;
    __shared__ bool           fits;
    uint32_t const            codes = tables.shape.codes;
    unsigned const            lane = lane_id();
    size_t const              part = job.n / EVEN_SAMPLE;
    const BITS *const         keys = (const BITS *)(job.source != NULL ? job.source : job.keys[0]);

    BITS raw[EVEN_SAMPLE_EACH], low = 0, high = 0; /* low: complement of the smallest key bits */
#pragma unroll
    for (int i = 0; i < EVEN_SAMPLE_EACH; i++) {
        size_t const s = i * EVEN_SAMPLE_THREADS + threadIdx.x;
        raw[i] = keys[s * part + (size_t)(s * 0x9e3779b97f4a7c15ull >> 33) % part];
    }
    for (unsigned i = threadIdx.x; i < (1u << EVEN_LG_MARKS) / 32; i += EVEN_SAMPLE_THREADS)
        marks[i] = 0;
    if (threadIdx.x < EVEN_PARTS)
        count[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        twice = 0;
#pragma unroll
    for (int i = 0; i < EVEN_SAMPLE_EACH; i++) {
        BITS const bits = code.encode(raw[i]);
        if (even_is_finite(code, bits)) {
            low = max(low, (BITS)~bits);
            high = max(high, bits);
        }
    }
    low = warp_reduce<MAX>(low);
    high = warp_reduce<MAX>(high);
    if (lane == 0) {
        ends[0][threadIdx.x / 32] = low;
        ends[1][threadIdx.x / 32] = high;
    }
    __syncthreads();
    low = (BITS)~warp_reduce<MAX>(ends[0][lane]);
    high = warp_reduce<MAX>(ends[1][lane]);
    if (threadIdx.x == 0)
        fits = low < high && map.fit(code, low, high, codes);
    __syncthreads();
    if (!fits)
        return; /* state->go is 0 */

    unsigned again = 0;
#pragma unroll
    for (int i = 0; i < EVEN_SAMPLE_EACH; i++) {
        unsigned const mark = (unsigned)(raw[i] * 0x9e3779b97f4a7c15ull >> (64 - EVEN_LG_MARKS));
        uint32_t const bit = 1u << mark % 32;
        again += (atomicOr(marks + mark / 32, bit) & bit) != 0;
        atomicAdd(count + map.of(code, raw[i]) * EVEN_PARTS / codes, 1u);
    }
    again = __reduce_add_sync(WARP_ALL, again);
    if (lane == 0)
        atomicAdd(&twice, again);
    __syncthreads();
    bool const     uneven = threadIdx.x < EVEN_PARTS && count[threadIdx.x] > CUDA_TUNE_EVEN_CROWDED;
    bool const     bad = __syncthreads_or(uneven) != 0;
    uint64_t const tied = (uint64_t)EVEN_SAMPLE * EVEN_SAMPLE / 2 * repeats / job.n;
    if (bad || twice > EVEN_REPEATED + tied)
        return;
    if (threadIdx.x < sizeof map / 4)
        tables.state->map[threadIdx.x] = ((const uint32_t *)&map)[threadIdx.x];
    if (threadIdx.x == 0)
        tables.state->go = 1;
}

/* ---- counts --------------------------------------------------------------------------------- */

/* A scan over one value of each of EVEN_THREADS threads: the sum of the values before. Contains one
 * barrier; `sums` may be written again after the next one. */
static DEVICE uint32_t even_scan(uint32_t x, uint32_t *sums)
{
    typedef scan_add<uint32_t> ADD;
    uint32_t const             scanned = warp_scan<ADD>(x);
    uint32_t const             total = __shfl_sync(WARP_ALL, scanned, 31);
    return block_scan_warps<ADD, EVEN_WARPS>(total, sums).before + scanned - x;
}

/* Counts the buckets of the first partition; the last block makes starts, cursors and tiles of
 * TILE keys. */
template <int TILE, typename CODE>
static __global__ void __launch_bounds__(EVEN_THREADS)
    even_count(radix_job const job, CODE const code, even_tables const tables)
{
    typedef typename CODE::BITS BITS;
    constexpr unsigned EACH = 16 / sizeof(BITS);
    __shared__ uint32_t count[EVEN_MOST * EVEN_COPIES], sums[2][EVEN_WARPS];
    __shared__ bool     last;
    if (tables.state->go == 0)
        return;
    for (unsigned i = threadIdx.x; i < EVEN_MOST * EVEN_COPIES; i += EVEN_THREADS)
        count[i] = 0;
    __syncthreads();
    even_map<CODE> const map = even_load<CODE>(tables.state);
    unsigned const       below = tables.shape.lg_below;
    uint32_t *const      mine = count + threadIdx.x % EVEN_COPIES;
    auto const           add = [&](BITS raw) {
        atomicAdd(mine + (map.of(code, raw) >> below) * EVEN_COPIES, 1u);
    };
    const BITS *const  keys = (const BITS *)(job.source != NULL ? job.source : job.keys[0]);
    size_t const       head = min((16 - (size_t)keys % 16) % 16 / sizeof(BITS), job.n);
    size_t const       chunks = (job.n - head) / EACH;
    const uint4 *const vectors = (const uint4 *)(keys + head);
    size_t const       threads = (size_t)gridDim.x * EVEN_THREADS;
    size_t const       me = (size_t)blockIdx.x * EVEN_THREADS + threadIdx.x;
    for (size_t c = me; c < chunks; c += 4 * threads) {
        vector_16<BITS> chunk[4];
#pragma unroll
        for (unsigned j = 0; j < 4; j++)
            if (c + j * threads < chunks)
                chunk[j].all = vectors[c + j * threads];
#pragma unroll
        for (unsigned j = 0; j < 4; j++)
            if (c + j * threads < chunks) {
#pragma unroll
                for (unsigned k = 0; k < EACH; k++)
                    add(chunk[j].key[k]);
            }
    }
    for (size_t i = me; i < head; i += threads)
        add(keys[i]);
    for (size_t i = head + chunks * EACH + me; i < job.n; i += threads)
        add(keys[i]);
    __syncthreads();
    uint32_t sum = 0;
#pragma unroll
    for (unsigned c = 0; c < EVEN_COPIES; c++)
        sum += count[threadIdx.x * EVEN_COPIES + c];
    if (sum != 0)
        atomicAdd(tables.counts + threadIdx.x, sum);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(&tables.state->blocks_done, 1u) + 1 == gridDim.x;
    __syncthreads();
    if (!last)
        return;
    __threadfence();
    uint32_t const all = __ldcg(tables.counts + threadIdx.x);
    uint32_t const tiles = all / TILE + (all % TILE != 0);
    uint32_t const start = even_scan(all, sums[0]), tile = even_scan(tiles, sums[1]);
    tables.starts[threadIdx.x] = start;
    tables.counts[threadIdx.x] = start;
    tables.tiles[threadIdx.x] = tile;
    if (threadIdx.x == EVEN_MOST - 1) {
        tables.starts[EVEN_MOST] = start + all;
        tables.tiles[EVEN_MOST] = tile + tiles;
    }
}

/* A tile of the second partition: a part of one bucket of the first. */
struct even_tile {
    unsigned bucket;
    size_t   first;
    uint32_t valid;
};

/* The tile with this number; `bucket` is the bucket of an earlier tile. `tiles` and `starts` have
 * EVEN_MOST + 1 entries. */
template <int TILE>
static DEVICE even_tile even_find(const uint32_t *tiles, const uint32_t *starts, unsigned bucket,
                                  uint32_t tile)
{
    while (tiles[bucket + 1] <= tile)
        bucket++;
    uint32_t const first = starts[bucket] + (tile - tiles[bucket]) * TILE;
    return {bucket, first, min((uint32_t)TILE, starts[bucket + 1] - first)};
}

/* Counts the keys of each code, in `keys` after the first partition. Each block reads consecutive
 * tiles. */
template <int TILE, typename CODE>
static __global__ void __launch_bounds__(EVEN_THREADS)
    even_count_groups(const typename CODE::BITS *keys, CODE const code, even_tables const tables)
{
    typedef typename CODE::BITS BITS;
    constexpr int               ITEMS = TILE / EVEN_THREADS;
    __shared__ uint32_t         count[EVEN_MOST];
    if (tables.state->go == 0)
        return;
    even_map<CODE> const map = even_load<CODE>(tables.state);
    uint32_t const       all = tables.tiles[EVEN_MOST], each = all / gridDim.x + 1;
    uint32_t const       end = min((blockIdx.x + 1) * each, all);
    unsigned const       lg = tables.shape.lg_below, mask = (1u << lg) - 1;
    even_tile            tile = {0, 0, 0};
    count[threadIdx.x] = 0;
    __syncthreads();
    for (uint32_t t = blockIdx.x * each; t < end; t++) {
        tile = even_find<TILE>(tables.tiles, tables.starts, tile.bucket, t);
        BITS key[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            if (i * EVEN_THREADS + threadIdx.x < tile.valid)
                key[i] = __ldcg(keys + tile.first + i * EVEN_THREADS + threadIdx.x);
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            if (i * EVEN_THREADS + threadIdx.x < tile.valid)
                atomicAdd(count + (map.of(code, key[i]) & mask), 1u);
        if (t + 1 < end && t + 1 < tables.tiles[tile.bucket + 1])
            continue;
        __syncthreads();
        if (threadIdx.x <= mask && count[threadIdx.x] != 0)
            atomicAdd(tables.groups + (tile.bucket << lg) + threadIdx.x, count[threadIdx.x]);
        count[threadIdx.x] = 0;
        __syncthreads();
    }
}

/* Turns the counts of the codes into cursors and bounds. One block per bucket of the first
 * partition. */
static __global__ void __launch_bounds__(EVEN_THREADS) even_bounds(even_tables const tables)
{
    __shared__ uint32_t sums[EVEN_WARPS];
    if (tables.state->go == 0)
        return;
    unsigned const lg = tables.shape.lg_below, here = threadIdx.x, a = blockIdx.x;
    bool const     is_mine = here < 1u << lg;
    size_t const   code = ((size_t)a << lg) + here;
    uint32_t const keys = is_mine ? tables.groups[code] : 0;
    uint32_t const start = tables.starts[a] + even_scan(keys, sums);
    if (is_mine) {
        tables.groups[code] = start;
        tables.bounds[code] = start;
    }
    if (a + 1 == gridDim.x && here == 0)
        tables.bounds[(size_t)gridDim.x << lg] = tables.starts[EVEN_MOST];
    if (keys > LEAF_KEYS)
        store_relaxed(&tables.state->failed, 1);
}

/* ---- a partition ---------------------------------------------------------------------------- */

template <typename CODE, typename VALUE, int ITEMS> struct even_shared {
    static constexpr int        TILE = EVEN_THREADS * ITEMS;
    typedef typename CODE::BITS BITS;

    BITS     keys[TILE];
    VALUE    values[value_traits<VALUE>::exists ? TILE : 1];
    uint32_t count[EVEN_MOST]; /* keys of each bucket; then their first places in the tile */
    uint32_t to[EVEN_MOST];    /* where the keys of a bucket go, minus their place in the tile */
    uint32_t sums[EVEN_WARPS];
    uint32_t tiles[EVEN_MOST + 1], starts[EVEN_MOST + 1];
};

/* Partitions the keys by one half of their codes. The first partition makes the indices. */
template <bool SECOND, int ITEMS, typename CODE, typename VALUE>
static __global__ void __launch_bounds__(EVEN_THREADS, 2)
    even_partition(__grid_constant__ radix_job const job, __grid_constant__ CODE const code,
                   __grid_constant__ even_tables const tables)
{
    typedef typename CODE::BITS BITS;
    constexpr bool              INDEX = value_traits<VALUE>::exists;
    constexpr int               TILE = EVEN_THREADS * ITEMS;
    extern __shared__ uint4     even_memory[];
    auto *const                 shared = (even_shared<CODE, VALUE, ITEMS> *)even_memory;
    if (tables.state->go == 0 || tables.state->failed != 0)
        return;
    unsigned const       me = threadIdx.x, lg = tables.shape.lg_below;
    even_map<CODE> const map = even_load<CODE>(tables.state);
    /* An argsort ends in arrays 1, from which the leaves write to arrays 0; keys alone end in
     * arrays 0. */
    unsigned const    to = INDEX == SECOND;
    const BITS *const keys_in = (const BITS *)(SECOND  ? job.keys[1 - to]
                                               : INDEX ? job.source
                                                       : job.keys[0]);
    BITS *const       keys_out = (BITS *)job.keys[to];
    auto const        bucket_of = [&](BITS raw) {
        uint32_t const of = map.of(code, raw);
        return SECOND ? of & ((1u << lg) - 1) : of >> lg;
    };

    if (SECOND)
        for (unsigned i = me; i <= EVEN_MOST; i += EVEN_THREADS) {
            shared->tiles[i] = tables.tiles[i];
            shared->starts[i] = tables.starts[i];
        }
    shared->count[me] = 0;
    __syncthreads();
    uint32_t const tiles = SECOND ? shared->tiles[EVEN_MOST] : (uint32_t)((job.n - 1) / TILE) + 1;
    auto const     find = [&](uint32_t tile, unsigned bucket) -> even_tile {
        if (tile >= tiles)
            return {0, 0, 0};
        if (SECOND)
            return even_find<TILE>(shared->tiles, shared->starts, bucket, tile);
        size_t const first = (size_t)tile * TILE;
        return {0, first, (uint32_t)min((size_t)TILE, job.n - first)};
    };
    BITS       key[ITEMS];
    auto const load = [&](even_tile const &from) {
        const BITS *const at = keys_in + from.first + me;
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            if (i * EVEN_THREADS + me < from.valid)
                load_global(key[i], at + i * EVEN_THREADS);
    };

    even_tile tile = find(blockIdx.x, 0);
    load(tile);
    for (uint32_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        uint32_t   ranked[ITEMS]; /* rank above bucket; then the place in the tile */
        bool const whole = tile.valid == TILE;
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            if (whole || i * EVEN_THREADS + me < tile.valid) {
                unsigned const bucket = bucket_of(key[i]);
                ranked[i] = atomicAdd(shared->count + bucket, 1u) << 16 | bucket;
            }
        __syncthreads();
        uint32_t const  count = shared->count[me];
        uint32_t *const cursors = SECOND ? tables.groups + (tile.bucket << lg) : tables.counts;
        uint32_t const  reserved = count != 0 ? atomicAdd(cursors + me, count) : 0;
        uint32_t const  start = even_scan(count, shared->sums);
        shared->count[me] = start;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            if (whole || i * EVEN_THREADS + me < tile.valid) {
                uint32_t const place = shared->count[ranked[i] & 0xffff] + (ranked[i] >> 16);
                shared->keys[place] = key[i];
                if constexpr (INDEX && !SECOND)
                    shared->values[place] = (VALUE)(tile.first + i * EVEN_THREADS + me);
                if constexpr (INDEX && SECOND)
                    ranked[i] = place;
            }
        if constexpr (INDEX && SECOND) {
            const VALUE *const at = (const VALUE *)job.values[1 - to] + tile.first + me;
            VALUE              value[ITEMS];
#pragma unroll
            for (int i = 0; i < ITEMS; i++)
                if (whole || i * EVEN_THREADS + me < tile.valid)
                    load_global(value[i], at + i * EVEN_THREADS);
#pragma unroll
            for (int i = 0; i < ITEMS; i++)
                if (whole || i * EVEN_THREADS + me < tile.valid)
                    shared->values[ranked[i]] = value[i];
        }
        shared->to[me] = reserved - start;
        even_tile const next = find(t + gridDim.x, tile.bucket);
        load(next);
        __syncthreads();
        shared->count[me] = 0;
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            uint32_t const at = me + i * EVEN_THREADS;
            if (whole || at < tile.valid) {
                BITS const     raw = shared->keys[at];
                uint32_t const out = shared->to[bucket_of(raw)] + at;
                store_global(keys_out + out, raw);
                if constexpr (INDEX)
                    store_global((VALUE *)job.values[to] + out, shared->values[at]);
            }
        }
        tile = next;
        __syncthreads();
    }
}

/* ---- leaves --------------------------------------------------------------------------------- */

template <typename CODE, typename VALUE>
static __global__ void __launch_bounds__(LEAF_THREADS,
                                         CUDA_TUNE_LEAF_RESIDENT(sizeof(typename CODE::BITS),
                                                                 value_traits<VALUE>::size))
    even_leaves(__grid_constant__ radix_job const job, __grid_constant__ CODE const code,
                __grid_constant__ even_tables const tables)
{
    constexpr bool          INDEX = value_traits<VALUE>::exists;
    extern __shared__ uint4 leaf_memory[];
    auto *const             shared = (leaf_shared<CODE, VALUE, INDEX> *)leaf_memory;
    if (tables.state->go == 0 || tables.state->failed != 0)
        return;
    uint32_t const groups = tables.shape.parts << tables.shape.lg_below;
    leaf_walk<INDEX>(leaf_array_of<VALUE>(job, code, INDEX), shared, tables.bounds, groups,
                     &tables.state->failed);
}

/* ---- launches ------------------------------------------------------------------------------- */

static constexpr size_t EVEN_MARKS_BYTES = ((size_t)1 << EVEN_LG_MARKS) / 8;

/* Whether the device has enough shared memory. */
template <typename VALUE, typename CODE> static bool even_fits(const cuda_call *call)
{
    constexpr bool   INDEX = value_traits<VALUE>::exists;
    constexpr size_t leaf = sizeof(leaf_shared<CODE, VALUE, INDEX>);
    constexpr size_t sample = EVEN_MARKS_BYTES + 4096; /* other arrays have less than 4 KB */
    return call->facts->shared_bytes >= (leaf > sample ? leaf : sample);
}

template <typename VALUE, typename CODE>
ordo_status even_run(cuda_call *call, const radix_job *job, CODE code, radix_tables radix)
{
    if (!even_fits<VALUE, CODE>(call))
        return ORDO_OK;
    constexpr bool INDEX = value_traits<VALUE>::exists;
    constexpr int  ITEMS =
        CUDA_TUNE_EVEN_ITEMS(sizeof(typename CODE::BITS), value_traits<VALUE>::size);
    constexpr int    TILE = EVEN_THREADS * ITEMS;
    constexpr size_t bytes = sizeof(even_shared<CODE, VALUE, ITEMS>);
    even_shape const shape = even_shape_of(job->n);
    even_tables      tables = {radix.even,
                               radix.even_counts,
                               radix.even_starts,
                               radix.even_tiles,
                               radix.even_groups,
                               radix.bounds,
                               shape};
    size_t const     sms = (size_t)call->facts->sms, most = 2 * sms;
    size_t const     blocks = ordo_min(most, ordo_div_up(job->n, TILE));
    auto *const      sample = even_sample<CODE>;
    auto *const      first = even_partition<false, ITEMS, CODE, VALUE>;
    auto *const      second = even_partition<true, ITEMS, CODE, VALUE>;
    TRY(cuda_allow_shared(call, sample, EVEN_MARKS_BYTES));
    TRY(cuda_allow_shared(call, first, bytes));
    TRY(cuda_allow_shared(call, second, bytes));
    TRY(CUDA_LAUNCH(call, sample, 1, EVEN_SAMPLE_THREADS, EVEN_MARKS_BYTES, *job, code, tables,
                    LEAF_KEYS / 4));
    TRY(CUDA_LAUNCH(call, (even_count<TILE, CODE>), 4 * sms, EVEN_THREADS, 0, *job, code, tables));
    TRY(CUDA_LAUNCH(call, first, blocks, EVEN_THREADS, bytes, *job, code, tables));
    TRY(CUDA_LAUNCH(call, (even_count_groups<TILE, CODE>), 4 * sms, EVEN_THREADS, 0,
                    (const typename CODE::BITS *)job->keys[INDEX ? 0 : 1], code, tables));
    TRY(CUDA_LAUNCH(call, even_bounds, shape.parts, EVEN_THREADS, 0, tables));
    TRY(CUDA_LAUNCH(call, second, blocks, EVEN_THREADS, bytes, *job, code, tables));
    return leaf_launch<VALUE, INDEX>(call, even_leaves<CODE, VALUE>, job, code, tables);
}

#define INSTANCE(VALUE, BITS, FLOAT)                                                               \
    template ordo_status even_run<VALUE>(cuda_call *, const radix_job *,                           \
                                         radix_code<BITS, FLOAT, false>, radix_tables);
INSTANCE(radix_no_value, uint32_t, false)
INSTANCE(radix_no_value, uint32_t, true)
INSTANCE(radix_no_value, uint64_t, true)
INSTANCE(uint32_t, uint64_t, false)
INSTANCE(uint32_t, uint64_t, true)
#undef INSTANCE
