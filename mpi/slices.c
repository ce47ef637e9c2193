/* slices.c - reads the parts of files for the ranks (see slices.h).
 *
 * Every rank reads its own part with pread, so no rank handles the data of others. Text is divided
 * at newlines: a line belongs to the rank in whose part it begins. */
#define _POSIX_C_SOURCE 200809L
#include "mpi/slices.h"

#include "cli/io/npy.h"
#include "cli/io/number/number.h"
#include "external/disk/crc32c.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PIECE = 64 << 20, /* bytes of a read */
    EDGE = 64 << 10,  /* bytes at the beginning and the end of a file that ranks compare */
    LOOK = 4096       /* bytes of the beginning of a file, and of a search for a newline */
};

static int rank_of(MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    return rank;
}

static int size_of(MPI_Comm comm)
{
    int size;
    MPI_Comm_size(comm, &size);
    return size;
}

bool agree_fine(MPI_Comm comm, bool fine, const char *why, ...)
{
    int const size = size_of(comm), mine = fine ? size : rank_of(comm);
    int       first;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm);
    if (first == rank_of(comm)) {
        char    text[2 * PATH_MAX];
        va_list args;
        va_start(args, why);
        (void)vsnprintf(text, sizeof text, why, args);
        va_end(args);
        cli_line(stderr, "ordo-mpi: rank %d: %s", first, text);
    }
    return first == size;
}

file_format format_of_path(const char *path)
{
    static const struct {
        const char *end;
        file_format format;
    } names[] = {{".npy", FORMAT_NPY},  {".raw", FORMAT_RAW},   {".bin", FORMAT_RAW},
                 {".txt", FORMAT_TEXT}, {".text", FORMAT_TEXT}, {".csv", FORMAT_TEXT}};
    const char *const dot = strrchr(path, '.');
    for (size_t i = 0; dot != NULL && i < sizeof names / sizeof *names; i++)
        if (strcmp(dot, names[i].end) == 0)
            return names[i].format;
    return FORMAT_AUTO;
}

/* ---- Reading ---- */

bool read_at(int fd, void *buffer, uint64_t bytes, uint64_t at)
{
    char *to = buffer;
    while (bytes > 0) {
        ssize_t const now = pread(fd, to, bytes < PIECE ? (size_t)bytes : PIECE, (off_t)at);
        if (now < 0 && errno == EINTR)
            continue;
        if (now == 0)
            errno = 0;
        if (now <= 0)
            return false;
        to += now;
        at += (uint64_t)now;
        bytes -= (uint64_t)now;
    }
    return true;
}

const char *read_error(void) { return errno == 0 ? "the file became shorter" : strerror(errno); }

uint64_t part_start(uint64_t all, int rank, int size)
{
    return all / (uint64_t)size * (uint64_t)rank +
           (all % (uint64_t)size) * (uint64_t)rank / (uint64_t)size;
}

/* Copies the keys out of the records, where they may be unaligned. */
static void extract_keys(slice *s, size_t key_offset)
{
    size_t const key = ordo_type_size(s->type);
    for (size_t i = 0; i < s->n; i++)
        memcpy(s->keys + i * key, s->records + i * s->record_size + key_offset, key);
}

/* `all` elements behind `offset`: keys, or records. */
static bool read_binary(MPI_Comm comm, int fd, const slice_wish *wish, uint64_t offset,
                        uint64_t all, slice *out)
{
    int const      rank = rank_of(comm), size = size_of(comm);
    uint64_t const from = part_start(all, rank, size), to = part_start(all, rank + 1, size);
    size_t const   key = ordo_type_size(out->type);
    size_t const   element = out->record_size != 0 ? out->record_size : key;
    out->n = (size_t)(to - from);
    out->from = offset + from * element;
    if (wish->unread)
        return true;
    out->keys = malloc(out->n * key + 1);
    if (out->record_size != 0)
        out->records = malloc(out->n * element + 1);
    char *const to_fill = out->record_size != 0 ? out->records : out->keys;
    bool const  memory = out->keys != NULL && to_fill != NULL;
    if (!all_fine(comm, memory, "no memory for %zu elements of %zu bytes", out->n, element))
        return false;
    bool const read = read_at(fd, to_fill, out->n * element, out->from);
    if (!all_fine(comm, read, "%s: cannot read: %s", wish->path, read_error()))
        return false;
    if (out->record_size != 0)
        extract_keys(out, wish->key_offset);
    return true;
}

/* The first byte at or behind `at` that follows a newline; `end` if there is none. */
static bool line_start(int fd, uint64_t at, uint64_t end, uint64_t *start)
{
    char block[LOOK];
    if (at == 0 || at >= end) {
        *start = at == 0 ? 0 : end;
        return true;
    }
    for (uint64_t from = at - 1; from < end; from += LOOK) {
        size_t const bytes = end - from < LOOK ? (size_t)(end - from) : LOOK;
        if (!read_at(fd, block, bytes, from))
            return false;
        const char *const newline = memchr(block, '\n', bytes);
        if (newline != NULL) {
            *start = from + (uint64_t)(newline - block) + 1;
            return true;
        }
    }
    *start = end;
    return true;
}

typedef struct text_part {
    char    *text;
    size_t   bytes, lines;
    uint64_t from; /* its place in the file */
} text_part;

/* Parses the lines as keys of `type`. The number of the bad line, from 1; 0: none. */
static size_t parse_lines(const text_part *p, ordo_type type, char *keys)
{
    size_t const      size = ordo_type_size(type);
    const char *const end = p->text + p->bytes;
    size_t            line = 0;
    for (const char *at = p->text; at < end; line++) {
        const char *const newline = memchr(at, '\n', (size_t)(end - at));
        const char       *stop = newline != NULL ? newline : end;
        const char *const next = stop + 1;
        if (stop > at && stop[-1] == '\r')
            stop--;
        number_result const result = number_parse(type, at, stop, keys + line * size);
        if (result != NUMBER_OK && result != NUMBER_INEXACT)
            return line + 1;
        at = next;
    }
    return 0;
}

static size_t count_lines(const text_part *p)
{
    size_t lines = p->bytes > 0 && p->text[p->bytes - 1] != '\n';
    for (size_t i = 0; i < p->bytes; i++)
        lines += p->text[i] == '\n';
    return lines;
}

/* Integers if every line of every rank is one. */
static bool parse_text(MPI_Comm comm, const char *path, const text_part *p, slice *out)
{
    out->n = p->lines;
    out->keys = malloc(p->lines * 8 + 1);
    if (!all_fine(comm, out->keys != NULL, "no memory for %zu keys", out->n))
        return false;
    if (out->type == 0) {
        int const whole = parse_lines(p, ORDO_I64, out->keys) == 0;
        int       all;
        MPI_Allreduce(&whole, &all, 1, MPI_INT, MPI_LAND, comm);
        out->type = all ? ORDO_I64 : ORDO_F64;
        if (all)
            return true;
    }
    size_t const bad = parse_lines(p, out->type, out->keys);
    return all_fine(comm, bad == 0, "%s: line %zu behind byte %llu is not a number of type %s",
                    path, bad, (unsigned long long)p->from, ordo_type_name(out->type));
}

/* Reads the lines that begin in this rank's part of the file. */
static bool read_part(MPI_Comm comm, int fd, const char *path, uint64_t bytes, text_part *p)
{
    int const rank = rank_of(comm), size = size_of(comm);
    uint64_t  to = 0;
    bool      fine = line_start(fd, part_start(bytes, rank, size), bytes, &p->from) &&
                line_start(fd, part_start(bytes, rank + 1, size), bytes, &to);
    if (fine) {
        p->bytes = (size_t)(to - p->from);
        p->text = malloc(p->bytes + 1);
        fine = p->text != NULL && read_at(fd, p->text, p->bytes, p->from);
    }
    if (!all_fine(comm, fine, "%s: cannot read: %s", path, read_error()))
        return false;
    p->text[p->bytes] = 0;
    p->lines = count_lines(p);
    return true;
}

static bool read_text(MPI_Comm comm, int fd, const char *path, uint64_t bytes, slice *out)
{
    text_part  p = {0};
    bool const parsed = read_part(comm, fd, path, bytes, &p) && parse_text(comm, path, &p, out);
    free(p.text);
    return parsed;
}

/* Lines as strings that follow each other without newlines. */
static bool read_lines(MPI_Comm comm, int fd, const char *path, uint64_t bytes, slice *out)
{
    text_part p = {0};
    if (!read_part(comm, fd, path, bytes, &p)) {
        free(p.text);
        return false;
    }
    out->n = p.lines;
    out->text = p.text;
    out->offsets = malloc((p.lines + 1) * sizeof *out->offsets);
    if (!all_fine(comm, out->offsets != NULL, "no memory for %zu lines", p.lines))
        return false;
    const char *const end = p.text + p.bytes, *at = p.text;
    char             *to = p.text;
    for (size_t i = 0; i < p.lines; i++) {
        const char *const newline = memchr(at, '\n', (size_t)(end - at));
        size_t const      length = (size_t)((newline != NULL ? newline : end) - at);
        out->offsets[i] = (uint64_t)(to - p.text);
        memmove(to, at, length);
        to += length;
        at += length + 1;
    }
    out->offsets[p.lines] = (uint64_t)(to - p.text);
    return true;
}

/* npy_parse() reads only the header of the file, whose length it must know. */
static bool read_npy(MPI_Comm comm, int fd, const slice_wish *wish, uint64_t bytes, slice *out)
{
    const char  *path = wish->path;
    char         head[LOOK];
    npy_array    array = {.why = "the .npy header is too long"};
    size_t const length = bytes < LOOK ? (size_t)bytes : LOOK;
    bool         fine = read_at(fd, head, length, 0);
    if (!all_fine(comm, fine, "%s: cannot read: %s", path, read_error()))
        return false;
    fine =
        npy_header_fits(head, length) && npy_parse(head, (size_t)bytes, &array) && !array.swapped;
    if (!all_fine(comm, fine, "%s: %s", path,
                  array.swapped ? "the bytes of the keys are in the other order" : array.why))
        return false;
    if (!all_fine(comm, out->type == 0 || out->type == array.type, "%s has keys of type %s, not %s",
                  path, ordo_type_name(array.type),
                  out->type != 0 ? ordo_type_name(out->type) : ""))
        return false;
    out->type = array.type;
    return read_binary(comm, fd, wish, array.offset, array.n, out);
}

static bool read_raw(MPI_Comm comm, int fd, const slice_wish *wish, uint64_t bytes, slice *out)
{
    size_t const key = ordo_type_size(out->type);
    size_t const element = out->record_size != 0 ? out->record_size : key;
    if (!all_fine(comm, key != 0, "%s: raw keys need --dtype", wish->path))
        return false;
    if (!all_fine(comm, bytes % element == 0, "%s has %llu bytes; expected a multiple of %zu",
                  wish->path, (unsigned long long)bytes, element))
        return false;
    return read_binary(comm, fd, wish, 0, bytes / element, out);
}

/* What the file is, if the user did not say. False after a failed read. */
static bool guess_format(int fd, const char *path, uint64_t bytes, file_format *out)
{
    char magic[8] = {0};
    *out = format_of_path(path);
    if (bytes < sizeof magic)
        return true;
    if (!read_at(fd, magic, sizeof magic, 0))
        return false;
    if (npy_is(magic, sizeof magic))
        *out = FORMAT_NPY;
    return true;
}

/* A checksum of the first and of the last bytes of a file. False after a failed read. */
static bool sum_edges(int fd, uint64_t bytes, uint64_t *out)
{
    char         block[EDGE] = {0};
    size_t const length = bytes < EDGE ? (size_t)bytes : EDGE;
    if (!read_at(fd, block, length, 0))
        return false;
    uint32_t const first = crc32c(block, length);
    if (!read_at(fd, block, length, bytes - length))
        return false;
    *out = (uint64_t)first << 32 | crc32c(block, length);
    return true;
}

/* Whether all ranks see the same file: with another one, a rank would take another way through the
 * functions below, or the result would be of two files. Device and inode differ between machines,
 * so they tell nothing. */
static bool agree_on_file(MPI_Comm comm, const char *path, slice *s)
{
    uint64_t   edges = 0;
    bool const read = sum_edges(s->fd, s->bytes, &edges);
    if (!all_fine(comm, read, "%s: cannot read: %s", path, read_error()))
        return false;
    uint64_t const mine[3] = {s->bytes, edges, (uint64_t)s->format};
    uint64_t       first[3];
    memcpy(first, mine, sizeof first);
    MPI_Bcast(first, 3, MPI_UINT64_T, 0, comm);
    return all_fine(comm, memcmp(first, mine, sizeof first) == 0,
                    "%s has %llu bytes here and %llu on rank 0, or other contents; expected the "
                    "same file on every process",
                    path, (unsigned long long)mine[0], (unsigned long long)first[0]);
}

bool slice_open(MPI_Comm comm, const slice_wish *wish, slice *out)
{
    struct stat       status = {0};
    const char *const path = wish->path;
    *out = (slice){.format = wish->record_size != 0 ? FORMAT_RAW : wish->format,
                   .fd = open(path, O_RDONLY | O_CLOEXEC)};
    bool const opened = out->fd >= 0 && fstat(out->fd, &status) == 0;
    if (!all_fine(comm, opened, "%s: cannot open: %s", path, strerror(errno)))
        return false;
    bool const regular = S_ISREG(status.st_mode);
    if (!all_fine(comm, regular, "%s is not a regular file; expected a file all ranks can read",
                  path))
        return false;
    out->bytes = (uint64_t)status.st_size;
    bool const named = wish->lines || out->format != FORMAT_AUTO;
    bool const known = named || guess_format(out->fd, path, out->bytes, &out->format);
    return all_fine(comm, known, "%s: cannot read: %s", path, read_error()) &&
           agree_on_file(comm, path, out);
}

static void close_file(slice *s)
{
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
}

bool slice_read(MPI_Comm comm, const slice_wish *wish, slice *out)
{
    const char *const path = wish->path;
    int const         fd = out->fd;
    uint64_t const    bytes = out->bytes;
    bool const        text = !wish->lines && out->format != FORMAT_NPY && out->format != FORMAT_RAW;
    out->type = wish->type;
    out->record_size = wish->record_size;
    bool const fine = !all_fine(comm, !wish->unread || !text,
                                "%s is text; -S sorts npy and raw files and records", path)
                          ? false
                      : wish->lines               ? read_lines(comm, fd, path, bytes, out)
                      : out->format == FORMAT_NPY ? read_npy(comm, fd, wish, bytes, out)
                      : out->format == FORMAT_RAW ? read_raw(comm, fd, wish, bytes, out)
                                                  : read_text(comm, fd, path, bytes, out);
    if (!wish->unread)
        close_file(out);
    return fine;
}

void slice_free(slice *s)
{
    free(s->keys);
    free(s->records);
    free(s->text);
    free(s->offsets);
    close_file(s);
    *s = (slice){.fd = -1};
}
