/* format.h - numbers of the bzip2 format, its checksum, and bits from the highest one on. */
#ifndef ORDO_TEXT_BZIP2_FORMAT_H
#define ORDO_TEXT_BZIP2_FORMAT_H

#include "core/base.h"

#define BZ_BLOCK_MAGIC UINT64_C(0x314159265359)
#define BZ_END_MAGIC UINT64_C(0x177245385090)

enum {
    BZ_LEVEL_BYTES = 100000, /* of a block, times the level */
    BZ_MOST_BLOCK = 9 * BZ_LEVEL_BYTES,
    BZ_GROUP = 50, /* symbols that are coded with the same table */
    BZ_MOST_TABLES = 6,
    BZ_MOST_SELECTORS = 32767,
    BZ_MOST_SYMBOLS = 258,  /* RUNA, RUNB, 255 positions, end of block */
    BZ_MOST_LENGTH = 20,    /* bits of a code that a decoder accepts */
    BZ_WRITTEN_LENGTH = 17, /* bits of a code that bzip2 writes */
    BZ_RUN_BYTES = 4        /* equal bytes before a count */
};

/* ---- Checksum: polynomial 0x04c11db7, highest bit first; begins with and is xored with ~0 ---- */

uint32_t bz_crc(uint32_t crc, const uint8_t *bytes, size_t n);

/* The checksum of a stream after one more block. */
static inline uint32_t bz_crc_stream(uint32_t stream, uint32_t block)
{
    return (stream << 1 | stream >> 31) ^ block;
}

static inline uint64_t bz_load64(const uint8_t *from)
{
    uint64_t word;
    __builtin_memcpy(&word, from, sizeof word);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static inline void bz_store64(uint8_t *to, uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    __builtin_memcpy(to, &word, sizeof word);
}

/* ---- Eight bytes at a time ---- */

/* Eight bytes, the first one lowest. */
static inline uint64_t bz_load_low(const uint8_t *from)
{
    return __builtin_bswap64(bz_load64(from));
}

/* The highest bits of the bytes that are zero; only the lowest of these bits is certain. */
static inline uint64_t bz_zero_bytes(uint64_t x)
{
    return (x - UINT64_C(0x0101010101010101)) & ~x & UINT64_C(0x8080808080808080);
}

/* ---- Writing bits. The memory has 8 bytes after the last one that is needed. ---- */

typedef struct bz_writer {
    uint8_t *to;
    uint64_t held; /* the `count` < 8 highest bits are not written yet, before bz_put */
    unsigned count;
} bz_writer;

/* Appends the lowest `count` <= 56 bits of value, whose other bits are 0. */
static inline void bz_put(bz_writer *w, uint64_t value, unsigned count)
{
    w->held |= value << (64 - w->count - count) % 64;
    w->count += count;
    bz_store64(w->to, w->held);
    unsigned const whole = w->count / 8;
    w->to += whole;
    w->held = whole < 8 ? w->held << (8 * whole) : 0;
    w->count %= 8;
}

#endif
