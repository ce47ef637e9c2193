/* csv_rows.h - the rows of a table with their encoded keys, and their order.
 *
 * Keys are 64-bit words, one column of words for each key, where every value fits: numbers, dates,
 * and text with few different values. Otherwise the keys of a row become one string of bytes whose
 * memcmp() order is the order of rows, from csv_encode(). */
#ifndef ORDO_CLI_CSV_CSV_ROWS_H
#define ORDO_CLI_CSV_CSV_ROWS_H

#include "cli/csv/csv_keys.h"
#include "cli/io/output.h"
#include "cli/io/text/text_lines.h"

typedef struct csv_rows {
    const csv_table *table;
    size_t           n, columns;
    uint64_t        *offsets;       /* n + 1: row i is table->bytes[offsets[i]..offsets[i + 1])  */
    uint64_t *words[CSV_MOST_KEYS]; /* of each key; NULL: keys are bytes                         */
    uint8_t  *is_bad;               /* of each row, 0 or 1; NULL: no row is bad                  */
    size_t    bad;                  /* rows                                                      */
    char     *bytes;                /* of keys; NULL: keys are words                             */
    uint64_t *key_offsets;          /* n + 1, in bytes                                           */
} csv_rows;

/* Reads the keys of all rows with a thread for each part. Bad rows are an error, or come last in
 * the order of rows. False after a message; nothing is left to free then. */
bool csv_rows_read(const csv_table *table, const csv_keys *keys, csv_rows *out);
void csv_rows_free(csv_rows *rows);

/* The same with keys that are bytes. They can be compared with the keys that this function makes of
 * other tables. */
bool csv_rows_read_bytes(const csv_table *table, const csv_keys *keys, csv_rows *out);

/* The keys of the rows index[0..n), as rows of their own without offsets. False after a message;
 * nothing is left to free then. */
bool csv_rows_gather(const csv_rows *rows, const uint64_t *index, size_t n, csv_rows *out);

/* Writes the order of rows; rows that tie keep their order. type: ORDO_U32 or ORDO_U64. */
ordo_status csv_rows_sort(ordo_ctx *ctx, const csv_rows *rows, ordo_type type, void *index);

/* Writes the rank of each row. */
ordo_status csv_rows_rank(ordo_ctx *ctx, const csv_rows *rows, ordo_ties ties, ordo_type type,
                          void *ranks);

/* < 0, 0, > 0: row i comes before, ties with, comes after row j. */
int csv_rows_compare(const csv_rows *rows, size_t i, size_t j);

/* ---- Writing rows ----
 *
 * Several threads make a batch while the one before is written. */

/* Appends row i of the output to `to`. False if there is not enough memory. Called by several
 * threads at a time. */
typedef bool (*csv_append)(const void *user, size_t i, key_bytes *to);

/* Writes n rows of about `row_bytes` bytes each. False after a message. */
bool csv_write_rows(output *out, size_t n, size_t row_bytes, csv_append append, const void *user);

/* The header, with a byte order mark if the input has one, or nothing. */
bool csv_write_header(const csv_table *table, output *out);

typedef struct csv_selection { /* rows in the order of an index */
    const csv_rows *rows;
    ordo_type       type; /* ORDO_U32 or ORDO_U64 */
    const void     *index;
    size_t          n;
} csv_selection;

/* Writes these rows as they were read. */
bool csv_write_selection(const csv_selection *selection, output *out);

/* Appends a value, in quotes if it needs them. False if there is not enough memory. */
bool csv_append_value(const csv_dialect *dialect, csv_span value, key_bytes *to);

bool csv_append_bytes(key_bytes *to, const void *bytes, size_t length);

/* ---- Columns of numbers of a table, all in one pass ----
 *
 * The type of a column is chosen as text_start() does: i64 if every value is an integer, u64 if
 * some exceed i64 and none is negative, otherwise f64. Empty values are left out. */

typedef struct csv_column {
    size_t    column;
    ordo_type type;
    size_t    n;       /* numbers                                          */
    void     *values;  /* of 8 bytes each                                  */
    uint64_t *rows;    /* the row of each number, from 0; NULL: not wanted */
    size_t    empty;   /* values left out because they are empty           */
    size_t    skipped; /* values left out because they are bad             */
} csv_column;

typedef struct csv_columns {
    csv_column *columns; /* in the order asked for                          */
    size_t      n, rows;
    size_t      skipped_rows; /* with too many or too few fields            */
} csv_columns;

/* Reads the columns numbered columns[0..n), from 0, with a thread for each part of the table.
 * types[i], if types is not NULL, is the type to begin with for columns[i]: the result has at least
 * this type, in the order i64, u64, f64. A value that is no number, an integer that f64 cannot hold
 * beside numbers that are no integers, and a row with too many or too few fields are errors, or
 * left out and counted (skip_bad). False after a message; nothing is left to free then. */
bool csv_columns_read(const csv_table *table, const size_t *columns, size_t n,
                      const ordo_type *types, bool skip_bad, bool with_rows, csv_columns *out);
void csv_columns_free(csv_columns *columns);

#endif
