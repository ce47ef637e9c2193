/* gen_maps.h - the arithmetic the generators share: maps from integers to keys, and even
 * divisions of a range or of an array. Integers only, so every machine agrees to the bit.
 *
 * key_of_fraction_T(x)  x / 2^64 of the way through the range of T: all of it for integers,
 *                       [0, 1) in steps of 2^-24 or 2^-53 for floats. Never decreasing in x.
 * key_of_half_T(x)      the same over [0, 2^(width-1)) for integers.
 * key_of_place_T(x)     the x-th of the type's places, strictly increasing. Integers: every
 *                       value. Floats: every f32 of magnitude 2^-64 to 2^64 (f64: 2^-512 to
 *                       2^512) of both signs: 2^31 (2^63) keys, none of them 0, subnormal or
 *                       infinite.
 * key_of_count_T(x)     x itself, a small number. */
#ifndef ORDO_GEN_GEN_MAPS_H
#define ORDO_GEN_GEN_MAPS_H

#include "core/base.h"
#include "core/keybits.h"
#include "core/random.h"

/* The keys of one block: a loop is handed out in pieces of this many. A multiple of 8, so that
 * the keys which share a random word are never in two pieces. No result depends on it. */
#ifdef ORDO_TINY
#define ORDO_GEN_BLOCK 64u
#else
#define ORDO_GEN_BLOCK 65536u
#endif

/* Random streams of one distribution. */
enum {
    GEN_DRAW = 1,
    GEN_SHUFFLE,
    GEN_CHOICE,
    GEN_LENGTH,
    GEN_FAMILY,
    GEN_ANCESTOR
};

static inline uint64_t gen_stream(uint64_t seed, ordo_dist dist, unsigned purpose)
{
    return ordo_random_sequence(seed, (uint64_t)dist * 16 + purpose);
}

#define GEN_INTEGER_MAPS(tag, width)                                                               \
    static inline ordo_key_##tag key_of_fraction_##tag(uint64_t x)                                 \
    {                                                                                              \
        return key_of_##tag((ordo_bits_##tag)(x >> (64 - (width))));                               \
    }                                                                                              \
    static inline ordo_key_##tag key_of_half_##tag(uint64_t x)                                     \
    {                                                                                              \
        return (ordo_key_##tag)(x >> (65 - (width)));                                              \
    }                                                                                              \
    static inline ordo_key_##tag key_of_place_##tag(uint64_t x)                                    \
    {                                                                                              \
        return key_of_##tag((ordo_bits_##tag)x);                                                   \
    }                                                                                              \
    static inline ordo_key_##tag key_of_count_##tag(uint64_t x) { return (ordo_key_##tag)x; }
GEN_INTEGER_MAPS(i8, 8)
GEN_INTEGER_MAPS(u8, 8)
GEN_INTEGER_MAPS(i16, 16)
GEN_INTEGER_MAPS(u16, 16)
GEN_INTEGER_MAPS(i32, 32)
GEN_INTEGER_MAPS(u32, 32)
GEN_INTEGER_MAPS(i64, 64)
GEN_INTEGER_MAPS(u64, 64)
#undef GEN_INTEGER_MAPS

static inline float  key_of_fraction_f32(uint64_t x) { return (float)(x >> 40) * 0x1p-24f; }
static inline double key_of_fraction_f64(uint64_t x) { return (double)(x >> 11) * 0x1p-53; }
static inline float  key_of_half_f32(uint64_t x) { return key_of_fraction_f32(x); }
static inline double key_of_half_f64(uint64_t x) { return key_of_fraction_f64(x); }
static inline float  key_of_count_f32(uint64_t x) { return (float)x; }
static inline double key_of_count_f64(uint64_t x) { return (double)x; }

/* key_bits is increasing, so the places of one sign are consecutive key bits. */
static inline float key_of_place_f32(uint64_t x)
{
    const uint32_t half = UINT32_C(1) << 30;
    const uint32_t place = (uint32_t)x;
    return place < half ? key_of_f32(key_bits_f32(-0x1p64f) + 1 + place)
                        : key_of_f32(key_bits_f32(0x1p-64f) + (place - half));
}

static inline double key_of_place_f64(uint64_t x)
{
    const uint64_t half = UINT64_C(1) << 62;
    return x < half ? key_of_f64(key_bits_f64(-0x1p512) + 1 + x)
                    : key_of_f64(key_bits_f64(0x1p-512) + (x - half));
}

/* A range of last + 1 numbers cut into cells of equal width, the edges rounded down. The step
 * is kept as a 64.64-bit fixed-point number: an edge costs two multiplications, no division.
 * With no more cells than numbers every cell holds at least one. */
typedef struct gen_grid {
    uint64_t whole, part;
} gen_grid;

static inline gen_grid gen_grid_make(uint64_t last, uint64_t cells)
{
    const ordo_u128 size = (ordo_u128)last + 1;
    if (cells == 1)
        return (gen_grid){last, UINT64_MAX};
    return (gen_grid){(uint64_t)(size / cells), (uint64_t)(((size % cells) << 64) / cells)};
}

/* The edge past the last cell may be 2^64 and wraps to 0; differences stay right. */
static inline uint64_t gen_grid_edge(gen_grid grid, uint64_t cell)
{
    return cell * grid.whole + (uint64_t)(((ordo_u128)cell * grid.part) >> 64);
}

static inline uint64_t gen_grid_pick(gen_grid grid, uint64_t cell, uint64_t draw)
{
    const uint64_t edge = gen_grid_edge(grid, cell);
    return edge + ordo_random_below(draw, gen_grid_edge(grid, cell + 1) - edge);
}

/* n things shared among `parts`, sizes differing by at most one: where part t begins, and which
 * part has thing i. */
static inline size_t gen_share_begin(size_t n, uint64_t parts, uint64_t t)
{
    return (size_t)((ordo_u128)n * t / parts);
}

static inline uint64_t gen_share_of(size_t n, uint64_t parts, size_t i)
{
    return (uint64_t)((((ordo_u128)i + 1) * parts - 1) / n);
}

/* A number in 1..k, x with probability proportional to 1/x, by rejection. An octave [2^j, 2^j+1)
 * is chosen, each equally likely; a number x in it likewise; it is kept with probability
 * 2^j / x, which is at least one half. `octaves` is 1 + the integer part of log2 k. */
static inline uint64_t gen_zipf(uint64_t stream, uint64_t k, unsigned octaves)
{
    for (uint64_t turn = 0;; turn += 3) {
        const unsigned j = (unsigned)ordo_random_below(ordo_random_at(stream, turn), octaves);
        const uint64_t first = UINT64_C(1) << j;
        const uint64_t x = first + ordo_random_below(ordo_random_at(stream, turn + 1), first);
        if (x <= k && ordo_random_below(ordo_random_at(stream, turn + 2), x) < first)
            return x;
    }
}

/* The integer part of log2 x, x > 0. */
static inline unsigned gen_log2(uint64_t x) { return 63u - (unsigned)__builtin_clzll(x); }

#endif
