/* scan.h - finds where blocks and streams may begin: their magics, at every bit. */
#ifndef ORDO_TEXT_BZIP2_DECODE_SCAN_H
#define ORDO_TEXT_BZIP2_DECODE_SCAN_H

#include "text/bzip2/format.h"

enum {
    BZ_MAGIC_BITS = 48,
    BZ_SCAN_BYTES = 8 /* readable bytes that bz_scan() needs from the byte of a bit on */
};

typedef enum bz_kind {
    BZ_NO_MAGIC,
    BZ_BLOCK,
    BZ_END
} bz_kind;

/* The kind of magic at bit `at`. BZ_SCAN_BYTES bytes are readable there. */
static inline bz_kind bz_magic_at(const uint8_t *bytes, uint64_t at)
{
    uint64_t const word = bz_load64(bytes + at / 8) << at % 8 >> (64 - BZ_MAGIC_BITS);
    return word == BZ_BLOCK_MAGIC ? BZ_BLOCK : word == BZ_END_MAGIC ? BZ_END : BZ_NO_MAGIC;
}

/* Masks of the magics that a byte may belong to. */
typedef struct bz_scanner {
    uint16_t second[256], third[256];
} bz_scanner;

void bz_scanner_init(bz_scanner *s);

/* The first bit in [from, to) where a magic begins; `to` if there is none. All bytes of a magic
 * that begins before `to` must be readable, and 2 more. */
uint64_t bz_scan(const bz_scanner *s, const uint8_t *bytes, uint64_t from, uint64_t to);

#endif
