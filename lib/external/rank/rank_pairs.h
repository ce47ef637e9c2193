/* rank_pairs.h - ranks with little memory, by two sorts of pairs. */
#ifndef ORDO_EXTERNAL_RANK_RANK_PAIRS_H
#define ORDO_EXTERNAL_RANK_RANK_PAIRS_H

#include "external/replay.h"

/* Writes the rank of each element of `data` to the sink of c, as ordo_external_rank. The buffers of
 * c are not used. */
ordo_status rank_pairs(external_call *c, const replay *data, ordo_ties ties, ordo_type rank_type);

#endif
