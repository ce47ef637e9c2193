/* gen_maps.h - arithmetic that the generators share: maps from integers to keys, and even
 * divisions of a range or of an array. Integer arithmetic gives the same bits on every machine.
 *
 * key_of_fraction_T(x)  the key at x / 2^64 of the range of T. Integers: the whole type. Floats:
 *                       [0, 1) in steps of 2^-24 or 2^-53. Never decreases with x.
 * key_of_half_T(x)      the same with the range [0, 2^(width-1)) for integers.
 * key_of_place_T(x)     the x-th of the type's distinct keys, strictly increasing. Integers: every
 *                       value. Floats: 2^31 (2^63) keys of both signs and of magnitude 2^-64 to
 *                       2^64 (2^-512 to 2^512); none is 0, subnormal or infinite.
 * key_of_count_T(x)     x itself, a small number. */
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

/* The integer part of log2 x, x > 0. */
static inline unsigned gen_log2(uint64_t x) { return ordo_bit_length(x) - 1; }

/* The argument of loops that compute key i from draw i. */
typedef struct gen_state {
    const ordo_gen_job *job;
    uint64_t            stream;
    gen_grid            grid;
} gen_state;

#endif
