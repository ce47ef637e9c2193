/* test_select_seed.c - selections with an adversary who knows the sample, and with many ties.
 *
 * Results do not depend on the seed of a call. Keys placed at the positions of one seed's sample
 * mislead only that seed, as the report shows. Several selections from keys with one heavy value,
 * or with few values, need no sorted copy, as the report shows. */
#include "core/random.h"
#include "testkit.h"

#include <stdlib.h>
#include <string.h>

enum {
    N = TESTKIT_SANITIZED ? 100000 : 300000,
    MOST_K = 49,
    SEED = 11, /* known to the adversary */
    SEEDS = 4
};

static uint32_t *keys, *sorted;

static int compare_u32(const void *a, const void *b)
{
    uint32_t const x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* ---- Shapes ---- */

enum {
    UNIFORM,
    HALF_EQUAL,
    MOSTLY_EQUAL,
    TWO_HEAVY, /* two heavy values close to each other */
    FEW_VALUES,
    ALL_EQUAL,
    ENDS_HEAVY, /* the smallest and the largest key */
    DECOYS,     /* extreme keys at the positions that SEED draws */
    SHAPES
};
static const char *const names[SHAPES] = {"uniform",    "half equal", "mostly equal", "two heavy",
                                          "few values", "all equal",  "ends heavy",   "decoys"};

static uint32_t key_of(int shape, test_rng *rng)
{
    uint32_t const random = (uint32_t)test_rng_next(rng);
    uint64_t const part = test_rng_below(rng, 100);
    switch (shape) {
    case HALF_EQUAL:
        return part < 50 ? 123456789 : random;
    case MOSTLY_EQUAL:
        return part < 90 ? 123456789 : random;
    case TWO_HEAVY:
        return part < 40 ? 123456789 : part < 70 ? 123456790 : random;
    case FEW_VALUES:
        return (uint32_t)(part % 10) * 1000003;
    case ALL_EQUAL:
        return 77;
    case ENDS_HEAVY:
        return part < 30 ? 0 : part < 60 ? UINT32_MAX : random;
    default:
        return random;
    }
}

static void make_keys(int shape)
{
    test_rng       rng = {5};
    uint64_t const stream = ordo_random_sequence(SEED, N);
    for (size_t i = 0; i < N; i++)
        keys[i] = key_of(shape, &rng);
    for (size_t i = 0; shape == DECOYS && i < N / 16; i++)
        keys[ordo_random_below(ordo_random_at(stream, i), N)] = (uint32_t)(i % 2);
    memcpy(sorted, keys, N * sizeof *keys);
    qsort(sorted, N, sizeof *sorted, compare_u32);
}

/* ---- Calls ---- */

static ordo_report select_all(ordo_ctx *ctx, size_t count, bool descending)
{
    size_t      k[MOST_K];
    uint32_t    out[MOST_K], expected[MOST_K];
    ordo_report report = {.struct_size = sizeof report};
    for (size_t j = 0; j < count; j++) {
        k[j] = (j + 1) * N / (count + 1);
        expected[j] = sorted[descending ? N - 1 - k[j] : k[j]];
    }
    CHECK_STATUS(
        ORDO_OK,
        ordo_select(ctx, ORDO_U32, keys, N, k, count, out,
                    &ORDO_OPTS(ordo_select_opts, .flags = descending ? ORDO_DESCENDING : 0)),
        ctx);
    CHECK_BYTES(expected, out, count * sizeof *out, sizeof *out);
    CHECK_STATUS(ORDO_OK, ordo_last_report(ctx, &report), ctx);
    return report;
}

/* seed 0: another one for every call */
static ordo_ctx *context(uint64_t seed)
{
    ordo_ctx *ctx = NULL;
    CHECK_STATUS(ORDO_OK,
                 ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CPU, .threads = 2,
                                                  .seed = seed)),
                 NULL);
    return ctx;
}

static void test_shape(int shape)
{
    static const size_t counts[] = {1, 9, MOST_K};
    make_keys(shape);
    for (uint64_t seed = SEED; seed < SEED + SEEDS; seed++) {
        ordo_ctx *const ctx = context(seed);
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            testkit_case("%s, seed %d, %zu places", names[shape], (int)seed, counts[c]);
            (void)select_all(ctx, counts[c], false);
            (void)select_all(ctx, counts[c], true);
        }
        ordo_ctx_free(ctx);
    }
}

/* The samples of the test build are too small for these. */
#ifndef ORDO_TINY
static void test_decoys(void)
{
    ordo_ctx *const missing = context(SEED), *const hitting = context(SEED + 1);
    ordo_ctx *const fresh = context(0);
    int             missed = 0;
    testkit_case("extreme keys at the positions of the sample");
    make_keys(DECOYS);
    CHECK_EQ_U64(ORDO_STRATEGY_MISSED, select_all(missing, 1, false).facts.strategy);
    CHECK_EQ_U64(ORDO_STRATEGY_BRACKETS, select_all(hitting, 1, false).facts.strategy);
    for (int call = 0; call < 5; call++)
        missed += select_all(fresh, 1, false).facts.strategy == ORDO_STRATEGY_MISSED;
    CHECK(missed < 5);
    ordo_ctx_free(missing);
    ordo_ctx_free(hitting);
    ordo_ctx_free(fresh);
}

static void test_ties(void)
{
    static const int shapes[] = {HALF_EQUAL, MOSTLY_EQUAL, FEW_VALUES};
    ordo_ctx *const  ctx = context(SEED);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        testkit_case("%s, by cells", names[shapes[i]]);
        make_keys(shapes[i]);
        CHECK_EQ_U64(ORDO_STRATEGY_CELLS, select_all(ctx, MOST_K, false).facts.strategy);
    }
    ordo_ctx_free(ctx);
}
#endif

int main(void)
{
    testkit_start();
    keys = test_keep(N * sizeof *keys);
    sorted = test_keep(N * sizeof *sorted);
    for (int shape = 0; shape < SHAPES; shape++)
        test_shape(shape);
#ifndef ORDO_TINY
    test_decoys();
    test_ties();
#endif
    return testkit_done();
}
