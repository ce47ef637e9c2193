/* dev_segments_topk.cu - the first k keys of every segment in order, with their indices.
 *
 * k up to 32: segments of up to 8192 keys (8-byte keys: 4096) are sorted, or searched by their bits
 * (segment_topk.cuh). For up to 16384 keys (8192) a block searches the k-th key (segment_pool.cuh)
 * and sorts the keys up to it. Still longer segments are cut into tiles of a block's size; one
 * block for each segment joins the first k keys of its tiles. Larger k: an argsort of the segments.
 * Memory moved: the keys once. Scratch: 16 bytes for each key of a tile that is kept; for larger k
 * the index and the scratch of the argsort. */
#include "cuda/runtime/cuda_dev.cuh"
#include "cuda/segments/segments.cuh"
#include "cuda/segments/select/segment_pool.cuh"
#include "cuda/segments/select/segment_topk.cuh"
#include "cuda/warp/first_where.cuh"

enum {
    TOPK_THREADS = 256
};

template <typename WORD> struct topk_shape {
    typedef pool<16, sizeof(WORD) == 8 ? 16 : 32, WORD> OF_BLOCK;
};

template <typename WORD> struct topk_kept { /* the first k keys of each tile */
    WORD     *codes;                        /* as order_each gives them */
    uint64_t *places;                       /* in the segment */
};

/* ---- Results ---- */

/* The first `count` results of a segment, one in each lane of a warp. */
template <typename WORD>
static DEVICE void topk_write_lanes(const segment_codes<WORD> &codes, const topk_wish &wish,
                                    uint64_t number, uint64_t start, unsigned count,
                                    const pool_record<WORD> &mine)
{
    bool const is_there =
        lane_id() < count &&
        (!wish.omits || codes.read(wish.keys, start + mine.place) <= codes.last_number());
    uint32_t const there = __ballot_sync(WARP_ALL, is_there);
    if (is_there)
        topk_write(codes, wish, number, start, lane_id(), mine.place);
    if (wish.found != NULL && lane_id() == 0)
        wish.found[number] = (uint64_t)__popc(there);
}

/* ---- Segments in the registers of a block ---- */

/* All segments of a fixed layout, or the segments of a list of more than `least` keys. */
template <typename POOL, int BLOCK>
static __global__ void __launch_bounds__(BLOCK)
    topk_pool_segments(const __grid_constant__ segment_codes<typename POOL::WORD> codes,
                       const __grid_constant__ segment_map                        map,
                       const __grid_constant__ topk_wish wish, pool_source const source,
                       uint64_t least)
{
    typedef typename POOL::WORD WORD;
    pool_each<POOL, BLOCK>(map, source, [&](POOL &mine, auto *shared, uint64_t i, segment here) {
        if (here.length <= least)
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
    __shared__ WORD                  best_codes[SEGMENT_TOPK_MOST];
    __shared__ uint64_t              best_places[SEGMENT_TOPK_MOST];
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
                (unsigned)(left < POOL::MOST - SEGMENT_TOPK_MOST ? left
                                                                 : POOL::MOST - SEGMENT_TOPK_MOST);
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
        if (wish.omits) /* NaNs are last */
            count = first_where((uint64_t)0, count, [&](uint64_t r) {
                uint64_t const at = here.start + place(here.start + r);
                return codes.read(wish.keys, at) > codes.last_number();
            });
        for (uint64_t r = lane_id(); r < count; r += WARP_LANES)
            topk_write(codes, wish, i, here.start, r, place(here.start + r));
        if (wish.found != NULL && lane_id() == 0)
            wish.found[i] = count;
    }
}

/* ---- The verb ---- */

static bool is_searched(const ordo_topk_job *job) { return job->k <= SEGMENT_TOPK_MOST; }

static uint64_t topk_block_most(ordo_type type)
{
    return cuda_type_size(type) == 8 ? topk_shape<uint64_t>::OF_BLOCK::MOST
                                     : topk_shape<uint32_t>::OF_BLOCK::MOST;
}

struct topk_work {
    segment_classes classes;
    void           *codes; /* of the kept keys */
    uint64_t       *places;
};

static topk_work topk_layout(cuda_scratch *scratch, const ordo_topk_job *job)
{
    topk_work      work;
    uint64_t const most = topk_block_most(job->type);
    work.classes = segment_classes_layout(scratch, job->segments, job->n,
                                          {{PLANES_UNLISTED, PLANES_OF_WARP, most}, most});
    size_t const kept = work.classes.most_tiles * job->k;
    work.codes = scratch_take<char>(scratch, kept * (cuda_type_size(job->type) == 8 ? 8 : 4));
    work.places = scratch_take<uint64_t>(scratch, kept);
    return work;
}

static topk_wish wish_of(const ordo_topk_job *job)
{
    topk_wish wish;
    wish.keys = job->keys;
    wish.k = job->k;
    wish.values = job->values;
    wish.index = job->index;
    wish.index_is_wide = job->index_type == ORDO_U64;
    wish.omits = job->omit;
    wish.found = (uint64_t *)job->found;
    return wish;
}

/* Segments of 17 to planes_most<WORD>() keys. */
template <typename WORD>
static ordo_status launch_planes(cuda_call *call, const segment_codes<WORD> &codes,
                                 const segment_classes &classes, const topk_wish &wish)
{
    const segment_map &map = classes.map;
    bool const         vectors = planes_are_vectors(map, wish.keys, codes.bytes);
    return planes_classes<WORD>(
        classes, WARP_SORT_ITEMS, [&](auto m, const planes_class &here) -> ordo_status {
            constexpr int M = decltype(m)::M;
            return CUDA_LAUNCH(call, (topk_plane_segments<WORD, M>),
                               planes_grid(call, map, here.source, M), planes_threads(M), 0, codes,
                               map, wish, here, vectors, lg_of(wish.k));
        });
}

/* Segments of up to 16 keys. */
template <typename WORD>
static ordo_status launch_short(cuda_call *call, const segment_codes<WORD> &codes,
                                const segment_map &map, const topk_wish &wish)
{
    size_t const grid = slots_grid(call, map, 0, sizeof(typename topk_record<WORD>::K));
    if (segments_are_dense(map) && wish.k > 0 && wish.k <= map.length && !wish.omits)
        return CUDA_LAUNCH(call, topk_dense_rows<WORD>, grid, SLOTS_THREADS, 0, codes, map, wish);
    return CUDA_LAUNCH(call, topk_slot_segments<WORD>, grid, SLOTS_THREADS, 0, codes, map, wish,
                       slots_chunk(map, 0));
}

template <typename WORD>
static ordo_status topk_classes(cuda_call *call, const segment_codes<WORD> &codes,
                                const topk_work &work, const topk_wish &wish)
{
    typedef typename topk_shape<WORD>::OF_BLOCK OF_BLOCK;
    const segment_classes                      &classes = work.classes;
    const segment_map                          &map = classes.map;
    bool const                                  is_fixed = map.offsets == NULL;
    uint64_t const                              longest = is_fixed ? map.length : map.n;
    uint64_t const                              shortest = is_fixed ? map.length : 0;
    topk_kept<WORD> const                       kept = {(WORD *)work.codes, work.places};
    if (shortest <= WARP_SORT_ITEMS)
        TRY(launch_short(call, codes, map, wish));
    TRY(launch_planes(call, codes, classes, wish));
    if (shortest <= OF_BLOCK::MOST && longest > planes_most<WORD>()) {
        pool_source const source = pool_source_of(classes, 1);
        TRY(CUDA_LAUNCH(call, (topk_pool_segments<OF_BLOCK, OF_BLOCK::THREADS>),
                        segment_grid(call, source.room, 1, 2048 / OF_BLOCK::THREADS),
                        OF_BLOCK::THREADS, 0, codes, map, wish, source, planes_most<WORD>()));
    }
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
    topk_wish const wish = wish_of(job);
    TRY(segment_classes_fill(call, work.classes));
    return with_segment_codes(job->type, job->descending, KEY_FOLDED,
                              [&](auto codes) { return topk_classes(call, codes, work, wish); });
}

static ordo_argsort_job argsort_of(cuda_scratch *scratch, const ordo_topk_job *job)
{
    ordo_argsort_job sort = {};
    sort.type = job->type;
    sort.keys = job->keys;
    sort.n = job->n;
    sort.descending = job->descending;
    sort.index_type = job->n > UINT32_MAX ? ORDO_U64 : ORDO_U32;
    sort.index = scratch_take<char>(scratch, job->n * cuda_type_size(sort.index_type));
    sort.segments = job->segments;
    return sort;
}

static ordo_status topk_sorted(cuda_call *call, const ordo_topk_job *job)
{
    ordo_argsort_job const sort = argsort_of(&call->scratch, job);
    topk_wish const        wish = wish_of(job);
    segment_map const      map = segment_map_of(job->segments, job->n);
    if (sort.n > 0)
        TRY(dev_segments_argsort(call, &sort));
    return with_segment_codes(job->type, job->descending, KEY_FOLDED, [&](auto codes) {
        return CUDA_LAUNCH(call, topk_from_index<decltype(codes.flip)>,
                           segment_grid(call, map.count * WARP_LANES, TOPK_THREADS, 8),
                           TOPK_THREADS, 0, codes, map, wish, (const void *)sort.index,
                           sort.index_type == ORDO_U64);
    });
}

size_t dev_segments_topk_scratch(const ordo_topk_job *job)
{
    if (is_searched(job))
        return scratch_of(topk_layout, job);
    cuda_scratch           counted = {};
    ordo_argsort_job const sort = argsort_of(&counted, job);
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
