/* brackets.h - finds the keys at given positions of the global order in one read of the keys.
 *
 * 1 Every process reads its keys once and keeps those near the positions (narrowing.h). A few
 *   positions have brackets, which a sample of all processes gives (sample.h). For more positions
 *   the sample gives cells, and the keys get labels of 2 bytes.
 * 2 The keys that all processes kept, about 1.6 % for one position, are searched in the same way,
 *   until every process can have all that are left. If a read does not halve them, and on a device,
 *   they are sorted, and rounds (cut_rounds.h) find the positions.
 *
 * If a process has more keys in the brackets than its part of the sample promised, it reads them
 * again; so do all processes if a position is outside its bracket (once in 10,000 searches). */
#ifndef ORDO_DIST_SEARCH_BRACKETS_H
#define ORDO_DIST_SEARCH_BRACKETS_H

#include "dist/search/sample.h"

/* Sets order, less and here of every cut. Collective. */
ordo_status brackets_find(dist_call *c, const dist_part *part, cut *cuts, size_t count);

#endif
