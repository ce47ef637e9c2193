/* quantile.c - where a sample quantile lies among sorted keys, and its value there.
 *
 * The methods differ in the place (R. J. Hyndman and Y. Fan, "Sample quantiles in statistical
 * packages", The American Statistician 50, 1996; their types are methods 1 to 9). The arithmetic is
 * f64 in the order of operations of numpy.quantile, so results of f64 keys have the same bits. One
 * case differs: if the difference of two neighbours is not finite, numpy.quantile returns an
 * infinity or NaN, and ordo returns a number between the keys (see interpolate). The median is
 * computed as numpy.median does. */
#include "core/quantile.h"

#include <math.h>

/* ---- Where a quantile lies ---- */

/* A place that is a position; a position outside the array becomes the nearest end. */
static ordo_place at_position(double position, size_t n)
{
    double const last = (double)(n - 1);
    size_t const k = position <= 0     ? 0
                     : position < last ? ordo_min((size_t)position, n - 1)
                                       : n - 1;
    return (ordo_place){k, k, 0, true};
}

/* A place between floor(where) and the next position. At and outside the ends of the array both
 * keys are the same, and the weight is the one that numpy computes for its index 0 or -1. */
static ordo_place between(double where, size_t n)
{
    if (where >= (double)(n - 1))
        return (ordo_place){n - 1, n - 1, where + 1, false};
    if (where < 0)
        return (ordo_place){0, 0, where, false};
    double const below = floor(where);
    size_t const k = ordo_min((size_t)below, n - 1);
    return (ordo_place){k, ordo_min(k + 1, n - 1), where - below, false};
}

/* The continuous methods of Hyndman and Fan, with their parameters alpha and beta. */
static double plotted(double n, double q, double alpha, double beta)
{
    return n * q + (alpha + q * (1 - alpha - beta)) - 1;
}

static ordo_place averaged(double where, size_t n)
{
    ordo_place found = between(where, n);
    found.weight = found.weight == 0 ? 0.5 : 1;
    return found;
}

static ordo_place midpoint(double where, size_t n)
{
    double const middle = 0.5 * (floor(where) + ceil(where));
    ordo_place   found = between(middle, n);
    found.weight = middle == floor(middle) ? 0 : 0.5;
    return found;
}

/* The next position; if `stays` and the place is a position, that position. */
static ordo_place rounded_up(double where, size_t n, bool stays)
{
    double const below = floor(where);
    return at_position(where == below && stays ? below : below + 1, n);
}

ordo_place ordo_quantile_place(ordo_method method, double q, size_t n)
{
    double const count = (double)n, span = (double)(n - 1) * q;
    switch (method) {
    case ORDO_METHOD_INVERTED_CDF:
        return rounded_up(count * q - 1, n, true);
    case ORDO_METHOD_AVERAGED_INVERTED_CDF:
        return averaged(count * q - 1, n);
    case ORDO_METHOD_CLOSEST_OBSERVATION: {
        double const where = count * q - 1 - 0.5; /* halfway: the odd position */
        return rounded_up(where, n, fmod(fabs(floor(where)), 2) == 1);
    }
    case ORDO_METHOD_INTERPOLATED_INVERTED_CDF:
        return between(plotted(count, q, 0, 1), n);
    case ORDO_METHOD_HAZEN:
        return between(plotted(count, q, 0.5, 0.5), n);
    case ORDO_METHOD_WEIBULL:
        return between(plotted(count, q, 0, 0), n);
    case ORDO_METHOD_MEDIAN_UNBIASED:
        return between(plotted(count, q, 1 / 3.0, 1 / 3.0), n);
    case ORDO_METHOD_NORMAL_UNBIASED:
        return between(plotted(count, q, 3 / 8.0, 3 / 8.0), n);
    case ORDO_METHOD_LOWER:
        return at_position(floor(span), n);
    case ORDO_METHOD_HIGHER:
        return at_position(ceil(span), n);
    case ORDO_METHOD_MIDPOINT:
        return midpoint(span, n);
    case ORDO_METHOD_NEAREST:
        return at_position(rint(span), n);
    case ORDO_METHOD_DEFAULT:
    case ORDO_METHOD_LINEAR:
        break;
    }
    return between(span, n);
}

/* ---- The value there ---- */

double ordo_as_double(ordo_type type, const void *keys, size_t i)
{
    switch (type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        return (double)((const key *)keys)[i];
#include "core/types.def"
    }
    return 0;
}

/* From the nearer end, so that a weight of 1 gives the key above exactly. */
static double between_keys(double below, double above, double weight)
{
    double const step = above - below;
    return weight >= 0.5 ? above - step * (1 - weight) : below + step * weight;
}

/* The difference of two finite keys overflows only if both are large, and then halving them is
 * exact. If one key is infinite, the result is that key, or the other one if it has all the weight;
 * between -inf and +inf the result is NaN. */
static double interpolate(double below, double above, double weight)
{
    if (isfinite(above - below) || isnan(below) || isnan(above))
        return between_keys(below, above, weight);
    if (isfinite(below) && isfinite(above))
        return 2 * between_keys(below / 2, above / 2, weight);
    if (below == above || weight == 0)
        return below;
    return weight == 1 ? above : below + above;
}

static double value_at(const ordo_place *at, double below, double above)
{
    return at->exact ? below : interpolate(below, above, at->weight);
}

/* The mean of two finite keys is finite. */
static double median_of(const ordo_place *at, double below, double above)
{
    if (at->weight == 0 || below == above)
        return below;
    double const sum = below + above;
    return isinf(sum) && isfinite(below) && isfinite(above) ? below / 2 + above / 2 : sum / 2;
}

/* One bit pattern for NaN, because the arithmetic gives different ones on different machines. */
static double settled(double value) { return isnan(value) ? (double)NAN : value; }

double ordo_quantile_value(const ordo_place *at, bool is_median, double below, double above)
{
    return settled((is_median ? median_of : value_at)(at, below, above));
}
