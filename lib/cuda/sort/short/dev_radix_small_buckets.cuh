/* dev_radix_small_buckets.cuh - one block sorts a short array by buckets: dev_radix_small.cu and
 * dev_radix_parts.cuh.
 *
 * Keys go to as many buckets as there are places by a sample (block_shares.cuh), and each key
 * counts the smaller keys of its bucket, which has one or two keys on average for any distribution.
 * A dense bucket of equal keys is in order already; with values a warp orders its indices by a
 * bitmap. */
#ifndef ORDO_CUDA_SORT_DEV_RADIX_SMALL_BUCKETS_H
#define ORDO_CUDA_SORT_DEV_RADIX_SMALL_BUCKETS_H

#include "cuda/block/block_shares.cuh"
#include "cuda/sort/short/dev_radix_small_digits.cuh"

enum {
    SMALL_DENSE = 16, /* a bucket with more keys is dense */
    SMALL_FULL = 512, /* most keys of a bucket of different keys */
    SMALL_CROWD = 3,  /* one thread in so many may have a key that differs from the first key of
                        * its dense bucket */
    SMALL_PAD = 8     /* places after the last key */
};

template <typename BITS, int THREADS, int ITEMS, bool TIES> struct small_buckets {
    enum {
        PLACES = THREADS * ITEMS,
        /* Keys of four bytes are compared in vectors. */
        EACH = sizeof(BITS) == 4 ? 4 : 1,
        AT_ONCE = sizeof(BITS) == 4 ? 8 : 4 /* keys that are compared at once */
    };
    alignas(16) BITS keys[PLACES + SMALL_PAD]; /* the largest key after the last */
    shares_shared<BITS, THREADS, ITEMS> shares;
    alignas(16) uint32_t tags[PLACES + SMALL_PAD]; /* bucket (high 16 bits) and index */
    uint32_t mixed[PLACES / 32];          /* a bit for each bucket: dense, with different keys */
    uint16_t dense[PLACES / SMALL_DENSE]; /* the dense buckets */
    uint32_t dense_count, too_full;
    uint32_t maps[TIES ? PLACES / 64 * 3 * (THREADS / 32) : 1]; /* of each warp */

    DEVICE bool is_mixed(unsigned bucket) const { return mixed[bucket / 32] >> bucket % 32 & 1; }
};

/* Clears the counters. A barrier must follow. */
template <typename BITS, int THREADS, int ITEMS, bool TIES>
static DEVICE void small_clear(small_buckets<BITS, THREADS, ITEMS, TIES> *s)
{
#pragma unroll
    for (int v = 0; v < ITEMS / 4; v++)
        s->shares.buckets[v * THREADS + threadIdx.x] = make_uint4(0, 0, 0, 0);
    if (threadIdx.x < THREADS * ITEMS / 32)
        s->mixed[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        s->dense_count = s->too_full = 0;
}

/* Marks the dense buckets with different keys. Returns false, in all threads, if they have too many
 * keys. Contains a barrier. */
template <typename BITS, int THREADS, int ITEMS, bool TIES>
static DEVICE bool small_mark_mixed(small_buckets<BITS, THREADS, ITEMS, TIES> *s, unsigned n)
{
    bool differs = false;
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        unsigned const p = i * THREADS + threadIdx.x;
        if (p >= n)
            continue;
        unsigned const bucket = s->tags[p] >> 16;
        uint32_t const word = s->shares.words()[bucket];
        if (word >> 16 > SMALL_DENSE && s->keys[p] != s->keys[word & 0xffff]) {
            differs = true;
            atomicOr(&s->mixed[bucket / 32], 1u << bucket % 32);
            if (word >> 16 > SMALL_FULL)
                s->too_full = 1;
        }
    }
    return __syncthreads_count(differs) * SMALL_CROWD <= THREADS && s->too_full == 0;
}

/* One warp orders `count` tags of one bucket by their indices. map: 48 * EACH words of the warp, a
 * bit for each index and then the number of bits before each word. */
template <int EACH>
static DEVICE void small_order_tags(uint32_t *tags, unsigned count, uint32_t bucket, uint32_t *map)
{
    constexpr int   HELD = 4; /* tags of a lane that are kept in registers */
    unsigned const  lane = lane_id();
    uint16_t *const before = (uint16_t *)(map + 32 * EACH);
    uint32_t        held[HELD], bits[EACH], sum = 0;
#pragma unroll
    for (int j = 0; j < EACH; j++)
        map[j * 32 + lane] = 0;
    __syncwarp();
#pragma unroll
    for (int k = 0; k < HELD; k++) {
        held[k] = k * 32 + lane < count ? tags[k * 32 + lane] & 0xffff : 0;
        if (k * 32 + lane < count)
            atomicOr(&map[held[k] / 32], 1u << held[k] % 32);
    }
    for (unsigned q = HELD * 32 + lane; q < count; q += 32)
        atomicOr(&map[(tags[q] & 0xffff) / 32], 1u << (tags[q] & 0xffff) % 32);
    __syncwarp();
#pragma unroll
    for (int j = 0; j < EACH; j++) { /* lane l has the EACH words from l * EACH on */
        bits[j] = map[lane * EACH + j];
        sum += __popc(bits[j]);
    }
    uint32_t to = warp_scan<scan_add<uint32_t>>(sum) - sum;
    if (count <= HELD * 32) { /* each tag finds its place */
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            before[lane * EACH + j] = (uint16_t)to;
            to += __popc(bits[j]);
        }
        __syncwarp();
#pragma unroll
        for (int k = 0; k < HELD; k++) {
            uint32_t const lower = map[held[k] / 32] & ((1u << held[k] % 32) - 1);
            if (k * 32 + lane < count)
                tags[before[held[k] / 32] + __popc(lower)] = bucket | held[k];
        }
    } else { /* each lane writes the tags of its words */
#pragma unroll
        for (int j = 0; j < EACH; j++)
            for (; bits[j] != 0; bits[j] &= bits[j] - 1)
                tags[to++] = bucket | (lane * EACH + j) * 32 + (__ffs(bits[j]) - 1);
    }
    __syncwarp();
}

/* Orders the tags of each dense bucket of equal keys. Ends with a barrier. */
template <typename BITS, int THREADS, int ITEMS, bool TIES>
static DEVICE void small_order_equal(small_buckets<BITS, THREADS, ITEMS, TIES> *s)
{
    constexpr unsigned WORDS = THREADS * ITEMS / 32, EACH = WORDS / 32;
    unsigned const     warp = threadIdx.x / 32;
    uint32_t *const    map = s->maps + warp * (WORDS + WORDS / 2);
    for (unsigned d = warp; d < s->dense_count; d += THREADS / 32) {
        unsigned const bucket = s->dense[d];
        uint32_t const word = s->shares.words()[bucket], start = word & 0xffff;
        if (s->is_mixed(bucket))
            continue;
        small_order_tags<EACH>(s->tags + start, word >> 16, bucket << 16, map);
    }
    __syncthreads();
}

/* How many of the AT_ONCE keys from place q on, a multiple of EACH, come before the key `mine` at
 * place p. They may be in other buckets: keys of earlier buckets come before it, keys of later ones
 * do not. */
template <typename CODE, int THREADS, int ITEMS, bool TIES, typename BITS = typename CODE::BITS>
static DEVICE unsigned small_before(const small_buckets<BITS, THREADS, ITEMS, TIES> *s,
                                    CODE const &code, unsigned q, BITS mine, uint32_t tag,
                                    unsigned p)
{
    constexpr unsigned AT_ONCE = small_buckets<BITS, THREADS, ITEMS, TIES>::AT_ONCE;
    unsigned           before = 0;
    auto const         compare = [&](BITS bits, uint32_t its_tag, unsigned at) {
        BITS const other = code.fold(bits);
        before += (other < mine) | ((other == mine) & (TIES ? its_tag < tag : at < p));
    };
    if constexpr (sizeof(BITS) == 4) {
        vector_16<uint32_t> keys[AT_ONCE / 4], tags[AT_ONCE / 4];
#pragma unroll
        for (unsigned v = 0; v < AT_ONCE / 4; v++) {
            keys[v].all = *(const uint4 *)(s->keys + q + 4 * v);
            if (TIES)
                tags[v].all = *(const uint4 *)(s->tags + q + 4 * v);
        }
#pragma unroll
        for (unsigned j = 0; j < AT_ONCE; j++)
            compare(keys[j / 4].key[j % 4], TIES ? tags[j / 4].key[j % 4] : 0, q + j);
    } else {
#pragma unroll
        for (unsigned j = 0; j < AT_ONCE; j++)
            compare(s->keys[q + j], TIES ? s->tags[q + j] : 0, q + j);
    }
    return before;
}

/* The final places of the four keys from item `first` of the thread on. The first keys are compared
 * for all four at once. */
template <typename CODE, int THREADS, int ITEMS, bool TIES, typename BITS = typename CODE::BITS>
static DEVICE void small_find_places(const small_buckets<BITS, THREADS, ITEMS, TIES> *s,
                                     CODE const &code, unsigned n, unsigned first, const BITS *bits,
                                     const uint32_t *tags, uint32_t *places)
{
    typedef small_buckets<BITS, THREADS, ITEMS, TIES> S;
    unsigned const                                    from = first * THREADS + threadIdx.x;
    uint32_t                                          words[4];
#pragma unroll
    for (int i = 0; i < 4; i++)
        words[i] = from + i * THREADS < n ? s->shares.words()[tags[i] >> 16] : 1u << 16;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        unsigned const q = (words[i] & 0xffff) / S::EACH * S::EACH;
        places[i] = q + small_before(s, code, q, code.fold(bits[i]), tags[i], from + i * THREADS);
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        unsigned const start = words[i] & 0xffff, count = words[i] >> 16, end = start + count;
        if (count > SMALL_DENSE && !s->is_mixed(tags[i] >> 16)) {
            places[i] = from + i * THREADS;
            continue;
        }
#pragma unroll 1
        for (unsigned q = start / S::EACH * S::EACH + S::AT_ONCE; q < end; q += S::AT_ONCE)
            places[i] += small_before(s, code, q, code.fold(bits[i]), tags[i], from + i * THREADS);
    }
}

/* Writes the values of pairs: value tags[i] & 0xffff to place to[i]. They replace the keys
 * in shared memory, half a value at a time if they have 8 bytes. ahead: the first half of the
 * values of the thread. */
template <int THREADS, int ITEMS>
static DEVICE void small_move_values(uint32_t *words, const radix_job &job, const uint32_t *tags,
                                     const uint32_t *to, const uint32_t *ahead)
{
    unsigned const n = (unsigned)job.n, halves = job.value_size / 4;
    for (unsigned h = 0; h < halves; h++) {
        uint32_t *const values = (uint32_t *)job.values[0] + h;
        __syncthreads(); /* all keys, or words of the first half, have been read */
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            unsigned const p = i * THREADS + threadIdx.x;
            if (p < n)
                words[p] = h == 0 ? ahead[i] : values[p * halves];
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            if (i * THREADS + threadIdx.x < n)
                values[to[i] * halves] = words[tags[i] & 0xffff];
    }
}

/* Writes every key to its final place. */
template <typename CODE, int THREADS, int ITEMS, bool TIES, typename BITS = typename CODE::BITS>
static DEVICE void small_settle(small_buckets<BITS, THREADS, ITEMS, TIES> *s, CODE const &code,
                                const radix_job &job)
{
    unsigned const n = (unsigned)job.n;
    bool const     pairs = TIES && job.source == NULL;
    uint32_t       tags[ITEMS], to[ITEMS], ahead[TIES ? ITEMS : 1];
    if (pairs) {
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            unsigned const p = i * THREADS + threadIdx.x;
            ahead[i] = p < n ? ((const uint32_t *)job.values[0])[p * (job.value_size / 4)] : 0;
        }
    }
#pragma unroll
    for (int g = 0; g < ITEMS; g += 4) {
        BITS bits[4];
        if (g * THREADS >= n)
            break;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            bits[i] = s->keys[(g + i) * THREADS + threadIdx.x];
            tags[g + i] = s->tags[(g + i) * THREADS + threadIdx.x];
        }
        small_find_places(s, code, n, g, bits, tags + g, to + g);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            if ((g + i) * THREADS + threadIdx.x >= n)
                continue;
            small_put_key(job, code, to[g + i], bits[i]);
            if (TIES && !pairs)
                small_put_index(job, to[g + i], tags[g + i] & 0xffff);
        }
    }
    if constexpr (TIES)
        if (pairs)
            small_move_values<THREADS, ITEMS>((uint32_t *)s->keys, job, tags, to, ahead);
}

/* Sorts job.n keys by buckets: bits[i] is key THREADS * i + t of thread t. small_clear must have
 * been called, and the folded sample must be in shared memory; the barrier that must follow is
 * here. Returns false, in all threads and with nothing written, if too many keys are in dense
 * buckets of different keys. */
template <typename CODE, int THREADS, int ITEMS, bool TIES, typename BITS = typename CODE::BITS>
static DEVICE bool small_by_buckets(small_buckets<BITS, THREADS, ITEMS, TIES> *s, CODE const &code,
                                    const radix_job &job, const BITS *bits)
{
    unsigned const n = (unsigned)job.n;
    BITS           keys[ITEMS];
    uint32_t       at[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        keys[i] = code.fold(bits[i]);
    if (!shares_find(&s->shares, keys, n)) {
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            unsigned const p = i * THREADS + threadIdx.x;
            if (p < n)
                small_put_key(job, code, p, bits[i]);
            if (TIES && job.source != NULL && p < n)
                small_put_index(job, p, p);
        }
        return true;
    }
    shares_count(&s->shares, keys, n, at);
    __syncthreads();
    bool dense = false;
    shares_scan(&s->shares, [&](unsigned bucket, uint32_t count) {
        if (count > SMALL_DENSE) {
            dense = true;
            s->dense[atomicAdd(&s->dense_count, 1u)] = (uint16_t)bucket;
        }
    });
    dense = __syncthreads_or(dense);
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        unsigned const p = i * THREADS + threadIdx.x, bucket = at[i] & 0xffff;
        if (p < n) {
            unsigned const to = (s->shares.words()[bucket] & 0xffff) + (at[i] >> 16);
            s->keys[to] = bits[i];
            s->tags[to] = bucket << 16 | p;
        }
    }
    if (threadIdx.x < SMALL_PAD) {
        s->keys[n + threadIdx.x] = (BITS) ~(BITS)0;
        s->tags[n + threadIdx.x] = UINT32_MAX;
    }
    __syncthreads();
    if (dense) {
        if (!small_mark_mixed(s, n))
            return false;
        if (TIES)
            small_order_equal(s);
    }
    small_settle(s, code, job);
    return true;
}

template <typename BITS, int THREADS, int ITEMS, bool TIES>
static constexpr size_t small_bytes(void)
{
    size_t const digits = sizeof(small_digits<BITS, THREADS, ITEMS>);
    size_t const buckets = sizeof(small_buckets<BITS, THREADS, ITEMS, TIES>);
    return buckets > digits ? buckets : digits;
}

#endif
