/* dev_topk_few.cuh - the first keys, with their indices, of an array that one block holds in
 * registers.
 *
 * The keys are spread over buckets (block_spread.cuh). Keys in buckets that start before place k go
 * to shared memory, and each of them counts the keys of its bucket that come before it, by key and
 * then by index: that is its place in the result. One read of the array, five barriers, no sort. If
 * the keys are spread too unevenly, nothing is written and the caller uses another algorithm.
 * Called by all threads of a block of SELECT_THREADS. */
#ifndef ORDO_CUDA_SELECT_DEV_TOPK_FEW_H
#define ORDO_CUDA_SELECT_DEV_TOPK_FEW_H

#include "cuda/block/block_select.cuh"
#include "cuda/block/block_spread.cuh"

static constexpr int TOPK_FEW_PLACES = CUDA_TUNE_TOPK_ONE_BLOCK + CUDA_TUNE_SPREAD_MOST;

template <typename BITS> struct topk_few_shared {
    spread_shared<SELECT_THREADS> spread;
    unsigned                      end; /* end of the bucket that has the k-th key */
    BITS                          words[TOPK_FEW_PLACES]; /* key bits, in the order of buckets */
    uint32_t                      tags[TOPK_FEW_PLACES];  /* bucket above the index */
};

/* True, in all threads, if put(place, index) was called for each of the first k keys. `n` is at
 * most SELECT_THREADS * ITEMS and 2^16, k at least 1 and at most CUDA_TUNE_TOPK_ONE_BLOCK. */
template <int ITEMS, typename CODE, typename PUT, typename BITS = typename CODE::BITS>
static __device__ __forceinline__ bool topk_few_keys(topk_few_shared<BITS> *s, const CODE &code,
                                                     const BITS *keys, unsigned n, unsigned k,
                                                     PUT put)
{
    spread_items<BITS, ITEMS> items;
    auto const                is_full = [&](spread_counts const &mine) {
        bool full = false;
#pragma unroll
        for (int j = 0; j < SPREAD_SHARE; j++)
            if (mine.start[j] < k) {
                full |= mine.count[j] > CUDA_TUNE_SPREAD_MOST;
                if (k - mine.start[j] <= mine.count[j])
                    s->end = mine.start[j] + mine.count[j];
            }
        return full;
    };
    if (!spread_keys(
            &s->spread, code, &items, n, [&](unsigned p) { return __ldg(keys + p); }, is_full))
        return false;
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        unsigned const p = i * SELECT_THREADS + threadIdx.x;
        unsigned const start = p < n ? spread_start(s->spread, items.bucket(i)) : k;
        if (start < k) {
            s->words[start + items.rank(i)] = code.encode(items.raw[i]);
            s->tags[start + items.rank(i)] = items.bucket(i) << 16 | p;
        }
    }
    __syncthreads();
#pragma unroll 1
    for (unsigned p = threadIdx.x; p < s->end; p += SELECT_THREADS) {
        uint32_t const tag = s->tags[p];
        unsigned const place = spread_place(s->spread, s->words[p], tag, s->tags,
                                            [&](unsigned q) { return s->words[q]; });
        if (place < k)
            put(place, tag & 0xffff);
    }
    return true;
}

#endif
