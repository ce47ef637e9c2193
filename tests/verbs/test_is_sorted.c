/* test_is_sorted.c - ordo_is_sorted against the oracle: every type, shape and direction; the first
 * of several violations at every place; equal keys but for one; NaNs last in both directions and
 * tied with each other. */
#include "inputs.h"
#include "oracle.h"
#include "testkit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SMALL = 3 * 64 + 3,
    POWERS = (1 << 14) + 1,
    LARGE = 200003
};

static guard_region input;

static void try_sorted(const test_context *with, ordo_type type, const void *keys, size_t n,
                       bool desc)
{
    size_t const          expected = oracle_first_violation(type, keys, n, desc);
    int                   sorted = -1;
    size_t                where = SIZE_MAX;
    ordo_order_opts const opts = ORDO_OPTS(ordo_order_opts, .flags = desc ? ORDO_DESCENDING : 0);

    CHECK_STATUS(ORDO_OK, ordo_is_sorted(with->ctx, type, keys, n, &sorted, &where, &opts),
                 with->ctx);
    CHECK_EQ_U64(expected == n, sorted);
    CHECK_EQ_U64(expected, where);
}

/* Every shape as it is, then sorted. */
static void test_shapes(test_rng *rng, size_t n, size_t draws)
{
    for (size_t t = 0; t < INPUTS_TYPES; t++)
        for (size_t i = 0; i < draws; i++) {
            ordo_type const  type = inputs_types[t];
            size_t const     shape = test_rng_below(rng, inputs_count());
            bool const       desc = i % 2 != 0;
            guard_side const side = (guard_side)test_rng_below(rng, 2);
            void *const      keys = guard_place(&input, n * ordo_type_size(type), side);
            inputs_fill(shape, type, keys, n, n);
            for (int ordered = 0; ordered < 2; ordered++) {
                const test_context *const with = any_context(rng);
                if (ordered)
                    inputs_sort(type, keys, n, desc);
                testkit_case_keys(inputs_name(shape), type, n, desc, with);
                try_sorted(with, type, keys, n, desc);
            }
        }
}

/* A sorted array in which one or two keys are replaced by a key that is out of order. */
static void test_planted(test_rng *rng, size_t n, size_t step)
{
    for (size_t t = 0; t < INPUTS_TYPES; t++) {
        ordo_type const type = inputs_types[t];
        size_t const    size = ordo_type_size(type);
        for (size_t at = 0; at < n; at += step) {
            bool const                desc = test_rng_below(rng, 2) != 0;
            const test_context *const with = any_context(rng);
            unsigned char *const      keys = guard_place(&input, n * size, GUARD_END);
            inputs_fill_sorted(test_rng_below(rng, inputs_count()), type, keys, n, desc, at);
            memcpy(keys + at * size, keys + (desc ? n - 1 : 0) * size, size);
            if (at % 3 == 0)
                memcpy(keys + (n - 1) * size, keys + n / 2 * size, size);
            testkit_case_keys("planted violation", type, n, desc, with);
            try_sorted(with, type, keys, n, desc);
        }
    }
}

/* Cases that a comparison by < gets wrong. */
static void test_nan_rules(void)
{
    static const struct {
        double keys[4];
        bool   desc;
        size_t where;
    } cases[] = {
        {{1, 2, NAN, NAN}, false, 4},
        {{2, 1, NAN, -NAN}, true, 4},
        {{NAN, 1, 2, 3}, false, 1},
        {{NAN, 3, 2, 1}, true, 1},
        {{1, NAN, INFINITY, NAN}, false, 2},
        {{-0.0, 0.0, -0.0, 0.0}, false, 4},
        {{0.0, -0.0, 0.0, -0.0}, true, 4},
        {{-INFINITY, 0, INFINITY, NAN}, false, 4},
        {{1, 2, 2, 1}, false, 3},
        {{3, 3, 4, 1}, true, 2},
        {{NAN, NAN, -NAN, NAN}, false, 4},
        {{1, -INFINITY, NAN, -INFINITY}, true, 3},
    };
    for (size_t c = 0; c < context_count; c++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            ordo_order_opts const opts =
                ORDO_OPTS(ordo_order_opts, .flags = cases[i].desc ? ORDO_DESCENDING : 0);
            int    sorted = -1;
            size_t where = SIZE_MAX;
            testkit_case("NaN rule %zu isa=%s", i, contexts[c].isa);
            CHECK_STATUS(
                ORDO_OK,
                ordo_is_sorted(contexts[c].ctx, ORDO_F64, cases[i].keys, 4, &sorted, &where, &opts),
                contexts[c].ctx);
            CHECK_EQ_U64(cases[i].where, where);
            CHECK_EQ_U64(cases[i].where == 4, sorted);
            CHECK_STATUS(
                ORDO_OK,
                ordo_is_sorted(contexts[c].ctx, ORDO_F64, cases[i].keys, 4, &sorted, NULL, &opts),
                contexts[c].ctx);
            CHECK_EQ_U64(cases[i].where == 4, sorted);
        }
}

/* Sorted floats whose signs change at every place around the blocks of the loop, with zeros of both
 * signs there and NaNs of both signs at the end; then one key is replaced by another of them. */
static void test_signs(test_rng *rng, size_t n, size_t step)
{
    double *const all = malloc(n * sizeof *all);
    for (size_t change = 0; change <= n; change += step)
        for (int i = 0; i < 8; i++) {
            bool const                desc = i & 1, wide = i & 2, broken = i & 4;
            const test_context *const with = any_context(rng);
            size_t const              zeros = test_rng_below(rng, 200), nans = change % 3 * 70;
            void *const keys = guard_place(&input, n * (wide ? sizeof(double) : sizeof(float)),
                                           (guard_side)test_rng_below(rng, 2));
            for (size_t j = 0; j < n; j++) {
                double const key = (double)j - (double)change,
                             sign = test_rng_below(rng, 2) ? 1 : -1;
                bool const is_zero = key > 0 ? key <= (double)zeros : -key <= (double)zeros;
                all[j] = j + nans >= n ? sign * NAN : is_zero ? sign * 0.0 : desc ? -key : key;
            }
            if (broken)
                all[test_rng_below(rng, n)] = all[test_rng_below(rng, n)];
            for (size_t j = 0; j < n; j++)
                if (wide)
                    ((double *)keys)[j] = all[j];
                else
                    ((float *)keys)[j] = (float)all[j];
            ordo_type const type = wide ? ORDO_F64 : ORDO_F32;
            testkit_case_keys("both signs", type, n, desc, with);
            try_sorted(with, type, keys, n, desc);
        }
    free(all);
}

/* Equal keys but for one, at every place of a block and around its ends. The first and the last key
 * are equal, so that the loop for equal keys reads all of them. */
static void test_constant(test_rng *rng, size_t n, size_t step)
{
    for (size_t t = 0; t < INPUTS_TYPES; t++) {
        ordo_type const type = inputs_types[t];
        size_t const    size = ordo_type_size(type);
        char *const     keys = guard_place(&input, n * size, (guard_side)test_rng_below(rng, 2));
        for (size_t at = 0; at < n; at += 1 + test_rng_below(rng, step)) {
            bool const                desc = test_rng_below(rng, 2) != 0;
            const test_context *const with = any_context(rng);
            memset(keys, 0x11, n * size);
            keys[at * size + size - 1] = (char)(test_rng_below(rng, 2) != 0 ? 0x10 : 0x12);
            testkit_case_keys("constant but for one", type, n, desc, with);
            try_sorted(with, type, keys, n, desc);
        }
    }
}

int main(void)
{
    test_rng rng = {17};
    testkit_start();
    test_contexts_start();
    input = guard_make(LARGE * 8);

    for (size_t n = 0; n <= SMALL; n++)
        test_shapes(&rng, n, TESTKIT_SANITIZED ? 2 : 16);
    for (size_t n = SMALL; inputs_next_size(&n, SMALL, POWERS);)
        test_shapes(&rng, n, 4);
    test_planted(&rng, 67, 1);
    test_planted(&rng, 1100, TESTKIT_SANITIZED ? 53 : 3);
    test_planted(&rng, TESTKIT_SANITIZED ? LARGE / 2 : LARGE, 60000);
    test_constant(&rng, 67, 1);
    test_constant(&rng, 40000, TESTKIT_SANITIZED ? 8000 : 800);
    test_nan_rules();
    test_signs(&rng, 70, 1);
    test_signs(&rng, 3000, TESTKIT_SANITIZED ? 300 : 37);
    return testkit_done();
}
