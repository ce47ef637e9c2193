/* csv_quantile.c - `ordo quantile --csv` and `ordo median --csv`: a line for each column, or for
 * each group of --by and column. Without --column, all columns of numbers. Empty values are left
 * out. */
#include "cli/cmd/csv/csv_command.h"

#include "cli/csv/csv_column.h"

#include <stdlib.h>

typedef struct quantile_job {
    execution         *e;
    const double      *q;
    size_t             count;
    csv_columns        columns;
    csv_groups         groups; /* with --by */
    ordo_quantile_opts opts;
    key_bytes          line;
} quantile_job;

/* The columns of --column, or all columns whose first values are numbers. To be freed; NULL after a
 * message. */
static size_t *choose_columns(const execution *e, size_t *n)
{
    const option_texts *const texts = &e->o.csv.columns;
    const csv_table *const    table = &e->table;
    const bool                all = texts->n == 0;
    size_t *const             columns =
        cli_alloc(all ? table->columns : texts->n, sizeof *columns, "the columns");

    *n = 0;
    for (size_t i = 0; columns != NULL && i < texts->n; i++)
        if (!csv_column_find(table, e->command->name, "--column", texts->texts[i],
                             strlen(texts->texts[i]), &columns[(*n)++])) {
            free(columns);
            return NULL;
        }
    for (size_t i = 0; columns != NULL && all && i < table->columns; i++)
        if (csv_column_is_number(table, i, "is left out (give --column)"))
            columns[(*n)++] = i;
    if (columns != NULL && *n == 0) {
        cli_error("%s: %s has no column of numbers in its first rows; give --column NAME",
                  e->command->name, table->files[0].name);
        free(columns);
        return NULL;
    }
    return columns;
}

static void note_skipped(const quantile_job *job)
{
    const csv_columns *const columns = &job->columns;
    const csv_table *const   table = &job->e->table;

    if (columns->skipped_rows > 0)
        cli_error("%s: %zu row%s with too many or too few fields left out", table->files[0].name,
                  columns->skipped_rows, columns->skipped_rows == 1 ? "" : "s");
    for (size_t c = 0; c < columns->n; c++)
        if (columns->columns[c].skipped > 0)
            cli_error("%s: %s: %zu value%s left out: not a number", table->files[0].name,
                      csv_column_shown(table, columns->columns[c].column),
                      columns->columns[c].skipped, columns->columns[c].skipped == 1 ? "" : "s");
}

/* ---- Lines ---- */

static bool append_text(quantile_job *job, const char *text)
{
    return csv_append_bytes(&job->line, text, strlen(text));
}

static bool append_number(quantile_job *job, double value)
{
    char       text[NUMBER_TEXT_MAX];
    const char separator = job->e->table.dialect.separator;

    return csv_append_bytes(&job->line, &separator, 1) &&
           csv_append_bytes(&job->line, text, number_format(ORDO_F64, &value, text));
}

/* The name of a column, or its number if there is no header. */
static bool append_column(quantile_job *job, size_t column)
{
    const csv_table *const table = &job->e->table;
    char                   number[NUMBER_TEXT_MAX];
    const uint64_t         from_1 = column + 1;

    if (table->names != NULL)
        return csv_append_value(&table->dialect, table->names[column], &job->line);
    return csv_append_bytes(&job->line, number, number_format(ORDO_U64, &from_1, number));
}

static bool end_line(quantile_job *job, bool ok)
{
    ok = ok && append_text(job, "\n");
    if (!ok)
        return cli_fail("%s: not enough memory for a line of results", job->e->command->name);
    ok = output_bytes(&job->e->out, job->line.data, job->line.used);
    job->line.used = 0;
    return ok;
}

static bool write_header(quantile_job *job)
{
    const csv_table *const table = &job->e->table;
    const bool             is_median = job->e->command == &command_median;
    bool                   ok = true;

    if (table->names == NULL)
        return true;
    for (size_t i = 0; ok && i < job->groups.columns; i++)
        ok = append_column(job, job->groups.column[i]) &&
             csv_append_bytes(&job->line, &table->dialect.separator, 1);
    ok = ok && append_text(job, "column");
    if (is_median)
        ok = ok && csv_append_bytes(&job->line, &table->dialect.separator, 1) &&
             append_text(job, "median");
    for (size_t j = 0; ok && !is_median && j < job->count; j++)
        ok = append_number(job, job->q[j]);
    return end_line(job, ok);
}

/* ---- Results ---- */

static bool quantiles_of_column(quantile_job *job, const csv_column *c)
{
    double *const values = cli_alloc(job->count, sizeof *values, "the quantiles");
    bool          ok = values != NULL;

    if (ok) {
        call_begin("selecting");
        ok = call_done(job->e, "select",
                       ordo_quantiles(job->e->ctx, c->type, c->values, c->n, job->q, job->count,
                                      values, &job->opts));
    }
    if (ok) {
        bool made = append_column(job, c->column);
        for (size_t j = 0; made && j < job->count; j++)
            made = append_number(job, values[j]);
        ok = end_line(job, made);
    }
    free(values);
    return ok;
}

static bool write_group_lines(quantile_job *job, const csv_column *c, const uint64_t *names,
                              size_t n, const double *values)
{
    bool ok = true;

    for (size_t g = 0; ok && g < n; g++) {
        bool made = csv_append_group(job->e, &job->groups, (size_t)names[g], &job->line) &&
                    append_column(job, c->column);
        for (size_t j = 0; made && j < job->count; j++)
            made = append_number(job, values[g * job->count + j]);
        ok = end_line(job, made);
    }
    return ok;
}

/* Groups in which the column has no value have no line. */
static bool quantiles_of_groups(quantile_job *job, const csv_column *c)
{
    execution *const e = job->e;
    const size_t     most = job->groups.n < c->n ? job->groups.n : c->n;
    size_t           found = 0;
    uint64_t *const  numbers = cli_alloc(c->n, sizeof *numbers, "the groups of a column");
    uint64_t *const  names = cli_alloc(most, sizeof *names, "the groups of a column");
    double *const    values = cli_alloc(most * job->count, sizeof *values, "the quantiles");
    bool             ok = numbers != NULL && names != NULL && values != NULL;

    for (size_t i = 0; ok && i < c->n; i++)
        numbers[i] = job->groups.numbers[c->rows[i]];
    if (ok && c->n > 0) {
        const ordo_groups groups = ORDO_OPTS(ordo_groups, .keys = numbers, .type = ORDO_U64,
                                             .capacity = most, .unique = names, .count = &found);
        call_begin("selecting");
        ok = call_done(e, "select",
                       ordo_group_quantiles(e->ctx, &groups, c->type, c->values, c->n, job->q,
                                            job->count, values,
                                            &ORDO_OPTS(ordo_group_opts, .nans = job->opts.nans,
                                                       .method = job->opts.method)));
        ok = ok && write_group_lines(job, c, names, found, values);
    }
    free(numbers);
    free(names);
    free(values);
    return ok;
}

static bool write_columns(quantile_job *job)
{
    const bool groups = job->e->o.csv.by.n > 0;
    bool       ok = (!groups || csv_find_groups(job->e, &job->groups)) && write_header(job);

    for (size_t c = 0; ok && c < job->columns.n; c++)
        ok = groups ? quantiles_of_groups(job, &job->columns.columns[c])
                    : quantiles_of_column(job, &job->columns.columns[c]);
    if (groups)
        csv_groups_free(&job->groups);
    return finish_output(job->e, ok);
}

bool csv_quantile(execution *e, const ordo_quantile_opts *opts, const double *q, size_t count)
{
    quantile_job job = {.e = e, .q = q, .count = count, .opts = *opts};
    size_t       n = 0;

    if (!csv_read(e))
        return false;
    size_t *const columns = choose_columns(e, &n);
    progress_start("reading columns");
    bool ok =
        columns != NULL && csv_columns_read(&e->table, columns, n, csv_bad_of(e) == CSV_BAD_SKIP,
                                            e->o.csv.by.n > 0, &job.columns);
    progress_end();
    timing_mark(&e->t, "columns");
    free(columns);
    if (!ok)
        return false;
    note_skipped(&job);
    ok = write_columns(&job);
    csv_columns_free(&job.columns);
    key_bytes_free(&job.line);
    return ok;
}
