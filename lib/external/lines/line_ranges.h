/* line_ranges.h - the lines of several sorted runs in ranges of the final order.
 *
 * As disk/ranges.h, with cuts in place of first elements: blocks are taken in the order of their
 * cuts, as many as fit a buffer. The cut of the next block divides the lines that were read: those
 * before it are the range, the others stay for the next range. Only the last block that was taken
 * of a run can have lines that stay. Ties with the cut are divided by the sequence of the runs. */
#ifndef ORDO_EXTERNAL_LINE_RANGES_H
#define ORDO_EXTERNAL_LINE_RANGES_H

#include "external/lines/line_work.h"

typedef struct line_ranges line_ranges;

/* Of runs [from, to) of r, in buffers within `limits`: each limit at least twice what a block of
 * each run has. NULL after a failure. */
line_ranges *line_ranges_open(const line_runs *r, size_t from, size_t to,
                              const ordo_line_format *format, const line_limits *limits,
                              bool descending, unsigned threads);
void         line_ranges_close(line_ranges *g);

/* How many runs one reader can read within the limits; at least 2 unless a block is too large. */
size_t line_ranges_most(const line_runs *r, const line_limits *limits);

/* Reads the text of the next range, the lines of each run side by side; *bytes is 0 at the end. */
bool line_ranges_next(line_ranges *g, char *text, size_t *bytes);

#endif
