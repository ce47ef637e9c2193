/* api_measure.c - ordo_is_sorted, ordo_radius with its size query, ordo_runs and ordo_copy. */
#include "api/api.h"
#include "core/keybits.h"

enum {
    FEW_KEYS = 4,
    SHORT_ROW = 256 /* keys of a row that one loop checks; longer rows take the backend's kernel */
};

#define ORDO_TEMPLATE "api/sorted_row.t.h"
#include "core/for_each_type.h"

static ordo_status check_order(ordo_exec *exec, ordo_type type, const ordo_order_opts *opts,
                               bool is_radius, ordo_order_opts *wish)
{
    TRY(api_check_type(exec, type, "type"));
    TRY(api_opts_read(exec, wish, sizeof *wish, opts));
    TRY(api_check_place(exec, wish->flags, ORDO_DESCENDING | ORDO_ON_DEVICE, wish->stream));
    FAIL_IF(wish->reserved != 0, ORDO_E_VERSION, "opts.reserved is not 0");
    FAIL_IF(wish->algorithm != ORDO_ALGORITHM_AUTO &&
                !(is_radius && (wish->algorithm == ORDO_ALGORITHM_SEQUENTIAL ||
                                wish->algorithm == ORDO_ALGORITHM_PREFIX ||
                                wish->algorithm == ORDO_ALGORITHM_SCANS)),
            ORDO_E_ARG, "algorithm is %s; expected auto%s", API_ALGORITHM(wish->algorithm),
            is_radius ? ", sequential, prefix or scans" : "");
    FAIL_IF(!is_radius && (wish->lr != NULL || wish->rl != NULL || wish->dm != NULL), ORDO_E_ARG,
            "opts.lr, opts.rl and opts.dm are only for ordo_radius");
    return ORDO_OK;
}

static ordo_status is_sorted_array(const api_work *work, void *job, ordo_exec *exec)
{
    ordo_order_job *const order = job;
    size_t *const         where = order->where;
    size_t                found = order->n;
    order->where = &found;
    TRY(work->choice->backend->is_sorted(work->choice->state, order, exec));
    *order->sorted = found == order->n;
    if (where != NULL)
        *where = found;
    return ORDO_OK;
}

static ordo_status is_sorted_rows(const api_work *work, const void *job, size_t rows,
                                  ordo_exec *exec)
{
    const ordo_order_job *const order = job;
    (void)work;
    (void)exec;
    BY_TYPE(order->type, rows_are_sorted,
            (order->keys, rows, order->n, order->descending, order->sorted));
    return ORDO_OK;
}

/* Does a job whose result is a number, which is written only if the job succeeds. */
static ordo_status measure_array(const api_work *work, void *job, ordo_exec *exec)
{
    size_t **const number = work->verb->slot == ORDO_SLOT_RUNS ? &((ordo_runs_job *)job)->runs
                                                               : &((ordo_radius_job *)job)->radius;
    size_t *const  result = *number;
    size_t         found = 0;
    *number = &found;
    TRY(api_run_slot(work, job, exec));
    *result = found;
    return ORDO_OK;
}

/* ---- The calls ---- */

static ordo_status is_sorted_checked(ordo_ctx *ctx, ordo_exec *exec, ordo_order_job *job,
                                     const ordo_order_opts *opts)
{
    ordo_order_opts wish;
    api_segments    segments;
    ordo_choice     choice;
    TRY(check_order(exec, job->type, opts, false, &wish));
    TRY(api_read_segments(exec, wish.segments, job->n, false, &segments));
    TRY(api_check_arrays(exec, &ordo_verb_is_sorted, job));
    FAIL_IF(job->sorted == NULL, ORDO_E_ARG, "sorted is NULL; expected the address of an int");
    TRY(api_choose(ctx, exec, NULL, &choice));
    job->descending = (wish.flags & ORDO_DESCENDING) != 0;
    api_work const work = {.verb = &ordo_verb_is_sorted,
                           .job = job,
                           .choice = &choice,
                           .run = is_sorted_array,
                           .rows = job->where == NULL ? is_sorted_rows : NULL,
                           .rows_most = SHORT_ROW,
                           .needs_scratch = true};
    return api_do(exec, &work, &segments, NULL);
}

ordo_status ordo_is_sorted(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n, int *sorted,
                           size_t *where, const ordo_order_opts *opts)
{
    ordo_order_job job = {.type = type, .keys = keys, .n = n, .where = where, .sorted = sorted};
    API_CALL("is_sorted", type, n, is_sorted_checked(ctx, exec, &job, opts));
}

static ordo_status radius_checked(ordo_ctx *ctx, ordo_exec *exec, ordo_radius_job *job,
                                  const ordo_order_opts *opts, size_t *bytes)
{
    ordo_order_opts wish;
    api_segments    segments;
    ordo_choice     choice;
    TRY(check_order(exec, job->type, opts, true, &wish));
    FAIL_IF(job->radius == NULL && bytes == NULL, ORDO_E_ARG,
            "radius is NULL; expected the address of a size_t");
    job->lr = wish.lr;
    job->rl = wish.rl;
    job->dm = wish.dm;
    TRY(api_read_segments(exec, wish.segments, job->n, ordo_wants_sequences(job), &segments));
    TRY(api_check_arrays(exec, &ordo_verb_radius, job));
    TRY(api_choose(ctx, exec, NULL, &choice));
    NEEDS(choice, radius);
    job->descending = (wish.flags & ORDO_DESCENDING) != 0;
    job->algorithm = (ordo_algorithm)wish.algorithm;
    api_work const work = {.verb = &ordo_verb_radius,
                           .job = job,
                           .choice = &choice,
                           .run = measure_array,
                           .needs_scratch = true};
    return api_do(exec, &work, &segments, bytes);
}

ordo_status ordo_radius(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n, size_t *radius,
                        const ordo_order_opts *opts)
{
    ordo_radius_job job = {.type = type, .keys = keys, .n = n, .radius = radius};
    API_CALL("radius", type, n, radius_checked(ctx, exec, &job, opts, NULL));
}

ordo_status ordo_radius_scratch(ordo_ctx *ctx, ordo_type type, size_t n,
                                const ordo_order_opts *opts, size_t *bytes)
{
    ordo_radius_job job = {.type = type, .n = n};
    API_SIZE_QUERY(bytes, radius_checked(ctx, exec, &job, opts, bytes));
}

static ordo_status runs_checked(ordo_ctx *ctx, ordo_exec *exec, ordo_runs_job *job,
                                const ordo_order_opts *opts)
{
    ordo_order_opts wish;
    api_segments    segments;
    ordo_choice     choice;
    TRY(check_order(exec, job->type, opts, false, &wish));
    TRY(api_read_segments(exec, wish.segments, job->n, false, &segments));
    TRY(api_check_arrays(exec, &ordo_verb_runs, job));
    FAIL_IF(job->runs == NULL, ORDO_E_ARG, "runs is NULL; expected the address of a size_t");
    TRY(api_choose(ctx, exec, NULL, &choice));
    NEEDS(choice, runs);
    job->descending = (wish.flags & ORDO_DESCENDING) != 0;
    api_work const work = {.verb = &ordo_verb_runs,
                           .job = job,
                           .choice = &choice,
                           .run = measure_array,
                           .needs_scratch = true};
    return api_do(exec, &work, &segments, NULL);
}

ordo_status ordo_runs(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n, size_t *runs,
                      const ordo_order_opts *opts)
{
    ordo_runs_job job = {.type = type, .keys = keys, .n = n, .runs = runs};
    API_CALL("runs", type, n, runs_checked(ctx, exec, &job, opts));
}

static ordo_status copy_checked(ordo_ctx *ctx, ordo_exec *exec, void *dst, const void *src,
                                size_t bytes)
{
    ordo_choice         choice;
    ordo_copy_job const job = {dst, src, bytes};
    TRY(api_check_arrays(exec, &ordo_verb_copy, &job));
    TRY(api_choose(ctx, exec, NULL, &choice));
    return choice.backend->copy(choice.state, &job, exec);
}

ordo_status ordo_copy(ordo_ctx *ctx, void *dst, const void *src, size_t bytes)
{
    API_CALL("copy", (ordo_type)0, bytes, copy_checked(ctx, exec, dst, src, bytes));
}
