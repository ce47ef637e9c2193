/* bench_scan.c - `ordo bench scan`, on the host and on a GPU: prefix scans, binary prefix sums,
 * stable partition and is_sorted.
 *
 * On the host the base of speed-ups is the plain loop (bench_loops.c), if there is one. On a GPU
 * it is CUB's scan, two of CUB's selections, or Thrust's is_sorted. Section `poster` measures the
 * block scans of the ballot counting poster in scans of whole arrays, section `block` alone. */
#include "bench/harness/bench_cuda.h"
#include "bench/subjects/bench_order.h"
#include "bench/subjects/bench_subjects.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    BLOCK_KEYS = 1024, /* of a block of the poster's scans */
    BLOCK_REPEATS = 1000,
    FULL_BLOCKS = 256
};

/* Arguments of all four operations; each call_* uses the fields it needs. */
typedef struct scan_args {
    ordo_op             op;
    ordo_flags_kind     kind;
    ordo_type           type, out_type;
    size_t              n, elem_size;
    const void         *in, *flags;
    void               *out;
    uint64_t           *answer;
    bench_loop         *loop; /* NULL: none */
    ordo_scan_opts      scan;
    ordo_partition_opts partition;
    ordo_order_opts     order;
} scan_args;

typedef struct scan_case {
    bench_question question;
    scan_args      args;
    bench_peer_ask peers;
    uint64_t       answer; /* of calls that return one number, on the host */
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

static ordo_status call_loop(ordo_ctx *ctx, const void *what)
{
    const scan_args *const a = what;
    (void)ctx;
    a->loop(a->in, a->n, a->out);
    return ORDO_OK;
}

static bool measure(bench *b, scan_case *c, bench_call *call)
{
    const ordo_type  type = c->question.type;
    const bench_role base = type == ORDO_F32 || type == ORDO_F64 ? BENCH_BASE_LOOSE : BENCH_BASE;

    return (b->place != NULL || c->args.loop == NULL ||
            bench_add(b, "loop", 1, base, call_loop, &c->args)) &&
           bench_measure_auto(b, &c->peers, call, &c->args, &c->question);
}

/* ---- Questions ---------------------------------------------------------------------------- */

static void ask(const bench *b, const char *op, ordo_type type, size_t n, size_t bytes,
                size_t written, scan_case *c)
{
    void *const    stream = bench_stream(b);
    const uint64_t flags = bench_flags(b);

    *c = (scan_case){
        .question = bench_ask(op, type, n),
        .args = {.type = type,
                 .n = n,
                 .in = b->src,
                 .flags = b->flags,
                 .out = b->dst,
                 .scan = ORDO_OPTS(ordo_scan_opts, .flags = flags, .stream = stream),
                 .partition = ORDO_OPTS(ordo_partition_opts, .flags = flags, .stream = stream),
                 .order = ORDO_OPTS(ordo_order_opts, .flags = flags, .stream = stream)},
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
    c->args.loop = bench_loop_for(op, type, out_type);
    if (sum)
        c->peers.op = type == out_type ? BENCH_PEER_SUM : BENCH_PEER_SUM_WIDE;
    else
        c->peers.op = c->args.op == ORDO_MAX ? BENCH_PEER_MAX : BENCH_PEER_NONE;
    c->peers.base = "cub scan";
    c->peers.loose = sum && is_float ? "cub scan" : NULL; /* CUB adds in another order */
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

/* out_type 0: only the total, which is a host value. */
static void ask_bits(const bench *b, ordo_flags_kind kind, ordo_type out_type, size_t n,
                     scan_case *c)
{
    const size_t written = n * (out_type != 0 ? ordo_type_size(out_type) : 0);

    ask(b, "scan_bits", 0, n, flag_bytes(kind, n) + written, written, c);
    c->question.variant = flag_name(kind);
    c->question.out_type = out_type;
    c->args.kind = kind;
    c->args.out_type = out_type != 0 ? out_type : ORDO_U64;
    c->args.loop = bench_loop_for(c->question.variant, 0, out_type);
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

/* CUB's partition reverses the second group, so its answer is not compared. Two selections give the
 * stable answer. */
static void ask_partition(const bench *b, ordo_flags_kind kind, size_t elem_size, size_t n,
                          scan_case *c)
{
    ask(b, "partition", 0, n, flag_bytes(kind, n) + 2 * n * elem_size, n * elem_size, c);
    c->question.variant = flag_name(kind);
    c->args.kind = kind;
    c->args.elem_size = elem_size;
    c->peers.op = elem_size > 8             ? BENCH_PEER_NONE
                  : kind == ORDO_FLAG_BYTES ? BENCH_PEER_PARTITION
                                            : BENCH_PEER_PARTITION_BITS;
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

/* Random flags, half of them set. */
static bool make_flags(bench *b, ordo_flags_kind kind, char *flags, size_t n)
{
    if (b->place != NULL)
        return bench_cuda_flags(b, kind, flags, n);
    if (!bench_generate(b, ORDO_DIST_UNIFORM, ORDO_U8, flags, flag_bytes(kind, n), 0))
        return false;
    for (size_t i = 0; kind == ORDO_FLAG_BYTES && i < n; i++)
        flags[i] &= 1;
    return true;
}

/* The heading names the base of speed-ups on a GPU. */
static void heading(bench *b, const char *what, const char *base, size_t n, const char *label,
                    int width)
{
    if (b->place == NULL)
        bench_heading(b, what, n, label, width);
    else
        bench_heading_over(b, what, base, n, label, width);
}

/* ---- Sections ---------------------------------------------------------------------------- */

static bool scan_once(bench *b, const char *op, ordo_type type, ordo_type out_type)
{
    scan_case c;

    ask_scan(b, op, type, out_type, b->set.n, &c);
    return measure(b, &c, call_scan);
}

static bool is_signed(ordo_type type)
{
    return type == ORDO_I8 || type == ORDO_I16 || type == ORDO_I32 || type == ORDO_I64;
}

/* On a GPU signed sums are the same kernels as unsigned sums. */
static bool run_ops(bench *b)
{
    heading(b,
            bench_pick(b, "Prefix scans of every type, uniform keys", "Prefix scans, uniform keys"),
            "CUB", b->set.n, "scan", 15);
    for (int i = ORDO_I8; i <= ORDO_F64; i++) {
        const ordo_type type = (ordo_type)i, wide = ordo_type_wide(type);
        if (b->place != NULL && is_signed(type))
            continue;
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

    heading(b, "Binary prefix sums, half of the flags set", "CUB", b->set.n, "flags", 14);
    for (size_t k = 0; k < 2; k++) {
        if (!make_flags(b, kinds[k], b->src, b->set.n))
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

/* The call by ballots, by AUTO, and for flags also in shared memory, the base of speed-ups. For
 * sums the peers are the same kernel with other block scans. */
static bool poster_once(bench *b, scan_case *c, bench_call *call, bool flags)
{
    scan_args shared = c->args, ballot = c->args;

    shared.scan.algorithm = ORDO_ALGORITHM_SHARED;
    ballot.scan.algorithm = ORDO_ALGORITHM_BALLOT;
    return (flags ? bench_add(b, "shared", 1, BENCH_BASE, call, &shared)
                  : bench_add_peers(b, &c->peers, 1)) &&
           bench_add(b, "ballot", 1, BENCH_CONTENDER, call, &ballot) &&
           bench_add(b, "auto", 1, BENCH_CONTENDER, call, &c->args) &&
           bench_measure(b, &c->question);
}

static bool run_poster(bench *b)
{
    static const ordo_flags_kind kinds[] = {ORDO_FLAG_BYTES, ORDO_FLAG_BITS};
    scan_case                    c;

    bench_heading_over(b, "The ballot poster's block scans, one element per thread",
                       "the scan in shared memory", b->set.n, "scan", 14);
    for (size_t k = 0; k < 2; k++) {
        ask_bits(b, kinds[k], ORDO_U32, b->set.n, &c);
        if (!make_flags(b, kinds[k], b->src, b->set.n) || !poster_once(b, &c, call_bits, true))
            return false;
    }
    ask_scan(b, "sum", ORDO_U32, ORDO_U32, b->set.n, &c);
    c.peers.op = BENCH_PEER_WORD_SUM;
    c.peers.base = "shared";
    return bench_generate(b, ORDO_DIST_UNIFORM, ORDO_U32, b->src, b->set.n, 0) &&
           poster_once(b, &c, call_scan, false);
}

/* The cycles of one scan, by a peer of the pending question; NAN if there is no such peer. */
static double cycles_of(bench *b, bench_peer_op op, const char *name, bench_peer_task task)
{
    double cycles = NAN;

    task.values = &cycles;
    for (size_t i = 0; b->peers != NULL && i < b->peers->count; i++) {
        const bench_peer *const peer = &b->peers->peers[i];
        if (peer->op == (uint32_t)op && strcmp(peer->name, name) == 0 && peer->call(&task) != 0)
            return NAN;
    }
    return cycles;
}

static bool block_once(bench *b, bench_peer_op op, const char *what, size_t blocks)
{
    static const char *const forms[] = {"shared", "ballot", "shuffle"};
    const size_t             n = blocks * BLOCK_KEYS;
    bench_question           q = bench_ask("scan", ORDO_U32, n);
    const bench_peer_ask     ask = {
            .op = op,
            .type = ORDO_U32,
            .task = {.keys = b->src, .out = b->dst, .count = BLOCK_REPEATS, .n = n},
            .base = "shared"};

    q.variant = what;
    q.bytes = 2 * n * sizeof(uint32_t);
    q.answer = b->dst;
    q.answer_bytes = n * sizeof(uint32_t);
    q.batch = BLOCK_REPEATS;
    snprintf(q.label, sizeof q.label, "%s, %zu", what, blocks);
    if (!bench_generate(b, ORDO_DIST_UNIFORM, ORDO_U32, b->src, n, 0) ||
        !bench_add_peers(b, &ask, 1) || !bench_measure(b, &q))
        return false;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char         name[96];
        const double cycles = cycles_of(b, op, forms[i], ask.task);
        snprintf(name, sizeof name, "cycles of a block scan of %s by %s, %zu blocks", what,
                 forms[i], blocks);
        printf("  %s: %.0f\n", name, cycles);
        if (!bench_note(b, name, cycles))
            return false;
    }
    return true;
}

/* The block scan alone: blocks of 1024 threads scan values in registers many times. One block, and
 * as many as the multiprocessors of an H200 hold at a time. A time is that of one scan by all
 * blocks. */
static bool run_block(bench *b)
{
    const size_t most = b->set.n / BLOCK_KEYS, blocks = most < FULL_BLOCKS ? most : FULL_BLOCKS;

    b->unit = 1e-6;
    bench_heading_over(b, "Block scans of the ballot poster alone, blocks of 1024 threads",
                       "the scan in shared memory", 0, "values, blocks", 15);
    return blocks == 0 || (block_once(b, BENCH_PEER_BLOCK_FLAGS, "flags", 1) &&
                           block_once(b, BENCH_PEER_BLOCK_FLAGS, "flags", blocks) &&
                           block_once(b, BENCH_PEER_BLOCK_WORDS, "words", 1) &&
                           block_once(b, BENCH_PEER_BLOCK_WORDS, "words", blocks));
}

static bool run_partition(bench *b)
{
    static const ordo_flags_kind kinds[] = {ORDO_FLAG_BYTES, ORDO_FLAG_BITS};

    heading(b,
            bench_pick(b, "Stable partition of elements, half of the flags set",
                       "Stable partition, half of the flags set"),
            "CUB's select, twice", b->set.n, "elements", 20);
    for (size_t k = 0; k < 2; k++) {
        if (!make_flags(b, kinds[k], b->flags, b->set.n))
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
    heading(b, "Test for order, sorted keys", "thrust::is_sorted_until", b->set.n, "keys", 15);
    for (int type = b->place == NULL ? ORDO_I8 : ORDO_U32; type <= ORDO_F64; type++) {
        scan_case c;
        ask_is_sorted(b, (ordo_type)type, b->set.n, &c);
        if (!bench_generate(b, ORDO_DIST_SORTED, (ordo_type)type, b->src, b->set.n, 0) ||
            !measure(b, &c, call_is_sorted))
            return false;
    }
    return bench_summary(b, "auto", false);
}

static bool add_thread_counts(bench *b, bench_call *call, const scan_args *args)
{
    if (!bench_add(b, "loop", 1, BENCH_BASE, call_loop, args))
        return false;
    for (unsigned i = 0; i < b->thread_count_count; i++)
        if (!bench_add(b, "auto", b->thread_counts[i], BENCH_CONTENDER, call, args))
            return false;
    return true;
}

static bool run_threads(bench *b)
{
    scan_case c;

    bench_heading(b, "Time against the number of threads", b->set.n, "scan", 14);
    ask_scan(b, "sum", ORDO_U32, ORDO_U32, b->set.n, &c);
    if (!bench_generate(b, ORDO_DIST_UNIFORM, ORDO_U32, b->src, b->set.n, 0) ||
        !add_thread_counts(b, call_scan, &c.args) || !bench_measure(b, &c.question))
        return false;
    ask_bits(b, ORDO_FLAG_BYTES, ORDO_U32, b->set.n, &c);
    return make_flags(b, ORDO_FLAG_BYTES, b->src, b->set.n) &&
           add_thread_counts(b, call_bits, &c.args) && bench_measure(b, &c.question);
}

static bool small_once(bench *b, scan_case *c, bench_call *call)
{
    char         count[32];
    const size_t used = strlen(c->question.label);

    snprintf(c->question.label + used, sizeof c->question.label - used, "  %9s",
             bench_count(count, c->question.n));
    return measure(b, c, call);
}

static bool small_all(bench *b, size_t n)
{
    scan_case c;

    ask_scan(b, "sum", ORDO_U32, ORDO_U32, n, &c);
    if (!bench_generate(b, ORDO_DIST_UNIFORM, ORDO_U32, b->src, n, 0) ||
        !small_once(b, &c, call_scan) || !make_flags(b, ORDO_FLAG_BYTES, b->flags, n))
        return false;
    ask_partition(b, ORDO_FLAG_BYTES, 4, n, &c);
    if (!small_once(b, &c, call_partition) || !make_flags(b, ORDO_FLAG_BYTES, b->src, n))
        return false;
    ask_bits(b, ORDO_FLAG_BYTES, ORDO_U32, n, &c);
    if (!small_once(b, &c, call_bits))
        return false;
    ask_is_sorted(b, ORDO_F32, n, &c);
    return bench_generate(b, ORDO_DIST_SORTED, ORDO_F32, b->src, n, 0) &&
           small_once(b, &c, call_is_sorted);
}

static bool run_small(bench *b)
{
    const size_t step = b->place == NULL ? 10 : 16, most = b->place == NULL ? 100000 : 1 << 20;

    b->unit = 1e-6;
    b->batch_seconds = 5e-3;
    heading(b,
            bench_pick(b, "Small arrays, time of one call in a warm context",
                       "Small arrays, time of one of many calls in a row"),
            "CUB", 0, "operation, n", 31);
    for (size_t n = b->place == NULL ? 10 : 256; n <= most; n *= step)
        if (!small_all(b, n))
            return false;
    return true;
}

const bench_section bench_scan_sections[] = {
    {"ops", 8, 8, 0, run_ops, false},
    {"bits", 5, 8, 0, run_bits, false},
    {"partition", 17, 17, 1, run_partition, false},
    {"sorted", 8, 8, 0, run_sorted, false},
    {"threads", 4, 4, 0, run_threads, false},
    {"small", 5, 5, 1, run_small, false},
    {NULL, 0, 0, 0, NULL, false},
};

const bench_section bench_cuda_scan_sections[] = {
    {"ops", 8, 8, 0, run_ops, true},       {"bits", 5, 8, 0, run_bits, true},
    {"poster", 4, 4, 0, run_poster, true}, {"partition", 17, 17, 1, run_partition, true},
    {"sorted", 8, 8, 0, run_sorted, true}, {"block", 4, 4, 0, run_block, true},
    {"small", 5, 5, 1, run_small, true},   {NULL, 0, 0, 0, NULL, false},
};
