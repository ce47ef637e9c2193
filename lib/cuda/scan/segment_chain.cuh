/* segment_chain.cuh - scans the floats of every segment one by one, in order: the results of a loop
 * on the CPU, for operations that are not associative.
 *
 * An operation has start(), the value before the first element, and add(sum, x). A warp takes a
 * segment: it copies a tile to shared memory while the elements of the next tile are read, and all
 * its lanes scan the tile. Segments of up to 32 elements are scanned by one lane each, 32 of them
 * in a warp. Every NaN is written as the default NaN. Memory moved: each element once. The longest
 * segment takes a few nanoseconds for each of its elements, because each result needs the last. */
#ifndef ORDO_CUDA_SCAN_SEGMENT_CHAIN_H
#define ORDO_CUDA_SCAN_SEGMENT_CHAIN_H

#include "cuda/segments/segments.cuh"
#include "cuda/warp/warp_scan.cuh"

enum {
    CHAIN_THREADS = 128,
    CHAIN_WARPS = CHAIN_THREADS / 32,
    CHAIN_RESIDENT = 12, /* blocks per multiprocessor */
    CHAIN_EACH = 8,      /* elements of a lane in a tile */
    CHAIN_TILE = CHAIN_EACH * 32,
    CHAIN_SHORT = 32 /* most elements of a segment that one lane adds */
};

static DEVICE float  chain_settled(float x) { return x != x ? __uint_as_float(0x7fc00000u) : x; }
static DEVICE double chain_settled(double x)
{
    return x != x ? __longlong_as_double(0x7ff8000000000000ll) : x;
}

/* ---- Long segments ---- */

/* The lane's elements of the tile at `first`, converted; 0 past the end. */
template <typename RAW, typename OUT>
static DEVICE void chain_read(const RAW *in, uint64_t first, uint64_t n, OUT (&mine)[CHAIN_EACH])
{
#pragma unroll
    for (int e = 0; e < CHAIN_EACH; e++) {
        uint64_t const at = first + e * WARP_LANES + lane_id();
        mine[e] = at < n ? (OUT)in[at] : (OUT)0;
    }
}

/* 32 elements. */
template <typename OUT> struct chain_row {
    static constexpr unsigned   PER = 16 / sizeof(OUT);
    typedef vector_of<OUT, PER> VECTOR;

    VECTOR at[WARP_LANES / PER];

    DEVICE void read(const OUT *shared)
    {
#pragma unroll
        for (unsigned v = 0; v < WARP_LANES / PER; v++)
            at[v] = ((const VECTOR *)shared)[v];
    }
    /* Scans the elements. Every lane does all the additions, so that no lane waits for another, and
     * returns the result of its own element. */
    template <typename OP, bool EXCLUSIVE> DEVICE OUT scan(OUT *sum) const
    {
        unsigned const lane = lane_id();
        OUT            mine = *sum;
#pragma unroll
        for (unsigned j = 0; j < WARP_LANES; j++) {
            OUT const last = *sum;
            *sum = OP::add(last, at[j / PER].at[j % PER]);
            if (lane == j)
                mine = EXCLUSIVE ? last : *sum;
        }
        return mine;
    }
};

/* Scans n elements by one warp. `tile` is shared memory of the warp. */
template <typename RAW, typename OUT, typename OP, bool EXCLUSIVE>
static DEVICE void chain_segment(const RAW *in, OUT *out, uint64_t n, OUT *tile)
{
    unsigned const lane = lane_id();
    OUT            next[CHAIN_EACH], sum = OP::start();
    chain_row<OUT> rows[2]; /* one is scanned while the next one is read */
    chain_read(in, 0, n, next);
    for (uint64_t first = 0; first < n; first += CHAIN_TILE) {
#pragma unroll
        for (int e = 0; e < CHAIN_EACH; e++)
            tile[e * WARP_LANES + lane] = next[e];
        __syncwarp();
        chain_read(in, first + CHAIN_TILE, n, next);
        rows[0].read(tile);
#pragma unroll
        for (unsigned e = 0; e < CHAIN_EACH; e++) {
            uint64_t const at = first + e * WARP_LANES;
            if (at >= n)
                break;
            if (e + 1 < CHAIN_EACH)
                rows[(e + 1) % 2].read(tile + (e + 1) * WARP_LANES);
            OUT const x = rows[e % 2].template scan<OP, EXCLUSIVE>(&sum);
            if (at + lane < n)
                out[at + lane] = chain_settled(x);
        }
        __syncwarp();
    }
}

/* Scans the segments of more than CHAIN_SHORT elements. A warp looks at `each` segments at a time,
 * at most 32, and scans them one after the other. */
template <typename RAW, typename OUT, typename OP, bool EXCLUSIVE>
static __global__ void __launch_bounds__(CHAIN_THREADS)
    chain_long(const RAW *in, OUT *out, const __grid_constant__ segment_map map, unsigned each)
{
    __shared__ __align__(16) OUT tiles[CHAIN_WARPS][CHAIN_TILE];
    unsigned const               lane = lane_id(), warp = threadIdx.x / WARP_LANES;
    uint64_t const               warps = (uint64_t)gridDim.x * CHAIN_WARPS;
    uint64_t const               number = (uint64_t)blockIdx.x * CHAIN_WARPS + warp;
    for (uint64_t first = number * each; first < map.count; first += warps * each) {
        bool const    mine = lane < each && first + lane < map.count;
        segment const here = mine ? segment_at(map, first + lane) : segment{0, 0};
        uint32_t      left = __ballot_sync(WARP_ALL, here.length > CHAIN_SHORT);
        for (; left != 0; left &= left - 1) {
            int const      from = __ffs((int)left) - 1;
            uint64_t const start = __shfl_sync(WARP_ALL, here.start, from);
            uint64_t const n = __shfl_sync(WARP_ALL, here.length, from);
            chain_segment<RAW, OUT, OP, EXCLUSIVE>(in + start, out + start, n, tiles[warp]);
        }
    }
}

/* ---- Short segments ---- */

/* Scans the segments of up to CHAIN_SHORT elements, 32 of them by a warp. `lanes`, a power of
 * 2, lanes read and write a segment: at least the length of a fixed layout. */
template <typename RAW, typename OUT, typename OP, bool EXCLUSIVE>
static __global__ void __launch_bounds__(CHAIN_THREADS)
    chain_short(const RAW *in, OUT *out, const __grid_constant__ segment_map map, unsigned lanes)
{
    __shared__ OUT tiles[CHAIN_WARPS][WARP_LANES][CHAIN_SHORT + 1];
    unsigned const lane = lane_id(), warp = threadIdx.x / WARP_LANES;
    unsigned const q = lane & (lanes - 1), each = WARP_LANES / lanes, of_lane = lane / lanes;
    uint64_t const warps = (uint64_t)gridDim.x * CHAIN_WARPS;
    uint64_t const number = (uint64_t)blockIdx.x * CHAIN_WARPS + warp;
    auto          &tile = tiles[warp];
    for (uint64_t first = number * WARP_LANES; first < map.count; first += warps * WARP_LANES) {
        bool const     mine = first + lane < map.count;
        segment const  here = mine ? segment_at(map, first + lane) : segment{0, 0};
        unsigned const n = here.length <= CHAIN_SHORT ? (unsigned)here.length : 0;
        for (unsigned r = of_lane; r < WARP_LANES; r += each) {
            uint64_t const start = __shfl_sync(WARP_ALL, here.start, r);
            if (q < __shfl_sync(WARP_ALL, n, r))
                tile[r][q] = (OUT)in[start + q];
        }
        __syncwarp();
        OUT sum = OP::start();
        for (unsigned j = 0; j < n; j++) {
            OUT const last = sum;
            sum = OP::add(sum, tile[lane][j]);
            tile[lane][j] = EXCLUSIVE ? last : sum;
        }
        __syncwarp();
        for (unsigned r = of_lane; r < WARP_LANES; r += each) {
            uint64_t const start = __shfl_sync(WARP_ALL, here.start, r);
            if (q < __shfl_sync(WARP_ALL, n, r))
                out[start + q] = chain_settled(tile[r][q]);
        }
        __syncwarp();
    }
}

/* ---- The launches ---- */

/* Scans all segments from `in` to `out`, which may be the same array. */
template <typename OP, bool EXCLUSIVE, typename RAW, typename OUT>
static ordo_status chain_segments(cuda_call *call, const RAW *in, OUT *out, const segment_map &map)
{
    bool const is_fixed = map.offsets == NULL;
    if (map.count == 0 || (is_fixed && map.length == 0))
        return ORDO_OK;
    if (!is_fixed || map.length <= CHAIN_SHORT) {
        unsigned lanes = is_fixed ? 1 : WARP_LANES;
        while (lanes < map.length && lanes < WARP_LANES)
            lanes *= 2;
        size_t const grid = segment_grid(call, map.count, CHAIN_THREADS, CHAIN_RESIDENT);
        TRY(CUDA_LAUNCH(call, (chain_short<RAW, OUT, OP, EXCLUSIVE>), grid, CHAIN_THREADS, 0, in,
                        out, map, lanes));
    }
    if ((is_fixed ? map.length : map.n) <= CHAIN_SHORT)
        return ORDO_OK;
    size_t const grid = segment_grid(call, map.count, CHAIN_WARPS, CHAIN_RESIDENT);
    size_t const each = ordo_min(ordo_div_up(map.count, grid * CHAIN_WARPS), WARP_LANES);
    return CUDA_LAUNCH(call, (chain_long<RAW, OUT, OP, EXCLUSIVE>), grid, CHAIN_THREADS, 0, in, out,
                       map, is_fixed ? 1u : (unsigned)each);
}

#endif
