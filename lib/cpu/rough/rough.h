/* rough.h - measures of order, and sorts of keys that are near their sorted places. */
#ifndef ORDO_CPU_ROUGH_ROUGH_H
#define ORDO_CPU_ROUGH_ROUGH_H

#include "cpu/radix/records.h"
#include "cpu/rough/order_loops.h"

/* The largest number of progress phases of a measurement; the caller sets exec->phases. */
enum {
    CPU_RADIUS_PHASES = 4
};

/* An array whose order is measured: keys read as key bits, or an array of records. */
typedef struct order_view {
    radix_io           io;    /* from records_of_order */
    const order_loops *loops; /* for records of kind K32 and K64 */
} order_view;

/* Sets *radius to the least r such that any two records more than r places apart are in order.
 * measure.c */
ordo_status cpu_order_radius(const order_view *view, size_t *radius, ordo_exec *exec);
ordo_status cpu_records_radius(const cpu_records *records, size_t *radius, ordo_exec *exec);
size_t      cpu_records_radius_scratch(enum record_kind kind, size_t n);
/* The radius in the total order of a keys-only sort, where -0 and +0, and NaNs of different bits,
 * do not tie. This radius is never less than the result of ordo_radius. */
ordo_status cpu_radius_bits(const cpu_kernels *kernels, const ordo_sort_job *job, size_t *radius,
                            ordo_exec *exec);

/* Finds the radius by the sequences LR, RL and DM, and writes these to the arrays of the job that
 * are not NULL. SEQUENTIAL: on one thread. sequences.c */
ordo_status cpu_sequences(const ordo_radius_job *job, ordo_exec *exec);
size_t      cpu_sequences_scratch(const ordo_radius_job *job);

/* Sorts job->keys, of 4 or 8 bytes each, if their radius is at most `radius`. If the radius is
 * larger, *sorted is false, and the keys are permuted but not sorted. After any error *sorted is
 * false; ORDO_E_NOMEM is returned before a key is moved. job->algorithm and job->radius are
 * ignored. sort_rough.c */
ordo_status cpu_rough_try(const cpu_kernels *kernels, const ordo_sort_job *job, size_t radius,
                          bool *sorted, ordo_exec *exec);
/* The scratch for this radius and any smaller one. */
size_t cpu_rough_try_scratch(const ordo_sort_job *job, size_t radius, unsigned threads);

/* Sorts whole records of any radius. `radius` is the caller's estimate; 0: measure the radius.
 * sort_rough.c */
ordo_status cpu_records_windows(const cpu_records *records, const cpu_kernels *kernels,
                                size_t radius, ordo_exec *exec);
size_t      cpu_records_windows_scratch(enum record_kind kind, size_t n, unsigned threads);

#endif
