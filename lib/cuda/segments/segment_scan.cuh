/* segment_scan.cuh - scans every segment separately: the kernels of scans, ranks and sequences. A
 * PROBLEM reads the elements of a segment and writes the results:
 *     get(segment, j, v)        v = elements j, j + 1, ...; OP::identity() past the end
 *     put(segment, j, base, v)  writes their results; base combines all elements before
 *     start()                   the value before the first element
 * A warp, or a few of its lanes, scans a segment of up to a warp's part of a tile; blocks scan
 * longer ones a tile at a time, with look-back inside the segment (lookback.cuh). Elements are
 * combined in the order of dev_scan.cu, so a float sum equals that of a separate call on the
 * segment. Memory moved: each element once. Scratch: 16 or 32 bytes per tile of a long segment. */
#ifndef ORDO_CUDA_SEGMENTS_SEGMENT_SCAN_H
#define ORDO_CUDA_SEGMENTS_SEGMENT_SCAN_H

#include "cuda/block/block_scan.cuh"
#include "cuda/block/lookback.cuh"
#include "cuda/segments/segments.cuh"

/* The shape of a tile, as in dev_scan.cu for elements of the size of ACC. */
template <typename ACC> struct segment_shape {
    enum {
        THREADS = CUDA_TUNE_SCAN_THREADS,
        WARPS = THREADS / 32,
        ROWS = CUDA_TUNE_SCAN_ROWS,
        VECTOR = 16 / sizeof(ACC), /* elements of a lane in a row */
        ROW = 32 * VECTOR,
        PART = ROWS * ROW, /* elements of a warp */
        TILE = WARPS * PART
    };
};

template <typename ACC> struct segment_scan_work {
    segment_classes classes;
    lookback<ACC>   state;
    size_t          state_bytes; /* bytes to zero, from state.ticket on */
};

template <typename ACC>
static segment_scan_work<ACC> segment_scan_layout(cuda_scratch            *scratch,
                                                  const ordo_segment_view *view, size_t n)
{
    typedef segment_shape<ACC> SHAPE;
    segment_scan_work<ACC>     work = {};
    work.classes =
        segment_classes_layout(scratch, view, n, segment_two_classes(SHAPE::PART, SHAPE::TILE));
    size_t const begin = scratch->used;
    size_t const words = segment_classes_may_link(work.classes) ? work.classes.most_tiles : 0;
    work.state.ticket = scratch_take<unsigned long long>(scratch, 1);
    work.state.tiles = scratch_take<look_word<sizeof(ACC)>>(scratch, words);
    work.state.groups = scratch_take<look_word<sizeof(ACC)>>(scratch, words);
    work.state_bytes = scratch->used - begin;
    return work;
}

/* ---- Short segments ---- */

/* The scan of `lanes` consecutive lanes, a power of 2; q is the number of this lane among them. */
template <typename OP>
static DEVICE typename OP::ACC lanes_scan(typename OP::ACC x, unsigned q, unsigned lanes)
{
    for (unsigned step = 1; step < lanes; step *= 2) {
        typename OP::ACC const left = __shfl_up_sync(WARP_ALL, x, step);
        if (q >= step)
            x = OP::add(left, x);
    }
    return x;
}

/* Scans the segments of more than `least` and at most `most` elements, each by `lanes` lanes of a
 * warp. A segment has one row, or `lanes` is 32. */
template <typename PROBLEM>
static __global__ void __launch_bounds__(CUDA_TUNE_SCAN_THREADS)
    scan_short_segments(const __grid_constant__ PROBLEM     problem,
                        const __grid_constant__ segment_map map, unsigned lanes, uint64_t least,
                        uint64_t most)
{
    typedef typename PROBLEM::OP OP;
    typedef typename OP::ACC     ACC;
    constexpr unsigned           VECTOR = segment_shape<ACC>::VECTOR;
    unsigned const lane = lane_id(), q = lane & (lanes - 1), each = WARP_LANES / lanes;
    uint64_t const warps = (uint64_t)gridDim.x * (CUDA_TUNE_SCAN_THREADS / WARP_LANES);
    uint64_t const warp =
        ((uint64_t)blockIdx.x * CUDA_TUNE_SCAN_THREADS + threadIdx.x) / WARP_LANES;
    for (uint64_t first = warp * each; first < map.count; first += warps * each) {
        uint64_t const i = first + lane / lanes;
        segment        here = i < map.count ? segment_at(map, i) : segment{0, 0};
        if (here.length <= least || here.length > most)
            here.length = 0;
        ACC so_far = OP::identity();
        for (uint64_t row = 0; __any_sync(WARP_ALL, row < here.length); row += lanes * VECTOR) {
            uint64_t const j = row + q * VECTOR;
            ACC            v[VECTOR];
            problem.get(here, j, v);
            ACC sum = v[0];
#pragma unroll
            for (unsigned e = 1; e < VECTOR; e++)
                sum = OP::add(sum, v[e]);
            ACC const scanned = lanes_scan<OP>(sum, q, lanes);
            ACC const left = __shfl_up_sync(WARP_ALL, scanned, 1);
            ACC const before = OP::add(so_far, q == 0 ? OP::identity() : left);
            so_far = OP::add(so_far, __shfl_sync(WARP_ALL, scanned, lane | (lanes - 1)));
            problem.put(here, j, OP::add(problem.start(), before), v);
        }
    }
}

/* ---- Long segments ---- */

/* Scans the segments longer than a part, one tile at a time. */
template <typename PROBLEM>
static __global__ void __launch_bounds__(CUDA_TUNE_SCAN_THREADS, 3)
    scan_segment_tiles(const __grid_constant__ PROBLEM         problem,
                       const __grid_constant__ segment_classes classes,
                       lookback<typename PROBLEM::OP::ACC>     state)
{
    typedef typename PROBLEM::OP OP;
    typedef typename OP::ACC     ACC;
    typedef segment_shape<ACC>   SHAPE;
    constexpr unsigned           ROWS = SHAPE::ROWS, ROW = SHAPE::ROW, VECTOR = SHAPE::VECTOR;
    __shared__ ACC               totals[SHAPE::WARPS], looked[SHAPE::WARPS + 1];
    __shared__ segment_part      taken;
    unsigned const               warp = threadIdx.x / WARP_LANES, lane = lane_id();
    uint64_t const               tiles = segment_tiles_count(classes);
    for (;;) {
        __syncthreads(); /* shared memory may be written again */
        if (threadIdx.x == 0) {
            uint64_t const ticket = atomicAdd(state.ticket, 1ull);
            taken = ticket < tiles ? segment_tile_at(classes, ticket) : segment_part{};
            taken.is_over = ticket >= tiles;
        }
        __syncthreads();
        segment_part const here = taken;
        if (here.is_over)
            return;
        uint64_t const mine = here.tile * SHAPE::TILE + warp * SHAPE::PART + lane * VECTOR;
        ACC            v[ROWS][VECTOR], before[ROWS], of_warp = OP::identity();
#pragma unroll
        for (unsigned row = 0; row < ROWS; row++)
            problem.get(here.where, mine + row * ROW, v[row]);
#pragma unroll
        for (unsigned row = 0; row < ROWS; row++) {
            ACC sum = v[row][0];
#pragma unroll
            for (unsigned e = 1; e < VECTOR; e++)
                sum = OP::add(sum, v[row][e]);
            ACC const scanned = warp_scan<OP>(sum);
            before[row] = OP::add(of_warp, warp_before<OP>(scanned));
            of_warp = OP::add(of_warp, __shfl_sync(WARP_ALL, scanned, WARP_LANES - 1));
        }
        block_sums<ACC> const block = block_scan_warps<OP, SHAPE::WARPS>(of_warp, totals);
        ACC                   start = problem.start();
        if (here.where.length > SHAPE::TILE) {
            lookback<ACC> const own = {state.tiles + here.first_tile,
                                       state.groups + here.first_tile, state.ticket};
            start = look_back<OP, SHAPE::WARPS>(own, here.tile, block.total, start, looked);
        }
        start = OP::add(start, block.before);
#pragma unroll
        for (unsigned row = 0; row < ROWS; row++)
            problem.put(here.where, mine + row * ROW, OP::add(start, before[row]), v[row]);
    }
}

/* ---- Launches ---- */

/* The fewest lanes that hold `length` elements in one row, at most a warp. */
template <typename ACC> static inline unsigned segment_lanes(uint64_t length)
{
    unsigned lanes = 1;
    while (lanes < WARP_LANES && lanes * segment_shape<ACC>::VECTOR < length)
        lanes *= 2;
    return lanes;
}

template <typename PROBLEM>
static ordo_status scan_short(cuda_call *call, const PROBLEM &problem, const segment_map &map,
                              unsigned lanes, uint64_t least, uint64_t most)
{
    size_t const blocks = segment_grid(call, map.count * lanes, CUDA_TUNE_SCAN_THREADS, 8);
    return CUDA_LAUNCH(call, scan_short_segments<PROBLEM>, blocks, CUDA_TUNE_SCAN_THREADS, 0,
                       problem, map, lanes, least, most);
}

/* Scans all segments. The classes of `work` are filled (segment_classes_fill). Offsets: the lengths
 * are not known here, so the mean length chooses the lanes of a segment. */
template <typename PROBLEM>
static ordo_status scan_segments(cuda_call *call, const PROBLEM &problem,
                                 const segment_scan_work<typename PROBLEM::OP::ACC> &work)
{
    typedef typename PROBLEM::OP::ACC ACC;
    typedef segment_shape<ACC>        SHAPE;
    const segment_map                &map = work.classes.map;
    bool const                        is_fixed = map.offsets == NULL;
    if (map.count == 0)
        return ORDO_OK;
    if (is_fixed && map.length <= SHAPE::PART)
        return scan_short(call, problem, map, segment_lanes<ACC>(map.length), 0, SHAPE::PART);
    if (!is_fixed) {
        unsigned const lanes = segment_lanes<ACC>(map.n / map.count);
        uint64_t const row = lanes * (uint64_t)SHAPE::VECTOR;
        TRY(scan_short(call, problem, map, lanes, 0, row));
        if (map.n > row)
            TRY(scan_short(call, problem, map, WARP_LANES, row, SHAPE::PART));
        if (map.n <= SHAPE::PART)
            return ORDO_OK;
    }
    size_t const blocks =
        ordo_min(work.classes.most_tiles, (uint64_t)call->facts->sms * CUDA_TUNE_SCAN_RESIDENT);
    CUDA_TRY(call->exec, cudaMemsetAsync(work.state.ticket, 0, work.state_bytes, call->stream));
    return CUDA_LAUNCH(call, scan_segment_tiles<PROBLEM>, ordo_max(blocks, 1),
                       CUDA_TUNE_SCAN_THREADS, 0, problem, work.classes, work.state);
}

#endif
