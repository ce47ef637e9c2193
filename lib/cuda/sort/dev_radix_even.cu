/* dev_radix_even.cu - sorts evenly spread keys by two partitions and then leaf by leaf.
 *
 * A map from a sample gives each key a code (dev_radix_even_map.cuh). Two launches partition the
 * keys by the leading part of the code and then by the rest (dev_radix_even_divide.cuh). A larger
 * sample gives each bucket of the first partition a region; a count gives the places of the
 * second. Leaves (dev_radix_leaf.cuh) sort the keys of
 * each code; ties are ordered by the indices, so an argsort is stable. If the sample does not fit a
 * map, a region is too small, a code has too many keys or a leaf fails, the sort by digits starts
 * again. Traffic: one read of the keys, two partitions and the leaves; 28 bytes per 4-byte key. */
#include "cuda/sort/dev_radix_even_divide.cuh"
#include "cuda/sort/dev_radix_leaf.cuh"

/* ---- the sample ----------------------------------------------------------------------------- */

/* The keys of the sample of one thread, as they are in memory. */
template <typename CODE> struct even_drawn {
    typedef typename CODE::BITS BITS;

    BITS raw[EVEN_SAMPLE_EACH];

    DEVICE void read(const radix_job &job)
    {
        size_t const      part = job.n / EVEN_SAMPLE;
        const BITS *const keys = (const BITS *)(job.source != NULL ? job.source : job.keys[0]);
#pragma unroll
        for (int i = 0; i < EVEN_SAMPLE_EACH; i++) {
            size_t const s = i * EVEN_SAMPLE_THREADS + threadIdx.x;
            raw[i] = keys[s * part + (size_t)(s * 0x9e3779b97f4a7c15ull >> 33) % part];
        }
    }
    /* Adds to *twice the number of keys whose marks are set already. */
    DEVICE void mark(uint32_t *marks, uint32_t *twice) const
    {
        unsigned again = 0;
#pragma unroll
        for (int i = 0; i < EVEN_SAMPLE_EACH; i++) {
            unsigned const place =
                (unsigned)(raw[i] * 0x9e3779b97f4a7c15ull >> (64 - EVEN_LG_MARKS));
            uint32_t const bit = 1u << place % 32;
            again += (atomicOr(marks + place / 32, bit) & bit) != 0;
        }
        again = __reduce_add_sync(WARP_ALL, again);
        if (lane_id() == 0)
            atomicAdd(twice, again);
    }
    /* Counts the keys of all threads in EVEN_PARTS equal ranges of codes. Returns whether a range
     * has too many. */
    template <typename MAP>
    DEVICE bool crowds(CODE const &code, MAP const &map, uint32_t codes, uint32_t *count) const
    {
        if (threadIdx.x < EVEN_PARTS)
            count[threadIdx.x] = 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < EVEN_SAMPLE_EACH; i++)
            atomicAdd(count + (uint64_t)map.of(code, raw[i]) * EVEN_PARTS / codes, 1u);
        __syncthreads();
        return __syncthreads_or(threadIdx.x < EVEN_PARTS &&
                                count[threadIdx.x] > CUDA_TUNE_EVEN_CROWDED) != 0;
    }
};

/* Makes the map and decides whether the keys are even enough. One block. `repeats`: number of keys
 * of one value that leaves can sort. `differ`: the sample must differ in the bits from here on. */
template <typename CODE>
static __global__ void __launch_bounds__(EVEN_SAMPLE_THREADS)
    even_sample(radix_job const job, CODE const code, even_tables const tables, unsigned repeats,
                unsigned differ)
{
    typedef typename CODE::BITS BITS;
    extern __shared__ uint32_t  marks[]; /* [2^EVEN_LG_MARKS / 32] */
    __shared__ BITS             ends[2][32];
    __shared__ uint32_t         count[EVEN_PARTS], bend[EVEN_PARTS], sums[32], twice;
    __shared__ even_map<CODE> map;
    __shared__ bool           fits;
    uint32_t const            codes = tables.shape.codes;
    even_drawn<CODE>          drawn;
    BITS                      low, high;

    drawn.read(job);
    for (unsigned i = threadIdx.x; i < (1u << EVEN_LG_MARKS) / 32; i += EVEN_SAMPLE_THREADS)
        marks[i] = 0;
    if (threadIdx.x == 0)
        twice = 0;
    even_find_ends(code, drawn.raw, ends, &low, &high);
    if (threadIdx.x == 0)
        fits = (low ^ high) >> differ != 0 && low < high && map.fit(code, low, high, codes, false);
    __syncthreads();
    if (!fits)
        return; /* state->go is 0 */

    drawn.mark(marks, &twice);
    bool const     bent = drawn.crowds(code, map, codes, count);
    uint64_t const tied = (uint64_t)EVEN_SAMPLE * EVEN_SAMPLE / 2 * repeats / job.n;
    __syncthreads();
    if (twice > EVEN_REPEATED + tied)
        return;
    if (bent) {
        if (threadIdx.x == 0) /* all threads have passed a barrier after their use of the map */
            fits = map.fit(code, low, high, 1u << EVEN_LG_FINE, true);
        __syncthreads();
        if (!fits)
            return;
        (void)drawn.crowds(code, map, 1u << EVEN_LG_FINE, count);
        if (!even_make_bend<EVEN_SAMPLE_THREADS / 32>(count, codes, bend, sums) ||
            drawn.crowds(code, even_bent<CODE>{map, bend}, codes, count))
            return;
        if (threadIdx.x < EVEN_PARTS)
            tables.state->bend[threadIdx.x] = bend[threadIdx.x];
    }
    if (threadIdx.x < sizeof map / 4)
        tables.state->map[threadIdx.x] = ((const uint32_t *)&map)[threadIdx.x];
    if (threadIdx.x == 0) {
        tables.state->bent = bent;
        tables.state->go = 1;
    }
}

/* ---- counts --------------------------------------------------------------------------------- */

/* Calls f with each key of the larger sample, as it is in memory. Called by all threads of a
 * grid. */
template <typename BITS, typename F>
static DEVICE void even_draw(const radix_job &job, uint32_t drawn, F &&f)
{
    constexpr unsigned AT_ONCE = 8;
    const BITS *const  keys = (const BITS *)(job.source != NULL ? job.source : job.keys[0]);
    size_t const       part = job.n / drawn, threads = (size_t)gridDim.x * EVEN_THREADS;
    size_t const       me = (size_t)blockIdx.x * EVEN_THREADS + threadIdx.x;
    for (size_t s = me; s < drawn; s += AT_ONCE * threads) {
        BITS raw[AT_ONCE];
#pragma unroll
        for (unsigned k = 0; k < AT_ONCE; k++) {
            size_t const at = s + k * threads;
            size_t const skip = (size_t)(at * 0x9e3779b97f4a7c15ull >> 33) % part;
            if (at < drawn)
                raw[k] = keys[at * job.n / drawn + skip];
        }
#pragma unroll
        for (unsigned k = 0; k < AT_ONCE; k++)
            if (s + k * threads < drawn)
                f(raw[k]);
    }
}

/* Adds the counts of this block to tables.counts. Returns true, in all threads, in the last block;
 * *blocks counts the blocks. */
static DEVICE bool even_add_counts(const uint32_t *count, even_tables const &tables,
                                   uint32_t *blocks)
{
    __shared__ bool last;
    __syncthreads();
    if (count[threadIdx.x] != 0)
        atomicAdd(tables.counts + threadIdx.x, count[threadIdx.x]);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(blocks, 1u) + 1 == gridDim.x;
    __syncthreads();
    __threadfence();
    return last;
}

/* Makes the table of a bent map again, from the larger sample. */
template <typename CODE>
static __global__ void __launch_bounds__(EVEN_THREADS)
    even_refine(radix_job const job, CODE const code, even_tables const tables)
{
    __shared__ uint32_t count[EVEN_MOST], bend[EVEN_PARTS], sums[EVEN_WARPS];
    even_state *const   state = tables.state;
    unsigned const      me = threadIdx.x;
    if (state->go == 0 || state->bent == 0)
        return;
    count[me] = 0;
    __syncthreads();
    even_map<CODE> const line = even_line<CODE>(state);
    even_draw<typename CODE::BITS>(job, tables.shape.drawn, [&](typename CODE::BITS raw) {
        atomicAdd(count + (line.of(code, raw) >> EVEN_LG_PART), 1u);
    });
    if (!even_add_counts(count, tables, &state->blocks_refined))
        return;
    count[me] = __ldcg(tables.counts + me);
    tables.counts[me] = 0;
    __syncthreads();
    if (!even_make_bend<EVEN_WARPS>(count, tables.shape.codes, bend, sums))
        state->go = 0;
    else if (me < EVEN_PARTS)
        state->bend[me] = bend[me];
}

/* Counts a sample in the buckets of the first partition. The last block makes the regions of the
 * buckets: the expected number of keys and EVEN_SIGMAS standard deviations. */
template <typename CODE>
static __global__ void __launch_bounds__(EVEN_THREADS)
    even_estimate(radix_job const job, CODE const code, even_tables const tables)
{
    typedef typename CODE::BITS BITS;
    constexpr unsigned          CHUNK = 32 / sizeof(BITS);
    __shared__ uint32_t         count[EVEN_MOST], sums[EVEN_WARPS], bend[EVEN_PARTS];
    even_shape const            shape = tables.shape;
    if (tables.state->go == 0)
        return;
    count[threadIdx.x] = 0;
    __syncthreads();
    with_even_map<CODE>(tables.state, bend, [&](auto const &map) {
        even_draw<BITS>(job, shape.drawn,
                        [&](BITS raw) { atomicAdd(count + shape.part(map.of(code, raw)), 1u); });
    });
    if (!even_add_counts(count, tables, &tables.state->blocks_done))
        return;
    float const    found = (float)__ldcg(tables.counts + threadIdx.x);
    float const    stretch = (float)job.n / (float)shape.drawn;
    float const    room = stretch * (found + EVEN_SIGMAS * (sqrtf(found + 1) + 1));
    uint32_t const places = threadIdx.x < shape.parts ? (uint32_t)room / CHUNK * CHUNK + CHUNK : 0;
    uint32_t const start = even_scan(places, sums);
    tables.counts[threadIdx.x] = 0;
    tables.regions[threadIdx.x] = start;
    if (threadIdx.x == EVEN_MOST - 1) {
        tables.regions[EVEN_MOST] = start + places;
        if (start + places > even_places(job.n))
            tables.state->go = 0;
    }
}

/* Moves the single keys of each region behind its chunks; one block per bucket. The last block
 * makes starts and tiles of TILE keys. Fails if a region was too small. */
template <int TILE, typename VALUE, typename CODE>
static __global__ void __launch_bounds__(EVEN_THREADS)
    even_close(radix_job const job, CODE const code, even_tables const tables)
{
    typedef typename CODE::BITS BITS;
    constexpr unsigned          CHUNK = 32 / sizeof(BITS);
    constexpr bool              INDEX = value_traits<VALUE>::exists;
    __shared__ uint32_t         sums[2][EVEN_WARPS];
    __shared__ bool             last;
    (void)code;
    if (tables.state->go == 0)
        return;
    unsigned const me = threadIdx.x, bucket = blockIdx.x;
    auto const     taken = [&](unsigned b) { return __ldcg(tables.counts + b) * CHUNK; };
    auto const     single = [&](unsigned b) { return __ldcg(tables.state->singles + b); };
    uint32_t const start = tables.regions[bucket], end = tables.regions[bucket + 1];
    uint32_t const whole = taken(bucket), singles = single(bucket);
    if (whole > end - start || singles > end - start - whole) {
        store_relaxed(&tables.state->failed, 1);
    } else {
        BITS *const  keys = (BITS *)job.keys[1];
        VALUE *const values = (VALUE *)job.values[1];
        /* The destination is before the source: keys that are not read yet are not overwritten. */
        for (uint32_t i = 0; i < singles; i += EVEN_THREADS) {
            bool const     mine = i + me < singles;
            uint32_t const from = end - singles + i + me, to = start + whole + i + me;
            BITS const     key = mine ? keys[from] : 0;
            VALUE          value;
            if constexpr (INDEX)
                value = mine ? values[from] : 0;
            __syncthreads();
            if (mine) {
                keys[to] = key;
                if constexpr (INDEX)
                    values[to] = value;
            }
            __syncthreads();
        }
    }
    if (me == 0)
        last = atomicAdd(&tables.state->blocks_closed, 1u) + 1 == gridDim.x;
    __syncthreads();
    if (!last)
        return;
    uint32_t const all = me < tables.shape.parts ? taken(me) + single(me) : 0;
    uint32_t const tiles = all / TILE + (all % TILE != 0);
    uint32_t const first = even_scan(all, sums[0]), tile = even_scan(tiles, sums[1]);
    tables.starts[me] = first;
    tables.tiles[me] = tile;
    if (me == EVEN_MOST - 1) {
        tables.starts[EVEN_MOST] = first + all;
        tables.tiles[EVEN_MOST] = tile + tiles;
    }
}

/* Counts the keys of each code, in `keys` after the first partition. Each block reads consecutive
 * tiles. */
template <int TILE, typename CODE>
static __global__ void __launch_bounds__(EVEN_THREADS)
    even_count_groups(const typename CODE::BITS *keys, CODE const code, even_tables const tables)
{
    typedef typename CODE::BITS BITS;
    constexpr int               ITEMS = TILE / EVEN_THREADS;
    __shared__ uint32_t         count[EVEN_MOST], bend[EVEN_PARTS];
    if (tables.state->go == 0 || tables.state->failed != 0)
        return;
    uint32_t const all = tables.tiles[EVEN_MOST], each = all / gridDim.x + 1;
    uint32_t const end = min((blockIdx.x + 1) * each, all);
    unsigned const below = tables.shape.below;
    even_tile      tile = {0, 0, 0};
    count[threadIdx.x] = 0;
    __syncthreads();
    with_even_map<CODE>(tables.state, bend, [&](auto const &map) {
        for (uint32_t t = blockIdx.x * each; t < end; t++) {
            tile = even_find<TILE>(tables.tiles, tables.starts, tables.regions, tile.bucket, t);
            BITS key[ITEMS];
#pragma unroll
            for (int i = 0; i < ITEMS; i++)
                if (i * EVEN_THREADS + threadIdx.x < tile.valid)
                    key[i] = __ldcg(keys + tile.first + i * EVEN_THREADS + threadIdx.x);
            auto const code_of = [&](int i) { return map.of(code, key[i]) - tile.bucket * below; };
            if (tile.valid == TILE && warp_alike(code_of(0))) {
#pragma unroll
                for (int i = 0; i < ITEMS; i++)
                    warp_add_alike(count, code_of(i));
            } else {
#pragma unroll
                for (int i = 0; i < ITEMS; i++)
                    if (i * EVEN_THREADS + threadIdx.x < tile.valid)
                        atomicAdd(count + code_of(i), 1u);
            }
            if (t + 1 < end && t + 1 < tables.tiles[tile.bucket + 1])
                continue;
            __syncthreads();
            if (threadIdx.x < below && count[threadIdx.x] != 0)
                atomicAdd(tables.groups + tile.bucket * below + threadIdx.x, count[threadIdx.x]);
            count[threadIdx.x] = 0;
            __syncthreads();
        }
    });
}

/* Turns the counts of the codes into bounds. One block per bucket of the first partition. */
static __global__ void __launch_bounds__(EVEN_THREADS) even_bounds(even_tables const tables)
{
    __shared__ uint32_t sums[EVEN_WARPS];
    if (tables.state->go == 0 || tables.state->failed != 0)
        return;
    unsigned const below = tables.shape.below, here = threadIdx.x, a = blockIdx.x;
    size_t const   code = (size_t)a * below + here;
    uint32_t const keys = here < below ? tables.groups[code] : 0;
    uint32_t const start = tables.starts[a] + even_scan(keys, sums);
    if (here < below) {
        tables.groups[code] = 0;
        tables.bounds[code] = start;
    }
    if (a + 1 == gridDim.x && here == 0)
        tables.bounds[(size_t)gridDim.x * below] = tables.starts[EVEN_MOST];
    if (keys > LEAF_KEYS)
        store_relaxed(&tables.state->failed, 1);
}

/* ---- leaves --------------------------------------------------------------------------------- */

template <typename CODE, typename VALUE>
static __global__ void __launch_bounds__(leaf_plain::THREADS, leaf_resident<CODE, VALUE>)
    even_leaves(__grid_constant__ radix_job const job, __grid_constant__ CODE const code,
                __grid_constant__ even_tables const tables)
{
    constexpr bool          INDEX = value_traits<VALUE>::exists;
    extern __shared__ uint4 leaf_memory[];
    auto *const             shared = (leaf_shared<CODE, VALUE, INDEX> *)leaf_memory;
    if (tables.state->go == 0 || tables.state->failed != 0)
        return;
    uint32_t const groups = tables.shape.parts * tables.shape.below;
    leaf_walk<INDEX>(leaf_array_of<VALUE>(job, code, 1u - job.even_to), shared, tables.bounds,
                     groups, &tables.state->failed);
}

/* ---- launches ------------------------------------------------------------------------------- */

size_t even_codes(size_t n, size_t key_size)
{
    if (key_size < 4 || n > CUDA_TUNE_EVEN_TO || n < CUDA_TUNE_EVEN_FROM)
        return 0;
    even_shape const shape = even_shape_of(n);
    return (size_t)shape.parts * shape.below;
}

static constexpr size_t EVEN_MARKS_BYTES = ((size_t)1 << EVEN_LG_MARKS) / 8;

/* Whether the device has enough shared memory, and the arrays that partitions write are aligned to
 * 16 bytes. */
template <typename VALUE, typename CODE>
static bool even_fits(const cuda_call *call, const radix_job *job, size_t partition)
{
    constexpr bool   INDEX = value_traits<VALUE>::exists;
    constexpr size_t leaf = sizeof(leaf_shared<CODE, VALUE, INDEX>);
    constexpr size_t sample = EVEN_MARKS_BYTES + 4096; /* other arrays have less than 4 KB */
    size_t           starts = (size_t)job->keys[0] | (size_t)job->keys[1];
    if (INDEX)
        starts |= (size_t)job->values[0] | (size_t)job->values[1];
    return call->facts->shared_bytes >= ordo_max(ordo_max(leaf, sample), partition) &&
           starts % sizeof(uint4) == 0;
}

/* The job with the other arrays of keys and values first. */
static radix_job even_turned(const radix_job *job)
{
    radix_job turned = *job;
    turned.keys[0] = job->keys[1];
    turned.keys[1] = job->keys[0];
    turned.values[0] = job->values[1];
    turned.values[1] = job->values[0];
    return turned;
}

/* Counts the codes of `keys`, partitions them and sorts the leaves. */
template <int ITEMS, typename VALUE, typename CODE>
static ordo_status even_run_rest(cuda_call *call, const radix_job *job, const radix_job *moved,
                                 const void *keys, CODE code, even_tables tables)
{
    constexpr bool INDEX = value_traits<VALUE>::exists;
    constexpr int  TILE = EVEN_THREADS * ITEMS;
    size_t const   sms = (size_t)call->facts->sms;
    size_t const   bytes = even_shared<CODE, VALUE>::bytes(TILE, tables.shape.most);
    size_t const   blocks = ordo_min(2 * sms, ordo_div_up(job->n, TILE));
    auto *const    divide = even_partition<EVEN_SECOND, ITEMS, CODE, VALUE>;
    TRY(cuda_allow_shared(call, divide, bytes));
    TRY(CUDA_LAUNCH(call, (even_count_groups<TILE, CODE>), 4 * sms, EVEN_THREADS, 0,
                    (const typename CODE::BITS *)keys, code, tables));
    TRY(CUDA_LAUNCH(call, even_bounds, tables.shape.parts, EVEN_THREADS, 0, tables));
    TRY(CUDA_LAUNCH(call, divide, blocks, EVEN_THREADS, bytes, *moved, code, tables));
    return leaf_launch<VALUE, INDEX>(call, even_leaves<CODE, VALUE>, job, code, tables);
}

template <typename VALUE, typename CODE>
ordo_status even_run(cuda_call *call, const radix_job *job, CODE code, radix_tables radix)
{
    constexpr bool INDEX = value_traits<VALUE>::exists;
    constexpr int  KEY = sizeof(typename CODE::BITS), VALUE_SIZE = value_traits<VALUE>::size;
    constexpr int  ITEMS = CUDA_TUNE_EVEN_ITEMS(KEY, VALUE_SIZE, CODE::is_float, false);
    constexpr int  ITEMS_2 = CUDA_TUNE_EVEN_ITEMS(KEY, VALUE_SIZE, CODE::is_float, true);
    constexpr int  TILE = EVEN_THREADS * ITEMS, TILE_2 = EVEN_THREADS * ITEMS_2;
    /* By digits, an argsort of keys with the same leading byte takes only three steps. */
    constexpr unsigned DIFFER = INDEX && KEY == 4 ? 24 : 0;
    even_shape const   shape = even_shape_of(job->n);
    size_t const       bytes = even_shared<CODE, VALUE>::bytes(TILE, shape.most);
    size_t const       bytes_2 = even_shared<CODE, VALUE>::bytes(TILE_2, shape.most);
    if (!even_fits<VALUE, CODE>(call, job, ordo_max(bytes, bytes_2)))
        return ORDO_OK;
    even_tables const tables = {
        radix.even,       radix.even_counts, radix.even_starts, radix.even_regions,
        radix.even_tiles, radix.even_groups, radix.bounds,      shape};
    /* Partitioned from arrays 0 or the source to arrays 1, then to 0, or the other way round. */
    radix_job const moved = job->even_to == 0 ? even_turned(job) : *job;
    size_t const    sms = (size_t)call->facts->sms;
    size_t const    blocks = ordo_min(2 * sms, ordo_div_up(job->n, TILE));
    auto *const     sample = even_sample<CODE>;
    auto *const     first = even_partition<EVEN_FIRST, ITEMS, CODE, VALUE>;
    TRY(cuda_allow_shared(call, sample, EVEN_MARKS_BYTES));
    TRY(cuda_allow_shared(call, first, bytes));
    TRY(CUDA_LAUNCH(call, sample, 1, EVEN_SAMPLE_THREADS, EVEN_MARKS_BYTES, *job, code, tables,
                    LEAF_KEYS / 4, DIFFER));
    TRY(CUDA_LAUNCH(call, even_refine<CODE>, 2 * sms, EVEN_THREADS, 0, *job, code, tables));
    TRY(CUDA_LAUNCH(call, even_estimate<CODE>, 2 * sms, EVEN_THREADS, 0, *job, code, tables));
    TRY(CUDA_LAUNCH(call, first, blocks, EVEN_THREADS, bytes, moved, code, tables));
    TRY(CUDA_LAUNCH(call, (even_close<TILE_2, VALUE, CODE>), shape.parts, EVEN_THREADS, 0, moved,
                    code, tables));
    return even_run_rest<ITEMS_2, VALUE>(call, job, &moved, moved.keys[1], code, tables);
}

#define INSTANCE(VALUE, BITS, FLOAT)                                                               \
    template ordo_status even_run<VALUE>(cuda_call *, const radix_job *,                           \
                                         radix_code<BITS, FLOAT, false>, radix_tables);
INSTANCE(radix_no_value, uint32_t, false)
INSTANCE(radix_no_value, uint32_t, true)
INSTANCE(radix_no_value, uint64_t, true)
INSTANCE(uint32_t, uint32_t, false)
INSTANCE(uint32_t, uint32_t, true)
INSTANCE(uint32_t, uint64_t, false)
INSTANCE(uint32_t, uint64_t, true)
#undef INSTANCE
