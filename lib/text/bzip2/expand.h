/* expand.h - the last step of decompression: 4 equal bytes and a count become a run. */
#ifndef ORDO_TEXT_BZIP2_EXPAND_H
#define ORDO_TEXT_BZIP2_EXPAND_H

#include "text/bzip2/format.h"

typedef struct bz_expander { /* begins as {.text = text, .n = n} */
    const uint8_t *text;
    size_t         n, at;
    unsigned       equal;    /* equal bytes at the end of the output, 0 to 4; 4: a count follows */
    unsigned       repeated; /* bytes of a run that have not been written */
} bz_expander;

/* Writes at most `room` bytes and returns their number; 0 at the end of the block. */
size_t bz_expand(bz_expander *e, uint8_t *out, size_t room);

/* The checksum `crc` after all bytes that have not been expanded yet. */
uint32_t bz_expanded_crc(bz_expander *e, uint32_t crc);

/* Where the first four equal bytes begin; n if there are none. */
size_t bz_find_run(const uint8_t *bytes, size_t n);

#endif
