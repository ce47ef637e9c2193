/* lanes.h - sequences of 64-bit numbers in the temporary files, one for each run, that grow side by
 * side and are read one after the other.
 *
 * Each lane collects numbers in its own staging array, which is packed as a block (blocks.h) when
 * it is full. Numbers that ascend take few bits. Memory: the staging arrays of the lanes that grow,
 * and 24 bytes for each block. */
#ifndef ORDO_EXTERNAL_LANES_H
#define ORDO_EXTERNAL_LANES_H

#include "external/disk/blocks.h"
#include "external/disk/spill.h"

typedef struct rank_lane rank_lane;

typedef struct lanes {
    rank_lane     *all;
    size_t         count;
    size_t         block_n; /* numbers of a block */
    spill         *spill;
    unsigned char *packed; /* a block on its way */
} lanes;

enum {
    LANES_BLOCK_MEMORY = 24
};

/* Call lanes_close() in any case. */
bool lanes_open(lanes *l, size_t count, size_t block_n, spill *s);
void lanes_close(lanes *l);

/* Bytes of memory of `count` lanes with `n` numbers in all, besides the staging arrays. */
size_t lanes_memory(size_t count, size_t block_n, uint64_t n);

/* Appends `times` copies of a number. */
bool lanes_append(lanes *l, size_t which, uint64_t number, uint64_t times);

/* Writes what the staging arrays hold, and frees them. Call it after the last number of the lanes
 * that grow; other lanes may grow afterwards. */
bool lanes_end(lanes *l);

/* Reads all numbers of a lane. */
bool lanes_read(const lanes *l, size_t which, uint64_t *numbers);

typedef struct lane_reader { /* reads a lane number by number; set lanes and which */
    const lanes *lanes;
    size_t       which;
    uint64_t    *numbers; /* of the block before block `block` */
    size_t       block, at, n;
    bool         releases; /* the disk space of what it has read; to be set, too */
    spill_gap    gap;
} lane_reader;

/* Call lane_reader_close() in any case. lane_next() is false at the end, and after a failure of the
 * spill. */
bool lane_reader_open(lane_reader *r);
bool lane_next(lane_reader *r, uint64_t *number);
void lane_reader_close(lane_reader *r);

#endif
