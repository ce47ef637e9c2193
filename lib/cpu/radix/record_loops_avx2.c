/* record_loops_avx2.c - record_loops.h for AVX2. */
#define RECORD_TYPE record_type_avx2
#include "cpu/radix/record_loops.h"
