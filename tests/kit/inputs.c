/* inputs.c - see inputs.h. Integer-valued shapes are computed as int64 and stored in the type,
 * modulo its width; random shapes draw bit patterns, so floats meet every NaN and subnormal. */
#include "inputs.h"

#include "oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const ordo_type inputs_types[] = {ORDO_I8,  ORDO_U8,  ORDO_I16, ORDO_U16, ORDO_I32,
                                  ORDO_U32, ORDO_I64, ORDO_U64, ORDO_F32, ORDO_F64};

static void put_bits(ordo_type type, void *out, size_t i, uint64_t bits)
{
    size_t const   size = ordo_type_size(type);
    uint8_t const  b8 = (uint8_t)bits;
    uint16_t const b16 = (uint16_t)bits;
    uint32_t const b32 = (uint32_t)bits;
    const void    *from = &bits;
    from = size == 1 ? &b8 : size == 2 ? (const void *)&b16 : size == 4 ? &b32 : from;
    memcpy((char *)out + i * size, from, size);
}

static void put_value(ordo_type type, void *out, size_t i, int64_t value)
{
    if (type == ORDO_F32)
        ((float *)out)[i] = (float)value;
    else if (type == ORDO_F64)
        ((double *)out)[i] = (double)value;
    else
        put_bits(type, out, i, (uint64_t)value);
}

/* NaNs of both signs, quiet and signalling, several payloads; infinities, zeros, subnormals,
 * ones, the largest finite numbers. */
static const uint32_t special_f32[] = {
    0x7fc00000, 0xffc00000, 0x7fc00001, 0xffc00001, 0x7fffffff, 0xffffffff, 0x7f800001, 0xff800001,
    0x7f800000, 0xff800000, 0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff,
    0x00800000, 0x80800000, 0x3f800000, 0xbf800000, 0x3f800001, 0x7f7fffff, 0xff7fffff, 0x4b800000};
static const uint64_t special_f64[] = {
    0x7ff8000000000000, 0xfff8000000000000, 0x7ff8000000000001, 0xfff8000000000001,
    0x7fffffffffffffff, 0xffffffffffffffff, 0x7ff0000000000001, 0xfff0000000000001,
    0x7ff0000000000000, 0xfff0000000000000, 0x0000000000000000, 0x8000000000000000,
    0x0000000000000001, 0x8000000000000001, 0x000fffffffffffff, 0x800fffffffffffff,
    0x0010000000000000, 0x8010000000000000, 0x3ff0000000000000, 0xbff0000000000000,
    0x3ff0000000000001, 0x7fefffffffffffff, 0xffefffffffffffff, 0x4340000000000000};
static const uint64_t special_int[] = {0,
                                       1,
                                       2,
                                       UINT64_MAX,
                                       UINT64_MAX - 1,
                                       0x7f,
                                       0x80,
                                       0x7fff,
                                       0x8000,
                                       0x7fffffff,
                                       0x80000000,
                                       0x7fffffffffffffff,
                                       0x8000000000000000,
                                       0xff,
                                       0xffff,
                                       0xffffffff};

enum {
    SPECIALS_FLOAT = sizeof special_f32 / sizeof *special_f32,
    SPECIALS_INT = sizeof special_int / sizeof *special_int,
    SPECIAL_NANS = 8, /* the first of the floats */
    SPECIAL_ZERO = 10 /* +0, then -0             */
};

static void put_special(ordo_type type, void *out, size_t i, uint64_t which)
{
    if (type == ORDO_F32)
        put_bits(type, out, i, special_f32[which % SPECIALS_FLOAT]);
    else if (type == ORDO_F64)
        put_bits(type, out, i, special_f64[which % SPECIALS_FLOAT]);
    else
        put_bits(type, out, i, special_int[which % SPECIALS_INT]);
}

typedef void shape_fill(ordo_type type, void *out, size_t n, test_rng *rng, int64_t parameter);

static void fill_bits(ordo_type type, void *out, size_t n, test_rng *rng, int64_t parameter)
{
    (void)parameter;
    for (size_t i = 0; i < n; i++)
        put_bits(type, out, i, test_rng_next(rng));
}

static void fill_special(ordo_type type, void *out, size_t n, test_rng *rng, int64_t parameter)
{
    (void)parameter;
    for (size_t i = 0; i < n; i++)
        put_special(type, out, i, test_rng_next(rng));
}

static void fill_nans(ordo_type type, void *out, size_t n, test_rng *rng, int64_t parameter)
{
    (void)parameter;
    for (size_t i = 0; i < n; i++)
        put_special(type, out, i, test_rng_below(rng, SPECIAL_NANS));
}

/* Both zeros, the subnormals around them and a NaN now and then. */
static void fill_zeros(ordo_type type, void *out, size_t n, test_rng *rng, int64_t parameter)
{
    (void)parameter;
    for (size_t i = 0; i < n; i++) {
        uint64_t const draw = test_rng_below(rng, 16);
        put_special(type, out, i, draw < 13 ? SPECIAL_ZERO + draw % 2 : draw == 13 ? 0 : draw - 2);
    }
}

static void fill_equal(ordo_type type, void *out, size_t n, test_rng *rng, int64_t parameter)
{
    int64_t const value = (int64_t)test_rng_below(rng, 100);
    (void)parameter;
    for (size_t i = 0; i < n; i++)
        put_value(type, out, i, value);
}

static void fill_few(ordo_type type, void *out, size_t n, test_rng *rng, int64_t distinct)
{
    for (size_t i = 0; i < n; i++)
        put_value(type, out, i, (int64_t)test_rng_below(rng, (uint64_t)distinct) * 7 - 7);
}

static void fill_one_bit(ordo_type type, void *out, size_t n, test_rng *rng, int64_t parameter)
{
    uint64_t const bit = UINT64_C(1) << test_rng_below(rng, 8 * ordo_type_size(type));
    uint64_t const base = UINT64_C(0x3535353535353535);
    (void)parameter;
    for (size_t i = 0; i < n; i++)
        put_bits(type, out, i, test_rng_below(rng, 2) != 0 ? base : base ^ bit);
}

static void fill_ramp(ordo_type type, void *out, size_t n, test_rng *rng, int64_t step)
{
    (void)rng;
    for (size_t i = 0; i < n; i++)
        put_value(type, out, i, step * ((int64_t)i - (int64_t)(n / 2)));
}

static void fill_organ_pipe(ordo_type type, void *out, size_t n, test_rng *rng, int64_t parameter)
{
    (void)rng, (void)parameter;
    for (size_t i = 0; i < n; i++)
        put_value(type, out, i, (int64_t)(i < n / 2 ? i : n - 1 - i));
}

static void fill_sawtooth(ordo_type type, void *out, size_t n, test_rng *rng, int64_t tooth)
{
    (void)rng;
    for (size_t i = 0; i < n; i++)
        put_value(type, out, i, (int64_t)i % tooth);
}

static void swap_keys(ordo_type type, void *keys, size_t i, size_t j)
{
    size_t const size = ordo_type_size(type);
    char *const a = (char *)keys + i * size, *const b = (char *)keys + j * size;
    char hold[8];
    memcpy(hold, a, size);
    memmove(a, b, size);
    memcpy(b, hold, size);
}

/* A ramp whose blocks of `radius` + 1 are shuffled: no key is further from its place. */
static void fill_roughly_sorted(ordo_type type, void *out, size_t n, test_rng *rng, int64_t radius)
{
    size_t const block = (size_t)radius + 1;
    fill_ramp(type, out, n, rng, 1);
    for (size_t i = 0; i < n; i++) {
        size_t const lo = i / block * block;
        swap_keys(type, out, i, lo + test_rng_below(rng, i - lo + 1));
    }
}

/* Musser's permutation: the median of first, middle and last is always the second smallest. */
static void fill_median_killer(ordo_type type, void *out, size_t n, test_rng *rng,
                               int64_t parameter)
{
    size_t const half = n / 2;
    (void)rng, (void)parameter;
    for (size_t i = 0; i < n; i++)
        put_value(type, out, i, (int64_t)i);
    for (size_t i = 0; i < half; i++) {
        put_value(type, out, i, (int64_t)(i % 2 == 0 ? i + 1 : half + i + half % 2));
        put_value(type, out, half + i, (int64_t)(2 * (i + 1)));
    }
}

/* Sorted; a key repeats its predecessor with a probability of `permille` in a thousand. */
static void fill_recurrence(ordo_type type, void *out, size_t n, test_rng *rng, int64_t permille)
{
    int64_t value = -(int64_t)(n / 2);
    if (ordo_type_size(type) == 1 && value < -128)
        value = -128;
    for (size_t i = 0; i < n; i++) {
        value += i > 0 && (int64_t)test_rng_below(rng, 1000) >= permille;
        put_value(type, out, i, value);
    }
}

/* Infinities, ones and what lies between, for integers their least and largest; no NaN. */
static void fill_infinities(ordo_type type, void *out, size_t n, test_rng *rng, int64_t parameter)
{
    static const uint64_t chosen[] = {8, 9, 8, 9, 18, 19, 10, 11, 16, 17};
    (void)parameter;
    for (size_t i = 0; i < n; i++)
        put_special(type, out, i, chosen[test_rng_below(rng, sizeof chosen / sizeof *chosen)]);
}

/* Numbers, and one in sixteen a NaN of some kind. */
static void fill_some_nans(ordo_type type, void *out, size_t n, test_rng *rng, int64_t parameter)
{
    (void)parameter;
    for (size_t i = 0; i < n; i++)
        if (test_rng_below(rng, 16) == 0)
            put_special(type, out, i, test_rng_below(rng, SPECIAL_NANS));
        else
            put_value(type, out, i, (int64_t)test_rng_below(rng, 2001) - 1000);
}

/* `runs` stretches of equal length, each rising (or falling, if negative) with ties. */
static void fill_runs(ordo_type type, void *out, size_t n, test_rng *rng, int64_t runs)
{
    size_t const stretches = (size_t)(runs < 0 ? -runs : runs);
    size_t const length = n / (stretches > 0 ? stretches : 1) + 1;
    int64_t      value = 0;
    for (size_t i = 0; i < n; i++) {
        int64_t const step = (int64_t)test_rng_below(rng, 3);
        value = i % length == 0 ? (int64_t)test_rng_below(rng, 50) : value + step;
        put_value(type, out, i, runs < 0 ? -value : value);
    }
}

/* Nine of ten keys are the same. */
static void fill_heavy(ordo_type type, void *out, size_t n, test_rng *rng, int64_t value)
{
    for (size_t i = 0; i < n; i++)
        put_value(type, out, i,
                  test_rng_below(rng, 10) != 0 ? value : (int64_t)(test_rng_next(rng) >> 40));
}

/* `width` neighbouring integers around a middle that is not zero. */
static void fill_narrow(ordo_type type, void *out, size_t n, test_rng *rng, int64_t width)
{
    int64_t const middle = ordo_type_size(type) == 1 ? 40 : 12345;
    for (size_t i = 0; i < n; i++)
        put_value(type, out, i, middle + (int64_t)test_rng_below(rng, (uint64_t)width) - width / 2);
}

/* One pattern, in which only the bits of this part differ: the low ones (parameter 0), or some of
 * the high ones (1; of floats, without the bit that makes them huge). */
static void fill_part_differs(ordo_type type, void *out, size_t n, test_rng *rng, int64_t high)
{
    size_t const   width = 8 * ordo_type_size(type);
    uint64_t const mask =
        high != 0 ? UINT64_C(0xb) << (width - 4) : (UINT64_C(1) << (width / 2 - 1)) - 1;
    for (size_t i = 0; i < n; i++)
        put_bits(type, out, i, UINT64_C(0x3535353535353535) ^ (test_rng_next(rng) & mask));
}

/* Every magnitude is as likely as every other: many small keys that tie, few large ones. */
static void fill_skewed(ordo_type type, void *out, size_t n, test_rng *rng, int64_t parameter)
{
    (void)parameter;
    for (size_t i = 0; i < n; i++) {
        uint64_t const shift = 2 + test_rng_below(rng, 62);
        int64_t const  value = (int64_t)(test_rng_next(rng) >> shift);
        put_value(type, out, i, test_rng_below(rng, 2) != 0 ? value : -value);
    }
}

/* A quicksort that takes the middle element meets the largest one in every step. */
static void fill_middle_killer(ordo_type type, void *out, size_t n, test_rng *rng,
                               int64_t parameter)
{
    fill_ramp(type, out, n, rng, 1);
    (void)parameter;
    for (size_t i = 0; i < n; i++)
        swap_keys(type, out, i, i / 2);
}

/* Small and large keys by turns, drawing nearer to each other. */
static void fill_zigzag(ordo_type type, void *out, size_t n, test_rng *rng, int64_t parameter)
{
    (void)rng, (void)parameter;
    for (size_t i = 0; i < n; i++)
        put_value(type, out, i, i % 2 == 0 ? (int64_t)i : (int64_t)(2 * n - i));
}

/* In order but for `pairs` of keys, far apart, that have changed places: a look at a part of the
 * array sees nothing of it. */
static void fill_swapped(ordo_type type, void *out, size_t n, test_rng *rng, int64_t pairs)
{
    fill_ramp(type, out, n, rng, 1);
    for (int64_t i = 0; i < pairs && n > 0; i++)
        swap_keys(type, out, test_rng_below(rng, n), test_rng_below(rng, n));
}

/* In order up to the last `tail` keys, which are anything. */
static void fill_appended(ordo_type type, void *out, size_t n, test_rng *rng, int64_t tail)
{
    fill_ramp(type, out, n, rng, 1);
    for (size_t i = n < (size_t)tail ? 0 : n - (size_t)tail; i < n; i++)
        put_value(type, out, i, (int64_t)test_rng_below(rng, n) - (int64_t)(n / 2));
}

/* A ramp that begins in the middle: two runs. */
static void fill_rotated(ordo_type type, void *out, size_t n, test_rng *rng, int64_t parts)
{
    (void)rng;
    for (size_t i = 0; i < n; i++)
        put_value(type, out, i, (int64_t)((i + n / (size_t)parts) % n));
}

static const struct shape {
    const char *name;
    shape_fill *fill;
    int64_t     parameter;
} shapes[] = {
    {"random bits", fill_bits, 0},
    {"special values", fill_special, 0},
    {"NaNs of every kind", fill_nans, 0},
    {"both zeros", fill_zeros, 0},
    {"all equal", fill_equal, 0},
    {"two distinct", fill_few, 2},
    {"few distinct", fill_few, 5},
    {"one bit differs", fill_one_bit, 0},
    {"ramp", fill_ramp, 1},
    {"falling ramp", fill_ramp, -1},
    {"organ pipe", fill_organ_pipe, 0},
    {"sawtooth", fill_sawtooth, 13},
    {"roughly sorted by 3", fill_roughly_sorted, 3},
    {"roughly sorted by 40", fill_roughly_sorted, 40},
    {"median of three killer", fill_median_killer, 0},
    {"recurrence 0", fill_recurrence, 0},
    {"recurrence 0.1", fill_recurrence, 100},
    {"recurrence 0.5", fill_recurrence, 500},
    {"recurrence 0.9", fill_recurrence, 900},
    {"recurrence 0.99", fill_recurrence, 990},
    {"recurrence 1", fill_recurrence, 1000},
    {"infinities", fill_infinities, 0},
    {"some NaNs", fill_some_nans, 0},
    {"few runs", fill_runs, 5},
    {"few falling runs", fill_runs, -5},
    {"one heavy value", fill_heavy, 5},
    {"narrow range", fill_narrow, 60},
    {"only low bits differ", fill_part_differs, 0},
    {"only high bits differ", fill_part_differs, 1},
    {"skewed", fill_skewed, 0},
    {"middle killer", fill_middle_killer, 0},
    {"zigzag", fill_zigzag, 0},
    {"one pair swapped", fill_swapped, 1},
    {"few pairs swapped", fill_swapped, 6},
    {"ramp and a loose tail", fill_appended, 9},
    {"rotated ramp", fill_rotated, 3},
    {"steep ramp", fill_ramp, 1000003},
    {"steep falling ramp", fill_ramp, -1000003},
};

size_t inputs_count(void) { return sizeof shapes / sizeof *shapes; }

const char *inputs_name(size_t shape) { return shapes[shape].name; }

void inputs_fill(size_t shape, ordo_type type, void *out, size_t n, uint64_t seed)
{
    test_rng rng = {seed * 1000003 + shape * 101 + (uint64_t)type};
    shapes[shape].fill(type, out, n, &rng, shapes[shape].parameter);
}

size_t inputs_find(const char *name)
{
    for (size_t shape = 0; shape < inputs_count(); shape++)
        if (strcmp(shapes[shape].name, name) == 0)
            return shape;
    abort();
}

const ordo_algorithm inputs_sorts[] = {
    ORDO_ALGORITHM_AUTO,    ORDO_ALGORITHM_RADIX, ORDO_ALGORITHM_SAMPLE,
    ORDO_ALGORITHM_MERGE,   ORDO_ALGORITHM_SPLIT, ORDO_ALGORITHM_BITONIC,
    ORDO_ALGORITHM_HALVING, ORDO_ALGORITHM_ROUGH, ORDO_ALGORITHM_BUBBLE};

const char *inputs_sort_name(ordo_algorithm algorithm)
{
    static const char *const names[] = {"auto",   "sequential", "threads", "radix",
                                        "sample", "merge",      "bitonic", "split",
                                        "bubble", "rough",      "halving"};
    return names[algorithm];
}

ordo_algorithm inputs_known(ordo_algorithm algorithm, bool keys_alone)
{
    if (!testkit_on_device())
        return algorithm;
    switch (algorithm) {
    case ORDO_ALGORITHM_BUBBLE:
        return ORDO_ALGORITHM_AUTO;
    case ORDO_ALGORITHM_HALVING:
    case ORDO_ALGORITHM_ROUGH:
        return keys_alone ? ORDO_ALGORITHM_ROUGH : ORDO_ALGORITHM_RADIX;
    default:
        return algorithm;
    }
}

/* By the oracle, stable: ties stay as mixed as they were. */
void inputs_sort(ordo_type type, void *keys, size_t n, bool desc)
{
    size_t const    size = ordo_type_size(type);
    uint64_t *const index = malloc(n * sizeof *index + 1);
    char *const     copy = malloc(n * size + 1);
    if (index == NULL || copy == NULL)
        abort();
    oracle_argsort(type, keys, n, desc, ORDO_U64, index);
    if (n != 0)
        memcpy(copy, keys, n * size);
    oracle_gather(copy, size, index, n, keys);
    free(index);
    free(copy);
}

void inputs_fill_sorted(size_t shape, ordo_type type, void *out, size_t n, bool desc, uint64_t seed)
{
    inputs_fill(shape, type, out, n, seed);
    inputs_sort(type, out, n, desc);
}

size_t inputs_flags_bytes(ordo_flags_kind kind, size_t n)
{
    return kind == ORDO_FLAG_BITS ? n / 8 + (n % 8 != 0) : n;
}

size_t inputs_flags(ordo_flags_kind kind, void *flags, size_t n, unsigned share, uint64_t seed)
{
    static const uint8_t set_values[] = {1, 2, 0x80, 255};
    uint8_t *const       bytes = flags;
    size_t const         count = inputs_flags_bytes(kind, n);
    test_rng             rng = {seed};

    for (size_t i = 0; i < count; i++)
        bytes[i] = kind == ORDO_FLAG_BITS ? (uint8_t)test_rng_next(&rng) : 0;
    for (size_t i = 0; i < n; i++) {
        bool const    set = test_rng_below(&rng, 16) < share;
        uint8_t const bit = (uint8_t)(1u << i % 8);
        if (kind == ORDO_FLAG_BYTES)
            bytes[i] = set ? set_values[test_rng_below(&rng, 4)] : 0;
        else
            bytes[i / 8] = (uint8_t)(set ? bytes[i / 8] | bit : bytes[i / 8] & ~bit);
    }
    return count;
}

bool inputs_next_size(size_t *n, size_t all, size_t limit)
{
    size_t const now = *n;
    if (now == SIZE_MAX || now < all) {
        *n = now + 1;
        return *n <= limit;
    }
    size_t power = 1;
    while (power + 1 <= now)
        power *= 2;
    *n = now < power - 1 ? power - 1 : now < power ? power : power + 1;
    return *n <= limit;
}

void inputs_tame(ordo_type type, void *keys, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        float *const  f = (float *)keys + (type == ORDO_F32 ? i : 0);
        double *const d = (double *)keys + (type == ORDO_F64 ? i : 0);
        if (type == ORDO_F32 && isfinite(*f) && fabsf(*f) > 1e30f)
            *f = 1;
        if (type == ORDO_F64 && isfinite(*d) && fabs(*d) > 1e300)
            *d = 1;
    }
}
