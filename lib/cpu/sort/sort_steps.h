/* sort_steps.h - the functions that the files of this folder share with each other and with other
 * verbs. */
#ifndef ORDO_CPU_SORT_SORT_STEPS_H
#define ORDO_CPU_SORT_SORT_STEPS_H

#include "cpu/base/cpu.h"
#include "cpu/radix/record.h"

/* ---- Sorts of records ---- */

cpu_records_fn cpu_records_merge;                                     /* merge_records.c */
size_t         cpu_records_merge_scratch(const cpu_records *records); /* reads kind and n */

/* Merges `runs` sorted runs; run i is records [bounds[i], bounds[i + 1]). merge_records.c */
ordo_status cpu_records_merge_runs(const cpu_records *records, const size_t *bounds, size_t runs,
                                   ordo_exec *exec);

/* Sorts by `algorithm`, which is not radix or auto. `radius` is the radius of the records if the
 * caller gave it, else 0. cpu_sort.c */
ordo_status cpu_records_sort(const cpu_kernels *kernels, const cpu_records *records,
                             ordo_algorithm algorithm, size_t radius, ordo_exec *exec);
size_t      cpu_records_sort_scratch(enum record_kind kind, size_t n, ordo_algorithm algorithm,
                                     const ordo_exec *exec);

/* Turns counts[piece][bucket] into the place of each piece's records of each bucket: buckets in
 * order, and pieces in order within a bucket. starts[b] becomes the place of bucket b;
 * starts[buckets] is the number of all records. */
static inline void cpu_counts_to_places(size_t *counts, size_t pieces, size_t buckets,
                                        size_t *starts)
{
    size_t at = 0;
    for (size_t b = 0; b < buckets; b++) {
        starts[b] = at;
        for (size_t p = 0; p < pieces; p++) {
            size_t const here = counts[p * buckets + b];
            counts[p * buckets + b] = at;
            at += here;
        }
    }
    starts[buckets] = at;
}

/* ---- Whole jobs ---- */

/* Argsort and stable sort of pairs without any scratch. inplace_stable.c */
ordo_status cpu_argsort_inplace(const ordo_argsort_job *job, ordo_exec *exec);
ordo_status cpu_pairs_inplace(const ordo_pairs_job *job, ordo_exec *exec);

/* Each sorts on the stack if n is small enough, and returns whether it did. small_n.c */
bool cpu_small_sort(const cpu_kernels *kernels, const ordo_sort_job *job, ordo_exec *exec);
bool cpu_small_argsort(const cpu_kernels *kernels, const ordo_argsort_job *job, ordo_exec *exec);
bool cpu_small_pairs(const ordo_pairs_job *job, ordo_exec *exec);
/* The same with the vector sort of the ISA, if there is one, for keys in any order. small_n.c */
bool cpu_vector_takes(const cpu_kernels *kernels, const ordo_sort_job *job);
bool cpu_vector_sort(const cpu_kernels *kernels, const ordo_sort_job *job, ordo_exec *exec);

static inline void cpu_tell_vector(ordo_exec *exec, const cpu_kernels *kernels)
{
    exec->algorithm = "vector";
    exec->isa = kernels->isa;
    exec->facts.strategy = ORDO_STRATEGY_CACHE;
}

/* Replaces the facts of a sort that was refused scratch. sort_paths.c */
void cpu_tell_in_place(ordo_exec *exec);

/* ---- Orders by words: order_words.c ---- */

/* The order of keys: words[i] & index_mask is the index of the i-th key. */
typedef struct cpu_order {
    uint64_t *words;
    uint64_t *bits; /* the key bits in the order of the input, if lossy */
    uint64_t  index_mask;
    bool      lossy; /* keys whose words are equal above the index may differ */
} cpu_order;

typedef struct cpu_few_memory { /* memory for the order of a few keys, on the stack */
    uint64_t words[ORDO_TUNE_WORDS_FEW_64], bits[ORDO_TUNE_WORDS_FEW_64];
} cpu_few_memory;

/* Whether the vector sort of the ISA may find the order of n keys: for ranks, or for an argsort. */
bool cpu_vector_orders(const cpu_kernels *kernels, ordo_type type, size_t n, bool ranks,
                       const ordo_exec *exec);
/* Finds the order of such keys, on one thread. Returns false if the vector sort does not take so
 * many, if a sample shows that another sort is faster, or if scratch is refused.
 * The order is in `scratch` or in scratch. */
bool cpu_vector_order(const cpu_kernels *kernels, const ordo_argsort_job *job, bool ranks,
                      cpu_few_memory *scratch, cpu_order *order, ordo_exec *exec);
/* The same for an argsort, with its result. */
bool cpu_vector_argsort(const cpu_kernels *kernels, const ordo_argsort_job *job, ordo_exec *exec);
/* An upper bound of the scratch of an argsort. */
size_t cpu_vector_argsort_scratch(size_t n);

/* Whether the i-th key of an order, i > 0, ties with the one before it. */
static inline bool cpu_order_ties(const cpu_order *order, size_t i)
{
    uint64_t const left = order->words[i - 1], right = order->words[i];
    return (left ^ right) <= order->index_mask &&
           (!order->lossy ||
            order->bits[left & order->index_mask] == order->bits[right & order->index_mask]);
}

/* ---- Few keys out of place, few values ---- */

/* Sorts job->keys, of 4 or 8 bytes each, if few of them are out of place; *done becomes true if it
 * sorted them. If not, the keys are unchanged, and *scratch holds n keys, aligned to a cache line,
 * and the next sort may use it. ORDO_E_NOMEM also leaves the keys unchanged. displaced.c */
ordo_status cpu_sort_displaced(const cpu_kernels *kernels, const ordo_sort_job *job, bool *done,
                               void **scratch, ordo_exec *exec);
size_t      cpu_displaced_scratch(const ordo_sort_job *job);

/* Sorts keys of 4 or 8 bytes from job->source or job->keys by counting the values of a sample.
 * *done and *scratch are as above, and *scratch may already be scratch. few_values.c */
struct few_sample;
ordo_status cpu_sort_few(const cpu_kernels *kernels, const ordo_sort_job *job,
                         struct few_sample *sample, bool *done, void **scratch, ordo_exec *exec);
size_t      cpu_few_scratch(const ordo_sort_job *job, unsigned threads);
/* The same for numbers of a narrow range, if another sample shows one. dense_values.c */
ordo_status cpu_sort_dense(const cpu_kernels *kernels, const ordo_sort_job *job, bool *done,
                           void **scratch, ordo_exec *exec);

/* ---- Orders that a sample has shown: ordered.c ---- */

/* `io` gives the key bits (records_of_order). Each sets *done if the keys are sorted now; otherwise
 * they are unchanged, or, after cpu_sort_windows, permuted if exec->changed is set. */
struct radix_io;
ordo_status cpu_sort_runs(const ordo_sort_job *job, const struct radix_io *io, bool *done,
                          ordo_exec *exec);
ordo_status cpu_sort_reversed(const ordo_sort_job *job, const struct radix_io *io, bool *done,
                              ordo_exec *exec);
/* `seen`: the largest radius of the sampled windows; `most`: the largest radius for which windows
 * are faster than the general sort. */
ordo_status cpu_sort_windows(const cpu_kernels *kernels, const ordo_sort_job *job, size_t seen,
                             size_t most, bool *done, ordo_exec *exec);
/* Whether the whole array is one ascending run; `falling`: one descending run. */
ordo_status cpu_is_one_run(const struct radix_io *io, ordo_type type, bool falling, bool *is,
                           ordo_exec *exec);
ordo_status cpu_reverse_array(void *array, size_t size, size_t n, ordo_exec *exec);
/* Writes the result of an argsort of keys that are sorted, or reversed. */
ordo_status cpu_index_in_order(const ordo_argsort_job *job, bool reversed, ordo_exec *exec);

/* ---- The order of an array's elements: reorder.c ---- */

/* Exchanges elements lo to hi - 1 of array[0 .. n) with their mirror images: element i with element
 * n - 1 - i. hi is at most n / 2; [0, n / 2) reverses the whole array. An element has `size` bytes,
 * 1 to 16, and needs no alignment. */
void cpu_reverse(void *array, size_t size, size_t n, size_t lo, size_t hi);

#endif
