/* bench_hybrid_sample.c - the sections of `ordo bench hybrid` for the hybrid sample sort paper: the
 * sample sort on the CPU alone, on the GPU alone and on both, as in the paper's figures.
 *
 * Times include the copies to and from the GPU. Speed-ups are relative to the CPU alone. The times
 * of the phases are notes in the results. Each size is small, so that all sections take a few
 * minutes. */
#include "bench/subjects/bench_order.h"
#include "bench/subjects/bench_subjects.h"

#include <stdio.h>
#include <string.h>

enum {
    MOST_SIDES = 16,
    FIRST_N = 1 << 16,
    LAST_N = 1 << 24,
    PLATFORM_N = 1 << 21,
    PHASES_N = 1 << 22,
    LABEL_WIDTH = 18
};

typedef enum sample_verb {
    KEYS,
    PAIRS
} sample_verb;

typedef struct sample_side { /* one contender */
    char        name[32];
    ordo_where  where;
    double      share;
    unsigned    threads;
    sample_verb verb;
    ordo_type   type;
    size_t      n, value_size;
    char       *keys, *values;
    ordo_ctx   *ctx; /* made by the first call */
    ordo_report report;
} sample_side;

static sample_side sides[MOST_SIDES];
static size_t      side_count;

static ordo_status call_sample(ordo_ctx *ctx, const void *what)
{
    sample_side *const   s = (sample_side *)(uintptr_t)what; /* an element of sides */
    const ordo_sort_opts opts = ORDO_OPTS(ordo_sort_opts, .algorithm = ORDO_ALGORITHM_SAMPLE);
    (void)ctx;
    if (s->ctx == NULL &&
        ordo_ctx_create(&s->ctx, &ORDO_OPTS(ordo_ctx_opts, .where = (uint32_t)s->where,
                                            .threads = s->threads, .cpu_share = s->share)) !=
            ORDO_OK) {
        bench_because(ordo_last_error(NULL));
        return ORDO_E_UNSUPPORTED;
    }
    const ordo_status status = s->verb == KEYS ? ordo_sort(s->ctx, s->type, s->keys, s->n, &opts)
                                               : ordo_sort_pairs(s->ctx, s->type, s->keys, s->n,
                                                                 s->values, s->value_size, &opts);
    if (status != ORDO_OK) {
        bench_because(ordo_last_error(s->ctx));
        return status;
    }
    s->report.struct_size = sizeof s->report;
    return ordo_last_report(s->ctx, &s->report);
}

static void add_side(const char *name, ordo_where where, double share, unsigned threads)
{
    sample_side *const s = &sides[side_count++];
    memset(s, 0, sizeof *s);
    snprintf(s->name, sizeof s->name, "%s", name);
    s->where = where;
    s->share = share;
    s->threads = threads;
}

/* CPU, GPU, and both with the share that the library predicts. */
static void add_three_sides(unsigned threads)
{
    add_side("sample, cpu", ORDO_CPU, 0, threads);
    add_side("sample, cuda", ORDO_CUDA, 0, threads);
    add_side("sample, hybrid", ORDO_HYBRID, 0, threads);
}

static void free_sides(void)
{
    for (size_t i = 0; i < side_count; i++)
        ordo_ctx_free(sides[i].ctx);
    side_count = 0;
}

/* Measures one question with all sides. The CPU, which exists everywhere, is the base. */
static bool measure(bench *b, sample_verb verb, ordo_type type, size_t n, ordo_dist dist,
                    const char *dist_name, const char *label)
{
    const size_t   size = n * ordo_type_size(type);
    const size_t   value_size = verb == PAIRS ? ordo_type_size(type) : 0;
    bench_restore  restore = bench_restore_dst(b, size);
    bench_question question = bench_ask(verb == KEYS ? "sort" : "sort_pairs", type, n);

    if (!bench_generate(b, dist, type, b->src, n, 0))
        return false;
    if (verb == PAIRS) { /* the keys serve as values, too */
        restore.to[1] = b->dst + size;
        restore.from[1] = b->src;
        restore.bytes[1] = n * value_size;
    }
    question.bytes = 2 * (size + n * value_size);
    question.answer = b->dst;
    question.answer_bytes = size + n * value_size;
    question.prepare = bench_restore_call;
    question.prepare_what = &restore;
    question.dist = dist_name;
    question.variant = "sample";
    snprintf(question.label, sizeof question.label, "%s", label);
    for (size_t i = 0; i < side_count; i++) {
        sample_side *const s = &sides[i];
        s->verb = verb;
        s->type = type;
        s->n = n;
        s->value_size = value_size;
        s->keys = b->dst;
        s->values = b->dst + size;
        if (!bench_add(b, s->name, s->threads, i == 0 ? BENCH_BASE : BENCH_CONTENDER, call_sample,
                       s))
            return false;
    }
    return bench_measure(b, &question);
}

/* ---- By n: figures 3.6, 3.7, 3.8, 3.15 ------------------------------------------------------- */

static bool by_n(bench *b, const char *title, sample_verb verb, ordo_type type, ordo_dist dist,
                 const char *dist_name)
{
    const size_t fits = b->set.n * sizeof(uint32_t) / ordo_type_size(type);
    const size_t most = fits < LAST_N ? fits : LAST_N;
    char         count[32];
    bool         ok = true;

    bench_heading(b, title, 0, "n", LABEL_WIDTH);
    add_three_sides(b->set.threads);
    for (size_t n = most < FIRST_N ? most : FIRST_N; n <= most && ok; n *= 4)
        ok = measure(b, verb, type, n, dist, dist_name, bench_count(count, n));
    free_sides();
    return ok;
}

bool bench_sample_keys(bench *b)
{
    return by_n(b, "Sample sort of u32 keys by n (figure 3.6); over the CPU alone", KEYS, ORDO_U32,
                ORDO_DIST_UNIFORM, "uniform");
}

bool bench_sample_pairs(bench *b)
{
    return by_n(b, "Sample sort of u32 pairs by n (figure 3.7); over the CPU alone", PAIRS,
                ORDO_U32, ORDO_DIST_UNIFORM, "uniform");
}

bool bench_sample_gaussian(bench *b)
{
    return by_n(b, "Sample sort of Gaussian u32 pairs by n (figure 3.8); over the CPU alone", PAIRS,
                ORDO_U32, ORDO_DIST_GAUSSIAN, "gaussian");
}

bool bench_sample_wide(bench *b)
{
    return by_n(b, "Sample sort of u64 pairs by n (figure 3.15); over the CPU alone", PAIRS,
                ORDO_U64, ORDO_DIST_UNIFORM, "uniform");
}

/* ---- Phases: figures 3.5, 4.4, 4.22 ---------------------------------------------------------- */

static bool note(bench *b, const char *side, const char *what, size_t n, double ms)
{
    char name[96];
    snprintf(name, sizeof name, "%.31s, %s ms, n = %zu", side, what, n);
    printf("  %-44s %10.4f\n", name, ms);
    return bench_note(b, name, ms);
}

/* The phases of the last call of every side; then the gain of the hybrid over the GPU alone. */
static bool note_phases(bench *b, size_t n)
{
    static const char *const names[] = {"phase I", "phase II", "phase III", "phase IV"};
    const ordo_facts *const gpu = &sides[1].report.facts, *const both = &sides[2].report.facts;
    bool ok = true;

    for (size_t i = 0; i < side_count && ok; i++) {
        const ordo_facts *const f = &sides[i].report.facts;
        for (int phase = 0; phase < 4 && ok && f->sample_seconds[0] > 0; phase++)
            ok = note(b, sides[i].name, names[phase], n, 1e3 * f->sample_seconds[phase]);
        if (ok && f->copy_seconds > 0)
            ok = note(b, sides[i].name, "copies", n, 1e3 * f->copy_seconds) &&
                 note(b, sides[i].name, "CPU idle", n, 1e3 * f->cpu_idle_seconds) &&
                 note(b, sides[i].name, "GPU idle", n, 1e3 * f->device_idle_seconds);
    }
    for (int phase = 0; phase < 4 && ok && gpu->sample_seconds[phase] > 0; phase++) {
        char         name[96];
        const double gain = 100 * (1 - both->sample_seconds[phase] / gpu->sample_seconds[phase]);
        snprintf(name, sizeof name, "gain of the hybrid in %s, %%, n = %zu", names[phase], n);
        printf("  %-44s %10.1f\n", name, gain);
        ok = bench_note(b, name, gain);
    }
    return ok;
}

bool bench_sample_phases(bench *b)
{
    const size_t most = b->set.n < PHASES_N ? b->set.n : PHASES_N;
    char         count[32];
    bool         ok = true;

    bench_heading(b, "Phases of the sample sort, u32 keys (figures 3.5, 4.4, 4.22)", 0, "n",
                  LABEL_WIDTH);
    add_three_sides(b->set.threads);
    for (size_t n = most / 16 > 0 ? most / 16 : most; n <= most && ok; n *= 4)
        ok = measure(b, KEYS, ORDO_U32, n, ORDO_DIST_UNIFORM, "uniform", bench_count(count, n)) &&
             note_phases(b, n);
    free_sides();
    return ok;
}

/* ---- Platforms: figures 3.16, 3.17, and the gain by the ratio of speeds ---------------------- */

/* The gain of the hybrid over the GPU alone, and what equal loads would give: a CPU that needs r
 * times as long as the GPU takes over 1 / (1 + r) of the work. */
static bool note_gain(bench *b, const char *label, unsigned threads)
{
    const double cpu = bench_last_median(b, sides[0].name, threads);
    const double gpu = bench_last_median(b, sides[1].name, threads);
    const double both = bench_last_median(b, sides[2].name, threads);
    char         name[96];

    if (!(gpu > 0 && both > 0 && cpu > 0))
        return true; /* no GPU */
    snprintf(name, sizeof name, "ratio cpu / cuda, %s threads", label);
    if (!bench_note(b, name, cpu / gpu))
        return false;
    printf("  ratio cpu / cuda %.2f, gain %.1f %%, model 1 / (1 + ratio) %.1f %%\n", cpu / gpu,
           100 * (1 - both / gpu), 100 / (1 + cpu / gpu));
    snprintf(name, sizeof name, "gain of the hybrid, %%, %s threads", label);
    if (!bench_note(b, name, 100 * (1 - both / gpu)))
        return false;
    snprintf(name, sizeof name, "model of the gain, %%, %s threads", label);
    return bench_note(b, name, 100 / (1 + cpu / gpu));
}

bool bench_sample_platforms(bench *b)
{
    const size_t n = b->set.n < PLATFORM_N ? b->set.n : PLATFORM_N;
    bool         ok = true;

    bench_heading(b, "Sample sort by CPU threads (figures 3.16, 3.17), and the gain by the ratio",
                  n, "threads", LABEL_WIDTH);
    for (sample_verb verb = KEYS; verb <= PAIRS && ok; verb++)
        for (unsigned threads = 1; threads <= b->set.threads && ok; threads *= 2) {
            char label[40];
            snprintf(label, sizeof label, "%s, %u", verb == KEYS ? "keys" : "pairs", threads);
            add_three_sides(threads);
            ok = measure(b, verb, ORDO_U32, n, ORDO_DIST_UNIFORM, "uniform", label) &&
                 note_gain(b, label, threads);
            free_sides();
        }
    return ok;
}

/* ---- The threshold --------------------------------------------------------------------------- */

bool bench_sample_threshold(bench *b)
{
    static const double shares[] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9};
    const size_t        n = b->set.n < PHASES_N ? b->set.n : PHASES_N;
    char                count[32];

    bench_heading(b, "Sample sort of u32 keys by the CPU's share; over the CPU alone", 0, "n",
                  LABEL_WIDTH);
    add_side("sample, cpu", ORDO_CPU, 0, b->set.threads);
    add_side("sample, cuda", ORDO_CUDA, 0, b->set.threads);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        char name[32];
        snprintf(name, sizeof name, "hybrid, %.0f %%", 100 * shares[i]);
        add_side(name, ORDO_HYBRID, shares[i], b->set.threads);
    }
    const bool ok =
        measure(b, KEYS, ORDO_U32, n, ORDO_DIST_UNIFORM, "uniform", bench_count(count, n));
    free_sides();
    return ok;
}
