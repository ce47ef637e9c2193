/* segment_kept.cuh - finds the long segments that are in order already and writes them as they are.
 *
 * The sample of a segment, in the order of its places, shows whether the segment may be in order
 * (segment_split.cuh). A pass over the tiles of such segments compares all neighbours. The sort
 * leaves out the segments that are in order. If there are none, the kernels end at once. Memory
 * moved for sorted segments: one read, and one read and one write if they are not in place. */
#ifndef ORDO_CUDA_SEGMENTS_SEGMENT_KEPT_H
#define ORDO_CUDA_SEGMENTS_SEGMENT_KEPT_H

#include "cuda/segments/dev_segments_sort.cuh"

enum {
    SPLIT_THREADS = 512
};

enum split_fate { /* of a long segment */
    SPLIT_IN_ORDER,
    SPLIT_FALLS,    /* it is distributed over buckets */
    SPLIT_ELSEWHERE /* it is sorted by dev_segments_even.cu */
};

/* The number of segments whose samples are in order, and of those that are left out otherwise. */
static DEVICE uint32_t split_sorted_samples(const segment_split &split)
{
    return split.falls == NULL ? 0 : split.falls[split.segments];
}

/* Stores whether the sample of a segment descends somewhere. Called by all threads. */
static DEVICE void split_note(const segment_split &split, uint64_t slot, bool falls)
{
    if (split.falls == NULL || threadIdx.x != 0)
        return;
    split.falls[slot] = falls ? SPLIT_FALLS : SPLIT_IN_ORDER;
    if (!falls)
        atomicAdd(split.falls + split.segments, 1u);
}

/* Whether a long segment is left out: it is in order, or sorted by dev_segments_even.cu. */
static DEVICE bool split_is_left_out(const segment_split &split, uint64_t slot)
{
    return split_sorted_samples(split) != 0 && split.falls[slot] != SPLIT_FALLS;
}

/* Leaves out a segment that is sorted otherwise. Called by one thread. */
static DEVICE void split_leave_out(const segment_split &split, uint64_t slot)
{
    split.falls[slot] = SPLIT_ELSEWHERE;
    atomicAdd(split.falls + split.segments, 1u);
    atomicAdd(split.falls + split.segments + 1, 1u);
}

/* The number of segments that are sorted otherwise. */
static DEVICE uint32_t split_elsewhere(const segment_split &split)
{
    return split.falls == NULL ? 0 : split.falls[split.segments + 1];
}

/* Whether all long segments are sorted otherwise. */
static DEVICE bool split_is_over(const segment_classes &classes, const segment_split &split)
{
    return split_elsewhere(split) == segment_slots_count(classes);
}

/* Where tile t is; where.length is 0 if there is no such tile or its segment is left out. */
static DEVICE tile_place split_tile(const segment_classes &classes, const segment_split &split,
                                    uint64_t t)
{
    tile_place at = place_of_tile(classes, t);
    if (split_is_left_out(split, at.slot))
        at.where.length = 0;
    return at;
}

/* Sets falls[slot] for every segment with a key that is less than the key before, if the sample did
 * not show that. */
template <typename KIND, typename BITS = typename KIND::BITS>
static __global__ void __launch_bounds__(SPLIT_THREADS)
    split_check(const __grid_constant__ segment_classes classes,
                const __grid_constant__ segment_job<BITS> job, segment_split const split)
{
    typedef typename KIND::K K;
    constexpr unsigned       TILE = tile_records<KIND>();
    constexpr int            ITEMS = TILE / SPLIT_THREADS;
    uint64_t const tiles = split_sorted_samples(split) == 0 ? 0 : segment_tiles_count(classes);
    for (uint64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        tile_place const         at = place_of_tile(classes, t);
        volatile uint32_t *const flag = split.falls + at.slot;
        if (__syncthreads_or(at.where.length == 0 || (threadIdx.x == 0 && *flag != 0)))
            continue;
        uint64_t const left = at.where.length - at.first;
        K              x[ITEMS];
        bool           falls = false;
        auto const     place = [&](int e) { return e * SPLIT_THREADS + threadIdx.x; };
        segment_load_items<KIND>(
            job, [&](int e) { return at.where.start + at.first + place(e); },
            [&](int e) { return place(e) < left; }, [&](int e) { return at.first + place(e); }, x);
#pragma unroll
        for (int e = 0; e < ITEMS; e++) {
            BITS next = (BITS)__shfl_down_sync(WARP_ALL, KIND::bits(x[e]), 1);
            if (lane_id() == WARP_LANES - 1 && place(e) + 1 < left)
                next = KIND::bits(segment_load<KIND>(job, at.where.start, at.first + place(e) + 1));
            falls |= place(e) + 1 < left && next < KIND::bits(x[e]);
        }
        if (__syncthreads_or(falls) && threadIdx.x == 0)
            *flag = SPLIT_FALLS;
    }
}

/* Writes the records of the segments that are kept. */
template <typename KIND, typename BITS = typename KIND::BITS>
static __global__ void __launch_bounds__(SPLIT_THREADS)
    split_keep(const __grid_constant__ segment_classes classes,
               const __grid_constant__ segment_job<BITS> from,
               const __grid_constant__ segment_job<BITS> to, segment_split const split)
{
    typedef typename KIND::K K;
    constexpr unsigned       TILE = tile_records<KIND>();
    bool const               is_any = split_sorted_samples(split) != split_elsewhere(split);
    uint64_t const           tiles = is_any ? segment_tiles_count(classes) : 0;
    for (uint64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        tile_place const at = place_of_tile(classes, t);
        if (at.where.length == 0 || split.falls[at.slot] != SPLIT_IN_ORDER)
            continue;
        unsigned const count = (unsigned)min(at.where.length - at.first, (uint64_t)TILE);
        for (unsigned p = threadIdx.x; p < count; p += SPLIT_THREADS) {
            K const record = segment_load<KIND>(from, at.where.start, at.first + p);
            segment_store<KIND>(to, at.where, at.first + p, record);
        }
    }
}

/* Writes the kept segments by the job `to`, unless they are in place. */
template <typename KIND, typename BITS = typename KIND::BITS>
static ordo_status split_write_kept(cuda_call *call, const segment_plan *plan,
                                    const segment_split &split, const segment_job<BITS> &from,
                                    const segment_job<BITS> &to)
{
    if (split.falls == NULL || segments_are_in_place(from))
        return ORDO_OK;
    return CUDA_LAUNCH(call, split_keep<KIND>, segment_grid(call, plan->classes.most_tiles, 1, 4),
                       SPLIT_THREADS, 0, plan->classes, from, to, split);
}

#endif
