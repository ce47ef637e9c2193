/* test_argsort.c - ordo_argsort against the oracle: every type, algorithm, shape and index type,
 * with all ISAs, thread counts and directions in turn, on arrays beside inaccessible pages.
 *
 * The result is unique: tied keys (all NaNs; -0 and +0) come by index with every algorithm. */
#include "inputs.h"
#include "oracle.h"
#include "testkit.h"

#include <string.h>

enum {
    SMALL = 3 * 64 + 8,
    POWERS = (1 << 16) + 1,
#ifdef ORDO_TINY
    LARGE = 70001,
#else
    LARGE = TESTKIT_SANITIZED ? 140009 : 250007,
#endif
    BUBBLE_MOST = 1500 /* the largest unsorted array for a quadratic sort */
};

static const ordo_type index_types[] = {ORDO_U32, ORDO_U64};

static guard_region input, output;
static void        *expected[2], *keys_before;

typedef struct sample {
    ordo_type   type;
    size_t      n, shape;
    bool        desc;
    guard_side  side;
    const void *keys;
} sample;

static sample make_sample(ordo_type type, size_t n, size_t shape, bool desc, guard_side side)
{
    size_t const bytes = n * ordo_type_size(type);
    void *const  keys = guard_place(&input, bytes, side);
    inputs_fill(shape, type, keys, n, n + 3);
    memcpy(keys_before, keys, bytes);
    for (int wide = 0; wide < 2; wide++)
        oracle_argsort(type, keys, n, desc, index_types[wide], expected[wide]);
    return (sample){type, n, shape, desc, side, keys};
}

static ordo_sort_opts opts_of(const sample *s, ordo_algorithm algorithm, uint64_t radius)
{
    ordo_algorithm const way = inputs_supported(algorithm, false);
    return ORDO_OPTS(ordo_sort_opts,
                     .flags = (s->desc ? ORDO_DESCENDING : 0) | (s->n % 2 != 0 ? ORDO_STABLE : 0),
                     .radius = way == algorithm ? radius : 0, /* other ways may refuse a radius */
                     .algorithm = (uint32_t)way);
}

static void is_right(const sample *s, int wide, const void *index)
{
    size_t const size = ordo_type_size(index_types[wide]);
    CHECK_BYTES(expected[wide], index, s->n * size, size);
    CHECK(guard_intact(&output, s->n * size, s->side));
    CHECK_BYTES(keys_before, s->keys, s->n * ordo_type_size(s->type), 1);
}

static void try_argsort(const sample *s, const test_context *with, int wide,
                        ordo_algorithm algorithm, uint64_t radius)
{
    ordo_type const      index_type = index_types[wide];
    size_t const         bytes = s->n * ordo_type_size(index_type);
    void *const          index = guard_place(&output, bytes, s->side);
    ordo_sort_opts const opts = opts_of(s, algorithm, radius);

    testkit_case("%s n=%zu %s %s index=%s algorithm=%s radius=%zu isa=%s threads=%u",
                 ordo_type_name(s->type), s->n, inputs_name(s->shape), s->desc ? "desc" : "asc",
                 ordo_type_name(index_type), inputs_sort_name(algorithm), (size_t)radius, with->isa,
                 with->threads);
    memset(index, 0xee, bytes);
    CHECK_STATUS(ORDO_OK, ordo_argsort(with->ctx, s->type, s->keys, s->n, index_type, index, &opts),
                 with->ctx);
    is_right(s, wide, index);
}

static void test_small(void)
{
    size_t const step = TESTKIT_SANITIZED ? 3 : 1;
    for (size_t n = 0; n <= SMALL; n++)
        for (size_t t = 0; t < INPUTS_TYPES; t++) {
            if (!testkit_run_case(7))
                continue;
            size_t const shape = (n * 5 + t * 3) % inputs_count();
            sample const s = make_sample(inputs_types[t], n, shape, (n / 2 + t) % 2 != 0,
                                         (n + t) % 3 != 0 ? GUARD_END : GUARD_START);
            for (size_t a = (n + t) % step; a < INPUTS_SORTS; a += step)
                try_argsort(&s, next_context(), (n + a) % 2 != 0, inputs_sorts[a], 0);
        }
}

static void test_shapes(void)
{
    for (size_t shape = 0; shape < inputs_count(); shape++)
        for (size_t t = 0; t < INPUTS_TYPES; t++) {
            size_t const n = 300 + (shape * 37 + t * 13) % 400;
            sample const s =
                make_sample(inputs_types[t], n, shape, (shape + t) % 2 != 0, GUARD_END);
            for (size_t a = 0; a < INPUTS_SORTS; a++)
                for (int wide = 0; wide < 2; wide++)
                    if (!TESTKIT_SANITIZED || (a + shape) % 2 == (size_t)wide)
                        try_argsort(&s, next_context(), wide, inputs_sorts[a], 0);
        }
}

static void test_powers(test_rng *rng)
{
    size_t const draws = TESTKIT_SANITIZED ? 1 : 3;
    for (size_t n = SMALL; inputs_next_size(&n, SMALL, POWERS);)
        for (size_t t = n % 3; t<INPUTS_TYPES; t += n> 5000 ? 3 : 1) {
            sample const s =
                make_sample(inputs_types[t], n, test_rng_below(rng, inputs_count()),
                            test_rng_below(rng, 2) != 0, (guard_side)test_rng_below(rng, 2));
            size_t const sorts = n <= BUBBLE_MOST ? INPUTS_SORTS : INPUTS_SORTS - 1;
            try_argsort(&s, next_context(), n % 2 != 0, ORDO_ALGORITHM_AUTO, 0);
            for (size_t i = 0; i < draws; i++)
                try_argsort(&s, next_context(), test_rng_below(rng, 2) != 0,
                            inputs_sorts[test_rng_below(rng, sorts)], 0);
        }
}

static void test_large(test_rng *rng)
{
    static const ordo_type   types[] = {ORDO_F32, ORDO_U64, ORDO_I8, ORDO_F64, ORDO_U16, ORDO_I32};
    static const char *const names[] = {"random bits", "skewed", "some NaNs", "few runs",
                                        "falling ramp"};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        sample const s =
            make_sample(types[t], LARGE - t, inputs_find(names[t % 5]), t % 4 > 1, GUARD_END);
        for (size_t c = t % 3; c < context_count; c += TESTKIT_SANITIZED ? 5 : 3)
            try_argsort(&s, &contexts[c], (c + t) % 2 != 0,
                        c % 2 == 0 ? ORDO_ALGORITHM_AUTO
                                   : inputs_sorts[test_rng_below(rng, INPUTS_SORTS - 1)],
                        0);
    }
}

/* The radius given by the caller is too small, exact or too large. */
static void test_radius(void)
{
    static const uint64_t       radii[] = {1, 3, 40, 1000, 1299};
    static const ordo_algorithm ways[] = {ORDO_ALGORITHM_ROUGH, ORDO_ALGORITHM_HALVING,
                                          ORDO_ALGORITHM_WINDOWS};
    static const char *const    names[] = {"roughly sorted by 3", "roughly sorted by 40",
                                           "one pair swapped", "some NaNs"};
    for (size_t t = 0; t < INPUTS_TYPES; t++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            sample const s =
                make_sample(inputs_types[t], 1300 + t, inputs_find(names[i]), false, GUARD_END);
            for (size_t r = 0; r < sizeof radii / sizeof *radii; r++)
                try_argsort(&s, next_context(), r % 2 != 0, ways[(r + i) % 3], radii[r]);
        }
}

/* The call succeeds within the limit, or fails with ORDO_E_NOMEM and writes nothing. The size that
 * ordo_argsort_scratch returns is enough; try_limit returns it. */
static size_t try_limit(const sample *s, int wide, ordo_algorithm algorithm, unsigned threads,
                        size_t limit)
{
    ordo_type const      index_type = index_types[wide];
    size_t const         bytes = s->n * ordo_type_size(index_type);
    void *const          index = guard_place(&output, bytes, s->side);
    ordo_sort_opts const opts = opts_of(s, algorithm, 0);
    ordo_ctx *const      ctx = CONTEXT(.threads = threads, .mem_limit = limit);
    size_t               enough = 0;

    testkit_case("limit %zu: %s n=%zu %s %s index=%s algorithm=%s threads=%u", limit,
                 ordo_type_name(s->type), s->n, inputs_name(s->shape), s->desc ? "desc" : "asc",
                 ordo_type_name(index_type), inputs_sort_name(algorithm), threads);
    memset(index, 0xee, bytes);
    if (ctx == NULL)
        return 0;
    CHECK_STATUS(ORDO_OK, ordo_argsort_scratch(ctx, s->type, s->n, index_type, &opts, &enough),
                 ctx);
    ordo_status const status = ordo_argsort(ctx, s->type, s->keys, s->n, index_type, index, &opts);
    if (test_check_limited(ctx, status, "argsort", limit, enough))
        is_right(s, wide, index);
    else
        CHECK_EQ_U64(0, test_bytes_not(index, bytes, 0xee));
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
                                         a % 2 != 0, GUARD_END);
            for (int wide = 0; wide < 2; wide++) {
                size_t const enough = try_limit(&s, wide, inputs_sorts[a], threads, 0);
                try_limit(&s, wide, inputs_sorts[a], threads, enough);
            }
            for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
                try_limit(&s, (int)((a + i) % 2), inputs_sorts[a], threads, limits[i]);
        }
}

/* Keys in read-only memory. */
static void test_readonly_input(void)
{
    sample const s = make_sample(ORDO_F32, 30000, inputs_find("some NaNs"), false, GUARD_END);
    guard_readonly(&input, true);
    for (size_t a = 0; a < INPUTS_SORTS - 1; a++)
        for (int wide = 0; wide < 2; wide++)
            try_argsort(&s, next_context(), wide, inputs_sorts[a], 0);
    guard_readonly(&input, false);
}

int main(void)
{
    test_rng rng = {99};
    testkit_start();
    test_contexts_start();
    input = guard_make((size_t)LARGE * 8);
    output = guard_make((size_t)LARGE * 8);
    keys_before = test_keep((size_t)LARGE * 8);
    expected[0] = test_keep((size_t)LARGE * 4);
    expected[1] = test_keep((size_t)LARGE * 8);

    test_small();
    test_shapes();
    test_powers(&rng);
    test_large(&rng);
    test_radius();
    if (!testkit_on_device()) {
        test_mem_limit(1000, 1);
        test_mem_limit(1201, 4);
    }
    test_readonly_input();
    return testkit_done();
}
