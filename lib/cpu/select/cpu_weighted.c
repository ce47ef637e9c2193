/* cpu_weighted.c - quantiles of keys with weights.
 *
 * An argsort orders the keys; the weights in that order are added up one by one, so the sums do not
 * depend on the number of threads. A quantile is then a binary search in the sums. Integer weights
 * repeat a key: the place of the quantile among all repetitions (core/quantile.h) is exact. Float
 * weights follow numpy.quantile and scipy.stats.quantile (see ordo_windows.h). The cost is that of
 * the argsort and two more passes. Scratch: an index and a sum for each key, and the argsort's. */
#include "core/keybits.h"
#include "core/quantile.h"
#include "cpu/cpu.h"

#include <float.h>
#include <math.h>

typedef struct weighted_work {
    const ordo_weighted_job *job;
    void                    *index;
    ordo_type                index_type;
    uint64_t                *sums; /* of integer weights; float weights have the same memory */
    double                  *float_sums;
    size_t                   last;    /* the last key with a weight; unset if there is none */
    _Atomic uint64_t         refused; /* the first position of a weight that is refused, or n */
} weighted_work;

static bool is_float(ordo_type type) { return type == ORDO_F32 || type == ORDO_F64; }

static size_t index_at(const weighted_work *work, size_t i)
{
    return work->index_type == ORDO_U32 ? ((const uint32_t *)work->index)[i]
                                        : (size_t)((const uint64_t *)work->index)[i];
}

static bool is_nan(ordo_type type, const void *keys, size_t i)
{
    return type == ORDO_F32   ? key_is_nan_f32(((const float *)keys)[i])
           : type == ORDO_F64 ? key_is_nan_f64(((const double *)keys)[i])
                              : false;
}

static uint64_t as_integer(ordo_type type, const void *weights, size_t i)
{
    switch (type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        return (uint64_t)((const key *)weights)[i];
#include "core/types.def"
    }
    return 0;
}

/* ---- Weights ---- */

static void check_piece(void *arg, size_t lo, size_t hi)
{
    weighted_work *const work = arg;
    ordo_type const      type = work->job->weight_type;
    for (size_t i = lo; i < hi; i++) {
        double const weight = quantile_key(type, work->job->weights, i);
        if (weight >= 0 && weight <= (type == ORDO_F32 ? (double)FLT_MAX : DBL_MAX))
            continue;
        cpu_keep_least(&work->refused, i);
        return;
    }
}

static ordo_status check_weights(weighted_work *work, ordo_exec *exec)
{
    const ordo_weighted_job *const job = work->job;
    atomic_init(&work->refused, job->n);
    if (!ordo_loop(exec, job->n, cpu_grain(job->n), check_piece, work))
        return ORDO_E_CANCELLED;
    size_t const at = (size_t)atomic_load(&work->refused);
    return at == job->n ? ORDO_OK
                        : ordo_fail(exec, ORDO_E_ARG,
                                    "weights[%zu] is %g; expected a finite number of at least 0",
                                    at, quantile_key(job->weight_type, job->weights, at));
}

/* sums[i] = the weight of the i-th key in order; 0 for NaNs that are omitted. */
static void gather_piece(void *arg, size_t lo, size_t hi)
{
    weighted_work *const           work = arg;
    const ordo_weighted_job *const job = work->job;
    bool const                     omits = job->nans == ORDO_NANS_OMIT;
    for (size_t i = lo; i < hi; i++) {
        size_t const from = index_at(work, i);
        bool const   skip = omits && is_nan(job->type, job->keys, from);
        if (is_float(job->weight_type))
            work->float_sums[i] = skip ? 0 : quantile_key(job->weight_type, job->weights, from);
        else
            work->sums[i] = skip ? 0 : as_integer(job->weight_type, job->weights, from);
    }
}

/* Adds up the weights, in order; float_sums[n - 1] or sums[n - 1] is the sum of all. */
static ordo_status add_up(weighted_work *work, ordo_exec *exec)
{
    size_t const n = work->job->n;
    if (is_float(work->job->weight_type)) {
        double *const sums = work->float_sums;
        for (size_t i = 0; i < n; i++) {
            work->last = sums[i] > 0 ? i : work->last;
            sums[i] += i > 0 ? sums[i - 1] : 0;
        }
        return isinf(sums[n - 1])
                   ? ordo_fail(exec, ORDO_E_ARG, "the sum of the weights is not finite")
                   : ORDO_OK;
    }
    uint64_t *const sums = work->sums;
    for (size_t i = 0; i < n; i++) {
        work->last = sums[i] > 0 ? i : work->last;
        sums[i] += i > 0 ? sums[i - 1] : 0;
        if (sums[i] > INT64_MAX || (i > 0 && sums[i] < sums[i - 1]))
            return ordo_fail(exec, ORDO_E_ARG, "the sum of the weights is 2^63 or more");
    }
    return ORDO_OK;
}

/* ---- Quantiles ---- */

static double key_at(const weighted_work *work, size_t i)
{
    return quantile_key(work->job->type, work->job->keys, index_at(work, i));
}

/* The first key in order whose sum is above a position, at most the last key with a weight. */
static size_t holder_of(const weighted_work *work, uint64_t position)
{
    size_t lo = 0, hi = work->last;
    while (lo < hi) {
        size_t const middle = lo + (hi - lo) / 2;
        if (work->sums[middle] > position)
            hi = middle;
        else
            lo = middle + 1;
    }
    return lo;
}

static double integer_quantile(const weighted_work *work, double q)
{
    size_t const         all = (size_t)work->sums[work->last];
    quantile_place const at = quantile_place_of(work->job->method, q, all);
    double const         below = key_at(work, holder_of(work, at.below));
    double const         above = key_at(work, holder_of(work, at.above));
    return quantile_value(&at, below, above, false);
}

/* The first key in order with a sum above h (`reaches` false), or with sum / total >= h, and with a
 * weight; at most the last key with a weight. */
static size_t first_of(const weighted_work *work, double h, bool reaches)
{
    double const total = work->float_sums[work->last];
    size_t       lo = 0, hi = work->last;
    while (lo < hi) {
        size_t const middle = lo + (hi - lo) / 2;
        double const sum = work->float_sums[middle];
        if (sum > 0 && (reaches ? sum / total >= h : sum > h))
            hi = middle;
        else
            lo = middle + 1;
    }
    return lo;
}

/* The offset m of the methods 3 to 9 of Hyndman and Fan. */
static double offset_of(ordo_method method, double q)
{
    switch (method) {
    case ORDO_METHOD_CLOSEST_OBSERVATION:
        return -0.5;
    case ORDO_METHOD_INTERPOLATED_INVERTED_CDF:
        return 0;
    case ORDO_METHOD_HAZEN:
        return 0.5;
    case ORDO_METHOD_WEIBULL:
        return q;
    case ORDO_METHOD_MEDIAN_UNBIASED:
        return q / 3 + 1 / 3.0;
    case ORDO_METHOD_NORMAL_UNBIASED:
        return q / 4 + 3 / 8.0;
    default:
        return 1 - q;
    }
}

static double float_quantile(const weighted_work *work, double q)
{
    ordo_method const method = work->job->method;
    double const      total = work->float_sums[work->last];
    quantile_place    at = {.weight = 0};
    size_t            below, above;
    if (method == ORDO_METHOD_INVERTED_CDF || method == ORDO_METHOD_AVERAGED_INVERTED_CDF) {
        below = above = first_of(work, q, true);
        if (method == ORDO_METHOD_AVERAGED_INVERTED_CDF && work->float_sums[below] / total == q) {
            above = first_of(work, work->float_sums[below], false);
            at.weight = 0.5;
        }
    } else {
        double const h = total * q + offset_of(method, q);
        below = first_of(work, h - 1, false);
        above = first_of(work, h, false);
        at.weight = h - floor(h);
        if (method == ORDO_METHOD_CLOSEST_OBSERVATION) /* halfway: the even position from 1 */
            at.weight = h < 0 || (at.weight == 0 && fmod(floor(h), 2) == 0) ? 0 : 1;
    }
    return quantile_value(&at, key_at(work, below), key_at(work, above), false);
}

static bool propagates(const weighted_work *work)
{
    return work->job->nans == ORDO_NANS_PROPAGATE &&
           is_nan(work->job->type, work->job->keys, index_at(work, work->last));
}

static ordo_argsort_job order_of(const ordo_weighted_job *job)
{
    return (ordo_argsort_job){.type = job->type,
                              .keys = job->keys,
                              .n = job->n,
                              .algorithm = ORDO_ALGORITHM_AUTO,
                              .index_type = job->n <= UINT32_MAX ? ORDO_U32 : ORDO_U64};
}

static ordo_status sum_in_order(void *state, weighted_work *work, ordo_exec *exec)
{
    const ordo_weighted_job *const job = work->job;
    ordo_argsort_job               order = order_of(job);
    ordo_exec                      part = *exec;
    TRY_SCRATCH(exec, job->n * ordo_type_size(work->index_type), work->index);
    TRY_SCRATCH(exec, job->n * sizeof *work->sums, work->sums);
    work->float_sums = (double *)(void *)work->sums;
    order.index = work->index;
    part.phase = exec->phase * 4 + 1;
    part.phases = exec->phases * 4;
    TRY(cpu_argsort(state, &order, &part));
    part.phase = exec->phase * 4 + 2;
    part.phases = exec->phases * 4;
    if (!ordo_loop(&part, job->n, cpu_grain(job->n), gather_piece, work))
        return ORDO_E_CANCELLED;
    return add_up(work, exec);
}

ordo_status cpu_weighted(void *state, const ordo_weighted_job *job, ordo_exec *exec)
{
    weighted_work work = {.job = job, .last = SIZE_MAX};
    work.index_type = order_of(job).index_type;
    exec->algorithm = "argsort";
    exec->isa = ((const cpu_kernels *)state)->isa;
    TRY(check_weights(&work, exec));
    if (job->n > 0)
        TRY(sum_in_order(state, &work, exec));
    bool const none = work.last == SIZE_MAX || propagates(&work);
    for (size_t j = 0; j < job->count; j++)
        job->out[j] = none                         ? (double)NAN
                      : is_float(job->weight_type) ? float_quantile(&work, job->q[j])
                                                   : integer_quantile(&work, job->q[j]);
    return ORDO_OK;
}

size_t cpu_weighted_scratch(const ordo_weighted_job *job, const ordo_exec *exec)
{
    ordo_argsort_job const order = order_of(job);
    if (job->n == 0)
        return 0;
    return ordo_round_up(job->n * ordo_type_size(order.index_type), ORDO_CACHE_LINE) +
           ordo_round_up(job->n * sizeof(uint64_t), ORDO_CACHE_LINE) +
           cpu_argsort_scratch(&order, exec->threads);
}
