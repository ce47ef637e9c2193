/* rough.h - sorts of keys that lie near their places. sort_rough.c, measure_radius.c */
#ifndef ORDO_CPU_ROUGH_ROUGH_H
#define ORDO_CPU_ROUGH_ROUGH_H

#include "backend/exec.h"
#include "backend/job.h"

/* Phases of progress that measuring goes through at most; the caller sets exec->phases. */
enum {
    CPU_RADIUS_PHASES = 4
};

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

#endif
