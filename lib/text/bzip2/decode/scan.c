/* scan.c - a magic that begins in a byte fills the next bytes with known bits, for each of the
 * eight places of its first bit. Two tables give for the second and third byte which of the two
 * magics at which places are possible; only one position in about 4000 is compared in full. */
#include "text/bzip2/decode/scan.h"

#include <string.h>

void bz_scanner_init(bz_scanner *s)
{
    memset(s, 0, sizeof *s);
    for (unsigned shift = 0; shift < 8; shift++) {
        for (unsigned kind = 0; kind < 2; kind++) {
            uint64_t const magic = kind == 0 ? BZ_BLOCK_MAGIC : BZ_END_MAGIC;
            uint16_t const bit = (uint16_t)(1U << (2 * shift + kind));
            s->second[magic >> (BZ_MAGIC_BITS - 16 + shift) & 255] |= bit;
            s->third[magic >> (BZ_MAGIC_BITS - 24 + shift) & 255] |= bit;
        }
    }
}

uint64_t bz_scan(const bz_scanner *s, const uint8_t *bytes, uint64_t from, uint64_t to)
{
    for (uint64_t byte = from / 8; byte * 8 < to; byte++) {
        if (ORDO_LIKELY((s->second[bytes[byte + 1]] & s->third[bytes[byte + 2]]) == 0))
            continue;
        uint64_t const first = byte * 8 > from ? byte * 8 : from;
        uint64_t const last = byte * 8 + 8 < to ? byte * 8 + 8 : to;
        for (uint64_t at = first; at < last; at++)
            if (bz_magic_at(bytes, at) != BZ_NO_MAGIC)
                return at;
    }
    return to;
}
