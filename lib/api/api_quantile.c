/* api_quantile.c - ordo_quantiles, ordo_median and the names of the methods.
 *
 * core/quantile.h finds the places of a quantile in the sorted keys and computes its value. One
 * selection finds the keys at all places. */
#include "api/api.h"
#include "core/lists.h"
#include "core/quantile.h"

#include <math.h>
#include <string.h>

static const char *const method_names[] = {
#define ORDO_METHOD_ROW(ID, name, place) [ORDO_METHOD_##ID] = #name,
#include "core/methods.def"
};

enum {
    FEW = 16,
    /* Bytes of keys that are sorted faster than NaNs are counted and keys selected. Medians of 16
     * f64, 64 f64 and 100 f32, ns (sorted : selected), Neoverse V1: 141 : 247, 381 : 496,
     * 389 : 513; Emerald Rapids: 144 : 274, 283 : 407 for the first and the last. */
    SORTED_BYTES = ORDO_TUNE(512, 32)
};

int ordo_method_parse(const char *name)
{
    int method = name != NULL ? ORDO_METHODS : 0;
    while (method > 0 && strcmp(name, method_names[method]) != 0)
        method--;
    return method;
}

const char *ordo_method_name(ordo_method method)
{
    return (unsigned)method <= ORDO_METHODS ? method_names[method] : NULL;
}

int ordo_quantile_places(ordo_method method, const size_t *n, const double *q, size_t count,
                         size_t *below, size_t *above, double *way)
{
    for (size_t j = 0; j < count; j++) {
        quantile_place const at = quantile_place_of(method, q[j], n[j]);
        below[j] = at.below;
        above[j] = at.above;
        way[j] = at.below == at.above ? 0 : at.weight;
    }
    return quantile_is_key(method);
}

/* ---- Checks that other calls share ---- */

ordo_status api_check_method(ordo_exec *exec, uint32_t method, bool is_median)
{
    FAIL_IF(method > ORDO_METHODS, ORDO_E_ARG, "method is %u; expected an ordo_method, 0 to %d",
            method, ORDO_METHODS);
    FAIL_IF(is_median && method != ORDO_METHOD_DEFAULT && method != ORDO_METHOD_LINEAR &&
                method != ORDO_METHOD_HALF_SUM,
            ORDO_E_ARG, "method is %s; a median accepts linear and half_sum",
            ordo_method_name((ordo_method)method));
    return ORDO_OK;
}

ordo_status api_check_q(ordo_exec *exec, const double *q, size_t count)
{
    for (size_t j = 0; j < count; j++)
        FAIL_IF(!(q[j] >= 0 && q[j] <= 1), ORDO_E_ARG, "q[%zu] is %g; expected 0 to 1", j, q[j]);
    return ORDO_OK;
}

/* ---- Checks ---- */

/* The job of a call is that of a selection with q. */
static ordo_status check_arrays(ordo_exec *exec, const ordo_select_job *job)
{
    TRY(api_check_arrays(exec, &ordo_verb_quantiles, job));
    return api_check_q(exec, job->q, job->count);
}

static ordo_status check_quantiles(ordo_exec *exec, ordo_select_job *job, bool is_median,
                                   const ordo_quantile_opts *opts, ordo_quantile_opts *options,
                                   api_segments *segments)
{
    size_t results;
    TRY(api_check_type(exec, job->type, "type"));
    TRY(api_opts_read(exec, options, sizeof *options, opts));
    TRY(api_check_place(exec, options->flags, ORDO_ON_DEVICE, options->stream));
    FAIL_IF(options->reserved != 0 || options->reserved2 != 0, ORDO_E_VERSION,
            "opts.reserved or opts.reserved2 is not 0");
    FAIL_IF(options->weights == NULL && options->weight_type != 0, ORDO_E_ARG,
            "opts.weight_type is %u, but opts.weights is NULL", options->weight_type);
    TRY(api_check_nans(exec, options->nans));
    TRY(api_read_segments(exec, options->segments, job->n, false, segments));
    TRY(api_results(exec, segments, job->count, &results));
    TRY(api_check_select_algorithm(exec, options->algorithm, options->sub_array));
    TRY(api_check_method(exec, options->method, is_median));
    job->nans = (ordo_nans)options->nans;
    job->method = (ordo_method)options->method;
    job->segments = segments->given ? &segments->view : NULL;
    TRY(check_arrays(exec, job));
    if (options->weights == NULL)
        return ORDO_OK;
    TRY(api_check_weights(exec, options->weights, options->weight_type, job->n, options->algorithm,
                          job->out, results * sizeof(double), "out"));
    return api_check_weighted_method(exec, options->weight_type, options->method, is_median);
}

/* ---- One array ---- */

/* Selects the keys at all places, two for each q, with one call. n is the number of keys without
 * NaNs that do not count. */
static ordo_status quantiles_of(ordo_exec *exec, const ordo_choice *choice,
                                const ordo_select_job *call, size_t n)
{
    size_t          few_k[2 * FEW];
    uint64_t        few_keys[2 * FEW];
    size_t         *k = few_k;
    void           *keys = few_keys;
    ordo_select_job job = *call;

    if (call->count > FEW) {
        size_t bytes;
        FAIL_IF(!ordo_size_mul(2 * call->count, sizeof(size_t) + sizeof(uint64_t), &bytes),
                ORDO_E_ARG, "%zu quantiles are more than memory can hold", call->count);
        TRY_SCRATCH(exec, bytes, k);
        keys = k + 2 * call->count;
    }
    for (size_t j = 0; j < call->count; j++) {
        quantile_place const at = quantile_place_of(call->method, call->q[j], n);
        k[2 * j] = at.below;
        k[2 * j + 1] = at.above;
    }
    job.k = k;
    job.q = NULL;
    job.count = 2 * call->count;
    job.out = keys;
    job.out_on_host = true;
    TRY(api_select_any(exec, choice, &job));
    for (size_t j = 0; j < call->count; j++) {
        quantile_place const at = quantile_place_of(call->method, call->q[j], n);
        double const         below = quantile_key(call->type, keys, 2 * j);
        double const         above = quantile_key(call->type, keys, 2 * j + 1);
        ((double *)call->out)[j] = quantile_value(&at, below, above);
    }
    return ORDO_OK;
}

static ordo_status quantiles_array(const api_work *work, void *call, ordo_exec *exec)
{
    const ordo_select_job *const job = call;
    size_t                       nans = 0;
    if (job->nans != ORDO_NANS_LAST)
        TRY(api_count_nans(exec, work->choice, job->type, job->keys, job->n, &nans));
    size_t const n = job->n - nans;
    if (n == 0 || (nans > 0 && job->nans == ORDO_NANS_PROPAGATE)) {
        for (size_t j = 0; j < job->count; j++)
            ((double *)job->out)[j] = (double)NAN;
        return ORDO_OK;
    }
    return quantiles_of(exec, work->choice, job, n);
}

static size_t quantiles_scratch(const api_work *work, void *call, const ordo_exec *exec)
{
    ordo_select_job *const job = call;
    size_t const           count = 2 * job->count;
    size_t const places = job->count > FEW ? count * (sizeof(size_t) + sizeof(uint64_t)) : 0;
    job->q = NULL;
    job->count = count;
    return job->n == 0 ? 0 : places + api_select_scratch(work, job, exec);
}

/* ---- Few keys ---- */

/* The quantiles of a row of sorted keys, whose NaNs are its last keys. */
static void values_of_row(const ordo_select_job *call, const void *row, double *out)
{
    ordo_type const type = call->type;
    size_t const    nans = call->nans == ORDO_NANS_LAST ? 0 : api_nans_of_row(type, row, call->n);
    bool const      is_lost = nans == call->n || (nans > 0 && call->nans == ORDO_NANS_PROPAGATE);
    for (size_t j = 0; j < call->count; j++) {
        if (is_lost) {
            out[j] = (double)NAN;
            continue;
        }
        quantile_place const at = quantile_place_of(call->method, call->q[j], call->n - nans);
        out[j] = quantile_value(&at, quantile_key(type, row, at.below),
                                quantile_key(type, row, at.above));
    }
}

/* Whether options ask for nothing but a treatment of NaNs. */
static bool are_usual(const ordo_quantile_opts *opts)
{
    if (opts == NULL)
        return true;
    return opts->struct_size == sizeof *opts && opts->flags == 0 &&
           opts->nans <= ORDO_NANS_PROPAGATE && opts->method <= ORDO_METHODS &&
           opts->algorithm == ORDO_ALGORITHM_AUTO && opts->reserved == 0 && opts->stream == NULL &&
           opts->sub_array == 0 && opts->segments == NULL && opts->weights == NULL &&
           opts->weight_type == 0 && opts->reserved2 == 0;
}

/* The quantile of one q of a few keys, n > 0: sorts a copy of the keys, with NaNs last. */
static ordo_status quantile_of_few(ordo_exec *exec, const ordo_choice *choice,
                                   ordo_select_job *call, bool is_median,
                                   const ordo_quantile_opts *opts)
{
    uint32_t const      method = opts == NULL ? (uint32_t)ORDO_METHOD_DEFAULT : opts->method;
    uint64_t            sorted[SORTED_BYTES / sizeof(uint64_t)];
    ordo_sort_job const job = {.type = call->type, .keys = sorted, .n = call->n};
    TRY(api_check_method(exec, method, is_median));
    TRY(check_arrays(exec, call));
    memcpy(sorted, call->keys, call->n * ordo_type_size(call->type));
    TRY(choice->backend->sort(choice->state, &job, exec));
    call->nans = opts == NULL ? ORDO_NANS_LAST : (ordo_nans)opts->nans;
    call->method = (ordo_method)method;
    values_of_row(call, sorted, call->out);
    return ORDO_OK;
}

/* ---- Weights ---- */

ordo_status api_check_weights(ordo_exec *exec, const void *weights, uint32_t weight_type, size_t n,
                              uint32_t algorithm, const void *out, size_t out_bytes,
                              const char *out_what)
{
    ordo_type const type = (ordo_type)weight_type;
    TRY(api_check_type(exec, type, "opts.weight_type"));
    FAIL_IF(algorithm != ORDO_ALGORITHM_AUTO, ORDO_E_ARG,
            "algorithm is %s; weights accept only auto", API_ALGORITHM(algorithm));
    TRY(api_check_aligned(exec, weights, n, ordo_type_size(type), "opts.weights"));
    return api_check_apart(exec, weights, n * ordo_type_size(type), "opts.weights", out, out_bytes,
                           out_what);
}

ordo_status api_check_weighted_method(ordo_exec *exec, uint32_t weight_type, uint32_t method,
                                      bool is_median)
{
    FAIL_IF(is_median && method == ORDO_METHOD_HALF_SUM, ORDO_E_ARG,
            "method is half_sum; a median with weights accepts only linear");
    FAIL_IF(ordo_is_float((ordo_type)weight_type) && method > ORDO_METHOD_NORMAL_UNBIASED,
            ORDO_E_ARG, "method %s has no form for weights that are floats",
            ordo_method_name((ordo_method)method));
    return ORDO_OK;
}

/* A weighted median is the averaged_inverted_cdf of 1/2, which equals the ordinary median if all
 * weights are equal, whatever their unit is. */
static ordo_status weighted_quantiles(ordo_exec *exec, ordo_choice *choice,
                                      const ordo_select_job *call, bool is_median,
                                      const ordo_quantile_opts *options,
                                      const api_segments       *segments)
{
    ordo_weighted_job job = {.type = call->type,
                             .keys = call->keys,
                             .n = call->n,
                             .weight_type = (ordo_type)options->weight_type,
                             .weights = options->weights,
                             .q = call->q,
                             .count = call->count,
                             .method = is_median ? ORDO_METHOD_AVERAGED_INVERTED_CDF : call->method,
                             .nans = call->nans,
                             .out = call->out};
    api_work const    work = {
           .verb = &ordo_verb_weighted, .job = &job, .choice = choice, .needs_scratch = true};
    return api_do_weighted(exec, &work, segments, NULL);
}

/* Checks the weights of the array, or of every segment. */
static ordo_status check_all_weights(ordo_exec *exec, const ordo_weighted_job *job,
                                     const api_segments *segments)
{
    const ordo_segment_view *const view = &segments->view;
    for (size_t i = 0; i < view->count; i++) {
        size_t const start = segments->given ? ordo_segment_start(view, i) : 0;
        size_t const n = segments->given ? ordo_segment_length(view, i) : job->n;
        size_t const step = segments->given ? view->step : 1;
        for (size_t j = 0; j < n; j++)
            FAIL_IF(!quantile_accepts_weight(job->weight_type, job->weights, start + j * step),
                    ORDO_E_ARG, ORDO_WEIGHT_REFUSED, j,
                    quantile_key(job->weight_type, job->weights, start + j * step));
    }
    return ORDO_OK;
}

ordo_status api_do_weighted(ordo_exec *exec, const api_work *work, const api_segments *segments,
                            size_t *bytes)
{
    const ordo_backend *const backend = work->choice->backend;
    TRY(api_check_slot(exec, work->choice, backend->weighted != NULL, "weights"));
    if (backend->has_segments && bytes == NULL && !exec->on_device)
        TRY(check_all_weights(exec, work->job, segments));
    return api_do(exec, work, segments, bytes);
}

/* ---- Short segments ---- */

/* Writes the quantile at one place of every row of n sorted keys. */
static void values_at(const ordo_select_job *call, const quantile_place *at, const void *sorted,
                      size_t rows, double *out)
{
    quantile_place const here = *at;
    size_t const         step = call->count, n = call->n;
    switch (call->type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        for (size_t r = 0; r < rows; r++) {                                                        \
            const key *const row = (const key *)sorted + r * n;                                    \
            out[r * step] =                                                                        \
                quantile_value(&here, (double)row[here.below], (double)row[here.above]);           \
        }                                                                                          \
        break;
#include "core/types.def"
    }
}

/* The places of a quantile are the same in all rows without NaNs, so they are found once. */
static ordo_status quantiles_rows(const api_work *work, const void *job, size_t rows,
                                  ordo_exec *exec)
{
    const ordo_select_job *const call = job;
    double *const                out = call->out;
    uint64_t                     sorted[API_ROWS_BYTES / sizeof(uint64_t)];
    (void)exec;
    api_sort_rows(work->choice, call->type, false, call->keys, rows, call->n, sorted);
    for (size_t j = 0; j < call->count; j++) {
        quantile_place const at = quantile_place_of(call->method, call->q[j], call->n);
        values_at(call, &at, sorted, rows, out + j);
    }
    if (call->nans == ORDO_NANS_LAST || !ordo_is_float(call->type))
        return ORDO_OK;
    for (size_t r = 0; r < rows; r++) {
        const char *const row = (const char *)sorted + r * call->n * ordo_type_size(call->type);
        if (isnan(quantile_key(call->type, row, call->n - 1)))
            values_of_row(call, row, out + r * call->count);
    }
    return ORDO_OK;
}

/* ---- The calls ---- */

static ordo_status quantiles_checked(ordo_ctx *ctx, ordo_exec *exec, ordo_select_job *job,
                                     bool is_median, const ordo_quantile_opts *opts)
{
    ordo_quantile_opts options;
    api_segments       segments;
    ordo_choice        choice;
    size_t const       size = ordo_type_size(job->type);
    if (job->n - 1 < SORTED_BYTES && size > 0 && job->n * size <= SORTED_BYTES && job->count == 1 &&
        are_usual(opts) && api_is_short(ctx, NULL, job->n, NULL, &choice))
        return quantile_of_few(exec, &choice, job, is_median, opts);
    TRY(check_quantiles(exec, job, is_median, opts, &options, &segments));
    TRY(api_choose(ctx, exec, NULL, &choice));
    NEEDS(choice, select);
    if (job->count == 0)
        return ORDO_OK;
    if (options.weights != NULL)
        return weighted_quantiles(exec, &choice, job, is_median, &options, &segments);
    TRY(api_set_select_algorithm(exec, &choice, options.algorithm, options.sub_array, job));
    bool const     is_auto = job->algorithm == ORDO_ALGORITHM_AUTO;
    api_work const work = {.verb = &ordo_verb_quantiles,
                           .job = job,
                           .choice = &choice,
                           .run = quantiles_array,
                           .scratch = quantiles_scratch,
                           .rows = is_auto ? quantiles_rows : NULL,
                           .rows_most = ORDO_ROW_KEYS,
                           .rows_elements = API_ROWS_BYTES / size,
                           .needs_scratch = job->sub_array != 0 || job->count > FEW};
    return api_do(exec, &work, &segments, NULL);
}

ordo_status ordo_quantiles(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n,
                           const double *q, size_t count, double *out,
                           const ordo_quantile_opts *opts)
{
    ordo_select_job job = {.type = type, .keys = keys, .n = n, .count = count, .out = out, .q = q};
    API_CALL("quantiles", type, n, quantiles_checked(ctx, exec, &job, false, opts));
}

ordo_status ordo_median(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n, double *out,
                        const ordo_quantile_opts *opts)
{
    static double const half = 0.5;
    ordo_select_job job = {.type = type, .keys = keys, .n = n, .count = 1, .out = out, .q = &half};
    API_CALL("median", type, n, quantiles_checked(ctx, exec, &job, true, opts));
}
