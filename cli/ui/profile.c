/* profile.c - the profile of a streamed call as a table, as JSON and as a picture (see context.h).
 *
 * Spans are intervals of time. The time that a part of the machine was busy is the length of the
 * union of its spans. Idle time is defined as in the hybrid sort paper, as the time in which a
 * device does nothing: the GPU neither copies nor works; for the CPU, the mean of its threads. A
 * sample sort reports its idle times itself. */
#include "cli/ui/context.h"

#include "ordo_machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    PHASES = 4, /* at most; streamed calls have II and III as one */
    LEFT = 110, /* of the picture, in pixels; time goes to the right */
    WIDTH = 1000,
    TOP = 34,
    ROW = 14,
    BAR = 11,
    THREADS = 4 /* the row of thread 0 */
};

static const struct {
    const char *name, *colour;
    unsigned    row; /* THREADS: a span of a thread */
} kinds[] = {[0] = {"", "", 0},
             [ORDO_SPAN_PHASE_I] = {"I", "#dddddd", 0},
             [ORDO_SPAN_PHASE_III] = {"II, III", "#dddddd", 0},
             [ORDO_SPAN_PHASE_IV] = {"IV", "#dddddd", 0},
             [ORDO_SPAN_DIVIDE] = {"divide", "#4477aa", THREADS},
             [ORDO_SPAN_PUT] = {"put", "#228833", THREADS},
             [ORDO_SPAN_BUCKET] = {"bucket", "#ccbb44", THREADS},
             [ORDO_SPAN_IN] = {"to gpu", "#66ccee", 1},
             [ORDO_SPAN_OUT] = {"from gpu", "#aa3377", 2},
             [ORDO_SPAN_WORK] = {"work", "#ee6677", 3},
             [ORDO_SPAN_PHASE_II] = {"II", "#eeeeee", 0},
             [ORDO_SPAN_COMPUTE] = {"compute", "#4477aa", THREADS},
             [ORDO_SPAN_PIECE] = {"compute", "#4477aa", THREADS},
             [ORDO_SPAN_WAIT] = {"wait", "#bbbbbb", THREADS}};

typedef struct profile_part { /* a phase, or the whole call; times in seconds */
    const char *name;
    double      began, ended;
    double      in, out, both_ways; /* the link was busy */
    double      work;               /* the GPU was busy */
    double      device_idle;        /* neither link nor GPU was busy */
    double      threads;            /* the threads were busy, on average */
    uint64_t    bytes_in, bytes_out;
} profile_part;

typedef struct profile {
    ordo_span   *spans; /* by beginning */
    size_t       count;
    unsigned     threads;
    unsigned     phases;
    profile_part parts[PHASES + 1]; /* parts[phases] is the whole call */
    ordo_facts   facts;
} profile;

bool profile_wanted(const common_options *common)
{
    return common->profile || common->profile_json != NULL || common->profile_svg != NULL;
}

static int by_beginning(const void *a, const void *b)
{
    const ordo_span *const x = a, *const y = b;
    return x->began < y->began ? -1 : x->began > y->began;
}

static double overlap(const ordo_span *span, double began, double ended)
{
    const double lo = span->began > began ? span->began : began;
    const double hi = span->ended < ended ? span->ended : ended;
    return hi > lo ? hi - lo : 0;
}

/* The length of the union of the spans of some kinds, a bit each, within a part. */
static double busy(const profile *p, const profile_part *part, unsigned wanted)
{
    double until = part->began, sum = 0;

    for (size_t i = 0; i < p->count; i++) {
        const ordo_span *const span = &p->spans[i];
        const double           length = overlap(span, until, part->ended);
        if ((wanted >> span->kind & 1) != 0 && length > 0) {
            sum += length;
            until = span->ended < part->ended ? span->ended : part->ended;
        }
    }
    return sum;
}

/* A span that lies in two parts gives each of them its share of the bytes. */
static uint64_t bytes_of(const profile *p, const profile_part *part, uint32_t kind)
{
    double sum = 0;
    for (size_t i = 0; i < p->count; i++) {
        const ordo_span *const span = &p->spans[i];
        const double           length = span->ended - span->began;
        if (span->kind == kind && length > 0)
            sum += (double)span->bytes * (overlap(span, part->began, part->ended) / length);
    }
    return (uint64_t)(sum + 0.5);
}

static double threads_busy(const profile *p, const profile_part *part)
{
    double sum = 0;
    for (size_t i = 0; i < p->count; i++) {
        const ordo_span *const span = &p->spans[i];
        const double           length = overlap(span, part->began, part->ended);
        const bool             draws = span->kind == ORDO_SPAN_PHASE_I && p->phases < PHASES;
        if (span->kind == ORDO_SPAN_COMPUTE || draws) /* all threads */
            sum += length * p->threads;
        else if (kinds[span->kind].row == THREADS && span->kind != ORDO_SPAN_WAIT)
            sum += length;
    }
    return sum / p->threads;
}

static void compute(const profile *p, profile_part *part)
{
    const unsigned in = 1 << ORDO_SPAN_IN, out = 1 << ORDO_SPAN_OUT, work = 1 << ORDO_SPAN_WORK;

    part->in = busy(p, part, in);
    part->out = busy(p, part, out);
    part->both_ways = part->in + part->out - busy(p, part, in | out);
    part->work = busy(p, part, work);
    part->device_idle = part->ended - part->began - busy(p, part, in | out | work);
    part->threads = threads_busy(p, part);
    part->bytes_in = bytes_of(p, part, ORDO_SPAN_IN);
    part->bytes_out = bytes_of(p, part, ORDO_SPAN_OUT);
}

static const char *name_of(const profile *p, uint32_t kind)
{
    const bool apart = p->facts.strategy == ORDO_STRATEGY_PHASES;
    return apart && kind == ORDO_SPAN_PHASE_III ? "III" : kinds[kind].name;
}

/* The phases of a sample sort are apart; those of a streamed call are I, II and III, IV. */
static void set_phases(profile *p, double seconds)
{
    static const uint32_t four[] = {ORDO_SPAN_PHASE_I, ORDO_SPAN_PHASE_II, ORDO_SPAN_PHASE_III,
                                    ORDO_SPAN_PHASE_IV};
    static const uint32_t three[] = {ORDO_SPAN_PHASE_I, ORDO_SPAN_PHASE_III, ORDO_SPAN_PHASE_IV};
    bool const            apart = p->facts.strategy == ORDO_STRATEGY_PHASES;
    const uint32_t *const phases = apart ? four : three;

    p->phases = apart ? 4 : 3;
    p->parts[p->phases] = (profile_part){.name = "whole", .ended = seconds};
    for (unsigned i = 0; i < p->phases; i++) {
        p->parts[i].name = name_of(p, phases[i]);
        for (size_t s = 0; s < p->count; s++)
            if (p->spans[s].kind == phases[i]) {
                p->parts[i].began = p->spans[s].began;
                p->parts[i].ended = p->spans[s].ended;
            }
    }
}

static bool read_spans(const ordo_ctx *ctx, profile *p)
{
    ordo_report report = {.struct_size = sizeof report};
    p->count = ordo_last_profile(ctx, NULL, 0);
    p->spans = malloc((p->count + 1) * sizeof *p->spans);
    if (p->spans == NULL || ordo_last_report(ctx, &report) != ORDO_OK)
        return cli_fail("not enough memory for the profile");
    (void)ordo_last_profile(ctx, p->spans, p->count);
    qsort(p->spans, p->count, sizeof *p->spans, by_beginning);
    p->threads = report.threads;
    p->facts = report.facts;
    set_phases(p, report.seconds);
    for (unsigned i = 0; i <= p->phases; i++)
        compute(p, &p->parts[i]);
    return true;
}

static double ratio(double a, double b) { return b > 0 ? a / b : 0; }

/* How long each device computed in each phase of a sample sort. A device that does not compute is
 * idle; copies count as neither. */
static void print_computing(const profile *p)
{
    const ordo_facts *const f = &p->facts;
    const double            all = p->parts[p->phases].ended;

    fputs("\ncomputing    longer       CPU       GPU\nphase            ms        ms        ms\n",
          stderr);
    for (int i = 0; i < PHASES; i++)
        fprintf(stderr, "%-8s %9.3f %9.3f %9.3f\n", p->parts[i].name, 1e3 * f->sample_seconds[i],
                1e3 * f->cpu_seconds[i], 1e3 * f->device_seconds[i]);
    fprintf(stderr, "copies   %9.3f\nidle     %9s %9.3f %9.3f\nidle %%   %9s %9.1f %9.1f\n",
            1e3 * f->copy_seconds, "", 1e3 * f->cpu_idle_seconds, 1e3 * f->device_idle_seconds, "",
            ratio(100 * f->cpu_idle_seconds, all), ratio(100 * f->device_idle_seconds, all));
}

/* The idle time of a sample sort follows the paper, in the table of print_computing. */
static void print_idle(bool sampled, double idle, double length)
{
    if (!sampled)
        fprintf(stderr, " %6.1f", ratio(100 * idle, length));
}

static void print_table(const profile *p)
{
    if (p->count == 0) {
        fputs("profile: nothing was streamed through a GPU\n", stderr);
        return;
    }
    const bool sampled = p->facts.strategy == ORDO_STRATEGY_PHASES;
    fprintf(
        stderr,
        "              all   to GPU            from GPU            both  GPU work%s   threads%s\n"
        "phase          ms        ms   GB/s        ms   GB/s        ms        ms%s        ms%s\n",
        sampled ? "" : "    GPU", sampled ? "" : "    CPU", sampled ? "" : " idle %",
        sampled ? "" : " idle %");
    for (const profile_part *part = p->parts; part <= p->parts + p->phases; part++) {
        const double length = part->ended - part->began;
        fprintf(stderr, "%-8s %9.3f %9.3f %6.1f %9.3f %6.1f %9.3f %9.3f", part->name, 1e3 * length,
                1e3 * part->in, ratio((double)part->bytes_in, part->in) / 1e9, 1e3 * part->out,
                ratio((double)part->bytes_out, part->out) / 1e9, 1e3 * part->both_ways,
                1e3 * part->work);
        print_idle(sampled, part->device_idle, length);
        fprintf(stderr, " %9.3f", 1e3 * part->threads);
        print_idle(sampled, length - part->threads, length);
        fputc('\n', stderr);
    }
    if (sampled)
        print_computing(p);
}

static unsigned row_of(const ordo_span *span)
{
    const unsigned row = kinds[span->kind].row;
    return row == THREADS ? row + span->lane : row;
}

static const char *const row_names[THREADS] = {"phase", "to GPU", "from GPU", "GPU"};

/* The spans as events of the Trace Event Format, which trace viewers read: a row for each part of
 * the machine, times in microseconds. */
static void print_trace(FILE *to, const profile *p)
{
    for (unsigned row = 0; row < THREADS + p->threads; row++) {
        char thread[32];
        snprintf(thread, sizeof thread, "thread %u", row - THREADS);
        fprintf(to,
                "{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": 1, \"tid\": %u, "
                "\"args\": {\"name\": \"%s\"}}%s\n",
                row, row < THREADS ? row_names[row] : thread,
                row + 1 < THREADS + p->threads || p->count > 0 ? "," : "");
    }
    for (size_t i = 0; i < p->count; i++) {
        const ordo_span *const span = &p->spans[i];
        fprintf(to,
                "{\"name\": \"%s\", \"ph\": \"X\", \"pid\": 1, \"tid\": %u, \"ts\": %.3f, "
                "\"dur\": %.3f, \"args\": {\"bytes\": %llu}}%s\n",
                name_of(p, span->kind), row_of(span), 1e6 * span->began,
                1e6 * (span->ended - span->began), (unsigned long long)span->bytes,
                i + 1 < p->count ? "," : "");
    }
}

static void print_json(FILE *to, const profile *p)
{
    fprintf(to, "{\"threads\": %u,\n\"phases\": [\n", p->threads);
    for (const profile_part *part = p->parts; part <= p->parts + p->phases; part++)
        fprintf(to,
                "{\"phase\": \"%s\", \"began\": %.9f, \"ended\": %.9f, \"to_gpu\": %.9f, "
                "\"from_gpu\": %.9f, \"both_ways\": %.9f, \"gpu_work\": %.9f, \"gpu_idle\": %.9f, "
                "\"threads_busy\": %.9f, \"bytes_to_gpu\": %llu, \"bytes_from_gpu\": %llu}%s\n",
                part->name, part->began, part->ended, part->in, part->out, part->both_ways,
                part->work, part->device_idle, part->threads, (unsigned long long)part->bytes_in,
                (unsigned long long)part->bytes_out, part == p->parts + p->phases ? "]," : ",");
    fputs("\"traceEvents\": [\n", to);
    print_trace(to, p);
    fputs("]}\n", to);
}

/* ---- The picture: rows for the phases, both ways of the link, the GPU, and each thread ---- */

static double across(const profile *p, double seconds)
{
    return LEFT + WIDTH * (seconds / p->parts[p->phases].ended);
}

static void draw_bar(FILE *to, const profile *p, const ordo_span *span)
{
    const double x = across(p, span->began), right = across(p, span->ended);
    fprintf(to, "<rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" fill=\"%s\"/>\n", x,
            TOP + ROW * row_of(span), right - x > 0.1 ? right - x : 0.1, BAR,
            kinds[span->kind].colour);
}

static void draw_captions(FILE *to, const profile *p)
{
    const profile_part *const whole = &p->parts[p->phases];
    const bool                sampled = p->facts.strategy == ORDO_STRATEGY_PHASES;
    const double gpu_idle = sampled ? p->facts.device_idle_seconds : whole->device_idle;
    const double cpu_idle = sampled ? p->facts.cpu_idle_seconds : whole->ended - whole->threads;
    fprintf(to,
            "<text x=\"%d\" y=\"14\">%.1f ms; GPU idle %.1f %%, CPU idle %.1f %%; blue: divided "
            "and sent, green: put in place, yellow: buckets sorted</text>\n",
            LEFT, 1e3 * whole->ended, ratio(100 * gpu_idle, whole->ended),
            ratio(100 * cpu_idle, whole->ended));
    for (unsigned i = 0; i < p->phases; i++)
        fprintf(to, "<text x=\"%.1f\" y=\"%d\">%s</text>\n", across(p, p->parts[i].began) + 2,
                TOP + BAR - 2, p->parts[i].name);
}

static void print_svg(FILE *to, const profile *p)
{
    const bool any = p->parts[p->phases].ended > 0;
    unsigned   rows = THREADS;

    for (size_t i = 0; i < p->count; i++)
        if (row_of(&p->spans[i]) + 1 > rows)
            rows = row_of(&p->spans[i]) + 1;
    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" "
            "font-family=\"sans-serif\" font-size=\"10\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            LEFT + WIDTH + 20, TOP + ROW * rows + 10);
    for (size_t i = 0; i < p->count && any; i++)
        draw_bar(to, p, &p->spans[i]);
    if (any)
        draw_captions(to, p);
    for (unsigned row = any ? 0 : THREADS; row < rows; row++) {
        char text[32];
        snprintf(text, sizeof text, "thread %u", row - THREADS);
        fprintf(to, "<text x=\"%d\" y=\"%u\" text-anchor=\"end\">%s</text>\n", LEFT - 6,
                TOP + ROW * row + BAR - 2, row < THREADS ? row_names[row] : text);
    }
    fputs("</svg>\n", to);
}

static bool to_file(const char *path, void (*print)(FILE *to, const profile *p), const profile *p)
{
    FILE *const to = path != NULL ? fopen(path, "w") : NULL;
    bool        ok = path == NULL || to != NULL;

    if (to != NULL) {
        print(to, p);
        ok = ferror(to) == 0;
        ok = fclose(to) == 0 && ok;
    }
    return ok || cli_fail("%s: cannot write: %s", path, strerror(errno));
}

bool profile_print(const ordo_ctx *ctx, const common_options *common)
{
    profile p = {0};
    bool    ok = read_spans(ctx, &p);

    if (ok && common->profile)
        print_table(&p);
    ok = ok && to_file(common->profile_json, print_json, &p) &&
         to_file(common->profile_svg, print_svg, &p);
    free(p.spans);
    return ok;
}
