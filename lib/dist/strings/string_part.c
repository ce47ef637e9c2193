/* string_part.c - this process's strings (see string_part.h). */
#define _POSIX_C_SOURCE 200809L
#include "dist/strings/string_part.h"

#include <string.h>

enum {
    GRAIN = 1 << 12, /* strings that a thread copies at a time */
    AHEAD = 8,       /* strings whose bytes are prefetched */
    FAR_AHEAD = 16   /* the same if their starts are known */
};

static uint64_t no_offsets[1]; /* of no strings */

/* ---- Arguments ---- */

ordo_status string_part_check(string_part *p, const ordo_strings *given, const ordo_dist_opts *opts)
{
    dist_call *const c = &p->c;
    ordo_exec *const exec = c->exec;
    TRY(dist_read_opts(c, opts, ORDO_DESCENDING));
    FAIL_IF(
        c->opts.out != NULL || c->opts.out_values != NULL || c->opts.n_out != 0, ORDO_E_ARG,
        "opts.out, opts.out_values or opts.n_out is set; expected NULL, NULL and 0 for strings");
    TRY(api_read_strings(exec, given, c->n, &p->strings));
    return api_check_strings(exec, &p->strings, c->n);
}

ordo_status string_text_check(string_part *p, const ordo_dist_text *given, ordo_dist_text *out,
                              bool optional)
{
    ordo_exec *const exec = p->c.exec;
    *out = (ordo_dist_text){.struct_size = sizeof *out};
    if (given == NULL && optional)
        return ORDO_OK;
    FAIL_IF(given == NULL, ORDO_E_ARG, "out is NULL; expected an ordo_dist_text");
    TRY(api_read_struct(exec, out, sizeof *out, given, "out"));
    FAIL_IF(out->take == NULL, ORDO_E_ARG, "out.take is NULL; expected a function");
    return api_check_aligned(exec, out->offsets, 1, sizeof *out->offsets, "out.offsets");
}

ordo_status string_text_take(dist_call *c, const ordo_dist_text *out, uint64_t bytes, char **to)
{
    static char nothing[1];
    *to = out->take(out->user, bytes);
    if (*to == NULL && bytes > 0)
        return ordo_fail(c->exec, ORDO_E_NOMEM, "out.take returned NULL for %llu bytes",
                         (unsigned long long)bytes);
    if (*to == NULL)
        *to = nothing;
    return ORDO_OK;
}

/* ---- The form with offsets ---- */

typedef struct flat_copy {
    const char *const *pointers;
    string_list        to;
} flat_copy;

static void measure(void *arg, size_t lo, size_t hi)
{
    const flat_copy *const f = arg;
    for (size_t i = lo; i < hi; i++)
        f->to.offsets[i + 1] = strlen(f->pointers[i]);
}

static void flatten(void *arg, size_t lo, size_t hi)
{
    const flat_copy *const f = arg;
    for (size_t i = lo; i < hi; i++)
        memcpy(f->to.bytes + f->to.offsets[i], f->pointers[i],
               f->to.offsets[i + 1] - f->to.offsets[i]);
}

static ordo_status copy_pointers(string_part *p)
{
    dist_call *const c = &p->c;
    ordo_exec *const exec = c->exec;
    flat_copy        f = {.pointers = p->strings.pointers};
    TRY_SCRATCH(exec, (c->n + 1) * sizeof *f.to.offsets, f.to.offsets);
    f.to.offsets[0] = 0;
    TRY(dist_loop(c, c->n, GRAIN, measure, &f));
    for (size_t i = 0; i < c->n; i++) {
        FAIL_IF(f.to.offsets[i + 1] > UINT32_MAX, ORDO_E_ARG,
                "string %zu has %llu bytes; expected fewer than 2^32", i,
                (unsigned long long)f.to.offsets[i + 1]);
        f.to.offsets[i + 1] += f.to.offsets[i];
    }
    TRY_SCRATCH(exec, (size_t)f.to.offsets[c->n] + 1, f.to.bytes);
    TRY(dist_loop(c, c->n, GRAIN, flatten, &f));
    p->strings = string_list_view(&f.to);
    return ORDO_OK;
}

ordo_status string_part_flatten(string_part *p)
{
    if (p->c.n > 0 && p->strings.pointers != NULL)
        return copy_pointers(p);
    if (p->c.n == 0)
        p->strings = ORDO_OPTS(ordo_strings, .bytes = "", .offsets = no_offsets);
    else if (p->strings.bytes == NULL)
        p->strings.bytes = "";
    return ORDO_OK;
}

/* ---- Order and copies ---- */

static ordo_status sort_copy(string_part *p, string_list *out, const ordo_sort_opts *opts)
{
    dist_call *const      c = &p->c;
    const uint64_t *const offsets = p->strings.offsets;
    out->n = c->n;
    TRY_SCRATCH(c->exec, (c->n + 1) * sizeof *out->offsets, out->offsets);
    TRY_SCRATCH(c->exec, (size_t)(offsets[c->n] - offsets[0]) + 1, out->bytes);
    out->offsets[0] = 0;
    TRY(dist_inner(c,
                   ordo_sort_strings(c->inner, &p->strings, c->n, out->bytes, out->offsets, opts)));
    p->strings = string_list_view(out);
    p->order = NULL;
    return ORDO_OK;
}

ordo_status string_part_sort(string_part *p, string_list *copy)
{
    dist_call *const     c = &p->c;
    double const         started = dist_clock();
    ordo_sort_opts const opts = dist_sort_opts(c);
    TRY(string_part_flatten(p));
    if (copy != NULL) {
        TRY(sort_copy(p, copy, &opts));
    } else {
        TRY_SCRATCH(c->exec, (c->n + 1) * sizeof *p->order, p->order);
        TRY(dist_inner(
            c, ordo_argsort_strings(c->inner, &p->strings, c->n, ORDO_U64, p->order, &opts)));
    }
    p->ordered = c->n;
    p->ordered_total = c->total;
    c->report.local_seconds += dist_clock() - started;
    return ORDO_OK;
}

typedef struct copying {
    const char        *bytes;
    const uint64_t    *starts;
    const string_list *to;
} copying;

/* Copies by starts, so that each string costs one cache miss and no other for its offset. */
static void copy_known(void *arg, size_t lo, size_t hi)
{
    const copying *const  g = arg;
    const uint64_t *const starts = g->starts, *const to = g->to->offsets;
    for (size_t i = lo; i < hi; i++) {
        if (i + FAR_AHEAD < hi)
            __builtin_prefetch(g->bytes + starts[i + FAR_AHEAD]);
        if (to[i + 1] > to[i])
            memcpy(g->to->bytes + to[i], g->bytes + starts[i], to[i + 1] - to[i]);
    }
}

ordo_status string_copy(dist_call *c, const char *bytes, const uint64_t *starts,
                        const string_list *out)
{
    copying g = {bytes, starts, out};
    return dist_loop(c, out->n, GRAIN, copy_known, &g);
}

typedef struct measuring {
    const uint64_t    *offsets;
    const uint64_t    *from;
    uint64_t          *starts;
    const string_list *to;
} measuring;

/* The lengths of the strings in order; each is a cache miss, so the next ones are prefetched. */
static void measure_ordered(void *arg, size_t lo, size_t hi)
{
    const measuring *const g = arg;
    for (size_t i = lo; i < hi; i++) {
        if (i + 2 * AHEAD < hi)
            __builtin_prefetch(g->offsets + g->from[i + 2 * AHEAD]);
        const uint64_t *const at = g->offsets + g->from[i];
        g->to->offsets[i + 1] = at[1] - at[0];
        g->starts[i] = at[0];
    }
}

ordo_status string_measure(dist_call *c, const ordo_strings *strings, const uint64_t *from,
                           uint64_t *starts, const string_list *out)
{
    measuring g = {strings->offsets, from, starts, out};
    out->offsets[0] = 0;
    TRY(dist_loop(c, out->n, GRAIN, measure_ordered, &g));
    for (size_t i = 0; i < out->n; i++)
        out->offsets[i + 1] += out->offsets[i];
    return ORDO_OK;
}

ordo_status string_gather(dist_call *c, const ordo_strings *strings, const uint64_t *from, size_t n,
                          string_list *out)
{
    uint64_t *starts;
    out->n = n;
    TRY_SCRATCH(c->exec, (n + 1) * sizeof *out->offsets, out->offsets);
    TRY_SCRATCH(c->exec, (n + 1) * sizeof *starts, starts);
    TRY(string_measure(c, strings, from, starts, out));
    TRY_SCRATCH(c->exec, (size_t)out->offsets[n] + 1, out->bytes);
    return string_copy(c, strings->bytes, starts, out);
}

ordo_status string_argsort_some(dist_call *c, const ordo_strings *strings, const uint64_t *from,
                                size_t count, uint64_t *order)
{
    ordo_sort_opts const opts = dist_sort_opts(c);
    string_list          list;
    TRY(string_gather(c, strings, from, count, &list));
    ordo_strings const some = string_list_view(&list);
    TRY(dist_inner(c, ordo_argsort_strings(c->inner, &some, count, ORDO_U64, order, &opts)));
    for (size_t i = 0; i < count; i++)
        order[i] = from[order[i]];
    return ORDO_OK;
}

ordo_status string_part_copy(string_part *p, size_t n, string_list *out)
{
    dist_call *const c = &p->c;
    double const     started = dist_clock();
    TRY(string_gather(c, &p->strings, p->order, n, out));
    c->report.scatter_seconds += dist_clock() - started;
    return ORDO_OK;
}

ordo_strings string_list_view(const string_list *list)
{
    return ORDO_OPTS(ordo_strings, .bytes = list->bytes, .offsets = list->offsets);
}
