/* workers.c - the threads of a loop: lanes, staging buffers in turn, the first error.
 *
 * The first error of any thread becomes the error of the call. All loops then stop early, and
 * hybrid_result reports the error to the caller. */
#define _POSIX_C_SOURCE 200809L
#include "hybrid/stream/hybrid_call.h"

#include <sched.h>
#include <stdio.h>

enum {
    SPINS = 64
};

static ordo_status worker_fail(ordo_exec *exec, ordo_status status, const char *format,
                               va_list args)
{
    hybrid_call *const call = ((hybrid_worker *)exec->owner)->call;
    pthread_mutex_lock(&call->error_lock);
    if (atomic_load_explicit(&call->status, memory_order_relaxed) == ORDO_OK) {
        vsnprintf(call->error_text, sizeof call->error_text, format, args);
        atomic_store_explicit(&call->status, (int)status, memory_order_release);
    }
    pthread_mutex_unlock(&call->error_lock);
    return status;
}

static bool worker_loop(ordo_exec *exec, size_t n, size_t grain, ordo_body *body, void *arg)
{
    for (size_t lo = 0; lo < n; lo += grain)
        body(arg, lo, ordo_min(lo + grain, n));
    /* A body that polled may have left its chunk undone. */
    return !hybrid_has_failed(((hybrid_worker *)exec->owner)->call);
}

static bool worker_poll(ordo_exec *exec, double share)
{
    (void)share;
    return hybrid_has_failed(((hybrid_worker *)exec->owner)->call);
}

/* From the worker's own scratch, which was sized for its sorts. */
static ordo_status worker_scratch(ordo_exec *exec, size_t bytes, void **out)
{
    hybrid_worker *const worker = exec->owner;
    size_t const         take = ordo_round_up(bytes, ORDO_CACHE_LINE);
    if (take > worker->scratch_bytes - worker->scratch_used)
        return ordo_fail(exec, ORDO_E_NOMEM, "a sort requests %zu bytes of scratch, %zu are left",
                         take, worker->scratch_bytes - worker->scratch_used);
    *out = worker->scratch + worker->scratch_used;
    worker->scratch_used += take;
    return ORDO_OK;
}

void hybrid_worker_init(hybrid_call *call, hybrid_worker *worker)
{
    *worker = (hybrid_worker){.exec = {.owner = worker,
                                       .threads = 1,
                                       .loop = worker_loop,
                                       .poll = worker_poll,
                                       .scratch = worker_scratch,
                                       .fail = worker_fail,
                                       .phases = 1,
                                       .algorithm = "",
                                       .isa = ""},
                              .call = call};
}

void hybrid_bucket_worker_init(hybrid_call *call, hybrid_worker *worker, unsigned lane)
{
    hybrid_worker_init(call, worker);
    worker->scratch = call->bucket_scratch + lane * call->bucket_scratch_bytes;
    worker->scratch_bytes = call->bucket_scratch_bytes;
}

unsigned hybrid_claim_lane(hybrid_call *call)
{
    for (;;) {
        for (unsigned lane = 0; lane < call->lanes; lane++)
            if (atomic_exchange_explicit(&call->lane_taken[lane], 1, memory_order_acquire) == 0)
                return lane;
        sched_yield();
    }
}

void hybrid_release_lane(hybrid_call *call, unsigned lane)
{
    atomic_store_explicit(&call->lane_taken[lane], 0, memory_order_release);
}

void hybrid_back_off(unsigned tries)
{
    if (tries < SPINS)
        ordo_cpu_relax();
    else
        sched_yield(); /* threads may outnumber CPUs */
}

bool hybrid_has_failed(const hybrid_call *call)
{
    return atomic_load_explicit(&call->status, memory_order_acquire) != ORDO_OK;
}

void hybrid_mark_cancelled(hybrid_call *call)
{
    int none = ORDO_OK;
    atomic_compare_exchange_strong(&call->status, &none, (int)ORDO_E_CANCELLED);
}

ordo_status hybrid_result(hybrid_call *call, bool all)
{
    ordo_status const status =
        (ordo_status)atomic_load_explicit(&call->status, memory_order_acquire);
    if (status == ORDO_E_CANCELLED)
        return status;
    if (status != ORDO_OK)
        return ordo_fail(call->exec, status, "%s", call->error_text);
    return all ? ORDO_OK : ORDO_E_CANCELLED;
}

void hybrid_fetch_chunks(hybrid_call *call, ordo_exec *exec, unsigned lane,
                         const hybrid_fetch *fetch)
{
    size_t on_link[ORDO_LINK_SIDES] = {SIZE_MAX, SIZE_MAX};
    for (unsigned side = 0; !hybrid_has_failed(call); side = (side + 1) % ORDO_LINK_SIDES) {
        if (on_link[side] != SIZE_MAX)
            (void)fetch->store(fetch->arg, exec, lane, side, on_link[side]);
        size_t const chunk = atomic_fetch_add_explicit(fetch->next, 1, memory_order_relaxed);
        if (ordo_poll(call->exec,
                      (double)ordo_min(chunk, fetch->count) / (double)(fetch->count + 1)))
            hybrid_mark_cancelled(call);
        on_link[side] = chunk < fetch->count ? chunk : SIZE_MAX;
        if (on_link[side] != SIZE_MAX)
            (void)fetch->request(fetch->arg, exec, lane, side, chunk);
        else if (on_link[0] == SIZE_MAX && on_link[1] == SIZE_MAX)
            break;
    }
}
