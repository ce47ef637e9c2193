/* external_steps.c - `ordo sort` of data larger than memory, killed at its system calls.
 *
 * This program replaces the functions of the C library that change files. A child runs the command
 * and dies by SIGKILL just before call k. Afterwards the input is whole and the output is the old
 * or the new file. Without --resume nothing else is left. With --resume the next command, which may
 * be killed too, goes on, and the last one leaves only the result. With ORDO_TORTURE=1 every call
 * is tried, otherwise a selection. */
#define _GNU_SOURCE

#include "cli/cmd/command.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    N = 3 << 18,
    SECOND = 7 /* the second command dies at one call of so many */
};

static atomic_size_t calls, fatal; /* calls so far; the one that kills, 0: none */
static uint64_t      input[N], expected[N], found[N + 1];
static const char    old_text[] = "the old file\n";
static int           failures;

/* ---- The functions of the C library ---- */

static void count_call(void)
{
    const size_t at = atomic_load(&fatal);
    if (at != 0 && atomic_fetch_add(&calls, 1) + 1 == at)
        (void)syscall(SYS_kill, getpid(), SIGKILL);
}

ssize_t write(int fd, const void *from, size_t bytes)
{
    count_call();
    return syscall(SYS_write, fd, from, bytes);
}

ssize_t pwrite(int fd, const void *from, size_t bytes, off_t at)
{
    count_call();
    return syscall(SYS_pwrite64, fd, from, bytes, at);
}

/* No test pulls the plug: nothing is flushed, which would take most of the time. */
int fsync(int fd)
{
    (void)fd;
    count_call();
    return 0;
}

int fdatasync(int fd) { return fsync(fd); }

int rename(const char *from, const char *to)
{
    count_call();
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
    count_call();
    return (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, 0);
}

int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags)
{
    count_call();
    return (int)syscall(SYS_linkat, from_dir, from, to_dir, to, flags);
}

int unlinkat(int dir, const char *path, int flags)
{
    count_call();
    return (int)syscall(SYS_unlinkat, dir, path, flags);
}

int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }

int mkdir(const char *path, mode_t mode)
{
    count_call();
    return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

int ftruncate(int fd, off_t length)
{
    count_call();
    return (int)syscall(SYS_ftruncate, fd, length);
}

/* ---- The command ---- */

/* Returns -1 if the command was killed, else its exit code. */
static int run(const char *out, bool resumes, size_t at)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        const char *args[] = {"sort", "in",      "--dtype", "u64", "-S",  "8Mi",   "-T",
                              ".",    "--quiet", "-o",      out,   NULL, NULL};
        int         n = 11;
        char      **argv = (char *[]){0};
        char       *copy[16];
        memmove(args + 7 + 1, args + 9, 2 * sizeof *args); /* there is no --quiet */
        n = 10;
        if (resumes)
            args[n++] = "--resume";
        for (int i = 0; i < n; i++)
            copy[i] = strdup(args[i]);
        argv = copy;
        atomic_store(&fatal, at);
        const int code = command_execute(&command_sort, n, argv);
        _exit(code);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? -1 : WEXITSTATUS(status);
}
