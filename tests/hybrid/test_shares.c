/* test_shares.c - shares that the caller asks for (ordo_ctx_opts.cpu_share and devices), on
 * machines without a device (streamkit.h). A share is used, or refused with the reason, or the
 * report says that it was not used. Ranks by the sample sort equal the CPU's bytes. */
#define _POSIX_C_SOURCE 200809L
#include "inputs.h"
#include "streamkit.h"
#include "ordo_groups.h"
#include "ordo_records.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
#ifdef ORDO_TINY
    MOST = 6007,
    FEW = 200, /* too few to be shared */
#else
    MOST = (1 << 16) + 1,
    FEW = 1 << 15,
#endif
    LETTERS = 8,
    RULES = ORDO_TIES_RULES,
    FEWER = TESTKIT_SANITIZED ? 5 : 1 /* test one of this many combinations */
};

static ordo_ctx     *cpu;
static unsigned char keys[MOST * 8], out[MOST * 8], expected[MOST * 8];
static char          bytes[MOST * LETTERS];
static uint64_t      offsets[MOST + 1];

/* ---- Contexts ---- */

static void refuses(ordo_where where, double share, const char *reason)
{
    ordo_ctx *ctx = NULL;
    testkit_case("where %d, share %g", (int)where, share);
    CHECK(ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .where = (uint32_t)where,
                                           .cpu_share = share)) == ORDO_E_ARG);
    CHECK(strstr(ordo_last_error(NULL), "cpu_share") != NULL);
    CHECK(strstr(ordo_last_error(NULL), reason) != NULL);
}

static void bad_contexts(void)
{
    static const double bad[] = {1.01, -0.1, -2, -INFINITY, NAN};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuses(ORDO_HYBRID, bad[i], "from 0 to 1, or -1 for none");
    for (ordo_where where = ORDO_AUTO; where <= ORDO_CUDA; where++) {
        refuses(where, 0.3, "ORDO_HYBRID");
        refuses(where, -1, "ORDO_HYBRID");
    }
    testkit_case("the environment asks for hybrid");
    setenv("ORDO_DEVICE", "hybrid", 1);
    ordo_ctx_free(CONTEXT(.cpu_share = 0.3));
    ordo_ctx_free(CONTEXT(.devices = &(ordo_device_share){1, 0.5}, .device_count = 1));
    setenv("ORDO_DEVICE", "cpu", 1);
    refuses(ORDO_AUTO, 0.3, "ORDO_HYBRID");
    unsetenv("ORDO_DEVICE");
}

/* ---- Strings ---- */

static ordo_strings make_strings(void)
{
    for (size_t i = 0; i < MOST; i++) {
        offsets[i] = i * LETTERS;
        (void)snprintf(bytes + i * LETTERS, LETTERS, "%07u", (unsigned)(i * 7919 % 100003));
    }
    offsets[MOST] = (uint64_t)MOST * LETTERS;
    return ORDO_OPTS(ordo_strings, .bytes = bytes, .offsets = offsets);
}

static ordo_status order_strings(ordo_ctx *ctx, size_t n, uint32_t algorithm)
{
    ordo_strings const strings = make_strings();
    return ordo_argsort_strings(ctx, &strings, n, ORDO_U32, out,
                                &ORDO_OPTS(ordo_sort_opts, .algorithm = algorithm));
}

static void strings_and_shares(void)
{
    ordo_ctx *const ctx = play_context(ORDO_HYBRID, 2, 0.3);
    testkit_case("strings by auto");
    CHECK_STATUS(ORDO_E_ARG, order_strings(ctx, MOST, ORDO_ALGORITHM_AUTO), ctx);
    CHECK(strstr(ordo_last_error(ctx), "cpu_share is 0.3") != NULL);
    CHECK(strstr(ordo_last_error(ctx), "algorithm sample") != NULL);
    testkit_case("strings by sample");
    CHECK_STATUS(ORDO_OK, order_strings(ctx, MOST, ORDO_ALGORITHM_SAMPLE), ctx);
    CHECK(fabs(facts_of(ctx).cpu_share - 0.3) < 0.001);
    CHECK_EQ_U64(0, facts_of(ctx).shares_unused);
    testkit_case("few strings by auto");
    CHECK_STATUS(ORDO_OK, order_strings(ctx, FEW, ORDO_ALGORITHM_AUTO), ctx);
    CHECK_EQ_U64(1, facts_of(ctx).shares_unused);
    ordo_ctx_free(ctx);

    static const double others[] = {0, -1, 1};
    for (size_t i = 0; i < 3; i++) {
        ordo_ctx *const other = play_context(ORDO_HYBRID, 2, others[i]);
        testkit_case("strings by auto, share %g", others[i]);
        CHECK_STATUS(ORDO_OK, order_strings(other, MOST, ORDO_ALGORITHM_AUTO), other);
        CHECK_EQ_U64(0, facts_of(other).shares_unused);
        ordo_ctx_free(other);
    }
}

/* ---- Several devices ---- */

static void lists(void)
{
    static const ordo_device_share list[] = {{1, 0.3}, {2, 0.3}};
    ordo_ctx *const                ctx =
        CONTEXT(.where = ORDO_HYBRID, .threads = 2, .devices = list, .device_count = 2);
    inputs_fill(inputs_find("random bits"), ORDO_U32, keys, MOST, 1);
    memcpy(expected, keys, sizeof keys);
    for (uint32_t algorithm = 0; algorithm <= ORDO_ALGORITHM_MERGE; algorithm++) {
        ordo_sort_opts const opts = ORDO_OPTS(ordo_sort_opts, .algorithm = algorithm);
        ordo_rank_opts const ranks = ORDO_OPTS(ordo_rank_opts, .algorithm = algorithm);
        bool const           sampled = algorithm == ORDO_ALGORITHM_SAMPLE;
        ordo_status const    status = sampled ? ORDO_OK : ORDO_E_ARG;
        if (algorithm == ORDO_ALGORITHM_SEQUENTIAL || algorithm == ORDO_ALGORITHM_THREADS)
            continue;
        testkit_case("two devices, algorithm %u", algorithm);
        CHECK_STATUS(status, ordo_argsort(ctx, ORDO_U32, keys, MOST, ORDO_U32, out, &opts), ctx);
        CHECK(sampled || strstr(ordo_last_error(ctx), "algorithm sample") != NULL);
        CHECK_STATUS(status, ordo_rank(ctx, ORDO_U32, keys, MOST, ORDO_U32, out, &ranks), ctx);
        CHECK(sampled || strstr(ordo_last_error(ctx), "algorithm sample") != NULL);
        CHECK(!sampled || facts_of(ctx).devices == 2);
        CHECK_STATUS(status, ordo_sort(ctx, ORDO_U32, keys, MOST, &opts), ctx);
        if (!sampled)
            CHECK_BYTES(expected, keys, sizeof keys, 4);
        memcpy(keys, expected, sizeof keys);
    }
    testkit_case("few keys, two devices");
    CHECK_STATUS(ORDO_OK, ordo_sort(ctx, ORDO_U32, keys, FEW, NULL), ctx);
    CHECK_EQ_U64(1, facts_of(ctx).shares_unused);
    testkit_case("strings, two devices");
    CHECK_STATUS(ORDO_E_ARG, order_strings(ctx, MOST, ORDO_ALGORITHM_AUTO), ctx);
    CHECK_STATUS(ORDO_OK, order_strings(ctx, MOST, ORDO_ALGORITHM_SAMPLE), ctx);
    ordo_ctx_free(ctx);
}

/* ---- Calls that one device does ---- */

static int compare(void *user, const void *a, const void *b)
{
    (void)user;
    return memcmp(a, b, 4);
}

static void check_unused(ordo_ctx *ctx, const char *what, ordo_status status)
{
    char        text[512];
    ordo_report report = {.struct_size = sizeof report};
    testkit_case("one device: %s", what);
    CHECK_STATUS(ORDO_OK, status, ctx);
    CHECK_STATUS(ORDO_OK, ordo_last_report(ctx, &report), ctx);
    CHECK_EQ_U64(1, report.facts.shares_unused);
    (void)ordo_report_text(&report, text, sizeof text);
    CHECK(strstr(text, "shares of the context are not used") != NULL);
}

static void one_device(void)
{
    enum {
        N = MOST - 1
    };
    ordo_ctx *const     ctx = play_context(ORDO_HYBRID, 2, 0.3);
    ordo_segments const rows = ORDO_OPTS(ordo_segments, .count = 2, .length = N / 2);
    ordo_column const   column = {keys, ORDO_U32, 0};
    double              median;
    inputs_fill(inputs_find("random bits"), ORDO_U32, keys, N, 1);
    check_unused(ctx, "median", ordo_median(ctx, ORDO_U32, keys, N, &median, NULL));
    check_unused(ctx, "lexsort", ordo_lexsort(ctx, &column, 1, N, ORDO_U32, out, NULL));
    memcpy(out, keys, sizeof keys);
    check_unused(ctx, "rows",
                 ordo_sort(ctx, ORDO_U32, out, N, &ORDO_OPTS(ordo_sort_opts, .segments = &rows)));
    memcpy(out, keys, sizeof keys);
    check_unused(ctx, "structs", ordo_sort_records(ctx, out, N, 4, 0, ORDO_U32, NULL));
    check_unused(ctx, "sort_by", ordo_sort_by(ctx, out, N, 4, compare, NULL, NULL));
    check_unused(ctx, "few keys", ordo_sort(ctx, ORDO_U32, out, FEW, NULL));
    testkit_case("a shared sort after them");
    CHECK_STATUS(ORDO_OK, ordo_sort(ctx, ORDO_U32, keys, N, NULL), ctx);
    CHECK_EQ_U64(0, facts_of(ctx).shares_unused);
    CHECK(facts_of(ctx).cpu_share > 0.1);
    ordo_ctx_free(ctx);
}

/* ---- Ranks by the sample sort ---- */

static ordo_status rank(ordo_ctx *ctx, uint32_t algorithm, ordo_type type, ordo_type rank_type,
                        size_t rule, void *ranks)
{
    return ordo_rank(ctx, type, keys, MOST, rank_type, ranks,
                     &ORDO_OPTS(ordo_rank_opts, .ties = (uint32_t)rule, .algorithm = algorithm,
                                .flags = rule % 2 == 0 ? ORDO_DESCENDING : 0));
}

static void same_ranks(ordo_ctx *ctx, double share)
{
    static const ordo_type rank_types[] = {ORDO_U32, ORDO_U64, ORDO_F64};
    for (size_t t = 0; t < INPUTS_TYPES; t++)
        for (size_t shape = 0; shape < inputs_count(); shape++)
            for (size_t rule = 0; rule < RULES; rule++) {
                size_t const    pick = t * 5 + shape * 3 + rule;
                ordo_type const rank_type =
                    rule == ORDO_TIES_AVERAGE ? ORDO_F64 : rank_types[pick % 3];
                size_t const size = ordo_type_size(rank_type);
                if (pick % ((MOST > 10000 ? 41 : 7) * FEWER) != 0)
                    continue;
                testkit_case("share %g, %s of %s, rule %zu", share, inputs_name(shape),
                             ordo_type_name(inputs_types[t]), rule);
                inputs_fill(shape, inputs_types[t], keys, MOST, pick);
                CHECK_STATUS(ORDO_OK, rank(cpu, 0, inputs_types[t], rank_type, rule, expected),
                             cpu);
                memset(out, 0x5a, sizeof out);
                CHECK_STATUS(
                    ORDO_OK,
                    rank(ctx, ORDO_ALGORITHM_SAMPLE, inputs_types[t], rank_type, rule, out), ctx);
                CHECK_BYTES(expected, out, MOST * size, size);
                ordo_facts const facts = facts_of(ctx);
                CHECK(facts.strategy == ORDO_STRATEGY_PHASES && facts.sample_seconds[3] > 0);
                CHECK(fabs(facts.cpu_share - share) < 0.001);
            }
}

static void sampled_ranks(void)
{
    static const double shares[] = {0.01, 0.3, 0.9};
    for (size_t i = 0; i < 3; i++) {
        ordo_ctx *const ctx = play_context(ORDO_HYBRID, 1 + (unsigned)i, shares[i]);
        same_ranks(ctx, shares[i]);
        ordo_ctx_free(ctx);
    }
    static const char *const steps[] = {"begin", "label", "scatter", "sort_buckets", "end"};
    inputs_fill(inputs_find("random bits"), ORDO_U32, keys, MOST, 1);
    CHECK_STATUS(ORDO_OK, rank(cpu, 0, ORDO_U32, ORDO_U32, ORDO_TIES_MIN, expected), cpu);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        ordo_ctx *const ctx = play_context(ORDO_HYBRID, 2, 0.3);
        testkit_case("the device is lost in %s", steps[i]);
        play_fail(steps[i], 1, i % 2 == 0);
        CHECK_STATUS(ORDO_OK,
                     rank(ctx, ORDO_ALGORITHM_SAMPLE, ORDO_U32, ORDO_U32, ORDO_TIES_MIN, out), ctx);
        play_without_failures();
        CHECK_BYTES(expected, out, (size_t)MOST * 4, 4);
        CHECK(facts_of(ctx).device_status != ORDO_OK);
        ordo_ctx_free(ctx);
    }
}

int main(void)
{
    testkit_start();
    play_start();
    cpu = play_context(ORDO_CPU, 1, 0);
    bad_contexts();
    strings_and_shares();
    lists();
    one_device();
    sampled_ranks();
    ordo_ctx_free(cpu);
    return testkit_done();
}
