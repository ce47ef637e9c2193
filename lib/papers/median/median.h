/* median.h - B. Alyafi and F. Khalid, "Median Element Parallelized Search" (2018). The map of the
 * paper:
 *
 *   algorithm, figure        file: functions; command
 *   Fig. 4 to 6, network     dev_select_bitonic.cu: paper_sort_kernel
 *   Algorithm 1, swapping    dev_select_bitonic.cu: order_halves
 *   both on the CPU          cpu_bitonic.c: cpu_records_bitonic_parts
 *                            cpu_bitonic.t.h: order_halves, sort_part, sort_parts
 *   Algorithm 2, merge       paper_merge.t.h: smallest_head, merge_sub_arrays
 *   4, the median            dev_select_bitonic.cu: select_as_in_paper
 *                            cpu_sub_arrays.c: cpu_sub_arrays, merge_sequentially
 *                            ordo median --algorithm bitonic --sub-array N
 *   Fig. 7, 8, 16 elements   ordo select -k 9 --algorithm bitonic --sub-array 4
 *                            (the paper takes element n / 2, counted from 0)
 *
 *   not in the paper
 *   merges of pairs          dev_select_bitonic.cu: sub_array_kernel, select_bitonic_merge
 *                            cpu_sub_arrays.c: merge_pairs
 *                            ordo median --algorithm merge --sub-array N
 *   sorts of any n           dev_bitonic.cu: bitonic_sort, merge_sort
 *                            cpu_bitonic.c: cpu_records_bitonic
 *                            ordo sort --algorithm bitonic, ordo sort --algorithm merge
 *
 *   measurement              command; results
 *   Table 2                  ordo bench select --device cuda --only paper --repeat 3
 *                            h200/paper-median/select.json
 *
 * Fig. 1 to 3 and Table 1 show machines. Production: cpu/select/cpu_select.c,
 * cuda/select/dev_select.cu. */
#ifndef ORDO_PAPERS_MEDIAN_MEDIAN_H
#define ORDO_PAPERS_MEDIAN_MEDIAN_H

#include "backend/papers.h"

#ifndef __cplusplus

ordo_status cpu_records_bitonic(const struct cpu_records *records, ordo_exec *exec);
/* Sorts each sub-array of `part` records, a power of two, by the paper's network. If the last one
 * is shorter, `padded` has room for `part` records. */
ordo_status cpu_records_bitonic_parts(const struct cpu_records *records, size_t part, void *padded,
                                      ordo_exec *exec);

/* Sorts first sub-arrays, then merges. in_pairs: all threads merge pairs of sub-arrays; otherwise
 * one thread merges all sub-arrays. */
ordo_status cpu_sub_arrays(const struct cpu_records *records, size_t sub_array, bool in_pairs,
                           const void **sorted, ordo_exec *exec);
size_t      cpu_sub_arrays_scratch(const struct cpu_records *records, size_t sub_array);

#else

extern const ordo_cuda_sorter dev_bitonic, dev_merge;

ordo_status dev_select_bitonic(cuda_call *call, const ordo_select_job *job);
size_t      dev_select_bitonic_scratch(const ordo_select_job *job);

/* The steps of MERGE, which the benchmark times separately. */
struct cuda_scratch;
struct select_bitonic_work { /* scratch; words have 8 bytes for 8-byte keys, else 4 */
    void     *words, *others;
    uint64_t *k;
};
select_bitonic_work select_bitonic_layout(cuda_scratch *scratch, const ordo_select_job *job);

/* Sorts the sub-arrays into work->words. */
ordo_status select_bitonic_sort(cuda_call *call, const ordo_select_job *job,
                                const select_bitonic_work *work);
/* Merges pairs of sub-arrays; *sorted becomes the array that holds the result. */
ordo_status select_bitonic_merge(cuda_call *call, const ordo_select_job *job,
                                 const select_bitonic_work *work, void **sorted);
/* Writes the keys at the wanted positions to job->out. */
ordo_status select_bitonic_read(cuda_call *call, const ordo_select_job *job,
                                const select_bitonic_work *work, const void *sorted);

#endif

#endif
