/* mpi_shim.c - a library to preload into ordo-mpi that makes one call fail on one rank, for mpi.sh
 * and mpi_calls.sh.
 *
 * ORDO_SHIM is "malloc BYTES NUMBER" (that malloc of so many bytes by the program returns NULL),
 * "wait NUMBER" (that MPI_Waitall returns an error) or "call NUMBER" (that call by the program of
 * one of the functions below, for memory or files, fails). ORDO_SHIM_RANK is the rank. The file
 * ORDO_SHIM_FILE gets the name of the function whose call failed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);

static size_t fail_bytes, malloc_left;
static long   waits_left, calls_left;

static int is_chosen(void)
{
    const char *const wanted = getenv("ORDO_SHIM_RANK");
    int               started, ended, rank;
    MPI_Initialized(&started);
    MPI_Finalized(&ended);
    if (!started || ended || wanted == NULL)
        return 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank == atoi(wanted);
}

__attribute__((constructor)) static void read_wish(void)
{
    const char *const wish = getenv("ORDO_SHIM");
    if (wish == NULL || sscanf(wish, "malloc %zu %zu", &fail_bytes, &malloc_left) == 2 ||
        sscanf(wish, "call %ld", &calls_left) == 1)
        return;
    sscanf(wish, "wait %ld", &waits_left);
}

static int from_program(const void *caller)
{
    Dl_info from;
    return dladdr(caller, &from) != 0 && strstr(from.dli_fname, "ordo-mpi") != NULL;
}

/* Whether this call is the one that fails. */
static int strikes(const char *function, const void *caller)
{
    if (calls_left <= 0 || !from_program(caller) || !is_chosen() || --calls_left > 0)
        return 0;
    const char *const name = getenv("ORDO_SHIM_FILE");
    long const        fd =
        name != NULL ? syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CREAT, 0644) : -1;
    if (fd >= 0) {
        syscall(SYS_write, (int)fd, function, strlen(function));
        syscall(SYS_close, (int)fd);
    }
    errno = strcmp(function, "malloc") == 0 || strcmp(function, "calloc") == 0 ? ENOMEM : EIO;
    return 1;
}

#define STRIKES() strikes(__func__, __builtin_return_address(0))

void *malloc(size_t bytes)
{
    if (malloc_left > 0 && bytes == fail_bytes && from_program(__builtin_return_address(0)) &&
        is_chosen() && --malloc_left == 0)
        return NULL;
    return STRIKES() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes) { return STRIKES() ? NULL : __libc_calloc(count, bytes); }

int open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    int const mode = (flags & O_CREAT) != 0 ? va_arg(rest, int) : 0;
    va_end(rest);
    return STRIKES() ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

/* A function with the arguments of the next library's, which fails or is called. */
#define NEXT(type, name, parameters, arguments)                                                    \
    type name parameters                                                                           \
    {                                                                                              \
        type(*next) parameters;                                                                    \
        void *const symbol = dlsym(RTLD_NEXT, #name);                                              \
        memcpy(&next, &symbol, sizeof next);                                                       \
        return STRIKES() ? -1 : next arguments;                                                    \
    }

NEXT(int, fstat, (int fd, struct stat *out), (fd, out))
NEXT(int, fchmod, (int fd, mode_t mode), (fd, mode))
NEXT(int, mkdir, (const char *path, mode_t mode), (path, mode))
NEXT(int, mkstemp, (char *name), (name))
NEXT(int, fsync, (int fd), (fd))
NEXT(int, rename, (const char *from, const char *to), (from, to))
NEXT(ssize_t, pread, (int fd, void *to, size_t bytes, off_t at), (fd, to, bytes, at))
NEXT(ssize_t, pwrite, (int fd, const void *from, size_t bytes, off_t at), (fd, from, bytes, at))

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    if (waits_left > 0 && is_chosen() && --waits_left == 0)
        return MPI_ERR_OTHER;
    return PMPI_Waitall(count, requests, statuses);
}
