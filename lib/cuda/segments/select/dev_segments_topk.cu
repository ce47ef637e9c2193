/* dev_segments_topk.cu - the first k keys of every segment in order, with their indices.
 *
 * k up to 32: segments of up to 8192 keys (8-byte keys: 4096) are searched by their bits, or sorted
 * if they are short rows (segment_topk.cuh). Longer segments are cut into tiles of that size, whose
 * first k keys one block for each segment joins. Larger k: an argsort of the segments. Memory
 * moved: the keys once. Scratch: a key and 8 bytes for each key of a tile that is kept; for larger
 * k the index and the scratch of the argsort. */
#include "cuda/runtime/cuda_dev.cuh"
#include "cuda/segments/segments.cuh"
#include "cuda/segments/select/segment_topk.cuh"
#include "cuda/warp/first_where.cuh"

enum {
    TOPK_THREADS = 256
};

/* ---- Larger k: from an argsort ---- */

template <typename WORD>
static __global__ void __launch_bounds__(TOPK_THREADS)
    topk_from_index(const __grid_constant__ segment_codes<WORD> codes,
                    const __grid_constant__ segment_map         map,
                    const __grid_constant__ topk_options options, const void *index, bool is_wide)
{
    auto const place = [&](uint64_t at) -> uint64_t {
        return is_wide ? ((const uint64_t *)index)[at] : ((const uint32_t *)index)[at];
    };
    uint64_t const warps = (uint64_t)gridDim.x * (TOPK_THREADS / WARP_LANES);
    uint64_t       i = ((uint64_t)blockIdx.x * TOPK_THREADS + threadIdx.x) / WARP_LANES;
    for (; i < map.count; i += warps) {
        segment const here = segment_at(map, i);
        uint64_t      count = options.k < here.length ? options.k : here.length;
        if (options.omits) /* NaNs are last */
            count = first_where((uint64_t)0, count, [&](uint64_t r) {
                uint64_t const at = here.start + place(here.start + r);
                return codes.read(options.keys, at) > codes.last_number();
            });
        for (uint64_t r = lane_id(); r < count; r += WARP_LANES)
            topk_write(codes, options, i, here.start, r, place(here.start + r));
        if (options.found != NULL && lane_id() == 0)
            options.found[i] = count;
    }
}

/* ---- The verb ---- */

static bool is_searched(const ordo_topk_job *job) { return job->k <= SEGMENT_TOPK_MOST; }

struct topk_work {
    segment_classes classes;
    topk_kept       kept;
};

static topk_work topk_layout(cuda_scratch *scratch, const ordo_topk_job *job)
{
    topk_work work;
    work.classes = segment_classes_layout(scratch, job->segments, job->n, planes_limits(job->type));
    size_t const kept = work.classes.most_tiles * job->k;
    work.kept.keys = scratch_take<char>(scratch, kept * cuda_type_size(job->type));
    work.kept.places = scratch_take<uint64_t>(scratch, kept);
    return work;
}

static topk_options options_of(const ordo_topk_job *job)
{
    topk_options options = {};
    options.keys = job->keys;
    options.k = job->k;
    options.out = {job->values, job->index, job->index_type == ORDO_U64};
    options.omits = job->omit;
    options.found = (uint64_t *)job->found;
    return options;
}

/* Segments of 1 to planes_most<WORD>() keys. */
template <typename WORD>
static ordo_status launch_planes(cuda_call *call, const segment_codes<WORD> &codes,
                                 const segment_classes &classes, const topk_options &options)
{
    const segment_map &map = classes.map;
    bool const         vectors = planes_are_vectors(map, options.keys, codes.bytes);
    return planes_classes<WORD>(classes, 0, [&](auto m, const planes_class &here) -> ordo_status {
        constexpr int M = decltype(m)::M;
        return CUDA_LAUNCH(call, (topk_plane_segments<WORD, M>),
                           planes_grid(call, map, here.source, M), planes_threads(M), 0, codes, map,
                           options, here, vectors, lg_of(options.k));
    });
}

/* Segments of more than planes_most<WORD>() keys. */
template <typename WORD>
static ordo_status launch_tiles(cuda_call *call, const segment_codes<WORD> &codes,
                                const topk_work &work, const topk_options &options)
{
    constexpr int          M = planes_last<WORD>();
    const segment_classes &classes = work.classes;
    size_t const           slots = segment_slots_most(classes);
    topk_options           joined = options;
    joined.keys = work.kept.keys;
    joined.places = work.kept.places;
    TRY(CUDA_LAUNCH(call, topk_tiles<WORD>,
                    segment_grid(call, classes.most_tiles, 1, planes_resident(M)),
                    planes_threads(M), 0, codes, classes, options, work.kept,
                    planes_are_vectors(classes.map, options.keys, codes.bytes)));
    return CUDA_LAUNCH(call, topk_join<WORD>, segment_grid(call, slots, 1, planes_resident(M)),
                       planes_threads(M), 0, codes, classes, joined, work.kept, lg_of(options.k));
}

/* Whether all segments are rows for topk_dense_rows. */
static bool are_short_rows(const segment_map &map, const topk_options &options)
{
    return segments_are_dense(map) && map.length <= WARP_SORT_ITEMS && options.k > 0 &&
           options.k <= map.length && !options.omits;
}

template <typename WORD>
static ordo_status topk_classes(cuda_call *call, const segment_codes<WORD> &codes,
                                const topk_work &work, const topk_options &options)
{
    const segment_map &map = work.classes.map;
    uint64_t const     longest = map.offsets == NULL ? map.length : map.n;
    if (are_short_rows(map, options))
        return CUDA_LAUNCH(call, topk_dense_rows<WORD>,
                           slots_grid(call, map, 0, sizeof(typename records_indexed<WORD>::K)),
                           SLOTS_THREADS, 0, codes, map, options);
    if (options.found != NULL) /* segments without keys */
        CUDA_TRY(call->exec, cudaMemsetAsync(options.found, 0, map.count * sizeof *options.found,
                                             call->stream));
    TRY(launch_planes(call, codes, work.classes, options));
    return longest <= planes_most<WORD>() ? ORDO_OK : launch_tiles(call, codes, work, options);
}

static ordo_status topk_searched(cuda_call *call, const ordo_topk_job *job)
{
    topk_work const    work = topk_layout(&call->scratch, job);
    topk_options const options = options_of(job);
    TRY(segment_classes_fill(call, work.classes));
    return with_segment_codes(job->type, job->descending, KEY_FOLDED,
                              [&](auto codes) { return topk_classes(call, codes, work, options); });
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
    topk_options const     options = options_of(job);
    segment_map const      map = segment_map_of(job->segments, job->n);
    if (sort.n > 0)
        TRY(dev_segments_argsort(call, &sort));
    return with_segment_codes(job->type, job->descending, KEY_FOLDED, [&](auto codes) {
        return CUDA_LAUNCH(call, topk_from_index<decltype(codes.flip)>,
                           segment_grid(call, map.count * WARP_LANES, TOPK_THREADS, 8),
                           TOPK_THREADS, 0, codes, map, options, (const void *)sort.index,
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
