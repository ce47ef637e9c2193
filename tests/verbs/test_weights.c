/* test_weights.c - weights of ordo_quantiles and ordo_median: integer weights against an array that
 * repeats its keys, float weights against a slow search, NaNs and weights of 0, any number of
 * threads, and refusals. */
#include "inputs.h"
#include "oracle.h"
#include "testkit.h"

#include <math.h>

enum {
    MOST = 300,
    REPEATS = 5,
    QUANTILES = 7
};

static double const some_q[QUANTILES] = {0, 0.125, 0.25, 1 / 3.0, 0.5, 0.9, 1};

static ordo_quantile_opts weighted(const void *weights, ordo_type type, int method, ordo_nans nans)
{
    return ORDO_OPTS(ordo_quantile_opts, .weights = weights, .weight_type = (uint32_t)type,
                     .method = (uint32_t)method, .nans = (uint32_t)nans);
}

static void put_weight(ordo_type type, void *weights, size_t i, unsigned weight)
{
    float const  small = (float)weight;
    double const large = (double)weight;
    if (type == ORDO_F32)
        memcpy((float *)weights + i, &small, sizeof small);
    else if (type == ORDO_F64)
        memcpy((double *)weights + i, &large, sizeof large);
    else
        oracle_put_bits(type, weights, i, weight);
}

/* Every method, type of keys and integer type of weights: byte for byte. */
static void test_repeats(void)
{
    test_rng rng = {5};
    uint64_t keys[MOST], weights[MOST];
    char    *repeated = test_keep(MOST * REPEATS * sizeof(uint64_t));
    for (size_t t = 0; t < INPUTS_TYPES; t++)
        for (int method = 1; method <= ORDO_METHODS; method++) {
            ordo_type const type = inputs_types[t];
            ordo_type const weight_type = (ordo_type)(1 + test_rng_below(&rng, 8));
            ordo_nans const nans = (ordo_nans)test_rng_below(&rng, 3);
            size_t const    n = 1 + test_rng_below(&rng, MOST), size = ordo_type_size(type);
            size_t          all = 0;
            double          expected[QUANTILES], out[QUANTILES], middle, half;
            inputs_fill(test_rng_below(&rng, inputs_count()), type, keys, n, test_rng_next(&rng));
            for (size_t i = 0; i < n; i++) {
                unsigned const weight = (unsigned)test_rng_below(&rng, REPEATS);
                put_weight(weight_type, weights, i, weight);
                for (unsigned r = 0; r < weight; r++)
                    memcpy(repeated + all++ * size, (const char *)keys + i * size, size);
            }
            const test_context *const with = next_context();
            ordo_quantile_opts const  plain =
                ORDO_OPTS(ordo_quantile_opts, .method = (uint32_t)method, .nans = (uint32_t)nans);
            ordo_quantile_opts const opts = weighted(weights, weight_type, method, nans);
            testkit_case("repeats %s weights %s n=%zu method=%d nans=%d threads=%u",
                         ordo_type_name(type), ordo_type_name(weight_type), n, method, (int)nans,
                         with->threads);
            CHECK_STATUS(
                ORDO_OK,
                ordo_quantiles(with->ctx, type, repeated, all, some_q, QUANTILES, expected, &plain),
                with->ctx);
            CHECK_STATUS(ORDO_OK,
                         ordo_quantiles(with->ctx, type, keys, n, some_q, QUANTILES, out, &opts),
                         with->ctx);
            CHECK_BYTES(expected, out, sizeof out, sizeof *out);
            ordo_quantile_opts const plain_median =
                ORDO_OPTS(ordo_quantile_opts, .nans = (uint32_t)nans);
            ordo_quantile_opts const median = weighted(weights, weight_type, 0, nans);
            CHECK_STATUS(ORDO_OK,
                         ordo_median(with->ctx, type, repeated, all, &middle, &plain_median),
                         with->ctx);
            CHECK_STATUS(ORDO_OK, ordo_median(with->ctx, type, keys, n, &half, &median), with->ctx);
            CHECK_BYTES(&middle, &half, sizeof half, sizeof half);
        }
}

/* inverted_cdf by its definition. Eighths are exact in sums. */
static void test_floats(void)
{
    test_rng rng = {8};
    double   keys[MOST], weights[MOST], copies[MOST];
    for (int round = 0; round < 40; round++) {
        size_t const n = 1 + test_rng_below(&rng, MOST);
        double       total = 0, half, of_eighths;
        for (size_t i = 0; i < n; i++) {
            keys[i] = (double)test_rng_below(&rng, 50);
            weights[i] = (double)test_rng_below(&rng, 9) / 8;
            copies[i] = weights[i] * 8;
            total += weights[i];
        }
        for (size_t j = 0; j < QUANTILES; j++) {
            double                    expected = (double)NAN, out;
            const test_context *const with = next_context();
            ordo_quantile_opts const  opts =
                weighted(weights, ORDO_F64, ORDO_METHOD_INVERTED_CDF, ORDO_NANS_LAST);
            for (double key = 0; key < 50 && isnan(expected); key++) {
                double sum = 0;
                for (size_t i = 0; i < n; i++)
                    sum += keys[i] <= key ? weights[i] : 0;
                if (sum > 0 && sum / total >= some_q[j])
                    expected = key;
            }
            testkit_case("floats n=%zu q=%g", n, some_q[j]);
            CHECK_STATUS(ORDO_OK,
                         ordo_quantiles(with->ctx, ORDO_F64, keys, n, &some_q[j], 1, &out, &opts),
                         with->ctx);
            CHECK_BYTES(&expected, &out, sizeof out, sizeof out);
        }
        ordo_quantile_opts const small = weighted(weights, ORDO_F64, 0, ORDO_NANS_LAST);
        ordo_quantile_opts const large = weighted(copies, ORDO_F64, 0, ORDO_NANS_LAST);
        ordo_ctx *const          ctx = next_context()->ctx;
        CHECK_STATUS(ORDO_OK, ordo_median(ctx, ORDO_F64, keys, n, &half, &small), ctx);
        CHECK_STATUS(ORDO_OK, ordo_median(ctx, ORDO_F64, keys, n, &of_eighths, &large), ctx);
        CHECK_BYTES(&half, &of_eighths, sizeof half, sizeof half);
    }
}

/* Sums of floats that round: all threads and ISAs give the same bytes, by every method. */
static void test_threads(void)
{
    enum {
        MANY = 5000
    };
    test_rng rng = {13};
    float   *keys = test_keep(MANY * sizeof *keys);
    float   *weights = test_keep(MANY * sizeof *weights);
    for (size_t i = 0; i < MANY; i++) {
        keys[i] = (float)test_rng_below(&rng, 1000);
        weights[i] = (float)test_rng_below(&rng, 1 << 20) / 3.0f;
    }
    for (int method = 1; method <= ORDO_METHOD_NORMAL_UNBIASED; method++) {
        double first[QUANTILES], out[QUANTILES];
        for (size_t c = 0; c < context_count; c++) {
            ordo_quantile_opts const opts = weighted(weights, ORDO_F32, method, ORDO_NANS_OMIT);
            testkit_case("threads method=%d context=%zu", method, c);
            CHECK_STATUS(ORDO_OK,
                         ordo_quantiles(contexts[c].ctx, ORDO_F32, keys, MANY, some_q, QUANTILES,
                                        c == 0 ? first : out, &opts),
                         contexts[c].ctx);
            if (c > 0)
                CHECK_BYTES(first, out, sizeof out, sizeof *out);
        }
    }
}

/* Each segment has the result of a separate call: rows, columns, and offsets with an empty one. */
static void test_segments(void)
{
    enum {
        ROWS = 12,
        LENGTH = 17
    };
    static uint64_t const offsets[] = {2, 2, 9, 60, ROWS * LENGTH};
    ordo_segments const   layouts[] = {
          ORDO_OPTS(ordo_segments, .count = ROWS, .length = LENGTH),
          ORDO_OPTS(ordo_segments, .count = ROWS, .length = LENGTH, .stride = 1, .step = ROWS),
          ORDO_OPTS(ordo_segments, .count = 4, .offsets = offsets)};
    float    keys[ROWS * LENGTH], row[ROWS * LENGTH];
    uint16_t weights[ROWS * LENGTH], row_weights[ROWS * LENGTH];
    test_rng rng = {31};
    for (size_t i = 0; i < ROWS * LENGTH; i++) {
        keys[i] = test_rng_below(&rng, 9) == 0 ? NAN : (float)test_rng_below(&rng, 30);
        weights[i] = (uint16_t)test_rng_below(&rng, 4);
    }
    for (size_t which = 0; which < 3 * 3; which++) {
        const ordo_segments *const s = &layouts[which % 3];
        ordo_nans const            nans = (ordo_nans)(which / 3);
        ordo_ctx *const            ctx = next_context()->ctx;
        ordo_quantile_opts         all = weighted(weights, ORDO_U16, 0, nans);
        ordo_quantile_opts const   one = weighted(row_weights, ORDO_U16, 0, nans);
        double out[ROWS * QUANTILES], middles[ROWS], expected[QUANTILES], middle;
        all.segments = s;
        testkit_case("segments %zu nans=%d", which % 3, (int)nans);
        CHECK_STATUS(
            ORDO_OK,
            ordo_quantiles(ctx, ORDO_F32, keys, ROWS * LENGTH, some_q, QUANTILES, out, &all), ctx);
        CHECK_STATUS(ORDO_OK, ordo_median(ctx, ORDO_F32, keys, ROWS * LENGTH, middles, &all), ctx);
        for (size_t r = 0; r < s->count; r++) {
            size_t const n = s->offsets != NULL ? (size_t)(offsets[r + 1] - offsets[r]) : LENGTH;
            for (size_t i = 0; i < n; i++) {
                size_t const from = s->offsets != NULL ? (size_t)offsets[r] + i
                                    : s->step != 0     ? r + i * ROWS
                                                       : r * LENGTH + i;
                row[i] = keys[from];
                row_weights[i] = weights[from];
            }
            CHECK_STATUS(ORDO_OK,
                         ordo_quantiles(ctx, ORDO_F32, row, n, some_q, QUANTILES, expected, &one),
                         ctx);
            CHECK_STATUS(ORDO_OK, ordo_median(ctx, ORDO_F32, row, n, &middle, &one), ctx);
            CHECK_BYTES(expected, out + r * QUANTILES, sizeof expected, sizeof *expected);
            CHECK_BYTES(&middle, middles + r, sizeof middle, sizeof middle);
        }
    }
}

static void refuse(ordo_status status, const char *text, ordo_quantile_opts opts)
{
    static double const keys[3] = {1, 2, 3};
    ordo_ctx *const     ctx = contexts[0].ctx;
    double              out = 7;
    CHECK_STATUS(status, ordo_quantiles(ctx, ORDO_F64, keys, 3, some_q, 1, &out, &opts), ctx);
    if (status != ORDO_OK)
        CHECK(strstr(ordo_last_error(ctx), text) != NULL && out == 7);
}

static void test_refusals(void)
{
    double const       negative[3] = {1, -1, 1}, nan[3] = {1, 1, NAN}, infinite[3] = {INFINITY, 1};
    int32_t const      signed_weights[3] = {1, -1, -1};
    uint64_t const     large[3] = {(uint64_t)1 << 62, (uint64_t)1 << 62, 0};
    ordo_quantile_opts opts = weighted(negative, ORDO_F64, 0, ORDO_NANS_LAST);
    testkit_case("refusals");
    refuse(ORDO_E_ARG, "weights[1] is -1", opts);
    refuse(ORDO_E_ARG, "weights[2]", weighted(nan, ORDO_F64, 0, ORDO_NANS_LAST));
    refuse(ORDO_E_ARG, "weights[0]", weighted(infinite, ORDO_F64, 0, ORDO_NANS_LAST));
    refuse(ORDO_E_ARG, "weights[1] is -1", weighted(signed_weights, ORDO_I32, 0, ORDO_NANS_LAST));
    refuse(ORDO_E_ARG, "2^63", weighted(large, ORDO_U64, 0, ORDO_NANS_LAST));
    refuse(ORDO_E_ARG, "floats", weighted(nan, ORDO_F64, ORDO_METHOD_LOWER, ORDO_NANS_LAST));
    refuse(ORDO_E_ARG, "weight_type", weighted(nan, (ordo_type)0, 0, ORDO_NANS_LAST));
    refuse(ORDO_E_ARG, "weight_type", weighted(NULL, ORDO_F64, 0, ORDO_NANS_LAST));
    opts.algorithm = ORDO_ALGORITHM_RADIX;
    refuse(ORDO_E_ARG, "algorithm", opts);
    opts.algorithm = 0;
    opts.reserved2 = 1;
    refuse(ORDO_E_VERSION, "reserved2", opts);
}

int main(void)
{
    testkit_start();
    test_contexts_start();
    test_repeats();
    test_floats();
    test_threads();
    test_segments();
    test_refusals();
    return testkit_done();
}
