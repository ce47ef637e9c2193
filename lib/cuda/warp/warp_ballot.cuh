/* warp_ballot.cuh - the binary prefix sum of one warp, after Skjellum, Whittaker and Bangalore,
 * "Ballot Counting for Optimal Binary Prefix Sum" (poster): a ballot gathers the 32 flags of a warp
 * in one word, a lane mask keeps the earlier lanes, and a population count adds them. Three
 * instructions, no shared memory. warp_match is the same for digits of several bits: one ballot a
 * bit, about three instructions each, whatever the digits are (match.any takes longer the more
 * values differ). Called by whole warps; results are valid in every lane. */
#ifndef ORDO_CUDA_WARP_WARP_BALLOT_H
#define ORDO_CUDA_WARP_WARP_BALLOT_H

#include <stdint.h>

#define WARP_LANES 32u
#define WARP_ALL 0xffffffffu

/* Marks a pointer as one to shared memory, for functions that are not inlined. */
template <typename T> static __device__ __forceinline__ T *as_shared(T *generic)
{
    return (T *)__cvta_shared_to_generic(__cvta_generic_to_shared(generic));
}

static __device__ __forceinline__ unsigned lane_id(void)
{
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

/* A mask of the lanes before this one. */
static __device__ __forceinline__ uint32_t lanes_before(void)
{
    uint32_t mask;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    return mask;
}

/* The same with this lane. */
static __device__ __forceinline__ uint32_t lanes_to_here(void)
{
    uint32_t mask;
    asm("mov.u32 %0, %%lanemask_le;" : "=r"(mask));
    return mask;
}

/* The number of set flags in the lanes up to and including this one. */
static __device__ __forceinline__ unsigned warp_count_flags(bool flag)
{
    return (unsigned)__popc(__ballot_sync(WARP_ALL, flag) & lanes_to_here());
}

/* A mask of the lanes whose low BITS bits of `value` equal this lane's. After Adinets and Merrill,
 * "Onesweep" (2022). In PTX, because the compiler would test each bit twice. */
template <int BITS> static __device__ __forceinline__ uint32_t warp_match(unsigned value)
{
    uint32_t peers = WARP_ALL;
#pragma unroll
    for (int b = 0; b < BITS; b++)
        asm volatile("{\n"
                     ".reg .pred set;\n"
                     ".reg .b32 bit, votes, turn;\n"
                     "and.b32 bit, %1, %2;\n"
                     "setp.ne.u32 set, bit, 0;\n"
                     "vote.sync.ballot.b32 votes, set, 0xffffffff;\n"
                     "selp.b32 turn, 0, 0xffffffff, set;\n"
                     "lop3.b32 %0, %0, votes, turn, 0x60;\n" /* peers & (votes ^ turn) */
                     "}"
                     : "+r"(peers)
                     : "r"(value), "r"(1u << b));
    return peers;
}

#endif
