/* block_paper_scan.cuh - the prefix sum of a block as in D. Whittaker, A. Skjellum and P.
 * Bangalore, "Ballot Counting for Optimal Binary Prefix Sum", and the scans to compare it with.
 *
 * Each warp scans its values and stores its total in shared memory; the first warp scans the
 * totals; each thread adds the sum of the warps before its own. Two barriers. A warp scans by
 *   BALLOT    a ballot, a lane mask and a population count for each bit, shifted and added: one bit
 *             for flags, six bits for the totals of warps, which are at most 32
 *   SHARED    doubling steps in shared memory: the scan that the authors compare with
 *   SHUFFLE   doubling steps by shuffles, which the authors' GPUs did not have */
#ifndef ORDO_PAPERS_BALLOT_BLOCK_PAPER_SCAN_H
#define ORDO_PAPERS_BALLOT_BLOCK_PAPER_SCAN_H

#include "cuda/warp/warp_scan.cuh"

enum paper_form {
    PAPER_BALLOT,
    PAPER_SHARED,
    PAPER_SHUFFLE
};

/* Inclusive scan, modulo 2^32, of one value below 2^BITS per lane. `places`: 32 words of shared
 * memory of this warp, used by PAPER_SHARED. */
template <paper_form FORM, int BITS>
static DEVICE unsigned warp_paper_scan(unsigned value, unsigned *places)
{
    if constexpr (FORM == PAPER_BALLOT) {
        unsigned sum = 0;
#pragma unroll
        for (int bit = 0; bit < BITS; bit++)
            sum += (unsigned)__popc(__ballot_sync(WARP_ALL, value >> bit & 1) & lanes_to_here())
                   << bit;
        return sum;
    } else if constexpr (FORM == PAPER_SHARED) {
        unsigned const lane = lane_id();
        places[lane] = value;
        __syncwarp();
#pragma unroll
        for (unsigned step = 1; step < WARP_LANES; step *= 2) {
            unsigned const left = lane >= step ? places[lane - step] : 0;
            __syncwarp();
            value += left;
            places[lane] = value;
            __syncwarp();
        }
        return value;
    } else {
        return warp_scan<scan_add<unsigned>>(value);
    }
}

template <paper_form FORM, int THREADS, int ROWS> struct block_paper_shared {
    unsigned places[FORM == PAPER_SHARED ? THREADS : 1];
    unsigned warps[ROWS * THREADS / WARP_LANES]; /* totals of the warps, then the sums before each
                                                  * warp */
    unsigned total;
};

/* Scans ROWS rows of THREADS values, row after row; values[row] becomes the sum of all values up to
 * and including this thread's value of the row. Values are below 2^BITS; BITS is 1 or 32. Called by
 * all threads of a block of THREADS; a barrier must precede the next call. Returns the sum of all
 * values. */
template <paper_form FORM, int BITS, int THREADS, int ROWS>
static DEVICE unsigned block_paper_scan(unsigned (&values)[ROWS],
                                        block_paper_shared<FORM, THREADS, ROWS> *shared)
{
    constexpr unsigned WARPS = THREADS / WARP_LANES, TOTALS = ROWS * WARPS;
    constexpr int      TOTAL_BITS = BITS == 1 ? 6 : 32;
    unsigned const     warp = threadIdx.x / WARP_LANES, lane = lane_id();
    unsigned *const    places = shared->places + (FORM == PAPER_SHARED ? warp * WARP_LANES : 0);
#pragma unroll
    for (int row = 0; row < ROWS; row++) {
        values[row] = warp_paper_scan<FORM, BITS>(values[row], places);
        if (lane == WARP_LANES - 1)
            shared->warps[row * WARPS + warp] = values[row];
    }
    __syncthreads();
    if (warp == 0) {
        unsigned before = 0;
        for (unsigned first = 0; first < TOTALS; first += WARP_LANES) {
            unsigned const at = first + lane;
            unsigned const total = at < TOTALS ? shared->warps[at] : 0;
            unsigned const sum = before + warp_paper_scan<FORM, TOTAL_BITS>(total, places);
            if (at < TOTALS)
                shared->warps[at] = sum - total;
            before = __shfl_sync(WARP_ALL, sum, WARP_LANES - 1);
        }
        if (lane == 0)
            shared->total = before;
    }
    __syncthreads();
#pragma unroll
    for (int row = 0; row < ROWS; row++)
        values[row] += shared->warps[row * WARPS + warp];
    return shared->total;
}

#endif
