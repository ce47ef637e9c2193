/* groups.h - the job that collects the keys of each group of rows, and jobs with weights. */
#ifndef ORDO_BACKEND_GROUPS_H
#define ORDO_BACKEND_GROUPS_H

#include "backend/job.h"

/* The keys of each group in order, for group keys that are integers of a narrow range. If the range
 * is too wide or scratch is refused, count is 0 and nothing else is set. Results are in scratch. */
typedef struct ordo_collect_job {
    ordo_type   group_type; /* not a float */
    const void *group_keys;
    size_t      n;
    ordo_type   type;
    const void *keys; /* NULL: only the groups are wanted */
    size_t      count;
    uint64_t   *starts; /* count + 1 entries: where each group begins in `sorted` */
    void       *unique; /* the key of each group */
    void       *sorted; /* the keys of each group, as a sort of keys only leaves them */
} ordo_collect_job;

/* Quantiles of groups of keys with weights, by a backend that finds the groups itself. Weights of
 * host arrays are checked. A group on a device has the result NaN if one of its weights is refused
 * (quantile_accepts_weight) or their sum is too large. */
typedef struct ordo_weighted_groups_job {
    ordo_groups_job groups; /* verb QUANTILES, or RANK with `places` */
    ordo_type       weight_type;
    const void     *weights;
    /* Not 0: the group keys are unsigned integers, and the results of the group with key k are at
     * place k instead of the number of the group. Groups with keys from `places` on have none. */
    size_t places;
    bool   waits; /* the caller waits for the results, so wrong weights on a device are an error */
} ordo_weighted_groups_job;

/* Quantiles or ranks of keys with weights, of an array or of every segment, by a device. If
 * exec->on_device and there are no segments, job.out is host memory. */
typedef struct ordo_weighted_segments_job {
    ordo_weighted_job               job;      /* the weights of host arrays are checked */
    const struct ordo_segment_view *segments; /* NULL: one array */
} ordo_weighted_segments_job;

#endif
