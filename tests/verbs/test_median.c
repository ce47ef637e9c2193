/* test_median.c - one definition of the median: ordo_median, ordo_quantiles of 1/2, weights,
 * groups, windows and files give the same bytes, also where rounding, zeros and NaNs matter. The
 * method half_sum gives the bytes of numpy.median. (Processes: test_dist_brackets.c.) */
#include "inputs.h"
#include "ordo_external.h"
#include "tapes.h"
#include "testkit.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    MOST = 40,
    ROUNDS = 4000
};

static const double half = 0.5;

/* A key that is likely to round, to tie or to be a special value. */
static void draw(test_rng *rng, ordo_type type, uint64_t *key)
{
    static const double special[] = {0.0,         -0.0,         INFINITY, -INFINITY,
                                     (double)NAN, -(double)NAN, 5e-324,   -1e-310,
                                     DBL_MAX,     -DBL_MAX,     1.0,      3.0};
    *key = test_rng_next(rng);
    if (type == ORDO_F64 && test_rng_below(rng, 3) == 0)
        memcpy(key, &special[test_rng_below(rng, 12)], sizeof *key);
    else if (type == ORDO_F64)
        memcpy(key, &(double){(double)(int64_t)*key * 0x1p-20}, sizeof *key);
    else if (type == ORDO_F32 && test_rng_below(rng, 3) == 0)
        memcpy(key, &(float){(float)special[test_rng_below(rng, 6)]}, sizeof(float));
}

/* The median of the last window, which holds all keys. */
static ordo_status of_window(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n,
                             ordo_nans nans, ordo_method method, double *out)
{
    double                 all[MOST];
    ordo_moving_opts const opts = ORDO_OPTS(ordo_moving_opts, .min_periods = 1,
                                            .nans = (uint32_t)nans, .method = (uint32_t)method);
    ordo_status const      status =
        ordo_moving(ctx, ORDO_MOVING_MEDIAN, type, keys, n, n, ORDO_F64, all, &opts);
    *out = all[n - 1];
    return status;
}

static ordo_status of_group(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n,
                            ordo_nans nans, ordo_method method, double *out)
{
    uint8_t const     one[MOST] = {0};
    ordo_groups const groups = ORDO_OPTS(ordo_groups, .keys = one, .type = ORDO_U8, .capacity = 1);
    ordo_group_opts const opts =
        ORDO_OPTS(ordo_group_opts, .nans = (uint32_t)nans, .method = (uint32_t)method);
    return ordo_group_median(ctx, &groups, type, keys, n, out, &opts);
}

static ordo_status of_file(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n,
                           ordo_nans nans, ordo_method method, double *out)
{
    size_t const        size = ordo_type_size(type);
    tape                data = {.bytes = (char *)(uintptr_t)keys, .size = n * size};
    ordo_elements const elements = ORDO_OPTS(ordo_elements, .type = (uint32_t)type, .size = size);
    ordo_source const   from = ORDO_OPTS(ordo_source, .read = tape_read, .user = &data);
    /* AddressSanitizer writes an eighth of what a call allocates. */
    ordo_external_opts const opts = ORDO_OPTS(ordo_external_opts, .memory = 16 << 20);
    return method == ORDO_METHOD_DEFAULT
               ? ordo_external_median(ctx, &elements, &from, out, nans, &opts, NULL)
               : ordo_external_quantiles(ctx, &elements, &from, &half, 1, out, nans, method, &opts,
                                         NULL);
}

/* One more key for each unit of weight; only the linear median has weights. */
static ordo_status of_weights(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n,
                              ordo_nans nans, ordo_method method, double *out)
{
    static const uint8_t ones[MOST] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                       1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    ordo_quantile_opts const opts = ORDO_OPTS(ordo_quantile_opts, .nans = (uint32_t)nans,
                                              .weights = ones, .weight_type = ORDO_U8);
    return method == ORDO_METHOD_DEFAULT ? ordo_median(ctx, type, keys, n, out, &opts)
                                         : of_group(ctx, type, keys, n, nans, method, out);
}

/* Through rows: every row is the same array. */
static ordo_status of_rows(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n,
                           ordo_nans nans, ordo_method method, double *out)
{
    uint64_t                 copy[3 * MOST];
    double                   medians[3];
    size_t const             bytes = n * ordo_type_size(type);
    ordo_segments const      rows = ORDO_OPTS(ordo_segments, .count = 3, .length = n);
    ordo_quantile_opts const opts = ORDO_OPTS(ordo_quantile_opts, .nans = (uint32_t)nans,
                                              .method = (uint32_t)method, .segments = &rows);
    for (size_t r = 0; r < 3; r++)
        memcpy((char *)copy + r * bytes, keys, bytes);
    ordo_status const status = ordo_median(ctx, type, copy, 3 * n, medians, &opts);
    CHECK_BYTES(&medians[0], &medians[1], sizeof *medians, sizeof *medians);
    *out = medians[2];
    return status;
}

typedef ordo_status median_fn(ordo_ctx *ctx, ordo_type type, const void *keys, size_t n,
                              ordo_nans nans, ordo_method method, double *out);

static void test_one_definition(void)
{
    static median_fn *const  ways[] = {of_window, of_group, of_file, of_weights, of_rows};
    static ordo_method const methods[] = {ORDO_METHOD_DEFAULT, ORDO_METHOD_HALF_SUM};
    test_rng                 rng = {21};
    for (size_t round = 0; round < (TESTKIT_SANITIZED ? ROUNDS / 10 : ROUNDS); round++) {
        ordo_type const type = inputs_types[round % INPUTS_TYPES];
        size_t const    n = round % 3 == 0 ? 2 : 1 + test_rng_below(&rng, MOST);
        ordo_nans const nans = (ordo_nans)test_rng_below(&rng, 3);
        ordo_ctx *const ctx = next_context()->ctx;
        uint64_t        keys[MOST];
        for (size_t i = 0; i < n; i++) {
            uint64_t key;
            draw(&rng, type, &key);
            memcpy((char *)keys + i * ordo_type_size(type), &key, ordo_type_size(type));
        }
        for (size_t m = 0; m < 2; m++) {
            ordo_quantile_opts const opts = ORDO_OPTS(ordo_quantile_opts, .nans = (uint32_t)nans,
                                                      .method = (uint32_t)methods[m]);
            double                   expected, got;
            CHECK_STATUS(ORDO_OK, ordo_quantiles(ctx, type, keys, n, &half, 1, &expected, &opts),
                         ctx);
            testkit_case("%s n=%zu nans=%d method=%d", ordo_type_name(type), n, (int)nans,
                         (int)methods[m]);
            CHECK_STATUS(ORDO_OK, ordo_median(ctx, type, keys, n, &got, &opts), ctx);
            CHECK_BYTES(&expected, &got, sizeof got, sizeof got);
            for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
                testkit_case("%s n=%zu nans=%d method=%d way %zu", ordo_type_name(type), n,
                             (int)nans, (int)methods[m], w);
                CHECK_STATUS(ORDO_OK, ways[w](ctx, type, keys, n, nans, methods[m], &got), ctx);
                CHECK_BYTES(&expected, &got, sizeof got, sizeof got);
            }
        }
    }
}

/* Half the sum and half the distance from the upper key round differently. */
static void test_half_sum(void)
{
    static const double      keys[2] = {0.1, 0.7};
    ordo_quantile_opts const opts =
        ORDO_OPTS(ordo_quantile_opts, .method = (uint32_t)ORDO_METHOD_HALF_SUM);
    ordo_ctx *const ctx = contexts[0].ctx;
    double          linear, mean;
    size_t          different = 0;
    testkit_case("half_sum");
    for (int i = 0; i < 1000; i++) {
        double const pair[2] = {keys[0] + i * 1e-3, keys[1] + i * 3e-3};
        double const sum = pair[0] + pair[1], step = pair[1] - pair[0];
        CHECK_STATUS(ORDO_OK, ordo_median(ctx, ORDO_F64, pair, 2, &linear, NULL), ctx);
        CHECK_STATUS(ORDO_OK, ordo_median(ctx, ORDO_F64, pair, 2, &mean, &opts), ctx);
        CHECK(mean == sum / 2 && linear == pair[1] - step * 0.5);
        different += mean != linear;
    }
    CHECK(different > 10);
}

static void test_zeros_and_nans(void)
{
    static const struct {
        double keys[3];
        size_t n;
        double median;
    } cases[] = {{{-0.0}, 1, 0.0},
                 {{-0.0, -0.0}, 2, 0.0},
                 {{-1, -0.0, 1}, 3, 0.0},
                 {{1, 2, (double)NAN}, 3, 2.0},
                 {{1, (double)NAN}, 2, (double)NAN}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double out;
        testkit_case("zeros and NaNs %zu", i);
        CHECK_STATUS(ORDO_OK,
                     ordo_median(contexts[0].ctx, ORDO_F64, cases[i].keys, cases[i].n, &out, NULL),
                     contexts[0].ctx);
        CHECK_BYTES(&cases[i].median, &out, sizeof out, sizeof out);
    }
}

int main(void)
{
    testkit_start();
    test_contexts_start();
    test_one_definition();
    test_half_sum();
    test_zeros_and_nans();
    return testkit_done();
}
