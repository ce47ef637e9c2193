/* weighted.h - where a quantile of keys with weights lies, for C and CUDA; the only definition.
 *
 * sums[i] is the sum of the weights of the keys 0 to i in order, and `last` is the last key with a
 * weight. Integer weights repeat a key: the place among all repetitions (quantile.h) is exact.
 * Float weights follow numpy.quantile and scipy.stats.quantile (see ordo_windows.h). A place is
 * found by binary search in the sums. */
#ifndef ORDO_CORE_WEIGHTED_H
#define ORDO_CORE_WEIGHTED_H

#include "core/quantile.h"

/* The first key whose sum is above a position, at most `last`. */
ORDO_HD size_t weighted_holder(const uint64_t *sums, size_t last, uint64_t position)
{
    size_t lo = 0, hi = last;
    while (lo < hi) {
        size_t const middle = lo + (hi - lo) / 2;
        if (sums[middle] > position)
            hi = middle;
        else
            lo = middle + 1;
    }
    return lo;
}

ORDO_HD quantile_place weighted_place_of_integers(const uint64_t *sums, size_t last,
                                                  ordo_method method, double q)
{
    quantile_place at = quantile_place_of(method, q, (size_t)sums[last]);
    at.below = weighted_holder(sums, last, at.below);
    at.above = weighted_holder(sums, last, at.above);
    return at;
}

/* The first key with a sum above h (`reaches` false), or with sum / total >= h, and with a weight;
 * at most `last`. */
ORDO_HD size_t weighted_first(const double *sums, size_t last, double h, bool reaches)
{
    double const total = sums[last];
    size_t       lo = 0, hi = last;
    while (lo < hi) {
        size_t const middle = lo + (hi - lo) / 2;
        double const sum = sums[middle];
        if (sum > 0 && (reaches ? sum / total >= h : sum > h))
            hi = middle;
        else
            lo = middle + 1;
    }
    return lo;
}

/* The offset m of the methods 3 to 9 of Hyndman and Fan. */
ORDO_HD double weighted_offset(ordo_method method, double q)
{
    switch (method) {
    case ORDO_METHOD_CLOSEST_OBSERVATION:
        return -0.5;
    case ORDO_METHOD_INTERPOLATED_INVERTED_CDF:
        return 0;
    case ORDO_METHOD_HAZEN:
        return 0.5;
    case ORDO_METHOD_WEIBULL:
        return q;
    case ORDO_METHOD_MEDIAN_UNBIASED:
        return quantile_add(q / 3, 1 / 3.0);
    case ORDO_METHOD_NORMAL_UNBIASED:
        return quantile_add(q / 4, 3 / 8.0);
    default:
        return quantile_sub(1, q);
    }
}

ORDO_HD quantile_place weighted_place_of_floats(const double *sums, size_t last, ordo_method method,
                                                double q)
{
    double const   total = sums[last];
    quantile_place at = quantile_make(0, 0, 0, false);
    if (method == ORDO_METHOD_INVERTED_CDF || method == ORDO_METHOD_AVERAGED_INVERTED_CDF) {
        at.below = at.above = weighted_first(sums, last, q, true);
        if (method == ORDO_METHOD_AVERAGED_INVERTED_CDF && sums[at.below] / total == q) {
            at.above = weighted_first(sums, last, sums[at.below], false);
            at.weight = 0.5;
        }
        return at;
    }
    double const h = quantile_add(quantile_mul(total, q), weighted_offset(method, q));
    at.below = weighted_first(sums, last, quantile_sub(h, 1), false);
    at.above = weighted_first(sums, last, h, false);
    at.weight = quantile_sub(h, floor(h));
    if (method == ORDO_METHOD_CLOSEST_OBSERVATION) /* halfway: the even position from 1 */
        at.weight = h < 0 || (at.weight == 0 && fmod(floor(h), 2.0) == 0) ? 0 : 1;
    return at;
}

#endif
