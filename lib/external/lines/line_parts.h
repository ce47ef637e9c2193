/* line_parts.h - what the two halves of the work on a buffer share (line_split.c, line_work.c). */
#ifndef ORDO_EXTERNAL_LINE_PARTS_H
#define ORDO_EXTERNAL_LINE_PARTS_H

#include "backend/exec.h"
#include "backend/tuning.h"
#include "external/lines/line_work.h"

enum {
    LINE_CHUNK = ORDO_TUNE(4 << 10, 32), /* bytes of a text that one step of a loop splits */
    LINE_GRAIN = 32,                     /* chunks of a piece of such a loop */
    LINE_MOST_PARTS = 64
};

typedef struct key_part { /* a share of the lines, for one thread */
    size_t   first, end;  /* its lines */
    char    *at;          /* its memory for keys */
    size_t   room, used;
    size_t   moved; /* where its keys are after all */
    bool     failed;
    key_room scratch;
} key_part;

static inline size_t line_parts(const line_work *w)
{
    return ordo_min(ordo_max(w->call->exec->threads, 1), LINE_MOST_PARTS);
}

#endif
