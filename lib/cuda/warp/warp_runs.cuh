/* warp_runs.cuh - one warp finds where a run of equal keys begins or ends in a sorted array.
 *
 * The modified binary search of the competition ranking paper (Liang, Bisnett, Hylton, Sang, Yu)
 * by 32 lanes at once: the 32 keys next to the one asked about, which is one coalesced read and
 * mostly enough, and which the caller starts before it needs the answer; then 32 keys at doubling
 * distances and the last key there is; then 32 keys that cut what is left into 33 parts, until
 * nothing is left. A run of a million keys takes seven rounds of loads, one of a thousand four; one
 * that goes on to the end of the array takes two.
 *
 * Equality is all that is used, so ascending and descending arrays are alike. All 32 lanes call
 * together; the result is valid in every lane. Called by device/dev_rank_pass.cu. */
#ifndef ORDO_CUDA_WARP_WARP_RUNS_H
#define ORDO_CUDA_WARP_WARP_RUNS_H

#include "cuda/warp/warp_heads.cuh"

/* Keys read early: the one asked about, and of each lane one next to it. */
template <typename BITS> struct run_probe {
    BITS key, near;
};

template <typename BITS>
static __device__ __forceinline__ run_probe<BITS> probe_before(const BITS *const keys,
                                                               size_t const      i)
{
    run_probe<BITS> const probe = {keys[i], keys[lane_id() < i ? i - 1 - lane_id() : i]};
    return probe;
}

template <typename BITS>
static __device__ __forceinline__ run_probe<BITS> probe_behind(const BITS *const keys,
                                                               size_t const n, size_t const i)
{
    run_probe<BITS> const probe = {keys[i], keys[n - i - 1 > lane_id() ? i + 1 + lane_id() : i]};
    return probe;
}

/* How many keys a run goes on for in one direction, of `room` that there are: in_run(d) says
 * whether the key at distance d, 1 <= d <= room, is in it; it is for all smaller distances then.
 * 32 are. */
template <typename TEST>
static __device__ __forceinline__ size_t long_run(size_t const room, TEST &&in_run)
{
    unsigned const lane = lane_id();
    size_t const   far = lane < 31 ? (size_t)64 << lane : room;
    bool const     inside = far <= room && in_run(far);
    uint32_t       out = __ballot_sync(WARP_ALL, !inside);
    if ((out >> 31) == 0)
        return room;
    unsigned const first = lowest_bit(out);
    size_t         in = first > 0 ? (size_t)64 << (first - 1) : 32; /* known to be in the run */
    size_t         past = first < 31 && (size_t)64 << first < room ? (size_t)64 << first : room;
    while (past - in > 1) { /* past is known not to be */
        size_t const step = (past - in + 31) / 32, probe = in + (lane + 1) * step;
        out = __ballot_sync(WARP_ALL, probe >= past || !in_run(probe));
        unsigned const end = lowest_bit(out); /* lane 31's probe is never below past */
        size_t const   upper = in + (end + 1) * step;
        in += end * step;
        past = upper < past ? upper : past;
    }
    return in;
}

template <typename CODE, typename TEST>
static __device__ __forceinline__ size_t run_length(run_probe<typename CODE::BITS> const probe,
                                                    size_t const room, TEST &&in_run)
{
    bool const     inside = lane_id() < room && keys_tie<CODE>(probe.near, probe.key);
    uint32_t const out = __ballot_sync(WARP_ALL, !inside);
    return out != 0 ? lowest_bit(out) : long_run(room, in_run);
}

/* The first key of the run of key i; probe is probe_before(keys, i). */
template <typename CODE>
static __device__ __forceinline__ size_t warp_run_begin(const typename CODE::BITS *const     keys,
                                                        size_t const                         i,
                                                        run_probe<typename CODE::BITS> const probe)
{
    return i - run_length<CODE>(probe, i,
                                [&](size_t d) { return keys_tie<CODE>(keys[i - d], probe.key); });
}

/* One past the last key of the run of key i of n; probe is probe_behind(keys, n, i). */
template <typename CODE>
static __device__ __forceinline__ size_t warp_run_end(const typename CODE::BITS *const keys,
                                                      size_t const n, size_t const i,
                                                      run_probe<typename CODE::BITS> const probe)
{
    return i + 1 + run_length<CODE>(probe, n - 1 - i, [&](size_t d) {
               return keys_tie<CODE>(keys[i + d], probe.key);
           });
}

#endif
