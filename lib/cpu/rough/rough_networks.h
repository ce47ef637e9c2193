/* rough_networks.h - sorts keys at most 32 places away from their sorted places, in registers. */
#ifndef ORDO_CPU_ROUGH_ROUGH_NETWORKS_H
#define ORDO_CPU_ROUGH_ROUGH_NETWORKS_H

#include "core/base.h"

enum {
    ROUGH_NETWORK_REACH = 32 /* the largest radius they sort */
};

/* Sorts items of `size` bytes, 4 or 8, as unsigned numbers in place, given that their radius is at
 * most `radius`. Returns whether they are in order now: if not, the radius was larger, and they are
 * a permutation of what they were. */
bool rough_networks(void *items, size_t count, size_t size, size_t radius);

#endif
