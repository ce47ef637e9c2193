/* cost.c - runs a command and writes what it cost: cost FILE COMMAND [ARGUMENT]...
 *
 * FILE gets two numbers: the peak resident memory in KiB, and the CPU time of all its threads in
 * milliseconds. The exit status is that of the command; 126 if it was killed or could not be run.
 * The peak of a new process begins with the memory of the process that made it, so this one is
 * small. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static long milliseconds(struct timeval t) { return t.tv_sec * 1000 + t.tv_usec / 1000; }

int main(int argc, char **argv)
{
    struct rusage used;
    int           status = 0;
    if (argc < 3)
        return 126;
    const pid_t child = fork();
    if (child == 0) {
        execvp(argv[2], argv + 2);
        _exit(126);
    }
    FILE *const file = fopen(argv[1], "w");
    if (child < 0 || wait4(child, &status, 0, &used) != child || file == NULL)
        return 126;
    fprintf(file, "%ld %ld\n", used.ru_maxrss,
            milliseconds(used.ru_utime) + milliseconds(used.ru_stime));
    return fclose(file) == 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}
