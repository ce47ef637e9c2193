/* options.c - the command line of ordo-mpi. Each rank reads its own; agreement.c prints errors. */
#define _POSIX_C_SOURCE 200809L
#include "mpi/job.h"
#include "mpi/option_table.h"

#include "cli/io/names.h"

#include <getopt.h>
#include <stdio.h>

enum {
    OPTION_NAME = 40
};

static bool wrong(job *j, const char *what, const char *given, const char *expected)
{
    snprintf(j->trouble, sizeof j->trouble, "%s is '%.600s'; expected %s", what, given, expected);
    return false;
}

/* The index of `name` in the list, which ends with NULL; -1: it is not there. */
static int find_name(const char *const *list, const char *name)
{
    for (int i = 0; list[i] != NULL; i++)
        if (strcmp(list[i], name) == 0)
            return i;
    return -1;
}

/* ---- Values of options ---- */

/* Sets an enum to `least` and the place of the name in the list, as in option_spec. */
static bool read_choice(job *j, const char *option, const char *text, const char *choices,
                        uint64_t least, int *out)
{
    size_t const size = strlen(text);
    char         expected[256] = "";
    size_t       used = 0;
    *out = (int)least;
    for (const char *name = choices + strspn(choices, " "); *name != 0; ++*out) {
        size_t const      length = strcspn(name, " ");
        const char *const next = name + length + strspn(name + length, " ");
        if (length == size && memcmp(name, text, size) == 0)
            return true;
        used += (size_t)snprintf(expected + used, sizeof expected - used, "%s%.*s",
                                 used == 0    ? ""
                                 : *next == 0 ? " or "
                                              : ", ",
                                 (int)length, name);
        name = next;
    }
    return wrong(j, option, text, expected);
}

static bool read_list(job *j, char letter, const char *text)
{
    wishes *const w = &j->w;
    size_t *const count = letter == 'q' ? &w->q_count : &w->k_count;
    char         *end = NULL;
    for (const char *at = text;; at = end + 1) {
        if (*count == MOST_NUMBERS)
            return wrong(j, letter == 'q' ? "-q" : "-k", text, "at most 1000 numbers");
        if (letter == 'q')
            w->q[*count] = strtod(at, &end);
        else
            w->k[*count] = strtoull(at, &end, 10);
        if (end == at || (*end != ',' && *end != 0) || (letter == 'k' && *at == '-'))
            return wrong(j, letter == 'q' ? "-q" : "-k", text, "numbers separated by commas");
        ++*count;
        if (*end == 0)
            return true;
    }
}

static bool read_count(job *j, const char *option, const char *text, const option_spec *spec,
                       size_t *out)
{
    char                    *end;
    unsigned long long const number = strtoull(text, &end, 10);
    char                     expected[80];
    *out = (size_t)number;
    if (end != text && *end == 0 && text[0] != '-' && number >= spec->least && number <= spec->most)
        return true;
    snprintf(expected, sizeof expected, "a whole number from %llu to %llu",
             (unsigned long long)spec->least, (unsigned long long)spec->most);
    return wrong(j, option, text, expected);
}

static bool read_real(job *j, const char *option, const char *text, uint64_t least, double *out)
{
    char *end;
    char  expected[80];
    *out = strtod(text, &end);
    if (end != text && *end == 0 && *out >= (double)least && *out <= 1e18)
        return true;
    snprintf(expected, sizeof expected, "a number from %llu to 1e18", (unsigned long long)least);
    return wrong(j, option, text, expected);
}

/* Bytes: 512M is 512 * 10^6, 4Gi is 4 * 2^30. */
static bool read_bytes(job *j, const char *text)
{
    static const char letters[] = "kmgt";
    char             *end;
    double const      number = strtod(text, &end);
    const char *const found = *end != 0 ? strchr(letters, *end | 0x20) : NULL;
    bool const        binary = found != NULL && end[1] == 'i';
    double            bytes = number;
    for (const char *at = letters; found != NULL && at <= found; at++)
        bytes *= binary ? 1024 : 1000;
    end += found == NULL ? 0 : binary ? 2 : 1;
    j->w.memory = number >= 0 && bytes < 1e18 ? (uint64_t)bytes : 0;
    return (end != text && *end == 0 && j->w.memory >= 8 << 20) ||
           wrong(j, "-S", text, "a number of bytes, at least 8Mi, such as 512M or 4Gi");
}

static bool add_directory(job *j, const char *text)
{
    if (j->w.directory_count == MOST_DIRECTORIES)
        return wrong(j, "-T", text, "at most 64 folders");
    j->w.directories[j->w.directory_count++] = text;
    return true;
}

/* ---- Options ---- */

enum {
    FIRST_ROW = 256 /* what getopt_long returns for row 0 of mpi_options */
};

/* The table for getopt_long: the rows of mpi_options. */
static void fill_getopt(struct option *longs, char *letters)
{
    *letters++ = ':';
    for (int i = 0; i < MPI_OPTIONS; i++) {
        const option_spec *const spec = &mpi_options[i].spec;
        bool const               flag = spec->kind == OPTION_FLAG;
        if (spec->name[1] != 0)
            *longs++ = (struct option){spec->name, flag ? no_argument : required_argument, NULL,
                                       FIRST_ROW + i};
        if (spec->letter != 0)
            *letters++ = spec->letter;
        if (spec->letter != 0 && !flag)
            *letters++ = ':';
    }
    *longs = (struct option){NULL, 0, NULL, 0};
    *letters = 0;
}

/* The row of what getopt_long returned. */
static const mpi_option *find_option(int code)
{
    const mpi_option *o = mpi_options;
    if (code >= FIRST_ROW)
        return o + (code - FIRST_ROW);
    while (o->spec.letter != code)
        o++;
    return o;
}

/* As the messages name it. */
static void name_option(const option_spec *spec, char name[OPTION_NAME])
{
    snprintf(name, OPTION_NAME, spec->letter != 0 ? "-%.1s" : "--%s",
             spec->letter != 0 ? &spec->letter : spec->name);
}

/* Whether the command has the option; if not, the message names the commands that have it. */
static bool fits_command(job *j, const mpi_option *o)
{
    char name[OPTION_NAME];
    if ((o->commands >> find_name(mpi_commands, j->w.command) & 1) != 0)
        return true;
    char *const text = j->trouble;
    name_option(&o->spec, name);
    int      at = snprintf(text, sizeof j->trouble, "%s: %s is for", j->w.command, name);
    unsigned left = o->commands;
    for (int c = 0; c < MPI_COMMANDS; c++)
        if ((left >> c & 1) != 0) {
            bool const first = left == o->commands;
            left &= ~(1u << c);
            at += snprintf(text + at, sizeof j->trouble - (size_t)at, "%s %s",
                           first       ? ""
                           : left == 0 ? " and"
                                       : ",",
                           mpi_commands[c]);
        }
    return false;
}

static bool read_option(job *j, const option_spec *spec, const char *text)
{
    void *const field = (char *)&j->w + spec->offset;
    char        name[OPTION_NAME];
    name_option(spec, name);
    switch (spec->kind) {
    case OPTION_FLAG:
        return *(bool *)field = true;
    case OPTION_TEXT:
        return (*(const char **)field = text) != NULL;
    case OPTION_COUNT:
        return read_count(j, name, text, spec, field);
    case OPTION_CHOICE:
        return read_choice(j, name, text, spec->choices, spec->least, field);
    case OPTION_SIZE:
        return read_bytes(j, text);
    case OPTION_TEXTS:
        return add_directory(j, text);
    default: /* -q and -k are lists */
        return spec->letter != 0 ? read_list(j, spec->letter, text)
                                 : read_real(j, name, text, spec->least, field);
    }
}

/* ---- What is missing or does not fit the command ---- */

static const char *missing_for_records(const wishes *w, bool sort)
{
    if (w->record_size == 0)
        return w->key_offset != 0 ? "--key-offset needs --record-size" : NULL;
    if (w->type == 0)
        return "--record-size needs --key-type: " NAMES_TYPES_OR;
    if (w->record_size < ordo_type_size(w->type) ||
        w->key_offset > w->record_size - ordo_type_size(w->type))
        return "the key at --key-offset does not end inside --record-size bytes";
    if (w->from != FORMAT_AUTO && w->from != FORMAT_RAW)
        return "--record-size reads raw records: the only --from is raw";
    if (sort && w->format != FORMAT_AUTO && w->format != FORMAT_RAW)
        return "--record-size writes raw records: the only --format is raw";
    return NULL;
}

static const char *missing_for_lines(const wishes *w)
{
    if (!w->lines)
        return NULL;
    if (w->type != 0 || w->record_size != 0 || w->from != FORMAT_AUTO)
        return "--text reads lines; --dtype, --from and --record-size are for numbers";
    if (w->format != FORMAT_AUTO && strcmp(w->command, "sort") == 0)
        return "sort --text writes lines; --format is for numbers";
    return w->checkpoint != NULL ? "--checkpoint is not for lines" : NULL;
}

static const char *missing_for_disks(const wishes *w)
{
    if (w->memory == 0)
        return w->directory_count > 0 ? "-T needs -S: how much memory may a rank use?" : NULL;
    if (w->format == FORMAT_TEXT || w->from == FORMAT_TEXT)
        return "-S sorts npy and raw files and records, not text";
    return w->lines                ? "-S is not for lines"
           : w->checkpoint != NULL ? "-S and --checkpoint are two ways: choose one"
                                   : NULL;
}

static const char *missing_for_files(const wishes *w)
{
    bool const sort = strcmp(w->command, "sort") == 0;
    bool const writes = sort || strcmp(w->command, "rank") == 0;
    if (w->input == NULL)
        return "the input file is missing";
    if (writes && w->output == NULL)
        return "-o FILE is missing: where does the result go?";
    if (strcmp(w->command, "quantile") == 0 && w->q_count == 0)
        return "-q is missing: which quantiles?";
    if (strcmp(w->command, "select") == 0 && w->k_count == 0)
        return "-k is missing: which positions?";
    if (strcmp(w->command, "topk") == 0 && w->k_count != 1)
        return "-k K is needed once: how many keys?";
    if (w->checkpoint == NULL && (w->resume || w->ranges != 0))
        return w->resume ? "--resume needs --checkpoint DIR" : "--ranges needs --checkpoint DIR";
    if (missing_for_lines(w) != NULL)
        return missing_for_lines(w);
    if (missing_for_disks(w) != NULL)
        return missing_for_disks(w);
    return missing_for_records(w, sort);
}

static bool complete(job *j)
{
    const wishes *const w = &j->w;
    const char         *missing = NULL;
    bool const          predict = strcmp(w->command, "predict") == 0;
    if (!predict && strcmp(w->command, "tune") != 0)
        missing = missing_for_files(w);
    else if (w->input != NULL)
        missing = "this command reads no file of keys";
    else if (predict && w->model == NULL)
        missing = "--model FILE is missing: ordo-mpi tune -o FILE makes one";
    else if (predict && (w->nodes < 1 || w->keys < 1))
        missing = "--nodes N and --keys N are needed";
    if (missing != NULL)
        snprintf(j->trouble, sizeof j->trouble, "%s: %s", w->command, missing);
    return missing == NULL;
}

/* A record without other bytes is a key, as in `ordo`: -0 is before +0. */
static void find_keys(wishes *w)
{
    if (w->record_size == 0 || w->record_size != ordo_type_size(w->type))
        return;
    w->record_size = 0;
    w->from = FORMAT_RAW;
    if (strcmp(w->command, "sort") == 0)
        w->format = FORMAT_RAW;
}

/* The commands that work on no keys and have no options. */
static bool is_word(job *j, int argc, char **argv)
{
    static const char *const words[] = {"help",      "--help",     "-h", "version",
                                        "--version", "completion", NULL};
    int const                found = argc > 1 ? find_name(words, argv[1]) : -1;
    if (found < 0)
        return false;
    j->w.command = words[found < 3 ? 0 : found < 5 ? 3 : found];
    j->w.input = argc == 3 ? argv[2] : NULL; /* what shell.c reads */
    if (argc > 2 && strcmp(argv[1], "version") == 0)
        wrong(j, "the operand of version", argv[2], "none");
    return true;
}

/* False with j->trouble. */
static bool read_words(job *j, int argc, char **argv)
{
    struct option longs[MPI_OPTIONS + 1];
    char          letters[2 * MPI_OPTIONS + 2];
    int           option;
    fill_getopt(longs, letters);
    opterr = 0;
    while ((option = getopt_long(argc - 1, argv + 1, letters, longs, NULL)) != -1) {
        if (option == '?' || option == ':') /* optind counts from argv[1] */
            return wrong(j, option == '?' ? "an option" : "an option without a value", argv[optind],
                         option == '?' ? "an option of ordo-mpi --help" : "a value after it");
        const mpi_option *const row = find_option(option);
        if (row->spec.letter == 'h') {
            j->w = (wishes){.command = "help"};
            return true;
        }
        if (!fits_command(j, row) || !read_option(j, &row->spec, optarg))
            return false;
    }
    j->w.input = optind < argc - 1 ? argv[1 + optind] : NULL;
    if (optind + 1 < argc - 1)
        return wrong(j, "the second file", argv[2 + optind], "one input file");
    if (!complete(j))
        return false;
    find_keys(&j->w);
    return true;
}

bool read_options(job *j, int argc, char **argv)
{
    if (is_word(j, argc, argv))
        return j->trouble[0] == 0;
    if (argc < 2 || find_name(mpi_commands, argv[1]) < 0)
        return wrong(j, "the command", argc < 2 ? "" : argv[1],
                     "sort, rank, quantile, median, select, topk, tune or predict "
                     "(see ordo-mpi --help)");
    j->w.command = argv[1];
    j->w.nans = ORDO_NANS_PROPAGATE;
    return read_words(j, argc, argv);
}
