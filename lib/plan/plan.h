/* plan.h - which backend does a job. Holds the opened backends of a context; no algorithm. */
#ifndef ORDO_PLAN_PLAN_H
#define ORDO_PLAN_PLAN_H

#include "plan/backend.h"

typedef struct ordo_plan {
    const ordo_backend *cpu;
    void               *cpu_state;
    ordo_where          where; /* what the caller wishes */
} ordo_plan;

typedef struct ordo_choice { /* a backend and its state, for one job */
    const ordo_backend *backend;
    void               *state;
} ordo_choice;

/* Opens every backend there is. `why` says what went wrong when it fails. */
ordo_status ordo_plan_open(ordo_plan *plan, ordo_where where, const ordo_backend_wishes *wishes,
                           char *why, size_t why_size);
void        ordo_plan_close(ordo_plan *plan);

/* Why CUDA cannot be used, or "" if it can. */
const char *ordo_plan_cuda(const ordo_plan *plan);

/* The backend for a job of n items; fails, with the reason recorded, if the one the caller
 * asked for is not there. */
ordo_status ordo_plan_choose(const ordo_plan *plan, ordo_exec *exec, size_t n, ordo_choice *choice);

#endif
