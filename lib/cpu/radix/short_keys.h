/* short_keys.h - keys of 64 bits with their indices in words of 64 bits; see short_keys.c. */
#ifndef ORDO_CPU_RADIX_SHORT_KEYS_H
#define ORDO_CPU_RADIX_SHORT_KEYS_H

#include "cpu/radix/records.h"
#include "backend/job.h"

#include <stdatomic.h>

enum short_way {
    SHORT_NOT,    /* key and index need a word each */
    SHORT_NARROW, /* the keys' range fits 32 bits: RECORD_P32 */
    SHORT_WORDS   /* RECORD_K64: the key's first bits, one for ties, the index */
};

typedef struct short_keys {
    enum short_way  way;
    short_map       map;
    records_key_fn *key_at;    /* reads the whole key */
    atomic_size_t   tied;      /* SHORT_WORDS: keys that others tied with once they were short */
    size_t          most_tied; /* more of them are not worth it */
} short_keys;

/* Whether so many tied that the sort is given up. */
static inline bool short_keys_lost(const short_keys *keys)
{
    return atomic_load_explicit(&keys->tied, memory_order_relaxed) > keys->most_tied;
}

/* For n records of 16 bytes, too: those of the general way. */
static inline size_t short_keys_room(size_t n)
{
    return 2 * ordo_round_up(n * sizeof(uint64_t), ORDO_CACHE_LINE);
}

/* Looks at a sample of the job's keys, and at all of them if that suggests a narrow range. */
ordo_status short_keys_choose(const cpu_kernels *kernels, const ordo_argsort_job *job,
                              short_keys *keys, ordo_exec *exec);
/* The scratch of that and of a sort, without its room. */
size_t short_keys_scratch(ordo_type type, size_t n, unsigned threads);

/* For an argsort by a way that is not SHORT_NOT; `room` has short_keys_room(n) bytes. */
radix_io short_keys_io(const cpu_kernels *kernels, const ordo_argsort_job *job, short_keys *keys,
                       void *room);
/* The same with sorted words as results, in io.out. */
radix_io short_keys_sorted(const cpu_kernels *kernels, const ordo_argsort_job *job,
                           short_keys *keys);

/* Sorts; *done is false if too many keys tied and anything may be in the result. */
ordo_status short_keys_sort(const radix_io *io, bool *done, ordo_exec *exec);

#endif
