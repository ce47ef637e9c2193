/* csv_engine.c - rows in the order of their keys, in memory (see csv_command.h); with temporary
 * files: csv_external.c. */
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

/* Leaves the first e->o.k rows of each group in the index, the groups in their order. */
static bool pick_groups(execution *e, csv_order *order)
{
    csv_groups groups;

    if (!csv_find_groups(e, &groups))
        return false;
    uint64_t *const picked = new_results(e, ORDO_U64, order->n, "the top rows");
    uint64_t *const next = cli_alloc(2 * groups.n, sizeof *next, "the groups");
    uint64_t *const end = next != NULL ? next + groups.n : NULL;
    const bool      ok = picked != NULL && next != NULL;
    size_t          found = 0;
    if (ok)
        memset(next, 0, 2 * groups.n * sizeof *next);
    for (size_t i = 0; ok && i < order->n; i++)
        end[groups.numbers[index_at(order->type, order->index, i)]]++;
    for (size_t g = 0; ok && g < groups.n; g++) {
        next[g] = found;
        found += end[g] < e->o.k ? end[g] : e->o.k;
        end[g] = found;
    }
    for (size_t i = 0; ok && i < order->n; i++) {
        const size_t row = index_at(order->type, order->index, i), g = groups.numbers[row];
        if (next[g] < end[g])
            picked[next[g]++] = row;
    }
    order->type = ORDO_U64;
    order->index = picked;
    order->n = found;
    free(next);
    csv_groups_free(&groups);
    return ok;
}

/* Leaves the first of the rows that tie in the index. */
static void drop_tied_rows(csv_order *order)
{
    size_t kept = 0, before = 0;

    for (size_t i = 0; i < order->n; i++) {
        const size_t row = index_at(order->type, order->index, i);
        if (i == 0 || csv_rows_compare(&order->rows, before, row) != 0)
            index_put(order->type, order->index, kept++, row);
        before = row;
    }
    order->n = kept;
}

static bool visit_rows(const csv_job *job, const csv_order *order)
{
    const csv_rows *const rows = &order->rows;
    csv_item              item = {.text = NULL};
    bool                  ok = true;
    size_t                before = 0;

    for (size_t i = 0; ok && i < order->n; i++) {
        const size_t row = index_at(order->type, order->index, i);
        item.same = i > 0 && job->ties && csv_rows_compare(rows, before, row) == 0;
        if (!item.same) { /* otherwise these reads would cost the most */
            item.text = rows->table->bytes + rows->offsets[row];
            item.length = (size_t)(rows->offsets[row + 1] - rows->offsets[row]);
        }
        ok = job->visit(job->user, &item);
        before = row;
    }
    return ok;
}

static bool write_order(execution *e, const csv_job *job, csv_order *order)
{
    const csv_table *const table = &e->table;

    csv_note_bad(e, &order->rows);
    if (job->unique)
        drop_tied_rows(order);
    const csv_selection all = {
        .rows = &order->rows, .type = order->type, .index = order->index, .n = order->n};
    const bool ok =
        (job->header != NULL ? job->header(job->user, table) : csv_write_header(table, &e->out)) &&
        (job->visit != NULL ? visit_rows(job, order) : csv_write_selection(&all, &e->out)) &&
        (job->finish == NULL || job->finish(job->user, table));
    return finish_output(e, ok);
}

bool csv_in_order(execution *e, const csv_job *job)
{
    csv_order order;

    if (csv_is_large(e))
        return csv_in_order_large(e, job);
    if (!csv_order_find(e, 0, &order))
        return false;
    const bool ok = (!job->first || pick_groups(e, &order)) && write_order(e, job, &order);
    csv_order_free(&order);
    return ok;
}
