/* api_groups.c - ordo_group_*: results for each group of rows.
 *
 * One sort of rows by the group key and the key (the backend's lexsort) puts the rows of each group
 * next to each other, in the order of their keys. Every result is read from that order: ranks,
 * quantiles, the first k keys. Counts and quantiles need no order of rows: if the group keys are
 * integers of a narrow range, the backend's `collect` counts them and sorts each group. For counts,
 * api_few_groups.c hashes few distinct keys, and a sort of a copy of the group keys finds many. */
#include "api/groups/api_groups.h"
#include "core/keybits.h"

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
    TRY(api_opts_read(exec, &call->wish, sizeof call->wish, opts));
    TRY(api_check_place(exec, call->wish.flags, flags | ORDO_ON_DEVICE, call->wish.stream));
    FAIL_IF(call->wish.weights == NULL && call->wish.weight_type != 0, ORDO_E_ARG,
            "opts.weight_type is %u, but opts.weights is NULL", call->wish.weight_type);
    FAIL_IF(call->wish.weights != NULL && job->verb != ORDO_GROUP_QUANTILES, ORDO_E_UNSUPPORTED,
            "opts.weights is not NULL; only group quantiles and medians have weights");
    TRY(api_check_type(exec, (ordo_type)g.type, "groups.type"));
    FAIL_IF(g.nans != ORDO_NANS_LAST && g.nans != ORDO_NANS_OMIT, ORDO_E_ARG,
            "groups.nans is %u; expected ORDO_NANS_LAST or ORDO_NANS_OMIT", g.nans);
    size_t const size = ordo_type_size((ordo_type)g.type);
    TRY(api_check_aligned(exec, g.keys, job->n, size, "groups.keys"));
    if (g.unique != NULL)
        TRY(api_check_aligned(exec, g.unique, g.capacity, size, "groups.unique"));
    if (g.sizes != NULL)
        TRY(api_check_aligned(exec, g.sizes, g.capacity, sizeof(uint64_t), "groups.sizes"));
    if (job->type != 0) {
        TRY(api_check_type(exec, job->type, "type"));
        TRY(api_check_aligned(exec, job->keys, job->n, ordo_type_size(job->type), "keys"));
    }
    job->group_keys = g.keys;
    job->group_type = (ordo_type)g.type;
    job->omit = g.nans == ORDO_NANS_OMIT;
    job->capacity = g.capacity;
    job->unique = g.unique;
    job->sizes = g.sizes;
    job->groups = g.count;
    job->descending = (call->wish.flags & ORDO_DESCENDING) != 0;
    job->nans = (ordo_nans)call->wish.nans;
    job->ties = (ordo_ties)call->wish.ties;
    job->method = (ordo_method)call->wish.method;
    return ORDO_OK;
}

ordo_status groups_check_result(ordo_exec *exec, const group_call *call, const void *out,
                                size_t count, size_t size, const char *what)
{
    const ordo_groups_job *const job = &call->job;
    size_t const                 group_bytes = job->n * ordo_type_size(job->group_type);
    size_t const                 key_bytes = job->n * ordo_type_size(job->type);
    TRY(api_check_aligned(exec, out, count, size, what));
    TRY(api_check_apart(exec, job->group_keys, group_bytes, "groups.keys", out, count * size,
                        what));
    return api_check_apart(exec, job->keys, key_bytes, "keys", out, count * size, what);
}

ordo_status groups_check_room(ordo_exec *exec, const group_call *call, size_t *results)
{
    FAIL_IF(!ordo_size_mul(call->job.capacity, call->job.each, results), ORDO_E_ARG,
            "%zu results for each of %zu groups are more than memory can hold", call->job.each,
            call->job.capacity);
    return ORDO_OK;
}

/* ---- The order and the groups ---- */

static void count_piece(void *arg, size_t lo, size_t hi)
{
    group_call *const call = arg;
    uint64_t          count = 0;
    for (size_t i = lo; i < hi; i++)
        count += (call->heads[i] & ORDO_ROW_FIRST) != 0;
    call->pieces[lo / GROUPS_ROWS] = count;
}

static void starts_piece(void *arg, size_t lo, size_t hi)
{
    group_call *const call = arg;
    uint64_t          at = call->pieces[lo / GROUPS_ROWS];
    for (size_t i = lo; i < hi; i++)
        if ((call->heads[i] & ORDO_ROW_FIRST) != 0)
            call->starts[at++] = i;
}

static bool is_nan(ordo_type type, const void *keys, size_t row)
{
    return type == ORDO_F32   ? key_is_nan_f32(((const float *)keys)[row]) != 0
           : type == ORDO_F64 ? key_is_nan_f64(((const double *)keys)[row]) != 0
                              : false;
}

static ordo_status take_pieces(ordo_exec *exec, group_call *call)
{
    TRY_SCRATCH(exec, ordo_div_up(call->job.n, GROUPS_ROWS) * sizeof *call->pieces + 1,
                call->pieces);
    return ORDO_OK;
}

static ordo_status find_starts(ordo_exec *exec, group_call *call)
{
    size_t const n = call->job.n;
    if (!ordo_loop(exec, n, GROUPS_ROWS, count_piece, call))
        return ORDO_E_CANCELLED;
    call->count = (size_t)ordo_sums_before_64(call->pieces, ordo_div_up(n, GROUPS_ROWS));
    if (call->starts == NULL)
        TRY_SCRATCH(exec, (call->count + 1) * sizeof *call->starts, call->starts);
    if (!ordo_loop(exec, n, GROUPS_ROWS, starts_piece, call))
        return ORDO_E_CANCELLED;
    call->starts[call->count] = n;
    if (call->count > 0 && call->job.omit &&
        is_nan(call->job.group_type, call->job.group_keys,
               groups_row_at(call, (size_t)call->starts[call->count - 1]))) {
        call->count--;
        call->has_nulls = true;
    }
    return api_check_group_count(exec, &call->job, call->count);
}

ordo_status groups_order_rows(ordo_exec *exec, group_call *call, bool folded)
{
    ordo_key_column const columns[2] = {
        {call->job.group_keys, call->job.group_type, false, true},
        {call->job.keys, call->job.type, call->job.descending, folded}};
    size_t const count = call->job.keys == NULL ? 1 : 2;
    if (call->index == NULL) {
        call->index_type = call->job.n <= UINT32_MAX ? ORDO_U32 : ORDO_U64;
        TRY_SCRATCH(exec, call->job.n * ordo_type_size(call->index_type), call->index);
    } else { /* the caller's: no request may be refused after the sort has written it */
        TRY_SCRATCH(exec, (call->job.n + 1) * sizeof *call->starts, call->starts);
    }
    TRY(take_pieces(exec, call));
    TRY_SCRATCH(exec, call->job.n, call->heads);
    ordo_lexsort_job const job = {columns,          count,       call->job.n,
                                  call->index_type, call->index, call->heads};
    TRY(call->choice.backend->lexsort(call->choice.state, &job, exec));
    return find_starts(exec, call);
}

ordo_status groups_collect(ordo_exec *exec, group_call *call, bool *done)
{
    ordo_type const  group_type = call->job.group_type;
    ordo_collect_job job = {.group_type = group_type,
                            .group_keys = call->job.group_keys,
                            .n = call->job.n,
                            .type = call->job.type,
                            .keys = call->job.keys};
    if (call->choice.backend->collect != NULL && group_type != ORDO_F32 && group_type != ORDO_F64)
        TRY(call->choice.backend->collect(call->choice.state, &job, exec));
    *done = job.count > 0;
    if (!*done)
        return ORDO_OK;
    call->starts = job.starts;
    call->count = job.count;
    call->unique = job.unique;
    call->job.keys = call->job.keys != NULL ? job.sorted : NULL;
    return api_check_group_count(exec, &call->job, call->count);
}

/* Replaces the group keys by a sorted copy and finds the groups. */
static ordo_status sort_groups(ordo_exec *exec, group_call *call)
{
    ordo_type const type = call->job.group_type;
    ordo_exec       part;
    void           *sorted;
    TRY_SCRATCH(exec, call->job.n * ordo_type_size(type) + 1, sorted);
    TRY_SCRATCH(exec, call->job.n + 1, call->heads);
    TRY(take_pieces(exec, call));
    ordo_sort_job const job = {
        .type = type, .keys = sorted, .n = call->job.n, .source = call->job.group_keys};
    part = *exec;
    TRY(call->choice.backend->sort(call->choice.state, &job, &part));
    exec->algorithm = "sort";
    exec->isa = part.isa;
    call->job.group_keys = sorted;
    TRY(api_mark_groups(exec, type, sorted, call->job.n, call->heads));
    return find_starts(exec, call);
}

/* Writes the key of each group: one bit pattern for all zeros, and one for all NaNs. */
static void unique_piece(void *arg, size_t lo, size_t hi)
{
    const group_call *const      call = arg;
    const ordo_groups_job *const g = &call->job;
    size_t const                 size = ordo_type_size(g->group_type);
    if (call->unique != NULL) {
        memcpy((char *)g->unique + lo * size, (const char *)call->unique + lo * size,
               (hi - lo) * size);
        return;
    }
    for (size_t i = lo; i < hi; i++) {
        size_t const row = groups_row_at(call, (size_t)call->starts[i]);
        switch (g->group_type) {
        case ORDO_F32: {
            float const key = ((const float *)g->group_keys)[row];
            ((float *)g->unique)[i] = key_is_nan_f32(key) ? NAN : key_of_f32(key_fold_f32(key));
            break;
        }
        case ORDO_F64: {
            double const key = ((const double *)g->group_keys)[row];
            ((double *)g->unique)[i] =
                key_is_nan_f64(key) ? (double)NAN : key_of_f64(key_fold_f64(key));
            break;
        }
        default:
            memcpy((char *)g->unique + i * size, (const char *)g->group_keys + row * size, size);
        }
    }
}

static void sizes_piece(void *arg, size_t lo, size_t hi)
{
    const group_call *const call = arg;
    for (size_t i = lo; i < hi; i++)
        call->job.sizes[i] = call->starts[i + 1] - call->starts[i];
}

ordo_status groups_tell(ordo_exec *exec, group_call *call)
{
    if (call->job.unique != NULL && !ordo_loop(exec, call->count, GROUPS_PIECE, unique_piece, call))
        return ORDO_E_CANCELLED;
    if (call->job.sizes != NULL && !ordo_loop(exec, call->count, GROUPS_PIECE, sizes_piece, call))
        return ORDO_E_CANCELLED;
    if (call->job.groups != NULL)
        *call->job.groups = call->count;
    return ORDO_OK;
}

ordo_status groups_choose(ordo_ctx *ctx, ordo_exec *exec, group_call *call)
{
    TRY(api_choose(ctx, exec, NULL, &call->choice));
    return api_check_slot(exec, &call->choice, call->choice.backend->lexsort != NULL, "groups");
}

/* ---- Counts and order ---- */

static ordo_status counts_checked(ordo_ctx *ctx, ordo_exec *exec, group_call *call,
                                  const ordo_groups *groups, const ordo_group_opts *opts)
{
    bool done;
    TRY(groups_check(exec, call, groups, opts, 0));
    TRY(groups_choose(ctx, exec, call));
    if (groups_is_whole(call))
        return groups_run_whole(exec, call);
    TRY(api_count_few_groups(exec, &call->job, &done));
    if (done)
        return ORDO_OK;
    TRY(groups_collect(exec, call, &done));
    if (!done)
        TRY(sort_groups(exec, call));
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
    TRY(groups_check_result(exec, call, call->index, call->job.n, ordo_type_size(call->index_type),
                            "index"));
    TRY(groups_choose(ctx, exec, call));
    call->job.out_type = call->index_type;
    call->job.out = call->index;
    if (groups_is_whole(call))
        return groups_run_whole(exec, call);
    TRY(groups_order_rows(exec, call, true));
    return groups_tell(exec, call);
}

ordo_status ordo_group_argsort(ordo_ctx *ctx, const ordo_groups *groups, ordo_type type,
                               const void *keys, size_t n, ordo_type index_type, void *index,
                               const ordo_group_opts *opts)
{
    group_call call = {.job = {.verb = ORDO_GROUP_ARGSORT, .type = type, .keys = keys, .n = n},
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
                        &ORDO_OPTS(ordo_rank_opts, .ties = call->wish.ties), &rule));
    TRY(api_check_rank_count(exec, call->job.out_type, call->job.n));
    TRY(groups_check_result(exec, call, call->job.out, call->job.n,
                            ordo_type_size(call->job.out_type), "ranks"));
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
    while (lo < hi) {
        size_t const middle = lo + (hi - lo) / 2;
        if (is_nan(call->job.type, call->job.keys, groups_row_at(call, middle)))
            hi = middle;
        else
            lo = middle + 1;
    }
    return end - lo;
}

static void topk_piece(void *arg, size_t lo, size_t hi)
{
    const group_call *const call = arg;
    size_t const            size = ordo_type_size(call->job.type);
    for (size_t g = lo; g < hi; g++) {
        size_t const start = (size_t)call->starts[g], end = (size_t)call->starts[g + 1];
        size_t const nans =
            call->wish.nans == ORDO_NANS_OMIT ? groups_nans_of(call, start, end) : 0;
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
    size_t results;
    TRY(groups_check(exec, call, groups, opts, ORDO_DESCENDING));
    FAIL_IF(call->wish.nans > ORDO_NANS_OMIT, ORDO_E_ARG, "nans is %u; expected last or omit",
            call->wish.nans);
    TRY(api_check_index_type(exec, call->job.out_type, call->job.n));
    TRY(groups_check_room(exec, call, &results));
    if (call->job.values != NULL)
        TRY(groups_check_result(exec, call, call->job.values, results,
                                ordo_type_size(call->job.type), "values"));
    if (call->job.out != NULL)
        TRY(groups_check_result(exec, call, call->job.out, results,
                                ordo_type_size(call->job.out_type), "index"));
    if (call->job.found != NULL)
        TRY(groups_check_result(exec, call, call->job.found, call->job.capacity, sizeof(uint64_t),
                                "found"));
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
