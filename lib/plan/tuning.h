/* tuning.h - thresholds of the planner; costs.def has the costs that `ordo tune` measures.
 * cpu/base/tuning.h describes the machines. */
#ifndef ORDO_PLAN_TUNING_H
#define ORDO_PLAN_TUNING_H

#include "backend/tuning.h"

enum {
    /* Picoseconds of one thread for a byte of keys and values that are sorted, constant, reversed
     * or nearly sorted (look_keys.c), at most. EMR, 2^28 keys f32, 16 threads: 12 ms if sorted, 26
     * at most; the same array took 45 ms on an H200. */
    ORDO_TUNE_CPU_ORDERED = 390,

    /* Milliseconds to open the GPU if the process has a CUDA context already. The same machine, a
     * sort of 2^16 keys after PyTorch made its context: 35 ms more than the next one; without a
     * context 285. */
    ORDO_TUNE_DEVICE_JOIN = 35,

    /* Jobs with a predicted CPU time of at least this many microseconds get a prediction for the
     * GPU, too: 2^16 keys u32 take a GPU that long (above), and the CPU 270. */
    ORDO_TUNE_WEIGH_LEAST = ORDO_TUNE(100, 0),

    /* Jobs with fewer keys never get a prediction. V1, a sort of 16 keys u32: 92 ns with this
     * check, 98 ns without. */
    ORDO_TUNE_WEIGH_KEYS = ORDO_TUNE(1024, 1),

    /* Picoseconds of one thread that a device saves per string, including the time of the link, for
     * strings that differ in their first bytes, where it saves least. EMR and an H200, 500 MB,
     * argsort, ms by 16 threads and with the device: random strings of 1 to 500 characters 10.4,
     * 7.6; words of 15 letters 120, 60; 70 letters of ACGT 90, 23; protein records 236, 34. */
    ORDO_TUNE_CPU_STRING_SAVED = 30000
};

#endif
