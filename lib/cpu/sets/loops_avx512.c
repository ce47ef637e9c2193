/* loops_avx512.c - the loops of sets (loops.h), compiled for AVX-512. */
#define CPU_ISA avx512
#include "cpu/sets/loops.h"
