/* csv_output.c - writes rows (see csv_rows.h). They come from random places of the table, so they
 * are fetched ahead. */
#include "cli/csv/csv_rows.h"

#include <string.h>

enum {
    BLOCK_BYTES = 1 << 21, /* about what a thread fills at a time              */
    AHEAD = 16             /* rows fetched before they are copied; estimate    */
};

typedef struct row_writer {
    size_t      n, each; /* rows: all, and of a block */
    csv_append  append;
    const void *user;
} row_writer;

static bool fill_rows(void *user, size_t i, ordered_buffer *b)
{
    const row_writer *const w = user;
    const size_t            first = i * w->each;
    const size_t            end = w->n - first < w->each ? w->n : first + w->each;
    key_bytes               rows = {.data = (uint8_t *)b->data, .capacity = b->room};
    bool                    ok = true;

    for (size_t row = first; ok && row < end; row++)
        ok = w->append(w->user, row, &rows);
    *b = (ordered_buffer){.data = (char *)rows.data, .length = rows.used, .room = rows.capacity};
    return ok;
}

bool csv_append_bytes(key_bytes *to, const void *bytes, size_t length)
{
    if (!key_bytes_reserve(to, length))
        return false;
    if (length > 0)
        memcpy(to->data + to->used, bytes, length);
    to->used += length;
    return true;
}

bool csv_append_value(const csv_dialect *dialect, csv_span value, key_bytes *to)
{
    const size_t length = (size_t)(value.end - value.begin);
    bool         plain = true;

    for (size_t i = 0; i < length; i++) {
        const char c = value.begin[i];
        plain &= c != dialect->separator && c != '"' && c != '\n' && c != '\r';
    }
    if (plain || !dialect->quotes)
        return csv_append_bytes(to, value.begin, length);
    if (!key_bytes_reserve(to, 2 * length + 2))
        return false;
    put_byte(to, '"');
    for (const char *p = value.begin; p < value.end; p++) {
        if (*p == '"')
            put_byte(to, '"');
        put_byte(to, (unsigned char)*p);
    }
    put_byte(to, '"');
    return true;
}

bool csv_write_rows(output *out, size_t n, size_t row_bytes, csv_append append, const void *user)
{
    row_writer w = {
        .n = n, .each = BLOCK_BYTES / (row_bytes + 1) + 1, .append = append, .user = user};
    bool told;

    progress_start("writing");
    const bool ok = output_blocks(out, n / w.each + (n % w.each > 0), fill_rows, &w, &told);
    progress_end();
    return ok || told ? ok : cli_fail("%s: not enough memory to write the rows", out->name);
}

bool csv_write_header(const csv_table *table, output *out)
{
    return output_bytes(out, table->bytes, table->body);
}

static bool append_selected(const void *user, size_t i, key_bytes *to)
{
    const csv_selection *const s = user;
    const uint64_t *const      offsets = s->rows->offsets;
    const char *const          bytes = s->rows->table->bytes;

    if (i + AHEAD < s->n)
        __builtin_prefetch(&offsets[index_at(s->type, s->index, i + AHEAD)]);
    if (i + AHEAD / 2 < s->n) {
        const char *const row = bytes + offsets[index_at(s->type, s->index, i + AHEAD / 2)];
        __builtin_prefetch(row);
        __builtin_prefetch(row + 64);
    }
    const size_t row = index_at(s->type, s->index, i);
    return csv_append_bytes(to, bytes + offsets[row], (size_t)(offsets[row + 1] - offsets[row]));
}

bool csv_write_selection(const csv_selection *selection, output *out)
{
    const csv_table *const table = selection->rows->table;
    const size_t           rows = selection->rows->n;

    return csv_write_rows(out, selection->n, rows > 0 ? (table->size - table->body) / rows : 0,
                          append_selected, selection);
}
