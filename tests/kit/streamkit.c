/* streamkit.c - see streamkit.h. */
#define _POSIX_C_SOURCE 200809L
#include "api/api.h"
#include "streamkit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ordo_ctx *play_context(ordo_where where, unsigned threads, double share)
{
    ordo_ctx *const ctx = CONTEXT(.where = where, .threads = threads, .cpu_share = share);
    api_fix_seed(ctx, 1); /* the report depends on the sample */
    return ctx;
}

bool detail_says(const ordo_ctx *ctx, const char *what)
{
    ordo_report report = {.struct_size = sizeof report};
    return ordo_last_report(ctx, &report) == ORDO_OK && strstr(report.detail, what) != NULL;
}

/* ---- Failures ---- */

void play_fail(const char *function, int at, bool memory)
{
    char wish[64];
    snprintf(wish, sizeof wish, "%s:%d%s", function, at, memory ? ":memory" : "");
    setenv("ORDO_PLAY_FAIL", wish, 1);
}

void play_without_failures(void) { unsetenv("ORDO_PLAY_FAIL"); }

void play_memory(const char *bytes)
{
    if (bytes != NULL)
        setenv("ORDO_PLAY_ROOM", bytes, 1);
    else
        unsetenv("ORDO_PLAY_ROOM");
}
