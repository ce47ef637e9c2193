/* csv_output.c - writes rows (see csv_output.h).
 *
 * Two sets of buffers take turns: threads fill one set, a buffer each, while the caller writes the
 * other. Rows come from random places of the table, so they are fetched ahead. */
#include "cli/csv/csv_output.h"

#include <stdlib.h>
#include <string.h>

enum {
    BUFFER_BYTES = 1 << 21, /* about what a thread fills at a time              */
    AHEAD = 16              /* rows fetched before they are copied; estimate    */
};

typedef struct batch_part { /* part 0 writes, the others fill */
    output     *out;
    key_bytes  *buffers; /* part 0: all of the other set; otherwise its own */
    size_t      count;
    size_t      first, end; /* rows */
    csv_append  append;
    const void *user;
    bool        ok, no_memory;
} batch_part;

static void write_or_fill(void *argument)
{
    batch_part *const p = argument;

    p->ok = true;
    for (size_t i = 0; p->out != NULL && p->ok && i < p->count; i++) {
        if (p->buffers[i].used > 0)
            p->ok = output_bytes(p->out, p->buffers[i].data, p->buffers[i].used);
        p->buffers[i].used = 0;
    }
    for (size_t i = p->first; p->ok && i < p->end; i++)
        p->ok = p->append(p->user, i, p->buffers);
    p->no_memory = p->out == NULL && !p->ok;
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

bool csv_write_rows(output *out, size_t n, size_t row_bytes, unsigned threads, csv_append append,
                    const void *user)
{
    key_bytes    buffers[2][CSV_MOST_PARTS] = {{{.used = 0}}};
    batch_part   parts[CSV_MOST_PARTS];
    const size_t most =
        threads < CSV_MOST_PARTS - 1 ? (threads > 0 ? threads : 1) : CSV_MOST_PARTS - 1;
    const size_t each = row_bytes < BUFFER_BYTES ? BUFFER_BYTES / (row_bytes + 1) + 1 : 1;
    bool         ok = true, no_memory = false, more = true;
    size_t       next = 0;

    progress_start("writing");
    for (int side = 0; ok && more; side = !side) {
        more = next < n;
        parts[0] = (batch_part){.out = out, .buffers = buffers[!side], .count = most};
        size_t used = 1;
        for (; used <= most && next < n; used++) {
            const size_t end = n - next < each ? n : next + each;
            parts[used] = (batch_part){.buffers = &buffers[side][used - 1],
                                       .first = next,
                                       .end = end,
                                       .append = append,
                                       .user = user};
            next = end;
        }
        csv_each_part(parts, used, sizeof parts[0], write_or_fill);
        for (size_t i = 0; i < used; i++) {
            ok &= parts[i].ok;
            no_memory |= parts[i].no_memory;
        }
        progress_at(n > 0 ? (double)next / (double)n : 1);
    }
    progress_end();
    for (size_t i = 0; i < most; i++) {
        key_bytes_free(&buffers[0][i]);
        key_bytes_free(&buffers[1][i]);
    }
    return no_memory ? cli_fail("%s: not enough memory to write the rows", out->name) : ok;
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

bool csv_write_selection(const csv_selection *selection, unsigned threads, output *out)
{
    const csv_table *const table = selection->rows->table;
    const size_t           rows = selection->rows->n;

    return csv_write_rows(out, selection->n, rows > 0 ? (table->size - table->body) / rows : 0,
                          threads, append_selected, selection);
}
