/* keys.h - the order of single keys, and small loops over arrays of keys. */
#ifndef ORDO_CLI_IO_NUMBER_KEYS_H
#define ORDO_CLI_IO_NUMBER_KEYS_H

#include "cli/base/cli.h"

#include <string.h>

static inline bool type_is_float(ordo_type type)
{
    switch (type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        return (key)0.5 != 0;
#include "lib/core/types.def"
    }
    return false;
}

/* The bytes of a key as an unsigned integer. */
static inline uint64_t key_load(size_t size, const void *key)
{
    uint32_t narrow;
    uint64_t bits;

    if (size == 8) {
        memcpy(&bits, key, sizeof bits);
        return bits;
    }
    if (size == 4) {
        memcpy(&narrow, key, sizeof narrow);
        return narrow;
    }
    return size == 2 ? *(const uint16_t *)key : *(const uint8_t *)key;
}

#define KEY_ORDER_NAN UINT64_MAX /* of floats: larger than the order of any number */

/* An unsigned integer whose order is that of the keys of one type; equal if and only if the keys
 * tie (-0 and +0 tie, and all NaNs tie). */
uint64_t key_order(ordo_type type, const void *key);

size_t count_nans(ordo_type type, const void *keys, size_t n);

/* The least i > 0 such that keys i - 1 and i tie, or n. */
size_t first_tie(ordo_type type, const void *keys, size_t n);

/* Keeps the first key of every group of adjacent ties; returns how many keys are left. */
size_t drop_ties(ordo_type type, void *keys, size_t n);

/* The same for the values of the keys, each of `size` bytes; the keys stay as they are. */
size_t drop_tied_values(ordo_type type, const void *keys, size_t n, void *values, size_t size);

/* Adds 1 to indices of type ORDO_U32 or ORDO_U64. */
void add_one(ordo_type type, void *indices, size_t n);

#endif
