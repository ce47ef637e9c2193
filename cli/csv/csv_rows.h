/* csv_rows.h - the rows of a table with their encoded keys, and their order.
 *
 * Keys are 64-bit words, one column of words for each key, where every value fits: numbers, dates,
 * and text of at most 7 bytes. Otherwise the keys of a row become one string of bytes whose
 * memcmp() order is the order of rows, from csv_encode(). */
#ifndef ORDO_CLI_CSV_CSV_ROWS_H
#define ORDO_CLI_CSV_CSV_ROWS_H

#include "cli/csv/csv_keys.h"

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

#endif
