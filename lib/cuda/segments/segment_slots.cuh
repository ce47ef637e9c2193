/* segment_slots.cuh - segments of up to 512 records, sorted in the registers of a warp.
 *
 * A warp holds 512 records in 32 >> M slots of 16 << M places; each slot takes one segment. Lane l
 * sorts with 16 places of slot l >> M (warp_sort.cuh). Item e of a lane is place 32 e + lane when
 * keys are read and written, so accesses are coalesced; shared memory converts one order to the
 * other. All reads of a lane are issued before the first key is used. Warps loop over the segments
 * and fill their slots with segments of the wanted lengths. With M = 0, segments that follow each
 * other in memory are read and written as one piece. Cost: one read and one write. */
#ifndef ORDO_CUDA_SEGMENTS_SEGMENT_SLOTS_H
#define ORDO_CUDA_SEGMENTS_SEGMENT_SLOTS_H

#include "cuda/segments/segments.cuh"
#include "cuda/sort/merge_sorted.cuh"
#include "cuda/warp/warp_sort.cuh"

enum {
    SLOTS_THREADS = 128,
    SLOTS_WARPS = SLOTS_THREADS / 32,
    SLOTS_MOST_LG = 5 /* the largest M */
};

/* Shuffles records; warp_sort.cuh finds it by the type of its argument. */
static DEVICE key_record __shfl_xor_sync(unsigned lanes, key_record record, int mask)
{
    return {__shfl_xor_sync(lanes, record.key, mask), __shfl_xor_sync(lanes, record.index, mask)};
}

/* Blocks of a multiprocessor, which the registers of records of `size` bytes allow. */
static __host__ DEVICE constexpr int slots_resident(size_t size)
{
    return size > 8 ? 4 : size > 4 ? 6 : 8;
}

struct slot_entry { /* the segment in a slot; length 0: none */
    segment  where;
    uint64_t number; /* number of the segment */
};

/* The shared memory of a warp. */
template <typename K> struct slots_memory {
    static constexpr unsigned VECTOR = 16 / sizeof(K);
    static constexpr unsigned PLACES =
        (unsigned)(warp_sort_at<K>(WARP_SORT_KEYS - 1) + 1 + VECTOR - 1) / VECTOR * VECTOR;

    alignas(16) K places[PLACES];
    slot_entry slots[WARP_LANES];
};

/* The slot and the place in the slot of item e. */
template <int M> static DEVICE unsigned slot_of_item(int e)
{
    return M == 0 ? 2 * e + lane_id() / 16 : (unsigned)e >> (M - 1);
}
template <int M> static DEVICE unsigned place_of_item(int e)
{
    return M == 0 ? lane_id() % 16
                  : (unsigned)(e * WARP_LANES % (WARP_SORT_ITEMS << M)) + lane_id();
}

/* ---- Segments that follow each other in memory, one in each lane (M = 0) ---- */

struct slots_rows {     /* the segment of this lane, and all of them */
    bool     are_dense; /* each begins where the one before ends */
    uint64_t start;     /* start of the first segment */
    unsigned before, length, total;
};

template <typename K> static DEVICE slots_rows slots_rows_of(const slots_memory<K> *memory)
{
    segment const  where = memory->slots[lane_id()].where;
    unsigned const length = (unsigned)where.length;
    unsigned const scanned = warp_scan<scan_add<unsigned>>(length), before = scanned - length;
    unsigned const there = __ballot_sync(WARP_ALL, length != 0);
    uint64_t const mine = where.start - before;
    uint64_t const start = __shfl_sync(WARP_ALL, mine, there == 0 ? 0 : __ffs((int)there) - 1);
    return {__all_sync(WARP_ALL, length == 0 || mine == start) != 0, start, before, length,
            __shfl_sync(WARP_ALL, scanned, WARP_LANES - 1)};
}

/* The index of record p of all rows in the memory of the warp, chosen to avoid bank conflicts
 * between lanes that read their rows. */
static DEVICE unsigned slots_row_at(unsigned p) { return p + p / WARP_LANES; }

/* Moves the rows to their lanes: item e of a lane is record e of its row. */
template <typename K, typename FILL, typename PUT_PLACE>
static DEVICE void slots_load_rows(slots_memory<K> *memory, const slots_rows &rows,
                                   K (&x)[WARP_SORT_ITEMS], FILL &&fill, PUT_PLACE &&put_place)
{
    auto const at = [](int e) { return (unsigned)e * WARP_LANES + lane_id(); };
    fill([&](int e) { return rows.start + at(e); }, [&](int e) { return at(e) < rows.total; },
         [](int) { return 0u; });
#pragma unroll
    for (int e = 0; e < WARP_SORT_ITEMS; e++)
        memory->places[slots_row_at(at(e))] = x[e];
    __syncwarp();
#pragma unroll
    for (int e = 0; e < WARP_SORT_ITEMS; e++) {
        x[e] = memory->places[slots_row_at(min(rows.before + e, WARP_SORT_KEYS - 1u))];
        if ((unsigned)e < rows.length)
            put_place(x[e], (unsigned)e);
        else
            x[e] = last_record<K>();
    }
    __syncwarp();
}

/* Calls put(p, record) for record p of all rows; consecutive records are in consecutive lanes. */
template <typename K, typename PUT>
static DEVICE void slots_put_rows(slots_memory<K> *memory, const slots_rows &rows,
                                  const K (&x)[WARP_SORT_ITEMS], PUT       &&put)
{
#pragma unroll
    for (int e = 0; e < WARP_SORT_ITEMS; e++)
        if ((unsigned)e < rows.length)
            memory->places[slots_row_at(rows.before + e)] = x[e];
    __syncwarp();
#pragma unroll
    for (int e = 0; e < WARP_SORT_ITEMS; e++) {
        unsigned const p = e * WARP_LANES + lane_id();
        if (p < rows.total)
            put(p, memory->places[slots_row_at(p)]);
    }
}

/* ---- Any segments ---- */

/* Moves the records of all slots to their lanes and sorts them; they are blocked afterwards.
 * fill(at, is_there, place) reads the items to x: item e is element at(e) of the array, place(e) of
 * its segment. An item that is not there becomes the last record. put_place(record, place) sets the
 * place of a record that was made with place 0. Called by a whole warp. */
template <int M, typename K, typename FILL, typename PUT_PLACE>
static DEVICE slots_rows slots_sort(slots_memory<K> *memory, K (&x)[WARP_SORT_ITEMS], FILL &&fill,
                                    PUT_PLACE &&put_place)
{
    slots_rows rows = {};
    if constexpr (M == 0) {
        rows = slots_rows_of(memory);
        if (rows.are_dense) {
            slots_load_rows(memory, rows, x, fill, put_place);
            lane_sort(x);
            return rows;
        }
    }
    unsigned there = 0; /* bit e: item e is in its segment */
#pragma unroll
    for (int e = 0; e < WARP_SORT_ITEMS; e++)
        there |= (place_of_item<M>(e) < memory->slots[slot_of_item<M>(e)].where.length) << e;
    fill([&](int e) { return memory->slots[slot_of_item<M>(e)].where.start + place_of_item<M>(e); },
         [&](int e) { return (there >> e & 1) != 0; }, [&](int e) { return place_of_item<M>(e); });
#pragma unroll
    for (int e = 0; e < WARP_SORT_ITEMS; e++)
        memory->places[warp_sort_at<K>(e * (int)WARP_LANES + (int)lane_id())] = x[e];
    __syncwarp();
    warp_get(x, memory->places);
    __syncwarp();
    warp_sort_parts<M>(x, memory->places);
    return rows;
}

/* Makes sorted records visible to the whole warp; slots_at<M>(memory, s, r) is record r of slot
 * s. */
template <typename K>
static DEVICE void slots_spread(slots_memory<K> *memory, const K (&x)[WARP_SORT_ITEMS])
{
    warp_put(memory->places, x);
    __syncwarp();
}
template <int M, typename K>
static DEVICE K slots_at(const slots_memory<K> *memory, unsigned slot, unsigned r)
{
    return memory->places[warp_sort_at<K>((int)(slot * (WARP_SORT_ITEMS << M) + r))];
}

/* Calls f() for every filling of the slots of this warp, until all segments of more than `least`
 * and at most `most` elements (any number from 0 on if least < 0) were in a slot. Warps take
 * `chunk` segments at a time, at most 32. MEMORY has the member `slots` of slots_memory. By whole
 * warps; f is called by all lanes. */
template <int M, typename MEMORY, typename F>
static DEVICE void slots_each(MEMORY *memory, const segment_map &map, int64_t least, uint64_t most,
                              unsigned chunk, F &&f)
{
    constexpr unsigned SLOTS = WARP_LANES >> M;
    unsigned const     lane = lane_id();
    uint64_t const     warps = (uint64_t)gridDim.x * SLOTS_WARPS;
    uint64_t const     given = segment_count(map);
    uint64_t           first = (uint64_t)blockIdx.x * SLOTS_WARPS + threadIdx.x / WARP_LANES;
    for (first *= chunk; first < given; first += warps * chunk) {
        uint64_t const i = first + lane;
        bool const     is_given = lane < chunk && i < given;
        segment const  where = is_given ? segment_at(map, i) : segment{0, 0};
        bool const     wanted = is_given && (int64_t)where.length > least && where.length <= most;
        unsigned       left = __ballot_sync(WARP_ALL, wanted);
        while (left != 0) {
            unsigned const slot = (unsigned)__popc(left & lanes_before());
            bool const     taken = (left >> lane & 1) != 0 && slot < SLOTS;
            unsigned const count = (unsigned)__popc(left);
            __syncwarp(); /* all lanes are done with the last filling */
            if (taken)
                memory->slots[slot] = {where, i};
            if (lane < SLOTS && lane >= count)
                memory->slots[lane] = {{0, 0}, UINT64_MAX};
            __syncwarp();
            left &= ~__ballot_sync(WARP_ALL, taken);
            f();
        }
    }
}

/* Segments that a warp takes at a time: enough to fill its slots. */
static inline unsigned slots_chunk(const segment_map &map, int m)
{
    return map.offsets != NULL ? WARP_LANES : WARP_LANES >> m;
}

/* Blocks for all segments; records of `size` bytes. */
static inline size_t slots_grid(const cuda_call *call, const segment_map &map, int m, size_t size)
{
    return segment_grid(call, ordo_div_up(map.count, slots_chunk(map, m)), SLOTS_WARPS,
                        (size_t)slots_resident(size));
}

template <int N> struct slots_constant {
    static constexpr int M = N;
};

/* Calls f(constant, least, most) for each M that segments of shortest to longest elements need:
 * decltype(constant)::M is M, and segments of more than `least` and at most `most` elements take
 * it. MOST_LG is the largest M. */
template <int MOST_LG, int M = 0, typename F>
static inline ordo_status slots_classes(uint64_t shortest, uint64_t longest, F &&f)
{
    uint64_t const most = (uint64_t)WARP_SORT_ITEMS << M;
    uint64_t const least = M == 0 ? 0 : most / 2;
    if (shortest <= most && longest > least)
        TRY(f(slots_constant<M>(), least, most));
    if constexpr (M < MOST_LG)
        return slots_classes<MOST_LG, M + 1>(shortest, longest, f);
    return ORDO_OK;
}

#endif
