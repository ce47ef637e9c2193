/* warp_scan.cuh - lanes, ballots, scans and reductions of one warp.
 *
 * The binary prefix sum of Whittaker, Skjellum and Bangalore, "Ballot Counting for Optimal Binary
 * Prefix Sum" (poster): a ballot gathers 32 flags in a word, a lane mask keeps the earlier lanes,
 * and a population count adds them. Three instructions, no shared memory. Other scans use shuffles.
 * An operation is a struct with a type ACC and static functions add(a, b) and identity(). The order
 * of combining is fixed (Kogge-Stone: steps of 1, 2, 4, 8, 16 lanes; reductions by halves), so
 * float sums are reproducible. Cost: five shuffles for 4-byte values, ten for 8-byte values. Called
 * by whole warps; results are valid in every lane. */
#ifndef ORDO_CUDA_WARP_WARP_SCAN_H
#define ORDO_CUDA_WARP_WARP_SCAN_H

#include "cuda/runtime/cuda_rt.cuh"

#define WARP_LANES 32u
#define WARP_ALL 0xffffffffu

/* Tells the compiler that a pointer refers to shared memory, in functions that are not inlined. */
template <typename T> static DEVICE T *as_shared(T *generic)
{
    return (T *)__cvta_shared_to_generic(__cvta_generic_to_shared(generic));
}

static DEVICE unsigned lane_id(void)
{
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

/* A mask of the lanes before this one. */
static DEVICE uint32_t lanes_before(void)
{
    uint32_t mask;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    return mask;
}

/* A mask of this lane and the lanes before it. */
static DEVICE uint32_t lanes_to_here(void)
{
    uint32_t mask;
    asm("mov.u32 %0, %%lanemask_le;" : "=r"(mask));
    return mask;
}

/* The number of set flags in the lanes up to and including this one. */
static DEVICE unsigned warp_count_flags(bool flag)
{
    return (unsigned)__popc(__ballot_sync(WARP_ALL, flag) & lanes_to_here());
}

/* A mask of the lanes whose low BITS bits of `value` equal this lane's. After Adinets and Merrill,
 * "Onesweep" (2022): one ballot per bit, because match.any takes longer the more values differ. In
 * PTX, because the compiler would test each bit twice. */
template <int BITS> static DEVICE uint32_t warp_match(unsigned value)
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

template <typename ACC_> struct scan_add {
    typedef ACC_ ACC;

    static DEVICE ACC identity(void) { return 0; }
    static DEVICE ACC add(ACC a, ACC b) { return a + b; }
};

/* scan_max and scan_min are for unsigned integers. */
template <typename ACC_> struct scan_max {
    typedef ACC_ ACC;

    static DEVICE ACC identity(void) { return 0; }
    static DEVICE ACC add(ACC a, ACC b) { return a > b ? a : b; }
};
template <typename ACC_> struct scan_min {
    typedef ACC_ ACC;

    static DEVICE ACC identity(void) { return (ACC) ~(ACC)0; }
    static DEVICE ACC add(ACC a, ACC b) { return a < b ? a : b; }
};

/* Lane i gets x0 op ... op xi. */
template <typename OP> static DEVICE typename OP::ACC warp_scan(typename OP::ACC x)
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

/* Lane i gets x0 op ... op x(i-1), from the result of warp_scan. */
template <typename OP> static DEVICE typename OP::ACC warp_before(typename OP::ACC scanned)
{
    typename OP::ACC const left = __shfl_up_sync(WARP_ALL, scanned, 1);
    return lane_id() == 0 ? OP::identity() : left;
}

template <typename OP> static DEVICE typename OP::ACC warp_reduce(typename OP::ACC x)
{
#pragma unroll
    for (unsigned step = WARP_LANES / 2; step > 0; step /= 2)
        x = OP::add(x, __shfl_xor_sync(WARP_ALL, x, step));
    return x;
}

/* The largest and smallest value of a warp; values of up to 32 bits take one instruction. */
template <typename T> static DEVICE T warp_largest(T x)
{
    if constexpr (sizeof(T) <= 4)
        return (T)__reduce_max_sync(WARP_ALL, (unsigned)x);
    else
        return warp_reduce<scan_max<T>>(x);
}
template <typename T> static DEVICE T warp_smallest(T x)
{
    if constexpr (sizeof(T) <= 4)
        return (T)__reduce_min_sync(WARP_ALL, (unsigned)x);
    else
        return warp_reduce<scan_min<T>>(x);
}

#endif
