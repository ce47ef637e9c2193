/* source.c - reading a file or stdin (see source.h). A file may grow or shrink while it is read:
 * its size is only a hint for the allocation and the progress bar. */
#define _POSIX_C_SOURCE 200809L

#include "cli/io/source.h"

#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    CHUNK = 1 << 18,       /* of one read() of lines: stays in the cache until it is used */
    LARGE_CHUNK = 16 << 20 /* of one read() of a whole file                               */
};

bool source_open(source *s, const char *path)
{
    const bool  from_stdin = path == NULL || strcmp(path, "-") == 0;
    struct stat st;

    *s = (source){.name = from_stdin ? "stdin" : path, .line_end = '\n', .capacity = 2 * CHUNK};
    s->fd = from_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (s->fd < 0)
        return cli_fail("%s: cannot open: %s", s->name, strerror(errno));
    if (fstat(s->fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
        s->size = (size_t)st.st_size;
    s->block = malloc(s->capacity + 1);
    return s->block != NULL || cli_fail("%s: not enough memory to read it", s->name);
}

void source_close(source *s)
{
    if (s->fd > STDIN_FILENO)
        close(s->fd);
    free(s->block);
    s->block = NULL;
    s->fd = -1;
}

static bool grow(source *s, size_t larger)
{
    char *const block =
        larger > s->capacity && larger < SIZE_MAX ? realloc(s->block, larger + 1) : NULL;
    if (block == NULL)
        return cli_fail("%s: not enough memory for %zu bytes of input", s->name,
                        s->size > s->end ? s->size : s->end);
    s->block = block;
    s->capacity = larger;
    return true;
}

static bool read_chunk(source *s, size_t most)
{
    ssize_t got;

    if (s->capacity - s->end < CHUNK && !grow(s, 2 * s->capacity))
        return false;
    if (most > s->capacity - s->end)
        most = s->capacity - s->end;
    do
        got = read(s->fd, s->block + s->end, most);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return cli_fail("%s: cannot read: %s", s->name, strerror(errno));
    s->ended = got == 0;
    s->end += (size_t)got;
    s->done += (size_t)got;
    s->block[s->end] = '\0';
    if (s->size > 0)
        progress_at(s->done < s->size ? (double)s->done / (double)s->size : 1);
    return true;
}

bool source_fill(source *s, size_t length)
{
    const bool whole = length == SIZE_MAX;

    if (whole && !s->ended && s->size + CHUNK > s->capacity && !grow(s, s->size + CHUNK))
        return false;
    while (!s->ended && s->end < length)
        if (!read_chunk(s, whole ? LARGE_CHUNK : CHUNK))
            return false;
    return true;
}

char *source_take(source *s)
{
    char *const block = source_fill(s, SIZE_MAX) ? s->block : NULL;
    if (block != NULL)
        s->block = NULL;
    return block;
}

/* Drops what lies before the current line and reads the next chunk. */
static bool read_on(source *s)
{
    const size_t gone = s->line;

    memmove(s->block, s->block + gone, s->end - gone);
    s->end -= gone;
    s->next -= gone;
    s->searched -= gone;
    s->line = 0;
    return read_chunk(s, CHUNK);
}

source_result source_next(source *s)
{
    const char *stop = memchr(s->block + s->searched, s->line_end, s->end - s->searched);

    while (stop == NULL && !s->ended) {
        s->searched = s->end;
        if (!read_on(s))
            return SOURCE_FAILED;
        stop = memchr(s->block + s->searched, s->line_end, s->end - s->searched);
    }
    if (stop == NULL && s->next == s->end)
        return SOURCE_END;
    const size_t end = stop != NULL ? (size_t)(stop - s->block) : s->end;
    s->previous = s->line;
    s->previous_length = s->length;
    s->line = s->next;
    s->length = end - s->next;
    s->next = s->searched = end + (stop != NULL);
    s->number++;
    return SOURCE_LINE;
}
