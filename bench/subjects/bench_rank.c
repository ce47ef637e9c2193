/* bench_rank.c - `ordo bench rank`, on the host and on a GPU.
 *
 * Sections p and n repeat the experiments of the standard competition ranking paper. On the host
 * they measure every number of threads: time by recurrence probability (figure 6), time and
 * speed-up over the sequential loop by number of keys (figures 9 and 10). On a GPU: figures 7 and
 * 8, and 11 and 12. The other sections measure threads, tie rules, rank types, key types and small
 * arrays. The peer on a GPU is built from CUB: an inclusive maximum scan over the first positions
 * of groups of ties. On the host there are only the paper's algorithms. */
#include "bench/harness/bench_cuda.h"
#include "bench/subjects/bench_order.h"
#include "bench/subjects/bench_subjects.h"
#include "cli/base/cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static ordo_status call_rank(ordo_ctx *ctx, const void *what)
{
    const rank_args *const a = what;
    return ordo_rank_sorted(ctx, a->type, a->keys, a->n, a->rank_type, a->ranks, &a->opts);
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
                 .opts = ORDO_OPTS(ordo_rank_opts, .flags = bench_flags(b), .ties = (uint32_t)ties,
                                   .stream = bench_stream(b))},
        .peers = {.type = type,
                  .task = {.keys = b->src, .out = b->dst, .n = n},
                  .base = "cub max scan"},
    };
    if (b->place != NULL && ties == ORDO_TIES_MIN && rank_type == ORDO_U32) {
        c->peers.op = BENCH_PEER_RANK_SORTED;
    } else if (b->place != NULL && ties == ORDO_TIES_AVERAGE) {
        c->peers.op = BENCH_PEER_AVERAGE_SORTED;
        c->peers.base = "cub scans";
    }
    c->question.variant = "min";
    c->question.dist = "recur";
    c->question.out_type = rank_type;
    c->question.p = p;
    c->question.bytes = n * ordo_type_size(type) + written;
    c->question.answer = b->dst;
    c->question.answer_bytes = written;
}

/* ---- Contenders --------------------------------------------------------------------------- */

enum {
    CONTENDERS = 4 /* at most */
};

static rank_args with_algorithm(const rank_case *c, ordo_algorithm algorithm)
{
    rank_args args = c->args;
    args.opts.algorithm = (uint32_t)algorithm;
    return args;
}

/* Adds the call with every number of threads of a sweep, from the `first` one on. */
static bool add_sweep(bench *b, const char *name, const rank_args *args, unsigned first)
{
    for (unsigned i = first; i < b->thread_count_count; i++)
        if (!bench_add(b, name, b->thread_counts[i], BENCH_CONTENDER, call_rank, args))
            return false;
    return true;
}

/* The sequential loop; the paper's threads, all or with `sweep` every number of them above one,
 * which is the loop; auto with one and with all threads. */
static bool add_host(bench *b, const rank_case *c, rank_args args[CONTENDERS], bool sweep)
{
    args[0] = with_algorithm(c, ORDO_ALGORITHM_SEQUENTIAL);
    args[1] = with_algorithm(c, ORDO_ALGORITHM_THREADS);
    args[2] = c->args;
    return bench_add(b, "sequential", 1, BENCH_BASE, call_rank, &args[0]) &&
           (sweep
                ? add_sweep(b, "threads", &args[1], b->thread_count_count > 1)
                : bench_add(b, "threads", b->set.threads, BENCH_CONTENDER, call_rank, &args[1])) &&
           bench_add_both(b, "auto", call_rank, &args[2]);
}

/* The peers, auto and the paper's three algorithms. */
static bool add_gpu(bench *b, const rank_case *c, rank_args args[CONTENDERS])
{
    static const struct {
        const char    *name;
        ordo_algorithm algorithm;
    } list[CONTENDERS] = {{"auto", ORDO_ALGORITHM_AUTO},
                          {"hybrid", ORDO_ALGORITHM_HYBRID},
                          {"shuffle", ORDO_ALGORITHM_SHUFFLE},
                          {"naive", ORDO_ALGORITHM_NAIVE}};

    if (!bench_add_all_peers(b, &c->peers))
        return false;
    for (size_t i = 0; i < CONTENDERS; i++) {
        args[i] = with_algorithm(c, list[i].algorithm);
        if (!bench_add(b, list[i].name, 1, BENCH_CONTENDER, call_rank, &args[i]))
            return false;
    }
    return true;
}

/* All contenders of a figure. */
static bool measure_figure(bench *b, const rank_case *c)
{
    rank_args args[CONTENDERS];
    return (b->place == NULL ? add_host(b, c, args, true) : add_gpu(b, c, args)) &&
           bench_measure(b, &c->question);
}

/* On the host all contenders; on a GPU only auto. */
static bool measure_all(bench *b, const rank_case *c)
{
    rank_args args[CONTENDERS];

    if (b->place != NULL)
        return bench_measure_auto(b, &c->peers, call_rank, &c->args, &c->question);
    return add_host(b, c, args, false) && bench_measure(b, &c->question);
}

static bool summaries(bench *b, bool spread)
{
    return bench_summary(b, bench_pick(b, "threads", "auto"), spread) &&
           bench_summary(b, bench_pick(b, "auto", "hybrid"), spread);
}

/* ---- Sections ----------------------------------------------------------------------------- */

static bool run_p(bench *b)
{
    static const struct {
        double      p;
        const char *gpu_figures;
    } chances[] = {{0, "7"},      {0.1, "7"},     {0.2, "7"},      {0.3, "7"},
                   {0.4, "7"},    {0.5, "7"},     {0.6, "7"},      {0.7, "7"},
                   {0.8, "7"},    {0.9, "7, 8"},  {0.99, "8"},     {0.999, "8"},
                   {0.9999, "8"}, {0.99999, "8"}, {0.999999, "8"}, {1, "7, 8"}};

    bench_heading(b,
                  bench_pick(b,
                             "Time against the recurrence probability p (figure 6): f32 keys, u32 "
                             "ranks (min)",
                             "Time against the recurrence probability p (figures 7, 8): f32 keys, "
                             "u32 ranks (min); speed-up over CUB"),
                  b->set.n, "p", 9);
    for (size_t i = 0; i < sizeof chances / sizeof *chances; i++) {
        const double p = chances[i].p;
        rank_case    c;
        if (b->place == NULL &&
            chances[i].gpu_figures[0] == '8') /* figure 6 has p up to 0.9, and 1 */
            continue;
        ask_rank(b, ORDO_F32, ORDO_U32, b->set.n, p, ORDO_TIES_MIN, &c);
        c.question.figures = bench_pick(b, "6", chances[i].gpu_figures);
        c.question.fresh = b->place == NULL; /* a GPU learns no branches */
        snprintf(c.question.label, sizeof c.question.label, "%g", p);
        if (!bench_generate(b, ORDO_DIST_RECUR, ORDO_F32, b->src, b->set.n, p) ||
            !measure_figure(b, &c))
            return false;
    }
    return summaries(b, true);
}

static bool run_threads(bench *b)
{
    rank_case c;
    ask_rank(b, ORDO_F32, ORDO_U32, b->set.n, 0.5, ORDO_TIES_MIN, &c);
    const rank_args loop = with_algorithm(&c, ORDO_ALGORITHM_SEQUENTIAL);
    const rank_args threads = with_algorithm(&c, ORDO_ALGORITHM_THREADS);

    bench_heading(b, "Time against the number of threads: f32 keys, u32 ranks (min), p = 0.5",
                  b->set.n, "p", 9);
    snprintf(c.question.label, sizeof c.question.label, "%g", c.question.p);
    c.question.fresh = true;
    if (!bench_generate(b, ORDO_DIST_RECUR, ORDO_F32, b->src, b->set.n, c.question.p) ||
        !bench_add(b, "sequential", 1, BENCH_BASE, call_rank, &loop))
        return false;
    return add_sweep(b, "threads", &threads, 0) && add_sweep(b, "auto", &c.args, 0) &&
           bench_measure(b, &c.question);
}

/* The paper compares the GPU with a sequential loop on the host. */
static ordo_status call_host(ordo_ctx *ctx, const void *what)
{
    (void)ctx;
    return call_rank(bench_cuda_host_context(), what);
}

/* host_ranks: the output of that loop, which reads the generated keys on the host. */
static bool n_once(bench *b, size_t n, uint32_t *host_ranks)
{
    rank_case c;
    rank_args args[CONTENDERS], loop;

    ask_rank(b, ORDO_F32, ORDO_U32, n, 0.5, ORDO_TIES_MIN, &c);
    bench_count(c.question.label, n);
    c.question.figures = bench_pick(b, "9, 10", "11, 12");
    c.question.fresh = true;
    if (!bench_generate(b, ORDO_DIST_RECUR, ORDO_F32, b->src, n, 0.5))
        return false;
    if (b->place == NULL)
        return measure_figure(b, &c);
    if (bench_cuda_host_context() == NULL)
        return false;
    c.peers.base = NULL;
    loop = c.args;
    loop.keys = bench_cuda_host_keys();
    loop.ranks = host_ranks;
    loop.opts = ORDO_OPTS(ordo_rank_opts, .algorithm = ORDO_ALGORITHM_SEQUENTIAL);
    if (!bench_add(b, "sequential, host", 1, BENCH_BASE_LOOSE, call_host, &loop))
        return false;
    bench_describe(b, (bench_parameters){.where = ORDO_CPU});
    return add_gpu(b, &c, args) && bench_measure(b, &c.question);
}

static bool run_n(bench *b)
{
    const size_t bytes = b->set.n * sizeof(uint32_t) + BENCH_STAGGER;
    char *const  block = b->place == NULL ? NULL : bench_host_array(bytes);
    bool         ok = b->place == NULL || block != NULL;

    if (block != NULL)
        memset(block, 0, bytes); /* the first write to a page costs more than the ranks in it */
    bench_heading(
        b,
        bench_pick(b,
                   "Time against the number of keys n (figures 9, 10): f32 keys, u32 ranks (min), "
                   "p = 0.5",
                   "Time against the number of keys n (figures 11, 12): f32 keys, u32 "
                   "ranks (min), p = 0.5; speed-up over the loop on the host"),
        0, "n", 13);
    for (unsigned halvings = 6; ok && halvings-- > 0;)
        ok = n_once(b, b->set.n >> halvings,
                    block != NULL ? (uint32_t *)(void *)(block + BENCH_STAGGER) : NULL);
    free(block);
    return ok && summaries(b, false);
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
            if (!measure_all(b, &c))
                return false;
        }
    }
    return (b->place != NULL || bench_summary(b, "threads", false)) &&
           bench_summary(b, "auto", false);
}

/* Types of 8 and 16 bits have too few values for n keys at p = 0.5. They get the p that uses
 * half of the values. */
static double chance_for(ordo_type type, size_t n)
{
    const size_t size = ordo_type_size(type);

    if (size > 2)
        return 0.5;
    const double values = size == 1 ? 256 : 65536;
    const double chance = 1 - values / (2 * (double)n);
    return chance > 0.5 ? chance : 0.5;
}

static bool run_types(bench *b)
{
    bench_heading(
        b,
        bench_pick(b,
                   "Key types: u32 ranks (min), p = 0.5 (8 and 16 bits: half of all values occur)",
                   "Key types: u32 ranks (min), p = 0.5 (8 and 16 bits: half of all values "
                   "occur); speed-up over CUB"),
        b->set.n, "keys", 6);
    for (int type = ORDO_I8; type <= ORDO_F64; type++) {
        const double p = chance_for((ordo_type)type, b->set.n);
        rank_case    c;
        ask_rank(b, (ordo_type)type, ORDO_U32, b->set.n, p, ORDO_TIES_MIN, &c);
        snprintf(c.question.label, sizeof c.question.label, "%s", ordo_type_name((ordo_type)type));
        if (!bench_generate(b, ORDO_DIST_RECUR, (ordo_type)type, b->src, b->set.n, p) ||
            !measure_all(b, &c))
            return false;
    }
    return (b->place != NULL || bench_summary(b, "threads", false)) &&
           bench_summary(b, "auto", false);
}

static bool small_once(bench *b, size_t n)
{
    rank_case c;

    ask_rank(b, ORDO_F32, ORDO_U32, n, 0.5, ORDO_TIES_MIN, &c);
    bench_count(c.question.label, n);
    return bench_generate(b, ORDO_DIST_RECUR, ORDO_F32, b->src, n, 0.5) && measure_all(b, &c);
}

static bool run_small(bench *b)
{
    b->unit = 1e-6;
    b->batch_seconds = 5e-3;
    bench_heading(b,
                  bench_pick(b,
                             "Small arrays, time of one call in a warm context: f32 keys, u32 "
                             "ranks (min), p = 0.5",
                             "Small arrays, time of one of many calls in a row: f32 keys, u32 "
                             "ranks (min), p = 0.5; speed-up over CUB"),
                  0, "n", 9);
    if (b->place == NULL) {
        for (size_t n = 10; n <= 100000; n *= 10)
            if (!small_once(b, n))
                return false;
        return true;
    }
    for (size_t n = 256; n <= (size_t)1 << 20; n *= 16)
        if (!small_once(b, n))
            return false;
    return bench_rank_unsorted_small(b);
}

const bench_section bench_rank_sections[] = {
    {"p", 4, 4, 0, run_p, false},
    {"threads", 4, 4, 0, run_threads, false},
    {"n", 4, 4, 0, run_n, false},
    {"ties", 6, 8, 0, run_ties, false},
    {"types", 8, 6, 0, run_types, false},
    {"small", 4, 4, 0, run_small, false},
    {"unsorted", 1, 1, 0, bench_rank_unsorted, true},
    {NULL, 0, 0, 0, NULL, false},
};

const bench_section bench_cuda_rank_sections[] = {
    {"p", 4, 4, 0, run_p, true},         {"n", 4, 4, 0, run_n, true},
    {"ties", 6, 8, 0, run_ties, true},   {"types", 8, 6, 0, run_types, true},
    {"small", 4, 8, 0, run_small, true}, {"unsorted", 8, 8, 0, bench_rank_unsorted, true},
    {NULL, 0, 0, 0, NULL, false},
};
