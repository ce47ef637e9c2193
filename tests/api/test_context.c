/* test_context.c - creation of contexts: environment variables, ordo_ctx_info, the memory limit;
 * and the report of the last call. */
#define _GNU_SOURCE
#include "testkit.h"
#include "kit/verbs/verbs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Whether `word` is in a list of words separated by spaces. */
static bool lists(const char *list, const char *word)
{
    size_t const length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)) != NULL; at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

static void expect_refused(const char *variable, const char *value)
{
    ordo_ctx *ctx = (ordo_ctx *)&ctx;
    testkit_case("%s=%s", variable, value);
    setenv(variable, value, 1);
    ordo_status const status = ordo_ctx_create(&ctx, NULL);
    unsetenv(variable);
    CHECK(status == ORDO_E_ARG || status == ORDO_E_UNSUPPORTED);
    CHECK(ctx == NULL);
    CHECK(strstr(ordo_last_error(NULL), variable) != NULL);
    CHECK(strstr(ordo_last_error(NULL), value) != NULL);
    if (status == ORDO_OK)
        ordo_ctx_free(ctx);
}

static void test_environment(void)
{
    ordo_ctx *ctx;
    expect_refused("ORDO_ISA", "mmx9000");
    expect_refused("ORDO_ISA", "generic2");
#if defined(__aarch64__)
    expect_refused("ORDO_ISA", "avx2");
#else
    expect_refused("ORDO_ISA", "neon");
#endif
    expect_refused("ORDO_THREADS", "many");
    expect_refused("ORDO_THREADS", "-3");
    expect_refused("ORDO_THREADS", "0");
    expect_refused("ORDO_THREADS", "3x");
    expect_refused("ORDO_THREADS", "99999999999999999999");
    expect_refused("ORDO_DEVICE", "tpu");

    testkit_case("ORDO_THREADS");
    setenv("ORDO_THREADS", "3", 1);
    CHECK_STATUS(ORDO_OK, ordo_ctx_create(&ctx, NULL), NULL);
    CHECK_EQ_U64(3, info_of(ctx).threads);
    ordo_ctx_free(ctx);
    ctx = test_context_make(2);
    CHECK_EQ_U64(2, info_of(ctx).threads);
    unsetenv("ORDO_THREADS");
    ordo_ctx_free(ctx);

    testkit_case("ORDO_ISA=generic");
    setenv("ORDO_ISA", "generic", 1);
    ctx = test_context_make(1);
    CHECK(strcmp(info_of(ctx).isa, "generic") == 0);

    testkit_case("an existing context ignores the environment");
    setenv("ORDO_ISA", "mmx9000", 1);
    setenv("ORDO_THREADS", "many", 1);
    verb_data data = verb_data_make(1000);
    CHECK_STATUS(ORDO_OK, verb_run(0, ctx, &data), ctx);
    CHECK(verb_right(0, &data));
    CHECK(strcmp(report_of(ctx).isa, "generic") == 0);
    unsetenv("ORDO_ISA");
    unsetenv("ORDO_THREADS");
    verb_data_free(&data);
    ordo_ctx_free(ctx);

    testkit_case("ORDO_DEVICE=cpu");
    setenv("ORDO_DEVICE", "cpu", 1);
    ctx = test_context_make(1);
    unsetenv("ORDO_DEVICE");
    ordo_ctx_free(ctx);
}

static void test_info(void)
{
    ordo_ctx *ctx = NULL;
    testkit_case("info");
    CHECK_STATUS(ORDO_OK, ordo_ctx_create(&ctx, NULL), NULL);
    ordo_info const info = info_of(ctx);
    CHECK(lists(info.isa_all, info.isa));
    CHECK(lists(info.isa_all, "generic"));
    CHECK(info.cuda != NULL);
    CHECK(info.cpus >= 1 && info.cpus == (uint32_t)sysconf(_SC_NPROCESSORS_ONLN));
    CHECK(info.affinity >= 1 && info.affinity <= info.cpus);
    CHECK(info.threads >= 1 && info.threads <= info.affinity);
    CHECK_EQ_U64(0, info.mem_limit);

    struct {
        ordo_info     info;
        unsigned char after[32];
    } old;
    testkit_case("info of a caller with a shorter struct");
    memset(&old, 0x5a, sizeof old);
    old.info.struct_size = offsetof(ordo_info, isa_all);
    CHECK_STATUS(ORDO_OK, ordo_ctx_info(ctx, &old.info), ctx);
    CHECK(strcmp(old.info.isa, info.isa) == 0);
    unsigned char const *const rest = (const unsigned char *)&old.info.isa_all;
    CHECK(rest[0] == 0x5a && rest[7] == 0x5a && old.after[0] == 0x5a);
    old.info.struct_size = 0;
    CHECK_STATUS(ORDO_E_ARG, ordo_ctx_info(ctx, &old.info), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_ctx_info(ctx, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_last_report(ctx, NULL), ctx);

    ordo_ctx_free(ctx);

    testkit_case("the number of threads");
    for (unsigned threads = 1; threads <= 9; threads += 4) {
        ctx = test_context_make(threads);
        CHECK_EQ_U64(threads, info_of(ctx).threads);
        ordo_ctx_free(ctx);
    }
    CHECK_STATUS(ORDO_E_ARG, ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .alloc = test_alloc)),
                 NULL);
    CHECK_STATUS(ORDO_E_ARG,
                 ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .release = test_release)), NULL);
}

/* A missing device is refused at the creation of the context or at its first call. */
static void test_device(void)
{
    ordo_ctx *const   plain = test_context_make(1);
    ordo_info const   info = info_of(plain);
    verb_data         data = verb_data_make(100);
    ordo_ctx         *ctx = NULL;
    ordo_status const made = ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CUDA));

    testkit_case("where = ORDO_CUDA, cuda is \"%s\"", info.cuda);
    CHECK((ctx != NULL) == (made == ORDO_OK));
    if (info.cuda[0] == '\0') {
        CHECK_STATUS(ORDO_OK, made, NULL);
    } else if (made == ORDO_OK) {
        CHECK_STATUS(ORDO_E_UNSUPPORTED, verb_run(0, ctx, &data), ctx);
        CHECK(ordo_last_error(ctx)[0] != '\0');
        CHECK(verb_untouched(&data));
    } else {
        CHECK_STATUS(ORDO_E_UNSUPPORTED, made, NULL);
        CHECK(ordo_last_error(NULL)[0] != '\0');
    }
    ordo_ctx_free(ctx);
    ordo_ctx_free(plain);
    verb_data_free(&data);
}

/* The report of every verb. A later failed call keeps it. */
static void test_report(size_t n, unsigned threads)
{
    ordo_ctx *const ctx = test_context_make(threads);
    verb_data       data = verb_data_make(n);
    for (size_t v = 0; v < VERBS; v += VERB_STEP) {
        size_t bound = SIZE_MAX;
        testkit_case("report of %s n=%zu threads=%u", verb_name(v), n, threads);
        CHECK_STATUS(ORDO_OK, verb_scratch(v, ctx, n, &bound), ctx);
        double const start = test_now();
        CHECK_STATUS(ORDO_OK, verb_run(v, ctx, &data), ctx);
        double const      wall = test_now() - start;
        ordo_report const report = report_of(ctx);
        CHECK(verb_right(v, &data));
        CHECK(strcmp(report.operation, verb_operation(v)) == 0);
        CHECK(strcmp(report.backend, "cpu") == 0);
        CHECK(strcmp(report.isa, info_of(ctx).isa) == 0 || strcmp(report.isa, "generic") == 0);
        CHECK(report.algorithm[0] != '\0' && strcmp(report.algorithm, "auto") != 0);
        CHECK(ordo_input_name((ordo_input)report.facts.input) != NULL);
        CHECK(ordo_strategy_name((ordo_strategy)report.facts.strategy) != NULL);
        CHECK(strstr(verb_name(v), "sequential") == NULL ||
              strcmp(report.algorithm, "sequential") == 0);
        CHECK(strstr(verb_name(v), "threads") == NULL || strcmp(report.algorithm, "threads") == 0);
        CHECK(report.threads >= 1 && report.threads <= threads);
        CHECK_EQ_U64(verb_type(v), report.type);
        CHECK(report.n == n || strcmp(report.operation, "copy") == 0);
        /* The report may use another clock, whose rate differs slightly. */
        CHECK(report.seconds >= 0 && report.seconds <= 1.01 * wall + 1e-6);
        CHECK(report.scratch_bytes <= bound || !verb_has_scratch(v));

        int32_t key = 0;
        CHECK_STATUS(ORDO_E_ARG, ordo_rank_sorted(ctx, ORDO_I32, &key, 1, ORDO_F32, &key, NULL),
                     ctx);
        CHECK(ordo_last_error(ctx)[0] != '\0');
        ordo_report const kept = report_of(ctx);
        CHECK(strcmp(kept.operation, report.operation) == 0 && kept.n == report.n);
    }
    ordo_report small = {.struct_size = offsetof(ordo_report, backend)};
    testkit_case("report of a caller with a shorter struct");
    CHECK_STATUS(ORDO_OK, ordo_last_report(ctx, &small), ctx);
    CHECK(small.operation != NULL && small.backend == NULL && small.n == 0);
    verb_data_free(&data);
    ordo_ctx_free(ctx);
}

/* With every limit a call succeeds within the limit or fails with ORDO_E_NOMEM. */
static void test_mem_limit(size_t n, unsigned threads)
{
    verb_data data = verb_data_make(n);
    for (size_t limit = 1; limit < (size_t)64 << 20; limit *= 8) {
        testkit_case("mem_limit %zu n=%zu threads=%u", limit, n, threads);
        ordo_ctx *const ctx = CONTEXT(.threads = threads, .mem_limit = limit);
        if (ctx == NULL)
            continue;
        CHECK_EQ_U64(limit, info_of(ctx).mem_limit);
        for (size_t v = 0; v < VERBS; v += VERB_STEP) {
            ordo_status const status = verb_run(v, ctx, &data);
            size_t            bound = 0;
            if (status == ORDO_OK) {
                CHECK(verb_right(v, &data));
                CHECK(report_of(ctx).scratch_bytes <= limit);
            } else {
                CHECK_STATUS(ORDO_E_NOMEM, status, ctx);
                CHECK(verb_untouched(&data));
                CHECK(ordo_last_error(ctx)[0] != '\0');
                CHECK_STATUS(ORDO_OK, verb_scratch(v, ctx, n, &bound), ctx);
                CHECK(bound > limit || !verb_has_scratch(v));
            }
            CHECK(info_of(ctx).scratch_held <= limit);
        }
        ordo_ctx_free(ctx);
    }
    verb_data_free(&data);
}

/* scratch_held is at least the scratch of the last call, also with huge pages. */
static void test_scratch_held(void)
{
    verb_data       data = verb_data_make(300000);
    ordo_ctx *const ctx = test_context_make(4);
    testkit_case("scratch_held");
    for (size_t v = 0; v < VERBS; v += VERB_STEP) {
        CHECK_STATUS(ORDO_OK, verb_run(v, ctx, &data), ctx);
        CHECK(info_of(ctx).scratch_held >= report_of(ctx).scratch_bytes);
    }
    ordo_ctx_free(ctx);
    verb_data_free(&data);
}

int main(void)
{
    testkit_start();
    test_environment();
    test_info();
    test_device();
    test_report(1000, 1);
    test_report(120000, 4);
    test_mem_limit(1000, 3);
    test_mem_limit(120000, 4);
    test_scratch_held();
    return testkit_done();
}
