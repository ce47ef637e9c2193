/* blocks.h - sorted elements as blocks of bytes: packed differences of keys, or the elements.
 *
 * A block of keys holds the order (elements.h) of its first key and then, for each group of
 * BLOCK_GROUP keys, the number of bits of the largest difference of neighbours and all differences
 * with that number of bits. Sorted uniform keys need about lg(range / n) + 2 bits each. Elements
 * that are more than a key are stored as they are. */
#ifndef ORDO_EXTERNAL_BLOCKS_H
#define ORDO_EXTERNAL_BLOCKS_H

#include "external/disk/elements.h"

enum {
    BLOCK_GROUP = 128
};

/* The most bytes of a block of n elements. */
size_t block_most(const element_kind *kind, size_t n);

/* Writes n > 0 sorted elements as a block and returns its bytes. */
size_t block_pack(const element_kind *kind, const char *elements, size_t n, void *block);

/* Reads n elements from a block of `bytes` bytes. False if the block has another length than its
 * contents say; it is damaged then. */
bool block_unpack(const element_kind *kind, const void *block, size_t bytes, size_t n,
                  char *elements);

#endif
