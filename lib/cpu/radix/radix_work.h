/* radix_work.h - the types that the driver of the radix sort (radix.c) and its inner steps
 * (radix_steps.h) share. */
#ifndef ORDO_CPU_RADIX_RADIX_WORK_H
#define ORDO_CPU_RADIX_RADIX_WORK_H

#include "cpu/radix/cut.h"
#include "cpu/radix/radix.h"

#include <stdatomic.h>

enum {
    RADIX_DIGIT = ORDO_TUNE_DIGIT,
    RADIX_SMALL = ORDO_TUNE_RADIX_SMALL,
    RADIX_INSERTION = ORDO_TUNE_INSERTION,
    RADIX_LOCAL = ORDO_TUNE_L2 / 2, /* bytes that are sorted by two digits; more are split first */
    /* Records with a payload in a part of a split of more than RADIX_PACKED, at most. A word then
     * has 20 bits for the key, mostly all that differ, and the part stays in L1 while it is
     * fetched. EMR, 16 threads, 10^8 pairs u32/u32, cycles of a counter of about 2 GHz a record for
     * 2^14 and 2^12: sort of the words 5.9 and 4.7, fetch 3.4 and 0.7. */
    RADIX_PART = RADIX_PACKED / 8,
    RADIX_SAMPLE = ORDO_TUNE_RADIX_SAMPLE,
    LEAST_BUCKETS = 16,
    SPLIT_DIGIT = 8, /* bits of the digit that splits records beyond the cache */
    /* Most of 32 sampled keys in one of 64 cells if keys are packed rather than sorted as words of
     * 64 bits; half as many for RADIX_PACKED keys. Sapphire Rapids, one thread, words / packed:
     * 4000 and 10^4 keys f64 in [-1, 1) 0.64, 0.31; 1000 keys u64 of all magnitudes 0.37. Digits,
     * where no words are sorted, are slower than packed keys (AVX2, 1000 keys f64: 2.1 times). */
    EVEN_CELL = 8,
    /* Equal pairs in a sample of 32 keys, 496 pairs: of about 150 values and of about 8; and bits
     * of the digit that splits these. Sapphire Rapids, one thread, 100 values, time / time by
     * digits: argsort f64 10^4 keys 0.52; 10^6 keys u64 0.78, f64 0.83; pairs u32 0.90. */
    REPEAT_PAIRS = 3,
    HANDFUL_PAIRS = 62,
    HANDFUL_DIGIT = 3,
    RADIX_CHUNK = 64, /* records read between two tests */
    BLOCK = 512,      /* records converted at a time: they stay in L1 */
    LINE = ORDO_CACHE_LINE,
    GATHER = ORDO_TUNE_RADIX_GATHER,
    /* Records read ahead of those that are counted and moved. EMR, one thread, 10^7 records, ns
     * each for the scatter without and with: argsort f32 4.3, 3.4; pairs u64/u64 5.4, 4.5. */
    AHEAD = ORDO_TUNE_SPAN / 2,
    BLOCK_BYTES = ORDO_TUNE_BLOCK_BYTES, /* bytes of a block of a bucket */
    BLOCK_HELD = 16                      /* records collected before they are written to a block */
};

/* The distribution of keys, for the sort of records in the cache. */
enum radix_spread {
    RADIX_CROWDED, /* many different keys share their highest bits */
    RADIX_EVEN,
    RADIX_REPEATS, /* few values */
    RADIX_HANDFUL  /* so few values that a split by one digit separates most of them */
};

/* The services of a sort in the cache. */
typedef struct radix_local {
    ordo_exec    *exec;
    cpu_words_fn *sort_words; /* vector sort of whole records; NULL: not for this kind */
    cpu_keys_fn  *sort_keys;  /* the same for keys, in their memory */
    size_t        most_words; /* the most records for sort_words */
    cpu_words_fn
        *sort_packed; /* vector sort of 32-bit words that stand for records; NULL: there is none */
} radix_local;

typedef struct radix_slots { /* one buffer for each running thread */
    atomic_flag *busy;
    char        *memory;
    size_t       bytes;
} radix_slots;

typedef struct radix_ops radix_ops;

/* One split: records from `from` (or the job's input) into `to`. */
typedef struct radix_work {
    const radix_io  *io;
    const radix_ops *ops;
    ordo_exec       *exec;
    radix_local      local;
    unsigned         level; /* 0: the first split of the job */
    const char      *from;  /* records; NULL: the job's input, loaded */
    char            *to;
    size_t           n, at; /* at: index of the first record in the whole array */
    radix_cut        cut;
    size_t           chunk, chunks;
    size_t          *counts; /* [chunk][bucket]: counts, then places */
    size_t          *ends;   /* end of each bucket */
    size_t           big;    /* buckets larger than this are left for all threads */
    unsigned         most;   /* low bits in which the keys of one bucket may differ */
    bool             combine;
    uint16_t        *labels; /* bucket of each record, from count to scatter; NULL: not kept */
    radix_slots      slots;
} radix_work;

/* The blocks of a split by one thread (radix_blocks.t.h). Blocks are numbered: first one per
 * bucket, in `extra`, then the blocks in `scratch`. */
typedef struct radix_blocks {
    char     *scratch, *extra;
    uint32_t *next;   /* [block]: the next block of its bucket */
    uint32_t  taken;  /* blocks that are taken */
    size_t   *counts; /* [bucket] */
    size_t    buckets;
} radix_blocks;

/* The steps of one split, for one kind of record. */
struct radix_ops {
    bool (*sample)(const radix_work *work, void *records, void *spare, size_t count);
    void (*count)(const radix_work *work, size_t lo, size_t hi, size_t *counts);
    void (*scatter)(const radix_work *work, size_t lo, size_t hi, size_t *places, char *buffer);
    void (*finish)(const radix_work *work, size_t lo, size_t hi, char *buffer);
    void (*scatter_blocks)(const radix_work *work, radix_blocks *blocks, char *buffer);
    void (*finish_blocks)(const radix_work *work, const radix_blocks *blocks, size_t b, size_t lo,
                          size_t hi, char *buffer);
    void (*alone)(const radix_io *io, void *records, void *spare, const radix_local *local);
    uint64_t (*differ)(const void *records, size_t lo, size_t hi);
};

#endif
