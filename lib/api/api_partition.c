/* api_partition.c - ordo_partition and its size query. */
#include "api/api.h"

enum {
    MAX_ELEMENT = 16
};

static ordo_status check_partition(ordo_exec *exec, ordo_flags_kind kind, size_t elem_size,
                                   const ordo_partition_opts *opts, ordo_partition_opts *wish)
{
    FAIL_IF(kind != ORDO_FLAG_BITS && kind != ORDO_FLAG_BYTES, ORDO_E_ARG,
            "kind is %d; no such ordo_flags_kind", (int)kind);
    FAIL_IF(elem_size < 1 || elem_size > MAX_ELEMENT, ORDO_E_ARG,
            "elem_size is %zu; expected 1 to %d bytes", elem_size, MAX_ELEMENT);
    TRY(api_opts_read(exec, wish, sizeof *wish, opts));
    return api_check_place(exec, wish->flags, ORDO_UNSET_FIRST | ORDO_ON_DEVICE, wish->stream);
}

static ordo_status partition_checked(ordo_ctx *ctx, ordo_exec *exec, ordo_flags_kind kind,
                                     const void *flags, const void *in, size_t n, size_t elem_size,
                                     void *out, size_t *n_first, const ordo_partition_opts *opts)
{
    ordo_partition_opts wish;
    ordo_choice         choice;
    size_t              first = 0;
    TRY(check_partition(exec, kind, elem_size, opts, &wish));
    size_t const flag_bytes = kind == ORDO_FLAG_BITS ? ordo_div_up(n, 8) : n;
    TRY(api_check_array(exec, flags, flag_bytes, 1, "flags"));
    TRY(api_check_array(exec, in, n, elem_size, "in"));
    TRY(api_check_array(exec, out, n, elem_size, "out"));
    TRY(api_check_apart(exec, in, n * elem_size, "in", out, n * elem_size, "out"));
    TRY(api_check_apart(exec, flags, flag_bytes, "flags", out, n * elem_size, "out"));
    TRY(api_choose(ctx, exec, NULL, &choice));
    bool const               count = n_first != NULL || !exec->on_device;
    ordo_partition_job const job = {kind,
                                    flags,
                                    in,
                                    n,
                                    elem_size,
                                    out,
                                    (wish.flags & ORDO_UNSET_FIRST) != 0,
                                    count ? &first : NULL};
    TRY(choice.backend->partition(choice.state, &job, exec));
    if (n_first != NULL)
        *n_first = first;
    return ORDO_OK;
}

ordo_status ordo_partition(ordo_ctx *ctx, ordo_flags_kind kind, const void *flags, const void *in,
                           size_t n, size_t elem_size, void *out, size_t *n_first,
                           const ordo_partition_opts *opts)
{
    ordo_exec *exec;
    TRY(api_enter(ctx, "partition", (ordo_type)0, n, &exec));
    return api_leave(
        ctx, partition_checked(ctx, exec, kind, flags, in, n, elem_size, out, n_first, opts));
}

static ordo_status partition_scratch(ordo_ctx *ctx, ordo_exec *exec, ordo_flags_kind kind, size_t n,
                                     size_t elem_size, const ordo_partition_opts *opts,
                                     size_t *bytes)
{
    ordo_partition_opts wish;
    ordo_choice         choice;
    TRY(check_partition(exec, kind, elem_size, opts, &wish));
    TRY(api_check_count(exec, n, elem_size, "in"));
    FAIL_IF(bytes == NULL, ORDO_E_ARG, "bytes is NULL");
    TRY(api_choose(ctx, exec, NULL, &choice));
    ordo_partition_job const job = {.kind = kind, .n = n, .elem_size = elem_size};
    *bytes = api_scratch_total(choice.backend->partition_scratch(&job, exec));
    return ORDO_OK;
}

ordo_status ordo_partition_scratch(ordo_ctx *ctx, ordo_flags_kind kind, size_t n, size_t elem_size,
                                   const ordo_partition_opts *opts, size_t *bytes)
{
    ordo_exec *exec;
    TRY(api_enter_query(ctx, &exec));
    return api_leave_query(ctx, partition_scratch(ctx, exec, kind, n, elem_size, opts, bytes));
}
