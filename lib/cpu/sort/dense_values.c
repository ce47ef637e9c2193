/* dense_values.c - sort of integers that lie in a narrow range: counts each value of the range in a
 * table, then writes each value as often.
 *
 * A sample (adaptive.c) showed that the range may be narrow; all keys are read for the exact range. Each
 * thread counts a part of the array in a table of its own. The tables are added, and each thread
 * writes the keys of a part of the range. Reads the array twice and writes it once.
 *
 * Scratch: memory for n keys, which the general sort can use if it runs. */
#include "cpu/radix/records.h"
#include "cpu/sort/few_values.h"
#include "cpu/sort/sort_steps.h"

#include <string.h>

enum {
    PIECES = 256, /* parts of the range that are written by one thread each */
    TABLE_BYTES = sizeof(uint32_t) + sizeof(uint8_t), /* of a value in one table */
    POLL = 1 << 16                                    /* keys after which the caller may cancel */
};

#define ORDO_TEMPLATE "cpu/sort/dense_values.t.h"
#include "core/for_each_word.h"

typedef struct dense_work {
    const ordo_sort_job *job;
    const char          *in;
    size_t               size; /* of a key */
    radix_io             io;   /* ascending, whatever the job */
    _Atomic uint64_t     least, most;
    uint64_t             low; /* the least key, as in memory */
    size_t               range;
    uint32_t            *counts; /* [table][value] */
    uint8_t             *bytes;  /* [table][value]: to be added to counts */
    size_t               tables, chunk;
    size_t               piece, pieces;      /* values of a piece, and pieces */
    size_t               starts[PIECES + 1]; /* of the pieces, in the order of the result */
    size_t               distinct[PIECES];
    ordo_exec           *exec;
} dense_work;

/* ---- The range ---- */

static void extent_piece(void *arg, size_t lo, size_t hi)
{
    dense_work *const work = arg;
    uint64_t          least, most;
    records_extent(&work->io, work->job->type, lo, hi, &least, &most);
    cpu_keep_least(&work->least, least);
    cpu_keep_most(&work->most, most);
}

/* ---- Count and write ---- */

static void count_table(void *arg, size_t lo, size_t hi)
{
    const dense_work *const work = arg;
    for (size_t t = lo; t < hi; t++) {
        uint32_t *const counts = work->counts + t * work->range;
        uint8_t *const  bytes = work->bytes + t * work->range;
        size_t const    end = ordo_min((t + 1) * work->chunk, work->job->n);
        memset(counts, 0, work->range * sizeof *counts);
        memset(bytes, 0, work->range);
        for (size_t at = t * work->chunk; at < end; at += POLL) {
            size_t const      count = ordo_min(POLL, end - at);
            const char *const keys = work->in + at * work->size;
            if (ordo_poll(work->exec, (double)at / (double)work->job->n))
                return;
            if (work->size == sizeof(uint32_t))
                dense_count_32(keys, count, work->low, work->range, bytes, counts);
            else
                dense_count_64(keys, count, work->low, work->range, bytes, counts);
        }
    }
}

/* Values [*from, *to) are piece p of the result. */
static void values_of(const dense_work *work, size_t p, size_t *from, size_t *to)
{
    size_t const piece = work->job->descending ? work->pieces - 1 - p : p;
    *from = piece * work->piece;
    *to = ordo_min(*from + work->piece, work->range);
}

/* Adds the tables to the first. */
static void add_piece(void *arg, size_t lo, size_t hi)
{
    dense_work *const work = arg;
    for (size_t p = lo; p < hi; p++) {
        size_t from, to, sum = 0, distinct = 0;
        values_of(work, p, &from, &to);
        for (size_t t = 0; t < work->tables; t++)
            for (size_t v = from, at = t * work->range + from; v < to; v++, at++)
                work->counts[v] += (t > 0 ? work->counts[at] : 0) + work->bytes[at];
        for (size_t v = from; v < to; v++) {
            sum += work->counts[v];
            distinct += work->counts[v] != 0;
        }
        work->starts[p] = sum;
        work->distinct[p] = distinct;
    }
}

static void write_piece(void *arg, size_t lo, size_t hi)
{
    const dense_work *const work = arg;
    for (size_t p = lo; p < hi && !ordo_poll(work->exec, (double)p / (double)work->pieces); p++) {
        size_t       from, to;
        size_t const at = work->starts[p], end = work->starts[p + 1];
        bool const   descending = work->job->descending;
        values_of(work, p, &from, &to);
        if (work->size == sizeof(uint32_t))
            dense_write_32(work->job->keys, at, end, work->low, from, to, descending, work->counts);
        else
            dense_write_64(work->job->keys, at, end, work->low, from, to, descending, work->counts);
    }
}

static ordo_status write_all(dense_work *work)
{
    ordo_exec *const exec = work->exec;
    work->piece = ordo_div_up(work->range, PIECES);
    work->pieces = ordo_div_up(work->range, work->piece);
    if (!ordo_loop(exec, work->pieces, 1, add_piece, work))
        return ORDO_E_CANCELLED;
    exec->facts.buckets = 0;
    for (size_t p = 0, at = 0; p <= work->pieces; p++) {
        size_t const here = p < work->pieces ? work->starts[p] : 0;
        exec->facts.buckets += p < work->pieces ? work->distinct[p] : 0;
        work->starts[p] = at;
        at += here;
    }
    exec->phase++;
    exec->changed = true;
    return cpu_done(ordo_loop(exec, work->pieces, 1, write_piece, work));
}

/* ---- The sort ---- */

ordo_status cpu_sort_dense(const cpu_kernels *kernels, const ordo_sort_job *job, bool *done,
                           void **room, ordo_exec *exec)
{
    const void *const in = cpu_input(job);
    dense_work        work = {.job = job,
                              .in = in,
                              .size = ordo_type_size(job->type),
                              .io = records_of_order(kernels, job->type, in, job->n, false, false),
                              .exec = exec};
    atomic_init(&work.least, UINT64_MAX);
    atomic_init(&work.most, 0);
    exec->phases += 3;
    if (!ordo_loop(exec, job->n, cpu_grain(job->n), extent_piece, &work))
        return ORDO_E_CANCELLED;
    exec->phase++;
    uint64_t const least = atomic_load(&work.least), most = atomic_load(&work.most);
    if (!dense_pays(least, most, job->n) ||
        (*room == NULL && ordo_scratch(exec, job->n * work.size, room) != ORDO_OK))
        return ORDO_OK; /* without memory the general sort runs in place */
    work.low = least ^ dense_sign(job->type);
    work.range = (size_t)(most - least) + 1;
    work.counts = *room;
    size_t const most_tables =
        job->n * work.size / TABLE_BYTES / work.range; /* that fit the room */
    work.tables = job->n <= ORDO_TUNE_ALONE ? 1 : ordo_min(exec->threads, most_tables);
    work.bytes = (uint8_t *)(work.counts + work.tables * work.range);
    work.chunk = ordo_div_up(job->n, work.tables);
    if (!ordo_loop(exec, work.tables, 1, count_table, &work))
        return ORDO_E_CANCELLED;
    exec->phase++;
    *done = true;
    exec->algorithm = "counting";
    exec->isa = kernels->loops->isa;
    exec->facts.input = ORDO_INPUT_EQUAL;
    exec->facts.strategy = ORDO_STRATEGY_VALUES;
    return write_all(&work);
}
