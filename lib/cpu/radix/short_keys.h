/* short_keys.h - 64-bit keys and their indices in records of 8 bytes; see short_keys.c. */
#ifndef ORDO_CPU_RADIX_SHORT_KEYS_H
#define ORDO_CPU_RADIX_SHORT_KEYS_H

#include "cpu/radix/records.h"
#include "backend/job.h"

#include <stdatomic.h>

enum short_way {
    SHORT_NOT,    /* key and index need 16 bytes */
    SHORT_NARROW, /* the keys' range fits 32 bits: RECORD_P32 */
    SHORT_WORDS   /* RECORD_K64: the key's first bits, a bit for ties, the index */
};

typedef struct short_keys {
    enum short_way  way;
    short_map       map;
    records_key_fn *key_at;    /* reads the whole key */
    atomic_size_t   tied;      /* SHORT_WORDS: number of keys that tied when shortened */
    size_t          most_tied; /* the sort gives up if more tied */
} short_keys;

/* Whether so many keys tied that the sort gives up. */
static inline bool short_keys_lost(const short_keys *keys)
{
    return atomic_load_explicit(&keys->tied, memory_order_relaxed) > keys->most_tied;
}

/* Bytes of the records; also large enough for the fallback's 16-byte records. */
static inline size_t short_keys_memory(size_t n)
{
    return 2 * ordo_round_up(n * sizeof(uint64_t), ORDO_CACHE_LINE);
}

/* Whether records of 8 bytes may hold so many keys, and may be faster. */
bool short_keys_suit(ordo_type type, size_t n);
/* Reads a sample of such keys, and all of them if the sample suggests a narrow range. */
ordo_status short_keys_choose(const cpu_kernels *kernels, const ordo_argsort_job *job,
                              short_keys *keys, ordo_exec *exec);
/* The scratch of short_keys_choose and of a sort, without the scratch for records. */
size_t short_keys_scratch(ordo_type type, size_t n, unsigned threads);

/* The job of an argsort, if keys->way is not SHORT_NOT; scratch has short_keys_memory(n) bytes. */
radix_io short_keys_io(const cpu_kernels *kernels, const ordo_argsort_job *job, short_keys *keys,
                       void *scratch);
/* The same with the sorted records as results, in io.out. In SHORT_WORDS, bit (unit - 1) of a
 * record means: same key as the previous record. */
radix_io short_keys_sorted(const cpu_kernels *kernels, const ordo_argsort_job *job,
                           short_keys *keys);

/* Sorts. *done is false if too many keys tied: then the result is unspecified. */
ordo_status short_keys_sort(const radix_io *io, bool *done, ordo_exec *exec);

#endif
