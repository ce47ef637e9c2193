/* neon_rows.c - see neon_rows.h; 56 KB of constants, of which a loop touches 8 KB. */
#include "cpu/kernel/neon_rows.h"

#include "cpu/kernel/byte_rows.h"

#define LAST_EVEN(b, l) LAST(b, l, -ROW_ZERO) + ROW_ZERO
#define LAST_ODD(b, l) LAST(b, l, -ROW_ZERO - 8) + ROW_ZERO + 8
#define NEXT_EVEN(b, l) NEXT(b, l, 0x7fff) + ROW_ZERO
#define NEXT_ODD(b, l) NEXT(b, l, 0x7ff7) + ROW_ZERO + 8
#define NEAR(p, l) (p) - NEAR_SPAN + ROW_ZERO

const uint16_t neon_last[2][256][8] = {{ROWS256(LAST_EVEN, 0)}, {ROWS256(LAST_ODD, 0)}};
const uint16_t neon_next[2][256][8] = {{ROWS256(NEXT_EVEN, 0)}, {ROWS256(NEXT_ODD, 0)}};
const uint16_t neon_count[256][8] = {ROWS256(COUNT, 0)};
const uint16_t neon_near[2 * NEAR_SPAN][8] = {
    ROWS256(NEAR, 0),    ROWS256(NEAR, 256),  ROWS256(NEAR, 512),  ROWS256(NEAR, 768),
    ROWS256(NEAR, 1024), ROWS256(NEAR, 1280), ROWS256(NEAR, 1536), ROWS256(NEAR, 1792)};
