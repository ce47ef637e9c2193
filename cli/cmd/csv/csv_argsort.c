/* csv_argsort.c - `ordo argsort --csv`: the positions of the rows in the order of their keys,
 * counted without the header. */
#include "cli/cmd/csv/csv_records.h"

static bool argsort_in_memory(execution *e)
{
    csv_order order;

    if (!csv_order_find(e, e->o.index_type, &order))
        return false;
    csv_note_bad(e, &order.rows);
    if (e->o.one_based)
        add_one(order.type, order.index, order.n);
    const bool ok = write_results(e, order.type, order.index, order.n);
    csv_order_free(&order);
    return ok;
}

static bool write_position(void *user, csv_item *position)
{
    execution *const e = user;
    const uint64_t   shown = position->value + e->o.one_based;
    char             text[NUMBER_TEXT_MAX];

    return output_line(&e->out, text, number_format(ORDO_U64, &shown, text));
}

static bool argsort_large(execution *e)
{
    csv_large            x;
    ordo_external_report report;
    const bool           ok = csv_large_open(&x, e, true, false) &&
                    csv_positions_sort(&x, write_position, e, &report) &&
                    pieces_finish(e, true, &report);

    if (ok)
        csv_large_note_bad(&x);
    csv_large_close(&x);
    return ok;
}

bool csv_argsort(execution *e) { return csv_is_large(e) ? argsort_large(e) : argsort_in_memory(e); }
