/* permute.h - an array put into the order an argsort found. */
#ifndef ORDO_CPU_SORT_PERMUTE_H
#define ORDO_CPU_SORT_PERMUTE_H

#include "cpu/cpu.h"

/* array[i] = the old array[index[i]], for elements of 1 to 16 bytes, through spare, which holds as
 * many. */
ordo_status cpu_permute(void *array, size_t size, const ordo_argsort_job *order, void *spare,
                        ordo_exec *exec);

#endif
