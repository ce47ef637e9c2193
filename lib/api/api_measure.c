/* api_measure.c - ordo_is_sorted, ordo_radius, ordo_runs and ordo_copy. */
#include "api/api.h"

static ordo_status check_order(ordo_exec *exec, ordo_type type, const ordo_order_opts *opts,
                               bool has_algorithm, ordo_order_opts *wish)
{
    TRY(api_check_type(exec, type, "type"));
    TRY(api_opts_read(exec, wish, sizeof *wish, opts));
    TRY(api_check_place(exec, wish->flags, ORDO_DESCENDING | ORDO_ON_DEVICE, wish->stream));
    FAIL_IF(wish->reserved != 0, ORDO_E_VERSION, "opts.reserved is not 0");
    FAIL_IF(wish->algorithm > (has_algorithm ? ORDO_ALGORITHM_SEQUENTIAL : ORDO_ALGORITHM_AUTO),
            ORDO_E_ARG, "algorithm is %u; expected auto%s", wish->algorithm,
            has_algorithm ? " or sequential" : "");
    return ORDO_OK;
}

static ordo_status is_sorted_checked(ordo_ctx *ctx, ordo_exec *exec, ordo_type type,
                                     const void *keys, size_t n, int *sorted, size_t *where,
                                     const ordo_order_opts *opts)
{
    ordo_order_opts wish;
    ordo_choice     choice;
    size_t          found = n;
    TRY(check_order(exec, type, opts, false, &wish));
    TRY(api_check_aligned(exec, keys, n, ordo_type_size(type), "keys"));
    FAIL_IF(sorted == NULL, ORDO_E_ARG, "sorted is NULL");
    TRY(api_choose(ctx, exec, NULL, &choice));
    ordo_order_job const job = {type, keys, n, (wish.flags & ORDO_DESCENDING) != 0, &found};
    TRY(choice.backend->is_sorted(choice.state, &job, exec));
    *sorted = found == n;
    if (where != NULL)
        *where = found;
    return ORDO_OK;
}

ordo_status ordo_is_sorted(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n, int *sorted,
                           size_t *where, const ordo_order_opts *opts)
{
    API_CALL("is_sorted", type, n,
             is_sorted_checked(ctx, exec, type, keys, n, sorted, where, opts));
}

static ordo_status radius_checked(ordo_ctx *ctx, ordo_exec *exec, const ordo_radius_job *asked,
                                  const ordo_order_opts *opts, size_t *bytes)
{
    ordo_radius_job measured = *asked, *const job = &measured; /* its radius is `found` */
    size_t *const   radius = job->radius;
    size_t          found = 0;
    ordo_order_opts wish;
    ordo_choice     choice;
    TRY(check_order(exec, job->type, opts, true, &wish));
    TRY(api_check_aligned(exec, job->keys, job->n, ordo_type_size(job->type), "keys"));
    FAIL_IF(radius == NULL && bytes == NULL, ORDO_E_ARG, "radius is NULL");
    TRY(api_choose(ctx, exec, NULL, &choice));
    NEEDS(choice, radius);
    job->descending = (wish.flags & ORDO_DESCENDING) != 0;
    job->algorithm = (ordo_algorithm)wish.algorithm;
    job->radius = &found;
    ANSWER_SIZE_QUERY(bytes, choice, radius, job);
    TRY(choice.backend->radius(choice.state, job, exec));
    *radius = found;
    return ORDO_OK;
}

ordo_status ordo_radius(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n, size_t *radius,
                        const ordo_order_opts *opts)
{
    ordo_radius_job const job = {.type = type, .keys = keys, .n = n, .radius = radius};
    API_CALL("radius", type, n, radius_checked(ctx, exec, &job, opts, NULL));
}

ordo_status ordo_radius_scratch(ordo_ctx *ctx, ordo_type type, size_t n,
                                const ordo_order_opts *opts, size_t *bytes)
{
    ordo_radius_job const job = {.type = type, .n = n};
    API_SIZE_QUERY(bytes, radius_checked(ctx, exec, &job, opts, bytes));
}

static ordo_status runs_checked(ordo_ctx *ctx, ordo_exec *exec, ordo_type type, const void *keys,
                                size_t n, size_t *runs, const ordo_order_opts *opts)
{
    ordo_order_opts wish;
    ordo_choice     choice;
    size_t          found = 0;
    TRY(check_order(exec, type, opts, false, &wish));
    TRY(api_check_aligned(exec, keys, n, ordo_type_size(type), "keys"));
    FAIL_IF(runs == NULL, ORDO_E_ARG, "runs is NULL");
    TRY(api_choose(ctx, exec, NULL, &choice));
    NEEDS(choice, runs);
    ordo_runs_job const job = {type, keys, n, (wish.flags & ORDO_DESCENDING) != 0, &found};
    TRY(choice.backend->runs(choice.state, &job, exec));
    *runs = found;
    return ORDO_OK;
}

ordo_status ordo_runs(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n, size_t *runs,
                      const ordo_order_opts *opts)
{
    API_CALL("runs", type, n, runs_checked(ctx, exec, type, keys, n, runs, opts));
}

static ordo_status copy_checked(ordo_ctx *ctx, ordo_exec *exec, void *dst, const void *src,
                                size_t bytes)
{
    ordo_choice choice;
    TRY(api_check_array(exec, dst, bytes, 1, "dst"));
    TRY(api_check_array(exec, src, bytes, 1, "src"));
    TRY(api_check_apart(exec, dst, bytes, "dst", src, bytes, "src"));
    TRY(api_choose(ctx, exec, NULL, &choice));
    ordo_copy_job const job = {dst, src, bytes};
    return choice.backend->copy(choice.state, &job, exec);
}

ordo_status ordo_copy(ordo_ctx *ctx, void *dst, const void *src, size_t bytes)
{
    API_CALL("copy", (ordo_type)0, bytes, copy_checked(ctx, exec, dst, src, bytes));
}
