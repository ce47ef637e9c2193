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
                               bool is_radius, ordo_order_opts *options)
{
    TRY(api_check_type(exec, type, "type"));
    TRY(api_opts_read(exec, options, sizeof *options, opts));
    TRY(api_check_place(exec, options->flags, ORDO_DESCENDING | ORDO_ON_DEVICE, options->stream));
    FAIL_IF(options->reserved != 0, ORDO_E_VERSION, "opts.reserved is not 0");
    FAIL_IF(options->algorithm != ORDO_ALGORITHM_AUTO &&
                !(is_radius && (options->algorithm == ORDO_ALGORITHM_SEQUENTIAL ||
                                options->algorithm == ORDO_ALGORITHM_PREFIX ||
                                options->algorithm == ORDO_ALGORITHM_SCANS)),
            ORDO_E_ARG, "algorithm is %s; expected auto%s", API_ALGORITHM(options->algorithm),
            is_radius ? ", sequential, prefix or scans" : "");
    FAIL_IF(!is_radius && (options->lr != NULL || options->rl != NULL || options->dm != NULL),
            ORDO_E_ARG, "opts.lr, opts.rl and opts.dm are only for ordo_radius");
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

/* ---- The calls ---- */

typedef union measure_job { /* the jobs have the same first fields */
    ordo_order_job  order;
    ordo_radius_job radius;
    ordo_runs_job   runs;
} measure_job;

/* Does a job whose result is a number, which is written only if the job succeeds. */
static ordo_status measure_array(const api_work *work, void *any, ordo_exec *exec)
{
    measure_job *const job = any;
    size_t **const     number =
        work->verb->slot == ORDO_SLOT_runs ? &job->runs.runs : &job->radius.radius;
    size_t *const result = *number;
    size_t        found = 0;
    *number = &found;
    TRY(api_run_slot(work, job, exec));
    *result = found;
    return ORDO_OK;
}

API_INLINE ordo_status measure_checked(ordo_ctx *ctx, ordo_exec *exec, const ordo_verb *verb,
                                       measure_job *job, const ordo_order_opts *opts, size_t *bytes)
{
    bool const      is_order = verb->slot == ORDO_SLOT_is_sorted;
    bool const      is_radius = verb->slot == ORDO_SLOT_radius;
    ordo_order_opts options;
    api_segments    segments;
    ordo_choice     choice;
    TRY(check_order(exec, job->order.type, opts, is_radius, &options));
    if (is_radius) {
        job->radius.lr = options.lr;
        job->radius.rl = options.rl;
        job->radius.dm = options.dm;
        job->radius.algorithm = (ordo_algorithm)options.algorithm;
    }
    TRY(api_read_segments(exec, options.segments, job->order.n,
                          is_radius && ordo_wants_sequences(&job->radius), &segments));
    TRY(api_check_arrays(exec, verb, job));
    const void *const result = is_order    ? (const void *)job->order.sorted
                               : is_radius ? job->radius.radius
                                           : job->runs.runs;
    FAIL_IF(result == NULL && bytes == NULL, ORDO_E_ARG, "%s is NULL; expected the address of %s",
            is_order    ? "sorted"
            : is_radius ? "radius"
                        : "runs",
            is_order ? "an int" : "a size_t");
    TRY(api_choose(ctx, exec, NULL, &choice));
    job->order.descending = (options.flags & ORDO_DESCENDING) != 0;
    api_work const work = {.verb = verb,
                           .job = job,
                           .choice = &choice,
                           .run = is_order ? is_sorted_array : measure_array,
                           .rows = is_order && job->order.where == NULL ? is_sorted_rows : NULL,
                           .rows_most = SHORT_ROW,
                           .needs_scratch = true};
    return api_do(exec, &work, &segments, bytes);
}

ordo_status ordo_is_sorted(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n, int *sorted,
                           size_t *where, const ordo_order_opts *opts)
{
    measure_job job = {
        .order = {.type = type, .keys = keys, .n = n, .where = where, .sorted = sorted}};
    API_CALL("is_sorted", type, n,
             measure_checked(ctx, exec, &ordo_verb_is_sorted, &job, opts, NULL));
}

ordo_status ordo_radius(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n, size_t *radius,
                        const ordo_order_opts *opts)
{
    measure_job job = {.radius = {.type = type, .keys = keys, .n = n, .radius = radius}};
    API_CALL("radius", type, n, measure_checked(ctx, exec, &ordo_verb_radius, &job, opts, NULL));
}

ordo_status ordo_radius_scratch(ordo_ctx *ctx, ordo_type type, size_t n,
                                const ordo_order_opts *opts, size_t *bytes)
{
    measure_job job = {.radius = {.type = type, .n = n}};
    API_SIZE_QUERY(bytes, measure_checked(ctx, exec, &ordo_verb_radius, &job, opts, bytes));
}

ordo_status ordo_runs(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n, size_t *runs,
                      const ordo_order_opts *opts)
{
    measure_job job = {.runs = {.type = type, .keys = keys, .n = n, .runs = runs}};
    API_CALL("runs", type, n, measure_checked(ctx, exec, &ordo_verb_runs, &job, opts, NULL));
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
