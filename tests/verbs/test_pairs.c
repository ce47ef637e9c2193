/* test_pairs.c - ordo_sort_pairs: values of 1 to 16 bytes move with their keys, and equal keys (all
 * NaNs; -0 and +0) keep their order, whatever the algorithm.
 *
 * A value holds the number of its key, as many low bytes of it as there is room for, and above
 * them bytes made of it. So the expected bytes follow from the oracle's argsort alone; that
 * equal keys kept their order is also seen directly, without it. Keys and values both end or
 * begin at forbidden pages, which puts values of odd sizes at odd addresses. */
#include "inputs.h"
#include "oracle.h"
#include "testkit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SMALL = 3 * 64 + 8,
    POWERS = (1 << 15) + 1,
    VALUE_MOST = 16,
#ifdef ORDO_TINY
    LARGE = 50021,
#else
    LARGE = TESTKIT_SANITIZED ? 140009 : 200003,
#endif
    BUBBLE_MOST = 1500 /* keys in any order that a quadratic sort is asked to sort */
};

static test_context   contexts[TEST_MAX_CONTEXTS];
static size_t         context_count;
static guard_region   key_region, value_region;
static unsigned char *keys_before, *keys_after, *values_before, *values_after;
static uint64_t      *order;

typedef struct sample {
    ordo_type  type;
    size_t     n, shape, value_size;
    bool       desc;
    guard_side side;
} sample;

static void put_number(unsigned char *value, size_t size, uint64_t number)
{
    uint64_t const above = number * UINT64_C(0x9e3779b97f4a7c15) + 1;
    for (size_t byte = 0; byte < size; byte++)
        value[byte] = (unsigned char)(byte < 8 ? number >> 8 * byte : above >> 8 * (byte - 8));
}

/* The number in a value, as far as it had room. */
static uint64_t get_number(const unsigned char *value, size_t size)
{
    uint64_t number = 0;
    for (size_t byte = size < 8 ? size : 8; byte-- > 0;)
        number = number << 8 | value[byte];
    return number;
}

static void set_value_size(sample *s, size_t value_size)
{
    s->value_size = value_size;
    for (size_t i = 0; i < s->n; i++)
        put_number(values_before + i * value_size, value_size, i);
    oracle_gather(values_before, value_size, order, s->n, values_after);
}

static sample make_sample(ordo_type type, size_t n, size_t shape, size_t value_size, bool desc,
                          guard_side side)
{
    sample s = {type, n, shape, value_size, desc, side};
    inputs_fill(shape, type, keys_before, n, n + 7);
    oracle_argsort(type, keys_before, n, desc, ORDO_U64, order);
    oracle_gather(keys_before, ordo_type_size(type), order, n, keys_after);
    set_value_size(&s, value_size);
    return s;
}

typedef struct arrays {
    size_t         key_bytes, value_bytes;
    void          *keys;
    unsigned char *values;
} arrays;

static arrays put_arrays(const sample *s)
{
    arrays a = {s->n * ordo_type_size(s->type), s->n * s->value_size, NULL, NULL};
    a.keys = guard_place(&key_region, a.key_bytes, s->side);
    a.values = guard_place(&value_region, a.value_bytes, s->side);
    memcpy(a.keys, keys_before, a.key_bytes);
    memcpy(a.values, values_before, a.value_bytes);
    return a;
}

static ordo_sort_opts opts_of(const sample *s, ordo_algorithm algorithm)
{
    return ORDO_OPTS(ordo_sort_opts, .flags = s->desc ? ORDO_DESCENDING : 0,
                     .algorithm = (uint32_t)inputs_known(algorithm, false));
}

/* In order, and equal keys by their old numbers; the oracle's sort has no part in this. */
static size_t unstable_places(const sample *s, const arrays *a)
{
    size_t bad = 0;
    for (size_t i = 1; i < s->n; i++) {
        int const      ordered = oracle_compare(s->type, a->keys, i - 1, a->keys, i, s->desc);
        uint64_t const left = get_number(a->values + (i - 1) * s->value_size, s->value_size);
        uint64_t const right = get_number(a->values + i * s->value_size, s->value_size);
        bad += ordered > 0 || (ordered == 0 && left >= right);
    }
    return bad;
}

static void are_right(const sample *s, const arrays *a)
{
    bool const numbers_fit = s->value_size >= 4 || s->n <= (size_t)1 << 8 * s->value_size;
    CHECK_BYTES(keys_after, a->keys, a->key_bytes, ordo_type_size(s->type));
    CHECK_BYTES(values_after, a->values, a->value_bytes, s->value_size);
    CHECK_EQ_U64(0, numbers_fit ? unstable_places(s, a) : 0);
    CHECK(guard_intact(&key_region, a->key_bytes, s->side));
    CHECK(guard_intact(&value_region, a->value_bytes, s->side));
}

static void name_case(const sample *s, const char *what, ordo_algorithm algorithm, const char *isa,
                      unsigned threads)
{
    testkit_case("%s%s + %zu bytes n=%zu %s %s algorithm=%s isa=%s threads=%u", what,
                 ordo_type_name(s->type), s->value_size, s->n, inputs_name(s->shape),
                 s->desc ? "desc" : "asc", inputs_sort_name(algorithm), isa, threads);
}

static void try_pairs(const sample *s, const test_context *with, ordo_algorithm algorithm)
{
    arrays const         a = put_arrays(s);
    ordo_sort_opts const opts = opts_of(s, algorithm);
    name_case(s, "", algorithm, with->isa, with->threads);
    CHECK_STATUS(ORDO_OK,
                 ordo_sort_pairs(with->ctx, s->type, a.keys, s->n, a.values, s->value_size, &opts),
                 with->ctx);
    are_right(s, &a);
}

/* Another context each time. */
static const test_context *next_context(void)
{
    static size_t turn;
    return &contexts[turn++ % context_count];
}

static void test_small(void)
{
    size_t const step = TESTKIT_SANITIZED ? 3 : 1;
    for (size_t n = 0; n <= SMALL; n++)
        for (size_t t = 0; t < INPUTS_TYPES; t++) {
            if (!testkit_turn(7))
                continue;
            size_t const shape = (n * 5 + t * 3) % inputs_count();
            sample const s =
                make_sample(inputs_types[t], n, shape, 1 + (n + t * 7) % VALUE_MOST,
                            (n / 3 + t) % 2 != 0, (n + t) % 3 != 0 ? GUARD_END : GUARD_START);
            for (size_t a = (n + t) % step; a < INPUTS_SORTS; a += step)
                try_pairs(&s, next_context(), inputs_sorts[a]);
        }
}

/* Every type, algorithm and shape; sizes of values and directions take turns. */
static void test_shapes(void)
{
    for (size_t shape = 0; shape < inputs_count(); shape++)
        for (size_t t = 0; t < INPUTS_TYPES; t++) {
            size_t const n = 300 + (shape * 37 + t * 13) % 400;
            sample const s =
                make_sample(inputs_types[t], n, shape, 1 + (shape + t * 5) % VALUE_MOST,
                            (shape + t) % 2 != 0, GUARD_END);
            for (size_t a = 0; a < INPUTS_SORTS; a++)
                try_pairs(&s, next_context(), inputs_sorts[a]);
        }
}

/* Every type, algorithm and size of values, where many keys tie. */
static void test_value_sizes(void)
{
    static const char *const names[] = {"some NaNs", "both zeros", "skewed", "few distinct"};
    for (size_t t = 0; t < INPUTS_TYPES; t++)
        for (size_t size = 1; size <= VALUE_MOST; size++) {
            sample const s =
                make_sample(inputs_types[t], 500 + 17 * size, inputs_find(names[(t + size) % 4]),
                            size, (t + size / 4) % 2 != 0, (guard_side)(size % 2));
            for (size_t a = 0; a < INPUTS_SORTS; a++)
                try_pairs(&s, next_context(), inputs_sorts[a]);
        }
}

static void test_powers(test_rng *rng)
{
    size_t const draws = TESTKIT_SANITIZED ? 1 : 3;
    for (size_t n = SMALL; inputs_next_size(&n, SMALL, POWERS);)
        for (size_t t = n % 3; t<INPUTS_TYPES; t += n> 5000 ? 3 : 1) {
            sample const s =
                make_sample(inputs_types[t], n, test_rng_below(rng, inputs_count()),
                            1 + test_rng_below(rng, VALUE_MOST), test_rng_below(rng, 2) != 0,
                            (guard_side)test_rng_below(rng, 2));
            try_pairs(&s, next_context(), ORDO_ALGORITHM_AUTO);
            for (size_t i = 0; i < draws; i++)
                try_pairs(&s, next_context(),
                          inputs_sorts[test_rng_below(rng, n <= BUBBLE_MOST ? INPUTS_SORTS
                                                                            : INPUTS_SORTS - 1)]);
        }
}

static void test_large(test_rng *rng)
{
    static const ordo_type   types[] = {ORDO_U32, ORDO_F64, ORDO_I16, ORDO_F32, ORDO_U64, ORDO_I8};
    static const size_t      sizes[] = {4, 8, 16, 12, 3, 1};
    static const char *const names[] = {"random bits", "skewed", "some NaNs", "few runs"};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        sample s = make_sample(types[t], LARGE - t, inputs_find(names[t % 4]), sizes[t], t % 4 > 1,
                               GUARD_END);
        for (size_t c = t % 3; c < context_count; c += TESTKIT_SANITIZED ? 5 : 3) {
            set_value_size(&s, sizes[(t + c) % 6]);
            try_pairs(&s, &contexts[c],
                      c % 2 == 0 ? ORDO_ALGORITHM_AUTO
                                 : inputs_sorts[test_rng_below(rng, INPUTS_SORTS - 1)]);
        }
    }
}

/* Right within the limit, or ORDO_E_NOMEM and both arrays as they were; what
 * ordo_sort_pairs_scratch asks for, which is returned, is enough. */
static size_t try_limit(const sample *s, ordo_algorithm algorithm, unsigned threads, size_t limit)
{
    ordo_ctx           *ctx = NULL;
    ordo_ctx_opts const ctx_opts = ORDO_OPTS(ordo_ctx_opts, .threads = threads, .mem_limit = limit);
    ordo_sort_opts const opts = opts_of(s, algorithm);
    arrays const         a = put_arrays(s);
    size_t               enough = 0;
    char                 what[48];

    snprintf(what, sizeof what, "limit %zu: ", limit);
    name_case(s, what, algorithm, "best", threads);
    if (!CHECK_STATUS(ORDO_OK, ordo_ctx_create(&ctx, &ctx_opts), NULL))
        return 0;
    CHECK_STATUS(ORDO_OK,
                 ordo_sort_pairs_scratch(ctx, s->type, s->n, s->value_size, &opts, &enough), ctx);
    ordo_status const status =
        ordo_sort_pairs(ctx, s->type, a.keys, s->n, a.values, s->value_size, &opts);
    if (status == ORDO_OK) {
        ordo_report report = {.struct_size = sizeof report};
        are_right(s, &a);
        CHECK_STATUS(ORDO_OK, ordo_last_report(ctx, &report), ctx);
        CHECK(limit == 0 || report.scratch_bytes <= limit);
        CHECK(report.scratch_bytes <= enough);
        CHECK(strcmp(report.operation, "sort_pairs") == 0 && report.algorithm[0] != '\0');
    } else {
        CHECK_STATUS(ORDO_E_NOMEM, status, ctx);
        CHECK(limit != 0 && limit < enough);
        CHECK_BYTES(keys_before, a.keys, a.key_bytes, 1);
        CHECK_BYTES(values_before, a.values, a.value_bytes, 1);
        CHECK(ordo_last_error(ctx)[0] != '\0');
    }
    ordo_ctx_free(ctx);
    return enough;
}

static void test_mem_limit(size_t n, unsigned threads)
{
    static const char *const names[] = {"skewed", "some NaNs", "roughly sorted by 40", "few runs"};
    for (size_t t = 0; t < INPUTS_TYPES; t += TESTKIT_SANITIZED ? 3 : 1)
        for (size_t a = 0; a < INPUTS_SORTS; a++) {
            sample const s = make_sample(inputs_types[t], n, inputs_find(names[(a + t) % 4]),
                                         1 + (a * 5 + t) % VALUE_MOST, a % 2 != 0, GUARD_END);
            size_t const limits[] = {1, 4096, n, 2 * n, 8 * n, 16 * n, 32 * n, 64 * n};
            size_t const enough = try_limit(&s, inputs_sorts[a], threads, 0);
            try_limit(&s, inputs_sorts[a], threads, enough);
            for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
                try_limit(&s, inputs_sorts[a], threads, limits[i]);
        }
}

int main(void)
{
    test_rng rng = {77};
    testkit_start();
    context_count = test_contexts_make(contexts);
    key_region = guard_make((size_t)LARGE * 8);
    value_region = guard_make((size_t)LARGE * VALUE_MOST);
    keys_before = malloc((size_t)LARGE * 8);
    keys_after = malloc((size_t)LARGE * 8);
    values_before = malloc((size_t)LARGE * VALUE_MOST);
    values_after = malloc((size_t)LARGE * VALUE_MOST);
    order = malloc(LARGE * sizeof *order);
    if (keys_before == NULL || keys_after == NULL || values_before == NULL ||
        values_after == NULL || order == NULL)
        return 99;

    test_small();
    test_shapes();
    test_value_sizes();
    test_powers(&rng);
    test_large(&rng);
    if (!testkit_on_device()) {
        test_mem_limit(900, 1);
        test_mem_limit(1111, 4);
    }

    free(keys_before);
    free(keys_after);
    free(values_before);
    free(values_after);
    free(order);
    guard_free(&key_region);
    guard_free(&value_region);
    test_contexts_free(contexts, context_count);
    return testkit_done();
}
