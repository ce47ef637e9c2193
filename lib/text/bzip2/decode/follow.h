/* follow.h - the inverse of the Burrows-Wheeler transform of a block. */
#ifndef ORDO_TEXT_BZIP2_DECODE_FOLLOW_H
#define ORDO_TEXT_BZIP2_DECODE_FOLLOW_H

#include "text/bzip2/format.h"

/* Bytes of `pieces` below. */
size_t bz_follow_bytes(void);

/* text[0..n) holds the last column of the sorted rotations, n >= 1, and becomes the rotation in
 * row `row`. next has room for n rows. `pieces` is aligned to a cache line. */
void bz_follow(uint32_t *next, uint32_t n, uint32_t row, uint8_t *text, uint8_t *pieces);

#endif
