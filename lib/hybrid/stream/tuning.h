/* tuning.h - thresholds of the hybrid backend, each with the measurement that set it.
 * cpu/base/tuning.h describes the machines. */
#ifndef ORDO_HYBRID_STREAM_TUNING_H
#define ORDO_HYBRID_STREAM_TUNING_H

#include "backend/tuning.h"

enum {
    /* The least bytes of a chunk on the link, and of a batch or segment that the device sorts.
     * Estimates. */
    ORDO_TUNE_LINK_CHUNK = ORDO_TUNE(512 << 10, 256),
    ORDO_TUNE_LINK_BATCH = ORDO_TUNE(64 << 20, 1 << 11),

    /* Records of a bucket that one CPU thread sorts in its cache. An estimate. */
    ORDO_TUNE_HYBRID_BUCKET = ORDO_TUNE(1 << 16, 100),

    /* Least number of keys of a sample sort on several devices: those of figure 3.2. */
    ORDO_TUNE_SAMPLE_LEAST = 9,

    /* The least number of threads for packed results: with fewer threads the CPU limits the sort,
     * and unpacking would add work. An estimate. */
    ORDO_TUNE_PACK_THREADS = ORDO_TUNE(4, 1),

    /* Threads that fetch segments before they sort buckets. An estimate. */
    ORDO_TUNE_LINK_THREADS = 8,

    /* Per cent of the keys in the first batch of a ranking. EMR and an H200, 2^28 keys u32, ms for
     * 60, 70, 80 and 100 (no merge) per cent: 50.9, 49.9, 51.2, 53.6. */
    ORDO_TUNE_RANK_FIRST = 70,

    /* The least number of strings for the device; the strings in the survey; the keys in a block of
     * the search for groups. Estimates. */
    ORDO_TUNE_STRINGS_STREAM = ORDO_TUNE(1 << 18, 150),
    ORDO_TUNE_STRINGS_SAMPLE = ORDO_TUNE(1 << 13, 16),
    ORDO_TUNE_STRINGS_KEYS = ORDO_TUNE(1 << 15, 48),

    /* Least number of strings in a group, and in all groups together, for another round. Estimates:
     * a round costs about a millisecond besides its strings. */
    ORDO_TUNE_STRINGS_GROUP = ORDO_TUNE(32, 5),
    ORDO_TUNE_STRINGS_ROUND = ORDO_TUNE(1 << 17, 40)
};

#endif
