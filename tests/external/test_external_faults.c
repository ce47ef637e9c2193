/* test_external_faults.c - every system call of an external sort fails in turn.
 *
 * The linker sends the library's calls of open, read, write, pread, pwrite and fallocate to the
 * functions here. One call of a kind fails with an error, is interrupted, or does only a part of
 * its work. Interrupted and partial calls must not change the result. Errors must give ORDO_E_IO
 * with the text of the error, and the sink has received nothing but a part of the right result. */
#define _GNU_SOURCE
#include "inputs.h"
#include "ordo_external.h"
#include "testkit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
#ifdef ORDO_TINY
    N = 3000,
    MEMORY = 48 << 10,
    STRIDE = 1 /* calls between two that fail */
#else
    N = 5 << 18,
    MEMORY = 8 << 20,
    STRIDE = 40
#endif
};

typedef enum call_kind {
    OPEN,
    READ,
    WRITE,
    PREAD,
    PWRITE,
    CALL_KINDS
} call_kind;

static const char *const call_names[] = {"open", "read", "write", "pread", "pwrite"};

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

static uint64_t *input, *expected, *result;
static int       in, out;

static ordo_status sort_files(ordo_ctx *ctx, const char *const *directories, size_t count)
{
    ordo_elements const      elements = ORDO_OPTS(ordo_elements, .type = ORDO_U64);
    ordo_external_opts const opts =
        ORDO_OPTS(ordo_external_opts, .memory = MEMORY, .flags = ORDO_SPILL_IN_MEMORY,
                  .directories = directories, .directory_count = count);
    ordo_source const from = ORDO_OPTS(ordo_source, .fd = in);
    ordo_sink const   to = ORDO_OPTS(ordo_sink, .fd = out);
    CHECK(lseek(in, 0, SEEK_SET) == 0 && lseek(out, 0, SEEK_SET) == 0 && ftruncate(out, 0) == 0);
    return ordo_external_sort(ctx, &elements, &from, &to, &opts, NULL);
}

/* The sink has received the first bytes of the result, and all of them after ORDO_OK. */
static void check_sink(ordo_status status)
{
    size_t const  bytes = N * sizeof *result;
    ssize_t const got = pread(out, result, bytes, 0);
    CHECK(status == ORDO_OK ? got == (ssize_t)bytes : got >= 0);
    CHECK_BYTES(expected, result, (size_t)got, 1);
}

/* Makes call number `at` of a kind fail. Returns whether there was such a call. */
static bool try_fault(ordo_ctx *ctx, call_kind call, fault what, size_t at, bool always)
{
    static const char *const here[] = {"."};
    testkit_case("%s %zu%s: %s", call_names[call], at, always ? " and later ones" : "",
                 fault_names[what]);
    arm(call, what, at, always);
    ordo_status const status = sort_files(ctx, here, 1);
    plan.armed = false;
    bool const happened = plan.seen >= at;
    bool const harmless = what == INTERRUPTED || what == PARTIAL || !happened;
    if (call == OPEN && what == INTERRUPTED && happened)
        CHECK(status == ORDO_E_IO || status == ORDO_OK);
    else
        CHECK_STATUS(harmless ? ORDO_OK : ORDO_E_IO, status, ctx);
    if (status == ORDO_E_IO)
        CHECK(strstr(ordo_last_error(ctx), strerror(what == NO_SPACE      ? ENOSPC
                                                    : what == INTERRUPTED ? EINTR
                                                                          : EIO)));
    check_sink(status);
    return happened;
}

static void test_faults(ordo_ctx *ctx)
{
    for (call_kind call = 0; call < CALL_KINDS; call++)
        for (fault what = 0; what < FAULTS; what++) {
            size_t at = 1, step = 1;
            bool   happened = try_fault(ctx, call, what, at, false);
            CHECK(happened);
            while (happened && at < 4000) {
                at += step;
                step += STRIDE + step / 2;
                happened = try_fault(ctx, call, what, at, false);
            }
        }
    try_fault(ctx, PWRITE, NO_SPACE, 2, true);
    try_fault(ctx, READ, IO_ERROR, 2, true);
}

/* If the first directory becomes full, the next one takes the rest. */
static void test_full_directory(ordo_ctx *ctx)
{
    static const char *const two[] = {".", ".."};
    testkit_case("a full directory");
    for (size_t at = 1; at < 10; at += 2) {
        arm(PWRITE, NO_SPACE, at, false);
        ordo_status const status = sort_files(ctx, two, 2);
        plan.armed = false;
        CHECK_STATUS(ORDO_OK, status, ctx);
        CHECK(plan.seen > at);
        check_sink(status);
    }
}

int main(void)
{
    testkit_start();
    ordo_ctx *const ctx = test_context_make(1);
    char            in_name[] = "faults-in-XXXXXX", out_name[] = "faults-out-XXXXXX";
    input = test_keep(N * sizeof *input);
    expected = test_keep(N * sizeof *input);
    result = test_keep(N * sizeof *input);
    in = mkstemp(in_name);
    out = mkstemp(out_name);
    CHECK(in >= 0 && out >= 0 && unlink(in_name) == 0 && unlink(out_name) == 0);
    inputs_fill(inputs_find("random bits"), ORDO_U64, input, N, 1);
    memcpy(expected, input, N * sizeof *input);
    CHECK_STATUS(ORDO_OK, ordo_sort(ctx, ORDO_U64, expected, N, NULL), ctx);
    CHECK(write(in, input, N * sizeof *input) == (ssize_t)(N * sizeof *input));
    test_faults(ctx);
    test_full_directory(ctx);
    ordo_ctx_free(ctx);
    return testkit_done();
}
