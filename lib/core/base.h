/* base.h - helpers for every file of the library: early return, checked and rounded sizes. */
#ifndef ORDO_CORE_BASE_H
#define ORDO_CORE_BASE_H

#include "ordo.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ORDO_CACHE_LINE 64u

#define ORDO_LIKELY(x) __builtin_expect(!!(x), 1)
#define ORDO_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Return early with the status of a call that failed. */
#define TRY(call)                                                                                  \
    do {                                                                                           \
        ordo_status const try_status_ = (call);                                                    \
        if (ORDO_UNLIKELY(try_status_ != ORDO_OK))                                                 \
            return try_status_;                                                                    \
    } while (0)

/* Calls name_i8, name_u8 ... or name_f64 by the key type. Example: BY_TYPE(type, look, (keys, n)).
 * Without arguments it is the function itself. */
#define BY_TYPE(type, name, arguments)                                                             \
    ((type) == ORDO_I8    ? name##_i8     arguments                                                \
     : (type) == ORDO_U8  ? name##_u8   arguments                                                  \
     : (type) == ORDO_I16 ? name##_i16 arguments                                                   \
     : (type) == ORDO_U16 ? name##_u16 arguments                                                   \
     : (type) == ORDO_I32 ? name##_i32 arguments                                                   \
     : (type) == ORDO_U32 ? name##_u32 arguments                                                   \
     : (type) == ORDO_I64 ? name##_i64 arguments                                                   \
     : (type) == ORDO_U64 ? name##_u64 arguments                                                   \
     : (type) == ORDO_F32 ? name##_f32 arguments                                                   \
                          : name##_f64 arguments)

/* One piece of a parallel loop: the items [lo, hi). */
typedef void ordo_body(void *arg, size_t lo, size_t hi);

/* Both return false and do not write *out if the result does not fit. */
static inline bool ordo_size_mul(size_t a, size_t b, size_t *out)
{
    size_t r;
    if (__builtin_mul_overflow(a, b, &r))
        return false;
    *out = r;
    return true;
}

static inline bool ordo_size_add(size_t a, size_t b, size_t *out)
{
    size_t r;
    if (__builtin_add_overflow(a, b, &r))
        return false;
    *out = r;
    return true;
}

static inline size_t ordo_min(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t ordo_max(size_t a, size_t b) { return a > b ? a : b; }
static inline size_t ordo_div_up(size_t a, size_t b) { return a / b + (a % b != 0); }
static inline size_t ordo_round_up(size_t a, size_t b) { return ordo_div_up(a, b) * b; }

/* Replaces each count by the sum of the counts before it; returns the sum of all. */
static inline uint32_t ordo_sums_before_32(uint32_t *counts, size_t n)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t const here = counts[i];
        counts[i] = sum;
        sum += here;
    }
    return sum;
}

static inline uint64_t ordo_sums_before_64(uint64_t *counts, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t const here = counts[i];
        counts[i] = sum;
        sum += here;
    }
    return sum;
}

/* The number of bits of x without leading zeros; 0 for 0. Above 0 it is 1 + floor(lg x). */
static inline unsigned ordo_bit_length(uint64_t x)
{
    return x == 0 ? 0 : 64 - (unsigned)__builtin_clzll(x);
}

#endif
