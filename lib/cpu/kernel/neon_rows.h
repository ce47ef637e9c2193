/* neon_rows.h - the tables of kernels_neon.c. All but neon_count are biased by ROW_ZERO, so that
 * unsigned 16-bit lanes order positions on both sides of a byte. [odd] rows stand for the second
 * byte of a pair, counted from the start of the first. */
#ifndef ORDO_CPU_KERNEL_NEON_ROWS_H
#define ORDO_CPU_KERNEL_NEON_ROWS_H

#include <stdint.h>

enum {
    ROW_ZERO = 0x8000,
    NEAR_SPAN = 1024 /* neon_near covers positions from -NEAR_SPAN to NEAR_SPAN - 1 */
};

extern const uint16_t neon_last[2][256][8]; /* 0: no set bit at or before */
extern const uint16_t neon_next[2][256][8]; /* 0xffff: no set bit after */
extern const uint16_t neon_count[256][8];
extern const uint16_t neon_near[2 * NEAR_SPAN][8]; /* row p: position p - NEAR_SPAN, eight times */

#endif
