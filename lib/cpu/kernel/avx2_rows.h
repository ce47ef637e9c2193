/* avx2_rows.h - the tables of kernels_avx2.c: rows of eight 32-bit lanes for each byte of bits. */
#ifndef ORDO_CPU_KERNEL_AVX2_ROWS_H
#define ORDO_CPU_KERNEL_AVX2_ROWS_H

#include <stdint.h>

extern const int32_t avx2_last[256][8]; /* INT32_MIN: no set bit at or before */
extern const int32_t avx2_next[256][8]; /* INT32_MAX: no set bit after */
extern const int32_t avx2_count[256][8];

#endif
