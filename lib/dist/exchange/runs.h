/* runs.h - merges the sorted pieces that a process received from the other processes. */
#ifndef ORDO_DIST_EXCHANGE_RUNS_H
#define ORDO_DIST_EXCHANGE_RUNS_H

#include "dist/exchange/pieces.h"

/* Whether the keys alone, in `out`, are sorted again: then they are received there. */
static inline bool runs_are_sorted_again(const dist_call *c, const void *values)
{
    return values == NULL && c->key_size < sizeof(uint32_t);
}

typedef struct runs_job {
    const pieces *pieces;
    const void   *keys; /* as received: one sorted run from each process */
    void         *out;
    const char   *values; /* NULL: keys alone, of 4 or 8 bytes */
    char         *out_values;
    size_t        value_size;
} runs_job;

/* Merges the runs to `out`. Elements that tie keep the order of their runs. Not collective. */
ordo_status runs_merge(const runs_job *job);

#endif
