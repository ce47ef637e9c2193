/* dev_distinct.cu - sorts keys that have up to a few thousand distinct values by counting them.
 *
 * A sample tells whether there may be so few values. Then every block counts its keys in a hash
 * table in shared memory, to which it adds each new value. If a block finds too many values, the
 * count ends and the array stays unchanged. The blocks add their counts to a table in global
 * memory, which lists its values. One thread per value then adds the counts of all smaller values,
 * which gives the place of the value, and the array is filled (dev_fill.cuh). Zero means an empty
 * slot, so zeros are counted separately. Waits for the device. Cost: one read and one write.
 * Scratch: about 0.4 MB. */
#include "cuda/runtime/cuda_keys.cuh"
#include "cuda/runtime/cuda_tuning.cuh"
#include "cuda/sort/dev_fill.cuh"
#include "cuda/sort/dev_radix.cuh"
#include "cuda/warp/warp_scan.cuh"

enum {
    DISTINCT_MOST = CUDA_TUNE_DISTINCT_MANY, /* largest number of values, without zero */
    DISTINCT_DRAWN = 2 * DISTINCT_MOST,      /* keys of the sample */
    DISTINCT_SEEN = DISTINCT_MOST * 7 / 8,   /* most values of the sample */
    DISTINCT_MARKS = 65536, /* bits that keys of the sample set, to count their values */
    DISTINCT_SLOTS = 2 * DISTINCT_MOST,     /* slots of the table of a block */
    DISTINCT_ALL_SLOTS = 4 * DISTINCT_MOST, /* slots of the global table */
    DISTINCT_PROBES = 64,                   /* slots of the global table that a search looks at */
    DISTINCT_SAMPLE_THREADS = 1024,
    DISTINCT_THREADS = 512,
    DISTINCT_RANK_THREADS = 64
};

struct distinct_list {
    unsigned           crowded; /* the sample has too many values */
    unsigned           missed;  /* there are too many values: the array is not sorted */
    unsigned           values;  /* listed values */
    unsigned long long zeros;
    unsigned long long key[DISTINCT_ALL_SLOTS]; /* as in memory; 0: the slot is empty */
    unsigned long long count[DISTINCT_ALL_SLOTS];
    uint32_t           slot[DISTINCT_MOST];      /* the slots of the values, in any order */
    uint64_t           raw[DISTINCT_MOST + 1];   /* the values as in memory, in key order */
    uint64_t           start[DISTINCT_MOST + 1]; /* their first places in the sorted array */

    DEVICE bool     has_missed(void) const { return *(volatile const unsigned *)&missed != 0; }
    DEVICE void     miss(void) { *(volatile unsigned *)&missed = 1; }
    DEVICE unsigned all_values(void) const { return values + (zeros != 0); }
};

/* ---- the sample ----------------------------------------------------------------------------- */

/* Ends the attempt if the sample has too many values. One block. */
template <typename BITS>
static __global__ void __launch_bounds__(DISTINCT_SAMPLE_THREADS)
    distinct_sample(const BITS *keys, size_t n, distinct_list *list)
{
    __shared__ unsigned seen, marks[DISTINCT_MARKS / 32];
    for (unsigned i = threadIdx.x; i < DISTINCT_MARKS / 32; i += DISTINCT_SAMPLE_THREADS)
        marks[i] = 0;
    if (threadIdx.x == 0)
        seen = 0;
    __syncthreads();
    size_t const part = n / DISTINCT_DRAWN;
    unsigned     mine = 0;
#pragma unroll 4
    for (unsigned s = threadIdx.x; s < DISTINCT_DRAWN; s += DISTINCT_SAMPLE_THREADS) {
        size_t const   at = s * part + (size_t)(s * 0x9e3779b97f4a7c15ull >> 33) % part;
        unsigned const mark = (unsigned)(keys[at] * 0x9e3779b97f4a7c15ull >> 48);
        unsigned const bit = 1u << mark % 32;
        mine += (atomicOr(marks + mark / 32, bit) & bit) == 0;
    }
    mine = __reduce_add_sync(WARP_ALL, mine);
    if (lane_id() == 0)
        atomicAdd(&seen, mine);
    __syncthreads();
    if (threadIdx.x == 0)
        list->crowded = list->missed = seen > DISTINCT_SEEN;
}

/* ---- the count ------------------------------------------------------------------------------ */

static DEVICE uint32_t distinct_swap(uint32_t *slot, uint32_t key)
{
    return atomicCAS(slot, 0u, key);
}
static DEVICE uint64_t distinct_swap(uint64_t *slot, uint64_t key)
{
    return atomicCAS((unsigned long long *)slot, 0ull, (unsigned long long)key);
}

static DEVICE unsigned distinct_hash(uint64_t key)
{
    return (unsigned)(key * 0x9e3779b97f4a7c15ull >> 40);
}
static DEVICE unsigned distinct_hash(uint32_t key) { return key * 0x9e3779b1u >> 8; }

template <typename BITS> struct distinct_shared { /* the table of a block */
    BITS     key[DISTINCT_SLOTS];
    uint32_t count[DISTINCT_SLOTS];
    unsigned values;

    /* Counts a key that is not 0. Returns false if there are too many values. */
    DEVICE bool add(BITS mine)
    {
        unsigned at = distinct_hash(mine) % DISTINCT_SLOTS;
        for (;; at = (at + 1) % DISTINCT_SLOTS) {
            BITS there = *(volatile BITS *)(key + at);
            if (there == 0) {
                if (*(volatile unsigned *)&values >= DISTINCT_MOST)
                    return false;
                there = distinct_swap(key + at, mine);
                if (there == 0) {
                    atomicAdd(&values, 1u);
                    break;
                }
            }
            if (there == mine)
                break;
        }
        atomicAdd(count + at, 1u);
        return true;
    }
};

/* Calls add(key) for the keys of this thread, until *missed, which is_missed() also sets. */
template <typename BITS, typename IS_MISSED, typename ADD>
static DEVICE void distinct_read(const BITS *keys, size_t n, bool *missed, IS_MISSED &&is_missed,
                                 ADD &&add)
{
    constexpr unsigned EACH = sizeof(uint4) / sizeof(BITS), AT_ONCE = 4;
    size_t const       head = min((16 - (size_t)keys % 16) % 16 / sizeof(BITS), n);
    size_t const       count = (n - head) / EACH, tail = head + count * EACH;
    const uint4 *const vectors = (const uint4 *)(keys + head);
    size_t const       threads = (size_t)gridDim.x * blockDim.x;
    size_t const       me = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (size_t c = me; c < count && !*missed; c += AT_ONCE * threads) {
        vector_16<BITS> chunk[AT_ONCE];
#pragma unroll
        for (unsigned j = 0; j < AT_ONCE; j++)
            if (c + j * threads < count)
                chunk[j].all = vectors[c + j * threads];
        *missed = is_missed();
#pragma unroll
        for (unsigned j = 0; j < AT_ONCE; j++)
            if (c + j * threads < count) {
#pragma unroll
                for (unsigned k = 0; k < EACH; k++)
                    add(chunk[j].key[k]);
            }
    }
    grid_each(head, [&](size_t i) { add(keys[i]); });
    grid_each(n - tail, [&](size_t i) { add(keys[tail + i]); });
}

/* Adds a count to the global table. */
static DEVICE void distinct_merge(distinct_list *list, uint64_t key, uint32_t count)
{
    for (unsigned probe = 0; probe < DISTINCT_PROBES; probe++) {
        unsigned const at = (distinct_hash(key) + probe) % DISTINCT_ALL_SLOTS;
        uint64_t const there = atomicCAS(list->key + at, 0ull, (unsigned long long)key);
        if (there != 0 && there != key)
            continue;
        if (there == 0) {
            unsigned const number = atomicAdd(&list->values, 1u);
            if (number >= DISTINCT_MOST)
                break;
            list->slot[number] = at;
        }
        atomicAdd(list->count + at, (unsigned long long)count);
        return;
    }
    list->miss();
}

template <typename BITS>
static __global__ void __launch_bounds__(DISTINCT_THREADS)
    distinct_count(const BITS *keys, size_t n, distinct_list *list)
{
    extern __shared__ uint4 distinct_memory[];
    auto *const             shared = (distinct_shared<BITS> *)distinct_memory;
    if (list->crowded != 0)
        return;
    for (unsigned i = threadIdx.x; i < DISTINCT_SLOTS; i += DISTINCT_THREADS)
        shared->key[i] = shared->count[i] = 0;
    if (threadIdx.x == 0)
        shared->values = 0;
    __syncthreads();

    bool       missed = false;
    uint32_t   zeros = 0;
    auto const add = [&](BITS key) {
        if (key == 0)
            zeros++;
        else if (!missed)
            missed = !shared->add(key);
    };
    distinct_read(
        keys, n, &missed, [&] { return list->has_missed(); }, add);
    if (missed)
        list->miss();
    if (__syncthreads_or(missed) != 0)
        return;
    zeros = __reduce_add_sync(WARP_ALL, zeros);
    if (lane_id() == 0 && zeros != 0)
        atomicAdd(&list->zeros, (unsigned long long)zeros);
    for (unsigned i = threadIdx.x; i < DISTINCT_SLOTS; i += DISTINCT_THREADS)
        if (shared->key[i] != 0)
            distinct_merge(list, shared->key[i], shared->count[i]);
}

/* ---- the order of the values ---------------------------------------------------------------- */

template <typename BITS>
static __global__ void __launch_bounds__(DISTINCT_RANK_THREADS)
    distinct_rank(key_code_by_width<BITS> code, distinct_list *list)
{
    __shared__ BITS               bits[DISTINCT_RANK_THREADS];
    __shared__ unsigned long long count[DISTINCT_RANK_THREADS];
    if (list->has_missed())
        return;
    unsigned const values = list->values, all = list->all_values();
    auto const     load = [&](unsigned v, BITS *its_bits, unsigned long long *its_count) {
        bool const     zero = v >= values; /* zero follows the listed values */
        unsigned const at = zero ? 0 : list->slot[v];
        *its_bits = code.encode(zero ? 0 : (BITS)list->key[at]);
        *its_count = zero ? list->zeros : list->count[at];
    };
    unsigned const     me = blockIdx.x * DISTINCT_RANK_THREADS + threadIdx.x;
    BITS               mine = 0;
    unsigned long long unused, start = 0;
    unsigned           rank = 0;
    if (me < all)
        load(me, &mine, &unused);
    for (unsigned from = 0; from < all; from += DISTINCT_RANK_THREADS) {
        if (from + threadIdx.x < all)
            load(from + threadIdx.x, bits + threadIdx.x, count + threadIdx.x);
        __syncthreads();
        unsigned const here = min((unsigned)DISTINCT_RANK_THREADS, all - from);
        for (unsigned v = 0; v < here; v++)
            if (bits[v] < mine) {
                rank++;
                start += count[v];
            }
        __syncthreads();
    }
    if (me < all) {
        list->raw[rank] = code.decode(mine);
        list->start[rank] = start;
    }
}

template <typename BITS> struct distinct_values { /* for fill_sorted */
    const distinct_list *list;
    const uint64_t      *starts;

    DEVICE bool     is_void(void) const { return list->has_missed(); }
    DEVICE unsigned last(void) const { return list->all_values() - 1; }
    DEVICE BITS     key(unsigned value) const { return (BITS)list->raw[value]; }
};

size_t dev_distinct_scratch(void)
{
    return ordo_round_up(sizeof(distinct_list), CUDA_SCRATCH_ALIGN);
}

template <typename BITS>
static ordo_status distinct_run(cuda_call *call, const ordo_sort_job *job,
                                key_code_by_width<BITS> code, distinct_list *list)
{
    BITS *const  keys = (BITS *)job->keys;
    auto *const  count = distinct_count<BITS>;
    size_t const bytes = sizeof(distinct_shared<BITS>);
    size_t const blocks = (size_t)call->facts->sms * CUDA_TUNE_DISTINCT_RESIDENT(sizeof(BITS));
    CUDA_TRY(call->exec, cudaMemsetAsync(list, 0, sizeof *list, call->stream));
    TRY(cuda_allow_shared(call, count, bytes));
    TRY(CUDA_LAUNCH(call, distinct_sample<BITS>, 1, DISTINCT_SAMPLE_THREADS, 0, (const BITS *)keys,
                    job->n, list));
    TRY(CUDA_LAUNCH(call, count, blocks, DISTINCT_THREADS, bytes, (const BITS *)keys, job->n,
                    list));
    TRY(CUDA_LAUNCH(call, distinct_rank<BITS>, DISTINCT_MOST / DISTINCT_RANK_THREADS + 1,
                    DISTINCT_RANK_THREADS, 0, code, list));
    return fill_launch(call, keys, job->n,
                       distinct_values<BITS>{list, (const uint64_t *)list->start});
}

ordo_status dev_distinct(cuda_call *call, const ordo_sort_job *job, bool *done)
{
    distinct_list *const list = scratch_take<distinct_list>(&call->scratch, 1);
    unsigned             missed = 1;
    *done = false;
    if (call->facts->shared_bytes < sizeof(distinct_shared<uint64_t>))
        return ORDO_OK;
    TRY(with_key_width(job->type, job->descending,
                       [&](auto code) { return distinct_run(call, job, code, list); }));
    call->exec->changed = true;
    TRY(call_fetch(call, &missed, &list->missed, sizeof missed));
    *done = missed == 0;
    if (*done) {
        call->exec->algorithm = "radix";
        call->exec->facts.strategy = ORDO_STRATEGY_COUNTING;
    }
    return ORDO_OK;
}
