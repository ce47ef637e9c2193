/* test_nth.c - ordo_nth against three groups of the oracle's order: every type, shape, direction,
 * keys or indices only, every context, segments, too little memory, refusals. */
#include "inputs.h"
#include "oracle.h"
#include "testkit.h"

#include <string.h>

enum {
    SMALL = 140,
    POWERS = (1 << 13) + 1,
    LARGE = 150001,
    KEY = 8
};

static guard_region input, key_region, index_region;
static uint64_t    *expected; /* the indices of the three groups */
static char        *sorted;

typedef struct sample {
    ordo_type   type;
    size_t      n, shape;
    bool        desc;
    const void *keys;
} sample;

static sample make_sample(ordo_type type, size_t n, size_t shape, bool desc, guard_side side)
{
    void *const keys = guard_place(&input, n * ordo_type_size(type), side);
    inputs_fill(shape, type, keys, n, n + 7);
    oracle_sort(type, keys, n, desc, sorted);
    return (sample){type, n, shape, desc, keys};
}

static uint64_t index_at(ordo_type type, const void *index, size_t i)
{
    return type == ORDO_U32 ? ((const uint32_t *)index)[i] : ((const uint64_t *)index)[i];
}

/* Fills `expected`. */
static void expect(const sample *s, size_t k)
{
    size_t at = 0;
    for (int group = -1; group <= 1; group++)
        for (size_t i = 0; i < s->n; i++) {
            int const order = oracle_compare_total(s->type, s->keys, i, sorted, k, s->desc);
            if ((order > 0) - (order < 0) == group)
                expected[at++] = i;
        }
}

/* missing: 1 if there is no array for keys, 2 if there is none for indices. */
static void try_nth(const sample *s, const test_context *with, size_t k, ordo_type index_type,
                    unsigned missing)
{
    size_t const           size = ordo_type_size(s->type), index_size = ordo_type_size(index_type);
    char *const            out = guard_place(&key_region, s->n * size, GUARD_END);
    char *const            index = guard_place(&index_region, s->n * index_size, GUARD_END);
    size_t                 wrong = s->n;
    ordo_select_opts const opts =
        ORDO_OPTS(ordo_select_opts, .flags = s->desc ? ORDO_DESCENDING : 0);

    testkit_case("%s n=%zu %s %s k=%zu %s missing=%u isa=%s threads=%u", ordo_type_name(s->type),
                 s->n, inputs_name(s->shape), s->desc ? "desc" : "asc", k,
                 ordo_type_name(index_type), missing, with->isa, with->threads);
    memset(out, 0xee, s->n * size);
    memset(index, 0xee, s->n * index_size);
    CHECK_STATUS(ORDO_OK,
                 ordo_nth(with->ctx, s->type, s->keys, s->n, k, missing == 1 ? NULL : out,
                          index_type, missing == 2 ? NULL : index, &opts),
                 with->ctx);
    for (size_t i = s->n; i-- > 0;) {
        const char *const key = (const char *)s->keys + expected[i] * size;
        if ((missing != 1 && memcmp(out + i * size, key, size) != 0) ||
            (missing != 2 && index_at(index_type, index, i) != expected[i]))
            wrong = i;
    }
    CHECK_EQ_U64(s->n, wrong); /* the first wrong place */
    CHECK(guard_intact(&key_region, s->n * size, GUARD_END));
    CHECK(guard_intact(&index_region, s->n * index_size, GUARD_END));
}

static void try_some(test_rng *rng, const sample *s, size_t draws)
{
    for (size_t i = 0; i < draws; i++) {
        size_t const kind = test_rng_below(rng, 4);
        size_t const k = kind == 0 ? 0 : kind == 1 ? s->n - 1 : test_rng_below(rng, s->n);
        expect(s, k);
        try_nth(s, any_context(rng), k, test_rng_below(rng, 2) ? ORDO_U32 : ORDO_U64,
                (unsigned)test_rng_below(rng, 3));
    }
}

static void test_all(test_rng *rng)
{
    for (size_t n = 1; n <= SMALL; n++)
        for (size_t t = 0; t < INPUTS_TYPES; t++) {
            sample const s =
                make_sample(inputs_types[t], n, test_rng_below(rng, inputs_count()),
                            test_rng_below(rng, 2) != 0, n % 2 ? GUARD_END : GUARD_START);
            try_some(rng, &s, 1);
        }
    for (size_t shape = 0; shape < inputs_count(); shape++)
        for (size_t t = 0; t < INPUTS_TYPES; t++) {
            sample const s =
                make_sample(inputs_types[t], 1100, shape, test_rng_below(rng, 2) != 0, GUARD_END);
            try_some(rng, &s, 2);
        }
    for (size_t n = SMALL; inputs_next_size(&n, SMALL, POWERS);) {
        sample const s = make_sample(
            inputs_types[test_rng_below(rng, INPUTS_TYPES)], n, test_rng_below(rng, inputs_count()),
            test_rng_below(rng, 2) != 0, (guard_side)test_rng_below(rng, 2));
        try_some(rng, &s, 2);
    }
}

static void test_large(test_rng *rng)
{
    for (size_t shape = 0; shape < inputs_count(); shape += TESTKIT_SANITIZED ? 6 : 3) {
        sample const s = make_sample(inputs_types[test_rng_below(rng, INPUTS_TYPES)], LARGE, shape,
                                     test_rng_below(rng, 2) != 0, GUARD_END);
        size_t const k = test_rng_below(rng, LARGE);
        expect(&s, k);
        guard_readonly(&input, true);
        for (size_t c = 0; c < context_count; c++)
            try_nth(&s, &contexts[c], k, ORDO_U32, 0);
        guard_readonly(&input, false);
    }
}

/* ---- Segments ---- */

enum {
    ROWS = 9,
    LENGTH = 23,
    ALL = ROWS * LENGTH
};

/* Each segment has the result of a separate call; elements outside are not written. */
static void try_segments(ordo_type type, const ordo_segments *s, size_t k, bool desc)
{
    size_t const     size = ordo_type_size(type);
    ordo_ctx *const  ctx = next_context()->ctx;
    uint64_t         keys[ALL], out[ALL], row[ALL], row_out[ALL];
    uint32_t         index[ALL], row_index[ALL];
    size_t           inside = 0, kept = 0, bytes = 0;
    ordo_select_opts opts = ORDO_OPTS(ordo_select_opts, .flags = desc ? ORDO_DESCENDING : 0);
    inputs_fill(k % inputs_count(), type, keys, ALL, k + 3);
    memset(out, 0xee, sizeof out);
    memset(index, 0xee, sizeof index);
    opts.segments = s;
    CHECK_STATUS(ORDO_OK, ordo_nth_scratch(ctx, type, ALL, &opts, &bytes), ctx);
    CHECK(bytes > 0);
    CHECK_STATUS(ORDO_OK, ordo_nth(ctx, type, keys, ALL, k, out, ORDO_U32, index, &opts), ctx);
    opts.segments = NULL;
    for (size_t r = 0; r < s->count; r++) {
        size_t const n = s->offsets != NULL ? (size_t)(s->offsets[r + 1] - s->offsets[r]) : LENGTH;
        size_t const step = s->step != 0 ? s->step : 1;
        size_t const start =
            s->offsets != NULL ? (size_t)s->offsets[r] : r * (step > 1 ? 1 : LENGTH);
        for (size_t i = 0; i < n; i++)
            memcpy((char *)row + i * size, (const char *)keys + (start + i * step) * size, size);
        CHECK_STATUS(ORDO_OK, ordo_nth(ctx, type, row, n, k, row_out, ORDO_U32, row_index, &opts),
                     ctx);
        for (size_t i = 0; i < n; i++) {
            CHECK(memcmp((const char *)out + (start + i * step) * size,
                         (const char *)row_out + i * size, size) == 0);
            CHECK_EQ_U64(row_index[i], index[start + i * step]);
        }
        inside += n;
    }
    for (size_t i = 0; i < ALL; i++)
        kept += index[i] == 0xeeeeeeee;
    CHECK_EQ_U64(ALL - inside, kept);
}

static void test_segments(void)
{
    static uint64_t const offsets[] = {2, 9, 60, ALL - 1};
    ordo_segments const   layouts[] = {
          ORDO_OPTS(ordo_segments, .count = ROWS, .length = LENGTH),
          ORDO_OPTS(ordo_segments, .count = ROWS, .length = LENGTH, .stride = 1, .step = ROWS),
          ORDO_OPTS(ordo_segments, .count = 3, .offsets = offsets)};
    for (size_t t = 0; t < INPUTS_TYPES; t++)
        for (size_t which = 0; which < 6; which++) {
            testkit_case("segments %zu %s", which, ordo_type_name(inputs_types[t]));
            try_segments(inputs_types[t], &layouts[which / 2], which, which % 2 != 0);
        }
}

/* ---- Memory and refusals ---- */

static void test_memory(void)
{
    sample const s = make_sample(ORDO_F32, LARGE, 3, false, GUARD_END);
    float *const out = test_keep(LARGE * sizeof *out);
    size_t       bytes = 0;
    testkit_case("nth with a memory limit");
    CHECK_STATUS(ORDO_OK, ordo_nth_scratch(contexts[0].ctx, s.type, s.n, NULL, &bytes),
                 contexts[0].ctx);
    for (int enough = 0; enough < 2; enough++) {
        ordo_ctx *const ctx = CONTEXT(.threads = 1, .mem_limit = enough ? bytes : 8);
        out[0] = -77;
        CHECK_STATUS(enough ? ORDO_OK : ORDO_E_NOMEM,
                     ordo_nth(ctx, s.type, s.keys, s.n, 9, out, ORDO_U32, NULL, NULL), ctx);
        CHECK(enough ? memcmp(&out[9], sorted + 9 * sizeof *out, sizeof *out) == 0 : out[0] == -77);
        ordo_ctx_free(ctx);
    }
}

static void test_refusals(void)
{
    ordo_ctx *const  ctx = contexts[0].ctx;
    float            keys[4] = {4, 3, 2, 1}, out[4] = {0};
    uint32_t         index[4];
    ordo_segments    segments = ORDO_OPTS(ordo_segments, .count = 2, .length = 2);
    ordo_select_opts opts = ORDO_OPTS(ordo_select_opts, .nans = ORDO_NANS_OMIT);
    testkit_case("refusals");
    CHECK_STATUS(ORDO_E_ARG, ordo_nth(ctx, ORDO_F32, keys, 4, 1, out, ORDO_U32, index, &opts), ctx);
    opts.nans = 0;
    opts.algorithm = ORDO_ALGORITHM_RADIX;
    CHECK_STATUS(ORDO_E_ARG, ordo_nth(ctx, ORDO_F32, keys, 4, 1, out, ORDO_U32, index, &opts), ctx);
    opts.algorithm = 0;
    opts.segments = &segments;
    CHECK_STATUS(ORDO_E_ARG, ordo_nth(ctx, ORDO_F32, keys, 4, 2, out, ORDO_U32, index, &opts), ctx);
    CHECK(strstr(ordo_last_error(ctx), "less than 2, the number of keys of segment 0") != NULL);
    segments.step = 2;
    segments.stride = 2;
    CHECK_STATUS(ORDO_E_ARG, ordo_nth(ctx, ORDO_F32, keys, 4, 1, out, ORDO_U32, index, &opts), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_nth(ctx, ORDO_F32, keys, 4, 4, out, ORDO_U32, index, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_nth(ctx, ORDO_F32, keys, 0, 0, out, ORDO_U32, index, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_nth(ctx, ORDO_F32, keys, 4, 1, keys, ORDO_U32, index, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_nth(ctx, ORDO_F32, keys, 4, 1, out, ORDO_U32, out, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_nth(ctx, ORDO_F32, keys, 4, 1, out, ORDO_F32, index, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_nth(ctx, ORDO_F32, NULL, 4, 1, out, ORDO_U32, index, NULL), ctx);
    CHECK(out[0] == 0 && keys[0] == 4);
}

int main(void)
{
    test_rng rng = {31};
    testkit_start();
    test_contexts_start();
    input = guard_make(LARGE * KEY);
    key_region = guard_make(LARGE * KEY);
    index_region = guard_make(LARGE * KEY);
    expected = test_keep(LARGE * sizeof *expected);
    sorted = test_keep(LARGE * KEY);
    test_all(&rng);
    test_large(&rng);
    test_segments();
    test_memory();
    test_refusals();
    return testkit_done();
}
