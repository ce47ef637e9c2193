/* keybits.h - the order of keys, for C and CUDA; the only definition.
 *
 * All functions use only integer operations on the bits of a key. A floating-point instruction
 * would obey the mode of the calling thread: with flush-to-zero subnormal keys compare
 * equal to 0, and with downward rounding -0 + 0 is -0. Selects are masks: compilers turn them into
 * vectors, and may turn conditions into branches that random signs mispredict.
 *
 * key_bits_T(x)   a one-to-one map to the unsigned integer of the same width. Unsigned order is
 *                 the total order of keys: integers by value; floats by value, with -0 just below
 *                 +0, and every NaN above +inf. Keys-only sorts write this order.
 * key_of_T(b)     the inverse of key_bits_T.
 * key_tie_T(b)    key bits with ties folded together: -0 becomes +0, and every NaN the largest
 *                 number.
 * key_turn_T(b)   key bits in reverse order, with NaNs still last. Its own inverse. Keys-only
 *                 descending sorts write this order.
 * key_tie_turn_T(b)  key_turn_T(key_tie_T(b)).
 * key_fold_T(x)   key_tie_T(key_bits_T(x)): ranks, argsort and is_sorted compare this.
 * key_desc_T(x)   key_tie_turn_T(key_bits_T(x)): the same for descending order.
 * key_sort_bits_T(x, descending)     key_bits_T(x), or key_turn_T of it: keys-only sorts, select
 * key_of_sort_bits_T(b, descending)  the inverse of key_sort_bits_T.
 * key_tie_bits_T(x, descending)      key_fold_T(x) or key_desc_T(x).
 * key_is_nan_T(x) 1 if x is a NaN, else 0.
 * key_same_T(a, b)  1 if a and b tie, else 0. Neither may be a NaN. */
#ifndef ORDO_CORE_KEYBITS_H
#define ORDO_CORE_KEYBITS_H

#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define ORDO_HD static __host__ __device__ __forceinline__
#else
#define ORDO_HD static inline
#endif

#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    typedef key  ordo_key_##tag;                                                                   \
    typedef bits ordo_bits_##tag;
#include "core/types.def"

ORDO_HD uint8_t  key_bits_u8(uint8_t x) { return x; }
ORDO_HD uint16_t key_bits_u16(uint16_t x) { return x; }
ORDO_HD uint32_t key_bits_u32(uint32_t x) { return x; }
ORDO_HD uint64_t key_bits_u64(uint64_t x) { return x; }
ORDO_HD uint8_t  key_bits_i8(int8_t x) { return (uint8_t)((uint8_t)x ^ 0x80u); }
ORDO_HD uint16_t key_bits_i16(int16_t x) { return (uint16_t)((uint16_t)x ^ 0x8000u); }
ORDO_HD uint32_t key_bits_i32(int32_t x) { return (uint32_t)x ^ UINT32_C(0x80000000); }
ORDO_HD uint64_t key_bits_i64(int64_t x) { return (uint64_t)x ^ (UINT64_C(1) << 63); }

ORDO_HD uint8_t  key_of_u8(uint8_t b) { return b; }
ORDO_HD uint16_t key_of_u16(uint16_t b) { return b; }
ORDO_HD uint32_t key_of_u32(uint32_t b) { return b; }
ORDO_HD uint64_t key_of_u64(uint64_t b) { return b; }
ORDO_HD int8_t   key_of_i8(uint8_t b) { return (int8_t)(b ^ 0x80u); }
ORDO_HD int16_t  key_of_i16(uint16_t b) { return (int16_t)(b ^ 0x8000u); }
ORDO_HD int32_t  key_of_i32(uint32_t b) { return (int32_t)(b ^ UINT32_C(0x80000000)); }
ORDO_HD int64_t  key_of_i64(uint64_t b) { return (int64_t)(b ^ (UINT64_C(1) << 63)); }

/* Floats: flip to unsigned order (negative patterns reversed, positive ones above them), then
 * rotate so that -inf becomes 0: the NaNs of both signs land above +inf and the map stays
 * one-to-one, so every bit pattern survives. */
ORDO_HD uint32_t key_bits_f32(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    u ^= (0 - (u >> 31)) | UINT32_C(1) << 31;
    return u - UINT32_C(0x007fffff);
}

ORDO_HD uint64_t key_bits_f64(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    u ^= (0 - (u >> 63)) | UINT64_C(1) << 63;
    return u - UINT64_C(0x000fffffffffffff);
}

ORDO_HD float key_of_f32(uint32_t b)
{
    uint32_t u = b + UINT32_C(0x007fffff);
    float    x;
    u ^= ((u >> 31) - 1) | UINT32_C(1) << 31;
    memcpy(&x, &u, sizeof x);
    return x;
}

ORDO_HD double key_of_f64(uint64_t b)
{
    uint64_t u = b + UINT64_C(0x000fffffffffffff);
    double   x;
    u ^= ((u >> 63) - 1) | UINT64_C(1) << 63;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* The key bits of -0 and +inf. Those of +0 follow -0; those of NaNs are larger than +inf. */
#define KEY_MINUS_ZERO_F32 UINT32_C(0x7f800000)
#define KEY_MINUS_ZERO_F64 UINT64_C(0x7ff0000000000000)
#define KEY_INF_F32 UINT32_C(0xff000001)
#define KEY_INF_F64 UINT64_C(0xffe0000000000001)

ORDO_HD uint32_t key_tie_f32(uint32_t b)
{
    return (b + (b == KEY_MINUS_ZERO_F32)) | (0 - (uint32_t)(b > KEY_INF_F32));
}
ORDO_HD uint64_t key_tie_f64(uint64_t b)
{
    return (b + (b == KEY_MINUS_ZERO_F64)) | (0 - (uint64_t)(b > KEY_INF_F64));
}
ORDO_HD uint32_t key_tie_turn_f32(uint32_t b)
{
    return (KEY_INF_F32 - b - (b == KEY_MINUS_ZERO_F32)) | (0 - (uint32_t)(b > KEY_INF_F32));
}
ORDO_HD uint64_t key_tie_turn_f64(uint64_t b)
{
    return (KEY_INF_F64 - b - (b == KEY_MINUS_ZERO_F64)) | (0 - (uint64_t)(b > KEY_INF_F64));
}
ORDO_HD uint32_t key_turn_f32(uint32_t b) { return b <= KEY_INF_F32 ? KEY_INF_F32 - b : b; }
ORDO_HD uint64_t key_turn_f64(uint64_t b) { return b <= KEY_INF_F64 ? KEY_INF_F64 - b : b; }

/* Without the sign, a NaN is larger than +inf; the sum carries that into the top bit. A shift needs
 * no comparison of 64-bit integers, which SSE2 lacks. */
ORDO_HD int key_is_nan_f32(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return (int)(((u & UINT32_C(0x7fffffff)) + UINT32_C(0x007fffff)) >> 31);
}
ORDO_HD int key_is_nan_f64(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return (int)(((u & UINT64_C(0x7fffffffffffffff)) + UINT64_C(0x000fffffffffffff)) >> 63);
}

ORDO_HD int key_same_f32(float a, float b)
{
    uint32_t u, v;
    memcpy(&u, &a, sizeof u);
    memcpy(&v, &b, sizeof v);
    return (u == v) | (((u | v) << 1) == 0);
}
ORDO_HD int key_same_f64(double a, double b)
{
    uint64_t u, v;
    memcpy(&u, &a, sizeof u);
    memcpy(&v, &b, sizeof v);
    return (u == v) | (((u | v) << 1) == 0);
}

/* Integers have no ties to fold and no NaN. */
#define ORDO_KEY_INTEGER(tag)                                                                      \
    ORDO_HD int key_is_nan_##tag(ordo_key_##tag x) { return (void)x, 0; }                          \
    ORDO_HD int key_same_##tag(ordo_key_##tag a, ordo_key_##tag b) { return a == b; }              \
    ORDO_HD ordo_bits_##tag key_tie_##tag(ordo_bits_##tag b) { return b; }                         \
    ORDO_HD ordo_bits_##tag key_turn_##tag(ordo_bits_##tag b) { return (ordo_bits_##tag) ~b; }     \
    ORDO_HD ordo_bits_##tag key_tie_turn_##tag(ordo_bits_##tag b) { return (ordo_bits_##tag) ~b; }
ORDO_KEY_INTEGER(i8)
ORDO_KEY_INTEGER(u8)
ORDO_KEY_INTEGER(i16)
ORDO_KEY_INTEGER(u16)
ORDO_KEY_INTEGER(i32)
ORDO_KEY_INTEGER(u32)
ORDO_KEY_INTEGER(i64)
ORDO_KEY_INTEGER(u64)
#undef ORDO_KEY_INTEGER

#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    ORDO_HD bits key_fold_##tag(key x) { return key_tie_##tag(key_bits_##tag(x)); }                \
    ORDO_HD bits key_desc_##tag(key x) { return key_tie_turn_##tag(key_bits_##tag(x)); }           \
    ORDO_HD bits key_sort_bits_##tag(key x, int descending)                                        \
    {                                                                                              \
        return descending ? key_turn_##tag(key_bits_##tag(x)) : key_bits_##tag(x);                 \
    }                                                                                              \
    ORDO_HD key key_of_sort_bits_##tag(bits b, int descending)                                     \
    {                                                                                              \
        return key_of_##tag(descending ? key_turn_##tag(b) : b);                                   \
    }                                                                                              \
    ORDO_HD bits key_tie_bits_##tag(key x, int descending)                                         \
    {                                                                                              \
        return descending ? key_desc_##tag(x) : key_fold_##tag(x);                                 \
    }
#include "core/types.def"

#endif
