/* test_cuda_sample.c - the hybrid sample sort of host arrays with a GPU: keys, pairs and indices of
 * every type; all on the GPU, and shares of 1 to 99 per cent for the CPU; sizes from one block up
 * to two levels of recursion; distributions that fill one bucket; several devices, which are one
 * GPU. The CPU gives the expected bytes.
 * ORDO_TEST_SMALL=1 tests the smallest sizes, for compute-sanitizer; ORDO_TEST_SMALL=2 fewer still,
 * for its racecheck. */
#include "device.h"
#include "inputs.h"
#include "ordo_gen.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST = (1 << 22) + 5,
    VALUE_MOST = 16
};

static unsigned char *before, *keys, *expected, *values, *values_before, *values_expected;

static void check_phases(const ordo_ctx *ctx, double share)
{
    ordo_report report = {.struct_size = sizeof report};
    CHECK_STATUS(ORDO_OK, ordo_last_report(ctx, &report), ctx);
    const ordo_facts *const facts = &report.facts;
    CHECK(facts->strategy == ORDO_STRATEGY_PHASES);
    CHECK(facts->device_status == ORDO_OK);
    CHECK(facts->cpu_share > share - 0.001 && facts->cpu_share < share + 0.001);
    for (int i = 0; i < 4; i++) {
        /* Phase IV of a GPU that owns no bucket may take no time. */
        CHECK(facts->device_seconds[i] > 0 || (i == 3 && share > 0));
        CHECK(facts->sample_seconds[i] >= facts->cpu_seconds[i]);
    }
    CHECK(facts->copy_seconds > 0);
}

static void try_all(ordo_ctx *ctx, double share, ordo_algorithm algorithm, ordo_type type, size_t n,
                    size_t value_size, uint64_t flags)
{
    size_t const         size = ordo_type_size(type);
    ordo_sort_opts const opts = ORDO_OPTS(ordo_sort_opts, .flags = flags);
    ordo_sort_opts const sample = ORDO_OPTS(ordo_sort_opts, .flags = flags, .algorithm = algorithm);
    memcpy(expected, before, n * size);
    memcpy(keys, before, n * size);
    CHECK_STATUS(ORDO_OK, ordo_sort(cpu, type, expected, n, &opts), cpu);
    CHECK_STATUS(ORDO_OK, ordo_sort(ctx, type, keys, n, &sample), ctx);
    CHECK_BYTES(expected, keys, n * size, size);
    check_phases(ctx, share);

    memcpy(expected, before, n * size);
    memcpy(keys, before, n * size);
    memcpy(values, values_before, n * value_size);
    memcpy(values_expected, values_before, n * value_size);
    CHECK_STATUS(ORDO_OK,
                 ordo_sort_pairs(cpu, type, expected, n, values_expected, value_size, &opts), cpu);
    CHECK_STATUS(ORDO_OK, ordo_sort_pairs(ctx, type, keys, n, values, value_size, &sample), ctx);
    CHECK_BYTES(expected, keys, n * size, size);
    CHECK_BYTES(values_expected, values, n * value_size, value_size);
    check_phases(ctx, share);

    ordo_type const index_type = value_size % 2 == 0 ? ORDO_U32 : ORDO_U64;
    CHECK_STATUS(ORDO_OK, ordo_argsort(cpu, type, before, n, index_type, values_expected, &opts),
                 cpu);
    CHECK_STATUS(ORDO_OK, ordo_argsort(ctx, type, before, n, index_type, values, &sample), ctx);
    CHECK_BYTES(values_expected, values, n * ordo_type_size(index_type),
                ordo_type_size(index_type));
}

static void shapes(ordo_ctx *ctx, double share, long small)
{
    static const size_t sizes[] = {1024,  8191,          8192,          8193,
                                   10000, (1 << 16) - 1, (1 << 16) + 1, (1 << 20) + 3};
    for (size_t t = 0; t < INPUTS_TYPES; t++)
        for (size_t shape = 0; shape < inputs_count(); shape++) {
            size_t const    pick = t * 3 + shape;
            size_t const    n = sizes[pick % (small > 1 ? 3 : small == 1 ? 5 : 8)];
            ordo_type const type = inputs_types[t];
            if (small != 0 && pick % (small > 1 ? 53 : 7) != 0)
                continue;
            testkit_case("share %g, %s of %s, n = %zu", share, inputs_name(shape),
                         ordo_type_name(type), n);
            inputs_fill(shape, type, before, n, n + shape);
            try_all(ctx, share,
                    pick / 2 % 2 != 0 ? ORDO_ALGORITHM_INTERVALS : ORDO_ALGORITHM_SAMPLE, type, n,
                    1 + pick % VALUE_MOST, pick % 2 ? ORDO_DESCENDING : 0);
        }
}

static void distributions(ordo_ctx *ctx, double share)
{
    static const ordo_dist dists[] = {ORDO_DIST_UNIFORM, ORDO_DIST_ZERO,     ORDO_DIST_FEW,
                                      ORDO_DIST_SORTED,  ORDO_DIST_GAUSSIAN, ORDO_DIST_STAGGERED,
                                      ORDO_DIST_BUCKET,  ORDO_DIST_DUPES};
    static const ordo_type types[] = {ORDO_U32, ORDO_F32, ORDO_U64, ORDO_F64};
    for (size_t d = 0; d < sizeof dists / sizeof *dists; d++) {
        ordo_type const type = types[d % 4];
        testkit_case("share %g, distribution %d of %s", share, (int)dists[d], ordo_type_name(type));
        CHECK_STATUS(
            ORDO_OK,
            ordo_gen(cpu, dists[d], type, before, MOST, &ORDO_OPTS(ordo_gen_opts, .seed = 1 + d)),
            cpu);
        try_all(ctx, share, ORDO_ALGORITHM_SAMPLE, type, MOST, 4, 0);
        try_all(ctx, share, ORDO_ALGORITHM_INTERVALS, type, MOST, 4, 0);
    }
}

int main(void)
{
    static const double shares[] = {0, 0.01, 0.3, 0.5, 0.99};
    const char *const   wish = getenv("ORDO_TEST_SMALL");
    long const          small = wish != NULL ? strtol(wish, NULL, 10) : 0;
    device_start();
    before = test_keep((size_t)MOST * 8);
    keys = test_keep((size_t)MOST * 8);
    expected = test_keep((size_t)MOST * 8);
    values = test_keep((size_t)MOST * VALUE_MOST);
    values_before = test_keep((size_t)MOST * VALUE_MOST);
    values_expected = test_keep((size_t)MOST * VALUE_MOST);
    for (size_t i = 0; i < (size_t)MOST * VALUE_MOST; i++)
        values_before[i] = (unsigned char)(i * 2654435761u >> 13);
    size_t const step = small > 1 ? 2 : 1;
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i += step) {
        ordo_ctx *const ctx =
            CONTEXT(.where = i == 0 ? ORDO_CUDA : ORDO_HYBRID, .cpu_share = shares[i]);
        shapes(ctx, shares[i], small);
        if (small == 0)
            distributions(ctx, shares[i]);
        ordo_ctx_free(ctx);
    }

    static const ordo_device_share parts[] = {{1, 0.4}, {1, 0.3}, {1, 0.1}};
    ordo_ctx *const several = CONTEXT(.where = ORDO_HYBRID, .devices = parts, .device_count = 3);
    shapes(several, 0.2, small != 0 ? small : 1); /* one GPU three times */
    if (small == 0)
        distributions(several, 0.2);
    ordo_ctx_free(several);
    return device_done();
}
