/* main.c - the command `ordo`: finds the command named by the first word and runs it. */
#define _POSIX_C_SOURCE 200809L

#include "cli/cli.h"
#include "cli/ui/options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "Examples:\n"
    "  printf '30\\n10\\n20\\n20\\n' | ordo sort        # 10 20 20 30\n"
    "  printf '30\\n10\\n20\\n20\\n' | ordo rank        # 4 1 2 2\n"
    "  ordo sort names.txt --text --unique -o names.txt\n"
    "  ordo gen uniform -n 1e7 --dtype f32 -o keys.npy\n"
    "  ordo quantile keys.npy -q 0.5,0.99,0.999\n"
    "  ordo sort keys.npy --explain --time -o sorted.npy\n"
    "\n"
    "Usage: ordo COMMAND [options]\n"
    "Sort, rank, select, scan and measure large arrays, on every core.\n"
    "\n"
    "Commands:\n"
    "  sort      numbers or lines in order, or a check that they are\n"
    "  argsort   the indices of the elements in order\n"
    "  rank      the place of each element: min, max, dense, ordinal, average ranks\n"
    "  select    the k-th smallest elements\n"
    "  median    the middle element\n"
    "  quantile  sample quantiles, of every definition\n"
    "  topk      the largest or smallest elements and where they stand\n"
    "  radius    how far from sorted an array is\n"
    "  scan      prefix sums, minima, maxima; running counts of flags\n"
    "  gen       test data of many distributions, the same for the same seed\n"
    "  bench     measure ordo on this machine, beside its peers and a copy\n"
    "  tune      measure this machine for the choice between CPU and GPU\n"
    "  info      what was found on this machine\n"
    "  help      this text, or that of a command: ordo help rank\n"
    "  version   the version\n"
    "\n"
    "Input and output are .npy files, raw binary or text: one number a line, or lines of\n"
    "any bytes with --text.\n"
    "Exit status: 0 done, 1 the answer is no, 2 trouble.\n";

static int print_version(int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        return cli_error("version: takes no operand");
    printf("ordo %s\n", ordo_version());
    return CLI_OK;
}

static int print_help(int argc, char **argv);

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {{"sort", cmd_sort},     {"argsort", cmd_argsort}, {"rank", cmd_rank},
                {"select", cmd_select}, {"median", cmd_median},   {"quantile", cmd_quantile},
                {"topk", cmd_topk},     {"radius", cmd_radius},   {"scan", cmd_scan},
                {"gen", cmd_gen},       {"bench", cmd_bench},     {"info", cmd_info},
                {"tune", cmd_tune},     {"help", print_help},     {"version", print_version}};
enum {
    COMMANDS = sizeof commands / sizeof commands[0]
};

/* What does here what other programs and libraries call so. */
static const struct {
    const char *name, *instead;
} elsewhere[] = {{"min", "select -k 1"},
                 {"max", "topk -k 1"},
                 {"kth", "select"},
                 {"nth", "select"},
                 {"head", "topk"},
                 {"percentile", "quantile"},
                 {"percentiles", "quantile"},
                 {"order", "argsort"},
                 {"uniq", "sort --unique"},
                 {"unique", "sort --unique"},
                 {"check", "sort --check"},
                 {"cumsum", "scan"},
                 {"sum", "scan"},
                 {"generate", "gen"},
                 {"devices", "info"}};

static const char *instead_of(const char *name)
{
    for (size_t i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; i++)
        if (strcmp(elsewhere[i].name, name) == 0)
            return elsewhere[i].instead;
    return NULL;
}

static int run_command(int argc, char **argv)
{
    const char *names[COMMANDS];
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(argv[0], commands[i].name) == 0)
            return commands[i].run(argc, argv);
        names[i] = commands[i].name;
    }
    char              quoted[40];
    const char *const known = instead_of(argv[0]);
    const char *const near = known != NULL ? known : nearest_name(argv[0], names, COMMANDS);
    cli_printable(argv[0], strlen(argv[0]), quoted, sizeof quoted);
    if (near != NULL)
        return cli_error("unknown command '%s'; did you mean 'ordo %s'?", quoted, near);
    return cli_error("unknown command '%s'; 'ordo help' lists them", quoted);
}

static int print_help(int argc, char **argv)
{
    if (argc > 2)
        return cli_error("help: takes one command");
    const bool of_command =
        argc == 2 && strcmp(argv[1], "help") != 0 && strcmp(argv[1], "version") != 0;
    if (of_command) {
        char  option[] = "--help";
        char *words[] = {argv[1], option, NULL};
        return run_command(2, words);
    }
    fputs(help, stdout);
    return CLI_OK;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        fputs(help, stderr);
        return CLI_TROUBLE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return print_help(1, argv);
    if (strcmp(argv[1], "--version") == 0)
        return print_version(1, argv);
    return run_command(argc - 1, argv + 1);
}

/* A standard descriptor that is closed would be given to the next file opened, and messages or
 * results would go there. /dev/null takes its place, opened the wrong way round, so that using it
 * is the error that using a closed one is. False: it could not be opened. */
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
        return cli_error("stdout: cannot write: %s", strerror(errno));
    return code;
}
