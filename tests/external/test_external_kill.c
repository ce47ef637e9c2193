/* test_external_kill.c - a process that sorts external data is killed at any of its system calls.
 *
 * The linker sends the library's calls that change files to the functions here. They count, and the
 * process ends by SIGKILL just before the call with a given number. A child process sorts a file to
 * a new file and renames it over an old one. After its death the input is whole, the output is the
 * old or the new file, and nothing is left in the directory of temporary files. With a resume
 * directory a second call goes on and writes the same bytes, also if it is killed itself; so do
 * argsort and rank. With ORDO_TORTURE=1 every call is tried, otherwise a selection. */
#define _GNU_SOURCE
#include "inputs.h"
#include "ordo_external.h"
#include "testkit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
#ifdef ORDO_TINY
    N = 8000,
    MEMORY = 160 << 10,
    RANK_MEMORY = 320 << 10,
#else
    N = 3 << 18,
    MEMORY = 8 << 20,
    RANK_MEMORY = MEMORY,
#endif
    OLD = 100,  /* bytes of the old output */
    CHANGED = 3 /* exit code of a child whose input was refused */
};

static _Atomic size_t calls, fatal; /* calls so far; the one that kills, 0: none */

/* One more call that changes files. */
static void count_call(void)
{
    if (fatal != 0 && ++calls == fatal)
        kill(getpid(), SIGKILL);
}

ssize_t __real_write(int fd, const void *from, size_t bytes);
ssize_t __real_pwrite(int fd, const void *from, size_t bytes, off_t at);
int     __real_renameat(int from, const char *name, int to, const char *other);
int     __real_unlinkat(int fd, const char *name, int flags);
int     __real_mkdir(const char *path, mode_t mode);
int     __real_rmdir(const char *path);
ssize_t __wrap_write(int fd, const void *from, size_t bytes);
ssize_t __wrap_pwrite(int fd, const void *from, size_t bytes, off_t at);
int     __wrap_fsync(int fd);
int     __wrap_fdatasync(int fd);
int     __wrap_renameat(int from, const char *name, int to, const char *other);
int     __wrap_unlinkat(int fd, const char *name, int flags);
int     __wrap_mkdir(const char *path, mode_t mode);
int     __wrap_rmdir(const char *path);

ssize_t __wrap_write(int fd, const void *from, size_t bytes)
{
    return count_call(), __real_write(fd, from, bytes);
}
ssize_t __wrap_pwrite(int fd, const void *from, size_t bytes, off_t at)
{
    return count_call(), __real_pwrite(fd, from, bytes, at);
}
/* The tests do not cut the power, so nothing is flushed: a flush waits for the disk. */
int __wrap_fsync(int fd)
{
    (void)fd;
    count_call();
    return 0;
}
int __wrap_fdatasync(int fd) { return __wrap_fsync(fd); }
int __wrap_renameat(int from, const char *name, int to, const char *other)
{
    return count_call(), __real_renameat(from, name, to, other);
}
int __wrap_unlinkat(int fd, const char *name, int flags)
{
    return count_call(), __real_unlinkat(fd, name, flags);
}
int __wrap_mkdir(const char *path, mode_t mode) { return count_call(), __real_mkdir(path, mode); }
int __wrap_rmdir(const char *path) { return count_call(), __real_rmdir(path); }

static struct {
    uint64_t ranges, levels, spilled; /* of its report */
    uint64_t calls;
} * child; /* what the last child has told; in memory that parent and child share */

static char     folder[] = "kill-XXXXXX";
static char     in_path[64], out_path[64], new_path[64], spill_path[64], resume_path[64];
static uint64_t input[N], result[N];

typedef enum verb {
    SORT,
    ARGSORT,
    RANK,
    VERBS
} verb;

static const char *const verb_names[] = {"sort", "argsort", "rank"};

static verb     doing;
static uint64_t memory = MEMORY;
static uint64_t expected[VERBS][N];
static char     old[OLD];

static void write_file(const char *path, const void *bytes, size_t n)
{
    FILE *const f = fopen(path, "wb");
    CHECK(f != NULL && fwrite(bytes, 1, n, f) == n && fclose(f) == 0);
}

static size_t read_file(const char *path)
{
    FILE *const f = fopen(path, "rb");
    if (f == NULL)
        return 0;
    size_t const got = fread(result, 1, sizeof result, f);
    fclose(f);
    return got;
}

static size_t entries_of(const char *path)
{
    DIR *const d = opendir(path);
    size_t     n = 0;
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;)
        n += e->d_name[0] != '.';
    if (d != NULL)
        closedir(d);
    return n;
}

/* Sorts or ranks the input to the new file and renames it. Returns an exit code. */
static int sort_and_rename(bool resumes)
{
    ordo_ctx         *ctx;
    const char *const directory = spill_path;
    if (ordo_ctx_create(&ctx, &ORDO_OPTS(ordo_ctx_opts, .threads = 2)) != ORDO_OK)
        return 2;
    int const           in = open(in_path, O_RDONLY);
    int const           out = open(new_path, O_WRONLY | O_CREAT | (resumes ? 0 : O_TRUNC), 0600);
    ordo_elements const elements = ORDO_OPTS(ordo_elements, .type = ORDO_U64);
    ordo_source const   from = ORDO_OPTS(ordo_source, .fd = in, .name = "input");
    ordo_sink const     to = ORDO_OPTS(ordo_sink, .fd = out);
    ordo_external_opts  opts =
        ORDO_OPTS(ordo_external_opts, .memory = memory, .flags = ORDO_SPILL_IN_MEMORY,
                  .directories = &directory, .directory_count = 1);
    opts.resume_directory = resumes ? resume_path : NULL;
    ordo_external_report report = ORDO_OPTS(ordo_external_report, .n = 0);
    ordo_status const    status =
        doing == SORT ? ordo_external_sort(ctx, &elements, &from, &to, &opts, &report)
           : doing == ARGSORT
               ? ordo_external_argsort(ctx, &elements, &from, ORDO_U64, &to, &opts, &report)
               : ordo_external_rank(ctx, &elements, &from, ORDO_TIES_MIN, ORDO_U64, &to, &opts,
                                    &report);
    child->ranges = report.ranges;
    child->levels = report.levels;
    child->spilled = report.spilled;
    if (status != ORDO_OK)
        fprintf(stderr, "%s\n", ordo_last_error(ctx));
    ordo_ctx_free(ctx);
    if (status == ORDO_E_ARG)
        return CHANGED;
    return status == ORDO_OK && fsync(out) == 0 &&
                   renameat(AT_FDCWD, new_path, AT_FDCWD, out_path) == 0
               ? 0
               : 2;
}

/* Runs it in a child that dies at call number `at`. Returns 0 if it ended by itself, -1 if it was
 * killed, or its exit code. */
static int run_child(bool resumes, size_t at)
{
    fflush(NULL);
    pid_t const process = fork();
    if (process == 0) {
        calls = 0;
        fatal = at;
        if (at == SIZE_MAX) /* what it says about a refusal is expected */
            (void)freopen("/dev/null", "w", stderr);
        int const code = sort_and_rename(resumes);
        child->calls = calls;
        _exit(code);
    }
    int status = 0;
    CHECK(process > 0 && waitpid(process, &status, 0) == process);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? -1 : WEXITSTATUS(status);
}

static void check_files(bool done)
{
    CHECK_EQ_U64(sizeof input, read_file(in_path));
    CHECK_BYTES(input, result, sizeof input, sizeof *input);
    size_t const got = read_file(out_path);
    if (done || got != OLD) {
        CHECK_EQ_U64(sizeof expected[doing], got);
        CHECK_BYTES(expected[doing], result, sizeof expected[doing], sizeof(uint64_t));
    } else {
        CHECK_BYTES(old, result, OLD, 1);
    }
    CHECK_EQ_U64(0, entries_of(spill_path));
}

static void reset_output(void)
{
    write_file(out_path, old, OLD);
    (void)unlink(new_path);
}

static size_t stride(size_t at) { return getenv("ORDO_TORTURE") != NULL ? 1 : 1 + at / 6; }

static void test_without_resume(void)
{
    int end = -1;
    for (size_t at = 1; end == -1; at += stride(at)) {
        testkit_case("killed at call %zu", at);
        reset_output();
        end = run_child(false, at);
        check_files(end == 0);
    }
    CHECK_EQ_U64(0, end);
}

/* Killed, resumed and killed again, resumed. */
static void test_resume(void)
{
    int end = -1;
    for (size_t at = 1; end == -1; at += stride(at)) {
        testkit_case("%s killed at call %zu, resumed", verb_names[doing], at);
        reset_output();
        end = run_child(true, at);
        check_files(end == 0);
        if (end == -1) {
            int const again = run_child(true, at / 2 + 3);
            CHECK(again == 0 || again == -1);
            check_files(again == 0);
        }
        CHECK_EQ_U64(0, run_child(true, 0));
        check_files(true);
        CHECK(access(resume_path, F_OK) != 0);
    }
    CHECK_EQ_U64(0, end);
}

/* Ranges that were complete are not sorted again, unless the sort makes longer runs first. With the
 * shrunk thresholds it does. */
static void test_ranges(void)
{
    testkit_case("killed among the last calls");
    reset_output();
    CHECK_EQ_U64(0, run_child(true, SIZE_MAX));
    uint64_t const all = child->ranges, total = child->calls;
    bool const     is_flat = child->levels == 1;
#ifndef ORDO_TINY
    CHECK(is_flat);
#endif
    reset_output();
    CHECK(run_child(true, (size_t)total - 16) == -1); /* the last calls remove files */
    CHECK_EQ_U64(0, run_child(true, 0));
    check_files(true);
    CHECK(child->ranges < all || !is_flat);
}

/* Kills a sort after some of its runs, at a call that leaves a resume directory. */
static void leave_directory(void)
{
    char   manifest[128];
    size_t at = 12;
    snprintf(manifest, sizeof manifest, "%s/manifest", resume_path);
    while (run_child(true, at) == -1 && access(manifest, F_OK) != 0)
        at++;
    CHECK(access(manifest, F_OK) == 0);
}

static void test_changed_input(void)
{
    struct stat st;
    testkit_case("the input has changed");
    leave_directory();
    CHECK(stat(resume_path, &st) == 0 && (st.st_mode & 0777) == 0700);
    input[N / 2] ^= 1;
    write_file(in_path, input, sizeof input);
    CHECK_EQ_U64(CHANGED, run_child(true, SIZE_MAX));
    CHECK_EQ_U64(sizeof input, read_file(in_path));
}

/* Damages a byte of each file of the directory in turn. */
static void test_damage(void)
{
    static const char *const names[] = {"manifest", "index", "runs"};
    for (size_t i = 0; i < 3; i++) {
        char path[128];
        testkit_case("damaged %s", names[i]);
        snprintf(path, sizeof path, "rm -rf %s", resume_path);
        CHECK(system(path) == 0);
        leave_directory();
        snprintf(path, sizeof path, "%s/%s", resume_path, names[i]);
        int const fd = open(path, O_RDWR);
        char      byte = 0;
        CHECK(fd >= 0 && pread(fd, &byte, 1, 40) == 1);
        byte ^= 1;
        CHECK(pwrite(fd, &byte, 1, 40) == 1 && close(fd) == 0);
        CHECK(run_child(true, SIZE_MAX) > 0);
    }
}

static void name_files(void)
{
    CHECK(mkdtemp(folder) != NULL);
    snprintf(in_path, sizeof in_path, "%s/in", folder);
    snprintf(out_path, sizeof out_path, "%s/out", folder);
    snprintf(new_path, sizeof new_path, "%s/new", folder);
    snprintf(spill_path, sizeof spill_path, "%s/spill", folder);
    snprintf(resume_path, sizeof resume_path, "%s/resume", folder);
    CHECK(mkdir(spill_path, 0700) == 0);
}

/* Runs that were complete are not made again. Ranks need buffers of the same size. */
static void test_runs(void)
{
    testkit_case("%s goes on behind its runs", verb_names[doing]);
    reset_output();
    CHECK_EQ_U64(0, run_child(true, 0));
    uint64_t const whole = child->spilled;
    leave_directory();
    CHECK_EQ_U64(0, run_child(true, 0));
    check_files(true);
    CHECK(child->spilled < whole);
    if (doing != RANK)
        return;
    leave_directory();
    memory = 4 * RANK_MEMORY; /* one buffer is enough */
    CHECK_EQ_U64(CHANGED, run_child(true, SIZE_MAX));
    memory = RANK_MEMORY;
    CHECK_EQ_U64(0, run_child(true, 0));
}

static int compare(const void *a, const void *b)
{
    const uint64_t *const x = a, *const y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

/* Sorts pairs of a key and its position. */
static void make_expected(void)
{
    static uint64_t pairs[N][2];
    for (size_t i = 0; i < N; i++) {
        pairs[i][0] = input[i];
        pairs[i][1] = i;
    }
    qsort(pairs, N, sizeof *pairs, compare);
    for (size_t i = 0, first = 0; i < N; i++) {
        first = i > 0 && pairs[i][0] == pairs[first][0] ? first : i;
        expected[SORT][i] = pairs[i][0];
        expected[ARGSORT][i] = pairs[i][1];
        expected[RANK][pairs[i][1]] = first + 1;
    }
}

int main(void)
{
    char remove_all[64];
    testkit_start();
    child = mmap(NULL, sizeof *child, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!CHECK(child != MAP_FAILED))
        return testkit_done();
    name_files();
    inputs_fill(inputs_find("random bits"), ORDO_U64, input, N, 1);
    for (size_t i = 0; i < N; i++)
        input[i] %= N / 2; /* some tie */
    make_expected();
    memset(old, 'o', sizeof old);
    write_file(in_path, input, sizeof input);
    test_without_resume();
    for (doing = 0; doing < VERBS; doing++) {
        memory = doing == RANK ? RANK_MEMORY : MEMORY;
        test_resume();
        test_runs();
    }
    doing = SORT;
    memory = MEMORY;
    test_ranges();
    test_changed_input();
    test_damage();
    snprintf(remove_all, sizeof remove_all, "rm -rf %s", folder);
    CHECK(system(remove_all) == 0);
    return testkit_done();
}
