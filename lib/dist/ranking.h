/* ranking.h - the state of a ranking over many ranks, which dist_rank.c shares with the part for
 * arrays on a device. */
#ifndef ORDO_DIST_RANKING_H
#define ORDO_DIST_RANKING_H

#include "dist/device/device.h"
#include "dist/exchange/pieces.h"

typedef struct summary { /* of what a rank received */
    uint64_t n, distinct;
    uint64_t first, last; /* the smallest and the largest order, or what stands for it */
    uint64_t first_count, last_count; /* their ties */
} summary;

typedef struct ranking {
    dist_call c;
    pieces    p;
    ordo_ties ties;
    ordo_type rank_type;
    size_t    rank_size;
    void     *ranks;
    char     *sent, *received, *received_ranks;
    char     *back;       /* on a device: the ranks that came home */
    void     *index;      /* on a device: where the sorted keys were */
    ordo_type index_type; /* of that */
    summary  *all;

    /* Corrections, from the summaries: keys and distinct keys on the ranks before this one, and the
     * ties of the first and the last key on other ranks. */
    uint64_t offset, distinct_before, first_before, last_after;
} ranking;

/* Arrays on a device; not collective unless a comment says so. */
ordo_status device_rank_memory(ranking *r);
/* Sorts a copy of the keys and remembers where they were. */
ordo_status device_rank_sort(ranking *r);
/* Ranks what arrived, and summarizes it. */
ordo_status device_rank_received(ranking *r, summary *mine);
/* Turns the ranks of what arrived into ranks of the global array. */
ordo_status device_rank_correct(ranking *r);
/* Writes the ranks that came home to the places of their keys, and waits for that. */
ordo_status device_rank_home(ranking *r);

#endif
