/* dev_distinct_many.cu - sorts keys that have up to a few thousand distinct values by counting
 * them.
 *
 * Every block counts its keys in a hash table in shared memory, to which it adds each new value. If
 * a block finds too many values, the count ends and the array stays unchanged. The blocks add their
 * counts to a table in global memory, which lists its values. One thread per value then adds the
 * counts of all smaller values, which gives the place of the value, and the array is filled. Zero
 * means an empty slot, so zeros are counted separately. Runs only if dev_distinct.cu did not sort
 * the keys. Cost: one read and one write. Scratch: about 0.4 MB. */
#include "cuda/runtime/cuda_tuning.cuh"
#include "cuda/sort/dev_distinct.cuh"
#include "cuda/warp/first_where.cuh"
#include "cuda/warp/warp_scan.cuh"

enum {
    MANY_MOST = CUDA_TUNE_DISTINCT_MANY, /* largest number of values, without zero */
    MANY_SAMPLED = MANY_MOST * 7 / 8,    /* most values of a sample of twice MANY_MOST keys */
    MANY_SLOTS = 2 * MANY_MOST,          /* slots of the table of a block */
    MANY_ALL_SLOTS = 4 * MANY_MOST,      /* slots of the global table */
    MANY_PROBES = 64,                    /* slots of the global table that a search looks at */
    MANY_THREADS = 512,
    MANY_RANK_THREADS = 64,
    MANY_ROWS = 16 /* vectors of 16 bytes that a lane fills one after the other */
};

struct distinct_many {
    distinct_state     state;
    unsigned long long zeros;
    unsigned long long key[MANY_ALL_SLOTS]; /* as in memory; 0: the slot is empty */
    unsigned long long count[MANY_ALL_SLOTS];
    uint32_t           slot[MANY_MOST];      /* the slots of the values, in any order */
    uint64_t           raw[MANY_MOST + 1];   /* the values as in memory, in key order */
    uint64_t           start[MANY_MOST + 1]; /* their first places in the sorted array */

    DEVICE bool     missed(void) const { return *(volatile const unsigned *)&state.missed != 0; }
    DEVICE void     miss(void) { *(volatile unsigned *)&state.missed = 1; }
    DEVICE unsigned all_values(void) const { return state.values + (zeros != 0); }
};

/* Whether the keys are not sorted yet and may have few enough values. */
static DEVICE bool many_wanted(const distinct_state *few)
{
    return (few->values == 0 || few->missed != 0) && few->sampled <= MANY_SAMPLED;
}

static DEVICE uint32_t many_swap(uint32_t *slot, uint32_t key) { return atomicCAS(slot, 0u, key); }
static DEVICE uint64_t many_swap(uint64_t *slot, uint64_t key)
{
    return atomicCAS((unsigned long long *)slot, 0ull, (unsigned long long)key);
}

static DEVICE unsigned many_hash(uint64_t key)
{
    return (unsigned)(key * 0x9e3779b97f4a7c15ull >> 40);
}
static DEVICE unsigned many_hash(uint32_t key) { return key * 0x9e3779b1u >> 8; }

/* ---- the count ------------------------------------------------------------------------------ */

template <typename BITS> struct many_shared { /* the table of a block */
    BITS     key[MANY_SLOTS];
    uint32_t count[MANY_SLOTS];
    unsigned values;

    /* Counts a key that is not 0. Returns false if there are too many values. */
    DEVICE bool add(BITS mine)
    {
        unsigned at = many_hash(mine) % MANY_SLOTS;
        for (;; at = (at + 1) % MANY_SLOTS) {
            BITS there = *(volatile BITS *)(key + at);
            if (there == 0) {
                if (*(volatile unsigned *)&values >= MANY_MOST)
                    return false;
                there = many_swap(key + at, mine);
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

/* Adds a count to the global table. */
static DEVICE void many_merge(distinct_many *many, uint64_t key, uint32_t count)
{
    for (unsigned probe = 0; probe < MANY_PROBES; probe++) {
        unsigned const at = (many_hash(key) + probe) % MANY_ALL_SLOTS;
        uint64_t const there = atomicCAS(many->key + at, 0ull, (unsigned long long)key);
        if (there != 0 && there != key)
            continue;
        if (there == 0) {
            unsigned const number = atomicAdd(&many->state.values, 1u);
            if (number >= MANY_MOST)
                break;
            many->slot[number] = at;
        }
        atomicAdd(many->count + at, (unsigned long long)count);
        return;
    }
    many->miss();
}

template <typename BITS>
static __global__ void __launch_bounds__(MANY_THREADS)
    many_count(const BITS *keys, size_t n, const distinct_state *few, distinct_many *many)
{
    extern __shared__ uint4 many_memory[];
    auto *const             shared = (many_shared<BITS> *)many_memory;
    if (!many_wanted(few))
        return;
    for (unsigned i = threadIdx.x; i < MANY_SLOTS; i += MANY_THREADS)
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
        keys, n, &missed, [&] { return many->missed(); }, add);
    if (missed)
        many->miss();
    if (__syncthreads_or(missed) != 0)
        return;
    zeros = __reduce_add_sync(WARP_ALL, zeros);
    if (threadIdx.x % 32 == 0 && zeros != 0)
        atomicAdd(&many->zeros, (unsigned long long)zeros);
    for (unsigned i = threadIdx.x; i < MANY_SLOTS; i += MANY_THREADS)
        if (shared->key[i] != 0)
            many_merge(many, shared->key[i], shared->count[i]);
}

/* ---- the order of the values ---------------------------------------------------------------- */

template <typename BITS>
static __global__ void __launch_bounds__(MANY_RANK_THREADS)
    many_rank(key_code_by_width<BITS> code, const distinct_state *few, distinct_many *many)
{
    __shared__ BITS               bits[MANY_RANK_THREADS];
    __shared__ unsigned long long count[MANY_RANK_THREADS];
    if (!many_wanted(few) || many->missed())
        return;
    unsigned const values = many->state.values, all = many->all_values();
    auto const     load = [&](unsigned v, BITS *its_bits, unsigned long long *its_count) {
        bool const     zero = v >= values; /* zero follows the listed values */
        unsigned const at = zero ? 0 : many->slot[v];
        *its_bits = code.encode(zero ? 0 : (BITS)many->key[at]);
        *its_count = zero ? many->zeros : many->count[at];
    };
    unsigned const     me = blockIdx.x * MANY_RANK_THREADS + threadIdx.x;
    BITS               mine = 0;
    unsigned long long unused, start = 0;
    unsigned           rank = 0;
    if (me < all)
        load(me, &mine, &unused);
    for (unsigned from = 0; from < all; from += MANY_RANK_THREADS) {
        if (from + threadIdx.x < all)
            load(from + threadIdx.x, bits + threadIdx.x, count + threadIdx.x);
        __syncthreads();
        unsigned const here = min((unsigned)MANY_RANK_THREADS, all - from);
        for (unsigned v = 0; v < here; v++)
            if (bits[v] < mine) {
                rank++;
                start += count[v];
            }
        __syncthreads();
    }
    if (me < all) {
        many->raw[rank] = code.decode(mine);
        many->start[rank] = start;
    }
}

/* ---- the result ----------------------------------------------------------------------------- */

template <typename BITS> struct many_filled {
    uint64_t start[MANY_MOST + 2];
    BITS     raw[MANY_MOST + 1];
};

template <typename BITS>
static __global__ void __launch_bounds__(MANY_THREADS)
    many_fill(BITS *keys, size_t n, const distinct_state *few, const distinct_many *many)
{
    extern __shared__ uint4 many_memory[];
    auto *const             shared = (many_filled<BITS> *)many_memory;
    if (!many_wanted(few) || many->missed())
        return;
    unsigned const all = many->all_values();
    for (unsigned v = threadIdx.x; v <= all; v += MANY_THREADS) {
        shared->start[v] = v < all ? many->start[v] : n;
        if (v < all)
            shared->raw[v] = (BITS)many->raw[v];
    }
    __syncthreads();

    /* the last value that starts at `i` or before */
    auto const value_at = [&](size_t i) {
        return first_where(1u, all, [&](unsigned v) { return shared->start[v] > i; }) - 1;
    };
    distinct_vectors<BITS> const whole(keys, n);
    size_t const                 tile = 32 * MANY_ROWS;
    uint4 *const                 vectors = (uint4 *)(keys + whole.head);
    size_t const                 warp = ((size_t)blockIdx.x * MANY_THREADS + threadIdx.x) / 32;
    size_t const                 warps = (size_t)gridDim.x * (MANY_THREADS / 32);
    for (size_t from = warp * tile; from < whole.count; from += warps * tile) {
        unsigned v = value_at(min(whole.first(from + lane_id()), n - 1));
        for (unsigned row = 0; row < MANY_ROWS; row++) {
            size_t const c = from + row * 32 + lane_id();
            if (c >= whole.count)
                break;
            vectors[c] = distinct_chunk(shared->start, shared->raw, whole.first(c), &v);
        }
    }
    whole.each_single([&](size_t i) { keys[i] = shared->raw[value_at(i)]; });
}

size_t dev_distinct_many_scratch(void)
{
    return ordo_round_up(sizeof(distinct_many), CUDA_SCRATCH_ALIGN);
}

ordo_status dev_distinct_many(cuda_call *call, const ordo_sort_job *job, const distinct_state *few,
                              const distinct_state **state)
{
    distinct_many *const many = scratch_take<distinct_many>(&call->scratch, 1);
    size_t const         sms = (size_t)call->facts->sms;
    *state = &many->state;
    CUDA_TRY(call->exec, cudaMemsetAsync(many, 0, sizeof *many, call->stream));
    return with_key_width(job->type, job->descending, [&](auto code) -> ordo_status {
        typedef typename decltype(code)::BITS BITS;
        BITS *const                           keys = (BITS *)job->keys;
        auto *const                           count = many_count<BITS>;
        auto *const                           fill = many_fill<BITS>;
        size_t const blocks = sms * CUDA_TUNE_DISTINCT_RESIDENT(sizeof(BITS));
        if (call->facts->shared_bytes < sizeof(many_shared<BITS>))
            return ORDO_OK; /* no values: not sorted */
        TRY(cuda_allow_shared(call, count, sizeof(many_shared<BITS>)));
        TRY(cuda_allow_shared(call, fill, sizeof(many_filled<BITS>)));
        TRY(CUDA_LAUNCH(call, count, blocks, MANY_THREADS, sizeof(many_shared<BITS>),
                        (const BITS *)keys, job->n, few, many));
        TRY(CUDA_LAUNCH(call, many_rank<BITS>, MANY_MOST / MANY_RANK_THREADS + 1, MANY_RANK_THREADS,
                        0, code, few, many));
        return CUDA_LAUNCH(call, fill, blocks, MANY_THREADS, sizeof(many_filled<BITS>), keys,
                           job->n, few, (const distinct_many *)many);
    });
}
