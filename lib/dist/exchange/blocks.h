/* blocks.h - divides the sorted runs that a process received into blocks, each of which a thread
 * merges in its cache.
 *
 * Every STRIDE-th element of each run is a sample. The samples are sorted, ties by run, and every
 * GROUP-th of them divides the runs: so a block has at most (GROUP + runs) * STRIDE elements, also
 * if all are equal, and about GROUP * STRIDE. */
#ifndef ORDO_DIST_EXCHANGE_BLOCKS_H
#define ORDO_DIST_EXCHANGE_BLOCKS_H

#include "dist/exchange/pieces.h"

typedef struct run_blocks run_blocks;
struct run_blocks {
    dist_call *c;
    size_t     runs, n, stride, count;
    size_t     most;      /* elements of a block at most */
    uint64_t  *starts;    /* of the runs; runs + 1 */
    uint64_t  *splitters; /* places of elements; count - 1 */
    uint64_t  *cuts;      /* for each border of blocks: the place in each run */

    /* Set by the caller. `sort` sorts the places of samples by their elements; stable. `find`
     * returns the first place in [from, to) of a run whose element is not before (`above`: behind)
     * that at `place`. `merge` merges a block by the buffers of a worker. */
    void *user;
    ordo_status (*sort)(const run_blocks *b, uint64_t *places, size_t count);
    size_t (*find)(const run_blocks *b, size_t from, size_t to, size_t place, bool above);
    void (*merge)(const run_blocks *b, size_t block, size_t worker);
    atomic_size_t next;
};

/* Finds the blocks of the runs that p has received. Not collective, as the next one. */
ordo_status run_blocks_find(run_blocks *b, const pieces *p);
/* Merges all blocks by all threads. */
ordo_status run_blocks_merge(run_blocks *b);

/* Where the elements of run r in a block begin and end. */
static inline size_t run_blocks_from(const run_blocks *b, size_t block, size_t r)
{
    return (size_t)b->cuts[block * b->runs + r];
}
static inline size_t run_blocks_to(const run_blocks *b, size_t block, size_t r)
{
    return (size_t)b->cuts[(block + 1) * b->runs + r];
}

/* The place of a block's elements in the merged order. */
size_t run_blocks_place(const run_blocks *b, size_t block);

#endif
