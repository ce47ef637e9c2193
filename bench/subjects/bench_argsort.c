/* bench_argsort.c - `ordo bench argsort`, and the section `unsorted` of `ordo bench rank`, on
 * the host and on a GPU. The keys stay unchanged.
 *
 * Peers on the host sort an array of indices and read the keys through them (the textbook radix
 * sort packs key and index); for ranks they then assign the ranks of the ties. CUB sorts pairs of
 * key and index; for ranks it finds groups of ties by scans and scatters the ranks. */
#include "bench/subjects/bench_order.h"
#include "bench/subjects/bench_subjects.h"

#include <stdio.h>

typedef struct order_args {
    ordo_type      type, out_type;
    const char    *keys;
    char          *out;
    size_t         n, batch;
    ordo_sort_opts sort;
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
    RANK_SHARE = 12,     /* unsorted ranks use n / RANK_SHARE keys,                           */
    RANK_MOST = 10000000 /* and at most this many                                             */
};

static ordo_status call_argsort(ordo_ctx *ctx, const void *what)
{
    const order_args *const a = what;
    const size_t            stride = a->n * ordo_type_size(a->type);
    ordo_status             status = ORDO_OK;

    for (size_t i = 0; i < a->batch && status == ORDO_OK; i++)
        status =
            ordo_argsort(ctx, a->type, a->keys + i * stride, a->n, a->out_type, a->out, &a->sort);
    return status;
}

static ordo_status call_rank(ordo_ctx *ctx, const void *what)
{
    const order_args *const a = what;
    return ordo_rank(ctx, a->type, a->keys, a->n, a->out_type, a->out, &a->rank);
}

/* The keys are in b->src, the answer goes to b->dst. A batch leaves the answer of its last
 * array. */
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
                 .sort =
                     ORDO_OPTS(ordo_sort_opts, .flags = bench_flags(b), .stream = bench_stream(b)),
                 .rank =
                     ORDO_OPTS(ordo_rank_opts, .flags = bench_flags(b), .stream = bench_stream(b))},
        .peers = {.op = BENCH_PEER_ARGSORT,
                  .type = type,
                  .task = {.keys = b->src, .out = b->dst, .n = n},
                  .batch = batch,
                  .stride = read,
                  .only = bench_pick(b, "std::sort,lsd radix,gnu parallel,tbb parallel_sort", NULL),
                  .base = bench_pick(b, "std::sort", "cub radix")},
    };
    c->question.out_type = out_type;
    c->question.bytes = read + written;
    c->question.answer = b->dst;
    c->question.answer_bytes = written;
    c->question.batch = batch;
}

static const char *reference(const bench *b)
{
    return bench_pick(b, "std::sort of indices", "CUB's radix sort");
}

static bool measure_all(bench *b, const order_case *c, bench_call *call)
{
    return bench_measure_auto(b, &c->peers, call, &c->args, &c->question);
}

static bool run_types(bench *b)
{
    bench_heading_over(b, "Argsort to u32, key types, uniform", reference(b), b->set.n, "keys", 6);
    for (size_t t = 0; t < FOUR; t++) {
        order_case c;
        ask_order(b, "argsort", four_types[t], ORDO_U32, b->set.n, 1, &c);
        c.peers.only = NULL;
        snprintf(c.question.label, sizeof c.question.label, "%s", ordo_type_name(four_types[t]));
        if (!bench_generate(b, ORDO_DIST_UNIFORM, four_types[t], b->src, b->set.n, 0) ||
            !measure_all(b, &c, call_argsort))
            return false;
    }
    return bench_summary(b, "auto", false);
}

static bool run_lengths(bench *b)
{
    static const ordo_type types[] = {ORDO_U32, ORDO_F32};

    b->unit = 1e-6;
    bench_heading_over(b, "Argsort to u32, lengths", reference(b), 0, "n, keys", 33);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (const bench_dist *d = bench_dists; d->name != NULL; d++)
            for (size_t n = 1024; n <= bench_last_length(b, d); n = bench_next_length(n)) {
                order_case c;
                char       count[32];
                ask_order(b, "argsort", types[t], ORDO_U32, n, 1, &c);
                c.question.dist = d->name;
                snprintf(c.question.label, sizeof c.question.label, "%s %s %s",
                         bench_count(count, n), ordo_type_name(types[t]), d->name);
                if (!bench_generate_k(b, d->dist, types[t], b->src, n, d->k) ||
                    !bench_add_all_peers(b, &c.peers) ||
                    !bench_add(b, "auto", b->set.threads, BENCH_CONTENDER, call_argsort, &c.args) ||
                    !bench_measure(b, &c.question))
                    return false;
            }
    bench_print_lengths(b, stdout);
    return true;
}

static bool run_distributions(bench *b)
{
    bench_heading_over(b, "Argsort of f32 to u32, distributions", reference(b), b->set.n, "keys",
                       10);
    for (const bench_dist *d = bench_dists; d->name != NULL; d++) {
        order_case c;
        ask_order(b, "argsort", ORDO_F32, ORDO_U32, b->set.n, 1, &c);
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
    const ordo_type type = b->place == NULL ? ORDO_F64 : ORDO_F32;
    char            what[64];

    snprintf(what, sizeof what, "Argsort of %s to u32, number of keys n", ordo_type_name(type));
    bench_heading_over(b, what, reference(b), 0, "n", 13);
    for (size_t n = bench_first_n(b); n <= b->set.n; n = bench_next_n(b, n)) {
        const size_t batch = b->place == NULL ? bench_batch(n) : 1;
        order_case   c;
        ask_order(b, "argsort", type, ORDO_U32, n, batch, &c);
        bench_count(c.question.label, n);
        if (!bench_generate(b, ORDO_DIST_UNIFORM, type, b->src, n * batch, 0) ||
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

typedef struct unsorted_row {
    ordo_type   type;
    ordo_dist   dist;
    ordo_ties   ties;
    const char *ties_name, *dist_name;
} unsorted_row;

/* label: NULL for the default label. */
static bool unsorted_once(bench *b, const unsorted_row *row, size_t n, const char *label)
{
    const ordo_type out = row->ties == ORDO_TIES_AVERAGE ? ORDO_F64 : ORDO_U32;
    order_case      c;

    ask_order(b, "rank", row->type, out, n, 1, &c);
    c.args.rank.ties = (uint32_t)row->ties;
    c.peers.only = NULL;
    c.peers.op = row->ties == ORDO_TIES_AVERAGE ? BENCH_PEER_RANK_AVERAGE
                 : row->ties == ORDO_TIES_MIN   ? BENCH_PEER_RANK_MIN
                                                : BENCH_PEER_NONE;
    c.question.variant = row->ties_name;
    c.question.dist = row->dist_name;
    if (label != NULL)
        snprintf(c.question.label, sizeof c.question.label, "%s", label);
    else
        snprintf(c.question.label, sizeof c.question.label, "%s %s, %s %s", row->dist_name,
                 ordo_type_name(row->type), row->ties_name, ordo_type_name(out));
    return bench_generate(b, row->dist, row->type, b->src, n, 0) && measure_all(b, &c, call_rank);
}

static bool run_unsorted(bench *b, const unsorted_row *rows, size_t count, size_t n)
{
    bench_heading_over(
        b, "Ranks of unsorted keys",
        bench_pick(b, "std::sort of indices, then ranks", "CUB's radix sort, scan and a scatter"),
        n, "keys, ranks", 24);
    for (size_t i = 0; i < count; i++)
        if (!unsorted_once(b, &rows[i], n, NULL))
            return false;
    return bench_summary(b, "auto", false);
}

/* Average ranks, as scipy.stats.rankdata, then other tie rules; keys with few and with many
 * ties. */
bool bench_rank_unsorted(bench *b)
{
    static const unsorted_row host[] = {
        {ORDO_F64, ORDO_DIST_UNIFORM, ORDO_TIES_AVERAGE, "average", "uniform"},
        {ORDO_F32, ORDO_DIST_UNIFORM, ORDO_TIES_AVERAGE, "average", "uniform"},
        {ORDO_U64, ORDO_DIST_UNIFORM, ORDO_TIES_AVERAGE, "average", "uniform"},
        {ORDO_U32, ORDO_DIST_UNIFORM, ORDO_TIES_AVERAGE, "average", "uniform"},
        {ORDO_F64, ORDO_DIST_FEW, ORDO_TIES_AVERAGE, "average", "few"},
        {ORDO_F64, ORDO_DIST_ZIPF, ORDO_TIES_AVERAGE, "average", "zipf"},
        {ORDO_F32, ORDO_DIST_UNIFORM, ORDO_TIES_MIN, "min", "uniform"},
        {ORDO_U32, ORDO_DIST_UNIFORM, ORDO_TIES_MIN, "min", "uniform"},
        {ORDO_F64, ORDO_DIST_UNIFORM, ORDO_TIES_MIN, "min", "uniform"},
    };
    static const unsorted_row gpu[] = {
        {ORDO_F32, ORDO_DIST_UNIFORM, ORDO_TIES_MIN, "min", "uniform"},
        {ORDO_U32, ORDO_DIST_UNIFORM, ORDO_TIES_MIN, "min", "uniform"},
        {ORDO_F32, ORDO_DIST_FEW, ORDO_TIES_MIN, "min", "few"},
        {ORDO_F32, ORDO_DIST_UNIFORM, ORDO_TIES_AVERAGE, "average", "uniform"},
        {ORDO_F64, ORDO_DIST_UNIFORM, ORDO_TIES_AVERAGE, "average", "uniform"},
        {ORDO_F32, ORDO_DIST_UNIFORM, ORDO_TIES_DENSE, "dense", "uniform"},
    };
    const size_t share = b->set.n / RANK_SHARE;

    return b->place == NULL ? run_unsorted(b, host, sizeof host / sizeof *host,
                                           share < RANK_MOST ? share : RANK_MOST)
                            : run_unsorted(b, gpu, sizeof gpu / sizeof *gpu, b->set.n);
}

bool bench_rank_unsorted_small(bench *b)
{
    static const unsorted_row row = {ORDO_F32, ORDO_DIST_UNIFORM, ORDO_TIES_AVERAGE, "average",
                                     "uniform"};

    bench_heading_over(b, "Small arrays: unsorted f32 keys, f64 ranks (average)", reference(b), 0,
                       "n", 9);
    for (size_t n = 256; n <= (size_t)1 << 16; n *= 16) {
        char count[32];
        if (!unsorted_once(b, &row, n, bench_count(count, n)))
            return false;
    }
    return true;
}

const bench_section bench_argsort_sections[] = {
    {"types", 8, 8, 0, run_types, true}, {"distributions", 4, 4, 0, run_distributions, true},
    {"n", 8, 8, 0, run_n, true},         {"threads", 8, 8, 0, run_threads, true},
    {NULL, 0, 0, 0, NULL, false},
};

const bench_section bench_cuda_argsort_sections[] = {
    {"types", 8, 8, 0, run_types, true}, {"distributions", 4, 4, 0, run_distributions, true},
    {"n", 4, 4, 0, run_n, true},         {"lengths", 4, 4, 0, run_lengths, true},
    {NULL, 0, 0, 0, NULL, false},
};
