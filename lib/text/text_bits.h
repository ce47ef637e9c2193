/* text_bits.h - small functions on words of text, and the thresholds of lib/text. */
#ifndef ORDO_TEXT_TEXT_BITS_H
#define ORDO_TEXT_TEXT_BITS_H

#include "backend/tuning.h"

#include <string.h>

enum {
    /* Elements between a prefetch and the access to it. An estimate: a miss takes about as long as
     * 20 to 40 elements. */
    TEXT_AHEAD = 32,
    TEXT_AHEAD_BYTES = 96,
    TEXT_BATCH = 128, /* entries of a suffix array that induce at once */
    /* Up to this many substrings are sorted by insertion. An estimate. */
    TEXT_FEW = ORDO_TUNE(12, 3),
    TEXT_GROUPS = 32, /* groups of a few substrings that are sorted together */
    /* Least number of symbols of a piece of a parallel loop. An estimate: 10 us of work. */
    TEXT_GRAIN = ORDO_TUNE(1 << 14, 16),
    /* A scan by several threads: entries of a block, and of the smallest one that is shared; most
     * pieces of a loop. Estimates: a block fits the L2 caches, a loop takes 10 us. */
    TEXT_BLOCK = ORDO_TUNE(1 << 20, 200),
    TEXT_SHARED = ORDO_TUNE(1 << 15, 20),
    TEXT_PIECES = 64,
    /* From this many threads on, the string of names is sorted by doubling, which all threads
     * share, instead of induced sorting, whose scans of integers use one. Sapphire Rapids, 24 MB of
     * English: the call takes 2.3 s of CPU time with doubling and 1.8 s without, of which the names
     * take 0.8 s on one thread. */
    TEXT_RANK_THREADS = ORDO_TUNE(4, 2),
    /* It is given up if more suffixes than this times their number take part in its rounds. An
     * estimate: source text takes 4. */
    TEXT_RANK_WORK = 6,
    /* LMS substrings are named by a table of the distinct ones as long as these are fewer than a
     * part 1 / TEXT_DISTINCT of the substrings so far and 1 / TEXT_DISTINCT_START of all, which
     * begin with many new ones. Neoverse V1, 2 * 10^7 random letters: 12 letters, of whose
     * substrings a part of 1 / 15 are distinct, take 0.94 s with the table and 0.98 s without; 16
     * letters, 1 / 9: 1.07 and 1.01 s. */
    TEXT_DISTINCT = ORDO_TUNE(12, 2),
    TEXT_DISTINCT_START = ORDO_TUNE(64, 8),
    TEXT_TABLE_LEAST = ORDO_TUNE(10, 3),  /* binary logarithm of the slots of the first table */
    TEXT_TABLE_BATCH = ORDO_TUNE(128, 4), /* substrings that are looked up at once */
    TEXT_TABLE_HASH = ORDO_TUNE(64, 3),   /* bits of the hash of a long substring */
    TEXT_TABLE_STEPS = 16,                /* mean number of steps in the table that is accepted */
    TEXT_POLL = ORDO_TUNE(1 << 16, 64),   /* elements between two checks for cancel */
    TEXT_BYTES = 256                      /* values of a byte */
};

static inline uint64_t text_big_endian(uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return __builtin_bswap64(word);
#else
    return word;
#endif
}

/* The 8 bytes at a place, the first one in the lowest bits. */
static inline uint64_t text_little_endian(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return __builtin_bswap64(text_big_endian(word));
}

/* Bit i of the result is flags[i], which is 0 or 1. */
static inline uint64_t text_gather_bits(const uint8_t flags[64])
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < 64; i += 8)
        bits |= (text_little_endian(flags + i) * UINT64_C(0x0102040810204080) >> 56) << i;
    return bits;
}

/* The number of leading bytes in which a and b agree, at most `most`. */
static inline size_t text_common(const uint8_t *a, const uint8_t *b, size_t most)
{
    size_t   i = 0;
    uint64_t x, y;
    for (; i + sizeof x <= most; i += sizeof x) {
        memcpy(&x, a + i, sizeof x);
        memcpy(&y, b + i, sizeof y);
        if (x != y)
            return i + (size_t)__builtin_clzll(text_big_endian(x ^ y)) / 8;
    }
    while (i < most && a[i] == b[i])
        i++;
    return i;
}

/* Counts n < 2^32 bytes by value. Neighbours have counters of their own, because equal bytes in a
 * row would wait for each other's count. */
static inline void text_count(const uint8_t *text, size_t n, uint32_t counts[TEXT_BYTES])
{
    uint32_t tables[4][TEXT_BYTES] = {{0}};
    size_t   i = 0;
    for (; i + 4 <= n; i += 4)
        for (size_t k = 0; k < 4; k++)
            tables[k][text[i + k]]++;
    for (; i < n; i++)
        tables[0][text[i]]++;
    for (size_t c = 0; c < TEXT_BYTES; c++)
        counts[c] = tables[0][c] + tables[1][c] + tables[2][c] + tables[3][c];
}

static inline uint64_t text_middle(uint64_t a, uint64_t b, uint64_t c)
{
    if (a > b) {
        uint64_t const swap = a;
        a = b;
        b = swap;
    }
    return c <= a ? a : c >= b ? b : c;
}

/* A key near the median of n > 2 keys: the median of three medians. */
static inline uint64_t text_pivot(const uint64_t *keys, size_t n)
{
    size_t const step = n / 9, at = n / 2;
    if (n < 64)
        return text_middle(keys[0], keys[at], keys[n - 1]);
    return text_middle(text_middle(keys[0], keys[step], keys[2 * step]),
                       text_middle(keys[at - step], keys[at], keys[at + step]),
                       text_middle(keys[n - 1 - 2 * step], keys[n - 1 - step], keys[n - 1]));
}

#endif
