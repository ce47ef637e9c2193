/* cmd_bench.c - `ordo bench`: runs the program ordo-bench, which lies beside the command. */
#define _POSIX_C_SOURCE 200809L

#include "cli/cmd/command.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int bench_execute(char **argv)
{
    static const char name[] = "ordo-bench";
    char              path[PATH_MAX];
    ssize_t const     length = readlink("/proc/self/exe", path, sizeof path - sizeof name);

    if (length <= 0)
        return cli_error("bench: cannot find the folder of this command: %s", strerror(errno));
    path[length] = '\0';
    strcpy(strrchr(path, '/') + 1, name);
    execv(path, argv);
    return cli_error("bench: cannot run %s: %s; 'make bench' builds it", path, strerror(errno));
}
