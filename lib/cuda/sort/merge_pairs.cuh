/* merge_pairs.cuh - two sorted stretches of keys with their indices, merged in one pass.
 *
 * Every block merges a tile of 2048 results: where it begins in the two stretches is found on the
 * merge path by two warps (O. Green, R. McColl and D. A. Bader, "GPU merge path", ICS 2012), where
 * a thread's part begins by each thread in shared memory. Keys that tie keep the order of their
 * stretches. Device memory moved: the records, read once and written once. Used by
 * dev_put_ranks.cu; merge_runs.cuh merges arrays of many stretches whose records are one word. */
#ifndef ORDO_CUDA_SORT_MERGE_PAIRS_H
#define ORDO_CUDA_SORT_MERGE_PAIRS_H

#include "cuda/runtime/cuda_keys.cuh"
#include "cuda/warp/warp_ballot.cuh"

enum {
    PAIRS_THREADS = 256,
    PAIRS_ITEMS = 8,
    PAIRS_TILE = PAIRS_THREADS * PAIRS_ITEMS
};

template <typename BITS, typename NUM> struct pairs_array {
    BITS *keys;
    NUM  *index;
};

/* How many of the first `diagonal` results come from a. Called by a whole warp, which tries 32
 * places at once. */
template <typename CODE>
static __device__ __forceinline__ size_t pairs_path(const typename CODE::BITS *const a,
                                                    size_t const                     a_count,
                                                    const typename CODE::BITS *const b,
                                                    size_t const b_count, CODE const code,
                                                    size_t const diagonal)
{
    size_t lo = diagonal > b_count ? diagonal - b_count : 0;
    size_t hi = diagonal < a_count ? diagonal : a_count;
    while (lo < hi) {
        size_t const   at = lo + (hi - lo) * lane_id() / WARP_LANES;
        bool const     is_taken = !(code.encode(b[diagonal - 1 - at]) < code.encode(a[at]));
        unsigned const taken = (unsigned)__popc(__ballot_sync(WARP_ALL, is_taken));
        size_t const   last = __shfl_sync(WARP_ALL, at, taken == 0 ? 0 : (int)taken - 1);
        size_t const   next = __shfl_sync(WARP_ALL, at, taken == WARP_LANES ? 0 : (int)taken);
        hi = taken == 0 ? lo : taken == WARP_LANES ? hi : next;
        lo = taken == 0 ? lo : last + 1;
    }
    return lo;
}

template <typename CODE, typename NUM>
static __global__ void __launch_bounds__(PAIRS_THREADS)
    merge_pairs(pairs_array<const typename CODE::BITS, const NUM> const from, size_t const split,
                size_t const n, CODE const code, pairs_array<typename CODE::BITS, NUM> const to)
{
    typedef typename CODE::BITS BITS;

    __shared__ BITS     codes[PAIRS_TILE];
    __shared__ uint16_t source[PAIRS_TILE]; /* of each result: its place in codes */
    __shared__ size_t   splits[2];

    size_t const      first = (size_t)blockIdx.x * PAIRS_TILE;
    unsigned const    count = (unsigned)(n - first < PAIRS_TILE ? n - first : PAIRS_TILE);
    const BITS *const a = from.keys, *const b = from.keys + split;
    unsigned const warp = threadIdx.x / WARP_LANES;
    if (warp < 2) {
        size_t const at = pairs_path(a, split, b, n - split, code, first + (warp == 0 ? 0 : count));
        if (lane_id() == 0)
            splits[warp] = at;
    }
    __syncthreads();
    size_t const   a_first = splits[0], b_first = split + first - a_first;
    unsigned const a_here = (unsigned)(splits[1] - a_first), b_here = count - a_here;
    for (unsigned i = threadIdx.x; i < count; i += PAIRS_THREADS)
        codes[i] = code.encode(from.keys[i < a_here ? a_first + i : b_first + (i - a_here)]);
    __syncthreads();

    unsigned const start = threadIdx.x * PAIRS_ITEMS < count ? threadIdx.x * PAIRS_ITEMS : count;
    unsigned       lo = start > b_here ? start - b_here : 0, hi = start < a_here ? start : a_here;
    while (lo < hi) {
        unsigned const middle = (lo + hi) / 2;
        bool const     is_taken = !(codes[a_here + start - 1 - middle] < codes[middle]);
        lo = is_taken ? middle + 1 : lo;
        hi = is_taken ? hi : middle;
    }
    unsigned i = lo, j = a_here + start - lo;
#pragma unroll
    for (unsigned r = 0; r < PAIRS_ITEMS; r++)
        if (start + r < count) {
            bool const is_a = j >= count || (i < a_here && !(codes[j] < codes[i]));
            source[start + r] = (uint16_t)(is_a ? i : j);
            i += is_a ? 1 : 0;
            j += is_a ? 0 : 1;
        }
    __syncthreads();
    /* The tile's keys, patterns as they were, are read again, from L1 or L2. */
    for (unsigned r = threadIdx.x; r < count; r += PAIRS_THREADS) {
        unsigned const at = source[r];
        size_t const   place = at < a_here ? a_first + at : b_first + (at - a_here);
        to.keys[first + r] = from.keys[place];
        to.index[first + r] = from.index[place];
    }
}

#endif
