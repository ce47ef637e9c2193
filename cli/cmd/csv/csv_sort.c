/* csv_sort.c - `ordo sort --csv`: sorts rows by columns, or checks that they are sorted, as `ordo
 * check --csv` does; `ordo merge --csv`: the same sort of files that are sorted; `ordo
 * unique --csv`: the first row of each tie in the order of the keys, how many there are, or with a
 * column of how many rows tie; `ordo count --csv --by`: the values of that row in the columns of
 * --by, and this number. Rows are written byte for byte as they were read, the header first. */
#include "cli/cmd/csv/csv_command.h"

#include "cli/csv/csv_scan.h"

#include <string.h>

/* Says that row i is out of order. */
static void complain(execution *e, const csv_rows *rows, size_t i, const char *how)
{
    size_t            line;
    const char *const name = csv_place(rows->table, rows->table->bytes + rows->offsets[i], &line);

    e->no = true;
    if (e->o.check != CHECK_QUIET)
        cli_error("%s: line %zu: not sorted: the row %s the row before it%s", name, line, how,
                  e->command == &command_merge ? MERGE_ADVICE : "");
}

/* Compares the rows [first, end) with their neighbours. Bad rows that are left out do not count.
 * Returns the last row that counts, or SIZE_MAX. */
static size_t check_block(execution *e, const csv_rows *rows, size_t first, size_t end)
{
    const bool skip = csv_bad_of(e) == CSV_BAD_SKIP && rows->bad > 0;
    size_t     last = SIZE_MAX;

    for (size_t i = first; !e->no && i < end; i++) {
        if (skip && rows->is_bad[i])
            continue;
        const int order = last < i ? csv_rows_compare(rows, last, i) : -1;
        if (order > 0)
            complain(e, rows, i, "must come before");
        else if (order == 0 && ties_disturb(e))
            complain(e, rows, i, "ties with");
        last = i;
    }
    return last;
}

/* The last row of a block is the first one of the next block; merge compares it only with rows of
 * its own file. */
static bool check_rows(execution *e)
{
    csv_large              x;
    key_bytes              kept = {.used = 0};
    bool                   ok = csv_large_open(&x, e, true, false);
    csv_stream *const      stream = &x.feed.stream;
    const csv_table *const table = &stream->table;
    size_t                 file = 0;

    progress_start("checking");
    while (ok && !e->no && csv_stream_next(stream, (const char *)kept.data, kept.used)) {
        csv_rows   rows;
        const bool begins = e->command == &command_merge && stream->at != file && kept.used > 0;
        file = stream->at;
        ok = csv_rows_read(table, &x.keys, &rows);
        if (!ok)
            break;
        csv_bad_count(&x.feed.bad, &rows, kept.used > 0);
        const size_t last = check_block(e, &rows, begins, rows.n);
        kept.used = 0;
        if (last != SIZE_MAX)
            ok = csv_append_bytes(&kept, table->bytes + rows.offsets[last],
                                  (size_t)(rows.offsets[last + 1] - rows.offsets[last])) ||
                 cli_fail("%s: not enough memory for a row", e->command->name);
        csv_rows_free(&rows);
    }
    progress_end();
    ok = ok && !stream->failed;
    key_bytes_free(&kept);
    (void)csv_large_close(&x, ok && e->o.check);
    timing_mark(&e->t, "check");
    return ok;
}

bool csv_sort(execution *e)
{
    return e->o.check ? check_rows(e) : csv_in_order(e, &(csv_job){.unique = e->o.unique});
}

bool csv_check(execution *e) { return check_rows(e); }

/* ---- merge ---- */

/* Checks the rows of each file of a table in memory. */
static bool check_files(execution *e, const csv_rows *rows)
{
    const csv_table *const table = rows->table;
    size_t                 first = 0, end;

    for (size_t f = 0; !e->no && f < table->file_count; f++, first = end) {
        for (end = first; end < rows->n; end++)
            if (f + 1 < table->file_count && rows->offsets[end] >= table->files[f + 1].begin)
                break;
        check_block(e, rows, first, end);
    }
    return !e->no;
}

bool csv_merge(execution *e)
{
    const csv_job job = {.unique = e->o.unique, .accept = check_files};

    if (!csv_is_large(e))
        return csv_in_order(e, &job);
    for (size_t i = 0; i < e->path_count; i++)
        if (!merge_may_read_twice(e, e->paths[i]))
            return false;
    return check_rows(e) && !e->no && csv_in_order_large(e, &job);
}

/* ---- unique ---- */

typedef struct distinct { /* rows that come in order */
    execution       *e;
    const csv_table *table;
    csv_by           by;      /* of count; else without columns        */
    uint64_t         n, rows; /* ties so far, and rows of the last one */
    csv_json         json;    /* of count                              */
    key_bytes        row;     /* the first row of the last one; CSV_BLOCK newlines follow */
    key_bytes        line;
} distinct;

static bool no_memory(const distinct *d)
{
    return cli_fail("%s: not enough memory for a row", d->e->command->name);
}

static bool counts_as_json(const distinct *d)
{
    return d->e->command == &command_count && json_results_wanted(d->e);
}

/* Writes the first row of the tie that has ended and its count, unless only the number of ties is
 * wanted. */
static bool end_tie(distinct *d)
{
    const char *const row = (const char *)d->row.data;
    char              text[NUMBER_TEXT_MAX];

    if (d->rows == 0 || d->e->o.only)
        return true;
    const csv_span    value = {text, text + number_format(ORDO_U64, &d->rows, text)};
    const char *const end = row + d->row.used - CSV_BLOCK;
    d->line.used = 0;
    const bool ok = d->by.columns == 0
                        ? csv_append_column(&d->table->dialect, row, end, value, &d->line)
                        : csv_append_names(d->table, &d->by, row, end, &d->line) &&
                              csv_append_bytes(&d->line, text, (size_t)(value.end - text)) &&
                              csv_append_bytes(&d->line, "\n", 1);
    return (ok || no_memory(d)) &&
           (counts_as_json(d) ? csv_json_row(&d->json, (const char *)d->line.data, d->line.used)
                              : output_bytes(&d->e->out, d->line.data, d->line.used));
}

static bool count_row(void *user, csv_item *item)
{
    distinct *const d = user;

    char newlines[CSV_BLOCK];

    if (!item->same) {
        if (!end_tie(d))
            return false;
        d->n++;
        d->rows = 0;
        d->row.used = 0;
        memset(newlines, '\n', sizeof newlines);
        if (!csv_append_bytes(&d->row, item->text, item->length) ||
            !csv_append_bytes(&d->row, newlines, sizeof newlines))
            return no_memory(d);
    }
    d->rows++;
    return true;
}

/* The names of the columns of --by, and "count". */
static bool write_names(distinct *d)
{
    const csv_table *const table = d->table;
    bool                   ok = csv_find_by(d->e, table, &d->by);

    if (!ok || (table->names == NULL && !counts_as_json(d)))
        return ok;
    for (size_t i = 0; ok && i < d->by.columns; i++)
        ok = csv_append_name(table, d->by.column[i], &d->line) &&
             csv_append_bytes(&d->line, &table->dialect.separator, 1);
    ok = ok && csv_append_bytes(&d->line, "count\n", strlen("count\n"));
    if (!ok || !counts_as_json(d))
        return (ok || no_memory(d)) && output_bytes(&d->e->out, d->line.data, d->line.used);
    ok = csv_json_begin(&d->json, d->e, table, &d->line);
    d->json.texts = d->by.columns;
    return ok;
}

static bool write_counts_header(void *user, const csv_table *table)
{
    distinct *const d = user;

    d->table = table;
    if (d->e->command == &command_count)
        return write_names(d);
    return d->e->o.only || csv_write_wider_header(table, csv_new_column(d->e, "count"), &d->e->out);
}

static bool end_rows(void *user, const csv_table *table)
{
    distinct *const d = user;

    (void)table;
    return end_tie(d) && (!d->e->o.only || put_measures(d->e, ORDO_U64, &d->n, 1)) &&
           (!counts_as_json(d) || json_end(&d->json.results));
}

/* Writes the rows that the options ask for, or the counts of all ties. */
static bool write_ties(execution *e, bool counted)
{
    distinct      d = {.e = e};
    const csv_job counts = {.header = write_counts_header,
                            .visit = count_row,
                            .finish = end_rows,
                            .user = &d,
                            .ties = true};
    const bool    ok = csv_in_order(e, counted ? &counts : &(csv_job){.unique = true});

    csv_json_free(&d.json);
    key_bytes_free(&d.row);
    key_bytes_free(&d.line);
    return ok;
}

bool csv_unique(execution *e) { return write_ties(e, e->o.only || e->o.runs); }

bool csv_count(execution *e)
{
    return e->o.csv.by.n > 0 && e->o.csv.columns.n == 0 ? write_ties(e, true) : csv_summary(e);
}
