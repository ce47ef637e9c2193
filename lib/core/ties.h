/* ties.h - the rank of a key among tied keys, for C and CUDA; the only definition.
 *
 * The tied keys are at positions [begin, end) of the order, the key at position `own`, and the
 * order has `groups` different keys up to this one. */
#ifndef ORDO_CORE_TIES_H
#define ORDO_CORE_TIES_H

#include "core/base.h"
#include "core/keybits.h"

/* The rank from 1; for averages twice the rank. */
ORDO_HD uint64_t ordo_tie_rank(ordo_ties ties, uint64_t begin, uint64_t end, uint64_t groups,
                               uint64_t own)
{
    switch (ties) {
#define ORDO_TIES_ROW(ID, name, rank, example)                                                     \
    case ORDO_TIES_##ID:                                                                           \
        return rank;
#include "core/ties.def"
    }
    return 0;
}

/* What a result of ordo_tie_rank counts. */
ORDO_HD double ordo_tie_unit(ordo_ties ties) { return ties == ORDO_TIES_AVERAGE ? 0.5 : 1; }

/* Writes the rank of ordo_tie_rank to element i of an array of U32, U64 or F64. */
static inline void ordo_put_rank(ordo_type type, ordo_ties ties, void *ranks, size_t i,
                                 uint64_t rank)
{
    if (type == ORDO_U32)
        ((uint32_t *)ranks)[i] = (uint32_t)rank;
    else if (type == ORDO_U64)
        ((uint64_t *)ranks)[i] = rank;
    else
        ((double *)ranks)[i] = (double)rank * ordo_tie_unit(ties);
}

#endif
