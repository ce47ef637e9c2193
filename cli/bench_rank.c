/* bench_rank.c - the experiments of `ordo bench rank`.
 *
 * The first three are those of the standard-competition-ranking paper for the CPU: time against
 * the recurrence probability (its figure 6, and the high probabilities of figure 8), against
 * threads, and against the number of keys with speed-ups (figures 9 and 10). The others look at
 * what the paper leaves open: tie strategies, rank types, key types and small arrays. */
#include "bench_core.h"

#include <math.h>
#include <stdio.h>

typedef struct rank_args {
    ordo_type      type, rank_type;
    const void    *keys;
    void          *ranks;
    size_t         n;
    ordo_rank_opts opts;
} rank_args;

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

static rank_args rank_args_of(const bench_question *q, const bench *b, ordo_ties ties,
                              ordo_algorithm algorithm)
{
    return (rank_args){
        .type = q->type,
        .rank_type = q->out_type,
        .keys = b->src,
        .ranks = b->dst,
        .n = q->n,
        .opts = ORDO_OPTS(ordo_rank_opts, .ties = (uint32_t)ties, .algorithm = (uint32_t)algorithm),
    };
}

static bench_question rank_question(const bench *b, ordo_type type, ordo_type rank_type, size_t n,
                                    double p)
{
    const size_t written = n * ordo_type_size(rank_type);
    return (bench_question){
        .op = "rank",
        .variant = "min",
        .type = type,
        .out_type = rank_type,
        .p = p,
        .k = NAN,
        .n = n,
        .bytes = n * ordo_type_size(type) + written,
        .answer = b->dst,
        .answer_bytes = written,
    };
}

/* The sequential loop, the paper's threads, and auto with one and with all threads. */
static bool measure_all(bench *b, const bench_question *q, ordo_ties ties)
{
    const unsigned  all = b->set.threads;
    const rank_args loop = rank_args_of(q, b, ties, ORDO_ALGORITHM_SEQUENTIAL);
    const rank_args threads = rank_args_of(q, b, ties, ORDO_ALGORITHM_THREADS);
    const rank_args production = rank_args_of(q, b, ties, ORDO_ALGORITHM_AUTO);

    return bench_add(b, "sequential", 1, BENCH_BASE, call_rank, &loop) &&
           bench_add(b, "threads", all, BENCH_CONTENDER, call_rank, &threads) &&
           bench_add(b, "auto", 1, BENCH_CONTENDER, call_rank, &production) &&
           (all == 1 || bench_add(b, "auto", all, BENCH_CONTENDER, call_rank, &production)) &&
           bench_measure(b, q);
}

static bool run_p(bench *b)
{
    static const double chances[] = {0,   0.1, 0.2,  0.3,   0.4,    0.5,     0.6,      0.7,
                                     0.8, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999, 1};

    bench_heading(b, "Time against the recurrence probability p: f32 keys, u32 ranks (min)",
                  b->set.n, "p", 9);
    for (size_t i = 0; i < sizeof chances / sizeof *chances; i++) {
        bench_question q = rank_question(b, ORDO_F32, ORDO_U32, b->set.n, chances[i]);
        snprintf(q.label, sizeof q.label, "%g", chances[i]);
        if (!bench_generate(b, ORDO_DIST_RECUR, ORDO_F32, b->src, q.n, q.p) ||
            !measure_all(b, &q, ORDO_TIES_MIN))
            return false;
    }
    return bench_summary(b, "threads", true) && bench_summary(b, "auto", true);
}

static bool run_threads(bench *b)
{
    bench_question  q = rank_question(b, ORDO_F32, ORDO_U32, b->set.n, 0.5);
    const rank_args loop = rank_args_of(&q, b, ORDO_TIES_MIN, ORDO_ALGORITHM_SEQUENTIAL);
    const rank_args threads = rank_args_of(&q, b, ORDO_TIES_MIN, ORDO_ALGORITHM_THREADS);
    const rank_args production = rank_args_of(&q, b, ORDO_TIES_MIN, ORDO_ALGORITHM_AUTO);

    bench_heading(b, "Time against the number of threads: f32 keys, u32 ranks (min), p = 0.5",
                  b->set.n, "p", 9);
    snprintf(q.label, sizeof q.label, "%g", q.p);
    if (!bench_generate(b, ORDO_DIST_RECUR, ORDO_F32, b->src, q.n, q.p) ||
        !bench_add(b, "sequential", 1, BENCH_BASE, call_rank, &loop))
        return false;
    for (unsigned i = 0; i < b->thread_count_count; i++)
        if (!bench_add(b, "threads", b->thread_counts[i], BENCH_CONTENDER, call_rank, &threads))
            return false;
    for (unsigned i = 0; i < b->thread_count_count; i++)
        if (!bench_add(b, "auto", b->thread_counts[i], BENCH_CONTENDER, call_rank, &production))
            return false;
    return bench_measure(b, &q);
}

static bool run_n(bench *b)
{
    bench_heading(b, "Time against the number of keys n: f32 keys, u32 ranks (min), p = 0.5", 0,
                  "n", 13);
    for (unsigned halvings = 6; halvings-- > 0;) {
        bench_question q = rank_question(b, ORDO_F32, ORDO_U32, b->set.n >> halvings, 0.5);
        bench_count(q.label, q.n);
        if (!bench_generate(b, ORDO_DIST_RECUR, ORDO_F32, b->src, q.n, q.p) ||
            !measure_all(b, &q, ORDO_TIES_MIN))
            return false;
    }
    return bench_summary(b, "threads", false) && bench_summary(b, "auto", false);
}

static bool run_ties(bench *b)
{
    static const ordo_type rank_types[] = {ORDO_U32, ORDO_U64, ORDO_F64};

    bench_heading(b, "Tie strategies and rank types: f32 keys, p = 0.5", b->set.n, "ranks", 12);
    if (!bench_generate(b, ORDO_DIST_RECUR, ORDO_F32, b->src, b->set.n, 0.5))
        return false;
    for (size_t s = 0; s < sizeof strategies / sizeof *strategies; s++) {
        for (size_t t = 0; t < sizeof rank_types / sizeof *rank_types; t++) {
            if (strategies[s].ties == ORDO_TIES_AVERAGE && rank_types[t] != ORDO_F64)
                continue;
            bench_question q = rank_question(b, ORDO_F32, rank_types[t], b->set.n, 0.5);
            q.variant = strategies[s].name;
            snprintf(q.label, sizeof q.label, "%s %s", q.variant, ordo_type_name(rank_types[t]));
            if (!measure_all(b, &q, strategies[s].ties))
                return false;
        }
    }
    return bench_summary(b, "threads", false) && bench_summary(b, "auto", false);
}

/* Types of 8 and 16 bits have too few values for n keys at p = 0.5; theirs then repeat as often
 * as it takes to use half the values. */
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
    bench_heading(b,
                  "Key types: u32 ranks (min), p = 0.5 (8 and 16 bits: half of all values occur)",
                  b->set.n, "keys", 6);
    for (int type = ORDO_I8; type <= ORDO_F64; type++) {
        const double   p = chance_for((ordo_type)type, b->set.n);
        bench_question q = rank_question(b, (ordo_type)type, ORDO_U32, b->set.n, p);
        snprintf(q.label, sizeof q.label, "%s", ordo_type_name((ordo_type)type));
        if (!bench_generate(b, ORDO_DIST_RECUR, q.type, b->src, q.n, q.p) ||
            !measure_all(b, &q, ORDO_TIES_MIN))
            return false;
    }
    return bench_summary(b, "threads", false) && bench_summary(b, "auto", false);
}

static bool run_small(bench *b)
{
    b->unit = 1e-6;
    b->batch_seconds = 5e-3;
    bench_heading(b,
                  "Small arrays, time of one call in a warm context: f32 keys, u32 ranks (min), "
                  "p = 0.5",
                  0, "n", 9);
    for (size_t n = 10; n <= 100000; n *= 10) {
        bench_question q = rank_question(b, ORDO_F32, ORDO_U32, n, 0.5);
        bench_count(q.label, n);
        if (!bench_generate(b, ORDO_DIST_RECUR, ORDO_F32, b->src, n, q.p) ||
            !measure_all(b, &q, ORDO_TIES_MIN))
            return false;
    }
    return true;
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
