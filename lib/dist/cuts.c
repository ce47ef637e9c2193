/* cuts.c - multi-select over all ranks (see cuts.h). */
#define _POSIX_C_SOURCE 200809L
#include "dist/cuts.h"

#include "backend/tuning.h"
#include "core/random.h"
#include "dist/cut_rounds.h"
#include "dist/device/device.h"

#include <math.h>
#include <string.h>

enum {
    CELLS_PER_CUT = ORDO_TUNE(32, 4), /* boundaries for each position, if a pass has labels */
    SAMPLES_PER_BOUNDARY = 8,
    SAMPLE = ORDO_TUNE(1 << 16, 64), /* of all ranks, for a few positions */
    KEPT_SHARE = 8,                  /* one pass may keep 1 / KEPT_SHARE of the keys */
    DEVIATIONS = 4,                  /* half the width of a bracket in standard deviations */
    LEAST_KEPT = 4096
};

typedef struct search {
    dist_call *call;
    cut       *cuts;
    size_t     count;
    cells     *cells;
    cells_pass pass;
    uint8_t   *keep;   /* of each cell */
    uint64_t  *counts; /* of each cell, of all ranks */
    uint64_t  *sample; /* of all ranks, sorted */
    size_t     sample_size;
} search;

/* ---- The sample ---- */

/* Keys that rank r draws if all ranks draw about `wanted`. */
static uint64_t drawn_by(const dist_call *c, size_t r, uint64_t wanted)
{
    double const share = (double)c->counts[r] / (double)c->total;
    return c->counts[r] == 0 ? 0 : 1 + (uint64_t)((double)wanted * share);
}

static ordo_status draw(search *s, size_t wanted, uint64_t *mine, uint64_t *bytes_of)
{
    dist_call *const c = s->call;
    uint64_t const   seed = ordo_random_sequence(c->exec->seed, (uint64_t)c->comm.rank);
    s->sample_size = 0;
    for (size_t r = 0; r < (size_t)c->comm.size; r++) {
        uint64_t const draws = drawn_by(c, r, wanted);
        bytes_of[r] = draws * sizeof *mine;
        s->sample_size += draws;
    }
    size_t const draws = (size_t)(bytes_of[c->comm.rank] / sizeof *mine);
    for (size_t i = 0; i < draws; i++)
        mine[i] = ordo_random_below(ordo_random_at(seed, i), c->n);
    if (dist_on_device(c))
        return dist_agree(c, device_orders(c, &s->pass.order, s->pass.keys, mine, draws, mine));
    for (size_t i = 0; i < draws; i++)
        mine[i] = cells_order_of(&s->pass.order, s->pass.keys, (size_t)mine[i]);
    return ORDO_OK;
}

static ordo_status take_sample(search *s, size_t wanted)
{
    dist_call *const c = s->call;
    size_t const     size = (size_t)c->comm.size;
    uint64_t        *mine = NULL, *bytes_of = NULL;
    ordo_status      status = ORDO_OK;
    void            *memory;
    status = ordo_scratch(c->exec, (wanted + 2 * size + 2) * sizeof *mine * 2 + size * 8, &memory);
    TRY(dist_agree(c, status));
    mine = memory;
    s->sample = mine + wanted + 2;
    bytes_of = s->sample + wanted + 2 * size + 2;
    TRY(draw(s, wanted, mine, bytes_of));
    TRY(dist_allgather_parts(c, mine, bytes_of, s->sample));
    return dist_agree(
        c, dist_inner(c, ordo_sort(c->inner, ORDO_U64, s->sample, s->sample_size, NULL)));
}

static void add_boundary(search *s, uint64_t order)
{
    cells *const to = s->cells;
    if (to->count == 0 || to->boundaries[to->count - 1] != order)
        to->boundaries[to->count++] = order;
}

/* Boundaries at equal distances in the sample. */
static void spread_boundaries(search *s, size_t wanted)
{
    for (size_t i = 0; i < wanted && s->sample_size > 0; i++)
        add_boundary(s, s->sample[(2 * i + 1) * s->sample_size / (2 * wanted)]);
    cells_index(s->cells);
}

/* The part of the sample around a position that holds the position with high probability. */
static void bracket_of(const search *s, uint64_t position, size_t *low, size_t *high)
{
    double const size = (double)s->sample_size;
    double const q = ((double)position + 0.5) / (double)s->call->total, middle = q * size;
    double const half = DEVIATIONS * sqrt(size * q * (1 - q)) + 2;
    *low = middle - half <= 0 ? 0 : (size_t)(middle - half);
    *high = middle + half >= size - 1 ? s->sample_size - 1 : (size_t)(middle + half);
}

/* The brackets of the positions from *next on that overlap, as one. *next becomes the first
 * position behind them. */
static void joined_brackets(const search *s, size_t *next, size_t *low, size_t *high)
{
    bracket_of(s, s->cuts[(*next)++].position, low, high);
    while (*next < s->count) {
        size_t from, to;
        bracket_of(s, s->cuts[*next].position, &from, &to);
        if (from > *high)
            return;
        *high = ordo_max(*high, to);
        ++*next;
    }
}

/* Two boundaries around each position, or around positions whose brackets overlap. The cells
 * between them are kept in the pass. */
static void bracket_boundaries(search *s)
{
    size_t low, high;
    for (size_t j = 0; j < s->count;) {
        joined_brackets(s, &j, &low, &high);
        add_boundary(s, s->sample[low]);
        add_boundary(s, s->sample[high]);
    }
    cells_index(s->cells);
    for (size_t j = 0; j < s->count;) {
        joined_brackets(s, &j, &low, &high);
        size_t const from = low == 0 ? 0 : cells_find(s->cells, s->sample[low]);
        size_t const to = high == s->sample_size - 1 ? 2 * s->cells->count
                                                     : cells_find(s->cells, s->sample[high]);
        for (size_t cell = from; cell <= to; cell++)
            s->keep[cell] = cell % 2 == 0;
    }
}

/* ---- The cells of the positions ---- */

/* Sets the order and the counts of positions whose cell is one key. Marks the cells of the other
 * positions in `open`. Returns the number of this rank's keys there. */
static uint64_t place_cuts(search *s, uint8_t *open, cut_interval *intervals)
{
    size_t const all = 2 * s->cells->count + 1;
    uint64_t     below = 0, mine = 0;
    size_t       cell = 0;
    memset(open, 0, all);
    for (size_t j = 0; j < s->count; j++) {
        cut *const at = &s->cuts[j];
        while (below + s->counts[cell] <= at->position)
            below += s->counts[cell++];
        at->less = below;
        intervals[j] = (cut_interval){
            .open = cell % 2 == 0,
            .low = cell < 2 ? 0 : s->cells->boundaries[cell / 2 - 1],
            .from_start = cell < 2,
            .high = cell / 2 < s->cells->count ? s->cells->boundaries[cell / 2] : UINT64_MAX,
            .to_end = cell / 2 >= s->cells->count,
            .all = s->counts[cell]};
        if (cell % 2 == 0) {
            mine += open[cell] ? 0 : s->pass.counts[cell];
            open[cell] = 1;
        } else {
            at->order = s->cells->boundaries[cell / 2];
            at->here = s->pass.counts[cell];
        }
    }
    return mine;
}

/* Whether every rank has kept all keys of the open cells. */
static ordo_status kept_enough(search *s, const uint8_t *open, bool *enough)
{
    size_t const all = 2 * s->cells->count + 1;
    *enough = memchr(open, 1, all) == NULL; /* the same on every rank */
    if (*enough) {
        atomic_store(&s->pass.kept_count, 0);
        return ORDO_OK;
    }
    uint64_t missing = s->pass.keep == NULL || atomic_load(&s->pass.kept_count) > s->pass.capacity;
    for (size_t cell = 0; cell < all && missing == 0; cell++)
        missing = open[cell] && !s->keep[cell];
    TRY(dist_sum(s->call, &missing, 1));
    *enough = missing == 0;
    return ORDO_OK;
}

/* Memory for kept keys, where the keys are. */
static ordo_status take_kept(search *s, size_t capacity)
{
    dist_call *const c = s->call;
    size_t const     bytes = (capacity + 1) * sizeof *s->pass.kept;
    s->pass.capacity = capacity;
    if (!dist_on_device(c)) {
        TRY_SCRATCH(c->exec, bytes, s->pass.kept);
        return ORDO_OK;
    }
    TRY(device_memory(c, bytes));
    s->pass.kept = device_take(c, bytes);
    return ORDO_OK;
}

static ordo_status run_pass(search *s)
{
    dist_call *const c = s->call;
    return dist_on_device(c) ? device_cells(c, &s->pass) : cells_run(c->exec, &s->pass);
}

/* Reads the keys of the open cells again. */
static ordo_status keep_open(search *s, const uint8_t *open, uint64_t mine)
{
    TRY(take_kept(s, (size_t)mine));
    s->pass.keep = open;
    return s->pass.labels != NULL ? cells_collect(s->call->exec, &s->pass) : run_pass(s);
}

/* ---- The search ---- */

static ordo_status take_memory(search *s, size_t most)
{
    ordo_exec *const exec = s->call->exec;
    size_t const     all = 2 * most + 1;
    TRY(cells_make(exec, most, s->cells));
    TRY_SCRATCH(exec, all, s->keep);
    TRY_SCRATCH(exec, all * sizeof *s->counts, s->counts);
    TRY_SCRATCH(exec, all * sizeof *s->pass.counts, s->pass.counts);
    memset(s->keep, 0, all);
    if (s->pass.labels != NULL)
        return ORDO_OK;
    TRY(take_kept(s, s->pass.n / KEPT_SHARE + LEAST_KEPT));
    s->pass.keep = s->keep;
    return ORDO_OK;
}

/* Counts the keys in cells, and finds the positions whose cell is one key. */
static ordo_status first_pass(search *s, uint8_t *open, cut_interval *intervals)
{
    dist_call *const c = s->call;
    size_t const     all = 2 * s->cells->count + 1;
    bool             enough;
    TRY(dist_agree(c, run_pass(s)));
    memcpy(s->counts, s->pass.counts, all * sizeof *s->counts);
    TRY(dist_sum(c, s->counts, all));
    uint64_t const mine = place_cuts(s, open, intervals);
    TRY(kept_enough(s, open, &enough));
    return enough ? ORDO_OK : dist_agree(c, keep_open(s, open, mine));
}

ordo_status cuts_find(dist_call *c, bool folded, cut *cuts, size_t count, uint16_t *labels,
                      cells *boundaries)
{
    double const started = dist_clock();
    bool const   even = labels != NULL || count > CELLS_MOST_BOUNDARIES / 2;
    size_t const wanted =
        ordo_min(ordo_max(count * (even ? CELLS_PER_CUT : 2), 8), CELLS_MOST_BOUNDARIES);
    search s = {.call = c, .cuts = cuts, .count = count, .cells = boundaries};
    s.pass = (cells_pass){.cells = boundaries,
                          .order = {c->type, c->descending, folded},
                          .keys = c->keys,
                          .n = c->n,
                          .labels = labels,
                          .loops = dist_loops_of(c)};
    TRY(dist_agree(c, take_memory(&s, wanted)));
    TRY(take_sample(&s, even ? wanted * SAMPLES_PER_BOUNDARY : SAMPLE));
    if (even)
        spread_boundaries(&s, wanted);
    else
        bracket_boundaries(&s);
    void *memory;
    TRY(dist_agree(
        c,
        ordo_scratch(c->exec, count * sizeof(cut_interval) + 2 * boundaries->count + 1, &memory)));
    cut_interval *const intervals = memory;
    TRY(first_pass(&s, (uint8_t *)(intervals + count), intervals));
    size_t const kept = atomic_load(&s.pass.kept_count);
    c->report.kept = kept;
    TRY(dist_agree(c, dist_on_device(c)
                          ? device_sort_orders(c, s.pass.kept, kept)
                          : dist_inner(c, ordo_sort(c->inner, ORDO_U64, s.pass.kept, kept, NULL))));
    cut_keys const numbers = {{ORDO_U64, false, false}, s.pass.kept, kept, dist_on_device(c)};
    TRY(cut_rounds(c, &numbers, cuts, intervals, count));
    c->report.cut_seconds += dist_clock() - started;
    return ORDO_OK;
}

ordo_status cuts_of_sorted(dist_call *c, const cells_order *order, const void *sorted, cut *cuts,
                           size_t count)
{
    cut_keys const keys = {*order, sorted, c->n, dist_on_device(c)};
    return cuts_of_keys(c, &keys, c->total, cuts, count);
}

ordo_status cuts_of_keys(dist_call *c, const cut_keys *keys, uint64_t total, cut *cuts,
                         size_t count)
{
    double const started = dist_clock();
    void        *memory;
    TRY(dist_agree(c, ordo_scratch(c->exec, (count + 1) * sizeof(cut_interval), &memory)));
    cut_interval *const intervals = memory;
    for (size_t j = 0; j < count; j++) {
        intervals[j] = (cut_interval){
            .open = true, .from_start = true, .to_end = true, .high = UINT64_MAX, .all = total};
        cuts[j].less = 0;
    }
    TRY(cut_rounds(c, keys, cuts, intervals, count));
    c->report.cut_seconds += dist_clock() - started;
    return ORDO_OK;
}
