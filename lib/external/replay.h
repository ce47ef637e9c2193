/* replay.h - a source whose elements can be read several times and at any place.
 *
 * A regular file is read where it is. The data of a pipe or a callback are copied to temporary
 * files first, as they come. */
#ifndef ORDO_EXTERNAL_REPLAY_H
#define ORDO_EXTERNAL_REPLAY_H

#include "external/external_call.h"

typedef struct replay {
    external_call *call;
    uint64_t       n;       /* elements */
    uint64_t       start;   /* byte of the first element in a regular file */
    spill_list     chunks;  /* buffers of elements; without places: a regular file */
    size_t         chunk_n; /* elements of a chunk */
} replay;

/* The buffers of the call must exist. Call replay_close() in any case. */
bool replay_open(replay *r, external_call *c);
void replay_close(replay *r);

/* Reads n elements from element `first` on. Several threads may call it. */
bool replay_read(const replay *r, uint64_t first, char *elements, size_t n);

#endif
