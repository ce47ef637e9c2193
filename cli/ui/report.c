/* report.c - --explain, --json and --time (see report.h). */
#include "cli/ui/report.h"

enum {
    REPORT_TEXT = 1024
};

void timing_start(timing *t)
{
    t->n = 0;
    t->last = cli_now();
}

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
    fputc('"', to);
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(to, "\\%c", c);
        else if (c < 0x20)
            fprintf(to, "\\u%04x", c);
        else
            fputc(c, to);
    }
    fputc('"', to);
}

void json_field(FILE *to, const char *name, const char *value)
{
    fprintf(to, "\"%s\": ", name);
    json_string(to, value);
    fputs(", ", to);
}

/* The times predicted for backends that this machine has; none were for small calls. */
static void print_predicted(const ordo_report *r)
{
    const struct {
        const char *name;
        double      seconds;
    } sides[] = {
        {"cpu", r->predicted_cpu}, {"cuda", r->predicted_cuda}, {"hybrid", r->predicted_hybrid}};
    const char *between = "predicted  ";

    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++) {
        if (sides[i].seconds > 0) {
            fprintf(stderr, "%s%s %.3g ms", between, sides[i].name, sides[i].seconds * 1e3);
            between = ", ";
        }
    }
    if (between[0] == ',')
        fprintf(stderr, "; took %.3g ms\n", r->seconds * 1e3);
}

static void print_explain(const ordo_report *r, const char *type)
{
    fprintf(stderr, "operation  %s\n", r->operation);
    fprintf(stderr, "backend    %s\n", r->backend);
    fprintf(stderr, "algorithm  %s\n", r->algorithm);
    fprintf(stderr, "isa        %s\n", r->isa);
    fprintf(stderr, "threads    %lu\n", (unsigned long)r->threads);
    fprintf(stderr, "type       %s\n", type);
    fprintf(stderr, "n          %llu\n", (unsigned long long)r->n);
    fprintf(stderr, "seconds    %.6f", r->seconds);
    if (r->seconds > 0 && r->n > 0)
        fprintf(stderr, "  (%.1f million a second)", (double)r->n / r->seconds / 1e6);
    fprintf(stderr, "\nscratch    %llu bytes\n", (unsigned long long)r->scratch_bytes);
    char text[REPORT_TEXT];
    if (ordo_report_text(r, text, sizeof text) > 0)
        fprintf(stderr, "facts      %s\n", text);
    print_predicted(r);
}

/* The facts that apply, as the members of a JSON object. */
static void print_facts(const ordo_facts *f)
{
    const struct {
        const char *name;
        double      value;
    } numbers[] = {{"radius", (double)f->radius},
                   {"runs", (double)f->runs},
                   {"displaced", (double)f->displaced},
                   {"passes", (double)f->passes},
                   {"buckets", (double)f->buckets},
                   {"record_bytes", (double)f->record_bytes},
                   {"tile", (double)f->tile},
                   {"device_status", (double)f->device_status},
                   {"letter_bits", (double)f->letter_bits},
                   {"rounds", (double)f->rounds},
                   {"batches", (double)f->batches},
                   {"segments", (double)f->segments},
                   {"handed_over", (double)f->handed_over},
                   {"rank_bytes", (double)f->rank_bytes},
                   {"surveys", (double)f->surveys},
                   {"groups", (double)f->groups},
                   {"device_bytes", (double)f->device_bytes},
                   {"needed_bytes", (double)f->needed_bytes},
                   {"cpu_share", f->cpu_share},
                   {"packed", f->packed}};

    fprintf(stderr, "\"input\": \"%s\", \"strategy\": \"%s\"",
            ordo_input_name((ordo_input)f->input), ordo_strategy_name((ordo_strategy)f->strategy));
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (numbers[i].value != 0)
            fprintf(stderr, ", \"%s\": %.15g", numbers[i].name, numbers[i].value);
    for (size_t i = 0; i < sizeof f->phase_seconds / sizeof f->phase_seconds[0]; i++)
        if (f->phase_seconds[0] > 0)
            fprintf(stderr, "%s%.9f", i == 0 ? ", \"phase_seconds\": [" : ", ",
                    f->phase_seconds[i]);
    if (f->phase_seconds[0] > 0)
        fputc(']', stderr);
}

static void print_json(const ordo_report *r, const char *type)
{
    char text[REPORT_TEXT];
    const struct {
        const char *name, *value;
    } strings[] = {{"operation", r->operation},
                   {"backend", r->backend},
                   {"algorithm", r->algorithm},
                   {"isa", r->isa},
                   {"type", type},
                   {"text", text}};

    (void)ordo_report_text(r, text, sizeof text);
    fputc('{', stderr);
    for (size_t i = 0; i < sizeof strings / sizeof strings[0]; i++)
        json_field(stderr, strings[i].name, strings[i].value);
    fprintf(stderr, "\"threads\": %lu, \"n\": %llu, \"seconds\": %.9f, \"scratch_bytes\": %llu",
            (unsigned long)r->threads, (unsigned long long)r->n, r->seconds,
            (unsigned long long)r->scratch_bytes);
    fputs(", \"facts\": {", stderr);
    print_facts(&r->facts);
    fputc('}', stderr);
    if (r->predicted_cpu > 0) {
        fprintf(stderr, ", \"predicted\": {\"cpu\": %.9f", r->predicted_cpu);
        if (r->predicted_cuda > 0)
            fprintf(stderr, ", \"cuda\": %.9f", r->predicted_cuda);
        if (r->predicted_hybrid > 0)
            fprintf(stderr, ", \"hybrid\": %.9f", r->predicted_hybrid);
        fputc('}', stderr);
    }
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
        print_explain(&r, type_name);
    if (common->json)
        print_json(&r, type_name);
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
