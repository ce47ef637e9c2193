/* dev_radix_parts.cuh - a sort of keys alone by a cluster of blocks, each of which sorts a part of
 * the key range: dev_radix_cluster.cu.
 *
 * Every block sorts the same sample of 128 keys. The keys of the sample at equal distances, one
 * less than there are blocks, divide the keys into parts of about the same length; equal keys are
 * divided by their index. The blocks tell each other how many keys of each part they have, write
 * the keys to the shared memory of the block of the part, and sort what they received by buckets
 * (dev_radix_small_buckets.cuh). Three barriers of the cluster. Nothing is written if a part is too
 * long for a block. */
#ifndef ORDO_CUDA_SORT_DEV_RADIX_PARTS_H
#define ORDO_CUDA_SORT_DEV_RADIX_PARTS_H

#include "cuda/block/block_cluster.cuh"
#include "cuda/sort/short/dev_radix_small_buckets.cuh"

enum {
    PARTS_THREADS = 512,
    PARTS_ITEMS = 16, /* most keys per thread of a part */
    PARTS_PLACES = PARTS_THREADS * PARTS_ITEMS,
    PARTS_READ = 8, /* most keys per thread that a block reads */
    PARTS_MOST = 16 /* most blocks */
};

template <typename BITS> struct parts_shared {
    union {
        small_digits<BITS, PARTS_THREADS, PARTS_ITEMS>         digits;
        small_buckets<BITS, PARTS_THREADS, PARTS_ITEMS, false> buckets;
    };
    BITS received[PARTS_PLACES];
    alignas(16) BITS sample[SHARES_SAMPLE];
    BITS     ends[PARTS_MOST]; /* part p + 1 begins at key ends[p] with index end_index[p] */
    uint32_t end_index[PARTS_MOST];
    uint32_t counts[2 * PARTS_MOST];        /* keys of this block in each part; one for no key */
    uint32_t table[PARTS_MOST][PARTS_MOST]; /* counts of all blocks */
    uint32_t offsets[PARTS_MOST];           /* where the keys of this block begin in each part */
    uint32_t lengths[PARTS_MOST];
};

#ifdef HAVE_CLUSTERS
/* Sorts the sample and finds the ends of the parts. Ends with a barrier; one must come before. */
template <typename BITS>
static DEVICE void parts_divide(parts_shared<BITS> *s, unsigned blocks, unsigned n)
{
    constexpr unsigned GROUP = PARTS_THREADS / SHARES_SAMPLE;
    unsigned const     k = threadIdx.x / GROUP;
    unsigned const     place = shares_rank<PARTS_THREADS>(s->sample), each = SHARES_SAMPLE / blocks;
    if (threadIdx.x % GROUP == 0 && place % each == each - 1 && place + 1 < SHARES_SAMPLE) {
        s->ends[place / each] = s->sample[k];
        s->end_index[place / each] = shares_drawn(k, n);
    }
    if (threadIdx.x + 1 >= blocks && threadIdx.x < PARTS_MOST) { /* after the last part */
        s->ends[threadIdx.x] = (BITS) ~(BITS)0;
        s->end_index[threadIdx.x] = UINT32_MAX;
    }
    __syncthreads();
}

/* The part of a key. */
template <typename BITS>
static DEVICE unsigned parts_of(const parts_shared<BITS> *s, BITS key, uint32_t index)
{
    unsigned part = 0;
#pragma unroll
    for (unsigned step = PARTS_MOST / 2; step > 0; step /= 2) {
        BITS const end = s->ends[part + step - 1];
        part += key > end || (key == end && index >= s->end_index[part + step - 1]) ? step : 0;
    }
    return part;
}

/* Adds the keys of a warp to the counts of their parts; returns the rank of the caller's key. */
static DEVICE uint32_t parts_rank(uint32_t *counts, unsigned part)
{
    uint32_t const peers = warp_match<5>(part);
    int const      leader = __ffs((int)peers) - 1;
    uint32_t       first = 0;
    if (lane_id() == (unsigned)leader)
        first = atomicAdd(counts + part, (uint32_t)__popc(peers));
    return __shfl_sync(WARP_ALL, first, leader) + __popc(peers & lanes_before());
}

/* Tells all blocks the counts of this one and finds offsets and lengths. Returns false, in all
 * threads of the cluster, if a part is too long. */
template <typename BITS> static DEVICE bool parts_agree(parts_shared<BITS> *s)
{
    unsigned const me = cluster_rank(), blocks = cluster_size(), lane = lane_id();
    unsigned const warp = threadIdx.x / 32, block = threadIdx.x / PARTS_MOST;
    static_assert(PARTS_THREADS / 32 == PARTS_MOST, "a warp for each part");
    __syncthreads();
    cluster_wait(); /* all blocks have started */
    if (block < blocks)
        cluster_store(cluster_address(&s->table[me][threadIdx.x % PARTS_MOST], block),
                      s->counts[threadIdx.x % PARTS_MOST]);
    cluster_arrive();
    cluster_wait();
    uint32_t const count = lane < blocks ? s->table[lane % PARTS_MOST][warp] : 0;
    uint32_t const length = __reduce_add_sync(WARP_ALL, count);
    uint32_t const offset = __reduce_add_sync(WARP_ALL, lane < me ? count : 0);
    s->offsets[warp] = offset;
    s->lengths[warp] = length;
    return !__syncthreads_or(length > PARTS_PLACES);
}

/* Sorts the keys that the block received to the places of the result from `first` on. */
template <typename CODE, typename BITS>
static DEVICE void parts_finish(parts_shared<BITS> *s, CODE const &code, const radix_job &job,
                                unsigned first, unsigned n)
{
    radix_job part = job;
    part.n = n;
    part.keys[0] = (char *)job.keys[0] + (size_t)first * job.key_size;
    if (n == 0)
        return;
    BITS bits[PARTS_ITEMS];
#pragma unroll
    for (int i = 0; i < PARTS_ITEMS; i++) {
        unsigned const p = i * PARTS_THREADS + threadIdx.x;
        bits[i] = p < n ? s->received[p] : 0;
    }
    small_clear(&s->buckets);
    if (threadIdx.x < SHARES_SAMPLE)
        s->buckets.shares.sample[threadIdx.x] = s->received[shares_drawn(threadIdx.x, n)];
    if (small_by_buckets(&s->buckets, code, part, bits))
        return;
    __syncthreads();
    small_by_digits(&s->digits, code, n, [&](unsigned p) { return s->received[p]; });
    small_write(&s->digits, code, part);
}

/* Sorts job.n keys; block b reads the `tile` keys from b * tile on. Returns false, in all threads
 * of the cluster and with nothing written, if a part is too long. */
template <typename CODE, typename BITS = typename CODE::BITS>
static DEVICE bool parts_sort(parts_shared<BITS> *s, CODE const &code, const radix_job &job,
                              unsigned tile)
{
    unsigned const t = threadIdx.x, me = cluster_rank(), n = (unsigned)job.n;
    unsigned const first = me * tile, end = min(first + tile, n);
    BITS           bits[PARTS_READ], drawn = 0;
    uint32_t       at[PARTS_READ]; /* part (low 16 bits) and rank in it */
    cluster_arrive();
#pragma unroll
    for (int i = 0; i < PARTS_READ; i++) {
        unsigned const p = first + i * PARTS_THREADS + t;
        bits[i] = p < end ? small_load<CODE>(job, p) : (BITS)0;
    }
    if (t < SHARES_SAMPLE)
        drawn = small_load<CODE>(job, shares_drawn(t, n));
    if (t < 2 * PARTS_MOST)
        s->counts[t] = 0;
    if (t < SHARES_SAMPLE)
        s->sample[t] = code.encode(drawn);
    __syncthreads();
    parts_divide(s, cluster_size(), n);
#pragma unroll
    for (int i = 0; i < PARTS_READ; i++) {
        unsigned const p = first + i * PARTS_THREADS + t;
        if (i * PARTS_THREADS >= tile)
            break;
        bits[i] = code.encode(bits[i]);
        unsigned const part = p < end ? parts_of(s, bits[i], p) : PARTS_MOST;
        at[i] = part | parts_rank(s->counts, part) << 16;
    }
    if (!parts_agree(s))
        return false;
#pragma unroll
    for (int i = 0; i < PARTS_READ; i++) {
        unsigned const part = at[i] & 0xffff;
        if (i * PARTS_THREADS < tile && first + i * PARTS_THREADS + t < end)
            cluster_store(cluster_address(s->received + s->offsets[part] + (at[i] >> 16), part),
                          bits[i]);
    }
    cluster_arrive();
    cluster_wait();
    unsigned before = 0;
    for (unsigned part = 0; part < me; part++)
        before += s->lengths[part];
    parts_finish(s, code, job, before, s->lengths[me]);
    return true;
}
#endif

#endif
