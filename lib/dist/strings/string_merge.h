/* string_merge.h - the order of the strings that a process received: one sorted run from each
 * process. */
#ifndef ORDO_DIST_STRINGS_STRING_MERGE_H
#define ORDO_DIST_STRINGS_STRING_MERGE_H

#include "dist/strings/string_pieces.h"

/* Writes the stable order of s->received to order: that of a sort. Not collective. */
ordo_status string_merge(const string_pieces *s, uint64_t *order);

#endif
