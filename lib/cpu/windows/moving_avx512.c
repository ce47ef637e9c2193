/* moving_avx512.c - the loops of moving windows for AVX-512, BMI2 and POPCNT.
 *
 * As moving_avx2.c. AVX-512 also has the minimum and maximum of unsigned 64-bit integers, which
 * combine the prefixes and suffixes of the blocks. */
#define MOVING_LOOPS moving_loops_avx512
#include "cpu/windows/moving_loops.t.h"
