/* dev_radix_finish.cuh - puts keys in order that are sorted by their leading bits only.
 *
 * Keys with the same prefix are neighbours, and few: mostly a key is alone, sometimes there are
 * two. A warp reads a window of keys, each lane comparing its own with the next. Where runs of two
 * are out of order it swaps them. If a longer run is, the window and what may follow of its last
 * run go to shared memory, and every key counts its way to its place among those of its prefix. A
 * run belongs to the warp in whose window it starts, which is found by prefixes alone; those do not
 * change while keys move inside their runs. (The array is k-sorted with k below the longest run,
 * and runs are windows that do not overlap: the paper on roughly sorted sequences.)
 *
 * A run of more than FINISH_WALK keys is mostly one key many times, and in order. If it is not, it
 * is put on a list, and in a second phase a block sorts it by comparing all its keys with all.
 * Longer runs yet, or a full list, set plan->again, and all blocks leave as soon as they see that.
 *
 * Cost: one read of the keys, and what moves. Called by all blocks of a cooperative launch, which
 * meet between the two phases: device/dev_radix_pass.cuh. */
#ifndef ORDO_CUDA_SORT_DEV_RADIX_FINISH_H
#define ORDO_CUDA_SORT_DEV_RADIX_FINISH_H

#include "cuda/sort/dev_radix_memory.cuh"
#include "cuda/sort/dev_radix_plan.cuh"

enum {
    FINISH_ROWS = 4,  /* of 32 keys, in a warp's window */
    FINISH_WALK = 32, /* longest run that is sorted there: a row behind the window */
    FINISH_WINDOW = 32 * FINISH_ROWS,
    LONG_ITEMS = 4 /* keys of a thread, in the longest run that a block sorts */
};

template <typename CODE, typename VALUE> struct finish_array { /* what is sorted, in place */
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
        return value_traits<VALUE>::exists ? load_sized<uint64_t>(values, i, value_size) : 0;
    }
    __device__ __forceinline__ void put(size_t i, BITS key, uint64_t value) const
    {
        keys[i] = key;
        if (value_traits<VALUE>::exists)
            store_sized<uint64_t>((char *)values + i * value_size, value_size, value);
    }
};

template <typename CODE, typename VALUE>
static __device__ finish_array<CODE, VALUE> finish_array_of(const radix_job &job, CODE const &code,
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

/* The keys i - 1 and i of a run are out of order: puts the run on the list if it is a long one,
 * unless a pair nearby does that. Long runs do not change in this phase. One thread. */
template <typename CODE, typename VALUE>
static __device__ __noinline__ void finish_list(finish_array<CODE, VALUE> const &array, size_t i,
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
        return; /* it is sorted in its window */
    for (size_t j = i - 1; j > first; j--)
        if (array.bits_at(j - 1) > array.bits_at(j))
            return;
    uint64_t const at = atomicAdd((unsigned long long *)tables.runs, 1ull);
    if (at < CUDA_TUNE_RADIX_RUNS)
        tables.runs[1 + at] = i;
    else
        store_relaxed(&tables.plan->again, 1);
}

template <typename BITS> struct finish_window { /* a warp's, and the row behind it; in registers */
    BITS     key[FINISH_ROWS + 1];  /* the last only if the last run of the window goes on there */
    uint32_t ties[FINISH_ROWS + 1]; /* bit l of row r: key 32 r + l and the next share a prefix */
    uint32_t turned[FINISH_ROWS + 1]; /* and the first is greater */
};

/* Sorts the short runs that start in the window from `base` on. Called by a warp, whose memory for
 * the window's keys is `bits`. Returns which rows of this lane's keys are in other runs, as a
 * mask. */
template <typename CODE, typename VALUE>
static __device__ __forceinline__ unsigned
finish_sort_window(finish_array<CODE, VALUE> const          &array,
                   finish_window<typename CODE::BITS> const &window, size_t base,
                   typename CODE::BITS *bits)
{
    typedef typename CODE::BITS BITS;
    unsigned const              lane = lane_id();
    bool const begun = base > 0 && array.prefix_at(base - 1) == array.prefix_at(base);
    uint64_t   value[FINISH_ROWS + 1];
    unsigned   to[FINISH_ROWS + 1], others = 0;
#pragma unroll
    for (int r = 0; r <= FINISH_ROWS; r++)
        bits[r * 32 + lane] = array.bits(window.key[r]);
    __syncwarp();
#pragma unroll
    for (int r = 0; r <= FINISH_ROWS; r++) {
        unsigned const q = r * 32 + lane;
        /* the 32 ties before this key, the nearest in the leading bit, and the 32 from it on */
        uint32_t const below = __funnelshift_r(r > 0 ? window.ties[r - 1] : (uint32_t)begun << 31,
                                               window.ties[r], lane);
        uint32_t const above =
            __funnelshift_r(window.ties[r], r < FINISH_ROWS ? window.ties[r + 1] : 0, lane);
        unsigned const left = (unsigned)__clz((int)~below);
        unsigned const right = ~above == 0 ? 32 : (unsigned)__ffs((int)~above) - 1;
        to[r] = q;
        if (left + right == 0)
            continue;
        if (left > q || q - left >= FINISH_WINDOW || left + right >= FINISH_WALK) {
            others |= 1u << r;
            continue;
        }
        BITS const mine = bits[q];
        unsigned   before = 0;
        for (unsigned d = 1; d <= left; d++)
            before += bits[q - d] <= mine;
        for (unsigned d = 1; d <= right; d++)
            before += bits[q + d] < mine;
        to[r] = q - left + before;
        if (to[r] != q)
            value[r] = array.value_at(base + q);
    }
    __syncwarp();
#pragma unroll
    for (int r = 0; r <= FINISH_ROWS; r++)
        if (to[r] != r * 32 + lane)
            array.put(base + to[r], window.key[r], value[r]);
    return others;
}

/* The first phase. `shared` has room for a window and a row of keys of each warp. */
template <typename CODE, typename VALUE>
static __device__ void finish_short_runs(finish_array<CODE, VALUE> const &array,
                                         typename CODE::BITS *shared, const radix_tables &tables)
{
    typedef typename CODE::BITS BITS;
    unsigned const              lane = lane_id(), in_block = threadIdx.x / 32;
    size_t const                warps = (size_t)gridDim.x * (blockDim.x / 32);
    size_t const                warp = (size_t)blockIdx.x * (blockDim.x / 32) + in_block;
    BITS *const                 memory = shared + in_block * (FINISH_WINDOW + FINISH_WALK);

    for (size_t base = warp * FINISH_WINDOW; base < array.n; base += warps * FINISH_WINDOW) {
        finish_window<BITS> window = {};
        auto const          key_at = [&](size_t i) { return i < array.n ? array.keys[i] : 0; };
        /* Row r against the keys that follow: `behind` is the one behind the row. */
        auto const compare = [&](int r, BITS mine, BITS behind, bool known) {
            BITS const next = __shfl_down_sync(WARP_ALL, mine, 1);
            BITS const other = lane < 31 ? next : behind;
            bool const tied = base + r * 32 + lane + 1 < array.n && (lane < 31 || known) &&
                              mine >> array.shift == other >> array.shift;
            window.ties[r] = __ballot_sync(WARP_ALL, tied);
            window.turned[r] = __ballot_sync(WARP_ALL, tied && mine > other);
        };
#pragma unroll
        for (int r = 0; r < FINISH_ROWS; r++)
            window.key[r] = key_at(base + r * 32 + lane);
        BITS behind = array.bits(key_at(base + FINISH_WINDOW));
        if (load_relaxed(&tables.plan->again) != 0)
            return;
#pragma unroll
        for (int r = FINISH_ROWS - 1; r >= 0; r--) {
            BITS const mine = array.bits(window.key[r]);
            compare(r, mine, behind, true);
            behind = __shfl_sync(WARP_ALL, mine, 0);
        }
        uint32_t any = 0, longer = 0;
        if (window.ties[FINISH_ROWS - 1] >> 31 != 0) { /* the last run goes on */
            window.key[FINISH_ROWS] = key_at(base + FINISH_WINDOW + lane);
            compare(FINISH_ROWS, array.bits(window.key[FINISH_ROWS]), 0, false);
            uint32_t const on = window.ties[FINISH_ROWS];
            longer = window.turned[FINISH_ROWS - 1] >> 31 |
                     (window.turned[FINISH_ROWS] & ((~on & (on + 1)) - 1));
        }
#pragma unroll
        for (int r = 0; r < FINISH_ROWS; r++) { /* turned, and tied with the key before or after */
            uint32_t const ties = window.ties[r];
            uint32_t const before = ties << 1 | (r > 0 ? window.ties[r - 1] >> 31 : 1);
            uint32_t const after = ties >> 1 | window.ties[r + 1] << 31;
            longer |= window.turned[r] & (before | after);
            any |= window.turned[r];
        }
        if (longer != 0) {
            unsigned const others = finish_sort_window(array, window, base, memory);
#pragma unroll
            for (int r = 0; r < FINISH_ROWS; r++)
                if ((window.turned[r] >> lane & others >> r & 1) != 0)
                    finish_list(array, base + r * 32 + lane + 1, tables);
            __syncwarp(); /* the memory is used again */
        } else if (any != 0) {
#pragma unroll
            for (int r = 0; r < FINISH_ROWS; r++) {
                BITS const next = __shfl_down_sync(WARP_ALL, window.key[r], 1);
                BITS const first = __shfl_sync(WARP_ALL, window.key[r + 1], 0);
                if (window.turned[r] >> lane & 1) {
                    size_t const   i = base + r * 32 + lane;
                    uint64_t const value = array.value_at(i);
                    array.put(i, lane < 31 ? next : first, array.value_at(i + 1));
                    array.put(i + 1, window.key[r], value);
                }
            }
        }
    }
}

/* ---- long runs ------------------------------------------------------------------------------ */

/* The first i with a prefix of at least `prefix`, or above it. One thread. */
template <typename CODE, typename VALUE>
static __device__ size_t finish_bound(finish_array<CODE, VALUE> const &array,
                                      typename CODE::BITS prefix, bool above)
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

/* Sorts a run of up to LONG_ITEMS keys a thread, by all threads of a block. */
template <typename CODE, typename VALUE>
static __device__ void finish_long_run(finish_array<CODE, VALUE> const &array,
                                       typename CODE::BITS *shared, size_t start, unsigned length)
{
    typedef typename CODE::BITS BITS;
    BITS                        key[LONG_ITEMS];
    uint64_t                    value[LONG_ITEMS];
    unsigned                    before[LONG_ITEMS];
#pragma unroll
    for (int k = 0; k < LONG_ITEMS; k++) {
        unsigned const p = threadIdx.x + k * blockDim.x;
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
            unsigned const p = threadIdx.x + k * blockDim.x;
            BITS const     mine = p < length ? shared[p] : 0;
            before[k] += other < mine || (other == mine && q < p);
        }
    }
#pragma unroll
    for (int k = 0; k < LONG_ITEMS; k++)
        if (threadIdx.x + k * blockDim.x < length)
            array.put(start + before[k], key[k], value[k]);
    __syncthreads();
}

/* The second phase. `shared` holds LONG_ITEMS keys a thread. */
template <typename CODE, typename VALUE>
static __device__ void finish_long_runs(finish_array<CODE, VALUE> const &array,
                                        typename CODE::BITS *shared, const radix_tables &tables)
{
    __shared__ size_t run[2];
    __shared__ bool   claimed;
    uint64_t const    runs = __ldcg(tables.runs);
    if (__syncthreads_or(load_relaxed(&tables.plan->again) != 0))
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
        if (claimed && length > LONG_ITEMS * blockDim.x && threadIdx.x == 0)
            store_relaxed(&tables.plan->again, 1);
        if (claimed && length <= LONG_ITEMS * blockDim.x)
            finish_long_run(array, shared, start, (unsigned)length);
        __syncthreads();
    }
}

/* Puts the keys of each prefix in order, in arrays 0; plan->again if that is too much. All blocks
 * have written their keys. `shared` holds LONG_ITEMS keys a thread, `arrived` is the barrier's. */
template <typename CODE, typename VALUE>
static __device__ __noinline__ void radix_finish(const radix_job &job, CODE const &code,
                                                 const radix_tables  &tables,
                                                 typename CODE::BITS *shared, uint32_t *arrived)
{
    finish_array<CODE, VALUE> const array =
        finish_array_of<CODE, VALUE>(job, code, tables.plan->prefix_shift);
    finish_short_runs(array, shared, tables);
    radix_barrier(arrived);
    finish_long_runs(array, shared, tables);
}

#endif
