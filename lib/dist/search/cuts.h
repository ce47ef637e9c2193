/* cuts.h - finds the keys at given positions of the global order, exactly (multi-select).
 *
 * 1 A sample of all ranks gives boundaries of cells (cells.h). Every rank counts its keys in the
 *   cells, and the sums say in which cell each position lies.
 * 2 Only the keys in those cells are looked at again: each rank sorts them.
 * 3 In each round the ranks offer random keys of the intervals that are still open, about
 *   CUTS_OFFERS for a position, and count the keys below and equal to each offer. An interval
 *   shrinks by about that factor in a round. A position is found when an offer has its key. */
#ifndef ORDO_DIST_SEARCH_CUTS_H
#define ORDO_DIST_SEARCH_CUTS_H

#include "dist/call/dist_call.h"
#include "dist/kernel/cells.h"

enum {
    CUTS_OFFERS = 32
};

typedef struct cut {
    uint64_t position; /* in: less than the total */
    uint64_t order;    /* of the key at the position */
    uint64_t less;     /* keys of all ranks before that key and its ties */
    uint64_t here;     /* ties of that key on this rank */
    uint64_t before;   /* ties of that key on the ranks before this one */
} cut;

typedef struct cut_keys { /* of a rank, sorted */
    cells_order order;
    const void *sorted;
    size_t      n;
    bool        on_device; /* the keys are memory of the call's device */
} cut_keys;

/* Finds `count` ascending positions. The keys are read once if the sample was good and twice if it
 * was not. Up to 1000 positions of host arrays are found without rounds (brackets.h) instead. */
ordo_status cuts_find(dist_call *c, bool folded, cut *cuts, size_t count);

/* The same by step 3 alone, if this rank's keys are sorted: every position begins with the interval
 * of all keys. `sorted` is where the keys of the call are. */
ordo_status cuts_of_sorted(dist_call *c, const cells_order *order, const void *sorted, cut *cuts,
                           size_t count);
/* The same for other keys than those of the call; all ranks have `total` of them. */
ordo_status cuts_of_keys(dist_call *c, const cut_keys *keys, uint64_t total, cut *cuts,
                         size_t count);

/* How many of this rank's ties of the cut's key belong before the position. */
static inline uint64_t cut_left(const cut *at)
{
    uint64_t const wanted = at->position - at->less;
    return wanted <= at->before             ? 0
           : wanted - at->before < at->here ? wanted - at->before
                                            : at->here;
}

#endif
