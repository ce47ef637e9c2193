/* arrays.c - small loops over arrays of any type (see arrays.h).
 *
 * Integers tie if their bytes are the same, so that six kinds of keys are all there are. The loop
 * that matters is written once, inline, and called with constants: the compiler makes six of it. */
#include "cli/io/arrays.h"

#include <math.h>
#include <string.h>

/* Without branches; see drop_as(). */
static inline bool same_float(double a, double b)
{
    return (!(a < b)) & (!(a > b)) & (isnan(a) == isnan(b));
}

static inline bool ties(ordo_type type, size_t size, const char *a, const char *b)
{
    float  a32, b32;
    double a64, b64;

    if (type == ORDO_F32) {
        memcpy(&a32, a, sizeof a32);
        memcpy(&b32, b, sizeof b32);
        return same_float((double)a32, (double)b32);
    }
    if (type == ORDO_F64) {
        memcpy(&a64, a, sizeof a64);
        memcpy(&b64, b, sizeof b64);
        return same_float(a64, b64);
    }
    return memcmp(a, b, size) == 0;
}

/* Every key is moved to where it would stay, and overwritten if it does not: ties come too randomly
 * for a branch. */
static inline size_t drop_as(ordo_type type, size_t size, char *keys, size_t n)
{
    size_t kept = n > 0;

    for (size_t i = 1; i < n; i++) {
        const bool tie = ties(type, size, keys + (i - 1) * size, keys + i * size);
        memmove(keys + kept * size, keys + i * size, size);
        kept += !tie;
    }
    return kept;
}

size_t drop_ties(ordo_type type, void *keys, size_t n)
{
    switch (type) {
    case ORDO_I8:
    case ORDO_U8:
        return drop_as(ORDO_U8, sizeof(uint8_t), keys, n);
    case ORDO_I16:
    case ORDO_U16:
        return drop_as(ORDO_U16, sizeof(uint16_t), keys, n);
    case ORDO_I32:
    case ORDO_U32:
        return drop_as(ORDO_U32, sizeof(uint32_t), keys, n);
    case ORDO_I64:
    case ORDO_U64:
        return drop_as(ORDO_U64, sizeof(uint64_t), keys, n);
    case ORDO_F32:
        return drop_as(ORDO_F32, sizeof(float), keys, n);
    case ORDO_F64:
        return drop_as(ORDO_F64, sizeof(double), keys, n);
    }
    return n;
}

size_t first_tie(ordo_type type, const void *keys, size_t n)
{
    const char  *key = keys;
    const size_t size = ordo_type_size(type);

    for (size_t i = 1; i < n; i++, key += size)
        if (ties(type, size, key, key + size))
            return i;
    return n;
}

bool is_nan(ordo_type type, const void *value)
{
    if (type == ORDO_F32)
        return isnan(*(const float *)value);
    return type == ORDO_F64 && isnan(*(const double *)value);
}

size_t count_nans(ordo_type type, const void *keys, size_t n)
{
    const char  *key = keys;
    const size_t size = ordo_type_size(type);
    size_t       nans = 0;

    if (type == ORDO_F32 || type == ORDO_F64)
        for (size_t i = 0; i < n; i++)
            nans += is_nan(type, key + i * size);
    return nans;
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
