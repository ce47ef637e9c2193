/* bench_hybrid.c - the experiments of `ordo bench hybrid`: sorts of arrays in ordinary host memory
 * by the CPU alone, through a GPU (streamed over the link), and by both together.
 *
 * The figures of the hybrid comparison sort paper: keys and pairs by their number, the input
 * distributions, and the share of the CPU from none to all. Each call sorts a fresh copy in place,
 * ways to the GPU and back included; the copying is not timed. Speed-ups are over the CPU alone.
 * Without a GPU only its rows are left. */
#include "bench/subjects/bench_order.h"
#include "cli/cli.h"

#include <stdio.h>

typedef enum who {
    CPU,
    GPU,
    BOTH, /* hybrid, the GPU's array kept in case it fails; shares follow */
    SHARE_5,
    SHARE_10,
    SHARE_20,
    SHARE_50,
    WHO
} who;

static const struct {
    const char *name;
    ordo_where  where;
    double      share;
} sides[WHO] = {
    {"cpu", ORDO_CPU, 0},
    {"cuda", ORDO_CUDA, 0},
    {"hybrid, 0 %", ORDO_HYBRID, -1},
    {"hybrid, 5 %", ORDO_HYBRID, 0.05},
    {"hybrid, 10 %", ORDO_HYBRID, 0.1},
    {"hybrid, 20 %", ORDO_HYBRID, 0.2},
    {"hybrid, 50 %", ORDO_HYBRID, 0.5},
};

static ordo_ctx *contexts[WHO]; /* made by the first call that needs them */

typedef enum verb {
    SORT,
    PAIRS,
    ARGSORT
} verb;

typedef struct hybrid_args {
    char     *keys, *values;
    size_t    n;
    who       side;
    verb      what;
    ordo_type type;
    unsigned  threads;
} hybrid_args;

static ordo_status call_verb(ordo_ctx *ctx, const hybrid_args *a)
{
    switch (a->what) {
    case SORT:
        return ordo_sort(ctx, a->type, a->keys, a->n, NULL);
    case PAIRS:
        return ordo_sort_pairs(ctx, a->type, a->keys, a->n, a->values, 4, NULL);
    case ARGSORT:
        break;
    }
    return ordo_argsort(ctx, a->type, a->keys, a->n, ORDO_U32, a->values, NULL);
}

/* The context of a side, in place of the one given. */
static ordo_status call_side(ordo_ctx *ctx, const void *what)
{
    const hybrid_args *const a = what;
    ordo_ctx               **own = &contexts[a->side];
    (void)ctx;
    if (*own == NULL &&
        ordo_ctx_create(own, &ORDO_OPTS(ordo_ctx_opts, .where = sides[a->side].where,
                                        .threads = a->threads,
                                        .cpu_share = sides[a->side].share)) != ORDO_OK) {
        bench_because(ordo_last_error(NULL));
        return ORDO_E_UNSUPPORTED;
    }
    const ordo_status status = call_verb(*own, a);
    if (status != ORDO_OK)
        bench_because(ordo_last_error(*own));
    return status;
}

/* The keys are in b->src and are sorted in b->dst; values, or indices, come behind them there. */
static bool measure(bench *b, verb what, ordo_type type, size_t n, const char *label,
                    const char *dist, who most)
{
    const size_t   size = n * ordo_type_size(type), values = what == SORT ? 0 : n * 4;
    bench_restore  restore = bench_restore_dst(b, size);
    bench_question question = bench_ask(what == SORT    ? "sort"
                                        : what == PAIRS ? "sort_pairs"
                                                        : "argsort",
                                        type, n);
    hybrid_args args[WHO];

    /* Equal keys of pairs keep the order of their values, whatever those are. */
    if (what == PAIRS) {
        restore.to[1] = (char *)b->dst + size;
        restore.from[1] = b->src;
        restore.bytes[1] = values;
    }
    question.bytes = what == ARGSORT ? size + values : 2 * (size + values);
    question.answer = what == ARGSORT ? (char *)b->dst + size : b->dst;
    question.answer_bytes = what == ARGSORT ? values : size + values;
    question.prepare = bench_restore_call;
    question.prepare_what = &restore;
    if (dist != NULL)
        question.dist = dist;
    snprintf(question.label, sizeof question.label, "%s", label);
    for (who side = CPU; side <= most; side++) {
        args[side] =
            (hybrid_args){b->dst, (char *)b->dst + size, n, side, what, type, b->set.threads};
        if (!bench_add(b, sides[side].name, b->set.threads,
                       side == CPU ? BENCH_BASE : BENCH_CONTENDER, call_side, &args[side]))
            return false;
    }
    return bench_measure(b, &question);
}

bool bench_hybrid_keys(bench *b, size_t n)
{
    char count[32];
    return bench_generate(b, ORDO_DIST_UNIFORM, ORDO_U32, b->src, n, 0) &&
           measure(b, SORT, ORDO_U32, n, bench_count(count, n), NULL, BOTH);
}

static bool run_n(bench *b)
{
    bench_heading(b, "Sort u32 keys in host memory by n (figure 3.6); speed-up over the CPU alone",
                  0, "n", 14);
    for (size_t n = (size_t)1 << 20; n <= b->set.n; n *= 4)
        if (!bench_hybrid_keys(b, n))
            return false;
    return true;
}

/* 64-bit keys and pairs take half as many, so that the bytes are the same. */
static bool run_records(bench *b)
{
    static const struct {
        const char *label;
        verb        what;
        ordo_type   type;
    } rows[] = {{"pairs u32/u32", PAIRS, ORDO_U32},
                {"keys u64", SORT, ORDO_U64},
                {"keys f64", SORT, ORDO_F64},
                {"argsort f32", ARGSORT, ORDO_F32}};
    const size_t n = b->set.n / 2;
    bench_heading(b, "Sort pairs and 64-bit keys in host memory (figures 3.7, 3.15); over the CPU",
                  n, "records", 14);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!bench_generate(b, ORDO_DIST_UNIFORM, rows[i].type, b->src, n, 0) ||
            !measure(b, rows[i].what, rows[i].type, n, rows[i].label, NULL, BOTH))
            return false;
    return true;
}

static bool run_distributions(bench *b)
{
    const size_t n = b->set.n / 4;
    bench_heading(b, "Sort u32 keys in host memory by distribution (figure 3.8); over the CPU", n,
                  "keys", 14);
    for (const bench_dist *d = bench_dists; d->name != NULL; d++)
        if (!bench_generate_k(b, d->dist, ORDO_U32, b->src, n, d->k) ||
            !measure(b, SORT, ORDO_U32, n, d->name, d->name, BOTH))
            return false;
    return true;
}

static bool run_share(bench *b)
{
    char count[32];
    bench_heading(b, "Sort u32 keys in host memory by the CPU's share; over the CPU alone", 0, "n",
                  14);
    return bench_generate(b, ORDO_DIST_UNIFORM, ORDO_U32, b->src, b->set.n, 0) &&
           measure(b, SORT, ORDO_U32, b->set.n, bench_count(count, b->set.n), NULL, WHO - 1);
}

void bench_hybrid_close(void)
{
    for (who side = CPU; side < WHO; side++) {
        ordo_ctx_free(contexts[side]);
        contexts[side] = NULL;
    }
}

const bench_section bench_hybrid_sections[] = {
    {"n", 4, 4, 0, run_n, false},
    {"records", 4, 6, 0, run_records, false},
    {"distributions", 1, 1, 0, run_distributions, false},
    {"share", 4, 4, 0, run_share, false},
    {"rank", 6, 8, 0, bench_hybrid_rank, false},
    {"strings", 2, 2, 0, bench_hybrid_strings, false},
    {"python", 4, 4, 0, bench_hybrid_python, false},
    {NULL, 0, 0, 0, NULL, false},
};
