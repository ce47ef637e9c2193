/* csv_command.h - the steps that commands share with --csv and --tsv. */
#ifndef ORDO_CLI_CMD_CSV_CSV_COMMAND_H
#define ORDO_CLI_CMD_CSV_CSV_COMMAND_H

#include "cli/cmd/command.h"

#include "cli/csv/csv_feed.h"
#include "cli/csv/csv_output.h"

/* The work of the commands: csv_sort.c, csv_argsort.c, csv_rank.c, csv_pick.c, csv_unique.c,
 * csv_quantile.c, csv_summary.c. */
bool csv_sort(execution *e);
bool csv_argsort(execution *e);
bool csv_unique(execution *e);
bool csv_rank(execution *e);
bool csv_topk(execution *e);
bool csv_select(execution *e);
bool csv_summary(execution *e);
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

/* csv_external.c: whether the rows may not fit the memory. */
bool csv_is_large(const execution *e);

/* csv_top.c: `topk` of all rows. */
bool csv_top(execution *e);

/* csv_rank_large.c: `rank` with temporary files. */
bool csv_rank_large(execution *e);

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
void csv_note_bad(const execution *e, const csv_rows *rows);
void csv_print_bad(const csv_bad_rows *bad, csv_bad rule);

typedef struct csv_by { /* the columns of --by */
    csv_keys keys;      /* n is 0 without --by  */
    size_t   columns, column[CSV_MOST_KEYS];
} csv_by;

/* csv_groups.c: finds these columns. False after a message. */
bool csv_find_by(const execution *e, const csv_table *table, csv_by *out);

/* csv_groups.c: appends the values of the row [row, end) in these columns, in quotes only where
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

/* csv_groups.c: finds the groups of --by. Takes two arrays of new_results(). False after a message;
 * nothing is left to free then. */
bool csv_find_groups(execution *e, csv_groups *out);
void csv_groups_free(csv_groups *groups);

/* csv_groups.c: csv_append_names() of the first row of a group. */
bool csv_append_group(const execution *e, const csv_groups *groups, size_t group, key_bytes *to);

/* ---- Rows in order ---- */

typedef struct csv_item { /* a row, or a record of csv_records.h */
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
} csv_job;

/* csv_engine.c: does the job, in memory or with temporary files; `first` needs --by. False after a
 * message. */
bool csv_in_order(execution *e, const csv_job *job);

/* csv_external.c: with temporary files; `first` with or without --by. */
bool csv_in_order_large(execution *e, const csv_job *job);

typedef struct csv_order { /* rows in memory, in the order of --key */
    csv_rows  rows;
    ordo_type type;  /* of the index: the one asked for, or one that is enough */
    void     *index; /* from new_results() */
    size_t    n;     /* of the index, without bad rows that are left out */
} csv_order;

/* csv_engine.c: reads and sorts the rows. False after a message; nothing is left to free then. */
bool csv_order_find(execution *e, int asked_type, csv_order *out);
void csv_order_free(csv_order *order);

#endif
