/* test_dist_runs.c - sorts over many ranks whose parts are merged in several blocks: keys and pairs
 * of every type, many ties, values of odd sizes, and one rank that cancels at every opportunity.
 * The expected bytes are those of the calls on the whole array. */
#define _GNU_SOURCE
#include "distkit.h"

#include <stdio.h>

enum {
    N = 200000,
    FEW = 3000,
    MOST_VALUE = 16
};

static distkit   kit;
static ordo_type type;
static size_t    key_size, value_size;
static bool      descending;
static char      keys[N * 8], got[N * 8], expected[N * 8];
static char values[N * MOST_VALUE], got_values[N * MOST_VALUE], expected_values[N * MOST_VALUE];

static size_t count_of(size_t rank) { return kit.starts[rank + 1] - kit.starts[rank]; }

static ordo_status call_sort(void *user, ordo_ctx *ctx, const ordo_comm *comm, size_t rank)
{
    ordo_dist_opts const opts =
        ORDO_OPTS(ordo_dist_opts, .flags = descending ? ORDO_DESCENDING : 0);
    char *const part = got + kit.starts[rank] * key_size;
    (void)user;
    return value_size == 0 ? ordo_dist_sort(ctx, comm, type, part, count_of(rank), &opts)
                           : ordo_dist_sort_pairs(ctx, comm, type, part, count_of(rank),
                                                  got_values + kit.starts[rank] * value_size,
                                                  value_size, &opts);
}

static void check(ordo_ctx *ctx, const char *shape, size_t n)
{
    ordo_sort_opts const opts =
        ORDO_OPTS(ordo_sort_opts, .flags = descending ? ORDO_DESCENDING : 0);
    key_size = ordo_type_size(type);
    testkit_case("%s %s, %zu ranks, values of %zu bytes%s", ordo_type_name(type), shape, kit.ranks,
                 value_size, descending ? ", descending" : "");
    inputs_fill(inputs_find(shape), type, keys, n, n + kit.ranks);
    distkit_split(3, n, kit.ranks, n, kit.starts);
    for (size_t i = 0; i < n * value_size; i++)
        values[i] = (char)((i / value_size * UINT64_C(0x9e3779b97f4a7c15)) >> (i % value_size));
    memcpy(expected, keys, n * key_size);
    memcpy(got, keys, n * key_size);
    memcpy(expected_values, values, n * value_size);
    memcpy(got_values, values, n * value_size);
    CHECK_STATUS(ORDO_OK,
                 value_size == 0
                     ? ordo_sort(ctx, type, expected, n, &opts)
                     : ordo_sort_pairs(ctx, type, expected, n, expected_values, value_size, &opts),
                 ctx);
    kit.call = call_sort;
    if (!distkit_run(&kit, ORDO_OK))
        return;
    CHECK_BYTES(expected, got, n * key_size, key_size);
    if (value_size > 0)
        CHECK_BYTES(expected_values, got_values, n * value_size, value_size);
}

static void check_shapes(ordo_ctx *ctx)
{
    static const char *const shapes[] = {"random bits", "few distinct", "all equal",
                                         "special values"};
    static const size_t      ranks[] = {2, 5, 16, 33};
    static const size_t      sizes[] = {0, 8, 0, 3, 0, 4, 16};
    size_t                   turn = 0;
    for (size_t shape = 0; shape < 4; shape++)
        for (size_t t = 0; t < INPUTS_TYPES; t++, turn++) {
            type = inputs_types[t];
            kit.ranks = ranks[turn % 4];
            kit.threads = turn % 5 == 0 ? 3 : 1;
            descending = turn % 3 == 1;
            value_size = sizes[turn % 7];
            if (testkit_run_case(7))
                check(ctx, shapes[shape], N);
        }
}

/* ---- Cancelled ---- */

static size_t asked, stop_at;

static int stop(void *user, double done)
{
    (void)user;
    (void)done;
    return ++asked == stop_at;
}

static void stopping_body(void *user, ordo_comm *comm)
{
    size_t const  rank = (size_t)comm->rank;
    ordo_ctx_opts opts = ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CPU, .threads = 1);
    ordo_ctx     *ctx;
    if (rank == 1) {
        opts.progress = stop;
        opts.progress_interval = -1;
    }
    kit.status[rank] = ordo_ctx_create(&ctx, &opts);
    if (kit.status[rank] != ORDO_OK)
        return;
    kit.status[rank] = call_sort(user, ctx, comm, rank);
    ordo_ctx_free(ctx);
}

/* The sum of the keys of a rank; they may be in another order. */
static uint64_t sum_of(const char *array, size_t rank)
{
    uint64_t sum = 0;
    for (size_t i = kit.starts[rank]; i < kit.starts[rank + 1]; i++) {
        uint32_t key;
        memcpy(&key, array + i * sizeof key, sizeof key);
        sum += key * UINT64_C(0x9e3779b97f4a7c15) ^ key;
    }
    return sum;
}

static void check_stopped(ordo_ctx *ctx)
{
    type = ORDO_U32;
    key_size = sizeof(uint32_t);
    value_size = 0;
    descending = false;
    kit.ranks = 3;
    inputs_fill(inputs_find("random bits"), type, keys, FEW, 5);
    distkit_split(0, FEW, kit.ranks, 1, kit.starts);
    memcpy(expected, keys, FEW * key_size);
    CHECK_STATUS(ORDO_OK, ordo_sort(ctx, type, expected, FEW, NULL), ctx);
    stop_at = 0;
    for (bool stopped = true; stopped && stop_at < 10000;) {
        asked = 0;
        stop_at++;
        memcpy(got, keys, FEW * key_size);
        testkit_case("cancelled at opportunity %zu", stop_at);
        CHECK(ordo_dist_threads((int32_t)kit.ranks, stopping_body, NULL) == ORDO_OK);
        stopped = asked >= stop_at;
        /* The last opportunity comes when all is done. */
        CHECK(kit.status[1] == ORDO_E_CANCELLED || asked <= stop_at);
        for (size_t r = 0; r < kit.ranks; r++) {
            CHECK(kit.status[r] == kit.status[1]);
            CHECK(kit.status[1] == ORDO_OK
                      ? memcmp(got, expected, FEW * key_size) == 0
                      : kit.status[1] == ORDO_E_CANCELLED && sum_of(keys, r) == sum_of(got, r));
        }
    }
    CHECK(stop_at > 4 && stop_at < 10000);
}

int main(void)
{
    ordo_ctx *ctx;
    testkit_start();
    CHECK(ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CPU)) == ORDO_OK);
    check_shapes(ctx);
    check_stopped(ctx);
    ordo_ctx_free(ctx);
    return testkit_done();
}
