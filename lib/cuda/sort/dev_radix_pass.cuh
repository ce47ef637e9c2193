/* dev_radix_pass.cuh - the steps of the radix sort: each scatters keys, with or without values,
 * stably by one digit, in one read and one write.
 *
 * Persistent blocks take tiles by ticket, rank the keys of a tile in registers (block_radix.cuh),
 * publish its digit counts, order the keys in shared memory, start to load their values or the next
 * tile, and look back: one thread per digit sums the counts of earlier tiles until it meets a whole
 * prefix (Merrill and Garland, 2016; Adinets and Merrill, "Onesweep", 2022). A tile waits only for
 * lower tickets (dev_radix_look.cuh). A barrier separates steps.
 * Traffic per key and step: 2 * (key + value) bytes. */
#ifndef ORDO_CUDA_SORT_DEV_RADIX_PASS_H
#define ORDO_CUDA_SORT_DEV_RADIX_PASS_H

#include "cuda/sort/dev_radix_finish.cuh"
#include "cuda/sort/dev_radix_leaf.cuh"
#include "cuda/sort/dev_radix_look.cuh"
#include "cuda/sort/dev_radix_memory.cuh"
#include "cuda/sort/dev_radix_plan.cuh"

/* ---- a tile --------------------------------------------------------------------------------- */

template <typename CODE, typename VALUE, int THREADS, int ITEMS> struct radix_pass_shared {
    static constexpr int        TILE = THREADS * ITEMS;
    typedef typename CODE::BITS BITS;

    BITS                         keys[TILE];
    VALUE                        values[value_traits<VALUE>::exists ? TILE : 1];
    char                        *keys_out[RADIX_BINS];   /* where a digit's keys go, minus their */
    char                        *values_out[RADIX_BINS]; /* place in the tile */
    radix_counters<THREADS / 32> counters;
    radix_step                   step;
    uint32_t                     tile;
};

template <typename CODE, typename VALUE, int ITEMS>
struct radix_tile { /* the keys and values of a
                                                                         * thread, in registers */
    typename CODE::BITS key[ITEMS];
    VALUE               value[ITEMS];
};

/* Loads the keys of a tile from `base` on; `valid` of them exist. The others are set to 0, so that
 * the compiler need not keep the previous tile in registers. */
template <typename CODE, typename VALUE, int ITEMS, typename BITS = typename CODE::BITS>
static DEVICE void pass_load_keys(radix_tile<CODE, VALUE, ITEMS> &tile, const radix_step &step,
                                  size_t base, uint32_t valid)
{
    uint32_t const mine = threadIdx.x / 32 * (32 * ITEMS) + threadIdx.x % 32;
    if (valid >= blockDim.x * ITEMS && step.key_in == sizeof(BITS)) {
        const BITS *const keys = (const BITS *)step.keys_in + base + mine;
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            load_global(tile.key[i], keys + i * 32);
        return;
    }
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        tile.key[i] = mine + i * 32 < valid
                          ? load_sized<BITS>(step.keys_in, base + mine + i * 32, step.key_in)
                          : 0;
}

/* Loads the values, or makes the indices. */
template <typename CODE, typename VALUE, int ITEMS>
static DEVICE void pass_load_values(radix_tile<CODE, VALUE, ITEMS> &tile, const radix_step &step,
                                    size_t base, uint32_t valid)
{
    uint32_t const mine = threadIdx.x / 32 * (32 * ITEMS) + threadIdx.x % 32;
    if (step.value_in == 0) {
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            tile.value[i] = (VALUE)(base + mine + i * 32);
    } else if (valid >= blockDim.x * ITEMS && step.value_in == sizeof(VALUE)) {
        const VALUE *const values = (const VALUE *)step.values_in + base + mine;
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            load_global(tile.value[i], values + i * 32);
    } else {
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            tile.value[i] =
                mine + i * 32 < valid
                    ? load_sized<VALUE>(step.values_in, base + mine + i * 32, step.value_in)
                    : 0;
    }
}

/* Encodes keys and pads the tile with the largest key. Separate from the loads, so that these can
 * be in progress while the previous tile is written. */
template <typename CODE, typename VALUE, int ITEMS, typename BITS = typename CODE::BITS>
static DEVICE void pass_encode(radix_tile<CODE, VALUE, ITEMS> &tile, const radix_step &step,
                               CODE const &code, uint32_t valid)
{
    if (step.encode) {
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            tile.key[i] = code.encode(tile.key[i]);
        if (CODE::folds && step.fold) {
#pragma unroll
            for (int i = 0; i < ITEMS; i++)
                tile.key[i] = code.fold(tile.key[i]);
        }
    }
    if (valid < blockDim.x * ITEMS) {
        uint32_t const mine = threadIdx.x / 32 * (32 * ITEMS) + threadIdx.x % 32;
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            if (mine + i * 32 >= valid)
                tile.key[i] = (BITS) ~(BITS)0;
    }
}

/* Writes the sorted tile from shared memory. */
template <typename CODE, typename VALUE, int THREADS, int ITEMS,
          typename BITS = typename CODE::BITS>
static DEVICE void pass_write(const radix_pass_shared<CODE, VALUE, THREADS, ITEMS> *shared,
                              const radix_step &step, CODE const &code, uint32_t valid)
{
    typedef value_traits<VALUE> traits;
    unsigned const              shift = step.shift;
    bool const                  decode = step.decode;
    bool const                  keys = step.key_out != 0, wide = step.value_out > traits::size;
    if (valid == THREADS * ITEMS && (!keys || step.key_out == sizeof(BITS))) {
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            uint32_t const at = threadIdx.x + i * THREADS;
            BITS const     key = shared->keys[at];
            unsigned const digit = (unsigned)(code.fold(key) >> shift) % RADIX_BINS;
            if (!traits::exists || keys)
                store_global((BITS *)shared->keys_out[digit] + at, decode ? code.decode(key) : key);
            if constexpr (traits::exists) {
                VALUE const value = shared->values[at];
                if (wide)
                    store_global((uint64_t *)shared->values_out[digit] + at, (uint64_t)value);
                else
                    store_global((VALUE *)shared->values_out[digit] + at, value);
            }
        }
        asm volatile("" ::: "memory");
        return;
    }
    for (uint32_t at = threadIdx.x; at < valid; at += THREADS) {
        BITS const     key = shared->keys[at];
        unsigned const digit = (unsigned)(code.fold(key) >> shift) % RADIX_BINS;
        if (step.key_out != 0)
            store_sized<BITS>(shared->keys_out[digit] + (size_t)at * step.key_out, step.key_out,
                              decode ? code.decode(key) : key);
        if constexpr (traits::exists)
            store_sized<uint64_t>(shared->values_out[digit] + (size_t)at * step.value_out,
                                  step.value_out, shared->values[at]);
    }
}

/* ---- the kernel ----------------------------------------------------------------------------- */

struct radix_portion { /* a part of the array; one launch */
    size_t   first;    /* first key */
    size_t   keys;
    uint32_t first_tile, tiles; /* number of the first tile in the array; tiles of the portion */
    uint32_t number;
};

/* One step of the list on one portion; shared->step is set and a barrier was passed. */
template <bool LATE, int AHEAD, typename CODE, typename VALUE, int THREADS, int ITEMS,
          typename BITS = typename CODE::BITS>
static DEVICE void pass_step(radix_pass_shared<CODE, VALUE, THREADS, ITEMS> *shared,
                             CODE const &code, const radix_tables &tables,
                             const radix_portion &portion)
{
    constexpr int               TILE = THREADS * ITEMS;
    typedef value_traits<VALUE> traits;

    const radix_step &step = shared->step; /* a reference, because registers are short */
    unsigned const    shift = step.shift, digit = threadIdx.x;
    look_codes const  codes = look_codes_of(step.number);

    auto const take = [&] { /* in thread 0; a barrier follows */
                            uint32_t *const tickets =
                                tables.tickets + step.number * tables.portions;
                            shared->tile = atomicAdd(tickets + portion.number, 1u);
    };
    auto const size_of = [&](uint32_t tile) {
        return (uint32_t)min((size_t)TILE, portion.keys - (size_t)tile * TILE);
    };
    auto const digit_of = [&](BITS key) {
        return (unsigned)(code.fold(key) >> shift) % RADIX_BINS;
    };

    if (threadIdx.x == 0)
        take();
    block_radix_clear(&shared->counters);
    __syncthreads();
    uint32_t tile = shared->tile;
    if (tile >= portion.tiles)
        return;
    radix_tile<CODE, VALUE, ITEMS> mine;
    pass_load_keys(mine, step, portion.first + (size_t)tile * TILE, size_of(tile));
    if constexpr (traits::exists && !LATE)
        pass_load_values(mine, step, portion.first + (size_t)tile * TILE, size_of(tile));

    for (;;) {
        uint32_t const  valid = size_of(tile);
        uint32_t *const word =
            tables.status + (size_t)(portion.first_tile + tile) * RADIX_BINS + digit;
        radix_ranks<ITEMS> ranks;
        uint32_t           start = 0;
        pass_encode(mine, step, code, valid);
        auto const digit_at = [&](int i) { return digit_of(mine.key[i]); };
        if (!traits::exists && step.loose)
            block_radix_rank_loose(&shared->counters, ranks, digit_at);
        else
            block_radix_rank(&shared->counters, ranks, digit_at);
        __syncthreads();
        if (threadIdx.x == 0)
            take();
        auto const publish = [&](uint32_t count) {
            count -= digit == RADIX_BINS - 1 ? TILE - valid : 0;
            look_publish(word, tile == 0 ? codes.whole : codes.partial, count);
        };
        uint32_t const count = block_radix_columns(&shared->counters, &start, publish) -
                               (digit == RADIX_BINS - 1 ? TILE - valid : 0);
        __syncthreads();

#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            forget(mine.key[i]);
            uint32_t const place =
                block_radix_place(&shared->counters, ranks, i, digit_of(mine.key[i]));
            shared->keys[place] = mine.key[i];
            if constexpr (traits::exists && LATE)
                block_radix_keep(ranks, i, place);
            else if constexpr (traits::exists)
                shared->values[place] = mine.value[i];
        }
        uint32_t const next = shared->tile;
        auto const     load_next = [&] {
            pass_load_keys(mine, step, portion.first + (size_t)next * TILE,
                           next < portion.tiles ? size_of(next) : 0);
        };
        if constexpr (traits::exists && LATE) {
            pass_load_values(mine, step, portion.first + (size_t)tile * TILE, valid);
        } else {
            load_next();
            if constexpr (traits::exists)
                pass_load_values(mine, step, portion.first + (size_t)next * TILE,
                                 next < portion.tiles ? size_of(next) : 0);
        }

        if (digit < RADIX_BINS) {
            uint64_t *const starts =
                tables.starts + (step.digit * (tables.portions + 1) + portion.number) * RADIX_BINS;
            uint32_t const before = look_back_counts<AHEAD>(word, tile, codes);
            if (tile > 0)
                look_publish(word, codes.whole, before + count);
            size_t const to = starts[digit] + before;
            if (tile + 1 == portion.tiles)
                starts[RADIX_BINS + digit] = to + count;
            shared->keys_out[digit] = (char *)step.keys_out + (to - start) * step.key_out;
            if constexpr (traits::exists)
                shared->values_out[digit] = (char *)step.values_out + (to - start) * step.value_out;
        }
        block_radix_clear(&shared->counters);
        if constexpr (traits::exists && LATE) {
#pragma unroll
            for (int i = 0; i < ITEMS; i++)
                shared->values[block_radix_kept(ranks, i)] = mine.value[i];
            load_next();
        }
        __syncthreads();
        pass_write(shared, step, code, valid);
        if (next >= portion.tiles)
            return;
        tile = next;
    }
}

/* ---- after the steps ------------------------------------------------------------------------ */

template <typename T> static __device__ void settle_copy(void *to, const void *from, size_t count)
{
    grid_each(count, [&](size_t i) { ((T *)to)[i] = __ldcg((const T *)from + i); });
}

/* Elements of `size` bytes, a power of 2 up to 8. */
static __device__ void settle_elements(void *to, const void *from, size_t count, unsigned size)
{
    if (((size_t)to | (size_t)from | count * size) % sizeof(uint4) == 0)
        settle_copy<uint4>(to, from, count * size / sizeof(uint4));
    else if (size == 8)
        settle_copy<unsigned long long>(to, from, count);
    else if (size == 4)
        settle_copy<uint32_t>(to, from, count);
    else if (size == 2)
        settle_copy<uint16_t>(to, from, count);
    else
        settle_copy<uint8_t>(to, from, count);
}

/* Copies the result from arrays 1 to arrays 0. */
static __device__ __noinline__ void pass_settle(const radix_job &job)
{
    if (job.source == NULL || job.keep_keys)
        settle_elements(job.keys[0], job.keys[1], job.n, job.key_size);
    if (job.value_out == job.value_size && job.value_size != 0)
        settle_elements(job.values[0], job.values[1], job.n, job.value_size);
    if (job.value_out > job.value_size) /* widens 32-bit indices to 64 bits */
        grid_each(job.n, [&](size_t i) {
            ((uint64_t *)job.values[0])[i] = __ldcg((const uint32_t *)job.values[1] + i);
        });
}

struct radix_range {      /* the work of a launch */
    unsigned first, last; /* steps of each list */
    bool     list[2];     /* whether to do the plan's list, and the second list */
    bool     settle;      /* whether to copy the result after the last step */
    bool     finish;      /* whether to finish between the lists */
    bool     only_leaves; /* whether the second list is done only if there were leaves */
};

/* SHAPE is a radix_shape. FEW: small tiles, and the finish. ITEMS: keys per thread. */
template <typename CODE, typename VALUE, typename SHAPE, bool FEW, int ITEMS>
static __global__ void __launch_bounds__(SHAPE::THREADS, SHAPE::RESIDENT)
    radix_pass(__grid_constant__ radix_job const job, __grid_constant__ CODE const code,
               __grid_constant__ radix_tables const tables, radix_portion const portion,
               radix_range const range)
{
    static_assert(ITEMS >= LONG_ITEMS && 32 * ITEMS >= FINISH_WINDOW + FINISH_WALK,
                  "the finish has the memory of a tile's keys");
    extern __shared__ char pass_shared_bytes[];
    auto *const shared = (radix_pass_shared<CODE, VALUE, SHAPE::THREADS, ITEMS> *)pass_shared_bytes;

    radix_plan *const plan = tables.plan;
    bool const        leaf = plan->leaf != 0;
    bool const        finish = range.finish && plan->prefix_shift != 0 && !leaf;
    unsigned          again = FEW ? 0 : range.list[1];
    do {
        /* After leaves, the second list needs a launch of its own. */
        bool const can_follow = leaf ? !range.list[0] : !range.only_leaves;
        bool const wanted =
            range.list[again] && (again == 0 || (can_follow && load_relaxed(&plan->again) != 0));
        const radix_step *const list = again ? plan->again_step : plan->step;
        unsigned const          steps = again ? plan->again_steps : plan->steps;
        unsigned const          last = wanted ? min(range.last, steps) : 0;
        bool const settle = wanted && range.settle && (again ? plan->again_settle : plan->settle);
        bool const meet = FEW && finish && again == 0;
        bool const bound = wanted && range.settle && again == 0 && leaf;
        for (unsigned s = range.first; s < last; s++) {
            if (threadIdx.x == 0)
                shared->step = list[s];
            __syncthreads();
            pass_step<SHAPE::LATE, FEW ? 8 : 4>(shared, code, tables, portion);
            if (s + 1 < last || settle || meet || (bound && steps > 1))
                radix_barrier(&plan->barriers[again]);
        }
        if (bound)
            leaf_bounds(job, code, tables);
        if (settle) {
            pass_settle(job);
            if (meet)
                radix_barrier(&plan->barriers[again]);
        }
        if (FEW && meet) {
            radix_finish<CODE, VALUE>(job, code, tables, shared->keys, &plan->barriers[2]);
            radix_barrier(&plan->barriers[2]);
        }
    } while (FEW && again++ == 0);
}

#endif
