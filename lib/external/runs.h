/* runs.h - sorted runs on disk, in blocks, and what is known of each block.
 *
 * All blocks of all runs are numbered in the order of the runs. For each block memory holds the
 * order of its first element, its number of elements, its bytes and its checksum: 20 bytes. */
#ifndef ORDO_EXTERNAL_RUNS_H
#define ORDO_EXTERNAL_RUNS_H

#include "external/blocks.h"
#include "external/spill.h"

typedef struct run {
    unsigned file;
    uint64_t offset; /* of its first byte */
    size_t   block;  /* the number of its first block */
    size_t   blocks;
    uint64_t n; /* elements */
} run;

typedef struct runs {
    element_kind kind;
    size_t       block_n; /* the most elements of a block */
    spill       *spill;
    trouble     *trouble;

    run   *all;
    size_t count, room;

    uint64_t *first; /* of block i: the order of its first element, */
    uint32_t *n;     /* its number of elements, */
    uint32_t *bytes; /* its length on disk, */
    uint32_t *crc;   /* its checksum */
    size_t    blocks, block_room;
    size_t    bound; /* the most blocks that memory may describe */
    char     *staging;
    size_t    staged; /* bytes in it */
} runs;

enum {
    RUNS_STAGING = 1 << 20
};

/* `bound` limits the number of blocks. Call runs_close() in any case. */
bool runs_open(runs *r, const element_kind *kind, size_t block_n, size_t bound, spill *s);
void runs_close(runs *r);

/* Begin a run, append sorted elements to it in any number of calls, end it. */
bool runs_begin(runs *r);
bool runs_append(runs *r, const char *elements, size_t n);
bool runs_end(runs *r);

#endif
