/* api_topk.c - ordo_topk and its size query: the first k keys in order, of an array or of each
 * segment. */
#include "api/api.h"
#include "core/indices.h"

#include <string.h>

static ordo_status topk_array(const api_work *work, void *job, ordo_exec *exec)
{
    ordo_topk_job *const topk = job;
    size_t               nans = 0;
    if (topk->omit)
        TRY(api_count_nans(exec, work->choice, topk->type, topk->keys, topk->n, &nans));
    topk->k = ordo_min(topk->k, topk->n - nans);
    if (topk->k > 0 && (topk->values != NULL || topk->index != NULL))
        TRY(work->choice->backend->topk(work->choice->state, topk, exec));
    if (topk->found != NULL)
        *topk->found = topk->k;
    return ORDO_OK;
}

static size_t topk_scratch(const api_work *work, void *job, const ordo_exec *exec)
{
    ordo_topk_job *const topk = job;
    topk->k = ordo_min(topk->k, topk->n);
    return topk->k == 0 ? 0 : api_slot_scratch(work, topk, exec);
}

/* The keys of short rows by the order of each row. NaNs count. */
static ordo_status topk_rows(const api_work *work, const void *job, size_t rows, ordo_exec *exec)
{
    const ordo_topk_job *const topk = job;
    size_t const      size = ordo_type_size(topk->type), n = topk->n, k = ordo_min(topk->k, n);
    const char *const keys = topk->keys;
    api_rows_order    order;
    (void)exec;
    api_order_rows(work->choice, topk->type, topk->descending, keys, rows, n, &order);
    for (size_t r = 0; r < rows; r++) {
        const uint8_t *const places = order.places + r * n;
        size_t const         to = r * topk->k;
        for (size_t j = 0; topk->values != NULL && j < k; j++)
            memcpy((char *)topk->values + (to + j) * size, keys + (r * n + places[j]) * size, size);
        for (size_t j = 0; topk->index != NULL && j < k; j++)
            ordo_put_index(topk->index_type, topk->index, to + j, places[j]);
        if (topk->found != NULL)
            topk->found[r] = k;
    }
    return ORDO_OK;
}

static ordo_status topk_checked(ordo_ctx *ctx, ordo_exec *exec, const ordo_topk_job *given,
                                const ordo_select_opts *opts, size_t *bytes)
{
    ordo_topk_job    job = *given;
    ordo_select_opts options;
    api_segments     segments;
    ordo_choice      choice;
    size_t           results;
    TRY(api_read_select_opts(exec, job.type, opts, job.n, &options, &segments));
    FAIL_IF(options.nans == ORDO_NANS_PROPAGATE, ORDO_E_ARG,
            "nans is propagate; expected last or omit");
    FAIL_IF(options.algorithm != ORDO_ALGORITHM_AUTO, ORDO_E_ARG, "algorithm is %s; expected auto",
            API_ALGORITHM(options.algorithm));
    TRY(api_check_select_algorithm(exec, options.algorithm, options.sub_array));
    TRY(api_check_index_type(exec, job.index_type, segments.longest));
    if (segments.given) {
        TRY(api_results(exec, &segments, job.k, &results));
        job.segments = &segments.view;
    }
    TRY(api_check_arrays(exec, &ordo_verb_topk, &job));
    TRY(api_choose(ctx, exec, NULL, &choice));
    NEEDS(choice, topk);
    job.descending = (options.flags & ORDO_DESCENDING) != 0;
    job.omit = options.nans == ORDO_NANS_OMIT;
    api_work const work = {.verb = &ordo_verb_topk,
                           .job = &job,
                           .choice = &choice,
                           .run = topk_array,
                           .scratch = topk_scratch,
                           .rows = job.omit ? NULL : topk_rows,
                           .rows_most = ORDO_ROW_KEYS,
                           .rows_elements = API_ROWS_ORDERED,
                           .needs_scratch = true};
    return api_do(exec, &work, &segments, bytes);
}

ordo_status ordo_topk(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n, size_t k,
                      void *values, ordo_type index_type, void *index, size_t *found,
                      const ordo_select_opts *opts)
{
    ordo_topk_job const job = {.type = type,
                               .keys = keys,
                               .n = n,
                               .k = k,
                               .values = values,
                               .index_type = index_type,
                               .index = index,
                               .found = found};
    API_CALL("topk", type, n, topk_checked(ctx, exec, &job, opts, NULL));
}

ordo_status ordo_topk_scratch(ordo_ctx *ctx, ordo_type type, size_t n, size_t k,
                              const ordo_select_opts *opts, size_t *bytes)
{
    ordo_topk_job const job = {.type = type, .n = n, .k = k, .index_type = ORDO_U64};
    API_SIZE_QUERY(bytes, topk_checked(ctx, exec, &job, opts, bytes));
}
