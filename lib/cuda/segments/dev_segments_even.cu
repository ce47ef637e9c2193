/* dev_segments_even.cu - sorts long segments of evenly spread keys of 4 bytes alone.
 *
 * A sample of each segment gives a map from keys to codes, as in dev_radix_even.cu; a code has
 * about EVEN_ROW_GROUP keys. One pass counts the codes of all segments, a second one writes the
 * keys to the places of their codes, and blocks sort consecutive codes that fit in shared memory
 * (dev_radix_leaf.cuh). A segment whose sample repeats keys, or with a code of too many keys, is
 * left to segment_split.cuh. Nothing is written to the result before that is known. Segments that
 * overlap because of bad offsets may mix their keys; every write stays within a segment. Memory
 * moved: three reads and two writes. */
#include "cuda/block/block_before.cuh"
#include "cuda/block/block_bitonic.cuh"
#include "cuda/block/block_tile.cuh"
#include "cuda/segments/segment_even.cuh"
#include "cuda/sort/dev_radix_leaf.cuh"

segment_even segment_even_layout(cuda_scratch *scratch, size_t segments, size_t tiles)
{
    segment_even even = {};
    even.segments = segments;
    even.entries = tiles * SEGMENT_EVEN_EACH;
    even.state = scratch_take<segment_even_state>(scratch, 1);
    even.maps = scratch_take<segment_even_map>(scratch, segments);
    even.counts = scratch_take<uint32_t>(scratch, even.entries);
    even.bounds = scratch_take<uint64_t>(scratch, even.entries + 1);
    return even;
}

/* Makes the maps of all long segments and zeroes their counts; codes is 0 for segments that are not
 * even. */
template <typename CODE>
static __global__ void __launch_bounds__(FIT_THREADS)
    even_fit(const __grid_constant__ segment_classes classes, const uint32_t *keys, CODE const code,
             segment_split const split, segment_even const even)
{
    __shared__ fit_shared shared;
    uint64_t const        segments = segment_slots_count(classes);
    for (uint64_t i = blockIdx.x; i < segments; i += gridDim.x) {
        segment_large const     here = split_segment(classes, i);
        uint32_t const          wanted = fit_codes(here.where.length);
        segment_even_map *const found = even.maps + i;
        even_kind               kind = EVEN_LINEAR;
        uint32_t                codes = 0;
        if (here.where.length != 0 && wanted != 0 && !split_is_left_out(split, i))
            codes =
                fit_map(&shared, code, keys + here.where.start, here.where.length, wanted, &kind);
        if (codes != 0) {
            if (threadIdx.x < EVEN_PARTS)
                found->bend[threadIdx.x] = shared.bend[threadIdx.x];
            if (threadIdx.x < sizeof shared.line / 4)
                found->line[threadIdx.x] = shared.line[threadIdx.x];
            if (threadIdx.x < codes)
                even.counts[here.first_tile * SEGMENT_EVEN_EACH + threadIdx.x] = 0;
        }
        if (threadIdx.x == 0) {
            found->kind = kind;
            found->codes = codes;
            if (codes != 0)
                even.state->fit = 1;
        }
    }
}

/* ---- Passes over the tiles ---- */

struct row_tile {
    uint64_t start; /* of the segment */
    uint64_t table; /* first entry of the segment */
    uint64_t first; /* place of the tile in the segment */
    uint32_t valid; /* keys */
};

/* Calls f(tile, is_last) for the tiles t to end - 1 of a segment; `at` is tile t. */
template <typename F>
static DEVICE void row_each_of_segment(const tile_place &at, uint64_t t, uint64_t end, F &&f)
{
    uint64_t const table = at.first_tile * SEGMENT_EVEN_EACH;
    uint64_t       first = at.first;
    for (; t < end; t++, first += ROW_TILE)
        f(row_tile{at.where.start, table, first,
                   (uint32_t)min(at.where.length - first, (uint64_t)ROW_TILE)},
          t + 1 == end);
}

/* Calls f(tile, map, is_last) for each tile of an even segment that this block takes: consecutive
 * ones. is_last: the next tile is of another segment or block. `bend` is in shared memory. Contains
 * barriers. */
template <typename CODE, typename F>
static DEVICE void row_each_tile(const segment_classes &classes, const segment_even &even,
                                 uint32_t *bend, F &&f)
{
    uint64_t const tiles = segment_tiles_count(classes);
    uint64_t const last = tiles * (blockIdx.x + 1) / gridDim.x;
    for (uint64_t t = tiles * blockIdx.x / gridDim.x; t < last;) {
        tile_place const              at = place_of_tile(classes, t);
        const segment_even_map *const from = even.maps + at.slot;
        uint64_t const                left = at.where.length - min(at.first, at.where.length);
        uint64_t const                begin = t;
        t = min(last, t + max((left + ROW_TILE - 1) / ROW_TILE, (uint64_t)1));
        if (at.where.length == 0 || from->codes == 0)
            continue;
        auto const walk = [&](auto const &codes) {
            row_each_of_segment(
                at, begin, t, [&](const row_tile &tile, bool is_last) { f(tile, codes, is_last); });
        };
        __syncthreads(); /* the table may be written again */
        if (from->kind != EVEN_LINEAR && threadIdx.x < EVEN_PARTS)
            bend[threadIdx.x] = from->bend[threadIdx.x];
        __syncthreads();
        if (from->kind == EVEN_LINEAR)
            walk(even_line_at<even_map<CODE>>(from->line));
        else if (!CODE::is_float || from->kind == EVEN_BENT)
            walk(even_bent<CODE>{even_line_at<even_map<CODE>>(from->line), bend});
        else
            walk(even_bent_bits<CODE>{
                {even_line_at<even_map<even_bits_code<CODE>>>(from->line), bend}});
    }
}

static DEVICE void row_load(const uint32_t *keys, const row_tile &tile, uint32_t (&key)[ROW_ITEMS])
{
    const uint32_t *const from = keys + tile.start + tile.first + threadIdx.x;
    if (tile.valid == ROW_TILE) {
#pragma unroll
        for (int i = 0; i < ROW_ITEMS; i++)
            load_global(key[i], from + i * EVEN_THREADS);
        return;
    }
#pragma unroll
    for (int i = 0; i < ROW_ITEMS; i++)
        if (i * EVEN_THREADS + threadIdx.x < tile.valid)
            load_global(key[i], from + i * EVEN_THREADS);
}

/* Counts the codes of the even segments. */
template <typename CODE>
static __global__ void __launch_bounds__(EVEN_THREADS, 3)
    even_count_rows(const __grid_constant__ segment_classes classes, const uint32_t *keys,
                    CODE const code, segment_even const even)
{
    __shared__ uint32_t count[EVEN_MOST], bend[EVEN_PARTS];
    if (even.state->fit == 0)
        return;
    count[threadIdx.x] = 0;
    row_each_tile<CODE>(
        classes, even, bend, [&](const row_tile &tile, auto const &codes, bool is_last) {
            uint32_t key[ROW_ITEMS];
            row_load(keys, tile, key);
            if (tile.valid == ROW_TILE && warp_alike(codes.of(code, key[0]))) {
#pragma unroll
                for (int i = 0; i < ROW_ITEMS; i++)
                    warp_add_alike(count, codes.of(code, key[i]));
            } else {
#pragma unroll
                for (int i = 0; i < ROW_ITEMS; i++)
                    if (i * EVEN_THREADS + threadIdx.x < tile.valid)
                        atomicAdd(count + codes.of(code, key[i]), 1u);
            }
            if (!is_last)
                return;
            __syncthreads();
            if (count[threadIdx.x] != 0)
                atomicAdd(even.counts + tile.table + threadIdx.x, count[threadIdx.x]);
            count[threadIdx.x] = 0;
        });
}

/* Turns the counts of each even segment into bounds and places; one warp per segment. Segments with
 * a code of too many keys become uneven; the others are left out of the split. */
static __global__ void __launch_bounds__(SPLIT_THREADS)
    even_bounds_rows(const __grid_constant__ segment_classes classes, segment_split const split,
                     segment_even const even)
{
    uint64_t const warps = (uint64_t)gridDim.x * (SPLIT_THREADS / WARP_LANES);
    uint64_t const segments = segment_slots_count(classes);
    uint64_t       i = ((uint64_t)blockIdx.x * SPLIT_THREADS + threadIdx.x) / WARP_LANES;
    for (; i < segments; i += warps) {
        uint32_t const      codes = even.maps[i].codes;
        segment_large const here = split_segment(classes, i);
        uint64_t const      table = here.first_tile * SEGMENT_EVEN_EACH;
        uint32_t            most = 0;
        for (unsigned c = lane_id(); c < codes; c += WARP_LANES)
            most = max(most, even.counts[table + c]);
        if (codes == 0 || __reduce_max_sync(WARP_ALL, most) > (uint32_t)LEAF_KEYS) {
            if (lane_id() == 0)
                even.maps[i].codes = 0;
            continue;
        }
        split_starts(even.counts + table, even.bounds + table, codes, here.where);
        if (lane_id() == 0) {
            split_leave_out(split, i);
            even.state->taken = 1;
        }
    }
}

struct row_shared {
    uint32_t keys[ROW_TILE];                  /* in the order of their codes */
    uint32_t count[EVEN_MOST], to[EVEN_MOST]; /* keys of a code, then their first place in the tile;
                                               * what to add to a place */
    uint32_t bend[EVEN_PARTS], sums[EVEN_WARPS];
};

/* Turns the counts of the tile into places and takes places of the codes for its keys. Barriers
 * must come before and after. */
static DEVICE void row_take(row_shared *shared, const row_tile &tile, const segment_even &even)
{
    unsigned const me = threadIdx.x;
    uint32_t const own = shared->count[me];
    uint32_t const taken = own != 0 ? atomicAdd(even.counts + tile.table + me, own) : 0;
    uint32_t const start = block_sum_before<EVEN_WARPS>(own, shared->sums);
    shared->count[me] = start;
    shared->to[me] = taken - start;
}

/* Writes the keys of the even segments to the places of their codes. */
template <typename CODE>
static __global__ void __launch_bounds__(EVEN_THREADS, 2)
    even_scatter_rows(const __grid_constant__ segment_classes classes, const uint32_t *keys,
                      CODE const code, segment_even const even, uint32_t *out)
{
    extern __shared__ uint4 row_bytes_of_tile[];
    row_shared *const       shared = (row_shared *)row_bytes_of_tile;
    if (even.state->taken == 0)
        return;
    shared->count[threadIdx.x] = 0;
    row_each_tile<CODE>(
        classes, even, shared->bend, [&](const row_tile &tile, auto const &codes, bool) {
            uint32_t key[ROW_ITEMS], ranked[ROW_ITEMS]; /* rank above code */
            row_load(keys, tile, key);
            tile_count<EVEN_THREADS, ROW_ITEMS>(
                tile.valid, shared->count, [&](int i) { return codes.of(code, key[i]); },
                [&](int i, unsigned mine, uint32_t rank) { ranked[i] = rank << 16 | mine; });
            __syncthreads();
            row_take(shared, tile, even);
            __syncthreads();
            tile_each<EVEN_THREADS, ROW_ITEMS>(tile.valid, [&](int i, unsigned) {
                shared->keys[shared->count[ranked[i] & 0xffff] + (ranked[i] >> 16)] = key[i];
            });
            __syncthreads();
            shared->count[threadIdx.x] = 0;
            tile_each<EVEN_THREADS, ROW_ITEMS>(tile.valid, [&](int, unsigned p) {
                uint32_t const moved = shared->keys[p];
                out[tile.start + shared->to[codes.of(code, moved)] + p] = moved;
            });
            __syncthreads();
        });
}

/* ---- Leaves ---- */

template <typename CODE> using even_row_shared = leaf_shared<CODE, radix_no_value, false>;

/* Sorts the keys of consecutive codes that fit, of all even segments. A block takes consecutive
 * entries of the table; unused ones are UINT64_MAX. */
template <typename CODE>
static __global__ void __launch_bounds__(leaf_plain::THREADS, leaf_resident<CODE, radix_no_value>)
    even_row_leaves(__grid_constant__ leaf_array<CODE, radix_no_value> const array,
                    const __grid_constant__ segment_classes classes, segment_even const even)
{
    typedef even_row_shared<CODE> SHARED;
    extern __shared__ uint4       leaf_memory[];
    SHARED *const                 shared = (SHARED *)leaf_memory;
    if (even.state->taken == 0)
        return;
    uint64_t const entries = segment_tiles_count(classes) * SEGMENT_EVEN_EACH;
    uint32_t const last = (uint32_t)(entries * (blockIdx.x + 1) / gridDim.x);
    unsigned       most = WARP_LANES; /* codes of the next leaf */
    for (uint32_t t = (uint32_t)(entries * blockIdx.x / gridDim.x); t < last;) {
        uint64_t const bound = t + lane_id() <= last ? even.bounds[t + lane_id()] : UINT64_MAX;
        uint64_t const first = __shfl_sync(WARP_ALL, bound, 0);
        bool const     is_used = bound != UINT64_MAX;
        uint32_t const used = __ballot_sync(WARP_ALL, is_used);
        uint32_t const fit = __ballot_sync(WARP_ALL, is_used && bound - first <= LEAF_KEYS);
        if (first == UINT64_MAX) {
            t += used == 0 ? WARP_LANES : (unsigned)__ffs((int)used) - 1;
            continue;
        }
        /* the codes up to the first bound that does not fit */
        unsigned const fitting =
            fit == UINT32_MAX ? WARP_LANES - 1 : (unsigned)__ffs((int)~fit) - 2;
        unsigned const taken = min(fitting, most);
        unsigned const count = (unsigned)(__shfl_sync(WARP_ALL, bound, taken) - first);
        unsigned       patience = 0;
        most = WARP_LANES;
        if (count != 0 && !leaf_sort(array, shared, first, count, &patience)) {
            __syncthreads(); /* the shared memory may be written again */
            if (taken > 1) { /* a code alone may have a smaller range */
                most = 1;
                continue;
            }
            if (threadIdx.x == 0)
                even.counts[atomicAdd(&even.state->full, 1u)] = t;
        }
        t += max(taken, 1u);
    }
}

/* Sorts the codes whose keys fill buckets, by a network. The counts of the codes are a list of the
 * entries of these codes. */
template <typename CODE>
static __global__ void __launch_bounds__(leaf_plain::THREADS)
    even_full_leaves(__grid_constant__ leaf_array<CODE, radix_no_value> const array,
                     segment_even const                                       even)
{
    __shared__ uint32_t tile[bitonic_room<uint32_t>(FULL_KEYS)];
    static_assert(LEAF_KEYS <= FULL_KEYS, "a leaf fits in the tile");
    uint32_t const full = even.state->full;
    for (uint32_t i = blockIdx.x; i < full; i += gridDim.x) {
        const uint64_t *const bounds = even.bounds + even.counts[i];
        uint64_t const        first = bounds[0];
        unsigned const        count = (unsigned)(bounds[1] - first);
        unsigned const        padded = bitonic_tile(count);
        for (unsigned p = threadIdx.x; p < padded; p += leaf_plain::THREADS)
            tile[bitonic_at<uint32_t>(p)] =
                p < count ? array.code.encode(array.keys_in[first + p]) : UINT32_MAX;
        block_bitonic_sort(tile, padded);
        for (unsigned p = threadIdx.x; p < count; p += leaf_plain::THREADS)
            array.store(first + p, tile[bitonic_at<uint32_t>(p)]);
        __syncthreads();
    }
}

/* ---- The sort ---- */

template <typename CODE>
static ordo_status even_run_rows(cuda_call *call, const segment_plan *plan,
                                 const segment_job<uint32_t> &job, CODE const &code)
{
    const segment_even   &even = plan->even;
    const segment_split  &split = plan->splits[0];
    const uint32_t *const keys = (const uint32_t *)job.in;
    uint32_t *const       moved = (uint32_t *)plan->records[0];
    size_t const          leaf = sizeof(even_row_shared<CODE>), tile = sizeof(row_shared);
    auto *const           leaves = even_row_leaves<CODE>;
    auto *const           scatter = even_scatter_rows<CODE>;
    leaf_array<CODE, radix_no_value> const array = {
        moved, (uint32_t *)job.out, NULL, NULL, false, true, 0, code};
    TRY(cuda_allow_shared(call, leaves, leaf));
    TRY(cuda_allow_shared(call, scatter, tile));
    CUDA_TRY(call->exec, cudaMemsetAsync(even.bounds, 0xff,
                                         (even.entries + 1) * sizeof *even.bounds, call->stream));
    CUDA_TRY(call->exec, cudaMemsetAsync(even.state, 0, sizeof *even.state, call->stream));
    TRY(CUDA_LAUNCH(call, even_fit<CODE>, segment_grid(call, even.segments, 1, 2), FIT_THREADS, 0,
                    plan->classes, keys, code, split, even));
    TRY(CUDA_LAUNCH(call, even_count_rows<CODE>, segment_grid(call, plan->classes.most_tiles, 1, 3),
                    EVEN_THREADS, 0, plan->classes, keys, code, even));
    TRY(CUDA_LAUNCH(call, even_bounds_rows,
                    segment_grid(call, even.segments * WARP_LANES, SPLIT_THREADS, 4), SPLIT_THREADS,
                    0, plan->classes, split, even));
    TRY(CUDA_LAUNCH(call, scatter, segment_grid(call, plan->classes.most_tiles, 1, 2), EVEN_THREADS,
                    tile, plan->classes, keys, code, even, moved));
    TRY(CUDA_LAUNCH(
        call, leaves,
        segment_grid(call, plan->classes.most_tiles, 1, leaf_resident<CODE, radix_no_value>),
        leaf_plain::THREADS, leaf, array, plan->classes, even));
    return CUDA_LAUNCH(call, even_full_leaves<CODE>,
                       segment_grid(call, plan->classes.most_tiles, 1, 2), leaf_plain::THREADS, 0,
                       array, even);
}

ordo_status segments_sort_even(cuda_call *call, const segment_plan *plan,
                               const segment_job<uint32_t> &job)
{
    if (call->facts->shared_bytes < sizeof(even_row_shared<even_real_code>))
        return ORDO_OK;
    if (!job.code.is_real)
        return even_run_rows(call, plan, job, even_integer_code{job.code.integer, 0, 0, 0});
    return even_run_rows(call, plan, job, even_real_code{job.code.real, 0, 0, KEY_INF_F32});
}
