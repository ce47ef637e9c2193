/* warp_match.cuh - which lanes of a warp hold the same digit.
 *
 * One ballot for each bit of the digit: a lane's peers are those that agree with it in every one,
 * about three instructions a bit whatever the digits are (match.any takes longer the more values
 * differ). The ballot counting of warp_ballot.cuh for digits of several bits; as the step of a
 * radix sort: Adinets and Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for
 * GPUs", 2022.
 *
 * Called by all 32 lanes, in a one-dimensional block; the result is valid in each of them. No
 * shared memory, no barrier. Used by block/block_radix.cuh. */
#ifndef ORDO_CUDA_WARP_WARP_MATCH_H
#define ORDO_CUDA_WARP_WARP_MATCH_H

#include "cuda/warp/warp_ballot.cuh"

/* The lanes whose low BITS bits of `value` are those of this lane, itself among them. In PTX, for
 * the compiler would test each bit twice. */
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
