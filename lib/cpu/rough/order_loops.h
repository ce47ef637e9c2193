/* order_loops.h - the inner loops of the measures of order and the networks for nearly sorted keys,
 * as a table for each ISA. They are written once (measure_check.t.h, rough_networks.t.h) and
 * compiled for each ISA; all tables give the same results. */
#ifndef ORDO_CPU_ROUGH_ORDER_LOOPS_H
#define ORDO_CPU_ROUGH_ORDER_LOOPS_H

#include "cpu/base/kernels.h"

enum {
    ORDER_GROUP = 256,       /* bytes of records that any_before_far compares by one maximum and one
                              * minimum */
    ROUGH_NETWORK_REACH = 32 /* the largest radius of `networks` */
};

/* any_before       whether right[i] < left[i] for any i < count
 * any_before_all   whether any right[i] is less than *largest or than one of left[0 .. i]; *largest
 *                  becomes the maximum of itself and left. Unspecified if the result is true
 * any_before_far   the same, faster if nearly all right[i] are much larger
 * bounds           the maximum and the minimum of a[0 .. count), count > 0
 * steps            adds the number of keys of a[1 .. count) that are less than their left neighbour
 *                  to *falls, and the number of those that are equal to it to *flats
 * networks         sorts items in place if their radius is at most `radius`. Returns whether they
 *                  are in order now; if not, the radius was larger, and they are permuted */
#define ORDER_OPS(W)                                                                               \
    typedef struct order_ops_##W {                                                                 \
        bool (*any_before)(const uint##W##_t *left, const uint##W##_t *right, size_t count);       \
        bool (*any_before_all)(const uint##W##_t *left, const uint##W##_t *right, size_t count,    \
                               uint##W##_t *largest);                                              \
        bool (*any_before_far)(const uint##W##_t *left, const uint##W##_t *right, size_t count,    \
                               uint##W##_t *largest);                                              \
        void (*bounds)(const uint##W##_t *a, size_t count, uint##W##_t *most, uint##W##_t *least); \
        void (*steps)(const uint##W##_t *a, size_t count, size_t *falls, size_t *flats);           \
        bool (*networks)(uint##W##_t * items, size_t count, size_t radius);                        \
    } order_ops_##W;
ORDER_OPS(32)
ORDER_OPS(64)
#undef ORDER_OPS

typedef struct order_loops {
    order_ops_32 of_32;
    order_ops_64 of_64;
} order_loops;

/* kernels NULL: the generic loops. */
static inline const order_loops *order_loops_of(const cpu_kernels *kernels)
{
    return (kernels != NULL ? kernels : &cpu_kernels_generic)->loops->order;
}

#endif
