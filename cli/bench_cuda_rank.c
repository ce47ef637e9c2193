/* bench_cuda_rank.c - the experiments of `ordo bench rank --device cuda`.
 *
 * Those of the standard-competition-ranking paper for the GPU: time against the recurrence
 * probability (its figures 7 and 8) and against the number of keys, with speed-ups over the
 * sequential loop on the host (figures 11 and 12). Then tie strategies, key types and small
 * arrays. The peer is what one builds from CUB: an inclusive maximum over the places of heads. */
#include "bench_cuda.h"
#include "bench_peers.h"
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct rank_args {
    ordo_type      type, rank_type;
    const void    *keys;
    void          *ranks;
    size_t         n;
    ordo_rank_opts opts;
} rank_args;

typedef struct rank_case {
    bench_question question;
    rank_args      args;
    bench_peer_ask peers;
} rank_case;

static const struct {
    ordo_ties   ties;
    const char *name;
} strategies[] = {
    {ORDO_TIES_MIN, "min"},         {ORDO_TIES_MAX, "max"},         {ORDO_TIES_DENSE, "dense"},
    {ORDO_TIES_ORDINAL, "ordinal"}, {ORDO_TIES_AVERAGE, "average"},
};

static const bench_algorithm algorithms[] = {
    {"auto", 1, ORDO_ALGORITHM_AUTO, false},
    {"hybrid", 1, ORDO_ALGORITHM_HYBRID, false},
    {"shuffle", 1, ORDO_ALGORITHM_SHUFFLE, false},
    {"naive", 1, ORDO_ALGORITHM_NAIVE, false},
};
enum {
    ALGORITHMS = sizeof algorithms / sizeof *algorithms
};

static ordo_status call_rank(ordo_ctx *ctx, const void *what)
{
    const rank_args *const a = what;
    return ordo_rank_sorted(ctx, a->type, a->keys, a->n, a->rank_type, a->ranks, &a->opts);
}

/* The loop on the host has a context of its own. */
static ordo_status call_host(ordo_ctx *ctx, const void *what)
{
    (void)ctx;
    return call_rank(bench_cuda_host_context(), what);
}

static void ask_rank(const bench *b, ordo_type type, ordo_type rank_type, size_t n, double p,
                     ordo_ties ties, rank_case *c)
{
    const size_t written = n * ordo_type_size(rank_type);

    *c = (rank_case){
        .question = bench_ask("rank", type, n),
        .args = {.type = type,
                 .rank_type = rank_type,
                 .keys = b->src,
                 .ranks = b->dst,
                 .n = n,
                 .opts = ORDO_OPTS(ordo_rank_opts, .flags = BENCH_ON_DEVICE, .ties = (uint32_t)ties,
                                   .stream = bench_cuda_stream())},
        .peers = {.op = BENCH_PEER_RANK_SORTED,
                  .type = type,
                  .task = {.keys = b->src, .out = b->dst, .n = n},
                  .base = "cub max scan"},
    };
    c->question.variant = "min";
    c->question.dist = "recur";
    c->question.out_type = rank_type;
    c->question.p = p;
    c->question.bytes = n * ordo_type_size(type) + written;
    c->question.answer = b->dst;
    c->question.answer_bytes = written;
}

static bool add_algorithms(bench *b, const rank_case *c, rank_args args[ALGORITHMS])
{
    for (size_t i = 0; i < ALGORITHMS; i++) {
        args[i] = c->args;
        args[i].opts.algorithm = (uint32_t)algorithms[i].algorithm;
        if (!bench_add_both(b, algorithms[i].name, call_rank, &args[i]))
            return false;
    }
    return true;
}

static bool run_p(bench *b)
{
    static const double chances[] = {0,   0.1, 0.2,  0.3,   0.4,    0.5,     0.6,      0.7,
                                     0.8, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999, 1};

    bench_heading(b,
                  "Time against the recurrence probability p (figures 7, 8): f32 keys, u32 ranks "
                  "(min); speed-up over CUB",
                  b->set.n, "p", 9);
    for (size_t i = 0; i < sizeof chances / sizeof *chances; i++) {
        rank_case c;
        rank_args args[ALGORITHMS];
        ask_rank(b, ORDO_F32, ORDO_U32, b->set.n, chances[i], ORDO_TIES_MIN, &c);
        snprintf(c.question.label, sizeof c.question.label, "%g", chances[i]);
        if (!bench_generate(b, ORDO_DIST_RECUR, ORDO_F32, b->src, b->set.n, chances[i]) ||
            !bench_add_all_peers(b, &c.peers) || !add_algorithms(b, &c, args) ||
            !bench_measure(b, &c.question))
            return false;
    }
    return bench_summary(b, "auto", true) && bench_summary(b, "hybrid", true);
}

/* The paper's baseline: one loop on the host, over the keys as they were generated. */
static bool n_once(bench *b, size_t n, uint32_t *host_ranks)
{
    rank_case c;
    rank_args args[ALGORITHMS], loop;

    ask_rank(b, ORDO_F32, ORDO_U32, n, 0.5, ORDO_TIES_MIN, &c);
    bench_count(c.question.label, n);
    c.peers.base = NULL;
    if (!bench_generate(b, ORDO_DIST_RECUR, ORDO_F32, b->src, n, 0.5) ||
        bench_cuda_host_context() == NULL)
        return false;
    loop = c.args;
    loop.keys = bench_cuda_host_keys();
    loop.ranks = host_ranks;
    loop.opts = ORDO_OPTS(ordo_rank_opts, .algorithm = ORDO_ALGORITHM_SEQUENTIAL);
    return bench_add(b, "sequential, host", 1, BENCH_BASE_LOOSE, call_host, &loop) &&
           bench_add_all_peers(b, &c.peers) && add_algorithms(b, &c, args) &&
           bench_measure(b, &c.question);
}

static bool run_n(bench *b)
{
    uint32_t *const host_ranks = cli_alloc(b->set.n, sizeof *host_ranks, "ranks on the host");
    bool            ok = host_ranks != NULL;

    bench_heading(b,
                  "Time against the number of keys n (figures 11, 12): f32 keys, u32 ranks (min), "
                  "p = 0.5; speed-up over the loop on the host",
                  0, "n", 13);
    for (unsigned halvings = 6; ok && halvings-- > 0;)
        ok = n_once(b, b->set.n >> halvings, host_ranks);
    free(host_ranks);
    return ok && bench_summary(b, "auto", false) && bench_summary(b, "hybrid", false);
}

static bool run_ties(bench *b)
{
    static const ordo_type rank_types[] = {ORDO_U32, ORDO_U64, ORDO_F64};

    bench_heading(b, "Tie strategies and rank types: f32 keys, p = 0.5", b->set.n, "ranks", 12);
    if (!bench_generate(b, ORDO_DIST_RECUR, ORDO_F32, b->src, b->set.n, 0.5))
        return false;
    for (size_t s = 0; s < sizeof strategies / sizeof *strategies; s++) {
        for (size_t t = 0; t < sizeof rank_types / sizeof *rank_types; t++) {
            rank_case c;
            if (strategies[s].ties == ORDO_TIES_AVERAGE && rank_types[t] != ORDO_F64)
                continue;
            ask_rank(b, ORDO_F32, rank_types[t], b->set.n, 0.5, strategies[s].ties, &c);
            c.question.variant = strategies[s].name;
            snprintf(c.question.label, sizeof c.question.label, "%s %s", strategies[s].name,
                     ordo_type_name(rank_types[t]));
            if (!bench_add_both(b, "auto", call_rank, &c.args) || !bench_measure(b, &c.question))
                return false;
        }
    }
    return bench_summary(b, "auto", false);
}

/* Types of 8 and 16 bits have too few values for n keys at p = 0.5; theirs then repeat as often
 * as it takes to use half the values. */
static double chance_for(ordo_type type, size_t n)
{
    const size_t size = ordo_type_size(type);

    if (size > 2)
        return 0.5;
    const double values = size == 1 ? 256 : 65536;
    return fmax(1 - values / (2 * (double)n), 0.5);
}

static bool run_types(bench *b)
{
    bench_heading(b,
                  "Key types: u32 ranks (min), p = 0.5 (8 and 16 bits: half of all values occur); "
                  "speed-up over CUB",
                  b->set.n, "keys", 6);
    for (int type = ORDO_I8; type <= ORDO_F64; type++) {
        const double p = chance_for((ordo_type)type, b->set.n);
        rank_case    c;
        ask_rank(b, (ordo_type)type, ORDO_U32, b->set.n, p, ORDO_TIES_MIN, &c);
        snprintf(c.question.label, sizeof c.question.label, "%s", ordo_type_name((ordo_type)type));
        if (!bench_generate(b, ORDO_DIST_RECUR, (ordo_type)type, b->src, b->set.n, p) ||
            !bench_add_all_peers(b, &c.peers) || !bench_add_both(b, "auto", call_rank, &c.args) ||
            !bench_measure(b, &c.question))
            return false;
    }
    return bench_summary(b, "auto", false);
}

static bool small_once(bench *b, size_t n)
{
    rank_case c;

    ask_rank(b, ORDO_F32, ORDO_U32, n, 0.5, ORDO_TIES_MIN, &c);
    bench_count(c.question.label, n);
    if (!bench_generate(b, ORDO_DIST_RECUR, ORDO_F32, b->src, n, 0.5))
        return false;
    void *const graph = bench_cuda_record(b, call_rank, &c.args);
    const bool  ok = bench_add_all_peers(b, &c.peers) &&
                    bench_add_both(b, "auto", call_rank, &c.args) &&
                    (graph == NULL || bench_add_both(b, "auto, graph", bench_cuda_replay, graph)) &&
                    bench_measure(b, &c.question);
    bench_cuda_forget(graph);
    return ok;
}

static bool run_small(bench *b)
{
    b->unit = 1e-6;
    b->batch_seconds = 5e-3;
    bench_heading(b,
                  "Small arrays, time of one of many calls in a row: f32 keys, u32 ranks (min), "
                  "p = 0.5; speed-up over CUB",
                  0, "n", 9);
    for (size_t n = 256; n <= (size_t)1 << 20; n *= 16)
        if (!small_once(b, n))
            return false;
    return true;
}

const bench_section bench_cuda_rank_sections[] = {
    {"p", 4, 4, 0, run_p, true},         {"n", 4, 4, 0, run_n, true},
    {"ties", 6, 8, 0, run_ties, false},  {"types", 8, 6, 0, run_types, true},
    {"small", 4, 4, 0, run_small, true}, {"unsorted", 8, 8, 0, bench_cuda_unsorted, true},
    {NULL, 0, 0, 0, NULL, false},
};
