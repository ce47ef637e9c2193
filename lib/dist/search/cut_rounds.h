/* cut_rounds.h - the rounds of a multi-select (step 3 of cuts.h): narrows the open intervals of all
 * ranks until each position has its key. Rounds of strings (strings/string_cuts.h) share the parts
 * that depend only on counts. */
#ifndef ORDO_DIST_SEARCH_CUT_ROUNDS_H
#define ORDO_DIST_SEARCH_CUT_ROUNDS_H

#include "dist/search/cuts.h"

/* ---- Keys and strings ---- */

typedef struct cut_window { /* where the element at a position may be */
    size_t   from, to;      /* of this rank's elements in order */
    uint64_t all;           /* elements of all ranks there */
} cut_window;

typedef struct cut_counts { /* two for each offer: elements of its window before and tied with it */
    uint64_t *here, *sums;  /* of this rank, of all ranks */
} cut_counts;

/* How many elements of the window this rank offers if all ranks offer about `wanted`. A fraction is
 * rounded up or down at random. */
size_t cut_offers(const cut_window *at, size_t wanted, uint64_t *seed);

/* Ends a round: adds the counts of all ranks. Collective. */
ordo_status cut_sum(dist_call *c, const cut_counts *counts, size_t offers);

/* Narrows the window of a position by its offers [from, to). *less is the number of elements before
 * the window. Returns the offer that ties with the element at the position, and the window of its
 * ties; `to` if no offer does. */
size_t cut_narrow(cut_window *at, const cut_counts *counts, size_t from, size_t to,
                  uint64_t position, uint64_t *less);

/* Sets the ties on the ranks before this one from those on this rank. Both are members of `count`
 * structs of `step` numbers; `room` has `count` numbers. Collective. */
ordo_status cut_ties(dist_call *c, const uint64_t *here, uint64_t *before, size_t step,
                     size_t count, uint64_t *room);

/* ---- Keys ---- */

/* Where the key of a position lies: between two orders, which are not in the interval. */
typedef struct cut_interval {
    bool       open;               /* the key is not known yet */
    bool       from_start, to_end; /* there is no order below, above */
    uint64_t   low, high;
    cut_window window;
} cut_interval;

/* `kept` has this rank's keys of all open intervals. Sets order, less, here and before of every
 * cut. */
ordo_status cut_rounds(dist_call *c, const cut_keys *kept, cut *cuts, cut_interval *intervals,
                       size_t count);

#endif
