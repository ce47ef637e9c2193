/* csv_running.c - `ordo moving --csv` and `ordo scan --csv`: adds a column with the results of a
 * column of numbers, in all rows or in the groups of --by.
 *
 * Empty values are left out: their rows get an empty result. Memory holds the numbers of the
 * column, their rows and their results; of rows larger than memory, which are read again to write
 * them, only a block. */
#include "cli/cmd/csv/csv_command.h"

#include <stdlib.h>

typedef struct running {
    csv_blocks in;
    size_t     column;
    ordo_type  type;   /* of the numbers                      */
    uint64_t  *values; /* numbers of 8 bytes                  */
    uint64_t  *rows;   /* of the numbers, ascending           */
    size_t     n, values_room, rows_room;
    size_t     skipped;
    uint64_t   row_count;
    uint64_t  *groups; /* the group of each row; NULL: no --by   */
    size_t     group_count;
    uint64_t  *place; /* of each number among those of its group; NULL: no --by */
    uint64_t  *ends;  /* where each group begins, and the end      */
    ordo_type  result_type;
    void      *results;
    uint64_t   written; /* rows in the blocks before */
    csv_rows   block;
} running;

/* ---- Numbers ---- */

static bool find_column(running *r)
{
    const execution *const    e = r->in.e;
    const option_texts *const texts = &e->o.csv.columns;
    const csv_table *const    table = r->in.beginning;
    char                      names[200];

    if (texts->n == 0)
        return cli_fail("%s: --column is missing: which column? The columns of %s are: %s%s",
                        e->command->name, table->files[0].name,
                        csv_names_shown(table, names, sizeof names), csv_separator_hint(table));
    return csv_column_find(table, e->command->name, "--column", texts->texts[0],
                           strlen(texts->texts[0]), &r->column);
}

static bool add_numbers(running *r, const csv_column *c)
{
    if (!cli_grow(&r->values, r->n + c->n, &r->values_room, sizeof *r->values) ||
        !cli_grow(&r->rows, r->n + c->n, &r->rows_room, sizeof *r->rows))
        return cli_fail("%s: not enough memory for the numbers of a column",
                        r->in.e->command->name);
    if (!hold_memory(r->in.e, c->n * (sizeof *r->values + sizeof *r->rows)))
        return false;
    if (c->n > 0)
        memcpy(r->values + r->n, c->values, c->n * sizeof *r->values);
    for (size_t i = 0; i < c->n; i++)
        r->rows[r->n + i] = r->row_count + c->rows[i];
    r->n += c->n;
    r->skipped += c->skipped;
    return true;
}

/* Reads the numbers of the blocks; *again: a value needs a wider type than those before it. */
static bool read_blocks(running *r, bool *again)
{
    csv_columns columns;
    bool        ok = true;

    *again = false;
    while (ok && !*again && csv_blocks_next(&r->in)) {
        ok = csv_columns_read(r->in.table, &r->column, 1, &r->type, r->in.keys.bad == CSV_BAD_SKIP,
                              true, &columns);
        if (!ok)
            break;
        const csv_column *const c = &columns.columns[0];
        *again = r->row_count > 0 && c->type != r->type;
        r->type = c->type;
        ok = *again || add_numbers(r, c);
        r->row_count += columns.rows;
        csv_columns_free(&columns);
    }
    return ok && !r->in.failed;
}

static bool read_numbers(running *r)
{
    bool again, ok;

    r->type = ORDO_I64;
    progress_start("reading columns");
    do {
        r->in.e->held -= r->n * (sizeof *r->values + sizeof *r->rows);
        r->n = r->skipped = 0;
        r->row_count = 0;
        ok = read_blocks(r, &again) && csv_blocks_again(&r->in);
    } while (ok && again);
    progress_end();
    timing_mark(&r->in.e->t, "columns");
    return ok;
}

/* ---- Groups ---- */

/* Gets the positions of rows in the order of their groups. */
static bool number_row(void *user, csv_item *row)
{
    running *const r = user;

    r->group_count += !row->same;
    if (row->value < r->row_count)
        r->groups[row->value] = r->group_count - 1;
    return true;
}

static bool find_groups_large(running *r)
{
    ordo_external_report report;
    csv_large *const     x = &r->in.x;

    r->groups = new_results(r->in.e, ORDO_U64, (size_t)r->row_count, "the groups of the rows");
    if (r->groups == NULL)
        return false;
    csv_blocks_leave(&r->in);
    x->keys = x->by.keys;
    x->by.columns = 0;
    return csv_positions_sort(x, number_row, r, &report) && csv_blocks_again(&r->in);
}

static bool find_groups(running *r)
{
    csv_groups groups;

    if (r->in.large)
        return find_groups_large(r);
    if (!csv_find_groups(r->in.e, &groups))
        return false;
    r->groups = groups.numbers;
    r->group_count = groups.n;
    csv_rows_free(&groups.rows);
    return true;
}

/* Moves the numbers of each group together. */
static bool group_numbers(running *r)
{
    const uint64_t bytes = (2 * r->n + r->group_count + 1) * sizeof(uint64_t);

    if (!find_groups(r) || !hold_memory(r->in.e, bytes))
        return false;
    uint64_t *const grouped = cli_alloc(r->n, sizeof *grouped, "the numbers of groups");
    r->place = cli_alloc(r->n, sizeof *r->place, "the numbers of groups");
    r->ends = cli_alloc(r->group_count + 1, sizeof *r->ends, "the groups");
    if (grouped == NULL || r->place == NULL || r->ends == NULL) {
        free(grouped);
        return false;
    }
    memset(r->ends, 0, (r->group_count + 1) * sizeof *r->ends);
    for (size_t i = 0; i < r->n; i++)
        r->ends[r->groups[r->rows[i]] + 1]++;
    for (size_t g = 0; g < r->group_count; g++)
        r->ends[g + 1] += r->ends[g];
    for (size_t i = 0; i < r->n; i++) {
        r->place[i] = r->ends[r->groups[r->rows[i]]]++;
        grouped[r->place[i]] = r->values[i];
    }
    for (size_t g = r->group_count; g > 0; g--)
        r->ends[g] = r->ends[g - 1];
    r->ends[0] = 0;
    free(r->values);
    r->values = grouped;
    return true;
}

/* ---- Results ---- */

static bool compute(running *r)
{
    execution *const    e = r->in.e;
    const ordo_segments groups =
        ORDO_OPTS(ordo_segments, .count = r->group_count, .offsets = r->ends);
    const ordo_segments *const segments = r->ends != NULL ? &groups : NULL;

    if (e->command == &command_scan) {
        r->result_type = r->type;
        r->results = r->values;
        return scan_numbers(e, r->type, r->values, r->n, r->type, r->values, segments);
    }
    r->result_type = ORDO_F64;
    r->results = new_results(e, ORDO_F64, r->n, "the results");
    return r->results != NULL && move_window(e, r->type, r->values, r->n, r->results, segments);
}

/* The number of a row, or r->n. */
static size_t number_of_row(const running *r, uint64_t row)
{
    size_t first = 0, n = r->n;

    while (n > 0) {
        const size_t half = n / 2;
        if (r->rows[first + half] < row) {
            first += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return first < r->n && r->rows[first] == row ? first : r->n;
}

static bool append_result(const void *user, size_t i, key_bytes *to)
{
    const running *const  r = user;
    const csv_rows *const rows = &r->block;
    char                  text[NUMBER_TEXT_MAX] = "";
    size_t                length = 0;

    if (rows->bad > 0 && rows->is_bad[i])
        return true;
    const size_t number = number_of_row(r, r->written + i);
    if (number < r->n) {
        const uint64_t at = r->place != NULL ? r->place[number] : number;
        length = number_format(r->result_type, (const uint64_t *)r->results + at, text);
    }
    const char *const bytes = rows->table->bytes;
    return csv_append_column(&rows->table->dialect, bytes + rows->offsets[i],
                             bytes + rows->offsets[i + 1], (csv_span){text, text + length}, to);
}

static const char *operation_name(const execution *e)
{
    static const char *const moving[] = {"median", "quantile", "rank", "min", "max"};
    static const char *const scan[] = {"sum", "min", "max", "product"};

    return e->command == &command_scan ? scan[e->o.op - ORDO_SUM]
                                       : moving[e->o.op - ORDO_MOVING_MEDIAN];
}

static bool write_rows(running *r)
{
    execution *const e = r->in.e;
    bool             ok =
        csv_write_wider_header(r->in.beginning, csv_new_column(e, operation_name(e)), &e->out);

    while (ok && csv_blocks_next(&r->in)) {
        ok = csv_blocks_rows(&r->in, &r->block);
        if (!ok)
            break;
        const size_t row_bytes = r->block.n > 0 ? r->in.table->size / r->block.n : 0;
        ok = csv_write_rows(&e->out, r->block.n, row_bytes, append_result, r);
        r->written += r->block.n;
        csv_rows_free(&r->block);
    }
    return finish_output(e, ok && !r->in.failed);
}

static void note_left_out(const running *r)
{
    const csv_table *const table = r->in.beginning;

    csv_print_bad(&r->in.bad, r->in.keys.bad);
    if (r->skipped > 0)
        cli_error("%s: %s: %zu value%s left out: not a number", table->files[0].name,
                  csv_column_shown(table, r->column), r->skipped, r->skipped == 1 ? "" : "s");
}

bool csv_running(execution *e)
{
    running    r = {.n = 0};
    const bool ok = csv_blocks_open(&r.in, e) && find_column(&r) && read_numbers(&r) &&
                    (e->o.csv.by.n == 0 || group_numbers(&r)) && compute(&r) && write_rows(&r);

    if (ok)
        note_left_out(&r);
    free(r.values);
    free(r.rows);
    free(r.place);
    free(r.ends);
    csv_blocks_close(&r.in);
    return ok;
}
