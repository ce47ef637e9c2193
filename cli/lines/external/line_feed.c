/* line_feed.c - reads several files one after another (see line_feed.h). */
#define _POSIX_C_SOURCE 200809L

#include "cli/lines/external/line_feed.h"

#include "cli/io/npy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    AHEAD_FIRST = 1 << 20 /* bytes of the first piece that is read in advance */
};

void line_feed_init(line_feed *f, const lines_request *request)
{
    *f = (line_feed){.request = *request};
}

static void close_file(line_feed *f)
{
    if (f->is_open)
        source_close(&f->s);
    f->is_open = false;
}

void line_feed_close(line_feed *f)
{
    close_file(f);
    free(f->ahead);
    f->ahead = NULL;
}

static ptrdiff_t fail(line_feed *f)
{
    f->failed = true;
    errno = EIO;
    return -1;
}

/* Reads from the current file; 0 at its end. */
static ptrdiff_t read_file(line_feed *f, char *into, size_t bytes)
{
    const char *const option = f->request.option;
    size_t            got;

    if (!f->is_open) {
        f->is_open = f->begins = true;
        f->open = false;
        if (!source_open(&f->s, f->request.paths[f->at]))
            return fail(f);
    }
    if (!source_read(&f->s, into, bytes, &got))
        return fail(f);
    if (f->begins && option != NULL && npy_is(into, got)) {
        cli_error("%s: this is an .npy file, but %s is for lines; leave out %s to sort numbers, or "
                  "give --text to sort lines",
                  f->s.name, option, option);
        return fail(f);
    }
    f->begins = false;
    if (got > 0)
        f->open = into[got - 1] != f->request.line_end;
    return (ptrdiff_t)got;
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
        close_file(f);
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
                return cli_fail("sort: not enough memory to read the input");
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
