/* test_dist_counts.c - the numbers of collective operations in the model of ordo-mpi
 * (mpi/counts.h), beside those that a counting transport sees: sorts, ranks, medians and sorts of
 * strings on 1 to 64 ranks, with distinct keys and with few values. Percentiles are counted too. */
#define _GNU_SOURCE
#include "../../mpi/counts.h"
#include "distkit.h"
#include "ordo_dist_strings.h"

enum {
    CALLS = 4,
    PERCENTILES = CALLS, /* not a call of the model */
    PERCENTILE_COUNT = 99,
    KEYS = 40000,
    MOST = 300000, /* so many that a median reads and keeps some */
    STRING = 8     /* bytes */
};

typedef struct counter { /* of rank 0 */
    ordo_comm inner;
    uint64_t  operations;
} counter;

static distkit          kit;
static counter          counters[DISTKIT_RANKS];
static counts_call      call;
static ordo_dist_report report; /* of rank 0 */
static uint64_t         keys[MOST], work[MOST];
static double           ranks[MOST];

static int count_allgather(void *user, const void *mine, const uint64_t *bytes_of, void *all)
{
    counter *const c = user;
    c->operations++;
    return c->inner.allgather(c->inner.user, mine, bytes_of, all);
}

static int count_sum(void *user, uint64_t *values, size_t count)
{
    counter *const c = user;
    c->operations++;
    return c->inner.sum(c->inner.user, values, count);
}

static int count_prefix(void *user, uint64_t *values, size_t count)
{
    counter *const c = user;
    c->operations++;
    return c->inner.prefix(c->inner.user, values, count);
}

static int pass_exchange(void *user, const char *send, const uint64_t *send_at,
                         const uint64_t *send_bytes, char *receive, const uint64_t *receive_at,
                         const uint64_t *receive_bytes)
{
    counter *const c = user;
    return c->inner.exchange(c->inner.user, send, send_at, send_bytes, receive, receive_at,
                             receive_bytes);
}

static void pass_give_up(void *user)
{
    counter *const c = user;
    c->inner.give_up(c->inner.user);
}

static ordo_comm counting(void *user, const ordo_comm *comm)
{
    counter *const c = &counters[comm->rank];
    ordo_comm      out = *comm;
    (void)user;
    *c = (counter){.inner = *comm};
    out.user = c;
    out.allgather = count_allgather;
    out.sum = count_sum;
    out.prefix = count_prefix;
    out.exchange = pass_exchange;
    out.give_up = pass_give_up;
    return out;
}

static char *take(void *user, uint64_t bytes)
{
    char **const memory = user;
    return *memory = malloc((size_t)bytes + 1);
}

static ordo_status sort_lines(ordo_ctx *ctx, const ordo_comm *comm, const uint64_t *part, size_t n,
                              const ordo_dist_opts *opts)
{
    uint64_t *const offsets = malloc(2 * (n + 1) * sizeof *offsets);
    char           *bytes = NULL;
    if (offsets == NULL)
        return ORDO_E_NOMEM;
    for (size_t i = 0; i <= n; i++)
        offsets[i] = i * STRING;
    ordo_strings const in =
        ORDO_OPTS(ordo_strings, .bytes = (const char *)part, .offsets = offsets);
    ordo_dist_text const out =
        ORDO_OPTS(ordo_dist_text, .n = n, .offsets = offsets + n + 1, .take = take, .user = &bytes);
    ordo_status const status = ordo_dist_sort_strings(ctx, comm, &in, n, &out, opts);
    free(offsets);
    free(bytes);
    return status;
}

static ordo_status make_call(void *user, ordo_ctx *ctx, const ordo_comm *comm, size_t rank)
{
    ordo_dist_report     own = ORDO_OPTS(ordo_dist_report, .total = 0);
    ordo_dist_opts const opts = ORDO_OPTS(ordo_dist_opts, .report = &own);
    size_t const         start = kit.starts[rank], n = kit.starts[rank + 1] - start;
    double               median, q[PERCENTILE_COUNT], found[PERCENTILE_COUNT];
    ordo_status          status;
    (void)user;
    for (size_t i = 0; i < PERCENTILE_COUNT; i++)
        q[i] = (double)(i + 1) / (PERCENTILE_COUNT + 1);
    switch ((int)call) {
    case PERCENTILES:
        status = ordo_dist_quantiles(ctx, comm, ORDO_U64, work + start, n, q, PERCENTILE_COUNT,
                                     found, ORDO_NANS_PROPAGATE, ORDO_METHOD_DEFAULT, &opts);
        break;
    case COUNTS_SORT:
        status = ordo_dist_sort(ctx, comm, ORDO_U64, work + start, n, &opts);
        break;
    case COUNTS_RANK:
        status = ordo_dist_rank(ctx, comm, ORDO_U64, work + start, n, ORDO_TIES_AVERAGE, ORDO_F64,
                                ranks + start, &opts);
        break;
    case COUNTS_MEDIAN:
        status = ordo_dist_median(ctx, comm, ORDO_U64, work + start, n, &median,
                                  ORDO_NANS_PROPAGATE, &opts);
        break;
    default:
        status = sort_lines(ctx, comm, work + start, n, &opts);
    }
    if (rank == 0)
        report = own;
    return status;
}

/* Bytes that a rank gives: offers, numbers of offers and two sums for each cut and round, 8 bytes
 * in a round, and the agreements. */
static double given_bytes(double size, double operations)
{
    double const cuts = size - 1, offers = 32 / size;
    return (double)report.rounds * (cuts * 8 * (1 + 2 * offers + 64) + 8) + 24 * operations + 400;
}

static bool run_on(size_t n, size_t size)
{
    memcpy(work, keys, n * sizeof *keys);
    kit = (distkit){.ranks = size, .threads = 1, .seed = 1, .wrap = counting, .call = make_call};
    distkit_split(0, n, size, 1, kit.starts);
    return distkit_run(&kit, ORDO_OK);
}

#ifndef ORDO_TINY /* more positions than are labelled there */
/* The 99 percentiles take 6 operations for a read, and one read of so many keys. */
static void count_percentiles(const char *name, size_t n, size_t size)
{
    testkit_case("%s, percentiles on %zu ranks, %zu keys", name, size, n);
    call = (counts_call)PERCENTILES;
    if (!run_on(n, size))
        return;
    CHECK(counters[0].operations <= 12 + 6 * report.rounds);
    CHECK_EQ_U64(n > 65536, report.rounds);
}
#endif

static void compare(const char *name, size_t n, size_t size, bool distinct)
{
    testkit_case("%s, call %d on %zu ranks, %zu keys", name, (int)call, size, n);
    if (!run_on(n, size))
        return;
    double const expected =
        counts_collectives(call, (double)size, (double)n, (double)report.rounds);
    CHECK(counters[0].operations == (uint64_t)expected);
    if (call == COUNTS_SORT && size > 1)
        CHECK((double)report.collective <= given_bytes((double)size, expected));
#ifndef ORDO_TINY /* the sample and the cells are smaller there */
    double const rounds = counts_rounds(call, (double)size, (double)n);
    CHECK(!distinct || fabs(rounds - (double)report.rounds) <= (call == COUNTS_MEDIAN ? 0 : 1));
#else
    (void)distinct;
#endif
}

/* The median reads keys again if the sample of the tiny variant was too small: not compared. */
static void compare_calls(const char *name, size_t n, size_t size, bool distinct)
{
    for (int i = 0; i < CALLS; i++) {
        call = (counts_call)i;
#ifdef ORDO_TINY
        if (call == COUNTS_MEDIAN)
            continue;
#endif
        compare(name, n, size, distinct);
    }
#ifndef ORDO_TINY
    count_percentiles(name, n, size);
#endif
}

int main(void)
{
    testkit_start();
    uint64_t state = 5;
    for (size_t i = 0; i < MOST; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
        keys[i] = state ^ state >> 29;
    }
    for (size_t size = 1; size <= DISTKIT_RANKS; size++)
        compare_calls("distinct keys", KEYS, size, true);
    compare_calls("few distinct keys", 900, 7, true);
    for (size_t size = 1; size <= DISTKIT_RANKS; size *= 4)
        compare_calls("many distinct keys", MOST, size, true);
    for (size_t i = 0; i < KEYS; i++)
        keys[i] %= 3;
    for (size_t size = 2; size <= DISTKIT_RANKS; size += 5)
        compare_calls("three values", KEYS, size, false);
    return testkit_done();
}
