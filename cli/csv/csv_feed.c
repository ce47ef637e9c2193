/* csv_feed.c - rows as a stream (see csv_feed.h).
 *
 * A block holds some bytes of a file. Its complete rows are checked and delivered; what is left
 * moves to the beginning of the block before the next bytes are read. A row that does not fit makes
 * the block larger. */
#define _POSIX_C_SOURCE 200809L

#include "cli/csv/csv_feed.h"

#include "cli/csv/csv_scan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    FEED_BYTES = 1 << 20 /* that are read at a time */
};

static bool no_memory(csv_feed *f)
{
    f->failed = true;
    return cli_fail("%s: not enough memory to read it", f->name);
}

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

/* ---- Bytes ---- */

static bool grow(csv_feed *f, size_t capacity)
{
    char *const block = realloc(f->block, capacity + 2 + CSV_BLOCK);

    if (block == NULL)
        return no_memory(f);
    f->block = block;
    f->capacity = capacity;
    return true;
}

/* Moves the incomplete row to the beginning and reads more of the file. At its end the last row
 * gets a line end. */
static bool fill(csv_feed *f)
{
    ssize_t got;

    memmove(f->block, f->block + f->next, f->filled - f->next);
    f->filled -= f->next;
    f->next = f->ready = f->used = 0;
    if (f->capacity - f->filled < FEED_BYTES / 2 && !grow(f, 2 * f->capacity))
        return false;
    do
        got = read(f->fd, f->block + f->filled, f->capacity - f->filled);
    while (got < 0 && errno == EINTR);
    if (got < 0) {
        f->failed = true;
        return cli_fail("%s: cannot read: %s", f->name, strerror(errno));
    }
    f->filled += (size_t)got;
    f->ended = got == 0;
    if (f->at == 0 && f->line == 1 && f->filled > 0) {
        const char *const newline = memchr(f->block, '\n', f->filled);
        f->crlf = newline != NULL && newline > f->block && newline[-1] == '\r';
    }
    if (f->ended && f->filled > 0 && f->block[f->filled - 1] != '\n') {
        if (f->crlf && f->block[f->filled - 1] != '\r')
            f->block[f->filled++] = '\r';
        f->block[f->filled++] = '\n';
    }
    memset(f->block + f->filled, '\n', CSV_BLOCK);
    return true;
}

static bool open_file(csv_feed *f)
{
    const char *const path = f->paths[f->at];
    const bool        is_stdin = path == NULL || strcmp(path, "-") == 0;

    f->name = is_stdin ? "stdin" : path;
    f->fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    f->ended = false;
    f->filled = f->next = f->ready = f->used = 0;
    f->line = 1;
    if (f->fd >= 0)
        return true;
    f->failed = true;
    return cli_fail("%s: cannot open: %s", f->name, strerror(errno));
}

static void close_file(csv_feed *f)
{
    if (f->fd > STDIN_FILENO)
        close(f->fd);
    f->fd = -1;
}

/* ---- Rows ---- */

/* The first key whose value is no number or date; NULL: there is none. */
static const csv_key *bad_key(const csv_feed *f, const csv_span *values, csv_text *text)
{
    for (size_t i = 0; i < f->keys->n; i++) {
        const csv_key *const key = &f->keys->keys[i];
        if (key->type != CSV_NUMBER && key->type != CSV_DATE)
            continue;
        const csv_span value = csv_unquote(values[f->keys->slot[i]], f->dialect.quotes, text);
        const csv_class class = value.begin == NULL       ? CSV_OTHER
                                : key->type == CSV_NUMBER ? csv_read_number(value).class
                                                          : csv_read_date(value).class;
        if (class == CSV_OTHER || class == CSV_INEXACT)
            return key;
    }
    return NULL;
}

/* Counts a bad row. False after a message if bad rows are errors. */
static bool note_bad(csv_feed *f, const csv_reader *reader, const csv_key *key)
{
    if (f->bad++ == 0) {
        f->first_bad = f->name;
        f->first_bad_line = f->line;
    }
    if (f->keys->bad != CSV_BAD_ERROR)
        return true;
    f->failed = true;
    if (key == NULL)
        return cli_fail("%s: line %zu: the row has %zu field%s; expected %zu, as in the first row; "
                        "--bad skip leaves such rows out, --bad last puts them last",
                        f->name, f->line, reader->fields, reader->fields == 1 ? "" : "s",
                        f->beginning.columns);
    char   shown[64];
    size_t slot = 0;
    while (f->keys->wanted[slot] != key->column)
        slot++;
    const csv_span value = reader->values[slot];
    cli_printable(value.begin, (size_t)(value.end - value.begin), shown, sizeof shown);
    return cli_fail("%s: line %zu, %s: '%s' is not a %s; --bad skip leaves such rows out, --bad "
                    "last puts them last, --bad text compares such values as text",
                    f->name, f->line + csv_count_lines(reader->row, value.begin),
                    csv_column_shown(&f->beginning, key->column), shown,
                    key->type == CSV_NUMBER ? "number of at most 64 bits" : "date");
}

static bool is_blank_to_end(const char *p, const char *end)
{
    while (p < end && (*p == '\n' || *p == '\r'))
        p++;
    return p == end;
}

/* Checks the complete rows of the block and makes them ready; leaves bad ones out where asked for.
 * Blank lines wait for another row: at the end of the file they are dropped. */
static bool take_rows(csv_feed *f)
{
    csv_span          values[CSV_MOST_KEYS];
    csv_reader        reader;
    csv_text          text = {.data = NULL};
    const char *const end = f->block + f->filled;
    char             *to = f->block + f->next;
    bool              ok = true, waits = false;

    f->used = f->next;
    csv_start(&reader, &f->dialect, f->block + f->next, end, f->keys->wanted, f->keys->wanted_count,
              values);
    while (ok && csv_next(&reader) && reader.next <= end) {
        waits = f->beginning.columns > 1 && reader.row == reader.row_end &&
                is_blank_to_end(reader.row, end);
        if (waits)
            break;
        const bool           ragged = reader.fields != f->beginning.columns;
        const csv_key *const key =
            ragged || f->keys->bad == CSV_BAD_TEXT ? NULL : bad_key(f, values, &text);
        const bool   bad = (ragged && f->keys->bad != CSV_BAD_TEXT) || key != NULL;
        const size_t bytes = (size_t)(reader.next - reader.row);
        ok = !bad || note_bad(f, &reader, key);
        f->line += csv_count_lines(reader.row, reader.next);
        f->next = (size_t)(reader.next - f->block);
        if (bad && f->keys->bad == CSV_BAD_SKIP)
            continue;
        if (to != reader.row)
            memmove(to, reader.row, bytes);
        to += bytes;
    }
    f->ready = (size_t)(to - f->block);
    free(text.data);
    if (waits && f->ended)
        f->next = f->filled;
    if (ok && f->ended && f->next < f->filled) {
        f->failed = true;
        ok = cli_fail("%s: line %zu: a quote opens a field in this row and is never closed",
                      f->name, f->line);
    }
    return ok;
}

/* Skips the header of a further file, which must be that of the first. */
static bool skip_header(csv_feed *f)
{
    const csv_table *const t = &f->beginning;
    const size_t mark = f->filled >= 3 && memcmp(f->block, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    const size_t first = t->size >= 3 && memcmp(t->bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    const char  *header = t->bytes + first;
    size_t       length = t->body - first;

    f->next = mark;
    if (!f->dialect.header || f->filled == 0)
        return true;
    while (length > 0 && (header[length - 1] == '\n' || header[length - 1] == '\r'))
        length--;
    const size_t bytes = csv_row_bytes(&f->dialect, f->block + mark, f->filled - mark);
    size_t       shown = bytes;
    while (shown > 0 && (f->block[mark + shown - 1] == '\n' || f->block[mark + shown - 1] == '\r'))
        shown--;
    if (bytes == 0 || shown != length || memcmp(f->block + mark, header, length) != 0) {
        f->failed = true;
        return cli_fail("%s: line 1: the header is not that of %s", f->name, t->files[0].name);
    }
    f->line += csv_count_lines(f->block, f->block + mark + bytes);
    f->next += bytes;
    return true;
}

/* Makes the next rows ready; none are at the end of the last file. */
static bool next_rows(csv_feed *f)
{
    while (f->used == f->ready) {
        if (f->ended || f->fd < 0) {
            close_file(f);
            if (f->at + 1 >= f->n)
                return true;
            f->at++;
            if (!open_file(f))
                return false;
            do
                if (!fill(f))
                    return false;
            while (!f->ended && csv_row_bytes(&f->dialect, f->block, f->filled) == 0);
            if (!skip_header(f))
                return false;
        } else if (!fill(f)) {
            return false;
        }
        if (!take_rows(f))
            return false;
    }
    return true;
}

ptrdiff_t csv_feed_read(void *user, void *into, size_t bytes)
{
    csv_feed *const f = user;

    if (!next_rows(f)) {
        errno = EIO;
        return -1;
    }
    const size_t n = f->ready - f->used < bytes ? f->ready - f->used : bytes;
    memcpy(into, f->block + f->used, n);
    f->used += n;
    return (ptrdiff_t)n;
}

/* ---- Opening ---- */

/* The complete rows at the beginning of the block, as a table. */
static bool make_beginning(csv_feed *f)
{
    csv_reader        reader;
    const char *const end = f->block + f->filled;
    const char       *rows = f->block;

    csv_start(&reader, &f->dialect, f->block, end, NULL, 0, NULL);
    while (csv_next(&reader) && reader.next <= end)
        rows = reader.next;
    const size_t size = f->ended ? f->filled : (size_t)(rows - f->block);
    char *const  copy = malloc(size + 1);
    if (copy == NULL)
        return no_memory(f);
    memcpy(copy, f->block, size);
    return csv_table_from(&f->dialect, f->name, copy, size, 1, &f->beginning);
}

bool csv_feed_open(csv_feed *feed, const csv_dialect *dialect, const char *const *paths, size_t n)
{
    *feed = (csv_feed){.dialect = *dialect, .paths = paths, .n = n, .fd = -1};
    if (!open_file(feed) || !grow(feed, 2 * FEED_BYTES))
        return false;
    do
        if (!fill(feed))
            return false;
    while (!feed->ended &&
           (feed->filled < FEED_BYTES || csv_row_bytes(dialect, feed->block, feed->filled) == 0));
    if (!make_beginning(feed))
        return false;
    feed->next = feed->beginning.body;
    feed->line = 1 + csv_count_lines(feed->block, feed->block + feed->next);
    feed->ended = false; /* the bytes read so far are rows to come */
    return true;
}

void csv_feed_close(csv_feed *feed)
{
    close_file(feed);
    free(feed->block);
    feed->block = NULL;
    csv_table_free(&feed->beginning);
}
