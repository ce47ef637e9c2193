/* csv_table.h - the rows of CSV and TSV files in memory, divided into parts for threads.
 *
 * A quote opens a quoted field only at its beginning; inside, "" is a quote, and separators and
 * newlines are text. What follows the closing quote belongs to the field. A row ends with LF or
 * CRLF. This is how Python's csv module reads. */
#ifndef ORDO_CLI_CSV_CSV_TABLE_H
#define ORDO_CLI_CSV_CSV_TABLE_H

#include "cli/base/cli.h"

enum {
    CSV_MOST_PARTS = 64
};

typedef struct csv_span {
    const char *begin, *end;
} csv_span;

typedef struct csv_dialect {
    char separator;
    bool quotes; /* a field may be in quotes    */
    bool header; /* the first row names columns */
} csv_dialect;

typedef struct csv_file {
    const char *name;
    size_t      begin; /* where its rows begin in csv_table.bytes        */
    size_t      lines; /* lines of the file before them                  */
} csv_file;

typedef struct csv_table {
    csv_dialect dialect;
    char       *bytes;   /* of the first file, then the rows of the others; the last row has a
                          * line end; CSV_BLOCK newlines follow                                 */
    size_t      size;    /* without them                                                        */
    size_t      body;    /* where rows begin: after the header                                  */
    size_t      columns; /* of the first row; 0: there is no row                                */
    csv_span   *names;   /* of columns, without quotes; NULL: there is no header                */
    char       *name_bytes;
    csv_file   *files;
    size_t      file_count;
    size_t      cuts[CSV_MOST_PARTS + 1]; /* part i is bytes[cuts[i]..cuts[i + 1]), whole rows   */
    size_t      parts;
} csv_table;

/* Reads files whose headers are the same; NULL or "-" is stdin. A byte order mark stays at the
 * beginning of the output. Blank lines at the end of the input are dropped if there is more than
 * one column. False after a message; nothing is left to free then. */
bool csv_table_read(const csv_dialect *dialect, const char *const *paths, size_t n,
                    unsigned threads, csv_table *out);
void csv_table_free(csv_table *table);

/* The same from one block of memory, which malloc() gave and which becomes the table's. */
bool csv_table_from(const csv_dialect *dialect, const char *name, char *block, size_t size,
                    size_t parts, csv_table *out);

/* csv_reader.c: divides the rows into at most `parts` parts. False after a message if a quote is
 * never closed. */
bool csv_cut(csv_table *table, size_t parts);

/* csv_reader.c: the same for a table whose last row may be incomplete: that row is left out of the
 * size of the table. csv_shorten() leaves out the rows from the byte `size` on. */
void csv_cut_whole(csv_table *table, size_t parts);
void csv_shorten(csv_table *table, size_t size);

/* How many parts to make of a table of `size` bytes for this many threads. */
size_t csv_part_count(size_t size, unsigned threads);

/* Leaves out the blank lines at the end, unless an empty line is a row of one column. */
void csv_drop_blank_end(csv_table *table);

/* The bytes of the header of a further file, text[0..length), with its byte order mark; SIZE_MAX
 * after a message if it is not that of the table. If the files have no headers: those of the
 * mark. */
size_t csv_header_bytes(const csv_table *table, const char *name, const char *text, size_t length);

/* The file and the line, from 1, of a byte of the table. */
const char *csv_place(const csv_table *table, const char *byte, size_t *line);

/* The newlines in p[0..end). */
size_t csv_count_lines(const char *p, const char *end);

/* The value that begins at a byte of the table, up to a separator or newline, as printable text.
 * Returns out. */
const char *csv_value_shown(const csv_table *table, const char *value, char *out, size_t capacity);

/* ---- Rows of a part, one after another ---- */

typedef struct csv_reader {
    const char   *next, *end; /* rows to come                                              */
    const char   *block;      /* CSV_BLOCK bytes, of which `mask` are to come              */
    uint64_t      mask;
    char          separator, quote; /* quote: a newline if there are no quotes              */
    const size_t *wanted;           /* columns whose values are wanted, ascending           */
    size_t        wanted_count;
    csv_span     *values;        /* of these columns in the row, with their quotes; begin is NULL
                           * where the row has no such column                               */
    const char   *row, *row_end; /* the row without its line end                            */
    size_t        fields;        /* of the row                                              */
    const char   *unclosed;      /* the quote that is never closed; NULL: none              */
} csv_reader;

/* Starts at `begin`, the beginning of a row. */
void csv_start(csv_reader *reader, const csv_dialect *dialect, const char *begin, const char *end,
               const size_t *wanted, size_t wanted_count, csv_span *values);
void csv_start_part(csv_reader *reader, const csv_table *table, size_t part, const size_t *wanted,
                    size_t wanted_count, csv_span *values);

/* Goes to the next row. False at the end, or if a quote is not closed. */
bool csv_next(csv_reader *reader);

typedef struct csv_text { /* memory for values whose quotes are removed */
    char  *data;          /* to be freed */
    size_t capacity;
} csv_text;

/* The value without quotes: a part of the value, or text->data with a NUL after it. begin is NULL
 * if there is not enough memory. */
csv_span csv_unquote(csv_span value, bool quotes, csv_text *text);

#endif
