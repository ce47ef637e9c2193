/* bench_cuda_argsort.c - the experiments of `ordo bench argsort --device cuda`, and of rank on
 * unsorted keys: both answer for every key where it belongs and leave the keys as they are.
 *
 * The peer sorts pairs of key and index by CUB's radix sort; for ranks it then finds the heads of
 * ties by a scan and scatters. */
#include "bench_cuda.h"
#include "bench_peers.h"

#include <stdio.h>

typedef struct order_args {
    ordo_type      type, out_type;
    const char    *keys;
    char          *out;
    size_t         n;
    ordo_sort_opts sort;
    ordo_rank_opts rank;
} order_args;

typedef struct order_case {
    bench_question question;
    order_args     args;
    bench_peer_ask peers;
} order_case;

static ordo_status call_argsort(ordo_ctx *ctx, const void *what)
{
    const order_args *const a = what;
    return ordo_argsort(ctx, a->type, a->keys, a->n, a->out_type, a->out, &a->sort);
}

static ordo_status call_rank(ordo_ctx *ctx, const void *what)
{
    const order_args *const a = what;
    return ordo_rank(ctx, a->type, a->keys, a->n, a->out_type, a->out, &a->rank);
}

static void ask_order(const bench *b, const char *op, ordo_type type, ordo_type out_type, size_t n,
                      order_case *c)
{
    const size_t read = n * ordo_type_size(type), written = n * ordo_type_size(out_type);
    void *const  stream = bench_cuda_stream();

    *c = (order_case){
        .question = bench_ask(op, type, n),
        .args = {.type = type,
                 .out_type = out_type,
                 .keys = b->src,
                 .out = b->dst,
                 .n = n,
                 .sort = ORDO_OPTS(ordo_sort_opts, .flags = BENCH_ON_DEVICE, .stream = stream),
                 .rank = ORDO_OPTS(ordo_rank_opts, .flags = BENCH_ON_DEVICE, .stream = stream)},
        .peers = {.op = BENCH_PEER_ARGSORT,
                  .type = type,
                  .task = {.keys = b->src, .out = b->dst, .n = n},
                  .base = "cub radix"},
    };
    c->question.out_type = out_type;
    c->question.bytes = read + written;
    c->question.answer = b->dst;
    c->question.answer_bytes = written;
}

static bool measure_all(bench *b, const order_case *c, bench_call *call)
{
    return bench_add_all_peers(b, &c->peers) && bench_add_both(b, "auto", call, &c->args) &&
           bench_measure(b, &c->question);
}

static bool run_types(bench *b)
{
    static const ordo_type types[] = {ORDO_F32, ORDO_U32, ORDO_F64, ORDO_U64};

    bench_heading(b, "Argsort to u32, key types, uniform; speed-up over CUB's radix sort", b->set.n,
                  "keys", 6);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        order_case c;
        ask_order(b, "argsort", types[t], ORDO_U32, b->set.n, &c);
        snprintf(c.question.label, sizeof c.question.label, "%s", ordo_type_name(types[t]));
        if (!bench_generate(b, ORDO_DIST_UNIFORM, types[t], b->src, b->set.n, 0) ||
            !measure_all(b, &c, call_argsort))
            return false;
    }
    return bench_summary(b, "auto", false);
}

static bool run_distributions(bench *b)
{
    bench_heading(b, "Argsort of f32 to u32, distributions; speed-up over CUB's radix sort",
                  b->set.n, "keys", 10);
    for (const bench_dist *d = bench_dists; d->name != NULL; d++) {
        order_case c;
        ask_order(b, "argsort", ORDO_F32, ORDO_U32, b->set.n, &c);
        c.question.dist = d->name;
        snprintf(c.question.label, sizeof c.question.label, "%s", d->name);
        if (!bench_generate_k(b, d->dist, ORDO_F32, b->src, b->set.n, d->k) ||
            !measure_all(b, &c, call_argsort))
            return false;
    }
    return bench_summary(b, "auto", true);
}

static bool run_n(bench *b)
{
    bench_heading(b, "Argsort of f32 to u32, number of keys n; speed-up over CUB's radix sort", 0,
                  "n", 13);
    for (size_t n = 1 << 10; n <= b->set.n; n *= 8) {
        order_case c;
        ask_order(b, "argsort", ORDO_F32, ORDO_U32, n, &c);
        bench_count(c.question.label, n);
        if (!bench_generate(b, ORDO_DIST_UNIFORM, ORDO_F32, b->src, n, 0) ||
            !measure_all(b, &c, call_argsort))
            return false;
    }
    return bench_summary(b, "auto", false);
}

bool bench_cuda_unsorted(bench *b)
{
    static const struct {
        ordo_type     type;
        ordo_dist     dist;
        ordo_ties     ties;
        bench_peer_op peers;
        const char   *ties_name, *dist_name;
    } cases[] = {
        {ORDO_F32, ORDO_DIST_UNIFORM, ORDO_TIES_MIN, BENCH_PEER_RANK_MIN, "min", "uniform"},
        {ORDO_U32, ORDO_DIST_UNIFORM, ORDO_TIES_MIN, BENCH_PEER_RANK_MIN, "min", "uniform"},
        {ORDO_F32, ORDO_DIST_FEW, ORDO_TIES_MIN, BENCH_PEER_RANK_MIN, "min", "few"},
        {ORDO_F32, ORDO_DIST_UNIFORM, ORDO_TIES_AVERAGE, BENCH_PEER_NONE, "average", "uniform"},
        {ORDO_F64, ORDO_DIST_UNIFORM, ORDO_TIES_AVERAGE, BENCH_PEER_NONE, "average", "uniform"},
        {ORDO_F32, ORDO_DIST_UNIFORM, ORDO_TIES_DENSE, BENCH_PEER_NONE, "dense", "uniform"},
    };

    bench_heading(b, "Ranks of unsorted keys; speed-up over CUB's radix sort, scan and a scatter",
                  b->set.n, "keys, ranks", 24);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const ordo_type out = cases[i].ties == ORDO_TIES_AVERAGE ? ORDO_F64 : ORDO_U32;
        order_case      c;
        ask_order(b, "rank", cases[i].type, out, b->set.n, &c);
        c.args.rank.ties = (uint32_t)cases[i].ties;
        c.peers.op = cases[i].peers;
        c.question.variant = cases[i].ties_name;
        c.question.dist = cases[i].dist_name;
        snprintf(c.question.label, sizeof c.question.label, "%s %s, %s %s", cases[i].dist_name,
                 ordo_type_name(cases[i].type), cases[i].ties_name, ordo_type_name(out));
        if (!bench_generate(b, cases[i].dist, cases[i].type, b->src, b->set.n, 0) ||
            !measure_all(b, &c, call_rank))
            return false;
    }
    return bench_summary(b, "auto", false);
}

const bench_section bench_cuda_argsort_sections[] = {
    {"types", 8, 8, 0, run_types, true},
    {"distributions", 4, 4, 0, run_distributions, true},
    {"n", 4, 4, 0, run_n, true},
    {NULL, 0, 0, 0, NULL, false},
};
