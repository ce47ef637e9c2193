/* tuning.h - thresholds of the papers' algorithms in libordo, each with the measurement that set it.
 * cpu/tuning.h describes the machines. */
#ifndef ORDO_PAPERS_TUNING_H
#define ORDO_PAPERS_TUNING_H

#include "backend/tuning.h"

enum {
    /* Median: items of a bitonic network's block, whose exchanges are done in the cache. V1, 2e6
     * items of 32 bits, ms of one thread for 2^12, 2^14, 2^16: 87.4, 85.5, 85.2. */
    ORDO_TUNE_BITONIC_BLOCK = ORDO_TUNE(1 << 14, 32)
};

#endif
