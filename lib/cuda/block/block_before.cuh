/* block_before.cuh - the sum over the threads before the caller. */
#ifndef ORDO_CUDA_BLOCK_BLOCK_BEFORE_H
#define ORDO_CUDA_BLOCK_BLOCK_BEFORE_H

#include "cuda/block/block_scan.cuh"

/* The sum of x over the threads before this one. `totals` has a word for each warp. Contains one
 * barrier; `totals` may be written again after the next one. */
template <int WARPS> static DEVICE uint32_t block_sum_before(uint32_t x, uint32_t *totals)
{
    typedef scan_add<uint32_t> ADD;
    uint32_t const             scanned = warp_scan<ADD>(x);
    uint32_t const             here = __shfl_sync(WARP_ALL, scanned, WARP_LANES - 1);
    return block_scan_warps<ADD, WARPS>(here, totals).before + scanned - x;
}

#endif
