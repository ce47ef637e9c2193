/* dev_radix_small.cuh - the radix sort of arrays that one block holds (dev_radix_small.cu), or one
 * cluster of blocks (dev_radix_cluster.cu). */
#ifndef ORDO_CUDA_SORT_DEV_RADIX_SMALL_H
#define ORDO_CUDA_SORT_DEV_RADIX_SMALL_H

#include "cuda/sort/dev_radix_run.cuh"

/* Whether this device does such a job in one block; n is at least 1. */
bool radix_is_small(const cuda_call *call, const radix_job *job);

/* Uses job->keys[0], values[0] and source; the other arrays may be NULL. */
ordo_status radix_small(cuda_call *call, const radix_job *job, ordo_type type, bool descending);

/* The same for a cluster. */
bool        radix_fits_cluster(const cuda_call *call, const radix_job *job);
ordo_status radix_cluster(cuda_call *call, const radix_job *job, ordo_type type, bool descending);

#endif
