/* bench_cuda_select.c - the experiments of `ordo bench select --device cuda`: medians, several
 * positions, top-k, and the two phases of the bitonic median paper (2^20 keys, its table 2).
 *
 * CUB has no selection in the toolkits this is built with; its way is to sort. A selection reads
 * the keys once at best and writes nothing: it stands beside the copy of half the bytes. */
#include "bench_cuda.h"
#include "bench_peers.h"

#include <stdio.h>

enum {
    MOST_RANKS = 99,
    PAPER_KEYS = 1 << 20
};

typedef struct select_args {
    ordo_type        type;
    const void      *keys;
    size_t           n, count; /* ranks asked for, or keys of topk */
    const size_t    *ranks;
    char            *out;
    ordo_select_opts opts;
} select_args;

typedef struct select_case {
    bench_question question;
    select_args    args;
    bench_peer_ask peers;
    size_t         ranks[MOST_RANKS];
} select_case;

static ordo_status call_select(ordo_ctx *ctx, const void *what)
{
    const select_args *const a = what;
    return ordo_select(ctx, a->type, a->keys, a->n, a->ranks, a->count, a->out, &a->opts);
}

/* Values, and indices behind them. */
static ordo_status call_topk(ordo_ctx *ctx, const void *what)
{
    const select_args *const a = what;
    return ordo_topk(ctx, a->type, a->keys, a->n, a->count, a->out, ORDO_U32,
                     a->out + a->count * sizeof(uint64_t), NULL, &a->opts);
}

/* The j-th of count ranks is at (j + 1) / (count + 1): the median if count is 1. The keys are in
 * b->src, the answer goes to b->dst. */
static void ask_select(const bench *b, ordo_type type, size_t n, size_t count, select_case *c)
{
    const size_t size = ordo_type_size(type);

    *c = (select_case){
        .question = bench_ask("select", type, n),
        .args = {.type = type,
                 .keys = b->src,
                 .n = n,
                 .count = count,
                 .out = b->dst,
                 .opts = ORDO_OPTS(ordo_select_opts, .flags = BENCH_ON_DEVICE,
                                   .stream = bench_cuda_stream())},
        .peers = {.op = BENCH_PEER_SELECT,
                  .type = type,
                  .task = {.keys = b->src, .out = b->dst, .count = count, .n = n},
                  .base = "cub radix"},
    };
    for (size_t j = 0; j < count; j++)
        c->ranks[j] = (size_t)((double)n * (double)(j + 1) / (double)(count + 1));
    c->args.ranks = c->peers.task.ranks = c->ranks;
    c->question.bytes = n * size;
    c->question.answer = b->dst;
    c->question.answer_bytes = count * size;
}

static bool measure_all(bench *b, const select_case *c)
{
    return bench_add_all_peers(b, &c->peers) && bench_add_both(b, "auto", call_select, &c->args) &&
           bench_measure(b, &c->question);
}

static bool run_types(bench *b)
{
    bench_heading(b, "Median, key types, uniform; speed-up over CUB's radix sort", b->set.n, "keys",
                  6);
    for (int type = ORDO_I8; type <= ORDO_F64; type++) {
        select_case c;
        ask_select(b, (ordo_type)type, b->set.n, 1, &c);
        snprintf(c.question.label, sizeof c.question.label, "%s", ordo_type_name(c.args.type));
        if (!bench_generate(b, ORDO_DIST_UNIFORM, c.args.type, b->src, b->set.n, 0) ||
            !measure_all(b, &c))
            return false;
    }
    return bench_summary(b, "auto", false);
}

static bool run_distributions(bench *b)
{
    bench_heading(b, "Median of u32, distributions; speed-up over CUB's radix sort", b->set.n,
                  "keys", 10);
    for (const bench_dist *d = bench_dists; d->name != NULL; d++) {
        select_case c;
        ask_select(b, ORDO_U32, b->set.n, 1, &c);
        c.question.dist = d->name;
        snprintf(c.question.label, sizeof c.question.label, "%s", d->name);
        if (!bench_generate_k(b, d->dist, ORDO_U32, b->src, b->set.n, d->k) || !measure_all(b, &c))
            return false;
    }
    return bench_summary(b, "auto", true);
}

static bool run_n(bench *b)
{
    bench_heading(b, "Median of f32, number of keys n; speed-up over CUB's radix sort", 0, "n", 13);
    for (size_t n = 1 << 10; n <= b->set.n; n *= 8) {
        select_case c;
        ask_select(b, ORDO_F32, n, 1, &c);
        bench_count(c.question.label, n);
        if (!bench_generate(b, ORDO_DIST_UNIFORM, ORDO_F32, b->src, n, 0) || !measure_all(b, &c))
            return false;
    }
    return bench_summary(b, "auto", false);
}

static bool run_quantiles(bench *b)
{
    static const size_t    counts[] = {1, 3, 9, 99};
    static const ordo_type types[] = {ORDO_F32, ORDO_F64};

    bench_heading(b, "Several positions in one call, uniform; speed-up over CUB's radix sort",
                  b->set.n, "positions", 9);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        if (!bench_generate(b, ORDO_DIST_UNIFORM, types[t], b->src, b->set.n, 0))
            return false;
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            select_case c;
            ask_select(b, types[t], b->set.n, counts[i], &c);
            c.question.k = (double)counts[i];
            snprintf(c.question.label, sizeof c.question.label, "%zu %s", counts[i],
                     ordo_type_name(types[t]));
            if (!measure_all(b, &c))
                return false;
        }
    }
    return bench_summary(b, "auto", false);
}

static bool topk_once(bench *b, ordo_type type, size_t k)
{
    select_case c;
    char        count[32];

    ask_select(b, type, b->set.n, 0, &c);
    c.args.count = c.peers.task.count = k;
    c.args.opts.flags |= ORDO_DESCENDING;
    c.question.op = "topk";
    c.question.k = (double)k;
    c.question.answer_bytes = k * ordo_type_size(type);
    c.peers.op = BENCH_PEER_TOPK;
    snprintf(c.question.label, sizeof c.question.label, "%s %s", bench_count(count, k),
             ordo_type_name(type));
    return bench_add_all_peers(b, &c.peers) && bench_add_both(b, "auto", call_topk, &c.args) &&
           bench_measure(b, &c.question);
}

static bool run_topk(bench *b)
{
    static const size_t    sizes[] = {10, 100, 1000, 100000};
    static const ordo_type types[] = {ORDO_F32, ORDO_F64};

    bench_heading(
        b,
        "The k largest keys (ordo: and their indices), uniform; speed-up over CUB's radix "
        "sort",
        b->set.n, "k, keys", 12);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        if (!bench_generate(b, ORDO_DIST_UNIFORM, types[t], b->src, b->set.n, 0))
            return false;
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            if (sizes[i] <= b->set.n / 16 && !topk_once(b, types[t], sizes[i]))
                return false;
    }
    return bench_summary(b, "auto", false);
}

/* The median by every named algorithm. */
static bool run_algorithms(bench *b)
{
    bench_algorithm algorithms[] = {
        {"auto", 1, ORDO_ALGORITHM_AUTO, false},
        {"radix", 1, ORDO_ALGORITHM_RADIX, false},
        {"bitonic", 1, ORDO_ALGORITHM_BITONIC, false},
    };
    enum {
        COUNT = sizeof algorithms / sizeof *algorithms
    };

    bench_heading(b, "Median by named algorithms, uniform f32; speed-up over CUB's radix sort", 0,
                  "n", 13);
    for (size_t n = 1 << 10; n <= b->set.n; n *= 8) {
        select_case c;
        select_args args[COUNT];
        ask_select(b, ORDO_F32, n, 1, &c);
        bench_count(c.question.label, n);
        if (!bench_generate(b, ORDO_DIST_UNIFORM, ORDO_F32, b->src, n, 0) ||
            !bench_add_all_peers(b, &c.peers))
            return false;
        for (size_t i = 0; i < COUNT; i++) {
            args[i] = c.args;
            args[i].opts.algorithm = (uint32_t)algorithms[i].algorithm;
            if (!algorithms[i].out && !bench_add_both(b, algorithms[i].name, call_select, &args[i]))
                return false;
        }
        if (!bench_measure(b, &c.question))
            return false;
        bench_drop_slow(b, algorithms, COUNT, 8);
    }
    return true;
}

/* The first phase, before the clock of the second. */
static ordo_status sort_sub_arrays(ordo_ctx *ctx, const void *what)
{
    const bench_peer_call *const a = what;

    (void)ctx;
    return a->peer->call(&a->task) == 0 ? ORDO_OK : ORDO_E_DEVICE;
}

static bool paper_once(bench *b, size_t sub_array)
{
    select_case    c;
    bench_peer_ask sorts, merges;

    ask_select(b, ORDO_U32, PAPER_KEYS, 1, &c);
    sorts = merges = c.peers;
    sorts.op = BENCH_PEER_SUB_ARRAYS;
    merges.op = BENCH_PEER_MERGE;
    sorts.task.count = merges.task.count = sub_array;
    sorts.base = merges.base = NULL;
    sorts.loose = "sub-arrays"; /* which answer nothing that could be compared */
    c.question.op = "median";
    c.question.k = (double)sub_array;
    snprintf(c.question.label, sizeof c.question.label, "%zu", sub_array);
    if (!bench_add_peers(b, &sorts, 1))
        return false;
    if (b->peer_call_count == 0)
        return true; /* the module has no parts of the paper */
    const bench_peer_call first = b->peer_calls[0];
    if (!bench_measure(b, &c.question))
        return false;
    c.question.prepare = sort_sub_arrays;
    c.question.prepare_what = &first;
    return bench_add_peers(b, &merges, 1) && bench_measure(b, &c.question);
}

/* The paper's table 2: sub-arrays sorted in shared memory, then merged, there on the host, here on
 * the GPU. */
static bool run_paper(bench *b)
{
    bench_heading(b, "The median paper's table 2, u32: its phases by length of the sub-arrays",
                  PAPER_KEYS, "sub-array", 9);
    if (!bench_generate(b, ORDO_DIST_UNIFORM, ORDO_U32, b->src, PAPER_KEYS, 0))
        return false;
    for (size_t sub_array = 256; sub_array <= 2048; sub_array *= 2)
        if (!paper_once(b, sub_array))
            return false;
    return true;
}

const bench_section bench_cuda_select_sections[] = {
    {"types", 8, 8, 0, run_types, true}, {"distributions", 4, 4, 0, run_distributions, true},
    {"n", 4, 4, 0, run_n, true},         {"quantiles", 8, 8, 0, run_quantiles, true},
    {"topk", 8, 8, 0, run_topk, true},   {"algorithms", 4, 4, 0, run_algorithms, true},
    {"paper", 4, 4, 0, run_paper, true}, {NULL, 0, 0, 0, NULL, false},
};
