/* dev_segments_select.cuh - a part of dev_segments_select.cu for other verbs. */
#ifndef ORDO_CUDA_SEGMENTS_SELECT_DEV_SEGMENTS_SELECT_H
#define ORDO_CUDA_SEGMENTS_SELECT_DEV_SEGMENTS_SELECT_H

#include "cuda/runtime/cuda_dev.cuh"

/* As dev_segments_select for one position, but only of segments of more than 8192 keys (8-byte
 * keys: 4096); the others get no result. */
ordo_status dev_segments_select_long(cuda_call *call, const ordo_select_job *job);

#endif
