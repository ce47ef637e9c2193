/* test_sets.c - ordo_unique and ordo_search against the oracle's order: every type, shape,
 * direction, side and context; too little memory; refusals. */
#include "inputs.h"
#include "oracle.h"
#include "testkit.h"

#include <math.h>
#include <string.h>

enum {
    SMALL = 70,
    POWERS = (1 << 13) + 1,
    LARGE = 150001,
    NEEDLES = 9000,
    KEY = 8
};

static guard_region input, output, needle_region;
static char        *sorted, *expected;

/* ---- Distinct keys ---- */

/* Fills `expected` with the first of tied keys in order. Returns their number. */
static size_t expect_unique(ordo_type type, const void *keys, size_t n, bool desc)
{
    size_t const size = ordo_type_size(type);
    size_t       count = 0;
    oracle_sort(type, keys, n, desc, sorted);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || oracle_compare(type, sorted, i - 1, sorted, i, desc) != 0)
            memcpy(expected + count++ * size, sorted + i * size, size);
    return count;
}

static void try_unique(const test_context *with, ordo_type type, const void *keys, size_t n,
                       bool desc, size_t wanted)
{
    size_t const         size = ordo_type_size(type);
    char *const          out = guard_place(&output, n * size, GUARD_END);
    size_t               count = SIZE_MAX;
    ordo_sort_opts const opts = ORDO_OPTS(ordo_sort_opts, .flags = desc ? ORDO_DESCENDING : 0);
    CHECK_STATUS(ORDO_OK, ordo_unique(with->ctx, type, keys, n, out, &count, &opts), with->ctx);
    if (CHECK_EQ_U64(wanted, count))
        CHECK_BYTES(expected, out, count * size, size);
    CHECK(guard_intact(&output, n * size, GUARD_END));
}

static void test_shape(test_rng *rng, ordo_type type, size_t n, size_t shape, size_t draws)
{
    bool const  desc = test_rng_below(rng, 2) != 0;
    void *const keys = guard_place(&input, n * ordo_type_size(type), (guard_side)(n % 2));
    inputs_fill(shape, type, keys, n, n + 5);
    size_t const wanted = expect_unique(type, keys, n, desc);
    guard_readonly(&input, true);
    for (size_t i = 0; i < draws; i++) {
        const test_context *const with = draws < context_count ? any_context(rng) : &contexts[i];
        testkit_case_keys(inputs_name(shape), type, n, desc, with);
        try_unique(with, type, keys, n, desc, wanted);
    }
    guard_readonly(&input, false);
}

static void test_unique(test_rng *rng)
{
    for (size_t n = 0; n <= SMALL; n++)
        for (size_t t = 0; t < INPUTS_TYPES; t++)
            test_shape(rng, inputs_types[t], n, test_rng_below(rng, inputs_count()), 1);
    for (size_t shape = 0; shape < inputs_count(); shape++)
        for (size_t t = 0; t < INPUTS_TYPES; t++)
            test_shape(rng, inputs_types[t], 4500 + shape, shape, 2);
    for (size_t n = SMALL; inputs_next_size(&n, SMALL, POWERS);)
        test_shape(rng, inputs_types[test_rng_below(rng, INPUTS_TYPES)], n,
                   test_rng_below(rng, inputs_count()), 2);
    for (size_t shape = 0; shape < inputs_count(); shape += TESTKIT_SANITIZED ? 5 : 1)
        test_shape(rng, inputs_types[test_rng_below(rng, INPUTS_TYPES)], LARGE, shape,
                   context_count);
}

/* Many equal keys, a few rare ones, both zeros and several NaNs: the table has some of each. */
static void test_rare(test_rng *rng)
{
    size_t const  n = LARGE;
    double *const keys = guard_place(&input, n * sizeof *keys, GUARD_END);
    for (size_t i = 0; i < n; i++) {
        uint64_t const draw = test_rng_below(rng, 1000);
        keys[i] = draw < 600   ? (double)(draw % 7)
                  : draw < 900 ? (double)test_rng_below(rng, 100000) - 50000
                  : draw < 950 ? -0.0
                               : (draw % 2 ? (double)NAN : -(double)NAN);
    }
    for (int desc = 0; desc < 2; desc++) {
        size_t const wanted = expect_unique(ORDO_F64, keys, n, desc != 0);
        for (size_t c = 0; c < context_count; c++) {
            testkit_case_keys("rare keys", ORDO_F64, n, desc != 0, &contexts[c]);
            try_unique(&contexts[c], ORDO_F64, keys, n, desc != 0, wanted);
        }
    }
}

static void test_memory(void)
{
    double *const keys = guard_place(&input, LARGE * sizeof *keys, GUARD_END);
    size_t        bytes = 0;
    for (size_t i = 0; i < LARGE; i++)
        keys[i] = (double)(i % 1000);
    size_t const wanted = expect_unique(ORDO_F64, keys, LARGE, false);
    CHECK_STATUS(ORDO_OK, ordo_unique_scratch(contexts[0].ctx, ORDO_F64, LARGE, NULL, &bytes),
                 contexts[0].ctx);
    for (size_t limit = 1; limit <= bytes; limit = limit == bytes      ? bytes + 1
                                                   : limit * 8 < bytes ? limit * 8
                                                                       : bytes) {
        test_context with = {.ctx = CONTEXT(.threads = 1, .mem_limit = limit)};
        testkit_case("unique with %zu bytes of scratch", limit);
        try_unique(&with, ORDO_F64, keys, LARGE, false, wanted);
        ordo_ctx_free(with.ctx);
    }
}

/* ---- Searches ---- */

/* The number of keys that come before needle i, or with `after` also those that tie, by halving. */
static size_t place_of(ordo_type type, const void *keys, size_t n, const void *needles, size_t i,
                       bool desc, bool after)
{
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t const middle = lo + (hi - lo) / 2;
        if (oracle_compare(type, keys, middle, needles, i, desc) < (after ? 1 : 0))
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

static void try_search(const test_context *with, ordo_type type, const void *keys, size_t n,
                       const void *needles, size_t count, bool desc, bool after, ordo_type wide)
{
    size_t const           bytes = count * ordo_type_size(wide);
    void *const            index = guard_place(&output, bytes, GUARD_END);
    size_t                 wrong = count;
    ordo_search_opts const opts = ORDO_OPTS(ordo_search_opts, .flags = desc ? ORDO_DESCENDING : 0,
                                            .side = after ? ORDO_SIDE_RIGHT : ORDO_SIDE_LEFT);
    CHECK_STATUS(ORDO_OK, ordo_search(with->ctx, type, keys, n, needles, count, wide, index, &opts),
                 with->ctx);
    for (size_t i = count; i-- > 0;) {
        uint64_t const found =
            wide == ORDO_U32 ? ((const uint32_t *)index)[i] : ((const uint64_t *)index)[i];
        if (found != place_of(type, keys, n, needles, i, desc, after))
            wrong = i;
    }
    CHECK_EQ_U64(count, wrong); /* the first wrong needle */
    CHECK(guard_intact(&output, bytes, GUARD_END));
}

static void test_needles(test_rng *rng, ordo_type type, size_t n, size_t count, size_t shape)
{
    size_t const size = ordo_type_size(type);
    bool const   desc = test_rng_below(rng, 2) != 0, after = test_rng_below(rng, 2) != 0;
    char *const  keys = guard_place(&input, n * size, (guard_side)(n % 2));
    char *const  needles = guard_place(&needle_region, count * size, (guard_side)(count % 2));
    inputs_fill_sorted(shape, type, keys, n, desc, n + 9);
    inputs_fill(test_rng_below(rng, 2) ? shape : test_rng_below(rng, inputs_count()), type, needles,
                count, count);
    for (size_t i = 0; i < count / 2 && n > 0; i++) /* half of them are keys of the array */
        memcpy(needles + 2 * i * size, keys + test_rng_below(rng, n) * size, size);
    if (test_rng_below(rng, 2))
        inputs_sort(type, needles, count, desc);
    const test_context *const with = any_context(rng);
    testkit_case("search of %zu %s in %zu %s %s %s isa=%s threads=%u", count, ordo_type_name(type),
                 n, inputs_name(shape), desc ? "desc" : "asc", after ? "right" : "left", with->isa,
                 with->threads);
    try_search(with, type, keys, n, needles, count, desc, after,
               test_rng_below(rng, 2) ? ORDO_U32 : ORDO_U64);
}

static void test_search(test_rng *rng)
{
    for (size_t n = 0; n <= SMALL; n++)
        for (size_t t = 0; t < INPUTS_TYPES; t++)
            test_needles(rng, inputs_types[t], n, test_rng_below(rng, 40),
                         test_rng_below(rng, inputs_count()));
    for (size_t shape = 0; shape < inputs_count(); shape++)
        for (size_t t = 0; t < INPUTS_TYPES; t++)
            test_needles(rng, inputs_types[t], 900 + shape, 300 + test_rng_below(rng, 300), shape);
    for (size_t n = SMALL; inputs_next_size(&n, SMALL, POWERS);)
        test_needles(rng, inputs_types[test_rng_below(rng, INPUTS_TYPES)], n,
                     test_rng_below(rng, NEEDLES), test_rng_below(rng, inputs_count()));
    for (size_t t = 0; t < 2 * INPUTS_TYPES; t++)
        test_needles(rng, inputs_types[t / 2], LARGE - test_rng_below(rng, 9000), NEEDLES,
                     test_rng_below(rng, inputs_count()));
}

/* Keys that are not sorted: the places are numbers up to n. The last keys are random, so that the
 * place of the last needle of a block may come before that of the first. */
static void test_unsorted(test_rng *rng)
{
    const test_context *const with = any_context(rng);
    for (size_t n = LARGE - 3000; n < LARGE; n += 7) {
        uint32_t *const keys = guard_place(&input, n * sizeof *keys, GUARD_END);
        uint32_t *const needles = guard_place(&needle_region, NEEDLES * sizeof *needles, GUARD_END);
        uint32_t *const index = guard_place(&output, NEEDLES * sizeof *index, GUARD_END);
        size_t          beyond = 0;
        memset(keys, 0, n * sizeof *keys);
        for (size_t i = n - 40; i < n; i++)
            keys[i] = (uint32_t)test_rng_below(rng, 3);
        for (size_t i = 0; i < NEEDLES; i++)
            needles[i] = 1 + (i % 256 >= 128);
        testkit_case("search in %zu keys that are not sorted", n);
        CHECK_STATUS(
            ORDO_OK,
            ordo_search(with->ctx, ORDO_U32, keys, n, needles, NEEDLES, ORDO_U32, index, NULL),
            with->ctx);
        for (size_t i = 0; i < NEEDLES; i++)
            beyond += index[i] > n;
        CHECK_EQ_U64(0, beyond);
    }
}

/* ---- Refusals ---- */

static void test_refusals(void)
{
    ordo_ctx *const  ctx = contexts[0].ctx;
    float            keys[4] = {1, 2, 3, 4}, out[4] = {0};
    uint32_t         index[4] = {9, 9, 9, 9};
    size_t           count = 77;
    ordo_sort_opts   sort = ORDO_OPTS(ordo_sort_opts, .algorithm = ORDO_ALGORITHM_RADIX);
    ordo_search_opts side = ORDO_OPTS(ordo_search_opts, .side = 2);
    testkit_case("refusals");
    CHECK_STATUS(ORDO_E_ARG, ordo_unique(ctx, ORDO_F32, keys, 4, out, &count, &sort), ctx);
    sort.algorithm = 0;
    sort.flags = ORDO_ON_DEVICE;
    CHECK_STATUS(ORDO_E_VERSION, ordo_unique(ctx, ORDO_F32, keys, 4, out, &count, &sort), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_unique(ctx, ORDO_F32, keys, 4, keys, &count, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_unique(ctx, ORDO_F32, keys, 4, NULL, &count, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_unique(ctx, ORDO_F32, keys, 4, out, NULL, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_unique(ctx, (ordo_type)99, keys, 4, out, &count, NULL), ctx);
    CHECK(count == 77 && out[0] == 0);
    CHECK_STATUS(ORDO_E_ARG, ordo_search(ctx, ORDO_F32, keys, 4, keys, 4, ORDO_U32, index, &side),
                 ctx);
    side.side = 0;
    side.reserved = 1;
    CHECK_STATUS(ORDO_E_VERSION,
                 ordo_search(ctx, ORDO_F32, keys, 4, keys, 4, ORDO_U32, index, &side), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_search(ctx, ORDO_F32, keys, 4, out, 4, ORDO_F32, index, NULL),
                 ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_search(ctx, ORDO_F32, keys, 4, out, 4, ORDO_U32, keys, NULL),
                 ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_search(ctx, ORDO_F32, keys, 4, out, 4, ORDO_U32, out, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_search(ctx, ORDO_F32, NULL, 4, out, 4, ORDO_U32, index, NULL),
                 ctx);
    CHECK_STATUS(ORDO_E_ARG,
                 ordo_search(ctx, ORDO_F32, keys, (size_t)1 << 33, out, 4, ORDO_U32, index, NULL),
                 ctx);
    CHECK(index[0] == 9);
}

int main(void)
{
    test_rng rng = {43};
    testkit_start();
    test_contexts_start();
    input = guard_make(LARGE * KEY);
    output = guard_make(LARGE * KEY);
    needle_region = guard_make(NEEDLES * KEY);
    sorted = test_keep(LARGE * KEY);
    expected = test_keep(LARGE * KEY);
    test_unique(&rng);
    test_rare(&rng);
    test_memory();
    test_search(&rng);
    test_unsorted(&rng);
    test_refusals();
    return testkit_done();
}
