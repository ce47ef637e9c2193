/* api_measure.c - ordo_is_sorted, and ordo_copy, the yardstick. */
#include "api/api.h"

static ordo_status is_sorted_checked(ordo_ctx *ctx, ordo_exec *exec, ordo_type type,
                                     const void *keys, size_t n, int *sorted, size_t *where,
                                     const ordo_order_opts *opts)
{
    ordo_order_opts wish;
    ordo_choice     choice;
    size_t          found = n;
    TRY(api_check_type(exec, type, "type"));
    TRY(api_opts_read(exec, &wish, sizeof wish, opts));
    TRY(api_check_flags(exec, wish.flags, ORDO_DESCENDING));
    TRY(api_check_array(exec, keys, n, ordo_type_size(type), "keys"));
    FAIL_IF(sorted == NULL, ORDO_E_ARG, "sorted is NULL");
    TRY(api_choose(ctx, exec, n, &choice));
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
    ordo_exec *exec;
    TRY(api_enter(ctx, "is_sorted", type, n, &exec));
    return api_leave(ctx, is_sorted_checked(ctx, exec, type, keys, n, sorted, where, opts));
}

static ordo_status copy_checked(ordo_ctx *ctx, ordo_exec *exec, void *dst, const void *src,
                                size_t bytes)
{
    ordo_choice choice;
    TRY(api_check_array(exec, dst, bytes, 1, "dst"));
    TRY(api_check_array(exec, src, bytes, 1, "src"));
    TRY(api_check_apart(exec, dst, bytes, "dst", src, bytes, "src"));
    TRY(api_choose(ctx, exec, bytes, &choice));
    ordo_copy_job const job = {dst, src, bytes};
    return choice.backend->copy(choice.state, &job, exec);
}

ordo_status ordo_copy(ordo_ctx *ctx, void *dst, const void *src, size_t bytes)
{
    ordo_exec *exec;
    TRY(api_enter(ctx, "copy", (ordo_type)0, bytes, &exec));
    return api_leave(ctx, copy_checked(ctx, exec, dst, src, bytes));
}
