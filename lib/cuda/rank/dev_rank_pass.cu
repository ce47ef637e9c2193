/* dev_rank_pass.cu - min, max and average ranks of a sorted array in one pass, for arrays aligned
 * to 16 bytes.
 *
 * A block ranks a tile, a warp 1024 keys of it: keys to head bits, bits to ranks (warp_heads.cuh),
 * in registers. Warps exchange their first and last head through shared memory. The first warp
 * searches for the start of the group that the tile's first key belongs to, the last warp for the
 * end of the last group. This is the hybrid algorithm of the competition ranking paper (Liang,
 * Bisnett, Hylton, Sang, Yu) with 16-byte accesses, one search a tile and 32 keys a step of the
 * search. Memory moved: keys once, ranks once. One launch, no scratch. */
#include "cuda/rank/dev_rank.cuh"

static constexpr int PASS_TILE = HEADS_WARPS * HEADS_CHUNK;

/* ---- Search for the ends of a tie ---- */

/* Keys loaded early: the key in question, and one of its neighbours in each lane. */
template <typename BITS> struct tie_probe {
    BITS key, near;
};

template <typename BITS>
static __device__ __forceinline__ tie_probe<BITS> probe_before(const BITS *keys, size_t i)
{
    tie_probe<BITS> const probe = {keys[i], keys[lane_id() < i ? i - 1 - lane_id() : i]};
    return probe;
}

template <typename BITS>
static __device__ __forceinline__ tie_probe<BITS> probe_behind(const BITS *keys, size_t n, size_t i)
{
    tie_probe<BITS> const probe = {keys[i], keys[n - i - 1 > lane_id() ? i + 1 + lane_id() : i]};
    return probe;
}

/* How many keys a group of ties continues in one direction, if at least 32 and at most `room`.
 * in_group(d) tells whether the key at distance d, 1 <= d <= room, belongs to the group. */
template <typename TEST>
static __device__ __forceinline__ size_t long_group(size_t room, TEST &&in_group)
{
    unsigned const lane = lane_id();
    size_t const   far = lane < 31 ? (size_t)64 << lane : room;
    bool const     inside = far <= room && in_group(far);
    uint32_t       out = __ballot_sync(WARP_ALL, !inside);
    if ((out >> 31) == 0)
        return room;
    unsigned const first = lowest_bit(out);
    size_t         in = first > 0 ? (size_t)64 << (first - 1) : 32; /* known to be in the group */
    size_t         past = first < 31 && (size_t)64 << first < room ? (size_t)64 << first : room;
    while (past - in > 1) { /* past is known not to be in the group */
        size_t const step = (past - in + 31) / 32, probe = in + (lane + 1) * step;
        out = __ballot_sync(WARP_ALL, probe >= past || !in_group(probe));
        unsigned const end = lowest_bit(out); /* the probe of lane 31 is never below past */
        size_t const   upper = in + (end + 1) * step;
        in += end * step;
        past = upper < past ? upper : past;
    }
    return in;
}

template <typename CODE, typename TEST>
static __device__ __forceinline__ size_t group_length(tie_probe<typename CODE::BITS> probe,
                                                      size_t room, TEST &&in_group)
{
    bool const     inside = lane_id() < room && keys_tie<CODE>(probe.near, probe.key);
    uint32_t const out = __ballot_sync(WARP_ALL, !inside);
    return out != 0 ? lowest_bit(out) : long_group(room, in_group);
}

/* The first key of the group of key i; probe is probe_before(keys, i). */
template <typename CODE>
static __device__ __forceinline__ size_t warp_group_begin(const typename CODE::BITS *keys, size_t i,
                                                          tie_probe<typename CODE::BITS> probe)
{
    return i - group_length<CODE>(probe, i,
                                  [&](size_t d) { return keys_tie<CODE>(keys[i - d], probe.key); });
}

/* One past the last key of the group of key i of n; probe is probe_behind(keys, n, i). */
template <typename CODE>
static __device__ __forceinline__ size_t warp_group_end(const typename CODE::BITS *keys, size_t n,
                                                        size_t                         i,
                                                        tie_probe<typename CODE::BITS> probe)
{
    return i + 1 + group_length<CODE>(probe, n - 1 - i, [&](size_t d) {
               return keys_tie<CODE>(keys[i + d], probe.key);
           });
}

/* ---- The pass ---- */

/* Word w = lane of the head bits of a chunk, in array order. */
template <typename CODE, int V, typename BITS = typename CODE::BITS>
static __device__ __forceinline__ uint32_t chunk_heads(const BITS *keys, size_t n, size_t base)
{
    auto const     is_head = [](BITS left, BITS key) { return !keys_tie<CODE>(left, key); };
    BITS const     before = keys[base > 0 ? base - 1 : 0];
    uint32_t const first = base == 0 && lane_id() == 0; /* the first key of the array is a head */
    if (n - base < HEADS_CHUNK)
        return heads_in_order<1>(
            first | warp_flags_tail(keys + base, (unsigned)(n - base), before, is_head));
    uint32_t const flags = first | warp_flags<V, ACCESS_AGAIN>(keys + base, before, is_head);
    return __shfl_sync(WARP_ALL, heads_in_order<V>(flags), heads_lane<V>());
}

template <rank_kind KIND, typename CODE, typename RANK, typename BITS = typename CODE::BITS>
static __global__ void __launch_bounds__(HEADS_THREADS, CUDA_TUNE_RANK_RESIDENT)
    rank_pass(const BITS *keys, size_t n, RANK *ranks)
{
    typedef typename rank_number<RANK>::type NUM;
    constexpr bool                           BACK = KIND != RANK_NEXT, AHEAD = KIND != RANK_LAST;
    __shared__ NUM last_of[HEADS_WARPS], next_of[HEADS_WARPS]; /* 0 and n: the warp has no head */
    __shared__ NUM before_tile, behind_tile;

    unsigned const  warp = block_warp();
    size_t const    tile = (size_t)blockIdx.x * PASS_TILE, base = tile + warp * HEADS_CHUNK;
    bool const      looks_back = BACK && warp == 0 && tile > 0;
    bool const      looks_ahead = AHEAD && warp == HEADS_WARPS - 1 && n - tile > PASS_TILE;
    tie_probe<BITS> probe = {};
    if (looks_back)
        probe = probe_before(keys, tile - 1);
    if (looks_ahead)
        probe = probe_behind(keys, n, tile + PASS_TILE - 1);

    uint32_t const word = base < n ? chunk_heads<CODE, 16 / (int)sizeof(BITS)>(keys, n, base) : 0;
    uint32_t const some = __ballot_sync(WARP_ALL, word != 0);
    if (BACK && lane_id() == (some != 0 ? highest_bit(some) : 0))
        last_of[warp] = some != 0 ? (NUM)(base + lane_id() * 32 + highest_bit(word) + 1) : 0;
    if (AHEAD && lane_id() == (some != 0 ? lowest_bit(some) : 0))
        next_of[warp] = (NUM)(some != 0 ? base + lane_id() * 32 + lowest_bit(word) : n);
    if (BACK && warp == 0) {
        size_t const rank = looks_back ? warp_group_begin<CODE>(keys, tile - 1, probe) + 1 : 0;
        before_tile = (NUM)rank;
    }
    if (AHEAD && warp == HEADS_WARPS - 1) {
        size_t const end =
            looks_ahead ? warp_group_end<CODE>(keys, n, tile + PASS_TILE - 1, probe) : n;
        behind_tile = (NUM)end;
    }
    __syncthreads();
    if (base >= n)
        return;

    heads_carry<NUM> carry = {};
    if constexpr (BACK) {
        carry.last = before_tile;
        for (unsigned w = 0; w < warp; w++)
            carry.last = last_of[w] > carry.last ? last_of[w] : carry.last;
    }
    if constexpr (AHEAD) {
        carry.next = behind_tile;
        for (unsigned w = warp + 1; w < HEADS_WARPS; w++)
            carry.next = next_of[w] < carry.next ? next_of[w] : carry.next;
    }
    heads_edges<NUM> const edges = warp_edges<KIND>(word, (NUM)base, &carry);
    warp_write_ranks<KIND, RANK, 16 / (int)sizeof(RANK), ACCESS_AGAIN>(ranks, n, base, word, edges);
}

bool rank_pass_fits(const ordo_rank_sorted_job *job)
{
    return (uintptr_t)job->sorted % 16 == 0 && (uintptr_t)job->ranks % 16 == 0 &&
           (job->ties == ORDO_TIES_MIN || job->ties == ORDO_TIES_MAX ||
            job->ties == ORDO_TIES_AVERAGE);
}

template <rank_kind KIND, typename CODE, typename RANK, typename BITS = typename CODE::BITS>
static ordo_status launch_pass(cuda_call *call, const ordo_rank_sorted_job *job)
{
    CUDA_LAUNCH(call, (rank_pass<KIND, CODE, RANK>), ordo_div_up(job->n, PASS_TILE), HEADS_THREADS,
                0, (const BITS *)job->sorted, job->n, (RANK *)job->ranks);
    return ORDO_OK;
}

ordo_status dev_rank_pass(cuda_call *call, const ordo_rank_sorted_job *job)
{
    return with_key_code(job->type, false, KEY_FOLDED, [&](auto code) {
        typedef decltype(code) CODE;
        if (job->ties == ORDO_TIES_AVERAGE)
            return launch_pass<RANK_BOTH, CODE, double>(call, job);
        return with_rank_type(job->rank_type, [&](auto zero) {
            typedef decltype(zero) RANK;
            return job->ties == ORDO_TIES_MIN ? launch_pass<RANK_LAST, CODE, RANK>(call, job)
                                              : launch_pass<RANK_NEXT, CODE, RANK>(call, job);
        });
    });
}
