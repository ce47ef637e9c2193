/* bench_select.c - `ordo bench select`, on the host and on a GPU: medians, several quantiles,
 * top-k, and table 2 of the bitonic median paper (2^20 keys): its parallel and sequential part.
 *
 * Peers on the host change the keys, so every contender there gets a fresh copy, which is not
 * timed. CUB has no selection in the supported toolkits, so its peer sorts. A selection reads
 * the keys once and writes almost nothing, so it is compared with a copy of half the bytes. */
#include "bench/subjects/bench_order.h"
#include "bench/subjects/bench_subjects.h"
#include "cli/base/cli.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    MOST_RANKS = 99,
    MOST_TOP = 100000,
    PAPER_KEYS = 1 << 20
};

typedef struct select_args {
    ordo_type        type;
    char            *keys;
    size_t           n, batch, count; /* count: number of ranks, or k of topk */
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

/* Writes values, then indices after room for count values of 8 bytes. */
static ordo_status call_topk(ordo_ctx *ctx, const void *what)
{
    const select_args *const a = what;
    return ordo_topk(ctx, a->type, a->keys, a->n, a->count, a->out, ORDO_U32,
                     (uint64_t *)a->out + a->count, NULL, &a->opts);
}

static ordo_status call_sort(ordo_ctx *ctx, const void *what)
{
    const select_args *const a = what;
    return ordo_sort(ctx, a->type, a->keys, a->n, NULL);
}

/* The base of speed-ups. */
static const char *reference(const bench *b)
{
    return bench_pick(b, "std::nth_element", "CUB's radix sort");
}

/* Rank j of count is at (j + 1) / (count + 1), the median if count is 1. On the host the keys are
 * copied from b->src to b->dst, and the answer is in the case. On a GPU the keys are in b->src, and
 * the answer goes to b->dst. */
static void ask_select(const bench *b, ordo_type type, size_t n, size_t batch, size_t count,
                       select_case *c)
{
    const size_t size = ordo_type_size(type);
    const bool   moves = b->place == NULL;
    char *const  keys = moves ? b->dst : b->src;

    *c = (select_case){
        .question = bench_ask("select", type, n),
        .restore = bench_restore_dst(b, n * size * batch),
        .args = {.type = type,
                 .keys = keys,
                 .n = n,
                 .batch = batch,
                 .count = count,
                 .opts = ORDO_OPTS(ordo_select_opts, .flags = bench_flags(b),
                                   .stream = bench_stream(b))},
        .peers = {.op = BENCH_PEER_SELECT,
                  .type = type,
                  .task = {.keys = keys, .count = count, .n = n},
                  .batch = batch,
                  .stride = n * size,
                  .base = bench_pick(b, "std::nth_element", "cub radix")},
    };
    for (size_t j = 0; j < count; j++)
        c->ranks[j] = (size_t)((double)n * (double)(j + 1) / (double)(count + 1));
    c->args.ranks = c->peers.task.ranks = c->ranks;
    c->args.out = c->peers.task.out = c->question.answer = moves ? (void *)c->out : b->dst;
    c->question.bytes = n * size;
    c->question.answer_bytes = count * size;
    c->question.batch = batch;
    if (moves) {
        c->question.prepare = bench_restore_call;
        c->question.prepare_what = &c->restore;
    }
}

static bool measure_all(bench *b, const select_case *c)
{
    return bench_measure_auto(b, &c->peers, call_select, &c->args, &c->question);
}

static bool run_types(bench *b)
{
    bench_heading_over(b, "Median, key types, uniform", reference(b), b->set.n, "keys", 6);
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

    bench_heading_over(b, "Median, distributions", reference(b), b->set.n, "keys", 14);
    for (size_t t = 0; t < (b->place == NULL ? 2 : 1); t++) {
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
    const ordo_type types[] = {b->place == NULL ? ORDO_U32 : ORDO_F32, ORDO_F64};

    bench_heading_over(b, "Median, number of keys n, uniform", reference(b), 0, "n, keys", 17);
    for (size_t t = 0; t < (b->place == NULL ? 2 : 1); t++) {
        for (size_t n = bench_first_n(b); n <= b->set.n; n = bench_next_n(b, n)) {
            const size_t batch = b->place == NULL ? bench_batch(n) : 1;
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

static bool quantiles_once(bench *b, ordo_type type, size_t n, size_t count, const char *label)
{
    select_case c;

    ask_select(b, type, n, 1, count, &c);
    c.question.k = (double)count;
    snprintf(c.question.label, sizeof c.question.label, "%s", label);
    return measure_all(b, &c);
}

static bool run_quantiles(bench *b)
{
    static const size_t counts[] = {1, 3, 9, 99};
    const ordo_type     types[] = {b->place == NULL ? ORDO_U32 : ORDO_F32, ORDO_F64};

    bench_heading_over(b, "Several quantiles in one call, uniform", reference(b), b->set.n,
                       "quantiles", 9);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        if (!bench_generate(b, ORDO_DIST_UNIFORM, types[t], b->src, b->set.n, 0))
            return false;
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            char label[32];
            snprintf(label, sizeof label, "%zu %s", counts[i], ordo_type_name(types[t]));
            if (!quantiles_once(b, types[t], b->set.n, counts[i], label))
                return false;
        }
    }
    return bench_summary(b, "auto", false);
}

/* out: room for k values of 8 bytes, then k indices; NULL: use b->dst. */
static bool topk_once(bench *b, ordo_type type, size_t n, size_t k, void *out, const char *label)
{
    select_case c;

    ask_select(b, type, n, 1, 0, &c);
    if (out != NULL)
        c.args.out = c.peers.task.out = c.question.answer = out;
    c.args.count = c.peers.task.count = k;
    c.args.opts.flags |= ORDO_DESCENDING;
    c.question.op = "topk";
    c.question.k = (double)k;
    c.question.answer_bytes = k * ordo_type_size(type);
    c.peers.op = BENCH_PEER_TOPK;
    c.peers.base = bench_pick(b, "nth_element+sort", "cub radix");
    snprintf(c.question.label, sizeof c.question.label, "%s", label);
    return bench_measure_auto(b, &c.peers, call_topk, &c.args, &c.question);
}

static bool run_topk(bench *b)
{
    static const size_t    sizes[] = {10, 100, 1000, MOST_TOP};
    static const ordo_type types[] = {ORDO_F32, ORDO_F64};
    void *const            out =
        b->place != NULL ? NULL : cli_alloc(2 * MOST_TOP, sizeof(uint64_t), "the largest keys");
    const size_t most = b->place != NULL ? b->set.n / 16 : b->set.n;
    bool         ok = b->place != NULL || out != NULL;

    bench_heading_over(b, "The k largest keys (ordo: and their indices), uniform",
                       bench_pick(b, "std::nth_element, then std::sort", reference(b)), b->set.n,
                       "k, keys", 12);
    for (size_t t = 0; ok && t < sizeof types / sizeof *types; t++) {
        ok = bench_generate(b, ORDO_DIST_UNIFORM, types[t], b->src, b->set.n, 0);
        for (size_t i = 0; ok && i < sizeof sizes / sizeof *sizes; i++) {
            char count[32], label[40];
            snprintf(label, sizeof label, "%s %s", bench_count(count, sizes[i]),
                     ordo_type_name(types[t]));
            ok = sizes[i] > most || (b->place == NULL && sizes[i] == 100) ||
                 topk_once(b, types[t], b->set.n, sizes[i], out, label);
        }
    }
    free(out);
    return ok && bench_summary(b, "auto", false);
}

/* Section n measures the median of few keys. */
static bool run_small(bench *b)
{
    b->unit = 1e-6;
    bench_heading_over(b, "Few f32 keys, uniform, time of one call", reference(b), 0,
                       "asked for, n", 22);
    for (size_t n = 256; n <= (size_t)1 << 16; n *= 16) {
        char count[32], nine[48], top[48];
        bench_count(count, n);
        snprintf(nine, sizeof nine, "9 quantiles  %8s", count);
        snprintf(top, sizeof top, "16 largest  %8s", count);
        if (!bench_generate(b, ORDO_DIST_UNIFORM, ORDO_F32, b->src, n, 0) ||
            !quantiles_once(b, ORDO_F32, n, 9, nine) || !topk_once(b, ORDO_F32, n, 16, NULL, top))
            return false;
    }
    return true;
}

/* For comparison: a sort of all keys. On a GPU the peer is a sort. */
static bool add_sort(bench *b, const select_args *args)
{
    return b->place != NULL || (bench_add(b, "sort", 1, BENCH_BESIDE, call_sort, args) &&
                                (b->set.threads == 1 || bench_add(b, "sort", b->set.threads,
                                                                  BENCH_BESIDE, call_sort, args)));
}

/* The median by every named algorithm. */
static bool run_algorithms(bench *b)
{
    bench_algorithm algorithms[] = {
        {"auto", 1, ORDO_ALGORITHM_AUTO, false},
        {"radix", 1, ORDO_ALGORITHM_RADIX, false},
        {"merge", 1, ORDO_ALGORITHM_MERGE, false},
        {"bitonic", 2, ORDO_ALGORITHM_BITONIC, false},
    };
    enum {
        COUNT = sizeof algorithms / sizeof *algorithms
    };

    bench_heading_over(b, "Median by named algorithms, uniform f32", reference(b), 0, "n", 13);
    for (size_t n = bench_first_n(b); n <= b->set.n; n = bench_next_n(b, n)) {
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
        if (!add_sort(b, &c.args) || !bench_measure(b, &c.question))
            return false;
        bench_drop_slow(b, algorithms, COUNT, (double)bench_next_n(b, n) / (double)n);
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

/* Runs the first phase, untimed, before the second. */
static ordo_status sort_sub_arrays(ordo_ctx *ctx, const void *what)
{
    const bench_peer_call *const a = what;

    (void)ctx;
    return a->peer->call(&a->task) == 0 ? ORDO_OK : ORDO_E_DEVICE;
}

/* Short runs take an eighth of the keys, because the paper's merge is quadratic. */
static size_t paper_keys(const bench *b)
{
    const size_t few = PAPER_KEYS / 8;
    return b->set.n >= 8 * (size_t)PAPER_KEYS ? PAPER_KEYS : b->set.n < few ? b->set.n : few;
}

/* The paper's method with the times of its two parts, merges of pairs, and AUTO. */
static bool paper_calls(bench *b, size_t sub_array)
{
    const unsigned threads = b->set.threads;
    select_case    c;
    select_args    bitonic, merge;

    ask_select(b, ORDO_U32, paper_keys(b), 1, 1, &c);
    bitonic = merge = c.args;
    bitonic.opts.algorithm = ORDO_ALGORITHM_BITONIC;
    merge.opts.algorithm = ORDO_ALGORITHM_MERGE;
    bitonic.opts.sub_array = merge.opts.sub_array = sub_array;
    c.question.op = "median";
    c.question.k = (double)sub_array;
    snprintf(c.question.label, sizeof c.question.label, "%zu", sub_array);
    c.question.fresh = true;
    if (!bench_add(b, "bitonic", threads, BENCH_CONTENDER, call_select, &bitonic))
        return false;
    bench_describe(b, (bench_parameters){.sub_array = sub_array});
    if (!bench_add_phase(b, "parallel", threads, 1) ||
        !bench_add_phase(b, "sequential", threads, 2))
        return false;
    bench_describe(b, (bench_parameters){.where = ORDO_CPU, .sub_array = sub_array});
    if (!bench_add(b, "merge", threads, BENCH_CONTENDER, call_select, &merge))
        return false;
    bench_describe(b, (bench_parameters){.sub_array = sub_array});
    if (b->place == NULL &&
        (!bench_add_phase(b, "sub-arrays", threads, 1) || !bench_add_phase(b, "pairs", threads, 2)))
        return false;
    return bench_add(b, "auto", threads, BENCH_CONTENDER, call_select, &c.args) &&
           bench_measure(b, &c.question);
}

/* On a GPU: the two phases of MERGE, by peers. */
static bool paper_phases(bench *b, size_t sub_array)
{
    select_case    c;
    bench_peer_ask sorts, merges;

    ask_select(b, ORDO_U32, paper_keys(b), 1, 1, &c);
    sorts = merges = c.peers;
    sorts.op = BENCH_PEER_SUB_ARRAYS;
    merges.op = BENCH_PEER_MERGE;
    sorts.task.count = merges.task.count = sub_array;
    sorts.base = merges.base = NULL;
    sorts.loose = "sub-arrays"; /* has no answer to compare */
    c.question.op = "median";
    c.question.k = (double)sub_array;
    snprintf(c.question.label, sizeof c.question.label, "%zu", sub_array);
    if (!bench_add_peers(b, &sorts, 1))
        return false;
    if (b->peer_call_count == 0)
        return true; /* the module has no peers for the paper's phases */
    const bench_peer_call first = b->peer_calls[0];
    if (!bench_measure(b, &c.question))
        return false;
    c.question.prepare = sort_sub_arrays;
    c.question.prepare_what = &first;
    return bench_add_peers(b, &merges, 1) && bench_measure(b, &c.question);
}

/* Table 2 of the paper: sub-arrays sorted in parallel, then merged by one thread of the host. */
static bool run_paper(bench *b)
{
    bench_heading(b, "The median paper's table 2, u32: its parts by length of the sub-arrays",
                  paper_keys(b), "sub-array", 9);
    if (!bench_generate(b, ORDO_DIST_UNIFORM, ORDO_U32, b->src, paper_keys(b), 0))
        return false;
    for (size_t sub_array = 256; sub_array <= 2048; sub_array *= 2)
        if (!paper_calls(b, sub_array) || (b->place != NULL && !paper_phases(b, sub_array)))
            return false;
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
    {"paper", 4, 4, 0, run_paper, false},
    {NULL, 0, 0, 0, NULL, false},
};

const bench_section bench_cuda_select_sections[] = {
    {"types", 8, 8, 0, run_types, true},
    {"distributions", 4, 4, 0, run_distributions, true},
    {"n", 4, 4, 0, run_n, true},
    {"quantiles", 8, 8, 0, run_quantiles, true},
    {"topk", 8, 8, 0, run_topk, true},
    {"small", 4, 4, 0, run_small, true},
    {"algorithms", 4, 4, 0, run_algorithms, true},
    {"paper", 4, 4, 0, run_paper, true},
    {NULL, 0, 0, 0, NULL, false},
};
