/* tuning.h - built-in costs, which predictions use until `ordo tune` has measured the machine.
 * cpu/base/tuning.h describes the machines. */
#ifndef ORDO_PLAN_TUNING_H
#define ORDO_PLAN_TUNING_H

#include "backend/tuning.h"

enum {
    /* Picoseconds of one thread to sort a key on the CPU: keys of 1 or 2, 4, and 8 bytes; added for
     * a byte of a value, an index, a rank. EMR, 10^8 keys, 16 threads, Gkeys/s: u32 1.6, u64 1.0,
     * pairs u32/u32 1.0, argsort f32 0.9; 8e5 keys: rank average f64 0.25. */
    ORDO_TUNE_CPU_NARROW = 1500,
    ORDO_TUNE_CPU_32 = 10000,
    ORDO_TUNE_CPU_64 = 16000,
    ORDO_TUNE_CPU_VALUE = 1500,
    ORDO_TUNE_CPU_INDEX = 8000,
    ORDO_TUNE_CPU_RANK = 50000,

    /* The same for a byte of keys and values that are sorted or constant, reversed, and nearly
     * sorted (look_keys.c). EMR, 2^28 keys f32, 16 threads: 12 ms if sorted, 26 at most; the same
     * array took 45 ms on an H200. */
    ORDO_TUNE_CPU_RISING = 180,
    ORDO_TUNE_CPU_FALLING = 390,
    ORDO_TUNE_CPU_NEARLY = 390,

    /* Number of threads in those measurements. Per cent of these costs if a thread runs alone (EMR,
     * 10^7 keys u32, one thread: 57 ms), and if a thread sorts in its cache (2^16 keys: 3.0 ns per
     * key). Microseconds of a call with all threads (2^20 keys u32 take 1.0 ms). */
    ORDO_TUNE_CPU_THREADS = 16,
    ORDO_TUNE_CPU_ALONE = 57,
    ORDO_TUNE_CPU_SMALL = 40,
    ORDO_TUNE_CPU_CALL = ORDO_TUNE(200, 0),

    /* Costs of the GPU. MB/s of copies of host arrays in both directions by one thread (an
     * estimate), by all threads for whole arrays, and by all threads streamed; microseconds per
     * call, whole and streamed; milliseconds to open the GPU. EMR and an H200, u32 keys sorted in
     * host memory, ms for 2^20, 2^22, 2^24, 2^26, 2^28, 2^30: 0.8, 1.8, 5.2, 15.7, 46, 170 (192
     * with a copy kept), the first call 230 to 280 more; 16 threads alone 1.0, 2.5, 9.8, 43, 216,
     * 818. Whole, for 2^16, 2^18, 2^20, 2^22: 0.10, 0.54, 0.93, 1.86. `ordo tune` measures all of
     * them (plan/calibration.h); there it found 8513, 15627, 35495, 172, 4142, 228. */
    ORDO_TUNE_STAGE_THREAD = 6500,
    ORDO_TUNE_STAGE_WHOLE = 18000,
    ORDO_TUNE_STAGE_ALL = 45000,
    ORDO_TUNE_DEVICE_CALL = ORDO_TUNE(200, 1),
    ORDO_TUNE_STREAM_CALL = ORDO_TUNE(2000, 1),
    ORDO_TUNE_DEVICE_OPEN = 250,

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
    ORDO_TUNE_CPU_STRING_SAVED = 30000,

    /* Picoseconds of one thread for a string that differs in its first bytes, and for each further
     * read (plan.c estimates their number). Xeon (Sapphire Rapids, 2
     * cores), one thread, argsort, ns a string: 15 random letters 39 (10^5), 44 (3e6); words of
     * English text 44; log lines 106; URLs 135; 70 letters of ACGT 122; log lines that begin
     * alike 220. */
    ORDO_TUNE_CPU_STRING = 42000,
    ORDO_TUNE_CPU_STRING_MORE = 50000
};

#endif
