/* csv_measure.c - results for each column of numbers, or for each group and column, in memory (see
 * csv_measure.h). Empty values are left out. */
#include "cli/cmd/csv/csv_measure.h"

#include <stdlib.h>

bool csv_measure_choose(csv_measure_job *job)
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

void csv_measure_count_skipped(csv_measure_job *job, const csv_columns *columns)
{
    job->skipped_rows += columns->skipped_rows;
    for (size_t c = 0; c < columns->n; c++)
        job->skipped[c] += columns->columns[c].skipped;
}

void csv_measure_note_skipped(const csv_measure_job *job)
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

bool csv_measure_column(csv_measure_job *job, size_t column)
{
    const csv_table *const table = job->table;
    char                   number[NUMBER_TEXT_MAX];
    const uint64_t         from_1 = column + 1;

    if (table->names != NULL)
        return csv_append_value(&table->dialect, table->names[column], &job->line);
    return csv_append_bytes(&job->line, number, number_format(ORDO_U64, &from_1, number));
}

bool csv_measure_end_line(csv_measure_job *job, bool ok)
{
    ok = ok && csv_append_bytes(&job->line, "\n", 1);
    if (!ok)
        return cli_fail("%s: not enough memory for a line of results", job->e->command->name);
    ok = output_bytes(&job->e->out, job->line.data, job->line.used);
    job->line.used = 0;
    return ok;
}

bool csv_measure_header(csv_measure_job *job, const csv_by *by)
{
    const csv_table *const table = job->table;
    bool                   ok = true;

    if (table->names == NULL)
        return true;
    for (size_t i = 0; ok && i < by->columns; i++)
        ok = csv_measure_column(job, by->column[i]) &&
             csv_append_bytes(&job->line, &table->dialect.separator, 1);
    ok = ok && csv_append_bytes(&job->line, "column", strlen("column")) && job->measure->names(job);
    return csv_measure_end_line(job, ok);
}

bool csv_measure_line(csv_measure_job *job, const void *names, size_t length, size_t column,
                      const csv_cells *cells)
{
    job->line.used = 0;
    const bool made =
        csv_append_bytes(&job->line, names, length) && csv_measure_column(job, column);
    return (made || csv_measure_end_line(job, false)) && job->measure->results(job, cells) &&
           csv_measure_end_line(job, true);
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
static bool write_group_lines(csv_measure_job *job, const csv_column *c)
{
    const csv_groups *const groups = &job->groups;
    uint64_t *const         values = cli_alloc(c->n, sizeof *values, "the numbers of groups");
    size_t *const           ends = cli_alloc(groups->n + 1, sizeof *ends, "the groups");
    key_bytes               names = {.used = 0};
    bool                    ok = values != NULL && ends != NULL;

    if (ok)
        divide(groups, c, values, ends);
    for (size_t g = 0, first = 0; ok && g < groups->n; first = ends[g++]) {
        if (ends[g] == first)
            continue;
        names.used = 0;
        ok = csv_append_group(job->e, groups, g, &names) || csv_measure_end_line(job, false);
        ok = ok &&
             csv_measure_line(
                 job, names.data, names.used, c->column,
                 &(csv_cells){.type = c->type, .n = ends[g] - first, .values = values + first});
    }
    free(values);
    free(ends);
    key_bytes_free(&names);
    return ok;
}

static bool write_columns(csv_measure_job *job, const csv_columns *columns)
{
    const bool groups = job->e->o.csv.by.n > 0;
    bool       ok = (!groups || csv_find_groups(job->e, &job->groups)) &&
              csv_measure_header(job, &job->groups.by);

    for (size_t i = 0; ok && i < columns->n; i++) {
        const csv_column *const c = &columns->columns[i];
        ok = !groups
                 ? csv_measure_line(job, NULL, 0, c->column,
                                    &(csv_cells){.type = c->type, .n = c->n, .values = c->values})
             : job->measure->groups != NULL ? job->measure->groups(job, c)
                                            : write_group_lines(job, c);
    }
    if (groups)
        csv_groups_free(&job->groups);
    return finish_output(job->e, ok);
}

static bool measure(csv_measure_job *job)
{
    execution *const e = job->e;
    csv_columns      columns;

    if (!csv_read(e))
        return false;
    job->table = &e->table;
    if (!csv_measure_choose(job))
        return false;
    progress_start("reading columns");
    bool ok = csv_columns_read(&e->table, job->columns, job->n, NULL, csv_bad_of(e) == CSV_BAD_SKIP,
                               e->o.csv.by.n > 0, &columns);
    progress_end();
    timing_mark(&e->t, "columns");
    if (!ok)
        return false;
    csv_measure_count_skipped(job, &columns);
    csv_measure_note_skipped(job);
    ok = write_columns(job, &columns);
    csv_columns_free(&columns);
    return ok;
}

bool csv_measure_columns(csv_measure_job *job)
{
    const bool ok = csv_is_large(job->e) ? csv_measure_large(job) : measure(job);

    free(job->columns);
    free(job->skipped);
    key_bytes_free(&job->line);
    return ok;
}
