/* item_sort.h - sorts items by their keys. Not stable. */
#ifndef ORDO_TEXT_BZIP2_ITEM_SORT_H
#define ORDO_TEXT_BZIP2_ITEM_SORT_H

#include "text/bzip2/rotate.h"

void bz_sort_items(bz_item *items, size_t n);

#endif
