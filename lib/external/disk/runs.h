/* runs.h - sorted runs on disk, in blocks, and what memory holds about each block.
 *
 * A run here is a sorted sequence of elements in the temporary files. All blocks of all runs are
 * numbered in the order of the runs. For each block memory holds the order of its first element
 * (blocks.h), its number of elements, its length on disk and its checksum: 20 bytes. Blocks that
 * follow each other in one file form an extent; a run has several extents only if a disk became
 * full. */
#ifndef ORDO_EXTERNAL_RUNS_H
#define ORDO_EXTERNAL_RUNS_H

#include "external/disk/blocks.h"
#include "external/disk/spill.h"

typedef struct run {
    size_t   block, blocks; /* the number of its first block, and how many */
    size_t   extent;        /* the number of its first extent */
    uint64_t n;             /* elements */
} run;

typedef struct extent {
    size_t   block; /* the number of its first block */
    unsigned file;
    uint64_t offset; /* of its first byte */
} extent;

typedef struct run_block { /* what is known about a block, in memory and in an index on disk */
    uint64_t first;        /* the order of its first element */
    uint32_t n;            /* elements */
    uint32_t bytes;        /* on disk */
    uint32_t crc;          /* its checksum */
} __attribute__((packed, aligned(4))) run_block;

typedef struct runs {
    element_kind kind;
    size_t       block_n; /* the most elements of a block */
    spill       *spill;
    failure     *failure;

    run    *all;
    size_t  count, capacity;
    extent *extents;
    size_t  extent_count, extent_capacity;

    run_block *index; /* of all blocks */
    size_t     blocks, block_capacity;

    char    *staging;
    size_t   staging_bytes; /* it is written when it holds so many bytes */
    size_t   staged;        /* bytes in it */
    size_t   staged_block;  /* the first block in it */
    uint64_t end;           /* offset behind the last extent */
} runs;

enum {
    RUNS_BLOCK_MEMORY = sizeof(run_block)
};

/* Blocks are collected until there are `staging` bytes, and written then. Call runs_close() in any
 * case. */
bool runs_open(runs *r, const element_kind *kind, size_t block_n, size_t staging, spill *s);
void runs_close(runs *r);

/* Makes the index large enough for `blocks` more blocks. */
bool runs_reserve(runs *r, size_t blocks);

/* Begin a run, append sorted elements to it in any number of calls, end it. */
bool runs_begin(runs *r);
bool runs_append(runs *r, const char *elements, size_t n);
bool runs_end(runs *r);

/* Adds a run that is in the temporary file already, at `offset`: its elements, and the run_block of
 * each of its blocks. */
bool runs_restore(runs *r, uint64_t n, size_t blocks, uint64_t offset, const void *index);

/* Makes space for a block again, after block_n was changed. */
bool runs_resize(runs *r);

#endif
