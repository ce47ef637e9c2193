/* cpu_weighted.c - quantiles of keys with weights.
 *
 * An argsort orders the keys; the weights in that order are added up one by one, so the sums do not
 * depend on the number of threads. A quantile is then a binary search in the sums. Integer weights
 * repeat a key: the place of the quantile among all repetitions (core/quantile.h) is exact. Float
 * weights follow numpy.quantile and scipy.stats.quantile (see ordo_windows.h). The cost is that of
 * the argsort and two more passes. Scratch: an index and a sum for each key, and the argsort's. */
#include "core/quantile.h"
#include "cpu/select/weights.h"

#include <math.h>

/* Adds up the weights, in order; float_sums[n - 1] or sums[n - 1] is the sum of all. */
static ordo_status add_up(weights_in_order *work, ordo_exec *exec)
{
    size_t const n = work->job->n;
    if (weights_are_floats(work->job->weight_type)) {
        double *const sums = work->float_sums;
        for (size_t i = 0; i < n; i++) {
            work->last = sums[i] > 0 ? i : work->last;
            sums[i] += i > 0 ? sums[i - 1] : 0;
        }
        return isinf(sums[n - 1]) ? weights_too_large(exec, work->job->weight_type) : ORDO_OK;
    }
    uint64_t *const sums = work->sums;
    for (size_t i = 0; i < n; i++) {
        work->last = sums[i] > 0 ? i : work->last;
        sums[i] += i > 0 ? sums[i - 1] : 0;
        if (sums[i] > INT64_MAX || (i > 0 && sums[i] < sums[i - 1]))
            return weights_too_large(exec, work->job->weight_type);
    }
    return ORDO_OK;
}

/* ---- Quantiles ---- */

static double key_at(const weights_in_order *work, size_t i)
{
    return quantile_key(work->job->type, work->job->keys, weights_index(work, i));
}

/* The first key in order whose sum is above a position, at most the last key with a weight. */
static size_t holder_of(const weights_in_order *work, uint64_t position)
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

static double integer_quantile(const weights_in_order *work, double q)
{
    size_t const         all = (size_t)work->sums[work->last];
    quantile_place const at = quantile_place_of(work->job->method, q, all);
    double const         below = key_at(work, holder_of(work, at.below));
    double const         above = key_at(work, holder_of(work, at.above));
    return quantile_value(&at, below, above, false);
}

/* The first key in order with a sum above h (`reaches` false), or with sum / total >= h, and with a
 * weight; at most the last key with a weight. */
static size_t first_of(const weights_in_order *work, double h, bool reaches)
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

static double float_quantile(const weights_in_order *work, double q)
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

static bool propagates(const weights_in_order *work)
{
    return work->job->nans == ORDO_NANS_PROPAGATE &&
           weights_key_is_nan(work->job->type, work->job->keys, weights_index(work, work->last));
}

ordo_status cpu_weighted(void *state, const ordo_weighted_job *job, ordo_exec *exec)
{
    weights_in_order work;
    exec->algorithm = "argsort";
    exec->isa = ((const cpu_kernels *)state)->isa;
    TRY(weights_sort(state, job, &work, exec));
    work.last = SIZE_MAX;
    if (job->n > 0)
        TRY(add_up(&work, exec));
    bool const none = work.last == SIZE_MAX || propagates(&work);
    for (size_t j = 0; j < job->count; j++)
        job->out[j] = none                                   ? (double)NAN
                      : weights_are_floats(job->weight_type) ? float_quantile(&work, job->q[j])
                                                             : integer_quantile(&work, job->q[j]);
    return ORDO_OK;
}

size_t cpu_weighted_scratch(const ordo_weighted_job *job, const ordo_exec *exec)
{
    return weights_sort_scratch(job, exec);
}
