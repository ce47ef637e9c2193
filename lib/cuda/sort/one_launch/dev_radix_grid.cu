/* dev_radix_grid.cu - sorts a middle number of four-byte keys, alone or with values, in one
 * cooperative launch.
 *
 * All blocks draw the same sample (dev_radix_grid_sample.cuh), which gives a line. They count the
 * keys of its parts, if there are many, then of its codes, move the keys to the codes, and sort
 * each code (dev_radix_grid_leaves.cuh); barriers of all blocks divide these steps. Equal codes
 * change their order, so an index moves with a key that has a value, and orders ties; the leaves
 * fetch the values. If the sample has too many crowded keys, or a code too many for a block, the
 * sort by digits follows. One to three reads, two writes. */
#include "cuda/sort/one_launch/dev_radix_grid_leaves.cuh"
#include "cuda/warp/warp_alike.cuh"

/* ---- the partition -------------------------------------------------------------------------- */

struct grid_range { /* the keys of a block */
    uint32_t first, end;
};

/* Some keys of a block, in registers: `valid` keys from `first` on. SHORT: a quarter as many. */
template <bool SHORT> struct grid_tile {
    static constexpr int      ITEMS = SHORT ? GRID_ITEMS / 4 : GRID_ITEMS;
    static constexpr uint32_t KEYS = GRID_THREADS * ITEMS;

    uint32_t first, valid;
    uint32_t key[ITEMS];

    /* Calls f(i, p) for each key i of this thread, at place p of the tile. */
    template <typename F> DEVICE void each(F &&f) const
    {
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            if (SHORT && i * GRID_THREADS >= valid) /* fewer instructions are fetched */
                break;
            if (i * GRID_THREADS + threadIdx.x < valid)
                f(i, i * GRID_THREADS + threadIdx.x);
        }
    }
    DEVICE void load(const uint32_t *keys, uint32_t from, uint32_t end)
    {
        first = from;
        valid = min(KEYS, end - from);
        each([&](int i, unsigned p) { key[i] = __ldcg(keys + from + p); });
    }
    /* Adds 1 to count[slot_of(key, index)] for each key i, and calls f(i, slot, sum before). */
    template <typename SLOT, typename F>
    DEVICE void add(uint32_t *count, SLOT &&slot_of, F &&f) const
    {
        /* whole warps, because their lanes may have to add together */
        bool const alike =
            (threadIdx.x | 31) < valid && warp_alike(slot_of(key[0], first + threadIdx.x));
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            unsigned const p = i * GRID_THREADS + threadIdx.x;
            if (SHORT && i * GRID_THREADS >= valid)
                break;
            if (p >= valid)
                continue;
            unsigned const slot = slot_of(key[i], first + p);
            f(i, slot,
              alike && (p | 31) < valid ? warp_add_alike(count, slot)
                                        : atomicAdd(count + slot, 1u));
        }
    }
};

template <typename TILE> struct grid_part { /* the keys of a block and its registers */
    const uint32_t *keys;
    grid_range      range;
    TILE           &tile;
    bool            whole; /* the tile has them all */
};

/* Counts the keys of a block in `count`, by slot_of(key). */
template <typename TILE, typename SLOT>
static DEVICE void grid_count(uint32_t *count, grid_part<TILE> const &part, SLOT &&slot_of)
{
#pragma unroll 1
    for (uint32_t at = part.range.first; at < part.range.end; at += TILE::KEYS) {
        if (!part.whole)
            part.tile.load(part.keys, at, part.range.end);
        part.tile.add(count, slot_of, [](int, unsigned, uint32_t) {});
    }
}

/* Counts the keys of all blocks in tables.even_counts, by slot_of(key). `drawn` is in shared
 * memory. Contains a barrier of all blocks. */
template <typename TILE, typename SLOT>
static DEVICE void grid_count_all(uint32_t *drawn, grid_part<TILE> const &part,
                                  const radix_tables &tables, SLOT &&slot_of)
{
    unsigned const me = threadIdx.x;
    drawn[me] = 0;
    __syncthreads();
    grid_count(drawn, part, slot_of);
    __syncthreads();
    uint32_t const count = drawn[me];
    if (count != 0)
        atomicAdd(tables.even_counts + me, count);
    radix_barrier(&tables.even->blocks_done);
}

/* Makes the table of the codes. `count`: keys of the part of this thread, of n keys or of a sample
 * of n. */
static DEVICE void grid_make_bend(grid_bend *bend, uint32_t count, uint32_t *sums, uint32_t n,
                                  uint32_t codes)
{
    uint32_t const before = grid_scan(count, sums);
    auto const     code_at = [&](uint32_t of) {
        return (uint32_t)(((uint64_t)of * codes << GRID_FRACTION) / n);
    };
    uint32_t const first = code_at(before);
    /* keys past the last part of a sample have the last code */
    bend[threadIdx.x] = {min(first, (codes << GRID_FRACTION) - 1), code_at(before + count) - first};
}

/* The sums of the counts of a thread before each of them, from `start` on. */
static DEVICE uint4 grid_starts(uint32_t start, uint4 count)
{
    return make_uint4(start, start + count.x, start + count.x + count.y,
                      start + count.x + count.y + count.z);
}

static DEVICE uint4 grid_add(uint4 a, uint4 b)
{
    return make_uint4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

static DEVICE uint32_t grid_sum(uint4 x) { return x.x + x.y + x.z + x.w; }

/* Where the total of a code is: neighbouring sectors of 8 codes are in different lines, because
 * atomics of one line are serialised. */
static DEVICE unsigned grid_slot(unsigned code)
{
    unsigned const sector = code / 8, lines = GRID_CODES / 32;
    return sector % lines * 32 + sector / lines * 8 + code % 8;
}

/* Takes places for the keys of this block: *to becomes the first places of the codes of this
 * thread. Returns false, in all threads of all blocks, if a code has too many keys. Sets
 * shared->large if that may be because the keys are equal, and they are alone. moved.count has
 * the keys of each code of the block, `totals` of all blocks. Contains a barrier of all blocks. */
template <typename CODE, bool INDEXED>
static DEVICE bool grid_take(grid_shared<CODE, INDEXED> *shared, uint32_t n, uint32_t codes,
                             uint32_t *totals, uint32_t *arrived, uint4 *to)
{
    unsigned const me = threadIdx.x;
    auto *const    moved = &shared->moved;
#pragma unroll
    for (unsigned c = me; c < GRID_CODES; c += GRID_THREADS) {
        uint32_t const count = moved->count[c];
        moved->to[c] = count != 0 ? atomicAdd(totals + grid_slot(c), count) : 0;
    }
    radix_barrier(arrived);
    uint4 const    prior = ((const uint4 *)moved->to)[me];
    uint4 const    all = 4 * me < codes ? __ldcg((const uint4 *)(totals + grid_slot(4 * me)))
                                        : make_uint4(0, 0, 0, 0);
    uint4 const    start = grid_starts(grid_scan(grid_sum(all), shared->sums), all);
    uint32_t const most = max(max(all.x, all.y), max(all.z, all.w));
    ((uint4 *)shared->start)[me] = start;
    if (me == 0)
        shared->start[GRID_CODES] = n;
    *to = grid_add(start, prior);
    bool const large = __syncthreads_or(most > GRID_MOST) != 0;
    if (me == 0)
        shared->large = large;
    return !large || (!INDEXED && shared->frequent.values != 0);
}

/* Counts the codes of a tile in moved.count, and ranks each key among those of its code: rank above
 * code. Begins and ends with a barrier. */
template <typename CODE, bool INDEXED, typename TILE, typename F>
static DEVICE void grid_rank(grid_shared<CODE, INDEXED> *shared, const TILE &tile,
                             uint32_t (&ranked)[TILE::ITEMS], F            &&code_of)
{
    ((uint4 *)shared->moved.count)[threadIdx.x] = make_uint4(0, 0, 0, 0);
    __syncthreads();
    tile.add(shared->moved.count, code_of, [&](int i, unsigned code, uint32_t rank) {
        ranked[i] = rank << GRID_LG_CODES | code;
    });
    __syncthreads();
}

/* Moves the keys of a tile to arrays 1, by code, after grid_rank. `to`: see grid_take; it is
 * advanced. Ends with a barrier. */
template <typename CODE, bool INDEXED, typename TILE>
static DEVICE void grid_move(grid_shared<CODE, INDEXED> *shared, const TILE  &tile,
                             const uint32_t (&ranked)[TILE::ITEMS], uint32_t *keys_out,
                             uint32_t *index_out, uint4 &to)
{
    auto *const    moved = &shared->moved;
    unsigned const me = threadIdx.x;
    uint4 *const   mine = (uint4 *)moved->count + me;
    uint4 const    count = *mine;
    uint4 const    local = grid_starts(grid_scan(grid_sum(count), shared->sums), count);
    *mine = local;
    ((uint4 *)moved->to)[me] =
        make_uint4(to.x - local.x, to.y - local.y, to.z - local.z, to.w - local.w);
    to = grid_add(to, count);
    __syncthreads();
    tile.each([&](int i, unsigned p) {
        unsigned const code = ranked[i] % GRID_CODES;
        unsigned const place = moved->count[code] + (ranked[i] >> GRID_LG_CODES);
        moved->keys[place] = tile.key[i];
        moved->codes[place] = (uint16_t)code;
        if (INDEXED)
            moved->source[place] = (uint16_t)p;
    });
    __syncthreads();
    for (unsigned p = me; p < tile.valid; p += GRID_THREADS) {
        uint32_t const place = moved->to[moved->codes[p]] + p;
        keys_out[place] = moved->keys[p];
        if (INDEXED)
            index_out[place] = tile.first + moved->source[p];
    }
    __syncthreads();
}

/* ---- equal keys ----------------------------------------------------------------------------- */

/* Copies the keys of codes that are too large for a leaf to arrays 0, and notes if they are not
 * equal. Every block copies those of its part of the array. Ends with a barrier of all blocks. If
 * keys were not equal, arrays 0 get all moved keys, for the sort by digits. */
template <typename CODE>
static DEVICE void grid_copy_large(const grid_shared<CODE, false> *shared, const radix_job &job,
                                   grid_range range, uint32_t codes, even_state *state)
{
    uint32_t *const       out = (uint32_t *)job.keys[0];
    const uint32_t *const in = (const uint32_t *)job.keys[1];
    unsigned const        me = threadIdx.x;
    bool                  differ = false;
    uint32_t              c = 0; /* the last code that starts before the part */
    for (uint32_t step = GRID_CODES / 2; step > 0; step /= 2)
        c += c + step < codes && shared->start[c + step] <= range.first ? step : 0;
    for (; c < codes && shared->start[c] < range.end; c++) {
        uint32_t const first = shared->start[c], end = shared->start[c + 1];
        if (end - first <= GRID_MOST)
            continue;
        uint32_t const one = __ldcg(in + first);
        for (uint32_t i = max(first, range.first) + me; i < min(end, range.end);
             i += GRID_THREADS) {
            uint32_t const key = __ldcg(in + i);
            differ |= key != one;
            out[i] = key;
        }
    }
    if (differ)
        store_relaxed(&state->failed, 1);
    radix_barrier(&state->blocks_done);
    if (load_relaxed(&state->failed) != 0)
        for (uint32_t i = range.first + me; i < range.end; i += GRID_THREADS)
            out[i] = __ldcg(in + i);
}

/* Sorts keys alone whose values are all frequent: counts each value, and writes the values in
 * order. Nothing is changed if a key has another value. */
template <typename CODE, typename TILE>
static DEVICE void grid_sort_few(grid_shared<CODE, false> *shared, const radix_job &job,
                                 CODE const &code, const radix_tables &tables,
                                 grid_part<TILE> const &part)
{
    unsigned const    me = threadIdx.x, values = shared->frequent.values;
    uint32_t *const   keys = (uint32_t *)job.keys[0];
    const auto *const table = &shared->drawn.table;
    unsigned const    absent = GRID_PARTS - 1;
    grid_count_all(shared->drawn.count, part, tables, [&](uint32_t raw, uint32_t) {
        uint32_t const bits = code.encode(raw);
        unsigned const slot = table->find(bits);
        return bits != table->none && table->key[slot] == bits ? table->hits[slot] : absent;
    });
    if (__ldcg(tables.even_counts + absent) != 0)
        return;
    shared->start[me] = grid_scan(__ldcg(tables.even_counts + me), shared->sums);
    __syncthreads();
    uint32_t at = part.range.first + me;
    unsigned low = /* the value of the first place of this thread */
        first_where(1u, values, [&](unsigned v) { return shared->start[v] > at; }) - 1;
    for (; at < part.range.end; at += GRID_THREADS) {
        while (low + 1 < values && shared->start[low + 1] <= at)
            low++;
        keys[at] = code.decode(shared->frequent.bits[low]);
    }
    if (blockIdx.x == 0 && me == 0)
        tables.even->go = 1;
}

/* ---- the kernel ----------------------------------------------------------------------------- */

/* Copies the values of the keys of a block to arrays 1, where the leaves fetch them. */
static DEVICE void grid_copy_values(const radix_job &job, grid_range range)
{
    for (uint32_t i = range.first + threadIdx.x; i < range.end; i += GRID_THREADS)
        if (job.value_size == 4)
            ((uint32_t *)job.values[1])[i] = ((const uint32_t *)job.values[0])[i];
        else
            ((uint64_t *)job.values[1])[i] = ((const uint64_t *)job.values[0])[i];
}

/* Moves the keys of a block to arrays 1, by code. Returns the number of codes; 0, in all blocks, if
 * one has too many keys. `codes`: those of the line. EXACT: the keys of the parts are counted, not
 * only those of the sample. Contains one or two barriers of all blocks. */
template <bool EXACT, typename CODE, bool INDEXED, typename TILE>
static DEVICE uint32_t grid_partition(grid_shared<CODE, INDEXED> *shared, const radix_job &job,
                                      CODE const &code, const radix_tables &tables,
                                      grid_line<CODE> const &line, grid_part<TILE> const &part,
                                      uint32_t codes)
{
    unsigned const me = threadIdx.x, values = EXACT ? 0 : shared->frequent.values;
    uint32_t const n = (uint32_t)job.n, more = values == 0 ? 0 : shared->frequent.first[values];
    uint32_t       ranked[TILE::ITEMS], count;
    uint4          to;
    if (EXACT) {
        grid_count_all(shared->drawn.count, part, tables,
                       [&](uint32_t raw, uint32_t) { return line.of(code, raw) >> GRID_LG_PART; });
        count = __ldcg(tables.even_counts + me);
    } else
        count = shared->drawn.count[me];
    codes = min(codes, GRID_CODES - more);
    grid_make_bend(shared->bend, count, shared->sums, EXACT ? n : GRID_DRAWN, codes);
    if (values != 0)
        codes = grid_place_frequent(shared, code, line, codes);
    uint32_t const factor = (uint32_t)((1ull << (32 + GRID_LG_PART)) / n);
    auto const     code_of = [&](uint32_t raw, uint32_t index) {
        uint32_t const at = grid_code(shared->bend, line.of(code, raw));
        if (values == 0)
            return at;
        uint32_t const bits = code.fold(code.encode(raw));
        return grid_frequent_code<INDEXED>(&shared->frequent, at, bits, __umulhi(index, factor));
    };
    if (part.whole)
        grid_rank(shared, part.tile, ranked, code_of);
    else {
        ((uint4 *)shared->moved.count)[me] = make_uint4(0, 0, 0, 0);
        __syncthreads();
        grid_count(shared->moved.count, part, code_of);
        __syncthreads();
    }
    if (!grid_take(shared, n, codes, tables.even_groups, &tables.even->blocks_done, &to))
        return 0;
    uint32_t *const keys_out = (uint32_t *)job.keys[1], *const index_out = grid_index(job);
    if (part.whole)
        grid_move(shared, part.tile, ranked, keys_out, index_out, to);
    else
#pragma unroll 1
        for (uint32_t at = part.range.first; at < part.range.end; at += TILE::KEYS) {
            part.tile.load(part.keys, at, part.range.end);
            grid_rank(shared, part.tile, ranked, code_of);
            grid_move(shared, part.tile, ranked, keys_out, index_out, to);
        }
    return codes;
}

/* SHORT: for up to CUDA_TUNE_GRID_SAMPLED keys. Each block runs its code once and waits for it, so
 * there is less of it. */
template <typename CODE, bool INDEXED, bool SHORT>
static __global__ void __launch_bounds__(GRID_THREADS, 2)
    radix_grid(__grid_constant__ radix_job const job, __grid_constant__ CODE const code,
               __grid_constant__ radix_tables const tables, uint32_t codes)
{
    extern __shared__ uint4 grid_memory[];
    auto *const             shared = (grid_shared<CODE, INDEXED> *)grid_memory;
    const uint32_t *const keys = (const uint32_t *)(job.source != NULL ? job.source : job.keys[0]);
    uint32_t const        n = (uint32_t)job.n, rows = (n - 1) / GRID_THREADS + 1;
    auto const            bound = [&](unsigned block) {
        return min(rows * block / gridDim.x * GRID_THREADS, n);
    };
    grid_range const                  range = {bound(blockIdx.x), bound(blockIdx.x + 1)};
    grid_line<CODE>                   line;
    grid_tile<SHORT>                  tile;
    grid_part<grid_tile<SHORT>> const part = {keys, range, tile,
                                              range.end - range.first <= tile.KEYS};
    if (part.whole)
        tile.load(keys, range.first, range.end);
    grid_kind const kind = grid_fit<SHORT>(shared, code, keys, n, line);
    if (kind == GRID_NONE)
        return; /* go is 0 */
    if constexpr (!INDEXED)
        if (kind == GRID_FEW) {
            grid_sort_few(shared, job, code, tables, part);
            return;
        }
    if (INDEXED && job.source == NULL)
        grid_copy_values(job, range);
    codes = grid_partition<!SHORT>(shared, job, code, tables, line, part, codes);
    if (codes == 0)
        return;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        tables.even->go = 1;
    radix_barrier(&tables.even->blocks_done);
    grid_sort_codes<SHORT>(shared, job, code, codes);
    if constexpr (!INDEXED && SHORT)
        if (shared->large)
            grid_copy_large(shared, job, range, codes, tables.even);
}

/* ---- the launch ----------------------------------------------------------------------------- */

template <bool INDEXED, typename CODE>
ordo_status grid_run(cuda_call *call, const radix_job *job, CODE code, radix_tables tables,
                     bool *enqueued)
{
    bool const  is_short = job->n <= CUDA_TUNE_GRID_SAMPLED;
    auto *const kernel =
        is_short ? radix_grid<CODE, INDEXED, true> : radix_grid<CODE, INDEXED, false>;
    constexpr size_t bytes = sizeof(grid_shared<CODE, INDEXED>);
    int              resident;
    if (bytes > call->facts->shared_bytes)
        return ORDO_OK;
    TRY(cuda_allow_shared(call, kernel, bytes));
    CUDA_TRY(call->exec, cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                             &resident, (const void *)kernel, GRID_THREADS, bytes));
    size_t const most = (size_t)(resident * call->facts->sms);
    size_t const blocks = ordo_min(most, ordo_div_up(job->n, GRID_THREADS));
    if (blocks == 0)
        return ORDO_OK;
    size_t const rounds = ordo_div_up(job->n, blocks * CUDA_TUNE_GRID_GROUP);
    uint32_t     codes = (uint32_t)ordo_min(blocks * rounds, GRID_CODES);
    void        *arguments[] = {(void *)job, &code, &tables, &codes};
    CUDA_TRY(call->exec,
             cudaLaunchCooperativeKernel((const void *)kernel, dim3((unsigned)blocks),
                                         dim3(GRID_THREADS), arguments, bytes, call->stream));
    *enqueued = true;
    return ORDO_OK;
}

#define INSTANCE(INDEXED, FLOAT, TIES)                                                             \
    template ordo_status grid_run<INDEXED>(                                                        \
        cuda_call *, const radix_job *, radix_code<uint32_t, FLOAT, TIES>, radix_tables, bool *);
INSTANCE(false, false, false)
INSTANCE(false, true, false)
INSTANCE(true, false, false)
INSTANCE(true, true, false)
INSTANCE(true, true, true)
#undef INSTANCE
