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

/* Counts the ties in tiles [first, end) in array order; the ties of tile i are counted in bin (i -
 * first) >> shift. This is warp `warp` of the `warps` that share the work. */
template <typename CODE, typename WORD>
static DEVICE void count_ties(select_shared<uint64_t> &s, const CODE &code,
                              const select_tiles<typename CODE::BITS> &tiles, WORD word,
                              size_t first, size_t end, unsigned shift, size_t warp, size_t warps)
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

/* The index of tie number `wanted`, from 0, among the `ties` keys equal to `word`. `position` is in
 * shared memory, because select_narrow reads it. `tied` has SELECT_ROUNDS words in device memory,
 * zero at the start if the grid has several blocks. */
template <typename CODE, typename WORD>
static DEVICE uint64_t select_tie(select_shared<uint64_t> &s, const select_grid &grid,
                                  uint64_t *const tied, const CODE &code,
                                  const select_tiles<typename CODE::BITS> &tiles, WORD word,
                                  uint64_t ties, uint64_t wanted, select_positions *const position,
                                  unsigned *round)
{
    typedef select_tiles<typename CODE::BITS> T;
    bool const                                is_alone = gridDim.x == 1;
    size_t const                              count = tiles_count(tiles);
    size_t const likely = (size_t)(2 * (double)count * (double)(wanted + 1) / (double)ties);
    size_t       span = is_alone ? count : likely > grid_warps() ? likely : grid_warps();
    size_t       begin = 0, end;
    uint64_t     passed = 0; /* ties before begin */
    uint64_t    *bins = grid.bins;
    unsigned     shift;
    for (unsigned pass = 0;; pass++) {
        end = span < count - begin ? begin + span : count;
        shift = 0;
        while ((end - begin - 1) >> shift >= SELECT_BINS)
            shift++;
        ties_begin(s, shift, ties);
        bins = select_bins(grid, pass);
        for (unsigned i = blockIdx.x * SELECT_THREADS + threadIdx.x; i < SELECT_BINS && !is_alone;
             i += gridDim.x * SELECT_THREADS)
            select_bins(grid, pass + 1)[i] = 0;
        count_ties(s, code, tiles, word, begin, end, shift, grid_warp(), grid_warps());
        __syncthreads();
        if (!is_alone)
            add_ties(s, bins, tied + pass);
        grid_barrier(grid.arrived, round);
        if (end == count)
            break;
        uint64_t const here = __ldcg(tied + pass);
        if (passed + here > wanted)
            break;
        passed += here;
        begin = end;
        span *= 8;
    }
    if (blockIdx.x != 0)
        return 0;
    if (threadIdx.x == 0)
        position->k[0] = wanted - passed;
    __syncthreads();
    select_narrow(&s, *position, is_alone ? NULL : bins);
    __syncthreads();
    size_t const first = begin + s.target[0].lo, stop = first + ((size_t)1 << shift);
    size_t const here = s.target[0].inside;
    if (threadIdx.x == 0)
        position->k[0] -= s.target[0].below;
    ties_begin(s, 0, here);
    count_ties(s, code, tiles, word, first, stop < end ? stop : end, 0, threadIdx.x / WARP_LANES,
               SELECT_WARPS);
    __syncthreads();
    select_narrow(&s, *position, NULL);
    __syncthreads();

    size_t const tile = tile_in_order(tiles, first + s.target[0].lo);
    unsigned     length = T::TILE;
    size_t const start =
        tile < tiles.full ? tiles.head + tile * T::TILE : short_tile(tiles, tile, &length);
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
