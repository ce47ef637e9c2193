/* cuda_state.cu - opens a device, holds its memory, and begins and ends every call on it. */
#include "cuda/runtime/cuda_state.cuh"

#include <stdio.h>
#include <stdlib.h>

enum {
    LEAST_CAPABILITY = 80,
    TEXT = 256
};

static int capability_of(int device)
{
    int major = 0, minor = 0;
    if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess ||
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) != cudaSuccess)
        return 0;
    return 10 * major + minor;
}

/* Writes why a device cannot be used, or "". */
static void trouble_with(int device, char *text, size_t size)
{
    int       mode = cudaComputeModeDefault;
    int const capability = capability_of(device);
    text[0] = '\0';
    if (capability < LEAST_CAPABILITY) {
        snprintf(text, size, "compute capability %d.%d; ordo needs %d.%d or newer", capability / 10,
                 capability % 10, LEAST_CAPABILITY / 10, LEAST_CAPABILITY % 10);
        return;
    }
    cudaError_t const error = cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, device);
    if (error != cudaSuccess)
        snprintf(text, size, "%s", cudaGetErrorString(error));
    else if (mode == cudaComputeModeProhibited)
        snprintf(text, size, "its compute mode is 'prohibited'");
    (void)cudaGetLastError();
}

/* The number of devices; -1 and the reason if there is none. */
static int count_devices(char *why, size_t why_size)
{
    int               count = 0, driver = 0;
    cudaError_t const error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && count > 0)
        return count;
    (void)cudaGetLastError();
    if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
        snprintf(why, why_size, "no NVIDIA driver is installed");
    else if (error != cudaSuccess)
        snprintf(why, why_size, "%s (%s)", cudaGetErrorString(error), cudaGetErrorName(error));
    else
        snprintf(why, why_size, "the driver shows no GPU");
    return -1;
}

static ordo_status choose_device(const ordo_backend_wishes *wishes, int *device, char *why,
                                 size_t why_size)
{
    int const count = count_devices(why, why_size);
    if (count < 0)
        return ORDO_E_UNSUPPORTED;
    if (wishes->device > (size_t)count) {
        snprintf(why, why_size, "there is no device cuda:%zu; there %s %d", wishes->device - 1,
                 count == 1 ? "is" : "are", count);
        return ORDO_E_UNSUPPORTED;
    }
    char trouble[TEXT];
    for (int i = 0; i < count; i++) {
        if (wishes->device != 0 && wishes->device != (size_t)i + 1)
            continue;
        trouble_with(i, trouble, sizeof trouble);
        if (trouble[0] == '\0') {
            *device = i;
            return ORDO_OK;
        }
        snprintf(why, why_size, "device %d: %s", i, trouble);
    }
    return ORDO_E_UNSUPPORTED;
}

void cuda_devices(char *text, size_t size)
{
    char      trouble[TEXT];
    int       previous = 0, driver = 0;
    int const count = count_devices(trouble, sizeof trouble);
    size_t    at = 0;
    text[0] = '\0';
    if (count < 0 || cudaGetDevice(&previous) != cudaSuccess)
        return;
    (void)cudaDriverGetVersion(&driver);
    for (int i = 0; i < count && at < size; i++) {
        cudaDeviceProp properties;
        size_t         free_bytes = 0, all = 0;
        trouble_with(i, trouble, sizeof trouble);
        if (cudaGetDeviceProperties(&properties, i) != cudaSuccess)
            continue;
        if (trouble[0] == '\0' &&
            (cudaSetDevice(i) != cudaSuccess || cudaMemGetInfo(&free_bytes, &all) != cudaSuccess))
            snprintf(trouble, sizeof trouble, "its memory cannot be read");
        at += (size_t)snprintf(
            text + at, size - at,
            "%d: %s, %.1f GiB (%.1f free), compute capability %d.%d, driver for CUDA %d.%d, %s%s\n",
            i, properties.name, (double)properties.totalGlobalMem / (1 << 30),
            (double)free_bytes / (1 << 30), properties.major, properties.minor, driver / 1000,
            driver % 1000 / 10, trouble[0] == '\0' ? "usable" : "not usable: ", trouble);
    }
    (void)cudaSetDevice(previous);
    (void)cudaGetLastError();
}

static cudaError_t read_facts(cuda_facts *facts)
{
    int         sms = 0, shared = 0;
    cudaError_t error = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, facts->device);
    if (error == cudaSuccess)
        error =
            cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, facts->device);
    facts->sms = sms;
    facts->shared_bytes = (size_t)shared;
    facts->capability = capability_of(facts->device);
    return error;
}

static cudaError_t make(cuda_state *state)
{
    cudaError_t error = cudaSetDevice(state->facts.device);
    if (error == cudaSuccess)
        error = read_facts(&state->facts);
    if (error == cudaSuccess)
        error = cudaMallocHost(&state->fetch, CUDA_FETCH_BYTES);
    if (error == cudaSuccess)
        error = cudaEventCreateWithFlags(&state->last, cudaEventDisableTiming);
    for (int i = 0; i < ORDO_LINK_MARKS && error == cudaSuccess; i++)
        error = cudaEventCreateWithFlags(&state->marks[i], cudaEventDisableTiming);
    return error;
}

ordo_status cuda_open(void **out, const ordo_backend_wishes *wishes, char *why, size_t why_size)
{
    int device = 0, previous = 0;
    TRY(choose_device(wishes, &device, why, why_size));
    cuda_state *const state = (cuda_state *)calloc(1, sizeof *state);
    if (state == NULL) {
        snprintf(why, why_size, "out of host memory for the state of a device");
        return ORDO_E_NOMEM;
    }
    state->facts.device = device;
    state->limit = wishes->device_limit;
    (void)cudaGetDevice(&previous);
    cudaError_t error = make(state);
    ordo_status status = ORDO_OK;
    if (error == cudaSuccess && wishes->device_sms != 0)
        status = cuda_limit_open(state, wishes->device_sms, why, why_size);
    if (error == cudaSuccess && status == ORDO_OK && state->own == NULL)
        error = cudaStreamCreateWithFlags(&state->own, cudaStreamNonBlocking);
    snprintf(state->isa, sizeof state->isa, "sm_%d", state->facts.capability);
    if (error != cudaSuccess) {
        snprintf(why, why_size, "device %d: %s (%s)", device, cudaGetErrorString(error),
                 cudaGetErrorName(error));
        status = ORDO_E_DEVICE;
    }
    (void)cudaSetDevice(previous);
    if (status != ORDO_OK) {
        cuda_close(state);
        return status;
    }
    *out = state;
    return ORDO_OK;
}

void cuda_close(void *opened)
{
    cuda_state *const state = (cuda_state *)opened;
    int               previous = 0;
    (void)cudaGetDevice(&previous);
    (void)cudaSetDevice(state->facts.device);
    if (state->used)
        (void)cudaEventSynchronize(state->last);
    stage_close(state);
    queues_close(state);
    profile_close(state);
    for (int i = 0; i < ORDO_LINK_MARKS; i++)
        if (state->marks[i] != NULL)
            (void)cudaEventDestroy(state->marks[i]);
    (void)cudaFree(state->store); /* NULL is allowed */
    (void)cudaFree(state->block);
    (void)cudaFreeHost(state->fetch);
    if (state->own != NULL)
        (void)cudaStreamDestroy(state->own);
    cuda_limit_close(state);
    if (state->last != NULL)
        (void)cudaEventDestroy(state->last);
    (void)cudaSetDevice(previous);
    (void)cudaGetLastError();
    free(state);
}

/* Frees a block. Calls on whole arrays do not need the memory of streamed calls, and vice versa. */
static ordo_status drop(ordo_exec *exec, char **block, size_t *held)
{
    CUDA_TRY(exec, cudaFree(*block));
    *block = NULL;
    *held = 0;
    return ORDO_OK;
}

/* Makes *block, of *held bytes, at least `bytes` long; `other` bytes are held elsewhere. Waits for
 * the work that uses the old block before freeing it. */
static ordo_status hold(cuda_state *state, ordo_exec *exec, char **block, size_t *held,
                        size_t other, size_t bytes)
{
    if (bytes <= *held)
        return ORDO_OK;
    if (state->limit != 0 && bytes > state->limit - ordo_min(other, state->limit))
        return ordo_fail(exec, ORDO_E_NOMEM,
                         "the call needs %zu bytes of device memory; the limit is %zu bytes",
                         bytes + other, state->limit);
    if (exec->on_device && cuda_capturing((cudaStream_t)exec->stream))
        return ordo_fail(exec, ORDO_E_NOMEM,
                         "%zu bytes of scratch cannot be allocated while the stream is captured; "
                         "call ordo_reserve before the capture",
                         bytes - *held);
    if (state->used)
        CUDA_TRY(exec, cudaEventSynchronize(state->last));
    size_t const want = ordo_max(bytes, CUDA_LEAST_SCRATCH);
    TRY(drop(exec, block, held));
    cudaError_t const error = cudaMalloc((void **)block, want);
    if (error != cudaSuccess) {
        (void)cudaGetLastError();
        return ordo_fail(exec, error == cudaErrorMemoryAllocation ? ORDO_E_NOMEM : ORDO_E_DEVICE,
                         "cannot allocate %zu bytes of device memory: %s (%s)", want,
                         cudaGetErrorString(error), cudaGetErrorName(error));
    }
    *held = want;
    return ORDO_OK;
}

static ordo_status hold_block(cuda_state *state, ordo_exec *exec, size_t bytes)
{
    ordo_status status =
        hold(state, exec, &state->block, &state->block_bytes, state->store_bytes, bytes);
    if (status == ORDO_E_NOMEM && state->store != NULL && !state->streaming) {
        TRY(drop(exec, &state->store, &state->store_bytes));
        status = hold(state, exec, &state->block, &state->block_bytes, 0, bytes);
    }
    return status;
}

static ordo_status hold_both(cuda_state *state, ordo_exec *exec, size_t store, size_t block)
{
    TRY(hold(state, exec, &state->block, &state->block_bytes, state->store_bytes, block));
    return hold(state, exec, &state->store, &state->store_bytes, state->block_bytes, store);
}

ordo_status cuda_hold_stream(cuda_state *state, ordo_exec *exec, size_t store, size_t block)
{
    ordo_status status = hold_both(state, exec, store, block);
    if (status == ORDO_E_NOMEM) { /* one of them may be larger than this call needs */
        TRY(drop(exec, &state->store, &state->store_bytes));
        TRY(drop(exec, &state->block, &state->block_bytes));
        status = hold_both(state, exec, store, block);
    }
    return status;
}

ordo_status cuda_reserve(void *opened, size_t bytes, ordo_exec *exec)
{
    cuda_frame frame;
    TRY(frame_begin(&frame, (cuda_state *)opened, exec, bytes));
    return frame_end(&frame, ORDO_OK);
}

size_t cuda_held(const void *opened)
{
    const cuda_state *const state = (const cuda_state *)opened;
    return state->block_bytes + state->store_bytes;
}

size_t cuda_sms(const void *opened) { return (size_t)((const cuda_state *)opened)->facts.sms; }

ordo_status frame_begin(cuda_frame *frame, cuda_state *state, ordo_exec *exec, size_t bytes)
{
    frame->state = state;
    CUDA_TRY(exec, cudaGetDevice(&frame->previous));
    if (frame->previous != state->facts.device)
        CUDA_TRY(exec, cudaSetDevice(state->facts.device));
    cudaStream_t const stream = exec->on_device ? (cudaStream_t)exec->stream : state->own;
    ordo_status        status = hold_block(state, exec, bytes);
    if (status == ORDO_OK && state->used && !cuda_capturing(stream)) {
        unsigned long long identity = 0;
        cudaError_t        error = cudaStreamGetId(stream, &identity);
        if (error == cudaSuccess && identity != state->last_stream)
            error = cudaStreamWaitEvent(stream, state->last, 0);
        if (error != cudaSuccess)
            status = cuda_failed(exec, error, "waiting for the previous call");
    }
    if (status != ORDO_OK) {
        (void)cudaSetDevice(frame->previous);
        return status;
    }
    exec->isa = state->isa;
    frame->call.facts = &state->facts;
    frame->call.exec = exec;
    frame->call.stream = stream;
    frame->call.scratch.base = state->block;
    frame->call.scratch.used = 0;
    frame->call.fetch = state->fetch;
    frame->call.is_over = false;
    return ORDO_OK;
}

ordo_status frame_end(cuda_frame *frame, ordo_status status)
{
    cuda_state *const state = frame->state;
    if (frame->call.is_over) { /* the call has waited for its own work and for all earlier calls */
        state->used = false;
    } else if (!cuda_capturing(frame->call.stream)) {
        cudaError_t error = cudaEventRecord(state->last, frame->call.stream);
        if (error == cudaSuccess)
            error = cudaStreamGetId(frame->call.stream, &state->last_stream);
        if (error != cudaSuccess && status == ORDO_OK)
            status = cuda_failed(frame->call.exec, error, "marking the end of the call");
        state->used = true;
    }
    if (frame->previous != state->facts.device)
        (void)cudaSetDevice(frame->previous);
    return status;
}
