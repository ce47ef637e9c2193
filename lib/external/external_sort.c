/* external_sort.c - ordo_external_sort: sorted runs on disk, then ranges of the final order.
 *
 * Phase 1 reads buffers of the source, sorts each and writes it as a run. Phase 2 reads ranges of
 * the final order from all runs (ranges.h), sorts each and writes it. Both phases read, sort and
 * write at the same time (pipeline.h). With more runs than a buffer has room for, phase 2 first
 * makes longer runs of groups of runs. Data that fit a buffer are never written to disk. */
#define _GNU_SOURCE
#include "api/api_ctx.h"
#include "external/files.h"
#include "external/pipeline.h"
#include "external/ranges.h"
#include "ordo_external.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LEAST_MEMORY = 8 << 20,
    LEAST_BLOCK = 4 << 10, /* bytes of the elements of a block */
    MOST_BLOCK = 1 << 20,
    BLOCK_MEMORY = 24 /* bytes that describe a block: runs.h, and its place in the order */
};

typedef struct sorter {
    ordo_ctx  *ctx; /* of the call */
    ordo_exec *exec;
    ordo_ctx  *inner; /* sorts the buffers */

    element_kind kind;
    ordo_reader  from;
    ordo_writer  to;
    uint64_t     source_bytes; /* 0: not known */
    uint64_t     memory;
    size_t       capacity, block_n; /* elements of a buffer and of a block */
    size_t       most_blocks;
    char        *buffers[PIPELINE_BUFFERS];

    trouble  trouble;
    spill    spill;
    runs     runs, longer; /* longer: of the next level */
    uint32_t *order;
    ranges   *ranges;
    ordo_external_report done;

    bool     source_ended, only; /* all data fit in the first buffer */
    uint64_t read, written;      /* elements */
    double   share;              /* of the call that is done */
} sorter;

/* ---- The source and the result ---- */

static bool read_source(sorter *s, char *into, size_t bytes, size_t *got)
{
    if (s->from.read == NULL)
        return read_fully(s->from.fd, s->from.name, into, bytes, got, &s->trouble);
    for (*got = 0; *got < bytes && !trouble_is(&s->trouble);) {
        ptrdiff_t const now = s->from.read(s->from.user, into + *got, bytes - *got);
        if (now == 0)
            return true;
        if (now < 0 || (size_t)now > bytes - *got)
            return trouble_errno(&s->trouble, now < 0 ? errno : EINVAL, "reading %s failed",
                                 s->from.name);
        *got += (size_t)now;
    }
    return !trouble_is(&s->trouble);
}

static bool write_result(sorter *s, const char *from, size_t bytes)
{
    if (s->to.write == NULL)
        return write_fully(s->to.fd, s->to.name, from, bytes, &s->trouble);
    for (size_t done = 0; done < bytes && !trouble_is(&s->trouble);) {
        ptrdiff_t const now = s->to.write(s->to.user, from + done, bytes - done);
        if (now <= 0 || (size_t)now > bytes - done)
            return trouble_errno(&s->trouble, now < 0 ? errno : EINVAL, "writing %s failed",
                                 s->to.name);
        done += (size_t)now;
    }
    return !trouble_is(&s->trouble);
}

/* ---- Steps of both phases ---- */

static bool goes_on(void *user)
{
    sorter *const s = user;
    return !ordo_poll(s->exec, s->share);
}

static int watch_inner(void *user, double done)
{
    (void)done;
    return goes_on(user) ? 0 : 1;
}

static bool sort_piece(void *user, piece *p)
{
    sorter *const             s = user;
    const element_kind *const kind = &s->kind;
    ordo_sort_opts const      opts =
        ORDO_OPTS(ordo_sort_opts, .flags = kind->descending ? ORDO_DESCENDING : 0);
    ordo_status const status =
        kind->keys_only ? ordo_sort(s->inner, kind->type, p->elements, p->n, &opts)
                        : ordo_sort_records(s->inner, p->elements, p->n, kind->size,
                                            kind->key_offset, kind->type, &opts);
    return status == ORDO_OK ||
           trouble_set(&s->trouble, status, "%s", ordo_last_error(s->inner));
}

/* ---- Phase 1: runs ---- */

static bool read_run(void *user, piece *p)
{
    sorter *const s = user;
    size_t const  size = s->kind.size;
    size_t        got = 0;
    if (!s->source_ended && !read_source(s, p->elements, s->capacity * size, &got))
        return false;
    s->source_ended = s->source_ended || got < s->capacity * size;
    if (got % size != 0)
        return trouble_set(&s->trouble, ORDO_E_ARG,
                           "%s ends inside an element: %llu bytes after %llu elements of %zu bytes",
                           s->from.name, (unsigned long long)(got % size),
                           (unsigned long long)(s->read + got / size), size);
    p->n = got / size;
    p->ended = p->n == 0;
    s->only = s->read == 0 && s->source_ended;
    s->read += p->n;
    if (s->source_bytes != 0)
        s->share = 0.5 * (double)(s->read * size) / (double)s->source_bytes;
    return true;
}

static bool write_run(void *user, const piece *p)
{
    sorter *const s = user;
    if (s->only)
        return write_result(s, p->elements, p->n * s->kind.size);
    return runs_begin(&s->runs) && runs_append(&s->runs, p->elements, p->n) && runs_end(&s->runs);
}

/* ---- Phase 2: ranges ---- */

static bool read_range(void *user, piece *p)
{
    sorter *const s = user;
    if (!ranges_next(s->ranges, p->elements, &p->n))
        return false;
    p->ended = p->n == 0;
    return true;
}

static bool write_range(void *user, const piece *p)
{
    sorter *const s = user;
    s->written += p->n;
    s->done.ranges++;
    s->share = 0.5 + 0.5 * (double)s->written / (double)s->read;
    return write_result(s, p->elements, p->n * s->kind.size);
}

/* Sorts the blocks of runs [from, to) by their first elements. */
static bool order_blocks(sorter *s, size_t from, size_t to)
{
    const run *const all = s->runs.all;
    size_t const     first = all[from].block, end = all[to - 1].block + all[to - 1].blocks;
    ordo_status const status = ordo_argsort(s->inner, ORDO_U64, s->runs.first + first, end - first,
                                            ORDO_U32, s->order, NULL);
    if (status != ORDO_OK)
        return trouble_set(&s->trouble, status, "%s", ordo_last_error(s->inner));
    for (size_t i = 0; i < end - first; i++)
        s->order[i] += (uint32_t)first;
    return true;
}

static bool run_pipeline(sorter *s, bool (*read)(void *, piece *),
                         bool (*write)(void *, const piece *))
{
    pipeline const p = {.read = read,
                        .work = sort_piece,
                        .write = write,
                        .user = s,
                        .goes_on = goes_on,
                        .buffers = {s->buffers[0], s->buffers[1], s->buffers[2]},
                        .trouble = &s->trouble};
    return pipeline_run(&p);
}

/* Reads runs [from, to) in ranges and gives them to `write`. */
static bool run_ranges(sorter *s, size_t from, size_t to,
                       bool (*write)(void *, const piece *))
{
    free(s->order);
    size_t blocks = 0;
    for (size_t i = from; i < to; i++)
        blocks += s->runs.all[i].blocks;
    s->order = malloc(blocks * sizeof *s->order);
    if (s->order == NULL)
        return trouble_set(&s->trouble, ORDO_E_NOMEM, "the system refused memory for the cuts");
    if (!order_blocks(s, from, to))
        return false;
    s->ranges = ranges_open(&s->runs, from, to, s->order, s->capacity, s->exec->threads);
    bool const ok = s->ranges != NULL && run_pipeline(s, read_range, write);
    ranges_close(s->ranges);
    s->ranges = NULL;
    return ok;
}

/* ---- Longer runs ---- */

static bool write_longer(void *user, const piece *p)
{
    sorter *const s = user;
    return runs_append(&s->longer, p->elements, p->n);
}

/* How many runs a buffer has room for: twice a block of each, so that every range takes at least
 * half a buffer of new blocks. */
static size_t most_runs(const sorter *s) { return s->capacity / (2 * s->block_n); }

/* Makes one run of each group of runs. */
static bool lengthen_runs(sorter *s)
{
    size_t const group = most_runs(s);
    if (!runs_open(&s->longer, &s->kind, s->block_n, s->most_blocks, &s->spill))
        return false;
    for (size_t from = 0; from < s->runs.count; from += group) {
        size_t const to = ordo_min(s->runs.count, from + group);
        if (!runs_begin(&s->longer) || !run_ranges(s, from, to, write_longer) ||
            !runs_end(&s->longer))
            return false;
    }
    runs_close(&s->runs);
    s->runs = s->longer;
    s->longer = (runs){0};
    s->done.levels++;
    return true;
}

/* ---- Memory ---- */

/* Bytes of scratch that a sort of n elements takes. */
static size_t sort_scratch(sorter *s, size_t n)
{
    size_t            bytes = 0;
    ordo_status const status =
        s->kind.keys_only ? ordo_sort_scratch(s->inner, s->kind.type, n, NULL, &bytes)
                          : ordo_sort_records_scratch(s->inner, n, s->kind.size, s->kind.key_offset,
                                                      s->kind.type, NULL, &bytes);
    return status == ORDO_OK ? bytes : SIZE_MAX / 2;
}

/* The elements of a block, for buffers of `capacity` elements: small enough for the runs of the
 * known data, or for as many runs as a block of LEAST_BLOCK bytes allows. */
static size_t choose_block(const sorter *s, size_t capacity)
{
    size_t const buffer = capacity * s->kind.size;
    size_t const runs = s->source_bytes != 0 ? (size_t)(s->source_bytes / buffer) + 1 : 256;
    size_t const bytes = ordo_min(ordo_max(buffer / (2 * runs + 2), LEAST_BLOCK), MOST_BLOCK);
    return ordo_max(bytes / s->kind.size, 1);
}

/* All memory of the call with buffers of `capacity` elements. */
static size_t memory_of(sorter *s, size_t capacity)
{
    size_t const block_n = choose_block(s, capacity), buffer = capacity * s->kind.size;
    size_t const runs = capacity / (2 * block_n);
    size_t const blocks = s->source_bytes != 0
                              ? (size_t)(s->source_bytes / s->kind.size) / block_n + 2 * runs
                              : runs * (capacity / block_n);
    return PIPELINE_BUFFERS * buffer + sort_scratch(s, capacity) + blocks * BLOCK_MEMORY +
           ranges_memory(&s->kind, runs, block_n, s->exec->threads) + RUNS_STAGING + MOST_BLOCK;
}

/* The largest buffers that the limit allows. */
static ordo_status plan_memory(sorter *s)
{
    size_t lo = 0, hi = (size_t)s->memory / s->kind.size + 1;
    while (hi - lo > 1) {
        size_t const middle = lo + (hi - lo) / 2;
        if (memory_of(s, middle) <= s->memory)
            lo = middle;
        else
            hi = middle;
    }
    if (s->source_bytes != 0) /* no larger than the data */
        lo = ordo_min(lo, (size_t)(s->source_bytes / s->kind.size) + 1);
    if (lo < 4)
        return ordo_fail(s->exec, ORDO_E_NOMEM,
                         "%llu bytes of memory are too few for elements of %zu bytes",
                         (unsigned long long)s->memory, s->kind.size);
    s->capacity = lo;
    s->block_n = ordo_min(choose_block(s, lo), lo / 4);
    s->most_blocks = UINT32_MAX;
    for (size_t i = 0; i < PIPELINE_BUFFERS; i++) {
        s->buffers[i] = malloc(lo * s->kind.size);
        if (s->buffers[i] == NULL)
            return ordo_fail(s->exec, ORDO_E_NOMEM, "the system refused a buffer of %zu bytes",
                             lo * s->kind.size);
    }
    return ORDO_OK;
}

static uint64_t available_memory(void)
{
    long const pages = sysconf(_SC_AVPHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : (uint64_t)1 << 30;
}

/* ---- All of it ---- */

static ordo_status read_arguments(sorter *s, const ordo_elements *elements, const ordo_reader *from,
                                  const ordo_writer *to, const ordo_external_opts *opts,
                                  ordo_external_opts *wish)
{
    ordo_exec *const exec = s->exec;
    ordo_elements    kind;
    FAIL_IF(elements == NULL || from == NULL || to == NULL, ORDO_E_ARG,
            "elements, from or to is NULL");
    TRY(api_read_struct(exec, &kind, sizeof kind, elements, "elements"));
    TRY(api_read_struct(exec, &s->from, sizeof s->from, from, "from"));
    TRY(api_read_struct(exec, &s->to, sizeof s->to, to, "to"));
    TRY(api_opts_read(exec, wish, sizeof *wish, opts));
    TRY(api_check_type(exec, (ordo_type)kind.type, "elements.type"));
    FAIL_IF((wish->flags & ~(uint64_t)ORDO_DESCENDING) != 0, ORDO_E_VERSION,
            "opts.flags has an unknown bit");
    FAIL_IF(kind.reserved != 0 || s->from.reserved != 0 || s->to.reserved != 0, ORDO_E_VERSION,
            "a reserved field is not 0");
    ordo_type const type = (ordo_type)kind.type;
    size_t const    key = ordo_type_size(type), size = kind.size != 0 ? kind.size : key;
    FAIL_IF(size < key || kind.key_offset > size - key, ORDO_E_ARG,
            "a key %s at byte %zu does not fit an element of %zu bytes", ordo_type_name(type),
            kind.key_offset, size);
    FAIL_IF(wish->memory != 0 && wish->memory < LEAST_MEMORY, ORDO_E_ARG,
            "opts.memory is %llu bytes; expected at least %d", (unsigned long long)wish->memory,
            LEAST_MEMORY);
    FAIL_IF(wish->directory_count > SPILL_MOST_FILES, ORDO_E_ARG,
            "%zu directories; expected at most %d", wish->directory_count, SPILL_MOST_FILES);
    s->kind = (element_kind){.size = size,
                             .key_offset = kind.key_offset,
                             .type = type,
                             .descending = (wish->flags & ORDO_DESCENDING) != 0,
                             .keys_only = size == key};
    s->from.name = s->from.name != NULL ? s->from.name : "the source";
    s->to.name = s->to.name != NULL ? s->to.name : "the result";
    s->source_bytes = s->from.bytes;
    struct stat status;
    if (s->from.read == NULL && fstat(s->from.fd, &status) == 0 && S_ISREG(status.st_mode)) {
        off_t const at = lseek(s->from.fd, 0, SEEK_CUR);
        if (at >= 0 && status.st_size > at)
            s->source_bytes = (uint64_t)(status.st_size - at);
    }
    s->memory = wish->memory != 0 ? wish->memory : available_memory() / 2;
    return ORDO_OK;
}

static bool sort_all(sorter *s)
{
    uint64_t const begin = api_clock_ticks();
    if (!runs_open(&s->runs, &s->kind, s->block_n, s->most_blocks, &s->spill) ||
        !run_pipeline(s, read_run, write_run))
        return false;
    s->done.runs = s->runs.count;
    s->done.levels = s->runs.count > 0;
    uint64_t const middle = api_clock_ticks();
    while (s->runs.count > most_runs(s))
        if (!lengthen_runs(s))
            return false;
    if (s->runs.count > 0 && !run_ranges(s, 0, s->runs.count, write_range))
        return false;
    s->done.run_seconds = (double)(middle - begin) / api_clock_second();
    s->done.range_seconds = (double)(api_clock_ticks() - middle) / api_clock_second();
    return true;
}

static ordo_status sort_checked(sorter *s, const ordo_external_opts *wish)
{
    static const char *const usual = "/var/tmp";
    const char *const        named = getenv("TMPDIR");
    const char *const        one = named != NULL && named[0] != 0 ? named : usual;
    bool const               given = wish->directory_count > 0;
    TRY(api_sibling(s->ctx,
                    &ORDO_OPTS(ordo_ctx_opts, .where = (uint32_t)s->ctx->plan.where,
                               .threads = s->exec->threads, .progress = watch_inner,
                               .progress_user = s),
                    &s->inner));
    TRY(plan_memory(s));
    spill_init(&s->spill, given ? wish->directories : &one,
               given ? (unsigned)wish->directory_count : 1, &s->trouble);
    if (!sort_all(s))
        return ordo_fail(s->exec, (ordo_status)s->trouble.status, "%s", s->trouble.text);
    return ORDO_OK;
}

static void release_all(sorter *s)
{
    ordo_ctx_free(s->inner);
    runs_close(&s->runs);
    runs_close(&s->longer);
    spill_close(&s->spill);
    for (size_t i = 0; i < PIPELINE_BUFFERS; i++)
        free(s->buffers[i]);
    free(s->order);
}

static ordo_status sort_entered(ordo_ctx *ctx, ordo_exec *exec, const ordo_elements *elements,
                                const ordo_reader *from, const ordo_writer *to,
                                const ordo_external_opts *opts, ordo_external_report *report)
{
    sorter             s = {.ctx = ctx, .exec = exec, .trouble = TROUBLE_NONE};
    ordo_external_opts wish;
    TRY(read_arguments(&s, elements, from, to, opts, &wish));
    ordo_status const status = sort_checked(&s, &wish);
    s.done.n = s.read;
    s.done.spilled = s.spill.written;
    s.done.memory = s.memory;
    release_all(&s);
    if (status == ORDO_OK && report != NULL)
        TRY(api_copy_out(exec, report, &s.done, sizeof s.done));
    return status;
}

ordo_status ordo_external_sort(ordo_ctx *ctx, const ordo_elements *elements,
                               const ordo_reader *from, const ordo_writer *to,
                               const ordo_external_opts *opts, ordo_external_report *report)
{
    API_CALL("external_sort", (ordo_type)0, 0,
             sort_entered(ctx, exec, elements, from, to, opts, report));
}
