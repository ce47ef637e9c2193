/* radius.cuh - what the kernels of the radius share: the view of the array, tile sizes, and the
 * table that the first kernel leaves for the others. See dev_radius.cu. */
#ifndef ORDO_CUDA_ROUGH_RADIUS_H
#define ORDO_CUDA_ROUGH_RADIUS_H

#include "cuda/runtime/cuda_keys.cuh"
#include "cuda/runtime/cuda_tuning.cuh"
#include "cuda/warp/warp_scan.cuh"

template <typename BITS_> struct radius_shape {
    typedef BITS_        BITS;
    static constexpr int THREADS = CUDA_TUNE_RADIUS_THREADS;
    static constexpr int WARPS = THREADS / 32;
    /* Odd, against bank conflicts of threads that walk over their own keys. */
    static constexpr int ITEMS =
        sizeof(BITS) == 8 ? CUDA_TUNE_RADIUS_ITEMS_8 : CUDA_TUNE_RADIUS_ITEMS;
    static constexpr int SLOTS =
        CUDA_TUNE_RADIUS_SLOTS * (sizeof(BITS) < 4 ? 4 / (int)sizeof(BITS) : 1);
    static constexpr int AHEAD = CUDA_TUNE_RADIUS_AHEAD; /* steps being copied */
    static constexpr int STEP = THREADS * ITEMS;         /* keys of a block at a time */
    static constexpr int RING = SLOTS * STEP;
    static constexpr int SHARE = /* threads of a table entry */
        sizeof(BITS) == 8 ? CUDA_TUNE_RADIUS_SHARE_8 : CUDA_TUNE_RADIUS_SHARE;
    static constexpr int PATCH = SHARE * ITEMS; /* keys of a table entry */
    static constexpr int PATCHES = STEP / PATCH;
    /* Radii below this are found in the ring; AHEAD slots are being filled. */
    static constexpr unsigned REACH = (SLOTS - AHEAD - 1) * STEP - 1;
    static constexpr size_t   BYTES = RING * sizeof(BITS);

    static_assert(ITEMS % 2 == 1 && STEP * sizeof(BITS) % 16 == 0, "steps are whole vectors");
    static_assert(SLOTS > AHEAD + 1, "the ring has a past");
    static_assert(BYTES <= 98 << 10, "a block of compute capability 8.6 has as much");
};

/* The array from the 16-byte boundary before it on. The `pad` places before the array hold the
 * smallest key, places from `end` on the largest, so they are in order with every key. */
template <typename CODE> struct radius_view {
    typedef typename CODE::BITS BITS;

    CODE        code;
    const BITS *base; /* keys - pad; not read below pad */
    size_t      pad, end;

    __device__ __forceinline__ BITS raw(size_t at) const
    {
        if (at >= pad && at < end)
            return base[at];
        return code.decode(at < pad ? (BITS)0 : (BITS) ~(BITS)0);
    }
    __device__ __forceinline__ BITS key(size_t at) const { return code.encode(raw(at)); }
};

/* high[p]: the largest key from the start of p's span to the end of patch p. low[p]: the smallest
 * key of patch p. before[s]: the largest key of all spans before s. */
template <typename BITS_> struct radius_table {
    typedef BITS_ BITS;

    BITS     *high, *low, *before;
    uint32_t *patches; /* patches to open */
    uint64_t *radius;
    unsigned *listed, *within; /* length of the list; whether radii within spans are final */
    size_t    steps, span_steps;
    uint64_t  limit;

    __device__ __forceinline__ size_t count(void) const
    {
        return steps * radius_shape<BITS>::PATCHES;
    }
    __device__ __forceinline__ size_t span_patches(void) const
    {
        return span_steps * radius_shape<BITS>::PATCHES;
    }
    /* The largest key from the start of the array to the end of patch p. */
    __device__ __forceinline__ BITS upto(size_t p) const
    {
        BITS const earlier = before[p / span_patches()], here = high[p];
        return here > earlier ? here : earlier;
    }
    __device__ __forceinline__ uint64_t seen(void) const { return *(volatile uint64_t *)radius; }
};

static __device__ __forceinline__ void radius_grow(uint64_t *radius, uint64_t to)
{
    atomicMax((unsigned long long *)radius, (unsigned long long)to);
}

#endif
