/* order_loops_avx512.c - order_loops.h for AVX-512. */
#define ORDER_LOOPS order_loops_avx512
#include "cpu/rough/order_loops.t.h"
