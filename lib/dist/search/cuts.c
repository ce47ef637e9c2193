/* cuts.c - multi-select over all processes (see cuts.h). */
#define _POSIX_C_SOURCE 200809L
#include "dist/search/cuts.h"

#include "backend/tuning.h"
#include "dist/search/brackets.h"
#include "dist/search/cut_rounds.h"
#include "dist/device/device.h"

#include <stdlib.h>
#include <string.h>

enum {
    SAMPLE = ORDO_TUNE(1 << 16, 64), /* of all processes, for a few positions */
    KEPT_SHARE = 8,                  /* one pass may keep 1 / KEPT_SHARE of the keys */
    LEAST_KEPT = 4096
};

typedef struct search {
    dist_call  *call;
    cut        *cuts;
    size_t      count;
    cells      *cells;
    cells_pass  pass;
    uint8_t    *keep;   /* of each cell */
    uint64_t   *counts; /* of each cell, of all processes */
    dist_part   part;
    dist_sample sample; /* sorted */

    cut_interval    *intervals; /* of the positions, in the kept keys */
    ordo_place_wish *ends;      /* two for each of them */
    uint64_t        *places;    /* of the ends */
    uint8_t         *open;      /* of each cell: it has positions whose key is not known */
} search;

/* ---- Positions ---- */

static int by_position(const void *a, const void *b)
{
    uint64_t const x = ((const cut *)a)->position, y = ((const cut *)b)->position;
    return (x > y) - (x < y);
}

size_t cuts_of_positions(const uint64_t *positions, size_t count, cut *cuts)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        cuts[i] = (cut){.position = positions[i]};
    qsort(cuts, count, sizeof *cuts, by_position);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || cuts[i].position != cuts[kept - 1].position)
            cuts[kept++] = cuts[i];
    return kept;
}

size_t cuts_position(const cut *cuts, size_t count, uint64_t position)
{
    cut const        wanted = {.position = position};
    const cut *const found = bsearch(&wanted, cuts, count, sizeof *cuts, by_position);
    return (size_t)(found - cuts);
}

/* ---- Boundaries ---- */

static ordo_status take_sample(search *s, size_t wanted)
{
    dist_call *const c = s->call;
    dist_part const  part = s->part;
    TRY(sample_draw(c, &part, wanted, &s->sample));
    return dist_agree(
        c, dist_inner(c, ordo_sort(c->inner, ORDO_U64, s->sample.all, s->sample.count, NULL)));
}

static void add_boundary(search *s, uint64_t order)
{
    cells *const to = s->cells;
    if (to->count == 0 || to->boundaries[to->count - 1] != order)
        to->boundaries[to->count++] = order;
}

static void joined_brackets(const search *s, size_t *next, size_t *low, size_t *high)
{
    sample_bracket(s->part.total, s->sample.count, s->cuts, s->count, next, low, high);
}

/* Two boundaries around each position, or around positions whose brackets overlap. The cells
 * between them are kept in the pass. */
static void bracket_boundaries(search *s)
{
    size_t low, high;
    for (size_t j = 0; j < s->count;) {
        joined_brackets(s, &j, &low, &high);
        add_boundary(s, s->sample.all[low]);
        add_boundary(s, s->sample.all[high]);
    }
    cells_index(s->cells);
    for (size_t j = 0; j < s->count;) {
        joined_brackets(s, &j, &low, &high);
        size_t const from = low == 0 ? 0 : cells_find(s->cells, s->sample.all[low]);
        size_t const to = high == s->sample.count - 1 ? 2 * s->cells->count
                                                      : cells_find(s->cells, s->sample.all[high]);
        for (size_t cell = from; cell <= to; cell++)
            s->keep[cell] = cell % 2 == 0;
    }
}

/* ---- The cells of the positions ---- */

/* Sets the order and the counts of positions whose cell is one key. Marks the cells of the other
 * positions in `open`. Returns the number of this process's keys there. */
static uint64_t place_cuts(search *s)
{
    uint8_t *const open = s->open;
    size_t const   all = 2 * s->cells->count + 1;
    uint64_t       below = 0, mine = 0;
    size_t         cell = 0;
    memset(open, 0, all);
    for (size_t j = 0; j < s->count; j++) {
        cut *const at = &s->cuts[j];
        while (below + s->counts[cell] <= at->position)
            below += s->counts[cell++];
        at->less = below;
        s->intervals[j] = (cut_interval){.open = cell % 2 == 0, .all = s->counts[cell]};
        s->ends[2 * j] = (ordo_place_wish){
            .order = cell < 2 ? 0 : s->cells->boundaries[cell / 2 - 1], .above = cell >= 2};
        s->ends[2 * j + 1] = (ordo_place_wish){
            .order = cell / 2 < s->cells->count ? s->cells->boundaries[cell / 2] : UINT64_MAX,
            .above = cell / 2 >= s->cells->count};
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

/* Whether every process has kept all keys of the open cells. */
static ordo_status kept_enough(search *s, bool *enough)
{
    size_t const         all = 2 * s->cells->count + 1;
    const uint8_t *const open = s->open;
    *enough = memchr(open, 1, all) == NULL; /* the same on every process */
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
static ordo_status keep_open(search *s, uint64_t mine)
{
    TRY(take_kept(s, (size_t)mine));
    s->pass.keep = s->open;
    return run_pass(s);
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
    TRY(take_kept(s, s->pass.n / KEPT_SHARE + LEAST_KEPT));
    s->pass.keep = s->keep;
    return ORDO_OK;
}

/* Counts the keys in cells, and finds the positions whose cell is one key. */
static ordo_status first_pass(search *s)
{
    dist_call *const c = s->call;
    size_t const     all = 2 * s->cells->count + 1;
    bool             enough;
    TRY(dist_agree(c, run_pass(s)));
    memcpy(s->counts, s->pass.counts, all * sizeof *s->counts);
    TRY(dist_sum(c, s->counts, all));
    uint64_t const mine = place_cuts(s);
    TRY(kept_enough(s, &enough));
    return enough ? ORDO_OK : dist_agree(c, keep_open(s, mine));
}

static ordo_status take_intervals(search *s)
{
    ordo_exec *const exec = s->call->exec;
    TRY_SCRATCH(exec, s->count * sizeof *s->intervals, s->intervals);
    TRY_SCRATCH(exec, 2 * s->count * sizeof *s->ends, s->ends);
    TRY_SCRATCH(exec, 2 * s->count * sizeof *s->places, s->places);
    TRY_SCRATCH(exec, 2 * s->cells->count + 1, s->open);
    return ORDO_OK;
}

/* Sorts the kept keys, and finds the ends of the intervals in them. */
static ordo_status open_intervals(search *s, const cut_keys *kept)
{
    dist_call *const c = s->call;
    if (kept->on_device) {
        TRY(device_sort_orders(c, s->pass.kept, kept->n));
        for (size_t i = 0; i < 2 * s->count; i++)
            s->ends[i].to = kept->n;
        TRY(device_places(c, &kept->order, kept->sorted, s->ends, 2 * s->count, s->places));
    } else {
        TRY(dist_inner(c, ordo_sort(c->inner, ORDO_U64, s->pass.kept, kept->n, NULL)));
        for (size_t i = 0; i < 2 * s->count; i++)
            s->places[i] = cells_place(&kept->order, kept->sorted, 0, kept->n, s->ends[i].order,
                                       s->ends[i].above != 0);
    }
    for (size_t j = 0; j < s->count; j++) {
        s->intervals[j].from = (size_t)s->places[2 * j];
        s->intervals[j].to = (size_t)s->places[2 * j + 1];
    }
    return ORDO_OK;
}

/* Whether there are too many positions for two boundaries each. */
static bool is_even(size_t count) { return count > CELLS_MOST_BOUNDARIES / 2; }

/* The search by cells, on keys that may be on a device. */
static ordo_status find_in_cells(search *s)
{
    dist_call *const c = s->call;
    size_t const     count = s->count;
    bool const       even = is_even(count);
    size_t const     wanted = even ? cells_wanted(count) : ordo_max(2 * count, 8);
    TRY(dist_agree(c, take_memory(s, wanted)));
    TRY(take_sample(s, even ? wanted * CELLS_SAMPLES : SAMPLE));
    if (even)
        cells_spread(s->cells, s->sample.all, s->sample.count, wanted);
    else
        bracket_boundaries(s);
    TRY(dist_agree(c, take_intervals(s)));
    TRY(first_pass(s));
    size_t const   n = atomic_load(&s->pass.kept_count);
    cut_keys const kept = {{ORDO_U64, false, false}, s->pass.kept, n, dist_on_device(c)};
    cut_list const list = cut_list_of(&kept, 0);
    c->report.kept = n;
    TRY(dist_agree(c, open_intervals(s, &kept)));
    return cut_rounds(c, &list, s->cuts, s->intervals, count);
}

static ordo_status find_in_brackets(search *s)
{
    void *memory;
    TRY(brackets_find(s->call, &s->part, s->cuts, s->count));
    TRY(dist_agree(s->call, ordo_scratch(s->call->exec, s->count * sizeof(uint64_t), &memory)));
    return cut_ties(s->call, s->cuts, s->count, memory);
}

ordo_status cuts_find(dist_call *c, cut *cuts, size_t count)
{
    cells             boundaries = {0};
    double const      started = dist_clock();
    cells_order const order = {c->type, c->descending, false};
    search            s = {.call = c,
                           .cuts = cuts,
                           .count = count,
                           .cells = &boundaries,
                           .part = {order, c->keys, c->n, c->counts, c->total}};
    s.pass = (cells_pass){.cells = &boundaries, .order = order, .keys = c->keys, .n = c->n};
    bool const brackets =
        !dist_on_device(c) && !is_even(count) && brackets_fit(&s.part, cuts, count);
    TRY(brackets ? find_in_brackets(&s) : find_in_cells(&s));
    c->report.cut_seconds += dist_clock() - started;
    return ORDO_OK;
}
