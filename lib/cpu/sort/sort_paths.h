/* sort_paths.h - the table of paths of a sort of keys on the CPU. */
#ifndef ORDO_CPU_SORT_SORT_PATHS_H
#define ORDO_CPU_SORT_SORT_PATHS_H

#include "cpu/base/cpu.h"

/* Sorts by AUTO, or by RADIX, which takes only the general rows. Keys of another array are in
 * job->keys already. */
ordo_status cpu_sort_by_path(const cpu_kernels *kernels, const ordo_sort_job *job, ordo_exec *exec);
/* Sorts keys of job->source by the rows that read them there: counting and the general rows. *done
 * stays false if a row of ordered keys applies, or if scratch is refused. */
ordo_status cpu_sort_from_by_path(const cpu_kernels *kernels, const ordo_sort_job *job, bool *done,
                                  ordo_exec *exec);
size_t      cpu_sort_path_scratch(const ordo_sort_job *job, unsigned threads);

#endif
