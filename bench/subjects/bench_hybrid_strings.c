/* bench_hybrid_strings.c - the section `strings` of `ordo bench hybrid`: protein records and random
 * strings of up to 500 characters in host memory, two bytes for each of the keys asked for, put in
 * order by the CPU alone and with a GPU's help (the strings of the hybrid comparison sort paper).
 *
 * argsort finds the order, sort also writes the strings down in it. Speed-ups are over the CPU
 * alone; without a GPU only its rows are left. Below each question the report of the last call. */
#include "bench/subjects/bench_order.h"
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct side {
    const char *name;
    ordo_where  where;
    ordo_ctx   *ctx; /* made by the first call */
} side;

typedef struct strings_args {
    side        *by;
    ordo_strings strings;
    size_t       n;
    bool         whole; /* the strings, not only their order */
    char        *out;
    uint64_t    *out_offsets;
    unsigned     threads;
} strings_args;

static ordo_status call_side(ordo_ctx *ctx, const void *what)
{
    const strings_args *const a = what;
    (void)ctx;
    if (a->by->ctx == NULL &&
        ordo_ctx_create(&a->by->ctx, &ORDO_OPTS(ordo_ctx_opts, .where = a->by->where,
                                                .threads = a->threads)) != ORDO_OK) {
        bench_because(ordo_last_error(NULL));
        return ORDO_E_UNSUPPORTED;
    }
    const ordo_status status =
        a->whole ? ordo_sort_strings(a->by->ctx, &a->strings, a->n, a->out, a->out_offsets, NULL)
                 : ordo_argsort_strings(a->by->ctx, &a->strings, a->n, ORDO_U32, a->out, NULL);
    if (status != ORDO_OK)
        bench_because(ordo_last_error(a->by->ctx));
    return status;
}

static bool measure(bench *b, side sides[2], const strings_args *given, const char *dist)
{
    const size_t   bytes = (size_t)given->strings.offsets[given->n];
    bench_question question =
        bench_ask(given->whole ? "sort_strings" : "argsort_strings", 0, given->n);
    strings_args args[2];

    question.dist = dist;
    question.answer = given->out;
    question.answer_bytes = given->whole ? bytes : given->n * sizeof(uint32_t);
    question.bytes = bytes + question.answer_bytes;
    snprintf(question.label, sizeof question.label, "%s, %s", dist,
             given->whole ? "sort" : "argsort");
    for (int i = 0; i < 2; i++) {
        args[i] = *given;
        args[i].by = &sides[i];
        if (!bench_add(b, sides[i].name, b->set.threads, i == 0 ? BENCH_BASE : BENCH_CONTENDER,
                       call_side, &args[i]))
            return false;
    }
    if (!bench_measure(b, &question))
        return false;
    ordo_report report = {.struct_size = sizeof report};
    char        text[1024];
    if (sides[1].ctx != NULL && ordo_last_report(sides[1].ctx, &report) == ORDO_OK &&
        ordo_report_text(&report, text, sizeof text) > 0)
        printf("  %s\n\n", text);
    return true;
}

static bool make(bench *b, ordo_dist dist, strings_args *args, uint64_t *offsets)
{
    const ordo_gen_opts opts = ORDO_OPTS(ordo_gen_opts, .seed = b->set.seed);
    ordo_ctx *const     ctx = bench_context(b, b->set.threads);

    if (ctx == NULL)
        return false;
    if (ordo_gen_strings(ctx, dist, args->n, offsets, b->src, b->src_bytes, &opts) != ORDO_OK) {
        cli_error("bench: cannot generate %zu strings: %s", args->n, ordo_last_error(ctx));
        return false;
    }
    args->strings = ORDO_OPTS(ordo_strings, .bytes = b->src, .offsets = offsets);
    return true;
}

bool bench_hybrid_strings(bench *b)
{
    static const struct {
        const char *name;
        ordo_dist   dist;
        size_t      share; /* keys for a string: half its bytes and a little more */
    } texts[] = {{"fasta", ORDO_DIST_FASTA, 36}, {"strings", ORDO_DIST_STRINGS, 127}};
    side            sides[2] = {{"cpu", ORDO_CPU, NULL}, {"cuda", ORDO_CUDA, NULL}};
    const size_t    most = b->set.n / texts[0].share + 1;
    uint64_t *const offsets = cli_alloc(most + 1, sizeof *offsets, "the strings");
    uint64_t *const sorted = cli_alloc(most + 1, sizeof *sorted, "the strings");
    bool            ok = offsets != NULL && sorted != NULL;

    bench_heading(b, "Strings in host memory; speed-up over the CPU alone", 0, "strings", 17);
    for (size_t i = 0; i < 2 && ok; i++) {
        strings_args args = {.n = b->set.n / texts[i].share,
                             .out = b->dst,
                             .out_offsets = sorted,
                             .threads = b->set.threads};
        ok = make(b, texts[i].dist, &args, offsets);
        for (int whole = 0; whole < 2 && ok; whole++) {
            args.whole = whole != 0;
            ok = measure(b, sides, &args, texts[i].name);
        }
    }
    for (int i = 0; i < 2; i++)
        ordo_ctx_free(sides[i].ctx);
    free(offsets);
    free(sorted);
    return ok;
}
