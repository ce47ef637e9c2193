/* hybrid.h - S. Subashini and N. Ramya, "Animated Graphics: Interpreting Solutions to Numerical
 * Models on Supercomputers", chapter "Hybrid Comparison Sorting". The map of the chapter:
 *
 *   algorithm, figure        file: functions; command
 *   Algorithm 1, Fig. 3.1    sample_sort.c: hybrid_sample_sort, run_phases
 *                            ordo sort --device hybrid --algorithm sample --profile
 *   Fig. 3.2                 ordo sort --device hybrid --algorithm intervals --explain
 *                            of at most 16 numbers
 *   splitters at intervals   hybrid.h: sample_lg; cpu_sample.c: first_sample
 *   of sqrt(n)               dev_intervals.cuh: label_wide, count_wide, scatter_wide
 *                            ordo sort --device hybrid --algorithm intervals
 *   Algorithm 2, phase I     sample_sort.c: label
 *                            sample_pieces.c: sample_label_piece
 *                            sample_layout.c: sample_cut_input
 *                            sample_link.c: sample_run, sample_run_pinned
 *                            cpu_sample.c: step_split, step_label
 *                            cpu_sample.t.h: build_tree, label_piece
 *                            label_avx512.c: sample_label_32_avx512, sample_label_64_avx512
 *                            dev_sample.cu: step_label
 *                            dev_sample_kernels.cuh: label_records
 *   records of the CPU       sample_records.c: sample_load, sample_store,
 *                            sample_store_values, sample_number, sample_next_ties
 *   Algorithm 3, phase II    sample_sort.c: count
 *                            cpu_sample.c: step_count, count_piece, add_counts
 *                            dev_sample.cu: step_count
 *                            dev_sample_kernels.cuh: count_labels
 *   phase III                sample_sort.c: scatter, exchange
 *                            sample_pieces.c: sample_scatter_piece
 *                            sample_layout.c: sample_share_buckets
 *                            cpu_sample.c: step_scatter
 *                            dev_sample.cu: step_scatter, step_place
 *   phase IV                 sample_sort.c: sort_buckets
 *                            sample_pieces.c: sample_sort_piece, sample_sort_rest,
 *                            sample_own_piece, sample_sent_piece, sample_value_piece
 *                            cpu_sample.c: sort_buckets
 *                            dev_sample.cu: sort_level
 *   the GPU alone            dev_sample.cu: sample_sort
 *                            ordo sort --device cuda --algorithm sample
 *   the CPU alone            cpu_sample.c: cpu_records_sample
 *                            ordo sort --device cpu --algorithm sample
 *   variable length keys     sample_strings.c: hybrid_sample_strings
 *                            cpu_string_sample.c: cpu_strings_sample
 *                            ordo sort --text --device hybrid --algorithm sample
 *   ranks (not in the text)  sample_rank.c: hybrid_sample_rank
 *
 *   measurement              command; all results: h200/paper-hybrid/hybrid.json
 *   Fig. 3.5, 4.4, 4.22      ordo bench hybrid --only sample-phases
 *   Fig. 3.6                 ordo bench hybrid --only sample-keys
 *   Fig. 3.7                 ordo bench hybrid --only sample-pairs
 *   Fig. 3.8                 ordo bench hybrid --only sample-gaussian
 *   Fig. 3.15                ordo bench hybrid --only sample-wide
 *   splitters at intervals   ordo bench hybrid --only sample-intervals
 *   gain of both devices     ordo bench hybrid --only sample-gain
 *   staggered, bucket, ...   ordo bench hybrid --only sample-inputs
 *   Fig. 3.16, 3.17, ratio   ordo bench hybrid --only sample-platforms
 *   threshold                ordo bench hybrid --only sample-threshold
 *   proteins, strings        ordo bench hybrid --only strings
 *
 * The steps of a device are jobs of backend/sample.h. Production: hybrid/stream/sort_streamed.c. */
#ifndef ORDO_PAPERS_HYBRID_HYBRID_H
#define ORDO_PAPERS_HYBRID_HYBRID_H

#include "backend/papers.h"
#include "papers/base/tuning.h"

/* The tree of splitters has 2^lg leaves and 2^(lg + 1) buckets. SAMPLE has lg SAMPLE_LG; INTERVALS
 * has one splitter for every sqrt(n) keys, as the text, so its buckets grow with n. */
static inline size_t sample_root(size_t n)
{
    uint64_t root = 0;
    for (uint64_t bit = UINT64_C(1) << 31; bit > 0; bit /= 2)
        if ((root + bit) * (root + bit) <= n)
            root += bit;
    return (size_t)root;
}

static inline unsigned sample_lg(bool intervals, size_t n)
{
    size_t const wish = intervals ? ordo_bit_length(sample_root(n)) : (size_t)ORDO_TUNE_SAMPLE_LG;
    return (unsigned)ordo_min(wish, ORDO_TUNE_SAMPLE_MOST_LG);
}

static inline size_t sample_buckets(unsigned lg) { return (size_t)2 << lg; }

/* The position of record i of a regular sample: the middle of the i-th of `size` intervals. */
static inline size_t sample_position(size_t i, size_t size, size_t n)
{
    size_t const each = n / size;
    return i * each + each / 2;
}

#ifndef __cplusplus

/* Progress phases of the sample sort on the CPU (the last one counts twice, because it is about
 * half of the work), and the phases that the sample sort of strings adds. */
enum {
    CPU_SAMPLE_PHASES = 4,
    CPU_STRING_SAMPLE_PHASES = 2
};

/* kernels NULL: use no vector sort. */
ordo_status cpu_records_sample(const struct cpu_records *records, bool intervals,
                               const struct cpu_kernels *kernels, ordo_exec *exec);
size_t      cpu_records_sample_scratch(const struct cpu_records *records, bool intervals);
ordo_status cpu_strings_sample(struct string_engine *engine, struct string_group *large,
                               size_t *large_count);
/* The CPU's steps of the hybrid sort, which are done when they return; the slots of a device are
 * the same. state is that of the CPU backend. */
ordo_status cpu_sample(void *state, const ordo_sample_job *job, ordo_exec *exec);
size_t      cpu_sample_work(const ordo_sample_job *job);

/* Sorts records in the four phases. After an error with exec->changed off the input is
 * unchanged. */
ordo_status hybrid_sample_sort(const struct ordo_both *both, const struct hybrid_records *records,
                               ordo_exec *exec);
/* Ranks the keys by the order that the sample sort finds. `given` has keys and no arrays for
 * results. */
ordo_status hybrid_sample_rank(const struct ordo_both *both, const struct hybrid_records *given,
                               const ordo_rank_job *job, ordo_exec *exec);
/* Fills order->index and order->known by the hybrid sample sort of the strings' keys. */
ordo_status hybrid_sample_strings(const struct ordo_both *both, struct hybrid_string_order *order,
                                  ordo_exec *exec);

#else

extern const ordo_cuda_sorter  dev_sample_sort, dev_intervals_sort;
extern const ordo_sample_slots dev_sample_steps;

#endif

#endif
