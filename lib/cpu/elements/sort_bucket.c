/* sort_bucket.c - the stable sort of structs that fit the cache, from one array into another.
 *
 * A 32-bit word stands for each struct: the high bits of (key bits - least key bits), and the index
 * below them. A vector sort orders the words, and structs whose words have the same key bits are
 * put in order by insertion. Then the structs are gathered into a small buffer and written as whole
 * cache lines, which bypass the cache if the array is large. Without a vector sort, or if too many
 * structs need insertion, the radix sort orders records of key bits and index (radix.c).
 * Scratch: 16 bytes for each struct, and that of the radix sort. */
#include "core/keybits.h"
#include "cpu/elements/elements.h"
#include "cpu/radix/lines.h"
#include "cpu/radix/records.h"

#include <string.h>

enum {
    MOST_WORDS = 1 << 16,  /* structs: a word has at least 16 bits for the key */
    STEPS_EACH = 4,        /* steps of the insertion for each struct, on average */
    KEYS_AHEAD = 2048,     /* bytes that are prefetched ahead of a key */
    GATHER_BYTES = 4 << 10 /* structs gathered before they are written */
};

#define ORDO_TEMPLATE "cpu/elements/element_keys.t.h"
#include "core/for_each_type.h"

void element_read_keys(const ordo_records_job *job, size_t at, size_t count, uint64_t *words)
{
    const char *const keys = (const char *)job->base + at * job->size + job->key_offset;
    BY_TYPE(job->type, read_bits, (keys, job->size, count, job->descending, words));
}

/* ---- By records ---- */

static enum record_kind kind_of(ordo_type type, size_t n)
{
    return records_kind_of_argsort(type, n);
}

static void store_elements(const radix_io *io, size_t at, size_t count, const void *records)
{
    element_gather_records((char *)io->out + at * io->value_size, io->values, io->value_size,
                           records, io->kind == RECORD_P32, count);
}

/* The radix sort prefetches whole elements, so its prefetch is on only for small ones. */
ordo_status element_radix(const cpu_kernels *kernels, const ordo_records_job *job, const char *from,
                          size_t n, char *to, ordo_exec *exec)
{
    enum record_kind const kind = kind_of(job->type, n);
    radix_io const         io = {.kernels = kernels,
                                 .kind = kind,
                                 .n = n,
                                 .load = kind == RECORD_P32 ? BY_TYPE(job->type, load_p32, )
                                                            : BY_TYPE(job->type, load_p64, ),
                                 .store = store_elements,
                                 .key_size = job->size <= ORDO_CACHE_LINE ? job->size : 0,
                                 .in = from + job->key_offset,
                                 .out = to,
                                 .values = (char *)from, /* only read */
                                 .value_size = job->size,
                                 .turned = job->descending,
                                 .folded = true,
                                 .rising = true};
    return cpu_radix(&io, exec);
}

size_t element_radix_scratch(ordo_type type, size_t n, unsigned threads)
{
    return cpu_radix_scratch(kind_of(type, n), n, false, threads);
}

/* ---- By words ---- */

static bool takes_words(size_t n) { return n > 1 && n <= MOST_WORDS; }

size_t element_bucket_scratch(ordo_type type, size_t n, unsigned threads)
{
    if (n < 2)
        return 0;
    return (takes_words(n) ? n * (sizeof(uint64_t) + 2 * sizeof(uint32_t)) + 2 * ORDO_CACHE_LINE
                           : 0) +
           element_radix_scratch(type, n, threads);
}

/* Puts words with the same key bits into the order of bits[]. Sorted words that tie have ascending
 * indices, so the order is stable. Returns false if that takes too many steps. */
static bool settle_words(uint32_t *words, size_t n, unsigned index_bits, const uint64_t *bits)
{
    uint32_t const mask = (UINT32_C(1) << index_bits) - 1;
    size_t         left = STEPS_EACH * n;
    for (size_t i = 1; i < n; i++) {
        uint32_t const word = words[i];
        if ((word ^ words[i - 1]) >> index_bits != 0)
            continue;
        uint64_t const key = bits[word & mask];
        size_t         j = i;
        for (; j > 0 && (word ^ words[j - 1]) >> index_bits == 0 && bits[words[j - 1] & mask] > key;
             j--)
            words[j] = words[j - 1];
        words[j] = word;
        if (i - j > left)
            return false;
        left -= i - j;
    }
    return true;
}

/* Writes element index[i] of `from` to place i. Whole lines bypass the cache. */
static void gather_stream(char *to, const char *from, size_t size, const uint32_t *index, size_t n)
{
    _Alignas(ORDO_CACHE_LINE) char room[GATHER_BYTES + 2 * ORDO_CACHE_LINE];
    size_t const                   each = GATHER_BYTES / size;
    for (size_t at = 0, count; at < n; at += count) {
        char *const  start = to + at * size;
        size_t const skew = (uintptr_t)start % ORDO_CACHE_LINE;
        count = ordo_min(each, n - at);
        size_t const end = skew + count * size;
        size_t const first = ordo_min(skew == 0 ? 0 : ORDO_CACHE_LINE, end);
        size_t const last = ordo_max(end - end % ORDO_CACHE_LINE, first);
        element_gather(room + skew, from, size, index + at, true, 0, count);
        memcpy(start, room + skew, first == 0 ? 0 : first - skew);
        lines_stream(start - skew + first, room + first, last - first);
        memcpy(start - skew + last, room + last, end - last);
    }
    lines_fence();
}

ordo_status element_sort_bucket(const cpu_kernels *kernels, const ordo_records_job *job,
                                const char *from, size_t n, char *to, ordo_exec *exec)
{
    cpu_words_fn *const sort = kernels->sort_words[CPU_WORDS_32];
    unsigned const      index_bits = n < 2 ? 0 : ordo_bit_length(n - 1);
    uint64_t           *bits;
    uint32_t           *words, *spare;
    if (n < 2) {
        memcpy(to, from, n * job->size);
        return ORDO_OK;
    }
    if (sort == NULL || !takes_words(n))
        return element_radix(kernels, job, from, n, to, exec);
    TRY_SCRATCH(exec, n * sizeof *bits, bits);
    TRY_SCRATCH(exec, n * sizeof *words, words);
    TRY_SCRATCH(exec, n * sizeof *spare, spare);
    unsigned const dropped =
        BY_TYPE(job->type, bucket_words,
                (from + job->key_offset, job->size, n, job->descending, index_bits, bits, words));
    sort(words, spare, n, words, 32, NULL);
    if (dropped > 0 && !settle_words(words, n, index_bits, bits))
        return element_radix(kernels, job, from, n, to, exec);
    for (size_t i = 0; i < n; i++)
        words[i] &= (UINT32_C(1) << index_bits) - 1;
    if (cpu_bypasses_cache(job->n * job->size) && job->size <= GATHER_BYTES)
        gather_stream(to, from, job->size, words, n);
    else
        element_gather(to, from, job->size, words, true, 0, n);
    return ORDO_OK;
}
