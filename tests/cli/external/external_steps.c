/* external_steps.c - `ordo sort`, `argsort` and `rank` of data larger than memory, killed at their
 * system calls.
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
    N = 3 << 18
};

static atomic_size_t calls, fatal; /* calls so far; the one that kills, 0: none */
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

/* The tests do not cut the power, so nothing is flushed: that would take most of the time. */
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

typedef struct scenario {
    const char    *name, *in, *type;
    bool           resumes;
    bool           text; /* numbers in text, of the same values */
    const command *command;
    const char    *wanted;
} scenario;

static const scenario scenarios[] = {
    {"raw", "in.raw", "u64", false, false, &command_sort, "sorted.raw"},
    {"text", "in.txt", "u64", false, true, &command_sort, "sorted.txt"},
    {"raw with --resume", "in.raw", "u64", true, false, &command_sort, "sorted.raw"},
    {"argsort --resume", "in.raw", "u64", true, false, &command_argsort, "order.raw"},
    {"rank --resume", "in.raw", "u64", true, false, &command_rank, "ranks.raw"},
};

/* Returns -1 if the command was killed at call `at`, else its exit code. */
static int run(const scenario *s, size_t at)
{
    char  names[][16] = {"", "", "--dtype", "", "-S", "8Mi", "-T", "spill", "-o", "out", ""};
    char *argv[12] = {NULL};
    int   n = 0, status = 0;

    snprintf(names[0], sizeof names[0], "%s", s->command->name);
    snprintf(names[1], sizeof names[1], "%s", s->in);
    snprintf(names[3], sizeof names[3], "%s", s->type);
    snprintf(names[10], sizeof names[10], "%s", s->resumes ? "--resume" : "");
    for (; n < 11 && names[n][0] != '\0'; n++)
        argv[n] = names[n];
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        atomic_store(&fatal, at);
        _exit(command_execute(s->command, n, argv));
    }
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? -1 : WEXITSTATUS(status);
}

/* ---- What must hold ---- */

static void expect(bool ok, const scenario *s, size_t at, const char *what)
{
    if (ok)
        return;
    failures++;
    fprintf(stderr, "%s, killed at call %zu: %s\n", s->name, at, what);
}

static void write_numbers(const char *path, const uint64_t *values, bool text)
{
    FILE *const file = fopen(path, "w");
    bool        ok = file != NULL;

    for (size_t i = 0; ok && text && i < N; i++)
        ok = fprintf(file, "%llu\n", (unsigned long long)values[i]) > 0;
    ok = ok && (text || fwrite(values, sizeof *values, N, file) == N);
    if (!ok || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}

static bool same_files(const char *path, const char *other)
{
    char compare_them[64];
    snprintf(compare_them, sizeof compare_them, "cmp -s %s %s", path, other);
    return system(compare_them) == 0;
}

/* The entries of a folder whose names begin with `prefix`. */
static size_t entries(const char *path, const char *prefix)
{
    DIR *const folder = opendir(path);
    size_t     n = 0;

    for (const struct dirent *e; folder != NULL && (e = readdir(folder)) != NULL;)
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
             strncmp(e->d_name, prefix, strlen(prefix)) == 0;
    if (folder != NULL)
        closedir(folder);
    return n;
}

static void check(const scenario *s, size_t at, bool done)
{
    expect(same_files(s->in, s->text ? "copy.txt" : "copy.raw"), s, at, "the input has changed");
    expect(same_files("out", s->wanted) || (!done && same_files("out", "old")), s, at,
           "the output is neither the old nor the new file");
    /* A kill between the link of the complete result and its rename leaves a file that the next
     * command removes (tempfile.h). */
    expect(entries(".", ".ordo-tmp") <= (done ? 0 : 1), s, at, "temporary files are left");
    expect(entries(".", ".ordo-part") == 0 || (s->resumes && !done), s, at, "a part is left");
    expect(entries("spill", "") == 0 || (s->resumes && !done), s, at, "runs are left");
}

static size_t stride(size_t at) { return getenv("ORDO_TORTURE") != NULL ? 1 : 1 + at / 4; }

static void test(const scenario *s)
{
    int end = -1;

    for (size_t at = 1; end == -1; at += stride(at)) {
        expect(system("cp old out") == 0, s, at, "no old file");
        end = run(s, at);
        check(s, at, end == 0);
        if (end == -1 && s->resumes) {
            end = run(s, at / 2 + 3);
            expect(end <= 0, s, at, "the second command failed");
            check(s, at, end == 0);
            end = -1;
        }
        if (end == -1) {
            expect(run(s, 0) == 0, s, at, "the last command failed");
            check(s, at, true);
        }
    }
    expect(end == 0, s, 0, "the command that was not killed failed");
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t values[N]; /* all different */

static int compare_places(const void *a, const void *b)
{
    return compare(&values[*(const uint32_t *)a], &values[*(const uint32_t *)b]);
}

/* Writes the results of argsort and of rank. */
static void write_places(void)
{
    static uint32_t order[N], ranks[N];

    for (uint32_t i = 0; i < N; i++)
        order[i] = i;
    qsort(order, N, sizeof *order, compare_places);
    for (uint32_t i = 0; i < N; i++)
        ranks[order[i]] = i + 1;
    for (int which = 0; which < 2; which++) {
        FILE *const file = fopen(which == 0 ? "order.raw" : "ranks.raw", "w");
        if (file == NULL || fwrite(which == 0 ? order : ranks, sizeof *order, N, file) != N ||
            fclose(file) != 0)
            failures++;
    }
}

static void make_files(void)
{
    uint64_t state = 1;

    for (size_t i = 0; i < N; i++)
        values[i] = state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    for (int text = 0; text < 2; text++) {
        write_numbers(text ? "in.txt" : "in.raw", values, text);
        write_numbers(text ? "copy.txt" : "copy.raw", values, text);
    }
    write_places();
    qsort(values, N, sizeof *values, compare);
    write_numbers("sorted.raw", values, false);
    write_numbers("sorted.txt", values, true);
    if (system("echo old >old; mkdir spill") != 0)
        failures++;
}

int main(void)
{
    char folder[] = "external-steps-XXXXXX";

    if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
        perror(folder);
        return 1;
    }
    make_files();
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
        test(&scenarios[i]);
    if (chdir("..") != 0 || failures > 0)
        return 1;
    char remove_all[64];
    snprintf(remove_all, sizeof remove_all, "rm -rf %s", folder);
    return system(remove_all) == 0 ? 0 : 1;
}
