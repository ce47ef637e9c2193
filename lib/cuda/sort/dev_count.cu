/* dev_count.cu - sorts keys of one or two bytes by counting.
 *
 * Three kernels: a histogram of all 2^8 or 2^16 values in shared memory, its scan, and a fill
 * (dev_fill.cuh). One read and one write of the keys. For two bytes a word of shared memory holds
 * two counters of 16 bits; the thread whose addition makes a counter reach 2^15 moves 2^15 to
 * global memory. Scratch: 16 bytes per value. */
#include "cuda/block/block_scan.cuh"
#include "cuda/runtime/cuda_keys.cuh"
#include "cuda/sort/dev_fill.cuh"
#include "cuda/sort/dev_radix.cuh"

enum {
    COUNT_THREADS = 1024
};

struct count_tables {
    unsigned long long *bins;   /* [values] */
    uint64_t           *starts; /* [values + 1] */
};

static count_tables count_layout(cuda_scratch *scratch, const ordo_sort_job *job)
{
    size_t const values = (size_t)1 << 8 * cuda_type_size(job->type);
    count_tables tables;
    tables.bins = scratch_take<unsigned long long>(scratch, values);
    tables.starts = scratch_take<uint64_t>(scratch, values + 1);
    return tables;
}

/* Counters in shared memory. 1-byte keys have COPIES counters per value; lanes use different
 * copies. */
template <typename KEY> struct count_shared;

template <> struct count_shared<uint8_t> {
    enum {
        COPIES = 8,
        VALUES = 1 << 8
    };
    uint32_t count[VALUES][COPIES];

    __device__ void      clear(unsigned i) { (&count[0][0])[i] = 0; }
    static constexpr int WORDS = VALUES * COPIES;
    __device__ void      add(unsigned key, unsigned times, unsigned long long *)
    {
        atomicAdd(&count[key][threadIdx.x % COPIES], times);
    }
    __device__ void flush(unsigned long long *bins) const
    {
        for (unsigned v = threadIdx.x; v < VALUES; v += COUNT_THREADS) {
            uint32_t sum = 0;
            for (unsigned c = 0; c < COPIES; c++)
                sum += count[v][c];
            if (sum != 0)
                atomicAdd(bins + v, (unsigned long long)sum);
        }
    }
};

template <> struct count_shared<uint16_t> {
    enum {
        VALUES = 1 << 16,
        WORDS = VALUES / 2,
        FULL = 1 << 15
    };
    uint32_t pair[WORDS];

    __device__ void clear(unsigned i) { pair[i] = 0; }
    __device__ void add(unsigned key, unsigned times, unsigned long long *bins)
    {
        unsigned const shift = key % 2 * 16;
        unsigned const before = atomicAdd(pair + key / 2, times << shift) >> shift & 0xffff;
        /* Until the counter is emptied, other threads add less than another 2^15. */
        if (before < FULL && before + times >= FULL) {
            atomicSub(pair + key / 2, (unsigned)FULL << shift);
            atomicAdd(bins + key, (unsigned long long)FULL);
        }
    }
    __device__ void flush(unsigned long long *bins) const
    {
        for (unsigned w = threadIdx.x; w < WORDS; w += COUNT_THREADS) {
            uint32_t const word = pair[w];
            if (word % 65536 != 0)
                atomicAdd(bins + 2 * w, (unsigned long long)(word % 65536));
            if (word / 65536 != 0)
                atomicAdd(bins + 2 * w + 1, (unsigned long long)(word / 65536));
        }
    }
};

template <typename KEY>
static __global__ void __launch_bounds__(COUNT_THREADS)
    count_histogram(const KEY *keys, size_t n, KEY flip, unsigned long long *bins)
{
    constexpr int EACH = 16 / sizeof(KEY);
    extern __shared__ uint32_t count_words[];
    auto *const                shared = (count_shared<KEY> *)count_words;
    for (unsigned i = threadIdx.x; i < count_shared<KEY>::WORDS; i += COUNT_THREADS)
        shared->clear(i);
    __syncthreads();

    size_t const       head = min((16 - (size_t)keys % 16) % 16 / sizeof(KEY), n);
    size_t const       chunks = (n - head) / EACH;
    const uint4 *const vectors = (const uint4 *)(keys + head);
    size_t const       threads = (size_t)gridDim.x * COUNT_THREADS;
    size_t const       me = (size_t)blockIdx.x * COUNT_THREADS + threadIdx.x;
    for (size_t base = me - threadIdx.x % 32; base < chunks; base += threads) {
        size_t const   c = base + threadIdx.x % 32;
        vector_16<KEY> chunk;
        if (c < chunks)
            chunk.all = vectors[c];
        /* Adds a warp full of one key at once instead of 32 * EACH times to one counter. */
        unsigned const one = chunk.key[0] * (sizeof(KEY) == 1 ? 0x01010101u : 0x00010001u);
        bool const     even = c < chunks && chunk.all.x == one && chunk.all.y == one &&
                          chunk.all.z == one && chunk.all.w == one;
        int same;
        __match_all_sync(WARP_ALL, one, &same);
        if (__all_sync(WARP_ALL, even) && same) {
            if (threadIdx.x % 32 == 0)
                shared->add((KEY)(chunk.key[0] ^ flip), 32 * EACH, bins);
        } else if (c < chunks) {
#pragma unroll
            for (unsigned k = 0; k < EACH; k++)
                shared->add((KEY)(chunk.key[k] ^ flip), 1, bins);
        }
    }
    for (size_t i = me; i < head; i += threads)
        shared->add((KEY)(keys[i] ^ flip), 1, bins);
    for (size_t i = head + chunks * EACH + me; i < n; i += threads)
        shared->add((KEY)(keys[i] ^ flip), 1, bins);
    __syncthreads();
    shared->flush(bins);
}

/* starts[v] = bins[0] + ... + bins[v - 1]; one value per thread. Every block sums all bins before
 * its own, which is faster than waiting for another block. */
static __global__ void __launch_bounds__(COUNT_THREADS)
    count_scan(const unsigned long long *bins, uint64_t *starts, unsigned values)
{
    typedef scan_add<uint64_t> ADD;
    constexpr int              WARPS = COUNT_THREADS / 32;
    __shared__ uint64_t        below[WARPS], sums[WARPS];
    unsigned const             v = blockIdx.x * COUNT_THREADS + threadIdx.x;
    uint64_t const             count = v < values ? bins[v] : 0;
    uint64_t                   before = 0;
#pragma unroll 8
    for (unsigned block = 0; block < blockIdx.x; block++)
        before += bins[block * COUNT_THREADS + threadIdx.x];
    uint64_t const at = block_reduce<ADD, WARPS>(before, below) +
                        block_scan_threads<ADD, WARPS>(count, sums).before;
    if (v < values)
        starts[v] = at;
    if (v + 1 == values)
        starts[values] = at + count;
}

template <typename KEY> struct count_values { /* for fill_sorted */
    const uint64_t *starts;
    KEY             flip;

    DEVICE bool     is_void(void) const { return false; }
    DEVICE unsigned last(void) const { return (1u << 8 * sizeof(KEY)) - 1; }
    DEVICE KEY      key(unsigned value) const { return (KEY)(value ^ flip); }
};

template <typename KEY>
static ordo_status count_keys(cuda_call *call, const ordo_sort_job *job, KEY flip)
{
    count_tables const tables = count_layout(&call->scratch, job);
    unsigned const     values = 1u << 8 * sizeof(KEY);
    size_t const       n = job->n, shared = sizeof(count_shared<KEY>), each = 16 / sizeof(KEY);
    KEY *const         keys = (KEY *)job->keys;

    TRY(cuda_allow_shared(call, count_histogram<KEY>, shared));
    CUDA_TRY(call->exec,
             cudaMemsetAsync(tables.bins, 0, values * sizeof *tables.bins, call->stream));
    size_t const most = (size_t)call->facts->sms * (sizeof(KEY) == 1 ? 2 : 1);
    size_t const blocks = ordo_div_up(n, COUNT_THREADS * each);
    TRY(CUDA_LAUNCH(call, count_histogram<KEY>, ordo_min(blocks, most), COUNT_THREADS, shared, keys,
                    n, flip, tables.bins));
    TRY(CUDA_LAUNCH(call, count_scan, ordo_div_up(values, COUNT_THREADS), COUNT_THREADS, 0,
                    tables.bins, tables.starts, values));
    return fill_launch(call, keys, n, count_values<KEY>{tables.starts, flip});
}

size_t dev_count_keys_scratch(const ordo_sort_job *job) { return scratch_of(count_layout, job); }

ordo_status dev_count_keys(cuda_call *call, const ordo_sort_job *job)
{
    if (job->type == ORDO_I8 || job->type == ORDO_U8)
        return count_keys<uint8_t>(
            call, job, integer_code<uint8_t>(job->type == ORDO_I8, job->descending).flip);
    return count_keys<uint16_t>(
        call, job, integer_code<uint16_t>(job->type == ORDO_I16, job->descending).flip);
}
