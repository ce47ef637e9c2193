/* part_orders.h - the permutations that part eight lanes, for the vector sorts of AVX2 and AVX-512
 * (vector_sort.t.h). 2 KB for each file that includes this one. */
#ifndef ORDO_CPU_VECTOR_PART_ORDERS_H
#define ORDO_CPU_VECTOR_PART_ORDERS_H

#include <stdint.h>

/* ONES: the number of set bits of m below bit b. PLACE: the lane that lane b moves to. FROM: b,
 * shifted to the byte of that lane. */
#define ONES(m, b) __builtin_popcount((m) & ((1u << (b)) - 1))
#define PLACE(m, b) ((m) >> (b)&1 ? ONES(m, b) : ONES(m, 8) + (b)-ONES(m, b))
#define FROM(m, b) ((uint64_t)(b) << 8 * PLACE(m, b))
#define ORDER(m)                                                                                   \
    FROM(m, 1) | FROM(m, 2) | FROM(m, 3) | FROM(m, 4) | FROM(m, 5) | FROM(m, 6) | FROM(m, 7)
#define ORDERS_4(m) ORDER(m), ORDER((m) + 1), ORDER((m) + 2), ORDER((m) + 3)
#define ORDERS_16(m) ORDERS_4(m), ORDERS_4((m) + 4), ORDERS_4((m) + 8), ORDERS_4((m) + 12)
#define ORDERS_64(m) ORDERS_16(m), ORDERS_16((m) + 16), ORDERS_16((m) + 32), ORDERS_16((m) + 48)

/* part_orders[m] moves the lanes whose bit is set in m to the first lanes and the others to the
 * last lanes: byte i is the lane that moves to lane i. */
static const uint64_t part_orders[256] = {ORDERS_64(0), ORDERS_64(64), ORDERS_64(128),
                                          ORDERS_64(192)};
#undef ORDERS_64
#undef ORDERS_16
#undef ORDERS_4
#undef ORDER
#undef FROM
#undef PLACE
#undef ONES

#endif
