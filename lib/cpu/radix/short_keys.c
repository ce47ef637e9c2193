/* short_keys.c - argsorts and ranks of 64-bit keys that move 8 bytes per key instead of 16.
 *
 * A sample gives the range of the keys. If it is narrow, all keys are read; if they span less than
 * 2^32, a record holds the difference to the least key and the index, 32 bits each. Otherwise a
 * record holds as many first bits of the key as the index leaves room for, within the sample's
 * range widened by 1.5 times its length on either side: 2^24 random keys keep 39 bits and hardly
 * ever tie. Keys that tie when shortened, and keys outside that range, are sorted by their whole
 * keys, which are read from the input in blocks, when a bucket is stored.
 * If the sample shows that keys tie often, they are not shortened. If a sort still meets too many
 * ties, it gives up and loses the work done so far. */
#include "core/random.h"
#include "cpu/radix/short_keys.h"

#include <string.h>

enum {
    LEAST = RADIX_BIG, /* fewer may be sorted by one thread */
    MOST = ORDO_TUNE_SHORT_MOST,
    NEAR_BITS = 10,                  /* short keys that differ only in these low bits are near */
    MOST_KNOWN = ORDO_TUNE(1024, 6), /* different keys, equal when short, told apart on the stack */
    FEW = 16, /* at most this many whole keys are sorted by insertion; mostly two tie */
    BLOCK = 512
};

/* A larger share of tied keys: not shortened. A tied key costs a cache miss or more, which is
 * several times what a shorter record saves. */
#define MOST_TIED 0.125

/* ---- Which way ---- */

/* The size of a sample that contains two tied keys if one key in eight ties with another. */
static size_t sample_count(size_t n)
{
    size_t count = ORDO_TUNE_RADIX_SAMPLE;
    while (count <= UINT32_MAX && (uint64_t)count * count / 16 < n)
        count *= 2;
    return ordo_min(count, n / 4);
}

typedef struct extent_work {
    const cpu_kernels      *kernels;
    const ordo_argsort_job *job;
    _Atomic uint64_t        low, high;
} extent_work;

static void extent_piece(void *arg, size_t lo, size_t hi)
{
    extent_work *const            work = arg;
    const ordo_argsort_job *const job = work->job;
    cpu_tie_extent                extent;
    work->kernels->loops->tie_extent[job->type]((const uint64_t *)job->keys + lo, hi - lo,
                                                job->descending, &extent);
    cpu_keep_least(&work->low, extent.least);
    cpu_keep_most(&work->high, extent.most);
}

static ordo_status choose_narrow(const cpu_kernels *kernels, const ordo_argsort_job *job,
                                 short_keys *keys, ordo_exec *exec)
{
    extent_work work = {.kernels = kernels, .job = job};
    atomic_init(&work.low, UINT64_MAX);
    atomic_init(&work.high, 0);
    if (!ordo_loop(exec, job->n, cpu_grain(job->n), extent_piece, &work))
        return ORDO_E_CANCELLED;
    uint64_t const low = atomic_load(&work.low), high = atomic_load(&work.high);
    if (high - low > UINT32_MAX)
        return ORDO_OK;
    keys->way = SHORT_NARROW;
    keys->map = (short_map){low, UINT32_MAX, 0, 32, UINT32_MAX};
    return ORDO_OK;
}

/* Estimates from a sorted sample the share of n keys that tie when short. A value that occurs
 * three times or more in the sample has the same share of the keys. Pairs that tie and pairs
 * that are near are counted among the count^2 / 2 pairs of the sample; one near pair in
 * 2^NEAR_BITS ties. */
static double tied_share(const uint64_t *sample, size_t count, size_t n, uint64_t base,
                         unsigned shift)
{
    size_t heavy = 0, pairs = 0, near = 0;
    for (size_t i = 0, end; i < count; i = end) {
        uint64_t const key = (sample[i] - base) >> shift;
        for (end = i + 1; end < count && (sample[end] - base) >> shift == key; end++) {
        }
        heavy += end - i > 2 ? end - i : 0;
        pairs += end - i == 2;
        near += end < count && ((sample[end] - base) >> shift ^ key) >> NEAR_BITS == 0;
    }
    double const of_pairs = 2 * (double)n / ((double)count * (double)count);
    return (double)heavy / (double)count +
           of_pairs * ((double)pairs + (double)near / (1 << NEAR_BITS));
}

static void choose_words(const uint64_t *sample, size_t count, size_t n, short_keys *keys)
{
    uint64_t const low = sample[0], high = sample[count - 1];
    uint64_t const around = high - low > UINT64_MAX / 2 ? UINT64_MAX : (high - low) / 2 * 3;
    uint64_t const base = low - ordo_min(low, around);
    uint64_t const span = high + ordo_min(UINT64_MAX - high, around) - base;
    unsigned const index_bits = ordo_bit_length(n - 1);
    unsigned const key_bits = 63 - index_bits;
    unsigned const shift =
        ordo_bit_length(span) - (unsigned)ordo_min(ordo_bit_length(span), key_bits);
    if (tied_share(sample, count, n, base, shift) > MOST_TIED)
        return;
    keys->way = SHORT_WORDS;
    keys->map = (short_map){base, ((uint64_t)1 << key_bits) - 1, shift, index_bits + 1,
                            ((uint64_t)1 << index_bits) - 1};
}

bool short_keys_suit(ordo_type type, size_t n)
{
    return ordo_type_size(type) == sizeof(uint64_t) && n >= LEAST && n <= MOST;
}

ordo_status short_keys_choose(const cpu_kernels *kernels, const ordo_argsort_job *job,
                              short_keys *keys, ordo_exec *exec)
{
    size_t const count = sample_count(job->n), stride = job->n / count;
    uint64_t    *sample;
    keys->way = SHORT_NOT;
    TRY_SCRATCH(exec, count * sizeof *sample, sample);
    keys->key_at = records_key_of(job->type, job->descending);
    atomic_init(&keys->tied, 0);
    keys->most_tied = job->n / 4; /* twice the largest expected number */
    for (size_t i = 0; i < count; i++)
        sample[i] = keys->key_at(job->keys, ordo_random_in_stride(exec->seed, i, stride));
    radix_io const order = {.kernels = kernels,
                            .kind = RECORD_K64,
                            .n = count,
                            .key_size = sizeof *sample,
                            .in = sample,
                            .out = sample,
                            .spare = sample};
    ordo_exec      part = *exec;
    TRY(cpu_radix(&order, &part));
    if (sample[0] != sample[count - 1] && sample[count - 1] - sample[0] <= UINT32_MAX)
        TRY(choose_narrow(kernels, job, keys, exec));
    else if (sample[0] != sample[count - 1])
        choose_words(sample, count, job->n, keys);
    return ORDO_OK;
}

size_t short_keys_scratch(ordo_type type, size_t n, unsigned threads)
{
    if (!short_keys_suit(type, n))
        return 0;
    size_t const count = sample_count(n);
    return ordo_round_up(count * sizeof(uint64_t), ORDO_CACHE_LINE) +
           cpu_radix_scratch(RECORD_K64, count, true, threads) +
           cpu_radix_scratch(RECORD_K64, n, true, threads) - short_keys_memory(n) / 2 +
           (size_t)2 * ORDO_CACHE_LINE; /* each half is rounded up */
}

/* ---- Words that tie ---- */

#define RECORD record_p64
#define LESS(a, b) record_less_p64(a, b)
#define FN(name) name##_p64
#include "core/small_sort.t.h"
#undef FN
#undef LESS
#undef RECORD

static inline void put_index(const radix_io *io, size_t at, uint64_t index)
{
    if (io->index_type == ORDO_U32)
        ((uint32_t *)io->out)[at] = (uint32_t)index;
    else
        ((uint64_t *)io->out)[at] = index;
}

/* Writes the result at `at`: an index, or a record with the bit for "same key as the previous
 * record". */
static inline void put_known(const radix_io *io, size_t at, uint64_t word, uint64_t index, bool tie)
{
    const short_keys *const keys = io->job;
    if (io->index_type != 0)
        put_index(io, at, index);
    else
        ((uint64_t *)io->out)[at] = word >> keys->map.unit << keys->map.unit |
                                    (uint64_t)tie << (keys->map.unit - 1) | index;
}

static void settle_many(const radix_io *io, size_t at, size_t n, const uint64_t *words)
{
    short_keys *const keys = io->job;
    uint64_t const    first = keys->key_at(io->in, (size_t)(words[0] & keys->map.index_mask));
    for (size_t i = 0; i < n; i++) {
        uint64_t const index = words[i] & keys->map.index_mask;
        if (keys->key_at(io->in, (size_t)index) != first) {
            atomic_store_explicit(&keys->tied, io->n, memory_order_relaxed);
            return;
        }
        put_known(io, at + i, words[i], index, i > 0);
    }
}

/* Sorts n records with one short key by their whole keys. */
static void settle(const radix_io *io, size_t at, size_t n, const uint64_t *words)
{
    short_keys *const keys = io->job;
    record_p64        known[MOST_KNOWN];
    atomic_fetch_add_explicit(&keys->tied, n, memory_order_relaxed);
    if (n > MOST_KNOWN) {
        settle_many(io, at, n, words);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t const index = words[i] & keys->map.index_mask;
        known[i] = (record_p64){keys->key_at(io->in, (size_t)index), index};
    }
    if (n <= FEW)
        insertion_sort_p64(known, n);
    else
        heap_sort_p64(known, n);
    for (size_t i = 0; i < n; i++)
        put_known(io, at + i, words[i], known[i].index, i > 0 && known[i].key == known[i - 1].key);
}

/* Sorts the ties among the sorted records by whole keys. All records of a shortened key are among
 * them. */
static void settle_ties(const radix_io *io, size_t at, size_t count, const uint64_t *words)
{
    short_keys *const keys = io->job;
    uint16_t          ties[BLOCK];
    size_t            settled = 0;
    for (size_t lo = 1; lo < count; lo += BLOCK) {
        size_t const hi = ordo_min(lo + BLOCK, count);
        size_t       found = 0;
        for (size_t i = lo; i < hi; i++)
            if (ORDO_UNLIKELY((words[i] ^ words[i - 1]) >> keys->map.unit == 0)) {
                ties[found++] = (uint16_t)(i - lo);
                for (size_t j = i - 1; j <= i; j++)
                    __builtin_prefetch((const char *)io->in +
                                       (size_t)(words[j] & keys->map.index_mask) *
                                           sizeof(uint64_t));
            }
        if (found > 0 && short_keys_lost(keys))
            return;
        for (size_t t = 0; t < found; t++) {
            size_t const first = lo + ties[t] - 1;
            size_t       end = first + 2;
            if (first < settled)
                continue;
            while (end < count && (words[end] ^ words[first]) >> keys->map.unit == 0)
                end++;
            settle(io, at + first, end - first, words + first);
            settled = end;
        }
    }
}

static void store_index(const radix_io *io, size_t at, size_t count, const void *records)
{
    const uint64_t *const words = records;
    uint64_t const        mask = io->shortened->index_mask;
    if (io->index_type == ORDO_U32)
        for (size_t i = 0; i < count; i++)
            ((uint32_t *)io->out)[at + i] = (uint32_t)(words[i] & mask);
    else
        for (size_t i = 0; i < count; i++)
            ((uint64_t *)io->out)[at + i] = words[i] & mask;
    settle_ties(io, at, count, words);
}

/* The records may be in the memory of the result; ties are read before they are written. */
static void store_words(const radix_io *io, size_t at, size_t count, const void *records)
{
    memmove((uint64_t *)io->out + at, records, count * sizeof(uint64_t));
    settle_ties(io, at, count, records);
}

/* ---- The sort ---- */

static bool too_many_tied(const radix_io *io) { return short_keys_lost(io->job); }

/* The parts of the job that both kinds of results share. */
static radix_io shortened(const cpu_kernels *kernels, const ordo_argsort_job *job, short_keys *keys)
{
    radix_io io = records_of_argsort(kernels, job, RECORD_P32);
    io.kind = keys->way == SHORT_WORDS ? RECORD_K64 : RECORD_P32;
    io.shortened = &keys->map;
    io.job = keys;
    if (keys->way == SHORT_WORDS) {
        io.whole_bits = keys->map.unit;
        io.gave_up = too_many_tied;
    }
    records_shorten(kernels, job->type, &io);
    return io;
}

radix_io short_keys_sorted(const cpu_kernels *kernels, const ordo_argsort_job *job,
                           short_keys *keys)
{
    radix_io io = shortened(kernels, job, keys);
    io.store = keys->way == SHORT_WORDS ? store_words : NULL;
    return io;
}

radix_io short_keys_io(const cpu_kernels *kernels, const ordo_argsort_job *job, short_keys *keys,
                       void *scratch)
{
    radix_io io = shortened(kernels, job, keys);
    if (keys->way == SHORT_WORDS)
        io.store = store_index;
    io.index_type = job->index_type;
    io.scratch = scratch;
    io.spare = (char *)scratch + short_keys_memory(job->n) / 2;
    return io;
}

ordo_status short_keys_sort(const radix_io *io, bool *done, ordo_exec *exec)
{
    short_keys *const keys = io->job;
    ordo_status const status = cpu_radix(io, exec);
    *done = status != ORDO_E_UNSUPPORTED && !short_keys_lost(keys);
    return status == ORDO_E_UNSUPPORTED ? ORDO_OK : status;
}
