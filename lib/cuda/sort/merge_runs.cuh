/* merge_runs.cuh - an array of sorted stretches merged two by two until it is sorted.
 *
 * A pass writes the array once: every block merges one tile of at most 2048 results. Where the tile
 * begins in its two stretches is found on the merge path (O. Green, R. McColl and D. A. Bader, "GPU
 * merge path", ICS 2012) by a warp that tries 32 places of the diagonal at once, so four or five
 * steps do for any length. The tile's keys are then in shared memory, and each thread finds its own
 * part of the path there.
 *
 * lg(n / run) passes of 2 n keys. Used by dev_merge.cu, for the sub-arrays of dev_select_bitonic.cu
 * and for the records of dev_topk.cu; K is an unsigned integer or a record with operator<. Equal
 * keys keep the order of their stretches. */
#ifndef ORDO_CUDA_SORT_MERGE_RUNS_H
#define ORDO_CUDA_SORT_MERGE_RUNS_H

#include "cuda/runtime/cuda_rt.cuh"
#include "cuda/warp/warp_ballot.cuh"

enum {
    MERGE_THREADS = 256,
    MERGE_ITEMS = 8,
    MERGE_TILE = MERGE_THREADS * MERGE_ITEMS
};

/* How many of the first `diagonal` results come from a, if a comes first among equals. Called by a
 * whole warp. */
template <typename K>
static __device__ __forceinline__ size_t warp_merge_path(const K *a, size_t a_count, const K *b,
                                                         size_t b_count, size_t diagonal)
{
    size_t lo = diagonal > b_count ? diagonal - b_count : 0;
    size_t hi = diagonal < a_count ? diagonal : a_count;
    while (lo < hi) {
        size_t const   at = lo + (hi - lo) * lane_id() / WARP_LANES;
        bool const     is_taken = !(b[diagonal - 1 - at] < a[at]);
        unsigned const taken = (unsigned)__popc(__ballot_sync(WARP_ALL, is_taken));
        size_t const   last = __shfl_sync(WARP_ALL, at, taken == 0 ? 0 : (int)taken - 1);
        size_t const   next = __shfl_sync(WARP_ALL, at, taken == WARP_LANES ? 0 : (int)taken);
        lo = taken == 0 ? lo : last + 1;
        hi = taken == 0 ? lo : taken == WARP_LANES ? hi : next;
    }
    return lo;
}

/* Merges stretches of `run` keys, the last of which may be shorter. A tile lies in one pair. */
template <typename K>
static __global__ void __launch_bounds__(MERGE_THREADS)
    merge_pass_kernel(const K *const from, K *const to, size_t n, size_t run, unsigned tile)
{
    __shared__ __align__(16) unsigned char room[MERGE_TILE * sizeof(K)];
    __shared__ size_t                      splits[2];
    K *const                               keys = (K *)room;
    size_t const   first = (size_t)blockIdx.x * tile, pair = first / (2 * run) * (2 * run);
    size_t const   a_count = n - pair < run ? n - pair : run;
    size_t const   rest = n - pair - a_count;
    size_t const   b_count = rest < run ? rest : run;
    const K *const a = from + pair, *const b = a + a_count;
    unsigned const count = (unsigned)(n - first < tile ? n - first : tile);
    unsigned const warp = threadIdx.x / WARP_LANES;
    if (warp < 2) {
        size_t const split =
            warp_merge_path(a, a_count, b, b_count, first - pair + (warp == 0 ? 0 : count));
        if (lane_id() == 0)
            splits[warp] = split;
    }
    __syncthreads();
    size_t const   a_first = splits[0], b_first = first - pair - a_first;
    unsigned const a_here = (unsigned)(splits[1] - a_first), b_here = count - a_here;
    for (unsigned i = threadIdx.x; i < count; i += MERGE_THREADS)
        keys[i] = i < a_here ? a[a_first + i] : b[b_first + i - a_here];
    __syncthreads();

    unsigned const items = tile / MERGE_THREADS;
    unsigned const start = threadIdx.x * items < count ? threadIdx.x * items : count;
    unsigned       lo = start > b_here ? start - b_here : 0, hi = start < a_here ? start : a_here;
    while (lo < hi) {
        unsigned const middle = (lo + hi) / 2;
        bool const     is_taken = !(keys[a_here + start - 1 - middle] < keys[middle]);
        lo = is_taken ? middle + 1 : lo;
        hi = is_taken ? hi : middle;
    }
    unsigned i = lo, j = a_here + start - lo;
    K        merged[MERGE_ITEMS];
#pragma unroll
    for (unsigned r = 0; r < MERGE_ITEMS; r++)
        if (r < items && start + r < count) {
            bool const is_a = j >= count || (i < a_here && !(keys[j] < keys[i]));
            merged[r] = keys[is_a ? i : j];
            i += is_a ? 1 : 0;
            j += is_a ? 0 : 1;
        }
    __syncthreads();
#pragma unroll
    for (unsigned r = 0; r < MERGE_ITEMS; r++)
        if (r < items && start + r < count)
            keys[start + r] = merged[r];
    __syncthreads();
    for (unsigned r = threadIdx.x; r < count; r += MERGE_THREADS)
        to[first + r] = keys[r];
}

/* Merges until one stretch is left, between two arrays of n keys; *sorted is the one it ends in. */
template <typename K>
static inline ordo_status merge_runs(cuda_call *call, K *from, K *to, size_t n, size_t run,
                                     K **sorted)
{
    for (; run < n; run *= 2) {
        size_t const tile = ordo_min(2 * run, MERGE_TILE);
        CUDA_LAUNCH(call, merge_pass_kernel<K>, ordo_div_up(n, tile), MERGE_THREADS, 0, from, to, n,
                    run, (unsigned)tile);
        K *const merged = to;
        to = from;
        from = merged;
    }
    *sorted = from;
    return ORDO_OK;
}

#endif
