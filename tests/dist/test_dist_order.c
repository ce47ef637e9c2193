/* test_dist_order.c - sort, pairs, argsort, rank, top-k and unique count over many ranks: every
 * type, input shape, division of the keys and tie rule. The expected bytes are those of the calls
 * on the whole array. */
#define _GNU_SOURCE
#include "distkit.h"

#include <stdio.h>

enum {
    MOST = 6000,
    EVERY = 11, /* one of so many combinations runs; prime to the lengths of all lists */
    TOP = 50,
    LARGE = 3 /* words of a large value */
};

typedef struct job {
    distkit          kit;
    ordo_type        type;
    size_t           size, n;
    bool             descending, moved; /* to other counts */
    char            *keys, *got, *values, *got_values;
    rank_rule        rule;
    ordo_type        index_type;
    size_t           out_starts[DISTKIT_RANKS + 1];
    size_t           found[DISTKIT_RANKS];
    uint64_t         unique[DISTKIT_RANKS];
    char             top[DISTKIT_RANKS][TOP * 8];
    uint64_t         top_index[DISTKIT_RANKS][TOP];
    ordo_dist_report report[DISTKIT_RANKS];
} job;

static job      j;
static char     keys[MOST * 8], got[MOST * 8], expected[MOST * 8], results[MOST * 8];
static uint64_t values[MOST], got_values[MOST], expected_values[MOST], large[MOST][LARGE];

static size_t count_of(size_t rank) { return j.kit.starts[rank + 1] - j.kit.starts[rank]; }

static ordo_dist_opts opts_of(size_t rank)
{
    j.report[rank] = ORDO_OPTS(ordo_dist_report, .total = 0);
    return ORDO_OPTS(ordo_dist_opts, .flags = j.descending ? ORDO_DESCENDING : 0,
                     .report = &j.report[rank]);
}

static ordo_status call_sort(void *user, ordo_ctx *ctx, const ordo_comm *comm, size_t rank)
{
    ordo_dist_opts opts = opts_of(rank);
    (void)user;
    if (j.moved) {
        opts.out = got + j.out_starts[rank] * j.size;
        opts.n_out = j.out_starts[rank + 1] - j.out_starts[rank];
        return ordo_dist_sort(ctx, comm, j.type, keys + j.kit.starts[rank] * j.size, count_of(rank),
                              &opts);
    }
    return ordo_dist_sort(ctx, comm, j.type, got + j.kit.starts[rank] * j.size, count_of(rank),
                          &opts);
}

static ordo_status call_pairs(void *user, ordo_ctx *ctx, const ordo_comm *comm, size_t rank)
{
    ordo_dist_opts const opts = opts_of(rank);
    (void)user;
    return ordo_dist_sort_pairs(ctx, comm, j.type, got + j.kit.starts[rank] * j.size,
                                count_of(rank), got_values + j.kit.starts[rank], sizeof *got_values,
                                &opts);
}

static ordo_status call_argsort(void *user, ordo_ctx *ctx, const ordo_comm *comm, size_t rank)
{
    ordo_dist_opts const opts = opts_of(rank);
    size_t const         start = j.kit.starts[rank];
    (void)user;
    return ordo_dist_argsort(ctx, comm, j.type, keys + start * j.size, count_of(rank), j.index_type,
                             results + start * ordo_type_size(j.index_type), &opts);
}

static ordo_status call_rank(void *user, ordo_ctx *ctx, const ordo_comm *comm, size_t rank)
{
    ordo_dist_opts const opts = opts_of(rank);
    size_t const         start = j.kit.starts[rank];
    (void)user;
    return ordo_dist_rank(ctx, comm, j.type, keys + start * j.size, count_of(rank), j.rule.ties,
                          j.rule.rank_type, results + start * ordo_type_size(j.rule.rank_type),
                          &opts);
}

static ordo_status call_topk(void *user, ordo_ctx *ctx, const ordo_comm *comm, size_t rank)
{
    ordo_dist_opts const opts = opts_of(rank);
    (void)user;
    return ordo_dist_topk(ctx, comm, j.type, keys + j.kit.starts[rank] * j.size, count_of(rank),
                          TOP, j.top[rank], j.top_index[rank], &j.found[rank], &opts);
}

static ordo_status call_unique(void *user, ordo_ctx *ctx, const ordo_comm *comm, size_t rank)
{
    (void)user;
    return ordo_dist_unique_count(ctx, comm, j.type, keys + j.kit.starts[rank] * j.size,
                                  count_of(rank), &j.unique[rank], NULL);
}

/* ---- Checks ---- */

static void check_sort(ordo_ctx *ctx)
{
    ordo_sort_opts const opts =
        ORDO_OPTS(ordo_sort_opts, .flags = j.descending ? ORDO_DESCENDING : 0);
    memcpy(expected, keys, j.n * j.size);
    CHECK_STATUS(ORDO_OK, ordo_sort(ctx, j.type, expected, j.n, &opts), ctx);
    for (size_t moved = 0; moved < 2; moved++) {
        j.moved = moved == 1;
        distkit_split(3, j.n, j.kit.ranks, j.n + 99, j.out_starts);
        memcpy(got, keys, j.n * j.size);
        j.kit.call = call_sort;
        if (distkit_run(&j.kit, ORDO_OK))
            CHECK_BYTES(expected, got, j.n * j.size, j.size);
    }
    for (size_t r = 0; r < j.kit.ranks; r++) {
        CHECK_EQ_U64(j.n, j.report[r].total);
        if (j.n <= UINT8_MAX) /* beside the keys, one byte for each other rank */
            CHECK(j.report[r].moved <= count_of(r) * j.size + j.kit.ranks - 1);
    }
}

static void check_pairs(ordo_ctx *ctx)
{
    ordo_sort_opts const opts =
        ORDO_OPTS(ordo_sort_opts, .flags = j.descending ? ORDO_DESCENDING : 0);
    for (size_t i = 0; i < j.n; i++)
        got_values[i] = expected_values[i] = values[i] = i * 3 + 1;
    memcpy(expected, keys, j.n * j.size);
    memcpy(got, keys, j.n * j.size);
    CHECK_STATUS(ORDO_OK,
                 ordo_sort_pairs(ctx, j.type, expected, j.n, expected_values,
                                 sizeof *expected_values, &opts),
                 ctx);
    j.kit.call = call_pairs;
    if (distkit_run(&j.kit, ORDO_OK)) {
        CHECK_BYTES(expected, got, j.n * j.size, j.size);
        CHECK_BYTES(expected_values, got_values, j.n * sizeof *got_values, sizeof *got_values);
    }
}

static ordo_status call_large_pairs(void *user, ordo_ctx *ctx, const ordo_comm *comm, size_t rank)
{
    ordo_dist_opts const opts = opts_of(rank);
    size_t const         start = j.kit.starts[rank];
    (void)user;
    return ordo_dist_sort_pairs(ctx, comm, j.type, got + start * j.size, count_of(rank),
                                large[start], sizeof *large, &opts);
}

/* Values that are larger than those of ordo_sort_pairs, after check_pairs. */
static void check_large_pairs(void)
{
    for (size_t i = 0; i < j.n; i++)
        large[i][0] = large[i][LARGE - 1] = values[i];
    memcpy(got, keys, j.n * j.size);
    j.kit.call = call_large_pairs;
    if (!distkit_run(&j.kit, ORDO_OK))
        return;
    CHECK_BYTES(expected, got, j.n * j.size, j.size);
    for (size_t i = 0; i < j.n; i++)
        if (!CHECK(large[i][0] == expected_values[i] && large[i][LARGE - 1] == expected_values[i]))
            return;
}

static void check_argsort(ordo_ctx *ctx)
{
    ordo_sort_opts const opts =
        ORDO_OPTS(ordo_sort_opts, .flags = j.descending ? ORDO_DESCENDING : 0);
    size_t const bytes = j.n * ordo_type_size(j.index_type);
    CHECK_STATUS(ORDO_OK, ordo_argsort(ctx, j.type, keys, j.n, j.index_type, expected, &opts), ctx);
    j.kit.call = call_argsort;
    if (distkit_run(&j.kit, ORDO_OK))
        CHECK_BYTES(expected, results, bytes, ordo_type_size(j.index_type));
}

/* Every fourth rule; the first one takes turns. */
static void check_ranks(ordo_ctx *ctx, size_t first)
{
    for (size_t rule = first % 4; rule < INPUTS_RULES; rule += 4) {
        j.rule = inputs_rule(rule);
        ordo_rank_opts const opts = ORDO_OPTS(ordo_rank_opts, .ties = (uint32_t)j.rule.ties,
                                              .flags = j.descending ? ORDO_DESCENDING : 0);
        size_t const         size = ordo_type_size(j.rule.rank_type);
        CHECK_STATUS(ORDO_OK, ordo_rank(ctx, j.type, keys, j.n, j.rule.rank_type, expected, &opts),
                     ctx);
        j.kit.call = call_rank;
        if (distkit_run(&j.kit, ORDO_OK))
            CHECK_BYTES(expected, results, j.n * size, size);
    }
}

static void check_topk(ordo_ctx *ctx)
{
    ordo_select_opts const opts =
        ORDO_OPTS(ordo_select_opts, .flags = j.descending ? ORDO_DESCENDING : 0);
    size_t found = 0;
    CHECK_STATUS(
        ORDO_OK,
        ordo_topk(ctx, j.type, keys, j.n, TOP, expected, ORDO_U64, expected_values, &found, &opts),
        ctx);
    j.kit.call = call_topk;
    if (!distkit_run(&j.kit, ORDO_OK))
        return;
    for (size_t r = 0; r < j.kit.ranks; r++) {
        CHECK_EQ_U64(found, j.found[r]);
        CHECK_BYTES(expected, j.top[r], found * j.size, j.size);
        CHECK_BYTES(expected_values, j.top_index[r], found * sizeof(uint64_t), sizeof(uint64_t));
    }
}

static void check_unique(ordo_ctx *ctx)
{
    uint64_t distinct = 0;
    CHECK_STATUS(ORDO_OK,
                 ordo_rank(ctx, j.type, keys, j.n, ORDO_U64, expected_values,
                           &ORDO_OPTS(ordo_rank_opts, .ties = ORDO_TIES_DENSE)),
                 ctx);
    for (size_t i = 0; i < j.n; i++)
        distinct = expected_values[i] > distinct ? expected_values[i] : distinct;
    j.kit.call = call_unique;
    if (!distkit_run(&j.kit, ORDO_OK))
        return;
    for (size_t r = 0; r < j.kit.ranks; r++)
        CHECK_EQ_U64(distinct, j.unique[r]);
}

static void check_all(ordo_ctx *ctx, size_t shape, size_t split)
{
    j.size = ordo_type_size(j.type);
    inputs_fill(shape, j.type, keys, j.n, shape + j.n);
    distkit_split(split, j.n, j.kit.ranks, shape + split, j.kit.starts);
    testkit_case("%s %s, %zu keys, %zu ranks, split %zu%s", ordo_type_name(j.type),
                 inputs_name(shape), j.n, j.kit.ranks, split, j.descending ? ", descending" : "");
    check_sort(ctx);
    check_pairs(ctx);
    check_large_pairs();
    check_argsort(ctx);
    check_ranks(ctx, shape + j.n);
    check_topk(ctx);
    check_unique(ctx);
}

int main(void)
{
    static const size_t ranks[] = {1, 2, 3, 5, 8, 17, 64};
    static const size_t sizes[] = {0, 1, 7, 100, 1000, MOST};
    ordo_ctx           *ctx;
    testkit_start();
    CHECK(ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CPU)) == ORDO_OK);
    size_t turn = 0;
    for (size_t shape = 0; shape < inputs_count(); shape++)
        for (size_t t = 0; t < INPUTS_TYPES; t++) {
            /* Every shape with every type; ranks, sizes and splits take turns. */
            turn++;
            j.type = inputs_types[t];
            j.kit.ranks = ranks[turn % 7];
            j.n = sizes[turn * 5 % 6];
            j.descending = turn % 3 == 0;
            j.kit.threads = turn % 4 == 0 ? 2 : 1;
            j.index_type = turn % 2 == 0 ? ORDO_U32 : ORDO_U64;
            if (turn % EVERY == 0 && testkit_run_case(7))
                check_all(ctx, shape, turn % DISTKIT_SPLITS);
        }
    ordo_ctx_free(ctx);
    return testkit_done();
}
