/* block_shares.cuh - one block distributes the keys of a short array over buckets of about one key
 * each, whatever the values of the keys.
 *
 * Every second key of a sorted sample of 128 is an edge. A key finds the last edge that is not
 * greater by a binary search, and its bucket by the linear distance to the next edge. Keys equal to
 * an edge have buckets of their own: one, or, if several edges are equal, all the buckets between
 * them, divided by the index of the key. So many equal keys neither fill a bucket nor serialise the
 * atomics. Keys ascend from bucket to bucket, and equal keys ascend by index. One atomic per key
 * counts the bucket and gives the key's rank in it; the order inside a bucket is arbitrary. Called
 * by all threads of a one-dimensional block; item i of thread t is key THREADS * i + t. */
#ifndef ORDO_CUDA_BLOCK_BLOCK_SHARES_H
#define ORDO_CUDA_BLOCK_BLOCK_SHARES_H

#include "cuda/block/block_before.cuh"

enum {
    SHARES_SAMPLE = 128, /* keys of the sample */
    SHARES_PARTS = 64    /* parts between the edges */
};

template <typename BITS, int THREADS, int ITEMS> struct shares_shared {
    enum {
        WARPS = THREADS / WARP_LANES,
        BUCKETS = THREADS * ITEMS,
        EACH = BUCKETS / SHARES_PARTS - 1 /* buckets of a part: odd, so that the first buckets
                                           * of the parts are in different banks */
    };
    uint4 buckets[BUCKETS / 4]; /* counts; later the start (low 16 bits) and the count (above) */
    alignas(16) BITS sample[SHARES_SAMPLE];
    BITS     edges[SHARES_PARTS]; /* part p begins at edges[p] */
    uint32_t maps[SHARES_PARTS];  /* the map of each part: shares_map_part */
    uint32_t low[2][WARPS], high[2][WARPS], sums[WARPS];

    DEVICE uint32_t       *words(void) { return (uint32_t *)buckets; }
    DEVICE const uint32_t *words(void) const { return (const uint32_t *)buckets; }
};

/* The index of key k of the sample: random in the k-th of as many parts of the array. */
static DEVICE unsigned shares_drawn(unsigned k, unsigned n)
{
    unsigned const within = (k * 0x9e3779b1u >> 19) * n >> 13;
    return (k * n + within) / SHARES_SAMPLE;
}

/* The place in sorted order of key (number of the thread) / GROUP of the sample: the GROUP threads
 * of a key count the smaller keys. Equal keys keep their order. */
template <int THREADS, typename BITS> static DEVICE unsigned shares_rank(const BITS *sample)
{
    constexpr unsigned GROUP = THREADS / SHARES_SAMPLE, VECTOR = 16 / sizeof(BITS);
    unsigned const     k = threadIdx.x / GROUP, part = threadIdx.x % GROUP;
    BITS const         mine = sample[k];
    unsigned           place = 0;
#pragma unroll
    for (unsigned from = 0; from < SHARES_SAMPLE; from += GROUP * VECTOR) {
        unsigned const  at = from + part * VECTOR;
        vector_16<BITS> others;
        others.all = *(const uint4 *)(sample + at);
#pragma unroll
        for (unsigned j = 0; j < VECTOR; j++)
            place += (others.key[j] < mine) | ((others.key[j] == mine) & (at + j < k));
    }
#pragma unroll
    for (unsigned far = 1; far < GROUP; far *= 2)
        place += __shfl_xor_sync(WARP_ALL, place, far);
    return place;
}

/* Puts every second key of the sorted sample into the edges. */
template <typename BITS, int THREADS, int ITEMS>
static DEVICE void shares_put_edges(shares_shared<BITS, THREADS, ITEMS> *s)
{
    constexpr unsigned GROUP = THREADS / SHARES_SAMPLE;
    unsigned const     place = shares_rank<THREADS>(s->sample);
    if (threadIdx.x % GROUP == 0 && place % 2 == 1 && place + 1 < SHARES_SAMPLE)
        s->edges[place / 2 + 1] = s->sample[threadIdx.x / GROUP];
}

/* The smallest and the largest word of all threads: shares_put before a barrier, shares_get after
 * it. */
template <typename S> static DEVICE void shares_put(S *s, int row, uint32_t low, uint32_t high)
{
    low = __reduce_min_sync(WARP_ALL, low);
    high = __reduce_max_sync(WARP_ALL, high);
    if (lane_id() == 0) {
        s->low[row][threadIdx.x / WARP_LANES] = low;
        s->high[row][threadIdx.x / WARP_LANES] = high;
    }
}
template <typename S> static DEVICE uint2 shares_get(const S *s, int row)
{
    unsigned const w = lane_id() % S::WARPS;
    return make_uint2(__reduce_min_sync(WARP_ALL, s->low[row][w]),
                      __reduce_max_sync(WARP_ALL, s->high[row][w]));
}

/* How the keys of a part between `from` and `to` find their buckets: a factor of 16 bits for the
 * leading 32 bits of the distance, a shift of 6 bits that finds these bits, and the number of parts
 * just before this one that begin at the same key. */
template <int EACH, typename BITS>
static DEVICE uint32_t shares_map_part(BITS from, BITS to, unsigned same)
{
    unsigned const shift = (unsigned)__clzll((long long)(BITS)(to - from)) % 64;
    uint32_t const width = (uint32_t)((uint64_t)(BITS)(to - from) << shift >> 32);
    float const    factor = __fdividef((float)(EACH - 1) * 0x1.fffp39f, (float)width);
    return (from == to ? 0 : (uint32_t)factor) | shift << 16 | same << 24;
}

/* Makes the maps of all parts. Called by one warp. */
template <typename BITS, int THREADS, int ITEMS>
static DEVICE void shares_make_maps(shares_shared<BITS, THREADS, ITEMS> *s, BITS low, BITS high)
{
    unsigned const lane = lane_id(), upper = lane + 32;
    BITS const     first = lane == 0 ? low : s->edges[lane], second = s->edges[upper];
    BITS const     next = lane == 31 ? high : s->edges[upper + 1], middle = s->edges[lane + 1];
    BITS const     before = s->edges[upper - 1], earlier = lane < 2 ? first : s->edges[lane - 1];
    uint32_t const same = __ballot_sync(WARP_ALL, lane > 1 && earlier == first);
    uint64_t const all = (uint64_t)__ballot_sync(WARP_ALL, before == second) << 32 | same;
    auto const     run =
        [&](unsigned part) { /* consecutive bits that end at `part` */
                             return (unsigned)__clzll((long long)~(all << (63 - part)));
        };
    constexpr int EACH = shares_shared<BITS, THREADS, ITEMS>::EACH;
    s->maps[lane] = shares_map_part<EACH>(first, middle, run(lane));
    s->maps[upper] = shares_map_part<EACH>(second, next, run(upper));
    if (lane == 0)
        s->edges[0] = low;
}

/* The bucket of a key. per_key: 2^32 / n. */
template <typename BITS, int THREADS, int ITEMS>
static DEVICE unsigned shares_bucket(const shares_shared<BITS, THREADS, ITEMS> &s, BITS key,
                                     unsigned part, unsigned index, uint32_t per_key)
{
    constexpr unsigned EACH = shares_shared<BITS, THREADS, ITEMS>::EACH;
    BITS const     from = s.edges[part];
    uint32_t const map = s.maps[part];
    unsigned const shift = map >> 16 & 63, same = map >> 24;
    uint32_t const distance = (uint32_t)((uint64_t)(BITS)(key - from) << shift >> 32);
    unsigned const within = 1 + min(__umulhi(distance, map & 0xffff) >> 8, EACH - 2);
    unsigned const equal = __umulhi(index * (same * EACH + 1), per_key);
    return key == from ? (part - same) * EACH + equal : part * EACH + within;
}

/* Sorts the sample, which must be in shared memory, and makes the maps. Returns false, in all
 * threads, if all keys are equal. Contains three barriers. */
template <typename BITS, int THREADS, int ITEMS>
static DEVICE bool shares_find(shares_shared<BITS, THREADS, ITEMS> *s, const BITS *keys, unsigned n)
{
    constexpr int UPPER = sizeof(BITS) == 8 ? 32 : 0;
    uint32_t      low = UINT32_MAX, high = 0;
    auto const    each = [&](auto &&f) {
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            if (i * THREADS + threadIdx.x < n)
                f(keys[i]);
    };
    each([&](BITS key) {
        low = min(low, (uint32_t)(key >> UPPER));
        high = max(high, (uint32_t)(key >> UPPER));
    });
    shares_put(s, 0, low, high);
    __syncthreads();
    BITS const any = s->sample[0];
    bool       differ = false;
    each([&](BITS key) { differ |= key != any; });
    if (UPPER != 0) { /* the lower halves of keys with the least and the greatest upper half */
        uint2 const upper = shares_get(s, 0);
        low = UINT32_MAX;
        high = 0;
        each([&](BITS key) {
            uint32_t const half = (uint32_t)(key >> UPPER), rest = (uint32_t)key;
            low = half == upper.x ? min(low, rest) : low;
            high = half == upper.y ? max(high, rest) : high;
        });
        shares_put(s, 1, low, high);
    }
    shares_put_edges(s);
    if (!__syncthreads_or(differ))
        return false;
    if (threadIdx.x < WARP_LANES) {
        uint2 const upper = shares_get(s, 0);
        uint2 const lower = UPPER != 0 ? shares_get(s, 1) : make_uint2(0, 0);
        shares_make_maps(s, (BITS)((BITS)upper.x << UPPER | lower.x),
                         (BITS)((BITS)upper.y << UPPER | lower.y));
    }
    __syncthreads();
    return true;
}

/* Finds the parts of four keys. */
template <typename S, typename BITS>
static DEVICE void shares_search(const S *s, const BITS *keys, uint32_t *parts)
{
    BITS const first = s->edges[SHARES_PARTS / 4], second = s->edges[SHARES_PARTS / 2];
    BITS const third = s->edges[SHARES_PARTS / 4 * 3];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        parts[i] = keys[i] >= second ? SHARES_PARTS / 2 : 0;
        parts[i] += keys[i] >= (parts[i] != 0 ? third : first) ? SHARES_PARTS / 4 : 0;
    }
#pragma unroll
    for (unsigned step = SHARES_PARTS / 8; step > 0; step /= 2)
#pragma unroll
        for (int i = 0; i < 4; i++)
            parts[i] += keys[i] >= s->edges[parts[i] + step] ? step : 0;
}

/* Counts the keys of each bucket. at[i] is set to the bucket (low 16 bits) and the rank in it. */
template <typename BITS, int THREADS, int ITEMS>
static DEVICE void shares_count(shares_shared<BITS, THREADS, ITEMS> *s, const BITS *keys,
                                unsigned n, uint32_t *at)
{
    uint32_t const per_key = UINT32_MAX / n;
#pragma unroll
    for (int g = 0; g < ITEMS; g += 4) { /* four keys at a time, for all threads alike */
        if (g * THREADS >= n)
            break;
        shares_search(s, keys + g, at + g);
#pragma unroll
        for (int i = g; i < g + 4; i++)
            at[i] = shares_bucket(*s, keys[i], at[i], i * THREADS + threadIdx.x, per_key);
#pragma unroll
        for (int i = g; i < g + 4; i++)
            if (i * THREADS + threadIdx.x < n)
                at[i] |= atomicAdd(s->words() + at[i], 1u) << 16;
    }
}

/* Adds the starts of the buckets to their counts, visible after the next barrier; calls
 * each(bucket, count) for the buckets of the thread. Contains a barrier; one must come before. */
template <typename BITS, int THREADS, int ITEMS, typename F>
static DEVICE void shares_scan(shares_shared<BITS, THREADS, ITEMS> *s, F &&each)
{
    vector_16<uint32_t> mine[ITEMS / 4];
    uint32_t            sum = 0;
#pragma unroll
    for (int v = 0; v < ITEMS / 4; v++)
        mine[v].all = s->buckets[threadIdx.x * (ITEMS / 4) + v];
#pragma unroll
    for (int j = 0; j < ITEMS; j++) {
        sum += mine[j / 4].key[j % 4];
        each(threadIdx.x * ITEMS + j, mine[j / 4].key[j % 4]);
    }
    uint32_t start = block_sum_before<THREADS / WARP_LANES>(sum, s->sums);
#pragma unroll
    for (int j = 0; j < ITEMS; j++) {
        uint32_t const count = mine[j / 4].key[j % 4];
        mine[j / 4].key[j % 4] = start | count << 16;
        start += count;
    }
#pragma unroll
    for (int v = 0; v < ITEMS / 4; v++)
        s->buckets[threadIdx.x * (ITEMS / 4) + v] = mine[v].all;
}

#endif
