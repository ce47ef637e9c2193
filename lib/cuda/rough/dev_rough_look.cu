/* dev_rough_look.cu - a look at parts of an array: what sorts of nearly sorted arrays go by.
 *
 * ROUGH_LOOKS windows of 1024 neighbours, spread over the array, one block for each: how many keys
 * fall and rise, and the radius of the window by itself, from prefix maxima in shared memory and a
 * binary search for each key. The host adds them up, and compares what the windows begin with.
 *
 * Cost: one launch and one wait for the host; ROUGH_LOOKS * 1024 keys are read. Scratch: a few
 * words for each window. Called by dev_rough.cu and dev_rough_auto.cu. */
#include "cuda/rough/dev_rough.cuh"
#include "cuda/warp/warp_scan.cuh"

enum {
    ROUGH_LOOKS = 128,
    ROUGH_LOOK_KEYS = 1024 /* and threads */
};

struct rough_window {
    uint64_t first; /* key, as bits of the total order */
    unsigned falls, rises, radius;
};
static_assert(ROUGH_LOOKS * sizeof(rough_window) <= CUDA_FETCH_BYTES, "fetched at once");

template <typename BITS> struct rough_max {
    typedef BITS                           ACC;
    static __device__ __forceinline__ BITS identity(void) { return 0; }
    static __device__ __forceinline__ BITS add(BITS a, BITS b) { return a > b ? a : b; }
};

template <typename CODE>
static __global__ void __launch_bounds__(ROUGH_LOOK_KEYS)
    rough_see(CODE code, const typename CODE::BITS *keys, size_t apart, rough_window *windows)
{
    typedef typename CODE::BITS BITS;
    typedef rough_max<BITS>     MAX;
    __shared__ BITS             key[ROUGH_LOOK_KEYS], upto[ROUGH_LOOK_KEYS], warp_high[32];
    __shared__ unsigned         radius;
    unsigned const              thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
    BITS const                  mine = code.encode(keys[blockIdx.x * apart + thread]);
    BITS const                  scanned = warp_scan<MAX>(mine);
    key[thread] = mine;
    if (lane == 31)
        warp_high[warp] = scanned;
    if (thread == 0)
        radius = 0;
    __syncthreads();
    BITS const before = warp_reduce<MAX>(lane < warp ? warp_high[lane] : (BITS)0);
    upto[thread] = MAX::add(before, scanned);
    BITS const     left = thread > 0 ? key[thread - 1] : mine;
    unsigned const falls = (unsigned)__syncthreads_count(mine < left);
    unsigned const rises = (unsigned)__syncthreads_count(mine > left);

    unsigned begin = 0, end = thread; /* where the first larger key is */
    while (begin < end) {
        unsigned const middle = (begin + end) / 2;
        if (upto[middle] > mine)
            end = middle;
        else
            begin = middle + 1;
    }
    unsigned const farthest = __reduce_max_sync(WARP_ALL, thread - begin);
    if (lane == 0)
        atomicMax(&radius, farthest);
    __syncthreads();
    if (thread == 0) {
        rough_window const window = {(uint64_t)mine, falls, rises, radius};
        windows[blockIdx.x] = window;
    }
}

size_t rough_look_scratch(void)
{
    return ordo_round_up(ROUGH_LOOKS * sizeof(rough_window), CUDA_SCRATCH_ALIGN);
}

size_t rough_look_least(void) { return (size_t)ROUGH_LOOKS * ROUGH_LOOK_KEYS; }

ordo_status rough_look_at(cuda_call *call, const ordo_sort_job *job, rough_look *look)
{
    rough_window *const windows = scratch_take<rough_window>(&call->scratch, ROUGH_LOOKS);
    rough_window        seen[ROUGH_LOOKS];
    TRY(with_key_code(job->type, job->descending, KEY_TOTAL, [&](auto code) {
        typedef decltype(code) CODE;
        CUDA_LAUNCH(call, rough_see<CODE>, ROUGH_LOOKS, ROUGH_LOOK_KEYS, 0, code,
                    (const typename CODE::BITS *)job->keys, job->n / ROUGH_LOOKS, windows);
        return ORDO_OK;
    }));
    TRY(call_fetch(call, seen, windows, sizeof seen));
    rough_look const none = {0, 0, 0, 0};
    *look = none;
    for (size_t w = 0; w < ROUGH_LOOKS; w++) {
        look->falls += seen[w].falls;
        look->rises += seen[w].rises;
        look->far_falls += w > 0 && seen[w].first < seen[w - 1].first;
        look->radius = ordo_max(look->radius, seen[w].radius);
    }
    return ORDO_OK;
}
