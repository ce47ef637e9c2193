/* dev_rough_warp.cu - sorts an array of small radius in one read and one write, in place.
 *
 * A warp walks its own span of the array, 512 keys at a time, and sorts runs of 32 or more keys
 * (warp/warp_sort.cuh), at least twice the radius; then the runs that lie half a run further left,
 * each of which is the merge of two sorted halves. The half run that is left over is kept for the
 * next 512 keys, and what is in front of it is in order and is written, half a run behind what has
 * been read. So nothing is read twice, no scratch is needed, and warps wait for nobody. Where two
 * spans meet, rough_borders merges a radius on either side.
 *
 * Every step is a permutation of keys in place, whatever the radius; the ends of sorted runs tell
 * whether the result is in order. Bytes: n keys read, n written.
 *
 * Called by dev_rough.cu. */
#include "cuda/rough/dev_rough.cuh"
#include "cuda/rough/rough.cuh"

enum {
    ROUGH_WARPS = CUDA_TUNE_ROUGH_WARPS,
    ROUGH_LEVEL = 4 /* of the longest runs, 16 << 4 keys */
};

template <typename BITS, int M> struct rough_room { /* a warp's 512 keys, and half a run behind */
    static constexpr int HALF = 8 << M;
    static constexpr int COUNT = (warp_sort_at<BITS>(WARP_SORT_KEYS + HALF) + 7) / 8 * 8;
};

/* Loads the 512 keys from `at` on so that 2^M lanes have the keys of one run. */
template <typename CODE, int M>
static __device__ __forceinline__ void rough_load(const rough_view<CODE> &view, size_t at,
                                                  typename CODE::BITS *x)
{
    constexpr int  V = rough_view<CODE>::V;
    unsigned const lane = lane_id(), run = lane >> M, low = lane & ((1 << M) - 1);
#pragma unroll
    for (int i = 0; i < WARP_SORT_ITEMS; i += V)
        view.load(at + run * (16 << M) + ((i / V << M) + low) * V, x + i);
}

template <typename CODE, int M>
static __global__ void __launch_bounds__(ROUGH_WARPS * 32)
    rough_warps(rough_view<CODE> view, size_t span, unsigned *unsorted)
{
    typedef typename CODE::BITS BITS;
    typedef rough_room<BITS, M> ROOM;
    constexpr int               N = WARP_SORT_ITEMS, KEYS = WARP_SORT_KEYS;
    constexpr int               HALF = ROOM::HALF, RUN = 2 * HALF, V = rough_view<CODE>::V;
    constexpr int               KEPT = (HALF + 31) / 32; /* keys of the half run for a lane */
    __shared__ __align__(16) BITS rooms[ROUGH_WARPS * ROOM::COUNT];

    unsigned const lane = lane_id(), warp = threadIdx.x / 32;
    BITS *const    room = rooms + warp * ROOM::COUNT;
    size_t const   start = ((size_t)blockIdx.x * ROUGH_WARPS + warp) * span;
    if (start >= view.end)
        return;
    size_t const lo = max(start, view.pad), hi = min(start + span, view.end);
    BITS         last = 0;
    bool         broken = false;
    for (int i = lane; i < HALF; i += 32)
        room[warp_sort_at<BITS>(KEYS + i)] = 0;

    size_t at = start;
    for (; at < hi; at += KEYS) {
        BITS x[N], kept[KEPT];
        rough_load<CODE, M>(view, at, x);
        warp_sort_runs<M>(x, room);
        warp_put(room, x);
        __syncwarp();

        unsigned const run = lane >> M, low = lane & ((1 << M) - 1);
        const BITS    *left =
            room + warp_sort_at<BITS>(run == 0 ? KEYS + low : run * RUN - HALF + low);
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
        __syncwarp();

        if (lane < KEYS / RUN) {
            BITS const before = lane == 0 ? last : room[warp_sort_at<BITS>(lane * RUN - 1)];
            broken |= room[warp_sort_at<BITS>(lane * RUN)] < before;
        }
        last = room[warp_sort_at<BITS>(KEYS - 1)];
#pragma unroll
        for (int i = 0; i < N; i += V) {
            int const    place = i * 32 + lane * V;
            size_t const to = at + place;
            BITS         out[V];
            *(uint4 *)out = *(const uint4 *)(room + warp_sort_at<BITS>(place));
            if (to >= start + HALF)
                view.store(to - HALF, out, lo, hi);
        }
        __syncwarp();
    }
    if (lane == 0)
        broken |= room[warp_sort_at<BITS>(KEYS)] < last;
    for (int place = lane * V; place < HALF; place += 32 * V) {
        BITS out[V];
#pragma unroll
        for (int j = 0; j < V; j++)
            out[j] = room[warp_sort_at<BITS>(KEYS + place) + j];
        view.store(at - HALF + place, out, lo, hi);
    }
    if (broken)
        rough_raise(unsorted);
}

template <typename CODE, int M>
static ordo_status rough_run(cuda_call *call, const ordo_sort_job *job, CODE code, size_t radius,
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
    CUDA_LAUNCH(call, (rough_warps<CODE, M>), ordo_div_up(spans, ROUGH_WARPS), ROUGH_WARPS * 32, 0,
                view, span, unsorted);
    return rough_join(call, view, span, radius, unsorted);
}

size_t rough_warp_most(void) { return 8 << ROUGH_LEVEL; }

ordo_status rough_warp(cuda_call *call, const ordo_sort_job *job, size_t radius, unsigned *unsorted)
{
    return with_key_code(job->type, job->descending, KEY_TOTAL, [&](auto code) {
        if constexpr (sizeof(typename decltype(code)::BITS) >= 4) {
            if (radius <= 16)
                return rough_run<decltype(code), 1>(call, job, code, radius, unsorted);
            if (radius <= 64)
                return rough_run<decltype(code), 3>(call, job, code, radius, unsorted);
            return rough_run<decltype(code), ROUGH_LEVEL>(call, job, code, radius, unsorted);
        }
        return ORDO_E_UNSUPPORTED;
    });
}
