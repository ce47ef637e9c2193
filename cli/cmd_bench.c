/* cmd_bench.c - `ordo bench`: options, the run over the sections, the results.
 *
 * The sections themselves are in bench_rank.c and bench_scan.c. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "bench_core.h"
#include "bench_machine.h"
#include "options.h"
#include "output.h"
#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Examples:\n"
    "  ordo bench rank --quick                       a first impression, in seconds\n"
    "  ordo bench rank --json rank.json              the full run, kept for bench/plot.py\n"
    "  ordo bench scan --only bits,partition --threads 4\n"
    "\n"
    "Usage: ordo bench rank|scan [OPTION]...\n"
    "Times ordo beside the plain loop and the copy of as many bytes, in one run: every round\n"
    "times each contender once, in turn. All answers are compared before the first round.\n"
    "\n"
    "  time/copy   median time over that of the copy with as many threads; 1 is the limit of "
    "memory\n"
    "  speed-up    median time of the plain sequential loop over this one\n"
    "\n"
    "Options:\n"
    "  -n N             keys (default 128e6; 4e6 with --quick); takes 1e6, 128M, 2^28\n"
    "  --repeat R       rounds (default 7; 3 with --quick)\n"
    "  --quick          few keys and few rounds\n"
    "  --threads N      what \"all threads\" means (default: every CPU this process may use)\n"
    "  --only SECTIONS  of rank: p, threads, n, ties, types, small;\n"
    "                   of scan: ops, bits, partition, sorted, threads, small; comma-separated\n"
    "  --seed S         of the generated keys (default 1)\n"
    "  --json FILE      write every figure there, too\n"
    "  --help           this text\n";

static const bench_section *sections_of(const char *subject)
{
    if (strcmp(subject, "rank") == 0)
        return bench_rank_sections;
    return strcmp(subject, "scan") == 0 ? bench_scan_sections : NULL;
}

/* Every name in the list must be a section: a misspelt one would silently measure nothing. */
static bool check_only(const bench_settings *set, const bench_section *sections)
{
    for (const char *at = set->only; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        const int length = (int)strcspn(at, ",");
        bool      known = false;
        char      all[128] = "";
        for (const bench_section *s = sections; s->name != NULL; s++) {
            known = known || (strlen(s->name) == (size_t)length &&
                              strncmp(s->name, at, (size_t)length) == 0);
            const size_t used = strlen(all);
            snprintf(all + used, sizeof all - used, "%s%s", used > 0 ? ", " : "", s->name);
        }
        if (!known) {
            char quoted[80];
            cli_error("bench: --only: '%s' is not a section of %s; they are: %s",
                      cli_printable(at, (size_t)length, quoted, sizeof quoted), set->subject, all);
            return false;
        }
    }
    return true;
}

static bool run_sections(bench *b, const bench_section *sections)
{
    for (const bench_section *s = sections; s->name != NULL; s++) {
        if (!bench_selected(b->set.only, s->name))
            continue;
        b->section = s->name;
        b->unit = 1e-3;
        b->batch_seconds = 0;
        if (!s->run(b))
            return false;
    }
    return true;
}

static bool save_results(const bench *b, const bench_machine *machine, output *out)
{
    char       *text = NULL;
    size_t      length = 0;
    FILE *const memory = open_memstream(&text, &length);
    bool        ok = memory != NULL && bench_write_json(b, machine, memory);

    ok = memory != NULL && fclose(memory) == 0 && ok;
    if (!ok)
        cli_error("bench: not enough memory for the results of %zu rows", b->row_count);
    ok = ok && output_bytes(out, text, length) && output_commit(out);
    free(text);
    return ok;
}

static bool measure(const bench_settings *set, output *json)
{
    const bench_section *const sections = sections_of(set->subject);
    bench                      b;
    bench_machine              machine;
    bool ok = bench_open(&b, set, sections) && bench_machine_read(&b, &machine);

    if (ok) {
        bench_machine_print(&b, &machine);
        ok = run_sections(&b, sections) && (json == NULL || save_results(&b, &machine, json));
    }
    bench_close(&b);
    return ok;
}

/* The session is there for its signals, and to say what "all threads" means. The file of results
 * is opened first, so that a long run cannot end in a path that was never writable. */
static int run(bench_settings *set, const char *json_path)
{
    const common_options common = {.threads = set->threads, .device = ORDO_CPU};
    ordo_ctx *const      ctx = session_open("bench", &common);
    ordo_info            info = {.struct_size = sizeof info};
    output               json;

    if (ctx == NULL || ordo_ctx_info(ctx, &info) != ORDO_OK)
        return CLI_TROUBLE;
    set->threads = info.threads;
    bool ok = json_path == NULL || output_open(&json, json_path, FORMAT_TEXT);
    ok = ok && measure(set, json_path != NULL ? &json : NULL);
    if (json_path != NULL)
        output_abandon(&json);
    session_close();
    return ok ? CLI_OK : CLI_TROUBLE;
}

int cmd_bench(int argc, char **argv)
{
    uint64_t          n = OPTION_UNSET, repeat = OPTION_UNSET, threads = 0, seed = 1;
    bool              quick = false;
    const char       *only = NULL, *json = NULL, *subject = NULL;
    size_t            operands = 0;
    const option_spec specs[] = {
        OPTION_COUNT_AT("n", 'n', &n, 1000, UINT32_MAX),
        OPTION_COUNT_AT("repeat", 0, &repeat, 1, BENCH_MOST_ROUNDS),
        OPTION_FLAG_AT("quick", 0, &quick),
        OPTION_COUNT_AT("threads", 0, &threads, 1, 4096),
        OPTION_TEXT_AT("only", 0, &only),
        OPTION_COUNT_AT("seed", 0, &seed, 0, UINT64_MAX),
        OPTION_TEXT_AT("json", 0, &json),
        OPTION_END,
    };
    switch (options_parse(argc, argv, specs, help, &subject, 1, &operands)) {
    case OPTIONS_OK:
        break;
    case OPTIONS_HELP:
        return CLI_OK;
    case OPTIONS_BAD:
        return CLI_TROUBLE;
    }
    if (operands == 0)
        return cli_error("bench: say what to measure: rank or scan; see 'ordo bench --help'");
    if (sections_of(subject) == NULL) {
        char quoted[80];
        return cli_error("bench: '%s' is not one of: rank, scan",
                         cli_printable(subject, strlen(subject), quoted, sizeof quoted));
    }
    bench_settings set = {
        .subject = subject,
        .n = n != OPTION_UNSET ? (size_t)n
             : quick           ? 4000000
                               : 128000000,
        .repeat = repeat != OPTION_UNSET ? (unsigned)repeat
                  : quick                ? 3
                                         : 7,
        .threads = (unsigned)threads,
        .seed = seed,
        .only = only,
    };
    return check_only(&set, sections_of(subject)) ? run(&set, json) : CLI_TROUBLE;
}
