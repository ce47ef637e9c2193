/* sort_spilled.h - ordo_dist_sort and ordo_dist_sort_pairs with less scratch than the elements. */
#ifndef ORDO_DIST_SPILL_SORT_SPILLED_H
#define ORDO_DIST_SPILL_SORT_SPILLED_H

#include "dist/call/dist_call.h"

typedef struct spilled_job {
    ordo_type             type;
    void                 *keys, *values; /* values: NULL, or of value_size bytes each */
    size_t                n, value_size;
    const ordo_dist_opts *opts; /* with a directory */
} spilled_job;

/* A call of its own, on arguments that an earlier call checked. Collective. */
ordo_status dist_sort_spilled(ordo_ctx *ctx, const ordo_comm *comm, const spilled_job *job);

#endif
