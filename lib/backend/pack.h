/* pack.h - sorted keys as differences: the layout that a device writes and the host reads.
 *
 * Each piece of an array (the last one may be shorter) is packed separately. It begins with
 * ORDO_PACK_CHAINS key bits (core/keybits.h, one-to-one): the first of each chain of
 * ordo_pack_chain() keys. Then follows, for every key, the difference of its key bits to those of
 * the previous key in its chain (0 for the first key), modulo 2^bits, in ordo_pack_width() bytes,
 * least significant byte first. A reader sums several chains at once, because the additions of one
 * chain depend on each other. If a difference needs as many bytes as a key, nothing is written. */
#ifndef ORDO_BACKEND_PACK_H
#define ORDO_BACKEND_PACK_H

#include "core/keybits.h"

enum {
    ORDO_PACK_CHAINS = 4,
    ORDO_PACK_GRAIN = 16
};

/* A multiple of ORDO_PACK_GRAIN, so that all chains have the same offset in a cache line. */
ORDO_HD size_t ordo_pack_chain(size_t keys)
{
    size_t const even = (keys + ORDO_PACK_CHAINS - 1) / ORDO_PACK_CHAINS;
    return (even + ORDO_PACK_GRAIN - 1) / ORDO_PACK_GRAIN * ORDO_PACK_GRAIN;
}

/* Bytes of a difference, from the largest difference of the piece. */
ORDO_HD unsigned ordo_pack_width(uint64_t widest)
{
    unsigned width = 1;
    while (width < sizeof widest && widest >> (8 * width) != 0)
        width++;
    return width;
}

/* Bytes from one piece to the next, for `piece` keys each. */
ORDO_HD size_t ordo_pack_stride(size_t piece, size_t key_size)
{
    enum {
        LINE = 64
    };
    return ((piece + ORDO_PACK_CHAINS) * key_size + LINE - 1) / LINE * LINE;
}

#endif
