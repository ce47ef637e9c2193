/* sets.h - distinct keys and searches in a sorted array: the verbs and their loops for each ISA. */
#ifndef ORDO_CPU_SETS_SETS_H
#define ORDO_CPU_SETS_SETS_H

#include "cpu/base/cpu.h"

/* A hash table of key patterns (the bytes of keys). A pattern is in the slot of its hash, and a key
 * is compared only with its slot. A free slot holds a pattern of another slot. */
typedef struct set_table {
    unsigned bits;       /* the table has 2^bits slots, of 4 or 8 bytes */
    uint64_t multiplier; /* odd; the slot is the top bits of pattern * multiplier */
    void    *slots;
} set_table;

static inline size_t set_slot_32(const set_table *table, uint32_t pattern)
{
    return (uint32_t)(pattern * (uint32_t)table->multiplier) >> (32 - table->bits);
}

static inline size_t set_slot_64(const set_table *table, uint64_t pattern)
{
    return (size_t)((pattern * table->multiplier) >> (64 - table->bits));
}

enum {
    SEARCH_BLOCK = 256 /* needles that are searched together */
};

/* A sorted array with the key bits of every `stride`-th key, which stay in the cache. */
typedef struct set_search {
    const void *sorted;
    size_t      n;
    const void *top;               /* unsigned integers of the width of the keys, in search order */
    size_t      top_count, stride; /* top_count 0: there is no such table */
    bool        descending, after; /* as in ordo_needles_job */
} set_search;

typedef struct set_loops {
    /* Writes the keys that are not in the table to `rest`, which has room for n keys. Returns their
     * number. [0]: 4 bytes, [1]: 8 bytes */
    size_t (*not_in_table[2])(const set_table *table, const void *keys, size_t n, void *rest);
    /* Moves the first of tied keys of sorted[lo..hi) together at lo. `before` are the folded bits
     * (key_fold) of the key before lo; `first`: there is none. Returns the end of those kept. */
    size_t (*compact[CPU_TYPES])(void *sorted, size_t lo, size_t hi, uint64_t before, bool first);
    /* Writes the key bits of keys 0, stride, 2 * stride, ... to search->top. */
    void (*take_top[CPU_TYPES])(const set_search *search, void *top);
    /* places[i] = the place of needles[i]; count <= SEARCH_BLOCK. */
    void (*places[CPU_TYPES])(const set_search *search, const void *needles, size_t count,
                              size_t *places);
} set_loops;

ordo_status cpu_unique(void *state, const ordo_unique_job *job, ordo_exec *exec);
size_t      cpu_unique_scratch(const ordo_unique_job *job, const ordo_exec *exec);
ordo_status cpu_places(void *state, const ordo_needles_job *job, ordo_exec *exec);

#endif
