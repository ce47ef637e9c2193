/* dev_topk.cu - the first k keys in order and their indices; equal keys by index.
 *
 * Sample and sweep (dev_select.cuh), or passes over the array, find the k-th key. The sweep keeps
 * every key up to the end of the bracket with its index, so the winners are among the kept keys.
 * One cooperative kernel finds the k-th key (block_select.cuh), then, if more keys tie with it than
 * are wanted, the index of the last winner (block_select_ties.cuh), then the winners, and sorts up
 * to 2048 of them; more are sorted by tiles and merged (merge_sorted.cuh). One block handles few
 * keys (dev_select_few.cuh). More than n / CUDA_TUNE_TOPK_SORT winners: an argsort. Cost: one read
 * and a few per cent (H200, 2^28 f32, first 100: 0.36 ms). Scratch: 12 or 16 bytes for each of 2k +
 * n/512 + 2.2e6 keys, 32 per winner. Ties are folded. */
#include "cuda/block/block_select_ties.cuh"
#include "cuda/runtime/cuda_paths.cuh"
#include "cuda/select/dev_select.cuh"
#include "cuda/select/dev_select_few.cuh"
#include "cuda/sort/dev_radix_memory.cuh"
#include "cuda/sort/merge_sorted.cuh"

/* ---- Records ---- */

/* Winners are key_records. Where both fit, they are sorted as 64-bit words: 32 key bits above the
 * index. */
template <typename K> static DEVICE K record_of(const key_record &record)
{
    if constexpr (sizeof(K) == sizeof(record))
        return record;
    else
        return record.key << 32 | record.index;
}

static bool is_wide(const ordo_topk_job *job)
{
    return cuda_type_size(job->type) == 8 || job->n > (size_t)UINT32_MAX + 1;
}

/* ---- Results ---- */

struct topk_out { /* where result i is written; values and index may be NULL */
    const void *keys;
    void       *values, *index;
    size_t      k;
    unsigned    key_size;
    bool        is_index_wide, is_record_wide;
};

static topk_out out_of(const ordo_topk_job *job)
{
    return {job->keys,
            job->values,
            job->index,
            job->k,
            (unsigned)cuda_type_size(job->type),
            job->index_type == ORDO_U64,
            is_wide(job)};
}

static DEVICE void put_result(const topk_out &out, size_t i, uint64_t index)
{
    if (out.index != NULL && out.is_index_wide)
        ((uint64_t *)out.index)[i] = index;
    else if (out.index != NULL)
        ((uint32_t *)out.index)[i] = (uint32_t)index;
    if (out.values != NULL)
        store_sized((char *)out.values + i * out.key_size, out.key_size,
                    load_sized<uint64_t>(out.keys, index, out.key_size));
}

/* Sorts up to CUDA_TUNE_TOPK_ONE_BLOCK winners in shared memory and writes the results. */
template <typename RECORD>
static __device__ __noinline__ void order_few(RECORD *shared, const key_record *winners,
                                              const topk_out &out)
{
    RECORD *const  sorted = as_shared(shared);
    unsigned const k = (unsigned)out.k, tile = bitonic_tile(k);
    for (unsigned i = threadIdx.x; i < tile; i += blockDim.x) {
        key_record record = {};
        if (i < k) {
            record.key = __ldcg(&winners[i].key);
            record.index = __ldcg(&winners[i].index);
        }
        sorted[bitonic_at<RECORD>(i)] = i < k ? record_of<RECORD>(record) : last_record<RECORD>();
    }
    block_bitonic_sort(sorted, tile);
    for (unsigned i = threadIdx.x; i < k; i += blockDim.x)
        put_result(out, i, record_index(sorted[bitonic_at<RECORD>(i)]));
}

/* ---- Winners ---- */

template <typename BITS, typename WORD> union topk_shared {
    select_shared<WORD>     keys;
    select_shared<uint64_t> ties;
    topk_few_shared<BITS>   few;
    uint64_t                sorted[bitonic_room<uint64_t>(CUDA_TUNE_TOPK_ONE_BLOCK)];
    key_record              sorted_wide[bitonic_room<key_record>(CUDA_TUNE_TOPK_ONE_BLOCK)];
    __device__              topk_shared() {}
};

/* Takes places for `mine` records of each lane; returns the place of this lane's first record.
 * Called by whole warps; one atomic per warp. */
static DEVICE size_t claim_places(unsigned *next, unsigned mine)
{
    unsigned const scanned = warp_scan<scan_add<uint32_t>>(mine);
    unsigned       first = 0;
    if (lane_id() == WARP_LANES - 1)
        first = atomicAdd(next, scanned);
    return (size_t)__shfl_sync(WARP_ALL, first, WARP_LANES - 1) + scanned - mine;
}

/* The winners are the keys less than `word`, and the keys equal to `word` up to index `last`. */
template <typename WORD> struct topk_bound {
    WORD     word;
    uint64_t last;
};

/* Which winners the sweep has kept. */
enum topk_kept {
    TOPK_NONE,    /* not all keys smaller than the k-th key */
    TOPK_SMALLER, /* all smaller keys, but not the ties */
    TOPK_ALL
};
static DEVICE topk_kept kept_of(const select_plan &plan, uint64_t word)
{
    for (unsigned v = 0; v < plan.intervals; v++) {
        bool const is_counted = plan.lo[v] == plan.hi[v];
        if (word <= plan.hi[v])
            return is_counted ? TOPK_SMALLER : TOPK_ALL;
        if (is_counted)
            return TOPK_NONE;
    }
    return TOPK_NONE;
}

/* Finds all winners in the array, or only those that tie with the k-th key. */
template <typename CODE, typename WORD>
static DEVICE void
winners_in_array(const CODE &code, const select_tiles<typename CODE::BITS> &tiles,
                 const topk_bound<WORD> &bound, bool only_ties, key_record *winners, unsigned *next)
{
    typedef select_tiles<typename CODE::BITS> T;
    unsigned const                            lane = lane_id();
    for (size_t tile = grid_warp(); tile < tiles_count(tiles); tile += grid_warps()) {
        size_t const start = tile_index(tiles, tile, 0, 0);
        if (only_ties && start > bound.last)
            continue;
        WORD           key[T::KEYS];
        uint32_t const valid = tile_read(code, tiles, tile, lane, key);
        uint32_t       before = 0, tied = 0;
#pragma unroll
        for (int j = 0; j < T::KEYS; j++) {
            before |= key[j] < bound.word ? 1u << j : 0;
            tied |= key[j] == bound.word ? 1u << j : 0;
        }
        /* Only one tile contains the last tie: the ties before it win, the ties after it do not. */
        if (start > bound.last)
            tied = 0;
        else if (bound.last - start < T::TILE)
            for (int j = 0; j < T::KEYS; j++)
                if (tile_index(tiles, tile, lane, (unsigned)j) > bound.last)
                    tied &= ~(1u << j);
        uint32_t mask = (only_ties ? tied : before | tied) & valid;
        if (__ballot_sync(WARP_ALL, mask != 0) == 0)
            continue;
        size_t at = claim_places(next, (unsigned)__popc(mask));
        for (; mask != 0; mask &= mask - 1) {
            size_t const index = tile_index(tiles, tile, lane, (unsigned)__ffs((int)mask) - 1);
            winners[at++] = {code.encode(__ldg(tiles.keys + index)), index};
        }
    }
}

template <typename WORD>
static DEVICE void winners_among_kept(const select_kept &kept, unsigned taken,
                                      const topk_bound<WORD> &bound, key_record *winners,
                                      unsigned *next)
{
    unsigned const lane = lane_id();
    for (size_t chunk = grid_warp(); chunk < taken; chunk += grid_warps()) {
        unsigned const count = kept.counts[chunk];
        size_t const   start = chunk * CUDA_TUNE_SELECT_CHUNK;
        WORD           words[CHUNK_ROWS];
        chunk_read(kept, chunk, words);
#pragma unroll
        for (unsigned row = 0; row < CHUNK_ROWS; row++) {
            size_t const at = start + row * WARP_LANES + lane;
            bool const   is_there = row * WARP_LANES + lane < count;
            bool const   is_tied = is_there && words[row] == bound.word;
            bool const   is_in =
                is_there && (words[row] < bound.word || (is_tied && kept.index[at] <= bound.last));
            if (__ballot_sync(WARP_ALL, is_in) == 0)
                continue;
            size_t const place = claim_places(next, is_in ? 1 : 0);
            if (is_in) {
                winners[place] = {words[row], kept.index[at]};
            }
        }
    }
}

/* ---- The kernel ---- */

/* Not inlined, to leave more registers to the passes over large arrays. */
template <typename CODE>
static __device__ __noinline__ bool topk_few(topk_few_shared<typename CODE::BITS> *s, CODE code,
                                             unsigned n, topk_out out)
{
    const typename CODE::BITS *const keys = (const typename CODE::BITS *)out.keys;
    unsigned const                   k = (unsigned)out.k;
    auto const put = [&](unsigned i, unsigned index) { put_result(out, i, index); };
    if (n <= SPREAD_FEW * SELECT_THREADS)
        return topk_few_keys<SPREAD_FEW>(s, code, keys, n, k, put);
    return topk_few_keys<SPREAD_MANY>(s, code, keys, n, k, put);
}

/* The index of the last winner among the `ties` keys equal to `word`, of which the first `wanted`
 * win. is_kept: the sweep has kept them, in `taken` chunks. Called by all blocks. */
template <typename CODE, typename BITS, typename WORD>
static DEVICE uint64_t last_winner(topk_shared<BITS, WORD> &s, const select_work &work,
                                   const tie_array<CODE, WORD> &array, uint64_t wanted,
                                   bool is_kept, unsigned taken, select_positions *position,
                                   unsigned *round)
{
    select_plan *const            plan = work.plan;
    select_grid                   grid = select_grid_of(work);
    select_target<uint64_t> const target = {0, array.tiles.n - 1, 0, array.ties, 0, 0};
    if (threadIdx.x == 0) {
        s.ties.target[0] = target;
        position->k[0] = wanted - 1;
    }
    grid.bins = work.bins + SELECT_BINS;
    grid.more = work.more + 2 * SELECT_BINS;
    grid.words = work.gathered + SELECT_GATHER;
    grid.gathered = &plan->gathered_ties;
    uint64_t last; /* valid in block 0 */
    if (is_kept) {
        select_settle(s.ties, grid, *position, true, round, [&](auto &&f) {
            each_kept<WORD>(work.kept, taken, [&](WORD word, auto &&index) {
                if (word == array.word)
                    f((uint64_t)index(), index);
            });
        });
        last = s.ties.target[0].lo;
    } else {
        last = select_tie(s.ties, grid, array, position, round);
    }
    if (blockIdx.x == 0 && threadIdx.x == 0)
        plan->last = last;
    grid_barrier(grid.arrived, round);
    return __ldcg(&plan->last);
}

template <typename CODE, typename BITS = typename CODE::BITS>
static __global__ void __launch_bounds__(SELECT_THREADS, 1)
    topk_kernel(CODE given, const select_tiles<BITS> tiles, const select_work work,
                const topk_out out, bool is_few, key_record *winners)
{
    typedef typename select_word<BITS>::type WORD;
    __shared__ topk_shared<BITS, WORD> s;
    __shared__ unsigned                alone_winners;
    select_plan *const                 plan = work.plan;
    CODE const                         code = code_with_ties<true>(given);
    unsigned                           round = 0;
    __shared__ select_positions        position;
    if (is_few && topk_few(&s.few, code, (unsigned)tiles.n, out))
        return;
    if (threadIdx.x == 0) {
        position.k[0] = out.k - 1;
        position.count = 1;
    }
    __syncthreads();

    bool const     is_told = select_begin(s.keys, work, position, tiles.n, (WORD)(BITS) ~(BITS)0);
    unsigned const taken = is_told ? plan->taken : 0;
    select_grid const grid = select_grid_of(work);
    select_settle(s.keys, grid, position, is_told, &round, [&](auto &&f) {
        if (is_told)
            each_kept<WORD>(work.kept, taken, f);
        else
            each_in_array(code, tiles, f);
    });
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        plan->word = s.keys.target[0].lo;
        plan->below = s.keys.target[0].below;
        plan->ties = s.keys.target[0].inside;
        alone_winners = 0;
    }
    grid_barrier(grid.arrived, &round);

    topk_bound<WORD> bound = {(WORD)__ldcg(&plan->word), UINT64_MAX};
    uint64_t const   wanted = out.k - __ldcg(&plan->below), ties = __ldcg(&plan->ties);
    topk_kept const  has = is_told ? kept_of(*plan, (uint64_t)bound.word) : TOPK_NONE;
    if (ties > wanted) {
        tie_array<CODE, WORD> const array = {code, tiles, bound.word, ties};
        bound.last = last_winner(s, work, array, wanted, has == TOPK_ALL, taken, &position, &round);
    }

    unsigned *const next = gridDim.x == 1 ? &alone_winners : &plan->winners;
    if (has != TOPK_NONE)
        winners_among_kept(work.kept, taken, bound, winners, next);
    if (has != TOPK_ALL)
        winners_in_array(code, tiles, bound, has == TOPK_SMALLER, winners, next);
    if (out.k > CUDA_TUNE_TOPK_ONE_BLOCK)
        return;
    grid_barrier(grid.arrived, &round);
    if (blockIdx.x != 0)
        return;
    if (out.is_record_wide)
        order_few(s.sorted_wide, winners, out);
    else
        order_few(s.sorted, winners, out);
}

/* ---- Many winners ---- */

template <typename RECORD>
static __global__ void __launch_bounds__(MERGE_THREADS)
    topk_tile_kernel(const key_record *winners, size_t k, RECORD *out)
{
    __shared__ __align__(16) unsigned char room[sizeof(RECORD) * bitonic_room<RECORD>(MERGE_TILE)];
    RECORD *const                          tile = (RECORD *)room;
    size_t const                           first = (size_t)blockIdx.x * MERGE_TILE;
    for (unsigned i = threadIdx.x; i < MERGE_TILE; i += MERGE_THREADS)
        tile[bitonic_at<RECORD>(i)] =
            first + i < k ? record_of<RECORD>(winners[first + i]) : last_record<RECORD>();
    block_bitonic_sort(tile, MERGE_TILE);
    for (unsigned i = threadIdx.x; i < MERGE_TILE && first + i < k; i += MERGE_THREADS)
        out[first + i] = tile[bitonic_at<RECORD>(i)];
}

template <typename RECORD>
static __global__ void __launch_bounds__(MERGE_THREADS)
    topk_write_kernel(const RECORD *sorted, const topk_out out)
{
    size_t const i = (size_t)blockIdx.x * MERGE_THREADS + threadIdx.x;
    if (i < out.k)
        put_result(out, i, record_index(sorted[i]));
}

struct topk_work {
    select_work select;
    key_record *winners;
    key_record *sorted; /* room for k records; the other array of the merge is `winners` */
};

template <typename RECORD>
static ordo_status order_many(cuda_call *call, const topk_work *work, const topk_out *out)
{
    RECORD *sorted;
    TRY(CUDA_LAUNCH(call, topk_tile_kernel<RECORD>, ordo_div_up(out->k, MERGE_TILE), MERGE_THREADS,
                    0, work->winners, out->k, (RECORD *)work->sorted));
    TRY(merge_sorted(call, (RECORD *)work->sorted, (RECORD *)work->winners, out->k, MERGE_TILE,
                     &sorted));
    return CUDA_LAUNCH(call, topk_write_kernel<RECORD>, ordo_div_up(out->k, MERGE_THREADS),
                       MERGE_THREADS, 0, sorted, *out);
}

/* ---- The first k results of an argsort ---- */

static ordo_argsort_job argsort_of(const ordo_topk_job *job, void *index)
{
    ordo_type const index_type = job->n > (size_t)UINT32_MAX + 1 ? ORDO_U64 : ORDO_U32;
    return {job->type,  job->keys, job->n, job->descending, ORDO_ALGORITHM_RADIX, 0,
            index_type, index,     NULL};
}

template <typename INDEX>
static __global__ void __launch_bounds__(MERGE_THREADS)
    topk_cut_kernel(const INDEX *order, const topk_out out)
{
    size_t const i = (size_t)blockIdx.x * MERGE_THREADS + threadIdx.x;
    if (i < out.k)
        put_result(out, i, order[i]);
}

static void *cut_layout(cuda_scratch *scratch, const ordo_topk_job *job)
{
    return scratch_take<char>(scratch, job->n * (job->n > (size_t)UINT32_MAX + 1 ? 8 : 4));
}

static ordo_status topk_by_argsort(cuda_call *call, const ordo_topk_job *job)
{
    void *const            order = cut_layout(&call->scratch, job);
    ordo_argsort_job const sort = argsort_of(job, order);
    topk_out const         out = out_of(job);
    size_t const           blocks = ordo_div_up(job->k, MERGE_THREADS);
    TRY(dev_argsort(call, &sort));
    TRY(with_word(sort.index_type == ORDO_U64, [&](auto zero) {
        typedef decltype(zero) INDEX;
        return CUDA_LAUNCH(call, topk_cut_kernel<INDEX>, blocks, MERGE_THREADS, 0,
                           (const INDEX *)order, out);
    }));
    call->exec->facts.strategy = ORDO_STRATEGY_SORTED_COPY;
    return ORDO_OK;
}

/* ---- The verb ---- */

static bool is_sorted_whole(const ordo_topk_job *job)
{
    return job->k > CUDA_TUNE_TOPK_ONE_BLOCK && job->k > job->n / CUDA_TUNE_TOPK_SORT;
}

static bool is_swept(const ordo_topk_job *job)
{
    return job->n * cuda_type_size(job->type) > CUDA_TUNE_SELECT_DIRECT;
}

static select_input input_of(const ordo_topk_job *job)
{
    return {job->type, job->keys, job->n, job->descending, KEY_FOLDED};
}

/* The sweep keeps k keys and the rest of the bracket; there is room for twice as many. */
static topk_work topk_layout(cuda_scratch *scratch, const ordo_topk_job *job)
{
    select_input const input = input_of(job);
    size_t const       keeps = 2 * job->k + job->n / 512;
    topk_work          work;
    work.select = select_layout(scratch, &input, is_swept(job), keeps, 2);
    work.winners = scratch_take<key_record>(scratch, job->k);
    work.sorted = scratch_take<key_record>(scratch, job->k > CUDA_TUNE_TOPK_ONE_BLOCK ? job->k : 0);
    return work;
}

size_t dev_topk_scratch(const ordo_topk_job *job)
{
    if (!is_sorted_whole(job))
        return scratch_of(topk_layout, job);
    ordo_argsort_job const sort = argsort_of(job, NULL);
    return scratch_of(cut_layout, job) + dev_argsort_scratch(&sort);
}

/* `is_few`: the keys fit in the registers of a block. */
static ordo_status topk_by_selection(cuda_call *call, const ordo_topk_job *job, bool is_few)
{
    topk_work const    work = topk_layout(&call->scratch, job);
    select_input const input = input_of(job);
    topk_out const     out = out_of(job);
    unsigned const     blocks = select_settle_blocks(call, &input);
    select_positions   position = {};
    position.k[0] = job->k - 1;
    position.count = 1;
    if (work.select.is_swept) {
        TRY(select_sample(call, &work.select, &input, &position, true));
        TRY(select_sweep(call, &work.select, &input, 1));
    }
    TRY(select_clear(call, &work.select, blocks));
    TRY(with_key_code(job->type, job->descending, KEY_FOLDED, [&](auto code) {
        SELECT_LAUNCH_TOGETHER(call, topk_kernel<decltype(code)>, blocks, code,
                               select_tiles_of<typename decltype(code)::BITS>(job->keys, job->n),
                               work.select, out, is_few, work.winners);
        return ORDO_OK;
    }));
    if (job->k > CUDA_TUNE_TOPK_ONE_BLOCK)
        TRY(out.is_record_wide ? order_many<key_record>(call, &work, &out)
                               : order_many<uint64_t>(call, &work, &out));
    call->exec->algorithm = "select and sort";
    return ORDO_OK;
}

/* ---- The paths ---- */

struct topk_look {
    cuda_call           *call;
    const ordo_topk_job *job;
};

static bool is_most(const topk_look *look) { return is_sorted_whole(look->job); }

static bool is_large(const topk_look *look) { return is_swept(look->job); }

static bool is_few(const topk_look *look)
{
    return look->job->n <= CUDA_TUNE_SPREAD_KEYS && look->job->k <= CUDA_TUNE_TOPK_ONE_BLOCK;
}

static ordo_status take_sorted(topk_look *look, bool *done)
{
    *done = true;
    return topk_by_argsort(look->call, look->job);
}

template <ordo_strategy STRATEGY> static ordo_status take_selected(topk_look *look, bool *done)
{
    *done = true;
    look->call->exec->facts.strategy = STRATEGY;
    return topk_by_selection(look->call, look->job, STRATEGY == ORDO_STRATEGY_BLOCK);
}

static const cuda_path<topk_look> paths[] = {
    CUDA_PATH("topk", "argsort", "so large a part of the keys that all are sorted", is_most,
              take_sorted),
    CUDA_PATH("topk", "sample", "too many keys for the L2 cache; one read, by a bracket", is_large,
              take_selected<ORDO_STRATEGY_SWEEP>),
    CUDA_PATH("topk", "block", "keys that fit in the registers of one block", is_few,
              take_selected<ORDO_STRATEGY_BLOCK>),
    CUDA_PATH("topk", "digits", "all other keys, by passes of a digit", cuda_always,
              take_selected<ORDO_STRATEGY_DIGITS>)};

const cuda_paths cuda_topk_paths = CUDA_PATHS(paths);

ordo_status dev_topk(cuda_call *call, const ordo_topk_job *job)
{
    topk_look look = {call, job};
    bool      done = job->k == 0 || (job->values == NULL && job->index == NULL);
    return cuda_walk(paths, 0, cuda_topk_paths.count, &look, &done);
}
