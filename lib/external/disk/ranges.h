/* ranges.h - the elements of several sorted runs in ranges of the final order.
 *
 * The blocks of all runs are taken in the order of their first elements, as many as fit a buffer.
 * The first element of the next block is the cut: every element before the cut has been read,
 * because its block begins before the cut. Elements behind the cut stay for the next range; each
 * run has less than a block of them. Ties at the cut are divided by the sequence of the runs, so
 * equal keys neither fill a range nor change their sequence. Each block is read once, and each run
 * from its beginning to its end.
 *
 * A range holds the elements of each run side by side. Sorting it again is cheaper than a merge of
 * more than four runs. */
#ifndef ORDO_EXTERNAL_RANGES_H
#define ORDO_EXTERNAL_RANGES_H

#include "external/disk/runs.h"

typedef struct ranges ranges;

/* Of runs [from, to) of r, in buffers of `capacity` elements: at least twice the elements of a
 * block of each run. NULL after a failure. */
ranges *ranges_open(const runs *r, size_t from, size_t to, size_t capacity, unsigned threads);
void    ranges_close(ranges *g);

/* Reads the elements of the next range; *n is 0 at the end. */
bool ranges_next(ranges *g, char *elements, size_t *n);

/* How many elements of the last range are of run `from` + i. Those of the first run come first. */
size_t ranges_given(const ranges *g, size_t i);

/* Where the reader is, behind the range that ranges_next() gave last: how many blocks it took.
 * ranges_seek() goes there, before the first range of a new reader; each run must have one extent.
 * *passed gets the number of the elements before that place, and *last the tie bits (element_tie())
 * of the last one of them. */
size_t ranges_tell(const ranges *g);
bool   ranges_seek(ranges *g, size_t next, uint64_t *passed, uint64_t *last);

/* Bytes that a reader of `count` runs holds besides the buffer. */
size_t ranges_memory(const element_kind *kind, size_t count, size_t block_n, size_t staging,
                     unsigned threads);

#endif
