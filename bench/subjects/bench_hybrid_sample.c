/* bench_hybrid_sample.c - the sections of `ordo bench hybrid` for the hybrid sample sort paper: the
 * sample sort on the CPU alone, on the GPU alone and on both, as in the paper's figures.
 *
 * Times include the copies to and from the GPU. Speed-ups are relative to the CPU alone. As in the
 * paper, the share of the CPU is the best one for each question, found before the timed calls. The
 * times of the phases come from the reports of the timed calls; they are rows with the phase as
 * variant. Each size is small, so that all sections take a few minutes. */
#include "bench/harness/bench_cuda.h"
#include "bench/harness/bench_peers.h"
#include "bench/subjects/bench_sample.h"
#include "cli/base/cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    FIRST_N = 1 << 16,
    LAST_N = 1 << 26,
    INTERVALS_N = 1 << 24,
    PLATFORM_N = 1 << 21,
    PHASES_N = 1 << 22,
    LABEL_WIDTH = 20
};

const char *const sample_names[SIDES] = {"sample, cpu",    "sample, cuda",     "sample, hybrid",
                                         "streamed, cuda", "streamed, hybrid", "merge, cuda",
                                         "intervals, cpu", "intervals, cuda",  "intervals, hybrid"};
static const char *const part_names[PARTS] = {
    "phase I", "phase II", "phase III", "phase IV",
    "copies",  "CPU idle", "GPU idle",  "GPU idle, phase II"};

sample_side sample_sides[SIDES];

/* Keeps the parts of a timed call. A part of 0 seconds counts as a nanosecond, the resolution of
 * the clock, because the times of a row are positive; parts that the side does not have stay 0. */
static ordo_status take_parts(sample_side *s)
{
    ordo_report       report = {.struct_size = sizeof report};
    const ordo_status status = ordo_last_report(s->ctx, &report);
    const ordo_facts *f = &report.facts;
    const size_t      round = s->calls - 1;

    if (status != ORDO_OK || s->calls++ == 0 || f->sample_seconds[0] <= 0)
        return status;
    for (int part = 0; part < (f->copy_seconds > 0 ? PARTS : PHASES); part++) {
        const double seconds = part < PHASES      ? f->sample_seconds[part]
                               : part == COPIES   ? f->copy_seconds
                               : part == CPU_IDLE ? f->cpu_idle_seconds
                               : part == GPU_IDLE ? f->device_idle_seconds
                                                  : f->sample_seconds[1] - f->device_seconds[1];
        s->parts[part][round] = seconds > 1e-9 ? seconds : 1e-9;
    }
    return ORDO_OK;
}

static ordo_status call_sample(ordo_ctx *ctx, const void *what)
{
    sample_side *const   s = (sample_side *)what; /* an element of sides */
    const ordo_sort_opts opts = ORDO_OPTS(ordo_sort_opts, .algorithm = s->algorithm);
    (void)ctx;
    if (s->ctx == NULL &&
        ordo_ctx_create(&s->ctx, &ORDO_OPTS(ordo_ctx_opts, .where = (uint32_t)s->where,
                                            .threads = s->threads, .cpu_share = s->share,
                                            .device_sms = s->sms, .profile = s->profile)) !=
            ORDO_OK) {
        bench_set_reason(ordo_last_error(NULL));
        return ORDO_E_UNSUPPORTED;
    }
    const ordo_status status = s->verb == KEYS ? ordo_sort(s->ctx, s->type, s->keys, s->n, &opts)
                                               : ordo_sort_pairs(s->ctx, s->type, s->keys, s->n,
                                                                 s->values, s->value_size, &opts);
    if (status != ORDO_OK) {
        bench_set_reason(ordo_last_error(s->ctx));
        return status;
    }
    return take_parts(s);
}

void sample_open_sides(unsigned threads, double share)
{
    static const struct {
        ordo_where where;
        uint32_t   algorithm;
    } kinds[SIDES] = {{ORDO_CPU, ORDO_ALGORITHM_SAMPLE},      {ORDO_CUDA, ORDO_ALGORITHM_SAMPLE},
                      {ORDO_HYBRID, ORDO_ALGORITHM_SAMPLE},   {ORDO_CUDA, ORDO_ALGORITHM_AUTO},
                      {ORDO_HYBRID, ORDO_ALGORITHM_AUTO},     {ORDO_CUDA, ORDO_ALGORITHM_MERGE},
                      {ORDO_CPU, ORDO_ALGORITHM_INTERVALS},   {ORDO_CUDA, ORDO_ALGORITHM_INTERVALS},
                      {ORDO_HYBRID, ORDO_ALGORITHM_INTERVALS}};

    for (sample_device on = CPU; on < SIDES; on++) {
        memset(&sample_sides[on], 0, sizeof sample_sides[on]);
        sample_sides[on].where = kinds[on].where;
        sample_sides[on].share = on == BOTH ? share : 0;
        sample_sides[on].threads = threads;
        sample_sides[on].absent = on > BOTH;
        sample_sides[on].algorithm = kinds[on].algorithm;
    }
}

void sample_add(sample_device first, sample_device last)
{
    for (sample_device on = first; on <= last; on++)
        sample_sides[on].absent = false;
}

void sample_close_sides(void)
{
    for (sample_device on = CPU; on < SIDES; on++) {
        ordo_ctx_free(sample_sides[on].ctx);
        sample_sides[on].ctx = NULL;
    }
}

static bench_parameters parameters_of(const sample_side *s)
{
    return (bench_parameters){.where = s->where, .share = s->share, .sms = s->sms};
}

/* The merge sort of CUB, beside that of ordo. */
static bool add_cub(bench *b, const sample_case *c)
{
    const bench_peer_ask ask = {
        .op = BENCH_PEER_COPIED_SORT,
        .type = c->type,
        .task = {.keys = b->dst,
                 .values = c->verb == PAIRS ? b->dst + c->n * ordo_type_size(c->type) : NULL,
                 .n = c->n},
    };
    return sample_sides[MERGE_GPU].absent || bench_add_peers(b, &ask, b->set.threads);
}

/* Measures one question with all sides. The CPU, which exists everywhere, is the base. */
bool sample_measure(bench *b, const sample_case *c)
{
    const size_t   size = c->n * ordo_type_size(c->type);
    const size_t   value_size = c->verb == PAIRS ? ordo_type_size(c->type) : 0;
    bench_restore  restore = bench_restore_dst(b, size);
    bench_question question = bench_ask(c->verb == KEYS ? "sort" : "sort_pairs", c->type, c->n);

    if (!bench_generate(b, c->dist, c->type, b->src, c->n, 0))
        return false;
    if (c->verb == PAIRS) { /* the keys serve as values, too */
        restore.to[1] = b->dst + size;
        restore.from[1] = b->src;
        restore.bytes[1] = c->n * value_size;
    }
    question.bytes = 2 * (size + c->n * value_size);
    question.answer = b->dst;
    question.answer_bytes = size + c->n * value_size;
    question.prepare = bench_restore_call;
    question.prepare_what = &restore;
    question.dist = c->dist_name;
    question.variant = c->variant != NULL ? c->variant
                       : isnan(c->sms)    ? "sample"
                                          : "multiprocessors";
    question.p = c->share;
    question.k = c->sms;
    question.fresh = true;
    snprintf(question.label, sizeof question.label, "%s", c->label);
    for (sample_device on = CPU; on < SIDES; on++) {
        sample_side *const s = &sample_sides[on];
        if (s->absent)
            continue;
        s->calls = 0;
        memset(s->parts, 0, sizeof s->parts);
        s->verb = c->verb;
        s->type = c->type;
        s->n = c->n;
        s->value_size = value_size;
        s->keys = b->dst;
        s->values = b->dst + size;
        if (!bench_add(b, sample_names[on], s->threads, on == CPU ? BENCH_BASE : BENCH_CONTENDER,
                       call_sample, s))
            return false;
        bench_parameters told = parameters_of(s);
        told.pinned = c->variant != NULL;
        bench_describe(b, told);
    }
    return add_cub(b, c) && bench_measure(b, &question);
}

/* ---- The share of the CPU -------------------------------------------------------------------- */

double sample_try(bench *b, const sample_case *c, sample_side *s)
{
    const size_t  size = c->n * ordo_type_size(c->type);
    bench_restore restore = bench_restore_dst(b, size);
    double        least = INFINITY;

    s->verb = c->verb;
    s->type = c->type;
    s->n = c->n;
    s->value_size = c->verb == PAIRS ? ordo_type_size(c->type) : 0;
    s->keys = b->dst;
    s->values = b->dst + size;
    s->ctx = NULL;
    restore.to[1] = s->values;
    restore.from[1] = b->src;
    restore.bytes[1] = c->n * s->value_size;
    for (int round = 0; round < 3; round++) {
        if (bench_restore_call(bench_context(b, b->set.threads), &restore) != ORDO_OK)
            break;
        const double began = cli_now();
        if (call_sample(NULL, s) != ORDO_OK)
            break;
        const double seconds = cli_now() - began;
        least = round > 0 && seconds < least ? seconds : least;
    }
    return least;
}

static double try_share(bench *b, const sample_case *c, sample_device both, double share)
{
    sample_side s = sample_sides[both];

    s.share = share;
    const double seconds = sample_try(b, c, &s);
    ordo_ctx_free(s.ctx);
    return seconds;
}

double sample_best_share(bench *b, const sample_case *c, sample_device both)
{
    static const double shares[] = {0.01,   0.03, 0.06, 0.09, 0.125, 0.155,
                                    0.1875, 0.25, 0.3,  0.4,  0.55};
    enum {
        WORSE = 4 /* shares in a row that end the search */
    };
    int    worse = 0;
    double best = 0, least = INFINITY;

    if (!bench_generate(b, c->dist, c->type, b->src, c->n, 0))
        return 0;
    printf("  %s, %s: ms by share of the CPU:", c->label, sample_names[both]);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        const double seconds = try_share(b, c, both, shares[i]);
        if (seconds == INFINITY)
            break;
        printf(" %.2f %.2f;", shares[i], 1e3 * seconds);
        worse = seconds < least ? 0 : worse + 1;
        if (seconds < least) {
            least = seconds;
            best = shares[i];
        }
        if (worse == WORSE)
            break;
    }
    printf("\n");
    return best;
}

/* ---- By n: figures 3.6, 3.7, 3.8, 3.15 ------------------------------------------------------- */

static bool by_n(bench *b, const char *title, sample_verb verb, ordo_type type, ordo_dist dist,
                 const char *dist_name)
{
    const size_t fits = b->set.n * sizeof(uint32_t) / ordo_type_size(type);
    const size_t most = fits < LAST_N ? fits : LAST_N;
    char         count[32], why[300];

    const bench_peer_table *const cub = bench_cuda_host_peers(why, sizeof why);
    bool                          ok = cub == NULL || bench_peers_use(b, cub);
    bench_heading(b, title, 0, "n", LABEL_WIDTH);
    if (cub == NULL)
        printf("  cub merge, with copies: left out: %s\n", why);
    for (size_t n = most < FIRST_N ? most : FIRST_N; n <= most && ok; n *= 4) {
        sample_case c = {verb, type, n, dist, dist_name, NAN, NAN, bench_count(count, n), NULL};
        sample_open_sides(b->set.threads, 0);
        sample_sides[BOTH].share = c.share = sample_best_share(b, &c, BOTH);
        sample_add(STREAMED_GPU, MERGE_GPU);
        ok = sample_measure(b, &c);
        sample_close_sides();
    }
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

/* ---- Splitters at intervals of sqrt(n) ------------------------------------------------------- */

bool bench_sample_intervals(bench *b)
{
    const size_t most = b->set.n < INTERVALS_N ? b->set.n : INTERVALS_N;
    char         count[32];
    bool         ok = true;

    bench_heading(b, "Sample sort of u32 keys with 255 splitters and with one for sqrt(n) keys", 0,
                  "n", LABEL_WIDTH);
    for (size_t n = most < FIRST_N ? most : FIRST_N; n <= most && ok; n *= 16) {
        const sample_case c = {
            KEYS, ORDO_U32, n, ORDO_DIST_UNIFORM, "uniform", NAN, NAN, bench_count(count, n), NULL};
        sample_open_sides(b->set.threads, 0);
        sample_sides[BOTH].share = sample_best_share(b, &c, BOTH);
        sample_sides[INTERVALS_BOTH].share = sample_best_share(b, &c, INTERVALS_BOTH);
        sample_add(INTERVALS_CPU, INTERVALS_BOTH);
        ok = sample_measure(b, &c);
        sample_close_sides();
    }
    return ok;
}

/* ---- Phases: figures 3.5, 4.4, 4.22 ---------------------------------------------------------- */

/* The gain of the hybrid over the GPU alone in the last question. */
static bool note_phase_gain(bench *b, const char *phase, size_t n)
{
    const double gpu = bench_last_median(b, sample_names[GPU], b->set.threads);
    const double both = bench_last_median(b, sample_names[BOTH], b->set.threads);
    char         name[96];

    if (!(gpu > 0 && both > 0))
        return true; /* no GPU */
    snprintf(name, sizeof name, "gain of the hybrid in %s, %%, n = %zu", phase, n);
    return bench_note(b, name, 100 * (1 - both / gpu));
}

/* One question for each part of the last measured calls. */
static bool take_phases(bench *b, size_t n)
{
    for (int part = 0; part < PARTS; part++) {
        bench_question question = bench_ask("sort", ORDO_U32, n);
        char           count[32];
        question.variant = part_names[part];
        snprintf(question.label, sizeof question.label, "%s, %s", part_names[part],
                 bench_count(count, n));
        for (sample_device on = CPU; on < SIDES; on++) {
            if (sample_sides[on].parts[part][0] <= 0)
                continue;
            if (!bench_add_times(b, sample_names[on], sample_sides[on].threads,
                                 on == CPU ? BENCH_BASE_LOOSE : BENCH_BESIDE,
                                 sample_sides[on].parts[part]))
                return false;
            bench_describe(b, parameters_of(&sample_sides[on]));
        }
        bench_take_times(b, &question);
        if (part < PHASES && !note_phase_gain(b, part_names[part], n))
            return false;
    }
    return true;
}

bool bench_sample_phases(bench *b)
{
    const size_t most = b->set.n < PHASES_N ? b->set.n : PHASES_N;
    char         count[32];
    bool         ok = true;

    bench_heading(b, "Phases of the sample sort, u32 keys (figures 3.5, 4.4, 4.22)", 0, "n",
                  LABEL_WIDTH);
    for (size_t n = most / 16 > 0 ? most / 16 : most; n <= most && ok; n *= 4) {
        const sample_case c = {
            KEYS, ORDO_U32, n, ORDO_DIST_UNIFORM, "uniform", NAN, NAN, bench_count(count, n), NULL};
        sample_open_sides(b->set.threads, 0);
        sample_sides[BOTH].share = sample_best_share(b, &c, BOTH);
        ok = sample_measure(b, &c) && take_phases(b, n);
        sample_close_sides();
    }
    return ok;
}

/* ---- Platforms: figures 3.16, 3.17, and the gain by the ratio of speeds ---------------------- */

/* The gain of the hybrid over the GPU alone, and what equal loads would give: a CPU that needs r
 * times as long as the GPU takes over 1 / (1 + r) of the work. */
static bool note_gain(bench *b, const char *label, unsigned threads, double share)
{
    const double cpu = bench_last_median(b, sample_names[CPU], threads);
    const double gpu = bench_last_median(b, sample_names[GPU], threads);
    const double both = bench_last_median(b, sample_names[BOTH], threads);
    char         name[96];

    if (!(gpu > 0 && both > 0 && cpu > 0))
        return true; /* no GPU */
    snprintf(name, sizeof name, "ratio cpu / cuda, %s", label);
    if (!bench_note(b, name, cpu / gpu))
        return false;
    printf("  ratio cpu / cuda %.2f, share %.0f %%, gain %.1f %%, model 1 / (1 + ratio) %.1f %%\n",
           cpu / gpu, 100 * share, 100 * (1 - both / gpu), 100 / (1 + cpu / gpu));
    snprintf(name, sizeof name, "best share of the CPU, %%, %s", label);
    if (!bench_note(b, name, 100 * share))
        return false;
    snprintf(name, sizeof name, "gain of the hybrid, %%, %s", label);
    if (!bench_note(b, name, 100 * (1 - both / gpu)))
        return false;
    snprintf(name, sizeof name, "model of the gain, %%, %s", label);
    return bench_note(b, name, 100 / (1 + cpu / gpu));
}

/* One platform: a number of CPU threads, and multiprocessors of the GPU. */
static bool measure_platform(bench *b, sample_verb verb, unsigned threads, unsigned limit,
                             double sms)
{
    const size_t n = b->set.n < PLATFORM_N ? b->set.n : PLATFORM_N;
    char         label[40];

    if (isnan(sms))
        snprintf(label, sizeof label, "%s, %u thread%s", verb == KEYS ? "keys" : "pairs", threads,
                 threads == 1 ? "" : "s");
    else
        snprintf(label, sizeof label, "%s, %.0f SMs", verb == KEYS ? "keys" : "pairs", sms);
    const sample_case c = {verb, ORDO_U32, n, ORDO_DIST_UNIFORM, "uniform", NAN, sms, label, NULL};
    sample_open_sides(threads, 0);
    sample_sides[GPU].sms = sample_sides[BOTH].sms = limit;
    sample_sides[BOTH].share = sample_best_share(b, &c, BOTH);
    const bool ok = sample_measure(b, &c) && note_gain(b, label, threads, sample_sides[BOTH].share);
    sample_close_sides();
    return ok;
}

/* The multiprocessors that a context with this limit uses; 0 after a line with the reason: no GPU,
 * or no such limit. */
static uint64_t multiprocessors(unsigned limit)
{
    ordo_info info = {.struct_size = sizeof info};
    ordo_ctx *ctx = NULL;
    uint64_t  sms = 0;

    if (ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .where = ORDO_CUDA, .threads = 1,
                                         .device_sms = limit)) == ORDO_OK &&
        ordo_ctx_info(ctx, &info) == ORDO_OK) {
        sms = info.device_sms;
        if (sms == 0)
            printf("  no limit of multiprocessors is measured: %s\n", info.cuda);
    }
    ordo_ctx_free(ctx);
    return sms;
}

/* Some multiprocessors of the GPU, then all, with all CPU threads. */
static bool by_multiprocessors(bench *b, sample_verb verb)
{
    static const unsigned limits[] = {8, 16, 32, 64};
    const uint64_t        all = multiprocessors(0);

    for (size_t i = 0; i < sizeof limits / sizeof *limits && limits[i] < all; i++) {
        const uint64_t sms = multiprocessors(limits[i]);
        if (sms == 0)
            break;
        if (!measure_platform(b, verb, b->set.threads, limits[i], (double)sms))
            return false;
    }
    return all == 0 || measure_platform(b, verb, b->set.threads, 0, (double)all);
}

bool bench_sample_platforms(bench *b)
{
    const size_t n = b->set.n < PLATFORM_N ? b->set.n : PLATFORM_N;
    bool         ok = true;

    bench_heading(b, "Sample sort by CPU threads and by multiprocessors (figures 3.16, 3.17)", n,
                  "platform", LABEL_WIDTH);
    for (sample_verb verb = KEYS; verb <= PAIRS && ok; verb++) {
        for (unsigned threads = 1; threads <= b->set.threads && ok; threads *= 2)
            ok = measure_platform(b, verb, threads, 0, NAN);
        ok = ok && by_multiprocessors(b, verb);
    }
    return ok;
}

/* ---- The threshold --------------------------------------------------------------------------- */

bool bench_sample_threshold(bench *b)
{
    static const double shares[] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9};
    const size_t        n = b->set.n < PHASES_N ? b->set.n : PHASES_N;
    bool                ok = true;

    bench_heading(b, "Sample sort of u32 keys by the CPU's share; over the CPU alone", n, "share",
                  LABEL_WIDTH);
    for (size_t i = 0; i < sizeof shares / sizeof *shares && ok; i++) {
        char label[16];
        snprintf(label, sizeof label, "%.0f %%", 100 * shares[i]);
        sample_open_sides(b->set.threads, shares[i]);
        ok = sample_measure(b, &(sample_case){KEYS, ORDO_U32, n, ORDO_DIST_UNIFORM, "uniform",
                                              shares[i], NAN, label, NULL});
        sample_close_sides();
    }
    return ok;
}
