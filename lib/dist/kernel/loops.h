/* loops.h - the inner loops of calls over many ranks, one table for each instruction set. No loop
 * has a branch on data. */
#ifndef ORDO_DIST_KERNEL_LOOPS_H
#define ORDO_DIST_KERNEL_LOOPS_H

#include "core/base.h"

enum {
    DIST_COLLECT_ROOM = 8 /* words behind the result that a loop may overwrite */
};

typedef struct dist_loops {
    const char *isa;
    /* Adds the number of orders below the boundary, and the number up to it. */
    void (*count)(const uint64_t *orders, size_t n, uint64_t boundary, uint64_t *below,
                  uint64_t *up_to);
    /* Copies the orders from `first` on that are less than first + width to out, which has room for
     * n + DIST_COLLECT_ROOM. Returns their number. */
    size_t (*collect)(const uint64_t *orders, size_t n, uint64_t first, uint64_t width,
                      uint64_t *out);
    /* Merges two sorted arrays of words to out, which overlaps neither. */
    void (*merge_32)(const uint32_t *a, size_t na, const uint32_t *b, size_t nb, uint32_t *out);
    void (*merge_64)(const uint64_t *a, size_t na, const uint64_t *b, size_t nb, uint64_t *out);
} dist_loops;

extern const dist_loops dist_loops_generic, dist_loops_avx2, dist_loops_avx512;

/* The table of an instruction set, or the portable one. */
const dist_loops *dist_loops_for(const char *isa);

#endif
