/* csv_unique.c - `ordo unique --csv`: the first row of each tie in the order of the keys, how many
 * there are, or with a column of how many rows tie. */
#include "cli/cmd/csv/csv_command.h"

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

static bool write_header(void *user, const csv_table *table)
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
    const csv_job counts = {
        .header = write_header, .visit = count_row, .finish = end_rows, .user = &d, .ties = true};
    const bool ok = csv_in_order(e, e->o.only || e->o.runs ? &counts : &(csv_job){.unique = true});

    key_bytes_free(&d.row);
    key_bytes_free(&d.line);
    return ok;
}
