/* dev_segments_select.cu - the keys at some positions of every segment, and quantiles.
 *
 * Up to 16 keys: one lane sorts the segment in registers. Up to 8192 (8-byte keys: 4096) lanes or a
 * block search among the bits of the keys (segment_planes.cuh), after a search by pivots in rows of
 * 65 to 1024 f32 (segment_pivots.cuh). Longer segments: from a bracket that a sample gives
 * (segment_bracket.cuh), or digit by digit (segment_digits.cuh). Rows of 2^22 or more keys: one
 * call of dev_select.cu each. More than SEGMENT_SELECT_MOST positions: a sorted copy. Memory moved:
 * the keys once for each target of a long segment, else once; digit by digit once for each 8 bits.
 * Scratch: 4 KB per long segment and a quarter of its keys; 8 bytes per row of f32; a copy. */
#include "cuda/segments/select/dev_segments_select.cuh"
#include "cuda/segments/select/segment_bracket.cuh"
#include "cuda/segments/segment_alone.cuh"
#include "cuda/segments/select/segment_pivots.cuh"
#include "cuda/segments/select/segment_planes.cuh"
#include "cuda/segments/segment_slots.cuh"
#include "cuda/select/dev_select.cuh"
#include "cuda/warp/first_where.cuh"

enum {
    SHORT_THREADS = 256,
    LANE_THREADS = 128
};

/* Blocks of a multiprocessor, which the registers of the lanes allow. */
static __host__ DEVICE constexpr int lane_resident(size_t size) { return size > 4 ? 6 : 8; }

static_assert((int)SEGMENT_SELECT_MOST <= (int)PIVOT_TARGETS, "targets of a search by pivots");

static constexpr size_t SELECT_ALONE = (size_t)1 << 22; /* keys of a row from which it gets a
                                                         * separate selection */

/* ---- Up to 16 keys ---- */

/* The two middle keys of the N keys of this lane, which it sorts in halves. */
template <typename WORD, int N> static DEVICE void lane_middle(WORD (&x)[N], WORD *low, WORD *high)
{
    lane_sort<1, N / 2>(x);
    lane_sort<1, N / 2>(x + N / 2);
    *low = 0;
    *high = (WORD) ~(WORD)0;
#pragma unroll
    for (int e = 0; e < N / 2; e++) {
        *low = max(*low, min(x[e], x[N - 1 - e]));
        *high = min(*high, max(x[e], x[N - 1 - e]));
    }
}

/* Writes the targets of a segment that one lane has sorted. */
template <typename WORD, int N>
static DEVICE void select_from_lane(const segment_codes<WORD> &codes,
                                    const segment_targets     &targets, const WORD (&x)[N],
                                    uint64_t number, unsigned length, bool writes,
                                    segment_target_memo &memo)
{
    unsigned numbers = length; /* keys that are not NaN */
    if (segment_counts_nans(targets, codes)) {
        numbers = 0;
#pragma unroll
        for (int e = 0; e < N; e++)
            numbers += x[e] <= codes.last_number();
    }
    segment_targets_settle(targets, codes, number, length, length - numbers, writes, memo,
                           [&](unsigned rank, bool wants_next, WORD *next) {
                               *next = sorted_item(x, wants_next ? rank + 1 : rank);
                               return sorted_item(x, rank);
                           });
}

/* The codes of a segment of at most N keys, one segment in each lane. Called by a whole warp. */
template <typename WORD, int N>
static DEVICE void lane_read(const segment_codes<WORD> &codes, const void *keys, uint64_t start,
                             unsigned length, WORD (&x)[N])
{
    constexpr int     V = 16 / sizeof(WORD);
    const WORD *const from = (const WORD *)keys + start;
    bool const        vectors = length == N && (uintptr_t)from % 16 == 0;
    if (codes.bytes == sizeof(WORD) && __all_sync(WARP_ALL, vectors)) {
        WORD raw[N];
#pragma unroll
        for (int v = 0; v < N / V; v++) {
            vector_16<WORD> vector;
            vector.all = ((const uint4 *)from)[v];
#pragma unroll
            for (int j = 0; j < V; j++)
                raw[v * V + j] = vector.key[j];
        }
        codes.encode_each(raw, x);
    } else {
        segment_read_items(
            codes, keys, [&](int e) { return start + (unsigned)e; },
            [&](int e) { return (unsigned)e < length; }, (WORD) ~(WORD)0, x);
    }
}

/* The segments of at most N keys. Each lane reads and sorts one; the cache joins the reads. */
template <typename WORD, int N>
static __global__ void __launch_bounds__(LANE_THREADS, lane_resident(sizeof(WORD)))
    select_lane_segments(const __grid_constant__ segment_codes<WORD> codes, const void *keys,
                         const __grid_constant__ segment_map     map,
                         const __grid_constant__ segment_targets targets)
{
    segment_target_memo memo = {};
    bool const          counts = segment_counts_nans(targets, codes);
    uint64_t const      threads = (uint64_t)gridDim.x * LANE_THREADS;
    uint64_t            i = (uint64_t)blockIdx.x * LANE_THREADS + threadIdx.x;
    for (uint64_t first = i - lane_id(); first < map.count; first += threads, i += threads) {
        segment const  here = i < map.count ? segment_at(map, i) : segment{0, 0};
        bool const     mine = i < map.count && here.length <= N;
        unsigned const length = mine ? (unsigned)here.length : 0;
        if (!__any_sync(WARP_ALL, mine))
            continue;
        WORD x[N];
        lane_read(codes, keys, here.start, length, x);
        if (targets.count == 1 && !counts && __all_sync(WARP_ALL, length == N)) {
            if (!memo.is_set || memo.n != N)
                memo = {N, 0, segment_target_of(targets, 0, N, 0), true};
            if (memo.target.place.below == N / 2 - 1 && memo.target.place.above == N / 2) {
                WORD low, high;
                lane_middle(x, &low, &high);
                segment_target_write(targets, codes, i, 0, memo.target, low, high);
                continue;
            }
        }
        lane_sort<1, N>(x);
        select_from_lane(codes, targets, x, i, length, mine, memo);
    }
}

/* ---- Up to 8192 keys ---- */

/* The segments of a class. */
template <typename WORD, int M>
static __global__ void __launch_bounds__(planes_threads(M), planes_resident(M))
    select_plane_segments(const __grid_constant__ segment_codes<WORD> codes, const void *keys,
                          const __grid_constant__ segment_map     map,
                          const __grid_constant__ segment_targets targets, planes_class const group,
                          bool vectors)
{
    typedef planes<WORD, M> PLANES;
    __shared__ uint32_t     totals[2 * PLANES::WARPS + 1];
    bool const              counts = segment_counts_nans(targets, codes);
    segment_target_memo     memo = {};
    planes_each<M>(map, group, [&](segment here, uint64_t number) {
        PLANES mine;
        mine.load(codes, keys, here, vectors, totals);
        unsigned const numbers = counts ? mine.count_to(codes, codes.last_number()) : mine.n;
        segment_targets_settle(targets, codes, number, mine.n, mine.n - numbers,
                               mine.lane == 0 && number < map.count, memo,
                               [&](unsigned rank, bool wants_next, WORD *next) {
                                   return mine.pick(codes, rank, wants_next, next);
                               });
    });
}

/* ---- The verb ---- */

struct segment_select_work {
    uint64_t       *k;
    pivot_left      left;
    segment_classes classes; /* the long segments; its lists also hold the others */
    digits_table    digits;
};

static bool has_alone_length(const ordo_select_job *job)
{
    return job->segments->offsets == NULL && job->segments->length >= SELECT_ALONE &&
           job->q == NULL && job->nans == ORDO_NANS_LAST;
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

static bool is_sorted_first(const ordo_select_job *job) { return job->count > SEGMENT_SELECT_MOST; }

static segment_select_work select_layout_of(cuda_scratch *scratch, const ordo_select_job *job)
{
    segment_select_work work = {};
    work.k = scratch_take<uint64_t>(scratch, job->count);
    work.left = pivot_left_layout(scratch, job->segments, job->type);
    work.classes = segment_classes_layout(scratch, job->segments, job->n,
                                          planes_limits(job->type, DIGITS_TILE));
    work.digits = bracket_layout(scratch, work.classes, cuda_type_size(job->type), job->count);
    return work;
}

/* Segments of up to 16 keys. */
template <typename WORD>
static ordo_status launch_sorted(cuda_call *call, const segment_codes<WORD> &codes,
                                 const void *keys, const segment_map &map,
                                 const segment_targets &targets)
{
    size_t const grid =
        segment_grid(call, map.count, LANE_THREADS, (size_t)lane_resident(sizeof(WORD)));
    return CUDA_LAUNCH(call, (select_lane_segments<WORD, WARP_SORT_ITEMS>), grid, LANE_THREADS, 0,
                       codes, keys, map, targets);
}

/* Segments of 17 to planes_most<WORD>() keys. Rows of f32 are searched by pivots first, which leave
 * a list of rows. */
template <typename WORD>
static ordo_status launch_searches(cuda_call *call, const segment_codes<WORD> &codes,
                                   const void *keys, const segment_select_work &work,
                                   const segment_targets &targets)
{
    const segment_map &map = work.classes.map;
    bool const         vectors = planes_are_vectors(map, keys, codes.bytes);
    pivot_left         left = {};
    if constexpr (sizeof(WORD) == 4)
        if (work.left.rows != NULL && vectors) {
            left = work.left;
            TRY(launch_pivots(call, codes, keys, map, targets, left));
        }
    return planes_classes<WORD>(
        work.classes, WARP_SORT_ITEMS, [&](auto m, planes_class here) -> ordo_status {
            constexpr int M = decltype(m)::M;
            if (left.rows != NULL)
                here.source = {left.rows, left.count, map.count};
            return CUDA_LAUNCH(call, (select_plane_segments<WORD, M>),
                               planes_grid(call, map, here.source, M), planes_threads(M), 0, codes,
                               keys, map, targets, here, vectors);
        });
}

template <typename WORD>
static ordo_status select_classes(cuda_call *call, const segment_codes<WORD> &codes,
                                  const void *keys, const segment_select_work &work,
                                  const segment_targets &targets, bool only_long)
{
    const segment_classes &classes = work.classes;
    const segment_map     &map = classes.map;
    bool const             is_fixed = map.offsets == NULL;
    uint64_t const         longest = is_fixed ? map.length : map.n;
    uint64_t const         shortest = is_fixed ? map.length : 0;
    if (shortest <= WARP_SORT_ITEMS && !only_long)
        TRY(launch_sorted(call, codes, keys, map, targets));
    if (!only_long)
        TRY(launch_searches(call, codes, keys, work, targets));
    if (longest <= planes_most<WORD>())
        return ORDO_OK;
    return select_long(call, codes, keys, classes, work.digits, targets);
}

/* The targets of a job, whose positions or levels go to device memory. */
static ordo_status put_targets(cuda_call *call, const ordo_select_job *job, uint64_t *k,
                               segment_targets *targets)
{
    ordo_select_job options = *job; /* positions and quantile levels both have 8 bytes */
    options.k = job->q != NULL ? (const size_t *)(const void *)job->q : job->k;
    *targets = {k, job->count, job->q != NULL, job->method, job->nans, job->out};
    return select_put_positions(call, &options, k);
}

static ordo_status select_all(cuda_call *call, const ordo_select_job *job, bool only_long)
{
    segment_select_work const work = select_layout_of(&call->scratch, job);
    segment_targets           targets;
    TRY(put_targets(call, job, work.k, &targets));
    TRY(segment_classes_fill(call, work.classes));
    return with_segment_codes(job->type, job->descending, KEY_TOTAL, [&](auto codes) {
        return select_classes(call, codes, job->keys, work, targets, only_long);
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
        if (segment_counts_nans(targets, codes)) /* NaNs are last */
            numbers = first_where((uint64_t)0, numbers, [&](uint64_t p) {
                return codes.read(sorted, here.start + p) > codes.last_number();
            });
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
    uint64_t     *k;
    ordo_sort_job sort;
};

static sorted_work sorted_layout(cuda_scratch *scratch, const ordo_select_job *job)
{
    sorted_work work = {};
    work.k = scratch_take<uint64_t>(scratch, job->count);
    work.sort.type = job->type;
    work.sort.source = job->keys;
    work.sort.keys = scratch_take<char>(scratch, job->n * cuda_type_size(job->type));
    work.sort.n = job->n;
    work.sort.descending = job->descending;
    work.sort.segments = job->segments;
    return work;
}

static ordo_status select_sorted(cuda_call *call, const ordo_select_job *job)
{
    sorted_work const work = sorted_layout(&call->scratch, job);
    segment_targets   targets;
    TRY(put_targets(call, job, work.k, &targets));
    if (job->n > 0)
        TRY(dev_segments_sort(call, &work.sort));
    return with_segment_codes(job->type, job->descending, KEY_TOTAL, [&](auto codes) {
        segment_map const map = segment_map_of(job->segments, job->n);
        return CUDA_LAUNCH(call, select_from_sorted<decltype(codes.flip)>,
                           segment_grid(call, map.count * WARP_LANES, SHORT_THREADS, 8),
                           SHORT_THREADS, 0, codes, (const void *)work.sort.keys, map, targets);
    });
}

/* ---- Long rows, one after the other ---- */

static ordo_status select_alone(cuda_call *call, const ordo_select_job *job)
{
    ordo_select_job any = *job;
    any.algorithm = ORDO_ALGORITHM_AUTO;
    return segments_each_alone(call, ordo_verb_select, &any, dev_select);
}

size_t dev_segments_select_scratch(const ordo_select_job *job)
{
    size_t alone = 0;
    if (has_alone_length(job)) {
        ordo_select_job one = segment_alone(ordo_verb_select, job, 0);
        one.algorithm = ORDO_ALGORITHM_AUTO;
        alone = dev_select_scratch(&one);
    }
    if (!is_sorted_first(job))
        return ordo_max(alone, scratch_of(select_layout_of, job));
    cuda_scratch      counted = {};
    sorted_work const work = sorted_layout(&counted, job);
    return ordo_max(alone, counted.used + (job->n > 0 ? dev_segments_sort_scratch(&work.sort) : 0));
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
    return is_sorted_first(job) ? select_sorted(call, job) : select_all(call, job, false);
}

ordo_status dev_segments_select_long(cuda_call *call, const ordo_select_job *job)
{
    return goes_alone(job) ? select_alone(call, job) : select_all(call, job, true);
}
