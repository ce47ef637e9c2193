/* radix.h - the production sorts of keys: a stable radix sort of records (radix.c), and the
 * counting of keys of 8 and 16 bits (narrow.c).
 *
 * The radix sort moves records (record.h) and does not depend on key types: it reads its input and
 * writes its results through a radix_io (records.c), which turns keys into records and records
 * into results while they are in the cache. */
#ifndef ORDO_CPU_RADIX_RADIX_H
#define ORDO_CPU_RADIX_RADIX_H

#include "cpu/cpu.h"
#include "cpu/radix/record.h"

/* How 64 key bits become fewer (short_keys.c): (bits - base) >> shift, from 0 to top. The record
 * holds that above `unit` bits, and the index in those of index_mask. */
typedef struct short_map {
    uint64_t base, top;
    unsigned shift;
    unsigned unit;
    uint64_t index_mask;
} short_map;

typedef struct radix_io radix_io;
struct radix_io {
    const cpu_kernels *kernels;
    enum record_kind   kind;
    size_t             n;
    /* records[0 .. count) = those of the input from `at` on; NULL: `in` is an array of records */
    void (*load)(const radix_io *io, size_t at, size_t count, void *records);
    /* digits[0 .. count) = the key bits of those records alone, each as wide as in a record: the
     * histogram needs no payload; NULL: taken from the records */
    void (*load_digits)(const radix_io *io, size_t at, size_t count, void *digits);
    /* results from `at` on = those of records[0 .. count), which may be where the result goes;
     * NULL: `out` is an array of records */
    void (*store)(const radix_io *io, size_t at, size_t count, const void *records);
    const cpu_words_map *map;      /* does what store does with key bits alone; NULL: cannot */
    size_t               key_size; /* of the keys of in */
    const void          *in;       /* keys; not read any more once something is stored */
    void                *out;      /* keys, or indices */
    void                *room;  /* for n records, aligned to a cache line; NULL: taken as scratch */
    void                *spare; /* for n records, free once the input has been read; NULL: none */
    bool      loose;      /* records that differ in low bits alone may be stored in any order: each
                           * bucket is stored as it was gathered */
    char     *values;     /* of pairs: moved with the keys, in place */
    size_t    value_size; /* bytes */
    bool      turned;     /* descending */
    bool      folded;     /* keys that tie have equal key bits (load_digits) */
    bool      rising; /* payloads rise with the place in the input: ties may be ordered by them */
    ordo_type index_type; /* of results that are indices; 0: they are records */
    /* Shortened key bits; NULL: the key bits are whole. All records with one shortened key
     * must meet in one bucket: a cut below whole_bits is refused. gave_up says whether the rest of
     * the sort is wanted no more; it may be NULL. */
    const short_map *shortened;
    unsigned         whole_bits;
    bool (*gave_up)(const radix_io *io);
    void *job; /* for load, store and gave_up */
};

/* The loops that turn keys of one type into records, and records into results. They are stamped
 * from records.t.h for each ISA (kernel/plain_loops.h). records.c chooses among them. */
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
    void (*extent)(const radix_io *io, size_t lo, size_t hi, uint64_t *least, uint64_t *most);
} record_type;

/* Sorts. ORDO_E_NOMEM comes before anything is stored. ORDO_E_UNSUPPORTED: a cut below whole_bits
 * would be needed. */
ordo_status cpu_radix(const radix_io *io, ordo_exec *exec);
/* The most scratch it takes; `has_spare`: io.spare is given. */
size_t cpu_radix_scratch(enum record_kind kind, size_t n, bool has_spare, unsigned threads);

/* Whether an algorithm, as asked for, is the radix sort. */
static inline bool cpu_is_radix(ordo_algorithm algorithm)
{
    return algorithm == ORDO_ALGORITHM_AUTO || algorithm == ORDO_ALGORITHM_RADIX;
}

/* ---- Keys of 8 and 16 bits: narrow.c ---- */

ordo_status cpu_sort_narrow(const ordo_sort_job *job, ordo_exec *exec);
/* The same on one thread, without scratch. */
ordo_status cpu_narrow_inplace(const ordo_sort_job *job, ordo_exec *exec);
/* (*starts)[v] = how many keys come before the v-th value in order; [2^8] or [2^16] is n. The
 * array is in scratch. */
ordo_status cpu_narrow_count(ordo_type type, const void *keys, size_t n, bool descending,
                             const size_t **starts, ordo_exec *exec);
/* The scratch of cpu_narrow_count and of cpu_sort_narrow. */
size_t cpu_narrow_scratch(ordo_type type, size_t n, unsigned threads);

#endif
