/* inner.h - the exec of a part of a call that is done several times: its scratch is memory that the
 * next part uses again. Loops, progress and errors are those of the call. */
#ifndef ORDO_BACKEND_INNER_H
#define ORDO_BACKEND_INNER_H

#include "backend/exec.h"

typedef struct ordo_inner {
    ordo_exec  exec; /* of the part; its owner is this struct */
    ordo_exec *outer;
    char      *room;
    size_t     bytes, used; /* of the room; what does not fit is scratch of the call */
} ordo_inner;

/* The exec of the call, with the progress of the part in the whole call. */
static inline ordo_exec ordo_inner_seen(const ordo_exec *exec)
{
    ordo_exec outer = *((const ordo_inner *)exec->owner)->outer;
    outer.phase = outer.phase * exec->phases + exec->phase;
    outer.phases *= exec->phases;
    return outer;
}

static inline bool ordo_inner_loop(ordo_exec *exec, size_t n, size_t grain, ordo_body *body,
                                   void *arg)
{
    ordo_exec outer = ordo_inner_seen(exec);
    return ordo_loop(&outer, n, grain, body, arg);
}

static inline bool ordo_inner_poll(ordo_exec *exec, double share)
{
    ordo_exec outer = ordo_inner_seen(exec);
    return ordo_poll(&outer, share);
}

static inline ordo_status ordo_inner_scratch(ordo_exec *exec, size_t bytes, void **out)
{
    ordo_inner *const inner = exec->owner;
    size_t const      room = inner->bytes - inner->used;
    if (bytes > room || ordo_round_up(bytes, ORDO_CACHE_LINE) > room)
        return ordo_scratch(inner->outer, bytes, out);
    *out = inner->room + inner->used;
    inner->used += ordo_round_up(bytes, ORDO_CACHE_LINE);
    return ORDO_OK;
}

static inline ordo_status ordo_inner_fail(ordo_exec *exec, ordo_status status, const char *format,
                                          va_list args)
{
    ordo_exec *const outer = ((const ordo_inner *)exec->owner)->outer;
    return outer->fail(outer, status, format, args);
}

/* Begins a part with the first `bytes` of `room`. */
static inline void ordo_inner_begin(ordo_inner *inner, ordo_exec *outer, void *room, size_t bytes)
{
    *inner = (ordo_inner){.exec = *outer, .outer = outer, .room = room, .bytes = bytes};
    inner->exec.owner = inner;
    inner->exec.loop = ordo_inner_loop;
    inner->exec.poll = ordo_inner_poll;
    inner->exec.scratch = ordo_inner_scratch;
    inner->exec.fail = ordo_inner_fail;
    inner->exec.phase = 0;
    inner->exec.phases = 1;
    inner->exec.changed = false;
}

#endif
