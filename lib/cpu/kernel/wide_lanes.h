/* wide_lanes.h - vectors of 32 bytes of unsigned integers where the including file is compiled for
 * AVX2 or AVX-512, and those of lanes.h elsewhere.
 *
 * W is the width of a lane, 32 or 64; WIDE_W is the number of lanes:
 *   wide_order_W(a, b)      the smaller integer of each lane to *a, the larger to *b
 *   wide_transpose_W(x)     transposes a square matrix with one vector per row
 *   wide_any_W(mask)        whether any bit is set */
#ifndef ORDO_CPU_KERNEL_WIDE_LANES_H
#define ORDO_CPU_KERNEL_WIDE_LANES_H

#include "cpu/base/lanes.h"

#if defined(__AVX2__)

enum {
    WIDE_32 = 8,
    WIDE_64 = 4
};

typedef uint32_t wide_32 __attribute__((vector_size(32)));
typedef uint64_t wide_64 __attribute__((vector_size(32)));

static inline void wide_order_32(wide_32 *a, wide_32 *b)
{
    wide_32 const low = (wide_32)_mm256_min_epu32((__m256i)*a, (__m256i)*b);
    *b = (wide_32)_mm256_max_epu32((__m256i)*a, (__m256i)*b);
    *a = low;
}

static inline void wide_order_64(wide_64 *a, wide_64 *b)
{
#if defined(__AVX512VL__)
    wide_64 const low = (wide_64)_mm256_min_epu64((__m256i)*a, (__m256i)*b);
    *b = (wide_64)_mm256_max_epu64((__m256i)*a, (__m256i)*b);
    *a = low;
#else
    __m256i const top = _mm256_set1_epi64x(INT64_MIN), x = (__m256i)*a, y = (__m256i)*b;
    __m256i const larger = _mm256_cmpgt_epi64(x ^ top, y ^ top);
    *a = (wide_64)_mm256_blendv_epi8(x, y, larger);
    *b = (wide_64)_mm256_blendv_epi8(y, x, larger);
#endif
}

static inline void wide_transpose_32(wide_32 x[8])
{
    __m256i two[8], four[8]; /* columns of two rows, and of four */
    for (int i = 0; i < 4; i++) {
        two[2 * i] = _mm256_unpacklo_epi32((__m256i)x[2 * i], (__m256i)x[2 * i + 1]);
        two[2 * i + 1] = _mm256_unpackhi_epi32((__m256i)x[2 * i], (__m256i)x[2 * i + 1]);
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            four[4 * i + 2 * j] = _mm256_unpacklo_epi64(two[4 * i + j], two[4 * i + 2 + j]);
            four[4 * i + 2 * j + 1] = _mm256_unpackhi_epi64(two[4 * i + j], two[4 * i + 2 + j]);
        }
    for (int i = 0; i < 4; i++) {
        x[i] = (wide_32)_mm256_permute2x128_si256(four[i], four[4 + i], 0x20);
        x[4 + i] = (wide_32)_mm256_permute2x128_si256(four[i], four[4 + i], 0x31);
    }
}

static inline void wide_transpose_64(wide_64 x[4])
{
    __m256i two[4]; /* columns of two rows */
    for (int i = 0; i < 2; i++) {
        two[2 * i] = _mm256_unpacklo_epi64((__m256i)x[2 * i], (__m256i)x[2 * i + 1]);
        two[2 * i + 1] = _mm256_unpackhi_epi64((__m256i)x[2 * i], (__m256i)x[2 * i + 1]);
    }
    for (int i = 0; i < 2; i++) {
        x[i] = (wide_64)_mm256_permute2x128_si256(two[i], two[2 + i], 0x20);
        x[2 + i] = (wide_64)_mm256_permute2x128_si256(two[i], two[2 + i], 0x31);
    }
}

static inline bool wide_any_32(wide_32 mask)
{
    return !_mm256_testz_si256((__m256i)mask, (__m256i)mask);
}
static inline bool wide_any_64(wide_64 mask)
{
    return !_mm256_testz_si256((__m256i)mask, (__m256i)mask);
}

#else

enum {
    WIDE_32 = LANES_32,
    WIDE_64 = LANES_64
};

typedef lanes_32 wide_32;
typedef lanes_64 wide_64;

static inline void wide_order_32(wide_32 *a, wide_32 *b) { lanes_order_32(a, b); }
static inline void wide_order_64(wide_64 *a, wide_64 *b) { lanes_order_64(a, b); }
static inline void wide_transpose_32(wide_32 *x) { lanes_transpose_32(x); }
static inline void wide_transpose_64(wide_64 *x) { lanes_transpose_64(x); }
static inline bool wide_any_32(wide_32 mask) { return lanes_any_32(mask); }
static inline bool wide_any_64(wide_64 mask) { return lanes_any_64(mask); }

#endif
#endif
