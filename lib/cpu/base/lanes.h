/* lanes.h - vectors of 16 bytes of unsigned integers, for code that is written once for all CPUs.
 *
 * The vectors are those of GNU C, which lacks minimum and maximum. If the including file is
 * compiled for NEON, SSE4.1 or AVX-512, instructions of that ISA compute them; else a comparison
 * and a select. */

/* W is the width of a lane, 32 or 64:
 *   lanes_order_W(a, b)     the smaller integer of each lane to *a, the larger to *b
 *   lanes_max_W(a, b)       the larger integer of each lane
 *   lanes_rising_W(v)       prefix maximum: lane i gets the maximum of lanes 0 to i
 *   lanes_last_W(v)         the last lane, in all lanes
 *   lanes_transpose_W(x)    transposes a square matrix with one vector per row
 *   lanes_any_W(mask)       whether any bit is set */
#ifndef ORDO_CPU_BASE_LANES_H
#define ORDO_CPU_BASE_LANES_H

#include "core/base.h"

#include <string.h>

#if defined(__ARM_NEON)
#include <arm_neon.h>
#elif defined(__SSE4_1__)
#include <immintrin.h>
#endif

enum {
    LANES_32 = 4,
    LANES_64 = 2
};

typedef uint32_t lanes_32 __attribute__((vector_size(16)));
typedef uint64_t lanes_64 __attribute__((vector_size(16)));

static inline lanes_32 lanes_max_32(lanes_32 a, lanes_32 b)
{
#if defined(__ARM_NEON)
    return (lanes_32)vmaxq_u32((uint32x4_t)a, (uint32x4_t)b);
#elif defined(__SSE4_1__)
    return (lanes_32)_mm_max_epu32((__m128i)a, (__m128i)b);
#else
    lanes_32 const larger = (lanes_32)(a > b);
    return (a & larger) | (b & ~larger);
#endif
}

static inline lanes_64 lanes_max_64(lanes_64 a, lanes_64 b)
{
#if defined(__AVX512VL__)
    return (lanes_64)_mm_max_epu64((__m128i)a, (__m128i)b);
#else
    lanes_64 const larger = (lanes_64)(a > b);
    return (a & larger) | (b & ~larger);
#endif
}

static inline void lanes_order_32(lanes_32 *a, lanes_32 *b)
{
#if defined(__ARM_NEON)
    lanes_32 const low = (lanes_32)vminq_u32((uint32x4_t)*a, (uint32x4_t)*b);
    *b = (lanes_32)vmaxq_u32((uint32x4_t)*a, (uint32x4_t)*b);
    *a = low;
#elif defined(__SSE4_1__)
    lanes_32 const low = (lanes_32)_mm_min_epu32((__m128i)*a, (__m128i)*b);
    *b = (lanes_32)_mm_max_epu32((__m128i)*a, (__m128i)*b);
    *a = low;
#else
    lanes_32 const change = (*a ^ *b) & (lanes_32)(*a > *b);
    *a ^= change;
    *b ^= change;
#endif
}

static inline void lanes_order_64(lanes_64 *a, lanes_64 *b)
{
#if defined(__ARM_NEON) && defined(__aarch64__)
    uint64x2_t const x = (uint64x2_t)*a, y = (uint64x2_t)*b, larger = vcgtq_u64(x, y);
    *a = (lanes_64)vbslq_u64(larger, y, x);
    *b = (lanes_64)vbslq_u64(larger, x, y);
#elif defined(__AVX512VL__)
    lanes_64 const low = (lanes_64)_mm_min_epu64((__m128i)*a, (__m128i)*b);
    *b = (lanes_64)_mm_max_epu64((__m128i)*a, (__m128i)*b);
    *a = low;
#else
    lanes_64 const change = (*a ^ *b) & (lanes_64)(*a > *b);
    *a ^= change;
    *b ^= change;
#endif
}

static inline lanes_32 lanes_rising_32(lanes_32 v)
{
    lanes_32 const none = {0};
    v = lanes_max_32(v, __builtin_shufflevector(none, v, 3, 4, 5, 6));
    return lanes_max_32(v, __builtin_shufflevector(none, v, 2, 3, 4, 5));
}

static inline lanes_64 lanes_rising_64(lanes_64 v)
{
    lanes_64 const none = {0};
    return lanes_max_64(v, __builtin_shufflevector(none, v, 1, 2));
}

static inline lanes_32 lanes_last_32(lanes_32 v)
{
    return __builtin_shufflevector(v, v, 3, 3, 3, 3);
}
static inline lanes_64 lanes_last_64(lanes_64 v) { return __builtin_shufflevector(v, v, 1, 1); }

static inline void lanes_transpose_32(lanes_32 x[4])
{
    lanes_32 const a = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6);
    lanes_32 const b = __builtin_shufflevector(x[0], x[1], 1, 5, 3, 7);
    lanes_32 const c = __builtin_shufflevector(x[2], x[3], 0, 4, 2, 6);
    lanes_32 const d = __builtin_shufflevector(x[2], x[3], 1, 5, 3, 7);
    x[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    x[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    x[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    x[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

static inline void lanes_transpose_64(lanes_64 x[2])
{
    lanes_64 const a = __builtin_shufflevector(x[0], x[1], 0, 2);
    x[1] = __builtin_shufflevector(x[0], x[1], 1, 3);
    x[0] = a;
}

static inline bool lanes_any_32(lanes_32 mask)
{
    return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
}
static inline bool lanes_any_64(lanes_64 mask) { return (mask[0] | mask[1]) != 0; }

static inline lanes_32 lanes_load_32(const void *from)
{
    lanes_32 v;
    memcpy(&v, from, sizeof v);
    return v;
}

static inline lanes_64 lanes_load_64(const void *from)
{
    lanes_64 v;
    memcpy(&v, from, sizeof v);
    return v;
}

#endif
