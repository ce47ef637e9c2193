/* bench_cuda_scan.c - the experiments of `ordo bench scan --device cuda`: prefix scans, binary
 * prefix sums, stable partition and the test for order.
 *
 * The section `bits` is that of the ballot-counting poster: the binary prefix sum by ballots beside
 * the usual scan in shared memory, one flag a thread (bench/cuda/papers.cu), and CUB's. Its
 * application, a radix sort of one bit at a time, is in the section `algorithms` of sort. */
#include "bench_cuda.h"
#include "bench_peers.h"

#include <stdio.h>
#include <string.h>

typedef struct scan_args {
    ordo_op             op;
    ordo_flags_kind     kind;
    ordo_type           type, out_type;
    size_t              n, elem_size;
    const void         *in, *flags;
    void               *out;
    uint64_t           *answer;
    ordo_scan_opts      scan;
    ordo_partition_opts partition;
    ordo_order_opts     order;
} scan_args;

typedef struct scan_case {
    bench_question question;
    scan_args      args;
    bench_peer_ask peers;
    uint64_t       answer; /* on the host */
} scan_case;

static ordo_status call_scan(ordo_ctx *ctx, const void *what)
{
    const scan_args *const a = what;
    return ordo_scan(ctx, a->op, a->type, a->in, a->n, a->out_type, a->out, &a->scan);
}

static ordo_status call_bits(ordo_ctx *ctx, const void *what)
{
    const scan_args *const a = what;
    return ordo_scan_bits(ctx, a->kind, a->in, a->n, a->out_type, a->out, a->answer, &a->scan);
}

static ordo_status call_partition(ordo_ctx *ctx, const void *what)
{
    const scan_args *const a = what;
    return ordo_partition(ctx, a->kind, a->flags, a->in, a->n, a->elem_size, a->out, NULL,
                          &a->partition);
}

static ordo_status call_is_sorted(ordo_ctx *ctx, const void *what)
{
    const scan_args *const a = what;
    int                    sorted = 0;
    size_t                 where = 0;
    const ordo_status      status =
        ordo_is_sorted(ctx, a->type, a->in, a->n, &sorted, &where, &a->order);
    *a->answer = (uint64_t)where * 2 + (uint64_t)sorted;
    return status;
}

static bool measure(bench *b, scan_case *c, bench_call *call)
{
    return bench_add_all_peers(b, &c->peers) && bench_add_both(b, "auto", call, &c->args) &&
           bench_measure(b, &c->question);
}

/* ---- Questions ---------------------------------------------------------------------------- */

static void ask(const bench *b, const char *op, ordo_type type, size_t n, size_t bytes,
                size_t written, scan_case *c)
{
    void *const stream = bench_cuda_stream();

    *c = (scan_case){
        .question = bench_ask(op, type, n),
        .args = {.type = type,
                 .n = n,
                 .in = b->src,
                 .flags = b->flags,
                 .out = b->dst,
                 .scan = ORDO_OPTS(ordo_scan_opts, .flags = BENCH_ON_DEVICE, .stream = stream),
                 .partition =
                     ORDO_OPTS(ordo_partition_opts, .flags = BENCH_ON_DEVICE, .stream = stream),
                 .order = ORDO_OPTS(ordo_order_opts, .flags = BENCH_ON_DEVICE, .stream = stream)},
        .peers = {.type = type,
                  .task = {.keys = b->src, .values = b->flags, .out = b->dst, .n = n}},
    };
    c->question.bytes = bytes;
    c->question.answer = b->dst;
    c->question.answer_bytes = written;
}

static void ask_scan(const bench *b, const char *op, ordo_type type, ordo_type out_type, size_t n,
                     scan_case *c)
{
    const size_t written = n * ordo_type_size(out_type);
    const bool   sum = strcmp(op, "sum") == 0, is_float = type == ORDO_F32 || type == ORDO_F64;

    ask(b, op, type, n, n * ordo_type_size(type) + written, written, c);
    c->question.out_type = out_type;
    c->args.op = sum ? ORDO_SUM : strcmp(op, "min") == 0 ? ORDO_MIN : ORDO_MAX;
    c->args.out_type = out_type;
    if (sum)
        c->peers.op = type == out_type ? BENCH_PEER_SUM : BENCH_PEER_SUM_WIDE;
    else
        c->peers.op = c->args.op == ORDO_MAX ? BENCH_PEER_MAX : BENCH_PEER_NONE;
    c->peers.base = "cub scan";
    c->peers.loose = sum && is_float ? "cub scan" : NULL; /* added in another order */
    if (type == out_type)
        snprintf(c->question.label, sizeof c->question.label, "%s %s", op, ordo_type_name(type));
    else
        snprintf(c->question.label, sizeof c->question.label, "%s %s -> %s", op,
                 ordo_type_name(type), ordo_type_name(out_type));
}

static const char *flag_name(ordo_flags_kind kind)
{
    return kind == ORDO_FLAG_BITS ? "bits" : "bytes";
}

static size_t flag_bytes(ordo_flags_kind kind, size_t n)
{
    return kind == ORDO_FLAG_BITS ? n / 8 + (n % 8 != 0) : n;
}

/* out_type 0 asks for the total alone, which comes to the host. */
static void ask_bits(const bench *b, ordo_flags_kind kind, ordo_type out_type, size_t n,
                     scan_case *c)
{
    const size_t written = n * (out_type != 0 ? ordo_type_size(out_type) : 0);

    ask(b, "scan_bits", 0, n, flag_bytes(kind, n) + written, written, c);
    c->question.variant = flag_name(kind);
    c->question.out_type = out_type;
    c->args.kind = kind;
    c->args.out_type = out_type != 0 ? out_type : ORDO_U64;
    c->peers.op = out_type != ORDO_U32     ? BENCH_PEER_NONE
                  : kind == ORDO_FLAG_BITS ? BENCH_PEER_BITS
                                           : BENCH_PEER_BYTES;
    c->peers.base = "cub scan";
    if (out_type == 0) {
        c->args.out = NULL;
        c->args.answer = &c->answer;
        c->question.answer = &c->answer;
        c->question.answer_bytes = sizeof c->answer;
    }
    snprintf(c->question.label, sizeof c->question.label, "%s -> %s", c->question.variant,
             out_type != 0 ? ordo_type_name(out_type) : "total");
}

/* CUB's own partition turns the second group around: it stands beside, and what gives the same
 * answer is two selections. */
static void ask_partition(const bench *b, ordo_flags_kind kind, size_t elem_size, size_t n,
                          scan_case *c)
{
    ask(b, "partition", 0, n, flag_bytes(kind, n) + 2 * n * elem_size, n * elem_size, c);
    c->question.variant = flag_name(kind);
    c->args.kind = kind;
    c->args.elem_size = elem_size;
    c->peers.op =
        kind == ORDO_FLAG_BYTES && elem_size <= 8 ? BENCH_PEER_PARTITION : BENCH_PEER_NONE;
    c->peers.type = elem_size == 4 ? ORDO_U32 : ORDO_U64;
    c->peers.base = "cub select, twice";
    c->peers.loose = "cub partition";
    snprintf(c->question.label, sizeof c->question.label, "%zu bytes, %s flags", elem_size,
             kind == ORDO_FLAG_BITS ? "bit" : "byte");
}

static void ask_is_sorted(const bench *b, ordo_type type, size_t n, scan_case *c)
{
    ask(b, "is_sorted", type, n, n * ordo_type_size(type), 0, c);
    c->question.dist = "sorted";
    c->args.answer = &c->answer;
    c->peers.op = BENCH_PEER_IS_SORTED;
    c->peers.task.out = &c->answer;
    c->peers.base = "thrust";
    c->question.answer = &c->answer;
    c->question.answer_bytes = sizeof c->answer;
    snprintf(c->question.label, sizeof c->question.label, "is_sorted %s", ordo_type_name(type));
}

/* ---- Sections ----------------------------------------------------------------------------- */

static bool scan_once(bench *b, const char *op, ordo_type type, ordo_type out_type)
{
    scan_case c;

    ask_scan(b, op, type, out_type, b->set.n, &c);
    return measure(b, &c, call_scan);
}

static bool run_ops(bench *b)
{
    static const struct {
        ordo_type type, wide;
    } types[] = {{ORDO_U8, ORDO_U64},  {ORDO_U16, ORDO_U64}, {ORDO_U32, ORDO_U64},
                 {ORDO_U64, ORDO_U64}, {ORDO_F32, ORDO_F64}, {ORDO_F64, ORDO_F64}};

    bench_heading(b, "Prefix scans, uniform keys; speed-up over CUB", b->set.n, "scan", 15);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const ordo_type type = types[i].type, wide = types[i].wide;
        if (!bench_generate(b, ORDO_DIST_UNIFORM, type, b->src, b->set.n, 0) ||
            !scan_once(b, "sum", type, type) ||
            (wide != type && !scan_once(b, "sum", type, wide)) ||
            !scan_once(b, "min", type, type) || !scan_once(b, "max", type, type))
            return false;
    }
    return bench_summary(b, "auto", false);
}

static bool run_bits(bench *b)
{
    static const ordo_flags_kind kinds[] = {ORDO_FLAG_BYTES, ORDO_FLAG_BITS};
    static const ordo_type       out_types[] = {ORDO_U32, ORDO_U64, 0};

    bench_heading(b, "Binary prefix sums, half of the flags set; speed-up over CUB", b->set.n,
                  "flags", 14);
    for (size_t k = 0; k < 2; k++) {
        if (!bench_cuda_flags(b, kinds[k], b->src, b->set.n))
            return false;
        for (size_t t = 0; t < sizeof out_types / sizeof *out_types; t++) {
            scan_case c;
            ask_bits(b, kinds[k], out_types[t], b->set.n, &c);
            if (!measure(b, &c, call_bits))
                return false;
        }
    }
    return bench_summary(b, "auto", false);
}

static bool run_partition(bench *b)
{
    static const ordo_flags_kind kinds[] = {ORDO_FLAG_BYTES, ORDO_FLAG_BITS};

    bench_heading(b, "Stable partition, half of the flags set; speed-up over CUB's select, twice",
                  b->set.n, "elements", 20);
    for (size_t k = 0; k < 2; k++) {
        if (!bench_cuda_flags(b, kinds[k], b->flags, b->set.n))
            return false;
        for (size_t elem_size = 4; elem_size <= 16; elem_size *= 2) {
            scan_case c;
            ask_partition(b, kinds[k], elem_size, b->set.n, &c);
            if (!bench_generate(b, ORDO_DIST_UNIFORM, ORDO_U32, b->src, b->set.n * elem_size / 4,
                                0) ||
                !measure(b, &c, call_partition))
                return false;
        }
    }
    return bench_summary(b, "auto", false);
}

static bool run_sorted(bench *b)
{
    bench_heading(b, "Test for order, sorted keys; speed-up over thrust::is_sorted_until", b->set.n,
                  "keys", 15);
    for (int type = ORDO_U32; type <= ORDO_F64; type++) {
        scan_case c;
        ask_is_sorted(b, (ordo_type)type, b->set.n, &c);
        if (!bench_generate(b, ORDO_DIST_SORTED, (ordo_type)type, b->src, b->set.n, 0) ||
            !measure(b, &c, call_is_sorted))
            return false;
    }
    return bench_summary(b, "auto", false);
}

static bool small_once(bench *b, scan_case *c, bench_call *call)
{
    char         count[32];
    const size_t used = strlen(c->question.label);

    snprintf(c->question.label + used, sizeof c->question.label - used, "  %9s",
             bench_count(count, c->question.n));
    void *const graph = bench_cuda_record(b, call, &c->args);
    const bool  ok = bench_add_all_peers(b, &c->peers) &&
                    bench_add_both(b, "auto", call, &c->args) &&
                    (graph == NULL || bench_add_both(b, "auto, graph", bench_cuda_replay, graph)) &&
                    bench_measure(b, &c->question);
    bench_cuda_forget(graph);
    return ok;
}

static bool run_small(bench *b)
{
    b->unit = 1e-6;
    b->batch_seconds = 5e-3;
    bench_heading(b, "Small arrays, time of one of many calls in a row; speed-up over CUB", 0,
                  "operation, n", 31);
    for (size_t n = 256; n <= (size_t)1 << 20; n *= 16) {
        scan_case c;
        ask_scan(b, "sum", ORDO_U32, ORDO_U32, n, &c);
        if (!bench_generate(b, ORDO_DIST_UNIFORM, ORDO_U32, b->src, n, 0) ||
            !small_once(b, &c, call_scan) || !bench_cuda_flags(b, ORDO_FLAG_BYTES, b->flags, n))
            return false;
        ask_partition(b, ORDO_FLAG_BYTES, 4, n, &c);
        if (!small_once(b, &c, call_partition) || !bench_cuda_flags(b, ORDO_FLAG_BYTES, b->src, n))
            return false;
        ask_bits(b, ORDO_FLAG_BYTES, ORDO_U32, n, &c);
        if (!small_once(b, &c, call_bits))
            return false;
    }
    return true;
}

const bench_section bench_cuda_scan_sections[] = {
    {"ops", 8, 8, 0, run_ops, true},
    {"bits", 5, 8, 0, run_bits, true},
    {"partition", 17, 17, 1, run_partition, true},
    {"sorted", 8, 8, 0, run_sorted, true},
    {"small", 5, 5, 1, run_small, true},
    {NULL, 0, 0, 0, NULL, false},
};
