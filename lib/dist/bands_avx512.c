/* bands_avx512.c - the loops of bands.h for AVX-512. */
#define BANDS_ISA avx512
#include "dist/bands_loops.h"
