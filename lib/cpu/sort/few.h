/* few.h - sorts of a few keys on the stack, without scratch, threads or a look; few.c */
#ifndef ORDO_CPU_SORT_FEW_H
#define ORDO_CPU_SORT_FEW_H

#include "backend/exec.h"
#include "backend/job.h"

/* Each sorts if the keys are few enough, and says whether they were; it cannot fail. */
bool cpu_few_sort(const ordo_sort_job *job, ordo_exec *exec);
bool cpu_few_argsort(const ordo_argsort_job *job, ordo_exec *exec);
bool cpu_few_pairs(const ordo_pairs_job *job, ordo_exec *exec);

#endif
