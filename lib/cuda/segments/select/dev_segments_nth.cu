/* dev_segments_nth.cu - splits the keys of every segment around the k-th key, in a stable order:
 * keys before it, keys that tie with it, and the others.
 *
 * Segments of up to 8192 keys (8-byte keys: 4096) take one kernel (segment_nth.cuh). Of longer ones
 * the k-th keys are selected (dev_segments_select.cu). They are cut into tiles: one pass counts
 * each tile, one block per segment scans its tiles, and a second pass writes. An array without
 * segments is one segment. A segment without a k-th key is copied. Short rows whose keys may get
 * any order are sorted. Memory moved: one read and one write; of long segments the selection, two
 * reads and one write. Scratch: that of the selection, a key per segment, 24 bytes per tile. */
#include "cuda/segments/select/dev_segments_select.cuh"
#include "cuda/segments/select/segment_nth.cuh"

enum {
    NTH_THREADS = 512,
    NTH_WARPS = NTH_THREADS / 32,
    NTH_ITEMS = 16,
    NTH_TILE = NTH_THREADS * NTH_ITEMS,
    NTH_SCAN_THREADS = 1024
};

struct nth_counts {
    uint64_t less, tied;
};

struct nth_work {
    segment_classes classes;
    void           *pivots;
    nth_counts     *before; /* for each tile of a long segment: the tiles before it */
    nth_counts     *totals; /* for each long segment */
};

/* ---- Parts ---- */

/* The code of the k-th key, and whether there is one. */
template <typename WORD> struct nth_pivot {
    WORD code;
    bool is_there;

    DEVICE nth_pivot(const segment_codes<WORD> &codes, const nth_options &options, uint64_t number,
                     uint64_t length)
        : code(0), is_there(options.k < length)
    {
        if (is_there)
            code = codes.read(options.pivots, number);
    }
    DEVICE nth_part part(WORD word) const
    {
        return !is_there || word < code ? NTH_LESS : word == code ? NTH_TIED : NTH_MORE;
    }
};

/* ---- Long segments ---- */

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

/* Counts the parts of every tile, or writes them: then `counts` has the sums of the tiles before,
 * and totals those of the segments. */
template <typename WORD, bool WRITES>
static __global__ void __launch_bounds__(NTH_THREADS)
    nth_tiles(const __grid_constant__ segment_codes<WORD> codes,
              const __grid_constant__ segment_classes     classes,
              const __grid_constant__ nth_options options, nth_counts *counts,
              const nth_counts *totals)
{
    __shared__ uint32_t rows[WRITES ? NTH_ITEMS * NTH_WARPS : 1], sums[NTH_WARPS];
    uint64_t const      tiles = segment_tiles_count(classes);
    for (uint64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        segment_part const    here = segment_tile_at(classes, t);
        uint64_t const        from = here.tile * NTH_TILE, length = here.where.length;
        nth_pivot<WORD> const pivot(codes, options, here.number, length);
        WORD                  raw[NTH_ITEMS], code[NTH_ITEMS];
        auto const at = [&](int e) { return from + (unsigned)e * NTH_THREADS + threadIdx.x; };
        read_items(
            options.keys, codes.bytes, [&](int e) { return here.where.start + at(e); },
            [&](int e) { return at(e) < length; }, raw);
        codes.encode_each(raw, code);
        nth_masks masks = {};
#pragma unroll
        for (int e = 0; e < NTH_ITEMS; e++)
            if (at(e) < length) {
                nth_part const part = pivot.part(code[e]);
                masks.less |= (uint32_t)(part == NTH_LESS) << e;
                masks.tied |= (uint32_t)(part == NTH_TIED) << e;
            }
        if constexpr (!WRITES) {
            uint32_t const both = /* less, and tied above 16 bits; at most 8192 */
                block_scan_threads<scan_add<uint32_t>, NTH_WARPS>(nth_both(masks.less, masks.tied),
                                                                  sums)
                    .total;
            if (threadIdx.x == 0)
                counts[t] = {both & 0xffff, both >> 16};
        } else {
            nth_counts const ahead = counts[t], all = totals[here.slot];
            nth_place<NTH_ITEMS, NTH_WARPS>(
                masks, rows, sums, [&](int e, nth_part part, uint32_t both) {
                    uint64_t const to = nth_to(part, at(e), ahead.less + (both & 0xffff),
                                               ahead.tied + (both >> 16), all.less, all.tied);
                    /* beyond the segment only if segments overlap because of bad offsets */
                    if (at(e) < length && to < length)
                        segment_put(codes, options.out, here.where.start + to, at(e), raw[e]);
                });
        }
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
    work.classes =
        segment_classes_layout(scratch, &view, job->n, planes_limits(job->type, NTH_TILE));
    if (work.classes.most_tiles != 0)
        work.pivots = scratch_take<char>(scratch, view.count * size);
    work.before = scratch_take<nth_counts>(scratch, work.classes.most_tiles);
    work.totals = scratch_take<nth_counts>(scratch, segment_slots_most(work.classes));
    return work;
}

static ordo_select_job pivots_of(const ordo_nth_job *job, const ordo_segment_view *view,
                                 const nth_work &work)
{
    ordo_select_job select = {};
    select.type = job->type;
    select.keys = job->keys;
    select.n = job->n;
    select.k = &job->k;
    select.count = 1;
    select.out = work.pivots;
    select.descending = job->descending;
    select.segments = view;
    return select;
}

/* The longest rows that are sorted if their keys may get any order: keys of 4 and of 8 bytes. On an
 * H200, 2^30 bytes, split and sort in milliseconds (2026-11-18): rows of 16 f32 1.94 and 0.57, of
 * 64 1.47 and 1.23, of 128 1.38 and 1.39; of 16 f64 1.63 and 0.90, of 32 1.13 and 1.08, of 48 1.11
 * and 1.74. */
static size_t nth_most_sorted(ordo_type type)
{
    size_t const size = cuda_type_size(type);
    return size == 4 ? 64 : size == 8 ? 32 : 0;
}

/* Whether rows are sorted unless indices are wanted. */
static bool nth_may_sort(const ordo_nth_job *job)
{
    return job->any_order && job->segments != NULL && job->segments->offsets == NULL &&
           job->segments->length <= nth_most_sorted(job->type);
}

static ordo_sort_job nth_sort_of(const ordo_nth_job *job)
{
    ordo_sort_job sort = {};
    sort.type = job->type;
    sort.keys = job->out;
    sort.source = job->keys;
    sort.n = job->n;
    sort.descending = job->descending;
    sort.segments = job->segments;
    return sort;
}

size_t dev_nth_scratch(const ordo_nth_job *job)
{
    ordo_sort_job const     sort = nth_sort_of(job);
    size_t const            sorted = nth_may_sort(job) ? dev_segments_sort_scratch(&sort) : 0;
    cuda_scratch            counted = {};
    ordo_segment_view const view = nth_view(job);
    nth_work const          work = nth_layout(&counted, job);
    ordo_select_job const   select = pivots_of(job, &view, work);
    return ordo_max(sorted,
                    counted.used +
                        (work.classes.most_tiles != 0 ? dev_segments_select_scratch(&select) : 0));
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
                             const nth_work &work, const nth_options &options)
{
    TRY(nth_short(call, codes, work.classes, options, nth_lanes_lg(work.classes.map)));
    if (work.classes.most_tiles == 0)
        return ORDO_OK;
    size_t const tiles = segment_grid(call, work.classes.most_tiles, 1, 4);
    TRY(CUDA_LAUNCH(call, (nth_tiles<WORD, false>), tiles, NTH_THREADS, 0, codes, work.classes,
                    options, work.before, (const nth_counts *)work.totals));
    TRY(CUDA_LAUNCH(call, nth_scan, segment_grid(call, segment_slots_most(work.classes), 1, 2),
                    NTH_SCAN_THREADS, 0, work.classes, work.before, work.totals));
    return CUDA_LAUNCH(call, (nth_tiles<WORD, true>), tiles, NTH_THREADS, 0, codes, work.classes,
                       options, work.before, (const nth_counts *)work.totals);
}

ordo_status dev_nth(cuda_call *call, const ordo_nth_job *job)
{
    if (nth_may_sort(job) && job->index == NULL && job->out != NULL) {
        ordo_sort_job const sort = nth_sort_of(job);
        ordo_status const   status = dev_segments_sort(call, &sort);
        call->exec->changed = false; /* the keys of the caller are only read */
        call->exec->algorithm = "segments";
        return status;
    }
    ordo_segment_view const view = nth_view(job);
    nth_work const          work = nth_layout(&call->scratch, job);
    ordo_select_job const   select = pivots_of(job, &view, work);
    size_t const            used = call->scratch.used;
    if (view.count == 0 || job->n == 0)
        return ORDO_OK;
    if (work.classes.most_tiles != 0)
        TRY(dev_segments_select_long(call, &select));
    call->scratch.used = used;
    TRY(segment_classes_fill(call, work.classes));
    nth_options options = {};
    options.keys = job->keys;
    options.pivots = work.pivots;
    options.k = job->k;
    options.out = {job->out, job->index, job->index_type == ORDO_U64};
    TRY(with_segment_codes(job->type, job->descending, KEY_FOLDED,
                           [&](auto codes) { return nth_split(call, codes, work, options); }));
    call->exec->algorithm = "segments";
    return ORDO_OK;
}
