/* test_rank.c - ordo_rank_sorted against the oracle: every type, tie rule, rank type, algorithm,
 * ISA, thread count and direction, on arrays beside inaccessible pages.
 *
 * Small arrays test the full product with one thread, and every eighth size with each other thread
 * count. Larger arrays test a random part. Sanitizers test a quarter of the rules at each size. */
#include "inputs.h"
#include "oracle.h"
#include "testkit.h"

#include <string.h>

enum {
    SMALL = 3 * 64 + 3,
    POWERS = (1 << 14) + 1,
    LARGE = TESTKIT_TSAN ? 40009 : 200003,
    RULES = INPUTS_RULES
};

static ordo_algorithm algorithms[] = {ORDO_ALGORITHM_AUTO, ORDO_ALGORITHM_SEQUENTIAL,
                                      ORDO_ALGORITHM_THREADS};

static guard_region input, output;
static void        *expected[RULES];

/* A sorted array in the input region; `expected` has its ranks for each rule. */
typedef struct sample {
    ordo_type   type;
    size_t      n, shape;
    bool        desc;
    guard_side  side;
    const void *keys;
} sample;

static sample make_sample(ordo_type type, size_t n, size_t shape, bool desc, guard_side side)
{
    void *const keys = guard_place(&input, n * ordo_type_size(type), side);
    inputs_fill_sorted(shape, type, keys, n, desc, n);
    for (size_t r = 0; r < RULES; r++)
        oracle_rank(type, keys, n, desc, inputs_rule(r).ties, inputs_rule(r).rank_type,
                    expected[r]);
    return (sample){type, n, shape, desc, side, keys};
}

static void try_rank(const sample *s, const test_context *with, size_t rule,
                     ordo_algorithm algorithm)
{
    ordo_type const      rank_type = inputs_rule(rule).rank_type;
    size_t const         bytes = s->n * ordo_type_size(rank_type);
    void *const          ranks = guard_place(&output, bytes, s->side);
    ordo_rank_opts const opts =
        ORDO_OPTS(ordo_rank_opts, .flags = s->desc ? ORDO_DESCENDING : 0,
                  .ties = (uint32_t)inputs_rule(rule).ties, .algorithm = (uint32_t)algorithm);

    testkit_case("%s n=%zu %s %s ties=%d ranks=%s algorithm=%d isa=%s threads=%u",
                 ordo_type_name(s->type), s->n, inputs_name(s->shape), s->desc ? "desc" : "asc",
                 (int)inputs_rule(rule).ties, ordo_type_name(rank_type), (int)algorithm, with->isa,
                 with->threads);
    memset(ranks, 0xee, bytes);
    CHECK_STATUS(ORDO_OK,
                 ordo_rank_sorted(with->ctx, s->type, s->keys, s->n, rank_type, ranks, &opts),
                 with->ctx);
    CHECK_BYTES(expected[rule], ranks, bytes, ordo_type_size(rank_type));
    CHECK(guard_intact(&output, bytes, s->side));
}

static void test_small(void)
{
    unsigned const stride = TESTKIT_SANITIZED ? 24 : 8;
    size_t const   step = TESTKIT_SANITIZED ? 4 : 1;
    for (size_t n = 0; n <= SMALL; n++)
        for (size_t t = 0; t < INPUTS_TYPES; t++)
            for (int desc = 0; desc < 2; desc++) {
                if (!testkit_run_case(TESTKIT_TSAN ? 49 : 7))
                    continue;
                size_t const shape = (n * 5 + t + (size_t)desc) % inputs_count();
                sample const s = make_sample(inputs_types[t], n, shape, desc != 0,
                                             (n + t) % 3 != 0 ? GUARD_END : GUARD_START);
                for (size_t c = 0; c < context_count; c++) {
                    if (contexts[c].threads > 1 && (n + t) % stride != contexts[c].threads)
                        continue;
                    for (size_t r = TESTKIT_SANITIZED ? n % 4 : 0; r < RULES; r += step)
                        for (size_t a = 0; a < 3; a++)
                            try_rank(&s, &contexts[c], r, algorithms[a]);
                }
            }
}

/* Every shape, type and direction at a few sizes. */
static void test_shapes(test_rng *rng)
{
    static const size_t sizes[] = {7, 64, 130, 1001};
    for (size_t shape = 0; shape < inputs_count(); shape++)
        for (size_t t = 0; t < INPUTS_TYPES; t++)
            for (size_t i = 0; i < 8; i++) {
                if (!testkit_run_case(TESTKIT_TSAN ? 49 : 7))
                    continue;
                sample const s =
                    make_sample(inputs_types[t], sizes[i / 2], shape, i % 2 != 0, GUARD_END);
                for (size_t r = 0; r < RULES; r++)
                    try_rank(&s, any_context(rng), r, algorithms[test_rng_below(rng, 3)]);
            }
}

static void test_powers(test_rng *rng)
{
    size_t const draws = TESTKIT_SANITIZED ? 8 : 32;
    for (size_t n = SMALL; inputs_next_size(&n, SMALL, POWERS);)
        for (size_t t = 0; t < INPUTS_TYPES; t++) {
            sample const s =
                make_sample(inputs_types[t], n, test_rng_below(rng, inputs_count()),
                            test_rng_below(rng, 2) != 0, (guard_side)test_rng_below(rng, 2));
            for (size_t i = 0; i < draws; i++)
                try_rank(&s, any_context(rng), test_rng_below(rng, RULES),
                         algorithms[test_rng_below(rng, 3)]);
        }
}

/* Large enough for threads in the library as shipped. */
static void test_large(test_rng *rng)
{
    static const ordo_type large_types[] = {ORDO_F32, ORDO_U8, ORDO_I64, ORDO_F64, ORDO_U16};
    size_t const           types = TESTKIT_SANITIZED ? 2 : 5;
    for (size_t t = 0; t < types; t++)
        for (int desc = 0; desc < 2; desc++) {
            size_t const shape = test_rng_below(rng, inputs_count());
            sample const s = make_sample(large_types[t], LARGE - t, shape, desc != 0, GUARD_END);
            for (size_t c = 0; c < context_count; c++)
                for (size_t a = 0; a < 3; a++)
                    try_rank(&s, &contexts[c], test_rng_below(rng, RULES), algorithms[a]);
        }
}

static void rank_as(ordo_ctx *ctx, ordo_ties ties, const float *keys, size_t n, ordo_type rank_type,
                    void *ranks)
{
    ordo_rank_opts const opts = ORDO_OPTS(ordo_rank_opts, .ties = (uint32_t)ties);
    CHECK_STATUS(ORDO_OK, ordo_rank_sorted(ctx, ORDO_F32, keys, n, rank_type, ranks, &opts), ctx);
}

/* How the ranks of the five rules relate to each other. */
static void test_properties(size_t n)
{
    enum {
        RANKS = 5
    };
    float *const    keys = test_keep(n * sizeof *keys);
    uint64_t *const rank[RANKS - 1] = {test_keep(n * 8), test_keep(n * 8), test_keep(n * 8),
                                       test_keep(n * 8)};
    double *const   average = test_keep(n * 8);
    ordo_ctx *const ctx = test_context_make(3);

    for (size_t shape = 0; shape < inputs_count(); shape++) {
        testkit_case("properties n=%zu %s", n, inputs_name(shape));
        inputs_fill_sorted(shape, ORDO_F32, keys, n, false, 77);
        for (int ties = ORDO_TIES_MIN; ties <= ORDO_TIES_ORDINAL; ties++)
            rank_as(ctx, (ordo_ties)ties, keys, n, ORDO_U64, rank[ties]);
        rank_as(ctx, ORDO_TIES_AVERAGE, keys, n, ORDO_F64, average);
        const uint64_t *const min = rank[ORDO_TIES_MIN], *const max = rank[ORDO_TIES_MAX];
        const uint64_t *const dense = rank[ORDO_TIES_DENSE];
        size_t                bad = 0;
        for (size_t i = 0; i < n; i++) {
            bool const starts = i == 0 || min[i] != min[i - 1];
            bad += min[i] > i + 1 || max[i] < i + 1 || max[i] > n;
            bad += average[i] != ((double)min[i] + (double)max[i]) / 2;
            bad += rank[ORDO_TIES_ORDINAL][i] != i + 1 || dense[i] > min[i];
            bad += starts ? min[i] != i + 1 : max[i] != max[i - 1];
            bad += dense[i] != (i == 0 ? 1 : dense[i - 1] + starts);
            bad += i > 0 && starts && max[i - 1] != i;
        }
        CHECK_EQ_U64(0, bad);
    }
    ordo_ctx_free(ctx);
}

/* ORDO_CHECK finds a violation anywhere and then writes nothing; a sorted array passes. */
static void test_check_flag(void)
{
    static const size_t sizes[] = {2, 3, 17, 65, 1000, 70001};
    for (size_t c = 0; c < context_count; c += 3)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (int a = 0; a < 3; a++) {
                size_t const         n = sizes[i], at = 1 + (n - 2) * (size_t)a / 2;
                int32_t *const       keys = guard_place(&input, n * 4, GUARD_END);
                uint32_t *const      ranks = guard_place(&output, n * 4, GUARD_END);
                ordo_rank_opts const opts = ORDO_OPTS(ordo_rank_opts, .flags = ORDO_CHECK,
                                                      .algorithm = (uint32_t)algorithms[a]);
                testkit_case("check n=%zu violation at %zu", n, at);
                for (size_t k = 0; k < n; k++) {
                    keys[k] = k < at ? 5 : 4;
                    ranks[k] = (uint32_t)k;
                }
                CHECK_STATUS(
                    ORDO_E_ORDER,
                    ordo_rank_sorted(contexts[c].ctx, ORDO_I32, keys, n, ORDO_U32, ranks, &opts),
                    contexts[c].ctx);
                CHECK(ordo_last_error(contexts[c].ctx)[0] != '\0');
                size_t touched = 0;
                for (size_t k = 0; k < n; k++)
                    touched += ranks[k] != k;
                CHECK_EQ_U64(0, touched);
                keys[at] = 5;
                for (size_t k = at; k < n; k++)
                    keys[k] = 6;
                CHECK_STATUS(
                    ORDO_OK,
                    ordo_rank_sorted(contexts[c].ctx, ORDO_I32, keys, n, ORDO_U32, ranks, &opts),
                    contexts[c].ctx);
                CHECK_EQ_U64(at + 1, ranks[n - 1]);
                CHECK(ordo_last_error(contexts[c].ctx)[0] == '\0');
            }
}

/* Keys in read-only memory. */
static void test_readonly_input(void)
{
    sample const s = make_sample(ORDO_F64, 30000, 17, false, GUARD_END);
    guard_readonly(&input, true);
    for (size_t c = 0; c < context_count; c++)
        try_rank(&s, &contexts[c], 0, algorithms[c % 3]);
    guard_readonly(&input, false);
}

int main(void)
{
    test_rng rng = {2024};
    testkit_start();
    if (testkit_on_device()) {
        algorithms[1] = ORDO_ALGORITHM_HYBRID;
        algorithms[2] = ORDO_ALGORITHM_SHUFFLE;
    }
    test_contexts_start();
    input = guard_make(LARGE * 8);
    output = guard_make(LARGE * 8);
    for (size_t r = 0; r < RULES; r++)
        expected[r] = test_keep(LARGE * 8);

    test_small();
    test_shapes(&rng);
    test_powers(&rng);
    test_large(&rng);
    test_properties(1000);
    test_properties(100003);
    test_check_flag();
    test_readonly_input();
    return testkit_done();
}
