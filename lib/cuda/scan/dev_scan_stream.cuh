/* dev_scan_stream.cuh - scans of large arrays: one persistent block per multiprocessor streams
 * tiles through its shared memory (tile_ring.cuh), so that reading continues while a tile waits for
 * its prefix. Each warp has one task:
 *     the loader    takes the number of the next tile and starts its copy into a free slot
 *     reducers      sum the tile of a slot, publish its total, store the sum before each part
 *     the walker    finds the sum before the tile (lookback.cuh)
 *     the scanners  scan their part of the tile, store the results in its place and copy them out
 * A slot has three barriers: full (tile copied), ready (starts known), empty (slot free). After the
 * last tile every slot gets a number that ends its waiting warps. A tile waits only for tiles of
 * running blocks. The input may have any alignment. H200, sums of 2^28 u32: 1.12 times a copy. */
#ifndef ORDO_CUDA_SCAN_DEV_SCAN_STREAM_H
#define ORDO_CUDA_SCAN_DEV_SCAN_STREAM_H

#include "cuda/block/lookback.cuh"
#include "cuda/block/tile_ring.cuh"
#include "cuda/runtime/cuda_tuning.cuh"
#include "cuda/scan/dev_scan_ops.cuh"

template <typename OP> struct stream_shape {
    typedef typename OP::RAW RAW;
    typedef typename OP::OUT OUT;
    enum {
        SCANNERS = CUDA_TUNE_STREAM_SCANNERS, /* warps 0 to SCANNERS - 1 */
        REDUCERS = CUDA_TUNE_STREAM_REDUCERS,
        WALKER = SCANNERS + REDUCERS,
        LOADER,
        THREADS = (LOADER + 1) * 32,
        ROWS = sizeof(RAW) < sizeof(OUT) ? CUDA_TUNE_STREAM_ROWS_WIDER : CUDA_TUNE_STREAM_ROWS,
        WIDER = sizeof(RAW) > sizeof(OUT) ? sizeof(RAW) : sizeof(OUT),
        VECTOR = 16 / WIDER, /* elements per lane of a scanner in a row */
        ROW = 32 * VECTOR,
        PART = ROWS * ROW, /* elements per scanner */
        TILE = SCANNERS * PART,
        SLOTS = CUDA_TUNE_STREAM_SLOTS, /* at most */
        SLOT_BYTES = TILE * sizeof(RAW) + 128
    };
};

template <typename OP> struct stream_shared {
    typedef stream_shape<OP> SHAPE;

    uint64_t         full[SHAPE::SLOTS], ready[SHAPE::SLOTS], empty[SHAPE::SLOTS];
    size_t           tile[SHAPE::SLOTS];
    typename OP::ACC start[SHAPE::SLOTS]; /* sum before the tile */
    typename OP::ACC before[SHAPE::SLOTS]
                           [SHAPE::SCANNERS]; /* sum before each part, within the tile */
};

/* The values that every warp of a block uses. */
template <typename OP> struct stream {
    const scan_work<OP>       *work;
    lookback<typename OP::ACC> state;
    size_t                     tiles;
    stream_shared<OP>         *shared;
    char                      *slots;
    unsigned                   count;    /* number of slots */
    unsigned                   reducers; /* reducers that have work: at most `count` */
    unsigned                   shift;    /* bytes from the start of a slot to its tile */
};

/* ---- The loader ---- */

/* Copies a tile. At the ends of the array lanes copy single elements, and blanks fill the rest. */
template <typename OP>
static DEVICE void stream_fill(const stream<OP> &my, size_t tile, unsigned slot)
{
    typedef typename OP::RAW RAW;
    constexpr unsigned       TILE = stream_shape<OP>::TILE;
    const scan_work<OP>     &work = *my.work;
    unsigned const           lane = lane_id();
    size_t const             first = tile * TILE;
    unsigned const           count = work.n - first < TILE ? (unsigned)(work.n - first) : TILE;
    const char *const        low = (const char *)(work.in + first);
    const char *const        high = (const char *)(work.in + first + count);
    const char *const        base = low - my.shift;
    const char *from = base, *to = base + (high - base + RING_ALIGN - 1) / RING_ALIGN * RING_ALIGN;
    char *const place = my.slots + slot * stream_shape<OP>::SLOT_BYTES;
    RAW *const  raw = (RAW *)(place + my.shift);

    if (from < (const char *)work.in || to > (const char *)(work.in + work.n) || count < TILE) {
        if (from < (const char *)work.in)
            from += RING_ALIGN;
        if (to > (const char *)(work.in + work.n))
            to -= RING_ALIGN;
        if (to < from)
            to = from;
        if (low + lane * sizeof(RAW) < from && lane < count)
            raw[lane] = work.in[first + lane];
        unsigned const tail = to < low ? 0 : (unsigned)(to - low) / sizeof(RAW);
        if (tail + lane < count)
            raw[tail + lane] = work.in[first + tail + lane];
#pragma unroll 8
        for (unsigned i = count + lane; i < TILE; i += WARP_LANES)
            raw[i] = work.op.blank();
        ring_wrote();
    }
    ring_fill(place + (from - base), from, (unsigned)(to - from), &my.shared->full[slot]);
}

template <typename OP> static DEVICE void stream_load(const stream<OP> &my)
{
    ring_place         place = {0, 1};
    unsigned long long ticket = 0;
    unsigned           ends = 0;

    if (lane_id() == 0)
        ticket = atomicAdd(my.state.ticket, 1ull);
    while (ends < my.count) { /* puts an end mark in every slot, so that every waiting warp meets
                               * one */
        size_t const tile = (size_t)__shfl_sync(WARP_ALL, ticket, 0);
        if (lane_id() == 0)
            ticket =
                atomicAdd(my.state.ticket, 1ull); /* completes while the warp waits for the slot */
        ring_wait(&my.shared->empty[place.slot], place.parity);
        if (lane_id() == 0)
            my.shared->tile[place.slot] = tile;
        if (tile < my.tiles) {
            stream_fill(my, tile, place.slot);
        } else {
            ring_fill(NULL, NULL, 0, &my.shared->full[place.slot]);
            ends++;
        }
        ring_step(&place, my.count);
    }
}

/* ---- Reducers and the walker ---- */

template <typename T, int COUNT>
static DEVICE vector_of<T, COUNT> read_vector(const T *at, bool aligned)
{
    vector_of<T, COUNT> vector;
    if (aligned) {
        vector = *(const vector_of<T, COUNT> *)at;
    } else {
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            vector.at[i] = at[i];
    }
    return vector;
}

/* Waits for the tile of a slot and stores its number; returns false after the last tile. */
template <typename OP>
static DEVICE bool stream_next(const stream<OP> &my, ring_place place, size_t *tile)
{
    ring_wait(&my.shared->full[place.slot], place.parity);
    *tile = my.shared->tile[place.slot];
    return *tile < my.tiles;
}

/* Moves a reducer to its next slot. A slot always has the same reducer, which therefore sees all
 * its phases, whatever the order of the tiles. */
template <typename OP>
static DEVICE void stream_turn(const stream<OP> &my, ring_place *place, unsigned reducer)
{
    place->slot += my.reducers;
    if (place->slot >= my.count) {
        place->slot = reducer;
        place->parity ^= 1;
    }
}

template <typename OP> static DEVICE void stream_reduce(const stream<OP> &my, unsigned reducer)
{
    typedef stream_shape<OP> SHAPE;
    typedef typename OP::RAW RAW;
    typedef typename OP::ACC ACC;
    constexpr unsigned       PER = 16 / sizeof(RAW), PART = SHAPE::PART;
    unsigned const           lane = lane_id();
    ring_place               place = {reducer, 0};
    size_t                   tile;

    if (reducer >= my.reducers)
        return;
    for (; stream_next(my, place, &tile); stream_turn(my, &place, reducer)) {
        const RAW *raw = (const RAW *)(my.slots + place.slot * SHAPE::SLOT_BYTES + my.shift);
        ACC        of_part = OP::identity(); /* sum of part `lane` */
#pragma unroll 2
        for (unsigned part = 0; part < SHAPE::SCANNERS; part++, raw += PART) {
            ACC sum = OP::identity();
#pragma unroll
            for (unsigned row = 0; row < PART; row += WARP_LANES * PER) {
                unsigned const at = row + lane * PER;
                if (PART % (WARP_LANES * PER) == 0 || at < PART)
                    sum = OP::add(
                        sum, vector_sum<OP, PER>(my.work->op,
                                                 read_vector<RAW, PER>(raw + at, my.shift == 0)));
            }
            sum = OP::of_warp(sum);
            of_part = lane == part ? sum : of_part;
        }
        ACC const scanned = warp_scan<OP>(of_part);
        if (lane == WARP_LANES - 1)
            look_write(my.state.tiles + tile, scanned);
        ACC const before = warp_before<OP>(scanned);
        if (lane < SHAPE::SCANNERS)
            my.shared->before[place.slot][lane] = before;
        ring_arrive(&my.shared->ready[place.slot]);
    }
}

template <typename OP> static DEVICE void stream_walk(const stream<OP> &my)
{
    ring_place    place = {0, 0};
    look_walk<OP> walk;
    size_t        tile;

    walk.first = 0;
    walk.before = my.work->start;
    walk.have = 0;
    for (; stream_next(my, place, &tile); ring_step(&place, my.count)) {
        typename OP::ACC const start = walk_to(&walk, my.state, tile);
        if (lane_id() == 0) {
            my.shared->start[place.slot] = start;
            ring_arrive(&my.shared->ready[place.slot]);
        }
    }
}

/* ---- The scanners ---- */

/* Writes `count` results of a row to `row`, through shared memory of that size (THROUGH) or
 * directly. */
template <typename OUT, int VECTOR, bool THROUGH>
static DEVICE void stream_write(OUT *row, unsigned count, OUT *through,
                                const vector_of<OUT, VECTOR> &result)
{
    unsigned const lane = lane_id();
    if constexpr (THROUGH) {
#pragma unroll
        for (unsigned i = 0; i < VECTOR; i++)
            through[lane * VECTOR + i] = result.at[i];
        __syncwarp();
    }
#pragma unroll
    for (unsigned i = 0; i < VECTOR; i++) {
        unsigned const at = THROUGH ? i * WARP_LANES + lane : lane * VECTOR + i;
        if (at < count)
            row[at] = THROUGH ? through[at] : result.at[i];
    }
}

/* Releases the slot. */
static DEVICE void stream_free(uint64_t *empty)
{
    __syncwarp();
    if (lane_id() == 0)
        ring_arrive(empty);
}

/* Releases the slot whose results are being copied out, as soon as they were read from it. */
static DEVICE void stream_repay(uint64_t **owed)
{
    if (*owed != NULL && lane_id() == 0) {
        ring_put_read();
        ring_arrive(*owed);
    }
    *owed = NULL;
}

template <typename OP> static DEVICE void stream_scan(const stream<OP> &my, unsigned scanner)
{
    typedef stream_shape<OP>       SHAPE;
    typedef typename OP::RAW       RAW;
    typedef typename OP::OUT       OUT;
    typedef typename OP::ACC       ACC;
    constexpr unsigned             ROWS = SHAPE::ROWS, ROW = SHAPE::ROW, VECTOR = SHAPE::VECTOR;
    constexpr bool                 THROUGH = sizeof(RAW) == sizeof(OUT);
    typedef vector_of<OUT, VECTOR> OUT_VECTOR;
    const scan_work<OP>           &work = *my.work;
    unsigned const                 lane = lane_id();
    ring_place                     place = {0, 0};
    uint64_t                      *owed = NULL; /* the `empty` barrier of the slot that is being
                                                 * copied out */
    size_t                         tile;

    for (; stream_next(my, place, &tile); ring_step(&place, my.count)) {
        size_t const first = tile * SHAPE::TILE + scanner * SHAPE::PART; /* first element of the
                                                                          * part */
        bool const   whole = work.wide_out && work.n - tile * SHAPE::TILE >= SHAPE::TILE;
        bool const   puts = RING_PUTS && THROUGH && whole && my.shift == 0;
        RAW *const   raw =
            (RAW *)(my.slots + place.slot * SHAPE::SLOT_BYTES + my.shift) + scanner * SHAPE::PART;
        uint64_t *const        empty = &my.shared->empty[place.slot];
        vector_of<RAW, VECTOR> vector[ROWS];
        ACC                    before[ROWS], of_rows = OP::identity();
#pragma unroll
        for (unsigned row = 0; row < ROWS; row++)
            vector[row] = read_vector<RAW, VECTOR>(raw + row * ROW + lane * VECTOR, my.shift == 0);
#pragma unroll
        for (unsigned row = 0; row < ROWS; row++) {
            ACC const scanned = warp_scan<OP>(vector_sum<OP, VECTOR>(work.op, vector[row]));
            before[row] = OP::add(of_rows, warp_before<OP>(scanned));
            of_rows = OP::add(of_rows, __shfl_sync(WARP_ALL, scanned, WARP_LANES - 1));
        }
        stream_repay(&owed);
        ring_wait(&my.shared->ready[place.slot], place.parity);
        ACC const start =
            OP::add(my.shared->start[place.slot], my.shared->before[place.slot][scanner]);
        if (whole && !puts)
            stream_free(empty);
#pragma unroll
        for (unsigned row = 0; row < ROWS; row++) {
            size_t const     at = first + row * ROW;
            OUT *const       through = (OUT *)(raw + row * ROW);
            OUT_VECTOR const result = vector_scan<OP, VECTOR>(
                work.op, vector[row], OP::add(start, before[row]), work.exclusive);
            if (puts)
                ((OUT_VECTOR *)through)[lane] = result;
            else if (whole)
                ((OUT_VECTOR *)(work.out + at))[lane] = result;
            else if (at < work.n)
                stream_write<OUT, VECTOR, THROUGH>(
                    work.out + at, work.n - at < ROW ? (unsigned)(work.n - at) : ROW, through,
                    result);
        }
        if (work.first_given && tile == 0 && threadIdx.x == 0)
            *(puts ? (OUT *)raw : work.out) = work.first_result;
        if (puts || !whole)
            ring_wrote();
        if (puts) {
            __syncwarp();
            if (lane == 0)
                ring_put(work.out + first, raw, SHAPE::PART * sizeof(OUT));
            owed = empty;
        } else if (!whole) {
            stream_free(empty);
        }
    }
    stream_repay(&owed);
}

/* ---- The kernel ---- */

template <typename OP>
static __global__ void __launch_bounds__(stream_shape<OP>::THREADS, 1)
    scan_stream(const __grid_constant__ scan_work<OP> work, lookback<typename OP::ACC> state,
                size_t tiles, unsigned slots)
{
    typedef stream_shape<OP> SHAPE;
    extern __shared__ __align__(128) char memory[];
    __shared__ stream_shared<OP> shared;
    unsigned const               warp = threadIdx.x / WARP_LANES;
    stream<OP> const             my = {&work,
                                       state,
                                       tiles,
                                       &shared,
                                       memory,
                                       slots,
                           slots < SHAPE::REDUCERS ? slots : SHAPE::REDUCERS,
                                       (unsigned)((uintptr_t)work.in % RING_ALIGN)};

    if (threadIdx.x < slots) {
        ring_init(&shared.full[threadIdx.x], RING_FILL);
        ring_init(&shared.ready[threadIdx.x], WARP_LANES + 1); /* all lanes of a reducer, and one of
                                                                * the walker */
        ring_init(&shared.empty[threadIdx.x], SHAPE::SCANNERS);
        ring_wrote();
    }
    __syncthreads();
    if (warp < SHAPE::SCANNERS)
        stream_scan(my, warp);
    else if (warp < SHAPE::WALKER)
        stream_reduce(my, warp - SHAPE::SCANNERS);
    else if (warp == SHAPE::WALKER)
        stream_walk(my);
    else
        stream_load(my);
}

/* Enqueues the scan. The words of `state` must be zero. */
template <typename OP>
static ordo_status stream_launch(cuda_call *call, const scan_work<OP> &work,
                                 const lookback<typename OP::ACC> &state)
{
    typedef stream_shape<OP> SHAPE;
    size_t const             room = call->facts->shared_bytes - sizeof(stream_shared<OP>) - 128;
    size_t const             slots = ordo_min(room / SHAPE::SLOT_BYTES, SHAPE::SLOTS);
    size_t const             tiles = ordo_div_up(work.n, SHAPE::TILE);
    size_t const             bytes = slots * SHAPE::SLOT_BYTES;
    TRY(cuda_allow_shared(call, scan_stream<OP>, bytes));
    return CUDA_LAUNCH(call, (scan_stream<OP>), ordo_min(tiles, call->facts->sms), SHAPE::THREADS,
                       bytes, work, state, tiles, (unsigned)slots);
}

#endif
