/* dev_segments_select.cu - the keys at some positions of every segment, and quantiles.
 *
 * Up to 256 keys: a few lanes sort the segment in registers (segment_slots.cuh). Up to 1024 a warp,
 * up to 16384 (8-byte keys: 8192) a block holds the keys in registers and searches
 * (segment_pool.cuh). Longer segments: digit by digit (segment_digits.cuh). Rows of 2^22 or more
 * keys: one call of dev_select.cu each. For more than SELECT_MOST positions a copy is sorted.
 * Memory moved: the keys once, up to 16384; longer segments once for each 8 bits of the key.
 * Scratch: 4 KB per long segment; the positions; rows of a layout with a step; the sorted copy. */
#include "cuda/runtime/cuda_dev.cuh"
#include "cuda/segments/segment_digits.cuh"
#include "cuda/segments/segments.cuh"
#include "cuda/segments/segment_pool.cuh"
#include "cuda/segments/segment_slots.cuh"
#include "cuda/select/dev_select.cuh"

enum {
    SHORT_THREADS = 256,
    SORTED_LG = 4,
    SORTED_MOST = WARP_SORT_ITEMS << SORTED_LG, /* keys of a segment that a few lanes sort */
    SELECT_MOST = 8                             /* positions that are searched */
};

static constexpr size_t SELECT_ALONE = (size_t)1 << 22; /* keys of a row from which it gets a
                                                         * separate selection */

template <typename WORD> struct pool_shape {
    typedef pool<1, 32, WORD>                           OF_WARP;
    typedef pool<16, sizeof(WORD) == 8 ? 16 : 32, WORD> OF_BLOCK;
};

/* ---- Up to 256 keys ---- */

/* The item `rank` of the sorted keys of this lane's group. */
template <int M, typename WORD>
static DEVICE WORD sorted_item(const WORD (&x)[WARP_SORT_ITEMS], unsigned rank)
{
    unsigned const first = lane_id() & ~((1u << M) - 1);
    WORD           mine = x[0];
#pragma unroll
    for (unsigned e = 1; e < WARP_SORT_ITEMS; e++)
        mine = rank % WARP_SORT_ITEMS == e ? x[e] : mine;
    return __shfl_sync(WARP_ALL, mine, first + rank / WARP_SORT_ITEMS % (1u << M));
}

/* Handles the segments of more than `least` and at most `most` keys. */
template <typename WORD, int M>
static __global__ void __launch_bounds__(SLOTS_THREADS, slots_resident(sizeof(WORD)))
    select_sorted_segments(const __grid_constant__ segment_codes<WORD> codes, const void *keys,
                           const __grid_constant__ segment_map     map,
                           const __grid_constant__ segment_targets targets, int64_t least,
                           uint64_t most, unsigned chunk)
{
    constexpr unsigned LANES = 1u << M;
    __shared__ slots_memory<WORD> memories[SLOTS_WARPS];
    slots_memory<WORD> *const     memory = &memories[threadIdx.x / WARP_LANES];
    slots_each<M>(memory, map, least, most, chunk, [&]() {
        slot_entry const here = memory->slots[lane_id() / LANES];
        unsigned         numbers = (unsigned)here.where.length; /* keys that are not NaN */
        WORD             x[WARP_SORT_ITEMS];
        (void)slots_sort<M>(
            memory, x,
            [&](auto &&at, auto &&is_there, auto &&) {
                segment_read_items(codes, keys, at, is_there, (WORD) ~(WORD)0, x);
            },
            [](WORD &, unsigned) {});
        if (segment_counts_nans(targets, codes)) {
            numbers = 0;
#pragma unroll
            for (int e = 0; e < WARP_SORT_ITEMS; e++)
                numbers += x[e] <= codes.last_number();
            for (unsigned step = LANES / 2; step > 0; step /= 2)
                numbers += __shfl_xor_sync(WARP_ALL, numbers, step);
        }
        segment_targets_settle(targets, codes, here.number, here.where.length,
                               here.where.length - numbers,
                               here.number < map.count && lane_id() % LANES == 0,
                               [&](unsigned rank, bool wants_next, WORD *next) {
                                   *next = sorted_item<M>(x, wants_next ? rank + 1 : rank);
                                   return sorted_item<M>(x, rank);
                               });
    });
}

/* ---- Up to the registers of a block ---- */

/* All segments of a fixed layout, or the segments of a list. */
template <typename POOL, int BLOCK>
static __global__ void __launch_bounds__(BLOCK)
    select_pool_segments(const __grid_constant__ segment_codes<typename POOL::WORD> codes,
                         const void *keys, const __grid_constant__ segment_map map,
                         const __grid_constant__ segment_targets targets, pool_source const source)
{
    typedef typename POOL::WORD WORD;
    pool_each<POOL, BLOCK>(map, source, [&](POOL &mine, auto *shared, uint64_t i, segment here) {
        mine.load(codes, keys, here.start, (unsigned)here.length);
        unsigned const numbers = segment_counts_nans(targets, codes)
                                     ? mine.count_to(shared, codes.last_number())
                                     : mine.n;
        segment_targets_settle(targets, codes, i, mine.n, mine.n - numbers, mine.thread == 0,
                               [&](unsigned rank, bool wants_next, WORD *next) {
                                   return mine.pick(shared, rank, wants_next, next);
                               });
    });
}

/* ---- The verb ---- */

struct segment_select_work {
    segment_input   input;
    uint64_t       *k;
    segment_classes classes; /* the long segments; its lists also hold the others */
    digits_table    digits;
};

static bool has_alone_length(const ordo_select_job *job)
{
    return job->segments->offsets == NULL && job->segments->step == 1 &&
           job->segments->length >= SELECT_ALONE && job->q == NULL && job->nans == ORDO_NANS_LAST;
}

/* dev_select needs ascending positions. */
static bool goes_alone(const ordo_select_job *job)
{
    if (!has_alone_length(job))
        return false;
    size_t j = 1;
    while (j < job->count && job->k[j - 1] < job->k[j])
        j++;
    return j >= job->count;
}

static bool is_sorted_first(const ordo_select_job *job) { return job->count > SELECT_MOST; }

static uint64_t block_most(ordo_type type)
{
    return cuda_type_size(type) == 8 ? pool_shape<uint64_t>::OF_BLOCK::MOST
                                     : pool_shape<uint32_t>::OF_BLOCK::MOST;
}

static segment_limits select_limits(ordo_type type)
{
    return {{SORTED_MOST, pool_shape<uint32_t>::OF_WARP::MOST, block_most(type)}, DIGITS_TILE};
}

static segment_select_work select_layout_of(cuda_scratch *scratch, const ordo_select_job *job)
{
    segment_select_work work = {};
    work.input = segment_input_layout(scratch, job->segments, job->type, job->keys, job->n, false);
    work.k = scratch_take<uint64_t>(scratch, job->count);
    work.classes =
        segment_classes_layout(scratch, &work.input.view, work.input.n, select_limits(job->type));
    work.digits = digits_layout(scratch, work.classes);
    return work;
}

template <typename WORD, int M>
static ordo_status launch_sorted(cuda_call *call, const segment_codes<WORD> &codes,
                                 const void *keys, const segment_map &map,
                                 const segment_targets &targets, int64_t least, uint64_t most)
{
    unsigned const chunk = slots_chunk(map, M);
    return CUDA_LAUNCH(call, (select_sorted_segments<WORD, M>),
                       slots_grid(call, map, M, sizeof(WORD)), SLOTS_THREADS, 0, codes, keys, map,
                       targets, least, most, chunk);
}

/* A list of segments, or all of them if the layout is fixed. */
template <typename POOL, int BLOCK>
static ordo_status launch_pool(cuda_call *call, const segment_codes<typename POOL::WORD> &codes,
                               const void *keys, const segment_classes &classes,
                               const segment_targets &targets, int list)
{
    pool_source const source = pool_source_of(classes, list);
    size_t const      blocks = segment_grid(call, source.room * POOL::THREADS, BLOCK, 2048 / BLOCK);
    return CUDA_LAUNCH(call, (select_pool_segments<POOL, BLOCK>), blocks, BLOCK, 0, codes, keys,
                       classes.map, targets, source);
}

template <typename WORD>
static ordo_status select_classes(cuda_call *call, const segment_codes<WORD> &codes,
                                  const segment_select_work &work, const segment_targets &targets)
{
    typedef pool_shape<WORD> SHAPE;
    const segment_classes   &classes = work.classes;
    const segment_map       &map = classes.map;
    const void *const        keys = work.input.keys;
    bool const               is_fixed = map.offsets == NULL;
    uint64_t const           longest = is_fixed ? map.length : map.n;
    uint64_t const           shortest = is_fixed ? map.length : 0;
    TRY(slots_classes<SORTED_LG>(shortest, longest, -1, [&](auto m, int64_t least, uint64_t most) {
        return launch_sorted<WORD, decltype(m)::M>(call, codes, keys, map, targets, least, most);
    }));
    if (shortest <= SHAPE::OF_WARP::MOST && longest > SORTED_MOST)
        TRY((launch_pool<typename SHAPE::OF_WARP, SHORT_THREADS>(call, codes, keys, classes,
                                                                 targets, 0)));
    if (shortest <= SHAPE::OF_BLOCK::MOST && longest > SHAPE::OF_WARP::MOST)
        TRY((launch_pool<typename SHAPE::OF_BLOCK, SHAPE::OF_BLOCK::THREADS>(call, codes, keys,
                                                                             classes, targets, 1)));
    if (longest <= SHAPE::OF_BLOCK::MOST)
        return ORDO_OK;
    return digits_select(call, codes, keys, classes, work.digits, targets);
}

static ordo_status select_all(cuda_call *call, const ordo_select_job *job)
{
    segment_select_work const work = select_layout_of(&call->scratch, job);
    segment_targets           targets = {};
    ordo_select_job           wish = *job; /* positions and quantile levels both have 8 bytes */
    wish.k = job->q != NULL ? (const size_t *)(const void *)job->q : job->k;
    targets.k = work.k;
    targets.count = job->count;
    targets.is_quantile = job->q != NULL;
    targets.is_median = job->is_median;
    targets.method = job->method;
    targets.nans = job->nans;
    targets.out = job->out;
    TRY(select_put_positions(call, &wish, work.k));
    TRY(segment_input_fill(call, work.input, job->segments));
    TRY(segment_classes_fill(call, work.classes));
    return with_segment_codes(job->type, job->descending, KEY_TOTAL, [&](auto codes) {
        return select_classes(call, codes, work, targets);
    });
}

/* ---- Many positions: from a sorted copy ---- */

template <typename WORD>
static __global__ void __launch_bounds__(SHORT_THREADS)
    select_from_sorted(const __grid_constant__ segment_codes<WORD> codes, const void *sorted,
                       const __grid_constant__ segment_map     map,
                       const __grid_constant__ segment_targets targets)
{
    uint64_t const warps = (uint64_t)gridDim.x * (SHORT_THREADS / WARP_LANES);
    uint64_t       i = ((uint64_t)blockIdx.x * SHORT_THREADS + threadIdx.x) / WARP_LANES;
    for (; i < map.count; i += warps) {
        segment const here = segment_at(map, i);
        uint64_t      numbers = here.length;
        if (segment_counts_nans(targets, codes)) { /* NaNs are last */
            uint64_t lo = 0;
            while (lo < numbers) {
                uint64_t const middle = lo + (numbers - lo) / 2;
                if (codes.read(sorted, here.start + middle) <= codes.last_number())
                    lo = middle + 1;
                else
                    numbers = middle;
            }
        }
        for (uint64_t j = lane_id(); j < targets.count; j += WARP_LANES) {
            segment_target const target =
                segment_target_of(targets, j, here.length, here.length - numbers);
            bool const has_key = !target.is_nan && !target.is_absent;
            WORD const below =
                has_key ? codes.read(sorted, here.start + target.place.below) : (WORD)0;
            WORD const above =
                has_key ? codes.read(sorted, here.start + target.place.above) : (WORD)0;
            segment_target_write(targets, codes, i, j, target, below, above);
        }
    }
}

struct sorted_work {
    segment_input input;
    uint64_t     *k;
    void         *sorted;
};

/* Segments that share elements, and segments with a step, are rows already. */
static sorted_work sorted_layout(cuda_scratch *scratch, const ordo_select_job *job)
{
    sorted_work work;
    work.input = segment_input_layout(scratch, job->segments, job->type, job->keys, job->n, true);
    work.k = scratch_take<uint64_t>(scratch, job->count);
    work.sorted = work.input.copies ? work.input.rows
                                    : scratch_take<char>(scratch, work.input.n * work.input.size);
    return work;
}

static ordo_sort_job sort_of(const ordo_select_job *job, const sorted_work &work)
{
    ordo_sort_job sort = {};
    sort.type = job->type;
    sort.keys = work.sorted;
    sort.n = work.input.n;
    sort.descending = job->descending;
    sort.segments = &work.input.view;
    return sort;
}

static ordo_status select_sorted(cuda_call *call, const ordo_select_job *job)
{
    sorted_work const   work = sorted_layout(&call->scratch, job);
    ordo_sort_job const sort = sort_of(job, work);
    ordo_select_job     wish = *job;
    segment_targets     targets = {work.k,      job->count, job->q != NULL, job->is_median,
                                   job->method, job->nans,  job->out};
    wish.k = job->q != NULL ? (const size_t *)(const void *)job->q : job->k;
    TRY(select_put_positions(call, &wish, work.k));
    TRY(segment_input_fill(call, work.input, job->segments));
    if (!work.input.copies && work.input.n > 0)
        CUDA_TRY(call->exec, cudaMemcpyAsync(work.sorted, job->keys, work.input.n * work.input.size,
                                             cudaMemcpyDeviceToDevice, call->stream));
    if (work.input.n > 0)
        TRY(dev_segments_sort(call, &sort));
    return with_segment_codes(job->type, job->descending, KEY_TOTAL, [&](auto codes) {
        segment_map const map = segment_map_of(&work.input.view, work.input.n);
        return CUDA_LAUNCH(call, select_from_sorted<decltype(codes.flip)>,
                           segment_grid(call, map.count * WARP_LANES, SHORT_THREADS, 8),
                           SHORT_THREADS, 0, codes, (const void *)work.sorted, map, targets);
    });
}

/* ---- Long rows, one after the other ---- */

/* The job of a separate selection from row i. */
static ordo_select_job select_of(const ordo_select_job *job, size_t i)
{
    ordo_select_job one = *job;
    size_t const    size = cuda_type_size(job->type);
    one.segments = NULL;
    one.n = job->segments->length;
    one.algorithm = ORDO_ALGORITHM_AUTO;
    if (job->keys != NULL)
        one.keys = (const char *)job->keys + ordo_segment_start(job->segments, i) * size;
    if (job->out != NULL)
        one.out = (char *)job->out + i * job->count * size;
    return one;
}

static ordo_status select_alone(cuda_call *call, const ordo_select_job *job)
{
    size_t const used = call->scratch.used;
    for (size_t i = 0; i < job->segments->count; i++) {
        ordo_select_job const one = select_of(job, i);
        TRY(dev_select(call, &one));
        call->scratch.used = used; /* the next selection runs later on the stream, so it can reuse
                                    * the scratch */
    }
    return ORDO_OK;
}

size_t dev_segments_select_scratch(const ordo_select_job *job)
{
    size_t alone = 0;
    if (has_alone_length(job)) {
        ordo_select_job const one = select_of(job, 0);
        alone = dev_select_scratch(&one);
    }
    if (!is_sorted_first(job))
        return ordo_max(alone, scratch_of(select_layout_of, job));
    cuda_scratch        counted = {};
    sorted_work const   work = sorted_layout(&counted, job);
    ordo_sort_job const sort = sort_of(job, work);
    return ordo_max(alone, counted.used + (sort.n > 0 ? dev_segments_sort_scratch(&sort) : 0));
}

ordo_status dev_segments_select(cuda_call *call, const ordo_select_job *job)
{
    if (job->algorithm != ORDO_ALGORITHM_AUTO && job->algorithm != ORDO_ALGORITHM_RADIX)
        return ordo_fail(call->exec, ORDO_E_UNSUPPORTED,
                         "a GPU selects from segments only by the algorithms auto and radix");
    call->exec->algorithm = "segments";
    if (job->count == 0 || job->segments->count == 0)
        return ORDO_OK;
    if (goes_alone(job))
        return select_alone(call, job);
    return is_sorted_first(job) ? select_sorted(call, job) : select_all(call, job);
}
