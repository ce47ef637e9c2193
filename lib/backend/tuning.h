/* tuning.h - thresholds that the planner and a backend must agree on, each with the measurement
 * that set it. cpu/tuning.h names the machines. */
#ifndef ORDO_BACKEND_TUNING_H
#define ORDO_BACKEND_TUNING_H

#include "core/base.h"
#include "core/tune.h"

enum {
    /* Bytes of records that one thread sorts in its cache without a split by samples. */
    ORDO_TUNE_RADIX_ALONE = ORDO_TUNE(256 << 10, 256),

    /* Strings are sorted by all threads together above this many, by one thread below. V1, one
     * thread, 10^7 random words of 15 letters, M strings/s of CPU time for 2^14, 2^16, 2^18: 47.6,
     * 47.3, 47.7. Smaller would make more loops for 16 threads, larger fewer groups to share. */
    ORDO_TUNE_STRINGS_LARGE = ORDO_TUNE(1 << 16, 64),

    /* Bytes of records from which a host array is streamed through a device rather than brought
     * there whole (lib/hybrid). An estimate: 2^24 keys u32 take 5.2 ms streamed. */
    ORDO_TUNE_STREAM_LEAST = ORDO_TUNE(32 << 20, 1 << 10),

    /* Per cent of the records that the CPU sorts where the share is not given. EMR and an H200,
     * 2^30 keys u32, ms for 0, 5, 10, 20 and 50 per cent: 192, 217, 249, 395, 783: the copies of
     * the link take the memory bandwidth that the CPU would sort with. */
    ORDO_TUNE_CPU_SHARE = ORDO_TUNE(0, 20),

    /* Ranks are streamed where that saves more than it costs, over bringing the arrays whole: ps
     * for each byte of a key, whose sort is hidden, and for each byte of a rank beyond the four
     * that the link carries; microseconds for the call. EMR and an H200, ms whole and streamed: u32
     * to u32 2^28 keys 54.5, 49.9, 2^24 keys 4.4, 6.4; f32 to f64 2^28 75.4, 54; u64 to u32 2^27
     * 40.9, 36.8. */
    ORDO_TUNE_RANK_SAVED_KEY = 6,
    ORDO_TUNE_RANK_SAVED_RANK = 16,
    ORDO_TUNE_RANK_STREAM = ORDO_TUNE(2400, 0),

    /* Most keys whose ranks, and twice their averages, come home as numbers of 32 bits. */
    ORDO_TUNE_RANK_NARROW = ORDO_TUNE(INT32_MAX, 5000)
};

/* Whether ranks come home sooner streamed than from an array that is brought there whole. */
static inline bool ordo_rank_streams(ordo_type type, size_t n, ordo_type rank_type)
{
    double const saved = ORDO_TUNE_RANK_SAVED_KEY * (double)ordo_type_size(type) +
                         ORDO_TUNE_RANK_SAVED_RANK * ((double)ordo_type_size(rank_type) - 4);
    return (double)n * saved >= ORDO_TUNE_RANK_STREAM * 1e6;
}

#endif
