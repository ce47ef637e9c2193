/* api_group_quantiles.c - ordo_group_quantiles and ordo_group_median.
 *
 * Without weights the keys of each group are sorted, and a quantile is read from their order. With
 * weights one stable sort by the group key gathers the keys and the weights of each group, and the
 * groups are the segments of a call of the backend's weighted quantiles. Scratch then: the rows in
 * order, a copy of keys and weights, and that of the weighted quantiles. A backend that finds the
 * groups itself does all of this in one job. */
#include "api/groups/api_groups.h"
#include "core/quantile.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* ---- Weights ---- */

typedef struct weights_check {
    const group_call *call;
    _Atomic size_t    refused; /* the first row whose weight is refused, or n */
} weights_check;

static void check_piece(void *arg, size_t lo, size_t hi)
{
    weights_check *const         check = arg;
    const ordo_group_opts *const options = &check->call->options;
    size_t                       i = lo;
    while (i < hi && quantile_accepts_weight((ordo_type)options->weight_type, options->weights, i))
        i++;
    size_t seen = atomic_load(&check->refused);
    while (i < hi && i < seen && !atomic_compare_exchange_weak(&check->refused, &seen, i))
        continue;
}

static ordo_status check_weights(ordo_exec *exec, const group_call *call)
{
    const ordo_group_opts *const options = &call->options;
    weights_check                check = {.call = call};
    TRY(api_check_weights(exec, options->weights, options->weight_type, call->job.n,
                          ORDO_ALGORITHM_AUTO, call->job.quantiles,
                          call->job.capacity * call->job.each * sizeof(double), "out"));
    TRY(api_check_weighted_method(exec, options->weight_type, options->method, call->is_median));
    if (exec->on_device)
        return ORDO_OK;
    atomic_init(&check.refused, call->job.n);
    if (!ordo_loop(exec, call->job.n, GROUPS_ROWS, check_piece, &check))
        return ORDO_E_CANCELLED;
    size_t const at = atomic_load(&check.refused);
    FAIL_IF(at < call->job.n, ORDO_E_ARG, ORDO_WEIGHT_REFUSED, at,
            quantile_key((ordo_type)options->weight_type, options->weights, at));
    return ORDO_OK;
}

typedef struct gather_weights { /* copies in the order of the groups */
    const group_call *call;
    char             *keys, *weights;
} gather_weights;

static void gather_piece(void *arg, size_t lo, size_t hi)
{
    const gather_weights *const to = arg;
    const group_call *const     call = to->call;
    size_t const                size = ordo_type_size(call->job.type);
    size_t const                weight_size = ordo_type_size((ordo_type)call->options.weight_type);
    for (size_t i = lo; i < hi; i++) {
        size_t const row = groups_row_at(call, i);
        memcpy(to->keys + i * size, (const char *)call->job.keys + row * size, size);
        memcpy(to->weights + i * weight_size,
               (const char *)call->options.weights + row * weight_size, weight_size);
    }
}

static ordo_method weighted_method(const group_call *call)
{
    return call->is_median ? ORDO_METHOD_AVERAGED_INVERTED_CDF : call->job.method;
}

static ordo_status run_weighted(ordo_exec *exec, const group_call *call)
{
    ordo_weighted_groups_job job = {.groups = call->job,
                                    .weight_type = (ordo_type)call->options.weight_type,
                                    .weights = call->options.weights};
    job.groups.method = weighted_method(call);
    return call->choice.backend->weighted_groups(call->choice.state, &job, exec);
}

static ordo_status weighted_quantiles(ordo_exec *exec, group_call *call)
{
    ordo_type const    type = call->job.type, weight_type = (ordo_type)call->options.weight_type;
    ordo_choice *const choice = &call->choice;
    gather_weights     to = {.call = call};
    group_call         order = *call;
    api_segments       segments;
    order.job.type = (ordo_type)0;
    order.job.keys = NULL;
    TRY(groups_order_rows(exec, &order, true));
    if (order.count == 0 || call->job.each == 0)
        return groups_tell(exec, &order);
    size_t const rows = (size_t)order.starts[order.count];
    TRY_SCRATCH(exec, rows * ordo_type_size(type), to.keys);
    TRY_SCRATCH(exec, rows * ordo_type_size(weight_type), to.weights);
    order.job.type = type;
    order.job.keys = call->job.keys;
    to.call = &order;
    if (!ordo_loop(exec, rows, GROUPS_ROWS, gather_piece, &to))
        return ORDO_E_CANCELLED;
    ordo_segments const layout =
        ORDO_OPTS(ordo_segments, .count = order.count, .offsets = order.starts);
    TRY(api_read_segments(exec, &layout, rows, false, &segments));
    ordo_weighted_job job = {.type = type,
                             .keys = to.keys,
                             .n = rows,
                             .weight_type = weight_type,
                             .weights = to.weights,
                             .q = call->job.q,
                             .count = call->job.each,
                             .method = weighted_method(call),
                             .nans = call->job.nans,
                             .out = call->job.quantiles};
    api_work const    work = {
           .verb = &ordo_verb_weighted, .job = &job, .choice = choice, .needs_scratch = true};
    TRY(api_do_weighted(exec, &work, &segments, NULL));
    return groups_tell(exec, &order);
}

/* ---- The calls ---- */

static void quantiles_piece(void *arg, size_t lo, size_t hi)
{
    const group_call *const call = arg;
    for (size_t g = lo; g < hi; g++) {
        size_t const start = (size_t)call->starts[g], end = (size_t)call->starts[g + 1];
        size_t const nans = call->job.nans == ORDO_NANS_LAST ? 0 : groups_nans_of(call, start, end);
        size_t const n = end - start - nans;
        bool const   is_lost = n == 0 || (nans > 0 && call->job.nans == ORDO_NANS_PROPAGATE);
        for (size_t j = 0; j < call->job.each; j++) {
            double *const out = call->job.quantiles + g * call->job.each + j;
            if (is_lost) {
                *out = (double)NAN;
                continue;
            }
            quantile_place const at = quantile_place_of(call->job.method, call->job.q[j], n);
            *out = quantile_value(
                &at,
                quantile_key(call->job.type, call->job.keys, groups_row_at(call, start + at.below)),
                quantile_key(call->job.type, call->job.keys,
                             groups_row_at(call, start + at.above)));
        }
    }
}

static ordo_status quantiles_checked(ordo_ctx *ctx, ordo_exec *exec, group_call *call,
                                     const ordo_groups *groups, const ordo_group_opts *opts)
{
    bool done;
    TRY(groups_check(exec, call, groups, opts, 0));
    TRY(api_check_nans(exec, call->options.nans));
    TRY(api_check_method(exec, call->options.method, call->is_median));
    TRY(api_check_aligned(exec, call->job.q, call->job.each, sizeof(double), "q"));
    TRY(api_check_q(exec, call->job.q, call->job.each));
    TRY(groups_choose(ctx, exec, call));
    if (call->options.weights != NULL)
        TRY(check_weights(exec, call));
    if (call->options.weights != NULL)
        return groups_is_whole(call) ? run_weighted(exec, call) : weighted_quantiles(exec, call);
    if (groups_is_whole(call))
        return groups_run_whole(exec, call);
    TRY(groups_collect(exec, call, &done));
    if (!done)
        TRY(groups_order_rows(exec, call, call->job.keys == NULL));
    TRY(groups_tell(exec, call));
    return ordo_loop(exec, call->count, GROUPS_PIECE, quantiles_piece, call) ? ORDO_OK
                                                                             : ORDO_E_CANCELLED;
}

ordo_status ordo_group_quantiles(ordo_ctx *ctx, const ordo_groups *groups, ordo_type type,
                                 const void *keys, size_t n, const double *q, size_t count,
                                 double *out, const ordo_group_opts *opts)
{
    group_call call = {.job = {.verb = ORDO_GROUP_QUANTILES,
                               .type = type,
                               .keys = keys,
                               .n = n,
                               .q = q,
                               .each = count,
                               .quantiles = out}};
    API_CALL("group_quantiles", type, n, quantiles_checked(ctx, exec, &call, groups, opts));
}

ordo_status ordo_group_median(ordo_ctx *ctx, const ordo_groups *groups, ordo_type type,
                              const void *keys, size_t n, double *out, const ordo_group_opts *opts)
{
    static const double half = 0.5;
    group_call          call = {.job = {.verb = ORDO_GROUP_QUANTILES,
                                        .type = type,
                                        .keys = keys,
                                        .n = n,
                                        .q = &half,
                                        .each = 1,
                                        .quantiles = out},
                                .is_median = true};
    API_CALL("group_median", type, n, quantiles_checked(ctx, exec, &call, groups, opts));
}
