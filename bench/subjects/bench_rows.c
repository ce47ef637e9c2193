/* bench_rows.c - `ordo bench rows`: many rows in one call, on the host and on a GPU. Every line of
 * a table has about the same number of keys in all, in rows of another length.
 *
 * The peer on the host calls std::sort for every row; on a GPU the peers are CUB's segmented sort
 * and segmented radix sort. Medians, the largest 8 keys and splits around the median are compared
 * with these sorts, too, and sums with CUB's scan by key. On a GPU, rows that are sorted already
 * have a section of their own. */
#include "bench/subjects/bench_order.h"
#include "bench/subjects/bench_subjects.h"

#include <stdio.h>

typedef struct rows_args {
    ordo_type      type;
    char          *keys;
    size_t         n;
    ordo_segments  segments;
    ordo_sort_opts opts; /* its segments point to `segments` */
    void          *out;  /* of other calls, which read keys */
} rows_args;

/* Everything that must stay valid until the question is measured. */
typedef struct rows_case {
    bench_question question;
    bench_restore  restore;
    rows_args      args;
    bench_peer_ask peers;
} rows_case;

enum {
    TOP = 8
};

static const size_t lengths[] = {16, 128, 1024, 8192, 100000};

static ordo_status call_sort(ordo_ctx *ctx, const void *what)
{
    const rows_args *const a = what;
    return ordo_sort(ctx, a->type, a->keys, a->n, &a->opts);
}

static ordo_status call_median(ordo_ctx *ctx, const void *what)
{
    const rows_args *const   a = what;
    ordo_quantile_opts const opts =
        ORDO_OPTS(ordo_quantile_opts, .flags = a->opts.flags, .stream = a->opts.stream,
                  .segments = a->opts.segments);
    return ordo_median(ctx, a->type, a->keys, a->n, a->out, &opts);
}

static ordo_status call_topk(ordo_ctx *ctx, const void *what)
{
    const rows_args *const a = what;
    size_t const           results = a->segments.count * TOP;
    ordo_select_opts const opts =
        ORDO_OPTS(ordo_select_opts, .flags = a->opts.flags | ORDO_DESCENDING,
                  .stream = a->opts.stream, .segments = a->opts.segments);
    return ordo_topk(ctx, a->type, a->keys, a->n, TOP, a->out, ORDO_U32,
                     (char *)a->out + results * ordo_type_size(a->type), NULL, &opts);
}

static ordo_status call_sum(ordo_ctx *ctx, const void *what)
{
    const rows_args *const a = what;
    ordo_scan_opts const   opts = ORDO_OPTS(ordo_scan_opts, .flags = a->opts.flags,
                                            .stream = a->opts.stream, .segments = a->opts.segments);
    return ordo_scan(ctx, ORDO_SUM, a->type, a->keys, a->n, a->type, a->out, &opts);
}

static ordo_status call_nth(ordo_ctx *ctx, const void *what)
{
    const rows_args *const a = what;
    ordo_select_opts const opts = ORDO_OPTS(ordo_select_opts, .flags = a->opts.flags,
                                            .stream = a->opts.stream, .segments = a->opts.segments);
    return ordo_nth(ctx, a->type, a->keys, a->n, a->segments.length / 2, a->out, ORDO_U32, NULL,
                    &opts);
}

/* As the subject sort: the keys are in b->src and are sorted in b->dst. */
static void ask_sort(const bench *b, ordo_type type, size_t rows, size_t length, rows_case *c)
{
    const size_t n = rows * length, bytes = n * ordo_type_size(type);

    *c = (rows_case){
        .question = bench_ask("sort rows", type, n),
        .restore = bench_restore_dst(b, bytes),
        .args = {.type = type,
                 .keys = b->dst,
                 .n = n,
                 .segments = ORDO_OPTS(ordo_segments, .count = rows, .length = length),
                 .opts =
                     ORDO_OPTS(ordo_sort_opts, .flags = bench_flags(b), .stream = bench_stream(b))},
        .peers = {.op = BENCH_PEER_SORT_ROWS,
                  .type = type,
                  .task = {.keys = b->place == NULL ? b->dst : b->src,
                           .out = b->dst,
                           .count = length,
                           .n = n},
                  .batch = 1,
                  .base = bench_pick(b, "std::sort", "cub segmented")},
    };
    c->args.opts.segments = &c->args.segments;
    c->question.bytes = 2 * bytes;
    c->question.answer = b->dst;
    c->question.answer_bytes = bytes;
    c->question.prepare = bench_restore_call;
    c->question.prepare_what = &c->restore;
    bench_count(c->question.label, length);
}

static bool run_sort(bench *b)
{
    bench_heading_over(b, "Sort of rows of f32, uniform, by the length of a row",
                       bench_pick(b, "std::sort of every row", "CUB's segmented sort"), b->set.n,
                       "length", 9);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const size_t length = lengths[i] < b->set.n ? lengths[i] : b->set.n;
        rows_case    c;
        ask_sort(b, ORDO_F32, b->set.n / length, length, &c);
        if (!bench_generate(b, ORDO_DIST_UNIFORM, ORDO_F32, b->src, c.args.n, 0) ||
            !bench_measure_auto(b, &c.peers, call_sort, &c.args, &c.question))
            return false;
    }
    return bench_summary(b, "auto", false);
}

/* A call that reads the keys in b->src and writes to b->dst, beside sorts of the rows or peers of
 * its own. */
static bool run_reading(bench *b, const char *op, bench_call *call, uint32_t peer_op,
                        const char *base, size_t least)
{
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const size_t length = lengths[i] < b->set.n ? lengths[i] : b->set.n;
        rows_case    c;
        if (length < least || length == 0)
            continue;
        ask_sort(b, ORDO_F32, b->set.n / length, length, &c);
        c.args.keys = b->src;
        c.args.out = b->dst;
        c.question.op = op;
        c.question.bytes = c.args.n * ordo_type_size(ORDO_F32);
        c.question.answer_bytes = 0;
        c.peers.op = peer_op;
        c.peers.base = base;
        if (!bench_generate(b, ORDO_DIST_UNIFORM, ORDO_F32, b->src, c.args.n, 0) ||
            !bench_measure_auto(b, &c.peers, call, &c.args, &c.question))
            return false;
    }
    return bench_summary(b, "auto", false);
}

static bool run_median(bench *b)
{
    bench_heading_over(b, "Medians of rows of f32, uniform, by the length of a row",
                       bench_pick(b, "std::sort of every row", "CUB's segmented sort"), b->set.n,
                       "length", 9);
    return run_reading(b, "median rows", call_median, BENCH_PEER_SORT_ROWS,
                       bench_pick(b, "std::sort", "cub segmented"), 0);
}

static bool run_topk(bench *b)
{
    bench_heading_over(b, "The largest 8 keys of rows of f32, uniform, by the length of a row",
                       bench_pick(b, "std::sort of every row", "CUB's segmented sort"), b->set.n,
                       "length", 9);
    return run_reading(b, "topk rows", call_topk, BENCH_PEER_SORT_ROWS,
                       bench_pick(b, "std::sort", "cub segmented"), 2 * TOP);
}

static bool run_nth(bench *b)
{
    bench_heading_over(b, "Rows of f32 split around their median, uniform, by the length of a row",
                       bench_pick(b, "std::sort of every row", "CUB's segmented sort"), b->set.n,
                       "length", 9);
    return run_reading(b, "nth rows", call_nth, BENCH_PEER_SORT_ROWS,
                       bench_pick(b, "std::sort", "cub segmented"), 0);
}

/* Rows that are sorted already: a sorted array. */
static bool run_sorted(bench *b)
{
    bench_heading_over(b, "Sort of sorted rows of f32, by the length of a row",
                       "CUB's segmented sort", b->set.n, "length", 9);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const size_t length = lengths[i] < b->set.n ? lengths[i] : b->set.n;
        rows_case    c;
        ask_sort(b, ORDO_F32, b->set.n / length, length, &c);
        c.question.dist = "sorted";
        if (!bench_generate(b, ORDO_DIST_SORTED, ORDO_F32, b->src, c.args.n, 0) ||
            !bench_measure_auto(b, &c.peers, call_sort, &c.args, &c.question))
            return false;
    }
    return bench_summary(b, "auto", false);
}

static bool run_sum(bench *b)
{
    bench_heading_over(b, "Sums of rows of f32, uniform, by the length of a row",
                       "CUB's scan by key", b->set.n, "length", 9);
    return run_reading(b, "sum rows", call_sum, BENCH_PEER_SUM_ROWS, "cub by key", 0);
}

const bench_section bench_rows_sections[] = {
    {"sort", 4, 4, 0, run_sort, true}, {"median", 4, 4, 0, run_median, true},
    {"topk", 4, 4, 0, run_topk, true}, {"nth", 4, 4, 0, run_nth, true},
    {NULL, 0, 0, 0, NULL, false},
};

const bench_section bench_cuda_rows_sections[] = {
    {"sort", 4, 4, 0, run_sort, true}, {"median", 4, 4, 0, run_median, true},
    {"topk", 4, 4, 0, run_topk, true}, {"scan", 4, 4, 0, run_sum, true},
    {"nth", 4, 4, 0, run_nth, true},   {"sorted", 4, 4, 0, run_sorted, true},
    {NULL, 0, 0, 0, NULL, false},
};
