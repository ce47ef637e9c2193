/* radix_steps_avx2.c - radix_steps.h for AVX2. */
#include "cpu/radix/radix_steps.h"

const radix_ops radix_steps_avx2[RECORD_KINDS] = RADIX_STEPS;
