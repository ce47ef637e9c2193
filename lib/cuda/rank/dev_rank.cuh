/* dev_rank.cuh - the table of heads that one launch leaves for the next.
 *
 * A head is the first key of a group of tied keys. An array is divided into chunks of 1024 keys,
 * and each warp gets a span of consecutive chunks. The launch that finds the heads stores the first
 * head, the last head and the number of heads of each warp and of each block. The launch that uses
 * the heads has the same spans; each of its blocks combines the entries of the other blocks and of
 * its own warps, so no block waits for another. This replaces the binary search of Liang, Bisnett,
 * Hylton, Sang and Yu, "Parallel Computation of Standard Competition Rankings over a Sorted Array".
 * The table has a few thousand entries of 8 bytes and one bit per key. All threads of a block of
 * HEADS_WARPS warps call together. Shared memory: 24 bytes per warp. */
#ifndef ORDO_CUDA_RANK_DEV_RANK_H
#define ORDO_CUDA_RANK_DEV_RANK_H

#include "cuda/runtime/cuda_dev.cuh"
#include "cuda/runtime/cuda_tuning.cuh"
#include "cuda/warp/warp_heads.cuh"

enum {
    HEADS_WARPS = CUDA_TUNE_RANK_WARPS,
    HEADS_THREADS = HEADS_WARPS * WARP_LANES
};

#define HEADS_NONE UINT64_MAX

/* first, last and count have one entry per block, then HEADS_WARPS entries for each block. */
struct heads_table {
    uint32_t *words;  /* one bit per key, set for heads: 32 words per chunk */
    uint64_t *before; /* for each chunk: rank of the last head before it in its span; 0: none */
    uint64_t *first;  /* index of the first head, or HEADS_NONE */
    uint64_t *last;   /* rank of the last head; 0: none */
    uint64_t *count;
    size_t    n, chunks;
    unsigned  blocks;
};

struct heads_span { /* the chunks [begin, end) */
    size_t begin, end;
};

static DEVICE unsigned block_warp(void) { return threadIdx.x / WARP_LANES; }

static DEVICE heads_span warp_span(const heads_table &table)
{
    size_t const warps = (size_t)table.blocks * HEADS_WARPS;
    size_t const warp = (size_t)blockIdx.x * HEADS_WARPS + block_warp();
    return {warp * table.chunks / warps, (warp + 1) * table.chunks / warps};
}

/* Writes the entries of the block and of its warps. `first` and `last` are per warp, `count` per
 * lane. */
static DEVICE void block_publish(const heads_table &table, uint64_t first, uint64_t last,
                                 uint64_t count)
{
    __shared__ uint64_t of_warp[3][HEADS_WARPS];

    size_t const warp = block_warp(),
                 entry = table.blocks + blockIdx.x * (size_t)HEADS_WARPS + warp;
    uint64_t const sum = warp_reduce<scan_add<uint64_t>>(count);
    if (lane_id() == 0) {
        table.first[entry] = of_warp[0][warp] = first;
        table.last[entry] = of_warp[1][warp] = last;
        table.count[entry] = of_warp[2][warp] = sum;
    }
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    uint64_t all[3] = {HEADS_NONE, 0, 0};
    for (int w = 0; w < HEADS_WARPS; w++) {
        all[0] = min(all[0], of_warp[0][w]);
        all[1] = max(all[1], of_warp[1][w]);
        all[2] += of_warp[2][w];
    }
    table.first[blockIdx.x] = all[0];
    table.last[blockIdx.x] = all[1];
    table.count[blockIdx.x] = all[2];
}

/* Combines the entries of blocks [from, to) and of this block's warps [warp_from, warp_to). The
 * result is valid in every lane. */
template <typename OP>
static DEVICE uint64_t block_combined(const uint64_t *entries, unsigned blocks, unsigned from,
                                      unsigned to, unsigned warp_from, unsigned warp_to)
{
    __shared__ uint64_t of_warp[HEADS_WARPS];

    size_t const warps = blocks + blockIdx.x * (size_t)HEADS_WARPS;
    uint64_t     far = OP::identity(), near = OP::identity();
    for (unsigned block = from + threadIdx.x; block < to; block += HEADS_THREADS)
        far = OP::add(far, entries[block]);
    for (unsigned warp = warp_from; warp < warp_to; warp++)
        near = OP::add(near, entries[warps + warp]);
    far = warp_reduce<OP>(far);
    __syncthreads(); /* an earlier call may still read of_warp */
    if (lane_id() == 0)
        of_warp[block_warp()] = far;
    __syncthreads();
    for (int warp = 0; warp < HEADS_WARPS; warp++)
        near = OP::add(near, of_warp[warp]);
    return near;
}

/* The heads on either side of the warp's span. */
template <rank_kind KIND, typename NUM>
static DEVICE heads_carry<NUM> block_carry(const heads_table &table)
{
    unsigned const   block = blockIdx.x, warp = block_warp(), blocks = table.blocks;
    heads_carry<NUM> carry = {0, (NUM)table.n, 0};
    if constexpr (KIND == RANK_LAST || KIND == RANK_BOTH)
        carry.last = (NUM)block_combined<scan_max<uint64_t>>(table.last, blocks, 0, block, 0, warp);
    if constexpr (KIND == RANK_NEXT || KIND == RANK_BOTH)
        carry.next = (NUM)min((uint64_t)table.n,
                              block_combined<scan_min<uint64_t>>(table.first, blocks, block + 1,
                                                                 blocks, warp + 1, HEADS_WARPS));
    if constexpr (KIND == RANK_COUNT)
        carry.count =
            (NUM)block_combined<scan_add<uint64_t>>(table.count, blocks, 0, block, 0, warp);
    return carry;
}

/* ---- Loop over the chunks of a span ----
 *
 * Ranks that depend on the next head are computed from the end of the span to its start. */
template <rank_kind KIND> static DEVICE constexpr bool goes_backwards(void)
{
    return KIND == RANK_NEXT || KIND == RANK_BOTH;
}

template <rank_kind KIND, typename NUM> struct heads_walk {
    heads_span       span;
    size_t           next, left; /* the next chunk, and the number of chunks left */
    uint32_t         ahead;      /* the lane's word of the next chunk, loaded early */
    heads_carry<NUM> carry;
    NUM              before_span;
};

template <typename NUM> struct heads_chunk { /* a lane's view of a chunk */
    size_t           base;                   /* index of the chunk's first key */
    uint32_t         word;
    heads_edges<NUM> edges;
};

template <rank_kind KIND>
static DEVICE uint32_t word_ahead(const heads_table &table, heads_span span, size_t chunk)
{
    bool const there = KIND != RANK_INDEX && chunk - span.begin < span.end - span.begin;
    return there ? table.words[chunk * 32 + lane_id()] : 0;
}

/* Called by all threads of the block. */
template <rank_kind KIND, typename NUM>
static DEVICE heads_walk<KIND, NUM> walk_start(const heads_table &table)
{
    heads_walk<KIND, NUM> walk;
    walk.span = warp_span(table);
    walk.next = goes_backwards<KIND>() ? walk.span.end - 1 : walk.span.begin;
    walk.left = walk.span.end - walk.span.begin;
    walk.ahead = word_ahead<KIND>(table, walk.span, walk.next);
    walk.carry = block_carry<KIND, NUM>(table);
    walk.before_span = walk.carry.last;
    return walk;
}

/* The next chunk. Called by all lanes of a warp with walk->left > 0. */
template <rank_kind KIND, typename NUM>
static DEVICE heads_chunk<NUM> walk_chunk(const heads_table &table, heads_walk<KIND, NUM> *walk)
{
    size_t const     at = walk->next;
    heads_chunk<NUM> chunk = {at * HEADS_CHUNK, walk->ahead, {}};
    walk->next = goes_backwards<KIND>() ? at - 1 : at + 1;
    walk->left--;
    walk->ahead = word_ahead<KIND>(table, walk->span, walk->next);
    if constexpr (KIND == RANK_BOTH) {
        NUM const before = (NUM)table.before[at];
        walk->carry.last = before != 0 ? before : walk->before_span;
    }
    chunk.edges = warp_edges<KIND>(chunk.word, (NUM)chunk.base, &walk->carry);
    return chunk;
}

/* Takes the table for n keys from scratch: n / 8 bytes, n / 128 more if `both` (average ranks), and
 * the entries of the blocks. */
heads_table heads_take(cuda_scratch *scratch, size_t n, bool both);

/* Enqueues the launch that fills the table. Reads each key once. */
ordo_status dev_heads(cuda_call *call, const heads_table *table, ordo_type type, const void *keys);

/* Enqueues the launch that writes the ranks. Ordinal ranks do not read the table. */
ordo_status dev_ranks_of_heads(cuda_call *call, const heads_table *table, ordo_ties ties,
                               ordo_type rank_type, void *ranks);

/* Calls f with a zero of the rank type; f is a generic lambda. */
template <typename F> static inline ordo_status with_rank_type(ordo_type type, F &&f)
{
    switch (type) {
    case ORDO_U32:
        return f((uint32_t)0);
    case ORDO_U64:
        return f((uint64_t)0);
    default:
        return f((double)0);
    }
}

/* Calls f with the rank_rule of a tie rule. */
template <rank_kind KIND_> struct rank_rule {
    static constexpr rank_kind KIND = KIND_;
};
template <typename F> static inline ordo_status with_rank_rule(ordo_ties ties, F &&f)
{
    switch (ties) {
    case ORDO_TIES_MIN:
        return f(rank_rule<RANK_LAST>());
    case ORDO_TIES_MAX:
        return f(rank_rule<RANK_NEXT>());
    case ORDO_TIES_DENSE:
        return f(rank_rule<RANK_COUNT>());
    case ORDO_TIES_AVERAGE:
        return f(rank_rule<RANK_BOTH>());
    default:
        return f(rank_rule<RANK_INDEX>());
    }
}

#endif
