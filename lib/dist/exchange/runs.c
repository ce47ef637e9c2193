/* runs.c - merges sorted runs (see runs.h) by all threads, block by block.
 *
 * Every STRIDE-th key of each run is a sample. The samples are sorted, ties by run, and every
 * GROUP-th of them divides the runs: so a block has at most (GROUP + runs) * STRIDE elements, also
 * if all keys are equal, and about GROUP * STRIDE. A thread merges the parts of a block by pairs,
 * in the cache, until one run is left. So memory is read and written once, whatever the number of
 * runs. Keys alone are merged as unsigned words (their key bits); with values, records of key bits
 * and place are merged, and the elements are then fetched. lg(runs) comparisons for an element. */
#define _POSIX_C_SOURCE 200809L
#include "dist/exchange/runs.h"

#include "backend/tuning.h"
#include "core/keybits.h"

#include <string.h>

typedef struct run_record {
    uint64_t order, place;
} run_record;

#define INLINE static inline __attribute__((unused))
#define PICK(take_b, a, b)                                                                         \
    ((run_record){(take_b) ? (b).order : (a).order, (take_b) ? (b).place : (a).place})
#define LESS(a, b) ((a).order < (b).order)
#define RECORD run_record
#define FN(name) name##_record
#include "core/small_sort.t.h"

#include "core/merge.t.h"
#undef FN
#undef RECORD
#undef LESS
#undef PICK

#define ORDO_TEMPLATE "dist/exchange/runs.t.h"
#include "core/for_each_type.h"

enum {
    STRIDE = ORDO_TUNE(256, 4),
    LEAST_STRIDE = ORDO_TUNE(16, 2),
    GROUP = ORDO_TUNE(128, 8)
};

typedef struct part { /* of a run, in a block */
    const char *at;
    size_t      n;
} part;

typedef struct merging {
    const runs_job   *job;
    ordo_exec        *exec;
    const dist_loops *loops;
    cells_order       order;
    size_t            runs, n;
    const uint64_t   *starts;                      /* of the runs; runs + 1 */
    size_t            stride, blocks, most;        /* elements of a block at most */
    uint64_t         *splitters, *splitter_places; /* blocks - 1 */
    size_t           *cuts;    /* for each border of blocks: the place in each run */
    size_t            unit;    /* bytes of what is merged */
    bool              plain;   /* the keys are their own key bits */
    char             *buffers; /* two for each worker */
    part             *parts;   /* as many as runs for each worker */
    atomic_size_t     next;
} merging;

/* ---- Blocks ---- */

static ordo_status take_samples(merging *m, dist_call *c)
{
    size_t samples = 0, at = 0;
    for (size_t r = 0; r < m->runs; r++)
        samples += (size_t)(m->starts[r + 1] - m->starts[r]) / m->stride;
    TRY_SCRATCH(m->exec, (samples + 1) * sizeof *m->splitters, m->splitters);
    TRY_SCRATCH(m->exec, (samples + 1) * sizeof *m->splitters, m->splitter_places);
    for (size_t r = 0; r < m->runs; r++)
        for (uint64_t i = m->starts[r] + m->stride; i <= m->starts[r + 1]; i += m->stride) {
            m->splitters[at] = cells_order_of(&m->order, m->job->keys, (size_t)i - 1);
            m->splitter_places[at++] = i - 1;
        }
    TRY(dist_inner(c, ordo_sort_pairs(c->inner, ORDO_U64, m->splitters, samples, m->splitter_places,
                                      sizeof *m->splitter_places, NULL)));
    m->blocks = samples / GROUP + 1;
    for (size_t i = 0; i + 1 < m->blocks; i++) {
        m->splitters[i] = m->splitters[(i + 1) * GROUP - 1];
        m->splitter_places[i] = m->splitter_places[(i + 1) * GROUP - 1];
    }
    return ORDO_OK;
}

/* The elements up to a splitter, by key, then run, then place, are before the border. */
static void cut_runs(void *arg, size_t lo, size_t hi)
{
    merging *const m = arg;
    for (size_t border = lo; border < hi; border++)
        for (size_t r = 0; r < m->runs; r++) {
            size_t *const  place_in = &m->cuts[border * m->runs + r];
            size_t const   from = (size_t)m->starts[r], to = (size_t)m->starts[r + 1];
            uint64_t const place = border == 0 ? 0 : m->splitter_places[border - 1];
            if (border == 0 || border == m->blocks)
                *place_in = border == 0 ? from : to;
            else if (place >= from && place < to)
                *place_in = (size_t)place + 1;
            else
                *place_in = cells_place(&m->order, m->job->keys, from, to, m->splitters[border - 1],
                                        place >= to);
        }
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
    for (size_t r = 0; r < m->runs; r++) {
        size_t const from = m->cuts[block * m->runs + r];
        size_t const n = m->cuts[(block + 1) * m->runs + r] - from;
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

static void merge_block(const merging *m, size_t block, part *parts, char *buffers)
{
    char  *to = buffers + m->most * m->unit, *other = buffers;
    size_t at = 0;
    for (size_t r = 0; r < m->runs; r++)
        at += m->cuts[block * m->runs + r] - (size_t)m->starts[r];
    size_t count = list_parts(m, block, parts, buffers);
    if (count == 0)
        return;
    while (count > 1) {
        bool const straight = m->plain && count == 2;
        char      *place = straight ? (char *)m->job->out + at * m->unit : to;
        for (size_t i = 0; i < count; i += 2) {
            part const a = parts[i], b = i + 1 < count ? parts[i + 1] : (part){a.at, 0};
            merge_two(m, a, b, place);
            parts[i / 2] = (part){place, a.n + b.n};
            place += (a.n + b.n) * m->unit;
        }
        count = count / 2 + count % 2;
        char *const swap = to;
        to = other;
        other = swap;
    }
    store(m, parts[0], at);
}

static void merge_blocks(void *arg, size_t lo, size_t hi)
{
    merging *const m = arg;
    char *const    buffers = m->buffers + lo * 2 * m->most * m->unit;
    size_t         block;
    (void)hi; /* one worker */
    while ((block = atomic_fetch_add(&m->next, 1)) < m->blocks &&
           !ordo_poll(m->exec, (double)block / (double)m->blocks))
        merge_block(m, block, m->parts + lo * m->runs, buffers);
}

/* ---- The steps ---- */

static ordo_status take_memory(merging *m)
{
    size_t const workers = m->exec->threads;
    size_t const most = (GROUP + m->runs) * m->stride;
    m->most = ordo_min(most, m->n);
    TRY_SCRATCH(m->exec, (m->blocks + 1) * m->runs * sizeof *m->cuts, m->cuts);
    TRY_SCRATCH(m->exec, workers * m->runs * sizeof *m->parts, m->parts);
    TRY_SCRATCH(m->exec, workers * 2 * m->most * m->unit + 1, m->buffers);
    return ORDO_OK;
}

static ordo_status list_runs(merging *m)
{
    const pieces *const p = m->job->pieces;
    uint64_t           *starts;
    TRY_SCRATCH(m->exec, (m->runs + 1) * sizeof *starts, starts);
    memcpy(starts, p->receive_at, m->runs * sizeof *starts);
    starts[m->runs] = p->received;
    m->starts = starts;
    m->stride = ordo_max(ordo_min(GROUP * STRIDE * 4 / m->runs, STRIDE), LEAST_STRIDE);
    return ORDO_OK;
}

ordo_status runs_merge(const runs_job *job)
{
    dist_call *const c = job->pieces->call;
    bool const       pairs = job->values != NULL;
    double const     started = dist_clock();
    merging          m = {.job = job, .exec = c->exec, .n = job->pieces->received};
    m.order = (cells_order){c->type, c->descending, pairs};
    m.runs = (size_t)c->comm.size;
    m.loops = dist_loops_of(c);
    m.unit = pairs ? sizeof(run_record) : c->key_size;
    m.plain = !pairs && !c->descending && (c->type == ORDO_U32 || c->type == ORDO_U64);
    TRY(list_runs(&m));
    TRY(take_samples(&m, c));
    TRY(take_memory(&m));
    TRY(dist_loop(c, m.blocks + 1, 1, cut_runs, &m));
    TRY(dist_loop(c, c->exec->threads, 1, merge_blocks, &m));
    c->report.merge_seconds += dist_clock() - started;
    return ORDO_OK;
}
