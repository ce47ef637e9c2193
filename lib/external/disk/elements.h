/* elements.h - what an element of external data is, and the order of elements.
 *
 * An element has a fixed size and a key in it. If the element is only its key, the order is the
 * total order of keys-only sorts (-0 before +0, NaNs by their bits), so equal elements have equal
 * bytes. Otherwise tied keys have equal order, and a stable sort keeps their sequence. */
#ifndef ORDO_EXTERNAL_ELEMENTS_H
#define ORDO_EXTERNAL_ELEMENTS_H

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

#endif
