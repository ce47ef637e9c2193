/* tuning.h - thresholds of the hybrid backend, each with the measurement that set it.
 * cpu/base/tuning.h describes the machines. */
#ifndef ORDO_HYBRID_STREAM_TUNING_H
#define ORDO_HYBRID_STREAM_TUNING_H

#include "backend/tuning.h"

enum {
    /* The least bytes of a chunk on the link: 16 threads get four chunks each of the smallest array
     * that is streamed. */
    ORDO_TUNE_LINK_CHUNK = ORDO_TUNE_STREAM_LEAST / ORDO_TUNE(64, 4),

    /* The least bytes of a batch or segment that the device sorts: there are at least two, so a
     * batch is shorter only if the array has less than twice as many. */
    ORDO_LINK_BATCH = 2 * ORDO_TUNE_STREAM_LEAST,

    /* Keys of 4 bytes in a bucket that one CPU thread sorts in its cache. */
    ORDO_HYBRID_BUCKET = ORDO_RADIX_ALONE / 4,

    /* Least number of keys of a sample sort on several devices: those of figure 3.2. */
    ORDO_TUNE_SAMPLE_LEAST = 9,

    /* Threads that fetch segments before they sort buckets: enough for all copies of the link.
     * STAGE_ALL is 7 times STAGE_THREAD (plan/costs.def). */
    ORDO_TUNE_LINK_THREADS = 8,

    /* Per cent of the keys in the first batch of a ranking. EMR and an H200, 2^28 keys u32, ms for
     * 60, 70, 80 and 100 (no merge) per cent: 50.9, 49.9, 51.2, 53.6. */
    ORDO_TUNE_RANK_FIRST = 70,

    /* The strings in the survey. It shows each share of the strings to within 2 per cent, three
     * standard deviations. */
    ORDO_TUNE_STRINGS_SAMPLE = ORDO_TUNE(1 << 13, 16),

    /* Keys of 8 bytes in a block of the search for groups, which stays in the cache. */
    ORDO_STRINGS_KEYS = ORDO_RADIX_ALONE / 8,

    /* Least number of strings in all groups together for another round, which costs about a
     * millisecond besides its strings: 16 threads need as long for CPU_STRING and CPU_STRING_MORE
     * (plan/costs.def) of 170,000 strings. The least number for the device is that of two
     * rounds. */
    ORDO_TUNE_STRINGS_ROUND = ORDO_TUNE(1 << 17, 40),
    ORDO_STRINGS_STREAM = 2 * ORDO_TUNE_STRINGS_ROUND,

    /* Least number of strings in a group for another round. An estimate. */
    ORDO_TUNE_STRINGS_GROUP = ORDO_TUNE(32, 5)
};

#endif
