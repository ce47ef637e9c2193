/* inputs.c - see inputs.h. Shapes of integers are computed in 64 bits and stored modulo the width
 * of the type. Random shapes draw bit patterns, so that floats include NaNs and subnormals. */
#include "inputs.h"

#include "oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const ordo_type inputs_types[] = {
#define ORDO_TYPE(ID, tag, key, bits) ORDO_##ID,
#include "core/types.def"
};

/* NaNs of both signs, quiet and signalling, with several payloads; infinities, zeros, subnormals,
 * ones, and the largest finite numbers. */
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
    SPECIAL_NANS = 8, /* the first entries of the floats */
    SPECIAL_ZERO = 10 /* +0, then -0                     */
};

typedef struct fill_job {
    ordo_type type;
    void     *out;
    size_t    n;
    test_rng *rng;
    int64_t   parameter; /* parameter of the shape */
} fill_job;

typedef void shape_fill(const fill_job *f);

static void put_value(const fill_job *f, size_t i, int64_t value)
{
    if (f->type == ORDO_F32)
        ((float *)f->out)[i] = (float)value;
    else if (f->type == ORDO_F64)
        ((double *)f->out)[i] = (double)value;
    else
        oracle_put_bits(f->type, f->out, i, (uint64_t)value);
}

static void put_special(const fill_job *f, size_t i, uint64_t which)
{
    uint64_t const bits = f->type == ORDO_F32   ? special_f32[which % SPECIALS_FLOAT]
                          : f->type == ORDO_F64 ? special_f64[which % SPECIALS_FLOAT]
                                                : special_int[which % SPECIALS_INT];
    oracle_put_bits(f->type, f->out, i, bits);
}

static void put_ramp(const fill_job *f, int64_t step)
{
    for (size_t i = 0; i < f->n; i++)
        put_value(f, i, step * ((int64_t)i - (int64_t)(f->n / 2)));
}

static void fill_bits(const fill_job *f)
{
    for (size_t i = 0; i < f->n; i++)
        oracle_put_bits(f->type, f->out, i, test_rng_next(f->rng));
}

static void fill_special(const fill_job *f)
{
    for (size_t i = 0; i < f->n; i++)
        put_special(f, i, test_rng_next(f->rng));
}

static void fill_nans(const fill_job *f)
{
    for (size_t i = 0; i < f->n; i++)
        put_special(f, i, test_rng_below(f->rng, SPECIAL_NANS));
}

/* Both zeros, the smallest subnormals and a few NaNs. */
static void fill_zeros(const fill_job *f)
{
    for (size_t i = 0; i < f->n; i++) {
        uint64_t const draw = test_rng_below(f->rng, 16);
        put_special(f, i, draw < 13 ? SPECIAL_ZERO + draw % 2 : draw == 13 ? 0 : draw - 2);
    }
}

static void fill_equal(const fill_job *f)
{
    int64_t const value = (int64_t)test_rng_below(f->rng, 100);
    for (size_t i = 0; i < f->n; i++)
        put_value(f, i, value);
}

static void fill_few(const fill_job *f)
{
    for (size_t i = 0; i < f->n; i++)
        put_value(f, i, (int64_t)test_rng_below(f->rng, (uint64_t)f->parameter) * 7 - 7);
}

static void fill_one_bit(const fill_job *f)
{
    uint64_t const bit = UINT64_C(1) << test_rng_below(f->rng, 8 * ordo_type_size(f->type));
    uint64_t const base = UINT64_C(0x3535353535353535);
    for (size_t i = 0; i < f->n; i++)
        oracle_put_bits(f->type, f->out, i, test_rng_below(f->rng, 2) != 0 ? base : base ^ bit);
}

static void fill_ramp(const fill_job *f) { put_ramp(f, f->parameter); }

static void fill_organ_pipe(const fill_job *f)
{
    for (size_t i = 0; i < f->n; i++)
        put_value(f, i, (int64_t)(i < f->n / 2 ? i : f->n - 1 - i));
}

static void fill_sawtooth(const fill_job *f)
{
    for (size_t i = 0; i < f->n; i++)
        put_value(f, i, (int64_t)i % f->parameter);
}

static void swap_keys(const fill_job *f, size_t i, size_t j)
{
    size_t const size = ordo_type_size(f->type);
    char *const a = (char *)f->out + i * size, *const b = (char *)f->out + j * size;
    char hold[8];
    memcpy(hold, a, size);
    memmove(a, b, size);
    memcpy(b, hold, size);
}

/* A ramp with each block of parameter + 1 keys shuffled. */
static void fill_roughly_sorted(const fill_job *f)
{
    size_t const block = (size_t)f->parameter + 1;
    put_ramp(f, 1);
    for (size_t i = 0; i < f->n; i++) {
        size_t const lo = i / block * block;
        swap_keys(f, i, lo + test_rng_below(f->rng, i - lo + 1));
    }
}

/* Musser's permutation: the median of first, middle and last is always the second smallest. */
static void fill_median_killer(const fill_job *f)
{
    size_t const half = f->n / 2;
    for (size_t i = 0; i < f->n; i++)
        put_value(f, i, (int64_t)i);
    for (size_t i = 0; i < half; i++) {
        put_value(f, i, (int64_t)(i % 2 == 0 ? i + 1 : half + i + half % 2));
        put_value(f, half + i, (int64_t)(2 * (i + 1)));
    }
}

/* Sorted; a key repeats its predecessor with a probability of parameter / 1000. */
static void fill_recurrence(const fill_job *f)
{
    int64_t value = -(int64_t)(f->n / 2);
    if (ordo_type_size(f->type) == 1 && value < -128)
        value = -128;
    for (size_t i = 0; i < f->n; i++) {
        value += i > 0 && (int64_t)test_rng_below(f->rng, 1000) >= f->parameter;
        put_value(f, i, value);
    }
}

/* Infinities, zeros, ones and the smallest normal numbers; extreme integers. */
static void fill_infinities(const fill_job *f)
{
    static const uint64_t chosen[] = {8, 9, 8, 9, 18, 19, 10, 11, 16, 17};
    for (size_t i = 0; i < f->n; i++)
        put_special(f, i, chosen[test_rng_below(f->rng, sizeof chosen / sizeof *chosen)]);
}

/* Small integers; one in sixteen keys is a NaN. */
static void fill_some_nans(const fill_job *f)
{
    for (size_t i = 0; i < f->n; i++)
        if (test_rng_below(f->rng, 16) == 0)
            put_special(f, i, test_rng_below(f->rng, SPECIAL_NANS));
        else
            put_value(f, i, (int64_t)test_rng_below(f->rng, 2001) - 1000);
}

/* |parameter| stretches of equal length with ties: rising if it is positive, else falling. */
static void fill_runs(const fill_job *f)
{
    size_t const stretches = (size_t)(f->parameter < 0 ? -f->parameter : f->parameter);
    size_t const length = f->n / (stretches > 0 ? stretches : 1) + 1;
    int64_t      value = 0;
    for (size_t i = 0; i < f->n; i++) {
        int64_t const step = (int64_t)test_rng_below(f->rng, 3);
        value = i % length == 0 ? (int64_t)test_rng_below(f->rng, 50) : value + step;
        put_value(f, i, f->parameter < 0 ? -value : value);
    }
}

/* Nine of ten keys are the same. */
static void fill_heavy(const fill_job *f)
{
    for (size_t i = 0; i < f->n; i++)
        put_value(f, i,
                  test_rng_below(f->rng, 10) != 0 ? f->parameter
                                                  : (int64_t)(test_rng_next(f->rng) >> 40));
}

/* Random integers from a narrow range around a middle that is not zero. */
static void fill_narrow(const fill_job *f)
{
    int64_t const middle = ordo_type_size(f->type) == 1 ? 40 : 12345;
    for (size_t i = 0; i < f->n; i++)
        put_value(f, i,
                  middle + (int64_t)test_rng_below(f->rng, (uint64_t)f->parameter) -
                      f->parameter / 2);
}

/* Keys that differ only in the low half of their bits, or only in a few of the highest. */
static void fill_part_differs(const fill_job *f)
{
    size_t const   width = 8 * ordo_type_size(f->type);
    uint64_t const mask =
        f->parameter != 0 ? UINT64_C(0xb) << (width - 4) : (UINT64_C(1) << (width / 2 - 1)) - 1;
    for (size_t i = 0; i < f->n; i++)
        oracle_put_bits(f->type, f->out, i,
                        UINT64_C(0x3535353535353535) ^ (test_rng_next(f->rng) & mask));
}

/* Uniform number of bits: many small keys that tie, few large keys. */
static void fill_skewed(const fill_job *f)
{
    for (size_t i = 0; i < f->n; i++) {
        uint64_t const shift = 2 + test_rng_below(f->rng, 62);
        int64_t const  value = (int64_t)(test_rng_next(f->rng) >> shift);
        put_value(f, i, test_rng_below(f->rng, 2) != 0 ? value : -value);
    }
}

/* A quicksort with the middle element as its pivot always takes the largest key. */
static void fill_middle_killer(const fill_job *f)
{
    put_ramp(f, 1);
    for (size_t i = 0; i < f->n; i++)
        swap_keys(f, i, i / 2);
}

/* Small and large keys alternate and approach each other. */
static void fill_zigzag(const fill_job *f)
{
    for (size_t i = 0; i < f->n; i++)
        put_value(f, i, i % 2 == 0 ? (int64_t)i : (int64_t)(2 * f->n - i));
}

/* Sorted, then some random pairs are exchanged. A sample of the array usually misses them. */
static void fill_swapped(const fill_job *f)
{
    put_ramp(f, 1);
    for (int64_t i = 0; i < f->parameter && f->n > 0; i++)
        swap_keys(f, test_rng_below(f->rng, f->n), test_rng_below(f->rng, f->n));
}

/* Sorted, except for the last keys, which are random. */
static void fill_appended(const fill_job *f)
{
    put_ramp(f, 1);
    for (size_t i = f->n < (size_t)f->parameter ? 0 : f->n - (size_t)f->parameter; i < f->n; i++)
        put_value(f, i, (int64_t)test_rng_below(f->rng, f->n) - (int64_t)(f->n / 2));
}

/* A rotated ramp: two runs. */
static void fill_rotated(const fill_job *f)
{
    for (size_t i = 0; i < f->n; i++)
        put_value(f, i, (int64_t)((i + f->n / (size_t)f->parameter) % f->n));
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
    {"ramp and a random tail", fill_appended, 9},
    {"rotated ramp", fill_rotated, 3},
    {"steep ramp", fill_ramp, 1000003},
    {"steep falling ramp", fill_ramp, -1000003},
};

size_t inputs_count(void) { return sizeof shapes / sizeof *shapes; }

const char *inputs_name(size_t shape) { return shapes[shape].name; }

void inputs_fill(size_t shape, ordo_type type, void *out, size_t n, uint64_t seed)
{
    test_rng rng = {seed * 1000003 + shape * 101 + (uint64_t)type};
    shapes[shape].fill(&(fill_job){type, out, n, &rng, shapes[shape].parameter});
}

size_t inputs_find(const char *name)
{
    for (size_t shape = 0; shape < inputs_count(); shape++)
        if (strcmp(shapes[shape].name, name) == 0)
            return shape;
    abort();
}

const ordo_algorithm inputs_sorts[] = {
    ORDO_ALGORITHM_AUTO,    ORDO_ALGORITHM_RADIX,     ORDO_ALGORITHM_SAMPLE,  ORDO_ALGORITHM_MERGE,
    ORDO_ALGORITHM_SPLIT,   ORDO_ALGORITHM_BITONIC,   ORDO_ALGORITHM_HALVING, ORDO_ALGORITHM_ROUGH,
    ORDO_ALGORITHM_WINDOWS, ORDO_ALGORITHM_INTERVALS, ORDO_ALGORITHM_BUBBLE};

rank_rule inputs_rule(size_t i)
{
    static const ordo_type types[] = {ORDO_U32, ORDO_U64, ORDO_F64};
    size_t const           ties = i % INPUTS_RULES / 3;
    if (i % INPUTS_RULES == INPUTS_RULES - 1)
        return (rank_rule){ORDO_TIES_AVERAGE, ORDO_F64};
    return (rank_rule){(ordo_ties)(ties + (ties >= ORDO_TIES_AVERAGE)),
                       types[i % INPUTS_RULES % 3]};
}

const char *inputs_sort_name(ordo_algorithm algorithm)
{
    static const char *const names[] = {
        [ORDO_ALGORITHM_AUTO] = "auto",           [ORDO_ALGORITHM_SEQUENTIAL] = "sequential",
        [ORDO_ALGORITHM_THREADS] = "threads",     [ORDO_ALGORITHM_RADIX] = "radix",
        [ORDO_ALGORITHM_SAMPLE] = "sample",       [ORDO_ALGORITHM_MERGE] = "merge",
        [ORDO_ALGORITHM_BITONIC] = "bitonic",     [ORDO_ALGORITHM_SPLIT] = "split",
        [ORDO_ALGORITHM_BUBBLE] = "bubble",       [ORDO_ALGORITHM_ROUGH] = "rough",
        [ORDO_ALGORITHM_HALVING] = "halving",     [ORDO_ALGORITHM_WINDOWS] = "windows",
        [ORDO_ALGORITHM_INSERTION] = "insertion", [ORDO_ALGORITHM_GLOBAL] = "global",
        [ORDO_ALGORITHM_INTERVALS] = "intervals"};
    return names[algorithm];
}

ordo_algorithm inputs_supported(ordo_algorithm algorithm, bool keys_alone)
{
    if (!testkit_on_device())
        return algorithm;
    switch (algorithm) {
    case ORDO_ALGORITHM_BUBBLE:
        return ORDO_ALGORITHM_AUTO;
    case ORDO_ALGORITHM_WINDOWS:
        return keys_alone ? ORDO_ALGORITHM_WINDOWS : ORDO_ALGORITHM_RADIX;
    default:
        return algorithm;
    }
}

void inputs_sort(ordo_type type, void *keys, size_t n, bool desc)
{
    size_t const    size = ordo_type_size(type);
    uint64_t *const index = test_need(n * sizeof *index);
    char *const     copy = test_need(n * size);
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

void inputs_limit_floats(ordo_type type, void *keys, size_t n)
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
