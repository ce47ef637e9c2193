/* cuda_dev.cuh - the device-wide verbs: arrays are device memory, work is only enqueued.
 *
 * Each pair is explained in the file of its name below device/. Results that a job wants on the
 * host (a total, a radius) are the only ones waited for. */
#ifndef ORDO_CUDA_RUNTIME_CUDA_DEV_H
#define ORDO_CUDA_RUNTIME_CUDA_DEV_H

#include "cuda/runtime/cuda_rt.cuh"

/* device/dev_scan.cu, dev_bits.cu, dev_partition.cu */
size_t      dev_scan_scratch(const ordo_scan_job *job);
ordo_status dev_scan(cuda_call *call, const ordo_scan_job *job);
size_t      dev_scan_bits_scratch(const ordo_bits_job *job);
ordo_status dev_scan_bits(cuda_call *call, const ordo_bits_job *job);
size_t      dev_partition_scratch(const ordo_partition_job *job);
ordo_status dev_partition(cuda_call *call, const ordo_partition_job *job);

/* device/dev_rank.cu (production), dev_rank_paper.cu (naive, shuffle, hybrid) */
size_t      dev_rank_sorted_scratch(const ordo_rank_sorted_job *job);
ordo_status dev_rank_sorted(cuda_call *call, const ordo_rank_sorted_job *job);

/* device/dev_order.cu: is_sorted, runs, count_nans */
size_t      dev_is_sorted_scratch(const ordo_order_job *job);
ordo_status dev_is_sorted(cuda_call *call, const ordo_order_job *job);
size_t      dev_runs_scratch(const ordo_runs_job *job);
ordo_status dev_runs(cuda_call *call, const ordo_runs_job *job);
size_t      dev_count_nans_scratch(const ordo_count_job *job);
ordo_status dev_count_nans(cuda_call *call, const ordo_count_job *job);

/* device/dev_sort.cu: which algorithm; dev_radix.cu, dev_split.cu, dev_bitonic.cu, dev_merge.cu,
 * dev_sample.cu, dev_rough.cu */
size_t      dev_sort_scratch(const ordo_sort_job *job);
ordo_status dev_sort(cuda_call *call, const ordo_sort_job *job);
size_t      dev_sort_pairs_scratch(const ordo_pairs_job *job);
ordo_status dev_sort_pairs(cuda_call *call, const ordo_pairs_job *job);
size_t      dev_argsort_scratch(const ordo_argsort_job *job);
ordo_status dev_argsort(cuda_call *call, const ordo_argsort_job *job);

/* device/dev_rank_unsorted.cu */
size_t      dev_rank_scratch(const ordo_rank_job *job);
ordo_status dev_rank(cuda_call *call, const ordo_rank_job *job);

/* device/dev_radius.cu */
size_t      dev_radius_scratch(const ordo_radius_job *job);
ordo_status dev_radius(cuda_call *call, const ordo_radius_job *job);

/* device/dev_select.cu, dev_topk.cu; job->k is host memory, job->out device memory */
size_t      dev_select_scratch(const ordo_select_job *job);
ordo_status dev_select(cuda_call *call, const ordo_select_job *job);
size_t      dev_topk_scratch(const ordo_topk_job *job);
ordo_status dev_topk(cuda_call *call, const ordo_topk_job *job);

/* device/dev_search.cu: first, first + 1, ... and where codes would go */
ordo_status dev_iota(cuda_call *call, void *out, size_t n, ordo_type type, uint64_t first);
ordo_status dev_search(cuda_call *call, const ordo_search_job *job);
size_t      dev_search_scratch(const ordo_search_job *job);

/* device/dev_pack.cu: sorted keys as differences */
ordo_status dev_pack(cuda_call *call, const ordo_pack_job *job);
/* device/dev_put_ranks.cu */
size_t      dev_put_ranks_work(const ordo_put_job *job);
ordo_status dev_put_ranks(cuda_call *call, const ordo_put_job *job);

/* device/dev_copy.cu */
ordo_status dev_copy(cuda_call *call, const ordo_copy_job *job);

#endif
