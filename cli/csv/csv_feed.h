/* csv_feed.h - the rows of several files as one stream, for data larger than memory.
 *
 * Rows are checked while they are read, so that a bad row is named with its line, or left out. Line
 * ends, headers and byte order marks are treated as csv_table_read() does. */
#ifndef ORDO_CLI_CSV_CSV_FEED_H
#define ORDO_CLI_CSV_CSV_FEED_H

#include "cli/csv/csv_keys.h"

typedef struct csv_feed {
    csv_dialect        dialect;
    const char *const *paths;
    size_t             n, at; /* files; the one that is read */
    int                fd;    /* -1: not open                */
    const char        *name;
    bool               ended; /* the file has no more bytes  */
    bool               crlf;  /* the first row ends with CRLF */
    char              *block; /* bytes of the file, then CSV_BLOCK newlines */
    size_t             capacity, filled;
    size_t             ready, used; /* block[used..ready) are rows to be delivered */
    size_t             next;        /* block[next..filled) is a row that is not complete */
    size_t             line;        /* of block[next], from 1 */
    csv_table          beginning;   /* rows of the first file: its header, and a sample */
    const csv_keys    *keys;        /* NULL: rows are not checked */
    size_t             bad;         /* rows left out or put last */
    const char        *first_bad;   /* the file of the first one */
    size_t             first_bad_line;
    bool               failed; /* after a message */
} csv_feed;

/* Opens the first file and reads its beginning. False after a message; call csv_feed_close() in any
 * case. */
bool csv_feed_open(csv_feed *feed, const csv_dialect *dialect, const char *const *paths, size_t n);
void csv_feed_close(csv_feed *feed);

/* As ordo_source.read: delivers rows without headers. Fails after a message (feed->failed). */
ptrdiff_t csv_feed_read(void *user, void *into, size_t bytes);

/* The bytes of the first row of text[0..length) with its line end; 0: it is not complete. Reads no
 * byte beyond the text. */
size_t csv_row_bytes(const csv_dialect *dialect, const char *text, size_t length);

#endif
