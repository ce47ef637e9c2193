/* bench_cuda_sort.c - the experiments of `ordo bench sort --device cuda`: key types, distributions,
 * the number of keys, named algorithms, pairs. (Those of the Roughsort paper are in
 * bench_cuda_radius.c.)
 *
 * ordo sorts a fresh copy in place, and the copying is not timed; CUB's radix sort, which cannot
 * work in place, reads the original and writes beside it, its merge sort works in place, too. */
#include "bench_cuda.h"
#include "bench_peers.h"

#include <stdio.h>

enum {
    FIRST_KEYS = 1 << 10,
    KEYS_STEP = 8,
    SMALL_KEYS = 1 << 20 /* up to these a call is also replayed as a graph */
};

/* batch arrays of n keys one behind the other, and as many values behind all of them. */
typedef struct sort_args {
    ordo_type      type;
    char          *keys;
    size_t         n, batch, size;
    size_t         value_size; /* 0: keys alone */
    ordo_sort_opts opts;
} sort_args;

typedef struct sort_case {
    bench_question question;
    bench_restore  restore;
    sort_args      args;
    bench_peer_ask peers;
} sort_case;

static ordo_status call_sort(ordo_ctx *ctx, const void *what)
{
    const sort_args *const a = what;
    const size_t           stride = a->n * a->size;
    ordo_status            status = ORDO_OK;

    for (size_t i = 0; i < a->batch && status == ORDO_OK; i++)
        status = ordo_sort(ctx, a->type, a->keys + i * stride, a->n, &a->opts);
    return status;
}

static ordo_status call_pairs(ordo_ctx *ctx, const void *what)
{
    const sort_args *const a = what;
    return ordo_sort_pairs(ctx, a->type, a->keys, a->n, a->keys + a->n * a->size, a->value_size,
                           &a->opts);
}

/* The unsorted keys are in b->src and are sorted in b->dst. */
static void ask_sort(const bench *b, ordo_type type, size_t n, size_t batch, sort_case *c)
{
    const size_t size = ordo_type_size(type), bytes = n * size;

    *c = (sort_case){
        .question = bench_ask("sort", type, n),
        .restore = {.to = {b->dst}, .from = {b->src}, .bytes = {bytes * batch}},
        .args = {.type = type,
                 .keys = b->dst,
                 .n = n,
                 .batch = batch,
                 .size = size,
                 .opts = ORDO_OPTS(ordo_sort_opts, .flags = BENCH_ON_DEVICE,
                                   .stream = bench_cuda_stream())},
        .peers = {.op = BENCH_PEER_SORT,
                  .type = type,
                  .task = {.keys = b->src, .out = b->dst, .n = n},
                  .batch = batch,
                  .stride = bytes,
                  .out_stride = bytes,
                  .only = "cub radix,cub merge",
                  .base = "cub radix"},
    };
    c->question.bytes = 2 * bytes;
    c->question.answer = b->dst;
    c->question.answer_bytes = bytes * batch;
    c->question.batch = batch;
    c->question.prepare = bench_cuda_restore;
    c->question.prepare_what = &c->restore;
}

static bool measure_all(bench *b, const sort_case *c)
{
    return bench_add_all_peers(b, &c->peers) && bench_add_both(b, "auto", call_sort, &c->args) &&
           bench_measure(b, &c->question);
}

static bool run_types(bench *b)
{
    bench_heading(b, "Sort, key types, uniform; speed-up over CUB's radix sort", b->set.n, "keys",
                  6);
    for (int type = ORDO_I8; type <= ORDO_F64; type++) {
        sort_case c;
        ask_sort(b, (ordo_type)type, b->set.n, 1, &c);
        snprintf(c.question.label, sizeof c.question.label, "%s", ordo_type_name(c.args.type));
        if (!bench_generate(b, ORDO_DIST_UNIFORM, c.args.type, b->src, b->set.n, 0) ||
            !measure_all(b, &c))
            return false;
    }
    return bench_summary(b, "auto", false);
}

static bool run_distributions(bench *b)
{
    static const ordo_type types[] = {ORDO_U32, ORDO_U64};

    bench_heading(b, "Sort, distributions; speed-up over CUB's radix sort", b->set.n, "keys", 14);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        for (const bench_dist *d = bench_dists; d->name != NULL; d++) {
            sort_case c;
            ask_sort(b, types[t], b->set.n, 1, &c);
            c.peers.only = "cub radix";
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

static bool n_once(bench *b, ordo_type type, size_t n)
{
    const size_t batch = bench_batch(n);
    sort_case    c;
    char         count[32];

    ask_sort(b, type, n, batch, &c);
    snprintf(c.question.label, sizeof c.question.label, "%s %s", bench_count(count, n),
             ordo_type_name(type));
    if (!bench_generate(b, ORDO_DIST_UNIFORM, type, b->src, n * batch, 0))
        return false;
    void *const graph = n <= SMALL_KEYS ? bench_cuda_record(b, call_sort, &c.args) : NULL;
    const bool  ok = bench_add_all_peers(b, &c.peers) &&
                    bench_add_both(b, "auto", call_sort, &c.args) &&
                    (graph == NULL || bench_add_both(b, "auto, graph", bench_cuda_replay, graph)) &&
                    bench_measure(b, &c.question);
    bench_cuda_forget(graph);
    return ok;
}

static bool run_n(bench *b)
{
    static const ordo_type types[] = {ORDO_U32, ORDO_F64};

    bench_heading(b, "Sort, number of keys n, uniform; speed-up over CUB's radix sort", 0,
                  "n, keys", 17);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t n = FIRST_KEYS; n <= b->set.n; n *= KEYS_STEP)
            if (!n_once(b, types[t], n))
                return false;
    return bench_summary(b, "auto", false);
}

/* The peer `split, shared scan` is what the ballot-counting poster compared itself with. */
static bool run_algorithms(bench *b)
{
    bench_algorithm algorithms[] = {
        {"auto", 1, ORDO_ALGORITHM_AUTO, false},       {"radix", 1, ORDO_ALGORITHM_RADIX, false},
        {"sample", 1, ORDO_ALGORITHM_SAMPLE, false},   {"merge", 1, ORDO_ALGORITHM_MERGE, false},
        {"bitonic", 1, ORDO_ALGORITHM_BITONIC, false}, {"split", 1, ORDO_ALGORITHM_SPLIT, false},
        {"rough", 1, ORDO_ALGORITHM_ROUGH, false},
    };
    enum {
        COUNT = sizeof algorithms / sizeof *algorithms
    };

    bench_heading(b, "Sort, named algorithms, uniform u32; speed-up over CUB's radix sort", 0, "n",
                  13);
    for (size_t n = FIRST_KEYS; n <= b->set.n; n *= KEYS_STEP) {
        sort_case c;
        sort_args args[COUNT];
        ask_sort(b, ORDO_U32, n, 1, &c);
        c.peers.only = NULL;
        bench_count(c.question.label, n);
        if (!bench_generate(b, ORDO_DIST_UNIFORM, ORDO_U32, b->src, n, 0) ||
            !bench_add_peers(b, &c.peers, 1))
            return false;
        for (size_t i = 0; i < COUNT; i++) {
            args[i] = c.args;
            args[i].opts.algorithm = (uint32_t)algorithms[i].algorithm;
            if (!algorithms[i].out && !bench_add_both(b, algorithms[i].name, call_sort, &args[i]))
                return false;
        }
        if (!bench_measure(b, &c.question))
            return false;
        bench_drop_slow(b, algorithms, COUNT, KEYS_STEP);
    }
    return true;
}

/* Keys, then values of the same width, random too: a stable sort has one answer. */
static bool run_pairs(bench *b)
{
    static const ordo_type types[] = {ORDO_U32, ORDO_U64};

    bench_heading(b, "Sort pairs of equal width, uniform keys; speed-up over CUB's radix sort",
                  b->set.n, "pairs", 9);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        const char *const name = ordo_type_name(types[t]);
        sort_case         c;
        ask_sort(b, types[t], b->set.n, 1, &c);
        const size_t bytes = b->set.n * c.args.size;
        c.question.op = "sort_pairs";
        c.question.bytes = 4 * bytes;
        c.question.answer_bytes = 2 * bytes;
        c.restore.bytes[0] = 2 * bytes; /* the values lie behind the keys in both arrays */
        c.args.value_size = c.args.size;
        c.peers.op = BENCH_PEER_PAIRS;
        c.peers.task.values = b->src + bytes;
        snprintf(c.question.label, sizeof c.question.label, "%s/%s", name, name);
        if (!bench_generate(b, ORDO_DIST_UNIFORM, types[t], b->src, 2 * b->set.n, 0) ||
            !bench_add_all_peers(b, &c.peers) || !bench_add_both(b, "auto", call_pairs, &c.args) ||
            !bench_measure(b, &c.question))
            return false;
    }
    return bench_summary(b, "auto", false);
}

const bench_section bench_cuda_sort_sections[] = {
    {"types", 8, 8, 0, run_types, true},   {"distributions", 8, 8, 0, run_distributions, true},
    {"n", 8, 8, 0, run_n, true},           {"algorithms", 4, 4, 0, run_algorithms, true},
    {"pairs", 16, 16, 0, run_pairs, true}, {"rough", 4, 4, 0, bench_cuda_rough, true},
    {NULL, 0, 0, 0, NULL, false},
};
