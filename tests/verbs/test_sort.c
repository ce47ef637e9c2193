/* test_sort.c - ordo_sort against the oracle: every type, algorithm, shape and direction, with all
 * ISAs and thread counts in turn, on arrays beside inaccessible pages.
 *
 * All algorithms write the same bytes. Further tests: every small size, sizes around powers of
 * two, arrays large enough for threads, too little memory, the choice of AUTO, a wrong radius,
 * opts.source, and inputs that make simple sorts quadratic. */
#include "inputs.h"
#include "oracle.h"
#include "testkit.h"

#include <string.h>

enum {
    SMALL = 3 * 64 + 8,
    POWERS = (1 << 16) + 1,
#ifdef ORDO_TINY
    LARGE = 70001,
    IF_SHIPPED = false, /* the low thresholds of the test build choose another algorithm */
#else
    LARGE = TESTKIT_TSAN ? 40009 : TESTKIT_SANITIZED ? 150007 : 300007,
    IF_SHIPPED = true,
#endif
    BUBBLE_MOST = 1500 /* the largest unsorted array for a quadratic sort */
};

static guard_region region;
static void        *original, *original_before, *expected;

/* The keys are in `original`, the sorted keys in `expected`. */
typedef struct sample {
    ordo_type  type;
    size_t     n, shape;
    bool       desc;
    guard_side side;
} sample;

static sample make_sample(ordo_type type, size_t n, size_t shape, bool desc, guard_side side)
{
    inputs_fill(shape, type, original, n, n + 1);
    oracle_sort(type, original, n, desc, expected);
    return (sample){type, n, shape, desc, side};
}

static void *put_keys(const sample *s)
{
    size_t const bytes = s->n * ordo_type_size(s->type);
    void *const  keys = guard_place(&region, bytes, s->side);
    memcpy(keys, original, bytes);
    return keys;
}

static ordo_sort_opts opts_of(const sample *s, ordo_algorithm algorithm)
{
    return ORDO_OPTS(ordo_sort_opts,
                     .flags = (s->desc ? ORDO_DESCENDING : 0) | (s->n % 2 != 0 ? ORDO_STABLE : 0),
                     .algorithm = (uint32_t)inputs_supported(algorithm, true));
}

static void is_right(const sample *s, const void *keys)
{
    size_t const size = ordo_type_size(s->type);
    CHECK_BYTES(expected, keys, s->n * size, size);
    CHECK(guard_intact(&region, s->n * size, s->side));
}

static void try_opts(const sample *s, const test_context *with, const ordo_sort_opts *opts)
{
    void *const keys = put_keys(s);
    testkit_case("%s n=%zu %s %s algorithm=%s radius=%zu isa=%s threads=%u",
                 ordo_type_name(s->type), s->n, inputs_name(s->shape), s->desc ? "desc" : "asc",
                 inputs_sort_name((ordo_algorithm)opts->algorithm), (size_t)opts->radius, with->isa,
                 with->threads);
    CHECK_STATUS(ORDO_OK, ordo_sort(with->ctx, s->type, keys, s->n, opts), with->ctx);
    is_right(s, keys);
}

/* Sorts from `original` to another array. */
static void try_from(const sample *s, const test_context *with, const ordo_sort_opts *opts)
{
    size_t const   bytes = s->n * ordo_type_size(s->type);
    void *const    keys = guard_place(&region, bytes, s->side);
    ordo_sort_opts from = *opts;
    from.source = original;
    memset(keys, 0xee, bytes);
    memcpy(original_before, original, bytes);
    CHECK_STATUS(ORDO_OK, ordo_sort(with->ctx, s->type, keys, s->n, &from), with->ctx);
    is_right(s, keys);
    CHECK_BYTES(original_before, original, bytes, 1);
}

static void try_sort(const sample *s, const test_context *with, ordo_algorithm algorithm)
{
    static size_t        turn;
    ordo_sort_opts const opts = opts_of(s, algorithm);
    try_opts(s, with, &opts);
    if (turn++ % (TESTKIT_SANITIZED ? 11 : 3) == 0)
        try_from(s, with, &opts);
}

static void test_small(void)
{
    size_t const step = TESTKIT_SANITIZED ? 3 : 1;
    for (size_t n = 0; n <= SMALL; n++)
        for (size_t t = 0; t < INPUTS_TYPES; t++)
            for (int desc = 0; desc < 2; desc++) {
                if (!testkit_run_case(TESTKIT_TSAN ? 49 : 7))
                    continue;
                size_t const shape = (n * 5 + t * 3 + (size_t)desc) % inputs_count();
                sample const s = make_sample(inputs_types[t], n, shape, desc != 0,
                                             (n + t) % 3 != 0 ? GUARD_END : GUARD_START);
                for (size_t a = (n + t) % step; a < INPUTS_SORTS; a += step)
                    try_sort(&s, next_context(), inputs_sorts[a]);
            }
}

static void test_shapes(void)
{
    for (size_t shape = 0; shape < inputs_count(); shape++)
        for (size_t t = 0; t < INPUTS_TYPES; t++)
            for (int desc = 0; desc < 2; desc++) {
                size_t const n = (TESTKIT_SANITIZED ? 300 : 600) + (shape * 37 + t * 13) % 400;
                if (TESTKIT_SANITIZED && (shape + t) % 2 != (size_t)desc)
                    continue;
                sample const s = make_sample(inputs_types[t], n, shape, desc != 0, GUARD_END);
                for (size_t a = TESTKIT_TSAN ? (shape + t) % 3 : 0; a < INPUTS_SORTS;
                     a += TESTKIT_TSAN ? 3 : 1)
                    try_sort(&s, next_context(), inputs_sorts[a]);
            }
}

/* An algorithm that sorts n unsorted keys in reasonable time. */
static ordo_algorithm some_algorithm(test_rng *rng, size_t n)
{
    return inputs_sorts[test_rng_below(rng, n <= BUBBLE_MOST ? INPUTS_SORTS : INPUTS_SORTS - 1)];
}

static void test_powers(test_rng *rng)
{
    size_t const draws = TESTKIT_SANITIZED ? 1 : 4;
    for (size_t n = SMALL; inputs_next_size(&n, SMALL, POWERS);)
        for (size_t t = n % 2; t<INPUTS_TYPES; t += n> 10000 ? 2 : 1) {
            sample const s =
                make_sample(inputs_types[t], n, test_rng_below(rng, inputs_count()),
                            test_rng_below(rng, 2) != 0, (guard_side)test_rng_below(rng, 2));
            try_sort(&s, next_context(), ORDO_ALGORITHM_AUTO);
            for (size_t i = 0; i < draws; i++)
                try_sort(&s, next_context(), some_algorithm(rng, n));
        }
}

/* Every context sorts the same large arrays of random and of skewed keys. */
static void test_large(test_rng *rng)
{
    static const ordo_type types[] = {ORDO_U32, ORDO_F64, ORDO_I8, ORDO_F32, ORDO_U16, ORDO_I64};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        size_t const shape = t % 2 == 0 ? 0 : inputs_find("skewed");
        sample const s = make_sample(types[t], LARGE - t, shape, t % 4 > 1, GUARD_END);
        for (size_t c = TESTKIT_SANITIZED && context_count > 3 ? 3 : 0; c < context_count;
             c += TESTKIT_SANITIZED ? 5 : 1)
            try_sort(&s, &contexts[c], c % 2 == 0 ? ORDO_ALGORITHM_AUTO : some_algorithm(rng, s.n));
    }
}

/* Whether AUTO sorts that array in windows: the thresholds ORDO_TUNE_ROUGH_* of cpu/base/tuning.h
 * allow every radius of the array. */
static bool is_rough_worth(ordo_type type, const char *isa, const char *name)
{
    bool const vectors = strcmp(isa, "avx512") == 0;
    return ordo_type_size(type) == 4 && (!vectors || strcmp(name, "roughly sorted by 3") == 0);
}

/* Arrays with some order or few values. AUTO reports the algorithm it chose, which is not the radix
 * sort if the array has an order. A named algorithm reports its name. */
static void test_adaptive(void)
{
    static const struct {
        const char *name;
        bool        ordered; /* sorted, falling, few runs, or nearly sorted */
    } arrays[] = {{"ramp", true},
                  {"falling ramp", true},
                  {"few runs", IF_SHIPPED},
                  {"roughly sorted by 3", true},
                  {"roughly sorted by 40", IF_SHIPPED},
                  {"rotated ramp", false},
                  {"all equal", true},
                  {"recurrence 0.9", true},
                  {"steep falling ramp", false},
                  {"few falling runs", false},
                  {"few distinct", false},
                  {"narrow range", false},
                  {"organ pipe", false},
                  {"one pair swapped", false},
                  {"few pairs swapped", false},
                  {"ramp and a random tail", false},
                  {"one heavy value", false},
                  {"only low bits differ", false},
                  {"some NaNs", false},
                  {"both zeros", false}};
    static const ordo_type types[] = {ORDO_I32, ORDO_F64, ORDO_U64, ORDO_F32};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        for (size_t t = 0; t < 4; t++) {
            bool const                desc = (i + t / 2) % 2 != 0;
            size_t const              shape = inputs_find(arrays[i].name);
            const test_context *const with = next_context();
            sample const              s = make_sample(types[t], LARGE / 3, shape, desc, GUARD_END);
            try_sort(&s, with, ORDO_ALGORITHM_AUTO);
            ordo_report const seen = report_of(with->ctx);
            CHECK(seen.algorithm[0] != '\0' && strcmp(seen.algorithm, "auto") != 0);
            CHECK(strcmp(seen.operation, "sort") == 0 && seen.n == s.n && seen.type == s.type);
            bool const rough = strncmp(arrays[i].name, "roughly", 7) == 0;
            bool const worth = !rough || is_rough_worth(types[t], with->isa, arrays[i].name);
            if (arrays[i].ordered && !desc && types[t] != ORDO_U64 && /* u64 ramps wrap around */
                worth && !testkit_on_device())
                CHECK(strcmp(seen.algorithm, "radix") != 0);

            ordo_algorithm const named =
                inputs_supported(inputs_sorts[1 + (i * 4 + t) % (INPUTS_SORTS - 2)], true);
            try_sort(&s, with, named);
            if (named != ORDO_ALGORITHM_WINDOWS ||
                !testkit_on_device()) /* the GPU may take radix */
                CHECK(strcmp(report_of(with->ctx).algorithm, inputs_sort_name(named)) == 0);
        }
}

/* The radius given by the caller is too small, exact or too large. */
static void test_radius(void)
{
    static const char *const    names[] = {"roughly sorted by 40", "roughly sorted by 3",
                                           "random bits",          "one pair swapped",
                                           "falling ramp",         "some NaNs"};
    static const uint64_t       radii[] = {1, 2, 3, 39, 40, 41, 1000, 1199};
    static const ordo_algorithm ways[] = {ORDO_ALGORITHM_ROUGH, ORDO_ALGORITHM_HALVING,
                                          ORDO_ALGORITHM_WINDOWS};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t t = i % 2; t < INPUTS_TYPES; t += 2)
            for (size_t r = 0; r < sizeof radii / sizeof *radii; r++) {
                sample const s = make_sample(inputs_types[t], 1200 + 50 * r, inputs_find(names[i]),
                                             r % 2 != 0, GUARD_END);
                for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
                    ordo_sort_opts opts = opts_of(&s, inputs_supported(ways[w], true));
                    opts.radius = radii[r];
                    try_opts(&s, next_context(), &opts);
                }
            }
}

/* The sort succeeds within the limit, or fails with ORDO_E_NOMEM and changes nothing. AUTO and
 * RADIX never fail. The size that ordo_sort_scratch returns is enough; try_limit returns it. */
static size_t try_limit(const sample *s, ordo_algorithm algorithm, unsigned threads, size_t limit)
{
    size_t const         bytes = s->n * ordo_type_size(s->type);
    ordo_sort_opts const opts = opts_of(s, algorithm);
    void *const          keys = put_keys(s);
    ordo_ctx *const      ctx = CONTEXT(.threads = threads, .mem_limit = limit);
    size_t               enough = 0;
    if (ctx == NULL)
        return 0;
    testkit_case("limit %zu: %s n=%zu %s %s algorithm=%s threads=%u", limit,
                 ordo_type_name(s->type), s->n, inputs_name(s->shape), s->desc ? "desc" : "asc",
                 inputs_sort_name(algorithm), threads);
    CHECK_STATUS(ORDO_OK, ordo_sort_scratch(ctx, s->type, s->n, &opts, &enough), ctx);
    ordo_status const status = ordo_sort(ctx, s->type, keys, s->n, &opts);
    if (algorithm <= ORDO_ALGORITHM_RADIX || limit == 0 || limit >= enough)
        CHECK_STATUS(ORDO_OK, status, ctx);
    if (test_check_limited(ctx, status, "sort", limit, enough))
        is_right(s, keys);
    else
        CHECK_BYTES(original, keys, bytes, 1);
    ordo_ctx_free(ctx);
    return enough;
}

static void test_mem_limit(size_t n, unsigned threads)
{
    static const char *const names[] = {"random bits", "some NaNs", "roughly sorted by 40",
                                        "few runs", "skewed"};
    size_t const             step = n > 10000 ? 4 : TESTKIT_SANITIZED ? 3 : 1;
    size_t const             sorts = n > BUBBLE_MOST ? INPUTS_SORTS - 1 : INPUTS_SORTS;
    for (size_t t = n % step; t < INPUTS_TYPES; t += step)
        for (size_t a = 0; a < sorts; a++) {
            size_t const size = ordo_type_size(inputs_types[t]);
            size_t const limits[] = {1,       4096, n, 2 * n, n * size, n * size + n, 3 * n * size,
                                     SIZE_MAX};
            sample const s = make_sample(inputs_types[t], n, inputs_find(names[(a + t) % 5]),
                                         a % 2 != 0, GUARD_END);
            size_t const enough = try_limit(&s, inputs_sorts[a], threads, 0);
            try_limit(&s, inputs_sorts[a], threads, enough);
            try_limit(&s, inputs_sorts[a], threads, enough > 1 ? enough - 1 : 1);
            for (size_t i = TESTKIT_TSAN ? (a + t) % 3 : 0; i < sizeof limits / sizeof *limits;
                 i += TESTKIT_TSAN ? 3 : 1)
                try_limit(&s, inputs_sorts[a], threads, limits[i]);
        }
}

/* There is too little memory to measure the radius of nearly sorted keys. */
static void test_rough_limit(test_rng *rng)
{
    uint64_t *const keys = original;
    ordo_ctx *const ctx = CONTEXT(.threads = 2, .mem_limit = 1000);
    testkit_case("roughly sorted by 500, little memory");
    for (size_t i = 0; i < LARGE; i++)
        keys[i] = i + test_rng_below(rng, 500);
    oracle_sort(ORDO_U64, original, LARGE, false, expected);
    CHECK_STATUS(ORDO_OK, ordo_sort(ctx, ORDO_U64, keys, LARGE, NULL), ctx);
    CHECK_BYTES(expected, keys, LARGE * sizeof *keys, sizeof *keys);
    ordo_ctx_free(ctx);
}

/* opts.source must not overlap the keys; only ordo_sort accepts it. */
static void test_from_errors(void)
{
    const char *const    text = "b";
    const char          *pointers[] = {text};
    ordo_strings const   strings = {.struct_size = sizeof strings, .pointers = pointers};
    ordo_ctx *const      ctx = test_context_make(1);
    uint32_t             keys[4] = {4, 3, 2, 1}, other[4] = {0, 0, 0, 0};
    uint32_t const       keys_of[4] = {4, 3, 2, 1};
    ordo_sort_opts const overlaps = ORDO_OPTS(ordo_sort_opts, .source = keys + 1);
    ordo_sort_opts const same = ORDO_OPTS(ordo_sort_opts, .source = keys);
    ordo_sort_opts const from = ORDO_OPTS(ordo_sort_opts, .source = other);
    testkit_case("invalid opts.source");
    CHECK_STATUS(ORDO_E_ARG, ordo_sort(ctx, ORDO_U32, keys, 3, &overlaps), ctx);
    CHECK(strstr(ordo_last_error(ctx), "opts.source") != NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_sort(ctx, ORDO_U32, keys, 4, &same), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_sort_pairs(ctx, ORDO_U32, keys, 2, keys + 2, 4, &from), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_argsort(ctx, ORDO_U32, keys, 2, ORDO_U32, keys + 2, &from), ctx);
    CHECK(strstr(ordo_last_error(ctx), "opts.source") != NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_sort_pointers(ctx, pointers, 1, &from), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_argsort_strings(ctx, &strings, 1, ORDO_U32, other, &from), ctx);
    CHECK_BYTES(keys_of, keys, sizeof keys, sizeof *keys);
    ordo_ctx_free(ctx);
}

/* Inputs that make a textbook quicksort quadratic take at most 50 times the CPU time of random
 * keys. A quadratic sort of this many keys would take thousands of times as long. */
static void test_killers(void)
{
    static const char *const names[] = {
        "median of three killer", "middle killer",   "organ pipe",        "sawtooth", "zigzag",
        "one bit differs",        "one heavy value", "steep falling ramp"};
    static const ordo_algorithm algorithms[] = {ORDO_ALGORITHM_AUTO, ORDO_ALGORITHM_RADIX,
                                                ORDO_ALGORITHM_SAMPLE, ORDO_ALGORITHM_MERGE};
    ordo_ctx *const             ctx = test_context_make(2);
    for (size_t a = 0; a < 4; a++) {
        double base = 0;
        for (size_t i = 0; i <= sizeof names / sizeof *names; i++) {
            size_t const shape = i == 0 ? 0 : inputs_find(names[i - 1]);
            double       best = 1e9;
            bool         good = false; /* one of many attempts: others may lose time to noise */
            sample const s = {ORDO_U32, LARGE, shape, false, GUARD_END};
            inputs_fill(shape, s.type, original, s.n, 3);
            for (int repeat = 0; repeat < (TESTKIT_TSAN ? 1 : 3) || (repeat < 50 && !good);
                 repeat++) {
                void *const          keys = put_keys(&s);
                ordo_sort_opts const opts = opts_of(&s, algorithms[a]);
                double const         start = test_cpu_seconds();
                CHECK_STATUS(ORDO_OK, ordo_sort(ctx, s.type, keys, s.n, &opts), ctx);
                double const took = test_cpu_seconds() - start;
                best = took < best ? took : best;
                good = i == 0 || best < 50 * base + 0.020;
            }
            testkit_case("%s of %s: %g s, random keys %g s", inputs_sort_name(algorithms[a]),
                         inputs_name(shape), best, base);
            base = i == 0 ? best : base;
            CHECK(good);
        }
    }
    ordo_ctx_free(ctx);
}

/* AUTO detects long falling steps of equal keys, although its sample meets few of the steps. */
static void test_falling_steps(void)
{
    ordo_ctx *const ctx = test_context_make(2);
    uint32_t *const keys = original;
    testkit_case("falling steps of equal keys");
    CHECK_STATUS(ORDO_OK, ordo_gen(ctx, ORDO_DIST_DUPES, ORDO_U32, keys, LARGE, NULL), ctx);
    CHECK_STATUS(ORDO_OK, ordo_sort(ctx, ORDO_U32, keys, LARGE, NULL), ctx);
    CHECK(testkit_on_device() || strcmp(report_of(ctx).algorithm, "reverse") == 0);
    size_t falls = 0;
    for (size_t i = 1; i < LARGE; i++)
        falls += keys[i - 1] > keys[i];
    CHECK_EQ_U64(0, falls);
    ordo_ctx_free(ctx);
}

static void test_defaults(void)
{
    testkit_case("opts == NULL");
    for (size_t t = 0; t < INPUTS_TYPES; t++) {
        sample const              s = make_sample(inputs_types[t], 3000, 0, false, GUARD_START);
        void *const               keys = put_keys(&s);
        const test_context *const with = next_context();
        CHECK_STATUS(ORDO_OK, ordo_sort(with->ctx, s.type, keys, s.n, NULL), with->ctx);
        is_right(&s, keys);
    }
}

int main(void)
{
    test_rng rng = {2026};
    testkit_start();
    test_contexts_start();
    region = guard_make((size_t)LARGE * 8);
    original = test_keep((size_t)LARGE * 8);
    original_before = test_keep((size_t)LARGE * 8);
    expected = test_keep((size_t)LARGE * 8);

    test_small();
    test_shapes();
    test_powers(&rng);
    test_large(&rng);
    test_adaptive();
    test_radius();
    if (!testkit_on_device()) {
        test_mem_limit(1000, 1);
        test_mem_limit(1201, 4);
        test_mem_limit(LARGE / 2, 4);
        test_rough_limit(&rng);
    }
    test_killers();
    test_falling_steps();
    test_defaults();
    test_from_errors();
    return testkit_done();
}
