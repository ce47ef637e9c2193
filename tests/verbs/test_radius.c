/* test_radius.c - ordo_radius and ordo_runs against what they mean: every type, shape, direction,
 * every n up to 200, ties of -0, +0 and NaNs; small and large radii planted at every place; the
 * production path against the paper's for arrays of many pieces. */
#include "inputs.h"
#include "oracle.h"
#include "testkit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SMALL = 200,
    LARGE = 200003
};

static test_context contexts[TEST_MAX_CONTEXTS];
static size_t       context_count;
static guard_region input;

static size_t radius_by(const test_context *with, ordo_type type, const void *keys, size_t n,
                        bool desc, ordo_algorithm algorithm)
{
    ordo_order_opts const opts =
        ORDO_OPTS(ordo_order_opts, .flags = desc ? ORDO_DESCENDING : 0,
                  .algorithm = testkit_on_device() ? ORDO_ALGORITHM_AUTO : algorithm);
    size_t radius = SIZE_MAX;
    CHECK_STATUS(ORDO_OK, ordo_radius(with->ctx, type, keys, n, &radius, &opts), with->ctx);
    return radius;
}

static void try_radius(const test_context *with, ordo_type type, const void *keys, size_t n,
                       bool desc)
{
    size_t const          expected = oracle_radius(type, keys, n, desc);
    ordo_order_opts const opts = ORDO_OPTS(ordo_order_opts, .flags = desc ? ORDO_DESCENDING : 0);
    size_t                runs = SIZE_MAX;
    CHECK_EQ_U64(expected, radius_by(with, type, keys, n, desc, ORDO_ALGORITHM_AUTO));
    CHECK_EQ_U64(expected, radius_by(with, type, keys, n, desc, ORDO_ALGORITHM_SEQUENTIAL));
    CHECK_STATUS(ORDO_OK, ordo_runs(with->ctx, type, keys, n, &runs, &opts), with->ctx);
    CHECK_EQ_U64(oracle_runs(type, keys, n, desc), runs);
}

static void name_case(const char *what, ordo_type type, size_t n, bool desc,
                      const test_context *with)
{
    testkit_case("%s %s n=%zu %s isa=%s threads=%u", what, ordo_type_name(type), n,
                 desc ? "desc" : "asc", with->isa, with->threads);
}

/* Puts a[from] at a[to] and moves what lies between by one. */
static void move_key(unsigned char *keys, size_t size, size_t from, size_t to)
{
    unsigned char key[8];
    memcpy(key, keys + from * size, size);
    if (from < to)
        memmove(keys + from * size, keys + (from + 1) * size, (to - from) * size);
    else
        memmove(keys + (to + 1) * size, keys + to * size, (from - to) * size);
    memcpy(keys + to * size, key, size);
}

/* Any shape as it is; in order; and in order but for a few keys that were moved. */
static void test_shapes(test_rng *rng, size_t n, size_t draws)
{
    for (size_t t = 0; t < INPUTS_TYPES; t++)
        for (size_t i = 0; i < draws; i++) {
            ordo_type const           type = inputs_types[t];
            size_t const              size = ordo_type_size(type);
            size_t const              shape = test_rng_below(rng, inputs_count());
            bool const                desc = i % 2 != 0;
            guard_side const          side = (guard_side)test_rng_below(rng, 2);
            const test_context *const with = &contexts[test_rng_below(rng, context_count)];
            unsigned char *const      keys = guard_place(&input, n * size, side);
            inputs_fill(shape, type, keys, n, n + i);
            name_case(inputs_name(shape), type, n, desc, with);
            try_radius(with, type, keys, n, desc);
            inputs_sort(type, keys, n, desc);
            try_radius(with, type, keys, n, desc);
            for (size_t moves = 0; n > 1 && moves < 1 + n / 64; moves++) {
                size_t const from = test_rng_below(rng, n);
                size_t const reach = 1 + test_rng_below(rng, 1 + test_rng_below(rng, n));
                move_key(keys, size, from, from + reach < n ? from + reach : n - 1);
            }
            try_radius(with, type, keys, n, desc);
        }
}

/* The generator says what the radius is. */
static void test_generated(size_t n)
{
    static const size_t radii[] = {1, 2, 3, 15, 16, 17, 63, 64, 1000, 5000, 70000};
    for (size_t i = 0; i < sizeof radii / sizeof *radii; i++)
        for (size_t c = 0; c < context_count; c++) {
            ordo_type const     type = i % 2 ? ORDO_F64 : ORDO_U32;
            void *const         keys = guard_place(&input, n * ordo_type_size(type), GUARD_END);
            ordo_gen_opts const opts = ORDO_OPTS(ordo_gen_opts, .seed = i, .k = radii[i]);
            if (radii[i] >= n)
                continue;
            CHECK_STATUS(ORDO_OK,
                         ordo_gen(contexts[c].ctx, ORDO_DIST_KSORTED, type, keys, n, &opts),
                         contexts[c].ctx);
            name_case("k-sorted", type, n, false, &contexts[c]);
            CHECK_EQ_U64(radii[i],
                         radius_by(&contexts[c], type, keys, n, false, ORDO_ALGORITHM_AUTO));
            CHECK_EQ_U64(radii[i],
                         radius_by(&contexts[c], type, keys, n, false, ORDO_ALGORITHM_SEQUENTIAL));
        }
}

/* Radii that grow from piece to piece, that lie across a border, or that only far pairs make. */
static void test_planted(test_rng *rng, size_t n, size_t tries)
{
    uint32_t *const keys = guard_place(&input, n * sizeof *keys, GUARD_END);
    for (size_t i = 0; i < tries; i++) {
        const test_context *const with = &contexts[test_rng_below(rng, context_count)];
        size_t const              gap = 1 + test_rng_below(rng, 1 + n / 8);
        size_t const              first = test_rng_below(rng, 64);
        for (size_t j = 0; j < n; j++)
            keys[j] = (uint32_t)(2 * j);
        size_t expected = 0, reach = first;
        for (size_t at = test_rng_below(rng, gap + 1); at + reach < n; at += reach + gap, reach++) {
            uint32_t const key = keys[at];
            keys[at] = keys[at + reach];
            keys[at + reach] = key;
            expected = reach;
        }
        name_case("growing radius", ORDO_U32, n, false, with);
        CHECK_EQ_U64(expected, radius_by(with, ORDO_U32, keys, n, false, ORDO_ALGORITHM_AUTO));
        keys[n - 1] = (uint32_t)(2 * (n / 3) + 1);
        size_t const far = radius_by(with, ORDO_U32, keys, n, false, ORDO_ALGORITHM_SEQUENTIAL);
        CHECK_EQ_U64(far, radius_by(with, ORDO_U32, keys, n, false, ORDO_ALGORITHM_AUTO));
    }
}

/* Both ways agree on every shape, for arrays of many pieces. */
static void test_agreement(test_rng *rng, size_t n)
{
    for (size_t shape = 0; shape < inputs_count(); shape++) {
        ordo_type const           type = inputs_types[test_rng_below(rng, INPUTS_TYPES)];
        bool const                desc = shape % 2 != 0;
        const test_context *const with = &contexts[test_rng_below(rng, context_count)];
        void *const               keys = guard_place(&input, n * ordo_type_size(type), GUARD_START);
        inputs_fill(shape, type, keys, n, shape);
        name_case(inputs_name(shape), type, n, desc, with);
        CHECK_EQ_U64(radius_by(with, type, keys, n, desc, ORDO_ALGORITHM_SEQUENTIAL),
                     radius_by(with, type, keys, n, desc, ORDO_ALGORITHM_AUTO));
    }
}

static void test_tie_rules(void)
{
    static const struct {
        double keys[4];
        bool   desc;
        size_t radius, runs;
    } cases[] = {
        {{-0.0, 0.0, -0.0, 0.0}, false, 0, 1},
        {{0.0, -0.0, 0.0, -0.0}, true, 0, 1},
        {{NAN, -NAN, NAN, -NAN}, false, 0, 1},
        {{NAN, 1, 2, 3}, false, 3, 2},
        {{NAN, 3, 2, 1}, true, 3, 2},
        {{1, NAN, INFINITY, NAN}, false, 1, 2},
        {{3, 2, 1, NAN}, true, 0, 1},
        {{0.0, 1, -0.0, 2}, false, 1, 2},
        {{1, -0.0, 0.0, -INFINITY}, false, 3, 3},
        {{-INFINITY, NAN, 5, INFINITY}, true, 3, 3},
    };
    for (size_t c = 0; c < context_count; c++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            ordo_order_opts const opts =
                ORDO_OPTS(ordo_order_opts, .flags = cases[i].desc ? ORDO_DESCENDING : 0);
            size_t runs = SIZE_MAX;
            testkit_case("tie rule %zu isa=%s", i, contexts[c].isa);
            CHECK_EQ_U64(cases[i].radius, radius_by(&contexts[c], ORDO_F64, cases[i].keys, 4,
                                                    cases[i].desc, ORDO_ALGORITHM_AUTO));
            CHECK_EQ_U64(cases[i].radius, radius_by(&contexts[c], ORDO_F64, cases[i].keys, 4,
                                                    cases[i].desc, ORDO_ALGORITHM_SEQUENTIAL));
            CHECK_STATUS(ORDO_OK,
                         ordo_runs(contexts[c].ctx, ORDO_F64, cases[i].keys, 4, &runs, &opts),
                         contexts[c].ctx);
            CHECK_EQ_U64(cases[i].runs, runs);
        }
}

/* What ordo_radius_scratch says is enough, and the result is left alone when it is not there. */
static void test_memory(void)
{
    static const ordo_algorithm ways[] = {ORDO_ALGORITHM_AUTO, ORDO_ALGORITHM_SEQUENTIAL};
    size_t const                n = 50000;
    double *const               keys = guard_place(&input, n * sizeof *keys, GUARD_END);
    inputs_fill(0, ORDO_F64, keys, n, 1);
    for (size_t i = 0; i < 2; i++)
        for (int enough = 0; enough < 2; enough++) {
            ordo_order_opts const opts = ORDO_OPTS(ordo_order_opts, .algorithm = ways[i]);
            ordo_ctx             *plain = test_context_make(3), *tight;
            size_t                bytes = 0, radius = 77;
            testkit_case("memory limit, way %zu", i);
            CHECK_STATUS(ORDO_OK, ordo_radius_scratch(plain, ORDO_F64, n, &opts, &bytes), plain);
            ordo_ctx_opts const limit =
                ORDO_OPTS(ordo_ctx_opts, .threads = 3, .mem_limit = enough ? bytes : bytes / 2);
            CHECK_STATUS(ORDO_OK, ordo_ctx_create(&tight, &limit), NULL);
            CHECK_STATUS(enough ? ORDO_OK : ORDO_E_NOMEM,
                         ordo_radius(tight, ORDO_F64, keys, n, &radius, &opts), tight);
            CHECK(enough ? radius != 77 : radius == 77);
            ordo_ctx_free(tight);
            ordo_ctx_free(plain);
        }
}

int main(void)
{
    test_rng rng = {23};
    testkit_start();
    context_count = test_contexts_make(contexts);
    input = guard_make(LARGE * 8);

    for (size_t n = 0; n <= SMALL; n += TESTKIT_SANITIZED ? 3 : 1)
        test_shapes(&rng, n, TESTKIT_SANITIZED ? 2 : 6);
    test_shapes(&rng, 1500, TESTKIT_SANITIZED ? 1 : 4);
    test_tie_rules();
    test_generated(100);
    test_generated(TESTKIT_SANITIZED ? 20000 : LARGE);
    test_planted(&rng, 4000, 30);
    test_planted(&rng, LARGE, TESTKIT_SANITIZED ? 3 : 12);
    test_agreement(&rng, LARGE);
    if (!testkit_on_device())
        test_memory();

    guard_free(&input);
    test_contexts_free(contexts, context_count);
    return testkit_done();
}
