/* dev_segments_topk.cu - the first k keys of every segment in order, with their indices.
 *
 * k up to 32: segments of up to 256 keys (8-byte keys: 16) are sorted in registers
 * (segment_slots.cuh). A warp (1024 keys) or a block (16384; 8-byte keys: 8192) holds a longer
 * segment in registers, searches the k-th key, gathers the keys up to it and sorts them by key and
 * index (segment_pool.cuh). Still longer segments are cut into tiles of a block's size; one block
 * for each segment joins the first k keys of its tiles. Larger k: an argsort of the segments.
 * Memory moved: the keys once. Scratch: 16 bytes for each key of a tile that is kept; for larger k
 * the index and the scratch of the argsort; rows of a layout with a step. */
#include "cuda/runtime/cuda_dev.cuh"
#include "cuda/segments/segments.cuh"
#include "cuda/segments/segment_pool.cuh"
#include "cuda/segments/segment_slots.cuh"
#include "cuda/sort/merge_sorted.cuh"

enum {
    TOPK_MOST = POOL_FEW, /* k of the search */
    TOPK_LG = 4,
    TOPK_SHORT =
        WARP_SORT_ITEMS << TOPK_LG, /* keys of a segment that is sorted, or held in few registers */
    TOPK_THREADS = 256
};

template <typename WORD> struct topk_shape {
    typedef pool<1, TOPK_SHORT / 32, WORD>              OF_FEW;
    typedef pool<1, 32, WORD>                           OF_WARP;
    typedef pool<16, sizeof(WORD) == 8 ? 16 : 32, WORD> OF_BLOCK;
};

struct topk_wish { /* a kernel argument */
    const void *keys;
    uint64_t    k;
    void       *values, *index; /* NULL: not wanted */
    bool        index_is_wide, omits;
    uint64_t   *found; /* NULL: not wanted */
};

template <typename WORD> struct topk_kept { /* the first k keys of each tile */
    WORD     *codes;
    uint64_t *places; /* in the segment */
};

/* ---- Results ---- */

/* Writes result r of segment `number`, which starts at `start`. */
template <typename WORD>
static DEVICE void topk_write(const segment_codes<WORD> &codes, const topk_wish &wish,
                              uint64_t number, uint64_t start, uint64_t r, uint64_t place)
{
    uint64_t const at = number * wish.k + r;
    if (wish.values != NULL)
        codes.write_raw(wish.values, at, codes.raw(wish.keys, start + place));
    if (wish.index != NULL && wish.index_is_wide)
        ((uint64_t *)wish.index)[at] = place;
    else if (wish.index != NULL)
        ((uint32_t *)wish.index)[at] = (uint32_t)place;
}

/* The first `count` results of a segment, one in each lane of a warp. */
template <typename WORD>
static DEVICE void topk_write_lanes(const segment_codes<WORD> &codes, const topk_wish &wish,
                                    uint64_t number, uint64_t start, unsigned count,
                                    const pool_record<WORD> &mine)
{
    bool const is_there = lane_id() < count && (!wish.omits || mine.code <= codes.last_number());
    uint32_t const there = __ballot_sync(WARP_ALL, is_there);
    if (is_there)
        topk_write(codes, wish, number, start, lane_id(), mine.place);
    if (wish.found != NULL && lane_id() == 0)
        wish.found[number] = (uint64_t)__popc(there);
}

/* ---- Short segments: sorted ---- */

/* Codes above places in the segment. */
template <typename WORD> struct topk_record;
template <> struct topk_record<uint32_t> {
    typedef uint64_t K;

    static DEVICE K        make(uint32_t code, unsigned place) { return (K)code << 32 | place; }
    static DEVICE void     put_place(K &record, unsigned place) { record |= place; }
    static DEVICE uint32_t code(K record) { return (uint32_t)(record >> 32); }
};
template <> struct topk_record<uint64_t> {
    typedef key_record K;

    static DEVICE K        make(uint64_t code, unsigned place) { return {code, place}; }
    static DEVICE void     put_place(K &record, unsigned place) { record.index = place; }
    static DEVICE uint64_t code(const K &record) { return record.key; }
};

/* Handles the segments of more than `least` and at most `most` keys. */
template <typename WORD, int M, typename RECORD = topk_record<WORD>>
static __global__ void __launch_bounds__(SLOTS_THREADS, slots_resident(sizeof(typename RECORD::K)))
    topk_slot_segments(const __grid_constant__ segment_codes<WORD> codes,
                       const __grid_constant__ segment_map         map,
                       const __grid_constant__ topk_wish wish, int64_t least, uint64_t most,
                       unsigned chunk)
{
    typedef typename RECORD::K K;
    __shared__ slots_memory<K> memories[SLOTS_WARPS];
    slots_memory<K> *const     memory = &memories[threadIdx.x / WARP_LANES];
    unsigned const             k = (unsigned)wish.k;
    slots_each<M>(memory, map, least, most, chunk, [&]() {
        K x[WARP_SORT_ITEMS];
        (void)slots_sort<M>(
            memory, x,
            [&](auto &&at, auto &&is_there, auto &&place) {
                WORD found[WARP_SORT_ITEMS];
                segment_read_items(codes, wish.keys, at, is_there, (WORD)0, found);
#pragma unroll
                for (int e = 0; e < WARP_SORT_ITEMS; e++)
                    x[e] = is_there(e) ? RECORD::make(found[e], place(e)) : last_record<K>();
            },
            [](K &record, unsigned place) { RECORD::put_place(record, place); });
        slots_spread(memory, x);
        auto const is_result = [&](unsigned slot, unsigned r) {
            return r < memory->slots[slot].where.length &&
                   (!wish.omits ||
                    RECORD::code(slots_at<M>(memory, slot, r)) <= codes.last_number());
        };
        for (unsigned o = lane_id(); o < (WARP_LANES >> M) * k; o += WARP_LANES) {
            unsigned const   slot = o / k, r = o % k;
            slot_entry const here = memory->slots[slot];
            if (is_result(slot, r))
                topk_write(codes, wish, here.number, here.where.start, r,
                           record_index(slots_at<M>(memory, slot, r)));
        }
        if (wish.found != NULL && lane_id() < WARP_LANES >> M &&
            memory->slots[lane_id()].number < map.count) {
            unsigned count = 0;
            while (count < k && is_result(lane_id(), count))
                count++;
            wish.found[memory->slots[lane_id()].number] = count;
        }
    });
}

/* ---- Segments in registers ---- */

/* Handles the segments of more than `least` keys (any number if least is 0) and at most POOL::MOST,
 * or the segments of a list. */
template <typename POOL, int BLOCK>
static __global__ void __launch_bounds__(BLOCK)
    topk_pool_segments(const __grid_constant__ segment_codes<typename POOL::WORD> codes,
                       const __grid_constant__ segment_map                        map,
                       const __grid_constant__ topk_wish wish, uint64_t least,
                       pool_source const source)
{
    typedef typename POOL::WORD WORD;
    pool_each<POOL, BLOCK>(map, source, [&](POOL &mine, auto *shared, uint64_t i, segment here) {
        if (here.length > POOL::MOST || (least != 0 && here.length <= least))
            return;
        mine.load(codes, wish.keys, here.start, (unsigned)here.length);
        unsigned const    count = (unsigned)(wish.k < here.length ? wish.k : here.length);
        pool_record<WORD> record = {};
        if (count > 0)
            record = mine.first_keys(shared, count);
        if (mine.thread < WARP_LANES)
            topk_write_lanes(codes, wish, i, here.start, count, record);
    });
}

/* ---- Longer segments ---- */

/* Keeps the first k keys of every tile. */
template <typename POOL>
static __global__ void __launch_bounds__(POOL::THREADS)
    topk_tiles(const __grid_constant__ segment_codes<typename POOL::WORD> codes,
               const __grid_constant__ segment_classes                    classes,
               const __grid_constant__ topk_wish wish, topk_kept<typename POOL::WORD> kept)
{
    typedef typename POOL::WORD      WORD;
    __shared__ typename POOL::SHARED shared;
    uint64_t const                   tiles = segment_tiles_count(classes);
    POOL                             mine;
    mine.begin();
    for (uint64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        segment_part const here = segment_tile_at(classes, t);
        uint64_t const     from = here.tile * POOL::MOST;
        if (from >= here.where.length) /* the lists do not contain the segment */
            continue;
        uint64_t const left = here.where.length - from;
        mine.load(codes, wish.keys, here.where.start + from,
                  (unsigned)(left < POOL::MOST ? left : POOL::MOST));
        unsigned const          count = (unsigned)(wish.k < mine.n ? wish.k : mine.n);
        pool_record<WORD> const record = mine.first_keys(&shared, count);
        if (threadIdx.x < count) {
            kept.codes[t * wish.k + threadIdx.x] = record.code;
            kept.places[t * wish.k + threadIdx.x] = from + record.place;
        }
    }
}

/* The first k keys of every long segment, from the first k keys of its tiles. Every round adds the
 * next of these keys to the first k so far, which come first, so ties stay in the order of their
 * places. */
template <typename POOL>
static __global__ void __launch_bounds__(POOL::THREADS)
    topk_join(const __grid_constant__ segment_codes<typename POOL::WORD> codes,
              const __grid_constant__ segment_classes                    classes,
              const __grid_constant__ topk_wish wish, topk_kept<typename POOL::WORD> kept)
{
    typedef typename POOL::WORD      WORD;
    __shared__ typename POOL::SHARED shared;
    __shared__ WORD                  best_codes[TOPK_MOST];
    __shared__ uint64_t              best_places[TOPK_MOST];
    uint64_t const                   slots = segment_slots_count(classes);
    unsigned const k = (unsigned)wish.k; /* less than a tile, so all tiles but the */
    POOL           mine;                 /* last of a segment kept k keys */
    mine.begin();
    for (uint64_t slot = blockIdx.x; slot < slots; slot += gridDim.x) {
        segment_large const where = segment_slot_at(classes, slot);
        uint64_t const      tiles = (where.where.length + POOL::MOST - 1) / POOL::MOST;
        uint64_t const      last = where.where.length - (tiles - 1) * POOL::MOST;
        uint64_t const      count = (tiles - 1) * k + (last < k ? last : k);
        uint64_t const      base = where.first_tile * k;
        if (where.first_tile + tiles > segment_tiles_count(classes)) /* not all tiles were done */
            continue;
        pool_record<WORD> record = {};
        unsigned          have = 0;
        for (uint64_t done = 0; done < count;) {
            uint64_t const left = count - done;
            unsigned const more =
                (unsigned)(left < POOL::MOST - TOPK_MOST ? left : POOL::MOST - TOPK_MOST);
            mine.n = have + more;
#pragma unroll
            for (int e = 0; e < POOL::ITEMS; e++) {
                unsigned const j = mine.place(e);
                mine.x[e] = j < have     ? best_codes[j]
                            : j < mine.n ? kept.codes[base + done + (j - have)]
                                         : (WORD) ~(WORD)0;
            }
            unsigned const first = k < mine.n ? k : mine.n;
            record = mine.first_keys(&shared, first);
            if (threadIdx.x < WARP_LANES && threadIdx.x < first)
                record.place = record.place < have
                                   ? best_places[record.place]
                                   : kept.places[base + done + (record.place - have)];
            __syncthreads(); /* every thread has read the best codes */
            if (threadIdx.x < first) {
                best_codes[threadIdx.x] = record.code;
                best_places[threadIdx.x] = record.place;
            }
            __syncthreads();
            have = first;
            done += more;
        }
        if (threadIdx.x < WARP_LANES)
            topk_write_lanes(codes, wish, where.number, where.where.start, have, record);
    }
}

/* ---- Larger k: from an argsort ---- */

template <typename WORD>
static __global__ void __launch_bounds__(TOPK_THREADS)
    topk_from_index(const __grid_constant__ segment_codes<WORD> codes,
                    const __grid_constant__ segment_map map, const __grid_constant__ topk_wish wish,
                    const void *index, bool is_wide)
{
    auto const place = [&](uint64_t at) -> uint64_t {
        return is_wide ? ((const uint64_t *)index)[at] : ((const uint32_t *)index)[at];
    };
    uint64_t const warps = (uint64_t)gridDim.x * (TOPK_THREADS / WARP_LANES);
    uint64_t       i = ((uint64_t)blockIdx.x * TOPK_THREADS + threadIdx.x) / WARP_LANES;
    for (; i < map.count; i += warps) {
        segment const here = segment_at(map, i);
        uint64_t      count = wish.k < here.length ? wish.k : here.length;
        if (wish.omits) { /* NaNs are last */
            uint64_t lo = 0;
            while (lo < count) {
                uint64_t const middle = lo + (count - lo) / 2;
                uint64_t const at = here.start + place(here.start + middle);
                if (codes.read(wish.keys, at) <= codes.last_number())
                    lo = middle + 1;
                else
                    count = middle;
            }
        }
        for (uint64_t r = lane_id(); r < count; r += WARP_LANES)
            topk_write(codes, wish, i, here.start, r, place(here.start + r));
        if (wish.found != NULL && lane_id() == 0)
            wish.found[i] = count;
    }
}

/* ---- The verb ---- */

static bool is_searched(const ordo_topk_job *job) { return job->k <= TOPK_MOST; }

static uint64_t topk_block_most(ordo_type type)
{
    return cuda_type_size(type) == 8 ? topk_shape<uint64_t>::OF_BLOCK::MOST
                                     : topk_shape<uint32_t>::OF_BLOCK::MOST;
}

struct topk_work {
    segment_input   input;
    segment_classes classes;
    void           *codes; /* of the kept keys */
    uint64_t       *places;
};

static topk_work topk_layout(cuda_scratch *scratch, const ordo_topk_job *job)
{
    topk_work      work;
    uint64_t const most = topk_block_most(job->type);
    work.input = segment_input_layout(scratch, job->segments, job->type, job->keys, job->n, false);
    work.classes =
        segment_classes_layout(scratch, &work.input.view, work.input.n,
                               {{TOPK_SHORT, topk_shape<uint32_t>::OF_WARP::MOST, most}, most});
    size_t const kept = work.classes.most_tiles * job->k;
    work.codes = scratch_take<char>(scratch, kept * (cuda_type_size(job->type) == 8 ? 8 : 4));
    work.places = scratch_take<uint64_t>(scratch, kept);
    return work;
}

static topk_wish wish_of(const ordo_topk_job *job, const void *keys)
{
    topk_wish wish;
    wish.keys = keys;
    wish.k = job->k;
    wish.values = job->values;
    wish.index = job->index;
    wish.index_is_wide = job->index_type == ORDO_U64;
    wish.omits = job->omit;
    wish.found = (uint64_t *)job->found;
    return wish;
}

/* Launches for a list of segments; -1: for all segments, of which the kernel skips those of other
 * lengths. */
template <typename POOL, int BLOCK>
static ordo_status launch_pool(cuda_call *call, const segment_codes<typename POOL::WORD> &codes,
                               const segment_classes &classes, const topk_wish &wish,
                               uint64_t least, int list)
{
    pool_source const source = pool_source_of(classes, list);
    size_t const      blocks = segment_grid(call, source.room * POOL::THREADS, BLOCK, 2048 / BLOCK);
    return CUDA_LAUNCH(call, (topk_pool_segments<POOL, BLOCK>), blocks, BLOCK, 0, codes,
                       classes.map, wish, least, source);
}

template <typename WORD, int M>
static ordo_status launch_slots(cuda_call *call, const segment_codes<WORD> &codes,
                                const segment_map &map, const topk_wish &wish, int64_t least,
                                uint64_t most)
{
    return CUDA_LAUNCH(call, (topk_slot_segments<WORD, M>),
                       slots_grid(call, map, M, sizeof(typename topk_record<WORD>::K)),
                       SLOTS_THREADS, 0, codes, map, wish, least, most, slots_chunk(map, M));
}

/* Segments of up to TOPK_SHORT keys, of these lengths. */
template <typename WORD>
static ordo_status topk_short(cuda_call *call, const segment_codes<WORD> &codes,
                              const segment_classes &classes, const topk_wish &wish,
                              uint64_t shortest, uint64_t longest)
{
    if constexpr (sizeof(WORD) == 4)
        return slots_classes<TOPK_LG>(shortest, longest, -1,
                                      [&](auto m, int64_t least, uint64_t most) {
                                          return launch_slots<WORD, decltype(m)::M>(
                                              call, codes, classes.map, wish, least, most);
                                      });
    if (shortest <= WARP_SORT_ITEMS)
        TRY((launch_slots<WORD, 0>(call, codes, classes.map, wish, -1, WARP_SORT_ITEMS)));
    if (longest <= WARP_SORT_ITEMS)
        return ORDO_OK;
    return launch_pool<typename topk_shape<WORD>::OF_FEW, TOPK_THREADS>(call, codes, classes, wish,
                                                                        WARP_SORT_ITEMS, -1);
}

template <typename WORD>
static ordo_status topk_classes(cuda_call *call, const segment_codes<WORD> &codes,
                                const topk_work &work, const topk_wish &wish)
{
    typedef topk_shape<WORD>         SHAPE;
    typedef typename SHAPE::OF_WARP  OF_WARP;
    typedef typename SHAPE::OF_BLOCK OF_BLOCK;
    const segment_classes           &classes = work.classes;
    bool const                       is_fixed = classes.map.offsets == NULL;
    uint64_t const                   longest = is_fixed ? classes.map.length : classes.map.n;
    uint64_t const                   shortest = is_fixed ? classes.map.length : 0;
    topk_kept<WORD> const            kept = {(WORD *)work.codes, work.places};
    if (shortest <= TOPK_SHORT)
        TRY(topk_short(call, codes, classes, wish, shortest, longest));
    if (shortest <= OF_WARP::MOST && longest > TOPK_SHORT)
        TRY((launch_pool<OF_WARP, TOPK_THREADS>(call, codes, classes, wish, TOPK_SHORT, 0)));
    if (shortest <= OF_BLOCK::MOST && longest > OF_WARP::MOST)
        TRY((launch_pool<OF_BLOCK, OF_BLOCK::THREADS>(call, codes, classes, wish, OF_WARP::MOST,
                                                      1)));
    if (longest <= OF_BLOCK::MOST)
        return ORDO_OK;
    size_t const tiles = segment_grid(call, classes.most_tiles, 1, 4);
    size_t const slots = is_fixed ? classes.map.count : classes.lists.room[SEGMENT_LISTS - 1];
    TRY(CUDA_LAUNCH(call, topk_tiles<OF_BLOCK>, tiles, OF_BLOCK::THREADS, 0, codes, classes, wish,
                    kept));
    return CUDA_LAUNCH(call, topk_join<OF_BLOCK>, segment_grid(call, slots, 1, 4),
                       OF_BLOCK::THREADS, 0, codes, classes, wish, kept);
}

static ordo_status topk_searched(cuda_call *call, const ordo_topk_job *job)
{
    topk_work const work = topk_layout(&call->scratch, job);
    topk_wish const wish = wish_of(job, work.input.keys);
    TRY(segment_input_fill(call, work.input, job->segments));
    TRY(segment_classes_fill(call, work.classes));
    return with_segment_codes(job->type, job->descending, KEY_FOLDED,
                              [&](auto codes) { return topk_classes(call, codes, work, wish); });
}

struct topk_sorted_work {
    segment_input input;
    void         *index;
};

static topk_sorted_work topk_sorted_layout(cuda_scratch *scratch, const ordo_topk_job *job)
{
    topk_sorted_work work;
    work.input = segment_input_layout(scratch, job->segments, job->type, job->keys, job->n, true);
    work.index = scratch_take<char>(scratch, work.input.n * (work.input.n > UINT32_MAX ? 8 : 4));
    return work;
}

static ordo_argsort_job argsort_of(const ordo_topk_job *job, const topk_sorted_work &work)
{
    ordo_argsort_job sort = {};
    sort.type = job->type;
    sort.keys = work.input.keys;
    sort.n = work.input.n;
    sort.descending = job->descending;
    sort.index_type = work.input.n > UINT32_MAX ? ORDO_U64 : ORDO_U32;
    sort.index = work.index;
    sort.segments = &work.input.view;
    return sort;
}

static ordo_status topk_sorted(cuda_call *call, const ordo_topk_job *job)
{
    topk_sorted_work const work = topk_sorted_layout(&call->scratch, job);
    ordo_argsort_job const sort = argsort_of(job, work);
    topk_wish const        wish = wish_of(job, work.input.keys);
    segment_map const      map = segment_map_of(&work.input.view, work.input.n);
    TRY(segment_input_fill(call, work.input, job->segments));
    if (sort.n > 0)
        TRY(dev_segments_argsort(call, &sort));
    return with_segment_codes(job->type, job->descending, KEY_FOLDED, [&](auto codes) {
        return CUDA_LAUNCH(call, topk_from_index<decltype(codes.flip)>,
                           segment_grid(call, map.count * WARP_LANES, TOPK_THREADS, 8),
                           TOPK_THREADS, 0, codes, map, wish, (const void *)work.index,
                           sort.index_type == ORDO_U64);
    });
}

size_t dev_segments_topk_scratch(const ordo_topk_job *job)
{
    if (is_searched(job))
        return scratch_of(topk_layout, job);
    cuda_scratch           counted = {};
    topk_sorted_work const work = topk_sorted_layout(&counted, job);
    ordo_argsort_job const sort = argsort_of(job, work);
    return counted.used + (sort.n > 0 ? dev_segments_argsort_scratch(&sort) : 0);
}

ordo_status dev_segments_topk(cuda_call *call, const ordo_topk_job *job)
{
    if (job->segments->count == 0)
        return ORDO_OK;
    ordo_status const status = is_searched(job) ? topk_searched(call, job) : topk_sorted(call, job);
    call->exec->algorithm = "segments";
    return status;
}
