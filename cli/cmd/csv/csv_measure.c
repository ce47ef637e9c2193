/* csv_measure.c - results for each column of numbers, or for each group and column (see
 * csv_command.h). Empty values are left out.
 *
 * Rows larger than memory: without --by the numbers of each column go to a temporary file, or into
 * a summary if that is enough. With --by they are sorted by column and group first, so that the
 * numbers of a group are neighbours. The types of the columns are i64 at first; a value that the
 * type of its column cannot hold starts the pass again with a wider type. */
#define _POSIX_C_SOURCE 200809L

#include "cli/cmd/csv/csv_command.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    LOADED_SHARE = 16, /* of the limit that the numbers of a group may take in memory */
    FILES_SHARE = 16   /* of the limit for the buffers of the files of all columns    */
};

static bool choose_columns(csv_measure_job *job)
{
    const execution *const    e = job->e;
    const option_texts *const texts = &e->o.csv.columns;
    const csv_table *const    table = job->table;
    const char *const         hint = csv_separator_hint(table);
    const size_t              most = texts->n > 0 ? texts->n : table->columns;

    job->columns = cli_alloc(most, sizeof *job->columns, "the columns");
    job->skipped = cli_alloc(most, sizeof *job->skipped, "the columns");
    if (job->columns == NULL || job->skipped == NULL)
        return false;
    memset(job->skipped, 0, most * sizeof *job->skipped);
    for (size_t i = 0; i < texts->n; i++)
        if (!csv_column_find(table, e->command->name, "--column", texts->texts[i],
                             strlen(texts->texts[i]), &job->columns[job->n++]))
            return false;
    if (texts->n == 0 &&
        !csv_number_columns(table, "is left out (give --column)", job->columns, &job->n))
        return false;
    return job->n > 0 ||
           cli_fail("%s: %s has no column of numbers in its first rows%s", e->command->name,
                    table->files[0].name, hint[0] != '\0' ? hint : "; give --column NAME");
}

static void count_skipped(csv_measure_job *job, const csv_columns *columns)
{
    job->skipped_rows += columns->skipped_rows;
    for (size_t c = 0; c < columns->n; c++)
        job->skipped[c] += columns->columns[c].skipped;
}

static void note_skipped(const csv_measure_job *job)
{
    const char *const name = job->table->files[0].name;

    if (job->skipped_rows > 0)
        cli_error("%s: %zu row%s with too many or too few fields left out", name, job->skipped_rows,
                  job->skipped_rows == 1 ? "" : "s");
    for (size_t c = 0; c < job->n; c++)
        if (job->skipped[c] > 0)
            cli_error("%s: %s: %zu value%s left out: not a number", name,
                      csv_column_shown(job->table, job->columns[c]), job->skipped[c],
                      job->skipped[c] == 1 ? "" : "s");
}

/* ---- Lines ---- */

bool csv_measure_text(csv_measure_job *job, const char *text, size_t length)
{
    return csv_append_bytes(&job->line, &job->table->dialect.separator, 1) &&
           csv_append_bytes(&job->line, text, length);
}

bool csv_measure_number(csv_measure_job *job, ordo_type type, const void *value)
{
    char text[NUMBER_TEXT_MAX];
    return csv_measure_text(job, text, number_format(type, value, text));
}

bool csv_append_name(const csv_table *table, size_t column, key_bytes *to)
{
    char           number[NUMBER_TEXT_MAX];
    const uint64_t from_1 = column + 1;

    return table->names != NULL
               ? csv_append_value(&table->dialect, table->names[column], to)
               : csv_append_bytes(to, number, number_format(ORDO_U64, &from_1, number));
}

bool csv_measure_end_line(csv_measure_job *job, bool ok)
{
    ok = ok && csv_append_bytes(&job->line, "\n", 1);
    if (!ok)
        return cli_fail("%s: not enough memory for a line of results", job->e->command->name);
    const char *const line = (const char *)job->line.data;
    const size_t      length = job->line.used;
    job->line.used = 0;
    return json_results_wanted(job->e) ? csv_json_row(&job->json, line, length)
                                       : output_bytes(&job->e->out, line, length);
}

/* Begins the array of objects: the columns of --by, "column" and the results. */
static bool begin_json(csv_measure_job *job, const csv_by *by)
{
    if (!csv_append_bytes(&job->line, "\n", 1))
        return csv_measure_end_line(job, false);
    const bool ok = csv_json_begin(&job->json, job->e, job->table, &job->line);
    job->json.texts = by->columns + 1;
    job->line.used = 0;
    return ok;
}

static bool write_header(csv_measure_job *job, const csv_by *by)
{
    const csv_table *const table = job->table;
    const bool             json = json_results_wanted(job->e);
    bool                   ok = true;

    if (table->names == NULL && !json)
        return true;
    for (size_t i = 0; ok && i < by->columns; i++)
        ok = csv_append_name(table, by->column[i], &job->line) &&
             csv_append_bytes(&job->line, &table->dialect.separator, 1);
    ok = ok && csv_append_bytes(&job->line, "column", strlen("column")) && job->measure->names(job);
    return ok && json ? begin_json(job, by) : csv_measure_end_line(job, ok);
}

static bool end_lines(csv_measure_job *job, bool ok)
{
    return ok && (!json_results_wanted(job->e) || json_end(&job->json.results));
}

static bool write_line(csv_measure_job *job, const void *names, size_t length, size_t column,
                       const csv_cells *cells)
{
    job->line.used = 0;
    const bool made = csv_append_bytes(&job->line, names, length) &&
                      csv_append_name(job->table, column, &job->line);
    return (made || csv_measure_end_line(job, false)) && job->measure->results(job, cells) &&
           csv_measure_end_line(job, true);
}

/* ---- Numbers in files ---- */

typedef struct cells_source { /* reads numbers of a file */
    const csv_cells *cells;
    uint64_t         done; /* bytes */
} cells_source;

/* As ordo_source.read. */
static ptrdiff_t read_cells(void *user, void *into, size_t bytes)
{
    cells_source *const from = user;
    const uint64_t      left = from->cells->n * sizeof(uint64_t) - from->done;
    const size_t        n = left < bytes ? (size_t)left : bytes;

    if (!csv_spill_read(from->cells->file, from->cells->at + from->done, into, n)) {
        errno = EIO;
        return -1;
    }
    from->done += n;
    return (ptrdiff_t)n;
}

/* A file that holds nothing else is read by the library itself, which then needs no copy. */
static ordo_source open_cells(cells_source *from)
{
    const csv_cells *const cells = from->cells;
    const uint64_t         bytes = cells->n * sizeof(uint64_t);

    if (cells->at == 0 && cells->file->bytes == bytes && lseek(cells->file->fd, 0, SEEK_SET) == 0)
        return ORDO_OPTS(ordo_source, .fd = cells->file->fd, .name = "a temporary file");
    return ORDO_OPTS(ordo_source, .read = read_cells, .user = from, .bytes = bytes,
                     .name = "a temporary file");
}

bool csv_cells_quantiles(csv_measure_job *job, const csv_cells *cells, double *values)
{
    execution *const e = job->e;

    call_begin("selecting");
    if (cells->values != NULL || cells->n == 0)
        return call_done(e, "select",
                         ordo_quantiles(e->ctx, cells->type, cells->values, (size_t)cells->n,
                                        job->q, job->count, values, job->opts));
    cells_source             from = {.cells = cells};
    const ordo_source        numbers = open_cells(&from);
    const ordo_external_opts opts = pieces_opts(e, job->limit, 0);
    return call_done(
        e, "select",
        ordo_external_quantiles(e->ctx, &ORDO_OPTS(ordo_elements, .type = (uint32_t)cells->type),
                                &numbers, job->q, job->count, values, (ordo_nans)job->opts->nans,
                                (ordo_method)job->opts->method, &opts, NULL));
}

/* ---- In memory ---- */

/* Moves the numbers of each group together: those of group g become
 * values[ends[g - 1]..ends[g]). */
static void divide(const csv_groups *groups, const csv_column *c, uint64_t *values, size_t *ends)
{
    const uint64_t *const from = c->values;

    memset(ends, 0, (groups->n + 1) * sizeof *ends);
    for (size_t i = 0; i < c->n; i++)
        ends[groups->numbers[c->rows[i]] + 1]++;
    for (size_t g = 0; g < groups->n; g++)
        ends[g + 1] += ends[g];
    for (size_t i = 0; i < c->n; i++)
        values[ends[groups->numbers[c->rows[i]]]++] = from[i];
}

/* A line for each group in which the column has a value. */
static bool write_groups_of(csv_measure_job *job, const csv_groups *groups, const csv_column *c)
{
    uint64_t *const values = cli_alloc(c->n, sizeof *values, "the numbers of groups");
    size_t *const   ends = cli_alloc(groups->n + 1, sizeof *ends, "the groups");
    key_bytes       names = {.used = 0};
    bool            ok = values != NULL && ends != NULL;

    if (ok)
        divide(groups, c, values, ends);
    for (size_t g = 0, first = 0; ok && g < groups->n; first = ends[g++]) {
        if (ends[g] == first)
            continue;
        names.used = 0;
        ok = csv_append_group(job->e, groups, g, &names) || csv_measure_end_line(job, false);
        ok = ok && write_line(job, names.data, names.used, c->column,
                              &(csv_cells){
                                  .type = c->type, .n = ends[g] - first, .values = values + first});
    }
    free(values);
    free(ends);
    key_bytes_free(&names);
    return ok;
}

static bool write_columns(csv_measure_job *job, const csv_columns *columns)
{
    const bool by = job->e->o.csv.by.n > 0;
    csv_groups groups = {.n = 0};
    bool       ok = (!by || csv_find_groups(job->e, &groups)) && write_header(job, &groups.by);

    for (size_t i = 0; ok && i < columns->n; i++) {
        const csv_column *const c = &columns->columns[i];
        ok = by ? write_groups_of(job, &groups, c)
                : write_line(job, NULL, 0, c->column,
                             &(csv_cells){.type = c->type, .n = c->n, .values = c->values});
    }
    csv_rows_free(&groups.rows);
    return finish_output(job->e, end_lines(job, ok));
}

static bool measure(csv_measure_job *job)
{
    execution *const e = job->e;
    csv_columns      columns;

    if (!csv_read(e))
        return false;
    job->table = &e->table;
    if (!choose_columns(job))
        return false;
    progress_start("reading columns");
    bool ok = csv_columns_read(&e->table, job->columns, job->n, NULL, csv_bad_of(e) == CSV_BAD_SKIP,
                               e->o.csv.by.n > 0, &columns);
    progress_end();
    timing_mark(&e->t, "columns");
    if (!ok)
        return false;
    count_skipped(job, &columns);
    note_skipped(job);
    ok = write_columns(job, &columns);
    csv_columns_free(&columns);
    return ok;
}

/* ---- Larger than memory ---- */

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
        count_skipped(job, columns);
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
            if (files)
                ok = csv_spill_append(&l->files[i], c->values, c->n * sizeof(uint64_t));
            else
                summary_take(&l->summaries[i], c->values, c->n);
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
    ok = ok && write_header(job, &l->x.by);
    for (size_t i = 0; ok && i < job->n; i++) {
        csv_cells cells = {.type = l->types[i],
                           .n = files ? l->files[i].bytes / sizeof(uint64_t) : 0,
                           .file = &l->files[i],
                           .summary = files ? NULL : &l->summaries[i]};
        ok = (!files || (csv_spill_flush(&l->files[i]) && load(l, &cells))) &&
             write_line(job, NULL, 0, job->columns[i], &cells);
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
    bool                   ok = write_header(job, &l->x.by);

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
             write_line(job, l->names.data, head.names, job->columns[head.column], &cells);
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
    (void)csv_large_close(&l->x, false);
    free(l);
}

static bool measure_large(csv_measure_job *job)
{
    large_job *const l = cli_alloc(1, sizeof *l, "the columns");

    if (l == NULL)
        return false;
    *l = (large_job){.job = job, .groups.fd = -1};
    bool ok = csv_large_open(&l->x, job->e, false, true);
    job->limit = l->x.limit;
    job->table = &l->x.feed.stream.beginning;
    ok = ok && choose_columns(job) && take_memory(l) &&
         (job->e->o.csv.by.n > 0 ? groups_work(l) : columns_work(l));
    ok = finish_output(job->e, end_lines(job, ok));
    if (ok)
        note_skipped(job);
    job->table = NULL;
    free_memory(l);
    return ok;
}

bool csv_measure_columns(csv_measure_job *job)
{
    const bool ok = csv_is_large(job->e) ? measure_large(job) : measure(job);

    free(job->columns);
    free(job->skipped);
    key_bytes_free(&job->line);
    csv_json_free(&job->json);
    return ok;
}
