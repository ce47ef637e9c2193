/* test_cuda_limit.c - contexts that use some multiprocessors of the GPU (ordo_ctx_opts.device_sms):
 * the results are those of the CPU, for sorts of every size class, ranks, selections, scans and the
 * sample sort on the GPU alone and on both devices; ordo_ctx_info reports the number in use; a
 * number that the GPU does not have is refused. Skipped if the driver has no green contexts.
 * ORDO_TEST_SMALL=1 tests the smallest sizes, for compute-sanitizer. */
#include "device.h"
#include "inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST = (1 << 22) + 5
};

static uint32_t *before, *keys, *expected, *values[2];
static uint64_t *wide, *wide_expected;

static ordo_info info_with(ordo_where where, uint64_t sms, char *why, size_t size)
{
    ordo_ctx *const ctx = CONTEXT(.where = where, .device_sms = (uint32_t)sms);
    ordo_info       info = info_of(ctx);
    snprintf(why, size, "%s", info.cuda); /* the string belongs to the context */
    info.cuda = why;
    ordo_ctx_free(ctx);
    return info;
}

static void try_sort(ordo_ctx *ctx, size_t n, uint32_t algorithm, uint64_t flags)
{
    ordo_sort_opts const opts = ORDO_OPTS(ordo_sort_opts, .algorithm = algorithm, .flags = flags);
    ordo_sort_opts const plain = ORDO_OPTS(ordo_sort_opts, .flags = flags);
    memcpy(keys, before, n * sizeof *keys);
    memcpy(expected, before, n * sizeof *keys);
    CHECK_STATUS(ORDO_OK, ordo_sort(cpu, ORDO_F32, expected, n, &plain), cpu);
    CHECK_STATUS(ORDO_OK, ordo_sort(ctx, ORDO_F32, keys, n, &opts), ctx);
    CHECK_BYTES(expected, keys, n * sizeof *keys, sizeof *keys);

    memcpy(keys, before, n * sizeof *keys);
    memcpy(expected, before, n * sizeof *keys);
    for (size_t i = 0; i < n; i++)
        values[0][i] = values[1][i] = (uint32_t)i;
    CHECK_STATUS(ORDO_OK, ordo_sort_pairs(cpu, ORDO_U32, expected, n, values[0], 4, &plain), cpu);
    CHECK_STATUS(ORDO_OK, ordo_sort_pairs(ctx, ORDO_U32, keys, n, values[1], 4, &opts), ctx);
    CHECK_BYTES(expected, keys, n * sizeof *keys, sizeof *keys);
    CHECK_BYTES(values[0], values[1], n * sizeof *keys, sizeof *keys);
}

static void try_others(ordo_ctx *ctx, size_t n)
{
    size_t const k[] = {0, n / 3, n - 1};
    CHECK_STATUS(ORDO_OK, ordo_rank(cpu, ORDO_U32, before, n, ORDO_U32, values[0], NULL), cpu);
    CHECK_STATUS(ORDO_OK, ordo_rank(ctx, ORDO_U32, before, n, ORDO_U32, values[1], NULL), ctx);
    CHECK_BYTES(values[0], values[1], n * sizeof *keys, sizeof *keys);
    CHECK_STATUS(ORDO_OK, ordo_select(cpu, ORDO_U32, before, n, k, 3, expected, NULL), cpu);
    CHECK_STATUS(ORDO_OK, ordo_select(ctx, ORDO_U32, before, n, k, 3, keys, NULL), ctx);
    CHECK_BYTES(expected, keys, 3 * sizeof *keys, sizeof *keys);
    CHECK_STATUS(ORDO_OK,
                 ordo_scan(cpu, ORDO_SUM, ORDO_U32, before, n, ORDO_U64, wide_expected, NULL), cpu);
    CHECK_STATUS(ORDO_OK, ordo_scan(ctx, ORDO_SUM, ORDO_U32, before, n, ORDO_U64, wide, NULL), ctx);
    CHECK_BYTES(wide_expected, wide, n * sizeof *wide, sizeof *wide);
}

static void try_limit(uint64_t limit, uint64_t all, bool small)
{
    /* One block, clusters of 8 and of 16 blocks, one launch for all passes, streamed arrays. */
    static const size_t sizes[] = {1, 1000, 5000, 20000, 60000, 200000, 1 << 20, MOST};
    ordo_ctx *const     gpu_alone = CONTEXT(.where = ORDO_CUDA, .device_sms = (uint32_t)limit);
    ordo_ctx *const     both =
        CONTEXT(.where = ORDO_HYBRID, .device_sms = (uint32_t)limit, .cpu_share = 0.3);
    uint64_t const used = info_of(gpu_alone).device_sms;
    CHECK(used >= limit && used <= all);
    for (size_t s = 0; s < (small ? 4 : sizeof sizes / sizeof *sizes); s++) {
        size_t const n = sizes[s];
        testkit_case("%llu of %llu multiprocessors, n = %zu", (unsigned long long)limit,
                     (unsigned long long)all, n);
        inputs_fill(inputs_find("random bits"), ORDO_U32, before, n, n);
        try_sort(gpu_alone, n, ORDO_ALGORITHM_AUTO, 0);
        try_sort(gpu_alone, n, ORDO_ALGORITHM_SAMPLE, ORDO_DESCENDING);
        try_sort(both, n, ORDO_ALGORITHM_SAMPLE, 0);
        try_others(gpu_alone, n);
    }
    ordo_ctx_free(gpu_alone);
    ordo_ctx_free(both);
}

/* Device arrays run on the caller's stream, which is not limited. */
static void try_device_array(uint64_t limit)
{
    size_t const         n = 100003, size = n * sizeof *keys;
    ordo_ctx *const      ctx = CONTEXT(.where = ORDO_CUDA, .device_sms = (uint32_t)limit);
    device_array         array = device_make(size, 0);
    ordo_sort_opts const opts =
        ORDO_OPTS(ordo_sort_opts, .flags = ORDO_ON_DEVICE, .stream = stream);
    testkit_case("a device array in a limited context");
    inputs_fill(inputs_find("random bits"), ORDO_U32, before, n, 1);
    memcpy(expected, before, size);
    CHECK_STATUS(ORDO_OK, ordo_sort(cpu, ORDO_U32, expected, n, NULL), cpu);
    device_put(&array, before);
    CUDA_CHECK(cudaDeviceSynchronize());
    CHECK_STATUS(ORDO_OK, ordo_sort(ctx, ORDO_U32, array.data, n, &opts), ctx);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    device_get(&array, keys);
    CHECK_BYTES(expected, keys, size, sizeof *keys);
    CHECK(device_intact(&array));
    device_free(&array);
    ordo_ctx_free(ctx);
}

static void refuse_more(uint64_t all)
{
    char            why[512], wanted[32], there[32];
    ordo_ctx *const ctx = CONTEXT(.where = ORDO_CUDA, .device_sms = (uint32_t)all + 1);
    testkit_case("more multiprocessors than the GPU has");
    snprintf(wanted, sizeof wanted, "%llu", (unsigned long long)all + 1);
    snprintf(there, sizeof there, "%llu multiprocessors", (unsigned long long)all);
    memcpy(keys, before, 1000 * sizeof *keys);
    CHECK_STATUS(ORDO_E_UNSUPPORTED, ordo_sort(ctx, ORDO_U32, keys, 1000, NULL), ctx);
    CHECK(strstr(ordo_last_error(ctx), wanted) != NULL &&
          strstr(ordo_last_error(ctx), there) != NULL);
    CHECK_BYTES(before, keys, 1000 * sizeof *keys, sizeof *keys);
    ordo_ctx_free(ctx);
    ordo_info const info = info_with(ORDO_AUTO, all + 1, why, sizeof why);
    CHECK(info.device_sms == 0 && strstr(info.cuda, wanted) != NULL);
}

int main(void)
{
    static const uint64_t limits[] = {1, 8, 16, 64};
    bool const            small = getenv("ORDO_TEST_SMALL") != NULL;
    char                  why[512];
    device_start();
    before = test_keep((size_t)MOST * sizeof *before);
    keys = test_keep((size_t)MOST * sizeof *keys);
    expected = test_keep((size_t)MOST * sizeof *expected);
    values[0] = test_keep((size_t)MOST * sizeof *values[0]);
    values[1] = test_keep((size_t)MOST * sizeof *values[1]);
    wide = test_keep((size_t)MOST * sizeof *wide);
    wide_expected = test_keep((size_t)MOST * sizeof *wide_expected);
    inputs_fill(inputs_find("random bits"), ORDO_U32, before, 1000, 1);
    uint64_t const all = info_with(ORDO_CUDA, 0, why, sizeof why).device_sms;
    CHECK(all > 0);
    refuse_more(all);
    if (info_with(ORDO_CUDA, 8, why, sizeof why).device_sms == 0) {
        CHECK(strstr(why, "green contexts") != NULL || strstr(why, "was built with") != NULL);
        testkit_skip("%s", why);
        return device_done();
    }
    for (size_t i = 0; i < sizeof limits / sizeof *limits && limits[i] < all; i++)
        try_limit(limits[i], all, small);
    try_limit(all, all, true);
    try_device_array(8);
    return device_done();
}
