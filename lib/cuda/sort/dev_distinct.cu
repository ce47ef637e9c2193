/* dev_distinct.cu - sorts keys that have few distinct values by counting them.
 *
 * One block draws a sample and lists its values in key order if there are at most DISTINCT_MOST.
 * Then all blocks look up every key in a hash table of the list in shared memory and count it; a
 * key that is not on the list ends the count, and the array stays unchanged. If all keys are on the
 * list, the array is filled with the values. Empty slots of the table hold the first value of the
 * list. A search for that value therefore ends in a slot that holds it, and a search for a value
 * that is not on the list ends in an empty slot. If there are more values, dev_distinct_many.cu
 * sorts the keys. Waits for the device. Cost: one read and one write. Scratch: the list. */
#include "cuda/runtime/cuda_tuning.cuh"
#include "cuda/sort/dev_distinct.cuh"

enum {
    DISTINCT_MOST = CUDA_TUNE_DISTINCT_MOST,
    DISTINCT_SAMPLE = 8192,
    DISTINCT_FOUND = 1024,  /* slots of the sample's table */
    DISTINCT_MARKS = 65536, /* bits that keys of the sample set, to count their values */
    DISTINCT_LG_SLOTS = 12, /* lg of the slots of the table of the count */
    DISTINCT_SLOTS = 1 << DISTINCT_LG_SLOTS,
    DISTINCT_THREADS = 512
};

struct distinct_list {
    distinct_state     state;
    unsigned           blocks_done;
    uint64_t           raw[DISTINCT_MOST]; /* the values as in memory, in key order */
    unsigned long long count[DISTINCT_MOST];
    uint64_t           start[DISTINCT_MOST]; /* first place of each value in the sorted array */
};

/* ---- the sample ----------------------------------------------------------------------------- */

/* The table of the sample. Slots hold key bits. The largest 64-bit key would look like an empty
 * slot, so has_largest stands for it. */
struct distinct_table {
    static constexpr unsigned long long EMPTY = ~0ull;

    unsigned long long slot[DISTINCT_FOUND];
    unsigned           values, has_largest;
    unsigned           marked, marks[DISTINCT_MARKS / 32]; /* marked: number of the marks set */

    /* Adds a key, unless there are too many values. */
    DEVICE void add(unsigned long long bits)
    {
        unsigned       to = (unsigned)(bits * 0x9e3779b97f4a7c15ull >> 54);
        unsigned const mark = (unsigned)(bits * 0x9e3779b97f4a7c15ull >> 48), bit = 1u << mark % 32;
        if ((atomicOr(marks + mark / 32, bit) & bit) == 0)
            atomicAdd(&marked, 1u);
        if (bits == EMPTY)
            has_largest = 1;
        while (bits != EMPTY && *(volatile unsigned *)&values <= DISTINCT_MOST) {
            unsigned long long const old = atomicCAS(slot + to, EMPTY, bits);
            if (old == EMPTY)
                atomicAdd(&values, 1u);
            if (old == EMPTY || old == bits)
                break;
            to = (to + 1) % DISTINCT_FOUND;
        }
    }
};

template <typename BITS>
static __global__ void __launch_bounds__(1024)
    distinct_sample(key_code_by_width<BITS> code, const BITS *keys, size_t n, distinct_list *list)
{
    __shared__ distinct_table table;
    __shared__ uint64_t       found[DISTINCT_MOST];
    table.slot[threadIdx.x] = table.EMPTY;
    for (unsigned i = threadIdx.x; i < DISTINCT_MARKS / 32; i += 1024)
        table.marks[i] = 0;
    if (threadIdx.x == 0)
        table.values = table.has_largest = table.marked = 0;
    __syncthreads();

    size_t const part = n / DISTINCT_SAMPLE;
#pragma unroll 4
    for (unsigned s = threadIdx.x; s < DISTINCT_SAMPLE; s += 1024) {
        size_t const at = s * part + (size_t)(s * 0x9e3779b97f4a7c15ull >> 33) % part;
        table.add(code.encode(keys[at]));
    }
    __syncthreads();
    unsigned const all = table.values + table.has_largest;
    if (threadIdx.x == 0)
        list->state.sampled = table.marked;
    if (all > DISTINCT_MOST)
        return; /* list->state.values is 0 */
    __syncthreads();
    if (threadIdx.x == 0) {
        table.values = 0;
        if (table.has_largest)
            found[all - 1] = table.EMPTY;
    }
    __syncthreads();
    if (table.slot[threadIdx.x] != table.EMPTY)
        found[atomicAdd(&table.values, 1u)] = table.slot[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < all) {
        uint64_t const mine = found[threadIdx.x];
        unsigned       before = 0;
        for (unsigned v = 0; v < all; v++)
            before += found[v] < mine;
        list->raw[before] = code.decode((BITS)mine);
    }
    if (threadIdx.x == 0)
        list->state.values = all;
}

/* ---- the count ------------------------------------------------------------------------------ */

template <typename BITS> struct distinct_shared {
    BITS     key[DISTINCT_SLOTS];
    uint32_t count[DISTINCT_SLOTS];
    uint64_t sum[DISTINCT_MOST];
    bool     last;
};

template <typename BITS> static DEVICE unsigned distinct_slot(BITS key)
{
    return sizeof(BITS) == 4 ? (uint32_t)key * 0x9e3779b1u >> (32 - DISTINCT_LG_SLOTS)
                             : (unsigned)(key * 0x9e3779b97f4a7c15ull >> (64 - DISTINCT_LG_SLOTS));
}

/* The slot of a key, or DISTINCT_SLOTS if it is not on the list. */
template <typename BITS>
static DEVICE unsigned distinct_find(const BITS *slots, BITS empty, BITS key)
{
    unsigned at = distinct_slot(key);
    for (;;) {
        BITS const there = slots[at];
        if (there == key)
            return at;
        if (there == empty)
            return DISTINCT_SLOTS;
        at = (at + 1) % DISTINCT_SLOTS;
    }
}

static DEVICE bool distinct_swap(uint32_t *slot, uint32_t empty, uint32_t key)
{
    return atomicCAS(slot, empty, key) == empty;
}
static DEVICE bool distinct_swap(uint64_t *slot, uint64_t empty, uint64_t key)
{
    return atomicCAS((unsigned long long *)slot, (unsigned long long)empty,
                     (unsigned long long)key) == empty;
}

/* Adds the counts of this block. The last block computes the starts and checks that the counts are
 * complete. */
template <typename BITS>
static __device__ void distinct_sum(distinct_shared<BITS> *shared, BITS empty, size_t n,
                                    distinct_list *list)
{
    unsigned const values = list->state.values;
    if (threadIdx.x < values) {
        unsigned const at = distinct_find(shared->key, empty, (BITS)list->raw[threadIdx.x]);
        atomicAdd(list->count + threadIdx.x, (unsigned long long)shared->count[at]);
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        shared->last = atomicAdd(&list->blocks_done, 1u) + 1 == gridDim.x;
    __syncthreads();
    if (!shared->last)
        return;
    __threadfence();
    if (threadIdx.x < values)
        shared->sum[threadIdx.x] = __ldcg(list->count + threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) {
        uint64_t at = 0;
        for (unsigned v = 0; v < values; v++) {
            list->start[v] = at;
            at += shared->sum[v];
        }
        if (at != n)
            list->state.missed = 1;
    }
}

template <typename BITS>
static __global__ void __launch_bounds__(DISTINCT_THREADS)
    distinct_count(const BITS *keys, size_t n, distinct_list *list)
{
    extern __shared__ uint4 distinct_memory[];
    auto *const             shared = (distinct_shared<BITS> *)distinct_memory;
    unsigned const          values = list->state.values;
    if (values == 0)
        return;
    BITS const empty = (BITS)list->raw[0];
    for (unsigned i = threadIdx.x; i < DISTINCT_SLOTS; i += blockDim.x) {
        shared->key[i] = empty;
        shared->count[i] = 0;
    }
    __syncthreads();
    if (threadIdx.x > 0 && threadIdx.x < values) {
        BITS const mine = (BITS)list->raw[threadIdx.x];
        unsigned   at = distinct_slot(mine);
        while (!distinct_swap(shared->key + at, empty, mine))
            at = (at + 1) % DISTINCT_SLOTS;
    }
    __syncthreads();

    bool       missed = false;
    auto const add = [&](BITS key) {
        unsigned const at = distinct_find(shared->key, empty, key);
        if (at < DISTINCT_SLOTS)
            atomicAdd(shared->count + at, 1u);
        else
            missed = true;
    };
    distinct_read(
        keys, n, &missed, [&] { return *(volatile unsigned *)&list->state.missed != 0; }, add);
    if (missed)
        *(volatile unsigned *)&list->state.missed = 1;
    __syncthreads();
    distinct_sum(shared, empty, n, list);
}

/* ---- the result ----------------------------------------------------------------------------- */

template <typename BITS>
static __global__ void __launch_bounds__(DISTINCT_THREADS)
    distinct_fill(BITS *keys, size_t n, const distinct_list *list)
{
    __shared__ uint64_t start[DISTINCT_MOST + 1];
    __shared__ BITS     raw[DISTINCT_MOST];
    unsigned const      values = list->state.values;
    if (values == 0 || list->state.missed != 0)
        return;
    for (unsigned v = threadIdx.x; v <= DISTINCT_MOST; v += blockDim.x)
        start[v] = v < values ? list->start[v] : n;
    for (unsigned v = threadIdx.x; v < values; v += blockDim.x)
        raw[v] = (BITS)list->raw[v];
    __syncthreads();

    /* the last value that starts at `i` or before */
    auto const value_at = [&](size_t i) {
        unsigned v = 0;
#pragma unroll
        for (unsigned half = DISTINCT_MOST / 2; half > 0; half /= 2)
            v += start[v + half] <= i ? half : 0;
        return v;
    };
    distinct_vectors<BITS> const whole(keys, n);
    uint4 *const                 vectors = (uint4 *)(keys + whole.head);
    grid_each(whole.count, [&](size_t c) {
        unsigned v = value_at(whole.first(c));
        vectors[c] = distinct_chunk(start, raw, whole.first(c), &v);
    });
    whole.each_single([&](size_t i) { keys[i] = raw[value_at(i)]; });
}

size_t dev_distinct_scratch(void)
{
    return ordo_round_up(sizeof(distinct_list), CUDA_SCRATCH_ALIGN) + dev_distinct_many_scratch();
}

/* Enqueues the attempt with DISTINCT_MOST values. */
static ordo_status distinct_few(cuda_call *call, const ordo_sort_job *job, distinct_list *list)
{
    size_t const blocks = (size_t)call->facts->sms * 4;
    CUDA_TRY(call->exec, cudaMemsetAsync(list, 0, sizeof *list, call->stream));
    return with_key_width(job->type, job->descending, [&](auto code) -> ordo_status {
        typedef typename decltype(code)::BITS BITS;
        BITS *const                           keys = (BITS *)job->keys;
        auto *const                           count = distinct_count<BITS>;
        TRY(cuda_allow_shared(call, count, sizeof(distinct_shared<BITS>)));
        TRY(CUDA_LAUNCH(call, distinct_sample<BITS>, 1, 1024, 0, code, (const BITS *)keys, job->n,
                        list));
        TRY(CUDA_LAUNCH(call, count, blocks, DISTINCT_THREADS, sizeof(distinct_shared<BITS>),
                        (const BITS *)keys, job->n, list));
        return CUDA_LAUNCH(call, distinct_fill<BITS>, blocks, DISTINCT_THREADS, 0, keys, job->n,
                           (const distinct_list *)list);
    });
}

ordo_status dev_distinct(cuda_call *call, const ordo_sort_job *job, bool *done)
{
    distinct_list *const  list = scratch_take<distinct_list>(&call->scratch, 1);
    const distinct_state *many;
    distinct_state        found[2];
    *done = false;
    TRY(distinct_few(call, job, list));
    TRY(dev_distinct_many(call, job, &list->state, &many));
    call->exec->changed = true;
    TRY(call_fetch(call, &found[0], &list->state, sizeof found[0]));
    TRY(call_fetch(call, &found[1], many, sizeof found[1]));
    for (const distinct_state &each : found)
        *done |= each.values != 0 && each.missed == 0;
    if (*done) {
        call->exec->algorithm = "radix";
        call->exec->facts.strategy = ORDO_STRATEGY_COUNTING;
    }
    return ORDO_OK;
}
