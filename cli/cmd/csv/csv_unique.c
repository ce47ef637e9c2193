/* csv_unique.c - `ordo unique --csv`: the first row of each tie in the order of the keys, how many
 * there are, or with a column of how many rows tie. */
#include "cli/cmd/csv/csv_large.h"

typedef struct distinct { /* rows that come in order */
    execution         *e;
    const csv_dialect *dialect;
    uint64_t           n, rows; /* ties so far, and rows of the last one */
    key_bytes          row;     /* the first row of the last one         */
    key_bytes          line;
} distinct;

static bool no_memory(void) { return cli_fail("unique: not enough memory for a row"); }

/* Writes the first row of the tie that has ended, unless only their number is wanted. */
static bool end_tie(distinct *d)
{
    const char *const row = (const char *)d->row.data;
    char              text[NUMBER_TEXT_MAX];

    if (d->rows == 0 || d->e->o.only)
        return true;
    if (!d->e->o.runs)
        return output_bytes(&d->e->out, row, d->row.used);
    const csv_span value = {text, text + number_format(ORDO_U64, &d->rows, text)};
    d->line.used = 0;
    return (csv_append_column(d->dialect, row, row + d->row.used, value, &d->line) ||
            no_memory()) &&
           output_bytes(&d->e->out, d->line.data, d->line.used);
}

/* Takes the next row; `same`: it ties with the one before. */
static bool add_row(distinct *d, const char *row, size_t length, bool same)
{
    if (!same) {
        if (!end_tie(d))
            return false;
        d->n++;
        d->rows = 0;
        d->row.used = 0;
        if (!csv_append_bytes(&d->row, row, length))
            return no_memory();
    }
    d->rows++;
    return true;
}

static bool write_header(const distinct *d, const csv_table *table)
{
    return d->e->o.only ||
           (d->e->o.runs ? csv_write_wider_header(table, csv_new_column(d->e, "count"), &d->e->out)
                         : csv_write_header(table, &d->e->out));
}

static bool end_rows(distinct *d)
{
    char         text[NUMBER_TEXT_MAX];
    const size_t length = number_format(ORDO_U64, &d->n, text);

    return end_tie(d) && (!d->e->o.only || output_line(&d->e->out, text, length));
}

static void free_distinct(distinct *d)
{
    key_bytes_free(&d->row);
    key_bytes_free(&d->line);
}

/* ---- In memory ---- */

static bool unique_rows(execution *e, const csv_rows *rows)
{
    const ordo_type type = index_type(0, rows->n);
    const size_t    n = rows->n - (csv_bad_of(e) == CSV_BAD_SKIP ? rows->bad : 0);
    distinct        d = {.e = e, .dialect = &e->table.dialect};
    void *const     index = csv_order_rows(e, rows, type);

    if (index == NULL)
        return false;
    csv_note_bad(e, rows);
    bool ok = write_header(&d, &e->table);
    for (size_t i = 0; ok && i < n; i++) {
        const size_t row = index_at(type, index, i);
        const bool   same = i > 0 && csv_rows_compare(rows, index_at(type, index, i - 1), row) == 0;
        ok = add_row(&d, e->table.bytes + rows->offsets[row],
                     (size_t)(rows->offsets[row + 1] - rows->offsets[row]), same);
    }
    ok = finish_output(e, ok && end_rows(&d));
    free_distinct(&d);
    return ok;
}

/* ---- Larger than memory ---- */

typedef struct distinct_large {
    distinct   d;
    csv_large *x;
    key_bytes  key, last;
} distinct_large;

static bool visit_row(void *user, const char *row, size_t length)
{
    distinct_large *const u = user;

    u->key.used = 0;
    if (!csv_large_key(u->x, row, length - 1, &u->key, NULL))
        return no_memory();
    const bool same = u->d.n > 0 && u->key.used == u->last.used &&
                      memcmp(u->key.data, u->last.data, u->key.used) == 0;
    const key_bytes swapped = u->last;
    u->last = u->key;
    u->key = swapped;
    return add_row(&u->d, row, length, same);
}

static bool finish(void *user) { return end_rows(&((distinct_large *)user)->d); }

static bool unique_large(execution *e)
{
    csv_large      x;
    distinct_large u = {.d = {.e = e, .dialect = &x.feed.stream.dialect}, .x = &x};
    const bool     ok = csv_large_open(&x, e, true, false) &&
                    write_header(&u.d, &x.feed.stream.beginning) &&
                    csv_large_sort(&x, 0, visit_row, finish, &u);

    free_distinct(&u.d);
    key_bytes_free(&u.key);
    key_bytes_free(&u.last);
    csv_large_close(&x);
    return ok;
}

bool csv_unique(execution *e)
{
    csv_rows rows = {.n = 0};

    if (csv_is_large(e))
        return unique_large(e);
    const bool ok = csv_read(e) && csv_read_keys(e, &rows) && unique_rows(e, &rows);
    csv_rows_free(&rows);
    return ok;
}
