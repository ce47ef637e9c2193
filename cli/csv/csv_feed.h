/* csv_feed.h - rows as a stream of bytes for the external sort.
 *
 * Rows are checked while they are read, so that a bad row is named with its line, or left out. */
#ifndef ORDO_CLI_CSV_CSV_FEED_H
#define ORDO_CLI_CSV_CSV_FEED_H

#include "cli/csv/csv_rows.h"
#include "cli/csv/csv_stream.h"

typedef struct csv_bad_rows { /* left out or put last */
    size_t      n;
    const char *file; /* of the first one */
    size_t      line;
} csv_bad_rows;

typedef struct csv_feed {
    csv_stream      stream; /* open */
    const csv_keys *keys;
    size_t          ready, used; /* stream.table.bytes[used..ready) are rows to be delivered */
    csv_bad_rows    bad;
} csv_feed;

/* As ordo_source.read: delivers rows without headers. Fails after a message (stream.failed). */
ptrdiff_t csv_feed_read(void *user, void *into, size_t bytes);

/* Counts the bad rows of a block, from row `first` on. */
void csv_bad_count(csv_bad_rows *bad, const csv_rows *rows, size_t first);

/* The bytes of the first row of text[0..length) with its line end; 0: it is not complete. Reads no
 * byte beyond the text. */
size_t csv_row_bytes(const csv_dialect *dialect, const char *text, size_t length);

#endif
