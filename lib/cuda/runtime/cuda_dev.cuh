/* cuda_dev.cuh - the device verbs. Arrays are device memory, and work is only enqueued on the
 * stream; a call waits only for results that the host needs (a total, a radius).
 *
 * The files named above each group of functions describe them. */
#ifndef ORDO_CUDA_RUNTIME_CUDA_DEV_H
#define ORDO_CUDA_RUNTIME_CUDA_DEV_H

#include "cuda/runtime/cuda_rt.cuh"

/* scan/dev_scan.cu, dev_bits.cu, dev_partition.cu */
size_t      dev_scan_scratch(const ordo_scan_job *job);
ordo_status dev_scan(cuda_call *call, const ordo_scan_job *job);
size_t      dev_scan_bits_scratch(const ordo_bits_job *job);
ordo_status dev_scan_bits(cuda_call *call, const ordo_bits_job *job);
size_t      dev_partition_scratch(const ordo_partition_job *job);
ordo_status dev_partition(cuda_call *call, const ordo_partition_job *job);

/* rank/dev_rank_sorted.cu */
size_t      dev_rank_sorted_scratch(const ordo_rank_sorted_job *job);
ordo_status dev_rank_sorted(cuda_call *call, const ordo_rank_sorted_job *job);

/* rough/dev_order.cu */
size_t      dev_is_sorted_scratch(const ordo_order_job *job);
ordo_status dev_is_sorted(cuda_call *call, const ordo_order_job *job);
size_t      dev_runs_scratch(const ordo_runs_job *job);
ordo_status dev_runs(cuda_call *call, const ordo_runs_job *job);
size_t      dev_count_nans_scratch(const ordo_count_job *job);
ordo_status dev_count_nans(cuda_call *call, const ordo_count_job *job);

/* sort/dev_sort.cu */
size_t      dev_sort_scratch(const ordo_sort_job *job);
ordo_status dev_sort(cuda_call *call, const ordo_sort_job *job);
size_t      dev_sort_pairs_scratch(const ordo_pairs_job *job);
ordo_status dev_sort_pairs(cuda_call *call, const ordo_pairs_job *job);
size_t      dev_argsort_scratch(const ordo_argsort_job *job);
ordo_status dev_argsort(cuda_call *call, const ordo_argsort_job *job);

/* rank/dev_rank.cu */
size_t      dev_rank_scratch(const ordo_rank_job *job);
ordo_status dev_rank(cuda_call *call, const ordo_rank_job *job);

/* segments/dev_segments_sort.cu: the same on the segments of an array (job->segments) */
size_t      dev_segments_sort_scratch(const ordo_sort_job *job);
ordo_status dev_segments_sort(cuda_call *call, const ordo_sort_job *job);
size_t      dev_segments_sort_pairs_scratch(const ordo_pairs_job *job);
ordo_status dev_segments_sort_pairs(cuda_call *call, const ordo_pairs_job *job);
size_t      dev_segments_argsort_scratch(const ordo_argsort_job *job);
ordo_status dev_segments_argsort(cuda_call *call, const ordo_argsort_job *job);
size_t      dev_segments_rank_scratch(const ordo_rank_job *job);
ordo_status dev_segments_rank(cuda_call *call, const ordo_rank_job *job);

/* scan/dev_segments_scan.cu; segments/dev_segments_ranks.cu, _order.cu, _radius.cu,
 * select/dev_segments_select.cu, _topk.cu: results are device memory, and the host waits only for
 * job->unsorted */
size_t      dev_segments_scan_scratch(const ordo_scan_job *job);
ordo_status dev_segments_scan(cuda_call *call, const ordo_scan_job *job);
size_t      dev_segments_rank_sorted_scratch(const ordo_rank_sorted_job *job);
ordo_status dev_segments_rank_sorted(cuda_call *call, const ordo_rank_sorted_job *job);
size_t      dev_segments_is_sorted_scratch(const ordo_order_job *job);
ordo_status dev_segments_is_sorted(cuda_call *call, const ordo_order_job *job);
size_t      dev_segments_runs_scratch(const ordo_runs_job *job);
ordo_status dev_segments_runs(cuda_call *call, const ordo_runs_job *job);
size_t      dev_segments_radius_scratch(const ordo_radius_job *job);
ordo_status dev_segments_radius(cuda_call *call, const ordo_radius_job *job);
size_t      dev_segments_select_scratch(const ordo_select_job *job);
ordo_status dev_segments_select(cuda_call *call, const ordo_select_job *job);
/* segments/select/dev_segments_nth.cu: whole arrays and segments. */
size_t      dev_nth_scratch(const ordo_nth_job *job);
ordo_status dev_nth(cuda_call *call, const ordo_nth_job *job);
size_t      dev_segments_topk_scratch(const ordo_topk_job *job);
ordo_status dev_segments_topk(cuda_call *call, const ordo_topk_job *job);

/* columns/dev_lexsort.cu, dev_place_ranks.cu, dev_groups.cu; the list of columns and job->q are
 * host memory */
size_t      dev_lexsort_scratch(const ordo_lexsort_job *job);
ordo_status dev_lexsort(cuda_call *call, const ordo_lexsort_job *job);
size_t      dev_lexrank_scratch(const ordo_lexrank_job *job);
ordo_status dev_lexrank(cuda_call *call, const ordo_lexrank_job *job);
size_t      dev_groups_scratch(const ordo_groups_job *job);
ordo_status dev_groups(cuda_call *call, const ordo_groups_job *job);

/* elements/dev_elements.cu */
size_t      dev_move_scratch(const ordo_move_job *job);
ordo_status dev_move(cuda_call *call, const ordo_move_job *job);
size_t      dev_sort_records_scratch(const ordo_records_job *job);
ordo_status dev_sort_records(cuda_call *call, const ordo_records_job *job);

/* windows/dev_moving.cu; also on the segments of an array */
size_t      dev_moving_scratch(const ordo_moving_job *job);
ordo_status dev_moving(cuda_call *call, const ordo_moving_job *job);

/* rough/dev_radius.cu */
size_t      dev_radius_scratch(const ordo_radius_job *job);
ordo_status dev_radius(cuda_call *call, const ordo_radius_job *job);

/* Most keys of a sub-array of a selection: two for each thread of a block. */
static constexpr size_t CUDA_MOST_SUB_ARRAY = 2048;

/* select/dev_select.cu, dev_topk.cu; job->k is host memory, job->out device memory */
size_t      dev_select_scratch(const ordo_select_job *job);
ordo_status dev_select(cuda_call *call, const ordo_select_job *job);
size_t      dev_topk_scratch(const ordo_topk_job *job);
ordo_status dev_topk(cuda_call *call, const ordo_topk_job *job);

/* stream/dev_streamed.cu: consecutive numbers from `first` on; positions of key bits in a sorted
 * array */
ordo_status dev_iota(cuda_call *call, void *out, size_t n, ordo_type type, uint64_t first);
ordo_status dev_search(cuda_call *call, const ordo_search_job *job);
size_t      dev_search_scratch(const ordo_search_job *job);

/* stream/dev_streamed.cu: packs sorted keys as differences */
ordo_status dev_pack(cuda_call *call, const ordo_pack_job *job);
/* rank/dev_rank.cu: writes the ranks of sorted records to the places of the records */
size_t      dev_put_ranks_work(const ordo_put_job *job);
ordo_status dev_put_ranks(cuda_call *call, const ordo_put_job *job);

#endif
