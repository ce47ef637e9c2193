/* dev_rank.cu - ranks of a sorted array: the choice of kernels, and two launches that work for
 * every type, rule and alignment.
 *
 *   heads   reads the keys and writes one bit for each: does a group of tied keys begin here
 *   write   reads the bits, which are still in L2, and writes the ranks
 * A warp learns what surrounds its span from a small table (block_heads.cuh). The rules read the
 * bits differently: the last bit up to a key (min), the next bit after it (max), both (average),
 * the number of bits (dense); ordinal ranks need no keys. So time does not depend on ties. Most
 * jobs with aligned arrays take one pass instead (dev_rank_pass.cu). Memory moved: keys, ranks, n /
 * 4 bytes of bits. Scratch: n / 8 bytes, and n / 128 for average ranks. */
#include "cuda/papers/papers.cuh"
#include "cuda/rank/dev_rank.cuh"

static __device__ __forceinline__ void wait_for_launch_before(void)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

static __device__ __forceinline__ void let_next_launch_begin(void)
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
        unsigned     at; /* of the word in the chunk */
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
        const BITS *const           bits = (const BITS *)keys;
        if (is_aligned(keys))
            CUDA_LAUNCH(call, (find_heads<CODE, V>), table->blocks, HEADS_THREADS, 0, bits, *table);
        else
            CUDA_LAUNCH(call, (find_heads<CODE, 1>), table->blocks, HEADS_THREADS, 0, bits, *table);
        return ORDO_OK;
    });
}

/* ---- Ranks ---- */

template <rank_kind KIND, typename RANK, int V>
static __global__ void __launch_bounds__(HEADS_THREADS, CUDA_TUNE_RANK_RESIDENT)
    write_ranks(heads_table table, RANK *ranks)
{
    typedef typename rank_number<RANK>::type NUM;

    wait_for_launch_before();
    heads_walk<KIND, NUM> walk = walk_start<KIND, NUM>(table);
    while (walk.left > 0) {
        heads_chunk<NUM> const chunk = walk_chunk(table, &walk);
        warp_write_ranks<KIND, RANK, V, ACCESS_ONCE>(ranks, table.n, chunk.base, chunk.word,
                                                     chunk.edges);
    }
}

/* The launch may begin before the previous one in the stream has ended: blocks are set up while the
 * last heads are found, and wait before they read. */
template <rank_kind KIND, typename RANK, int V>
static ordo_status launch_write(cuda_call *call, const heads_table *table, RANK *ranks)
{
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;

    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(table->blocks);
    config.blockDim = dim3(HEADS_THREADS);
    config.stream = call->stream;
    config.attrs = &early;
    config.numAttrs = call->facts->capability >= 90 && KIND != RANK_INDEX;
    CUDA_TRY(call->exec, cudaLaunchKernelEx(&config, write_ranks<KIND, RANK, V>, *table, ranks));
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
    cuda_scratch counted = {};
    table_of(&counted, job);
    return is_paper(job->algorithm) ? dev_rank_paper_scratch(job) : counted.used;
}

ordo_status dev_rank_sorted(cuda_call *call, const ordo_rank_sorted_job *job)
{
    if (is_paper(job->algorithm))
        return dev_rank_paper(call, job);
    if (job->algorithm != ORDO_ALGORITHM_AUTO)
        return ordo_fail(call->exec, ORDO_E_UNSUPPORTED,
                         "algorithm %s of a sorted array's ranks runs on the CPU only",
                         job->algorithm == ORDO_ALGORITHM_SEQUENTIAL ? "sequential" : "threads");
    call->exec->algorithm = "heads";
    if (job->n == 0)
        return ORDO_OK;
    if (rank_pass_fits(job)) {
        call->exec->facts.strategy = ORDO_STRATEGY_ONE_PASS;
        return dev_rank_pass(call, job);
    }
    heads_table const table = table_of(&call->scratch, job);
    call->exec->facts.strategy =
        job->ties == ORDO_TIES_ORDINAL ? ORDO_STRATEGY_NO_KEYS : ORDO_STRATEGY_HEADS;
    if (job->ties != ORDO_TIES_ORDINAL)
        TRY(dev_heads(call, &table, job->type, job->sorted));
    return dev_ranks_of_heads(call, &table, job->ties, job->rank_type, job->ranks);
}
