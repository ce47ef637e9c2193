/* weights.h - the weights of keys in the order of the keys: what weighted quantiles and weighted
 * ranks have in common. */
#ifndef ORDO_CPU_SELECT_WEIGHTS_H
#define ORDO_CPU_SELECT_WEIGHTS_H

#include "core/indices.h"
#include "core/lists.h"
#include "cpu/base/cpu.h"

typedef struct weights_in_order {
    const ordo_weighted_job *job;
    void                    *index;
    ordo_type                index_type;
    uint64_t                *sums;       /* of integer weights */
    double                  *float_sums; /* of float weights; the same memory */
    size_t                   last;       /* quantiles: the last key with a weight */
} weights_in_order;

static inline size_t weights_index(const weights_in_order *work, size_t i)
{
    return ordo_index_at(work->index_type, work->index, i);
}

/* Whether keys[i] is a NaN. */
bool weights_key_is_nan(ordo_type type, const void *keys, size_t i);

/* Checks the weights and sets the index of work->job->keys in order and the weights in that order
 * (sums or float_sums). An omitted NaN has weight 0. Without keys the index and the weights are
 * NULL. The two steps are the first three quarters of the current phase. Takes
 * cpu_weighted_scratch() bytes. */
ordo_status weights_sort(void *state, const ordo_weighted_job *job, weights_in_order *work,
                         ordo_exec *exec);

/* ORDO_E_ARG: the sum of the weights is too large. */
ordo_status weights_too_large(ordo_exec *exec, ordo_type weight_type);

#endif
