/* test_few_values.c - sorts of keys that take few values, against the oracle: 1 to 600 values, even
 * or skewed, with keys that a sample misses, and of numbers of a narrow range with keys outside it,
 * few or many, for every type, direction, ISA and thread count, in place and from another array.
 * AUTO must count the usual cases, and stop counting if the sample misled it. */
#include "core/base.h"
#include "cpu/base/tuning.h"
#include "inputs.h"
#include "oracle.h"
#include "testkit.h"

#include <string.h>

enum {
    SMALL = 3000, /* enough for the shrunk thresholds */
    LARGE = 150001
};

static guard_region  region;
static unsigned char source[LARGE * 8], expected[LARGE * 8];

static const ordo_type types[] = {ORDO_U32, ORDO_I32, ORDO_F32, ORDO_U64, ORDO_I64, ORDO_F64};
#define TYPES (sizeof types / sizeof *types)

/* keys[0 .. n) = draws from `values` values of random bits, among them zeros of both signs and, for
 * floats, NaNs. skew: each value is half as likely as the previous value. One key in `strays` has
 * random bits; 0: none. */
static void fill(test_rng *rng, unsigned char *keys, size_t size, size_t n, size_t values,
                 bool skew, size_t strays)
{
    static uint64_t value[1024];
    for (size_t v = 0; v < values; v++)
        value[v] = v == 0 ? 0 : v == 1 ? UINT64_C(1) << (8 * size - 1) : test_rng_next(rng);
    for (size_t i = 0; i < n; i++) {
        uint64_t const draw = test_rng_next(rng);
        size_t const   which =
            skew ? (size_t)__builtin_ctzll(draw | UINT64_C(1) << 63) % values : draw % values;
        bool const     stray = strays != 0 && test_rng_below(rng, strays) == 0;
        uint64_t const key = stray ? test_rng_next(rng) : value[which];
        memcpy(keys + i * size, &key, size);
    }
}

static const char *sort_one(test_rng *rng, const test_context *with, ordo_type type, size_t n,
                            bool desc)
{
    size_t const         size = ordo_type_size(type);
    guard_side const     side = (guard_side)test_rng_below(rng, 2);
    bool const           in_place = test_rng_below(rng, 2) != 0;
    unsigned char *const keys = guard_place(&region, n * size, side);
    ordo_sort_opts const opts = ORDO_OPTS(ordo_sort_opts, .flags = desc ? ORDO_DESCENDING : 0,
                                          .source = in_place ? NULL : source);

    oracle_sort(type, source, n, desc, expected);
    if (in_place)
        memcpy(keys, source, n * size);
    CHECK_STATUS(ORDO_OK, ordo_sort(with->ctx, type, keys, n, &opts), with->ctx);
    CHECK_BYTES(expected, keys, n * size, size);
    CHECK(guard_intact(&region, n * size, side));
    return report_of(with->ctx).algorithm;
}

static void test_values(test_rng *rng, size_t n, size_t draws)
{
    static const size_t values[] = {1,   2,   3,   8,   9,   40,  100, 104, 105,
                                    126, 127, 128, 257, 511, 512, 513, 600};
    static const size_t strays[] = {0, 0, 2, 10, 50, 1000};
    for (size_t t = 0; t < TYPES; t++)
        for (size_t v = 0; v < sizeof values / sizeof *values; v++)
            for (size_t i = 0; i < draws; i++) {
                const test_context *const with = any_context(rng);
                size_t const part = strays[test_rng_below(rng, sizeof strays / sizeof *strays)];
                bool const   skew = test_rng_below(rng, 2) != 0;
                bool const   desc = test_rng_below(rng, 2) != 0;
                fill(rng, source, ordo_type_size(types[t]), n, values[v], skew, part);
                testkit_case("%s n=%zu values=%zu%s strays=1/%zu %s isa=%s threads=%u",
                             ordo_type_name(types[t]), n, values[v], skew ? " skewed" : "", part,
                             desc ? "desc" : "asc", with->isa, with->threads);
                sort_one(rng, with, types[t], n, desc);
            }
}

/* 100 values in random order are counted, also if some keys have other values. */
static void test_choice(test_rng *rng, size_t n)
{
    for (size_t t = 0; t < TYPES; t++)
        for (size_t strays = 0; strays <= 100; strays += 100) {
            const test_context *const with = any_context(rng);
            fill(rng, source, ordo_type_size(types[t]), n, 100, false, strays);
            const char *const algorithm = sort_one(rng, with, types[t], n, false);
            testkit_case("choice: %s n=%zu strays=%zu threads=%u: %s", ordo_type_name(types[t]), n,
                         strays, with->threads, algorithm);
            CHECK(testkit_on_device() || strcmp(algorithm, "counting") == 0);
        }
}

/* keys[0 .. n) = `range` integers from `low` on, or floats that are these integers divided by
 * `scale`. One key in `strays` is any bits, or the largest integer or NaN; 0: none. */
static void fill_narrow(test_rng *rng, ordo_type type, size_t n, uint64_t low, size_t range,
                        double scale, size_t strays)
{
    size_t const size = ordo_type_size(type);
    for (size_t i = 0; i < n; i++) {
        bool const     stray = strays != 0 && test_rng_below(rng, strays) == 0;
        bool const     mark = test_rng_below(rng, 2) != 0;
        uint64_t const value = low + test_rng_below(rng, range);
        double const   wide = (double)(int32_t)value / scale;
        float const    narrow = (float)(int32_t)value / (float)scale;
        uint64_t       key = value;
        if (stray)
            key = mark ? UINT64_MAX >> (64 - 8 * size) : test_rng_next(rng);
        else if (type == ORDO_F32)
            memcpy(&key, &narrow, sizeof narrow); /* the low half, on a little-endian machine */
        else if (type == ORDO_F64)
            memcpy(&key, &wide, sizeof wide);
        memcpy(source + i * size, &key, size);
    }
}

/* Numbers of a narrow range are counted, also if some keys are outside it. The range of integers
 * begins anywhere: at either end of the integers, across the change of sign, across the largest.
 * Any bits are also floats between two values, which must end the count. */
static void test_narrow(test_rng *rng, size_t n, size_t draws)
{
    static const size_t strays[] = {0, 1000, 40, 9, 6};
    static const size_t ranges[] = {1, 2, 1000, 9000};
    static const double scales[] = {1, 100, 1000, 32, 7};
    for (size_t t = 0; t < TYPES; t++)
        for (size_t i = 0; i < draws; i++) {
            const test_context *const with = any_context(rng);
            size_t const              size = ordo_type_size(types[t]);
            bool const                is_float = types[t] == ORDO_F32 || types[t] == ORDO_F64;
            size_t const   part = strays[test_rng_below(rng, sizeof strays / sizeof *strays)];
            size_t const   range = ranges[test_rng_below(rng, sizeof ranges / sizeof *ranges)];
            double const   scale = scales[test_rng_below(rng, sizeof scales / sizeof *scales)];
            uint64_t const middle = UINT64_C(1) << (8 * size - 1);
            uint64_t const lows[] = {0,
                                     middle - range,
                                     2 * middle - range,
                                     middle - range / 2,
                                     2 * middle - range / 2,
                                     test_rng_next(rng)};
            size_t const   which = is_float ? (i % 2) * 4 : test_rng_below(rng, 6);
            bool const     desc = test_rng_below(rng, 2) != 0;
            fill_narrow(rng, types[t], n, lows[which], range, scale, part);
            testkit_case("narrow: %s n=%zu range=%zu low %zu scale %g strays=1/%zu %s isa=%s "
                         "threads=%u",
                         ordo_type_name(types[t]), n, range, which, scale, part,
                         desc ? "desc" : "asc", with->isa, with->threads);
            const char *const algorithm = sort_one(rng, with, types[t], n, desc);
            bool const        odd = is_float ? scale == 7 || part != 0 : which >= 3;
            CHECK(testkit_on_device() || n < LARGE || odd || (part != 0 && part < 40) ||
                  range == 1 || range > ORDO_TUNE_L2 || strcmp(algorithm, "counting") == 0);
        }
}

/* The first half takes one value, the second half any. A sample of the whole array sees that. */
static void test_halves(test_rng *rng, size_t n)
{
    for (size_t t = 0; t < TYPES; t++) {
        const test_context *const with = any_context(rng);
        size_t const              size = ordo_type_size(types[t]);
        testkit_case("halves: %s n=%zu threads=%u", ordo_type_name(types[t]), n, with->threads);
        fill(rng, source, size, n / 2, 1, false, 0);
        fill(rng, source + n / 2 * size, size, n - n / 2, 1, false, 1);
        sort_one(rng, with, types[t], n, t % 2 != 0);
    }
}

/* source[0 .. n) = whole numbers of both signs whose magnitudes are below 2^20 and spread evenly
 * over the powers of two, and some that are the largest integer or NaN. Many are outside any range
 * that is counted. */
static void fill_spread(test_rng *rng, ordo_type type, size_t n)
{
    size_t const size = ordo_type_size(type);
    for (size_t i = 0; i < n; i++) {
        uint64_t const octave = UINT64_C(1) << test_rng_below(rng, 20);
        int64_t const  value = (int64_t)(octave + test_rng_below(rng, octave));
        int64_t const  whole = test_rng_below(rng, 2) != 0 ? value : -value;
        double const   wide = (double)whole;
        float const    narrow = (float)whole;
        uint64_t       key = (uint64_t)whole;
        if (test_rng_below(rng, 50) == 0)
            key = UINT64_MAX >> (64 - 8 * size);
        else if (type == ORDO_F32)
            memcpy(&key, &narrow, sizeof narrow);
        else if (type == ORDO_F64)
            memcpy(&key, &wide, sizeof wide);
        memcpy(source + i * size, &key, size);
    }
}

/* One thread counts small numbers and sorts the others; several threads sort all. */
static void test_spread(test_rng *rng, size_t n, size_t draws)
{
    for (size_t t = 0; t < TYPES; t++)
        for (size_t i = 0; i < draws; i++) {
            const test_context *const with = any_context(rng);
            bool const                desc = test_rng_below(rng, 2) != 0;
            bool const                is_signed = types[t] != ORDO_U32 && types[t] != ORDO_U64;
            fill_spread(rng, types[t], n);
            testkit_case("spread: %s n=%zu %s isa=%s threads=%u", ordo_type_name(types[t]), n,
                         desc ? "desc" : "asc", with->isa, with->threads);
            const char *const algorithm = sort_one(rng, with, types[t], n, desc);
            CHECK(testkit_on_device() || n < LARGE || n / 8 > ORDO_TUNE_L2 / 8 || !is_signed ||
                  with->threads > 1 || strcmp(algorithm, "counting") == 0);
        }
}

/* Within parts of the memory that ordo_sort_scratch returns: the sort succeeds with less, too. */
static void test_memory(test_rng *rng, size_t n, bool spread)
{
    if (testkit_on_device())
        return;
    for (size_t t = 0; t < TYPES; t++)
        for (size_t share = 0; share <= 4; share++) {
            size_t          bytes = 0;
            size_t const    size = ordo_type_size(types[t]);
            ordo_ctx *const plain = test_context_make(3);
            CHECK_STATUS(ORDO_OK, ordo_sort_scratch(plain, types[t], n, NULL, &bytes), plain);
            ordo_ctx_free(plain);
            ordo_ctx *const ctx =
                CONTEXT(.threads = 3, .mem_limit = ordo_max(bytes * share / 4, 1));
            if (ctx == NULL)
                return;
            unsigned char *const keys = guard_place(&region, n * size, GUARD_END);
            if (spread) {
                fill_spread(rng, types[t], n);
                memcpy(keys, source, n * size);
            } else {
                fill(rng, keys, size, n, 90, false, 100);
            }
            oracle_sort(types[t], keys, n, false, expected);
            testkit_case("memory: %s n=%zu%s share %zu of 4", ordo_type_name(types[t]), n,
                         spread ? " spread" : "", share);
            CHECK_STATUS(ORDO_OK, ordo_sort(ctx, types[t], keys, n, NULL), ctx);
            CHECK_BYTES(expected, keys, n * size, size);
            CHECK(share < 4 || spread || strcmp(report_of(ctx).algorithm, "counting") == 0);
            ordo_ctx_free(ctx);
        }
}

int main(void)
{
    test_rng rng = {20};
    testkit_start();
    region = guard_make(LARGE * 8);
    testkit_seed(1); /* the choice of AUTO depends on the sample */
    test_contexts_start();
    test_values(&rng, SMALL, TESTKIT_SANITIZED ? 3 : 12);
    test_values(&rng, LARGE, 1);
    test_choice(&rng, LARGE);
    test_narrow(&rng, SMALL, TESTKIT_SANITIZED ? 8 : 30);
    test_narrow(&rng, LARGE, TESTKIT_SANITIZED ? 2 : 8);
    test_halves(&rng, SMALL);
    test_halves(&rng, LARGE);
    test_spread(&rng, SMALL, TESTKIT_SANITIZED ? 4 : 20);
    test_spread(&rng, LARGE, TESTKIT_SANITIZED ? 2 : 6);
    test_memory(&rng, LARGE, false);
    test_memory(&rng, LARGE, true);
    return testkit_done();
}
