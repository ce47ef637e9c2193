/* test_select.c - ordo_select against the oracle's sort: every type, shape, direction, algorithm,
 * NaN rule and thread count; positions in any order and repeated; too little memory; refusals. */
#include "inputs.h"
#include "oracle.h"
#include "testkit.h"

#include <string.h>

enum {
    SMALL = 200,
    POWERS = (1 << 15) + 1,
    LARGE = 200003,
    KEY = 8,
    MANY = 100
};

static const ordo_algorithm algorithms[] = {ORDO_ALGORITHM_AUTO, ORDO_ALGORITHM_RADIX,
                                            ORDO_ALGORITHM_BITONIC, ORDO_ALGORITHM_MERGE};
enum {
    ALGORITHMS = sizeof algorithms / sizeof *algorithms
};

static guard_region input, output;
static void        *sorted; /* the oracle's sorted keys */
static void        *expected;
static size_t      *wanted;

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
    oracle_sort(type, keys, n, desc, sorted);
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

/* Draws positions: both ends, neighbours, repeats, the middle, random ones. */
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

/* ---- Sizes and shapes ---- */

/* All positions of every small array at once, in reverse order, and one position alone. */
static void test_small(test_rng *rng)
{
    for (size_t n = 0; n <= SMALL; n++)
        for (size_t t = 0; t < INPUTS_TYPES; t++)
            for (int desc = 0; desc < 2; desc++) {
                if (!testkit_run_case(TESTKIT_TSAN ? 49 : 7))
                    continue;
                sample const s = make_sample(inputs_types[t], n, (n + 3 * t) % inputs_count(),
                                             desc != 0, n % 2 != 0 ? GUARD_END : GUARD_START);
                for (size_t a = 0; a < ALGORITHMS; a++) {
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
        size_t const a = s->n > POWERS ? test_rng_below(rng, 2) : test_rng_below(rng, ALGORITHMS);
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

/* Large enough for the sample in the library as shipped: every shape, every context, read-only
 * input. */
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

/* ---- Sub-arrays ---- */

/* Selects 3 positions; checks the keys, the report, and that the scratch is that of the query. */
static void try_sub_arrays(test_rng *rng, const sample *s, ordo_algorithm algorithm,
                           size_t sub_array)
{
    const test_context *const with = any_context(rng);
    size_t const              size = ordo_type_size(s->type);
    unsigned char             out[3 * KEY];
    size_t                    bytes;
    ordo_select_opts const    opts =
        ORDO_OPTS(ordo_select_opts, .flags = s->desc ? ORDO_DESCENDING : 0,
                  .algorithm = (uint32_t)algorithm, .sub_array = sub_array);

    testkit_case("%s n=%zu %s algorithm=%d sub-array %zu threads=%u", ordo_type_name(s->type), s->n,
                 inputs_name(s->shape), (int)algorithm, sub_array, with->threads);
    draw_wanted(rng, s->n, 3);
    for (size_t j = 0; j < 3; j++)
        memcpy((char *)expected + j * size, (const char *)sorted + wanted[j] * size, size);
    CHECK_STATUS(ORDO_OK, ordo_select_scratch(with->ctx, s->type, s->n, 3, &opts, &bytes),
                 with->ctx);
    CHECK_STATUS(ORDO_OK, ordo_select(with->ctx, s->type, s->keys, s->n, wanted, 3, out, &opts),
                 with->ctx);
    CHECK_BYTES(expected, out, 3 * size, size);
    ordo_report const report = report_of(with->ctx);
    CHECK_EQ_U64(ORDO_STRATEGY_SUB_ARRAYS, report.facts.strategy);
    CHECK_EQ_U64(sub_array, report.facts.tile);
    CHECK(strcmp(report.algorithm, algorithm == ORDO_ALGORITHM_MERGE ? "merge" : "bitonic") == 0);
    if (!testkit_on_device()) {
        CHECK(report.scratch_bytes <= bytes);
        CHECK(report.facts.phase_seconds[0] >= 0 && report.facts.phase_seconds[1] >= 0);
    }
}

/* Every length of sub-arrays, with arrays of fewer, as many, and more keys. */
static void test_sub_arrays(test_rng *rng)
{
    size_t const most = testkit_on_device() ? 2048 : 1 << 15;
    for (size_t sub_array = 2; sub_array <= most; sub_array *= 2) {
        size_t const sizes[] = {1, sub_array - 1, sub_array, sub_array + 1, 5 * sub_array + 3};
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            sample const s =
                make_sample(inputs_types[test_rng_below(rng, INPUTS_TYPES)], sizes[i],
                            test_rng_below(rng, inputs_count()), i % 2 != 0, GUARD_END);
            try_sub_arrays(rng, &s, ORDO_ALGORITHM_BITONIC, sub_array);
            try_sub_arrays(rng, &s, ORDO_ALGORITHM_MERGE, sub_array);
        }
    }
}

/* The example of the median paper: 16 keys in sub-arrays of 4; its median is key n / 2. */
static void test_paper_example(void)
{
    static const int32_t keys[] = {41,    18467, 6334, 26500, 19169, 15724, 11478, 29358,
                                   26962, 24464, 5705, 28145, 23281, 16827, 9961,  491};
    static const int32_t in_order[] = {41,    491,   5705,  6334,  9961,  11478, 15724, 16827,
                                       18467, 19169, 23281, 24464, 26500, 26962, 28145, 29358};
    ordo_ctx *const      ctx = contexts[0].ctx;
    for (size_t a = 2; a < ALGORITHMS; a++) {
        ordo_select_opts const opts =
            ORDO_OPTS(ordo_select_opts, .sub_array = 4, .algorithm = (uint32_t)algorithms[a]);
        ordo_quantile_opts const quantile =
            ORDO_OPTS(ordo_quantile_opts, .sub_array = 4, .algorithm = (uint32_t)algorithms[a]);
        int32_t out[16];
        double  median;
        testkit_case("the paper's example, algorithm %d", (int)algorithms[a]);
        for (size_t j = 0; j < 16; j++)
            wanted[j] = j;
        CHECK_STATUS(ORDO_OK, ordo_select(ctx, ORDO_I32, keys, 16, wanted, 16, out, &opts), ctx);
        CHECK_BYTES(in_order, out, sizeof out, sizeof *out);
        CHECK(out[16 / 2] == 18467);
        CHECK_STATUS(ORDO_OK, ordo_median(ctx, ORDO_I32, keys, 16, &median, &quantile), ctx);
        CHECK(median == (16827 + 18467) / 2.0);
    }
}

static int cancel_third(void *user, double done)
{
    size_t *const calls = user;
    CHECK(done >= 0 && done <= 1);
    return ++*calls == 3;
}

/* The sequential merge of 10^5 sub-arrays would take minutes. */
static void test_cancelled_merge(void)
{
    size_t          calls = 0;
    ordo_ctx *const ctx = CONTEXT(.threads = 2, .progress = cancel_third, .progress_user = &calls,
                                  .progress_interval = -1);
    sample const    s = make_sample(ORDO_F64, LARGE, 0, false, GUARD_END);
    ordo_select_opts const opts =
        ORDO_OPTS(ordo_select_opts, .algorithm = ORDO_ALGORITHM_BITONIC, .sub_array = 2);
    double out = -1;
    testkit_case("a cancelled sequential merge");
    wanted[0] = LARGE / 2;
    CHECK_STATUS(ORDO_E_CANCELLED, ordo_select(ctx, s.type, s.keys, s.n, wanted, 1, &out, &opts),
                 ctx);
    CHECK_EQ_U64(3, calls);
    ordo_ctx_free(ctx);
}

/* ---- Memory ---- */

static void try_limited(const sample *s, size_t count, ordo_algorithm algorithm, unsigned threads)
{
    ordo_select_opts const opts = ORDO_OPTS(
        ordo_select_opts, .flags = s->desc ? ORDO_DESCENDING : 0, .algorithm = (uint32_t)algorithm);
    size_t const size = ordo_type_size(s->type);
    ordo_ctx    *free_ctx = test_context_make(threads);
    size_t       bytes = 0;
    char         out[MANY * KEY];

    testkit_case("%s n=%zu count=%zu algorithm=%d threads=%u limited", ordo_type_name(s->type),
                 s->n, count, (int)algorithm, threads);
    for (size_t j = 0; j < count; j++)
        memcpy((char *)expected + j * size, (const char *)sorted + wanted[j] * size, size);
    CHECK_STATUS(ORDO_OK, ordo_select_scratch(free_ctx, s->type, s->n, count, &opts, &bytes),
                 free_ctx);
    CHECK_STATUS(ORDO_OK, ordo_select(free_ctx, s->type, s->keys, s->n, wanted, count, out, &opts),
                 free_ctx);
    CHECK(report_of(free_ctx).scratch_bytes <= bytes);
    ordo_ctx_free(free_ctx);

    for (int enough = 0; enough < 2; enough++) {
        ordo_ctx *const ctx = CONTEXT(.threads = threads, .mem_limit = enough ? bytes + 1 : 4096);
        memset(out, 0xee, sizeof out);
        bool const fails =
            !enough && (algorithm == ORDO_ALGORITHM_BITONIC || algorithm == ORDO_ALGORITHM_MERGE);
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

/* Without scratch the results are the same; only bitonic and merge, which sort a copy, fail. */
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
        if (s.n < LARGE) {
            try_limited(&s, 1, ORDO_ALGORITHM_BITONIC, 2);
            try_limited(&s, 1, ORDO_ALGORITHM_MERGE, 2);
        }
    }
}

/* Every allocation of a call fails in turn: the call succeeds, or fails with ORDO_E_NOMEM and
 * writes nothing. */
static void test_failing(test_rng *rng)
{
    sample const s = make_sample(ORDO_F64, LARGE, 3, false, GUARD_END);
    size_t       refused = 0;
    for (size_t fail_at = 1; fail_at <= 8; fail_at++) {
        test_allocator      allocator = {.fail_at = fail_at, .only_one = fail_at % 2 == 0};
        ordo_ctx_opts const opts = ORDO_OPTS(ordo_ctx_opts, .threads = 2, ALLOCATOR(&allocator));
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
        refused += atomic_load(&allocator.refused);
        CHECK_EQ_U64(0, atomic_load(&allocator.live));
    }
    CHECK(refused > 0);
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
    opts.algorithm = ORDO_ALGORITHM_SAMPLE;
    CHECK_STATUS(ORDO_E_ARG, ordo_select(ctx, ORDO_F32, keys, 4, k, 1, out, &opts), ctx);
    opts.algorithm = 0;
    opts.flags = ORDO_CHECK;
    CHECK_STATUS(ORDO_E_VERSION, ordo_select(ctx, ORDO_F32, keys, 4, k, 1, out, &opts), ctx);
    CHECK(out[0] == 9 && out[1] == 9 && bytes == 7);
}

/* Lengths of sub-arrays that no algorithm takes; on a GPU also those above 2048. */
static void test_refused_sub_arrays(void)
{
    static const uint64_t wrong[] = {1, 3, 1000, 1025, UINT64_MAX};
    ordo_ctx *const       ctx = contexts[0].ctx;
    float                 keys[4] = {1, 2, 3, 4}, out = 9;
    double                median = 9;
    size_t const          k = 0;
    size_t                bytes = 7, found = 7;
    for (size_t i = 0; i < 2 + sizeof wrong / sizeof *wrong; i++) {
        ordo_select_opts opts = ORDO_OPTS(ordo_select_opts, .sub_array = 4);
        if (i > 0) {
            opts.algorithm = (uint32_t)algorithms[2 + i % 2];
            opts.sub_array = i > 1 ? wrong[i - 2] : 4096;
        }
        if (i == 1 && !testkit_on_device())
            continue;
        ordo_quantile_opts const quantile =
            ORDO_OPTS(ordo_quantile_opts, .algorithm = opts.algorithm, .sub_array = opts.sub_array);
        testkit_case("sub-array %llu, algorithm %u", (unsigned long long)opts.sub_array,
                     opts.algorithm);
        CHECK_STATUS(ORDO_E_ARG, ordo_select(ctx, ORDO_F32, keys, 4, &k, 1, &out, &opts), ctx);
        CHECK(strstr(ordo_last_error(ctx), "sub_array is") != NULL);
        CHECK(i != 1 || strstr(ordo_last_error(ctx), "from 2 to 2048") != NULL);
        CHECK_STATUS(ORDO_E_ARG, ordo_select_scratch(ctx, ORDO_F32, 4, 1, &opts, &bytes), ctx);
        CHECK_STATUS(ORDO_E_ARG, ordo_median(ctx, ORDO_F32, keys, 4, &median, &quantile), ctx);
        opts.algorithm = ORDO_ALGORITHM_AUTO;
        CHECK_STATUS(ORDO_E_ARG,
                     ordo_topk(ctx, ORDO_F32, keys, 4, 1, &out, ORDO_U32, NULL, &found, &opts),
                     ctx);
    }
    CHECK(out == 9 && median == 9 && bytes == 7 && found == 7);
}

/* Sorted and reversed arrays are answered without a selection. One key out of order, which windows
 * may miss, must not be lost. */
static void test_ordered(test_rng *rng)
{
    static const ordo_type types[] = {ORDO_I32, ORDO_U64, ORDO_F32, ORDO_F64};
    size_t const           n = 100003;
    for (unsigned kind = 0; kind < 16; kind++) {
        ordo_type const      type = types[kind / 4];
        size_t const         size = ordo_type_size(type);
        bool const           desc = kind % 2 != 0, reversed = kind / 2 % 2 != 0;
        sample               s = make_sample(type, n, kind % 2, desc, GUARD_END);
        unsigned char *const keys = guard_place(&input, n * size, GUARD_END);
        for (size_t i = 0; i < n; i++)
            memcpy(keys + i * size, (char *)sorted + (reversed ? n - 1 - i : i) * size, size);
        for (int moved = 0; moved < 2; moved++) {
            const test_context *const with = any_context(rng);
            uint64_t                  key = 0;
            if (moved) { /* swap two keys */
                size_t const a = 77777 * size, b = 1234 * size;
                memcpy(&key, keys + a, size);
                memcpy(keys + a, keys + b, size);
                memcpy(keys + b, &key, size);
            }
            draw_wanted(rng, n, MANY);
            wanted[0] = 1234;
            wanted[1] = 77777;
            try_select(&s, with, MANY, ORDO_ALGORITHM_AUTO, ORDO_NANS_LAST);
            ordo_report const report = report_of(with->ctx);
            CHECK(testkit_on_device() || (strcmp(report.algorithm, "sorted") == 0) == !moved);
            CHECK(testkit_on_device() || moved ||
                  report.facts.input == (reversed ? ORDO_INPUT_REVERSED : ORDO_INPUT_SORTED));
        }
    }
}

int main(void)
{
    test_rng rng = {29};
    testkit_start();
    test_contexts_start();
    input = guard_make(LARGE * KEY);
    output = guard_make(LARGE * KEY);
    sorted = test_keep(LARGE * KEY);
    expected = test_keep(LARGE * KEY);
    wanted = test_keep(LARGE * sizeof *wanted);

    test_small(&rng);
    test_shapes(&rng);
    test_powers(&rng);
    test_large(&rng);
    test_ordered(&rng);
    test_sub_arrays(&rng);
    test_paper_example();
    test_cancelled_merge();
    if (!testkit_on_device()) {
        test_limits(&rng);
        test_failing(&rng);
    }
    test_refusals();
    test_refused_sub_arrays();
    return testkit_done();
}
