/* dev_bits_paper.cuh - the binary prefix sum with one flag a thread, as in the poster of Skjellum,
 * Whittaker and Bangalore, "Ballot Counting for Optimal Binary Prefix Sum". Only the benchmark
 * (bench/cuda/papers.cu) includes this file; production is scan/dev_bits.cu.
 *
 * dev_flags.cu counts the set flags of each span. A block then scans its span 1024 flags at a time,
 * in one of two forms:
 *   ballot   each warp counts with one ballot; the first warp scans the totals of the warps, which
 *            are at most 32, with one ballot for each of their six bits
 *   shared   flags as integers, doubling steps in shared memory: what the poster compares with
 * Both have two barriers. Scratch: that of flags_layout. */
#ifndef ORDO_CUDA_PAPERS_DEV_BITS_PAPER_H
#define ORDO_CUDA_PAPERS_DEV_BITS_PAPER_H

#include "cuda/scan/dev_flags.cuh"

enum bits_form {
    BITS_BY_BALLOT,
    BITS_BY_SHARED
};

static constexpr int BLOCK_BITS_THREADS = 1024;

struct block_bits_shared {
    unsigned sums[BLOCK_BITS_THREADS]; /* shared form only */
    unsigned warps[WARP_LANES];        /* flags before each warp */
    unsigned total;
};

/* Exclusive scan of values below 64, one in each lane: the binary scan of each of their bits. */
static DEVICE unsigned warp_scan_small(unsigned value)
{
    unsigned before = 0;
#pragma unroll
    for (unsigned bit = 0; bit < 6; bit++)
        before += (unsigned)__popc(__ballot_sync(WARP_ALL, value >> bit & 1) & lanes_before())
                  << bit;
    return before;
}

/* Inclusive scan by doubling steps over 32 places in shared memory. */
static DEVICE unsigned warp_scan_in_shared(unsigned value, unsigned *places)
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

/* The inclusive count of this thread's flag, and in *total the count of the block. Called by all
 * threads of a block of BLOCK_BITS_THREADS; a barrier must follow before the next call. */
template <bits_form FORM>
static DEVICE unsigned block_bits(bool flag, block_bits_shared *shared, unsigned *total)
{
    unsigned const warp = threadIdx.x / WARP_LANES, lane = lane_id();
    unsigned const here = FORM == BITS_BY_BALLOT
                              ? warp_count_flags(flag)
                              : warp_scan_in_shared(flag, shared->sums + warp * WARP_LANES);
    if (lane == WARP_LANES - 1)
        shared->warps[warp] = here;
    __syncthreads();
    if (warp == 0) {
        unsigned const count = shared->warps[lane];
        unsigned const before = FORM == BITS_BY_BALLOT
                                    ? warp_scan_small(count)
                                    : warp_scan_in_shared(count, shared->sums) - count;
        __syncwarp();
        shared->warps[lane] = before;
        if (lane == WARP_LANES - 1)
            shared->total = before + count;
    }
    __syncthreads();
    *total = shared->total;
    return shared->warps[warp] + here;
}

template <typename COUNT, bits_form FORM>
static __global__ void __launch_bounds__(BLOCK_BITS_THREADS)
    paper_counts(ordo_flags_kind kind, const uint8_t *flags, flag_spans spans, COUNT *counts,
                 bool exclusive)
{
    __shared__ block_bits_shared shared;
    __shared__ uint64_t          totals[WARP_LANES];
    size_t const                 first = blockIdx.x * spans.span;
    size_t const                 end = first + spans.span < spans.n ? first + spans.span : spans.n;
    uint64_t                     before = 0;

    for (unsigned i = threadIdx.x; i < blockIdx.x; i += BLOCK_BITS_THREADS)
        before += spans.counts[i];
    before = block_reduce<scan_add<uint64_t>, WARP_LANES>(before, totals);
    for (size_t tile = first; tile < end; tile += BLOCK_BITS_THREADS) {
        size_t const at = tile + threadIdx.x;
        bool         flag = false;
        unsigned     total;
        if (at < end)
            flag = kind == ORDO_FLAG_BITS ? (flags[at / 8] >> at % 8 & 1) != 0 : flags[at] != 0;
        unsigned const count = block_bits<FORM>(flag, &shared, &total);
        if (at < end)
            counts[at] = (COUNT)(before + count - (exclusive && flag));
        before += total;
        __syncthreads();
    }
}

static inline size_t dev_bits_paper_scratch(const ordo_bits_job *job)
{
    cuda_scratch scratch = {};
    flag_spans   spans;
    flags_layout(&scratch, job->kind, job->flags, job->n, false, &spans);
    return scratch.used;
}

/* The counts of dev_scan_bits; job->n is not 0 and job->total is not written. */
template <bits_form FORM>
static ordo_status dev_bits_paper(cuda_call *call, const ordo_bits_job *job)
{
    const uint8_t *const flags = (const uint8_t *)job->flags;
    flag_spans           spans;
    flags_layout(&call->scratch, job->kind, job->flags, job->n, false, &spans);
    TRY(flags_count(call, job->kind, job->flags, &spans));
    if (job->count_type == ORDO_U32)
        return CUDA_LAUNCH(call, (paper_counts<uint32_t, FORM>), spans.spans, BLOCK_BITS_THREADS, 0,
                           job->kind, flags, spans, (uint32_t *)job->counts, job->exclusive);
    return CUDA_LAUNCH(call, (paper_counts<uint64_t, FORM>), spans.spans, BLOCK_BITS_THREADS, 0,
                       job->kind, flags, spans, (uint64_t *)job->counts, job->exclusive);
}

#endif
