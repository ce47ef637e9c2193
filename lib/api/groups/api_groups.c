/* api_groups.c - ordo_group_*: results for each group of rows.
 *
 * One sort of rows by the group key and the key (the backend's lexsort) puts the rows of each group
 * next to each other, in the order of their keys. Every result is read from that order: ranks,
 * quantiles, the first k keys. Counts and quantiles need no order of rows (api_find_groups.c). */
#include "api/groups/api_groups.h"

#include "core/bisect.h"

#include <math.h>
#include <string.h>

/* ---- Checks ---- */

ordo_status groups_check(ordo_exec *exec, group_call *call, const ordo_groups *groups,
                         const ordo_group_opts *opts, uint64_t flags)
{
    ordo_groups_job *const job = &call->job;
    ordo_groups            g;
    FAIL_IF(groups == NULL, ORDO_E_ARG, "groups is NULL; expected an ordo_groups");
    TRY(api_read_struct(exec, &g, sizeof g, groups, "groups"));
    TRY(api_opts_read(exec, &call->options, sizeof call->options, opts));
    TRY(api_check_place(exec, call->options.flags, flags | ORDO_ON_DEVICE, call->options.stream));
    FAIL_IF(call->options.weights == NULL && call->options.weight_type != 0, ORDO_E_ARG,
            "opts.weight_type is %u, but opts.weights is NULL", call->options.weight_type);
    FAIL_IF(call->options.weights != NULL && job->verb != ORDO_GROUP_QUANTILES, ORDO_E_UNSUPPORTED,
            "opts.weights is not NULL; only group quantiles and medians have weights");
    TRY(api_check_type(exec, (ordo_type)g.type, "groups.type"));
    FAIL_IF(g.nans != ORDO_NANS_LAST && g.nans != ORDO_NANS_OMIT, ORDO_E_ARG,
            "groups.nans is %u; expected ORDO_NANS_LAST or ORDO_NANS_OMIT", g.nans);
    if (job->type != 0)
        TRY(api_check_type(exec, job->type, "type"));
    job->group_keys = g.keys;
    job->group_type = (ordo_type)g.type;
    job->omit = g.nans == ORDO_NANS_OMIT;
    job->capacity = g.capacity;
    job->unique = g.unique;
    job->sizes = g.sizes;
    job->groups = g.count;
    job->descending = (call->options.flags & ORDO_DESCENDING) != 0;
    job->nans = (ordo_nans)call->options.nans;
    job->ties = (ordo_ties)call->options.ties;
    job->method = (ordo_method)call->options.method;
    return ORDO_OK;
}

/* Whether an array of the verb must be there. */
static bool is_required(const ordo_groups_job *job, const ordo_array *array)
{
    switch (array->field) {
    case offsetof(ordo_groups_job, keys):
        return job->type != 0;
    case offsetof(ordo_groups_job, out):
        return job->verb == ORDO_GROUP_ARGSORT || job->verb == ORDO_GROUP_RANK;
    case offsetof(ordo_groups_job, quantiles):
        return job->verb == ORDO_GROUP_QUANTILES;
    default:
        return (array->use & ORDO_OPTIONAL) == 0;
    }
}

/* Results must not overlap the group keys and the keys, which are the first rows of the verb. */
static ordo_status check_arrays(ordo_exec *exec, const ordo_groups_job *job)
{
    const ordo_verb *const verb =
        job->verb == ORDO_GROUP_RANK ? &ordo_verb_group_rank : &ordo_verb_groups;
    size_t results;
    FAIL_IF(!ordo_size_mul(job->capacity, job->each, &results), ORDO_E_ARG,
            "%zu results for each of %zu groups are more than memory can hold", job->each,
            job->capacity);
    for (const ordo_array *array = verb->arrays; array < ordo_arrays_end(verb); array++) {
        const void *const at = ordo_pointer_in(job, array->field);
        size_t const n = ordo_array_count(verb, array, job), size = ordo_array_size(array, job);
        if (at == NULL && !is_required(job, array))
            continue;
        TRY(api_check_aligned(exec, at, n, size, array->name));
        for (const ordo_array *keys = verb->arrays;
             keys < verb->arrays + 2 && (array->use & ORDO_WRITTEN) != 0; keys++)
            TRY(api_check_apart(exec, ordo_pointer_in(job, keys->field),
                                job->n * ordo_array_size(keys, job), keys->name, at, n * size,
                                array->name));
    }
    return ORDO_OK;
}

ordo_status groups_choose(ordo_ctx *ctx, ordo_exec *exec, group_call *call)
{
    TRY(check_arrays(exec, &call->job));
    TRY(api_choose(ctx, exec, NULL, &call->choice));
    return api_check_slot(exec, &call->choice, call->choice.backend->lexsort != NULL, "groups");
}

/* ---- Counts and order ---- */

static ordo_status counts_checked(ordo_ctx *ctx, ordo_exec *exec, group_call *call,
                                  const ordo_groups *groups, const ordo_group_opts *opts)
{
    TRY(groups_check(exec, call, groups, opts, 0));
    TRY(groups_choose(ctx, exec, call));
    if (groups_is_whole(call))
        return groups_run_whole(exec, call);
    TRY(groups_count(exec, call));
    return groups_tell(exec, call);
}

ordo_status ordo_group_counts(ordo_ctx *ctx, const ordo_groups *groups, size_t n,
                              const ordo_group_opts *opts)
{
    group_call call = {.job = {.verb = ORDO_GROUP_COUNTS, .n = n}};
    API_CALL("group_counts", (ordo_type)0, n, counts_checked(ctx, exec, &call, groups, opts));
}

static ordo_status argsort_checked(ordo_ctx *ctx, ordo_exec *exec, group_call *call,
                                   const ordo_groups *groups, const ordo_group_opts *opts)
{
    if (call->job.keys == NULL)
        call->job.type = (ordo_type)0;
    TRY(groups_check(exec, call, groups, opts, ORDO_DESCENDING));
    TRY(api_check_index_type(exec, call->index_type, call->job.n));
    TRY(groups_choose(ctx, exec, call));
    if (groups_is_whole(call))
        return groups_run_whole(exec, call);
    TRY(groups_order_rows(exec, call, true));
    return groups_tell(exec, call);
}

ordo_status ordo_group_argsort(ordo_ctx *ctx, const ordo_groups *groups, ordo_type type,
                               const void *keys, size_t n, ordo_type index_type, void *index,
                               const ordo_group_opts *opts)
{
    group_call call = {.job = {.verb = ORDO_GROUP_ARGSORT,
                               .type = type,
                               .keys = keys,
                               .n = n,
                               .out_type = index_type,
                               .out = index},
                       .index_type = index_type,
                       .index = index};
    API_CALL("group_argsort", type, n, argsort_checked(ctx, exec, &call, groups, opts));
}

/* ---- Ranks ---- */

static void no_rank_piece(void *arg, size_t lo, size_t hi)
{
    const group_call *const call = arg;
    for (size_t i = lo; i < hi; i++) {
        size_t const row = groups_row_at(call, (size_t)call->starts[call->count] + i);
        if (call->job.out_type == ORDO_F64)
            ((double *)call->job.out)[row] = (double)NAN;
        else
            ordo_put_index(call->job.out_type, call->job.out, row, 0);
    }
}

static ordo_status rank_rows(ordo_exec *exec, group_call *call)
{
    size_t const         ranked = (size_t)call->starts[call->count];
    ordo_place_job const place = {.n = ranked,
                                  .index_type = call->index_type,
                                  .index = call->index,
                                  .heads = call->heads,
                                  .grouped = true,
                                  .ties = call->job.ties,
                                  .rank_type = call->job.out_type,
                                  .ranks = call->job.out};
    TRY(call->choice.backend->place_ranks(call->choice.state, &place, exec));
    if (call->has_nulls && !ordo_loop(exec, call->job.n - ranked, GROUPS_ROWS, no_rank_piece, call))
        return ORDO_E_CANCELLED;
    return ORDO_OK;
}

static ordo_status rank_checked(ordo_ctx *ctx, ordo_exec *exec, group_call *call,
                                const ordo_groups *groups, const ordo_group_opts *opts)
{
    ordo_rank_opts rule;
    TRY(groups_check(exec, call, groups, opts, ORDO_DESCENDING));
    TRY(api_check_ranks(exec, call->job.out_type,
                        &ORDO_OPTS(ordo_rank_opts, .ties = call->options.ties), &rule));
    TRY(api_check_rank_count(exec, call->job.out_type, call->job.n));
    TRY(groups_choose(ctx, exec, call));
    if (groups_is_whole(call))
        return groups_run_whole(exec, call);
    TRY(groups_order_rows(exec, call, true));
    if (call->job.n > 0)
        TRY(rank_rows(exec, call));
    return groups_tell(exec, call);
}

ordo_status ordo_group_rank(ordo_ctx *ctx, const ordo_groups *groups, ordo_type type,
                            const void *keys, size_t n, ordo_type rank_type, void *ranks,
                            const ordo_group_opts *opts)
{
    group_call call = {.job = {.verb = ORDO_GROUP_RANK,
                               .type = type,
                               .keys = keys,
                               .n = n,
                               .out_type = rank_type,
                               .out = ranks}};
    API_CALL("group_rank", type, n, rank_checked(ctx, exec, &call, groups, opts));
}

/* ---- Top-k ---- */

size_t groups_nans_of(const group_call *call, size_t start, size_t end)
{
    size_t lo = start, hi = end; /* the first NaN is in [lo, hi] */
    ORDO_BISECT(middle, lo, hi,
                !groups_is_nan(call->job.type, call->job.keys, groups_row_at(call, middle)));
    return end - lo;
}

static void topk_piece(void *arg, size_t lo, size_t hi)
{
    const group_call *const call = arg;
    size_t const            size = ordo_type_size(call->job.type);
    for (size_t g = lo; g < hi; g++) {
        size_t const start = (size_t)call->starts[g], end = (size_t)call->starts[g + 1];
        size_t const nans =
            call->options.nans == ORDO_NANS_OMIT ? groups_nans_of(call, start, end) : 0;
        size_t const found = ordo_min(call->job.each, end - start - nans);
        for (size_t j = 0; j < found; j++) {
            size_t const row = groups_row_at(call, start + j), at = g * call->job.each + j;
            if (call->job.values != NULL)
                memcpy((char *)call->job.values + at * size,
                       (const char *)call->job.keys + row * size, size);
            if (call->job.out != NULL)
                ordo_put_index(call->job.out_type, call->job.out, at, row);
        }
        if (call->job.found != NULL)
            call->job.found[g] = found;
    }
}

static ordo_status topk_checked(ordo_ctx *ctx, ordo_exec *exec, group_call *call,
                                const ordo_groups *groups, const ordo_group_opts *opts)
{
    TRY(groups_check(exec, call, groups, opts, ORDO_DESCENDING));
    FAIL_IF(call->options.nans > ORDO_NANS_OMIT, ORDO_E_ARG, "nans is %u; expected last or omit",
            call->options.nans);
    TRY(api_check_index_type(exec, call->job.out_type, call->job.n));
    TRY(groups_choose(ctx, exec, call));
    if (groups_is_whole(call))
        return groups_run_whole(exec, call);
    TRY(groups_order_rows(exec, call, true));
    TRY(groups_tell(exec, call));
    return ordo_loop(exec, call->count, GROUPS_PIECE, topk_piece, call) ? ORDO_OK
                                                                        : ORDO_E_CANCELLED;
}

ordo_status ordo_group_topk(ordo_ctx *ctx, const ordo_groups *groups, ordo_type type,
                            const void *keys, size_t n, size_t k, void *values,
                            ordo_type index_type, void *index, uint64_t *found,
                            const ordo_group_opts *opts)
{
    group_call call = {.job = {.verb = ORDO_GROUP_TOPK,
                               .type = type,
                               .keys = keys,
                               .n = n,
                               .each = k,
                               .values = values,
                               .out_type = index_type,
                               .out = index,
                               .found = found}};
    API_CALL("group_topk", type, n, topk_checked(ctx, exec, &call, groups, opts));
}

/* ---- Scratch ---- */

static ordo_status scratch_checked(ordo_ctx *ctx, ordo_exec *exec, size_t n, size_t *bytes)
{
    group_call             call = {.job = {.n = n}};
    ordo_key_column const  columns[2] = {{.type = ORDO_U64}, {.type = ORDO_U64}};
    ordo_lexsort_job const order = {columns, 2, n, ORDO_U64, NULL, NULL};
    ordo_place_job const   place = {.n = n};
    TRY(api_check_array(exec, NULL, n, sizeof(uint64_t), "keys"));
    TRY(groups_choose(ctx, exec, &call));
    const ordo_backend *const backend = call.choice.backend;
    if (groups_is_whole(&call)) {
        ordo_groups_job const rank = {.verb = ORDO_GROUP_RANK,
                                      .group_type = ORDO_U64,
                                      .type = ORDO_U64,
                                      .out_type = ORDO_U64,
                                      .n = n};
        ordo_exec             there = *exec;
        there.on_device = true; /* copies of CPU arrays are not counted */
        *bytes = api_scratch_total(backend->groups_scratch(&rank, &there));
        return ORDO_OK;
    }
    *bytes = api_scratch_total(
        n * (2 * sizeof(uint64_t) + 1) + (ordo_div_up(n, GROUPS_ROWS) + 3) * sizeof(uint64_t) +
        (size_t)8 * ORDO_CACHE_LINE + /* parts of the memory of collect */
        backend->lexsort_scratch(&order, exec) + backend->place_ranks_scratch(&place, exec));
    return ORDO_OK;
}

ordo_status ordo_group_scratch(ordo_ctx *ctx, size_t n, size_t *bytes)
{
    API_SIZE_QUERY(bytes, scratch_checked(ctx, exec, n, bytes));
}
