/* lists.h - the lengths of the lists of names: types.def, ties.def, methods.def. The numbers of
 * types and methods begin at 1, those of tie rules at 0. */
#ifndef ORDO_CORE_LISTS_H
#define ORDO_CORE_LISTS_H

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

#endif
