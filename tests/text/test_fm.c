/* test_fm.c - the FM-index: counts, positions and bytes of every kind of text beside a search in
 * the text; stored and loaded indexes; an index with every byte changed; wrong arguments,
 * cancellation, refused memory. */
#define _GNU_SOURCE
#include "faults.h"
#include "ordo_text.h"
#include "testkit.h"
#include "kit/text/textkit.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST = 1500,
    PATTERNS = 120,
    LONGEST = 30
};

static const unsigned thread_counts[] = {1, 3};
#define CONTEXTS (sizeof thread_counts / sizeof *thread_counts)
static ordo_ctx *workers[CONTEXTS];
static uint8_t   text[MOST], got[MOST], patterns[PATTERNS * LONGEST];
static uint64_t  offsets[PATTERNS + 1], counts[PATTERNS], first[PATTERNS + 1];
static uint64_t  right[PATTERNS * MOST], positions[PATTERNS * MOST], right_first[PATTERNS + 1];

/* Parts of the text, parts with a changed byte, random bytes, and an empty pattern. */
static void make_patterns(size_t n, uint64_t seed)
{
    test_rng rng = {seed};
    uint64_t at = 0;
    for (size_t i = 0; i < PATTERNS; i++) {
        size_t const length = i == 0 ? 0 : 1 + test_rng_below(&rng, LONGEST - 1);
        offsets[i] = at;
        for (size_t k = 0; k < length; k++)
            patterns[at + k] = (uint8_t)test_rng_next(&rng);
        if (i % 4 != 1 && n >= length)
            memcpy(patterns + at, text + test_rng_below(&rng, n - length + 1), length);
        if (i % 4 == 2)
            patterns[at + test_rng_below(&rng, length)] ^= 1;
        at += length;
    }
    offsets[PATTERNS] = at;
}

static void search_text(size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < PATTERNS; i++) {
        size_t const length = (size_t)(offsets[i + 1] - offsets[i]);
        right_first[i] = sum;
        for (size_t at = 0; at < n && at + length <= n; at++)
            if (memcmp(text + at, patterns + offsets[i], length) == 0)
                right[sum++] = at;
    }
    right_first[PATTERNS] = sum;
}

/* All queries of an index of text[0..n). */
static void check_queries(ordo_ctx *ctx, const ordo_fm *fm, size_t n, uint64_t seed)
{
    test_rng rng = {seed};
    make_patterns(n, seed);
    search_text(n);
    memset(counts, 0xaa, sizeof counts);
    CHECK_STATUS(ORDO_OK, ordo_fm_count(ctx, fm, patterns, offsets, PATTERNS, counts), ctx);
    size_t wrong = 0;
    for (size_t i = 0; i < PATTERNS; i++)
        wrong += counts[i] != right_first[i + 1] - right_first[i];
    CHECK_EQ_U64(0, wrong);
    CHECK_STATUS(ORDO_OK, ordo_fm_locate(ctx, fm, patterns, offsets, PATTERNS, first, NULL, 0),
                 ctx);
    CHECK_BYTES(right_first, first, sizeof first, sizeof *first);
    size_t const all = (size_t)first[PATTERNS];
    CHECK_STATUS(ORDO_OK,
                 ordo_fm_locate(ctx, fm, patterns, offsets, PATTERNS, first, positions, all), ctx);
    CHECK_BYTES(right, positions, all * sizeof *right, sizeof *right);
    if (all > 0)
        CHECK_STATUS(
            ORDO_E_ARG,
            ordo_fm_locate(ctx, fm, patterns, offsets, PATTERNS, first, positions, all - 1), NULL);
    for (size_t i = 0; i < 20; i++) {
        size_t const from = i == 0 ? 0 : test_rng_below(&rng, n + 1);
        size_t const length = i == 0 ? n : test_rng_below(&rng, n - from + 1);
        memset(got, 0xaa, sizeof got);
        CHECK_STATUS(ORDO_OK, ordo_fm_extract(ctx, fm, from, length, got), ctx);
        CHECK_BYTES(text + from, got, length, 1);
        CHECK(length == sizeof got || got[length] == 0xaa);
    }
}

static void test_kinds(void)
{
    static const size_t   sizes[] = {0, 1, 2, 63, 64, 127, 128, 129, 700, MOST};
    static const uint32_t samples[] = {0, 1, 3, 64, 4096};
    for (size_t kind = 0; kind < TEXT_KINDS; kind++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            size_t const    n = sizes[s];
            uint32_t const  sample = samples[(kind + s) % 5];
            ordo_ctx *const ctx = workers[s % CONTEXTS];
            ordo_fm        *fm = NULL, *loaded = NULL;
            size_t          bytes = 0;
            ordo_fm_facts   facts = {.struct_size = sizeof facts};
            text_fill(kind, text, n, kind + n);
            testkit_case("%s n=%zu sample=%u", text_kind_name(kind), n, sample);
            if (!CHECK_STATUS(
                    ORDO_OK,
                    ordo_fm_build(ctx, text, n, &ORDO_OPTS(ordo_fm_opts, .sample = sample), &fm),
                    ctx))
                continue;
            check_queries(ctx, fm, n, kind * 100 + s);
            const void *const data = ordo_fm_data(fm, &bytes);
            CHECK_STATUS(ORDO_OK, ordo_fm_describe(fm, &facts), NULL);
            CHECK(facts.n == n && facts.bytes == bytes && facts.letters <= 256);
            CHECK_EQ_U64(sample != 0 ? sample : 64, facts.sample);
            CHECK_STATUS(ORDO_OK, ordo_fm_load(ctx, data, bytes, &loaded), ctx);
            if (loaded != NULL) {
                size_t            again = 0;
                const void *const copy = ordo_fm_data(loaded, &again);
                CHECK_EQ_U64(bytes, again);
                CHECK_BYTES(data, copy, bytes, 1);
                check_queries(ctx, loaded, n, kind);
            }
            ordo_fm_free(loaded);
            loaded = NULL;
            if (CHECK_STATUS(ORDO_OK, ordo_fm_view(ctx, data, bytes, &loaded), ctx)) {
                CHECK(ordo_fm_data(loaded, NULL) == data);
                check_queries(ctx, loaded, n, kind + 1);
            }
            ordo_fm_free(loaded);
            ordo_fm_free(fm);
        }
}

/* Skewed counts of letters make the deepest tree. */
static void test_deep(void)
{
    ordo_ctx *const ctx = workers[0];
    ordo_fm        *fm = NULL;
    uint64_t        weight = 1;
    size_t          n = 0;
    for (unsigned letter = 0; n < MOST; letter++) {
        for (uint64_t k = 0; k < weight && n < MOST; k++)
            text[n++] = (uint8_t)(255 - letter);
        weight += letter % 16 == 0 ? 15 * weight / 8 : 0;
    }
    testkit_case("a deep tree");
    test_rng rng = {7};
    for (size_t i = n - 1; i > 0; i--) {
        size_t const  other = test_rng_below(&rng, i + 1);
        uint8_t const byte = text[i];
        text[i] = text[other];
        text[other] = byte;
    }
    if (CHECK_STATUS(ORDO_OK, ordo_fm_build(ctx, text, n, NULL, &fm), ctx))
        check_queries(ctx, fm, n, 3);
    ordo_fm_free(fm);
}

/* The default index of text with about 4 bits of entropy is no larger than the text. */
static void test_size(void)
{
    ordo_ctx *const ctx = workers[0];
    size_t const    n = 200000;
    uint8_t *const  words = test_need(n);
    test_rng        rng = {1};
    ordo_fm        *fm = NULL;
    ordo_fm_facts   facts = {.struct_size = sizeof facts};
    testkit_case("the size of an index");
    for (size_t i = 0; i < n; i++) /* products of two numbers below 8 */
        words[i] = (uint8_t)(test_rng_below(&rng, 8) * test_rng_below(&rng, 8));
    if (CHECK_STATUS(ORDO_OK, ordo_fm_build(ctx, words, n, NULL, &fm), ctx)) {
        CHECK_STATUS(ORDO_OK, ordo_fm_describe(fm, &facts), NULL);
        CHECK(facts.bytes <= n);
    }
    ordo_fm_free(fm);
    free(words);
}

/* Any changed byte and any missing end is found. */
static void test_damage(void)
{
    ordo_ctx *const ctx = workers[0];
    ordo_fm        *fm = NULL, *none = NULL;
    size_t          bytes = 0;
    text_fill(13, text, 300, 1);
    CHECK_STATUS(ORDO_OK, ordo_fm_build(ctx, text, 300, NULL, &fm), ctx);
    const void *const data = ordo_fm_data(fm, &bytes);
    uint8_t *const    copy = test_need(bytes + 1);
    memcpy(copy, data, bytes);
    for (size_t i = 0; i < bytes; i++) {
        testkit_case("byte %zu of the index changed", i);
        copy[i] ^= (uint8_t)(1 + i % 255);
        CHECK_STATUS(ORDO_E_ARG, ordo_fm_load(ctx, copy, bytes, &none), NULL);
        CHECK(none == NULL && ordo_last_error(ctx)[0] != '\0');
        memcpy(copy + i, (const char *)data + i, 1);
    }
    for (size_t n = 0; n < bytes; n += 1 + n / 16) {
        testkit_case("index of %zu of %zu bytes", n, bytes);
        CHECK_STATUS(ORDO_E_ARG, ordo_fm_load(ctx, copy, n, &none), NULL);
        CHECK_STATUS(ORDO_E_ARG, ordo_fm_view(ctx, copy, n, &none), NULL);
    }
    testkit_case("a byte too many");
    CHECK_STATUS(ORDO_E_ARG, ordo_fm_load(ctx, copy, bytes + 1, &none), NULL);
    free(copy);
    ordo_fm_free(fm);
}

static void test_arguments(void)
{
    ordo_ctx *const ctx = workers[0];
    ordo_fm        *fm = NULL;
    uint64_t        falling[] = {0, 3, 2};
    ordo_fm_facts   facts = {.struct_size = sizeof facts};
    testkit_case("arguments");
    text_fill(13, text, 100, 1);
    CHECK_STATUS(ORDO_OK, ordo_fm_build(ctx, text, 100, NULL, &fm), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_fm_build(ctx, text, 100, NULL, NULL), NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_fm_build(ctx, NULL, 100, NULL, &fm), NULL);
#if SIZE_MAX > UINT32_MAX
    CHECK_STATUS(ORDO_E_UNSUPPORTED, ordo_fm_build(ctx, text, (size_t)1 << 32, NULL, &fm), NULL);
#endif
    CHECK_STATUS(ORDO_E_ARG,
                 ordo_fm_build(ctx, text, 100, &ORDO_OPTS(ordo_fm_opts, .sample = 4097), &fm),
                 NULL);
    CHECK_STATUS(ORDO_E_VERSION,
                 ordo_fm_build(ctx, text, 100, &ORDO_OPTS(ordo_fm_opts, .flags = 64), &fm), NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_fm_count(ctx, NULL, text, falling, 1, counts), NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_fm_count(ctx, fm, text, falling, 2, counts), NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_fm_count(ctx, fm, NULL, falling, 1, counts), NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_fm_count(ctx, fm, text, falling, 1, NULL), NULL);
    CHECK_STATUS(ORDO_OK, ordo_fm_count(ctx, fm, NULL, NULL, 0, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_fm_locate(ctx, fm, text, falling, 1, NULL, NULL, 0), NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_fm_extract(ctx, fm, 101, 0, got), NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_fm_extract(ctx, fm, 50, 51, got), NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_fm_extract(ctx, fm, 50, 5, NULL), NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_fm_load(ctx, NULL, 10, &fm), NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_fm_view(ctx, NULL, 10, &fm), NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_fm_view(ctx, falling, sizeof falling, NULL), NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_fm_view(ctx, (const char *)falling + 1, 10, &fm), NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_fm_describe(NULL, &facts), NULL);
    CHECK(ordo_fm_data(NULL, NULL) == NULL);
    ordo_fm_free(fm);
    ordo_fm_free(NULL);
}

static void test_faults(void)
{
    test_allocator  allocator = {0};
    ordo_ctx *const ctx = CONTEXT(.where = ORDO_CPU, .threads = 1, ALLOCATOR(&allocator));
    ordo_fm        *fm = NULL;
    text_fill(13, text, MOST, 5);
    faults_attach(ctx);
    faults_cancel(0);
    CHECK_STATUS(ORDO_OK, ordo_fm_build(ctx, text, MOST, NULL, &fm), ctx);
    size_t const checks = faults_checks();
    ordo_fm_free(fm);
    for (size_t at = 1; at <= checks; at += 1 + checks / 30) {
        testkit_case("cancelled at check %zu", at);
        fm = NULL;
        faults_cancel(at);
        ordo_status const status = ordo_fm_build(ctx, text, MOST, NULL, &fm);
        CHECK(status == ORDO_OK ? fm != NULL && at > 1 : status == ORDO_E_CANCELLED && fm == NULL);
        ordo_fm_free(fm);
    }
    faults_cancel(0);
    faults_detach();
    ordo_ctx_free(ctx);
    bool enough = false;
    for (size_t at = 1; at < 200 && !enough; at++) {
        test_allocator refusing = {.fail_at = at};
        ordo_ctx      *scarce = NULL;
        testkit_case("allocation %zu refused", at);
        fm = NULL;
        if (ordo_ctx_create(&scarce, &ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CPU, .threads = 1,
                                                ALLOCATOR(&refusing))) == ORDO_OK) {
            ordo_status const status = ordo_fm_build(scarce, text, MOST, NULL, &fm);
            CHECK(status == ORDO_OK ? fm != NULL : status == ORDO_E_NOMEM && fm == NULL);
            ordo_fm_free(fm);
            ordo_ctx_free(scarce);
        }
        CHECK_EQ_U64(0, atomic_load(&refusing.live));
        enough = atomic_load(&refusing.refused) == 0;
    }
    CHECK(enough);
}

int main(void)
{
    testkit_start();
    for (size_t i = 0; i < CONTEXTS; i++)
        workers[i] = CONTEXT(.where = ORDO_CPU, .threads = thread_counts[i]);
    test_kinds();
    test_deep();
    test_size();
    test_damage();
    test_arguments();
    test_faults();
    for (size_t i = 0; i < CONTEXTS; i++)
        ordo_ctx_free(workers[i]);
    return testkit_done();
}
