/* dev_rank_pass.cu - ranks of a sorted array in one pass: least, greatest and mean ranks of arrays
 * aligned to 16 bytes, which is the common case.
 *
 * A block ranks a tile of neighbouring keys, a warp a chunk of 1024 of them: keys to bits (whether
 * a run of equal keys begins there), bits to ranks (warp/warp_heads.cuh), without leaving
 * registers. The warps tell each other through shared memory where their first and last run begins.
 * What lies outside the tile is looked up: the first warp searches for where the run began that the
 * tile's first key may belong to, the last one for where the run ends that its last key belongs to
 * (warp/warp_runs.cuh). That is the hybrid algorithm of the competition ranking paper (Liang,
 * Bisnett, Hylton, Sang, Yu) with accesses of 16 bytes, one search for a tile instead of one for
 * 1024 keys, and 32 keys of the search at once.
 *
 * Device memory moved: keys once, ranks once. One launch, no scratch. Called by dev_rank.cu. */
#include "cuda/rank/dev_rank.cuh"
#include "cuda/warp/warp_runs.cuh"

enum {
    PASS_TILE = HEADS_WARPS * HEADS_CHUNK
};

/* The lane's word w = lane of the heads of a chunk, in array order. */
template <typename CODE, int V>
static __device__ __forceinline__ uint32_t chunk_heads(const typename CODE::BITS *const keys,
                                                       size_t const n, size_t const base)
{
    typedef typename CODE::BITS BITS;
    auto const     is_head = [](BITS left, BITS key) { return !keys_tie<CODE>(left, key); };
    BITS const     before = keys[base > 0 ? base - 1 : 0];
    uint32_t const first = base == 0 && lane_id() == 0; /* the first key of all */
    if (n - base < HEADS_CHUNK)
        return heads_in_order<1>(
            first | warp_flags_tail(keys + base, (unsigned)(n - base), before, is_head));
    uint32_t const flags = first | warp_flags<V, ACCESS_AGAIN>(keys + base, before, is_head);
    return __shfl_sync(WARP_ALL, heads_in_order<V>(flags), heads_lane<V>());
}

template <rank_kind KIND, typename CODE, typename RANK>
static __global__ void __launch_bounds__(HEADS_THREADS, CUDA_TUNE_RANK_RESIDENT)
    rank_pass(const typename CODE::BITS *const keys, size_t const n, RANK *const ranks)
{
    typedef typename CODE::BITS              BITS;
    typedef typename rank_number<RANK>::type NUM;
    constexpr bool                           BACK = KIND != RANK_NEXT, AHEAD = KIND != RANK_LAST;
    __shared__ NUM last_of[HEADS_WARPS], next_of[HEADS_WARPS]; /* 0, n: the warp has none */
    __shared__ NUM before_tile, behind_tile;

    unsigned const  warp = block_warp();
    size_t const    tile = (size_t)blockIdx.x * PASS_TILE, base = tile + warp * HEADS_CHUNK;
    bool const      looks_back = BACK && warp == 0 && tile > 0;
    bool const      looks_ahead = AHEAD && warp == HEADS_WARPS - 1 && n - tile > PASS_TILE;
    run_probe<BITS> probe = {};
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
        size_t const rank = looks_back ? warp_run_begin<CODE>(keys, tile - 1, probe) + 1 : 0;
        before_tile = (NUM)rank;
    }
    if (AHEAD && warp == HEADS_WARPS - 1) {
        size_t const end =
            looks_ahead ? warp_run_end<CODE>(keys, n, tile + PASS_TILE - 1, probe) : n;
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

bool rank_pass_fits(const ordo_rank_sorted_job *const job)
{
    return (uintptr_t)job->sorted % 16 == 0 && (uintptr_t)job->ranks % 16 == 0 &&
           (job->ties == ORDO_TIES_MIN || job->ties == ORDO_TIES_MAX ||
            job->ties == ORDO_TIES_AVERAGE);
}

template <rank_kind KIND, typename CODE, typename RANK>
static ordo_status launch_pass(cuda_call *const call, const ordo_rank_sorted_job *const job)
{
    typedef typename CODE::BITS BITS;
    CUDA_LAUNCH(call, (rank_pass<KIND, CODE, RANK>), ordo_div_up(job->n, PASS_TILE), HEADS_THREADS,
                0, (const BITS *)job->sorted, job->n, (RANK *)job->ranks);
    return ORDO_OK;
}

ordo_status dev_rank_pass(cuda_call *const call, const ordo_rank_sorted_job *const job)
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
