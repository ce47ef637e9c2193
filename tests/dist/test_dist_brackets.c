/* test_dist_brackets.c - selections, top-k and ranks of so many keys that the ranks sample them:
 * every type and input shape, sorted parts that leave all middle keys to one rank, keys that are
 * nearly all equal, and numbers of uneven weight. The expected bytes are those of the calls on the
 * whole array. */
#define _GNU_SOURCE
#include "distkit.h"

enum {
    KEYS = 100000,
    EVERY = 11, /* one of so many combinations runs; prime to the number of types */
    FEW = 3,
    MANY = 40,   /* more positions than one read has brackets for, or that are found one by one */
    LOTS = 1200, /* more than one read labels keys for */
    TOP = 500
};

typedef struct job {
    distkit          kit;
    ordo_type        type;
    size_t           size, count;
    bool             descending;
    uint64_t         positions[LOTS];
    char             found[DISTKIT_RANKS][LOTS * 8], top[DISTKIT_RANKS][TOP * 8];
    uint64_t         index[DISTKIT_RANKS][TOP];
    double           median[DISTKIT_RANKS];
    ordo_dist_report report[DISTKIT_RANKS];
} job;

static job      j;
static char     keys[KEYS * 8], expected[KEYS * 8];
static double   ranks[KEYS], expected_ranks[KEYS];
static uint64_t expected_index[TOP];

static size_t      count_of(size_t rank) { return j.kit.starts[rank + 1] - j.kit.starts[rank]; }
static const char *part_of(size_t rank) { return keys + j.kit.starts[rank] * j.size; }
static uint64_t    flags(void) { return j.descending ? ORDO_DESCENDING : 0; }

static ordo_status call_select(void *user, ordo_ctx *ctx, const ordo_comm *comm, size_t rank)
{
    (void)user;
    j.report[rank] = ORDO_OPTS(ordo_dist_report, .total = 0);
    return ordo_dist_select(
        ctx, comm, j.type, part_of(rank), count_of(rank), j.positions, j.count, j.found[rank],
        &ORDO_OPTS(ordo_dist_opts, .flags = flags(), .report = &j.report[rank]));
}

static ordo_status call_median(void *user, ordo_ctx *ctx, const ordo_comm *comm, size_t rank)
{
    (void)user;
    return ordo_dist_median(ctx, comm, j.type, part_of(rank), count_of(rank), &j.median[rank],
                            ORDO_NANS_OMIT, NULL);
}

static ordo_status call_topk(void *user, ordo_ctx *ctx, const ordo_comm *comm, size_t rank)
{
    (void)user;
    return ordo_dist_topk(ctx, comm, j.type, part_of(rank), count_of(rank), TOP, j.top[rank],
                          j.index[rank], NULL, &ORDO_OPTS(ordo_dist_opts, .flags = flags()));
}

static ordo_status call_rank(void *user, ordo_ctx *ctx, const ordo_comm *comm, size_t rank)
{
    (void)user;
    return ordo_dist_rank(ctx, comm, j.type, part_of(rank), count_of(rank), ORDO_TIES_AVERAGE,
                          ORDO_F64, ranks + j.kit.starts[rank],
                          &ORDO_OPTS(ordo_dist_opts, .flags = flags()));
}

/* ---- Checks ---- */

#ifndef ORDO_TINY
/* Keys that all ranks looked at again. */
static uint64_t kept(void)
{
    uint64_t sum = 0;
    for (size_t r = 0; r < j.kit.ranks; r++)
        sum += j.report[r].kept;
    return sum;
}
#endif

/* Positions that are spread, or next to each other in the middle. */
static void check_select(ordo_ctx *ctx, size_t count, bool close)
{
    size_t k[LOTS];
    for (size_t i = 0; i < count; i++)
        j.positions[i] = k[i] = close ? KEYS / 2 + i : (2 * i + 1) * KEYS / (2 * count);
    j.count = count;
    CHECK_STATUS(ORDO_OK,
                 ordo_select(ctx, j.type, keys, KEYS, k, count, expected,
                             &ORDO_OPTS(ordo_select_opts, .flags = flags())),
                 ctx);
    j.kit.call = call_select;
    if (!distkit_run(&j.kit, ORDO_OK))
        return;
    for (size_t r = 0; r < j.kit.ranks; r++)
        CHECK_BYTES(expected, j.found[r], count * j.size, j.size);
#ifndef ORDO_TINY
    if (count <= MANY) /* the keys shrink, whatever they are */
        CHECK(kept() < KEYS / 2);
#endif
}

static void check_median(ordo_ctx *ctx)
{
    double median;
    CHECK_STATUS(ORDO_OK,
                 ordo_median(ctx, j.type, keys, KEYS, &median,
                             &ORDO_OPTS(ordo_quantile_opts, .nans = ORDO_NANS_OMIT)),
                 ctx);
    j.kit.call = call_median;
    if (distkit_run(&j.kit, ORDO_OK))
        for (size_t r = 0; r < j.kit.ranks; r++)
            CHECK_BYTES(&median, &j.median[r], sizeof median, sizeof median);
}

static void check_topk(ordo_ctx *ctx)
{
    CHECK_STATUS(ORDO_OK,
                 ordo_topk(ctx, j.type, keys, KEYS, TOP, expected, ORDO_U64, expected_index, NULL,
                           &ORDO_OPTS(ordo_select_opts, .flags = flags())),
                 ctx);
    j.kit.call = call_topk;
    if (!distkit_run(&j.kit, ORDO_OK))
        return;
    for (size_t r = 0; r < j.kit.ranks; r++) {
        CHECK_BYTES(expected, j.top[r], TOP * j.size, j.size);
        CHECK_BYTES(expected_index, j.index[r], sizeof expected_index, sizeof *expected_index);
    }
}

static void check_ranks(ordo_ctx *ctx)
{
    CHECK_STATUS(ORDO_OK,
                 ordo_rank(ctx, j.type, keys, KEYS, ORDO_F64, expected_ranks,
                           &ORDO_OPTS(ordo_rank_opts, .ties = ORDO_TIES_AVERAGE, .flags = flags())),
                 ctx);
    j.kit.call = call_rank;
    if (distkit_run(&j.kit, ORDO_OK))
        CHECK_BYTES(expected_ranks, ranks, sizeof ranks, sizeof *ranks);
}

static void check_all(ordo_ctx *ctx)
{
    check_select(ctx, FEW, false);
    check_select(ctx, MANY, false);
    check_select(ctx, MANY, true);
    check_select(ctx, LOTS, false);
    check_median(ctx);
    check_topk(ctx);
    check_ranks(ctx);
}

/* All but a few keys are zero bytes: both ends of a bracket may tie with them. */
static void mostly_equal(void)
{
    for (size_t i = 0; i < KEYS; i++)
        if (i % 50 != 0)
            memset(keys + i * j.size, 0, j.size);
}

/* u64 keys of uneven weight: small numbers, each of which is a cell of its own, and numbers of any
 * length, which only boundaries divide. */
static void check_uneven(ordo_ctx *ctx)
{
    static const size_t lengths[] = {11, 20, 63};
    uint64_t *const     words = (uint64_t *)(void *)keys;
    j.type = ORDO_U64;
    j.size = sizeof *words;
    j.kit.ranks = 3;
    j.kit.threads = 1;
    distkit_split(0, KEYS, j.kit.ranks, 1, j.kit.starts);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int down = 0; down < 2; down++) {
            testkit_case("numbers of up to %zu bits, descending %d", lengths[i], down);
            uint64_t state = 1;
            for (size_t at = 0; at < KEYS; at++) {
                state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
                words[at] = (state | UINT64_C(1) << 63) >> (63 - (state >> 33) % lengths[i]);
            }
            j.descending = down != 0;
            check_all(ctx);
            check_select(ctx, MANY, false);
#ifndef ORDO_TINY
            CHECK(lengths[i] > 11 || kept() == 0);
#endif
        }
}

int main(void)
{
    static const size_t rank_counts[] = {2, 3, 8, 16};
    ordo_ctx           *ctx;
    testkit_start();
    CHECK(ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CPU)) == ORDO_OK);
    size_t turn = 0;
    for (size_t shape = 0; shape < inputs_count(); shape++)
        for (size_t t = 0; t < INPUTS_TYPES; t++) {
            if (++turn % EVERY != shape % EVERY || !testkit_run_case(7))
                continue;
            j.type = inputs_types[t];
            j.size = ordo_type_size(j.type);
            j.descending = turn % 2 == 0;
            j.kit.ranks = rank_counts[turn / EVERY % 4];
            j.kit.threads = turn % 4 == 0 ? 2 : 1;
            testkit_case("%s %s, %zu ranks", ordo_type_name(j.type), inputs_name(shape),
                         j.kit.ranks);
            inputs_fill(shape, j.type, keys, KEYS, shape);
            distkit_split(turn % DISTKIT_SPLITS, KEYS, j.kit.ranks, turn, j.kit.starts);
            check_all(ctx);
            if (turn % 2 == 0)
                mostly_equal();
            else
                inputs_sort(j.type, keys, KEYS, false);
            check_all(ctx);
        }
    check_uneven(ctx);
    ordo_ctx_free(ctx);
    return testkit_done();
}
