/* csv_rank.c - `ordo rank --csv`: adds a column with the rank of each row, in all rows or in the
 * groups of --by. */
#include "cli/cmd/csv/csv_command.h"

typedef struct ranked {
    const csv_rows *rows;
    ordo_type       type;
    const char     *ranks;
    bool            skip; /* bad rows */
} ranked;

bool csv_append_column(const csv_dialect *dialect, const char *row, const char *end, csv_span value,
                       key_bytes *to)
{
    const char *text_end = end - 1;

    text_end -= text_end > row && text_end[-1] == '\r';
    return csv_append_bytes(to, row, (size_t)(text_end - row)) &&
           csv_append_bytes(to, &dialect->separator, 1) && csv_append_value(dialect, value, to) &&
           csv_append_bytes(to, text_end, (size_t)(end - text_end));
}

static bool append_ranked(const void *user, size_t i, key_bytes *to)
{
    const ranked *const r = user;
    char                text[NUMBER_TEXT_MAX];

    if (r->skip && r->rows->is_bad[i])
        return true;
    const size_t      length = number_format(r->type, r->ranks + i * ordo_type_size(r->type), text);
    const char *const bytes = r->rows->table->bytes;
    return csv_append_column(&r->rows->table->dialect, bytes + r->rows->offsets[i],
                             bytes + r->rows->offsets[i + 1], (csv_span){text, text + length}, to);
}

bool csv_write_wider_header(const csv_table *table, const char *name, output *out)
{
    key_bytes line = {.used = 0};

    if (!table->dialect.header)
        return csv_write_header(table, out);
    const bool ok = csv_append_column(&table->dialect, table->bytes, table->bytes + table->body,
                                      (csv_span){name, name + strlen(name)}, &line) &&
                    output_bytes(out, line.data, line.used);
    key_bytes_free(&line);
    return ok;
}

static bool write_rows(execution *e, const csv_rows *rows, ordo_type type, const void *ranks)
{
    const ranked r = {.rows = rows,
                      .type = type,
                      .ranks = ranks,
                      .skip = csv_bad_of(e) == CSV_BAD_SKIP && rows->bad > 0};
    const size_t row_bytes = rows->n > 0 ? e->table.size / rows->n : 0;

    csv_note_bad(e, rows);
    return finish_output(e, csv_write_wider_header(&e->table, csv_new_column(e, "rank"), &e->out) &&
                                csv_write_rows(&e->out, rows->n, row_bytes, append_ranked, &r));
}

/* Ranks inside groups: the ranks of all rows are the keys. */
static bool rank_groups(execution *e, const csv_rows *rows, ordo_type type, void *ranks)
{
    const uint32_t ties = (uint32_t)e->o.ties;
    csv_groups     groups;
    bool           ok = csv_find_groups(e, &groups);

    if (!ok)
        return false;
    uint64_t *const keys = new_results(e, ORDO_U64, rows->n, "the order of the rows");
    ok = keys != NULL;
    call_begin("ranking");
    ok = ok && call_done(e, "rank", csv_rows_rank(e->ctx, rows, ORDO_TIES_DENSE, ORDO_U64, keys));
    if (ok) {
        const ordo_groups g =
            ORDO_OPTS(ordo_groups, .keys = groups.numbers, .type = ORDO_U64, .capacity = rows->n);
        call_begin("ranking");
        ok = call_done(e, "rank",
                       ordo_group_rank(e->ctx, &g, ORDO_U64, keys, rows->n, type, ranks,
                                       &ORDO_OPTS(ordo_group_opts, .ties = ties)));
    }
    csv_groups_free(&groups);
    return ok;
}

bool csv_rank(execution *e)
{
    csv_rows  rows = {.n = 0};
    ordo_type type = ORDO_U64;
    void     *ranks = NULL;

    if (csv_is_large(e))
        return csv_rank_large(e);
    bool ok = csv_read(e) && csv_read_keys(e, &rows);
    if (ok) {
        type = index_type(e->o.index_type, rows.n);
        ranks = new_results(e, type, rows.n, "the ranks");
        ok = ranks != NULL;
    }
    if (ok && e->o.csv.by.n > 0) {
        ok = rank_groups(e, &rows, type, ranks);
    } else if (ok) {
        const ordo_ties ties = e->o.ties != 0 ? (ordo_ties)e->o.ties : ORDO_TIES_MIN;
        call_begin("ranking");
        ok = call_done(e, "rank", csv_rows_rank(e->ctx, &rows, ties, type, ranks));
    }
    ok = ok && write_rows(e, &rows, type, ranks);
    csv_rows_free(&rows);
    return ok;
}
