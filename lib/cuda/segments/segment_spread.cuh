/* segment_spread.cuh - one block sorts a segment of up to 16384 records of 4 bytes, or 8192 of 8
 * bytes, in shared memory.
 *
 * The records are distributed over two buckets for each of them, between the smallest and the
 * largest key: evenly by value, or by the logarithm of the value if that fills a bucket. One atomic
 * per record counts a bucket and gives the rank of the record in it; a scan gives the starts of the
 * buckets. Records are then at most 8 places from their final places, and two rounds of windows of
 * 16 records in registers sort them. If a bucket has more than 9 records and the records are not in
 * order, the block sorts them by block_bitonic.cuh. Cost: one read and one write. Shared memory: 8
 * to 13 bytes per record. */
#ifndef ORDO_CUDA_SEGMENTS_SEGMENT_SPREAD_H
#define ORDO_CUDA_SEGMENTS_SEGMENT_SPREAD_H

#include "cuda/block/block_before.cuh"
#include "cuda/block/block_windows.cuh"
#include "cuda/segments/dev_segments_sort.cuh"

enum {
    ROW_ALIKE = 24,  /* if one of so many keys equals the key of another lane, too many are equal */
    ROW_LEAST = 1024 /* records of the smallest block */
};

/* Records per thread. */
static __host__ DEVICE constexpr int row_items(size_t record_size)
{
    return record_size > 4 ? 8 : 16;
}
/* Blocks of `threads` threads per multiprocessor, which the registers allow. */
static __host__ DEVICE constexpr int row_resident(int threads)
{
    return threads >= 1024 ? 1 : 1024 / threads;
}

template <typename KIND, int THREADS> struct row_memory {
    typedef typename KIND::BITS BITS;
    typedef typename KIND::K    K;

    static constexpr int      ITEMS = row_items(sizeof(K)), WARPS = THREADS / WARP_LANES;
    static constexpr unsigned RECORDS = THREADS * ITEMS, BUCKETS = 2 * RECORDS;

    static DEVICE constexpr unsigned at(unsigned p) { return windows_at<K>(p); }

    alignas(16) K keys[windows_at<K>(RECORDS + 2 * WARP_SORT_ITEMS)]; /* the records */
    alignas(16) uint32_t counts[RECORDS]; /* of two buckets each, 16 bits; later their starts */
    BITS     low[WARPS], high[WARPS];
    uint32_t sums[WARPS];
};

/* At least the bytes of the memory of a block for this number of records, a power of 2. */
template <typename K> static inline size_t row_bytes(unsigned records)
{
    unsigned const held = ordo_max(records, ROW_LEAST);
    return windows_at<K>(held + 2 * WARP_SORT_ITEMS) * sizeof(K) + held * sizeof(uint32_t) + 1024;
}

/* ---- The buckets ---- */

/* The map from key bits to buckets. */
template <typename BITS> struct row_line {
    typedef key_float<BITS>        FLOAT;
    typedef typename FLOAT::type   VALUE;
    const key_code_by_width<BITS> &code;
    BITS                           low, high; /* of finite keys */
    VALUE                          first;
    float                          scale;
    bool                           is_of_logarithms;

    DEVICE explicit row_line(const key_code_by_width<BITS> &its_code) : code(its_code) {}

    DEVICE VALUE value(BITS bits) const { return FLOAT::value(code.real.decode(bits)); }
    DEVICE bool  is_finite(BITS bits) const
    {
        VALUE const x = code.is_real ? value(bits) : (VALUE)0;
        return x - x == 0;
    }
    /* The distance from the lowest key; not for keys that are not finite. */
    DEVICE float distance(BITS bits) const
    {
        if (code.is_real && !is_of_logarithms)
            return (float)(code.real.descending ? first - value(bits) : value(bits) - first);
        float const apart = (float)(BITS)(bits - low);
        if (code.is_real || !is_of_logarithms)
            return apart;
        /* The bits of a float grow with its logarithm; those of 1 are 0x3f800000. */
        return apart < 1 ? 0 : (float)(__float_as_uint(apart) - 0x3f000000u);
    }
    DEVICE void begin(BITS from, BITS to, bool logarithms, unsigned buckets)
    {
        low = from;
        high = to;
        is_of_logarithms = logarithms;
        first = code.is_real ? value(from) : (VALUE)0;
        scale = (float)buckets / distance(to);
    }
    DEVICE unsigned bucket(BITS bits, unsigned last) const
    {
        if (code.is_real && bits < low)
            return 0;
        return code.is_real && bits > high ? last
                                           : min(__float2uint_rz(distance(bits) * scale), last);
    }
};

/* The smallest and the largest finite key bits of the block. Returns false, in all threads, if
 * there are not two of them, or if very many keys are equal. *ascends says, in all threads, whether
 * the first items of the threads of every warp are in order. Contains two barriers. */
template <typename KIND, int THREADS, int N, typename BITS = typename KIND::BITS>
static DEVICE bool row_find_ends(row_memory<KIND, THREADS> *memory, const row_line<BITS> &line,
                                 const typename KIND::K (&x)[N], unsigned count, BITS *low,
                                 BITS *high, bool *ascends)
{
    constexpr unsigned WARPS = THREADS / WARP_LANES;
    BITS               least = (BITS) ~(BITS)0, most = 0;
#pragma unroll
    for (int e = 0; e < N; e++) {
        BITS const bits = KIND::bits(x[e]);
        if (e * THREADS + threadIdx.x < count && line.is_finite(bits)) {
            least = min(least, bits);
            most = max(most, bits);
        }
    }
    BITS const     other = (BITS)__shfl_xor_sync(WARP_ALL, KIND::bits(x[0]), WARP_LANES / 2);
    BITS const     next = (BITS)__shfl_down_sync(WARP_ALL, KIND::bits(x[0]), 1);
    unsigned const falls = __any_sync(WARP_ALL, threadIdx.x + 1 < count && next < KIND::bits(x[0]));
    least = warp_smallest(least);
    most = warp_largest(most);
    if (lane_id() == 0) {
        memory->sums[threadIdx.x / WARP_LANES] = falls;
        memory->low[threadIdx.x / WARP_LANES] = least;
        memory->high[threadIdx.x / WARP_LANES] = most;
    }
    int const alike = __syncthreads_count(threadIdx.x < count && other == KIND::bits(x[0]));
    *low = warp_smallest(memory->low[lane_id() % WARPS]);
    *high = warp_largest(memory->high[lane_id() % WARPS]);
    *ascends = !__any_sync(WARP_ALL, memory->sums[lane_id() % WARPS] != 0);
    __syncthreads(); /* the ends of the next segment may be written */
    return *low < *high && (unsigned)alike * ROW_ALIKE <= min(count, (unsigned)THREADS);
}

/* Counts the records of the buckets: at[e] is the bucket of item e, above it 16 bits of its rank in
 * the bucket. Contains two barriers; one must follow. */
template <typename KIND, int THREADS, int N, typename BITS = typename KIND::BITS>
static DEVICE void row_count(row_memory<KIND, THREADS> *memory, const row_line<BITS> &line,
                             const typename KIND::K (&x)[N], unsigned count, uint32_t (&at)[N])
{
    typedef row_memory<KIND, THREADS> MEMORY;
#pragma unroll
    for (int i = 0; i < N / 4; i++)
        ((uint4 *)memory->counts)[threadIdx.x + i * THREADS] = make_uint4(0, 0, 0, 0);
    __syncthreads();
#pragma unroll
    for (int e = 0; e < N; e++)
        if (e * THREADS + threadIdx.x < count) {
            unsigned const bucket = line.bucket(KIND::bits(x[e]), MEMORY::BUCKETS - 1);
            unsigned const shift = bucket % 2 * 16;
            uint32_t const before = atomicAdd(&memory->counts[bucket / 2], 1u << shift);
            at[e] = bucket | (before >> shift & 0xffff) << 16;
        }
    __syncthreads();
}

/* Turns counts into starts. Returns the largest count of this thread's buckets. Contains one
 * barrier; one must follow. */
template <typename KIND, int THREADS>
static DEVICE unsigned row_scan(row_memory<KIND, THREADS> *memory)
{
    constexpr int WORDS = row_memory<KIND, THREADS>::ITEMS;
    uint4 *const  mine = (uint4 *)(memory->counts + threadIdx.x * WORDS);
    union {
        uint4    all[WORDS / 4];
        uint32_t word[WORDS];
    } part;
    uint32_t sum = 0, most = 0; /* of both halves of the words */
#pragma unroll
    for (int i = 0; i < WORDS / 4; i++)
        part.all[i] = mine[i];
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
        sum += part.word[i];
        most = __vmaxu2(most, part.word[i]);
    }
    sum = (sum & 0xffff) + (sum >> 16);
    uint32_t at = block_sum_before<THREADS / WARP_LANES>(sum, memory->sums);
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
        uint32_t const low = part.word[i] & 0xffff, high = part.word[i] >> 16;
        part.word[i] = at | (at + low) << 16;
        at += low + high;
    }
#pragma unroll
    for (int i = 0; i < WORDS / 4; i++)
        mine[i] = part.all[i];
    return max(most & 0xffff, most >> 16);
}

/* ---- The sort ---- */

/* Whether the records are in order. Contains one barrier. */
template <typename K, int THREADS>
static DEVICE bool row_is_sorted(const K *records, unsigned count)
{
    bool falls = false;
    for (unsigned p = threadIdx.x; p + 1 < count; p += THREADS)
        falls |= records[windows_at<K>(p + 1)] < records[windows_at<K>(p)];
    return !__syncthreads_or(falls);
}

/* Moves every record to the place that the buckets give. Ends with a barrier. */
template <typename KIND, int THREADS, int N>
static DEVICE void row_scatter(row_memory<KIND, THREADS> *memory, const typename KIND::K (&x)[N],
                               unsigned                   count, const uint32_t (&at)[N])
{
    typedef typename KIND::K K;
#pragma unroll
    for (int e = 0; e < N; e++)
        if (e * THREADS + threadIdx.x < count) {
            unsigned const bucket = at[e] & 0xffff;
            uint32_t const starts = memory->counts[bucket / 2];
            unsigned const place = (starts >> bucket % 2 * 16 & 0xffff) + (at[e] >> 16);
            memory->keys[windows_at<K>(place)] = x[e];
        }
    for (unsigned p = threadIdx.x; p < 2 * WARP_SORT_ITEMS; p += THREADS)
        memory->keys[windows_at<K>(count + p)] = last_record<K>();
    __syncthreads();
}

/* Whether many keys are equal: those of many threads and of the threads 16 lanes away. Contains one
 * barrier. */
template <typename KIND, int THREADS, int N>
static DEVICE bool row_has_ties(const typename KIND::K (&x)[N], unsigned count)
{
    bool alike = false;
#pragma unroll
    for (int e = 0; e < N; e++) {
        auto const bits = KIND::bits(x[e]);
        auto const other = __shfl_xor_sync(WARP_ALL, bits, WARP_LANES / 2);
        alike |= e * THREADS + threadIdx.x < count && other == bits;
    }
    return __syncthreads_count(alike) * ROW_ALIKE > THREADS;
}

/* Writes the records to memory->keys in their order and returns whether that sorts them. Contains
 * two barriers. */
template <typename KIND, int THREADS, int N>
static DEVICE bool row_keeps_order(row_memory<KIND, THREADS> *memory,
                                   const typename KIND::K (&x)[N], unsigned count)
{
    typedef typename KIND::K K;
#pragma unroll
    for (int e = 0; e < N; e++)
        if (e * THREADS + threadIdx.x < count)
            memory->keys[windows_at<K>(e * THREADS + threadIdx.x)] = x[e];
    __syncthreads();
    return row_is_sorted<K, THREADS>(memory->keys, count);
}

/* Sorts `count` records of the block to memory->keys; item e is record e * THREADS +
 * threadIdx.x. Returns false, in all threads, if the keys are too uneven. Full buckets are no
 * problem if the keys of each are equal. Ends with a barrier. */
template <typename KIND, int THREADS, int N, typename BITS = typename KIND::BITS>
static DEVICE bool row_sort(row_memory<KIND, THREADS> *memory, const key_code_by_width<BITS> &code,
                            const typename KIND::K (&x)[N], unsigned                          count)
{
    typedef typename KIND::K K;
    row_line<BITS>           line(code);
    BITS                     low, high;
    bool                     ascends;
    bool const               is_even = row_find_ends(memory, line, x, count, &low, &high, &ascends);
    if (ascends && row_keeps_order(memory, x, count))
        return true;
    if (!is_even)
        return false;
#pragma unroll 1
    for (int logarithms = 0; logarithms < 2; logarithms++) {
        uint32_t at[N];
        line.begin(low, high, logarithms != 0, row_memory<KIND, THREADS>::BUCKETS);
        row_count(memory, line, x, count, at);
        bool const far = __syncthreads_or(row_scan(memory) > WINDOWS_NEAR) != 0;
        if (far && KIND::indexed) { /* ties need the order of their indices */
            if (row_has_ties<KIND, THREADS>(x, count))
                return false;
            continue;
        }
        row_scatter(memory, x, count, at);
        if (!far)
            block_windows<row_memory<KIND, THREADS>, K>(memory, count);
        if (!far || row_is_sorted<K, THREADS>(memory->keys, count))
            return true;
    }
    return false;
}

#endif
