/* columns.h - the key bits of a column, for the sort of rows and for groups. lexsort.c */
#ifndef ORDO_CPU_COLUMNS_COLUMNS_H
#define ORDO_CPU_COLUMNS_COLUMNS_H

#include "cpu/base/cpu.h"

/* The least and the largest key bits of n rows, n > 0. */
ordo_status columns_extent(const cpu_kernels *kernels, const ordo_key_column *column, size_t n,
                           ordo_exec *exec, uint64_t *least, uint64_t *most);

/* Collects the keys of each group. collect_groups.c */
ordo_status cpu_collect(void *state, ordo_collect_job *job, ordo_exec *exec);

#endif
