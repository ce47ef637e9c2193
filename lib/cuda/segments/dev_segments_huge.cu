/* dev_segments_huge.cu - sorts huge segments, keys of 4 bytes alone, digit by digit.
 *
 * The host may not know the lengths. One block lists the huge segments among the long ones and
 * numbers their tiles. One read counts the four digits of each segment. Four steps scatter the
 * keys of all segments by one digit each: blocks take tiles by ticket, and the look-back of a tile
 * goes to the first tile of its segment (after Adinets and Merrill, "Onesweep", 2022, as in
 * dev_radix_pass.cuh). If there is no huge segment, the kernels end at once. Segments that overlap
 * because of bad offsets may change each other's keys; every write still stays within a segment.
 * Memory moved: five reads and four writes. Scratch: 1 KB per tile, 4 KB per segment. */
#include "cuda/block/block_before.cuh"
#include "cuda/segments/segment_kept.cuh"
#include "cuda/sort/dev_radix_look.cuh"

typedef cuda_tune_radix<4, 0> HUGE_SHAPE;

enum {
    HUGE_THREADS = HUGE_SHAPE::THREADS,
    HUGE_ITEMS = HUGE_SHAPE::ITEMS,
    HUGE_TILE = HUGE_THREADS * HUGE_ITEMS,
    HUGE_COPIES = 16,   /* counters of a bin, so that few lanes add to the same one */
    HUGE_STEP_BITS = 6, /* lg of the bytes of these */
    HUGE_COUNTING = 3,  /* blocks of a multiprocessor that count */
    HUGE_BINS = SEGMENT_HUGE_DIGITS * RADIX_BINS,
    HUGE_LIST_THREADS = 1024
};

static_assert(HUGE_COPIES * sizeof(uint32_t) == 1 << HUGE_STEP_BITS && SEGMENT_HUGE_DIGITS == 4,
              "huge_add knows the distances");
static constexpr uint64_t HUGE_LONGEST = (uint64_t)1 << LOOK_COUNT_BITS;

segment_huge segment_huge_layout(cuda_scratch *scratch, size_t n)
{
    segment_huge huge = {};
    huge.room = ordo_min(n / SEGMENT_HUGE, (size_t)SEGMENT_HUGE_MOST);
    if (huge.room == 0)
        return huge;
    huge.tiles = n / HUGE_TILE + huge.room;
    size_t const start = scratch->used;
    huge.state = scratch_take<segment_huge_state>(scratch, 1);
    huge.bins = scratch_take<uint32_t>(scratch, huge.room * HUGE_BINS);
    huge.status = scratch_take<uint32_t>(scratch, huge.tiles * RADIX_BINS);
    huge.zero_bytes = scratch->used - start;
    huge.entries = scratch_take<segment_huge_entry>(scratch, huge.room);
    return huge;
}

/* ---- The list ---- */

/* Lists the huge segments that are not in order, and leaves them out of the split. One block. */
static __global__ void __launch_bounds__(HUGE_LIST_THREADS)
    huge_list(const __grid_constant__ segment_classes classes, segment_split const split,
              segment_huge const huge)
{
    __shared__ uint32_t found, slots[SEGMENT_HUGE_MOST];
    uint64_t const      given = segment_slots_count(classes);
    if (threadIdx.x == 0)
        found = 0;
    __syncthreads();
    for (uint64_t i = threadIdx.x; i < given; i += HUGE_LIST_THREADS) {
        uint64_t const length = segment_slot_at(classes, i).where.length;
        if (length <= SEGMENT_HUGE || length >= HUGE_LONGEST || split.falls[i] != SPLIT_FALLS)
            continue;
        uint32_t const at = atomicAdd(&found, 1u);
        if (at < huge.room)
            slots[at] = (uint32_t)i;
    }
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    uint32_t count = 0, tiles = 0;
    for (uint32_t k = 0; k < min(found, (uint32_t)huge.room); k++) {
        segment const  where = segment_slot_at(classes, slots[k]).where;
        uint32_t const length = (uint32_t)where.length, needed = (length - 1) / HUGE_TILE + 1;
        if (tiles + needed > huge.tiles)
            continue; /* segments that overlap; the others sort this one */
        huge.entries[count++] = {where.start, length, tiles};
        tiles += needed;
        split_leave_out(split, slots[k]);
    }
    huge.state->count = count;
    huge.state->tiles = tiles;
}

struct huge_tile {
    uint64_t start;  /* of the segment */
    uint32_t length; /* of the segment */
    uint32_t entry, number;
    uint32_t index; /* its number in the segment */
    uint32_t valid; /* keys; 0: no tile */
};

/* The tile with a number; `entry` is that of an earlier tile. */
static DEVICE huge_tile huge_tile_at(const segment_huge &huge, uint32_t number, uint32_t entry)
{
    huge_tile tile = {};
    if (number >= huge.state->tiles)
        return tile;
    while (entry + 1 < huge.state->count && huge.entries[entry + 1].first_tile <= number)
        entry++;
    segment_huge_entry const at = huge.entries[entry];
    tile.start = at.start;
    tile.length = at.length;
    tile.entry = entry;
    tile.number = number;
    tile.index = number - at.first_tile;
    tile.valid = min((uint32_t)HUGE_TILE, at.length - tile.index * HUGE_TILE);
    return tile;
}

/* The tile of the next ticket of a step. */
static DEVICE huge_tile huge_take(const segment_huge &huge, unsigned step, uint32_t entry)
{
    return huge_tile_at(huge, atomicAdd(huge.state->tickets + step, 1u), entry);
}

/* The place of item i of this thread in a tile. */
static DEVICE uint32_t huge_place(int i)
{
    return threadIdx.x / WARP_LANES * (WARP_LANES * HUGE_ITEMS) + i * WARP_LANES + lane_id();
}

/* Items past the end of the tile become 0. */
static DEVICE void huge_load(const uint32_t *keys, const huge_tile &tile,
                             uint32_t (&key)[HUGE_ITEMS])
{
    const uint32_t *const mine =
        keys + tile.start + (uint64_t)tile.index * HUGE_TILE + huge_place(0);
    if (tile.valid == HUGE_TILE) {
#pragma unroll
        for (int i = 0; i < HUGE_ITEMS; i++)
            key[i] = __ldcg(mine + i * WARP_LANES);
        return;
    }
#pragma unroll
    for (int i = 0; i < HUGE_ITEMS; i++)
        key[i] = huge_place(i) < tile.valid ? __ldcg(mine + i * WARP_LANES) : 0;
}

/* ---- Counts ---- */

/* Adds the counters of a block to those of a segment and zeroes them. Barriers must come before and
 * after. */
static DEVICE void huge_flush(const segment_huge &huge, uint32_t entry, uint32_t *count)
{
    for (unsigned b = threadIdx.x; b < HUGE_BINS; b += HUGE_THREADS) {
        uint32_t sum = 0;
#pragma unroll
        for (unsigned c = 0; c < HUGE_COPIES; c++) { /* lanes read different banks */
            uint32_t *const at = count + b * HUGE_COPIES + (c + b / 2) % HUGE_COPIES;
            sum += *at;
            *at = 0;
        }
        if (sum != 0)
            atomicAdd(huge.bins + entry * HUGE_BINS + b, sum);
    }
}

/* Adds the digits of a key to the counters of this lane. The distance of a counter from the first
 * one is computed with two instructions. */
static DEVICE void huge_add(uint32_t *counters, uint32_t key)
{
    constexpr uint32_t MASK = (RADIX_BINS - 1) << HUGE_STEP_BITS;
    constexpr uint32_t EACH = RADIX_BINS << HUGE_STEP_BITS; /* bytes of the counters of a digit */
    uint32_t const lane = lane_id() % HUGE_COPIES * (uint32_t)sizeof(uint32_t);
    auto const     add = [&](unsigned digit, uint32_t moved) {
        uint32_t const at = digit * EACH + ((moved & MASK) | lane);
        atomicAdd((uint32_t *)((char *)counters + at), 1u);
    };
    add(0, key << HUGE_STEP_BITS);
    add(1, key >> (RADIX_BITS - HUGE_STEP_BITS));
    add(2, key >> (2 * RADIX_BITS - HUGE_STEP_BITS));
    add(3, key >> (3 * RADIX_BITS - HUGE_STEP_BITS));
}

/* Counts the digits of every huge segment. Each block reads consecutive tiles. */
static __global__ void __launch_bounds__(HUGE_THREADS)
    huge_count(const __grid_constant__ key_code_by_width<uint32_t> code, const uint32_t *keys,
               segment_huge const huge)
{
    extern __shared__ uint32_t huge_counters[];
    uint64_t const             tiles = huge.state->tiles;
    uint32_t const             last = (uint32_t)(tiles * (blockIdx.x + 1) / gridDim.x);
    uint32_t                   number = (uint32_t)(tiles * blockIdx.x / gridDim.x);
    if (number >= last)
        return;
    for (unsigned i = threadIdx.x; i < HUGE_BINS * HUGE_COPIES; i += HUGE_THREADS)
        huge_counters[i] = 0;
    __syncthreads();
    huge_tile tile = huge_tile_at(huge, number, 0);
    while (number < last) {
        uint32_t raw[HUGE_ITEMS], key[HUGE_ITEMS];
        huge_load(keys, tile, raw);
        code.encode_each<HUGE_ITEMS>(raw, key);
        bool const is_full = tile.valid == HUGE_TILE;
#pragma unroll
        for (int i = 0; i < HUGE_ITEMS; i++)
            if (is_full || huge_place(i) < tile.valid)
                huge_add(huge_counters, key[i]);
        uint32_t const entry = tile.entry;
        number++;
        tile = number < last ? huge_tile_at(huge, number, entry) : huge_tile{};
        if (tile.valid != 0 && tile.entry == entry)
            continue;
        __syncthreads();
        huge_flush(huge, entry, huge_counters);
        __syncthreads();
    }
}

/* Turns the counts of one digit of one segment into first places in the segment. One block for
 * each. */
static __global__ void __launch_bounds__(RADIX_BINS) huge_starts(segment_huge const huge)
{
    __shared__ uint32_t sums[RADIX_BINS / WARP_LANES];
    if (blockIdx.x / SEGMENT_HUGE_DIGITS >= huge.state->count)
        return;
    uint32_t *const bin = huge.bins + blockIdx.x * RADIX_BINS + threadIdx.x;
    *bin = block_sum_before<RADIX_BINS / WARP_LANES>(*bin, sums);
}

/* ---- Steps ---- */

struct huge_shared {
    uint32_t                                  keys[HUGE_TILE];
    uint32_t                                  to[RADIX_BINS]; /* where a digit's keys go in the
                                                               * segment, minus their place */
    radix_counters<HUGE_THREADS / WARP_LANES> counters;
    huge_tile                                 next;
};

static DEVICE unsigned huge_digit(uint32_t key, unsigned step)
{
    return (key >> step * RADIX_BITS) % (unsigned)RADIX_BINS;
}

/* In thread `digit`: looks back and stores where the keys of the digit go. `count` keys of the tile
 * have the digit, from place `start` on. */
static DEVICE void huge_aim(huge_shared *shared, const segment_huge &huge, const huge_tile &tile,
                            unsigned step, unsigned digit, uint32_t count, uint32_t start)
{
    look_codes const codes = look_codes_of(step);
    uint32_t *const  word = huge.status + (size_t)tile.number * RADIX_BINS + digit;
    uint32_t const   before = look_back_counts<4>(word, tile.index, codes);
    if (tile.index > 0)
        look_publish(word, codes.whole, before + count);
    uint32_t const first = huge.bins[tile.entry * HUGE_BINS + step * RADIX_BINS + digit];
    shared->to[digit] = first + before - start;
}

/* Writes the tile, which is ordered by the digit in shared memory. */
static DEVICE void huge_write(const huge_shared *shared, const key_code_by_width<uint32_t> &code,
                              const huge_tile &tile, unsigned step, uint32_t *out)
{
    constexpr int   PART = 4; /* keys that are decoded at once; more would need more registers */
    uint32_t *const to = out + tile.start;
    static_assert(HUGE_ITEMS % PART == 0, "a thread has whole parts");
#pragma unroll
    for (int first = 0; first < HUGE_ITEMS; first += PART) {
        uint32_t   key[PART], place[PART];
        auto const at = [&](int i) { return (first + i) * HUGE_THREADS + threadIdx.x; };
#pragma unroll
        for (int i = 0; i < PART; i++) {
            key[i] = shared->keys[at(i)];
            place[i] = shared->to[huge_digit(key[i], step)] + at(i);
        }
        if (step + 1 == SEGMENT_HUGE_DIGITS)
            code.decode_each<PART>(key, key);
#pragma unroll
        for (int i = 0; i < PART; i++)
            if (at(i) < tile.valid && place[i] < tile.length)
                to[place[i]] = key[i];
    }
}

/* Scatters the keys of all huge segments by digit number `step`. The first step reads the keys as
 * they are in memory, the last one writes them so. */
static __global__ void __launch_bounds__(HUGE_THREADS, HUGE_SHAPE::RESIDENT)
    huge_step(const __grid_constant__ key_code_by_width<uint32_t> code, const uint32_t *in,
              uint32_t *out, segment_huge const huge, unsigned const step)
{
    extern __shared__ uint4 huge_memory[];
    huge_shared *const      shared = (huge_shared *)huge_memory;
    unsigned const          digit = threadIdx.x;
    look_codes const        codes = look_codes_of(step);
    if (threadIdx.x == 0)
        shared->next = huge_take(huge, step, 0);
    block_radix_clear(&shared->counters);
    __syncthreads();
    huge_tile tile = shared->next;
    uint32_t  key[HUGE_ITEMS];
    huge_load(in, tile, key);
    while (tile.valid != 0) {
        uint32_t const          absent = digit == RADIX_BINS - 1 ? HUGE_TILE - tile.valid : 0;
        uint32_t *const         word = huge.status + (size_t)tile.number * RADIX_BINS + digit;
        radix_ranks<HUGE_ITEMS> ranks;
        uint32_t                start = 0;
        if (step == 0)
            code.encode_each<HUGE_ITEMS>(key, key);
        if (tile.valid < HUGE_TILE)
#pragma unroll
            for (int i = 0; i < HUGE_ITEMS; i++)
                key[i] = huge_place(i) < tile.valid ? key[i] : ~0u;
        block_radix_rank(&shared->counters, ranks, [&](int i) { return huge_digit(key[i], step); });
        __syncthreads();
        if (threadIdx.x == 0) /* all threads have read the last one */
            shared->next = huge_take(huge, step, tile.entry);
        auto const publish = [&](uint32_t all) {
            look_publish(word, tile.index == 0 ? codes.whole : codes.partial, all - absent);
        };
        uint32_t const count = block_radix_columns(&shared->counters, &start, publish) - absent;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < HUGE_ITEMS; i++) {
            forget(key[i]);
            unsigned const mine = huge_digit(key[i], step);
            shared->keys[block_radix_place(&shared->counters, ranks, i, mine)] = key[i];
        }
        huge_tile const next = shared->next;
        huge_load(in, next, key);
        if (digit < RADIX_BINS)
            huge_aim(shared, huge, tile, step, digit, count, start);
        block_radix_clear(&shared->counters);
        __syncthreads();
        huge_write(shared, code, tile, step, out);
        tile = next;
    }
}

/* ---- The sort ---- */

ordo_status segments_sort_huge(cuda_call *call, const segment_plan *plan,
                               const segment_job<uint32_t> &job)
{
    const segment_huge &huge = plan->huge;
    uint32_t *const     records[] = {(uint32_t *)plan->records[0], (uint32_t *)plan->records[1]};
    size_t const        counters = (size_t)HUGE_BINS * HUGE_COPIES * sizeof(uint32_t);
    size_t const        grid = segment_grid(call, huge.tiles, 1, HUGE_SHAPE::RESIDENT);
    CUDA_TRY(call->exec, cudaMemsetAsync(huge.state, 0, huge.zero_bytes, call->stream));
    TRY(CUDA_LAUNCH(call, huge_list, 1, HUGE_LIST_THREADS, 0, plan->classes, plan->splits[0],
                    huge));
    TRY(cuda_allow_shared(call, huge_count, counters));
    TRY(CUDA_LAUNCH(call, huge_count, segment_grid(call, huge.tiles, 1, HUGE_COUNTING),
                    HUGE_THREADS, counters, job.code, (const uint32_t *)job.in, huge));
    TRY(CUDA_LAUNCH(call, huge_starts, huge.room * SEGMENT_HUGE_DIGITS, RADIX_BINS, 0, huge));
    TRY(cuda_allow_shared(call, huge_step, sizeof(huge_shared)));
    for (unsigned step = 0; step < SEGMENT_HUGE_DIGITS; step++) {
        bool const            is_last = step + 1 == SEGMENT_HUGE_DIGITS;
        const uint32_t *const in = step == 0 ? (const uint32_t *)job.in : records[(step + 1) % 2];
        uint32_t *const       out = is_last ? (uint32_t *)job.out : records[step % 2];
        TRY(CUDA_LAUNCH(call, huge_step, grid, HUGE_THREADS, sizeof(huge_shared), job.code, in, out,
                        huge, step));
    }
    return ORDO_OK;
}
