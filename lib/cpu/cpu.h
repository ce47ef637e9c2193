/* cpu.h - the operations of the CPU backend, and what they share. */
#ifndef ORDO_CPU_CPU_H
#define ORDO_CPU_CPU_H

#include "core/exec.h"
#include "cpu/kernels.h"
#include "plan/job.h"

/* The kernels for an ISA by name, NULL for the best one this CPU has; NULL if it cannot run. */
const cpu_kernels *cpu_isa_choose(const char *name);
/* Every ISA this build and CPU could use, blank-separated. */
const char *cpu_isa_all(void);

ordo_status cpu_rank_sorted(const cpu_kernels *kernels, const ordo_rank_job *job, ordo_exec *exec);
ordo_status cpu_rank_paper(const ordo_rank_job *job, ordo_exec *exec);
size_t      cpu_rank_scratch(const ordo_rank_job *job, unsigned threads);
ordo_status cpu_scan(const cpu_kernels *kernels, const ordo_scan_job *job, ordo_exec *exec);
ordo_status cpu_scan_bits(const cpu_kernels *kernels, const ordo_bits_job *job, ordo_exec *exec);
ordo_status cpu_partition(const cpu_kernels *kernels, const ordo_partition_job *job,
                          ordo_exec *exec);
size_t      cpu_partition_scratch(const ordo_partition_job *job, unsigned threads);
ordo_status cpu_is_sorted(const ordo_order_job *job, ordo_exec *exec);
ordo_status cpu_copy(const ordo_copy_job *job, ordo_exec *exec);

/* The items of one piece of a loop over n: the whole array if it is small, so that small calls
 * wake no thread. */
size_t cpu_grain(size_t n);

/* Whether a result of that many bytes is better written past the cache. */
bool cpu_streams(size_t bytes);

static inline ordo_status cpu_done(bool finished) { return finished ? ORDO_OK : ORDO_E_CANCELLED; }

#endif
