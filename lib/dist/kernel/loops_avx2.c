/* loops_avx2.c - the loops of loops.h for AVX2. */
#include "dist/kernel/plain.h"

const dist_loops dist_loops_avx2 = {"avx2", merge_32, merge_64};
