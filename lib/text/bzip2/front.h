/* front.h - the list of bytes of move to front, eight bytes in a word: the first byte is the lowest
 * one of the first word. A move takes a few operations for each word, without a loop over bytes. */
#ifndef ORDO_TEXT_BZIP2_FRONT_H
#define ORDO_TEXT_BZIP2_FRONT_H

#include "core/base.h"

typedef struct bz_front {
    uint64_t words[32];
} bz_front;

static inline void bz_front_set(bz_front *f, const uint8_t *bytes, unsigned n)
{
    for (unsigned w = 0; w < 32; w++)
        f->words[w] = 0;
    for (unsigned i = 0; i < n; i++)
        f->words[i / 8] |= (uint64_t)bytes[i] << (8 * (i % 8));
}

/* The word after byte number `at` was taken out and `carried` put in at the front. */
static inline uint64_t bz_front_shift(uint64_t word, unsigned at, uint64_t carried)
{
    uint64_t const moved = UINT64_MAX >> (56 - 8 * at); /* bytes 0 to at */
    return (word & ~moved) | (word << 8 & moved) | carried;
}

/* Moves byte number `at` to the front and returns it. */
static inline uint8_t bz_front_take(bz_front *f, unsigned at)
{
    uint64_t *const word = f->words;
    unsigned const  last = at / 8;
    uint64_t const  byte = word[last] >> (8 * (at % 8)) & 255;
    uint64_t        carried = byte;
    for (unsigned w = 0; w < last; w++) {
        uint64_t const out = word[w] >> 56;
        word[w] = word[w] << 8 | carried;
        carried = out;
    }
    word[last] = bz_front_shift(word[last], at % 8, carried);
    return (uint8_t)byte;
}

/* Moves `byte`, which is in the list, to the front and returns its number. */
static inline unsigned bz_front_find(bz_front *f, uint8_t byte)
{
    uint64_t const low = UINT64_C(0x0101010101010101);
    uint64_t       carried = byte;
    for (unsigned w = 0;; w++) {
        uint64_t const word = f->words[w], x = word ^ byte * low;
        uint64_t const found = (x - low) & ~x & low << 7; /* the lowest bit is right */
        if (found != 0) {
            unsigned const at = (unsigned)__builtin_ctzll(found) / 8;
            f->words[w] = bz_front_shift(word, at, carried);
            return 8 * w + at;
        }
        f->words[w] = word << 8 | carried;
        carried = word >> 56;
    }
}

#endif
