/* api.h - how a public call begins and ends, and how it checks its arguments.
 *
 * An entry point and its size query make the same checks and have this form:
 *     ordo_scan_job job = {.type = type, .in = in, .n = n, ...};
 *     API_CALL("scan", type, n, scan_checked(ctx, exec, &job, opts, NULL));
 *     API_SIZE_QUERY(bytes, scan_checked(ctx, exec, &job, opts, bytes));
 * Layers below api/ rely on these checks; they only assert. */
#ifndef ORDO_API_API_H
#define ORDO_API_API_H

#include "backend/exec.h"
#include "backend/verbs.h"
#include "plan/plan.h"

/* Rejects a NULL context and re-entry, clears the last error, starts the clock. Until api_leave the
 * thread computes in the default floating-point mode (core/fpmode.h). */
ordo_status api_enter(ordo_ctx *ctx, const char *operation, ordo_type type, size_t n,
                      ordo_exec **exec);
/* Releases the scratch, stores the report if status is ORDO_OK, restores the caller's
 * floating-point mode and exception flags, and returns status. */
ordo_status api_leave(ordo_ctx *ctx, ordo_status status);

/* Chooses the backend. `load` describes the work; NULL: the work never justifies a copy to a
 * device. */
ordo_status api_choose(ordo_ctx *ctx, ordo_exec *exec, const ordo_load *load, ordo_choice *choice);
/* Whether a call has no options (opts is NULL), is no size query (bytes is NULL) and has so few
 * keys that AUTO would choose the CPU. If so, *choice is the CPU, and the caller may skip the
 * options and api_choose. */
bool api_is_short(const ordo_ctx *ctx, const void *opts, size_t n, const size_t *bytes,
                  ordo_choice *choice);
/* After a job failed with `status`: returns whether to repeat the job, and sets *choice to the
 * backend for that. */
bool api_again(ordo_ctx *ctx, ordo_exec *exec, ordo_status status, ordo_choice *choice);
/* The same for a call that keeps its results and its scratch, and goes on with the CPU. */
bool api_goes_on(ordo_ctx *ctx, ordo_exec *exec, ordo_status status, ordo_choice *choice);

/* Makes a context with where, threads, cpu_share and progress of *other, with the GPU and the
 * instruction set of ctx, and with half of the memory limit of ctx. The new context reads no
 * calibration. */
ordo_status api_sibling(ordo_ctx *ctx, const ordo_ctx_opts *other, ordo_ctx **out);
/* Checks the struct_size of a report, which may be NULL, before the call does any work. */
ordo_status api_check_report(ordo_exec *exec, const void *report);
/* Fills the fields of the caller's struct that both sides know; keeps its struct_size. */
ordo_status api_copy_out(ordo_exec *exec, void *dst, const void *src, size_t known);

/* Queries do no work and keep the last report. */
ordo_status api_enter_query(ordo_ctx *ctx, ordo_exec **exec);
ordo_status api_leave_query(ordo_ctx *ctx, ordo_status status);
/* Begins a query for the scratch of a call; `bytes` must not be NULL. Until the query ends, the
 * checks of arrays below check only their sizes. */
ordo_status api_enter_size_query(ordo_ctx *ctx, const size_t *bytes, ordo_exec **exec);

/* An upper bound of what `bytes` of a backend's scratch count against the memory limit. */
size_t api_scratch_total(size_t bytes);

enum {
    API_MAX_OPTS = 4096
}; /* no options or report struct of any version is this large */

/* Copies a struct of any version into dst; fields that the caller's version lacks become 0. `what`
 * is the name of the struct in errors. api_opts_read also accepts NULL. */
ordo_status api_read_struct(ordo_exec *exec, void *dst, size_t known, const void *src,
                            const char *what);
ordo_status api_opts_read(ordo_exec *exec, void *dst, size_t known, const void *src);

ordo_status api_check_ties(ordo_exec *exec, uint32_t ties);

/* The name of an ordo_algorithm for errors, "sample"; its number, written to `buffer`, if it has no
 * name. */
enum {
    API_ALGORITHM_SIZE = 16
};
const char *api_algorithm_name(uint32_t algorithm, char *buffer);
#define API_ALGORITHM(algorithm) api_algorithm_name(algorithm, (char[API_ALGORITHM_SIZE]){0})

/* Rejects flags outside `known`, and records in exec whether the arrays are on a device. */
ordo_status api_check_place(ordo_exec *exec, uint64_t flags, uint64_t known, void *stream);
ordo_status api_check_type(ordo_exec *exec, ordo_type type, const char *what);
/* Rejects an array of n elements of `size` bytes at p if it is larger than the largest possible
 * array, or if p is NULL and n > 0. `what` is the name in errors. */
ordo_status api_check_array(ordo_exec *exec, const void *p, size_t n, size_t size,
                            const char *what);
/* The same for elements that must be aligned to their size, a power of 2. */
ordo_status api_check_aligned(ordo_exec *exec, const void *p, size_t n, size_t size,
                              const char *what);
ordo_status api_check_apart(ordo_exec *exec, const void *a, size_t a_bytes, const char *a_what,
                            const void *b, size_t b_bytes, const char *b_what);
bool        api_is_size_query(const ordo_exec *exec);

/* ---- The checks of all arrays of a job: api_check_arrays ----
 *
 * It is inlined and has no loops: for a constant verb only the checks of its arrays are left, as if
 * they were written by hand. A call on few keys is too short for more. */
enum {
    API_CHECKED_ARRAYS = 4 /* the others of a verb are ORDO_UNCHECKED */
};

typedef struct api_spans {
    const void *at[API_CHECKED_ARRAYS];
    size_t      bytes[API_CHECKED_ARRAYS], size[API_CHECKED_ARRAYS];
} api_spans;

#define API_INLINE __attribute__((always_inline)) static inline

API_INLINE ordo_status api_check_array_at(ordo_exec *exec, const ordo_verb *verb, const void *job,
                                          size_t i, api_spans *spans)
{
    const ordo_array *const array = &verb->arrays[i];
    if (array->name == NULL || (array->use & ORDO_UNCHECKED) != 0)
        return ORDO_OK;
    const void *const at = ordo_pointer_in(job, array->field);
    spans->at[i] = at;
    spans->bytes[i] = spans->size[i] = 0;
    if ((array->use & ORDO_OPTIONAL) != 0 && (at == NULL || api_is_size_query(exec)))
        return ORDO_OK;
    size_t const n = ordo_array_count(verb, array, job), size = ordo_array_size(array, job);
    spans->bytes[i] = n * size;
    spans->size[i] = size;
    return array->size_kind == ORDO_SIZE_FIELD ? api_check_array(exec, at, n, size, array->name)
                                               : api_check_aligned(exec, at, n, size, array->name);
}

/* Arrays must not overlap if the call writes one of them, unless they are the same. */
API_INLINE ordo_status api_check_pair(ordo_exec *exec, const ordo_verb *verb, size_t i, size_t j,
                                      const api_spans *spans)
{
    const ordo_array *const a = &verb->arrays[i], *const b = &verb->arrays[j];
    unsigned const use = a->use | b->use;
    if (b->name == NULL || (use & ORDO_UNCHECKED) != 0 || (use & ORDO_WRITTEN) == 0 ||
        ((use & ORDO_IN_PLACE) != 0 && spans->at[i] == spans->at[j] &&
         spans->size[i] == spans->size[j]))
        return ORDO_OK;
    return api_check_apart(exec, spans->at[i], spans->bytes[i], a->name, spans->at[j],
                           spans->bytes[j], b->name);
}

/* job->segments must be set if the verb has results for each segment. */
API_INLINE ordo_status api_check_arrays(ordo_exec *exec, const ordo_verb *verb, const void *job)
{
    api_spans spans = {{NULL}, {0}, {0}};
    TRY(api_check_array_at(exec, verb, job, 0, &spans));
    TRY(api_check_array_at(exec, verb, job, 1, &spans));
    TRY(api_check_array_at(exec, verb, job, 2, &spans));
    TRY(api_check_array_at(exec, verb, job, 3, &spans));
    TRY(api_check_pair(exec, verb, 0, 1, &spans));
    TRY(api_check_pair(exec, verb, 0, 2, &spans));
    TRY(api_check_pair(exec, verb, 1, 2, &spans));
    TRY(api_check_pair(exec, verb, 0, 3, &spans));
    TRY(api_check_pair(exec, verb, 1, 3, &spans));
    return api_check_pair(exec, verb, 2, 3, &spans);
}

ordo_status api_check_index_type(ordo_exec *exec, ordo_type index_type, size_t n);
/* Reads the options of a ranking call and checks them, except flags and algorithm. */
ordo_status api_check_ranks(ordo_exec *exec, ordo_type rank_type, const ordo_rank_opts *opts,
                            ordo_rank_opts *options);
/* Rejects opts.weights; `call` is the name of the call for the error. */
ordo_status api_no_weights(ordo_exec *exec, const ordo_rank_opts *options, const char *call);
/* Checks what all calls with weights have in common: n weights of weight_type beside an array of
 * results. */
ordo_status api_check_weights(ordo_exec *exec, const void *weights, uint32_t weight_type, size_t n,
                              uint32_t algorithm, const void *out, size_t out_bytes,
                              const char *out_what);
/* Rejects methods of quantiles that weights of this type do not have. */
ordo_status api_check_weighted_method(ordo_exec *exec, uint32_t weight_type, uint32_t method,
                                      bool is_median);
/* Rejects ranks of n keys that do not fit their type. */
ordo_status api_check_rank_count(ordo_exec *exec, ordo_type rank_type, size_t n);
ordo_status api_check_sort_algorithm(ordo_exec *exec, uint32_t algorithm);
/* Reads the options of a sort that takes no radius, source and segments, and checks all but the
 * algorithm. `flags`: those that the call accepts; `call` is its name for errors. */
ordo_status api_read_sort_flags(ordo_exec *exec, const ordo_sort_opts *opts, uint64_t flags,
                                const char *call, ordo_sort_opts *options);
/* Rejects positions that are not less than n; `whose` names what n counts. */
ordo_status api_check_positions(ordo_exec *exec, const size_t *k, size_t count, size_t n,
                                const char *whose);

/* api_segments.c: the segments of a call. If the caller gives none, the whole array is one
 * segment. */
typedef struct api_segments {
    ordo_segment_view view;
    bool              given;
    bool              unknown; /* the offsets are on a device; all lengths below are n */
    size_t            longest; /* elements of the longest segment */
    size_t            shortest, shortest_at; /* the shortest segment: its length and its index */
    size_t            least, least_at;       /* the shortest segment that is not empty */
} api_segments;

/* Chooses the backend of a sort or of ranks. Devices do segments only by `auto`. */
ordo_status api_choose_sort(ordo_ctx *ctx, ordo_exec *exec, ordo_load *load, uint32_t algorithm,
                            const api_segments *segments, const size_t *bytes, ordo_choice *choice);
/* Rejects positions that a segment does not have. */
ordo_status api_check_positions_each(ordo_exec *exec, const size_t *k, size_t count,
                                     const api_segments *segments);

/* Reads and checks opts.segments of an array of n elements. Segments that are written must not
 * overlap. */
ordo_status api_check_segments(ordo_exec *exec, const ordo_segments *segments, size_t n,
                               bool written, api_segments *out);
static inline ordo_status api_read_segments(ordo_exec *exec, const ordo_segments *segments,
                                            size_t n, bool written, api_segments *out)
{
    *out = (api_segments){.longest = n, .shortest = n, .least = n, .view = {.count = 1}};
    if (ORDO_LIKELY(segments == NULL))
        return ORDO_OK;
    return api_check_segments(exec, segments, n, written, out);
}
/* Rejects segments, in calls that do not support them. */
ordo_status api_no_segments(ordo_exec *exec, const ordo_segments *segments, const char *call);
/* Sets *all to the number of results of all segments; `each` is the number per segment. */
ordo_status api_results(ordo_exec *exec, const api_segments *s, size_t each, size_t *all);
/* ---- api_verb.c: what follows from the rows of a verb (backend/verbs.h) ---- */

/* How a call does its job. The functions get the job, or that of a segment. */
typedef struct api_work api_work;
struct api_work {
    const ordo_verb *verb;
    void            *job;
    ordo_choice     *choice;
    ordo_ctx        *repeats; /* if a device fails, the CPU repeats the job; NULL: it does not */
    bool keeps_keys; /* results are not in the array of keys, so the CPU can always start over */
    /* NULL: the slot of the verb does the job and says how much scratch it takes, at most. Devices
     * that have segments do these by the slot. */
    ordo_status (*run)(const api_work *work, void *job, ordo_exec *exec);
    size_t (*scratch)(const api_work *work, void *job, const ordo_exec *exec);
    bool needs_scratch; /* a job on a segment fails without it */
    /* NULL, or does `rows` segments of up to rows_most elements, which follow each other without
     * gaps. The job is that of the first one. */
    ordo_status (*rows)(const api_work *work, const void *job, size_t rows, ordo_exec *exec);
    size_t rows_most;
    size_t rows_elements; /* of one call of `rows`, at most; 0: any number */
};

/* Does a job by the slot of the verb; the scratch of that. */
ordo_status api_run_slot(const api_work *work, const void *job, ordo_exec *exec);
size_t      api_slot_scratch(const api_work *work, const void *job, const ordo_exec *exec);

/* Does the job on the whole array, or on each segment if there are segments. Size query (bytes is
 * not NULL): writes the scratch instead. */
ordo_status api_do_any(ordo_exec *exec, const api_work *work, const api_segments *segments,
                       size_t *bytes);
API_INLINE ordo_status api_do(ordo_exec *exec, const api_work *work, const api_segments *segments,
                              size_t *bytes)
{
    if (segments->given || bytes != NULL || work->repeats != NULL)
        return api_do_any(exec, work, segments, bytes);
    return work->run != NULL ? work->run(work, work->job, exec)
                             : api_run_slot(work, work->job, exec);
}
/* api_quantile.c: api_do for a job that is an ordo_weighted_job. */
ordo_status api_do_weighted(ordo_exec *exec, const api_work *work, const api_segments *segments,
                            size_t *bytes);

/* api_select.c: the parts that ordo_select, ordo_topk, ordo_nth and ordo_quantiles share. */
/* Reads the options of an array of n keys and checks all but the algorithm. */
ordo_status api_read_select_opts(ordo_exec *exec, ordo_type type, const ordo_select_opts *opts,
                                 size_t n, ordo_select_opts *options, api_segments *segments);
ordo_status api_check_select_algorithm(ordo_exec *exec, uint32_t algorithm, uint64_t sub_array);
/* Sets the algorithm and the length of sub-arrays, which depends on the backend. */
ordo_status api_set_select_algorithm(ordo_exec *exec, const ordo_choice *choice, uint32_t algorithm,
                                     uint64_t sub_array, ordo_select_job *job);
ordo_status api_check_nans(ordo_exec *exec, uint32_t nans);
/* Counts the NaNs; integer keys have none and are not read. The count is one phase of the call. */
ordo_status api_count_nans(ordo_exec *exec, const ordo_choice *choice, ordo_type type,
                           const void *keys, size_t n, size_t *nans);
/* An upper bound of the scratch of api_select_any for a job; changes the job. */
size_t api_select_scratch(const api_work *work, void *job, const ordo_exec *exec);
enum {
    API_ROWS_BYTES = 8192
};
/* Copies rows of n keys without gaps to `sorted`, which has room for them, and sorts each row. */
void api_sort_rows(const ordo_choice *choice, ordo_type type, bool descending, const void *keys,
                   size_t rows, size_t n, void *sorted);
enum {
    API_ROWS_ORDERED = API_ROWS_BYTES / 4 /* elements */
};
/* The order of the keys in each row, and which keys tie: order and ties of ordo_rows_job. */
typedef struct api_rows_order {
    uint8_t places[API_ROWS_ORDERED], ties[API_ROWS_ORDERED];
} api_rows_order;
/* Finds the order of rows of n keys without gaps. */
void api_order_rows(const ordo_choice *choice, ordo_type type, bool descending, const void *keys,
                    size_t rows, size_t n, api_rows_order *order);
/* The number of NaNs at the end of n sorted keys. */
size_t api_nans_of_row(ordo_type type, const void *sorted, size_t n);
/* Runs the select slot for positions that may be in any order and repeat. */
ordo_status api_select_any(ordo_exec *exec, const ordo_choice *choice,
                           const ordo_select_job *options);

/* api_strings.c: reads the struct; checks the offsets or pointers, which may take long, so callers
 * check everything else first; checks that an output does not overlap the strings. */
ordo_status api_read_strings(ordo_exec *exec, const ordo_strings *given, size_t n,
                             ordo_strings *strings);
ordo_status api_check_strings(ordo_exec *exec, const ordo_strings *strings, size_t n);
ordo_status api_check_strings_apart(ordo_exec *exec, const ordo_strings *strings, size_t n,
                                    const void *out, size_t out_bytes, const char *what);

/* api_quantile.c */
ordo_status api_check_method(ordo_exec *exec, uint32_t method, bool is_median);
ordo_status api_check_q(ordo_exec *exec, const double *q, size_t count);

/* The body of an entry point. `checked` uses ctx and exec. */
#define API_CALL(operation, type, n, checked)                                                      \
    do {                                                                                           \
        ordo_exec *exec;                                                                           \
        TRY(api_enter(ctx, operation, type, n, &exec));                                            \
        return api_leave(ctx, checked);                                                            \
    } while (0)

#define API_SIZE_QUERY(bytes, checked)                                                             \
    do {                                                                                           \
        ordo_exec *exec;                                                                           \
        TRY(api_enter_size_query(ctx, bytes, &exec));                                              \
        return api_leave_query(ctx, checked);                                                      \
    } while (0)

#define FAIL_IF(condition, status, ...)                                                            \
    do {                                                                                           \
        if (ORDO_UNLIKELY(condition)) {                                                            \
            ordo_fail(exec, status, __VA_ARGS__);                                                  \
            return (status);                                                                       \
        }                                                                                          \
    } while (0)

/* Rejects a call that the chosen backend does not have. */
static inline ordo_status api_check_slot(ordo_exec *exec, const ordo_choice *choice, bool has_slot,
                                         const char *call)
{
    FAIL_IF(!has_slot, ORDO_E_UNSUPPORTED,
            "the %s backend has no %s; expected a context that may use the CPU",
            choice->backend->name, call);
    return ORDO_OK;
}
#define NEEDS(choice, slot)                                                                        \
    TRY(api_check_slot(exec, &(choice), (choice).backend->slot != NULL, #slot))

/* In a size query (bytes is not NULL): writes the scratch of the job and returns. */
#define ANSWER_SIZE_QUERY(bytes, choice, slot, job)                                                \
    do {                                                                                           \
        if ((bytes) != NULL) {                                                                     \
            *(bytes) = api_scratch_total((choice).backend->slot##_scratch((job), exec));           \
            return ORDO_OK;                                                                        \
        }                                                                                          \
    } while (0)

#endif
