/* test_suffix.c - ordo_suffix_array and ordo_suffix_check: every algorithm, index type and number
 * of threads on every kind of text, beside the naive suffix array and libdivsufsort; all short
 * strings over two letters; long LMS substrings; many texts; wrong arrays, wrong arguments,
 * cancellation and refused memory. */
#define _GNU_SOURCE
#include "faults.h"
#include "ordo_text.h"
#include "testkit.h"
#include "kit/text/textkit.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST = 3000,
    LONG = 200000,
    ALGORITHMS = 3 /* from ORDO_TEXT_INDUCED on */
};

static const unsigned thread_counts[] = {1, 2, 7};
#define CONTEXTS (sizeof thread_counts / sizeof *thread_counts)
static ordo_ctx *workers[CONTEXTS];
static uint8_t   text[LONG];
static uint32_t  expected[LONG], narrow[LONG];
static uint64_t  wide[LONG];

/* Sorts with both index types and compares with `expected`. */
static void compare_all(ordo_ctx *ctx, size_t n, uint32_t algorithm, const uint64_t *offsets,
                        size_t count)
{
    const ordo_text_opts opts =
        ORDO_OPTS(ordo_text_opts, .algorithm = algorithm, .offsets = offsets, .count = count);
    const ordo_text_opts check = ORDO_OPTS(ordo_text_opts, .offsets = offsets, .count = count);
    memset(narrow, 0xaa, n * sizeof *narrow);
    memset(wide, 0xaa, n * sizeof *wide);
    CHECK_STATUS(ORDO_OK, ordo_suffix_array(ctx, text, n, ORDO_U32, narrow, &opts), ctx);
    CHECK_BYTES(expected, narrow, n * sizeof *narrow, sizeof *narrow);
    CHECK_STATUS(ORDO_OK, ordo_suffix_array(ctx, text, n, ORDO_U64, wide, &opts), ctx);
    size_t different = 0;
    for (size_t i = 0; i < n; i++)
        different += wide[i] != expected[i];
    CHECK_EQ_U64(0, different);
    CHECK_STATUS(ORDO_OK, ordo_suffix_check(ctx, text, n, ORDO_U32, narrow, &check), ctx);
    CHECK_STATUS(ORDO_OK, ordo_suffix_check(ctx, text, n, ORDO_U64, wide, &check), ctx);
}

static void test_kinds(void)
{
    static const size_t sizes[] = {0, 1, 2, 3, 7, 8, 9, 16, 63, 255, 1000, MOST};
    for (size_t kind = 0; kind < TEXT_KINDS; kind++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            size_t const n = sizes[s];
            text_fill(kind, text, n, kind + 1000 * n);
            text_naive(text, n, NULL, 0, expected);
            for (uint32_t a = 0; a < CONTEXTS * ALGORITHMS; a++) {
                uint32_t const algorithm = 1 + a % ALGORITHMS;
                if (algorithm == ORDO_TEXT_MSD && kind < 9 && n > 1000)
                    continue; /* quadratic */
                testkit_case("%s n=%zu algorithm=%u threads=%u", text_kind_name(kind), n, algorithm,
                             thread_counts[a / ALGORITHMS]);
                compare_all(workers[a / ALGORITHMS], n, algorithm, NULL, 0);
            }
        }
}

/* Random texts over 1 to 256 letters. */
static void test_alphabets(void)
{
    for (size_t letters = 1; letters <= 256; letters += 1 + letters / 8) {
        test_rng     rng = {letters};
        size_t const n = 500 + test_rng_below(&rng, 500);
        for (size_t i = 0; i < n; i++)
            text[i] = (uint8_t)(256 - letters + test_rng_below(&rng, letters));
        text_naive(text, n, NULL, 0, expected);
        testkit_case("%zu letters", letters);
        for (uint32_t a = 1; a <= ALGORITHMS; a++)
            compare_all(workers[0], n, a, NULL, 0);
    }
}

/* Long LMS substrings with long common prefixes, each of which occurs often: a byte, up to 40 equal
 * bytes, up to 9 larger ones, and one that may look like the padding of a word. */
static void test_long_substrings(void)
{
    static const uint8_t tops[] = {3, 4, 254, 255};
    for (size_t longest = 1; longest <= 40; longest += 3) {
        test_rng rng = {longest};
        for (size_t i = 0; i < MOST;) {
            size_t const run = i + 1 + test_rng_below(&rng, longest);
            size_t const end = run + test_rng_below(&rng, 10);
            text[i++] = (uint8_t)test_rng_below(&rng, 2);
            for (; i < end && i < MOST; i++)
                text[i] = i < run ? 2 : 3;
            if (i < MOST)
                text[i++] = tops[test_rng_below(&rng, 4)];
        }
        text_naive(text, MOST, NULL, 0, expected);
        for (size_t c = 0; c < CONTEXTS; c++) {
            testkit_case("runs of up to %zu bytes threads=%u", longest, thread_counts[c]);
            compare_all(workers[c], MOST, ORDO_TEXT_INDUCED, NULL, 0);
        }
    }
}

/* Every string over {a, b} of up to 14 letters. */
static void test_all_short(void)
{
    size_t const most = TESTKIT_SANITIZED ? 10 : 14;
    for (size_t n = 1; n <= most; n++)
        for (uint32_t word = 0; word < 1u << n; word++) {
            for (size_t i = 0; i < n; i++)
                text[i] = (uint8_t)('a' + (word >> i & 1));
            text_naive(text, n, NULL, 0, expected);
            testkit_case("word %x of %zu letters", word, n);
            for (uint32_t a = 1; a <= ALGORITHMS; a++) {
                const ordo_text_opts opts = ORDO_OPTS(ordo_text_opts, .algorithm = a);
                CHECK_STATUS(ORDO_OK,
                             ordo_suffix_array(workers[0], text, n, ORDO_U32, narrow, &opts),
                             workers[0]);
                CHECK_BYTES(expected, narrow, n * sizeof *narrow, sizeof *narrow);
            }
        }
}

static void test_many(void)
{
    static const size_t counts[] = {1, 2, 5, 60, 1000};
    static uint64_t     offsets[1001];
    for (size_t kind = 0; kind < TEXT_KINDS; kind++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            size_t const n = c == 0 ? 1 : 300 * c;
            text_fill(kind, text, n, kind);
            text_cut(offsets, counts[c], n, kind + c);
            text_naive(text, n, offsets, counts[c], expected);
            testkit_case("%zu texts, %s", counts[c], text_kind_name(kind));
            for (uint32_t a = 0; a < CONTEXTS * ALGORITHMS; a++)
                compare_all(workers[a / ALGORITHMS], n, 1 + a % ALGORITHMS, offsets, counts[c]);
        }
    memset(offsets, 0, sizeof offsets);
    testkit_case("only empty texts");
    compare_all(workers[0], 0, ORDO_TEXT_INDUCED, offsets, 1000);
}

/* Texts long enough for every phase with the thresholds as shipped. */
static void test_long(void)
{
    typedef int32_t      divsufsort_fn(const uint8_t *, int32_t *, int32_t);
    void *const          library = dlopen("libdivsufsort.so.3", RTLD_NOW);
    divsufsort_fn *const peer =
        library != NULL ? (divsufsort_fn *)(uintptr_t)dlsym(library, "divsufsort") : NULL;
    if (peer == NULL)
        testkit_skip("libdivsufsort.so.3 is not installed: long texts are only checked");
    size_t const n = TESTKIT_SANITIZED ? LONG / 8 : LONG;
    for (size_t kind = 0; kind < TEXT_KINDS; kind++)
        for (size_t c = 0; c < CONTEXTS; c++) {
            const ordo_text_opts doubling =
                ORDO_OPTS(ordo_text_opts, .algorithm = ORDO_TEXT_DOUBLING);
            ordo_ctx *const ctx = workers[c];
            text_fill(kind, text, n, kind);
            testkit_case("long %s threads=%u", text_kind_name(kind), thread_counts[c]);
            CHECK_STATUS(ORDO_OK, ordo_suffix_array(ctx, text, n, ORDO_U32, narrow, NULL), ctx);
            CHECK_STATUS(ORDO_OK, ordo_suffix_check(ctx, text, n, ORDO_U32, narrow, NULL), ctx);
            if (peer != NULL) {
                CHECK(peer(text, (int32_t *)expected, (int32_t)n) == 0);
                CHECK_BYTES(expected, narrow, n * sizeof *narrow, sizeof *narrow);
            }
            CHECK_STATUS(ORDO_OK, ordo_suffix_array(ctx, text, n, ORDO_U32, expected, &doubling),
                         ctx);
            CHECK_BYTES(expected, narrow, n * sizeof *narrow, sizeof *narrow);
        }
    if (library != NULL)
        dlclose(library);
}

/* The check must find every exchange of two elements, a repeated one and one out of range. */
static void test_wrong_arrays(void)
{
    enum {
        N = 60
    };
    ordo_ctx *const ctx = workers[1];
    for (size_t kind = 0; kind < TEXT_KINDS; kind++) {
        text_fill(kind, text, N, kind);
        text_naive(text, N, NULL, 0, expected);
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < i; j++) {
                testkit_case("%s, %zu and %zu exchanged", text_kind_name(kind), i, j);
                memcpy(narrow, expected, N * sizeof *narrow);
                narrow[i] = expected[j];
                narrow[j] = expected[i];
                CHECK_STATUS(ORDO_E_ORDER, ordo_suffix_check(ctx, text, N, ORDO_U32, narrow, NULL),
                             NULL);
                narrow[i] = expected[i];
                narrow[j] = expected[i];
                CHECK_STATUS(ORDO_E_ORDER, ordo_suffix_check(ctx, text, N, ORDO_U32, narrow, NULL),
                             NULL);
            }
        memcpy(narrow, expected, N * sizeof *narrow);
        narrow[kind] = N;
        CHECK_STATUS(ORDO_E_ORDER, ordo_suffix_check(ctx, text, N, ORDO_U32, narrow, NULL), NULL);
    }
}

static void test_arguments(void)
{
    ordo_ctx *const      ctx = workers[0];
    const uint64_t       falling[] = {0, 5, 3, 8}, late[] = {1, 8}, shorter[] = {0, 7};
    const ordo_text_opts wrong[] = {
        ORDO_OPTS(ordo_text_opts, .algorithm = 4),
        ORDO_OPTS(ordo_text_opts, .count = 3),
        ORDO_OPTS(ordo_text_opts, .offsets = falling),
        ORDO_OPTS(ordo_text_opts, .offsets = falling, .count = 3),
        ORDO_OPTS(ordo_text_opts, .offsets = late, .count = 1),
        ORDO_OPTS(ordo_text_opts, .offsets = shorter, .count = 1),
    };
    testkit_case("arguments");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_STATUS(ORDO_E_ARG, ordo_suffix_array(ctx, text, 8, ORDO_U32, narrow, &wrong[i]),
                     NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_suffix_array(NULL, text, 8, ORDO_U32, narrow, NULL), NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_suffix_array(ctx, NULL, 8, ORDO_U32, narrow, NULL), NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_suffix_array(ctx, text, 8, ORDO_U32, NULL, NULL), NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_suffix_array(ctx, text, 8, ORDO_I32, narrow, NULL), NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_suffix_array(ctx, narrow, 8, ORDO_U32, narrow, NULL), NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_suffix_array(ctx, text, 8, ORDO_U32, (char *)narrow + 2, NULL),
                 NULL);
    CHECK_STATUS(ORDO_E_ARG,
                 ordo_suffix_array(ctx, text, 8, ORDO_U32, narrow,
                                   &ORDO_OPTS(ordo_text_opts, .flags = ORDO_ON_DEVICE)),
                 NULL);
    CHECK_STATUS(ORDO_E_VERSION,
                 ordo_suffix_array(ctx, text, 8, ORDO_U32, narrow,
                                   &ORDO_OPTS(ordo_text_opts, .flags = ORDO_STABLE)),
                 NULL);
    CHECK_STATUS(ORDO_OK, ordo_suffix_array(ctx, NULL, 0, ORDO_U32, NULL, NULL), ctx);
    /* An array that is aligned to its elements, but not to 8 bytes. */
    text_fill(13, text, MOST, 1);
    text_naive(text, MOST, NULL, 0, expected);
    CHECK_STATUS(ORDO_OK, ordo_suffix_array(ctx, text, MOST, ORDO_U32, narrow + 1, NULL), ctx);
    CHECK_BYTES(expected, narrow + 1, MOST * sizeof *narrow, sizeof *narrow);
}

/* A cancelled call and one whose scratch is refused fail, and the next call is right. */
static void test_faults(void)
{
    ordo_ctx *const ctx = workers[0];
    size_t const    n = 2000;
    text_fill(13, text, n, 5);
    text_naive(text, n, NULL, 0, expected);
    faults_attach(ctx);
    for (uint32_t a = 1; a <= ALGORITHMS; a++) {
        const ordo_text_opts opts = ORDO_OPTS(ordo_text_opts, .algorithm = a);
        faults_cancel(0);
        CHECK_STATUS(ORDO_OK, ordo_suffix_array(ctx, text, n, ORDO_U32, narrow, &opts), ctx);
        size_t const checks = faults_checks();
        CHECK(checks > 0);
        for (size_t at = 1; at <= checks; at += 1 + checks / 40) {
            testkit_case("algorithm %u cancelled at check %zu", a, at);
            faults_cancel(at);
            ordo_status const status = ordo_suffix_array(ctx, text, n, ORDO_U32, narrow, &opts);
            CHECK(status == ORDO_E_CANCELLED || (status == ORDO_OK && at > 1)); /* too late */
            if (status == ORDO_OK)
                CHECK_BYTES(expected, narrow, n * sizeof *narrow, sizeof *narrow);
        }
        for (size_t at = 1;; at++) {
            testkit_case("algorithm %u, request %zu refused", a, at);
            faults_refuse(at, false);
            ordo_status const status = ordo_suffix_array(ctx, text, n, ORDO_U32, narrow, &opts);
            if (!faults_refused())
                break;
            CHECK(status == ORDO_E_NOMEM || status == ORDO_OK);
        }
        faults_refuse(0, false);
        CHECK_STATUS(ORDO_OK, ordo_suffix_array(ctx, text, n, ORDO_U32, narrow, &opts), ctx);
        CHECK_BYTES(expected, narrow, n * sizeof *narrow, sizeof *narrow);
    }
    faults_detach();
}

int main(void)
{
    testkit_start();
    for (size_t i = 0; i < CONTEXTS; i++)
        CHECK_STATUS(ORDO_OK,
                     ordo_ctx_create(&workers[i], &ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CPU,
                                                             .threads = thread_counts[i])),
                     NULL);
    test_kinds();
    test_alphabets();
    test_long_substrings();
    test_all_short();
    test_many();
    test_long();
    test_wrong_arrays();
    test_arguments();
    test_faults();
    for (size_t i = 0; i < CONTEXTS; i++)
        ordo_ctx_free(workers[i]);
    return testkit_done();
}
