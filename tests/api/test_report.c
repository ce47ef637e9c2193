/* test_report.c - the sentence of a report, the fields of inner calls, and predictions without a
 * GPU. */
#define _POSIX_C_SOURCE 200809L
#include "api/api_ctx.h"
#include "testkit.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Each value of the enums adds words, and no two values add the same words. */
static void every_value(void)
{
    static char texts[64][128];
    size_t      count = 0;
    for (uint32_t input = 1; ordo_input_name((ordo_input)input) != NULL; input++)
        CHECK(ordo_report_text(&(ordo_report){.facts = {.input = input}}, texts[count++], 128) > 0);
    for (uint32_t s = 1; ordo_strategy_name((ordo_strategy)s) != NULL; s++)
        CHECK(ordo_report_text(&(ordo_report){.facts = {.strategy = s}}, texts[count++], 128) > 0);
    CHECK_EQ_U64(ORDO_INPUT_EQUAL + ORDO_STRATEGY_SEGMENTS, count);
    for (size_t i = 0; i < count; i++) {
        CHECK(strlen(texts[i]) < 127);
        for (size_t j = 0; j < i; j++)
            CHECK(strcmp(texts[i], texts[j]) != 0);
    }
}

/* A report of a newer library: unknown values are left out. */
static void unknown_values(void)
{
    ordo_report const report = {.facts = {.input = 1000, .strategy = 1000}};
    char              text[8] = "x";
    CHECK_EQ_U64(0, ordo_report_text(&report, text, sizeof text));
    CHECK(text[0] == '\0');
    CHECK(ordo_input_name((ordo_input)1000) == NULL);
    CHECK(ordo_strategy_name((ordo_strategy)1000) == NULL);
}

static void every_number(void)
{
    ordo_report report = {.facts = {.strategy = ORDO_STRATEGY_STREAMED, .letter_bits = 1}};
    char        text[2048], part[2048];
    size_t      length = ordo_report_text(&report, text, sizeof text);
    uint64_t   *numbers[] = {
          &report.facts.radius,       &report.facts.runs,        &report.facts.displaced,
          &report.facts.passes,       &report.facts.buckets,     &report.facts.record_bytes,
          &report.facts.tile,         &report.facts.rounds,      &report.facts.batches,
          &report.facts.segments,     &report.facts.handed_over, &report.facts.rank_bytes,
          &report.facts.surveys,      &report.facts.groups,      &report.facts.device_bytes,
          &report.facts.needed_bytes, &report.facts.devices,     &report.facts.tried_radius,
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        *numbers[i] = 100 + i;
        size_t const longer = ordo_report_text(&report, text, sizeof text);
        CHECK(longer > length);
        length = longer;
    }
    report.facts.cpu_share = 0.25;
    report.facts.packed = 0.5;
    report.facts.device_status = ORDO_E_NOMEM;
    for (size_t i = 0; i < 6; i++)
        report.facts.phase_seconds[i] = 1e-3;
    for (size_t i = 0; i < 4; i++)
        report.facts.sample_seconds[i] = report.facts.cpu_seconds[i] =
            report.facts.device_seconds[i] = 1e-3;
    report.facts.copy_seconds = 1e-3;
    length = ordo_report_text(&report, text, sizeof text);
    CHECK_EQ_U64(length, strlen(text));
    CHECK_EQ_U64(length, ordo_report_text(&report, NULL, 0));
    for (size_t size = 1; size <= length; size++) { /* cut anywhere */
        CHECK_EQ_U64(length, ordo_report_text(&report, part, size));
        CHECK(strlen(part) == size - 1 && memcmp(part, text, size - 1) == 0);
    }
}

/* Sorts keys of a known radius by a named algorithm. A given radius, its failure, the measured
 * radius and the rounds are reported, the time that auto would take is not, and one thread is one
 * thread. */
static void named_sorts(void)
{
    enum {
        N = 60000,
        K = 40
    };
    static uint32_t const       told[] = {0, K, 5};
    static ordo_algorithm const algorithms[] = {ORDO_ALGORITHM_ROUGH, ORDO_ALGORITHM_HALVING,
                                                ORDO_ALGORITHM_WINDOWS, ORDO_ALGORITHM_BUBBLE};
    static uint32_t             keys[N];
    ordo_ctx *const             ctx = test_context_make(2);
    for (size_t i = 0; i < 12; i++) {
        ordo_algorithm const algorithm = algorithms[i / 3];
        size_t const         given = told[i % 3];
        bool const           has_radius = algorithm != ORDO_ALGORITHM_BUBBLE;
        ordo_sort_opts const opts = ORDO_OPTS(ordo_sort_opts, .algorithm = (uint32_t)algorithm,
                                              .radius = has_radius ? given : 0);
        char                 text[512];
        testkit_case("report of algorithm %d, radius %zu", (int)algorithm, given);
        CHECK_STATUS(ORDO_OK,
                     ordo_gen(ctx, ORDO_DIST_KSORTED, ORDO_U32, keys, N,
                              &ORDO_OPTS(ordo_gen_opts, .k = K, .seed = 3)),
                     ctx);
        CHECK_STATUS(ORDO_OK, ordo_sort(ctx, ORDO_U32, keys, N, &opts), ctx);
        ordo_report const report = report_of(ctx);
        CHECK(report.predicted_cpu == 0);
        CHECK(ordo_report_text(&report, text, sizeof text) < sizeof text);
        if (!has_radius) {
            CHECK_EQ_U64(1, report.threads);
            continue;
        }
        CHECK_EQ_U64(given, report.facts.tried_radius);
        CHECK_EQ_U64(given == 5, report.facts.radius_failed);
        if (given == 0)
            CHECK_EQ_U64(K, report.facts.radius);
        CHECK((strstr(text, "radius 5 was too small") != NULL) == (given == 5));
        CHECK((strstr(text, "radius 40 was large enough") != NULL) == (given == K));
        if (algorithm == ORDO_ALGORITHM_HALVING)
            CHECK(report.facts.rounds >= 4 && strstr(text, "rounds: ") != NULL);
    }
    uint32_t ranks[8];
    CHECK_STATUS(
        ORDO_OK,
        ordo_rank_sorted(ctx, ORDO_U32, keys, 8, ORDO_U32, ranks,
                         &ORDO_OPTS(ordo_rank_opts, .algorithm = ORDO_ALGORITHM_SEQUENTIAL)),
        ctx);
    CHECK_EQ_U64(1, report_of(ctx).threads);
    ordo_ctx_free(ctx);
}

/* A reported radius is not less than that of the keys: keys of radius at most k, two of which are
 * exchanged. Windows sort them if both are in one. */
static void rough_radius(uint32_t k, size_t a, size_t b)
{
    enum {
        N = 1200000
    };
    static uint32_t keys[N];
    test_rng        rng = {k};
    ordo_ctx *const ctx = test_context_make(1);
    size_t          radius = 0;
    testkit_case("radius of keys with k = %u, exchanged keys %zu and %zu", k, a, b);
    for (uint32_t i = 0; i < N; i++)
        keys[i] = 64 * i + (uint32_t)(test_rng_next(&rng) % (64 * k));
    uint32_t const key = keys[a];
    keys[a] = keys[b];
    keys[b] = key;
    CHECK_STATUS(ORDO_OK, ordo_radius(ctx, ORDO_U32, keys, N, &radius, NULL), ctx);
    CHECK(a == b || radius >= b - a);
    CHECK_STATUS(ORDO_OK, ordo_sort(ctx, ORDO_U32, keys, N, NULL), ctx);
    ordo_report const report = report_of(ctx);
    CHECK(report.facts.radius == 0 || report.facts.radius >= radius);
    for (size_t i = 1; i < N; i++)
        if (!CHECK(keys[i - 1] <= keys[i]))
            break;
    ordo_ctx_free(ctx);
}

/* The sorts inside a rank, a select and a top-k leave no facts. */
static void inner_calls(void)
{
    enum {
        N = 200000,
        KS = 5000
    };
    static uint32_t keys[N], out[N];
    static size_t   k[KS];
    test_rng        rng = {7};
    ordo_ctx *const ctx = test_context_make(2);
    for (size_t i = 0; i < N; i++)
        keys[i] = (uint32_t)test_rng_next(&rng);
    for (size_t i = 0; i < KS; i++)
        k[i] = i * (N / KS);

    testkit_case("select");
    CHECK_STATUS(ORDO_OK, ordo_select(ctx, ORDO_U32, keys, N, k, KS, out, NULL), ctx);
    ordo_report report = report_of(ctx);
    CHECK(report.facts.record_bytes == 0 && report.facts.buckets == 0);

    testkit_case("topk");
    CHECK_STATUS(ORDO_OK, ordo_topk(ctx, ORDO_U32, keys, N, 100, out, ORDO_U32, NULL, NULL, NULL),
                 ctx);
    report = report_of(ctx);
    CHECK(strcmp(report.operation, "topk") == 0);
    CHECK(report.facts.input == ORDO_INPUT_ANY);
    if (!testkit_on_device())
        CHECK(report.facts.strategy == ORDO_STRATEGY_PLAIN);

    testkit_case("sorted input");
    for (size_t i = 0; i < N; i++)
        keys[i] = (uint32_t)i;
    CHECK_STATUS(ORDO_OK, ordo_sort(ctx, ORDO_U32, keys, N, NULL), ctx);
    report = report_of(ctx);
    CHECK(testkit_on_device() || report.facts.input == ORDO_INPUT_SORTED);

    testkit_case("facts of the call before are gone");
    CHECK_STATUS(ORDO_OK, ordo_copy(ctx, out, keys, sizeof keys), ctx);
    report = report_of(ctx);
    CHECK(report.facts.input == ORDO_INPUT_ANY && report.facts.strategy == ORDO_STRATEGY_PLAIN);
    ordo_ctx_free(ctx);
}

/* Without a GPU nothing is predicted for it, however large the call. */
static void predictions(void)
{
    enum {
        N = 1 << 22
    };
    uint32_t *const keys = calloc(N, sizeof *keys);
    ordo_ctx *const ctx = test_context_make(2);
    ordo_info       info = {.struct_size = sizeof info};
    testkit_case("predictions");
    CHECK_STATUS(ORDO_OK, ordo_sort(ctx, ORDO_U32, keys, N, NULL), ctx);
    CHECK_STATUS(ORDO_OK, ordo_ctx_info(ctx, &info), ctx);
    ordo_report const report = report_of(ctx);
    CHECK(report.predicted_cpu > 0);
    if (info.cuda[0] != '\0')
        CHECK(report.predicted_cuda == 0 && report.predicted_hybrid == 0);
    ordo_ctx_free(ctx);
    free(keys);
}

/* Names are compared as text, because equal names may be different objects. */
static bool same_report(const ordo_report *a, const ordo_report *b)
{
    ordo_report named;
    memcpy(&named, a, sizeof named);
    named.operation = b->operation;
    named.backend = b->backend;
    named.algorithm = b->algorithm;
    named.isa = b->isa;
    return strcmp(a->operation, b->operation) == 0 && strcmp(a->backend, b->backend) == 0 &&
           strcmp(a->algorithm, b->algorithm) == 0 && strcmp(a->isa, b->isa) == 0 &&
           memcmp(&named, b, sizeof named) == 0;
}

/* Calls without options, or with options that are 0, skip steps on few keys. Results and reports
 * are those of the same calls with the option ORDO_STABLE, which all algorithms are. */
static void check_short(ordo_ctx *ctx, ordo_type type, size_t n)
{
    enum {
        MOST = 300
    };
    static uint64_t      keys[MOST], sorted[3][MOST], index[3][MOST], values[3][MOST];
    static ordo_report   reports[3][3];
    ordo_sort_opts const none = {.struct_size = sizeof none};
    ordo_sort_opts const stable = {.struct_size = sizeof none, .flags = ORDO_STABLE};
    size_t const         size = ordo_type_size(type);
    CHECK_STATUS(ORDO_OK, ordo_gen(ctx, ORDO_DIST_UNIFORM, type, keys, n, NULL), ctx);
    for (size_t i = 0; i < 3; i++) {
        const ordo_sort_opts *const opts = i == 0 ? NULL : i == 1 ? &none : &stable;
        memcpy(sorted[i], keys, n * size);
        CHECK_STATUS(ORDO_OK, ordo_sort(ctx, type, sorted[i], n, opts), ctx);
        reports[i][0] = (ordo_report){.struct_size = sizeof(ordo_report)};
        CHECK_STATUS(ORDO_OK, ordo_last_report(ctx, &reports[i][0]), ctx);
        CHECK_STATUS(ORDO_OK, ordo_argsort(ctx, type, keys, n, ORDO_U64, index[i], opts), ctx);
        reports[i][1] = reports[i][0];
        CHECK_STATUS(ORDO_OK, ordo_last_report(ctx, &reports[i][1]), ctx);
        memcpy(sorted[i], keys, n * size);
        for (size_t j = 0; j < n; j++)
            values[i][j] = j;
        CHECK_STATUS(ORDO_OK, ordo_sort_pairs(ctx, type, sorted[i], n, values[i], 8, opts), ctx);
        reports[i][2] = reports[i][0];
        CHECK_STATUS(ORDO_OK, ordo_last_report(ctx, &reports[i][2]), ctx);
        for (size_t j = 0; j < 3; j++) /* the test build predicts the time of every general call */
            reports[i][j].seconds = reports[i][j].predicted_cpu = 0;
    }
    for (size_t i = 0; i < 2; i++) {
        CHECK_BYTES(sorted[2], sorted[i], n * size, size);
        CHECK_BYTES(index[2], index[i], n * sizeof **index, sizeof **index);
        CHECK_BYTES(index[2], values[i], n * sizeof **index, sizeof **index);
        for (size_t j = 0; n > 0 && j < 3; j++)
            CHECK(same_report(&reports[i][j], &reports[2][j]));
    }
}

static void short_calls(void)
{
    static const ordo_where places[] = {ORDO_AUTO, ORDO_CPU};
    for (size_t i = 0; i < 2; i++) {
        ordo_ctx_opts const opts = {
            .struct_size = sizeof opts, .where = places[i], .threads = 1, .seed = 1};
        ordo_ctx *ctx = NULL;
        CHECK_STATUS(ORDO_OK, ordo_ctx_create(&ctx, &opts), NULL);
        for (int type = ORDO_I8; type <= ORDO_TYPES; type++)
            for (size_t n = 0; n < 300; n += 1 + n / 20)
                check_short(ctx, (ordo_type)type, n);
        ordo_ctx_free(ctx);
    }
}

static double clock_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The seconds of a call are at most those between two readings of the clock around it, for calls on
 * few keys, which read another clock, and for other calls. */
static void seconds(void)
{
    static uint32_t keys[5000];
    ordo_ctx       *ctx = NULL;
    CHECK_STATUS(ORDO_OK, ordo_ctx_create(&ctx, NULL), NULL);
    for (size_t n = 1000; n <= 5000; n += 1000) {
        ordo_report  report = {.struct_size = sizeof report};
        double const begun = clock_seconds();
        CHECK_STATUS(ORDO_OK, ordo_sort(ctx, ORDO_U32, keys, n, NULL), ctx);
        double const passed = clock_seconds() - begun;
        CHECK_STATUS(ORDO_OK, ordo_last_report(ctx, &report), ctx);
        CHECK(report.seconds > 0);
        CHECK(report.seconds <= 1.01 * passed + 1e-6);
    }
    ordo_ctx_free(ctx);
}

/* A clock that was set back or forward since the context was created. */
static void seconds_of_a_set_clock(void)
{
    static uint32_t       keys[1000];
    static const uint64_t jumps[] = {UINT64_C(1) << 50, UINT64_MAX << 50};
    for (size_t i = 0; i < 2; i++) {
        ordo_ctx   *ctx = NULL;
        ordo_report report = {.struct_size = sizeof report};
        CHECK_STATUS(ORDO_OK, ordo_ctx_create(&ctx, NULL), NULL);
        ctx->created[1] += jumps[i];
        double const begun = clock_seconds();
        CHECK_STATUS(ORDO_OK, ordo_sort(ctx, ORDO_U32, keys, 1000, NULL), ctx);
        double const passed = clock_seconds() - begun;
        CHECK_STATUS(ORDO_OK, ordo_last_report(ctx, &report), ctx);
        CHECK(report.seconds > passed / 1000);
        CHECK(report.seconds <= 1.05 * passed + 1e-6);
        ordo_ctx_free(ctx);
    }
}

int main(void)
{
    testkit_start();
    seconds();
    seconds_of_a_set_clock();
    every_value();
    unknown_values();
    every_number();
    inner_calls();
    rough_radius(2, 0, 0);
    rough_radius(2, 20000, 21000);
    rough_radius(300, 20000, 25000);
    rough_radius(300, 100000, 1000000);
    named_sorts();
    predictions();
    short_calls();
    return testkit_done();
}
