/* csv_measure.h - results for each column of numbers, or for each group of --by and column: the
 * lines of `quantile`, `median`, `describe`, `min`, `max`, `sum` and `count` with --csv.
 *
 * A measure says what is computed from the numbers of a column or group; the numbers are in memory
 * or in temporary files. */
#ifndef ORDO_CLI_CMD_CSV_CSV_MEASURE_H
#define ORDO_CLI_CMD_CSV_CSV_MEASURE_H

#include "cli/cmd/csv/csv_records.h"
#include "cli/csv/csv_column.h"
#include "cli/io/summary.h"

typedef struct csv_cells { /* numbers of a column */
    ordo_type        type;
    uint64_t         n;
    const void      *values; /* NULL: in a file                                       */
    const csv_spill *file;   /* of 8 bytes for each number, from byte `at` on         */
    uint64_t         at;
    const summary   *summary; /* of the numbers, instead of values and file; or NULL */
} csv_cells;

typedef struct csv_measure_job csv_measure_job;

typedef struct csv_measure {
    /* Appends the names of the results, each after a separator. */
    bool (*names)(csv_measure_job *job);
    /* Appends the results, each after a separator. False after a message. */
    bool (*results)(csv_measure_job *job, const csv_cells *cells);
    bool summaries; /* results() needs only cells->summary */
} csv_measure;

struct csv_measure_job {
    execution                *e;
    const csv_measure        *measure;
    const ordo_quantile_opts *opts; /* of quantiles           */
    const double             *q;
    size_t                    count;
    uint64_t                  limit;   /* larger than memory: of a call of the library */
    const csv_table          *table;   /* dialect and names     */
    size_t                   *columns; /* their numbers, from 0 */
    size_t                    n;
    key_bytes                 line;
    size_t                    skipped_rows; /* left out, in all columns    */
    size_t                   *skipped;      /* values left out, of each column */
};

/* Prints the lines. False after a message. */
bool csv_measure_columns(csv_measure_job *job);

/* Appends to the line: a separator and a text, or a number. False if there is not enough memory. */
bool csv_measure_text(csv_measure_job *job, const char *text, size_t length);
bool csv_measure_number(csv_measure_job *job, ordo_type type, const void *value);

/* Writes the line, or prints that there is not enough memory if `ok` is false. */
bool csv_measure_end_line(csv_measure_job *job, bool ok);

/* The quantiles job->q of some numbers. False after a message. */
bool csv_cells_quantiles(csv_measure_job *job, const csv_cells *cells, double *values);

#endif
