/* dist_range.h - a part of the global order, from sorted arrays: one round of a sort whose exchange
 * is divided into rounds. */
#ifndef ORDO_DIST_SPILL_DIST_RANGE_H
#define ORDO_DIST_SPILL_DIST_RANGE_H

#include "dist/call/dist_call.h"

typedef struct range_job {
    ordo_type   type;
    bool        descending;
    const void *keys;   /* this process's keys in order */
    const char *values; /* NULL: none */
    size_t      n, value_size;
    uint64_t    begin; /* this rank gets `count` elements from this place of the global order on */
    size_t      count;
    void       *out;
    char       *out_values;
} range_job;

/* Finds, exchanges and merges the elements of the parts of all processes; part r + 1 is not before
 * part r. A call of its own: its scratch is that of ctx and is free afterwards. Collective. */
ordo_status dist_range(ordo_ctx *ctx, const ordo_comm *comm, const range_job *job,
                       ordo_dist_report *report);

#endif
