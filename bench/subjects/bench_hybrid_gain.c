/* bench_hybrid_gain.c - the sections `sample-gain` and `sample-inputs` of `ordo bench hybrid`: how
 * much faster the hybrid sample sort is than the faster device alone, and where the time goes. The
 * GPU alone runs the same four phases with share 0; all times include the copies of host arrays to
 * the GPU and back. The share is the best one, found before the timed calls, and is in the rows. */
#include "bench/harness/bench_pin.h"
#include "bench/subjects/bench_sample.h"
#include "ordo_machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    MOST_SPANS = 1 << 16,
    LABEL_WIDTH = 36
};

static int by_beginning(const void *a, const void *b)
{
    const double x = ((const ordo_span *)a)->began, y = ((const ordo_span *)b)->began;
    return x < y ? -1 : x > y;
}

/* The sum of the bytes and the length of the union of the spans of a kind, in seconds. The spans
 * are in the order of their beginnings. */
static double busy(const ordo_span *spans, size_t count, ordo_span_kind kind, uint64_t *bytes)
{
    double until = 0, sum = 0;

    *bytes = 0;
    for (size_t i = 0; i < count; i++) {
        const double began = spans[i].began > until ? spans[i].began : until;
        if (spans[i].kind != (uint32_t)kind)
            continue;
        *bytes += spans[i].bytes;
        sum += spans[i].ended > began ? spans[i].ended - began : 0;
        until = spans[i].ended > until ? spans[i].ended : until;
    }
    return sum;
}

static void print_four(const char *name, const double seconds[PHASES])
{
    printf("; %s", name);
    for (int p = 0; p < PHASES; p++)
        printf(" %.2f", 1e3 * seconds[p]);
}

/* What a call shows about the bound of the gain. */
typedef struct link_rates {
    double in, out;       /* bytes a second */
    double compute, sort; /* seconds of the GPU's phases I to III, and IV */
} link_rates;

/* Prints the times of a call: when each phase ended, the computing of both devices in each phase,
 * the copies, and the idle times. */
static link_rates print_call(const ordo_ctx *ctx, const char *name, unsigned threads,
                             const ordo_facts *f)
{
    static const ordo_span_kind kinds[PHASES] = {ORDO_SPAN_PHASE_I, ORDO_SPAN_PHASE_II,
                                                 ORDO_SPAN_PHASE_III, ORDO_SPAN_PHASE_IV};
    static ordo_span            spans[MOST_SPANS];
    size_t                      count = ordo_last_profile(ctx, spans, MOST_SPANS);
    double                      ends[PHASES] = {0};
    double                      waits = 0; /* the mean of the threads */
    uint64_t                    in, out;

    count = count < MOST_SPANS ? count : MOST_SPANS;
    qsort(spans, count, sizeof *spans, by_beginning);
    for (size_t i = 0; i < count; i++) {
        if (spans[i].kind == ORDO_SPAN_WAIT)
            waits += (spans[i].ended - spans[i].began) / threads;
        for (int p = 0; p < PHASES; p++)
            if (spans[i].kind == (uint32_t)kinds[p])
                ends[p] = spans[i].ended;
    }
    const double to = busy(spans, count, ORDO_SPAN_IN, &in);
    const double from = busy(spans, count, ORDO_SPAN_OUT, &out);
    printf("  %-14s share %.2f, ms", name, f->cpu_share);
    print_four("phases end at", ends);
    print_four("CPU computes", f->cpu_seconds);
    print_four("GPU computes", f->device_seconds);
    printf("\n  %-14s link in %.2f ms %.1f MB, out %.2f ms %.1f MB; waits %.2f; idle CPU %.2f, "
           "GPU %.2f\n",
           "", 1e3 * to, 1e-6 * (double)in, 1e3 * from, 1e-6 * (double)out, 1e3 * waits,
           1e3 * f->cpu_idle_seconds, 1e3 * f->device_idle_seconds);
    return (link_rates){(double)in / to, (double)out / from,
                        f->device_seconds[0] + f->device_seconds[1] + f->device_seconds[2],
                        f->device_seconds[3]};
}

static link_rates profile_side(bench *b, const sample_case *c, sample_device on)
{
    sample_side s = sample_sides[on];
    ordo_report report = {.struct_size = sizeof report};
    link_rates  rates = {0, 0, 0, 0};

    s.profile = true;
    if (sample_try(b, c, &s) < INFINITY && ordo_last_report(s.ctx, &report) == ORDO_OK)
        rates = print_call(s.ctx, sample_names[on], s.threads, &report.facts);
    ordo_ctx_free(s.ctx);
    return rates;
}

/* The bytes of host memory that a call reads and writes with a share s of the CPU: on the link the
 * keys and all values that travel in, results, exchanged records, and the values of the records
 * that the CPU gets; for the CPU's own records the keys twice, a scatter, a gather, held values and
 * results. Staging buffers and what a sort moves beyond the caches are left out. */
static double host_bytes(double s, double key, double value, double record)
{
    const double link = (1 - s) * (2 * key + value) + value + s * (1 - s) * (2 * record + value);

    return link + s * (3 * key + 3 * value + 3 * record);
}

/* The least time of any share, by our model, not the paper's. With a share s of the CPU, 1 - s of
 * the keys travel in and are labelled, counted and scattered before anything travels out: 1 - s of
 * the results and s (1 - s) of the records, while the GPU sorts. The CPU needs s of its time alone,
 * and host memory moves its bytes at the rate of a copy. The rest is hidden. */
static double least_seconds(const sample_case *c, double cpu, double copy, const link_rates *rates,
                            double *share)
{
    const double key = (double)ordo_type_size(c->type), value = c->verb == PAIRS ? key : 0;
    const double record = value > 0 ? 2 * key : key, n = (double)c->n;
    const double memory = 2 * n * (key + value) / copy;
    double       least = INFINITY;

    for (double s = 0; s < 1; s += 1.0 / 256) {
        const double in = (1 - s) * n * key / rates->in;
        const double out = (1 - s) * n * (key + value + s * record) / rates->out;
        const double sort = (1 - s) * rates->sort;
        const double device = in + (1 - s) * rates->compute + (out > sort ? out : sort);
        const double host = n * host_bytes(s, key, value, record) / memory;
        double       both = device > s * cpu ? device : s * cpu;
        both = both > host ? both : host;
        if (both < least) {
            least = both;
            *share = s;
        }
    }
    return least;
}

static bool print_bound(bench *b, const sample_case *c, double cpu, double alone,
                        const link_rates *rates)
{
    const double copy = bench_last_median(b, "copy", b->set.threads);
    char         name[128];
    double       share = 0;

    if (!(rates->in > 0 && rates->out > 0 && copy > 0))
        return true;
    const double bound = alone / least_seconds(c, cpu, copy, rates, &share);
    printf(
        "  our bound from the bytes on the link, %.1f GB/s in and %.1f out, the speed of the CPU, "
        "and a copy in %.2f ms: gain %.3f at share %.2f\n",
        1e-9 * rates->in, 1e-9 * rates->out, 1e3 * copy, bound, share);
    snprintf(name, sizeof name, "bound of the gain, %s", c->label);
    return bench_note(b, name, bound);
}

static bool print_gain(bench *b, const sample_case *c)
{
    const double cpu = bench_last_median(b, sample_names[CPU], b->set.threads);
    const double gpu = bench_last_median(b, sample_names[GPU], b->set.threads);
    const double both = bench_last_median(b, sample_names[BOTH], b->set.threads);
    const double alone = cpu < gpu ? cpu : gpu;
    char         name[128];

    if (!(gpu > 0 && both > 0 && cpu > 0))
        return true; /* no GPU */
    printf("  %s: gain %.3f over the faster device alone; CPU %.2f, GPU %.2f, both %.2f ms; share "
           "%.2f\n",
           c->label, alone / both, 1e3 * cpu, 1e3 * gpu, 1e3 * both, c->share);
    const link_rates rates = profile_side(b, c, GPU);
    (void)profile_side(b, c, BOTH);
    snprintf(name, sizeof name, "gain over the faster device alone, %s", c->label);
    return bench_note(b, name, alone / both) && print_bound(b, c, cpu, alone, &rates);
}

static bool measure_gain(bench *b, sample_verb verb, ordo_type type, unsigned lg, bool pinned,
                         ordo_dist dist, const char *dist_name)
{
    const size_t n = (size_t)1 << lg, bytes = (verb == PAIRS ? 2 : 1) * n * ordo_type_size(type);
    char         label[64];

    if (bytes > b->dst_bytes || n * ordo_type_size(type) > b->src_bytes)
        return true;
    if (pinned && !bench_pin(b->dst, bytes)) {
        printf("  no pinned memory\n");
        return true;
    }
    snprintf(label, sizeof label, "%s %s %s 2^%u%s", dist_name, ordo_type_name(type),
             verb == KEYS ? "keys" : "pairs", lg, pinned ? ", pinned" : "");
    sample_case c = {
        verb, type, n, dist, dist_name, NAN, NAN, label, pinned ? "sample, pinned" : NULL};
    sample_open_sides(b->set.threads, 0);
    sample_sides[BOTH].share = c.share = sample_best_share(b, &c, BOTH);
    sample_add(STREAMED_GPU, STREAMED_BOTH);
    const bool ok = sample_measure(b, &c) && print_gain(b, &c);
    sample_close_sides();
    if (pinned)
        bench_unpin(b->dst);
    return ok;
}

bool bench_sample_gain(bench *b)
{
    static const struct {
        sample_verb verb;
        ordo_type   type;
        int         less; /* n is that of the section over 2^less */
        bool        pinned;
    } cases[] = {
        {KEYS, ORDO_U32, -1, true}, {KEYS, ORDO_U32, 0, true},  {KEYS, ORDO_U32, 2, true},
        {KEYS, ORDO_U32, 4, true},  {KEYS, ORDO_U32, 6, true},  {PAIRS, ORDO_U32, -1, true},
        {PAIRS, ORDO_U32, 0, true}, {PAIRS, ORDO_U32, 2, true}, {PAIRS, ORDO_U32, 4, true},
        {PAIRS, ORDO_U32, 6, true}, {KEYS, ORDO_U64, 2, true},  {KEYS, ORDO_U32, 2, false},
        {PAIRS, ORDO_U32, 4, false}};
    const int most = (int)log2((double)b->set.n);
    bool      ok = true;

    bench_heading(b, "Gain of the hybrid sample sort over the faster device alone", 0, "input",
                  LABEL_WIDTH);
    for (size_t i = 0; i < sizeof cases / sizeof *cases && ok; i++)
        if (cases[i].less <= most)
            ok = measure_gain(b, cases[i].verb, cases[i].type, (unsigned)(most - cases[i].less),
                              cases[i].pinned, ORDO_DIST_UNIFORM, "uniform");
    return ok;
}

/* The inputs of the paper, pairs; in pinned arrays, except on a machine that cannot pin them. */
bool bench_sample_inputs(bench *b)
{
    static const struct {
        ordo_dist   dist;
        const char *name;
    } inputs[] = {{ORDO_DIST_UNIFORM, "uniform"},
                  {ORDO_DIST_GAUSSIAN, "gaussian"},
                  {ORDO_DIST_DUPES, "dupes"},
                  {ORDO_DIST_STAGGERED, "staggered"},
                  {ORDO_DIST_BUCKET, "bucket"}};
    enum {
        MOST = 24
    };
    const unsigned lg = (unsigned)log2((double)b->set.n);
    bool           ok = true;

    bench_heading(b, "Hybrid sample sort of the paper's inputs", 0, "input", LABEL_WIDTH);
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs && ok; i++)
        ok = measure_gain(b, PAIRS, ORDO_U32, lg < MOST ? lg : MOST, bench_can_pin(),
                          inputs[i].dist, inputs[i].name);
    return ok;
}
