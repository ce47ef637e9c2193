/* main.c - the command `ordo`: finds the command named by the first word and runs it. */
#define _POSIX_C_SOURCE 200809L

#include "cli/cmd/command.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "Examples:\n"
    "  printf '30\\n10\\n20\\n20\\n' | ordo sort        # 10 20 20 30\n"
    "  printf '30\\n10\\n20\\n20\\n' | ordo rank        # 4 1 2 2\n"
    "  ordo sort -t, -k2,2n -k1,1 table.csv            # the options of sort(1)\n"
    "  ordo gen uniform -n 1e7 --dtype f32 -o keys.npy\n"
    "  ordo quantile keys.npy -q 0.5,0.99,0.999\n"
    "  ordo sort keys.npy --explain --time -o sorted.npy\n\n"
    "Usage: ordo COMMAND [options]\n"
    "Sorts, ranks, selects from, scans and measures large arrays, on all CPU cores or a GPU.\n\n"
    "Commands:\n"
    "  sort      sort numbers, lines or FASTA records, or check that they are sorted\n"
    "  argsort   print the indices of the elements in sorted order\n"
    "  rank      print the rank of each element: min, max, dense, ordinal, average\n"
    "  select    print the k-th smallest elements\n"
    "  median    print the median\n"
    "  quantile  print sample quantiles, in any of the usual definitions\n"
    "  topk      print the largest or smallest elements, or their indices\n"
    "  radius    print how far from sorted an array is\n"
    "  scan      print prefix sums, minima, maxima, or running counts of flags\n"
    "  moving    print medians, quantiles, ranks, minima or maxima of a moving window\n"
    "  partition move the elements whose flag is set to the front\n"
    "  bzip2     compress or decompress files as bzip2 does, with all threads\n"
    "  gen       generate test data; the same seed gives the same data\n"
    "  bench     measure ordo on this machine, beside other libraries and a plain copy\n"
    "  tune      measure this machine for the choice between CPU and GPU\n"
    "  info      print what ordo found on this machine: CPUs, memory, GPUs\n"
    "  help      print this text, or the help of a command: ordo help rank\n"
    "  version   print the version\n\n"
    "Input and output are .npy files, raw binary data, or text with one number per line. With\n"
    "--text the input is lines of any bytes, and with --fasta it is FASTA records.\n"
    "Exit status: 0 success, 1 the answer is no, 2 error.\n";

static const command *const commands[] = {
    &command_sort,     &command_argsort, &command_rank,   &command_select, &command_median,
    &command_quantile, &command_topk,    &command_radius, &command_scan,   &command_partition,
    &command_gen,      &command_info,    &command_tune,   &command_moving, &command_bzip2};
#define COMMANDS (sizeof commands / sizeof commands[0])

/* Pairs: a name from other programs and libraries, and the command to use instead. */
static const char *const elsewhere[] = {
    "min",         "select -k 1",   "max",        "topk -k 1",
    "kth",         "select",        "nth",        "select",
    "head",        "topk",          "percentile", "quantile",
    "percentiles", "quantile",      "order",      "argsort",
    "uniq",        "sort --unique", "unique",     "sort --unique",
    "check",       "sort --check",  "cumsum",     "scan",
    "split",       "partition",     "filter",     "partition --only",
    "sum",         "scan",          "generate",   "gen",
    "devices",     "info",          "rolling",    "moving",
    "window",      "moving",        "bunzip2",    "bzip2 -d",
    "bzcat",       "bzip2 -dc"};

static int unknown_command(const char *name)
{
    const char *names[COMMANDS + 3] = {[COMMANDS] = "bench", "help", "version"};
    const char *near = NULL;

    for (size_t i = 0; i < COMMANDS; i++)
        names[i] = commands[i]->name;
    for (size_t i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; i += 2)
        if (strcmp(elsewhere[i], name) == 0)
            near = elsewhere[i + 1];
    if (near == NULL)
        near = nearest_name(name, names, COMMANDS + 3);
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

/* argv[0] is the name of the command. */
static int execute_command(int argc, char **argv)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(argv[0], commands[i]->name) == 0)
            return command_execute(commands[i], argc, argv);
    return strcmp(argv[0], "bench") == 0 ? execute_bench(argv) : unknown_command(argv[0]);
}

static int print_help(int argc, char **argv)
{
    if (argc > 2)
        return cli_error(
            "help: unexpected operand '%s'; expected one command, as in 'ordo help %s'",
            cli_quoted(argv[2]), cli_quoted(argv[1]));
    if (argc == 2 && strcmp(argv[1], "help") != 0 && strcmp(argv[1], "version") != 0) {
        char  option[] = "--help";
        char *words[] = {argv[1], option, NULL};
        return execute_command(2, words);
    }
    fputs(help, stdout);
    return CLI_OK;
}

static int dispatch(int argc, char **argv)
{
    const char *const word = argc > 1 ? argv[1] : "";

    if (argc < 2) {
        fputs(help, stderr);
        return CLI_TROUBLE;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return print_help(1, argv);
    if (strcmp(word, "help") == 0)
        return print_help(argc - 1, argv + 1);
    if (strcmp(word, "version") == 0 && argc > 2)
        return cli_error("version: unexpected operand '%s'; expected none", cli_quoted(argv[2]));
    if (strcmp(word, "version") != 0 && strcmp(word, "--version") != 0)
        return execute_command(argc - 1, argv + 1);
    printf("ordo %s\n", ordo_version());
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
        return cli_error("stdout: cannot write: %s", strerror(errno));
    return code;
}
