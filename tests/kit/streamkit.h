/* streamkit.h - helpers for the tests of lib/hybrid, on machines without a device. The device is
 * tests/plugins/playing.c, which executes everything as late as allowed. This header has contexts
 * with that device, ways to make the device fail, a check of reports and a thread that cancels
 * calls. */
#ifndef ORDO_TESTS_STREAMKIT_H
#define ORDO_TESTS_STREAMKIT_H

#include "testkit.h"

#include <pthread.h>
#include <stdatomic.h>

#ifndef TEST_PLUGINS
#define TEST_PLUGINS "plugins" /* folder of the plugins; set by the build */
#endif

enum {
#ifdef ORDO_TINY
    STREAMED = 1 /* the thresholds of this build are low enough */
#else
    STREAMED = 0
#endif
};

/* Call it after testkit_start. Contexts then find the device in this folder. */
void play_start(const char *folder_of_plugins);

ordo_ctx *play_context(ordo_where where, unsigned threads, double share);
/* What the last successful call recorded, and whether that call was streamed, in rounds or not. */
ordo_facts facts_of(const ordo_ctx *ctx);
bool       was_streamed(const ordo_ctx *ctx);

/* From the next call on, the at-th use of a device function fails, with ORDO_E_NOMEM if `memory`.
 * play_well ends this. */
void play_fail(const char *function, int at, bool memory);
void play_well(void);
/* Sets the bytes of device memory. NULL: plenty. */
void play_room(const char *bytes);

/* A thread that cancels the context's calls again and again, so that calls stop at any point. */
typedef struct canceller {
    ordo_ctx   *ctx;
    pthread_t   thread;
    atomic_bool over;
} canceller;

/* False: the thread did not start, which is a failed check. */
bool canceller_start(canceller *with);
void canceller_end(canceller *with);

#endif
