/* radix.h - the production sort: stable, by the digits in which keys differ (radix.c).
 *
 * It moves records, whose kinds for_each_record.h lists, and knows nothing of key types: what is
 * read first and written last goes through a radix_io (records.c), which turns keys into
 * records and records into results while they are in the cache. */
#ifndef ORDO_CPU_RADIX_RADIX_H
#define ORDO_CPU_RADIX_RADIX_H

#include "cpu/cpu.h"
#include "cpu/sort/items.h"

enum radix_kind { /* see for_each_record.h */
    RADIX_K32,
    RADIX_K64,
    RADIX_P32,
    RADIX_P64,
    RADIX_KINDS
};

typedef struct radix_io   radix_io;
typedef struct short_keys short_keys; /* short_keys.h */
struct radix_io {
    const cpu_kernels *kernels;
    enum radix_kind    kind;
    size_t             n;
    /* records[0..count) = those of the input from `at` on; NULL: `in` is an array of records */
    void (*load)(const radix_io *io, size_t at, size_t count, void *records);
    /* digits[0..count) = the keys of those records alone, each as wide as a record's key: what is
     * counted needs no payload; NULL: taken from the records */
    void (*load_digits)(const radix_io *io, size_t at, size_t count, void *digits);
    /* results from `at` on = of records[0..count), which may lie in the result's own place; NULL:
     * `out` is an array of records */
    void (*store)(const radix_io *io, size_t at, size_t count, const void *records);
    const cpu_words_map *map;      /* what store does with keys alone, where a map can say it */
    size_t               key_size; /* of the keys of in */
    const void          *in;       /* keys; read for the last time before anything is stored */
    void                *out;      /* keys, or indices */
    void                *room;  /* for n records, aligned to a cache line; NULL: taken as scratch */
    void                *spare; /* for n records, free once the input has been read; NULL: none */
    bool        loose;  /* records that differ in low bits alone may be stored in any order: each
                         * bucket is stored as it was gathered */
    char       *values; /* of pairs: moved with the keys, in place */
    size_t      value_size;
    bool        turned; /* descending */
    bool        folded; /* keys that tie by value are alike (load_digits) */
    bool        rising; /* payloads rise with the place in the input: ties may be ordered by them */
    ordo_type   index_type; /* of results that are indices; 0: they are records */
    short_keys *shorter; /* keys that lost bits, all of one such key for one bucket; NULL: none */
    const void *job;     /* for load and store */
};

static inline size_t radix_record_size(enum radix_kind kind)
{
    static const uint8_t size[RADIX_KINDS] = {4, 8, 8, 16};
    return size[kind];
}

/* Sorts. ORDO_E_NOMEM comes before anything is stored. ORDO_E_UNSUPPORTED: shortened keys of one
 * kind would have to go to several buckets. */
ordo_status cpu_radix(const radix_io *io, ordo_exec *exec);
/* The most scratch it takes; `has_spare`: io.spare is given. */
size_t cpu_radix_scratch(enum radix_kind kind, size_t n, bool has_spare, unsigned threads);

/* Whether an algorithm, as asked for, is this one. */
static inline bool cpu_is_radix(ordo_algorithm algorithm)
{
    return algorithm == ORDO_ALGORITHM_AUTO || algorithm == ORDO_ALGORITHM_RADIX;
}

#endif
