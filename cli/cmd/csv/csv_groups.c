/* csv_groups.c - the groups of --by (see csv_command.h).
 *
 * Rows whose values of the columns are the same text are one group. Groups of a column of numbers
 * are in the order of the numbers. */
#include "cli/cmd/csv/csv_command.h"

bool csv_find_groups(execution *e, csv_groups *out)
{
    const csv_request request = {.command = e->command->name,
                                 .option = "--by",
                                 .texts = e->o.csv.by.texts,
                                 .n = e->o.csv.by.n,
                                 .groups = true,
                                 .bad = CSV_BAD_TEXT};

    *out = (csv_groups){.n = 0};
    if (!csv_keys_find(&e->table, &request, &out->keys) ||
        !csv_rows_read(&e->table, &out->keys, &out->rows))
        return false;
    for (size_t k = 0; k < out->keys.n; k++)
        if (k == 0 || out->keys.keys[k].column != out->keys.keys[k - 1].column)
            out->column[out->columns++] = out->keys.keys[k].column;
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
        csv_groups_free(out);
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

void csv_groups_free(csv_groups *groups) { csv_rows_free(&groups->rows); }

bool csv_append_group(const execution *e, const csv_groups *groups, size_t group, key_bytes *to)
{
    const csv_table *const table = &e->table;
    const csv_keys *const  keys = &groups->keys;
    const uint64_t         row = groups->firsts[group];
    const uint64_t *const  offsets = groups->rows.offsets;
    csv_span               values[CSV_MOST_KEYS];
    csv_reader             reader;

    csv_start(&reader, &table->dialect, table->bytes + offsets[row],
              table->bytes + offsets[row + 1], keys->wanted, keys->wanted_count, values);
    bool ok = csv_next(&reader);
    for (size_t i = 0; ok && i < groups->columns; i++) {
        size_t slot = 0;
        while (keys->wanted[slot] != groups->column[i])
            slot++;
        ok = csv_append_bytes(to, values[slot].begin,
                              (size_t)(values[slot].end - values[slot].begin)) &&
             csv_append_bytes(to, &table->dialect.separator, 1);
    }
    return ok;
}
