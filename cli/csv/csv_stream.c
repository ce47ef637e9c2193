/* csv_stream.c - rows in blocks (see csv_stream.h).
 *
 * A piece of the file that ends with a newline is copied to the block. If the newline lies inside a
 * quoted field, the incomplete row stays in the source for the next block; so do blank lines, which
 * are dropped at the end of the file. A row that does not fit makes the block larger. */
#define _GNU_SOURCE /* memrchr */

#include "cli/csv/csv_stream.h"

#include "cli/csv/csv_scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SAMPLE_BYTES = 1 << 20 /* of the beginning */
};

static bool failed(csv_stream *stream)
{
    stream->failed = true;
    return false;
}

static bool no_memory(csv_stream *stream)
{
    cli_error("%s: not enough memory to read it", stream->s.name);
    return failed(stream);
}

static bool open_file(csv_stream *stream)
{
    stream->is_open = true;
    stream->line = 0;
    if (!source_open(&stream->s, stream->paths[stream->at]))
        return failed(stream);
    if (stream->name != NULL)
        stream->s.name = stream->name;
    if (stream->s.fd == STDIN_FILENO)
        stream->start = lseek(STDIN_FILENO, 0, SEEK_CUR);
    return true;
}

static void close_file(csv_stream *stream)
{
    if (stream->is_open)
        source_close(&stream->s);
    stream->is_open = false;
}

/* ---- The beginning ---- */

/* The bytes of the whole rows of text[0..length), which CSV_BLOCK newlines follow. */
static size_t whole_rows(const csv_dialect *dialect, const char *text, size_t length)
{
    csv_reader  reader;
    const char *rows = text;

    csv_start(&reader, dialect, text, text + length, NULL, 0, NULL);
    while (csv_next(&reader) && reader.next <= text + length)
        rows = reader.next;
    return (size_t)(rows - text);
}

/* A row does not fit `bytes` bytes. */
static bool too_long(csv_stream *stream, size_t bytes)
{
    cli_error("%s: the row after line %zu has more than %zu bytes, or a quote in it is not closed; "
              "leave out -S, or give a larger limit",
              stream->s.name, stream->line, bytes);
    return failed(stream);
}

/* Reads the header of the first file and some rows. */
static bool read_beginning(csv_stream *stream)
{
    const size_t first = stream->longest < SAMPLE_BYTES ? stream->longest : SAMPLE_BYTES;
    size_t       rows = 0, got = 0;
    char        *copy = NULL;

    for (size_t wanted = first; rows == 0; wanted *= 2) {
        if (wanted > stream->longest && wanted > first) {
            free(copy);
            return too_long(stream, wanted / 2);
        }
        free(copy);
        copy = NULL;
        got = source_piece(&stream->s, wanted);
        if (got == SIZE_MAX)
            return failed(stream);
        copy = malloc(got + CSV_BLOCK);
        if (copy == NULL)
            return no_memory(stream);
        memcpy(copy, stream->s.block, got);
        memset(copy + got, '\n', CSV_BLOCK);
        rows = stream->s.ended ? got : whole_rows(&stream->dialect, copy, got);
        if (stream->s.ended)
            break;
    }
    csv_table *const t = &stream->beginning;
    csv_table_free(t);
    if (!csv_table_from(&stream->dialect, stream->s.name, copy, rows, 1, t))
        return failed(stream);
    const size_t      header = t->body < got ? t->body : got;
    const char *const newline = got > 0 ? memchr(t->bytes, '\n', got) : NULL;
    stream->crlf = newline != NULL && newline > t->bytes && newline[-1] == '\r';
    stream->line = csv_count_lines(t->bytes, t->bytes + header);
    source_skip(&stream->s, header, 0);
    return true;
}

static bool start(csv_stream *stream)
{
    stream->at = 0;
    while (open_file(stream) && read_beginning(stream)) {
        if (stream->beginning.columns > 0 || stream->at + 1 == stream->n)
            return true;
        close_file(stream);
        stream->at++;
    }
    return false;
}

bool csv_stream_open(csv_stream *stream, const csv_dialect *dialect, const char *const *paths,
                     size_t n, const char *name, unsigned threads, size_t block_bytes,
                     size_t longest)
{
    *stream = (csv_stream){.dialect = *dialect,
                           .paths = paths,
                           .n = n,
                           .name = name,
                           .threads = threads,
                           .block_bytes = block_bytes,
                           .longest = longest};
    return start(stream);
}

bool csv_stream_again(csv_stream *stream)
{
    for (size_t i = 0; i < stream->n; i++)
        if (source_is_stdin(stream->paths[i]) &&
            (stream->start < 0 || lseek(STDIN_FILENO, stream->start, SEEK_SET) < 0)) {
            cli_error("stdin: a pipe cannot be read twice");
            return failed(stream);
        }
    close_file(stream);
    stream->failed = false;
    return start(stream);
}

void csv_stream_close(csv_stream *stream)
{
    close_file(stream);
    csv_table_free(&stream->beginning);
    free(stream->table.bytes);
    stream->table.bytes = NULL;
}

/* ---- Blocks ---- */

/* Opens the next file and skips its header. False at the end of the last file. */
static bool next_file(csv_stream *stream)
{
    if (stream->at + 1 >= stream->n)
        return false;
    stream->at++;
    if (!open_file(stream))
        return false;
    const size_t got = source_piece(&stream->s, stream->beginning.body + 8);
    if (got == SIZE_MAX)
        return failed(stream);
    const size_t header =
        csv_header_bytes(&stream->beginning, stream->s.name, stream->s.block, stream->s.end);
    if (header == SIZE_MAX)
        return failed(stream);
    stream->line = csv_count_lines(stream->s.block, stream->s.block + header);
    source_skip(&stream->s, header, 0);
    return true;
}

/* Reads a piece of about `wanted` bytes; the source may hold more after the beginning. SIZE_MAX
 * after a message. */
static size_t read_piece(csv_stream *stream, size_t wanted)
{
    source *const     s = &stream->s;
    const size_t      got = source_piece(s, wanted);
    const char *const end =
        got != SIZE_MAX && got > wanted ? memrchr(s->block, '\n', wanted) : NULL;

    stream->last = s->ended && end == NULL;
    return end != NULL ? (size_t)(end - s->block) + 1 : got;
}

/* Copies the caller's rows and a piece of `got` bytes to the block. */
static bool fill_block(csv_stream *stream, const char *rows, size_t bytes, size_t got)
{
    csv_table *const t = &stream->table;
    const size_t     needed = bytes + got + 2 + CSV_BLOCK;

    if (stream->capacity < needed) {
        char *const larger = realloc(t->bytes, needed);
        if (larger == NULL)
            return no_memory(stream);
        t->bytes = larger;
        stream->capacity = needed;
    }
    if (bytes > 0)
        memcpy(t->bytes, rows, bytes);
    if (got > 0)
        memcpy(t->bytes + bytes, stream->s.block, got);
    t->size = bytes + got;
    if (stream->last && got > 0 && t->bytes[t->size - 1] != '\n') {
        if (stream->crlf && t->bytes[t->size - 1] != '\r')
            t->bytes[t->size++] = '\r';
        t->bytes[t->size++] = '\n';
    }
    memset(t->bytes + t->size, '\n', CSV_BLOCK);
    return true;
}

/* Makes a table of the block: whole rows, without blank lines at the end. */
static bool cut_block(csv_stream *stream, size_t bytes)
{
    csv_table *const t = &stream->table;
    const size_t     parts = csv_part_count(t->size, stream->threads);

    t->dialect = stream->dialect;
    t->columns = stream->beginning.columns;
    t->names = stream->beginning.names;
    t->files = stream->files;
    t->file_count = 2;
    stream->before = bytes;
    stream->files[0] = (csv_file){.name = stream->s.name};
    stream->files[1] = (csv_file){stream->s.name, bytes, stream->line};
    t->body = 0;
    if (!stream->last)
        csv_cut_whole(t, parts);
    else if (!csv_cut(t, parts))
        return failed(stream);
    t->body = bytes;
    csv_drop_blank_end(t);
    t->body = 0;
    csv_shorten(t, t->size);
    return true;
}

bool csv_stream_next(csv_stream *stream, const char *rows, size_t bytes)
{
    csv_table *const t = &stream->table;
    size_t           wanted = stream->block_bytes;

    while (!stream->failed) {
        if (!stream->is_open && !next_file(stream))
            return false;
        const size_t got = read_piece(stream, wanted);
        if (got == SIZE_MAX)
            return failed(stream);
        if (!fill_block(stream, rows, bytes, got) || !cut_block(stream, bytes))
            return false;
        const size_t taken = t->size > bytes ? t->size - bytes : 0;
        const bool   ended = stream->last;
        stream->line += csv_count_lines(t->bytes + bytes, t->bytes + bytes + taken);
        if (ended)
            close_file(stream);
        else
            source_skip(&stream->s, taken, 0);
        if (taken > 0)
            return true;
        if (!ended && wanted >= stream->longest)
            return too_long(stream, wanted);
        if (!ended)
            wanted *= 2;
    }
    return false;
}

/* ---- Rows as a stream of bytes ----
 *
 * The keys of each block are read as in memory, to find the bad rows. The external sort encodes the
 * keys of a row again when it needs them. */

size_t csv_row_bytes(const csv_dialect *dialect, const char *text, size_t length)
{
    const char *const newline = length > 0 ? memchr(text, '\n', length) : NULL;
    const char *const end = text + length;

    if (newline == NULL || !dialect->quotes || memchr(text, '"', (size_t)(newline - text)) == NULL)
        return newline != NULL ? (size_t)(newline - text) + 1 : 0;
    const char *field = text;
    for (const char *p = text; p < end; p++) {
        if (*p == '"' && p == field) {
            do
                p = memchr(p + 1, '"', (size_t)(end - p - 1));
            while (p != NULL && p + 1 < end && p[1] == '"' && p++);
            if (p == NULL)
                return 0;
        } else if (*p == dialect->separator) {
            field = p + 1;
        } else if (*p == '\n') {
            return (size_t)(p - text) + 1;
        }
    }
    return 0;
}

void csv_bad_count(csv_bad_rows *bad, const csv_rows *rows, size_t first)
{
    if (rows->bad == 0)
        return;
    for (size_t i = first; i < rows->n; i++) {
        if (!rows->is_bad[i])
            continue;
        if (bad->n++ == 0)
            bad->file = csv_place(rows->table, rows->table->bytes + rows->offsets[i], &bad->line);
    }
}

/* Moves the rows that are not bad together. Returns their bytes. */
static size_t leave_out(const csv_rows *rows, char *bytes)
{
    size_t used = 0;

    for (size_t i = 0; i < rows->n; i++) {
        const size_t length = (size_t)(rows->offsets[i + 1] - rows->offsets[i]);
        if (rows->is_bad[i])
            continue;
        memmove(bytes + used, bytes + rows->offsets[i], length);
        used += length;
    }
    return used;
}

/* Makes the rows of the next block ready. False at the end, or after a message. */
static bool next_rows(csv_feed *feed)
{
    csv_stream *const stream = &feed->stream;
    csv_rows          rows;

    if (!csv_stream_next(stream, NULL, 0))
        return false;
    feed->used = 0;
    feed->ready = stream->table.size;
    if (feed->keys->bad == CSV_BAD_TEXT)
        return true;
    if (!csv_rows_read(&stream->table, feed->keys, &rows)) {
        stream->failed = true;
        return false;
    }
    csv_bad_count(&feed->bad, &rows, 0);
    if (rows.bad > 0 && feed->keys->bad == CSV_BAD_SKIP)
        feed->ready = leave_out(&rows, stream->table.bytes);
    csv_rows_free(&rows);
    return true;
}

ptrdiff_t csv_feed_read(void *user, void *into, size_t bytes)
{
    csv_feed *const feed = user;

    while (feed->used == feed->ready && next_rows(feed))
        continue;
    if (feed->stream.failed) {
        errno = EIO;
        return -1;
    }
    const size_t n = feed->ready - feed->used < bytes ? feed->ready - feed->used : bytes;
    if (n > 0)
        memcpy(into, feed->stream.table.bytes + feed->used, n);
    feed->used += n;
    return (ptrdiff_t)n;
}
