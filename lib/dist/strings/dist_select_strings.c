/* dist_select_strings.c - select, quantiles, median and top-k of the strings of all processes.
 *
 * Each process sorts only its strings near the positions (string_near.c). The search for cuts
 * (string_cuts.c) finds the rank that has the string of a position, and its place there. That rank
 * gives the string to an allgather. Top-k gathers the strings before the cut at position k and
 * sorts them on every process. */
#define _POSIX_C_SOURCE 200809L
#include "core/quantile.h"
#include "dist/strings/string_part.h"

typedef struct given { /* a string that a process gives to the others */
    uint64_t index, length;
    uint64_t tag; /* which result it is */
} given;

typedef struct chosen { /* results */
    string_part    part;
    ordo_dist_text out; /* take is NULL: strings are not wanted */
    uint64_t      *index;
    string_list    mine, all; /* of this process; of all processes, in the order of processes */
    given         *gives, *gathered;
    uint64_t       hash; /* of the list of positions */
} chosen;

/* ---- Gathering ---- */

/* Every process gets the results of all processes. Collective. */
static ordo_status gather(chosen *x)
{
    dist_call *const      c = &x->part.c;
    const uint64_t *const at = x->mine.offsets;
    void                 *gives, *all, *offsets;
    size_t                bytes;
    for (size_t i = 0; i < x->mine.n; i++)
        x->gives[i].length = at[i + 1] - at[i];
    TRY(dist_gather(c, x->gives, x->mine.n * sizeof *x->gives, &gives, &bytes));
    x->gathered = gives;
    x->all.n = bytes / sizeof *x->gathered;
    TRY(dist_gather(c, x->mine.bytes, (size_t)at[x->mine.n], &all, &bytes));
    TRY(dist_agree(c, ordo_scratch(c->exec, (x->all.n + 1) * sizeof *x->all.offsets, &offsets)));
    x->all.bytes = all;
    x->all.offsets = offsets;
    x->all.offsets[0] = 0;
    for (size_t i = 0; i < x->all.n; i++)
        x->all.offsets[i + 1] = x->all.offsets[i] + x->gathered[i].length;
    return ORDO_OK;
}

/* Gives result i the gathered string which[i]; `which` becomes something else. Asks for the memory
 * before it writes a result. */
static ordo_status write_results(chosen *x, uint64_t *which, size_t count)
{
    dist_call *const      c = &x->part.c;
    ordo_strings const    strings = string_list_view(&x->all);
    const uint64_t *const from = x->all.offsets;
    string_list           to = {.offsets = x->out.offsets, .n = count};
    uint64_t              bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += from[which[i] + 1] - from[which[i]];
    if (x->out.take != NULL)
        TRY(string_text_take(c, &x->out, bytes, &to.bytes));
    for (size_t i = 0; i < count && x->index != NULL; i++)
        x->index[i] = x->gathered[which[i]].index;
    if (x->out.take == NULL)
        return ORDO_OK;
    TRY(string_measure(c, &strings, which, which, &to));
    return string_copy(c, strings.bytes, which, &to);
}

/* ---- Positions ---- */

/* The strings of the positions that are on this process. */
static ordo_status list_mine(chosen *x, const cut *cuts, size_t count)
{
    string_part *const p = &x->part;
    ordo_exec *const   exec = p->c.exec;
    uint64_t          *places;
    size_t             n = 0;
    TRY_SCRATCH(exec, (count + 1) * sizeof *x->gives, x->gives);
    TRY_SCRATCH(exec, (count + 1) * sizeof *places, places);
    for (size_t j = 0; j < count; j++) {
        const cut *const at = &cuts[j];
        uint64_t const   which = at->position - at->less;
        if (which < at->before || which - at->before >= at->here)
            continue;
        uint64_t const place = p->order[at->low + which - at->before];
        x->gives[n] = (given){.index = p->c.offset + place, .tag = j};
        places[n++] = place;
    }
    return string_gather(&p->c, &p->strings, places, n, &x->mine);
}

/* Turns the cut of each position into the place of its string among the gathered ones. */
static ordo_status write_positions(chosen *x, uint64_t *which, size_t count, size_t cut_count)
{
    uint64_t *place_of;
    TRY_SCRATCH(x->part.c.exec, (cut_count + 1) * sizeof *place_of, place_of);
    for (size_t i = 0; i < x->all.n; i++)
        place_of[x->gathered[i].tag] = i;
    for (size_t i = 0; i < count; i++)
        which[i] = place_of[which[i]];
    return write_results(x, which, count);
}

/* Each k is less than the total. */
static ordo_status select_run(chosen *x, const uint64_t *k, size_t count)
{
    dist_call *const c = &x->part.c;
    void            *memory;
    TRY(dist_agree(c, ordo_scratch(c->exec, (count + 1) * (sizeof(cut) + sizeof *k), &memory)));
    cut *const      cuts = memory;
    uint64_t *const which = (uint64_t *)(cuts + count + 1); /* the cut of each position */
    size_t const    cut_count = cuts_of_positions(k, count, cuts);
    for (size_t i = 0; i < count; i++)
        which[i] = cuts_position(cuts, cut_count, k[i]);
    TRY(string_part_near(&x->part, cuts, cut_count));
    TRY(string_cuts_find(&x->part, cuts, cut_count));
    TRY(dist_agree(c, list_mine(x, cuts, cut_count)));
    TRY(gather(x));
    return dist_agree(c, write_positions(x, which, count, cut_count));
}

/* ---- The calls for positions ---- */

typedef struct position_options {
    const char     *verb;
    const uint64_t *k; /* NULL: quantiles */
    const double   *q;
    size_t          count;
    ordo_method     method;
} position_options;

static ordo_status check_results(chosen *x, const ordo_strings *strings, const ordo_dist_text *out,
                                 size_t count, const ordo_dist_opts *opts)
{
    ordo_exec *const exec = x->part.c.exec;
    TRY(string_text_check(&x->part, out, &x->out, true));
    if (x->index != NULL)
        TRY(api_check_aligned(exec, x->index, count, sizeof *x->index, "index"));
    return string_part_check(&x->part, strings, opts);
}

static ordo_status check_positions(chosen *x, const position_options *w,
                                   const ordo_strings *strings, const ordo_dist_text *out,
                                   const ordo_dist_opts *opts)
{
    ordo_exec *const exec = x->part.c.exec;
    const void      *list = w->k != NULL ? (const void *)w->k : (const void *)w->q;
    FAIL_IF(w->count > 0 && list == NULL, ORDO_E_ARG, "the list of %zu positions is NULL",
            w->count);
    TRY(check_results(x, strings, out, w->count, opts));
    x->hash = dist_hash(list, w->count * sizeof *w->k);
    if (w->q == NULL)
        return ORDO_OK;
    TRY(api_check_method(exec, (uint32_t)w->method, false));
    FAIL_IF(!quantile_is_key(w->method), ORDO_E_ARG,
            "method %d computes a mean, which strings do not have; expected inverted_cdf, "
            "closest_observation, lower, higher or nearest",
            (int)w->method);
    return api_check_q(exec, w->q, w->count);
}

static ordo_status positions_run(chosen *x, const position_options *w)
{
    dist_call *const c = &x->part.c;
    ordo_exec *const exec = c->exec;
    uint64_t        *k;
    FAIL_IF(c->total == 0 && w->count > 0, ORDO_E_ARG,
            "all ranks have no strings; expected at least one");
    if (w->k == NULL) {
        void *memory;
        TRY(dist_agree(c, ordo_scratch(exec, (w->count + 1) * sizeof *k, &memory)));
        k = memory;
        for (size_t i = 0; i < w->count; i++)
            k[i] = quantile_place_of(w->method, w->q[i], (size_t)c->total).below;
        return select_run(x, k, w->count);
    }
    for (size_t i = 0; i < w->count; i++)
        FAIL_IF(w->k[i] >= c->total, ORDO_E_ARG,
                "k[%zu] is %llu; expected less than %llu, the strings of all ranks", i,
                (unsigned long long)w->k[i], (unsigned long long)c->total);
    return select_run(x, w->k, w->count);
}

static ordo_status find_positions(ordo_ctx *ctx, const ordo_comm *comm, const char *operation,
                                  chosen *x, const position_options *w, const ordo_strings *strings,
                                  const ordo_dist_text *out, const ordo_dist_opts *opts)
{
    DIST_CALL(operation, &x->part.c, check_positions(x, w, strings, out, opts), positions_run(x, w),
              w->verb, {w->count, (uint64_t)w->method, x->hash});
}

ordo_status ordo_dist_select_strings(ordo_ctx *ctx, const ordo_comm *comm,
                                     const ordo_strings *strings, size_t n, const uint64_t *k,
                                     size_t count, uint64_t *index, const ordo_dist_text *out,
                                     const ordo_dist_opts *opts)
{
    chosen                 x = {.part = {.c = {.n = n}}, .index = index};
    position_options const w = {.verb = "ordo_dist_select_strings", .k = k, .count = count};
    return find_positions(ctx, comm, "dist_select_strings", &x, &w, strings, out, opts);
}

ordo_status ordo_dist_quantiles_strings(ordo_ctx *ctx, const ordo_comm *comm,
                                        const ordo_strings *strings, size_t n, const double *q,
                                        size_t count, ordo_method method, uint64_t *index,
                                        const ordo_dist_text *out, const ordo_dist_opts *opts)
{
    chosen                 x = {.part = {.c = {.n = n}}, .index = index};
    position_options const w = {.verb = "ordo_dist_quantiles_strings",
                                .q = q,
                                .count = count,
                                .method = method == ORDO_METHOD_DEFAULT ? ORDO_METHOD_INVERTED_CDF
                                                                        : method};
    return find_positions(ctx, comm, "dist_quantiles_strings", &x, &w, strings, out, opts);
}

ordo_status ordo_dist_median_strings(ordo_ctx *ctx, const ordo_comm *comm,
                                     const ordo_strings *strings, size_t n, uint64_t *index,
                                     const ordo_dist_text *out, const ordo_dist_opts *opts)
{
    double const           half = 0.5;
    chosen                 x = {.part = {.c = {.n = n}}, .index = index};
    position_options const w = {.verb = "ordo_dist_median_strings",
                                .q = &half,
                                .count = 1,
                                .method = ORDO_METHOD_INVERTED_CDF};
    return find_positions(ctx, comm, "dist_median_strings", &x, &w, strings, out, opts);
}

/* ---- Top-k ---- */

/* This process's strings before the cut, in order. */
static ordo_status list_first(chosen *x, size_t n)
{
    string_part *const p = &x->part;
    TRY_SCRATCH(p->c.exec, (n + 1) * sizeof *x->gives, x->gives);
    TRY(string_part_copy(p, n, &x->mine));
    for (size_t i = 0; i < n; i++)
        x->gives[i] = (given){.index = p->c.offset + p->order[i]};
    return ORDO_OK;
}

/* The gathered strings are in the sequence of processes, so a stable sort orders ties by index. */
static ordo_status write_first(chosen *x)
{
    dist_call *const     c = &x->part.c;
    ordo_strings const   strings = string_list_view(&x->all);
    ordo_sort_opts const opts = dist_sort_opts(c);
    uint64_t            *which;
    TRY_SCRATCH(c->exec, (x->all.n + 1) * sizeof *which, which);
    TRY(dist_inner(c, ordo_argsort_strings(c->inner, &strings, x->all.n, ORDO_U64, which, &opts)));
    return write_results(x, which, x->all.n);
}

static ordo_status topk_run(chosen *x, size_t k, size_t *found)
{
    dist_call *const c = &x->part.c;
    cut              end = {.position = k};
    bool const       all = k >= c->total;
    if (all) {
        TRY(dist_agree(c, string_part_sort(&x->part, NULL)));
    } else {
        TRY(string_part_first(&x->part, &end));
        TRY(string_cuts_find(&x->part, &end, 1));
    }
    TRY(dist_agree(c, list_first(x, all ? c->n : (size_t)cut_place(&end))));
    TRY(gather(x));
    TRY(dist_agree(c, write_first(x)));
    if (found != NULL)
        *found = x->all.n;
    return ORDO_OK;
}

ordo_status ordo_dist_topk_strings(ordo_ctx *ctx, const ordo_comm *comm,
                                   const ordo_strings *strings, size_t n, size_t k, uint64_t *index,
                                   const ordo_dist_text *out, size_t *found,
                                   const ordo_dist_opts *opts)
{
    chosen x = {.part = {.c = {.n = n}}, .index = index};
    DIST_CALL("dist_topk_strings", &x.part.c, check_results(&x, strings, out, 0, opts),
              topk_run(&x, k, found), "ordo_dist_topk_strings", {k});
}
