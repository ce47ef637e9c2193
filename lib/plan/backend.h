/* backend.h - the border between the planner and a backend: one table of functions.
 *
 * A backend gets a job whose arguments have been checked and an ordo_exec for threads, scratch,
 * cancel and errors. A slot that is NULL is an operation this backend does not do. Each
 * operation has a scratch slot beside it: the most bytes it will take from exec->scratch for
 * that job, with that many threads; it reads no array and starts no work. */
#ifndef ORDO_PLAN_BACKEND_H
#define ORDO_PLAN_BACKEND_H

#include "core/exec.h"
#include "plan/job.h"

#define ORDO_BACKEND_ABI 1u

typedef struct ordo_backend_wishes { /* what the context's options ask of every backend */
    const char *isa;                 /* NULL: the best */
} ordo_backend_wishes;

typedef struct ordo_backend {
    uint32_t    abi;         /* refused unless equal to ORDO_BACKEND_ABI */
    uint32_t    struct_size; /* slots past this are absent               */
    const char *name;        /* "cpu"                                    */

    /* Opens the backend; on failure `why` (of why_size bytes) says what is missing. */
    ordo_status (*open)(void **state, const ordo_backend_wishes *wishes, char *why,
                        size_t why_size);
    void (*close)(void *state);
    const char *(*isa)(const void *state);     /* in use                        */
    const char *(*isa_all)(const void *state); /* usable here, blank-separated  */

    ordo_status (*rank_sorted)(void *state, const ordo_rank_job *job, ordo_exec *exec);
    size_t (*rank_sorted_scratch)(const ordo_rank_job *job, unsigned threads);
    ordo_status (*scan)(void *state, const ordo_scan_job *job, ordo_exec *exec);
    ordo_status (*scan_bits)(void *state, const ordo_bits_job *job, ordo_exec *exec);
    ordo_status (*partition)(void *state, const ordo_partition_job *job, ordo_exec *exec);
    size_t (*partition_scratch)(const ordo_partition_job *job, unsigned threads);
    ordo_status (*is_sorted)(void *state, const ordo_order_job *job, ordo_exec *exec);
    ordo_status (*copy)(void *state, const ordo_copy_job *job, ordo_exec *exec);
} ordo_backend;

const ordo_backend *ordo_cpu_backend(void);

#endif
