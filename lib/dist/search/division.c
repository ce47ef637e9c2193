/* division.c - divides keys near positions (see division.h). */
#define _POSIX_C_SOURCE 200809L
#include "dist/search/division.h"

#include "dist/search/sample.h"

#include <string.h>

typedef struct dividing {
    dist_call    *call;
    division_cut *cuts;
    size_t        count;
    uint64_t      together; /* ties that are not divided */
    cells         cells;
    cells_pass    pass;
    uint64_t     *counts; /* of each cell, of all processes */
    uint64_t     *ties;   /* of each cut, on the processes before this one */
    uint8_t      *starts; /* whether a class starts at a cell */
} dividing;

static size_t cell_count(const dividing *d) { return 2 * d->cells.count + 1; }

static ordo_status take_memory(dividing *d, size_t most, division *out)
{
    ordo_exec *const exec = d->call->exec;
    size_t const     all = 2 * most + 1;
    TRY(cells_make(exec, most, &d->cells));
    TRY_SCRATCH(exec, (d->pass.n + 1) * sizeof *out->labels, out->labels);
    TRY_SCRATCH(exec, all * sizeof *out->class_of, out->class_of);
    TRY_SCRATCH(exec, all * sizeof *d->counts, d->counts);
    TRY_SCRATCH(exec, all * sizeof *d->pass.counts, d->pass.counts);
    TRY_SCRATCH(exec, all + 1, d->starts);
    TRY_SCRATCH(exec, (d->count + 1) * sizeof *d->ties, d->ties);
    d->pass.labels = out->labels;
    return ORDO_OK;
}

/* Sorts the sample, and labels and counts the keys by its cells. */
static ordo_status label_keys(dividing *d, const dist_sample *sample, size_t most)
{
    dist_call *const c = d->call;
    TRY(dist_inner(c, ordo_sort(c->inner, ORDO_U64, sample->all, sample->count, NULL)));
    cells_spread(&d->cells, sample->all, sample->count, most);
    TRY(cells_run(c->exec, &d->pass));
    memcpy(d->counts, d->pass.counts, cell_count(d) * sizeof *d->counts);
    return ORDO_OK;
}

/* ---- Cuts ---- */

/* Moves a cut in cell `cell`, which has `below` keys before it, to a place that is known. */
static void set_cut(const dividing *d, division_cut *at, size_t cell, uint64_t below)
{
    uint64_t const into = at->position - below;
    at->cell = cell;
    at->left = at->tied = 0;
    if (cell % 2 == 1 && d->counts[cell] > d->together) {
        at->left = into;
        at->tied = d->counts[cell];
    } else if (into > 0 && into >= d->counts[cell] - into) {
        at->position = below + d->counts[cell];
        at->cell = cell + 1;
    } else {
        at->position = below;
    }
}

static void set_cuts(dividing *d)
{
    uint64_t below = 0;
    size_t   cell = 0;
    for (size_t j = 0; j < d->count; j++) {
        division_cut *const at = &d->cuts[j];
        while (cell < cell_count(d) && below + d->counts[cell] <= at->position)
            below += d->counts[cell++];
        if (cell == cell_count(d))
            *at = (division_cut){.position = at->position, .cell = cell};
        else
            set_cut(d, at, cell, below);
        d->ties[j] = at->left > 0 ? d->pass.counts[at->cell] : 0;
    }
}

/* This process's keys before each cut. */
static void place_cuts(dividing *d)
{
    uint64_t before = 0;
    size_t   cell = 0;
    for (size_t j = 0; j < d->count; j++) {
        division_cut *const at = &d->cuts[j];
        for (; cell < at->cell; cell++)
            before += d->pass.counts[cell];
        uint64_t const left = at->left <= d->ties[j] ? 0 : at->left - d->ties[j];
        uint64_t const here = at->left > 0 ? d->pass.counts[at->cell] : 0;
        at->place = before + (left < here ? left : here);
    }
}

/* ---- Classes ---- */

/* A class ends at each cut, and ties that a cut goes through are a class of their own. */
static void make_classes(dividing *d, division *out)
{
    memset(d->starts, 0, cell_count(d) + 1);
    for (size_t j = 0; j < d->count; j++) {
        d->starts[d->cuts[j].cell] = 1;
        if (d->cuts[j].left > 0)
            d->starts[d->cuts[j].cell + 1] = 1;
    }
    size_t class = 0;
    for (size_t cell = 0; cell < cell_count(d); cell++) {
        class += cell > 0 && d->starts[cell];
        out->class_of[cell] = (uint16_t) class;
    }
    out->class_count = class + 1;
}

static ordo_status count_classes(const dividing *d, division *out)
{
    size_t const chunks = ordo_div_up(d->pass.n, d->pass.chunk), all = cell_count(d);
    size_t const bytes = (chunks * out->class_count + 1) * sizeof *out->counts;
    out->chunk = d->pass.chunk;
    TRY_SCRATCH(d->call->exec, bytes, out->counts);
    memset(out->counts, 0, bytes);
    for (size_t i = 0; i < chunks; i++)
        for (size_t cell = 0; cell < all; cell++)
            out->counts[i * out->class_count + out->class_of[cell]] +=
                d->pass.chunk_counts[i * all + cell];
    return ORDO_OK;
}

ordo_status division_find(dist_call *c, bool folded, uint64_t together, division_cut *cuts,
                          size_t count, division *out)
{
    double const        started = dist_clock();
    ordo_order_of const order = {c->type, c->descending, folded};
    dist_part const     part = {order, c->keys, c->n, c->counts, c->total};
    size_t const        most = cells_wanted(count);
    dist_sample         sample = {0};
    dividing            d = {.call = c, .cuts = cuts, .count = count, .together = together};
    d.pass = (cells_pass){.cells = &d.cells, .order = order, .keys = c->keys, .n = c->n};
    TRY(dist_agree(c, take_memory(&d, most, out)));
    if (c->total > 0)
        TRY(sample_draw(c, &part, most * CELLS_SAMPLES, &sample));
    TRY(dist_agree(c, label_keys(&d, &sample, most)));
    TRY(dist_sum(c, d.counts, cell_count(&d)));
    set_cuts(&d);
    TRY(dist_prefix(c, d.ties, count));
    place_cuts(&d);
    make_classes(&d, out);
    c->report.cut_seconds += dist_clock() - started;
    return dist_agree(c, count_classes(&d, out));
}
