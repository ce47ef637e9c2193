/* test_dist_faults.c - failures of calls over many ranks: every operation of the transport fails in
 * turn, on every rank; a rank has wrong arguments, other arguments, or too little memory; a rank
 * cancels. Every rank must return the same status, and arrays sorted in place keep their keys. */
#define _GNU_SOURCE
#include "faultkit.h"

#include <stdio.h>

enum {
    N = 900,
    RANKS = 5,
    MOST_OPERATIONS = 400
};

static distkit  kit;
static uint32_t keys[N], before[N], sorted[N];
static double   ranks[N];
static int      verb;

static size_t count_of(size_t rank) { return kit.starts[rank + 1] - kit.starts[rank]; }

static ordo_status call_verb(void *user, ordo_ctx *ctx, const ordo_comm *comm, size_t rank)
{
    uint32_t *const part = keys + kit.starts[rank];
    size_t const    n = count_of(rank);
    uint64_t        k[2] = {3, N / 2}, index[9];
    uint32_t        out[9];
    (void)user;
    switch (verb) {
    case 0:
        return ordo_dist_sort(ctx, comm, ORDO_U32, part, n, NULL);
    case 1:
        return ordo_dist_rank(ctx, comm, ORDO_U32, part, n, ORDO_TIES_AVERAGE, ORDO_F64,
                              ranks + kit.starts[rank], NULL);
    case 2:
        return ordo_dist_select(ctx, comm, ORDO_U32, part, n, k, 2, out, NULL);
    case 3:
        return ordo_dist_topk(ctx, comm, ORDO_U32, part, n, 9, out, index, NULL, NULL);
    default:
        return ordo_dist_scan(ctx, comm, ORDO_SUM, ORDO_U32, part, n, ORDO_U32, part, NULL);
    }
}

static int by_key(const void *a, const void *b)
{
    uint32_t const x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Each rank has the keys that it had, in any order, or its part of the sorted array. */
static void check_kept(size_t rank)
{
    uint32_t     had[N], has[N];
    size_t const n = count_of(rank), start = kit.starts[rank];
    memcpy(had, before + start, n * sizeof *had);
    memcpy(has, keys + start, n * sizeof *has);
    qsort(had, n, sizeof *had, by_key);
    qsort(has, n, sizeof *has, by_key);
    CHECK(memcmp(had, has, n * sizeof *had) == 0 ||
          memcmp(sorted + start, keys + start, n * sizeof *keys) == 0);
}

static void fill(void)
{
    inputs_fill(inputs_find("random bits"), ORDO_U32, keys, N, 7);
    for (size_t i = 0; i < N; i += 3)
        keys[i] = 12345; /* many ties */
    memcpy(before, keys, sizeof keys);
    memcpy(sorted, keys, sizeof keys);
    qsort(sorted, N, sizeof *sorted, by_key);
}

static void run_all(void)
{
    fill();
    ordo_status const status = ordo_dist_threads(RANKS, distkit_body, &kit);
    CHECK(status == ORDO_OK);
}

/* Fails operation 1, 2, ... of each rank until a call makes fewer operations than that. */
static void check_transport(void)
{
    kit = (distkit){.ranks = RANKS, .threads = 1, .wrap = wrap, .call = call_verb};
    distkit_split(0, N, RANKS, 1, kit.starts);
    for (verb = 0; verb < 5; verb++)
        for (failing_rank = 0; failing_rank < RANKS; failing_rank += 2) {
            bool failed = true;
            for (fails_at = 1; failed && fails_at < MOST_OPERATIONS; fails_at++) {
                testkit_case("verb %d, operation %zu of rank %zu fails", verb, fails_at,
                             failing_rank);
                run_all();
                failed = ranks_of[failing_rank].made >= fails_at;
                for (size_t r = 0; r < RANKS; r++) {
                    CHECK(kit.status[r] == (failed ? ORDO_E_IO : ORDO_OK) ||
                          (failed && kit.status[r] == ORDO_OK)); /* its call had already ended */
                    CHECK(kit.status[r] == ORDO_OK || strstr(kit.message[r], "transport") != NULL);
                    if (verb == 0)
                        check_kept(r);
                }
                CHECK(!failed || kit.status[failing_rank] == ORDO_E_IO);
            }
            CHECK(fails_at > 3 && fails_at < MOST_OPERATIONS);
        }
}

/* ---- Ranks that disagree ---- */

static ordo_status disagree(void *user, ordo_ctx *ctx, const ordo_comm *comm, size_t rank)
{
    uint32_t *const  part = keys + kit.starts[rank];
    size_t const     n = count_of(rank);
    double           out[1], q = rank == 3 && verb == 2 ? 0.25 : 0.5;
    ordo_dist_report report = {.struct_size = 0};
    (void)user;
    switch (rank == 3 ? verb : -1) {
    case 0: /* another type */
        return ordo_dist_sort(ctx, comm, ORDO_I32, part, n, NULL);
    case 1: /* another function */
        return ordo_dist_median(ctx, comm, ORDO_U32, part, n, out, ORDO_NANS_LAST, NULL);
    case 3: /* a wrong argument */
        return ordo_dist_sort(ctx, comm, ORDO_U32, NULL, n, NULL);
    case 4: /* an unknown flag */
        return ordo_dist_sort(ctx, comm, ORDO_U32, part, n,
                              &ORDO_OPTS(ordo_dist_opts, .flags = 1 << 20));
    case 5: /* counts that do not add up */
        return ordo_dist_sort(ctx, comm, ORDO_U32, part, n,
                              &ORDO_OPTS(ordo_dist_opts, .out = sorted, .n_out = 1));
    case 6: /* a report without its size */
        return ordo_dist_sort(ctx, comm, ORDO_U32, part, n,
                              &ORDO_OPTS(ordo_dist_opts, .report = &report));
    default:
        break;
    }
    if (verb == 2)
        return ordo_dist_quantiles(ctx, comm, ORDO_U32, part, n, &q, 1, out, ORDO_NANS_LAST,
                                   ORDO_METHOD_DEFAULT, NULL);
    if (verb == 5)
        return ordo_dist_sort(ctx, comm, ORDO_U32, part, n,
                              &ORDO_OPTS(ordo_dist_opts, .out = ranks, .n_out = 1));
    return ordo_dist_sort(ctx, comm, ORDO_U32, part, n, NULL);
}

static void check_disagreement(void)
{
    static const struct {
        ordo_status status;
        const char *says;
    } cases[] = {{ORDO_E_ARG, "type of keys"},
                 {ORDO_E_ARG, "another function"},
                 {ORDO_E_ARG, "positions"},
                 {ORDO_E_ARG, "rank 3: keys is NULL"},
                 {ORDO_E_VERSION, "rank 3: "},
                 {ORDO_E_ARG, "5 in all; expected 900"},
                 {ORDO_E_ARG, "rank 3: report->struct_size is 0"}};
    kit = (distkit){.ranks = RANKS, .threads = 1, .call = disagree};
    distkit_split(0, N, RANKS, 1, kit.starts);
    for (verb = 0; verb < 7; verb++) {
        testkit_case("disagreement %d", verb);
        run_all();
        for (size_t r = 0; r < RANKS; r++) {
            CHECK(kit.status[r] == cases[verb].status);
            if (!CHECK(strstr(kit.message[r], cases[verb].says) != NULL))
                printf("rank %zu says: %s\n", r, kit.message[r]);
            CHECK(memcmp(keys, before, sizeof keys) == 0);
        }
    }
}

/* ---- One rank is cancelled or has no memory ---- */

static int stop_at_once(void *user, double done)
{
    (void)user;
    (void)done;
    return 1;
}

static void stopping_body(void *user, ordo_comm *comm)
{
    size_t const  rank = (size_t)comm->rank;
    bool const    odd_one = rank == 2;
    ordo_ctx     *ctx;
    ordo_ctx_opts opts = ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CPU, .threads = 1);
    (void)user;
    if (odd_one && verb == 0) {
        opts.progress = stop_at_once;
        opts.progress_interval = -1;
    }
    if (odd_one && verb == 1)
        opts.mem_limit = 4096;
    kit.status[rank] = ordo_ctx_create(&ctx, &opts);
    if (kit.status[rank] != ORDO_OK)
        return;
    kit.status[rank] =
        ordo_dist_sort(ctx, comm, ORDO_U32, keys + kit.starts[rank], count_of(rank), NULL);
    strncpy(kit.message[rank], ordo_last_error(ctx), DISTKIT_MESSAGE - 1);
    ordo_ctx_free(ctx);
}

static void check_stopped(void)
{
    distkit_split(0, N, RANKS, 1, kit.starts);
    for (verb = 0; verb < 2; verb++) {
        ordo_status const wanted = verb == 0 ? ORDO_E_CANCELLED : ORDO_E_NOMEM;
        testkit_case("%s on rank 2", verb == 0 ? "cancelled" : "no memory");
        fill();
        CHECK(ordo_dist_threads(RANKS, stopping_body, NULL) == ORDO_OK);
        for (size_t r = 0; r < RANKS; r++) {
            if (!CHECK(kit.status[r] == wanted))
                printf("rank %zu returns %d: %s\n", r, kit.status[r], kit.message[r]);
            CHECK(strstr(kit.message[r], "rank 2: ") != NULL);
            check_kept(r);
        }
    }
}

/* ---- Wrong arguments that only one rank can see ---- */

static void check_alone(void)
{
    ordo_ctx *ctx;
    CHECK(ordo_ctx_create(&ctx, NULL) == ORDO_OK);
    CHECK_STATUS(ORDO_E_ARG, ordo_dist_sort(ctx, NULL, ORDO_U32, keys, N, NULL), ctx);
    ordo_comm comm = ORDO_OPTS(ordo_comm, .rank = 2, .size = 2);
    CHECK_STATUS(ORDO_E_ARG, ordo_dist_sort(ctx, &comm, ORDO_U32, keys, N, NULL), ctx);
    comm.rank = 0;
    CHECK_STATUS(ORDO_E_ARG, ordo_dist_sort(ctx, &comm, ORDO_U32, keys, N, NULL), ctx);
    CHECK(ordo_dist_threads(0, stopping_body, NULL) == ORDO_E_ARG);
    CHECK(ordo_dist_threads(2, NULL, NULL) == ORDO_E_ARG);
    ordo_ctx_free(ctx);
}

int main(void)
{
    testkit_start();
    check_transport();
    check_disagreement();
    check_stopped();
    check_alone();
    return testkit_done();
}
