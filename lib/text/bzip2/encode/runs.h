/* runs.h - the first step of bzip2: runs of 4 to 255 equal bytes become 4 bytes and a count. */
#ifndef ORDO_TEXT_BZIP2_ENCODE_RUNS_H
#define ORDO_TEXT_BZIP2_ENCODE_RUNS_H

#include "text/bzip2/format.h"

enum {
    BZ_MOST_RUN = 255,
    BZ_FULL_MARGIN = 19 /* a block is full when it has its largest size less this */
};

typedef struct bz_splitter {
    unsigned pending; /* length of the run that has not ended: 0 to 255 */
    uint8_t  byte;    /* of that run */
} bz_splitter;

typedef struct bz_block { /* a block that is being filled */
    uint8_t *text;        /* the size of a block and BZ_TEXT_PAD */
    uint32_t n, full;     /* full: the block ends when n >= full */
} bz_block;

/* Moves bytes into the block until it is full or there are no more. Returns the number of bytes
 * taken. The run at the end stays in the splitter: it may go on, or go to the next block. */
size_t bz_split(bz_splitter *s, bz_block *block, const uint8_t *bytes, size_t n);

/* At the end of the data: moves the last run into the block. */
void bz_split_end(bz_splitter *s, bz_block *block);

#endif
