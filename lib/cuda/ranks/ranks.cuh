/* ranks.cuh - the device work of arrays that are divided over many ranks (backend/ranks.h). */
#ifndef ORDO_CUDA_RANKS_RANKS_H
#define ORDO_CUDA_RANKS_RANKS_H

#include "backend/ranks.h"
#include "cuda/runtime/cuda_keys.cuh"

enum {
    RANKS_THREADS = 256,
    RANKS_RESIDENT = 8 /* blocks per multiprocessor of a plain loop */
};

static inline size_t ranks_grid(const cuda_call *call, size_t n)
{
    size_t const most = (size_t)call->facts->sms * RANKS_RESIDENT;
    return ordo_max(1, ordo_min(most, ordo_div_up(n, RANKS_THREADS)));
}

static inline key_ties ranks_ties(const ordo_order_of *order)
{
    return order->folded ? KEY_FOLDED : KEY_TOTAL;
}

/* dev_cells.cu */
size_t      dev_cells_scratch(const ordo_cells_job *job);
ordo_status dev_cells(cuda_call *call, const ordo_cells_job *job);

extern const ordo_ranks_slots cuda_ranks;

#endif
