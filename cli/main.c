/* main.c - the command `ordo`: finds the command named by the first word and runs it. */
#define _POSIX_C_SOURCE 200809L

#include "cli/base/as_sort.h"
#include "cli/cmd/command.h"
#include "cli/ui/completion.h"
#include "cli/ui/help_short.h"
#include "cli/ui/help_text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "Examples:\n"
    "  printf '30\\n10\\n20\\n20\\n' | ordo sort        # 10 20 20 30\n"
    "  printf '30\\n10\\n20\\n20\\n' | ordo rank        # 4 1 2 2\n"
    "  ordo sort -t, -k2,2n -k1,1 table.csv            # the options of sort(1)\n"
    "  ordo sort --csv --key city --key price:desc sales.csv\n"
    "  ordo gen uniform -n 1e7 --dtype f32 -o keys.npy\n"
    "  ordo quantile keys.npy -q 0.5,0.99,0.999\n"
    "  ordo sort keys.npy --explain --time -o sorted.npy\n\n"
    "Usage: ordo COMMAND [options]\n"
    "Sorts, ranks, selects from, scans and measures large arrays, on all CPU cores or a GPU.\n\n"
    "Commands:\n"
#define ORDO_COMMAND(name, help) help
#define ORDO_OTHER(name, help) help
#include "cli/cmd/commands.def"
    "\n"
    "Input and output are .npy files, raw binary data, or text with one number per line. With\n"
    "--text the input is lines of any bytes, with --fasta FASTA records, with --csv or --tsv\n"
    "rows of fields.\n\n"
    "Exit status: 0 success, 1 the answer is no, 2 error.\n";

static const char completion_help[] =
    "Examples:\n"
    "  . <(ordo completion bash)                               # for this shell\n"
    "  ordo completion bash >~/.local/share/bash-completion/completions/ordo\n"
    "  ordo completion zsh >~/.zfunc/_ordo\n"
    "  ordo completion fish >~/.config/fish/completions/ordo.fish\n\n"
    "Usage: ordo completion bash|zsh|fish\n"
    "Prints a script that completes the commands of ordo, their options, the choices\n"
    "of options and the columns of a CSV file on the line. 'make install' puts the\n"
    "three scripts where the shells look for them.\n\n"
    "Exit status: 0 success, 2 error.\n";

/* Operands that the completion knows. */
static const char help_words[] = "--all --man"
#define ORDO_COMMAND(name, help) " " #name
#define ORDO_OTHER(name, help) " " #name
#include "cli/cmd/commands.def"
    ;
static const char distributions[] =
#define ORDO_DIST_ROW(ID, name, make, takes, k, help) #name " "
#include "lib/gen/dists.def"
    ;
static const struct {
    const char *command, *words;
} operands[] = {{"help", help_words}, {"gen", distributions}, {"completion", "bash zsh fish"}};

static const command *const commands[] = {
#define ORDO_COMMAND(name, help) &command_##name,
#define ORDO_OTHER(name, help)
#include "cli/cmd/commands.def"
};
#define COMMANDS (sizeof commands / sizeof commands[0])

/* Commands that are not in the list above. */
static const char *const others[] = {
#define ORDO_COMMAND(name, help)
#define ORDO_OTHER(name, help) #name,
#include "cli/cmd/commands.def"
};
#define OTHERS (sizeof others / sizeof others[0])

/* Pairs: a name from other programs and libraries, and the command to use instead. */
static const char *const elsewhere[] = {
    "kth",     "select",   "nth",         "select",     "head",        "topk",
    "top",     "topk",     "percentiles", "percentile", "order",       "argsort",
    "uniq",    "unique",   "distinct",    "unique",     "is-sorted",   "check",
    "cumsum",  "scan",     "split",       "partition",  "filter",      "partition --only",
    "add",     "sum",      "total",       "sum",        "length",      "count",
    "wc",      "count",    "summary",     "describe",   "stats",       "describe",
    "mean",    "describe", "average",     "describe",   "minimum",     "min",
    "maximum", "max",      "shuf",        "shuffle",    "permute",     "shuffle",
    "random",  "sample",   "generate",    "gen",        "devices",     "info",
    "rolling", "moving",   "window",      "moving",     "completions", "completion",
    "grep",    "search",   "sa",          "suffix",     "bunzip2",     "bzip2 -d",
    "bzcat",   "bzip2 -dc"};

/* Whether `ordo sort` has this option: the name of the command may have been forgotten. */
static bool is_sort_option(const char *typed)
{
    const bool   is_long = strncmp(typed, "--", 2) == 0;
    const size_t length = strcspn(typed, "=");

    for (const option_spec *s = command_sort.options; typed[0] == '-' && s->name != NULL; s++)
        if (is_long ? strlen(s->name) + 2 == length && memcmp(s->name, typed + 2, length - 2) == 0
                    : s->letter != '\0' && s->letter == typed[1])
            return true;
    return false;
}

static int unknown_command(const char *name)
{
    const char *names[COMMANDS + OTHERS];
    const char *near = NULL;

    for (size_t i = 0; i < COMMANDS; i++)
        names[i] = commands[i]->name;
    memcpy(names + COMMANDS, others, sizeof others);
    for (size_t i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; i += 2)
        if (strcmp(elsewhere[i], name) == 0)
            near = elsewhere[i + 1];
    if (near == NULL)
        near = nearest_name(name, names, COMMANDS + OTHERS);
    if (near == NULL && is_sort_option(name))
        return cli_error("the command must come before the option '%s'; did you mean 'ordo sort "
                         "%s'?",
                         cli_quoted(name), cli_quoted(name));
    if (near != NULL)
        return cli_error("unknown command '%s'; did you mean 'ordo %s'?", cli_quoted(name), near);
    return cli_error("unknown command '%s'; 'ordo help' lists the commands", cli_quoted(name));
}

/* Replaces this process by the program ordo-bench, which is in the folder of the command. */
static int execute_bench(char **argv)
{
    static const char name[] = "ordo-bench";
    char              path[PATH_MAX];
    const ssize_t     length = readlink("/proc/self/exe", path, sizeof path - sizeof name);

    if (length <= 0)
        return cli_error("bench: cannot find the folder of this command: %s", strerror(errno));
    path[length] = '\0';
    strcpy(strrchr(path, '/') + 1, name);
    execv(path, argv);
    return cli_error("bench: cannot run %s: %s; 'make bench' builds it", path, strerror(errno));
}

static const command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(name, commands[i]->name) == 0)
            return commands[i];
    return NULL;
}

/* ---- Completion and manual pages ---- */

/* What the list of commands in the help says about the command; *p holds the text. */
static const char *summary_of(help_part *p, const char *name)
{
    p->at = help;
    while (help_next(p))
        if (p->kind == HELP_ENTRY && strcmp(p->term, name) == 0)
            return p->text;
    return "";
}

static int no_memory(const char *name) { return cli_error("%s: not enough memory", name); }

/* Describes a command; known is NULL for one that is not in the list. */
static bool describe_command(const char *name, const command *known, completion_command *out)
{
    help_part   p;
    char *const text = known != NULL ? command_help(known) : strdup("");
    char *const summary = help_open(&p, help) ? strdup(summary_of(&p, name)) : NULL;

    help_close(&p);
    *out = (completion_command){name, summary,      text, known != NULL ? known->options : NULL,
                                NULL, known != NULL};
    for (size_t i = 0; i < sizeof operands / sizeof operands[0]; i++)
        if (strcmp(operands[i].command, name) == 0)
            out->words = operands[i].words;
    return summary != NULL && text != NULL;
}

static bool fill_completion(completion_command *all)
{
    for (size_t c = 0; c < COMMANDS; c++)
        if (!describe_command(commands[c]->name, commands[c], &all[c]))
            return false;
    for (size_t c = 0; c < OTHERS; c++)
        if (!describe_command(others[c], NULL, &all[COMMANDS + c]))
            return false;
    return true;
}

static int print_completion(int argc, char **argv)
{
    static const char *const shells[] = {"bash", "zsh", "fish"};
    completion_command       all[COMMANDS + OTHERS] = {{.name = NULL}};
    bool                     known = false;

    if (argc < 2)
        return cli_error("completion: the shell is missing: give bash, zsh or fish");
    if (strcmp(argv[1], "--columns") == 0) {
        csv_print_columns(argv + 2, argc - 2);
        return CLI_OK;
    }
    if (argc > 2)
        return cli_error("completion: unexpected operand '%s'; expected one shell",
                         cli_quoted(argv[2]));
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "--help=all") == 0) {
        help_print_long(completion_help, stdout); /* fits a screen */
        return CLI_OK;
    }
    for (size_t i = 0; i < 3; i++)
        known |= strcmp(argv[1], shells[i]) == 0;
    if (!known)
        return cli_error("completion: '%s' is not one of: bash, zsh, fish", cli_quoted(argv[1]));
    const bool ok =
        fill_completion(all) && completion_print("ordo", argv[1], all, COMMANDS + OTHERS);
    for (size_t c = 0; c < COMMANDS + OTHERS; c++) {
        free(all[c].summary);
        free(all[c].help);
    }
    return ok ? CLI_OK : no_memory("completion");
}

static bool print_command_page(const char *name, const char *summary, const char *text)
{
    char title[64], origin[64];

    snprintf(title, sizeof title, "ordo-%s", name);
    snprintf(origin, sizeof origin, "ordo help %s", name);
    return manual_print(&(manual_page){title, origin, summary, "OPTIONS", ".Xr ordo 1"}, text);
}

/* Prints the manual page of a command, or of ordo if name is NULL. */
static int print_manual(const char *name)
{
    const command *const c = name != NULL ? find_command(name) : NULL;
    const bool           completion = name != NULL && strcmp(name, "completion") == 0;
    help_part            p;

    if (name != NULL && c == NULL && !completion)
        return cli_error("help: --man: '%s' has no manual page; 'ordo help' lists the commands",
                         cli_quoted(name));
    char *const text = c != NULL ? command_help(c) : strdup(completion ? completion_help : help);
    bool        ok = text != NULL && help_open(&p, help);

    if (ok)
        ok = name != NULL ? print_command_page(name, summary_of(&p, name), text)
                          : manual_print(&(manual_page){"ordo", "ordo help",
                                                        "sort, rank, select and summarize",
                                                        "COMMANDS", ".Xr sort 1"},
                                         text);
    if (text != NULL)
        help_close(&p);
    free(text);
    return ok ? CLI_OK : no_memory("help");
}

static int execute_gnu_sort(int argc, char **argv)
{
    char        name[] = "sort";
    char *const given = argv[0];

    argv[0] = name;
    cli_be_sort();
    const int code = command_execute(&command_gnu_sort, argc, argv);
    argv[0] = given;
    return code;
}

/* argv[0] is the name of the command. */
static int execute_command(int argc, char **argv)
{
    const command *const c = find_command(argv[0]);

    if (c == &command_sort && argc > 1 && strcmp(argv[1], "--gnu") == 0)
        return execute_gnu_sort(argc - 1, argv + 1);
    if (c != NULL)
        return command_execute(c, argc, argv);
    return strcmp(argv[0], "bench") == 0        ? execute_bench(argv)
           : strcmp(argv[0], "completion") == 0 ? print_completion(argc, argv)
                                                : unknown_command(argv[0]);
}

/* Prints the list of commands. */
static int print_commands(bool all, FILE *to)
{
    if (all)
        help_print_long(help, to);
    return all || help_print_short(help, "ordo help --all", to) ? CLI_OK : no_memory("help");
}

/* `ordo help [--man | --all] [COMMAND]`; --all may also be behind the command. */
static int print_help(int argc, char **argv)
{
    const bool manual = argc > 1 && strcmp(argv[1], "--man") == 0;
    const bool last = argc > 2 && strcmp(argv[2], "--all") == 0;
    const bool all = last || (argc > 1 && strcmp(argv[1], "--all") == 0);

    argv += manual || (all && !last);
    argc -= manual || all;
    if (argc > 2)
        return cli_error(
            "help: unexpected operand '%s'; expected one command, as in 'ordo help %s'",
            cli_quoted(argv[2]), cli_quoted(argv[1]));
    if (manual)
        return print_manual(argc == 2 ? argv[1] : NULL);
    if (argc == 2 && strcmp(argv[1], "help") != 0 && strcmp(argv[1], "version") != 0) {
        char  option[] = "--help", long_option[] = "--help=all";
        char *words[] = {argv[1], all ? long_option : option, NULL};
        return execute_command(2, words);
    }
    return print_commands(all, stdout);
}

static int dispatch(int argc, char **argv)
{
    const char *const word = argc > 1 ? argv[1] : "";
    const char *const slash = argc > 0 ? strrchr(argv[0], '/') : NULL;

    if (argc > 0 && strcmp(slash != NULL ? slash + 1 : argv[0], "sort") == 0)
        return execute_gnu_sort(argc, argv);
    if (argc < 2) {
        (void)print_commands(false, stderr);
        return CLI_TROUBLE;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return print_commands(false, stdout);
    if (strcmp(word, "--help=all") == 0)
        return print_commands(true, stdout);
    if (strcmp(word, "help") == 0)
        return print_help(argc - 1, argv + 1);
    if (strcmp(word, "version") == 0 && argc > 2)
        return cli_error("version: unexpected operand '%s'; expected none", cli_quoted(argv[2]));
    if (strcmp(word, "version") != 0 && strcmp(word, "--version") != 0)
        return execute_command(argc - 1, argv + 1);
    command_print_version();
    return CLI_OK;
}

/* Opens /dev/null for each standard descriptor that is closed. Otherwise the next file opened would
 * get its number, and messages or results would be written to that file. stdin is opened for
 * writing and the others for reading, so that using them is still an error. False on failure. */
static bool open_standard_files(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) == -1 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            return false;
    return true;
}

int main(int argc, char **argv)
{
    if (!open_standard_files())
        return CLI_TROUBLE;
    const int code = dispatch(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout))
        return file_failed("write", "stdout", errno) ? CLI_OK : CLI_TROUBLE;
    return code;
}
