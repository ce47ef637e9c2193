/* cmd_quantile.c - `ordo quantile` and `ordo median`: sample quantiles of any definition.
 *
 * A NaN makes the results NaN unless --nans says otherwise, as in NumPy and in the Python package.
 * (The default of the C library is ORDO_NANS_LAST.) */
#include "cli/ui/help.h"
#include "cli/cmd/task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HELP_NANS                                                                                  \
    "  --nans N          propagate (one NaN makes every result NaN, the default), omit\n"          \
    "                    (leave NaNs out) or last (NaNs come after all numbers)\n"

static const char quantile_help[] =
    "Examples:\n"
    "  printf '4\\n1\\n3\\n2\\n' | ordo quantile                   # 1 1.75 2.5 3.25 4\n"
    "  ordo quantile times.npy -q 0.5,0.95,0.99,0.999\n"
    "  ordo quantile times.npy -q 0.9 --method nearest --nans omit\n"
    "\n"
    "Usage: ordo quantile [FILE] [-q Q[,Q...]] [options]\n"
    "Quantiles of numbers in any order, as f64: 0 is the least, 0.5 the median, 1 the\n"
    "largest. All of them share the work. Of no numbers, all are NaN.\n"
    "\n"
    "Selecting:\n"
    "  -q Q[,Q...]       which, from 0 to 1; default: 0,0.25,0.5,0.75,1\n"
    "  --method M        linear (the default), or as NumPy calls them: inverted_cdf,\n"
    "                    averaged_inverted_cdf, closest_observation,\n"
    "                    interpolated_inverted_cdf, hazen, weibull, median_unbiased,\n"
    "                    normal_unbiased, lower, higher, midpoint, nearest\n" HELP_NANS
        HELP_SELECT_ALGORITHM "\n" HELP_INPUT "\n" HELP_FEW "\n" HELP_COMMON;

static const char median_help[] =
    "Examples:\n"
    "  printf '30\\n10\\n20\\n' | ordo median                     # 20\n"
    "  printf '30\\n10\\n20\\n40\\n' | ordo median                 # 25\n"
    "  ordo median times.npy --nans omit --explain\n"
    "\n"
    "Usage: ordo median [FILE] [options]\n"
    "The middle number, or the mean of the two in the middle, as f64. Of no numbers, it\n"
    "is NaN.\n"
    "\n"
    "Selecting:\n" HELP_NANS HELP_SELECT_ALGORITHM "\n" HELP_INPUT "\n" HELP_FEW "\n" HELP_COMMON;

typedef struct quantile_options {
    task_options task;
    const char  *q_text, *method_name;
    double      *q;
    size_t       count;
    int          method, algorithm, nans;
} quantile_options;

/* What both commands accept. */
#define BOTH_OPTIONS(o)                                                                            \
    OPTION_CHOICE_AT("nans", 0, &(o)->nans, nans_choices),                                         \
        OPTION_CHOICE_AT("algorithm", 0, &(o)->algorithm, select_algorithm_choices),               \
        TASK_OPTIONS((o)->task)

static options_result read_quantile_options(int argc, char **argv, quantile_options *o)
{
    const option_spec specs[] = {OPTION_TEXT_AT("q", 'q', &o->q_text),
                                 OPTION_TEXT_AT("method", 0, &o->method_name), BOTH_OPTIONS(o),
                                 OPTION_END};
    size_t            n;
    return options_parse(argc, argv, specs, quantile_help, &o->task.in.path, 1, &n);
}

static options_result read_median_options(int argc, char **argv, quantile_options *o)
{
    const option_spec specs[] = {BOTH_OPTIONS(o), OPTION_END};
    size_t            n;
    return options_parse(argc, argv, specs, median_help, &o->task.in.path, 1, &n);
}

static bool parse_method(quantile_options *o)
{
    o->method = o->method_name != NULL ? ordo_method_parse(o->method_name) : ORDO_METHOD_DEFAULT;
    if (o->method_name == NULL || o->method != 0)
        return true;

    char        list[320] = "", quoted[80];
    size_t      used = 0;
    const char *name;
    for (int m = 1; (name = ordo_method_name((ordo_method)m)) != NULL && used < sizeof list; m++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", m > 1 ? ", " : "", name);
    cli_error("quantile: --method: '%s' is not one of: %s",
              cli_printable(o->method_name, strlen(o->method_name), quoted, sizeof quoted), list);
    return false;
}

/* Everything between input and output. */
static bool quantiles(task *t, const quantile_options *o)
{
    double *const values = cli_alloc(o->count, sizeof *values, "the quantiles");
    if (values == NULL)
        return false;
    session_begin("selecting");
    bool ok = session_end(ordo_quantiles(
        t->ctx, t->in.type, t->in.data, t->n, o->q, o->count, values,
        &ORDO_OPTS(ordo_quantile_opts, .nans = (uint32_t)o->nans, .method = (uint32_t)o->method,
                   .algorithm = (uint32_t)o->algorithm)));
    timing_mark(&t->t, "select");
    ok = ok && task_write(t, ORDO_F64, values, o->count);
    free(values);
    return ok;
}

static bool median_of(task *t, const quantile_options *o)
{
    double value;

    session_begin("selecting");
    const bool ok =
        session_end(ordo_median(t->ctx, t->in.type, t->in.data, t->n, &value,
                                &ORDO_OPTS(ordo_quantile_opts, .nans = (uint32_t)o->nans,
                                           .algorithm = (uint32_t)o->algorithm)));
    timing_mark(&t->t, "select");
    return ok && task_write(t, ORDO_F64, &value, 1);
}

int cmd_quantile(int argc, char **argv)
{
    quantile_options o = {
        .task.few = true, .nans = ORDO_NANS_PROPAGATE, .q_text = "0,0.25,0.5,0.75,1"};
    const options_result r = read_quantile_options(argc, argv, &o);
    if (r != OPTIONS_OK)
        return r == OPTIONS_HELP ? CLI_OK : CLI_TROUBLE;
    if (!parse_method(&o))
        return CLI_TROUBLE;
    o.q = option_fractions("quantile", "-q", o.q_text, &o.count);
    if (o.q == NULL)
        return CLI_TROUBLE;

    task       t;
    const bool ok = task_begin(&t, "quantile", &o.task) && quantiles(&t, &o);
    const int  code = task_end(&t, &o.task, ok);
    free(o.q);
    return code;
}

int cmd_median(int argc, char **argv)
{
    quantile_options     o = {.task.few = true, .nans = ORDO_NANS_PROPAGATE};
    const options_result r = read_median_options(argc, argv, &o);
    if (r != OPTIONS_OK)
        return r == OPTIONS_HELP ? CLI_OK : CLI_TROUBLE;

    task       t;
    const bool ok = task_begin(&t, "median", &o.task) && median_of(&t, &o);
    return task_end(&t, &o.task, ok);
}
