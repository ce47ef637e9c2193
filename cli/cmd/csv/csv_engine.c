/* csv_engine.c - rows in the order of their keys, in memory; with temporary files: csv_external.c.
 *
 * The rows that a job chooses are written by several threads. */
#include "cli/cmd/csv/csv_command.h"

#include <stdlib.h>

bool csv_order_find(execution *e, int asked_type, csv_order *out)
{
    *out = (csv_order){.n = 0};
    if (!csv_read(e) || !csv_read_keys(e, &out->rows))
        return false;
    out->type = index_type(asked_type, out->rows.n);
    out->index = new_results(e, out->type, out->rows.n, "the order of the rows");
    out->n = out->rows.n - (csv_bad_of(e) == CSV_BAD_SKIP ? out->rows.bad : 0);
    bool ok = out->index != NULL;
    if (ok) {
        call_begin("sorting");
        ok = call_done(e, "sort", csv_rows_sort(e->ctx, &out->rows, out->type, out->index));
    }
    if (!ok)
        csv_order_free(out);
    return ok;
}

void csv_order_free(csv_order *order) { csv_rows_free(&order->rows); }

/* Moves the rows of each group together, the groups in their order. */
static bool order_groups(execution *e, const csv_groups *groups, csv_order *order)
{
    uint64_t *const index = new_results(e, ORDO_U64, order->n, "the top rows");
    uint64_t *const ends = cli_alloc(groups->n + 1, sizeof *ends, "the groups");
    const bool      ok = index != NULL && ends != NULL;

    if (ok) {
        memset(ends, 0, (groups->n + 1) * sizeof *ends);
        for (size_t i = 0; i < order->n; i++)
            ends[groups->numbers[index_at(order->type, order->index, i)] + 1]++;
        for (size_t g = 0; g < groups->n; g++)
            ends[g + 1] += ends[g];
        for (size_t i = 0; i < order->n; i++) {
            const size_t row = index_at(order->type, order->index, i);
            index[ends[groups->numbers[row]]++] = row;
        }
        order->type = ORDO_U64;
        order->index = index;
    }
    free(ends);
    return ok;
}

/* Visits the rows; those that are to be written stay in the index. */
static bool choose_rows(const csv_job *job, const csv_groups *groups, csv_order *order)
{
    const csv_rows *const rows = &order->rows;
    const char *const     bytes = rows->table->bytes;
    const size_t          n = order->n;
    bool                  ok = true;
    size_t                kept = 0, before = 0;

    for (size_t i = 0; ok && i < n; i++) {
        const size_t row = index_at(order->type, order->index, i);
        csv_item     item = {.text = NULL};
        item.same_group =
            i > 0 && (groups->n == 0 || groups->numbers[row] == groups->numbers[before]);
        item.same = item.same_group && (job->ties || job->unique) &&
                    csv_rows_compare(rows, before, row) == 0;
        if (!job->chooses) {
            item.text = bytes + rows->offsets[row];
            item.length = (size_t)(rows->offsets[row + 1] - rows->offsets[row]);
        }
        ok = job->visit == NULL || job->visit(job->user, &item);
        if (job->unique ? !item.same : item.keep)
            index_put(order->type, order->index, kept++, row);
        before = row;
    }
    order->n = kept;
    return ok;
}

static bool write_chosen(execution *e, const csv_job *job, const csv_groups *groups,
                         csv_order *order)
{
    const csv_table *const table = &e->table;

    csv_note_bad(e, &order->rows);
    bool ok =
        job->header != NULL ? job->header(job->user, table) : csv_write_header(table, &e->out);
    if (job->visit != NULL || job->unique)
        ok = ok && choose_rows(job, groups, order);
    const csv_selection chosen = {
        .rows = &order->rows, .type = order->type, .index = order->index, .n = order->n};
    return finish_output(e, ok && csv_write_selection(&chosen, &e->out) &&
                                (job->finish == NULL || job->finish(job->user, table)));
}

bool csv_in_order(execution *e, const csv_job *job)
{
    csv_groups groups = {.n = 0};
    csv_order  order;

    if (csv_is_large(e))
        return csv_in_order_large(e, job);
    if (!csv_order_find(e, 0, &order))
        return false;
    bool ok = true;
    if (e->o.csv.by.n > 0)
        ok = csv_find_groups(e, &groups) && order_groups(e, &groups, &order);
    ok = ok && write_chosen(e, job, &groups, &order);
    csv_groups_free(&groups);
    csv_order_free(&order);
    return ok;
}
