/* lms_sort.h - sorts the LMS rotations of a block. */
#ifndef ORDO_TEXT_BZIP2_ENCODE_LMS_SORT_H
#define ORDO_TEXT_BZIP2_ENCODE_LMS_SORT_H

#include "text/bzip2/encode/rotate.h"

/* Sorts the LMS rotations s->begins to s->items; bz_item_at() of an item is where it begins. Writes
 * to sa. No two rotations of the text are equal. */
void bz_sort_lms(bz_sorter *s);

#endif
