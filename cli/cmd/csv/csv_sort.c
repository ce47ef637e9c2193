/* csv_sort.c - `ordo sort --csv`: sorts rows by columns, or checks that they are sorted; `ordo
 * unique --csv`: the first row of each tie in the order of the keys, how many there are, or with a
 * column of how many rows tie. Rows are written byte for byte as they were read, the header
 * first. */
#include "cli/cmd/csv/csv_command.h"

/* Compares the rows of a block with their neighbours. Bad rows that are left out do not count.
 * Returns the last row that counts, or SIZE_MAX. */
static size_t check_block(execution *e, const csv_rows *rows)
{
    const csv_table *const table = rows->table;
    const bool             skip = csv_bad_of(e) == CSV_BAD_SKIP && rows->bad > 0;
    size_t                 last = SIZE_MAX;

    for (size_t i = 0; !e->no && i < rows->n; i++) {
        if (skip && rows->is_bad[i])
            continue;
        const int order = last < i ? csv_rows_compare(rows, last, i) : -1;
        if (order > 0 || (order == 0 && e->o.unique)) {
            size_t            line;
            const char *const name = csv_place(table, table->bytes + rows->offsets[i], &line);
            e->no = true;
            if (e->o.check != CHECK_QUIET)
                cli_error("%s: line %zu: not sorted: the row %s the row before it", name, line,
                          order > 0 ? "must come before" : "ties with");
        }
        last = i;
    }
    return last;
}

/* The last row of a block is the first one of the next block. */
static bool check_rows(execution *e)
{
    csv_large              x;
    key_bytes              kept = {.used = 0};
    bool                   ok = csv_large_open(&x, e, true, false);
    csv_stream *const      stream = &x.feed.stream;
    const csv_table *const table = &stream->table;

    progress_start("checking");
    while (ok && !e->no && csv_stream_next(stream, (const char *)kept.data, kept.used)) {
        csv_rows rows;
        ok = csv_rows_read(table, &x.keys, &rows);
        if (!ok)
            break;
        csv_bad_count(&x.feed.bad, &rows, kept.used > 0);
        const size_t last = check_block(e, &rows);
        kept.used = 0;
        if (last != SIZE_MAX)
            ok = csv_append_bytes(&kept, table->bytes + rows.offsets[last],
                                  (size_t)(rows.offsets[last + 1] - rows.offsets[last])) ||
                 cli_fail("sort: not enough memory for a row");
        csv_rows_free(&rows);
    }
    progress_end();
    ok = ok && !stream->failed;
    if (ok)
        csv_print_bad(&x.feed.bad, x.keys.bad);
    key_bytes_free(&kept);
    csv_large_close(&x);
    timing_mark(&e->t, "check");
    return ok;
}

bool csv_sort(execution *e)
{
    return e->o.check ? check_rows(e) : csv_in_order(e, &(csv_job){.unique = e->o.unique});
}

/* ---- unique ---- */

typedef struct distinct { /* rows that come in order */
    execution  *e;
    csv_dialect dialect;
    uint64_t    n, rows; /* ties so far, and rows of the last one */
    key_bytes   row;     /* the first row of the last one         */
    key_bytes   line;
} distinct;

static bool no_memory(void) { return cli_fail("unique: not enough memory for a row"); }

/* Writes the first row of the tie that has ended and its count, unless only the number of ties is
 * wanted. */
static bool end_tie(distinct *d)
{
    const char *const row = (const char *)d->row.data;
    char              text[NUMBER_TEXT_MAX];

    if (d->rows == 0 || d->e->o.only)
        return true;
    const csv_span value = {text, text + number_format(ORDO_U64, &d->rows, text)};
    d->line.used = 0;
    return (csv_append_column(&d->dialect, row, row + d->row.used, value, &d->line) ||
            no_memory()) &&
           output_bytes(&d->e->out, d->line.data, d->line.used);
}

static bool count_row(void *user, csv_item *item)
{
    distinct *const d = user;

    if (!item->same) {
        if (!end_tie(d))
            return false;
        d->n++;
        d->rows = 0;
        d->row.used = 0;
        if (!csv_append_bytes(&d->row, item->text, item->length))
            return no_memory();
    }
    d->rows++;
    return true;
}

static bool write_counts_header(void *user, const csv_table *table)
{
    distinct *const d = user;

    d->dialect = table->dialect;
    return d->e->o.only || csv_write_wider_header(table, csv_new_column(d->e, "count"), &d->e->out);
}

static bool end_rows(void *user, const csv_table *table)
{
    distinct *const d = user;
    char            text[NUMBER_TEXT_MAX];
    const size_t    length = number_format(ORDO_U64, &d->n, text);

    (void)table;
    return end_tie(d) && (!d->e->o.only || output_line(&d->e->out, text, length));
}

bool csv_unique(execution *e)
{
    distinct      d = {.e = e};
    const csv_job counts = {.header = write_counts_header,
                            .visit = count_row,
                            .finish = end_rows,
                            .user = &d,
                            .ties = true};
    const bool ok = csv_in_order(e, e->o.only || e->o.runs ? &counts : &(csv_job){.unique = true});

    key_bytes_free(&d.row);
    key_bytes_free(&d.line);
    return ok;
}
