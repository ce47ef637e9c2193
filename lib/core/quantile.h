/* quantile.h - where a sample quantile lies among sorted keys, and its value there. */
#ifndef ORDO_CORE_QUANTILE_H
#define ORDO_CORE_QUANTILE_H

#include "core/base.h"

typedef struct ordo_place {
    size_t below, above; /* positions of the two keys; may be equal */
    double weight;       /* of the key above */
    bool   exact;        /* the key at `below` is the result */
} ordo_place;

/* The place of the q-quantile of n > 0 keys. */
ordo_place ordo_quantile_place(ordo_method method, double q, size_t n);

/* Key i as f64; integers of 64 bits are rounded. */
double ordo_as_double(ordo_type type, const void *keys, size_t i);

/* The quantile between the keys at the two positions of a place, or the median: the middle key of
 * an odd number of keys, the mean of the two middle keys of an even number. A NaN result is the
 * default NaN. */
double ordo_quantile_value(const ordo_place *at, bool is_median, double below, double above);

#endif
