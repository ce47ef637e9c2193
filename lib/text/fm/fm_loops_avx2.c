/* fm_loops_avx2.c - the searches of an FM-index for CPUs with AVX2, which also count bits. */
#define FM_LOOPS fm_loops_avx2
#include "text/fm/fm_loops.h"
