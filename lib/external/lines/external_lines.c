/* external_lines.c - ordo_external_sort_lines: sorted runs on disk, then ranges of the final order.
 *
 * As external_sort.c, for lines of any length. Phase 1 reads buffers that end with a line, sorts
 * each buffer and writes it as a run of packed blocks. Phase 2 reads ranges of the final order from
 * all runs (line_ranges.h), sorts each range again and writes it to the sink. Both phases read,
 * sort and write at the same time. A buffer has a gap before its text, so that packed blocks, which
 * may be a little longer than their lines, never reach lines that are still to be packed. */
#define _GNU_SOURCE
#include "external/lines/line_ranges.h"

#include <stdlib.h>

typedef struct parcel { /* what the work on a buffer hands to the writer */
    line_blocks blocks; /* packed, in the buffer */
    size_t      bytes;  /* or: of the text in order, at the beginning of the buffer */
    size_t      source; /* bytes that the buffer had */
} parcel;

typedef struct line_sorter {
    external_call *call;
    line_plan      plan;
    line_work      work;
    line_runs      runs, longer;
    line_ranges   *ranges;
    parcel         parcels[PIPELINE_BUFFERS];

    char    *tail; /* the beginning of a line whose end is not read yet */
    size_t   tail_bytes;
    uint64_t position;               /* of the tail in the source */
    bool     source_ended, has_read; /* for the reader */
    bool     is_all;                 /* the first buffer has all lines */
    bool     fits;                   /* and they were sorted as one part */
    uint64_t lines;                  /* of the source */
} line_sorter;

static parcel *parcel_of(line_sorter *s, const piece *p)
{
    return &s->parcels[external_buffer_of(s->call, p)];
}

static char *text_of(const line_sorter *s, const piece *p) { return p->elements + s->plan.gap; }

/* Empties a parcel whose blocks were not written. */
static void drop_parcel(parcel *q)
{
    for (size_t i = 0; i < q->blocks.count; i++)
        free(q->blocks.all[i].owned);
    q->blocks.count = 0;
}

/* ---- Phase 1: runs ---- */

/* The bytes up to the end of the last whole line of the text. */
static size_t whole_lines(const line_sorter *s, const char *text, size_t length)
{
    const ordo_line_format *const format = &s->work.format;
    size_t                        at = 0, found;
    if (format->split == NULL) {
        const char *const last = memrchr(text, (int)format->end, length);
        return last != NULL ? (size_t)(last - text) + 1 : 0;
    }
    while (at < length && (found = format->split(format->user, text + at, length - at)) != 0 &&
           found <= length - at)
        at += found;
    return at;
}

/* Reads a buffer of whole lines. */
static bool read_lines(void *user, piece *p)
{
    line_sorter *const   s = user;
    external_call *const c = s->call;
    char *const          text = text_of(s, p);
    size_t const         most = s->plan.limits.bytes;
    size_t               got = 0, length = s->tail_bytes;
    p->ended = s->source_ended && length == 0;
    if (p->ended)
        return true;
    memcpy(text, s->tail, length);
    if (!s->source_ended && !external_read_bytes(c, text + length, most - length, &got))
        return false;
    s->source_ended = s->source_ended || got < most - length;
    if (!s->has_read)
        s->is_all = s->source_ended;
    s->has_read = true;
    length += got;
    atomic_fetch_add(&c->read, got);
    if (s->source_ended) {
        if (length > 0 && text[length - 1] != (char)s->work.format.end)
            text[length++] = (char)s->work.format.end;
        s->tail_bytes = 0;
        p->n = length;
        p->ended = length == 0;
        size_t const   whole = whole_lines(s, text, length);
        uint64_t const place = s->position + whole;
        return whole == length ||
               failure_record(&c->failure, ORDO_E_ARG,
                              "%s ends inside the line at byte %llu; expected whole lines",
                              c->from.name, (unsigned long long)place);
    }
    p->n = whole_lines(s, text, length);
    s->tail_bytes = length - p->n;
    s->position += p->n;
    if (p->n == 0 || s->tail_bytes > s->plan.limits.line)
        return failure_record(&c->failure, ORDO_E_NOMEM,
                              "the line at byte %llu of %s has more than %zu bytes; with %llu "
                              "bytes of memory at most %zu are possible; expected a larger limit "
                              "of the memory",
                              (unsigned long long)s->position, c->from.name, s->tail_bytes,
                              (unsigned long long)c->opts.memory, s->plan.limits.line);
    memcpy(s->tail, text + p->n, s->tail_bytes);
    return true;
}

/* Sorts a buffer into one run, or several if it has more lines or longer keys than expected. Lines
 * that fit in one buffer become text. */
static bool sort_lines(void *user, piece *p)
{
    line_sorter *const s = user;
    line_work *const   w = &s->work;
    parcel *const      q = parcel_of(s, p);
    size_t             packed = 0;
    q->source = p->n;
    q->bytes = 0;
    for (size_t done = 0, taken; done < p->n; done += taken) {
        size_t bytes;
        if (!line_work_take(w, text_of(s, p) + done, p->n - done, &taken))
            return false;
        s->lines += w->n;
        w->has_last = false;
        if (!line_work_sort(w))
            return false;
        if (s->is_all && taken == p->n) {
            s->fits = true;
            return line_work_gather(w, p->elements, &q->bytes);
        }
        if (!line_work_pack(w, p->elements + packed, packed, &q->blocks, &bytes))
            return false;
        packed += bytes;
    }
    return true;
}

static bool write_text(line_sorter *s, const piece *p, const parcel *q)
{
    atomic_fetch_add(&s->call->written, q->source);
    return external_write(s->call, p->elements, q->bytes);
}

static bool write_blocks(line_runs *runs, const piece *p, parcel *q)
{
    size_t const count = q->blocks.count;
    q->blocks.count = 0;
    return line_runs_append(runs, p->elements, q->blocks.all, count);
}

static bool write_run(void *user, const piece *p)
{
    line_sorter *const s = user;
    parcel *const      q = parcel_of(s, p);
    if (s->fits)
        return write_text(s, p, q);
    return write_blocks(&s->runs, p, q) &&
           (s->runs.count > 1 || external_check_space(s->call, q->source));
}

/* ---- Phase 2: ranges ---- */

static bool read_range(void *user, piece *p)
{
    line_sorter *const s = user;
    if (!line_ranges_next(s->ranges, text_of(s, p), &p->n))
        return false;
    p->ended = p->n == 0;
    return true;
}

/* Sorts a range; `packs` for a longer run. */
static bool sort_range(line_sorter *s, piece *p, bool packs)
{
    line_work *const w = &s->work;
    parcel *const    q = parcel_of(s, p);
    size_t           taken, bytes;
    q->source = p->n;
    if (!line_work_take(w, text_of(s, p), p->n, &taken))
        return false;
    if (taken != p->n)
        return failure_record(&s->call->failure, ORDO_E_ARG,
                              "the key of a line became longer; expected the same key each time");
    return line_work_sort(w) && (packs ? line_work_pack(w, p->elements, 0, &q->blocks, &bytes)
                                       : line_work_gather(w, p->elements, &q->bytes));
}

static bool sort_to_text(void *user, piece *p) { return sort_range(user, p, false); }
static bool sort_to_run(void *user, piece *p) { return sort_range(user, p, true); }

static bool write_range(void *user, const piece *p)
{
    line_sorter *const s = user;
    s->call->report.ranges++;
    return write_text(s, p, parcel_of(s, p));
}

static bool write_longer(void *user, const piece *p)
{
    line_sorter *const s = user;
    return write_blocks(&s->longer, p, parcel_of(s, p));
}

/* Reads runs [from, to) in ranges of the final order. */
static bool run_ranges(line_sorter *s, size_t from, size_t to, bool (*work)(void *, piece *),
                       bool (*write)(void *, const piece *))
{
    external_call *const c = s->call;
    s->work.has_last = false;
    s->ranges = line_ranges_open(&s->runs, from, to, &s->work.format, &s->plan.limits,
                                 s->work.descending, c->exec->threads);
    bool const ok = s->ranges != NULL && external_pipeline(c, s, read_range, work, write);
    line_ranges_close(s->ranges);
    s->ranges = NULL;
    return ok;
}

/* Makes one run of each group of runs. */
static bool lengthen_runs(line_sorter *s, size_t group)
{
    line_limits *const limits = &s->work.limits;
    external_phase(s->call, "longer runs", s->call->report.packed);
    limits->block = ordo_max(limits->block, ordo_min(2 * limits->block, limits->bytes / 32));
    line_runs_open(&s->longer, s->plan.limits.index, &s->call->spill);
    for (size_t from = 0; from < s->runs.count; from += group)
        if (!run_ranges(s, from, ordo_min(s->runs.count, from + group), sort_to_run, write_longer))
            return false;
    line_runs_close(&s->runs);
    s->runs = s->longer;
    s->longer = (line_runs){0};
    s->call->report.levels++;
    return true;
}

static bool merge_runs(line_sorter *s)
{
    uint64_t const asked = s->call->opts.most_runs;
    for (;;) {
        size_t const fit = line_ranges_most(&s->runs, &s->plan.limits);
        size_t const most = asked != 0 && asked < fit ? (size_t)asked : fit;
        if (s->runs.count <= ordo_max(most, 1)) {
            external_phase(s->call, "ranges", s->call->report.packed);
            return run_ranges(s, 0, s->runs.count, sort_to_text, write_range);
        }
        if (most < 2)
            return failure_record(&s->call->failure, ORDO_E_NOMEM,
                                  "the keys of %s are too long for %llu bytes of memory; expected "
                                  "a larger limit of the memory",
                                  s->call->from.name, (unsigned long long)s->call->opts.memory);
        if (!lengthen_runs(s, most))
            return false;
    }
}

/* ---- The call ---- */

static bool sort_all(line_sorter *s)
{
    external_call *const c = s->call;
    uint64_t const       begin = api_clock_ticks();
    external_phase(c, "runs", c->source_bytes);
    line_runs_open(&s->runs, s->plan.limits.index, &c->spill);
    if (!external_pipeline(c, s, read_lines, sort_lines, write_run))
        return false;
    c->report.runs = s->runs.count;
    c->report.levels = s->runs.count > 0;
    c->report.unpacked = s->runs.count > 0 ? atomic_load(&c->read) : 0;
    c->report.packed = atomic_load(&c->spill.written);
    c->report.run_seconds = external_seconds(begin);
    uint64_t const middle = api_clock_ticks();
    if (s->runs.count > 0 && !merge_runs(s))
        return false;
    c->report.range_seconds = external_seconds(middle);
    return true;
}

/* Reads a sample, plans the memory and sorts. */
static ordo_status plan_and_sort(line_sorter *s, const ordo_line_format *format)
{
    external_call *const c = s->call;
    size_t               got = 0;
    s->tail = malloc(LINE_SAMPLE);
    if (s->tail == NULL)
        return ordo_fail(c->exec, ORDO_E_NOMEM, "the system refused %d bytes", (int)LINE_SAMPLE);
    if (!external_read_bytes(c, s->tail, LINE_SAMPLE, &got) ||
        !line_plan_make(&s->plan, c, format, s->tail, got))
        return external_status(c);
    atomic_fetch_add(&c->read, got);
    s->tail_bytes = got;
    s->source_ended = got < LINE_SAMPLE;
    char *const larger = realloc(s->tail, ordo_max(LINE_SAMPLE, s->plan.limits.line));
    if (larger == NULL)
        return ordo_fail(c->exec, ORDO_E_NOMEM, "the system refused %zu bytes",
                         s->plan.limits.line);
    s->tail = larger;
    TRY(external_buffers(c, s->plan.gap + s->plan.limits.bytes + 1, 1));
    if (!line_work_open(&s->work, c, format, &s->plan.limits) || !sort_all(s))
        return external_status(c);
    return ORDO_OK;
}

static ordo_status sort_entered(ordo_ctx *ctx, ordo_exec *exec, const ordo_line_format *format,
                                const ordo_source *from, const ordo_sink *to,
                                const ordo_external_opts *opts, ordo_external_report *report)
{
    /* To the functions that all external calls share, the elements are bytes. */
    ordo_elements const bytes = ORDO_OPTS(ordo_elements, .type = ORDO_U8);
    external_call       c = {.ctx = ctx, .exec = exec, .failure = FAILURE_NONE};
    line_sorter         s = {.call = &c};
    ordo_line_format    given;
    FAIL_IF(format == NULL, ORDO_E_ARG, "format is NULL; expected a struct");
    TRY(api_read_struct(exec, &given, sizeof given, format, "format"));
    FAIL_IF(given.reserved != 0, ORDO_E_VERSION, "format.reserved is not 0; expected 0");
    FAIL_IF(given.end > UINT8_MAX, ORDO_E_ARG, "format.end is %u; expected a byte",
            (unsigned)given.end);
    TRY(external_arguments(&c, &bytes, from, opts, report));
    TRY(external_sink(&c, to));
    ordo_status status = external_begin(&c);
    if (status == ORDO_OK)
        status = plan_and_sort(&s, &given);
    line_work_close(&s.work);
    line_runs_close(&s.runs);
    line_runs_close(&s.longer);
    for (size_t i = 0; i < PIPELINE_BUFFERS; i++) {
        drop_parcel(&s.parcels[i]);
        free(s.parcels[i].blocks.all);
    }
    free(s.tail);
    external_end(&c);
    atomic_store(&c.read, s.lines);
    return status == ORDO_OK ? external_report(&c) : status;
}

ordo_status ordo_external_sort_lines(ordo_ctx *ctx, const ordo_line_format *format,
                                     const ordo_source *from, const ordo_sink *to,
                                     const ordo_external_opts *opts, ordo_external_report *report)
{
    API_CALL("external_sort_lines", (ordo_type)0, 0,
             sort_entered(ctx, exec, format, from, to, opts, report));
}
