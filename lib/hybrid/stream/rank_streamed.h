/* ranks.h - what the two files that rank host arrays by a device and the CPU share. */
#ifndef ORDO_HYBRID_STREAM_RANKS_H
#define ORDO_HYBRID_STREAM_RANKS_H

#include "hybrid/stream/hybrid.h"

typedef struct hybrid_ranking { /* one call */
    hybrid_run              *run;
    const ordo_unsorted_job *job;
    size_t                   width; /* of a number: of an index, and of a rank on its way */

    /* Device memory. */
    char *numbers; /* for each key its rank, or twice its average rank */
    char *work;    /* of put_ranks */

    /* Pieces of the numbers on their way home. */
    size_t piece_numbers;

    /* The CPU's bins, behind the device's records: indices and ranks within the bin, sorted; the
     * rank before each bin's first. */
    size_t    theirs; /* records of the device */
    char     *own_index;
    uint64_t *own_ranks; /* the bits of doubles where ties have their average */
    uint64_t *own_before;
} hybrid_ranking;

/* rank_bins.c: the CPU's share. Memory; the bins, until there are none; and, when the device's
 * ranks are home and `distinct` is how many keys it had that differ, their ranks to the array. */
ordo_status hybrid_prepare_rank_bins(hybrid_ranking *ranking);
void        hybrid_rank_bins(hybrid_ranking *ranking, unsigned lane);
ordo_status hybrid_put_bins(hybrid_ranking *ranking, uint64_t distinct);

#endif
