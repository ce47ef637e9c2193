/* segment_sort.cuh - sorts the records of every segment, by a path for each class of lengths.
 *
 * Up to 512 records (of 16 bytes: 32) warps sort in registers (segment_lanes.cuh). Up to 16384
 * records of 4 bytes or 8192 of 8 bytes blocks sort in shared memory by buckets
 * (segment_spread.cuh), up to 2048 of 16 bytes by a network (block_bitonic.cuh). Longer segments
 * are distributed over buckets, huge ones twice (segment_split.cuh), which are sorted as segments.
 * Evenly spread 4-byte keys of long segments have codes instead (dev_segments_even.cu). Huge
 * segments of 4-byte keys are sorted by digits (dev_segments_huge.cu).
 * A bucket that is still too long for a block is sorted in tiles, which passes over all such
 * buckets merge (merge_sorted.cuh), always within the bucket. Cost: one read and one write; long
 * segments two reads and one write more. Scratch: two records and 3 bytes for each element. */
#ifndef ORDO_CUDA_SEGMENTS_SEGMENT_SORT_H
#define ORDO_CUDA_SEGMENTS_SEGMENT_SORT_H

#include "cuda/block/block_before.cuh"
#include "cuda/block/block_bitonic.cuh"
#include "cuda/segments/dev_segments_sort.cuh"
#include "cuda/segments/segment_lanes.cuh"
#include "cuda/segments/segment_split.cuh"
#include "cuda/segments/segment_spread.cuh"

enum {
    TILE_THREADS = 512,
    MOST_WARPS = 32
};

/* ---- Shared memory ---- */

/* Whether a tile in shared memory is sorted. The first pairs are tested first, because they
 * reveal most unsorted tiles. Called by all threads; no barrier is needed after the writes of
 * the records. */
template <typename K> static DEVICE bool is_sorted_tile(const K *tile, unsigned count)
{
    bool falls = false;
    for (unsigned p = threadIdx.x, end = blockDim.x;; end = count) {
        __syncthreads();
        for (; p + 1 < count && p < end; p += blockDim.x)
            falls |= tile[bitonic_at<K>(p + 1)] < tile[bitonic_at<K>(p)];
        if (__syncthreads_or(falls))
            return false;
        if (end >= count)
            return true;
    }
}

/* Sorts records `first` to first + count - 1 of a segment in shared memory; the result is visible
 * to all threads. */
template <typename KIND, typename BITS = typename KIND::BITS>
static DEVICE void sort_in_block(const segment_job<BITS> &job, segment where, uint64_t first,
                                 unsigned count, typename KIND::K *tile)
{
    typedef typename KIND::K K;
    unsigned const           padded = bitonic_tile(count);
    for (unsigned from = threadIdx.x; from < padded; from += BITONIC_LEAST * blockDim.x) {
        K          x[BITONIC_LEAST];
        auto const place = [&](int e) { return from + e * blockDim.x; };
        segment_load_items<KIND>(
            job, [&](int e) { return where.start + first + place(e); },
            [&](int e) { return place(e) < count; }, [&](int e) { return first + place(e); }, x);
#pragma unroll
        for (int e = 0; e < BITONIC_LEAST; e++)
            if (place(e) < padded)
                tile[bitonic_at<K>(place(e))] = x[e];
    }
    if (!is_sorted_tile(tile, count))
        block_bitonic_sort(tile, padded);
}

/* Writes the ranks of places `first` to first + count - 1; each thread handles consecutive places.
 * `before` is the number of distinct keys before them. `totals` has MOST_WARPS zeros. */
template <typename KIND, typename AT, typename BITS = typename KIND::BITS>
static DEVICE void rank_in_block(const segment_job<BITS> &job, segment where, uint64_t first,
                                 unsigned count, uint64_t before, uint32_t *totals, AT &&at)
{
    unsigned const each = (count + blockDim.x - 1) / blockDim.x;
    unsigned const begin = min(threadIdx.x * each, count), end = min(begin + each, count);
    if (job.ties == ORDO_TIES_DENSE) {
        uint32_t heads = 0;
        for (uint64_t r = first + begin; r < first + end; r++)
            heads += r == 0 || KIND::bits(at(r - 1)) != KIND::bits(at(r));
        before += block_sum_before<MOST_WARPS>(heads, totals);
    }
    segment_ranks<KIND>(job, where, first + begin, first + end, before, at);
}

/* Writes a segment that is sorted in shared memory: at(r) is record r. */
template <typename KIND, typename AT, typename BITS = typename KIND::BITS>
static DEVICE void write_segment_at(const segment_job<BITS> &job, segment where, uint32_t *totals,
                                    AT &&at)
{
    unsigned const count = (unsigned)where.length;
    if constexpr (KIND::indexed)
        if (job.result == RESULT_RANKS) {
            rank_in_block<KIND>(job, where, 0, count, 0, totals, at);
            return;
        }
    for (unsigned p = threadIdx.x; p < count; p += blockDim.x)
        segment_store<KIND>(job, where, p, at(p));
}

/* The same after sort_in_block. */
template <typename KIND, typename BITS = typename KIND::BITS>
static DEVICE void write_segment(const segment_job<BITS> &job, segment where,
                                 const typename KIND::K *tile, uint32_t *totals)
{
    typedef typename KIND::K K;
    write_segment_at<KIND>(job, where, totals,
                           [&](uint64_t r) { return tile[bitonic_at<K>((unsigned)r)]; });
}

/* Zeroes the totals; a barrier follows before their first use. */
static DEVICE void clear_totals(uint32_t *totals)
{
    for (unsigned w = threadIdx.x; w < MOST_WARPS; w += blockDim.x)
        totals[w] = 0;
}

/* Sorts the segments of a list, or all segments of a fixed layout (list < 0), of at most `most`
 * records. */
template <typename KIND, typename BITS = typename KIND::BITS>
static __global__ void segments_by_blocks(const __grid_constant__ segment_classes classes,
                                          int const list, segment_job<BITS> const job,
                                          uint64_t const most)
{
    extern __shared__ __align__(16) unsigned char segment_room[];
    __shared__ uint32_t                           totals[MOST_WARPS];
    typename KIND::K *const                       tile = (typename KIND::K *)segment_room;
    uint64_t const count = list < 0 ? classes.map.count : segment_list_count(classes.lists, list);
    clear_totals(totals);
    for (uint64_t t = blockIdx.x; t < count; t += gridDim.x) {
        segment const where = segment_at(classes.map, list < 0 ? t : classes.lists.list[list][t]);
        if (where.length == 0 || where.length > most)
            continue; /* the same in all threads */
        sort_in_block<KIND>(job, where, 0, (unsigned)where.length, tile);
        write_segment<KIND>(job, where, tile, totals);
        __syncthreads();
    }
}

/* The same by buckets for segments of more than `least` records. */
template <typename KIND, int THREADS, typename BITS = typename KIND::BITS>
static __global__ void __launch_bounds__(THREADS, row_resident(THREADS))
    segments_by_spread(const __grid_constant__ segment_classes classes, int const list,
                       const __grid_constant__ segment_job<BITS> job, uint64_t const least)
{
    typedef typename KIND::K          K;
    typedef row_memory<KIND, THREADS> MEMORY;
    extern __shared__ __align__(16) unsigned char segment_room[];
    __shared__ uint32_t                           totals[MOST_WARPS];
    MEMORY *const                                 memory = (MEMORY *)segment_room;
    uint64_t const count = list < 0 ? classes.map.count : segment_list_count(classes.lists, list);
    clear_totals(totals);
    for (uint64_t t = blockIdx.x; t < count; t += gridDim.x) {
        segment const  where = segment_at(classes.map, list < 0 ? t : classes.lists.list[list][t]);
        unsigned const length = (unsigned)where.length;
        if (where.length <= least || where.length > MEMORY::RECORDS)
            continue; /* the same in all threads */
        K          x[MEMORY::ITEMS];
        auto const place = [&](int e) { return e * THREADS + threadIdx.x; };
        segment_load_items<KIND>(
            job, [&](int e) { return where.start + place(e); },
            [&](int e) { return place(e) < length; }, place, x);
        if (row_sort(memory, job.code, x, length)) {
            write_segment_at<KIND>(job, where, totals, [&](uint64_t r) {
                return memory->keys[windows_at<K>((unsigned)r)];
            });
        } else {
            __syncthreads();
            sort_in_block<KIND>(job, where, 0, length, memory->keys);
            write_segment<KIND>(job, where, memory->keys, totals);
        }
        __syncthreads();
    }
}

/* ---- Long segments: tiles ---- */

/* Sorts every tile into `a`, or into the result if the tile is the whole segment. */
template <typename KIND, typename BITS = typename KIND::BITS>
static __global__ void __launch_bounds__(TILE_THREADS)
    segments_by_tiles(const __grid_constant__ segment_classes classes, segment_job<BITS> const job,
                      typename KIND::K *const a)
{
    typedef typename KIND::K K;
    constexpr unsigned       TILE = tile_records<KIND>();
    extern __shared__ __align__(16) unsigned char segment_room[];
    __shared__ uint32_t                           totals[MOST_WARPS];
    K *const                                      tile = (K *)segment_room;
    uint64_t const                                tiles = segment_tiles_count(classes);
    clear_totals(totals);
    for (uint64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        tile_place const at = place_of_tile(classes, t);
        if (at.where.length == 0)
            continue;
        unsigned const count = (unsigned)min(at.where.length - at.first, (uint64_t)TILE);
        sort_in_block<KIND>(job, at.where, at.first, count, tile);
        if (at.where.length <= TILE)
            write_segment<KIND>(job, at.where, tile, totals);
        else
            for (unsigned p = threadIdx.x; p < count; p += blockDim.x)
                a[at.where.start + at.first + p] = tile[bitonic_at<K>(p)];
        __syncthreads();
    }
}

/* One pass: merges sorted parts of `part` records in all segments that have several. */
template <typename KIND, typename K = typename KIND::K>
static __global__ void __launch_bounds__(MERGE_THREADS)
    merge_segments(const __grid_constant__ segment_classes classes, uint64_t const part,
                   const K *const from, K *const to)
{
    constexpr unsigned TILE = tile_records<KIND>();
    static_assert(TILE % MERGE_TILE == 0, "merges write whole tiles");
    __shared__ __align__(16) unsigned char room[sizeof(merge_shared<K>)];
    merge_shared<K> *const                 shared = (merge_shared<K> *)room;
    if (classes.map.offsets != NULL && *classes.lists.longest <= part)
        return;
    uint64_t const tiles = segment_tiles_count(classes);
    for (uint64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        tile_place const at = place_of_tile(classes, t);
        if (at.where.length <= part)
            continue;
        uint64_t const end = min(at.where.length, at.first + TILE);
        for (uint64_t first = at.first; first < end; first += MERGE_TILE) {
            merge_tile(from + at.where.start, to + at.where.start, at.where.length, part,
                       MERGE_TILE, first, shared);
            __syncthreads();
        }
    }
}

/* The array that holds a sorted segment of several tiles after all passes. */
template <typename KIND, typename K = typename KIND::K>
static DEVICE const K *sorted_array(uint64_t length, const K *a, const K *b)
{
    bool odd = false;
    for (uint64_t part = tile_records<KIND>(); part < length; part *= 2)
        odd = !odd;
    return odd ? b : a;
}

/* Counts the keys of every tile that differ from the key before, for dense ranks, in segments of
 * more than `least` records. */
template <typename KIND, typename K = typename KIND::K>
static __global__ void __launch_bounds__(TILE_THREADS)
    count_heads(const __grid_constant__ segment_classes classes, const K *const a, const K *const b,
                uint64_t const least, uint32_t *const heads)
{
    constexpr unsigned TILE = tile_records<KIND>();
    uint64_t const     tiles = segment_tiles_count(classes);
    for (uint64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        tile_place const at = place_of_tile(classes, t);
        if (at.where.length <= least)
            continue;
        const K *const sorted = sorted_array<KIND>(at.where.length, a, b) + at.where.start;
        uint32_t       count = 0;
        for (unsigned p = 0; p < TILE; p += TILE_THREADS) {
            uint64_t const r = at.first + p + threadIdx.x;
            bool const     head = r < at.where.length &&
                              (r == 0 || KIND::bits(sorted[r - 1]) != KIND::bits(sorted[r]));
            count += (uint32_t)__syncthreads_count(head);
        }
        if (threadIdx.x == 0)
            heads[t] = count;
    }
}

/* Writes the results of segments of more than `least` records. `heads` is NULL unless ranks are
 * dense. */
template <typename KIND, typename BITS = typename KIND::BITS, typename K = typename KIND::K>
static __global__ void __launch_bounds__(TILE_THREADS)
    write_merged(const __grid_constant__ segment_classes classes, segment_job<BITS> const job,
                 const K *const a, const K *const b, uint64_t const least,
                 const uint32_t *const heads)
{
    typedef scan_add<unsigned long long> ADD;
    constexpr unsigned                   TILE = tile_records<KIND>();
    __shared__ uint32_t                  totals[MOST_WARPS];
    __shared__ unsigned long long        sums[TILE_THREADS / 32];
    uint64_t const                       tiles = segment_tiles_count(classes);
    clear_totals(totals);
    __syncthreads();
    for (uint64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        tile_place const at = place_of_tile(classes, t);
        if (at.where.length <= least)
            continue;
        const K *const sorted = sorted_array<KIND>(at.where.length, a, b) + at.where.start;
        unsigned const count = (unsigned)min(at.where.length - at.first, (uint64_t)TILE);
        if (job.result != RESULT_RANKS)
            for (unsigned p = threadIdx.x; p < count; p += TILE_THREADS)
                segment_store<KIND>(job, at.where, at.first + p, sorted[at.first + p]);
        else if constexpr (KIND::indexed) {
            unsigned long long before = 0;
            if (heads != NULL) {
                for (uint64_t u = at.first_tile + threadIdx.x; u < t; u += TILE_THREADS)
                    before += heads[u];
                before = block_reduce<ADD, TILE_THREADS / 32>(before, sums);
            }
            rank_in_block<KIND>(job, at.where, at.first, count, before, totals,
                                [&](uint64_t r) { return sorted[r]; });
            __syncthreads();
        }
    }
}

/* ---- Launches ---- */

static bool is_fixed(const segment_plan *plan) { return plan->classes.map.offsets == NULL; }

/* Most segments of a list, or all segments of a fixed layout. */
static size_t segments_listed(const segment_plan *plan, int list)
{
    return is_fixed(plan) ? plan->classes.map.count : plan->classes.lists.room[list];
}

template <typename KIND, typename BITS = typename KIND::BITS>
static ordo_status launch_blocks(cuda_call *call, const segment_plan *plan,
                                 const segment_job<BITS> &job, int list, unsigned most)
{
    unsigned const threads = ordo_min(ordo_max(most / BITONIC_LEAST, 32), 1024);
    size_t const   shared = bitonic_room<typename KIND::K>(most) * sizeof(typename KIND::K);
    size_t const   items = segments_listed(plan, list);
    size_t const   grid = segment_grid(call, items, 1, 8192 / threads);
    TRY(cuda_allow_shared(call, segments_by_blocks<KIND>,
                          bitonic_room<typename KIND::K>((unsigned)plan->classes.limits.limits[2]) *
                              sizeof(typename KIND::K)));
    return CUDA_LAUNCH(call, segments_by_blocks<KIND>, grid, threads, shared, plan->classes,
                       is_fixed(plan) ? -1 : list, job, (uint64_t)most);
}

template <typename KIND, int THREADS, typename BITS = typename KIND::BITS>
static ordo_status launch_spread_of(cuda_call *call, const segment_plan *plan,
                                    const segment_job<BITS> &job, int list, uint64_t least)
{
    constexpr size_t shared = sizeof(row_memory<KIND, THREADS>);
    size_t const     items = segments_listed(plan, list);
    size_t const     grid = segment_grid(call, items, 1, (size_t)row_resident(THREADS));
    TRY(cuda_allow_shared(call, segments_by_spread<KIND, THREADS>, shared));
    return CUDA_LAUNCH(call, (segments_by_spread<KIND, THREADS>), grid, THREADS, shared,
                       plan->classes, is_fixed(plan) ? -1 : list, job, least);
}

/* Sorts the segments of a list, of more than `least` and at most `most` records, or all segments if
 * the layout is fixed. With offsets, lists of many lengths are done by blocks of two sizes. */
template <typename KIND, typename BITS = typename KIND::BITS, int RECORDS = ROW_LEAST>
static ordo_status launch_spread(cuda_call *call, const segment_plan *plan,
                                 const segment_job<BITS> &job, int list, uint64_t least,
                                 uint64_t most)
{
    constexpr int THREADS = RECORDS / row_items(sizeof(typename KIND::K));
    bool const    fixed = is_fixed(plan);
    bool const    here =
        fixed ? plan->longest <= RECORDS && (RECORDS == ROW_LEAST || plan->longest > RECORDS / 2)
                 : RECORDS > least && RECORDS / 2 < most &&
                    (RECORDS == ROW_LEAST || RECORDS / 2 >= least);
    if (here)
        TRY((launch_spread_of<KIND, THREADS>(
            call, plan, job, list,
            fixed || RECORDS == ROW_LEAST ? least : ordo_max(least, (uint64_t)RECORDS / 2))));
    if constexpr (RECORDS < segment_row_most(sizeof(typename KIND::K)))
        return launch_spread<KIND, BITS, RECORDS * 2>(call, plan, job, list, least, most);
    return ORDO_OK;
}

/* Sorts the segments of a list by buckets, or by a network if records have 16 bytes or the buckets
 * do not fit in the shared memory of the GPU. */
template <typename KIND, typename BITS = typename KIND::BITS>
static ordo_status launch_list(cuda_call *call, const segment_plan *plan,
                               const segment_job<BITS> &job, int list, const uint64_t *limits)
{
    unsigned const most = bitonic_tile((unsigned)ordo_min(limits[list + 1], plan->longest));
    if constexpr (sizeof(typename KIND::K) <= 8)
        if (row_bytes<typename KIND::K>(most) <= call->facts->shared_bytes)
            return launch_spread<KIND>(call, plan, job, list, limits[list], limits[list + 1]);
    return launch_blocks<KIND>(call, plan, job, list, most);
}

/* Writes the results of segments of more than `least` records, which are sorted in a or b. */
template <typename KIND, typename BITS = typename KIND::BITS, typename K = typename KIND::K>
static ordo_status launch_results(cuda_call *call, const segment_plan *plan,
                                  const segment_job<BITS> &job, const K *a, const K *b,
                                  uint64_t least)
{
    size_t const grid = segment_grid(call, plan->classes.most_tiles, 1, 8);
    if constexpr (KIND::indexed)
        if (plan->heads != NULL)
            TRY(CUDA_LAUNCH(call, count_heads<KIND>, grid, TILE_THREADS, 0, plan->classes, a, b,
                            least, plan->heads));
    return CUDA_LAUNCH(call, write_merged<KIND>, grid, TILE_THREADS, 0, plan->classes, job, a, b,
                       least, plan->heads);
}

template <typename KIND, typename BITS = typename KIND::BITS>
static ordo_status launch_tiles(cuda_call *call, const segment_plan *plan,
                                const segment_job<BITS> &job)
{
    typedef typename KIND::K K;
    constexpr unsigned       TILE = tile_records<KIND>();
    K *const                 a = (K *)plan->records[0];
    K *const                 b = (K *)plan->records[1];
    size_t const             shared = bitonic_room<K>(TILE) * sizeof(K);
    size_t const             grid = segment_grid(call, plan->classes.most_tiles, 1, 8);
    TRY(cuda_allow_shared(call, segments_by_tiles<KIND>, shared));
    TRY(CUDA_LAUNCH(call, segments_by_tiles<KIND>, grid, TILE_THREADS, shared, plan->classes, job,
                    a));
    if (plan->longest <= TILE)
        return ORDO_OK;
    bool odd = false;
    for (uint64_t part = TILE; part < plan->longest; part *= 2, odd = !odd)
        TRY(CUDA_LAUNCH(call, merge_segments<KIND>, grid, MERGE_THREADS, 0, plan->classes, part,
                        odd ? b : a, odd ? a : b));
    return launch_results<KIND>(call, plan, job, a, b, TILE);
}

template <typename KIND, typename BITS = typename KIND::BITS>
static ordo_status segments_run(cuda_call *call, const segment_plan *plan,
                                const segment_job<BITS> &job);

/* Long segments: distributes their records over buckets, which are the segments of another plan.
 * Sorted records, if they are not the result, go to the first array of records of the first
 * level. */
template <typename KIND, typename BITS = typename KIND::BITS>
static ordo_status launch_split(cuda_call *call, const segment_plan *plan,
                                const segment_job<BITS> &job)
{
    const segment_split &split = plan->splits[plan->level];
    segment_plan         buckets = *plan;
    segment_job<BITS>    inner = job;
    bool const           is_over = plan->level > 0 || job.result == RESULT_KEYS; /* after this */
    TRY(split_segments<KIND>(call, plan, split, job));
    buckets.classes.map = split_map<KIND>(plan, split);
    buckets.shortest = 0;
    buckets.classes.lists = split.lists;
    buckets.classes.most_tiles = split.lists.tiles;
    buckets.level = plan->level + 1;
    buckets.records[0] = plan->records[1];
    buckets.records[1] = plan->records[0];
    buckets.heads = NULL;
    inner.records = plan->records[0];
    if (!is_over) {
        inner.result = RESULT_RECORDS;
        inner.out = plan->records[0];
    }
    TRY(split_write_kept<KIND>(call, plan, split, job, inner));
    TRY(segments_run<KIND>(call, &buckets, inner));
    auto const sorted = (typename KIND::K *)plan->records[0];
    return is_over ? ORDO_OK : launch_results<KIND>(call, plan, job, sorted, sorted, 0);
}

/* Sorts all segments of a plan. */
template <typename KIND, typename BITS>
static ordo_status segments_run(cuda_call *call, const segment_plan *given,
                                const segment_job<BITS> &job)
{
    segment_plan              here = *given;
    const segment_plan *const plan = &here;
    const uint64_t *const     limits = plan->classes.limits.limits;
    uint64_t const            longest = plan->longest, shortest = plan->shortest;
    here.is_classified = !is_fixed(plan) && longest > limits[0];
    if (here.is_classified)
        TRY(segment_classes_fill(call, plan->classes));
    if (shortest <= limits[0])
        TRY(launch_lanes<KIND>(call, plan, job, shortest, longest));
    /* Segments of a fixed length that are one tile each. */
    if (sizeof(typename KIND::K) > 8 && shortest > CUDA_TUNE_SEGMENT_BLOCK &&
        longest <= tile_records<KIND>())
        return launch_tiles<KIND>(call, plan, job);
    for (int list = 0; list < 2; list++)
        if (shortest <= limits[list + 1] && longest > limits[list] &&
            limits[list + 1] > limits[list])
            TRY(launch_list<KIND>(call, plan, job, list, limits));
    if (longest <= limits[2])
        return ORDO_OK;
    return plan->level < plan->levels ? launch_split<KIND>(call, plan, job)
                                      : launch_tiles<KIND>(call, plan, job);
}

#endif
