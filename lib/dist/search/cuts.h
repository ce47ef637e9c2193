/* cuts.h - finds the elements at given positions of the global order, exactly (multi-select).
 *
 * Of keys in any order most are put aside in one read (brackets.c). In sorted elements there are
 * rounds: the processes offer random elements of the intervals that are still open,
 * about CUTS_OFFERS for a position, and count the elements below and equal to each offer. An
 * interval shrinks by about that factor in a round. A position is found when an offer has its
 * element.
 *
 * An offer is a key, or a few bytes of a string: what follows the bytes that all strings of the
 * interval share, up to a width. If the string ends there, its class is the strings equal to it. If
 * it continues, its class is the strings that begin like it and continue: a position in such a
 * class goes on there, behind those bytes, with twice the width and fewer offers. So a round is
 * small, and long common prefixes cost a number of rounds that is logarithmic in their length. */
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

/* brackets.c: finds `count` ascending positions among the keys of the call. Collective. */
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

/* ---- The rounds ---- */

typedef struct cut_interval { /* where the element at a position is */
    bool     open;            /* the element is not known yet */
    size_t   from, to;        /* of this process's elements in order */
    uint64_t all;             /* elements of all processes there */
    uint64_t depth;           /* strings: bytes that all of them share */
    uint32_t width;           /* strings: bytes of an offer at most; set by cut_rounds */
} cut_interval;

typedef struct cut_offer {
    uint64_t    order; /* of a key */
    const char *bytes; /* of a string, behind the depth of its interval */
    uint32_t    length;
    bool        longer; /* the string continues */
} cut_offer;

/* Elements of one kind. Offers travel as the bytes that `put` writes. */
typedef struct cut_kind {
    size_t least; /* bytes of an offer */
    bool   wide;  /* offers have different lengths, up to the width of the interval */
    /* Writes the offer of the element at a place; `to` NULL: only returns its size. */
    size_t (*put)(const void *elements, const cut_interval *at, size_t place, char *to);
    /* Reads an offer; returns its end. */
    const char *(*take)(const char *from, cut_offer *out);
    int (*compare)(const void *a, const void *b); /* two offers, for qsort */
    /* The first place in [from, at->to) that is not before (`above`: behind) the class of the
     * offer. */
    size_t (*find)(const void *elements, const cut_interval *at, size_t from, const cut_offer *o,
                   bool above);
} cut_kind;

typedef struct cut_list { /* what is searched */
    const cut_kind *kind;
    const void     *elements; /* of this process, in order */
    size_t          n;        /* of them */
    uint64_t        total;    /* of all processes */
    bool            reversed; /* the order is that of `compare`, reversed */
    const cut_keys *device;   /* not NULL: the elements are keys on a device */
} cut_list;

/* Sets order, less, here, before, tied and low of every cut whose interval is open, and `before` of
 * the others. `intervals` NULL: every position begins with the interval of all elements. */
ordo_status cut_rounds(dist_call *c, const cut_list *list, cut *cuts, cut_interval *intervals,
                       size_t count);

/* The same for all elements, with the time in the report. Collective. */
ordo_status cuts_of_list(dist_call *c, const cut_list *list, cut *cuts, size_t count);

/* The list of sorted keys, which must outlive it. */
cut_list cut_list_of(const cut_keys *keys, uint64_t total);

/* Sets the ties on the processes before this one from those on this process; `room` has `count`
 * numbers. Collective. */
ordo_status cut_ties(dist_call *c, cut *cuts, size_t count, uint64_t *room);

#endif
