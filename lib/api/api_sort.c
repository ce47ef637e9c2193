/* api_sort.c - ordo_sort, ordo_sort_pairs, ordo_argsort, ordo_sort_by and their size queries. */
#include "api/api.h"
#include "core/indices.h"

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

static ordo_status check_radius(ordo_exec *exec, const ordo_sort_opts *options,
                                const api_segments *segments)
{
    size_t const n = segments->least;
    FAIL_IF(options->radius != 0 && options->algorithm != ORDO_ALGORITHM_ROUGH &&
                options->algorithm != ORDO_ALGORITHM_HALVING &&
                options->algorithm != ORDO_ALGORITHM_INSERTION &&
                options->algorithm != ORDO_ALGORITHM_WINDOWS,
            ORDO_E_ARG,
            "radius is %llu, but the algorithm is %s; only rough, halving, windows and insertion "
            "take a radius",
            (unsigned long long)options->radius, API_ALGORITHM(options->algorithm));
    FAIL_IF(segments->given && options->radius >= n && n > 0, ORDO_E_ARG,
            "radius is %llu; expected less than %zu, the number of keys of segment %zu",
            (unsigned long long)options->radius, n, segments->least_at);
    FAIL_IF(n > 0 && options->radius >= n, ORDO_E_ARG,
            "radius is %llu; expected less than %zu, the number of keys",
            (unsigned long long)options->radius, n);
    return ORDO_OK;
}

static ordo_status read_sort_opts(ordo_exec *exec, const ordo_sort_opts *opts, size_t n,
                                  ordo_sort_opts *options, api_segments *segments)
{
    TRY(api_opts_read(exec, options, sizeof *options, opts));
    TRY(api_check_place(exec, options->flags, ORDO_DESCENDING | ORDO_STABLE | ORDO_ON_DEVICE,
                        options->stream));
    FAIL_IF(options->reserved != 0, ORDO_E_VERSION, "opts.reserved is not 0");
    TRY(api_check_sort_algorithm(exec, options->algorithm));
    TRY(api_read_segments(exec, options->segments, n, true, segments));
    return check_radius(exec, options, segments);
}

ordo_status api_read_sort_flags(ordo_exec *exec, const ordo_sort_opts *opts, uint64_t flags,
                                const char *call, ordo_sort_opts *options)
{
    TRY(api_opts_read(exec, options, sizeof *options, opts));
    TRY(api_check_place(exec, options->flags, flags, options->stream));
    FAIL_IF(options->reserved != 0, ORDO_E_VERSION, "opts.reserved is not 0");
    FAIL_IF(options->radius != 0 || options->source != NULL, ORDO_E_ARG,
            "opts.radius or opts.source is set; %s takes neither", call);
    return api_no_segments(exec, options->segments, call);
}

/* read_sort_opts for sorts that reject opts.source. */
static ordo_status read_in_place_opts(ordo_exec *exec, const ordo_sort_opts *opts, size_t n,
                                      ordo_sort_opts *options, api_segments *segments)
{
    TRY(read_sort_opts(exec, opts, n, options, segments));
    FAIL_IF(options->source != NULL, ORDO_E_ARG, "opts.source is only for ordo_sort");
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

/* Returns status. The error of a cancelled sort states the condition of the array. */
static ordo_status sorted_or_not(ordo_exec *exec, ordo_status status, const char *what)
{
    FAIL_IF(status == ORDO_E_CANCELLED, status, "%s was cancelled; the array is %s", what,
            exec->changed ? "unspecified" : "unchanged");
    return status;
}

ordo_status api_choose_sort(ordo_ctx *ctx, ordo_exec *exec, ordo_load *load, uint32_t algorithm,
                            const api_segments *segments, const size_t *bytes, ordo_choice *choice)
{
    bool const is_auto = algorithm == ORDO_ALGORITHM_AUTO;
    load->algorithm = (ordo_algorithm)algorithm;
    load->segmented = segments->given;
    if (!is_auto || segments->given)
        load->keys = NULL;
    bool const weighs = bytes == NULL && (is_auto || !segments->given);
    return api_choose(ctx, exec, weighs ? load : NULL, choice);
}

/* AUTO and RADIX sort in place if scratch is refused. */
static bool has_fallback(ordo_algorithm algorithm)
{
    return algorithm == ORDO_ALGORITHM_AUTO || algorithm == ORDO_ALGORITHM_RADIX;
}

/* ---- Keys ---- */

static ordo_status sort_rows(const api_work *work, const void *job, size_t rows, ordo_exec *exec)
{
    const ordo_sort_job *const sort = job;
    ordo_rows_job const        all = {.type = sort->type,
                                      .keys = sort->keys,
                                      .rows = rows,
                                      .n = sort->n,
                                      .descending = sort->descending};
    (void)exec;
    if (sort->source != NULL)
        memcpy(sort->keys, sort->source, rows * sort->n * ordo_type_size(sort->type));
    work->choice->backend->sort_rows(work->choice->state, &all);
    return ORDO_OK;
}

/* On a device the source is copied first. */
static ordo_status copy_source(ordo_exec *exec, const ordo_choice *choice, ordo_sort_job *job)
{
    ordo_copy_job const copy = {job->keys, job->source, job->n * ordo_type_size(job->type)};
    NEEDS(*choice, copy);
    job->source = NULL;
    return choice->backend->copy(choice->state, &copy, exec);
}

static void set_options(ordo_sort_job *job, const ordo_sort_opts *options)
{
    job->descending = (options->flags & ORDO_DESCENDING) != 0;
    job->algorithm = (ordo_algorithm)options->algorithm;
    job->radius = (size_t)options->radius;
    job->source = options->source;
}

static ordo_status sort_checked(ordo_ctx *ctx, ordo_exec *exec, ordo_sort_job *job,
                                const ordo_sort_opts *opts, size_t *bytes)
{
    ordo_sort_opts options;
    api_segments   segments;
    ordo_choice    choice;
    TRY(api_check_type(exec, job->type, "type"));
    if (api_is_short(ctx, given(opts), job->n, bytes, &choice)) {
        TRY(api_check_arrays(exec, &ordo_verb_sort, job));
        return sorted_or_not(exec, choice.backend->sort(choice.state, job, exec), "sort");
    }
    TRY(read_sort_opts(exec, opts, job->n, &options, &segments));
    set_options(job, &options);
    TRY(api_check_arrays(exec, &ordo_verb_sort, job));
    ordo_load load = ordo_load_sort(job->type, job->n, 0);
    ordo_load_look(&load, job->type, job->source != NULL ? job->source : job->keys,
                   job->descending);
    TRY(api_choose_sort(ctx, exec, &load, options.algorithm, &segments, bytes, &choice));
    bool const from_source = job->source != NULL && !segments.given;
    if (from_source && exec->on_device && bytes == NULL)
        TRY(copy_source(exec, &choice, job));
    api_work const    work = {.verb = &ordo_verb_sort,
                              .job = job,
                              .choice = &choice,
                              .repeats = ctx,
                              .keeps_keys = from_source,
                              .rows = job->algorithm == ORDO_ALGORITHM_AUTO ? sort_rows : NULL,
                              .rows_most = ORDO_ROW_KEYS,
                              .needs_scratch = !has_fallback(job->algorithm)};
    ordo_status const status = api_do(exec, &work, &segments, bytes);
    FAIL_IF(from_source && status == ORDO_E_CANCELLED, status,
            "sort was cancelled; keys is unspecified");
    return sorted_or_not(exec, status, "sort");
}

ordo_status ordo_sort(ordo_ctx *ctx, ordo_type type, void *keys, size_t n,
                      const ordo_sort_opts *opts)
{
    ordo_sort_job job = {.type = type, .keys = keys, .n = n};
    API_CALL("sort", type, n, sort_checked(ctx, exec, &job, opts, NULL));
}

ordo_status ordo_sort_scratch(ordo_ctx *ctx, ordo_type type, size_t n, const ordo_sort_opts *opts,
                              size_t *bytes)
{
    ordo_sort_job job = {.type = type, .n = n};
    API_SIZE_QUERY(bytes, sort_checked(ctx, exec, &job, opts, bytes));
}

/* ---- Pairs ---- */

static ordo_status pairs_checked(ordo_ctx *ctx, ordo_exec *exec, ordo_pairs_job *job,
                                 const ordo_sort_opts *opts, size_t *bytes)
{
    ordo_sort_job *const keys = &job->keys;
    ordo_sort_opts       options;
    api_segments         segments;
    ordo_choice          choice;
    TRY(api_check_type(exec, keys->type, "type"));
    FAIL_IF(job->value_size < 1 || job->value_size > MAX_VALUE, ORDO_E_ARG,
            "value_size is %zu; expected 1 to %d bytes", job->value_size, MAX_VALUE);
    bool const few = api_is_short(ctx, given(opts), keys->n, bytes, &choice);
    if (!few) {
        TRY(read_in_place_opts(exec, opts, keys->n, &options, &segments));
        set_options(keys, &options);
    }
    TRY(api_check_arrays(exec, &ordo_verb_sort_pairs, job));
    if (few)
        return sorted_or_not(exec, choice.backend->sort_pairs(choice.state, job, exec),
                             "sort_pairs");
    ordo_load load = ordo_load_sort(keys->type, keys->n, job->value_size);
    ordo_load_look(&load, keys->type, keys->keys, keys->descending);
    TRY(api_choose_sort(ctx, exec, &load, options.algorithm, &segments, bytes, &choice));
    api_work const work = {.verb = &ordo_verb_sort_pairs,
                           .job = job,
                           .choice = &choice,
                           .repeats = ctx,
                           .needs_scratch = !has_fallback(keys->algorithm)};
    return sorted_or_not(exec, api_do(exec, &work, &segments, bytes), "sort_pairs");
}

ordo_status ordo_sort_pairs(ordo_ctx *ctx, ordo_type type, void *keys, size_t n, void *values,
                            size_t value_size, const ordo_sort_opts *opts)
{
    ordo_pairs_job job = {{.type = type, .keys = keys, .n = n}, values, value_size};
    API_CALL("sort_pairs", type, n, pairs_checked(ctx, exec, &job, opts, NULL));
}

ordo_status ordo_sort_pairs_scratch(ordo_ctx *ctx, ordo_type type, size_t n, size_t value_size,
                                    const ordo_sort_opts *opts, size_t *bytes)
{
    ordo_pairs_job job = {{.type = type, .n = n}, NULL, value_size};
    API_SIZE_QUERY(bytes, pairs_checked(ctx, exec, &job, opts, bytes));
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

static ordo_status argsort_rows(const api_work *work, const void *job, size_t rows, ordo_exec *exec)
{
    const ordo_argsort_job *const argsort = job;
    ordo_type const               type = argsort->index_type;
    size_t const                  count = rows * argsort->n;
    api_rows_order                order;
    (void)exec;
    api_order_rows(work->choice, argsort->type, argsort->descending, argsort->keys, rows,
                   argsort->n, &order);
    for (size_t j = 0; j < count; j++)
        ordo_put_index(type, argsort->index, j, order.places[j]);
    return ORDO_OK;
}

static ordo_status argsort_checked(ordo_ctx *ctx, ordo_exec *exec, ordo_argsort_job *job,
                                   const ordo_sort_opts *opts, size_t *bytes)
{
    size_t const   n = job->n;
    ordo_sort_opts options;
    api_segments   segments;
    ordo_choice    choice;
    TRY(api_check_type(exec, job->type, "type"));
    bool const few = api_is_short(ctx, given(opts), n, bytes, &choice);
    if (!few)
        TRY(read_in_place_opts(exec, opts, n, &options, &segments));
    TRY(api_check_index_type(exec, job->index_type, few ? n : segments.longest));
    TRY(api_check_arrays(exec, &ordo_verb_argsort, job));
    if (few)
        return choice.backend->argsort(choice.state, job, exec);
    job->descending = (options.flags & ORDO_DESCENDING) != 0;
    job->algorithm = (ordo_algorithm)options.algorithm;
    job->radius = (size_t)options.radius;
    ordo_load load = ordo_load_argsort(job->type, n, job->index_type);
    ordo_load_look(&load, job->type, job->keys, job->descending);
    TRY(api_choose_sort(ctx, exec, &load, options.algorithm, &segments, bytes, &choice));
    api_work const work = {.verb = &ordo_verb_argsort,
                           .job = job,
                           .choice = &choice,
                           .repeats = ctx,
                           .rows = job->algorithm == ORDO_ALGORITHM_AUTO ? argsort_rows : NULL,
                           .rows_most = ORDO_ROW_KEYS,
                           .rows_elements = API_ROWS_ORDERED,
                           .needs_scratch = !has_fallback(job->algorithm)};
    return api_do(exec, &work, &segments, bytes);
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
    ordo_sort_opts options;
    ordo_choice    choice;
    TRY(api_read_sort_flags(exec, opts, ORDO_STABLE, "ordo_sort_by", &options));
    FAIL_IF(
        options.algorithm != ORDO_ALGORITHM_AUTO && options.algorithm != ORDO_ALGORITHM_SAMPLE &&
            options.algorithm != ORDO_ALGORITHM_MERGE,
        ORDO_E_ARG, "algorithm %s cannot use a comparison function; expected auto, sample or merge",
        API_ALGORITHM(options.algorithm));
    FAIL_IF(options.algorithm == ORDO_ALGORITHM_SAMPLE && (options.flags & ORDO_STABLE) != 0,
            ORDO_E_ARG, "algorithm sample is not stable; expected auto or merge");
    FAIL_IF(size == 0, ORDO_E_ARG, "size is 0; expected the size of an element in bytes");
    FAIL_IF(compare == NULL, ORDO_E_ARG, "compare is NULL; expected a comparison function");
    TRY(api_check_array(exec, base, n, size, "base"));
    TRY(api_choose(ctx, exec, NULL, &choice));
    NEEDS(choice, sort_by);
    ordo_by_job const job = {
        base, n,
        size, compare,
        user, (options.flags & ORDO_STABLE) != 0 || options.algorithm == ORDO_ALGORITHM_MERGE};
    return choice.backend->sort_by(choice.state, &job, exec);
}

ordo_status ordo_sort_by(ordo_ctx *ctx, void *base, size_t n, size_t size, ordo_compare_fn *compare,
                         void *user, const ordo_sort_opts *opts)
{
    API_CALL("sort_by", (ordo_type)0, n,
             sort_by_checked(ctx, exec, base, n, size, compare, user, opts));
}
