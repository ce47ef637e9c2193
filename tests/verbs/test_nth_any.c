/* test_nth_any.c - ordo_nth with ORDO_ANY_ORDER against the oracle's order: the k-th key, both of
 * its sides and the set of keys, for every type, shape, direction and context; segments; too little
 * memory. */
#include "inputs.h"
#include "oracle.h"
#include "testkit.h"

#include <string.h>

enum {
    SMALL = 140,
    POWERS = (1 << 14) + 1,
    LARGE = 150001,
    KEY = 8
};

static guard_region input, key_region, index_region;
static char        *sorted, *taken, *again;
static uint8_t     *seen;

typedef struct sample {
    ordo_type   type;
    size_t      n, shape;
    bool        desc;
    const void *keys;
} sample;

static sample make_sample(ordo_type type, size_t n, size_t shape, bool desc)
{
    void *const keys =
        guard_place(&input, n * ordo_type_size(type), n % 2 ? GUARD_END : GUARD_START);
    inputs_fill(shape, type, keys, n, n + 7);
    oracle_sort(type, keys, n, desc, sorted);
    return (sample){type, n, shape, desc, keys};
}

/* Copies the keys at the indices to `taken`. An index that is wrong or repeats leaves a key out. */
static void take(const sample *s, ordo_type type, const void *index)
{
    size_t const size = ordo_type_size(s->type);
    memset(taken, 0, s->n * size);
    for (size_t i = 0; i < s->n; i++) {
        uint64_t const at =
            type == ORDO_U32 ? ((const uint32_t *)index)[i] : ((const uint64_t *)index)[i];
        if (at < s->n)
            memcpy(taken + i * size, (const char *)s->keys + at * size, size);
    }
}

static size_t distinct_below(ordo_type type, const void *index, size_t n)
{
    size_t count = 0;
    memset(seen, 0, n);
    for (size_t i = 0; i < n; i++) {
        uint64_t const at =
            type == ORDO_U32 ? ((const uint32_t *)index)[i] : ((const uint64_t *)index)[i];
        if (at < n && seen[at]++ == 0)
            count++;
    }
    return count;
}

/* Checks that `keys` are the keys of the sample, split around the k-th. Sorts them. */
static void check_split(const sample *s, size_t k, char *keys)
{
    size_t const size = ordo_type_size(s->type);
    size_t       wrong = s->n;
    CHECK(memcmp(keys + k * size, sorted + k * size, size) == 0);
    for (size_t i = s->n; i-- > 0;) {
        int const order = oracle_compare_total(s->type, keys, i, sorted, k, s->desc);
        if ((i < k && order > 0) || (i > k && order < 0))
            wrong = i;
    }
    CHECK_EQ_U64(s->n, wrong); /* the first wrong place */
    oracle_sort(s->type, keys, s->n, s->desc, again);
    CHECK(memcmp(again, sorted, s->n * size) == 0);
}

/* missing: 1 if there is no array for keys, 2 if there is none for indices. */
static void try_nth(const sample *s, const test_context *with, size_t k, ordo_type index_type,
                    unsigned missing)
{
    size_t const           size = ordo_type_size(s->type), index_size = ordo_type_size(index_type);
    char *const            out = guard_place(&key_region, s->n * size, GUARD_END);
    char *const            index = guard_place(&index_region, s->n * index_size, GUARD_END);
    ordo_select_opts const opts =
        ORDO_OPTS(ordo_select_opts, .flags = ORDO_ANY_ORDER | (s->desc ? ORDO_DESCENDING : 0));

    testkit_case("%s n=%zu %s %s k=%zu %s missing=%u isa=%s threads=%u", ordo_type_name(s->type),
                 s->n, inputs_name(s->shape), s->desc ? "desc" : "asc", k,
                 ordo_type_name(index_type), missing, with->isa, with->threads);
    memset(out, 0xee, s->n * size);
    memset(index, 0xee, s->n * index_size);
    CHECK_STATUS(ORDO_OK,
                 ordo_nth(with->ctx, s->type, s->keys, s->n, k, missing == 1 ? NULL : out,
                          index_type, missing == 2 ? NULL : index, &opts),
                 with->ctx);
    CHECK(guard_intact(&key_region, s->n * size, GUARD_END));
    CHECK(guard_intact(&index_region, s->n * index_size, GUARD_END));
    if (missing != 2) {
        take(s, index_type, index);
        CHECK_EQ_U64(s->n, distinct_below(index_type, index, s->n));
        CHECK(missing == 1 || memcmp(out, taken, s->n * size) == 0);
        check_split(s, k, taken);
    }
    if (missing != 1)
        check_split(s, k, out);
}

static void try_some(test_rng *rng, const sample *s, size_t draws)
{
    for (size_t i = 0; i < draws; i++) {
        size_t const kind = test_rng_below(rng, 4);
        size_t const k = kind == 0 ? 0 : kind == 1 ? s->n - 1 : test_rng_below(rng, s->n);
        try_nth(s, any_context(rng), k, test_rng_below(rng, 2) ? ORDO_U32 : ORDO_U64,
                (unsigned)test_rng_below(rng, 3));
    }
}

static void test_all(test_rng *rng)
{
    for (size_t n = 1; n <= SMALL; n++)
        for (size_t t = 0; t < INPUTS_TYPES; t++) {
            sample const s = make_sample(inputs_types[t], n, test_rng_below(rng, inputs_count()),
                                         test_rng_below(rng, 2) != 0);
            try_some(rng, &s, 1);
        }
    for (size_t shape = 0; shape < inputs_count(); shape++)
        for (size_t t = 0; t < INPUTS_TYPES; t++) {
            sample const s =
                make_sample(inputs_types[t], 1100 + shape, shape, test_rng_below(rng, 2) != 0);
            try_some(rng, &s, 3);
        }
    for (size_t n = SMALL; inputs_next_size(&n, SMALL, POWERS);) {
        sample const s =
            make_sample(inputs_types[test_rng_below(rng, INPUTS_TYPES)], n,
                        test_rng_below(rng, inputs_count()), test_rng_below(rng, 2) != 0);
        try_some(rng, &s, 2);
    }
}

static void test_large(test_rng *rng)
{
    for (size_t shape = 0; shape < inputs_count(); shape += TESTKIT_SANITIZED ? 6 : 1) {
        sample const s = make_sample(inputs_types[test_rng_below(rng, INPUTS_TYPES)], LARGE, shape,
                                     test_rng_below(rng, 2) != 0);
        guard_readonly(&input, true);
        for (unsigned missing = 1; missing <= 2; missing++)
            try_nth(&s, any_context(rng), test_rng_below(rng, LARGE), ORDO_U32, missing);
        guard_readonly(&input, false);
    }
}

/* ---- Segments and memory ---- */

static void test_segments(void)
{
    enum {
        ROWS = 5
    };
    size_t const           n = 3001, k = 1234;
    sample const           s = make_sample(ORDO_F64, ROWS * n, 0, false);
    ordo_segments const    segments = ORDO_OPTS(ordo_segments, .count = ROWS, .length = n);
    ordo_select_opts const opts =
        ORDO_OPTS(ordo_select_opts, .flags = ORDO_ANY_ORDER, .segments = &segments);
    double *const out = test_keep(ROWS * n * sizeof *out);
    testkit_case("segments");
    CHECK_STATUS(ORDO_OK,
                 ordo_nth(contexts[0].ctx, s.type, s.keys, s.n, k, out, ORDO_U32, NULL, &opts),
                 contexts[0].ctx);
    for (size_t r = 0; r < ROWS; r++) {
        sample const row = {s.type, n, s.shape, false, (const double *)s.keys + r * n};
        oracle_sort(row.type, row.keys, n, false, sorted);
        check_split(&row, k, (char *)(out + r * n));
    }
}

static void test_memory(void)
{
    size_t const           half = LARGE / 2;
    ordo_select_opts const opts = ORDO_OPTS(ordo_select_opts, .flags = ORDO_ANY_ORDER);
    sample const           s = make_sample(ORDO_F64, LARGE, 0, false);
    double *const          out = test_keep(LARGE * sizeof *out);
    size_t                 most = 0, least = 0;
    CHECK_STATUS(ORDO_OK, ordo_nth_scratch(contexts[0].ctx, s.type, s.n, &opts, &most),
                 contexts[0].ctx);
    CHECK_STATUS(ORDO_OK, ordo_nth_scratch(contexts[0].ctx, s.type, s.n, NULL, &least),
                 contexts[0].ctx);
    for (int enough = 0; enough < 2; enough++) {
        ordo_ctx *const ctx = CONTEXT(.threads = 1, .mem_limit = enough ? most : least);
        testkit_case("nth in any order with a memory limit, %d", enough);
        CHECK_STATUS(ORDO_OK, ordo_nth(ctx, s.type, s.keys, s.n, half, out, ORDO_U32, NULL, &opts),
                     ctx);
        check_split(&s, half, (char *)out);
        ordo_ctx_free(ctx);
    }
}

/* Equal calls give equal bytes, whatever the calls before them have drawn. */
static void test_again(size_t n)
{
    ordo_select_opts const opts = ORDO_OPTS(ordo_select_opts, .flags = ORDO_ANY_ORDER);
    sample const           s = make_sample(ORDO_F64, n, 0, false);
    double *const out = test_keep(n * sizeof *out), *const second = test_keep(n * sizeof *out);
    ordo_ctx *const ctx = CONTEXT(.threads = 1);
    testkit_case("nth in any order twice, %zu keys", n);
    for (int i = 0; i < 3; i++) {
        CHECK_STATUS(
            ORDO_OK,
            ordo_nth(ctx, s.type, s.keys, n, n / 2, i == 0 ? out : second, ORDO_U32, NULL, &opts),
            ctx);
        CHECK(i == 0 || memcmp(out, second, n * sizeof *out) == 0);
    }
    ordo_ctx_free(ctx);
}

static void test_other_flags(void)
{
    ordo_select_opts const opts = ORDO_OPTS(ordo_select_opts, .flags = ORDO_STABLE);
    uint32_t const         keys[2] = {2, 1};
    uint32_t               out[2];
    ordo_ctx *const        ctx = contexts[0].ctx;
    testkit_case("nth with a flag of other calls");
    CHECK_STATUS(ORDO_E_VERSION, ordo_nth(ctx, ORDO_U32, keys, 2, 0, out, ORDO_U32, NULL, &opts),
                 ctx);
    CHECK(strstr(ordo_last_error(ctx), "ORDO_ANY_ORDER") != NULL);
}

int main(void)
{
    test_rng rng = {37};
    testkit_start();
    test_contexts_start();
    input = guard_make(LARGE * KEY);
    key_region = guard_make(LARGE * KEY);
    index_region = guard_make(LARGE * KEY);
    sorted = test_keep(LARGE * KEY);
    taken = test_keep(LARGE * KEY);
    again = test_keep(LARGE * KEY);
    seen = test_keep(LARGE);
    test_all(&rng);
    test_large(&rng);
    test_segments();
    test_memory();
    test_again(1000);
    test_again(LARGE);
    test_other_flags();
    return testkit_done();
}
