/* test_dist_select.c - selections, quantiles, scans and the check of order over many ranks: every
 * type, input shape, division of the keys, method and rule for NaNs. The expected values are those
 * of the calls on the whole array. */
#define _GNU_SOURCE
#include "distkit.h"

#include <stdio.h>

enum {
    MOST = 6000,
    EVERY = 11, /* one of so many combinations runs; prime to the lengths of all lists */
    POSITIONS = 9
};

typedef struct job {
    distkit     kit;
    ordo_type   type, out_type;
    size_t      size, n;
    bool        descending, exclusive;
    ordo_nans   nans;
    ordo_method method;
    ordo_op     op;
    char        keys_of[DISTKIT_RANKS][POSITIONS * 8];
    double      quantiles[DISTKIT_RANKS][POSITIONS], median[DISTKIT_RANKS];
    int         sorted[DISTKIT_RANKS];
    uint64_t    where[DISTKIT_RANKS];
} job;

static job          j;
static uint64_t     wanted[POSITIONS];
static const double q[POSITIONS] = {0, 1, 0.5, 0.25, 0.123, 0.999, 0.5, 1e-9, 0.75};
static char         keys[MOST * 8], results[MOST * 8], expected[MOST * 8];

static size_t      count_of(size_t rank) { return j.kit.starts[rank + 1] - j.kit.starts[rank]; }
static const char *part_of(size_t rank) { return keys + j.kit.starts[rank] * j.size; }

static ordo_status call_select(void *user, ordo_ctx *ctx, const ordo_comm *comm, size_t rank)
{
    (void)user;
    return ordo_dist_select(
        ctx, comm, j.type, part_of(rank), count_of(rank), wanted, POSITIONS, j.keys_of[rank],
        &ORDO_OPTS(ordo_dist_opts, .flags = j.descending ? ORDO_DESCENDING : 0));
}

static ordo_status call_quantiles(void *user, ordo_ctx *ctx, const ordo_comm *comm, size_t rank)
{
    (void)user;
    ordo_status const status =
        ordo_dist_quantiles(ctx, comm, j.type, part_of(rank), count_of(rank), q, POSITIONS,
                            j.quantiles[rank], j.nans, j.method, NULL);
    return status != ORDO_OK ? status
                             : ordo_dist_median(ctx, comm, j.type, part_of(rank), count_of(rank),
                                                &j.median[rank], j.nans, NULL);
}

static ordo_status call_scan(void *user, ordo_ctx *ctx, const ordo_comm *comm, size_t rank)
{
    (void)user;
    return ordo_dist_scan(ctx, comm, j.op, j.type, part_of(rank), count_of(rank), j.out_type,
                          results + j.kit.starts[rank] * ordo_type_size(j.out_type),
                          &ORDO_OPTS(ordo_dist_opts, .flags = j.exclusive ? ORDO_EXCLUSIVE : 0));
}

static ordo_status call_sorted(void *user, ordo_ctx *ctx, const ordo_comm *comm, size_t rank)
{
    (void)user;
    return ordo_dist_is_sorted(
        ctx, comm, j.type, part_of(rank), count_of(rank), &j.sorted[rank], &j.where[rank],
        &ORDO_OPTS(ordo_dist_opts, .flags = j.descending ? ORDO_DESCENDING : 0));
}

/* ---- Checks ---- */

static void check_select(ordo_ctx *ctx)
{
    size_t k[POSITIONS];
    for (size_t i = 0; i < POSITIONS; i++)
        wanted[i] = k[i] = i == 0 ? 0 : i == 1 ? j.n - 1 : j.n * (i * i % 7) / 7;
    CHECK_STATUS(
        ORDO_OK,
        ordo_select(ctx, j.type, keys, j.n, k, POSITIONS, expected,
                    &ORDO_OPTS(ordo_select_opts, .flags = j.descending ? ORDO_DESCENDING : 0)),
        ctx);
    j.kit.call = call_select;
    if (distkit_run(&j.kit, ORDO_OK))
        for (size_t r = 0; r < j.kit.ranks; r++)
            CHECK_BYTES(expected, j.keys_of[r], POSITIONS * j.size, j.size);
}

static void check_quantiles(ordo_ctx *ctx)
{
    double                   all[POSITIONS], median;
    ordo_quantile_opts const opts =
        ORDO_OPTS(ordo_quantile_opts, .nans = j.nans, .method = j.method);
    CHECK_STATUS(ORDO_OK, ordo_quantiles(ctx, j.type, keys, j.n, q, POSITIONS, all, &opts), ctx);
    CHECK_STATUS(ORDO_OK,
                 ordo_median(ctx, j.type, keys, j.n, &median,
                             &ORDO_OPTS(ordo_quantile_opts, .nans = j.nans)),
                 ctx);
    j.kit.call = call_quantiles;
    if (!distkit_run(&j.kit, ORDO_OK))
        return;
    for (size_t r = 0; r < j.kit.ranks; r++) {
        CHECK_BYTES(all, j.quantiles[r], sizeof all, sizeof(double));
        CHECK_BYTES(&median, &j.median[r], sizeof median, sizeof median);
    }
}

/* Sums of floats depend on the sequence of additions, so they are checked on whole numbers. */
static void check_scan(ordo_ctx *ctx)
{
    ordo_scan_opts const opts =
        ORDO_OPTS(ordo_scan_opts, .flags = j.exclusive ? ORDO_EXCLUSIVE : 0);
    size_t const bytes = j.n * ordo_type_size(j.out_type);
    CHECK_STATUS(ORDO_OK, ordo_scan(ctx, j.op, j.type, keys, j.n, j.out_type, expected, &opts),
                 ctx);
    j.kit.call = call_scan;
    if (distkit_run(&j.kit, ORDO_OK))
        CHECK_BYTES(expected, results, bytes, ordo_type_size(j.out_type));
}

static void check_sorted(ordo_ctx *ctx)
{
    int    sorted;
    size_t where;
    CHECK_STATUS(
        ORDO_OK,
        ordo_is_sorted(ctx, j.type, keys, j.n, &sorted, &where,
                       &ORDO_OPTS(ordo_order_opts, .flags = j.descending ? ORDO_DESCENDING : 0)),
        ctx);
    j.kit.call = call_sorted;
    if (!distkit_run(&j.kit, ORDO_OK))
        return;
    for (size_t r = 0; r < j.kit.ranks; r++) {
        CHECK_EQ_U64(sorted, j.sorted[r]);
        CHECK_EQ_U64(where, j.where[r]);
    }
}

static void check_all(ordo_ctx *ctx, size_t shape, size_t turn)
{
    bool const is_float = j.type == ORDO_F32 || j.type == ORDO_F64;
    j.size = ordo_type_size(j.type);
    inputs_fill(shape, j.type, keys, j.n, shape + j.n);
    distkit_split(turn % DISTKIT_SPLITS, j.n, j.kit.ranks, shape + turn, j.kit.starts);
    testkit_case("%s %s, %zu keys, %zu ranks, split %zu", ordo_type_name(j.type),
                 inputs_name(shape), j.n, j.kit.ranks, turn % DISTKIT_SPLITS);
    if (j.n > 0)
        check_select(ctx);
    check_quantiles(ctx);
    check_sorted(ctx);
    inputs_sort(j.type, keys, j.n, j.descending);
    check_sorted(ctx);
    inputs_fill(shape, j.type, keys, j.n, shape + j.n);
    for (size_t op = 0; op < 3; op++) {
        j.op = (ordo_op)(ORDO_SUM + op);
        j.exclusive = (turn + op) % 2 == 0;
        j.out_type = j.op == ORDO_SUM && turn % 2 == 0 ? ordo_type_wide(j.type) : j.type;
        if (j.op == ORDO_SUM && is_float)
            distkit_small_numbers(j.type, keys, j.n);
        check_scan(ctx);
        if (j.op == ORDO_SUM && is_float)
            inputs_fill(shape, j.type, keys, j.n, shape + j.n);
    }
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
            turn++;
            j.type = inputs_types[t];
            j.kit.ranks = ranks[turn % 7];
            j.n = sizes[turn * 5 % 6];
            j.descending = turn % 3 == 0;
            j.kit.threads = turn % 4 == 0 ? 2 : 1;
            j.nans = (ordo_nans)(turn % 3);
            j.method = (ordo_method)(turn % (ORDO_METHODS + 1));
            if (turn % EVERY == 0 && testkit_run_case(7))
                check_all(ctx, shape, turn);
        }
    ordo_ctx_free(ctx);
    return testkit_done();
}
