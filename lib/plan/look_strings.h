/* look_strings.h - estimates from a sample how many bytes of strings a sort must read. */
#ifndef ORDO_PLAN_LOOK_STRINGS_H
#define ORDO_PLAN_LOOK_STRINGS_H

#include "core/base.h"

typedef struct ordo_string_look {
    /* Average cost of the reads beyond the first key of a string, in reads. Groups get smaller with
     * every key, so the cost grows with the logarithm of the bytes. */
    double further;
    double common; /* length of the common prefix of all strings, estimated */
} ordo_string_look;

/* For checked strings. Draws at most 1024 of them with the seed and reads at most 1 KB of each. */
ordo_string_look ordo_look_at_strings(const ordo_strings *strings, size_t n, uint64_t seed);

#endif
