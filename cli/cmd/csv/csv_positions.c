/* csv_positions.c - the positions of rows in order, with temporary files (see csv_positions.h).
 *
 * A record is its bytes (4), the position of the row (8), the bytes of its group key (4), its key
 * and a newline. Records are lines of the external sort; rows stay in the input. */
#include "cli/cmd/csv/csv_positions.h"

#include "ordo_external_lines.h"

#include <errno.h>

enum {
    LENGTH_AT = 0,
    ROW_AT = 4,
    GROUP_AT = 12,
    KEY_AT = 16
};

typedef struct positions {
    csv_large      *x;
    csv_place_visit visit;
    void           *user;
    uint64_t        rows; /* read so far */
    key_bytes       ready, rest;
    size_t          used; /* of ready */
    bool            failed;
} positions;

/* Appends the record of row i of a block. */
static bool append_record(positions *p, const csv_rows *groups, const csv_rows *rows, size_t i)
{
    const uint64_t *const group = groups->key_offsets, *const key = rows->key_offsets;
    const uint32_t group_bytes = group != NULL ? (uint32_t)(group[i + 1] - group[i]) : 0;
    const uint32_t key_length = (uint32_t)(key[i + 1] - key[i]);
    const uint32_t length = KEY_AT + group_bytes + key_length + 1;
    const uint64_t row = p->rows + i;

    return csv_append_bytes(&p->ready, &length, sizeof length) &&
           csv_append_bytes(&p->ready, &row, sizeof row) &&
           csv_append_bytes(&p->ready, &group_bytes, sizeof group_bytes) &&
           (group == NULL ||
            csv_append_bytes(&p->ready, groups->bytes + group[i], group_bytes)) &&
           csv_append_bytes(&p->ready, rows->bytes + key[i], key_length) &&
           csv_append_bytes(&p->ready, "\n", 1);
}

/* Makes the records of the next block ready. False at the end, or after a message. */
static bool next_records(positions *p)
{
    csv_large *const       x = p->x;
    const csv_table *const table = &x->feed.stream.table;
    csv_rows               rows = {.n = 0}, groups = {.n = 0};

    p->used = p->ready.used = 0;
    if (!csv_stream_next(&x->feed.stream, NULL, 0))
        return false;
    bool ok = csv_rows_read_bytes(table, &x->keys, &rows) &&
              (x->by.n == 0 || csv_rows_read_bytes(table, &x->by, &groups));
    if (ok)
        csv_bad_count(&x->feed.bad, &rows, 0);
    for (size_t i = 0; ok && i < rows.n; i++)
        if (x->keys.bad != CSV_BAD_SKIP || rows.bad == 0 || !rows.is_bad[i])
            ok = append_record(p, &groups, &rows, i) ||
                 cli_fail("%s: not enough memory for the keys of rows", x->e->command->name);
    p->rows += rows.n;
    csv_rows_free(&rows);
    csv_rows_free(&groups);
    p->failed |= !ok;
    return ok;
}

/* As ordo_source.read. */
static ptrdiff_t read_records(void *user, void *into, size_t bytes)
{
    positions *const p = user;

    while (p->used == p->ready.used && next_records(p))
        continue;
    if (p->failed || p->x->feed.stream.failed) {
        errno = EIO;
        return -1;
    }
    const size_t left = p->ready.used - p->used, n = left < bytes ? left : bytes;
    if (n > 0)
        memcpy(into, p->ready.data + p->used, n);
    p->used += n;
    return (ptrdiff_t)n;
}

static size_t split_record(void *user, const char *text, size_t length)
{
    uint32_t whole;

    (void)user;
    if (length < sizeof whole)
        return 0;
    memcpy(&whole, text + LENGTH_AT, sizeof whole);
    return whole <= length ? whole : 0;
}

/* As ordo_line_format.key: the record comes without its newline. */
static ptrdiff_t key_of_record(void *user, const char *record, size_t length, void *into,
                               size_t room)
{
    const size_t key = length - KEY_AT;

    (void)user;
    if (key <= room && key > 0)
        memcpy(into, record + KEY_AT, key);
    return (ptrdiff_t)key;
}

/* Calls visit() for the whole records of text[0..length). Returns their bytes; SIZE_MAX after a
 * message. */
static size_t visit_records(positions *p, const char *text, size_t length)
{
    size_t done = 0, whole;

    while ((whole = split_record(NULL, text + done, length - done)) > 0) {
        const char  *record = text + done;
        csv_position at = {.key = (const uint8_t *)record + KEY_AT, .length = whole - KEY_AT - 1};
        uint32_t     group;
        memcpy(&at.row, record + ROW_AT, sizeof at.row);
        memcpy(&group, record + GROUP_AT, sizeof group);
        at.group = group;
        if (!p->visit(p->user, &at))
            return SIZE_MAX;
        done += whole;
    }
    return done;
}

/* As ordo_sink.write. */
static ptrdiff_t take_records(void *user, const void *from, size_t bytes)
{
    positions *const p = user;
    key_bytes *const rest = &p->rest;
    const bool       ok = csv_append_bytes(rest, from, bytes) ||
                    cli_fail("%s: not enough memory for the keys of rows", p->x->e->command->name);
    const size_t     done = ok ? visit_records(p, (const char *)rest->data, rest->used) : SIZE_MAX;

    if (done == SIZE_MAX) {
        p->failed = true;
        errno = EIO;
        return -1;
    }
    rest->used -= done;
    memmove(rest->data, rest->data + done, rest->used);
    return (ptrdiff_t)bytes;
}

bool csv_positions_sort(csv_large *x, csv_place_visit visit, void *user,
                        ordo_external_report *report)
{
    positions                p = {.x = x, .visit = visit, .user = user};
    const ordo_external_opts opts = pieces_opts(x->e, x->limit);
    const ordo_line_format   format = ORDO_OPTS(ordo_line_format, .end = '\n',
                                                .split = split_record, .key = key_of_record);

    call_begin("sorting");
    const ordo_status status = ordo_external_sort_lines(
        x->e->ctx, &format,
        &ORDO_OPTS(ordo_source, .read = read_records, .user = &p, .name = "the input"),
        &ORDO_OPTS(ordo_sink, .write = take_records, .user = &p, .name = x->e->out.name), &opts,
        report);
    const bool told = p.failed || x->feed.stream.failed;
    const bool ok = call_end(told ? ORDO_OK : status) && status == ORDO_OK;
    timing_mark(&x->e->t, "sort");
    key_bytes_free(&p.ready);
    key_bytes_free(&p.rest);
    return ok;
}
