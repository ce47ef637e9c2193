/* dev_radix_finish.cu - puts keys in order that are sorted by their leading bits only.
 *
 * Keys with the same prefix are neighbours, and few: mostly a key is alone, sometimes there are
 * two. Each thread compares a key with the next one. The first of a run of two swaps them if they
 * are out of order; the first of a longer run sorts it by insertion, in place. So a run has one
 * owner, who is found by prefixes alone, and those do not change while keys move inside their runs.
 * (The array is k-sorted with k below the longest run, and runs are windows that do not overlap:
 * the paper on roughly sorted sequences.)
 *
 * A run of more than FINISH_WALK keys is mostly one key many times, and in order. If it is not, it
 * is put on a list, and in a second phase a block sorts it by comparing all its keys with all.
 * Longer runs yet, or a full list, set plan->again.
 *
 * Cost: one read of the keys, and what moves. One cooperative launch, because all blocks must meet
 * between the two phases. Called by device/dev_radix_run.cuh. */
#include "cuda/device/dev_radix_memory.cuh"
#include "cuda/device/dev_radix_plan.cuh"

enum {
    FINISH_THREADS = 256,
    FINISH_RESIDENT = 4, /* blocks of a multiprocessor */
    FINISH_ROWS = 4,     /* of 32 keys, that a warp loads at once */
    FINISH_WALK = CUDA_TUNE_RADIX_WALK,
    LONG_ITEMS = 8, /* keys of a thread */
    LONG_KEYS = FINISH_THREADS * LONG_ITEMS
};

template <typename CODE> struct finish_array { /* what is sorted, in place */
    typedef typename CODE::BITS BITS;

    BITS    *keys;
    void    *values;
    size_t   n;
    unsigned value_size, shift; /* of the prefix */
    bool     raw;               /* keys are not encoded */
    CODE     code;

    __device__ __forceinline__ BITS bits(BITS key) const
    {
        return code.fold(raw ? code.encode(key) : key);
    }
    __device__ __forceinline__ BITS     bits_at(size_t i) const { return bits(keys[i]); }
    __device__ __forceinline__ BITS     prefix_at(size_t i) const { return bits_at(i) >> shift; }
    __device__ __forceinline__ uint64_t value_at(size_t i) const
    {
        return value_size == 0 ? 0 : load_sized<uint64_t>(values, i, value_size);
    }
    __device__ __forceinline__ void put(size_t i, BITS key, uint64_t value) const
    {
        keys[i] = key;
        if (value_size != 0)
            store_sized<uint64_t>((char *)values + i * value_size, value_size, value);
    }
};

template <typename CODE>
static __device__ finish_array<CODE> finish_array_of(const radix_job &job, CODE const &code,
                                                     unsigned shift)
{
    return {(typename CODE::BITS *)job.keys[0],
            job.values[0],
            job.n,
            job.value_out,
            shift,
            job.source == NULL,
            code};
}

/* Sorts the run that starts at `start`, if it is not too long. One thread. */
template <typename CODE>
static __device__ __noinline__ void finish_run(finish_array<CODE> const &array, size_t start)
{
    typedef typename CODE::BITS BITS;
    BITS const                  prefix = array.bits_at(start) >> array.shift;
    if (start + FINISH_WALK < array.n && array.prefix_at(start + FINISH_WALK) == prefix)
        return;
    size_t end = start + 1;
    while (end < array.n && array.prefix_at(end) == prefix)
        end++;
    for (size_t i = start + 1; i < end; i++) {
        BITS const key = array.keys[i], bits = array.bits(key);
        if (array.bits_at(i - 1) <= bits)
            continue;
        uint64_t const value = array.value_at(i);
        size_t         to = i;
        do {
            array.put(to, array.keys[to - 1], array.value_at(to - 1));
            to--;
        } while (to > start && array.bits_at(to - 1) > bits);
        array.put(to, key, value);
    }
}

/* The keys i - 1 and i of a run are out of order: puts the run on the list if it is a long one,
 * unless a pair nearby does that. Long runs do not change in this phase. One thread. */
template <typename CODE>
static __device__ __noinline__ void finish_list(finish_array<CODE> const &array, size_t i,
                                                const radix_tables &tables)
{
    if (load_relaxed(&tables.plan->again) != 0)
        return;
    typename CODE::BITS const prefix = array.prefix_at(i);
    size_t                    first = i, last = i;
    while (first > 0 && i - first < FINISH_WALK && array.prefix_at(first - 1) == prefix)
        first--;
    while (last - first < FINISH_WALK && last + 1 < array.n && array.prefix_at(last + 1) == prefix)
        last++;
    if (last - first < FINISH_WALK)
        return; /* its owner sorts it */
    for (size_t j = i - 1; j > first; j--)
        if (array.bits_at(j - 1) > array.bits_at(j))
            return;
    uint64_t const at = atomicAdd((unsigned long long *)tables.runs, 1ull);
    if (at < CUDA_TUNE_RADIX_RUNS)
        tables.runs[1 + at] = i;
    else
        store_relaxed(&tables.plan->again, 1);
}

/* The first phase. */
template <typename CODE>
static __device__ void finish_short_runs(finish_array<CODE> const &array,
                                         const radix_tables       &tables)
{
    typedef typename CODE::BITS BITS;
    unsigned const              lane = lane_id();
    size_t const                warps = (size_t)gridDim.x * (blockDim.x / 32);
    size_t const                warp = (size_t)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;

    for (size_t base = warp * 32 * FINISH_ROWS; base < array.n; base += warps * 32 * FINISH_ROWS) {
        BITS key[FINISH_ROWS], next[FINISH_ROWS];
#pragma unroll
        for (int r = 0; r < FINISH_ROWS; r++) {
            size_t const i = base + r * 32 + lane;
            if (i + 1 < array.n) {
                key[r] = array.keys[i];
                next[r] = array.keys[i + 1];
            }
        }
#pragma unroll
        for (int r = 0; r < FINISH_ROWS; r++) {
            size_t const   i = base + r * 32 + lane;
            bool const     here = i + 1 < array.n;
            BITS const     mine = here ? array.bits(key[r]) : 0;
            BITS const     other = here ? array.bits(next[r]) : 0;
            bool const     tied = here && mine >> array.shift == other >> array.shift;
            unsigned const ties = __ballot_sync(WARP_ALL, tied);
            if (ties == 0)
                continue;
            if (tied) {
                bool const follows = lane > 0
                                         ? (ties >> (lane - 1) & 1) != 0
                                         : i > 0 && array.prefix_at(i - 1) == mine >> array.shift;
                bool const two = lane < 31 && (ties >> (lane + 1) & 1) == 0;
                if (!follows && two) {
                    if (mine > other) {
                        uint64_t const value = array.value_at(i);
                        array.put(i, next[r], array.value_at(i + 1));
                        array.put(i + 1, key[r], value);
                    }
                } else {
                    if (mine > other)
                        finish_list(array, i + 1, tables);
                    if (!follows)
                        finish_run(array, i);
                }
            }
        }
    }
}

/* ---- long runs ------------------------------------------------------------------------------ */

/* The first i with a prefix of at least `prefix`, or above it. One thread. */
template <typename CODE>
static __device__ size_t finish_bound(finish_array<CODE> const &array, typename CODE::BITS prefix,
                                      bool above)
{
    size_t low = 0, high = array.n;
    while (low < high) {
        size_t const              middle = low + (high - low) / 2;
        typename CODE::BITS const found = array.prefix_at(middle);
        if (found < prefix || (above && found == prefix))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Whether the run from `start` on is the caller's; it is the first caller's. One thread. */
static __device__ bool finish_claim(uint64_t *claims, size_t start)
{
    unsigned const size = 2 * CUDA_TUNE_RADIX_RUNS;
    uint64_t const mark = start + 1;
    for (unsigned at = (unsigned)(start * 0x9e3779b97f4a7c15ull >> 32);; at++) {
        uint64_t const found =
            atomicCAS((unsigned long long *)claims + at % size, 0ull, (unsigned long long)mark);
        if (found == 0 || found == mark)
            return found == 0;
    }
}

/* Sorts a run of up to LONG_KEYS keys, by all threads of a block. */
template <typename CODE>
static __device__ void finish_long_run(finish_array<CODE> const &array, typename CODE::BITS *shared,
                                       size_t start, unsigned length)
{
    typedef typename CODE::BITS BITS;
    BITS                        key[LONG_ITEMS];
    uint64_t                    value[LONG_ITEMS];
    unsigned                    before[LONG_ITEMS];
#pragma unroll
    for (int k = 0; k < LONG_ITEMS; k++) {
        unsigned const p = threadIdx.x + k * FINISH_THREADS;
        before[k] = 0;
        if (p < length) {
            key[k] = array.keys[start + p];
            value[k] = array.value_at(start + p);
            shared[p] = array.bits(key[k]);
        }
    }
    __syncthreads();
    for (unsigned q = 0; q < length; q++) {
        BITS const other = shared[q];
#pragma unroll
        for (int k = 0; k < LONG_ITEMS; k++) {
            unsigned const p = threadIdx.x + k * FINISH_THREADS;
            BITS const     mine = p < length ? shared[p] : 0;
            before[k] += other < mine || (other == mine && q < p);
        }
    }
#pragma unroll
    for (int k = 0; k < LONG_ITEMS; k++)
        if (threadIdx.x + k * FINISH_THREADS < length)
            array.put(start + before[k], key[k], value[k]);
    __syncthreads();
}

/* The second phase. `shared` holds LONG_KEYS keys. */
template <typename CODE>
static __device__ void finish_long_runs(finish_array<CODE> const &array,
                                        typename CODE::BITS *shared, const radix_tables &tables)
{
    __shared__ size_t run[2];
    __shared__ bool   claimed;
    uint64_t const    runs = __ldcg(tables.runs);
    if (runs > CUDA_TUNE_RADIX_RUNS)
        return;
    for (uint64_t r = blockIdx.x; r < runs; r += gridDim.x) {
        if (threadIdx.x < 2) {
            typename CODE::BITS const prefix = array.prefix_at(__ldcg(tables.runs + 1 + r));
            run[threadIdx.x] = finish_bound(array, prefix, threadIdx.x == 1);
        }
        __syncthreads();
        if (threadIdx.x == 0)
            claimed = finish_claim(tables.claims, run[0]);
        __syncthreads();
        size_t const start = run[0], length = run[1] - start;
        if (claimed && length > LONG_KEYS && threadIdx.x == 0)
            store_relaxed(&tables.plan->again, 1);
        if (claimed && length <= LONG_KEYS)
            finish_long_run(array, shared, start, (unsigned)length);
        __syncthreads();
    }
}

/* ---- the kernel ----------------------------------------------------------------------------- */

template <typename CODE>
static __global__ void __launch_bounds__(FINISH_THREADS, FINISH_RESIDENT)
    radix_finish_kernel(radix_job const job, CODE const code, radix_tables const tables)
{
    __shared__ typename CODE::BITS shared[LONG_KEYS];
    unsigned const                 shift = tables.plan->prefix_shift;
    if (shift == 0)
        return;
    finish_array<CODE> const array = finish_array_of(job, code, shift);
    finish_short_runs(array, tables);
    radix_barrier(&tables.plan->barriers[2]);
    finish_long_runs(array, shared, tables);
}

template <typename CODE>
ordo_status radix_finish(cuda_call *call, const radix_job *job, CODE code, radix_tables tables)
{
    auto *const kernel = radix_finish_kernel<CODE>;
    int         resident;
    CUDA_TRY(call->exec,
             cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, FINISH_THREADS, 0));
    size_t const most = (size_t)(resident * call->facts->sms);
    size_t const blocks = ordo_min(ordo_div_up(job->n, FINISH_THREADS * FINISH_ROWS), most);
    void        *arguments[] = {(void *)job, &code, &tables};
    CUDA_TRY(call->exec, cudaLaunchCooperativeKernel((const void *)kernel, (unsigned)blocks,
                                                     FINISH_THREADS, arguments, 0, call->stream));
    return ORDO_OK;
}

#define INSTANCE(BITS, FLOAT, TIES)                                                                \
    template ordo_status radix_finish(cuda_call *, const radix_job *,                              \
                                      radix_code<BITS, FLOAT, TIES>, radix_tables);
INSTANCE(uint32_t, false, false)
INSTANCE(uint64_t, false, false)
INSTANCE(uint32_t, true, false)
INSTANCE(uint32_t, true, true)
INSTANCE(uint64_t, true, false)
INSTANCE(uint64_t, true, true)
#undef INSTANCE
