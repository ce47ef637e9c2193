/* dev_rank_sorted.cu - ranks of a sorted array, in one pass or in two launches.
 *
 * One pass (min, max and average ranks, arrays aligned to 16 bytes): a block ranks a tile, each
 * warp 1024 keys. Warps exchange their first and last heads in shared memory; the first and the
 * last warp search for the ends of groups that cross the tile. This is the hybrid algorithm of
 * Liang, Bisnett, Hylton, Sang and Yu, "Parallel Computation of Standard Competition Rankings over
 * a Sorted Array", with 16-byte accesses and one search per tile and direction. No scratch. Two
 * launches (every type, rule and alignment): find_heads writes one bit per key; write_ranks reads
 * the bits, which are still in L2, and the table of heads (dev_rank.cuh). Bits: n / 8 bytes
 * written, n / 8 read. Scratch: n / 8 bytes, n / 128 more for average ranks. */
#include "backend/papers.h"
#include "cuda/rank/dev_rank.cuh"

static constexpr int PASS_TILE = HEADS_WARPS * HEADS_CHUNK;

/* ---- Search for the ends of a tie ---- */

/* Keys loaded early: the key in question, and one key near it per lane. */
template <typename BITS> struct tie_probe {
    BITS key, near;
};

template <typename BITS> static DEVICE tie_probe<BITS> probe_before(const BITS *keys, size_t i)
{
    return {keys[i], keys[lane_id() < i ? i - 1 - lane_id() : i]};
}

template <typename BITS>
static DEVICE tie_probe<BITS> probe_behind(const BITS *keys, size_t n, size_t i)
{
    return {keys[i], keys[n - i - 1 > lane_id() ? i + 1 + lane_id() : i]};
}

/* How far a group of tied keys continues in one direction, if that is at least 32 and at most
 * `room` keys. in_group(d) returns whether the key at distance d, 1 <= d <= room, belongs to the
 * group. */
template <typename TEST> static DEVICE size_t long_group(size_t room, TEST &&in_group)
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
    while (past - in > 1) { /* `past` is known not to be in the group */
        size_t const step = (past - in + 31) / 32, probe = in + (lane + 1) * step;
        out = __ballot_sync(WARP_ALL, probe >= past || !in_group(probe));
        unsigned const end = lowest_bit(out); /* the probe of lane 31 is never below `past` */
        size_t const   upper = in + (end + 1) * step;
        in += end * step;
        past = upper < past ? upper : past;
    }
    return in;
}

template <typename CODE, typename TEST>
static DEVICE size_t group_length(tie_probe<typename CODE::BITS> probe, size_t room,
                                  TEST &&in_group)
{
    bool const     inside = lane_id() < room && keys_tie<CODE>(probe.near, probe.key);
    uint32_t const out = __ballot_sync(WARP_ALL, !inside);
    return out != 0 ? lowest_bit(out) : long_group(room, in_group);
}

/* The index of the first key of the group of key i; probe is probe_before(keys, i). */
template <typename CODE>
static DEVICE size_t warp_group_begin(const typename CODE::BITS *keys, size_t i,
                                      tie_probe<typename CODE::BITS> probe)
{
    return i - group_length<CODE>(probe, i,
                                  [&](size_t d) { return keys_tie<CODE>(keys[i - d], probe.key); });
}

/* One past the last key of the group of key i of n; probe is probe_behind(keys, n, i). */
template <typename CODE>
static DEVICE size_t warp_group_end(const typename CODE::BITS *keys, size_t n, size_t i,
                                    tie_probe<typename CODE::BITS> probe)
{
    return i + 1 + group_length<CODE>(probe, n - 1 - i, [&](size_t d) {
               return keys_tie<CODE>(keys[i + d], probe.key);
           });
}

/* ---- The pass ---- */

/* Returns word lane_id() of the head bits of a chunk, in array order. */
template <typename CODE, int V, typename BITS = typename CODE::BITS>
static DEVICE uint32_t chunk_heads(const BITS *keys, size_t n, size_t base)
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
    typedef typename word_of<sizeof(RANK)>::type NUM;
    constexpr bool BACK = KIND != RANK_NEXT, AHEAD = KIND != RANK_LAST;
    __shared__ NUM last_of[HEADS_WARPS], next_of[HEADS_WARPS]; /* 0 and n if the warp has no head */
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

static bool rank_pass_fits(const ordo_rank_sorted_job *job)
{
    return (uintptr_t)job->sorted % 16 == 0 && (uintptr_t)job->ranks % 16 == 0 &&
           (job->ties == ORDO_TIES_MIN || job->ties == ORDO_TIES_MAX ||
            job->ties == ORDO_TIES_AVERAGE);
}

template <rank_kind KIND, typename CODE, typename RANK, typename BITS = typename CODE::BITS>
static ordo_status launch_pass(cuda_call *call, const ordo_rank_sorted_job *job)
{
    return CUDA_LAUNCH(call, (rank_pass<KIND, CODE, RANK>), ordo_div_up(job->n, PASS_TILE),
                       HEADS_THREADS, 0, (const BITS *)job->sorted, job->n, (RANK *)job->ranks);
}

static ordo_status rank_in_one_pass(cuda_call *call, const ordo_rank_sorted_job *job)
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

static DEVICE void wait_for_launch_before(void)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

static DEVICE void let_next_launch_begin(void)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/* ---- Heads ---- */

template <typename CODE, int V, typename BITS = typename CODE::BITS>
static __global__ void __launch_bounds__(HEADS_THREADS, CUDA_TUNE_RANK_RESIDENT)
    find_heads(const BITS *keys, heads_table table)
{
    heads_span const span = warp_span(table);
    uint64_t         first = HEADS_NONE, last = 0, count = 0;
    auto const       is_head = [](BITS left, BITS key) { return !keys_tie<CODE>(left, key); };
    let_next_launch_begin();
    for (size_t chunk = span.begin; chunk < span.end; chunk++) {
        size_t const base = chunk * HEADS_CHUNK;
        BITS const   before = keys[base > 0 ? base - 1 : 0];
        uint32_t     word;
        unsigned     at; /* index of the lane's word in the chunk */
        if (table.n - base >= HEADS_CHUNK) {
            word = warp_flags<V, ACCESS_ONCE>(keys + base, before, is_head);
            word = heads_in_order<V>(word | (chunk == 0 && lane_id() == 0));
            at = heads_word<V>();
        } else {
            word = warp_flags_tail(keys + base, (unsigned)(table.n - base), before, is_head);
            word = heads_in_order<1>(word | (chunk == 0 && lane_id() == 0));
            at = lane_id();
        }
        table.words[chunk * 32 + at] = word;
        if (table.before != NULL && lane_id() == 0)
            table.before[chunk] = last;
        unsigned const highest =
            __reduce_max_sync(WARP_ALL, word != 0 ? at * 32 + highest_bit(word) + 1 : 0);
        last = highest != 0 ? base + highest : last;
        if (first == HEADS_NONE && highest != 0)
            first = base + __reduce_min_sync(WARP_ALL,
                                             word != 0 ? at * 32 + lowest_bit(word) : HEADS_CHUNK);
        count += __popc(word);
    }
    block_publish(table, first, last, count);
}

heads_table heads_take(cuda_scratch *scratch, size_t n, bool both)
{
    heads_table  table = {};
    size_t const chunks = ordo_div_up(n, HEADS_CHUNK);
    size_t const blocks = ordo_min(ordo_div_up(chunks, HEADS_WARPS), CUDA_TUNE_RANK_BLOCKS);
    size_t const entries = blocks * (1 + HEADS_WARPS);

    table.n = n;
    table.chunks = chunks;
    table.blocks = (unsigned)blocks;
    table.words = scratch_take<uint32_t>(scratch, chunks * 32);
    table.before = both ? scratch_take<uint64_t>(scratch, chunks) : NULL;
    table.first = scratch_take<uint64_t>(scratch, entries);
    table.last = scratch_take<uint64_t>(scratch, entries);
    table.count = scratch_take<uint64_t>(scratch, entries);
    return table;
}

static inline bool is_aligned(const void *array) { return (uintptr_t)array % 16 == 0; }

ordo_status dev_heads(cuda_call *call, const heads_table *table, ordo_type type, const void *keys)
{
    if (table->n == 0)
        return ORDO_OK;
    return with_key_code(type, false, KEY_FOLDED, [&](auto code) {
        typedef decltype(code)      CODE;
        typedef typename CODE::BITS BITS;
        constexpr int               V = 16 / (int)sizeof(BITS);
        auto *const kernel = is_aligned(keys) ? find_heads<CODE, V> : find_heads<CODE, 1>;
        return CUDA_LAUNCH(call, kernel, table->blocks, HEADS_THREADS, 0, (const BITS *)keys,
                           *table);
    });
}

/* ---- Ranks ---- */

template <rank_kind KIND, typename RANK, int V>
static __global__ void __launch_bounds__(HEADS_THREADS, CUDA_TUNE_RANK_RESIDENT)
    write_ranks(heads_table table, RANK *ranks)
{
    typedef typename word_of<sizeof(RANK)>::type NUM;

    wait_for_launch_before();
    heads_walk<KIND, NUM> walk = walk_start<KIND, NUM>(table);
    while (walk.left > 0) {
        heads_chunk<NUM> const chunk = walk_chunk(table, &walk);
        warp_write_ranks<KIND, RANK, V, ACCESS_ONCE>(ranks, table.n, chunk.base, chunk.word,
                                                     chunk.edges);
    }
}

/* The launch may begin before the previous launch in the stream has ended: its blocks start while
 * the last heads are found, and wait before they read. */
template <rank_kind KIND, typename RANK, int V>
static ordo_status launch_write(cuda_call *call, const heads_table *table, RANK *ranks)
{
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;

    bool const is_early = call->facts->capability >= 90 && KIND != RANK_INDEX;
    CUDA_TRY(call->exec, cuda_launch_with(call, early, is_early, write_ranks<KIND, RANK, V>,
                                          table->blocks, HEADS_THREADS, 0, *table, ranks));
    return ORDO_OK;
}

template <rank_kind KIND, typename RANK>
static ordo_status write_kind(cuda_call *call, const heads_table *table, RANK *ranks)
{
    return is_aligned(ranks) ? launch_write<KIND, RANK, 16 / (int)sizeof(RANK)>(call, table, ranks)
                             : launch_write<KIND, RANK, 1>(call, table, ranks);
}

ordo_status dev_ranks_of_heads(cuda_call *call, const heads_table *table, ordo_ties ties,
                               ordo_type rank_type, void *ranks)
{
    if (table->n == 0)
        return ORDO_OK;
    return with_rank_rule(ties, [&](auto rule) {
        constexpr rank_kind KIND = decltype(rule)::KIND;
        if constexpr (KIND == RANK_BOTH)
            return write_kind<KIND>(call, table, (double *)ranks);
        else
            return with_rank_type(rank_type, [&](auto zero) {
                return write_kind<KIND>(call, table, (decltype(zero) *)ranks);
            });
    });
}

/* ---- The verb ---- */

static bool is_paper(ordo_algorithm algorithm)
{
    return algorithm == ORDO_ALGORITHM_NAIVE || algorithm == ORDO_ALGORITHM_SHUFFLE ||
           algorithm == ORDO_ALGORITHM_HYBRID;
}

/* Ordinal ranks need only the sizes of the table, not its arrays. */
static heads_table table_of(cuda_scratch *scratch, const ordo_rank_sorted_job *job)
{
    cuda_scratch none = {};
    return heads_take(job->ties == ORDO_TIES_ORDINAL ? &none : scratch, job->n,
                      job->ties == ORDO_TIES_AVERAGE);
}

size_t dev_rank_sorted_scratch(const ordo_rank_sorted_job *job)
{
    return is_paper(job->algorithm) ? ordo_cuda_papers_table()->ranking.rank_sorted_scratch(job)
                                    : scratch_of(table_of, job);
}

ordo_status dev_rank_sorted(cuda_call *call, const ordo_rank_sorted_job *job)
{
    if (is_paper(job->algorithm))
        return ordo_cuda_papers_table()->ranking.rank_sorted(call, job);
    if (job->algorithm != ORDO_ALGORITHM_AUTO)
        return ordo_fail(call->exec, ORDO_E_UNSUPPORTED,
                         "algorithm %s cannot rank a sorted array on a GPU; use the CPU backend",
                         job->algorithm == ORDO_ALGORITHM_SEQUENTIAL ? "sequential" : "threads");
    call->exec->algorithm = "heads";
    if (job->n == 0)
        return ORDO_OK;
    if (rank_pass_fits(job)) {
        call->exec->facts.strategy = ORDO_STRATEGY_ONE_PASS;
        return rank_in_one_pass(call, job);
    }
    heads_table const table = table_of(&call->scratch, job);
    call->exec->facts.strategy =
        job->ties == ORDO_TIES_ORDINAL ? ORDO_STRATEGY_NO_KEYS : ORDO_STRATEGY_HEADS;
    if (job->ties != ORDO_TIES_ORDINAL)
        TRY(dev_heads(call, &table, job->type, job->sorted));
    return dev_ranks_of_heads(call, &table, job->ties, job->rank_type, job->ranks);
}
