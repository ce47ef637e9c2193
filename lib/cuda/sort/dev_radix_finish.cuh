/* dev_radix_finish.cuh - orders keys that are sorted by their leading bits only.
 *
 * Keys with the same prefix form a group of consecutive keys, mostly of one or two keys. A warp
 * reads a window; each lane compares its key with the next. Groups of two out of order are swapped.
 * For longer groups the window and the rest of its last group go to shared memory, and every key
 * computes its place by counting. A group belongs to the warp in whose window it starts. A group of
 * more than FINISH_WALK keys that is out of order goes to a list, and a block sorts it in a second
 * phase. Groups too large for a block, or a full list, set plan->again. Cost: one read of the keys,
 * and the keys that move. Called by all blocks of a cooperative launch (dev_radix_pass.cuh). */
#ifndef ORDO_CUDA_SORT_DEV_RADIX_FINISH_H
#define ORDO_CUDA_SORT_DEV_RADIX_FINISH_H

#include "cuda/sort/dev_radix_memory.cuh"
#include "cuda/sort/dev_radix_plan.cuh"

enum {
    FINISH_ROWS = 4,  /* rows of 32 keys in the window of a warp */
    FINISH_WALK = 32, /* largest group that a warp sorts: a row after the window */
    FINISH_WINDOW = 32 * FINISH_ROWS,
    LONG_ITEMS = 4 /* keys per thread in the largest group that a block sorts */
};

template <typename CODE, typename VALUE> struct finish_array { /* the arrays, sorted in place */
    typedef typename CODE::BITS BITS;

    BITS    *keys;
    void    *values;
    size_t   n;
    unsigned value_size, shift; /* shift: lowest bit of the prefix */
    bool     raw;               /* keys are not encoded */
    CODE     code;

    DEVICE BITS     bits(BITS key) const { return code.fold(raw ? code.encode(key) : key); }
    DEVICE BITS     bits_at(size_t i) const { return bits(keys[i]); }
    DEVICE BITS     prefix_at(size_t i) const { return bits_at(i) >> shift; }
    DEVICE uint64_t value_at(size_t i) const
    {
        return value_traits<VALUE>::exists ? load_sized<uint64_t>(values, i, value_size) : 0;
    }
    DEVICE void put(size_t i, BITS key, uint64_t value) const
    {
        keys[i] = key;
        if (value_traits<VALUE>::exists)
            store_sized<uint64_t>((char *)values + i * value_size, value_size, value);
    }
};

/* Keys i - 1 and i of a group are out of order. Puts the group on the list if it is large, unless
 * an earlier pair of the group does. Large groups do not change in this phase. Called by one
 * thread. */
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
        return; /* the warp of its window sorts the group */
    for (size_t j = i - 1; j > first; j--)
        if (array.bits_at(j - 1) > array.bits_at(j))
            return;
    uint64_t const at = atomicAdd((unsigned long long *)tables.groups, 1ull);
    if (at < CUDA_TUNE_RADIX_GROUPS)
        tables.groups[1 + at] = i;
    else
        store_relaxed(&tables.plan->again, 1);
}

template <typename BITS>
struct finish_window { /* the window of a warp and the row after it, in registers */
    BITS     key[FINISH_ROWS +
             1]; /* the last row only if the last group of the window continues there */
    uint32_t ties[FINISH_ROWS + 1];   /* bit l of row r: key 32 r + l and the next share a prefix */
    uint32_t turned[FINISH_ROWS + 1]; /* and the first is larger */
};

/* Sorts the small groups that start in the window from `base` on. Called by a warp; `bits` is
 * its memory for the window. Returns a mask of the rows in which this lane's keys are in other
 * groups. */
template <typename CODE, typename VALUE, typename BITS = typename CODE::BITS>
static DEVICE unsigned finish_sort_window(finish_array<CODE, VALUE> const &array,
                                          finish_window<BITS> const &window, size_t base,
                                          BITS *bits)
{
    unsigned const lane = lane_id();
    bool const     begun = base > 0 && array.prefix_at(base - 1) == array.prefix_at(base);
    uint64_t       value[FINISH_ROWS + 1];
    unsigned       to[FINISH_ROWS + 1], others = 0;
#pragma unroll
    for (int r = 0; r <= FINISH_ROWS; r++)
        bits[r * 32 + lane] = array.bits(window.key[r]);
    __syncwarp();
#pragma unroll
    for (int r = 0; r <= FINISH_ROWS; r++) {
        unsigned const q = r * 32 + lane;
        /* the 32 ties before this key, the nearest in the top bit, and the 32 from it on */
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
template <typename CODE, typename VALUE, typename BITS = typename CODE::BITS>
static __device__ void finish_small_groups(finish_array<CODE, VALUE> const &array, BITS *shared,
                                           const radix_tables &tables)
{
    unsigned const lane = lane_id(), in_block = threadIdx.x / 32;
    size_t const   warps = (size_t)gridDim.x * (blockDim.x / 32);
    size_t const   warp = (size_t)blockIdx.x * (blockDim.x / 32) + in_block;
    BITS *const    memory = shared + in_block * (FINISH_WINDOW + FINISH_WALK);

    for (size_t base = warp * FINISH_WINDOW; base < array.n; base += warps * FINISH_WINDOW) {
        finish_window<BITS> window = {};
        auto const          key_at = [&](size_t i) { return i < array.n ? array.keys[i] : 0; };
        /* Compares row r with the following keys; `behind` is the key after the row. */
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
        if (window.ties[FINISH_ROWS - 1] >> 31 != 0) { /* the last group continues */
            window.key[FINISH_ROWS] = key_at(base + FINISH_WINDOW + lane);
            compare(FINISH_ROWS, array.bits(window.key[FINISH_ROWS]), 0, false);
            uint32_t const on = window.ties[FINISH_ROWS];
            longer = window.turned[FINISH_ROWS - 1] >> 31 |
                     (window.turned[FINISH_ROWS] & ((~on & (on + 1)) - 1));
        }
#pragma unroll
        for (int r = 0; r < FINISH_ROWS; r++) { /* out of order, and tied with the key before or
                                                 * after */
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

/* The first i whose prefix is at least `prefix`, or above it if `above`. One thread. */
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

/* Whether the caller is the first to claim the group that begins at `start`. One thread. */
static __device__ bool finish_claim(uint64_t *claims, size_t start)
{
    unsigned const size = 2 * CUDA_TUNE_RADIX_GROUPS;
    uint64_t const mark = start + 1;
    for (unsigned at = (unsigned)(start * 0x9e3779b97f4a7c15ull >> 32);; at++) {
        uint64_t const found =
            atomicCAS((unsigned long long *)claims + at % size, 0ull, (unsigned long long)mark);
        if (found == 0 || found == mark)
            return found == 0;
    }
}

/* Sorts a group of up to LONG_ITEMS keys per thread, by all threads of a block. */
template <typename CODE, typename VALUE, typename BITS = typename CODE::BITS>
static __device__ void finish_large_group(finish_array<CODE, VALUE> const &array, BITS *shared,
                                          size_t start, unsigned length)
{
    BITS     key[LONG_ITEMS];
    uint64_t value[LONG_ITEMS];
    unsigned before[LONG_ITEMS];
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

/* The second phase. `shared` holds LONG_ITEMS keys per thread. */
template <typename CODE, typename VALUE>
static __device__ void finish_large_groups(finish_array<CODE, VALUE> const &array,
                                           typename CODE::BITS *shared, const radix_tables &tables)
{
    __shared__ size_t group[2];
    __shared__ bool   claimed;
    uint64_t const    groups = __ldcg(tables.groups);
    if (__syncthreads_or(load_relaxed(&tables.plan->again) != 0))
        return;
    for (uint64_t r = blockIdx.x; r < groups; r += gridDim.x) {
        if (threadIdx.x < 2) {
            typename CODE::BITS const prefix = array.prefix_at(__ldcg(tables.groups + 1 + r));
            group[threadIdx.x] = finish_bound(array, prefix, threadIdx.x == 1);
        }
        __syncthreads();
        if (threadIdx.x == 0)
            claimed = finish_claim(tables.claims, group[0]);
        __syncthreads();
        size_t const start = group[0], length = group[1] - start;
        if (claimed && length > LONG_ITEMS * blockDim.x && threadIdx.x == 0)
            store_relaxed(&tables.plan->again, 1);
        if (claimed && length <= LONG_ITEMS * blockDim.x)
            finish_large_group(array, shared, start, (unsigned)length);
        __syncthreads();
    }
}

/* Orders the keys of each prefix in arrays 0; sets plan->again if a group is too large. All blocks
 * must have written their keys. `shared` holds LONG_ITEMS keys per thread; `arrived` is for the
 * barrier. */
template <typename CODE, typename VALUE>
static __device__ __noinline__ void radix_finish(const radix_job &job, CODE const &code,
                                                 const radix_tables  &tables,
                                                 typename CODE::BITS *shared, uint32_t *arrived)
{
    finish_array<CODE, VALUE> const array = {
        (typename CODE::BITS *)job.keys[0], job.values[0],      job.n, job.value_out,
        tables.plan->prefix_shift,          job.source == NULL, code};
    finish_small_groups(array, shared, tables);
    radix_barrier(arrived);
    finish_large_groups(array, shared, tables);
}

#endif
