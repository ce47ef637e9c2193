/* code_lengths.h - lengths of prefix codes as bzip2 chooses them. */
#ifndef ORDO_TEXT_BZIP2_ENCODE_CODE_LENGTHS_H
#define ORDO_TEXT_BZIP2_ENCODE_CODE_LENGTHS_H

#include "text/bzip2/format.h"

/* lengths[i] becomes the length of the code of symbol i, at most `longest`. Counts of 0 count as 1.
 * n >= 2. */
void bz_code_lengths(uint8_t *lengths, const uint32_t *counts, unsigned n, unsigned longest);

#endif
