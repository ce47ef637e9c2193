/* warp_alike.cuh - counters that many lanes of a warp add to: one lane adds for all lanes with the
 * same counter. Atomics of one address are serialised, so keys in sorted order or with few values
 * would take up to 32 times as long. */
#ifndef ORDO_CUDA_WARP_WARP_ALIKE_H
#define ORDO_CUDA_WARP_WARP_ALIKE_H

#include "cuda/warp/warp_scan.cuh"

/* Whether many neighbouring lanes have the same counter. Called by all lanes of a warp. */
static DEVICE bool warp_alike(unsigned counter)
{
    bool const same = counter == __shfl_down_sync(WARP_ALL, counter, 1);
    return __popc(__ballot_sync(WARP_ALL, same && lane_id() < 31)) >= 12;
}

/* Adds 1 to count[counter] for every lane, and returns the sum before the lane. Called by all lanes
 * of a warp. */
static DEVICE uint32_t warp_add_alike(uint32_t *count, unsigned counter)
{
    uint32_t const peers = __match_any_sync(WARP_ALL, counter);
    unsigned const leader = (unsigned)__ffs((int)peers) - 1;
    uint32_t       from = 0;
    if (lane_id() == leader)
        from = atomicAdd(count + counter, (uint32_t)__popc(peers));
    return __shfl_sync(WARP_ALL, from, leader) + __popc(peers & lanes_before());
}

#endif
