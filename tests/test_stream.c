/* test_stream.c - host arrays streamed through a device (lib/hybrid), on machines without one: the
 * device is tests/plugins/playing.c, which does everything as late as it may. The bytes are those
 * of the CPU for every type, shape, direction and verb; a device that fails in any of its
 * functions, at its first use or later, costs no data; a cancelled call ends. */
#define _POSIX_C_SOURCE 200809L
#include "canceller.h"
#include "inputs.h"
#include "testkit.h"
#include "ordo_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef TEST_PLUGINS
#define TEST_PLUGINS "plugins" /* the folder of the shared objects; the build knows it */
#endif

enum {
#ifdef ORDO_TINY
    STREAMED = 1, /* thresholds are low enough for it */
#else
    STREAMED = 0,
#endif
    MOST = 6007,
    VALUE_MOST = 16,
    FEWER = TESTKIT_SANITIZED ? 7 : 1 /* of the combinations */
};

static ordo_ctx     *cpu;
static unsigned char before[MOST * 8], keys[MOST * 8], expected[MOST * 8];
static unsigned char values_before[MOST * VALUE_MOST], values[MOST * VALUE_MOST],
    values_expected[MOST * VALUE_MOST];

static ordo_ctx *context(ordo_where where, unsigned threads, double share)
{
    ordo_ctx *ctx = NULL;
    CHECK_STATUS(ORDO_OK,
                 ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .where = where, .threads = threads,
                                                  .cpu_share = share)),
                 NULL);
    return ctx;
}

static bool was_streamed(const ordo_ctx *ctx)
{
    ordo_report report = {.struct_size = sizeof report};
    return ordo_last_report(ctx, &report) == ORDO_OK && strcmp(report.backend, "cpu") != 0 &&
           (strstr(report.detail, "streamed") != NULL || strstr(report.detail, "rounds") != NULL);
}

typedef enum verb {
    SORT,
    PAIRS,
    ARGSORT,
    VERBS
} verb;

static ordo_status call(ordo_ctx *ctx, verb what, ordo_type type, void *k, size_t n, void *v,
                        size_t value_size, uint64_t flags)
{
    ordo_sort_opts const opts = ORDO_OPTS(ordo_sort_opts, .flags = flags);
    switch (what) {
    case SORT:
        return ordo_sort(ctx, type, k, n, &opts);
    case PAIRS:
        return ordo_sort_pairs(ctx, type, k, n, v, value_size, &opts);
    default:
        return ordo_argsort(ctx, type, k, n, value_size == 4 ? ORDO_U32 : ORDO_U64, v, &opts);
    }
}

static void fill_values(size_t n, size_t size)
{
    test_rng rng = {n + size};
    for (size_t i = 0; i < n * size; i++)
        values_before[i] = (unsigned char)test_rng_next(&rng);
}

/* Fills the arrays and finds out what is expected. */
static void prepare(verb what, size_t shape, ordo_type type, size_t n, size_t value_size,
                    uint64_t flags)
{
    size_t const size = ordo_type_size(type);
    inputs_fill(shape, type, before, n, n + shape);
    fill_values(n, value_size);
    memcpy(expected, before, n * size);
    memcpy(values_expected, values_before, n * value_size);
    CHECK_STATUS(ORDO_OK, call(cpu, what, type, expected, n, values_expected, value_size, flags),
                 cpu);
    memcpy(keys, before, n * size);
    memcpy(values, values_before, n * value_size);
}

/* Every `of`th combination. */
static void same_bytes(ordo_ctx *ctx, bool streams, size_t of)
{
    static const size_t value_sizes[] = {4, 8, 1, 3, 16};
    size_t              streamed = 0;
    for (size_t t = 0; t < INPUTS_TYPES; t++)
        for (size_t shape = 0; shape < inputs_count(); shape++)
            for (verb what = SORT; what < VERBS; what++) {
                ordo_type const type = inputs_types[t];
                size_t const    size = ordo_type_size(type);
                size_t const    pick = t + shape + (size_t)what;
                size_t const    value_size = what == SORT    ? 0
                                             : what == PAIRS ? value_sizes[pick % 5]
                                                             : value_sizes[pick % 2];
                size_t const    n = MOST - (pick * 613) % 3000;
                uint64_t const  flags = pick % 3 == 0 ? ORDO_DESCENDING : 0;
                if (pick % (of * FEWER) != 0)
                    continue;
                testkit_case("verb %d, %s of %s, n = %zu, values of %zu, flags %d", (int)what,
                             inputs_name(shape), ordo_type_name(type), n, value_size, (int)flags);
                prepare(what, shape, type, n, value_size, flags);
                if (what == ARGSORT && !STREAMED) /* the device has none of its own */
                    continue;
                CHECK_STATUS(ORDO_OK, call(ctx, what, type, keys, n, values, value_size, flags),
                             ctx);
                CHECK_BYTES(what == ARGSORT ? before : expected, keys, n * size, size);
                if (value_size != 0)
                    CHECK_BYTES(values_expected, values, n * value_size, value_size);
                streamed += was_streamed(ctx);
            }
    testkit_case("streamed");
    CHECK((streamed > 0) == streams);
}

/* Dense keys come home in fewer bytes where the CPU may unpack them, and only there. */
static void packed(ordo_where where)
{
    ordo_report     report = {.struct_size = sizeof report};
    ordo_ctx *const ctx = context(where, 4, -1);
    testkit_case("packed, device %d", (int)where);
    prepare(SORT, inputs_find("random bits"), ORDO_U64, MOST, 0, 0);
    CHECK_STATUS(ORDO_OK, call(ctx, SORT, ORDO_U64, keys, MOST, NULL, 0, 0), ctx);
    CHECK_BYTES(expected, keys, (size_t)MOST * 8, 8);
    CHECK_STATUS(ORDO_OK, ordo_last_report(ctx, &report), ctx);
    const char *const at = strstr(report.detail, "packed to ");
    CHECK((at != NULL) == (where == ORDO_HYBRID));
    if (at != NULL)
        CHECK(strtol(at + strlen("packed to "), NULL, 10) < 95);
    ordo_ctx_free(ctx);
}

/* A share that is too large for the CPU ends up with the device. */
static void handed_over(void)
{
    ordo_report     report = {.struct_size = sizeof report};
    ordo_ctx *const ctx = context(ORDO_HYBRID, 1, 0.6);
    testkit_case("handed over");
    for (verb what = SORT; what < VERBS; what++) {
        prepare(what, inputs_find("random bits"), ORDO_U32, MOST, what == SORT ? 0 : 4, 0);
        CHECK_STATUS(ORDO_OK, call(ctx, what, ORDO_U32, keys, MOST, values, 4, 0), ctx);
        CHECK_BYTES(what == ARGSORT ? before : expected, keys, (size_t)MOST * 4, 4);
        if (what != SORT)
            CHECK_BYTES(values_expected, values, (size_t)MOST * 4, 4);
        CHECK_STATUS(ORDO_OK, ordo_last_report(ctx, &report), ctx);
        const char *const at = strstr(report.detail, " bins (");
        CHECK(at != NULL && strtol(at + strlen(" bins ("), NULL, 10) > 0);
    }
    ordo_ctx_free(ctx);
}

/* What the parts of the machine did is told where it is asked for: every thread's and the link's
 * bytes are those of the array. */
static void profiled(void)
{
    static ordo_span spans[1 << 14];
    uint64_t         bytes[ORDO_SPAN_WORK + 1] = {0};
    ordo_ctx        *ctx = NULL;
    testkit_case("profile");
    CHECK_STATUS(ORDO_OK,
                 ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CUDA, .threads = 3,
                                                  .profile = 1)),
                 NULL);
    prepare(PAIRS, inputs_find("random bits"), ORDO_U32, MOST, 4, 0);
    CHECK_STATUS(ORDO_OK, call(ctx, PAIRS, ORDO_U32, keys, MOST, values, 4, 0), ctx);
    size_t const count = ordo_last_profile(ctx, spans, sizeof spans / sizeof *spans);
    CHECK(count > 0 && count <= sizeof spans / sizeof *spans);
    for (size_t i = 0; i < count; i++) {
        CHECK(spans[i].kind >= ORDO_SPAN_PHASE_I && spans[i].kind <= ORDO_SPAN_WORK);
        CHECK(spans[i].began >= 0 && spans[i].began <= spans[i].ended);
        bytes[spans[i].kind] += spans[i].bytes;
    }
    CHECK(bytes[ORDO_SPAN_DIVIDE] == MOST * 8);
    CHECK(bytes[ORDO_SPAN_IN] == MOST * 8);
    CHECK(bytes[ORDO_SPAN_OUT] == MOST * 8);
    CHECK(bytes[ORDO_SPAN_PUT] == MOST * 8);
    CHECK(bytes[ORDO_SPAN_WORK] == 2 * MOST * 8); /* in a run and in a segment */
    CHECK_STATUS(ORDO_OK, call(cpu, SORT, ORDO_U32, keys, MOST, NULL, 0, 0), cpu);
    CHECK(ordo_last_profile(cpu, spans, 1) == 0);
    ordo_ctx_free(ctx);
}

/* ---- Trouble ---- */

static const char *const functions[] = {"begin", "copy_in",  "close_side", "wait_side", "join",
                                        "sort",  "iota",     "search",     "copy",      "mark",
                                        "await", "copy_out", "end",        "pack"};

static void lose_device(const char *function, int at, verb what)
{
    char wish[64];
    testkit_case("verb %d, lost in call %d of %s", (int)what, at, function);
    snprintf(wish, sizeof wish, "%s:%d", function, at);
    setenv("ORDO_PLAY_FAIL", wish, 1);
    for (int hybrid = 0; hybrid < 2; hybrid++) {
        ordo_ctx *const ctx = context(hybrid ? ORDO_HYBRID : ORDO_CUDA, 4, 0.3);
        prepare(what, inputs_find("random bits"), ORDO_F32, MOST, what == SORT ? 0 : 4, 0);
        ordo_status const status = call(ctx, what, ORDO_F32, keys, MOST, values, 4, 0);
        bool const        lost = status != ORDO_OK;
        if (hybrid)
            CHECK(!lost);
        else if (at ==
                 1) /* all are called at least once, but iota for indices, pack for both alone */
            CHECK(lost || (what != ARGSORT && strcmp(function, "iota") == 0) ||
                  strcmp(function, "pack") == 0);
        if (lost) {
            CHECK_STATUS(ORDO_E_DEVICE, status, ctx);
            CHECK(strstr(ordo_last_error(ctx), function) != NULL);
        } else {
            CHECK_BYTES(what == ARGSORT ? before : expected, keys, (size_t)MOST * 4, 4);
            if (what != SORT)
                CHECK_BYTES(values_expected, values, (size_t)MOST * 4, 4);
        }
        /* The next call is as if nothing had been. */
        unsetenv("ORDO_PLAY_FAIL");
        memcpy(keys, before, sizeof before);
        memcpy(values, values_before, sizeof values);
        CHECK_STATUS(ORDO_OK, call(ctx, what, ORDO_F32, keys, MOST, values, 4, 0), ctx);
        CHECK_BYTES(what == ARGSORT ? before : expected, keys, (size_t)MOST * 4, 4);
        setenv("ORDO_PLAY_FAIL", wish, 1);
        ordo_ctx_free(ctx);
    }
    unsetenv("ORDO_PLAY_FAIL");
}

static void lose_devices(void)
{
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
        for (verb what = SORT; what < VERBS; what++)
            for (int at = 1; at <= 16; at += at < 3 && FEWER == 1 ? 1 : 13)
                lose_device(functions[f], at, what);
}

/* Memory of the device from far too little to nearly enough. */
static void little_memory(void)
{
    static const char *const rooms[] = {"100", "12000", "30000", "60000", "90000"};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        setenv("ORDO_PLAY_ROOM", rooms[i], 1);
        ordo_ctx *const ctx = context(ORDO_HYBRID, 1 + (unsigned)i % 4, i % 2 == 0 ? -1 : 0.2);
        same_bytes(ctx, i > 0, 6);
        ordo_ctx_free(ctx);
    }
    setenv("ORDO_PLAY_ROOM", "40000", 1);
    for (verb what = SORT; what < VERBS; what++)
        for (int at = 1; at <= 61; at += 20) {
            lose_device("sort", at, what);
            lose_device("copy_out", at, what);
        }
    testkit_case("too little memory");
    setenv("ORDO_PLAY_ROOM", "100", 1);
    ordo_ctx *const ctx = context(ORDO_CUDA, 2, 0);
    prepare(SORT, inputs_find("random bits"), ORDO_U32, MOST, 0, 0);
    CHECK_STATUS(ORDO_E_NOMEM, call(ctx, SORT, ORDO_U32, keys, MOST, NULL, 0, 0), ctx);
    CHECK_BYTES(before, keys, (size_t)MOST * 4, 4);
    ordo_ctx_free(ctx);
    unsetenv("ORDO_PLAY_ROOM");
}

/* Wherever the call is then, it ends; what it says of the array is so, and the next one works. */
static void cancel(ordo_where where, double share)
{
    int cancelled = 0;
    testkit_case("cancelled, device %d", (int)where);
    for (int round = 0; round < 200 && cancelled < 20; round++) {
        canceller with = {.ctx = context(where, 3, share)};
        prepare(PAIRS, inputs_find("random bits"), ORDO_U64, MOST, 4, 0);
        if (!canceller_start(&with))
            return;
        ordo_status const status = call(with.ctx, PAIRS, ORDO_U64, keys, MOST, values, 4, 0);
        canceller_end(&with);
        cancelled += status == ORDO_E_CANCELLED;
        if (status == ORDO_OK) {
            CHECK_BYTES(expected, keys, (size_t)MOST * 8, 8);
        } else if (CHECK_STATUS(ORDO_E_CANCELLED, status, with.ctx) &&
                   strstr(ordo_last_error(with.ctx), "unchanged") != NULL) {
            CHECK_BYTES(before, keys, (size_t)MOST * 8, 8);
            CHECK_BYTES(values_before, values, (size_t)MOST * 4, 4);
        }
        memcpy(keys, before, sizeof before);
        memcpy(values, values_before, sizeof values);
        CHECK_STATUS(ORDO_OK, call(with.ctx, PAIRS, ORDO_U64, keys, MOST, values, 4, 0), with.ctx);
        CHECK_BYTES(expected, keys, (size_t)MOST * 8, 8);
        ordo_ctx_free(with.ctx);
    }
    CHECK(cancelled > 0);
}

int main(void)
{
    testkit_start();
    setenv("ORDO_BACKEND_DIR", TEST_PLUGINS "/playing", 1);
    cpu = context(ORDO_CPU, 1, 0);
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        ordo_ctx *const ctx = context(ORDO_CUDA, threads, 0);
        same_bytes(ctx, STREAMED, threads);
        ordo_ctx_free(ctx);
    }
    static double const shares[] = {-1, 0.15, 0.5, 0.9, 1, 0};
    for (size_t i = 0; i < sizeof shares / sizeof *shares && STREAMED; i++) {
        ordo_ctx *const ctx = context(ORDO_HYBRID, 1 + (unsigned)i % 4, shares[i]);
        same_bytes(ctx, shares[i] < 1, 4);
        ordo_ctx_free(ctx);
    }
    if (STREAMED) {
        packed(ORDO_CUDA);
        packed(ORDO_HYBRID);
        handed_over();
        profiled();
        lose_devices();
        little_memory();
        cancel(ORDO_CUDA, 0);
        cancel(ORDO_HYBRID, 0.3);
    }
    ordo_ctx_free(cpu);
    return testkit_done();
}
