/* backend.h - the interface of a backend: one table of functions.
 *
 * A backend gets a job with checked arguments and an ordo_exec with threads, scratch, cancellation
 * and errors. A NULL slot means that the backend does not have that operation. An operation may
 * have a scratch slot beside it, which returns an upper bound of the bytes it takes for the job,
 * from exec->scratch (CPU) or from device memory; a scratch slot reads no array and starts no work.
 *
 * A backend in its own shared object exports one function, ORDO_BACKEND_ENTRY, of type
 * ordo_backend_entry. The function gets the ABI number of the caller and returns the table, or NULL
 * if it was built for another ABI. */
#ifndef ORDO_BACKEND_BACKEND_H
#define ORDO_BACKEND_BACKEND_H

#include "backend/dist.h"
#include "backend/exec.h"
#include "backend/groups.h"
#include "backend/job.h"
#include "backend/link.h"
#include "backend/papers.h"
#include "backend/sample.h"
#include "backend/segments.h"
#include "backend/sets.h"
#include "backend/text.h"

#include <string.h>

#define ORDO_BACKEND_ABI 20u
#define ORDO_BACKEND_ENTRY "ordo_backend_table"

enum {
    ORDO_MOST_DEVICES = 8
};

typedef struct ordo_backend_wishes { /* options of the context that concern backends */
    const char *isa;                 /* NULL: the fastest one */
    size_t      device;              /* counted from 1; 0: the first usable one */
    size_t      device_limit;        /* bytes of device memory; 0: no limit */
    size_t      device_sms;          /* multiprocessors to use, at least; 0: all */
    unsigned    threads;             /* of each call */
    double      cpu_share;           /* of a hybrid sort; 0: as predicted; < 0: no share */
    /* Devices of the sample sort, counted from 1, and their shares; device_count 0: only
     * `device`. */
    ordo_device_share devices[ORDO_MOST_DEVICES];
    size_t            device_count;
} ordo_backend_wishes;

typedef struct ordo_backend {
    uint32_t    abi; /* ORDO_BACKEND_ABI, else the backend is rejected */
    uint32_t    struct_size;
    const char *name; /* "cpu" */

    /* Opens the backend; on failure `why` (why_size bytes) gets the reason. */
    ordo_status (*open)(void **state, const ordo_backend_wishes *wishes, char *why,
                        size_t why_size);
    void (*close)(void *state);
    const char *(*isa)(const void *state);     /* in use */
    const char *(*isa_all)(const void *state); /* all usable ones, separated by blanks */

    ordo_status (*sort)(void *state, const ordo_sort_job *job, ordo_exec *exec);
    size_t (*sort_scratch)(const ordo_sort_job *job, const ordo_exec *exec);
    ordo_status (*sort_pairs)(void *state, const ordo_pairs_job *job, ordo_exec *exec);
    size_t (*sort_pairs_scratch)(const ordo_pairs_job *job, const ordo_exec *exec);
    ordo_status (*argsort)(void *state, const ordo_argsort_job *job, ordo_exec *exec);
    size_t (*argsort_scratch)(const ordo_argsort_job *job, const ordo_exec *exec);
    ordo_status (*sort_by)(void *state, const ordo_by_job *job, ordo_exec *exec);
    ordo_status (*rank)(void *state, const ordo_rank_job *job, ordo_exec *exec);
    size_t (*rank_scratch)(const ordo_rank_job *job, const ordo_exec *exec);
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
    ordo_status (*rank_sorted)(void *state, const ordo_rank_sorted_job *job, ordo_exec *exec);
    size_t (*rank_sorted_scratch)(const ordo_rank_sorted_job *job, const ordo_exec *exec);
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
    size_t (*band)(void *state, const ordo_band_job *job); /* keys in the band; CPU only */
    ordo_status (*permute)(void *state, const ordo_permute_job *job, ordo_exec *exec);

    /* Backends with their own memory; NULL in others. */
    void (*devices)(char *text, size_t size); /* one line per device */
    ordo_status (*reserve)(void *state, size_t bytes, ordo_exec *exec);
    size_t (*held)(const void *state); /* bytes of device memory */
    size_t (*sms)(const void *state);  /* multiprocessors in use */
    ordo_status (*search)(void *state, const ordo_search_job *job, ordo_exec *exec);
    ordo_status (*pack)(void *state, const ordo_pack_job *job, ordo_exec *exec);
    const ordo_link *link; /* NULL: host arrays cannot be streamed */
    /* For arrays on the device; and the bytes of job->work, the same for all parts. */
    ordo_status (*put_ranks)(void *state, const ordo_put_job *job, ordo_exec *exec);
    size_t (*put_ranks_work)(const ordo_put_job *job);
    size_t most_sub_array; /* keys of a sub-array of a selection; 0: any number */
    /* The other slots take jobs whose `segments` is not NULL, and do all segments in one job. */
    bool has_segments;
    /* Without has_segments: a job on every segment, done by the other slots of this backend. */
    ordo_status (*segments)(void *state, const ordo_segments_job *job, ordo_exec *exec);
    size_t (*segments_scratch)(const ordo_segments_job *job, const ordo_exec *exec);
    /* Parts of jobs on segments, without scratch: many short rows by one thread. */
    void (*sort_rows)(void *state, const ordo_rows_job *job);
    void (*scan_rows)(void *state, const ordo_scan_job *job, size_t rows); /* rows of job->n */
    ordo_status (*sort_records)(void *state, const ordo_records_job *job, ordo_exec *exec);
    size_t (*sort_records_scratch)(const ordo_records_job *job, const ordo_exec *exec);
    ordo_status (*move)(void *state, const ordo_move_job *job, ordo_exec *exec);
    ordo_status (*lexsort)(void *state, const ordo_lexsort_job *job, ordo_exec *exec);
    size_t (*lexsort_scratch)(const ordo_lexsort_job *job, const ordo_exec *exec);
    ordo_status (*place_ranks)(void *state, const ordo_place_job *job, ordo_exec *exec);
    size_t (*place_ranks_scratch)(const ordo_place_job *job, const ordo_exec *exec);
    ordo_status (*moving)(void *state, const ordo_moving_job *job, ordo_exec *exec);
    size_t (*moving_scratch)(const ordo_moving_job *job, const ordo_exec *exec);
    ordo_status (*weighted)(void *state, const ordo_weighted_job *job, ordo_exec *exec);
    size_t (*weighted_scratch)(const ordo_weighted_job *job, const ordo_exec *exec);
    /* Whole calls, for backends whose scratch the caller of a slot cannot use. In other backends
     * these slots are NULL, and the caller combines lexsort and place_ranks. */
    ordo_status (*lexrank)(void *state, const ordo_lexrank_job *job, ordo_exec *exec);
    size_t (*lexrank_scratch)(const ordo_lexrank_job *job, const ordo_exec *exec);
    ordo_status (*groups)(void *state, const ordo_groups_job *job, ordo_exec *exec);
    size_t (*groups_scratch)(const ordo_groups_job *job, const ordo_exec *exec);
    ordo_status (*weighted_groups)(void *state, const ordo_weighted_groups_job *job,
                                   ordo_exec *exec);
    ordo_status (*weighted_segments)(void *state, const ordo_weighted_segments_job *job,
                                     ordo_exec *exec);
    size_t (*weighted_segments_scratch)(const ordo_weighted_segments_job *job,
                                        const ordo_exec                  *exec);
    ordo_status (*nth)(void *state, const ordo_nth_job *job, ordo_exec *exec);
    size_t (*nth_scratch)(const ordo_nth_job *job, const ordo_exec *exec);
    ordo_status (*collect)(void *state, ordo_collect_job *job, ordo_exec *exec);
    ordo_status (*unique)(void *state, const ordo_unique_job *job, ordo_exec *exec);
    size_t (*unique_scratch)(const ordo_unique_job *job, const ordo_exec *exec);
    ordo_status (*places)(void *state, const ordo_needles_job *job, ordo_exec *exec);
    const ordo_sample_slots *sample; /* NULL: the device has no part in the hybrid sample sort */
    const ordo_text_slots *text; /* NULL: lib/text does these calls with the sorts of the backend */
    const ordo_dist_slots *dist; /* NULL: arrays on the device cannot be divided over ranks */

    const ordo_path *(*path_at)(size_t i); /* path i of all tables; NULL: there are fewer */
} ordo_backend;

typedef const ordo_backend *ordo_backend_entry(uint32_t abi);

const ordo_backend *ordo_cpu_backend(void);

/* lib/hybrid: two backends used as one; the state is an ordo_both. The backend is named "cuda" if
 * the CPU only copies the arrays, and "hybrid" if the CPU sorts a share of the records. */
typedef struct ordo_part { /* one of several devices, and its share of the records */
    const ordo_backend *device;
    void               *state;
    double              share;
} ordo_part;

typedef struct ordo_both {
    const ordo_backend *cpu, *device;
    void               *cpu_state, *device_state;
    bool                keep;  /* if the device fails, the CPU does the job; in place from a copy */
    double              share; /* of the records that the CPU sorts; 0: as predicted; < 0: none */
    bool                asked; /* the caller gave the share; it is used or the job is refused */
    bool                packs; /* the device packs keys for the link, and the CPU unpacks them */
    double              sample_share; /* the same as share, for the sample sort; at least 0 or -1 */
    const ordo_part    *parts;        /* devices of the sample sort; part_count 0: only `device` */
    size_t              part_count;
} ordo_both;

/* Whether a device failed for a reason that does not apply to the CPU. */
static inline bool ordo_device_gave_up(ordo_status status)
{
    return status == ORDO_E_DEVICE || status == ORDO_E_NOMEM || status == ORDO_E_UNSUPPORTED;
}

/* Prepares exec for the CPU, which repeats a job that failed on a device with this status. */
static inline void ordo_restart_on_cpu(ordo_exec *exec, const char *isa, ordo_status failed)
{
    memset(&exec->facts, 0, sizeof exec->facts);
    exec->facts.device_status = failed;
    exec->path = NULL;
    exec->isa = isa;
    exec->phase = 0;
    exec->phases = 1;
}

const ordo_backend *ordo_streamed_backend(void);
const ordo_backend *ordo_hybrid_backend(void);

#endif
