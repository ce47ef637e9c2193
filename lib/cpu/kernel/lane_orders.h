/* lane_orders.h - permutations of 8 lanes for the splits of the vector sorts. lane_orders[m] moves
 * the lanes whose bit is set in m to the first lanes and the others to the last lanes, both in
 * their order: byte i is the lane that moves to lane i. 2 KB, computed by the compiler. */
#ifndef ORDO_CPU_KERNEL_LANE_ORDERS_H
#define ORDO_CPU_KERNEL_LANE_ORDERS_H

#include <stdint.h>

/* The set bits of m below bit b, counted; the lane that lane b moves to; and b at the byte of that
 * lane. */
#define LANE_ONES(m, b)                                                                                 \
    (((b) > 0 && (m) & 1) + ((b) > 1 && (m) & 2) + ((b) > 2 && (m) & 4) + ((b) > 3 && (m) & 8) +   \
     ((b) > 4 && (m) & 16) + ((b) > 5 && (m) & 32) + ((b) > 6 && (m) & 64) +                       \
     ((b) > 7 && (m) & 128))
#define LANE_PLACE(m, b) ((m) >> (b) & 1 ? LANE_ONES(m, b) : LANE_ONES(m, 8) + (b) - LANE_ONES(m, b))
#define LANE_FROM(m, b) ((uint64_t)(b) << 8 * LANE_PLACE(m, b))
#define LANE_ORDER(m)                                                                                   \
    LANE_FROM(m, 1) | LANE_FROM(m, 2) | LANE_FROM(m, 3) | LANE_FROM(m, 4) | LANE_FROM(m, 5) | LANE_FROM(m, 6) | LANE_FROM(m, 7)
#define LANE_ORDERS_4(m) LANE_ORDER(m), LANE_ORDER((m) + 1), LANE_ORDER((m) + 2), LANE_ORDER((m) + 3)
#define LANE_ORDERS_16(m) LANE_ORDERS_4(m), LANE_ORDERS_4((m) + 4), LANE_ORDERS_4((m) + 8), LANE_ORDERS_4((m) + 12)
#define LANE_ORDERS_64(m) LANE_ORDERS_16(m), LANE_ORDERS_16((m) + 16), LANE_ORDERS_16((m) + 32), LANE_ORDERS_16((m) + 48)

static const uint64_t lane_orders[256] = {LANE_ORDERS_64(0), LANE_ORDERS_64(64), LANE_ORDERS_64(128), LANE_ORDERS_64(192)};


#endif
