/* bisect.h - a binary search by any condition.
 *
 * ORDO_BISECT(middle, lo, hi, before) raises lo and lowers hi to the least `middle` of [lo, hi) for
 * which the expression `before` is false, or to hi. No index for which it is true may follow one
 * for which it is false. */
#ifndef ORDO_CORE_BISECT_H
#define ORDO_CORE_BISECT_H

#include <stddef.h>

#define ORDO_BISECT(middle, lo, hi, before)                                                        \
    do {                                                                                           \
        while ((lo) < (hi)) {                                                                      \
            size_t const middle = (lo) + ((hi) - (lo)) / 2;                                        \
            if (before)                                                                            \
                (lo) = middle + 1;                                                                 \
            else                                                                                   \
                (hi) = middle;                                                                     \
        }                                                                                          \
    } while (0)

#endif
