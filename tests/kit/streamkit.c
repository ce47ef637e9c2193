/* streamkit.c - see streamkit.h. */
#define _POSIX_C_SOURCE 200809L
#include "streamkit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ordo_ctx *play_context(ordo_where where, unsigned threads, double share)
{
    ordo_ctx *const ctx = CONTEXT(.where = where, .threads = threads,
                                  .cpu_share = where == ORDO_HYBRID ? share : 0, .seed = 1);
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

void play_without_failures(void) { unsetenv("ORDO_PLAY_FAIL"); }

void play_pinned(bool pinned)
{
    if (pinned)
        setenv("ORDO_PLAY_PINNED", "1", 1);
    else
        unsetenv("ORDO_PLAY_PINNED");
}

void play_memory(const char *bytes)
{
    if (bytes != NULL)
        setenv("ORDO_PLAY_MEMORY", bytes, 1);
    else
        unsetenv("ORDO_PLAY_MEMORY");
}
