/* sample.h - one device's part of the hybrid sample sort: its steps, and the slots of a device.
 *
 * The sort moves records: key bits (core/keybits.h, one-to-one) of 4 or 8 bytes, or, where an index
 * goes with the key, key bits with ties folded above the index: in one word of 8 bytes (keys of at
 * most 4 bytes, n at most 2^32), else as two words of 8 bytes. No two records with an index are
 * equal. The index of a pair finds its value at the end. Splitters divide the records into 2 * 2^lg
 * buckets: bucket 2 i holds the records between splitters i - 1 and i, bucket 2 i + 1 those equal
 * to splitter i, which need no sort.
 *
 * lib/papers/hybrid runs the steps on every device; the sample sorts of the CPU and of the GPU
 * alone consist of the same functions. All arrays are in the memory of the backend. */
#ifndef ORDO_BACKEND_SAMPLE_H
#define ORDO_BACKEND_SAMPLE_H

#include "backend/exec.h"

typedef enum ordo_sample_step {
    ORDO_SAMPLE_SPLIT,   /* I: chooses splitters from all keys; only the CPU */
    ORDO_SAMPLE_LABEL,   /* I: turns keys into records and labels each with its bucket */
    ORDO_SAMPLE_COUNT,   /* II: histogram of the labels */
    ORDO_SAMPLE_SCATTER, /* III: moves the records of each bucket together */
    ORDO_SAMPLE_PLACE,   /* III: moves records of other devices to their buckets; not the CPU */
    ORDO_SAMPLE_SORT,    /* IV: sorts the device's buckets; large ones by the same phases */
    ORDO_SAMPLE_RESULT,  /* turns sorted records into keys, or indices */
    ORDO_SAMPLE_VALUES   /* looks up the values of sorted records */
} ordo_sample_step;

typedef struct ordo_sample_job {
    ordo_sample_step step;
    ordo_type        type;
    bool             descending;
    bool             indexed;
    size_t           value_size;  /* of the values of pairs; 0: none */
    size_t           record_size; /* 4, 8 or 16 */
    unsigned         lg;          /* lg of the leaves of the tree */
    bool             intervals;   /* SPLIT: the splitters are keys at intervals of sqrt(n) */

    /* The device's part of the input: n keys, whose first has the index `first`. On the CPU LABEL,
     * COUNT and SCATTER work on the calling thread, so n is the length of a small piece. */
    size_t      n, first;
    const void *keys;
    const void *values;    /* VALUES: the values of all indices */
    void       *splitters; /* 2^lg - 1 records in ascending order; those that are missing are the
                            * last, with all bits set */
    void       *records;   /* LABEL writes n records, SCATTER reads them; SORT: scratch */
    uint16_t   *labels;    /* the same */
    uint64_t   *counts;    /* COUNT writes the number of records in each bucket */

    /* Buckets [bucket_first, bucket_end) stay here: SCATTER writes even ones to `scattered`, odd
     * ones to `finished`. The records of other buckets go to `outbox`. places has the place of each
     * bucket's first record in its array. On the CPU all these arrays may be the same. */
    size_t          bucket_first, bucket_end;
    const uint64_t *places;
    void           *scattered, *finished, *outbox;

    /* PLACE moves inbox[0 .. inbox_n) to its buckets, with the same rule. Inbox records [from[b],
     * from[b + 1]) belong to bucket b and go to [to[b], ...). */
    const void     *inbox;
    size_t          inbox_n;
    const uint64_t *from, *to;

    /* SORT: bucket b of `scattered` and `finished` is [starts[b], starts[b + 1]), for the buckets
     * of one group; `owned` is the number of records of all groups. The result is in `finished`.
     * The CPU sorts one bucket: `owned` records in `scattered`. */
    const uint64_t *starts;
    size_t          owned;

    /* RESULT and VALUES read finished[0 .. owned). */
    void     *result;        /* RESULT: keys, or indices if `indexed` without values */
    void     *result_values; /* VALUES */
    ordo_type index_type;    /* U32, U64 */

    void *work; /* bytes of the slot `work`, which must be kept from COUNT to SCATTER */
} ordo_sample_job;

typedef struct ordo_sample_slots {
    /* Queues one step. */
    ordo_status (*step)(void *state, const ordo_sample_job *job, ordo_exec *exec);
    /* The bytes of job->work for parts of at most job->n and job->owned records. */
    size_t (*work)(const ordo_sample_job *job);
} ordo_sample_slots;

/* Whether the caller named a sample sort. */
static inline bool ordo_names_sample(uint32_t algorithm)
{
    return algorithm == ORDO_ALGORITHM_SAMPLE || algorithm == ORDO_ALGORITHM_INTERVALS;
}

/* Reports the labels of n records, of which the CPU labelled the first `cpu_n`, if they are few. A
 * greatest record may have the label of a missing splitter, but it equals none. */
static inline void ordo_sample_keep_pass(ordo_facts *facts, const uint16_t *labels, size_t n,
                                         size_t cpu_n, size_t splitters)
{
    facts->pass_n = n <= ORDO_PASS_MOST ? (uint32_t)n : 0;
    facts->pass_cpu = facts->pass_n == 0 ? 0 : (uint32_t)cpu_n;
    for (size_t i = 0; i < facts->pass_n; i++)
        facts->pass_labels[i] = (uint16_t)ordo_min(labels[i], 2 * splitters);
}

/* Adds the seconds in which only the CPU computes to the times of a phase. */
static inline void ordo_sample_add_cpu(ordo_facts *facts, unsigned phase, double seconds)
{
    facts->sample_seconds[phase] += seconds;
    facts->cpu_seconds[phase] += seconds;
    facts->device_idle_seconds += seconds;
}

#endif
