/* moving_avx2.c - the loops of moving windows for AVX2, BMI2 and POPCNT.
 *
 * POPCNT counts the bits below a place, and PDEP finds the k-th set bit of a word without a branch.
 * Minima and maxima of codes become vectors. */
#define MOVING_LOOPS moving_loops_avx2
#include "cpu/windows/moving_loops.t.h"
