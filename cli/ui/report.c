/* report.c - --explain, --json and --time (see context.h). */
#include "cli/ui/context.h"

#include "cli/io/json.h"
#include "cli/io/number/number.h"

#include <string.h>

/* ---- The first pass of a sample sort of few numbers, step by step ----
 *
 * Figure 3.2 of the paper in lib/papers/hybrid/hybrid.h. */

static struct {
    size_t n, width;
    char   keys[ORDO_PASS_MOST][NUMBER_TEXT_MAX + 1];
} kept;

void pass_keep(ordo_type type, const void *keys, size_t n)
{
    kept.n = n <= ORDO_PASS_MOST ? n : 0;
    kept.width = 3; /* of the names of the devices */
    for (size_t i = 0; i < kept.n; i++) {
        const char *const key = (const char *)keys + i * ordo_type_size(type);
        const size_t      length = number_format(type, key, kept.keys[i]);
        kept.keys[i][length] = '\0';
        kept.width = length > kept.width ? length : kept.width;
    }
}

static unsigned bin_of(const ordo_facts *f, size_t i) { return f->pass_labels[i] / 2u + 1; }

/* Keys that equal a splitter have odd labels. */
static void print_splitters(const ordo_facts *f)
{
    fputs("splitters ", stderr);
    for (unsigned label = 1; label < 2 * ORDO_PASS_MOST; label += 2)
        for (size_t i = 0; i < kept.n; i++)
            if (f->pass_labels[i] == label) {
                fprintf(stderr, " %s", kept.keys[i]);
                break;
            }
    fputc('\n', stderr);
}

static void print_rows(const ordo_facts *f)
{
    const int width = (int)kept.width + 1;

    fputs("keys      ", stderr);
    for (size_t i = 0; i < kept.n; i++)
        fprintf(stderr, "%*s", width, kept.keys[i]);
    fputs("\ndevices   ", stderr);
    for (size_t i = 0; i < kept.n; i++)
        fprintf(stderr, "%*s", width, i < f->pass_cpu ? "CPU" : "GPU");
    fputs("\nlabels    ", stderr);
    for (size_t i = 0; i < kept.n; i++)
        fprintf(stderr, "%*u", width, bin_of(f, i));
    fputc('\n', stderr);
}

/* The histograms, the place of each bin and its keys. */
static void print_bins(const ordo_facts *f)
{
    size_t place = 0;

    fputs("bin        CPU  GPU  place  keys\n", stderr);
    for (unsigned bin = 1; place < kept.n && bin <= UINT16_MAX / 2 + 1; bin++) {
        size_t counts[2] = {0, 0};
        for (size_t i = 0; i < kept.n; i++)
            counts[i >= f->pass_cpu] += bin_of(f, i) == bin;
        if (counts[0] + counts[1] == 0)
            continue;
        fprintf(stderr, "%-10u %3zu  %3zu  %5zu ", bin, counts[0], counts[1], place);
        for (size_t i = 0; i < kept.n; i++)
            if (bin_of(f, i) == bin)
                fprintf(stderr, " %s", kept.keys[i]);
        fputc('\n', stderr);
        place += counts[0] + counts[1];
    }
}

static void pass_print(const ordo_facts *f)
{
    if (f->pass_n == 0 || f->pass_n != kept.n)
        return;
    print_rows(f);
    print_splitters(f);
    print_bins(f);
}

#define REPORT_TEXT 1024

void timing_mark(timing *t, const char *phase)
{
    const double now = cli_now();
    if (t->n < sizeof t->phases / sizeof t->phases[0]) {
        t->phases[t->n].name = phase;
        t->phases[t->n].seconds = now - t->last;
        t->n++;
    }
    t->last = now;
}

void json_string(FILE *to, const char *text)
{
    const char *const end = text + strlen(text);
    char              escaped[JSON_ESCAPE];

    fputc('"', to);
    while (text < end) {
        json_escape(&text, end, escaped);
        fputs(escaped, to);
    }
    fputc('"', to);
}

void json_field(FILE *to, const char *name, const char *value)
{
    fprintf(to, "\"%s\": ", name);
    json_string(to, value);
    fputs(", ", to);
}

/* Prints the times predicted for backends that this machine has, after `before`. Small calls have
 * none. Returns whether there was one. */
static bool print_predicted(const ordo_report *r, const char *before, bool json)
{
    static const char *const names[] = {"cpu", "cuda", "hybrid"};
    const double             seconds[] = {r->predicted_cpu, r->predicted_cuda, r->predicted_hybrid};
    bool                     any = false;

    for (size_t i = 0; i < 3; i++) {
        if (seconds[i] <= 0)
            continue;
        fputs(any ? ", " : before, stderr);
        fprintf(stderr, json ? "\"%s\": %.9f" : "%s %.3g ms", names[i],
                json ? seconds[i] : seconds[i] * 1e3);
        any = true;
    }
    return any;
}

static void print_explain(const ordo_report *r, const ordo_path *path, const char *type)
{
    char text[REPORT_TEXT];

    if (r->operation[0] == '\0') {
        fputs("operation  none: the command needed no call of the library\n", stderr);
        return;
    }
    fprintf(stderr, "operation  %s\nbackend    %s\nalgorithm  %s\n", r->operation, r->backend,
            r->algorithm);
    if (path != NULL)
        fprintf(stderr, "path       %s: %s\n", path->name, path->when);
    fprintf(stderr, "isa        %s\n", r->isa);
    fprintf(stderr, "threads    %lu\ntype       %s\nn          %llu\nseconds    %.6f",
            (unsigned long)r->threads, type, (unsigned long long)r->n, r->seconds);
    if (r->seconds > 0 && r->n > 0)
        fprintf(stderr, "  (%.1f million a second)", (double)r->n / r->seconds / 1e6);
    fprintf(stderr, "\nscratch    %llu bytes\n", (unsigned long long)r->scratch_bytes);
    if (ordo_report_text(r, text, sizeof text) > 0)
        fprintf(stderr, "facts      %s\n", text);
    if (print_predicted(r, "predicted  ", false))
        fprintf(stderr, "; took %.3g ms\n", r->seconds * 1e3);
    pass_print(&r->facts);
}

/* An array of times; nothing if the first is 0. */
static void print_seconds(const char *name, const double *seconds, size_t count)
{
    if (!(seconds[0] > 0))
        return;
    fprintf(stderr, ", \"%s\": [", name);
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, "%s%.9f", i == 0 ? "" : ", ", seconds[i]);
    fputc(']', stderr);
}

/* The facts that apply, as the members of a JSON object. */
static void print_facts(const ordo_facts *f, const ordo_path *path)
{
#define FACT(field)                                                                                \
    {                                                                                              \
#field, (double)f->field                                                                   \
    }
    const struct {
        const char *name;
        double      value;
    } numbers[] = {FACT(radius),
                   FACT(runs),
                   FACT(displaced),
                   FACT(passes),
                   FACT(buckets),
                   FACT(record_bytes),
                   FACT(tile),
                   FACT(device_status),
                   FACT(letter_bits),
                   FACT(rounds),
                   FACT(batches),
                   FACT(segments),
                   FACT(handed_over),
                   FACT(rank_bytes),
                   FACT(surveys),
                   FACT(groups),
                   FACT(device_bytes),
                   FACT(needed_bytes),
                   FACT(cpu_share),
                   FACT(packed),
                   FACT(copy_seconds),
                   FACT(cpu_idle_seconds),
                   FACT(device_idle_seconds),
                   FACT(devices),
                   FACT(shares_unused),
                   FACT(tried_radius),
                   FACT(radius_failed)};
#undef FACT

    fprintf(stderr, "\"input\": \"%s\", \"strategy\": \"%s\"",
            ordo_input_name((ordo_input)f->input), ordo_strategy_name((ordo_strategy)f->strategy));
    if (path != NULL)
        fprintf(stderr, ", \"path\": \"%s\"", path->name);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (numbers[i].value != 0)
            fprintf(stderr, ", \"%s\": %.15g", numbers[i].name, numbers[i].value);
    print_seconds("phase_seconds", f->phase_seconds,
                  sizeof f->phase_seconds / sizeof f->phase_seconds[0]);
    print_seconds("sample_seconds", f->sample_seconds, 4);
    print_seconds("cpu_seconds", f->cpu_seconds, 4);
    print_seconds("device_seconds", f->device_seconds, 4);
    for (size_t i = 0; i < f->pass_n; i++)
        fprintf(stderr, "%s%u", i == 0 ? ", \"pass_labels\": [" : ", ", f->pass_labels[i]);
    if (f->pass_n > 0)
        fprintf(stderr, "], \"pass_cpu\": %lu", (unsigned long)f->pass_cpu);
}

static void print_json(const ordo_report *r, const ordo_path *path, const char *type)
{
    char text[REPORT_TEXT];

    if (r->operation[0] == '\0') {
        fputs("{\"operation\": \"none\"}\n", stderr);
        return;
    }
    (void)ordo_report_text(r, text, sizeof text);
    fputc('{', stderr);
    json_field(stderr, "operation", r->operation);
    json_field(stderr, "backend", r->backend);
    json_field(stderr, "algorithm", r->algorithm);
    json_field(stderr, "isa", r->isa);
    json_field(stderr, "type", type);
    json_field(stderr, "text", text);
    fprintf(stderr, "\"threads\": %lu, \"n\": %llu, \"seconds\": %.9f, \"scratch_bytes\": %llu",
            (unsigned long)r->threads, (unsigned long long)r->n, r->seconds,
            (unsigned long long)r->scratch_bytes);
    fputs(", \"facts\": {", stderr);
    print_facts(&r->facts, path);
    fputc('}', stderr);
    if (print_predicted(r, ", \"predicted\": {", true))
        fputc('}', stderr);
    fputs("}\n", stderr);
}

bool report_print(ordo_ctx *ctx, const common_options *common, const char *type_name,
                  const timing *t)
{
    ordo_report r = {.struct_size = sizeof r};

    if (common->explain || common->json) {
        ordo_info   info = {.struct_size = sizeof info};
        ordo_status status = ordo_ctx_info(ctx, &info); /* opens the GPU, for its predictions */
        if (status == ORDO_OK)
            status = ordo_last_report(ctx, &r);
        if (status != ORDO_OK) {
            cli_error("no report: %s", ordo_status_text(status));
            return false;
        }
        const char *const known = ordo_type_name((ordo_type)r.type);
        if (known != NULL)
            type_name = known;
    }
    if (common->explain)
        print_explain(&r, ordo_last_path(ctx), type_name);
    if (common->json)
        print_json(&r, ordo_last_path(ctx), type_name);
    if (profile_wanted(common) && !profile_print(ctx, common))
        return false;
    if (common->time) {
        for (size_t i = 0; i < t->n; i++)
            fprintf(stderr, "%s%s %.3f s", i > 0 ? "  " : "", t->phases[i].name,
                    t->phases[i].seconds);
        fputc('\n', stderr);
    }
    return true;
}
