/* dev_sample_kernels.cuh - the kernels of the sample sort; dev_sample.cu launches them and explains
 * their order.
 *
 * A level splits several segments of the array at once. Only the device knows the segments, so
 * grids have a fixed size, and each block loops over segments or over spans of segments. */
#ifndef ORDO_PAPERS_HYBRID_DEV_SAMPLE_KERNELS_H
#define ORDO_PAPERS_HYBRID_DEV_SAMPLE_KERNELS_H

#include "cuda/block/block_bitonic.cuh"
#include "cuda/sort/merge_sorted.cuh"

enum {
    SPLIT_LG = 8,
    SPLIT_LEAVES = 1 << SPLIT_LG,
    SPLITTERS = SPLIT_LEAVES - 1,
    BUCKETS = 2 * SPLIT_LEAVES, /* the last one is always empty */
    SAMPLES = 1024,
    TAKE = SAMPLES / SPLIT_LEAVES,
    BUCKET_BYTES = 32 << 10, /* most bytes of a bucket that is sorted in shared memory */
    SPAN_RECORDS = 8192,     /* smallest number of records of a span, if the segment has that
                              * many */
    MOST_SPANS = 1024,       /* most spans of a segment */
    THREADS = 512,
    RESIDENT = 4, /* blocks per multiprocessor */
    SCAN_THREADS = 1024,
    TOTAL_THREADS = 64
};

struct segment {
    unsigned long long start, count;
};

static_assert(BUCKETS % TOTAL_THREADS == 0, "every bucket has a thread");

struct sample_tables {
    unsigned           *segments[2]; /* number of segments of this level and of the next */
    segment            *segment_at[2];
    unsigned long long *span_first; /* [segments + 1] spans before each segment */
    unsigned long long *counts;     /* [spans][BUCKETS]; later the start of each bucket of a span */
    unsigned long long *bucket_first; /* [segments][BUCKETS + 1] */
    uint16_t           *labels;
    void               *splitters; /* [segments][SPLITTERS] */
    unsigned            lg; /* of the leaves of level 0; other levels have SPLIT_LG. If it is not
                             * SPLIT_LG, the arrays above have room for the only segment */
    void               *finished; /* the third array of records */
};

template <typename K> static __host__ __device__ constexpr size_t bucket_records(void)
{
    return BUCKET_BYTES / sizeof(K);
}

/* Bytes of shared memory for the largest bucket. */
template <typename K> static __host__ __device__ constexpr size_t bucket_room(void)
{
    return bitonic_room<K>((unsigned)bucket_records<K>()) * sizeof(K);
}

/* The most segments of a level: buckets too large for shared memory. */
static size_t most_segments(size_t n, size_t record_size)
{
    return 1 + n / (BUCKET_BYTES / record_size);
}

/* All tables except labels and finished, which are arrays as long as the input. */
static sample_tables sample_layout(cuda_scratch *scratch, unsigned lg, size_t n, size_t record_size)
{
    size_t const  leaves = (size_t)1 << lg;
    size_t const  segments = most_segments(n, record_size);
    size_t const  spans = segments + n / SPAN_RECORDS;
    sample_tables tables = {};
    tables.lg = lg;
    for (int i = 0; i < 2; i++) {
        tables.segments[i] = scratch_take<unsigned>(scratch, 1);
        tables.segment_at[i] = scratch_take<segment>(scratch, segments);
    }
    tables.span_first = scratch_take<unsigned long long>(scratch, segments + 1);
    tables.counts =
        scratch_take<unsigned long long>(scratch, ordo_max(spans * BUCKETS, 2 * leaves));
    tables.bucket_first = scratch_take<unsigned long long>(
        scratch, ordo_max(segments * (BUCKETS + 1), 2 * leaves + 1));
    tables.splitters =
        scratch_take<char>(scratch, ordo_max(segments * SPLITTERS, leaves) * record_size);
    return tables;
}

static __global__ void first_segment(sample_tables const tables, size_t n)
{
    *tables.segments[0] = 1;
    *tables.segments[1] = 0;
    tables.segment_at[0][0].start = 0;
    tables.segment_at[0][0].count = n;
}

/* ---- Results of pairs (backend/sample.h) ---- */

template <typename K, typename CODE>
static __global__ void decode_pairs(const K *records, size_t n, CODE code,
                                    typename CODE::BITS *keys)
{
    typedef typename CODE::BITS BITS;
    grid_each(n, [&](size_t i) {
        if constexpr (sizeof(K) == sizeof(key_record))
            keys[i] = code.decode((BITS)records[i].key);
        else
            keys[i] = code.decode((BITS)(records[i] >> 32));
    });
}

/* Looks up values of `units` units each; one thread per unit. */
template <typename K, typename UNIT>
static __global__ void look_up(const K *records, size_t n, const UNIT *values, size_t units,
                               UNIT *found)
{
    grid_each(n * units, [&](size_t i) {
        size_t const record = units == 1 ? i : i / units, unit = i - record * units;
        found[i] = values[record_index(records[record]) * units + unit];
    });
}

/* ---- I: splitters ---- */

static DEVICE unsigned long long spread(unsigned long long x)
{
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

/* Draws one record of each of 1024 equal parts of the segment, at a place that depends only on the
 * segment. */
template <typename K>
static __global__ void __launch_bounds__(THREADS)
    choose_splitters(sample_tables const tables, int level, const K *records)
{
    __shared__ __align__(16) unsigned char room[bitonic_room<K>(SAMPLES) * sizeof(K)];
    K *const                               sample = (K *)room;
    unsigned const                         segments = *tables.segments[level % 2];
    for (unsigned s = blockIdx.x; s < segments; s += gridDim.x) {
        segment const whole = tables.segment_at[level % 2][s];
        for (unsigned i = threadIdx.x; i < SAMPLES; i += THREADS) {
            unsigned long long const lo = whole.count / SAMPLES * i;
            unsigned long long const part = whole.count / SAMPLES;
            sample[bitonic_at<K>(i)] = records[whole.start + lo + spread(whole.start + i) % part];
        }
        block_bitonic_sort(sample, SAMPLES);
        K *const splitters = (K *)tables.splitters + (size_t)s * SPLITTERS;
        for (unsigned i = threadIdx.x; i < SPLITTERS; i += THREADS)
            splitters[i] = sample[bitonic_at<K>(TAKE * (i + 1))];
        __syncthreads();
    }
}

/* ---- Spans ---- */

static DEVICE unsigned long long spans_of(unsigned long long count)
{
    unsigned long long const spans = (count + SPAN_RECORDS - 1) / SPAN_RECORDS;
    return spans < MOST_SPANS ? spans : MOST_SPANS;
}

/* Prefix sums of the numbers of spans of the segments, to span_first; one block. */
static __global__ void __launch_bounds__(SCAN_THREADS)
    number_spans(sample_tables const tables, int level)
{
    __shared__ unsigned long long sums[SCAN_THREADS];
    unsigned const                segments = *tables.segments[level % 2];
    unsigned long long            before = 0;
    if (threadIdx.x == 0) /* empties the next level's list */
        *tables.segments[(level + 1) % 2] = 0;
    for (unsigned first = 0; first < segments; first += SCAN_THREADS) {
        unsigned const           s = first + threadIdx.x;
        unsigned long long const own =
            s < segments ? spans_of(tables.segment_at[level % 2][s].count) : 0;
        sums[threadIdx.x] = own;
        __syncthreads();
        for (unsigned step = 1; step < SCAN_THREADS; step *= 2) {
            unsigned long long const left = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
            __syncthreads();
            sums[threadIdx.x] += left;
            __syncthreads();
        }
        if (s < segments)
            tables.span_first[s] = before + sums[threadIdx.x] - own;
        before += sums[SCAN_THREADS - 1];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        tables.span_first[segments] = before;
}

struct span { /* records [lo, hi) of segment s */
    unsigned           s;
    unsigned long long lo, hi;
};

/* The span with this number. Called by all threads of a block. */
static DEVICE span find_span(const sample_tables &tables, int level, unsigned long long number)
{
    unsigned lo = 0, hi = *tables.segments[level % 2];
    while (hi - lo > 1) {
        unsigned const middle = lo + (hi - lo) / 2;
        if (tables.span_first[middle] <= number)
            lo = middle;
        else
            hi = middle;
    }
    segment const            whole = tables.segment_at[level % 2][lo];
    unsigned long long const spans = spans_of(whole.count);
    unsigned long long const each = (whole.count + spans - 1) / spans;
    unsigned long long const from = (number - tables.span_first[lo]) * each;
    unsigned long long const to = from + each;
    span                     found;
    found.s = lo;
    found.lo = whole.start + (from < whole.count ? from : whole.count);
    found.hi = whole.start + (to < whole.count ? to : whole.count);
    return found;
}

/* ---- I: labels ---- */

template <typename K> struct splitter_tree {
    K tree[SPLIT_LEAVES];   /* tree[1] is the root; the children of node j are 2 j and 2 j + 1 */
    K sorted[SPLIT_LEAVES]; /* in ascending order */
};

/* The place of a node in the sorted order: the middle of its subtree. */
static DEVICE unsigned sorted_place(unsigned node)
{
    unsigned const depth = 31 - (unsigned)__clz((int)node);
    unsigned const left = node - (1u << depth), span = SPLIT_LEAVES >> depth;
    return left * span + span / 2 - 1;
}

/* Builds the tree from 255 sorted splitters in device memory; ends with a barrier. */
template <typename K> static DEVICE void load_splitters(splitter_tree<K> *at, const K *splitters)
{
    for (unsigned i = threadIdx.x; i < SPLITTERS; i += blockDim.x) {
        at->sorted[i] = splitters[i];
        at->tree[i + 1] = splitters[sorted_place(i + 1)];
    }
    __syncthreads();
}

template <typename K> static DEVICE unsigned bucket_of(const splitter_tree<K> &at, const K &record)
{
    unsigned node = 1;
#pragma unroll
    for (int step = 0; step < SPLIT_LG; step++)
        node = 2 * node + (at.tree[node] < record ? 1 : 0);
    unsigned const below = node - SPLIT_LEAVES; /* number of splitters less than the record */
    bool const     equal = below < SPLITTERS && !(record < at.sorted[below]);
    return 2 * below + (equal ? 1 : 0);
}

template <typename K>
static __global__ void __launch_bounds__(THREADS)
    label_records(sample_tables const tables, int level, const K *records)
{
    __shared__ __align__(16) unsigned char room[sizeof(splitter_tree<K>)];
    splitter_tree<K> *const                tree = (splitter_tree<K> *)room;
    unsigned long long const               spans = tables.span_first[*tables.segments[level % 2]];
    for (unsigned long long number = blockIdx.x; number < spans; number += gridDim.x) {
        span const mine = find_span(tables, level, number);
        load_splitters(tree, (const K *)tables.splitters + (size_t)mine.s * SPLITTERS);
        for (unsigned long long i = mine.lo + threadIdx.x; i < mine.hi; i += THREADS) {
            tables.labels[i] = (uint16_t)bucket_of(*tree, records[i]);
        }
        __syncthreads(); /* the next span overwrites the tree */
    }
}

/* ---- II: one histogram per span, in shared memory ---- */

static __global__ void __launch_bounds__(THREADS)
    count_labels(sample_tables const tables, int level)
{
    __shared__ unsigned      counts[BUCKETS];
    unsigned long long const spans = tables.span_first[*tables.segments[level % 2]];
    for (unsigned long long number = blockIdx.x; number < spans; number += gridDim.x) {
        span const mine = find_span(tables, level, number);
        for (unsigned b = threadIdx.x; b < BUCKETS; b += THREADS)
            counts[b] = 0;
        __syncthreads();
        for (unsigned long long i = mine.lo + threadIdx.x; i < mine.hi; i += THREADS)
            atomicAdd(&counts[tables.labels[i]], 1u);
        __syncthreads();
        for (unsigned b = threadIdx.x; b < BUCKETS; b += THREADS)
            tables.counts[number * BUCKETS + b] = counts[b];
        __syncthreads();
    }
}

/* Computes the histogram of the only segment of level 0; one thread per bucket. */
static __global__ void __launch_bounds__(TOTAL_THREADS)
    total_counts(sample_tables const tables, unsigned long long *totals)
{
    unsigned const           b = blockIdx.x * TOTAL_THREADS + threadIdx.x;
    unsigned long long const spans = tables.span_first[1];
    unsigned long long       total = 0;
#pragma unroll 8
    for (unsigned long long i = 0; i < spans; i++)
        total += tables.counts[i * BUCKETS + b];
    totals[b] = total;
}

/* ---- III: where each bucket of each span begins, and the scatter ---- */

static __global__ void __launch_bounds__(BUCKETS)
    place_buckets(sample_tables const tables, int level)
{
    __shared__ unsigned long long sums[BUCKETS];
    unsigned const                segments = *tables.segments[level % 2], b = threadIdx.x;
    for (unsigned s = blockIdx.x; s < segments; s += gridDim.x) {
        unsigned long long const first = tables.span_first[s], end = tables.span_first[s + 1];
        unsigned long long       total = 0;
#pragma unroll 8
        for (unsigned long long i = first; i < end; i++)
            total += tables.counts[i * BUCKETS + b];
        sums[b] = total;
        __syncthreads();
        for (unsigned step = 1; step < BUCKETS; step *= 2) {
            unsigned long long const left = b >= step ? sums[b - step] : 0;
            __syncthreads();
            sums[b] += left;
            __syncthreads();
        }
        unsigned long long at = tables.segment_at[level % 2][s].start + sums[b] - total;
        tables.bucket_first[(size_t)s * (BUCKETS + 1) + b] = at;
        if (b == BUCKETS - 1)
            tables.bucket_first[(size_t)s * (BUCKETS + 1) + BUCKETS] = at + total;
#pragma unroll 8
        for (unsigned long long i = first; i < end; i++) {
            unsigned long long const here = tables.counts[i * BUCKETS + b];
            tables.counts[i * BUCKETS + b] = at;
            at += here;
        }
        __syncthreads();
    }
}

/* The same for the only segment of level 0, whose buckets begin at given places. */
static __global__ void __launch_bounds__(TOTAL_THREADS)
    place_spans(sample_tables const tables, const unsigned long long *places)
{
    unsigned const           b = blockIdx.x * TOTAL_THREADS + threadIdx.x;
    unsigned long long const spans = tables.span_first[1];
    unsigned long long       at = places[b];
#pragma unroll 8
    for (unsigned long long i = 0; i < spans; i++) {
        unsigned long long const here = tables.counts[i * BUCKETS + b];
        tables.counts[i * BUCKETS + b] = at;
        at += here;
    }
}

/* Where the records of a bucket go. */
template <typename K> struct sample_target {
    K       *even, *odd; /* for the even and odd buckets of [first, end) */
    K       *elsewhere;  /* for all other buckets */
    unsigned first, end;

    DEVICE K *of(unsigned bucket) const
    {
        if (bucket < first || bucket >= end)
            return elsewhere;
        return bucket % 2 == 1 ? odd : even;
    }
};

template <typename K>
static __global__ void __launch_bounds__(THREADS)
    scatter_records(sample_tables const tables, int level, const K *from, sample_target<K> const to)
{
    __shared__ unsigned long long first[BUCKETS];
    __shared__ unsigned           taken[BUCKETS];
    unsigned long long const      spans = tables.span_first[*tables.segments[level % 2]];
    for (unsigned long long number = blockIdx.x; number < spans; number += gridDim.x) {
        span const mine = find_span(tables, level, number);
        for (unsigned b = threadIdx.x; b < BUCKETS; b += THREADS) {
            first[b] = tables.counts[number * BUCKETS + b];
            taken[b] = 0;
        }
        __syncthreads();
        for (unsigned long long i = mine.lo + threadIdx.x; i < mine.hi; i += THREADS) {
            unsigned const           bucket = tables.labels[i];
            unsigned long long const place = first[bucket] + atomicAdd(&taken[bucket], 1u);
            to.of(bucket)[place] = from[i];
        }
        __syncthreads();
    }
}

/* Moves records that come from other devices to their buckets (ORDO_SAMPLE_PLACE). A binary search
 * in the ascending table `from` finds the entry of each record. */
template <typename K>
static __global__ void __launch_bounds__(THREADS)
    place_records(const K *inbox, size_t n, const unsigned long long *from,
                  const unsigned long long *to, unsigned buckets, sample_target<K> const target)
{
    grid_each(n, [&](size_t i) {
        unsigned lo = 0, hi = buckets;
        while (hi - lo > 1) {
            unsigned const middle = lo + (hi - lo) / 2;
            if (from[middle] <= i)
                lo = middle;
            else
                hi = middle;
        }
        target.of(lo)[to[lo] + (i - from[lo])] = inbox[i];
    });
}

/* ---- IV: buckets sorted, or segments of the next level ---- */

template <typename K> static DEVICE void sort_shared(K *room, const K *from, K *to, unsigned count)
{
    unsigned const tile = bitonic_tile(count);
    for (unsigned i = threadIdx.x; i < tile; i += THREADS)
        room[bitonic_at<K>(i)] = i < count ? from[i] : last_record<K>();
    block_bitonic_sort(room, tile);
    for (unsigned i = threadIdx.x; i < count; i += THREADS)
        to[i] = room[bitonic_at<K>(i)];
    __syncthreads();
}

template <typename K>
static __global__ void __launch_bounds__(THREADS)
    sort_buckets(sample_tables const tables, int level, const K *records)
{
    __shared__ __align__(16) unsigned char room[bucket_room<K>()];
    unsigned const                         lg = level == 0 ? tables.lg : SPLIT_LG;
    unsigned const                         leaves = 1u << lg;
    unsigned long long const ranges = (unsigned long long)*tables.segments[level % 2] << lg;
    for (unsigned long long r = blockIdx.x; r < ranges; r += gridDim.x) {
        unsigned long long const *const first =
            tables.bucket_first + (r >> lg) * (2 * leaves + 1) + (r & (leaves - 1)) * 2;
        unsigned long long const count = first[1] - first[0];
        if (count > bucket_records<K>()) {
            if (threadIdx.x == 0) {
                unsigned const s = atomicAdd(tables.segments[(level + 1) % 2], 1u);
                tables.segment_at[(level + 1) % 2][s].start = first[0];
                tables.segment_at[(level + 1) % 2][s].count = count;
            }
        } else if (count > 0) {
            sort_shared((K *)room, records + first[0], (K *)tables.finished + first[0],
                        (unsigned)count);
        }
    }
}

template <typename K>
static __global__ void __launch_bounds__(THREADS) sort_one(const K *from, K *to, unsigned n)
{
    __shared__ __align__(16) unsigned char room[bucket_room<K>()];
    sort_shared((K *)room, from, to, n);
}

/* Sorts the segments left after the last level by a bitonic network in device memory, one block per
 * segment. */
template <typename K>
static __global__ void __launch_bounds__(THREADS)
    sort_stubborn(sample_tables const tables, int level, K *records)
{
    unsigned const segments = *tables.segments[level % 2];
    for (unsigned s = blockIdx.x; s < segments; s += gridDim.x) {
        segment const            whole = tables.segment_at[level % 2][s];
        unsigned long long const n = whole.count;
        K *const                 at = records + whole.start;
        for (unsigned long long size = 2; size / 2 < n; size *= 2) {
            for (unsigned long long gap = size / 2; gap > 0; gap /= 2) {
                for (unsigned long long t = threadIdx.x; t < (n + size - 1) / size * (size / 2);
                     t += THREADS) {
                    unsigned long long const low = t / gap * 2 * gap + t % gap;
                    unsigned long long const high =
                        gap == size / 2 ? low / size * size + size - 1 - low % size : low + gap;
                    if (high < n && at[high] < at[low]) {
                        K const other = at[low];
                        at[low] = at[high];
                        at[high] = other;
                    }
                }
                __syncthreads();
            }
        }
        for (unsigned long long i = threadIdx.x; i < n; i += THREADS)
            ((K *)tables.finished)[whole.start + i] = at[i];
        __syncthreads();
    }
}

#endif
