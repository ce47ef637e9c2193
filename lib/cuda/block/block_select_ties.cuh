/* block_select_ties.cuh - the index of the r-th key of an array that equals a given key.
 *
 * Top-k needs this index when more keys tie with the k-th key than are wanted. The array is read
 * from its start. The first pass reads twice as far as the r-th tie would be if ties were spread
 * evenly; each further pass reads eight times as much, until the tie is found. In the worst case
 * that is one read of the whole array. Ties are counted in at most 2^13 ranges of tiles; then one
 * block counts the range of the r-th tie by tiles, and the tile by keys. Called by all blocks of a
 * grid like select_settle (block_select.cuh). Uses the same shared memory and grid, with another
 * histogram that is zero at the start. The result is valid in block 0. */
#ifndef ORDO_CUDA_BLOCK_BLOCK_SELECT_TIES_H
#define ORDO_CUDA_BLOCK_BLOCK_SELECT_TIES_H

#include "cuda/block/block_select.cuh"
#include "cuda/block/block_select_read.cuh"

/* Tile i in array order: the head is the last tile by number, but comes first. */
template <typename BITS>
static DEVICE size_t tile_in_order(const select_tiles<BITS> &tiles, size_t i)
{
    return i == 0 ? tiles.full + 1 : i - 1;
}

/* The array, and the key that the ties equal. */
template <typename CODE_, typename WORD> struct tie_array {
    typedef CODE_                             CODE;
    typedef select_tiles<typename CODE::BITS> TILES;

    const CODE  &code;
    const TILES &tiles;
    WORD         word;
    uint64_t     ties; /* keys equal to it */
};

/* Tiles [first, end) in array order; the ties of tile i are counted in bin (i - first) >> shift. */
struct tie_range {
    size_t   first, end;
    unsigned shift;
};

/* Counts the ties in a range. This is warp `warp` of the `warps` that share the work. */
template <typename CODE, typename WORD>
static DEVICE void count_ties(select_shared<uint64_t> &s, const tie_array<CODE, WORD> &array,
                              const tie_range &range, size_t warp, size_t warps)
{
    typedef typename tie_array<CODE, WORD>::TILES T;
    for (size_t i = range.first + warp; i < range.end; i += warps) {
        WORD           key[T::KEYS];
        size_t const   tile = tile_in_order(array.tiles, i);
        uint32_t const valid = tile_read(array.code, array.tiles, tile, lane_id(), key);
        uint32_t       mask = 0;
#pragma unroll
        for (int j = 0; j < T::KEYS; j++)
            mask |= key[j] == array.word ? 1u << j : 0;
        unsigned const ties = __reduce_add_sync(WARP_ALL, (unsigned)__popc(mask & valid));
        if (lane_id() == 0 && ties != 0)
            atomicAdd(&s.bins[(i - range.first) >> range.shift], ties);
    }
}

/* Prepares select_narrow: makes one target that covers all bins, of 1 << shift tiles each, and
 * zeroes the counts. */
static DEVICE void ties_begin(select_shared<uint64_t> &s, unsigned shift, uint64_t inside)
{
    select_target<uint64_t> const target = {0, ((uint64_t)SELECT_BINS << shift) - 1, 0, inside, 0,
                                            0};
    __syncthreads();
    for (unsigned i = threadIdx.x; i < SELECT_BINS; i += SELECT_THREADS)
        s.bins[i] = 0;
    if (threadIdx.x == 0) {
        s.target[0] = target;
        s.gathered = 0;
        s.open.count = 1;
        s.open.digit = SELECT_LG_BINS;
        s.open.shift[0] = shift;
    }
    __syncthreads();
}

/* Adds a block's counts to those of the grid, and their sum to *tied. */
static DEVICE void add_ties(select_shared<uint64_t> &s, uint64_t *const bins, uint64_t *const tied)
{
    unsigned sum = 0;
    for (unsigned i = threadIdx.x; i < SELECT_BINS; i += SELECT_THREADS)
        if (s.bins[i] != 0) {
            atomicAdd((unsigned long long *)&bins[i], (unsigned long long)s.bins[i]);
            sum += s.bins[i];
        }
    sum = __reduce_add_sync(WARP_ALL, sum);
    if (lane_id() == 0 && sum != 0)
        atomicAdd(&s.gathered, sum);
    __syncthreads();
    if (threadIdx.x == 0 && s.gathered != 0)
        atomicAdd((unsigned long long *)tied, (unsigned long long)s.gathered);
}

/* Finds a range of tiles that contains tie number `wanted`, and counts its ties in *bins. Returns
 * the number of ties before the range. Called by all blocks. */
template <typename CODE, typename WORD>
static DEVICE uint64_t find_tie_range(select_shared<uint64_t> &s, const select_grid &grid,
                                      uint64_t *const tied, const tie_array<CODE, WORD> &array,
                                      uint64_t wanted, tie_range *range, uint64_t **bins,
                                      unsigned *round)
{
    bool const   is_alone = gridDim.x == 1;
    size_t const count = tiles_count(array.tiles);
    size_t const likely = (size_t)(2 * (double)count * (double)(wanted + 1) / (double)array.ties);
    size_t       span = is_alone ? count : likely > grid_warps() ? likely : grid_warps();
    uint64_t     passed = 0;
    range->first = 0;
    for (unsigned pass = 0;; pass++) {
        range->end = span < count - range->first ? range->first + span : count;
        range->shift = 0;
        while ((range->end - range->first - 1) >> range->shift >= SELECT_BINS)
            range->shift++;
        ties_begin(s, range->shift, array.ties);
        *bins = select_bins(grid, pass);
        for (unsigned i = blockIdx.x * SELECT_THREADS + threadIdx.x; i < SELECT_BINS && !is_alone;
             i += gridDim.x * SELECT_THREADS)
            select_bins(grid, pass + 1)[i] = 0;
        count_ties(s, array, *range, grid_warp(), grid_warps());
        __syncthreads();
        if (!is_alone)
            add_ties(s, *bins, tied + pass);
        grid_barrier(grid.arrived, round);
        if (range->end == count)
            return passed;
        uint64_t const here = __ldcg(tied + pass);
        if (passed + here > wanted)
            return passed;
        passed += here;
        range->first = range->end;
        span *= 8;
    }
}

/* The index in the array of tie number `wanted` of a tile. Called by a block. */
template <typename CODE, typename WORD>
static DEVICE uint64_t find_tie_in_tile(select_shared<uint64_t>     &s,
                                        const tie_array<CODE, WORD> &array, size_t tile,
                                        uint64_t wanted)
{
    typedef typename tie_array<CODE, WORD>::TILES T;
    unsigned                                      length = T::TILE;
    size_t const start = tile < array.tiles.full ? array.tiles.head + tile * T::TILE
                                                 : short_tile(array.tiles, tile, &length);
    size_t const at = start + threadIdx.x;
    bool const   is_tie =
        threadIdx.x < length && (WORD)array.code.encode(__ldg(array.tiles.keys + at)) == array.word;
    uint32_t const flags = __ballot_sync(WARP_ALL, is_tie);
    uint64_t const before =
        block_scan_warps<scan_add<uint64_t>, SELECT_WARPS>((uint64_t)__popc(flags), s.totals)
            .before +
        (unsigned)__popc(flags & lanes_before());
    if (is_tie && before == wanted)
        s.before[0] = at;
    __syncthreads();
    return s.before[0];
}

/* The index of tie number `wanted`, from 0. `position` is in shared memory, because select_narrow
 * reads it. `tied` has SELECT_ROUNDS words in device memory, zero at the start if the grid has
 * several blocks. */
template <typename CODE, typename WORD>
static DEVICE uint64_t select_tie(select_shared<uint64_t> &s, const select_grid &grid,
                                  uint64_t *const tied, const tie_array<CODE, WORD> &array,
                                  uint64_t wanted, select_positions *const position,
                                  unsigned *round)
{
    tie_range      range;
    uint64_t      *bins;
    uint64_t const passed = find_tie_range(s, grid, tied, array, wanted, &range, &bins, round);
    if (blockIdx.x != 0)
        return 0;
    if (threadIdx.x == 0)
        position->k[0] = wanted - passed;
    __syncthreads();
    select_narrow(&s, *position, gridDim.x == 1 ? NULL : bins);
    __syncthreads();
    size_t const first = range.first + s.target[0].lo, stop = first + ((size_t)1 << range.shift);
    size_t const here = s.target[0].inside;
    if (threadIdx.x == 0)
        position->k[0] -= s.target[0].below;
    ties_begin(s, 0, here);
    count_ties(s, array, {first, stop < range.end ? stop : range.end, 0}, threadIdx.x / WARP_LANES,
               SELECT_WARPS);
    __syncthreads();
    select_narrow(&s, *position, NULL);
    __syncthreads();
    return find_tie_in_tile(s, array, tile_in_order(array.tiles, first + s.target[0].lo),
                            position->k[0] - s.target[0].below);
}

#endif
