/* cmd_moving.c - `ordo moving`: statistics of a window that moves over the elements.
 *
 * NaNs are missing values by default, as in pandas. (The default of the C library is
 * ORDO_NANS_LAST.) */
#include "cli/cmd/command.h"

#include <math.h>

static const char help[] =
    "Examples:\n"
    "  printf '4\\n2\\n9\\n5\\n' | ordo moving --window 3           # nan nan 4 5\n"
    "  printf '4\\n2\\n9\\n5\\n' | ordo moving --window 3 --min-periods 1   # 4 3 4 5\n"
    "  ordo moving prices.npy --window 100 --op quantile -q 0.9 -o high.npy\n"
    "  ordo moving prices.npy --window 100 --op rank --ties average -o ranks.npy\n"
    "  ordo moving prices.npy --window 25 --op max --center -o peaks.npy\n"
    "  ordo moving --csv sales.csv --window 7 --column price --by city --as week\n\n"
    "Usage: ordo moving [FILE] --window W [options]\n"
    "Result i describes the W elements that end with element i, as f64. At the start of\n"
    "the array a window has fewer elements.\n\n"
    "Windows:\n"
    "  -w, --window W    the number of elements of a window\n"
    "  --op OP           median (the default), quantile, rank (of the last element of the\n"
    "                    window), min or max\n"
    "  -q Q              quantile: from 0 to 1\n"
    "  --method M        quantile: as in 'ordo quantile'\n"
    "  --ties T          rank: " NAMES_TIES_HELP "\n"
    "  -r, --descending  rank: the largest element has rank 1\n"
    "  --min-periods N   a window with fewer elements gives nan; default: W\n"
    "  --center          the window is centered on its element\n"
    "  --nans N          omit (NaN is a missing value, the default), propagate (a window\n"
    "                    with a NaN gives nan) or last (NaN comes after all numbers)\n";

static const option_spec specs[] = {
    COUNT("window", 'w', k, 1, SIZE_MAX / 2),
    CHOICE("op", op, ORDO_MOVING_MEDIAN, "median quantile rank min max"),
    REAL("q", 'q', p),
    NAMED("method", method, option_methods),
    CHOICE("ties", ties, ORDO_TIES_MIN, option_ties),
    DESCENDING,
    COUNT("min-periods", 0, n, 1, SIZE_MAX / 2),
    FLAG("center", center),
    NANS("last omit propagate"),
    CSV_OPTIONS,
    RUNNING_OPTIONS,
    EXTERNAL_OPTIONS,
    ARRAY_OPTIONS};

static const char *wrong(execution *e)
{
    options *const o = &e->o;
    const bool     is_quantile = o->op == ORDO_MOVING_QUANTILE, is_rank = o->op == ORDO_MOVING_RANK;

    if (o->method != NULL && !method_known(e))
        return "";
    o->op = o->op != 0 ? o->op : ORDO_MOVING_MEDIAN;
    if (is_quantile && !isnan(o->p) && !(o->p >= 0 && o->p <= 1)) {
        cli_error("moving: -q: %g is not a number from 0 to 1", o->p);
        return "";
    }
    if (o->k != OPTION_UNSET && o->n != OPTION_UNSET && o->n > o->k) {
        cli_error("moving: --min-periods %llu is more than --window %llu", (unsigned long long)o->n,
                  (unsigned long long)o->k);
        return "";
    }
    return o->k == OPTION_UNSET ? "--window W is missing: how many elements does a window have?"
           : is_quantile && isnan(o->p)        ? "--op quantile needs -q"
           : !is_quantile && !isnan(o->p)      ? "-q needs --op quantile"
           : !is_quantile && o->method != NULL ? "--method needs --op quantile"
           : !is_rank && o->ties != 0          ? "--ties needs --op rank"
           : !is_rank && o->descending         ? "--descending needs --op rank"
                                               : running_wrong(e);
}

bool move_window(execution *e, ordo_type type, const void *data, size_t n, double *out,
                 const ordo_segments *segments)
{
    const options *const   o = &e->o;
    const int              method = o->method != NULL ? ordo_method_parse(o->method) : 0;
    const ordo_moving_opts opts = ORDO_OPTS(ordo_moving_opts, .flags = descending_flag(e),
                                            .min_periods = o->n != OPTION_UNSET ? (size_t)o->n : 0,
                                            .q = isnan(o->p) ? 0 : o->p, .nans = (uint32_t)o->nans,
                                            .method = (uint32_t)method, .ties = (uint32_t)o->ties,
                                            .center = o->center, .segments = segments);

    call_begin("moving the window");
    return call_done(e, "moving",
                     ordo_moving(e->ctx, (ordo_moving_op)o->op, type, data, n, (size_t)o->k,
                                 ORDO_F64, out, &opts));
}

static bool work(execution *e)
{
    const input *const in = &e->in;
    double *const      out = new_results(e, ORDO_F64, in->n, "the results");

    return out != NULL && move_window(e, in->type, in->data, in->n, out, NULL) &&
           write_results(e, ORDO_F64, out, in->n);
}

const command command_moving = {"moving",       help,  specs, READS | WRITES | CSV_IN | CSV_GROUPS,
                                ORDO_NANS_OMIT, wrong, work};
