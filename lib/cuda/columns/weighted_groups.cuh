/* weighted_groups.cuh - the device verbs of weights: quantiles of groups (dev_groups.cu), quantiles
 * and ranks of an array and of its segments (dev_weighted.cu). */
#ifndef ORDO_CUDA_COLUMNS_WEIGHTED_GROUPS_H
#define ORDO_CUDA_COLUMNS_WEIGHTED_GROUPS_H

#include "backend/job.h"
#include "cuda/runtime/cuda_rt.cuh"

/* ORDO_E_ARG: the sum of the weights is too large. On a device a weight may also be refused. */
static inline ordo_status weights_too_large(cuda_call *call, bool is_float)
{
    return ordo_fail(call->exec, ORDO_E_ARG, "%sthe sum of the weights is %s",
                     call->exec->on_device ? "a weight is not a finite number of at least 0, or "
                                           : "",
                     is_float ? "not finite" : "2^63 or more");
}

size_t      dev_weighted_groups_scratch(const ordo_weighted_groups_job *job);
ordo_status dev_weighted_groups(cuda_call *call, const ordo_weighted_groups_job *job);

size_t      dev_weighted_scratch(const ordo_weighted_job *job);
ordo_status dev_weighted(cuda_call *call, const ordo_weighted_job *job);

#endif
