/* ranks.c - the program ordo-ranks: times calls over many ranks, which are threads of one
 * process, beside the same calls of one context with as many threads.
 *
 *     ordo-ranks [-n KEYS] [-t TYPE] [-d DISTRIBUTION] [-r ROUNDS] [-c CALLS] RANKSxTHREADS...
 *
 * DISTRIBUTION is uniform, normal or zipf. CALLS are letters: s sort, r average ranks, m median,
 * p the 99 percentiles, o one read of the keys (their sum, by as many threads as all ranks have). A
 * round makes each of these calls once, and the bytes of the sorts are compared.
 * Prints medians of the elapsed times, the least CPU times and page faults, and of rank 0 the part
 * of the keys that moved to other ranks, the pieces (messages of an exchange), and the number and
 * bytes of collective operations. */
#define _GNU_SOURCE
#include "bench/harness/ranks_times.h"

#include <stdatomic.h>
#include <string.h>

typedef struct counter { /* a transport that counts the operations of a rank */
    ordo_comm inner;
    uint64_t  collectives, pieces;
} counter;

typedef struct bench {
    ordo_type            type;
    ordo_dist            dist;
    size_t               n, size, rounds, threads;
    char                *keys, *work, *expected;
    ranks_times          times[RANKS_CALLS];
    double               median;
    double              *ranks;
    ordo_dist_report     report[RANKS_CALLS];
    counter              counts[RANKS_CALLS];
    ordo_status          status;
    const char          *calls; /* of "srmpo" */
    ranks_times          reads; /* one read of the keys */
    atomic_uint_fast64_t sum;
} bench;

static bool makes(const bench *b, int what) { return strchr(b->calls, "srmp"[what]) != NULL; }

/* ---- The transport ---- */

static int count_allgather(void *user, const void *mine, const uint64_t *bytes_of, void *all)
{
    counter *const c = user;
    c->collectives++;
    return c->inner.allgather(c->inner.user, mine, bytes_of, all);
}

static int count_sum(void *user, uint64_t *values, size_t count)
{
    counter *const c = user;
    c->collectives++;
    return c->inner.sum(c->inner.user, values, count);
}

static int count_prefix(void *user, uint64_t *values, size_t count)
{
    counter *const c = user;
    c->collectives++;
    return c->inner.prefix(c->inner.user, values, count);
}

static int count_exchange(void *user, const char *send, const uint64_t *send_at,
                          const uint64_t *send_bytes, char *receive, const uint64_t *receive_at,
                          const uint64_t *receive_bytes)
{
    counter *const c = user;
    for (int32_t r = 0; r < c->inner.size; r++)
        c->pieces += r != c->inner.rank && send_bytes[r] > 0;
    return c->inner.exchange(c->inner.user, send, send_at, send_bytes, receive, receive_at,
                             receive_bytes);
}

static ordo_comm counting(counter *c)
{
    ordo_comm out = c->inner;
    out.user = c;
    out.allgather = count_allgather;
    out.sum = count_sum;
    out.prefix = count_prefix;
    out.exchange = count_exchange;
    out.give_up = NULL; /* the program ends if a call fails */
    return out;
}

/* ---- The calls ---- */

/* The first key of a rank. The first ranks have one more if the keys do not divide evenly, so that
 * rank 0 has keys. */
static size_t start_of(const bench *b, size_t ranks, size_t rank)
{
    size_t const extra = b->n % ranks;
    return b->n / ranks * rank + (rank < extra ? rank : extra);
}

/* A read of the keys by ranks of one thread each. */
static void read_body(void *user, ordo_comm *comm)
{
    bench *const b = user;
    size_t const size = (size_t)comm->size, rank = (size_t)comm->rank;
    size_t const from = start_of(b, size, rank) * b->size / sizeof(uint64_t);
    size_t const to = start_of(b, size, rank + 1) * b->size / sizeof(uint64_t);
    for (size_t round = 0; round <= b->rounds; round++) {
        uint64_t sums[8] = {0};
        ranks_meet(comm);
        ranks_moment const    begun = ranks_now();
        const uint64_t *const words = (const uint64_t *)(const void *)b->keys;
        for (size_t i = from; i + 8 <= to; i += 8)
            for (size_t j = 0; j < 8; j++)
                sums[j] += words[i + j];
        for (size_t j = 0; j < 8; j++)
            atomic_fetch_add(&b->sum, sums[j]);
        ranks_meet(comm);
        if (rank == 0)
            ranks_note(&b->reads, round, begun);
    }
}

/* Prints the elapsed time and the CPU time of a read. */
static int time_read(bench *b, size_t threads)
{
    if (strchr(b->calls, 'o') == NULL)
        return 0;
    if (ordo_dist_threads((int32_t)threads, read_body, b) != ORDO_OK)
        return 2;
    printf("one read by %zu threads: %.2f, CPU %.2f\n", threads,
           1e3 * ranks_value(b->reads.elapsed, b->rounds, 0.5),
           1e3 * ranks_value(b->reads.cpu, b->rounds, 0));
    return 0;
}

/* One call on every rank; rank 0 notes the time until all have ended. */
static void time_call(bench *b, ordo_ctx *ctx, const ordo_comm *inner, int what, size_t round)
{
    counter                counted = {.inner = *inner};
    ordo_comm const        counting_comm = counting(&counted);
    const ordo_comm *const comm = &counting_comm;
    size_t const           size = (size_t)comm->size, rank = (size_t)comm->rank;
    size_t const           from = start_of(b, size, rank), to = start_of(b, size, rank + 1);
    size_t const           n = to - from;
    char *const            work = (what == 0 ? b->work : b->keys) + from * b->size;
    ordo_dist_report       report = ORDO_OPTS(ordo_dist_report, .total = 0);
    ordo_dist_opts const   opts = ORDO_OPTS(ordo_dist_opts, .report = &report);
    double                 median, q[RANKS_PERCENTILES], found[RANKS_PERCENTILES];
    if (what == 0)
        memcpy(work, b->keys + from * b->size, n * b->size);
    ranks_percentiles(q);
    ranks_meet(inner);
    ranks_moment const begun = ranks_now();
    ordo_status        status;
    if (what == 0)
        status = ordo_dist_sort(ctx, comm, b->type, work, n, &opts);
    else if (what == 1)
        status = ordo_dist_rank(ctx, comm, b->type, work, n, ORDO_TIES_AVERAGE, ORDO_F64,
                                b->ranks + from, &opts);
    else if (what == 2)
        status = ordo_dist_median(ctx, comm, b->type, work, n, &median, ORDO_NANS_LAST, &opts);
    else
        status = ordo_dist_quantiles(ctx, comm, b->type, work, n, q, RANKS_PERCENTILES, found,
                                     ORDO_NANS_LAST, ORDO_METHOD_DEFAULT, &opts);
    ranks_meet(inner);
    if (rank != 0)
        return;
    ranks_note(&b->times[what], round, begun);
    b->status = status;
    b->report[what] = report;
    b->counts[what] = counted;
    if (status != ORDO_OK)
        fprintf(stderr, "ordo-ranks: %s\n", ordo_last_error(ctx));
}

static void body(void *user, ordo_comm *comm)
{
    bench *const b = user;
    ordo_ctx    *ctx;
    if (ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CPU,
                                         .threads = (uint32_t)b->threads)) != ORDO_OK)
        return;
    for (size_t round = 0; round <= b->rounds; round++) /* the first one is not counted */
        for (int what = RANKS_CALLS - 1; what >= 0; what--)
            if (makes(b, what))
                time_call(b, ctx, comm, what, round);
    ordo_ctx_free(ctx);
}

static void print(bench *b, size_t ranks, size_t threads)
{
    bool const made[RANKS_CALLS] = {makes(b, 0), makes(b, 1), makes(b, 2), makes(b, 3)};
    ranks_print(ranks, threads, b->times, b->rounds, made);
}

/* What rank 0 reported of the last round. */
static void print_reports(const bench *b, size_t part)
{
    for (int what = 0; what < RANKS_CALLS; what++) {
        const ordo_dist_report *const r = &b->report[what];
        if (makes(b, what))
            printf("  %-11s rank 0 moved %.4f of its keys in %llu pieces, %llu rounds, %llu "
                   "collectives of %.1f kB; ms: cuts %.2f scatter %.2f exchange %.2f local %.2f "
                   "merge %.2f\n",
                   ranks_names[what], (double)r->moved / (double)b->size / (double)part,
                   (unsigned long long)b->counts[what].pieces, (unsigned long long)r->rounds,
                   (unsigned long long)b->counts[what].collectives, 1e-3 * (double)r->collective,
                   1e3 * r->cut_seconds, 1e3 * r->scatter_seconds, 1e3 * r->exchange_seconds,
                   1e3 * r->local_seconds, 1e3 * r->merge_seconds);
    }
}

static int alone(bench *b, size_t threads)
{
    ordo_ctx *ctx;
    if (ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CPU,
                                         .threads = (uint32_t)threads)) != ORDO_OK)
        return 2;
    int    failed = 0;
    double q[RANKS_PERCENTILES], found[RANKS_PERCENTILES];
    ranks_percentiles(q);
    for (size_t round = 0; round <= b->rounds; round++) {
        if (makes(b, 0))
            memcpy(b->expected, b->keys, b->n * b->size);
        ranks_moment begun = ranks_now();
        if (makes(b, 3))
            failed |=
                ordo_quantiles(ctx, b->type, b->keys, b->n, q, RANKS_PERCENTILES, found, NULL);
        ranks_note(&b->times[3], round, begun);
        begun = ranks_now();
        if (makes(b, 2))
            failed |= ordo_median(ctx, b->type, b->keys, b->n, &b->median, NULL);
        ranks_note(&b->times[2], round, begun);
        begun = ranks_now();
        if (makes(b, 1))
            failed |= ordo_rank(ctx, b->type, b->keys, b->n, ORDO_F64, b->ranks,
                                &ORDO_OPTS(ordo_rank_opts, .ties = ORDO_TIES_AVERAGE));
        ranks_note(&b->times[1], round, begun);
        begun = ranks_now();
        if (makes(b, 0))
            failed |= ordo_sort(ctx, b->type, b->expected, b->n, NULL);
        ranks_note(&b->times[0], round, begun);
    }
    ordo_ctx_free(ctx);
    print(b, 1, threads);
    return failed != 0 ? 2 : 0;
}

static int over_ranks(bench *b, size_t ranks, size_t threads)
{
    b->threads = threads;
    b->status = ORDO_E_IO;
    if (ordo_dist_threads((int32_t)ranks, body, b) != ORDO_OK || b->status != ORDO_OK)
        return 2;
    if (makes(b, 0) && memcmp(b->work, b->expected, b->n * b->size) != 0) {
        fprintf(stderr, "ordo-ranks: %zu ranks give other bytes\n", ranks);
        return 2;
    }
    print(b, ranks, threads);
    print_reports(b, start_of(b, ranks, 1));
    return 0;
}

static const struct {
    const char *name;
    ordo_dist   dist;
} dists[] = {
    {"uniform", ORDO_DIST_UNIFORM}, {"normal", ORDO_DIST_NORMAL}, {"zipf", ORDO_DIST_ZIPF}};

static ordo_dist dist_of(const char *name) /* 0: unknown */
{
    for (size_t i = 0; i < sizeof dists / sizeof *dists; i++)
        if (strcmp(dists[i].name, name) == 0)
            return dists[i].dist;
    return (ordo_dist)0;
}

static const char *name_of(ordo_dist dist)
{
    size_t i = 0;
    while (dists[i].dist != dist)
        i++;
    return dists[i].name;
}

int main(int argc, char **argv)
{
    static bench b = {
        .type = ORDO_U64, .dist = ORDO_DIST_UNIFORM, .n = 10000000, .rounds = 5, .calls = "srmp"};
    int at = 1;
    for (; at + 1 < argc && argv[at][0] == '-'; at += 2) {
        if (argv[at][1] == 'n')
            b.n = (size_t)strtod(argv[at + 1], NULL);
        else if (argv[at][1] == 't')
            b.type = (ordo_type)ordo_type_parse(argv[at + 1]);
        else if (argv[at][1] == 'd')
            b.dist = dist_of(argv[at + 1]);
        else if (argv[at][1] == 'r')
            b.rounds = (size_t)strtoul(argv[at + 1], NULL, 10);
        else if (argv[at][1] == 'c')
            b.calls = argv[at + 1];
    }
    b.size = ordo_type_size(b.type);
    if (b.size == 0 || b.dist == 0 || b.n == 0 || b.rounds == 0 || b.rounds > RANKS_MOST_ROUNDS ||
        at == argc) {
        fprintf(stderr, "usage: ordo-ranks [-n KEYS] [-t TYPE] [-d DISTRIBUTION] [-r ROUNDS] "
                        "[-c CALLS] RANKSxTHREADS...\n");
        return 2;
    }
    ordo_ctx *ctx;
    b.keys = malloc(b.n * b.size);
    b.work = malloc(b.n * b.size);
    b.expected = malloc(b.n * b.size);
    b.ranks = malloc(b.n * sizeof *b.ranks);
    if (b.keys == NULL || b.work == NULL || b.expected == NULL || b.ranks == NULL ||
        ordo_ctx_create(&ctx, NULL) != ORDO_OK ||
        ordo_gen(ctx, b.dist, b.type, b.keys, b.n, NULL) != ORDO_OK)
        return 2;
    ordo_ctx_free(ctx);
    printf("%zu %s keys, %s, %zu rounds, ms\n", b.n, ordo_type_name(b.type), name_of(b.dist),
           b.rounds);
    ranks_print_head();
    for (int failed = 0; at < argc; at++) {
        unsigned ranks = 0, threads = 0;
        if (sscanf(argv[at], "%ux%u", &ranks, &threads) != 2 || ranks == 0 || threads == 0)
            return 2;
        size_t const all = (size_t)ranks * threads;
        failed = time_read(&b, all) | alone(&b, all) | over_ranks(&b, ranks, threads);
        if (failed != 0)
            return failed;
    }
    free(b.keys);
    free(b.work);
    free(b.expected);
    free(b.ranks);
    return 0;
}
