/* dev_rank_parts.cuh - kernels that move ranks to the places of their keys. Two partitions by the
 * high bits of the index make buckets that fit in shared memory, where a block orders them.
 *
 * The indices are a permutation, so the size of every bucket is known and no histogram is needed.
 * The order inside a bucket does not matter, so a tile takes its places by atomic additions. An
 * average rank is stored as twice its value. Memory moved for 32-bit ranks: index 4 n bytes,
 * records 32 n, ranks. Used by dev_rank.cu. */
#ifndef ORDO_CUDA_RANK_DEV_RANK_PARTS_H
#define ORDO_CUDA_RANK_DEV_RANK_PARTS_H

#include "cuda/block/block_scan.cuh"
#include "cuda/rank/dev_rank.cuh"

enum {
    BUCKETS_LG = 10, /* lg of the largest number of buckets of one pass */
    BUCKETS = 1 << BUCKETS_LG,
    BUCKETS_OF_THREAD = BUCKETS / HEADS_THREADS,
    TILE_ROWS = 16,                              /* rows of 32 ranks per warp */
    TILE = HEADS_WARPS * TILE_ROWS * WARP_LANES, /* ranks that a block partitions at a time */
    LEAF_LG = CUDA_TUNE_RANK_LEAF_LG,            /* lg of the number of ranks in a final bucket */
    LEAF = 1 << LEAF_LG,
    LEAF_THREADS = 512,
    MOST_KEYS_LG = LEAF_LG + 2 * BUCKETS_LG
};

/* A rank and the index of its place. NUM is uint32_t for n < 2^31, else uint64_t. */
template <typename NUM> struct alignas(2 * sizeof(NUM)) rank_record {
    NUM index, rank;
};

/* Bucket b is the records [b << shift, (b + 1) << shift); a record belongs to bucket index >>
 * shift. The ranks of a tile go to `buckets` consecutive buckets, a power of two. */
template <typename NUM> struct part_plan {
    rank_record<NUM> *records;
    uint32_t         *taken; /* places of each bucket taken so far */
    unsigned          shift, buckets;
};

/* Shared memory of a block that partitions a tile. */
template <typename NUM> struct part_shared {
    rank_record<NUM> records[TILE]; /* in bucket order */
    size_t   to[BUCKETS]; /* place of a bucket's records in plan.records, minus their place in
                           * `records` */
    uint32_t count[BUCKETS], start[BUCKETS];
    uint32_t of_warp[HEADS_WARPS];
};

template <typename NUM> static DEVICE part_shared<NUM> *part_start(char *bytes)
{
    part_shared<NUM> *const shared = (part_shared<NUM> *)bytes;
    for (unsigned b = threadIdx.x; b < BUCKETS; b += HEADS_THREADS)
        shared->count[b] = 0;
    __syncthreads();
    return shared;
}

/* Takes a place among the tile's records of a bucket. If all lanes want the same bucket, as in
 * arrays that were sorted before, one lane takes the places for all. */
static DEVICE uint32_t place_in(uint32_t *count, unsigned bucket, bool there)
{
    unsigned const first = __shfl_sync(WARP_ALL, bucket, 0);
    if (__all_sync(WARP_ALL, there && bucket == first)) {
        uint32_t place = 0;
        if (lane_id() == 0)
            place = atomicAdd(&count[bucket], WARP_LANES);
        return __shfl_sync(WARP_ALL, place, 0) + lane_id();
    }
    return there ? atomicAdd(&count[bucket], 1) : 0;
}

/* Finds where the records of each bucket begin in the tile and where they go; returns the number of
 * records. A thread handles every HEADS_THREADS-th bucket, so records are grouped by thread. */
template <typename NUM>
static DEVICE uint32_t part_places(part_shared<NUM> *shared, part_plan<NUM> plan,
                                   size_t first_bucket)
{
    uint32_t count[BUCKETS_OF_THREAD], taken[BUCKETS_OF_THREAD], mine = 0;
#pragma unroll
    for (int b = 0; b < BUCKETS_OF_THREAD; b++) {
        unsigned const bucket = b * HEADS_THREADS + threadIdx.x;
        count[b] = shared->count[bucket];
        taken[b] = count[b] > 0 ? atomicAdd(&plan.taken[first_bucket + bucket], count[b]) : 0;
        shared->count[bucket] = 0; /* for the next tile */
        mine += count[b];
    }
    block_sums<uint32_t> const sums =
        block_scan_threads<scan_add<uint32_t>, HEADS_WARPS>(mine, shared->of_warp);
    uint32_t start = sums.before;
#pragma unroll
    for (int b = 0; b < BUCKETS_OF_THREAD; b++) {
        unsigned const bucket = b * HEADS_THREADS + threadIdx.x;
        shared->start[bucket] = start;
        shared->to[bucket] = ((first_bucket + bucket) << plan.shift) + taken[b] - start;
        start += count[b];
    }
    return sums.total;
}

/* Partitions a tile: TILE_ROWS rows per warp. The lane's record of a row has index of[row] and rank
 * rank_of(row); `keys` is the number of the warp's records. Called by all threads of the block. */
template <typename NUM, typename RANK_OF>
static DEVICE void part_tile(part_shared<NUM> *shared, part_plan<NUM> plan, size_t first_bucket,
                             const NUM (&of)[TILE_ROWS], unsigned keys, RANK_OF &&rank_of)
{
    unsigned const inside = plan.buckets - 1;
    uint32_t       place[TILE_ROWS];
#pragma unroll
    for (int row = 0; row < TILE_ROWS; row++)
        place[row] = place_in(shared->count, (unsigned)(of[row] >> plan.shift) & inside,
                              row * 32 + lane_id() < keys);
    __syncthreads();
    uint32_t const records = part_places(shared, plan, first_bucket);
    __syncthreads();
#pragma unroll
    for (int row = 0; row < TILE_ROWS; row++) {
        rank_record<NUM> const record = {of[row], rank_of(row)};
        unsigned const         bucket = (unsigned)(of[row] >> plan.shift) & inside;
        if (row * 32 + lane_id() < keys)
            shared->records[shared->start[bucket] + place[row]] = record;
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < records; i += HEADS_THREADS) {
        rank_record<NUM> const record = shared->records[i];
        plan.records[shared->to[(unsigned)(record.index >> plan.shift) & inside] + i] = record;
    }
}

/* The first partition computes the ranks. */
template <rank_kind KIND, typename NUM>
static __global__ void __launch_bounds__(HEADS_THREADS, sizeof(NUM) == 4 ? 3 : 2)
    part_ranks(heads_table table, const NUM *index, part_plan<NUM> plan)
{
    extern __shared__ __align__(16) char shared_bytes[];
    part_shared<NUM> *const              shared = part_start<NUM>(shared_bytes);
    heads_walk<KIND, NUM>                walk = walk_start<KIND, NUM>(table);
    while (__syncthreads_or(walk.left > 0)) {
        heads_chunk<NUM> chunk = {table.n, 0, {}}; /* no keys */
        if (walk.left > 0)
            chunk = walk_chunk(table, &walk);
        for (int first = 0; first < HEADS_CHUNK / 32; first += TILE_ROWS) {
            size_t const   at = min(chunk.base + first * 32, table.n);
            unsigned const keys = (unsigned)min(table.n - at, (size_t)TILE_ROWS * 32);
            NUM            of[TILE_ROWS];
#pragma unroll
            for (int row = 0; row < TILE_ROWS; row++)
                of[row] =
                    row * 32 + lane_id() < keys ? __ldcs(index + at + row * 32 + lane_id()) : 0;
            part_tile(shared, plan, 0, of, keys, [&](int row) {
                return warp_row_numbers<KIND, 1>(first + row, chunk.word, chunk.edges,
                                                 (NUM)chunk.base)
                    .at[0];
            });
        }
    }
}

/* The second partition. All records of a tile come from one bucket of the first partition. */
template <typename NUM>
static __global__ void __launch_bounds__(HEADS_THREADS, sizeof(NUM) == 4 ? 3 : 2)
    part_records(const rank_record<NUM> *from, size_t n, part_plan<NUM> plan)
{
    extern __shared__ __align__(16) char shared_bytes[];
    part_shared<NUM> *const              shared = part_start<NUM>(shared_bytes);
    size_t const                         tile = (size_t)blockIdx.x * TILE;
    size_t const                         at = min(tile + block_warp() * (TILE_ROWS * 32), n);
    unsigned const                       keys = (unsigned)min(n - at, (size_t)TILE_ROWS * 32);
    size_t const first_bucket = tile >> plan.shift & ~(size_t)(plan.buckets - 1);
    NUM          of[TILE_ROWS], rank[TILE_ROWS];
#pragma unroll
    for (int row = 0; row < TILE_ROWS; row++) {
        rank_record<NUM> record = {0, 0};
        if (row * 32 + lane_id() < keys)
            record = from[at + row * 32 + lane_id()];
        of[row] = record.index;
        rank[row] = record.rank;
    }
    part_tile(shared, plan, first_bucket, of, keys, [&](int row) { return rank[row]; });
}

/* Orders the ranks of one final bucket per block. */
template <typename RANK, typename NUM>
static __global__ void __launch_bounds__(LEAF_THREADS)
    return_ranks(const rank_record<NUM> *records, size_t n, bool doubled, RANK *ranks)
{
    extern __shared__ __align__(16) char shared_bytes[];
    NUM *const                           leaf = (NUM *)shared_bytes;
    size_t const                         base = (size_t)blockIdx.x * LEAF;
    unsigned const                       count = (unsigned)min(n - base, (size_t)LEAF);
#pragma unroll 8
    for (unsigned i = threadIdx.x; i < count; i += LEAF_THREADS) {
        rank_record<NUM> const record = records[base + i];
        leaf[record.index % LEAF] = record.rank;
    }
    __syncthreads();
#pragma unroll 8
    for (unsigned i = threadIdx.x; i < count; i += LEAF_THREADS)
        ranks[base + i] = doubled ? (RANK)((double)leaf[i] * 0.5) : (RANK)leaf[i];
}

/* lg of the number of ranks in a bucket of the first partition. The partitions share the bits of
 * the bucket number evenly. */
static inline unsigned first_shift(size_t n)
{
    unsigned bits = 0; /* bits of a final bucket's number */
    while (n > (size_t)LEAF << bits)
        bits++;
    return LEAF_LG + bits / 2;
}

static inline size_t buckets_of(size_t n, unsigned shift)
{
    return ordo_div_up(n, (size_t)1 << shift);
}

/* The scratch of both partitions. The second partition handles one stretch of whole buckets per
 * call. */
struct rank_parts {
    size_t    n, stretch;
    void     *records[2];
    uint32_t *taken[2];
    unsigned  shift[2];
};

/* Takes the scratch for n ranks of `width` bytes, returned in `count` stretches. */
static inline rank_parts parts_layout(cuda_scratch *scratch, size_t n, size_t width, size_t count)
{
    rank_parts parts = {};
    parts.n = n;
    parts.shift[0] = first_shift(n);
    parts.shift[1] = LEAF_LG;
    parts.stretch = ordo_min(n, ordo_round_up(ordo_div_up(n, count), (size_t)1 << parts.shift[0]));
    for (int time = 0; time < 2; time++) {
        size_t const records = time == 0 ? n : parts.stretch;
        parts.records[time] = scratch_take<char>(scratch, records * 2 * width);
        parts.taken[time] = scratch_take<uint32_t>(scratch, buckets_of(n, parts.shift[time]));
    }
    return parts;
}

/* Empties the buckets of both partitions. */
static inline ordo_status parts_clear(cuda_call *call, const rank_parts *parts)
{
    for (int time = 0; time < 2; time++) {
        size_t const buckets = buckets_of(parts->n, parts->shift[time]);
        CUDA_TRY(call->exec,
                 cudaMemsetAsync(parts->taken[time], 0, buckets * sizeof(uint32_t), call->stream));
    }
    return ORDO_OK;
}

/* Enqueues the first partition: the rank of each place of the table goes to index[place]. */
template <rank_kind KIND, typename NUM>
static ordo_status parts_begin(cuda_call *call, const rank_parts *parts, const heads_table *table,
                               const NUM *index)
{
    TRY(parts_clear(call, parts));
    part_plan<NUM> const part = {(rank_record<NUM> *)parts->records[0], parts->taken[0],
                                 parts->shift[0], BUCKETS};
    TRY(cuda_allow_shared(call, (part_ranks<KIND, NUM>), sizeof(part_shared<NUM>)));
    return CUDA_LAUNCH(call, (part_ranks<KIND, NUM>), table->blocks, HEADS_THREADS,
                       sizeof(part_shared<NUM>), *table, index, part);
}

/* Enqueues the return of one stretch of ranks. A stretch is handled like a separate array: only the
 * low bits of an index matter. `doubled`: the records hold twice the ranks. */
template <typename NUM, typename RANK>
static ordo_status parts_return(cuda_call *call, const rank_parts *parts, size_t number,
                                bool doubled, RANK *ranks)
{
    size_t const first = ordo_min(parts->n, number * parts->stretch);
    size_t const count = ordo_min(parts->n - first, parts->stretch);
    if (count == 0)
        return ORDO_OK;
    part_plan<NUM> const part = {(rank_record<NUM> *)parts->records[1],
                                 parts->taken[1] + (first >> parts->shift[1]), parts->shift[1],
                                 1u << (parts->shift[0] - parts->shift[1])};
    TRY(cuda_allow_shared(call, part_records<NUM>, sizeof(part_shared<NUM>)));
    TRY(CUDA_LAUNCH(call, part_records<NUM>, ordo_div_up(count, TILE), HEADS_THREADS,
                    sizeof(part_shared<NUM>), (const rank_record<NUM> *)parts->records[0] + first,
                    count, part));
    TRY(cuda_allow_shared(call, (return_ranks<RANK, NUM>), LEAF * sizeof(NUM)));
    return CUDA_LAUNCH(call, (return_ranks<RANK, NUM>), ordo_div_up(count, LEAF), LEAF_THREADS,
                       LEAF * sizeof(NUM), part.records, count, doubled, ranks + first);
}

#endif
