/* cuda_rt.cuh - what every file of the CUDA backend may use: the opened device, one call on it,
 * device scratch, and errors in the driver's words.
 *
 * A verb of the backend comes in three layers. The table (cuda_backend.cu) brings the arrays to
 * the device and reserves scratch; device/dev_X.cu gets a cuda_call and a job whose arrays are
 * device memory, and only enqueues work on call->stream; block/ and warp/ hold what its kernels
 * are made of.
 *
 * A dev_X.cu has for each job
 *     size_t      dev_X_scratch(const job *);            bytes of device scratch, no device touched
 *     ordo_status dev_X(cuda_call *, const job *);       takes no more than that
 * Both walk the same layout function over a cuda_scratch: without memory behind it, a scratch only
 * counts. Nothing here or there waits for the device but call_fetch, which brings a result home. */
#ifndef ORDO_CUDA_RUNTIME_CUDA_RT_H
#define ORDO_CUDA_RUNTIME_CUDA_RT_H

#include "backend/exec.h"
#include "backend/job.h"

#include <cuda_runtime.h>
#include <string.h>

enum {
    CUDA_SCRATCH_ALIGN = 256, /* of every piece of device scratch */
    CUDA_FETCH_BYTES = 4096   /* of results that one call brings to the host */
};

/* Bytes of a key: the backend links to nothing in libordo. */
static inline size_t cuda_type_size(ordo_type type)
{
    switch (type) {
#define ORDO_TYPE(ID, tag, key, bits)                                                              \
    case ORDO_##ID:                                                                                \
        return sizeof(key);
#include "core/types.def"
    }
    return 0;
}

struct cuda_scratch { /* a stretch of device memory, handed out from its start */
    char  *base;      /* NULL: only counts */
    size_t used;
};

/* The next `count` elements; NULL while counting. */
template <typename T> static inline T *scratch_take(cuda_scratch *scratch, size_t count)
{
    size_t const at = scratch->used;
    scratch->used += ordo_round_up(count * sizeof(T), CUDA_SCRATCH_ALIGN);
    return scratch->base == NULL ? NULL : (T *)(scratch->base + at);
}

struct cuda_facts {    /* of the opened device */
    int    device;     /* its ordinal */
    int    sms;        /* multiprocessors */
    int    capability; /* 90 for 9.0 */
    size_t l2_bytes;
    size_t shared_bytes; /* that one block may ask for */
};

struct cuda_call { /* one call on one stream */
    const cuda_facts *facts;
    ordo_exec        *exec;
    cudaStream_t      stream;
    cuda_scratch      scratch;
    void             *fetch;   /* CUDA_FETCH_BYTES of pinned host memory, which kernels may write */
    bool              is_over; /* nothing of the call is left to wait for */
};

/* Records a failed CUDA call; out of device memory is ORDO_E_NOMEM, the rest ORDO_E_DEVICE. */
static inline ordo_status cuda_failed(ordo_exec *exec, cudaError_t error, const char *what)
{
    (void)cudaGetLastError(); /* so that the next call does not meet it again */
    ordo_status const status = error == cudaErrorMemoryAllocation ? ORDO_E_NOMEM : ORDO_E_DEVICE;
    ordo_fail(exec, status, "CUDA: %s: %s (%s)", what, cudaGetErrorString(error),
              cudaGetErrorName(error));
    return status;
}

#define CUDA_TRY(exec, expression)                                                                 \
    do {                                                                                           \
        cudaError_t const cuda_error_ = (expression);                                              \
        if (ORDO_UNLIKELY(cuda_error_ != cudaSuccess))                                             \
            return cuda_failed(exec, cuda_error_, #expression);                                    \
    } while (0)

/* Launches kernel<<<grid, block, shared, call->stream>>>(...) and checks that it was accepted. The
 * kernel may be a template-id in parentheses: CUDA_LAUNCH(call, (scan<uint32_t, 8>), ...). */
#define CUDA_LAUNCH(call, kernel, grid, block, shared, ...)                                        \
    do {                                                                                           \
        kernel<<<(unsigned)(grid), (unsigned)(block), (shared), (call)->stream>>>(__VA_ARGS__);    \
        cudaError_t const cuda_error_ = cudaGetLastError();                                        \
        if (ORDO_UNLIKELY(cuda_error_ != cudaSuccess))                                             \
            return cuda_failed((call)->exec, cuda_error_, #kernel);                                \
    } while (0)

/* Calls f(i) for every i < n that falls to this thread when all threads of a one-dimensional grid
 * share the array. */
template <typename F> static __device__ __forceinline__ void grid_each(size_t n, F &&f)
{
    size_t const threads = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        f(i);
}

/* A graph is being made of what the stream gets: nothing runs, and nothing can be waited for. */
static inline bool cuda_capturing(cudaStream_t stream)
{
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    (void)cudaStreamIsCapturing(stream, &status);
    return status != cudaStreamCaptureStatusNone;
}

/* Refuses a call whose answer the host cannot have. */
static inline ordo_status call_may_answer(cuda_call *call)
{
    if (!cuda_capturing(call->stream))
        return ORDO_OK;
    return ordo_fail(call->exec, ORDO_E_ARG,
                     "the stream is being captured; a result for the host cannot be had now");
}

/* Waits for bytes that a kernel puts in call->fetch; the last thing of a call. */
static inline ordo_status call_answer(cuda_call *call, void *host, size_t bytes)
{
    CUDA_TRY(call->exec, cudaStreamSynchronize(call->stream));
    memcpy(host, call->fetch, bytes);
    call->is_over = true;
    return ORDO_OK;
}

/* Brings bytes from the device to the host and waits for them: the only synchronisation of a
 * call, and only for results that the caller wants on the host. At most CUDA_FETCH_BYTES. */
static inline ordo_status call_fetch(cuda_call *call, void *host, const void *device, size_t bytes)
{
    TRY(call_may_answer(call));
    CUDA_TRY(call->exec,
             cudaMemcpyAsync(call->fetch, device, bytes, cudaMemcpyDeviceToHost, call->stream));
    CUDA_TRY(call->exec, cudaStreamSynchronize(call->stream));
    memcpy(host, call->fetch, bytes);
    return ORDO_OK;
}

#endif
