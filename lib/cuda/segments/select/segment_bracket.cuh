/* segment_bracket.cuh - selection from long segments by a sample, with one read of the keys.
 *
 * A block draws 1024 to 4096 keys of a segment and takes two of them, four standard deviations
 * below and above the wanted rank, as a bracket. One pass over all tiles counts the keys below each
 * bracket and copies the keys inside, 6 to 13 percent. Many candidates are divided again, by
 * brackets of their own. A block then finds the wanted key among them (block_narrow.cuh). After
 * R. W. Floyd and R. L. Rivest, "Expected time bounds for selection", CACM 18 (1975). If a bracket
 * misses the key or has too many keys, the segment is left to segment_digits.cuh. Targets are done
 * one after the other. Cost: one read for each target. Scratch: a quarter of the keys. */
#ifndef ORDO_CUDA_SEGMENTS_SELECT_SEGMENT_BRACKET_H
#define ORDO_CUDA_SEGMENTS_SELECT_SEGMENT_BRACKET_H

#include "cuda/block/block_narrow.cuh"
#include "cuda/segments/select/segment_digits.cuh"

enum {
    BRACKET_THREADS = 256, /* of a block that handles a segment */
    BRACKET_ITEMS = 16,    /* most samples of a thread */
    BRACKET_HELD = 112,    /* bytes of candidates that a thread holds in registers */
    BRACKET_PIECE = 4,     /* neighbouring keys of the sample */
    BRACKET_SHARE = 4,     /* one of so many keys fits in the candidates */
    BRACKET_BATCH = 16,    /* keys that a thread of the pass reads at a time */
    BRACKET_RESIDENT = 4,  /* blocks of the pass per multiprocessor, which the registers allow */
    BRACKET_SEARCHED = 1 << 17, /* candidates that a block searches */
    BRACKET_ONCE = 1 << 20,     /* keys of a segment whose candidates are expected to be fewer */
    BRACKET_LEFT = 16,          /* a bracket leaves about one of so many keys */
    BRACKET_ROUNDS = 3,         /* most further brackets */
    BRACKET_ENOUGH = 128 /* a bracket begins and ends within 1 / BRACKET_ENOUGH of the sample */
};

/* Samples of a thread for a segment of n keys. */
static DEVICE int bracket_items(uint64_t n)
{
    return n <= (uint64_t)1 << 16 ? 4 : n <= (uint64_t)1 << 18 ? 8 : BRACKET_ITEMS;
}

/* The candidates of a segment: their first place, and how many fit. */
static DEVICE uint64_t bracket_first(const segment_classes &classes, const segment_large &here)
{
    return classes.map.offsets != NULL ? here.where.start / BRACKET_SHARE
                                       : here.number * (here.where.length / BRACKET_SHARE);
}
static DEVICE uint64_t bracket_room(uint64_t length) { return length / BRACKET_SHARE; }

/* The table of the long segments of keys of `size` bytes. */
static inline digits_table bracket_layout(cuda_scratch *scratch, const segment_classes &classes,
                                          size_t size, size_t targets)
{
    const segment_map &map = classes.map;
    uint64_t const     longest = map.offsets != NULL ? map.n : map.length;
    uint64_t const     all = map.offsets != NULL ? map.n : map.count * map.length;
    digits_table       table = digits_layout(scratch, classes);
    table.has_brackets =
        table.bytes != 0 && size >= 4 && longest < UINT32_MAX && all <= map.n; /* no overlaps */
    if (!table.has_brackets)
        return table;
    table.candidates = scratch_take<char>(scratch, (all / BRACKET_SHARE + 1) * size);
    for (uint64_t most = BRACKET_ONCE; longest > most && table.rounds < BRACKET_ROUNDS;
         most *= BRACKET_LEFT)
        table.rounds++;
    table.unsettled = scratch_take<uint32_t>(scratch, targets * (1 + table.rounds));
    table.wide_count = table.unsettled == NULL ? NULL : table.unsettled + targets;
    table.wide_room = (uint32_t)(all / BRACKET_SHARE / BRACKET_SEARCHED + 1);
    table.wide = scratch_take<uint32_t>(scratch, table.wide_room);
    return table;
}

/* ---- The sample ---- */

/* The place of sample p of `samples`: pieces of neighbouring keys at pseudo-random places of equal
 * parts of the segment. */
static DEVICE uint64_t bracket_place(unsigned p, unsigned samples, uint64_t length)
{
    unsigned const piece = p / BRACKET_PIECE, pieces = samples / BRACKET_PIECE;
    uint32_t const part = (uint32_t)(length / pieces), any = (piece + 1) * 2654435761u;
    return (uint64_t)piece * part + (any ^ any >> 15) % (part - (BRACKET_PIECE - 1)) +
           p % BRACKET_PIECE;
}

/* The ranks in the sample between which a rank of the segment is. */
struct bracket_ranks {
    int low, high; /* below 0 or past the sample: the bracket is open */
};
static DEVICE bracket_ranks bracket_ranks_of(uint64_t rank, uint64_t length, unsigned samples)
{
    float const part = (float)rank / (float)length, middle = part * (float)samples;
    float const spread = 4 * sqrtf((float)samples * part * fmaxf(1 - part, 0)) + 4;
    return {(int)floorf(middle - spread), (int)ceilf(middle + spread)};
}

/* Finds a bracket of a rank among keys from a sample of them, `items` keys of each thread. */
template <typename WORD>
static DEVICE void bracket_choose(narrow_shared<BRACKET_THREADS> *shared, uint64_t rank,
                                  uint64_t length, const WORD (&x)[BRACKET_ITEMS], int items,
                                  digits_entry &entry)
{
    unsigned const      samples = (unsigned)items * BRACKET_THREADS;
    bracket_ranks const ranks = bracket_ranks_of(rank, length, samples);
    auto const          each = [&](auto &&f) {
#pragma unroll
        for (int e = 0; e < BRACKET_ITEMS; e++)
            if (e < items)
                f(x[e]);
    };
    narrow_range<WORD> const all = {0, (WORD) ~(WORD)0, 0, samples};
    narrow_range<WORD>       low = all, high = all;
    if (ranks.low >= 0)
        narrow(shared, &low, (uint32_t)ranks.low, samples / BRACKET_ENOUGH, each);
    if (ranks.high < (int)samples)
        narrow(shared, &high, (uint32_t)ranks.high, samples / BRACKET_ENOUGH, each);
    if (threadIdx.x == 0) {
        entry.found[0] = low.low;
        entry.found[1] = high.high;
        entry.counts = 0;
    }
}

/* Chooses the bracket of target j in every long segment. */
template <typename WORD>
static __global__ void __launch_bounds__(BRACKET_THREADS)
    bracket_sample(const __grid_constant__ segment_codes<WORD> codes, const void *keys,
                   const __grid_constant__ segment_classes classes,
                   const __grid_constant__ segment_targets targets, uint64_t j, digits_table table)
{
    __shared__ narrow_shared<BRACKET_THREADS> shared;
    uint64_t const                            slots = segment_slots_count(classes);
    for (uint64_t slot = blockIdx.x; slot < slots; slot += gridDim.x) {
        segment const  here = segment_slot_at(classes, slot).where;
        digits_entry  &entry = table.entries[slot];
        int const      items = bracket_items(here.length);
        unsigned const samples = (unsigned)items * BRACKET_THREADS;
        WORD           x[BRACKET_ITEMS];
        segment_read_items(
            codes, keys,
            [&](int e) {
                return here.start +
                       bracket_place(e * BRACKET_THREADS + threadIdx.x, samples, here.length);
            },
            [&](int e) { return e < items; }, (WORD)0, x);
        uint64_t nans = entry.nans;
        if (j == 0 && segment_counts_nans(targets, codes)) { /* an estimate */
            unsigned found = 0;
#pragma unroll
            for (int e = 0; e < BRACKET_ITEMS; e++)
                found += x[e] > codes.last_number();
            nans = block_reduce<scan_add<uint32_t>, BRACKET_THREADS / WARP_LANES>(found,
                                                                                  shared.totals) *
                   here.length / samples;
            __syncthreads();
        }
        segment_target const target = segment_target_of(targets, j, here.length, nans);
        bool const           wants = !target.is_nan && !target.is_absent;
        if (wants)
            bracket_choose(&shared, target.place.below, here.length, x, items, entry);
        if (threadIdx.x == 0) {
            if (!wants) { /* an empty bracket: 1 to 0 */
                entry.found[0] = 1;
                entry.found[1] = entry.counts = 0;
            }
            entry.bracket = {};
            entry.is_settled = 0;
        }
    }
}

/* What the bracket of a segment has found. */
template <typename WORD> struct bracket_result {
    WORD     low, high;
    uint64_t below; /* keys below the bracket */
    uint32_t count; /* keys inside */
    uint32_t first; /* their place among the candidates, unless low == high */

    DEVICE bracket_result(const digits_entry &entry)
        : low((WORD)entry.found[0]), high((WORD)entry.found[1]),
          below(entry.bracket.below + (entry.counts >> 32)), count((uint32_t)entry.counts),
          first(entry.bracket.kept)
    {
    }
    /* Whether the keys of a target are inside, and all keys inside are among the candidates. */
    DEVICE bool has(const quantile_place &place, uint64_t length) const
    {
        return place.below >= below && place.above < below + count && low <= high &&
               (low == high || (uint64_t)first + count <= bracket_room(length));
    }
};

/* Chooses another bracket where too many candidates are left. */
template <typename WORD>
static __global__ void __launch_bounds__(BRACKET_THREADS)
    bracket_again(const __grid_constant__ segment_classes classes,
                  const __grid_constant__ segment_targets targets, uint64_t j, unsigned round,
                  digits_table table)
{
    __shared__ narrow_shared<BRACKET_THREADS> shared;
    uint64_t const                            slots = segment_slots_count(classes);
    for (uint64_t slot = blockIdx.x; slot < slots; slot += gridDim.x) {
        segment_large const        here = segment_slot_at(classes, slot);
        digits_entry              &entry = table.entries[slot];
        uint64_t const             length = here.where.length;
        segment_target const       target = segment_target_of(targets, j, length, entry.nans);
        bracket_result<WORD> const found(entry);
        if (target.is_nan || target.is_absent || found.low == found.high ||
            found.count <= BRACKET_SEARCHED || !found.has(target.place, length))
            continue;
        const WORD *const candidates =
            (const WORD *)table.candidates + bracket_first(classes, here) + found.first;
        WORD x[BRACKET_ITEMS];
#pragma unroll
        for (int e = 0; e < BRACKET_ITEMS; e++)
            x[e] = candidates[bracket_place(e * BRACKET_THREADS + threadIdx.x,
                                            BRACKET_ITEMS * BRACKET_THREADS, found.count)];
        __syncthreads(); /* all threads have read the entry */
        bracket_choose(&shared, target.place.below - found.below, found.count, x, BRACKET_ITEMS,
                       entry);
        if (threadIdx.x == 0) {
            entry.bracket = {found.below, found.first, found.count, found.first + found.count};
            uint32_t const at = atomicAdd(&table.wide_count[j * table.rounds + round], 1u);
            if (at < table.wide_room) /* more only if segments overlap because of bad offsets */
                table.wide[at] = (uint32_t)slot;
        }
    }
}

/* ---- The pass over all keys ---- */

/* Copies the codes of the items of `inside`, which are read again from the cache: the items of the
 * tile need not stay in registers. `first` is the place of the tile's first key in the array, `at`
 * the place of the first copy. */
template <typename WORD>
static DEVICE void bracket_keep(const segment_codes<WORD> &codes, const void *keys, uint64_t first,
                                unsigned inside, WORD *candidates, uint32_t at, uint64_t room)
{
    for (; inside != 0; inside &= inside - 1, at++) {
        unsigned const e = (unsigned)__ffs((int)inside) - 1;
        if (at < room)
            candidates[at] = codes.read(keys, first + e * DIGITS_THREADS + threadIdx.x);
    }
}

template <typename WORD> struct bracket_keys { /* the keys of a tile */
    const segment_codes<WORD> &codes;
    const void                *keys;
    uint64_t                   start;
    unsigned                   count; /* at most DIGITS_TILE */
};

/* What a thread finds in its keys of a tile. */
struct bracket_found {
    unsigned inside; /* bit e: item e is inside the bracket */
    unsigned below, nans;
};

/* Reads items `first` to first + BRACKET_BATCH - 1 of this thread; `mine` items are there, and the
 * others are 0. */
template <typename WORD>
static DEVICE void bracket_look(const bracket_keys<WORD> &tile, int first, unsigned mine, WORD low,
                                WORD high, bool counts_nans, bracket_found *found)
{
    WORD const width = (WORD)(high - low);
    WORD       x[BRACKET_BATCH];
    segment_read_items(
        tile.codes, tile.keys,
        [&](int e) { return tile.start + (unsigned)(first + e) * DIGITS_THREADS + threadIdx.x; },
        [&](int e) { return (unsigned)(first + e) < mine; }, (WORD)0, x);
#pragma unroll
    for (int e = 0; e < BRACKET_BATCH; e++) {
        found->inside |= (unsigned)((WORD)(x[e] - low) <= width) << (first + e);
        found->below += x[e] < low;
    }
    if (counts_nans)
#pragma unroll
        for (int e = 0; e < BRACKET_BATCH; e++)
            found->nans += x[e] > tile.codes.last_number();
}

struct bracket_sums { /* in shared memory */
    uint32_t           inside[DIGITS_THREADS / WARP_LANES], below[DIGITS_THREADS / WARP_LANES];
    unsigned long long before;
};

/* Adds the counts of a tile to the entry. Returns the place of the first candidate of this thread.
 * Every warp adds its counts, or `by_block` one thread: the tiles of a huge segment share their
 * entry. */
static DEVICE uint32_t bracket_add(bracket_sums *s, digits_entry &entry, const bracket_found &found,
                                   bool by_block)
{
    constexpr unsigned WARPS = DIGITS_THREADS / WARP_LANES;
    unsigned const     lane = lane_id(), warp = threadIdx.x / WARP_LANES;
    unsigned const     own = (unsigned)__popc(found.inside);
    unsigned const     scanned = warp_scan<scan_add<unsigned>>(own);
    unsigned const     below = __reduce_add_sync(WARP_ALL, found.below);
    if (!by_block) {
        unsigned const     total = __shfl_sync(WARP_ALL, scanned, WARP_LANES - 1);
        unsigned long long first = 0;
        if (lane == 0 && (below | total) != 0)
            first = atomicAdd(&entry.counts, (unsigned long long)below << 32 | total);
        return (uint32_t)__shfl_sync(WARP_ALL, first, 0) + (scanned - own);
    }
    if (lane == WARP_LANES - 1) {
        s->inside[warp] = scanned;
        s->below[warp] = below;
    }
    __syncthreads();
    unsigned const inside = lane < WARPS ? s->inside[lane] : 0;
    unsigned const before = __reduce_add_sync(WARP_ALL, lane < warp ? inside : 0);
    if (warp == 0) {
        unsigned const all = __reduce_add_sync(WARP_ALL, inside);
        unsigned const all_below = __reduce_add_sync(WARP_ALL, lane < WARPS ? s->below[lane] : 0);
        if (lane == 0)
            s->before = atomicAdd(&entry.counts, (unsigned long long)all_below << 32 | all);
    }
    __syncthreads();
    return (uint32_t)s->before + before + scanned - own;
}

/* Counts the keys of a tile below the bracket of an entry, and copies the codes inside to
 * `candidates`. Called by a whole block. */
template <typename WORD>
static DEVICE void bracket_tile(const bracket_keys<WORD> &tile, bool counts_nans, bool by_block,
                                digits_entry &entry, WORD *candidates, uint64_t room,
                                bracket_sums *sums)
{
    WORD const     low = (WORD)entry.found[0], high = (WORD)entry.found[1];
    unsigned const mine = (tile.count + DIGITS_THREADS - 1 - threadIdx.x) / DIGITS_THREADS;
    bracket_found  found = {};
#pragma unroll
    for (int first = 0; first < DIGITS_ITEMS; first += BRACKET_BATCH)
        bracket_look(tile, first, mine, low, high, counts_nans, &found);
    found.inside &= mine >= DIGITS_ITEMS ? ~0u : (1u << mine) - 1;
    found.below -= low != 0 ? DIGITS_ITEMS - mine : 0;
    if (low > high) /* an empty bracket */
        found.inside = found.below = 0;
    unsigned const nans = counts_nans ? __reduce_add_sync(WARP_ALL, found.nans) : 0;
    if (lane_id() == 0 && nans != 0)
        atomicAdd(&entry.nans, (unsigned long long)nans);
    uint32_t const at = bracket_add(sums, entry, found, by_block);
    if (low < high) /* else the candidates are equal, or there are none */
        bracket_keep(tile.codes, tile.keys, tile.start, found.inside, candidates, at, room);
}

/* Divides every tile of the long segments. */
template <typename WORD>
static __global__ void __launch_bounds__(DIGITS_THREADS, BRACKET_RESIDENT)
    bracket_filter(const __grid_constant__ segment_codes<WORD> codes, const void *keys,
                   const __grid_constant__ segment_classes classes, bool counts_nans,
                   digits_table table)
{
    __shared__ bracket_sums sums;
    uint64_t const          tiles = segment_tiles_count(classes);
    for (uint64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        segment_part const       here = segment_tile_at(classes, t);
        uint64_t const           from = here.tile * DIGITS_TILE;
        uint64_t const           left = here.where.length > from ? here.where.length - from : 0;
        segment_large const      whole = {here.where, here.first_tile, here.number};
        bracket_keys<WORD> const tile = {codes, keys, here.where.start + from,
                                         left < DIGITS_TILE ? (unsigned)left : DIGITS_TILE};
        bracket_tile(tile, counts_nans, table.rounds != 0, table.entries[here.slot],
                     (WORD *)table.candidates + bracket_first(classes, whole),
                     bracket_room(here.where.length), &sums);
    }
}

/* Divides the candidates that got another bracket. */
template <typename WORD>
static __global__ void __launch_bounds__(DIGITS_THREADS, BRACKET_RESIDENT)
    bracket_refine(const __grid_constant__ segment_codes<WORD> plain,
                   const __grid_constant__ segment_classes classes, uint64_t j, unsigned round,
                   digits_table table)
{
    __shared__ bracket_sums sums;
    uint32_t const          wide = min(table.wide_count[j * table.rounds + round], table.wide_room);
    for (uint32_t w = 0; w < wide; w++) {
        segment_large const here = segment_slot_at(classes, table.wide[w]);
        digits_entry       &entry = table.entries[table.wide[w]];
        bracket_state const state = entry.bracket;
        WORD *const         candidates = (WORD *)table.candidates + bracket_first(classes, here);
        for (uint64_t from = (uint64_t)blockIdx.x * DIGITS_TILE; from < state.count;
             from += (uint64_t)gridDim.x * DIGITS_TILE) {
            uint64_t const           left = state.count - from;
            bracket_keys<WORD> const tile = {plain, candidates + state.first, from,
                                             left < DIGITS_TILE ? (unsigned)left : DIGITS_TILE};
            bracket_tile(tile, false, true, entry, candidates + state.kept,
                         bracket_room(here.where.length) - state.kept, &sums);
        }
    }
}

/* ---- The result ---- */

/* The smallest candidate after `word`; the largest word if there is none. `least` has a word per
 * warp. Contains two barriers. */
template <typename WORD>
static DEVICE WORD bracket_next(const WORD *candidates, uint32_t count, WORD word, WORD *least)
{
    WORD mine = (WORD) ~(WORD)0;
    for (uint32_t p = threadIdx.x; p < count; p += BRACKET_THREADS) {
        WORD const other = candidates[p];
        mine = other > word && other < mine ? other : mine;
    }
    mine = warp_smallest(mine);
    __syncthreads(); /* earlier reads of `least` are done */
    if (lane_id() == 0)
        least[threadIdx.x / WARP_LANES] = mine;
    __syncthreads();
    return warp_smallest(least[lane_id() % (BRACKET_THREADS / WARP_LANES)]);
}

/* Finds the candidate of a rank, from registers if they hold all candidates. */
template <typename WORD>
static DEVICE void bracket_search(narrow_shared<BRACKET_THREADS> *shared, const WORD *candidates,
                                  narrow_range<WORD> *range, uint32_t rank)
{
    constexpr int  HELD = BRACKET_HELD / sizeof(WORD);
    uint32_t const count = range->inside;
    if (count <= HELD * BRACKET_THREADS) {
        WORD x[HELD];
#pragma unroll
        for (int e = 0; e < HELD; e++)
            if (e * BRACKET_THREADS + threadIdx.x < count)
                x[e] = candidates[e * BRACKET_THREADS + threadIdx.x];
        narrow(shared, range, rank, 0, [&](auto &&f) {
#pragma unroll
            for (int e = 0; e < HELD; e++)
                if (e * BRACKET_THREADS + threadIdx.x < count)
                    f(x[e]);
        });
    } else {
        narrow(shared, range, rank, 0, [&](auto &&f) {
            for (uint32_t p = threadIdx.x; p < count; p += BRACKET_THREADS)
                f(candidates[p]);
        });
    }
}

/* Writes target j of every long segment whose bracket has the wanted keys. */
template <typename WORD>
static __global__ void __launch_bounds__(BRACKET_THREADS, 4)
    bracket_settle(const __grid_constant__ segment_codes<WORD> codes,
                   const __grid_constant__ segment_classes     classes,
                   const __grid_constant__ segment_targets targets, uint64_t j, digits_table table)
{
    __shared__ narrow_shared<BRACKET_THREADS> shared;
    __shared__ WORD                           least[BRACKET_THREADS / WARP_LANES];
    uint64_t const                            slots = segment_slots_count(classes);
    for (uint64_t slot = blockIdx.x; slot < slots; slot += gridDim.x) {
        segment_large const        here = segment_slot_at(classes, slot);
        digits_entry              &entry = table.entries[slot];
        uint64_t const             length = here.where.length;
        segment_target const       target = segment_target_of(targets, j, length, entry.nans);
        bool const                 wants = !target.is_nan && !target.is_absent;
        bracket_result<WORD> const found(entry);
        if (wants && (!found.has(target.place, length) ||
                      (found.low != found.high && found.count > BRACKET_SEARCHED))) {
            if (threadIdx.x == 0)
                atomicAdd(&table.unsettled[j], 1u);
            continue;
        }
        WORD key = found.low, next = found.low;
        if (wants && found.low != found.high) {
            const WORD *const candidates =
                (const WORD *)table.candidates + bracket_first(classes, here) + found.first;
            uint32_t const     rank = (uint32_t)(target.place.below - found.below);
            narrow_range<WORD> range = {found.low, found.high, 0, found.count};
            bracket_search(&shared, candidates, &range, rank);
            key = next = range.low;
            if (target.place.above != target.place.below && rank + 1 >= range.below + range.inside)
                next = bracket_next(candidates, found.count, key, least);
        }
        __syncthreads(); /* all threads have read the entry */
        if (threadIdx.x == 0) {
            entry.is_settled = 1;
            segment_target_write(targets, codes, here.number, j, target, key, next);
        }
    }
}

/* ---- Both ways ---- */

/* Selects from the long segments. */
template <typename WORD>
static ordo_status select_long(cuda_call *call, const segment_codes<WORD> &codes, const void *keys,
                               const segment_classes &classes, const digits_table &table,
                               const segment_targets &targets)
{
    size_t const        slots = table.bytes / sizeof(digits_entry);
    size_t const        tiles = segment_grid(call, classes.most_tiles, 1, BRACKET_RESIDENT);
    size_t const        blocks = segment_grid(call, slots, 1, 8);
    bool const          nans = targets.nans != ORDO_NANS_LAST && codes.is_float;
    segment_codes<WORD> plain = {}; /* of candidates, which are codes already */
    plain.bytes = sizeof(WORD);
    if (slots == 0)
        return ORDO_OK;
    CUDA_TRY(call->exec, cudaMemsetAsync(table.entries, 0, table.bytes, call->stream));
    if (table.has_brackets)
        CUDA_TRY(call->exec,
                 cudaMemsetAsync(table.unsettled, 0,
                                 targets.count * (1 + table.rounds) * sizeof *table.unsettled,
                                 call->stream));
    else if (nans)
        TRY(CUDA_LAUNCH(call, digits_count_nans<WORD>, tiles, DIGITS_THREADS, 0, codes, keys,
                        classes, table));
    for (uint64_t j = 0; j < targets.count; j++) {
        if (table.has_brackets) {
            TRY(CUDA_LAUNCH(call, bracket_sample<WORD>, blocks, BRACKET_THREADS, 0, codes, keys,
                            classes, targets, j, table));
            TRY(CUDA_LAUNCH(call, bracket_filter<WORD>, tiles, DIGITS_THREADS, 0, codes, keys,
                            classes, nans && j == 0, table));
            for (unsigned round = 0; round < table.rounds; round++) {
                TRY(CUDA_LAUNCH(call, bracket_again<WORD>, blocks, BRACKET_THREADS, 0, classes,
                                targets, j, round, table));
                TRY(CUDA_LAUNCH(call, bracket_refine<WORD>, tiles, DIGITS_THREADS, 0, plain,
                                classes, j, round, table));
            }
            TRY(CUDA_LAUNCH(call, bracket_settle<WORD>, blocks, BRACKET_THREADS, 0, codes, classes,
                            targets, j, table));
        }
        TRY(digits_select(call, codes, keys, classes, table, targets, j));
    }
    return ORDO_OK;
}

#endif
