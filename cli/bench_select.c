/* bench_select.c - the experiments of `ordo bench select`: medians, several quantiles, top-k.
 *
 * The peers move the keys about, so everyone gets a fresh copy, which is not timed; ordo leaves it
 * as it is. A selection reads the keys once at best and writes nothing: it stands beside the copy
 * of half the bytes. */
#include "bench_order.h"
#include "bench_peers.h"
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    MOST_RANKS = 99,
    MOST_TOP = 100000
};

typedef struct select_args {
    ordo_type        type;
    char            *keys;
    size_t           n, batch, count; /* count: ranks asked for, or keys of topk */
    const size_t    *ranks;
    void            *out;
    ordo_select_opts opts;
} select_args;

typedef struct select_case {
    bench_question question;
    bench_restore  restore;
    select_args    args;
    bench_peer_ask peers;
    size_t         ranks[MOST_RANKS];
    uint64_t       out[MOST_RANKS]; /* keys of any type */
} select_case;

static ordo_status call_select(ordo_ctx *ctx, const void *what)
{
    const select_args *const a = what;
    const size_t             stride = a->n * ordo_type_size(a->type);
    ordo_status              status = ORDO_OK;

    for (size_t i = 0; i < a->batch && status == ORDO_OK; i++)
        status = ordo_select(ctx, a->type, a->keys + i * stride, a->n, a->ranks, a->count, a->out,
                             &a->opts);
    return status;
}

/* Values with their indices, which lie behind MOST_TOP values of any type. */
static ordo_status call_topk(ordo_ctx *ctx, const void *what)
{
    const select_args *const a = what;
    return ordo_topk(ctx, a->type, a->keys, a->n, a->count, a->out, ORDO_U32,
                     (uint64_t *)a->out + MOST_TOP, NULL, &a->opts);
}

static ordo_status call_sort(ordo_ctx *ctx, const void *what)
{
    const select_args *const a = what;
    return ordo_sort(ctx, a->type, a->keys, a->n, NULL);
}

/* The j-th of count ranks is at (j + 1) / (count + 1): the median if count is 1. */
static void ask_select(const bench *b, ordo_type type, size_t n, size_t batch, size_t count,
                       select_case *c)
{
    const size_t size = ordo_type_size(type);

    *c = (select_case){
        .question = bench_ask("select", type, n),
        .restore = {.to = {b->dst}, .from = {b->src}, .bytes = {n * size * batch}},
        .args = {.type = type,
                 .keys = b->dst,
                 .n = n,
                 .batch = batch,
                 .count = count,
                 .opts.struct_size = sizeof(ordo_select_opts)},
        .peers = {.op = BENCH_PEER_SELECT,
                  .type = type,
                  .task = {.keys = b->dst, .count = count, .n = n},
                  .batch = batch,
                  .stride = n * size,
                  .base = "std::nth_element"},
    };
    for (size_t j = 0; j < count; j++)
        c->ranks[j] = (size_t)((double)n * (double)(j + 1) / (double)(count + 1));
    c->args.ranks = c->peers.task.ranks = c->ranks;
    c->args.out = c->peers.task.out = c->out;
    c->question.bytes = n * size;
    c->question.answer = c->out;
    c->question.answer_bytes = count * size;
    c->question.batch = batch;
    c->question.prepare = bench_restore_call;
    c->question.prepare_what = &c->restore;
}

static bool measure_all(bench *b, const select_case *c)
{
    return bench_add_all_peers(b, &c->peers) && bench_add_both(b, "auto", call_select, &c->args) &&
           bench_measure(b, &c->question);
}

static bool run_types(bench *b)
{
    bench_heading(b, "Median, key types, uniform; speed-up over std::nth_element", b->set.n, "keys",
                  6);
    for (int type = ORDO_I8; type <= ORDO_F64; type++) {
        select_case c;
        ask_select(b, (ordo_type)type, b->set.n, 1, 1, &c);
        snprintf(c.question.label, sizeof c.question.label, "%s", ordo_type_name(c.args.type));
        if (!bench_generate(b, ORDO_DIST_UNIFORM, c.args.type, b->src, b->set.n, 0) ||
            !measure_all(b, &c))
            return false;
    }
    return bench_summary(b, "auto", false);
}

static bool run_distributions(bench *b)
{
    static const ordo_type types[] = {ORDO_U32, ORDO_F32};

    bench_heading(b, "Median, distributions; speed-up over std::nth_element", b->set.n, "keys", 14);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        for (const bench_dist *d = bench_dists; d->name != NULL; d++) {
            select_case c;
            ask_select(b, types[t], b->set.n, 1, 1, &c);
            c.question.dist = d->name;
            snprintf(c.question.label, sizeof c.question.label, "%s %s", d->name,
                     ordo_type_name(types[t]));
            if (!bench_generate_k(b, d->dist, types[t], b->src, b->set.n, d->k) ||
                !measure_all(b, &c))
                return false;
        }
    }
    return bench_summary(b, "auto", true);
}

static bool run_n(bench *b)
{
    static const ordo_type types[] = {ORDO_U32, ORDO_F64};

    bench_heading(b, "Median, number of keys n, uniform; speed-up over std::nth_element", 0,
                  "n, keys", 17);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        for (size_t n = 1000; n <= b->set.n; n *= 10) {
            const size_t batch = bench_batch(n);
            select_case  c;
            char         count[32];
            ask_select(b, types[t], n, batch, 1, &c);
            snprintf(c.question.label, sizeof c.question.label, "%s %s", bench_count(count, n),
                     ordo_type_name(types[t]));
            if (!bench_generate(b, ORDO_DIST_UNIFORM, types[t], b->src, n * batch, 0) ||
                !measure_all(b, &c))
                return false;
        }
    }
    return bench_summary(b, "auto", false);
}

static bool run_quantiles(bench *b)
{
    static const size_t    counts[] = {1, 3, 9, 99};
    static const ordo_type types[] = {ORDO_U32, ORDO_F64};

    bench_heading(b, "Several quantiles in one call, uniform; speed-up over std::nth_element",
                  b->set.n, "quantiles", 9);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        if (!bench_generate(b, ORDO_DIST_UNIFORM, types[t], b->src, b->set.n, 0))
            return false;
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            select_case c;
            ask_select(b, types[t], b->set.n, 1, counts[i], &c);
            c.question.k = (double)counts[i];
            snprintf(c.question.label, sizeof c.question.label, "%zu %s", counts[i],
                     ordo_type_name(types[t]));
            if (!measure_all(b, &c))
                return false;
        }
    }
    return bench_summary(b, "auto", false);
}

static bool topk_once(bench *b, ordo_type type, size_t k, void *out)
{
    select_case c;
    char        count[32];

    ask_select(b, type, b->set.n, 1, 0, &c);
    c.args.count = c.peers.task.count = k;
    c.args.out = c.peers.task.out = c.question.answer = out;
    c.args.opts.flags = ORDO_DESCENDING;
    c.question.op = "topk";
    c.question.k = (double)k;
    c.question.answer_bytes = k * ordo_type_size(type);
    c.peers.op = BENCH_PEER_TOPK;
    c.peers.base = "nth_element+sort";
    snprintf(c.question.label, sizeof c.question.label, "%s %s", bench_count(count, k),
             ordo_type_name(type));
    return bench_add_all_peers(b, &c.peers) && bench_add_both(b, "auto", call_topk, &c.args) &&
           bench_measure(b, &c.question);
}

static bool run_topk(bench *b)
{
    static const size_t    sizes[] = {10, 1000, MOST_TOP};
    static const ordo_type types[] = {ORDO_F32, ORDO_F64};
    void *const            out = cli_alloc(2 * MOST_TOP, sizeof(uint64_t), "the largest keys");
    bool                   ok = out != NULL;

    bench_heading(b,
                  "The k largest keys (ordo: and their indices), uniform; speed-up over "
                  "std::nth_element, then std::sort",
                  b->set.n, "k, keys", 12);
    for (size_t t = 0; ok && t < sizeof types / sizeof *types; t++) {
        ok = bench_generate(b, ORDO_DIST_UNIFORM, types[t], b->src, b->set.n, 0);
        for (size_t i = 0; ok && i < sizeof sizes / sizeof *sizes; i++)
            ok = sizes[i] > b->set.n || topk_once(b, types[t], sizes[i], out);
    }
    free(out);
    return ok && bench_summary(b, "auto", false);
}

/* The median by every named algorithm, and by sorting all keys. */
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

    bench_heading(b, "Median by named algorithms, uniform f32; speed-up over std::nth_element", 0,
                  "n", 13);
    for (size_t n = 1000; n <= b->set.n; n *= 10) {
        select_case c;
        select_args args[COUNT];
        ask_select(b, ORDO_F32, n, 1, 1, &c);
        bench_count(c.question.label, n);
        if (!bench_generate(b, ORDO_DIST_UNIFORM, ORDO_F32, b->src, n, 0) ||
            !bench_add_peers(b, &c.peers, 1))
            return false;
        for (size_t i = 0; i < COUNT; i++) {
            args[i] = c.args;
            args[i].opts.algorithm = (uint32_t)algorithms[i].algorithm;
            if (!algorithms[i].out && !bench_add_both(b, algorithms[i].name, call_select, &args[i]))
                return false;
        }
        if (!bench_add(b, "sort", 1, BENCH_BESIDE, call_sort, &c.args) ||
            (b->set.threads > 1 &&
             !bench_add(b, "sort", b->set.threads, BENCH_BESIDE, call_sort, &c.args)) ||
            !bench_measure(b, &c.question))
            return false;
        bench_drop_slow(b, algorithms, COUNT, 10);
    }
    return true;
}

static bool run_threads(bench *b)
{
    static const ordo_type types[] = {ORDO_U32, ORDO_F64};

    bench_heading(b, "Median, number of threads, uniform; speed-up over std::nth_element", b->set.n,
                  "keys", 6);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        select_case c;
        ask_select(b, types[t], b->set.n, 1, 1, &c);
        snprintf(c.question.label, sizeof c.question.label, "%s", ordo_type_name(types[t]));
        if (!bench_generate(b, ORDO_DIST_UNIFORM, types[t], b->src, b->set.n, 0) ||
            !bench_add_peers(b, &c.peers, 1))
            return false;
        for (unsigned i = 0; i < b->thread_count_count; i++)
            if (!bench_add(b, "auto", b->thread_counts[i], BENCH_CONTENDER, call_select, &c.args))
                return false;
        if (!bench_measure(b, &c.question))
            return false;
    }
    return true;
}

const bench_section bench_select_sections[] = {
    {"types", 8, 8, 0, run_types, true},
    {"distributions", 4, 4, 0, run_distributions, true},
    {"n", 8, 8, 0, run_n, true},
    {"quantiles", 8, 8, 0, run_quantiles, true},
    {"topk", 8, 8, 0, run_topk, true},
    {"algorithms", 4, 4, 0, run_algorithms, true},
    {"threads", 8, 8, 0, run_threads, true},
    {NULL, 0, 0, 0, NULL, false},
};
