/* csv_pick.c - `ordo topk --csv --by`: the first rows of each group; `ordo select --csv`: the rows
 * at given places of the order. For topk of all rows see csv_top.c. */
#include "cli/cmd/csv/csv_command.h"

#include <stdlib.h>

bool csv_topk(execution *e)
{
    return e->o.csv.by.n == 0 ? csv_top(e) : csv_in_order(e, &(csv_job){.first = true});
}

static bool too_large(uint64_t k, uint64_t n, const char *name)
{
    return cli_fail("select: -k %llu is too large; expected at most %llu, the number of rows in %s",
                    (unsigned long long)k, (unsigned long long)n, name);
}

/* The K of the command line, from 1, as rows. */
static bool select_in_memory(execution *e)
{
    const uint64_t *const k = e->o.list;
    csv_order             order;

    if (!csv_order_find(e, 0, &order))
        return false;
    uint64_t *const picked = new_results(e, ORDO_U64, e->o.count, "the selected rows");
    bool            ok = picked != NULL;
    for (size_t i = 0; ok && i < e->o.count; i++) {
        ok = k[i] <= order.n || too_large(k[i], order.n, e->table.files[0].name);
        if (ok)
            picked[i] = index_at(order.type, order.index, (size_t)k[i] - 1);
    }
    const csv_selection selected = {
        .rows = &order.rows, .type = ORDO_U64, .index = picked, .n = e->o.count};
    if (ok)
        csv_note_bad(e, &order.rows);
    ok = ok && finish_output(e, csv_write_header(&e->table, &e->out) &&
                                    csv_write_selection(&selected, &e->out));
    csv_order_free(&order);
    return ok;
}

typedef struct place_picker {
    execution *e;
    uint64_t   seen;
    key_bytes *rows; /* of each place */
} place_picker;

static bool keep_row(void *user, csv_item *item)
{
    place_picker *const   p = user;
    const uint64_t *const k = p->e->o.list;

    p->seen++;
    for (size_t i = 0; i < p->e->o.count; i++)
        if (k[i] == p->seen && !csv_append_bytes(&p->rows[i], item->text, item->length))
            return cli_fail("select: not enough memory for a row");
    return true;
}

static bool write_kept(void *user, const csv_table *table)
{
    const place_picker *const p = user;
    const uint64_t *const     k = p->e->o.list;
    bool                      ok = true;

    for (size_t i = 0; ok && i < p->e->o.count; i++)
        ok = k[i] <= p->seen ? output_bytes(&p->e->out, p->rows[i].data, p->rows[i].used)
                             : too_large(k[i], p->seen, table->files[1].name);
    return ok;
}

static bool select_large(execution *e)
{
    place_picker picker = {.e = e, .rows = cli_alloc(e->o.count, sizeof *picker.rows, "the rows")};

    if (picker.rows == NULL)
        return false;
    memset(picker.rows, 0, e->o.count * sizeof *picker.rows);
    const bool ok =
        csv_in_order_large(e, &(csv_job){.visit = keep_row, .finish = write_kept, .user = &picker});
    for (size_t i = 0; i < e->o.count; i++)
        key_bytes_free(&picker.rows[i]);
    free(picker.rows);
    return ok;
}

bool csv_select(execution *e) { return csv_is_large(e) ? select_large(e) : select_in_memory(e); }
