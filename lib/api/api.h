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
#include "backend/segments.h"
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

#define API_WRONG_TIES                                                                             \
    "ties is %u; expected an ordo_ties, ORDO_TIES_MIN (0) to ORDO_TIES_AVERAGE (4)"

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

ordo_status api_check_index_type(ordo_exec *exec, ordo_type index_type, size_t n);
/* Reads the options of a ranking call and checks them, except flags and algorithm. */
ordo_status api_check_ranks(ordo_exec *exec, ordo_type rank_type, const ordo_rank_opts *opts,
                            ordo_rank_opts *wish);
/* Rejects opts.weights; `call` is the name of the call for the error. */
ordo_status api_no_weights(ordo_exec *exec, const ordo_rank_opts *wish, const char *call);
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
/* Whether devices sort segments by this algorithm. */
static inline bool api_sorts_segments(ordo_algorithm algorithm)
{
    return algorithm == ORDO_ALGORITHM_AUTO;
}

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
/* Runs a job on all segments with a backend without has_segments. bytes not NULL: answers a size
 * query instead. */
ordo_status api_run_segments(ordo_exec *exec, const ordo_choice *choice, const api_segments *s,
                             ordo_segments_job *job, size_t *bytes);

/* The weighted quantiles or ranks of an array or of all segments in one job of a device, or the
 * scratch of that job. */
ordo_status api_weighted_on_device(ordo_exec *exec, const ordo_choice *choice,
                                   const ordo_weighted_job *job, const api_segments *segments,
                                   size_t *bytes);
/* Weighted quantiles of each segment. job->out has job->count places for each. */
ordo_status api_weighted_quantiles(ordo_exec *exec, const ordo_choice *choice,
                                   const ordo_weighted_job *job, const api_segments *segments);

/* An entry of ordo_segments_job.arrays that is only read. */
static inline ordo_segment_array api_read_only(const void *base, size_t size)
{
    return (ordo_segment_array){(void *)base, size, true, false}; /* never written through */
}

/* api_select.c: the parts that ordo_select, ordo_topk, ordo_nth and ordo_quantiles share. */
/* Reads the options of an array of n keys and checks all but the algorithm. */
ordo_status api_read_select_opts(ordo_exec *exec, ordo_type type, const ordo_select_opts *opts,
                                 size_t n, ordo_select_opts *wish, api_segments *segments);
ordo_status api_check_select_algorithm(ordo_exec *exec, uint32_t algorithm, uint64_t sub_array);
/* Sets the algorithm and the length of sub-arrays, which depends on the backend. */
ordo_status api_set_select_algorithm(ordo_exec *exec, const ordo_choice *choice, uint32_t algorithm,
                                     uint64_t sub_array, ordo_select_job *job);
ordo_status api_check_nans(ordo_exec *exec, uint32_t nans);
/* Counts the NaNs; integer keys have none and are not read. The count is one phase of the call. */
ordo_status api_count_nans(ordo_exec *exec, const ordo_choice *choice, ordo_type type,
                           const void *keys, size_t n, size_t *nans);
/* An upper bound of the scratch of api_select_any on n keys, with the threads of exec. */
size_t api_select_any_scratch(const ordo_choice *choice, const ordo_select_job *wish, size_t n,
                              const ordo_exec *exec);
enum {
    API_ROWS_BYTES = 8192
};
/* Copies rows of n keys without gaps to `sorted` (API_ROWS_BYTES), as many as fit, and sorts each
 * row. Returns the number of rows. */
size_t api_sorted_rows(const ordo_choice *choice, ordo_type type, bool descending, const char *keys,
                       size_t rows, size_t n, void *sorted);
/* The order of the keys in each row, and which keys tie: order and ties of ordo_rows_job. */
typedef struct api_rows_order {
    uint8_t places[API_ROWS_BYTES / 4], ties[API_ROWS_BYTES / 4];
} api_rows_order;
/* Finds the order of rows of n keys without gaps: of as many rows as there is room for. Returns
 * their number. */
size_t api_order_rows(const ordo_choice *choice, ordo_type type, bool descending, const void *keys,
                      size_t rows, size_t n, api_rows_order *order);
/* The number of NaNs at the end of n sorted keys. */
size_t api_nans_of_row(ordo_type type, const void *sorted, size_t n);
/* Runs the select slot for positions that may be in any order and repeat. */
ordo_status api_select_any(ordo_exec *exec, const ordo_choice *choice, const ordo_select_job *wish);

/* api_few_groups.c: rejects more groups than the result arrays have room for. */
ordo_status api_check_group_count(ordo_exec *exec, const ordo_groups_job *job, size_t count);
/* The same file: ordo_group_counts of n keys on the CPU, if there are few distinct keys;
 * otherwise *done is false and nothing is written. */
ordo_status api_count_few_groups(ordo_exec *exec, const ordo_groups *groups, size_t n, bool *done);
/* Sets heads[i] to ORDO_ROW_FIRST for the first of tied keys in a sorted array, else to 0. */
ordo_status api_mark_groups(ordo_exec *exec, ordo_type type, const void *sorted, size_t n,
                            uint8_t *heads);

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

/* Rejects a call whose slot the backend does not have. */
ordo_status api_check_slot(ordo_exec *exec, const ordo_choice *choice, bool has_slot,
                           const char *call);

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

/* Rejects a call whose slot the chosen backend does not have. */
#define NEEDS(choice, slot)                                                                        \
    FAIL_IF((choice).backend->slot == NULL, ORDO_E_UNSUPPORTED,                                    \
            "the %s backend has no %s; expected a context that may use the CPU",                   \
            (choice).backend->name, #slot)

/* Runs a job, and repeats it on the CPU if a device fails and the context allows that. */
#define RUN(status, choice, slot, job)                                                             \
    do                                                                                             \
        (status) = (choice).backend->slot((choice).state, &(job), exec);                           \
    while ((status) != ORDO_OK && api_again(ctx, exec, status, &(choice)))

/* Runs a job on segments: as one job if the backend has segments, else by `each`, segment by
 * segment. If a device fails, the job is repeated on the CPU as in RUN. */
#define RUN_SEGMENTS(status, choice, slot, job, parts, each)                                       \
    do {                                                                                           \
        (job).segments = &(parts)->view;                                                           \
        (status) = (choice).backend->has_segments                                                  \
                       ? (choice).backend->slot((choice).state, &(job), exec)                      \
                       : api_run_segments(exec, &(choice), parts, &(each), NULL);                  \
    } while ((status) != ORDO_OK && api_again(ctx, exec, status, &(choice)))

/* The same for a size query (bytes is not NULL): writes the scratch and returns. */
#define ANSWER_SEGMENTS_QUERY(bytes, choice, slot, job, parts, each)                               \
    do {                                                                                           \
        if ((bytes) == NULL)                                                                       \
            break;                                                                                 \
        if (!(choice).backend->has_segments)                                                       \
            return api_run_segments(exec, &(choice), parts, &(each), bytes);                       \
        (job).segments = &(parts)->view;                                                           \
        *(bytes) = api_scratch_total((choice).backend->slot##_scratch(&(job), exec));              \
        return ORDO_OK;                                                                            \
    } while (0)

/* In a size query (bytes is not NULL): writes the scratch of the job and returns. */
#define ANSWER_SIZE_QUERY(bytes, choice, slot, job)                                                \
    do {                                                                                           \
        if ((bytes) != NULL) {                                                                     \
            *(bytes) = api_scratch_total((choice).backend->slot##_scratch((job), exec));           \
            return ORDO_OK;                                                                        \
        }                                                                                          \
    } while (0)

#endif
