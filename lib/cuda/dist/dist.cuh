/* dist.cuh - the device work of arrays that are divided over many ranks (backend/dist.h). */
#ifndef ORDO_CUDA_DIST_DIST_H
#define ORDO_CUDA_DIST_DIST_H

#include "backend/dist.h"
#include "cuda/runtime/cuda_keys.cuh"

enum {
    DIST_THREADS = 256,
    DIST_RESIDENT = 8 /* blocks per multiprocessor of a plain loop */
};

static inline size_t dist_grid(const cuda_call *call, size_t n)
{
    size_t const most = (size_t)call->facts->sms * DIST_RESIDENT;
    return ordo_max(1, ordo_min(most, ordo_div_up(n, DIST_THREADS)));
}

/* Copies a list to scratch. The host's list may be pageable: the copy is done when this returns. */
template <typename T>
static inline ordo_status list_in(cuda_call *call, const T *host, size_t count, T *device)
{
    CUDA_TRY(call->exec, cudaMemcpyAsync(device, host, count * sizeof(T), cudaMemcpyHostToDevice,
                                         call->stream));
    return ORDO_OK;
}

static inline ordo_status list_out(cuda_call *call, uint64_t *host, const uint64_t *device,
                                   size_t count)
{
    CUDA_TRY(call->exec, cudaMemcpyAsync(host, device, count * sizeof *host, cudaMemcpyDeviceToHost,
                                         call->stream));
    CUDA_TRY(call->exec, cudaStreamSynchronize(call->stream));
    return ORDO_OK;
}

/* Calls f, a generic lambda, with the code of the keys and the keys as key bits. */
template <typename F>
static inline ordo_status with_order(const ordo_order_of *order, const void *keys, F &&f)
{
    key_ties const ties = order->folded ? KEY_FOLDED : KEY_TOTAL;
    return with_key_code(order->type, order->descending, ties, [&](auto code) {
        return f(code, (const typename decltype(code)::BITS *)keys);
    });
}

/* dev_cells.cu */
size_t      dev_cells_scratch(const ordo_cells_job *job);
ordo_status dev_cells(cuda_call *call, const ordo_cells_job *job);

extern const ordo_dist_slots cuda_dist;

#endif
