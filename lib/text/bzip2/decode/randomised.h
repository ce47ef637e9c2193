/* randomised.h - blocks of bzip2 0.9 whose bytes were changed before sorting. */
#ifndef ORDO_TEXT_BZIP2_DECODE_RANDOMISED_H
#define ORDO_TEXT_BZIP2_DECODE_RANDOMISED_H

#include "core/base.h"

/* Undoes the change: the lowest bit of some bytes is inverted. */
void bz_unrandomise(uint8_t *text, uint32_t n);

#endif
