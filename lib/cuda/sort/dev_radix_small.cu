/* dev_radix_small.cu - a sort in one launch, for arrays that fit in the shared memory of one block.
 *
 * The key bits and 16-bit places are in shared memory, and mostly only places move, so one kernel
 * sorts keys, pairs and indices. Up to 4096 evenly spread keys go to as many buckets
 * (block_spread.cuh), and each key counts the smaller keys of its bucket. Other keys are sorted by
 * digits, least significant first (block_radix.cuh): only bits that differ, and at first only the
 * leading 16 or 24. If keys are then out of order, each key finds its place by counting the smaller
 * keys with the same prefix; if a prefix has too many keys, the sort repeats with all bits. Cost:
 * one read, one write. H200, 2048 keys: u32 5.0 us, u32 with u32 7.1, u64 with u64 8.5; the best of
 * CUB 7.4, 9.7, 14.1. */
#include "cuda/block/block_spread.cuh"
#include "cuda/sort/dev_radix_run.cuh"

enum {
    SMALL_PREFIX = 24, /* number of leading bits that are sorted first */
    SMALL_SHORT = 16,  /* enough if few keys agree in these bits */
    SMALL_ALIKE = 2,   /* most other keys that a key may agree with */
    SMALL_FULL = 128,  /* most keys of a bucket */
    SMALL_DENSE = 24,  /* a bucket with more keys is dense */
    SMALL_CROWD = 16   /* one thread in so many may have dense buckets; one in four times so many,
                        * buckets with twice as many keys */
};

/* Memory of the buckets; tags[p] has the bucket in the high 16 bits and the index of the key at
 * place p in the low 16 bits. */
template <int THREADS, int ITEMS> struct small_buckets {
    spread_shared<THREADS> spread;
    uint32_t               tags[THREADS * ITEMS];
};
template <int THREADS> struct small_buckets<THREADS, 16> { /* too many keys for buckets */
};

template <typename CODE, int THREADS, int ITEMS> struct small_shared {
    typename CODE::BITS keys[THREADS * ITEMS];
    uint16_t            order[THREADS * ITEMS]; /* index of the key at each place */
    union {
        radix_counters<THREADS / 32>  counters;
        small_buckets<THREADS, ITEMS> buckets;
    };
    typename CODE::BITS ones, zeros; /* bits set in some key; bits not set in all */
};

static DEVICE const void *small_source(const radix_job &job)
{
    return job.source != NULL ? job.source : job.keys[0];
}

/* Sorts the places stably by the bits [low, high) of their keys. */
template <typename CODE, int THREADS, int ITEMS>
static __device__ void small_sort_bits(small_shared<CODE, THREADS, ITEMS> *shared, CODE const &code,
                                       unsigned items, unsigned low, unsigned high)
{
    block_sort_places<ITEMS>(&shared->counters, shared->order, items, low, high,
                             [&](unsigned p) { return code.fold(shared->keys[p]); });
}

/* The first bit to sort by. The 31 other keys of a warp are a sample: a key meets 31 / n of the
 * keys that share its leading bits. Called by all threads; valid in all. */
template <typename CODE, int THREADS, int ITEMS>
static __device__ unsigned small_from(const small_shared<CODE, THREADS, ITEMS> *shared,
                                      CODE const &code, unsigned low, unsigned high, unsigned n)
{
    if (high - low <= SMALL_SHORT)
        return low;
    unsigned const looked = min(n, (unsigned)THREADS);
    unsigned const mine = (unsigned)(code.fold(shared->keys[threadIdx.x]) >> (high - SMALL_SHORT));
    bool const     here = threadIdx.x < n;
    uint32_t const peers = __match_any_sync(WARP_ALL, here ? mine : ~threadIdx.x);
    unsigned const alike = (unsigned)__syncthreads_count(here && (peers & (peers - 1)) != 0);
    if (alike * n <= SMALL_ALIKE * 31 * looked)
        return high - SMALL_SHORT;
    return radix_prefix<SMALL_PREFIX>(code.fold(shared->keys[threadIdx.x]), here, low, high);
}

/* Orders keys that are sorted by their bits from `shift` on. Returns false, in all threads and with
 * nothing changed, if a group with one prefix is too large. */
template <typename CODE, int THREADS, int ITEMS, typename BITS = typename CODE::BITS>
static __device__ bool small_finish(small_shared<CODE, THREADS, ITEMS> *shared, CODE const &code,
                                    unsigned shift, unsigned end)
{
    auto const bits_at = [&](unsigned p) { return code.fold(shared->keys[shared->order[p]]); };
    bool       turned = false, too_long = false;
    for (unsigned p = threadIdx.x + 1; p < end; p += THREADS)
        turned |= bits_at(p - 1) > bits_at(p);
    if (!__syncthreads_or(turned))
        return true;
    uint32_t move[ITEMS]; /* current index (high 16 bits) and target place (low 16 bits) */
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        unsigned const p = threadIdx.x + i * THREADS;
        if (p >= end)
            continue;
        BITS const     mine = bits_at(p);
        uint32_t const to = radix_place(p, end, mine, shift, &too_long, bits_at);
        move[i] = (uint32_t)shared->order[p] << 16 | to;
    }
    if (__syncthreads_or(too_long))
        return false;
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (threadIdx.x + i * THREADS < end)
            shared->order[move[i] % 65536] = (uint16_t)(move[i] / 65536);
    __syncthreads();
    return true;
}

/* Sorts the places of the keys by digits. */
template <typename CODE, int THREADS, int ITEMS, typename BITS = typename CODE::BITS>
static DEVICE void small_by_digits(small_shared<CODE, THREADS, ITEMS> *shared, CODE const &code,
                                   const radix_job &job)
{
    unsigned const n = (unsigned)job.n;
    unsigned const items = (n + THREADS - 1) / THREADS;
    if (threadIdx.x == 0) {
        shared->ones = 0;
        shared->zeros = 0;
    }
    __syncthreads();
    BITS ones = 0, zeros = 0;
#pragma unroll 4
    for (unsigned p = threadIdx.x; p < items * THREADS; p += THREADS) {
        BITS bits = (BITS) ~(BITS)0;
        if (p < n) {
            bits = code.encode(load_sized<BITS>(small_source(job), p, job.key_size));
            ones |= code.fold(bits);
            zeros |= ~code.fold(bits);
        }
        shared->keys[p] = bits;
        shared->order[p] = (uint16_t)p;
    }
    radix_note_bits(ones, zeros, &shared->ones, &shared->zeros);
    __syncthreads();
    BITS const differ = shared->ones & shared->zeros;
    if (differ == 0)
        return;
    unsigned const low = radix_low_bit(differ), high = radix_high_bit(differ);
    unsigned       from = small_from(shared, code, low, high, n);
    for (;;) {
        small_sort_bits(shared, code, items, from, high);
        if (from == low || small_finish(shared, code, from, n))
            break;
        from = low;
    }
}

/* Sorts evenly spread keys and their places: each key counts the keys of its bucket that come
 * before it, by key and then by index. Returns false, in all threads, if the keys are too
 * uneven. */
template <typename CODE, int THREADS, int ITEMS, typename BITS = typename CODE::BITS>
static DEVICE bool small_by_buckets(small_shared<CODE, THREADS, ITEMS> *shared, CODE const &code,
                                    const radix_job &job)
{
    auto *const               s = &shared->buckets.spread;
    uint32_t *const           tags = shared->buckets.tags;
    unsigned const            n = (unsigned)job.n;
    spread_items<BITS, ITEMS> items;
    auto const                load = [&](unsigned p) {
        return load_sized<BITS>(small_source(job), p, job.key_size);
    };
    /* Every key reads all keys of its bucket: digits are faster if many buckets are dense. */
    auto const is_full = [](spread_counts const &mine) {
        uint32_t most = 0;
#pragma unroll
        for (int j = 0; j < SPREAD_SHARE; j++)
            most = max(most, mine.count[j]);
        int const dense = __syncthreads_count(most > SMALL_DENSE);
        int const twice = __syncthreads_count(most > 2 * SMALL_DENSE);
        return most > SMALL_FULL || dense * SMALL_CROWD > THREADS ||
               twice * 4 * SMALL_CROWD > THREADS;
    };
    if (!spread_keys(s, code.total, &items, n, load, is_full))
        return false;
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        unsigned const p = i * THREADS + threadIdx.x;
        if (p < n) {
            unsigned const at = spread_start(*s, items.bucket(i)) + items.rank(i);
            shared->keys[at] = code.encode(items.raw[i]);
            tags[at] = items.bucket(i) << 16 | p;
        }
    }
    __syncthreads();
    BITS     bits[ITEMS];
    uint32_t move[ITEMS]; /* source index (high 16 bits) and target place (low 16 bits) */
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        unsigned const p = i * THREADS + threadIdx.x;
        if (p >= n)
            continue;
        bits[i] = shared->keys[p];
        unsigned const to = spread_place(*s, code.fold(bits[i]), tags[p], tags,
                                         [&](unsigned q) { return code.fold(shared->keys[q]); });
        move[i] = tags[p] << 16 | to;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (i * THREADS + threadIdx.x < n) {
            shared->keys[move[i] & 0xffff] = bits[i];
            shared->order[move[i] & 0xffff] = (uint16_t)(move[i] >> 16);
        }
    __syncthreads();
    return true;
}

/* Writes the sorted array and its values. is_moved: the keys were moved, not only their places. */
template <typename CODE, int THREADS, int ITEMS, typename BITS = typename CODE::BITS>
static __device__ void small_write(small_shared<CODE, THREADS, ITEMS> *shared, CODE const &code,
                                   const radix_job &job, bool is_moved)
{
    unsigned const n = (unsigned)job.n;
#pragma unroll 1
    for (unsigned p = threadIdx.x; p < n; p += THREADS) {
        unsigned const source = shared->order[p];
        BITS const     bits = shared->keys[is_moved ? p : source];
        if (job.source == NULL)
            store_sized<BITS>((char *)job.keys[0] + (size_t)p * job.key_size, job.key_size,
                              code.decode(bits));
        else if (job.keep_keys)
            ((BITS *)job.keys[0])[p] = code.fold(bits);
        if (job.source != NULL)
            store_sized<uint64_t>((char *)job.values[0] + (size_t)p * job.value_out, job.value_out,
                                  source);
    }
    if (job.source != NULL || job.value_size == 0)
        return;
    __syncthreads();
    /* Values replace the keys in shared memory, half a value at a time if they have 8 bytes. */
    uint32_t *const words = (uint32_t *)shared->keys;
    unsigned const  halves = job.value_size / 4;
    for (unsigned h = 0; h < halves; h++) {
        uint32_t *const values = (uint32_t *)job.values[0] + h;
#pragma unroll 1
        for (unsigned p = threadIdx.x; p < n; p += THREADS)
            words[p] = values[p * halves];
        __syncthreads();
#pragma unroll 1
        for (unsigned p = threadIdx.x; p < n; p += THREADS)
            values[p * halves] = words[shared->order[p]];
        __syncthreads();
    }
}

template <typename CODE, int THREADS, int ITEMS>
static __global__ void __launch_bounds__(THREADS, 1)
    radix_small_kernel(radix_job const job, CODE const code)
{
    extern __shared__ uint64_t small_words[];
    auto *const                shared = (small_shared<CODE, THREADS, ITEMS> *)small_words;
    bool                       is_moved = false;
    if constexpr (ITEMS < 16)
        is_moved = small_by_buckets(shared, code, job);
    if (!is_moved)
        small_by_digits(shared, code, job);
    small_write(shared, code, job, is_moved);
}

template <int THREADS, int ITEMS, typename CODE>
static ordo_status launch(cuda_call *call, const radix_job *job, CODE code)
{
    auto *const  kernel = radix_small_kernel<CODE, THREADS, ITEMS>;
    size_t const shared = sizeof(small_shared<CODE, THREADS, ITEMS>);
    TRY(cuda_allow_shared(call, kernel, shared));
    return CUDA_LAUNCH(call, kernel, 1, THREADS, shared, *job, code);
}

bool radix_is_small(const cuda_call *call, const radix_job *job)
{
    typedef radix_code<uint64_t, true, true>                         widest;
    typedef small_shared<widest, 1024, 4>                            half;
    typedef small_shared<widest, 1024, CUDA_TUNE_RADIX_SMALL / 1024> full;
    size_t const shared = job->n <= 1024 * 4 ? sizeof(half) : sizeof(full);
    return job->n <= CUDA_TUNE_RADIX_SMALL && shared <= call->facts->shared_bytes;
}

ordo_status radix_small(cuda_call *call, const radix_job *job, ordo_type type, bool descending)
{
    bool const ties = job->value_size != 0;
    return with_radix_code<true>(type, descending, KEY_TOTAL, [&](auto code) {
        if (!ties)
            code.unfold();
        if (job->n <= 512 * 4)
            return launch<512, 4>(call, job, code);
        if (job->n <= 1024 * 4)
            return launch<1024, 4>(call, job, code);
        return launch<1024, CUDA_TUNE_RADIX_SMALL / 1024>(call, job, code);
    });
}
