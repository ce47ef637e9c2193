/* warp_ballot.cuh - the binary prefix sum of one warp, after Skjellum, Whittaker and Bangalore,
 * "Ballot Counting for Optimal Binary Prefix Sum" (poster): a ballot gathers the 32 flags of a
 * warp in one word, a lane mask keeps those of earlier lanes, and a population count adds them
 * up. Three instructions, no shared memory.
 *
 * Called by whole warps; results are valid in every lane. Used by block/block_bits.cuh, the flag
 * readers of warp_flags.cuh and every kernel that ranks by flags. */
#ifndef ORDO_CUDA_WARP_WARP_BALLOT_H
#define ORDO_CUDA_WARP_WARP_BALLOT_H

#include <stdint.h>

#define WARP_LANES 32u
#define WARP_ALL 0xffffffffu

static __device__ __forceinline__ unsigned lane_id(void)
{
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

/* A word with the bits of the lanes before this one. */
static __device__ __forceinline__ uint32_t lanes_before(void)
{
    uint32_t mask;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    return mask;
}

/* The same with this lane's own bit. */
static __device__ __forceinline__ uint32_t lanes_to_here(void)
{
    uint32_t mask;
    asm("mov.u32 %0, %%lanemask_le;" : "=r"(mask));
    return mask;
}

/* The number of set flags in the lanes up to this one, itself included. */
static __device__ __forceinline__ unsigned warp_count_flags(bool flag)
{
    return (unsigned)__popc(__ballot_sync(WARP_ALL, flag) & lanes_to_here());
}

#endif
