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
 *                 number. So it is the largest of the key bits that tie with b.
 * key_least_tie_T(b)  the smallest of the key bits that tie with b.
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

/* The key bits of -0 and +inf. Those of +0 follow -0; those of NaNs are larger than +inf. */
#define KEY_MINUS_ZERO_F32 UINT32_C(0x7f800000)
#define KEY_MINUS_ZERO_F64 UINT64_C(0x7ff0000000000000)
#define KEY_INF_F32 UINT32_C(0xff000001)
#define KEY_INF_F64 UINT64_C(0xffe0000000000001)

/* Floats: flip to unsigned order (negative patterns reversed, positive ones above them), then
 * rotate so that -inf becomes 0: the NaNs of both signs land above +inf and the map stays
 * one-to-one, so every bit pattern survives. `below` is the number of NaNs of one sign, `top` the
 * number of the sign bit. Without the sign, a NaN is larger than +inf; key_is_nan adds and carries
 * that into the top bit. A shift needs no comparison of 64-bit integers, which SSE2 lacks. */
#define ORDO_KEY_FLOAT(tag, key, bits, ZERO, INF, below, top)                                      \
    ORDO_HD bits key_pattern_##tag(key x)                                                          \
    {                                                                                              \
        bits u;                                                                                    \
        memcpy(&u, &x, sizeof u);                                                                  \
        return u;                                                                                  \
    }                                                                                              \
    ORDO_HD bits key_bits_##tag(key x)                                                             \
    {                                                                                              \
        bits const u = key_pattern_##tag(x);                                                       \
        return (u ^ ((0 - (u >> (top))) | (bits)1 << (top))) - (below);                            \
    }                                                                                              \
    ORDO_HD key key_of_##tag(bits b)                                                               \
    {                                                                                              \
        bits u = b + (below);                                                                      \
        key  x;                                                                                    \
        u ^= ((u >> (top)) - 1) | (bits)1 << (top);                                                \
        memcpy(&x, &u, sizeof x);                                                                  \
        return x;                                                                                  \
    }                                                                                              \
    ORDO_HD bits key_tie_##tag(bits b) { return (b + (b == (ZERO))) | (0 - (bits)(b > (INF))); }   \
    ORDO_HD bits key_least_tie_##tag(bits b)                                                       \
    {                                                                                              \
        return b > (INF) ? (INF) + 1 : b - (b == (ZERO) + 1);                                      \
    }                                                                                              \
    ORDO_HD bits key_tie_turn_##tag(bits b)                                                        \
    {                                                                                              \
        return ((INF)-b - (b == (ZERO))) | (0 - (bits)(b > (INF)));                                \
    }                                                                                              \
    ORDO_HD bits key_turn_##tag(bits b) { return b <= (INF) ? (INF)-b : b; }                       \
    ORDO_HD int  key_is_nan_##tag(key x)                                                           \
    {                                                                                              \
        return (int)(((key_pattern_##tag(x) & ~((bits)1 << (top))) + (below)) >> (top));           \
    }                                                                                              \
    ORDO_HD int key_same_##tag(key a, key b)                                                       \
    {                                                                                              \
        bits const u = key_pattern_##tag(a), v = key_pattern_##tag(b);                             \
        return (u == v) | (((u | v) << 1) == 0);                                                   \
    }
ORDO_KEY_FLOAT(f32, float, uint32_t, KEY_MINUS_ZERO_F32, KEY_INF_F32, UINT32_C(0x007fffff), 31)
ORDO_KEY_FLOAT(f64, double, uint64_t, KEY_MINUS_ZERO_F64, KEY_INF_F64, UINT64_C(0x000fffffffffffff),
               63)
#undef ORDO_KEY_FLOAT

/* Integers: the sign bit is flipped (`flip`). They have no ties to fold and no NaN. */
#define ORDO_KEY_INTEGER(tag, flip)                                                                \
    ORDO_HD ordo_bits_##tag key_bits_##tag(ordo_key_##tag x)                                       \
    {                                                                                              \
        return (ordo_bits_##tag)((ordo_bits_##tag)x ^ (flip));                                     \
    }                                                                                              \
    ORDO_HD ordo_key_##tag key_of_##tag(ordo_bits_##tag b)                                         \
    {                                                                                              \
        return (ordo_key_##tag)(b ^ (flip));                                                       \
    }                                                                                              \
    ORDO_HD int key_is_nan_##tag(ordo_key_##tag x) { return (void)x, 0; }                          \
    ORDO_HD int key_same_##tag(ordo_key_##tag a, ordo_key_##tag b) { return a == b; }              \
    ORDO_HD ordo_bits_##tag key_tie_##tag(ordo_bits_##tag b) { return b; }                         \
    ORDO_HD ordo_bits_##tag key_least_tie_##tag(ordo_bits_##tag b) { return b; }                   \
    ORDO_HD ordo_bits_##tag key_turn_##tag(ordo_bits_##tag b) { return (ordo_bits_##tag) ~b; }     \
    ORDO_HD ordo_bits_##tag key_tie_turn_##tag(ordo_bits_##tag b) { return (ordo_bits_##tag) ~b; }
ORDO_KEY_INTEGER(u8, 0u)
ORDO_KEY_INTEGER(u16, 0u)
ORDO_KEY_INTEGER(u32, 0u)
ORDO_KEY_INTEGER(u64, 0u)
ORDO_KEY_INTEGER(i8, 0x80u)
ORDO_KEY_INTEGER(i16, 0x8000u)
ORDO_KEY_INTEGER(i32, UINT32_C(1) << 31)
ORDO_KEY_INTEGER(i64, UINT64_C(1) << 63)
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
