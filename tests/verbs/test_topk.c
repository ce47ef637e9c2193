/* test_topk.c - ordo_topk against the oracle's argsort: every type, shape and direction, k from 0
 * to more than n, ties by index, NaNs last or omitted, values or indices only, threads, too little
 * memory, refusals. */
#include "inputs.h"
#include "oracle.h"
#include "testkit.h"

#include <string.h>

enum {
    SMALL = 200,
    POWERS = (1 << 14) + 1,
    LARGE = 150001,
    KEY = 8
};

static guard_region input, value_region, index_region;
static uint64_t    *order; /* the oracle's argsort */

typedef struct sample {
    ordo_type   type;
    size_t      n, shape, nans;
    bool        desc;
    const void *keys;
} sample;

static sample make_sample(ordo_type type, size_t n, size_t shape, bool desc, guard_side side)
{
    void *const keys = guard_place(&input, n * ordo_type_size(type), side);
    sample      s = {type, n, shape, 0, desc, keys};
    inputs_fill(shape, type, keys, n, n + 7);
    oracle_argsort(type, keys, n, desc, ORDO_U64, order);
    for (size_t i = 0; i < n; i++)
        s.nans += oracle_is_nan(type, keys, i);
    return s;
}

/* missing: 1 if there is no array for values, 2 if there is none for indices. */
static void try_topk(const sample *s, const test_context *with, size_t k, ordo_type index_type,
                     bool omits, unsigned missing)
{
    size_t const           size = ordo_type_size(s->type), index_size = ordo_type_size(index_type);
    size_t const           most = omits ? s->n - s->nans : s->n, found = k < most ? k : most;
    size_t const           capacity = k < s->n ? k : s->n;
    char *const            values = guard_place(&value_region, capacity * size, GUARD_END);
    char *const            index = guard_place(&index_region, capacity * index_size, GUARD_END);
    size_t                 got = SIZE_MAX;
    size_t                 wrong = found;
    ordo_select_opts const opts =
        ORDO_OPTS(ordo_select_opts, .flags = s->desc ? ORDO_DESCENDING : 0,
                  .nans = omits ? ORDO_NANS_OMIT : ORDO_NANS_LAST);

    testkit_case("%s n=%zu %s %s k=%zu %s omits=%d missing=%u isa=%s threads=%u",
                 ordo_type_name(s->type), s->n, inputs_name(s->shape), s->desc ? "desc" : "asc", k,
                 ordo_type_name(index_type), omits, missing, with->isa, with->threads);
    memset(values, 0xee, capacity * size);
    memset(index, 0xee, capacity * index_size);
    CHECK_STATUS(ORDO_OK,
                 ordo_topk(with->ctx, s->type, s->keys, s->n, k, missing == 1 ? NULL : values,
                           index_type, missing == 2 ? NULL : index, &got, &opts),
                 with->ctx);
    CHECK_EQ_U64(found, got);
    for (size_t i = found; i-- > 0;) {
        uint64_t at = 0;
        if (index_type == ORDO_U32)
            at = ((const uint32_t *)(const void *)index)[i];
        else
            at = ((const uint64_t *)(const void *)index)[i];
        if (missing != 2 && at != order[i])
            wrong = i;
        if (missing != 1 &&
            memcmp(values + i * size, (const char *)s->keys + order[i] * size, size) != 0)
            wrong = i;
    }
    CHECK_EQ_U64(found, wrong); /* the first wrong place */
    CHECK_EQ_U64(
        0, test_bytes_not(values + found * size, (capacity - found) * size, 0xee) +
               test_bytes_not(index + found * index_size, (capacity - found) * index_size, 0xee));
    CHECK(guard_intact(&value_region, capacity * size, GUARD_END));
    CHECK(guard_intact(&index_region, capacity * index_size, GUARD_END));
}

static void try_some(test_rng *rng, const sample *s, size_t draws)
{
    for (size_t i = 0; i < draws; i++) {
        size_t const kind = test_rng_below(rng, 5);
        size_t const k = kind == 0   ? 1 + test_rng_below(rng, 20)
                         : kind == 1 ? s->n
                         : kind == 2 ? s->n + 5
                                     : test_rng_below(rng, s->n + 1);
        try_topk(s, any_context(rng), k, test_rng_below(rng, 2) ? ORDO_U32 : ORDO_U64,
                 test_rng_below(rng, 3) == 0, (unsigned)test_rng_below(rng, 4));
    }
}

static void test_small(test_rng *rng)
{
    for (size_t n = 0; n <= SMALL; n++)
        for (size_t t = 0; t < INPUTS_TYPES; t++) {
            sample const s =
                make_sample(inputs_types[t], n, test_rng_below(rng, inputs_count()),
                            test_rng_below(rng, 2) != 0, n % 2 ? GUARD_END : GUARD_START);
            try_some(rng, &s, 3);
        }
}

static void test_shapes(test_rng *rng)
{
    for (size_t shape = 0; shape < inputs_count(); shape++)
        for (size_t t = 0; t < INPUTS_TYPES; t++)
            for (int desc = 0; desc < 2; desc++) {
                sample const s = make_sample(inputs_types[t], 1500, shape, desc != 0, GUARD_END);
                try_some(rng, &s, 2);
            }
}

static void test_powers(test_rng *rng)
{
    for (size_t n = SMALL; inputs_next_size(&n, SMALL, POWERS);) {
        sample const s = make_sample(
            inputs_types[test_rng_below(rng, INPUTS_TYPES)], n, test_rng_below(rng, inputs_count()),
            test_rng_below(rng, 2) != 0, (guard_side)test_rng_below(rng, 2));
        try_some(rng, &s, 3);
    }
}

static void test_large(test_rng *rng)
{
    for (size_t shape = 0; shape < inputs_count(); shape += TESTKIT_SANITIZED ? 4 : 2) {
        sample const s = make_sample(inputs_types[test_rng_below(rng, INPUTS_TYPES)], LARGE, shape,
                                     test_rng_below(rng, 2) != 0, GUARD_END);
        guard_readonly(&input, true);
        try_some(rng, &s, 2);
        for (size_t c = 0; c < context_count; c++)
            try_topk(&s, &contexts[c], 100, ORDO_U32, false, 0);
        guard_readonly(&input, false);
    }
}

/* ---- Memory and refusals ---- */

static void test_memory(void)
{
    size_t const           k = 3000;
    sample const           s = make_sample(ORDO_F32, LARGE, 3, true, GUARD_END);
    float *const           values = test_keep(k * sizeof *values);
    size_t                 bytes = 0, found = 99;
    ordo_ctx              *ctx = contexts[0].ctx;
    ordo_select_opts const opts = ORDO_OPTS(ordo_select_opts, .flags = ORDO_DESCENDING);

    testkit_case("topk with a memory limit");
    CHECK_STATUS(ORDO_OK, ordo_topk_scratch(ctx, s.type, s.n, k, &opts, &bytes), ctx);
    for (int enough = 0; enough < 2; enough++) {
        ctx = CONTEXT(.threads = 1, .mem_limit = enough ? bytes : 1000);
        values[0] = values[k - 1] = -77;
        CHECK_STATUS(enough ? ORDO_OK : ORDO_E_NOMEM,
                     ordo_topk(ctx, s.type, s.keys, s.n, k, values, ORDO_U32, NULL, &found, &opts),
                     ctx);
        CHECK_EQ_U64(enough ? k : 99, found);
        for (size_t i = 0; i < k && enough; i++)
            if (!CHECK(memcmp(&values[i], (const float *)s.keys + order[i], sizeof *values) == 0))
                break;
        CHECK(enough || (values[0] == -77 && values[k - 1] == -77));
        ordo_ctx_free(ctx);
    }
}

static void test_refusals(void)
{
    ordo_ctx *const  ctx = contexts[0].ctx;
    float            keys[4] = {4, 3, 2, 1}, values[4] = {0};
    uint32_t         index[4];
    size_t           bytes;
    ordo_select_opts opts = ORDO_OPTS(ordo_select_opts, .nans = ORDO_NANS_PROPAGATE);

    testkit_case("refusals");
    CHECK_STATUS(ORDO_E_ARG,
                 ordo_topk(ctx, ORDO_F32, keys, 4, 2, values, ORDO_U32, index, NULL, &opts), ctx);
    opts.nans = 0;
    opts.algorithm = ORDO_ALGORITHM_RADIX;
    CHECK_STATUS(ORDO_E_ARG,
                 ordo_topk(ctx, ORDO_F32, keys, 4, 2, values, ORDO_U32, index, NULL, &opts), ctx);
    CHECK_STATUS(ORDO_E_ARG,
                 ordo_topk(ctx, ORDO_F32, keys, 4, 2, values, ORDO_F32, index, NULL, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG,
                 ordo_topk(ctx, ORDO_F32, keys, 4, 2, keys + 1, ORDO_U32, index, NULL, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG,
                 ordo_topk(ctx, ORDO_F32, keys, 4, 2, values, ORDO_U32, values, NULL, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG,
                 ordo_topk(ctx, ORDO_F32, NULL, 4, 2, values, ORDO_U32, index, NULL, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_topk_scratch(ctx, ORDO_F32, 4, 2, NULL, NULL), ctx);
    CHECK_STATUS(ORDO_OK, ordo_topk_scratch(ctx, ORDO_F32, 4, 0, NULL, &bytes), ctx);
    CHECK_EQ_U64(0, bytes);
    CHECK_STATUS(ORDO_OK, ordo_topk(ctx, ORDO_F32, keys, 4, 9, NULL, ORDO_U32, NULL, NULL, NULL),
                 ctx);
    CHECK(values[0] == 0);
}

int main(void)
{
    test_rng rng = {31};
    testkit_start();
    test_contexts_start();
    input = guard_make(LARGE * KEY);
    value_region = guard_make(LARGE * KEY);
    index_region = guard_make(LARGE * KEY);
    order = test_keep(LARGE * sizeof *order);

    test_small(&rng);
    test_shapes(&rng);
    test_powers(&rng);
    test_large(&rng);
    if (!testkit_on_device())
        test_memory();
    test_refusals();
    return testkit_done();
}
