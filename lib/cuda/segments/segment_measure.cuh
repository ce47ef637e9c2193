/* segment_measure.cuh - one number for every segment: the kernels of is_sorted, runs and radius.
 *
 * A MEASURE gives the value of an element and takes the combination of all values of a segment:
 *     value(segment, j)         the value of element j
 *     set(number, segment, x)   x is the combination of the values of the whole segment
 *     join(number, segment, x)  combines x, of some elements, with what set wrote
 * A few lanes of a warp measure a short segment. Long ones first get the neutral result, which the
 * blocks of their tiles then join. The operations are minima, maxima and integer sums, so the order
 * of the blocks does not matter. Memory moved: the keys once. */
#ifndef ORDO_CUDA_SEGMENTS_SEGMENT_MEASURE_H
#define ORDO_CUDA_SEGMENTS_SEGMENT_MEASURE_H

#include "cuda/block/block_scan.cuh"
#include "cuda/segments/segments.cuh"

enum {
    MEASURE_THREADS = 256,
    MEASURE_SHORT = 2048, /* elements of a short segment */
    MEASURE_TILE = 8192,
    MEASURE_EACH = 8 /* fewest elements of a lane before a segment gets more lanes */
};

template <typename MEASURE>
static __global__ void __launch_bounds__(MEASURE_THREADS)
    measure_short_segments(const __grid_constant__ MEASURE     measure,
                           const __grid_constant__ segment_map map, unsigned lanes)
{
    typedef typename MEASURE::OP OP;
    typedef typename OP::ACC     ACC;
    unsigned const lane = lane_id(), q = lane & (lanes - 1), each = WARP_LANES / lanes;
    uint64_t const warps = (uint64_t)gridDim.x * (MEASURE_THREADS / WARP_LANES);
    uint64_t const warp = ((uint64_t)blockIdx.x * MEASURE_THREADS + threadIdx.x) / WARP_LANES;
    for (uint64_t first = warp * each; first < map.count; first += warps * each) {
        uint64_t const i = first + lane / lanes;
        segment const  here = i < map.count ? segment_at(map, i) : segment{0, 0};
        ACC            found = OP::identity();
        for (uint64_t j = q; here.length <= MEASURE_SHORT && j < here.length; j += lanes)
            found = OP::add(found, measure.value(here, j));
        __syncwarp();
        for (unsigned step = lanes / 2; step > 0; step /= 2)
            found = OP::add(found, __shfl_xor_sync(WARP_ALL, found, step));
        if (q == 0 && i < map.count)
            measure.set(i, here, found);
    }
}

template <typename MEASURE>
static __global__ void __launch_bounds__(MEASURE_THREADS)
    measure_segment_tiles(const __grid_constant__ MEASURE         measure,
                          const __grid_constant__ segment_classes classes)
{
    typedef typename MEASURE::OP OP;
    typedef typename OP::ACC     ACC;
    constexpr int                WARPS = MEASURE_THREADS / WARP_LANES;
    __shared__ ACC               totals[WARPS];
    uint64_t const               tiles = segment_tiles_count(classes);
    for (uint64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        segment_part const here = segment_tile_at(classes, t);
        uint64_t const     from = here.tile * MEASURE_TILE;
        uint64_t const     left = here.where.length > from ? here.where.length - from : 0;
        unsigned const     count = left < MEASURE_TILE ? (unsigned)left : MEASURE_TILE;
        ACC                found = OP::identity();
#pragma unroll 4
        for (unsigned j = threadIdx.x; j < count; j += MEASURE_THREADS)
            found = OP::add(found, measure.value(here.where, from + j));
        found = block_reduce<OP, WARPS>(found, totals);
        if (threadIdx.x == 0 && found != OP::identity())
            measure.join(here.number, here.where, found);
        __syncthreads(); /* `totals` may be written again */
    }
}

static inline segment_classes measure_layout(cuda_scratch *scratch, const ordo_segment_view *view,
                                             size_t n)
{
    return segment_classes_layout(scratch, view, n,
                                  segment_two_classes(MEASURE_SHORT, MEASURE_TILE));
}

/* Measures all segments; the classes are filled. */
template <typename MEASURE>
static ordo_status measure_segments(cuda_call *call, const MEASURE &measure,
                                    const segment_classes &classes)
{
    const segment_map &map = classes.map;
    if (map.count == 0)
        return ORDO_OK;
    uint64_t const length = map.offsets != NULL ? map.n / map.count : map.length;
    unsigned       lanes = 1;
    while (lanes < WARP_LANES && lanes * (uint64_t)MEASURE_EACH < length)
        lanes *= 2;
    TRY(CUDA_LAUNCH(call, measure_short_segments<MEASURE>,
                    segment_grid(call, map.count * lanes, MEASURE_THREADS, 8), MEASURE_THREADS, 0,
                    measure, map, lanes));
    if (classes.most_tiles == 0)
        return ORDO_OK;
    return CUDA_LAUNCH(call, measure_segment_tiles<MEASURE>,
                       segment_grid(call, classes.most_tiles, 1, 8), MEASURE_THREADS, 0, measure,
                       classes);
}

#endif
