/* csv_groups.c - the groups of --by (see csv_command.h).
 *
 * Rows whose values of the columns are the same text are one group. Groups of a column of numbers
 * are in the order of the numbers. */
#include "cli/cmd/csv/csv_command.h"

#include <stdlib.h>

bool csv_find_by(const execution *e, const csv_table *table, csv_by *out)
{
    const csv_request request = {.command = e->command->name,
                                 .option = "--by",
                                 .texts = e->o.csv.by.texts,
                                 .n = e->o.csv.by.n,
                                 .groups = true,
                                 .bad = CSV_BAD_TEXT};

    *out = (csv_by){.columns = 0};
    if (request.n == 0)
        return true;
    if (!csv_keys_find(table, &request, &out->keys))
        return false;
    for (size_t k = 0; k < out->keys.n; k++)
        if (k == 0 || out->keys.keys[k].column != out->keys.keys[k - 1].column)
            out->column[out->columns++] = out->keys.keys[k].column;
    return true;
}

bool csv_append_names(const csv_table *table, const csv_by *by, const char *row, const char *end,
                      key_bytes *to)
{
    csv_span   values[CSV_MOST_KEYS];
    csv_reader reader;
    csv_text   text = {.data = NULL};

    csv_start(&reader, &table->dialect, row, end, by->keys.wanted, by->keys.wanted_count, values);
    bool ok = csv_next(&reader);
    for (size_t i = 0; ok && i < by->columns; i++) {
        size_t slot = 0;
        while (by->keys.wanted[slot] != by->column[i])
            slot++;
        if (values[slot].begin != NULL) {
            const csv_span value = csv_unquote(values[slot], table->dialect.quotes, &text);
            ok = value.begin != NULL && csv_append_value(&table->dialect, value, to);
        }
        ok = ok && csv_append_bytes(to, &table->dialect.separator, 1);
    }
    free(text.data);
    return ok;
}

bool csv_find_groups(execution *e, csv_groups *out)
{
    *out = (csv_groups){.n = 0};
    if (!csv_find_by(e, &e->table, &out->by) ||
        !csv_rows_read(&e->table, &out->by.keys, &out->rows))
        return false;
    const size_t n = out->rows.n;
    out->numbers = new_results(e, ORDO_U64, n, "the groups of the rows");
    out->firsts = out->numbers != NULL ? new_results(e, ORDO_U64, n, "the groups") : NULL;
    bool ok = out->firsts != NULL;
    if (ok) {
        call_begin("finding groups");
        ok = call_done(e, "groups",
                       csv_rows_rank(e->ctx, &out->rows, ORDO_TIES_DENSE, ORDO_U64, out->numbers));
    }
    if (!ok) {
        csv_rows_free(&out->rows);
        return false;
    }
    for (size_t i = n; i > 0; i--) {
        const uint64_t number = out->numbers[i - 1];
        out->n = number > out->n ? (size_t)number : out->n;
        out->numbers[i - 1] = number - 1;
        out->firsts[number - 1] = i - 1;
    }
    return true;
}

bool csv_append_group(const execution *e, const csv_groups *groups, size_t group, key_bytes *to)
{
    const uint64_t *const offsets = groups->rows.offsets + groups->firsts[group];
    return csv_append_names(&e->table, &groups->by, e->table.bytes + offsets[0],
                            e->table.bytes + offsets[1], to);
}
