/* dev_segments.cu - lists the segments of each class, and copies segments with a step to rows.
 *
 * Classes: one thread per segment; one atomic per class adds the number of the lanes of a warp with
 * that class. Cost: one read of the offsets. Large segments add their tiles in the same atomic as
 * their number, so that entries ascend by first tile. Rows: tiles of 32 segments by 32 elements
 * pass through shared memory, so that reads and writes are coalesced both by rows and by columns.
 * Cost: one read and one write. */
#include "cuda/segments/segments.cuh"
#include "cuda/warp/warp_scan.cuh"

/* Adds the lanes with `mine` to *counter and returns the place of this lane. Called by all lanes of
 * a warp. */
static DEVICE uint64_t take_places(unsigned long long *counter, bool mine)
{
    unsigned const     lanes = __ballot_sync(WARP_ALL, mine);
    unsigned long long first = 0;
    if (lanes != 0 && lane_id() == 0)
        first = atomicAdd(counter, (unsigned long long)__popc(lanes));
    return __shfl_sync(WARP_ALL, first, 0) + (uint64_t)__popc(lanes & lanes_before());
}

static DEVICE void list_large(const segment_lists &lists, uint64_t tile, segment where,
                              uint64_t number)
{
    uint64_t const tiles = (where.length + tile - 1) / tile;
    uint64_t const one = (uint64_t)1 << SEGMENT_SLOT_SHIFT;
    uint64_t const taken = atomicAdd(&lists.counts[2], (unsigned long long)(one | tiles));
    uint64_t const slot = taken >> SEGMENT_SLOT_SHIFT, first = taken & (one - 1);
    atomicMax(lists.longest, (unsigned long long)where.length);
    if (slot < lists.room[2])
        lists.large[slot] = {where, first, number};
}

static __global__ void __launch_bounds__(SEGMENT_BLOCK_THREADS)
    classify(segment_map const map, segment_limits const classes, segment_lists const lists)
{
    uint64_t const threads = (uint64_t)gridDim.x * SEGMENT_BLOCK_THREADS;
    uint64_t const count = segment_count(map);
    uint64_t const rounds = (count + threads - 1) / threads;
    uint64_t       i = (uint64_t)blockIdx.x * SEGMENT_BLOCK_THREADS + threadIdx.x;
    uint32_t       lengths = 0;                           /* up to 2^31 */
    for (uint64_t r = 0; r < rounds; r++, i += threads) { /* whole warps stay in the loop, because
                                                           * lanes vote */
        segment const where = i < count ? segment_at(map, i) : segment{0, 0};
        if (where.length > 0 && where.length <= (uint64_t)1 << 31)
            lengths |= 1u << (32 - __clz((int)(where.length - 1)) & 31);
        if (where.length > classes.limits[2])
            list_large(lists, classes.tile, where, i);
        __syncwarp();
#pragma unroll
        for (int c = 0; c < 2; c++) {
            bool const mine =
                where.length > classes.limits[c] && where.length <= classes.limits[c + 1];
            uint64_t const place = take_places(&lists.counts[c], mine);
            if (mine && place < lists.room[c])
                lists.list[c][place] = i;
        }
    }
    lengths = __reduce_or_sync(WARP_ALL, lengths);
    if (lane_id() == 0 && lengths != 0)
        atomicOr(segment_lengths(lists), (unsigned long long)lengths);
}

ordo_status segments_classify(cuda_call *call, const segment_map &map,
                              const segment_limits &classes, const segment_lists &lists)
{
    CUDA_TRY(call->exec, cudaMemsetAsync(lists.counts, 0,
                                         (SEGMENT_LISTS + 2) * sizeof *lists.counts, call->stream));
    return CUDA_LAUNCH(call, classify, segment_grid(call, map.count, SEGMENT_BLOCK_THREADS, 8),
                       SEGMENT_BLOCK_THREADS, 0, map, classes, lists);
}

/* ---- Rows ---- */

enum {
    ROWS_SIDE = 32, /* segments and elements of a tile */
    ROWS_LINES = 8  /* lines of a tile that a block moves at a time */
};

/* An element of SIZE bytes in units that any address allows. */
template <typename UNIT, int UNITS> struct row_element {
    UNIT at[UNITS];
};

template <typename T, bool TO_ROWS>
static __global__ void __launch_bounds__(ROWS_SIDE *ROWS_LINES)
    move_rows(segment_map const map, uint64_t const step, T *array, T *rows)
{
    __shared__ T   tile[ROWS_SIDE][ROWS_SIDE + 1]; /* [segment][element] */
    unsigned const x = threadIdx.x % ROWS_SIDE, y = threadIdx.x / ROWS_SIDE;
    uint64_t const across = (map.length + ROWS_SIDE - 1) / ROWS_SIDE;
    uint64_t const tiles = across * ((map.count + ROWS_SIDE - 1) / ROWS_SIDE);
    for (uint64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        uint64_t const first = t / across * ROWS_SIDE, from = t % across * ROWS_SIDE;
        /* x counts elements for accesses to the rows and segments for accesses to the array. */
        if (TO_ROWS && first + x < map.count) {
            uint64_t const start = segment_at(map, first + x).start;
            for (unsigned j = y; j < ROWS_SIDE && from + j < map.length; j += ROWS_LINES)
                tile[x][j] = array[start + (from + j) * step];
        }
        if (!TO_ROWS && from + x < map.length)
            for (unsigned i = y; i < ROWS_SIDE && first + i < map.count; i += ROWS_LINES)
                tile[i][x] = rows[(first + i) * map.length + from + x];
        __syncthreads();
        if (TO_ROWS && from + x < map.length)
            for (unsigned i = y; i < ROWS_SIDE && first + i < map.count; i += ROWS_LINES)
                rows[(first + i) * map.length + from + x] = tile[i][x];
        if (!TO_ROWS && first + x < map.count) {
            uint64_t const start = segment_at(map, first + x).start;
            for (unsigned j = y; j < ROWS_SIDE && from + j < map.length; j += ROWS_LINES)
                array[start + (from + j) * step] = tile[x][j];
        }
        __syncthreads();
    }
}

template <typename T, bool TO_ROWS>
static ordo_status move(cuda_call *call, const ordo_segment_view *view, void *array, void *rows)
{
    size_t const tiles = ordo_div_up(view->count, ROWS_SIDE) * ordo_div_up(view->length, ROWS_SIDE);
    if (tiles == 0)
        return ORDO_OK;
    return CUDA_LAUNCH(call, (move_rows<T, TO_ROWS>), segment_grid(call, tiles, 1, 8),
                       ROWS_SIDE * ROWS_LINES, 0, segment_map_of(view, SIZE_MAX),
                       (uint64_t)view->step, (T *)array, (T *)rows);
}

template <bool TO_ROWS, int SIZE = 1>
static ordo_status move_bytes(cuda_call *call, const ordo_segment_view *view, void *array,
                              size_t size, void *rows)
{
    if constexpr (SIZE < 16)
        if (size > SIZE)
            return move_bytes<TO_ROWS, SIZE + 1>(call, view, array, size, rows);
    return move<row_element<uint8_t, SIZE>, TO_ROWS>(call, view, array, rows);
}

/* Elements are moved by the largest units that divide their size and their address. */
template <bool TO_ROWS>
static ordo_status move_sized(cuda_call *call, const ordo_segment_view *view, void *array,
                              size_t size, void *rows)
{
    size_t const unit = size | (size_t)(uintptr_t)array; /* a power of 2 divides both or neither */
    if (size == 8 && unit % 8 == 0)
        return move<row_element<uint64_t, 1>, TO_ROWS>(call, view, array, rows);
    if (size == 16 && unit % 8 == 0)
        return move<row_element<uint64_t, 2>, TO_ROWS>(call, view, array, rows);
    if (size == 4 && unit % 4 == 0)
        return move<row_element<uint32_t, 1>, TO_ROWS>(call, view, array, rows);
    if (size == 2 && unit % 2 == 0)
        return move<row_element<uint16_t, 1>, TO_ROWS>(call, view, array, rows);
    return move_bytes<TO_ROWS>(call, view, array, size, rows);
}

ordo_status segments_to_rows(cuda_call *call, const ordo_segment_view *view, const void *array,
                             size_t size, void *rows)
{
    return move_sized<true>(call, view, (void *)array, size, rows);
}

ordo_status segments_from_rows(cuda_call *call, const ordo_segment_view *view, const void *rows,
                               size_t size, void *array)
{
    return move_sized<false>(call, view, array, size, (void *)rows);
}
