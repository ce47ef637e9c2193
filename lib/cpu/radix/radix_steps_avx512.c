/* radix_steps_avx512.c - radix_steps.h for AVX-512. */
#include "cpu/radix/radix_steps.h"

const radix_ops radix_steps_avx512[RECORD_KINDS] = RADIX_STEPS;
