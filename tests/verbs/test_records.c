/* test_records.c - ordo_sort_records, ordo_gather and ordo_scatter: every key type, element sizes,
 * unaligned keys, both directions, too little memory, cancellation and wrong arguments.
 *
 * An element holds its index after the key, as far as it fits, and bytes that depend on the index.
 * After every call, also a failed one, the array must contain the same elements. */
#include "faults.h"
#include "inputs.h"
#include "oracle.h"
#include "testkit.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST = 4000,
    MOST_BYTES = 1 << 19
};

typedef struct struct_array {
    ordo_type type;
    size_t    n, size, offset;
    bool      descending;
    char     *keys, *input, *data, *expected;
} struct_array;

static char keys[MOST * 8], input[MOST_BYTES], expected[MOST_BYTES], unaligned[MOST_BYTES + 1];

static struct_array make(size_t shape, ordo_type type, size_t n, size_t size, size_t offset)
{
    struct_array const a = {type, n, size, offset, false, keys, input, unaligned + 1, expected};
    size_t const       key_size = ordo_type_size(type);
    inputs_fill(shape, type, a.keys, n, n + size);
    for (size_t i = 0; i < n; i++) {
        for (size_t b = 0; b < size; b++)
            a.input[i * size + b] = (char)(b < 8 ? i >> 8 * b : i * 7 + b);
        memcpy(a.input + i * size + offset, a.keys + i * key_size, key_size);
    }
    memcpy(a.data, a.input, n * size);
    return a;
}

static int key_order(const void *user, size_t i, size_t j)
{
    const struct_array *const a = user;
    return oracle_compare(a->type, a->keys, i, a->keys, j, a->descending);
}

static void expect(const struct_array *a)
{
    uint64_t *const order = test_need((a->n + 1) * sizeof *order);
    oracle_order(a->n, order, key_order, a);
    oracle_gather(a->input, a->size, order, a->n, a->expected);
    free(order);
}

static ordo_status sort(ordo_ctx *ctx, const struct_array *a)
{
    ordo_sort_opts const opts =
        ORDO_OPTS(ordo_sort_opts, .flags = a->descending ? ORDO_DESCENDING : 0);
    return ordo_sort_records(ctx, a->data, a->n, a->size, a->offset, a->type, &opts);
}

static void test_all(void)
{
    static const size_t ns[] = {0, 1, 2, 3, 17, 100, 513, 1000, MOST};
    static const size_t sizes[] = {1,  2,  3,  4,  8,  9,  12,  16,  24, 31,
                                   32, 40, 48, 63, 64, 65, 130, 256, 257};
    size_t              turn = 0;
    for (size_t t = 0; t < INPUTS_TYPES; t++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (size_t i = 0; i < sizeof ns / sizeof *ns; i++, turn++) {
                ordo_type const type = inputs_types[t];
                size_t const    key_size = ordo_type_size(type), size = sizes[s];
                if (size < key_size || ns[i] * size > MOST_BYTES || !testkit_run_case(3))
                    continue;
                struct_array a =
                    make(turn % inputs_count(), type, ns[i], size, turn % (size - key_size + 1));
                a.descending = turn % 2 != 0;
                expect(&a);
                testkit_case("%s n=%zu size=%zu offset=%zu turn=%zu", ordo_type_name(type), ns[i],
                             size, a.offset, turn);
                ordo_ctx *const ctx = next_context()->ctx;
                CHECK_STATUS(ORDO_OK, sort(ctx, &a), ctx);
                CHECK_BYTES(a.expected, a.data, a.n * size, size);
            }
}

static void test_large_elements(void)
{
    for (size_t size = 600; size <= 9000; size *= 3) {
        struct_array const a = make(size % inputs_count(), ORDO_F64, MOST_BYTES / size, size, 77);
        expect(&a);
        testkit_case("size=%zu", size);
        ordo_ctx *const ctx = next_context()->ctx;
        CHECK_STATUS(ORDO_OK, sort(ctx, &a), ctx);
        CHECK_BYTES(a.expected, a.data, a.n * size, size);
    }
}

/* Every shape reaches the buckets. */
static void test_shapes(void)
{
    for (size_t shape = 0; shape < inputs_count(); shape++) {
        ordo_type const    type = shape % 2 != 0 ? ORDO_F32 : ORDO_I64;
        struct_array const a = make(shape, type, MOST, 20, 5);
        expect(&a);
        testkit_case("shape %s", inputs_name(shape));
        ordo_ctx *const ctx = next_context()->ctx;
        CHECK_STATUS(ORDO_OK, sort(ctx, &a), ctx);
        CHECK_BYTES(a.expected, a.data, a.n * a.size, a.size);
    }
}

/* Keys that agree in their high bits, or that tie: the order of such elements is settled by the
 * low bits, or by the place in the array. */
static void test_low_bits(void)
{
    for (size_t turn = 0; turn < 40; turn++) {
        size_t const n = 2 + turn * 37, few = turn % 4 == 0 ? 1 : turn % 4 == 1 ? 7 : 1000;
        struct_array a = make(0, ORDO_U64, n, 24, turn % 17);
        for (size_t i = 0; i < n; i++) {
            uint64_t const mixed = (i + turn) * UINT64_C(0x9e3779b97f4a7c15);
            uint64_t const key = (mixed >> 61) << 60 | (turn < 20 ? mixed >> 32 : n - i) % few;
            memcpy(a.keys + i * sizeof key, &key, sizeof key);
            memcpy(a.input + i * a.size + a.offset, &key, sizeof key);
        }
        memcpy(a.data, a.input, n * a.size);
        a.descending = turn % 3 == 0;
        expect(&a);
        testkit_case("low bits n=%zu turn=%zu", n, turn);
        ordo_ctx *const ctx = next_context()->ctx;
        CHECK_STATUS(ORDO_OK, sort(ctx, &a), ctx);
        CHECK_BYTES(a.expected, a.data, n * a.size, a.size);
    }
}

/* ---- Faults ---- */

static size_t order_size;
static int    order_bytes(const void *x, const void *y) { return memcmp(x, y, order_size); }

static bool same_elements(const struct_array *a)
{
    char *const x = test_need(a->n * a->size), *const y = test_need(a->n * a->size);
    memcpy(x, a->input, a->n * a->size);
    memcpy(y, a->data, a->n * a->size);
    order_size = a->size;
    qsort(x, a->n, a->size, order_bytes);
    qsort(y, a->n, a->size, order_bytes);
    bool const same = memcmp(x, y, a->n * a->size) == 0;
    free(x);
    free(y);
    return same;
}

/* Elements that are in order stay where they are, and the call needs no scratch. */
static void test_in_order(ordo_ctx *ctx)
{
    faults_attach(ctx);
    for (size_t t = 0; t < INPUTS_TYPES; t++)
        for (size_t turn = 0; turn < inputs_count(); turn++) {
            struct_array a = make(turn, inputs_types[t], 1 + turn * 97 % MOST, 12 + turn % 5, 3);
            a.descending = turn % 2 != 0;
            expect(&a);
            memcpy(a.data, a.expected, a.n * a.size);
            faults_refuse(1, false);
            testkit_case("in order %s turn=%zu", ordo_type_name(a.type), turn);
            CHECK_STATUS(ORDO_OK, sort(ctx, &a), ctx);
            CHECK_BYTES(a.expected, a.data, a.n * a.size, a.size);
        }
    faults_detach();
}

/* One element is out of order: the last key is at place `at` and moves to the end. */
static void test_one_step(void)
{
    static const size_t steps[] = {0, 1, 62, 63, 64, 127, 190, 191, 192, 193, 383, 384, 1000};
    for (size_t s = 0; s < 2 * sizeof steps / sizeof *steps; s++) {
        size_t const n = 1001 + s, at = s % 2 == 0 ? steps[s / 2] : n - 2 - steps[s / 2] % (n - 2);
        struct_array a = make(0, ORDO_U32, n, 20, 5);
        for (size_t i = 0; i < n; i++) {
            uint32_t const key = i == at ? (uint32_t)n : (uint32_t)i;
            memcpy(a.keys + i * sizeof key, &key, sizeof key);
            memcpy(a.input + i * a.size + a.offset, &key, sizeof key);
        }
        memcpy(a.data, a.input, n * a.size);
        expect(&a);
        testkit_case("one step n=%zu at=%zu", n, at);
        ordo_ctx *const ctx = next_context()->ctx;
        CHECK_STATUS(ORDO_OK, sort(ctx, &a), ctx);
        CHECK_BYTES(a.expected, a.data, n * a.size, a.size);
    }
}

/* Refuses the k-th request for scratch and all later ones, or only that one. */
static void test_memory(ordo_ctx *ctx)
{
    static const size_t sizes[] = {12, 200};
    size_t              failed = 0, sorted = 0;
    faults_attach(ctx);
    for (size_t s = 0; s < 2; s++)
        for (int only = 0; only < 2; only++)
            for (size_t at = 1; at < 20; at++) {
                struct_array const a = make(at % inputs_count(), ORDO_U32, 1500, sizes[s], 3);
                expect(&a);
                faults_refuse(at, only != 0);
                testkit_case("size=%zu refuse %zu only=%d", sizes[s], at, only);
                ordo_status const status = sort(ctx, &a);
                CHECK(status == ORDO_OK || status == ORDO_E_NOMEM);
                CHECK_BYTES(status == ORDO_OK ? a.expected : a.input, a.data, a.n * a.size, a.size);
                failed += status != ORDO_OK;
                sorted += status == ORDO_OK && faults_refused();
            }
    faults_detach();
    testkit_case("memory");
    CHECK(failed > 0);
    CHECK(sorted > 0);
}

static void test_cancel(ordo_ctx *ctx)
{
    static const size_t sizes[] = {12, 200};
    size_t              cancelled = 0;
    faults_attach(ctx);
    for (size_t s = 0; s < 2; s++)
        for (size_t at = 1; at < 60; at += 1 + at / 8) {
            struct_array const a = make(at % inputs_count(), ORDO_U64, 1500, sizes[s], 4);
            faults_cancel(at);
            testkit_case("size=%zu cancel at %zu", sizes[s], at);
            ordo_status const status = sort(ctx, &a);
            CHECK(status == ORDO_OK || status == ORDO_E_CANCELLED);
            CHECK(same_elements(&a));
            cancelled += status == ORDO_E_CANCELLED;
        }
    faults_detach();
    testkit_case("cancel");
    CHECK(cancelled > 0);
}

/* A limit below a copy of the array sorts in place. */
static void test_limit(void)
{
    struct_array const a = make(3, ORDO_F32, MOST, 100, 2);
    ordo_ctx *const    ctx = CONTEXT(.where = ORDO_CPU, .threads = 1, .mem_limit = 200000);
    expect(&a);
    testkit_case("limit");
    CHECK_STATUS(ORDO_OK, sort(ctx, &a), ctx);
    CHECK_BYTES(a.expected, a.data, a.n * a.size, a.size);
    CHECK_EQ_U64(ORDO_STRATEGY_IN_PLACE, report_of(ctx).facts.strategy);
    ordo_ctx_free(ctx);
}

/* ---- Gather and scatter ---- */

static void test_moves(void)
{
    for (size_t size = 1; size <= 200; size += 1 + size / 9)
        for (unsigned wide = 0; wide < 2; wide++) {
            size_t const       n = MOST_BYTES / 200;
            ordo_type const    type = wide != 0 ? ORDO_U64 : ORDO_U32;
            ordo_ctx *const    with = next_context()->ctx;
            struct_array const a = make(1, ORDO_U8, n, size, 0);
            uint64_t *const    order = test_need(n * sizeof *order);
            uint32_t *const    narrow = test_need(n * sizeof *narrow);
            test_rng           rng = {size};
            for (size_t i = 0; i < n; i++)
                order[i] = i;
            for (size_t i = n; i-- > 1;) {
                size_t const   j = (size_t)test_rng_below(&rng, i + 1);
                uint64_t const held = order[i];
                order[i] = order[j];
                order[j] = held;
            }
            for (size_t i = 0; i < n; i++)
                narrow[i] = (uint32_t)order[i];
            const void *const index = wide != 0 ? (void *)order : (void *)narrow;
            oracle_gather(a.input, size, order, n, a.expected);
            testkit_case("gather size=%zu wide=%u", size, wide);
            CHECK_STATUS(ORDO_OK, ordo_gather(with, a.input, n, size, type, index, n, a.data, NULL),
                         with);
            CHECK_BYTES(a.expected, a.data, n * size, size);
            CHECK_STATUS(ORDO_OK,
                         ordo_scatter(with, a.expected, n, size, type, index, a.data, n, NULL),
                         with);
            CHECK_BYTES(a.input, a.data, n * size, size);
            memset(a.data, 0x55, n * size);
            CHECK_STATUS(ORDO_E_ARG,
                         ordo_gather(with, a.input, n - 1, size, type, index, n, a.data, NULL),
                         with);
            CHECK_STATUS(ORDO_E_ARG,
                         ordo_scatter(with, a.input, n, size, type, index, a.data, n - 1, NULL),
                         with);
            CHECK_EQ_U64(0, test_bytes_not(a.data, n * size, 0x55));
            free(order);
            free(narrow);
        }
}

static void test_arguments(ordo_ctx *ctx)
{
    char                 array[64] = {0};
    uint32_t             index[2] = {0};
    ordo_sort_opts const merge = ORDO_OPTS(ordo_sort_opts, .algorithm = ORDO_ALGORITHM_MERGE);
    ordo_sort_opts const device = ORDO_OPTS(ordo_sort_opts, .flags = ORDO_ON_DEVICE);
    size_t               bytes;
    testkit_case("arguments");
    CHECK_STATUS(ORDO_E_ARG, ordo_sort_records(ctx, array, 2, 0, 0, ORDO_U8, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_sort_records(ctx, array, 2, 8, 5, ORDO_U32, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_sort_records(ctx, array, 2, 8, SIZE_MAX, ORDO_U32, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_sort_records(ctx, NULL, 2, 8, 0, ORDO_U32, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_sort_records(ctx, array, 2, 8, 0, (ordo_type)0, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_sort_records(ctx, array, 2, 8, 0, ORDO_U32, &merge), ctx);
    CHECK(ordo_sort_records(ctx, array, 2, 8, 0, ORDO_U32, &device) !=
          ORDO_OK); /* not a GPU array */
    CHECK_STATUS(ORDO_OK, ordo_sort_records(ctx, NULL, 0, 8, 0, ORDO_U32, NULL), ctx);
    CHECK_STATUS(ORDO_OK, ordo_sort_records_scratch(ctx, 1000, 8, 0, ORDO_U32, NULL, &bytes), ctx);
    CHECK(bytes >= 8000);
    CHECK_STATUS(ORDO_E_ARG, ordo_gather(ctx, array, 2, 0, ORDO_U32, index, 2, array + 32, NULL),
                 ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_gather(ctx, array, 2, 8, ORDO_I32, index, 2, array + 32, NULL),
                 ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_gather(ctx, array, 2, 8, ORDO_U32, index, 2, array + 8, NULL),
                 ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_gather(ctx, NULL, 0, 8, ORDO_U32, index, 2, array, NULL), ctx);
    CHECK_STATUS(ORDO_OK, ordo_gather(ctx, NULL, 0, 8, ORDO_U32, NULL, 0, NULL, NULL), ctx);
}

int main(void)
{
    testkit_start();
    test_contexts_start();
    ordo_ctx *const alone = test_context_make(1);
    test_all();
    test_large_elements();
    test_shapes();
    test_low_bits();
    test_in_order(alone);
    test_one_step();
    test_memory(alone);
    test_cancel(alone);
    test_limit();
    test_moves();
    test_arguments(alone);
    ordo_ctx_free(alone);
    return testkit_done();
}
