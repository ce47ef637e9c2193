/* types.c - the size and the name of each key type, from types.def. */
#include "core/base.h"

#include <string.h>

size_t ordo_type_size(ordo_type type)
{
    switch (type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        return sizeof(key);
#include "core/types.def"
    }
    return 0;
}

const char *ordo_type_name(ordo_type type)
{
    switch (type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        return #tag;
#include "core/types.def"
    }
    return NULL;
}

int ordo_type_parse(const char *name)
{
    if (name == NULL)
        return 0;
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    if (strcmp(name, #tag) == 0)                                                                   \
        return ORDO_##ID;
#include "core/types.def"
    return 0;
}
