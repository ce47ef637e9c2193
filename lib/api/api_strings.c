/* api_strings.c - ordo_argsort_strings, ordo_sort_strings, ordo_sort_pointers, ordo_rank_strings
 * and ordo_select_strings: checks, then a job for the backend.
 *
 * All offsets or pointers are checked first, with all threads. An offset that decreases makes the
 * end of the bytes unknown, so no byte may be read before all offsets are checked. */
#include "api/api.h"

#include <stdatomic.h>
typedef unsigned long long ull; /* for %llu */

enum {
    CHECK_PIECE = 1 << 16 /* offsets or pointers that one piece of the loop checks */
};

/* Runs a job and returns its status. If a device fails and the context allows it, the CPU repeats
 * the job. */
#define RUN_STRINGS(choice, slot, job)                                                             \
    do {                                                                                           \
        ordo_status status_;                                                                       \
        do                                                                                         \
            status_ = (choice).backend->slot((choice).state, &(job), exec);                        \
        while (status_ != ORDO_OK && api_again(ctx, exec, status_, &(choice)));                    \
        return status_;                                                                            \
    } while (0)

/* ---- The strings ---- */

ordo_status api_read_strings(ordo_exec *exec, const ordo_strings *given, size_t n,
                             ordo_strings *strings)
{
    FAIL_IF(given == NULL, ORDO_E_ARG, "strings is NULL; expected an ordo_strings");
    TRY(api_read_struct(exec, strings, sizeof *strings, given, "strings"));
    bool const by_offset = strings->bytes != NULL || strings->offsets != NULL;
    FAIL_IF(by_offset && strings->pointers != NULL, ORDO_E_ARG,
            "strings has both bytes with offsets and pointers; give one form and leave the other "
            "NULL");
    FAIL_IF(n > 0 && !by_offset && strings->pointers == NULL, ORDO_E_ARG,
            "strings has neither bytes with offsets nor pointers, but n is %zu", n);
    FAIL_IF(n > 0 && by_offset && strings->offsets == NULL, ORDO_E_ARG,
            "strings.offsets is NULL but n is %zu", n);
    return ORDO_OK;
}

typedef struct string_check {
    const ordo_strings *strings;
    atomic_size_t       bad; /* the smallest index of an error so far; n if none */
} string_check;

static void lower(atomic_size_t *least, size_t index)
{
    size_t seen = atomic_load_explicit(least, memory_order_relaxed);
    while (index < seen && !atomic_compare_exchange_weak_explicit(
                               least, &seen, index, memory_order_relaxed, memory_order_relaxed))
        continue;
}

static void check_offsets_piece(void *arg, size_t lo, size_t hi)
{
    string_check *const   check = arg;
    const uint64_t *const offsets = check->strings->offsets;
    uint64_t              too_long = 0;
    for (size_t i = lo; i < hi; i++) /* no branch: a negative length counts as too long */
        too_long |= (offsets[i + 1] - offsets[i]) >> 32 | (uint64_t)(offsets[i + 1] < offsets[i]);
    if (too_long == 0)
        return;
    for (size_t i = lo; i < hi; i++)
        if (offsets[i + 1] < offsets[i] || (offsets[i + 1] - offsets[i]) >> 32 != 0) {
            lower(&check->bad, i);
            return;
        }
}

static void check_pointers_piece(void *arg, size_t lo, size_t hi)
{
    string_check *const check = arg;
    for (size_t i = lo; i < hi; i++)
        if (check->strings->pointers[i] == NULL) {
            lower(&check->bad, i);
            return;
        }
}

static ordo_status check_offsets(ordo_exec *exec, const ordo_strings *strings, size_t n)
{
    const uint64_t *const offsets = strings->offsets;
    string_check          check = {strings, n};
    size_t                count;
    FAIL_IF(!ordo_size_add(n, 1, &count), ORDO_E_ARG,
            "n is %zu; n + 1 offsets are more than memory can hold", n);
    TRY(api_check_aligned(exec, offsets, count, sizeof *offsets, "strings.offsets"));
    if (!ordo_loop(exec, n, CHECK_PIECE, check_offsets_piece, &check))
        return ORDO_E_CANCELLED;
    size_t const bad = atomic_load_explicit(&check.bad, memory_order_relaxed);
    FAIL_IF(bad < n && offsets[bad + 1] < offsets[bad], ORDO_E_ARG,
            "strings.offsets decreases at %zu: %llu, then %llu", bad + 1, (ull)offsets[bad],
            (ull)offsets[bad + 1]);
    FAIL_IF(bad < n, ORDO_E_ARG, "string %zu has %llu bytes; expected fewer than 2^32", bad,
            (ull)(offsets[bad + 1] - offsets[bad]));
    FAIL_IF(offsets[n] > SIZE_MAX, ORDO_E_ARG, "strings.offsets: %llu is more than memory can hold",
            (ull)offsets[n]);
    FAIL_IF(strings->bytes == NULL && offsets[n] > offsets[0], ORDO_E_ARG,
            "strings.bytes is NULL but the strings have %llu bytes",
            (ull)(offsets[n] - offsets[0]));
    return api_check_array(exec, strings->bytes, strings->bytes != NULL ? (size_t)offsets[n] : 0, 1,
                           "strings.bytes");
}

static ordo_status check_pointers(ordo_exec *exec, const ordo_strings *strings, size_t n,
                                  const char *what)
{
    string_check check = {strings, n};
    TRY(api_check_aligned(exec, strings->pointers, n, sizeof *strings->pointers, what));
    if (!ordo_loop(exec, n, CHECK_PIECE, check_pointers_piece, &check))
        return ORDO_E_CANCELLED;
    size_t const bad = atomic_load_explicit(&check.bad, memory_order_relaxed);
    FAIL_IF(bad < n, ORDO_E_ARG, "%s[%zu] is NULL; expected a string", what, bad);
    return ORDO_OK;
}

ordo_status api_check_strings(ordo_exec *exec, const ordo_strings *strings, size_t n)
{
    if (n == 0)
        return ORDO_OK;
    if (strings->pointers != NULL)
        return check_pointers(exec, strings, n, "strings.pointers");
    return check_offsets(exec, strings, n);
}

/* Checks the strings and chooses the backend. `copies`: the job also writes the bytes in order.
 * Strings on a device are not read here, because no backend sorts them there. */
static ordo_status choose_for_strings(ordo_ctx *ctx, ordo_exec *exec, const ordo_strings *strings,
                                      size_t n, bool copies, ordo_algorithm algorithm,
                                      ordo_choice *choice)
{
    if (!exec->on_device)
        TRY(api_check_strings(exec, strings, n));
    uint64_t const copied =
        copies && n > 0 && !exec->on_device ? strings->offsets[n] - strings->offsets[0] : 0;
    ordo_load load = ordo_load_strings(exec->on_device ? NULL : strings, n, copied, exec->seed);
    load.algorithm = algorithm;
    return api_choose(ctx, exec, &load, choice);
}

ordo_status api_check_strings_apart(ordo_exec *exec, const ordo_strings *strings, size_t n,
                                    const void *out, size_t out_bytes, const char *what)
{
    if (n == 0)
        return ORDO_OK;
    if (strings->pointers != NULL)
        return api_check_apart(exec, strings->pointers, n * sizeof *strings->pointers,
                               "strings.pointers", out, out_bytes, what);
    size_t const total = (size_t)(strings->offsets[n] - strings->offsets[0]);
    TRY(api_check_apart(exec, strings->offsets, (n + 1) * sizeof *strings->offsets,
                        "strings.offsets", out, out_bytes, what));
    if (total == 0)
        return ORDO_OK;
    return api_check_apart(exec, strings->bytes + strings->offsets[0], total, "strings.bytes", out,
                           out_bytes, what);
}

static ordo_status check_algorithm(ordo_exec *exec, uint32_t algorithm, const char *verb)
{
    FAIL_IF(algorithm != ORDO_ALGORITHM_AUTO && algorithm != ORDO_ALGORITHM_SAMPLE, ORDO_E_ARG,
            "algorithm %s does not %s strings; expected auto or sample", API_ALGORITHM(algorithm),
            verb);
    return ORDO_OK;
}

static ordo_status read_sort_opts(ordo_exec *exec, const ordo_sort_opts *opts, bool *descending,
                                  ordo_algorithm *algorithm)
{
    ordo_sort_opts options;
    TRY(api_read_sort_flags(exec, opts, ORDO_DESCENDING | ORDO_STABLE, "a call on strings",
                            &options));
    TRY(check_algorithm(exec, options.algorithm, "sort"));
    *descending = (options.flags & ORDO_DESCENDING) != 0;
    *algorithm = (ordo_algorithm)options.algorithm;
    return ORDO_OK;
}

/* ---- Argsort ---- */

static ordo_status argsort_checked(ordo_ctx *ctx, ordo_exec *exec, const ordo_strings *given,
                                   size_t n, ordo_type index_type, void *index,
                                   const ordo_sort_opts *opts)
{
    ordo_strings_job job = {.n = n, .index_type = index_type, .index = index};
    ordo_choice      choice;
    TRY(api_check_index_type(exec, index_type, n));
    TRY(read_sort_opts(exec, opts, &job.descending, &job.algorithm));
    TRY(api_read_strings(exec, given, n, &job.strings));
    TRY(api_check_aligned(exec, index, n, ordo_type_size(index_type), "index"));
    TRY(choose_for_strings(ctx, exec, &job.strings, n, false, job.algorithm, &choice));
    NEEDS(choice, argsort_strings);
    TRY(api_check_strings_apart(exec, &job.strings, n, index, n * ordo_type_size(index_type),
                                "index"));
    RUN_STRINGS(choice, argsort_strings, job);
}

ordo_status ordo_argsort_strings(ordo_ctx *ctx, const ordo_strings *strings, size_t n,
                                 ordo_type index_type, void *index, const ordo_sort_opts *opts)
{
    API_CALL("argsort_strings", (ordo_type)0, n,
             argsort_checked(ctx, exec, strings, n, index_type, index, opts));
}

/* ---- Sort ---- */

static ordo_status sort_checked(ordo_ctx *ctx, ordo_exec *exec, const ordo_strings *given, size_t n,
                                char *out_bytes, uint64_t *out_offsets, const ordo_sort_opts *opts)
{
    ordo_string_copy_job job = {.n = n, .out_bytes = out_bytes, .out_offsets = out_offsets};
    ordo_choice          choice;
    TRY(read_sort_opts(exec, opts, &job.descending, &job.algorithm));
    TRY(api_read_strings(exec, given, n, &job.strings));
    FAIL_IF(job.strings.pointers != NULL, ORDO_E_ARG,
            "strings has pointers; ordo_sort_strings takes bytes with offsets, ordo_sort_pointers "
            "pointers");
    TRY(choose_for_strings(ctx, exec, &job.strings, n, true, job.algorithm, &choice));
    NEEDS(choice, sort_strings);
    if (n > 0) {
        size_t const total = (size_t)(job.strings.offsets[n] - job.strings.offsets[0]);
        size_t const offsets_bytes = (n + 1) * sizeof *out_offsets;
        TRY(api_check_aligned(exec, out_offsets, n + 1, sizeof *out_offsets, "out_offsets"));
        FAIL_IF(out_bytes == NULL && total > 0, ORDO_E_ARG,
                "out_bytes is NULL but the strings have %zu bytes", total);
        TRY(api_check_array(exec, out_bytes, total, 1, "out_bytes"));
        TRY(api_check_apart(exec, out_bytes, total, "out_bytes", out_offsets, offsets_bytes,
                            "out_offsets"));
        TRY(api_check_strings_apart(exec, &job.strings, n, out_bytes, total, "out_bytes"));
        TRY(api_check_strings_apart(exec, &job.strings, n, out_offsets, offsets_bytes,
                                    "out_offsets"));
    }
    RUN_STRINGS(choice, sort_strings, job);
}

ordo_status ordo_sort_strings(ordo_ctx *ctx, const ordo_strings *strings, size_t n, char *out_bytes,
                              uint64_t *out_offsets, const ordo_sort_opts *opts)
{
    API_CALL("sort_strings", (ordo_type)0, n,
             sort_checked(ctx, exec, strings, n, out_bytes, out_offsets, opts));
}

static ordo_status pointers_checked(ordo_ctx *ctx, ordo_exec *exec, const char **pointers, size_t n,
                                    const ordo_sort_opts *opts)
{
    ordo_pointers_job  job = {.pointers = pointers, .n = n};
    ordo_strings const strings = {sizeof strings, NULL, NULL, (const char *const *)pointers};
    ordo_choice        choice;
    TRY(read_sort_opts(exec, opts, &job.descending, &job.algorithm));
    if (n > 0 && !exec->on_device)
        TRY(check_pointers(exec, &strings, n, "pointers"));
    ordo_load load = ordo_load_strings(exec->on_device ? NULL : &strings, n, 0, exec->seed);
    load.algorithm = job.algorithm;
    TRY(api_choose(ctx, exec, &load, &choice));
    NEEDS(choice, sort_pointers);
    RUN_STRINGS(choice, sort_pointers, job);
}

ordo_status ordo_sort_pointers(ordo_ctx *ctx, const char **pointers, size_t n,
                               const ordo_sort_opts *opts)
{
    API_CALL("sort_pointers", (ordo_type)0, n, pointers_checked(ctx, exec, pointers, n, opts));
}

/* ---- Rank ---- */

static ordo_status rank_checked(ordo_ctx *ctx, ordo_exec *exec, const ordo_strings *given, size_t n,
                                ordo_type rank_type, void *ranks, const ordo_rank_opts *opts)
{
    ordo_string_rank_job job = {.n = n, .rank_type = rank_type, .ranks = ranks};
    ordo_rank_opts       options;
    ordo_choice          choice;
    TRY(api_check_ranks(exec, rank_type, opts, &options));
    TRY(api_no_weights(exec, &options, "a call on strings"));
    TRY(api_check_rank_count(exec, rank_type, n));
    TRY(api_check_place(exec, options.flags, ORDO_DESCENDING, options.stream));
    TRY(check_algorithm(exec, options.algorithm, "rank"));
    job.algorithm = (ordo_algorithm)options.algorithm;
    TRY(api_no_segments(exec, options.segments, "a call on strings"));
    TRY(api_read_strings(exec, given, n, &job.strings));
    TRY(api_check_aligned(exec, ranks, n, ordo_type_size(rank_type), "ranks"));
    TRY(choose_for_strings(ctx, exec, &job.strings, n, false, job.algorithm, &choice));
    NEEDS(choice, rank_strings);
    TRY(api_check_strings_apart(exec, &job.strings, n, ranks, n * ordo_type_size(rank_type),
                                "ranks"));
    job.ties = (ordo_ties)options.ties;
    job.descending = (options.flags & ORDO_DESCENDING) != 0;
    RUN_STRINGS(choice, rank_strings, job);
}

ordo_status ordo_rank_strings(ordo_ctx *ctx, const ordo_strings *strings, size_t n,
                              ordo_type rank_type, void *ranks, const ordo_rank_opts *opts)
{
    API_CALL("rank_strings", (ordo_type)0, n,
             rank_checked(ctx, exec, strings, n, rank_type, ranks, opts));
}

/* ---- Select ---- */

static ordo_status select_checked(ordo_ctx *ctx, ordo_exec *exec, const ordo_strings *given,
                                  size_t n, const size_t *k, size_t count, uint64_t *index,
                                  const ordo_sort_opts *opts)
{
    ordo_string_select_job job = {.n = n, .k = k, .count = count, .index = index};
    ordo_choice            choice;
    ordo_algorithm         algorithm;
    TRY(read_sort_opts(exec, opts, &job.descending, &algorithm));
    FAIL_IF(algorithm != ORDO_ALGORITHM_AUTO, ORDO_E_ARG,
            "algorithm %s does not select strings; expected auto", API_ALGORITHM(algorithm));
    TRY(api_read_strings(exec, given, n, &job.strings));
    TRY(api_check_aligned(exec, k, count, sizeof *k, "k"));
    TRY(api_check_aligned(exec, index, count, sizeof *index, "index"));
    TRY(api_check_apart(exec, k, count * sizeof *k, "k", index, count * sizeof *index, "index"));
    TRY(api_check_positions(exec, k, count, n, "strings"));
    TRY(api_choose(ctx, exec, NULL, &choice));
    NEEDS(choice, select_strings);
    TRY(api_check_strings(exec, &job.strings, n));
    TRY(api_check_strings_apart(exec, &job.strings, n, index, count * sizeof *index, "index"));
    return choice.backend->select_strings(choice.state, &job, exec);
}

ordo_status ordo_select_strings(ordo_ctx *ctx, const ordo_strings *strings, size_t n,
                                const size_t *k, size_t count, uint64_t *index,
                                const ordo_sort_opts *opts)
{
    API_CALL("select_strings", (ordo_type)0, n,
             select_checked(ctx, exec, strings, n, k, count, index, opts));
}
