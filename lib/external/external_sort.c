/* external_sort.c - ordo_external_sort: sorted runs on disk, then ranges of the final order.
 *
 * Phase 1 reads buffers of the source, sorts each buffer and writes it as a run. Phase 2 reads
 * ranges of the final order from all runs (ranges.h), sorts each range and writes it to the sink.
 * Both phases read, sort and write at the same time (pipeline.h). If there are more runs than a
 * buffer has two blocks for, longer runs are made of groups of runs first. Data that fit one buffer
 * are not written to disk. */
#define _GNU_SOURCE
#include "external/external_call.h"
#include "external/disk/ranges.h"
#include "external/resume.h"

#include <stdlib.h>

enum {
    STAGED_COUNTS = 1024
};

typedef struct sorter {
    external_call *call;
    runs           runs, longer;
    ranges        *ranges;
    bool           source_ended;
    bool           fits; /* all data are in the first buffer */
    resume         resume;
    resume_point   point; /* behind the last range in the sink; see resume.h */

    uint64_t    results; /* elements that the sink has got */
    atomic_bool full;    /* it needs no more */
    uint64_t    limit;   /* elements that it gets at most */
    bool        has_last;
    uint64_t    last; /* with ORDO_UNIQUE: the tie bits of its last element */

    external_call *counts; /* has the sink of ordo_external_unique's counts; NULL: none */
    uint64_t       tied;   /* elements that tie with the last one, itself included */
    uint64_t       staged[STAGED_COUNTS];
    size_t         staged_n;
} sorter;

static bool write_counts(sorter *s)
{
    size_t const n = s->staged_n;
    s->staged_n = 0;
    return n == 0 || external_write(s->counts, s->staged, n * sizeof *s->staged) ||
           external_hand_on(s->call, s->counts) == 0;
}

/* A group of ties has ended: its size goes to the sink of counts. */
static bool end_group(sorter *s)
{
    if (s->counts == NULL || s->tied == 0)
        return true;
    s->staged[s->staged_n++] = s->tied;
    s->tied = 0;
    return s->staged_n < STAGED_COUNTS || write_counts(s);
}

static bool sort_piece(void *user, piece *p)
{
    sorter *const s = user;
    return external_sort_piece(s->call, p);
}

/* Moves the elements whose key does not tie with the element before them to the front. Returns
 * their number; SIZE_MAX after a failure. */
static size_t drop_ties(sorter *s, const piece *p)
{
    const element_kind *const kind = &s->call->kind;
    size_t                    kept = 0;
    for (size_t i = 0; i < p->n; i++) {
        const char *const element = p->elements + i * kind->size;
        uint64_t const    tie = element_tie(kind, element);
        if (s->has_last && tie == s->last) {
            s->tied++;
            continue;
        }
        if (!end_group(s))
            return SIZE_MAX;
        s->tied = 1;
        if (kept != i)
            memcpy(p->elements + kept * kind->size, element, kind->size);
        s->has_last = true;
        s->last = tie;
        kept++;
    }
    return kept;
}

/* Writes sorted elements to the sink. */
static bool write_sorted(sorter *s, const piece *p)
{
    external_call *const c = s->call;
    size_t const         n = (c->opts.flags & ORDO_UNIQUE) != 0 ? drop_ties(s, p) : p->n;
    if (n == SIZE_MAX)
        return false;
    size_t const now = (size_t)ordo_min(n, s->limit - s->results);
    s->results += now;
    atomic_store(&s->full, s->results == s->limit);
    atomic_fetch_add(&c->written, p->n);
    return external_write(c, p->elements, now * c->kind.size);
}

/* ---- Phase 1: runs ---- */

static bool read_run(void *user, piece *p)
{
    sorter *const        s = user;
    external_call *const c = s->call;
    bool const           is_first = atomic_load(&c->read) == 0 && s->runs.count == 0;
    if (!s->source_ended && !external_read(c, p->elements, &p->n))
        return false;
    s->source_ended = s->source_ended || p->n < c->capacity;
    p->ended = p->n == 0;
    p->mark = resume_take_sum(c);
    if (is_first)
        s->fits = s->source_ended;
    return true;
}

static bool write_run(void *user, const piece *p)
{
    sorter *const s = user;
    if (s->fits)
        return write_sorted(s, p);
    return runs_begin(&s->runs) && runs_append(&s->runs, p->elements, p->n) && runs_end(&s->runs) &&
           resume_save(&s->resume, &s->runs, (uint32_t)p->mark) &&
           (s->runs.count > 1 || external_check_space(s->call, p->n * s->call->kind.size));
}

/* ---- Phase 2: ranges ---- */

static bool read_range(void *user, piece *p)
{
    sorter *const s = user;
    bool const    is_full = atomic_load(&s->full);
    if (!is_full && !ranges_next(s->ranges, p->elements, &p->n))
        return false;
    p->mark = ranges_tell(s->ranges);
    p->ended = is_full || p->n == 0;
    return true;
}

static bool write_range(void *user, const piece *p)
{
    sorter *const       s = user;
    resume_point *const point = &s->point;
    s->call->report.ranges++;
    if (!write_sorted(s, p))
        return false;
    point->next = p->mark;
    point->results = s->results;
    return !point->is_kept || resume_save_point(&s->resume, point);
}

/* Goes to the place where an earlier call ended, if there is one. */
static bool find_point(sorter *s)
{
    resume_point *const point = &s->point;
    bool                found = false;
    uint64_t            passed, last;
    *point = resume_point_make(&s->resume, s->runs.count);
    if (!point->is_kept)
        return true;
    if (!resume_load_point(&s->resume, point, &found))
        return false;
    if (!found)
        return true;
    if (!ranges_seek(s->ranges, point->next, &passed, &last) ||
        !resume_point_fits(&s->resume, point, passed, last))
        return false;
    s->results = point->results;
    s->has_last = point->results > 0;
    s->last = point->last;
    return true;
}

static uint64_t spilled_bytes(const runs *r)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < r->blocks; i++)
        bytes += r->index[i].bytes;
    return bytes;
}

/* Reads runs [from, to) in ranges of the final order and gives each range to `write`. */
static bool run_ranges(sorter *s, size_t from, size_t to, bool (*write)(void *, const piece *))
{
    external_call *const c = s->call;
    s->ranges = ranges_open(&s->runs, from, to, c->capacity, c->exec->threads);
    bool const resumes = write == write_range && c->report.levels == 1;
    bool       ok = s->ranges != NULL && (!resumes || find_point(s));
    if (write == write_range)
        external_phase(c, "ranges", spilled_bytes(&s->runs));
    ok = ok && external_pipeline(c, s, read_range, sort_piece, write);
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

/* How many runs one phase reads: a buffer has two blocks for each of them, so every range takes at
 * least half a buffer of new blocks. */
static size_t most_runs(const sorter *s) { return s->call->capacity / (2 * s->call->block_n); }

/* Makes one run of each group of runs. */
static bool lengthen_runs(sorter *s)
{
    size_t const group = most_runs(s);
    if (!runs_open(&s->longer, &s->call->kind, s->call->block_n, s->call->staging, &s->call->spill))
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
    s->call->report.levels++;
    return true;
}

/* ---- The call ---- */

static bool read_all(void *user, piece *p)
{
    sorter *const        s = user;
    external_call *const c = s->call;
    return read_run(s, p) &&
           (s->fits || failure_record(&c->failure, ORDO_E_IO,
                                      "%s has grown while it was read; expected %llu bytes",
                                      c->from.name, (unsigned long long)c->source_bytes));
}

/* Sorts in one buffer, without the two others, if all data fit it with the scratch of a sort.
 * *done is false if they do not. */
static bool sort_at_once(sorter *s, bool *done)
{
    external_call *const c = s->call;
    size_t const         n = (size_t)(c->source_bytes / c->kind.size);
    *done = false;
    if (c->source_bytes == 0 || c->opts.resume_directory != NULL ||
        c->source_bytes > c->opts.memory ||
        external_sort_scratch(c, n) + c->source_bytes > c->opts.memory)
        return true;
    *done = true;
    c->capacity = n + 1;
    c->buffers[0] = malloc(c->capacity * c->kind.size);
    if (c->buffers[0] == NULL)
        return failure_record(&c->failure, ORDO_E_NOMEM, "the system refused %zu bytes",
                              c->capacity * c->kind.size);
    external_phase(c, "in memory", c->source_bytes);
    return external_pipeline(c, s, read_all, sort_piece, write_run);
}

static bool sort_all(sorter *s)
{
    external_call *const c = s->call;
    uint64_t const       begin = api_clock_ticks();
    if (!runs_open(&s->runs, &c->kind, c->block_n, c->staging, &c->spill) ||
        !runs_reserve(&s->runs, external_index_blocks(c)) ||
        !resume_open(&s->resume, c, &s->runs, 0))
        return false;
    external_phase(c, "runs", c->source_bytes);
    if (!external_pipeline(c, s, read_run, sort_piece, write_run))
        return false;
    c->report.unpacked = s->runs.count > 0 ? atomic_load(&c->read) * c->kind.size : 0;
    c->report.packed = spilled_bytes(&s->runs);
    c->report.runs = s->runs.count;
    c->report.levels = s->runs.count > 0;
    c->report.run_seconds = external_seconds(begin);
    uint64_t const middle = api_clock_ticks();
    while (s->runs.count > most_runs(s)) {
        external_phase(c, "longer runs", spilled_bytes(&s->runs));
        if (!lengthen_runs(s))
            return false;
    }
    if (s->runs.count > 0 && !run_ranges(s, 0, s->runs.count, write_range))
        return false;
    c->report.range_seconds = external_seconds(middle);
    return true;
}

static ordo_status sort_to(external_call *c, uint64_t limit, external_call *counts)
{
    sorter      s = {.call = c, .limit = limit, .counts = counts};
    bool        done = false;
    ordo_status status = sort_at_once(&s, &done) ? ORDO_OK : external_status(c);
    if (!done && status == ORDO_OK)
        status = external_plan_sort(c);
    if (!done && status == ORDO_OK && !sort_all(&s))
        status = external_status(c);
    if (status == ORDO_OK && counts != NULL && !(end_group(&s) && write_counts(&s)))
        status = external_status(c);
    resume_close(&s.resume, status == ORDO_OK);
    runs_close(&s.runs);
    runs_close(&s.longer);
    return status;
}

ordo_status external_sort_first(external_call *c, uint64_t limit)
{
    return sort_to(c, limit, NULL);
}

ordo_status external_sort_part(external_call *c, external_call *work, size_t own, uint64_t limit)
{
    work->ctx = c->ctx;
    work->exec = c->exec;
    work->opts = c->opts;
    work->opts.flags &= ORDO_SPILL_IN_MEMORY;
    work->opts.memory -= ordo_min(work->opts.memory / 4, own);
    ordo_status status = external_begin(work);
    if (status == ORDO_OK)
        status = external_sort_first(work, limit);
    external_end(work);
    external_adopt(c, work);
    return status;
}

static ordo_status sort_entered(ordo_ctx *ctx, ordo_exec *exec, const ordo_elements *elements,
                                const ordo_source *from, const ordo_sink *to,
                                const ordo_sink *counts, const ordo_external_opts *opts,
                                ordo_external_report *report)
{
    external_call c = {.ctx = ctx,
                       .exec = exec,
                       .failure = FAILURE_NONE,
                       .resumes = counts == NULL ? "sort" : NULL};
    external_call other = {.ctx = ctx, .exec = exec, .failure = FAILURE_NONE};
    TRY(external_arguments(&c, elements, from, opts, report));
    TRY(external_sink(&c, to));
    if (counts != NULL) {
        TRY(external_sink(&other, counts));
        c.opts.flags |= ORDO_UNIQUE;
    }
    ordo_status status = external_begin(&c);
    if (status == ORDO_OK)
        status = sort_to(&c, UINT64_MAX, counts != NULL ? &other : NULL);
    external_end(&c);
    return status == ORDO_OK ? external_report(&c) : status;
}

ordo_status ordo_external_sort(ordo_ctx *ctx, const ordo_elements *elements,
                               const ordo_source *from, const ordo_sink *to,
                               const ordo_external_opts *opts, ordo_external_report *report)
{
    API_CALL("external_sort", (ordo_type)0, 0,
             sort_entered(ctx, exec, elements, from, to, NULL, opts, report));
}

static ordo_status unique_entered(ordo_ctx *ctx, ordo_exec *exec, const ordo_elements *elements,
                                  const ordo_source *from, const ordo_sink *to,
                                  const ordo_sink *counts, const ordo_external_opts *opts,
                                  ordo_external_report *report)
{
    FAIL_IF(counts == NULL, ORDO_E_ARG, "counts is NULL; expected a struct");
    return sort_entered(ctx, exec, elements, from, to, counts, opts, report);
}

ordo_status ordo_external_unique(ordo_ctx *ctx, const ordo_elements *elements,
                                 const ordo_source *from, const ordo_sink *to,
                                 const ordo_sink *counts, const ordo_external_opts *opts,
                                 ordo_external_report *report)
{
    API_CALL("external_unique", (ordo_type)0, 0,
             unique_entered(ctx, exec, elements, from, to, counts, opts, report));
}
