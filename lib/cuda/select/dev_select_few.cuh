/* dev_select_few.cuh - selection and top-k of an array that fits in the registers of one block.
 *
 * The keys are distributed over buckets (block_spread.cuh). Selection copies only the keys of the
 * buckets that hold a wanted position to shared memory; one warp per position counts, for each of
 * at most 32 keys, the smaller keys. Top-k copies the keys of the buckets that start before place
 * k; each key counts the keys of its bucket that come before it, by key and then by index, which
 * gives its place in the result. One read of the array, five barriers, no sort. If the keys are too
 * uneven, nothing is written and the caller uses another algorithm. Called by all threads of a
 * block of SELECT_THREADS. */
#ifndef ORDO_CUDA_SELECT_DEV_SELECT_FEW_H
#define ORDO_CUDA_SELECT_DEV_SELECT_FEW_H

#include "cuda/block/block_select.cuh"
#include "cuda/block/block_spread.cuh"

template <typename BITS> struct select_few_shared {
    spread_shared<SELECT_THREADS> spread;
    struct {
        unsigned bucket, start, count; /* `bucket`: the first target in the same bucket; start and
                                        * count of that bucket */
    } target[SELECT_TARGETS];
    BITS keys[SELECT_TARGETS]
             [WARP_LANES]; /* the keys of the targets' buckets, stored at the first target of each
                            * bucket */
};

/* A mask of the targets in the buckets of this warp, which cover places `first` to `end`. */
static DEVICE uint32_t few_targets(const select_positions &positions, uint32_t first, uint32_t end)
{
    unsigned const lane = lane_id();
    size_t const   k = lane < positions.count ? positions.k[lane] : SIZE_MAX;
    return __ballot_sync(WARP_ALL, k >= first && k < end);
}

/* Finds the bucket of each target. Replaces the start of each bucket by its first target, or by
 * SELECT_TARGETS if it has none. Returns true if such a bucket holds too many keys. */
template <typename BITS>
static DEVICE bool few_find(select_few_shared<BITS> *s, const select_positions &positions,
                            const spread_counts &mine)
{
    uint32_t const first = __shfl_sync(WARP_ALL, mine.start[0], 0);
    uint32_t const end = __shfl_sync(
        WARP_ALL, mine.start[SPREAD_SHARE - 1] + mine.count[SPREAD_SHARE - 1], WARP_LANES - 1);
    uint32_t owner[SPREAD_SHARE];
    bool     is_too_long = false;
#pragma unroll
    for (int j = 0; j < SPREAD_SHARE; j++)
        owner[j] = SELECT_TARGETS;
#pragma unroll 1
    for (uint32_t left = few_targets(positions, first, end); left != 0; left &= left - 1) {
        unsigned const t = (unsigned)__ffs((int)left) - 1;
        uint32_t const k = (uint32_t)positions.k[t];
#pragma unroll
        for (int j = 0; j < SPREAD_SHARE; j++)
            if (k - mine.start[j] < mine.count[j]) {
                owner[j] = min(owner[j], t);
                is_too_long |= mine.count[j] > WARP_LANES;
                s->target[t].bucket = owner[j];
                s->target[t].start = mine.start[j];
                s->target[t].count = mine.count[j];
            }
    }
    s->spread.buckets[threadIdx.x] = make_uint4(owner[0], owner[1], owner[2], owner[3]);
    return is_too_long;
}

/* Warp t finds the key of target t among the keys in shared memory and writes it to out[t]. */
template <typename CODE, typename BITS = typename CODE::BITS>
static DEVICE void few_settle(const select_few_shared<BITS> &s, const CODE &code,
                              const select_positions &positions, BITS *out)
{
    unsigned const t = threadIdx.x / WARP_LANES, lane = lane_id();
    if (t >= positions.count)
        return;
    auto const target = s.target[t];
    BITS const mine = lane < target.count ? s.keys[target.bucket][lane] : (BITS)0;
    unsigned   before = 0;
#pragma unroll 1
    for (unsigned i = 0; i < target.count; i++) {
        BITS const other = (BITS)__shfl_sync(WARP_ALL, mine, (int)i);
        before += other < mine || (other == mine && i < lane);
    }
    if (lane < target.count && before == (unsigned)positions.k[t] - target.start)
        out[t] = code.decode(mine);
}

/* Returns true, in all threads, if the keys were written to `out`. n is at most SELECT_THREADS *
 * ITEMS. */
template <int ITEMS, typename CODE, typename BITS = typename CODE::BITS>
static DEVICE bool select_few_keys(select_few_shared<BITS> *s, const CODE &code, const BITS *keys,
                                   unsigned n, const select_positions &positions, BITS *out)
{
    spread_items<BITS, ITEMS> items;
    if (!spread_keys(
            &s->spread, code, &items, n, [&](unsigned p) { return __ldg(keys + p); },
            [&](spread_counts const &mine) { return few_find(s, positions, mine); }))
        return false;
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (i * SELECT_THREADS + threadIdx.x < n) {
            unsigned const owner = spread_start(s->spread, items.bucket(i));
            if (owner < SELECT_TARGETS)
                s->keys[owner][items.rank(i)] = code.encode(items.raw[i]);
        }
    __syncthreads();
    few_settle(*s, code, positions, out);
    return true;
}

static constexpr int TOPK_FEW_PLACES = CUDA_TUNE_TOPK_ONE_BLOCK + CUDA_TUNE_SPREAD_MOST;

template <typename BITS> struct topk_few_shared {
    spread_shared<SELECT_THREADS> spread;
    unsigned                      end; /* end of the bucket that has the k-th key */
    BITS                          words[TOPK_FEW_PLACES]; /* key bits, in the order of buckets */
    uint32_t                      tags[TOPK_FEW_PLACES];  /* bucket in the high 16 bits, index in
                                                           * the low 16 bits */
};

/* Returns true, in all threads, if put(place, index) was called for each of the first k keys. n is
 * at most SELECT_THREADS * ITEMS and at most 2^16, k from 1 to CUDA_TUNE_TOPK_ONE_BLOCK. */
template <int ITEMS, typename CODE, typename PUT, typename BITS = typename CODE::BITS>
static DEVICE bool topk_few_keys(topk_few_shared<BITS> *s, const CODE &code, const BITS *keys,
                                 unsigned n, unsigned k, PUT put)
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
