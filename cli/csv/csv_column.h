/* csv_column.h - columns of numbers of a table, all in one pass.
 *
 * The type of a column is chosen as text_start() does: i64 if every value is an integer, u64 if
 * some exceed i64 and none is negative, otherwise f64. Empty values are left out. */
#ifndef ORDO_CLI_CSV_CSV_COLUMN_H
#define ORDO_CLI_CSV_CSV_COLUMN_H

#include "cli/csv/csv_table.h"

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
