/* fuzz_options.c - the option parser, with the tables of all commands.
 *
 * The first byte of the input chooses the command; the words of the command line follow, each with
 * a newline at its end. A refused line gets one message of printable ASCII, and no other line gets
 * one. A long option is found or refused as getopt_long() does for the names of sort(1). A line
 * means the same with --name=VALUE in place of --name VALUE. */
#define _GNU_SOURCE /* memfd_create */

#include "fuzz.h"

#include "cli/cmd/command.h"

#include <getopt.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

const fuzz_seed fuzz_seeds[] = {
    FUZZ_SEED("\x00-t\n,\n-k2,2n\n-k\n1,1r\n--rev\n-S\n50%\nfile\n"),
    FUZZ_SEED("\x00+1.2n\n-3.4b\n+0\n-rn\n--parallel=4\n--\n+1\n"),
    FUZZ_SEED("\x00--sort=num\n--check=quiet\n--buffer-size\n10\n--batch-size=3\n-o\nx\n"),
    FUZZ_SEED("\x01--descending\n--then\na,b\n--index-type\nu64\n--csv\n--key\nprice:desc\n"),
    FUZZ_SEED("\x02--method=dense\n--dtype\nf32\n--threads=2\n--explain\n-\n"),
    FUZZ_SEED("\x03-k\n1,1e3\n--algorithm=radix\n--skip-bad\n"),
    FUZZ_SEED("\x05-q\n0.5,0.99\n--method\nlinear\n--nans=propagate\n"),
    FUZZ_SEED("\x1c-9kv\n--decompress\n--small\na.bz2\nb.bz2\n"),
    FUZZ_SEED("\x1duniform\n-n\n1e6\n--seed=7\n-p\n0x1\n--format=npy\n"),
    FUZZ_SEED("\x00--help\n--version\n--v\n--=\n--\n-\n--parallel\n"),
};
const size_t fuzz_seed_count = sizeof fuzz_seeds / sizeof fuzz_seeds[0];

const char *const fuzz_words[] = {
    "\n",   "--",     "-",         "=",          "+1",         "-2.3",
    "--he", "--sor",  "--rand",    "-k",         "-S",         "1e400",
    "2^63", "4Gi",    "%",         "nan",        "\x1b[m",     "99999999999999999999",
    "-o",   "--memo", "--random-", "--version-", "bdfghiMnRrV"};
const size_t fuzz_word_count = sizeof fuzz_words / sizeof fuzz_words[0];

enum {
    MOST_WORDS = 24
};

static const command *const commands[] = {
    &command_sort,     &command_argsort,    &command_rank,     &command_select, &command_median,
    &command_quantile, &command_percentile, &command_topk,     &command_min,    &command_max,
    &command_sum,      &command_count,      &command_describe, &command_unique, &command_merge,
    &command_check,    &command_shuffle,    &command_sample,   &command_radius, &command_scan,
    &command_moving,   &command_partition,  &command_suffix,   &command_bwt,    &command_unbwt,
    &command_index,    &command_search,     &command_bzip2,    &command_gen,    &command_tune,
    &command_info};

/* ---- Messages ---- */

static int log_fd = -1, terminal_fd = -1;

/* From now on stderr is a file in memory; FUZZ_CHECK() must print to the terminal. */
static void start_log(void)
{
    if (log_fd < 0) {
        log_fd = memfd_create("stderr", 0);
        terminal_fd = dup(STDERR_FILENO);
    }
    FUZZ_CHECK(log_fd >= 0 && ftruncate(log_fd, 0) == 0 && lseek(log_fd, 0, SEEK_SET) == 0);
    dup2(log_fd, STDERR_FILENO);
}

/* The bytes of all messages. */
static size_t end_log(char *text, size_t room)
{
    fflush(stderr);
    dup2(terminal_fd, STDERR_FILENO);
    const ssize_t got = pread(log_fd, text, room, 0);
    FUZZ_CHECK(got >= 0 && (size_t)got < room);
    return (size_t)got;
}

/* ---- One command line ---- */

typedef struct parsed {
    options_result result;
    options        o;
} parsed;

static void free_parsed(parsed *p)
{
    free(p->o.operands.texts);
    free(p->o.line.keys.texts);
    free(p->o.line.keys.made);
    free(p->o.csv.columns.texts);
    free(p->o.csv.by.texts);
    free(p->o.directories.texts);
}

static void parse(const command *c, int argc, char **argv, parsed *p)
{
    static char text[1 << 15];

    memset(p, 0, sizeof *p);
    start_log();
    p->result = options_parse(argc, argv, c->options, &p->o, &p->o.operands, SIZE_MAX);
    const size_t length = end_log(text, sizeof text);
    FUZZ_CHECK((length > 0) == (p->result == OPTIONS_BAD));
    FUZZ_CHECK(length == 0 || (memcmp(text, "ordo: ", 6) == 0 && text[length - 1] == '\n'));
    for (size_t i = 0; i + 1 < length; i++)
        FUZZ_CHECK(text[i] >= ' ' && text[i] <= '~');
}

static bool same_texts(const option_texts *a, const option_texts *b)
{
    bool same = a->n == b->n;
    for (size_t i = 0; same && i < a->n; i++)
        same = strcmp(a->texts[i], b->texts[i]) == 0;
    return same;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Compares every field that the table of the command sets. */
static bool same_options(const command *c, const options *a, const options *b)
{
    bool same = same_texts(&a->operands, &b->operands);

    for (const option_spec *s = c->options; same && s->name != NULL; s++) {
        const char *const x = (const char *)a + s->offset, *const y = (const char *)b + s->offset;
        switch (s->kind) {
        case OPTION_TEXT:
            same = same_text(*(const char *const *)(const void *)x,
                             *(const char *const *)(const void *)y);
            break;
        case OPTION_TEXTS:
        case OPTION_KEYS:
            same = same_texts((const option_texts *)(const void *)x,
                              (const option_texts *)(const void *)y);
            break;
        case OPTION_FLAG:
            same = *x == *y;
            break;
        case OPTION_CHOICE:
        case OPTION_MAYBE:
        case OPTION_SET:
            same = memcmp(x, y, sizeof(int)) == 0;
            break;
        default:
            same = memcmp(x, y, sizeof(uint64_t)) == 0;
        }
    }
    return same;
}

/* ---- Properties ---- */

static const option_spec *find(const option_spec *specs, const char *name)
{
    while (specs->name != NULL && strcmp(specs->name, name) != 0)
        specs++;
    return specs->name != NULL ? specs : NULL;
}

/* Joins the first exact --name and its value, the next word. False if there is no such word. */
static bool join_value(const command *c, int *argc, char **argv, char *room)
{
    for (int i = 1; i + 1 < *argc && strcmp(argv[i], "--") != 0; i++) {
        const option_spec *const s =
            strncmp(argv[i], "--", 2) == 0 ? find(c->options, argv[i] + 2) : NULL;
        /* Of any other word that begins with '-', the next word may be the value. */
        if (s == NULL && argv[i][0] == '-')
            return false;
        if (s == NULL && argv[i][0] == '+')
            return false;
        if (s == NULL || s->kind == OPTION_FLAG || s->kind == OPTION_SET || s->kind == OPTION_MAYBE)
            continue;
        strcpy(room, argv[i]);
        strcat(room, "=");
        strcat(room, argv[i + 1]);
        argv[i] = room;
        memmove(argv + i + 1, argv + i + 2, (size_t)(*argc - i - 1) * sizeof *argv);
        --*argc;
        return true;
    }
    return false;
}

static bool takes_value(const option_spec *s)
{
    return s->kind != OPTION_FLAG && s->kind != OPTION_SET && s->kind != OPTION_MAYBE;
}

/* The first word as the only one, with a value. Names that ordo has and sort(1) has not are left
 * out. */
static void check_long_name(char *word)
{
    static const char *const names[] = {"batch-size",
                                        "buffer-size",
                                        "check",
                                        "compress-program",
                                        "debug",
                                        "dictionary-order",
                                        "field-separator",
                                        "files0-from",
                                        "general-numeric-sort",
                                        "help",
                                        "human-numeric-sort",
                                        "ignore-case",
                                        "ignore-leading-blanks",
                                        "ignore-nonprinting",
                                        "key",
                                        "merge",
                                        "month-sort",
                                        "numeric-sort",
                                        "output",
                                        "parallel",
                                        "random-sort",
                                        "random-source",
                                        "reverse",
                                        "sort",
                                        "stable",
                                        "temporary-directory",
                                        "unique",
                                        "version",
                                        "version-sort",
                                        "zero-terminated"};
    enum {
        NAMES = sizeof names / sizeof names[0]
    };
    struct option table[NAMES + 1] = {{.name = NULL}};
    char          program[] = "sort", cut[64];
    char         *argv[] = {program, cut, NULL};
    parsed        p;

    if (strncmp(word, "--", 2) != 0 || word[2] == '\0' || strlen(word) >= sizeof cut)
        return;
    strcpy(cut, word);
    cut[strcspn(cut, "=")] = '\0';
    if (cut[2] == '\0' || find(command_sort.options, cut + 2) != NULL)
        return;
    for (size_t i = 0; i < NAMES; i++)
        table[i] = (struct option){.name = names[i], .val = (int)i + 1};
    optind = 0;
    opterr = 0;
    const int found = getopt_long(2, argv, "", table, NULL);
    parse(&command_sort, 2, argv, &p);
    const option_spec *const s =
        found > 0 && found <= NAMES ? find(command_sort.options, names[found - 1]) : NULL;
    const bool help = found > 0 && found <= NAMES && strcmp(names[found - 1], "help") == 0;
    const bool version = found > 0 && found <= NAMES && strcmp(names[found - 1], "version") == 0;
    /* Without a value, an option that needs one is refused, too. */
    FUZZ_CHECK(p.result == (help                           ? OPTIONS_HELP
                            : version                      ? OPTIONS_VERSION
                            : s != NULL && !takes_value(s) ? OPTIONS_OK
                                                           : OPTIONS_BAD));
    free_parsed(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *const text = malloc(size + 1), *const room = malloc(size + 2);
    char  *argv[MOST_WORDS + 2], *at = text;
    int    argc = 1;
    parsed p, q;

    FUZZ_CHECK(text != NULL && room != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    const command *const c =
        commands[size > 0 ? data[0] % (sizeof commands / sizeof commands[0]) : 0];
    char name[32];
    snprintf(name, sizeof name, "%s", c->name);
    argv[0] = name;
    at += size > 0;
    while (argc <= MOST_WORDS && *at != '\0') {
        argv[argc++] = at;
        at += strcspn(at, "\n");
        if (*at != '\0')
            *at++ = '\0';
    }
    argv[argc] = NULL;
    if (argc > 1)
        check_long_name(argv[1]);
    parse(c, argc, argv, &p);
    if (join_value(c, &argc, argv, room)) {
        parse(c, argc, argv, &q);
        FUZZ_CHECK(p.result == q.result);
        FUZZ_CHECK(p.result != OPTIONS_OK || same_options(c, &p.o, &q.o));
        free_parsed(&q);
    }
    free_parsed(&p);
    free(text);
    free(room);
    return 0;
}
