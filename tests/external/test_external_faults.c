/* test_external_faults.c - every system call of the external verbs fails in turn.
 *
 * The linker sends the library's calls of open, read, write, pread, pwrite, fsync, fdatasync,
 * renameat and mkdir to the functions here. One call of a kind fails with an error, is interrupted,
 * or does only a part of its work. Interrupted and partial calls must not change the result. Errors
 * must give ORDO_E_IO with the text of the error, and the sink has received nothing but a part of
 * the right result. With ORDO_TORTURE=1 every call fails, or one of ten with the larger data, where
 * this would take hours; otherwise a selection. */
#define _GNU_SOURCE
#include "inputs.h"
#include "ordo_external.h"
#include "ordo_external_lines.h"
#include "testkit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
#ifdef ORDO_TINY
    N = 3000,
    MEMORY = 48 << 10,
    STRIDE = 1, /* calls between two that fail */
    TORTURE_STRIDE = 1
#else
    N = 5 << 18,
    MEMORY = 8 << 20,
    STRIDE = 40,
    TORTURE_STRIDE = 10
#endif
};

typedef enum call_kind {
    OPEN,
    READ,
    WRITE,
    PREAD,
    PWRITE,
    FSYNC, /* the calls from here on are only made for a resume directory */
    RENAME,
    OPENAT,
    MKDIR,
    CALL_KINDS
} call_kind;

static const char *const call_names[] = {"open",  "read",   "write",  "pread", "pwrite",
                                         "fsync", "rename", "openat", "mkdir"};

typedef enum fault {
    NO_SPACE,
    IO_ERROR,
    INTERRUPTED,
    PARTIAL,
    FAULTS
} fault;

static const char *const fault_names[] = {"ENOSPC", "EIO", "EINTR", "a part"};

static struct {
    bool           armed;
    call_kind      call;
    fault          what;
    _Atomic size_t seen,
        at; /* the call with this number fails; it and all later ones if `always` */
    bool always;
} plan;

static void arm(call_kind call, fault what, size_t at, bool always)
{
    plan.call = call;
    plan.what = what;
    plan.seen = 0;
    plan.at = at;
    plan.always = always;
    plan.armed = true;
}

/* Whether the fault happens in this call. */
static bool fails(call_kind call)
{
    if (!plan.armed || plan.call != call)
        return false;
    size_t const number = ++plan.seen;
    return number == plan.at || (plan.always && number > plan.at);
}

/* The result of a failing call; 0 if it does a part of its work instead. */
static ssize_t fault_result(void)
{
    if (plan.what == PARTIAL)
        return 0;
    errno = plan.what == NO_SPACE ? ENOSPC : plan.what == IO_ERROR ? EIO : EINTR;
    return -1;
}

int     __real_open(const char *path, int flags, ...);
int     __real_openat(int fd, const char *path, int flags, ...);
int     __real_renameat(int from, const char *name, int to, const char *other);
int     __real_mkdir(const char *path, mode_t mode);
int     __wrap_openat(int fd, const char *path, int flags, ...);
int     __wrap_fsync(int fd);
int     __wrap_fdatasync(int fd);
int     __wrap_renameat(int from, const char *name, int to, const char *other);
int     __wrap_mkdir(const char *path, mode_t mode);
ssize_t __real_read(int fd, void *into, size_t bytes);
ssize_t __real_write(int fd, const void *from, size_t bytes);
ssize_t __real_pread(int fd, void *into, size_t bytes, off_t at);
ssize_t __real_pwrite(int fd, const void *from, size_t bytes, off_t at);
int     __wrap_open(const char *path, int flags, ...);
ssize_t __wrap_read(int fd, void *into, size_t bytes);
ssize_t __wrap_write(int fd, const void *from, size_t bytes);
ssize_t __wrap_pread(int fd, void *into, size_t bytes, off_t at);
ssize_t __wrap_pwrite(int fd, const void *from, size_t bytes, off_t at);

int __wrap_open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    int const mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(args, int) : 0;
    va_end(args);
    if ((flags & O_TMPFILE) == O_TMPFILE && fails(OPEN) && fault_result() != 0)
        return -1;
    return __real_open(path, flags, mode);
}

int __wrap_openat(int fd, const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    int const mode = (flags & O_CREAT) != 0 ? va_arg(args, int) : 0;
    va_end(args);
    return fails(OPENAT) && fault_result() != 0 ? -1 : __real_openat(fd, path, flags, mode);
}

/* The tests do not cut the power, so nothing is flushed: a flush waits for the disk. */
int __wrap_fsync(int fd)
{
    (void)fd;
    return fails(FSYNC) && fault_result() != 0 ? -1 : 0;
}
int __wrap_fdatasync(int fd) { return __wrap_fsync(fd); }
int __wrap_renameat(int from, const char *name, int to, const char *other)
{
    return fails(RENAME) && fault_result() != 0 ? -1 : __real_renameat(from, name, to, other);
}
int __wrap_mkdir(const char *path, mode_t mode)
{
    return fails(MKDIR) && fault_result() != 0 ? -1 : __real_mkdir(path, mode);
}

#define PART(bytes) ((bytes) > 1 ? (bytes) / 2 : (bytes))
#define WRAP(KIND, bytes, real)                                                                    \
    do {                                                                                           \
        if (fails(KIND)) {                                                                         \
            if (fault_result() != 0)                                                               \
                return -1;                                                                         \
            (bytes) = PART(bytes);                                                                 \
        }                                                                                          \
        return real;                                                                               \
    } while (0)

ssize_t __wrap_read(int fd, void *into, size_t bytes)
{
    WRAP(READ, bytes, __real_read(fd, into, bytes));
}
ssize_t __wrap_write(int fd, const void *from, size_t bytes)
{
    WRAP(WRITE, bytes, __real_write(fd, from, bytes));
}
ssize_t __wrap_pread(int fd, void *into, size_t bytes, off_t at)
{
    WRAP(PREAD, bytes, __real_pread(fd, into, bytes, at));
}
ssize_t __wrap_pwrite(int fd, const void *from, size_t bytes, off_t at)
{
    WRAP(PWRITE, bytes, __real_pwrite(fd, from, bytes, at));
}

typedef enum verb {
    SORT,
    RESUMED, /* a sort with a resume directory */
    ARGSORT,
    RANK,
    RANK_JOINED, /* with less memory */
    TOPK,
    SELECT,
    LINES, /* the keys as text whose lines end with its last byte */
    VERBS
} verb;

static const char *const verb_names[] = {"sort",        "resumed", "argsort", "rank",
                                         "rank joined", "topk",    "select",  "lines"};

static uint64_t   *input, *expected[VERBS], *result;
static size_t      counts[VERBS]; /* results */
static int         in, out;
static const char *resume_path = "faults-resume";

static uint64_t memory_factor = 1;
static uint64_t join_memory = 2 * MEMORY; /* with which a rank joins runs, if there is such */

static ordo_external_report report; /* of the last rank */

static const uint64_t places[] = {0, N / 3, N - 1};

static uint64_t memory_of(verb v)
{
    return v == RANK_JOINED                          ? join_memory
           : v == RANK || v == ARGSORT || v == LINES ? 2 * MEMORY
                                                     : MEMORY;
}

static ordo_status run_verb(ordo_ctx *ctx, verb v, const char *const *directories, size_t count)
{
    ordo_elements const    elements = ORDO_OPTS(ordo_elements, .type = ORDO_U64);
    ordo_line_format const lines =
        ORDO_OPTS(ordo_line_format, .end = (uint32_t)(input[N - 1] >> 56));
    ordo_external_opts opts = ORDO_OPTS(ordo_external_opts, .memory = memory_of(v) * memory_factor,
                                        .flags = ORDO_SPILL_IN_MEMORY, .directories = directories,
                                        .directory_count = count);
    ordo_source const  from = ORDO_OPTS(ordo_source, .fd = in);
    ordo_sink const    to = ORDO_OPTS(ordo_sink, .fd = out);
    CHECK(lseek(in, 0, SEEK_SET) == 0 && lseek(out, 0, SEEK_SET) == 0 && ftruncate(out, 0) == 0);
    opts.resume_directory = v == RESUMED ? resume_path : NULL;
    switch (v) {
    case ARGSORT:
        return ordo_external_argsort(ctx, &elements, &from, ORDO_U64, &to, &opts, NULL);
    case RANK:
    case RANK_JOINED:
        report = ORDO_OPTS(ordo_external_report, .n = 0);
        return ordo_external_rank(ctx, &elements, &from, ORDO_TIES_MIN, ORDO_U64, &to, &opts,
                                  &report);
    case TOPK:
        return ordo_external_topk(ctx, &elements, &from, counts[TOPK], &to, &opts, NULL);
    case LINES:
        return ordo_external_sort_lines(ctx, &lines, &from, &to, &opts, NULL);
    case SELECT:
        return ordo_external_select(ctx, &elements, &from, places, 3, result, &opts, NULL);
    default:
        return ordo_external_sort(ctx, &elements, &from, &to, &opts, NULL);
    }
}

/* The sink has received the first bytes of the result, and all of them after ORDO_OK. */
static void check_results(verb v, ordo_status status)
{
    size_t const bytes = counts[v] * sizeof *result;
    if (v == SELECT && status == ORDO_OK)
        CHECK_BYTES(expected[v], result, bytes, 1);
    if (v == SELECT)
        return;
    ssize_t const got = pread(out, result, bytes + 1, 0);
    CHECK(status == ORDO_OK ? got == (ssize_t)bytes : got >= 0 && got <= (ssize_t)bytes);
    CHECK_BYTES(expected[v], result, (size_t)got, 1);
}

/* Sorts without a fault; the directory of an earlier failure is used and removed. */
static void finish_resumed(ordo_ctx *ctx)
{
    CHECK_STATUS(ORDO_OK, run_verb(ctx, RESUMED, NULL, 0), ctx);
    check_results(RESUMED, ORDO_OK);
    CHECK(access(resume_path, F_OK) != 0);
}

/* Makes call number `at` of a kind fail. Returns whether there was such a call. */
static bool try_fault(ordo_ctx *ctx, verb v, call_kind call, fault what, size_t at, bool always)
{
    static const char *const here[] = {"."};
    testkit_case("%s: %s %zu%s: %s", verb_names[v], call_names[call], at,
                 always ? " and later ones" : "", fault_names[what]);
    arm(call, what, at, always);
    ordo_status const status = run_verb(ctx, v, here, 1);
    plan.armed = false;
    bool const happened = plan.seen >= at;
    bool const repeats = call == READ || call == WRITE || call == PREAD || call == PWRITE;
    bool const harmless = (what == INTERRUPTED && repeats) || what == PARTIAL || !happened;
    if (!repeats && what == INTERRUPTED && happened)
        CHECK(status == ORDO_E_IO || status == ORDO_OK);
    else
        CHECK_STATUS(harmless ? ORDO_OK : ORDO_E_IO, status, ctx);
    if (status == ORDO_E_IO)
        CHECK(strstr(ordo_last_error(ctx), strerror(what == NO_SPACE      ? ENOSPC
                                                    : what == INTERRUPTED ? EINTR
                                                                          : EIO)));
    check_results(v, status);
    if (v == RESUMED && status != ORDO_OK)
        finish_resumed(ctx);
    return happened;
}

/* The verbs besides sort get fewer faults, and only the kinds of calls that they make. */
static void test_faults(ordo_ctx *ctx)
{
    bool const all = getenv("ORDO_TORTURE") != NULL;
    for (verb v = 0; v < VERBS; v++)
        for (call_kind call = 0; call < (v == RESUMED ? CALL_KINDS : FSYNC); call++)
            for (fault what = 0; what < FAULTS; what++) {
                if (v != SORT && !all && (what == NO_SPACE || what == INTERRUPTED))
                    continue;
                size_t at = 1, step = all ? TORTURE_STRIDE : 1;
                bool   happened = try_fault(ctx, v, call, what, at, false);
                CHECK(happened || v != SORT);
                while (happened && at < 4000) {
                    at += step;
                    step += all ? 0 : (v == SORT ? 1 : (size_t)3) * STRIDE + step / 2;
                    happened = try_fault(ctx, v, call, what, at, false);
                }
            }
    try_fault(ctx, SORT, PWRITE, NO_SPACE, 2, true);
    try_fault(ctx, SORT, READ, IO_ERROR, 2, true);
}

/* If the first directory becomes full, the next one takes the rest. */
static void test_full_directory(ordo_ctx *ctx)
{
    static const char *const two[] = {".", ".."};
    testkit_case("a full directory");
    for (size_t at = 1; at < 10; at += 2) {
        arm(PWRITE, NO_SPACE, at, false);
        ordo_status const status = run_verb(ctx, SORT, two, 2);
        plan.armed = false;
        CHECK_STATUS(ORDO_OK, status, ctx);
        CHECK(plan.seen > at);
        check_results(SORT, status);
    }
}

/* Looks for a limit of memory with which a rank joins runs. Without the shrunk thresholds there is
 * none for so few keys. */
static void find_join_memory(ordo_ctx *ctx)
{
    for (uint64_t memory = MEMORY; memory < 2 * MEMORY; memory += MEMORY / 48) {
        join_memory = memory;
        if (run_verb(ctx, RANK_JOINED, NULL, 0) == ORDO_OK && report.levels == 2 &&
            strcmp(report.step[1].name, "longer runs") == 0)
            return;
    }
    join_memory = 2 * MEMORY;
#ifdef ORDO_TINY
    testkit_case("no limit joins runs");
    CHECK(false);
#endif
}

/* The results in memory, of which the external verbs must write the same bytes. */
static void make_expected(ordo_ctx *ctx)
{
    for (verb v = 0; v < VERBS; v++) {
        expected[v] = test_keep(N * sizeof *input);
        counts[v] = v == TOPK ? N / 2 : v == SELECT ? 3 : N;
    }
    memcpy(expected[SORT], input, N * sizeof *input);
    CHECK_STATUS(ORDO_OK, ordo_sort(ctx, ORDO_U64, expected[SORT], N, NULL), ctx);
    memcpy(expected[RESUMED], expected[SORT], N * sizeof *input);
    memcpy(expected[TOPK], expected[SORT], N * sizeof *input);
    for (size_t i = 0; i < 3; i++)
        expected[SELECT][i] = expected[SORT][places[i]];
    CHECK_STATUS(ORDO_OK, ordo_argsort(ctx, ORDO_U64, input, N, ORDO_U64, expected[ARGSORT], NULL),
                 ctx);
    CHECK_STATUS(ORDO_OK,
                 ordo_rank(ctx, ORDO_U64, input, N, ORDO_U64, expected[RANK],
                           &ORDO_OPTS(ordo_rank_opts, .ties = ORDO_TIES_MIN)),
                 ctx);
    memcpy(expected[RANK_JOINED], expected[RANK], N * sizeof *input);
    /* Enough memory: no temporary files. */
    memory_factor = 64;
    CHECK_STATUS(ORDO_OK, run_verb(ctx, LINES, NULL, 0), ctx);
    memory_factor = 1;
    CHECK(pread(out, expected[LINES], N * sizeof *input, 0) == (ssize_t)(N * sizeof *input));
}

int main(void)
{
    testkit_start();
    ordo_ctx *const ctx = test_context_make(1);
    char            in_name[] = "faults-in-XXXXXX", out_name[] = "faults-out-XXXXXX";
    char            resume_name[64];
    snprintf(resume_name, sizeof resume_name, "faults-resume-%ld", (long)getpid());
    resume_path = resume_name;
    input = test_keep(N * sizeof *input);
    result = test_keep((N + 1) * sizeof *input);
    in = mkstemp(in_name);
    out = mkstemp(out_name);
    CHECK(in >= 0 && out >= 0 && unlink(in_name) == 0 && unlink(out_name) == 0);
    inputs_fill(inputs_find("random bits"), ORDO_U64, input, N, 1);
    CHECK(write(in, input, N * sizeof *input) == (ssize_t)(N * sizeof *input));
    make_expected(ctx);
    find_join_memory(ctx);
    test_faults(ctx);
    test_full_directory(ctx);
    ordo_ctx_free(ctx);
    return testkit_done();
}
