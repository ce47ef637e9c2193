/* api_rank.c - ordo_rank, ordo_rank_sorted and their size queries. */
#include "api/api.h"
#include "core/ties.h"

ordo_status api_check_ranks(ordo_exec *exec, ordo_type rank_type, const ordo_rank_opts *opts,
                            ordo_rank_opts *wish)
{
    TRY(api_check_type(exec, rank_type, "rank_type"));
    TRY(api_opts_read(exec, wish, sizeof *wish, opts));
    FAIL_IF(wish->ties > ORDO_TIES_AVERAGE, ORDO_E_ARG, API_WRONG_TIES, wish->ties);
    FAIL_IF(wish->ties == ORDO_TIES_AVERAGE && rank_type != ORDO_F64, ORDO_E_ARG,
            "ties is average, but rank_type is %s; average ranks need f64",
            ordo_type_name(rank_type));
    FAIL_IF(rank_type == ORDO_F32, ORDO_E_ARG,
            "rank_type f32 cannot hold ranks above 2^24; use f64, u32 or u64");
    FAIL_IF(rank_type != ORDO_U32 && rank_type != ORDO_U64 && rank_type != ORDO_F64, ORDO_E_ARG,
            "rank_type is %s; expected u32, u64 or f64", ordo_type_name(rank_type));
    FAIL_IF(wish->reserved != 0, ORDO_E_VERSION, "opts.reserved is not 0");
    FAIL_IF(wish->weights == NULL && wish->weight_type != 0, ORDO_E_ARG,
            "opts.weight_type is %u, but opts.weights is NULL", wish->weight_type);
    return ORDO_OK;
}

ordo_status api_no_weights(ordo_exec *exec, const ordo_rank_opts *wish, const char *call)
{
    FAIL_IF(wish->weights != NULL, ORDO_E_UNSUPPORTED,
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

static ordo_status require_order(const ordo_choice *choice, ordo_exec *exec,
                                 const ordo_rank_sorted_job *job, bool descending)
{
    size_t               where = job->n;
    ordo_order_job const order = {.type = job->type,
                                  .keys = job->sorted,
                                  .n = job->n,
                                  .descending = descending,
                                  .where = &where};
    TRY(choice->backend->is_sorted(choice->state, &order, exec));
    FAIL_IF(where != job->n, ORDO_E_ORDER, "sorted is not in %s order: element %zu is out of place",
            descending ? "descending" : "ascending", where);
    return ORDO_OK;
}

typedef struct
    rank_sorted_segments { /* ranks of each segment; the job lacks the segment's arrays and n */
    const ordo_choice   *choice;
    ordo_rank_sorted_job job;
    bool                 descending; /* the order to check */
} rank_sorted_segments;

static ordo_rank_sorted_job rank_sorted_job_of(const rank_sorted_segments *call, size_t n,
                                               void *const *at)
{
    ordo_rank_sorted_job job = call->job;
    job.sorted = at[0];
    job.ranks = at[1];
    job.n = n;
    return job;
}

static ordo_status rank_sorted_one(const void *arg, size_t i, size_t n, void *const *at,
                                   ordo_exec *exec)
{
    const rank_sorted_segments *const call = arg;
    ordo_rank_sorted_job const        job = rank_sorted_job_of(call, n, at);
    (void)i;
    return call->choice->backend->rank_sorted(call->choice->state, &job, exec);
}

static ordo_status require_order_one(const void *arg, size_t i, size_t n, void *const *at,
                                     ordo_exec *exec)
{
    const rank_sorted_segments *const call = arg;
    ordo_rank_sorted_job const        job = rank_sorted_job_of(call, n, at);
    (void)i;
    return require_order(call->choice, exec, &job, call->descending);
}

static size_t rank_sorted_one_scratch(const void *arg, size_t n, const ordo_exec *exec)
{
    const rank_sorted_segments *const call = arg;
    ordo_rank_sorted_job              job = call->job;
    job.n = n;
    return call->choice->backend->rank_sorted_scratch(&job, exec);
}

/* Ranks all segments in one job of a device. If `check` is set, first waits for the check of their
 * order. */
static ordo_status rank_sorted_on_device(ordo_exec *exec, rank_sorted_segments *call, bool check,
                                         const api_segments *segments, size_t *bytes)
{
    const ordo_choice *const    choice = call->choice;
    ordo_rank_sorted_job *const job = &call->job;
    size_t                      unsorted = segments->view.count;
    ordo_order_job const        order = {.type = job->type,
                                         .keys = job->sorted,
                                         .n = job->n,
                                         .descending = call->descending,
                                         .segments = &segments->view,
                                         .unsorted = &unsorted};
    job->segments = &segments->view;
    ANSWER_SIZE_QUERY(bytes, *choice, rank_sorted, job);
    if (check) {
        exec->phases = 2;
        TRY(choice->backend->is_sorted(choice->state, &order, exec));
        exec->phase = 1;
    }
    FAIL_IF(unsorted != segments->view.count, ORDO_E_ORDER, "segment %zu is not in %s order",
            unsorted, call->descending ? "descending" : "ascending");
    return choice->backend->rank_sorted(choice->state, job, exec);
}

/* All segments are checked before the first rank is written. */
static ordo_status rank_sorted_each(ordo_exec *exec, const rank_sorted_segments *call, bool check,
                                    const api_segments *segments, size_t *bytes)
{
    ordo_segment_array const sorted =
        api_read_only(call->job.sorted, ordo_type_size(call->job.type));
    ordo_segments_job order = {.arrays = {sorted}, .one = require_order_one, .arg = call};
    ordo_segments_job each = {
        .arrays = {sorted, {call->job.ranks, ordo_type_size(call->job.rank_type), false, true}},
        .one = rank_sorted_one,
        .scratch = rank_sorted_one_scratch,
        .needs_scratch = true,
        .arg = call};
    if (check && bytes == NULL) {
        exec->phases = 2;
        TRY(api_run_segments(exec, call->choice, segments, &order, NULL));
        exec->phase = 1;
    }
    return api_run_segments(exec, call->choice, segments, &each, bytes);
}

static ordo_status rank_sorted_checked(ordo_ctx *ctx, ordo_exec *exec, ordo_rank_sorted_job *job,
                                       const ordo_rank_opts *opts, size_t *bytes)
{
    size_t const   n = job->n;
    ordo_rank_opts wish;
    api_segments   segments;
    ordo_choice    choice;
    TRY(api_check_type(exec, job->type, "type"));
    TRY(api_check_ranks(exec, job->rank_type, opts, &wish));
    TRY(api_no_weights(exec, &wish, "ordo_rank_sorted"));
    TRY(api_check_place(exec, wish.flags, ORDO_DESCENDING | ORDO_CHECK | ORDO_ON_DEVICE,
                        wish.stream));
    TRY(api_read_segments(exec, wish.segments, n, true, &segments));
    TRY(api_check_rank_count(exec, job->rank_type, segments.longest));
    FAIL_IF(wish.algorithm > ORDO_ALGORITHM_THREADS &&
                (wish.algorithm < ORDO_ALGORITHM_NAIVE || wish.algorithm > ORDO_ALGORITHM_HYBRID),
            ORDO_E_ARG,
            "algorithm %s does not rank sorted arrays; expected auto, sequential, threads, naive, "
            "shuffle or hybrid",
            API_ALGORITHM(wish.algorithm));
    size_t const size = ordo_type_size(job->type), rank_size = ordo_type_size(job->rank_type);
    TRY(api_check_aligned(exec, job->sorted, n, size, "sorted"));
    TRY(api_check_aligned(exec, job->ranks, n, rank_size, "ranks"));
    TRY(api_check_apart(exec, job->sorted, n * size, "sorted", job->ranks, n * rank_size, "ranks"));
    TRY(api_choose(ctx, exec, NULL, &choice));
    job->ties = (ordo_ties)wish.ties;
    job->algorithm = (ordo_algorithm)wish.algorithm;
    bool const check = (wish.flags & ORDO_CHECK) != 0;
    bool const descending = (wish.flags & ORDO_DESCENDING) != 0;
    if (segments.given) {
        rank_sorted_segments call = {&choice, *job, descending};
        if (choice.backend->has_segments)
            return rank_sorted_on_device(exec, &call, check, &segments, bytes);
        return rank_sorted_each(exec, &call, check, &segments, bytes);
    }
    ANSWER_SIZE_QUERY(bytes, choice, rank_sorted, job);
    if (check) {
        exec->phases = 2;
        TRY(require_order(&choice, exec, job, descending));
        exec->phase = 1;
    }
    return choice.backend->rank_sorted(choice.state, job, exec);
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

typedef struct rank_segments { /* ranks of each segment; the job lacks the segment's arrays and n */
    const ordo_choice *choice;
    ordo_rank_job      job;
} rank_segments;

static ordo_status rank_one(const void *arg, size_t i, size_t n, void *const *at, ordo_exec *exec)
{
    const rank_segments *const call = arg;
    ordo_rank_job              job = call->job;
    (void)i;
    job.keys = at[0];
    job.ranks = at[1];
    job.n = n;
    return call->choice->backend->rank(call->choice->state, &job, exec);
}

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

static ordo_status rank_rows(const void *arg, size_t i, size_t count, size_t n, void *const *at,
                             ordo_exec *exec)
{
    const rank_segments *const call = arg;
    const ordo_rank_job *const job = &call->job;
    api_rows_order             order;
    (void)i;
    (void)exec;
    for (size_t done = 0, rows; done < count; done += rows) {
        rows = api_order_rows(call->choice, job->type, job->descending,
                              (const char *)at[0] + done * n * ordo_type_size(job->type),
                              count - done, n, &order);
        for (size_t r = 0; r < rows; r++)
            rank_row(job, order.places + r * n, order.ties + r * n, n, at[1], (done + r) * n);
    }
    return ORDO_OK;
}

static size_t rank_one_scratch(const void *arg, size_t n, const ordo_exec *exec)
{
    const rank_segments *const call = arg;
    ordo_rank_job              job = call->job;
    job.n = n;
    return call->choice->backend->rank_scratch(&job, exec);
}

static ordo_status rank_each(ordo_ctx *ctx, ordo_exec *exec, const ordo_rank_job *job,
                             const api_segments *segments, size_t *bytes)
{
    ordo_choice         choice;
    ordo_rank_job       all = *job;
    rank_segments const call = {&choice, *job};
    ordo_load           load = ordo_load_rank(job->type, job->n, job->rank_type);
    bool const          weighs = bytes == NULL && api_sorts_segments(job->algorithm);
    ordo_status         status;
    load.segmented = true;
    TRY(api_choose(ctx, exec, weighs ? &load : NULL, &choice));
    ordo_segments_job each = {.arrays = {api_read_only(job->keys, ordo_type_size(job->type)),
                                         {job->ranks, ordo_type_size(job->rank_type), false, true}},
                              .one = rank_one,
                              .rows = job->algorithm == ORDO_ALGORITHM_AUTO ? rank_rows : NULL,
                              .rows_most = ORDO_ROW_KEYS,
                              .scratch = rank_one_scratch,
                              .needs_scratch = true,
                              .arg = &call};
    ANSWER_SEGMENTS_QUERY(bytes, choice, rank, all, segments, each);
    RUN_SEGMENTS(status, choice, rank, all, segments, each);
    return status;
}

/* ---- Weights of ordo_rank ---- */

typedef struct weighted_segments { /* ranks each segment; the job lacks the segment */
    const ordo_choice *choice;
    ordo_weighted_job  job;
} weighted_segments;

static ordo_status weighted_one(const void *arg, size_t i, size_t n, void *const *at,
                                ordo_exec *exec)
{
    const weighted_segments *const call = arg;
    ordo_weighted_job              job = call->job;
    (void)i;
    job.keys = at[0];
    job.weights = at[1];
    job.ranks = at[2];
    job.n = n;
    return call->choice->backend->weighted(call->choice->state, &job, exec);
}

static size_t weighted_one_scratch(const void *arg, size_t n, const ordo_exec *exec)
{
    const weighted_segments *const call = arg;
    ordo_weighted_job              job = call->job;
    job.n = n;
    return call->choice->backend->weighted_scratch(&job, exec);
}

static ordo_status check_weighted(ordo_exec *exec, const ordo_rank_job *job,
                                  const ordo_rank_opts *wish)
{
    bool const floats = wish->weight_type == ORDO_F32 || wish->weight_type == ORDO_F64;
    TRY(api_check_weights(exec, wish->weights, wish->weight_type, job->n, wish->algorithm,
                          job->ranks, job->n * ordo_type_size(job->rank_type), "ranks"));
    FAIL_IF(wish->ties == ORDO_TIES_ORDINAL, ORDO_E_ARG,
            "ties is ordinal, which has no form with weights: a key of weight w would need w "
            "places");
    FAIL_IF(floats && wish->ties != ORDO_TIES_DENSE && job->rank_type != ORDO_F64, ORDO_E_ARG,
            "the weights are floats, but rank_type is %s; ranks then need f64",
            ordo_type_name(job->rank_type));
    return ORDO_OK;
}

/* The weights have the segments of the keys. */
static ordo_status rank_weighted(ordo_ctx *ctx, ordo_exec *exec, const ordo_rank_job *job,
                                 const ordo_rank_opts *wish, const api_segments *segments,
                                 size_t *bytes)
{
    ordo_choice       choice;
    weighted_segments call = {.choice = &choice,
                              .job = {.type = job->type,
                                      .keys = job->keys,
                                      .n = job->n,
                                      .weight_type = (ordo_type)wish->weight_type,
                                      .weights = wish->weights,
                                      .rank_type = job->rank_type,
                                      .ranks = job->ranks,
                                      .ties = job->ties,
                                      .descending = job->descending}};
    TRY(check_weighted(exec, job, wish));
    TRY(api_choose(ctx, exec, NULL, &choice));
    if (choice.backend->weighted_segments != NULL)
        return api_weighted_on_device(exec, &choice, &call.job, segments, bytes);
    FAIL_IF(choice.backend->weighted == NULL, ORDO_E_UNSUPPORTED,
            "the %s backend has no weights; expected a context that may use the CPU",
            choice.backend->name);
    if (segments->given) {
        ordo_segments_job each = {
            .arrays = {api_read_only(job->keys, ordo_type_size(job->type)),
                       api_read_only(wish->weights, ordo_type_size(call.job.weight_type)),
                       {job->ranks, ordo_type_size(job->rank_type), false, true}},
            .one = weighted_one,
            .scratch = weighted_one_scratch,
            .needs_scratch = true,
            .arg = &call};
        return api_run_segments(exec, &choice, segments, &each, bytes);
    }
    ANSWER_SIZE_QUERY(bytes, choice, weighted, &call.job);
    return choice.backend->weighted(choice.state, &call.job, exec);
}

/* ---- ordo_rank, all of it ---- */

static ordo_status rank_checked(ordo_ctx *ctx, ordo_exec *exec, ordo_rank_job *job,
                                const ordo_rank_opts *opts, size_t *bytes)
{
    size_t const   n = job->n;
    ordo_rank_opts wish;
    api_segments   segments;
    ordo_choice    choice;
    TRY(api_check_type(exec, job->type, "type"));
    TRY(api_check_ranks(exec, job->rank_type, opts, &wish));
    TRY(api_check_place(exec, wish.flags, ORDO_DESCENDING | ORDO_ON_DEVICE, wish.stream));
    TRY(api_read_segments(exec, wish.segments, n, true, &segments));
    TRY(api_check_rank_count(exec, job->rank_type, segments.longest));
    TRY(api_check_sort_algorithm(exec, wish.algorithm));
    size_t const size = ordo_type_size(job->type), rank_size = ordo_type_size(job->rank_type);
    TRY(api_check_aligned(exec, job->keys, n, size, "keys"));
    TRY(api_check_aligned(exec, job->ranks, n, rank_size, "ranks"));
    TRY(api_check_apart(exec, job->keys, n * size, "keys", job->ranks, n * rank_size, "ranks"));
    job->descending = (wish.flags & ORDO_DESCENDING) != 0;
    job->ties = (ordo_ties)wish.ties;
    job->algorithm = (ordo_algorithm)wish.algorithm;
    if (wish.weights != NULL)
        return rank_weighted(ctx, exec, job, &wish, &segments, bytes);
    if (segments.given)
        return rank_each(ctx, exec, job, &segments, bytes);
    ordo_load load = ordo_load_rank(job->type, n, job->rank_type);
    load.algorithm = (ordo_algorithm)wish.algorithm;
    TRY(api_choose(ctx, exec, bytes == NULL ? &load : NULL, &choice));
    NEEDS(choice, rank);
    ANSWER_SIZE_QUERY(bytes, choice, rank, job);
    ordo_status status;
    bool        written = false; /* a device wrote ranks before it failed */
    do {
        status = choice.backend->rank(choice.state, job, exec);
        written = written || (status == ORDO_E_DEVICE && exec->changed);
        exec->changed = false; /* the keys are unchanged, so the CPU can start over */
    } while (status != ORDO_OK && api_again(ctx, exec, status, &choice));
    FAIL_IF(status == ORDO_E_NOMEM && written, ORDO_E_DEVICE,
            "the device failed, and the CPU has too little memory to rank; ranks is unspecified");
    return status;
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
