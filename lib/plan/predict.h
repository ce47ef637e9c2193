/* predict.h - how long a job on host arrays takes on the CPU, on a GPU and on both, by the figures
 * of a calibration. Keys are taken to be in random order: those that the CPU finds nearly sorted
 * take less.
 *
 *   CPU      keys x cost of one thread / threads, and the cost of a call. The cost of one thread
 *            rises from that of a thread alone to that of all threads, which share the memory.
 *            Strings: the cost of one, and more for each time that it must be read further, which a
 *            look at a few of them tells (look_strings.h).
 *   GPU      bytes / rate of the link, and the cost of a call. Work of the GPU is hidden behind the
 *            link where the array is streamed, and part of the measured rate where it is not.
 *   hybrid   a part of the streamed time, as it was measured with the best share for the CPU. */
#ifndef ORDO_PLAN_PREDICT_H
#define ORDO_PLAN_PREDICT_H

#include "plan/calibration.h"
#include "plan/tuning.h"

/* What has to be known of a job. cpu_ns == 0: never worth the way to a GPU. */
typedef struct ordo_load {
    double cpu_ns;     /* of one thread, for the whole job, by the built-in figures */
    double link_bytes; /* both ways */
    /* The same by calibrated figures: n times the cost of the key, of what comes with it, and of
     * value_size bytes. key == COST_NONE: cpu_ns is all that is known. */
    size_t       n;
    size_t       value_size;
    size_t       record_bytes; /* of all records where the job can be streamed, else 0 */
    ordo_cost_id key, with;
    /* Of strings (key is COST_CPU_STRING): how often one is read further, on average, and what the
     * threads do for the whole job even if a GPU sorts it. */
    double further;
    double host_ns;
} ordo_load;

ordo_load ordo_load_sort(ordo_type type, size_t n, size_t value_size);
ordo_load ordo_load_argsort(ordo_type type, size_t n, ordo_type index_type);
ordo_load ordo_load_rank(ordo_type type, size_t n, ordo_type rank_type);
/* Strings that have been checked, or NULL: not known, taken for short ones. `copied`: bytes of
 * strings that the job moves. */
ordo_load ordo_load_strings(const ordo_strings *strings, size_t n, uint64_t copied, uint64_t seed);

typedef struct ordo_forecast { /* seconds; 0: not predicted, or not possible */
    double cpu, device, hybrid;
} ordo_forecast;

/* Whether one thread of the CPU sorts it, in its cache. */
static inline bool ordo_is_small(const ordo_load *load)
{
    if (load->key == COST_CPU_STRING)
        return load->n <= ORDO_TUNE_STRINGS_LARGE;
    return (load->record_bytes != 0 ? (double)load->record_bytes : load->link_bytes) <=
           ORDO_TUNE_RADIX_ALONE;
}

/* Whether the CPU takes so long, by the built-in figures, that it matters who does the job. */
static inline bool ordo_worth_weighing(const ordo_load *load, unsigned threads)
{
    double const call = ORDO_TUNE_CPU_CALL * 1e3 * (threads - 1.0) / (ORDO_TUNE_CPU_THREADS - 1);
    double const ns = ordo_is_small(load) ? load->cpu_ns * ORDO_TUNE_CPU_SMALL * 1e-2
                                          : load->cpu_ns / (double)threads + call;
    return ns > ORDO_TUNE_WEIGH_LEAST * 1e3;
}

static inline bool ordo_is_streamed(const ordo_load *load)
{
    return load->record_bytes >= ORDO_TUNE_STREAM_LEAST;
}

ordo_forecast ordo_predict(const ordo_calibration *c, const ordo_load *load, unsigned threads);

#endif
