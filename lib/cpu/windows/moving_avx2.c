/* moving_avx2.c - the loops of moving windows for AVX2. */
#define MOVING_LOOPS moving_loops_avx2
#include "cpu/windows/moving_loops.t.h"
