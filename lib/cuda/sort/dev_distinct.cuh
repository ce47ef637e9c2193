/* dev_distinct.cuh - what dev_distinct.cu and dev_distinct_many.cu share. */
#ifndef ORDO_CUDA_SORT_DEV_DISTINCT_H
#define ORDO_CUDA_SORT_DEV_DISTINCT_H

#include "cuda/sort/dev_radix.cuh"

struct distinct_state { /* result of an attempt, in device memory */
    unsigned values;    /* values on the list; 0: none, or too many */
    unsigned missed;    /* some key is not on the list */
    unsigned sampled;   /* distinct values of the sample, about */
};

/* dev_distinct_many.cu: enqueues the attempt with more values; it does nothing if `few` shows that
 * the array is sorted. *state is set to its result. */
size_t      dev_distinct_many_scratch(void);
ordo_status dev_distinct_many(cuda_call *call, const ordo_sort_job *job, const distinct_state *few,
                              const distinct_state **state);

#endif
