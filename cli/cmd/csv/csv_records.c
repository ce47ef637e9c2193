/* csv_records.c - keys of rows with a number each, sorted with temporary files (see csv_records.h).
 *
 * In the external sort of lines, a record is its bytes (4), the bytes of its group (4) and of its
 * key (4), its value (8), the key, what follows the key, and a newline. */
#include "cli/cmd/csv/csv_records.h"

#include "ordo_external_lines.h"

#include <errno.h>

typedef struct record_head {
    uint32_t length; /* of the whole record */
    uint32_t group, key;
    uint32_t value[2];
} record_head;

bool csv_record_append(key_bytes *to, const csv_record *record)
{
    record_head head = {.length = (uint32_t)(sizeof head + record->length + 1),
                        .group = (uint32_t)record->group,
                        .key = (uint32_t)record->key};

    memcpy(head.value, &record->value, sizeof record->value);
    return csv_append_bytes(to, &head, sizeof head) &&
           csv_append_bytes(to, record->bytes, record->length) && csv_append_bytes(to, "\n", 1);
}

typedef struct records {
    csv_record_job *job;
    key_bytes       ready, rest;
    size_t          used; /* of ready */
} records;

static bool no_memory(const csv_record_job *job)
{
    return cli_fail("%s: not enough memory for the keys of rows", job->x->e->command->name);
}

/* As ordo_source.read. */
static ptrdiff_t read_records(void *user, void *into, size_t bytes)
{
    records *const r = user;
    bool           more = true;

    while (more && r->used == r->ready.used) {
        r->used = r->ready.used = 0;
        more = r->job->more(r->job->user, &r->ready);
    }
    if (r->job->failed || r->job->x->feed.stream.failed) {
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

/* As ordo_line_format.key. */
static ptrdiff_t key_of_record(void *user, const char *record, size_t length, void *into,
                               size_t room)
{
    record_head head;

    (void)user;
    (void)length;
    memcpy(&head, record, sizeof head);
    if (head.key <= room && head.key > 0)
        memcpy(into, record + sizeof head, head.key);
    return (ptrdiff_t)head.key;
}

/* Visits the whole records of text[0..length). Returns their bytes; SIZE_MAX after a message. */
static size_t visit_records(const csv_record_job *job, const char *text, size_t length)
{
    size_t done = 0, whole;

    while ((whole = split_record(NULL, text + done, length - done)) > 0) {
        record_head head;
        memcpy(&head, text + done, sizeof head);
        csv_record record = {.bytes = (const uint8_t *)text + done + sizeof head,
                             .group = head.group,
                             .key = head.key,
                             .length = whole - sizeof head - 1};
        memcpy(&record.value, head.value, sizeof record.value);
        if (!job->visit(job->user, &record))
            return SIZE_MAX;
        done += whole;
    }
    return done;
}

/* As ordo_sink.write. */
static ptrdiff_t take_records(void *user, const void *from, size_t bytes)
{
    records *const    r = user;
    key_bytes *const  rest = &r->rest; /* the beginning of a record */
    const bool        all = rest->used == 0;
    bool              ok = all || csv_append_bytes(rest, from, bytes) || no_memory(r->job);
    const size_t      given = all ? bytes : rest->used;
    const char *const text = all ? from : (const char *)rest->data;
    const size_t      done = ok ? visit_records(r->job, text, given) : SIZE_MAX;

    if (done != SIZE_MAX && all)
        ok = csv_append_bytes(rest, text + done, given - done) || no_memory(r->job);
    if (done == SIZE_MAX || !ok) {
        r->job->failed = true;
        errno = EIO;
        return -1;
    }
    if (!all) {
        rest->used -= done;
        memmove(rest->data, rest->data + done, rest->used);
    }
    return (ptrdiff_t)bytes;
}

bool csv_records_sort(csv_record_job *job, ordo_external_report *report)
{
    csv_large *const         x = job->x;
    records                  r = {.job = job};
    const ordo_external_opts opts = pieces_opts(x->e, x->limit, 0);
    const ordo_line_format   format =
        ORDO_OPTS(ordo_line_format, .end = '\n', .split = split_record, .key = key_of_record);

    call_begin("sorting");
    const ordo_status status = ordo_external_sort_lines(
        x->e->ctx, &format,
        &ORDO_OPTS(ordo_source, .read = read_records, .user = &r, .name = "the input"),
        &ORDO_OPTS(ordo_sink, .write = take_records, .user = &r, .name = x->e->out.name), &opts,
        report);
    const bool told = job->failed || x->feed.stream.failed;
    const bool ok = call_end(told ? ORDO_OK : status) && status == ORDO_OK;
    timing_mark(&x->e->t, "sort");
    key_bytes_free(&r.ready);
    key_bytes_free(&r.rest);
    return ok;
}

/* ---- Positions ---- */

typedef struct positions {
    csv_record_job job;
    uint64_t       rows; /* read so far */
    key_bytes      key;
    bool (*visit)(void *user, const csv_record *record);
    void *user;
} positions;

/* Appends the record of row i of a block. */
static bool append_position(positions *p, const csv_rows *groups, const csv_rows *rows, size_t i,
                            key_bytes *ready)
{
    const uint64_t *const group = groups->key_offsets, *const key = rows->key_offsets;
    csv_record record = {.value = p->rows + i};

    p->key.used = 0;
    if (group != NULL &&
        !csv_append_bytes(&p->key, groups->bytes + group[i], (size_t)(group[i + 1] - group[i])))
        return false;
    record.group = p->key.used;
    if (!csv_append_bytes(&p->key, rows->bytes + key[i], (size_t)(key[i + 1] - key[i])))
        return false;
    record.key = record.length = p->key.used;
    record.bytes = p->key.data;
    return csv_record_append(ready, &record);
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
            ok = append_position(p, &groups, &rows, i, ready) || no_memory(&p->job);
    p->rows += rows.n;
    csv_rows_free(&rows);
    csv_rows_free(&groups);
    p->job.failed |= !ok;
    return ok;
}

static bool visit_position(void *user, const csv_record *record)
{
    const positions *const p = user;
    return p->visit(p->user, record);
}

bool csv_positions_sort(csv_large *x, bool (*visit)(void *user, const csv_record *record),
                        void *user, ordo_external_report *report)
{
    positions p = {.job = {.x = x, .more = more_positions, .visit = visit_position},
                   .visit = visit,
                   .user = user};

    p.job.user = &p;
    const bool ok = csv_records_sort(&p.job, report);
    key_bytes_free(&p.key);
    return ok;
}
