/* displaced.h - sorts an array of which few keys are out of place. displaced.c */
#ifndef ORDO_CPU_SORT_DISPLACED_H
#define ORDO_CPU_SORT_DISPLACED_H

#include "backend/exec.h"
#include "backend/job.h"

/* Sorts job->keys, of 4 or 8 bytes each, if few of them are out of place; *done says whether it
 * did. If not, the keys are as they were, and *room is scratch for n keys, aligned to a cache line,
 * that the next sort may use. ORDO_E_NOMEM also leaves the keys as they were. */
ordo_status cpu_sort_displaced(const ordo_sort_job *job, bool *done, void **room, ordo_exec *exec);
size_t      cpu_displaced_scratch(const ordo_sort_job *job);

#endif
