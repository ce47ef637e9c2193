/* test_nth.c - ordo_nth against three groups of the oracle's order: every type, shape, direction,
 * keys or indices only, every context, segments, too little memory, refusals. */
#include "inputs.h"
#include "nthkit.h"
#include "oracle.h"

#include <string.h>

enum {
    POWERS = (1 << 13) + 1
};

static uint64_t *expected; /* the indices of the three groups */

/* Fills `expected`. */
static void expect(const nth_sample *s, size_t k)
{
    size_t at = 0;
    for (int group = -1; group <= 1; group++)
        for (size_t i = 0; i < s->n; i++) {
            int const order = oracle_compare(s->type, s->keys, i, nth_sorted, k, s->desc);
            if ((order > 0) - (order < 0) == group)
                expected[at++] = i;
        }
}

static void try_expected(const nth_sample *s, const test_context *with, size_t k,
                         ordo_type index_type, unsigned missing)
{
    size_t const     size = ordo_type_size(s->type);
    nth_result const got = nth_call(s, with, k, index_type, missing, 0);
    size_t           wrong = s->n;
    for (size_t i = s->n; i-- > 0;) {
        const char *const key = (const char *)s->keys + expected[i] * size;
        if ((missing != 1 && memcmp(got.out + i * size, key, size) != 0) ||
            (missing != 2 && nth_index_at(index_type, got.index, i) != expected[i]))
            wrong = i;
    }
    CHECK_EQ_U64(s->n, wrong); /* the first wrong place */
}

static void try_nth(const nth_sample *s, const test_context *with, size_t k, ordo_type index_type,
                    unsigned missing)
{
    expect(s, k);
    try_expected(s, with, k, index_type, missing);
}

static void test_large(test_rng *rng)
{
    for (size_t shape = 0; shape < inputs_count(); shape += TESTKIT_SANITIZED ? 6 : 3) {
        nth_sample const s = nth_make(inputs_types[test_rng_below(rng, INPUTS_TYPES)], NTH_LARGE,
                                      shape, test_rng_below(rng, 2) != 0, GUARD_END);
        size_t const     k = test_rng_below(rng, NTH_LARGE);
        expect(&s, k);
        nth_readonly(true);
        for (size_t c = 0; c < context_count; c++)
            try_expected(&s, &contexts[c], k, ORDO_U32, 0);
        nth_readonly(false);
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
    nth_sample const s = nth_make(ORDO_F32, NTH_LARGE, 3, false, GUARD_END);
    float *const     out = test_keep(NTH_LARGE * sizeof *out);
    size_t           bytes = 0;
    testkit_case("nth with a memory limit");
    CHECK_STATUS(ORDO_OK, ordo_nth_scratch(contexts[0].ctx, s.type, s.n, NULL, &bytes),
                 contexts[0].ctx);
    for (int enough = 0; enough < 2; enough++) {
        ordo_ctx *const ctx = CONTEXT(.threads = 1, .mem_limit = enough ? bytes : 8);
        out[0] = -77;
        CHECK_STATUS(enough ? ORDO_OK : ORDO_E_NOMEM,
                     ordo_nth(ctx, s.type, s.keys, s.n, 9, out, ORDO_U32, NULL, NULL), ctx);
        CHECK(enough ? memcmp(&out[9], nth_sorted + 9 * sizeof *out, sizeof *out) == 0
                     : out[0] == -77);
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
    nth_start();
    expected = test_keep(NTH_LARGE * sizeof *expected);
    nth_all(&rng, POWERS, try_nth);
    test_large(&rng);
    test_segments();
    test_memory();
    test_refusals();
    return testkit_done();
}
