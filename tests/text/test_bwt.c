/* test_bwt.c - ordo_bwt, ordo_unbwt and ordo_lcp: every kind of text, algorithm and number of
 * threads, beside definitions applied to the naive suffix array and beside libdivsufsort;
 * transforms that belong to no text; wrong arguments, cancellation and refused memory. */
#define _GNU_SOURCE
#include "faults.h"
#include "ordo_text.h"
#include "testkit.h"
#include "kit/text/textkit.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST = 2500,
    LONG = 150000
};

static const unsigned thread_counts[] = {1, 2, 7};
#define CONTEXTS (sizeof thread_counts / sizeof *thread_counts)
static ordo_ctx *workers[CONTEXTS];
static uint8_t   text[LONG], expected[LONG], bwt[LONG], back[LONG];
static uint32_t  sa[LONG], lcp[LONG];
static uint64_t  wide_sa[LONG], wide_lcp[LONG];

/* The transform by its definition; returns the primary index. */
static uint64_t define_bwt(size_t n)
{
    uint64_t primary = 0;
    size_t   at = 0;
    if (n > 0)
        expected[at++] = text[n - 1];
    for (size_t i = 0; i < n; i++)
        if (sa[i] == 0)
            primary = i + 1;
        else
            expected[at++] = text[sa[i] - 1];
    return primary;
}

static void round_trip(ordo_ctx *ctx, size_t n, uint64_t primary, uint32_t algorithm)
{
    const ordo_text_opts opts = ORDO_OPTS(ordo_text_opts, .algorithm = algorithm);
    uint64_t             got = 12345;
    memset(bwt, 0xaa, n);
    memset(back, 0xaa, n);
    CHECK_STATUS(ORDO_OK, ordo_bwt(ctx, text, n, bwt, &got, &opts), ctx);
    CHECK_EQ_U64(primary, got);
    CHECK_BYTES(expected, bwt, n, 1);
    CHECK_STATUS(ORDO_OK, ordo_unbwt(ctx, bwt, n, got, back, NULL), ctx);
    CHECK_BYTES(text, back, n, 1);
}

static void check_lcp(ordo_ctx *ctx, size_t n, const uint64_t *offsets, size_t count)
{
    const ordo_text_opts opts = ORDO_OPTS(ordo_text_opts, .offsets = offsets, .count = count);
    size_t               wrong = 0;
    memset(lcp, 0xaa, n * sizeof *lcp);
    memset(wide_lcp, 0xaa, n * sizeof *wide_lcp);
    for (size_t i = 0; i < n; i++)
        wide_sa[i] = sa[i];
    CHECK_STATUS(ORDO_OK, ordo_lcp(ctx, text, n, ORDO_U32, sa, lcp, &opts), ctx);
    CHECK_STATUS(ORDO_OK, ordo_lcp(ctx, text, n, ORDO_U64, wide_sa, wide_lcp, &opts), ctx);
    for (size_t i = 0; i < n; i++) {
        size_t const right = i == 0 ? 0 : text_naive_lcp(text, n, offsets, count, sa[i - 1], sa[i]);
        wrong += lcp[i] != right || wide_lcp[i] != right;
    }
    CHECK_EQ_U64(0, wrong);
}

static void test_kinds(void)
{
    static const size_t sizes[] = {0, 1, 2, 3, 8, 9, 64, 255, 1000, MOST};
    for (size_t kind = 0; kind < TEXT_KINDS; kind++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            size_t const n = sizes[s];
            text_fill(kind, text, n, kind + 77 * n);
            text_naive(text, n, NULL, 0, sa);
            uint64_t const primary = define_bwt(n);
            for (size_t c = 0; c < CONTEXTS; c++) {
                testkit_case("%s n=%zu threads=%u", text_kind_name(kind), n, thread_counts[c]);
                for (uint32_t a = 0; a <= ORDO_TEXT_MSD; a++)
                    if (a != ORDO_TEXT_MSD || n < 500)
                        round_trip(workers[c], n, primary, a);
                check_lcp(workers[c], n, NULL, 0);
            }
        }
}

static void test_many(void)
{
    static uint64_t offsets[301];
    for (size_t kind = 0; kind < TEXT_KINDS; kind++)
        for (size_t count = 1; count <= 300; count = count * 4 + 1) {
            size_t const n = 900;
            text_fill(kind, text, n, kind);
            text_cut(offsets, count, n, kind + count);
            text_naive(text, n, offsets, count, sa);
            testkit_case("%zu texts, %s", count, text_kind_name(kind));
            check_lcp(workers[count % CONTEXTS], n, offsets, count);
        }
}

static void test_long(void)
{
    typedef int32_t  divbwt_fn(const uint8_t *, uint8_t *, int32_t *, int32_t);
    void *const      library = dlopen("libdivsufsort.so.3", RTLD_NOW);
    divbwt_fn *const peer =
        library != NULL ? (divbwt_fn *)(uintptr_t)dlsym(library, "divbwt") : NULL;
    if (peer == NULL)
        testkit_skip("libdivsufsort.so.3 is not installed: long transforms are only inverted");
    size_t const n = TESTKIT_SANITIZED ? LONG / 8 : LONG;
    for (size_t kind = 0; kind < TEXT_KINDS; kind++) {
        uint64_t primary = 0;
        text_fill(kind, text, n, kind);
        testkit_case("long %s", text_kind_name(kind));
        CHECK_STATUS(ORDO_OK, ordo_bwt(workers[1], text, n, bwt, &primary, NULL), workers[1]);
        if (peer != NULL) {
            int32_t const right = peer(text, expected, NULL, (int32_t)n);
            CHECK_EQ_U64((uint64_t)right, primary);
            CHECK_BYTES(expected, bwt, n, 1);
        }
        for (size_t c = 0; c < CONTEXTS; c++) {
            memset(back, 0xaa, n);
            CHECK_STATUS(ORDO_OK, ordo_unbwt(workers[c], bwt, n, primary, back, NULL), workers[c]);
            CHECK_BYTES(text, back, n, 1);
        }
    }
    if (library != NULL)
        dlclose(library);
}

/* Walks the transform step by step; whether it visits all n bytes. */
static bool is_transform(const uint8_t *bytes, size_t n, size_t primary)
{
    uint32_t rows = 1, begins[257], next[64] = {0};
    for (size_t c = 0; c < 256; c++) {
        begins[c] = rows;
        for (size_t i = 0; i < n; i++)
            rows += bytes[i] == c;
    }
    for (size_t i = 0; i < n; i++)
        next[begins[bytes[i]]++] = (uint32_t)(i + (i >= primary));
    size_t steps = 0;
    for (uint32_t row = (uint32_t)primary; row != 0 && steps <= n; row = next[row])
        steps++;
    return steps == n;
}

/* Every string of up to 10 letters with every primary index. */
static void test_forged(void)
{
    for (size_t n = 1; n <= (TESTKIT_SANITIZED ? 7 : 10); n++)
        for (uint32_t word = 0; word < 1u << n; word++) {
            for (size_t i = 0; i < n; i++)
                bwt[i] = (uint8_t)('a' + (word >> i & 1));
            for (size_t primary = 1; primary <= n; primary++) {
                uint64_t          again = 0;
                ordo_status const status = ordo_unbwt(workers[0], bwt, n, primary, text, NULL);
                testkit_case("transform %x of %zu letters, primary %zu", word, n, primary);
                if (!is_transform(bwt, n, primary)) {
                    CHECK_STATUS(ORDO_E_ARG, status, NULL);
                    continue;
                }
                CHECK_STATUS(ORDO_OK, status, workers[0]);
                CHECK_STATUS(ORDO_OK, ordo_bwt(workers[0], text, n, back, &again, NULL),
                             workers[0]);
                CHECK_EQ_U64(primary, again);
                CHECK_BYTES(bwt, back, n, 1);
            }
        }
}

static void test_arguments(void)
{
    ordo_ctx *const      ctx = workers[0];
    uint64_t             primary = 7;
    const uint64_t       offsets[] = {0, 8};
    const ordo_text_opts many = ORDO_OPTS(ordo_text_opts, .offsets = offsets, .count = 1);
    const ordo_text_opts named = ORDO_OPTS(ordo_text_opts, .algorithm = ORDO_TEXT_MSD);
    testkit_case("arguments");
    memset(text, 'x', 8);
    CHECK_STATUS(ORDO_E_ARG, ordo_bwt(ctx, text, 8, text + 4, &primary, NULL), NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_bwt(ctx, text, 8, bwt, NULL, NULL), NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_bwt(ctx, text, 8, NULL, &primary, NULL), NULL);
    CHECK_STATUS(ORDO_E_UNSUPPORTED, ordo_bwt(ctx, text, 8, bwt, &primary, &many), NULL);
    CHECK_EQ_U64(7, primary);
    CHECK_STATUS(ORDO_E_ARG, ordo_unbwt(ctx, text, 8, 0, bwt, NULL), NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_unbwt(ctx, text, 8, 9, bwt, NULL), NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_unbwt(ctx, text, 0, 1, bwt, NULL), NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_unbwt(ctx, text, 8, 1, text + 7, NULL), NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_unbwt(ctx, text, 8, 1, bwt, &named), NULL);
    CHECK_STATUS(ORDO_E_UNSUPPORTED, ordo_unbwt(ctx, text, 8, 1, bwt, &many), NULL);
    CHECK_STATUS(ORDO_OK, ordo_unbwt(ctx, NULL, 0, 0, NULL, NULL), ctx);
    CHECK_STATUS(ORDO_OK, ordo_lcp(ctx, NULL, 0, ORDO_U32, NULL, NULL, NULL), ctx);
    for (uint32_t i = 0; i < 8; i++)
        sa[i] = 7 - i;
    CHECK_STATUS(ORDO_E_ARG, ordo_lcp(ctx, text, 8, ORDO_U32, sa, sa + 1, NULL), NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_lcp(ctx, text, 8, ORDO_F32, sa, lcp, NULL), NULL);
    sa[3] = 8;
    CHECK_STATUS(ORDO_E_ARG, ordo_lcp(ctx, text, 8, ORDO_U32, sa, lcp, NULL), NULL);
    sa[3] = 2; /* no permutation: any result, within the arrays */
    CHECK_STATUS(ORDO_OK, ordo_lcp(ctx, text, 8, ORDO_U32, sa, lcp, NULL), ctx);
}

static ordo_status run(ordo_ctx *ctx, int which, size_t n, uint64_t *primary)
{
    return which == 0   ? ordo_bwt(ctx, text, n, bwt, primary, NULL)
           : which == 1 ? ordo_unbwt(ctx, expected, n, *primary, back, NULL)
                        : ordo_lcp(ctx, text, n, ORDO_U32, sa, lcp, NULL);
}

static void test_faults(void)
{
    ordo_ctx *const ctx = workers[0];
    size_t const    n = 2000;
    text_fill(13, text, n, 5);
    text_naive(text, n, NULL, 0, sa);
    uint64_t const right = define_bwt(n);
    faults_attach(ctx);
    for (int which = 0; which < 3; which++) {
        uint64_t primary = right;
        faults_cancel(0);
        CHECK_STATUS(ORDO_OK, run(ctx, which, n, &primary), ctx);
        size_t const checks = faults_checks();
        for (size_t at = 1; at <= checks; at += 1 + checks / 30) {
            testkit_case("call %d cancelled at check %zu", which, at);
            faults_cancel(at);
            ordo_status const status = run(ctx, which, n, &primary);
            CHECK(status == ORDO_E_CANCELLED || (status == ORDO_OK && at > 1));
        }
        for (size_t at = 1;; at++) {
            testkit_case("call %d, request %zu refused", which, at);
            faults_refuse(at, false);
            ordo_status const status = run(ctx, which, n, &primary);
            if (!faults_refused())
                break;
            CHECK(status == ORDO_E_NOMEM || status == ORDO_OK);
        }
        faults_refuse(0, false);
        CHECK_STATUS(ORDO_OK, run(ctx, which, n, &primary), ctx);
    }
    faults_detach();
    CHECK_BYTES(expected, bwt, n, 1);
    CHECK_BYTES(text, back, n, 1);
}

int main(void)
{
    testkit_start();
    for (size_t i = 0; i < CONTEXTS; i++)
        workers[i] = CONTEXT(.where = ORDO_CPU, .threads = thread_counts[i]);
    test_kinds();
    test_many();
    test_long();
    test_forged();
    test_arguments();
    test_faults();
    for (size_t i = 0; i < CONTEXTS; i++)
        ordo_ctx_free(workers[i]);
    return testkit_done();
}
