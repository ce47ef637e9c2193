/* bench_sort.c - the experiments of `ordo bench sort`.
 *
 * Key types; the distributions of the sample-sort paper and of the generators; the number of keys;
 * every named algorithm; pairs; small arrays; threads. (The experiments of the Roughsort paper are
 * in bench_radius.c.) Each call sorts a fresh copy in place; the copying is not timed. */
#include "bench_order.h"
#include "bench_peers.h"

#include <stdio.h>

/* batch arrays of n keys one behind the other, and as many values behind all of them. */
typedef struct sort_args {
    ordo_type      type;
    char          *keys;
    size_t         n, batch, size;
    size_t         value_size; /* 0: keys alone */
    ordo_sort_opts opts;
} sort_args;

/* What one question needs until it is measured. */
typedef struct sort_case {
    bench_question question;
    bench_restore  restore;
    sort_args      args;
    bench_peer_ask peers;
} sort_case;

/* For the longer sections: the reference, the textbook, and the best of the others. */
static const char main_peers[] = "std::sort,lsd radix,vqsort,gnu parallel,tbb parallel_sort,"
                                 "boost block_indirect";

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
                 .opts.struct_size = sizeof(ordo_sort_opts)},
        .peers = {.op = BENCH_PEER_SORT,
                  .type = type,
                  .task = {.keys = b->dst, .n = n},
                  .batch = batch,
                  .stride = bytes,
                  .base = "std::sort"},
    };
    c->question.bytes = 2 * bytes;
    c->question.answer = b->dst;
    c->question.answer_bytes = bytes * batch;
    c->question.batch = batch;
    c->question.prepare = bench_restore_call;
    c->question.prepare_what = &c->restore;
}

static bool measure_all(bench *b, const sort_case *c)
{
    return bench_add_all_peers(b, &c->peers) && bench_add_both(b, "auto", call_sort, &c->args) &&
           bench_measure(b, &c->question);
}

static bool run_types(bench *b)
{
    bench_heading(b, "Sort, key types, uniform; speed-up over std::sort", b->set.n, "keys", 6);
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
    static const ordo_type types[] = {ORDO_U32, ORDO_F32};

    bench_heading(b, "Sort, distributions; speed-up over std::sort", b->set.n, "keys", 14);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        for (const bench_dist *d = bench_dists; d->name != NULL; d++) {
            sort_case c;
            ask_sort(b, types[t], b->set.n, 1, &c);
            c.peers.only = main_peers;
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

    bench_heading(b, "Sort, number of keys n, uniform; speed-up over std::sort", 0, "n, keys", 17);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        for (size_t n = 1000; n <= b->set.n; n *= 10) {
            const size_t batch = bench_batch(n);
            sort_case    c;
            char         count[32];
            ask_sort(b, types[t], n, batch, &c);
            c.peers.only = main_peers;
            snprintf(c.question.label, sizeof c.question.label, "%s %s", bench_count(count, n),
                     ordo_type_name(types[t]));
            if (!bench_generate(b, ORDO_DIST_UNIFORM, types[t], b->src, n * batch, 0) ||
                !measure_all(b, &c))
                return false;
        }
    }
    return bench_summary(b, "auto", false);
}

static bool run_algorithms(bench *b)
{
    bench_algorithm algorithms[] = {
        {"auto", 1, ORDO_ALGORITHM_AUTO, false},
        {"radix", 1, ORDO_ALGORITHM_RADIX, false},
        {"sample", 1, ORDO_ALGORITHM_SAMPLE, false},
        {"merge", 1, ORDO_ALGORITHM_MERGE, false},
        {"bitonic", 1, ORDO_ALGORITHM_BITONIC, false},
        {"split", 1, ORDO_ALGORITHM_SPLIT, false},
        {"rough", 1, ORDO_ALGORITHM_ROUGH, false},
        {"halving", 1, ORDO_ALGORITHM_HALVING, false},
        {"bubble", 2, ORDO_ALGORITHM_BUBBLE, false},
    };
    enum {
        COUNT = sizeof algorithms / sizeof *algorithms
    };

    bench_heading(b, "Sort, named algorithms, uniform u32; speed-up over std::sort", 0, "n", 13);
    for (size_t n = 1000; n <= b->set.n; n *= 10) {
        const size_t batch = n < 10000 ? 16 : 1;
        sort_case    c;
        sort_args    args[COUNT];
        ask_sort(b, ORDO_U32, n, batch, &c);
        c.peers.only = "std::sort";
        bench_count(c.question.label, n);
        if (!bench_generate(b, ORDO_DIST_UNIFORM, ORDO_U32, b->src, n * batch, 0) ||
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
        bench_drop_slow(b, algorithms, COUNT, 10);
    }
    return true;
}

/* The values are indices: a peer that sorts by key, then value, gives the stable answer. */
static bool make_values(bench *b, ordo_type type, char *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (type == ORDO_U32)
            ((uint32_t *)(void *)values)[i] = (uint32_t)i;
        else
            ((uint64_t *)(void *)values)[i] = i;
    }
    return bench_generate(b, ORDO_DIST_UNIFORM, type, b->src, n, 0);
}

static bool run_pairs(bench *b)
{
    static const ordo_type types[] = {ORDO_U32, ORDO_U64};

    bench_heading(b, "Sort pairs of equal width, uniform keys; speed-up over std::stable_sort",
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
        c.peers.task.values = b->dst + bytes;
        c.peers.base = "std::stable_sort";
        snprintf(c.question.label, sizeof c.question.label, "%s/%s", name, name);
        if (!make_values(b, types[t], b->src + bytes, b->set.n) ||
            !bench_add_all_peers(b, &c.peers) || !bench_add_both(b, "auto", call_pairs, &c.args) ||
            !bench_measure(b, &c.question))
            return false;
    }
    return bench_summary(b, "auto", false);
}

static bool run_small(bench *b)
{
    static const size_t    sizes[] = {1,  2,  3,  4,  6,   8,   12,  16,  24,
                                      32, 48, 64, 96, 128, 192, 256, 500, 1000};
    static const ordo_type types[] = {ORDO_U32, ORDO_F64};

    b->unit = 1e-6;
    bench_heading(b,
                  "Sort, small arrays, time of one call in a warm context; speed-up over std::sort",
                  0, "n, keys", 9);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            const size_t n = sizes[i], batch = bench_batch(n);
            sort_case    c;
            ask_sort(b, types[t], n, batch, &c);
            c.peers.only = "std::sort,vqsort,boost pdqsort";
            snprintf(c.question.label, sizeof c.question.label, "%zu %s", n,
                     ordo_type_name(types[t]));
            if (!bench_generate(b, ORDO_DIST_UNIFORM, types[t], b->src, n * batch, 0) ||
                !bench_add_peers(b, &c.peers, 1) ||
                !bench_add(b, "auto", 1, BENCH_CONTENDER, call_sort, &c.args) ||
                !bench_measure(b, &c.question))
                return false;
        }
    }
    return true;
}

static bool run_threads(bench *b)
{
    static const ordo_type types[] = {ORDO_U32, ORDO_U64, ORDO_F64};

    bench_heading(b, "Sort, number of threads, uniform; speed-up over std::sort", b->set.n, "keys",
                  6);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        sort_case c;
        ask_sort(b, types[t], b->set.n, 1, &c);
        c.peers.only = main_peers;
        snprintf(c.question.label, sizeof c.question.label, "%s", ordo_type_name(types[t]));
        if (!bench_generate(b, ORDO_DIST_UNIFORM, types[t], b->src, b->set.n, 0))
            return false;
        for (unsigned i = 0; i < b->thread_count_count; i++)
            if (!bench_add_peers(b, &c.peers, b->thread_counts[i]))
                return false;
        for (unsigned i = 0; i < b->thread_count_count; i++)
            if (!bench_add(b, "auto", b->thread_counts[i], BENCH_CONTENDER, call_sort, &c.args))
                return false;
        if (!bench_measure(b, &c.question))
            return false;
    }
    return true;
}

const bench_section bench_sort_sections[] = {
    {"types", 8, 8, 0, run_types, true},
    {"distributions", 4, 4, 0, run_distributions, true},
    {"n", 8, 8, 0, run_n, true},
    {"algorithms", 4, 4, 0, run_algorithms, true},
    {"pairs", 16, 16, 0, run_pairs, true},
    {"small", 8, 8, 0, run_small, true},
    {"threads", 8, 8, 0, run_threads, true},
    {"rough", 4, 4, 0, bench_rough, true},
    {NULL, 0, 0, 0, NULL, false},
};
