/* source.c - reading a file or stdin (see source.h). A file may grow or shrink while it is read:
 * its size is only a hint for the allocation, the progress bar and the threads. */
#define _GNU_SOURCE /* MADV_HUGEPAGE, memrchr */

#include "cli/io/source.h"

#include "cli/cli.h"
#include "cli/io/workers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    CHUNK = 1 << 18,        /* of one read() of lines: stays in the cache until it is used    */
    LARGE_CHUNK = 16 << 20, /* of one read() of a whole file                                  */
    PIECE = 4 << 20,        /* of one pread() of a thread                                     */
    PIECES = 256,           /* read between two steps of the progress bar                     */
    HUGE_PAGE = 2 << 20
};

bool source_open(source *s, const char *path)
{
    const bool  from_stdin = path == NULL || strcmp(path, "-") == 0;
    struct stat st;

    *s = (source){.name = from_stdin ? "stdin" : path,
                  .line_end = '\n',
                  .left = SIZE_MAX,
                  .capacity = 2 * CHUNK};
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
    unpack_end(s->packed);
    free(s->block);
    s->packed = NULL;
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

/* One read(), or more bytes of a compressed file; *got == 0 is the end. */
static bool read_some(source *s, char *out, size_t most, size_t *got)
{
    ssize_t n;

    if (s->packed != NULL)
        return unpack_read(s->packed, out, most, got);
    do
        n = read(s->fd, out, most < s->left ? most : s->left);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return cli_fail("%s: cannot read: %s", s->name, strerror(errno));
    *got = (size_t)n;
    s->left -= s->left == SIZE_MAX ? 0 : *got;
    return true;
}

static bool may_be_packed(const char *name)
{
    static const char *const ends[] = {".npy", ".bin", ".raw"};
    const size_t             length = strlen(name);

    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (length >= strlen(ends[i]) && strcmp(name + length - strlen(ends[i]), ends[i]) == 0)
            return false;
    return true;
}

/* Reads the first bytes and finds out whether the file is compressed. */
static bool look(source *s)
{
    size_t got = 1;

    s->looked = true;
    while (got > 0 && s->end < CODEC_MAGIC) {
        if (!read_some(s, s->block + s->end, CHUNK, &got))
            return false;
        s->end += got;
        s->done += got;
    }
    s->ended = got == 0;
    s->block[s->end] = '\0';
    const codec c = may_be_packed(s->name) ? codec_of_bytes(s->block, s->end) : CODEC_NONE;
    if (c == CODEC_NONE)
        return true;
    s->packed = unpack_start(c, s->name, s->fd, s->block, s->end);
    s->size = s->end = s->done = 0;
    s->ended = false;
    s->block[0] = '\0';
    return s->packed != NULL;
}

static bool read_chunk(source *s, size_t most)
{
    size_t got;

    if (!s->looked && !s->ended && !look(s))
        return false;
    if (s->ended)
        return true;
    if (s->capacity - s->end < CHUNK && !grow(s, 2 * s->capacity))
        return false;
    if (most > s->capacity - s->end)
        most = s->capacity - s->end;
    if (!read_some(s, s->block + s->end, most, &got))
        return false;
    s->ended = got == 0;
    s->end += got;
    s->done += got;
    s->block[s->end] = '\0';
    if (s->size > 0)
        progress_at(s->done < s->size ? (double)s->done / (double)s->size : 1);
    return true;
}

/* ---- Large files, by several threads ---- */

typedef struct parallel_read {
    int           fd;
    char         *to;
    off_t         at;
    size_t        length;
    atomic_size_t got; /* bytes before the first that could not be read */
} parallel_read;

/* The file may have become shorter: what follows its end does not count. */
static void read_ends_at(parallel_read *r, size_t end)
{
    size_t before = atomic_load(&r->got);
    while (end < before && !atomic_compare_exchange_weak(&r->got, &before, end))
        ;
}

static void read_piece(void *user, size_t i)
{
    parallel_read *const r = user;
    const size_t         first = i * PIECE;
    const size_t         size = r->length - first < PIECE ? r->length - first : PIECE;

    for (size_t done = 0; done < size;) {
        const ssize_t n =
            pread(r->fd, r->to + first + done, size - done, r->at + (off_t)(first + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            read_ends_at(r, first + done); /* an error shows again in the next read() */
            return;
        }
        done += (size_t)n;
    }
}

/* Asks for huge pages, so that fewer page faults are needed. */
static void advise(char *from, size_t length)
{
    const size_t before = (HUGE_PAGE - (size_t)((uintptr_t)from % HUGE_PAGE)) % HUGE_PAGE;

    if (length >= before + HUGE_PAGE)
        (void)madvise(from + before, (length - before) / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
}

/* Reads up to `most` bytes of a regular file, for which block has room. */
static void read_parallel(source *s, size_t most)
{
    const off_t at = lseek(s->fd, 0, SEEK_CUR);

    if (at < 0 || (size_t)at >= s->size || s->packed != NULL)
        return;
    if (most > s->size - (size_t)at)
        most = s->size - (size_t)at;
    if (most < 2 * PIECE || workers_count() == 1)
        return;
    advise(s->block + s->end, most);
    for (size_t done = 0, length; done < most; done += length) {
        length = most - done < (size_t)PIECES * PIECE ? most - done : (size_t)PIECES * PIECE;
        parallel_read r = {.fd = s->fd,
                           .to = s->block + s->end,
                           .at = at + (off_t)done,
                           .length = length,
                           .got = length};
        workers_run((length + PIECE - 1) / PIECE, read_piece, &r);
        const size_t got = atomic_load(&r.got);
        s->end += got;
        s->done += got;
        (void)lseek(s->fd, at + (off_t)(done + got), SEEK_SET);
        progress_at(s->done < s->size ? (double)s->done / (double)s->size : 1);
        if (got < length)
            break;
    }
    s->block[s->end] = '\0';
}

bool source_fill(source *s, size_t length)
{
    const bool whole = length == SIZE_MAX;

    if (!s->looked && !s->ended && !look(s))
        return false;
    if (whole && !s->ended && s->size + CHUNK > s->capacity && !grow(s, s->size + CHUNK))
        return false;
    if (whole && !s->ended)
        read_parallel(s, SIZE_MAX);
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

size_t source_piece(source *s, size_t least)
{
    memmove(s->block, s->block + s->next, s->end - s->next);
    s->end -= s->next;
    s->line = s->next = s->searched = s->length = 0;
    if (!s->looked && !s->ended && !look(s))
        return SIZE_MAX;
    const size_t wanted = s->packed == NULL && s->size > 0 && s->size < least ? s->size : least;
    if (!s->ended && s->capacity < wanted + CHUNK && !grow(s, wanted + CHUNK))
        return SIZE_MAX;
    if (!s->ended && s->end < wanted)
        read_parallel(s, wanted - s->end);
    while (!s->ended && s->end < least)
        if (!read_chunk(s, LARGE_CHUNK))
            return SIZE_MAX;
    const char *const last = s->end > 0 ? memrchr(s->block, s->line_end, s->end) : NULL;
    return s->ended ? s->end : last != NULL ? (size_t)(last - s->block) + 1 : 0;
}

void source_skip(source *s, size_t length, size_t lines)
{
    s->next += length;
    s->line = s->searched = s->next;
    s->length = 0;
    s->number += lines;
}
