/* lists.h - the lists of names: their lengths, and which types are floats. The numbers of types
 * (types.def) and methods (methods.def) begin at 1, those of tie rules (ties.def) at 0. */
#ifndef ORDO_CORE_LISTS_H
#define ORDO_CORE_LISTS_H

#include "ordo.h"

#include <stdbool.h>

enum {
#define ORDO_TYPE(ID, tag, key, bits) +1
    ORDO_TYPES = 0
#include "core/types.def"
        ,
#define ORDO_TIES_ROW(ID, name, rank, example) +1
    ORDO_TIES_RULES = 0
#include "core/ties.def"
        ,
#define ORDO_METHOD_ROW(ID, name, place) +1
    ORDO_METHODS = 0
#include "core/methods.def"
};

static inline bool ordo_is_float(ordo_type type)
{
    switch (type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        return (key)0.5 != 0;
#include "core/types.def"
    }
    return false;
}

#endif
