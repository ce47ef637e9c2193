/* tuning.h - thresholds that the planner and the backends share, each with the measurement that set
 * it. cpu/base/tuning.h describes the machines. */
#ifndef ORDO_BACKEND_TUNING_H
#define ORDO_BACKEND_TUNING_H

#include "core/base.h"

/* ORDO_TUNE(a, b) is a, or b in the test build (ORDO_TINY). */
#ifdef ORDO_TINY
#define ORDO_TUNE(production, tiny) (tiny)
#else
#define ORDO_TUNE(production, tiny) (production)
#endif

#if defined(__aarch64__)
#define ORDO_TUNE_NEON(neon, other) (neon)
#else
#define ORDO_TUNE_NEON(neon, other) (other)
#endif

enum {
    /* Bytes of the smallest L2 cache, that of V1. */
    ORDO_TUNE_L2 = ORDO_TUNE(1 << 20, 1 << 10),

    /* Up to this many bytes of records, one thread sorts them inside its cache: the records, their
     * spare copy, the input and the result fill it. */
    ORDO_RADIX_ALONE = ORDO_TUNE_L2 / 4,

    /* More strings than this are sorted by all threads together, fewer by one thread. V1, one
     * thread, 10^7 random words of 15 letters, M strings/s of CPU time for 2^14, 2^16, 2^18: 47.6,
     * 47.3, 47.7. A smaller value means more loops for 16 threads, a larger one fewer groups to
     * share. */
    ORDO_TUNE_STRINGS_LARGE = ORDO_TUNE(1 << 16, 64),

    /* From this many bytes of records on, a host array is streamed through a device (lib/hybrid)
     * instead of copied as a whole. By the costs of plan/costs.def both take as long for 27 MB. */
    ORDO_TUNE_STREAM_LEAST = ORDO_TUNE(32 << 20, 1 << 10),

    /* Per cent of the records that the CPU sorts if the caller gives no share. EMR and an H200,
     * 2^30 keys u32, ms for 0, 5, 10, 20 and 50 per cent: 192, 217, 249, 395, 783. The copies of
     * the link use the memory bandwidth that the CPU needs to sort. */
    ORDO_TUNE_CPU_SHARE = ORDO_TUNE(0, 20),

    /* From this many keys on, a share for the CPU that the caller asks for is used or refused. */
    ORDO_TUNE_SHARE_LEAST = ORDO_TUNE(1 << 16, 300),

    /* Ranks are streamed from this many bytes on, where a byte of a rank beyond the four that the
     * link carries counts three times. The sort of the keys and the writing of the ranks are then
     * hidden, but the call costs more. EMR and an H200, ms whole and streamed: u32 to u32 2^28 keys
     * 54.5, 49.9, 2^24 keys 4.4, 6.4; f32 to f64 2^28 75.4, 54; u64 to u32 2^27 40.9, 36.8. */
    ORDO_TUNE_RANK_STREAM = ORDO_TUNE(400 << 20, 1),

    /* Up to this many keys, ranks (twice the rank for averages) are sent as 32-bit integers. */
    ORDO_TUNE_RANK_NARROW = ORDO_TUNE(INT32_MAX, 5000)
};

/* Whether ranks are faster streamed than with whole arrays. */
static inline bool ordo_rank_is_streamed(ordo_type type, size_t n, ordo_type rank_type)
{
    return n * (ordo_type_size(type) + 3 * (ordo_type_size(rank_type) - 4)) >=
           ORDO_TUNE_RANK_STREAM;
}

#endif
