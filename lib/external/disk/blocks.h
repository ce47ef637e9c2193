/* blocks.h - what an element of external data is, and sorted elements as blocks of bytes: packed
 * differences of keys, or the elements.
 *
 * An element has a fixed size and a key in it. If the element is only its key, the order is the
 * total order of keys-only sorts (-0 before +0, NaNs by their bits), so equal elements have equal
 * bytes. Otherwise tied keys have equal order, and a stable sort keeps their sequence.
 *
 * A block of keys holds the order of its first key and then, for each group of
 * BLOCK_GROUP keys, the number of bits of the largest difference of neighbours and all differences
 * with that number of bits. Sorted uniform keys need about lg(range / n) + 2 bits each. Elements
 * that are more than a key are stored as they are. */
#ifndef ORDO_EXTERNAL_BLOCKS_H
#define ORDO_EXTERNAL_BLOCKS_H

#include "core/base.h"
#include "core/keybits.h"

typedef struct element_kind {
    size_t    size;
    size_t    key_offset;
    ordo_type type;
    bool      descending;
    bool      keys_only; /* size is that of the type */
} element_kind;

#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    static inline uint64_t element_order_##tag(const element_kind *kind, const char *element)      \
    {                                                                                              \
        key x;                                                                                     \
        memcpy(&x, element + kind->key_offset, sizeof x);                                          \
        return kind->keys_only ? key_sort_bits_##tag(x, kind->descending)                          \
                               : key_tie_bits_##tag(x, kind->descending);                          \
    }
#include "core/types.def"

/* An integer whose order is that of the elements. */
static inline uint64_t element_order(const element_kind *kind, const void *element)
{
    return BY_TYPE(kind->type, element_order, (kind, element));
}

/* The same with tied keys equal, also if the element is only its key. */
static inline uint64_t element_tie(const element_kind *kind, const void *element)
{
    element_kind tied = *kind;
    tied.keys_only = false;
    return element_order(&tied, element);
}

/* The number of the n sorted elements whose order is below `order`, or with `equal` not above
 * it. */
size_t elements_below(const element_kind *kind, const char *elements, size_t n, uint64_t order,
                      bool equal);

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
