/* segment_pivots.cuh - the keys of any rank in rows of 65 to 1024 f32, by pivots.
 *
 * 2^M lanes of a warp search a row (segment_pivot_row.cuh). Rows without gaps come through shared
 * memory: a bulk copy brings the next rows of a warp while it searches. Rows whose search is lost,
 * mostly because of NaNs, go to a list for segment_planes.cuh. A warp that lists most rows does so
 * without a search for a while; a warp that needs samples takes them at once for a while. With one
 * target, a warp writes the results of several turns together. Cost: one read. */
#ifndef ORDO_CUDA_SEGMENTS_SELECT_SEGMENT_PIVOTS_H
#define ORDO_CUDA_SEGMENTS_SELECT_SEGMENT_PIVOTS_H

#include "cuda/block/tile_ring.cuh"
#include "cuda/segments/select/segment_pivot_row.cuh"
#include "cuda/segments/select/segment_planes.cuh"
#include "cuda/segments/select/segment_targets.cuh"

enum {
    PIVOT_THREADS = 128,
    PIVOT_WARPS = PIVOT_THREADS / 32,
    PIVOT_TARGETS = 8, /* most targets of a call */
    PIVOT_FIRST_M = 1,
    PIVOT_LAST_M = 4,
    PIVOT_TRUST = 4,   /* turns with many lost searches that a warp accepts */
    PIVOT_REST = 60,   /* turns without a search after that */
    PIVOT_SAMPLED = 30 /* turns with samples only, after a turn in which means have failed */
};

/* Blocks of a multiprocessor, which the registers allow. */
static __host__ DEVICE constexpr int pivot_resident(int m) { return m == 2 ? 5 : 4; }

/* Rows that planes search; in device scratch. */
struct pivot_left {
    unsigned long long *count;
    uint64_t           *rows; /* NULL: the search by pivots is not used */
};

/* Whether rows of this length and type are searched by pivots, if they are aligned. */
static inline bool pivots_fit(const ordo_segment_view *view, ordo_type type)
{
    return type == ORDO_F32 && view->offsets == NULL &&
           view->length > (size_t)PIVOT_ITEMS << (PIVOT_FIRST_M - 1) &&
           view->length <= (size_t)PIVOT_ITEMS << PIVOT_LAST_M;
}

static inline pivot_left pivot_left_layout(cuda_scratch *scratch, const ordo_segment_view *view,
                                           ordo_type type)
{
    pivot_left left = {};
    if (!pivots_fit(view, type))
        return left;
    left.count = scratch_take<unsigned long long>(scratch, 1);
    left.rows = scratch_take<uint64_t>(scratch, view->count);
    return left;
}

/* Whether a warp searches its rows, from the searches before. */
struct pivot_trust {
    int balance = PIVOT_TRUST, rest = 0, sampled = 0;

    DEVICE bool searches(void)
    {
        if (rest == 0)
            return true;
        rest--;
        return false;
    }
    /* The result of a turn: whether most rows are found, and whether samples were needed. */
    DEVICE void note(bool found, bool by_sample)
    {
        sampled = !by_sample || !found ? 0 : sampled > 0 ? sampled - 1 : (int)PIVOT_SAMPLED;
        balance = found ? min(balance + 1, (int)PIVOT_TRUST) : balance - 1;
        if (balance > 0)
            return;
        rest = PIVOT_REST;
        balance = 1;
    }
};

/* Appends the rows of the groups with `wants` in their first lane to the list. By all lanes. */
static DEVICE void pivot_list(const pivot_left &left, bool wants, uint64_t number)
{
    unsigned const     listed = __ballot_sync(WARP_ALL, wants);
    unsigned long long at = 0;
    if (listed == 0)
        return;
    if (lane_id() == 0)
        at = atomicAdd(left.count, (unsigned long long)__popc(listed));
    at = __shfl_sync(WARP_ALL, at, 0);
    if (wants)
        left.rows[at + (unsigned)__popc(listed & lanes_before())] = number;
}

/* The next rows of a warp in shared memory, which a bulk copy fills while the warp searches. */
struct pivot_stage {
    alignas(128) float rows[PIVOT_ITEMS * WARP_LANES];
    uint64_t barrier;
};

/* Where the rows of a warp come from: shared memory, one turn ahead, or directly. */
template <int M, bool FULL, bool STAGED> struct pivot_reader {
    static constexpr unsigned GROUPS = WARP_LANES >> M;
    pivot_stage              *stage;
    const float              *keys;
    const segment_map        &rows;
    unsigned                  parity;
    bool                      is_filled;

    DEVICE pivot_reader(pivot_stage *stage_, const float *keys_, const segment_map &rows_)
        : stage(stage_), keys(keys_), rows(rows_), parity(0), is_filled(false)
    {
        if constexpr (STAGED) {
            if (lane_id() == 0)
                ring_init(&stage->barrier, RING_FILL);
            ring_wrote();
            __syncwarp();
        }
    }

    DEVICE void fill(uint64_t first)
    {
        uint64_t const count = min((uint64_t)GROUPS, rows.count - first);
        ring_fill((char *)stage->rows, (const char *)(keys + first * rows.length),
                  (unsigned)(count * rows.length * sizeof(float)), &stage->barrier);
        is_filled = true;
    }

    /* Loads the row of this group; `number` is below the number of rows. Then starts to fill with
     * the rows from `next` on if there are some and `wants_next`. */
    DEVICE void load(pivot_row<M, FULL> *row, uint64_t first, uint64_t number, uint64_t next,
                     bool wants_next)
    {
        unsigned const n = (unsigned)rows.length;
        if constexpr (!STAGED) {
            row->load(keys + segment_at(rows, number).start, n);
        } else {
            if (!is_filled)
                fill(first);
            ring_wait(&stage->barrier, parity);
            parity ^= 1;
            row->load_staged(stage->rows + (unsigned)(number - first) * n, n);
            __syncwarp(); /* all lanes have read the rows */
            is_filled = false;
            if (wants_next && next < rows.count)
                fill(next);
        }
    }
};

/* The targets of all rows, which have the same length and no NaNs; in shared memory. */
struct pivot_options {
    segment_target each[PIVOT_TARGETS];
    uint2          ranks[PIVOT_TARGETS]; /* in ascending order of the keys */
    pivot_shape    shape;
};

static DEVICE void pivot_options_of(const segment_targets         &targets,
                                    const segment_codes<uint32_t> &codes, unsigned n, unsigned j,
                                    pivot_options *options)
{
    segment_target const target = segment_target_of(targets, j, n, 0);
    unsigned const       below = (unsigned)target.place.below, above = (unsigned)target.place.above;
    bool const           turns = codes.real.descending;
    options->each[j] = target;
    options->ranks[j] = make_uint2(turns ? n - 1 - below : below, turns ? n - 1 - above : above);
}

/* Results of a warp that are not written yet, one for each lane. With one target they are collected
 * from several turns, so that all lanes write. */
struct pivot_results {
    uint2    keys[WARP_LANES]; /* patterns of the wanted key and of the next one */
    uint64_t rows[WARP_LANES];
};

/* Called by a whole warp. */
static DEVICE void pivot_write(const segment_targets &targets, const segment_codes<uint32_t> &codes,
                               const pivot_options &options, const pivot_results &results,
                               unsigned count, unsigned j)
{
    __syncwarp();
    if (lane_id() < count) {
        uint2 const found = results.keys[lane_id()];
        segment_target_put(targets, codes, results.rows[lane_id()], j, options.each[j], found.x,
                           found.y);
    }
    __syncwarp();
}

template <int M, bool FULL, bool STAGED>
static __global__ void __launch_bounds__(PIVOT_THREADS, pivot_resident(M))
    select_by_pivots(const __grid_constant__ segment_codes<uint32_t> codes, const float *keys,
                     const __grid_constant__ segment_map     map,
                     const __grid_constant__ segment_targets targets, pivot_left const left)
{
    constexpr unsigned         GROUPS = WARP_LANES >> M;
    typedef pivot_row<M, FULL> ROW;
    __shared__ float           few[PIVOT_WARPS][GROUPS][ROW::ROOM];
    __shared__ pivot_stage     stages[STAGED ? PIVOT_WARPS : 1];
    __shared__ pivot_results   results[PIVOT_WARPS];
    __shared__ pivot_options   options;
    unsigned const             group = lane_id() >> M, warp = threadIdx.x / WARP_LANES;
    uint64_t const             step = (uint64_t)gridDim.x * PIVOT_WARPS * GROUPS;
    uint64_t                   first = ((uint64_t)blockIdx.x * PIVOT_WARPS + warp) * GROUPS;
    pivot_trust                trust;
    segment_map                rows = map;
    unsigned const             n = (unsigned)map.length, sampled = ROW::sample_size(n);
    unsigned                   waiting = 0; /* results */
    rows.offsets = NULL;                    /* known to the compiler */
    if (threadIdx.x < targets.count)
        pivot_options_of(targets, codes, n, threadIdx.x, &options);
    if (threadIdx.x == 0)
        options.shape = pivot_shape_of(n, ROW::FEW, sampled);
    __syncthreads();
    pivot_reader<M, FULL, STAGED> reader(&stages[STAGED ? warp : 0], keys, rows);
    for (; first < map.count; first += step) {
        bool const     there = first + group < map.count;
        uint64_t const number = there ? first + group : map.count - 1;
        bool const     leads = there && lane_id() % (1u << M) == 0;
        bool           is_found = reader.is_filled || trust.searches(); /* same in all lanes */
        if (is_found) {
            ROW  row;
            bool by_sample = trust.sampled > 0;
            reader.load(&row, first, number, first + step, trust.rest == 0);
            for (unsigned j = 0; j < (unsigned)targets.count; j++) {
                uint2 const ranks = options.ranks[j];
                uint2 const found = pivot_pick(row, &options.shape, few[warp][group], ranks.x,
                                               ranks.y, &is_found, &by_sample);
                if (leads) {
                    results[warp].keys[waiting + group] = found;
                    results[warp].rows[waiting + group] = number;
                }
                waiting += (unsigned)min((uint64_t)GROUPS, map.count - first);
                if (waiting > WARP_LANES - GROUPS || targets.count > 1) {
                    pivot_write(targets, codes, options, results[warp], waiting, j);
                    waiting = 0;
                }
            }
            int const found = __popc(__ballot_sync(WARP_ALL, is_found));
            trust.note(found * 4 >= (int)WARP_LANES * (ROW::SAMPLED ? 3 : 2), by_sample);
        }
        pivot_list(left, leads && !is_found, number);
    }
    if (waiting > 0)
        pivot_write(targets, codes, options, results[warp], waiting, 0);
}

/* Searches rows that pivots_fit and planes_are_vectors hold for, and lists the rows that are left.
 * The results of these are overwritten later. */
template <int M = PIVOT_FIRST_M>
static ordo_status launch_pivots(cuda_call *call, const segment_codes<uint32_t> &codes,
                                 const void *keys, const segment_map &map,
                                 const segment_targets &targets, const pivot_left &left)
{
    constexpr uint64_t MOST = (uint64_t)PIVOT_ITEMS << M;
    if constexpr (M < PIVOT_LAST_M)
        if (map.length > MOST)
            return launch_pivots<M + 1>(call, codes, keys, map, targets, left);
    size_t const rows = (size_t)PIVOT_WARPS * WARP_LANES >> M;
    size_t const grid = segment_grid(call, map.count, rows, (size_t)pivot_resident(M));
    CUDA_TRY(call->exec, cudaMemsetAsync(left.count, 0, sizeof *left.count, call->stream));
    bool const  is_packed = segments_are_dense(map);
    auto *const kernel = !is_packed           ? select_by_pivots<M, false, false>
                         : map.length == MOST ? select_by_pivots<M, true, true>
                                              : select_by_pivots<M, false, true>;
    return CUDA_LAUNCH(call, kernel, grid, PIVOT_THREADS, 0, codes, (const float *)keys, map,
                       targets, left);
}

#endif
