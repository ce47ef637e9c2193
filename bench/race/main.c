/* main.c - ordo-race: compares two builds of ordo: time and results of the same work. */
#define _POSIX_C_SOURCE 200809L /* getopt */
#include "race.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "Usage: ordo-race [options] OLD NEW\n"
    "Compares two builds of ordo: the time and the results of the same calls and commands. OLD "
    "and\n"
    "NEW are build folders or paths of libordo.so. Both libraries are loaded into this process.\n"
    "Commands are the programs ordo and ordo-mpi beside each library.\n\n"
    "Every round runs both builds on the same input; the order alternates. A row shows the least\n"
    "time of each build, the ratio of the two (new / old) and the median ratio of the rounds.\n\n"
    "A row is slower if its median ratio exceeds the limit, exceeds it again in a second run, and\n"
    "a run of OLD against itself stays within the limit. Exit codes: 0, 1 if a row is slower or\n"
    "its results differ, 2 if a call failed.\n\n"
    "  -l PERCENT   the limit (3)\n"
    "  -n N,...     numbers of keys, at least 4 (16,1e3,1e6,1e7)\n"
    "  -r ROUNDS    1 to 101 (7); the runs of rows above the limit have three times as many\n"
    "  -t THREADS   of each context and command (1)\n"
    "  -b KEYS      of one timing: calls on fewer keys are repeated, commands up to 8 times "
    "(65536)\n"
    "  -s NAME,...  only these sections; default: all\n"
    "      keys         every verb and type, every distribution for verbs that adapt to the keys\n"
    "      rows         segments: rows of 16 and 1000 keys, columns, rows of different lengths\n"
    "      strings      sort, argsort and rank of strings; sort of pointers\n"
    "      groups       counts, argsort, rank, median and top-k of groups\n"
    "      first        the first call of a new context, and of a new process\n"
    "      lines        commands: sort --text, sort -u, sort -n; unique of numbers\n"
    "      csv          commands: sort --csv by a number and by a text, topk --csv\n"
    "      external     commands with -S 8Mi: numbers, lines, unique\n"
    "      distributed  ordo-mpi, if both builds have it: sort, rank, quantile\n"
    "  -f TEXT      only rows whose name contains TEXT, such as 'sort u32' or zipf\n"
    "  -c           CPU time, for a busy machine\n"
    "  -g           arrays in GPU memory; sections keys and rows. Each library loads the plugin\n"
    "               beside it\n"
    "  -m COMMAND   starts ordo-mpi ('mpiexec -n 2')\n"
    "  -d FOLDER    for the files of commands ($TMPDIR or /tmp)\n";

settings set = {.threads = 1,
                .sizes = {16, 1000, 1000000, 10000000},
                .size_count = 4,
                .rounds = 7,
                .batch = 1 << 16,
                .limit = 0.03,
                .filter = "",
                .launcher = "mpiexec -n 2"};

static const section *const sections[] = {&keys_section,   &rows_section,     &strings_section,
                                          &groups_section, &first_section,    &lines_section,
                                          &csv_section,    &external_section, &distributed_section};

enum {
    SECTIONS = sizeof sections / sizeof *sections
};

void fail(const char *what, const char *why)
{
    fprintf(stderr, "ordo-race: %s: %s\n", what, why);
    exit(2);
}

/* Whether `name` is in a list with commas. */
static bool in_list(const char *list, const char *name)
{
    size_t const length = strlen(name);
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return false;
}

static bool read_sizes(const char *text)
{
    set.size_count = 0;
    while (*text != '\0') {
        char        *end;
        double const n = strtod(text, &end);
        if (end == text || !(n >= 4 && n <= 4e9) || set.size_count == MOST_SIZES)
            return false;
        set.sizes[set.size_count++] = (size_t)n;
        if (*end != ',' && *end != '\0')
            return false;
        text = end + (*end == ',');
    }
    return set.size_count > 0;
}

static bool read_sections(const char *text)
{
    size_t known = 0, names = 1;
    for (const char *at = text; *at != '\0'; at++)
        names += *at == ',';
    for (size_t i = 0; i < SECTIONS; i++)
        known += in_list(text, sections[i]->name);
    set.sections = text;
    return known == names;
}

static bool read_settings(int argc, char **argv)
{
    int option;

    while ((option = getopt(argc, argv, "l:n:r:b:t:s:f:m:d:gc")) != -1) {
        bool fine = true;
        switch (option) {
        case 'l':
            set.limit = strtod(optarg, NULL) / 100;
            fine = set.limit >= 0;
            break;
        case 'n':
            fine = read_sizes(optarg);
            break;
        case 'r':
            set.rounds = strtoull(optarg, NULL, 10);
            fine = set.rounds > 0 && set.rounds <= MOST_ROUNDS;
            break;
        case 'b':
            set.batch = strtoull(optarg, NULL, 10);
            break;
        case 't':
            set.threads = (unsigned)strtoul(optarg, NULL, 10);
            break;
        case 's':
            fine = read_sections(optarg);
            break;
        case 'f':
            set.filter = optarg;
            break;
        case 'm':
            set.launcher = optarg;
            break;
        case 'd':
            set.folder = optarg;
            break;
        case 'c':
            set.cpu_time = true;
            break;
        case 'g':
            set.on_gpu = true;
            break;
        default:
            fine = false;
        }
        if (!fine)
            return false;
    }
    if (argc - optind != 2)
        return false;
    set.paths[0] = argv[optind];
    set.paths[1] = argv[optind + 1];
    return true;
}

void row_add(row_list *list, row r, const char *verb, const char *shape)
{
    char      with_n[96];
    int const length = snprintf(r.name, sizeof r.name, "%s %s%s%s%s%s%s%s", r.section->name, verb,
                                r.type != NULL ? " " : "", r.type != NULL ? r.type->name : "",
                                r.dist != NULL ? " " : "", r.dist != NULL ? r.dist->name : "",
                                *shape != '\0' ? " " : "", shape);
    if (length < 0 || (size_t)length >= sizeof r.name)
        fail(verb, "the name of the row is too long");
    snprintf(with_n, sizeof with_n, "%s %zu", r.name, r.n);
    if (strstr(with_n, set.filter) == NULL)
        return;
    if (list->count == list->room) {
        list->room = 2 * list->room + 64;
        list->rows = realloc(list->rows, list->room * sizeof *list->rows);
        if (list->rows == NULL)
            fail("memory", "not enough for the rows");
    }
    list->rows[list->count++] = r;
}

static void list_rows(row_list *list, const side *old, const side *new)
{
    for (size_t i = 0; i < SECTIONS; i++) {
        const section *const s = sections[i];
        if ((set.sections != NULL && !in_list(set.sections, s->name)) || (set.on_gpu && !s->on_gpu))
            continue;
        const char *const trouble = s->trouble != NULL ? s->trouble(old, new) : NULL;
        if (trouble != NULL)
            printf("%s: not run: %s\n", s->name, trouble);
        for (size_t j = 0; trouble == NULL && j < set.size_count; j++)
            s->list(s, list, set.sizes[j]);
    }
}

int main(int argc, char **argv)
{
    static library libraries[2];
    side           old, new, again;
    row_list       list = {0};

    if (argc > 1 && strcmp(argv[1], "--first") == 0)
        return first_child(argc, argv);
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fputs(help, stdout);
        return 0;
    }
    if (!read_settings(argc, argv)) {
        fputs(help, stderr);
        return 2;
    }
    setenv("ORDO_TUNE_FILE", "", 1); /* a file of thresholds would serve one of the builds only */
    if (set.on_gpu)
        gpu_load();
    for (int i = 0; i < 2; i++)
        library_open(&libraries[i], set.paths[i]);
    side_open(&old, &libraries[0]);
    side_open(&new, &libraries[1]);
    side_open(&again, &libraries[0]);
    list_rows(&list, &old, &new);
    if (list.count == 0)
        fail("rows", "no row is left by -s, -f and -n");
    int const code = judge(&list, &old, &new, &again);
    commands_clean();
    return code; /* the process ends, so arrays and contexts are not freed */
}
