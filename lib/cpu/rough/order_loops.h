/* order_loops.h - the inner loops of measures of order, as a table for each ISA. The loops are
 * written once (order_loops.t.h) and compiled with the options of each ISA; their results are
 * the same. */
#ifndef ORDO_CPU_ROUGH_ORDER_LOOPS_H
#define ORDO_CPU_ROUGH_ORDER_LOOPS_H

#include "cpu/kernel/kernels.h"

enum {
    ORDER_GROUP = 256 /* bytes of records that any_before_far compares as a whole */
};

/* any_before: whether right[i] < left[i] for any i < count. any_before_all: whether right[i] is
 * less than *largest or any of left[0 .. i]; *largest becomes the largest of these.
 * any_before_far: the same, faster where hardly a record is near to being less. bounds: the
 * largest and the least of a[0 .. count), count > 0. After any_before_all or any_before_far
 * returned true, *largest is unspecified. */
#define ORDER_OPS(W)                                                                               \
    typedef struct order_ops_##W {                                                                 \
        bool (*any_before)(const uint##W##_t *left, const uint##W##_t *right, size_t count);       \
        bool (*any_before_all)(const uint##W##_t *left, const uint##W##_t *right, size_t count,    \
                               uint##W##_t *largest);                                              \
        bool (*any_before_far)(const uint##W##_t *left, const uint##W##_t *right, size_t count,    \
                               uint##W##_t *largest);                                              \
        void (*bounds)(const uint##W##_t *a, size_t count, uint##W##_t *most, uint##W##_t *least); \
    } order_ops_##W;
ORDER_OPS(32)
ORDER_OPS(64)
#undef ORDER_OPS

typedef struct order_loops {
    order_ops_32 of_32;
    order_ops_64 of_64;
} order_loops;

extern const order_loops order_loops_generic;
#if defined(__x86_64__)
extern const order_loops order_loops_avx2, order_loops_avx512;
#endif

/* The loops for the ISA of these kernels; NULL: the generic ones. order_loops_generic.c */
const order_loops *order_loops_of(const cpu_kernels *kernels);

#endif
