/* look_strings.h - what a few drawn strings say of how far all of them must be read. */
#ifndef ORDO_PLAN_LOOK_STRINGS_H
#define ORDO_PLAN_LOOK_STRINGS_H

#include "core/base.h"

typedef struct ordo_string_look {
    double depth;  /* bytes of a string, on average, that tell it from all others */
    double common; /* bytes that all strings share, about */
} ordo_string_look;

/* The strings have been checked. Draws at most 256 of them, by the seed; reads at most 1 KB of
 * each, so a depth is about 1 KB at most. */
ordo_string_look ordo_look_at_strings(const ordo_strings *strings, size_t n, uint64_t seed);

#endif
