/* cpu_runs.h - runs of equal keys, for a type known only at run time; see core/search.t.h. */
#ifndef ORDO_CPU_RANK_CPU_RUNS_H
#define ORDO_CPU_RANK_CPU_RUNS_H

#include "core/base.h"

bool   cpu_same_run(ordo_type type, const void *keys, size_t i, size_t j);
size_t cpu_run_start(ordo_type type, const void *keys, size_t i);
size_t cpu_run_end(ordo_type type, const void *keys, size_t n, size_t i);
size_t cpu_nan_start(ordo_type type, const void *keys, size_t n);

#endif
