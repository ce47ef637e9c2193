/* api_measure.c - ordo_is_sorted, ordo_radius with its size query, ordo_runs and ordo_copy. */
#include "api/api.h"
#include "core/keybits.h"

enum {
    FEW_KEYS = 4,
    SHORT_ROW = 256 /* keys of a row that one loop checks; longer rows take the backend's kernel */
};

#define ORDO_TEMPLATE "api/sorted_row.t.h"
#include "core/for_each_type.h"

static ordo_status check_order(ordo_exec *exec, ordo_type type, const ordo_order_opts *opts,
                               bool is_radius, ordo_order_opts *wish)
{
    TRY(api_check_type(exec, type, "type"));
    TRY(api_opts_read(exec, wish, sizeof *wish, opts));
    TRY(api_check_place(exec, wish->flags, ORDO_DESCENDING | ORDO_ON_DEVICE, wish->stream));
    FAIL_IF(wish->reserved != 0, ORDO_E_VERSION, "opts.reserved is not 0");
    FAIL_IF(wish->algorithm != ORDO_ALGORITHM_AUTO &&
                !(is_radius && (wish->algorithm == ORDO_ALGORITHM_SEQUENTIAL ||
                                wish->algorithm == ORDO_ALGORITHM_PREFIX ||
                                wish->algorithm == ORDO_ALGORITHM_SCANS)),
            ORDO_E_ARG, "algorithm is %s; expected auto%s", API_ALGORITHM(wish->algorithm),
            is_radius ? ", sequential, prefix or scans" : "");
    FAIL_IF(!is_radius && (wish->lr != NULL || wish->rl != NULL || wish->dm != NULL), ORDO_E_ARG,
            "opts.lr, opts.rl and opts.dm are only for ordo_radius");
    return ORDO_OK;
}

/* Checks that the arrays of the sequences are aligned and do not overlap each other or the keys. */
static ordo_status check_sequences(ordo_exec *exec, const ordo_radius_job *job)
{
    size_t const size = ordo_type_size(job->type), bytes = job->n * size;
    size_t const dm_bytes = job->n * sizeof *job->dm;
    struct {
        const void *array;
        size_t      bytes;
        const char *name;
    } const list[] = {{job->keys, bytes, "keys"},
                      {job->lr, bytes, "opts.lr"},
                      {job->rl, bytes, "opts.rl"},
                      {job->dm, dm_bytes, "opts.dm"}};
    if (job->lr != NULL)
        TRY(api_check_aligned(exec, job->lr, job->n, size, "opts.lr"));
    if (job->rl != NULL)
        TRY(api_check_aligned(exec, job->rl, job->n, size, "opts.rl"));
    if (job->dm != NULL)
        TRY(api_check_aligned(exec, job->dm, job->n, sizeof *job->dm, "opts.dm"));
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        for (size_t j = 0; j < i; j++)
            if (list[i].array != NULL && list[j].array != NULL)
                TRY(api_check_apart(exec, list[i].array, list[i].bytes, list[i].name, list[j].array,
                                    list[j].bytes, list[j].name));
    return ORDO_OK;
}

/* ---- Segments ---- */

typedef struct order_segments { /* a measurement of each segment */
    const ordo_choice *choice;
    ordo_radius_job    job; /* lacks keys and n of the segment */
    int               *sorted;
    size_t            *where, *results;
} order_segments;

static ordo_status is_sorted_one(const void *arg, size_t i, size_t n, void *const *at,
                                 ordo_exec *exec)
{
    const order_segments *const call = arg;
    size_t                      found = n;
    ordo_order_job const        job = {.type = call->job.type,
                                       .keys = at[0],
                                       .n = n,
                                       .descending = call->job.descending,
                                       .where = &found};
    TRY(call->choice->backend->is_sorted(call->choice->state, &job, exec));
    call->sorted[i] = found == n;
    if (call->where != NULL)
        call->where[i] = found;
    return ORDO_OK;
}

static ordo_status is_sorted_rows(const void *arg, size_t i, size_t count, size_t n,
                                  void *const *at, ordo_exec *exec)
{
    const order_segments *const call = arg;
    (void)exec;
    BY_TYPE(call->job.type, rows_are_sorted,
            (at[0], count, n, call->job.descending, call->sorted + i));
    return ORDO_OK;
}

static ordo_status runs_one(const void *arg, size_t i, size_t n, void *const *at, ordo_exec *exec)
{
    const order_segments *const call = arg;
    ordo_runs_job const         job = {call->job.type,    at[0], n, call->job.descending,
                                       &call->results[i], NULL};
    return call->choice->backend->runs(call->choice->state, &job, exec);
}

static ordo_status radius_one(const void *arg, size_t i, size_t n, void *const *at, ordo_exec *exec)
{
    const order_segments *const call = arg;
    ordo_radius_job             job = call->job;
    job.keys = at[0];
    job.n = n;
    job.radius = &call->results[i];
    job.lr = at[1];
    job.rl = at[2];
    job.dm = at[3];
    return call->choice->backend->radius(call->choice->state, &job, exec);
}

static size_t radius_one_scratch(const void *arg, size_t n, const ordo_exec *exec)
{
    const order_segments *const call = arg;
    ordo_radius_job             job = call->job;
    job.n = n;
    return call->choice->backend->radius_scratch(&job, exec);
}

/* Measures each segment by `one`, which reads the keys and may write the sequences of the job. */
static ordo_status measure_each(ordo_exec *exec, const order_segments *call, ordo_segment_fn *one,
                                const api_segments *segments, size_t *bytes)
{
    const ordo_radius_job *const job = &call->job;
    size_t const                 size = ordo_type_size(job->type);
    bool const                   by_rows = one == is_sorted_one && call->where == NULL;
    ordo_segments_job            each = {.arrays = {api_read_only(job->keys, size),
                                                    {job->lr, size, false, true},
                                                    {job->rl, size, false, true},
                                                    {job->dm, sizeof *job->dm, false, true}},
                                         .has_results = true,
                                         .one = one,
                                         .rows = by_rows ? is_sorted_rows : NULL,
                                         .rows_most = SHORT_ROW,
                                         .scratch = one == radius_one ? radius_one_scratch : NULL,
                                         .needs_scratch = true,
                                         .arg = call};
    return api_run_segments(exec, call->choice, segments, &each, bytes);
}

/* ---- The calls ---- */

static ordo_status is_sorted_checked(ordo_ctx *ctx, ordo_exec *exec, ordo_type type,
                                     const void *keys, size_t n, int *sorted, size_t *where,
                                     const ordo_order_opts *opts)
{
    ordo_order_opts wish;
    api_segments    segments;
    ordo_choice     choice;
    size_t          found = n;
    TRY(check_order(exec, type, opts, false, &wish));
    TRY(api_read_segments(exec, wish.segments, n, false, &segments));
    TRY(api_check_aligned(exec, keys, n, ordo_type_size(type), "keys"));
    FAIL_IF(sorted == NULL, ORDO_E_ARG, "sorted is NULL; expected the address of an int");
    TRY(api_choose(ctx, exec, NULL, &choice));
    bool const descending = (wish.flags & ORDO_DESCENDING) != 0;
    if (segments.given && choice.backend->has_segments) {
        ordo_order_job const all = {.type = type,
                                    .keys = keys,
                                    .n = n,
                                    .descending = descending,
                                    .where = where,
                                    .segments = &segments.view,
                                    .sorted = sorted};
        return choice.backend->is_sorted(choice.state, &all, exec);
    }
    if (segments.given) {
        order_segments const call = {.choice = &choice,
                                     .job = {.type = type, .keys = keys, .descending = descending},
                                     .sorted = sorted,
                                     .where = where};
        return measure_each(exec, &call, is_sorted_one, &segments, NULL);
    }
    ordo_order_job const job = {
        .type = type, .keys = keys, .n = n, .descending = descending, .where = &found};
    TRY(choice.backend->is_sorted(choice.state, &job, exec));
    *sorted = found == n;
    if (where != NULL)
        *where = found;
    return ORDO_OK;
}

ordo_status ordo_is_sorted(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n, int *sorted,
                           size_t *where, const ordo_order_opts *opts)
{
    API_CALL("is_sorted", type, n,
             is_sorted_checked(ctx, exec, type, keys, n, sorted, where, opts));
}

static ordo_status radius_checked(ordo_ctx *ctx, ordo_exec *exec, const ordo_radius_job *asked,
                                  const ordo_order_opts *opts, size_t *bytes)
{
    ordo_radius_job measured = *asked, *const job = &measured; /* job->radius is replaced by
                                                                * &found */
    size_t *const   radius = job->radius;
    size_t          found = 0;
    ordo_order_opts wish;
    api_segments    segments;
    ordo_choice     choice;
    TRY(check_order(exec, job->type, opts, true, &wish));
    TRY(api_check_aligned(exec, job->keys, job->n, ordo_type_size(job->type), "keys"));
    FAIL_IF(radius == NULL && bytes == NULL, ORDO_E_ARG,
            "radius is NULL; expected the address of a size_t");
    job->lr = wish.lr;
    job->rl = wish.rl;
    job->dm = wish.dm;
    TRY(api_read_segments(exec, wish.segments, job->n, ordo_wants_sequences(job), &segments));
    if (bytes == NULL)
        TRY(check_sequences(exec, job));
    TRY(api_choose(ctx, exec, NULL, &choice));
    NEEDS(choice, radius);
    job->descending = (wish.flags & ORDO_DESCENDING) != 0;
    job->algorithm = (ordo_algorithm)wish.algorithm;
    if (segments.given && choice.backend->has_segments) {
        job->segments = &segments.view;
        ANSWER_SIZE_QUERY(bytes, choice, radius, job);
        return choice.backend->radius(choice.state, job, exec);
    }
    if (segments.given) {
        order_segments const call = {.choice = &choice, .job = *job, .results = radius};
        return measure_each(exec, &call, radius_one, &segments, bytes);
    }
    job->radius = &found;
    ANSWER_SIZE_QUERY(bytes, choice, radius, job);
    TRY(choice.backend->radius(choice.state, job, exec));
    *radius = found;
    return ORDO_OK;
}

ordo_status ordo_radius(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n, size_t *radius,
                        const ordo_order_opts *opts)
{
    ordo_radius_job const job = {.type = type, .keys = keys, .n = n, .radius = radius};
    API_CALL("radius", type, n, radius_checked(ctx, exec, &job, opts, NULL));
}

ordo_status ordo_radius_scratch(ordo_ctx *ctx, ordo_type type, size_t n,
                                const ordo_order_opts *opts, size_t *bytes)
{
    ordo_radius_job const job = {.type = type, .n = n};
    API_SIZE_QUERY(bytes, radius_checked(ctx, exec, &job, opts, bytes));
}

static ordo_status runs_checked(ordo_ctx *ctx, ordo_exec *exec, ordo_type type, const void *keys,
                                size_t n, size_t *runs, const ordo_order_opts *opts)
{
    ordo_order_opts wish;
    api_segments    segments;
    ordo_choice     choice;
    size_t          found = 0;
    TRY(check_order(exec, type, opts, false, &wish));
    TRY(api_read_segments(exec, wish.segments, n, false, &segments));
    TRY(api_check_aligned(exec, keys, n, ordo_type_size(type), "keys"));
    FAIL_IF(runs == NULL, ORDO_E_ARG, "runs is NULL; expected the address of a size_t");
    TRY(api_choose(ctx, exec, NULL, &choice));
    NEEDS(choice, runs);
    bool const descending = (wish.flags & ORDO_DESCENDING) != 0;
    if (segments.given && choice.backend->has_segments) {
        ordo_runs_job const all = {type, keys, n, descending, runs, &segments.view};
        return choice.backend->runs(choice.state, &all, exec);
    }
    if (segments.given) {
        order_segments const call = {.choice = &choice,
                                     .job = {.type = type, .keys = keys, .descending = descending},
                                     .results = runs};
        return measure_each(exec, &call, runs_one, &segments, NULL);
    }
    ordo_runs_job const job = {type, keys, n, descending, &found, NULL};
    TRY(choice.backend->runs(choice.state, &job, exec));
    *runs = found;
    return ORDO_OK;
}

ordo_status ordo_runs(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n, size_t *runs,
                      const ordo_order_opts *opts)
{
    API_CALL("runs", type, n, runs_checked(ctx, exec, type, keys, n, runs, opts));
}

static ordo_status copy_checked(ordo_ctx *ctx, ordo_exec *exec, void *dst, const void *src,
                                size_t bytes)
{
    ordo_choice choice;
    TRY(api_check_array(exec, dst, bytes, 1, "dst"));
    TRY(api_check_array(exec, src, bytes, 1, "src"));
    TRY(api_check_apart(exec, dst, bytes, "dst", src, bytes, "src"));
    TRY(api_choose(ctx, exec, NULL, &choice));
    ordo_copy_job const job = {dst, src, bytes};
    return choice.backend->copy(choice.state, &job, exec);
}

ordo_status ordo_copy(ordo_ctx *ctx, void *dst, const void *src, size_t bytes)
{
    API_CALL("copy", (ordo_type)0, bytes, copy_checked(ctx, exec, dst, src, bytes));
}
