/* test_cuda_memory.c - too little device memory: a limit of the context, and a full device. A call
 * for the GPU returns ORDO_E_NOMEM and leaves arrays unchanged; `auto` continues with the CPU. The
 * context works again when there is memory. Scratch for n keys is enough for fewer. */
#include "device.h"
#include "inputs.h"

#include <stdlib.h>
#include <string.h>

enum {
    KEYS = 3000000
};
#define MEBIBYTE ((size_t)1 << 20)

static uint64_t *before, *keys, *sorted;

static ordo_ctx *limited(ordo_where where, size_t limit)
{
    return CONTEXT(.where = where, .threads = 2, .device_limit = limit);
}

static void test_limit(void)
{
    size_t const         bytes = KEYS * sizeof *keys;
    device_array         array = device_make(bytes, 0);
    ordo_sort_opts const on_device = ORDO_OPTS(ordo_sort_opts, .flags = ORDO_ON_DEVICE);
    ordo_ctx            *ctx = limited(ORDO_CUDA, 4 * MEBIBYTE);

    testkit_case("device_limit");
    CHECK_EQ_U64(4 * MEBIBYTE, info_of(ctx).device_limit);
    memcpy(keys, before, bytes);
    CHECK_STATUS(ORDO_E_NOMEM, ordo_sort(ctx, ORDO_U64, keys, KEYS, NULL), ctx);
    CHECK(strstr(ordo_last_error(ctx), "4194304") != NULL);
    CHECK_BYTES(before, keys, bytes, sizeof *keys);

    device_put(&array, before);
    CHECK_STATUS(ORDO_E_NOMEM, ordo_sort(ctx, ORDO_U64, array.data, KEYS, &on_device), ctx);
    device_get(&array, keys);
    CHECK_BYTES(before, keys, bytes, sizeof *keys);
    CHECK_STATUS(ORDO_E_NOMEM, ordo_reserve(ctx, 64 * MEBIBYTE), ctx);
    CHECK(info_of(ctx).device_held <= 4 * MEBIBYTE);

    CHECK_STATUS(ORDO_OK, ordo_sort(ctx, ORDO_U64, keys, 20000, NULL), ctx); /* this fits */
    for (size_t i = 1; i < 20000; i++)
        if (!CHECK(keys[i - 1] <= keys[i]))
            break;
    ordo_ctx_free(ctx);

    testkit_case("device_limit under auto");
    ctx = limited(ORDO_AUTO, 4 * MEBIBYTE);
    CHECK(info_of(ctx).cuda[0] == '\0');
    memcpy(keys, before, bytes);
    CHECK_STATUS(ORDO_OK, ordo_sort(ctx, ORDO_U64, keys, KEYS, NULL), ctx);
    CHECK_BYTES(sorted, keys, bytes, sizeof *keys);
    ordo_ctx_free(ctx);
    device_free(&array);
}

static void test_reserve(void)
{
    ordo_ctx *const ctx = device_context();

    testkit_case("ordo_reserve");
    CHECK_STATUS(ORDO_OK, ordo_reserve(ctx, 64 * MEBIBYTE), ctx);
    uint64_t const held = info_of(ctx).device_held;
    CHECK(held >= 64 * MEBIBYTE);
    CHECK_STATUS(ORDO_OK, ordo_reserve(ctx, MEBIBYTE), ctx);
    CHECK_EQ_U64(held, info_of(ctx).device_held);
    ordo_ctx_free(ctx);
}

/* Scratch of the sort of n keys: alone, with values of 4 and of 8 bytes, and of their indices. */
static size_t sort_scratch(ordo_type type, size_t n, int way)
{
    ordo_sort_opts const opts = ORDO_OPTS(ordo_sort_opts, .flags = ORDO_ON_DEVICE);
    size_t               bytes = 0;
    if (way == 0)
        CHECK_STATUS(ORDO_OK, ordo_sort_scratch(gpu, type, n, &opts, &bytes), gpu);
    else if (way == 3)
        CHECK_STATUS(ORDO_OK, ordo_argsort_scratch(gpu, type, n, ORDO_U32, &opts, &bytes), gpu);
    else
        CHECK_STATUS(ORDO_OK, ordo_sort_pairs_scratch(gpu, type, n, (size_t)way * 4, &opts, &bytes),
                     gpu);
    return bytes;
}

/* The tiles of a sort have more keys above some powers of 2, so that more keys may have fewer. */
static void test_monotonic(void)
{
    static const ordo_type types[] = {ORDO_U32, ORDO_F32, ORDO_U64, ORDO_F64};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int way = 0; way < 4; way++) {
            size_t most = 0;
            for (size_t power = 1 << 14; power <= 1 << 26; power *= 2)
                for (size_t n = power - 1; n <= power + 3; n++) {
                    size_t const bytes = sort_scratch(types[t], n, way);
                    testkit_case("scratch of %s n=%zu way %d", ordo_type_name(types[t]), n, way);
                    CHECK(bytes >= most);
                    most = bytes > most ? bytes : most;
                }
        }
}

/* Allocates all but `left` bytes of the device. */
static void *fill_device(size_t left)
{
    size_t free_bytes = 0, all = 0;
    void  *hog = NULL;

    CUDA_CHECK(cudaMemGetInfo(&free_bytes, &all));
    if (free_bytes < 2 * left || cudaMalloc(&hog, free_bytes - left) != cudaSuccess) {
        (void)cudaGetLastError();
        return NULL;
    }
    return hog;
}

static void test_full(void)
{
    size_t const bytes = KEYS * sizeof *keys;
    ordo_ctx    *ctx = device_context();
    void *const  hog = fill_device(16 * MEBIBYTE);

    testkit_case("a full device");
    if (hog == NULL) {
        testkit_skip("the device's memory cannot be filled");
        ordo_ctx_free(ctx);
        return;
    }
    memcpy(keys, before, bytes);
    CHECK_STATUS(ORDO_E_NOMEM, ordo_sort(ctx, ORDO_U64, keys, KEYS, NULL), ctx);
    CHECK(ordo_last_error(ctx)[0] != '\0');
    CHECK_BYTES(before, keys, bytes, sizeof *keys);

    ordo_ctx *const automatic = limited(ORDO_AUTO, 0);
    (void)info_of(automatic);
    CHECK_STATUS(ORDO_OK, ordo_sort(automatic, ORDO_U64, keys, KEYS, NULL), automatic);
    CHECK_BYTES(sorted, keys, bytes, sizeof *keys);
    ordo_ctx_free(automatic);

    CUDA_CHECK(cudaFree(hog));
    memcpy(keys, before, bytes);
    CHECK_STATUS(ORDO_OK, ordo_sort(ctx, ORDO_U64, keys, KEYS, NULL), ctx);
    CHECK_BYTES(sorted, keys, bytes, sizeof *keys);
    ordo_ctx_free(ctx);
}

int main(void)
{
    size_t const bytes = KEYS * sizeof *keys;

    device_start();
    before = test_keep(bytes);
    keys = test_keep(bytes);
    sorted = test_keep(bytes);
    inputs_fill(0, ORDO_U64, before, KEYS, 1);
    memcpy(sorted, before, bytes);
    CHECK_STATUS(ORDO_OK, ordo_sort(cpu, ORDO_U64, sorted, KEYS, NULL), cpu);

    test_reserve();
    test_monotonic();
    test_limit();
    test_full();
    return device_done();
}
