/* test_refusals.c - arguments that must be refused before any memory is touched: NULL, sizes that
 * overflow, overlapping or misaligned arrays, types that cannot hold the result, structs of unknown
 * size; and similar arguments that are valid. */
#include "ordo_machine.h"
#include "testkit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    N = 64
};

static ordo_ctx *ctx;

/* A refused call fails with ORDO_E_ARG and a text that contains the word, or any text for "". */
static void refused_at(ordo_status status, const char *word, int line)
{
    testkit_check_status(ORDO_E_ARG, status, ctx, __FILE__, line, word);
    char              what[200];
    const char *const text = ordo_last_error(ctx);
    snprintf(what, sizeof what, "'%s' is in the error text \"%.100s\"", word, text);
    testkit_check(text[0] != '\0' && strstr(text, word) != NULL, __FILE__, line, what);
}
#define REFUSED(word, call) refused_at((call), (word), __LINE__)
#define FINE(call) CHECK_STATUS(ORDO_OK, (call), ctx)

static void test_null_order(void)
{
    static uint32_t      keys[N], values[N];
    static const double  q[1] = {0.5};
    static const size_t  k[1] = {3};
    double               out[N];
    size_t               count = 7;
    ordo_sort_opts const opts = ORDO_OPTS(ordo_sort_opts, .algorithm = ORDO_ALGORITHM_MERGE);
    testkit_case("NULL arrays of the verbs of order");
    REFUSED("keys", ordo_sort(ctx, ORDO_U32, NULL, N, NULL));
    REFUSED("keys", ordo_sort(ctx, ORDO_U32, NULL, 1, &opts));
    REFUSED("keys", ordo_sort_pairs(ctx, ORDO_U32, NULL, N, values, 4, NULL));
    REFUSED("values", ordo_sort_pairs(ctx, ORDO_U32, keys, N, NULL, 4, NULL));
    REFUSED("keys", ordo_argsort(ctx, ORDO_U32, NULL, N, ORDO_U32, out, NULL));
    REFUSED("index", ordo_argsort(ctx, ORDO_U32, keys, N, ORDO_U32, NULL, NULL));
    REFUSED("base", ordo_sort_by(ctx, NULL, N, 4, test_never_compare, NULL, NULL));
    REFUSED("compare", ordo_sort_by(ctx, keys, N, 4, NULL, NULL, NULL));
    REFUSED("size", ordo_sort_by(ctx, keys, N, 0, test_never_compare, NULL, NULL));
    REFUSED("keys", ordo_rank(ctx, ORDO_U32, NULL, N, ORDO_U32, out, NULL));
    REFUSED("ranks", ordo_rank(ctx, ORDO_U32, keys, N, ORDO_U32, NULL, NULL));
    REFUSED("keys", ordo_radius(ctx, ORDO_U32, NULL, N, &count, NULL));
    REFUSED("radius", ordo_radius(ctx, ORDO_U32, keys, N, NULL, NULL));
    REFUSED("keys", ordo_runs(ctx, ORDO_U32, NULL, N, &count, NULL));
    REFUSED("runs", ordo_runs(ctx, ORDO_U32, keys, N, NULL, NULL));
    REFUSED("keys", ordo_select(ctx, ORDO_U32, NULL, N, k, 1, out, NULL));
    REFUSED("k", ordo_select(ctx, ORDO_U32, keys, N, NULL, 1, out, NULL));
    REFUSED("out", ordo_select(ctx, ORDO_U32, keys, N, k, 1, NULL, NULL));
    REFUSED("keys", ordo_quantiles(ctx, ORDO_U32, NULL, N, q, 1, out, NULL));
    REFUSED("q", ordo_quantiles(ctx, ORDO_U32, keys, N, NULL, 1, out, NULL));
    REFUSED("out", ordo_quantiles(ctx, ORDO_U32, keys, N, q, 1, NULL, NULL));
    REFUSED("keys", ordo_median(ctx, ORDO_U32, NULL, N, out, NULL));
    REFUSED("out", ordo_median(ctx, ORDO_U32, keys, N, NULL, NULL));
    REFUSED("keys", ordo_topk(ctx, ORDO_U32, NULL, N, 3, out, ORDO_U32, values, &count, NULL));
    REFUSED("bytes", ordo_sort_scratch(ctx, ORDO_U32, N, NULL, NULL));
    REFUSED("bytes", ordo_sort_pairs_scratch(ctx, ORDO_U32, N, 4, NULL, NULL));
    REFUSED("bytes", ordo_argsort_scratch(ctx, ORDO_U32, N, ORDO_U32, NULL, NULL));
    REFUSED("rank_type is f32; average ranks need f64",
            ordo_rank(ctx, ORDO_U32, keys, N, ORDO_F32, out,
                      &ORDO_OPTS(ordo_rank_opts, .ties = ORDO_TIES_AVERAGE)));
    REFUSED("bytes", ordo_rank_scratch(ctx, ORDO_U32, N, ORDO_U32, NULL, NULL));
    REFUSED("bytes", ordo_select_scratch(ctx, ORDO_U32, N, 1, NULL, NULL));
    REFUSED("bytes", ordo_topk_scratch(ctx, ORDO_U32, N, 1, NULL, NULL));
    REFUSED("bytes", ordo_radius_scratch(ctx, ORDO_U32, N, NULL, NULL));
    CHECK_EQ_U64(7, count);
    FINE(ordo_topk(ctx, ORDO_U32, keys, N, 3, NULL, ORDO_U32, NULL, &count, NULL));
    CHECK_EQ_U64(3, count);
    testkit_case("NULL context");
    CHECK_STATUS(ORDO_E_ARG, ordo_sort(NULL, ORDO_U32, keys, N, NULL), NULL);
    CHECK(strstr(ordo_last_error(NULL), "ctx") != NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_argsort(NULL, ORDO_U32, keys, N, ORDO_U32, out, NULL), NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_median(NULL, ORDO_U32, keys, N, out, NULL), NULL);
}

static void test_null_strings(void)
{
    static const char         bytes[] = "abcabc";
    static const uint64_t     offsets[] = {0, 1, 3, 6};
    static const char *const  pointers[] = {"a", "bc", "abc"};
    uint64_t                  out[8];
    char                      out_bytes[8];
    size_t const              k[1] = {1};
    ordo_strings const        whole = {sizeof whole, bytes, offsets, NULL};
    ordo_strings const        neither = {.struct_size = sizeof neither};
    ordo_strings const        both = {sizeof both, bytes, offsets, pointers};
    ordo_strings const        no_bytes = {sizeof no_bytes, NULL, offsets, NULL};
    ordo_strings const        no_offsets = {sizeof no_offsets, bytes, NULL, NULL};
    const ordo_strings *const bad[] = {NULL, &neither, &both, &no_bytes, &no_offsets};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        testkit_case("invalid strings, number %zu", i);
        REFUSED("", ordo_argsort_strings(ctx, bad[i], 3, ORDO_U32, out, NULL));
        REFUSED("", ordo_rank_strings(ctx, bad[i], 3, ORDO_U32, out, NULL));
        REFUSED("", ordo_sort_strings(ctx, bad[i], 3, out_bytes, out, NULL));
        REFUSED("", ordo_select_strings(ctx, bad[i], 3, k, 1, out, NULL));
    }
    testkit_case("NULL arrays of the verbs of strings");
    REFUSED("index", ordo_argsort_strings(ctx, &whole, 3, ORDO_U32, NULL, NULL));
    REFUSED("index_type", ordo_argsort_strings(ctx, &whole, 3, ORDO_F64, out, NULL));
    REFUSED("ranks", ordo_rank_strings(ctx, &whole, 3, ORDO_U32, NULL, NULL));
    REFUSED("out_bytes", ordo_sort_strings(ctx, &whole, 3, NULL, out, NULL));
    REFUSED("out_offsets", ordo_sort_strings(ctx, &whole, 3, out_bytes, NULL, NULL));
    REFUSED("pointers", ordo_sort_pointers(ctx, NULL, 3, NULL));
    REFUSED("k", ordo_select_strings(ctx, &whole, 3, NULL, 1, out, NULL));
    REFUSED("index", ordo_select_strings(ctx, &whole, 3, k, 1, NULL, NULL));
    FINE(ordo_argsort_strings(ctx, &whole, 3, ORDO_U64, out, NULL));
    CHECK(out[0] == 0 && out[1] == 2 && out[2] == 1);
}

static void test_null(void)
{
    static const int32_t keys[N];
    static unsigned char flags[N];
    uint32_t             out[N];
    uint64_t             total = 7;
    size_t               first = 7;
    int                  sorted;
    testkit_case("NULL arrays");
    REFUSED("sorted", ordo_rank_sorted(ctx, ORDO_I32, NULL, N, ORDO_U32, out, NULL));
    REFUSED("ranks", ordo_rank_sorted(ctx, ORDO_I32, keys, N, ORDO_U32, NULL, NULL));
    REFUSED("in", ordo_scan(ctx, ORDO_SUM, ORDO_I32, NULL, N, ORDO_I32, out, NULL));
    REFUSED("out", ordo_scan(ctx, ORDO_SUM, ORDO_I32, keys, N, ORDO_I32, NULL, NULL));
    REFUSED("flags", ordo_scan_bits(ctx, ORDO_FLAG_BITS, NULL, N, ORDO_U32, out, &total, NULL));
    REFUSED("flags", ordo_partition(ctx, ORDO_FLAG_BITS, NULL, keys, N, 4, out, &first, NULL));
    REFUSED("in", ordo_partition(ctx, ORDO_FLAG_BITS, flags, NULL, N, 4, out, &first, NULL));
    REFUSED("out", ordo_partition(ctx, ORDO_FLAG_BITS, flags, keys, N, 4, NULL, &first, NULL));
    REFUSED("keys", ordo_is_sorted(ctx, ORDO_I32, NULL, N, &sorted, NULL, NULL));
    REFUSED("sorted", ordo_is_sorted(ctx, ORDO_I32, keys, N, NULL, NULL, NULL));
    REFUSED("dst", ordo_copy(ctx, NULL, keys, sizeof keys));
    REFUSED("src", ordo_copy(ctx, out, NULL, sizeof out));
    REFUSED("bytes", ordo_rank_sorted_scratch(ctx, ORDO_I32, N, ORDO_U32, NULL, NULL));
    REFUSED("bytes", ordo_scan_scratch(ctx, ORDO_SUM, ORDO_I32, N, ORDO_I32, NULL, NULL));
    REFUSED("bytes", ordo_scan_bits_scratch(ctx, ORDO_FLAG_BITS, N, ORDO_U32, NULL, NULL));
    REFUSED("bytes", ordo_partition_scratch(ctx, ORDO_FLAG_BITS, N, 4, NULL, NULL));
    CHECK(total == 7 && first == 7);
    testkit_case("NULL context");
    CHECK_STATUS(ORDO_E_ARG, ordo_rank_sorted(NULL, ORDO_I32, keys, N, ORDO_U32, out, NULL), NULL);
    CHECK(strstr(ordo_last_error(NULL), "ctx") != NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_copy(NULL, out, keys, sizeof keys), NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_ctx_create(NULL, NULL), NULL);
    ordo_cancel(NULL);
}

/* With n == 0 arrays may be NULL. */
static void test_nothing(void)
{
    uint64_t total = 7;
    size_t   first = 7, where = 7, found = 7, radius = 7, runs = 7;
    double   median = 7;
    int      sorted = 7;
    testkit_case("n == 0 with NULL arrays");
    FINE(ordo_rank_sorted(ctx, ORDO_F64, NULL, 0, ORDO_U32, NULL, NULL));
    FINE(ordo_scan(ctx, ORDO_MAX, ORDO_I16, NULL, 0, ORDO_I16, NULL, NULL));
    FINE(ordo_scan_bits(ctx, ORDO_FLAG_BITS, NULL, 0, ORDO_U32, NULL, &total, NULL));
    FINE(ordo_partition(ctx, ORDO_FLAG_BYTES, NULL, NULL, 0, 16, NULL, &first, NULL));
    FINE(ordo_is_sorted(ctx, ORDO_U8, NULL, 0, &sorted, &where, NULL));
    FINE(ordo_copy(ctx, NULL, NULL, 0));
    FINE(ordo_sort(ctx, ORDO_F64, NULL, 0, NULL));
    FINE(ordo_sort_pairs(ctx, ORDO_F64, NULL, 0, NULL, 16, NULL));
    FINE(ordo_argsort(ctx, ORDO_F64, NULL, 0, ORDO_U32, NULL, NULL));
    FINE(ordo_sort_by(ctx, NULL, 0, 40, test_never_compare, NULL, NULL));
    FINE(ordo_rank(ctx, ORDO_F64, NULL, 0, ORDO_F64, NULL, NULL));
    FINE(ordo_select(ctx, ORDO_F64, NULL, 0, NULL, 0, NULL, NULL));
    FINE(ordo_quantiles(ctx, ORDO_F64, NULL, 0, NULL, 0, NULL, NULL));
    FINE(ordo_median(ctx, ORDO_F64, NULL, 0, &median, NULL));
    FINE(ordo_topk(ctx, ORDO_F64, NULL, 0, 5, NULL, ORDO_U32, NULL, &found, NULL));
    FINE(ordo_radius(ctx, ORDO_F64, NULL, 0, &radius, NULL));
    FINE(ordo_runs(ctx, ORDO_F64, NULL, 0, &runs, NULL));
    FINE(ordo_sort_pointers(ctx, NULL, 0, NULL));
    for (int a = ORDO_ALGORITHM_RADIX; a <= ORDO_ALGORITHM_WINDOWS; a++) {
        if (a > ORDO_ALGORITHM_HALVING && a < ORDO_ALGORITHM_WINDOWS)
            continue;
        ordo_sort_opts const opts = ORDO_OPTS(ordo_sort_opts, .algorithm = (uint32_t)a);
        FINE(ordo_sort(ctx, ORDO_I16, NULL, 0, &opts));
        FINE(ordo_argsort(ctx, ORDO_I16, NULL, 0, ORDO_U64, NULL, &opts));
    }
    CHECK(isnan(median));
    CHECK(found == 0 && radius == 0 && runs == 0);
    CHECK(total == 0 && first == 0 && where == 0);
    CHECK_EQ_U64(1, sorted);
}

/* Addresses without memory: a call that reads or writes before it refuses crashes. */
static void test_huge(void)
{
    void *const a = (void *)(UINT64_C(1) << 40), *const b = (void *)(UINT64_C(1) << 44);
    void *const         c = (void *)(UINT64_C(3) << 44);
    static const size_t huge[] = {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 4, SIZE_MAX / 8 + 1};
    int                 sorted;
    size_t              bytes;
    uint64_t            few[6];
    double              median;

    for (size_t i = 0; i < 4; i++) {
        size_t const n = huge[i];
        testkit_case("n = %zu", n);
        REFUSED("", ordo_rank_sorted(ctx, ORDO_F64, a, n, ORDO_U64, b, NULL));
        REFUSED("", ordo_rank_sorted(ctx, ORDO_U8, a, n, ORDO_F64, b, NULL));
        REFUSED("", ordo_scan(ctx, ORDO_SUM, ORDO_U64, a, n, ORDO_U64, b, NULL));
        REFUSED("", ordo_scan(ctx, ORDO_SUM, ORDO_U8, a, n, ORDO_U64, b, NULL));
        REFUSED("", ordo_scan_bits(ctx, ORDO_FLAG_BYTES, a, n, ORDO_U64, b, NULL, NULL));
        REFUSED("", ordo_scan_bits(ctx, ORDO_FLAG_BITS, a, n, ORDO_U64, b, NULL, NULL));
        REFUSED("", ordo_partition(ctx, ORDO_FLAG_BITS, a, b, n, 16, c, NULL, NULL));
        REFUSED("", ordo_is_sorted(ctx, ORDO_F64, a, n, &sorted, NULL, NULL));
        REFUSED("", ordo_sort(ctx, ORDO_F64, a, n, NULL));
        REFUSED("", ordo_sort_pairs(ctx, ORDO_U8, a, n, b, 8, NULL));
        REFUSED("", ordo_sort_pairs(ctx, ORDO_F64, a, n, b, 1, NULL));
        REFUSED("", ordo_argsort(ctx, ORDO_U8, a, n, ORDO_U64, b, NULL));
        REFUSED("", ordo_sort_by(ctx, a, n, 16, test_never_compare, NULL, NULL));
        REFUSED("", ordo_sort_by(ctx, a, 16, n, test_never_compare, NULL, NULL));
        REFUSED("", ordo_rank(ctx, ORDO_U8, a, n, ORDO_F64, b, NULL));
        REFUSED("", ordo_radius(ctx, ORDO_F64, a, n, &bytes, NULL));
        REFUSED("", ordo_runs(ctx, ORDO_F64, a, n, &bytes, NULL));
        REFUSED("", ordo_median(ctx, ORDO_F64, a, n, &median, NULL));
        REFUSED("", ordo_topk(ctx, ORDO_F64, a, n, 3, few, ORDO_U64, few + 3, NULL, NULL));
        REFUSED("", ordo_sort_pointers(ctx, a, n, NULL));
    }
    testkit_case("an array past the end of the address space");
    REFUSED("", ordo_is_sorted(ctx, ORDO_U8, a, SIZE_MAX, &sorted, NULL, NULL));
    REFUSED("", ordo_copy(ctx, b, a, SIZE_MAX));
    REFUSED("", ordo_sort(ctx, ORDO_U8, a, SIZE_MAX, NULL));
    REFUSED("", ordo_runs(ctx, ORDO_U8, a, SIZE_MAX, &bytes, NULL));
    REFUSED("", ordo_scan_bits(ctx, ORDO_FLAG_BYTES, a, SIZE_MAX, ORDO_U64, NULL, NULL, NULL));

    size_t const too_many = (size_t)UINT32_MAX + 1;
    testkit_case("2^32 elements in 32-bit results");
    for (uint32_t ties = ORDO_TIES_MIN; ties <= ORDO_TIES_ORDINAL; ties++) {
        ordo_rank_opts const opts = ORDO_OPTS(ordo_rank_opts, .ties = ties);
        REFUSED("n", ordo_rank_sorted(ctx, ORDO_U8, a, too_many, ORDO_U32, b, &opts));
        REFUSED("n", ordo_rank_sorted_scratch(ctx, ORDO_U8, too_many, ORDO_U32, &opts, &bytes));
    }
    REFUSED("n", ordo_scan_bits(ctx, ORDO_FLAG_BITS, a, too_many, ORDO_U32, b, NULL, NULL));
    REFUSED("n", ordo_scan_bits_scratch(ctx, ORDO_FLAG_BITS, too_many, ORDO_U32, NULL, &bytes));
    FINE(ordo_rank_sorted_scratch(ctx, ORDO_U8, too_many, ORDO_U64, NULL, &bytes));
    FINE(ordo_rank_sorted_scratch(ctx, ORDO_U8, UINT32_MAX, ORDO_U32, NULL, &bytes));
    REFUSED("n", ordo_rank(ctx, ORDO_U8, a, too_many, ORDO_U32, b, NULL));
    REFUSED("n", ordo_rank_scratch(ctx, ORDO_U8, too_many, ORDO_U32, NULL, &bytes));
    REFUSED("n", ordo_argsort(ctx, ORDO_U8, a, too_many + 1, ORDO_U32, b, NULL));
    REFUSED("n", ordo_argsort_scratch(ctx, ORDO_U8, too_many + 1, ORDO_U32, NULL, &bytes));
    FINE(ordo_argsort_scratch(ctx, ORDO_U8, too_many, ORDO_U32, NULL, &bytes));
    FINE(ordo_argsort_scratch(ctx, ORDO_U8, too_many + 1, ORDO_U64, NULL, &bytes));
    FINE(ordo_rank_scratch(ctx, ORDO_U8, too_many, ORDO_U64, NULL, &bytes));
    FINE(ordo_sort_scratch(ctx, ORDO_F64, too_many, NULL, &bytes));
}

/* Types and sizes that a verb does not take. */
static void test_types(void)
{
    static const double    keys[N];
    double                 out[2 * N];
    static const ordo_type no_ranks[] = {ORDO_I8,  ORDO_U8,  ORDO_I16, ORDO_U16,
                                         ORDO_I32, ORDO_I64, ORDO_F32};
    static const size_t    no_size[] = {0, 17, SIZE_MAX};
    ordo_rank_opts const   average = ORDO_OPTS(ordo_rank_opts, .ties = ORDO_TIES_AVERAGE);

    testkit_case("types that cannot hold the result");
    for (size_t i = 0; i < sizeof no_ranks / sizeof *no_ranks; i++) {
        REFUSED("rank_type", ordo_rank_sorted(ctx, ORDO_F64, keys, N, no_ranks[i], out, NULL));
        REFUSED("count_type",
                ordo_scan_bits(ctx, ORDO_FLAG_BITS, keys, N, no_ranks[i], out, NULL, NULL));
    }
    REFUSED("count_type", ordo_scan_bits(ctx, ORDO_FLAG_BITS, keys, N, ORDO_F64, out, NULL, NULL));
    REFUSED("rank_type", ordo_rank_sorted(ctx, ORDO_F64, keys, N, ORDO_U32, out, &average));
    REFUSED("rank_type", ordo_rank_sorted(ctx, ORDO_F64, keys, N, ORDO_U64, out, &average));
    FINE(ordo_rank_sorted(ctx, ORDO_F64, keys, N, ORDO_F64, out, &average));

    for (int op = ORDO_SUM; op <= ORDO_MAX; op++)
        for (int from = ORDO_I8; from <= ORDO_TYPES; from++)
            for (int to = ORDO_I8; to <= ORDO_TYPES; to++) {
                bool const is_signed = from % 2 == 1 && from < ORDO_F32;
                int const  wide = from >= ORDO_F32 ? ORDO_F64 : is_signed ? ORDO_I64 : ORDO_U64;
                testkit_case("scan op %d from %s to %s", op, ordo_type_name((ordo_type)from),
                             ordo_type_name((ordo_type)to));
                ordo_status const status =
                    ordo_scan(ctx, (ordo_op)op, (ordo_type)from, keys, N, (ordo_type)to, out, NULL);
                if (to == from || (op == ORDO_SUM && to == wide))
                    FINE(status);
                else
                    REFUSED("out_type", status);
            }
    testkit_case("element sizes of partition");
    for (size_t i = 0; i < sizeof no_size / sizeof *no_size; i++)
        REFUSED("elem_size", ordo_partition(ctx, ORDO_FLAG_BITS, "12345678", keys, N, no_size[i],
                                            out, NULL, NULL));
}

#define FOR_GPUS(call)                                                                             \
    do {                                                                                           \
        CHECK_STATUS(ORDO_E_UNSUPPORTED, call, ctx);                                               \
        CHECK(strstr(ordo_last_error(ctx), "runs only on a GPU") != NULL);                         \
    } while (0)

/* A radius of the sorts of k-sorted arrays must be below n, unless n is 0. */
static void refuse_radii(void *keys, void *out, uint32_t algorithm)
{
    static const uint64_t too_large[] = {N, N + 1, UINT64_MAX};
    static const char     expected[] = "expected less than 64, the number of keys";
    ordo_sort_opts        opts = ORDO_OPTS(ordo_sort_opts, .algorithm = algorithm, .radius = N - 1);
    if (algorithm != ORDO_ALGORITHM_INSERTION || testkit_on_device())
        FINE(ordo_sort(ctx, ORDO_U32, keys, N, &opts));
    for (size_t i = 0; i < sizeof too_large / sizeof *too_large; i++) {
        size_t bytes;
        opts.radius = too_large[i];
        FINE(ordo_sort(ctx, ORDO_U32, NULL, 0, &opts));
        REFUSED(expected, ordo_sort(ctx, ORDO_U32, keys, N, &opts));
        REFUSED(expected, ordo_sort_scratch(ctx, ORDO_U32, N, &opts, &bytes));
        REFUSED(expected, ordo_argsort(ctx, ORDO_U32, keys, N, ORDO_U32, out, &opts));
        REFUSED(expected, ordo_sort_pairs(ctx, ORDO_U32, keys, N, out, 4, &opts));
    }
}

/* Types and options of the calls that sort, argsort and rank. */
static void test_order_types(void)
{
    static uint32_t        keys[N];
    static const ordo_type no_index[] = {
        ORDO_I8,  ORDO_U8,  ORDO_I16, ORDO_U16,     ORDO_I32,
        ORDO_I64, ORDO_F32, ORDO_F64, (ordo_type)0, (ordo_type)(ORDO_TYPES + 1)};
    static const size_t  no_value[] = {0, 17, 32, SIZE_MAX};
    double               out[2 * N];
    size_t               bytes = 0;
    ordo_rank_opts const average = ORDO_OPTS(ordo_rank_opts, .ties = ORDO_TIES_AVERAGE);
    ordo_rank_opts const check = ORDO_OPTS(ordo_rank_opts, .flags = ORDO_CHECK);

    testkit_case("types and sizes the verbs of order do not take");
    for (size_t i = 0; i < sizeof no_index / sizeof *no_index; i++) {
        REFUSED("index_type", ordo_argsort(ctx, ORDO_U32, keys, N, no_index[i], out, NULL));
        REFUSED("index_type", ordo_argsort_scratch(ctx, ORDO_U32, N, no_index[i], NULL, &bytes));
        REFUSED("index_type",
                ordo_topk(ctx, ORDO_U32, keys, N, 3, NULL, no_index[i], out, NULL, NULL));
        if (no_index[i] != ORDO_F64)
            REFUSED("rank_type", ordo_rank(ctx, ORDO_U32, keys, N, no_index[i], out, NULL));
    }
    for (int type = -1; type <= ORDO_TYPES + 1; type += ORDO_TYPES + 2) {
        REFUSED("type", ordo_sort(ctx, (ordo_type)type, keys, N, NULL));
        REFUSED("type", ordo_sort_scratch(ctx, (ordo_type)type, N, NULL, &bytes));
        REFUSED("type", ordo_sort_pairs(ctx, (ordo_type)type, keys, N, out, 4, NULL));
        REFUSED("type", ordo_argsort(ctx, (ordo_type)type, keys, N, ORDO_U32, out, NULL));
        REFUSED("type", ordo_rank(ctx, (ordo_type)type, keys, N, ORDO_U32, out, NULL));
        REFUSED("type", ordo_radius(ctx, (ordo_type)type, keys, N, &bytes, NULL));
        REFUSED("type", ordo_runs(ctx, (ordo_type)type, keys, N, &bytes, NULL));
        REFUSED("type", ordo_median(ctx, (ordo_type)type, keys, N, out, NULL));
    }
    for (size_t i = 0; i < sizeof no_value / sizeof *no_value; i++) {
        REFUSED("value_size", ordo_sort_pairs(ctx, ORDO_U32, keys, N, out, no_value[i], NULL));
        REFUSED("value_size", ordo_sort_pairs_scratch(ctx, ORDO_U32, N, no_value[i], NULL, &bytes));
    }
    REFUSED("rank_type", ordo_rank(ctx, ORDO_U32, keys, N, ORDO_U64, out, &average));
    CHECK_STATUS(ORDO_E_VERSION, ordo_rank(ctx, ORDO_U32, keys, N, ORDO_U64, out, &check), ctx);

    for (uint32_t a = 0; a < 40; a++) {
        bool const for_gpus = a == ORDO_ALGORITHM_INSERTION || a == ORDO_ALGORITHM_GLOBAL;
        bool const sorts = a == 0 || (a >= ORDO_ALGORITHM_RADIX && a <= 10) || a == 14 || a == 21 ||
                           (for_gpus && testkit_on_device());
        ordo_sort_opts const sort = ORDO_OPTS(ordo_sort_opts, .algorithm = a);
        ordo_sort_opts const radius = ORDO_OPTS(ordo_sort_opts, .algorithm = a, .radius = 2);
        ordo_rank_opts const rank = ORDO_OPTS(ordo_rank_opts, .algorithm = a);
        testkit_case("algorithm %u", a);
        if (sorts) {
            FINE(ordo_sort(ctx, ORDO_U32, keys, N, &sort));
            FINE(ordo_sort_scratch(ctx, ORDO_U32, N, &sort, &bytes));
            FINE(ordo_rank(ctx, ORDO_U32, keys, N, ORDO_U32, out, &rank));
        } else if (for_gpus) {
            FOR_GPUS(ordo_sort(ctx, ORDO_U32, keys, N, &sort));
            FOR_GPUS(ordo_argsort(ctx, ORDO_U32, keys, N, ORDO_U32, out, &sort));
            FOR_GPUS(ordo_sort_pairs(ctx, ORDO_U32, keys, N, out, 4, &sort));
            FOR_GPUS(ordo_rank(ctx, ORDO_U32, keys, N, ORDO_U32, out, &rank));
        } else {
            REFUSED(a == 11 ? "naive does" : "algorithm", ordo_sort(ctx, ORDO_U32, keys, N, &sort));
            REFUSED("algorithm", ordo_sort_scratch(ctx, ORDO_U32, N, &sort, &bytes));
            REFUSED("algorithm", ordo_argsort(ctx, ORDO_U32, keys, N, ORDO_U32, out, &sort));
            REFUSED("algorithm", ordo_sort_pairs(ctx, ORDO_U32, keys, N, out, 4, &sort));
            REFUSED("algorithm", ordo_rank(ctx, ORDO_U32, keys, N, ORDO_U32, out, &rank));
        }
        if (a == ORDO_ALGORITHM_ROUGH || a == ORDO_ALGORITHM_HALVING ||
            a == ORDO_ALGORITHM_WINDOWS || a == ORDO_ALGORITHM_INSERTION)
            refuse_radii(keys, out, a);
        else
            REFUSED("", ordo_sort(ctx, ORDO_U32, keys, N, &radius));
    }
    for (unsigned bit = 0; bit < 64; bit++) {
        uint64_t const       flag = UINT64_C(1) << bit;
        ordo_sort_opts const opts = ORDO_OPTS(ordo_sort_opts, .flags = flag);
        ordo_status const    expected =
            (flag & (ORDO_DESCENDING | ORDO_STABLE)) != 0 ? ORDO_OK : ORDO_E_VERSION;
        if (flag == ORDO_ON_DEVICE) /* test_options.c tests it for every call */
            continue;
        testkit_case("ordo_sort with flag 0x%llx", (unsigned long long)flag);
        CHECK_STATUS(expected, ordo_sort(ctx, ORDO_U32, keys, N, &opts), ctx);
        CHECK_STATUS(expected, ordo_argsort(ctx, ORDO_U32, keys, N, ORDO_U32, out, &opts), ctx);
    }
}

static void test_order_overlap(void)
{
    static _Alignas(16) unsigned char at[32 * N];
    static unsigned char              before[sizeof at];
    for (size_t i = 0; i < sizeof at; i++)
        at[i] = (unsigned char)(i * 89 >> 3);
    memcpy(before, at, sizeof at);

    testkit_case("overlap in the verbs of order");
    REFUSED("overlap", ordo_sort_pairs(ctx, ORDO_U32, at, N, at, 4, NULL));
    REFUSED("overlap", ordo_sort_pairs(ctx, ORDO_U32, at, N, at + 4 * N - 1, 4, NULL));
    REFUSED("overlap", ordo_sort_pairs(ctx, ORDO_U32, at + 8 * N - 4, N, at, 8, NULL));
    REFUSED("overlap", ordo_argsort(ctx, ORDO_U32, at, N, ORDO_U32, at, NULL));
    REFUSED("overlap", ordo_argsort(ctx, ORDO_U8, at + 8 * N - 1, N, ORDO_U64, at, NULL));
    REFUSED("overlap", ordo_rank(ctx, ORDO_U32, at, N, ORDO_U32, at + 4, NULL));
    REFUSED("overlap", ordo_rank(ctx, ORDO_U8, at + 7, N, ORDO_F64, at, NULL));
    CHECK_BYTES(before, at, sizeof at, 1);

    testkit_case("neighbours in the verbs of order");
    FINE(ordo_sort_pairs(ctx, ORDO_U32, at, N, at + 4 * N, 16, NULL));
    FINE(ordo_sort_pairs(ctx, ORDO_U32, at + 4 * N, N, at, 4, NULL));
    FINE(ordo_argsort(ctx, ORDO_U32, at, N, ORDO_U64, at + 4 * N, NULL));
    FINE(ordo_rank(ctx, ORDO_U8, at + 8 * N, N, ORDO_F64, at, NULL));
}

static void test_overlap(void)
{
    static _Alignas(16) unsigned char at[64 * N];
    unsigned char *const              flags = at + 48 * N; /* apart from the other arrays */
    static unsigned char              before[sizeof at];
    memset(at, 0, sizeof at);
    memcpy(before, at, sizeof at);

    testkit_case("overlap");
    REFUSED("overlap", ordo_rank_sorted(ctx, ORDO_U32, at, N, ORDO_U32, at, NULL));
    REFUSED("overlap", ordo_rank_sorted(ctx, ORDO_U32, at, N, ORDO_U32, at + 4, NULL));
    REFUSED("overlap", ordo_rank_sorted(ctx, ORDO_U32, at + 4, N, ORDO_U32, at, NULL));
    REFUSED("overlap", ordo_rank_sorted(ctx, ORDO_U8, at + 8 * N - 1, N, ORDO_F64, at, NULL));
    REFUSED("overlap", ordo_scan(ctx, ORDO_SUM, ORDO_U32, at, N, ORDO_U64, at, NULL));
    REFUSED("overlap", ordo_scan(ctx, ORDO_SUM, ORDO_U32, at, N, ORDO_U32, at + 4, NULL));
    REFUSED("overlap", ordo_scan(ctx, ORDO_MAX, ORDO_U32, at + 4, N, ORDO_U32, at, NULL));
    REFUSED("overlap", ordo_scan_bits(ctx, ORDO_FLAG_BYTES, at, N, ORDO_U32, at, NULL, NULL));
    REFUSED("overlap",
            ordo_scan_bits(ctx, ORDO_FLAG_BITS, at + 4 * N - 1, N, ORDO_U32, at, NULL, NULL));
    REFUSED("overlap", ordo_partition(ctx, ORDO_FLAG_BYTES, flags, at, N, 3, at, NULL, NULL));
    REFUSED("overlap",
            ordo_partition(ctx, ORDO_FLAG_BYTES, flags, at, N, 3, at + 3 * N - 1, NULL, NULL));
    REFUSED("overlap",
            ordo_partition(ctx, ORDO_FLAG_BYTES, at + N - 1, at + 8 * N, N, 1, at, NULL, NULL));
    REFUSED("overlap", ordo_copy(ctx, at + 1, at, N));
    REFUSED("overlap", ordo_copy(ctx, at, at + N - 1, N));
    CHECK_BYTES(before, at, sizeof at, 1);

    testkit_case("neighbours, and inputs that share memory");
    FINE(ordo_rank_sorted(ctx, ORDO_U32, at, N, ORDO_U32, at + 4 * N, NULL));
    FINE(ordo_rank_sorted(ctx, ORDO_U8, at + 8 * N, N, ORDO_F64, at, NULL));
    FINE(ordo_scan(ctx, ORDO_SUM, ORDO_U32, at, N, ORDO_U64, at + 4 * N, NULL));
    FINE(ordo_scan(ctx, ORDO_SUM, ORDO_U32, at, N, ORDO_U32, at, NULL));
    FINE(ordo_scan_bits(ctx, ORDO_FLAG_BITS, at + 4 * N, N, ORDO_U32, at, NULL, NULL));
    FINE(ordo_partition(ctx, ORDO_FLAG_BYTES, at, at + 1, N, 2, at + 8 * N, NULL, NULL));
    FINE(ordo_partition(ctx, ORDO_FLAG_BYTES, at + 2 * N, at, N, 1, at + N, NULL, NULL));
    FINE(ordo_copy(ctx, at + N, at, N));
}

/* Arrays at addresses that are not a multiple of their element size. */
static void test_misaligned(void)
{
    static _Alignas(16) unsigned char at[64 * N];
    static unsigned char              before[sizeof at];
    void *const odd = at + 1, *const far = at + 32 * N;
    uint64_t *const    odd_words = (void *)((char *)far + 4);
    ordo_strings const offsets = {sizeof offsets, "a", odd_words, NULL};
    ordo_strings const fine = {sizeof fine, "a", (uint64_t *)far, NULL};
    double             one;
    size_t             count;
    int                sorted;
    memcpy(before, at, sizeof at);

    for (int t = ORDO_I16; t <= ORDO_TYPES; t++) {
        ordo_type const type = (ordo_type)t;
        testkit_case("misaligned %s", ordo_type_name(type));
        REFUSED("multiple of", ordo_sort(ctx, type, odd, N, NULL));
        REFUSED("opts.source",
                ordo_sort(ctx, type, far, N, &ORDO_OPTS(ordo_sort_opts, .source = odd)));
        REFUSED("keys", ordo_sort_pairs(ctx, type, odd, N, far, 1, NULL));
        REFUSED("keys", ordo_argsort(ctx, type, odd, N, ORDO_U32, far, NULL));
        REFUSED("keys", ordo_rank(ctx, type, odd, N, ORDO_U32, far, NULL));
        REFUSED("sorted", ordo_rank_sorted(ctx, type, odd, N, ORDO_U32, far, NULL));
        REFUSED("in", ordo_scan(ctx, ORDO_MAX, type, odd, N, type, far, NULL));
        REFUSED("out", ordo_scan(ctx, ORDO_MAX, type, far, N, type, odd, NULL));
        REFUSED("keys", ordo_is_sorted(ctx, type, odd, N, &sorted, NULL, NULL));
        REFUSED("keys", ordo_radius(ctx, type, odd, N, &count, NULL));
        REFUSED("keys", ordo_runs(ctx, type, odd, N, &count, NULL));
        REFUSED("keys", ordo_median(ctx, type, odd, N, &one, NULL));
        REFUSED("values", ordo_topk(ctx, type, far, N, 3, odd, ORDO_U32, NULL, NULL, NULL));
        REFUSED("out", ordo_gen(ctx, ORDO_DIST_UNIFORM, type, odd, N, NULL));
    }
    testkit_case("misaligned indices, positions and offsets");
    REFUSED("index", ordo_argsort(ctx, ORDO_U8, at, N, ORDO_U64, odd_words, NULL));
    REFUSED("ranks", ordo_rank(ctx, ORDO_U8, at, N, ORDO_F64, odd_words, NULL));
    REFUSED("counts", ordo_scan_bits(ctx, ORDO_FLAG_BITS, at, N, ORDO_U64, odd_words, NULL, NULL));
    REFUSED("k", ordo_select(ctx, ORDO_U8, at, N, (size_t *)odd_words, 1, far, NULL));
    REFUSED("q", ordo_quantiles(ctx, ORDO_U8, at, N, (void *)odd_words, 1, &one, NULL));
    REFUSED("offsets", ordo_argsort_strings(ctx, &offsets, 1, ORDO_U32, at, NULL));
    REFUSED("index", ordo_argsort_strings(ctx, &fine, 1, ORDO_U32, odd, NULL));
    REFUSED("pointers", ordo_sort_pointers(ctx, (const char **)odd_words, 1, NULL));
    REFUSED("offsets", ordo_gen_strings(ctx, ORDO_DIST_STRINGS, 1, odd_words, NULL, 0, NULL));
    CHECK_BYTES(before, at, sizeof at, 1);

    testkit_case("arrays that need no alignment");
    FINE(ordo_sort_pairs(ctx, ORDO_U32, at, N, (char *)far + 1, 8, NULL));
    FINE(ordo_partition(ctx, ORDO_FLAG_BITS, odd, at + 3, N, 8, (char *)far + 1, NULL, NULL));
    FINE(ordo_copy(ctx, (char *)far + 1, odd, N));
    FINE(ordo_sort(ctx, ORDO_U64, odd, 0, NULL));
}

/* Calls that fill a struct of the caller. */
static void test_structs(void)
{
    static const size_t sizes[] = {0, 1, sizeof(size_t) - 1, 5000, SIZE_MAX};
    ordo_info           info;
    ordo_report         report;
    ordo_cost           cost;

    testkit_case("NULL structs");
    REFUSED("out is NULL", ordo_ctx_info(ctx, NULL));
    REFUSED("out is NULL", ordo_last_report(ctx, NULL));
    REFUSED("out is NULL", ordo_calibration_cost(ctx, 0, NULL));
    CHECK_STATUS(ORDO_E_ARG, ordo_ctx_info(NULL, &info), NULL);
    CHECK(strstr(ordo_last_error(NULL), "ctx is NULL") != NULL);
    CHECK_STATUS(ORDO_E_ARG, ordo_last_report(NULL, &report), NULL);
    CHECK_EQ_U64(0, ordo_last_profile(NULL, NULL, 0));
    CHECK_EQ_U64(0, ordo_last_profile(ctx, NULL, 5));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        testkit_case("structs of %zu bytes", sizes[i]);
        info.struct_size = report.struct_size = cost.struct_size = sizes[i];
        REFUSED("struct_size", ordo_ctx_info(ctx, &info));
        REFUSED("struct_size", ordo_last_report(ctx, &report));
        REFUSED("struct_size", ordo_calibration_cost(ctx, 0, &cost));
    }
    cost.struct_size = sizeof cost;
    REFUSED("i is 1000; expected at most", ordo_calibration_cost(ctx, 1000, &cost));
    FINE(ordo_calibration_cost(ctx, 0, &cost));
}

/* Algorithms of scans: unknown ones, those for other operations and types, and those of GPUs. */
static void test_scan_algorithms(void)
{
    static uint32_t keys[N], out[N];
    uint64_t        total = 7;
    size_t          scratch = 7;

    for (uint32_t a = 1; a <= ORDO_ALGORITHM_SHARED + 1; a++) {
        ordo_scan_opts const opts = ORDO_OPTS(ordo_scan_opts, .algorithm = a);
        testkit_case("scan by algorithm %u", a);
        if (a != ORDO_ALGORITHM_BALLOT && a != ORDO_ALGORITHM_SHARED)
            REFUSED("expected auto, ballot or shared",
                    ordo_scan_bits(ctx, ORDO_FLAG_BYTES, keys, N, ORDO_U32, out, &total, &opts));
        else if (!testkit_on_device()) {
            FOR_GPUS(ordo_scan_bits(ctx, ORDO_FLAG_BYTES, keys, N, ORDO_U32, out, &total, &opts));
            FOR_GPUS(ordo_scan_bits_scratch(ctx, ORDO_FLAG_BYTES, N, ORDO_U32, &opts, &scratch));
            if (a == ORDO_ALGORITHM_BALLOT)
                FOR_GPUS(ordo_scan_scratch(ctx, ORDO_SUM, ORDO_U32, N, ORDO_U32, &opts, &scratch));
            CHECK_EQ_U64(7, scratch);
        }
        if (a != ORDO_ALGORITHM_BALLOT)
            REFUSED("expected auto or ballot",
                    ordo_scan(ctx, ORDO_SUM, ORDO_U32, keys, N, ORDO_U32, out, &opts));
    }
    ordo_scan_opts const ballot = ORDO_OPTS(ordo_scan_opts, .algorithm = ORDO_ALGORITHM_BALLOT);
    testkit_case("scan by ballots");
    for (int type = ORDO_I8; type <= ORDO_TYPES; type++)
        if (type != ORDO_I32 && type != ORDO_U32)
            REFUSED("ballot", ordo_scan(ctx, ORDO_SUM, (ordo_type)type, keys, N / 2,
                                        (ordo_type)type, out, &ballot));
    REFUSED("ballot", ordo_scan(ctx, ORDO_SUM, ORDO_U32, keys, N / 2, ORDO_U64, out, &ballot));
    REFUSED("ballot", ordo_scan(ctx, ORDO_MAX, ORDO_U32, keys, N, ORDO_U32, out, &ballot));
    if (!testkit_on_device())
        FOR_GPUS(ordo_scan(ctx, ORDO_SUM, ORDO_U32, keys, N, ORDO_U32, out, &ballot));
    CHECK(total == 7 && out[0] == 0);
}

int main(void)
{
    testkit_start();
    ctx = test_context_make(2);
    test_null();
    test_null_order();
    test_null_strings();
    test_nothing();
    test_huge();
    test_types();
    test_order_types();
    test_overlap();
    test_order_overlap();
    test_misaligned();
    test_structs();
    test_scan_algorithms();
    ordo_ctx_free(ctx);
    return testkit_done();
}
