/* api_rank.c - ordo_rank, ordo_rank_sorted and their size queries. */
#include "api/api.h"
#include "core/lists.h"
#include "core/ties.h"

ordo_status api_check_ties(ordo_exec *exec, uint32_t ties)
{
    static const char *const names[] = {
#define ORDO_TIES_ROW(ID, name, rank, example) [ORDO_TIES_##ID] = #ID,
#include "core/ties.def"
    };
    unsigned const last = ORDO_TIES_RULES - 1;
    FAIL_IF(ties > last, ORDO_E_ARG,
            "ties is %u; expected an ordo_ties, ORDO_TIES_%s (0) to ORDO_TIES_%s (%u)", ties,
            names[0], names[last], last);
    return ORDO_OK;
}

ordo_status api_check_ranks(ordo_exec *exec, ordo_type rank_type, const ordo_rank_opts *opts,
                            ordo_rank_opts *options)
{
    TRY(api_check_type(exec, rank_type, "rank_type"));
    TRY(api_opts_read(exec, options, sizeof *options, opts));
    TRY(api_check_ties(exec, options->ties));
    FAIL_IF(options->ties == ORDO_TIES_AVERAGE && rank_type != ORDO_F64, ORDO_E_ARG,
            "ties is average, but rank_type is %s; average ranks need f64",
            ordo_type_name(rank_type));
    FAIL_IF(rank_type == ORDO_F32, ORDO_E_ARG,
            "rank_type f32 cannot hold ranks above 2^24; use f64, u32 or u64");
    FAIL_IF(rank_type != ORDO_U32 && rank_type != ORDO_U64 && rank_type != ORDO_F64, ORDO_E_ARG,
            "rank_type is %s; expected u32, u64 or f64", ordo_type_name(rank_type));
    FAIL_IF(options->reserved != 0, ORDO_E_VERSION, "opts.reserved is not 0");
    FAIL_IF(options->weights == NULL && options->weight_type != 0, ORDO_E_ARG,
            "opts.weight_type is %u, but opts.weights is NULL", options->weight_type);
    return ORDO_OK;
}

ordo_status api_no_weights(ordo_exec *exec, const ordo_rank_opts *options, const char *call)
{
    FAIL_IF(options->weights != NULL, ORDO_E_UNSUPPORTED,
            "%s has no weights; opts.weights must be NULL", call);
    return ORDO_OK;
}

ordo_status api_check_rank_count(ordo_exec *exec, ordo_type rank_type, size_t n)
{
    FAIL_IF(rank_type == ORDO_U32 && n > UINT32_MAX, ORDO_E_ARG,
            "n is %zu; ranks above 2^32 - 1 need rank_type u64 or f64", n);
    return ORDO_OK;
}

/* ---- ordo_rank_sorted ---- */

/* Rejects an array, or a segment, that is not in order. */
static ordo_status require_order(const api_work *work, void *job, ordo_exec *exec)
{
    ordo_order_job *const order = job;
    size_t                where = order->n;
    order->where = &where;
    TRY(work->choice->backend->is_sorted(work->choice->state, order, exec));
    FAIL_IF(where != order->n, ORDO_E_ORDER,
            "sorted is not in %s order: element %zu is out of place",
            order->descending ? "descending" : "ascending", where);
    return ORDO_OK;
}

/* Checks the order of the array, or of all segments, before the first rank is written. A device
 * checks all segments at once and waits for the result. */
static ordo_status check_order(ordo_exec *exec, ordo_choice *choice,
                               const ordo_rank_sorted_job *job, bool descending,
                               const api_segments *segments)
{
    size_t         unsorted = segments->view.count;
    ordo_order_job order = {.type = job->type,
                            .keys = job->sorted,
                            .n = job->n,
                            .descending = descending,
                            .unsorted = &unsorted};
    api_work const work = {
        .verb = &ordo_verb_is_sorted, .job = &order, .choice = choice, .run = require_order};
    exec->phases = 2;
    TRY(api_do(exec, &work, segments, NULL));
    exec->phase = 1;
    FAIL_IF(unsorted != segments->view.count, ORDO_E_ORDER, "segment %zu is not in %s order",
            unsorted, descending ? "descending" : "ascending");
    return ORDO_OK;
}

static ordo_status rank_sorted_checked(ordo_ctx *ctx, ordo_exec *exec, ordo_rank_sorted_job *job,
                                       const ordo_rank_opts *opts, size_t *bytes)
{
    size_t const   n = job->n;
    ordo_rank_opts options;
    api_segments   segments;
    ordo_choice    choice;
    TRY(api_check_type(exec, job->type, "type"));
    TRY(api_check_ranks(exec, job->rank_type, opts, &options));
    TRY(api_no_weights(exec, &options, "ordo_rank_sorted"));
    TRY(api_check_place(exec, options.flags, ORDO_DESCENDING | ORDO_CHECK | ORDO_ON_DEVICE,
                        options.stream));
    TRY(api_read_segments(exec, options.segments, n, true, &segments));
    TRY(api_check_rank_count(exec, job->rank_type, segments.longest));
    FAIL_IF(
        options.algorithm > ORDO_ALGORITHM_THREADS &&
            (options.algorithm < ORDO_ALGORITHM_NAIVE || options.algorithm > ORDO_ALGORITHM_HYBRID),
        ORDO_E_ARG,
        "algorithm %s does not rank sorted arrays; expected auto, sequential, threads, naive, "
        "shuffle or hybrid",
        API_ALGORITHM(options.algorithm));
    TRY(api_check_arrays(exec, &ordo_verb_rank_sorted, job));
    TRY(api_choose(ctx, exec, NULL, &choice));
    job->ties = (ordo_ties)options.ties;
    job->algorithm = (ordo_algorithm)options.algorithm;
    if ((options.flags & ORDO_CHECK) != 0 && bytes == NULL)
        TRY(check_order(exec, &choice, job, (options.flags & ORDO_DESCENDING) != 0, &segments));
    api_work const work = {
        .verb = &ordo_verb_rank_sorted, .job = job, .choice = &choice, .needs_scratch = true};
    return api_do(exec, &work, &segments, bytes);
}

ordo_status ordo_rank_sorted(ordo_ctx *ctx, ordo_type type, const void *sorted, size_t n,
                             ordo_type rank_type, void *ranks, const ordo_rank_opts *opts)
{
    ordo_rank_sorted_job job = {
        .type = type, .sorted = sorted, .n = n, .rank_type = rank_type, .ranks = ranks};
    API_CALL("rank_sorted", type, n, rank_sorted_checked(ctx, exec, &job, opts, NULL));
}

ordo_status ordo_rank_sorted_scratch(ordo_ctx *ctx, ordo_type type, size_t n, ordo_type rank_type,
                                     const ordo_rank_opts *opts, size_t *bytes)
{
    ordo_rank_sorted_job job = {.type = type, .n = n, .rank_type = rank_type};
    API_SIZE_QUERY(bytes, rank_sorted_checked(ctx, exec, &job, opts, bytes));
}

/* ---- ordo_rank ---- */

/* Writes twice the average rank, or the rank, as an element of the ranks. */
static void put_rank(const ordo_rank_job *job, void *ranks, size_t at, size_t rank)
{
    switch (job->rank_type) {
    case ORDO_U32:
        ((uint32_t *)ranks)[at] = (uint32_t)rank;
        break;
    case ORDO_U64:
        ((uint64_t *)ranks)[at] = rank;
        break;
    default:
        ((double *)ranks)[at] = (double)rank * ordo_tie_unit(job->ties);
    }
}

/* Ranks one short row whose order is known. */
static void rank_row(const ordo_rank_job *job, const uint8_t *places, const uint8_t *ties, size_t n,
                     void *ranks, size_t at)
{
    size_t groups = 0;
    for (size_t from = 0, to; from < n; from = to) {
        to = from + 1;
        while (to < n && ties[to] && job->ties != ORDO_TIES_ORDINAL)
            to++;
        groups++;
        size_t const rank = ordo_tie_rank(job->ties, from, to, groups, from);
        for (size_t j = from; j < to; j++)
            put_rank(job, ranks, at + places[j], rank);
    }
}

static ordo_status rank_rows(const api_work *work, const void *job, size_t rows, ordo_exec *exec)
{
    const ordo_rank_job *const rank = job;
    size_t const               n = rank->n;
    api_rows_order             order;
    (void)exec;
    api_order_rows(work->choice, rank->type, rank->descending, rank->keys, rows, n, &order);
    for (size_t r = 0; r < rows; r++)
        rank_row(rank, order.places + r * n, order.ties + r * n, n, rank->ranks, r * n);
    return ORDO_OK;
}

/* ---- Weights of ordo_rank ---- */

static ordo_status check_weighted(ordo_exec *exec, const ordo_rank_job *job,
                                  const ordo_rank_opts *options)
{
    bool const floats = ordo_is_float((ordo_type)options->weight_type);
    TRY(api_check_weights(exec, options->weights, options->weight_type, job->n, options->algorithm,
                          job->ranks, job->n * ordo_type_size(job->rank_type), "ranks"));
    FAIL_IF(options->ties == ORDO_TIES_ORDINAL, ORDO_E_ARG,
            "ties is ordinal, which has no form with weights: a key of weight w would need w "
            "places");
    FAIL_IF(floats && options->ties != ORDO_TIES_DENSE && job->rank_type != ORDO_F64, ORDO_E_ARG,
            "the weights are floats, but rank_type is %s; ranks then need f64",
            ordo_type_name(job->rank_type));
    return ORDO_OK;
}

/* The weights have the segments of the keys. */
static ordo_status rank_weighted(ordo_ctx *ctx, ordo_exec *exec, const ordo_rank_job *job,
                                 const ordo_rank_opts *options, const api_segments *segments,
                                 size_t *bytes)
{
    ordo_choice       choice;
    ordo_weighted_job weighted = {.type = job->type,
                                  .keys = job->keys,
                                  .n = job->n,
                                  .weight_type = (ordo_type)options->weight_type,
                                  .weights = options->weights,
                                  .rank_type = job->rank_type,
                                  .ranks = job->ranks,
                                  .ties = job->ties,
                                  .descending = job->descending};
    TRY(check_weighted(exec, job, options));
    TRY(api_choose(ctx, exec, NULL, &choice));
    api_work const work = {.verb = &ordo_verb_weighted_rank,
                           .job = &weighted,
                           .choice = &choice,
                           .needs_scratch = true};
    return api_do_weighted(exec, &work, segments, bytes);
}

/* ---- ordo_rank, all of it ---- */

static ordo_status rank_checked(ordo_ctx *ctx, ordo_exec *exec, ordo_rank_job *job,
                                const ordo_rank_opts *opts, size_t *bytes)
{
    size_t const   n = job->n;
    ordo_rank_opts options;
    api_segments   segments;
    ordo_choice    choice;
    TRY(api_check_type(exec, job->type, "type"));
    TRY(api_check_ranks(exec, job->rank_type, opts, &options));
    TRY(api_check_place(exec, options.flags, ORDO_DESCENDING | ORDO_ON_DEVICE, options.stream));
    TRY(api_read_segments(exec, options.segments, n, true, &segments));
    TRY(api_check_rank_count(exec, job->rank_type, segments.longest));
    TRY(api_check_sort_algorithm(exec, options.algorithm));
    TRY(api_check_arrays(exec, &ordo_verb_rank, job));
    job->descending = (options.flags & ORDO_DESCENDING) != 0;
    job->ties = (ordo_ties)options.ties;
    job->algorithm = (ordo_algorithm)options.algorithm;
    if (options.weights != NULL)
        return rank_weighted(ctx, exec, job, &options, &segments, bytes);
    ordo_load load = ordo_load_rank(job->type, n, job->rank_type);
    TRY(api_choose_sort(ctx, exec, &load, options.algorithm, &segments, bytes, &choice));
    api_work const work = {.verb = &ordo_verb_rank,
                           .job = job,
                           .choice = &choice,
                           .repeats = ctx,
                           .keeps_keys = true,
                           .rows = job->algorithm == ORDO_ALGORITHM_AUTO ? rank_rows : NULL,
                           .rows_most = ORDO_ROW_KEYS,
                           .rows_elements = API_ROWS_ORDERED,
                           .needs_scratch = true};
    return api_do(exec, &work, &segments, bytes);
}

ordo_status ordo_rank(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n,
                      ordo_type rank_type, void *ranks, const ordo_rank_opts *opts)
{
    ordo_rank_job job = {
        .type = type, .keys = keys, .n = n, .rank_type = rank_type, .ranks = ranks};
    API_CALL("rank", type, n, rank_checked(ctx, exec, &job, opts, NULL));
}

ordo_status ordo_rank_scratch(ordo_ctx *ctx, ordo_type type, size_t n, ordo_type rank_type,
                              const ordo_rank_opts *opts, size_t *bytes)
{
    ordo_rank_job job = {.type = type, .n = n, .rank_type = rank_type};
    API_SIZE_QUERY(bytes, rank_checked(ctx, exec, &job, opts, bytes));
}
