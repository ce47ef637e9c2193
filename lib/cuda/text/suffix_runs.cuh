/* suffix_runs.cuh - splits groups of suffixes that begin with long repetitions of a short word.
 *
 * Doubling needs many rounds for such groups: aaaa... loses h of its suffixes when h symbols are
 * compared. If the first h >= p symbols of a group have the period p, so that symbol i + p is
 * symbol i, each suffix leaves the period at a symbol of its own, at distance l. If that symbol is
 * less than the period's, a shorter l is less; such suffixes come before those whose symbol is
 * greater, of which a longer l is less. So one sort by l does the work of all rounds.
 *
 * breaks[] has a bit for each position whose symbol differs from the one p later. */
#ifndef ORDO_CUDA_TEXT_SUFFIX_RUNS_H
#define ORDO_CUDA_TEXT_SUFFIX_RUNS_H

#include "cuda/text/suffix_groups.cuh"

enum {
    RUN_TILE = 32 * 32, /* positions of a tile: 32 words of bits */
    RUN_THREADS = 1024  /* of the block that goes through all tiles */
};

struct text_runs {
    size_t    period, tiles;
    uint32_t *breaks; /* 32 words for each tile */
    uint32_t *words;  /* of each tile: which of its words are not 0 */
    uint32_t *next;   /* the first break after each tile */
};

static inline text_runs runs_layout(cuda_scratch *scratch, size_t n, size_t period)
{
    text_runs runs = {};
    runs.period = period;
    runs.tiles = ordo_div_up(n, RUN_TILE);
    runs.breaks = scratch_take<uint32_t>(scratch, runs.tiles * 32);
    runs.words = scratch_take<uint32_t>(scratch, runs.tiles);
    runs.next = scratch_take<uint32_t>(scratch, runs.tiles);
    return runs;
}

/* Sets *found to the smallest distance, at most `most`, to a suffix with the rank of suffix at. */
static __global__ void __launch_bounds__(TEXT_THREADS)
    find_period(const uint32_t *rank, size_t n, const uint32_t *at, size_t most,
                unsigned long long *found)
{
    size_t const from = *at;
    grid_each(min(most, n - 1 - from), [&](size_t i) {
        if (i + 1 < *(volatile unsigned long long *)found && rank[from + 1 + i] == rank[from])
            atomicMin(found, (unsigned long long)(i + 1));
    });
}

/* A warp for each tile. The end of the text is a break. */
static __global__ void __launch_bounds__(TEXT_THREADS)
    mark_breaks(const uint8_t *text, size_t n, text_runs runs)
{
    size_t const warps = (size_t)gridDim.x * TEXT_THREADS / 32;
    for (size_t tile = ((size_t)blockIdx.x * TEXT_THREADS + threadIdx.x) / 32; tile < runs.tiles;
         tile += warps) {
        uint32_t mine = 0;
        for (unsigned w = 0; w < 32; w++) {
            size_t const   i = tile * RUN_TILE + w * 32 + lane_id();
            bool const     differs = i + runs.period >= n || text[i] != text[i + runs.period];
            uint32_t const bits = __ballot_sync(WARP_ALL, differs);
            mine = w == lane_id() ? bits : mine;
        }
        runs.breaks[tile * 32 + lane_id()] = mine;
        uint32_t const words = __ballot_sync(WARP_ALL, mine != 0);
        if (lane_id() == 0)
            runs.words[tile] = words;
    }
}

/* The first break of a tile that has one. */
static DEVICE uint32_t break_in(const text_runs &runs, size_t tile, uint32_t words)
{
    size_t const word = tile * 32 + (unsigned)__ffs((int)words) - 1;
    return (uint32_t)(word * 32 + (unsigned)__ffs((int)runs.breaks[word]) - 1);
}

/* Fills next[]. One block: each thread goes through neighbouring tiles from the last one on. */
static __global__ void __launch_bounds__(RUN_THREADS) link_tiles(text_runs runs)
{
    __shared__ uint32_t first[RUN_THREADS + 1];
    size_t const        share = (runs.tiles + RUN_THREADS - 1) / RUN_THREADS;
    size_t const        lo = min(runs.tiles, threadIdx.x * share), hi = min(runs.tiles, lo + share);
    uint32_t            found = UINT32_MAX;
    for (size_t tile = lo; tile < hi && found == UINT32_MAX; tile++)
        if (runs.words[tile] != 0)
            found = break_in(runs, tile, runs.words[tile]);
    first[threadIdx.x] = found;
    __syncthreads();
    found = UINT32_MAX;
    for (unsigned t = threadIdx.x + 1; t < RUN_THREADS && found == UINT32_MAX; t++)
        found = first[t];
    for (size_t tile = hi; tile-- > lo;) {
        runs.next[tile] = found;
        if (runs.words[tile] != 0)
            found = break_in(runs, tile, runs.words[tile]);
    }
}

/* The first break at position `at` or later; there is one at the end of the text. */
static DEVICE uint32_t break_from(const text_runs &runs, uint32_t at)
{
    size_t const   tile = at / RUN_TILE;
    unsigned const word = at / 32 % 32;
    uint32_t const here = runs.breaks[tile * 32 + word] & 0xffffffffu << at % 32;
    if (here != 0)
        return at / 32 * 32 + (unsigned)__ffs((int)here) - 1;
    uint32_t const later = runs.words[tile] & ~flags_to(word);
    return later != 0 ? break_in(runs, tile, later) : runs.next[tile];
}

/* Where suffix `at` leaves the period, as a number in the order of the suffixes of its group; 0 if
 * its first `depth` symbols do not have the period. The number is at most 2 n. */
static DEVICE uint64_t run_key(const text_view &view, const text_runs &runs, uint32_t at,
                               size_t depth)
{
    size_t const e = break_from(runs, at), last = e + runs.period;
    size_t const length = last - at;
    if (length < depth)
        return 0;
    bool const less = last >= view.n || view.text[last] < view.text[e];
    return less ? length : 2 * view.n - length;
}

/* The keys of the suffixes of large groups: (start of the group, run_key). */
static __global__ void __launch_bounds__(TEXT_THREADS)
    run_keys(text_view view, text_runs runs, size_t depth, const uint32_t *index,
             const uint32_t *group, size_t n, unsigned key_bits, uint64_t *keys)
{
    large_each(group, n, [&](size_t i, uint32_t start) {
        keys[i] = (uint64_t)start << key_bits | run_key(view, runs, index[i], depth);
    });
}

#endif
