/* bench_scan.c - the experiments of `ordo bench scan`: prefix scans, binary prefix sums, stable
 * partition and the test for order, each beside the copy of as many bytes as it moves.
 *
 * Where a plain loop is at hand (bench_loops.c) it is the sequential baseline. */
#include "bench_core.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One question of any of the four kinds; call_* takes the fields it needs. */
typedef struct scan_args {
    ordo_op         op;
    ordo_flags_kind kind;
    ordo_type       type, out_type;
    size_t          n, elem_size;
    const void     *in, *flags;
    void           *out;
    uint64_t       *total;
    bench_loop     *loop;
} scan_args;

static ordo_status call_scan(ordo_ctx *ctx, const void *what)
{
    const scan_args *const a = what;
    return ordo_scan(ctx, a->op, a->type, a->in, a->n, a->out_type, a->out, NULL);
}

static ordo_status call_bits(ordo_ctx *ctx, const void *what)
{
    const scan_args *const a = what;
    return ordo_scan_bits(ctx, a->kind, a->in, a->n, a->out_type, a->out, a->total, NULL);
}

static ordo_status call_partition(ordo_ctx *ctx, const void *what)
{
    const scan_args *const a = what;
    return ordo_partition(ctx, a->kind, a->flags, a->in, a->n, a->elem_size, a->out, NULL, NULL);
}

static ordo_status call_is_sorted(ordo_ctx *ctx, const void *what)
{
    const scan_args *const a = what;
    int                    sorted = 0;
    size_t                 where = 0;
    const ordo_status status = ordo_is_sorted(ctx, a->type, a->in, a->n, &sorted, &where, NULL);
    *a->total = (uint64_t)where * 2 + (uint64_t)sorted;
    return status;
}

static ordo_status call_loop(ordo_ctx *ctx, const void *what)
{
    const scan_args *const a = what;
    (void)ctx;
    a->loop(a->in, a->n, a->out);
    return ORDO_OK;
}

/* The plain loop if there is one, then the call with one and with all threads. */
static bool measure_all(bench *b, const bench_question *q, bench_call *call, const scan_args *args)
{
    const unsigned   all = b->set.threads;
    const bench_role base =
        q->type == ORDO_F32 || q->type == ORDO_F64 ? BENCH_BASE_LOOSE : BENCH_BASE;

    return (args->loop == NULL || bench_add(b, "loop", 1, base, call_loop, args)) &&
           bench_add(b, "auto", 1, BENCH_CONTENDER, call, args) &&
           (all == 1 || bench_add(b, "auto", all, BENCH_CONTENDER, call, args)) &&
           bench_measure(b, q);
}

/* ---- Questions: each fills q and args from what it is given ------------------------------ */

static void ask_scan(const bench *b, const char *op, ordo_type type, ordo_type out_type, size_t n,
                     bench_question *q, scan_args *args)
{
    const size_t written = n * ordo_type_size(out_type);

    *q = (bench_question){
        .op = op,
        .variant = "",
        .type = type,
        .out_type = out_type,
        .p = NAN,
        .k = NAN,
        .n = n,
        .bytes = n * ordo_type_size(type) + written,
        .answer = b->dst,
        .answer_bytes = written,
    };
    *args = (scan_args){
        .op = op[0] == 's'             ? ORDO_SUM
              : strcmp(op, "min") == 0 ? ORDO_MIN
                                       : ORDO_MAX,
        .type = type,
        .out_type = out_type,
        .n = n,
        .in = b->src,
        .out = b->dst,
        .loop = bench_loop_for(op, type, out_type),
    };
    if (type == out_type)
        snprintf(q->label, sizeof q->label, "%s %s", op, ordo_type_name(type));
    else
        snprintf(q->label, sizeof q->label, "%s %s -> %s", op, ordo_type_name(type),
                 ordo_type_name(out_type));
}

static size_t flag_bytes(ordo_flags_kind kind, size_t n)
{
    return kind == ORDO_FLAG_BITS ? n / 8 + (n % 8 != 0) : n;
}

static const char *flag_name(ordo_flags_kind kind)
{
    return kind == ORDO_FLAG_BITS ? "bits" : "bytes";
}

/* out_type 0 asks for the total alone. */
static void ask_bits(const bench *b, ordo_flags_kind kind, ordo_type out_type, size_t n,
                     uint64_t *total, bench_question *q, scan_args *args)
{
    const size_t written = n * (out_type != 0 ? ordo_type_size(out_type) : 0);

    *q = (bench_question){
        .op = "scan_bits",
        .variant = flag_name(kind),
        .out_type = out_type,
        .p = NAN,
        .k = NAN,
        .n = n,
        .bytes = flag_bytes(kind, n) + written,
        .answer = written != 0 ? (void *)b->dst : (void *)total,
        .answer_bytes = written != 0 ? written : sizeof *total,
    };
    *args = (scan_args){
        .kind = kind,
        .out_type = out_type != 0 ? out_type : ORDO_U64,
        .n = n,
        .in = b->src,
        .out = written != 0 ? b->dst : NULL,
        .total = total,
        .loop = bench_loop_for(q->variant, 0, out_type),
    };
    snprintf(q->label, sizeof q->label, "%s -> %s", q->variant,
             out_type != 0 ? ordo_type_name(out_type) : "total");
}

static void ask_partition(const bench *b, ordo_flags_kind kind, size_t elem_size, size_t n,
                          bench_question *q, scan_args *args)
{
    *q = (bench_question){
        .op = "partition",
        .variant = flag_name(kind),
        .p = NAN,
        .k = NAN,
        .n = n,
        .bytes = flag_bytes(kind, n) + 2 * n * elem_size,
        .answer = b->dst,
        .answer_bytes = n * elem_size,
    };
    *args = (scan_args){
        .kind = kind,
        .n = n,
        .elem_size = elem_size,
        .in = b->src,
        .flags = b->flags,
        .out = b->dst,
    };
    snprintf(q->label, sizeof q->label, "%zu bytes, %s flags", elem_size,
             kind == ORDO_FLAG_BITS ? "bit" : "byte");
}

static void ask_is_sorted(const bench *b, ordo_type type, size_t n, uint64_t *answer,
                          bench_question *q, scan_args *args)
{
    *q = (bench_question){
        .op = "is_sorted",
        .variant = "",
        .type = type,
        .p = NAN,
        .k = NAN,
        .n = n,
        .bytes = n * ordo_type_size(type),
        .answer = answer,
        .answer_bytes = sizeof *answer,
    };
    *args = (scan_args){.type = type, .n = n, .in = b->src, .total = answer};
    snprintf(q->label, sizeof q->label, "is_sorted %s", ordo_type_name(type));
}

/* Half of the flags are set, in no order. */
static bool make_flags(bench *b, ordo_flags_kind kind, char *flags, size_t n)
{
    if (!bench_generate(b, ORDO_DIST_UNIFORM, ORDO_U8, flags, flag_bytes(kind, n), 0))
        return false;
    for (size_t i = 0; kind == ORDO_FLAG_BYTES && i < n; i++)
        flags[i] &= 1;
    return true;
}

/* ---- Sections ---------------------------------------------------------------------------- */

static ordo_type widest(ordo_type type)
{
    switch (type) {
    case ORDO_I8:
    case ORDO_I16:
    case ORDO_I32:
    case ORDO_I64:
        return ORDO_I64;
    case ORDO_F32:
    case ORDO_F64:
        return ORDO_F64;
    default:
        return ORDO_U64;
    }
}

static bool scan_once(bench *b, const char *op, ordo_type type, ordo_type out_type)
{
    bench_question q;
    scan_args      args;

    ask_scan(b, op, type, out_type, b->set.n, &q, &args);
    return measure_all(b, &q, call_scan, &args);
}

static bool run_ops(bench *b)
{
    bench_heading(b, "Prefix scans of every type, uniform keys", b->set.n, "scan", 15);
    for (int i = ORDO_I8; i <= ORDO_F64; i++) {
        const ordo_type type = (ordo_type)i, wide = widest(type);
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

    bench_heading(b, "Binary prefix sums, half of the flags set", b->set.n, "flags", 14);
    for (size_t k = 0; k < 2; k++) {
        if (!make_flags(b, kinds[k], b->src, b->set.n))
            return false;
        for (size_t t = 0; t < sizeof out_types / sizeof *out_types; t++) {
            uint64_t       total = 0;
            bench_question q;
            scan_args      args;
            ask_bits(b, kinds[k], out_types[t], b->set.n, &total, &q, &args);
            if (!measure_all(b, &q, call_bits, &args))
                return false;
        }
    }
    return bench_summary(b, "auto", false);
}

static bool run_partition(bench *b)
{
    static const ordo_flags_kind kinds[] = {ORDO_FLAG_BYTES, ORDO_FLAG_BITS};

    bench_heading(b, "Stable partition of elements, half of the flags set", b->set.n, "elements",
                  20);
    for (size_t k = 0; k < 2; k++) {
        if (!make_flags(b, kinds[k], b->flags, b->set.n))
            return false;
        for (size_t elem_size = 4; elem_size <= 16; elem_size *= 2) {
            bench_question q;
            scan_args      args;
            ask_partition(b, kinds[k], elem_size, b->set.n, &q, &args);
            if (!bench_generate(b, ORDO_DIST_UNIFORM, ORDO_U32, b->src, b->set.n * elem_size / 4,
                                0) ||
                !measure_all(b, &q, call_partition, &args))
                return false;
        }
    }
    return bench_summary(b, "auto", false);
}

static bool run_sorted(bench *b)
{
    bench_heading(b, "Test for order, sorted keys", b->set.n, "keys", 15);
    for (int type = ORDO_I8; type <= ORDO_F64; type++) {
        uint64_t       answer = 0;
        bench_question q;
        scan_args      args;
        ask_is_sorted(b, (ordo_type)type, b->set.n, &answer, &q, &args);
        if (!bench_generate(b, ORDO_DIST_SORTED, q.type, b->src, q.n, 0) ||
            !measure_all(b, &q, call_is_sorted, &args))
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
    uint64_t       total = 0;
    bench_question q;
    scan_args      args;

    bench_heading(b, "Time against the number of threads", b->set.n, "scan", 14);
    ask_scan(b, "sum", ORDO_U32, ORDO_U32, b->set.n, &q, &args);
    if (!bench_generate(b, ORDO_DIST_UNIFORM, ORDO_U32, b->src, q.n, 0) ||
        !add_thread_counts(b, call_scan, &args) || !bench_measure(b, &q))
        return false;
    ask_bits(b, ORDO_FLAG_BYTES, ORDO_U32, b->set.n, &total, &q, &args);
    return make_flags(b, ORDO_FLAG_BYTES, b->src, q.n) && add_thread_counts(b, call_bits, &args) &&
           bench_measure(b, &q);
}

static bool small_once(bench *b, bench_question *q, bench_call *call, const scan_args *args)
{
    char         count[32];
    const size_t used = strlen(q->label);

    snprintf(q->label + used, sizeof q->label - used, "  %9s", bench_count(count, q->n));
    return measure_all(b, q, call, args);
}

static bool run_small(bench *b)
{
    b->unit = 1e-6;
    b->batch_seconds = 5e-3;
    bench_heading(b, "Small arrays, time of one call in a warm context", 0, "operation, n", 31);
    for (size_t n = 10; n <= 100000; n *= 10) {
        uint64_t       answer = 0;
        bench_question q;
        scan_args      args;
        ask_scan(b, "sum", ORDO_U32, ORDO_U32, n, &q, &args);
        if (!bench_generate(b, ORDO_DIST_UNIFORM, ORDO_U32, b->src, n, 0) ||
            !small_once(b, &q, call_scan, &args) || !make_flags(b, ORDO_FLAG_BYTES, b->flags, n))
            return false;
        ask_partition(b, ORDO_FLAG_BYTES, 4, n, &q, &args);
        if (!small_once(b, &q, call_partition, &args) || !make_flags(b, ORDO_FLAG_BYTES, b->src, n))
            return false;
        ask_bits(b, ORDO_FLAG_BYTES, ORDO_U32, n, &answer, &q, &args);
        if (!small_once(b, &q, call_bits, &args))
            return false;
        ask_is_sorted(b, ORDO_F32, n, &answer, &q, &args);
        if (!bench_generate(b, ORDO_DIST_SORTED, ORDO_F32, b->src, n, 0) ||
            !small_once(b, &q, call_is_sorted, &args))
            return false;
    }
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
