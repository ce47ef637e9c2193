/* tuning.h - thresholds of the papers' algorithms in libordo, each with the measurement that set
 * it. cpu/base/tuning.h describes the machines. */
#ifndef ORDO_PAPERS_TUNING_H
#define ORDO_PAPERS_TUNING_H

#include "backend/tuning.h"

enum {
    /* Sample sort: lg of the leaves of the splitter tree; there are twice as many buckets. A GPU
     * keeps the tree and the histogram of 2^8 leaves in the shared memory of a block. */
    ORDO_TUNE_SAMPLE_LG = ORDO_TUNE(8, 3),
    /* The most with splitters at intervals of sqrt(n), for 2^28 items: a block of a GPU keeps a
     * histogram of 2^15 buckets in 128 KB of shared memory. */
    ORDO_TUNE_SAMPLE_MOST_LG = ORDO_TUNE(14, 5),

    /* Sample sort: buckets up to this many items are merge sorted; items labelled by one piece,
     * which fit the L2 cache with their labels. V1, 3e6 random items of 128 bits, ms of one thread
     * for 2^12, 2^14, 2^16 merged: 122, 124, 148. */
    ORDO_TUNE_SAMPLE_BASE = ORDO_TUNE(1 << 14, 128),
    ORDO_TUNE_SAMPLE_PIECE = ORDO_TUNE(1 << 16, 96),
    ORDO_TUNE_SAMPLE_LEAST_PIECE = ORDO_TUNE(1 << 12, 32),
    /* The same as SAMPLE_BASE where the CPU has a vector sort of words. Sapphire Rapids, 2^24
     * random items of 64 bits, ms of phase IV on one thread for 2^16 and 2^21: 297, 109. */
    ORDO_TUNE_SAMPLE_WORDS = ORDO_TUNE(1 << 21, 128),

    /* Median: items of a bitonic network's block, whose exchanges are done in the cache. V1, 2e6
     * items of 32 bits, ms of one thread for 2^12, 2^14, 2^16: 87.4, 85.5, 85.2. */
    ORDO_TUNE_BITONIC_BLOCK = ORDO_TUNE(1 << 14, 32)
};

#endif
