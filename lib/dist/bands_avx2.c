/* bands_avx2.c - the loops of bands.h for AVX2. */
#define BANDS_ISA avx2
#include "dist/bands_loops.h"
