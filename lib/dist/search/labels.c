/* labels.c - reads of many positions (see narrowing.h).
 *
 * A sorted sample gives boundaries of cells (cells.h), one for every SAMPLES keys. One read of the
 * keys counts them and writes down the cell of each, in 2 bytes. When the cells of all positions
 * are known, the keys in them are picked by their labels: other keys are not looked at again. With
 * a sample of S keys about (SAMPLES + 1) / S of the keys are kept for a position. */
#define _POSIX_C_SOURCE 200809L
#include "core/keybits.h"
#include "dist/search/narrowing.h"

#include <string.h>

enum {
    SAMPLES = 8, /* keys of the sample for each boundary */
    SAMPLES_PER_POSITION = 64,
    BLOCK = 2048, /* keys that are picked together */
    PIECE = ORDO_TUNE(1 << 18, 200)
};

typedef struct picking {
    narrowing *s;
    uint8_t   *keep; /* of each cell */
} picking;

#define ORDO_TEMPLATE "dist/search/labels.t.h"
#include "core/for_each_type.h"

size_t labels_sample(uint64_t total, size_t count, size_t plain)
{
    size_t const many = ordo_max(plain, count * SAMPLES_PER_POSITION);
    size_t const most = ordo_min(many, NARROWING_SAMPLE);
    return total / 2 < most ? (size_t)(total / 2) + 1 : most;
}

/* ---- The read ---- */

/* Spans of the same numbers as the cells. */
static void set_spans(narrowing *s, const cells *c, const uint64_t *counts)
{
    uint64_t from = 0;
    for (size_t i = 0; i < 2 * c->count + 1; i++) {
        bool const     between = i % 2 == 0, ends = i == 2 * c->count;
        uint64_t const hi = ends ? last_order(s) : c->boundaries[i / 2] - between;
        s->spans[i] = (span){.lo = from, .hi = hi, .here = counts[i]};
        from = hi + 1;
    }
    s->span_count = 2 * c->count + 1;
}

ordo_status labels_read(narrowing *s, const dist_sample *sample)
{
    dist_call *const c = s->call;
    size_t const     most = ordo_min(sample->count / SAMPLES + 1, CELLS_MOST_BOUNDARIES);
    cells            boundaries = {0};
    cells_pass       pass = {
              .cells = &boundaries, .order = s->part.order, .keys = s->part.keys, .n = s->part.n};
    TRY(dist_inner(c, ordo_sort(c->inner, ORDO_U64, sample->all, sample->count, NULL)));
    TRY(cells_make(c->exec, most, &boundaries));
    cells_spread(&boundaries, sample->all, sample->count, most);
    size_t const all = 2 * boundaries.count + 1;
    TRY_SCRATCH(c->exec, all * sizeof *pass.counts, pass.counts);
    TRY_SCRATCH(c->exec, all * sizeof *s->spans, s->spans);
    TRY_SCRATCH(c->exec, (s->part.n + 1) * sizeof *s->labels, s->labels);
    pass.labels = s->labels;
    TRY(cells_run(c->exec, &pass));
    set_spans(s, &boundaries, pass.counts);
    return ORDO_OK;
}

/* ---- The kept keys ---- */

static void pick_body(void *arg, size_t lo, size_t hi)
{
    const picking *const p = arg;
    narrowing *const     s = p->s;
    size_t const         size = ordo_type_size(s->part.order.type);
    uint64_t             words[BLOCK];
    for (size_t at = lo; at < hi; at += BLOCK) {
        size_t const      n = ordo_min(BLOCK, hi - at);
        const void *const keys = (const char *)s->part.keys + at * size;
        size_t const      found =
            BY_TYPE(s->part.order.type, pick, (p, keys, s->labels + at, n, (void *)words));
        if (found > 0)
            narrowing_append(s, words, found);
    }
}

ordo_status labels_keep(narrowing *s)
{
    ordo_exec *const exec = s->call->exec;
    picking          p = {.s = s};
    TRY_SCRATCH(exec, s->span_count, p.keep);
    for (size_t i = 0; i < s->span_count; i++)
        p.keep[i] = s->spans[i].keeps;
    TRY(narrowing_restart(s));
    if (!ordo_loop(exec, s->part.n, PIECE, pick_body, &p))
        return ordo_fail(exec, ORDO_E_CANCELLED, "the call was cancelled");
    return ORDO_OK;
}
