/* bands.h - loops over blocks of orders that compare them with a few boundaries, one table for each
 * instruction set. They have no branch on data. */
#ifndef ORDO_DIST_BANDS_H
#define ORDO_DIST_BANDS_H

#include "core/base.h"

typedef struct bands_loops {
    const char *isa;
    /* Adds the number of orders below the boundary, and the number up to it. */
    void (*count)(const uint64_t *orders, size_t n, uint64_t boundary, uint64_t *below,
                  uint64_t *up_to);
    /* Copies the orders from `first` on that are less than first + width to out, which has room for
     * n + 1. Returns their number. */
    size_t (*collect)(const uint64_t *orders, size_t n, uint64_t first, uint64_t width,
                      uint64_t *out);
} bands_loops;

extern const bands_loops bands_generic, bands_avx2, bands_avx512;

/* The table of an instruction set, or the portable one. */
const bands_loops *bands_for(const char *isa);

#endif
