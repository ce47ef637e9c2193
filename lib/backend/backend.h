/* backend.h - the border between the planner and a backend: one table of functions.
 *
 * A backend gets a job whose arguments have been checked and an ordo_exec for threads, scratch,
 * cancel and errors. A slot that is NULL is an operation this backend does not do. An operation may
 * have a scratch slot beside it: the most bytes it will take for that job, from exec->scratch (the
 * CPU) or of device memory; it reads no array and starts no work.
 *
 * A backend in a shared object of its own exports one function, ORDO_BACKEND_ENTRY, of type
 * ordo_backend_entry: it gets the ABI number of the caller and returns its table, or NULL if it
 * was built for another. */
#ifndef ORDO_BACKEND_BACKEND_H
#define ORDO_BACKEND_BACKEND_H

#include "backend/exec.h"
#include "backend/job.h"
#include "backend/link.h"

#include <string.h>

#define ORDO_BACKEND_ABI 6u
#define ORDO_BACKEND_ENTRY "ordo_backend_table"

typedef struct ordo_backend_wishes { /* what the context's options ask of every backend */
    const char *isa;                 /* NULL: the best */
    size_t      device;              /* counted from 1; 0: the first that is usable */
    size_t      device_limit;        /* bytes of device memory; 0: no limit */
    unsigned    threads;             /* that calls will have */
    double      cpu_share;           /* of a hybrid sort; 0: as predicted; < 0: none */
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

    ordo_status (*sort)(void *state, const ordo_sort_job *job, ordo_exec *exec);
    size_t (*sort_scratch)(const ordo_sort_job *job, const ordo_exec *exec);
    ordo_status (*sort_pairs)(void *state, const ordo_pairs_job *job, ordo_exec *exec);
    size_t (*sort_pairs_scratch)(const ordo_pairs_job *job, const ordo_exec *exec);
    ordo_status (*argsort)(void *state, const ordo_argsort_job *job, ordo_exec *exec);
    size_t (*argsort_scratch)(const ordo_argsort_job *job, const ordo_exec *exec);
    ordo_status (*sort_by)(void *state, const ordo_by_job *job, ordo_exec *exec);
    ordo_status (*rank)(void *state, const ordo_unsorted_job *job, ordo_exec *exec);
    size_t (*rank_scratch)(const ordo_unsorted_job *job, const ordo_exec *exec);
    ordo_status (*select)(void *state, const ordo_select_job *job, ordo_exec *exec);
    size_t (*select_scratch)(const ordo_select_job *job, const ordo_exec *exec);
    ordo_status (*topk)(void *state, const ordo_topk_job *job, ordo_exec *exec);
    size_t (*topk_scratch)(const ordo_topk_job *job, const ordo_exec *exec);
    ordo_status (*count_nans)(void *state, const ordo_count_job *job, ordo_exec *exec);
    ordo_status (*argsort_strings)(void *state, const ordo_strings_job *job, ordo_exec *exec);
    ordo_status (*rank_strings)(void *state, const ordo_string_rank_job *job, ordo_exec *exec);
    ordo_status (*select_strings)(void *state, const ordo_string_select_job *job, ordo_exec *exec);
    ordo_status (*sort_strings)(void *state, const ordo_string_copy_job *job, ordo_exec *exec);
    ordo_status (*sort_pointers)(void *state, const ordo_pointers_job *job, ordo_exec *exec);
    ordo_status (*rank_sorted)(void *state, const ordo_rank_job *job, ordo_exec *exec);
    size_t (*rank_sorted_scratch)(const ordo_rank_job *job, const ordo_exec *exec);
    ordo_status (*scan)(void *state, const ordo_scan_job *job, ordo_exec *exec);
    size_t (*scan_scratch)(const ordo_scan_job *job, const ordo_exec *exec);
    ordo_status (*scan_bits)(void *state, const ordo_bits_job *job, ordo_exec *exec);
    size_t (*scan_bits_scratch)(const ordo_bits_job *job, const ordo_exec *exec);
    ordo_status (*partition)(void *state, const ordo_partition_job *job, ordo_exec *exec);
    size_t (*partition_scratch)(const ordo_partition_job *job, const ordo_exec *exec);
    ordo_status (*is_sorted)(void *state, const ordo_order_job *job, ordo_exec *exec);
    ordo_status (*radius)(void *state, const ordo_radius_job *job, ordo_exec *exec);
    size_t (*radius_scratch)(const ordo_radius_job *job, const ordo_exec *exec);
    ordo_status (*runs)(void *state, const ordo_runs_job *job, ordo_exec *exec);
    ordo_status (*copy)(void *state, const ordo_copy_job *job, ordo_exec *exec);
    void (*divide)(void *state, const ordo_divide_job *job);

    /* Of backends with memory of their own; NULL elsewhere. */
    void (*devices)(char *text, size_t size); /* a line for every device there is */
    ordo_status (*reserve)(void *state, size_t bytes, ordo_exec *exec);
    size_t (*held)(const void *state); /* bytes of device memory */
    ordo_status (*search)(void *state, const ordo_search_job *job, ordo_exec *exec);
    ordo_status (*pack)(void *state, const ordo_pack_job *job, ordo_exec *exec);
    const ordo_link *link; /* NULL: arrays cannot be streamed */
    /* Of arrays on the device; and the bytes of job->work, whatever the part. */
    ordo_status (*put_ranks)(void *state, const ordo_put_job *job, ordo_exec *exec);
    size_t (*put_ranks_work)(const ordo_put_job *job);
} ordo_backend;

typedef const ordo_backend *ordo_backend_entry(uint32_t abi);

const ordo_backend *ordo_cpu_backend(void);

/* lib/hybrid: two backends as one, whose state is an ordo_both. Its name is "cuda" where the CPU
 * only brings the arrays, "hybrid" where it sorts a share of them. */
typedef struct ordo_both {
    const ordo_backend *cpu, *device;
    void               *cpu_state, *device_state;
    bool                keep;  /* the CPU does what the device fails at, in place from a copy */
    double              share; /* of the records that the CPU sorts; 0: as predicted; < 0: none */
    bool                packs; /* the CPU unpacks results that the device packs for the link */
} ordo_both;

/* Whether a device failed for a reason that does not concern the CPU. */
static inline bool ordo_device_gave_up(ordo_status status)
{
    return status == ORDO_E_DEVICE || status == ORDO_E_NOMEM || status == ORDO_E_UNSUPPORTED;
}

/* Prepares exec for the CPU, which repeats a job that failed on a device with this status. */
static inline void ordo_restart_on_cpu(ordo_exec *exec, const char *isa, ordo_status failed)
{
    memset(&exec->facts, 0, sizeof exec->facts);
    exec->facts.device_status = failed;
    exec->isa = isa;
    exec->phase = 0;
    exec->phases = 1;
}

const ordo_backend *ordo_stream_backend(void);
const ordo_backend *ordo_hybrid_backend(void);

#endif
