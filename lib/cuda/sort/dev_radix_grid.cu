/* dev_radix_grid.cu - sorts a middle number of four-byte keys, alone or with values, in one
 * cooperative launch.
 *
 * All blocks draw the same sample, which gives a line (dev_radix_grid.cuh). They count the keys of
 * its parts, then of its codes, move the keys to the codes, and sort each code as a leaf
 * (dev_radix_leaf.cuh), or by digits if its keys crowd; barriers of all blocks divide these steps.
 * Equal codes change their order, so an index moves with a key that has a value, and orders ties;
 * the leaves fetch the values. If the sample has too many equal or crowded keys, or a code has too
 * many keys for a leaf, nothing is changed, and the sort by digits follows. Three reads, two
 * writes. */
#include "cuda/block/block_places.cuh"
#include "cuda/sort/dev_radix_grid.cuh"
#include "cuda/sort/dev_radix_leaf.cuh"
#include "cuda/warp/warp_alike.cuh"

template <bool INDEXED> struct grid_value {
    typedef radix_no_value type;
};
template <> struct grid_value<true> {
    typedef uint32_t type;
};

/* ---- shared memory -------------------------------------------------------------------------- */

struct grid_drawn { /* while the sample is examined and the parts are counted */
    uint32_t marks[(1 << GRID_LG_MARKS) / 32];
    uint32_t count[GRID_PARTS];
};

template <bool INDEXED> struct grid_moved { /* the keys of the block, in the order of the codes */
    uint32_t count[GRID_CODES];             /* keys of each code; later their first place */
    uint32_t to[GRID_CODES];                /* where they go, minus their place in the block */
    uint32_t keys[GRID_TILE];
    uint32_t index[INDEXED ? GRID_TILE : 1];
    uint16_t codes[GRID_TILE];
};

template <bool INDEXED> struct grid_digits { /* a leaf that is sorted by digits */
    uint32_t                   keys[LEAF_KEYS];
    uint32_t                   index[INDEXED ? LEAF_KEYS : 1];
    uint16_t                   order[LEAF_KEYS];
    radix_counters<GRID_WARPS> counters;
    uint32_t                   ones[2], zeros[2]; /* of the keys and of the indices: bits set in
                                                   * some, and bits not set in all */
};

template <typename CODE, bool INDEXED> struct alignas(16) grid_shared {
    grid_bend bend[GRID_PARTS];
    alignas(16) uint32_t start[GRID_CODES + 4]; /* first places of the codes, and n */
    uint32_t sums[GRID_WARPS], twice, ends[2][32];
    uint32_t left[GRID_CODES / 32]; /* a bit for the first code of each leaf that is left */
    union {
        grid_drawn                                                                drawn;
        grid_moved<INDEXED>                                                       moved;
        leaf_shared<CODE, typename grid_value<INDEXED>::type, INDEXED, leaf_real> leaf;
        grid_digits<INDEXED>                                                      digits;
    };
};

/* A scan over one value of each thread: the sum of the values before. Contains two barriers. */
static DEVICE uint32_t grid_scan(uint32_t x, uint32_t *sums)
{
    return block_scan_threads<scan_add<uint32_t>, GRID_WARPS>(x, sums).before;
}

/* ---- the sample ----------------------------------------------------------------------------- */

/* Fits the line. Returns false, in all threads of all blocks, if the keys cannot be sorted here.
 * Leaves drawn.count zero. */
template <typename CODE, bool INDEXED>
static DEVICE bool grid_fit(grid_shared<CODE, INDEXED> *shared, CODE const &code,
                            const uint32_t *keys, uint32_t n, grid_line<CODE> &line)
{
    auto *const    drawn = &shared->drawn;
    unsigned const me = threadIdx.x;
    uint32_t const part = n / GRID_DRAWN;
    uint32_t       raw[GRID_EACH], low, high, again = 0;
    unsigned       next = 0; /* keys that equal the next one */
#pragma unroll
    for (int i = 0; i < GRID_EACH; i++) {
        uint32_t const s = i * GRID_THREADS + me;
        uint32_t const at = s * part + (s * 0x9e3779b9u >> 8) % (part - 1);
        raw[i] = keys[at];
        next += keys[at + 1] == raw[i];
    }
#pragma unroll
    for (unsigned i = me; i < (1u << GRID_LG_MARKS) / 32; i += GRID_THREADS)
        drawn->marks[i] = 0;
    drawn->count[me] = 0;
    if (me == 0)
        shared->twice = 0;
    if (me >= GRID_WARPS && me < 32) /* warps that the block does not have */
        shared->ends[0][me] = shared->ends[1][me] = 0;
    even_find_ends(code, raw, shared->ends, &low, &high);
#pragma unroll
    for (int i = 0; i < GRID_EACH; i++) {
        unsigned const mark = raw[i] * 0x9e3779b9u >> (32 - GRID_LG_MARKS);
        uint32_t const bit = 1u << mark % 32;
        again += (atomicOr(drawn->marks + mark / 32, bit) & bit) != 0;
    }
    again = __reduce_add_sync(WARP_ALL, again);
    if (lane_id() == 0)
        atomicAdd(&shared->twice, again);
    /* The sample has one key of each part of the array, and misses equal neighbours. */
    if (__syncthreads_count(next == GRID_EACH) > GRID_THREADS / 2)
        return false;
    if (shared->twice > GRID_REPEATED + (uint64_t)GRID_DRAWN * GRID_DRAWN * 4 / n)
        return false;
    bool fits = false;
    for (int curve = 0; curve < 2 && !fits && low < high; curve++) {
        fits = line.fit(code, low, high, curve != 0);
        if (!fits)
            continue;
#pragma unroll
        for (int i = 0; i < GRID_EACH; i++)
            atomicAdd(drawn->count + (line.of(code, raw[i]) >> GRID_LG_PART), 1u);
        __syncthreads();
        bool const crowded = drawn->count[me] > GRID_CROWDED;
        drawn->count[me] = 0;
        fits = __syncthreads_or(crowded) == 0;
    }
    return fits;
}

/* ---- the partition -------------------------------------------------------------------------- */

struct grid_range { /* the keys of a block */
    uint32_t first, end;
};

/* Some keys of a block, in registers: `valid` keys from `first` on. */
struct grid_tile {
    uint32_t first, valid;
    uint32_t key[GRID_ITEMS];

    /* Calls f(i, p) for each key i of this thread, at place p of the tile. */
    template <typename F> DEVICE void each(F &&f) const
    {
#pragma unroll
        for (int i = 0; i < GRID_ITEMS; i++)
            if (i * GRID_THREADS + threadIdx.x < valid)
                f(i, i * GRID_THREADS + threadIdx.x);
    }
    DEVICE void load(const uint32_t *keys, uint32_t from, uint32_t end)
    {
        first = from;
        valid = min((uint32_t)GRID_TILE, end - from);
        each([&](int i, unsigned p) { key[i] = __ldcg(keys + from + p); });
    }
    /* Adds 1 to count[slot_of(key)] for each key i, and calls f(i, slot, sum before). */
    template <typename SLOT, typename F>
    DEVICE void add(uint32_t *count, SLOT &&slot_of, F &&f) const
    {
        /* whole warps, because their lanes may have to add together */
        bool const alike = (threadIdx.x | 31) < valid && warp_alike(slot_of(key[0]));
#pragma unroll
        for (int i = 0; i < GRID_ITEMS; i++) {
            unsigned const p = i * GRID_THREADS + threadIdx.x;
            if (p >= valid)
                continue;
            unsigned const slot = slot_of(key[i]);
            f(i, slot,
              alike && (p | 31) < valid ? warp_add_alike(count, slot)
                                        : atomicAdd(count + slot, 1u));
        }
    }
};

/* Counts the keys of a block in `count`, by slot_of(key). */
template <typename SLOT>
static DEVICE void grid_count(uint32_t *count, const uint32_t *keys, grid_range range,
                              SLOT &&slot_of)
{
    grid_tile tile;
#pragma unroll 1
    for (uint32_t at = range.first; at < range.end; at += GRID_TILE) {
        tile.load(keys, at, range.end);
        tile.add(count, slot_of, [](int, unsigned, uint32_t) {});
    }
}

/* Makes the table of the codes from the number of keys of each part. */
static DEVICE void grid_make_bend(grid_bend *bend, const uint32_t *parts, uint32_t *sums,
                                  uint32_t n, uint32_t codes)
{
    uint32_t const count = __ldcg(parts + threadIdx.x);
    uint32_t const before = grid_scan(count, sums);
    auto const     code_at = [&](uint32_t of) {
        return (uint32_t)(((uint64_t)of * codes << GRID_FRACTION) / n);
    };
    uint32_t const first = code_at(before);
    bend[threadIdx.x] = {first, code_at(before + count) - first};
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

/* Takes places for the keys of this block: *to becomes the first places of the codes of this
 * thread. Returns false, in all threads of all blocks, if a code has too many keys. moved.count has
 * the keys of each code of the block, `totals` of all blocks. Contains a barrier of all blocks. */
template <typename CODE, bool INDEXED>
static DEVICE bool grid_take(grid_shared<CODE, INDEXED> *shared, uint32_t n, uint32_t codes,
                             uint32_t *totals, uint32_t *arrived, uint4 *to)
{
    unsigned const me = threadIdx.x;
    uint4 const    count = ((const uint4 *)shared->moved.count)[me];
    auto const     take = [&](unsigned i, uint32_t keys) {
        return keys != 0 ? atomicAdd(totals + 4 * me + i, keys) : 0;
    };
    uint4 const prior = {take(0, count.x), take(1, count.y), take(2, count.z), take(3, count.w)};
    radix_barrier(arrived);
    uint4 const all = 4 * me < codes ? __ldcg((const uint4 *)totals + me) : make_uint4(0, 0, 0, 0);
    uint4 const start = grid_starts(grid_scan(grid_sum(all), shared->sums), all);
    uint32_t const most = max(max(all.x, all.y), max(all.z, all.w));
    ((uint4 *)shared->start)[me] = start;
    if (me == 0)
        shared->start[GRID_CODES] = n;
    *to = grid_add(start, prior);
    return __syncthreads_or(most > LEAF_KEYS) == 0;
}

/* Moves the keys of this block to arrays 1, by code. `to`: see grid_take. */
template <typename CODE, bool INDEXED, typename F>
static DEVICE void grid_move(grid_shared<CODE, INDEXED> *shared, const uint32_t *keys,
                             grid_range range, uint32_t *keys_out, uint32_t *index_out, uint4 to,
                             F &&code_of)
{
    auto *const    moved = &shared->moved;
    unsigned const me = threadIdx.x;
    uint4 *const   mine = (uint4 *)moved->count + me;
    grid_tile      tile;
#pragma unroll 1
    for (uint32_t at = range.first; at < range.end; at += GRID_TILE) {
        uint32_t ranked[GRID_ITEMS]; /* rank above code */
        tile.load(keys, at, range.end);
        *mine = make_uint4(0, 0, 0, 0);
        __syncthreads();
        tile.add(moved->count, code_of, [&](int i, unsigned code, uint32_t rank) {
            ranked[i] = rank << GRID_LG_CODES | code;
        });
        __syncthreads();
        uint4 const count = *mine;
        uint4 const local = grid_starts(grid_scan(grid_sum(count), shared->sums), count);
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
                moved->index[place] = at + p;
        });
        __syncthreads();
        for (unsigned p = me; p < tile.valid; p += GRID_THREADS) {
            uint32_t const place = moved->to[moved->codes[p]] + p;
            keys_out[place] = moved->keys[p];
            if (INDEXED)
                index_out[place] = moved->index[p];
        }
        __syncthreads();
    }
}

/* Where the index of each moved key is. */
static DEVICE uint32_t *grid_index(const radix_job &job)
{
    return job.source != NULL ? (uint32_t *)job.values[1] : job.index;
}

/* ---- the leaves ----------------------------------------------------------------------------- */

/* The arrays of the leaves. Values of `size` bytes are fetched from `values`; 0: indices are
 * written. */
template <typename CODE, typename VALUE> struct grid_array : leaf_array<CODE, VALUE> {
    const void *values;
    unsigned    size;

    DEVICE void store_value(size_t i, VALUE value) const
    {
        if (size == 0)
            leaf_array<CODE, VALUE>::store_value(i, value);
        else if (size == 4)
            ((uint32_t *)this->values_out)[i] = ((const uint32_t *)values)[value];
        else
            ((uint64_t *)this->values_out)[i] = ((const uint64_t *)values)[value];
    }
};

/* Loads `count` keys from `first` on, and their indices, and pads them with the largest. Ends with
 * a barrier. */
template <bool INDEXED, typename ARRAY>
static DEVICE void grid_load_digits(grid_digits<INDEXED> *digits, ARRAY const &array,
                                    uint32_t first, unsigned count, unsigned items)
{
    uint32_t ones[2] = {0, 0}, zeros[2] = {0, 0};
    if (threadIdx.x < 2)
        digits->ones[threadIdx.x] = digits->zeros[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll 4
    for (unsigned p = threadIdx.x; p < items * GRID_THREADS; p += GRID_THREADS) {
        uint32_t bits = UINT32_MAX, index = UINT32_MAX;
        if (p < count) {
            bits = array.code.encode(array.keys_in[first + p]);
            ones[0] |= array.code.fold(bits);
            zeros[0] |= ~array.code.fold(bits);
            if constexpr (INDEXED) {
                index = array.values_in[first + p];
                ones[1] |= index;
                zeros[1] |= ~index;
            }
        }
        digits->keys[p] = bits;
        digits->order[p] = (uint16_t)p;
        if (INDEXED)
            digits->index[p] = index;
    }
#pragma unroll
    for (int which = 0; which < (INDEXED ? 2 : 1); which++)
        radix_note_bits(ones[which], zeros[which], digits->ones + which, digits->zeros + which);
    __syncthreads();
}

/* Sorts a leaf in a time that does not depend on its keys: by the digits of the indices and then of
 * the keys. Ends with a barrier. */
template <bool INDEXED, typename ARRAY>
static DEVICE void grid_sort_digits(grid_digits<INDEXED> *digits, ARRAY const &array,
                                    uint32_t first, unsigned count)
{
    constexpr int  ITEMS = leaf_real::ITEMS;
    unsigned const items = (count - 1) / GRID_THREADS + 1;
    grid_load_digits(digits, array, first, count, items);
    auto const sort_by = [&](int which, auto &&bits_at) {
        uint32_t const differ = digits->ones[which] & digits->zeros[which];
        block_sort_places<ITEMS>(&digits->counters, digits->order, items, radix_low_bit(differ),
                                 radix_high_bit(differ), bits_at);
    };
    if (INDEXED)
        sort_by(1, [&](unsigned p) { return digits->index[p]; });
    sort_by(0, [&](unsigned p) { return array.code.fold(digits->keys[p]); });
    for (unsigned p = threadIdx.x; p < count; p += GRID_THREADS) {
        unsigned const from = digits->order[p];
        array.store(first + p, digits->keys[from]);
        if constexpr (INDEXED)
            array.store_value(first + p, digits->index[from]);
    }
    __syncthreads();
}

/* The arrays of the leaves of a job. */
template <typename CODE, bool INDEXED>
static DEVICE grid_array<CODE, typename grid_value<INDEXED>::type>
              grid_array_of(const radix_job &job, CODE const &code)
{
    typedef typename grid_value<INDEXED>::type VALUE;
    grid_array<CODE, VALUE>                    array;
    (leaf_array<CODE, VALUE> &)array = leaf_array_of<VALUE>(job, code, 1);
    bool const pairs = INDEXED && job.source == NULL;
    array.values_in = (const VALUE *)grid_index(job);
    array.values = job.values[1];
    array.size = pairs ? job.value_size : 0;
    return array;
}

/* Calls f(code, first, count) for each leaf of this block: its first code and its keys. */
template <typename SHARED, typename F>
static DEVICE void grid_each_leaf(const SHARED *shared, uint32_t codes, F &&f)
{
    uint32_t const last = codes * (blockIdx.x + 1) / gridDim.x;
    for (uint32_t at = codes * blockIdx.x / gridDim.x; at < last;) {
        uint32_t const here = at, first = shared->start[at++];
        while (at < last && shared->start[at + 1] - first <= LEAF_KEYS)
            at++;
        if (shared->start[at] != first)
            f(here, first, shared->start[at] - first);
    }
}

/* Sorts the leaves that grid_sort_codes has left. A separate function and loop, because registers
 * are short. */
template <typename CODE, bool INDEXED>
static __device__ __noinline__ void grid_sort_left(grid_shared<CODE, INDEXED> *shared,
                                                   const radix_job &job, CODE const &code,
                                                   uint32_t codes)
{
    auto const array = grid_array_of<CODE, INDEXED>(job, code);
    grid_each_leaf(shared, codes, [&](uint32_t at, uint32_t first, unsigned count) {
        if ((shared->left[at / 32] >> at % 32) % 2 != 0)
            grid_sort_digits(&shared->digits, array, first, count);
    });
}

/* Sorts the codes of this block. */
template <typename CODE, bool INDEXED>
static DEVICE void grid_sort_codes(grid_shared<CODE, INDEXED> *shared, const radix_job &job,
                                   CODE const &code, uint32_t codes)
{
    auto const array = grid_array_of<CODE, INDEXED>(job, code);
    if (threadIdx.x < GRID_CODES / 32)
        shared->left[threadIdx.x] = 0;
    __syncthreads();
    grid_each_leaf(shared, codes, [&](uint32_t at, uint32_t first, unsigned count) {
        unsigned patience = 0;
        /* A leaf whose keys crowd in few buckets is left. */
        if (!leaf_sort(array, &shared->leaf, first, count, &patience) && threadIdx.x == 0)
            shared->left[at / 32] |= 1u << at % 32;
    });
    __syncthreads();
    if (__syncthreads_or(threadIdx.x < GRID_CODES / 32 && shared->left[threadIdx.x] != 0))
        grid_sort_left(shared, job, code, codes);
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

template <typename CODE, bool INDEXED>
static __global__ void __launch_bounds__(GRID_THREADS, 2)
    radix_grid(__grid_constant__ radix_job const job, __grid_constant__ CODE const code,
               __grid_constant__ radix_tables const tables, uint32_t codes)
{
    extern __shared__ uint4 grid_memory[];
    auto *const             shared = (grid_shared<CODE, INDEXED> *)grid_memory;
    const uint32_t *const keys = (const uint32_t *)(job.source != NULL ? job.source : job.keys[0]);
    uint32_t *const       arrived = &tables.even->blocks_done;
    unsigned const        me = threadIdx.x;
    uint32_t const        n = (uint32_t)job.n, rows = (n - 1) / GRID_THREADS + 1;
    auto const            bound = [&](unsigned block) {
        return min(rows * block / gridDim.x * GRID_THREADS, n);
    };
    grid_range const range = {bound(blockIdx.x), bound(blockIdx.x + 1)};
    grid_line<CODE>  line;
    uint4            to;
    if (!grid_fit(shared, code, keys, n, line))
        return; /* go is 0 */

    grid_count(shared->drawn.count, keys, range,
               [&](uint32_t raw) { return line.of(code, raw) >> GRID_LG_PART; });
    __syncthreads();
    uint32_t const count = shared->drawn.count[me];
    if (count != 0)
        atomicAdd(tables.even_counts + me, count);
    if (INDEXED && job.source == NULL)
        grid_copy_values(job, range);
    radix_barrier(arrived);
    grid_make_bend(shared->bend, tables.even_counts, shared->sums, n, codes);
    ((uint4 *)shared->moved.count)[me] = make_uint4(0, 0, 0, 0);
    __syncthreads();
    auto const code_of = [&](uint32_t raw) { return grid_code(shared->bend, line.of(code, raw)); };
    grid_count(shared->moved.count, keys, range, code_of);
    __syncthreads();
    if (!grid_take(shared, n, codes, tables.even_groups, arrived, &to))
        return;
    grid_move(shared, keys, range, (uint32_t *)job.keys[1], grid_index(job), to, code_of);
    if (blockIdx.x == 0 && me == 0)
        tables.even->go = 1;
    radix_barrier(arrived);
    grid_sort_codes(shared, job, code, codes);
}

/* ---- the launch ----------------------------------------------------------------------------- */

template <bool INDEXED, typename CODE>
ordo_status grid_run(cuda_call *call, const radix_job *job, CODE code, radix_tables tables,
                     bool *enqueued)
{
    auto *const      kernel = radix_grid<CODE, INDEXED>;
    constexpr size_t bytes = sizeof(grid_shared<CODE, INDEXED>);
    int              resident;
    if (bytes > call->facts->shared_bytes)
        return ORDO_OK;
    TRY(cuda_allow_shared(call, kernel, bytes));
    CUDA_TRY(call->exec, cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                             &resident, (const void *)kernel, GRID_THREADS, bytes));
    size_t const most = (size_t)(resident * call->facts->sms);
    size_t const blocks = ordo_min(ordo_min(most, GRID_BLOCKS), ordo_div_up(job->n, GRID_THREADS));
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
