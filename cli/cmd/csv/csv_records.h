/* csv_records.h - keys of rows with a number each, sorted with temporary files.
 *
 * The rows stay in the input: rank and argsort sort their positions, and summaries of groups sort
 * the values of columns. */
#ifndef ORDO_CLI_CMD_CSV_CSV_RECORDS_H
#define ORDO_CLI_CMD_CSV_CSV_RECORDS_H

#include "cli/cmd/csv/csv_large.h"

typedef struct csv_record_job {
    csv_large *x;
    /* Appends the records of the next rows to `ready`. False at the end, or after a message
     * (x->feed.stream.failed). */
    bool (*more)(void *user, key_bytes *ready);
    void     *user;
    csv_visit visit; /* ties keep their order */
    void     *visitor;
} csv_record_job;

/* A record is made at the end of `to`: its beginning; its key, the group first, and bytes that do
 * not decide the order, with csv_append_bytes(); its end, with the places in `to` where the record
 * begins, and where its group and its key end. False if there is not enough memory. */
bool csv_record_begin(key_bytes *to);
bool csv_record_end(key_bytes *to, size_t begin, size_t group, size_t key, uint64_t value);

/* Sorts all records by their keys and visits them. Neither completes the output nor prints a
 * report. False after a message. */
bool csv_records_sort(const csv_record_job *job, ordo_external_report *report);

/* The positions of the rows of x as values, from 0, under the keys of --by, then of --key; without
 * rows that are left out. False after a message. */
bool csv_positions_sort(csv_large *x, csv_visit visit, void *user, ordo_external_report *report);

/* ---- Temporary files that are written once, then read ---- */

typedef struct csv_spill {
    int       fd; /* -1: none */
    key_bytes buffer;
    size_t    most;  /* bytes of it that wait to be written */
    uint64_t  bytes; /* appended so far */
} csv_spill;

enum {
    SPILL_BYTES = 1 << 18 /* that are usually written at a time */
};

/* False after a message. */
bool csv_spill_open(csv_spill *spill, const execution *e, size_t most);
bool csv_spill_append(csv_spill *spill, const void *bytes, size_t length);
bool csv_spill_flush(csv_spill *spill);
void csv_spill_close(csv_spill *spill);

/* Reads bytes from a place of the file. */
bool csv_spill_read(const csv_spill *spill, uint64_t at, void *into, size_t bytes);

#endif
