/* profile.c - see profile.h. Spans are intervals of time; what a part of the machine was busy with
 * is the length of the union of its spans, two parts at once that of both less that of the union of
 * all. Idle is, as the hybrid sort paper defines it, the time in which a device does nothing: of
 * the GPU neither copies nor work, of the CPU the average of its threads. */
#include "cli/ui/profile.h"

#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *const profile_phase_names[PROFILE_PHASES] = {"I", "II, III", "IV"};

bool profile_wanted(const common_options *common)
{
    return common->profile || common->profile_json != NULL || common->profile_svg != NULL;
}

bool profile_is_host(uint32_t kind)
{
    return kind == ORDO_SPAN_DIVIDE || kind == ORDO_SPAN_PUT || kind == ORDO_SPAN_BIN;
}

/* ---- Reckoning ---- */

static int by_beginning(const void *a, const void *b)
{
    const ordo_span *const x = a, *const y = b;
    return x->began < y->began ? -1 : x->began > y->began;
}

static double overlap(const ordo_span *span, const profile_part *part)
{
    double const lo = span->began > part->began ? span->began : part->began;
    double const hi = span->ended < part->ended ? span->ended : part->ended;
    return hi > lo ? hi - lo : 0;
}

/* Of the spans of some kinds, a bit each, within a part: the length of their union. */
static double busy(const profile *p, const profile_part *part, unsigned kinds)
{
    double until = part->began, sum = 0;
    for (size_t i = 0; i < p->count; i++) {
        const ordo_span *const span = &p->spans[i];
        if ((kinds >> span->kind & 1) == 0)
            continue;
        double const lo = span->began > until ? span->began : until;
        double const hi = span->ended < part->ended ? span->ended : part->ended;
        if (hi > lo) {
            sum += hi - lo;
            until = hi;
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
        double const           length = span->ended - span->began;
        if (span->kind == kind && length > 0)
            sum += (double)span->bytes * (overlap(span, part) / length);
    }
    return (uint64_t)(sum + 0.5);
}

static double host_busy(const profile *p, const profile_part *part)
{
    double sum = 0;
    for (size_t i = 0; i < p->count; i++) {
        if (profile_is_host(p->spans[i].kind))
            sum += overlap(&p->spans[i], part);
        else if (p->spans[i].kind == ORDO_SPAN_PHASE_I) /* all threads draw keys */
            sum += overlap(&p->spans[i], part) * p->threads;
    }
    return sum / p->threads;
}

static void reckon(const profile *p, profile_part *part)
{
    enum {
        IN = 1 << ORDO_SPAN_IN,
        OUT = 1 << ORDO_SPAN_OUT,
        WORK = 1 << ORDO_SPAN_WORK
    };
    part->in = busy(p, part, IN);
    part->out = busy(p, part, OUT);
    part->both_ways = part->in + part->out - busy(p, part, IN | OUT);
    part->work = busy(p, part, WORK);
    part->device_idle = part->ended - part->began - busy(p, part, IN | OUT | WORK);
    part->threads = host_busy(p, part);
    part->bytes_in = bytes_of(p, part, ORDO_SPAN_IN);
    part->bytes_out = bytes_of(p, part, ORDO_SPAN_OUT);
}

static bool read_spans(const ordo_ctx *ctx, profile *p)
{
    ordo_report report = {.struct_size = sizeof report};
    p->count = ordo_last_profile(ctx, NULL, 0);
    p->spans = malloc((p->count + 1) * sizeof *p->spans);
    if (p->spans == NULL || ordo_last_report(ctx, &report) != ORDO_OK) {
        cli_error("no memory for the profile");
        return false;
    }
    (void)ordo_last_profile(ctx, p->spans, p->count);
    qsort(p->spans, p->count, sizeof *p->spans, by_beginning);
    p->threads = report.threads;
    p->whole.ended = report.seconds;
    for (size_t i = 0; i < p->count; i++) {
        uint32_t const phase = p->spans[i].kind - ORDO_SPAN_PHASE_I;
        if (phase < PROFILE_PHASES) {
            p->phases[phase].began = p->spans[i].began;
            p->phases[phase].ended = p->spans[i].ended;
        }
    }
    for (int i = 0; i < PROFILE_PHASES; i++)
        reckon(p, &p->phases[i]);
    reckon(p, &p->whole);
    return true;
}

/* ---- Table ---- */

static double length(const profile_part *part) { return part->ended - part->began; }

static double per_cent(double of, const profile_part *part)
{
    return length(part) > 0 ? 100 * of / length(part) : 0;
}

static double rate(uint64_t bytes, double seconds)
{
    return seconds > 0 ? (double)bytes / seconds / 1e9 : 0;
}

static void row(const char *what, const profile_part *part)
{
    fprintf(stderr, "%-8s %9.3f %9.3f %6.1f %9.3f %6.1f %9.3f %9.3f %6.1f %9.3f %6.1f\n", what,
            1e3 * length(part), 1e3 * part->in, rate(part->bytes_in, part->in), 1e3 * part->out,
            rate(part->bytes_out, part->out), 1e3 * part->both_ways, 1e3 * part->work,
            per_cent(part->device_idle, part), 1e3 * part->threads,
            per_cent(length(part) - part->threads, part));
}

static void print_table(const profile *p)
{
    if (p->count == 0) {
        fputs("profile: nothing was streamed through a GPU\n", stderr);
        return;
    }
    fputs("              all   to GPU            from GPU            both  GPU work    GPU   "
          "threads    CPU\n"
          "phase          ms        ms   GB/s        ms   GB/s        ms        ms idle %        "
          "ms idle %\n",
          stderr);
    for (int i = 0; i < PROFILE_PHASES; i++)
        row(profile_phase_names[i], &p->phases[i]);
    row("whole", &p->whole);
}

/* ---- JSON ---- */

static void part_json(FILE *to, const char *name, const profile_part *part, const char *end)
{
    fprintf(to,
            "{\"phase\": \"%s\", \"began\": %.9f, \"ended\": %.9f, \"to_gpu\": %.9f, "
            "\"from_gpu\": %.9f, \"both_ways\": %.9f, \"gpu_work\": %.9f, \"gpu_idle\": %.9f, "
            "\"threads_busy\": %.9f, \"bytes_to_gpu\": %llu, \"bytes_from_gpu\": %llu}%s\n",
            name, part->began, part->ended, part->in, part->out, part->both_ways, part->work,
            part->device_idle, part->threads, (unsigned long long)part->bytes_in,
            (unsigned long long)part->bytes_out, end);
}

static void print_json(FILE *to, const profile *p)
{
    static const char *const kinds[] = {"",    "I",   "II, III", "IV",       "divide",
                                        "put", "bin", "to gpu",  "from gpu", "work"};
    fprintf(to, "{\"threads\": %u,\n\"phases\": [\n", p->threads);
    for (int i = 0; i < PROFILE_PHASES; i++)
        part_json(to, profile_phase_names[i], &p->phases[i], ",");
    part_json(to, "whole", &p->whole, "],");
    fputs("\"spans\": [\n", to);
    for (size_t i = 0; i < p->count; i++)
        fprintf(to,
                "{\"kind\": \"%s\", \"lane\": %u, \"began\": %.9f, \"ended\": %.9f, "
                "\"bytes\": %llu}%s\n",
                kinds[p->spans[i].kind], (unsigned)p->spans[i].lane, p->spans[i].began,
                p->spans[i].ended, (unsigned long long)p->spans[i].bytes,
                i + 1 < p->count ? "," : "");
    fputs("]}\n", to);
}

/* ---- Files ---- */

static bool to_file(const char *path, void (*print)(FILE *to, const profile *p), const profile *p)
{
    if (path == NULL)
        return true;
    FILE *const to = fopen(path, "w");
    bool        ok = to != NULL;
    if (ok) {
        print(to, p);
        ok = ferror(to) == 0;
        ok = fclose(to) == 0 && ok;
    }
    if (!ok)
        cli_error("%s: cannot write: %s", path, strerror(errno));
    return ok;
}

bool profile_print(const ordo_ctx *ctx, const common_options *common)
{
    profile p = {0};
    bool    ok = read_spans(ctx, &p);
    if (ok && common->profile)
        print_table(&p);
    ok = ok && to_file(common->profile_json, print_json, &p) &&
         to_file(common->profile_svg, profile_draw, &p);
    free(p.spans);
    return ok;
}
