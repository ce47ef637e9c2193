/* test_refusals.c - what must be refused before any memory is touched: NULL, sizes that overflow,
 * arrays that overlap, types that cannot hold the answer. And what looks like it but is fine. */
#include "testkit.h"

#include <stdio.h>
#include <string.h>

enum {
    N = 64
};

static ordo_ctx *ctx;

/* Every refusal: the status, a text that names the argument. */
static void refused_at(ordo_status status, const char *word, int line)
{
    testkit_check_status(ORDO_E_ARG, status, ctx, __FILE__, line, word);
    char what[160];
    snprintf(what, sizeof what, "'%s' is in the error text \"%.100s\"", word, ordo_last_error(ctx));
    testkit_check(strstr(ordo_last_error(ctx), word) != NULL, __FILE__, line, what);
}
#define REFUSED(word, call) refused_at((call), (word), __LINE__)
#define FINE(call) CHECK_STATUS(ORDO_OK, (call), ctx)

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

/* n == 0 is ordinary, and then arrays may be NULL. */
static void test_nothing(void)
{
    uint64_t total = 7;
    size_t   first = 7, where = 7;
    int      sorted = 7;

    testkit_case("n == 0 with NULL arrays");
    FINE(ordo_rank_sorted(ctx, ORDO_F64, NULL, 0, ORDO_U32, NULL, NULL));
    FINE(ordo_scan(ctx, ORDO_MAX, ORDO_I16, NULL, 0, ORDO_I16, NULL, NULL));
    FINE(ordo_scan_bits(ctx, ORDO_FLAG_BITS, NULL, 0, ORDO_U32, NULL, &total, NULL));
    FINE(ordo_partition(ctx, ORDO_FLAG_BYTES, NULL, NULL, 0, 16, NULL, &first, NULL));
    FINE(ordo_is_sorted(ctx, ORDO_U8, NULL, 0, &sorted, &where, NULL));
    FINE(ordo_copy(ctx, NULL, NULL, 0));
    CHECK_EQ_U64(0, total);
    CHECK_EQ_U64(0, first);
    CHECK_EQ_U64(0, where);
    CHECK_EQ_U64(1, sorted);
}

/* Addresses where nothing is mapped: a call that reads or writes before it refuses crashes. */
static void test_huge(void)
{
    void *const a = (void *)(UINT64_C(1) << 40), *const b = (void *)(UINT64_C(1) << 44);
    void *const         c = (void *)(UINT64_C(3) << 44);
    static const size_t huge[] = {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 4, SIZE_MAX / 8 + 1};
    int                 sorted;
    size_t              bytes;

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
    }
    testkit_case("an array past the end of the address space");
    REFUSED("", ordo_is_sorted(ctx, ORDO_U8, a, SIZE_MAX, &sorted, NULL, NULL));
    REFUSED("", ordo_copy(ctx, b, a, SIZE_MAX));
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
}

/* Types and sizes that a verb does not take. */
static void test_types(void)
{
    static const double    keys[N];
    double                 out[2 * N];
    static const ordo_type no_ranks[] = {ORDO_I8,  ORDO_U8,  ORDO_I16, ORDO_U16,
                                         ORDO_I32, ORDO_I64, ORDO_F32};
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
        for (int from = ORDO_I8; from <= ORDO_F64; from++)
            for (int to = ORDO_I8; to <= ORDO_F64; to++) {
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
    REFUSED("elem_size",
            ordo_partition(ctx, ORDO_FLAG_BITS, "12345678", keys, N, 0, out, NULL, NULL));
    REFUSED("elem_size",
            ordo_partition(ctx, ORDO_FLAG_BITS, "12345678", keys, N, 17, out, NULL, NULL));
    REFUSED("elem_size",
            ordo_partition(ctx, ORDO_FLAG_BITS, "12345678", keys, N, SIZE_MAX, out, NULL, NULL));
}

static void test_overlap(void)
{
    static _Alignas(16) unsigned char at[64 * N];
    unsigned char *const              flags = at + 48 * N; /* far from the others */
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

int main(void)
{
    testkit_start();
    ctx = test_context_make(2);
    test_null();
    test_nothing();
    test_huge();
    test_types();
    test_overlap();
    ordo_ctx_free(ctx);
    return testkit_done();
}
