/* main.c - the command `ordo`: finds the command named by the first word and runs it. */
#include "cli.h"
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "Examples:\n"
    "  printf '10\\n20\\n20\\n30\\n' | ordo rank        # 1 2 2 4\n"
    "  printf '3\\n1\\n4\\n' | ordo scan               # 3 4 8\n"
    "  ordo gen recur -n 1e7 --dtype f32 -p 0.5 -o keys.npy\n"
    "  ordo rank keys.npy --explain --time -o ranks.npy\n"
    "\n"
    "Usage: ordo COMMAND [options]\n"
    "Ranks, prefix scans and test data for large arrays, on every core.\n"
    "\n"
    "Commands:\n"
    "  rank      ranks of a sorted array: min, max, dense, ordinal, average\n"
    "  scan      prefix sums, minima, maxima; running counts of flags\n"
    "  gen       test data of many distributions, the same for the same seed\n"
    "  bench     measure ranking or scanning on this machine, beside a plain copy\n"
    "  info      what was found on this machine\n"
    "  help      this text, or that of a command: ordo help rank\n"
    "  version   the version\n"
    "\n"
    "Input and output are .npy files, raw binary or text with one number a line.\n"
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
} commands[] = {{"rank", cmd_rank},        {"scan", cmd_scan}, {"gen", cmd_gen},
                {"bench", cmd_bench},      {"info", cmd_info}, {"help", print_help},
                {"version", print_version}};
enum {
    COMMANDS = sizeof commands / sizeof commands[0]
};

static int run_command(int argc, char **argv)
{
    const char *names[COMMANDS];
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(argv[0], commands[i].name) == 0)
            return commands[i].run(argc, argv);
        names[i] = commands[i].name;
    }
    char              quoted[40];
    const char *const near = nearest_name(argv[0], names, COMMANDS);
    cli_printable(argv[0], strlen(argv[0]), quoted, sizeof quoted);
    if (near != NULL)
        return cli_error("unknown command '%s'; did you mean '%s'?", quoted, near);
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

int main(int argc, char **argv)
{
    const int code = dispatch(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout))
        return cli_error("stdout: cannot write: %s", strerror(errno));
    return code;
}
