/* csv_measure_large.c - results of columns and groups of rows larger than memory (see
 * csv_measure.h).
 *
 * Without --by the numbers of each column go to a temporary file, or into a summary if that is
 * enough. With --by they are sorted by column and group first, so that the numbers of a group are
 * neighbours. The types of the columns are i64 at first; a value that the type of its column cannot
 * hold starts the pass again with a wider type. */
#define _POSIX_C_SOURCE 200809L

#include "cli/cmd/csv/csv_measure.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    LOADED_SHARE = 16, /* of the limit that the numbers of a group may take in memory */
    FILES_SHARE = 16   /* of the limit for the buffers of the files of all columns    */
};

typedef struct large_job {
    csv_measure_job *job;
    csv_large        x;
    ordo_type       *types; /* of each column */
    bool             again; /* some type has become wider */
    csv_spill       *files; /* without --by: of each column; otherwise all numbers in order */
    summary         *summaries;
    csv_spill        groups; /* a group_head for each group, then its names */
    key_bytes        names;  /* of the group of the last record, */
    uint32_t         column; /* the place of its column,         */
    uint64_t         n;      /* and its numbers                  */
    void            *loaded;
    size_t           capacity; /* of loaded, in bytes */
} large_job;

typedef struct group_head {
    uint64_t n;
    uint32_t column, names; /* its place in job->columns; bytes */
} group_head;

/* ---- Numbers in files ---- */

/* As ordo_source.read. */
static ptrdiff_t read_cells(void *user, void *into, size_t bytes)
{
    csv_cells_source *const from = user;
    const uint64_t          left = from->cells->n * sizeof(uint64_t) - from->done;
    const size_t            n = left < bytes ? (size_t)left : bytes;

    if (!csv_spill_read(from->cells->file, from->cells->at + from->done, into, n)) {
        errno = EIO;
        return -1;
    }
    from->done += n;
    return (ptrdiff_t)n;
}

/* A file that holds nothing else is read by the library itself, which then needs no copy. */
ordo_source csv_cells_open(csv_cells_source *from)
{
    const csv_cells *const cells = from->cells;
    const uint64_t         bytes = cells->n * sizeof(uint64_t);

    if (cells->at == 0 && cells->file->bytes == bytes && lseek(cells->file->fd, 0, SEEK_SET) == 0)
        return ORDO_OPTS(ordo_source, .fd = cells->file->fd, .name = "a temporary file");
    return ORDO_OPTS(ordo_source, .read = read_cells, .user = from, .bytes = bytes,
                     .name = "a temporary file");
}

/* Loads the numbers if they are few. False after a message. */
static bool load(large_job *l, csv_cells *cells)
{
    const uint64_t bytes = cells->n * sizeof(uint64_t);

    if (bytes > l->x.limit / LOADED_SHARE || bytes == 0)
        return true;
    if (l->capacity < bytes) {
        free(l->loaded);
        l->capacity = 0;
        l->loaded = cli_alloc((size_t)bytes, 2, "the numbers of a group");
        if (l->loaded == NULL)
            return false;
        l->capacity = (size_t)bytes * 2;
    }
    cells->values = l->loaded;
    return csv_spill_read(cells->file, cells->at, l->loaded, (size_t)bytes);
}

/* ---- Reading ---- */

/* Reads the columns of the next block. False at the end, after a message, or if a type has become
 * wider (again). */
static bool next_columns(large_job *l, csv_columns *columns)
{
    csv_measure_job *const job = l->job;
    csv_stream *const      stream = &l->x.feed.stream;

    if (!csv_stream_next(stream, NULL, 0))
        return false;
    if (!csv_columns_read(&stream->table, job->columns, job->n, l->types,
                          csv_bad_of(job->e) == CSV_BAD_SKIP, job->e->o.csv.by.n > 0, columns)) {
        stream->failed = true;
        return false;
    }
    for (size_t c = 0; c < job->n; c++) {
        l->again |= columns->columns[c].type != l->types[c];
        l->types[c] = columns->columns[c].type;
    }
    if (l->again)
        csv_columns_free(columns);
    else
        csv_measure_count_skipped(job, columns);
    return !l->again;
}

/* Starts with the first row and empty files. */
static bool start(large_job *l, size_t files)
{
    csv_measure_job *const job = l->job;

    for (size_t c = 0; c < job->n; c++) {
        job->skipped[c] = 0;
        summary_of(l->types[c], NULL, 0, &l->summaries[c]);
    }
    job->skipped_rows = 0;
    const uint64_t share = files > 0 ? l->x.limit / FILES_SHARE / files : 0;
    for (size_t i = 0; i < files; i++) {
        csv_spill_close(&l->files[i]);
        if (!csv_spill_open(&l->files[i], job->e,
                            share < SPILL_BYTES ? (size_t)share : SPILL_BYTES))
            return false;
    }
    if (l->again && !csv_stream_again(&l->x.feed.stream))
        return false;
    l->again = false;
    return true;
}

/* ---- Columns ---- */

static bool take_columns(large_job *l)
{
    const bool  files = !l->job->measure->summaries;
    csv_columns columns;
    bool        ok = true;

    while (ok && next_columns(l, &columns)) {
        for (size_t i = 0; ok && i < columns.n; i++) {
            const csv_column *const c = &columns.columns[i];
            summary                 part;
            if (files) {
                ok = csv_spill_append(&l->files[i], c->values, c->n * sizeof(uint64_t));
                continue;
            }
            summary_of(c->type, c->values, c->n, &part);
            summary_add(&l->summaries[i], &part);
        }
        csv_columns_free(&columns);
    }
    return ok && !l->x.feed.stream.failed;
}

static bool columns_work(large_job *l)
{
    csv_measure_job *const job = l->job;
    const bool             files = !job->measure->summaries;
    bool                   ok = true;

    do
        ok = start(l, files ? job->n : 0) && take_columns(l);
    while (ok && l->again);
    timing_mark(&job->e->t, "columns");
    ok = ok && csv_measure_header(job, &l->x.by);
    for (size_t i = 0; ok && i < job->n; i++) {
        csv_cells cells = {.type = l->types[i],
                           .n = files ? l->files[i].bytes / sizeof(uint64_t) : 0,
                           .file = &l->files[i],
                           .summary = files ? NULL : &l->summaries[i]};
        ok = (!files || (csv_spill_flush(&l->files[i]) && load(l, &cells))) &&
             csv_measure_line(job, NULL, 0, job->columns[i], &cells);
    }
    return ok;
}

/* ---- Groups ---- */

/* Appends a record for each number of a column: under the place of the column and its group, with
 * the names of the group. */
static bool append_records(const large_job *l, const csv_columns *columns, size_t place,
                           const csv_rows *rows, key_bytes *ready)
{
    const csv_column *const c = &columns->columns[place];
    const uint8_t           prefix[4] = {(uint8_t)(place >> 24), (uint8_t)(place >> 16),
                                         (uint8_t)(place >> 8), (uint8_t)place};
    const csv_table *const  table = rows->table;
    bool                    ok = true;

    for (size_t i = 0; ok && i < c->n; i++) {
        const uint64_t *const key = rows->key_offsets + c->rows[i];
        const uint64_t *const row = rows->offsets + c->rows[i];
        const size_t          begin = ready->used;
        ok = csv_record_begin(ready) && csv_append_bytes(ready, prefix, sizeof prefix) &&
             csv_append_bytes(ready, rows->bytes + key[0], (size_t)(key[1] - key[0]));
        const size_t end = ready->used;
        ok = ok &&
             csv_append_names(table, &l->x.by, table->bytes + row[0], table->bytes + row[1],
                              ready) &&
             csv_record_end(ready, begin, end, end, ((const uint64_t *)c->values)[i]);
    }
    return ok;
}

static bool more_records(void *user, key_bytes *ready)
{
    large_job *const l = user;
    csv_columns      columns;
    csv_rows         rows;

    if (!next_columns(l, &columns)) {
        l->x.feed.stream.failed |= l->again;
        return false;
    }
    bool ok = csv_rows_read_bytes(&l->x.feed.stream.table, &l->x.by.keys, &rows);
    for (size_t i = 0; ok && i < columns.n; i++)
        ok = append_records(l, &columns, i, &rows, ready) ||
             cli_fail("%s: not enough memory for the groups", l->job->e->command->name);
    if (ok)
        csv_rows_free(&rows);
    csv_columns_free(&columns);
    l->x.feed.stream.failed |= !ok;
    return ok;
}

/* Notes the group that has ended. */
static bool end_group(large_job *l)
{
    const group_head head = {.n = l->n, .column = l->column, .names = (uint32_t)l->names.used};

    l->n = 0;
    return head.n == 0 || (csv_spill_append(&l->groups, &head, sizeof head) &&
                           csv_spill_append(&l->groups, l->names.data, l->names.used));
}

static bool take_record(void *user, csv_item *item)
{
    large_job *const l = user;

    if (!item->same) {
        if (!end_group(l))
            return false;
        l->column = 0;
        for (size_t i = 0; i < sizeof l->column; i++)
            l->column = l->column << 8 | item->key[i];
        l->names.used = 0;
        if (!csv_append_bytes(&l->names, item->rest, item->rest_length))
            return cli_fail("%s: not enough memory for a group", l->job->e->command->name);
    }
    l->n++;
    return csv_spill_append(&l->files[0], &item->value, sizeof item->value);
}

/* A line for each group that was noted. */
static bool write_group_lines(large_job *l)
{
    csv_measure_job *const job = l->job;
    uint64_t               at = 0, first = 0;
    bool                   ok = csv_measure_header(job, &l->x.by);

    while (ok && at < l->groups.bytes) {
        group_head head;
        ok = csv_spill_read(&l->groups, at, &head, sizeof head);
        if (!ok)
            break;
        l->names.used = 0;
        ok = key_bytes_reserve(&l->names, head.names) ||
             cli_fail("%s: not enough memory for a group", job->e->command->name);
        csv_cells cells = {
            .type = l->types[head.column], .n = head.n, .file = &l->files[0], .at = first};
        ok = ok && csv_spill_read(&l->groups, at + sizeof head, l->names.data, head.names) &&
             load(l, &cells) &&
             csv_measure_line(job, l->names.data, head.names, job->columns[head.column], &cells);
        at += sizeof head + head.names;
        first += head.n * sizeof(uint64_t);
    }
    return ok;
}

static bool groups_work(large_job *l)
{
    ordo_external_report report;
    bool                 ok;

    do {
        csv_spill_close(&l->groups);
        l->n = 0;
        const csv_record_job records = {
            .x = &l->x, .more = more_records, .user = l, .visit = take_record, .visitor = l};
        ok = start(l, 1) && csv_spill_open(&l->groups, l->job->e, SPILL_BYTES) &&
             (csv_records_sort(&records, &report) || l->again);
    } while (ok && l->again);
    return ok && end_group(l) && csv_spill_flush(&l->groups) && csv_spill_flush(&l->files[0]) &&
           write_group_lines(l);
}

/* ---- Both ---- */

static bool take_memory(large_job *l)
{
    const size_t n = l->job->n;

    l->types = cli_alloc(n, sizeof *l->types, "the columns");
    l->files = cli_alloc(n, sizeof *l->files, "the columns");
    l->summaries = cli_alloc(n, sizeof *l->summaries, "the columns");
    for (size_t c = 0; l->types != NULL && c < n; c++)
        l->types[c] = ORDO_I64;
    for (size_t c = 0; l->files != NULL && c < n; c++)
        l->files[c] = (csv_spill){.fd = -1};
    return l->types != NULL && l->files != NULL && l->summaries != NULL;
}

static void free_memory(large_job *l)
{
    for (size_t c = 0; l->files != NULL && c < l->job->n; c++)
        csv_spill_close(&l->files[c]);
    csv_spill_close(&l->groups);
    key_bytes_free(&l->names);
    free(l->types);
    free(l->files);
    free(l->summaries);
    free(l->loaded);
    csv_large_close(&l->x);
    free(l);
}

bool csv_measure_large(csv_measure_job *job)
{
    large_job *const l = cli_alloc(1, sizeof *l, "the columns");

    if (l == NULL)
        return false;
    *l = (large_job){.job = job, .groups.fd = -1};
    bool ok = csv_large_open(&l->x, job->e, false, true);
    job->limit = l->x.limit;
    job->table = &l->x.feed.stream.beginning;
    ok = ok && csv_measure_choose(job) && take_memory(l) &&
         (job->e->o.csv.by.n > 0 ? groups_work(l) : columns_work(l));
    ok = finish_output(job->e, ok) && ok;
    if (ok)
        csv_measure_note_skipped(job);
    job->table = NULL;
    free_memory(l);
    return ok;
}
