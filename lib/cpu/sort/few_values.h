/* few_values.h - sorts that count keys: keys of few values (few_values.c) or of a narrow range
 * (dense_values.c). Has the sample in which sort_look.c looks for few values, the hash table of the
 * values, the loops for each ISA, and what both sorts share (counting.c). */
#ifndef ORDO_CPU_SORT_FEW_VALUES_H
#define ORDO_CPU_SORT_FEW_VALUES_H

#include "cpu/base/cpu.h"

#include <stdatomic.h>
#include <string.h>

enum {
    FEW_MOST = 512,     /* the most values */
    FEW_STRAY_PART = 8, /* the sort gives up if more than one key in this many is a stray */
    DENSE_KEYS = 8,     /* least keys per value of the range; with fewer, counting is slower */
    FEW_COUNTERS = 4,   /* counters of a slot: neighbouring keys use different ones, so that equal
                         * neighbours do not wait for each other */
    FEW_PAIRED = 128,   /* two neighbours of at most FEW_PAIRED - 1 values are counted together */
    FEW_NONE = FEW_PAIRED - 1, /* the number of a key that has no value */
    FEW_BUCKETS = 32,          /* buckets of few_place */
    FEW_FREQUENT = 8, /* values that each vector of keys is compared with before the table */
    FEW_BLOCK = ORDO_TUNE(1024, 32), /* keys after which the number of strays is checked */
    DENSE_MANY =
        256 /* from this many keys on, a value of a narrow range is written by `fill`, which
                      * may bypass the cache */
};

typedef struct few_value {
    uint64_t value; /* the key in memory */
    uint64_t bits;  /* key bits of the value */
    uint32_t seen;  /* number of keys in the sample */
    uint32_t slot;
    size_t   count; /* number of keys in the array */
    size_t   at;    /* where the value begins in the result */
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

/* The bit in which an integer in memory differs from its key bits. */
static inline uint64_t dense_sign(ordo_type type)
{
    return type == ORDO_I32 ? UINT64_C(1) << 31 : type == ORDO_I64 ? UINT64_C(1) << 63 : 0;
}

/* A hash table of the values, as keys in memory. A value is in the slot of its hash, and a key is
 * compared only with its slot. A free slot holds a value of another slot, so no key of this slot
 * equals it. */
typedef struct few_table {
    unsigned bits;         /* the table has 2^bits slots */
    bool     has_frequent; /* `value` holds frequent values, which keys are compared with first */
    uint64_t multiplier;   /* odd; the slot is the top bits of key * multiplier */
    void    *slots;
    uint8_t *numbers;               /* [slot]: the number of its value, for count_pairs */
    uint32_t displace[FEW_BUCKETS]; /* for few_place */
    uint64_t value[FEW_FREQUENT];
    unsigned slot[FEW_FREQUENT];
} few_table;

struct few_loops;

/* The table of a narrow range of numbers (dense_values.c). */
typedef struct dense_table {
    uint64_t low;   /* the first value: an integer as in memory, or the multiple of a float */
    double   scale; /* floats: the key is multiple / scale; 0: integers */
    size_t   range;
    bool     in_bytes; /* tables of bytes, for a wide range */
    bool     rare;     /* nearly all keys are in the range */
    bool     bypass;   /* large results bypass the cache */
    const struct few_loops *loops;
    _Atomic uint32_t       *words; /* [value]: overflows of the bytes of all tables */
} dense_table;

/* Counts at most FEW_BLOCK keys of 4 or 8 bytes. Writes the strays, the keys that it does not
 * count, to `strays`, which has room for count + 1 keys. Returns their number; SIZE_MAX if the keys
 * cannot be counted. */
typedef size_t count_block_fn(const void *table, const void *keys, size_t count, void *counts,
                              void *strays);

typedef struct few_loops {
    /* The keys of slot s are added to the FEW_COUNTERS counters from counts[s * FEW_COUNTERS] on.
     * The strays have no slot. */
    count_block_fn *count;
    /* The same, for at most FEW_PAIRED - 1 values and few strays: a pair of neighbours with the
     * numbers a and b is counted in pairs[a * FEW_PAIRED + b]. NULL: `count` is faster. `places`:
     * the table has FEW_PAIRED slots, the slot of a key is few_place, and its number the slot. */
    bool            places;
    count_block_fn *count_pairs;
    /* Writes the value `count` times. `bypass`: the stores bypass the cache. */
    void (*fill)(void *to, uint64_t value, size_t count, bool bypass);
    /* The counts of a dense_table are words, the last of which is not of a value, or bytes. The
     * strays are outside the range; SIZE_MAX if a float lies between two values. */
    count_block_fn *dense_count;
    /* Writes the keys [at, end) of the result. The first `skip` keys of value `from` are before
     * `at`. `step` is 1 or -1: from a value to the next. */
    void (*dense_write)(const dense_table *table, void *array, size_t at, size_t end, size_t from,
                        size_t skip, size_t step, const uint32_t *counts);
} few_loops;

/* ---- A sort that counts: counting.c ---- */

typedef struct count_run {
    const cpu_kernels   *kernels;
    const ordo_sort_job *job;
    ordo_exec           *exec;
    const char          *in;
    size_t               size; /* bytes of a key */
    count_block_fn      *count;
    const void          *table;
    size_t               chunks, chunk; /* each chunk of keys has its own counts and strays */
    char                *counts;
    size_t               counts_size; /* bytes of a chunk, which are cleared first */
    char                *stray;       /* the strays of chunk c begin at c * stray_room */
    size_t               stray_room;  /* keys */
    size_t               most_strays; /* of a chunk */
    size_t              *strays;      /* [chunk]: their number */
    size_t               all_strays;
    atomic_bool          too_many;
} count_run;

/* The keys of the job; the caller sets the rest. */
count_run cpu_count_begin(const cpu_kernels *kernels, const ordo_sort_job *job, ordo_exec *exec);
/* Counts all keys. *counted is false if there are too many strays. */
ordo_status cpu_count_keys(count_run *run, bool *counted);
/* Moves the strays together and sorts them by the radix sort in the order of the job. The memory
 * from the strays to `end` is free for it. */
ordo_status cpu_count_strays(count_run *run, const char *end);
/* Reports the sort; `values`: the number of values. */
void cpu_count_tell(const count_run *run, size_t values);

/* ---- Slots ---- */

static inline size_t few_slot_32(const few_table *table, uint32_t key)
{
    return (uint32_t)(key * (uint32_t)table->multiplier) >> (32 - table->bits);
}

/* The slot in a table of FEW_PAIRED slots, which may be nearly full: the keys of a bucket are moved
 * together to slots that are free. */
static inline size_t few_place(const few_table *table, uint32_t key)
{
    uint32_t const hash = key * (uint32_t)table->multiplier;
    return (hash >> 20 & (FEW_PAIRED - 1)) ^ table->displace[hash >> 27];
}

static inline size_t few_slot_64(const few_table *table, uint64_t key)
{
    return (size_t)((key * table->multiplier) >> (64 - table->bits));
}

#endif
