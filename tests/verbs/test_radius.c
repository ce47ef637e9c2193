/* test_radius.c - ordo_radius and ordo_runs against the oracle: every type, shape and direction,
 * every n up to 200, ties of -0, +0 and NaNs, generated arrays of known radius, and exchanged keys.
 * On large arrays the algorithm of AUTO is compared with the sequential one. The sequences LR, RL
 * and DM are compared with their definitions. On a GPU, PREFIX takes the place of SEQUENTIAL. */
#include "inputs.h"
#include "oracle.h"
#include "testkit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SMALL = 200,
    SEQUENCES = 3000,
    LARGE = 200003
};

static guard_region input, sequences[3]; /* LR, RL, DM */

/* The algorithm of the device under test that computes the sequences. */
static ordo_algorithm supported(ordo_algorithm algorithm)
{
    return testkit_on_device() && algorithm == ORDO_ALGORITHM_SEQUENTIAL ? ORDO_ALGORITHM_PREFIX
                                                                         : algorithm;
}

static size_t radius_by(const test_context *with, ordo_type type, const void *keys, size_t n,
                        bool desc, ordo_algorithm algorithm)
{
    ordo_order_opts const opts = ORDO_OPTS(ordo_order_opts, .flags = desc ? ORDO_DESCENDING : 0,
                                           .algorithm = supported(algorithm));
    size_t                radius = SIZE_MAX;
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

/* ---- Sequences ---- */

typedef struct wanted {
    unsigned char *lr, *rl;
    uint64_t      *dm;
    size_t         radius;
} wanted;

/* The definitions. LR and RL are in the total order of a sort; DM compares keys that may tie. */
static void define(ordo_type type, const unsigned char *keys, size_t n, bool desc, wanted *w)
{
    size_t const size = ordo_type_size(type);
    for (size_t i = 0; i < n; i++) {
        bool const is_last = i == 0 || oracle_compare_total(type, keys, i, w->lr, i - 1, desc) > 0;
        memcpy(w->lr + i * size, is_last ? keys + i * size : w->lr + (i - 1) * size, size);
    }
    for (size_t i = n; i-- > 0;) {
        bool const is_first =
            i == n - 1 || oracle_compare_total(type, keys, i, w->rl, i + 1, desc) < 0;
        memcpy(w->rl + i * size, is_first ? keys + i * size : w->rl + (i + 1) * size, size);
    }
    w->radius = 0;
    for (size_t i = 0; i < n; i++) {
        size_t j = 0;
        while (j < i && oracle_compare(type, w->rl, i, w->lr, j, desc) >= 0)
            j++;
        w->dm[i] = i - j;
        w->radius = i - j > w->radius ? i - j : w->radius;
    }
}

/* Asks for the sequences of the mask (1: LR, 2: RL, 4: DM); the others stay unchanged. */
static void try_sequences(const test_context *with, ordo_type type, const void *keys, size_t n,
                          bool desc, unsigned mask, ordo_algorithm algorithm, const wanted *w)
{
    size_t const      size = ordo_type_size(type);
    size_t const      bytes[3] = {n * size, n * size, n * sizeof(uint64_t)};
    const void *const expected[3] = {w->lr, w->rl, w->dm};
    void             *out[3];
    size_t            radius = SIZE_MAX;
    for (size_t i = 0; i < 3; i++) {
        out[i] = guard_place(&sequences[i], bytes[i], (guard_side)(mask % 2));
        memset(out[i], 0xa5, bytes[i]);
    }
    ordo_order_opts const opts =
        ORDO_OPTS(ordo_order_opts, .flags = desc ? ORDO_DESCENDING : 0,
                  .algorithm = supported(algorithm), .lr = mask & 1 ? out[0] : NULL,
                  .rl = mask & 2 ? out[1] : NULL, .dm = mask & 4 ? out[2] : NULL);
    CHECK_STATUS(ORDO_OK, ordo_radius(with->ctx, type, keys, n, &radius, &opts), with->ctx);
    CHECK_EQ_U64(w->radius, radius);
    for (size_t i = 0; i < 3; i++) {
        if (mask >> i & 1)
            CHECK_BYTES(expected[i], out[i], bytes[i], i == 2 ? sizeof(uint64_t) : size);
        for (size_t b = 0; !(mask >> i & 1) && b < bytes[i]; b++)
            CHECK_EQ_U64(0xa5, ((const unsigned char *)out[i])[b]);
    }
}

static void test_sequences(test_rng *rng, size_t n, size_t draws)
{
    static unsigned char lr[SEQUENCES * 8], rl[SEQUENCES * 8];
    static uint64_t      dm[SEQUENCES];
    wanted               w = {lr, rl, dm, 0};
    for (size_t t = 0; t < INPUTS_TYPES; t++)
        for (size_t i = 0; i < draws; i++) {
            ordo_type const           type = inputs_types[t];
            size_t const              shape = test_rng_below(rng, inputs_count());
            bool const                desc = test_rng_below(rng, 2) != 0;
            const test_context *const with = any_context(rng);
            unsigned const            mask = 1 + (unsigned)test_rng_below(rng, 7);
            void *const keys = guard_place(&input, n * ordo_type_size(type), GUARD_END);
            inputs_fill(shape, type, keys, n, n + i);
            testkit_case_keys(inputs_name(shape), type, n, desc, with);
            define(type, keys, n, desc, &w);
            try_sequences(with, type, keys, n, desc, mask, ORDO_ALGORITHM_AUTO, &w);
            try_sequences(with, type, keys, n, desc, 7, ORDO_ALGORITHM_SEQUENTIAL, &w);
        }
}

/* The definitions by hand: ties are in order, NaNs are last, in both directions. */
static void test_sequences_by_hand(void)
{
    static const int32_t rise[6] = {3, 1, 2, 2, 5, 4}, high[6] = {3, 3, 3, 3, 5, 5};
    static const int32_t low[6] = {1, 1, 2, 2, 4, 4};
    static const double  real[4] = {NAN, 0.0, -0.0, 1}, rl_of_real[4] = {-0.0, -0.0, -0.0, 1};
    static const double  fall[4] = {1, 2, 1, NAN}, lr_of_fall[4] = {1, 1, 1, NAN};
    static const double  rl_of_fall[4] = {2, 2, 1, NAN};
    static uint64_t      displaced[6] = {0, 1, 2, 3, 0, 1}, of_real[4] = {0, 1, 2, 3};
    static uint64_t      of_fall[4] = {0, 1, 0, 0};
    const test_context  *with = &contexts[0];
    double               nans[4] = {NAN, NAN, NAN, NAN};
    wanted const integers = {(unsigned char *)(uintptr_t)high, (unsigned char *)(uintptr_t)low,
                             displaced, 3};
    wanted const reals = {(unsigned char *)nans, (unsigned char *)(uintptr_t)rl_of_real, of_real,
                          3};
    wanted const falls = {(unsigned char *)(uintptr_t)lr_of_fall,
                          (unsigned char *)(uintptr_t)rl_of_fall, of_fall, 1};
    testkit_case("sequences by hand");
    for (int a = ORDO_ALGORITHM_AUTO; a <= ORDO_ALGORITHM_SEQUENTIAL; a++) {
        try_sequences(with, ORDO_I32, rise, 6, false, 7, (ordo_algorithm)a, &integers);
        try_sequences(with, ORDO_F64, real, 4, false, 7, (ordo_algorithm)a, &reals);
        try_sequences(with, ORDO_F64, fall, 4, true, 7, (ordo_algorithm)a, &falls);
    }
}

/* The sequences of AUTO, by pieces, are those of one loop. */
static void test_sequences_agree(const test_context *with, ordo_type type, const void *keys,
                                 size_t n, bool desc)
{
    size_t const    size = ordo_type_size(type);
    wanted          w = {test_need(n * size), test_need(n * size), test_need(n * sizeof *w.dm), 0};
    ordo_order_opts opts = ORDO_OPTS(ordo_order_opts, .flags = desc ? ORDO_DESCENDING : 0,
                                     .algorithm = supported(ORDO_ALGORITHM_SEQUENTIAL), .lr = w.lr,
                                     .rl = w.rl, .dm = w.dm);
    CHECK_STATUS(ORDO_OK, ordo_radius(with->ctx, type, keys, n, &w.radius, &opts), with->ctx);
    try_sequences(with, type, keys, n, desc, 7, ORDO_ALGORITHM_AUTO, &w);
    free(w.lr);
    free(w.rl);
    free(w.dm);
}

static void test_sequences_refused(void)
{
    ordo_ctx *const       ctx = contexts[0].ctx;
    uint64_t              keys[8] = {0}, other[8] = {0};
    size_t                radius = 77;
    int                   sorted = 0;
    ordo_order_opts const cases[] = {
        ORDO_OPTS(ordo_order_opts, .lr = keys),
        ORDO_OPTS(ordo_order_opts, .rl = keys + 7),
        ORDO_OPTS(ordo_order_opts, .dm = keys),
        ORDO_OPTS(ordo_order_opts, .lr = other, .rl = other),
        ORDO_OPTS(ordo_order_opts, .rl = other, .dm = other),
        ORDO_OPTS(ordo_order_opts, .lr = (char *)other + 1),
        ORDO_OPTS(ordo_order_opts, .dm = (uint64_t *)(void *)((char *)other + 4)),
    };
    testkit_case("sequences that overlap or are misaligned");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_STATUS(ORDO_E_ARG, ordo_radius(ctx, ORDO_U64, keys, 8, &radius, &cases[i]), ctx);
        CHECK_STATUS(ORDO_E_ARG, ordo_is_sorted(ctx, ORDO_U64, keys, 8, &sorted, NULL, &cases[i]),
                     ctx);
        CHECK_STATUS(ORDO_E_ARG, ordo_runs(ctx, ORDO_U64, keys, 8, &radius, &cases[i]), ctx);
        CHECK_EQ_U64(77, radius);
    }
    for (uint32_t a = 2; a < 20; a++) {
        ordo_order_opts const opts = ORDO_OPTS(ordo_order_opts, .algorithm = a);
        bool const            for_gpus = a == ORDO_ALGORITHM_PREFIX || a == ORDO_ALGORITHM_SCANS;
        ordo_status const     expected = !for_gpus             ? ORDO_E_ARG
                                         : testkit_on_device() ? ORDO_OK
                                                               : ORDO_E_UNSUPPORTED;
        CHECK_STATUS(expected, ordo_radius(ctx, ORDO_U64, keys, 8, &radius, &opts), ctx);
        CHECK_STATUS(ORDO_E_ARG, ordo_runs(ctx, ORDO_U64, keys, 8, &radius, &opts), ctx);
    }
}

/* ---- Radius ---- */

/* Moves the key at `from` to `to` and shifts the keys between by one. */
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

/* Every shape as it is; sorted; and sorted with a few keys moved. */
static void test_shapes(test_rng *rng, size_t n, size_t draws)
{
    for (size_t t = 0; t < INPUTS_TYPES; t++)
        for (size_t i = 0; i < draws; i++) {
            ordo_type const           type = inputs_types[t];
            size_t const              size = ordo_type_size(type);
            size_t const              shape = test_rng_below(rng, inputs_count());
            bool const                desc = i % 2 != 0;
            guard_side const          side = (guard_side)test_rng_below(rng, 2);
            const test_context *const with = any_context(rng);
            unsigned char *const      keys = guard_place(&input, n * size, side);
            inputs_fill(shape, type, keys, n, n + i);
            testkit_case_keys(inputs_name(shape), type, n, desc, with);
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

/* Arrays of known radius from the generator. */
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
            testkit_case_keys("k-sorted", type, n, false, &contexts[c]);
            CHECK_EQ_U64(radii[i],
                         radius_by(&contexts[c], type, keys, n, false, ORDO_ALGORITHM_AUTO));
            CHECK_EQ_U64(radii[i],
                         radius_by(&contexts[c], type, keys, n, false, ORDO_ALGORITHM_SEQUENTIAL));
        }
}

/* Exchanged pairs whose distance grows through the array, then one key far from its place. */
static void test_planted(test_rng *rng, size_t n, size_t tries)
{
    uint32_t *const keys = guard_place(&input, n * sizeof *keys, GUARD_END);
    for (size_t i = 0; i < tries; i++) {
        const test_context *const with = any_context(rng);
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
        testkit_case_keys("growing radius", ORDO_U32, n, false, with);
        CHECK_EQ_U64(expected, radius_by(with, ORDO_U32, keys, n, false, ORDO_ALGORITHM_AUTO));
        keys[n - 1] = (uint32_t)(2 * (n / 3) + 1);
        size_t const far = radius_by(with, ORDO_U32, keys, n, false, ORDO_ALGORITHM_SEQUENTIAL);
        CHECK_EQ_U64(far, radius_by(with, ORDO_U32, keys, n, false, ORDO_ALGORITHM_AUTO));
    }
}

/* Both algorithms agree on every shape of a large array. */
static void test_agreement(test_rng *rng, size_t n)
{
    for (size_t shape = 0; shape < inputs_count(); shape++) {
        ordo_type const           type = inputs_types[test_rng_below(rng, INPUTS_TYPES)];
        bool const                desc = shape % 2 != 0;
        const test_context *const with = any_context(rng);
        void *const               keys = guard_place(&input, n * ordo_type_size(type), GUARD_START);
        inputs_fill(shape, type, keys, n, shape);
        testkit_case_keys(inputs_name(shape), type, n, desc, with);
        CHECK_EQ_U64(radius_by(with, type, keys, n, desc, ORDO_ALGORITHM_SEQUENTIAL),
                     radius_by(with, type, keys, n, desc, ORDO_ALGORITHM_AUTO));
        if (shape % 4 == 0)
            test_sequences_agree(with, type, keys, n, desc);
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

/* The size that ordo_radius_scratch returns is enough; half of it fails and writes no result. */
static void test_memory(void)
{
    static const ordo_algorithm ways[] = {ORDO_ALGORITHM_AUTO, ORDO_ALGORITHM_SEQUENTIAL,
                                          ORDO_ALGORITHM_AUTO};
    size_t const                n = 50000;
    double *const               keys = guard_place(&input, n * sizeof *keys, GUARD_END);
    void *const                 lr = guard_place(&sequences[0], n * sizeof *keys, GUARD_END);
    inputs_fill(0, ORDO_F64, keys, n, 1);
    for (size_t i = 0; i < 3; i++)
        for (int enough = 0; enough < 2; enough++) {
            ordo_order_opts const opts =
                ORDO_OPTS(ordo_order_opts, .algorithm = ways[i], .lr = i == 2 ? lr : NULL);
            ordo_ctx *const plain = test_context_make(3);
            size_t          bytes = 0, radius = 77;
            testkit_case("memory limit, algorithm %d", (int)ways[i]);
            CHECK_STATUS(ORDO_OK, ordo_radius_scratch(plain, ORDO_F64, n, &opts, &bytes), plain);
            ordo_ctx *const tight = CONTEXT(.threads = 3, .mem_limit = enough ? bytes : bytes / 2);
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
    test_contexts_start();
    input = guard_make(LARGE * 8);
    for (size_t i = 0; i < 3; i++)
        sequences[i] = guard_make((size_t)LARGE * 8);

    for (size_t n = 0; n <= SMALL; n += TESTKIT_SANITIZED ? 3 : 1)
        test_shapes(&rng, n, TESTKIT_SANITIZED ? 2 : 6);
    test_shapes(&rng, 1500, TESTKIT_SANITIZED ? 1 : 4);
    test_tie_rules();
    for (size_t n = 0; n <= SMALL; n += TESTKIT_SANITIZED ? 7 : 1)
        test_sequences(&rng, n, 1);
    test_sequences(&rng, SEQUENCES, TESTKIT_SANITIZED ? 1 : 4);
    test_sequences_by_hand();
    test_sequences_refused();
    test_generated(100);
    test_generated(TESTKIT_SANITIZED ? 20000 : LARGE);
    test_planted(&rng, 4000, 30);
    test_planted(&rng, LARGE, TESTKIT_SANITIZED ? 3 : 12);
    test_agreement(&rng, LARGE);
    if (!testkit_on_device())
        test_memory();
    return testkit_done();
}
