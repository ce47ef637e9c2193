/* narrow.h - keys of 8 and 16 bits: how often each value occurs, and sorts in place. */
#ifndef ORDO_CPU_RADIX_NARROW_H
#define ORDO_CPU_RADIX_NARROW_H

#include "cpu/cpu.h"

ordo_status cpu_sort_narrow(const ordo_sort_job *job, ordo_exec *exec);
/* The same on one thread, with no scratch. */
ordo_status cpu_narrow_inplace(const ordo_sort_job *job, ordo_exec *exec);
/* (*starts)[v] = how many keys come before the v-th value in order; [2^8] or [2^16] is n. Lies in
 * scratch. */
ordo_status cpu_narrow_count(ordo_type type, const void *keys, size_t n, bool descending,
                             const size_t **starts, ordo_exec *exec);
/* What counting takes, and all that the first sort does. */
size_t cpu_narrow_scratch(ordo_type type, size_t n, unsigned threads);

#endif
