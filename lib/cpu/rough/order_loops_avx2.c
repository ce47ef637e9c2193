/* order_loops_avx2.c - order_loops.h for AVX2. */
#define ORDER_LOOPS order_loops_avx2
#include "cpu/rough/order_loops.t.h"
