/* columns.h - the key bits of a column, for the sort of rows and for groups. lexsort.c */
#ifndef ORDO_CPU_COLUMNS_COLUMNS_H
#define ORDO_CPU_COLUMNS_COLUMNS_H

#include "backend/groups.h"
#include "cpu/base/cpu.h"

/* The least and the largest key bits of n rows, n > 0. */
ordo_status columns_extent(const ordo_key_column *column, size_t n, ordo_exec *exec,
                           uint64_t *least, uint64_t *most);
/* codes[i] = the key bits of row first + i, less the least ones. */
void columns_codes(const ordo_key_column *column, uint64_t least, size_t first, size_t count,
                   uint64_t *codes);

/* Collects the keys of each group. collect_groups.c */
ordo_status cpu_collect(void *state, ordo_collect_job *job, ordo_exec *exec);

#endif
