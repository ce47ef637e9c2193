/* api_sets.c - ordo_unique with its size query, and ordo_search. */
#include "api/api.h"

static ordo_status unique_checked(ordo_ctx *ctx, ordo_exec *exec, ordo_unique_job *job,
                                  const ordo_sort_opts *opts, size_t *bytes)
{
    size_t *const  count = job->count;
    size_t         found = 0;
    ordo_sort_opts options;
    ordo_choice    choice;
    TRY(api_check_type(exec, job->type, "type"));
    TRY(api_opts_read(exec, &options, sizeof options, opts));
    TRY(api_check_place(exec, options.flags, ORDO_DESCENDING, options.stream));
    FAIL_IF(options.algorithm != ORDO_ALGORITHM_AUTO || options.radius != 0 ||
                options.reserved != 0 || options.source != NULL || options.segments != NULL,
            ORDO_E_ARG, "opts has more than flags; expected only ORDO_DESCENDING");
    if (bytes == NULL) {
        TRY(api_check_arrays(exec, &ordo_verb_unique, job));
        FAIL_IF(count == NULL, ORDO_E_ARG, "count is NULL; expected the address of a size_t");
    }
    TRY(api_choose(ctx, exec, NULL, &choice));
    NEEDS(choice, unique);
    job->descending = (options.flags & ORDO_DESCENDING) != 0;
    ANSWER_SIZE_QUERY(bytes, choice, unique, job);
    ordo_unique_job counted = *job;
    counted.count = &found;
    TRY(choice.backend->unique(choice.state, &counted, exec));
    *count = found;
    return ORDO_OK;
}

ordo_status ordo_unique(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n, void *out,
                        size_t *count, const ordo_sort_opts *opts)
{
    ordo_unique_job job = {.type = type, .keys = keys, .n = n, .out = out, .count = count};
    API_CALL("unique", type, n, unique_checked(ctx, exec, &job, opts, NULL));
}

ordo_status ordo_unique_scratch(ordo_ctx *ctx, ordo_type type, size_t n, const ordo_sort_opts *opts,
                                size_t *bytes)
{
    ordo_unique_job job = {.type = type, .n = n};
    API_SIZE_QUERY(bytes, unique_checked(ctx, exec, &job, opts, bytes));
}

/* ---- Searches ---- */

static ordo_status search_checked(ordo_ctx *ctx, ordo_exec *exec, ordo_needles_job *job,
                                  const ordo_search_opts *opts)
{
    ordo_search_opts options;
    ordo_choice      choice;
    TRY(api_check_type(exec, job->type, "type"));
    TRY(api_opts_read(exec, &options, sizeof options, opts));
    TRY(api_check_place(exec, options.flags, ORDO_DESCENDING, NULL));
    FAIL_IF(options.reserved != 0, ORDO_E_VERSION, "opts.reserved is not 0");
    FAIL_IF(options.side > ORDO_SIDE_RIGHT, ORDO_E_ARG,
            "opts.side is %u; expected ORDO_SIDE_LEFT or ORDO_SIDE_RIGHT", options.side);
    FAIL_IF(job->index_type != ORDO_U32 && job->index_type != ORDO_U64, ORDO_E_ARG,
            "index_type is %d; expected ORDO_U32 or ORDO_U64", (int)job->index_type);
    FAIL_IF(job->index_type == ORDO_U32 && job->n > UINT32_MAX, ORDO_E_ARG,
            "index_type is ORDO_U32 and n is %zu; expected ORDO_U64 from 2^32 keys on", job->n);
    TRY(api_check_arrays(exec, &ordo_verb_search, job));
    TRY(api_choose(ctx, exec, NULL, &choice));
    NEEDS(choice, places);
    job->descending = (options.flags & ORDO_DESCENDING) != 0;
    job->after = options.side == ORDO_SIDE_RIGHT;
    return choice.backend->places(choice.state, job, exec);
}

ordo_status ordo_search(ordo_ctx *ctx, ordo_type type, const void *sorted, size_t n,
                        const void *needles, size_t count, ordo_type index_type, void *index,
                        const ordo_search_opts *opts)
{
    ordo_needles_job job = {.type = type,
                            .sorted = sorted,
                            .n = n,
                            .needles = needles,
                            .count = count,
                            .index_type = index_type,
                            .index = index};
    API_CALL("search", type, count, search_checked(ctx, exec, &job, opts));
}
