/* loops_avx2.c - the loops of sets (loops.h), compiled for AVX2. */
#define CPU_ISA avx2
#include "cpu/sets/loops.h"
