/* block_select_ties.cuh - the index of the r-th key of an array that equals a given key.
 *
 * Top-k needs this index when more keys tie with the k-th key than are wanted. One read of the
 * array counts the ties in at most 2^13 ranges of tiles; then one block counts the range of the
 * r-th tie by tiles, and the tile by keys. Called by all blocks of a grid like select_settle
 * (block_select.cuh). Uses the same shared memory and grid, with another histogram that is zero at
 * the start. The result is valid in block 0. */
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

/* The index of tie number position->k[0], from 0; `position` is in shared memory, and is changed.
 * grid.bins is zero at the start if the grid has several blocks. */
template <typename CODE, typename WORD>
static DEVICE uint64_t select_tie(select_shared<uint64_t> &s, const select_grid &grid,
                                  const tie_array<CODE, WORD> &array,
                                  select_positions *const position, unsigned *round)
{
    tie_range all = {0, tiles_count(array.tiles), 0};
    while ((all.end - 1) >> all.shift >= SELECT_BINS)
        all.shift++;
    ties_begin(s, all.shift, array.ties);
    count_ties(s, array, all, grid_warp(), grid_warps());
    __syncthreads();
    for (unsigned i = threadIdx.x; i < SELECT_BINS && gridDim.x > 1; i += SELECT_THREADS)
        if (s.bins[i] != 0)
            atomicAdd((unsigned long long *)&grid.bins[i], (unsigned long long)s.bins[i]);
    grid_barrier(grid.arrived, round);
    if (blockIdx.x != 0)
        return 0;
    select_narrow(&s, *position, gridDim.x == 1 ? NULL : grid.bins);
    __syncthreads();
    size_t const first = s.target[0].lo, stop = first + ((size_t)1 << all.shift);
    size_t const here = s.target[0].inside;
    if (threadIdx.x == 0)
        position->k[0] -= s.target[0].below;
    ties_begin(s, 0, here);
    count_ties(s, array, {first, stop < all.end ? stop : all.end, 0}, threadIdx.x / WARP_LANES,
               SELECT_WARPS);
    __syncthreads();
    select_narrow(&s, *position, NULL);
    __syncthreads();
    return find_tie_in_tile(s, array, tile_in_order(array.tiles, first + s.target[0].lo),
                            position->k[0] - s.target[0].below);
}

#endif
