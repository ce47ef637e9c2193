/* test_scan.c - ordo_scan against the oracle: every operation, type, output type, ISA and thread
 * count, inclusive and exclusive, to another array and in place, beside inaccessible pages.
 *
 * Sums of floats have no single correct result. They must lie within the error bound of any order
 * of addition, and be the same bytes for every ISA and thread count. */
#include "inputs.h"
#include "oracle.h"
#include "testkit.h"

#include <math.h>
#include <string.h>

enum {
    SMALL = 3 * 64 + 3,
    POWERS = (1 << 14) + 1,
    LARGE = TESTKIT_TSAN ? 70001 : 200003
};

static guard_region   input, output;
static unsigned char *reference;

typedef struct sample {
    ordo_op     op;
    ordo_type   type, out_type;
    size_t      n, shape;
    bool        exclusive;
    guard_side  side;
    const void *keys;
} sample;

static bool is_float_sum(const sample *s) { return s->op == ORDO_SUM && oracle_is_float(s->type); }

static ordo_status scan(const test_context *with, const sample *s, const void *in, void *out)
{
    ordo_scan_opts const opts =
        ORDO_OPTS(ordo_scan_opts, .flags = s->exclusive ? ORDO_EXCLUSIVE : 0);
    testkit_case("%s%s %s->%s n=%zu %s isa=%s threads=%u", in == out ? "in place " : "",
                 s->op == ORDO_SUM       ? "sum"
                 : s->op == ORDO_PRODUCT ? "product"
                 : s->op == ORDO_MIN     ? "min"
                                         : "max",
                 ordo_type_name(s->type), ordo_type_name(s->out_type), s->n, inputs_name(s->shape),
                 with->isa, with->threads);
    return ordo_scan(with->ctx, s->op, s->type, in, s->n, s->out_type, out, &opts);
}

static void prepare(sample *s)
{
    void *const keys = guard_place(&input, s->n * ordo_type_size(s->type), s->side);
    inputs_fill(s->shape, s->type, keys, s->n, s->n);
    s->keys = keys;
    if (!is_float_sum(s)) {
        oracle_scan(s->op, s->type, keys, s->n, s->out_type, reference, s->exclusive);
        return;
    }
    inputs_limit_floats(s->type, keys, s->n);
    memset(reference, 0xee, s->n * ordo_type_size(s->out_type));
    CHECK_STATUS(ORDO_OK, scan(&contexts[0], s, keys, reference), contexts[0].ctx);
    CHECK_EQ_U64(
        s->n, oracle_check_float_sums(s->type, keys, s->n, s->out_type, reference, s->exclusive));
}

static void try_scan(const test_context *with, const sample *s, bool in_place)
{
    size_t const out_size = ordo_type_size(s->out_type);
    size_t const bytes = s->n * out_size;
    void *const  out = guard_place(&output, bytes, s->side);

    if (in_place)
        memcpy(out, s->keys, bytes);
    else
        memset(out, 0xee, bytes);
    CHECK_STATUS(ORDO_OK, scan(with, s, in_place ? out : s->keys, out), with->ctx);
    CHECK_BYTES(reference, out, bytes, out_size);
    CHECK(guard_intact(&output, bytes, s->side));
}

typedef struct variant {
    ordo_op op;
    bool    wide, exclusive;
} variant;

static const variant variants[] = {
    {ORDO_SUM, false, false},    {ORDO_SUM, false, true},     {ORDO_SUM, true, false},
    {ORDO_SUM, true, true},      {ORDO_MIN, false, false},    {ORDO_MIN, false, true},
    {ORDO_MAX, false, false},    {ORDO_MAX, false, true},     {ORDO_PRODUCT, false, false},
    {ORDO_PRODUCT, false, true}, {ORDO_PRODUCT, true, false}, {ORDO_PRODUCT, true, true},
};

enum {
    VARIANTS = sizeof variants / sizeof *variants
};

static sample make_sample(const variant *v, ordo_type type, size_t n, size_t shape, guard_side side)
{
    sample s = {v->op, type, v->wide ? oracle_widest(type) : type, n, shape, v->exclusive,
                side,  NULL};
    prepare(&s);
    return s;
}

static void test_small(void)
{
    unsigned const stride = TESTKIT_SANITIZED ? 24 : 8;
    for (size_t n = 0; n <= SMALL; n++)
        for (size_t t = 0; t < INPUTS_TYPES; t++)
            for (size_t v = 0; v < VARIANTS; v++)
                for (size_t round = 0; round < 2; round++) {
                    if (!testkit_run_case(TESTKIT_TSAN ? 49 : 7) ||
                        (TESTKIT_ASAN && (n + t + v + round) % 3 != 0))
                        continue;
                    size_t const shape = (n * 5 + t + v * 3 + round * 8) % inputs_count();
                    sample const s = make_sample(&variants[v], inputs_types[t], n, shape,
                                                 (n + v) % 3 != 0 ? GUARD_END : GUARD_START);
                    for (size_t c = 0; c < context_count; c++) {
                        if (contexts[c].threads > 1 && (n + t) % stride != contexts[c].threads)
                            continue;
                        try_scan(&contexts[c], &s, false);
                        if (s.type == s.out_type)
                            try_scan(&contexts[c], &s, true);
                    }
                }
}

static void test_powers(test_rng *rng)
{
    size_t const draws = TESTKIT_SANITIZED ? 2 : 8;
    for (size_t n = SMALL; inputs_next_size(&n, SMALL, POWERS);)
        for (size_t t = 0; t < INPUTS_TYPES; t++)
            for (size_t v = 0; v < VARIANTS; v++) {
                if (TESTKIT_TSAN && !testkit_run_case(7))
                    continue;
                sample const s = make_sample(&variants[v], inputs_types[t], n,
                                             test_rng_below(rng, inputs_count()),
                                             (guard_side)test_rng_below(rng, 2));
                for (size_t i = 0; i < draws; i++)
                    try_scan(any_context(rng), &s, s.type == s.out_type && i % 2 != 0);
            }
}

/* Every shape, at a size large enough for threads in the library as shipped. */
static void test_large(test_rng *rng)
{
    size_t const step = TESTKIT_SANITIZED ? 5 : 1;
    for (size_t shape = 0; shape < inputs_count(); shape += step)
        for (size_t v = 0; v < VARIANTS; v++) {
            ordo_type const type = inputs_types[(shape * 3 + v) % INPUTS_TYPES];
            sample const    s = make_sample(&variants[v], type, LARGE - shape, shape, GUARD_END);
            for (size_t i = 0; i < 3; i++)
                try_scan(any_context(rng), &s, s.type == s.out_type && i == 2);
        }
}

/* Zeros and ones: sums of floats are exact in every order. */
static void fill_ones(ordo_type type, void *keys, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double const wide = (double)((uint32_t)i * UINT32_C(2654435761) >> 31);
        float const  narrow = (float)wide;
        if (type == ORDO_F32)
            memcpy((char *)keys + i * sizeof narrow, &narrow, sizeof narrow);
        else
            memcpy((char *)keys + i * sizeof wide, &wide, sizeof wide);
    }
}

/* On a GPU: arrays much larger than the caches take another code path. The CPU gives the expected
 * bytes. */
static void test_past_caches(void)
{
    static const size_t sizes[] = {4300007, 8400000 + 4096 + 1};
    if (!testkit_on_device())
        return;
    ordo_ctx *const      cpu = CONTEXT(.where = ORDO_CPU);
    size_t const         most = sizes[1] * 8;
    unsigned char *const keys = test_keep(most), *const got = test_keep(most),
                         *const want = test_keep(most);
    for (size_t t = 0; t < INPUTS_TYPES; t++)
        for (size_t v = 0; v < VARIANTS; v++) {
            ordo_type const type = inputs_types[t];
            sample const    s = {
                   variants[v].op,     type, variants[v].wide ? oracle_widest(type) : type,
                   sizes[(t + v) % 2], 0,    variants[v].exclusive,
                   GUARD_END,          keys};
            if (is_float_sum(&s))
                fill_ones(type, keys, s.n);
            else
                inputs_fill(0, type, keys, s.n, t + v);
            test_context const on_cpu = {.ctx = cpu, .isa = "", .threads = 1};
            CHECK_STATUS(ORDO_OK, scan(&on_cpu, &s, keys, want), cpu);
            CHECK_STATUS(ORDO_OK, scan(&contexts[0], &s, keys, got), contexts[0].ctx);
            CHECK_BYTES(want, got, s.n * ordo_type_size(s.out_type), ordo_type_size(s.out_type));
        }
    ordo_ctx_free(cpu);
}

/* Sums of floats are the same bytes in every context, at sizes around the borders of blocks. */
static void test_float_bytes(void)
{
    static const size_t sizes[] = {1000, 4095, 65537, 150001, LARGE};
    size_t const        count = TESTKIT_SANITIZED ? 3 : 5;
    for (size_t i = 0; i < count; i++)
        for (size_t v = 0; v < 4; v++)
            for (int t = 0; t < 2; t++) {
                size_t const shape = (i + v) % 2 != 0 ? 0 : 1; /* random bits, special values */
                sample const s = make_sample(&variants[v], t != 0 ? ORDO_F32 : ORDO_F64, sizes[i],
                                             i == 4 ? 18 : shape, GUARD_END);
                for (size_t c = 0; c < context_count; c++)
                    try_scan(&contexts[c], &s, s.type == s.out_type && c % 2 != 0);
            }
}

/* The first results of minima and maxima. NaN is above +inf, so the first result of an exclusive
 * minimum is below the second if that is NaN. */
static void test_where_scans_start(void)
{
    static const struct {
        ordo_op op;
        bool    exclusive;
        float   out[4];
    } cases[] = {
        {ORDO_MIN, false, {NAN, 1, -0.0f, -0.0f}},
        {ORDO_MIN, true, {INFINITY, NAN, 1, -0.0f}},
        {ORDO_MAX, false, {NAN, NAN, NAN, NAN}},
        {ORDO_MAX, true, {-INFINITY, NAN, NAN, NAN}},
    };
    float const in[4] = {NAN, 1, -0.0f, 0.0f};

    for (size_t c = 0; c < context_count; c++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            float                out[4];
            ordo_scan_opts const opts =
                ORDO_OPTS(ordo_scan_opts, .flags = cases[i].exclusive ? ORDO_EXCLUSIVE : 0);
            testkit_case("start of a scan, case %zu isa=%s", i, contexts[c].isa);
            CHECK_STATUS(
                ORDO_OK,
                ordo_scan(contexts[c].ctx, cases[i].op, ORDO_F32, in, 4, ORDO_F32, out, &opts),
                contexts[c].ctx);
            CHECK_BYTES(cases[i].out, out, sizeof out, sizeof *out);
        }
}

/* Products of floats go on after underflow, as the loop of the oracle: later keys are not
 * multiplied with each other first, which would give inf and then NaN. */
static void test_product_order(void)
{
    enum {
        N = 100000
    };
    double *const keys = test_keep(N * sizeof *keys), *const out = test_keep(N * sizeof *out);
    for (size_t i = 0; i < N; i++)
        keys[i] = i < 1000 ? 0.25 : 8;
    for (size_t c = 0; c < context_count; c++) {
        testkit_case("order of a product isa=%s threads=%u", contexts[c].isa, contexts[c].threads);
        CHECK_STATUS(
            ORDO_OK,
            ordo_scan(contexts[c].ctx, ORDO_PRODUCT, ORDO_F64, keys, N, ORDO_F64, out, NULL),
            contexts[c].ctx);
        CHECK(out[1] == 0.0625 && out[600] == 0 && out[N - 1] == 0);
    }
}

/* Factors near 1: no product overflows, and every rounding shows in the results. */
static void test_product_rounding(void)
{
    enum {
        N = 70001
    };
    float *const         single = test_keep(N * sizeof *single);
    double *const        keys = test_keep(N * sizeof *keys);
    test_rng             rng = {17};
    unsigned char *const want = test_keep(N * sizeof *keys), *const got =
                                                                 test_keep(N * sizeof *keys);
    for (size_t i = 0; i < N; i++) {
        keys[i] = 1 + ((double)test_rng_below(&rng, 2001) - 1000) / 262144;
        keys[i] = i % 97 == 0 ? -keys[i] : keys[i];
        single[i] = (float)keys[i];
    }
    for (size_t c = 0; c < context_count; c++)
        for (size_t v = VARIANTS - 4; v < VARIANTS; v++)
            for (int t = 0; t < 2; t++) {
                ordo_type const   type = t != 0 ? ORDO_F32 : ORDO_F64;
                ordo_type const   out_type = variants[v].wide ? ORDO_F64 : type;
                const void *const in = t != 0 ? (const void *)single : keys;
                sample const      s = {ORDO_PRODUCT,          type,      out_type, N, 0,
                                       variants[v].exclusive, GUARD_END, in};
                oracle_scan(ORDO_PRODUCT, type, in, N, out_type, want, s.exclusive);
                CHECK_STATUS(ORDO_OK, scan(&contexts[c], &s, in, got), contexts[c].ctx);
                CHECK_BYTES(want, got, N * ordo_type_size(out_type), ordo_type_size(out_type));
            }
}

static void test_readonly_input(void)
{
    sample const s = make_sample(&variants[0], ORDO_U32, 30000, 0, GUARD_END);
    guard_readonly(&input, true);
    for (size_t c = 0; c < context_count; c++)
        try_scan(&contexts[c], &s, false);
    guard_readonly(&input, false);
}

int main(void)
{
    test_rng rng = {7};
    testkit_start();
    test_contexts_start();
    input = guard_make(LARGE * 8);
    output = guard_make(LARGE * 8);
    reference = test_keep(LARGE * 8);

    test_small();
    test_powers(&rng);
    test_large(&rng);
    test_product_order();
    test_product_rounding();
    test_past_caches();
    test_float_bytes();
    test_where_scans_start();
    test_readonly_input();
    return testkit_done();
}
