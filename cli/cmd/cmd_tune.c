/* cmd_tune.c - `ordo tune`: measures this machine for the choice between CPU, GPU and both, and
 * shows or forgets what was measured. The library does the measuring and keeps the file. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */

#include "cli/cmd/command.h"
#include "ordo_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Examples:\n"
    "  ordo tune                     # measure this machine, for a few seconds\n"
    "  ordo tune --show              # what is in use, beside what is built in\n"
    "  ordo tune --forget            # back to what is built in\n"
    "  ORDO_TUNE_FILE=here.txt ordo tune --json costs.json\n"
    "  ordo sort keys.npy --explain -o sorted.npy   # what was predicted, and what it took\n"
    "\n"
    "Usage: ordo tune [options]\n"
    "Measures what sorting costs here: a key on the CPU, a byte on its way to the GPU, a call,\n"
    "the best share of the CPU in a hybrid sort. '--device auto' and '--device hybrid' choose by\n"
    "it. Run it while nothing else runs.\n"
    "\n"
    "Options:\n"
    "  --show            measure nothing, show what is in use\n"
    "  --forget          remove what was measured\n"
    "  -n N              keys of the largest array measured; default: 2^27, or less where\n"
    "                    memory is short\n"
    "  --json FILE       write every figure there, too\n"
    "  --threads N, --device D, --memory-limit S, --device-memory S   as for the other commands;\n"
    "                    --device cpu measures the CPU alone\n"
    "  -h, --help        this text\n"
    "\n"
    "The figures are kept in the file that ORDO_TUNE_FILE names (empty: nowhere), else in one for\n"
    "this machine in $XDG_CACHE_HOME/ordo or ~/.cache/ordo.\n";

static void print_table(ordo_ctx *ctx)
{
    ordo_cost cost = {.struct_size = sizeof cost};

    printf("%-13s %10s %10s  %-5s %s\n", "cost", "here", "built in", "unit", "of");
    for (size_t i = 0; ordo_calibration_cost(ctx, i, &cost) == ORDO_OK; i++) {
        char here[32] = "-";
        if (cost.measured != 0)
            snprintf(here, sizeof here, "%.0f", cost.value);
        printf("%-13s %10s %10.0f  %-5s %s\n", cost.name, here, cost.standard, cost.unit,
               cost.meaning);
    }
}

static void print_json(FILE *to, ordo_ctx *ctx, const ordo_info *info)
{
    ordo_cost cost = {.struct_size = sizeof cost};

    fputc('{', to);
    json_field(to, "version", ordo_version());
    json_field(to, "file", info->calibration);
    json_field(to, "note", info->calibration_note);
    fprintf(to, "\"threads\": %u, \"costs\": [", info->threads);
    for (size_t i = 0; ordo_calibration_cost(ctx, i, &cost) == ORDO_OK; i++) {
        fprintf(to, "%s\n  {", i > 0 ? "," : "");
        json_field(to, "name", cost.name);
        fprintf(to, "\"value\": %.0f, \"standard\": %.0f, \"measured\": %s, ", cost.value,
                cost.standard, cost.measured != 0 ? "true" : "false");
        json_field(to, "unit", cost.unit);
        fputs("\"meaning\": ", to);
        json_string(to, cost.meaning);
        fputc('}', to);
    }
    fputs("]}\n", to);
}

static bool save_json(const char *path, ordo_ctx *ctx, const ordo_info *info)
{
    char       *text = NULL;
    size_t      size = 0;
    output      out;
    FILE *const memory = open_memstream(&text, &size);

    if (memory == NULL)
        return cli_fail("tune: not enough memory for the figures");
    print_json(memory, ctx, info);
    const bool whole = fclose(memory) == 0;
    const bool saved = whole && output_open(&out, path, FORMAT_TEXT) &&
                       output_bytes(&out, text, size) && output_commit(&out);
    if (whole)
        output_abandon(&out);
    free(text);
    return saved;
}

static bool measured(ordo_ctx *ctx)
{
    ordo_cost cost = {.struct_size = sizeof cost};
    for (size_t i = 0; ordo_calibration_cost(ctx, i, &cost) == ORDO_OK; i++)
        if (cost.measured != 0)
            return true;
    return false;
}

/* Where the figures are, or why they are not in use; whether that is as it was asked for. */
static bool print_place(ordo_ctx *ctx, const ordo_info *info, bool show)
{
    const bool noted = info->calibration_note[0] != '\0';

    if (info->calibration[0] == '\0') {
        printf("kept nowhere%s%s\n", noted ? ": " : "", info->calibration_note);
        return true;
    }
    if (show && !noted && !measured(ctx)) {
        printf("not measured; 'ordo tune' would write %s\n", info->calibration);
        return true;
    }
    if (!noted) {
        printf("%s %s\n", show ? "from" : "written to", info->calibration);
        return true;
    }
    cli_error("tune: %s%s: %s", info->calibration, show ? " is not used" : "",
              info->calibration_note);
    return show;
}

static bool measure_or_show(ordo_ctx *ctx, const options *o)
{
    ordo_info info = {.struct_size = sizeof info};

    if (!o->show) {
        const uint64_t most = o->n != OPTION_UNSET ? o->n : 0;
        call_begin("measuring");
        if (!call_end(ordo_calibrate(ctx, &ORDO_OPTS(ordo_calibrate_opts, .most = most))))
            return false;
    }
    if (ordo_ctx_info(ctx, &info) != ORDO_OK)
        return cli_fail("tune: nothing is known about this machine");
    print_table(ctx);
    if (info.cuda[0] != '\0')
        printf("no GPU: %s\n", info.cuda);
    const bool placed = print_place(ctx, &info, o->show);
    return (o->json_file == NULL || save_json(o->json_file, ctx, &info)) && placed;
}

static const option_spec specs[] = {TEXT("json", 0, json_file), /* before --json of the others */
                                    FLAG("show", show),
                                    FLAG("forget", forget),
                                    COUNT("n", 'n', n, 1 << 12, SIZE_MAX / 8),
                                    COMMON_OPTIONS,
                                    OPTION_END};

static const char *wrong(execution *e)
{
    return e->o.show && e->o.forget                ? "--show and --forget contradict each other"
           : e->o.forget && e->o.json_file != NULL ? "--forget writes nothing: it cannot be used "
                                                     "with --json"
                                                   : NULL;
}

static bool work(execution *e)
{
    if (!e->o.forget)
        return measure_or_show(e->ctx, &e->o);
    return ordo_calibration_remove(e->ctx) == ORDO_OK ||
           cli_fail("tune: %s", ordo_last_error(e->ctx));
}

const command command_tune = {"tune", help, specs, 0, 0, wrong, work};
