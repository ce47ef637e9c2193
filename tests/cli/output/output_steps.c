/* output_steps.c - output.h under signals, kills and failing calls, at every step that matters.
 *
 * A child writes a file. This program replaces the functions of the C library that change files,
 * and counts the child's calls of them. For every k the child is started again and, just before
 * call k, is killed, gets a signal from its parent, or sees the call fail. Afterwards the file must
 * be the old or the complete new one, and nothing may be left beside it that a next run does not
 * remove. */
#define _GNU_SOURCE

#include "cli/io/output.h"
#include "cli/ui/context.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

typedef enum event {
    NOTHING,
    KILL,   /* SIGKILL                                                 */
    SIGNAL, /* the child stops; the parent sends a signal and goes on  */
    FAIL    /* the call returns -1 with ENOSPC                         */
} event;

typedef enum file_system {
    NAMELESS, /* O_TMPFILE and linkat() work         */
    NAMED,    /* there is no O_TMPFILE               */
    NO_LINKS  /* O_TMPFILE works, linkat() does not  */
} file_system;

typedef enum scenario {
    FRESH,
    OLD,
    SYMLINK,
    DANGLING,
    HARD_LINK,
    SCENARIOS
} scenario;

static const char *const scenario_names[] = {"fresh", "old", "symlink", "dangling", "hard link"};
static const char        old_text[] = "the old text, which is longer than the new one\n";
static const char        new_text[] = "the new text\n";

static struct { /* of the child */
    bool        armed;
    event       what;
    int         at, calls;
    file_system system;
} plan;

static int failures;

/* ---- The functions of the C library ----------------------------------------------------- */

static bool must_fail(void)
{
    if (!plan.armed || plan.calls++ != plan.at)
        return false;
    if (plan.what == KILL)
        raise(SIGKILL);
    if (plan.what == SIGNAL)
        raise(SIGSTOP);
    errno = ENOSPC;
    return plan.what == FAIL;
}

int open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    const int mode = va_arg(args, int);
    va_end(args);
    const bool nameless = (flags & O_TMPFILE) == O_TMPFILE;
    if (plan.armed && nameless && plan.system == NAMED) {
        errno = EOPNOTSUPP;
        return -1;
    }
    if ((nameless || (flags & (O_CREAT | O_WRONLY)) != 0) && must_fail())
        return -1;
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags)
{
    if (plan.armed && plan.system == NO_LINKS) {
        errno = EPERM;
        return -1;
    }
    return must_fail() ? -1 : (int)syscall(SYS_linkat, from_dir, from, to_dir, to, flags);
}

int rename(const char *from, const char *to)
{
    return must_fail() ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int unlink(const char *path)
{
    const bool fails = plan.what != FAIL && must_fail(); /* names that stay are not to be tested */
    return fails ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

ssize_t write(int fd, const void *data, size_t length)
{
    return must_fail() ? -1 : (ssize_t)syscall(SYS_write, fd, data, length);
}

ssize_t pwrite(int fd, const void *data, size_t length, off_t at)
{
    return must_fail() ? -1 : (ssize_t)syscall(SYS_pwrite64, fd, data, length, at);
}

static off_t behind, behind_at_flush; /* bytes that the system was asked to write to the disk */

int sync_file_range(int fd, off_t from, off_t length, unsigned flags)
{
    (void)fd, (void)from, (void)flags;
    behind += length;
    return 0;
}

int fsync(int fd)
{
    (void)fd; /* no test pulls the plug */
    behind_at_flush = behind_at_flush > behind ? behind_at_flush : behind;
    return must_fail() ? -1 : 0;
}

int ftruncate(int fd, off_t length)
{
    return must_fail() ? -1 : (int)syscall(SYS_ftruncate, fd, length);
}

int fallocate(int fd, int mode, off_t from, off_t length)
{
    return must_fail() ? -1 : (int)syscall(SYS_fallocate, fd, mode, from, length);
}

int fchmod(int fd, mode_t mode) { return must_fail() ? -1 : (int)syscall(SYS_fchmod, fd, mode); }

int flock(int fd, int how) { return must_fail() ? -1 : (int)syscall(SYS_flock, fd, how); }

/* ---- One run ---------------------------------------------------------------------------- */

/* Writes the new text as a command would. */
static int write_file(const char *path)
{
    const common_options common = {.threads = 1, .device = ORDO_CPU};
    output               out;

    if (context_open("test", &common) == NULL)
        return 3;
    plan.armed = true;
    const bool ok = output_open(&out, path, FORMAT_TEXT) && output_bytes(&out, new_text, 4) &&
                    output_bytes(&out, new_text + 4, sizeof new_text - 5) && output_commit(&out);
    output_abandon(&out);
    plan.armed = false;
    context_close();
    return ok ? CLI_OK : CLI_TROUBLE;
}

/* Returns what waitpid() says of the child; *reached: it came to the call. */
static int run(const char *path, event what, int at, file_system system, int signal_number,
               bool *reached)
{
    int         status = 0;
    const pid_t child = fork();

    if (child == 0) {
        const struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        if (freopen("/dev/null", "w", stderr) == NULL)
            _exit(4);
        plan.what = what;
        plan.at = at;
        plan.system = system;
        const int code = write_file(path);
        _exit(plan.calls > at ? code : 10 + code);
    }
    waitpid(child, &status, WUNTRACED);
    if (WIFSTOPPED(status)) {
        kill(child, signal_number);
        kill(child, SIGCONT);
        waitpid(child, &status, 0);
    }
    *reached = !(WIFEXITED(status) && WEXITSTATUS(status) >= 10);
    return WIFEXITED(status) && !*reached ? 0 : status;
}

static void make_text(const char *path, const char *text)
{
    FILE *const file = fopen(path, "w");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}

static bool has_text(const char *path, const char *text)
{
    char        bytes[128] = "";
    FILE *const file = fopen(path, "r");
    if (file == NULL)
        return false;
    const size_t got = fread(bytes, 1, sizeof bytes - 1, file);
    fclose(file);
    return got == strlen(text) && memcmp(bytes, text, got) == 0;
}

/* How many files are in the folder whose names begin with `prefix`; removes them if asked to. */
static int count_files(const char *prefix, bool remove_them)
{
    DIR *const           folder = opendir(".");
    const struct dirent *entry;
    int                  n = 0;

    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        const bool dots = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
        if (dots || strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
            continue;
        n++;
        if (remove_them)
            unlink(entry->d_name);
    }
    if (folder != NULL)
        closedir(folder);
    return n;
}

/* Makes the files of a scenario in an empty folder. "file" is what the results are in. */
static const char *prepare(scenario s)
{
    bool ok = true;

    count_files("", true);
    if (s == OLD || s == SYMLINK || s == HARD_LINK)
        make_text("file", old_text);
    if (s == SYMLINK || s == DANGLING)
        ok = symlink("file", "link") == 0;
    if (s == HARD_LINK)
        ok = link("file", "link") == 0;
    if (!ok) {
        perror("link");
        exit(1);
    }
    return s == SYMLINK || s == DANGLING ? "link" : "file";
}

/* ---- What must hold --------------------------------------------------------------------- */

static void expect(bool ok, const char *what, scenario s, file_system system, event e, int at)
{
    if (ok)
        return;
    failures++;
    fprintf(stderr, "%s, file system %d, event %d at call %d: %s\n", scenario_names[s], (int)system,
            (int)e, at, what);
}

static bool link_kept(scenario s)
{
    struct stat link_status, file_status;

    if (s == FRESH || s == OLD || lstat("link", &link_status) != 0)
        return s == FRESH || s == OLD;
    if (s == HARD_LINK)
        return stat("file", &file_status) == 0 && link_status.st_ino == file_status.st_ino;
    return S_ISLNK(link_status.st_mode);
}

static bool is_old(scenario s)
{
    return s == FRESH || s == DANGLING ? access("file", F_OK) != 0 : has_text("file", old_text);
}

/* After a run that did not end well: a run that is left alone succeeds and removes the rest. */
static void check_next_run(const char *path, scenario s, file_system system, event e, int at)
{
    bool reached;

    if (count_files("file.ordo-new", false) > 0) { /* the user must decide */
        expect(run(path, NOTHING, -1, system, 0, &reached) >> 8 == CLI_TROUBLE,
               "file.ordo-new was overlooked", s, system, e, at);
        expect(has_text("file.ordo-new", new_text), "file.ordo-new was changed", s, system, e, at);
        unlink("file.ordo-new");
    }
    expect(run(path, NOTHING, -1, system, 0, &reached) == 0, "the next run failed", s, system, e,
           at);
    expect(has_text("file", new_text), "the next run wrote something else", s, system, e, at);
    expect(count_files(".ordo-", false) == 0, "the next run left a file", s, system, e, at);
}

static void check(const char *path, scenario s, file_system system, event e, int at, int status,
                  int signal_number)
{
    const int  temps = count_files(".ordo-", false);
    const bool saved = has_text("file.ordo-new", new_text);
    const bool is_new = has_text("file", new_text);
    const bool failed = WIFEXITED(status) && WEXITSTATUS(status) == CLI_TROUBLE;

    expect(link_kept(s), "the link is gone", s, system, e, at);
    expect(is_new || is_old(s) || (s == HARD_LINK && saved && e != SIGNAL), "the file is damaged",
           s, system, e, at);
    expect(!failed || !is_new || saved, "a run that failed replaced the file", s, system, e, at);
    expect(temps <= (e == KILL ? 1 : 0), "temporary files are left", s, system, e, at);
    if (e == KILL)
        expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "not killed", s, system, e, at);
    else if (e == SIGNAL)
        expect(WIFSIGNALED(status) && WTERMSIG(status) == signal_number,
               "did not die of its signal", s, system, e, at);
    else
        expect(WIFEXITED(status) &&
                   WEXITSTATUS(status) == (is_new && !saved ? CLI_OK : CLI_TROUBLE),
               "wrong exit status", s, system, e, at);
    check_next_run(path, s, system, e, at);
}

static const int signals[] = {SIGTERM, SIGQUIT, SIGPIPE, SIGALRM, SIGXFSZ, SIGHUP,   SIGINT,
                              SIGXCPU, SIGUSR1, SIGUSR2, SIGPROF, SIGPOLL, SIGVTALRM};
enum {
    SIGNALS = sizeof signals / sizeof *signals
};

/* Returns how many calls there were. */
static int check_every_call(scenario s, file_system system, event e)
{
    static int next_signal;

    for (int at = 0;; at++) {
        const int         signal_number = signals[next_signal++ % SIGNALS];
        const char *const path = prepare(s);
        bool              reached;
        const int         status = run(path, e, at, system, signal_number, &reached);
        if (!reached)
            return at;
        check(path, s, system, e, at, status, signal_number);
    }
}

/* Every signal while a file has a name. */
static void check_every_signal(void)
{
    for (int i = 0; i < SIGNALS; i++) {
        const char *const path = prepare(OLD);
        bool              reached;
        const int         status = run(path, SIGNAL, 2, NAMED, signals[i], &reached);
        expect(reached, "too few calls", OLD, NAMED, SIGNAL, 2);
        check(path, OLD, NAMED, SIGNAL, 2, status, signals[i]);
    }
}

/* A file that a live run holds is not removed. */
static void check_live_run(void)
{
    bool      reached;
    const int fd = (prepare(OLD), open(".ordo-tmp-0", O_RDWR | O_CREAT | O_EXCL, 0600));

    make_text(".ordo-tmp-1", "of a dead run");
    expect(fd >= 0 && flock(fd, LOCK_EX) == 0, "cannot lock", OLD, NAMED, NOTHING, 0);
    expect(run("file", NOTHING, -1, NAMED, 0, &reached) == 0, "failed", OLD, NAMED, NOTHING, 0);
    expect(access(".ordo-tmp-0", F_OK) == 0, "removed a live file", OLD, NAMED, NOTHING, 0);
    expect(access(".ordo-tmp-1", F_OK) != 0, "left a dead file", OLD, NAMED, NOTHING, 0);
    close(fd);
}

/* The disk begins to write a large file long before the file is flushed. */
static void check_write_behind(void)
{
    const common_options common = {.threads = 1, .device = ORDO_CPU};
    const size_t         piece = 1 << 20, pieces = 40;
    char *const          bytes = calloc(1, piece);
    output               out;

    prepare(FRESH);
    bool ok = bytes != NULL && context_open("test", &common) != NULL &&
              output_open(&out, "file", FORMAT_TEXT);
    for (size_t i = 0; ok && i < pieces; i++)
        ok = output_bytes(&out, bytes, piece);
    ok = ok && output_commit(&out);
    context_close();
    free(bytes);
    expect(ok, "cannot write", FRESH, NAMELESS, NOTHING, 0);
    expect(behind_at_flush >= (off_t)(piece * pieces * 3 / 4), "all is left for the flush", FRESH,
           NAMELESS, NOTHING, 0);
}

int main(void)
{
    char              folder[512];
    const char *const temporary = getenv("TMPDIR");
    const event       events[] = {KILL, SIGNAL, FAIL};
    int               calls = 0;

    snprintf(folder, sizeof folder, "%s/ordo-output-XXXXXX",
             temporary != NULL ? temporary : "/tmp");
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
        perror(folder);
        return 1;
    }
    for (int system = NAMELESS; system <= NO_LINKS; system++)
        for (int s = FRESH; s < SCENARIOS; s++)
            for (size_t e = 0; e < sizeof events / sizeof *events; e++)
                calls += check_every_call((scenario)s, (file_system)system, events[e]);
    check_every_signal();
    check_live_run();
    check_write_behind();
    count_files("", true);
    if (chdir("/") != 0 || rmdir(folder) != 0)
        perror(folder);
    printf("%d runs, %d failures\n", calls, failures);
    return failures != 0 || calls < 200;
}
