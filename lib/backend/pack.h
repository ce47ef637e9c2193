/* pack.h - sorted keys as differences: the layout that a device writes and the host reads.
 *
 * A piece of an array, the last may be shorter, is packed on its own: ORDO_PACK_CHAINS codes
 * (core/keybits.h, one-to-one), those that chains of ordo_pack_chain() keys begin with, and behind
 * them for every key the difference of its code to the one before it in its chain (0 for the
 * first), modulo 2^bits, in ordo_pack_width() bytes, the least first. The chains are for who reads:
 * each is a sum that waits for itself, several are not. Where a difference takes as many bytes as a
 * key nothing is written. */
#ifndef ORDO_BACKEND_PACK_H
#define ORDO_BACKEND_PACK_H

#include "core/keybits.h"

enum {
    ORDO_PACK_CHAINS = 4,
    ORDO_PACK_GRAIN = 16
};

/* A multiple of ORDO_PACK_GRAIN, so that all chains are alike against cache lines. */
ORDO_HD size_t ordo_pack_chain(size_t keys)
{
    size_t const even = (keys + ORDO_PACK_CHAINS - 1) / ORDO_PACK_CHAINS;
    return (even + ORDO_PACK_GRAIN - 1) / ORDO_PACK_GRAIN * ORDO_PACK_GRAIN;
}

/* Bytes of a difference, by the largest of the piece. */
ORDO_HD unsigned ordo_pack_width(uint64_t widest)
{
    unsigned width = 1;
    while (width < sizeof widest && widest >> (8 * width) != 0)
        width++;
    return width;
}

/* Bytes between pieces of so many keys. */
ORDO_HD size_t ordo_pack_stride(size_t piece, size_t key_size)
{
    enum {
        LINE = 64
    };
    return ((piece + ORDO_PACK_CHAINS) * key_size + LINE - 1) / LINE * LINE;
}

#endif
