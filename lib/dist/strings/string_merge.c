/* string_merge.c - merges sorted runs of strings by all threads, in blocks.
 *
 * Blocks are found as those of numbers (blocks.h). In a block the bytes that all strings
 * share are skipped. The next 7 bytes and the length are a key of 64 bits (string_view.h), and
 * records of keys are merged by pairs of runs. Strings with equal keys that continue are merged in
 * the same way behind these bytes; a few of them, or those behind MOST_LEVELS keys, by comparing
 * strings. lg(runs) comparisons of keys for a string, and each byte is read about once. */
#define _POSIX_C_SOURCE 200809L
#include "backend/tuning.h"
#include "core/bisect.h"
#include "core/string_view.h"
#include "dist/exchange/blocks.h"
#include "dist/exchange/run_record.h"
#include "dist/strings/string_pieces.h"

enum {
    FEW = ORDO_TUNE(12, 2), /* so many strings are compared at once */
    MOST_LEVELS = ORDO_TUNE(32, 2)
};

typedef struct merging {
    run_blocks           blocks;
    const string_pieces *s;
    string_view          view;
    run_record          *buffers; /* two for each worker */
    size_t              *ends;    /* runs + 1 for each worker and level */
    uint64_t            *order;
} merging;

typedef struct worker {
    const merging *m;
    run_record    *other; /* as long as the records that are merged */
    run_record    *base;  /* the first record */
    size_t        *ends;  /* of the runs; of the next level behind them */
} worker;

/* ---- Comparisons ---- */

/* In the order of the sort, behind the first `depth` bytes, which are equal. */
static int compare(const merging *m, uint64_t a, uint64_t b, uint64_t depth)
{
    bool      open;
    int const order =
        string_compare_part(&m->view, (size_t)a, (size_t)b, depth, (size_t)UINT32_MAX, &open);
    return m->view.turn != 0 ? -order : order;
}

static size_t find_place(const run_blocks *b, size_t from, size_t to, size_t place, bool above)
{
    ORDO_BISECT(middle, from, to, compare(b->user, middle, place, 0) < (int)above);
    return from;
}

static ordo_status sort_samples(const run_blocks *b, uint64_t *places, size_t count)
{
    const merging *const m = b->user;
    ordo_strings const   received = string_list_view(&m->s->received);
    uint64_t            *order;
    TRY_SCRATCH(b->c->exec, (count + 1) * sizeof *order, order);
    TRY(string_argsort_some(b->c, &received, places, count, order));
    memcpy(places, order, count * sizeof *places);
    return ORDO_OK;
}

/* ---- Merging ---- */

/* The ends of the parts of runs in records[0 .. n), which follow each other. */
static size_t list_parts(const merging *m, const run_record *records, size_t n, size_t *ends)
{
    size_t parts = 0, run = 0;
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || records[i].place >= m->blocks.starts[run + 1]) {
            if (i > 0)
                ends[parts++] = i;
            while (records[i].place >= m->blocks.starts[run + 1])
                run++;
        }
    }
    ends[parts++] = n;
    return parts;
}

/* Sorts a few records by comparing their strings; stable. */
static void compare_few(const merging *m, run_record *records, size_t n, uint64_t depth)
{
    for (size_t i = 1; i < n; i++) {
        run_record const record = records[i];
        size_t           at = i;
        for (; at > 0 && compare(m, record.place, records[at - 1].place, depth) < 0; at--)
            records[at] = records[at - 1];
        records[at] = record;
    }
}

/* Merges two parts by comparing their strings. */
static void merge_compared(const worker *w, const run_record *a, size_t na, const run_record *b,
                           size_t nb, run_record *out, uint64_t depth)
{
    while (na > 0 && nb > 0) {
        bool const take_b = compare(w->m, b->place, a->place, depth) < 0;
        *out++ = take_b ? *b++ : *a++;
        na -= !take_b;
        nb -= take_b;
    }
    memcpy(out, na > 0 ? a : b, (na + nb) * sizeof *out);
}

/* Merges the parts by pairs until one is left; by keys, or by strings behind `depth`. */
static void merge_parts(const worker *w, run_record *records, size_t n, size_t *ends, size_t parts,
                        bool by_keys, uint64_t depth)
{
    run_record *const scratch = w->other + (records - w->base);
    run_record       *from = records, *to = scratch;
    while (parts > 1) {
        size_t start = 0;
        for (size_t i = 0; i < parts; i += 2) {
            size_t const middle = ends[i], end = i + 1 < parts ? ends[i + 1] : middle;
            if (by_keys)
                merge_record(from + start, middle - start, from + middle, end - middle, to + start);
            else
                merge_compared(w, from + start, middle - start, from + middle, end - middle,
                               to + start, depth);
            ends[i / 2] = start = end;
        }
        parts = parts / 2 + parts % 2;
        run_record *const swap = from;
        from = to;
        to = swap;
    }
    if (from != records)
        memcpy(records, from, n * sizeof *records);
}

/* The bytes that all strings of the parts share behind `depth`: those of their ends. */
static uint64_t shared_bytes(const merging *m, const run_record *records, const size_t *ends,
                             size_t parts, uint64_t depth)
{
    uint64_t shared = UINT64_MAX;
    for (size_t i = 0, start = 0; i < parts; start = ends[i++]) {
        shared = string_shared(m->view.bytes, m->view.offsets, records[0].place,
                               records[start].place, depth, shared);
        shared = string_shared(m->view.bytes, m->view.offsets, records[0].place,
                               records[ends[i] - 1].place, depth, shared);
    }
    return shared;
}

/* Orders records whose strings share `depth` bytes, and which are parts of runs. */
static void merge_level(const worker *w, run_record *records, size_t n, uint64_t depth,
                        size_t level)
{
    const merging *const m = w->m;
    size_t *const        ends = w->ends + level * (m->blocks.runs + 1);
    if (n <= FEW) {
        compare_few(m, records, n, depth);
        return;
    }
    size_t const parts = list_parts(m, records, n, ends);
    if (parts == 1)
        return;
    if (level == MOST_LEVELS) {
        merge_parts(w, records, n, ends, parts, false, depth);
        return;
    }
    uint64_t const at = depth + shared_bytes(m, records, ends, parts, depth);
    for (size_t i = 0; i < n; i++)
        records[i].order = string_key(&m->view, (size_t)records[i].place, at);
    merge_parts(w, records, n, ends, parts, true, at);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && records[end].order == records[i].order; end++)
            continue;
        if (end > i + 1 && !string_ends(&m->view, records[i].order))
            merge_level(w, records + i, end - i, at + STRING_STEP, level + 1);
    }
}

static void merge_block(const run_blocks *b, size_t block, size_t which)
{
    const merging *const m = b->user;
    size_t const         at = run_blocks_place(b, block);
    size_t               n = 0;
    worker const         w = {.m = m,
                              .base = m->buffers + which * 2 * b->most,
                              .other = m->buffers + (which * 2 + 1) * b->most,
                              .ends = m->ends + which * (MOST_LEVELS + 1) * (b->runs + 1)};
    for (size_t r = 0; r < b->runs; r++)
        for (size_t i = run_blocks_from(b, block, r); i < run_blocks_to(b, block, r); i++)
            w.base[n++].place = i;
    merge_level(&w, w.base, n, 0, 0);
    for (size_t i = 0; i < n; i++)
        m->order[at + i] = w.base[i].place;
}

ordo_status string_merge(const string_pieces *s, uint64_t *order)
{
    dist_call *const   c = s->p.call;
    ordo_strings const strings = string_list_view(&s->received);
    size_t const       n = s->received.n, workers = c->exec->threads;
    merging            m = {.s = s, .order = order};
    if (n == 0)
        return ORDO_OK;
    m.blocks =
        (run_blocks){.user = &m, .sort = sort_samples, .find = find_place, .merge = merge_block};
    m.view = string_view_of(&strings, n, c->descending);
    TRY(run_blocks_find(&m.blocks, &s->p));
    size_t const runs = m.blocks.runs;
    TRY_SCRATCH(c->exec, workers * (MOST_LEVELS + 1) * (runs + 1) * sizeof *m.ends, m.ends);
    TRY_SCRATCH(c->exec, workers * 2 * m.blocks.most * sizeof *m.buffers + 1, m.buffers);
    return run_blocks_merge(&m.blocks);
}
