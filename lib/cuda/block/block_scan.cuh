/* block_scan.cuh - scans the totals of the warps of a block.
 *
 * Each warp stores one value in shared memory. After a barrier every warp scans all the values,
 * which costs five shuffles and saves a second barrier. The order of combining is fixed
 * (warp_scan.cuh). Called by all threads of a block of up to 1024; results are valid in every
 * thread. `totals` has one element per warp; it may be written again after the next barrier of the
 * block. */
#ifndef ORDO_CUDA_BLOCK_BLOCK_SCAN_H
#define ORDO_CUDA_BLOCK_BLOCK_SCAN_H

#include "cuda/warp/warp_scan.cuh"

template <typename ACC> struct block_sums {
    ACC before; /* sum of the warps before this one */
    ACC total;  /* sum of all warps */
};

/* `here` is the total of the calling warp, the same in every lane. */
template <typename OP, int WARPS>
static DEVICE block_sums<typename OP::ACC> block_scan_warps(typename OP::ACC  here,
                                                            typename OP::ACC *totals)
{
    unsigned const warp = threadIdx.x / WARP_LANES, lane = lane_id();
    if (lane == 0)
        totals[warp] = here;
    __syncthreads();
    typename OP::ACC const scanned = warp_scan<OP>(lane < WARPS ? totals[lane] : OP::identity());
    typename OP::ACC const before = __shfl_sync(WARP_ALL, scanned, warp == 0 ? 0 : warp - 1);
    return {warp == 0 ? OP::identity() : before, __shfl_sync(WARP_ALL, scanned, WARPS - 1)};
}

/* Scans one value per thread: the sum of the threads before this one, and of all. Contains two
 * barriers, so that `totals` may be written again at once. */
template <typename OP, int WARPS>
static DEVICE block_sums<typename OP::ACC> block_scan_threads(typename OP::ACC  mine,
                                                              typename OP::ACC *totals)
{
    typedef typename OP::ACC ACC;
    ACC const                scanned = warp_scan<OP>(mine), before = warp_before<OP>(scanned);
    block_sums<ACC> const    sums =
        block_scan_warps<OP, WARPS>(__shfl_sync(WARP_ALL, scanned, WARP_LANES - 1), totals);
    __syncthreads();
    return {OP::add(sums.before, before), sums.total};
}

/* The sum of one value per thread. */
template <typename OP, int WARPS>
static DEVICE typename OP::ACC block_reduce(typename OP::ACC x, typename OP::ACC *totals)
{
    return block_scan_warps<OP, WARPS>(warp_reduce<OP>(x), totals).total;
}

#endif
