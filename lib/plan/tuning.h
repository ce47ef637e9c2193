/* tuning.h - every threshold of the library, each with the measurement that set it.
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
    /* Keys in one piece of a parallel loop over fixed-width keys. A piece is also what a scan
     * reads twice, so two pieces (in and out) should fit L2. */
    ORDO_TUNE_PIECE = ORDO_TUNE(1 << 15, 192),

    /* Up to this many keys a call stays on the calling thread. */
    ORDO_TUNE_ALONE = ORDO_TUNE(1 << 15, 64),

    /* Keys ranked between two looks ahead (greatest and mean ranks): 32 words of bits. */
    ORDO_TUNE_SPAN = ORDO_TUNE(2048, 128),

    /* Results of this many bytes and more are written past the cache where the ISA can. */
    ORDO_TUNE_STREAM = ORDO_TUNE(8 << 20, 512),

    /* Elements staged on each side by one step of the stable split. */
    ORDO_TUNE_SPLIT = ORDO_TUNE(512, 64)
};

#endif
