/* loops.h - the inner loops of calls over many processes, one table for each instruction set. No
 * loop has a branch on data. */
#ifndef ORDO_DIST_KERNEL_LOOPS_H
#define ORDO_DIST_KERNEL_LOOPS_H

#include "core/base.h"

typedef struct dist_loops {
    const char *isa;
    /* Merges two sorted arrays of words to out, which overlaps neither. */
    void (*merge_32)(const uint32_t *a, size_t na, const uint32_t *b, size_t nb, uint32_t *out);
    void (*merge_64)(const uint64_t *a, size_t na, const uint64_t *b, size_t nb, uint64_t *out);
} dist_loops;

extern const dist_loops dist_loops_generic, dist_loops_avx2, dist_loops_avx512;

/* The table of an instruction set, or the portable one. */
const dist_loops *dist_loops_for(const char *isa);

#endif
