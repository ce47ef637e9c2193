/* order_loops.h - the inner loops of the measures of order, as a table for each ISA. The loops are
 * written once (order_loops.t.h) and compiled for each ISA; their results are the same. */
#ifndef ORDO_CPU_ROUGH_ORDER_LOOPS_H
#define ORDO_CPU_ROUGH_ORDER_LOOPS_H

#include "cpu/kernel/kernels.h"
#include "cpu/sort/items.h"

/* Writes the key bits of keys[0 .. count) to items. */
typedef void cpu_view_fn(const void *keys, size_t count, void *items);

enum cpu_view_order {
    CPU_VIEW_FOLDED, /* -0 ties +0, NaNs tie */
    CPU_VIEW_TOTAL   /* keys tie only if their bits are equal: the order of a keys-only sort */
};

enum {
    ORDER_GROUP = 256 /* bytes of key bits that any_before_far compares as a whole */
};

/* any_before       whether right[i] < left[i] for any i < count
 * any_before_all   whether any right[i] is less than *largest or than one of left[0 .. i]; *largest
 *                  becomes the maximum of itself and left. Unspecified if the result is true
 * any_before_far   the same, faster if nearly all right[i] are much larger
 * bounds           the maximum and the minimum of a[0 .. count), count > 0 */
#define ORDER_OPS(W)                                                                               \
    typedef struct order_ops_##W {                                                                 \
        bool (*any_before)(const cpu_item_##W *left, const cpu_item_##W *right, size_t count);     \
        bool (*any_before_all)(const cpu_item_##W *left, const cpu_item_##W *right, size_t count,  \
                               cpu_item_##W *largest);                                             \
        bool (*any_before_far)(const cpu_item_##W *left, const cpu_item_##W *right, size_t count,  \
                               cpu_item_##W *largest);                                             \
        void (*bounds)(const cpu_item_##W *a, size_t count, cpu_item_##W *most,                    \
                       cpu_item_##W *least);                                                       \
    } order_ops_##W;
ORDER_OPS(32)
ORDER_OPS(64)
#undef ORDER_OPS

typedef struct order_loops {
    cpu_view_fn *(*map)(ordo_type type, bool descending, enum cpu_view_order order);
    order_ops_32 of_32;
    order_ops_64 of_64;
} order_loops;

/* kernels NULL: the generic loops. */
static inline const order_loops *order_loops_of(const cpu_kernels *kernels)
{
    return (kernels != NULL ? kernels : &cpu_kernels_generic)->loops->order;
}

#endif
