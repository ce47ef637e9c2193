/* external_report.c - --explain, --json and the progress of work on data larger than memory. */
#include "cli/cmd/external/external.h"

#include <stdio.h>

static double rate(uint64_t bytes, double seconds)
{
    return seconds > 0 ? (double)bytes / seconds * 1e-9 : 0;
}

/* The thread of a phase that waited least. */
static const char *bound_of(const ordo_external_step *s)
{
    if (s->work_busy >= s->read_busy && s->work_busy >= s->write_busy)
        return "computing";
    return s->read_busy >= s->write_busy ? "reading" : "writing";
}

static size_t steps_of(const ordo_external_report *r)
{
    return r->steps < ORDO_EXTERNAL_STEPS ? (size_t)r->steps : ORDO_EXTERNAL_STEPS;
}

static double packed_ratio(const ordo_external_report *r)
{
    return r->unpacked > 0 ? (double)r->packed / (double)r->unpacked : 0;
}

static void print_text(const char *verb, const ordo_external_report *r)
{
    fprintf(stderr, "operation  external %s\nmemory     %llu bytes\nn          %llu\n", verb,
            (unsigned long long)r->memory, (unsigned long long)r->n);
    fprintf(stderr, "runs       %llu%s\n", (unsigned long long)r->runs,
            r->spilled == 0 && r->runs == 0 ? " (no temporary files)" : "");
    if (r->spilled > 0 || r->runs > 0)
        fprintf(stderr, "temporary  %llu bytes, levels %llu, ranges %llu\n",
                (unsigned long long)r->spilled, (unsigned long long)r->levels,
                (unsigned long long)r->ranges);
    if (packed_ratio(r) > 0)
        fprintf(stderr, "packed     %.3f of the size of the elements\n", packed_ratio(r));
    if (r->passes > 0)
        fprintf(stderr, "passes     %llu\n", (unsigned long long)r->passes);
    fprintf(stderr, "read       %llu bytes\nwritten    %llu bytes\n", (unsigned long long)r->read,
            (unsigned long long)r->written);
    for (size_t i = 0; i < steps_of(r); i++) {
        const ordo_external_step *const s = &r->step[i];
        fprintf(stderr, "phase      %s: %.3f s, read %.2f GB/s, written %.2f GB/s, bound by %s\n",
                s->name, s->seconds, rate(s->read, s->seconds), rate(s->written, s->seconds),
                bound_of(s));
    }
}

static void print_json(const char *verb, const ordo_external_report *r)
{
    fputc('{', stderr);
    json_field(stderr, "operation", "external");
    json_field(stderr, "verb", verb);
    fprintf(stderr,
            "\"memory\": %llu, \"n\": %llu, \"runs\": %llu, \"levels\": %llu, \"ranges\": %llu, "
            "\"passes\": %llu, \"spilled\": %llu, \"packed\": %.6f, \"read\": %llu, \"written\": "
            "%llu, \"phases\": [",
            (unsigned long long)r->memory, (unsigned long long)r->n, (unsigned long long)r->runs,
            (unsigned long long)r->levels, (unsigned long long)r->ranges,
            (unsigned long long)r->passes, (unsigned long long)r->spilled, packed_ratio(r),
            (unsigned long long)r->read, (unsigned long long)r->written);
    for (size_t i = 0; i < steps_of(r); i++) {
        const ordo_external_step *const s = &r->step[i];
        fprintf(stderr, "%s{", i > 0 ? ", " : "");
        json_field(stderr, "name", s->name);
        json_field(stderr, "bound", bound_of(s));
        fprintf(stderr,
                "\"seconds\": %.6f, \"read_busy\": %.6f, \"work_busy\": %.6f, \"write_busy\": "
                "%.6f, \"read\": %llu, \"written\": %llu}",
                s->seconds, s->read_busy, s->work_busy, s->write_busy, (unsigned long long)s->read,
                (unsigned long long)s->written);
    }
    fputs("]}\n", stderr);
}

void external_explain(const execution *e, const ordo_external_report *r)
{
    if (e->o.common.explain)
        print_text(e->command->name, r);
    if (e->o.common.json)
        print_json(e->command->name, r);
}

void external_watch(void *user, const ordo_external_phase *phase)
{
    external_input *const in = user;
    const uint64_t        read = in != NULL ? atomic_load(&in->text_read) : 0;

    if (in != NULL && phase->all == 0 && read < in->text_bytes)
        progress_bytes(phase->name, read, in->text_bytes, phase->seconds);
    else
        progress_bytes(phase->name, phase->done, phase->all, phase->seconds);
}
