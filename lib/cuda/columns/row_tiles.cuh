/* row_tiles.cuh - the ties and groups of sorted rows, from one byte of heads per row.
 *
 * Rows are cut into tiles of 8192. One kernel counts the heads of each tile, one block scans the
 * tiles, and kernels that need the tie or the group of a row read the heads again: ballots make
 * words of 32 heads, and one thread per word scans the words of the tile. Memory moved: one byte
 * per row twice, and 48 bytes per tile. Called by blocks of ROWS_THREADS threads. */
#ifndef ORDO_CUDA_COLUMNS_ROW_TILES_H
#define ORDO_CUDA_COLUMNS_ROW_TILES_H

#include "cuda/block/block_scan.cuh"
#include "cuda/columns/columns.cuh"

enum {
    ROWS_THREADS = 256,
    ROWS_WARPS = ROWS_THREADS / 32,
    ROWS_TILE = 32 * ROWS_THREADS /* rows of a tile; a word of heads for each thread */
};

/* A tile; after row_tiles_scan what comes before it, and the next head. Rows count from 1 in
 * last_head and last_first, and 0 means none. */
struct row_tile {
    uint64_t heads;      /* number of tie heads */
    uint64_t groups;     /* number of group heads */
    uint64_t last_head;  /* the last head of a tie */
    uint64_t last_first; /* the last head of a group */
    uint64_t rank_first; /* heads up to last_first */
    uint64_t next_head;  /* the first head of the tile, from 0; then the first one after it, or n */
};

struct row_tiles { /* a kernel argument */
    const uint8_t *heads;
    uint64_t       n;
    bool           grouped; /* otherwise all rows are one group */
    row_tile      *tiles;
    uint64_t       count;
};

static inline row_tiles row_tiles_layout(cuda_scratch *scratch, const uint8_t *heads, size_t n,
                                         bool grouped)
{
    uint64_t const count = ordo_div_up(n, ROWS_TILE);
    return {heads, n, grouped, scratch_take<row_tile>(scratch, count), count};
}

/* The words of heads of a tile, in shared memory. */
struct row_words {
    uint32_t head[ROWS_THREADS], first[ROWS_THREADS];
};

/* Reads the heads of tile t. Ends with a barrier. */
static DEVICE void row_words_read(const row_tiles &rows, uint64_t t, row_words *words)
{
#pragma unroll 8
    for (unsigned e = 0; e < 32; e++) {
        unsigned const at = e * ROWS_THREADS + threadIdx.x;
        uint64_t const i = t * ROWS_TILE + at;
        unsigned const bits = i < rows.n ? rows.heads[i] : 0;
        bool const     first = rows.grouped ? (bits & ORDO_ROW_FIRST) != 0 : i == 0;
        uint32_t const head = __ballot_sync(WARP_ALL, (bits & ORDO_ROW_HEAD) != 0);
        uint32_t const firsts = __ballot_sync(WARP_ALL, first);
        if (lane_id() == 0) {
            words->head[at / 32] = head;
            words->first[at / 32] = firsts;
        }
    }
    __syncthreads();
}

/* The heads up to bit `bit` of a word. */
static DEVICE uint32_t row_bits_to(unsigned bit) { return 0xffffffffu >> (31 - bit); }

/* One word of heads. Rows count from 1. */
struct row_word {
    uint32_t heads, groups;
    uint64_t last_head, last_first; /* 0: none */
    uint32_t rank_first;            /* heads up to last_first */
    uint64_t next_head;             /* the first head, from 0; UINT64_MAX: none */
};

static DEVICE row_word row_word_of(uint32_t head, uint32_t first, uint64_t base)
{
    row_word word = {};
    word.heads = (uint32_t)__popc(head);
    word.groups = (uint32_t)__popc(first);
    word.last_head = head == 0 ? 0 : base + 32 - (unsigned)__clz((int)head);
    word.next_head = head == 0 ? UINT64_MAX : base + (unsigned)__ffs((int)head) - 1;
    if (first != 0) {
        unsigned const bit = 31 - (unsigned)__clz((int)first);
        word.last_first = base + bit + 1;
        word.rank_first = (uint32_t)__popc(head & row_bits_to(bit));
    }
    return word;
}

typedef scan_add<uint64_t> row_sum;
typedef scan_max<uint64_t> row_max;
typedef scan_min<uint64_t> row_min;

/* ---- The scan of the tiles ---- */

static __global__ void __launch_bounds__(ROWS_THREADS)
    row_tiles_count(const __grid_constant__ row_tiles rows)
{
    __shared__ row_words words;
    __shared__ uint64_t  totals[ROWS_WARPS];
    for (uint64_t t = blockIdx.x; t < rows.count; t += gridDim.x) {
        row_words_read(rows, t, &words);
        row_word const word = row_word_of(words.head[threadIdx.x], words.first[threadIdx.x],
                                          t * ROWS_TILE + (uint64_t)threadIdx.x * WARP_LANES);
        auto const     heads = block_scan_threads<row_sum, ROWS_WARPS>(word.heads, totals);
        uint64_t const rank = word.last_first == 0 ? 0 : heads.before + word.rank_first;
        row_tile       tile;
        tile.heads = heads.total;
        tile.groups = block_scan_threads<row_sum, ROWS_WARPS>(word.groups, totals).total;
        tile.last_head = block_scan_threads<row_max, ROWS_WARPS>(word.last_head, totals).total;
        tile.last_first = block_scan_threads<row_max, ROWS_WARPS>(word.last_first, totals).total;
        tile.rank_first = block_scan_threads<row_max, ROWS_WARPS>(rank, totals).total;
        tile.next_head = block_scan_threads<row_min, ROWS_WARPS>(word.next_head, totals).total;
        if (threadIdx.x == 0)
            rows.tiles[t] = tile;
    }
}

enum {
    ROWS_SCAN_THREADS = 1024,
    ROWS_SCAN_WARPS = ROWS_SCAN_THREADS / 32
};

/* One block: replaces each tile by what comes before it, and by the next head after it. */
static __global__ void __launch_bounds__(ROWS_SCAN_THREADS)
    row_tiles_scan(const __grid_constant__ row_tiles rows)
{
    __shared__ uint64_t totals[ROWS_SCAN_WARPS];
    row_tile            carry = {};
    for (uint64_t from = 0; from < rows.count; from += ROWS_SCAN_THREADS) {
        uint64_t const t = from + threadIdx.x;
        row_tile const none = {}, mine = t < rows.count ? rows.tiles[t] : none;
        auto const     heads = block_scan_threads<row_sum, ROWS_SCAN_WARPS>(mine.heads, totals);
        auto const     groups = block_scan_threads<row_sum, ROWS_SCAN_WARPS>(mine.groups, totals);
        auto const     head = block_scan_threads<row_max, ROWS_SCAN_WARPS>(mine.last_head, totals);
        auto const first = block_scan_threads<row_max, ROWS_SCAN_WARPS>(mine.last_first, totals);
        uint64_t const own =
            mine.last_first == 0 ? 0 : carry.heads + heads.before + mine.rank_first;
        auto const rank = block_scan_threads<row_max, ROWS_SCAN_WARPS>(own, totals);
        if (t < rows.count)
            rows.tiles[t] = {
                carry.heads + heads.before,         carry.groups + groups.before,
                max(carry.last_head, head.before),  max(carry.last_first, first.before),
                max(carry.rank_first, rank.before), mine.next_head};
        carry = {carry.heads + heads.total,         carry.groups + groups.total,
                 max(carry.last_head, head.total),  max(carry.last_first, first.total),
                 max(carry.rank_first, rank.total), 0};
    }
    uint64_t next = rows.n;
    for (uint64_t done = 0; done < rows.count; done += ROWS_SCAN_THREADS) {
        bool const     is_there = done + threadIdx.x < rows.count;
        uint64_t const t = is_there ? rows.count - 1 - done - threadIdx.x : 0;
        uint64_t const mine = is_there ? rows.tiles[t].next_head : UINT64_MAX;
        auto const     after = block_scan_threads<row_min, ROWS_SCAN_WARPS>(mine, totals);
        if (is_there)
            rows.tiles[t].next_head = min(next, after.before);
        next = min(next, after.total);
    }
}

static inline size_t row_tiles_grid(const cuda_call *call, const row_tiles &rows)
{
    return ordo_max(ordo_min((size_t)rows.count, (size_t)call->facts->sms * 8), 1);
}

/* Fills the tiles. */
static inline ordo_status row_tiles_fill(cuda_call *call, const row_tiles &rows)
{
    TRY(CUDA_LAUNCH(call, row_tiles_count, row_tiles_grid(call, rows), ROWS_THREADS, 0, rows));
    return CUDA_LAUNCH(call, row_tiles_scan, 1, ROWS_SCAN_THREADS, 0, rows);
}

/* ---- Rows ---- */

/* What comes before each word of a tile, and the next head after it. */
struct row_shared {
    row_words words;
    uint64_t  last_head[ROWS_THREADS], last_first[ROWS_THREADS], rank_first[ROWS_THREADS];
    uint64_t  next_head[ROWS_THREADS], heads[ROWS_THREADS], groups[ROWS_THREADS];
    uint64_t  totals[ROWS_WARPS];
};

struct row_place {     /* of one row */
    uint64_t begin;    /* first row of its tie */
    uint64_t end;      /* the row after its tie */
    uint64_t group;    /* first row of its group */
    uint64_t dense;    /* ties of the group up to it */
    uint64_t number;   /* the number of its group, from 0 */
    bool     is_first; /* of its group */
};

/* Loads tile t. Ends with a barrier. */
static DEVICE void row_tile_load(const row_tiles &rows, uint64_t t, row_shared *s)
{
    unsigned const w = threadIdx.x, turned = ROWS_THREADS - 1 - w;
    uint64_t const base = t * ROWS_TILE;
    row_tile const tile = rows.tiles[t];
    row_words_read(rows, t, &s->words);
    row_word const word =
        row_word_of(s->words.head[w], s->words.first[w], base + (uint64_t)w * WARP_LANES);
    row_word const last = row_word_of(s->words.head[turned], s->words.first[turned],
                                      base + (uint64_t)turned * WARP_LANES);
    uint64_t const heads =
        tile.heads + block_scan_threads<row_sum, ROWS_WARPS>(word.heads, s->totals).before;
    uint64_t const rank = word.last_first == 0 ? 0 : heads + word.rank_first;
    s->heads[w] = heads;
    s->groups[w] =
        tile.groups + block_scan_threads<row_sum, ROWS_WARPS>(word.groups, s->totals).before;
    s->last_head[w] = max(
        tile.last_head, block_scan_threads<row_max, ROWS_WARPS>(word.last_head, s->totals).before);
    s->last_first[w] =
        max(tile.last_first,
            block_scan_threads<row_max, ROWS_WARPS>(word.last_first, s->totals).before);
    s->rank_first[w] =
        max(tile.rank_first, block_scan_threads<row_max, ROWS_WARPS>(rank, s->totals).before);
    s->next_head[turned] = min(
        tile.next_head, block_scan_threads<row_min, ROWS_WARPS>(last.next_head, s->totals).before);
    __syncthreads();
}

/* The place of row `at` of tile t, which is loaded. Row 0 of all rows is a head of both kinds, so
 * every row has a head at or before it. */
static DEVICE row_place row_place_of(const row_shared &s, uint64_t t, unsigned at)
{
    unsigned const w = at / 32, bit = at % 32;
    uint64_t const base = t * ROWS_TILE + (uint64_t)w * WARP_LANES;
    uint32_t const to = row_bits_to(bit);
    uint32_t const head = s.words.head[w] & to, first = s.words.first[w] & to;
    uint32_t const after = s.words.head[w] & ~to;
    row_word const word = row_word_of(head, first, base);
    row_place      place;
    place.begin = (head != 0 ? word.last_head : s.last_head[w]) - 1;
    place.end = after != 0 ? base + (unsigned)__ffs((int)after) - 1 : s.next_head[w];
    place.group = (first != 0 ? word.last_first : s.last_first[w]) - 1;
    place.dense =
        s.heads[w] + word.heads + 1 - (first != 0 ? s.heads[w] + word.rank_first : s.rank_first[w]);
    place.number = s.groups[w] + word.groups - 1;
    place.is_first = (first >> bit & 1) != 0;
    return place;
}

/* Calls f(i, place) for every row; the tiles are filled. */
template <typename F> static DEVICE void each_sorted_row(const row_tiles &rows, F &&f)
{
    __shared__ row_shared shared;
    for (uint64_t t = blockIdx.x; t < rows.count; t += gridDim.x) {
        row_tile_load(rows, t, &shared);
#pragma unroll 4
        for (unsigned at = threadIdx.x; at < ROWS_TILE; at += ROWS_THREADS) {
            uint64_t const i = t * ROWS_TILE + at;
            if (i < rows.n)
                f(i, row_place_of(shared, t, at));
        }
        __syncthreads();
    }
}

#endif
