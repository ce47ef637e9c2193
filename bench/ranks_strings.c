/* ranks_strings.c - the program ordo-ranks-strings: times calls on strings over many ranks, which
 * are threads of one process, beside the same calls of one context with as many threads.
 *
 *     ordo-ranks-strings [-n STRINGS] [-r ROUNDS] [-i INPUT] [-c CALLS] RANKSxTHREADS...
 *
 * INPUT is words (1 to 24 random letters, the default), paths (a common prefix of 40 bytes and a
 * number) or few (one of 1000 words). CALLS are letters as of ordo-ranks: s, r, m and p. A round
 * makes each of these calls once. The sorted bytes are compared.
 * Prints medians of the elapsed times, the least CPU times and page faults, and the report of
 * rank 0. */
#define _GNU_SOURCE
#include "bench/harness/ranks_times.h"

#include <string.h>

enum {
    MOST_RANKS = 256,
    LONGEST = 64
};

typedef struct bench {
    size_t           n, rounds, threads;
    char            *bytes, *expected;
    uint64_t        *offsets, *expected_offsets;
    double          *ranks;
    char            *out[MOST_RANKS]; /* sorted bytes of each rank */
    uint64_t         out_bytes[MOST_RANKS];
    ranks_times      times[RANKS_CALLS];
    ordo_dist_report report[RANKS_CALLS];
    int              failed;
    const char      *calls; /* of "srmp" */
} bench;

static bool makes(const bench *b, int what) { return strchr(b->calls, "srmp"[what]) != NULL; }

static void print(bench *b, size_t ranks, size_t threads)
{
    bool const made[RANKS_CALLS] = {makes(b, 0), makes(b, 1), makes(b, 2), makes(b, 3)};
    ranks_print(ranks, threads, b->times, b->rounds, made);
}

/* ---- Many ranks ---- */

typedef struct taker {
    bench *b;
    int    rank;
} taker;

/* The memory of a rank stays for the next round. */
static char *take(void *user, uint64_t bytes)
{
    const taker *const t = user;
    bench *const       b = t->b;
    if (b->out[t->rank] == NULL || bytes > b->out_bytes[t->rank]) {
        free(b->out[t->rank]);
        b->out[t->rank] = malloc((size_t)bytes + 1);
    }
    b->out_bytes[t->rank] = bytes;
    return b->out[t->rank];
}

static void time_call(bench *b, ordo_ctx *ctx, const ordo_comm *comm, uint64_t *offsets, int what,
                      size_t round)
{
    size_t const       size = (size_t)comm->size, rank = (size_t)comm->rank;
    size_t const       from = b->n / size * rank, to = rank + 1 == size ? b->n : from + b->n / size;
    taker              who = {b, comm->rank};
    ordo_strings const s = ORDO_OPTS(ordo_strings, .bytes = b->bytes, .offsets = b->offsets + from);
    ordo_dist_report   report = ORDO_OPTS(ordo_dist_report, .total = 0);
    ordo_dist_opts const opts = ORDO_OPTS(ordo_dist_opts, .report = &report);
    ordo_dist_text const out =
        ORDO_OPTS(ordo_dist_text, .n = to - from, .offsets = offsets, .take = take, .user = &who);
    uint64_t index[RANKS_PERCENTILES];
    double   q[RANKS_PERCENTILES];
    ranks_percentiles(q);
    ranks_meet(comm);
    ranks_moment const begun = ranks_now();
    ordo_status const  status =
        what == 0   ? ordo_dist_sort_strings(ctx, comm, &s, to - from, &out, &opts)
         : what == 1 ? ordo_dist_rank_strings(ctx, comm, &s, to - from, ORDO_TIES_AVERAGE, ORDO_F64,
                                              b->ranks + from, &opts)
         : what == 2 ? ordo_dist_median_strings(ctx, comm, &s, to - from, index, NULL, &opts)
                     : ordo_dist_quantiles_strings(ctx, comm, &s, to - from, q, RANKS_PERCENTILES,
                                                   ORDO_METHOD_DEFAULT, index, NULL, &opts);
    ranks_meet(comm);
    if (status != ORDO_OK)
        fprintf(stderr, "ordo-ranks-strings: %s\n", ordo_last_error(ctx));
    if (rank != 0)
        return;
    ranks_note(&b->times[what], round, begun);
    b->failed |= status != ORDO_OK;
    b->report[what] = report;
}

static void body(void *user, ordo_comm *comm)
{
    bench *const    b = user;
    ordo_ctx       *ctx;
    uint64_t *const offsets = malloc((b->n / (size_t)comm->size + (size_t)comm->size + 1) * 8);
    if (offsets == NULL ||
        ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CPU,
                                         .threads = (uint32_t)b->threads)) != ORDO_OK)
        exit(2);
    for (size_t round = 0; round <= b->rounds; round++) /* the first one is not counted */
        for (int what = RANKS_CALLS - 1; what >= 0; what--)
            if (makes(b, what))
                time_call(b, ctx, comm, offsets, what, round);
    ordo_ctx_free(ctx);
    free(offsets);
}

/* Compares the sorted bytes of all ranks, and frees them. */
static int same_bytes(bench *b, size_t ranks)
{
    size_t at = 0, wrong = 0;
    for (size_t r = 0; r < ranks; at += b->out_bytes[r++]) {
        wrong += memcmp(b->out[r], b->expected + at, b->out_bytes[r]) != 0;
        free(b->out[r]);
        b->out[r] = NULL;
    }
    return wrong == 0 && at == b->offsets[b->n];
}

static int over_ranks(bench *b, size_t ranks, size_t threads)
{
    b->threads = threads;
    if (ranks > MOST_RANKS || ordo_dist_threads((int32_t)ranks, body, b) != ORDO_OK || b->failed)
        return 2;
    if (makes(b, 0) && !same_bytes(b, ranks)) {
        fprintf(stderr, "ordo-ranks-strings: %zu ranks give other bytes\n", ranks);
        return 2;
    }
    print(b, ranks, threads);
    for (int what = 0; what < RANKS_CALLS; what++) {
        const ordo_dist_report *const r = &b->report[what];
        if (!makes(b, what))
            continue;
        printf(
            "  %-11s rank 0 moved %.2f MB, %llu rounds, %.1f kB collective; ms: cuts %.2f scatter "
            "%.2f exchange %.2f local %.2f merge %.2f\n",
            ranks_names[what], 1e-6 * (double)r->moved, (unsigned long long)r->rounds,
            1e-3 * (double)r->collective, 1e3 * r->cut_seconds, 1e3 * r->scatter_seconds,
            1e3 * r->exchange_seconds, 1e3 * r->local_seconds, 1e3 * r->merge_seconds);
    }
    return 0;
}

/* ---- One context ---- */

static int alone(bench *b, size_t threads)
{
    ordo_ctx          *ctx;
    ordo_strings const s = ORDO_OPTS(ordo_strings, .bytes = b->bytes, .offsets = b->offsets);
    size_t const       middle = (b->n - 1) / 2;
    uint64_t           index[RANKS_PERCENTILES];
    size_t             places[RANKS_PERCENTILES];
    int                failed = 0;
    if (ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CPU,
                                         .threads = (uint32_t)threads)) != ORDO_OK)
        return 2;
    for (size_t i = 0; i < RANKS_PERCENTILES; i++)
        places[i] = b->n / 100 * (i + 1);
    for (size_t round = 0; round <= b->rounds; round++)
        for (int what = RANKS_CALLS - 1; what >= 0; what--) {
            ranks_moment const begun = ranks_now();
            if (!makes(b, what))
                continue;
            failed |=
                what == 0 ? ordo_sort_strings(ctx, &s, b->n, b->expected, b->expected_offsets, NULL)
                : what == 1
                    ? ordo_rank_strings(ctx, &s, b->n, ORDO_F64, b->ranks,
                                        &ORDO_OPTS(ordo_rank_opts, .ties = ORDO_TIES_AVERAGE))
                : what == 2
                    ? ordo_select_strings(ctx, &s, b->n, &middle, 1, index, NULL)
                    : ordo_select_strings(ctx, &s, b->n, places, RANKS_PERCENTILES, index, NULL);
            ranks_note(&b->times[what], round, begun);
        }
    ordo_ctx_free(ctx);
    print(b, 1, threads);
    return failed != 0 ? 2 : 0;
}

/* ---- Input ---- */

static uint64_t next(uint64_t *seed)
{
    *seed += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t x = (*seed ^ *seed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static size_t word(uint64_t seed, char *to)
{
    size_t const length = 1 + next(&seed) % 24;
    for (size_t i = 0; i < length; i++)
        to[i] = (char)('a' + next(&seed) % 26);
    return length;
}

static size_t path(uint64_t number, char *to)
{
    int const length = snprintf(to, LONGEST, "https://www.example.org/catalogue/items/%llu",
                                (unsigned long long)(number % 1000000000));
    return (size_t)length;
}

static void fill(bench *b, const char *input)
{
    uint64_t seed = 1;
    char     string[LONGEST];
    for (size_t i = 0; i < b->n; i++) {
        uint64_t const number = next(&seed);
        size_t const   length = input[0] == 'p'   ? path(number, string)
                                : input[0] == 'f' ? word(number % 1000, string)
                                                  : word(number, string);
        memcpy(b->bytes + b->offsets[i], string, length);
        b->offsets[i + 1] = b->offsets[i] + length;
    }
}

int main(int argc, char **argv)
{
    static bench b = {.n = 1000000, .rounds = 5, .calls = "srmp"};
    const char  *input = "words";
    int          at = 1;
    for (; at + 1 < argc && argv[at][0] == '-'; at += 2)
        if (argv[at][1] == 'n')
            b.n = (size_t)strtod(argv[at + 1], NULL);
        else if (argv[at][1] == 'r')
            b.rounds = (size_t)strtoul(argv[at + 1], NULL, 10);
        else if (argv[at][1] == 'c')
            b.calls = argv[at + 1];
        else
            input = argv[at + 1];
    if (b.n == 0 || b.rounds == 0 || b.rounds > RANKS_MOST_ROUNDS || at >= argc) {
        fprintf(stderr, "usage: ordo-ranks-strings [-n STRINGS] [-r ROUNDS] [-i INPUT] "
                        "[-c CALLS] RANKSxTHREADS...\n");
        return 2;
    }
    b.bytes = malloc(b.n * LONGEST);
    b.expected = malloc(b.n * LONGEST);
    b.offsets = calloc(b.n + 1, sizeof *b.offsets);
    b.expected_offsets = malloc((b.n + 1) * sizeof *b.offsets);
    b.ranks = malloc(b.n * sizeof *b.ranks);
    if (b.bytes == NULL || b.expected == NULL || b.offsets == NULL || b.expected_offsets == NULL ||
        b.ranks == NULL)
        return 2;
    fill(&b, input);
    printf("%zu strings (%s), %.1f MB, %zu rounds, ms\n", b.n, input, 1e-6 * (double)b.offsets[b.n],
           b.rounds);
    ranks_print_head();
    for (int failed = 0; at < argc && failed == 0; at++) {
        unsigned ranks = 0, threads = 0;
        if (sscanf(argv[at], "%ux%u", &ranks, &threads) != 2 || ranks == 0 || threads == 0)
            return 2;
        failed = alone(&b, (size_t)ranks * threads) | over_ranks(&b, ranks, threads);
        if (failed != 0)
            return failed;
    }
    free(b.bytes);
    free(b.expected);
    free(b.offsets);
    free(b.expected_offsets);
    free(b.ranks);
    return 0;
}
