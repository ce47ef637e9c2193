/* filter.c - starts programs that compress (see filter.h). The program is found in $PATH, without a
 * shell. */
#define _GNU_SOURCE /* pipe2 */

#include "cli/io/packed/filter.h"

#include "cli/base/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int failed(const char *program, int error)
{
    cli_error("sort: cannot run the compress program '%s': %s", cli_quoted(program),
              strerror(error));
    return -1;
}

/* The standard descriptors of this process are open, so no other one has their numbers. */
static int spawn(filter *f, int in, int out, bool unpack)
{
    char                       minus_d[] = "-d";
    char *const                program = strdup(f->program);
    char *const                words[] = {program, unpack ? minus_d : NULL, NULL};
    posix_spawn_file_actions_t actions;
    int error = program != NULL ? posix_spawn_file_actions_init(&actions) : ENOMEM;

    if (error == 0) {
        error = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
        if (error == 0)
            error = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
        if (error == 0)
            error = posix_spawnp(&f->pid, program, &actions, NULL, words, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    free(program);
    return error;
}

static int start(filter *f, const char *program, int file, bool unpack)
{
    int ends[2];

    *f = (filter){.program = program};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return failed(program, errno);
    const int error = unpack ? spawn(f, file, ends[1], true) : spawn(f, ends[0], file, false);
    const int mine = unpack ? 0 : 1;
    close(ends[1 - mine]);
    if (error == 0)
        return ends[mine];
    f->pid = 0;
    close(ends[mine]);
    return failed(program, error);
}

int filter_pack(filter *f, const char *program, int to) { return start(f, program, to, false); }

int filter_unpack(filter *f, const char *program, int from)
{
    return lseek(from, 0, SEEK_SET) == 0 ? start(f, program, from, true) : failed(program, errno);
}

bool filter_end(filter *f, bool checked)
{
    const pid_t pid = f->pid;
    int         status = 0;

    f->pid = 0;
    if (pid == 0)
        return true;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return failed(f->program, errno) == 0;
    return !checked || (WIFEXITED(status) && WEXITSTATUS(status) == 0) ||
           cli_fail("sort: the compress program '%s' terminated abnormally",
                    cli_quoted(f->program));
}
