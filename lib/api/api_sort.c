/* api_sort.c - ordo_sort, ordo_sort_pairs, ordo_argsort, ordo_sort_by and their size queries. */
#include "api/api.h"

#include <string.h>

enum {
    MAX_VALUE = 16
};

ordo_status api_check_sort_algorithm(ordo_exec *exec, uint32_t algorithm)
{
    FAIL_IF(algorithm != ORDO_ALGORITHM_AUTO && algorithm != ORDO_ALGORITHM_WINDOWS &&
                algorithm != ORDO_ALGORITHM_INSERTION && algorithm != ORDO_ALGORITHM_GLOBAL &&
                algorithm != ORDO_ALGORITHM_INTERVALS &&
                (algorithm < ORDO_ALGORITHM_RADIX || algorithm > ORDO_ALGORITHM_HALVING),
            ORDO_E_ARG,
            "algorithm %s does not sort; expected auto, radix, sample, merge, bitonic, split, "
            "bubble, rough, halving, windows, insertion, global or intervals",
            API_ALGORITHM(algorithm));
    return ORDO_OK;
}

static ordo_status check_radius(ordo_exec *exec, const ordo_sort_opts *wish,
                                const api_segments *segments)
{
    size_t const n = segments->least;
    FAIL_IF(wish->radius != 0 && wish->algorithm != ORDO_ALGORITHM_ROUGH &&
                wish->algorithm != ORDO_ALGORITHM_HALVING &&
                wish->algorithm != ORDO_ALGORITHM_INSERTION &&
                wish->algorithm != ORDO_ALGORITHM_WINDOWS,
            ORDO_E_ARG,
            "radius is %llu, but the algorithm is %s; only rough, halving, windows and insertion "
            "take a radius",
            (unsigned long long)wish->radius, API_ALGORITHM(wish->algorithm));
    FAIL_IF(segments->given && wish->radius >= n && n > 0, ORDO_E_ARG,
            "radius is %llu; expected less than %zu, the number of keys of segment %zu",
            (unsigned long long)wish->radius, n, segments->least_at);
    FAIL_IF(n > 0 && wish->radius >= n, ORDO_E_ARG,
            "radius is %llu; expected less than %zu, the number of keys",
            (unsigned long long)wish->radius, n);
    return ORDO_OK;
}

static ordo_status read_sort_opts(ordo_exec *exec, const ordo_sort_opts *opts, size_t n,
                                  ordo_sort_opts *wish, api_segments *segments)
{
    TRY(api_opts_read(exec, wish, sizeof *wish, opts));
    TRY(api_check_place(exec, wish->flags, ORDO_DESCENDING | ORDO_STABLE | ORDO_ON_DEVICE,
                        wish->stream));
    FAIL_IF(wish->reserved != 0, ORDO_E_VERSION, "opts.reserved is not 0");
    TRY(api_check_sort_algorithm(exec, wish->algorithm));
    TRY(api_read_segments(exec, wish->segments, n, true, segments));
    return check_radius(exec, wish, segments);
}

/* The same for sorts that reject opts.source. */
static ordo_status read_in_place_opts(ordo_exec *exec, const ordo_sort_opts *opts, size_t n,
                                      ordo_sort_opts *wish, api_segments *segments)
{
    TRY(read_sort_opts(exec, opts, n, wish, segments));
    FAIL_IF(wish->source != NULL, ORDO_E_ARG, "opts.source is only for ordo_sort");
    return ORDO_OK;
}

/* Returns NULL for options that are all 0, as if the caller had given none. */
static const ordo_sort_opts *given(const ordo_sort_opts *opts)
{
    bool const is_default = opts != NULL && opts->struct_size == sizeof *opts && opts->flags == 0 &&
                            opts->radius == 0 && opts->algorithm == 0 && opts->reserved == 0 &&
                            opts->stream == NULL && opts->source == NULL && opts->segments == NULL;
    return is_default ? NULL : opts;
}

static ordo_sort_job job_of(ordo_type type, void *keys, size_t n, const ordo_sort_opts *wish)
{
    return (ordo_sort_job){type,
                           keys,
                           n,
                           (wish->flags & ORDO_DESCENDING) != 0,
                           (ordo_algorithm)wish->algorithm,
                           (size_t)wish->radius,
                           wish->source,
                           NULL};
}

/* Returns status. The error of a cancelled sort states the condition of the array. */
static ordo_status sorted_or_not(ordo_exec *exec, ordo_status status, const char *what)
{
    FAIL_IF(status == ORDO_E_CANCELLED, status, "%s was cancelled; the array is %s", what,
            exec->changed ? "unspecified" : "unchanged");
    return status;
}

/* The load of a job on segments. NULL if the CPU does the job under `auto`: only the CPU has the
 * algorithm, or this is a size query. */
static const ordo_load *segmented(ordo_load *load, ordo_algorithm algorithm, const size_t *bytes)
{
    load->segmented = true;
    load->algorithm = algorithm;
    return bytes == NULL && api_sorts_segments(algorithm) ? load : NULL;
}

/* AUTO and RADIX sort in place if scratch is refused. */
static bool has_fallback(ordo_algorithm algorithm)
{
    return algorithm == ORDO_ALGORITHM_AUTO || algorithm == ORDO_ALGORITHM_RADIX;
}

/* ---- Keys ---- */

typedef struct sort_segments { /* a sort of each segment; the job lacks keys and n of the segment */
    const ordo_choice *choice;
    ordo_sort_job      job;
} sort_segments;

static ordo_status sort_one(const void *arg, size_t i, size_t n, void *const *at, ordo_exec *exec)
{
    const sort_segments *const call = arg;
    ordo_sort_job              job = call->job;
    (void)i;
    job.keys = at[0];
    job.source = at[1];
    job.n = n;
    return call->choice->backend->sort(call->choice->state, &job, exec);
}

static size_t sort_one_scratch(const void *arg, size_t n, const ordo_exec *exec)
{
    const sort_segments *const call = arg;
    ordo_sort_job              job = call->job;
    job.n = n;
    return call->choice->backend->sort_scratch(&job, exec);
}

static ordo_status sort_rows(const void *arg, size_t i, size_t count, size_t n, void *const *at,
                             ordo_exec *exec)
{
    const sort_segments *const call = arg;
    ordo_rows_job const        job = {.type = call->job.type,
                                      .keys = at[0],
                                      .rows = count,
                                      .n = n,
                                      .descending = call->job.descending};
    (void)i;
    (void)exec;
    if (at[1] != NULL)
        memcpy(at[0], at[1], count * n * ordo_type_size(job.type));
    call->choice->backend->sort_rows(call->choice->state, &job);
    return ORDO_OK;
}

static ordo_status sort_each(ordo_ctx *ctx, ordo_exec *exec, ordo_sort_job *job,
                             const api_segments *segments, size_t *bytes)
{
    size_t const  size = ordo_type_size(job->type);
    bool const    in_place = job->source == NULL;
    ordo_choice   choice;
    sort_segments call = {&choice, *job};
    ordo_load     load = ordo_load_sort(job->type, job->n, 0);
    ordo_status   status;
    TRY(api_choose(ctx, exec, segmented(&load, job->algorithm, bytes), &choice));
    ordo_segments_job each = {
        .arrays = {{job->keys, size, in_place, true}, api_read_only(job->source, size)},
        .one = sort_one,
        .rows = job->algorithm == ORDO_ALGORITHM_AUTO ? sort_rows : NULL,
        .rows_most = ORDO_ROW_KEYS,
        .scratch = sort_one_scratch,
        .needs_scratch = !has_fallback(job->algorithm),
        .arg = &call};
    ANSWER_SEGMENTS_QUERY(bytes, choice, sort, *job, segments, each);
    RUN_SEGMENTS(status, choice, sort, *job, segments, each);
    return sorted_or_not(exec, status, "sort");
}

/* Sorts from opts.source. The source is never written, so the CPU can start again after any failure
 * of a device. */
static ordo_status sort_from(ordo_ctx *ctx, ordo_exec *exec, ordo_choice *choice,
                             ordo_sort_job *job)
{
    size_t const bytes = job->n * ordo_type_size(job->type);
    ordo_status  status;
    if (exec->on_device) {
        NEEDS(*choice, copy);
        ordo_copy_job const copy = {job->keys, job->source, bytes};
        TRY(choice->backend->copy(choice->state, &copy, exec));
        job->source = NULL;
    }
    do {
        status = choice->backend->sort(choice->state, job, exec);
        exec->changed = false;
    } while (status != ORDO_OK && api_again(ctx, exec, status, choice));
    FAIL_IF(status == ORDO_E_CANCELLED, status, "sort was cancelled; keys is unspecified");
    return status;
}

static ordo_status check_source(ordo_exec *exec, const ordo_sort_job *job)
{
    size_t const size = ordo_type_size(job->type), bytes = job->n * size;
    TRY(api_check_aligned(exec, job->source, job->n, size, "opts.source"));
    return api_check_apart(exec, job->keys, bytes, "keys", job->source, bytes, "opts.source");
}

static ordo_status sort_checked(ordo_ctx *ctx, ordo_exec *exec, ordo_type type, void *keys,
                                size_t n, const ordo_sort_opts *opts, size_t *bytes)
{
    ordo_sort_opts wish;
    api_segments   segments;
    ordo_choice    choice;
    TRY(api_check_type(exec, type, "type"));
    if (api_is_short(ctx, given(opts), n, bytes, &choice)) {
        TRY(api_check_aligned(exec, keys, n, ordo_type_size(type), "keys"));
        ordo_sort_job const few = {.type = type, .keys = keys, .n = n};
        return sorted_or_not(exec, choice.backend->sort(choice.state, &few, exec), "sort");
    }
    TRY(read_sort_opts(exec, opts, n, &wish, &segments));
    TRY(api_check_aligned(exec, keys, n, ordo_type_size(type), "keys"));
    ordo_sort_job job = job_of(type, keys, n, &wish);
    if (job.source != NULL && bytes == NULL)
        TRY(check_source(exec, &job));
    if (segments.given)
        return sort_each(ctx, exec, &job, &segments, bytes);
    ordo_load load = ordo_load_sort(type, n, 0);
    load.algorithm = (ordo_algorithm)wish.algorithm;
    if (wish.algorithm == ORDO_ALGORITHM_AUTO)
        ordo_load_look(&load, type, job.source != NULL ? job.source : keys, job.descending);
    TRY(api_choose(ctx, exec, bytes == NULL ? &load : NULL, &choice));
    NEEDS(choice, sort);
    ordo_status status;
    ANSWER_SIZE_QUERY(bytes, choice, sort, &job);
    if (job.source != NULL)
        return sort_from(ctx, exec, &choice, &job);
    RUN(status, choice, sort, job);
    return sorted_or_not(exec, status, "sort");
}

ordo_status ordo_sort(ordo_ctx *ctx, ordo_type type, void *keys, size_t n,
                      const ordo_sort_opts *opts)
{
    API_CALL("sort", type, n, sort_checked(ctx, exec, type, keys, n, opts, NULL));
}

ordo_status ordo_sort_scratch(ordo_ctx *ctx, ordo_type type, size_t n, const ordo_sort_opts *opts,
                              size_t *bytes)
{
    API_SIZE_QUERY(bytes, sort_checked(ctx, exec, type, NULL, n, opts, bytes));
}

/* ---- Pairs ---- */

typedef struct pairs_segments { /* as in sort_segments */
    const ordo_choice *choice;
    ordo_pairs_job     job;
} pairs_segments;

static ordo_status pairs_one(const void *arg, size_t i, size_t n, void *const *at, ordo_exec *exec)
{
    const pairs_segments *const call = arg;
    ordo_pairs_job              job = call->job;
    (void)i;
    job.keys.keys = at[0];
    job.keys.n = n;
    job.values = at[1];
    return call->choice->backend->sort_pairs(call->choice->state, &job, exec);
}

static size_t pairs_one_scratch(const void *arg, size_t n, const ordo_exec *exec)
{
    const pairs_segments *const call = arg;
    ordo_pairs_job              job = call->job;
    job.keys.n = n;
    return call->choice->backend->sort_pairs_scratch(&job, exec);
}

static ordo_status pairs_each(ordo_ctx *ctx, ordo_exec *exec, ordo_pairs_job *job,
                              const api_segments *segments, size_t *bytes)
{
    ordo_choice    choice;
    pairs_segments call = {&choice, *job};
    ordo_load      load = ordo_load_sort(job->keys.type, job->keys.n, job->value_size);
    ordo_status    status;
    TRY(api_choose(ctx, exec, segmented(&load, job->keys.algorithm, bytes), &choice));
    ordo_segments_job each = {
        .arrays = {{job->keys.keys, ordo_type_size(job->keys.type), true, true},
                   {job->values, job->value_size, true, true}},
        .one = pairs_one,
        .scratch = pairs_one_scratch,
        .needs_scratch = !has_fallback(job->keys.algorithm),
        .arg = &call};
    job->keys.segments = &segments->view;
    if (bytes != NULL && choice.backend->has_segments) {
        *bytes = api_scratch_total(choice.backend->sort_pairs_scratch(job, exec));
        return ORDO_OK;
    }
    if (bytes != NULL)
        return api_run_segments(exec, &choice, segments, &each, bytes);
    do
        status = choice.backend->has_segments
                     ? choice.backend->sort_pairs(choice.state, job, exec)
                     : api_run_segments(exec, &choice, segments, &each, NULL);
    while (status != ORDO_OK && api_again(ctx, exec, status, &choice));
    return sorted_or_not(exec, status, "sort_pairs");
}

static ordo_status pairs_checked(ordo_ctx *ctx, ordo_exec *exec, ordo_type type, void *keys,
                                 size_t n, void *values, size_t value_size,
                                 const ordo_sort_opts *opts, size_t *bytes)
{
    ordo_sort_opts wish;
    api_segments   segments;
    ordo_choice    choice;
    TRY(api_check_type(exec, type, "type"));
    FAIL_IF(value_size < 1 || value_size > MAX_VALUE, ORDO_E_ARG,
            "value_size is %zu; expected 1 to %d bytes", value_size, MAX_VALUE);
    bool const few = api_is_short(ctx, given(opts), n, bytes, &choice);
    if (!few)
        TRY(read_in_place_opts(exec, opts, n, &wish, &segments));
    TRY(api_check_aligned(exec, keys, n, ordo_type_size(type), "keys"));
    TRY(api_check_array(exec, values, n, value_size, "values"));
    TRY(api_check_apart(exec, keys, n * ordo_type_size(type), "keys", values, n * value_size,
                        "values"));
    if (few) {
        ordo_pairs_job const one = {{.type = type, .keys = keys, .n = n}, values, value_size};
        return sorted_or_not(exec, choice.backend->sort_pairs(choice.state, &one, exec),
                             "sort_pairs");
    }
    ordo_pairs_job job = {job_of(type, keys, n, &wish), values, value_size};
    if (segments.given)
        return pairs_each(ctx, exec, &job, &segments, bytes);
    ordo_load load = ordo_load_sort(type, n, value_size);
    load.algorithm = (ordo_algorithm)wish.algorithm;
    if (wish.algorithm == ORDO_ALGORITHM_AUTO)
        ordo_load_look(&load, type, keys, job.keys.descending);
    TRY(api_choose(ctx, exec, bytes == NULL ? &load : NULL, &choice));
    NEEDS(choice, sort_pairs);
    ordo_status status;
    ANSWER_SIZE_QUERY(bytes, choice, sort_pairs, &job);
    RUN(status, choice, sort_pairs, job);
    return sorted_or_not(exec, status, "sort_pairs");
}

ordo_status ordo_sort_pairs(ordo_ctx *ctx, ordo_type type, void *keys, size_t n, void *values,
                            size_t value_size, const ordo_sort_opts *opts)
{
    API_CALL("sort_pairs", type, n,
             pairs_checked(ctx, exec, type, keys, n, values, value_size, opts, NULL));
}

ordo_status ordo_sort_pairs_scratch(ordo_ctx *ctx, ordo_type type, size_t n, size_t value_size,
                                    const ordo_sort_opts *opts, size_t *bytes)
{
    API_SIZE_QUERY(bytes, pairs_checked(ctx, exec, type, NULL, n, NULL, value_size, opts, bytes));
}

/* ---- Argsort ---- */

ordo_status api_check_index_type(ordo_exec *exec, ordo_type index_type, size_t n)
{
    TRY(api_check_type(exec, index_type, "index_type"));
    FAIL_IF(index_type != ORDO_U32 && index_type != ORDO_U64, ORDO_E_ARG,
            "index_type is %s; expected u32 or u64", ordo_type_name(index_type));
    FAIL_IF(index_type == ORDO_U32 && n > (size_t)UINT32_MAX + 1, ORDO_E_ARG,
            "n is %zu; indices above 2^32 - 1 need index_type u64", n);
    return ORDO_OK;
}

typedef struct argsort_segments { /* as in sort_segments */
    const ordo_choice *choice;
    ordo_argsort_job   job;
} argsort_segments;

static ordo_status argsort_one(const void *arg, size_t i, size_t n, void *const *at,
                               ordo_exec *exec)
{
    const argsort_segments *const call = arg;
    ordo_argsort_job              job = call->job;
    (void)i;
    job.keys = at[0];
    job.index = at[1];
    job.n = n;
    return call->choice->backend->argsort(call->choice->state, &job, exec);
}

static ordo_status argsort_rows(const void *arg, size_t i, size_t count, size_t n, void *const *at,
                                ordo_exec *exec)
{
    const argsort_segments *const call = arg;
    const ordo_argsort_job *const job = &call->job;
    api_rows_order                order;
    (void)i;
    (void)exec;
    for (size_t done = 0, rows; done < count; done += rows) {
        rows = api_order_rows(call->choice, job->type, job->descending,
                              (const char *)at[0] + done * n * ordo_type_size(job->type),
                              count - done, n, &order);
        if (job->index_type == ORDO_U32)
            for (size_t j = 0; j < rows * n; j++)
                ((uint32_t *)at[1])[done * n + j] = order.places[j];
        else
            for (size_t j = 0; j < rows * n; j++)
                ((uint64_t *)at[1])[done * n + j] = order.places[j];
    }
    return ORDO_OK;
}

static size_t argsort_one_scratch(const void *arg, size_t n, const ordo_exec *exec)
{
    const argsort_segments *const call = arg;
    ordo_argsort_job              job = call->job;
    job.n = n;
    return call->choice->backend->argsort_scratch(&job, exec);
}

static ordo_status argsort_each(ordo_ctx *ctx, ordo_exec *exec, const ordo_argsort_job *job,
                                const api_segments *segments, size_t *bytes)
{
    ordo_choice      choice;
    ordo_argsort_job all = *job;
    argsort_segments call = {&choice, *job};
    ordo_load        load = ordo_load_argsort(job->type, job->n, job->index_type);
    ordo_status      status;
    TRY(api_choose(ctx, exec, segmented(&load, job->algorithm, bytes), &choice));
    ordo_segments_job each = {
        .arrays = {api_read_only(job->keys, ordo_type_size(job->type)),
                   {job->index, ordo_type_size(job->index_type), false, true}},
        .one = argsort_one,
        .rows = job->algorithm == ORDO_ALGORITHM_AUTO ? argsort_rows : NULL,
        .rows_most = ORDO_ROW_KEYS,
        .scratch = argsort_one_scratch,
        .needs_scratch = !has_fallback(job->algorithm),
        .arg = &call};
    ANSWER_SEGMENTS_QUERY(bytes, choice, argsort, all, segments, each);
    RUN_SEGMENTS(status, choice, argsort, all, segments, each);
    return status;
}

static ordo_status argsort_checked(ordo_ctx *ctx, ordo_exec *exec, ordo_argsort_job *job,
                                   const ordo_sort_opts *opts, size_t *bytes)
{
    size_t const   n = job->n;
    ordo_sort_opts wish;
    api_segments   segments;
    ordo_choice    choice;
    ordo_status    status;
    TRY(api_check_type(exec, job->type, "type"));
    bool const few = api_is_short(ctx, given(opts), n, bytes, &choice);
    if (!few)
        TRY(read_in_place_opts(exec, opts, n, &wish, &segments));
    TRY(api_check_index_type(exec, job->index_type, few ? n : segments.longest));
    size_t const size = ordo_type_size(job->type), index_size = ordo_type_size(job->index_type);
    TRY(api_check_aligned(exec, job->keys, n, size, "keys"));
    TRY(api_check_aligned(exec, job->index, n, index_size, "index"));
    TRY(api_check_apart(exec, job->keys, n * size, "keys", job->index, n * index_size, "index"));
    if (few)
        return choice.backend->argsort(choice.state, job, exec);
    job->descending = (wish.flags & ORDO_DESCENDING) != 0;
    job->algorithm = (ordo_algorithm)wish.algorithm;
    job->radius = (size_t)wish.radius;
    if (segments.given)
        return argsort_each(ctx, exec, job, &segments, bytes);
    ordo_load load = ordo_load_argsort(job->type, n, job->index_type);
    load.algorithm = (ordo_algorithm)wish.algorithm;
    if (wish.algorithm == ORDO_ALGORITHM_AUTO)
        ordo_load_look(&load, job->type, job->keys, job->descending);
    TRY(api_choose(ctx, exec, bytes == NULL ? &load : NULL, &choice));
    NEEDS(choice, argsort);
    ANSWER_SIZE_QUERY(bytes, choice, argsort, job);
    RUN(status, choice, argsort, *job);
    return status;
}

ordo_status ordo_argsort(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n,
                         ordo_type index_type, void *index, const ordo_sort_opts *opts)
{
    ordo_argsort_job job = {
        .type = type, .keys = keys, .n = n, .index_type = index_type, .index = index};
    API_CALL("argsort", type, n, argsort_checked(ctx, exec, &job, opts, NULL));
}

ordo_status ordo_argsort_scratch(ordo_ctx *ctx, ordo_type type, size_t n, ordo_type index_type,
                                 const ordo_sort_opts *opts, size_t *bytes)
{
    ordo_argsort_job job = {.type = type, .n = n, .index_type = index_type};
    API_SIZE_QUERY(bytes, argsort_checked(ctx, exec, &job, opts, bytes));
}

/* ---- By a comparison function ---- */

static ordo_status sort_by_checked(ordo_ctx *ctx, ordo_exec *exec, void *base, size_t n,
                                   size_t size, ordo_compare_fn *compare, void *user,
                                   const ordo_sort_opts *opts)
{
    ordo_sort_opts wish;
    ordo_choice    choice;
    TRY(api_opts_read(exec, &wish, sizeof wish, opts));
    TRY(api_check_place(exec, wish.flags, ORDO_STABLE, wish.stream));
    FAIL_IF(wish.reserved != 0, ORDO_E_VERSION, "opts.reserved is not 0");
    FAIL_IF(wish.radius != 0 || wish.source != NULL, ORDO_E_ARG,
            "opts.radius or opts.source is set; ordo_sort_by takes neither");
    TRY(api_no_segments(exec, wish.segments, "ordo_sort_by"));
    FAIL_IF(wish.algorithm != ORDO_ALGORITHM_AUTO && wish.algorithm != ORDO_ALGORITHM_SAMPLE &&
                wish.algorithm != ORDO_ALGORITHM_MERGE,
            ORDO_E_ARG,
            "algorithm %s cannot use a comparison function; expected auto, sample or merge",
            API_ALGORITHM(wish.algorithm));
    FAIL_IF(wish.algorithm == ORDO_ALGORITHM_SAMPLE && (wish.flags & ORDO_STABLE) != 0, ORDO_E_ARG,
            "algorithm sample is not stable; expected auto or merge");
    FAIL_IF(size == 0, ORDO_E_ARG, "size is 0; expected the size of an element in bytes");
    FAIL_IF(compare == NULL, ORDO_E_ARG, "compare is NULL; expected a comparison function");
    TRY(api_check_array(exec, base, n, size, "base"));
    TRY(api_choose(ctx, exec, NULL, &choice));
    NEEDS(choice, sort_by);
    ordo_by_job const job = {
        base,    n,    size,
        compare, user, (wish.flags & ORDO_STABLE) != 0 || wish.algorithm == ORDO_ALGORITHM_MERGE};
    return choice.backend->sort_by(choice.state, &job, exec);
}

ordo_status ordo_sort_by(ordo_ctx *ctx, void *base, size_t n, size_t size, ordo_compare_fn *compare,
                         void *user, const ordo_sort_opts *opts)
{
    API_CALL("sort_by", (ordo_type)0, n,
             sort_by_checked(ctx, exec, base, n, size, compare, user, opts));
}
