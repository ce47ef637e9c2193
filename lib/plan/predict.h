/* predict.h - predicts the time of a job on host arrays on the CPU, on a GPU and on both, from the
 * costs of a calibration. Keys are assumed to be in random order, unless a look at them
 * (look_keys.c) finds another order.
 *
 *   CPU      keys x cost of one thread / threads, plus the cost of a call. The cost of one thread
 *            rises with the number of threads, because they share the memory. Strings: the cost of
 *            one string, plus a cost for each further read, estimated from a sample
 *            (look_strings.c).
 *   GPU      bytes / rate of the link, plus the cost of a call. In streamed jobs the copies hide
 *            the work of the GPU; in others it is part of the measured rate.
 *   hybrid   a part of the streamed time, as measured with the best share for the CPU. */
#ifndef ORDO_PLAN_PREDICT_H
#define ORDO_PLAN_PREDICT_H

#include "plan/calibration.h"
#include "plan/tuning.h"

/* The properties of a job that predictions need. cpu_ns == 0: never worth the copy to a GPU. */
typedef struct ordo_load {
    double cpu_ns;     /* of one thread, for the whole job, from the built-in costs */
    double link_bytes; /* in both directions */
    /* For calibrated costs: n times the costs of a key, of its index or rank, and of value_size
     * bytes. key == COST_NONE: only cpu_ns is known. */
    size_t       n;
    size_t       value_size;
    size_t       record_bytes; /* of all records if the job can be streamed, else 0 */
    ordo_cost_id key, with;
    /* Strings (key is COST_CPU_STRING): average number of further reads, and the work of the
     * threads for the whole job if a GPU sorts. */
    double         further;
    double         host_ns;
    ordo_algorithm algorithm; /* that the caller named, or AUTO */
    bool           segmented; /* a GPU does the job alone, on copies of the whole arrays */
    /* The keys, if their order may change the algorithm of the CPU; else NULL. */
    const void *keys;
    ordo_type   type;
    bool        descending;
} ordo_load;

/* Lets AUTO look at the keys before it gives the job to a GPU. */
static inline void ordo_load_look(ordo_load *load, ordo_type type, const void *keys,
                                  bool descending)
{
    load->keys = keys;
    load->type = type;
    load->descending = descending;
}

ordo_load ordo_load_sort(ordo_type type, size_t n, size_t value_size);
ordo_load ordo_load_argsort(ordo_type type, size_t n, ordo_type index_type);
ordo_load ordo_load_rank(ordo_type type, size_t n, ordo_type rank_type);
/* Checked strings; NULL: unknown, assumed to be short. `copied`: bytes of strings that the job
 * moves. */
ordo_load ordo_load_strings(const ordo_strings *strings, size_t n, uint64_t copied, uint64_t seed);

/* look_strings.c: how much of the strings a sort must read. */
typedef struct ordo_string_look {
    /* Average cost of the reads beyond the first key of a string, in reads. Groups get smaller with
     * every key, so the cost grows with the logarithm of the bytes. */
    double further;
    double common; /* length of the common prefix of all strings, estimated */
} ordo_string_look;

/* For checked strings. Draws at most 1024 of them with the seed and reads at most 1 KB of each. */
ordo_string_look ordo_look_at_strings(const ordo_strings *strings, size_t n, uint64_t seed);

/* look_keys.c: the order that the keys of a load are probably in. */
typedef enum ordo_key_order {
    KEYS_UNORDERED,
    KEYS_ORDERED, /* rising or falling */
    KEYS_NEARLY_RISING
} ordo_key_order;

ordo_key_order ordo_look_at_keys(const ordo_load *load, uint64_t seed);

typedef struct ordo_forecast { /* seconds; 0: not predicted, or not possible */
    double cpu, device, hybrid;
} ordo_forecast;

/* Whether one thread of the CPU sorts the array inside its cache. */
static inline bool ordo_is_small(const ordo_load *load)
{
    if (load->key == COST_CPU_STRING)
        return load->n <= ORDO_TUNE_STRINGS_LARGE;
    return (load->record_bytes != 0 ? (double)load->record_bytes : load->link_bytes) <=
           ORDO_RADIX_ALONE;
}

/* Whether the CPU takes so long, by the built-in costs, that the choice of the backend matters. The
 * products of a small job are exact: a rounding would raise the inexact flag, which every call then
 * restores. ordo_sort of 16 keys took 60 ns more (Sapphire Rapids, November 2026). */
static inline bool ordo_worth_weighing(const ordo_load *load, unsigned threads)
{
    if (ordo_is_small(load))
        return load->cpu_ns * STANDARD_CPU_SMALL > ORDO_TUNE_WEIGH_LEAST * 1e5;
    double const call = STANDARD_CPU_CALL * 1e3 * (threads - 1.0) / (STANDARD_THREADS - 1);
    return load->cpu_ns / (double)threads + call > ORDO_TUNE_WEIGH_LEAST * 1e3;
}

static inline bool ordo_is_streamed(const ordo_load *load)
{
    return !load->segmented && load->record_bytes >= ORDO_TUNE_STREAM_LEAST;
}

ordo_forecast ordo_predict(const ordo_calibration *c, const ordo_load *load, unsigned threads);

#endif
