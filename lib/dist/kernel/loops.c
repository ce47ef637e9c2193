/* loops.c - the portable loops of loops.h, and the choice of a table. */
#include "dist/kernel/plain.h"

const dist_loops dist_loops_generic = {"generic", merge_32, merge_64};

const dist_loops *dist_loops_for(const char *isa)
{
#ifdef __x86_64__
    if (strcmp(isa, dist_loops_avx512.isa) == 0)
        return &dist_loops_avx512;
    if (strcmp(isa, dist_loops_avx2.isa) == 0)
        return &dist_loops_avx2;
#endif
    (void)isa;
    return &dist_loops_generic;
}
