/* external_merge.c - ordo_external_merge: several sorted sources as one sorted sequence.
 *
 * Memory holds a buffer of each source. Of the sources that have not ended, the one whose buffer
 * ends first in order gives the cut: all elements before it are in the buffers. They are put side
 * by side, sorted (which costs less than a merge of more than four sources) and written. Elements
 * that tie with the cut are divided by the sequence of the sources, so ties keep their sequence.
 * Volume: each element is read once and written once. */
#define _GNU_SOURCE
#include "backend/tuning.h"
#include "external/external_call.h"

#include <stdlib.h>

enum {
    MOST_SOURCES = 1 << 16,
    LEAST_BUFFER = ORDO_TUNE(4 << 10, 64) /* bytes of a source's buffer */
};

typedef struct feed { /* a source and the elements of it in memory */
    ordo_source from;
    char       *elements;
    size_t      n;
    uint64_t    read; /* elements read so far */
    bool        ended;
    bool        has_last;
    uint64_t    last; /* the order of the last element read, */
    uint64_t    tie;  /* and its order in which -0 and +0 are equal, and NaNs are */
} feed;

typedef struct merger {
    external_call *call;
    feed          *feeds;
    size_t         count, room; /* feeds, and elements of each buffer */
    char          *range;       /* the elements before the cut */
} merger;

/* Checks that elements [from, to) of the buffer continue the order. */
static bool check_order(const merger *m, feed *f, size_t from)
{
    external_call *const c = m->call;
    for (size_t i = from; i < f->n; i++) {
        const char *const element = f->elements + i * c->kind.size;
        uint64_t const    number = f->read - f->n + i;
        uint64_t const    tie = element_tie(&c->kind, element);
        if (f->has_last && tie < f->tie)
            return failure_record(&c->failure, ORDO_E_ARG,
                                  "%s is not sorted: element %llu is out of order; expected sorted "
                                  "sources",
                                  f->from.name, (unsigned long long)number);
        f->has_last = true;
        f->tie = tie;
        f->last = element_order(&c->kind, element);
    }
    return true;
}

/* Fills the buffer of a source. */
static bool refill(const merger *m, feed *f)
{
    external_call *const c = m->call;
    size_t const         before = f->n;
    size_t               got = 0;
    if (f->ended || f->n == m->room)
        return true;
    c->from = f->from;
    c->capacity = m->room - before;
    atomic_store(&c->read, f->read);
    if (!external_read(c, f->elements + before * c->kind.size, &got))
        return false;
    f->read += got;
    f->n += got;
    f->ended = f->n < m->room;
    return check_order(m, f, before);
}

/* The source that gives the cut; count if all have ended. */
static size_t find_owner(const merger *m)
{
    size_t owner = m->count;
    for (size_t i = 0; i < m->count; i++)
        if (!m->feeds[i].ended && (owner == m->count || m->feeds[i].last < m->feeds[owner].last))
            owner = i;
    return owner;
}

/* Moves the elements before the cut to the range; returns their number. */
static size_t take_range(const merger *m)
{
    const element_kind *const kind = &m->call->kind;
    size_t const              owner = find_owner(m);
    uint64_t const            cut = owner < m->count ? m->feeds[owner].last : UINT64_MAX;
    char                     *to = m->range;
    for (size_t i = 0; i < m->count; i++) {
        feed *const  f = &m->feeds[i];
        size_t const n = owner == m->count || i == owner
                             ? f->n
                             : elements_below(kind, f->elements, f->n, cut, i < owner);
        memcpy(to, f->elements, n * kind->size);
        to += n * kind->size;
        memmove(f->elements, f->elements + n * kind->size, (f->n - n) * kind->size);
        f->n -= n;
    }
    return (size_t)(to - m->range) / kind->size;
}

static bool merge_all(const merger *m)
{
    external_call *const c = m->call;
    external_phase(c, "merge", c->source_bytes);
    for (;;) {
        for (size_t i = 0; i < m->count; i++)
            if (!refill(m, &m->feeds[i]))
                return false;
        piece const p = {.elements = m->range, .n = take_range(m)};
        if (p.n == 0)
            return true;
        if (!external_goes_on(c) || !external_sort_piece(c, &p) ||
            !external_write(c, p.elements, p.n * c->kind.size))
            return false;
        c->report.ranges++;
        atomic_fetch_add(&c->written, p.n);
    }
}

/* The largest buffers with which all of them, a range and its scratch stay within the limit. */
static ordo_status plan_memory(merger *m)
{
    external_call *const c = m->call;
    size_t const         size = c->kind.size, memory = (size_t)c->opts.memory;
    size_t               n = memory / (2 * size * ordo_max(m->count, 1));
    for (; n > 0; n -= ordo_div_up(n, 8)) {
        size_t const all = m->count * n, scratch = external_sort_scratch(c, all);
        if (scratch <= memory && 2 * all * size + scratch <= memory)
            break;
    }
    if (m->count > 0 && n * size < LEAST_BUFFER && n < 4)
        return ordo_fail(c->exec, ORDO_E_NOMEM,
                         "%zu bytes of memory are too few to merge %zu sources of elements of %zu "
                         "bytes",
                         memory, m->count, size);
    m->room = n;
    m->range = malloc(m->count * n * size + 1);
    bool has_all = m->range != NULL;
    for (size_t i = 0; i < m->count && has_all; i++)
        has_all = (m->feeds[i].elements = malloc(n * size)) != NULL;
    return has_all ? ORDO_OK : ordo_fail(c->exec, ORDO_E_NOMEM, "the system refused memory");
}

static ordo_status run(merger *m)
{
    external_call *const c = m->call;
    uint64_t             all = 0;
    ordo_status          status = external_begin(c);
    if (status == ORDO_OK)
        status = plan_memory(m);
    if (status == ORDO_OK && !merge_all(m))
        status = external_status(c);
    for (size_t i = 0; i < m->count; i++) {
        all += m->feeds[i].read;
        free(m->feeds[i].elements);
    }
    atomic_store(&c->read, all);
    free(m->range);
    external_end(c);
    return status;
}

static ordo_status merge_entered(ordo_ctx *ctx, ordo_exec *exec, const ordo_elements *elements,
                                 const ordo_source *sources, size_t count, const ordo_sink *to,
                                 const ordo_external_opts *opts, ordo_external_report *report)
{
    external_call c = {.ctx = ctx, .exec = exec, .failure = FAILURE_NONE};
    merger        m = {.call = &c, .count = count};
    uint64_t      bytes = 0;
    FAIL_IF(count > 0 && sources == NULL, ORDO_E_ARG, "sources is NULL; expected %zu structs",
            count);
    FAIL_IF(count > MOST_SOURCES, ORDO_E_ARG, "count is %zu; expected at most %d", count,
            MOST_SOURCES);
    m.feeds = calloc(count + 1, sizeof *m.feeds);
    if (m.feeds == NULL)
        return ordo_fail(exec, ORDO_E_NOMEM, "the system refused memory for %zu sources", count);
    ordo_source const nothing = ORDO_OPTS(ordo_source, .fd = -1);
    ordo_status       status = external_arguments(&c, elements, &nothing, opts, report);
    for (size_t i = 0; i < count && status == ORDO_OK; i++) {
        status = external_arguments(&c, elements, &sources[i], opts, report);
        m.feeds[i].from = c.from;
        bytes += c.source_bytes;
    }
    c.source_bytes = bytes;
    if (status == ORDO_OK)
        status = external_sink(&c, to);
    if (status == ORDO_OK && (c.opts.flags & ORDO_UNIQUE) != 0)
        status = ordo_fail(exec, ORDO_E_UNSUPPORTED,
                           "opts.flags has ORDO_UNIQUE; expected it only for a sort");
    if (status == ORDO_OK)
        status = run(&m);
    free(m.feeds);
    return status == ORDO_OK ? external_report(&c) : status;
}

ordo_status ordo_external_merge(ordo_ctx *ctx, const ordo_elements *elements,
                                const ordo_source *sources, size_t count, const ordo_sink *to,
                                const ordo_external_opts *opts, ordo_external_report *report)
{
    API_CALL("external_merge", (ordo_type)0, 0,
             merge_entered(ctx, exec, elements, sources, count, to, opts, report));
}
