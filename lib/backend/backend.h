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
#include "backend/job.h"
#include "backend/link.h"
#include "backend/papers.h"
#include "backend/sample.h"
#include "backend/segments.h"
#include "backend/text.h"

#include <string.h>

#define ORDO_BACKEND_ABI 22u
#define ORDO_BACKEND_ENTRY "ordo_backend_table"

enum {
    ORDO_MOST_DEVICES = 8
};

/* X(slot, job): the verbs that also say how many bytes of scratch they take for a job, at most.
 *
 * Without has_segments `segments` does a job on every segment by the other slots of this backend.
 * Whole calls are for backends whose scratch the caller of a slot cannot use: lexrank, groups and
 * weighted_groups. In other backends they are NULL, and the caller combines lexsort and
 * place_ranks. put_ranks is for arrays on the device. */
#define ORDO_SIZED_SLOTS(X)                                                                        \
    X(sort, ordo_sort_job)                                                                         \
    X(sort_pairs, ordo_pairs_job)                                                                  \
    X(argsort, ordo_argsort_job)                                                                   \
    X(rank, ordo_rank_job)                                                                         \
    X(rank_sorted, ordo_rank_sorted_job)                                                           \
    X(select, ordo_select_job)                                                                     \
    X(topk, ordo_topk_job)                                                                         \
    X(nth, ordo_nth_job)                                                                           \
    X(scan, ordo_scan_job)                                                                         \
    X(scan_bits, ordo_bits_job)                                                                    \
    X(partition, ordo_partition_job)                                                               \
    X(radius, ordo_radius_job)                                                                     \
    X(moving, ordo_moving_job)                                                                     \
    X(weighted, ordo_weighted_job)                                                                 \
    X(unique, ordo_unique_job)                                                                     \
    X(sort_records, ordo_records_job)                                                              \
    X(lexsort, ordo_lexsort_job)                                                                   \
    X(place_ranks, ordo_place_job)                                                                 \
    X(lexrank, ordo_lexrank_job)                                                                   \
    X(groups, ordo_groups_job)                                                                     \
    X(segments, ordo_segments_job)

/* X(slot, job): the verbs that do not. */
#define ORDO_OTHER_SLOTS(X)                                                                        \
    X(is_sorted, ordo_order_job)                                                                   \
    X(runs, ordo_runs_job)                                                                         \
    X(count_nans, ordo_count_job)                                                                  \
    X(sort_by, ordo_by_job)                                                                        \
    X(argsort_strings, ordo_strings_job)                                                           \
    X(rank_strings, ordo_string_rank_job)                                                          \
    X(select_strings, ordo_string_select_job)                                                      \
    X(sort_strings, ordo_string_copy_job)                                                          \
    X(sort_pointers, ordo_pointers_job)                                                            \
    X(places, ordo_needles_job)                                                                    \
    X(search, ordo_search_job)                                                                     \
    X(move, ordo_move_job)                                                                         \
    X(copy, ordo_copy_job)                                                                         \
    X(permute, ordo_permute_job)                                                                   \
    X(pack, ordo_pack_job)                                                                         \
    X(put_ranks, ordo_put_job)                                                                     \
    X(weighted_groups, ordo_weighted_groups_job)

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

#define ORDO_SLOT(slot, job) ordo_status (*slot)(void *state, const job *, ordo_exec *exec);
#define ORDO_SCRATCH_SLOT(slot, job) size_t (*slot##_scratch)(const job *, const ordo_exec *exec);
    ORDO_SIZED_SLOTS(ORDO_SLOT)
    ORDO_SIZED_SLOTS(ORDO_SCRATCH_SLOT)
    ORDO_OTHER_SLOTS(ORDO_SLOT)
#undef ORDO_SCRATCH_SLOT
#undef ORDO_SLOT
    ordo_status (*collect)(void *state, ordo_collect_job *job, ordo_exec *exec);
    void (*divide)(void *state, const ordo_divide_job *job);
    size_t (*band)(void *state, const ordo_band_job *job); /* keys in the band; CPU only */
    /* Parts of jobs on segments, without scratch: many short rows by one thread. */
    void (*sort_rows)(void *state, const ordo_rows_job *job);
    void (*scan_rows)(void *state, const ordo_scan_job *job, size_t rows); /* rows of job->n */

    /* Backends with their own memory; NULL in others. */
    void (*devices)(char *text, size_t size); /* one line per device */
    ordo_status (*reserve)(void *state, size_t bytes, ordo_exec *exec);
    size_t (*held)(const void *state);                 /* bytes of device memory */
    size_t (*sms)(const void *state);                  /* multiprocessors in use */
    const ordo_link *link;                             /* NULL: host arrays cannot be streamed */
    size_t (*put_ranks_work)(const ordo_put_job *job); /* bytes of job->work, for all parts */
    size_t most_sub_array; /* keys of a sub-array of a selection; 0: any number */
    bool   has_segments;   /* the slots take jobs whose `segments` is not NULL; see `segments` */
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
