/* test_cuda_text.c - text calls on a GPU: the bytes of the CPU for every kind of text, index type
 * and algorithm, in device and host memory; all short strings over two letters as many texts; wrong
 * suffix arrays and transforms, cancellation and a limit of device memory. ORDO_TEST_SMALL=1 takes
 * shorter texts, for compute-sanitizer; ORDO_TEST_SMALL=2 still shorter ones, for its race
 * checker; ORDO_TEST_SMALL=3 a few texts that reach each kernel, for its race checker in a
 * minute. */
#include "device.h"
#include "faults.h"
#include "kit/text/textkit.h"
#include "ordo_text.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST = 3 << 20,
    MSD_MOST = 255, /* bytes of repetitive texts for MSD, whose time is quadratic for them */
    TEXTS = 1 << 12
};

static long         small;
static uint8_t     *text, *bytes;
static uint32_t    *expected, *prefixes;
static uint64_t    *expected_wide, *got;
static device_array there_text, there_sa, there_lcp, there_bytes;

static size_t narrow(size_t n) { return n * sizeof(uint32_t); }
static size_t wide(size_t n) { return n * sizeof(uint64_t); }

static ordo_text_opts opts_of(uint32_t algorithm, const uint64_t *offsets, size_t count,
                              bool on_device)
{
    return ORDO_OPTS(ordo_text_opts, .flags = on_device ? ORDO_ON_DEVICE : 0,
                     .algorithm = algorithm, .offsets = offsets, .count = count,
                     .stream = on_device ? stream : NULL);
}

static void place(size_t n)
{
    device_place(&there_text, n, n % 5);
    device_place(&there_sa, wide(n), 8 * (n % 3));
    device_place(&there_lcp, wide(n), 8 * (n % 2));
    device_place(&there_bytes, n, n % 7);
    device_put(&there_text, text);
}

/* The same array with elements of 64 bits. */
static void widen(const uint32_t *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        expected_wide[i] = from[i];
}

static void same(const device_array *array, const void *host, size_t all, size_t size)
{
    CUDA_CHECK(cudaMemcpy(got, array->data, all, cudaMemcpyDeviceToHost));
    CHECK_BYTES(host, got, all, size);
    CHECK(device_intact(array));
}

/* Sorts on the device with both index types; there_sa then has u32. */
static void check_sorts(size_t n, uint32_t algorithm, const uint64_t *offsets, size_t count)
{
    const ordo_text_opts opts = opts_of(algorithm, offsets, count, true);
    device_overwrite(&there_sa);
    CHECK_STATUS(ORDO_OK,
                 ordo_suffix_array(gpu, there_text.data, n, ORDO_U64, there_sa.data, &opts), gpu);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    widen(expected, n);
    same(&there_sa, expected_wide, wide(n), sizeof *expected_wide);
    device_overwrite(&there_sa);
    CHECK_STATUS(ORDO_OK,
                 ordo_suffix_array(gpu, there_text.data, n, ORDO_U32, there_sa.data, &opts), gpu);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    same(&there_sa, expected, narrow(n), sizeof *expected);
}

/* The check and the common prefixes of there_sa. */
static void check_prefixes(size_t n, const uint64_t *offsets, size_t count)
{
    const ordo_text_opts opts = opts_of(0, offsets, count, true);
    const ordo_text_opts host = opts_of(0, offsets, count, false);
    CHECK_STATUS(ORDO_OK,
                 ordo_suffix_check(gpu, there_text.data, n, ORDO_U32, there_sa.data, &opts), gpu);
    CHECK_STATUS(ORDO_OK, ordo_lcp(cpu, text, n, ORDO_U32, expected, prefixes, &host), cpu);
    device_overwrite(&there_lcp);
    CHECK_STATUS(ORDO_OK,
                 ordo_lcp(gpu, there_text.data, n, ORDO_U32, there_sa.data, there_lcp.data, &opts),
                 gpu);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    same(&there_lcp, prefixes, narrow(n), sizeof *prefixes);
    widen(expected, n);
    CUDA_CHECK(cudaMemcpy(there_sa.data, expected_wide, wide(n), cudaMemcpyHostToDevice));
    device_settle();
    CHECK_STATUS(ORDO_OK,
                 ordo_suffix_check(gpu, there_text.data, n, ORDO_U64, there_sa.data, &opts), gpu);
    CHECK_STATUS(ORDO_OK,
                 ordo_lcp(gpu, there_text.data, n, ORDO_U64, there_sa.data, there_lcp.data, &opts),
                 gpu);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    widen(prefixes, n);
    same(&there_lcp, expected_wide, wide(n), sizeof *expected_wide);
}

/* The transform and its inverse. */
static void check_transform(size_t n, uint32_t algorithm)
{
    const ordo_text_opts opts = opts_of(algorithm, NULL, 0, true), back = opts_of(0, NULL, 0, true);
    uint64_t             primary = 0, found = 1;
    CHECK_STATUS(ORDO_OK, ordo_bwt(cpu, text, n, bytes, &primary, NULL), cpu);
    device_overwrite(&there_bytes);
    CHECK_STATUS(ORDO_OK, ordo_bwt(gpu, there_text.data, n, there_bytes.data, &found, &opts), gpu);
    CHECK_EQ_U64(primary, found);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    same(&there_bytes, bytes, n, 1);
    device_overwrite(&there_text);
    CHECK_STATUS(ORDO_OK, ordo_unbwt(gpu, there_bytes.data, n, found, there_text.data, &back), gpu);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    same(&there_text, text, n, 1);
}

static void check_text(size_t n, uint32_t algorithm)
{
    CHECK_STATUS(ORDO_OK, ordo_suffix_array(cpu, text, n, ORDO_U32, expected, NULL), cpu);
    place(n);
    check_sorts(n, algorithm, NULL, 0);
    check_prefixes(n, NULL, 0);
    check_transform(n, algorithm);
}

/* MSD takes 9 rounds for each byte of the longest repeat. */
static bool takes_msd(size_t kind, size_t n)
{
    return n <= (small != 0 ? 33 : kind < 9 || kind == 14 ? MSD_MOST : 10 * MSD_MOST);
}

static void check_msd(size_t n, const uint64_t *offsets, size_t count)
{
    const ordo_text_opts opts = opts_of(ORDO_TEXT_MSD, offsets, count, true);
    device_overwrite(&there_sa);
    CHECK_STATUS(ORDO_OK,
                 ordo_suffix_array(gpu, there_text.data, n, ORDO_U32, there_sa.data, &opts), gpu);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    same(&there_sa, expected, narrow(n), sizeof *expected);
}

static void test_kinds(void)
{
    static const size_t sizes[] = {1, 2, 3, 7, 8, 9, 33, 255, 1000, 3000, 20000, MOST / 3, MOST};
    size_t const        count = sizeof sizes / sizeof *sizes - (size_t)(2 * small);
    for (size_t kind = 0; kind < TEXT_KINDS; kind += (size_t)(1 + 3 * (small / 2)))
        for (size_t s = small > 1 ? 5 : 0; s < count; s++) {
            size_t const n = sizes[s];
            text_fill(kind, text, n, kind + 1000 * n);
            testkit_case("%s n=%zu", text_kind_name(kind), n);
            check_text(n, 0);
            testkit_case("%s n=%zu msd", text_kind_name(kind), n);
            if (takes_msd(kind, n))
                check_msd(n, NULL, 0);
        }
}

/* Random texts over 1 to 256 letters: every number of symbols in a key. */
static void test_alphabets(void)
{
    for (size_t letters = 1; letters <= 256; letters += small ? 85 : 1 + letters / 16) {
        test_rng     rng = {letters};
        size_t const n = 2000 + test_rng_below(&rng, 2000);
        for (size_t i = 0; i < n; i++)
            text[i] = (uint8_t)(256 - letters + test_rng_below(&rng, letters));
        testkit_case("%zu letters", letters);
        check_text(n, ORDO_TEXT_DOUBLING);
    }
}

/* Words that are repeated many times, with letters between that are less or greater, for the rounds
 * that split runs. */
static void test_runs(void)
{
    size_t const n = small ? 5000 : 400000;
    for (size_t period = 1; period <= (small ? 3 : 40); period += 1 + period / 4)
        for (size_t runs = 1; runs <= 64; runs *= 4) {
            test_rng rng = {period * 100 + runs};
            text_fill(11, text, period, period);
            for (size_t i = period; i < n; i++)
                text[i] = test_rng_below(&rng, n / runs) == 0 ? (uint8_t)test_rng_next(&rng)
                                                              : text[i - period];
            testkit_case("%zu runs of period %zu", runs, period);
            check_text(n, 0);
        }
}

/* One letter and a few others: almost all suffixes tie in many rounds. Their sorts have a few keys
 * less than the text, and just not the larger tiles of a sort of as many keys as the text has. */
static void test_nearly_equal(void)
{
    enum {
        LENGTH = (1 << 20) + 3,
        LETTERS = 5
    };
    for (size_t others = 0; others <= LETTERS; others += LETTERS) {
        memset(text, 'a', LENGTH);
        for (size_t i = 0; i < others; i++)
            text[LENGTH / (i + 2)] = (uint8_t)(i % 2 == 0 ? 'b' : 'A');
        testkit_case("nearly equal letters, %zu others", others);
        check_text(LENGTH, 0);
    }
}

static void check_many(size_t n, const uint64_t *offsets, size_t count, bool msd)
{
    const ordo_text_opts opts = opts_of(0, offsets, count, false);
    CHECK_STATUS(ORDO_OK, ordo_suffix_array(cpu, text, n, ORDO_U32, expected, &opts), cpu);
    place(n);
    check_sorts(n, 0, offsets, count);
    if (msd)
        check_msd(n, offsets, count);
    check_prefixes(n, offsets, count);
}

/* Every string over {a, b} of up to 10 letters, as many texts; then cut texts of every kind. */
static void test_many(void)
{
    static uint64_t offsets[TEXTS + 1];
    size_t          n = 0, count = 0;
    for (size_t length = 0; length <= (small ? 6 : 10); length++)
        for (uint32_t word = 0; word < 1u << length; word++) {
            for (size_t i = 0; i < length; i++)
                text[n++] = (uint8_t)('a' + (word >> i & 1));
            offsets[++count] = n;
        }
    testkit_case("all short strings");
    check_many(n, offsets, count, true);
    for (size_t kind = 0; kind < TEXT_KINDS; kind += (size_t)(1 + 4 * small))
        for (size_t texts = 1; texts < TEXTS; texts *= 9) {
            size_t const bytes_of = small ? 700 : 40000;
            text_fill(kind, text, bytes_of, kind);
            text_cut(offsets, texts, bytes_of, kind + texts);
            testkit_case("%zu texts, %s", texts, text_kind_name(kind));
            check_many(bytes_of, offsets, texts, false);
        }
}

/* Texts of 512 letters, as long as a chunk of positions, of which pairs repeat: a common prefix
 * ends where its text ends, although the texts behind agree too. */
static void test_equal_texts(void)
{
    enum {
        LETTERS = 512
    };
    static const uint8_t words[] = {0, 1, 2, 1, 2, 0, 1, 2, 0, 1, 1, 2};
    uint64_t             offsets[sizeof words + 1] = {0};
    for (size_t t = 0; t < sizeof words; t++) {
        test_rng rng = {words[t]};
        for (size_t i = 0; i < LETTERS; i++)
            text[t * LETTERS + i] = (uint8_t)('a' + test_rng_below(&rng, 4));
        offsets[t + 1] = (t + 1) * LETTERS;
    }
    testkit_case("equal texts");
    check_many(sizeof words * LETTERS, offsets, sizeof words, false);
}

/* Host arrays in a context for the GPU; no bytes at all. */
static void test_host(void)
{
    size_t const    n = small ? 5000 : 300000;
    uint32_t *const sa = (uint32_t *)got;
    uint64_t        primary = 0, found = 0;
    testkit_case("host arrays");
    text_fill(13, text, n, 3);
    CHECK_STATUS(ORDO_OK, ordo_suffix_array(cpu, text, n, ORDO_U32, expected, NULL), cpu);
    CHECK_STATUS(ORDO_OK, ordo_suffix_array(gpu, text, n, ORDO_U32, sa, NULL), gpu);
    CHECK_BYTES(expected, sa, narrow(n), sizeof *sa);
    CHECK_STATUS(ORDO_OK, ordo_suffix_check(gpu, text, n, ORDO_U32, sa, NULL), gpu);
    CHECK_STATUS(ORDO_OK, ordo_lcp(cpu, text, n, ORDO_U32, expected, prefixes, NULL), cpu);
    CHECK_STATUS(ORDO_OK, ordo_lcp(gpu, text, n, ORDO_U32, expected, sa, NULL), gpu);
    CHECK_BYTES(prefixes, sa, narrow(n), sizeof *sa);
    CHECK_STATUS(ORDO_OK, ordo_bwt(cpu, text, n, bytes, &primary, NULL), cpu);
    CHECK_STATUS(ORDO_OK, ordo_bwt(gpu, text, n, got, &found, NULL), gpu);
    CHECK_EQ_U64(primary, found);
    CHECK_BYTES(bytes, got, n, 1);
    CHECK_STATUS(ORDO_OK, ordo_unbwt(gpu, bytes, n, found, got, NULL), gpu);
    CHECK_BYTES(text, got, n, 1);
    testkit_case("no bytes");
    CHECK_STATUS(ORDO_OK, ordo_suffix_array(gpu, NULL, 0, ORDO_U32, NULL, NULL), gpu);
    CHECK_STATUS(ORDO_OK, ordo_bwt(gpu, NULL, 0, NULL, &primary, NULL), gpu);
    CHECK_EQ_U64(0, primary);
    testkit_case("induced sorting is not on the GPU");
    CHECK_STATUS(ORDO_E_UNSUPPORTED,
                 ordo_suffix_array(gpu, text, n, ORDO_U32, sa,
                                   &ORDO_OPTS(ordo_text_opts, .algorithm = ORDO_TEXT_INDUCED)),
                 NULL);
}

/* The check must find every kind of wrong array, and the inverse a wrong transform. */
static void test_wrong(void)
{
    enum {
        N = 60
    };
    for (size_t kind = 0; kind < TEXT_KINDS; kind += (size_t)(1 + 4 * small)) {
        uint32_t wrong[N];
        text_fill(kind, text, N, kind);
        CHECK_STATUS(ORDO_OK, ordo_suffix_array(cpu, text, N, ORDO_U32, expected, NULL), cpu);
        for (size_t i = 1; i < N; i += small ? 17 : 1) {
            testkit_case("%s, %zu wrong", text_kind_name(kind), i);
            memcpy(wrong, expected, sizeof wrong);
            wrong[i] = expected[i - 1];
            wrong[i - 1] = expected[i];
            CHECK_STATUS(ORDO_E_ORDER, ordo_suffix_check(gpu, text, N, ORDO_U32, wrong, NULL),
                         NULL);
            wrong[i - 1] = wrong[i];
            CHECK_STATUS(ORDO_E_ORDER, ordo_suffix_check(gpu, text, N, ORDO_U32, wrong, NULL),
                         NULL);
            wrong[i] = N;
            CHECK_STATUS(ORDO_E_ORDER, ordo_suffix_check(gpu, text, N, ORDO_U32, wrong, NULL),
                         NULL);
            CHECK_STATUS(ORDO_E_ARG, ordo_lcp(gpu, text, N, ORDO_U32, wrong, prefixes, NULL), NULL);
        }
    }
    testkit_case("no transform");
    text_fill(11, text, N, 1);
    size_t refused = 0;
    for (uint64_t primary = 1; primary <= N; primary++) {
        ordo_status const status = ordo_unbwt(gpu, text, N, primary, bytes, NULL);
        CHECK(status == ordo_unbwt(cpu, text, N, primary, bytes, NULL));
        refused += status == ORDO_E_ARG;
    }
    CHECK(refused > 0);
}

/* A seed of which a random start is the primary row, and a text whose walk meets the other starts
 * only in its last bytes: if two chains walked from the primary row, more chains would go on than
 * there is room for. `words` are where the text differs from random bytes. */
static void test_start_at_primary(void)
{
    enum {
        N = 2100,
        SEED = 8,
        PRIMARY = 1382
    };
    static const struct {
        size_t  at;
        uint8_t bytes[4];
    } words[] = {{0, {170, 128, 234, 79}},
                 {2054, {43, 141, 207, 111}},
                 {2062, {74, 218, 211, 183}},
                 {2070, {197, 174, 65, 237}},
                 {2078, {253, 210, 142, 10}}};
    ordo_ctx *ctx = NULL;
    uint64_t  state = 10 * SEED, primary = 0;
    testkit_case("a chain starts at the primary row");
    for (size_t i = 0; i < N; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        text[i] = (uint8_t)(state >> 56);
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        memcpy(text + words[i].at, words[i].bytes, sizeof words[i].bytes);
    CHECK_STATUS(ORDO_OK,
                 ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CUDA, .seed = SEED)),
                 NULL);
    CHECK_STATUS(ORDO_OK, ordo_bwt(cpu, text, N, bytes, &primary, NULL), cpu);
    CHECK_EQ_U64(PRIMARY, primary);
    CHECK_STATUS(ORDO_OK, ordo_unbwt(ctx, bytes, N, primary, got, NULL), ctx);
    CHECK_BYTES(text, got, N, 1);
    ordo_ctx_free(ctx);
}

static void test_faults(void)
{
    ordo_ctx *const ctx = device_context();
    ordo_ctx       *limited = NULL;
    size_t const    n = 20000;
    uint32_t *const sa = (uint32_t *)got;
    text_fill(0, text, n, 1);
    CHECK_STATUS(ORDO_OK, ordo_suffix_array(cpu, text, n, ORDO_U32, expected, NULL), cpu);
    faults_attach(ctx);
    faults_cancel(0);
    CHECK_STATUS(ORDO_OK, ordo_suffix_array(ctx, text, n, ORDO_U32, sa, NULL), ctx);
    size_t const checks = faults_checks();
    CHECK(checks > 3);
    for (size_t at = 1; at <= checks; at++) {
        testkit_case("cancelled at check %zu", at);
        faults_cancel(at);
        ordo_status const status = ordo_suffix_array(ctx, text, n, ORDO_U32, sa, NULL);
        CHECK(status == ORDO_E_CANCELLED || (status == ORDO_OK && at > 1)); /* too late */
    }
    faults_cancel(0);
    CHECK_STATUS(ORDO_OK, ordo_suffix_array(ctx, text, n, ORDO_U32, sa, NULL), ctx);
    CHECK_BYTES(expected, sa, narrow(n), sizeof *sa);
    faults_detach();
    ordo_ctx_free(ctx);

    testkit_case("limited device memory");
    CHECK_STATUS(ORDO_OK,
                 ordo_ctx_create(&limited, &ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CUDA,
                                                      .device_limit = 1 << 19)),
                 NULL);
    CHECK_STATUS(ORDO_E_NOMEM, ordo_suffix_array(limited, text, n, ORDO_U32, sa, NULL), limited);
    ordo_ctx_free(limited);
}

/* A text with groups of all sizes, one with runs, and many texts; each kernel runs. */
static void test_each_kernel(void)
{
    static const size_t kinds[] = {3, 10};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t const n = 3000;
        text_fill(kinds[i], text, n, 1);
        testkit_case("%s n=%zu", text_kind_name(kinds[i]), n);
        check_text(n, 0);
    }
    uint64_t const offsets[] = {0, 700, 700, 1500};
    text_fill(10, text, 1500, 2);
    testkit_case("3 texts");
    check_many(1500, offsets, 3, false);
    text_fill(10, text, 33, 3);
    CHECK_STATUS(ORDO_OK, ordo_suffix_array(cpu, text, 33, ORDO_U32, expected, NULL), cpu);
    place(33);
    testkit_case("msd");
    check_msd(33, NULL, 0);
}

static void test_all(void)
{
    test_kinds();
    test_alphabets();
    test_runs();
    if (small == 0)
        test_nearly_equal();
    test_many();
    test_equal_texts();
    test_host();
    test_wrong();
    test_start_at_primary();
    test_faults();
}

int main(void)
{
    device_start();
    const char *const wanted = getenv("ORDO_TEST_SMALL");
    small = wanted != NULL ? strtol(wanted, NULL, 10) : 0;
    text = test_keep(MOST);
    bytes = test_keep(MOST);
    expected = test_keep(narrow(MOST));
    prefixes = test_keep(narrow(MOST));
    expected_wide = test_keep(wide(MOST));
    got = test_keep(wide(MOST));
    there_text = device_make(MOST, 0);
    there_sa = device_make(wide(MOST), 0);
    there_lcp = device_make(wide(MOST), 0);
    there_bytes = device_make(MOST, 0);
    if (small == 3)
        test_each_kernel();
    else
        test_all();
    device_free(&there_text);
    device_free(&there_sa);
    device_free(&there_lcp);
    device_free(&there_bytes);
    return device_done();
}
