/* segment_split.cuh - distributes the records of every long segment over buckets of about 1024
 * records that blocks sort (96 if a record has 16 bytes).
 *
 * A block sorts a sample of each segment and chooses splitters from it (after W. D. Frazer and A.
 * C. McKellar, "Samplesort", JACM 17, 1970). A pass over all tiles of all long segments finds the
 * bucket of each record and counts the buckets. A second pass orders each tile by bucket in shared
 * memory and writes the records to their buckets, in any order: a tile reserves places by atomics.
 * Buckets are segments with offsets: `bounds` holds the bounds of the buckets of each segment and
 * then UINT64_MAX, which makes the pair between two segments empty. Memory moved: two reads and one
 * write, and two bytes per record twice. */
#ifndef ORDO_CUDA_SEGMENTS_SEGMENT_SPLIT_H
#define ORDO_CUDA_SEGMENTS_SEGMENT_SPLIT_H

#include "cuda/block/block_before.cuh"
#include "cuda/block/block_bitonic.cuh"
#include "cuda/segments/segment_kept.cuh"

enum {
    SPLIT_CELLS_LG = 9,
    SPLIT_CELLS = 1 << SPLIT_CELLS_LG
};

template <typename KIND> struct split_shape {
    static constexpr unsigned TILE = tile_records<KIND>();
    static constexpr int      ITEMS = TILE / SPLIT_THREADS;
    static constexpr unsigned EACH = segment_split_each(sizeof(typename KIND::K));
    static constexpr bool     IS_WIDE = sizeof(typename KIND::K) > 8;
    static constexpr unsigned MEAN = IS_WIDE ? 96 : 1024; /* mean number of records of a bucket;
                                                           * more in the longest segments */
    static constexpr unsigned OVER = IS_WIDE ? 4 : 8;     /* samples for each bucket; fewer if there
                                                           * are many buckets */
    static constexpr unsigned BUCKETS = TILE / 8;         /* most buckets of a segment */
    static constexpr unsigned SAMPLE = BUCKETS * (IS_WIDE ? 4 : 8);

    static_assert(TILE / MEAN + 4 <= EACH, "the table holds all bounds");
    static_assert(BUCKETS % SPLIT_THREADS == 0, "a thread has whole buckets");
};

/* The buckets of a segment; entries from `table` on are its own. */
struct split_place {
    uint64_t table;
    unsigned buckets;
};

template <typename KIND> static DEVICE split_place split_at(uint64_t first_tile, uint64_t length)
{
    constexpr unsigned MEAN = split_shape<KIND>::MEAN;
    uint64_t const     wanted = (length + MEAN - 1) / MEAN;
    return {first_tile * split_shape<KIND>::EACH,
            (unsigned)min(wanted, (uint64_t)split_shape<KIND>::BUCKETS)};
}

/* A long segment. Its length is 0 if the lists do not hold all its tiles. */
static DEVICE segment_large split_segment(const segment_classes &classes, uint64_t slot)
{
    segment_large  large = segment_slot_at(classes, slot);
    uint64_t const tile = classes.limits.tile, tiles = (large.where.length + tile - 1) / tile;
    if (large.first_tile + tiles > classes.most_tiles)
        large.where.length = 0;
    return large;
}

/* The place of sample p: a pseudo-random place in part p of the segment. */
static DEVICE uint64_t split_sample_place(unsigned p, unsigned samples, uint64_t length)
{
    uint32_t const any = (p + 1) * 2654435761u;
    return p * length / samples + (any ^ any >> 15) % (uint32_t)(length / samples);
}

/* Chooses the splitters of every long segment and zeroes its counts. */
template <typename KIND, typename BITS = typename KIND::BITS>
static __global__ void __launch_bounds__(SPLIT_THREADS)
    split_sample(const __grid_constant__ segment_classes classes,
                 const __grid_constant__ segment_job<BITS> job, segment_split const split)
{
    typedef typename KIND::K K;
    extern __shared__ __align__(16) unsigned char segment_room[];
    K *const                                      sample = (K *)segment_room;
    uint64_t const                                count = segment_slots_count(classes);
    for (uint64_t i = blockIdx.x; i < count; i += gridDim.x) {
        segment_large const here = split_segment(classes, i);
        if (here.where.length == 0) {
            split_note(split, i, true);
            continue;
        }
        split_place const at = split_at<KIND>(here.first_tile, here.where.length);
        unsigned const    samples =
            min(bitonic_tile(at.buckets * split_shape<KIND>::OVER), split_shape<KIND>::SAMPLE);
        for (unsigned p = threadIdx.x; p < samples; p += SPLIT_THREADS)
            sample[bitonic_at<K>(p)] = segment_load<KIND>(
                job, here.where.start, split_sample_place(p, samples, here.where.length));
        __syncthreads();
        bool falls = false;
        for (unsigned p = threadIdx.x; p + 1 < samples; p += SPLIT_THREADS)
            falls |= sample[bitonic_at<K>(p + 1)] < sample[bitonic_at<K>(p)];
        split_note(split, i, __syncthreads_or(falls) != 0);
        block_bitonic_sort(sample, samples);
        for (unsigned b = threadIdx.x; b < at.buckets; b += SPLIT_THREADS) {
            split.counts[at.table + b] = 0;
            if (b > 0)
                ((K *)split.splitters)[at.table + b - 1] =
                    sample[bitonic_at<K>(b * samples / at.buckets)];
        }
        __syncthreads();
    }
}

/* The records of a tile: item e of a thread is record e * SPLIT_THREADS + threadIdx.x. */
template <typename KIND, int N, typename BITS = typename KIND::BITS>
static DEVICE void split_load(const segment_job<BITS> &job, const tile_place &at, unsigned count,
                              typename KIND::K (&x)[N])
{
    auto const place = [&](int e) { return at.first + e * SPLIT_THREADS + threadIdx.x; };
    segment_load_items<KIND>(
        job, [&](int e) { return at.where.start + place(e); },
        [&](int e) { return e * SPLIT_THREADS + threadIdx.x < count; }, place, x);
}

/* Cells of equal width between the first and the last splitter: each knows between which buckets
 * its records are, so that the search for a bucket takes few steps. */
template <typename BITS> struct split_cells {
    BITS     first;
    unsigned shift; /* lg of the width of a cell */

    DEVICE explicit split_cells(BITS low, BITS high)
    {
        unsigned const length = 64 - (unsigned)__clzll((long long)(BITS)(high - low));
        first = low;
        shift = length > SPLIT_CELLS_LG ? length - SPLIT_CELLS_LG : 0;
    }
    /* The cell of a record; records before the first splitter are in cell 0, too. */
    DEVICE unsigned cell(BITS bits) const
    {
        BITS const apart = bits < first ? (BITS)0 : (BITS)(bits - first) >> shift;
        return apart < SPLIT_CELLS ? (unsigned)apart : SPLIT_CELLS - 1;
    }
    /* The number of splitters before cell c > 0; `splitters` are padded to a power of 2. */
    template <typename KIND, typename K>
    DEVICE unsigned before(const K *splitters, unsigned padded, unsigned c) const
    {
        BITS const edge = (BITS)(first + ((BITS)c << shift));
        unsigned   count = 0;
        if (edge < first)
            return padded; /* the edge is past the largest key bits */
        for (unsigned step = padded / 2; step > 0; step /= 2)
            count += KIND::bits(splitters[count + step - 1]) < edge ? step : 0;
        return count;
    }
};

/* Fills the cells: the first bucket of a cell, and the last one above 16 bits. Called by all
 * threads; barriers must come before and after. */
template <typename KIND, typename K = typename KIND::K>
static DEVICE void split_fill_cells(const split_cells<typename KIND::BITS> &cells,
                                    const K *splitters, unsigned padded, unsigned last,
                                    uint32_t *table)
{
    for (unsigned c = threadIdx.x; c < SPLIT_CELLS; c += SPLIT_THREADS) {
        unsigned const from = c == 0 ? 0 : cells.template before<KIND>(splitters, padded, c);
        unsigned const to =
            c + 1 == SPLIT_CELLS ? last : cells.template before<KIND>(splitters, padded, c + 1);
        table[c] = min(from, last) | min(to, last) << 16;
    }
}

/* Finds the bucket of each record x, from those of its cell. Called by whole warps. */
template <typename KIND, int ITEMS, typename K = typename KIND::K>
static DEVICE void split_find(const split_cells<typename KIND::BITS> &cells, const K *splitters,
                              const uint32_t *table, const K (&x)[ITEMS], uint32_t (&bucket)[ITEMS])
{
    uint32_t range[ITEMS]; /* the first bucket, and the last one above 16 bits */
#pragma unroll
    for (int e = 0; e < ITEMS; e++)
        range[e] = table[cells.cell(KIND::bits(x[e]))];
    bool open = true;
    while (__any_sync(WARP_ALL, open)) {
        open = false;
#pragma unroll
        for (int e = 0; e < ITEMS; e++) {
            unsigned const from = range[e] & 0xffff, end = range[e] >> 16;
            if (from < end) {
                unsigned const middle = (from + end) / 2;
                range[e] =
                    x[e] < splitters[middle] ? (from | middle << 16) : ((middle + 1) | end << 16);
                open = true;
            }
        }
    }
#pragma unroll
    for (int e = 0; e < ITEMS; e++)
        bucket[e] = range[e] & 0xffff;
}

/* Finds the bucket of every record, the number of splitters up to it, and counts the buckets. */
template <typename KIND, typename BITS = typename KIND::BITS>
static __global__ void __launch_bounds__(SPLIT_THREADS)
    split_buckets(const __grid_constant__ segment_classes classes,
                  const __grid_constant__ segment_job<BITS> job, segment_split const split)
{
    typedef typename KIND::K  K;
    typedef split_shape<KIND> SHAPE;
    __shared__ K              splitters[SHAPE::BUCKETS];
    __shared__ uint32_t       counts[SHAPE::BUCKETS], table[SPLIT_CELLS];
    uint64_t const tiles = split_is_over(classes, split) ? 0 : segment_tiles_count(classes);
    for (uint64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        tile_place const at = split_tile(classes, split, t);
        if (at.where.length == 0)
            continue;
        split_place const to = split_at<KIND>(at.first_tile, at.where.length);
        unsigned const    count = (unsigned)min(at.where.length - at.first, (uint64_t)SHAPE::TILE);
        unsigned const    padded = bitonic_tile(to.buckets), last = to.buckets - 1;
        K                 x[SHAPE::ITEMS];
        split_load<KIND>(job, at, count, x);
        for (unsigned b = threadIdx.x; b < padded; b += SPLIT_THREADS) {
            splitters[b] = b < last ? ((const K *)split.splitters)[to.table + b] : last_record<K>();
            counts[b] = 0;
        }
        __syncthreads();
        split_cells<BITS> const cells(KIND::bits(splitters[0]), KIND::bits(splitters[last - 1]));
        split_fill_cells<KIND>(cells, splitters, padded, last, table);
        __syncthreads();
        uint32_t bucket[SHAPE::ITEMS];
        split_find<KIND>(cells, splitters, table, x, bucket);
#pragma unroll
        for (int e = 0; e < SHAPE::ITEMS; e++) {
            unsigned const p = e * SPLIT_THREADS + threadIdx.x;
            if (p < count) {
                split.ids[at.where.start + at.first + p] = (uint16_t)bucket[e];
                atomicAdd(&counts[bucket[e]], 1u);
            }
        }
        __syncthreads();
        for (unsigned b = threadIdx.x; b < to.buckets; b += SPLIT_THREADS)
            if (counts[b] != 0)
                atomicAdd(&split.counts[to.table + b], counts[b]);
        __syncthreads();
    }
}

/* Turns the counts of the buckets of a segment into their first places in it, and writes their
 * bounds. Called by a warp. */
static DEVICE void split_starts(uint32_t *counts, uint64_t *bounds, unsigned buckets, segment where)
{
    uint32_t before = 0;
    for (unsigned first = 0; first < buckets; first += WARP_LANES) {
        unsigned const b = first + lane_id();
        uint32_t const own = b < buckets ? counts[b] : 0;
        uint32_t const scanned = before + warp_scan<scan_add<uint32_t>>(own);
        if (b < buckets) {
            counts[b] = scanned - own;
            bounds[b] = where.start + (scanned - own);
        }
        before = __shfl_sync(WARP_ALL, scanned, WARP_LANES - 1);
    }
    if (lane_id() == 0)
        bounds[buckets] = where.start + where.length;
}

/* Turns the counts of every long segment into the places of its buckets; one warp per segment. */
template <typename KIND>
static __global__ void __launch_bounds__(SPLIT_THREADS)
    split_bounds(const __grid_constant__ segment_classes classes, segment_split const split)
{
    uint64_t const warps = (uint64_t)gridDim.x * (SPLIT_THREADS / WARP_LANES);
    uint64_t const count = segment_slots_count(classes);
    uint64_t       i = ((uint64_t)blockIdx.x * SPLIT_THREADS + threadIdx.x) / WARP_LANES;
    for (; i < count; i += warps) {
        segment_large const here = split_segment(classes, i);
        if (here.where.length == 0 || split_is_left_out(split, i))
            continue;
        split_place const at = split_at<KIND>(here.first_tile, here.where.length);
        split_starts(split.counts + at.table, split.bounds + at.table, at.buckets, here.where);
    }
}

/* In each thread: reserves the places of its buckets. On entry counts[b] is the number of the
 * tile's records in bucket b; after it their first place in the tile, and shift[b] is what to add
 * to a place in the tile. Barriers must come before and after. */
template <int MOST>
static DEVICE void split_reserve(uint32_t *cursors, unsigned buckets, uint32_t *counts,
                                 uint32_t *shift, uint32_t *totals)
{
    constexpr int EACH = MOST / SPLIT_THREADS;
    unsigned const first = threadIdx.x * EACH;
    uint32_t       own[EACH], sum = 0;
#pragma unroll
    for (int b = 0; b < EACH; b++) {
        own[b] = counts[first + b];
        sum += own[b];
    }
    uint32_t place = block_sum_before<SPLIT_THREADS / WARP_LANES>(sum, totals);
#pragma unroll
    for (int b = 0; b < EACH; b++) {
        counts[first + b] = place;
        if (own[b] != 0 && first + b < buckets)
            shift[first + b] = atomicAdd(&cursors[first + b], own[b]) - place;
        place += own[b];
    }
}

/* Writes the records of every tile to their buckets. Segments that overlap because of bad offsets
 * may change each other's bucket numbers; records then still stay within the segment. */
template <typename KIND, typename BITS = typename KIND::BITS>
static __global__ void __launch_bounds__(SPLIT_THREADS)
    split_scatter(const __grid_constant__ segment_classes classes,
                  const __grid_constant__ segment_job<BITS> job, segment_split const split,
                  typename KIND::K *const out)
{
    typedef typename KIND::K  K;
    typedef split_shape<KIND> SHAPE;
    extern __shared__ __align__(16) unsigned char segment_room[];
    __shared__ uint32_t counts[SHAPE::BUCKETS], shift[SHAPE::BUCKETS], totals[WARP_LANES];
    K *const            staged = (K *)segment_room;
    uint16_t *const     ids = (uint16_t *)(staged + SHAPE::TILE);
    uint64_t const      tiles = split_is_over(classes, split) ? 0 : segment_tiles_count(classes);
    for (uint64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        tile_place const at = split_tile(classes, split, t);
        if (at.where.length == 0)
            continue;
        split_place const to = split_at<KIND>(at.first_tile, at.where.length);
        unsigned const    count = (unsigned)min(at.where.length - at.first, (uint64_t)SHAPE::TILE);
        K                 x[SHAPE::ITEMS];
        uint32_t          rank[SHAPE::ITEMS]; /* bucket above 16 bits of rank in the tile */
        split_load<KIND>(job, at, count, x);
        for (unsigned b = threadIdx.x; b < SHAPE::BUCKETS; b += SPLIT_THREADS)
            counts[b] = 0;
        __syncthreads();
#pragma unroll
        for (int e = 0; e < SHAPE::ITEMS; e++) {
            unsigned const p = e * SPLIT_THREADS + threadIdx.x;
            rank[e] = p < count ? split.ids[at.where.start + at.first + p] : 0;
        }
#pragma unroll
        for (int e = 0; e < SHAPE::ITEMS; e++) {
            unsigned const bucket = min(rank[e], to.buckets - 1);
            if (e * SPLIT_THREADS + threadIdx.x < count)
                rank[e] = bucket << 16 | atomicAdd(&counts[bucket], 1u);
        }
        __syncthreads();
        split_reserve<SHAPE::BUCKETS>(split.counts + to.table, to.buckets, counts, shift, totals);
        __syncthreads();
#pragma unroll
        for (int e = 0; e < SHAPE::ITEMS; e++)
            if (e * SPLIT_THREADS + threadIdx.x < count) {
                unsigned const place = counts[rank[e] >> 16] + (rank[e] & 0xffff);
                staged[place] = x[e];
                ids[place] = (uint16_t)(rank[e] >> 16);
            }
        __syncthreads();
        for (unsigned p = threadIdx.x; p < count; p += SPLIT_THREADS) {
            uint32_t const place = p + shift[ids[p]];
            if (place < at.where.length)
                out[at.where.start + place] = staged[p];
        }
        __syncthreads();
    }
}

/* The buckets as segments. */
template <typename KIND>
static inline segment_map split_map(const segment_plan *plan, const segment_split &split)
{
    const segment_classes &classes = plan->classes;
    segment_map            map = {};
    map.offsets = split.bounds;
    map.n = classes.map.n;
    map.count = split.entries - 1;
    map.tiles = classes.map.offsets != NULL ? classes.lists.counts + SEGMENT_LISTS - 1 : NULL;
    map.each_tile = split_shape<KIND>::EACH;
    return map;
}

/* Distributes the records of the long segments to records[0]. */
template <typename KIND, typename BITS = typename KIND::BITS>
static ordo_status split_segments(cuda_call *call, const segment_plan *plan,
                                  const segment_split &split, const segment_job<BITS> &job)
{
    typedef typename KIND::K  K;
    typedef split_shape<KIND> SHAPE;
    size_t const              sample = bitonic_room<K>(SHAPE::SAMPLE) * sizeof(K);
    size_t const              staged = SHAPE::TILE * (sizeof(K) + sizeof(uint16_t));
    size_t const              tiles = segment_grid(call, plan->classes.most_tiles, 1, 4);
    size_t const              segments = segment_slots_most(plan->classes);
    CUDA_TRY(call->exec, cudaMemsetAsync(split.bounds, 0xff, split.entries * sizeof *split.bounds,
                                         call->stream));
    if (split.falls != NULL)
        CUDA_TRY(call->exec, cudaMemsetAsync(split.falls + split.segments, 0,
                                             SPLIT_COUNTS * sizeof *split.falls, call->stream));
    TRY(cuda_allow_shared(call, split_sample<KIND>, sample));
    TRY(cuda_allow_shared(call, split_scatter<KIND>, staged));
    TRY(CUDA_LAUNCH(call, split_sample<KIND>, segment_grid(call, segments, 1, 4), SPLIT_THREADS,
                    sample, plan->classes, job, split));
    if (split.falls != NULL)
        TRY(CUDA_LAUNCH(call, split_check<KIND>, tiles, SPLIT_THREADS, 0, plan->classes, job,
                        split));
    if constexpr (!KIND::indexed && sizeof(K) == 4) {
        if (plan->level == 0 && plan->even.segments != 0)
            TRY(segments_sort_even(call, plan, job));
        if (plan->level == 0 && plan->huge.room != 0)
            TRY(segments_sort_huge(call, plan, job));
    }
    TRY(CUDA_LAUNCH(call, split_buckets<KIND>, tiles, SPLIT_THREADS, 0, plan->classes, job, split));
    TRY(CUDA_LAUNCH(call, split_bounds<KIND>,
                    segment_grid(call, segments * WARP_LANES, SPLIT_THREADS, 4), SPLIT_THREADS, 0,
                    plan->classes, split));
    return CUDA_LAUNCH(call, split_scatter<KIND>, tiles, SPLIT_THREADS, staged, plan->classes, job,
                       split, (K *)plan->records[0]);
}

#endif
