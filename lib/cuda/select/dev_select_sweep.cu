/* dev_select_sweep.cu - the sweep of a selection: one read of the array that counts the keys
 * before, in and between the intervals of a plan, and keeps the keys in them (dev_select.cuh).
 *
 *     one bracket of up to three intervals   a comparison per key and interval; register counts
 *     several intervals with a map           an atomic in shared memory counts the key's bucket and
 *                                            returns whether the bucket is in an interval
 *     other intervals                        a search among the ends of the intervals; counts in
 *                                            the lane's column
 * Cost: the read. 2^28 keys f32 on an H200, ms: one interval 0.28, nine 0.31, nine by search
 * 0.55. */
#include "cuda/select/dev_select.cuh"

enum {
    SELECT_BRACKET = 3, /* most intervals that are counted in registers */
    SELECT_LG_ENDS = 9  /* lg of the number of ends of cells, padded for the search */
};

/* If the first cell contains no words, the cells are numbered without it. */
template <typename WORD> struct select_sweep_shared {
    WORD     ends[1 << SELECT_LG_ENDS]; /* the last word of each cell except the last */
    uint8_t  is_heavy[1 << SELECT_LG_ENDS];
    unsigned from[WARP_LANES], to[WARP_LANES]; /* first and last bucket of each interval, if there
                                                * is a map */
    unsigned long long before, in[SELECT_BRACKET];
};

/* A lane collects keys that are in intervals, GROUP keys at a time, before they are kept. */
template <typename BITS> struct select_rows {
    typedef typename select_word<BITS>::type WORD;
    enum {
        GROUP = select_tiles<BITS>::KEYS == 16 ? 16 : 8, /* as many as registers hold */
        ASIDE = CUDA_TUNE_SELECT_ASIDE / sizeof(WORD),   /* a lane with more collected keys makes
                                                          * the warp keep them */
        ROWS = GROUP + ASIDE,
        WORDS = ROWS * WARP_LANES /* words of one warp */
    };
};

/* Bytes of dynamic shared memory: either the columns of counts, one per lane to avoid bank
 * conflicts, or the buckets and the rows of every warp. */
template <typename BITS> static inline size_t select_sweep_bytes(unsigned targets)
{
    typedef select_rows<BITS> R;
    size_t const              columns =
        (2 * SELECT_PIECES * (size_t)targets + 1) * WARP_LANES * sizeof(uint32_t);
    size_t const mapped = SELECT_BUCKETS * sizeof(uint32_t) +
                          SELECT_SWEEP_THREADS / WARP_LANES * R::WORDS * sizeof(typename R::WORD);
    return targets < SELECT_MAPPED ? columns : ordo_max(columns, mapped);
}

/* ---- One bracket ---- */

/* Sweeps a bracket of N adjacent intervals, some of which are single words. Bounds and counts are
 * in registers. */
template <int N, typename CODE, typename WORD>
static DEVICE void sweep_bracket(const CODE &code, const select_tiles<typename CODE::BITS> &tiles,
                                 const select_kept &kept, select_plan *const plan,
                                 select_sweep_shared<WORD> &s)
{
    typedef select_tiles<typename CODE::BITS> T;
    unsigned const                            lane = lane_id();
    WORD                                      lo[N], width[N];
    uint32_t                                  before = 0, in[N];
    select_pen                                pen = {};
#pragma unroll
    for (int v = 0; v < N; v++) {
        lo[v] = (WORD)plan->lo[v];
        width[v] = (WORD)(plan->hi[v] - plan->lo[v]);
        in[v] = 0;
    }
    for (size_t tile = grid_warp(); tile < tiles_count(tiles); tile += grid_warps()) {
        WORD           key[T::KEYS];
        uint32_t const valid = tile_read(code, tiles, tile, lane, key);
        uint32_t       mask[N] = {}, kept_mask = 0;
#pragma unroll
        for (int j = 0; j < T::KEYS; j++) {
            before += key[j] < lo[0] ? 1 : 0;
#pragma unroll
            for (int v = 0; v < N; v++)
                mask[v] |= (WORD)(key[j] - lo[v]) <= width[v] ? 1u << j : 0;
        }
#pragma unroll
        for (int v = 0; v < N; v++) {
            mask[v] &= valid;
            in[v] += (uint32_t)__popc(mask[v]);
            kept_mask |= width[v] != 0 ? mask[v] : 0;
        }
        pen_keep(code, tiles, kept, &pen, &plan->taken, kept_mask,
                 [&](unsigned j) { return tile_index(tiles, tile, lane, j); });
    }
    pen_close(kept, pen);
    atomicAdd(&s.before, (unsigned long long)before);
#pragma unroll
    for (int v = 0; v < N; v++)
        atomicAdd(&s.in[v], (unsigned long long)in[v]);
}

/* ---- Any intervals ---- */

/* Sweeps intervals with fewer than 2^LG ends of cells: a search whose first two steps are in
 * registers, and a count in the lane's column. Places are byte offsets in s.ends, which saves an
 * instruction per step. The cells inside intervals are the odd ones, or the even ones if the first
 * cell is left out. */
template <int LG, typename CODE, typename WORD>
static DEVICE void sweep_some(const CODE &code, const select_tiles<typename CODE::BITS> &tiles,
                              const select_kept &kept, unsigned *taken, bool lacks_first,
                              bool has_heavy, const select_sweep_shared<WORD> &s,
                              uint32_t *const columns)
{
    enum {
        SIZE = sizeof(WORD),
        HALF = 1 << (LG - 1),
        QUARTER = HALF / 2,
        COLUMN = WARP_LANES * sizeof(uint32_t) / SIZE
    };
    typedef select_tiles<typename CODE::BITS> T;
    unsigned const                            lane = lane_id();
    const char *const                         ends = (const char *)s.ends;
    char *const                               column = (char *)(columns + lane);
    WORD const                                middle = s.ends[HALF - 1];
    WORD const left = s.ends[QUARTER - 1], right = s.ends[HALF + QUARTER - 1];
    select_pen pen = {};
    for (size_t tile = grid_warp(); tile < tiles_count(tiles); tile += grid_warps()) {
        WORD           key[T::KEYS];
        unsigned       at[T::KEYS];
        uint32_t const valid = tile_read(code, tiles, tile, lane, key);
        uint32_t       odd = 0;
#pragma unroll
        for (int j = 0; j < T::KEYS; j++) {
            bool const is_right = middle < key[j];
            at[j] = is_right ? HALF * SIZE : 0;
            at[j] += (is_right ? right : left) < key[j] ? QUARTER * SIZE : 0;
#pragma unroll
            for (unsigned half = QUARTER / 2; half > 0; half /= 2)
                at[j] +=
                    *(const WORD *)(ends + at[j] + (half - 1) * SIZE) < key[j] ? half * SIZE : 0;
            odd |= (at[j] / SIZE & 1) << j;
        }
        if (tile < tiles.full) {
#pragma unroll
            for (int j = 0; j < T::KEYS; j++)
                atomicAdd((uint32_t *)(column + at[j] * COLUMN), 1u);
        } else {
#pragma unroll
            for (int j = 0; j < T::KEYS; j++)
                if (valid >> j & 1)
                    atomicAdd((uint32_t *)(column + at[j] * COLUMN), 1u);
        }
        uint32_t mask = (lacks_first ? ~odd : odd) & valid;
        if (has_heavy) {
#pragma unroll
            for (int j = 0; j < T::KEYS; j++)
                mask &= ~((uint32_t)s.is_heavy[at[j] / SIZE] << j);
        }
        pen_keep(code, tiles, kept, &pen, taken, mask,
                 [&](unsigned j) { return tile_index(tiles, tile, lane, j); });
    }
    pen_close(kept, pen);
}

/* ---- Intervals that are whole buckets ---- */

#define SELECT_IN_BIT (UINT32_C(1) << 31) /* set in the count of a bucket that is in an interval */

/* Keeps the keys that the lanes of a warp have collected: `depth` keys each, in columns. */
template <typename CODE, typename WORD, typename BITS = typename CODE::BITS>
static DEVICE void rows_keep(const CODE &code, const select_kept &kept, select_pen *pen,
                             unsigned *taken, const WORD *const column, unsigned depth)
{
    unsigned row = 0;
    for (uint32_t holders; (holders = __ballot_sync(WARP_ALL, row < depth)) != 0; row++) {
        pen_make_room(kept, pen, taken);
        if (row < depth && pen->is_open)
            ((WORD *)kept.words)[pen_slot(*pen, holders)] =
                (WORD)code.encode((BITS)column[row * WARP_LANES]);
        pen->used += (unsigned)__popc(holders);
    }
}

/* Where a thread of sweep_mapped collects the keys of intervals, and what it has counted. */
template <typename CODE, typename WORD> struct sweep_lane {
    typedef typename CODE::BITS BITS;

    const CODE        &code;
    const select_kept &kept;
    unsigned          *taken;
    uint32_t          *buckets;
    WORD              *column, *next; /* of the rows of the warp */
    uint32_t           before;
    select_pen         pen;

    DEVICE void collect(WORD raw)
    {
        *next = raw;
        next += WARP_LANES;
    }
    /* Keeps the collected keys if a lane of the warp has more than `most`. */
    DEVICE void keep(int most)
    {
        if (!__any_sync(WARP_ALL, next - column > most * (int)WARP_LANES))
            return;
        rows_keep(code, kept, &pen, taken, column, (unsigned)(next - column) / WARP_LANES);
        next = column;
    }
};

/* Sweeps the tiles that are not full. Called by the first warp of the grid. */
template <typename CODE, typename WORD, typename BITS = typename CODE::BITS>
static DEVICE void sweep_mapped_ends(const select_mapper<CODE> &mapper,
                                     const select_tiles<BITS> &tiles, sweep_lane<CODE, WORD> &my)
{
    for (size_t tile = tiles.full; tile < tiles_count(tiles); tile++) {
        unsigned     length = 0;
        size_t const start = grid_warp() == 0 ? short_tile(tiles, tile, &length) : 0;
        for (unsigned row = 0; row < length; row += WARP_LANES) {
            bool const is_there = row + lane_id() < length;
            BITS const raw = is_there ? __ldg(tiles.keys + start + row + lane_id()) : (BITS)0;
            select_place const at = mapper.place(raw);
            if (is_there && at.is_in && atomicAdd(&my.buckets[at.bucket], 1u) >= SELECT_IN_BIT)
                my.collect((WORD)raw);
            my.before += is_there && at.is_before ? 1 : 0;
            my.keep(select_rows<BITS>::ASIDE);
        }
    }
}

/* Counts every key in its bucket and collects the keys whose bucket is in an interval. */
template <typename CODE, typename WORD, typename BITS = typename CODE::BITS>
static DEVICE void sweep_mapped(const CODE &code, const select_mapper<CODE> &mapper,
                                const select_tiles<BITS> &tiles, const select_kept &kept,
                                unsigned *taken, select_sweep_shared<WORD> &s,
                                uint32_t *const buckets, WORD *const rows)
{
    typedef select_tiles<BITS>  T;
    typedef select_rows<BITS>   R;
    key_code<BITS, false> const as_read = {0};
    unsigned const              lane = lane_id();
    WORD *const                 column = rows + threadIdx.x / WARP_LANES * R::WORDS + lane;
    sweep_lane<CODE, WORD>      my = {code, kept, taken, buckets, column, column, 0, {}};
    for (size_t tile = grid_warp(); tile < tiles.full; tile += grid_warps()) {
        WORD key[T::KEYS];
        (void)tile_read(as_read, tiles, tile, lane, key);
#pragma unroll
        for (int first = 0; first < T::KEYS; first += R::GROUP) {
            uint32_t count[R::GROUP];
#pragma unroll
            for (int j = 0; j < R::GROUP; j++) {
                select_place const at = mapper.place((BITS)key[first + j]);
                count[j] = 0;
                if (at.is_in)
                    count[j] = atomicAdd(&buckets[at.bucket], 1u);
                my.before += at.is_before ? 1 : 0;
            }
#pragma unroll
            for (int j = 0; j < R::GROUP; j++)
                if (count[j] >= SELECT_IN_BIT)
                    my.collect(key[first + j]);
            my.keep(R::ASIDE);
        }
    }
    sweep_mapped_ends(mapper, tiles, my);
    my.keep(0);
    pen_close(kept, my.pen);
    atomicAdd(&s.before, (unsigned long long)my.before);
}

/* Marks the buckets of each interval, sweeps, and sums the counts of buckets into cells. The last
 * cell is not needed. */
template <typename CODE, typename WORD, typename BITS = typename CODE::BITS>
static DEVICE void sweep_with_map(const CODE &code, const select_tiles<BITS> &tiles,
                                  const select_kept &kept, select_plan *const plan,
                                  select_sweep_shared<WORD> &s, uint32_t *const buckets)
{
    constexpr int             WARPS = SELECT_SWEEP_THREADS / WARP_LANES;
    select_mapper<CODE> const mapper = mapper_of(plan->map, code);
    unsigned const            intervals = plan->intervals, t = threadIdx.x;
    for (unsigned i = t; i < SELECT_BUCKETS; i += SELECT_SWEEP_THREADS)
        buckets[i] = 0;
    if (t < intervals) {
        s.from[t] = mapper.place(code.decode((BITS)plan->lo[t])).bucket;
        s.to[t] = mapper.place(code.decode((BITS)plan->hi[t])).bucket;
    }
    __syncthreads();
    for (unsigned v = t / WARP_LANES; v < intervals; v += WARPS)
        for (unsigned i = s.from[v] + lane_id(); i <= s.to[v]; i += WARP_LANES)
            buckets[i] = SELECT_IN_BIT;
    __syncthreads();
    sweep_mapped(code, mapper, tiles, kept, &plan->taken, s, buckets,
                 (WORD *)(buckets + SELECT_BUCKETS));
    __syncthreads();
    for (unsigned i = t; i < SELECT_BUCKETS; i += SELECT_SWEEP_THREADS)
        if (buckets[i] > SELECT_IN_BIT)
            atomicAdd((unsigned long long *)&plan->buckets[i],
                      (unsigned long long)(buckets[i] - SELECT_IN_BIT));
    for (unsigned cell = t / WARP_LANES; cell < 2 * intervals; cell += WARPS) {
        unsigned const v = cell / 2;
        unsigned const begin = cell % 2 == 1 ? s.from[v] : v == 0 ? 0 : s.to[v - 1] + 1;
        unsigned const end = cell % 2 == 1 ? s.to[v] + 1 : s.from[v];
        uint64_t       sum = 0;
        for (unsigned i = begin + lane_id(); i < end; i += WARP_LANES)
            sum += buckets[i] & ~SELECT_IN_BIT;
        sum = warp_reduce<scan_add<uint64_t>>(sum) + (cell == 0 ? s.before : 0);
        if (lane_id() == 0 && sum != 0)
            atomicAdd((unsigned long long *)&plan->cells[cell], (unsigned long long)sum);
    }
}

/* ---- The kernel ---- */

/* Whether the intervals are a bracket for sweep_bracket. */
static DEVICE bool plan_is_bracket(const select_plan &plan, unsigned most)
{
    bool is_bracket = plan.intervals <= most && !plan.map.is_used;
    for (unsigned v = 1; v < plan.intervals && is_bracket; v++)
        is_bracket = plan.lo[v] == plan.hi[v - 1] + 1;
    return is_bracket;
}

/* Sweeps a bracket of up to MOST intervals and adds the counts of the block to the plan. */
template <int MOST, typename CODE, typename WORD>
static DEVICE void
sweep_as_bracket(const CODE &code, const select_tiles<typename CODE::BITS> &tiles,
                 const select_kept &kept, select_plan *const plan, select_sweep_shared<WORD> &s)
{
    unsigned const            intervals = plan->intervals;
    unsigned long long *const sums = (unsigned long long *)plan->cells;
    __syncthreads();
    if (intervals == 1)
        sweep_bracket<1>(code, tiles, kept, plan, s);
    else if (intervals == 2)
        sweep_bracket<(MOST > 1 ? 2 : 1)>(code, tiles, kept, plan, s);
    else
        sweep_bracket<MOST>(code, tiles, kept, plan, s);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(&sums[0], s.before);
    if (threadIdx.x < intervals)
        atomicAdd(&sums[2 * threadIdx.x + 1], s.in[threadIdx.x]);
}

/* Writes the ends of the cells, the first of which may be left out, and zeroes the counts. Returns
 * whether an interval is a single word. Called by a block. */
template <typename WORD>
static DEVICE bool cells_begin(const select_plan &plan, bool lacks_first,
                               select_sweep_shared<WORD> &s, uint32_t *const columns)
{
    unsigned const intervals = plan.intervals, cells = 2 * intervals + 1;
    bool           is_heavy = false;
    for (unsigned i = threadIdx.x; i < 1u << SELECT_LG_ENDS; i += SELECT_SWEEP_THREADS) {
        unsigned const cell = i + lacks_first, v = cell / 2;
        bool const     is_in = cell % 2 == 1;
        bool const     has_end = v < intervals;
        s.ends[i] = !has_end ? (WORD) ~(WORD)0 : (WORD)(is_in ? plan.hi[v] : plan.lo[v] - 1);
        s.is_heavy[i] = has_end && is_in && plan.lo[v] == plan.hi[v];
        is_heavy = is_heavy || s.is_heavy[i] != 0;
    }
    for (unsigned i = threadIdx.x; i < cells * WARP_LANES; i += SELECT_SWEEP_THREADS)
        columns[i] = 0;
    return __syncthreads_or(is_heavy) != 0;
}

/* Counts the keys of every cell and keeps the keys in intervals of more than one word, with their
 * indices if kept.index exists. Dynamic shared memory: select_sweep_bytes. */
template <typename CODE, bool FOLDED>
static __global__ void __launch_bounds__(SELECT_SWEEP_THREADS, CUDA_TUNE_SELECT_RESIDENT)
    select_sweep_kernel(CODE given, const select_tiles<typename CODE::BITS> tiles,
                        select_plan *const plan, const select_kept kept)
{
    typedef typename select_word<typename CODE::BITS>::type WORD;
    extern __shared__ __align__(16) uint32_t columns[];
    __shared__ select_sweep_shared<WORD> s;
    if (plan->is_void)
        return;
    CODE const                code = code_with_ties<FOLDED>(given);
    unsigned long long *const sums = (unsigned long long *)plan->cells;
    /* Most intervals of a bracket that fit in registers. */
    constexpr int MOST = select_tiles<typename CODE::BITS>::KEYS > 16 ? 1 : SELECT_BRACKET;
    bool const    is_bracket = plan_is_bracket(*plan, MOST);
    if (threadIdx.x == 0)
        s.before = 0;
    if (threadIdx.x < SELECT_BRACKET)
        s.in[threadIdx.x] = 0;
    if (is_bracket) {
        sweep_as_bracket<MOST>(code, tiles, kept, plan, s);
        return;
    }

    if constexpr (!FOLDED)
        if (plan->map.is_used) {
            __syncthreads();
            sweep_with_map(code, tiles, kept, plan, s, columns);
            return;
        }

    bool const     lacks_first = plan->lo[0] == 0;
    bool const     has_heavy = cells_begin(*plan, lacks_first, s, columns);
    unsigned const ends = 2 * plan->intervals - lacks_first;
    if (ends < 8)
        sweep_some<3>(code, tiles, kept, &plan->taken, lacks_first, has_heavy, s, columns);
    else if (FOLDED || ends < 32)
        sweep_some<5>(code, tiles, kept, &plan->taken, lacks_first, has_heavy, s, columns);
    else if (ends < 128)
        sweep_some<FOLDED ? 5 : 7>(code, tiles, kept, &plan->taken, lacks_first, has_heavy, s,
                                   columns);
    else
        sweep_some<FOLDED ? 5 : SELECT_LG_ENDS>(code, tiles, kept, &plan->taken, lacks_first,
                                                has_heavy, s, columns);
    __syncthreads();
    for (unsigned i = threadIdx.x / WARP_LANES; i <= ends; i += SELECT_SWEEP_THREADS / WARP_LANES) {
        uint64_t const sum = warp_reduce<scan_add<uint64_t>>(columns[i * WARP_LANES + lane_id()]);
        if (lane_id() == 0 && sum != 0)
            atomicAdd(&sums[i + lacks_first], (unsigned long long)sum);
    }
}

template <bool FOLDED, typename CODE>
static ordo_status sweep_as(cuda_call *call, const select_work *work, CODE code,
                            const select_input *input, unsigned targets)
{
    size_t const blocks =
        ordo_min(select_sweep_blocks(input), (size_t)call->facts->sms * CUDA_TUNE_SELECT_RESIDENT);
    return CUDA_LAUNCH(call, (select_sweep_kernel<CODE, FOLDED>), blocks, SELECT_SWEEP_THREADS,
                       select_sweep_bytes<typename CODE::BITS>(targets), code,
                       select_tiles_of<typename CODE::BITS>(input->keys, input->n), work->plan,
                       work->kept);
}

/* Integers have no ties to fold. */
ordo_status select_sweep(cuda_call *call, const select_work *work, const select_input *input,
                         unsigned targets)
{
    return with_key_code(input->type, input->descending, input->ties, [&](auto code) {
        if constexpr (decltype(code)::is_float)
            if (input->ties == KEY_FOLDED)
                return sweep_as<true>(call, work, code, input, targets);
        return sweep_as<false>(call, work, code, input, targets);
    });
}
