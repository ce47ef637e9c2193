/* dev_segment_select.cu - the keys at some positions of every segment, and quantiles.
 *
 * Up to 256 keys: a few lanes sort the segment in registers (warp_sort.cuh). Up to 1024 a warp, up
 * to 16384 (8-byte keys: 8192) a block holds the keys in registers and searches (segment_pool.cuh).
 * Longer ones digit by digit (segment_digits.cuh). Rows of 2^22 keys and more are selected from one
 * after the other (dev_select.cu). For more than SELECT_TARGETS_MOST positions a copy is sorted.
 * Memory moved: the keys once, up to 16384; longer segments once for each 8 bits of the key.
 * Scratch: 4 KB a long segment; the positions; rows of a layout with a step; the sorted copy. */
#include "cuda/segments/dev_segment.cuh"
#include "cuda/segments/segment_digits.cuh"
#include "cuda/segments/segment_keys.cuh"
#include "cuda/segments/segment_pool.cuh"
#include "cuda/select/dev_select.cuh"
#include "cuda/warp/warp_sort.cuh"

enum {
    SHORT_THREADS = 256,
    SELECT_TARGETS_MOST = 8
};

static constexpr size_t SELECT_ALONE = (size_t)1 << 22; /* keys of a row that is done by itself */

template <typename WORD> struct pool_shape {
    typedef pool<1, 32, WORD>                           OF_WARP;
    typedef pool<16, sizeof(WORD) == 8 ? 16 : 32, WORD> OF_BLOCK;
};

/* ---- Up to 256 keys ---- */

/* The keys of a segment in 2^M lanes, 16 in each. */
template <int M, typename WORD>
static DEVICE void load_sorted(const segment_codes<WORD> &codes, const void *keys, const segment &s,
                               WORD (&x)[WARP_SORT_ITEMS], WORD *memory)
{
    constexpr unsigned LANES = 1u << M;
    unsigned const     q = lane_id() % LANES;
    if constexpr (M == 0 && sizeof(WORD) == 4) {
        const uint32_t *const from = (const uint32_t *)keys + s.start;
        if (codes.bytes == 4 && (uintptr_t)from % 16 == 0 && s.length == WARP_SORT_ITEMS) {
#pragma unroll
            for (int e = 0; e < WARP_SORT_ITEMS; e += 4) {
                uint4 const raw = *(const uint4 *)(from + e);
                x[e] = codes.encode(raw.x);
                x[e + 1] = codes.encode(raw.y);
                x[e + 2] = codes.encode(raw.z);
                x[e + 3] = codes.encode(raw.w);
            }
            __syncwarp();
            warp_sort_parts<M>(x, memory);
            return;
        }
    }
#pragma unroll
    for (int e = 0; e < WARP_SORT_ITEMS; e++) {
        unsigned const j = e * LANES + q;
        x[e] = j < s.length ? codes.read(keys, s.start + j) : (WORD) ~(WORD)0;
    }
    warp_sort_parts<M>(x, memory);
}

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

/* Segments of more than `least` keys, or of any number if least is 0, and of at most 16 << M. */
template <typename WORD, int M>
static __global__ void __launch_bounds__(SHORT_THREADS)
    select_sorted_segments(const __grid_constant__ segment_codes<WORD> codes, const void *keys,
                           const __grid_constant__ segment_map     map,
                           const __grid_constant__ segment_targets targets, uint64_t least)
{
    constexpr unsigned WARPS = SHORT_THREADS / WARP_LANES, LANES = 1u << M;
    constexpr unsigned ROOM = M >= 3 ? sizeof(WORD) == 8 ? 584 : 592 : 16 / sizeof(WORD);
    __shared__ __align__(16) WORD memory[WARPS][ROOM];
    static_assert(M < 3 || warp_sort_at<WORD>(WARP_SORT_KEYS - 1) < (int)ROOM, "room of a warp");
    static_assert(ROOM * sizeof(WORD) % 16 == 0, "warps are aligned");
    unsigned const lane = lane_id(), each = WARP_LANES / LANES, warp_here = threadIdx.x / WARP_LANES;
    uint64_t const warps = (uint64_t)gridDim.x * WARPS;
    for (uint64_t first = ((uint64_t)blockIdx.x * WARPS + warp_here) * each; first < map.count;
         first += warps * each) {
        uint64_t const i = first + lane / LANES;
        segment        here = i < map.count ? segment_at(map, i) : segment{0, 0};
        bool const     mine = i < map.count && here.length <= (uint64_t)WARP_SORT_ITEMS * LANES &&
                          (least == 0 || here.length > least);
        WORD           x[WARP_SORT_ITEMS];
        if (!__any_sync(WARP_ALL, mine))
            continue;
        if (!mine)
            here.length = 0;
        load_sorted<M>(codes, keys, here, x, memory[warp_here]);
        unsigned numbers = 0; /* keys that are not NaN */
        if (segment_counts_nans(targets, codes)) {
#pragma unroll
            for (int e = 0; e < WARP_SORT_ITEMS; e++)
                numbers += x[e] <= codes.last_number();
            for (unsigned step = LANES / 2; step > 0; step /= 2)
                numbers += __shfl_xor_sync(WARP_ALL, numbers, step);
        } else {
            numbers = (unsigned)here.length;
        }
        segment_targets_settle(targets, codes, i, here.length, here.length - numbers,
                               mine && lane % LANES == 0,
                               [&](unsigned rank, bool wants_next, WORD *next) {
                                   *next = sorted_item<M>(x, wants_next ? rank + 1 : rank);
                                   return sorted_item<M>(x, rank);
                               });
    }
}

/* ---- Up to the registers of a block ---- */

/* All segments of a fixed layout, or the segments of a list. */
template <typename POOL, int BLOCK>
static __global__ void __launch_bounds__(BLOCK)
    select_pool_segments(const __grid_constant__ segment_codes<typename POOL::WORD> codes,
                         const void *keys, const __grid_constant__ segment_map map,
                         const __grid_constant__ segment_targets targets,
                         const uint64_t *list, const unsigned long long *listed, uint64_t room)
{
    typedef typename POOL::WORD         WORD;
    constexpr unsigned                  POOLS = BLOCK / POOL::THREADS;
    __shared__ typename POOL::SHARED    shared[POOLS];
    typename POOL::SHARED *const        s = &shared[threadIdx.x / POOL::THREADS];
    uint64_t const given = list == NULL ? map.count : *listed < room ? *listed : room;
    POOL           mine;
    mine.begin();
    for (uint64_t at = (uint64_t)blockIdx.x * POOLS + threadIdx.x / POOL::THREADS; at < given;
         at += (uint64_t)gridDim.x * POOLS) {
        uint64_t const i = list == NULL ? at : list[at];
        segment const  here = segment_at(map, i);
        mine.load(codes, keys, here.start, (unsigned)here.length);
        unsigned const numbers = segment_counts_nans(targets, codes)
                                     ? mine.count_to(s, codes.last_number())
                                     : mine.n;
        segment_targets_settle(targets, codes, i, mine.n, mine.n - numbers, mine.thread == 0,
                               [&](unsigned rank, bool wants_next, WORD *next) {
                                   return mine.pick(s, rank, wants_next, next);
                               });
    }
}

/* ---- The verb ---- */

struct segment_select_work {
    segment_input  input;
    uint64_t      *k;
    segment_lists  lists; /* with offsets */
    digits_work    digits;
    void          *sorted; /* a copy of the keys, or NULL */
};

static bool is_alone(const ordo_select_job *job)
{
    return job->segments->offsets == NULL && job->segments->length >= SELECT_ALONE &&
           job->q == NULL && job->nans == ORDO_NANS_LAST;
}

static bool is_sorted_first(const ordo_select_job *job)
{
    return job->count > SELECT_TARGETS_MOST;
}

static uint64_t block_most(ordo_type type)
{
    return cuda_type_size(type) == 8 ? pool_shape<uint64_t>::OF_BLOCK::MOST
                                     : pool_shape<uint32_t>::OF_BLOCK::MOST;
}

static segment_limits select_limits(ordo_type type)
{
    return {{16 * WARP_SORT_ITEMS, pool_shape<uint32_t>::OF_WARP::MOST, block_most(type)},
            DIGITS_TILE};
}

static segment_select_work select_work_layout(cuda_scratch *scratch, const ordo_select_job *job)
{
    segment_select_work work = {};
    segment_limits      limits = select_limits(job->type);
    work.input =
        segment_input_layout(scratch, job->segments, job->type, job->keys, job->n, false);
    work.k = scratch_take<uint64_t>(scratch, job->count);
    if (work.input.view.offsets != NULL)
        work.lists = segment_lists_layout(scratch, work.input.n, work.input.view.count, limits);
    work.digits = digits_layout(scratch, &work.input.view, work.input.n, work.lists, limits);
    return work;
}

/* A separate selection from row i. */
static ordo_select_job select_of(const ordo_select_job *job, size_t i)
{
    ordo_select_job one = *job;
    size_t const    size = cuda_type_size(job->type);
    one.segments = NULL;
    one.n = job->segments->length;
    if (job->keys != NULL)
        one.keys = (const char *)job->keys + ordo_segment_start(job->segments, i) * size;
    if (job->out != NULL)
        one.out = (char *)job->out + i * job->count * size;
    return one;
}
