/* radix.h - the production sorts of keys: a stable radix sort of records (radix.c), and the
 * counting of keys of 8 and 16 bits (narrow.c).
 *
 * The radix sort moves records (record.h) and does not depend on key types: it reads its input and
 * writes its results through a radix_io (records.c), which turns keys into records, and records
 * into results, while they are in the cache. */
#ifndef ORDO_CPU_RADIX_RADIX_H
#define ORDO_CPU_RADIX_RADIX_H

#include "cpu/base/cpu.h"
#include "cpu/radix/record.h"

/* How 64 key bits become fewer (short_keys.c): (bits - base) >> shift, from 0 to top. The record
 * holds this number above `unit` bits, and the index in the bits of index_mask. */
typedef struct short_map {
    uint64_t base, top;
    unsigned shift;
    unsigned unit;
    uint64_t index_mask;
} short_map;

enum {
    /* Records of a bucket that one thread sorts in any case. */
    RADIX_BIG = 4 << ORDO_TUNE_RADIX_BUCKET,
    /* Records sorted by words of 32 bits that stand for them, where the ISA sorts those; more are
     * split by a digit first. With 2^15 records a word has 17 bits left for the key. Emerald
     * Rapids, buckets of 9766 records, ns each for 2^13, 2^14 and by digits: u64 6.6, 5.2, 7.8.
     * Buckets chosen by a sample are often larger than 2^14. Sapphire Rapids, one thread, 10^6
     * keys, time with 2^15 / 2^14: sort f64 uniform 0.86, organ pipe 0.65; argsort f32 organ pipe
     * 0.71. */
    RADIX_PACKED = 2 << ORDO_TUNE_RADIX_BUCKET
};

typedef struct radix_io radix_io;
struct radix_io {
    const cpu_kernels *kernels;
    enum record_kind   kind;
    size_t             n;
    /* Loads the records of the input from `at` on into records[0 .. count). NULL: `in` is an array
     * of records. */
    void (*load)(const radix_io *io, size_t at, size_t count, void *records);
    /* Loads only the key bits of these records, each as wide as in a record, because the histogram
     * needs no payload. NULL: the key bits are taken from the records. */
    void (*load_digits)(const radix_io *io, size_t at, size_t count, void *digits);
    /* Stores records[0 .. count) as results from `at` on; the records may be in the memory of the
     * result. NULL: `out` is an array of records. */
    void (*store)(const radix_io *io, size_t at, size_t count, const void *records);
    const cpu_words_map *map;      /* turns key bits alone into results, as store does; NULL: there
                                    * is no map */
    size_t               key_size; /* bytes of a key of `in` */
    const void          *in;       /* keys; not read after the first result is stored */
    void                *out;      /* keys, or indices */
    void     *scratch;    /* memory for n records, on a cache line; NULL: scratch is taken */
    void     *spare;      /* memory for n records, free after the input is read; NULL:
                                  * none */
    bool      loose;      /* the records of a bucket may be in any order: buckets are stored
                                  * unsorted */
    char     *values;     /* values of pairs, which move with the keys, in place */
    size_t    value_size; /* bytes */
    bool      turned;     /* descending */
    bool      folded;     /* keys that tie have equal key bits (load_digits) */
    bool      rising;     /* payloads ascend in the input, so ties may be ordered by payload */
    ordo_type index_type; /* type of results that are indices; 0: the results are records */
    /* Shortened key bits; NULL: the key bits are whole. All records with the same shortened key
     * must be in one bucket, so a cut below whole_bits is rejected. gave_up returns true to abandon
     * the sort; it may be NULL. */
    const short_map *shortened;
    unsigned         whole_bits;
    bool (*gave_up)(const radix_io *io);
    void *job; /* for load, store and gave_up */
};

/* The loops that turn keys of one type into records, and records into results. They are made from
 * records.t.h for each ISA (kernel/plain_loops.h). records.c chooses among them. */
typedef struct record_type {
    void (*load_keys)(const radix_io *io, size_t at, size_t count, void *records);
    void (*store_keys)(const radix_io *io, size_t at, size_t count, const void *records);
    void (*load_index_p32)(const radix_io *io, size_t at, size_t count, void *records);
    void (*load_index_p64)(const radix_io *io, size_t at, size_t count, void *records);
    void (*load_pairs_p32)(const radix_io *io, size_t at, size_t count, void *records);
    void (*store_pairs_p32)(const radix_io *io, size_t at, size_t count, const void *records);
    void (*load_pairs_p64)(const radix_io *io, size_t at, size_t count, void *records);
    void (*store_pairs_p64)(const radix_io *io, size_t at, size_t count, const void *records);
    void (*load_digits_32)(const radix_io *io, size_t at, size_t count, void *digits);
    void (*load_digits_64)(const radix_io *io, size_t at, size_t count, void *digits);
    bool (*fold_alike)(const void *keys, size_t lo, size_t hi);
    void (*load_short)(const radix_io *io, size_t at, size_t count, void *records);
    void (*load_short_digits)(const radix_io *io, size_t at, size_t count, void *digits);
} record_type;

/* Sorts. ORDO_E_NOMEM is returned before a result is stored. ORDO_E_UNSUPPORTED: the sort would
 * need a cut below whole_bits. */
ordo_status cpu_radix(const radix_io *io, ordo_exec *exec);
/* An upper bound of the scratch of cpu_radix; `has_spare`: io.spare is given. */
size_t cpu_radix_scratch(enum record_kind kind, size_t n, bool has_spare, unsigned threads);

/* Whether the caller's algorithm may be the radix sort. */
static inline bool cpu_is_radix(ordo_algorithm algorithm)
{
    return algorithm == ORDO_ALGORITHM_AUTO || algorithm == ORDO_ALGORITHM_RADIX;
}

/* ---- Keys of 8 and 16 bits: narrow.c ---- */

ordo_status cpu_sort_narrow(const ordo_sort_job *job, ordo_exec *exec);
/* The same on one thread, without scratch. */
ordo_status cpu_narrow_inplace(const ordo_sort_job *job, ordo_exec *exec);
/* (*starts)[v] is the number of keys before the v-th value in order; the last entry, [2^8] or
 * [2^16], is n. The array is in scratch. */
ordo_status cpu_narrow_count(ordo_type type, const void *keys, size_t n, bool descending,
                             const size_t **starts, ordo_exec *exec);
/* The scratch of cpu_narrow_count and of cpu_sort_narrow. */
size_t cpu_narrow_scratch(ordo_type type, size_t n, unsigned threads);

#endif
