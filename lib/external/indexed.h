/* indexed.h - elements that get their position as a payload on the way from a source, and a sink
 * that gets only the positions.
 *
 * A record is the key of an element and its position, of 4 or 8 bytes. The calls sort records
 * (ties keep their sequence), so nothing else of the library knows about positions. */
#ifndef ORDO_EXTERNAL_INDEXED_H
#define ORDO_EXTERNAL_INDEXED_H

#include "external/external_call.h"

enum {
    INDEXED_STAGED = 4096 /* elements that are converted at once */
};

typedef struct indexed {
    external_call *call;       /* works on records */
    external_call  given;      /* has the source and the sink of the caller */
    size_t         key, width; /* bytes of a key and of a position */
    uint64_t       next;       /* position of the next element of the source */
    external_outer outer;
    char          *staging;
} indexed;

/* Makes `call`, whose arguments are read, a call on records whose positions have `width` bytes.
 * Call indexed_end() in any case. */
ordo_status indexed_begin(indexed *x, external_call *call, size_t width);
void        indexed_end(indexed *x);

#endif
