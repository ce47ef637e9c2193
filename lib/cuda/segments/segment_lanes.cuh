/* segment_lanes.cuh - sorts the records of short segments in the registers of warps. Up to 4
 * records: one per lane, by a bitonic network of shuffles in a group of 2^m lanes. Longer segments:
 * 16 per lane (segment_slots.cuh); rows of 16 keys are read without shared memory. Records of 16
 * bytes: up to 16 records 16 per lane, up to 32 one per lane. Cost: one read and one write. */
#ifndef ORDO_CUDA_SEGMENTS_SEGMENT_LANES_H
#define ORDO_CUDA_SEGMENTS_SEGMENT_LANES_H

#include "cuda/segments/dev_segments_sort.cuh"
#include "cuda/segments/segment_records.cuh"
#include "cuda/segments/segment_slots.cuh"

enum {
    GROUP_THREADS = 256,
    GROUP_MOST = 4 /* largest segment for which one record per lane is faster */
};

/* ---- One record per lane ---- */

template <typename T> static DEVICE T group_swap(T record, unsigned mask)
{
    return __shfl_xor_sync(WARP_ALL, record, mask);
}
template <> DEVICE key_record group_swap(key_record record, unsigned mask)
{
    return {__shfl_xor_sync(WARP_ALL, record.key, mask),
            __shfl_xor_sync(WARP_ALL, record.index, mask)};
}

template <typename K> static DEVICE K group_keep(K mine, K other, bool upper)
{
    return (mine < other) != upper ? mine : other;
}

/* Sorts one record of each lane within groups of `lanes` lanes, a power of 2. Called by a whole
 * warp. */
template <typename K> static DEVICE K group_sort(K mine, unsigned lanes)
{
    unsigned const lane = lane_id();
    for (unsigned size = 2; size <= lanes; size *= 2) {
        mine = group_keep(mine, group_swap(mine, size - 1), (lane & size / 2) != 0);
        for (unsigned apart = size / 4; apart > 0; apart /= 2)
            mine = group_keep(mine, group_swap(mine, apart), (lane & apart) != 0);
    }
    return mine;
}

/* Writes the rank of this lane's record, place j of a sorted segment. Called by a whole warp. */
template <typename KIND, typename BITS = typename KIND::BITS>
static DEVICE void group_rank(const segment_job<BITS> &job, segment where, unsigned lanes,
                              typename KIND::K record)
{
    unsigned const lane = lane_id(), j = lane & (lanes - 1);
    BITS const     bits = KIND::bits(record);
    BITS const     left = __shfl_up_sync(WARP_ALL, bits, 1);
    unsigned const votes = __ballot_sync(WARP_ALL, j == 0 || left != bits) >> (lane - j);
    if (j >= where.length)
        return;
    unsigned const to_here = (2u << j) - 1; /* places 0 to j */
    unsigned const all = where.length >= 32 ? WARP_ALL : (1u << where.length) - 1;
    unsigned const after = votes & all & ~to_here;
    segment_rank(job, where.start + KIND::index(record), j, 31 - __clz(votes & to_here),
                 after != 0 ? __ffs(after) - 1 : where.length, __popc(votes & to_here));
}

/* Sorts the segments of `least` to `most` records in groups of 2^lg lanes; most <= 2^lg. */
template <typename KIND, typename BITS = typename KIND::BITS>
static __global__ void __launch_bounds__(GROUP_THREADS)
    segments_by_groups(segment_map const map, segment_job<BITS> const job,
                       segment_presence const presence, unsigned const lg, unsigned const least,
                       unsigned const most)
{
    if (segments_are_absent(presence))
        return;
    unsigned const lanes = 1u << lg, j = lane_id() & (lanes - 1);
    uint64_t const groups = (uint64_t)gridDim.x * GROUP_THREADS >> lg;
    uint64_t const count = segment_count(map);
    uint64_t const rounds = (count + groups - 1) / groups;
    uint64_t       i = ((uint64_t)blockIdx.x * GROUP_THREADS + threadIdx.x) >> lg;
    for (uint64_t round = 0; round < rounds; round++, i += groups) { /* the same in all lanes */
        segment where = i < count ? segment_at(map, i) : segment{0, 0};
        if (where.length < least || where.length > most)
            where.length = 0;
        if (!__any_sync(WARP_ALL, where.length != 0))
            continue;
        typename KIND::K record = last_record<typename KIND::K>();
        if (j < where.length)
            record = segment_load<KIND>(job, where.start, j);
        record = group_sort(record, lanes);
        if constexpr (KIND::indexed)
            if (job.result == RESULT_RANKS) {
                group_rank<KIND>(job, where, lanes, record);
                continue;
            }
        if (j < where.length)
            segment_store<KIND>(job, where, j, record);
    }
}

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
        return {NULL, 0, 0};
    return {segment_lengths(plan->classes.lists), segment_length_bits(least, most), 0};
}

/* The smallest lg with n <= 2^lg. */
static inline unsigned lg_of(size_t n)
{
    unsigned lg = 0;
    while ((size_t)1 << lg < n)
        lg++;
    return lg;
}

template <typename KIND, typename BITS = typename KIND::BITS>
static ordo_status launch_groups(cuda_call *call, const segment_plan *plan,
                                 const segment_job<BITS> &job, unsigned lg, unsigned least)
{
    unsigned const most = 1u << lg;
    size_t const   grid =
        segment_grid(call, ordo_div_up(plan->classes.map.count, GROUP_THREADS >> lg), 1, 8);
    segment_presence presence = presence_of(plan, least - 1, most);
    if (sizeof(typename KIND::K) <= 8)
        presence.unless = segment_length_bits(GROUP_MOST, WARP_SORT_ITEMS);
    return CUDA_LAUNCH(call, segments_by_groups<KIND>, grid, GROUP_THREADS, 0, plan->classes.map,
                       job, presence, lg, least, most);
}

/* Segments of more than `least` and at most `most` records, if some have more than `wanted`. */
template <typename KIND, int M, typename BITS = typename KIND::BITS>
static ordo_status launch_slots(cuda_call *call, const segment_plan *plan,
                                const segment_job<BITS> &job, int64_t least, uint64_t most,
                                int64_t wanted)
{
    return CUDA_LAUNCH(call, (segments_by_slots<KIND, M>),
                       slots_grid(call, plan->classes.map, M, sizeof(typename KIND::K)),
                       SLOTS_THREADS, 0, plan->classes.map, job,
                       presence_of(plan, (uint64_t)wanted, most), least, most,
                       slots_chunk(plan->classes.map, M));
}

/* Sorts the segments that warps sort in registers, of these lengths. */
template <typename KIND, typename BITS = typename KIND::BITS>
static ordo_status launch_lanes(cuda_call *call, const segment_plan *plan,
                                const segment_job<BITS> &job, uint64_t shortest, uint64_t longest)
{
    unsigned const lg = lg_of(ordo_min(longest, GROUP_MOST));
    if constexpr (sizeof(typename KIND::K) == 4)
        if (are_lane_rows(plan, job))
            return CUDA_LAUNCH(call, segments_by_lanes<BITS>,
                               segment_grid(call, plan->classes.map.count, SLOTS_THREADS, 8),
                               SLOTS_THREADS, 0, plan->classes.map.count, job);
    if (shortest <= GROUP_MOST)
        TRY(launch_groups<KIND>(call, plan, job, lg, 1));
    if constexpr (sizeof(typename KIND::K) <= 8) {
        return slots_classes<SLOTS_MOST_LG>(
            shortest, longest, GROUP_MOST, [&](auto m, int64_t least, uint64_t most) {
                /* Known tiny segments are sorted with those of up to 16 records, so that segments
                 * that follow each other are read as one piece. */
                bool const joins = decltype(m)::M == 0 && plan->is_classified;
                return launch_slots<KIND, decltype(m)::M>(call, plan, job, joins ? 0 : least, most,
                                                          least);
            });
    } else {
        if (shortest <= WARP_SORT_ITEMS && longest > GROUP_MOST)
            TRY((launch_slots<KIND, 0>(call, plan, job, GROUP_MOST, WARP_SORT_ITEMS, GROUP_MOST)));
        if (longest > WARP_SORT_ITEMS && shortest <= WARP_LANES)
            TRY(launch_groups<KIND>(call, plan, job, 5, WARP_SORT_ITEMS + 1));
        return ORDO_OK;
    }
}

#endif
