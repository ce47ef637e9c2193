/* csv_command.h - the steps that commands share with --csv and --tsv. */
#ifndef ORDO_CLI_CMD_CSV_CSV_COMMAND_H
#define ORDO_CLI_CMD_CSV_CSV_COMMAND_H

#include "cli/cmd/command.h"

#include "cli/csv/csv_feed.h"
#include "cli/csv/csv_output.h"

/* csv_options.c: reads the files into e->table. False after a message. */
bool csv_read(execution *e);

/* csv_options.c: the steps of csv_read(), and the keys of --key. False after a message. */
bool csv_dialect_of(const execution *e, csv_dialect *out);
bool csv_has_rows(const csv_table *table);
bool csv_find_keys(const execution *e, const csv_table *table, csv_keys *keys);

/* csv_options.c: the rows with the keys of --key. False after a message; nothing is left to free
 * then. */
bool csv_read_keys(execution *e, csv_rows *rows);

/* csv_options.c: the order of the rows, an index of this type from new_results(). NULL after a
 * message. */
void *csv_order_rows(execution *e, const csv_rows *rows, ordo_type type);

/* csv_external.c: whether the rows may not fit the memory, and the sort with temporary files. */
bool csv_is_large(const execution *e);
bool csv_sort_external(execution *e);

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

#endif
