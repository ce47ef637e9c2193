/* api_quantile.c - ordo_quantiles, ordo_median and the names of the methods.
 *
 * core/quantile.h finds the places of a quantile in the sorted keys and computes its value. One
 * selection finds the keys at all places. */
#include "api/api.h"
#include "core/quantile.h"
#include "ordo_python.h"

#include <math.h>
#include <string.h>

static const char *const method_names[] = {
#define ORDO_METHOD_ROW(ID, name, place) [ORDO_METHOD_##ID] = #name,
#include "core/methods.def"
};

enum {
    METHODS = sizeof method_names / sizeof *method_names - 1,
    FEW = 16,
    /* Bytes of keys that are sorted faster than NaNs are counted and keys selected. Medians of 16
     * f64, 64 f64 and 100 f32, ns (sorted : selected), Neoverse V1: 141 : 247, 381 : 496,
     * 389 : 513; Emerald Rapids: 144 : 274, 283 : 407 for the first and the last. */
    SORTED_BYTES = ORDO_TUNE(512, 32)
};

int ordo_method_parse(const char *name)
{
    int method = name != NULL ? METHODS : 0;
    while (method > 0 && strcmp(name, method_names[method]) != 0)
        method--;
    return method;
}

const char *ordo_method_name(ordo_method method)
{
    return (unsigned)method <= METHODS ? method_names[method] : NULL;
}

int ordo_python_places(ordo_method method, const size_t *n, const double *q, size_t count,
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
    FAIL_IF(method > METHODS, ORDO_E_ARG, "method is %u; expected an ordo_method, 0 to %d", method,
            (int)METHODS);
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

/* ---- The calls ---- */

typedef struct quantiles { /* the arguments of a call */
    ordo_type     type;
    const void   *keys;
    size_t        n;
    const double *q;
    size_t        count;
    double       *out;
    bool          is_median;
} quantiles;

static ordo_status check_arrays(ordo_exec *exec, const quantiles *call, size_t results)
{
    size_t const size = ordo_type_size(call->type);
    TRY(api_check_aligned(exec, call->keys, call->n, size, "keys"));
    TRY(api_check_aligned(exec, call->q, call->count, sizeof(double), "q"));
    TRY(api_check_aligned(exec, call->out, results, sizeof(double), "out"));
    TRY(api_check_apart(exec, call->keys, call->n * size, "keys", call->out,
                        results * sizeof(double), "out"));
    TRY(api_check_apart(exec, call->q, call->count * sizeof(double), "q", call->out,
                        results * sizeof(double), "out"));
    return api_check_q(exec, call->q, call->count);
}

static ordo_status check_quantiles(ordo_exec *exec, const quantiles *call,
                                   const ordo_quantile_opts *opts, ordo_quantile_opts *wish,
                                   api_segments *segments)
{
    size_t results;
    TRY(api_check_type(exec, call->type, "type"));
    TRY(api_opts_read(exec, wish, sizeof *wish, opts));
    TRY(api_check_place(exec, wish->flags, ORDO_ON_DEVICE, wish->stream));
    FAIL_IF(wish->reserved != 0 || wish->reserved2 != 0, ORDO_E_VERSION,
            "opts.reserved or opts.reserved2 is not 0");
    FAIL_IF(wish->weights == NULL && wish->weight_type != 0, ORDO_E_ARG,
            "opts.weight_type is %u, but opts.weights is NULL", wish->weight_type);
    TRY(api_check_nans(exec, wish->nans));
    TRY(api_read_segments(exec, wish->segments, call->n, false, segments));
    TRY(api_results(exec, segments, call->count, &results));
    TRY(api_check_select_algorithm(exec, wish->algorithm, wish->sub_array));
    TRY(api_check_method(exec, wish->method, call->is_median));

    return check_arrays(exec, call, results);
}

/* Selects the keys at all places, two for each q, with one call. n is the number of keys without
 * NaNs that do not count. */
static ordo_status quantiles_of(ordo_exec *exec, const ordo_choice *choice, const quantiles *call,
                                const ordo_quantile_opts *wish, size_t n)
{
    ordo_method const method = (ordo_method)wish->method;
    size_t            few_k[2 * FEW];
    uint64_t          few_keys[2 * FEW];
    size_t           *k = few_k;
    void             *keys = few_keys;

    if (call->count > FEW) {
        size_t bytes;
        FAIL_IF(!ordo_size_mul(2 * call->count, sizeof(size_t) + sizeof(uint64_t), &bytes),
                ORDO_E_ARG, "%zu quantiles are more than memory can hold", call->count);
        TRY_SCRATCH(exec, bytes, k);
        keys = k + 2 * call->count;
    }
    for (size_t j = 0; j < call->count; j++) {
        quantile_place const at = quantile_place_of(method, call->q[j], n);
        k[2 * j] = at.below;
        k[2 * j + 1] = at.above;
    }
    ordo_select_job job = {.type = call->type,
                           .keys = call->keys,
                           .n = call->n,
                           .k = k,
                           .count = 2 * call->count,
                           .out = keys,
                           .out_on_host = true};
    TRY(api_set_select_algorithm(exec, choice, wish->algorithm, wish->sub_array, &job));
    TRY(api_select_any(exec, choice, &job));
    for (size_t j = 0; j < call->count; j++) {
        quantile_place const at = quantile_place_of(method, call->q[j], n);
        double const         below = quantile_key(call->type, keys, 2 * j);
        double const         above = quantile_key(call->type, keys, 2 * j + 1);
        call->out[j] = quantile_value(&at, below, above);
    }
    return ORDO_OK;
}

/* The quantiles of one array. */
static ordo_status quantiles_array(ordo_exec *exec, const ordo_choice *choice,
                                   const quantiles *call, const ordo_quantile_opts *wish)
{
    size_t nans = 0;
    if (wish->nans != ORDO_NANS_LAST)
        TRY(api_count_nans(exec, choice, call->type, call->keys, call->n, &nans));
    size_t const n = call->n - nans;
    if (n == 0 || (nans > 0 && wish->nans == ORDO_NANS_PROPAGATE)) {
        for (size_t j = 0; j < call->count; j++)
            call->out[j] = (double)NAN;
        return ORDO_OK;
    }
    return quantiles_of(exec, choice, call, wish, n);
}

/* ---- Few keys ---- */

/* The quantile of n sorted keys at a place. */
static double value_of_row(const quantiles *call, const quantile_place *at, const void *sorted)
{
    double const below = quantile_key(call->type, sorted, at->below);
    double const above = quantile_key(call->type, sorted, at->above);
    return quantile_value(at, below, above);
}

/* Whether options ask for nothing but a treatment of NaNs. */
static bool are_usual(const ordo_quantile_opts *opts)
{
    if (opts == NULL)
        return true;
    return opts->struct_size == sizeof *opts && opts->flags == 0 &&
           opts->nans <= ORDO_NANS_PROPAGATE && opts->method <= METHODS &&
           opts->algorithm == ORDO_ALGORITHM_AUTO && opts->reserved == 0 && opts->stream == NULL &&
           opts->sub_array == 0 && opts->segments == NULL && opts->weights == NULL &&
           opts->weight_type == 0 && opts->reserved2 == 0;
}

/* The quantile of one q of a few keys, n > 0: sorts a copy of the keys, with NaNs last. */
static ordo_status quantile_of_few(ordo_exec *exec, const ordo_choice *choice,
                                   const quantiles *call, const ordo_quantile_opts *opts)
{
    ordo_nans const     policy = opts == NULL ? ORDO_NANS_LAST : (ordo_nans)opts->nans;
    uint32_t const      method = opts == NULL ? (uint32_t)ORDO_METHOD_DEFAULT : opts->method;
    uint64_t            sorted[SORTED_BYTES / sizeof(uint64_t)];
    ordo_sort_job const job = {.type = call->type, .keys = sorted, .n = call->n};
    TRY(api_check_method(exec, method, call->is_median));
    TRY(check_arrays(exec, call, 1));
    memcpy(sorted, call->keys, call->n * ordo_type_size(call->type));
    TRY(choice->backend->sort(choice->state, &job, exec));
    size_t const nans = policy == ORDO_NANS_LAST ? 0 : api_nans_of_row(call->type, sorted, call->n);
    if (nans == call->n || (nans > 0 && policy == ORDO_NANS_PROPAGATE)) {
        *call->out = (double)NAN;
        return ORDO_OK;
    }
    quantile_place const at = quantile_place_of((ordo_method)method, *call->q, call->n - nans);
    *call->out = value_of_row(call, &at, sorted);
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
    FAIL_IF((weight_type == ORDO_F32 || weight_type == ORDO_F64) &&
                method > ORDO_METHOD_NORMAL_UNBIASED,
            ORDO_E_ARG, "method %s has no form for weights that are floats",
            ordo_method_name((ordo_method)method));
    return ORDO_OK;
}

/* A weighted median is the averaged_inverted_cdf of 1/2, which equals the ordinary median if all
 * weights are equal, whatever their unit is. */
static ordo_weighted_job weighted_job_of(const quantiles *call, const ordo_quantile_opts *wish)
{
    return (ordo_weighted_job){.type = call->type,
                               .keys = call->keys,
                               .n = call->n,
                               .weight_type = (ordo_type)wish->weight_type,
                               .weights = wish->weights,
                               .q = call->q,
                               .count = call->count,
                               .method = call->is_median ? ORDO_METHOD_AVERAGED_INVERTED_CDF
                                                         : (ordo_method)wish->method,
                               .nans = (ordo_nans)wish->nans,
                               .out = call->out};
}

/* ---- Segments ---- */

typedef struct quantile_segments { /* quantiles of each segment; the call lacks keys and n of the
                                    * segment */
    const ordo_choice        *choice;
    quantiles                 call; /* out is that of the first segment */
    const ordo_quantile_opts *wish;
} quantile_segments;

static ordo_status quantiles_one(const void *arg, size_t i, size_t n, void *const *at,
                                 ordo_exec *exec)
{
    const quantile_segments *const segments = arg;
    quantiles                      call = segments->call;
    call.keys = at[0];
    call.n = n;
    call.out += i * call.count;
    return quantiles_array(exec, segments->choice, &call, segments->wish);
}

/* Writes the quantile at one place of every row of n sorted keys. */
static void values_at(const quantiles *call, const quantile_place *at, const void *sorted, size_t n,
                      size_t rows, double *out)
{
    quantile_place const here = *at;
    size_t const         step = call->count;
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

/* Rewrites the quantiles of a row with NaNs, which are its last keys. */
static void values_with_nans(const quantile_segments *segments, const void *row, size_t n,
                             size_t nans, double *out)
{
    const quantiles *const call = &segments->call;
    ordo_method const      method = (ordo_method)segments->wish->method;
    for (size_t j = 0; j < call->count; j++) {
        if (nans == n || segments->wish->nans == ORDO_NANS_PROPAGATE) {
            out[j] = (double)NAN;
        } else {
            quantile_place const at = quantile_place_of(method, call->q[j], n - nans);
            out[j] = value_of_row(call, &at, row);
        }
    }
}

/* The places of a quantile are the same in all rows without NaNs, so they are found once. */
static void quantiles_of_rows(const quantile_segments *segments, size_t first, size_t count,
                              size_t n, const char *sorted)
{
    const quantiles *const call = &segments->call;
    size_t const           size = n * ordo_type_size(call->type);
    double *const          out = call->out + first * call->count;
    for (size_t j = 0; j < call->count; j++) {
        quantile_place const at =
            quantile_place_of((ordo_method)segments->wish->method, call->q[j], n);
        values_at(call, &at, sorted, n, count, out + j);
    }
    if (segments->wish->nans == ORDO_NANS_LAST ||
        (call->type != ORDO_F32 && call->type != ORDO_F64))
        return;
    for (size_t r = 0; r < count; r++) {
        const char *const row = sorted + r * size;
        if (isnan(quantile_key(call->type, row, n - 1)))
            values_with_nans(segments, row, n, api_nans_of_row(call->type, row, n),
                             out + r * call->count);
    }
}

static ordo_status quantiles_rows(const void *arg, size_t i, size_t count, size_t n,
                                  void *const *at, ordo_exec *exec)
{
    const quantile_segments *const segments = arg;
    size_t const                   size = ordo_type_size(segments->call.type);
    uint64_t                       sorted[API_ROWS_BYTES / sizeof(uint64_t)];
    (void)exec;
    for (size_t done = 0, rows; done < count; done += rows) {
        rows = api_sorted_rows(segments->choice, segments->call.type, false,
                               (const char *)at[0] + done * n * size, count - done, n, sorted);
        quantiles_of_rows(segments, i + done, rows, n, (const char *)sorted);
    }
    return ORDO_OK;
}

static size_t quantiles_one_scratch(const void *arg, size_t n, const ordo_exec *exec)
{
    const quantile_segments *const segments = arg;
    ordo_select_job                job = {.type = segments->call.type,
                                          .count = 2 * segments->call.count,
                                          .algorithm = (ordo_algorithm)segments->wish->algorithm};
    ordo_exec                      probe = *exec;
    if (n == 0 || api_set_select_algorithm(&probe, segments->choice, segments->wish->algorithm,
                                           segments->wish->sub_array, &job) != ORDO_OK)
        return 0;
    size_t const places =
        segments->call.count > FEW ? job.count * (sizeof(size_t) + sizeof(uint64_t)) : 0;
    return places + api_select_any_scratch(segments->choice, &job, n, exec);
}

typedef struct weighted_segments { /* the job lacks the segment; out is that of the first one */
    const ordo_choice *choice;
    ordo_weighted_job  job;
} weighted_segments;

static ordo_status weighted_one(const void *arg, size_t i, size_t n, void *const *at,
                                ordo_exec *exec)
{
    const weighted_segments *const segments = arg;
    ordo_weighted_job              job = segments->job;
    job.keys = at[0];
    job.weights = at[1];
    job.n = n;
    job.out += i * job.count;
    return segments->choice->backend->weighted(segments->choice->state, &job, exec);
}

static size_t weighted_one_scratch(const void *arg, size_t n, const ordo_exec *exec)
{
    const weighted_segments *const segments = arg;
    ordo_weighted_job              job = segments->job;
    job.n = n;
    return segments->choice->backend->weighted_scratch(&job, exec);
}

/* Checks the weights of one segment, or of the array. */
static ordo_status check_segment(ordo_exec *exec, const ordo_weighted_job *job, size_t start,
                                 size_t n, size_t step)
{
    for (size_t j = 0; j < n; j++)
        FAIL_IF(!quantile_accepts_weight(job->weight_type, job->weights, start + j * step),
                ORDO_E_ARG, ORDO_WEIGHT_REFUSED, j,
                quantile_key(job->weight_type, job->weights, start + j * step));
    return ORDO_OK;
}

ordo_status api_weighted_on_device(ordo_exec *exec, const ordo_choice *choice,
                                   const ordo_weighted_job *job, const api_segments *segments,
                                   size_t *bytes)
{
    const ordo_segment_view *const   view = segments->given ? &segments->view : NULL;
    ordo_weighted_segments_job const all = {*job, view};
    ANSWER_SIZE_QUERY(bytes, *choice, weighted_segments, &all);
    if (!exec->on_device && view == NULL)
        TRY(check_segment(exec, job, 0, job->n, 1));
    for (size_t i = 0; view != NULL && !exec->on_device && i < view->count; i++)
        TRY(check_segment(exec, job, ordo_segment_start(view, i), ordo_segment_length(view, i),
                          view->offsets != NULL ? 1 : view->step));
    return choice->backend->weighted_segments(choice->state, &all, exec);
}

ordo_status api_weighted_quantiles(ordo_exec *exec, const ordo_choice *choice,
                                   const ordo_weighted_job *job, const api_segments *segments)
{
    weighted_segments const all = {choice, *job};
    if (choice->backend->weighted_segments != NULL)
        return api_weighted_on_device(exec, choice, job, segments, NULL);
    FAIL_IF(choice->backend->weighted == NULL, ORDO_E_UNSUPPORTED,
            "the %s backend has no weights; expected a context that may use the CPU",
            choice->backend->name);
    if (!segments->given)
        return choice->backend->weighted(choice->state, job, exec);
    ordo_segments_job each = {
        .arrays = {api_read_only(job->keys, ordo_type_size(job->type)),
                   api_read_only(job->weights, ordo_type_size(job->weight_type))},
        .one = weighted_one,
        .scratch = weighted_one_scratch,
        .needs_scratch = true,
        .arg = &all};
    return api_run_segments(exec, choice, segments, &each, NULL);
}

/* Computes the quantiles of all segments in one job of a device. */
static ordo_status quantiles_on_device(ordo_exec *exec, const ordo_choice *choice,
                                       const quantiles *call, const ordo_quantile_opts *wish,
                                       const api_segments *segments)
{
    ordo_select_job job = {.type = call->type,
                           .keys = call->keys,
                           .n = call->n,
                           .count = call->count,
                           .out = call->out,
                           .segments = &segments->view,
                           .nans = (ordo_nans)wish->nans,
                           .q = call->q,
                           .method = (ordo_method)wish->method};
    TRY(api_set_select_algorithm(exec, choice, wish->algorithm, wish->sub_array, &job));
    return choice->backend->select(choice->state, &job, exec);
}

static ordo_status quantiles_checked(ordo_ctx *ctx, ordo_exec *exec, const quantiles *call,
                                     const ordo_quantile_opts *opts)
{
    ordo_quantile_opts wish;
    api_segments       segments;
    ordo_choice        choice;
    size_t const       size = ordo_type_size(call->type);
    if (call->n - 1 < SORTED_BYTES && size > 0 && call->n * size <= SORTED_BYTES &&
        call->count == 1 && are_usual(opts) && api_is_short(ctx, NULL, call->n, NULL, &choice))
        return quantile_of_few(exec, &choice, call, opts);
    TRY(check_quantiles(exec, call, opts, &wish, &segments));
    if (wish.weights != NULL) {
        size_t results;
        TRY(api_results(exec, &segments, call->count, &results));
        TRY(api_check_weights(exec, wish.weights, wish.weight_type, call->n, wish.algorithm,
                              call->out, results * sizeof(double), "out"));
        TRY(api_check_weighted_method(exec, wish.weight_type, wish.method, call->is_median));
    }
    TRY(api_choose(ctx, exec, NULL, &choice));
    NEEDS(choice, select);
    if (call->count == 0)
        return ORDO_OK;
    ordo_weighted_job const weighted = weighted_job_of(call, &wish);
    if (wish.weights != NULL)
        return api_weighted_quantiles(exec, &choice, &weighted, &segments);
    if (!segments.given)
        return quantiles_array(exec, &choice, call, &wish);
    if (choice.backend->has_segments)
        return quantiles_on_device(exec, &choice, call, &wish, &segments);
    bool const named =
        wish.algorithm == ORDO_ALGORITHM_BITONIC || wish.algorithm == ORDO_ALGORITHM_MERGE;
    quantile_segments const job = {&choice, *call, &wish};
    ordo_segments_job each = {.arrays = {api_read_only(call->keys, ordo_type_size(call->type))},
                              .one = quantiles_one,
                              .rows = wish.algorithm == ORDO_ALGORITHM_AUTO ? quantiles_rows : NULL,
                              .rows_most = ORDO_ROW_KEYS,
                              .scratch = quantiles_one_scratch,
                              .needs_scratch = named || call->count > FEW,
                              .arg = &job};
    return api_run_segments(exec, &choice, &segments, &each, NULL);
}

ordo_status ordo_quantiles(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n,
                           const double *q, size_t count, double *out,
                           const ordo_quantile_opts *opts)
{
    quantiles const call = {type, keys, n, q, count, out, false};
    API_CALL("quantiles", type, n, quantiles_checked(ctx, exec, &call, opts));
}

ordo_status ordo_median(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n, double *out,
                        const ordo_quantile_opts *opts)
{
    static double const half = 0.5;
    quantiles const     call = {type, keys, n, &half, 1, out, true};
    API_CALL("median", type, n, quantiles_checked(ctx, exec, &call, opts));
}
