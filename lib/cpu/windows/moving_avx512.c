/* moving_avx512.c - the loops of moving windows for AVX-512. */
#define MOVING_LOOPS moving_loops_avx512
#include "cpu/windows/moving_loops.t.h"
