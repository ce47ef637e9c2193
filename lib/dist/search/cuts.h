/* cuts.h - finds the elements at given positions of the global order, exactly (multi-select).
 *
 * Of keys in any order most are put aside in one read (brackets.h). In sorted elements there are
 * rounds (cut_rounds.h): the processes offer random elements of the intervals that are still open,
 * about CUTS_OFFERS for a position, and count the elements below and equal to each offer. An
 * interval shrinks by about that factor in a round. A position is found when an offer has its
 * element. */
#ifndef ORDO_DIST_SEARCH_CUTS_H
#define ORDO_DIST_SEARCH_CUTS_H

#include "dist/call/dist_call.h"
#include "external/cells.h"

enum {
    CUTS_OFFERS = 32
};

typedef struct cut {
    uint64_t position; /* in: less than the total */
    uint64_t order;    /* of the key at the position; strings: 0 */
    uint64_t less;     /* elements of all processes before that element and its ties */
    uint64_t here;     /* ties of that element on this process, itself included */
    uint64_t before;   /* ties of that element on the processes before this one */
    /* Set by searches in sorted elements only. */
    uint64_t tied; /* ties of that element on all processes */
    uint64_t low;  /* place of the first tie in this process's order; where it would be if none */
} cut;

typedef struct cut_keys { /* of a process, sorted */
    ordo_order_of order;
    const void   *sorted;
    size_t        n;
    bool          on_device; /* the keys are memory of the call's device */
} cut_keys;

/* Finds `count` ascending positions among the keys of the call. Collective. */
ordo_status cuts_find(dist_call *c, cut *cuts, size_t count);

/* The same by rounds, if this process's keys are sorted: every position begins with the interval of
 * all keys. All processes have `total` of them. */
ordo_status cuts_of_keys(dist_call *c, const cut_keys *keys, uint64_t total, cut *cuts,
                         size_t count);

/* Makes cuts of the different numbers of a list, ascending; returns how many. cuts_position finds
 * the cut of one of them. */
size_t cuts_of_positions(const uint64_t *positions, size_t count, cut *cuts);
size_t cuts_position(const cut *cuts, size_t count, uint64_t position);

/* How many of this process's ties of the cut's element belong before the position. */
static inline uint64_t cut_left(const cut *at)
{
    uint64_t const wanted = at->position - at->less;
    return wanted <= at->before             ? 0
           : wanted - at->before < at->here ? wanted - at->before
                                            : at->here;
}

/* The number of this process's elements before the position, if `low` is set. */
static inline uint64_t cut_place(const cut *at) { return at->low + cut_left(at); }

#endif
