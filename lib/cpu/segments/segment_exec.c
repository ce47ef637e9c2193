/* segment_exec.c - the services of a job on one segment: scratch that the next segment uses again,
 * loops on one thread or on all, checks for cancel, and errors that the call reports later.
 *
 * A job on one thread runs its loops itself. The thread pool checks for cancel between batches of
 * segments, so a job checks only between the pieces of a loop. */
#include "cpu/segments/segments.h"

#include <stdio.h>

static segment_worker *worker_of(ordo_exec *exec) { return exec->owner; }

/* The exec of the call, with the progress of this job in the whole call. */
static ordo_exec seen_from_outside(const segment_worker *worker, const ordo_exec *exec)
{
    ordo_exec outer = *worker->outer;
    outer.phase = (outer.phase * worker->units + worker->unit) * exec->phases + exec->phase;
    outer.phases *= worker->units * exec->phases;
    return outer;
}

static bool poll(ordo_exec *exec, double share)
{
    const segment_worker *const worker = worker_of(exec);
    if (!worker->shared)
        return ordo_poll(worker->outer, worker->share);
    ordo_exec outer = seen_from_outside(worker, exec);
    return ordo_poll(&outer, share);
}

static bool loop(ordo_exec *exec, size_t n, size_t grain, ordo_body *body, void *arg)
{
    const segment_worker *const worker = worker_of(exec);
    if (worker->shared) {
        ordo_exec outer = seen_from_outside(worker, exec);
        return ordo_loop(&outer, n, grain, body, arg);
    }
    for (size_t lo = 0; lo < n;) {
        size_t const hi = n - lo > grain ? lo + grain : n;
        body(arg, lo, hi);
        lo = hi;
        if (lo < n && ordo_poll(worker->outer, worker->share))
            return false;
    }
    return true;
}

/* Takes scratch from the slab. If the slab is too small or was refused, takes it from the call,
 * whose scratch is not thread-safe. */
static ordo_status scratch(ordo_exec *exec, size_t bytes, void **out)
{
    segment_worker *const worker = worker_of(exec);
    size_t const          room = worker->bytes - worker->used;
    if (bytes <= room && ordo_round_up(bytes, ORDO_CACHE_LINE) <= room) {
        *out = worker->slab + worker->used;
        worker->used += ordo_round_up(bytes, ORDO_CACHE_LINE);
        return ORDO_OK;
    }
    segment_lock_take(worker->lock);
    ordo_status const status = ordo_scratch(worker->outer, bytes, out);
    segment_lock_give(worker->lock);
    if (status != ORDO_OK)
        snprintf(worker->why, sizeof worker->why, "%zu bytes of scratch were refused", bytes);
    return status;
}

static ordo_status fail(ordo_exec *exec, ordo_status status, const char *format, va_list args)
{
    segment_worker *const worker = worker_of(exec);
    vsnprintf(worker->why, sizeof worker->why, format, args);
    return status;
}

void segment_worker_open(segment_worker *worker, ordo_exec *outer, segment_lock *lock, bool shared)
{
    worker->exec = *outer;
    worker->exec.owner = worker;
    worker->exec.threads = shared ? outer->threads : 1;
    worker->exec.loop = loop;
    worker->exec.poll = poll;
    worker->exec.scratch = scratch;
    worker->exec.fail = fail;
    worker->exec.profile = NULL;
    worker->outer = outer;
    worker->lock = lock;
    worker->shared = shared;
    worker->slab = worker->gathered = NULL;
    worker->bytes = worker->used = 0;
    worker->share = 0;
    worker->unit = 0;
    worker->units = 1;
    worker->why[0] = '\0';
    atomic_flag_clear(&worker->busy);
}
