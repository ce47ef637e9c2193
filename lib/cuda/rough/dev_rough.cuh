/* dev_rough.cuh - roughly sorted arrays: radius, sort, and the look at samples that chooses a sort.
 *
 * Each sort sets *done. If *done is false, the array holds the same keys in some order, and the
 * general sort must still run. These functions release their part of call->scratch when they
 * return. */
#ifndef ORDO_CUDA_ROUGH_DEV_ROUGH_H
#define ORDO_CUDA_ROUGH_DEV_ROUGH_H

#include "cuda/runtime/cuda_keys.cuh"

/* dev_rough.cu: sorts by windows of the radius in the job, or, if that is 0, of a guessed or
 * measured radius. *done stays false if the radius is too large or wrong, for keys of 8 or 16 bits
 * (a counting sort handles them), and while the stream is captured, because the host must wait. */
size_t      dev_windows_scratch(const ordo_sort_job *job);
ordo_status dev_windows_keys(cuda_call *call, const ordo_sort_job *job, bool *done);

/* The same if a look at samples of the array suggests it; also for sorted and reversed arrays.
 * *few: the look found few distinct values. Scratch: dev_windows_scratch. */
ordo_status dev_windows_auto(cuda_call *call, const ordo_sort_job *job, bool *done, bool *few);

/* dev_radius.cu: enqueues the measurement of the radius in the order of `ties`; *radius is the
 * device word of the result. If the radius is above `limit` (at most SIZE_MAX - 1), the result may
 * be any number above `limit`. Keeps dev_radius_scratch bytes. */
ordo_status dev_radius_enqueue(cuda_call *call, const ordo_radius_job *job, key_ties ties,
                               size_t limit, const uint64_t **radius);

/* dev_sequences.cu: the same, exact for every radius. Computes the sequences LR, RL and DM and
 * writes them to the arrays of the job that are not NULL. Keeps dev_sequences_scratch bytes. */
size_t      dev_sequences_scratch(const ordo_radius_job *job);
ordo_status dev_sequences_enqueue(cuda_call *call, const ordo_radius_job *job,
                                  const uint64_t **radius);

/* dev_rough_warp.cu, dev_rough_block.cu: sort by windows of a radius, in place. If the radius was
 * too small, they set *unsorted, a device word that the caller zeroed, to 1. */
size_t      rough_warp_most(ordo_type type); /* largest radius it can sort */
ordo_status rough_warp(cuda_call *call, const ordo_sort_job *job, size_t radius,
                       unsigned *unsorted);
size_t      rough_block_most(const cuda_call *call, ordo_type type);
ordo_status rough_block(cuda_call *call, const ordo_sort_job *job, size_t radius,
                        unsigned *unsorted);

#endif
