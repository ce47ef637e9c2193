/* roughsort.h - A. Pfaff and J. Treadwell, "Parallel Sorting of Roughly-Sorted Sequences" (2016).
 * The map of the paper:
 *
 *   algorithm                file: functions; command
 *   3, LR, RL, DM            cpu/rough/sequences.c: cpu_sequences
 *                            cpu/rough/sequences.t.h: lr_range, rl_range, dm_range
 *                            ordo radius --algorithm sequential
 *   5, parallel radius       dev_radius_paper.cu: doubling_step, doubling_check, disorder
 *                            ordo radius --algorithm prefix --device cuda
 *   3, halving               cpu_roughsort.c: halve, cpu_records_halving
 *                            cpu_roughsort.t.h: halving_select, halving_bubble
 *                            dev_roughsort.cu: partition_blocks, halving_sort
 *                            ordo sort --algorithm halving
 *   7, parallel Roughsort    dev_roughsort.cu: thread_radix, sort_segments, sort_twice
 *                            cpu_roughsort.c: cpu_records_rough
 *                            cpu_roughsort.t.h: segment_sort
 *                            ordo sort --algorithm rough
 *   7, first attempt         `thrust streams` of the benchmark
 *   9, bubble sort           cpu_roughsort.c: cpu_records_bubble
 *                            cpu_roughsort.t.h: bubble_pass
 *                            ordo sort --algorithm bubble
 *   8, k-sorted sequences    gen/gen_order.c: gen_ksorted_state
 *                            ordo gen ksorted -n N -k K
 *
 *   not in the paper
 *   radius by two scans      cuda/rough/dev_sequences.cu: sequences_measure
 *                            ordo radius --algorithm scans --device cuda
 *   short segments by        dev_roughsort.cu: thread_insertion, sort_segments
 *   insertion                ordo sort --algorithm insertion --device cuda
 *
 *   measurement              command; results
 *   Fig. 1, 2                ordo bench radius --device cuda --only n -n 2e6 --repeat 8
 *                            h200/paper-roughsort/radius.json
 *   Fig. 3 to 6, section 7   ordo bench sort --device cuda --only rough -n 2e6 --repeat 8
 *                            h200/paper-roughsort/sort.json
 *
 * Production: cpu/rough/sort_rough.c, cuda/rough/dev_rough.cu (--algorithm windows). */
#ifndef ORDO_PAPERS_ROUGHSORT_ROUGHSORT_H
#define ORDO_PAPERS_ROUGHSORT_ROUGHSORT_H

#include "backend/papers.h"

#ifndef __cplusplus

/* Sort k-sorted records. radius 0: the function measures the radius, which takes scratch. */
ordo_status cpu_records_halving(const struct cpu_records *records, size_t radius, ordo_exec *exec);
ordo_status cpu_records_rough(const struct cpu_records *records, size_t radius, ordo_exec *exec);
size_t      cpu_records_halving_scratch(const struct cpu_records *records); /* also of rough */

ordo_status cpu_records_bubble(const struct cpu_records *records, ordo_exec *exec);

#else

extern const ordo_cuda_sorter dev_rough, dev_insertion, dev_halving;

/* PREFIX. Waits before each round and for the radius. */
ordo_status dev_radius_paper(cuda_call *call, const ordo_radius_job *job);
size_t      dev_radius_paper_scratch(const ordo_radius_job *job);

#endif

#endif
