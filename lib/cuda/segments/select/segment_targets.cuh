/* segment_targets.cuh - the keys that a selection wants of every segment, and the results written
 * for them: the keys at positions, or quantiles. Kernels find the keys; the functions here compute
 * their ranks. */
#ifndef ORDO_CUDA_SEGMENTS_SELECT_SEGMENT_TARGETS_H
#define ORDO_CUDA_SEGMENTS_SELECT_SEGMENT_TARGETS_H

#include "core/quantile.h"
#include "cuda/segments/segment_codes.cuh"

/* Item rank % N of a lane, N a power of 2. */
template <typename WORD, int N> static DEVICE WORD sorted_item(const WORD (&x)[N], unsigned rank)
{
    if constexpr (N == 1) {
        return x[0];
    } else {
        WORD half[N / 2];
#pragma unroll
        for (int e = 0; e < N / 2; e++)
            half[e] = (rank & 1) != 0 ? x[2 * e + 1] : x[2 * e];
        return sorted_item(half, rank >> 1);
    }
}

struct segment_targets { /* a kernel argument */
    const uint64_t *k;   /* positions, or quantile levels as bits; device memory */
    uint64_t        count;
    bool            is_quantile;
    ordo_method     method;
    ordo_nans       nans;
    void           *out; /* `count` keys, or f64, for each segment */
};

/* One target in one segment. */
struct segment_target {
    quantile_place place; /* below and above are ranks; 0 if no key is wanted */
    bool           is_nan, is_absent;
};

/* Target j of a segment of n keys with this number of NaNs. */
static DEVICE segment_target segment_target_of(const segment_targets &targets, uint64_t j,
                                               uint64_t n, uint64_t nans)
{
    uint64_t const bits = targets.k[j];
    uint64_t const limit = targets.nans == ORDO_NANS_OMIT ? n - nans : n;
    segment_target target = {};
    target.is_nan =
        (nans > 0 && targets.nans == ORDO_NANS_PROPAGATE) || (targets.is_quantile && limit == 0);
    if (targets.is_quantile && !target.is_nan)
        target.place =
            quantile_place_of(targets.method, __longlong_as_double((long long)bits), (size_t)limit);
    if (!targets.is_quantile) {
        target.is_absent = !target.is_nan && bits >= limit;
        if (!target.is_nan && !target.is_absent)
            target.place = quantile_make(bits, bits, 0, true);
    }
    return target;
}

/* Writes target j of segment `number`; low and high are the patterns of its keys. */
template <typename WORD>
static DEVICE void segment_target_put(const segment_targets     &targets,
                                      const segment_codes<WORD> &codes, uint64_t number, uint64_t j,
                                      const segment_target &target, WORD low, WORD high)
{
    uint64_t const at = number * targets.count + j;
    if (target.is_absent)
        return;
    if (!targets.is_quantile)
        codes.write_raw(targets.out, at, target.is_nan ? codes.nan() : low);
    else
        ((double *)targets.out)[at] =
            target.is_nan ? __longlong_as_double(0x7ff8000000000000ll)
                          : quantile_value(&target.place, codes.value(low), codes.value(high));
}

/* The same; below and above are the codes of its keys. */
template <typename WORD>
static DEVICE void segment_target_write(const segment_targets     &targets,
                                        const segment_codes<WORD> &codes, uint64_t number,
                                        uint64_t j, const segment_target &target, WORD below,
                                        WORD above)
{
    segment_target_put(targets, codes, number, j, target, codes.decode(below), codes.decode(above));
}

/* Whether NaNs must be counted. */
template <typename WORD>
static DEVICE bool segment_counts_nans(const segment_targets     &targets,
                                       const segment_codes<WORD> &codes)
{
    return targets.nans != ORDO_NANS_LAST && codes.is_float;
}

/* The last target that was computed, for the next segment of the same length. */
struct segment_target_memo {
    uint64_t       n, nans;
    segment_target target;
    bool           is_set;
};

/* Finds and writes all targets of a segment of n keys. pick(rank, wants_next, &next) returns the
 * code of a rank, and in `next` the code of the next rank if wanted; ranks are 0 if no key is
 * wanted. Called by every thread that pick needs; the thread with `writes` writes. Threads keep
 * `memo` from one segment to the next; at first memo.is_set is false. */
template <typename WORD, typename PICK>
static DEVICE void segment_targets_settle(const segment_targets     &targets,
                                          const segment_codes<WORD> &codes, uint64_t number,
                                          uint64_t n, uint64_t nans, bool writes,
                                          segment_target_memo &memo, PICK &&pick)
{
    for (uint64_t j = 0; j < targets.count; j++) {
        if (targets.count > 1 || !memo.is_set || memo.n != n || memo.nans != nans)
            memo = {n, nans, segment_target_of(targets, j, n, nans), true};
        segment_target const &target = memo.target;
        bool const            wants_next = target.place.above != target.place.below;
        WORD                  next;
        WORD const            key = pick((unsigned)target.place.below, wants_next, &next);
        if (writes)
            segment_target_write(targets, codes, number, j, target, key, wants_next ? next : key);
    }
}

#endif
