/* test_quantile.c - ordo_quantiles and ordo_median: all methods against the results of
 * numpy.quantile 2.4, other types and algorithms against f64, infinities, the NaN rules, many
 * quantiles in any order, names and refusals. */
#include "inputs.h"
#include "oracle.h"
#include "testkit.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    NUMPY_METHODS = ORDO_METHOD_NEAREST,
    QUANTILES = 11,
    LARGE = 100001
};

/* ---- Against NumPy ---- */

static const double numpy_keys[] = {3.25,   -1.5,  0.1, 7.75,  2.0, 2.0,
                                    -8.625, 100.5, 0.3, 0.001, 42.0};
static const double numpy_q[QUANTILES] = {0.0,   0.05, 0.1, 0.25, 1 / 3.0, 0.5,
                                          0.625, 0.75, 0.9, 0.95, 1.0};
static const size_t numpy_n[] = {11, 10, 1}; /* of one key, every quantile is that key */

/* [n is 11, or 10][method - 1][q], printed by NumPy without rounding */
/* clang-format off */
static const double numpy_says[2][NUMPY_METHODS][QUANTILES] = {
    {
        {-8.625, -8.625, -1.5, 0.001, 0.1, 2.0, 2.0, 7.75, 42.0, 100.5, 100.5},
        {-8.625, -8.625, -1.5, 0.001, 0.1, 2.0, 2.0, 7.75, 42.0, 100.5, 100.5},
        {-8.625, -8.625, -8.625, 0.001, 0.1, 2.0, 2.0, 3.25, 42.0, 42.0, 100.5},
        {-8.625, -8.625, -7.9125, -0.37424999999999997, 0.06699999999999999, 1.15, 2.0, 4.375,
         38.57500000000001, 68.32499999999996, 100.5},
        {-8.625, -8.268749999999999, -4.35, 0.025750000000000002, 0.13333333333333322, 2.0,
         2.46875, 6.625, 65.40000000000002, 97.57499999999996, 100.5},
        {-8.625, -8.625, -7.199999999999999, 0.001, 0.1, 2.0, 2.625, 7.75, 88.80000000000004,
         100.5, 100.5},
        {-8.625, -5.0625, -1.5, 0.0505, 0.1666666666666666, 2.0, 2.3125, 5.5, 42.0, 71.25,
         100.5},
        {-8.625, -8.625, -5.299999999999999, 0.017499999999999988, 0.12222222222222215, 2.0,
         2.520833333333334, 7.000000000000003, 73.19999999999999, 100.5, 100.5},
        {-8.625, -8.625, -5.0625, 0.019562500000000003, 0.125, 2.0, 2.5078125, 6.90625, 71.25,
         100.5, 100.5},
        {-8.625, -8.625, -1.5, 0.001, 0.1, 2.0, 2.0, 3.25, 42.0, 42.0, 100.5},
        {-8.625, -1.5, -1.5, 0.1, 0.3, 2.0, 3.25, 7.75, 42.0, 100.5, 100.5},
        {-8.625, -5.0625, -1.5, 0.0505, 0.2, 2.0, 2.625, 5.5, 42.0, 71.25, 100.5},
        {-8.625, -8.625, -1.5, 0.001, 0.1, 2.0, 2.0, 7.75, 42.0, 100.5, 100.5},
    },
    {
        {-8.625, -8.625, -8.625, 0.001, 0.1, 0.3, 2.0, 3.25, 7.75, 100.5, 100.5},
        {-8.625, -8.625, -5.0625, 0.001, 0.1, 1.15, 2.0, 3.25, 54.125, 100.5, 100.5},
        {-8.625, -8.625, -8.625, -1.5, 0.001, 0.3, 2.0, 3.25, 7.75, 100.5, 100.5},
        {-8.625, -8.625, -8.625, -0.7494999999999999, 0.033999999999999975, 0.3, 2.0, 2.625,
         7.75, 54.125, 100.5},
        {-8.625, -8.625, -5.0625, 0.001, 0.08349999999999998, 1.15, 2.0, 3.25, 54.125, 100.5,
         100.5},
        {-8.625, -8.625, -7.9125, -0.37424999999999997, 0.06699999999999999, 1.15, 2.0, 4.375,
         91.22500000000004, 100.5, 100.5},
        {-8.625, -5.418749999999999, -2.2125, 0.025750000000000002, 0.1, 1.15, 2.0, 2.9375,
         17.024999999999967, 58.7624999999999, 100.5},
        {-8.625, -8.625, -6.012499999999999, -0.12408333333333355, 0.078, 1.15, 2.0,
         3.6250000000000027, 66.49166666666662, 100.5, 100.5},
        {-8.625, -8.625, -5.775, -0.09281249999999999, 0.07937499999999999, 1.15, 2.0, 3.53125,
         63.39999999999997, 100.5, 100.5},
        {-8.625, -8.625, -8.625, 0.001, 0.1, 0.3, 2.0, 2.0, 7.75, 7.75, 100.5},
        {-8.625, -1.5, -1.5, 0.1, 0.1, 2.0, 2.0, 3.25, 100.5, 100.5, 100.5},
        {-8.625, -5.0625, -5.0625, 0.0505, 0.1, 1.15, 2.0, 2.625, 54.125, 54.125, 100.5},
        {-8.625, -8.625, -1.5, 0.001, 0.1, 0.3, 2.0, 3.25, 7.75, 100.5, 100.5},
    },
};
/* clang-format on */
_Static_assert(ORDO_METHODS == NUMPY_METHODS + 1,
               "values of each method; test_median.c has half_sum");

static ordo_quantile_opts with_method(int method)
{
    return ORDO_OPTS(ordo_quantile_opts, .method = (uint32_t)method);
}

static void test_numpy(void)
{
    double out[QUANTILES], only_key[QUANTILES];
    for (size_t j = 0; j < QUANTILES; j++)
        only_key[j] = numpy_keys[0];
    for (size_t i = 0; i < 3; i++)
        for (int m = 1; m <= NUMPY_METHODS; m++)
            for (size_t c = 0; c < context_count; c++) {
                ordo_quantile_opts const opts = with_method(m);
                testkit_case("numpy n=%zu %s threads=%u", numpy_n[i],
                             ordo_method_name((ordo_method)m), contexts[c].threads);
                CHECK_STATUS(ORDO_OK,
                             ordo_quantiles(contexts[c].ctx, ORDO_F64, numpy_keys, numpy_n[i],
                                            numpy_q, QUANTILES, out, &opts),
                             contexts[c].ctx);
                if (numpy_n[i] > 1)
                    CHECK_BYTES(numpy_says[i][m - 1], out, sizeof out, sizeof *out);
                else
                    CHECK_BYTES(only_key, out, sizeof out, sizeof *out);
            }
}

/* Quantiles beside an infinite key. numpy.quantile returns NaN in most of these cases, because it
 * multiplies an infinite difference by 0 or subtracts it from an infinity. */
static void test_infinite(void)
{
    static const struct {
        double keys[4], q, quantile, median;
        size_t n;
        int    method;
    } cases[] = {
        {{1, 2, INFINITY}, 0.25, 1.5, 2, 3, ORDO_METHOD_LINEAR},
        {{1, 2, INFINITY}, 0.5, 2, 2, 3, ORDO_METHOD_LINEAR},
        {{1, 2, INFINITY}, 0.625, INFINITY, 2, 3, ORDO_METHOD_LINEAR},
        {{1, 2, INFINITY}, 0.875, INFINITY, 2, 3, ORDO_METHOD_LINEAR},
        {{1, 2, INFINITY}, 1, INFINITY, 2, 3, ORDO_METHOD_LINEAR},
        {{1, 2, INFINITY}, 0.75, 2, 2, 3, ORDO_METHOD_LOWER},
        {{1, 2, INFINITY}, 1, INFINITY, 2, 3, ORDO_METHOD_HIGHER},
        {{1, 2, INFINITY}, 0.25, 1.25, 2, 3, ORDO_METHOD_HAZEN},
        {{1, 2, INFINITY}, 0.5, 2, 2, 3, ORDO_METHOD_AVERAGED_INVERTED_CDF},
        {{-INFINITY, 1, 2}, 0.25, -INFINITY, 1, 3, ORDO_METHOD_LINEAR},
        {{-INFINITY, 1, 2}, 0, -INFINITY, 1, 3, ORDO_METHOD_LINEAR},
        {{-INFINITY, 1, 2}, 0.375, -INFINITY, 1, 3, ORDO_METHOD_LINEAR},
        {{-INFINITY, 1, 2}, 0.5, 1, 1, 3, ORDO_METHOD_LINEAR},
        {{1, 2, INFINITY, INFINITY}, 0.25, 1.75, INFINITY, 4, ORDO_METHOD_LINEAR},
        {{1, 2, INFINITY, INFINITY}, 1, INFINITY, INFINITY, 4, ORDO_METHOD_LINEAR},
        {{1, 2, INFINITY, INFINITY}, 0.75, INFINITY, INFINITY, 4, ORDO_METHOD_LINEAR},
        {{-INFINITY, -INFINITY, 1}, 0.25, -INFINITY, -INFINITY, 3, ORDO_METHOD_HAZEN},
        {{-INFINITY, INFINITY}, 1, INFINITY, NAN, 2, ORDO_METHOD_LOWER},
        {{-INFINITY, INFINITY}, 0, -INFINITY, NAN, 2, ORDO_METHOD_LINEAR},
        {{-INFINITY, INFINITY}, 1, INFINITY, NAN, 2, ORDO_METHOD_LINEAR},
        {{-INFINITY, INFINITY}, 0.25, NAN, NAN, 2, ORDO_METHOD_LINEAR},
    };
    ordo_ctx *const ctx = contexts[0].ctx;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ordo_quantile_opts const opts = with_method(cases[i].method);
        double const             quantile = cases[i].quantile, middle = cases[i].median;
        double                   out;
        testkit_case("infinite case %zu", i);
        CHECK_STATUS(
            ORDO_OK,
            ordo_quantiles(ctx, ORDO_F64, cases[i].keys, cases[i].n, &cases[i].q, 1, &out, &opts),
            ctx);
        CHECK_BYTES(&quantile, &out, sizeof out, sizeof out);
        CHECK_STATUS(ORDO_OK, ordo_median(ctx, ORDO_F64, cases[i].keys, cases[i].n, &out, NULL),
                     ctx);
        CHECK_BYTES(&middle, &out, sizeof out, sizeof out);
    }
}

/* The difference of two finite keys overflows. By every method the quantiles are still finite, lie
 * between the smallest and the largest key, and rise with q. */
static void test_overflow(void)
{
    static const double keys[][4] = {{-1.7e308, 1.7e308, -1.7e308, 1.7e308},
                                     {-DBL_MAX, DBL_MAX, 0, -0.0},
                                     {-DBL_MAX, DBL_MAX, DBL_MAX, -DBL_MAX},
                                     {-1e308, 1.2e308, -0.5, 1.6e308},
                                     {DBL_MAX, DBL_MAX, DBL_MAX, DBL_MAX}};
    ordo_ctx *const     ctx = contexts[0].ctx;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        for (size_t n = 1; n <= 4; n++)
            for (int m = 1; m <= ORDO_METHODS; m++) {
                ordo_quantile_opts const opts = with_method(m);
                double                   before = -DBL_MAX, low = DBL_MAX, high = -DBL_MAX;
                for (size_t j = 0; j < n; j++) {
                    low = fmin(low, keys[i][j]);
                    high = fmax(high, keys[i][j]);
                }
                for (int step = 0; step <= 32; step++) {
                    double const q = step / 32.0;
                    double       out;
                    testkit_case("overflow keys %zu n=%zu %s q=%g", i, n,
                                 ordo_method_name((ordo_method)m), q);
                    CHECK_STATUS(ORDO_OK,
                                 ordo_quantiles(ctx, ORDO_F64, keys[i], n, &q, 1, &out, &opts),
                                 ctx);
                    CHECK(isfinite(out) && out >= low && out <= high && out >= before);
                    before = out;
                }
            }
}

static void test_overflow_values(void)
{
    static const double keys[] = {-1.7e308, 1.7e308};
    static const double q[] = {0, 0.25, 0.5, 0.75, 1};
    static const double expected[] = {-1.7e308, -0.85e308, 0, 0.85e308, 1.7e308};
    ordo_ctx *const     ctx = contexts[0].ctx;
    double              out[5], middle;
    testkit_case("keys whose difference overflows");
    CHECK_STATUS(ORDO_OK, ordo_quantiles(ctx, ORDO_F64, keys, 2, q, 5, out, NULL), ctx);
    CHECK_BYTES(expected, out, sizeof out, sizeof *out);
    CHECK_STATUS(ORDO_OK, ordo_median(ctx, ORDO_F64, keys, 2, &middle, NULL), ctx);
    CHECK(middle == 0);
    double const large[] = {DBL_MAX, DBL_MAX / 2, DBL_MAX, 1};
    CHECK_STATUS(ORDO_OK, ordo_median(ctx, ORDO_F64, large, 4, &middle, NULL), ctx);
    CHECK(middle == DBL_MAX / 4 + DBL_MAX / 2);
    /* 64-bit integers are rounded to f64 first. */
    int64_t const wide[] = {INT64_MIN, INT64_MAX};
    CHECK_STATUS(ORDO_OK, ordo_quantiles(ctx, ORDO_I64, wide, 2, q, 5, out, NULL), ctx);
    CHECK(out[0] == -0x1p63 && out[1] == -0x1p62 && out[2] == 0 && out[4] == 0x1p63);
    uint64_t const odd[] = {(UINT64_C(1) << 53) + 1};
    CHECK_STATUS(ORDO_OK, ordo_quantiles(ctx, ORDO_U64, odd, 1, q, 1, out, NULL), ctx);
    CHECK(out[0] == 0x1p53);
    float const floats[] = {-FLT_MAX, FLT_MAX};
    CHECK_STATUS(ORDO_OK, ordo_quantiles(ctx, ORDO_F32, floats, 2, q, 5, out, NULL), ctx);
    CHECK(out[1] == -(double)FLT_MAX / 2 && out[3] == (double)FLT_MAX / 2);
}

/* ---- Every type, and many quantiles ---- */

/* Keys converted to f64 have the same quantiles, by every algorithm, in reverse order and twice. */
static void test_types(test_rng *rng)
{
    static const size_t sizes[] = {1, 2, 7, 64, 1000, 30001, LARGE};
    void *const         keys = test_keep(LARGE * sizeof(double));
    double *const       wide = test_keep(LARGE * sizeof *wide);
    double              q[2 * QUANTILES], out[2 * QUANTILES], once[QUANTILES];
    for (size_t t = 0; t < INPUTS_TYPES; t++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            const test_context *const with = any_context(rng);
            int const                 method = 1 + (int)test_rng_below(rng, ORDO_METHODS);
            ordo_quantile_opts        opts = with_method(method);
            opts.nans = ORDO_NANS_OMIT;
            inputs_fill(test_rng_below(rng, inputs_count()), inputs_types[t], keys, sizes[i], i);
            for (size_t j = 0; j < sizes[i]; j++)
                wide[j] = oracle_as_double(inputs_types[t], keys, j);
            for (size_t j = 0; j < QUANTILES; j++) {
                q[2 * j] = q[2 * j + 1] = numpy_q[QUANTILES - 1 - j];
                testkit_case("%s n=%zu %s q=%g threads=%u", ordo_type_name(inputs_types[t]),
                             sizes[i], ordo_method_name((ordo_method)method), q[2 * j],
                             with->threads);
                CHECK_STATUS(ORDO_OK,
                             ordo_quantiles(contexts[0].ctx, ORDO_F64, wide, sizes[i], &q[2 * j], 1,
                                            &once[j], &opts),
                             contexts[0].ctx);
            }
            opts.algorithm = i % 3 == 1   ? ORDO_ALGORITHM_RADIX
                             : i % 6 == 2 ? ORDO_ALGORITHM_MERGE
                             : i % 3 == 2 ? ORDO_ALGORITHM_BITONIC
                                          : ORDO_ALGORITHM_AUTO;
            CHECK_STATUS(ORDO_OK,
                         ordo_quantiles(with->ctx, inputs_types[t], keys, sizes[i], q,
                                        2 * QUANTILES, out, &opts),
                         with->ctx);
            for (size_t j = 0; j < 2 * QUANTILES; j++)
                CHECK_BYTES(&once[j / 2], &out[j], sizeof *out, sizeof *out);
        }
}

static void test_medians(void)
{
    int64_t const  far_apart[] = {INT64_MIN, INT64_MAX, 0, 6};
    uint64_t const large[] = {UINT64_MAX, UINT64_MAX - 4096};
    uint8_t const  bytes[] = {250, 251, 7, 255};
    double const   zero[] = {-0.0};
    ordo_ctx      *ctx = contexts[0].ctx;
    double         out;
    testkit_case("medians");
    CHECK_STATUS(ORDO_OK, ordo_median(ctx, ORDO_I64, far_apart, 4, &out, NULL), ctx);
    CHECK(out == 3);
    CHECK_STATUS(ORDO_OK, ordo_median(ctx, ORDO_I64, far_apart, 3, &out, NULL), ctx);
    CHECK(out == 0);
    CHECK_STATUS(ORDO_OK, ordo_median(ctx, ORDO_U64, large, 2, &out, NULL), ctx);
    CHECK(out == 18446744073709549568.0);
    CHECK_STATUS(ORDO_OK, ordo_median(ctx, ORDO_U8, bytes, 4, &out, NULL), ctx);
    CHECK(out == 250.5);
    CHECK_STATUS(ORDO_OK, ordo_median(ctx, ORDO_F64, zero, 1, &out, NULL), ctx);
    CHECK(out == 0 && !signbit(out));
}

/* ---- NaNs ---- */

static void test_nans(void)
{
    float const        keys[] = {3, NAN, 1, 2, NAN};
    float const        none[] = {NAN, NAN};
    double const       q = 0.5, settled = NAN;
    double             out;
    ordo_ctx *const    ctx = contexts[0].ctx;
    ordo_quantile_opts opts = with_method(0);

    testkit_case("NaNs");
    CHECK_STATUS(ORDO_OK, ordo_quantiles(ctx, ORDO_F32, keys, 5, &q, 1, &out, &opts), ctx);
    CHECK(out == 3); /* the key at q = 0.5 is next to a NaN, which has no weight */
    CHECK_STATUS(ORDO_OK, ordo_median(ctx, ORDO_F32, keys, 5, &out, &opts), ctx);
    CHECK(out == 3);
    opts.nans = ORDO_NANS_OMIT;
    CHECK_STATUS(ORDO_OK, ordo_quantiles(ctx, ORDO_F32, keys, 5, &q, 1, &out, &opts), ctx);
    CHECK(out == 2);
    CHECK_STATUS(ORDO_OK, ordo_median(ctx, ORDO_F32, none, 2, &out, &opts), ctx);
    CHECK_BYTES(&settled, &out, sizeof out, sizeof out);
    opts.nans = ORDO_NANS_PROPAGATE;
    CHECK_STATUS(ORDO_OK, ordo_median(ctx, ORDO_F32, keys, 5, &out, &opts), ctx);
    CHECK_BYTES(&settled, &out, sizeof out, sizeof out);
    out = 0;
    CHECK_STATUS(ORDO_OK, ordo_median(ctx, ORDO_I32, NULL, 0, &out, NULL), ctx);
    CHECK_BYTES(&settled, &out, sizeof out, sizeof out);
}

/* ---- Places ---- */

/* Of the keys 0, 1, 2 ... a quantile is its place. */
static void test_places(void)
{
    enum {
        MOST = 11
    };
    double keys[MOST], values[QUANTILES], way[QUANTILES];
    size_t sizes[QUANTILES], below[QUANTILES], above[QUANTILES];

    for (size_t i = 0; i < MOST; i++)
        keys[i] = (double)i;
    for (size_t n = 1; n <= MOST; n++)
        for (int m = 1; m <= ORDO_METHODS; m++) {
            ordo_quantile_opts const opts = with_method(m);
            testkit_case("places of %s, n = %zu", ordo_method_name((ordo_method)m), n);
            for (size_t j = 0; j < QUANTILES; j++)
                sizes[j] = n;
            bool const is_key = ordo_quantile_places((ordo_method)m, sizes, numpy_q, QUANTILES,
                                                     below, above, way) != 0;
            CHECK_STATUS(ORDO_OK,
                         ordo_quantiles(contexts[0].ctx, ORDO_F64, keys, n, numpy_q, QUANTILES,
                                        values, &opts),
                         contexts[0].ctx);
            for (size_t j = 0; j < QUANTILES; j++) {
                CHECK(below[j] <= above[j] && above[j] < n && way[j] >= 0 && way[j] <= 1);
                CHECK(!is_key || below[j] == above[j]);
                double const place = (double)below[j] + way[j] * (double)(above[j] - below[j]);
                CHECK(fabs(values[j] - place) < 1e-12);
            }
        }
    CHECK(ordo_quantile_places(ORDO_METHOD_LOWER, NULL, NULL, 0, NULL, NULL, NULL) == 1);
    CHECK(ordo_quantile_places(ORDO_METHOD_LINEAR, NULL, NULL, 0, NULL, NULL, NULL) == 0);
}

/* ---- Names and refusals ---- */

static void test_names(void)
{
    testkit_case("names of methods");
    for (int m = 1; m <= ORDO_METHODS; m++)
        CHECK_EQ_U64(m, ordo_method_parse(ordo_method_name((ordo_method)m)));
    CHECK(strcmp(ordo_method_name(ORDO_METHOD_LINEAR), "linear") == 0);
    CHECK(strcmp(ordo_method_name(ORDO_METHOD_HALF_SUM), "half_sum") == 0);
    CHECK(ordo_method_name(ORDO_METHOD_DEFAULT) == NULL);
    CHECK(ordo_method_name((ordo_method)(ORDO_METHODS + 1)) == NULL);
    CHECK(ordo_method_parse("Linear") == 0 && ordo_method_parse(NULL) == 0);
}

static void test_refusals(void)
{
    ordo_ctx *const    ctx = contexts[0].ctx;
    double             keys[3] = {1, 2, 3}, q[2] = {0.5, 1.5}, out[2] = {9, 9};
    ordo_quantile_opts opts = with_method(ORDO_METHODS + 1);

    testkit_case("refusals");
    CHECK_STATUS(ORDO_E_ARG, ordo_quantiles(ctx, ORDO_F64, keys, 3, q, 2, out, NULL), ctx);
    CHECK(strstr(ordo_last_error(ctx), "q[1] is 1.5") != NULL);
    q[1] = NAN;
    CHECK_STATUS(ORDO_E_ARG, ordo_quantiles(ctx, ORDO_F64, keys, 3, q, 2, out, NULL), ctx);
    q[1] = -0.25;
    CHECK_STATUS(ORDO_E_ARG, ordo_quantiles(ctx, ORDO_F64, keys, 3, q, 2, out, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_quantiles(ctx, ORDO_F64, keys, 3, q, 1, out, &opts), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_quantiles(ctx, ORDO_F64, keys, 3, NULL, 1, out, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_quantiles(ctx, ORDO_F64, keys, 3, q, 1, NULL, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_quantiles(ctx, ORDO_F64, keys, 3, q, 1, q, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_quantiles(ctx, ORDO_F64, keys, 3, q, 1, keys, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_median(ctx, ORDO_F64, NULL, 3, out, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_median(ctx, ORDO_F64, keys, 3, NULL, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG,
                 ordo_median(ctx, ORDO_F64, keys, 3, out,
                             &ORDO_OPTS(ordo_quantile_opts, .method = ORDO_METHOD_HAZEN)),
                 ctx);
    opts = with_method(0);
    opts.nans = ORDO_NANS_PROPAGATE + 1;
    CHECK_STATUS(ORDO_E_ARG, ordo_median(ctx, ORDO_F64, keys, 3, out, &opts), ctx);
    opts = with_method(0);
    opts.reserved = 1;
    CHECK_STATUS(ORDO_E_VERSION, ordo_median(ctx, ORDO_F64, keys, 3, out, &opts), ctx);
    opts = with_method(0);
    opts.flags = ORDO_DESCENDING;
    CHECK_STATUS(ORDO_E_VERSION, ordo_median(ctx, ORDO_F64, keys, 3, out, &opts), ctx);
    CHECK(out[0] == 9 && out[1] == 9);
    CHECK_STATUS(ORDO_OK, ordo_quantiles(ctx, ORDO_F64, keys, 3, NULL, 0, NULL, NULL), ctx);
}

int main(void)
{
    test_rng rng = {37};
    testkit_start();
    test_contexts_start();
    test_numpy();
    test_infinite();
    test_overflow();
    test_overflow_values();
    test_types(&rng);
    test_medians();
    test_nans();
    test_places();
    test_names();
    test_refusals();
    return testkit_done();
}
