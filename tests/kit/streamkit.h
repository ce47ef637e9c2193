/* streamkit.h - helpers for the tests of lib/hybrid, on machines without a device. The device is
 * tests/plugins/playing.c, which executes everything as late as allowed. This header has contexts
 * with that device, ways to make the device fail and a check of reports. */
#ifndef ORDO_TESTS_STREAMKIT_H
#define ORDO_TESTS_STREAMKIT_H

#include "faults.h"
#include "testkit.h"

#include <stdlib.h>

enum {
#ifdef ORDO_TINY
    STREAMED = 1 /* the thresholds of this build are low enough */
#else
    STREAMED = 0
#endif
};

/* After testkit_start: lets contexts find the device. */
static inline void play_start(void) { USE_PLUGIN("playing"); }

/* The same for tests in which every array must be streamed. Ends the test as skipped if the
 * thresholds of this build are too high. */
static inline void play_start_streamed(void)
{
    if (!STREAMED) {
        testkit_skip("only the test build streams arrays this small");
        exit(testkit_done());
    }
    play_start();
}

/* The share is for ORDO_HYBRID; other contexts have none. */
ordo_ctx *play_context(ordo_where where, unsigned threads, double share);
/* What the last successful call recorded, and whether that call was streamed, in rounds or not. */
ordo_facts facts_of(const ordo_ctx *ctx);
bool       was_streamed(const ordo_ctx *ctx);

/* From the next call on, the at-th use of a device function fails, with ORDO_E_NOMEM if `memory`.
 * play_without_failures ends this. */
void play_fail(const char *function, int at, bool memory);
void play_without_failures(void);
/* Sets the size of device memory in bytes. NULL: more than any test needs. */
void play_memory(const char *bytes);
/* Whether all host arrays are pinned memory of the device. */
void play_pinned(bool pinned);

#endif
