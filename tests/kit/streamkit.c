/* streamkit.c - see streamkit.h. */
#define _POSIX_C_SOURCE 200809L
#include "streamkit.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void play_start(const char *folder_of_plugins)
{
    char folder[1024];
    snprintf(folder, sizeof folder, "%s/playing", folder_of_plugins);
    setenv("ORDO_BACKEND_DIR", folder, 1);
}

ordo_ctx *play_context(ordo_where where, unsigned threads, double share)
{
    ordo_ctx *ctx = NULL;
    CHECK_STATUS(ORDO_OK,
                 ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .where = where, .threads = threads,
                                                  .cpu_share = share, .seed = 1)),
                 NULL);
    return ctx;
}

ordo_facts facts_of(const ordo_ctx *ctx)
{
    ordo_report report = {.struct_size = sizeof report};
    CHECK_STATUS(ORDO_OK, ordo_last_report(ctx, &report), ctx);
    return report.facts;
}

bool was_streamed(const ordo_ctx *ctx)
{
    ordo_facts const facts = facts_of(ctx);
    return facts.strategy == ORDO_STRATEGY_STREAMED || facts.strategy == ORDO_STRATEGY_ROUNDS;
}

/* ---- Failures ---- */

void play_fail(const char *function, int at, bool memory)
{
    char wish[64];
    snprintf(wish, sizeof wish, "%s:%d%s", function, at, memory ? ":memory" : "");
    setenv("ORDO_PLAY_FAIL", wish, 1);
}

void play_well(void) { unsetenv("ORDO_PLAY_FAIL"); }

void play_room(const char *bytes)
{
    if (bytes != NULL)
        setenv("ORDO_PLAY_ROOM", bytes, 1);
    else
        unsetenv("ORDO_PLAY_ROOM");
}

static void *keep_cancelling(void *arg)
{
    canceller *const with = arg;
    while (!atomic_load(&with->over)) {
        ordo_cancel(with->ctx);
        sched_yield();
    }
    return NULL;
}

bool canceller_start(canceller *with)
{
    atomic_init(&with->over, false);
    return CHECK(pthread_create(&with->thread, NULL, keep_cancelling, with) == 0);
}

void canceller_end(canceller *with)
{
    atomic_store(&with->over, true);
    pthread_join(with->thread, NULL);
}
