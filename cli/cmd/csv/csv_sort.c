/* csv_sort.c - `ordo sort --csv`: sorts rows by columns, or checks that they are sorted. Rows are
 * written byte for byte as they were read, the header first. */
#include "cli/cmd/csv/csv_large.h"

/* Compares the rows of a block with their neighbours. Bad rows that are left out do not count.
 * Returns the last row that counts, or SIZE_MAX. */
static size_t check_block(execution *e, const csv_rows *rows)
{
    const csv_table *const table = rows->table;
    const bool             skip = csv_bad_of(e) == CSV_BAD_SKIP && rows->bad > 0;
    size_t                 last = SIZE_MAX;

    for (size_t i = 0; !e->no && i < rows->n; i++) {
        if (skip && rows->is_bad[i])
            continue;
        const int order = last < i ? csv_rows_compare(rows, last, i) : -1;
        if (order > 0 || (order == 0 && e->o.unique)) {
            size_t            line;
            const char *const name = csv_place(table, table->bytes + rows->offsets[i], &line);
            e->no = true;
            if (e->o.check != CHECK_QUIET)
                cli_error("%s: line %zu: not sorted: the row %s the row before it", name, line,
                          order > 0 ? "must come before" : "ties with");
        }
        last = i;
    }
    return last;
}

/* The last row of a block is the first one of the next block. */
static bool check_rows(execution *e)
{
    csv_large              x;
    key_bytes              kept = {.used = 0};
    bool                   ok = csv_large_open(&x, e, true, false);
    csv_stream *const      stream = &x.feed.stream;
    const csv_table *const table = &stream->table;

    progress_start("checking");
    while (ok && !e->no && csv_stream_next(stream, (const char *)kept.data, kept.used)) {
        csv_rows rows;
        ok = csv_rows_read(table, &x.keys, &rows);
        if (!ok)
            break;
        csv_bad_count(&x.feed.bad, &rows, kept.used > 0);
        const size_t last = check_block(e, &rows);
        kept.used = 0;
        if (last != SIZE_MAX)
            ok = csv_append_bytes(&kept, table->bytes + rows.offsets[last],
                                  (size_t)(rows.offsets[last + 1] - rows.offsets[last])) ||
                 cli_fail("sort: not enough memory for a row");
        csv_rows_free(&rows);
    }
    progress_end();
    ok = ok && !stream->failed;
    if (ok)
        csv_large_note_bad(&x);
    key_bytes_free(&kept);
    csv_large_close(&x);
    timing_mark(&e->t, "check");
    return ok;
}

bool csv_sort(execution *e)
{
    return e->o.check ? check_rows(e) : csv_in_order(e, &(csv_job){.unique = e->o.unique});
}
