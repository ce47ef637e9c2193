/* test_gen_args.c - generators: strings and records, refused arguments (status, message, unchanged
 * arrays), cancellation, too little memory, and the report. */
#include "inputs.h"
#include "kit/text/stringkit.h"
#include "testkit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ordo_ctx *ctx;

/* ---- Strings ---- */

typedef struct text {
    size_t    n;
    uint64_t *offsets;
    char     *bytes;
} text;

static text make_text(ordo_dist dist, size_t n)
{
    text t = {n, test_need((n + 1) * sizeof(uint64_t)), NULL};
    CHECK_STATUS(ORDO_OK, ordo_gen_strings(ctx, dist, n, t.offsets, NULL, 0, NULL), ctx);
    const size_t    total = (size_t)t.offsets[n];
    uint64_t *const again = test_need((n + 1) * sizeof(uint64_t));
    t.bytes = test_need(total + 1);
    CHECK_STATUS(ORDO_OK, ordo_gen_strings(ctx, dist, n, again, t.bytes, total, NULL), ctx);
    CHECK_BYTES(t.offsets, again, (n + 1) * sizeof *again, sizeof *again);
    CHECK_EQ_U64(0, t.bytes[total]);
    free(again);
    return t;
}

static void free_text(text *t)
{
    free(t->offsets);
    free(t->bytes);
}

static bool near(double got, double mean, double deviation)
{
    return fabs(got - mean) <= 5 * deviation;
}

static void test_strings(void)
{
    enum {
        N = 5000,
        LETTERS = 94
    };
    text     t = make_text(ORDO_DIST_STRINGS, N);
    unsigned count[256] = {0};
    size_t   shortest = 500, longest = 0;

    testkit_case("generated strings");
    CHECK_EQ_U64(0, t.offsets[0]);
    for (size_t i = 0; i < N; i++) {
        const size_t length = (size_t)(t.offsets[i + 1] - t.offsets[i]);
        CHECK(length >= 1 && length <= 500);
        shortest = length < shortest ? length : shortest;
        longest = length > longest ? length : longest;
    }
    CHECK(shortest <= 3 && longest >= 498);
    for (size_t at = 0; at < t.offsets[N]; at++)
        count[(unsigned char)t.bytes[at]]++;
    const double expected = (double)t.offsets[N] / LETTERS;
    for (unsigned c = 0; c < 256; c++)
        CHECK(c >= 33 && c <= 126 ? near(count[c], expected, sqrt(expected)) : count[c] == 0);
    free_text(&t);
}

/* Neighbours in sorted order share prefixes far more often than random records (one in 20 for each
 * residue), and a few are equal. */
static void test_families(const text *t)
{
    string_set set = {.name = "records"};
    size_t     relatives = 0, twins = 0;
    for (size_t i = 0; i < t->n; i++)
        string_set_add(&set, t->bytes + t->offsets[i], (size_t)(t->offsets[i + 1] - t->offsets[i]));
    string_set_finish(&set);
    string_set_order(&set, false);
    for (size_t i = 1; i < t->n; i++) {
        uint64_t const a = set.order[i - 1], b = set.order[i];
        relatives += memcmp(set.pointers[a], set.pointers[b], 10) == 0;
        twins += string_set_compare(&set, a, b) == 0;
    }
    CHECK(relatives > t->n / 5 && relatives < t->n / 3);
    CHECK(twins > 0 && twins < relatives / 2);
    string_set_free(&set);
}

static void test_fasta(void)
{
    enum {
        N = 20000
    };
    text     t = make_text(ORDO_DIST_FASTA, N);
    unsigned count[256] = {0};

    testkit_case("generated FASTA records");
    for (size_t i = 0; i < N; i++) {
        const size_t length = (size_t)(t.offsets[i + 1] - t.offsets[i]);
        CHECK(length >= 20 && length <= 120);
        CHECK(t.bytes[t.offsets[i]] == 'M');
    }
    for (size_t at = 0; at < t.offsets[N]; at++)
        count[(unsigned char)t.bytes[at]]++;
    for (unsigned c = 0; c < 256; c++)
        CHECK((count[c] > 0) == (c != 0 && strchr("ACDEFGHIKLMNPQRSTVWY", (int)c) != NULL));
    CHECK(count['L'] > count['A'] && count['A'] > count['C'] && count['C'] > count['W']);
    test_families(&t);
    free_text(&t);
}

static void test_text_arguments(void)
{
    uint64_t offsets[11];
    char     bytes[5000], needed[32];

    testkit_case("ordo_gen_strings with too small a capacity");
    CHECK_STATUS(ORDO_OK, ordo_gen_strings(ctx, ORDO_DIST_FASTA, 10, offsets, NULL, 0, NULL), ctx);
    const size_t total = (size_t)offsets[10];
    memset(offsets, 0x55, sizeof offsets);
    memset(bytes, 0x55, sizeof bytes);
    CHECK_STATUS(ORDO_E_ARG,
                 ordo_gen_strings(ctx, ORDO_DIST_FASTA, 10, offsets, bytes, total - 1, NULL), ctx);
    CHECK_EQ_U64(UINT64_C(0x5555555555555555), offsets[0]);
    CHECK(bytes[0] == 0x55);
    snprintf(needed, sizeof needed, "%zu bytes", total);
    CHECK(strstr(ordo_last_error(ctx), needed) != NULL);
    CHECK_STATUS(ORDO_OK, ordo_gen_strings(ctx, ORDO_DIST_FASTA, 10, offsets, bytes, total, NULL),
                 ctx);
    CHECK(bytes[total] == 0x55);

    testkit_case("ordo_gen_strings of no strings");
    offsets[0] = 1;
    CHECK_STATUS(ORDO_OK, ordo_gen_strings(ctx, ORDO_DIST_STRINGS, 0, offsets, NULL, 0, NULL), ctx);
    CHECK_EQ_U64(0, offsets[0]);

    testkit_case("bad arguments of ordo_gen_strings");
    CHECK_STATUS(ORDO_E_ARG, ordo_gen_strings(NULL, ORDO_DIST_FASTA, 1, offsets, NULL, 0, NULL),
                 NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_gen_strings(ctx, ORDO_DIST_FASTA, 0, NULL, NULL, 0, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_gen_strings(ctx, ORDO_DIST_ZIPF, 1, offsets, NULL, 0, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG,
                 ordo_gen_strings(ctx, (ordo_dist)(INPUTS_DISTS + 1), 1, offsets, NULL, 0, NULL),
                 ctx);
    CHECK_STATUS(ORDO_E_ARG,
                 ordo_gen_strings(ctx, ORDO_DIST_FASTA, SIZE_MAX, offsets, NULL, 0, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG,
                 ordo_gen_strings(ctx, ORDO_DIST_FASTA, 2, offsets, (char *)offsets, 500, NULL),
                 ctx);
}

/* ---- Bad arguments of ordo_gen ---- */

/* The call fails, its message contains these words, and nothing is written. */
static void refused(ordo_dist dist, ordo_type type, size_t n, uint64_t k, double p,
                    const char *words, const char *more_words)
{
    static unsigned char keys[8 * 1024], before[8 * 1024];
    const ordo_gen_opts  opts = ORDO_OPTS(ordo_gen_opts, .k = k, .p = p);

    testkit_case("distribution %d, type %d, n = %zu, k = %llu, p = %g", (int)dist, (int)type, n,
                 (unsigned long long)k, p);
    memset(keys, 0x55, sizeof keys);
    memset(before, 0x55, sizeof before);
    CHECK_STATUS(ORDO_E_ARG, ordo_gen(ctx, dist, type, keys, n, &opts), ctx);
    if (!CHECK(strstr(ordo_last_error(ctx), words) != NULL &&
               strstr(ordo_last_error(ctx), more_words) != NULL))
        printf("    the message was: %s\n", ordo_last_error(ctx));
    CHECK_BYTES(before, keys, sizeof keys, 1);
}

static void test_arguments(void)
{
    uint32_t            keys[16];
    const ordo_gen_opts no_size = {.struct_size = 0};
    const ordo_gen_opts most = ORDO_OPTS(ordo_gen_opts, .k = UINT64_MAX);
    const ordo_gen_opts least = ORDO_OPTS(ordo_gen_opts, .k = 1);
    char                after_last[32];
    snprintf(after_last, sizeof after_last, "dist is %d", INPUTS_DISTS + 1);

    refused((ordo_dist)0, ORDO_U32, 10, 0, 0, "dist is 0", "ordo_dist");
    refused((ordo_dist)(INPUTS_DISTS + 1), ORDO_U32, 10, 0, 0, after_last, "ordo_dist");
    refused((ordo_dist)-1, ORDO_U32, 10, 0, 0, "dist is -1", "ordo_dist");
    refused(ORDO_DIST_FASTA, ORDO_U32, 10, 0, 0, "fasta", "ordo_gen_strings");
    refused(ORDO_DIST_UNIFORM, (ordo_type)99, 10, 0, 0, "99", "ordo_type");
    refused(ORDO_DIST_FEW, ORDO_I8, 10, 257, 0, "257", "256");
    refused(ORDO_DIST_FEW, ORDO_F32, 10, 16777217, 0, "16777217", "16777216");
    refused(ORDO_DIST_ZIPF, ORDO_I8, 10, 128, 0, "128", "127");
    refused(ORDO_DIST_ZIPF, ORDO_F64, 10, (UINT64_C(1) << 53) + 1, 0, "9007199254740993",
            "9007199254740992");
    refused(ORDO_DIST_RECUR, ORDO_U8, 257, 0, 0, "257 keys need 257 different values", "256");
    refused(ORDO_DIST_RECUR, ORDO_U8, 1024, 0, 0.25, "1024", "256");
    refused(ORDO_DIST_RECUR, ORDO_F32, 10, 0, -0.5, "-0.5", "from 0 to 1");
    refused(ORDO_DIST_RECUR, ORDO_F32, 10, 0, 1.5, "1.5", "from 0 to 1");
    refused(ORDO_DIST_RECUR, ORDO_F32, 10, 0, (double)NAN, "nan", "from 0 to 1");
    refused(ORDO_DIST_KSORTED, ORDO_U32, 10, 10, 0, "k, the radius, is 10", "at most 9");
    refused(ORDO_DIST_KSORTED, ORDO_U32, 10, UINT64_MAX, 0, "18446744073709551615", "at most 9");
    refused(ORDO_DIST_KSORTED, ORDO_I8, 257, 3, 0, "257", "256");
    refused(ORDO_DIST_SHUFFLED, ORDO_U32, 10, 10, 0, "shuffled", "at most 9");
    refused(ORDO_DIST_SHUFFLED, ORDO_F64, 10, UINT64_MAX, 0, "18446744073709551615", "at most 9");
    refused(ORDO_DIST_UNIFORM, ORDO_U32, SIZE_MAX / 2, 0, 0, "4 bytes", "memory");

    testkit_case("bad arguments of ordo_gen");
    CHECK_STATUS(ORDO_E_ARG, ordo_gen(NULL, ORDO_DIST_ZERO, ORDO_U32, keys, 1, NULL), NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_gen(ctx, ORDO_DIST_ZERO, ORDO_U32, NULL, 1, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_gen(ctx, ORDO_DIST_ZERO, ORDO_U32, keys, 1, &no_size), ctx);
    for (int d = ORDO_DIST_UNIFORM; d <= ORDO_DIST_BUCKET; d++)
        CHECK_STATUS(ORDO_OK, ordo_gen(ctx, (ordo_dist)d, ORDO_U32, NULL, 0, NULL), ctx);
    for (int d = ORDO_DIST_SAWTOOTH; d <= ORDO_DIST_BUCKET; d++)
        if (d != ORDO_DIST_KSORTED)
            CHECK_STATUS(ORDO_OK, ordo_gen(ctx, (ordo_dist)d, ORDO_U32, keys, 16, &most), ctx);
    for (int d = ORDO_DIST_SIGNED; d <= INPUTS_DISTS; d++) {
        CHECK_STATUS(ORDO_OK, ordo_gen(ctx, (ordo_dist)d, ORDO_U32, NULL, 0, NULL), ctx);
        CHECK_STATUS(ORDO_OK, ordo_gen(ctx, (ordo_dist)d, ORDO_U32, keys, 16, &most), ctx);
        CHECK_STATUS(ORDO_OK, ordo_gen(ctx, (ordo_dist)d, ORDO_U32, keys, 16, &least), ctx);
    }
}

/* ---- Cancellation, memory, report ---- */

static int stop_now(void *user, double done)
{
    *(double *)user = done;
    return 1;
}

static void test_cancel(ordo_dist dist, uint64_t k)
{
    enum {
        N = 1 << 22
    };
    double              done = 0;
    const ordo_gen_opts opts = ORDO_OPTS(ordo_gen_opts, .k = k);
    void *const         keys = test_keep(N * sizeof(double));
    ordo_ctx *const     with = CONTEXT(.threads = 2, .progress = stop_now, .progress_user = &done,
                                       .progress_interval = -1);

    testkit_case("cancel distribution %d", (int)dist);
    if (with == NULL)
        return;
    CHECK_STATUS(ORDO_E_CANCELLED, ordo_gen(with, dist, ORDO_F64, keys, N, &opts), with);
    CHECK(done >= 0 && done < 1);
    ordo_ctx_free(with);
}

static void test_memory(void)
{
    ordo_ctx *const with = CONTEXT(.mem_limit = 1);
    uint32_t        keys[4] = {5, 5, 5, 5};
    uint64_t        offsets[5] = {5};

    testkit_case("memory limit");
    if (with == NULL)
        return;
    CHECK_STATUS(ORDO_E_NOMEM, ordo_gen(with, ORDO_DIST_RECUR, ORDO_U32, keys, 4, NULL), with);
    CHECK_EQ_U64(5, keys[0]);
    CHECK_STATUS(ORDO_E_NOMEM, ordo_gen_strings(with, ORDO_DIST_FASTA, 4, offsets, NULL, 0, NULL),
                 with);
    CHECK_EQ_U64(5, offsets[0]);
    CHECK_STATUS(ORDO_OK, ordo_gen(with, ORDO_DIST_KSORTED, ORDO_U32, keys, 4, NULL), with);
    ordo_ctx_free(with);
}

static void test_report(void)
{
    uint16_t keys[100];

    testkit_case("report");
    CHECK_STATUS(ORDO_OK, ordo_gen(ctx, ORDO_DIST_BUCKET, ORDO_U16, keys, 100, NULL), ctx);
    ordo_report const report = report_of(ctx);
    CHECK(strcmp(report.operation, "gen") == 0);
    CHECK(strcmp(report.algorithm, "bucket") == 0);
    CHECK_EQ_U64(ORDO_U16, report.type);
    CHECK_EQ_U64(100, report.n);
}

int main(void)
{
    testkit_start();
    ctx = test_context_make(2);
    test_strings();
    test_fasta();
    test_text_arguments();
    test_arguments();
    test_cancel(ORDO_DIST_ZIPF, 0);
    test_cancel(ORDO_DIST_KSORTED, (1 << 22) - 1);
    test_memory();
    test_report();
    ordo_ctx_free(ctx);
    return testkit_done();
}
