/* rough_networks.c - sorts k-sorted items, k <= 32, with sorting networks in registers.
 *
 * The items are cut into as many stretches as a vector has lanes. Each lane sorts one stretch
 * (rough_networks.t.h). Insertion sorts the items after the last stretch, and up to k items after
 * each border between two stretches. O(n lg^2 k) comparisons, LANES at a time; no scratch.
 * sort_rough.c calls this for small radii, and for windows whose keys are already near their
 * places. */
#include "core/network.h"
#include "cpu/kernel/lanes.h"
#include "cpu/rough/rough.h"

#include <string.h>

#define NETWORK_ORDER(i, j) FN(lanes_order)(&x[i], &x[j]);
#define BY_SIZE(network, at)                                                                       \
    if (m == 8) {                                                                                  \
        network##_8(at)                                                                            \
    } else if (m == 16) {                                                                          \
        network##_16(at)                                                                           \
    } else {                                                                                       \
        network##_32(at)                                                                           \
    }

#define RECORD uint32_t
#define VEC lanes_32
#define LANES LANES_32
#define FN(name) name##_32
#include "cpu/rough/rough_networks.t.h"
#undef FN
#undef LANES
#undef VEC
#undef RECORD
#define RECORD uint64_t
#define VEC lanes_64
#define LANES LANES_64
#define FN(name) name##_64
#include "cpu/rough/rough_networks.t.h"
#undef FN

bool rough_networks(void *items, size_t count, size_t size, size_t radius)
{
    return size == sizeof(uint32_t) ? networks_32(items, count, radius)
                                    : networks_64(items, count, radius);
}
