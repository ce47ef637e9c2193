/* csv_feed.c - rows as a stream of bytes (see csv_feed.h).
 *
 * The keys of each block are read as in memory, to find the bad rows. The external sort encodes the
 * keys of a row again when it needs them. */
#include "cli/csv/csv_feed.h"

#include <errno.h>
#include <string.h>

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
