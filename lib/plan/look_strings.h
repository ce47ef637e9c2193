/* look_strings.h - what a few drawn strings say of how far all of them must be read. */
#ifndef ORDO_PLAN_LOOK_STRINGS_H
#define ORDO_PLAN_LOOK_STRINGS_H

#include "core/base.h"

typedef struct ordo_string_look {
    /* How often a string is read further than its first key, on average, as a cost: groups get
     * smaller from one key to the next, so this grows with the logarithm of the bytes. */
    double further;
    double common; /* bytes that all strings share, about */
} ordo_string_look;

/* The strings have been checked. Draws at most 1024 of them, by the seed, and reads at most 1 KB of
 * each. */
ordo_string_look ordo_look_at_strings(const ordo_strings *strings, size_t n, uint64_t seed);

#endif
