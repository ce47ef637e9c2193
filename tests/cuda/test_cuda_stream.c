/* test_cuda_stream.c - host arrays large enough to be streamed through the GPU (lib/hybrid): keys,
 * pairs, indices and ranks; by the GPU alone, with a share for the CPU, and with too little device
 * memory (sorts in rounds; ranks by the CPU). The CPU gives the expected bytes. ORDO_TEST_SMALL=1
 * tests one type for each way, for compute-sanitizer; ORDO_TEST_SMALL=2 tests one sort of packed
 * keys, for its slowest tool. */
#include "device.h"
#include "inputs.h"

#include <stdlib.h>
#include <string.h>

enum {
    BYTES = 36 << 20, /* of keys; arrays from 32 MiB on are streamed */
    RANK_BYTES = BYTES / 5 * 8
};

static unsigned char *before, *keys, *expected;
static uint32_t      *values, *values_expected;

static ordo_ctx *context(ordo_where where, double share, size_t limit)
{
    return CONTEXT(.where = where, .cpu_share = where == ORDO_HYBRID ? share : 0,
                   .device_limit = limit);
}

static bool streamed(const ordo_ctx *ctx)
{
    ordo_report report = {.struct_size = sizeof report};
    return ordo_last_report(ctx, &report) == ORDO_OK &&
           (report.facts.strategy == ORDO_STRATEGY_STREAMED ||
            report.facts.strategy == ORDO_STRATEGY_ROUNDS);
}

static void number(uint32_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (uint32_t)(i * 2654435761u);
}

static void try_keys(ordo_ctx *ctx, ordo_type type, size_t shape, uint64_t flags)
{
    size_t const         size = ordo_type_size(type), n = BYTES / size;
    ordo_sort_opts const opts = ORDO_OPTS(ordo_sort_opts, .flags = flags);
    inputs_fill(shape, type, before, n, shape);
    memcpy(expected, before, BYTES);
    memcpy(keys, before, BYTES);
    CHECK_STATUS(ORDO_OK, ordo_sort(cpu, type, expected, n, &opts), cpu);
    CHECK_STATUS(ORDO_OK, ordo_sort(ctx, type, keys, n, &opts), ctx);
    CHECK(streamed(ctx));
    CHECK_BYTES(expected, keys, BYTES, size);
}

static void try_all(ordo_ctx *ctx, ordo_type type, size_t shape, uint64_t flags)
{
    size_t const         size = ordo_type_size(type), n = BYTES / size;
    ordo_sort_opts const opts = ORDO_OPTS(ordo_sort_opts, .flags = flags);
    try_keys(ctx, type, shape, flags);
    memcpy(expected, before, BYTES);
    memcpy(keys, before, BYTES);
    number(values, n);
    number(values_expected, n);
    CHECK_STATUS(ORDO_OK, ordo_sort_pairs(cpu, type, expected, n, values_expected, 4, &opts), cpu);
    CHECK_STATUS(ORDO_OK, ordo_sort_pairs(ctx, type, keys, n, values, 4, &opts), ctx);
    CHECK(streamed(ctx));
    CHECK_BYTES(expected, keys, BYTES, size);
    CHECK_BYTES(values_expected, values, n * 4, 4);

    CHECK_STATUS(ORDO_OK, ordo_argsort(cpu, type, before, n, ORDO_U32, values_expected, &opts),
                 cpu);
    CHECK_STATUS(ORDO_OK, ordo_argsort(ctx, type, before, n, ORDO_U32, values, &opts), ctx);
    CHECK(streamed(ctx));
    CHECK_BYTES(values_expected, values, n * 4, 4);
}

/* Every tie rule and rank type. With too little device memory the CPU computes the ranks. */
static void try_ranks(ordo_ctx *ctx, ordo_type type, size_t shape, uint64_t flags,
                      bool streamed_whole)
{
    static const struct {
        ordo_ties ties;
        ordo_type rank_type;
    } kinds[] = {{ORDO_TIES_MIN, ORDO_U32},     {ORDO_TIES_MAX, ORDO_F64},
                 {ORDO_TIES_DENSE, ORDO_U64},   {ORDO_TIES_DENSE, ORDO_F64},
                 {ORDO_TIES_ORDINAL, ORDO_U32}, {ORDO_TIES_AVERAGE, ORDO_F64}};
    size_t const n = (size_t)BYTES / (ordo_type_size(type) < 4 ? 5 : 8); /* 32 MiB with indices */
    inputs_fill(shape, type, before, n, shape);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        ordo_type const      rank_type = kinds[k].rank_type;
        size_t const         size = ordo_type_size(rank_type);
        ordo_rank_opts const opts =
            ORDO_OPTS(ordo_rank_opts, .flags = flags, .ties = kinds[k].ties);
        ordo_report report = {.struct_size = sizeof report};
        CHECK_STATUS(ORDO_OK, ordo_rank(cpu, type, before, n, rank_type, expected, &opts), cpu);
        CHECK_STATUS(ORDO_OK, ordo_rank(ctx, type, before, n, rank_type, keys, &opts), ctx);
        CHECK_BYTES(expected, keys, n * size, size);
        CHECK_STATUS(ORDO_OK, ordo_last_report(ctx, &report), ctx);
        CHECK((report.facts.strategy == ORDO_STRATEGY_STREAMED) == streamed_whole);
        CHECK((report.facts.device_status == ORDO_OK) == streamed_whole);
    }
}

int main(void)
{
    static const ordo_type types[] = {ORDO_U32, ORDO_F32, ORDO_I64, ORDO_F64};
    static const struct {
        ordo_where where;
        double     share;
        size_t     limit;
    } ways[] = {{ORDO_CUDA, 0, 0},
                {ORDO_HYBRID, 0.2, 0},
                {ORDO_HYBRID, -1, 0},
                {ORDO_HYBRID, -1, (size_t)48 << 20}};
    const char *const wish = getenv("ORDO_TEST_SMALL");
    long const        small = wish != NULL ? strtol(wish, NULL, 10) : 0;
    /* With a share, even of no key, this few keys are streamed. */
    static const struct {
        double share;
        size_t limit;
    } rank_ways[] = {{1e-17, 0}, {0.2, 0}, {1e-17, (size_t)48 << 20}};
    device_start();
    before = test_keep(BYTES);
    keys = test_keep(RANK_BYTES);
    expected = test_keep(RANK_BYTES);
    values = test_keep(BYTES);
    values_expected = test_keep(BYTES);
    size_t const shapes[] = {inputs_find("random bits"), inputs_find("one heavy value"),
                             inputs_find("some NaNs"), inputs_find("all equal")};
    if (small == 2) {
        ordo_ctx *const ctx = context(ORDO_HYBRID, -1, 0);
        testkit_case("packed keys");
        try_keys(ctx, ORDO_U32, shapes[0], 0);
        ordo_ctx_free(ctx);
    }
    for (size_t w = 0; w < sizeof ways / sizeof *ways && small < 2; w++) {
        ordo_ctx *const ctx = context(ways[w].where, ways[w].share, ways[w].limit);
        for (size_t t = 0; t < (small == 0 ? sizeof types / sizeof *types : 1); t++) {
            size_t const shape = shapes[(t + w) % 4];
            testkit_case("way %zu, %s of %s", w, inputs_name(shape), ordo_type_name(types[t]));
            try_all(ctx, types[t], shape, t % 2 != 0 ? ORDO_DESCENDING : 0);
        }
        ordo_ctx_free(ctx);
    }
    for (size_t w = 0; w < sizeof rank_ways / sizeof *rank_ways && small < 2; w++) {
        ordo_ctx *const ctx = context(ORDO_HYBRID, rank_ways[w].share, rank_ways[w].limit);
        for (size_t t = 0; t < INPUTS_TYPES; t += rank_ways[w].limit == 0 && small == 0 ? 1 : 5) {
            size_t const shape = shapes[(t + w) % 4];
            testkit_case("way %zu, ranks: %s of %s", w, inputs_name(shape),
                         ordo_type_name(inputs_types[t]));
            try_ranks(ctx, inputs_types[t], shape, t % 3 == 1 ? ORDO_DESCENDING : 0,
                      rank_ways[w].limit == 0);
        }
        ordo_ctx_free(ctx);
    }
    return device_done();
}
