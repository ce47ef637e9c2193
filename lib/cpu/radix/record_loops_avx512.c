/* record_loops_avx512.c - record_loops.h for AVX-512. */
#define RECORD_TYPE record_type_avx512
#include "cpu/radix/record_loops.h"
