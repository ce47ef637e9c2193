/* string_cuts.h - finds the strings at given positions of the global order, exactly: the rounds of
 * search/cut_rounds.h on this process's strings in order. */
#ifndef ORDO_DIST_STRINGS_STRING_CUTS_H
#define ORDO_DIST_STRINGS_STRING_CUTS_H

#include "dist/search/cuts.h"
#include "dist/strings/string_part.h"

/* Finds `count` ascending positions among the strings in order (p->ordered_total). Collective. */
ordo_status string_cuts_find(string_part *p, cut *cuts, size_t count);

#endif
