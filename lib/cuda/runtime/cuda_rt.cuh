/* cuda_rt.cuh - the base of the CUDA backend: the opened device, one call, device scratch, errors.
 *
 * A verb has three layers. cuda_backend.cu copies the arrays to the device and reserves scratch.
 * dev_X.cu in the folder of the verb gets a cuda_call and a job with device arrays, and only
 * enqueues work on call->stream; only call_fetch and call_answer wait. block/ and warp/ hold the
 * parts of its kernels. A dev_X.cu has
 *     size_t      dev_X_scratch(const job *);        bytes of device scratch; touches no device
 *     ordo_status dev_X(cuda_call *, const job *);   takes no more than that
 * Both call the same layout function with a cuda_scratch, which only counts if it has no memory. */
#ifndef ORDO_CUDA_RUNTIME_CUDA_RT_H
#define ORDO_CUDA_RUNTIME_CUDA_RT_H

#include "backend/exec.h"
#include "backend/job.h"

#include <cuda_runtime.h>
#include <string.h>

#define DEVICE __device__ __forceinline__

enum {
    CUDA_SCRATCH_ALIGN = 256, /* alignment of every allocation from device scratch */
    CUDA_FETCH_BYTES = 4096   /* most bytes of results that one call copies to the host */
};

/* The size of a key. Defined here because the backend links to nothing in libordo. */
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

struct cuda_scratch { /* device memory, allocated from its start */
    char  *base;      /* NULL: only count */
    size_t used;
};

/* Takes the next `count` elements; NULL while counting. */
template <typename T> static inline T *scratch_take(cuda_scratch *scratch, size_t count)
{
    size_t const at = scratch->used;
    scratch->used += ordo_round_up(count * sizeof(T), CUDA_SCRATCH_ALIGN);
    return scratch->base == NULL ? NULL : (T *)(scratch->base + at);
}

/* The bytes that a layout function takes. */
template <typename LAYOUT, typename... ARGUMENTS>
static inline size_t scratch_of(LAYOUT &&layout, const ARGUMENTS &...arguments)
{
    cuda_scratch counted = {};
    (void)layout(&counted, arguments...);
    return counted.used;
}

/* uint64_t for 8 bytes, uint32_t for fewer. */
template <size_t BYTES> struct word_of {
    typedef uint32_t type;
};
template <> struct word_of<8> {
    typedef uint64_t type;
};

/* Calls f, a generic lambda, with a zero of type uint64_t if is_wide, else of type uint32_t. */
template <typename F> static inline ordo_status with_word(bool is_wide, F &&f)
{
    return is_wide ? f((uint64_t)0) : f((uint32_t)0);
}

/* Consecutive elements that one instruction reads or writes. */
template <typename T, int COUNT> struct alignas(COUNT * sizeof(T)) vector_of {
    T at[COUNT];
};

/* 16 bytes of keys. */
template <typename T> union vector_16 {
    uint4 all;
    T     key[sizeof(uint4) / sizeof(T)];
};

struct cuda_facts {      /* about the opened device */
    int    device;       /* its ordinal */
    int    sms;          /* multiprocessors that the context may use */
    bool   limited;      /* not all multiprocessors of the device (cuda_limit.cu) */
    int    capability;   /* 90 for 9.0 */
    size_t shared_bytes; /* shared memory that one block may use */
};

struct cuda_call { /* one call on one stream */
    const cuda_facts *facts;
    ordo_exec        *exec;
    cudaStream_t      stream;
    cuda_scratch      scratch;
    void             *fetch;   /* CUDA_FETCH_BYTES of pinned host memory, which kernels may write */
    bool              is_over; /* the call has already waited for all its work */
};

/* Reports a failed CUDA call: ORDO_E_NOMEM for lack of device memory, else ORDO_E_DEVICE. */
static inline ordo_status cuda_failed(ordo_exec *exec, cudaError_t error, const char *what)
{
    (void)cudaGetLastError(); /* clears the error for the next call */
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

/* Launches kernel<<<grid, block, shared, call->stream>>>(...); the status tells whether the launch
 * succeeded. A template-id goes in parentheses: CUDA_LAUNCH(call, (scan<uint32_t, 8>), ...). */
#define CUDA_LAUNCH(call, kernel, grid, block, shared, ...)                                        \
    cuda_launch(call, #kernel, kernel, grid, block, shared, __VA_ARGS__)

template <typename... PARAMETERS, typename... ARGUMENTS>
static inline ordo_status cuda_launch(cuda_call *call, const char          *name,
                                      void (*kernel)(PARAMETERS...), size_t grid, size_t block,
                                      size_t shared, const ARGUMENTS &...arguments)
{
    kernel<<<(unsigned)grid, (unsigned)block, shared, call->stream>>>(arguments...);
    cudaError_t const error = cudaGetLastError();
    return ORDO_UNLIKELY(error != cudaSuccess) ? cuda_failed(call->exec, error, name) : ORDO_OK;
}

/* The same with a launch attribute, if `wanted`. */
template <typename... PARAMETERS, typename... ARGUMENTS>
static inline cudaError_t cuda_launch_with(const cuda_call *call, cudaLaunchAttribute attribute,
                                           bool wanted, void (*kernel)(PARAMETERS...), size_t grid,
                                           size_t block, size_t shared,
                                           const ARGUMENTS &...arguments)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)grid);
    config.blockDim = dim3((unsigned)block);
    config.dynamicSmemBytes = shared;
    config.stream = call->stream;
    config.attrs = &attribute;
    config.numAttrs = wanted ? 1 : 0;
    return cudaLaunchKernelEx(&config, kernel, arguments...);
}

/* Lets a kernel use more dynamic shared memory than the default limit. */
template <typename KERNEL>
static inline ordo_status cuda_allow_shared(cuda_call *call, KERNEL *kernel, size_t bytes)
{
    CUDA_TRY(call->exec,
             cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    return ORDO_OK;
}

/* Calls f(i) for this thread's share of i < n. The threads of a one-dimensional grid share the
 * work. */
template <typename F> static DEVICE void grid_each(size_t n, F &&f)
{
    size_t const threads = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        f(i);
}

/* Whether the stream is being captured into a graph: nothing runs, and waiting is not possible. */
static inline bool cuda_capturing(cudaStream_t stream)
{
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    (void)cudaStreamIsCapturing(stream, &status);
    return status != cudaStreamCaptureStatusNone;
}

/* Refuses a call that needs a result on the host while the stream is being captured. */
static inline ordo_status call_may_answer(cuda_call *call)
{
    if (!cuda_capturing(call->stream))
        return ORDO_OK;
    return ordo_fail(
        call->exec, ORDO_E_ARG,
        "this call returns a result to the host and cannot be captured into a CUDA graph");
}

/* Waits for the bytes that a kernel wrote to call->fetch, and copies them. Must be the last action
 * of a call. */
static inline ordo_status call_answer(cuda_call *call, void *host, size_t bytes)
{
    CUDA_TRY(call->exec, cudaStreamSynchronize(call->stream));
    memcpy(host, call->fetch, bytes);
    call->is_over = true;
    return ORDO_OK;
}

/* Copies at most CUDA_FETCH_BYTES from the device to the host and waits for them. */
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
