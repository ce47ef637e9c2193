/* string_cuts.h - finds the strings at given positions of the global order, exactly (multi-select).
 *
 * In each round the ranks offer random strings of the intervals that are still open, and count
 * their strings before each offer and in its class. An offer is a few bytes: what follows the bytes
 * that all strings of the interval share, up to a width. If the string ends there, its class is the
 * strings equal to it. If it continues, its class is the strings that begin like it and continue: a
 * position in such a class goes on there, behind those bytes, with twice the width and fewer
 * offers. So a round is small, and long common prefixes cost a number of rounds that is logarithmic
 * in their length. */
#ifndef ORDO_DIST_STRINGS_STRING_CUTS_H
#define ORDO_DIST_STRINGS_STRING_CUTS_H

#include "dist/strings/string_part.h"

typedef struct string_cut {
    uint64_t position; /* in: less than the total */
    uint64_t less;     /* strings of all ranks before the string at the position and its ties */
    uint64_t tied;     /* ties of that string on all ranks, including itself */
    uint64_t here;     /* ties on this rank */
    uint64_t before;   /* ties on the ranks before this one */
    uint64_t low;      /* place of the first tie in this rank's order; where it would be if none */
} string_cut;

/* Finds `count` ascending positions among the strings in order (p->ordered_total). Collective. */
ordo_status string_cuts_find(string_part *p, string_cut *cuts, size_t count);

/* The number of this rank's strings before the position. */
static inline uint64_t string_cut_place(const string_cut *at)
{
    uint64_t const wanted = at->position - at->less;
    uint64_t const left = wanted <= at->before ? 0 : wanted - at->before;
    return at->low + (left < at->here ? left : at->here);
}

#endif
