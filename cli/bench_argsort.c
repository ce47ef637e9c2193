/* bench_argsort.c - the experiments of `ordo bench argsort`, and of `ordo bench rank` on unsorted
 * keys: both answer for every key where it belongs and leave the keys as they are.
 *
 * The peers sort an array of indices by looking at the keys through them (the textbook radix sort
 * packs key and index); for ranks they walk over the ties afterwards. */
#include "bench_order.h"
#include "bench_peers.h"

#include <stdio.h>

typedef struct order_args {
    ordo_type      type, out_type;
    const char    *keys;
    char          *out;
    size_t         n, batch;
    ordo_rank_opts rank;
} order_args;

typedef struct order_case {
    bench_question question;
    order_args     args;
    bench_peer_ask peers;
} order_case;

static const ordo_type four_types[] = {ORDO_F32, ORDO_U32, ORDO_F64, ORDO_U64};
enum {
    FOUR = sizeof four_types / sizeof *four_types,
    RANK_SHARE = 12,     /* unsorted ranks take this share of the keys that sorted ones take, */
    RANK_MOST = 10000000 /* and no more than these                                            */
};

static ordo_status call_argsort(ordo_ctx *ctx, const void *what)
{
    const order_args *const a = what;
    const size_t            stride = a->n * ordo_type_size(a->type);
    ordo_status             status = ORDO_OK;

    for (size_t i = 0; i < a->batch && status == ORDO_OK; i++)
        status = ordo_argsort(ctx, a->type, a->keys + i * stride, a->n, a->out_type, a->out, NULL);
    return status;
}

static ordo_status call_rank(ordo_ctx *ctx, const void *what)
{
    const order_args *const a = what;
    return ordo_rank(ctx, a->type, a->keys, a->n, a->out_type, a->out, &a->rank);
}

/* The keys are in b->src, the answer goes to b->dst; of a batch that of the last array stays. */
static void ask_order(const bench *b, const char *op, ordo_type type, ordo_type out_type, size_t n,
                      size_t batch, order_case *c)
{
    const size_t read = n * ordo_type_size(type), written = n * ordo_type_size(out_type);

    *c = (order_case){
        .question = bench_ask(op, type, n),
        .args = {.type = type,
                 .out_type = out_type,
                 .keys = b->src,
                 .out = b->dst,
                 .n = n,
                 .batch = batch,
                 .rank.struct_size = sizeof(ordo_rank_opts)},
        .peers = {.op = BENCH_PEER_ARGSORT,
                  .type = type,
                  .task = {.keys = b->src, .out = b->dst, .n = n},
                  .batch = batch,
                  .stride = read,
                  .base = "std::sort"},
    };
    c->question.out_type = out_type;
    c->question.bytes = read + written;
    c->question.answer = b->dst;
    c->question.answer_bytes = written;
    c->question.batch = batch;
}

static bool measure_all(bench *b, const order_case *c, bench_call *call)
{
    return bench_add_all_peers(b, &c->peers) && bench_add_both(b, "auto", call, &c->args) &&
           bench_measure(b, &c->question);
}

static bool run_types(bench *b)
{
    bench_heading(b, "Argsort to u32, key types, uniform; speed-up over std::sort of indices",
                  b->set.n, "keys", 6);
    for (size_t t = 0; t < FOUR; t++) {
        order_case c;
        ask_order(b, "argsort", four_types[t], ORDO_U32, b->set.n, 1, &c);
        snprintf(c.question.label, sizeof c.question.label, "%s", ordo_type_name(four_types[t]));
        if (!bench_generate(b, ORDO_DIST_UNIFORM, four_types[t], b->src, b->set.n, 0) ||
            !measure_all(b, &c, call_argsort))
            return false;
    }
    return bench_summary(b, "auto", false);
}

static bool run_distributions(bench *b)
{
    bench_heading(b, "Argsort of f32 to u32, distributions; speed-up over std::sort of indices",
                  b->set.n, "keys", 10);
    for (const bench_dist *d = bench_dists; d->name != NULL; d++) {
        order_case c;
        ask_order(b, "argsort", ORDO_F32, ORDO_U32, b->set.n, 1, &c);
        c.peers.only = "std::sort,lsd radix,gnu parallel,tbb parallel_sort";
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
    bench_heading(b, "Argsort of f64 to u32, number of keys n; speed-up over std::sort of indices",
                  0, "n", 13);
    for (size_t n = 1000; n <= b->set.n; n *= 10) {
        const size_t batch = bench_batch(n);
        order_case   c;
        ask_order(b, "argsort", ORDO_F64, ORDO_U32, n, batch, &c);
        c.peers.only = "std::sort,lsd radix,gnu parallel,tbb parallel_sort";
        bench_count(c.question.label, n);
        if (!bench_generate(b, ORDO_DIST_UNIFORM, ORDO_F64, b->src, n * batch, 0) ||
            !measure_all(b, &c, call_argsort))
            return false;
    }
    return bench_summary(b, "auto", false);
}

static bool run_threads(bench *b)
{
    bench_heading(b, "Argsort to u32, number of threads; speed-up over std::sort of indices",
                  b->set.n, "keys", 6);
    for (size_t t = 1; t < 3; t++) {
        order_case c;
        ask_order(b, "argsort", four_types[t], ORDO_U32, b->set.n, 1, &c);
        c.peers.only = "std::sort,lsd radix,gnu parallel,tbb parallel_sort";
        snprintf(c.question.label, sizeof c.question.label, "%s", ordo_type_name(four_types[t]));
        if (!bench_generate(b, ORDO_DIST_UNIFORM, four_types[t], b->src, b->set.n, 0))
            return false;
        for (unsigned i = 0; i < b->thread_count_count; i++)
            if (!bench_add_peers(b, &c.peers, b->thread_counts[i]))
                return false;
        for (unsigned i = 0; i < b->thread_count_count; i++)
            if (!bench_add(b, "auto", b->thread_counts[i], BENCH_CONTENDER, call_argsort, &c.args))
                return false;
        if (!bench_measure(b, &c.question))
            return false;
    }
    return true;
}

/* Average ranks as scipy.stats.rankdata gives them, then the other ties; keys with and without
 * many ties. */
bool bench_rank_unsorted(bench *b)
{
    static const struct {
        ordo_type     type;
        ordo_dist     dist;
        ordo_ties     ties;
        bench_peer_op peers;
        const char   *ties_name, *dist_name;
    } cases[] = {
        {ORDO_F64, ORDO_DIST_UNIFORM, ORDO_TIES_AVERAGE, BENCH_PEER_RANK_AVERAGE, "average",
         "uniform"},
        {ORDO_F32, ORDO_DIST_UNIFORM, ORDO_TIES_AVERAGE, BENCH_PEER_RANK_AVERAGE, "average",
         "uniform"},
        {ORDO_U64, ORDO_DIST_UNIFORM, ORDO_TIES_AVERAGE, BENCH_PEER_RANK_AVERAGE, "average",
         "uniform"},
        {ORDO_U32, ORDO_DIST_UNIFORM, ORDO_TIES_AVERAGE, BENCH_PEER_RANK_AVERAGE, "average",
         "uniform"},
        {ORDO_F64, ORDO_DIST_FEW, ORDO_TIES_AVERAGE, BENCH_PEER_RANK_AVERAGE, "average", "few"},
        {ORDO_F64, ORDO_DIST_ZIPF, ORDO_TIES_AVERAGE, BENCH_PEER_RANK_AVERAGE, "average", "zipf"},
        {ORDO_F32, ORDO_DIST_UNIFORM, ORDO_TIES_MIN, BENCH_PEER_RANK_MIN, "min", "uniform"},
        {ORDO_U32, ORDO_DIST_UNIFORM, ORDO_TIES_MIN, BENCH_PEER_RANK_MIN, "min", "uniform"},
        {ORDO_F64, ORDO_DIST_UNIFORM, ORDO_TIES_MIN, BENCH_PEER_RANK_MIN, "min", "uniform"},
    };
    const size_t share = b->set.n / RANK_SHARE;
    const size_t n = share < RANK_MOST ? share : RANK_MOST;

    bench_heading(b, "Ranks of unsorted keys; speed-up over std::sort of indices, then ranks", n,
                  "keys, ranks", 24);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const ordo_type out = cases[i].ties == ORDO_TIES_AVERAGE ? ORDO_F64 : ORDO_U32;
        order_case      c;
        ask_order(b, "rank", cases[i].type, out, n, 1, &c);
        c.args.rank.ties = (uint32_t)cases[i].ties;
        c.peers.op = cases[i].peers;
        c.question.variant = cases[i].ties_name;
        c.question.dist = cases[i].dist_name;
        snprintf(c.question.label, sizeof c.question.label, "%s %s, %s %s", cases[i].dist_name,
                 ordo_type_name(cases[i].type), cases[i].ties_name, ordo_type_name(out));
        if (!bench_generate(b, cases[i].dist, cases[i].type, b->src, n, 0) ||
            !measure_all(b, &c, call_rank))
            return false;
    }
    return bench_summary(b, "auto", false);
}

const bench_section bench_argsort_sections[] = {
    {"types", 8, 8, 0, run_types, true}, {"distributions", 4, 4, 0, run_distributions, true},
    {"n", 8, 8, 0, run_n, true},         {"threads", 8, 8, 0, run_threads, true},
    {NULL, 0, 0, 0, NULL, false},
};
