/* csv_quantile.c - `ordo quantile --csv`, `percentile` and `median`: quantiles of each column,
 * or of each group and column (see csv_measure.h). */
#define _POSIX_C_SOURCE 200809L

#include "cli/cmd/csv/csv_measure.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static bool append_names(csv_measure_job *job)
{
    bool ok = true;

    if (job->e->command == &command_median)
        return csv_measure_text(job, "median", strlen("median"));
    for (size_t j = 0; ok && j < job->count; j++)
        ok = csv_measure_number(job, ORDO_F64, &job->q[j]);
    return ok;
}

static bool append_values(csv_measure_job *job, const double *values)
{
    bool ok = true;

    for (size_t j = 0; ok && j < job->count; j++)
        ok = csv_measure_number(job, ORDO_F64, &values[j]);
    return ok || csv_measure_end_line(job, false);
}

bool csv_cells_quantiles(csv_measure_job *job, const csv_cells *cells, double *values)
{
    execution *const e = job->e;

    call_begin("selecting");
    if (cells->values != NULL || cells->n == 0)
        return call_done(e, "select",
                         ordo_quantiles(e->ctx, cells->type, cells->values, (size_t)cells->n,
                                        job->q, job->count, values, job->opts));
    csv_cells_source         from = {.cells = cells};
    const ordo_source        numbers = csv_cells_open(&from);
    const ordo_external_opts opts = pieces_opts(e, job->limit, 0);
    return call_done(
        e, "select",
        ordo_external_quantiles(e->ctx, &ORDO_OPTS(ordo_elements, .type = (uint32_t)cells->type),
                                &numbers, job->q, job->count, values, (ordo_nans)job->opts->nans,
                                (ordo_method)job->opts->method, &opts, NULL));
}

static bool append_quantiles(csv_measure_job *job, const csv_cells *cells)
{
    double *const values = cli_alloc(job->count, sizeof *values, "the quantiles");
    const bool    ok =
        values != NULL && csv_cells_quantiles(job, cells, values) && append_values(job, values);

    free(values);
    return ok;
}

static bool write_group_lines(csv_measure_job *job, const csv_column *c, const uint64_t *numbers,
                              size_t n, const double *values)
{
    bool ok = true;

    for (size_t g = 0; ok && g < n; g++) {
        const bool made = csv_append_group(job->e, &job->groups, (size_t)numbers[g], &job->line) &&
                          csv_measure_column(job, c->column);
        ok = (made || csv_measure_end_line(job, false)) &&
             append_values(job, values + g * job->count) && csv_measure_end_line(job, true);
    }
    return ok;
}

/* All groups of a column by one call of the library. Groups in which the column has no value
 * have no line. */
static bool quantiles_of_groups(csv_measure_job *job, const csv_column *c)
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
                                            &ORDO_OPTS(ordo_group_opts, .nans = job->opts->nans,
                                                       .method = job->opts->method)));
        ok = ok && write_group_lines(job, c, names, found, values);
    }
    free(numbers);
    free(names);
    free(values);
    return ok;
}

bool csv_quantile(execution *e)
{
    static const csv_measure quantiles = {
        .names = append_names, .results = append_quantiles, .groups = quantiles_of_groups};
    const options *const     o = &e->o;
    const int                method = o->method != NULL ? ordo_method_parse(o->method) : 0;
    const ordo_quantile_opts opts =
        ORDO_OPTS(ordo_quantile_opts, .nans = (uint32_t)o->nans, .method = (uint32_t)method);
    csv_measure_job job = {
        .e = e, .measure = &quantiles, .opts = &opts, .q = o->list, .count = o->count};

    return csv_measure_columns(&job);
}
