/* test_text_big.c - a text of more than 2^31 bytes, whose positions do not fit signed 32-bit
 * numbers.
 *
 * Runs only with ORDO_TEST_BIG=1 and if there is enough memory: about 116 GB. The suffix array
 * is checked in linear time, the transform against the suffix array, and the inverse against the
 * text. ORDO_TEST_BIG=2 leaves the suffix array out: the inverse gives the text only if each byte
 * of the transform is right. */
#define _GNU_SOURCE
#include "testkit.h"

#include "core/random.h"
#include "ordo_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum {
    BYTES_PER_BYTE = 54, /* of all arrays and scratch, for u64 indices */
    REPEAT = 1 << 20
};

static size_t const n = ((size_t)1 << 31) + 12345;

static void *take(size_t bytes)
{
    void *const block = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(block != MAP_FAILED);
    return block == MAP_FAILED ? NULL : block;
}

/* Says what was done and how long it took. */
static void step(const char *what)
{
    static struct timespec before;
    struct timespec        now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (what != NULL)
        printf("%-14s %.1f s\n", what,
               (double)(now.tv_sec - before.tv_sec) +
                   1e-9 * (double)(now.tv_nsec - before.tv_nsec));
    fflush(stdout);
    before = now;
}

/* Random letters. The last megabyte repeats the first one, so that equal prefixes are long. */
static void fill(uint8_t *text)
{
    for (size_t i = 0; i < n; i += 32) {
        uint64_t bits = ordo_random_at(1, i);
        for (size_t j = i; j < n && j < i + 32; j++, bits >>= 2)
            text[j] = (uint8_t) "ACGT"[bits & 3];
    }
    memcpy(text + n - REPEAT, text, REPEAT);
}

/* The places where the transform differs from the bytes that the suffix array gives. */
static size_t differences(const uint8_t *text, const uint64_t *sa, const uint8_t *bwt,
                          uint64_t primary)
{
    size_t wrong = bwt[0] != text[n - 1], at = 1;
    for (size_t i = 0; i < n; i++)
        if (sa[i] == 0)
            wrong += primary != i + 1;
        else
            wrong += bwt[at++] != text[sa[i] - 1];
    return wrong;
}

/* Each step has a context of its own, because a context keeps its scratch. */
static ordo_ctx *new_context(void)
{
    ordo_ctx_opts const opts =
        ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CPU, .mem_limit = n * (BYTES_PER_BYTE - 10));
    ordo_ctx *ctx = NULL;
    CHECK_STATUS(ORDO_OK, ordo_ctx_create(&ctx, &opts), NULL);
    return ctx;
}

/* Writes the checked suffix array to sa. */
static void test_suffix_array(const uint8_t *text, uint64_t *sa)
{
    ordo_ctx *const ctx = new_context();
    testkit_case("suffix array");
    CHECK_STATUS(ORDO_OK, ordo_suffix_array(ctx, text, n, ORDO_U64, sa, NULL), ctx);
    step("suffix array");
    CHECK_STATUS(ORDO_OK, ordo_suffix_check(ctx, text, n, ORDO_U64, sa, NULL), ctx);
    step("check");
    ordo_ctx_free(ctx);
}

static uint64_t test_transform(const uint8_t *text, uint8_t *bwt)
{
    ordo_ctx *const ctx = new_context();
    uint64_t        primary = 0;
    testkit_case("transform");
    CHECK_STATUS(ORDO_OK, ordo_bwt(ctx, text, n, bwt, &primary, NULL), ctx);
    step("transform");
    ordo_ctx_free(ctx);
    return primary;
}

static void test_inverse(const uint8_t *text, const uint8_t *bwt, uint64_t primary)
{
    ordo_ctx *const ctx = new_context();
    uint8_t *const  back = take(n);
    testkit_case("inverse");
    CHECK_STATUS(ORDO_OK, ordo_unbwt(ctx, bwt, n, primary, back, NULL), ctx);
    step("inverse");
    CHECK(back != NULL && memcmp(text, back, n) == 0);
    ordo_ctx_free(ctx);
    munmap(back, n);
}

static void test(bool with_suffix_array)
{
    uint8_t *const text = take(n), *const bwt = take(n);
    uint64_t *const sa = take(n * sizeof *sa);
    if (text == NULL || bwt == NULL || sa == NULL)
        return;
    step(NULL);
    fill(text);
    step("text");
    if (with_suffix_array)
        test_suffix_array(text, sa);
    uint64_t const primary = test_transform(text, bwt);
    if (with_suffix_array) {
        CHECK_EQ_U64(0, differences(text, sa, bwt, primary));
        step("compare");
    }
    munmap(sa, n * sizeof *sa);
    test_inverse(text, bwt, primary);
    munmap(bwt, n);
    munmap(text, n);
}

int main(void)
{
    const char *const wanted = getenv("ORDO_TEST_BIG");
    testkit_start();
    bool const transform_only = wanted != NULL && strcmp(wanted, "2") == 0;
    if (!transform_only && (wanted == NULL || strcmp(wanted, "1") != 0)) {
        testkit_skip("a text of more than 2^31 bytes: set ORDO_TEST_BIG=1 or 2");
        return testkit_done();
    }
    if (testkit_free_memory() < n * BYTES_PER_BYTE) {
        testkit_skip("a text of more than 2^31 bytes: too little memory");
        return testkit_done();
    }
    test(!transform_only);
    return testkit_done();
}
