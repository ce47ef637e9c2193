/* first_where.cuh - binary search. */
#ifndef ORDO_CUDA_WARP_FIRST_WHERE_H
#define ORDO_CUDA_WARP_FIRST_WHERE_H

#include "cuda/runtime/cuda_rt.cuh"

/* The first place in [lo, hi) for which is_found(place) is true; hi if there is none. is_found is
 * true for all places after the first. */
template <typename T, typename F> static DEVICE T first_where(T lo, T hi, F &&is_found)
{
    while (lo < hi) {
        T const middle = lo + (hi - lo) / 2;
        if (is_found(middle))
            hi = middle;
        else
            lo = middle + 1;
    }
    return lo;
}

#endif
