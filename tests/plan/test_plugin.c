/* test_plugin.c - trouble with the backend that is a shared object of its own: it is missing, is no
 * library, is no backend, is of another version, finds no device, fails in its calls, or loses the
 * device in the midst of them. Wherever it is asked for by name the status and the words say so and
 * arrays are as they were; `auto` goes on with the CPU.
 *
 * The shared objects are those of tests/plugins, each in a folder of its own under the name that
 * the library looks for. No GPU is needed, and none is used. */
#define _POSIX_C_SOURCE 200809L
#include "testkit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef TEST_PLUGINS
#define TEST_PLUGINS "plugins" /* the folder of the shared objects; the build knows it */
#endif

enum {
    KEYS = 200000 /* with one thread enough that `auto` would gain by a GPU */
};

static uint32_t before[KEYS], keys[KEYS], values[KEYS], index_of[KEYS];

static void use(const char *plugin)
{
    char folder[4096];
    snprintf(folder, sizeof folder, "%s/%s", TEST_PLUGINS, plugin);
    setenv("ORDO_BACKEND_DIR", folder, 1);
    memcpy(keys, before, sizeof keys);
    memset(index_of, 0xee, sizeof index_of);
    testkit_case("%s", plugin);
}

static ordo_ctx *context(ordo_where where)
{
    ordo_ctx *ctx = NULL;
    CHECK_STATUS(ORDO_OK,
                 ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .where = where, .threads = 1)),
                 NULL);
    return ctx;
}

static ordo_info info_of(ordo_ctx *ctx)
{
    ordo_info info = {.struct_size = sizeof info};
    CHECK_STATUS(ORDO_OK, ordo_ctx_info(ctx, &info), ctx);
    return info;
}

static const char *backend_of(const ordo_ctx *ctx)
{
    ordo_report report = {.struct_size = sizeof report};
    CHECK_STATUS(ORDO_OK, ordo_last_report(ctx, &report), ctx);
    return report.backend;
}

static bool rising(const uint32_t *a)
{
    for (size_t i = 1; i < KEYS; i++)
        if (a[i - 1] > a[i])
            return false;
    return true;
}

static bool unwritten(void)
{
    for (size_t i = 0; i < KEYS; i++)
        if (index_of[i] != 0xeeeeeeee)
            return false;
    return true;
}

/* There is no device: asked for it, every call says why, also the second one. */
static void no_device(const char *plugin, const char *reason)
{
    ordo_sort_opts const on_device = ORDO_OPTS(ordo_sort_opts, .flags = ORDO_ON_DEVICE);
    size_t               bytes = 77;

    use(plugin);
    ordo_ctx *ctx = context(ORDO_CUDA);
    for (int round = 0; round < 2; round++) {
        CHECK_STATUS(ORDO_E_UNSUPPORTED, ordo_sort(ctx, ORDO_U32, keys, KEYS, NULL), ctx);
        if (!CHECK(strstr(ordo_last_error(ctx), reason) != NULL))
            printf("expected '%s' in: %s\n", reason, ordo_last_error(ctx));
    }
    CHECK_STATUS(ORDO_E_UNSUPPORTED, ordo_reserve(ctx, 1000), ctx);
    CHECK_STATUS(ORDO_E_UNSUPPORTED, ordo_sort_scratch(ctx, ORDO_U32, KEYS, NULL, &bytes), ctx);
    CHECK_EQ_U64(77, bytes);
    CHECK(strstr(info_of(ctx).cuda, reason) != NULL);
    CHECK_EQ_U64(0, info_of(ctx).device_held);
    CHECK(info_of(ctx).devices != NULL);
    CHECK_BYTES(before, keys, sizeof keys, 4);
    ordo_ctx_free(ctx);

    ctx = context(ORDO_AUTO);
    CHECK(strstr(info_of(ctx).cuda, reason) != NULL);
    CHECK_STATUS(ORDO_E_UNSUPPORTED, ordo_sort(ctx, ORDO_U32, keys, KEYS, &on_device), ctx);
    CHECK_BYTES(before, keys, sizeof keys, 4);
    CHECK_STATUS(ORDO_OK, ordo_sort(ctx, ORDO_U32, keys, KEYS, NULL), ctx);
    CHECK(rising(keys) && strcmp(backend_of(ctx), "cpu") == 0);
    CHECK(ordo_last_error(ctx)[0] == '\0');
    ordo_ctx_free(ctx);

    ctx = context(ORDO_CPU);
    CHECK_STATUS(ORDO_E_ARG, ordo_sort(ctx, ORDO_U32, keys, KEYS, &on_device), ctx);
    CHECK_STATUS(ORDO_OK, ordo_sort(ctx, ORDO_U32, keys, KEYS, NULL), ctx);
    ordo_ctx_free(ctx);
}

/* A device that was asked for by name fails with its own words. */
static void test_failing_asked_for(void)
{
    size_t radius = 77;

    use("failing");
    ordo_ctx *const ctx = context(ORDO_CUDA);
    CHECK(info_of(ctx).cuda[0] == '\0');
    CHECK_EQ_U64(4711, info_of(ctx).device_held);
    CHECK(strstr(info_of(ctx).devices, "a stub") != NULL);

    CHECK_STATUS(ORDO_E_DEVICE, ordo_sort(ctx, ORDO_U32, keys, KEYS, NULL), ctx);
    CHECK(strstr(ordo_last_error(ctx), "fallen off the bus") != NULL);
    CHECK_BYTES(before, keys, sizeof keys, 4);
    CHECK_STATUS(ORDO_E_NOMEM, ordo_argsort(ctx, ORDO_U32, keys, KEYS, ORDO_U32, index_of, NULL),
                 ctx);
    CHECK(strstr(ordo_last_error(ctx), "200000 keys") != NULL);
    CHECK_STATUS(ORDO_E_UNSUPPORTED, ordo_rank(ctx, ORDO_U32, keys, KEYS, ORDO_U32, index_of, NULL),
                 ctx);
    CHECK_STATUS(ORDO_E_UNSUPPORTED, ordo_radius(ctx, ORDO_U32, keys, KEYS, &radius, NULL), ctx);
    CHECK(ordo_last_error(ctx)[0] != '\0' && radius == 77 && unwritten());
    ordo_ctx_free(ctx);
}

/* Under `auto` the CPU takes over, unless the array has been changed. */
static void test_failing_under_auto(void)
{
    use("failing");
    ordo_ctx *const ctx = context(ORDO_AUTO);
    CHECK(info_of(ctx).cuda[0] == '\0'); /* now it is open, and large calls go there */

    CHECK_STATUS(ORDO_OK, ordo_argsort(ctx, ORDO_U32, keys, KEYS, ORDO_U32, index_of, NULL), ctx);
    CHECK(strcmp(backend_of(ctx), "cpu") == 0 && keys[index_of[0]] <= keys[index_of[KEYS - 1]]);
    CHECK_STATUS(ORDO_OK, ordo_rank(ctx, ORDO_U32, keys, KEYS, ORDO_U32, index_of, NULL), ctx);
    CHECK_STATUS(ORDO_OK, ordo_sort(ctx, ORDO_U32, keys, KEYS, NULL), ctx);
    CHECK(rising(keys) && strcmp(backend_of(ctx), "cpu") == 0);
    CHECK(ordo_last_error(ctx)[0] == '\0');

    memcpy(keys, before, sizeof keys);
    CHECK_STATUS(ORDO_E_DEVICE, ordo_sort_pairs(ctx, ORDO_U32, keys, KEYS, values, 4, NULL), ctx);
    CHECK(strstr(ordo_last_error(ctx), "halfway") != NULL);
    ordo_ctx_free(ctx);
}

/* The device had taken a copy and worked on it: an array of the caller is as it was, or, under
 * `auto` and `hybrid`, right. The second round meets a device that is lost already. */
static void test_lost(ordo_where where)
{
    bool const        goes_on = where != ORDO_CUDA;
    ordo_status const expected = goes_on ? ORDO_OK : ORDO_E_DEVICE;

    use("lost");
    ordo_ctx *const ctx = context(where);
    CHECK(info_of(ctx).cuda[0] == '\0');
    if (!goes_on) {
        CHECK_STATUS(ORDO_E_DEVICE, ordo_reserve(ctx, 1000), ctx);
        CHECK(strstr(ordo_last_error(ctx), "before it had 1000 bytes") != NULL);
    }
    for (int round = 0; round < 2; round++) {
        memcpy(keys, before, sizeof keys);
        CHECK_STATUS(expected, ordo_sort(ctx, ORDO_U32, keys, KEYS, NULL), ctx);
        CHECK(goes_on ? rising(keys) : memcmp(before, keys, sizeof keys) == 0);
        CHECK((strstr(ordo_last_error(ctx), "lost at work") != NULL) != goes_on);

        memcpy(keys, before, sizeof keys);
        memcpy(values, before, sizeof values);
        CHECK_STATUS(expected, ordo_sort_pairs(ctx, ORDO_U32, keys, KEYS, values, 4, NULL), ctx);
        CHECK(goes_on ? rising(keys) : memcmp(before, keys, sizeof keys) == 0);
        CHECK_BYTES(keys, values, sizeof values, 4); /* each key's value is the key */

        memcpy(keys, before, sizeof keys);
        memset(index_of, 0xee, sizeof index_of);
        CHECK_STATUS(expected, ordo_argsort(ctx, ORDO_U32, keys, KEYS, ORDO_U32, index_of, NULL),
                     ctx);
        CHECK(goes_on ? keys[index_of[0]] <= keys[index_of[KEYS - 1]] : unwritten());
        CHECK_BYTES(before, keys, sizeof keys, 4);
    }
    CHECK(!goes_on || strcmp(backend_of(ctx), "cpu") == 0);
    ordo_ctx_free(ctx);
}

/* Small calls do not look for a device; a context that may not use one never does. */
static void test_untouched(void)
{
    use("failing");
    ordo_ctx *ctx = context(ORDO_AUTO);
    CHECK_STATUS(ORDO_OK, ordo_sort_pairs(ctx, ORDO_U32, keys, 1000, values, 4, NULL), ctx);
    CHECK(strcmp(backend_of(ctx), "cpu") == 0);
    ordo_ctx_free(ctx);

    ctx = context(ORDO_CPU);
    memcpy(keys, before, sizeof keys);
    CHECK_STATUS(ORDO_OK, ordo_sort_pairs(ctx, ORDO_U32, keys, KEYS, values, 4, NULL), ctx);
    CHECK(rising(keys) && strcmp(backend_of(ctx), "cpu") == 0);
    ordo_ctx_free(ctx);
}

int main(void)
{
    test_rng rng = {5};
    testkit_start();
    for (size_t i = 0; i < KEYS; i++)
        before[i] = (uint32_t)test_rng_next(&rng);

    no_device("there/is/no/such/folder", "libordo_cuda.so");
    no_device("empty", "no libordo_cuda.so in");
    no_device("not_a_library", "libordo_cuda.so");
    no_device("no_entry", "ordo_backend_table");
    no_device("other_abi", "another version");
    no_device("short_table", "another version");
    no_device("refusing", "another version");
    no_device("not_opening", "the slot for GPU 0 is empty");
    test_failing_asked_for();
    test_failing_under_auto();
    test_lost(ORDO_CUDA);
    test_lost(ORDO_AUTO);
    test_lost(ORDO_HYBRID);
    test_untouched();
    return testkit_done();
}
