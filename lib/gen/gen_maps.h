/* gen_maps.h - arithmetic that the generators share: maps from integers to keys, and even
 * divisions of a range or of an array. Integer arithmetic gives the same bits on every machine.
 *
 * key_of_fraction_T(x)  the key at x / 2^64 of the range of T. Integers: the whole type. Floats:
 *                       [0, 1) in steps of 2^-24 or 2^-53. Never decreases with x.
 * key_of_half_T(x)      the same with the range [0, 2^(width-1)) for integers.
 * key_of_place_T(x)     the x-th of the type's distinct keys, strictly increasing. Integers: every
 *                       value. Floats: 2^31 (2^63) keys of both signs and of magnitude 2^-64 to
 *                       2^64 (2^-512 to 2^512); none is 0, subnormal or infinite.
 * key_of_count_T(x)     x itself, a small number.
 * key_of_around_T(x)    the key at x / 2^64 of a range around 0: floats [-1, 1), integers half of
 *                       the type's range around its middle.
 * key_of_normal_T(sum)  of the sum gen_twelve(). Floats: mean 0, deviation 1, rounded to nearest.
 *                       Integers: the middle of the range, deviation 1/16 of the range.
 * key_of_magnitude_T(x, draw)  the bits of x after a random number of zeros, with a random sign if
 *                       the type has one. Floats: key_of_place with the bits of x. */
#ifndef ORDO_GEN_GEN_MAPS_H
#define ORDO_GEN_GEN_MAPS_H

#include "core/base.h"
#include "core/keybits.h"
#include "core/random.h"
#include "gen/gen.h"

/* The number of keys that a thread takes from a loop at a time. It is a multiple of 8, so that keys
 * which share a random word are in the same block. No result depends on it. */
#ifdef ORDO_TINY
#define ORDO_GEN_BLOCK 64u
#else
#define ORDO_GEN_BLOCK 65536u
#endif

/* The purposes of the random streams of a distribution. */
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
    static inline ordo_key_##tag key_of_count_##tag(uint64_t x) { return (ordo_key_##tag)x; }      \
    static inline ordo_key_##tag key_of_around_##tag(uint64_t x)                                   \
    {                                                                                              \
        return key_of_fraction_##tag((x >> 1) + (UINT64_C(1) << 62));                              \
    }                                                                                              \
    static inline ordo_key_##tag key_of_normal_##tag(uint64_t sum)                                 \
    {                                                                                              \
        return key_of_fraction_##tag(sum + (UINT64_C(1) << 61));                                   \
    }
GEN_INTEGER_MAPS(i8, 8)
GEN_INTEGER_MAPS(u8, 8)
GEN_INTEGER_MAPS(i16, 16)
GEN_INTEGER_MAPS(u16, 16)
GEN_INTEGER_MAPS(i32, 32)
GEN_INTEGER_MAPS(u32, 32)
GEN_INTEGER_MAPS(i64, 64)
GEN_INTEGER_MAPS(u64, 64)
#undef GEN_INTEGER_MAPS

/* `width` bits whose first one follows a random number of zeros, 0 to width - 1. */
static inline uint64_t gen_magnitude(uint64_t x, uint64_t draw, unsigned width)
{
    return (x | UINT64_C(1) << 63) >> (64 - width) >> ordo_random_below(draw, width);
}

#define GEN_SIGNED_MAPS(tag, width)                                                                \
    static inline ordo_key_##tag key_of_magnitude_##tag(uint64_t x, uint64_t draw)                 \
    {                                                                                              \
        const int64_t magnitude = (int64_t)gen_magnitude(x, draw, (width)-1);                      \
        return (ordo_key_##tag)(draw & 1 ? -magnitude : magnitude);                                \
    }
#define GEN_UNSIGNED_MAPS(tag, width)                                                              \
    static inline ordo_key_##tag key_of_magnitude_##tag(uint64_t x, uint64_t draw)                 \
    {                                                                                              \
        return (ordo_key_##tag)gen_magnitude(x, draw, width);                                      \
    }
GEN_SIGNED_MAPS(i8, 8)
GEN_UNSIGNED_MAPS(u8, 8)
GEN_SIGNED_MAPS(i16, 16)
GEN_UNSIGNED_MAPS(u16, 16)
GEN_SIGNED_MAPS(i32, 32)
GEN_UNSIGNED_MAPS(u32, 32)
GEN_SIGNED_MAPS(i64, 64)
GEN_UNSIGNED_MAPS(u64, 64)
#undef GEN_SIGNED_MAPS
#undef GEN_UNSIGNED_MAPS

static inline float  key_of_fraction_f32(uint64_t x) { return (float)(x >> 40) * 0x1p-24f; }
static inline double key_of_fraction_f64(uint64_t x) { return (double)(x >> 11) * 0x1p-53; }
static inline float  key_of_half_f32(uint64_t x) { return key_of_fraction_f32(x); }
static inline double key_of_half_f64(uint64_t x) { return key_of_fraction_f64(x); }
static inline float  key_of_count_f32(uint64_t x) { return (float)x; }
static inline double key_of_count_f64(uint64_t x) { return (double)x; }

/* 25 or 54 bits with a sign; the conversion of such a number to the float type is exact. */
static inline float key_of_around_f32(uint64_t x)
{
    return (float)((int64_t)(x >> 39) - (INT64_C(1) << 24)) * 0x1p-24f;
}

static inline double key_of_around_f64(uint64_t x)
{
    return (double)((int64_t)(x >> 10) - (INT64_C(1) << 53)) * 0x1p-53;
}

/* The conversion of an integer rounds to nearest on every machine. */
static inline float key_of_normal_f32(uint64_t sum)
{
    return (float)(int64_t)(sum - (UINT64_C(6) << 60)) * 0x1p-60f;
}

static inline double key_of_normal_f64(uint64_t sum)
{
    return (double)(int64_t)(sum - (UINT64_C(6) << 60)) * 0x1p-60;
}

/* Key bits increase with the key, so the keys of one sign have consecutive key bits. */
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

static inline float key_of_magnitude_f32(uint64_t x, uint64_t draw)
{
    (void)draw;
    return key_of_place_f32(x >> 33);
}

static inline double key_of_magnitude_f64(uint64_t x, uint64_t draw)
{
    (void)draw;
    return key_of_place_f64(x >> 1);
}

/* A range of last + 1 numbers divided into cells of equal width, with edges rounded down. The
 * width is a 64.64-bit fixed-point number, so an edge takes two multiplications and no division.
 * If there are at most last + 1 cells, every cell holds at least one number. */
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

/* The edge after the last cell may be 2^64, which wraps to 0; differences are still correct. */
static inline uint64_t gen_grid_edge(gen_grid grid, uint64_t cell)
{
    return cell * grid.whole + (uint64_t)(((ordo_u128)cell * grid.part) >> 64);
}

/* A random number in a cell. */
static inline uint64_t gen_grid_pick(gen_grid grid, uint64_t cell, uint64_t draw)
{
    const uint64_t edge = gen_grid_edge(grid, cell);
    return edge + ordo_random_below(draw, gen_grid_edge(grid, cell + 1) - edge);
}

/* n elements divided into `parts` whose sizes differ by at most one: the first element of part t,
 * and the part of element i. */
static inline size_t gen_share_begin(size_t n, uint64_t parts, uint64_t t)
{
    return (size_t)((ordo_u128)n * t / parts);
}

static inline uint64_t gen_share_of(size_t n, uint64_t parts, size_t i)
{
    return (uint64_t)((((ordo_u128)i + 1) * parts - 1) / n);
}

/* A random number x in 1..k with probability proportional to 1/x, by rejection: draws an octave
 * [2^j, 2^(j+1)), then x in this octave, and keeps x with probability 2^j / x, which is at least
 * one half. `octaves` is 1 + the integer part of log2 k. */
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

/* The sum of twelve draws of `width` bits, each a fraction of 2^60: mean 6 * 2^60, deviation 2^60.
 * The draws are in the random words from `first` on. */
static inline uint64_t gen_twelve(uint64_t stream, uint64_t first, unsigned width)
{
    const unsigned words = 12 * width / 64;
    uint64_t       sum = 0;

    for (unsigned w = 0; w < words; w++) {
        const uint64_t word = ordo_random_at(stream, first + w);
        for (unsigned low = 0; low < 64; low += width)
            sum += word << (64 - width - low) >> (64 - width) << (64 - width) >> 4;
    }
    return sum;
}

/* The integer part of log2 x, x > 0. */
static inline unsigned gen_log2(uint64_t x) { return ordo_bit_length(x) - 1; }

/* The argument of loops that compute key i from draw i. */
typedef struct gen_state {
    const ordo_gen_job *job;
    uint64_t            stream;
    gen_grid            grid;
} gen_state;

#endif
