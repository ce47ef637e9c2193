/* few_values.h - sorts that count keys: of few values (few_values.c) or of a narrow range
 * (dense_values.c). The sample in which adaptive.c looks for few values; the hash table of the
 * values, and its loops for each ISA. */
#ifndef ORDO_CPU_SORT_FEW_VALUES_H
#define ORDO_CPU_SORT_FEW_VALUES_H

#include "core/base.h"
#include "cpu/tuning.h"

#include <string.h>

enum {
    FEW_MOST = 512,     /* values */
    FEW_STRAY_PART = 8, /* gives up if more than this part of the keys are strays */
    DENSE_KEYS = 8,     /* keys of each value of the range at least: fewer do not pay */
    FEW_COUNTERS = 4,   /* of a slot: neighbouring keys use different ones, so that equal neighbours
                       * do not wait for each other */
    FEW_FREQUENT = 8,   /* values that a vector of keys is compared with before the table */
    FEW_BLOCK = ORDO_TUNE(1024, 32) /* keys after which the number of strays is checked */
};

typedef struct few_value {
    uint64_t value; /* the key in memory */
    uint64_t bits;  /* its key bits */
    uint32_t seen;  /* in the sample */
    uint32_t slot;
    size_t   count; /* in the array */
    size_t   at;    /* where it begins in the result */
} few_value;

typedef struct few_sample {
    few_value values[FEW_MOST]; /* value and seen are set */
    size_t    count;
} few_sample;

/* keys[i], of 4 or 8 bytes, as in memory. */
static inline uint64_t few_key_at(const void *keys, size_t size, size_t i)
{
    uint32_t narrow;
    uint64_t wide;
    if (size == sizeof wide) {
        memcpy(&wide, (const char *)keys + i * size, sizeof wide);
        return wide;
    }
    memcpy(&narrow, (const char *)keys + i * size, sizeof narrow);
    return narrow;
}

/* An integer in memory and its key bits differ in this bit. */
static inline uint64_t dense_sign(ordo_type type)
{
    return type == ORDO_I32 ? UINT64_C(1) << 31 : type == ORDO_I64 ? UINT64_C(1) << 63 : 0;
}

/* The values, as keys in memory. A value is in the slot that its hash names, and a key is compared
 * with that slot alone. A free slot holds a value of another slot, which no key there equals. */
typedef struct few_table {
    unsigned bits;     /* the table has 2^bits slots */
    bool has_frequent; /* `value` holds values so frequent that keys are first compared with them */
    uint64_t multiplier; /* odd; the slot is the top bits of key * multiplier */
    void    *slots;
    uint64_t value[FEW_FREQUENT];
    unsigned slot[FEW_FREQUENT];
} few_table;

typedef struct few_loops {
    /* Counts at most FEW_BLOCK keys: adds the number of keys of slot s to the sum of
     * counts[s * FEW_COUNTERS ...]. Writes the keys without a slot, the strays, to `strays`, which
     * has room for count + 1 keys. Returns their number. */
    size_t (*count)(const few_table *table, const void *keys, size_t count, uint32_t *counts,
                    void *strays);
    /* Writes count times the value. `bypass`: past the cache. */
    void (*fill)(void *to, uint64_t value, size_t count, bool bypass);
} few_loops;

static inline size_t few_slot_32(const few_table *table, uint32_t key)
{
    return (uint32_t)(key * (uint32_t)table->multiplier) >> (32 - table->bits);
}

static inline size_t few_slot_64(const few_table *table, uint64_t key)
{
    return (size_t)((key * table->multiplier) >> (64 - table->bits));
}

#endif
