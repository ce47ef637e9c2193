/* order_loops_generic.c - order_loops.h for every CPU of the target, and the choice of a table. */
#define ORDER_LOOPS order_loops_generic
#include "cpu/rough/order_loops.t.h"

#include <string.h>

const order_loops *order_loops_of(const cpu_kernels *kernels)
{
#if defined(__x86_64__)
    if (kernels != NULL && strcmp(kernels->isa, "avx2") == 0)
        return &order_loops_avx2;
    if (kernels != NULL && strcmp(kernels->isa, "avx512") == 0)
        return &order_loops_avx512;
#else
    (void)kernels;
#endif
    return &order_loops_generic;
}
