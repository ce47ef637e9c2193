/* rank_groups.h - the order of the suffixes of a string by prefix doubling within groups, for
 * several threads. */
#ifndef ORDO_TEXT_INDUCED_RANK_GROUPS_H
#define ORDO_TEXT_INDUCED_RANK_GROUPS_H

#include "text/text_work.h"

/* order[0..n) has the suffixes of a string in the order of their first symbols. names[i] is the
 * first symbol of suffix i, and heads[name] its first place in `order`. Puts `order` in the order
 * of the suffixes and sets *done. If more than `most` suffixes take part in the rounds, or scratch
 * is refused, *done is false and `order` is unspecified. Takes 28 bytes of scratch per symbol, and
 * 9 more if the string has long repeats. */
ordo_status text_rank_groups(text_work *work, const uint32_t *names, const uint32_t *heads,
                             size_t n, size_t most, uint32_t *order, bool *done);

#endif
