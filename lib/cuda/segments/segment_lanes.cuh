/* segment_lanes.cuh - sorts the records of short segments in the registers of warps, 16 records per
 * lane (segment_slots.cuh); rows of 16 keys are read without shared memory. Cost: one read and one
 * write. */
#ifndef ORDO_CUDA_SEGMENTS_SEGMENT_LANES_H
#define ORDO_CUDA_SEGMENTS_SEGMENT_LANES_H

#include "cuda/segments/dev_segments_sort.cuh"
#include "cuda/segments/segment_records.cuh"
#include "cuda/segments/segment_slots.cuh"

/* ---- 16 records per lane ---- */

/* Writes the ranks of the 16 records of this lane, which are sorted in shared memory. */
template <typename KIND, int M, typename BITS = typename KIND::BITS>
static DEVICE void slots_rank(const segment_job<BITS>              &job,
                              const slots_memory<typename KIND::K> *memory)
{
    unsigned const lane = lane_id(), slot = lane >> M, q = lane & ((1u << M) - 1);
    segment const  where = memory->slots[slot].where;
    unsigned const length = (unsigned)where.length;
    unsigned const begin = min(q * WARP_SORT_ITEMS, length);
    unsigned const end = min(begin + WARP_SORT_ITEMS, length);
    auto const     at = [&](uint64_t r) { return slots_at<M>(memory, slot, (unsigned)r); };
    uint32_t       before = 0;
    if (job.ties == ORDO_TIES_DENSE) {
        uint32_t heads = 0;
        for (unsigned r = begin; r < end; r++)
            heads += r == 0 || KIND::bits(at(r - 1)) != KIND::bits(at(r));
        __syncwarp();
        uint32_t const scanned = warp_scan<scan_add<uint32_t>>(heads) - heads;
        before = scanned - __shfl_sync(WARP_ALL, scanned, slot << M);
    }
    segment_ranks<KIND>(job, where, begin, end, before, at);
}

/* Writes the sorted keys, indices or records of all slots. */
template <typename KIND, int M, typename BITS = typename KIND::BITS>
static DEVICE void slots_write(const segment_job<BITS>              &job,
                               const slots_memory<typename KIND::K> *memory)
{
    if constexpr (!KIND::indexed)
        if (job.result == RESULT_KEYS && job.out_size >= 4) { /* one branch for all keys */
            BITS bits[WARP_SORT_ITEMS], raw[WARP_SORT_ITEMS];
#pragma unroll
            for (int e = 0; e < WARP_SORT_ITEMS; e++)
                bits[e] = slots_at<M>(memory, slot_of_item<M>(e), place_of_item<M>(e));
            job.code.template decode_each<WARP_SORT_ITEMS>(bits, raw);
#pragma unroll
            for (int e = 0; e < WARP_SORT_ITEMS; e++) {
                segment const where = memory->slots[slot_of_item<M>(e)].where;
                if (place_of_item<M>(e) < where.length)
                    ((BITS *)job.out)[where.start + place_of_item<M>(e)] = raw[e];
            }
            return;
        }
#pragma unroll 4
    for (int e = 0; e < WARP_SORT_ITEMS; e++) {
        unsigned const slot = slot_of_item<M>(e), r = place_of_item<M>(e);
        segment const  where = memory->slots[slot].where;
        if (r < where.length)
            segment_store<KIND>(job, where, r, slots_at<M>(memory, slot, r));
    }
}

/* Sorts the segments of more than `least` and at most `most` records. */
template <typename KIND, int M, typename BITS = typename KIND::BITS>
static __global__ void __launch_bounds__(SLOTS_THREADS, slots_resident(sizeof(typename KIND::K)))
    segments_by_slots(const __grid_constant__ segment_map map,
                      const __grid_constant__ segment_job<BITS> job,
                      segment_presence const presence, int64_t least, uint64_t most, unsigned chunk)
{
    typedef typename KIND::K K;
    __shared__ slots_memory<K> memories[SLOTS_WARPS];
    if (segments_are_absent(presence))
        return;
    slots_memory<K> *const memory = &memories[threadIdx.x / WARP_LANES];
    slots_each<M>(memory, map, least, most, chunk, [&]() {
        K                x[WARP_SORT_ITEMS];
        bool const       makes = job.records == NULL; /* else records have their indices */
        slots_rows const rows = slots_sort<M>(
            memory, x,
            [&](auto &&at, auto &&is_there, auto &&place) {
                segment_load_items<KIND>(job, at, is_there, place, x);
            },
            [&](K &record, unsigned place) {
                if (makes)
                    KIND::put_index(record, place);
            });
        if constexpr (M == 0 && !KIND::indexed)
            if (rows.are_dense && job.result == RESULT_KEYS && job.out_size >= 4) {
                slots_put_rows(memory, rows, x, [&](unsigned p, K record) {
                    ((BITS *)job.out)[rows.start + p] = job.code.decode(record);
                });
                return;
            }
        slots_spread(memory, x);
        if constexpr (KIND::indexed)
            if (job.result == RESULT_RANKS) {
                slots_rank<KIND, M>(job, memory);
                return;
            }
        slots_write<KIND, M>(job, memory);
    });
}

/* ---- Rows of 16 keys ---- */

/* Vector v of a row in shared memory, where rows are 4 vectors apart; the order of the vectors of a
 * row avoids bank conflicts. */
static DEVICE unsigned row_vector(unsigned row, unsigned v)
{
    return row * 4 + (v ^ (row >> 1 & 3));
}

/* Sorts rows of 16 keys of 4 bytes without gaps, one in each lane; `in` and `out` are aligned to 16
 * bytes. */
template <typename BITS>
static __global__ void __launch_bounds__(SLOTS_THREADS, 8)
    segments_by_lanes(uint64_t const count, const __grid_constant__ segment_job<BITS> job)
{
    __shared__ uint4 memories[SLOTS_WARPS][4 * WARP_LANES];
    uint4 *const     memory = memories[threadIdx.x / WARP_LANES];
    unsigned const   lane = lane_id();
    uint64_t const   threads = (uint64_t)gridDim.x * SLOTS_THREADS;
    uint64_t         row = (uint64_t)blockIdx.x * SLOTS_THREADS + threadIdx.x;
    for (; row - lane < count; row += threads) { /* whole warps stay in the loop */
        BITS  raw[WARP_SORT_ITEMS], bits[WARP_SORT_ITEMS];
        uint4 vectors[4];
#pragma unroll
        for (int v = 0; v < 4; v++)
            vectors[v] = row < count ? ((const uint4 *)job.in)[row * 4 + v] : uint4{0, 0, 0, 0};
#pragma unroll
        for (int v = 0; v < 4; v++) {
            raw[4 * v] = vectors[v].x;
            raw[4 * v + 1] = vectors[v].y;
            raw[4 * v + 2] = vectors[v].z;
            raw[4 * v + 3] = vectors[v].w;
        }
        job.code.template encode_each<WARP_SORT_ITEMS>(raw, bits);
        lane_sort(bits);
        job.code.template decode_each<WARP_SORT_ITEMS>(bits, raw);
        __syncwarp(); /* all lanes have read the last rows */
#pragma unroll
        for (int v = 0; v < 4; v++)
            memory[row_vector(lane, v)] = {raw[4 * v], raw[4 * v + 1], raw[4 * v + 2],
                                           raw[4 * v + 3]};
        __syncwarp();
#pragma unroll
        for (unsigned v = 0; v < 4; v++) { /* consecutive lanes write consecutive vectors */
            unsigned const at = v * WARP_LANES + lane;
            uint64_t const first = (row - lane) * 4;
            if (first + at < count * 4)
                ((uint4 *)job.out)[first + at] = memory[row_vector(at / 4, at % 4)];
        }
    }
}

/* Whether segments_by_lanes can sort the segments. */
template <typename BITS>
static inline bool are_lane_rows(const segment_plan *plan, const segment_job<BITS> &job)
{
    return segments_are_dense(plan->classes.map) && plan->classes.map.length == WARP_SORT_ITEMS &&
           job.result == RESULT_KEYS && job.key_size == 4 && job.records == NULL &&
           ((uintptr_t)job.in | (uintptr_t)job.out) % 16 == 0;
}

/* ---- Launches ---- */

/* Whether there are segments of these lengths, if the lists of the plan are filled. */
static inline segment_presence presence_of(const segment_plan *plan, uint64_t least, uint64_t most)
{
    if (!plan->is_classified)
        return {NULL, 0};
    return {segment_lengths(plan->classes.lists), segment_length_bits(least, most)};
}

/* Segments of more than `least` and at most `most` records. */
template <typename KIND, int M, typename BITS = typename KIND::BITS>
static ordo_status launch_slots(cuda_call *call, const segment_plan *plan,
                                const segment_job<BITS> &job, uint64_t least, uint64_t most)
{
    const segment_map &map = plan->classes.map;
    return CUDA_LAUNCH(call, (segments_by_slots<KIND, M>),
                       slots_grid(call, map, M, sizeof(typename KIND::K)), SLOTS_THREADS, 0, map,
                       job, presence_of(plan, least, most), (int64_t)least, most,
                       slots_chunk(map, M));
}

/* Sorts the segments that warps sort in registers, of these lengths. */
template <typename KIND, typename BITS = typename KIND::BITS>
static ordo_status launch_lanes(cuda_call *call, const segment_plan *plan,
                                const segment_job<BITS> &job, uint64_t shortest, uint64_t longest)
{
    constexpr int MOST_LG = segment_lanes_lg(sizeof(typename KIND::K));
    if constexpr (sizeof(typename KIND::K) == 4)
        if (are_lane_rows(plan, job))
            return CUDA_LAUNCH(call, segments_by_lanes<BITS>,
                               segment_grid(call, plan->classes.map.count, SLOTS_THREADS, 8),
                               SLOTS_THREADS, 0, plan->classes.map.count, job);
    return slots_classes<MOST_LG>(shortest, longest, [&](auto m, uint64_t least, uint64_t most) {
        return launch_slots<KIND, decltype(m)::M>(call, plan, job, least, most);
    });
}

#endif
