/* test_sizes.c - sizes larger than any memory. Every size query, for every type, algorithm and
 * count around the powers of two, fails with ORDO_E_ARG or returns a size that has not overflowed.
 * Every call refuses arrays larger than memory before it touches them. */
#include "testkit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_COUNTS = 3 * 64 + 1,
    UNTOUCHED = 777,
    LAST_TYPE = ORDO_TYPES
};

static ordo_ctx *ctx;
static size_t    counts[MOST_COUNTS]; /* ascending */
static size_t    count_count;

static void make_counts(void)
{
    for (unsigned k = 0; k < 64; k++)
        for (size_t i = 0; i < 3; i++) {
            size_t const n = ((size_t)1 << k) - 1 + i;
            if (count_count == 0 || n > counts[count_count - 1])
                counts[count_count++] = n;
        }
    counts[count_count++] = SIZE_MAX;
}

/* ---- Size queries ---- */

typedef struct question {
    ordo_type type;
    uint32_t  algorithm;
    size_t    other;      /* bytes of a value or element, or number of positions; 0: n positions */
    ordo_type other_type; /* type of indices, ranks, counts or results */
    uint64_t  flags;
} question;

typedef ordo_status query(const question *ask, size_t n, size_t *bytes);

static ordo_sort_opts sort_opts(const question *ask)
{
    return ORDO_OPTS(ordo_sort_opts, .algorithm = ask->algorithm, .flags = ask->flags);
}

static ordo_status sort_query(const question *ask, size_t n, size_t *bytes)
{
    ordo_sort_opts const opts = sort_opts(ask);
    return ordo_sort_scratch(ctx, ask->type, n, &opts, bytes);
}

static ordo_status pairs_query(const question *ask, size_t n, size_t *bytes)
{
    ordo_sort_opts const opts = sort_opts(ask);
    return ordo_sort_pairs_scratch(ctx, ask->type, n, ask->other, &opts, bytes);
}

static ordo_status argsort_query(const question *ask, size_t n, size_t *bytes)
{
    ordo_sort_opts const opts = sort_opts(ask);
    return ordo_argsort_scratch(ctx, ask->type, n, ask->other_type, &opts, bytes);
}

static ordo_status rank_query(const question *ask, size_t n, size_t *bytes)
{
    ordo_rank_opts const opts =
        ORDO_OPTS(ordo_rank_opts, .algorithm = ask->algorithm, .flags = ask->flags);
    return ordo_rank_scratch(ctx, ask->type, n, ask->other_type, &opts, bytes);
}

static ordo_status rank_sorted_query(const question *ask, size_t n, size_t *bytes)
{
    ordo_rank_opts const opts = ORDO_OPTS(ordo_rank_opts, .algorithm = ask->algorithm,
                                          .flags = ask->flags, .ties = ORDO_TIES_DENSE);
    return ordo_rank_sorted_scratch(ctx, ask->type, n, ask->other_type, &opts, bytes);
}

static ordo_status select_query(const question *ask, size_t n, size_t *bytes)
{
    ordo_select_opts const opts =
        ORDO_OPTS(ordo_select_opts, .algorithm = ask->algorithm, .flags = ask->flags);
    return ordo_select_scratch(ctx, ask->type, n, ask->other != 0 ? ask->other : n, &opts, bytes);
}

static ordo_status topk_query(const question *ask, size_t n, size_t *bytes)
{
    ordo_select_opts const opts = ORDO_OPTS(ordo_select_opts, .flags = ask->flags);
    return ordo_topk_scratch(ctx, ask->type, n, ask->other != 0 ? ask->other : n, &opts, bytes);
}

static ordo_status scan_query(const question *ask, size_t n, size_t *bytes)
{
    ordo_scan_opts const opts = ORDO_OPTS(ordo_scan_opts, .flags = ask->flags);
    return ordo_scan_scratch(ctx, ORDO_SUM, ask->type, n, ask->type, &opts, bytes);
}

static ordo_status bits_query(const question *ask, size_t n, size_t *bytes)
{
    ordo_scan_opts const opts = ORDO_OPTS(ordo_scan_opts, .flags = ask->flags);
    return ordo_scan_bits_scratch(ctx, (ordo_flags_kind)ask->other, n, ORDO_U64, &opts, bytes);
}

static ordo_status partition_query(const question *ask, size_t n, size_t *bytes)
{
    ordo_partition_opts const opts = ORDO_OPTS(ordo_partition_opts, .flags = ask->flags);
    return ordo_partition_scratch(ctx, ORDO_FLAG_BITS, n, ask->other, &opts, bytes);
}

static ordo_status radius_query(const question *ask, size_t n, size_t *bytes)
{
    ordo_order_opts const opts =
        ORDO_OPTS(ordo_order_opts, .algorithm = ask->algorithm, .flags = ask->flags);
    return ordo_radius_scratch(ctx, ask->type, n, &opts, bytes);
}

/* Arrays up to 2^SAFE_SHIFT bytes must be accepted. */
enum {
    SAFE_SHIFT = 48,
    GROWTH_SHIFT = 40, /* from here on the scratch never shrinks as n grows */
    MOST_PER_BYTE = 128
};

/* Asks for every n. `least` and `most` are the bytes of an element in the smallest and in the
 * largest array of the call. From some n on, the query fails. */
static void ask_all(query *ask_one, const question *ask, size_t least, size_t most)
{
    size_t before = 0;
    bool   refused = false;
    for (size_t i = 0; i < count_count; i++) {
        size_t const      n = counts[i];
        size_t            bytes = UNTOUCHED;
        ordo_status const status = ask_one(ask, n, &bytes);
        testkit_case("n = %zu, %s, algorithm %u, %zu", n, ordo_type_name(ask->type), ask->algorithm,
                     ask->other);
        if (status != ORDO_OK) {
            refused = true;
            CHECK_STATUS(ORDO_E_ARG, status, ctx);
            CHECK(n * most > (size_t)1 << SAFE_SHIFT || n > SIZE_MAX / most);
            CHECK_EQ_U64(UNTOUCHED, bytes);
            CHECK(strstr(ordo_last_error(ctx), "memory can hold") != NULL);
            continue;
        }
        CHECK(!refused);
        CHECK(n <= SIZE_MAX / least);
        if (n >= (size_t)1 << GROWTH_SHIFT) {
            CHECK(bytes >= before);
            CHECK(bytes / MOST_PER_BYTE <= n * most);
            before = bytes;
        }
    }
    CHECK(refused);
}

static void ask_keys(void)
{
    static const size_t   several[] = {1, 3, 40, 1000000, 0};
    static const uint32_t selects[] = {ORDO_ALGORITHM_AUTO, ORDO_ALGORITHM_RADIX,
                                       ORDO_ALGORITHM_MERGE, ORDO_ALGORITHM_BITONIC};
    for (int t = ORDO_I8; t <= LAST_TYPE; t++) {
        ordo_type const type = (ordo_type)t;
        size_t const    size = ordo_type_size(type);
        for (uint32_t a = 0; a <= ORDO_ALGORITHM_WINDOWS; a++) {
            question ask = {type, a, 0, ORDO_U64, 0};
            if ((a != 0 && a < ORDO_ALGORITHM_RADIX) ||
                (a > ORDO_ALGORITHM_HALVING && a < ORDO_ALGORITHM_WINDOWS))
                continue;
            ask_all(sort_query, &ask, size, size);
            ask_all(argsort_query, &ask, size, 8);
            ask_all(rank_query, &ask, size, 8);
            for (ask.other = 1; ask.other <= 16; ask.other *= 2)
                ask_all(pairs_query, &ask, 1, size > ask.other ? size : ask.other);
        }
        for (size_t i = 0; i < sizeof several / sizeof *several; i++) {
            size_t const most = several[i] == 0 ? 8 : size;
            for (size_t a = 0; a < sizeof selects / sizeof *selects; a++)
                ask_all(select_query, &(question){type, selects[a], several[i], ORDO_U64, 0}, size,
                        most);
            ask_all(topk_query, &(question){type, 0, several[i], ORDO_U64, 0}, size, most);
        }
        for (uint32_t a = 0; a <= ORDO_ALGORITHM_THREADS; a++)
            ask_all(rank_sorted_query, &(question){type, a, 0, ORDO_F64, 0}, size, 8);
        for (uint32_t a = 0; a <= ORDO_ALGORITHM_SEQUENTIAL; a++)
            ask_all(radius_query, &(question){type, a, 0, ORDO_U64, 0}, size, size);
        ask_all(scan_query, &(question){type, 0, 0, ORDO_U64, 0}, size, size);
    }
    for (size_t size = 1; size <= 16; size++)
        ask_all(partition_query, &(question){ORDO_U8, 0, size, ORDO_U64, 0}, 1, size);
    ask_all(bits_query, &(question){ORDO_U8, 0, ORDO_FLAG_BYTES, ORDO_U64, 0}, 1, 1);
}

/* The sizes of arrays on a device are checked before a device is opened. */
static void ask_device(void)
{
    static const struct {
        query   *ask_one;
        question ask;
    } queries[] = {
        {sort_query, {ORDO_U64, 0, 0, ORDO_U64, ORDO_ON_DEVICE}},
        {pairs_query, {ORDO_U32, 0, 16, ORDO_U64, ORDO_ON_DEVICE}},
        {argsort_query, {ORDO_U8, 0, 0, ORDO_U64, ORDO_ON_DEVICE}},
        {rank_query, {ORDO_U8, 0, 0, ORDO_U64, ORDO_ON_DEVICE}},
        {rank_sorted_query, {ORDO_U8, 0, 0, ORDO_U64, ORDO_ON_DEVICE}},
        {select_query, {ORDO_U64, 0, 3, ORDO_U64, ORDO_ON_DEVICE}},
        {topk_query, {ORDO_U64, 0, 3, ORDO_U64, ORDO_ON_DEVICE}},
        {scan_query, {ORDO_F64, 0, 0, ORDO_U64, ORDO_ON_DEVICE}},
        {bits_query, {ORDO_U8, 0, ORDO_FLAG_BYTES, ORDO_U64, ORDO_ON_DEVICE}},
        {partition_query, {ORDO_U8, 0, 16, ORDO_U64, ORDO_ON_DEVICE}},
        {radius_query, {ORDO_U64, 0, 0, ORDO_U64, ORDO_ON_DEVICE}},
    };
    for (size_t q = 0; q < sizeof queries / sizeof *queries; q++)
        for (size_t i = 0; i < count_count; i++) {
            size_t bytes = UNTOUCHED;
            if (counts[i] < SIZE_MAX / 4)
                continue;
            testkit_case("device query %zu, n = %zu", q, counts[i]);
            CHECK_STATUS(ORDO_E_ARG, queries[q].ask_one(&queries[q].ask, counts[i], &bytes), ctx);
            CHECK_EQ_U64(UNTOUCHED, bytes);
        }
}

/* ---- Calls ---- */

/* Addresses without memory: a call that reads or writes before it refuses crashes. */
#define AT(place) ((void *)(UINT64_C(place) << 40))

static void refused_at(ordo_status status, int line)
{
    testkit_check_status(ORDO_E_ARG, status, ctx, __FILE__, line, "a call on huge arrays");
    testkit_check(ordo_last_error(ctx)[0] != '\0', __FILE__, line, "the error has a text");
}
#define REFUSED(call) refused_at((call), __LINE__)

static void call_with_keys(ordo_type type, size_t n)
{
    static const size_t few[1] = {0};
    static const double half[1] = {0.5};
    uint64_t            out[8];
    double              median;
    size_t              found;
    int                 sorted;

    REFUSED(ordo_sort(ctx, type, AT(1), n, NULL));
    REFUSED(ordo_sort(ctx, type, AT(1), n, &ORDO_OPTS(ordo_sort_opts, .source = AT(32))));
    REFUSED(ordo_sort_pairs(ctx, type, AT(1), n, AT(32), 1, NULL));
    REFUSED(ordo_sort_pairs(ctx, type, AT(1), n, AT(32), 16, NULL));
    REFUSED(ordo_argsort(ctx, type, AT(1), n, ORDO_U64, AT(32), NULL));
    REFUSED(ordo_rank(ctx, type, AT(1), n, ORDO_U64, AT(32), NULL));
    REFUSED(ordo_rank_sorted(ctx, type, AT(1), n, ORDO_F64, AT(32), NULL));
    REFUSED(ordo_scan(ctx, ORDO_MAX, type, AT(1), n, type, AT(32), NULL));
    REFUSED(ordo_is_sorted(ctx, type, AT(1), n, &sorted, NULL, NULL));
    REFUSED(ordo_radius(ctx, type, AT(1), n, &found, NULL));
    REFUSED(ordo_runs(ctx, type, AT(1), n, &found, NULL));
    REFUSED(ordo_select(ctx, type, AT(1), n, few, 1, out, NULL));
    REFUSED(ordo_select(ctx, type, AT(1), 100, AT(32), n, AT(64), NULL));
    REFUSED(ordo_quantiles(ctx, type, AT(1), n, half, 1, &median, NULL));
    REFUSED(ordo_quantiles(ctx, type, AT(1), 100, AT(32), n, AT(64), NULL));
    REFUSED(ordo_median(ctx, type, AT(1), n, &median, NULL));
    REFUSED(ordo_topk(ctx, type, AT(1), n, 3, out, ORDO_U64, out + 4, &found, NULL));
    REFUSED(ordo_topk(ctx, type, AT(1), n, n, AT(32), ORDO_U64, AT(64), &found, NULL));
    REFUSED(ordo_gen(ctx, ORDO_DIST_UNIFORM, type, AT(1), n, NULL));
}

static void call_with_others(size_t n)
{
    static const size_t few[1] = {0};
    ordo_strings const  strings = {sizeof strings, AT(1), AT(32), NULL};
    ordo_strings const  pointers = {.struct_size = sizeof pointers, .pointers = AT(1)};
    uint64_t            index[1];

    REFUSED(ordo_scan_bits(ctx, ORDO_FLAG_BYTES, AT(1), n, ORDO_U64, NULL, NULL, NULL));
    REFUSED(ordo_scan_bits(ctx, ORDO_FLAG_BITS, AT(1), n, ORDO_U64, AT(32), NULL, NULL));
    REFUSED(ordo_partition(ctx, ORDO_FLAG_BITS, AT(1), AT(32), n, 1, AT(64), NULL, NULL));
    REFUSED(ordo_partition(ctx, ORDO_FLAG_BYTES, AT(1), AT(32), n, 16, AT(64), NULL, NULL));
    REFUSED(ordo_copy(ctx, AT(1), AT(32), n));
    REFUSED(ordo_sort_by(ctx, AT(1), n, 1, test_never_compare, NULL, NULL));
    REFUSED(ordo_sort_by(ctx, AT(1), 1, n, test_never_compare, NULL, NULL));
    REFUSED(ordo_sort_by(ctx, AT(1), n, n, test_never_compare, NULL, NULL));
    REFUSED(ordo_gen_strings(ctx, ORDO_DIST_STRINGS, n, AT(1), NULL, 0, NULL));
    REFUSED(ordo_argsort_strings(ctx, &strings, n, ORDO_U64, AT(64), NULL));
    REFUSED(ordo_argsort_strings(ctx, &pointers, n, ORDO_U64, AT(64), NULL));
    REFUSED(ordo_rank_strings(ctx, &strings, n, ORDO_U64, AT(64), NULL));
    REFUSED(ordo_sort_strings(ctx, &strings, n, AT(64), AT(96), NULL));
    REFUSED(ordo_select_strings(ctx, &strings, n, few, 1, index, NULL));
    REFUSED(ordo_select_strings(ctx, &strings, 1, AT(64), n, AT(96), NULL));
    REFUSED(ordo_sort_pointers(ctx, AT(1), n, NULL));
}

static void test_calls(void)
{
    for (size_t i = 0; i < count_count; i++) {
        size_t const n = counts[i];
        if (n <= (size_t)1 << 56)
            continue;
        for (int type = ORDO_I8; type <= LAST_TYPE; type++) {
            testkit_case("%s, n = %zu", ordo_type_name((ordo_type)type), n);
            call_with_keys((ordo_type)type, n);
        }
        testkit_case("n = %zu", n);
        call_with_others(n);
    }
}

int main(void)
{
    testkit_start();
    make_counts();
    for (unsigned threads = 1; threads <= 4096; threads *= 64) {
        ctx = test_context_make(threads);
        ask_keys();
        if (threads == 1) {
            ask_device();
            test_calls();
        }
        ordo_ctx_free(ctx);
    }
    return testkit_done();
}
