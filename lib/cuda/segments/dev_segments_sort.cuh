/* dev_segments_sort.cuh - the plan of a sort of segments, which the host makes from n and the
 * layout. */
#ifndef ORDO_CUDA_SEGMENTS_DEV_SEGMENTS_SORT_H
#define ORDO_CUDA_SEGMENTS_DEV_SEGMENTS_SORT_H

#include "cuda/runtime/cuda_tuning.cuh"
#include "cuda/segments/segment_records.cuh"

/* Records of a tile that one block sorts in shared memory, 32 to 64 KB. */
static __host__ DEVICE constexpr unsigned segment_tile(size_t record_size)
{
    return record_size > 8 ? CUDA_TUNE_SEGMENT_TILE_16 : CUDA_TUNE_SEGMENT_TILE;
}

static inline segment_limits segment_sort_classes(size_t record_size)
{
    return {{CUDA_TUNE_SEGMENT_LANES, CUDA_TUNE_SEGMENT_WARP, CUDA_TUNE_SEGMENT_BLOCK},
            segment_tile(record_size)};
}

struct segment_plan {
    segment_map   map;
    segment_lists lists;      /* offsets only */
    uint64_t      longest;    /* most elements of a segment */
    uint64_t      tiles;      /* most tiles of long segments */
    void         *records[2]; /* NULL if no segment has several tiles */
    uint32_t     *heads;      /* of every tile, for dense ranks; else NULL */
    size_t        record_size;
};

/* dev_segments_keys.cu, dev_segments_index.cu: sort all segments. */
ordo_status segments_sort_keys(cuda_call *call, const segment_plan *plan,
                               const segment_job<uint32_t> &job);
ordo_status segments_sort_keys(cuda_call *call, const segment_plan *plan,
                               const segment_job<uint64_t> &job);
ordo_status segments_sort_index(cuda_call *call, const segment_plan *plan,
                                const segment_job<uint32_t> &job);
ordo_status segments_sort_index(cuda_call *call, const segment_plan *plan,
                                const segment_job<uint64_t> &job);

#endif
