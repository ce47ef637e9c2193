/* api_lexsort.c - ordo_lexsort, ordo_lexrank and their size queries. */
#include "api/api.h"

/* Checks the columns and converts them to the columns of a job. */
static ordo_status read_columns(ordo_exec *exec, const ordo_column *columns, size_t count, size_t n,
                                const void *out, size_t out_bytes, ordo_key_column *to)
{
    FAIL_IF(count < 1 || count > ORDO_COLUMNS_MOST, ORDO_E_ARG,
            "count is %zu; expected 1 to %d columns", count, ORDO_COLUMNS_MOST);
    FAIL_IF(columns == NULL, ORDO_E_ARG, "columns is NULL, but count is %zu", count);
    for (size_t c = 0; c < count; c++) {
        ordo_type const type = (ordo_type)columns[c].type;
        TRY(api_check_type(exec, type, "the type of a column"));
        FAIL_IF((columns[c].flags & ~(uint32_t)ORDO_DESCENDING) != 0, ORDO_E_VERSION,
                "columns[%zu].flags is 0x%x; expected 0 or ORDO_DESCENDING", c, columns[c].flags);
        TRY(api_check_aligned(exec, columns[c].keys, n, ordo_type_size(type), "a column"));
        TRY(api_check_apart(exec, columns[c].keys, n * ordo_type_size(type), "a column", out,
                            out_bytes, "the result"));
        to[c] = (ordo_key_column){columns[c].keys, type, (columns[c].flags & ORDO_DESCENDING) != 0,
                                  true};
    }
    return ORDO_OK;
}

typedef struct lex_call { /* the arguments of a call */
    const ordo_column *columns;
    size_t             count, n;
    ordo_type          out_type;
    void              *out;
} lex_call;

/* Checks the arrays and chooses the backend. */
static ordo_status begin(ordo_ctx *ctx, ordo_exec *exec, const lex_call *call, const char *out_what,
                         ordo_key_column *columns, ordo_choice *choice)
{
    size_t const size = ordo_type_size(call->out_type);
    TRY(api_check_aligned(exec, call->out, call->n, size, out_what));
    TRY(read_columns(exec, call->columns, call->count, call->n, call->out, call->n * size,
                     columns));
    TRY(api_choose(ctx, exec, NULL, choice));
    return api_check_slot(exec, choice, choice->backend->lexsort != NULL,
                          "sort of several columns");
}

static ordo_status lexsort_checked(ordo_ctx *ctx, ordo_exec *exec, const lex_call *call,
                                   const ordo_sort_opts *opts, size_t *bytes)
{
    ordo_sort_opts  options;
    ordo_choice     choice;
    ordo_key_column columns[ORDO_COLUMNS_MOST];
    TRY(api_read_sort_flags(exec, opts, ORDO_STABLE | ORDO_ON_DEVICE, "ordo_lexsort", &options));
    FAIL_IF(options.algorithm != ORDO_ALGORITHM_AUTO, ORDO_E_ARG,
            "algorithm %s does not sort rows of several columns; expected auto",
            API_ALGORITHM(options.algorithm));
    TRY(api_check_index_type(exec, call->out_type, call->n));
    TRY(begin(ctx, exec, call, "index", columns, &choice));
    ordo_lexsort_job const job = {columns, call->count, call->n, call->out_type, call->out, NULL};
    ANSWER_SIZE_QUERY(bytes, choice, lexsort, &job);
    return choice.backend->lexsort(choice.state, &job, exec);
}

ordo_status ordo_lexsort(ordo_ctx *ctx, const ordo_column *columns, size_t count, size_t n,
                         ordo_type index_type, void *index, const ordo_sort_opts *opts)
{
    lex_call const call = {columns, count, n, index_type, index};
    API_CALL("lexsort", (ordo_type)0, n, lexsort_checked(ctx, exec, &call, opts, NULL));
}

ordo_status ordo_lexsort_scratch(ordo_ctx *ctx, const ordo_column *columns, size_t count, size_t n,
                                 ordo_type index_type, const ordo_sort_opts *opts, size_t *bytes)
{
    lex_call const call = {columns, count, n, index_type, NULL};
    API_SIZE_QUERY(bytes, lexsort_checked(ctx, exec, &call, opts, bytes));
}

/* ---- Ranks ---- */

static ordo_status lexrank_rows(ordo_exec *exec, const ordo_choice *choice, const lex_call *call,
                                const ordo_key_column *columns, ordo_ties ties, size_t *bytes)
{
    size_t const           n = call->n;
    ordo_lexrank_job const whole = {columns, call->count, n, ties, call->out_type, call->out};
    if (choice->backend->lexrank != NULL) {
        ANSWER_SIZE_QUERY(bytes, *choice, lexrank, &whole);
        return choice->backend->lexrank(choice->state, &whole, exec);
    }
    ordo_type const  index_type = n <= UINT32_MAX ? ORDO_U32 : ORDO_U64;
    size_t const     index_bytes = n * ordo_type_size(index_type);
    ordo_lexsort_job order = {columns, call->count, n, index_type, NULL, NULL};
    ordo_place_job   place = {.n = n,
                              .index_type = index_type,
                              .ties = ties,
                              .rank_type = call->out_type,
                              .ranks = call->out};
    if (bytes != NULL) {
        *bytes =
            api_scratch_total(index_bytes + n + choice->backend->lexsort_scratch(&order, exec) +
                              choice->backend->place_ranks_scratch(&place, exec));
        return ORDO_OK;
    }
    TRY_SCRATCH(exec, index_bytes, order.index);
    TRY_SCRATCH(exec, n, order.heads);
    TRY(choice->backend->lexsort(choice->state, &order, exec));
    place.index = order.index;
    place.heads = order.heads;
    return choice->backend->place_ranks(choice->state, &place, exec);
}

static ordo_status lexrank_checked(ordo_ctx *ctx, ordo_exec *exec, const lex_call *call,
                                   const ordo_rank_opts *opts, size_t *bytes)
{
    ordo_rank_opts  options;
    ordo_choice     choice;
    ordo_key_column columns[ORDO_COLUMNS_MOST];
    TRY(api_check_ranks(exec, call->out_type, opts, &options));
    TRY(api_no_weights(exec, &options, "ordo_lexrank"));
    TRY(api_check_place(exec, options.flags, ORDO_ON_DEVICE, options.stream));
    TRY(api_no_segments(exec, options.segments, "ordo_lexrank"));
    FAIL_IF(options.algorithm != ORDO_ALGORITHM_AUTO, ORDO_E_ARG,
            "algorithm %s does not rank rows of several columns; expected auto",
            API_ALGORITHM(options.algorithm));
    TRY(api_check_rank_count(exec, call->out_type, call->n));
    TRY(begin(ctx, exec, call, "ranks", columns, &choice));
    return lexrank_rows(exec, &choice, call, columns, (ordo_ties)options.ties, bytes);
}

ordo_status ordo_lexrank(ordo_ctx *ctx, const ordo_column *columns, size_t count, size_t n,
                         ordo_type rank_type, void *ranks, const ordo_rank_opts *opts)
{
    lex_call const call = {columns, count, n, rank_type, ranks};
    API_CALL("lexrank", (ordo_type)0, n, lexrank_checked(ctx, exec, &call, opts, NULL));
}

ordo_status ordo_lexrank_scratch(ordo_ctx *ctx, const ordo_column *columns, size_t count, size_t n,
                                 ordo_type rank_type, const ordo_rank_opts *opts, size_t *bytes)
{
    lex_call const call = {columns, count, n, rank_type, NULL};
    API_SIZE_QUERY(bytes, lexrank_checked(ctx, exec, &call, opts, bytes));
}
