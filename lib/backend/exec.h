/* exec.h - the services a backend gets with every job: threads, scratch, cancel, errors, report.
 *
 * They are function pointers, so that a backend in a shared object of its own links to nothing
 * in libordo. The context (api/) fills the struct; tests may fill it with their own. */
#ifndef ORDO_BACKEND_EXEC_H
#define ORDO_BACKEND_EXEC_H

#include "core/base.h"

#include <stdarg.h>
#ifndef __cplusplus /* what the bodies of loops share; device code has its own */
#include <stdatomic.h>
#endif
#include <stdio.h>

typedef struct ordo_exec ordo_exec;

struct ordo_exec {
    unsigned threads; /* that a loop may use, the caller's included; 1 means: plain loops      */

    /* Runs body over [0, n) in pieces of `grain` items (the last may be shorter). Pieces are
     * handed out one at a time in increasing order and every piece handed out is finished, so a
     * body may wait for an earlier piece (ordo_turn). Returns when all are done: true, or false
     * if the call was cancelled and some pieces never ran or were told so by poll. */
    bool (*loop)(ordo_exec *exec, size_t n, size_t grain, ordo_body *body, void *arg);

    /* For a body that runs long: whether the call was cancelled. On the calling thread it also
     * reports progress, share of the running loop being done. */
    bool (*poll)(ordo_exec *exec, double share);

    /* Scratch for this call, aligned to a cache line, not zeroed. ORDO_E_NOMEM, with the error
     * recorded, over the limit. All of it is given back when the call ends. */
    ordo_status (*scratch)(ordo_exec *exec, size_t bytes, void **out);

    /* Records why the call fails and returns status. */
    ordo_status (*fail)(ordo_exec *exec, ordo_status status, const char *format, va_list args);

    /* Progress is (phase + share of the running loop) / phases. A backend that runs several
     * long loops sets phases first and counts phase up. */
    unsigned phase, phases;

    /* The arrays of the job are memory of the device, and work goes to this stream. */
    bool  on_device;
    void *stream;

    /* Set once an array that is sorted in place may differ from what it was. Of a streamed call
     * (lib/hybrid): once any result may have been written. */
    bool changed;

    struct ordo_profile *profile; /* NULL: nobody asked for one (backend/profile.h) */

    /* For the report. */
    const char *algorithm;
    const char *isa;
    const char *detail;
    char        note[240]; /* what detail may point to */

    /* Another number for every call, by which samples are drawn: nobody who chooses the keys knows
     * where a sample looks. Results never depend on it. At the end, for plugins built without. */
    uint64_t seed;
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

__attribute__((format(printf, 3, 4))) static inline ordo_status
ordo_fail(ordo_exec *exec, ordo_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    exec->fail(exec, status, format, args);
    va_end(args);
    return status;
}

/* What was seen and chosen, for the report. */
__attribute__((format(printf, 2, 3))) static inline void ordo_note(ordo_exec  *exec,
                                                                   const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(exec->note, sizeof exec->note, format, args);
    va_end(args);
    exec->detail = exec->note;
}

#endif
