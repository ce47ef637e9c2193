/* rough.h - sorts of keys that lie near their places. sort_rough.c, measure_radius.c */
#ifndef ORDO_CPU_ROUGH_ROUGH_H
#define ORDO_CPU_ROUGH_ROUGH_H

#include "cpu/radix/records.h"
#include "cpu/rough/order_loops.h"

/* Phases of progress that measuring goes through at most; the caller sets exec->phases. */
enum {
    CPU_RADIUS_PHASES = 4
};

/* An array whose order is measured: keys read as key bits, or an array of records. */
typedef struct order_view {
    radix_io           io;    /* of records_of_order */
    const order_loops *loops; /* for k32 and k64 */
} order_view;

/* The radius: the least r such that records more than r places apart are in order.
 * measure_radius.c */
ordo_status cpu_order_radius(const order_view *view, size_t *radius, ordo_exec *exec);
ordo_status cpu_records_radius(const cpu_records *records, size_t *radius, ordo_exec *exec);
size_t      cpu_records_radius_scratch(enum record_kind kind, size_t n);
/* The radius of the keys in the total order of a sort of keys alone, in which -0 and +0, and NaNs
 * of different bits, do not tie: never below what ordo_radius gives. */
ordo_status cpu_radius_bits(const ordo_sort_job *job, size_t *radius, ordo_exec *exec);

/* Sorts job->keys, given that their radius in that order is at most `radius`. *sorted tells whether
 * they are in order now: if not, the radius was larger, and they are a permutation of what they
 * were. After any error *sorted is false; ORDO_E_NOMEM comes before a key is moved. job->algorithm
 * and job->radius do not matter. */
ordo_status cpu_rough_try(const ordo_sort_job *job, size_t radius, bool *sorted, ordo_exec *exec);
/* For that radius or any smaller one. */
size_t cpu_rough_try_scratch(const ordo_sort_job *job, size_t radius, unsigned threads);

/* Sorts job->keys whatever their radius: `radius` is what the caller takes it for, 0 to have it
 * measured. */
ordo_status cpu_sort_rough(const ordo_sort_job *job, size_t radius, ordo_exec *exec);
size_t      cpu_sort_rough_scratch(const ordo_sort_job *job, unsigned threads);

/* The same for whole records. */
ordo_status cpu_records_rough(const cpu_records *records, size_t radius, ordo_exec *exec);
size_t      cpu_records_rough_scratch(enum record_kind kind, size_t n, unsigned threads);

#endif
