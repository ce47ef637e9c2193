/* cpu_weighted.c - quantiles of keys with weights.
 *
 * An argsort orders the keys; the weights in that order are added up one by one, so the sums do not
 * depend on the number of threads. A quantile is then a binary search in the sums
 * (core/weighted.h). The cost is that of the argsort and two more passes. Scratch: an index and a
 * sum for each key, and the argsort's. */
#include "core/weighted.h"
#include "cpu/select/weights.h"

#include <math.h>

/* Adds up the weights, in order; float_sums[n - 1] or sums[n - 1] is the sum of all. */
static ordo_status add_up(weights_in_order *work, ordo_exec *exec)
{
    size_t const n = work->job->n;
    if (ordo_is_float(work->job->weight_type)) {
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

static double quantile_of(const weights_in_order *work, double q)
{
    ordo_method const    method = work->job->method;
    quantile_place const at =
        ordo_is_float(work->job->weight_type)
            ? weighted_place_of_floats(work->float_sums, work->last, method, q)
            : weighted_place_of_integers(work->sums, work->last, method, q);
    return quantile_value(&at, key_at(work, at.below), key_at(work, at.above));
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
        job->out[j] = none ? (double)NAN : quantile_of(&work, job->q[j]);
    return ORDO_OK;
}
