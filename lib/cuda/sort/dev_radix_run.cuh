/* dev_radix_run.cuh - a radix sort from start to end, for keys of 4 or 8 bytes with values of 0, 4
 * or 8 bytes: zeroing of tables, partitions of evenly spread keys, plan, passes, finish.
 *
 * Launches: one to zero, nine for evenly spread keys (dev_radix_even.cu) or one for fewer
 * (dev_radix_grid.cu), one histogram, and for few keys one to three for the rest; for more, one for
 * the steps and, if leading digits may be enough, one or two for the leaves, one finish and one for
 * the second list. A launch that is not needed returns at once. Scratch: another array of keys and
 * values (argsort: two of key bits, one of indices; pairs of four-byte keys: 4 bytes more for each
 * of up to 2^21), 1 KB per tile, 8 bytes per bound, up to 1.2 MB for samples and codes; arrays of
 * dev_radix_even.cu are up to 15 % longer. */
#ifndef ORDO_CUDA_SORT_DEV_RADIX_RUN_H
#define ORDO_CUDA_SORT_DEV_RADIX_RUN_H

#include "cuda/block/block_places.cuh"
#include "cuda/sort/dev_radix_pass.cuh"

/* Keys per thread for more than FROM and up to TO keys, so that almost all blocks of an H200 have a
 * tile, or almost all have two. H200, us, with the tiles of other numbers of keys and with these:
 * zipf u32, 2^21 keys 80.7, 75.4, 2^22 123.2, 114.0; zipf pairs u32/u32, 2^20 77.2, 69.2. */
template <int KEY, int VALUE> struct radix_middle {
    static constexpr int    ITEMS = 0; /* 0: as for other numbers of keys */
    static constexpr size_t FROM = 0, TO = 0;
};
template <> struct radix_middle<4, 0> {
    static constexpr int    ITEMS = 16;
    static constexpr size_t FROM = (size_t)1 << 20, TO = (size_t)1 << 22;
};
template <> struct radix_middle<4, 4> {
    static constexpr int    ITEMS = 11;
    static constexpr size_t FROM = (size_t)1 << 19, TO = (size_t)1 << 20;
};

/* Whether n keys have tiles of radix_middle. */
template <int KEY, int VALUE> static constexpr bool radix_is_middle(size_t n)
{
    return n > radix_middle<KEY, VALUE>::FROM && n <= radix_middle<KEY, VALUE>::TO;
}

template <int KEY, int VALUE> static constexpr size_t radix_tile_of(size_t n)
{
    typedef cuda_tune_radix<KEY, VALUE> SHAPE;
    return (size_t)SHAPE::THREADS * (radix_is_middle<KEY, VALUE>(n)
                                         ? radix_middle<KEY, VALUE>::ITEMS
                                     : n <= CUDA_TUNE_RADIX_FEW ? SHAPE::FEW
                                                                : SHAPE::ITEMS);
}

struct radix_tiles { /* on these the sizes of the tables depend */
    size_t keys;     /* of a tile */
    size_t count;    /* of n keys */
    size_t most;     /* of n or fewer keys: these may have more tiles, which are smaller */
};

template <int KEY, int VALUE> static inline radix_tiles radix_tiles_with(size_t n)
{
    typedef radix_middle<KEY, VALUE> MIDDLE;
    size_t const                     ends[] = {CUDA_TUNE_RADIX_FEW, MIDDLE::FROM, MIDDLE::TO};
    radix_tiles                      tiles = {};
    tiles.keys = radix_tile_of<KEY, VALUE>(n);
    tiles.count = tiles.most = ordo_div_up(n, tiles.keys);
    for (size_t const end : ends) /* the last numbers of keys with tiles of one size */
        if (end < n)
            tiles.most = ordo_max(tiles.most, ordo_div_up(end, (radix_tile_of<KEY, VALUE>(end))));
    return tiles;
}

static inline radix_tiles radix_tiles_of(size_t n, size_t key_size, size_t value_size)
{
#define TILES(KEY, VALUE) radix_tiles_with<KEY, VALUE>(n)
    if (key_size == 8)
        return value_size == 0 ? TILES(8, 0) : value_size == 4 ? TILES(8, 4) : TILES(8, 8);
    return value_size == 0 ? TILES(4, 0) : value_size == 4 ? TILES(4, 4) : TILES(4, 8);
#undef TILES
}

/* The number of keys of the sample: enough to find two keys with one prefix if groups of ten keys
 * are common. */
static inline uint32_t radix_sampled(size_t n)
{
    if (n < CUDA_TUNE_RADIX_SAMPLE_FROM)
        return 0;
    uint32_t keys = 1;
    while (keys < CUDA_TUNE_RADIX_SAMPLE && (size_t)keys * keys < n)
        keys *= 2;
    return keys;
}

static inline radix_tables radix_tables_layout(cuda_scratch *scratch, size_t n, size_t key_size,
                                               size_t value_size)
{
    size_t const      digits = ordo_max(key_size, 4);
    radix_tiles const tiles = radix_tiles_of(n, key_size, value_size);
    size_t const      portions = ordo_div_up(n, CUDA_TUNE_RADIX_PORTION / tiles.keys * tiles.keys);
    size_t const      start = scratch->used;
    radix_tables      tables;
    tables.portions = portions;
    tables.plan = scratch_take<radix_plan>(scratch, 1);
    tables.bins = scratch_take<unsigned long long>(scratch, digits * RADIX_BINS);
    tables.tickets = scratch_take<uint32_t>(scratch, 2 * RADIX_DIGITS * portions);
    tables.groups = scratch_take<uint64_t>(scratch, 1 + CUDA_TUNE_RADIX_GROUPS);
    tables.claims = scratch_take<uint64_t>(scratch, 2 * CUDA_TUNE_RADIX_GROUPS);
    tables.sampled = key_size < 4 ? 0 : radix_sampled(n);
    tables.sample = scratch_take<uint64_t>(scratch, 2 * (size_t)tables.sampled);
    tables.status = scratch_take<uint32_t>(scratch, tiles.count * RADIX_BINS);
    tables.even = scratch_take<even_state>(scratch, 1);
    tables.even_counts = scratch_take<uint32_t>(scratch, EVEN_MOST);
    /* Not less for more keys, although then each code has more keys. */
    size_t const most_codes = n / CUDA_TUNE_EVEN_GROUP + 4 * EVEN_MOST;
    tables.even_groups = scratch_take<uint32_t>(scratch, key_size < 4 ? 0 : most_codes);
    tables.zero_bytes = scratch->used - start;
    tables.even_starts = scratch_take<uint32_t>(scratch, EVEN_MOST + 1);
    tables.even_regions = scratch_take<uint32_t>(scratch, EVEN_MOST + 1);
    tables.even_tiles = scratch_take<uint32_t>(scratch, EVEN_MOST + 1);
    tables.bounds = scratch_take<uint64_t>(scratch, key_size < 4 ? 0 : leaf_tiles(n) + 1);
    tables.starts = scratch_take<uint64_t>(scratch, digits * (portions + 1) * RADIX_BINS);
    /* Unused, because scratch for n keys is enough for fewer. */
    (void)scratch_take<uint32_t>(scratch, (tiles.most - tiles.count) * RADIX_BINS);
    return tables;
}

struct radix_kernel { /* an instance of radix_pass */
    const void *function;
    unsigned    threads, tile;
    size_t      shared, most; /* bytes; blocks that can run at once */
};

template <typename VALUE, bool FEW, int ITEMS, typename CODE>
static ordo_status radix_kernel_with(cuda_call *call, CODE const &code, radix_kernel *kernel)
{
    typedef cuda_tune_radix<sizeof(typename CODE::BITS), value_traits<VALUE>::size> SHAPE;
    (void)code;
    kernel->function = (const void *)radix_pass<CODE, VALUE, SHAPE, FEW, ITEMS>;
    kernel->threads = SHAPE::THREADS;
    kernel->tile = SHAPE::THREADS * ITEMS;
    kernel->shared = sizeof(radix_pass_shared<CODE, VALUE, SHAPE::THREADS, ITEMS>);
    int resident;
    TRY(cuda_allow_shared(call, kernel->function, kernel->shared));
    CUDA_TRY(call->exec, cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                             &resident, kernel->function, (int)kernel->threads, kernel->shared));
    kernel->most = (size_t)(resident * call->facts->sms);
    return ORDO_OK;
}

template <typename VALUE, bool FEW, typename CODE>
static ordo_status radix_kernel_of(cuda_call *call, CODE const &code, size_t n,
                                   radix_kernel *kernel)
{
    constexpr int                                           KEY = sizeof(typename CODE::BITS);
    typedef cuda_tune_radix<KEY, value_traits<VALUE>::size> SHAPE;
    typedef radix_middle<KEY, value_traits<VALUE>::size>    MIDDLE;
    if constexpr (MIDDLE::ITEMS != 0 && (MIDDLE::TO <= CUDA_TUNE_RADIX_FEW) == FEW)
        if (radix_is_middle<KEY, value_traits<VALUE>::size>(n))
            return radix_kernel_with<VALUE, FEW, MIDDLE::ITEMS>(call, code, kernel);
    constexpr int ITEMS = FEW ? SHAPE::FEW : SHAPE::ITEMS;
    return radix_kernel_with<VALUE, FEW, ITEMS>(call, code, kernel);
}

/* Enqueues the steps of a list: one cooperative launch, or, for an array of several portions, one
 * launch for each step and portion and one for the work after them. */
template <typename CODE>
static ordo_status radix_launch_list(cuda_call *call, const radix_kernel *kernel,
                                     const radix_job *job, CODE code, radix_tables tables,
                                     bool again, bool only_leaves)
{
    unsigned const tile = kernel->tile;
    size_t const   portion_keys = CUDA_TUNE_RADIX_PORTION / tile * tile;
    size_t const   tiles = ordo_div_up(job->n, tile), blocks = ordo_min(tiles, kernel->most);
    radix_portion  portion = {0, job->n, 0, (uint32_t)tiles, 0};
    radix_range    range = {0, job->key_size, {!again, again}, true, false, only_leaves};
    void          *arguments[] = {(void *)job, &code, &tables, &portion, &range};
    if (tables.portions > 1) {
        range.settle = false;
        for (unsigned step = 0; step < job->key_size; step++)
            for (size_t q = 0; q < tables.portions; q++) {
                range.first = step;
                range.last = step + 1;
                portion.first = q * portion_keys;
                portion.keys = ordo_min(portion_keys, job->n - portion.first);
                portion.first_tile = (uint32_t)(q * (portion_keys / tile));
                portion.tiles = (uint32_t)ordo_div_up(portion.keys, tile);
                portion.number = (uint32_t)q;
                CUDA_TRY(call->exec,
                         cudaLaunchKernel(kernel->function,
                                          dim3((unsigned)ordo_min(portion.tiles, kernel->most)),
                                          dim3(kernel->threads), arguments, kernel->shared,
                                          call->stream));
            }
        range.first = range.last = job->key_size; /* no step, only the work after the steps */
        range.settle = true;
    }
    CUDA_TRY(call->exec, cudaLaunchCooperativeKernel(kernel->function, dim3((unsigned)blocks),
                                                     dim3(kernel->threads), arguments,
                                                     kernel->shared, call->stream));
    return ORDO_OK;
}

/* Enqueues the finish; for few keys in one launch with both lists. */
template <typename CODE>
static ordo_status radix_launch_finish(cuda_call *call, const radix_kernel *kernel,
                                       const radix_job *job, CODE code, radix_tables tables,
                                       bool lists)
{
    size_t const  tiles = ordo_div_up(job->n, kernel->tile);
    radix_portion portion = {0, job->n, 0, (uint32_t)ordo_min(tiles, UINT32_MAX), 0};
    radix_range range = {0, job->key_size, {lists, lists && job->finish}, true, job->finish, false};
    void       *arguments[] = {(void *)job, &code, &tables, &portion, &range};
    CUDA_TRY(call->exec, cudaLaunchCooperativeKernel(
                             kernel->function, dim3((unsigned)ordo_min(tiles, kernel->most)),
                             dim3(kernel->threads), arguments, kernel->shared, call->stream));
    return ORDO_OK;
}

template <typename VALUE, typename CODE>
static ordo_status radix_run(cuda_call *call, const radix_job *given, CODE code,
                             radix_tables tables)
{
    constexpr int  VALUE_SIZE = value_traits<VALUE>::size;
    constexpr bool LEAF = VALUE_SIZE == 0 || VALUE_SIZE + sizeof(typename CODE::BITS) == 8;
    constexpr bool LARGE = LEAF && VALUE_SIZE != 0;
    radix_kernel   few, many;
    radix_job      copy = *given;
    copy.leaf &= sizeof(leaf_shared<CODE, VALUE, false>) <= call->facts->shared_bytes;
    copy.large = LARGE && copy.leaf && copy.n > CUDA_TUNE_LEAF_LARGE &&
                 sizeof(leaf_shared<CODE, VALUE, false, leaf_large>) <= call->facts->shared_bytes;
    const radix_job *const job = &copy;
    CUDA_TRY(call->exec, cudaMemsetAsync(tables.plan, 0, tables.zero_bytes, call->stream));
    if constexpr (!CODE::folds &&
                  even_serves(sizeof(typename CODE::BITS), CODE::is_float, VALUE_SIZE))
        if (job->even)
            TRY(even_run<VALUE>(call, job, code, tables));
    if constexpr (sizeof(typename CODE::BITS) == 4)
        if (job->grid) {
            bool enqueued = false;
            TRY(grid_run<value_traits<VALUE>::exists>(call, job, code, tables, &enqueued));
            copy.leaf &= !enqueued; /* keys that leaves could sort are sorted */
            copy.finish &= !enqueued;
        }
    TRY(radix_make_plan(call, job, code, tables));
    TRY((radix_kernel_of<VALUE, true>(call, code, job->n, &few)));
    auto const leaves = [&]() -> ordo_status {
        if constexpr (LEAF)
            TRY((leaf_launch<VALUE, false>(call, radix_leaves<CODE, VALUE, leaf_plain>, job, code,
                                           tables)));
        if constexpr (LARGE)
            if (job->large)
                TRY((leaf_launch<VALUE, false, leaf_large>(
                    call, radix_leaves<CODE, VALUE, leaf_large>, job, code, tables)));
        return ORDO_OK;
    };
    if (job->n <= CUDA_TUNE_RADIX_FEW) {
        TRY(radix_launch_finish(call, &few, job, code, tables, true));
        if (!job->leaf)
            return ORDO_OK;
        TRY(leaves());
        return radix_launch_list(call, &few, job, code, tables, true, true);
    }
    TRY((radix_kernel_of<VALUE, false>(call, code, job->n, &many)));
    TRY(radix_launch_list(call, &many, job, code, tables, false, false));
    if (!job->finish)
        return ORDO_OK;
    if (job->leaf)
        TRY(leaves());
    TRY(radix_launch_finish(call, &few, job, code, tables, false));
    return radix_launch_list(call, &many, job, code, tables, true, false);
}

/* Calls f with the radix_code of a type. If the original keys need not be restored, ties may be
 * folded when keys are encoded: `ties` KEY_FOLDED, and TIES false. */
template <bool TIES, typename F>
static inline ordo_status with_radix_code(ordo_type type, bool descending, key_ties ties, F &&f)
{
    return with_key_code(type, descending, ties, [&](auto total) {
        typedef decltype(total)         KEY_CODE;
        typedef typename KEY_CODE::BITS BITS;
        if constexpr (KEY_CODE::is_float) {
            BITS const plus =
                (sizeof(BITS) == 4 ? (BITS)KEY_MINUS_ZERO_F32 : (BITS)KEY_MINUS_ZERO_F64) + 1;
            BITS const inf = sizeof(BITS) == 4 ? (BITS)KEY_INF_F32 : (BITS)KEY_INF_F64;
            BITS const zero = descending ? inf - plus + 1 : plus;
            radix_code<BITS, true, TIES> const code = {total, (BITS)(zero - 1), zero, inf};
            return f(code);
        } else if constexpr (sizeof(BITS) < 4) {
            radix_code<uint32_t, false, false> const code = {{(uint32_t)total.flip}, 0, 0, 0};
            return f(code);
        } else {
            radix_code<BITS, false, false> const code = {total, 0, 0, 0};
            return f(code);
        }
    });
}

/* ---- arrays in shared memory: dev_radix_small.cu, dev_radix_cluster.cu ---------------------- */

static constexpr int RADIX_WALK = 48; /* largest group of keys with one prefix */

/* The first bit to sort by: the leading PREFIX of the bits [low, high), or all of them if more than
 * one key in 128 shares them with one of four other keys of its warp. `mine`: a key of each thread,
 * if `here`. Called by all threads of a block; valid in all. Contains a barrier. */
template <unsigned PREFIX, typename BITS>
static DEVICE unsigned radix_prefix(BITS mine, bool here, unsigned low, unsigned high)
{
    if (high - low <= PREFIX)
        return low;
    unsigned const leading = (unsigned)(mine >> (high - PREFIX)) % (1u << PREFIX);
    unsigned const own = here ? leading : ~threadIdx.x;
    bool           shared = false;
#pragma unroll
    for (unsigned far = 1; far < 16; far *= 2)
        shared |= __shfl_xor_sync(WARP_ALL, own, far + 16) == own;
    return (unsigned)__syncthreads_count(shared) * 128 > blockDim.x ? low : high - PREFIX;
}

/* The final place of the key `mine` at `place`: its place among the keys with the same prefix, when
 * n keys are sorted by the bits from `shift` on. bits_at(p) returns the key bits at place p. Sets
 * *too_long if the group is too large. */
template <typename BITS, typename F>
static DEVICE uint32_t radix_place(uint32_t place, uint32_t n, BITS mine, unsigned shift,
                                   bool *too_long, F &&bits_at)
{
    unsigned left = 0, right = 0, before = 0;
    for (; left < RADIX_WALK && left < place; left++) {
        BITS const other = bits_at(place - left - 1);
        if (other >> shift != mine >> shift)
            break;
        before += other <= mine;
    }
    for (; left + right < RADIX_WALK && place + right + 1 < n; right++) {
        BITS const other = bits_at(place + right + 1);
        if (other >> shift != mine >> shift)
            break;
        before += other < mine;
    }
    *too_long |= left + right >= RADIX_WALK;
    return place - left + before;
}

/* dev_radix_values.cu: pairs and indices, with values of job->value_size bytes. */
ordo_status radix_run_values(cuda_call *call, const radix_job *job, ordo_type type, bool descending,
                             radix_tables tables);

/* dev_radix_small.cu: arrays that fit one block, n >= 1. Uses job->keys[0], values[0] and source;
 * the other arrays may be NULL. */
bool        radix_is_small(const cuda_call *call, const radix_job *job);
ordo_status radix_small(cuda_call *call, const radix_job *job, ordo_type type, bool descending);

/* dev_radix_cluster.cu: the same for arrays that fit one cluster of blocks. */
bool        radix_fits_cluster(const cuda_call *call, const radix_job *job);
ordo_status radix_cluster(cuda_call *call, const radix_job *job, ordo_type type, bool descending);

#endif
