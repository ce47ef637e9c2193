/* test_uneven.c - sorts of keys whose bits are uneven, against the oracle: floats around zero,
 * normal and log-uniform keys, clusters, outliers, heavy values, and arrays whose sample misleads.
 * Every type, direction, verb, ISA and thread count. The cut that the radix sort chooses from a
 * sample is also tested alone: its buckets must be in the order of the keys, and about equally
 * large for every distribution of the generators. */
#include "core/base.h"
#include "core/random.h"
#include "cpu/radix/cut.h"
#include "cpu/radix/records.h"
#include "inputs.h"
#include "oracle.h"
#include "testkit.h"

#include <stdlib.h>
#include <string.h>

enum {
    SMALL = 2600, /* enough for the shrunk thresholds */
    LARGE = 150001,
    SAMPLE = 1000
};

typedef enum shape {
    SIGNED,    /* floats in (-1, 1); integers of both signs near 0 */
    NORMAL,    /* sums of uniform numbers around 0 */
    LOG,       /* random number of leading zeros */
    LOG_BOTH,  /* the same on both sides of the middle */
    ZIPF,      /* value v about 1 / v as often as value 1 */
    HEAVY,     /* one key in two has one of 5 values, the others are anything */
    OUTLIERS,  /* a narrow cluster, and one key in 100 anywhere */
    CLUSTERS,  /* two clusters of different width */
    NESTED,    /* clusters within clusters */
    LONE,      /* one value but for one key */
    ORGANPIPE, /* rises, then falls, in uneven steps */
    NARROW,    /* integers of a narrow range around 0 */
    SHAPES
} shape;

static const char *const names[SHAPES] = {"signed", "normal", "log",       "log both",
                                          "zipf",   "heavy",  "outliers",  "clusters",
                                          "nested", "lone",   "organ pipe"};

static guard_region  region;
static unsigned char source[LARGE * 8], expected[LARGE * 8], permuted[LARGE * 8];
static uint32_t      order[LARGE], values[LARGE], expected_order[LARGE];

/* A number in [-1, 1) that is near 0 if there are many terms. */
static double centred(test_rng *rng, unsigned terms)
{
    double sum = 0;
    for (unsigned i = 0; i < terms; i++)
        sum += (double)(int64_t)test_rng_next(rng) * 0x1p-63;
    return sum / terms;
}

/* The bits of a float, or an integer, for a number in [-1, 1). */
static uint64_t bits_of(ordo_type type, double number)
{
    float const narrow = (float)number;
    uint64_t    bits = 0;
    if (type == ORDO_F32)
        memcpy(&bits, &narrow, sizeof narrow); /* the low half, on a little-endian machine */
    else if (type == ORDO_F64)
        memcpy(&bits, &number, sizeof number);
    else
        bits = (uint64_t)(int64_t)(number * (double)(INT64_MAX >> (66 - 8 * ordo_type_size(type))));
    return bits;
}

static uint64_t draw(test_rng *rng, shape of, ordo_type type, size_t i, size_t n)
{
    unsigned const width = 8 * (unsigned)ordo_type_size(type);
    uint64_t const any = test_rng_next(rng), ones = UINT64_MAX >> (64 - width);
    uint64_t const which = test_rng_below(rng, 100), middle = UINT64_C(1) << (width - 1);
    uint64_t const fall = (any & ones) >> test_rng_below(rng, width);
    switch (of) {
    case SIGNED:
        return bits_of(type, centred(rng, 1));
    case NORMAL:
        return bits_of(type, centred(rng, 9));
    case LOG:
        return fall;
    case LOG_BOTH:
        return which % 2 != 0 ? middle + fall / 2 : middle - 1 - fall / 2;
    case ZIPF:
        return (UINT64_C(1) << test_rng_below(rng, ordo_min(width, 20))) * (1 + any % 1024) / 1024;
    case HEAVY:
        return which % 2 != 0 ? any : ordo_random_mix(which / 20);
    case OUTLIERS:
        return which == 0 ? any : middle / 3 + (any & ((UINT64_C(1) << width * 3 / 8) - 1));
    case CLUSTERS:
        return (which % 3 == 0 ? 77 : middle + 99) +
               (any & ((UINT64_C(1) << (which % 3 == 0 ? width / 2 : width / 4)) - 1));
    case NESTED:
        return any & ~(ones >> which / 10 * 3 >> which % 10);
    case LONE:
        return i == n / 3 ? any : middle / 5;
    case NARROW:
        return any % ordo_max(n / 40, 2) - n / 100;
    default:
        return (uint64_t)(i < n / 2 ? i : n - i) * i;
    }
}

static void fill(test_rng *rng, shape of, ordo_type type, size_t n)
{
    for (size_t i = 0; i < n; i++)
        oracle_put_bits(type, source, i, draw(rng, of, type, i, n));
}

/* ---- Sorts ---- */

static void check_sort(const test_context *with, ordo_type type, size_t n, bool desc)
{
    size_t const         size = ordo_type_size(type);
    unsigned char *const keys = guard_place(&region, n * size, GUARD_END);
    ordo_sort_opts const opts = ORDO_OPTS(ordo_sort_opts, .flags = desc ? ORDO_DESCENDING : 0);
    oracle_sort(type, source, n, desc, expected);
    memcpy(keys, source, n * size);
    CHECK_STATUS(ORDO_OK, ordo_sort(with->ctx, type, keys, n, &opts), with->ctx);
    CHECK_BYTES(expected, keys, n * size, size);
    CHECK(guard_intact(&region, n * size, GUARD_END));
}

static void check_stable(const test_context *with, ordo_type type, size_t n, bool desc)
{
    size_t const         size = ordo_type_size(type);
    unsigned char *const keys = guard_place(&region, n * size, GUARD_END);
    ordo_sort_opts const opts =
        ORDO_OPTS(ordo_sort_opts, .flags = (desc ? ORDO_DESCENDING : 0) | ORDO_STABLE);
    oracle_argsort(type, source, n, desc, ORDO_U32, expected_order);
    CHECK_STATUS(ORDO_OK, ordo_argsort(with->ctx, type, source, n, ORDO_U32, order, &opts),
                 with->ctx);
    CHECK_BYTES(expected_order, order, n * sizeof *order, sizeof *order);
    for (size_t i = 0; i < n; i++) {
        values[i] = (uint32_t)i;
        memcpy(permuted + i * size, source + expected_order[i] * size, size);
    }
    memcpy(keys, source, n * size);
    CHECK_STATUS(ORDO_OK, ordo_sort_pairs(with->ctx, type, keys, n, values, sizeof *values, &opts),
                 with->ctx);
    CHECK_BYTES(expected_order, values, n * sizeof *values, sizeof *values);
    CHECK_BYTES(permuted, keys, n * size, size);
}

static void test_shapes(test_rng *rng, size_t n, size_t one_of)
{
    for (size_t t = 0; t < INPUTS_TYPES; t++)
        for (shape of = 0; of < SHAPES; of++) {
            if (test_rng_below(rng, one_of) != 0 || !testkit_run_case(3))
                continue;
            ordo_type const           type = inputs_types[t];
            const test_context *const with = any_context(rng);
            bool const                desc = test_rng_below(rng, 2) != 0;
            testkit_case("%s %s n=%zu %s isa=%s threads=%u", names[of], ordo_type_name(type), n,
                         desc ? "desc" : "asc", with->isa, with->threads);
            fill(rng, of, type, n);
            check_sort(with, type, n, desc);
            check_stable(with, type, n, desc);
        }
}

/* The keys at the places that the sample reads are equal; the others are not. */
static void test_misled(test_rng *rng, size_t n, size_t sample)
{
    for (size_t t = 0; t < INPUTS_TYPES; t++) {
        ordo_type const           type = inputs_types[t];
        const test_context *const with = any_context(rng);
        size_t const              count = ordo_min(sample, n), stride = n / count;
        testkit_case("misled %s n=%zu isa=%s threads=%u", ordo_type_name(type), n, with->isa,
                     with->threads);
        fill(rng, t % 2 != 0 ? LOG : NESTED, type, n);
        for (uint64_t seed = 0; seed < 3; seed++)
            for (size_t i = 0; i < count; i++) {
                uint64_t const draw = ordo_random_at(ordo_random_sequence(1, seed), i);
                oracle_put_bits(type, source, i * stride + ordo_random_below(draw, stride), 55);
            }
        for (size_t i = 0; i < n; i += 2)
            oracle_put_bits(type, source, i, 55);
        check_sort(with, type, n, false);
        check_stable(with, type, n, true);
    }
}

/* ---- The cut ---- */

static int compare_bits(const void *user, size_t i, size_t j)
{
    const uint64_t *const bits = user;
    return bits[i] < bits[j] ? -1 : bits[i] > bits[j];
}

/* sorted[0 .. count) = draws of one shape, in order. */
static void draw_sorted(test_rng *rng, shape of, ordo_type type, size_t count, uint64_t *sorted)
{
    static uint64_t bits[SAMPLE], index[SAMPLE];
    unsigned const  width = 8 * (unsigned)ordo_type_size(type);
    for (size_t i = 0; i < count; i++)
        bits[i] = draw(rng, of, type, i, count) & (UINT64_MAX >> (64 - width));
    oracle_order(count, index, compare_bits, bits);
    oracle_gather(bits, sizeof *bits, index, count, sorted);
}

static void test_cut(test_rng *rng, shape of, ordo_type type, shape probes)
{
    static uint64_t    sample[SAMPLE], scratch[SAMPLE], keys[SAMPLE];
    static radix_cells cells;
    unsigned const     width = 8 * (unsigned)ordo_type_size(type);
    size_t const       count = 1 + test_rng_below(rng, SAMPLE), wanted = BUCKETS >> (count % 3);
    unsigned const     whole = (unsigned)test_rng_below(rng, 3) * 5;
    radix_cut          cut;
    size_t             before = 0;
    draw_sorted(rng, of, type, count, sample);
    draw_sorted(rng, probes, type, SAMPLE, keys);
    radix_choose_cut(sample, scratch, count, width, wanted, whole, &cut, &cells);
    testkit_case("cut of %s by %s width=%u count=%zu", names[probes], names[of], width, count);
    CHECK(cut.buckets >= 1 && cut.buckets <= BUCKETS);
    for (size_t i = 0; i < SAMPLE && !cut.even; i++) {
        size_t const bucket = radix_bucket(&cut, keys[i], width, cut.logs);
        CHECK(bucket >= before && bucket < cut.buckets);
        CHECK_EQ_U64(bucket,
                     radix_bucket(&cut, keys[i] ^ ((UINT64_C(1) << whole) - 1), width, cut.logs));
        CHECK(i == 0 ||
              radix_log(keys[i - 1], sample[0], width) <= radix_log(keys[i], sample[0], width));
        before = bucket;
    }
}

#ifndef ORDO_TINY
/* ---- The balance of the cut ---- */

enum {
    BALANCED_BUCKETS = 1024, /* the buckets that many threads use for 10^7 keys */
    BALANCED_SAMPLE = ORDO_TUNE_RADIX_SAMPLE,
    BALANCED_PART = 48 /* a bucket with several values holds at most 1/48 of the keys */
};

typedef struct held {
    uint32_t count;
    uint64_t least, most;
} held;

/* The key bits of `source`. */
static uint64_t *bits_of_source(ordo_type type, size_t n)
{
    static uint64_t       bits[LARGE];
    records_key_fn *const key_of = records_key_of(type, false);
    for (size_t i = 0; i < n; i++)
        bits[i] = key_of(source, i);
    return bits;
}

static int compare_words(const void *a, const void *b)
{
    uint64_t const x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* A bucket that is too large for one thread costs all threads another split, unless its keys are
 * equal. So each distribution of the generators must be divided evenly. */
static void test_balance(const test_context *with, ordo_dist dist, ordo_type type)
{
    static uint64_t     sample[BALANCED_SAMPLE], scratch[BALANCED_SAMPLE];
    static radix_cells  cells;
    static held         buckets[BUCKETS];
    unsigned const      width = 8 * (unsigned)ordo_type_size(type);
    ordo_gen_opts const opts = ORDO_OPTS(ordo_gen_opts, .seed = 7);
    radix_cut           cut;
    CHECK_STATUS(ORDO_OK, ordo_gen(with->ctx, dist, type, source, LARGE, &opts), with->ctx);
    const uint64_t *const bits = bits_of_source(type, LARGE);
    size_t const          stride = LARGE / BALANCED_SAMPLE;
    for (size_t i = 0; i < BALANCED_SAMPLE; i++)
        sample[i] = bits[i * stride + ordo_random_below(ordo_random_at(3, i), stride)];
    qsort(sample, BALANCED_SAMPLE, sizeof *sample, compare_words);
    radix_choose_cut(sample, scratch, BALANCED_SAMPLE, width, BALANCED_BUCKETS, 0, &cut, &cells);
    memset(buckets, 0, sizeof buckets);
    for (size_t i = 0; i < LARGE; i++) {
        size_t const b = cut.even ? (size_t)(bits[i] >> cut.shift & cut.mask)
                                  : radix_bucket(&cut, bits[i], width, cut.logs);
        held *const  in = &buckets[b];
        in->least = in->count == 0 ? bits[i] : ordo_min(in->least, bits[i]);
        in->most = ordo_max(in->most, bits[i]);
        in->count++;
    }
    for (size_t b = 0; b < cut.buckets; b++)
        CHECK(buckets[b].least == buckets[b].most || buckets[b].count <= LARGE / BALANCED_PART);
}

static void test_balances(test_rng *rng)
{
    static const ordo_dist dists[] = {ORDO_DIST_UNIFORM,    ORDO_DIST_SIGNED, ORDO_DIST_NORMAL,
                                      ORDO_DIST_GAUSSIAN,   ORDO_DIST_ZIPF,   ORDO_DIST_FEW,
                                      ORDO_DIST_LOGUNIFORM, ORDO_DIST_PRICES, ORDO_DIST_SENSORS,
                                      ORDO_DIST_TIMESTAMPS};
    static const ordo_type types[] = {ORDO_U32, ORDO_I32, ORDO_F32, ORDO_U64, ORDO_I64, ORDO_F64};
    for (size_t d = 0; d < sizeof dists / sizeof *dists; d++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
            testkit_case("balance of distribution %d %s", (int)dists[d], ordo_type_name(types[t]));
            test_balance(any_context(rng), dists[d], types[t]);
        }
}
#endif

int main(void)
{
    test_rng rng = {17};
    testkit_start();
    region = guard_make(LARGE * 8);
    testkit_seed(1);
    test_contexts_start();
    for (shape of = 0; of < SHAPES; of++)
        for (shape probes = 0; probes < SHAPES; probes++) {
            test_cut(&rng, of, ORDO_U32, probes);
            test_cut(&rng, of, ORDO_U64, probes);
        }
#ifndef ORDO_TINY
    test_balances(&rng);
#endif
    for (size_t round = 0; round < (TESTKIT_SANITIZED ? 1 : 4); round++)
        test_shapes(&rng, SMALL - round * 311, 1);
    test_shapes(&rng, LARGE, 5);
    test_misled(&rng, SMALL, 64);
    test_misled(&rng, LARGE, 16384);
    return testkit_done();
}
