/* source.c - reading a file or stdin (see source.h). A file may grow or shrink while it is read:
 * its size is only a hint for the allocation, the progress bar and the threads. */
#define _GNU_SOURCE /* memrchr */

#include "cli/io/source.h"

#include "cli/base/as_sort.h"
#include "cli/base/workers.h"
#include "cli/io/npy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    CHUNK = 1 << 18,        /* of one read() of lines: stays in the cache until it is used    */
    LARGE_CHUNK = 16 << 20, /* of one read() of a whole file                                  */
    PIECE = 4 << 20,        /* of one pread() of a thread                                     */
    PIECES = 256,           /* read between two steps of the progress bar                     */
    LEAST_PIECE = 1 << 16
};

static bool open_file(source *s, const char *path)
{
    const bool  from_stdin = source_is_stdin(path);
    struct stat st;

    s->name = from_stdin ? "stdin" : path;
    s->start = -1;
    s->looked = s->ended = false;
    s->size = s->done = 0;
    s->fd = from_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (s->fd < 0)
        return file_failed("open", s->name, errno);
    if (fstat(s->fd, &st) == 0 && S_ISREG(st.st_mode)) {
        s->size = (size_t)st.st_size;
        s->start = lseek(s->fd, 0, SEEK_CUR);
    }
    return true;
}

static void close_file(source *s)
{
    if (s->fd > STDIN_FILENO)
        close(s->fd);
    unpack_end(s->packed);
    s->packed = NULL;
    s->fd = -1;
}

bool source_open(source *s, const char *path)
{
    *s = (source){.line_end = '\n', .left = SIZE_MAX, .capacity = 2 * CHUNK};
    if (!open_file(s, path))
        return false;
    s->block = malloc(s->capacity + 1);
    return s->block != NULL || cli_fail("%s: not enough memory to read it", s->name);
}

bool source_open_fd(source *s, int fd, const char *name)
{
    *s = (source){.name = name,
                  .fd = fd,
                  .start = -1,
                  .line_end = '\n',
                  .left = SIZE_MAX,
                  .looked = true,
                  .capacity = 2 * CHUNK,
                  .block = malloc(2 * CHUNK + 1)};
    return s->block != NULL || cli_fail("%s: not enough memory to read it", s->name);
}

bool source_open_lines(source *s, const char *const *paths, size_t n, char line_end,
                       const char *option)
{
    const bool ok = source_open(s, paths[0]);

    s->line_end = line_end;
    s->option = option;
    s->more = paths + 1;
    s->more_count = n - 1;
    s->is_joined = true;
    return ok;
}

void source_close(source *s)
{
    close_file(s);
    free(s->block);
    s->block = NULL;
}

static uint64_t most_bytes = UINT64_MAX; /* of a block */

void source_limit(uint64_t all) { most_bytes = all / 2; }

bool source_allows(const char *name, uint64_t bytes)
{
    return bytes <= most_bytes ||
           cli_fail("%s: more than %llu bytes of it would be in memory at once, half of the memory "
                    "limit; leave out -S, or give a larger one",
                    name, (unsigned long long)most_bytes);
}

size_t source_piece_bytes(size_t usual, size_t share)
{
    const uint64_t bytes = most_bytes / share * 2;
    return bytes >= usual ? usual : bytes < LEAST_PIECE ? LEAST_PIECE : (size_t)bytes;
}

static bool grow(source *s, size_t larger)
{
    if (!source_allows(s->name, larger))
        return false;
    char *const block =
        larger > s->capacity && larger < SIZE_MAX ? realloc(s->block, larger + 1) : NULL;
    if (block == NULL)
        return cli_fail("%s: not enough memory for %zu bytes of input", s->name,
                        s->size > s->end ? s->size : s->end);
    s->block = block;
    s->capacity = larger;
    return true;
}

/* One read(), or more bytes of a compressed file; *got == 0 is the end of the file. */
static bool read_file(source *s, char *out, size_t most, size_t *got)
{
    ssize_t n;

    *got = 0;
    if (s->packed != NULL)
        return unpack_read(s->packed, out, most, got);
    do
        n = read(s->fd, out, most < s->left ? most : s->left);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return file_failed("read", s->name, errno);
    *got = (size_t)n;
    s->left -= s->left == SIZE_MAX ? 0 : *got;
    return true;
}

/* The same; of joined files the last line of each gets its end. */
static bool read_some(source *s, char *out, size_t most, size_t *got)
{
    if (!read_file(s, out, most, got))
        return false;
    if (*got > 0)
        s->is_open = out[*got - 1] != s->line_end;
    if (*got > 0 || most == 0 || !s->is_joined || !s->is_open)
        return true;
    s->is_open = false;
    *out = s->line_end;
    *got = 1;
    return true;
}

/* After the end of a file: opens the next one. */
static bool next_file(source *s)
{
    s->ended = s->more_count == 0;
    if (s->ended)
        return true;
    close_file(s);
    s->more_count--;
    return open_file(s, *s->more++);
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

static codec codec_of_file(const char *name, const char *bytes, size_t length)
{
    return may_be_packed(name) ? codec_of_bytes(bytes, length) : CODEC_NONE;
}

/* Makes room for a read(). */
static bool has_room(source *s)
{
    const size_t least = s->end + CHUNK, twice = 2 * s->capacity;

    return s->capacity - s->end >= CHUNK ||
           grow(s, least > most_bytes || twice <= most_bytes ? twice : (size_t)most_bytes);
}

/* Reads until the block holds CODEC_MAGIC bytes from `begin` on, or the file ends. */
static bool read_magic(source *s, size_t begin)
{
    size_t got = 1;

    while (got > 0 && s->end - begin < CODEC_MAGIC) {
        if (!read_some(s, s->block + s->end, CHUNK, &got))
            return false;
        s->end += got;
        s->done += got;
    }
    s->ended = got == 0;
    s->block[s->end] = '\0';
    return true;
}

/* Reads the first bytes of a file and finds out whether it is compressed. */
static bool look(source *s)
{
    const size_t begin = s->end;

    s->looked = true;
    if (!has_room(s) || !read_magic(s, begin))
        return false;
    const codec c = codec_of_file(s->name, s->block + begin, s->end - begin);
    if (c != CODEC_NONE) {
        s->codec = c;
        s->packed = unpack_start(c, s->name, s->fd, s->block + begin, s->end - begin);
        s->end = begin;
        s->size = s->done = 0;
        s->ended = s->is_open = false;
        s->block[begin] = '\0';
        if (s->packed == NULL || (s->option != NULL && !read_magic(s, begin)))
            return false;
    }
    if (s->option != NULL && npy_is(s->block + begin, s->end - begin))
        return cli_fail("%s: this is an .npy file, but %s is for lines; leave out %s to sort "
                        "numbers, or give --text to sort lines",
                        s->name, s->option, s->option);
    return !s->ended || next_file(s);
}

/* Looks at the next file, if there is one that was not looked at. */
static bool look_once(source *s)
{
    while (!s->looked && !s->ended)
        if (!look(s))
            return false;
    return true;
}

static bool read_chunk(source *s, size_t most)
{
    size_t got;

    if (!look_once(s))
        return false;
    if (s->ended)
        return true;
    if (!has_room(s))
        return false;
    if (most > s->capacity - s->end)
        most = s->capacity - s->end;
    if (!read_some(s, s->block + s->end, most, &got))
        return false;
    s->end += got;
    s->done += got;
    s->block[s->end] = '\0';
    if (s->size > 0)
        progress_at(s->done < s->size ? (double)s->done / (double)s->size : 1);
    return got > 0 || next_file(s);
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
    cli_huge(s->block + s->end, most);
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
    s->is_open = s->block[s->end - 1] != s->line_end;
    s->block[s->end] = '\0';
}

bool source_fill(source *s, size_t length)
{
    const bool whole = length == SIZE_MAX;

    if (!look_once(s))
        return false;
    while (!s->ended && s->end < length) {
        const size_t left = s->size > s->done ? s->size - s->done : 0;
        if (whole && left + CHUNK > s->capacity - s->end && !grow(s, s->end + left + CHUNK))
            return false;
        if (whole)
            read_parallel(s, SIZE_MAX);
        if (!read_chunk(s, whole ? LARGE_CHUNK : CHUNK))
            return false;
    }
    return true;
}

bool source_read(source *s, char *out, size_t most, size_t *got)
{
    for (*got = 0;;) {
        if (s->next == s->end && !s->looked) {
            s->next = s->end = 0;
            if (!look_once(s))
                return false;
        }
        if (s->next < s->end) {
            *got = most < s->end - s->next ? most : s->end - s->next;
            memcpy(out, s->block + s->next, *got);
            s->next += *got;
            return true;
        }
        if (s->ended)
            return true;
        if (!read_some(s, out, most, got))
            return false;
        s->done += *got;
        if (*got > 0 || most == 0)
            return true;
        if (!next_file(s))
            return false;
    }
}

char *source_take(source *s)
{
    char *const block = source_fill(s, SIZE_MAX) ? s->block : NULL;
    if (block != NULL)
        s->block = NULL;
    return block;
}

/* ---- What is known before a file is read ---- */

typedef struct file_facts {
    bool     exists, is_regular;
    uint64_t bytes;
    codec    packed;
} file_facts;

static file_facts facts_of(const char *path)
{
    const bool  from_stdin = source_is_stdin(path);
    file_facts  f = {.exists = false};
    struct stat st;
    char        first[CODEC_MAGIC];

    f.exists = (from_stdin ? fstat(STDIN_FILENO, &st) : stat(path, &st)) == 0;
    f.is_regular = f.exists && S_ISREG(st.st_mode);
    if (!f.is_regular) /* a pipe is not opened: its writer would see it being closed */
        return f;
    const int     fd = from_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    const off_t   at = from_stdin ? lseek(fd, 0, SEEK_CUR) : 0;
    const ssize_t got = fd >= 0 && at >= 0 ? pread(fd, first, sizeof first, at) : -1;
    f.bytes = (uint64_t)st.st_size;
    f.packed = codec_of_file(from_stdin ? "stdin" : path, first, got > 0 ? (size_t)got : 0);
    if (fd > STDIN_FILENO)
        close(fd);
    return f;
}

uint64_t source_bytes(const char *const *paths, size_t n)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < n; i++) {
        const file_facts f = facts_of(paths[i]);
        if (f.exists && (!f.is_regular || f.packed != CODEC_NONE))
            return UINT64_MAX;
        bytes += f.bytes;
    }
    return bytes;
}

static uint64_t lines_of_file(int fd, char line_end)
{
    char     piece[1 << 16];
    uint64_t lines = 1;
    ssize_t  got;

    for (off_t at = lseek(fd, 0, SEEK_CUR); at >= 0; at += got) {
        do
            got = pread(fd, piece, sizeof piece, at);
        while (got < 0 && errno == EINTR);
        if (got <= 0)
            break;
        for (ssize_t i = 0; i < got; i++)
            lines += piece[i] == line_end;
    }
    return lines;
}

uint64_t source_lines(const char *const *paths, size_t n, char line_end)
{
    uint64_t lines = 0;

    for (size_t i = 0; i < n; i++) {
        const int fd =
            source_is_stdin(paths[i]) ? STDIN_FILENO : open(paths[i], O_RDONLY | O_CLOEXEC);
        if (fd >= 0)
            lines += lines_of_file(fd, line_end);
        if (fd > STDIN_FILENO)
            close(fd);
    }
    return lines;
}

bool source_is_pipe(const char *const *paths, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const file_facts f = facts_of(paths[i]);
        if (f.exists && !f.is_regular)
            return true;
    }
    return false;
}

uint64_t source_unpack_memory(const char *const *paths, size_t n)
{
    uint64_t most = 0;

    for (size_t i = 0; i < n; i++) {
        const uint64_t needed = unpack_memory(facts_of(paths[i]).packed);
        most = needed > most ? needed : most;
    }
    return most;
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
    if (!look_once(s))
        return SIZE_MAX;
    const size_t wanted = s->packed == NULL && s->size > 0 && s->size < least ? s->size : least;
    if (!s->ended && s->capacity < wanted + CHUNK && !grow(s, wanted + CHUNK))
        return SIZE_MAX;
    if (!s->ended && s->end < wanted)
        read_parallel(s, wanted - s->end);
    while (!s->ended && s->end < least)
        if (!read_chunk(s, least - s->end))
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
