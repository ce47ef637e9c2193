/* suffix_groups.cuh - one round of doubling: the kernels that split groups of suffixes.
 *
 * Suffixes with the same first h symbols form a group, whose rank is its first place in the suffix
 * array. The lists hold the suffixes of groups of two or more, with the rank of the group: groups
 * of at most SMALL_MOST from the front of the lists on, larger groups from the back on. The
 * suffixes of a group are neighbours. A block sorts small groups in shared memory: each suffix
 * counts the suffixes of its group with a smaller key. Large groups are sorted by a radix sort of
 * (start of the group in the list, rank of the suffix h symbols later). */
#ifndef ORDO_CUDA_TEXT_SUFFIX_GROUPS_H
#define ORDO_CUDA_TEXT_SUFFIX_GROUPS_H

#include "cuda/block/block_scan.cuh"
#include "cuda/block/lookback.cuh"
#include "cuda/text/text.cuh"
#include "cuda/text/text_tuning.cuh"
#include "cuda/warp/first_where.cuh"

enum {
    GROUP_WARPS = TEXT_THREADS / 32,
    GROUP_ROWS = 8, /* rows of 32 suffixes that a warp reads */
    GROUP_TILE = TEXT_THREADS * GROUP_ROWS,
    SMALL_MOST = CUDA_TUNE_TEXT_SMALL, /* suffixes of a small group */
    SMALL_TILE = 4 * TEXT_THREADS,
    SMALL_ITEMS = SMALL_TILE + SMALL_MOST, /* with the rest of a group that begins in the tile */
    SMALL_WORDS = SMALL_ITEMS / 32,
    SMALL_ROWS = SMALL_TILE / 32 /* words of the tile alone */
};

/* What the rounds know. rank[] counts from 1, so that 0 can be the end of a text. */
struct suffix_order {
    uint32_t *rank;  /* of the group of each suffix */
    uint32_t *sa;    /* the suffixes; those of a group in any order */
    uint32_t *heads; /* of each place of sa: the first place of its group */
};

#define NO_UPDATE (~(uint64_t)0)

struct group_lists { /* `room` elements each */
    uint32_t *index, *rank;
    size_t    room;
};

/* How many suffixes the lists have: those of small groups in the low half. */
static __host__ DEVICE uint64_t list_counts(uint64_t small, uint64_t large)
{
    return large << 32 | small;
}

static DEVICE uint32_t flags_to(unsigned lane) { return 0xffffffffu >> (31 - lane); }
static DEVICE unsigned last_flag(uint32_t flags) { return 31 - (unsigned)__clz((int)flags); }

/* For each item of a tile, the first item of its run: starts[r] is that of item first + 32 * (warp
 * * GROUP_ROWS + r) + lane. begins(i) says whether item i begins a run; equal values are
 * neighbours. A run that began in an earlier tile is found by a binary search. */
template <typename T, typename BEGINS>
static DEVICE void tile_run_starts(const T *values, size_t n, size_t first, BEGINS begins,
                                   uint32_t (&starts)[GROUP_ROWS])
{
    __shared__ uint32_t last_of[GROUP_WARPS], carried;
    unsigned const      warp = threadIdx.x / 32, lane = lane_id();
    size_t const        mine = first + warp * GROUP_ROWS * 32;
    uint32_t            flags[GROUP_ROWS], last = 0; /* one more than the last begin; 0: none */
#pragma unroll
    for (unsigned r = 0; r < GROUP_ROWS; r++) {
        size_t const i = mine + r * 32 + lane;
        flags[r] = __ballot_sync(WARP_ALL, i < n && begins(i));
        if (flags[r] != 0)
            last = (uint32_t)(mine + r * 32) + last_flag(flags[r]) + 1;
    }
    if (lane == 0)
        last_of[warp] = last;
    if (threadIdx.x == 0) {
        size_t start = first;
        if (!begins(first)) {
            T const value = values[first];
            start = first_where((size_t)0, first, [&](size_t i) { return values[i] == value; });
        }
        carried = (uint32_t)start;
    }
    __syncthreads();
    uint32_t start = carried;
    for (unsigned w = 0; w < warp; w++)
        start = last_of[w] != 0 ? last_of[w] - 1 : start;
#pragma unroll
    for (unsigned r = 0; r < GROUP_ROWS; r++) {
        uint32_t const row = (uint32_t)(mine + r * 32), here = flags[r] & lanes_to_here();
        starts[r] = here != 0 ? row + last_flag(here) : start;
        start = flags[r] != 0 ? row + last_flag(flags[r]) : start;
    }
}

/* The key of suffix `at` in a round: the rank of the suffix or rotation `depth` symbols later. */
static DEVICE uint32_t key_behind(const text_view &view, const uint32_t *rank, size_t at,
                                  size_t depth)
{
    return view.circle != 0 ? rank[circle_after(view, (uint32_t)at, (uint32_t)depth)]
                            : text_rank_behind(view, rank, at, depth);
}

/* Calls f(i, start of its group in the list) for the items of a tile of the large groups. */
template <typename F> static DEVICE void large_each(const uint32_t *group, size_t n, F &&f)
{
    size_t const first = (size_t)blockIdx.x * GROUP_TILE;
    size_t const mine = first + threadIdx.x / 32 * GROUP_ROWS * 32 + lane_id();
    uint32_t     starts[GROUP_ROWS];
    tile_run_starts(
        group, n, first, [&](size_t i) { return i == 0 || group[i] != group[i - 1]; }, starts);
#pragma unroll
    for (unsigned r = 0; r < GROUP_ROWS; r++) {
        size_t const i = mine + r * 32;
        if (i < n)
            f(i, starts[r]);
    }
}

/* The keys of the suffixes of large groups: (start of the group, rank behind). */
static __global__ void __launch_bounds__(TEXT_THREADS)
    large_keys(text_view view, const uint32_t *rank, size_t depth, const uint32_t *index,
               const uint32_t *group, size_t n, unsigned key_bits, uint64_t *keys)
{
    large_each(group, n, [&](size_t i, uint32_t start) {
        keys[i] = (uint64_t)start << key_bits | key_behind(view, rank, index[i], depth);
    });
}

struct sorted_suffixes { /* whose neighbours with equal keys form the new groups */
    const uint64_t *keys;
    const uint32_t *index;
    const uint32_t *group; /* their old ranks; NULL in the first round */
    size_t          n;
    uint64_t        base;     /* first round: of the digits of the keys; 0: circles, without end */
    unsigned        key_bits; /* other rounds: the key is start << key_bits | rank or run */
};

struct group_target {
    suffix_order    order;
    bool            writes_ranks; /* new ranks; heads are written in any case */
    group_lists     lists;
    const uint64_t *before; /* what the lists have already; NULL: nothing */
    uint64_t       *total;  /* list_counts at the end */
};

/* Finds the new groups of sorted suffixes and their ranks, and lists those of more than one
 * suffix. In the first round the suffixes are in sa already. */
template <bool FIRST>
static __global__ void __launch_bounds__(TEXT_THREADS)
    find_groups(lookback<uint64_t> state, sorted_suffixes from, group_target to)
{
    __shared__ uint64_t warp_totals[GROUP_WARPS], look_room[GROUP_WARPS + 1];
    size_t const        tile = take_tile(state), first = tile * GROUP_TILE, n = from.n;
    size_t const        mine = first + threadIdx.x / 32 * GROUP_ROWS * 32 + lane_id();
    uint32_t            starts[GROUP_ROWS], ranks[GROUP_ROWS], small[GROUP_ROWS], large[GROUP_ROWS];
    uint64_t            count = 0;
    auto const          begins = [&](size_t i) {
        return i == 0 || from.keys[i] != from.keys[i - 1] ||
               (FIRST && from.base != 0 && from.keys[i] % from.base == 0);
    };
    tile_run_starts(from.keys, n, first, begins, starts);
#pragma unroll
    for (unsigned r = 0; r < GROUP_ROWS; r++) {
        size_t const   i = mine + r * 32;
        uint32_t const start = starts[r];
        bool           alone = true, is_large = false;
        if (i < n) {
            uint64_t const key = from.keys[i];
            uint32_t const at = from.index[i], old = FIRST ? 0 : from.group[i];
            ranks[r] = FIRST ? start : old + (start - (uint32_t)(key >> from.key_bits));
            alone = start == i && (i + 1 == n || begins(i + 1));
            is_large = !alone && start + (size_t)SMALL_MOST < n &&
                       from.keys[start + (size_t)SMALL_MOST] == key;
            size_t const place = ranks[r] + (i - start);
            to.order.heads[place] = ranks[r];
            if (!FIRST)
                to.order.sa[place] = at;
            if (!FIRST && to.writes_ranks && ranks[r] != old)
                to.order.rank[at] = ranks[r] + 1;
        }
        small[r] = __ballot_sync(WARP_ALL, !alone && !is_large);
        large[r] = __ballot_sync(WARP_ALL, is_large);
        count += list_counts(__popc(small[r]), __popc(large[r]));
    }
    block_sums<uint64_t> const sums =
        block_scan_warps<scan_add<uint64_t>, GROUP_WARPS>(count, warp_totals);
    uint64_t const start = to.before != NULL ? *to.before : 0;
    uint64_t const before =
        look_back<scan_add<uint64_t>, GROUP_WARPS>(state, tile, sums.total, start, look_room);
    if (first + GROUP_TILE >= n && threadIdx.x == 0)
        *to.total = before + sums.total;
    uint64_t next = before + sums.before;
#pragma unroll
    for (unsigned r = 0; r < GROUP_ROWS; r++) {
        size_t const i = mine + r * 32;
        bool const   is_small = (small[r] >> lane_id() & 1) != 0;
        if (is_small || (large[r] >> lane_id() & 1) != 0) {
            size_t const place =
                is_small
                    ? (uint32_t)next + (size_t)__popc(small[r] & lanes_before())
                    : to.lists.room - 1 - (next >> 32) - (size_t)__popc(large[r] & lanes_before());
            to.lists.index[place] = from.index[i];
            to.lists.rank[place] = ranks[r];
        }
        next += list_counts(__popc(small[r]), __popc(large[r]));
    }
}

struct small_tile { /* of a block that sorts small groups */
    uint32_t index[SMALL_ITEMS], key[SMALL_ITEMS], rank[SMALL_ITEMS];
    uint32_t begins[SMALL_WORDS]; /* where groups begin */
    uint32_t kept[SMALL_WORDS];   /* sorted places whose suffix still ties */
    uint32_t kept_before[SMALL_WORDS];
    uint32_t place; /* of the first of them in the list */
};

static DEVICE void small_load(const text_view &view, const uint32_t *rank, size_t depth,
                              const group_lists &lists, size_t n, size_t first, small_tile *tile)
{
    unsigned const lane = lane_id();
    for (unsigned w = threadIdx.x / 32; w < SMALL_WORDS; w += GROUP_WARPS) {
        size_t const i = first + w * 32 + lane;
        uint32_t     group = 0;
        if (i < n) {
            uint32_t const at = lists.index[i];
            group = lists.rank[i];
            tile->index[w * 32 + lane] = at;
            tile->key[w * 32 + lane] = key_behind(view, rank, at, depth);
        }
        bool const     begins = i == n || (i < n && (i == 0 || group != lists.rank[i - 1]));
        uint32_t const flags = __ballot_sync(WARP_ALL, begins);
        if (lane == 0) {
            tile->begins[w] = flags;
            tile->kept[w] = 0;
        }
    }
}

/* The group of an item of the tile; an empty one if the group began before the tile or begins after
 * it. A group has at most SMALL_MOST suffixes, so its ends are in a few words. */
static DEVICE uint2 small_group(const small_tile *tile, unsigned item)
{
    unsigned word = item / 32;
    uint32_t flags = tile->begins[word] & flags_to(item % 32);
    while (flags == 0 && word > 0)
        flags = tile->begins[--word];
    unsigned const begin = word * 32 + last_flag(flags);
    if (flags == 0 || begin >= SMALL_TILE)
        return make_uint2(0, 0);
    word = item / 32;
    flags = tile->begins[word] & ~flags_to(item % 32);
    while (flags == 0)
        flags = tile->begins[++word];
    return make_uint2(begin, word * 32 + (unsigned)__ffs((int)flags) - 1);
}

/* Sums kept[] and takes room in the list of small groups; called by one warp. */
static DEVICE void small_take(small_tile *tile, uint64_t *total)
{
    unsigned const lane = lane_id();
    uint32_t const count = (uint32_t)__popc(tile->kept[lane]);
    uint32_t const sum = warp_scan<scan_add<uint32_t>>(count);
    uint32_t       all = __shfl_sync(WARP_ALL, sum, 31);
    tile->kept_before[lane] = sum - count;
    if (lane != 0)
        return;
    for (unsigned w = SMALL_ROWS; w < SMALL_WORDS; w++) {
        tile->kept_before[w] = all;
        all += (uint32_t)__popc(tile->kept[w]);
    }
    if (all > 0)
        tile->place = (uint32_t)atomicAdd((unsigned long long *)total, (unsigned long long)all);
}

/* Sorts the small groups of `lists`, n suffixes; writes those that still tie to `next`. New ranks
 * go to updates, if that is not NULL, because other blocks still read the old ones. */
static __global__ void __launch_bounds__(TEXT_THREADS)
    sort_small(text_view view, suffix_order order, size_t depth, group_lists lists, size_t n,
               uint64_t *updates, group_lists next, uint64_t *total)
{
    __shared__ small_tile tile;
    __shared__ uint32_t   sorted[SMALL_ITEMS];
    static_assert(SMALL_ROWS == 32, "small_take sums the words of the tile in one warp");
    static_assert(SMALL_MOST % 32 == 0, "the words have whole groups behind the tile");
    size_t const first = (size_t)blockIdx.x * SMALL_TILE;
    small_load(view, order.rank, depth, lists, n, first, &tile);
    __syncthreads();
    for (unsigned item = threadIdx.x; item < SMALL_ITEMS && first + item < n;
         item += TEXT_THREADS) {
        uint2 const    group = small_group(&tile, item);
        uint32_t const key = tile.key[item], at = tile.index[item];
        uint32_t       less = 0, equal = 0, before = 0;
        if (group.x == group.y)
            continue;
        for (unsigned k = group.x; k < group.y; k++) {
            less += tile.key[k] < key;
            equal += tile.key[k] == key;
            before += tile.key[k] == key && k < item;
        }
        uint32_t const old = lists.rank[first + item], mine = old + less;
        if (updates != NULL)
            updates[first + item] = less != 0 ? (uint64_t)at << 32 | (mine + 1) : NO_UPDATE;
        order.sa[mine + before] = at;
        order.heads[mine + before] = mine;
        if (equal == 1)
            continue;
        unsigned const place = group.x + less + before;
        sorted[place] = at;
        tile.rank[place] = mine;
        atomicOr(&tile.kept[place / 32], 1u << place % 32);
    }
    __syncthreads();
    if (threadIdx.x < 32)
        small_take(&tile, total);
    __syncthreads();
    for (unsigned item = threadIdx.x; item < SMALL_ITEMS; item += TEXT_THREADS) {
        uint32_t const kept = tile.kept[item / 32];
        if ((kept >> item % 32 & 1) == 0)
            continue;
        size_t const place = (size_t)tile.place + tile.kept_before[item / 32] +
                             (unsigned)__popc(kept & (flags_to(item % 32) >> 1));
        next.index[place] = sorted[item];
        next.rank[place] = tile.rank[item];
    }
}

static __global__ void __launch_bounds__(TEXT_THREADS)
    write_updates(const uint64_t *updates, size_t n, uint32_t *rank)
{
    grid_each(n, [&](size_t i) {
        uint64_t const update = __ldcs(updates + i);
        if (update != NO_UPDATE)
            rank[update >> 32] = (uint32_t)update;
    });
}

/* All ranks, from the heads. */
static __global__ void __launch_bounds__(TEXT_THREADS) scatter_ranks(suffix_order order, size_t n)
{
    grid_each(n, [&](size_t i) { order.rank[order.sa[i]] = order.heads[i] + 1; });
}

#endif
