/* threads.c - what the threads of a streaming loop share: lanes, and the first error.
 *
 * A backend records an error with the exec it is given, and the caller's may be used by one thread
 * only; so every thread has one of its own, whose errors become the run's. A loop whose run has
 * gone wrong does no more work, and says so at its end. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/stream/hybrid.h"

#include <sched.h>

enum {
    SPINS = 64
};

static ordo_status thread_fail(ordo_exec *exec, ordo_status status, const char *format,
                               va_list args)
{
    hybrid_run *const run = ((hybrid_thread *)exec)->run;
    pthread_mutex_lock(&run->wrong);
    if (atomic_load_explicit(&run->status, memory_order_relaxed) == ORDO_OK) {
        vsnprintf(run->why, sizeof run->why, format, args);
        atomic_store_explicit(&run->status, (int)status, memory_order_release);
    }
    pthread_mutex_unlock(&run->wrong);
    return status;
}

static bool thread_loop(ordo_exec *exec, size_t n, size_t grain, ordo_body *body, void *arg)
{
    for (size_t lo = 0; lo < n; lo += grain)
        body(arg, lo, ordo_min(lo + grain, n));
    /* A body that asked may have been told to leave its piece as it was. */
    return !hybrid_wrong(((hybrid_thread *)exec)->run);
}

static bool thread_poll(ordo_exec *exec, double share)
{
    (void)share;
    return hybrid_wrong(((hybrid_thread *)exec)->run);
}

/* From the thread's own memory, which was measured for its sorts. */
static ordo_status thread_scratch(ordo_exec *exec, size_t bytes, void **out)
{
    hybrid_thread *const thread = (hybrid_thread *)exec;
    size_t const         take = ordo_round_up(bytes, ORDO_CACHE_LINE);
    if (take > thread->scratch_bytes - thread->scratch_used)
        return ordo_fail(exec, ORDO_E_NOMEM, "a sort asked for %zu bytes more than it said", take);
    *out = thread->scratch + thread->scratch_used;
    thread->scratch_used += take;
    return ORDO_OK;
}

void hybrid_start(hybrid_run *run, hybrid_thread *thread)
{
    *thread = (hybrid_thread){.exec = {.threads = 1,
                                       .loop = thread_loop,
                                       .poll = thread_poll,
                                       .scratch = thread_scratch,
                                       .fail = thread_fail,
                                       .phases = 1,
                                       .algorithm = "",
                                       .isa = "",
                                       .detail = ""},
                              .run = run};
}

unsigned hybrid_take_lane(hybrid_run *run)
{
    for (;;) {
        for (unsigned lane = 0; lane < run->lanes; lane++)
            if (atomic_exchange_explicit(&run->lane_taken[lane], 1, memory_order_acquire) == 0)
                return lane;
        sched_yield();
    }
}

void hybrid_give_lane(hybrid_run *run, unsigned lane)
{
    atomic_store_explicit(&run->lane_taken[lane], 0, memory_order_release);
}

void hybrid_pause(unsigned tries)
{
    if (tries < SPINS)
        ordo_cpu_relax();
    else
        sched_yield(); /* threads may outnumber CPUs */
}

bool hybrid_wrong(const hybrid_run *run)
{
    return atomic_load_explicit(&run->status, memory_order_acquire) != ORDO_OK;
}

void hybrid_cancel(hybrid_run *run)
{
    int none = ORDO_OK;
    atomic_compare_exchange_strong(&run->status, &none, (int)ORDO_E_CANCELLED);
}

ordo_status hybrid_status(hybrid_run *run, bool all)
{
    ordo_status const status =
        (ordo_status)atomic_load_explicit(&run->status, memory_order_acquire);
    if (status == ORDO_E_CANCELLED)
        return status;
    if (status != ORDO_OK)
        return ordo_fail(run->exec, status, "%s", run->why);
    return all ? ORDO_OK : ORDO_E_CANCELLED;
}
