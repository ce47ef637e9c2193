/* profile.h - where the time of a call goes: spans that threads record when they end.
 *
 * Without a profile (exec->profile == NULL) nothing is recorded and no clock is read. Any thread
 * may add a span; spans beyond the capacity are counted but not kept. */
#ifndef ORDO_BACKEND_PROFILE_H
#define ORDO_BACKEND_PROFILE_H

#include "backend/exec.h"
#include "ordo_machine.h"

#include <time.h>

typedef struct ordo_profile {
    ordo_span    *spans;
    size_t        capacity;
    atomic_size_t count;
    double        zero; /* when the call began */
} ordo_profile;

static inline double ordo_profile_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The start time of a span; 0 without a profile. */
static inline double ordo_profile_now(const ordo_exec *exec)
{
    return exec->profile == NULL ? 0 : ordo_profile_clock();
}

static inline void ordo_profile_span(const ordo_exec *exec, ordo_span_kind kind, unsigned lane,
                                     double began, double ended, size_t bytes)
{
    ordo_profile *const profile = exec->profile;
    if (profile == NULL)
        return;
    size_t const at = atomic_fetch_add_explicit(&profile->count, 1, memory_order_relaxed);
    if (at < profile->capacity)
        profile->spans[at] =
            (ordo_span){(uint32_t)kind, lane, began - profile->zero, ended - profile->zero, bytes};
}

/* Adds a span that ends now. */
static inline void ordo_profile_add(const ordo_exec *exec, ordo_span_kind kind, unsigned lane,
                                    double began, size_t bytes)
{
    if (exec->profile != NULL)
        ordo_profile_span(exec, kind, lane, began, ordo_profile_clock(), bytes);
}

#endif
