/* api_rank.c - ordo_rank, ordo_rank_sorted and their size queries. */
#include "api/api.h"

ordo_status api_check_ranks(ordo_exec *exec, size_t n, ordo_type rank_type,
                            const ordo_rank_opts *opts, ordo_rank_opts *wish)
{
    TRY(api_check_type(exec, rank_type, "rank_type"));
    TRY(api_opts_read(exec, wish, sizeof *wish, opts));
    FAIL_IF(wish->ties > ORDO_TIES_AVERAGE, ORDO_E_ARG, "ties is %u; no such ordo_ties",
            wish->ties);
    FAIL_IF(wish->ties == ORDO_TIES_AVERAGE && rank_type != ORDO_F64, ORDO_E_ARG,
            "ties is average, but rank_type is %s; average ranks need f64",
            ordo_type_name(rank_type));
    FAIL_IF(rank_type == ORDO_F32, ORDO_E_ARG,
            "rank_type f32 cannot hold ranks above 2^24; use f64, u32 or u64");
    FAIL_IF(rank_type != ORDO_U32 && rank_type != ORDO_U64 && rank_type != ORDO_F64, ORDO_E_ARG,
            "rank_type is %s; expected u32, u64 or f64", ordo_type_name(rank_type));
    FAIL_IF(rank_type == ORDO_U32 && n > UINT32_MAX, ORDO_E_ARG,
            "n is %zu; ranks above 2^32 - 1 need rank_type u64 or f64", n);
    return ORDO_OK;
}

/* ---- ordo_rank_sorted ---- */

static ordo_status require_order(const ordo_choice *choice, ordo_exec *exec,
                                 const ordo_rank_sorted_job *job, bool descending)
{
    size_t               where = job->n;
    ordo_order_job const order = {job->type, job->sorted, job->n, descending, &where};
    TRY(choice->backend->is_sorted(choice->state, &order, exec));
    FAIL_IF(where != job->n, ORDO_E_ORDER, "sorted is not in %s order: element %zu is out of place",
            descending ? "descending" : "ascending", where);
    return ORDO_OK;
}

static ordo_status rank_sorted_checked(ordo_ctx *ctx, ordo_exec *exec, ordo_rank_sorted_job *job,
                                       const ordo_rank_opts *opts, size_t *bytes)
{
    size_t const   n = job->n;
    ordo_rank_opts wish;
    ordo_choice    choice;
    TRY(api_check_type(exec, job->type, "type"));
    TRY(api_check_ranks(exec, n, job->rank_type, opts, &wish));
    TRY(api_check_place(exec, wish.flags, ORDO_DESCENDING | ORDO_CHECK | ORDO_ON_DEVICE,
                        wish.stream));
    FAIL_IF(wish.algorithm > ORDO_ALGORITHM_THREADS &&
                (wish.algorithm < ORDO_ALGORITHM_NAIVE || wish.algorithm > ORDO_ALGORITHM_HYBRID),
            ORDO_E_ARG,
            "algorithm %u does not rank sorted arrays; expected auto, sequential, threads, naive, "
            "shuffle or hybrid",
            wish.algorithm);
    size_t const size = ordo_type_size(job->type), rank_size = ordo_type_size(job->rank_type);
    TRY(api_check_aligned(exec, job->sorted, n, size, "sorted"));
    TRY(api_check_aligned(exec, job->ranks, n, rank_size, "ranks"));
    TRY(api_check_apart(exec, job->sorted, n * size, "sorted", job->ranks, n * rank_size, "ranks"));
    TRY(api_choose(ctx, exec, NULL, &choice));
    job->ties = (ordo_ties)wish.ties;
    job->algorithm = (ordo_algorithm)wish.algorithm;
    ANSWER_SIZE_QUERY(bytes, choice, rank_sorted, job);
    if ((wish.flags & ORDO_CHECK) != 0) {
        exec->phases = 2;
        TRY(require_order(&choice, exec, job, (wish.flags & ORDO_DESCENDING) != 0));
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

static ordo_status rank_checked(ordo_ctx *ctx, ordo_exec *exec, ordo_rank_job *job,
                                const ordo_rank_opts *opts, size_t *bytes)
{
    size_t const   n = job->n;
    ordo_rank_opts wish;
    ordo_choice    choice;
    TRY(api_check_type(exec, job->type, "type"));
    TRY(api_check_ranks(exec, n, job->rank_type, opts, &wish));
    TRY(api_check_place(exec, wish.flags, ORDO_DESCENDING | ORDO_ON_DEVICE, wish.stream));
    TRY(api_check_sort_algorithm(exec, wish.algorithm));
    size_t const size = ordo_type_size(job->type), rank_size = ordo_type_size(job->rank_type);
    TRY(api_check_aligned(exec, job->keys, n, size, "keys"));
    TRY(api_check_aligned(exec, job->ranks, n, rank_size, "ranks"));
    TRY(api_check_apart(exec, job->keys, n * size, "keys", job->ranks, n * rank_size, "ranks"));
    ordo_load const load = ordo_load_rank(job->type, n, job->rank_type);
    TRY(api_choose(ctx, exec, bytes == NULL ? &load : NULL, &choice));
    NEEDS(choice, rank);
    job->descending = (wish.flags & ORDO_DESCENDING) != 0;
    job->ties = (ordo_ties)wish.ties;
    job->algorithm = (ordo_algorithm)wish.algorithm;
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
