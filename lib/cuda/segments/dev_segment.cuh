/* dev_segment.cuh - the verbs over segments (segments.cuh). The verbs of cuda_dev.cuh call them for
 * jobs whose `segments` is not NULL.
 *
 * All results are device memory. The work is only enqueued. A file named dev_segment_X.cu holds
 * each group of functions. */
#ifndef ORDO_CUDA_SEGMENTS_DEV_SEGMENT_H
#define ORDO_CUDA_SEGMENTS_DEV_SEGMENT_H

#include "cuda/runtime/cuda_dev.cuh"
#include "cuda/segments/segments.cuh"

/* dev_segment_scan.cu */
size_t      dev_segment_scan_scratch(const ordo_scan_job *job);
ordo_status dev_segment_scan(cuda_call *call, const ordo_scan_job *job);

/* dev_segment_ranks.cu: of sorted segments */
size_t      dev_segment_rank_sorted_scratch(const ordo_rank_sorted_job *job);
ordo_status dev_segment_rank_sorted(cuda_call *call, const ordo_rank_sorted_job *job);

/* dev_segment_order.cu */
size_t      dev_segment_is_sorted_scratch(const ordo_order_job *job);
ordo_status dev_segment_is_sorted(cuda_call *call, const ordo_order_job *job);
size_t      dev_segment_runs_scratch(const ordo_runs_job *job);
ordo_status dev_segment_runs(cuda_call *call, const ordo_runs_job *job);

/* dev_segment_radius.cu */
size_t      dev_segment_radius_scratch(const ordo_radius_job *job);
ordo_status dev_segment_radius(cuda_call *call, const ordo_radius_job *job);

/* dev_segment_select.cu, dev_segment_topk.cu */
size_t      dev_segment_select_scratch(const ordo_select_job *job);
ordo_status dev_segment_select(cuda_call *call, const ordo_select_job *job);
size_t      dev_segment_topk_scratch(const ordo_topk_job *job);
ordo_status dev_segment_topk(cuda_call *call, const ordo_topk_job *job);

#endif
