/* lookback.cuh - look-back: a tile of a one-pass scan gets the sum of all tiles before it. The
 * order of combining is fixed, so float sums are reproducible.
 *
 * After Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back" (2016). A
 * group has as many tiles as a block has threads. A tile publishes its total and waits for the
 * totals of the earlier tiles of its group and for the prefix of its group, which the last tile of
 * the previous group publishes. In a persistent block one warp reads the totals of all groups
 * instead (look_walk). A value and its mark are one word, so no fence is needed. Words must be zero
 * before the kernel. Tiles are numbered in the order in which blocks start (take_tile), so a tile
 * waits only for running or finished blocks. Scratch: 8 or 16 bytes per tile and per group. */
#ifndef ORDO_CUDA_BLOCK_LOOKBACK_H
#define ORDO_CUDA_BLOCK_LOOKBACK_H

#include "cuda/block/block_cluster.cuh"
#include "cuda/runtime/cuda_tuning.cuh"

template <int BYTES> struct look_word;

template <> struct look_word<4> {
    typedef uint32_t BITS;
    uint64_t         word;
};
template <> struct alignas(16) look_word<8> {
    typedef uint64_t BITS;
    uint64_t         bits, mark;
};

static DEVICE void word_write(look_word<4> *at, uint32_t bits)
{
    uint64_t const word = (uint64_t)1 << 32 | bits;
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(at), "l"(word) : "memory");
}

static DEVICE bool word_read(const look_word<4> *at, uint32_t *bits)
{
    uint64_t word;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(at) : "memory");
    *bits = (uint32_t)word;
    return word >> 32 != 0;
}

static DEVICE void word_write(look_word<8> *at, uint64_t bits)
{
    asm volatile("{\n\t.reg .b128 both;\n\t"
                 "mov.b128 both, {%1, %2};\n\t"
                 "st.relaxed.gpu.global.b128 [%0], both;\n\t}" ::"l"(at),
                 "l"(bits), "l"((uint64_t)1)
                 : "memory");
}

static DEVICE bool word_read(const look_word<8> *at, uint64_t *bits)
{
    uint64_t mark;
    asm volatile("{\n\t.reg .b128 both;\n\t"
                 "ld.relaxed.gpu.global.b128 both, [%2];\n\t"
                 "mov.b128 {%0, %1}, both;\n\t}"
                 : "=l"(*bits), "=l"(mark)
                 : "l"(at)
                 : "memory");
    return mark != 0;
}

template <typename ACC> static DEVICE void look_write(void *at, ACC value)
{
    typename look_word<sizeof(ACC)>::BITS bits;
    memcpy(&bits, &value, sizeof bits);
    word_write((look_word<sizeof(ACC)> *)at, bits);
}

template <typename ACC> static DEVICE bool look_read(const void *at, ACC *value)
{
    typename look_word<sizeof(ACC)>::BITS bits;
    bool const there = word_read((const look_word<sizeof(ACC)> *)at, &bits);
    memcpy(value, &bits, sizeof bits);
    return there;
}

template <typename ACC> struct lookback {
    look_word<sizeof(ACC)> *tiles;  /* the total of each tile */
    look_word<sizeof(ACC)> *groups; /* the sum of all tiles before each group; not used for group
                                     * 0 */
    unsigned long long     *ticket; /* the number of the next tile */
};

/* Takes the scratch for `tiles` tiles and blocks of `threads` threads. Returns how many bytes from
 * state->ticket on must be zeroed before the scan. */
template <typename ACC>
static inline size_t lookback_layout(cuda_scratch *scratch, size_t tiles, size_t threads,
                                     lookback<ACC> *state)
{
    size_t const start = scratch->used;
    state->ticket = scratch_take<unsigned long long>(scratch, 1);
    state->tiles = scratch_take<look_word<sizeof(ACC)>>(scratch, tiles);
    state->groups = scratch_take<look_word<sizeof(ACC)>>(scratch, ordo_div_up(tiles, threads) + 1);
    return scratch->used - start;
}

/* The number of this block's tile; called by all threads. */
template <typename ACC> static DEVICE size_t take_tile(const lookback<ACC> &state)
{
    __shared__ unsigned long long taken;
    if (threadIdx.x == 0)
        taken = atomicAdd(state.ticket, 1ull);
    __syncthreads();
    return (size_t)taken;
}

/* Publishes the total of a tile and returns `start` combined with the totals of all tiles before
 * it. `shared` has WARPS + 1 elements, which may be reused after the next barrier. */
template <typename OP, int WARPS>
static DEVICE typename OP::ACC look_back(const lookback<typename OP::ACC> &state, size_t tile,
                                         typename OP::ACC total, typename OP::ACC start,
                                         typename OP::ACC *shared)
{
    typedef typename OP::ACC ACC;
    constexpr unsigned       GROUP = WARPS * WARP_LANES;
    unsigned const           warp = threadIdx.x / WARP_LANES, lane = lane_id();
    size_t const             group = tile / GROUP;
    unsigned const           earlier = (unsigned)(tile % GROUP);
    ACC                      value = OP::identity();

    if (threadIdx.x == 0)
        look_write(state.tiles + tile, total);
    if (threadIdx.x < earlier)
        while (!look_read(state.tiles + group * GROUP + threadIdx.x, &value))
            ;
    value = warp_reduce<OP>(value);
    if (lane == 0)
        shared[warp] = value;
    if (threadIdx.x == 0) {
        ACC before = start;
        if (group > 0)
            while (!look_read(state.groups + group, &before))
                ;
        shared[WARPS] = before;
    }
    __syncthreads();
    ACC const before = shared[WARPS];
    ACC const within = warp_reduce<OP>(lane < WARPS ? shared[lane] : OP::identity());
    if (earlier == GROUP - 1 && threadIdx.x == 0)
        look_write(state.groups + group + 1, OP::add(before, OP::add(within, total)));
    return OP::add(before, within);
}

enum tile_links {  /* how tiles learn the totals before them */
    TILES_ALONE,   /* there is one tile */
    TILES_CLUSTER, /* the blocks are one cluster, and block i takes tile i (block_cluster.cuh) */
    TILES_LOOKBACK /* by look_back */
};

/* Launches kernel(links, state, arguments...) with one block per tile. */
template <typename ACC, typename... PARAMETERS, typename... ARGUMENTS>
static ordo_status launch_tiles(cuda_call *call,
                                void (*kernel)(tile_links, lookback<ACC>, PARAMETERS...),
                                size_t tiles, unsigned threads, const lookback<ACC> &state,
                                size_t state_bytes, ARGUMENTS... arguments)
{
    tile_links const links = tiles == 1 ? TILES_ALONE : TILES_LOOKBACK;
    if (tiles > 1 && cluster_fits(call, tiles) &&
        cluster_try(call, kernel, cluster_grid(tiles), threads, TILES_CLUSTER, state, arguments...))
        return ORDO_OK;
    if (tiles > 1)
        CUDA_TRY(call->exec, cudaMemsetAsync(state.ticket, 0, state_bytes, call->stream));
    return CUDA_LAUNCH(call, kernel, tiles, threads, 0, links, state, arguments...);
}

/* State of the warp that sums the totals for a persistent block. It reads two groups at a time: the
 * next tile of a block is about one group away, and reading two groups takes no longer. */
template <typename OP> struct look_walk {
    typedef typename OP::ACC  ACC;
    static constexpr unsigned GROUP = CUDA_TUNE_STREAM_GROUP;
    static constexpr unsigned WORDS = GROUP / WARP_LANES; /* words of a group that one lane reads */

    size_t   first;            /* first tile of the current groups; 0 at the start */
    ACC      before;           /* sum of the tiles before it */
    ACC      value[2 * WORDS]; /* totals of tiles first + i * 32 + lane */
    unsigned have;             /* bit i: value[i] was read; 0 at the start */
};

/* Waits for the totals of `count` tiles. */
template <typename OP>
static DEVICE void walk_read(look_walk<OP> *walk, const lookback<typename OP::ACC> &state,
                             unsigned count)
{
    bool missing;
    do {
        missing = false;
#pragma unroll
        for (unsigned i = 0; i < 2 * look_walk<OP>::WORDS; i++) {
            unsigned const   at = i * WARP_LANES + lane_id();
            typename OP::ACC total;
            if (at >= count || (walk->have >> i & 1) != 0)
                continue;
            if (look_read(state.tiles + walk->first + at, &total)) {
                walk->value[i] = total;
                walk->have |= 1u << i;
            } else {
                missing = true;
            }
        }
    } while (__any_sync(WARP_ALL, missing));
}

/* The sum of the first `count` tiles of the current group, which were read before. */
template <typename OP>
static DEVICE typename OP::ACC walk_sum(const look_walk<OP> *walk, unsigned count)
{
    typename OP::ACC sum = OP::identity();
#pragma unroll
    for (unsigned i = 0; i < look_walk<OP>::WORDS; i++)
        sum = OP::add(sum, i * WARP_LANES + lane_id() < count ? walk->value[i] : OP::identity());
    return OP::of_warp(sum);
}

/* The sum of the tiles before `tile`. `tile` must not decrease between calls. */
template <typename OP>
static DEVICE typename OP::ACC walk_to(look_walk<OP> *walk, const lookback<typename OP::ACC> &state,
                                       size_t tile)
{
    constexpr unsigned GROUP = look_walk<OP>::GROUP, WORDS = look_walk<OP>::WORDS;
    for (;;) {
        size_t const left = tile - walk->first;
        walk_read(walk, state, left < 2 * GROUP ? (unsigned)left : 2 * GROUP);
        if (left < GROUP)
            return OP::add(walk->before, walk_sum(walk, (unsigned)left));
        walk->before = OP::add(walk->before, walk_sum(walk, GROUP));
        walk->first += GROUP;
        walk->have >>= WORDS;
#pragma unroll
        for (unsigned i = 0; i < WORDS; i++)
            walk->value[i] = walk->value[WORDS + i];
    }
}

#endif
