/* block_bits.cuh - the binary prefix sum of one block, one flag in every thread, in two forms.
 *
 * Ballot, as the poster has it (Skjellum, Whittaker and Bangalore, "Ballot Counting for Optimal
 * Binary Prefix Sum"): each warp counts by one ballot (warp_ballot.cuh) and leaves its total, at
 * most 32, in shared memory; the first warp scans those totals by ballots again, one for each of
 * their six bits, and adds up the counts shifted to their places. Two barriers.
 * Shared, the usual way it is compared with: flags as integers, doubling steps in shared memory
 * within each warp, then within the totals of the warps. Two barriers, ten steps of a load and a
 * store.
 *
 * Called by all threads of a block of 1024; the inclusive count is valid in every thread, *total
 * likewise. Shared memory may be used again after the next barrier. Called by device/dev_bits.cu
 * (dev_bits_paper). */
#ifndef ORDO_CUDA_BLOCK_BLOCK_BITS_H
#define ORDO_CUDA_BLOCK_BLOCK_BITS_H

#include "cuda/warp/warp_ballot.cuh"

enum {
    BLOCK_BITS_THREADS = 1024
};

struct block_bits_shared { /* what both forms keep in shared memory */
    unsigned sums[BLOCK_BITS_THREADS];
    unsigned warps[WARP_LANES]; /* flags before each warp */
    unsigned total;
};

/* Exclusive scan of values below 64, one in each lane: the binary scan of each of their bits. */
static __device__ __forceinline__ unsigned warp_scan_small(unsigned value)
{
    enum {
        BITS = 6
    };
    unsigned before = 0;
#pragma unroll
    for (unsigned bit = 0; bit < BITS; bit++)
        before += (unsigned)__popc(__ballot_sync(WARP_ALL, value >> bit & 1) & lanes_before())
                  << bit;
    return before;
}

static __device__ __forceinline__ unsigned
block_bits_by_ballot(bool flag, block_bits_shared *shared, unsigned *total)
{
    unsigned const warp = threadIdx.x / WARP_LANES, lane = lane_id();
    unsigned const here = warp_count_flags(flag);
    if (lane == WARP_LANES - 1)
        shared->warps[warp] = here;
    __syncthreads();
    if (warp == 0) {
        unsigned const count = shared->warps[lane];
        unsigned const before = warp_scan_small(count);
        __syncwarp();
        shared->warps[lane] = before;
        if (lane == WARP_LANES - 1)
            shared->total = before + count;
    }
    __syncthreads();
    *total = shared->total;
    return shared->warps[warp] + here;
}

/* Doubling steps over 32 places in shared memory; inclusive. */
static __device__ __forceinline__ unsigned warp_scan_in_shared(unsigned value, unsigned *places)
{
    unsigned const lane = lane_id();
    places[lane] = value;
    __syncwarp();
    for (unsigned step = 1; step < WARP_LANES; step *= 2) {
        unsigned const left = lane >= step ? places[lane - step] : 0;
        __syncwarp();
        value += left;
        places[lane] = value;
        __syncwarp();
    }
    return value;
}

static __device__ __forceinline__ unsigned
block_bits_by_shared(bool flag, block_bits_shared *shared, unsigned *total)
{
    unsigned const warp = threadIdx.x / WARP_LANES, lane = lane_id();
    unsigned const here = warp_scan_in_shared(flag, shared->sums + warp * WARP_LANES);
    if (lane == WARP_LANES - 1)
        shared->warps[warp] = here;
    __syncthreads();
    if (warp == 0) {
        unsigned const count = shared->warps[lane];
        unsigned const to_here = warp_scan_in_shared(count, shared->sums);
        __syncwarp();
        shared->warps[lane] = to_here - count;
        if (lane == WARP_LANES - 1)
            shared->total = to_here;
    }
    __syncthreads();
    *total = shared->total;
    return shared->warps[warp] + here;
}

#endif
