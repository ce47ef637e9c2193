/* pivot_steps.h - the pivots of a search for the keys of one rank, or of two neighbouring ranks,
 * among some hundred floats; for C and CUDA.
 *
 * The mean and the variance give the first two pivots, as if the keys were evenly spread, or a
 * sorted sample does. The caller counts the keys below each pivot. If few keys are between the
 * pivots and the wanted ones are among them, the caller sorts these. Otherwise the counts give the
 * next pivots: other keys of the sample, or a linear interpolation. After R. W. Floyd and R. L.
 * Rivest, "Expected time bounds for selection", CACM 18 (1975). A bad guess costs a further count
 * or ends the search; it never gives a wrong key. NaNs and infinities end a search from a mean. */
#ifndef ORDO_CUDA_SEGMENTS_SELECT_PIVOT_STEPS_H
#define ORDO_CUDA_SEGMENTS_SELECT_PIVOT_STEPS_H

#include "core/keybits.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum {
    PIVOT_COUNTS = 4,       /* most counts of a search from the mean */
    PIVOT_SAMPLE_COUNTS = 6 /* and of a search from a sample */
};

typedef enum pivot_verdict {
    PIVOT_FOUND, /* the keys from `low` to below `high` are few and contain the wanted ones */
    PIVOT_TIED,  /* they are many, contain the wanted ones and are equal to `low`, or zeros */
    PIVOT_AGAIN, /* the keys below the pivots are to be counted */
    PIVOT_LOST
} pivot_verdict;

typedef struct pivot_search {
    float    low, high;   /* the pivots; low < high unless the search is lost */
    unsigned first, last; /* wanted ranks in ascending order: equal, or neighbours */
    unsigned below;       /* keys below `low`, once found */
    unsigned inside;      /* keys from `low` to below `high`, once found */
    int      from, to;    /* indices in the sample of the pivots; see pivot_take */
    bool     is_linear;   /* the pivots are interpolated; else they are keys of the sample */
    bool     is_bits;     /* between bits of keys, not between keys */
} pivot_search;

/* Quotients and roots need not be exact. */
#ifdef __CUDA_ARCH__
ORDO_HD float pivot_divide(float a, float b) { return __fdividef(a, b); }
ORDO_HD float pivot_root(float a) { return a > 0 ? a * rsqrtf(a) : 0; }
#else
ORDO_HD float pivot_divide(float a, float b) { return a / b; }
ORDO_HD float pivot_root(float a) { return a > 0 ? sqrtf(a) : 0; }
#endif

/* A pivot is never nearer to 0, so that -0 and +0 are on one side of it, and a scale exists. */
#define PIVOT_LEAST 0x1p-102f

/* Numbers by which a fused multiplication and addition, and a cut to 0 and 1, compare any key with
 * a pivot. The scale is a power of 2 that makes the distance to the next float at least 1. */
typedef struct pivot_compare {
    float scale, offset;
} pivot_compare;

ORDO_HD pivot_compare pivot_compare_of(float pivot)
{
    uint32_t const exponent = key_pattern_f32(pivot) >> 23 & 0xff;
    uint32_t const pattern = (278 - exponent) << 23;
    pivot_compare  c;
    memcpy(&c.scale, &pattern, sizeof c.scale);
    c.offset = pivot * c.scale;
    c.scale = -c.scale;
    return c;
}

/* 1 if a key is below the pivot, else 0; 0 for a NaN. */
ORDO_HD float pivot_below(pivot_compare c, float key)
{
#ifdef __CUDA_ARCH__
    return __saturatef(__fmaf_rn(key, c.scale, c.offset));
#else
    float const apart = fmaf(key, c.scale, c.offset);
    return apart >= 1 ? 1.0f : 0.0f;
#endif
}

/* Sets the pivots; the search is lost if they are not in order, or not numbers. */
ORDO_HD pivot_verdict pivot_set(pivot_search *s, float low, float high)
{
    s->low = fabsf(low) < PIVOT_LEAST ? -PIVOT_LEAST : low;
    s->high = fabsf(high) < PIVOT_LEAST ? PIVOT_LEAST : high;
    return s->low < s->high && s->high - s->low < INFINITY ? PIVOT_AGAIN : PIVOT_LOST;
}

/* A pivot as a place on the line on which pivots are interpolated, and back. Places of is_bits
 * rise with the bits of the keys, so with the logarithm of keys of one sign. */
ORDO_HD float pivot_place(const pivot_search *s, float pivot)
{
    return s->is_bits ? (float)key_bits_f32(pivot) : pivot;
}

ORDO_HD pivot_verdict pivot_set_places(pivot_search *s, float low, float high)
{
    if (!s->is_bits)
        return pivot_set(s, low, high);
    float const most = (float)KEY_INF_F32;
    if (!(low >= 0 && high < most))
        return PIVOT_LOST;
    return pivot_set(s, key_of_f32((uint32_t)low), key_of_f32((uint32_t)high));
}

/* What depends on the length of a row only. */
typedef struct pivot_shape {
    float    each; /* 1 / n */
    float    part; /* half of the distance of the first pivots, as part of n */
    float    room; /* ranks on either side of the wanted one, so that `few` keys leave a margin */
    float    rate; /* keys of the sample / n */
    unsigned few;  /* most keys between the pivots at the end */
    unsigned sampled;
} pivot_shape;

/* The first pivots are up to three deviations of the rank of the mean from the wanted rank; if that
 * is too far for `few` keys, there is a margin for uneven keys, because a second count follows. */
ORDO_HD pivot_shape pivot_shape_of(unsigned n, unsigned few, unsigned sampled)
{
    float const error = 0.9f * pivot_root((float)n);
    pivot_shape shape;
    shape.few = few;
    shape.room = 0.3f * (float)few + 2;
    shape.each = 1.0f / (float)n;
    shape.sampled = sampled;
    shape.rate = (float)sampled * shape.each;
    shape.part = (error <= 1.4f * shape.room ? shape.room : error + 0.02f * (float)n) * shape.each;
    return shape;
}

/* Begins a search: `sum` and `squares` are the sums of the differences of all keys to `base`, and
 * of the squares of these. */
ORDO_HD pivot_verdict pivot_begin(pivot_search *s, const pivot_shape *shape, float base, float sum,
                                  float squares, unsigned first, unsigned last)
{
    float const mean = sum * shape->each;
    float const width = pivot_root(12 * (squares * shape->each - mean * mean)); /* if even */
    float const middle = (float)(first + last + 1) * 0.5f * shape->each - 0.5f;
    float const centre = base + (mean + middle * width), half = shape->part * width;
    s->first = first;
    s->last = last;
    s->below = s->inside = 0;
    s->is_linear = true;
    s->is_bits = false;
    return pivot_set(s, centre - half, squares < INFINITY ? centre + half : centre - half);
}

/* Judges the numbers of keys below the pivots; PIVOT_AGAIN sets new pivots. */
ORDO_HD pivot_verdict pivot_judge(pivot_search *s, const pivot_shape *shape, unsigned below_low,
                                  unsigned below_high)
{
    unsigned const inside = below_high - below_low;
    float const    low = pivot_place(s, s->low), high = pivot_place(s, s->high);
    float const    rank = pivot_divide(high - low, inside > 0 ? (float)inside : 1.0f);
    if (s->first < below_low) {
        float const back = 1.5f * (float)(below_low - s->first) + 8;
        return pivot_set_places(s, low - back * rank, s->last < below_low ? low : low + 8 * rank);
    }
    if (s->last >= below_high) {
        float const on = 1.5f * (float)(s->last - below_high + 1) + 8;
        return pivot_set_places(s, s->first >= below_high ? high : high - 8 * rank,
                                high + on * rank);
    }
    s->below = below_low;
    s->inside = inside;
    if (inside <= shape->few)
        return PIVOT_FOUND;
    float const error = 1.5f * pivot_root((float)inside); /* three deviations, in ranks */
    bool const  is_near = inside <= 4 * shape->few && error <= 1.9f * shape->room;
    float const half = is_near ? shape->room : error + 0.04f * (float)inside;
    float const middle = (float)(s->first + s->last + 1) * 0.5f - (float)below_low;
    float const centre = low + middle * rank;
    return pivot_set_places(s, centre - half * rank, centre + half * rank);
}

/* ---- From a sample ---- */

/* The next float above a finite one. */
ORDO_HD float pivot_next(float key)
{
    uint32_t const bits = key_bits_f32(key == 0 ? 0.0f : key);
    return key_of_f32(bits + 1);
}

/* Pivots of the sample, which is sorted: the keys of index `from` and just above that of `to`. */
ORDO_HD pivot_verdict pivot_take(pivot_search *s, const pivot_shape *shape, const float *sample,
                                 int from, int to)
{
    s->from = from < 0 ? -1 : from;
    s->to = to < (int)shape->sampled ? to : (int)shape->sampled;
    return pivot_set(s, s->from < 0 ? -0.25f * FLT_MAX : sample[s->from],
                     s->to < (int)shape->sampled ? pivot_next(sample[s->to]) : 0.25f * FLT_MAX);
}

/* The middle of the wanted ranks, from 0.5 on. */
ORDO_HD float pivot_middle(const pivot_search *s) { return (float)(s->first + s->last + 1) * 0.5f; }

/* Begins a search with a sample of shape->sampled keys of the row in ascending order. */
ORDO_HD pivot_verdict pivot_begin_sample(pivot_search *s, const pivot_shape *shape,
                                         const float *sample, unsigned first, unsigned last)
{
    s->first = first;
    s->last = last;
    s->below = s->inside = 0;
    s->is_linear = s->is_bits = false;
    float const part = pivot_middle(s) * shape->each, at = pivot_middle(s) * shape->rate - 0.5f;
    float const spread = 4 * part * (1 - part) * (float)shape->sampled * (1 - shape->rate);
    float const error = pivot_root(spread) + 0.5f; /* two deviations, in indices of the sample */
    return pivot_take(s, shape, sample, (int)floorf(at - error), (int)ceilf(at + error));
}

/* Whether all keys between the pivots tie. */
ORDO_HD bool pivot_one_value(const pivot_search *s)
{
    return s->high == PIVOT_LEAST ? s->low == -PIVOT_LEAST : pivot_next(s->low) == s->high;
}

/* Whether the middle of the sample between the pivots is near the middle of their places. */
ORDO_HD bool pivot_is_line(const pivot_search *s, const float *sample)
{
    int const   middle = (s->from + s->to) / 2; /* below the size of the sample, or -1 / 2 */
    float const low = pivot_place(s, s->low), width = pivot_place(s, s->high) - low;
    return fabsf(pivot_place(s, sample[middle]) - low - 0.5f * width) <= 0.2f * width;
}

/* The step after a count with too many keys inside: pivots around the interpolated index. */
ORDO_HD pivot_verdict pivot_narrow(pivot_search *s, const pivot_shape *shape, const float *sample)
{
    int const   span = s->to - s->from;
    float const part = pivot_divide(pivot_middle(s) - (float)s->below, (float)s->inside);
    float const at = (float)s->from + part * (float)span;
    int const   most = (int)shape->sampled - 1;
    int         j = at < 0 ? 0 : at < (float)most ? (int)(at + 0.5f) : most;
    while (j > 0 && sample[j] >= s->high)
        j--;
    while (j < most && sample[j] < s->low)
        j++;
    bool const ties =
        (j > 0 && sample[j - 1] == sample[j]) || (j < most && sample[j + 1] == sample[j]);
    if (ties && s->from != s->to)
        return pivot_take(s, shape, sample, j, j);
    s->is_linear = pivot_is_line(s, sample);
    if (!s->is_linear) {
        s->is_bits = true;
        s->is_linear = pivot_is_line(s, sample);
        s->is_bits = s->is_linear;
    }
    if (s->is_linear)
        return PIVOT_AGAIN;
    if (span <= 2)
        return PIVOT_LOST;
    float error = 0.75f * pivot_root((float)span) + 0.5f;
    if (s->inside <= 4 * shape->few && error > 0.4f * (float)shape->few * shape->rate)
        error = 0.4f * (float)shape->few * shape->rate;
    int const from = (int)rintf(at - error), to = (int)rintf(at + error);
    return pivot_take(s, shape, sample, from > s->from ? from : s->from + 1,
                      to < s->to ? to : s->to - 1);
}

/* Pivots for wanted keys before those of index `from`. */
ORDO_HD pivot_verdict pivot_move_down(pivot_search *s, const pivot_shape *shape,
                                      const float *sample, unsigned below_low)
{
    int const   back = 2 + (int)(1.5f * (float)(below_low - s->first) * shape->rate);
    float const high = s->low;
    int         from = s->from - back;
    if (s->from < 0)
        return PIVOT_LOST;
    while (from >= 0 && sample[from] >= high)
        from--;
    pivot_verdict const verdict = pivot_take(s, shape, sample, from, s->from);
    if (s->last >= below_low || verdict != PIVOT_AGAIN)
        return verdict;
    while (s->to > s->from + 1 && sample[s->to - 1] >= high)
        s->to--;
    return pivot_set(s, s->low, high);
}

/* Pivots for wanted keys after those of index `to`. */
ORDO_HD pivot_verdict pivot_move_up(pivot_search *s, const pivot_shape *shape, const float *sample,
                                    unsigned below_high)
{
    int const   most = (int)shape->sampled;
    int const   on = 2 + (int)(1.5f * (float)(s->last - below_high + 1) * shape->rate);
    float const low = s->high;
    int         to = s->to + on;
    if (s->to >= most)
        return PIVOT_LOST;
    while (to < most && sample[to] < low)
        to++;
    pivot_verdict const verdict = pivot_take(s, shape, sample, s->to, to);
    if (s->first < below_high || verdict != PIVOT_AGAIN)
        return verdict;
    while (s->from + 1 < s->to && sample[s->from + 1] < low)
        s->from++;
    return pivot_set(s, low, s->high);
}

/* As pivot_judge, for searches from the mean and from a sample. */
ORDO_HD pivot_verdict pivot_judge_any(pivot_search *s, const pivot_shape *shape,
                                      const float *sample, unsigned below_low, unsigned below_high)
{
    if (!s->is_linear) {
        if (s->first < below_low)
            return pivot_move_down(s, shape, sample, below_low);
        if (s->last >= below_high)
            return pivot_move_up(s, shape, sample, below_high);
        s->below = below_low;
        s->inside = below_high - below_low;
        if (s->inside > shape->few) {
            if (pivot_one_value(s))
                return PIVOT_TIED;
            pivot_verdict const verdict = pivot_narrow(s, shape, sample);
            if (!s->is_linear)
                return verdict;
        }
    }
    return pivot_judge(s, shape, below_low, below_high);
}

#endif
