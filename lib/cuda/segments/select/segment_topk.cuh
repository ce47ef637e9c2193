/* segment_topk.cuh - kernels for the first k keys of segments, k up to 32.
 *
 * Rows of up to 16 keys without gaps: one lane sorts the keys of a row in registers. The place
 * takes 4 bits of the key, so a record is one word; if these bits decide an order in one of 32
 * rows, the warp sorts its rows again as records of code and place. Other segments of up to 8192
 * keys (8-byte keys: 4096): lanes or a block search the k-th key (segment_planes.cuh); then up to
 * 32 lanes sort the keys up to it by code and place. Longer segments: the same for tiles and then
 * for the keys that the tiles keep. Memory moved: the keys once, and the results. */
#ifndef ORDO_CUDA_SEGMENTS_SELECT_SEGMENT_TOPK_H
#define ORDO_CUDA_SEGMENTS_SELECT_SEGMENT_TOPK_H

#include "cuda/segments/segment_records.cuh"
#include "cuda/segments/select/segment_planes.cuh"

struct topk_options { /* a kernel argument */
    const void     *keys;
    const uint64_t *places; /* NULL, or the places of `keys` in their segments */
    uint64_t        k;
    segment_found   out;
    bool            omits;
    uint64_t       *found; /* NULL: not wanted */
};

/* ---- One record per lane ---- */

/* Sorts one record of each lane within groups of `lanes` lanes, a power of 2. Called by a whole
 * warp. */
template <typename K> static DEVICE K group_sort(K mine, unsigned lanes)
{
    unsigned const lane = lane_id();
    for (unsigned size = 2; size <= lanes; size *= 2) {
        mine = sort_keep(mine, __shfl_xor_sync(WARP_ALL, mine, (int)size - 1), lane & size / 2);
        for (unsigned apart = size / 4; apart > 0; apart /= 2)
            mine = sort_keep(mine, __shfl_xor_sync(WARP_ALL, mine, (int)apart), lane & apart);
    }
    return mine;
}

/* The smallest lg with n <= 2^lg. */
static inline unsigned lg_of(size_t n)
{
    unsigned lg = 0;
    while ((size_t)1 << lg < n)
        lg++;
    return lg;
}

/* ---- Results ---- */

/* Writes result r of segment `number`: key start + place. */
template <typename WORD>
static DEVICE void topk_write(const segment_codes<WORD> &codes, const topk_options &options,
                              uint64_t number, uint64_t start, uint64_t r, uint64_t place)
{
    uint64_t const at = number * options.k + r;
    segment_put(codes, options.out, at,
                options.places != NULL ? options.places[start + place] : place,
                options.out.keys != NULL ? codes.raw(options.keys, start + place) : (WORD)0);
}

/* ---- Short rows: sorted ---- */

/* o / k is o * reciprocal >> 16 for o <= 1024 and k <= 32. */
static DEVICE unsigned topk_reciprocal(unsigned k) { return k > 0 ? 65536 / k + 1 : 0; }

/* Sorts a row in one lane by key and place; the low 4 bits of x are places afterwards. They take
 * the place of the low 4 bits of a word, except for short keys, which have free bits. Returns false
 * if that changed the order: if two neighbours differ only in these bits, and these bits of their
 * words descend. words(y) gives the words again. Called by whole warps. */
template <typename WORD, typename WORDS>
static DEVICE bool topk_sort_packed(WORD (&x)[WARP_SORT_ITEMS], unsigned length, bool is_short,
                                    WORDS &&words)
{
    constexpr WORD LOW = WARP_SORT_ITEMS - 1;
    unsigned const free_bits = is_short ? 4 : 0;
    unsigned       ties = 0; /* bit r: results r and r + 1 differ only in the low bits */
    bool           is_right = true;
#pragma unroll
    for (unsigned e = 0; e < WARP_SORT_ITEMS; e++)
        x[e] = e < length ? (x[e] << free_bits & ~LOW) | e : (WORD) ~(WORD)0;
    lane_sort(x);
#pragma unroll
    for (unsigned r = 0; r + 1 < WARP_SORT_ITEMS; r++)
        ties |= (r + 1 < length && (x[r] ^ x[r + 1]) <= LOW ? 1u : 0u) << r;
    if (!is_short && __any_sync(WARP_ALL, ties != 0)) {
        WORD     y[WARP_SORT_ITEMS];
        uint64_t lows = 0;
        words(y);
#pragma unroll
        for (unsigned e = 0; e < WARP_SORT_ITEMS; e++)
            lows |= (uint64_t)(y[e] & LOW) << 4 * e;
        auto const low = [&](WORD result) { return lows >> 4 * (unsigned)(result & LOW) & LOW; };
#pragma unroll
        for (unsigned r = 0; r + 1 < WARP_SORT_ITEMS; r++)
            is_right &= (ties >> r & 1) == 0 || low(x[r]) <= low(x[r + 1]);
    }
    return is_right;
}

/* The index of key p of 32 rows in shared memory, chosen to avoid bank conflicts. */
static DEVICE unsigned topk_row_at(unsigned p) { return p + p / WARP_LANES; }

/* The words of the row of this lane. */
template <typename WORD>
static DEVICE void topk_row_words(const segment_codes<WORD> &codes, const WORD *memory,
                                  unsigned length, WORD (&y)[WARP_SORT_ITEMS])
{
    WORD raw[WARP_SORT_ITEMS];
#pragma unroll
    for (unsigned e = 0; e < WARP_SORT_ITEMS; e++)
        raw[e] = e < length ? memory[topk_row_at(lane_id() * length + e)] : (WORD)0;
    codes.order_each(raw, y);
}

/* All rows of a fixed layout without gaps, of k to 16 keys, without omissions. A warp reads 32 rows
 * as one piece, and writes their results as one piece. */
template <typename WORD, typename RECORD = records_indexed<WORD>>
static __global__ void __launch_bounds__(SLOTS_THREADS, slots_resident(sizeof(typename RECORD::K)))
    topk_dense_rows(const __grid_constant__ segment_codes<WORD> codes,
                    const __grid_constant__ segment_map         map,
                    const __grid_constant__ topk_options        options)
{
    constexpr unsigned N = WARP_SORT_ITEMS, ROW = WARP_LANES + 1; /* topk_row_at(32) */
    constexpr unsigned EACH = N + 4; /* bytes for the places of a row */
    __shared__ WORD               memories[SLOTS_WARPS][N * ROW];
    alignas(4) __shared__ uint8_t lists[SLOTS_WARPS][WARP_LANES * EACH];
    unsigned const                warp = threadIdx.x / WARP_LANES, lane = lane_id();
    unsigned const                length = (unsigned)map.length, k = (unsigned)options.k;
    unsigned const                each_k = topk_reciprocal(k);
    WORD *const                   memory = memories[warp];
    uint8_t *const                places = lists[warp] + lane * EACH;
    uint64_t const                warps = (uint64_t)gridDim.x * SLOTS_WARPS;
    auto const words = [&](WORD(&y)[N]) { topk_row_words(codes, memory, length, y); };
    for (uint64_t first = ((uint64_t)blockIdx.x * SLOTS_WARPS + warp) * WARP_LANES;
         first < map.count; first += warps * WARP_LANES) {
        uint64_t const left = map.count - first, start = first * length + lane;
        unsigned const rows = left < WARP_LANES ? (unsigned)left : WARP_LANES;
        unsigned const total = rows * length;
        WORD           raw[N], x[N];
        read_items(
            options.keys, codes.bytes, [&](int e) { return start + (unsigned)e * WARP_LANES; },
            [&](int e) { return e * WARP_LANES + lane < total; }, raw);
        __syncwarp(); /* all lanes are done with the last rows */
#pragma unroll
        for (unsigned e = 0; e < N; e++)
            memory[e * ROW + lane] = raw[e];
        __syncwarp();
        words(x);
        if (!__all_sync(WARP_ALL, topk_sort_packed(x, length, codes.bytes < 4, words))) {
            typename RECORD::K record[N];
            words(x);
#pragma unroll
            for (unsigned e = 0; e < N; e++)
                record[e] = RECORD::make(e < length ? x[e] : (WORD) ~(WORD)0, e);
            lane_sort(record);
#pragma unroll
            for (unsigned r = 0; r < N; r++)
                x[r] = (WORD)RECORD::index(record[r]);
        }
#pragma unroll
        for (unsigned r = 0; r < N; r += 4)
            *(uint32_t *)(places + r) = (uint32_t)((x[r] & 15u) | (x[r + 1] & 15u) << 8 |
                                                   (x[r + 2] & 15u) << 16 | (x[r + 3] & 15u) << 24);
        __syncwarp();
        for (unsigned o = lane; o < rows * k; o += WARP_LANES) {
            unsigned const row = o * each_k >> 16;
            unsigned const place = lists[warp][row * EACH + (o - row * k)];
            segment_put(codes, options.out, first * k + o, place,
                        memory[topk_row_at(row * length + place)]);
        }
        if (options.found != NULL && lane < rows)
            options.found[first + lane] = k;
    }
}

/* ---- Up to 8192 keys: searched ---- */

/* Writes the results of the `groups` groups of 2^M lanes of a warp. `places` has the places of the
 * first `count` keys of each group, in any order; 2^lg lanes sort them, 2^lg >= k. */
template <typename WORD, int M, typename RECORD = records_indexed<WORD>>
static DEVICE void topk_write_groups(const segment_codes<WORD> &codes, const topk_options &options,
                                     const uint16_t (*places)[SEGMENT_TOPK_MOST], unsigned groups,
                                     unsigned lg, uint64_t number, uint64_t start, unsigned count)
{
    typedef typename RECORD::K K;
    unsigned const             r = lane_id() & ((1u << lg) - 1);
    for (unsigned first = 0; first < groups; first += WARP_LANES >> lg) {
        unsigned const group = first + (lane_id() >> lg);
        unsigned const lane = (group << M) % WARP_LANES;
        uint64_t const its_number = __shfl_sync(WARP_ALL, number, lane);
        uint64_t const its_start = __shfl_sync(WARP_ALL, start, lane);
        unsigned const all = __shfl_sync(WARP_ALL, count, lane);
        bool const     is_there = group < groups && r < all;
        K              record = last_record<K>();
        if (is_there) {
            unsigned const place = places[group][r];
            record = RECORD::make(codes.read(options.keys, its_start + place), place);
        }
        __syncwarp();
        record = group_sort(record, 1u << lg);
        bool const is_result =
            is_there && (!options.omits || RECORD::bits(record) <= codes.last_number());
        uint32_t const votes = __ballot_sync(WARP_ALL, is_result) >> (lane_id() - r);
        if (is_result)
            topk_write(codes, options, its_number, its_start, r, RECORD::index(record));
        if (options.found != NULL && r == 0 && group < groups && its_number != UINT64_MAX)
            options.found[its_number] =
                (uint64_t)__popc(lg == 5 ? votes : votes & ((1u << (1u << lg)) - 1));
        __syncwarp();
    }
}

/* Where the groups of a warp or the threads of a block list places. In shared memory. */
template <int M> struct topk_lists {
    static constexpr unsigned GROUPS = M <= 5 ? WARP_LANES >> M : 1;
    static constexpr unsigned WARPS = M <= 5 ? SLOTS_WARPS : 1;

    uint16_t places[WARPS][GROUPS][SEGMENT_TOPK_MOST];
    unsigned taken; /* M > 5 */
};

/* Lists the places of the first `count` keys of every group, in any order. Ends with a barrier of
 * the warp or the block. */
template <typename WORD, int M>
static DEVICE void topk_find(planes<WORD, M> &mine, const segment_codes<WORD> &codes,
                             unsigned count, topk_lists<M> *lists)
{
    if (M > 5 && threadIdx.x == 0)
        lists->taken = 0;
    uint32_t       first = mine.first_keys(codes, count);
    unsigned const found = (unsigned)__popc(first);
    unsigned       at = 0;
    if constexpr (M > 5) {
        __syncthreads(); /* `taken` is 0 */
        if (found != 0)
            at = atomicAdd(&lists->taken, found);
    } else {
        at = planes<WORD, M>::sum_before(found);
    }
    uint16_t(*const places)[SEGMENT_TOPK_MOST] =
        lists->places[threadIdx.x / WARP_LANES % topk_lists<M>::WARPS];
    for (; first != 0; first &= first - 1)
        places[M <= 5 ? lane_id() >> M : 0][at++] =
            (uint16_t)mine.place((unsigned)__ffs((int)first) - 1);
    if constexpr (M > 5)
        __syncthreads();
    else
        __syncwarp();
}

/* The segments of a class. */
template <typename WORD, int M>
static __global__ void __launch_bounds__(planes_threads(M), planes_resident(M))
    topk_plane_segments(const __grid_constant__ segment_codes<WORD> codes,
                        const __grid_constant__ segment_map         map,
                        const __grid_constant__ topk_options options, planes_class const group,
                        bool vectors, unsigned lg)
{
    typedef planes<WORD, M> PLANES;
    typedef topk_lists<M>   LISTS;
    __shared__ LISTS        lists;
    __shared__ uint32_t     totals[2 * PLANES::WARPS + 1];
    planes_each<M>(map, group, [&](segment here, uint64_t number) {
        PLANES mine;
        mine.load(codes, options.keys, here, vectors, totals);
        unsigned const count = (unsigned)(options.k < mine.n ? options.k : mine.n);
        topk_find(mine, codes, count, &lists);
        if (M <= 5 || threadIdx.x < WARP_LANES)
            topk_write_groups<WORD, M>(codes, options,
                                       lists.places[threadIdx.x / WARP_LANES % LISTS::WARPS],
                                       LISTS::GROUPS, lg, number, here.start, count);
    });
}

/* ---- Longer segments: in tiles, which become shorter segments ---- */

struct topk_kept { /* the first k keys of each tile, in the order of their places */
    void     *keys;
    uint64_t *places; /* in the segment */
};

/* Keeps keys start + places[r], which are at `moved` + places[r] in their segment, from entry `to`
 * on. Called by a whole warp. */
template <typename WORD>
static DEVICE void topk_keep(const segment_codes<WORD> &codes, const topk_options &options,
                             const uint16_t *places, unsigned count, uint64_t start, uint64_t moved,
                             const topk_kept &kept, uint64_t to)
{
    bool const     is_there = lane_id() < count;
    uint32_t const place =
        group_sort(is_there ? (uint32_t)places[lane_id()] : UINT32_MAX, WARP_LANES);
    WORD     raw = 0;
    uint64_t in_segment = 0;
    if (is_there) {
        raw = codes.raw(options.keys, start + place);
        in_segment = options.places != NULL ? options.places[start + place] : moved + place;
    }
    __syncwarp(); /* the entries may be among the keys */
    if (is_there) {
        codes.write_raw(kept.keys, to + lane_id(), raw);
        kept.places[to + lane_id()] = in_segment;
    }
}

/* Keeps the first k keys of every tile. */
template <typename WORD, int M = planes_last<WORD>()>
static __global__ void __launch_bounds__(planes_threads(M), planes_resident(M))
    topk_tiles(const __grid_constant__ segment_codes<WORD> codes,
               const __grid_constant__ segment_classes     classes,
               const __grid_constant__ topk_options options, topk_kept const kept, bool vectors)
{
    typedef planes<WORD, M> PLANES;
    __shared__ topk_lists<M> lists;
    __shared__ uint32_t      totals[2 * PLANES::WARPS + 1];
    uint64_t const           tiles = segment_tiles_count(classes);
    for (uint64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        segment_part const here = segment_tile_at(classes, t);
        uint64_t const     from = here.tile * PLANES::MOST;
        if (from >= here.where.length) /* the lists do not contain the segment */
            continue;
        segment const tile = {here.where.start + from,
                              min(here.where.length - from, (uint64_t)PLANES::MOST)};
        PLANES        mine;
        mine.load(codes, options.keys, tile, vectors, totals);
        unsigned const count = (unsigned)min(options.k, tile.length);
        topk_find(mine, codes, count, &lists);
        if (threadIdx.x < WARP_LANES)
            topk_keep(codes, options, lists.places[0][0], count, tile.start, from, kept,
                      t * options.k);
    }
}

/* The first k keys of every long segment, from those that its tiles kept: the keys of `options`. As
 * long as there are too many for a block, it replaces as many as it holds by the first k of them,
 * just before the next ones. So ties stay in the order of their places. */
template <typename WORD, int M = planes_last<WORD>()>
static __global__ void __launch_bounds__(planes_threads(M), planes_resident(M))
    topk_join(const __grid_constant__ segment_codes<WORD> codes,
              const __grid_constant__ segment_classes     classes,
              const __grid_constant__ topk_options options, topk_kept const kept, unsigned lg)
{
    typedef planes<WORD, M> PLANES;
    __shared__ topk_lists<M> lists;
    __shared__ uint32_t      totals[2 * PLANES::WARPS + 1];
    uint64_t const           slots = segment_slots_count(classes);
    for (uint64_t slot = blockIdx.x; slot < slots; slot += gridDim.x) {
        segment_large const large = segment_slot_at(classes, slot);
        uint64_t const      tiles = (large.where.length + PLANES::MOST - 1) / PLANES::MOST;
        uint64_t const      last = large.where.length - (tiles - 1) * PLANES::MOST;
        uint64_t            start = large.first_tile * options.k;
        uint64_t            left = (tiles - 1) * options.k + min(last, options.k);
        bool                is_over = false;
        if (large.first_tile + tiles > segment_tiles_count(classes)) /* not all tiles were done */
            continue;
        while (!is_over) {
            segment const part = {start, min(left, (uint64_t)PLANES::MOST)};
            PLANES        mine;
            mine.load(codes, options.keys, part, false, totals);
            unsigned const count = (unsigned)min(options.k, part.length);
            topk_find(mine, codes, count, &lists);
            is_over = left <= PLANES::MOST;
            start += part.length - count;
            left -= part.length - count;
            if (threadIdx.x < WARP_LANES && is_over)
                topk_write_groups<WORD, M>(codes, options, lists.places[0], 1, lg, large.number,
                                           part.start, count);
            else if (threadIdx.x < WARP_LANES)
                topk_keep(codes, options, lists.places[0][0], count, part.start, 0, kept, start);
        }
    }
}

#endif
