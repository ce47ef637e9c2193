/* item_sort.h - sorts items by their keys. */
#ifndef ORDO_TEXT_BZIP2_ENCODE_ITEM_SORT_H
#define ORDO_TEXT_BZIP2_ENCODE_ITEM_SORT_H

#include "text/bzip2/encode/rotate.h"

/* The key of an item is item >> shift; items with equal keys get any order. scratch has room for
 * `room` items. If n items do not fit, the sort is slower. */
void bz_sort_items(bz_item *items, size_t n, unsigned shift, bz_item *scratch, size_t room);

/* The end of the items after `from`, below `end`, that have its key. */
static inline uint32_t bz_equal_end(const bz_item *items, uint32_t from, uint32_t end,
                                    unsigned shift)
{
    uint32_t next = from + 1;
    while (next < end && (items[next] ^ items[from]) >> shift == 0)
        next++;
    return next;
}

#endif
