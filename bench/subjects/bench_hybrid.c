/* bench_hybrid.c - the sections of `ordo bench hybrid`: arrays in pageable host memory, sorted and
 * ranked by the CPU alone, by the GPU alone (streamed over the link), and by both together.
 *
 * The sections n, records, distributions and strings follow the figures of the hybrid sample sort
 * paper. Times include the copies to and from the GPU. A sort in place gets a fresh copy of its
 * keys, which is not timed. Speed-ups are relative to the CPU alone. Without a GPU only the rows of
 * the CPU remain. */
#include "bench/subjects/bench_order.h"
#include "bench/subjects/bench_subjects.h"
#include "cli/base/cli.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    SMALLEST_N = 1 << 20, /* the first size of section n */
    COUNT_WIDTH = 14,
    LABEL_WIDTH = 18
};

typedef enum side {
    CPU,
    CUDA,
    HYBRID, /* the CPU sorts no keys */
    SHARE_5,
    SHARE_10,
    SHARE_20,
    SHARE_50,
    SAMPLE_CPU, /* the paper's sample sort; of strings */
    SAMPLE_CUDA,
    SAMPLE_HYBRID,
    SIDES
} side;

static const struct {
    const char *name;
    double      share; /* of the CPU; -1: none */
    ordo_where  where;
    uint32_t    algorithm;
} sides[SIDES] = {
    {"cpu", 0, ORDO_CPU, ORDO_ALGORITHM_AUTO},
    {"cuda", 0, ORDO_CUDA, ORDO_ALGORITHM_AUTO},
    {"hybrid, 0 %", -1, ORDO_HYBRID, ORDO_ALGORITHM_AUTO},
    {"hybrid, 5 %", 0.05, ORDO_HYBRID, ORDO_ALGORITHM_AUTO},
    {"hybrid, 10 %", 0.1, ORDO_HYBRID, ORDO_ALGORITHM_AUTO},
    {"hybrid, 20 %", 0.2, ORDO_HYBRID, ORDO_ALGORITHM_AUTO},
    {"hybrid, 50 %", 0.5, ORDO_HYBRID, ORDO_ALGORITHM_AUTO},
    {"sample, cpu", 0, ORDO_CPU, ORDO_ALGORITHM_SAMPLE},
    {"sample, cuda", 0, ORDO_CUDA, ORDO_ALGORITHM_SAMPLE},
    {"sample, hybrid", 0, ORDO_HYBRID, ORDO_ALGORITHM_SAMPLE},
};

static ordo_ctx *contexts[SIDES]; /* created on first use */

typedef struct hybrid_args hybrid_args;
struct hybrid_args {
    ordo_status (*verb)(ordo_ctx *ctx, const hybrid_args *a);
    ordo_type    type, out_type;
    size_t       n;
    char        *keys, *out; /* out: values, indices, ranks or strings */
    ordo_ties    ties;
    ordo_strings strings;
    uint64_t    *out_offsets;
    side         by;
    unsigned     threads;
};

static ordo_status call_sort(ordo_ctx *ctx, const hybrid_args *a)
{
    return ordo_sort(ctx, a->type, a->keys, a->n, NULL);
}

static ordo_status call_pairs(ordo_ctx *ctx, const hybrid_args *a)
{
    return ordo_sort_pairs(ctx, a->type, a->keys, a->n, a->out, sizeof(uint32_t), NULL);
}

static ordo_status call_argsort(ordo_ctx *ctx, const hybrid_args *a)
{
    return ordo_argsort(ctx, a->type, a->keys, a->n, ORDO_U32, a->out, NULL);
}

static ordo_status call_rank(ordo_ctx *ctx, const hybrid_args *a)
{
    return ordo_rank(ctx, a->type, a->keys, a->n, a->out_type, a->out,
                     &ORDO_OPTS(ordo_rank_opts, .ties = a->ties));
}

static ordo_status call_argsort_strings(ordo_ctx *ctx, const hybrid_args *a)
{
    return ordo_argsort_strings(ctx, &a->strings, a->n, ORDO_U32, a->out,
                                &ORDO_OPTS(ordo_sort_opts, .algorithm = sides[a->by].algorithm));
}

static ordo_status call_sort_strings(ordo_ctx *ctx, const hybrid_args *a)
{
    return ordo_sort_strings(ctx, &a->strings, a->n, a->out, a->out_offsets,
                             &ORDO_OPTS(ordo_sort_opts, .algorithm = sides[a->by].algorithm));
}

/* Uses the context of the side and ignores the given one. */
static ordo_status call_side(ordo_ctx *ctx, const void *what)
{
    const hybrid_args *const a = what;
    ordo_ctx **const         own = &contexts[a->by];
    (void)ctx;
    if (*own == NULL &&
        ordo_ctx_create(own, &ORDO_OPTS(ordo_ctx_opts, .where = sides[a->by].where,
                                        .threads = a->threads, .cpu_share = sides[a->by].share)) !=
            ORDO_OK) {
        bench_set_reason(ordo_last_error(NULL));
        return ORDO_E_UNSUPPORTED;
    }
    const ordo_status status = a->verb(*own, a);
    if (status != ORDO_OK)
        bench_set_reason(ordo_last_error(*own));
    return status;
}

/* Measures the call by each side of `wanted`, a set of bits 1 << side. */
static bool measure(bench *b, const hybrid_args *job, const bench_question *question,
                    unsigned wanted)
{
    hybrid_args args[SIDES];

    for (side by = CPU; by < SIDES; by++) {
        args[by] = *job;
        args[by].by = by;
        args[by].threads = b->set.threads;
        if ((wanted >> by & 1u) != 0 &&
            !bench_add(b, sides[by].name, b->set.threads, by == CPU ? BENCH_BASE : BENCH_CONTENDER,
                       call_side, &args[by]))
            return false;
        if ((wanted >> by & 1u) != 0)
            bench_describe(b,
                           (bench_parameters){.where = sides[by].where,
                                              .share = sides[by].share > 0 ? sides[by].share : 0});
    }
    return bench_measure(b, question);
}

/* ---- Sorts: keys in b->src, sorted in b->dst; values or indices follow the keys there -------- */

typedef enum sort_verb {
    SORT,
    PAIRS,
    ARGSORT
} sort_verb;

static const unsigned each_side = 1u << CPU | 1u << CUDA | 1u << HYBRID;

static bool measure_sort(bench *b, sort_verb verb, ordo_type type, size_t n, const char *label,
                         const char *dist, unsigned wanted)
{
    static const struct {
        const char *op;
        ordo_status (*call)(ordo_ctx *ctx, const hybrid_args *a);
    } verbs[] = {{"sort", call_sort}, {"sort_pairs", call_pairs}, {"argsort", call_argsort}};
    const size_t      size = n * ordo_type_size(type);
    const size_t      out_size = verb == SORT ? 0 : n * sizeof(uint32_t);
    const hybrid_args job = {
        .verb = verbs[verb].call, .type = type, .n = n, .keys = b->dst, .out = b->dst + size};
    bench_restore  restore = bench_restore_dst(b, size);
    bench_question question = bench_ask(verbs[verb].op, type, n);

    if (verb == PAIRS) { /* values may be any bytes: the answers are compared with each other */
        restore.to[1] = b->dst + size;
        restore.from[1] = b->src;
        restore.bytes[1] = out_size;
    }
    question.bytes = verb == ARGSORT ? size + out_size : 2 * (size + out_size);
    question.answer = verb == ARGSORT ? b->dst + size : b->dst;
    question.answer_bytes = verb == ARGSORT ? out_size : size + out_size;
    question.prepare = bench_restore_call;
    question.prepare_what = &restore;
    question.dist = dist;
    question.fresh = true;
    snprintf(question.label, sizeof question.label, "%s", label);
    return measure(b, &job, &question, wanted);
}

static bool run_n(bench *b)
{
    char count[32];

    bench_heading(b, "Sort u32 keys in host memory by n (figure 3.6); speed-up over the CPU alone",
                  0, "n", COUNT_WIDTH);
    for (size_t n = b->set.n < SMALLEST_N ? b->set.n : SMALLEST_N; n <= b->set.n; n *= 4)
        if (!bench_generate(b, ORDO_DIST_UNIFORM, ORDO_U32, b->src, n, 0) ||
            !measure_sort(b, SORT, ORDO_U32, n, bench_count(count, n), "uniform", each_side))
            return false;
    return true;
}

/* Half as many keys of 64 bits and pairs, so that the number of bytes is that of section n. */
static bool run_records(bench *b)
{
    static const struct {
        const char *label;
        sort_verb   verb;
        ordo_type   type;
    } rows[] = {{"pairs u32/u32", PAIRS, ORDO_U32},
                {"keys u64", SORT, ORDO_U64},
                {"keys f64", SORT, ORDO_F64},
                {"argsort f32", ARGSORT, ORDO_F32}};
    const size_t n = b->set.n / 2;

    bench_heading(b, "Sort pairs and 64-bit keys in host memory (figures 3.7, 3.15); over the CPU",
                  n, "records", COUNT_WIDTH);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!bench_generate(b, ORDO_DIST_UNIFORM, rows[i].type, b->src, n, 0) ||
            !measure_sort(b, rows[i].verb, rows[i].type, n, rows[i].label, "uniform", each_side))
            return false;
    return true;
}

static bool run_distributions(bench *b)
{
    const size_t n = b->set.n / 4;

    bench_heading(b, "Sort u32 keys in host memory by distribution (figure 3.8); over the CPU", n,
                  "keys", COUNT_WIDTH);
    for (const bench_dist *d = bench_dists; d->name != NULL; d++)
        if (!bench_generate_k(b, d->dist, ORDO_U32, b->src, n, d->k) ||
            !measure_sort(b, SORT, ORDO_U32, n, d->name, d->name, each_side))
            return false;
    return true;
}

static bool run_share(bench *b)
{
    char count[32];

    bench_heading(b, "Sort u32 keys in host memory by the CPU's share; over the CPU alone", 0, "n",
                  COUNT_WIDTH);
    return bench_generate(b, ORDO_DIST_UNIFORM, ORDO_U32, b->src, b->set.n, 0) &&
           measure_sort(b, SORT, ORDO_U32, b->set.n, bench_count(count, b->set.n), "uniform",
                        (1u << SIDES) - 1);
}

/* ---- Ranks ----------------------------------------------------------------------------------- */

/* Half as many keys of 64 bits, so that the number of bytes is the same. */
static bool run_rank(bench *b)
{
    static const struct {
        const char *label, *variant;
        ordo_type   type, rank_type;
        ordo_ties   ties;
        ordo_dist   dist;
        const char *dist_name;
    } rows[] = {
        {"f32, average", "average", ORDO_F32, ORDO_F64, ORDO_TIES_AVERAGE, ORDO_DIST_UNIFORM,
         "uniform"},
        {"u32, min", "min", ORDO_U32, ORDO_U32, ORDO_TIES_MIN, ORDO_DIST_UNIFORM, "uniform"},
        {"u32, dense, dupes", "dense", ORDO_U32, ORDO_U32, ORDO_TIES_DENSE, ORDO_DIST_DUPES,
         "dupes"},
        {"f64, average", "average", ORDO_F64, ORDO_F64, ORDO_TIES_AVERAGE, ORDO_DIST_UNIFORM,
         "uniform"}};

    bench_heading(b, "Rank keys in host memory; speed-up over the CPU alone", b->set.n, "keys",
                  LABEL_WIDTH);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const size_t      size = ordo_type_size(rows[i].type), n = b->set.n * 4 / size;
        const hybrid_args job = {.verb = call_rank,
                                 .type = rows[i].type,
                                 .out_type = rows[i].rank_type,
                                 .n = n,
                                 .keys = b->src,
                                 .out = b->dst,
                                 .ties = rows[i].ties};
        bench_question    question = bench_ask("rank", rows[i].type, n);
        question.variant = rows[i].variant;
        question.dist = rows[i].dist_name;
        question.out_type = rows[i].rank_type;
        question.answer = b->dst;
        question.answer_bytes = n * ordo_type_size(rows[i].rank_type);
        question.bytes = n * size + question.answer_bytes;
        snprintf(question.label, sizeof question.label, "%s", rows[i].label);
        if (!bench_generate(b, rows[i].dist, rows[i].type, b->src, n, 0) ||
            !measure(b, &job, &question, 1u << CPU | 1u << CUDA | 1u << SHARE_10))
            return false;
    }
    return true;
}

/* ---- Strings --------------------------------------------------------------------------------- */

static const unsigned sample_sides = 1u << SAMPLE_CPU | 1u << SAMPLE_CUDA | 1u << SAMPLE_HYBRID;

/* argsort writes the order; sort also writes the strings in that order. Each round has another text
 * of about the same length; the bytes of the rows are those of the first one. Prints the report of
 * the last GPU call below the rows. */
static bool measure_strings(bench *b, hybrid_args *job, const char *dist, bool whole)
{
    const size_t   bytes = (size_t)job->strings.offsets[job->n];
    bench_question question = bench_ask(whole ? "sort_strings" : "argsort_strings", 0, job->n);
    ordo_report    report = {.struct_size = sizeof report};
    char           text[1024];

    job->verb = whole ? call_sort_strings : call_argsort_strings;
    question.dist = dist;
    question.answer = job->out;
    question.answer_bytes = whole ? bytes : job->n * sizeof(uint32_t);
    question.bytes = bytes + question.answer_bytes;
    question.fresh = true;
    snprintf(question.label, sizeof question.label, "%s, %s", dist, whole ? "sort" : "argsort");
    if (!measure(b, job, &question, each_side | sample_sides))
        return false;
    if (contexts[CUDA] != NULL && ordo_last_report(contexts[CUDA], &report) == ORDO_OK &&
        ordo_report_text(&report, text, sizeof text) > 0)
        printf("  %s\n\n", text);
    return true;
}

/* The two texts of the paper: 650 MB of protein records of up to 120 residues, and 500 MB of random
 * strings of up to 500 characters. The sizes are those of 2^28 keys and scale with b->set.n. */
static bool run_strings(bench *b)
{
    static const struct {
        const char *name;
        ordo_dist   dist;
        size_t      keys; /* per string: 2^28 / (bytes of the text / bytes of a string) */
    } texts[] = {{"fasta", ORDO_DIST_FASTA, 29}, {"strings", ORDO_DIST_STRINGS, 134}};
    const size_t    most = b->set.n / texts[0].keys + 1;
    uint64_t *const offsets = cli_alloc(most + 1, sizeof *offsets, "the strings");
    uint64_t *const sorted = cli_alloc(most + 1, sizeof *sorted, "the strings");
    bool            ok = offsets != NULL && sorted != NULL;

    bench_heading(b, "Protein records and random strings in host memory; over the CPU alone", 0,
                  "strings", LABEL_WIDTH);
    for (size_t i = 0; i < 2 && ok; i++) {
        hybrid_args job = {.n = b->set.n / texts[i].keys, .out = b->dst, .out_offsets = sorted};
        job.strings = ORDO_OPTS(ordo_strings, .bytes = b->src, .offsets = offsets);
        for (int whole = 0; whole < 2 && ok; whole++)
            ok = bench_generate_strings(b, texts[i].dist, job.n, offsets) &&
                 measure_strings(b, &job, texts[i].name, whole != 0);
    }
    free(offsets);
    free(sorted);
    return ok;
}

void bench_hybrid_close(void)
{
    for (side by = CPU; by < SIDES; by++) {
        ordo_ctx_free(contexts[by]);
        contexts[by] = NULL;
    }
}

const bench_section bench_hybrid_sections[] = {
    {"n", 4, 4, 0, run_n, false},
    {"records", 4, 6, 0, run_records, false},
    {"distributions", 1, 1, 0, run_distributions, false},
    {"share", 4, 4, 0, run_share, false},
    {"rank", 6, 8, 0, run_rank, false},
    {"strings", 3, 3, 0, run_strings, false},
    {"sample-keys", 4, 4, 0, bench_sample_keys, false},
    {"sample-pairs", 8, 8, 0, bench_sample_pairs, false},
    {"sample-gaussian", 8, 8, 0, bench_sample_gaussian, false},
    {"sample-wide", 8, 8, 0, bench_sample_wide, false},
    {"sample-intervals", 4, 4, 0, bench_sample_intervals, false},
    {"sample-gain", 16, 16, 0, bench_sample_gain, false},
    {"sample-inputs", 8, 8, 0, bench_sample_inputs, false},
    {"sample-phases", 4, 4, 0, bench_sample_phases, false},
    {"sample-platforms", 8, 8, 0, bench_sample_platforms, false},
    {"sample-threshold", 4, 4, 0, bench_sample_threshold, false},
    {NULL, 0, 0, 0, NULL, false},
};
