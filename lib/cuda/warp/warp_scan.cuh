/* warp_scan.cuh - scans and reductions of one value in each lane of a warp, by shuffles.
 *
 * An operation is a struct with a type ACC and static functions add(a, b) and identity(). The order
 * of combining is fixed (Kogge-Stone: steps of 1, 2, 4, 8, 16 lanes; reductions by halves), so
 * float sums are reproducible. Cost: five shuffles of 4 bytes, ten of 8. Called by whole warps;
 * results are valid in every lane. */
#ifndef ORDO_CUDA_WARP_WARP_SCAN_H
#define ORDO_CUDA_WARP_WARP_SCAN_H

#include "cuda/warp/warp_ballot.cuh"

template <typename ACC_> struct scan_add {
    typedef ACC_ ACC;

    static __device__ __forceinline__ ACC identity(void) { return 0; }
    static __device__ __forceinline__ ACC add(ACC a, ACC b) { return a + b; }
};

/* Of unsigned integers. */
template <typename ACC_> struct scan_max {
    typedef ACC_ ACC;

    static __device__ __forceinline__ ACC identity(void) { return 0; }
    static __device__ __forceinline__ ACC add(ACC a, ACC b) { return a > b ? a : b; }
};
template <typename ACC_> struct scan_min {
    typedef ACC_ ACC;

    static __device__ __forceinline__ ACC identity(void) { return (ACC) ~(ACC)0; }
    static __device__ __forceinline__ ACC add(ACC a, ACC b) { return a < b ? a : b; }
};

/* Lane i gets x0 op ... op xi. */
template <typename OP>
static __device__ __forceinline__ typename OP::ACC warp_scan(typename OP::ACC x)
{
    unsigned const lane = lane_id();
#pragma unroll
    for (unsigned step = 1; step < WARP_LANES; step *= 2) {
        typename OP::ACC const left = __shfl_up_sync(WARP_ALL, x, step);
        if (lane >= step)
            x = OP::add(left, x);
    }
    return x;
}

/* The combination of the lanes before this one, from the result of warp_scan. */
template <typename OP>
static __device__ __forceinline__ typename OP::ACC warp_before(typename OP::ACC scanned)
{
    typename OP::ACC const left = __shfl_up_sync(WARP_ALL, scanned, 1);
    return lane_id() == 0 ? OP::identity() : left;
}

template <typename OP>
static __device__ __forceinline__ typename OP::ACC warp_reduce(typename OP::ACC x)
{
#pragma unroll
    for (unsigned step = WARP_LANES / 2; step > 0; step /= 2)
        x = OP::add(x, __shfl_xor_sync(WARP_ALL, x, step));
    return x;
}

/* The largest and smallest value of a warp; up to 32 bits take one instruction. */
template <typename T> static __device__ __forceinline__ T warp_largest(T x)
{
    if constexpr (sizeof(T) <= 4)
        return (T)__reduce_max_sync(WARP_ALL, (unsigned)x);
    else
        return warp_reduce<scan_max<T>>(x);
}
template <typename T> static __device__ __forceinline__ T warp_smallest(T x)
{
    if constexpr (sizeof(T) <= 4)
        return (T)__reduce_min_sync(WARP_ALL, (unsigned)x);
    else
        return warp_reduce<scan_min<T>>(x);
}

#endif
