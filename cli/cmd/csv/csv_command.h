/* csv_command.h - the steps that commands share with --csv and --tsv. */
#ifndef ORDO_CLI_CMD_CSV_CSV_COMMAND_H
#define ORDO_CLI_CMD_CSV_CSV_COMMAND_H

#include "cli/cmd/command.h"

#include "cli/cmd/external/external.h"
#include "cli/csv/csv_stream.h"
#include "cli/csv/csv_rows.h"
#include "cli/io/summary.h"
#include "ordo_external_lines.h"

/* The work of the commands: csv_sort.c, csv_rank.c, csv_top.c, csv_summary.c,
 * csv_sample.c, csv_running.c. */
bool csv_sort(execution *e);
bool csv_check(execution *e);
bool csv_merge(execution *e);
bool csv_argsort(execution *e);
bool csv_unique(execution *e);
bool csv_count(execution *e);
bool csv_rank(execution *e);
bool csv_topk(execution *e);
bool csv_select(execution *e);
bool csv_summary(execution *e);
bool csv_sample(execution *e);
bool csv_running(execution *e);
bool csv_quantile(execution *e);

/* csv_options.c: reads the files into e->table. False after a message. */
bool csv_read(execution *e);

/* csv_options.c: the steps of csv_read(), and the keys of --key. False after a message. */
bool csv_dialect_of(const execution *e, csv_dialect *out);
bool csv_has_rows(const csv_table *table);
bool csv_find_keys(const execution *e, const csv_table *table, csv_keys *keys);

/* csv_options.c: the rows with the keys of --key. False after a message; nothing is left to free
 * then. */
bool csv_read_keys(execution *e, csv_rows *rows);

/* csv_engine.c: whether the rows may not fit the memory. */
bool csv_is_large(const execution *e);

/* csv_rank.c: appends a row, which ends with its line end, with one more value. */
bool csv_append_column(const csv_dialect *dialect, const char *row, const char *end, csv_span value,
                       key_bytes *to);

/* csv_rank.c: the header with one more column, or nothing. False after a message. */
bool csv_write_wider_header(const csv_table *table, const char *name, output *out);

/* csv_options.c: the name of a new column: that of --as, or `otherwise`. */
const char *csv_new_column(const execution *e, const char *otherwise);

/* csv_options.c: what --bad asks for. */
csv_bad csv_bad_of(const execution *e);

/* csv_options.c: says how many rows were left out or put last, and which was the first. */
void csv_print_bad(const csv_bad_rows *bad, csv_bad rule);
void csv_note_bad(const execution *e, const csv_rows *rows);

typedef struct csv_by { /* the columns of --by */
    csv_keys keys;      /* n is 0 without --by  */
    size_t   columns, column[CSV_MOST_KEYS];
} csv_by;

/* csv_records.c: finds these columns. False after a message. */
bool csv_find_by(const execution *e, const csv_table *table, csv_by *out);

/* csv_records.c: appends the values of the row [row, end) in these columns, in quotes only where
 * they need them, each with a separator after it. */
bool csv_append_names(const csv_table *table, const csv_by *by, const char *row, const char *end,
                      key_bytes *to);

typedef struct csv_groups {
    csv_by    by;
    csv_rows  rows;
    uint64_t *numbers; /* the group of each row, from 0 */
    uint64_t *firsts;  /* the first row of each group   */
    size_t    n;
} csv_groups;

/* csv_records.c: finds the groups of --by. Takes two arrays of new_results(). False after a
 * message; nothing is left to free then. */
bool csv_find_groups(execution *e, csv_groups *out);

/* csv_records.c: csv_append_names() of the first row of a group. */
bool csv_append_group(const execution *e, const csv_groups *groups, size_t group, key_bytes *to);

/* ---- Rows in order ---- */

typedef struct csv_item { /* a row, or a record of csv_records.c */
    const char    *text;  /* of a row, with its line end; if `same`, perhaps of one that ties */
    size_t         length;
    bool           same_group, same; /* as the one before: the values of --by; and all keys */
    const uint8_t *key;
    size_t         key_length, group; /* bytes of the key, and of those that name its group */
    uint64_t       value;             /* of a record, and the bytes behind its key */
    const uint8_t *rest;
    size_t         rest_length;
} csv_item;

/* Gets each item in order. False after a message. */
typedef bool (*csv_visit)(void *user, csv_item *item);

typedef struct csv_job { /* what a command does with rows in the order of --by, then of --key */
    bool      unique;    /* only the first of the rows that tie is written              */
    bool      first;     /* only the first e->o.k rows are written: of all, or of each group */
    bool      ties;      /* visit() looks at item->same                                 */
    csv_visit visit;     /* NULL: rows are written                                      */
    void     *user;
    bool (*header)(void *user, const csv_table *table); /* NULL: it is written      */
    bool (*finish)(void *user, const csv_table *table); /* writes more; NULL: nothing */
    /* In memory: whether the rows, which are in the order of the input, are right. False after a
     * message. NULL: they are. */
    bool (*accept)(execution *e, const csv_rows *rows);
} csv_job;

/* csv_engine.c: does the job, in memory or with temporary files; `first` needs --by. False after a
 * message. */
bool csv_in_order(execution *e, const csv_job *job);

/* The same with temporary files; `first` with or without --by. */
bool csv_in_order_large(execution *e, const csv_job *job);

typedef struct csv_order { /* rows in memory, in the order of --key */
    csv_rows  rows;
    ordo_type type;  /* of the index: the one asked for, or one that is enough */
    void     *index; /* from new_results() */
    size_t    n;     /* of the index, without bad rows that are left out */
} csv_order;

/* csv_engine.c: reads and sorts the rows. False after a message; nothing is left to free then. */
bool csv_order_find(execution *e, int asked_type, csv_order *out);

/* ---- Rows larger than memory ---- */

typedef struct csv_large {
    execution  *e;
    csv_feed    feed;
    csv_keys    keys;
    csv_by      by;
    uint64_t    limit; /* of the memory of a call of the library */
    uint64_t    bytes; /* of the input; 0: not known */
    int         copy;  /* a temporary file with the bytes of a pipe; -1: none */
    char        copy_name[32];
    const char *copy_path;
} csv_large;

/* Opens the files and finds the keys of --by, and of --key if with_keys. twice: the input is read
 * more than once, so a pipe is copied to a temporary file. False after a message; call
 * csv_large_close() in any case. */
bool csv_large_open(csv_large *x, execution *e, bool with_keys, bool twice);

/* Closes them, and after a success (ok) says how many bad rows there were. Returns ok. */
bool csv_large_close(csv_large *x, bool ok);

/* Bytes of a block of `topk`, which may take all memory, with `keys` keys a row. */
size_t csv_top_block(const execution *e, uint64_t limit, size_t keys);

/* ---- Sorts with temporary files ---- */

typedef struct csv_sorting { /* lines of ordo_external_lines.h, which are items */
    csv_large       *x;
    ordo_line_format format; /* with `split` */
    ordo_source      from;   /* fails after a message */
    uint64_t         flags;
    /* Finds the key of an item and what else it holds. False if there is not enough memory. NULL:
     * the text is enough. */
    bool (*read)(struct csv_sorting *sorting, csv_item *item);
    csv_visit visit; /* NULL: all items are written */
    void     *user;
    bool      told;      /* a callback has failed, after a message */
    key_bytes key, last; /* for `read`; the key of the item before */
    size_t    last_group;
    bool      begun; /* there is such an item */
} csv_sorting;

/* Sorts the items and visits them, or writes them. Neither completes the output nor prints a
 * report. False after a message. */
bool csv_sort_items(csv_sorting *sorting, ordo_external_report *report);

/* ---- Keys of rows with a number each, sorted with temporary files ----
 *
 * The rows stay in the input: rank and argsort sort their positions, and summaries of groups sort
 * the values of columns. */

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
    int       fd;     /* -1: none */
    key_bytes buffer; /* what waits to be written; after csv_spill_flush() what was read last */
    size_t    most;   /* bytes of it                                                          */
    uint64_t  bytes;  /* appended so far                                                      */
    uint64_t  begin;  /* of what was read last                                                */
} csv_spill;

enum {
    SPILL_BYTES = 1 << 18 /* that are usually written at a time */
};

/* False after a message. */
bool csv_spill_open(csv_spill *spill, const execution *e, size_t most);
bool csv_spill_append(csv_spill *spill, const void *bytes, size_t length);
bool csv_spill_flush(csv_spill *spill);
void csv_spill_close(csv_spill *spill);

/* Reads bytes from a place of the file after csv_spill_flush(). Places that follow each other cost
 * few system calls. */
bool csv_spill_read(csv_spill *spill, uint64_t at, void *into, size_t bytes);

/* ---- Rows in the order of the input, which are read twice ---- */

typedef struct csv_blocks {
    execution       *e;
    bool             large, failed;     /* failed: after a message                   */
    csv_keys         keys;              /* none: only what --bad asks for            */
    const csv_table *beginning, *table; /* with the header and first rows; the block */
    csv_bad_rows     bad;               /* of the blocks so far                      */
    csv_large        x;                 /* if large                                  */
    uint64_t         own;               /* bytes of memory that are not arrays       */
} csv_blocks;

/* Begins. Larger than memory with -S, hold_memory() then keeps the limit. False after a message;
 * call csv_blocks_close() in any case. */
bool csv_blocks_open(csv_blocks *b, execution *e);
void csv_blocks_close(csv_blocks *b);

/* Makes b->table the next block. False at the end, or after a message (failed). */
bool csv_blocks_next(csv_blocks *b);
bool csv_blocks_again(csv_blocks *b);

/* The rows of the block. False after a message (failed). */
bool csv_blocks_rows(csv_blocks *b, csv_rows *rows);

/* Leaves to a sort of b->x what the arrays do not take. */
void csv_blocks_leave(csv_blocks *b);

/* ---- Lines of CSV as an array of JSON objects ---- */

typedef struct csv_json {
    execution   *e;
    csv_dialect  dialect;
    size_t       n;     /* fields of a line                                          */
    size_t       texts; /* fields from this one on are numbers; SIZE_MAX: see is_number */
    bool        *is_number;
    csv_span    *names, *fields;
    size_t      *wanted;
    key_bytes    header, line; /* copies */
    csv_text     text;
    json_results results;
} csv_json;

/* Begins with the line of the names. False after a message. */
bool csv_json_begin(csv_json *j, execution *e, const csv_table *table, const key_bytes *names);
bool csv_json_row(csv_json *j, const char *row, size_t length);

/* Does nothing if all is 0. The array ends with json_end(). */
void csv_json_free(csv_json *j);

/* ---- Results for each column of numbers, or for each group and column ---- */

typedef struct csv_cells { /* numbers of a column */
    ordo_type      type;
    uint64_t       n;
    const void    *values; /* NULL: in a file                               */
    csv_spill     *file;   /* of 8 bytes for each number, from byte `at` on */
    uint64_t       at;
    const summary *summary; /* of the numbers, instead of values and file; or NULL */
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
    csv_json                  json;
    size_t                    skipped_rows; /* left out, in all columns    */
    size_t                   *skipped;      /* values left out, of each column */
};

/* Prints the lines. False after a message. */
bool csv_measure_columns(csv_measure_job *job);

/* Appends the name of a column, or its number from 1 if columns have no names. */
bool csv_append_name(const csv_table *table, size_t column, key_bytes *to);

/* Appends to the line: a separator and a text, or a number. False if there is not enough memory. */
bool csv_measure_text(csv_measure_job *job, const char *text, size_t length);
bool csv_measure_number(csv_measure_job *job, ordo_type type, const void *value);

/* Writes the line, or prints that there is not enough memory if `ok` is false. */
bool csv_measure_end_line(csv_measure_job *job, bool ok);

/* The quantiles job->q of some numbers. False after a message. */
bool csv_cells_quantiles(csv_measure_job *job, const csv_cells *cells, double *values);

#endif
