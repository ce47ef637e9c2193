/* dev_rough_block.cu - sorts an array of medium radius in one read and one write, in place.
 *
 * A block walks its span tile by tile. It sorts a tile (by buckets of equal width, or, if buckets
 * overflow, sequences of 256 keys by warps, then merges) and merges it with the `reach` largest
 * keys read before; reach is the radius, rounded up. The smallest keys are then in order and are
 * written, reach places behind the keys read; the largest stay. After T. Altman and B. Chlebus,
 * "Sorting roughly sorted sequences in parallel" (1990), with a sliding window instead of two rows
 * of windows. rough_borders merges where two spans meet. n keys read, n written. */
#include "cuda/block/block_window.cuh"
#include "cuda/rough/dev_rough.cuh"
#include "cuda/rough/rough.cuh"

enum {
    ROUGH_RUN = 256, /* keys that half a warp sorts */
    ROUGH_SMALL = CUDA_TUNE_ROUGH_SMALL,
    ROUGH_LARGE = CUDA_TUNE_ROUGH_LARGE
};

template <typename BITS, int THREADS> struct rough_tile {
    static constexpr int KEYS = THREADS * WINDOW_ITEMS;
    /* Shared memory: the kept keys, then the tile. While warps sort parts of the tile, each has its
     * own part of the memory. */
    static constexpr int ROOM = (warp_sort_at<BITS>(WARP_SORT_KEYS) + 7) / 8 * 8;
    static size_t        bytes(int reach)
    {
        int const tile = window_at<BITS>(KEYS), rooms = THREADS / 32 * ROOM;
        return (window_at<BITS>(reach) + (tile > rooms ? tile : rooms) + 8) * sizeof(BITS);
    }
};

template <typename CODE, int THREADS>
static __device__ __forceinline__ void rough_load(const rough_view<CODE> &view, size_t at,
                                                  typename CODE::BITS *x)
{
    constexpr int  V = rough_view<CODE>::V;
    unsigned const lane = lane_id(), half = threadIdx.x / 16; /* memory of a warp */
#pragma unroll
    for (int i = 0; i < WINDOW_ITEMS; i += V)
        view.load(at + half * ROUGH_RUN + i * 16 + lane % 16 * V, x + i);
}

/* Leaves the keys of all threads, sorted and reversed, in the tile after `reach` places. */
template <typename BITS, int THREADS>
static __device__ __forceinline__ void rough_merge(BITS *memory, int reach, BITS *x)
{
    typedef rough_tile<BITS, THREADS> TILE;
    BITS *const rooms = memory + (window_at<BITS>(reach) + 7) / 8 * 8; /* whole vectors */
    int const   mine = threadIdx.x * WINDOW_ITEMS, run = mine & ~(ROUGH_RUN - 1);
    bool const  turned = mine & ROUGH_RUN;
    warp_sort_runs<4>(x, rooms + threadIdx.x / 32 * TILE::ROOM);
    __syncthreads();
    window_put(memory, reach + run + (turned ? run + ROUGH_RUN - WINDOW_ITEMS - mine : mine - run),
               turned, x);
    __syncthreads();
    window_merge_runs(memory, reach, TILE::KEYS, ROUGH_RUN);
}

/* The 16 keys from `at` on of the merge of the kept keys, [0, reach), and the tile. After the last
 * kept key they are the tile's. */
template <typename BITS>
static __device__ __forceinline__ void rough_take(const BITS *memory, int reach, int keys, int at,
                                                  BITS *x)
{
    if (at >= reach) {
        const BITS *const own =
            memory + window_at<BITS>(reach + keys - WINDOW_ITEMS - (at - reach));
        if (memory[window_at<BITS>(reach - 1)] <= own[WINDOW_ITEMS - 1]) {
#pragma unroll
            for (int i = 0; i < WINDOW_ITEMS; i++)
                x[i] = own[WINDOW_ITEMS - 1 - i];
            return;
        }
    }
    window_merge(memory, 0, reach, reach + keys, at, x);
}

template <typename CODE, int THREADS, typename BITS = typename CODE::BITS>
static __global__ void __launch_bounds__(THREADS,
                                         CUDA_TUNE_ROUGH_BYTES / (THREADS * (int)sizeof(BITS)))
    rough_blocks(rough_view<CODE> view, size_t span, int reach, unsigned *unsorted)
{
    typedef rough_tile<BITS, THREADS> TILE;
    constexpr int                     KEYS = TILE::KEYS, V = rough_view<CODE>::V;
    extern __shared__ uint4           rough_memory[];
    __shared__ bucket_shared<BITS, THREADS> shared;
    BITS *const                             memory = (BITS *)rough_memory;
    int const                               mine = threadIdx.x * WINDOW_ITEMS;
    size_t const                            start = blockIdx.x * span;
    size_t const lo = max(start, view.pad), hi = min(start + span, view.end);
    bool         broken = false;
    BITS         x[WINDOW_ITEMS], last = 0;

    for (int i = threadIdx.x; i < reach; i += THREADS)
        memory[window_at<BITS>(i)] = 0;
    rough_load<CODE, THREADS>(view, start, x);
    size_t at = start;
    for (; at < hi; at += KEYS) {
        if (!bucket_sort<BITS, THREADS>(&shared, memory, reach, x))
            rough_merge<BITS, THREADS>(memory, reach, x);

        BITS kept[WINDOW_ITEMS];
        rough_take(memory, reach, KEYS, mine, x);
        if (mine < reach)
            rough_take(memory, reach, KEYS, KEYS + mine, kept);
        __syncthreads();
        if (mine < reach)
            window_put(memory, mine, false, kept);
        window_put(memory, reach + mine, false, x);
        __syncthreads();
        if (at + KEYS < hi)
            rough_load<CODE, THREADS>(view, at + KEYS, x);

        broken |= memory[window_at<BITS>(reach)] < last;
        last = memory[window_at<BITS>(reach + KEYS - 1)];
#pragma unroll 4
        for (int place = threadIdx.x * V; place < KEYS; place += THREADS * V) {
            BITS out[V];
#pragma unroll
            for (int j = 0; j < V; j++)
                out[j] = memory[window_at<BITS>(reach + place) + j];
            if (at + place >= start + reach)
                view.store(at + place - reach, out, lo, hi);
        }
        __syncthreads();
    }
    for (int place = threadIdx.x * V; place < reach; place += THREADS * V) {
        BITS out[V];
#pragma unroll
        for (int j = 0; j < V; j++)
            out[j] = memory[window_at<BITS>(place) + j];
        if (at + place >= start + reach)
            view.store(at + place - reach, out, lo, hi);
    }
    if (broken && threadIdx.x == 0)
        rough_raise(unsorted);
}

template <typename CODE, int THREADS>
static ordo_status rough_run(cuda_call *call, const ordo_sort_job *job, CODE code, size_t radius,
                             unsigned *unsorted)
{
    typedef rough_tile<typename CODE::BITS, THREADS> TILE;
    rough_view<CODE> const                           view = rough_view_of(job, code);
    int const                                        reach = (int)ordo_round_up(radius, 256);
    size_t const                                     bytes = TILE::bytes(reach);
    int                                              resident = 0;
    CUDA_TRY(call->exec,
             cudaFuncSetAttribute(rough_blocks<CODE, THREADS>,
                                  cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    CUDA_TRY(call->exec, cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                             &resident, rough_blocks<CODE, THREADS>, THREADS, bytes));
    size_t const blocks = (size_t)call->facts->sms * ordo_max(1, (size_t)resident);
    size_t const steps = ordo_div_up(ordo_div_up(view.end, TILE::KEYS), blocks);
    size_t const span = TILE::KEYS * ordo_max(steps, ordo_div_up(4 * (size_t)reach, TILE::KEYS));
    CUDA_LAUNCH(call, (rough_blocks<CODE, THREADS>), ordo_div_up(view.end, span), THREADS, bytes,
                view, span, reach, unsorted);
    return rough_join(call, view, span, radius, unsorted);
}

/* The size of the larger tile if the device has enough shared memory for it, else of the
 * smaller. */
size_t rough_block_most(const cuda_call *call, ordo_type type)
{
    size_t const most = ROUGH_LARGE * WINDOW_ITEMS;
    size_t const bytes = cuda_type_size(type) == 8
                             ? rough_tile<uint64_t, ROUGH_LARGE>::bytes((int)most)
                             : rough_tile<uint32_t, ROUGH_LARGE>::bytes((int)most);
    return bytes + 1024 <= call->facts->shared_bytes ? most : ROUGH_SMALL * WINDOW_ITEMS;
}

ordo_status rough_block(cuda_call *call, const ordo_sort_job *job, size_t radius,
                        unsigned *unsorted)
{
    return with_key_width(job->type, job->descending, [&](auto code) {
        typedef decltype(code) CODE;
        if (radius <= ROUGH_SMALL * WINDOW_ITEMS)
            return rough_run<CODE, ROUGH_SMALL>(call, job, code, radius, unsorted);
        return rough_run<CODE, ROUGH_LARGE>(call, job, code, radius, unsorted);
    });
}
