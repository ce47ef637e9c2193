/* dev_rough_warp.cu - sorts an array of small radius in one read and one write, in place.
 *
 * A warp goes through its span 512 keys at a time. It sorts windows of at least twice the radius
 * (warp_sort.cuh), then windows shifted left by half a window, each of which is a merge of two
 * sorted halves. The last half window is kept for the next 512 keys; the keys before it are in
 * order and are written. No key is read twice, no scratch is needed, and warps do not wait for each
 * other. rough_borders merges where two spans meet. Every step permutes keys in place for any
 * radius; comparisons at the ends of the sorted windows show whether the result is in order. */
#include "cuda/rough/dev_rough.cuh"
#include "cuda/rough/rough.cuh"

enum {
    ROUGH_WARPS = 4, /* of a block; 8 take the same time */
    ROUGH_LEVEL = 4  /* level of the largest windows: 16 << 4 keys */
};

template <typename BITS, int M>
struct rough_room { /* shared memory of a warp: 512 keys, then half a window */
    static constexpr int HALF = 8 << M, PART = 2 * HALF; /* keys of half a window and of a window */
    static constexpr int COUNT = (warp_sort_at<BITS>(WARP_SORT_KEYS + HALF) + 7) / 8 * 8;
};

/* Loads the 512 keys from `at` on; 2^M lanes get the keys of one window. */
template <typename CODE, int M>
static DEVICE void rough_load(const rough_view<CODE> &view, size_t at, typename CODE::BITS *x)
{
    constexpr int  V = rough_view<CODE>::V;
    unsigned const lane = lane_id(), part = lane >> M, low = lane & ((1 << M) - 1);
#pragma unroll
    for (int i = 0; i < WARP_SORT_ITEMS; i += V)
        view.load(at + part * (16 << M) + ((i / V << M) + low) * V, x + i);
}

/* Sorts windows shifted left by half a window, the first of which starts with the half window kept
 * from the 512 keys before, and keeps the last half window. Called by a warp after a barrier. */
template <int M, typename BITS> static DEVICE void rough_sort_shifted(BITS *room, BITS *x)
{
    typedef rough_room<BITS, M> ROOM;
    constexpr int               N = WARP_SORT_ITEMS, KEYS = WARP_SORT_KEYS, HALF = ROOM::HALF;
    constexpr int               KEPT = (HALF + 31) / 32; /* keys per lane of the kept half window */
    BITS                        kept[KEPT];
    unsigned const              lane = lane_id(), part = lane >> M, low = lane & ((1 << M) - 1);
    const BITS                 *left =
        room + warp_sort_at<BITS>(part == 0 ? KEYS + low : part * ROOM::PART - HALF + low);
    const BITS *right = room + warp_dealt_turned<M, BITS>();
#pragma unroll
    for (int i = 0; i < N / 2; i++)
        x[i] = left[warp_sort_at<BITS>(i << M)];
#pragma unroll
    for (int i = N / 2; i < N; i++)
        x[i] = right[warp_sort_at<BITS>((N - 1 - i) << M)];
#pragma unroll
    for (int i = 0; i < KEPT; i++)
        kept[i] = room[warp_sort_at<BITS>(KEYS - HALF + (i * 32 + lane) % HALF)];
    __syncwarp();
#pragma unroll
    for (int i = 0; i < KEPT; i++)
        if (i * 32 + lane < HALF)
            room[warp_sort_at<BITS>(KEYS + i * 32 + lane)] = kept[i];
    lane_clean<N / 2>(x);
    warp_merge_end<M>(x, room);
    warp_put(room, x);
}

/* Writes 512 keys of the room, half a window before place `at`, as far as they are in the span,
 * which begins at `start`, and in [lo, hi). */
template <int M, typename CODE, typename BITS = typename CODE::BITS>
static DEVICE void rough_write(const rough_view<CODE> &view, const BITS *room, size_t start,
                               size_t at, size_t lo, size_t hi)
{
    constexpr int HALF = rough_room<BITS, M>::HALF, V = rough_view<CODE>::V;
#pragma unroll
    for (int i = 0; i < WARP_SORT_ITEMS; i += V) {
        int const    place = i * 32 + lane_id() * V;
        size_t const to = at + place;
        BITS         out[V];
        *(uint4 *)out = *(const uint4 *)(room + warp_sort_at<BITS>(place));
        if (to >= start + HALF)
            view.store(to - HALF, out, lo, hi);
    }
}

/* Writes the kept half window, which ends the span at `at`. */
template <int M, typename CODE, typename BITS = typename CODE::BITS>
static DEVICE void rough_write_kept(const rough_view<CODE> &view, const BITS *room, size_t at,
                                    size_t lo, size_t hi)
{
    constexpr int HALF = rough_room<BITS, M>::HALF, V = rough_view<CODE>::V;
    for (int place = lane_id() * V; place < HALF; place += 32 * V) {
        BITS out[V];
#pragma unroll
        for (int j = 0; j < V; j++)
            out[j] = room[warp_sort_at<BITS>(WARP_SORT_KEYS + place) + j];
        view.store(at - HALF + place, out, lo, hi);
    }
}

template <typename CODE, int M, typename BITS = typename CODE::BITS>
static __global__ void __launch_bounds__(ROUGH_WARPS * 32)
    rough_warps(rough_view<CODE> view, size_t span, unsigned *unsorted)
{
    typedef rough_room<BITS, M> ROOM;
    constexpr int               KEYS = WARP_SORT_KEYS, PART = ROOM::PART;
    __shared__ __align__(16) BITS rooms[ROUGH_WARPS * ROOM::COUNT];

    unsigned const lane = lane_id(), warp = threadIdx.x / 32;
    BITS *const    room = rooms + warp * ROOM::COUNT;
    size_t const   start = ((size_t)blockIdx.x * ROUGH_WARPS + warp) * span;
    if (start >= view.end)
        return;
    size_t const lo = max(start, view.pad), hi = min(start + span, view.end);
    BITS         last = 0;
    bool         broken = false;
    for (int i = lane; i < ROOM::HALF; i += 32)
        room[warp_sort_at<BITS>(KEYS + i)] = 0;

    size_t at = start;
    for (; at < hi; at += KEYS) {
        BITS x[WARP_SORT_ITEMS];
        rough_load<CODE, M>(view, at, x);
        warp_sort_parts<M>(x, room);
        warp_put(room, x);
        __syncwarp();
        rough_sort_shifted<M>(room, x);
        __syncwarp();
        if (lane < KEYS / PART) {
            BITS const before = lane == 0 ? last : room[warp_sort_at<BITS>(lane * PART - 1)];
            broken |= room[warp_sort_at<BITS>(lane * PART)] < before;
        }
        last = room[warp_sort_at<BITS>(KEYS - 1)];
        rough_write<M>(view, room, start, at, lo, hi);
        __syncwarp();
    }
    if (lane == 0)
        broken |= room[warp_sort_at<BITS>(KEYS)] < last;
    rough_write_kept<M>(view, room, at, lo, hi);
    if (broken)
        rough_raise(unsorted);
}

template <typename CODE, int M>
static ordo_status rough_launch(cuda_call *call, const ordo_sort_job *job, CODE code, size_t radius,
                                unsigned *unsorted)
{
    rough_view<CODE> const view = rough_view_of(job, code);
    int                    resident = 0;
    CUDA_TRY(call->exec, cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                             &resident, rough_warps<CODE, M>, ROUGH_WARPS * 32, 0));
    size_t const warps = (size_t)call->facts->sms * ordo_max(resident, 1) * ROUGH_WARPS;
    size_t const steps = ordo_div_up(view.end, WARP_SORT_KEYS);
    size_t const span = WARP_SORT_KEYS * ordo_div_up(steps, warps);
    size_t const spans = ordo_div_up(view.end, span);
    TRY(CUDA_LAUNCH(call, (rough_warps<CODE, M>), ordo_div_up(spans, ROUGH_WARPS), ROUGH_WARPS * 32,
                    0, view, span, unsorted));
    return rough_join(call, view, span, radius, unsorted);
}

size_t rough_warp_most(ordo_type type)
{
    return cuda_type_size(type) == 8 ? CUDA_TUNE_ROUGH_WARP_8 : 8 << ROUGH_LEVEL;
}

ordo_status rough_warp(cuda_call *call, const ordo_sort_job *job, size_t radius, unsigned *unsorted)
{
    return with_key_width(job->type, job->descending, [&](auto code) {
        typedef decltype(code) CODE;
        if (radius <= 16)
            return rough_launch<CODE, 1>(call, job, code, radius, unsorted);
        if (radius <= 64)
            return rough_launch<CODE, 3>(call, job, code, radius, unsorted);
        return rough_launch<CODE, ROUGH_LEVEL>(call, job, code, radius, unsorted);
    });
}
