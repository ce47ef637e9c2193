/* dev_segments_nth.cu - splits the keys of every segment around the k-th key, in a stable order:
 * keys before it, keys that tie with it, and the others.
 *
 * The k-th keys are selected (dev_segments_select.cu). Segments of up to 1024 keys are counted and
 * split by groups of lanes. Longer ones are cut into tiles: one pass counts each tile, one block
 * per segment scans its tiles, and a second pass writes. An array without segments is one segment.
 * A segment without a k-th key is copied. Memory moved: the selection, two reads and one write.
 * Scratch: that of the selection, a key per segment, 24 bytes per tile, and copies of the keys and
 * results if the segments have a step. */
#include "cuda/block/block_scan.cuh"
#include "cuda/runtime/cuda_dev.cuh"
#include "cuda/segments/segment_codes.cuh"
#include "cuda/segments/segments.cuh"

enum {
    NTH_SHORT = 1024, /* keys of a segment that a group of lanes splits */
    NTH_THREADS = 512,
    NTH_WARPS = NTH_THREADS / 32,
    NTH_ITEMS = 16,
    NTH_TILE = NTH_THREADS * NTH_ITEMS,
    NTH_SCAN_THREADS = 1024
};

enum nth_part { /* of a split segment */
    NTH_LESS,
    NTH_TIED,
    NTH_MORE
};

struct nth_counts {
    uint64_t less, tied;
};

struct nth_wish { /* a kernel argument */
    const void *keys, *pivots;
    uint64_t    k;
    void       *out, *index; /* NULL: not wanted */
    bool        index_is_wide;
};

struct nth_work {
    segment_input   input;
    segment_classes classes;
    void           *pivots;
    void           *out, *index;   /* rows of results if the segments have a step */
    nth_counts     *before;        /* for each tile of a long segment: the tiles before it */
    nth_counts     *totals;        /* for each long segment */
    uint64_t        most_segments; /* most long segments */
};

/* ---- Parts ---- */

/* The code of the k-th key, and whether there is one. */
template <typename WORD> struct nth_pivot {
    WORD code;
    bool is_there;

    DEVICE nth_pivot(const segment_codes<WORD> &codes, const nth_wish &wish, uint64_t number,
                     uint64_t length)
        : code(0), is_there(wish.k < length)
    {
        if (is_there)
            code = codes.read(wish.pivots, number);
    }
    DEVICE nth_part part(WORD word) const
    {
        return !is_there || word < code ? NTH_LESS : word == code ? NTH_TIED : NTH_MORE;
    }
};

/* Writes key j of a segment to place `to` of it. */
template <typename WORD>
static DEVICE void nth_put(const segment_codes<WORD> &codes, const nth_wish &wish, segment where,
                           uint64_t j, WORD raw, uint64_t to)
{
    uint64_t const at = where.start + to;
    if (to >= where.length) /* only if segments overlap because of bad offsets */
        return;
    if (wish.out != NULL)
        codes.write_raw(wish.out, at, raw);
    if (wish.index != NULL && wish.index_is_wide)
        ((uint64_t *)wish.index)[at] = j;
    else if (wish.index != NULL)
        ((uint32_t *)wish.index)[at] = (uint32_t)j;
}

/* ---- Short segments ---- */

/* Splits the segments of up to `most` keys, each by 2^lg lanes. */
template <typename WORD>
static __global__ void __launch_bounds__(SEGMENT_BLOCK_THREADS)
    nth_short(const __grid_constant__ segment_codes<WORD> codes,
              const __grid_constant__ segment_map map, const __grid_constant__ nth_wish wish,
              uint64_t most, unsigned lg)
{
    unsigned const lanes = 1u << lg, j = lane_id() & (lanes - 1);
    uint32_t const mine = (lg == 5 ? WARP_ALL : (1u << lanes) - 1) << (lane_id() - j);
    uint64_t const groups = (uint64_t)gridDim.x * SEGMENT_BLOCK_THREADS >> lg;
    uint64_t const rounds = (map.count + groups - 1) / groups;
    uint64_t       i = ((uint64_t)blockIdx.x * SEGMENT_BLOCK_THREADS + threadIdx.x) >> lg;
    for (uint64_t round = 0; round < rounds; round++, i += groups) { /* the same in all lanes */
        segment where = i < map.count ? segment_at(map, i) : segment{0, 0};
        if (where.length > most)
            where.length = 0;
        unsigned const        length = (unsigned)where.length;
        unsigned const        longest = __reduce_max_sync(WARP_ALL, length);
        nth_pivot<WORD> const pivot(codes, wish, i, length);
        unsigned              less = 0, tied = 0;
        for (unsigned first = 0; first < longest; first += lanes) {
            bool const     there = first + j < length;
            WORD const     word = there ? codes.read(wish.keys, where.start + first + j) : (WORD)0;
            nth_part const part = pivot.part(word);
            less += (unsigned)__popc(__ballot_sync(WARP_ALL, there && part == NTH_LESS) & mine);
            tied += (unsigned)__popc(__ballot_sync(WARP_ALL, there && part == NTH_TIED) & mine);
        }
        unsigned next[3] = {0, less, less + tied}; /* the next place of each part */
        for (unsigned first = 0; first < longest; first += lanes) {
            bool const     there = first + j < length;
            WORD const     raw = there ? codes.raw(wish.keys, where.start + first + j) : (WORD)0;
            nth_part const part = pivot.part(codes.encode(raw));
            unsigned       to = 0;
#pragma unroll
            for (int p = 0; p < 3; p++) {
                uint32_t const votes = __ballot_sync(WARP_ALL, there && part == p) & mine;
                to = part == p ? next[p] + (unsigned)__popc(votes & lanes_before()) : to;
                next[p] += (unsigned)__popc(votes);
            }
            if (there)
                nth_put(codes, wish, where, first + j, raw, to);
        }
    }
}

/* ---- Long segments ---- */

/* Counts the parts of every tile. */
template <typename WORD>
static __global__ void __launch_bounds__(NTH_THREADS)
    nth_count(const __grid_constant__ segment_codes<WORD> codes,
              const __grid_constant__ segment_classes     classes,
              const __grid_constant__ nth_wish wish, nth_counts *counts)
{
    typedef scan_add<uint32_t> ADD;
    __shared__ uint32_t        totals[NTH_WARPS];
    uint64_t const             tiles = segment_tiles_count(classes);
    for (uint64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        segment_part const    here = segment_tile_at(classes, t);
        uint64_t const        from = here.tile * NTH_TILE;
        nth_pivot<WORD> const pivot(codes, wish, here.number, here.where.length);
        WORD                  word[NTH_ITEMS];
        uint32_t              both = 0; /* less, and tied above 16 bits; at most 8192 */
        auto const at = [&](int e) { return from + (unsigned)e * NTH_THREADS + threadIdx.x; };
        segment_read_items(
            codes, wish.keys, [&](int e) { return here.where.start + at(e); },
            [&](int e) { return at(e) < here.where.length; }, (WORD)0, word);
#pragma unroll
        for (int e = 0; e < NTH_ITEMS; e++)
            if (at(e) < here.where.length)
                both += pivot.part(word[e]) == NTH_LESS   ? 1u
                        : pivot.part(word[e]) == NTH_TIED ? 1u << 16
                                                          : 0u;
        both = block_scan_threads<ADD, NTH_WARPS>(both, totals).total;
        if (threadIdx.x == 0)
            counts[t] = {both & 0xffff, both >> 16};
    }
}

/* Replaces the counts of the tiles of every long segment by the sums of the tiles before. */
static __global__ void __launch_bounds__(NTH_SCAN_THREADS)
    nth_scan(const __grid_constant__ segment_classes classes, nth_counts *before,
             nth_counts *totals)
{
    typedef scan_add<uint64_t> ADD;
    constexpr int              WARPS = NTH_SCAN_THREADS / 32;
    __shared__ uint64_t        sums[WARPS];
    uint64_t const             slots = segment_slots_count(classes);
    for (uint64_t slot = blockIdx.x; slot < slots; slot += gridDim.x) {
        segment_large const large = segment_slot_at(classes, slot);
        uint64_t const      tiles = (large.where.length + NTH_TILE - 1) / NTH_TILE;
        nth_counts          all = {0, 0};
        if (large.first_tile + tiles > segment_tiles_count(classes)) /* not all were counted */
            continue;
        for (uint64_t first = 0; first < tiles; first += NTH_SCAN_THREADS) {
            nth_counts *const at = before + large.first_tile + first + threadIdx.x;
            bool const        there = first + threadIdx.x < tiles;
            nth_counts const  none = {0, 0}, mine = there ? *at : none;
            auto const        less = block_scan_threads<ADD, WARPS>(mine.less, sums);
            auto const        tied = block_scan_threads<ADD, WARPS>(mine.tied, sums);
            if (there)
                *at = {all.less + less.before, all.tied + tied.before};
            all = {all.less + less.total, all.tied + tied.total};
        }
        if (threadIdx.x == 0)
            totals[slot] = all;
    }
}

/* Writes every tile. `both` numbers have a count of less, and of tied above 16 bits. */
template <typename WORD>
static __global__ void __launch_bounds__(NTH_THREADS)
    nth_write(const __grid_constant__ segment_codes<WORD> codes,
              const __grid_constant__ segment_classes     classes,
              const __grid_constant__ nth_wish wish, const nth_counts *before,
              const nth_counts *totals)
{
    typedef scan_add<uint32_t> ADD;
    static_assert(NTH_ITEMS * NTH_WARPS <= NTH_THREADS, "one thread for each row of items");
    __shared__ uint32_t rows[NTH_ITEMS * NTH_WARPS], sums[NTH_WARPS];
    uint64_t const      tiles = segment_tiles_count(classes);
    for (uint64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        segment_part const    here = segment_tile_at(classes, t);
        uint64_t const        from = here.tile * NTH_TILE, length = here.where.length;
        nth_pivot<WORD> const pivot(codes, wish, here.number, length);
        nth_counts const      ahead = before[t], all = totals[here.slot];
        unsigned const        warp = threadIdx.x / WARP_LANES;
        WORD                  raw[NTH_ITEMS];
        uint32_t              in_row[NTH_ITEMS]; /* both, of the lanes before */
        auto const at = [&](int e) { return from + (unsigned)e * NTH_THREADS + threadIdx.x; };
        read_items(
            wish.keys, codes.bytes, [&](int e) { return here.where.start + at(e); },
            [&](int e) { return at(e) < length; }, raw);
#pragma unroll
        for (int e = 0; e < NTH_ITEMS; e++) {
            bool const     there = at(e) < length;
            nth_part const part = pivot.part(codes.encode(raw[e]));
            uint32_t const less = __ballot_sync(WARP_ALL, there && part == NTH_LESS);
            uint32_t const tied = __ballot_sync(WARP_ALL, there && part == NTH_TIED);
            in_row[e] = (uint32_t)__popc(less & lanes_before()) |
                        (uint32_t)__popc(tied & lanes_before()) << 16;
            if (lane_id() == 0)
                rows[e * NTH_WARPS + warp] = (uint32_t)__popc(less) | (uint32_t)__popc(tied) << 16;
        }
        __syncthreads();
        bool const     has_row = threadIdx.x < NTH_ITEMS * NTH_WARPS;
        uint32_t const scanned =
            block_scan_threads<ADD, NTH_WARPS>(has_row ? rows[threadIdx.x] : 0, sums).before;
        if (has_row)
            rows[threadIdx.x] = scanned;
        __syncthreads();
#pragma unroll
        for (int e = 0; e < NTH_ITEMS; e++)
            if (at(e) < length) {
                uint32_t const both = rows[e * NTH_WARPS + warp] + in_row[e];
                uint64_t const less = ahead.less + (both & 0xffff),
                               tied = ahead.tied + (both >> 16);
                nth_part const part = pivot.part(codes.encode(raw[e]));
                uint64_t const to = part == NTH_LESS   ? less
                                    : part == NTH_TIED ? all.less + tied
                                                       : all.less + all.tied + at(e) - less - tied;
                nth_put(codes, wish, here.where, at(e), raw[e], to);
            }
        __syncthreads();
    }
}

/* ---- The verb ---- */

static ordo_segment_view nth_view(const ordo_nth_job *job)
{
    ordo_segment_view view = {};
    if (job->segments != NULL)
        return *job->segments;
    view.count = view.group = view.step = 1;
    view.length = view.stride = job->n;
    return view;
}

static nth_work nth_layout(cuda_scratch *scratch, const ordo_nth_job *job)
{
    ordo_segment_view const view = nth_view(job);
    size_t const            size = cuda_type_size(job->type);
    nth_work                work = {};
    work.input = segment_input_layout(scratch, &view, job->type, job->keys, job->n, false);
    work.out = job->out;
    work.index = job->index;
    if (work.input.copies) {
        void *const out = scratch_take<char>(scratch, work.input.n * size);
        void *const index =
            scratch_take<char>(scratch, work.input.n * cuda_type_size(job->index_type));
        work.out = job->out == NULL ? NULL : out;
        work.index = job->index == NULL ? NULL : index;
    }
    work.pivots = scratch_take<char>(scratch, view.count * size);
    work.classes = segment_classes_layout(scratch, &work.input.view, work.input.n,
                                          segment_two_classes(NTH_SHORT, NTH_TILE));
    work.before = scratch_take<nth_counts>(scratch, work.classes.most_tiles);
    work.most_segments = view.offsets != NULL    ? work.classes.lists.room[SEGMENT_LISTS - 1]
                         : work.classes.each > 0 ? view.count
                                                 : 0;
    work.totals = scratch_take<nth_counts>(scratch, work.most_segments);
    return work;
}

static ordo_select_job pivots_of(const ordo_nth_job *job, const nth_work &work)
{
    ordo_select_job select = {};
    select.type = job->type;
    select.keys = work.input.keys;
    select.n = work.input.n;
    select.k = &job->k;
    select.count = 1;
    select.out = work.pivots;
    select.descending = job->descending;
    select.segments = &work.input.view;
    return select;
}

size_t dev_nth_scratch(const ordo_nth_job *job)
{
    cuda_scratch          counted = {};
    nth_work const        work = nth_layout(&counted, job);
    ordo_select_job const select = pivots_of(job, work);
    return counted.used + dev_segments_select_scratch(&select);
}

/* lg of the lanes for a short segment: as many as it has keys on average, 4 to 32. */
static unsigned nth_lanes_lg(const segment_map &map)
{
    uint64_t const each = map.offsets == NULL ? map.length : map.n / map.count;
    unsigned       lg = 2;
    while (lg < 5 && (uint64_t)1 << lg < each)
        lg++;
    return lg;
}

template <typename WORD>
static ordo_status nth_split(cuda_call *call, const segment_codes<WORD> &codes,
                             const nth_work &work, const nth_wish &wish)
{
    const segment_map &map = work.classes.map;
    unsigned const     lg = nth_lanes_lg(map);
    if (map.offsets != NULL || map.length <= NTH_SHORT)
        TRY(CUDA_LAUNCH(call, nth_short<WORD>,
                        segment_grid(call, map.count, SEGMENT_BLOCK_THREADS >> lg, 8),
                        SEGMENT_BLOCK_THREADS, 0, codes, map, wish, (uint64_t)NTH_SHORT, lg));
    if (work.classes.most_tiles == 0)
        return ORDO_OK;
    size_t const tiles = segment_grid(call, work.classes.most_tiles, 1, 4);
    TRY(CUDA_LAUNCH(call, nth_count<WORD>, tiles, NTH_THREADS, 0, codes, work.classes, wish,
                    work.before));
    TRY(CUDA_LAUNCH(call, nth_scan, segment_grid(call, work.most_segments, 1, 2), NTH_SCAN_THREADS,
                    0, work.classes, work.before, work.totals));
    return CUDA_LAUNCH(call, nth_write<WORD>, tiles, NTH_THREADS, 0, codes, work.classes, wish,
                       (const nth_counts *)work.before, (const nth_counts *)work.totals);
}

ordo_status dev_nth(cuda_call *call, const ordo_nth_job *job)
{
    ordo_segment_view const view = nth_view(job);
    nth_work const          work = nth_layout(&call->scratch, job);
    ordo_select_job const   select = pivots_of(job, work);
    size_t const            used = call->scratch.used;
    if (view.count == 0 || work.input.n == 0)
        return ORDO_OK;
    TRY(segment_input_fill(call, work.input, &view));
    TRY(dev_segments_select(call, &select));
    call->scratch.used = used;
    TRY(segment_classes_fill(call, work.classes));
    nth_wish wish = {};
    wish.keys = work.input.keys;
    wish.pivots = work.pivots;
    wish.k = job->k;
    wish.out = work.out;
    wish.index = work.index;
    wish.index_is_wide = job->index_type == ORDO_U64;
    TRY(with_segment_codes(job->type, job->descending, KEY_TOTAL,
                           [&](auto codes) { return nth_split(call, codes, work, wish); }));
    call->exec->algorithm = "segments";
    if (!work.input.copies)
        return ORDO_OK;
    if (job->out != NULL)
        TRY(segments_from_rows(call, &view, work.out, work.input.size, job->out));
    if (job->index != NULL)
        TRY(segments_from_rows(call, &view, work.index, cuda_type_size(job->index_type),
                               job->index));
    return ORDO_OK;
}
