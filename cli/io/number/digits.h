/* digits.h - decimal digits, eight at a time in a 64-bit word: the first digit is the lowest byte.
 *
 * Reading is three multiplications that join neighbours. Writing is the same the other way round,
 * with products in place of divisions by 100 and by 10. */
#ifndef ORDO_CLI_IO_NUMBER_DIGITS_H
#define ORDO_CLI_IO_NUMBER_DIGITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    DIGITS_EIGHT = 100000000, /* 10^8 */
    DIGITS_ROOM = 24 /* bytes that digits_put() may write: 20 digits, and some behind the number */
};

/* Bytes text[0..8), the first one lowest. */
static inline uint64_t digits_load(const char *text)
{
    uint64_t eight;
    memcpy(&eight, text, sizeof eight);
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? eight : __builtin_bswap64(eight);
}

/* How many of the bytes before the first one that is no digit; 8: all are digits. */
static inline unsigned digits_count(uint64_t eight)
{
    const uint64_t high = UINT64_C(0x8080808080808080);
    const uint64_t value = eight ^ UINT64_C(0x3030303030303030);
    const uint64_t other = ((value + UINT64_C(0x7676767676767676)) | value) & high;
    return other == 0 ? 8 : (unsigned)__builtin_ctzll(other) / 8;
}

/* The number that the first `count` bytes are, which are digits. */
static inline uint64_t digits_value(uint64_t eight, unsigned count)
{
    if (count == 0)
        return 0;
    eight = (eight & UINT64_C(0x0f0f0f0f0f0f0f0f)) << (64 - 8 * count);
    eight = eight * 2561 >> 8;
    eight = (eight & UINT64_C(0x00ff00ff00ff00ff)) * 6553601 >> 16;
    return (eight & UINT64_C(0x0000ffff0000ffff)) * UINT64_C(42949672960001) >> 32;
}

/* Reads digits at p, at most `words` times eight, behind those of *value, which may overflow.
 * Returns their end. The bytes of a word behind it must be readable, unless `words` were read. */
static inline const char *digits_read(const char *p, size_t words, uint64_t *value)
{
    static const uint32_t powers[] = {1,      10,      100,      1000,        10000,
                                      100000, 1000000, 10000000, DIGITS_EIGHT};
    uint64_t              number = *value;

    for (unsigned count = 8; count == 8 && words > 0; words--, p += count) {
        const uint64_t eight = digits_load(p);
        count = digits_count(eight);
        number = number * powers[count] + digits_value(eight, count);
    }
    *value = number;
    return p;
}

/* The eight digits of a number below 10^8, each in a byte, from 0 to 9. */
static inline uint64_t digits_of(uint32_t value)
{
    const uint64_t four = value / 10000;
    const uint64_t fours = four | (value - 10000 * four) << 32;
    const uint64_t hundreds = (fours * 10486 >> 20) & UINT64_C(0x0000007f0000007f);
    const uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
    const uint64_t tens = (twos * 103 >> 10) & UINT64_C(0x000f000f000f000f);
    return tens | (twos - 10 * tens) << 8;
}

static inline void digits_store(char *out, uint64_t eight)
{
    eight += UINT64_C(0x3030303030303030);
    eight = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? eight : __builtin_bswap64(eight);
    memcpy(out, &eight, sizeof eight);
}

/* Writes a number below 10^8 without zeros in front and returns its end. */
static inline char *digits_put_first(char *out, uint32_t value)
{
    const uint64_t eight = digits_of(value);
    const unsigned zeros = (unsigned)__builtin_ctzll(eight | UINT64_C(1) << 56) / 8;
    digits_store(out, eight >> 8 * zeros);
    return out + 8 - zeros;
}

/* Writes a number and returns its end; `out` has DIGITS_ROOM bytes. */
static inline char *digits_put(char *out, uint64_t value)
{
    if (value < DIGITS_EIGHT)
        return digits_put_first(out, (uint32_t)value);
    const uint64_t high = value / DIGITS_EIGHT;
    if (high < DIGITS_EIGHT) {
        out = digits_put_first(out, (uint32_t)high);
    } else {
        out = digits_put_first(out, (uint32_t)(high / DIGITS_EIGHT));
        digits_store(out, digits_of((uint32_t)(high % DIGITS_EIGHT)));
        out += 8;
    }
    digits_store(out, digits_of((uint32_t)(value % DIGITS_EIGHT)));
    return out + 8;
}

#endif
