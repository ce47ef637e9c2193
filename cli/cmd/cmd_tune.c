/* cmd_tune.c - `ordo tune`: measures this machine for the choice between CPU, GPU and both, and
 * shows or removes the measured costs. The library measures and writes the file. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */

#include "cli/cmd/command.h"
#include "ordo_machine.h"

#include <stdio.h>
#include <stdlib.h>

static const char help[] =
    "Examples:\n"
    "  ordo tune                     # measure this machine; takes a few seconds\n"
    "  ordo tune --show              # print the costs in use and the built-in costs\n"
    "  ordo tune --forget            # use the built-in costs again\n"
    "  ORDO_TUNE_FILE=here.txt ordo tune --json costs.json\n"
    "  ordo sort keys.npy --explain -o sorted.npy   # predicted and actual times\n\n"
    "Usage: ordo tune [options]\n"
    "Measures what sorting costs on this machine: per key on the CPU, per byte to the GPU and\n"
    "back, per call; and the best share of the CPU in a hybrid sort. '--device auto' and\n"
    "'--device hybrid' predict times from these costs and choose the lowest. Nothing else\n"
    "should use the machine meanwhile.\n\n"
    "Options:\n"
    "* --show            do not measure; print the costs in use\n"
    "* --forget          remove the measured costs\n"
    "* -n N              number of keys of the largest measured array; default: 2^27, or less if\n"
    "                    memory is short\n"
    "* --json FILE       also write the costs to FILE as JSON\n"
    "  --threads N, --device D, --memory-limit S, --device-memory S   as for the other commands;\n"
    "                    --device cpu measures only the CPU\n"
    "  -h, --help[=all]  print the most used options; all: this text\n\n"
    "The costs are stored in the file that ORDO_TUNE_FILE names. If ORDO_TUNE_FILE is empty, they\n"
    "are not stored. If it is not set, they are stored in a file named after this machine in\n"
    "$XDG_CACHE_HOME/ordo or ~/.cache/ordo.\n\n"
    "Exit status: 0 success, 2 error.\n";

/* Returns whether any cost was measured. */
static bool print_table(ordo_ctx *ctx)
{
    ordo_cost cost = {.struct_size = sizeof cost};
    bool      any = false;

    printf("%-13s %10s %10s  %-5s %s\n", "cost", "here", "built in", "unit", "of");
    for (size_t i = 0; ordo_calibration_cost(ctx, i, &cost) == ORDO_OK; i++) {
        char here[32] = "-";
        if (cost.measured != 0)
            snprintf(here, sizeof here, "%.0f", cost.value);
        any |= cost.measured != 0;
        printf("%-13s %10s %10.0f  %-5s %s\n", cost.name, here, cost.standard, cost.unit,
               cost.meaning);
    }
    return any;
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

static bool save_json(execution *e, const ordo_info *info)
{
    char       *text = NULL;
    size_t      size = 0;
    FILE *const memory = open_memstream(&text, &size);

    if (memory == NULL)
        return cli_fail("tune: not enough memory for the costs");
    print_json(memory, e->ctx, info);
    const bool saved = fclose(memory) == 0 && output_open(&e->out, e->o.json_file, FORMAT_TEXT) &&
                       output_bytes(&e->out, text, size) && output_commit(&e->out);
    free(text);
    return saved;
}

/* Prints where the costs are stored, or why they are not in use. False if that is an error. */
static bool print_place(const ordo_info *info, bool show, bool measured)
{
    const char *const file = info->calibration, *const note = info->calibration_note;

    if (file[0] == '\0')
        cli_line(stdout, "not stored%s%s", note[0] != '\0' ? ": " : "", note);
    else if (note[0] != '\0')
        return cli_fail("tune: %s%s: %s", file, show ? " is not used" : "", note) || show;
    else if (show && !measured)
        cli_line(stdout, "not measured; 'ordo tune' would write %s", file);
    else
        cli_line(stdout, "%s %s", show ? "from" : "written to", file);
    return true;
}

static bool measure_or_show(execution *e)
{
    const options *const o = &e->o;
    ordo_info            info = {.struct_size = sizeof info};

    if (!o->show) {
        const uint64_t most = o->n != OPTION_UNSET ? o->n : 0;
        call_begin("measuring");
        if (!call_end(ordo_calibrate(e->ctx, &ORDO_OPTS(ordo_calibrate_opts, .most = most))))
            return false;
    }
    if (ordo_ctx_info(e->ctx, &info) != ORDO_OK)
        return cli_fail("tune: cannot read the properties of this machine: %s",
                        ordo_last_error(e->ctx));
    const bool measured = print_table(e->ctx);
    if (info.cuda[0] != '\0')
        cli_line(stdout, "no GPU: %s", info.cuda);
    const bool placed = print_place(&info, o->show, measured);
    return (o->json_file == NULL || save_json(e, &info)) && placed;
}

static const option_spec specs[] = {TEXT("json", 0, json_file), /* before --json of the others */
                                    FLAG("show", show), FLAG("forget", forget),
                                    COUNT("n", 'n', n, 1 << 12, SIZE_MAX / 8), COMMON_OPTIONS};

static const char *wrong(execution *e)
{
    return e->o.show && e->o.forget                ? "--show and --forget cannot be used together"
           : e->o.forget && e->o.json_file != NULL ? "--forget has no costs to write: it cannot be "
                                                     "used with --json"
                                                   : NULL;
}

static bool work(execution *e)
{
    if (!e->o.forget)
        return measure_or_show(e);
    return ordo_calibration_remove(e->ctx) == ORDO_OK ||
           cli_fail("tune: %s", ordo_last_error(e->ctx));
}

const command command_tune = {"tune", help, specs, 0, 0, wrong, work};
