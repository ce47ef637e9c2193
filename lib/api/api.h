/* api.h - how a public call begins and ends, and the checks it makes of its arguments.
 *
 * The pattern of an entry point:
 *     ordo_exec *exec;
 *     TRY(api_enter(ctx, "scan", type, n, &exec));
 *     return api_leave(ctx, scan_checked(ctx, exec, ...));
 * Everything below api/ may rely on what was checked here and only asserts it. */
#ifndef ORDO_API_API_H
#define ORDO_API_API_H

#include "backend/exec.h"
#include "plan/plan.h"

/* Refuses a NULL context and re-entry; clears the last error, starts the clock. Until api_leave the
 * thread computes in the default floating-point mode (core/fpmode.h). */
ordo_status api_enter(ordo_ctx *ctx, const char *operation, ordo_type type, size_t n,
                      ordo_exec **exec);
/* Gives scratch back, stores the report if status is ORDO_OK, restores the caller's floating-point
 * mode and exception flags, and returns status. */
ordo_status api_leave(ordo_ctx *ctx, ordo_status status);

/* The backend for this call's job. load: what `auto` should weigh; NULL: the job is never worth
 * the way to a device. */
ordo_status api_choose(ordo_ctx *ctx, ordo_exec *exec, const ordo_load *load, ordo_choice *choice);
/* After a job failed with `status`: whether to run it again on what *choice then is. */
bool api_again(ordo_ctx *ctx, ordo_exec *exec, ordo_status status, ordo_choice *choice);

/* A context that differs from ctx in what *other wishes of where, threads, share and progress; the
 * GPU, the instruction set and half of the memory are those of ctx; no calibration is read. */
ordo_status api_sibling(ordo_ctx *ctx, const ordo_ctx_opts *other, ordo_ctx **out);
ordo_plan  *api_plan(ordo_ctx *ctx);
size_t      api_memory_limit(const ordo_ctx *ctx); /* 0: none */
/* Memory that is not scratch of a call; NULL if there is none. */
void *api_alloc(ordo_ctx *ctx, size_t bytes);
void  api_release(ordo_ctx *ctx, void *block);
/* Fills as much of the caller's report struct as both sides know; its struct_size stays. */
ordo_status api_copy_out(ordo_exec *exec, void *dst, const void *src, size_t known);

/* The size queries are calls that do no work: they report nothing and keep the last report. */
ordo_status api_enter_query(ordo_ctx *ctx, ordo_exec **exec);
ordo_status api_leave_query(ordo_ctx *ctx, ordo_status status);

/* Scratch that a backend takes as `bytes`, as the context counts it. */
size_t api_scratch_total(size_t bytes);

enum {
    API_MAX_OPTS = 4096
}; /* no options or report struct of any version is this large */

/* Copies options of any age into dst, zeroing what the caller does not know. */
ordo_status api_opts_read(ordo_exec *exec, void *dst, size_t known, const void *src);

/* The flags a call knows, and where its arrays are. */
ordo_status api_check_place(ordo_exec *exec, uint64_t flags, uint64_t known, void *stream);
ordo_status api_check_type(ordo_exec *exec, ordo_type type, const char *what);
/* n elements of size bytes, called `what`: refuses more bytes than an array can have. */
ordo_status api_check_count(ordo_exec *exec, size_t n, size_t size, const char *what);
/* The same for an array at p: also refuses NULL with n > 0. */
ordo_status api_check_array(ordo_exec *exec, const void *p, size_t n, size_t size,
                            const char *what);
/* The same for elements that must be aligned to their size, a power of 2. */
ordo_status api_check_aligned(ordo_exec *exec, const void *p, size_t n, size_t size,
                              const char *what);
ordo_status api_check_apart(ordo_exec *exec, const void *a, size_t a_bytes, const char *a_what,
                            const void *b, size_t b_bytes, const char *b_what);

ordo_status api_check_index_type(ordo_exec *exec, ordo_type index_type, size_t n);
/* Reads the options of a ranking call and checks all but its flags and algorithm. */
ordo_status api_check_ranks(ordo_exec *exec, size_t n, ordo_type rank_type,
                            const ordo_rank_opts *opts, ordo_rank_opts *wish);
ordo_status api_check_sort_algorithm(ordo_exec *exec, uint32_t algorithm);

#define FAIL_IF(condition, status, ...)                                                            \
    do {                                                                                           \
        if (ORDO_UNLIKELY(condition)) {                                                            \
            ordo_fail(exec, status, __VA_ARGS__);                                                  \
            return (status);                                                                       \
        }                                                                                          \
    } while (0)

/* A slot the chosen backend may lack. */
#define NEEDS(choice, slot)                                                                        \
    FAIL_IF((choice).backend->slot == NULL, ORDO_E_UNSUPPORTED, "the %s backend has no %s",        \
            (choice).backend->name, #slot)

/* Runs a job; under `auto` a device that fails leaves it to the CPU. */
#define RUN(status, choice, slot, job)                                                             \
    do                                                                                             \
        (status) = (choice).backend->slot((choice).state, &(job), exec);                           \
    while ((status) != ORDO_OK && api_again(ctx, exec, status, &(choice)))

#endif
