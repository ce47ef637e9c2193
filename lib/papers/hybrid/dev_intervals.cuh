/* dev_intervals.cuh - phases I to III of the sample sort with a larger tree, whose splitters are
 * keys at intervals of sqrt(n); dev_sample.cu launches the kernels. Only the whole input is split
 * with such a tree: buckets that are too large are split as in dev_sample_kernels.cuh.
 *
 * The sorted splitters stay in device memory; a search in them walks their balanced tree, whose
 * upper levels stay in the caches. A block keeps a histogram of its records in shared memory, adds
 * it to that of all blocks, and, when it scatters, reserves the places of its records in each
 * bucket. Places are 32 bits, so a GPU gets fewer than 2^32 records. From 2^26 keys on a histogram
 * takes 128 KB, which a GPU must have as shared memory. */
#ifndef ORDO_PAPERS_HYBRID_DEV_INTERVALS_H
#define ORDO_PAPERS_HYBRID_DEV_INTERVALS_H

#include "hybrid/stream/tuning.h"
#include "papers/hybrid/dev_sample_kernels.cuh"
#include "papers/hybrid/hybrid.h"

enum {
    WIDE_THREADS = 1024
};

/* Copies the regular sample of `size` records (sample_position). */
template <typename K>
static __global__ void pick_sample(const K *records, size_t n, size_t size, K *sample)
{
    size_t const each = n / size;
    grid_each(size, [&](size_t i) { sample[i] = records[i * each + each / 2]; });
}

/* Fills the tree of the sorted sample; no record is greater than the missing splitters. */
template <typename K>
static __global__ void pad_splitters(const K *sample, size_t size, size_t leaves, K *splitters)
{
    grid_each(leaves - 1,
              [&](size_t i) { splitters[i] = i < size ? sample[i] : last_record<K>(); });
}

template <typename K>
static __global__ void __launch_bounds__(THREADS)
    label_wide(const K *records, size_t n, const K *splitters, unsigned lg, uint16_t *labels)
{
    unsigned const leaves = 1u << lg;
    grid_each(n, [&](size_t i) {
        K const  record = records[i];
        unsigned below = 0;
        for (unsigned step = leaves / 2; step > 0; step /= 2)
            below += splitters[below + step - 1] < record ? step : 0;
        bool const equal = below < leaves - 1 && !(record < splitters[below]);
        labels[i] = (uint16_t)(2 * below + (equal ? 1 : 0));
    });
}

/* Counts the labels of the block's span in `counts`; ends with a barrier. */
static DEVICE void count_span(const uint16_t *labels, size_t lo, size_t hi, unsigned buckets,
                              unsigned *counts)
{
    for (unsigned b = threadIdx.x; b < buckets; b += WIDE_THREADS)
        counts[b] = 0;
    __syncthreads();
    for (size_t i = lo + threadIdx.x; i < hi; i += WIDE_THREADS)
        atomicAdd(&counts[labels[i]], 1u);
    __syncthreads();
}

/* The first record of the span of block `b`, or n. */
static DEVICE size_t wide_span(size_t n, unsigned b)
{
    size_t const each = (n + gridDim.x - 1) / gridDim.x, at = each * b;
    return at < n ? at : n;
}

/* Adds the histograms of all blocks to `totals`, which are 0. Dynamic shared memory: a count for
 * each bucket. */
static __global__ void __launch_bounds__(WIDE_THREADS)
    count_wide(const uint16_t *labels, size_t n, unsigned buckets, unsigned long long *totals)
{
    extern __shared__ unsigned counts[];
    count_span(labels, wide_span(n, blockIdx.x), wide_span(n, blockIdx.x + 1), buckets, counts);
    for (unsigned b = threadIdx.x; b < buckets; b += WIDE_THREADS)
        if (counts[b] != 0)
            atomicAdd(&totals[b], (unsigned long long)counts[b]);
}

/* Turns counts into the places of the buckets, also in first[0 .. buckets]; one block. */
static __global__ void __launch_bounds__(WIDE_THREADS)
    place_wide(unsigned buckets, unsigned long long *counts, unsigned long long *first)
{
    __shared__ unsigned long long sums[WIDE_THREADS];
    unsigned long long            before = 0;
    for (unsigned lo = 0; lo < buckets; lo += WIDE_THREADS) {
        unsigned const           b = lo + threadIdx.x;
        unsigned long long const own = b < buckets ? counts[b] : 0;
        sums[threadIdx.x] = own;
        __syncthreads();
        for (unsigned step = 1; step < WIDE_THREADS; step *= 2) {
            unsigned long long const left = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
            __syncthreads();
            sums[threadIdx.x] += left;
            __syncthreads();
        }
        if (b < buckets)
            counts[b] = first[b] = before + sums[threadIdx.x] - own;
        before += sums[WIDE_THREADS - 1];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        first[buckets] = before;
}

/* next[b] is the place of the next record of bucket b. Dynamic shared memory as count_wide. */
template <typename K>
static __global__ void __launch_bounds__(WIDE_THREADS)
    scatter_wide(const uint16_t *labels, size_t n, unsigned buckets, unsigned long long *next,
                 const K *from, sample_target<K> const to)
{
    extern __shared__ unsigned counts[]; /* later the place of the next record */
    size_t const               lo = wide_span(n, blockIdx.x), hi = wide_span(n, blockIdx.x + 1);
    count_span(labels, lo, hi, buckets, counts);
    for (unsigned b = threadIdx.x; b < buckets; b += WIDE_THREADS)
        if (counts[b] != 0)
            counts[b] = (unsigned)atomicAdd(&next[b], (unsigned long long)counts[b]);
    __syncthreads();
    for (size_t i = lo + threadIdx.x; i < hi; i += WIDE_THREADS) {
        unsigned const bucket = labels[i];
        to.of(bucket)[atomicAdd(&counts[bucket], 1u)] = from[i];
    }
}

#endif
