/* test_select.c - ordo_select against a sorted copy: every type, shape, direction, algorithm, NaN
 * rule and number of threads; positions in any order and repeated; too little memory; refusals.
 *
 * The copy is sorted by the order of bits that ordo.h settles for keys, so answers are compared
 * byte by byte. */
#include "inputs.h"
#include "oracle.h"
#include "testkit.h"

#include <stdlib.h>
#include <string.h>

enum {
    SMALL = 200,
    POWERS = (1 << 15) + 1,
    LARGE = 200003,
    KEY = 8,
    MANY = 100
};

static const ordo_algorithm algorithms[] = {ORDO_ALGORITHM_AUTO, ORDO_ALGORITHM_RADIX,
                                            ORDO_ALGORITHM_BITONIC};

static test_context contexts[TEST_MAX_CONTEXTS];
static size_t       context_count;
static guard_region input, output;
static void        *sorted; /* what the k-th keys are */
static void        *expected;
static size_t      *wanted;

/* ---- The oracle ---- */

static ordo_type sort_type;
static bool      sort_desc;

static int compare_keys(const void *a, const void *b)
{
    return oracle_compare_total(sort_type, a, 0, b, 0, sort_desc);
}

typedef struct sample {
    ordo_type   type;
    size_t      n, shape, nans;
    bool        desc;
    const void *keys;
} sample;

static sample make_sample(ordo_type type, size_t n, size_t shape, bool desc, guard_side side)
{
    size_t const bytes = n * ordo_type_size(type);
    void *const  keys = guard_place(&input, bytes, side);
    sample       s = {type, n, shape, 0, desc, keys};
    inputs_fill(shape, type, keys, n, n + 1);
    memcpy(sorted, keys, bytes);
    sort_type = type;
    sort_desc = desc;
    if (n > 0)
        qsort(sorted, n, ordo_type_size(type), compare_keys);
    for (size_t i = 0; i < n; i++)
        s.nans += oracle_is_nan(type, keys, i);
    return s;
}

/* ---- One call ---- */

static void try_select(const sample *s, const test_context *with, size_t count,
                       ordo_algorithm algorithm, ordo_nans nans)
{
    size_t const           size = ordo_type_size(s->type);
    void *const            out = guard_place(&output, count * size, GUARD_END);
    bool                   refused = false;
    ordo_select_opts const opts =
        ORDO_OPTS(ordo_select_opts, .flags = s->desc ? ORDO_DESCENDING : 0, .nans = (uint32_t)nans,
                  .algorithm = (uint32_t)algorithm);

    testkit_case("%s n=%zu %s %s count=%zu k=%zu algorithm=%d nans=%d isa=%s threads=%u",
                 ordo_type_name(s->type), s->n, inputs_name(s->shape), s->desc ? "desc" : "asc",
                 count, count > 0 ? wanted[0] : 0, (int)algorithm, (int)nans, with->isa,
                 with->threads);
    for (size_t j = 0; j < count; j++) {
        memcpy((char *)expected + j * size, (const char *)sorted + wanted[j] * size, size);
        refused |= nans == ORDO_NANS_OMIT && wanted[j] >= s->n - s->nans;
        if (nans == ORDO_NANS_PROPAGATE && s->nans > 0) {
            uint32_t const nan32 = UINT32_C(0x7fc00000);
            uint64_t const nan64 = UINT64_C(0x7ff8000000000000);
            memcpy((char *)expected + j * size,
                   s->type == ORDO_F32 ? (const void *)&nan32 : (const void *)&nan64, size);
        }
    }
    memset(out, 0xee, count * size);
    if (refused)
        memset(expected, 0xee, count * size);
    CHECK_STATUS(refused ? ORDO_E_ARG : ORDO_OK,
                 ordo_select(with->ctx, s->type, s->keys, s->n, wanted, count, out, &opts),
                 with->ctx);
    CHECK_BYTES(expected, out, count * size, size);
    CHECK(guard_intact(&output, count * size, GUARD_END));
}

/* count positions below n: the ends, neighbours, repeats, and any. */
static void draw_wanted(test_rng *rng, size_t n, size_t count)
{
    for (size_t j = 0; j < count; j++) {
        size_t const kind = test_rng_below(rng, 6);
        wanted[j] = test_rng_below(rng, n);
        if (kind == 0)
            wanted[j] = test_rng_below(rng, 2) * (n - 1);
        else if (kind == 1 && j > 0)
            wanted[j] = wanted[j - 1];
        else if (kind == 2 && j > 0)
            wanted[j] = wanted[j - 1] + 1 < n ? wanted[j - 1] + 1 : 0;
        else if (kind == 3)
            wanted[j] = n / 2;
    }
}

static const test_context *any_context(test_rng *rng)
{
    return &contexts[test_rng_below(rng, context_count)];
}

/* ---- Sizes and shapes ---- */

/* Every position of every small array at once, backwards, and one of them alone. */
static void test_small(test_rng *rng)
{
    for (size_t n = 0; n <= SMALL; n++)
        for (size_t t = 0; t < INPUTS_TYPES; t++)
            for (int desc = 0; desc < 2; desc++) {
                if (!testkit_turn(7))
                    continue;
                sample const s = make_sample(inputs_types[t], n, (n + 3 * t) % inputs_count(),
                                             desc != 0, n % 2 != 0 ? GUARD_END : GUARD_START);
                for (size_t a = 0; a < 3; a++) {
                    const test_context *const with = any_context(rng);
                    for (size_t j = 0; j < n; j++)
                        wanted[j] = n - 1 - j;
                    try_select(&s, with, n, algorithms[a], ORDO_NANS_LAST);
                    if (n == 0)
                        continue;
                    wanted[0] = test_rng_below(rng, n);
                    try_select(&s, with, 1, algorithms[a], ORDO_NANS_LAST);
                }
            }
}

static void try_some(test_rng *rng, const sample *s, size_t draws)
{
    for (size_t i = 0; i < draws; i++) {
        size_t const count = test_rng_below(rng, 4) == 0 ? 1 + test_rng_below(rng, MANY)
                                                         : 1 + test_rng_below(rng, 4);
        size_t const a = s->n > POWERS ? test_rng_below(rng, 2) : test_rng_below(rng, 3);
        draw_wanted(rng, s->n, count);
        try_select(s, any_context(rng), count, algorithms[a], ORDO_NANS_LAST);
        draw_wanted(rng, s->n, 1);
        try_select(s, any_context(rng), 1, ORDO_ALGORITHM_AUTO,
                   (ordo_nans)test_rng_below(rng, ORDO_NANS_PROPAGATE + 1));
    }
}

static void test_shapes(test_rng *rng)
{
    static const size_t sizes[] = {97, 1000, 5000};
    for (size_t shape = 0; shape < inputs_count(); shape++)
        for (size_t t = 0; t < INPUTS_TYPES; t++)
            for (size_t i = 0; i < (TESTKIT_SANITIZED ? 2 : 3); i++) {
                sample const s = make_sample(inputs_types[t], sizes[i], shape,
                                             test_rng_below(rng, 2) != 0, GUARD_END);
                try_some(rng, &s, 2);
            }
}

static void test_powers(test_rng *rng)
{
    for (size_t n = SMALL; inputs_next_size(&n, SMALL, POWERS);)
        for (size_t t = 0; t < INPUTS_TYPES; t += TESTKIT_SANITIZED ? 3 : 1) {
            sample const s =
                make_sample(inputs_types[t], n, test_rng_below(rng, inputs_count()),
                            test_rng_below(rng, 2) != 0, (guard_side)test_rng_below(rng, 2));
            try_some(rng, &s, 2);
        }
}

/* Long enough for the sample in the library as shipped. Every shape, each in some type; every
 * number of threads; an input that cannot be written. */
static void test_large(test_rng *rng)
{
    for (size_t shape = 0; shape < inputs_count(); shape += TESTKIT_SANITIZED ? 3 : 1) {
        sample const s = make_sample(inputs_types[test_rng_below(rng, INPUTS_TYPES)], LARGE, shape,
                                     test_rng_below(rng, 2) != 0, GUARD_END);
        guard_readonly(&input, true);
        try_some(rng, &s, 3);
        wanted[0] = LARGE / 2;
        wanted[1] = LARGE / 2 + 1;
        for (size_t c = 0; c < context_count; c++)
            try_select(&s, &contexts[c], 2, ORDO_ALGORITHM_AUTO, ORDO_NANS_LAST);
        guard_readonly(&input, false);
    }
}

/* ---- Memory ---- */

static void try_limited(const sample *s, size_t count, ordo_algorithm algorithm, unsigned threads)
{
    ordo_select_opts const opts = ORDO_OPTS(
        ordo_select_opts, .flags = s->desc ? ORDO_DESCENDING : 0, .algorithm = (uint32_t)algorithm);
    size_t const size = ordo_type_size(s->type);
    ordo_ctx    *free_ctx = test_context_make(threads), *ctx = NULL;
    size_t       bytes = 0;
    ordo_report  report = {.struct_size = sizeof report};
    char         out[MANY * KEY];

    testkit_case("%s n=%zu count=%zu algorithm=%d threads=%u limited", ordo_type_name(s->type),
                 s->n, count, (int)algorithm, threads);
    for (size_t j = 0; j < count; j++)
        memcpy((char *)expected + j * size, (const char *)sorted + wanted[j] * size, size);
    CHECK_STATUS(ORDO_OK, ordo_select_scratch(free_ctx, s->type, s->n, count, &opts, &bytes),
                 free_ctx);
    CHECK_STATUS(ORDO_OK, ordo_select(free_ctx, s->type, s->keys, s->n, wanted, count, out, &opts),
                 free_ctx);
    CHECK_STATUS(ORDO_OK, ordo_last_report(free_ctx, &report), free_ctx);
    CHECK(report.scratch_bytes <= bytes);
    ordo_ctx_free(free_ctx);

    for (int enough = 0; enough < 2; enough++) {
        ordo_ctx_opts const tight =
            ORDO_OPTS(ordo_ctx_opts, .threads = threads, .mem_limit = enough ? bytes + 1 : 4096);
        CHECK_STATUS(ORDO_OK, ordo_ctx_create(&ctx, &tight), NULL);
        memset(out, 0xee, sizeof out);
        bool const fails = !enough && algorithm == ORDO_ALGORITHM_BITONIC;
        CHECK_STATUS(fails ? ORDO_E_NOMEM : ORDO_OK,
                     ordo_select(ctx, s->type, s->keys, s->n, wanted, count, out, &opts), ctx);
        CHECK(fails || strcmp(ordo_last_error(ctx), "") == 0);
        if (fails)
            CHECK(out[0] == (char)0xee);
        else
            CHECK_BYTES(expected, out, count * size, size);
        ordo_ctx_free(ctx);
    }
}

/* Without scratch the answers are the same; only bitonic must have a copy. */
static void test_limits(test_rng *rng)
{
    for (size_t t = 0; t < INPUTS_TYPES; t++) {
        sample const s = make_sample(inputs_types[t], t % 2 == 0 ? LARGE : 10000,
                                     test_rng_below(rng, inputs_count()), t % 3 == 0, GUARD_END);
        for (size_t i = 0; i < 4; i++) {
            size_t const count = i == 3 ? MANY / 2 : 1 + i;
            draw_wanted(rng, s.n, count);
            try_limited(&s, count, i == 2 ? ORDO_ALGORITHM_RADIX : ORDO_ALGORITHM_AUTO,
                        1 + (unsigned)t % 4);
        }
        draw_wanted(rng, s.n, 1);
        if (s.n < LARGE)
            try_limited(&s, 1, ORDO_ALGORITHM_BITONIC, 2);
    }
}

/* Every allocation of a call may fail: the call still answers, or says NOMEM and writes nothing. */
static void test_failing(test_rng *rng)
{
    sample const s = make_sample(ORDO_F64, LARGE, 3, false, GUARD_END);
    for (size_t fail_at = 1; fail_at <= 8; fail_at++) {
        test_allocator      allocator = {.fail_at = fail_at, .only_one = fail_at % 2 == 0};
        ordo_ctx_opts const opts = ORDO_OPTS(ordo_ctx_opts, .threads = 2, .alloc = test_alloc,
                                             .release = test_release, .alloc_user = &allocator);
        ordo_ctx           *ctx;
        double              out[MANY];
        if (ordo_ctx_create(&ctx, &opts) != ORDO_OK)
            continue;
        for (size_t count = 1; count <= MANY; count += MANY - 1) {
            testkit_case("allocation %zu fails, count=%zu", fail_at, count);
            draw_wanted(rng, s.n, count);
            for (size_t j = 0; j < count; j++) {
                memcpy((double *)expected + j, (const double *)sorted + wanted[j], sizeof *out);
                out[j] = -1;
            }
            ordo_status const status =
                ordo_select(ctx, s.type, s.keys, s.n, wanted, count, out, NULL);
            CHECK(status == ORDO_OK || status == ORDO_E_NOMEM);
            if (status == ORDO_OK)
                CHECK_BYTES(expected, out, count * sizeof *out, sizeof *out);
            else
                CHECK(out[0] == -1 && out[count - 1] == -1);
        }
        ordo_ctx_free(ctx);
        CHECK_EQ_U64(0, atomic_load(&allocator.live));
    }
}

/* ---- Refusals ---- */

static void test_refusals(void)
{
    ordo_ctx *const  ctx = contexts[0].ctx;
    float            keys[4] = {1, 2, 3, 4}, out[4] = {9, 9, 9, 9};
    size_t           k[2] = {0, 4}, bytes = 7;
    ordo_select_opts opts = ORDO_OPTS(ordo_select_opts, .nans = 3);

    testkit_case("refusals");
    CHECK_STATUS(ORDO_E_ARG, ordo_select(ctx, ORDO_F32, keys, 4, k, 2, out, NULL), ctx);
    CHECK(strstr(ordo_last_error(ctx), "k[1] is 4") != NULL);
    k[1] = 0;
    CHECK_STATUS(ORDO_E_ARG, ordo_select(ctx, ORDO_F32, NULL, 0, k, 1, out, NULL), ctx);
    CHECK_STATUS(ORDO_OK, ordo_select(ctx, ORDO_F32, NULL, 0, NULL, 0, NULL, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_select(ctx, ORDO_F32, NULL, 4, k, 1, out, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_select(ctx, ORDO_F32, keys, 4, NULL, 1, out, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_select(ctx, ORDO_F32, keys, 4, k, 1, NULL, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_select(ctx, ORDO_F32, keys, 4, k, 1, keys + 3, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_select(ctx, ORDO_F32, keys, 4, k, 2, k, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_select(ctx, (ordo_type)0, keys, 4, k, 1, out, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_select(ctx, ORDO_F32, keys, 4, k, 1, out, &opts), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_select_scratch(ctx, ORDO_F32, 4, 1, &opts, &bytes), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_select_scratch(ctx, ORDO_F32, 4, 1, NULL, NULL), ctx);
    opts.nans = 0;
    opts.algorithm = ORDO_ALGORITHM_MERGE;
    CHECK_STATUS(ORDO_E_ARG, ordo_select(ctx, ORDO_F32, keys, 4, k, 1, out, &opts), ctx);
    opts.algorithm = 0;
    opts.flags = ORDO_CHECK;
    CHECK_STATUS(ORDO_E_VERSION, ordo_select(ctx, ORDO_F32, keys, 4, k, 1, out, &opts), ctx);
    CHECK(out[0] == 9 && out[1] == 9 && bytes == 7);
}

int main(void)
{
    test_rng rng = {29};
    testkit_start();
    context_count = test_contexts_make(contexts);
    input = guard_make(LARGE * KEY);
    output = guard_make(LARGE * KEY);
    sorted = malloc(LARGE * KEY);
    expected = malloc(LARGE * KEY);
    wanted = malloc(LARGE * sizeof *wanted);

    test_small(&rng);
    test_shapes(&rng);
    test_powers(&rng);
    test_large(&rng);
    if (!testkit_on_device()) {
        test_limits(&rng);
        test_failing(&rng);
    }
    test_refusals();

    free(wanted);
    free(expected);
    free(sorted);
    guard_free(&input);
    guard_free(&output);
    test_contexts_free(contexts, context_count);
    return testkit_done();
}
