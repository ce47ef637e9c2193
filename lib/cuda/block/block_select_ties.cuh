/* block_select_ties.cuh - the index of the r-th key of an array that equals a given one.
 *
 * Where few keys are wanted of many that tie, those with the least indices are. The keys that tie
 * are counted by stretches of the array, at most 2^13 of them, in one read; the stretch with the
 * r-th is counted tile by tile by one block, and the tile key by key.
 *
 * Called by all blocks of a grid, of SELECT_THREADS, as select_settle in block_select.cuh, whose
 * shared memory and grid it takes (with its own histogram, zero at the start). The result is valid
 * in the threads of block 0. Used by dev_topk.cu. */
#ifndef ORDO_CUDA_BLOCK_SELECT_TIES_CUH
#define ORDO_CUDA_BLOCK_SELECT_TIES_CUH

#include "cuda/block/block_select.cuh"
#include "cuda/block/block_select_read.cuh"

/* Tiles in the order of the array: the head is the last tile, but comes first. */
template <typename BITS>
static __device__ __forceinline__ size_t tile_in_order(const select_tiles<BITS> &tiles, size_t i)
{
    return i == 0 ? tiles.full + 1 : i - 1;
}

/* Counts the keys that tie in tiles [first, end) of the array's order, those of tile i in bin
 * (i - first) >> shift. The warps that share the work are `warps`, of which this is `warp`. */
template <typename CODE, typename WORD>
static __device__ __forceinline__ void count_ties(select_shared<uint64_t> &s, const CODE &code,
                                                  const select_tiles<typename CODE::BITS> &tiles,
                                                  WORD word, size_t first, size_t end,
                                                  unsigned shift, size_t warp, size_t warps)
{
    typedef select_tiles<typename CODE::BITS> T;
    for (size_t i = first + warp; i < end; i += warps) {
        WORD           key[T::KEYS];
        uint32_t const valid = tile_read(code, tiles, tile_in_order(tiles, i), lane_id(), key);
        uint32_t       mask = 0;
#pragma unroll
        for (int j = 0; j < T::KEYS; j++)
            mask |= key[j] == word ? 1u << j : 0;
        unsigned const ties = __reduce_add_sync(WARP_ALL, (unsigned)__popc(mask & valid));
        if (lane_id() == 0 && ties != 0)
            atomicAdd(&s.bins[(i - first) >> shift], ties);
    }
}

/* A target of all bins of size 1 << shift, for select_narrow; and no counts. */
static __device__ __forceinline__ void ties_begin(select_shared<uint64_t> &s, unsigned shift,
                                                  uint64_t inside)
{
    select_target<uint64_t> const target = {0, ((uint64_t)SELECT_BINS << shift) - 1, 0, inside, 0,
                                            0};
    __syncthreads();
    for (unsigned i = threadIdx.x; i < SELECT_BINS; i += SELECT_THREADS)
        s.bins[i] = 0;
    if (threadIdx.x == 0) {
        s.target[0] = target;
        s.open.count = 1;
        s.open.digit = SELECT_LG_BINS;
        s.open.shift[0] = shift;
    }
    __syncthreads();
}

/* The index of tie number position->k[0], from 0, of the `ties` keys whose word it is. position is
 * in shared memory and is changed. */
template <typename CODE, typename WORD>
static __device__ __forceinline__ uint64_t
select_tie(select_shared<uint64_t> &s, const select_grid &grid, const CODE &code,
           const select_tiles<typename CODE::BITS> &tiles, WORD word, uint64_t ties,
           select_positions *const position, unsigned *round)
{
    typedef select_tiles<typename CODE::BITS> T;
    size_t const                              count = tiles_count(tiles);
    unsigned                                  shift = 0;
    while ((count - 1) >> shift >= SELECT_BINS)
        shift++;
    ties_begin(s, shift, ties);
    count_ties(s, code, tiles, word, 0, count, shift, grid_warp(), grid_warps());
    __syncthreads();
    if (gridDim.x > 1)
        for (unsigned i = threadIdx.x; i < SELECT_BINS; i += SELECT_THREADS)
            if (s.bins[i] != 0)
                atomicAdd((unsigned long long *)&grid.bins[i], (unsigned long long)s.bins[i]);
    grid_barrier(grid.arrived, round);
    if (blockIdx.x != 0)
        return 0;
    select_narrow(s, *position, [&](unsigned bin) {
        return gridDim.x == 1 ? (uint64_t)s.bins[bin] : __ldcg(grid.bins + bin);
    });
    __syncthreads();
    size_t const first = s.target[0].lo, end = first + ((size_t)1 << shift);
    size_t const here = s.target[0].inside;
    if (threadIdx.x == 0)
        position->k[0] -= s.target[0].below;
    ties_begin(s, 0, here);
    count_ties(s, code, tiles, word, first, end < count ? end : count, 0, threadIdx.x / WARP_LANES,
               SELECT_WARPS);
    __syncthreads();
    select_narrow(s, *position, [&](unsigned bin) { return (uint64_t)s.bins[bin]; });
    __syncthreads();

    size_t const tile = tile_in_order(tiles, first + s.target[0].lo);
    size_t const start = tile < tiles.full    ? tiles.head + tile * T::TILE
                         : tile == tiles.full ? tiles.head + tiles.full * T::TILE
                                              : 0;
    size_t const length = tile < tiles.full    ? (size_t)T::TILE
                          : tile == tiles.full ? tiles.n - start
                                               : tiles.head;
    size_t const at = start + threadIdx.x;
    bool const   is_tie = threadIdx.x < length && (WORD)code.encode(__ldg(tiles.keys + at)) == word;
    uint32_t const flags = __ballot_sync(WARP_ALL, is_tie);
    uint64_t const before =
        block_scan_warps<scan_add<uint64_t>, SELECT_WARPS>((uint64_t)__popc(flags), s.totals)
            .before +
        (unsigned)__popc(flags & lanes_before());
    if (is_tie && before == position->k[0] - s.target[0].below)
        s.before[0] = at;
    __syncthreads();
    return s.before[0];
}

#endif
