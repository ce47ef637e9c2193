/* ranking.h - the state of a ranking over many processes, which dist_rank.c shares with the parts
 * for arrays on a device and for strings. */
#ifndef ORDO_DIST_RANKING_H
#define ORDO_DIST_RANKING_H

#include "dist/device/device.h"
#include "dist/strings/string_pieces.h"

typedef struct ranking {
    string_part   part; /* of numbers: only the call */
    string_pieces s;    /* of numbers: only the pieces */
    bool          is_strings;
    ordo_ties     ties;
    ordo_type     rank_type;
    size_t        rank_size;
    void         *ranks;
    char         *sent, *received, *received_ranks;
    char         *home;       /* the ranks that came home */
    void         *index;      /* where the sorted elements were; NULL: they were not sorted */
    ordo_type     index_type; /* of that */
    uint64_t      distinct;   /* of what this process received, if ranks are dense */

    /* Turns ranks of what this process received into ranks of the global array. */
    ordo_whole_job whole;
} ranking;

/* If ranks are dense: sets `distinct` to the number of distinct elements that arrived, by their
 * ranks. Not collective. */
ordo_status rank_distinct(ranking *r);

/* Arrays on a device; not collective. */
ordo_status device_rank_memory(ranking *r);
/* Sorts a copy of the keys and remembers where they were. */
ordo_status device_rank_sort(ranking *r);
/* Ranks what arrived. */
ordo_status device_rank_received(ranking *r);
/* Writes the ranks that came home to the places of their keys, and waits for that. */
ordo_status device_rank_home(ranking *r);

/* Strings: moves them to the processes of their places, and ranks what arrived. Collective. */
ordo_status string_rank_receive(ranking *r);
/* Gives each string the rank that came home, if the strings were sorted. Not collective. */
ordo_status string_rank_home(ranking *r);

#endif
