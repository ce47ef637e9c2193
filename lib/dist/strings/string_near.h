/* string_near.h - finds the strings near given positions of the global order, without a sort of the
 * others.
 *
 * 1 The bytes that all strings of all processes share are skipped, up to 120 of them. The next 7
 *   bytes of each string are a key of 64 bits (core/string_view.h).
 * 2 The keys at the positions are found in one read of the keys (search/brackets.h).
 * 3 Only strings with these keys are kept and sorted. If there are many, and of one key, steps 1
 *   to 3 are made again with the bytes behind it.
 *
 * A few strings, and those of more than 1000 positions, are sorted as a whole. Memory: 8 bytes for
 * each string, and the kept strings. */
#ifndef ORDO_DIST_STRINGS_STRING_NEAR_H
#define ORDO_DIST_STRINGS_STRING_NEAR_H

#include "dist/strings/string_cuts.h"

/* Sets p->order to this process's strings near the positions of the ascending cuts, in order, and
 * changes the positions to those among such strings of all processes. Collective. */
ordo_status string_part_near(string_part *p, cut *cuts, size_t count);
/* Sets p->order to strings that include all before the position `end`. Collective. */
ordo_status string_part_first(string_part *p, cut *end);

#endif
