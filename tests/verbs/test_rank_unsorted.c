/* test_rank_unsorted.c - ordo_rank against the oracle: every type and tie rule with every shape and
 * with every algorithm; ISAs, thread counts and directions in turn; arrays beside inaccessible
 * pages. */
#include "inputs.h"
#include "oracle.h"
#include "testkit.h"

#include <string.h>

enum {
    SMALL = 3 * 64 + 8,
    POWERS = (1 << 15) + 1,
#ifdef ORDO_TINY
    LARGE = 50021,
#else
    LARGE = TESTKIT_SANITIZED ? 140009 : 200003,
#endif
    BUBBLE_MOST = 1500, /* the largest unsorted array for a quadratic sort */
    RULES = INPUTS_RULES
};

static guard_region input, output;
static void        *expected, *keys_before;

typedef struct sample {
    ordo_type   type;
    size_t      n, shape, rule;
    bool        desc;
    guard_side  side;
    const void *keys;
} sample;

static void set_rule(sample *s, size_t rule)
{
    s->rule = rule;
    oracle_rank_unsorted(s->type, s->keys, s->n, s->desc, inputs_rule(rule).ties,
                         inputs_rule(rule).rank_type, expected);
}

static sample make_sample(ordo_type type, size_t n, size_t shape, size_t rule, bool desc,
                          guard_side side)
{
    size_t const bytes = n * ordo_type_size(type);
    void *const  keys = guard_place(&input, bytes, side);
    sample       s = {type, n, shape, rule, desc, side, keys};
    inputs_fill(shape, type, keys, n, n + 11);
    memcpy(keys_before, keys, bytes);
    set_rule(&s, rule);
    return s;
}

static ordo_rank_opts opts_of(const sample *s, ordo_algorithm algorithm)
{
    return ORDO_OPTS(ordo_rank_opts, .flags = s->desc ? ORDO_DESCENDING : 0,
                     .ties = (uint32_t)inputs_rule(s->rule).ties,
                     .algorithm = (uint32_t)inputs_supported(algorithm, false));
}

static void name_case(const sample *s, ordo_algorithm algorithm, const char *isa, unsigned threads,
                      size_t limit)
{
    testkit_case("%s n=%zu %s %s ties=%d ranks=%s algorithm=%s isa=%s threads=%u limit=%zu",
                 ordo_type_name(s->type), s->n, inputs_name(s->shape), s->desc ? "desc" : "asc",
                 (int)inputs_rule(s->rule).ties, ordo_type_name(inputs_rule(s->rule).rank_type),
                 inputs_sort_name(algorithm), isa, threads, limit);
}

static void is_right(const sample *s, const void *ranks)
{
    size_t const size = ordo_type_size(inputs_rule(s->rule).rank_type);
    CHECK_BYTES(expected, ranks, s->n * size, size);
    CHECK(guard_intact(&output, s->n * size, s->side));
    CHECK_BYTES(keys_before, s->keys, s->n * ordo_type_size(s->type), 1);
}

static void try_rank(const sample *s, const test_context *with, ordo_algorithm algorithm)
{
    ordo_type const      rank_type = inputs_rule(s->rule).rank_type;
    size_t const         bytes = s->n * ordo_type_size(rank_type);
    void *const          ranks = guard_place(&output, bytes, s->side);
    ordo_rank_opts const opts = opts_of(s, algorithm);

    name_case(s, algorithm, with->isa, with->threads, 0);
    memset(ranks, 0xee, bytes);
    CHECK_STATUS(ORDO_OK, ordo_rank(with->ctx, s->type, s->keys, s->n, rank_type, ranks, &opts),
                 with->ctx);
    is_right(s, ranks);
}

static void test_small(void)
{
    for (size_t n = 0; n <= SMALL; n++)
        for (size_t t = 0; t < INPUTS_TYPES; t++) {
            if (!testkit_run_case(7))
                continue;
            size_t const shape = (n * 5 + t * 3) % inputs_count();
            sample       s = make_sample(inputs_types[t], n, shape, 0, (n / 2 + t) % 2 != 0,
                                   (n + t) % 3 != 0 ? GUARD_END : GUARD_START);
            for (size_t r = (n + t) % 3; r < RULES; r += 3) {
                set_rule(&s, r);
                try_rank(&s, next_context(), ORDO_ALGORITHM_AUTO);
                try_rank(&s, next_context(), inputs_sorts[1 + (n + r) % (INPUTS_SORTS - 1)]);
            }
        }
}

static void test_shapes(void)
{
    for (size_t shape = 0; shape < inputs_count(); shape++)
        for (size_t t = 0; t < INPUTS_TYPES; t++) {
            size_t const n = 300 + (shape * 37 + t * 13) % 400;
            sample s = make_sample(inputs_types[t], n, shape, 0, (shape + t) % 2 != 0, GUARD_END);
            for (size_t r = 0; r < RULES; r++) {
                set_rule(&s, r);
                try_rank(&s, next_context(), inputs_sorts[(shape + r) % INPUTS_SORTS]);
            }
        }
}

/* Every type, tie rule and algorithm, with many ties. */
static void test_algorithms(void)
{
    static const char *const names[] = {"some NaNs", "both zeros", "skewed",
                                        "roughly sorted by 40"};
    for (size_t t = 0; t < INPUTS_TYPES; t++)
        for (size_t r = 0; r < RULES; r++) {
            sample const s =
                make_sample(inputs_types[t], 700 + 10 * r, inputs_find(names[(t + r) % 4]), r,
                            (t + r / 2) % 2 != 0, (guard_side)(r % 2));
            for (size_t a = 0; a < INPUTS_SORTS; a++)
                try_rank(&s, next_context(), inputs_sorts[a]);
        }
}

static void test_powers(test_rng *rng)
{
    for (size_t n = SMALL; inputs_next_size(&n, SMALL, POWERS);)
        for (size_t t = n % 3; t<INPUTS_TYPES; t += n> 5000 ? 3 : 1) {
            sample const s = make_sample(inputs_types[t], n, test_rng_below(rng, inputs_count()),
                                         test_rng_below(rng, RULES), test_rng_below(rng, 2) != 0,
                                         (guard_side)test_rng_below(rng, 2));
            size_t const sorts = n <= BUBBLE_MOST ? INPUTS_SORTS : INPUTS_SORTS - 1;
            try_rank(&s, next_context(), ORDO_ALGORITHM_AUTO);
            try_rank(&s, next_context(), inputs_sorts[test_rng_below(rng, sorts)]);
        }
}

static void test_large(test_rng *rng)
{
    static const ordo_type   types[] = {ORDO_F32, ORDO_U64, ORDO_I8, ORDO_F64, ORDO_U16, ORDO_I32};
    static const char *const names[] = {"random bits", "skewed", "some NaNs", "few runs",
                                        "few distinct"};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t r = t % 3; r < RULES; r += TESTKIT_SANITIZED ? 6 : 3) {
            sample const s = make_sample(types[t], LARGE - t, inputs_find(names[(t + r) % 5]), r,
                                         (t + r) % 4 > 1, GUARD_END);
            try_rank(&s, next_context(), ORDO_ALGORITHM_AUTO);
            try_rank(&s, next_context(), inputs_sorts[test_rng_below(rng, INPUTS_SORTS - 1)]);
        }
}

/* The call succeeds within the limit, or fails with ORDO_E_NOMEM and writes nothing. The size that
 * ordo_rank_scratch returns is enough; try_limit returns it. */
static size_t try_limit(const sample *s, ordo_algorithm algorithm, unsigned threads, size_t limit)
{
    ordo_type const      rank_type = inputs_rule(s->rule).rank_type;
    size_t const         bytes = s->n * ordo_type_size(rank_type);
    void *const          ranks = guard_place(&output, bytes, s->side);
    ordo_rank_opts const opts = opts_of(s, algorithm);
    ordo_ctx *const      ctx = CONTEXT(.threads = threads, .mem_limit = limit);
    size_t               enough = 0;

    name_case(s, algorithm, "best", threads, limit);
    memset(ranks, 0xee, bytes);
    if (ctx == NULL)
        return 0;
    CHECK_STATUS(ORDO_OK, ordo_rank_scratch(ctx, s->type, s->n, rank_type, &opts, &enough), ctx);
    ordo_status const status = ordo_rank(ctx, s->type, s->keys, s->n, rank_type, ranks, &opts);
    if (test_check_limited(ctx, status, "rank", limit, enough))
        is_right(s, ranks);
    else
        CHECK_EQ_U64(0, test_bytes_not(ranks, bytes, 0xee));
    ordo_ctx_free(ctx);
    return enough;
}

static void test_mem_limit(size_t n, unsigned threads)
{
    static const char *const names[] = {"skewed", "some NaNs", "roughly sorted by 40", "few runs"};
    for (size_t t = 0; t < INPUTS_TYPES; t += TESTKIT_SANITIZED ? 3 : 1)
        for (size_t a = 0; a < INPUTS_SORTS; a++) {
            size_t const limits[] = {1, 4096, n, 4 * n, 8 * n, 16 * n, 24 * n, 40 * n, 64 * n};
            sample const s = make_sample(inputs_types[t], n, inputs_find(names[(a + t) % 4]),
                                         (a * 5 + t) % RULES, a % 2 != 0, GUARD_END);
            size_t const enough = try_limit(&s, inputs_sorts[a], threads, 0);
            try_limit(&s, inputs_sorts[a], threads, enough);
            for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
                try_limit(&s, inputs_sorts[a], threads, limits[i]);
        }
}

/* Sorted and reversed arrays of every type, with and without ties. */
static void test_in_order(void)
{
    static const char *const names[] = {"ramp", "falling ramp", "steep ramp", "steep falling ramp"};
    static const size_t      sizes[] = {200, 5000, 20011};
    for (size_t t = 0; t < INPUTS_TYPES; t++)
        for (size_t r = 0; r < RULES; r++)
            for (size_t shape = 0; shape < 4; shape++) {
                sample const s =
                    make_sample(inputs_types[t], sizes[(t + r) % 3], inputs_find(names[shape]), r,
                                (t / 3 + r + shape) % 2 != 0, GUARD_END);
                try_rank(&s, next_context(), ORDO_ALGORITHM_AUTO);
            }
}

/* ordo_rank, with and without a sort, and ordo_rank_sorted give the same ranks of a sorted
 * array. */
static void test_agrees_with_sorted(void)
{
    size_t const  n = 5000;
    double *const keys = test_keep(n * 8);
    void *const one = test_keep(n * 8), *const other = test_keep(n * 8);
    ordo_ctx *const ctx = test_context_make(3);
    for (size_t r = 0; r < RULES; r++)
        for (int desc = 0; desc < 2; desc++) {
            size_t const         size = ordo_type_size(inputs_rule(r).rank_type);
            ordo_rank_opts const opts =
                ORDO_OPTS(ordo_rank_opts, .flags = desc != 0 ? ORDO_DESCENDING : 0,
                          .ties = (uint32_t)inputs_rule(r).ties);
            testkit_case("rank and rank_sorted, rule %zu %s", r, desc != 0 ? "desc" : "asc");
            inputs_fill_sorted(inputs_find("some NaNs"), ORDO_F64, keys, n, desc != 0, r);
            CHECK_STATUS(ORDO_OK,
                         ordo_rank(ctx, ORDO_F64, keys, n, inputs_rule(r).rank_type, one, &opts),
                         ctx);
            CHECK_STATUS(
                ORDO_OK,
                ordo_rank_sorted(ctx, ORDO_F64, keys, n, inputs_rule(r).rank_type, other, &opts),
                ctx);
            CHECK_BYTES(other, one, n * size, size);
            ordo_rank_opts by_sort = opts;
            by_sort.algorithm = (uint32_t)inputs_supported(ORDO_ALGORITHM_RADIX, false);
            CHECK_STATUS(ORDO_OK,
                         ordo_rank(ctx, ORDO_F64, keys, n, inputs_rule(r).rank_type, one, &by_sort),
                         ctx);
            CHECK_BYTES(other, one, n * size, size);
        }
    ordo_ctx_free(ctx);
}

/* Keys in read-only memory. */
static void test_readonly_input(void)
{
    sample s = make_sample(ORDO_F32, 30000, inputs_find("some NaNs"), 0, false, GUARD_END);
    guard_readonly(&input, true);
    for (size_t r = 0; r < RULES; r++) {
        set_rule(&s, r);
        try_rank(&s, next_context(), inputs_sorts[r % (INPUTS_SORTS - 1)]);
    }
    guard_readonly(&input, false);
}

int main(void)
{
    test_rng rng = {55};
    testkit_start();
    test_contexts_start();
    input = guard_make((size_t)LARGE * 8);
    output = guard_make((size_t)LARGE * 8);
    keys_before = test_keep((size_t)LARGE * 8);
    expected = test_keep((size_t)LARGE * 8);

    test_small();
    test_shapes();
    test_algorithms();
    test_powers(&rng);
    test_large(&rng);
    if (!testkit_on_device()) {
        test_mem_limit(900, 1);
        test_mem_limit(1111, 4);
    }
    test_in_order();
    test_agrees_with_sorted();
    test_readonly_input();
    return testkit_done();
}
