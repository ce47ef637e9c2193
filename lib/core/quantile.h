/* quantile.h - where a sample quantile lies and its value, for C and CUDA; the only definition.
 *
 * A sample quantile lies between two neighbouring keys; the methods differ in the place (R. J.
 * Hyndman and Y. Fan, "Sample quantiles in statistical packages", The American Statistician 50,
 * 1996; their types are methods 1 to 9). The arithmetic is f64 in the order of operations of
 * numpy.quantile, so results of f64 keys have the same bits. One case differs: if the difference
 * of two neighbours is not finite, numpy.quantile returns an infinity or NaN, and ordo returns a
 * number between the keys (see quantile_between). A median is the linear quantile of 1/2;
 * numpy.median rounds otherwise, which is the method half_sum. Zeros are +0 and NaNs have one bit
 * pattern, because -0 ties with +0 and the sign of a NaN differs between machines. Products and
 * sums go through functions, because nvcc would contract them to one operation. */
#ifndef ORDO_CORE_QUANTILE_H
#define ORDO_CORE_QUANTILE_H

#include "core/base.h"
#include "core/keybits.h"

#include <float.h>
#include <math.h>

#ifdef __CUDA_ARCH__
ORDO_HD double quantile_mul(double a, double b) { return __dmul_rn(a, b); }
ORDO_HD double quantile_add(double a, double b) { return __dadd_rn(a, b); }
ORDO_HD double quantile_sub(double a, double b) { return __dsub_rn(a, b); }
#else
ORDO_HD double quantile_mul(double a, double b) { return a * b; }
ORDO_HD double quantile_add(double a, double b) { return a + b; }
ORDO_HD double quantile_sub(double a, double b) { return a - b; }
#endif

/* ---- Where a quantile lies ---- */

typedef struct quantile_place {
    size_t below, above; /* positions of the two keys; may be equal */
    double weight;       /* of the key above */
    bool   exact;        /* the key at `below` is the result */
    bool   half_sum;     /* the result is half the sum of two different keys */
} quantile_place;

ORDO_HD quantile_place quantile_make(size_t below, size_t above, double weight, bool exact)
{
    quantile_place at;
    at.below = below;
    at.above = above;
    at.weight = weight;
    at.exact = exact;
    at.half_sum = false;
    return at;
}

/* A place that is a position; a position outside the array becomes the nearest end. */
ORDO_HD quantile_place quantile_at(double position, size_t n)
{
    double const last = (double)(n - 1);
    size_t       k = n - 1;
    if (position <= 0)
        k = 0;
    else if (position < last && (size_t)position < k)
        k = (size_t)position;
    return quantile_make(k, k, 0, true);
}

/* A place between floor(where) and the next position. At and outside the ends of the array both
 * keys are the same, and the weight is the one that numpy computes for its index 0 or -1. */
ORDO_HD quantile_place quantile_between_positions(double where, size_t n)
{
    if (where >= (double)(n - 1))
        return quantile_make(n - 1, n - 1, quantile_add(where, 1), false);
    if (where < 0)
        return quantile_make(0, 0, where, false);
    double const below = floor(where);
    size_t const k = (size_t)below < n - 1 ? (size_t)below : n - 1;
    return quantile_make(k, k + 1 < n - 1 ? k + 1 : n - 1, quantile_sub(where, below), false);
}

/* The continuous methods of Hyndman and Fan, with their parameters alpha and beta. */
ORDO_HD quantile_place quantile_plotted(double q, size_t n, double alpha, double beta)
{
    double const shift = quantile_add(alpha, quantile_mul(q, 1 - alpha - beta));
    double const sum = quantile_add(quantile_mul((double)n, q), shift);
    return quantile_between_positions(quantile_sub(sum, 1), n);
}

ORDO_HD quantile_place quantile_averaged(double where, size_t n)
{
    quantile_place found = quantile_between_positions(where, n);
    found.weight = found.weight == 0 ? 0.5 : 1;
    return found;
}

ORDO_HD quantile_place quantile_midpoint(double where, size_t n)
{
    double const   middle = quantile_mul(0.5, quantile_add(floor(where), ceil(where)));
    quantile_place found = quantile_between_positions(middle, n);
    found.weight = middle == floor(middle) ? 0 : 0.5;
    return found;
}

/* The next position; if `stays` and the place is a position, that position. */
ORDO_HD quantile_place quantile_rounded_up(double where, size_t n, bool stays)
{
    double const below = floor(where);
    return quantile_at(where == below && stays ? below : below + 1, n);
}

/* The nearest position; halfway between two, the odd one. */
ORDO_HD quantile_place quantile_closest(double where, size_t n)
{
    double const before = where - 0.5;
    return quantile_rounded_up(before, n, fmod(fabs(floor(before)), 2.0) == 1);
}

/* Half the sum of the two keys around the place. */
ORDO_HD quantile_place quantile_halved(double where, size_t n)
{
    quantile_place found = quantile_midpoint(where, n);
    found.half_sum = true;
    return found;
}

/* The place of the q-quantile of n keys, n > 0. */
ORDO_HD quantile_place quantile_place_of(ordo_method method, double q, size_t n)
{
    double const span = quantile_mul((double)(n - 1), q);
    double const inverted = quantile_sub(quantile_mul((double)n, q), 1);
    switch (method) {
#define ORDO_METHOD_ROW(ID, name, place)                                                           \
    case ORDO_METHOD_##ID:                                                                         \
        return place;
#include "core/methods.def"
    case ORDO_METHOD_DEFAULT:
        break;
    }
    return quantile_between_positions(span, n);
}

/* Whether every quantile is a key: it is between two keys, where methods that mix do so. */
ORDO_HD bool quantile_is_key(ordo_method method) { return quantile_place_of(method, 0.3, 4).exact; }

/* ---- The value there ---- */

/* Key i as f64; integers of 64 bits are rounded. For the host. */
static inline double quantile_key(ordo_type type, const void *keys, size_t i)
{
    switch (type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        return (double)((const key *)keys)[i];
#include "core/types.def"
    }
    return 0;
}

/* Whether a key may have weights[i]: a finite number of at least 0. For the host. */
static inline bool quantile_accepts_weight(ordo_type type, const void *weights, size_t i)
{
    double const weight = quantile_key(type, weights, i);
    return weight >= 0 && weight <= (type == ORDO_F32 ? (double)FLT_MAX : DBL_MAX);
}
#define ORDO_WEIGHT_REFUSED "weights[%zu] is %g; expected a finite number of at least 0"

/* From the nearer end, so that a weight of 1 gives the key above exactly. */
ORDO_HD double quantile_mix(double below, double above, double weight)
{
    double const step = quantile_sub(above, below);
    return weight >= 0.5 ? quantile_sub(above, quantile_mul(step, quantile_sub(1, weight)))
                         : quantile_add(below, quantile_mul(step, weight));
}

/* The difference of two finite keys overflows only if both are large, and then halving them is
 * exact. If one key is infinite, the result is that key; between -inf and +inf, and next to a NaN,
 * it is NaN. A key that has all the weight is the result whatever the other one is. */
ORDO_HD double quantile_between(double below, double above, double weight)
{
    if (isfinite(above - below))
        return quantile_mix(below, above, weight);
    if (isfinite(below) && isfinite(above))
        return 2 * quantile_mix(below / 2, above / 2, weight);
    if (below == above || weight == 0)
        return below;
    return weight == 1 ? above : below + above;
}

/* Half the sum of two finite keys is finite. */
ORDO_HD double quantile_half_sum(double below, double above, double weight)
{
    if (weight == 0 || below == above)
        return below;
    double const sum = below + above;
    return isinf(sum) && isfinite(below) && isfinite(above) ? below / 2 + above / 2 : sum / 2;
}

/* The value at a place, from the keys at its two positions. */
ORDO_HD double quantile_value(const quantile_place *at, double below, double above)
{
    double value = below;
    if (at->half_sum)
        value = quantile_half_sum(below, above, at->weight);
    else if (!at->exact)
        value = quantile_between(below, above, at->weight);
    return isnan(value) ? (double)NAN : quantile_add(value, 0.0);
}

#endif
