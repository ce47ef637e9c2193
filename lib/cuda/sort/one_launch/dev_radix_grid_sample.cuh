/* dev_radix_grid_sample.cuh - the sample of dev_radix_grid.cu: how the keys can be sorted.
 *
 * All blocks draw the same keys, so that they decide the same. If keys repeat, a hash table counts
 * them. Values that are frequent get codes of their own between the other codes; pairs of one value
 * are divided by their index. If every value of keys alone is frequent, the keys are only counted.
 * The line (dev_radix_grid.cuh) is linear or curved, whichever first has no part with too many of
 * the other keys. */
#ifndef ORDO_CUDA_SORT_DEV_RADIX_GRID_SAMPLE_H
#define ORDO_CUDA_SORT_DEV_RADIX_GRID_SAMPLE_H

#include "cuda/block/block_places.cuh"
#include "cuda/sort/one_launch/dev_radix_grid.cuh"
#include "cuda/sort/dev_radix_leaf.cuh"
#include "cuda/warp/first_where.cuh"

enum grid_kind {
    GRID_NONE, /* sorted by digits */
    GRID_LINE,
    GRID_FEW /* keys alone, whose values are all in the table */
};

template <bool INDEXED> struct grid_value {
    typedef radix_no_value type;
};
template <> struct grid_value<true> {
    typedef uint32_t type;
};

/* ---- shared memory -------------------------------------------------------------------------- */

struct grid_table { /* a hash table of folded key bits */
    uint32_t key[GRID_SLOTS];
    uint32_t hits[GRID_SLOTS]; /* keys of the sample; later the rank of a frequent value */
    uint32_t none;             /* the key of free slots, which the sample does not have */

    static DEVICE unsigned slot_of(uint32_t bits)
    {
        return bits * 0x9e3779b9u >> (32 - GRID_LG_SLOTS);
    }
    /* The slot of a key, or a free one. */
    DEVICE unsigned find(uint32_t bits) const
    {
        unsigned slot = slot_of(bits);
        while (key[slot] != bits && key[slot] != none)
            slot = (slot + 1) % GRID_SLOTS;
        return slot;
    }
    /* Counts a key and returns its slot. */
    DEVICE unsigned add(uint32_t bits, uint32_t empty)
    {
        unsigned slot = slot_of(bits);
        for (uint32_t found = empty;; slot = (slot + 1) % GRID_SLOTS) {
            found = atomicCAS(key + slot, empty, bits);
            if (found == empty || found == bits)
                break;
        }
        atomicAdd(hits + slot, 1u);
        return slot;
    }
};

struct grid_drawn { /* while the sample is examined and the parts are counted */
    uint32_t count[GRID_PARTS];
    uint32_t other[GRID_PARTS]; /* keys of the sample that are not frequent */
    uint32_t list[GRID_FREQUENT], slot[GRID_FREQUENT];
    union {
        uint32_t   marks[(1 << GRID_LG_MARKS) / 32];
        grid_table table;
    };
};

/* Frequent values. Value j has the codes from code + first[j] + 1 to code + first[j + 1] - 1, where
 * `code` is that of the line; smaller keys of that code have code + first[j]. */
struct grid_frequent {
    uint32_t values;
    uint32_t bits[GRID_FREQUENT]; /* folded key bits, ascending */
    uint16_t first[GRID_FREQUENT + 1];
    uint16_t code[GRID_FREQUENT];   /* of the line */
    uint16_t below[GRID_CODES + 2]; /* frequent values in the codes before each */
};

template <bool INDEXED> struct grid_moved { /* the keys of the block, in the order of the codes */
    uint32_t count[GRID_CODES];             /* keys of each code; later their first place */
    uint32_t to[GRID_CODES];                /* where they go, minus their place in the block */
    uint32_t keys[GRID_TILE];
    uint16_t source[INDEXED ? GRID_TILE : 1];
    uint16_t codes[GRID_TILE];
};

template <bool INDEXED> struct grid_digits { /* a leaf that is sorted by digits */
    uint32_t                   keys[GRID_MOST];
    uint32_t                   index[INDEXED ? GRID_MOST : 1];
    uint16_t                   order[GRID_MOST];
    radix_counters<GRID_WARPS> counters;
    uint32_t                   ones[2], zeros[2]; /* of the keys and of the indices: bits set in
                                                   * some, and bits not set in all */
};

template <typename CODE, bool INDEXED> struct alignas(16) grid_shared {
    grid_bend     bend[GRID_PARTS];
    grid_frequent frequent;
    alignas(16) uint32_t start[GRID_CODES + 4]; /* first places of the codes, and n */
    uint32_t sums[GRID_WARPS], twice, again, ends[2][32], large;
    uint32_t left[GRID_CODES / 32]; /* a bit for the first code of each leaf that is left */
    union {
        grid_drawn                                                                drawn;
        grid_moved<INDEXED>                                                       moved;
        leaf_shared<CODE, typename grid_value<INDEXED>::type, INDEXED, leaf_real> leaf;
        grid_digits<INDEXED>                                                      digits;
    };
};

/* A scan over one value of each thread: the sum of the values before. Contains two barriers. */
static DEVICE uint32_t grid_scan(uint32_t x, uint32_t *sums)
{
    return block_scan_threads<scan_add<uint32_t>, GRID_WARPS>(x, sums).before;
}

/* ---- frequent values ------------------------------------------------------------------------ */

/* Sorts the `values` values of drawn.list into `frequent`. A value with h of `drawn` sample keys
 * gets about its number of keys / `share` codes; share 0: one. Ends with a barrier. */
template <typename SHARED>
static DEVICE void grid_sort_frequent(SHARED *shared, unsigned values, uint32_t n, uint32_t drawn,
                                      uint32_t share)
{
    auto *const    found = &shared->drawn;
    auto *const    frequent = &shared->frequent;
    unsigned const me = threadIdx.x;
    unsigned       rank = 0;
    if (me < values) {
        uint32_t const mine = found->list[me];
#pragma unroll 8
        for (unsigned v = 0; v < values; v++)
            rank += found->list[v] < mine;
        uint32_t *const hits = found->table.hits + found->slot[me];
        uint64_t const  keys = (uint64_t)*hits * n / drawn;
        frequent->bits[rank] = mine;
        frequent->code[rank] = (uint16_t)(share == 0 ? 1 : 1 + keys / share);
        *hits = rank;
    }
    __syncthreads();
    uint32_t const width = me < values ? 1u + frequent->code[me] : 0;
    uint32_t const first = grid_scan(width, shared->sums);
    if (me <= values)
        frequent->first[me] = (uint16_t)first;
    if (me == 0)
        frequent->values = values;
    __syncthreads();
}

/* The sum of the values of this lane and those after it. */
static DEVICE uint32_t grid_sum_after(uint32_t x)
{
    uint32_t const scanned = warp_scan<scan_add<uint32_t>>(x);
    return __shfl_sync(WARP_ALL, scanned, 31) - scanned + x;
}

/* Empties the table of a sample; `none`: see grid_table. */
template <typename SHARED> static DEVICE void grid_clear_table(SHARED *shared, uint32_t none)
{
    auto *const table = &shared->drawn.table;
    if (threadIdx.x == 0) {
        shared->twice = shared->again = 0;
        table->none = none;
    }
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < GRID_SLOTS; i += GRID_THREADS) {
        table->key[i] = none;
        table->hits[i] = 0;
    }
}

/* The least number of hits that makes a value frequent, so that at most about GRID_FREQUENT are. */
template <typename SHARED> static DEVICE uint32_t grid_least_hits(SHARED *shared)
{
    auto *const    table = &shared->drawn.table;
    unsigned const me = threadIdx.x;
    if (me < 32) /* values by their number of hits */
        shared->ends[0][me] = 0;
    __syncthreads();
#pragma unroll 1
    for (unsigned i = me; i < GRID_SLOTS; i += GRID_THREADS)
        if (table->hits[i] >= (uint32_t)GRID_OFTEN)
            atomicAdd(shared->ends[0] + min(table->hits[i] - (uint32_t)GRID_OFTEN, 31u), 1u);
    __syncthreads();
    uint32_t const more = grid_sum_after(shared->ends[0][lane_id()]);
    return (uint32_t)GRID_OFTEN + (uint32_t)__popc(__ballot_sync(WARP_ALL, more > GRID_FREQUENT));
}

/* Finds the frequent values of a sample. Returns GRID_NONE if pairs repeat too often. `none`: see
 * grid_table. Sets the bits of `often` of frequent keys of this thread. Ends with a barrier. */
template <typename CODE, bool INDEXED>
static DEVICE grid_kind grid_find_frequent(grid_shared<CODE, INDEXED> *shared, CODE const &code,
                                           const uint32_t (&raw)[GRID_EACH], uint32_t      none,
                                           uint32_t n, uint32_t *often)
{
    auto *const    drawn = &shared->drawn;
    auto *const    table = &drawn->table;
    unsigned const me = threadIdx.x;
    unsigned       slot[GRID_EACH];
    bool           taken = false;
    grid_clear_table(shared, none);
#pragma unroll
    for (int i = 0; i < GRID_EACH; i++)
        taken |= code.fold(code.encode(raw[i])) == none;
    if (__syncthreads_or(taken))
        return INDEXED ? GRID_NONE : GRID_LINE;
#pragma unroll
    for (int i = 0; i < GRID_EACH; i++)
        slot[i] = table->add(code.fold(code.encode(raw[i])), none);
    __syncthreads();
    uint32_t const least = grid_least_hits(shared);
    uint32_t       again = 0, rare = 0;
#pragma unroll 4
    for (unsigned i = me; i < GRID_SLOTS; i += GRID_THREADS) {
        uint32_t const hits = table->hits[i];
        rare += hits != 0 && hits < GRID_OFTEN;
        again += hits != 0 && hits < least ? hits - 1 : 0;
    }
    again = __reduce_add_sync(WARP_ALL, again);
    if (lane_id() == 0)
        atomicAdd(&shared->again, again);
    bool const     few = __syncthreads_or(rare != 0) == 0 && !INDEXED;
    uint32_t const limit = few ? 1 : least;
#pragma unroll 1
    for (unsigned i = me; i < GRID_SLOTS; i += GRID_THREADS)
        if (table->hits[i] >= limit) {
            unsigned const at = atomicAdd(&shared->twice, 1u);
            if (at < GRID_FREQUENT) {
                drawn->list[at] = table->key[i];
                drawn->slot[at] = i;
            }
        }
#pragma unroll
    for (int i = 0; i < GRID_EACH; i++)
        *often |= (uint32_t)(table->hits[slot[i]] >= limit) << i;
    __syncthreads();
    unsigned const values = shared->twice;
    if (values > GRID_FREQUENT) { /* which of them would depend on the block */
        *often = 0;
        return INDEXED ? GRID_NONE : GRID_LINE;
    }
    if (INDEXED && shared->again > (uint64_t)GRID_DRAWN * GRID_DRAWN * GRID_TIMES / 2 / n)
        return GRID_NONE;
    uint32_t const share = min(max(n / 700, (uint32_t)GRID_SHARE), (uint32_t)CUDA_TUNE_GRID_GROUP);
    grid_sort_frequent(shared, values, n, GRID_DRAWN, INDEXED ? share : 0);
    if (shared->frequent.first[values] > GRID_CODES / 4 * 3)
        return GRID_NONE;
    return few ? GRID_FEW : GRID_LINE;
}

/* Finds the codes of the frequent values, and their number below each of `codes` codes. Returns the
 * number of all codes. Begins and ends with a barrier. */
template <typename CODE, bool INDEXED>
static DEVICE uint32_t grid_place_frequent(grid_shared<CODE, INDEXED> *shared, CODE const &code,
                                           grid_line<CODE> const &line, uint32_t codes)
{
    auto *const    frequent = &shared->frequent;
    unsigned const me = threadIdx.x, values = frequent->values;
    __syncthreads();
    if (me < values)
        frequent->code[me] =
            (uint16_t)grid_code(shared->bend, line.of(code, code.decode(frequent->bits[me])));
    __syncthreads();
    for (uint32_t c = me; c <= codes; c += GRID_THREADS) {
        frequent->below[c] =
            (uint16_t)first_where(0u, values, [&](unsigned v) { return frequent->code[v] >= c; });
    }
    __syncthreads();
    return codes + frequent->first[values];
}

/* The code of a key among those of frequent values. `at`: its code of the line. `part`: its index
 * as a part of 2^GRID_LG_PART. */
template <bool INDEXED>
static DEVICE uint32_t grid_frequent_code(grid_frequent const *frequent, uint32_t at, uint32_t bits,
                                          uint32_t part)
{
    unsigned const end = frequent->below[at + 1];
    unsigned const low = first_where((unsigned)frequent->below[at], end,
                                     [&](unsigned v) { return frequent->bits[v] >= bits; });
    uint32_t const first = frequent->first[low];
    if (low == end || frequent->bits[low] != bits)
        return at + first;
    uint32_t const width = frequent->first[low + 1] - first - 1u;
    return at + first + 1 + (INDEXED ? part * width >> GRID_LG_PART : 0);
}

/* ---- the sample ----------------------------------------------------------------------------- */

/* Counts the sample keys of each part of the line. Returns whether no part has too many that are
 * not frequent. Ends with a barrier. */
template <typename CODE, bool INDEXED>
static DEVICE bool grid_try_line(grid_shared<CODE, INDEXED> *shared, CODE const &code,
                                 const uint32_t (&raw)[GRID_EACH], uint32_t      often,
                                 grid_line<CODE> const &line)
{
    auto *const    drawn = &shared->drawn;
    unsigned const me = threadIdx.x;
    __syncthreads();
    drawn->count[me] = drawn->other[me] = 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < GRID_EACH; i++) {
        unsigned const part = line.of(code, raw[i]) >> GRID_LG_PART;
        atomicAdd(drawn->count + part, 1u);
        if ((often >> i) % 2 == 0)
            atomicAdd(drawn->other + part, 1u);
    }
    __syncthreads();
    return __syncthreads_or(drawn->other[me] > GRID_DRAWN / GRID_CROWDED) == 0;
}

/* Decides how the keys are sorted, in all threads of all blocks. Leaves the sample keys of each
 * part in drawn.count. */
template <bool SHORT, typename CODE, bool INDEXED>
static DEVICE grid_kind grid_fit(grid_shared<CODE, INDEXED> *shared, CODE const &code,
                                 const uint32_t *keys, uint32_t n, grid_line<CODE> &line)
{
    auto *const    drawn = &shared->drawn;
    unsigned const me = threadIdx.x;
    uint32_t const part = n / GRID_DRAWN;
    uint32_t       raw[GRID_EACH], low, high, again = 0, often = 0;
#pragma unroll
    for (int i = 0; i < GRID_EACH; i++) {
        uint32_t const s = i * GRID_THREADS + me;
        raw[i] = keys[s * part + (s * 0x9e3779b9u >> 8) % part];
    }
#pragma unroll
    for (unsigned i = me; i < (1u << GRID_LG_MARKS) / 32; i += GRID_THREADS)
        drawn->marks[i] = 0;
    if (me == 0)
        shared->twice = shared->large = shared->frequent.values = 0;
    if (me >= GRID_WARPS && me < 32) /* warps that the block does not have */
        shared->ends[0][me] = shared->ends[1][me] = 0;
    even_find_ends(code, raw, shared->ends, &low, &high);
#pragma unroll
    for (int i = 0; i < GRID_EACH; i++) {
        unsigned const mark = raw[i] * 0x9e3779b9u >> (32 - GRID_LG_MARKS);
        uint32_t const bit = 1u << mark % 32;
        again += (atomicOr(drawn->marks + mark / 32, bit) & bit) != 0;
    }
    again = __reduce_add_sync(WARP_ALL, again);
    if (lane_id() == 0)
        atomicAdd(&shared->twice, again);
    __syncthreads();
    uint32_t const twice = shared->twice;
    __syncthreads();
    if (low >= high)
        return GRID_NONE;
    if (twice > GRID_REPEATED * GRID_EACH * GRID_EACH) {
        /* Many keys are sorted by digits, unless they can be counted. */
        bool const many = !SHORT || n > CUDA_TUNE_GRID_FREQUENT;
        if (many && (INDEXED || GRID_DRAWN - twice > GRID_FREQUENT))
            return GRID_NONE;
        grid_kind const kind = grid_find_frequent(shared, code, raw, high + 1, n, &often);
        if (kind != GRID_LINE)
            return kind;
        if (many)
            return GRID_NONE;
    }
    for (int curve = 0; curve < 2; curve++)
        if (line.fit(code, low, high, curve != 0) && grid_try_line(shared, code, raw, often, line))
            return GRID_LINE;
    return GRID_NONE;
}

#endif
