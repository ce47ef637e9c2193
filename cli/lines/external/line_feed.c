/* line_feed.c - reads several files one after another (see line_feed.h). */
#define _POSIX_C_SOURCE 200809L

#include "cli/lines/external/line_feed.h"

#include "cli/io/npy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    AHEAD_FIRST = 1 << 20 /* bytes of the first piece that is read in advance */
};

static const char *name_of(const char *path)
{
    return path == NULL || strcmp(path, "-") == 0 ? "stdin" : path;
}

void line_feed_init(line_feed *f, const lines_request *request)
{
    *f = (line_feed){.request = *request, .fd = -1};
}

void line_feed_close(line_feed *f)
{
    if (f->fd > STDIN_FILENO)
        close(f->fd);
    f->fd = -1;
    free(f->ahead);
    f->ahead = NULL;
}

static ptrdiff_t fail(line_feed *f, int error)
{
    f->failed = name_of(f->request.paths[f->at]);
    f->error = error;
    errno = error != 0 ? error : EINVAL;
    return -1;
}

/* Reads from the current file; 0 at its end. */
static ptrdiff_t read_file(line_feed *f, char *into, size_t bytes)
{
    const char *const path = f->request.paths[f->at];
    ssize_t           got;

    if (f->fd < 0) {
        f->fd = path == NULL || strcmp(path, "-") == 0 ? STDIN_FILENO
                                                       : open(path, O_RDONLY | O_CLOEXEC);
        if (f->fd < 0)
            return fail(f, errno);
        f->begins = true;
        f->open = false;
    }
    do
        got = read(f->fd, into, bytes);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return fail(f, errno);
    if (f->begins && f->request.option != NULL && npy_is(into, (size_t)got))
        return fail(f, 0);
    f->begins = false;
    if (got > 0)
        f->open = into[got - 1] != f->request.line_end;
    return got;
}

ptrdiff_t line_feed_read(void *user, void *into, size_t bytes)
{
    line_feed *const f = user;

    if (f->ahead_used < f->ahead_bytes) {
        const size_t left = f->ahead_bytes - f->ahead_used, n = left < bytes ? left : bytes;
        memcpy(into, f->ahead + f->ahead_used, n);
        f->ahead_used += n;
        return (ptrdiff_t)n;
    }
    if (f->ahead != NULL) {
        free(f->ahead);
        f->ahead = NULL;
    }
    while (f->at < f->request.n) {
        const ptrdiff_t got = read_file(f, into, bytes);
        if (got != 0)
            return got;
        if (f->fd > STDIN_FILENO)
            close(f->fd);
        f->fd = -1;
        f->at++;
        if (f->open) {
            f->open = false;
            *(char *)into = f->request.line_end;
            return 1;
        }
    }
    return 0;
}

bool line_feed_ahead(line_feed *f, size_t most)
{
    char     *block = NULL;
    size_t    capacity = 0, used = 0;
    ptrdiff_t got = 1;

    while (used < most && got > 0) {
        if (used == capacity) {
            capacity = 2 * capacity + AHEAD_FIRST < most ? 2 * capacity + AHEAD_FIRST : most;
            char *const larger = realloc(block, capacity + 1);
            if (larger == NULL) {
                free(block);
                return false;
            }
            block = larger;
        }
        got = line_feed_read(f, block + used, capacity - used);
        used += got > 0 ? (size_t)got : 0;
    }
    if (block != NULL)
        block[used] = '\0';
    f->ahead = block;
    f->ahead_bytes = used;
    f->ahead_ended = got == 0;
    return got >= 0;
}

bool line_feed_complain(const line_feed *f)
{
    if (f->failed == NULL)
        return false;
    if (f->error == 0)
        cli_error("%s: this is an .npy file, but %s is for lines; leave out %s to sort numbers, or "
                  "give --text to sort lines",
                  f->failed, f->request.option, f->request.option);
    else
        cli_error("%s: cannot read: %s", f->failed, strerror(f->error));
    return true;
}

uint64_t line_feed_size(const lines_request *request)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < request->n; i++) {
        struct stat       st;
        const char *const path = request->paths[i];
        const bool        from_stdin = path == NULL || strcmp(path, "-") == 0;
        if ((from_stdin ? fstat(STDIN_FILENO, &st) : stat(path, &st)) != 0)
            continue; /* opening it will say why */
        if (!S_ISREG(st.st_mode))
            return UINT64_MAX;
        bytes += (uint64_t)st.st_size;
    }
    return bytes;
}
