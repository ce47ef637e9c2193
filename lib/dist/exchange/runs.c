/* runs.c - merges sorted runs (see runs.h) by all threads, block by block.
 *
 * A thread merges the parts of a block (blocks.h) by pairs, in the cache, until one run is left. So
 * memory is read and written once, whatever the number of runs. Keys alone are merged as unsigned
 * words (their key bits); with values, records of key bits and place are merged, and the elements
 * are then fetched. lg(runs) comparisons for an element. Keys of 8 and 16 bits are sorted again
 * instead, because counting is faster than merging. */
#define _POSIX_C_SOURCE 200809L
#include "dist/exchange/runs.h"

#include "core/keybits.h"
#include "dist/exchange/blocks.h"
#include "dist/exchange/run_record.h"

#include <string.h>

#define ORDO_TEMPLATE "dist/exchange/runs.t.h"
#include "core/for_each_type.h"

typedef struct part { /* of a run, in a block */
    const char *at;
    size_t      n;
} part;

typedef struct merging {
    run_blocks        blocks;
    const runs_job   *job;
    const dist_loops *loops;
    ordo_order_of     order;
    size_t            unit;    /* bytes of what is merged */
    bool              plain;   /* the keys are their own key bits */
    char             *buffers; /* two for each worker */
    part             *parts;   /* as many as runs for each worker */
} merging;

/* ---- Blocks ---- */

static ordo_status sort_samples(const run_blocks *b, uint64_t *places, size_t count)
{
    const merging *const m = b->user;
    dist_call *const     c = b->c;
    uint64_t            *orders;
    TRY_SCRATCH(c->exec, (count + 1) * sizeof *orders, orders);
    for (size_t i = 0; i < count; i++)
        orders[i] = cells_order_of(&m->order, m->job->keys, (size_t)places[i]);
    return dist_inner(
        c, ordo_sort_pairs(c->inner, ORDO_U64, orders, count, places, sizeof *places, NULL));
}

static size_t find_place(const run_blocks *b, size_t from, size_t to, size_t place, bool above)
{
    const merging *const m = b->user;
    uint64_t const       order = cells_order_of(&m->order, m->job->keys, place);
    return cells_place(&m->order, m->job->keys, from, to, order, above);
}

/* ---- Merging ---- */

static void merge_two(const merging *m, part a, part b, char *out)
{
    if (m->unit == sizeof(run_record))
        merge_record((const void *)a.at, a.n, (const void *)b.at, b.n, (void *)out);
    else if (m->unit == sizeof(uint64_t))
        m->loops->merge_64((const void *)a.at, a.n, (const void *)b.at, b.n, (void *)out);
    else
        m->loops->merge_32((const void *)a.at, a.n, (const void *)b.at, b.n, (void *)out);
}

/* Lists the parts of a block, and converts them to what is merged in `buffer`. */
static size_t list_parts(const merging *m, size_t block, part *parts, char *buffer)
{
    const runs_job *const job = m->job;
    size_t const          key_size = job->pieces->call->key_size;
    bool const            down = m->order.descending;
    size_t                count = 0;
    for (size_t r = 0; r < m->blocks.runs; r++) {
        size_t const from = run_blocks_from(&m->blocks, block, r);
        size_t const n = run_blocks_to(&m->blocks, block, r) - from;
        if (n == 0)
            continue;
        const char *const keys = (const char *)job->keys + from * key_size;
        parts[count++] = (part){m->plain ? keys : buffer, n};
        if (job->values != NULL)
            BY_TYPE(m->order.type, records_of_keys, (job->keys, from, n, down, (void *)buffer));
        else if (!m->plain)
            BY_TYPE(m->order.type, words_of_keys, ((const void *)keys, n, down, (void *)buffer));
        buffer += n * m->unit;
    }
    return count;
}

static void fetch_values(const runs_job *job, const run_record *records, size_t n, char *out)
{
    size_t const size = job->value_size;
    if (size == sizeof(uint64_t))
        for (size_t i = 0; i < n; i++)
            memcpy(out + i * 8, job->values + records[i].place * 8, 8);
    else
        for (size_t i = 0; i < n; i++)
            memcpy(out + i * size, job->values + records[i].place * size, size);
}

/* Writes the merged block. */
static void store(const merging *m, part from, size_t at)
{
    const runs_job *const job = m->job;
    char *const           to = (char *)job->out + at * job->pieces->call->key_size;
    bool const            down = m->order.descending;
    if (job->values != NULL) {
        const run_record *const records = (const void *)from.at;
        BY_TYPE(m->order.type, keys_of_records, (records, from.n, job->keys, (void *)to));
        fetch_values(job, records, from.n, job->out_values + at * job->value_size);
    } else if (!m->plain) {
        BY_TYPE(m->order.type, keys_of_words, ((const void *)from.at, from.n, down, (void *)to));
    } else if (from.at != to && from.n > 0) {
        memcpy(to, from.at, from.n * m->unit);
    }
}

static void merge_block(const run_blocks *b, size_t block, size_t worker)
{
    const merging *const m = b->user;
    part *const          parts = m->parts + worker * b->runs;
    char *const          buffers = m->buffers + worker * 2 * b->most * m->unit;
    char                *to = buffers + b->most * m->unit, *other = buffers;
    size_t const         at = run_blocks_place(b, block);
    size_t               count = list_parts(m, block, parts, buffers);
    if (count == 0)
        return;
    while (count > 1) {
        bool const straight = m->plain && count == 2;
        char      *place = straight ? (char *)m->job->out + at * m->unit : to;
        for (size_t i = 0; i < count; i += 2) {
            part const one = parts[i];
            part const next = i + 1 < count ? parts[i + 1] : (part){one.at, 0};
            merge_two(m, one, next, place);
            parts[i / 2] = (part){place, one.n + next.n};
            place += (one.n + next.n) * m->unit;
        }
        count = count / 2 + count % 2;
        char *const swap = to;
        to = other;
        other = swap;
    }
    store(m, parts[0], at);
}

ordo_status runs_merge(const runs_job *job)
{
    dist_call *const c = job->pieces->call;
    bool const       pairs = job->values != NULL;
    double const     started = dist_clock();
    merging          m = {.job = job, .order = {c->type, c->descending, pairs}};
    if (runs_are_sorted_again(c, job->values)) {
        ordo_sort_opts const opts = dist_sort_opts(c);
        TRY(dist_inner(c, ordo_sort(c->inner, c->type, job->out, job->pieces->received, &opts)));
        c->report.merge_seconds += dist_clock() - started;
        return ORDO_OK;
    }
    m.blocks =
        (run_blocks){.user = &m, .sort = sort_samples, .find = find_place, .merge = merge_block};
    m.loops = dist_loops_of(c);
    m.unit = pairs ? sizeof(run_record) : c->key_size;
    m.plain = !pairs && !c->descending && (c->type == ORDO_U32 || c->type == ORDO_U64);
    TRY(run_blocks_find(&m.blocks, job->pieces));
    size_t const workers = c->exec->threads;
    TRY_SCRATCH(c->exec, workers * m.blocks.runs * sizeof *m.parts, m.parts);
    TRY_SCRATCH(c->exec, workers * 2 * m.blocks.most * m.unit + 1, m.buffers);
    TRY(run_blocks_merge(&m.blocks));
    c->report.merge_seconds += dist_clock() - started;
    return ORDO_OK;
}
