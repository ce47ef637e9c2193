/* csv_summary.c - `ordo min --csv`, `max`, `sum`, `count`, `describe`, `quantile`, `percentile` and
 * `median`: results of each column of numbers, or of each group and column (see csv_command.h). */
#include "cli/cmd/csv/csv_command.h"

#include "cli/io/deviation.h"

#include <math.h>
#include <stdlib.h>

enum {
    CHUNK = 1 << 16 /* numbers of a file that are summarised at a time */
};

typedef void (*take_numbers)(void *user, const void *values, size_t n);

/* Gives the numbers to `take`, those of a file in pieces. False after a message. */
static bool visit_numbers(const csv_cells *cells, take_numbers take, void *user)
{
    if (cells->values != NULL || cells->n == 0) {
        take(user, cells->values, (size_t)cells->n);
        return true;
    }
    uint64_t *const chunk = cli_alloc(CHUNK, sizeof *chunk, "the numbers of a column");
    bool            ok = chunk != NULL;
    for (uint64_t done = 0, n; ok && done < cells->n; done += n) {
        n = cells->n - done < CHUNK ? cells->n - done : CHUNK;
        ok = csv_spill_read(cells->file, cells->at + done * sizeof *chunk, chunk,
                            (size_t)n * sizeof *chunk);
        if (ok)
            take(user, chunk, (size_t)n);
    }
    free(chunk);
    return ok;
}

static void take_summary(void *user, const void *values, size_t n)
{
    summary_take(user, values, n);
}

static void take_deviation(void *user, const void *values, size_t n)
{
    deviation_add(user, values, n);
}

static bool summarize(const csv_cells *cells, summary *out)
{
    summary_of(cells->type, NULL, 0, out);
    if (cells->summary == NULL)
        return visit_numbers(cells, take_summary, out);
    *out = *cells->summary;
    return true;
}

/* Whether the result is NaN: there is a NaN that counts, or no number. */
static bool is_nan(const csv_measure_job *job, const summary *s)
{
    return s->n == 0 || (s->nans > 0 && job->e->o.nans != ORDO_NANS_OMIT);
}

static bool append_nan(csv_measure_job *job)
{
    const double nan = (double)NAN;
    return csv_measure_number(job, ORDO_F64, &nan);
}

static bool append_extreme(csv_measure_job *job, const summary *s,
                           void (*of)(const summary *s, void *value))
{
    uint64_t value = 0;

    if (is_nan(job, s))
        return append_nan(job);
    of(s, &value);
    return csv_measure_number(job, s->type, &value);
}

static bool append_sum(csv_measure_job *job, const summary *s)
{
    const bool   has_nan = s->nans > 0 && job->e->o.nans != ORDO_NANS_OMIT;
    char         text[SUM_DIGITS];
    const double sum = s->type != ORDO_F64 || has_nan ? (double)NAN : summary_sum(s);

    return s->type == ORDO_F64 ? csv_measure_number(job, ORDO_F64, &sum)
                               : csv_measure_text(job, text, summary_digits(s->integers, text));
}

static bool append_count(csv_measure_job *job, const summary *s)
{
    const uint64_t n = s->n + (job->e->o.nans != ORDO_NANS_OMIT ? s->nans : 0);
    return csv_measure_number(job, ORDO_U64, &n);
}

static bool append_result(csv_measure_job *job, const csv_cells *cells)
{
    const command *const c = job->e->command;
    summary              s;

    if (!summarize(cells, &s))
        return false;
    return (c == &command_min   ? append_extreme(job, &s, summary_least)
            : c == &command_max ? append_extreme(job, &s, summary_most)
            : c == &command_sum ? append_sum(job, &s)
                                : append_count(job, &s)) ||
           csv_measure_end_line(job, false);
}

static bool append_name(csv_measure_job *job)
{
    const char *const name = job->e->command->name;
    return csv_measure_text(job, name, strlen(name));
}

/* ---- describe ---- */

static bool append_described_names(csv_measure_job *job)
{
    static const char *const names[] = {"count", "mean", "std", "min", "25%", "50%", "75%", "max"};
    bool                     ok = true;

    for (size_t i = 0; ok && i < sizeof names / sizeof names[0]; i++)
        ok = csv_measure_text(job, names[i], strlen(names[i]));
    return ok;
}

static bool append_described(csv_measure_job *job, const csv_cells *cells)
{
    double    quartiles[3];
    summary   s;
    deviation spread;

    if (!summarize(cells, &s) || !csv_cells_quantiles(job, cells, quartiles))
        return false;
    deviation_start(&spread, &s);
    if (!visit_numbers(cells, take_deviation, &spread))
        return false;
    const double std = is_nan(job, &s) ? (double)NAN : deviation_sample(&spread);
    const double mean = is_nan(job, &s) ? (double)NAN : summary_sum(&s) / (double)s.n;
    bool         ok = append_count(job, &s) && csv_measure_number(job, ORDO_F64, &mean) &&
              csv_measure_number(job, ORDO_F64, &std) && append_extreme(job, &s, summary_least);
    for (size_t i = 0; ok && i < 3; i++)
        ok = csv_measure_number(job, ORDO_F64, &quartiles[i]);
    return (ok && append_extreme(job, &s, summary_most)) || csv_measure_end_line(job, false);
}

bool csv_summary(execution *e)
{
    static const double      quartiles[] = {0.25, 0.5, 0.75};
    static const csv_measure one = {
        .names = append_name, .results = append_result, .summaries = true};
    static const csv_measure described = {.names = append_described_names,
                                          .results = append_described};
    const ordo_quantile_opts opts = ORDO_OPTS(ordo_quantile_opts, .nans = (uint32_t)e->o.nans);
    csv_measure_job          job = {.e = e,
                                    .measure = e->command == &command_describe ? &described : &one,
                                    .opts = &opts,
                                    .q = quartiles,
                                    .count = 3};

    return csv_measure_columns(&job);
}

/* ---- Quantiles ---- */

static bool append_places(csv_measure_job *job)
{
    char text[NUMBER_TEXT_MAX];
    bool ok = true;

    if (job->e->command == &command_median)
        return csv_measure_text(job, "median", strlen("median"));
    for (size_t j = 0; ok && j < job->count; j++)
        ok = csv_measure_text(job, text, place_name(job->e, j, text));
    return ok;
}

static bool append_quantiles(csv_measure_job *job, const csv_cells *cells)
{
    double *const values = cli_alloc(job->count, sizeof *values, "the quantiles");
    bool          made = values != NULL && csv_cells_quantiles(job, cells, values), ok = made;

    for (size_t j = 0; ok && j < job->count; j++)
        ok = csv_measure_number(job, ORDO_F64, &values[j]);
    free(values);
    return ok || (made && csv_measure_end_line(job, false));
}

bool csv_quantile(execution *e)
{
    static const csv_measure quantiles = {.names = append_places, .results = append_quantiles};
    const options *const     o = &e->o;
    const int                method = o->method != NULL ? ordo_method_parse(o->method) : 0;
    const ordo_quantile_opts opts =
        ORDO_OPTS(ordo_quantile_opts, .nans = (uint32_t)o->nans, .method = (uint32_t)method);
    csv_measure_job job = {
        .e = e, .measure = &quantiles, .opts = &opts, .q = o->list, .count = o->count};

    return csv_measure_columns(&job);
}
