/* csv_stream.h - the rows of several files in blocks, for data larger than memory.
 *
 * A block is a table of whole rows. Line ends, headers, byte order marks and blank lines are
 * treated as csv_table_read() does. */
#ifndef ORDO_CLI_CSV_CSV_STREAM_H
#define ORDO_CLI_CSV_CSV_STREAM_H

#include "cli/csv/csv_rows.h"
#include "cli/io/source.h"

typedef struct csv_stream {
    csv_dialect        dialect;
    const char *const *paths;
    size_t             n, at; /* files; the one that is read                              */
    unsigned           threads;
    size_t             block_bytes; /* about the size of a block                          */
    size_t             longest;     /* bytes of a row, at most                            */
    const char        *name;        /* of the only file in messages; NULL: its path       */
    source             s;
    bool               is_open, crlf; /* crlf: the first row ends with CRLF               */
    bool               last;          /* the block is the last one of its file            */
    size_t             line;          /* lines of the file before the next block          */
    int64_t            start;         /* of stdin; -1: it is no regular file              */
    csv_table          beginning;     /* rows of the first file: its header, and a sample */
    csv_table          table;         /* the block; its first `before` bytes are the caller's */
    csv_file           files[2];      /* of the block */
    size_t             capacity, before;
    bool               failed; /* after a message */
} csv_stream;

/* Opens the first file and reads its beginning. `name` is used in messages if it is not NULL. False
 * after a message; call csv_stream_close() in any case. */
bool csv_stream_open(csv_stream *stream, const csv_dialect *dialect, const char *const *paths,
                     size_t n, const char *name, unsigned threads, size_t block_bytes,
                     size_t longest);
void csv_stream_close(csv_stream *stream);

/* Makes `table` the next block of rows, after a copy of rows[0..bytes), which are whole rows. False
 * at the end of the last file, or after a message (failed). */
bool csv_stream_next(csv_stream *stream, const char *rows, size_t bytes);

/* Starts again with the first row. Pipes cannot: false after a message. */
bool csv_stream_again(csv_stream *stream);

/* ---- Rows as a stream of bytes for the external sort ----
 *
 * Rows are checked while they are read, so that a bad row is named with its line, or left out. */

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
