/* keys.c - order of keys and small loops over arrays (see keys.h). */
#include "cli/io/number/keys.h"

/* Inline, so that the compiler makes one version for each constant type. */
static inline uint64_t order_of(ordo_type type, size_t size, const void *key)
{
    const uint64_t bits = key_load(size, key);
    const uint64_t sign = UINT64_C(1) << (8 * size - 1);
    const uint64_t infinity = size == 4 ? UINT64_C(0xff) << 23 : UINT64_C(0x7ff) << 52;
    const uint64_t magnitude = bits & (sign - 1);

    if (type_is_float(type))
        return magnitude > infinity ? KEY_ORDER_NAN
               : (bits & sign) != 0 ? sign - magnitude
                                    : sign + magnitude;
    if (type == ORDO_I8 || type == ORDO_I16 || type == ORDO_I32 || type == ORDO_I64)
        return bits ^ sign;
    return bits;
}

uint64_t key_order(ordo_type type, const void *key)
{
    return order_of(type, ordo_type_size(type), key);
}

size_t count_nans(ordo_type type, const void *keys, size_t n)
{
    const size_t size = ordo_type_size(type);
    size_t       nans = 0;

    if (type_is_float(type))
        for (size_t i = 0; i < n; i++)
            nans += order_of(type, size, (const char *)keys + i * size) == KEY_ORDER_NAN;
    return nans;
}

size_t first_tie(ordo_type type, const void *keys, size_t n)
{
    const char  *key = keys;
    const size_t size = ordo_type_size(type);

    for (size_t i = 1; i < n; i++, key += size)
        if (order_of(type, size, key) == order_of(type, size, key + size))
            return i;
    return n;
}

/* Moves every key to its place and overwrites it there if it is a tie: a branch on random ties
 * would be mispredicted. */
static inline size_t drop_as(ordo_type type, size_t size, char *keys, size_t n)
{
    size_t kept = n > 0;

    for (size_t i = 1; i < n; i++) {
        const bool tie =
            order_of(type, size, keys + (i - 1) * size) == order_of(type, size, keys + i * size);
        memmove(keys + kept * size, keys + i * size, size);
        kept += !tie;
    }
    return kept;
}

size_t drop_ties(ordo_type type, void *keys, size_t n)
{
    if (type == ORDO_F32)
        return drop_as(ORDO_F32, sizeof(float), keys, n);
    if (type == ORDO_F64)
        return drop_as(ORDO_F64, sizeof(double), keys, n);
    const size_t size = ordo_type_size(type);
    return size == 1   ? drop_as(ORDO_U8, 1, keys, n)
           : size == 2 ? drop_as(ORDO_U16, 2, keys, n)
           : size == 4 ? drop_as(ORDO_U32, 4, keys, n)
                       : drop_as(ORDO_U64, 8, keys, n);
}

size_t drop_tied_values(ordo_type type, const void *keys, size_t n, void *values, size_t size)
{
    const size_t key_size = ordo_type_size(type);
    const char  *key = keys;
    char        *value = values;
    size_t       kept = n > 0;

    for (size_t i = 1; i < n; i++, key += key_size)
        if (order_of(type, key_size, key) != order_of(type, key_size, key + key_size))
            memmove(value + kept++ * size, value + i * size, size);
    return kept;
}

void add_one(ordo_type type, void *indices, size_t n)
{
    uint32_t *const narrow = indices;
    uint64_t *const wide = indices;

    for (size_t i = 0; i < n; i++)
        if (type == ORDO_U32)
            narrow[i]++;
        else
            wide[i]++;
}
