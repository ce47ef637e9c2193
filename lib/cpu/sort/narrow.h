/* narrow.h - keys of 8 and 16 bits, in place. */
#ifndef ORDO_CPU_SORT_NARROW_H
#define ORDO_CPU_SORT_NARROW_H

#include "cpu/cpu.h"

ordo_status cpu_sort_narrow(const ordo_sort_job *job, ordo_exec *exec);
/* The same on one thread, with no scratch. */
ordo_status cpu_narrow_inplace(const ordo_sort_job *job, ordo_exec *exec);
size_t      cpu_narrow_scratch(ordo_type type, size_t n, unsigned threads);

#endif
