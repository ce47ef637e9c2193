/* linestream.c - lines one after another (see linestream.h). */
#define _POSIX_C_SOURCE 200809L

#include "cli/io/linestream.h"

#include "cli/cli.h"
#include "cli/io/input.h"
#include "cli/ui/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    CHUNK = 1 << 18 /* bytes of one read(): larger ones leave the cache before they are used */
};

bool linestream_open(linestream *s, const char *path)
{
    struct stat st;

    *s = (linestream){.name = input_name(path), .capacity = 2 * CHUNK};
    s->fd = input_open(path, s->name);
    if (s->fd < 0)
        return false;
    if (fstat(s->fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
        s->size = (size_t)st.st_size;
    s->block = malloc(s->capacity + 1);
    if (s->block == NULL)
        cli_error("%s: not enough memory to read it", s->name);
    return s->block != NULL;
}

void linestream_close(linestream *s)
{
    if (s->fd > STDIN_FILENO)
        close(s->fd);
    free(s->block);
    s->block = NULL;
    s->fd = -1;
}

/* Makes room for a chunk behind block[0..end). */
static bool make_room(linestream *s)
{
    if (s->capacity - s->end >= CHUNK)
        return true;
    size_t      larger;
    char *const block = __builtin_mul_overflow(s->capacity, (size_t)2, &larger)
                            ? NULL
                            : realloc(s->block, larger + 1);
    if (block == NULL) {
        cli_error("%s: not enough memory for %zu bytes of input", s->name, s->end);
        return false;
    }
    s->block = block;
    s->capacity = larger;
    return true;
}

static bool read_chunk(linestream *s)
{
    ssize_t got;

    if (!make_room(s))
        return false;
    do
        got = read(s->fd, s->block + s->end, CHUNK);
    while (got < 0 && errno == EINTR);
    if (got < 0) {
        cli_error("%s: cannot read: %s", s->name, strerror(errno));
        return false;
    }
    s->ended = got == 0;
    s->end += (size_t)got;
    s->done += (size_t)got;
    s->block[s->end] = '\0';
    if (s->size > 0)
        progress_at(s->done < s->size ? (double)s->done / (double)s->size : 1);
    return true;
}

bool linestream_fill(linestream *s, size_t length)
{
    while (!s->ended && s->end < length)
        if (!read_chunk(s))
            return false;
    return true;
}

/* Drops what lies before the current line and reads on. */
static bool read_on(linestream *s)
{
    const size_t gone = s->line;

    memmove(s->block, s->block + gone, s->end - gone);
    s->end -= gone;
    s->next -= gone;
    s->searched -= gone;
    s->line = 0;
    return read_chunk(s);
}

linestream_result linestream_next_slowly(linestream *s)
{
    const char *newline = NULL;

    while (newline == NULL && !s->ended) {
        s->searched = s->end;
        if (!read_on(s))
            return LINESTREAM_FAILED;
        newline = memchr(s->block + s->searched, '\n', s->end - s->searched);
    }
    if (newline == NULL && s->next == s->end)
        return LINESTREAM_END;
    linestream_take(s, newline != NULL ? (size_t)(newline - s->block) : s->end, newline != NULL);
    return LINESTREAM_LINE;
}
