/* api_partition.c - ordo_partition and its size query. */
#include "api/api.h"

enum {
    MAX_ELEMENT = 16
};

static ordo_status partition_checked(ordo_ctx *ctx, ordo_exec *exec, ordo_partition_job *job,
                                     const ordo_partition_opts *opts, size_t *bytes)
{
    size_t const        n = job->n, size = job->elem_size;
    size_t *const       n_first = job->n_first;
    size_t              first = 0;
    ordo_partition_opts wish;
    ordo_choice         choice;
    FAIL_IF(job->kind != ORDO_FLAG_BITS && job->kind != ORDO_FLAG_BYTES, ORDO_E_ARG,
            "kind is %d; no such ordo_flags_kind", (int)job->kind);
    FAIL_IF(size < 1 || size > MAX_ELEMENT, ORDO_E_ARG, "elem_size is %zu; expected 1 to %d bytes",
            size, MAX_ELEMENT);
    TRY(api_opts_read(exec, &wish, sizeof wish, opts));
    TRY(api_check_place(exec, wish.flags, ORDO_UNSET_FIRST | ORDO_ON_DEVICE, wish.stream));
    size_t const flag_bytes = job->kind == ORDO_FLAG_BITS ? ordo_div_up(n, 8) : n;
    TRY(api_check_array(exec, job->flags, flag_bytes, 1, "flags"));
    TRY(api_check_array(exec, job->in, n, size, "in"));
    TRY(api_check_array(exec, job->out, n, size, "out"));
    TRY(api_check_apart(exec, job->in, n * size, "in", job->out, n * size, "out"));
    TRY(api_check_apart(exec, job->flags, flag_bytes, "flags", job->out, n * size, "out"));
    TRY(api_choose(ctx, exec, NULL, &choice));
    job->unset_first = (wish.flags & ORDO_UNSET_FIRST) != 0;
    job->n_first = n_first != NULL || !exec->on_device ? &first : NULL;
    ANSWER_SIZE_QUERY(bytes, choice, partition, job);
    TRY(choice.backend->partition(choice.state, job, exec));
    if (n_first != NULL)
        *n_first = first;
    return ORDO_OK;
}

ordo_status ordo_partition(ordo_ctx *ctx, ordo_flags_kind kind, const void *flags, const void *in,
                           size_t n, size_t elem_size, void *out, size_t *n_first,
                           const ordo_partition_opts *opts)
{
    ordo_partition_job job = {kind, flags, in, n, elem_size, out, false, n_first};
    API_CALL("partition", (ordo_type)0, n, partition_checked(ctx, exec, &job, opts, NULL));
}

ordo_status ordo_partition_scratch(ordo_ctx *ctx, ordo_flags_kind kind, size_t n, size_t elem_size,
                                   const ordo_partition_opts *opts, size_t *bytes)
{
    ordo_partition_job job = {.kind = kind, .n = n, .elem_size = elem_size};
    API_SIZE_QUERY(bytes, partition_checked(ctx, exec, &job, opts, bytes));
}
