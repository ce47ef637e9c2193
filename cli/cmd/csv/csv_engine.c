/* csv_engine.c - rows in the order of their keys, in memory or by the external sort of lines (see
 * csv_command.h).
 *
 * A line of ordo_external_lines.h is a row, and its key the bytes of csv_encode(). */
#define _POSIX_C_SOURCE 200809L

#include "cli/cmd/csv/csv_command.h"

#include "cli/csv/csv_scan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    MEMORY_OF_ROW = 80, /* estimate: bytes that a sort in memory takes for a row */
    MEMORY_OF_KEY = 30, /* beside its text, and for each of its keys             */
    SMALL_ROW = 2048,   /* bytes of a row that is copied to the stack            */
    /* A block of the shortest rows, a digit and a newline, takes 64 times its bytes for rows, keys
     * and records. */
    MEMORY_OF_BYTE = 64,
    FEED_SHARE = 512, /* of the limit that the bytes of a block may take */
    FEED_LEAST = 1 << 16,
    FEED_MOST = 2 << 20,
    BLOCK_MOST = 16 << 20,
    ROW_SHARE = 16 /* of the limit that a row may take */
};

/* ---- When ---- */

/* The bytes of a line at the beginning of the first file; 0 if that is not a regular file. */
static uint64_t row_bytes(const execution *e)
{
    char         sample[PIECES_SAMPLE];
    const size_t got = pieces_sample(e->paths[0], sample);

    return got > 0 ? got / (csv_count_lines(sample, sample + got) + 1) + 1 : 0;
}

static uint64_t memory_of_row(size_t keys) { return MEMORY_OF_ROW + MEMORY_OF_KEY * keys; }

/* A limit that was given holds for rows of any shape: the keys may be as long as the rows, and the
 * rows are counted if many short ones would exceed the limit. Otherwise the first rows are enough
 * for an estimate. */
bool csv_is_large(const execution *e)
{
    const uint64_t bytes = source_bytes(e->paths, e->path_count), row = row_bytes(e);
    const uint64_t asked = e->o.common.memory_limit, limit = pieces_limit(asked);
    const size_t   keys = e->o.line.keys.n + e->o.csv.by.n + e->o.csv.columns.n;

    if (bytes == UINT64_MAX)
        return asked != 0 || e->o.directories.n > 0;
    if (asked == 0)
        return bytes + bytes / (row > 0 ? row : 1) * memory_of_row(keys) > limit;
    const uint64_t text = bytes * (2 + 2 * keys);
    return text > limit ||
           (bytes * MEMORY_OF_BYTE > limit && text + source_lines(e->paths, e->path_count, '\n') *
                                                          memory_of_row(keys > 0 ? keys : 1) >
                                                  limit);
}

/* Bytes of a block that takes only a share of the limit, whatever its rows are. */
static size_t block_bytes(uint64_t limit)
{
    const uint64_t block = limit / FEED_SHARE;
    return block < FEED_LEAST ? FEED_LEAST : block > FEED_MOST ? FEED_MOST : (size_t)block;
}

size_t csv_top_block(const execution *e, uint64_t limit, size_t keys)
{
    const uint64_t row = row_bytes(e) > 0 ? row_bytes(e) : PIECES_SAMPLE / 1024;
    const uint64_t block = limit / 3 * row / (2 * row + memory_of_row(keys));

    if (e->o.common.memory_limit != 0)
        return block_bytes(limit);
    return block > BLOCK_MOST ? BLOCK_MOST : (size_t)block;
}

/* The most bytes of a row in a block. */
static size_t longest_row(const execution *e)
{
    const uint64_t limit = e->o.common.memory_limit;
    return limit != 0 ? (size_t)(limit / ROW_SHARE) : SIZE_MAX;
}

/* ---- Opening ---- */

/* Copies stdin to a temporary file, so that it can be read again. */
static bool copy_pipe(csv_large *x)
{
    source s;

    x->copy = source_open(&s, NULL) ? pieces_copy(x->e, &s) : -1;
    source_close(&s);
    snprintf(x->copy_name, sizeof x->copy_name, "/dev/fd/%d", x->copy);
    x->copy_path = x->copy_name;
    return x->copy >= 0;
}

bool csv_large_open(csv_large *x, execution *e, bool with_keys, bool twice)
{
    const uint64_t    bytes = source_bytes(e->paths, e->path_count);
    const uint64_t    limit = pieces_limit(e->o.common.memory_limit);
    const size_t      block = block_bytes(limit);
    csv_stream *const stream = &x->feed.stream;
    csv_dialect       dialect;

    *x = (csv_large){.e = e, .bytes = bytes != UINT64_MAX ? bytes : 0, .copy = -1};
    x->feed.keys = &x->keys;
    if (twice && source_is_pipe(e->paths, e->path_count) && !copy_pipe(x))
        return false;
    const bool copied = x->copy_path != NULL;
    if (!csv_dialect_of(e, &dialect) ||
        !csv_stream_open(stream, &dialect, copied ? &x->copy_path : e->paths,
                         copied ? 1 : e->path_count, copied ? "stdin" : NULL, thread_count(e),
                         block, longest_row(e)))
        return false;
    /* The beginning is in memory twice: as a table, and in the source. */
    x->limit = pieces_rest(limit, pieces_own(e, &stream->s) + (uint64_t)block * MEMORY_OF_BYTE +
                                      2 * stream->beginning.size);
    return csv_has_rows(&stream->beginning) && csv_find_by(e, &stream->beginning, &x->by) &&
           (!with_keys || csv_find_keys(e, &stream->beginning, &x->keys));
}

bool csv_large_close(csv_large *x, bool ok)
{
    if (ok)
        csv_print_bad(&x->feed.bad, x->keys.bad);
    csv_stream_close(&x->feed.stream);
    if (x->copy >= 0)
        close(x->copy);
    return ok;
}

/* ---- Keys ---- */

/* Appends the keys of the row in copy[0..length), which a newline and CSV_BLOCK bytes follow. Sets
 * *bad if the row is bad; its bytes are then not complete. */
static bool append_keys(const csv_large *x, const csv_keys *keys, const char *copy, size_t length,
                        key_bytes *out, bool *bad)
{
    const csv_table *const beginning = &x->feed.stream.beginning;
    csv_span               values[CSV_MOST_KEYS];
    csv_reader             reader;
    csv_text               text = {.data = NULL};
    const bool             flexible = keys->bad == CSV_BAD_TEXT;
    bool                   ok = true;

    csv_start(&reader, &beginning->dialect, copy, copy + length + 1, keys->wanted,
              keys->wanted_count, values);
    *bad = !csv_next(&reader) || (reader.fields != beginning->columns && !flexible);
    for (size_t i = 0; ok && !*bad && i < keys->n; i++) {
        csv_span value = values[keys->slot[i]];
        csv_class class = CSV_VALUE;
        value = value.begin == NULL ? (csv_span){copy, copy}
                                    : csv_unquote(value, beginning->dialect.quotes, &text);
        ok = value.begin != NULL && csv_encode(&keys->keys[i], value, out, &class);
        *bad = !flexible && csv_class_is_bad(class);
    }
    free(text.data);
    return ok;
}

static bool encode_row(const csv_large *x, const char *copy, size_t length, key_bytes *out,
                       size_t *group)
{
    bool bad = false;

    if (x->by.columns > 0 && !append_keys(x, &x->by.keys, copy, length, out, &bad))
        return false;
    const size_t marker = out->used;
    if (group != NULL)
        *group = marker;
    if (!key_bytes_reserve(out, 1))
        return false;
    put_byte(out, 0);
    if (!append_keys(x, &x->keys, copy, length, out, &bad))
        return false;
    if (bad) {
        out->used = marker;
        put_byte(out, 255);
    }
    return true;
}

/* The row is copied: the reader looks at CSV_BLOCK bytes after it. */
static bool large_key(const csv_large *x, const char *row, size_t length, key_bytes *out,
                      size_t *group)
{
    char        small[SMALL_ROW + 1 + CSV_BLOCK];
    char *const large = length > SMALL_ROW ? malloc(length + 1 + CSV_BLOCK) : NULL;
    char *const copy = length > SMALL_ROW ? large : small;

    if (copy == NULL)
        return false;
    memcpy(copy, row, length);
    memset(copy + length, '\n', 1 + CSV_BLOCK);
    const bool ok = encode_row(x, copy, length, out, group);
    free(large);
    return ok;
}

/* ---- Callbacks ---- */

static size_t split_row(void *user, const char *text, size_t length)
{
    const csv_large *const x = user;
    return csv_row_bytes(&x->feed.stream.dialect, text, length);
}

/* As ordo_line_format.key. */
static ptrdiff_t key_of_row(void *user, const char *row, size_t length, void *into, size_t room)
{
    key_bytes out = {.data = into, .capacity = room, .fixed = true};

    if (large_key(user, row, length, &out, NULL))
        return (ptrdiff_t)out.used;
    errno = ENOMEM;
    return out.wanted > room ? (ptrdiff_t)out.wanted : -1;
}

/* The keys of a row that is visited. */
static bool read_row(csv_sorting *sorting, csv_item *item)
{
    sorting->key.used = 0;
    const bool ok =
        large_key(sorting->x, item->text, item->length - 1, &sorting->key, &item->group);

    item->key = sorting->key.data;
    item->key_length = sorting->key.used;
    return ok;
}

/* ---- Items ---- */

/* Compares the key with that of the item before, and keeps it. */
static bool find_tie(csv_sorting *s, csv_item *item)
{
    item->same_group = s->begun && s->last_group == item->group &&
                       memcmp(s->last.data, item->key, item->group) == 0;
    item->same = item->same_group && s->last.used == item->key_length &&
                 memcmp(s->last.data, item->key, item->key_length) == 0;
    if (item->same)
        return true;
    s->begun = true;
    s->last_group = item->group;
    if (item->key == s->key.data) {
        const key_bytes swapped = s->last;
        s->last = s->key;
        s->key = swapped;
        return true;
    }
    s->last.used = 0;
    return csv_append_bytes(&s->last, item->key, item->key_length);
}

static bool visit_item(csv_sorting *s, const char *text, size_t length)
{
    execution *const e = s->x->e;
    csv_item         item = {.text = text, .length = length};

    if (s->read != NULL && !(s->read(s, &item) && find_tie(s, &item)))
        return cli_fail("%s: not enough memory for a row", e->command->name);
    return s->visit(s->user, &item);
}

/* As ordo_sink.write, which gets whole lines. */
static ptrdiff_t take_items(void *user, const void *from, size_t bytes)
{
    csv_sorting *const s = user;
    const char *const  text = from;
    size_t             done = 0, length;
    bool               ok = true;

    if (s->visit == NULL) {
        ok = output_bytes(&s->x->e->out, from, bytes);
        done = bytes;
    }
    while (ok && done < bytes && (length = s->format.split(s->x, text + done, bytes - done)) > 0) {
        ok = visit_item(s, text + done, length);
        done += length;
    }
    errno = EIO;
    s->told = !ok;
    return ok ? (ptrdiff_t)done : -1;
}

bool csv_sort_items(csv_sorting *s, ordo_external_report *report)
{
    execution *const   e = s->x->e;
    ordo_external_opts opts = pieces_opts(e, s->x->limit, 0);

    opts.flags = s->flags;
    s->format.end = '\n';
    s->format.user = s->x;
    *report = ORDO_OPTS(ordo_external_report, .n = 0);
    call_begin("sorting");
    const ordo_status status = ordo_external_sort_lines(
        e->ctx, &s->format, &s->from,
        &ORDO_OPTS(ordo_sink, .write = take_items, .user = s, .name = e->out.name), &opts, report);
    key_bytes_free(&s->key);
    key_bytes_free(&s->last);
    return pieces_called(e, status, s->told || s->x->feed.stream.failed);
}

/* ---- Rows ---- */

typedef struct first_rows {
    csv_large *x;
    uint64_t   taken; /* rows of this group */
} first_rows;

/* Writes the row if it is one of the first of its group, or of all. */
static bool write_first(void *user, csv_item *item)
{
    first_rows *const f = user;
    execution *const  e = f->x->e;

    if (f->x->by.columns > 0 && !item->same_group)
        f->taken = 0;
    return f->taken++ >= e->o.k || output_bytes(&e->out, item->text, item->length);
}

static bool sort_rows(csv_large *x, const csv_job *job)
{
    first_rows             first = {.x = x};
    const csv_table *const beginning = &x->feed.stream.beginning;
    output *const          out = &x->e->out;
    ordo_external_report   report;
    csv_sorting            sorting = {.x = x,
                                      .flags = job->unique ? ORDO_UNIQUE : 0,
                                      .read = job->ties || x->by.columns > 0 ? read_row : NULL,
                                      .visit = job->first ? write_first : job->visit,
                                      .user = job->first ? &first : job->user};

    sorting.format = ORDO_OPTS(ordo_line_format, .split = split_row, .key = key_of_row);
    sorting.from = ORDO_OPTS(ordo_source, .read = csv_feed_read, .user = &x->feed,
                             .bytes = x->bytes, .name = "the input");
    if (!(job->header != NULL ? job->header(job->user, beginning)
                              : csv_write_header(beginning, out)))
        return false;
    const bool ok = csv_sort_items(&sorting, &report) &&
                    (job->finish == NULL || job->finish(job->user, &x->feed.stream.table));
    return pieces_finish(x->e, ok, &report);
}

bool csv_in_order_large(execution *e, const csv_job *job)
{
    csv_large x;

    return csv_large_close(&x, csv_large_open(&x, e, true, false) && sort_rows(&x, job));
}

/* ---- In memory ---- */

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
        csv_rows_free(&out->rows);
    return ok;
}

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
    csv_rows_free(&groups.rows);
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

    if (job->unique)
        drop_tied_rows(order);
    const csv_selection all = {
        .rows = &order->rows, .type = order->type, .index = order->index, .n = order->n};
    const bool ok =
        (job->header != NULL ? job->header(job->user, table) : csv_write_header(table, &e->out)) &&
        (job->visit != NULL ? visit_rows(job, order) : csv_write_selection(&all, &e->out)) &&
        (job->finish == NULL || job->finish(job->user, table));
    if (ok)
        csv_note_bad(e, &order->rows);
    return finish_output(e, ok);
}

bool csv_in_order(execution *e, const csv_job *job)
{
    csv_order order;

    if (csv_is_large(e))
        return csv_in_order_large(e, job);
    if (!csv_order_find(e, 0, &order))
        return false;
    const bool ok = (job->accept == NULL || job->accept(e, &order.rows)) &&
                    (!job->first || pick_groups(e, &order)) && write_order(e, job, &order);
    csv_rows_free(&order.rows);
    return ok;
}
