/* test_sample_strings.c - the sample sort of strings by name: sizes around 2^16 on the CPU, on the
 * simulated device and on both; ties, empty strings, zero bytes, long common prefixes; the report;
 * refused options; every failed allocation; elements with a comparison function, which the CPU
 * sorts in every context. */
#define _POSIX_C_SOURCE 200809L
#include "streamkit.h"

#include <string.h>

enum {
    MOST = (1 << 16) + 1,
    LENGTH = 20, /* at most */
    SMALL = 3000
};

static char     bytes[MOST * LENGTH], out_bytes[2][MOST * LENGTH];
static uint64_t offsets[MOST + 1], out[2][MOST + 1];

typedef size_t make_string(char *to, size_t i, uint64_t random); /* returns the length */

static size_t distinct(char *to, size_t i, uint64_t random)
{
    (void)i;
    memcpy(to, &random, sizeof random);
    return sizeof random;
}

static size_t tied(char *to, size_t i, uint64_t random)
{
    (void)i;
    memset(to, 'a' + (int)(random % 3), LENGTH);
    return random >> 32 & 1 ? 6 : 7 + (random >> 40) % 3;
}

static size_t empty(char *to, size_t i, uint64_t random)
{
    (void)random;
    to[0] = 'x';
    return i % 1000 == 999;
}

static size_t zeros(char *to, size_t i, uint64_t random)
{
    (void)i;
    memset(to, 0, LENGTH);
    to[random % LENGTH] = (char)(random >> 60);
    return (random >> 20) % LENGTH;
}

static size_t common_prefix(char *to, size_t i, uint64_t random)
{
    (void)i;
    memset(to, 'p', 16);
    memcpy(to + 16, &random, 3);
    return 16 + (random >> 30) % 4;
}

static size_t all_equal(char *to, size_t i, uint64_t random)
{
    (void)i, (void)random;
    memset(to, 'e', LENGTH);
    return LENGTH;
}

static const struct {
    const char  *name;
    make_string *make;
} shapes[] = {{"distinct", distinct},    {"tied", tied},      {"empty", empty}, {"zeros", zeros},
              {"prefix", common_prefix}, {"equal", all_equal}};

enum {
    SHAPES = sizeof shapes / sizeof *shapes
};

static void make(size_t shape, size_t n)
{
    test_rng rng = {shape + n};
    for (size_t i = 0; i < n; i++)
        offsets[i + 1] =
            offsets[i] + shapes[shape].make(bytes + offsets[i], i, test_rng_next(&rng));
}

static ordo_strings const strings = {
    .struct_size = sizeof(ordo_strings), .bytes = bytes, .offsets = offsets};

static ordo_status sort(ordo_ctx *ctx, size_t n, uint32_t algorithm, uint64_t flags, int to)
{
    memset(out[to], 0xee, sizeof out[to]);
    memset(out_bytes[to], 0xee, sizeof out_bytes[to]);
    return ordo_sort_strings(ctx, &strings, n, out_bytes[to], out[to],
                             &ORDO_OPTS(ordo_sort_opts, .flags = flags, .algorithm = algorithm));
}

static ordo_status argsort(ordo_ctx *ctx, size_t n, uint32_t algorithm, uint64_t flags, int to)
{
    memset(out[to], 0xee, sizeof out[to]);
    return ordo_argsort_strings(ctx, &strings, n, ORDO_U32, out[to],
                                &ORDO_OPTS(ordo_sort_opts, .flags = flags, .algorithm = algorithm));
}

static void sizes(ordo_ctx *cpu, ordo_where where, double share)
{
    ordo_ctx *const ctx = play_context(where, 2, share);
    for (size_t n = MOST - 2; n <= MOST; n++)
        for (size_t shape = n % 2; shape < SHAPES; shape += 2) {
            uint64_t const flags = shape % 4 < 2 ? 0 : ORDO_DESCENDING;
            testkit_case("%zu strings, %s, where %d, share %g", n, shapes[shape].name, (int)where,
                         share);
            make(shape, n);
            CHECK_STATUS(ORDO_OK, sort(cpu, n, ORDO_ALGORITHM_AUTO, flags, 0), cpu);
            CHECK_STATUS(ORDO_OK, sort(ctx, n, ORDO_ALGORITHM_SAMPLE, flags, 1), ctx);
            CHECK_BYTES(out[0], out[1], (n + 1) * sizeof *out[0], sizeof *out[0]);
            CHECK_BYTES(out_bytes[0], out_bytes[1], offsets[n], 1);
            CHECK_STATUS(ORDO_OK, argsort(cpu, n, ORDO_ALGORITHM_AUTO, flags, 0), cpu);
            CHECK_STATUS(ORDO_OK, argsort(ctx, n, ORDO_ALGORITHM_SAMPLE, flags, 1), ctx);
            CHECK_BYTES(out[0], out[1], n * sizeof(uint32_t), sizeof(uint32_t));
            ordo_report const report = report_of(ctx);
            CHECK(strcmp(report.algorithm, "sample") == 0);
            for (int phase = 0; phase < 4; phase++)
                CHECK(report.facts.sample_seconds[phase] > 0);
            CHECK((report.facts.strategy == ORDO_STRATEGY_PHASES) == (where != ORDO_CPU));
        }
    ordo_ctx_free(ctx);
}

static void refusals(ordo_ctx *cpu)
{
    size_t const k = 0;
    make(0, SMALL);
    for (uint32_t a = 1; a <= ORDO_ALGORITHM_SHARED + 1; a++) {
        ordo_sort_opts const opts = ORDO_OPTS(ordo_sort_opts, .algorithm = a);
        testkit_case("algorithm %u", a);
        if (a != ORDO_ALGORITHM_SAMPLE) {
            CHECK_STATUS(ORDO_E_ARG, argsort(cpu, SMALL, a, 0, 0), cpu);
            CHECK(strstr(ordo_last_error(cpu), "expected auto or sample") != NULL);
            CHECK_STATUS(ORDO_E_ARG,
                         ordo_rank_strings(cpu, &strings, SMALL, ORDO_U32, out[0],
                                           &ORDO_OPTS(ordo_rank_opts, .algorithm = a)),
                         cpu);
        }
        CHECK_STATUS(ORDO_E_ARG, ordo_select_strings(cpu, &strings, SMALL, &k, 1, out[0], &opts),
                     cpu);
        CHECK(strstr(ordo_last_error(cpu), "expected auto") != NULL);
    }
    static const double bad[] = {1.01, 2};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ordo_ctx *ctx = NULL;
        testkit_case("share %g", bad[i]);
        CHECK(ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .where = ORDO_HYBRID,
                                               .cpu_share = bad[i])) == ORDO_E_ARG);
        CHECK(strstr(ordo_last_error(NULL), "cpu_share") != NULL);
    }
}

/* The at-th allocation fails, or all from there on: the result is right, or nothing was written. */
static void no_memory(ordo_ctx *cpu, ordo_where where, bool only_one)
{
    bool more = true;
    make(4, SMALL);
    CHECK_STATUS(ORDO_OK, argsort(cpu, SMALL, ORDO_ALGORITHM_AUTO, 0, 0), cpu);
    for (size_t at = 2; more; at++) { /* the first allocation is the context */
        test_allocator allocator = {.fail_at = at, .only_one = only_one};
        ordo_ctx      *ctx = NULL;
        if (ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .where = (uint32_t)where, .threads = 2,
                                             .cpu_share = where == ORDO_HYBRID ? 0.4 : 0,
                                             ALLOCATOR(&allocator))) != ORDO_OK)
            continue;
        testkit_case("where %d, allocation %zu fails, only one: %d", (int)where, at, only_one);
        ordo_status const status = argsort(ctx, SMALL, ORDO_ALGORITHM_SAMPLE, 0, 1);
        if (status == ORDO_OK) {
            CHECK_BYTES(out[0], out[1], SMALL * sizeof(uint32_t), sizeof(uint32_t));
        } else if (CHECK_STATUS(ORDO_E_NOMEM, status, ctx)) {
            CHECK(out[1][0] == UINT64_C(0xeeeeeeeeeeeeeeee));
        }
        more = allocator.refused > 0;
        ordo_ctx_free(ctx);
    }
}

static int compare(void *user, const void *a, const void *b)
{
    uint64_t x, y;
    (void)user;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x < y ? -1 : x > y;
}

/* A GPU cannot call a comparison function, so a hybrid context sorts by it on the CPU. */
static void by_comparison(void)
{
    ordo_ctx *const ctx = play_context(ORDO_HYBRID, 2, 0.5);
    test_rng        rng = {5};
    testkit_case("elements with a comparison function");
    for (size_t i = 0; i < MOST; i++)
        out[0][i] = test_rng_next(&rng);
    CHECK_STATUS(ORDO_OK,
                 ordo_sort_by(ctx, out[0], MOST, sizeof *out[0], compare, NULL,
                              &ORDO_OPTS(ordo_sort_opts, .algorithm = ORDO_ALGORITHM_SAMPLE)),
                 ctx);
    for (size_t i = 1; i < MOST; i++)
        if (!CHECK(out[0][i - 1] <= out[0][i]))
            break;
    ordo_report const report = report_of(ctx);
    CHECK(strcmp(report.backend, "cpu") == 0 && strcmp(report.algorithm, "sample") == 0);
    ordo_ctx_free(ctx);
}

int main(void)
{
    testkit_start();
    play_start();
    ordo_ctx *const cpu = play_context(ORDO_CPU, 2, 0);
    sizes(cpu, ORDO_CPU, 0);
    sizes(cpu, ORDO_CUDA, 0);
    sizes(cpu, ORDO_HYBRID, 0.3);
    refusals(cpu);
    for (int only_one = 0; only_one < 2; only_one++) {
        no_memory(cpu, ORDO_CPU, only_one);
        no_memory(cpu, ORDO_HYBRID, only_one);
    }
    by_comparison();
    ordo_ctx_free(cpu);
    return testkit_done();
}
