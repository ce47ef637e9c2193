/* csv_output.h - writes rows with several threads: while one batch is written, the next is made. */
#ifndef ORDO_CLI_CSV_CSV_OUTPUT_H
#define ORDO_CLI_CSV_CSV_OUTPUT_H

#include "cli/csv/csv_rows.h"
#include "cli/io/output.h"
#include "cli/io/text/text_lines.h"

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

#endif
