/* timed.c - runs a test and prints the CPU time of all its processes: timed COMMAND [ARGUMENT]...
 *
 * ctest knows only the elapsed time of a test. The last line of the output is
 *     CPU time: 1.25 s
 * which scripts/test-times reads from ctest's log. The process ends as the test did: with its exit
 * code or by its signal. */
#define _DEFAULT_SOURCE /* wait4 */
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static double seconds(struct timeval t) { return (double)t.tv_sec + 1e-6 * (double)t.tv_usec; }

int main(int argc, char **argv)
{
    struct rusage used;
    int           status = 0;

    if (argc < 2) {
        fputs("usage: timed COMMAND [ARGUMENT]...\n", stderr);
        return 126;
    }
    pid_t const child = fork();
    if (child == 0) {
        execvp(argv[1], argv + 1);
        perror(argv[1]);
        _exit(126);
    }
    if (child < 0 || wait4(child, &status, 0, &used) != child) {
        perror("timed");
        return 126;
    }
    printf("CPU time: %.2f s\n", seconds(used.ru_utime) + seconds(used.ru_stime));
    fflush(stdout);
    if (WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    return WEXITSTATUS(status);
}
