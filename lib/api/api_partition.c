/* api_partition.c - ordo_partition, ordo_nth and their size queries. */
#include "api/api.h"

enum {
    MAX_ELEMENT = 16
};

static ordo_status partition_checked(ordo_ctx *ctx, ordo_exec *exec, ordo_partition_job *job,
                                     const ordo_partition_opts *opts, size_t *bytes)
{
    size_t const        size = job->elem_size;
    size_t *const       n_first = job->n_first;
    size_t              first = 0;
    ordo_partition_opts options;
    ordo_choice         choice;
    FAIL_IF(job->kind != ORDO_FLAG_BITS && job->kind != ORDO_FLAG_BYTES, ORDO_E_ARG,
            "kind is %d; expected ORDO_FLAG_BITS or ORDO_FLAG_BYTES", (int)job->kind);
    FAIL_IF(size < 1 || size > MAX_ELEMENT, ORDO_E_ARG, "elem_size is %zu; expected 1 to %d bytes",
            size, MAX_ELEMENT);
    TRY(api_opts_read(exec, &options, sizeof options, opts));
    TRY(api_check_place(exec, options.flags, ORDO_UNSET_FIRST | ORDO_ON_DEVICE, options.stream));
    TRY(api_check_arrays(exec, &ordo_verb_partition, job));
    TRY(api_choose(ctx, exec, NULL, &choice));
    job->unset_first = (options.flags & ORDO_UNSET_FIRST) != 0;
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

/* ---- Around the k-th key ---- */

static ordo_status nth_checked(ordo_ctx *ctx, ordo_exec *exec, ordo_nth_job *job,
                               const ordo_select_opts *opts, size_t *bytes)
{
    ordo_select_opts options;
    api_segments     segments;
    ordo_choice      choice;
    TRY(api_check_type(exec, job->type, "type"));
    TRY(api_opts_read(exec, &options, sizeof options, opts));
    TRY(api_check_place(exec, options.flags, ORDO_DESCENDING | ORDO_ANY_ORDER | ORDO_ON_DEVICE,
                        options.stream));
    TRY(api_read_segments(exec, options.segments, job->n, true, &segments));
    FAIL_IF(options.nans != ORDO_NANS_LAST, ORDO_E_ARG, "nans is %u; expected ORDO_NANS_LAST",
            options.nans);
    FAIL_IF(options.algorithm != ORDO_ALGORITHM_AUTO || options.sub_array != 0, ORDO_E_ARG,
            "algorithm is %s and sub_array is %llu; expected auto and 0",
            API_ALGORITHM(options.algorithm), (unsigned long long)options.sub_array);
    job->descending = (options.flags & ORDO_DESCENDING) != 0;
    job->any_order = (options.flags & ORDO_ANY_ORDER) != 0;
    if (bytes == NULL) {
        TRY(segments.given ? api_check_positions_each(exec, &job->k, 1, &segments)
                           : api_check_positions(exec, &job->k, 1, job->n, "keys"));
        if (job->index != NULL)
            TRY(api_check_index_type(exec, job->index_type, segments.longest));
        TRY(api_check_arrays(exec, &ordo_verb_nth, job));
    }
    TRY(api_choose(ctx, exec, NULL, &choice));
    TRY(api_check_slot(exec, &choice, choice.backend->nth != NULL, "split around a key"));
    if (bytes == NULL && job->out == NULL && job->index == NULL)
        return ORDO_OK;
    api_work const work = {
        .verb = &ordo_verb_nth, .job = job, .choice = &choice, .needs_scratch = true};
    return api_do(exec, &work, &segments, bytes);
}

ordo_status ordo_nth(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n, size_t k, void *out,
                     ordo_type index_type, void *index, const ordo_select_opts *opts)
{
    ordo_nth_job job = {type, keys, n, k, out, index_type, index, false, false, NULL};
    API_CALL("nth", type, n, nth_checked(ctx, exec, &job, opts, NULL));
}

ordo_status ordo_nth_scratch(ordo_ctx *ctx, ordo_type type, size_t n, const ordo_select_opts *opts,
                             size_t *bytes)
{
    ordo_nth_job job = {.type = type, .n = n, .index_type = ORDO_U64};
    API_SIZE_QUERY(bytes, nth_checked(ctx, exec, &job, opts, bytes));
}
