/* tuning.h - every threshold of the library, each with the measurement that set it.
 *
 * Machines: V1 is a Neoverse V1 with 2 cores, 1 MB L2 each; EMR a Xeon (Emerald Rapids) with 16
 * cores, 2 MB L2 each. Taken in November 2026 with `ordo bench` at 64e6 keys unless said.
 *
 * ORDO_TINY is the test build: it shrinks them all, so that a thousand keys reach every phase,
 * every boundary between pieces and every thread. */
#ifndef ORDO_PLAN_TUNING_H
#define ORDO_PLAN_TUNING_H

#ifdef ORDO_TINY
#define ORDO_TUNE(production, tiny) (tiny)
#else
#define ORDO_TUNE(production, tiny) (production)
#endif

enum {
    /* Keys in one piece of a parallel loop. Short pieces restart the prefetchers too often; long
     * ones leave the cache before a scan reads them again. V1, 2 threads, ms for 2^12, 2^13,
     * 2^14, 2^15, 2^16 keys: rank f32 -> u32 15.0, 13.0, 11.5, 11.4, 10.8; sum of u32 18.1, 16.3,
     * 16.1, 19.0, not taken. */
    ORDO_TUNE_PIECE = ORDO_TUNE(1 << 15, 192),

    /* Up to this many keys a call stays on the calling thread. Waking 15 threads costs about as
     * much as ranking 10^5 keys: EMR, 10^5 keys f32 -> u32, 38 us alone and 42 us with 16
     * threads; byte flags -> u32 13 us and 36 us. */
    ORDO_TUNE_ALONE = ORDO_TUNE(1 << 17, 64),

    /* Ordinal ranks written by one call of a kernel, from words of ones on the stack. */
    ORDO_TUNE_SPAN = ORDO_TUNE(2048, 128),

    /* Results of this many bytes and more are written past the cache where the ISA can (x86): an
     * ordinary store first reads the line it overwrites. EMR, 16 threads, 128e6 keys: sums of 32
     * bits 14.0 ms with ordinary stores and scalar sums, 8.0 ms with vector sums streamed. */
    ORDO_TUNE_STREAM = ORDO_TUNE(8 << 20, 512),

    /* Elements staged on each side by one step of the stable split: two buffers of at most 8 KB
     * stay in L1. */
    ORDO_TUNE_SPLIT = ORDO_TUNE(512, 64)
};

#endif
