/* api_windows.c - ordo_moving and its size query. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime in a header */

#include "api/api.h"
#include "api/api_ctx.h"
#include "core/lists.h"

#define MOST_WINDOW ((size_t)1 << 30) /* places within a chunk are 32-bit numbers */

static bool is_bound(ordo_moving_op op) { return op == ORDO_MOVING_MIN || op == ORDO_MOVING_MAX; }

/* Rejects options that belong to another operation. */
static ordo_status check_moving_opts(ordo_exec *exec, const ordo_moving_job *job, size_t window,
                                     const ordo_moving_opts *options)
{
    bool const is_quantile = job->op == ORDO_MOVING_QUANTILE, is_rank = job->op == ORDO_MOVING_RANK;
    bool const is_median = job->op == ORDO_MOVING_MEDIAN;
    TRY(api_check_place(exec, options->flags, ORDO_DESCENDING | ORDO_ON_DEVICE, options->stream));
    FAIL_IF((options->flags & ORDO_DESCENDING) != 0 && !is_rank, ORDO_E_ARG,
            "ORDO_DESCENDING is only for moving ranks");
    FAIL_IF(window == 0, ORDO_E_ARG, "window is 0; expected at least 1");
    FAIL_IF(options->min_periods > window, ORDO_E_ARG,
            "min_periods is %zu; expected at most the window, %zu", options->min_periods, window);
    FAIL_IF(options->min_periods > 1 && !ordo_is_float(job->out_type), ORDO_E_ARG,
            "min_periods is %zu; results of type %s have no NaN, expected 0 or 1",
            options->min_periods, ordo_type_name(job->out_type));
    FAIL_IF(!(options->q >= 0 && options->q <= 1), ORDO_E_ARG, "q is %g; expected 0 to 1",
            options->q);
    FAIL_IF(options->q != 0 && !is_quantile, ORDO_E_ARG, "q is only for moving quantiles");
    TRY(api_check_nans(exec, options->nans));
    TRY(api_check_method(exec, options->method, is_median));
    FAIL_IF(options->method != 0 && !is_quantile && !is_median, ORDO_E_ARG,
            "method is only for moving medians and quantiles");
    TRY(api_check_ties(exec, options->ties));
    FAIL_IF(options->ties != 0 && !is_rank, ORDO_E_ARG, "ties is only for moving ranks");
    FAIL_IF(options->first != NULL && is_bound(job->op), ORDO_E_ARG,
            "opts.first is not for minima and maxima: use quantiles 0 and 1");
    FAIL_IF(options->first != NULL && options->center != 0, ORDO_E_ARG,
            "opts.first and opts.center cannot be used together");
    return ORDO_OK;
}

static ordo_status check_first(const ordo_moving_job *job, ordo_exec *exec)
{
    for (size_t i = 0; job->first != NULL && i < job->n; i++) {
        size_t const least = i > job->back ? i - job->back : 0;
        size_t const before = i > 0 ? job->first[i - 1] : 0;
        FAIL_IF(job->first[i] > i || job->first[i] < ordo_max(least, before), ORDO_E_ARG,
                "opts.first[%zu] is %zu; expected %zu to %zu", i, job->first[i],
                ordo_max(least, before), i);
    }
    return ORDO_OK;
}

static ordo_status check_moving_types(ordo_exec *exec, const ordo_moving_job *job)
{
    FAIL_IF(job->op < ORDO_MOVING_MEDIAN || job->op > ORDO_MOVING_MAX, ORDO_E_ARG,
            "op is %d; expected an ordo_moving_op, ORDO_MOVING_MEDIAN (1) to ORDO_MOVING_MAX (5)",
            (int)job->op);
    TRY(api_check_type(exec, job->type, "type"));
    TRY(api_check_type(exec, job->out_type, "out_type"));
    FAIL_IF(job->out_type != ORDO_F64 && !(is_bound(job->op) && job->out_type == job->type),
            ORDO_E_ARG, "out_type is %s; expected f64%s", ordo_type_name(job->out_type),
            is_bound(job->op) ? " or the type of the keys" : "");
    return ORDO_OK;
}

/* Fills the job with the defaults. `longest` is the length of the longest segment. */
static void read_moving(ordo_moving_job *job, size_t window, size_t longest,
                        const ordo_moving_opts *options)
{
    size_t const ahead = options->center != 0 ? (window - 1) / 2 : 0;
    job->ahead = ordo_min(ahead, longest);
    job->back = ordo_min(window - 1 - ahead, longest);
    job->min_periods = options->min_periods != 0      ? options->min_periods
                       : ordo_is_float(job->out_type) ? window
                                                      : 1;
    job->nans = (ordo_nans)options->nans;
    job->q = job->op == ORDO_MOVING_QUANTILE ? options->q : 0.5;
    job->method = (ordo_method)options->method;
    job->ties = (ordo_ties)options->ties;
    job->descending = (options->flags & ORDO_DESCENDING) != 0;
}

/* The window of a segment is not longer than the segment. */
static const ordo_moving_job *shortened(void *job)
{
    ordo_moving_job *const moving = job;
    moving->back = ordo_min(moving->back, moving->n);
    moving->ahead = ordo_min(moving->ahead, moving->n);
    return moving;
}

static ordo_status moving_array(const api_work *work, void *job, ordo_exec *exec)
{
    TRY(check_first(shortened(job), exec));
    return work->choice->backend->moving(work->choice->state, shortened(job), exec);
}

static size_t moving_array_scratch(const api_work *work, void *job, const ordo_exec *exec)
{
    return work->choice->backend->moving_scratch(shortened(job), exec);
}

static ordo_status moving_checked(ordo_ctx *ctx, ordo_exec *exec, ordo_moving_job *job,
                                  size_t window, const ordo_moving_opts *opts, size_t *bytes)
{
    size_t const     n = job->n;
    ordo_moving_opts options;
    api_segments     segments;
    ordo_choice      choice;
    TRY(check_moving_types(exec, job));
    TRY(api_opts_read(exec, &options, sizeof options, opts));
    TRY(check_moving_opts(exec, job, window, &options));
    job->first = options.first;
    TRY(api_read_segments(exec, options.segments, n, true, &segments));
    TRY(api_check_arrays(exec, &ordo_verb_moving, job));
    FAIL_IF(!is_bound(job->op) && ordo_min(window, segments.longest) > MOST_WINDOW, ORDO_E_ARG,
            "window is %zu; expected at most 2^30", window);
    TRY(api_choose(ctx, exec, NULL, &choice));
    TRY(api_check_slot(exec, &choice, choice.backend->moving != NULL, "moving windows"));
    TRY(api_check_slot(exec, &choice, job->first == NULL || choice.backend == ctx->plan.cpu,
                       "moving windows of different lengths"));
    read_moving(job, window, segments.longest, &options);
    api_work const work = {.verb = &ordo_verb_moving,
                           .job = job,
                           .choice = &choice,
                           .run = moving_array,
                           .scratch = moving_array_scratch,
                           .needs_scratch = true};
    return api_do(exec, &work, &segments, bytes);
}

ordo_status ordo_moving(ordo_ctx *ctx, ordo_moving_op op, ordo_type type, const void *in, size_t n,
                        size_t window, ordo_type out_type, void *out, const ordo_moving_opts *opts)
{
    ordo_moving_job job = {
        .op = op, .type = type, .in = in, .n = n, .out_type = out_type, .out = out};
    API_CALL("moving", type, n, moving_checked(ctx, exec, &job, window, opts, NULL));
}

ordo_status ordo_moving_scratch(ordo_ctx *ctx, ordo_moving_op op, ordo_type type, size_t n,
                                size_t window, ordo_type out_type, const ordo_moving_opts *opts,
                                size_t *bytes)
{
    ordo_moving_job job = {.op = op, .type = type, .n = n, .out_type = out_type};
    API_SIZE_QUERY(bytes, moving_checked(ctx, exec, &job, window, opts, bytes));
}
