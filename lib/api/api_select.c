/* api_select.c - ordo_select and its size query.
 *
 * Backends need the positions in ascending order without repeats, but the caller may give them in
 * any order and repeat them. So the positions are sorted into scratch, and a binary search finds
 * the result of each position. A few positions fit on the stack and need no scratch. */
#include "api/api.h"
#include "core/lists.h"

#include <math.h>
#include <string.h>

enum {
    FEW = 32,
    MAX_KEY = 8,
    SUB_ARRAY = 1024 /* keys of a sub-array by default */
};

/* ---- Positions in any order ---- */

#define RECORD size_t
#define LESS(a, b) ((a) < (b))
#define FN(name) name##_positions
#include "core/small_sort.t.h"
#undef FN
#undef LESS
#undef RECORD

/* Heap sort needs no memory and is never slow. Returns early if k is sorted. */
static void sort_positions(size_t *k, size_t n)
{
    size_t rising = 1;
    while (rising < n && k[rising - 1] <= k[rising])
        rising++;
    if (rising < n)
        heap_sort_positions(k, n);
}

static size_t drop_repeats(size_t *k, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (i == 0 || k[i] != k[kept - 1])
            k[kept++] = k[i];
    return kept;
}

static size_t position_of(const size_t *k, size_t n, size_t wanted)
{
    size_t at = 0;
    while (n > 1) {
        size_t const half = n / 2;
        at += k[at + half - 1] < wanted ? half : 0;
        n -= half;
    }
    return at;
}

/* The scratch of api_select_any without that of the backend. */
static size_t select_any_scratch(ordo_type type, size_t count)
{
    size_t const each = sizeof(size_t) + ordo_type_size(type);
    return count <= FEW ? 0 : ordo_round_up(count * each, ORDO_CACHE_LINE);
}

static bool strictly_rising(const size_t *k, size_t n)
{
    size_t rising = 1;
    while (rising < n && k[rising - 1] < k[rising])
        rising++;
    return rising >= n;
}

/* Writes a key in host memory to out[j]. For arrays on a device this happens only if the positions
 * are not in order or the result is NaN, so one copy per key is acceptable. */
static ordo_status put_key(ordo_exec *exec, const ordo_choice *choice,
                           const ordo_select_job *options, size_t j, const void *key)
{
    size_t const size = ordo_type_size(options->type);
    char *const  to = (char *)options->out + j * size;
    if (exec->on_device && !options->out_on_host) {
        ordo_copy_job const copy = {to, key, size};
        return choice->backend->copy(choice->state, &copy, exec);
    }
    memcpy(to, key, size);
    return ORDO_OK;
}

ordo_status api_select_any(ordo_exec *exec, const ordo_choice *choice,
                           const ordo_select_job *options)
{
    if (exec->on_device && !options->out_on_host && strictly_rising(options->k, options->count))
        return choice->backend->select(choice->state, options, exec); /* no key is copied to the
                                                                    * host */

    size_t const size = ordo_type_size(options->type);
    size_t       few_k[FEW];
    uint64_t     few_keys[FEW];
    size_t      *k = few_k;
    void        *keys = few_keys;

    _Static_assert(sizeof *few_keys == MAX_KEY, "one of every key fits");
    if (options->count > FEW) {
        TRY_SCRATCH(exec, select_any_scratch(options->type, options->count), k);
        keys = k + options->count;
    }
    memcpy(k, options->k, options->count * sizeof *k);
    sort_positions(k, options->count);

    ordo_select_job job = *options;
    job.k = k;
    job.count = drop_repeats(k, options->count);
    job.out = keys;
    job.out_on_host = true;
    TRY(choice->backend->select(choice->state, &job, exec));
    for (size_t j = 0; j < options->count; j++)
        TRY(put_key(exec, choice, options, j,
                    (const char *)keys + position_of(k, job.count, options->k[j]) * size));
    return ORDO_OK;
}

/* ---- NaNs ---- */

ordo_status api_check_nans(ordo_exec *exec, uint32_t nans)
{
    FAIL_IF(nans > ORDO_NANS_PROPAGATE, ORDO_E_ARG,
            "nans is %u; expected ORDO_NANS_LAST, ORDO_NANS_OMIT or ORDO_NANS_PROPAGATE", nans);
    return ORDO_OK;
}

ordo_status api_count_nans(ordo_exec *exec, const ordo_choice *choice, ordo_type type,
                           const void *keys, size_t n, size_t *nans)
{
    *nans = 0;
    if (!ordo_is_float(type))
        return ORDO_OK;
    NEEDS(*choice, count_nans);
    ordo_count_job const job = {type, keys, n, nans};
    exec->phases = exec->phase + 2; /* the count, and the work that needs it */
    TRY(choice->backend->count_nans(choice->state, &job, exec));
    exec->phase++;
    return ORDO_OK;
}

/* ---- Select ---- */

static bool has_sub_arrays(uint32_t algorithm)
{
    return algorithm == ORDO_ALGORITHM_BITONIC || algorithm == ORDO_ALGORITHM_MERGE;
}

ordo_status api_check_select_algorithm(ordo_exec *exec, uint32_t algorithm, uint64_t sub_array)
{
    FAIL_IF(algorithm != ORDO_ALGORITHM_AUTO && algorithm != ORDO_ALGORITHM_RADIX &&
                !has_sub_arrays(algorithm),
            ORDO_E_ARG, "algorithm %s does not select; expected auto, radix, merge or bitonic",
            API_ALGORITHM(algorithm));
    FAIL_IF(sub_array != 0 && !has_sub_arrays(algorithm), ORDO_E_ARG,
            "sub_array is %llu; only the algorithms bitonic and merge have sub-arrays",
            (unsigned long long)sub_array);
    FAIL_IF(sub_array == 1 || (sub_array & (sub_array - 1)) != 0 || (size_t)sub_array != sub_array,
            ORDO_E_ARG, "sub_array is %llu; expected a power of 2, at least 2",
            (unsigned long long)sub_array);
    return ORDO_OK;
}

ordo_status api_set_select_algorithm(ordo_exec *exec, const ordo_choice *choice, uint32_t algorithm,
                                     uint64_t sub_array, ordo_select_job *job)
{
    size_t const most = choice->backend->most_sub_array;
    FAIL_IF(most != 0 && sub_array > most, ORDO_E_ARG,
            "sub_array is %llu; a thread block sorts a sub-array in shared memory, so it must be a "
            "power of 2 from 2 to %zu",
            (unsigned long long)sub_array, most);
    job->algorithm = (ordo_algorithm)algorithm;
    if (has_sub_arrays(algorithm))
        job->sub_array = sub_array != 0 ? (size_t)sub_array : SUB_ARRAY;
    return ORDO_OK;
}

ordo_status api_read_select_opts(ordo_exec *exec, ordo_type type, const ordo_select_opts *opts,
                                 size_t n, ordo_select_opts *options, api_segments *segments)
{
    TRY(api_check_type(exec, type, "type"));
    TRY(api_opts_read(exec, options, sizeof *options, opts));
    TRY(api_check_place(exec, options->flags, ORDO_DESCENDING | ORDO_ON_DEVICE, options->stream));
    TRY(api_read_segments(exec, options->segments, n, false, segments));
    return api_check_nans(exec, options->nans);
}

static ordo_status fill_with_nan(ordo_exec *exec, const ordo_choice *choice,
                                 const ordo_select_job *options)
{
    float const  f32 = NAN;
    double const f64 = (double)NAN;
    for (size_t j = 0; j < options->count; j++)
        TRY(put_key(exec, choice, options, j,
                    options->type == ORDO_F32 ? (const void *)&f32 : (const void *)&f64));
    return ORDO_OK;
}

ordo_status api_check_positions(ordo_exec *exec, const size_t *k, size_t count, size_t n,
                                const char *whose)
{
    FAIL_IF(k == NULL && count > 0, ORDO_E_ARG, "k is NULL, but count is %zu", count);
    for (size_t j = 0; j < count; j++)
        FAIL_IF(k[j] >= n, ORDO_E_ARG, "k[%zu] is %zu; expected less than %zu, the number of %s", j,
                k[j], n, whose);
    return ORDO_OK;
}

/* The results of one array: all NaN, or the keys at the positions. */
static ordo_status select_array(const api_work *work, void *job, ordo_exec *exec)
{
    const ordo_select_job *const select = job;
    size_t                       found = 0;
    if (select->count == 0)
        return ORDO_OK;
    if (select->nans != ORDO_NANS_LAST)
        TRY(api_count_nans(exec, work->choice, select->type, select->keys, select->n, &found));
    if (found > 0 && select->nans == ORDO_NANS_PROPAGATE)
        return fill_with_nan(exec, work->choice, select);
    /* NaNs come last in both directions, so omitting them only limits the positions. */
    if (found > 0)
        TRY(api_check_positions(exec, select->k, select->count, select->n - found,
                                "keys that are not NaN"));
    return api_select_any(exec, work->choice, select);
}

/* Whether the last of n sorted keys is a NaN. */
static bool ends_with_nan(ordo_type type, const void *sorted, size_t n)
{
    return type == ORDO_F32   ? isnan(((const float *)sorted)[n - 1])
           : type == ORDO_F64 ? isnan(((const double *)sorted)[n - 1])
                              : false;
}

size_t api_nans_of_row(ordo_type type, const void *sorted, size_t n)
{
    size_t nans = 0;
    while (nans < n && ends_with_nan(type, sorted, n - nans))
        nans++;
    return nans;
}

/* Sorts copies of the rows on the stack and reads the keys at the positions. */
static ordo_status select_rows(const api_work *work, const void *job, size_t rows, ordo_exec *exec)
{
    ordo_select_job select = *(const ordo_select_job *)job;
    size_t const    size = ordo_type_size(select.type), n = select.n;
    uint64_t        sorted[API_ROWS_BYTES / sizeof(uint64_t)];
    api_sort_rows(work->choice, select.type, select.descending, select.keys, rows, n, sorted);
    for (size_t r = 0; r < rows; r++) {
        const char *const row = (const char *)sorted + r * n * size;
        if (select.nans == ORDO_NANS_PROPAGATE && ends_with_nan(select.type, row, n))
            TRY(fill_with_nan(exec, work->choice, &select));
        else
            for (size_t j = 0; j < select.count; j++)
                memcpy((char *)select.out + j * size, row + select.k[j] * size, size);
        select.out = (char *)select.out + select.count * size;
    }
    return ORDO_OK;
}

static ordo_status check_omitted(const api_work *work, void *job, ordo_exec *exec)
{
    const ordo_select_job *const select = job;
    size_t                       nans;
    TRY(api_count_nans(exec, work->choice, select->type, select->keys, select->n, &nans));
    return api_check_positions(exec, select->k, select->count, select->n - nans,
                               "keys that are not NaN");
}

static size_t no_scratch(const api_work *work, void *job, const ordo_exec *exec)
{
    (void)work;
    (void)job;
    (void)exec;
    return 0;
}

size_t api_select_scratch(const api_work *work, void *job, const ordo_exec *exec)
{
    ordo_select_job *const select = job;
    size_t const           positions = select_any_scratch(select->type, select->count);
    select->k = NULL;
    select->count = ordo_min(select->count, select->n);
    return positions + (select->count == 0 ? 0 : api_slot_scratch(work, select, exec));
}

/* On the CPU, with ORDO_NANS_OMIT, all positions of all segments are checked before the first
 * result is written. A device cannot reject positions: it writes nothing for a position that a
 * segment does not have. */
static ordo_status check_segments(ordo_exec *exec, const api_work *work,
                                  const api_segments *segments)
{
    const ordo_select_job *const job = work->job;
    api_work                     check = *work;
    if (!segments->given || work->choice->backend->has_segments || job->nans != ORDO_NANS_OMIT ||
        !ordo_is_float(job->type))
        return ORDO_OK;
    check.run = check_omitted;
    check.scratch = no_scratch;
    check.needs_scratch = false;
    check.rows = NULL;
    exec->phases = 2;
    TRY(api_do(exec, &check, segments, NULL));
    exec->phase = 1;
    return ORDO_OK;
}

ordo_status api_check_positions_each(ordo_exec *exec, const size_t *k, size_t count,
                                     const api_segments *segments)
{
    FAIL_IF(k == NULL && count > 0, ORDO_E_ARG, "k is NULL, but count is %zu", count);
    for (size_t j = 0; segments->view.count > 0 && j < count; j++)
        FAIL_IF(k[j] >= segments->shortest, ORDO_E_ARG,
                "k[%zu] is %zu; expected less than %zu, the number of keys of segment %zu", j, k[j],
                segments->shortest, segments->shortest_at);
    return ORDO_OK;
}

static ordo_status select_checked(ordo_ctx *ctx, ordo_exec *exec, ordo_select_job *job,
                                  const ordo_select_opts *opts, size_t *bytes)
{
    size_t const     n = job->n, count = job->count;
    ordo_select_opts options;
    api_segments     segments;
    ordo_choice      choice;
    size_t           results;
    TRY(api_read_select_opts(exec, job->type, opts, n, &options, &segments));
    TRY(api_check_select_algorithm(exec, options.algorithm, options.sub_array));
    TRY(api_results(exec, &segments, count, &results));
    job->segments = segments.given ? &segments.view : NULL;
    TRY(api_check_arrays(exec, &ordo_verb_select, job));
    if (bytes == NULL && !segments.given)
        TRY(api_check_positions(exec, job->k, count, n, "keys"));
    else if (bytes == NULL)
        TRY(api_check_positions_each(exec, job->k, count, &segments));
    TRY(api_choose(ctx, exec, NULL, &choice));
    NEEDS(choice, select);
    job->descending = (options.flags & ORDO_DESCENDING) != 0;
    TRY(api_set_select_algorithm(exec, &choice, options.algorithm, options.sub_array, job));
    job->nans = (ordo_nans)options.nans;
    if (bytes == NULL && count == 0)
        return ORDO_OK;
    bool const     is_auto = job->algorithm == ORDO_ALGORITHM_AUTO;
    api_work const work = {.verb = &ordo_verb_select,
                           .job = job,
                           .choice = &choice,
                           .run = select_array,
                           .scratch = api_select_scratch,
                           .rows = is_auto ? select_rows : NULL,
                           .rows_most = ORDO_ROW_KEYS,
                           .rows_elements = API_ROWS_BYTES / ordo_type_size(job->type),
                           .needs_scratch = has_sub_arrays(job->algorithm) || count > FEW};
    if (bytes == NULL)
        TRY(check_segments(exec, &work, &segments));
    return api_do(exec, &work, &segments, bytes);
}

ordo_status ordo_select(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n, const size_t *k,
                        size_t count, void *out, const ordo_select_opts *opts)
{
    ordo_select_job job = {.type = type, .keys = keys, .n = n, .k = k, .count = count, .out = out};
    API_CALL("select", type, n, select_checked(ctx, exec, &job, opts, NULL));
}

ordo_status ordo_select_scratch(ordo_ctx *ctx, ordo_type type, size_t n, size_t count,
                                const ordo_select_opts *opts, size_t *bytes)
{
    ordo_select_job job = {.type = type, .n = n, .count = count};
    API_SIZE_QUERY(bytes, select_checked(ctx, exec, &job, opts, bytes));
}
