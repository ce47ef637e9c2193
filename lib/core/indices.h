/* indices.h - one element of an array of indices, u32 or u64.
 *
 * In a loop the compiler chooses the type once, if `type` is a constant of the function. */
#ifndef ORDO_CORE_INDICES_H
#define ORDO_CORE_INDICES_H

#include "core/base.h"

static inline size_t ordo_index_at(ordo_type type, const void *index, size_t i)
{
    return type == ORDO_U32 ? ((const uint32_t *)index)[i] : (size_t)((const uint64_t *)index)[i];
}

static inline void ordo_put_index(ordo_type type, void *index, size_t i, uint64_t value)
{
    if (type == ORDO_U32)
        ((uint32_t *)index)[i] = (uint32_t)value;
    else
        ((uint64_t *)index)[i] = value;
}

#endif
