/* cmd_summary.c - `ordo min`, `max`, `sum`, `count` and `describe`: one pass over the numbers.
 *
 * By default a NaN makes the results NaN, as in NumPy and as in `ordo median`. */
#include "cli/cmd/command.h"
#include "cli/io/deviation.h"
#include "cli/io/source.h"

#include <math.h>
#include <string.h>

#define HELP_NANS                                                                                  \
    "  --nans N          propagate (one NaN makes the result NaN, the default) or omit (leave\n"   \
    "                    NaN out)\n"

static const char min_help[] =
    "Examples:\n"
    "  printf '30\\n10\\n20\\n' | ordo min                        # 10\n"
    "  ordo min times.npy --nans omit\n"
    "  ordo min --csv sales.csv --by city                       # every column of numbers\n\n"
    "Usage: ordo min [FILE]... [options]\n"
    "Prints the smallest number; -0 is smaller than 0. No numbers are an error.\n\n"
    "Selecting:\n" HELP_NANS;

static const char max_help[] =
    "Examples:\n"
    "  printf '30\\n10\\n20\\n' | ordo max                        # 30\n"
    "  ordo max times.npy --nans omit\n"
    "  ordo max --csv sales.csv --by city                       # every column of numbers\n\n"
    "Usage: ordo max [FILE]... [options]\n"
    "Prints the largest number; 0 is larger than -0. No numbers are an error.\n\n"
    "Selecting:\n" HELP_NANS;

static const char sum_help[] =
    "Examples:\n"
    "  printf '30\\n10\\n20\\n' | ordo sum                        # 60\n"
    "  printf '1e100\\n1\\n-1e100\\n' | ordo sum                  # 1: the sum is exact\n"
    "  ordo sum bytes.txt more.txt\n"
    "  ordo sum --csv sales.csv --column price --by city\n\n"
    "Usage: ordo sum [FILE]... [options]\n"
    "Prints the sum. The sum of integers is exact; as text it has any number of digits, and as\n"
    "npy or raw it is i64, u64 if i64 is too small, or an error. The sum of floats is computed\n"
    "exactly and rounded once to f64; the order of the numbers does not matter. The sum of no\n"
    "numbers is 0.\n\n"
    "Summing:\n" HELP_NANS;

static const char count_help[] =
    "Examples:\n"
    "  printf '30\\n10\\n20\\n' | ordo count                      # 3\n"
    "  ordo count keys.npy --nans omit                         # without NaN\n"
    "  ordo count --text names.txt                             # lines\n"
    "  ordo count --csv sales.csv                              # values of each column\n"
    "  ordo count --csv sales.csv --by city                    # rows of each city\n\n"
    "Usage: ordo count [FILE]... [options]\n"
    "Prints how many numbers or lines there are. Of rows with --by and without --column, prints\n"
    "how many rows each group has.\n\n"
    "Counting:\n"
    "  --nans N          last (NaN counts, the default) or omit (NaN does not count)\n"
    "  --text            the input is lines of any bytes, not numbers\n";

static const char describe_help[] =
    "Examples:\n"
    "  printf '4\\n1\\n3\\n2\\n' | ordo describe                   # count 4, mean 2.5, std 1.29\n"
    "  ordo describe times.npy --nans omit\n"
    "  ordo describe times.npy -o numbers.npy                  # the same as 8 numbers, f64\n"
    "  ordo describe --csv sales.csv                           # a row for each column\n\n"
    "Usage: ordo describe [FILE]... [options]\n"
    "Prints eight lines with a name and a number: count, mean, std, min, the quartiles 25%, 50%\n"
    "and 75% (method linear of 'ordo quantile'), and max. The mean is the exact sum, rounded,\n"
    "divided by the count. std is the sample standard deviation, as in pandas: the square root\n"
    "of the sum of squared differences from the mean, divided by the count less 1. It is nan for\n"
    "fewer than two numbers and with infinities; its sums are exact, so that neither the order\n"
    "nor the number of threads matters. Without numbers all but the count are nan.\n\n"
    "Selecting:\n" HELP_NANS;

#define COLUMN_OPTIONS                                                                             \
    CSV_OPTIONS, COLUMNS("column", csv.columns), COLUMNS("by", csv.by),                            \
        TEXT("field-separator", 't', line.separator), EXTERNAL_OPTIONS, ARRAY_OPTIONS

static const option_spec specs[] = {NANS("- omit propagate"), COLUMN_OPTIONS};
static const option_spec count_specs[] = {NANS("last omit"), FLAG("text", text), COLUMN_OPTIONS};

static const char *wrong(execution *e)
{
    if (csv_option(&e->o) != NULL)
        return csv_columns_wrong(e);
    return e->o.directories.n > 0 ? "-T needs --csv or --tsv" : NULL;
}

static const char *count_wrong(execution *e)
{
    e->by_pieces = e->o.text;
    return e->o.text && e->o.nans != 0 ? "--nans is for numbers: it cannot be used with --text"
                                       : wrong(e);
}

static summary summarize(execution *e)
{
    summary s;

    progress_start("computing");
    summary_of(e->in.type, e->in.data, e->n, &s);
    progress_end();
    timing_mark(&e->t, "compute");
    return s;
}

/* Whether a NaN decides the result. */
static bool spoilt(const execution *e, const summary *s)
{
    return s->nans > 0 && e->o.nans != ORDO_NANS_OMIT;
}

static void store_nan(ordo_type type, void *value)
{
    const float  narrow = (float)NAN;
    const double wide = (double)NAN;

    memcpy(value, type == ORDO_F32 ? (const void *)&narrow : (const void *)&wide,
           ordo_type_size(type));
}

/* The extreme that `of` writes. */
static bool write_extreme(execution *e, void (*of)(const summary *s, void *value))
{
    const summary s = summarize(e);
    uint64_t      value = 0;

    if (s.n == 0 && !spoilt(e, &s))
        return cli_fail("%s: there are no numbers%s in %s", e->command->name,
                        s.nans > 0 ? " that are not NaN" : "", e->in.name);
    if (spoilt(e, &s))
        store_nan(s.type, &value);
    else
        of(&s, &value);
    return write_measures(e, s.type, &value, 1);
}

static bool min_work(execution *e) { return write_extreme(e, summary_least); }

static bool max_work(execution *e) { return write_extreme(e, summary_most); }

/* A sum that no type of 64 bits may hold. */
static bool put_digits(execution *e, const char *text, size_t length)
{
    json_results j;

    return json_begin(&j, &e->out, false) && json_object(&j) && measure_member(e, &j, 0) &&
           json_digits(&j, text, length) && json_object_end(&j) && json_end(&j);
}

static bool sum_work(execution *e)
{
    const summary s = summarize(e);
    const bool    floats = type_is_float(s.type);

    if (!floats && e->out.format == FORMAT_TEXT) {
        char         text[SUM_DIGITS];
        const size_t length = summary_digits(s.integers, text);
        return finish_output(e, json_results_wanted(e) ? put_digits(e, text, length)
                                                       : output_line(&e->out, text, length));
    }
    if (!floats) {
        const bool     narrow = s.integers >= INT64_MIN && s.integers <= INT64_MAX;
        const uint64_t bits = (uint64_t)s.integers;
        if (!narrow && (s.integers < 0 || s.integers > (wide_sum)UINT64_MAX))
            return cli_fail("sum: the sum is beyond i64 and u64; give --format text");
        return write_results(e, narrow ? ORDO_I64 : ORDO_U64, &bits, 1);
    }
    const double sum = spoilt(e, &s) ? (double)NAN : summary_sum(&s);
    return write_measures(e, ORDO_F64, &sum, 1);
}

/* Lines are read one by one, so the memory does not grow with the files. */
static bool count_lines(execution *e)
{
    source        s;
    source_result r = SOURCE_FAILED;

    progress_start("counting");
    if (source_open_lines(&s, e->paths, e->path_count, '\n', NULL))
        do
            r = source_next(&s);
        while (r == SOURCE_LINE);
    const uint64_t n = s.number;
    source_close(&s);
    progress_end();
    timing_mark(&e->t, "count");
    return r == SOURCE_END && write_measures(e, ORDO_U64, &n, 1);
}

static bool count_work(execution *e)
{
    if (e->o.text)
        return count_lines(e);
    const bool     omit = e->o.nans == ORDO_NANS_OMIT;
    const uint64_t n = e->n - (omit ? count_nans(e->in.type, e->in.data, e->n) : 0);

    return write_measures(e, ORDO_U64, &n, 1);
}

/* ---- describe ---- */

enum {
    COUNT_AT,
    MEAN_AT,
    DEVIATION_AT,
    LEAST_AT,
    QUARTILES_AT,
    MOST_AT = QUARTILES_AT + 3,
    DESCRIBED
};

/* The extremes are written in the type of the input: f64 may not hold them. */
static bool write_described(execution *e, const summary *s, const double *values)
{
    static const char *const names[DESCRIBED] = {"count", "mean", "std", "min",
                                                 "25%",   "50%",  "75%", "max"};
    const bool               json = json_results_wanted(e);
    json_results             j;

    if (e->out.format != FORMAT_TEXT)
        return write_results(e, ORDO_F64, values, DESCRIBED);
    bool ok = !json || (json_begin(&j, &e->out, false) && json_object(&j));
    for (size_t i = 0; ok && i < DESCRIBED; i++) {
        char              text[NUMBER_TEXT_MAX];
        uint64_t          extreme = 0;
        const bool        exact = (i == LEAST_AT || i == MOST_AT) && s->n > 0 && !spoilt(e, s);
        const ordo_type   type = exact ? s->type : ORDO_F64;
        const void *const value = exact ? (const void *)&extreme : &values[i];
        if (exact)
            (i == LEAST_AT ? summary_least : summary_most)(s, &extreme);
        ok = json ? json_name(&j, names[i], strlen(names[i])) && json_number(&j, type, value)
                  : output_bytes(&e->out, names[i], strlen(names[i])) &&
                        output_bytes(&e->out, " ", 1) &&
                        output_line(&e->out, text, number_format(type, value, text));
    }
    return finish_output(e, ok && (!json || (json_object_end(&j) && json_end(&j))));
}

static bool describe_work(execution *e)
{
    static const double places[] = {0, 0.25, 0.5, 0.75, 1};
    double              found[5], values[DESCRIBED];

    const summary s = summarize(e);
    call_begin("selecting");
    if (!call_done(e, "select",
                   ordo_quantiles(e->ctx, e->in.type, e->in.data, e->n, places, 5, found,
                                  &ORDO_OPTS(ordo_quantile_opts, .nans = (uint32_t)e->o.nans))))
        return false;
    deviation spread;
    deviation_start(&spread, &s);
    deviation_add(&spread, e->in.data, e->n);
    values[DEVIATION_AT] = spoilt(e, &s) ? (double)NAN : deviation_sample(&spread);
    values[COUNT_AT] = (double)(spoilt(e, &s) ? e->n : s.n);
    values[MEAN_AT] = spoilt(e, &s) || s.n == 0 ? (double)NAN : summary_sum(&s) / (double)s.n;
    memcpy(values + LEAST_AT, found, sizeof found);
    return write_described(e, &s, values);
}

#define FLAGS (READS | WRITES | FEW | MANY_FILES | CSV_IN | CSV_GROUPS)

const command command_min = {"min", min_help, specs, FLAGS, ORDO_NANS_PROPAGATE, wrong, min_work};
const command command_max = {"max", max_help, specs, FLAGS, ORDO_NANS_PROPAGATE, wrong, max_work};
const command command_sum = {"sum", sum_help, specs, FLAGS, ORDO_NANS_PROPAGATE, wrong, sum_work};
const command command_count = {"count", count_help,  count_specs, FLAGS | LINES_IN,
                               0,       count_wrong, count_work};
const command command_describe = {"describe",          describe_help, specs,        FLAGS,
                                  ORDO_NANS_PROPAGATE, wrong,         describe_work};
