/* ties.h - tie rules by name. */
#ifndef ORDO_DOORS_TIES_H
#define ORDO_DOORS_TIES_H

#include "ordo.h"

#include <stdbool.h>
#include <string.h>

/* False: no tie rule has that name. */
static inline bool door_find_ties(const char *name, size_t length, uint32_t *out)
{
    static const char *const names[] = {"min", "max", "dense", "ordinal", "average"};
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && memcmp(name, names[i], length) == 0) {
            *out = i;
            return true;
        }
    return false;
}

#endif
