/* api_topk.c - ordo_topk and its size query: the first k keys in order, of an array or of each
 * segment. */
#include "api/api.h"

#include <string.h>

typedef struct topk_segments { /* the first keys of each segment; the job lacks keys and n of the
                                * segment */
    const ordo_choice *choice;
    ordo_topk_job      job; /* values and index are those of the first segment */
    bool               omit;
    size_t            *found;
} topk_segments;

static ordo_status topk_array(ordo_exec *exec, const ordo_choice *choice, ordo_topk_job *job,
                              bool omit, size_t *found)
{
    size_t nans = 0;
    if (omit)
        TRY(api_count_nans(exec, choice, job->type, job->keys, job->n, &nans));
    job->k = ordo_min(job->k, job->n - nans);
    if (job->k > 0 && (job->values != NULL || job->index != NULL))
        TRY(choice->backend->topk(choice->state, job, exec));
    if (found != NULL)
        *found = job->k;
    return ORDO_OK;
}

static ordo_status topk_one(const void *arg, size_t i, size_t n, void *const *at, ordo_exec *exec)
{
    const topk_segments *const call = arg;
    ordo_topk_job              job = call->job;
    size_t const               before = i * job.k;
    job.keys = at[0];
    job.n = n;
    if (job.values != NULL)
        job.values = (char *)job.values + before * ordo_type_size(job.type);
    if (job.index != NULL)
        job.index = (char *)job.index + before * ordo_type_size(job.index_type);
    return topk_array(exec, call->choice, &job, call->omit,
                      call->found != NULL ? call->found + i : NULL);
}

/* The keys of short rows by the order of each row. NaNs count. */
static ordo_status topk_rows(const void *arg, size_t i, size_t count, size_t n, void *const *at,
                             ordo_exec *exec)
{
    const topk_segments *const call = arg;
    const ordo_topk_job *const job = &call->job;
    size_t const               size = ordo_type_size(job->type), k = ordo_min(job->k, n);
    api_rows_order             order;
    (void)exec;
    for (size_t done = 0, rows; done < count; done += rows) {
        const char *const keys = (const char *)at[0] + done * n * size;
        rows =
            api_order_rows(call->choice, job->type, job->descending, keys, count - done, n, &order);
        for (size_t r = 0; r < rows; r++) {
            const uint8_t *const places = order.places + r * n;
            size_t const         to = (i + done + r) * job->k;
            for (size_t j = 0; job->values != NULL && j < k; j++)
                memcpy((char *)job->values + (to + j) * size, keys + (r * n + places[j]) * size,
                       size);
            for (size_t j = 0; job->index != NULL && j < k; j++)
                if (job->index_type == ORDO_U32)
                    ((uint32_t *)job->index)[to + j] = places[j];
                else
                    ((uint64_t *)job->index)[to + j] = places[j];
            if (call->found != NULL)
                call->found[i + done + r] = k;
        }
    }
    return ORDO_OK;
}

static size_t topk_one_scratch(const void *arg, size_t n, const ordo_exec *exec)
{
    const topk_segments *const call = arg;
    ordo_topk_job              job = call->job;
    job.n = n;
    job.k = ordo_min(job.k, n);
    return job.k == 0 ? 0 : call->choice->backend->topk_scratch(&job, exec);
}

/* Checks the arrays; there are `results` results in all segments. */
static ordo_status check_topk_arrays(ordo_exec *exec, const ordo_topk_job *job, size_t results)
{
    size_t const size = ordo_type_size(job->type), index_size = ordo_type_size(job->index_type);
    size_t const values = job->values != NULL ? results : 0;
    size_t const indices = job->index != NULL ? results : 0;
    TRY(api_check_aligned(exec, job->keys, job->n, size, "keys"));
    TRY(api_check_aligned(exec, job->values, values, size, "values"));
    TRY(api_check_aligned(exec, job->index, indices, index_size, "index"));
    TRY(api_check_apart(exec, job->keys, job->n * size, "keys", job->values, values * size,
                        "values"));
    TRY(api_check_apart(exec, job->keys, job->n * size, "keys", job->index, indices * index_size,
                        "index"));
    return api_check_apart(exec, job->values, values * size, "values", job->index,
                           indices * index_size, "index");
}

static ordo_status topk_checked(ordo_ctx *ctx, ordo_exec *exec, ordo_topk_job *job, size_t *found,
                                const ordo_select_opts *opts, size_t *bytes)
{
    ordo_select_opts wish;
    api_segments     segments;
    ordo_choice      choice;
    size_t           results = ordo_min(job->k, job->n);
    TRY(api_read_select_opts(exec, job->type, opts, job->n, &wish, &segments));
    FAIL_IF(wish.nans == ORDO_NANS_PROPAGATE, ORDO_E_ARG,
            "nans is propagate; expected last or omit");
    FAIL_IF(wish.algorithm != ORDO_ALGORITHM_AUTO, ORDO_E_ARG, "algorithm is %s; expected auto",
            API_ALGORITHM(wish.algorithm));
    TRY(api_check_select_algorithm(exec, wish.algorithm, wish.sub_array));
    TRY(api_check_index_type(exec, job->index_type, segments.longest));
    if (segments.given)
        TRY(api_results(exec, &segments, job->k, &results));
    TRY(check_topk_arrays(exec, job, results));
    TRY(api_choose(ctx, exec, NULL, &choice));
    NEEDS(choice, topk);
    job->descending = (wish.flags & ORDO_DESCENDING) != 0;
    bool const omit = wish.nans == ORDO_NANS_OMIT;
    if (segments.given && choice.backend->has_segments) {
        ordo_topk_job each = *job;
        each.segments = &segments.view;
        each.omit = omit;
        each.found = found;
        ANSWER_SIZE_QUERY(bytes, choice, topk, &each);
        return choice.backend->topk(choice.state, &each, exec);
    }
    if (segments.given) {
        topk_segments const call = {&choice, *job, omit, found};
        ordo_segments_job   each = {.arrays = {api_read_only(job->keys, ordo_type_size(job->type))},
                                    .one = topk_one,
                                    .rows = omit ? NULL : topk_rows,
                                    .rows_most = ORDO_ROW_KEYS,
                                    .scratch = topk_one_scratch,
                                    .needs_scratch = true,
                                    .arg = &call};
        return api_run_segments(exec, &choice, &segments, &each, bytes);
    }
    if (bytes == NULL)
        return topk_array(exec, &choice, job, omit, found);
    job->k = ordo_min(job->k, job->n);
    *bytes = job->k == 0 ? 0 : api_scratch_total(choice.backend->topk_scratch(job, exec));
    return ORDO_OK;
}

ordo_status ordo_topk(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n, size_t k,
                      void *values, ordo_type index_type, void *index, size_t *found,
                      const ordo_select_opts *opts)
{
    ordo_topk_job job = {.type = type,
                         .keys = keys,
                         .n = n,
                         .k = k,
                         .values = values,
                         .index_type = index_type,
                         .index = index};
    API_CALL("topk", type, n, topk_checked(ctx, exec, &job, found, opts, NULL));
}

ordo_status ordo_topk_scratch(ordo_ctx *ctx, ordo_type type, size_t n, size_t k,
                              const ordo_select_opts *opts, size_t *bytes)
{
    ordo_topk_job job = {.type = type, .n = n, .k = k, .index_type = ORDO_U64};
    API_SIZE_QUERY(bytes, topk_checked(ctx, exec, &job, NULL, opts, bytes));
}
