/* bands.c - the portable loops of bands.h, and the choice of a table. */
#define BANDS_ISA generic
#include "dist/bands_loops.h"

#include <string.h>

const bands_loops *bands_for(const char *isa)
{
#ifdef __x86_64__
    if (strcmp(isa, bands_avx512.isa) == 0)
        return &bands_avx512;
    if (strcmp(isa, bands_avx2.isa) == 0)
        return &bands_avx2;
#endif
    (void)isa;
    return &bands_generic;
}
