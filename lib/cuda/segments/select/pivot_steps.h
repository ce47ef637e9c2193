/* pivot_steps.h - the pivots of a search for the keys of one rank, or of two neighbouring ranks,
 * among some hundred floats; for C and CUDA.
 *
 * The mean and the variance give the first two pivots, as if the keys were evenly spread. The
 * caller counts the keys below each pivot. If few keys are between the pivots and the wanted ones
 * are among them, the caller sorts these. Otherwise the counts give the next pivots, by linear
 * interpolation. After R. W. Floyd and R. L. Rivest, "Expected time bounds for selection", CACM 18
 * (1975). A bad guess costs a further count or ends the search; it never gives a wrong key.
 * NaNs and infinities end the search. */
#ifndef ORDO_CUDA_SEGMENTS_SELECT_PIVOT_STEPS_H
#define ORDO_CUDA_SEGMENTS_SELECT_PIVOT_STEPS_H

#include "core/keybits.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

enum {
    PIVOT_COUNTS = 4 /* most counts of a search */
};

typedef enum pivot_verdict {
    PIVOT_FOUND, /* the keys from `low` to below `high` are few and contain the wanted ones */
    PIVOT_AGAIN, /* the keys below the pivots are to be counted */
    PIVOT_LOST
} pivot_verdict;

typedef struct pivot_search {
    float    low, high;   /* the pivots; low < high unless the search is lost */
    unsigned first, last; /* wanted ranks in ascending order: equal, or neighbours */
    unsigned below;       /* keys below `low`, once found */
    unsigned inside;      /* keys from `low` to below `high`, once found */
} pivot_search;

/* Quotients and roots need not be exact. */
#ifdef __CUDA_ARCH__
ORDO_HD float pivot_divide(float a, float b) { return __fdividef(a, b); }
ORDO_HD float pivot_root(float a) { return a > 0 ? a * rsqrtf(a) : 0; }
#else
ORDO_HD float pivot_divide(float a, float b) { return a / b; }
ORDO_HD float pivot_root(float a) { return a > 0 ? sqrtf(a) : 0; }
#endif

/* A pivot is never 0, so that a comparison of floats puts -0 and +0 on the same side of it. */
ORDO_HD float pivot_not_zero(float pivot) { return pivot == 0 ? FLT_MIN : pivot; }

/* Sets the pivots; the search is lost if they are not in order, or not numbers. */
ORDO_HD pivot_verdict pivot_set(pivot_search *s, float low, float high)
{
    s->low = pivot_not_zero(low);
    s->high = pivot_not_zero(high);
    return s->low < s->high && s->high - s->low < INFINITY ? PIVOT_AGAIN : PIVOT_LOST;
}

/* What depends on the length of a row only. */
typedef struct pivot_shape {
    float    each; /* 1 / n */
    float    part; /* half of the distance of the first pivots, as part of n */
    float    room; /* ranks on either side of the wanted one, so that `few` keys leave a margin */
    unsigned few;  /* most keys between the pivots at the end */
} pivot_shape;

/* The first pivots are up to three deviations of the rank of the mean from the wanted rank; if that
 * is too far for `few` keys, there is a margin for uneven keys, because a second count follows. */
ORDO_HD pivot_shape pivot_shape_of(unsigned n, unsigned few)
{
    float const error = 0.9f * pivot_root((float)n);
    pivot_shape shape;
    shape.few = few;
    shape.room = 0.3f * (float)few + 2;
    shape.each = 1.0f / (float)n;
    shape.part = (error <= 1.4f * shape.room ? shape.room : error + 0.02f * (float)n) * shape.each;
    return shape;
}

/* Begins a search: `sum` and `squares` are the sums of the differences of all keys to `base`, and
 * of the squares of these. */
ORDO_HD pivot_verdict pivot_begin(pivot_search *s, pivot_shape shape, float base, float sum,
                                  float squares, unsigned first, unsigned last)
{
    float const mean = sum * shape.each;
    float const width = pivot_root(12 * (squares * shape.each - mean * mean)); /* if even */
    float const middle = (float)(first + last + 1) * 0.5f * shape.each - 0.5f;
    float const centre = base + (mean + middle * width), half = shape.part * width;
    s->first = first;
    s->last = last;
    s->below = s->inside = 0;
    return pivot_set(s, centre - half, squares < INFINITY ? centre + half : centre - half);
}

/* Judges the numbers of keys below the pivots; PIVOT_AGAIN sets new pivots. */
ORDO_HD pivot_verdict pivot_judge(pivot_search *s, pivot_shape shape, unsigned below_low,
                                  unsigned below_high)
{
    unsigned const inside = below_high - below_low;
    float const    rank = pivot_divide(s->high - s->low, inside > 0 ? (float)inside : 1.0f);
    float const    low = s->low, high = s->high;
    if (s->first < below_low) {
        float const back = 1.5f * (float)(below_low - s->first) + 8;
        return pivot_set(s, low - back * rank, s->last < below_low ? low : low + 8 * rank);
    }
    if (s->last >= below_high) {
        float const on = 1.5f * (float)(s->last - below_high + 1) + 8;
        return pivot_set(s, s->first >= below_high ? high : high - 8 * rank, high + on * rank);
    }
    s->below = below_low;
    s->inside = inside;
    if (inside <= shape.few)
        return PIVOT_FOUND;
    float const error = 1.5f * pivot_root((float)inside); /* three deviations, in ranks */
    bool const  is_near = inside <= 4 * shape.few && error <= 1.9f * shape.room;
    float const half = is_near ? shape.room : error + 0.04f * (float)inside;
    float const middle = (float)(s->first + s->last + 1) * 0.5f - (float)below_low;
    float const centre = low + middle * rank;
    return pivot_set(s, centre - half * rank, centre + half * rank);
}

#endif
