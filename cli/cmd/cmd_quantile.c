/* cmd_quantile.c - `ordo quantile`, `percentile` and `median`: sample quantiles of any definition.
 *
 * By default a NaN makes the results NaN, as in NumPy and in the Python package. (The default of
 * the C library is ORDO_NANS_LAST.) */
#include "cli/cmd/command.h"

#include <stdio.h>

#define HELP_NANS                                                                                  \
    "* --nans N          propagate (one NaN makes every result NaN, the default), omit\n"          \
    "                    (leave NaN out) or last (NaN comes after all numbers)\n"

#define HELP_WEIGHTS                                                                               \
    "* --weights FILE    a file with a weight for each number: integers (the number counts\n"      \
    "                    that many times) or floats\n"                                             \
    "  --weights-dtype T type of raw weights: u8, i32, f64, ...\n"

static const char quantile_help[] =
    "Examples:\n"
    "  printf '4\\n1\\n3\\n2\\n' | ordo quantile                   # 1 1.75 2.5 3.25 4\n"
    "  ordo quantile times.npy -q 0.5,0.95,0.99,0.999\n"
    "  ordo quantile times.npy -q 0.9 --method nearest --nans omit\n"
    "  ordo quantile prices.npy -q 0.1,0.9 --weights amounts.npy\n"
    "  ordo quantile times.npy -q 0.5,0.99 --groups hosts.npy  # HOST Q Q, one line per host\n"
    "  ordo quantile --csv sales.csv -q 0.5,0.9 --column price --by city\n\n"
    "Usage: ordo quantile [FILE] [-q Q[,Q...]] [options]\n"
    "Prints quantiles of numbers as f64: 0 is the smallest number, 0.5 the median, 1 the\n"
    "largest number. The input need not be sorted. Quantiles of no numbers are NaN.\n\n"
    "Selecting:\n"
    "* -q Q[,Q...]       which quantiles, from 0 to 1; default: 0,0.25,0.5,0.75,1\n"
    "* --method M        " NAMES_METHODS_HELP
    "                    midpoint, rounded as by numpy.median\n" HELP_NANS HELP_WEIGHTS HELP_GROUPS
        HELP_SELECT_ALGORITHM;

static const char percentile_help[] =
    "Examples:\n"
    "  printf '4\\n1\\n3\\n2\\n' | ordo percentile -p 50           # 2.5\n"
    "  ordo percentile times.npy -p 50,95,99.9\n"
    "  ordo percentile times.npy -p 99 --nans omit --groups hosts.npy\n\n"
    "Usage: ordo percentile [FILE] [-p P[,P...]] [options]\n"
    "Prints percentiles of numbers as f64: the quantiles P/100 of 'ordo quantile'. 0 is the\n"
    "smallest number, 50 the median, 100 the largest number.\n\n"
    "Selecting:\n"
    "* -p P[,P...]       which percentiles, from 0 to 100; default: 0,25,50,75,100\n"
    "* --method M        as in 'ordo quantile'; default: linear\n" HELP_NANS HELP_WEIGHTS
        HELP_GROUPS HELP_SELECT_ALGORITHM;

static const char median_help[] =
    "Examples:\n"
    "  printf '30\\n10\\n20\\n' | ordo median                     # 20\n"
    "  printf '30\\n10\\n20\\n40\\n' | ordo median                 # 25\n"
    "  ordo median times.npy --nans omit --explain\n"
    "  ordo median times.npy --groups hosts.npy                # HOST MEDIAN, one line per host\n"
    "  ordo median --csv sales.csv --by city                   # every column of numbers\n\n"
    "Usage: ordo median [FILE] [options]\n"
    "Prints the middle number, or the mean of the two middle numbers, as f64: 'ordo\n"
    "quantile -q 0.5'. The median of no numbers is NaN.\n\n"
    "Selecting:\n" HELP_NANS HELP_WEIGHTS HELP_GROUPS HELP_SELECT_ALGORITHM;

#define MEDIAN_OPTIONS                                                                             \
    NANS("last omit propagate"), TEXT("weights", 0, weights_file),                                 \
        NAMED("weights-dtype", weights_dtype, option_types), GROUPS_OPTIONS, SELECT_ALGORITHM,     \
        CSV_OPTIONS, COLUMNS("column", csv.columns), COLUMNS("by", csv.by),                        \
        TEXT("field-separator", 't', line.separator), EXTERNAL_OPTIONS, ARRAY_OPTIONS

static const option_spec median_specs[] = {MEDIAN_OPTIONS};
static const option_spec quantile_specs[] = {
    TEXT("q", 'q', list_text), NAMED("method", method, option_methods), MEDIAN_OPTIONS};
static const option_spec percentile_specs[] = {
    TEXT("p", 'p', list_text), NAMED("method", method, option_methods), MEDIAN_OPTIONS};

bool method_known(const execution *e)
{
    const char *const method = e->o.method;
    char              names[320] = "";
    size_t            used = 0;
    const char       *name;

    if (method == NULL || ordo_method_parse(method) != 0)
        return true;
    for (int m = 1; (name = ordo_method_name((ordo_method)m)) != NULL && used < sizeof names; m++)
        used +=
            (size_t)snprintf(names + used, sizeof names - used, "%s%s", m > 1 ? ", " : "", name);
    cli_error("%s: --method: '%s' is not one of: %s", e->command->name, cli_quoted(method), names);
    return false;
}

/* What is wrong with the other options, if there is a list of places. */
static const char *places_wrong(execution *e)
{
    const options *const o = &e->o;
    const bool           weighted = o->weights_file != NULL;

    if (o->list == NULL || o->named == NULL)
        return "";
    if (csv_option(o) != NULL)
        return csv_columns_wrong(e);
    if (both_from_stdin(e, o->weights_file))
        return "the numbers and the weights cannot both come from stdin";
    if (!weighted && o->weights_dtype != NULL)
        return "--weights-dtype needs --weights";
    if (weighted && o->algorithm != ORDO_ALGORITHM_AUTO)
        return "--weights accepts only --algorithm auto";
    const char *const cut = sub_array_wrong(e);
    return cut != NULL ? cut : groups_wrong(e);
}

static const char *wrong(execution *e)
{
    options *const    o = &e->o;
    const bool        percent = e->command == &command_percentile;
    const char *const otherwise = e->command == &command_median ? "0.5"
                                  : percent                     ? "0,25,50,75,100"
                                                                : "0,0.25,0.5,0.75,1";

    if (!method_known(e))
        return "";
    const char *const option = percent ? "-p" : "-q";
    const char *const text = o->list_text != NULL ? o->list_text : otherwise;
    const int         most = percent ? 100 : 1;
    double *const     places = option_list(e->command->name, option, text, most, &o->count);
    if (places != NULL)
        o->named = option_list(e->command->name, option, text, most, &o->count);
    for (size_t i = 0; percent && places != NULL && i < o->count; i++)
        places[i] /= 100; /* as NumPy does */
    o->list = places;
    return places_wrong(e);
}

static ordo_quantile_opts library_options(const execution *e)
{
    const options *const o = &e->o;
    const int method = o->method != NULL ? ordo_method_parse(o->method) : ORDO_METHOD_DEFAULT;

    return ORDO_OPTS(ordo_quantile_opts, .nans = (uint32_t)o->nans, .method = (uint32_t)method,
                     .algorithm = (uint32_t)o->algorithm, .sub_array = o->sub_array);
}

/* Reads the weights, if there are any, into the options. */
static bool read_weights(execution *e, input *weights, ordo_quantile_opts *opts)
{
    if (e->o.weights_file == NULL)
        return true;
    if (!read_beside(e, e->o.weights_file, e->o.weights_dtype, "--weights-dtype", "weights",
                     weights))
        return false;
    opts->weights = weights->n > 0 ? weights->data : NULL;
    opts->weight_type = weights->n > 0 ? (uint32_t)weights->type : 0;
    return true;
}

/* The functions of the library for a median are those that --explain names. */
static bool quantiles(execution *e, const ordo_quantile_opts *opts)
{
    const input *const in = &e->in;
    double *const      values = new_results(e, ORDO_F64, e->o.count, "the quantiles");

    if (values == NULL)
        return false;
    call_begin("selecting");
    return call_done(e, "select",
                     e->command == &command_median
                         ? ordo_median(e->ctx, in->type, in->data, e->n, values, opts)
                         : ordo_quantiles(e->ctx, in->type, in->data, e->n, e->o.list, e->o.count,
                                          values, opts)) &&
           write_measures(e, ORDO_F64, values, e->o.count);
}

static bool quantiles_of_groups(execution *e, const beside_arrays *b)
{
    ordo_groups *const       groups = b->groups;
    const input *const       in = &e->in;
    const size_t             each = e->o.count;
    const ordo_quantile_opts wish = library_options(e);
    const ordo_group_opts    opts =
        ORDO_OPTS(ordo_group_opts, .nans = wish.nans, .method = wish.method);

    if (!count_groups(e, groups))
        return false;
    double *const values = new_results(e, ORDO_F64, groups->capacity * each, "the quantiles");
    if (values == NULL)
        return false;
    call_begin("selecting");
    return call_done(
               e, "select",
               e->command == &command_median
                   ? ordo_group_median(e->ctx, groups, in->type, in->data, e->n, values, &opts)
                   : ordo_group_quantiles(e->ctx, groups, in->type, in->data, e->n, e->o.list, each,
                                          values, &opts)) &&
           write_groups(e, groups, ORDO_F64, values, each, NULL);
}

static bool work(execution *e)
{
    input              weights = {.name = ""};
    ordo_quantile_opts opts = library_options(e);

    if (e->o.groups_file != NULL)
        return with_beside(e, quantiles_of_groups);
    const bool ok = read_weights(e, &weights, &opts) && quantiles(e, &opts);
    input_free(&weights);
    return ok;
}

#define FLAGS (READS | WRITES | FEW | EXTERNAL | CSV_IN | CSV_GROUPS)

const command command_quantile = {
    "quantile", quantile_help, quantile_specs, FLAGS, ORDO_NANS_PROPAGATE, wrong, work};
const command command_median = {"median", median_help, median_specs, FLAGS, ORDO_NANS_PROPAGATE,
                                wrong,    work};
const command command_percentile = {
    "percentile", percentile_help, percentile_specs, FLAGS, ORDO_NANS_PROPAGATE, wrong, work};
