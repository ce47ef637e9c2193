/* cpu_divide.c - divides records into those before a pivot and the others, for one thread of
 * lib/hybrid. Stable; no branch on keys.
 *
 * Blocks of keys become bits (below the pivot or not), and the bits divide keys and values, with
 * vector compression where the ISA has it. Reads and writes each record once. */
#include "cpu/cpu.h"

#include <string.h>

enum {
    BLOCK = 2048, /* keys, a multiple of 64: their bits are 256 bytes */
    WORDS = BLOCK / 64
};

/* Divides elements of any size by the bits of words; size is a constant for the usual sizes. */
INLINE size_t divide_any(const char *in, size_t n, size_t size, const uint64_t *words, char *first,
                         char *second)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        memcpy(first + kept * size, in + i * size, size);
        memcpy(second + (i - kept) * size, in + i * size, size);
        kept += words[i / 64] >> (i % 64) & 1;
    }
    return kept;
}

static size_t divide_elements(const cpu_kernels *kernels, const char *in, size_t n, size_t size,
                              const uint64_t *words, char *first, char *second)
{
    switch (size) {
    case 4:
        if (kernels->split[CPU_WIDTH_32] != NULL)
            return kernels->split[CPU_WIDTH_32](in, n, words, first, second);
        return divide_any(in, n, 4, words, first, second);
    case 8:
        if (kernels->split[CPU_WIDTH_64] != NULL)
            return kernels->split[CPU_WIDTH_64](in, n, words, first, second);
        return divide_any(in, n, 8, words, first, second);
    case 1:
        return divide_any(in, n, 1, words, first, second);
    case 2:
        return divide_any(in, n, 2, words, first, second);
    default:
        return divide_any(in, n, size, words, first, second);
    }
}

/* The bits of a block. The keys of an incomplete last word are copied first. */
static void block_bits(cpu_below_fn *below, const char *keys, size_t n, size_t size, uint64_t pivot,
                       uint64_t *words)
{
    size_t const whole = n / 64 * 64;
    if (whole > 0)
        below(keys, whole, pivot, words);
    if (whole < n) {
        _Alignas(ORDO_CACHE_LINE) char last[64 * sizeof(uint64_t)] = {0};
        memcpy(last, keys + whole * size, (n - whole) * size);
        below(last, 64, pivot, words + whole / 64);
    }
}

void cpu_divide(const cpu_kernels *kernels, const ordo_divide_job *job)
{
    cpu_below_fn *const below = kernels->loops->below[job->type][job->descending];
    size_t const        size = ordo_type_size(job->type), value_size = job->value_size;
    const char *const keys = job->keys, *const values = job->values;
    size_t   first = 0;
    uint64_t words[WORDS];
    for (size_t at = 0; at < job->n; at += BLOCK) {
        size_t const n = ordo_min(BLOCK, job->n - at), second = at - first;
        block_bits(below, keys + at * size, n, size, job->pivot, words);
        size_t const kept = divide_elements(kernels, keys + at * size, n, size, words,
                                            (char *)job->first_keys + first * size,
                                            (char *)job->second_keys + second * size);
        if (value_size != 0)
            (void)divide_elements(kernels, values + at * value_size, n, value_size, words,
                                  (char *)job->first_values + first * value_size,
                                  (char *)job->second_values + second * value_size);
        first += kept;
    }
    *job->n_first = first;
}
