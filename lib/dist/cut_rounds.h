/* cut_rounds.h - the rounds of a multi-select (step 3 of cuts.h): narrows the open intervals of all
 * ranks until each position has its key. */
#ifndef ORDO_DIST_CUT_ROUNDS_H
#define ORDO_DIST_CUT_ROUNDS_H

#include "dist/cuts.h"

/* Where the key of a position lies: between two orders, which are not in the interval. */
typedef struct cut_interval {
    bool     open;               /* the key is not known yet */
    bool     from_start, to_end; /* there is no order below, above */
    uint64_t low, high;
    uint64_t all;      /* keys of all ranks in the interval */
    size_t   from, to; /* the interval in this rank's kept orders */
} cut_interval;

/* `kept` has this rank's keys of all open intervals. Sets order, less, here and before of every
 * cut. */
ordo_status cut_rounds(dist_call *c, const cut_keys *kept, cut *cuts, cut_interval *intervals,
                       size_t count);

#endif
