/* rough_networks.c - sorts k-sorted items, k <= 32, with networks in registers.
 *
 * The items are cut into as many stretches as a vector has lanes, which are sorted side by side
 * (rough_lanes.t.h); what is left over is sorted by insertion, and so are the k items on either
 * side of the borders between stretches. O(n lg^2 k) comparisons, LANES at a time; no scratch.
 *
 * sort_rough.c calls it for small radii, and for windows whose keys have been brought near their
 * places. */
#include "core/network.h"
#include "cpu/kernel/lanes.h"
#include "cpu/rough/rough.h"

#include <string.h>

#define NETWORK_ORDER(i, j) WIDTH(lanes_order)(&x[i], &x[j]);
#define ROUGH_PASTE_(a, b) a##b
#define ROUGH_PASTE(a, b) ROUGH_PASTE_(a, b)
#define WIDTH(name) ROUGH_PASTE(name##_, W)
#define RECORD ROUGH_PASTE(ROUGH_PASTE(uint, W), _t)
#define FN(name) ROUGH_PASTE(ROUGH_PASTE(name##_, W), ROUGH_PASTE(_, M))
#define SORT(o) ROUGH_PASTE(NETWORK_SORT_, M)(o)
#define MERGE(o) ROUGH_PASTE(NETWORK_MERGE_, M)(o)

#define W 32
#define M 8
#include "cpu/rough/rough_lanes.t.h"
#undef M
#define M 16
#include "cpu/rough/rough_lanes.t.h"
#undef M
#define M 32
#include "cpu/rough/rough_lanes.t.h"
#undef M
#include "cpu/rough/rough_borders.t.h"
#undef W
#define W 64
#define M 8
#include "cpu/rough/rough_lanes.t.h"
#undef M
#define M 16
#include "cpu/rough/rough_lanes.t.h"
#undef M
#define M 32
#include "cpu/rough/rough_lanes.t.h"
#undef M
#include "cpu/rough/rough_borders.t.h"
#undef W

bool rough_networks(void *items, size_t count, size_t size, size_t radius)
{
    return size == sizeof(uint32_t) ? networks_32(items, count, radius)
                                    : networks_64(items, count, radius);
}
