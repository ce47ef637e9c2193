/* test_lexsort.c - ordo_lexsort and ordo_lexrank against the oracle: every type, 1 to 16 columns,
 * both directions, narrow and wide ranges, many ties, too little memory, wrong arguments. */
#include "faults.h"
#include "inputs.h"
#include "oracle.h"
#include "testkit.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST = 2000
};

typedef struct table {
    size_t      n, count;
    ordo_column columns[ORDO_COLUMNS_MOST];
} table;

static uint64_t keys[ORDO_COLUMNS_MOST][MOST], order[MOST], index_64[MOST], ranks[MOST],
    expected[MOST];
static uint32_t index_32[MOST];

/* Columns of any shape. `few` makes most columns of few values, so that rows tie. */
static table make(size_t n, size_t count, bool few, uint64_t seed)
{
    table    t = {.n = n, .count = count};
    test_rng rng = {seed};
    for (size_t c = 0; c < count; c++) {
        ordo_type const type = inputs_types[test_rng_below(&rng, INPUTS_TYPES)];
        size_t const    size = ordo_type_size(type);
        bool const      descends = test_rng_below(&rng, 2) != 0;
        inputs_fill(test_rng_below(&rng, inputs_count()), type, keys[c], n, seed + c);
        if (few && c + 1 < count)
            for (size_t i = 3; i < n; i++)
                memcpy((char *)keys[c] + i * size, (char *)keys[c] + test_rng_below(&rng, 3) * size,
                       size);
        t.columns[c] = (ordo_column){keys[c], (uint32_t)type, descends ? ORDO_DESCENDING : 0};
    }
    return t;
}

static int compare(const void *user, size_t i, size_t j)
{
    const table *const t = user;
    int                found = 0;
    for (size_t c = 0; c < t->count && found == 0; c++)
        found = oracle_compare((ordo_type)t->columns[c].type, keys[c], i, keys[c], j,
                               t->columns[c].flags != 0);
    return found;
}

static void try_table(const table *t, size_t turn)
{
    ordo_ctx *const      ctx = next_context()->ctx;
    rank_rule const      rule = inputs_rule(turn);
    ordo_rank_opts const opts = ORDO_OPTS(ordo_rank_opts, .ties = rule.ties);
    oracle_order(t->n, order, compare, t);
    CHECK_STATUS(ORDO_OK, ordo_lexsort(ctx, t->columns, t->count, t->n, ORDO_U64, index_64, NULL),
                 ctx);
    CHECK_BYTES(order, index_64, t->n * sizeof *order, sizeof *order);
    CHECK_STATUS(ORDO_OK, ordo_lexsort(ctx, t->columns, t->count, t->n, ORDO_U32, index_32, NULL),
                 ctx);
    bool same = true;
    for (size_t i = 0; i < t->n; i++)
        same = same && index_32[i] == order[i];
    CHECK(same);
    oracle_rank_ordered(t->n, order, compare, t, rule.ties, rule.rank_type, expected);
    CHECK_STATUS(ORDO_OK,
                 ordo_lexrank(ctx, t->columns, t->count, t->n, rule.rank_type, ranks, &opts), ctx);
    CHECK_BYTES(expected, ranks, t->n * ordo_type_size(rule.rank_type),
                ordo_type_size(rule.rank_type));
}

static void test_tables(void)
{
    static const size_t ns[] = {0, 1, 2, 5, 33, 200, 700, MOST};
    size_t              turn = 0;
    for (size_t count = 1; count <= ORDO_COLUMNS_MOST; count += count < 4 ? 1 : 3)
        for (size_t i = 0; i < sizeof ns / sizeof *ns; i++)
            for (unsigned few = 0; few < 2; few++)
                for (size_t seed = 0; seed < 4; seed++, turn++) {
                    if (!testkit_run_case(3))
                        continue;
                    table const t = make(ns[i], count, few != 0, turn);
                    testkit_case("columns=%zu n=%zu few=%u turn=%zu", count, ns[i], few, turn);
                    try_table(&t, turn);
                }
}

/* Rows that differ only in the last bits of wide columns, and rows that are all equal. */
static void test_deep_ties(void)
{
    for (size_t count = 1; count <= 4; count++) {
        table t = {.n = MOST, .count = count};
        for (size_t c = 0; c < count; c++) {
            for (size_t i = 0; i < MOST; i++)
                keys[c][i] = i == 0           ? UINT64_MAX
                             : c + 1 == count ? (uint64_t)i * 7 % 13
                                              : (uint64_t)(i == 1) * 5;
            t.columns[c] = (ordo_column){keys[c], ORDO_U64, 0};
        }
        testkit_case("deep ties, columns=%zu", count);
        try_table(&t, count);
        memset(keys, 0, sizeof keys);
        testkit_case("equal rows, columns=%zu", count);
        try_table(&t, count + 2);
    }
}

static void test_memory(ordo_ctx *ctx)
{
    table const t = make(1500, 3, true, 5);
    size_t      failed = 0, sorted = 0;
    oracle_order(t.n, order, compare, &t);
    faults_attach(ctx);
    for (int only = 0; only < 2; only++)
        for (size_t at = 1; at < 14; at++) {
            memset(index_64, 0x55, sizeof index_64);
            faults_refuse(at, only != 0);
            testkit_case("refuse %zu only=%d", at, only);
            ordo_status const status =
                ordo_lexsort(ctx, t.columns, t.count, t.n, ORDO_U64, index_64, NULL);
            CHECK(status == ORDO_OK || status == ORDO_E_NOMEM);
            if (status == ORDO_OK)
                CHECK_BYTES(order, index_64, t.n * sizeof *order, sizeof *order);
            else
                CHECK_EQ_U64(0, test_bytes_not(index_64, sizeof index_64, 0x55));
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
    table const t = make(1500, 3, true, 6);
    size_t      cancelled = 0;
    oracle_order(t.n, order, compare, &t);
    faults_attach(ctx);
    for (size_t at = 1; at < 40; at += 2) {
        faults_cancel(at);
        testkit_case("cancel at %zu", at);
        ordo_status const status =
            ordo_lexsort(ctx, t.columns, t.count, t.n, ORDO_U64, index_64, NULL);
        CHECK(status == ORDO_OK || status == ORDO_E_CANCELLED);
        if (status == ORDO_OK)
            CHECK_BYTES(order, index_64, t.n * sizeof *order, sizeof *order);
        cancelled += status == ORDO_E_CANCELLED;
    }
    faults_detach();
    testkit_case("cancel");
    CHECK(cancelled > 0);
}

static void test_arguments(ordo_ctx *ctx)
{
    table                t = make(10, 2, false, 1);
    ordo_sort_opts const device = ORDO_OPTS(ordo_sort_opts, .flags = ORDO_ON_DEVICE);
    ordo_sort_opts const radix = ORDO_OPTS(ordo_sort_opts, .algorithm = ORDO_ALGORITHM_RADIX);
    ordo_rank_opts const average = ORDO_OPTS(ordo_rank_opts, .ties = ORDO_TIES_AVERAGE);
    size_t               bytes = 0;
    testkit_case("arguments");
    CHECK_STATUS(ORDO_E_ARG, ordo_lexsort(ctx, t.columns, 0, 10, ORDO_U64, index_64, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_lexsort(ctx, t.columns, 17, 10, ORDO_U64, index_64, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_lexsort(ctx, NULL, 1, 10, ORDO_U64, index_64, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_lexsort(ctx, t.columns, 2, 10, ORDO_I64, index_64, NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_lexsort(ctx, t.columns, 2, 10, ORDO_U64, keys[1], NULL), ctx);
    CHECK_STATUS(ORDO_E_ARG, ordo_lexsort(ctx, t.columns, 2, 10, ORDO_U64, index_64, &radix), ctx);
    CHECK(ordo_lexsort(ctx, t.columns, 2, 10, ORDO_U64, index_64, &device) != ORDO_OK);
    CHECK_STATUS(ORDO_E_ARG, ordo_lexrank(ctx, t.columns, 2, 10, ORDO_U64, ranks, &average), ctx);
    CHECK_STATUS(ORDO_OK, ordo_lexsort_scratch(ctx, t.columns, 2, 10, ORDO_U64, NULL, &bytes), ctx);
    CHECK(bytes >= 90);
    CHECK_STATUS(ORDO_OK, ordo_lexrank_scratch(ctx, t.columns, 2, 10, ORDO_U64, NULL, &bytes), ctx);
    CHECK(bytes >= 130);
    t.columns[1].flags = 2;
    CHECK_STATUS(ORDO_E_VERSION, ordo_lexsort(ctx, t.columns, 2, 10, ORDO_U64, index_64, NULL),
                 ctx);
    t.columns[1] = (ordo_column){NULL, ORDO_U8, 0};
    CHECK_STATUS(ORDO_E_ARG, ordo_lexsort(ctx, t.columns, 2, 10, ORDO_U64, index_64, NULL), ctx);
}

int main(void)
{
    testkit_start();
    test_contexts_start();
    ordo_ctx *const alone = test_context_make(1);
    test_tables();
    test_deep_ties();
    test_memory(alone);
    test_cancel(alone);
    test_arguments(alone);
    ordo_ctx_free(alone);
    return testkit_done();
}
