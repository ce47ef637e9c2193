/* rough.cuh - shared code of the sorts of roughly sorted arrays: the view of the array, and the
 * merge at the borders between spans. See dev_rough.cu. */
#ifndef ORDO_CUDA_ROUGH_ROUGH_H
#define ORDO_CUDA_ROUGH_ROUGH_H

#include "cuda/runtime/cuda_keys.cuh"
#include "cuda/runtime/cuda_tuning.cuh"
#include "cuda/warp/first_where.cuh"
#include "cuda/warp/warp_sort.cuh"

/* The array, starting at the 16-byte boundary before it. The `pad` places before the array read as
 * the smallest key, places from `end` on as the largest; these places are never written. */
template <typename CODE> struct rough_view {
    typedef typename CODE::BITS BITS;
    typedef vector_16<BITS>     VECTOR;
    static constexpr int        V = 16 / sizeof(BITS);

    CODE   code;
    BITS  *base; /* keys - pad */
    size_t pad, end;

    DEVICE BITS key(size_t at) const
    {
        if (at >= pad && at < end)
            return code.encode(base[at]);
        return at < pad ? (BITS)0 : (BITS) ~(BITS)0;
    }
    /* Loads the V keys from `at` on, a multiple of V. */
    DEVICE void load(size_t at, BITS *x) const
    {
        if (at >= pad && at + V <= end) {
            VECTOR vector;
            vector.all = __ldcs((const uint4 *)(base + at));
            code.template encode_each<V>(vector.key, x);
        } else {
#pragma unroll
            for (int j = 0; j < V; j++)
                x[j] = key(at + j);
        }
    }
    /* Stores the V keys from `at` on, except those outside [lo, hi). */
    DEVICE void store(size_t at, const BITS *x, size_t lo, size_t hi) const
    {
        if (at >= lo && at + V <= hi) {
            VECTOR vector;
            code.template decode_each<V>(x, vector.key);
            __stcs((uint4 *)(base + at), vector.all);
        } else {
#pragma unroll
            for (int j = 0; j < V; j++)
                if (at + j >= lo && at + j < hi)
                    base[at + j] = code.decode(x[j]);
        }
    }
};

template <typename CODE, typename BITS = typename CODE::BITS>
static inline rough_view<CODE> rough_view_of(const ordo_sort_job *job, CODE code)
{
    size_t const pad = ((uintptr_t)job->keys & 15) / sizeof(BITS);
    return {code, (BITS *)job->keys - pad, pad, job->n + pad};
}

static DEVICE void rough_raise(unsigned *unsorted) { atomicExch(unsorted, 1u); }

/* Merges the `radius` keys on either side of every border between two sorted spans. One block per
 * border. A span has at least four times `radius` keys, so blocks do not overlap. Dynamic shared
 * memory: 2 * radius keys. */
template <typename CODE, typename BITS = typename CODE::BITS>
static __global__ void rough_borders(rough_view<CODE> view, size_t span, unsigned radius,
                                     unsigned *unsorted)
{
    constexpr unsigned EACH = 8;
    extern __shared__ uint4 rough_memory[];
    BITS *const             left = (BITS *)rough_memory;
    size_t const            border = (blockIdx.x + 1) * span;
    if (view.key(border - 1) <= view.key(border))
        return;
    size_t const   lo = max(border - radius, view.pad), hi = min(border + radius, view.end);
    unsigned const lefts = (unsigned)(border - lo), all = (unsigned)(hi - lo);
    BITS *const    right = left + lefts;
    for (unsigned i = threadIdx.x; i < all; i += blockDim.x)
        left[i] = view.key(lo + i);
    __syncthreads();
    bool broken = false; /* a merge of unsorted keys would lose keys */
    for (unsigned i = threadIdx.x + 1; i < all; i += blockDim.x)
        broken |= i != lefts && left[i] < left[i - 1];
    if (__syncthreads_or(broken)) {
        if (threadIdx.x == 0)
            rough_raise(unsorted);
        return;
    }
    for (unsigned at = threadIdx.x * EACH; at < all; at += blockDim.x * EACH) {
        /* how many of the first `at` keys of the merge come from the left side */
        unsigned i = first_where(at > all - lefts ? at - (all - lefts) : 0, min(at, lefts),
                                 [&](unsigned l) { return left[l] > right[at - 1 - l]; });
        unsigned j = at - i;
        for (unsigned o = at; o < min(at + EACH, all); o++) {
            bool const take = j >= all - lefts || (i < lefts && left[i] <= right[j]);
            view.base[lo + o] = view.code.decode(take ? left[i++] : right[j++]);
        }
    }
    if (threadIdx.x == 0) {
        BITS const least = min(left[0], right[0]);
        BITS const most = max(left[lefts - 1], left[all - 1]);
        if ((lo > view.pad && view.key(lo - 1) > least) || (hi < view.end && view.key(hi) < most))
            rough_raise(unsorted);
    }
}

template <typename CODE>
static ordo_status rough_join(cuda_call *call, rough_view<CODE> view, size_t span, size_t radius,
                              unsigned *unsorted)
{
    size_t const borders = ordo_div_up(view.end, span) - 1;
    size_t const bytes = 2 * radius * sizeof(typename CODE::BITS);
    if (borders == 0)
        return ORDO_OK;
    TRY(cuda_allow_shared(call, rough_borders<CODE>, bytes));
    return CUDA_LAUNCH(call, rough_borders<CODE>, borders, radius <= 512 ? 64 : 512, bytes, view,
                       span, (unsigned)radius, unsorted);
}

#endif
