/* csv_order.c - the order and the ranks of rows, by calls of the library (see csv_rows.h). */
#include "cli/csv/csv_rows.h"

#include <string.h>

static size_t make_columns(const csv_rows *rows, ordo_column *columns)
{
    size_t n = 0;

    if (rows->is_bad != NULL)
        columns[n++] = (ordo_column){.keys = rows->is_bad, .type = ORDO_U8};
    for (size_t k = 0; k < rows->columns; k++)
        columns[n++] = (ordo_column){.keys = rows->words[k], .type = ORDO_U64};
    return n;
}

static ordo_strings key_strings(const csv_rows *rows)
{
    return ORDO_OPTS(ordo_strings, .bytes = rows->bytes, .offsets = rows->key_offsets);
}

ordo_status csv_rows_sort(ordo_ctx *ctx, const csv_rows *rows, ordo_type type, void *index)
{
    ordo_column        columns[ORDO_COLUMNS_MOST];
    const ordo_strings strings = key_strings(rows);

    if (rows->bytes != NULL)
        return ordo_argsort_strings(ctx, &strings, rows->n, type, index, NULL);
    const size_t count = make_columns(rows, columns);
    return ordo_lexsort(ctx, columns, count, rows->n, type, index, NULL);
}

ordo_status csv_rows_rank(ordo_ctx *ctx, const csv_rows *rows, ordo_ties ties, ordo_type type,
                          void *ranks)
{
    const ordo_rank_opts opts = ORDO_OPTS(ordo_rank_opts, .ties = (uint32_t)ties);
    ordo_column          columns[ORDO_COLUMNS_MOST];
    const ordo_strings   strings = key_strings(rows);

    if (rows->bytes != NULL)
        return ordo_rank_strings(ctx, &strings, rows->n, type, ranks, &opts);
    const size_t count = make_columns(rows, columns);
    return ordo_lexrank(ctx, columns, count, rows->n, type, ranks, &opts);
}

int csv_rows_compare(const csv_rows *rows, size_t i, size_t j)
{
    if (rows->bytes != NULL) {
        const size_t a = (size_t)(rows->key_offsets[i + 1] - rows->key_offsets[i]);
        const size_t b = (size_t)(rows->key_offsets[j + 1] - rows->key_offsets[j]);
        const int    order = memcmp(rows->bytes + rows->key_offsets[i],
                                    rows->bytes + rows->key_offsets[j], a < b ? a : b);
        return order != 0 ? order : (a > b) - (a < b);
    }
    if (rows->is_bad != NULL && rows->is_bad[i] != rows->is_bad[j])
        return rows->is_bad[i] - rows->is_bad[j];
    for (size_t k = 0; k < rows->columns; k++)
        if (rows->words[k][i] != rows->words[k][j])
            return rows->words[k][i] < rows->words[k][j] ? -1 : 1;
    return 0;
}

/* Copies the key bytes of the rows. */
static bool gather_bytes(const csv_rows *rows, const uint64_t *index, size_t n, csv_rows *out)
{
    uint64_t bytes = 0;

    out->key_offsets = cli_alloc(n + 1, sizeof *out->key_offsets, "the keys of rows");
    if (out->key_offsets == NULL)
        return false;
    for (size_t i = 0; i < n; i++) {
        out->key_offsets[i] = bytes;
        bytes += rows->key_offsets[index[i] + 1] - rows->key_offsets[index[i]];
    }
    out->key_offsets[n] = bytes;
    out->bytes = cli_alloc((size_t)bytes, 1, "the keys of rows");
    for (size_t i = 0; out->bytes != NULL && i < n; i++)
        memcpy(out->bytes + out->key_offsets[i], rows->bytes + rows->key_offsets[index[i]],
               (size_t)(out->key_offsets[i + 1] - out->key_offsets[i]));
    return out->bytes != NULL;
}

bool csv_rows_gather(const csv_rows *rows, const uint64_t *index, size_t n, csv_rows *out)
{
    bool ok = true;

    *out = (csv_rows){.table = rows->table, .n = n, .columns = rows->columns};
    if (rows->is_bad != NULL) {
        out->is_bad = cli_alloc(n, 1, "the keys of rows");
        ok = out->is_bad != NULL;
        for (size_t i = 0; ok && i < n; i++)
            out->is_bad[i] = rows->is_bad[index[i]];
    }
    if (rows->bytes != NULL) {
        ok = ok && gather_bytes(rows, index, n, out);
    } else {
        for (size_t k = 0; ok && k < rows->columns; k++) {
            out->words[k] = cli_alloc(n, sizeof(uint64_t), "the keys of rows");
            ok = out->words[k] != NULL;
            for (size_t i = 0; ok && i < n; i++)
                out->words[k][i] = rows->words[k][index[i]];
        }
    }
    if (!ok)
        csv_rows_free(out);
    return ok;
}
