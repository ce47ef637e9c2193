/* streamkit.h - what the tests of streaming (lib/hybrid) share. The device is that of
 * tests/plugins/playing.c, which does everything as late as it may: contexts that have it, ways to
 * make it fail, what reports say, and a thread that cancels calls. */
#ifndef ORDO_TESTS_STREAMKIT_H
#define ORDO_TESTS_STREAMKIT_H

#include "testkit.h"

#include <pthread.h>
#include <stdatomic.h>

#ifndef TEST_PLUGINS
#define TEST_PLUGINS "plugins" /* the folder of the shared objects; the build knows it */
#endif

enum {
#ifdef ORDO_TINY
    STREAMED = 1 /* thresholds are low enough for it */
#else
    STREAMED = 0
#endif
};

/* After testkit_start: contexts find the device in this folder of the plugins'. */
void play_start(const char *folder_of_plugins);

ordo_ctx *play_context(ordo_where where, unsigned threads, double share);
/* Whether the last call's report has these words. */
bool detail_says(const ordo_ctx *ctx, const char *what);

/* From the next call on the `at`th use of a function of the device fails; for want of memory, too,
 * if that is so. play_well: no more. */
void play_fail(const char *function, int at, bool memory);
void play_well(void);
/* The device's memory, in bytes; NULL: more than enough. */
void play_room(const char *bytes);

/* A thread that cancels whatever the context does, again and again, until it is told to end: so
 * calls are stopped at any place. */
typedef struct canceller {
    ordo_ctx   *ctx;
    pthread_t   thread;
    atomic_bool over;
} canceller;

bool canceller_start(canceller *with); /* false: no thread; the test has failed by then */
void canceller_end(canceller *with);

#endif
