/* sets.h - the jobs of the distinct keys of an array and of searches in a sorted array. */
#ifndef ORDO_BACKEND_SETS_H
#define ORDO_BACKEND_SETS_H

#include "core/base.h"

typedef struct ordo_unique_job { /* the distinct keys in order */
    ordo_type   type;
    const void *keys;
    size_t      n;
    void       *out; /* room for n keys */
    size_t     *count;
    bool        descending;
} ordo_unique_job;

typedef struct ordo_needles_job { /* the places of needles in a sorted array */
    ordo_type   type;
    const void *sorted;
    size_t      n;
    const void *needles;
    size_t      count;
    bool        descending;
    bool        after; /* the place after the keys that tie with a needle */
    ordo_type   index_type;
    void       *index;
} ordo_needles_job;

#endif
