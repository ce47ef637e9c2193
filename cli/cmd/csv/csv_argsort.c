/* csv_argsort.c - `ordo argsort --csv`: the positions of the rows in the order of their keys,
 * counted without the header. */
#include "cli/cmd/csv/csv_records.h"

/* The positions, as results; rows that are left out come last in index. */
static bool argsort_rows(execution *e, const csv_rows *rows)
{
    const ordo_type type = index_type(e->o.index_type, rows->n);
    void *const     index = csv_order_rows(e, rows, type);
    const size_t    n = rows->n - (csv_bad_of(e) == CSV_BAD_SKIP ? rows->bad : 0);

    if (index == NULL)
        return false;
    csv_note_bad(e, rows);
    if (e->o.one_based)
        add_one(type, index, n);
    return write_results(e, type, index, n);
}

static bool write_position(void *user, const csv_record *position)
{
    execution *const e = user;
    const uint64_t   shown = position->value + e->o.one_based;
    char             text[NUMBER_TEXT_MAX];

    return output_line(&e->out, text, number_format(ORDO_U64, &shown, text));
}

static bool argsort_large(execution *e)
{
    csv_large            x;
    ordo_external_report report = ORDO_OPTS(ordo_external_report, .n = 0);
    const bool           ok = csv_large_open(&x, e, true, false) &&
                    csv_positions_sort(&x, write_position, e, &report) &&
                    pieces_end(e, ORDO_OK, false, &report);

    if (ok)
        csv_large_note_bad(&x);
    csv_large_close(&x);
    return ok;
}

bool csv_argsort(execution *e)
{
    csv_rows rows = {.n = 0};

    if (csv_is_large(e))
        return argsort_large(e);
    const bool ok = csv_read(e) && csv_read_keys(e, &rows) && argsort_rows(e, &rows);
    csv_rows_free(&rows);
    return ok;
}
