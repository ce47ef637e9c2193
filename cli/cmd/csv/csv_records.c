/* csv_records.c - keys of rows with a number each, sorted with temporary files, and temporary files
 * that are written once, then read (see csv_command.h).
 *
 * In the external sort of lines, a record is its bytes (4), the bytes of its group (4) and of its
 * key (4), its value (8), the key, what follows the key, and a newline. */
#define _POSIX_C_SOURCE 200809L

#include "cli/cmd/csv/csv_command.h"

#include "cli/io/tempfile.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct record_head {
    uint32_t length; /* of the whole record */
    uint32_t group, key;
    uint32_t value[2];
} record_head;

bool csv_record_begin(key_bytes *to)
{
    return csv_append_bytes(to, &(record_head){.length = 0}, sizeof(record_head));
}

bool csv_record_end(key_bytes *to, size_t begin, size_t group, size_t key, uint64_t value)
{
    const size_t first = begin + sizeof(record_head);
    record_head  head = {.length = (uint32_t)(to->used + 1 - begin),
                         .group = (uint32_t)(group - first),
                         .key = (uint32_t)(key - first)};

    memcpy(head.value, &value, sizeof value);
    memcpy(to->data + begin, &head, sizeof head);
    return csv_append_bytes(to, "\n", 1);
}

typedef struct records {
    const csv_record_job *job;
    key_bytes             ready;
    size_t                used; /* of ready */
} records;

/* As ordo_source.read. */
static ptrdiff_t read_records(void *user, void *into, size_t bytes)
{
    records *const r = user;
    bool           more = true;

    while (more && r->used == r->ready.used) {
        r->used = r->ready.used = 0;
        more = r->job->more(r->job->user, &r->ready);
    }
    if (r->job->x->feed.stream.failed) {
        errno = EIO;
        return -1;
    }
    const size_t left = r->ready.used - r->used, n = left < bytes ? left : bytes;
    if (n > 0)
        memcpy(into, r->ready.data + r->used, n);
    r->used += n;
    return (ptrdiff_t)n;
}

static size_t split_record(void *user, const char *text, size_t length)
{
    uint32_t whole;

    (void)user;
    if (length < sizeof whole)
        return 0;
    memcpy(&whole, text, sizeof whole);
    return whole <= length ? whole : 0;
}

/* As ordo_line_format.key. The last record of a sample may be incomplete. */
static ptrdiff_t key_of_record(void *user, const char *record, size_t length, void *into,
                               size_t room)
{
    record_head head;

    (void)user;
    if (length < sizeof head)
        return 0;
    memcpy(&head, record, sizeof head);
    const size_t there = length - sizeof head, key = head.key < there ? head.key : there;
    if (key <= room && key > 0)
        memcpy(into, record + sizeof head, key);
    return (ptrdiff_t)key;
}

static bool read_record(csv_sorting *sorting, csv_item *item)
{
    record_head head;

    (void)sorting;
    memcpy(&head, item->text, sizeof head);
    memcpy(&item->value, head.value, sizeof item->value);
    item->key = (const uint8_t *)item->text + sizeof head;
    item->key_length = head.key;
    item->group = head.group;
    item->rest = item->key + head.key;
    item->rest_length = item->length - sizeof head - head.key - 1;
    return true;
}

bool csv_records_sort(const csv_record_job *job, ordo_external_report *report)
{
    records     r = {.job = job};
    csv_sorting sorting = {
        .x = job->x,
        .format = ORDO_OPTS(ordo_line_format, .split = split_record, .key = key_of_record),
        .from = ORDO_OPTS(ordo_source, .read = read_records, .user = &r, .name = "the input"),
        .read = read_record,
        .visit = job->visit,
        .user = job->visitor};
    const bool ok = csv_sort_items(&sorting, report);

    key_bytes_free(&r.ready);
    return ok;
}

/* ---- Positions ---- */

typedef struct positions {
    csv_record_job job;
    uint64_t       rows; /* read so far */
} positions;

/* Appends the key bytes of row i. */
static bool append_key(const csv_rows *rows, size_t i, key_bytes *to)
{
    const uint64_t *const at = rows->key_offsets + i;
    return csv_append_bytes(to, rows->bytes + at[0], (size_t)(at[1] - at[0]));
}

/* Appends the record of row i of a block. */
static bool append_position(const positions *p, const csv_rows *groups, const csv_rows *rows,
                            size_t i, key_bytes *ready)
{
    const size_t begin = ready->used;

    if (!csv_record_begin(ready) || (groups->bytes != NULL && !append_key(groups, i, ready)))
        return false;
    const size_t group = ready->used;
    return append_key(rows, i, ready) &&
           csv_record_end(ready, begin, group, ready->used, p->rows + i);
}

static bool more_positions(void *user, key_bytes *ready)
{
    positions *const       p = user;
    csv_large *const       x = p->job.x;
    const csv_table *const table = &x->feed.stream.table;
    csv_rows               rows = {.n = 0}, groups = {.n = 0};

    if (!csv_stream_next(&x->feed.stream, NULL, 0))
        return false;
    bool ok = csv_rows_read_bytes(table, &x->keys, &rows) &&
              (x->by.columns == 0 || csv_rows_read_bytes(table, &x->by.keys, &groups));
    if (ok)
        csv_bad_count(&x->feed.bad, &rows, 0);
    for (size_t i = 0; ok && i < rows.n; i++)
        if (x->keys.bad != CSV_BAD_SKIP || rows.bad == 0 || !rows.is_bad[i])
            ok = append_position(p, &groups, &rows, i, ready) ||
                 cli_fail("%s: not enough memory for the keys of rows", x->e->command->name);
    p->rows += rows.n;
    csv_rows_free(&rows);
    csv_rows_free(&groups);
    x->feed.stream.failed |= !ok;
    return ok;
}

bool csv_positions_sort(csv_large *x, csv_visit visit, void *user, ordo_external_report *report)
{
    positions p = {.job = {.x = x, .more = more_positions, .visit = visit, .visitor = user}};

    p.job.user = &p;
    return csv_records_sort(&p.job, report);
}

/* ---- Temporary files ---- */

bool csv_spill_open(csv_spill *spill, const execution *e, size_t most)
{
    *spill = (csv_spill){.fd = pieces_temporary(e), .most = most};
    return spill->fd >= 0;
}

bool csv_spill_flush(csv_spill *spill)
{
    const bool ok = spool_write(spill->fd, spill->buffer.data, spill->buffer.used);

    spill->buffer.used = 0;
    return ok || cli_fail("cannot write a temporary file: %s", strerror(errno));
}

bool csv_spill_append(csv_spill *spill, const void *bytes, size_t length)
{
    if (!csv_append_bytes(&spill->buffer, bytes, length))
        return cli_fail("not enough memory to write a temporary file");
    spill->bytes += length;
    return spill->buffer.used < spill->most || csv_spill_flush(spill);
}

bool csv_spill_read(csv_spill *spill, uint64_t at, void *into, size_t bytes)
{
    key_bytes *const near = &spill->buffer;
    bool             ok = true;

    if (bytes >= spill->most) {
        ok = spool_read(spill->fd, at, into, bytes);
    } else if (bytes > 0) {
        if (at < spill->begin || at + bytes > spill->begin + near->used) {
            const uint64_t left = spill->bytes - at;
            const size_t   length = left < spill->most ? (size_t)left : spill->most;
            near->used = 0;
            if (!key_bytes_reserve(near, length))
                return cli_fail("not enough memory to read a temporary file");
            ok = spool_read(spill->fd, at, near->data, length);
            near->used = ok ? length : 0;
            spill->begin = at;
        }
        if (ok)
            memcpy(into, near->data + (at - spill->begin), bytes);
    }
    return ok || cli_fail("cannot read a temporary file: %s", strerror(errno));
}

void csv_spill_close(csv_spill *spill)
{
    if (spill->fd >= 0)
        close(spill->fd);
    spill->fd = -1;
    key_bytes_free(&spill->buffer);
}

/* ---- The groups of --by ----
 *
 * Rows whose values of the columns are the same text are one group. Groups of a column of numbers
 * are in the order of the numbers. */

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
