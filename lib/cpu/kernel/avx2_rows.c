/* avx2_rows.c - see avx2_rows.h; 24 KB of constants, of which a loop touches 8 KB. */
#include "cpu/kernel/avx2_rows.h"

#include "cpu/kernel/byte_rows.h"

#define LAST_OR_LEAST(b, l) LAST(b, l, INT32_MIN)
#define NEXT_OR_MOST(b, l) NEXT(b, l, INT32_MAX)

const int32_t avx2_last[256][8] = {ROWS256(LAST_OR_LEAST, 0)};
const int32_t avx2_next[256][8] = {ROWS256(NEXT_OR_MOST, 0)};
const int32_t avx2_count[256][8] = {ROWS256(COUNT, 0)};
