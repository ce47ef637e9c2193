/* options.c - the command line of ordo-mpi. Each rank reads its own; agreement.c prints errors. */
#define _POSIX_C_SOURCE 200809L
#include "mpi/job.h"
#include "mpi/option_table.h"

#include "cli/io/names.h"

#include <getopt.h>
#include <stdio.h>

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

static bool read_format(job *j, const char *option, const char *text, file_format *out)
{
    static const char *const names[] = {"", "npy", "raw", "text", NULL};
    int const                found = find_name(names, text);
    if (found < 1)
        return wrong(j, option, text, "npy, raw or text");
    *out = (file_format)found;
    return true;
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

static bool read_size(job *j, const char *option, const char *text, size_t least, size_t most,
                      size_t *out)
{
    char                    *end;
    unsigned long long const number = strtoull(text, &end, 10);
    char                     expected[80];
    *out = (size_t)number;
    if (end != text && *end == 0 && text[0] != '-' && number >= least && number <= most)
        return true;
    snprintf(expected, sizeof expected, "a whole number from %zu to %zu", least, most);
    return wrong(j, option, text, expected);
}

static bool read_real(job *j, const char *option, const char *text, double least, double *out)
{
    char *end;
    char  expected[80];
    *out = strtod(text, &end);
    if (end != text && *end == 0 && *out >= least && *out <= 1e18)
        return true;
    snprintf(expected, sizeof expected, "a number from %g to 1e18", least);
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

static bool read_type(job *j, const char *option, const char *text)
{
    j->w.type = (ordo_type)ordo_type_parse(text);
    return j->w.type != 0 || wrong(j, option, text, NAMES_TYPES_OR);
}

/* ---- Options ---- */

/* The table for getopt_long: the rows of mpi_options. */
static void fill_getopt(struct option *longs, char *letters)
{
    *letters++ = ':';
    for (size_t i = 0; i < MPI_OPTIONS; i++) {
        const option_spec *const spec = &mpi_options[i].spec;
        bool const               flag = spec->kind == OPTION_FLAG;
        if (spec->name[1] != 0)
            *longs++ = (struct option){spec->name, flag ? no_argument : required_argument, NULL,
                                       mpi_options[i].code};
        if (spec->letter != 0)
            *letters++ = spec->letter;
        if (spec->letter != 0 && !flag)
            *letters++ = ':';
    }
    *longs = (struct option){NULL, 0, NULL, 0};
    *letters = 0;
}

/* Whether the command has the option; if not, the message names the commands that have it. */
static bool fits_command(job *j, int code)
{
    const mpi_option *o = mpi_options;
    while (o->code != code)
        o++;
    if ((o->commands >> find_name(mpi_commands, j->w.command) & 1) != 0)
        return true;
    char *const text = j->trouble;
    int         at = snprintf(text, sizeof j->trouble, "%s: ", j->w.command);
    at += snprintf(text + at, sizeof j->trouble - (size_t)at,
                   o->spec.letter != 0 ? "-%.1s is for" : "--%s is for",
                   o->spec.letter != 0 ? &o->spec.letter : o->spec.name);
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

static bool read_named(job *j, int option, const char *text)
{
    static const char *const ties[] = {
#define ORDO_TIES_ROW(ID, name, rank, example) #name,
#include "core/ties.def"
        NULL};
    static const char *const nans[] = {"last", "omit", "propagate", NULL};
    wishes *const            w = &j->w;
    int                      found;
    switch (option) {
    case TIES:
        found = find_name(ties, text);
        w->ties = (ordo_ties)(found < 0 ? 0 : found);
        return found >= 0 || wrong(j, "--ties", text, NAMES_TIES_OR);
    case NANS:
        found = find_name(nans, text);
        w->nans = (ordo_nans)(found < 0 ? 0 : found);
        return found >= 0 || wrong(j, "--nans", text, "last, omit or propagate");
    default:
        w->method = (ordo_method)ordo_method_parse(text);
        return w->method != ORDO_METHOD_DEFAULT ||
               wrong(j, "--method", text, "a name of numpy.quantile, such as linear or hazen");
    }
}

static bool read_number(job *j, int option, const char *text)
{
    wishes *const w = &j->w;
    size_t        threads = 0;
    bool          fine;
    switch (option) {
    case THREADS:
        fine = read_size(j, "--threads", text, 1, 4096, &threads);
        w->threads = (unsigned)threads;
        return fine;
    case RECORD_SIZE:
        return read_size(j, "--record-size", text, 1, (size_t)1 << 30, &w->record_size);
    case KEY_OFFSET:
        return read_size(j, "--key-offset", text, 0, (size_t)1 << 30, &w->key_offset);
    case RANGES:
        return read_size(j, "--ranges", text, 1, MOST_RANGES, &w->ranges);
    case KEYS:
        return read_real(j, "--keys", text, 1, &w->keys);
    case NODES:
        return read_real(j, "--nodes", text, 1, &w->nodes);
    case LATENCY:
        return read_real(j, "--latency", text, 0, &w->latency);
    case BANDWIDTH:
        return read_real(j, "--bandwidth", text, 1, &w->bandwidth);
    default:
        return read_real(j, "--taper", text, 1, &w->taper);
    }
}

static bool read_option(job *j, int option, const char *text)
{
    wishes *const w = &j->w;
    switch (option) {
    case 'o':
        w->output = text;
        return true;
    case 'r':
        w->descending = true;
        return true;
    case TIME:
        w->time = true;
        return true;
    case RESUME:
        w->resume = true;
        return true;
    case LINES:
        w->lines = true;
        return true;
    case CHECKPOINT:
        w->checkpoint = text;
        return true;
    case MODEL:
        w->model = text;
        return true;
    case 'S':
        return read_bytes(j, text);
    case 'T':
        return add_directory(j, text);
    case 'q':
    case 'k':
        return read_list(j, (char)option, text);
    case DTYPE:
        return read_type(j, "--dtype", text);
    case KEY_TYPE:
        return read_type(j, "--key-type", text);
    case TYPE:
        return read_type(j, "--type", text);
    case FROM:
        return read_format(j, "--from", text, &w->from);
    case FORMAT:
        return read_format(j, "--format", text, &w->format);
    case TIES:
    case NANS:
    case METHOD:
        return read_named(j, option, text);
    default:
        return read_number(j, option, text);
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
        if (option == 'h') {
            j->w = (wishes){.command = "help"};
            return true;
        }
        if (option == '?' || option == ':') /* optind counts from argv[1] */
            return wrong(j, option == '?' ? "an option" : "an option without a value", argv[optind],
                         option == '?' ? "an option of ordo-mpi --help" : "a value after it");
        if (!fits_command(j, option) || !read_option(j, option, optarg))
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
