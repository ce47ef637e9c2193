/* small_n.c - sorts of a few keys on the stack, where scratch and counters would cost more than
 * the sort.
 *
 * If the ISA has a vector sort (kernels.h), it sorts the records. Otherwise networks do:
 *
 * Keys become records on the stack (key bits; for an argsort the key bits above the index),
 * padded with the largest number to a power of two. They fill ROWS vectors. K. E. Batcher's
 * network (network.h) sorts the columns, one in each lane; his bitonic merge joins neighbouring
 * columns until one is left; and the columns become rows on the way back to memory. Every
 * comparison is of whole vectors, and nothing branches on keys.
 *
 * n lg^2 n comparisons, LANES at a time; a few kilobytes of stack. The network's argsort of 64-bit
 * keys counts for each key the keys before it: n^2 comparisons. */
#include "core/keybits.h"
#include "core/network.h"
#include "cpu/base/lanes.h"
#include "cpu/elements/elements.h"
#include "cpu/radix/records.h"
#include "cpu/sort/sort_steps.h"

#include <string.h>

enum {
    MOST_32 = 128, /* records of the largest network */
    MOST_64 = 64,
    MOST_ORDER_64 = MOST_64 / 2,        /* keys of 64 bits with an index take twice the registers */
    MOST_VALUE = 16,                    /* bytes of a pair's value */
    WORDS_BYTES = ORDO_WORDS_FEW_32 * 4 /* at least those of ORDO_TUNE_WORDS_FEW_64 */
};

_Static_assert((int)ORDO_TUNE_SMALL_N_32 <= MOST_32 && (int)ORDO_SMALL_N_64 <= MOST_64,
               "there is a network for them");

/* ---- Networks ---- */

#define NETWORK_ORDER(i, j) FN(lanes_order)(&x[i], &x[j]);

/* Sorts the bitonic columns of rows o to o + M. */
#define SMALL_CLEAN_2(o) NETWORK_1(o, 1)
#define SMALL_CLEAN_4(o) NETWORK_2(o, 2) SMALL_CLEAN_2(o) SMALL_CLEAN_2((o) + 2)
#define SMALL_CLEAN_8(o) NETWORK_4(o, 4) SMALL_CLEAN_4(o) SMALL_CLEAN_4((o) + 4)
#define SMALL_CLEAN_16(o) NETWORK_8(o, 8) SMALL_CLEAN_8(o) SMALL_CLEAN_8((o) + 8)
#define SMALL_CLEAN_32(o) NETWORK_16(o, 16) SMALL_CLEAN_16(o) SMALL_CLEAN_16((o) + 16)

/* Lane l gets the value of lane l ^ 1 or, if wide, of lane l ^ 3. */
static inline lanes_32 small_swap_32(lanes_32 v, bool wide)
{
    return wide ? __builtin_shufflevector(v, v, 3, 2, 1, 0)
                : __builtin_shufflevector(v, v, 1, 0, 3, 2);
}

/* The first round of merging two columns, or two pairs of columns. Row a is as far from the first
 * row as row b from the last, and their columns are sorted. Lane l of one row is compared with the
 * swapped lane of the other; the upper of the two lanes keeps the larger number. Afterwards the
 * columns are bitonic. */
static inline void small_cross_32(lanes_32 *a, lanes_32 *b, bool wide)
{
    lanes_32 const upper =
        wide ? (lanes_32){0, 0, UINT32_MAX, UINT32_MAX} : (lanes_32){0, UINT32_MAX, 0, UINT32_MAX};
    lanes_32 low = *a, high = small_swap_32(*b, wide);
    lanes_order_32(&low, &high);
    *a = (low & ~upper) | (high & upper);
    *b = small_swap_32((high & ~upper) | (low & upper), wide);
}

static inline void small_cross_64(lanes_64 *a, lanes_64 *b, bool wide)
{
    lanes_64 low = *a, high = __builtin_shufflevector(*b, *b, 1, 0);
    (void)wide;
    lanes_order_64(&low, &high);
    *a = __builtin_shufflevector(low, high, 0, 3);
    *b = __builtin_shufflevector(low, high, 1, 2);
}

/* The second round of merging pairs of columns: compares neighbouring lanes of one row. */
static inline void small_step_32(lanes_32 *a)
{
    lanes_32 low = *a, high = small_swap_32(*a, false);
    lanes_order_32(&low, &high);
    *a = __builtin_shufflevector(low, high, 0, 4, 2, 6);
}

#define BY_ROWS(network)                                                                           \
    if (rows == 4) {                                                                               \
        network##_4(0)                                                                             \
    } else if (rows == 8) {                                                                        \
        network##_8(0)                                                                             \
    } else if (rows == 16) {                                                                       \
        network##_16(0)                                                                            \
    } else {                                                                                       \
        network##_32(0)                                                                            \
    }

#define VEC lanes_32
#define LANES 4
#define FN(name) name##_32
#include "cpu/sort/small_n_network.t.h"
#undef FN
#undef LANES
#undef VEC
#define VEC lanes_64
#define LANES 2
#define FN(name) name##_64
#include "cpu/sort/small_n_network.t.h"
#undef FN

/* The number of records of `size` bytes in the smallest network for n of them. */
static inline size_t small_padded(size_t n, size_t size)
{
    size_t const least = 4 * 16 / size;
    return n <= least ? least : n <= 2 * least ? 2 * least : n <= 4 * least ? 4 * least : 8 * least;
}

static inline void small_network(void *numbers, size_t padded, size_t size)
{
    if (size == sizeof(uint32_t))
        small_network_32(numbers, padded * size / 16);
    else
        small_network_64(numbers, padded * size / 16);
}

/* ---- Keys ---- */

#define ORDO_TEMPLATE "cpu/sort/small_n_key.t.h"
#include "core/for_each_type.h"

static void tell_network(ordo_exec *exec)
{
    exec->algorithm = "network";
    exec->isa = "generic";
    exec->facts.strategy = ORDO_STRATEGY_REGISTERS;
}

static enum cpu_words words_of(ordo_type type)
{
    return ordo_type_size(type) == sizeof(uint64_t) ? CPU_WORDS_64 : CPU_WORDS_32;
}

bool cpu_vector_takes(const cpu_kernels *kernels, const ordo_sort_job *job)
{
    enum cpu_words const words = words_of(job->type);
    bool const           wide = words == CPU_WORDS_64;
    size_t const         least = wide ? ORDO_WORDS_FEWEST_64 : ORDO_TUNE_WORDS_FEWEST;
    size_t const         most = wide ? ORDO_TUNE_WORDS_FEW_64 : ORDO_WORDS_FEW_32;
    return job->n >= least && job->n <= most && kernels->sort_words[words] != NULL;
}

bool cpu_vector_sort(const cpu_kernels *kernels, const ordo_sort_job *job, ordo_exec *exec)
{
    enum cpu_words const width = words_of(job->type);
    size_t const         size = ordo_type_size(job->type);
    uint64_t             spare[WORDS_BYTES / sizeof(uint64_t)];
    if (!cpu_vector_takes(kernels, job))
        return false;
    cpu_tell_vector(exec, kernels);
    exec->changed = true;
    bool const                 same = records_are_keys(job);
    const cpu_words_map *const map = size >= sizeof(uint32_t) ? records_map(job) : NULL;
    if (same || (map != NULL && width == CPU_WORDS_64)) {
        if (job->source != NULL)
            memcpy(job->keys, job->source, job->n * size);
        kernels->sort_keys[width](job->keys, spare, job->n, same ? NULL : map);
        return true;
    }
    radix_io const io = records_of_keys(kernels, job);
    uint64_t       words[WORDS_BYTES / sizeof(uint64_t)];
    io.load(&io, 0, job->n, words);
    kernels->sort_words[width](words, spare, job->n, map != NULL ? job->keys : words,
                               width == CPU_WORDS_64 ? 64 : 32, map);
    if (map == NULL)
        io.store(&io, 0, job->n, words);
    return true;
}

bool cpu_small_sort(const cpu_kernels *kernels, const ordo_sort_job *job, ordo_exec *exec)
{
    if (job->n < 2 * ORDO_TUNE_LOOK_KEYS && cpu_vector_sort(kernels, job, exec))
        return true;
    if (job->n > (ordo_type_size(job->type) == 8 ? ORDO_SMALL_N_64 : ORDO_TUNE_SMALL_N_32))
        return false;
    tell_network(exec);
    exec->changed = true;
    BY_TYPE(job->type, small_sort, (job));
    return true;
}

/* ---- Stable ---- */

static bool order_network(ordo_type type, const void *keys, size_t n, bool descending,
                          uint32_t *order, ordo_exec *exec)
{
    if (n > (ordo_type_size(type) == 8 ? MOST_ORDER_64 : ORDO_SMALL_N_64))
        return false;
    tell_network(exec);
    BY_TYPE(type, small_order, (keys, n, descending, order));
    return true;
}

bool cpu_small_argsort(const cpu_kernels *kernels, const ordo_argsort_job *job, ordo_exec *exec)
{
    uint32_t order[MOST_64];
    if (job->n < 2 * ORDO_TUNE_LOOK_KEYS && cpu_vector_argsort(kernels, job, exec))
        return true;
    if (!order_network(job->type, job->keys, job->n, job->descending, order, exec))
        return false;
    if (job->index_type == ORDO_U32)
        memcpy(job->index, order, job->n * sizeof *order);
    else
        for (size_t i = 0; i < job->n; i++)
            ((uint64_t *)job->index)[i] = order[i];
    return true;
}

/* array[i] = the old array[order[i]]. */
static void permute(void *array, size_t size, size_t n, const uint32_t *order)
{
    char copy[MOST_64 * MOST_VALUE];
    memcpy(copy, array, n * size);
    element_gather(array, copy, size, order, true, 0, n);
}

bool cpu_small_pairs(const ordo_pairs_job *job, ordo_exec *exec)
{
    const ordo_sort_job *const keys = &job->keys;
    uint32_t                   order[MOST_64];
    if (!order_network(keys->type, keys->keys, keys->n, keys->descending, order, exec))
        return false;
    exec->changed = true;
    permute(keys->keys, ordo_type_size(keys->type), keys->n, order);
    permute(job->values, job->value_size, keys->n, order);
    return true;
}
