/* api_records.c - ordo_sort_records with its size query, ordo_gather and ordo_scatter. */
#include "api/api.h"

static ordo_status records_checked(ordo_ctx *ctx, ordo_exec *exec, ordo_records_job *job,
                                   const ordo_sort_opts *opts, size_t *bytes)
{
    ordo_sort_opts options;
    ordo_choice    choice;
    TRY(api_check_type(exec, job->type, "type"));
    TRY(api_read_sort_flags(exec, opts, ORDO_DESCENDING | ORDO_STABLE | ORDO_ON_DEVICE,
                            "ordo_sort_records", &options));
    FAIL_IF(options.algorithm != ORDO_ALGORITHM_AUTO && options.algorithm != ORDO_ALGORITHM_RADIX,
            ORDO_E_ARG, "algorithm %s does not sort structs; expected auto or radix",
            API_ALGORITHM(options.algorithm));
    size_t const key_size = ordo_type_size(job->type);
    FAIL_IF(job->size < key_size || job->key_offset > job->size - key_size, ORDO_E_ARG,
            "a key %s at byte %zu does not fit an element of %zu bytes", ordo_type_name(job->type),
            job->key_offset, job->size);
    TRY(api_check_arrays(exec, &ordo_verb_sort_records, job));
    TRY(api_choose(ctx, exec, NULL, &choice));
    TRY(api_check_slot(exec, &choice, choice.backend->sort_records != NULL, "sort of structs"));
    job->descending = (options.flags & ORDO_DESCENDING) != 0;
    ANSWER_SIZE_QUERY(bytes, choice, sort_records, job);
    ordo_status const status = choice.backend->sort_records(choice.state, job, exec);
    FAIL_IF(status == ORDO_E_CANCELLED, status,
            "sort_records was cancelled; the array holds its elements in an unspecified order");
    return status;
}

ordo_status ordo_sort_records(ordo_ctx *ctx, void *base, size_t n, size_t size, size_t key_offset,
                              ordo_type type, const ordo_sort_opts *opts)
{
    ordo_records_job job = {base, n, size, key_offset, type, false};
    API_CALL("sort_records", type, n, records_checked(ctx, exec, &job, opts, NULL));
}

ordo_status ordo_sort_records_scratch(ordo_ctx *ctx, size_t n, size_t size, size_t key_offset,
                                      ordo_type type, const ordo_sort_opts *opts, size_t *bytes)
{
    ordo_records_job job = {NULL, n, size, key_offset, type, false};
    API_SIZE_QUERY(bytes, records_checked(ctx, exec, &job, opts, bytes));
}

/* ---- Gather and scatter ---- */

static ordo_status move_checked(ordo_ctx *ctx, ordo_exec *exec, const ordo_move_job *job,
                                const ordo_move_opts *opts)
{
    ordo_move_opts options;
    ordo_choice    choice;
    TRY(api_opts_read(exec, &options, sizeof options, opts));
    TRY(api_check_place(exec, options.flags, ORDO_ON_DEVICE, options.stream));
    FAIL_IF(job->size == 0, ORDO_E_ARG, "size is 0; expected the size of an element in bytes");
    TRY(api_check_index_type(exec, job->index_type, 0));
    TRY(api_check_arrays(exec, &ordo_verb_move, job)); /* a scatter has the same arrays */
    TRY(api_choose(ctx, exec, NULL, &choice));
    TRY(api_check_slot(exec, &choice, choice.backend->move != NULL,
                       job->scatters ? "scatter" : "gather"));
    return choice.backend->move(choice.state, job, exec);
}

ordo_status ordo_gather(ordo_ctx *ctx, const void *in, size_t n, size_t size, ordo_type index_type,
                        const void *index, size_t count, void *out, const ordo_move_opts *opts)
{
    ordo_move_job const job = {in, n, size, index_type, index, count, out, false};
    API_CALL("gather", (ordo_type)0, count, move_checked(ctx, exec, &job, opts));
}

ordo_status ordo_scatter(ordo_ctx *ctx, const void *in, size_t count, size_t size,
                         ordo_type index_type, const void *index, void *out, size_t n,
                         const ordo_move_opts *opts)
{
    ordo_move_job const job = {in, n, size, index_type, index, count, out, true};
    API_CALL("scatter", (ordo_type)0, count, move_checked(ctx, exec, &job, opts));
}
