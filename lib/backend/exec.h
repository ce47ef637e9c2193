/* exec.h - the services a backend gets with every job: threads, scratch, cancellation, errors and
 * the fields of the report.
 *
 * The services are function pointers, so that a backend in its own shared object links to nothing
 * in libordo. The context (api/) fills the struct; tests may fill it with their own functions.
 *
 * A job that is a part of another job gets a copy of the exec: the copy has its own progress,
 * `changed` and report fields, so only the outermost job decides what the report says. */
#ifndef ORDO_BACKEND_EXEC_H
#define ORDO_BACKEND_EXEC_H

#include "core/base.h"

#include <stdarg.h>
#ifndef __cplusplus /* for loop bodies that share state; device code has its own atomics */
#include <stdatomic.h>
#endif

typedef struct ordo_exec ordo_exec;

struct ordo_exec {
    void    *owner;   /* the provider of these services; only they read it */
    unsigned threads; /* that a loop may use, including the calling thread; 1: plain loops */

    /* Runs body over [0, n) in pieces of `grain` items (the last one may be shorter). Pieces are
     * handed out one at a time in increasing order, and each of them is finished, so a body may
     * wait for an earlier piece (core/sequencer.h). Returns true when all pieces are done; false if
     * the call was cancelled and some pieces did not run or were told so by poll. */
    bool (*loop)(ordo_exec *exec, size_t n, size_t grain, ordo_body *body, void *arg);

    /* Returns whether the call was cancelled; for bodies that run long. On the calling thread it
     * also reports progress: `share` of the current loop is done. */
    bool (*poll)(ordo_exec *exec, double share);

    /* Scratch for this call, aligned to a cache line, not zeroed. Over the limit: ORDO_E_NOMEM,
     * and the error is recorded. All scratch is released when the call ends. */
    ordo_status (*scratch)(ordo_exec *exec, size_t bytes, void **out);

    /* Records why the call fails and returns status. */
    ordo_status (*fail)(ordo_exec *exec, ordo_status status, const char *format, va_list args);

    /* Progress is (phase + share of the current loop) / phases. A backend that runs several long
     * loops sets phases first and increments phase after each loop. */
    unsigned phase, phases;

    /* The arrays of the job are device memory, and the work is enqueued on this stream. */
    bool  on_device;
    void *stream;

    /* Set before an array that is sorted in place may change. Streamed calls (lib/hybrid) set it
     * before they write any result. */
    bool changed;

    const ordo_path *path; /* that did the call, a row of a table of the backend; NULL: none */

    struct ordo_profile *profile; /* NULL unless the context records profiles (profile.h) */

    /* The report. */
    const char *algorithm;
    const char *isa;
    ordo_facts  facts;

    /* Seed of random samples. It differs from call to call, so no input can be made of keys that
     * a sample misses. Results never depend on it. */
    uint64_t seed;

    const struct ordo_papers *papers; /* the algorithms of the papers (papers.h); NULL: none */
};

static inline bool ordo_loop(ordo_exec *exec, size_t n, size_t grain, ordo_body *body, void *arg)
{
    return exec->loop(exec, n, grain, body, arg);
}

static inline bool ordo_poll(ordo_exec *exec, double share) { return exec->poll(exec, share); }

static inline ordo_status ordo_scratch(ordo_exec *exec, size_t bytes, void **out)
{
    return exec->scratch(exec, bytes, out);
}

/* Takes scratch and stores its address in `pointer`, which may have any pointer type. */
#define TRY_SCRATCH(exec, bytes, pointer)                                                          \
    do {                                                                                           \
        void *scratch_;                                                                            \
        TRY(ordo_scratch(exec, bytes, &scratch_));                                                 \
        (pointer) = scratch_;                                                                      \
    } while (0)

__attribute__((format(printf, 3, 4))) static inline ordo_status
ordo_fail(ordo_exec *exec, ordo_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    exec->fail(exec, status, format, args);
    va_end(args);
    return status;
}

#endif
