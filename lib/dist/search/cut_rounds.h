/* cut_rounds.h - the rounds of a multi-select (cuts.h): narrows the open intervals of all
 * processes until each position has its element.
 *
 * An offer is a key, or a few bytes of a string: what follows the bytes that all strings of the
 * interval share, up to a width. If the string ends there, its class is the strings equal to it. If
 * it continues, its class is the strings that begin like it and continue: a position in such a
 * class goes on there, behind those bytes, with twice the width and fewer offers. So a round is
 * small, and long common prefixes cost a number of rounds that is logarithmic in their length. */
#ifndef ORDO_DIST_SEARCH_CUT_ROUNDS_H
#define ORDO_DIST_SEARCH_CUT_ROUNDS_H

#include "dist/search/cuts.h"

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
