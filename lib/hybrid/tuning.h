/* tuning.h - thresholds of the hybrid backend, each with the measurement that set it. cpu/tuning.h
 * names the machines. */
#ifndef ORDO_HYBRID_TUNING_H
#define ORDO_HYBRID_TUNING_H

#include "backend/tuning.h"

enum {
    /* Bytes of one piece on the link at least, and of a run or segment that the device sorts. */
    ORDO_TUNE_PIECE_LEAST = ORDO_TUNE(512 << 10, 256),
    ORDO_TUNE_RUN_BYTES = ORDO_TUNE(64 << 20, 1 << 11),

    /* Records of one of the CPU's bins, which a thread sorts in its cache. */
    ORDO_TUNE_BIN = ORDO_TUNE(1 << 16, 100),

    /* Threads from which on results are packed for the link: unpacking takes about as long as a
     * copy, but few threads are the limit in either case. An estimate. */
    ORDO_TUNE_PACK_THREADS = ORDO_TUNE(4, 1),

    /* Threads that bring segments home before they sort bins. */
    ORDO_TUNE_LINK_THREADS = 8,

    /* Per cent of the keys that the device sorts before the others are there, where ranks are
     * streamed: so many that it is done when they are. EMR and an H200, 2^28 keys u32, ms for 60,
     * 70, 80 and 100 per cent (no merge): 50.9, 49.9, 51.2, 53.6. */
    ORDO_TUNE_RANK_FIRST = 70,

    /* Strings with a device's help (lib/hybrid/strings/strings.h): strings from which on, strings looked at
     * for what all have in common, keys in one block of a search for groups. Estimates. */
    ORDO_TUNE_STRINGS_STREAM = ORDO_TUNE(1 << 18, 150),
    ORDO_TUNE_STRINGS_SAMPLE = ORDO_TUNE(1 << 13, 16),
    ORDO_TUNE_STRINGS_TIES = ORDO_TUNE(1 << 15, 48),

    /* Strings of a group, and of all groups together, that are worth another round. Estimates: a
     * round costs about a millisecond beside its strings. */
    ORDO_TUNE_STRINGS_GROUP = ORDO_TUNE(32, 5),
    ORDO_TUNE_STRINGS_ROUND = ORDO_TUNE(1 << 17, 40)
};

#endif
