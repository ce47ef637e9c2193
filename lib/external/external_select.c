/* external_select.c - ordo_external_select and ordo_external_quantiles. */
#define _GNU_SOURCE
#include "core/quantile.h"
#include "external/select_passes.h"

#include <stdlib.h>

/* Writes the key of an order to `out`. */
static void put_key(const element_kind *kind, uint64_t order, void *out)
{
    ordo_order_of const all = {kind->type, kind->descending, false};
    cells_put_key(&all, order, out);
}

/* Makes the targets. They, and the pointers by which select_by_sort() orders them, count in the
 * memory limit; the other steps get the rest. */
static ordo_status make_targets(selector *s, size_t count)
{
    external_call *const c = &s->call;
    ordo_exec *const     exec = c->exec;
    size_t const         each = sizeof *s->targets + sizeof(target *);
    FAIL_IF(count > c->opts.memory / 4 * 3 / each, ORDO_E_NOMEM,
            "%zu positions need %zu bytes each, more than three quarters of the memory limit of "
            "%llu bytes; expected fewer positions or more memory",
            count, each, (unsigned long long)c->opts.memory);
    s->targets = calloc(count + 1, sizeof *s->targets);
    FAIL_IF(s->targets == NULL, ORDO_E_NOMEM, "the system refused memory for %zu positions", count);
    s->count = count;
    c->opts.memory -= count * each;
    return ORDO_OK;
}

/* The parts of both calls that do not depend on the verb. */
static ordo_status run(selector *s, size_t targets)
{
    external_call *const c = &s->call;
    uint64_t const       memory = c->opts.memory;
    ordo_status          status = make_targets(s, targets);
    if (status == ORDO_OK)
        status = external_begin(c);
    if (status == ORDO_OK)
        status = select_plan(s);
    if (status == ORDO_OK && !select_run(s))
        status = external_status(c);
    if (status == ORDO_OK && s->data.n > 0 && !select_is_done(s))
        status = select_by_sort(s);
    atomic_store(&c->read, s->data.n);
    c->opts.memory = memory;
    c->report.passes = s->passes;
    return status == ORDO_OK ? external_report(c) : status;
}

/* ---- The options ---- */

typedef struct select_options {
    const uint64_t *k;        /* select: positions */
    const double   *q;        /* quantiles */
    size_t          count;    /* of them */
    bool            is_place; /* select */
    ordo_nans       nans;
    ordo_method     method;
    uint64_t        numbers; /* quantiles: elements that count; set by the last placing */
} select_options;

static bool place_keys(selector *s, uint64_t numbers)
{
    const select_options *const options = s->user;
    (void)numbers;
    for (size_t i = 0; i < options->count; i++) {
        if (options->k[i] >= s->data.n)
            return failure_record(&s->call.failure, ORDO_E_ARG,
                                  "k[%zu] is %llu; expected less than %llu, the number of elements",
                                  i, (unsigned long long)options->k[i],
                                  (unsigned long long)s->data.n);
        s->targets[i].rank = options->k[i];
    }
    return true;
}

static void put_keys(const selector *s, char *out)
{
    const element_kind *const kind = &s->call.kind;
    for (size_t i = 0; i < s->count; i++)
        put_key(kind, s->targets[i].order, out + i * ordo_type_size(kind->type));
}

/* Targets 2 j and 2 j + 1 are the two neighbours of quantile j. */
static bool place_quantiles(selector *s, uint64_t numbers)
{
    select_options *const options = s->user;
    options->numbers = options->nans == ORDO_NANS_OMIT ? numbers : s->data.n;
    for (size_t j = 0; j < options->count && options->numbers > 0; j++) {
        quantile_place const at =
            quantile_place_of(options->method, options->q[j], (size_t)options->numbers);
        s->targets[2 * j].rank = at.below;
        s->targets[2 * j + 1].rank = at.above;
    }
    return true;
}

static double key_as_double(const element_kind *kind, uint64_t order)
{
    uint64_t key;
    put_key(kind, order, &key);
    return quantile_key(kind->type, &key, 0);
}

static void put_quantiles(const selector *s, double *out)
{
    const select_options *const options = s->user;
    const element_kind *const   kind = &s->call.kind;
    bool const                  is_nan =
        options->numbers == 0 || (options->nans == ORDO_NANS_PROPAGATE && s->nans > 0);
    for (size_t j = 0; j < options->count; j++) {
        out[j] = (double)NAN;
        if (is_nan)
            continue;
        quantile_place const at =
            quantile_place_of(options->method, options->q[j], (size_t)options->numbers);
        out[j] = quantile_value(&at, key_as_double(kind, s->targets[2 * j].order),
                                key_as_double(kind, s->targets[2 * j + 1].order));
    }
}

static ordo_status check_options(ordo_exec *exec, const select_options *options, const void *out)
{
    const void *const list =
        options->is_place ? (const void *)options->k : (const void *)options->q;
    FAIL_IF(options->count > 0 && (list == NULL || out == NULL), ORDO_E_ARG,
            "%s is NULL; expected %zu elements",
            list != NULL        ? "out"
            : options->is_place ? "k"
                                : "q",
            options->count);
    if (options->is_place)
        return ORDO_OK;
    TRY(api_check_method(exec, (uint32_t)options->method, false));
    TRY(api_check_nans(exec, (uint32_t)options->nans));
    return api_check_q(exec, options->q, options->count);
}

/* ---- The calls ---- */

static ordo_status checked(selector *s, const ordo_elements *elements, const ordo_source *from,
                           select_options *options, void *out, const ordo_external_opts *opts,
                           ordo_external_report *report)
{
    element_kind *const kind = &s->call.kind;
    TRY(external_arguments(&s->call, elements, from, opts, report));
    TRY(check_options(s->call.exec, options, out));
    kind->keys_only = true; /* -0 and +0 have different places, as in ordo_select */
    kind->descending = kind->descending && options->is_place;
    s->place = options->is_place ? place_keys : place_quantiles;
    s->user = options;
    TRY(run(s, options->is_place ? options->count : 2 * options->count));
    if (options->is_place)
        put_keys(s, out);
    else
        put_quantiles(s, out);
    return ORDO_OK;
}

static ordo_status entered(ordo_ctx *ctx, ordo_exec *exec, const ordo_elements *elements,
                           const ordo_source *from, select_options *options, void *out,
                           const ordo_external_opts *opts, ordo_external_report *report)
{
    selector *const s = calloc(1, sizeof *s);
    FAIL_IF(s == NULL, ORDO_E_NOMEM, "the system refused memory for the call");
    s->call = (external_call){.ctx = ctx, .exec = exec, .failure = FAILURE_NONE};
    ordo_status const status = checked(s, elements, from, options, out, opts, report);
    select_end(s);
    external_end(&s->call);
    free(s->targets);
    free(s);
    return status;
}

ordo_status ordo_external_select(ordo_ctx *ctx, const ordo_elements *elements,
                                 const ordo_source *from, const uint64_t *k, size_t count,
                                 void *out, const ordo_external_opts *opts,
                                 ordo_external_report *report)
{
    select_options options = {.k = k, .count = count, .is_place = true};
    API_CALL("external_select", (ordo_type)0, 0,
             entered(ctx, exec, elements, from, &options, out, opts, report));
}

ordo_status ordo_external_quantiles(ordo_ctx *ctx, const ordo_elements *elements,
                                    const ordo_source *from, const double *q, size_t count,
                                    double *out, ordo_nans nans, ordo_method method,
                                    const ordo_external_opts *opts, ordo_external_report *report)
{
    select_options options = {.q = q, .count = count, .nans = nans, .method = method};
    API_CALL("external_quantiles", (ordo_type)0, 0,
             entered(ctx, exec, elements, from, &options, out, opts, report));
}

ordo_status ordo_external_median(ordo_ctx *ctx, const ordo_elements *elements,
                                 const ordo_source *from, double *out, ordo_nans nans,
                                 const ordo_external_opts *opts, ordo_external_report *report)
{
    double const   half = 0.5;
    select_options options = {.q = &half, .count = 1, .nans = nans};
    API_CALL("external_median", (ordo_type)0, 0,
             entered(ctx, exec, elements, from, &options, out, opts, report));
}
