/* adaptive.h - a look at the array before it is sorted, and the cheapest way for what it saw. */
#ifndef ORDO_CPU_SORT_ADAPTIVE_H
#define ORDO_CPU_SORT_ADAPTIVE_H

#include "cpu/cpu.h"

/* Each sets *done if it has sorted; otherwise the array is as it was and needs the general way. */
/* *room becomes scratch for n keys that the general way may use, or NULL. */
ordo_status cpu_sort_adaptive(const cpu_kernels *kernels, const ordo_sort_job *job, bool *done,
                              void **room, ordo_exec *exec);
/* Whether a look at job->source finds some order: the same that makes cpu_sort_adaptive read on. */
bool        cpu_may_be_ordered(const cpu_kernels *kernels, const ordo_sort_job *job,
                               const ordo_exec *exec);
ordo_status cpu_argsort_adaptive(const ordo_argsort_job *job, bool *done, ordo_exec *exec);
ordo_status cpu_pairs_adaptive(const ordo_pairs_job *job, bool *done, ordo_exec *exec);
size_t      cpu_adaptive_scratch(const ordo_sort_job *job, unsigned threads);
/* What may be taken in addition, before the general way is taken. */
size_t cpu_adaptive_room(const ordo_sort_job *job);

#endif
