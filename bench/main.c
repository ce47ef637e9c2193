/* main.c - the program ordo-bench, which `ordo bench` runs: reads the options, runs the sections of
 * bench/subjects and writes the results. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "bench/harness/bench_cuda.h"
#include "bench/harness/bench_measure.h"
#include "bench/harness/bench_peers.h"
#include "bench/subjects/bench_subjects.h"
#include "cli/ui/options.h"
#include "cli/io/output.h"
#include "cli/ui/context.h"
#include "cli/ui/help_short.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help_start[] =
    "Examples:\n"
    "  ordo bench sort --quick                       # a short run, in seconds\n"
    "  ordo bench rank --json rank.json              # the full run, with JSON\n"
    "  ordo bench scan --only bits,partition --threads 4\n"
    "  ordo bench sort --only n,threads -n 1e8\n"
    "  ordo bench sort --device cuda                 # on the GPU, with CUB\n"
    "  ordo bench --list                             # all subjects, devices and sections\n"
    "\n"
    "Usage: ordo bench SUBJECT [OPTION]...\n"
    "Measures ordo, other libraries (peers) and a copy of the same number of bytes in one run.\n"
    "Every round times each of them once. Before the first round all results are compared. The\n"
    "peers (std::sort, a plain radix sort, TBB, Boost, Highway, ...) come from libordo_peers.so\n"
    "in the folder of the command, or from the file that ORDO_PEERS names; 'make bench' builds\n"
    "libordo_peers.so. SUBJECT is one of:\n";

static const char help_options[] =
    "\n"
    "Options:\n"
    "* -n N             number of keys: 1e6, 128M, 2^28. Default: rank and scan 128e6, select,\n"
    "                   radius and text 1e8, hybrid 2^28, others 1e7; fewer with --quick\n"
    "* --repeat R       number of rounds (default 7; 3 with --quick)\n"
    "* --quick          few keys and few rounds\n"
    "* --threads N      the largest number of threads (default: every CPU this process may use)\n"
    "  --device D       cpu (default), or cuda: arrays on the GPU, timed by CUDA events, with\n"
    "                   CUB, Thrust and a GPU copy. Needs libordo_cuda_peers.so in the folder of\n"
    "                   the command; 'make gpu-check' builds it\n"
    "  --cpu-time       times are CPU seconds of all threads: for a machine that other processes\n"
    "                   use. Not with --device cuda and --json\n"
    "* --only SECTIONS  only these sections, separated by commas; see below\n"
    "* --list           print every section as \"subject device section\" and measure nothing\n"
    "  --seed S         seed of the generated keys (default 1)\n"
    "* --json FILE      also write all rows to FILE\n"
    "  --revision R     the revision of the source, for the JSON file\n"
    "  --help[=all]     print the most used options; all: this text\n"
    "\n"
    "Results:\n"
    "  time/copy   median time divided by that of a copy with the same number of threads; 1 is\n"
    "              the limit of the memory\n"
    "  speed-up    median time of the base (a plain loop, std::sort) divided by that of the row\n"
    "  points      at the end: on how many inputs auto is ahead of the best peer (faster), level\n"
    "              or behind, and the worst ratio; then the same against each peer\n"
    "\n"
    "Subjects and sections:\n";

typedef struct bench_subject {
    const char          *name;
    const bench_section *sections;
    size_t               keys, quick_keys; /* defaults of -n */
    const bench_section *cuda;             /* on the GPU; NULL: none */
    size_t               cuda_keys, cuda_quick_keys;
} bench_subject;

static const bench_subject subjects[] = {
    {"sort", bench_sort_sections, 10000000, 100000, bench_cuda_sort_sections, 1 << 28, 1 << 22},
    {"argsort", bench_argsort_sections, 10000000, 200000, bench_cuda_argsort_sections, 1 << 28,
     1 << 22},
    {"rank", bench_rank_sections, 128000000, 4000000, bench_cuda_rank_sections, 128000000, 4000000},
    {"select", bench_select_sections, 100000000, 1000000, bench_cuda_select_sections, 1 << 28,
     1 << 22},
    {"radius", bench_radius_sections, 100000000, 4000000, bench_cuda_radius_sections, 1 << 28,
     1 << 22},
    {"strings", bench_strings_sections, 10000000, 100000, NULL, 0, 0},
    {"scan", bench_scan_sections, 128000000, 4000000, bench_cuda_scan_sections, 1 << 28, 1 << 22},
    {"hybrid", bench_hybrid_sections, 1 << 28, 1 << 22, NULL, 0, 0},
    {"rows", bench_rows_sections, 10000000, 200000, bench_cuda_rows_sections, 1 << 28, 1 << 22},
    {"text", bench_text_sections, 100000000, 200000, bench_cuda_text_sections, 1 << 28, 1 << 22},
    {"many", bench_many_sections, 10000000, 100000, bench_cuda_many_sections, 1 << 26, 1 << 22},
};

enum {
    SUBJECTS = sizeof subjects / sizeof *subjects
};

static const bench_subject *find_subject(const char *name)
{
    for (size_t i = 0; i < SUBJECTS; i++)
        if (strcmp(subjects[i].name, name) == 0)
            return &subjects[i];
    return NULL;
}

enum {
    HELP_INDENT = 11,
    HELP_WIDTH = 90
};

/* Prints "subject  section, section ..." in lines of at most HELP_WIDTH characters. */
static void print_sections(const char *subject, const bench_section *sections, FILE *to)
{
    int column = fprintf(to, "  %-*s", HELP_INDENT - 2, subject);

    for (const bench_section *s = sections; s->name != NULL; s++) {
        if (column + (int)strlen(s->name) + 2 > HELP_WIDTH)
            column = fprintf(to, "\n%*s", HELP_INDENT, "") - 1;
        column += fprintf(to, "%s%s", s->name, s[1].name != NULL ? ", " : "");
    }
    putc('\n', to);
}

static void write_help(FILE *to)
{
    fputs(help_start, to);
    for (size_t i = 0; i < SUBJECTS; i++)
        fprintf(to, "%s%s", subjects[i].name, i + 1 < SUBJECTS ? ", " : ".\n");
    fputs(help_options, to);
    for (size_t i = 0; i < SUBJECTS; i++)
        print_sections(subjects[i].name, subjects[i].sections, to);
    fputs("With --device cuda:\n", to);
    for (size_t i = 0; i < SUBJECTS; i++)
        if (subjects[i].cuda != NULL)
            print_sections(subjects[i].name, subjects[i].cuda, to);
}

static int print_help(bool all)
{
    char       *text = NULL;
    size_t      size;
    FILE *const to = open_memstream(&text, &size);
    bool        ok = to != NULL;

    if (ok)
        write_help(to);
    ok = ok && fclose(to) == 0;
    if (ok && all)
        help_print_long(text, stdout);
    else if (ok)
        ok = help_print_short(text, "ordo help bench --all", stdout);
    free(text);
    return ok ? CLI_OK : cli_error("bench: not enough memory");
}

static void list_sections(const char *subject, const char *device, const bench_section *sections)
{
    for (const bench_section *s = sections; s != NULL && s->name != NULL; s++)
        printf("%s %s %s\n", subject, device, s->name);
}

/* Other programs read this list: `make report` looks up the sections of its cards in it. */
static int list_all(void)
{
    for (size_t i = 0; i < SUBJECTS; i++) {
        list_sections(subjects[i].name, "cpu", subjects[i].sections);
        list_sections(subjects[i].name, "cuda", subjects[i].cuda);
    }
    return CLI_OK;
}

static int unknown_subject(const char *name)
{
    char all[256] = "";

    for (size_t i = 0; i < SUBJECTS; i++) {
        const size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i > 0 ? ", " : "", subjects[i].name);
    }
    return name == NULL
               ? cli_error(
                     "bench: the subject is missing; expected one of: %s; see 'ordo bench --help'",
                     all)
               : cli_error("bench: '%s' is not one of: %s", cli_quoted(name), all);
}

/* Refuses a list with a name that is not a section, because a misspelt name measures nothing. */
static bool check_only(const bench_settings *set, const bench_section *sections)
{
    for (const char *at = set->only; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        const int length = (int)strcspn(at, ",");
        bool      known = false;
        char      all[512] = "";
        for (const bench_section *s = sections; s->name != NULL; s++) {
            known = known || (strlen(s->name) == (size_t)length &&
                              strncmp(s->name, at, (size_t)length) == 0);
            const size_t used = strlen(all);
            snprintf(all + used, sizeof all - used, "%s%s", used > 0 ? ", " : "", s->name);
        }
        if (!known) {
            char quoted[80];
            cli_error("bench: --only: '%s' is not a section of %s; expected: %s",
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

static const bench_section *sections_of(const bench_settings *set)
{
    const bench_subject *const subject = find_subject(set->subject);
    return set->where == ORDO_CUDA ? subject->cuda : subject->sections;
}

static bool wants_peers(const bench_settings *set, const bench_section *sections)
{
    for (const bench_section *s = sections; s->name != NULL; s++)
        if (s->peers && bench_selected(set->only, s->name))
            return true;
    return false;
}

static bool read_machine(bench *b, bench_machine *machine)
{
    ordo_ctx *const ctx = bench_context(b, b->set.threads);
    return ctx != NULL && bench_machine_read(ctx, machine);
}

static bool measure(const bench_settings *set, const bench_place *place, output *json)
{
    const bench_section *const sections = sections_of(set);
    bench                      b;
    bench_machine              machine;
    bool                       ok = bench_open(&b, set, place, sections) &&
              (!wants_peers(set, sections) || bench_peers_open(&b)) && read_machine(&b, &machine);

    if (ok) {
        bench_print_machine(&b, &machine);
        ok = run_sections(&b, sections);
        if (ok && b.row_count > 0)
            bench_print_scores(&b);
        ok = ok && (json == NULL || save_results(&b, &machine, json));
    }
    bench_hybrid_close();
    bench_peers_close(&b);
    bench_close(&b);
    return ok;
}

/* The context handles signals and knows the number of threads. The file of results is opened first,
 * so that an error in its path is found before the long measurement. */
static int run(bench_settings *set, const char *json_path)
{
    const common_options common = {.threads = set->threads, .device = ORDO_CPU};
    ordo_ctx *const      ctx = context_open("bench", &common);
    const bench_place   *place = NULL;
    ordo_info            info = {.struct_size = sizeof info};
    output               json;

    if (ctx == NULL || ordo_ctx_info(ctx, &info) != ORDO_OK)
        return CLI_TROUBLE;
    set->threads = info.threads;
    if (set->where == ORDO_CUDA) {
        place = bench_cuda_open(info.threads);
        if (place == NULL)
            return CLI_TROUBLE;
        set->threads = 1; /* one thread enqueues; all threads generate keys */
    }
    bool ok = json_path == NULL || output_open(&json, json_path, FORMAT_TEXT);
    ok = ok && measure(set, place, json_path != NULL ? &json : NULL);
    if (json_path != NULL)
        output_abandon(&json);
    if (place != NULL)
        bench_cuda_close();
    context_close();
    return ok ? CLI_OK : CLI_TROUBLE;
}

static size_t default_keys(const bench_subject *subject, bool cuda, bool quick)
{
    if (cuda)
        return quick ? subject->cuda_quick_keys : subject->cuda_keys;
    return quick ? subject->quick_keys : subject->keys;
}

typedef struct bench_options {
    uint64_t    n, repeat, threads, seed;
    bool        quick, list, cpu_time;
    int         device;
    const char *only, *json, *revision, *subject;
} bench_options;

static const option_spec specs[] = {
    OPTION_ROW(bench_options, "n", 'n', n, OPTION_COUNT, NULL, 1000, UINT32_MAX),
    OPTION_ROW(bench_options, "repeat", 0, repeat, OPTION_COUNT, NULL, 1, BENCH_MOST_ROUNDS),
    OPTION_ROW(bench_options, "quick", 0, quick, OPTION_FLAG, NULL, 0, 0),
    OPTION_ROW(bench_options, "list", 0, list, OPTION_FLAG, NULL, 0, 0),
    OPTION_ROW(bench_options, "threads", 0, threads, OPTION_COUNT, NULL, 1, 4096),
    OPTION_ROW(bench_options, "device", 0, device, OPTION_CHOICE, "cpu cuda", ORDO_CPU, 0),
    OPTION_ROW(bench_options, "cpu-time", 0, cpu_time, OPTION_FLAG, NULL, 0, 0),
    OPTION_ROW(bench_options, "only", 0, only, OPTION_TEXT, NULL, 0, 0),
    OPTION_ROW(bench_options, "seed", 0, seed, OPTION_COUNT, NULL, 0, UINT64_MAX),
    OPTION_ROW(bench_options, "json", 0, json, OPTION_TEXT, NULL, 0, 0),
    OPTION_ROW(bench_options, "revision", 0, revision, OPTION_TEXT, NULL, 0, 0),
    OPTION_END,
};

/* The arguments that decide which rows a run has: not the files to write, which differ from run to
 * run. */
static void write_command(int argc, char **argv, char *command, size_t size)
{
    static const char *const left_out[] = {"--json", "--revision"};
    size_t                   used = (size_t)snprintf(command, size, "ordo bench");

    for (int i = 1; i < argc; i++) {
        bool wanted = true;
        for (size_t k = 0; k < sizeof left_out / sizeof *left_out; k++) {
            const size_t length = strlen(left_out[k]);
            if (strncmp(argv[i], left_out[k], length) != 0)
                continue;
            wanted = false;
            i += argv[i][length] == '\0'; /* the value is the next argument */
            break;
        }
        if (wanted && used < size)
            used += (size_t)snprintf(command + used, size - used, " %s", argv[i]);
    }
}

static int run_bench(int argc, char **argv)
{
    char          command[400];
    bench_options o = {.n = OPTION_UNSET, .repeat = OPTION_UNSET, .seed = 1, .device = ORDO_CPU};

    write_command(argc, argv, command, sizeof command);
    option_texts         operands = {.n = 0};
    const options_result parsed = options_parse(argc, argv, specs, &o, &operands, 1);
    o.subject = operands.n > 0 ? operands.texts[0] : NULL;
    free(operands.texts);
    switch (parsed) {
    case OPTIONS_OK:
        break;
    case OPTIONS_HELP:
    case OPTIONS_HELP_ALL:
        return print_help(parsed == OPTIONS_HELP_ALL);
    case OPTIONS_VERSION:
        printf("ordo %s\n", ordo_version());
        return CLI_OK;
    case OPTIONS_BAD:
        return CLI_TROUBLE;
    }
    if (o.list)
        return list_all();
    const bench_subject *const chosen = o.subject != NULL ? find_subject(o.subject) : NULL;
    if (chosen == NULL)
        return unknown_subject(o.subject);
    bench_settings set = {
        .subject = o.subject,
        .n = o.n != OPTION_UNSET ? (size_t)o.n
                                 : default_keys(chosen, o.device == ORDO_CUDA, o.quick),
        .repeat = o.repeat != OPTION_UNSET ? (unsigned)o.repeat
                  : o.quick                ? 3
                                           : 7,
        .threads = (unsigned)o.threads,
        .seed = o.seed,
        .only = o.only,
        .revision = o.revision,
        .command = command,
        .patience = o.quick || o.device == ORDO_CUDA ? 0.1 : 2,
        .where = (ordo_where)o.device,
        .cpu_time = o.cpu_time,
    };
    if (o.cpu_time && (o.json != NULL || o.device == ORDO_CUDA))
        return cli_error("bench: --cpu-time does not go with --json or --device cuda");
    if (sections_of(&set) == NULL)
        return cli_error("bench: %s has no benchmark for --device cuda; leave out --device",
                         o.subject);
    return check_only(&set, sections_of(&set)) ? run(&set, o.json) : CLI_TROUBLE;
}

int main(int argc, char **argv)
{
    int const code = run_bench(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout))
        return cli_error("stdout: cannot write: %s", strerror(errno));
    return code;
}
