/* bench_json.c - writes all rows of `ordo bench` as one JSON document.
 *
 * Times are seconds of one call. A value that does not exist (the speed-up of a copy) is null. */
#include "bench/harness/bench_measure.h"

#include <math.h>

static void put_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(file, "\\%c", *c);
        else if (*c < 0x20)
            fprintf(file, "\\u%04x", *c);
        else
            fputc(*c, file);
    }
    fputc('"', file);
}

static void put_text(FILE *file, const char *name, const char *text)
{
    fprintf(file, "\"%s\": ", name);
    if (text != NULL)
        put_string(file, text);
    else
        fprintf(file, "null");
    fprintf(file, ", ");
}

static void put_number(FILE *file, const char *name, double value)
{
    if (isfinite(value))
        fprintf(file, "\"%s\": %.9g, ", name, value);
    else
        fprintf(file, "\"%s\": null, ", name);
}

static void put_machine(FILE *file, const bench_machine *machine)
{
    fprintf(file, "  \"machine\": {");
    put_text(file, "cpu", machine->cpu);
    put_text(file, "caches", machine->caches);
    put_text(file, "isa", machine->isa);
    put_text(file, "kernel", machine->kernel);
    put_text(file, "compiler", machine->compiler);
    put_text(file, "gpus", machine->gpus[0] != '\0' ? machine->gpus : NULL);
    put_text(file, "driver", machine->driver[0] != '\0' ? machine->driver : NULL);
    fprintf(file, "\"cpus\": %u, \"affinity\": %u, \"cgroup\": %u, \"memory_bytes\": %llu},\n",
            machine->cpus, machine->affinity, machine->cgroup, (unsigned long long)machine->memory);
}

static void put_count(FILE *file, const char *name, size_t value)
{
    if (value != 0)
        fprintf(file, "\"%s\": %zu, ", name, value);
    else
        fprintf(file, "\"%s\": null, ", name);
}

/* The device of the row, its threads and what else the contender was told. */
static void put_parameters(FILE *file, const bench *b, const bench_row *row)
{
    static const char *const names[] = {
        [ORDO_CPU] = "cpu", [ORDO_CUDA] = "cuda", [ORDO_HYBRID] = "hybrid"};
    const bench_parameters *const p = &row->parameters;
    const ordo_where              place = b->place != NULL ? ORDO_CUDA : ORDO_CPU;
    const bool                    shared = p->where == ORDO_HYBRID || p->share > 0;

    put_text(file, "device", names[p->where != ORDO_AUTO ? p->where : place]);
    put_number(file, "share", shared ? p->share : NAN);
    put_count(file, "sub_array", p->sub_array);
    put_count(file, "splitters", p->splitters);
    put_count(file, "multiprocessors", p->sms);
    fprintf(file, "\"pinned\": %s, \"seed\": %llu, \"rounds\": %u, \"arrays\": %u, ",
            p->pinned ? "true" : "false", (unsigned long long)b->set.seed, b->set.repeat,
            row->arrays);
}

static void put_row(FILE *file, const bench *b, const bench_row *row)
{
    const bench_question *const q = &row->question;

    fprintf(file, "    {");
    put_text(file, "section", row->section);
    put_text(file, "label", q->label);
    put_text(file, "op", q->op);
    put_text(file, "variant", q->variant);
    put_text(file, "type", q->type != 0 ? ordo_type_name(q->type) : NULL);
    put_text(file, "out_type", q->out_type != 0 ? ordo_type_name(q->out_type) : NULL);
    put_text(file, "dist", q->dist);
    put_text(file, "figures", q->figures);
    put_number(file, "p", q->p);
    put_number(file, "k", q->k);
    fprintf(file, "\"n\": %zu, \"bytes\": %zu, ", q->n, q->bytes);
    put_text(file, "algorithm", row->name);
    fprintf(file, "\"peer\": %s, \"threads\": %u, \"calls_per_round\": %zu, ",
            row->peer ? "true" : "false", row->threads,
            (q->singles > 0 ? q->singles : row->calls) * (q->batch != 0 ? q->batch : 1));
    put_parameters(file, b, row);
    put_number(file, "time_over_copy", row->over_copy);
    put_number(file, "speedup", row->speedup);
    put_number(file, "median_s", row->median);
    put_number(file, "q1_s", row->quartiles[0]);
    put_number(file, "q3_s", row->quartiles[1]);
    put_number(file, "min_s", row->least);
    put_number(file, "mkeys_per_s", (double)q->n / row->median * 1e-6);
    put_number(file, "gb_per_s", (double)q->bytes / row->median * 1e-9);
    fprintf(file, "\"seconds\": [");
    for (unsigned i = 0; i < b->set.repeat; i++)
        fprintf(file, "%s%.9g", i > 0 ? ", " : "", row->seconds[i]);
    fprintf(file, "]}");
}

/* One line for each section with points. */
static void put_scores(FILE *file, const bench *b)
{
    bench_score score;
    bool        any = false;

    fprintf(file, "  \"scores\": [");
    for (size_t at = 0; bench_next_score(b, &at, &score); any = true) {
        fprintf(file, "%s\n    {", any ? "," : "");
        put_text(file, "score", score.row->section);
        fprintf(file, "\"points\": %zu, \"ahead\": %zu, \"behind\": %zu, ", score.points,
                score.ahead, score.behind);
        put_number(file, "worst_ratio", score.worst);
        put_text(file, "worst_label", score.row->question.label);
        put_text(file, "worst_peer", score.peer->name);
        fprintf(file, "\"worst_n\": %zu, \"worst_threads\": %u}", score.row->question.n,
                score.row->threads);
    }
    fprintf(file, "\n  ],\n");
}

bool bench_write_json(const bench *b, const bench_machine *machine, FILE *file)
{
    fprintf(file, "{\n  ");
    put_text(file, "benchmark", b->set.subject);
    put_text(file, "version", ordo_version());
    put_text(file, "revision", b->set.revision);
    put_text(file, "date", machine->date);
    put_text(file, "command", b->set.command);
    fprintf(file, "\n");
    put_machine(file, machine);
    fprintf(file, "  ");
    put_text(file, "device", b->place != NULL ? b->place->device : NULL);
    put_text(file, "peers", b->peers != NULL ? b->peers->libraries : NULL);
    put_text(file, "sections", b->set.only);
    fprintf(file, "\n");
    fprintf(file, "  \"n\": %zu, \"repeat\": %u, \"threads\": %u, \"seed\": %llu,\n", b->set.n,
            b->set.repeat, b->set.threads, (unsigned long long)b->set.seed);
    fprintf(file, "  \"summary\": [\n");
    for (size_t i = 0; i < b->fact_count; i++) {
        fprintf(file, "    {\"name\": ");
        put_string(file, b->facts[i].name);
        fprintf(file, ", \"value\": %.9g}%s\n", b->facts[i].value,
                i + 1 < b->fact_count ? "," : "");
    }
    fprintf(file, "  ],\n");
    put_scores(file, b);
    fprintf(file, "  \"rows\": [\n");
    for (size_t i = 0; i < b->row_count; i++) {
        put_row(file, b, &b->rows[i]);
        fprintf(file, "%s\n", i + 1 < b->row_count ? "," : "");
    }
    fprintf(file, "  ]\n}\n");
    return ferror(file) == 0;
}
