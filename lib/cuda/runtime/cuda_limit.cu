/* cuda_limit.cu - limits a context to some of the multiprocessors of its GPU.
 *
 * The stream for host arrays belongs to a green context: a part of the multiprocessors with the
 * memory of the primary context. The driver rounds the number up (on Hopper to a multiple of
 * eight); facts.sms becomes the granted number, so that grids fit these multiprocessors. The
 * functions are looked up in the driver at run time; a driver without them is an error only if a
 * limit is wanted. */
#include "cuda/runtime/cuda_state.cuh"

#include <cuda.h>
#include <stdio.h>

#if CUDA_VERSION >= 12050

struct green_driver { /* functions of the driver */
    CUresult (*error_name)(CUresult error, const char **name);
    CUresult (*device)(CUdevice *device, int ordinal);
    CUresult (*resource)(CUdevice device, CUdevResource *resource, CUdevResourceType type);
    CUresult (*split)(CUdevResource *result, unsigned *groups, const CUdevResource *input,
                      CUdevResource *remaining, unsigned flags, unsigned least);
    CUresult (*describe)(CUdevResourceDesc *desc, CUdevResource *resources, unsigned count);
    CUresult (*create)(CUgreenCtx *green, CUdevResourceDesc desc, CUdevice device, unsigned flags);
    CUresult (*destroy)(CUgreenCtx green);
    CUresult (*stream)(CUstream *stream, CUgreenCtx green, unsigned flags, int priority);
};

template <typename FUNCTION> static bool find(FUNCTION *function, const char *name, unsigned since)
{
    cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
    void                           *address = NULL;
    cudaError_t const               error =
        cudaGetDriverEntryPointByVersion(name, &address, since, cudaEnableDefault, &result);
    if (error != cudaSuccess || result != cudaDriverEntryPointSuccess || address == NULL) {
        (void)cudaGetLastError();
        return false;
    }
    *function = (FUNCTION)address;
    return true;
}

static bool find_driver(green_driver *driver)
{
    return find(&driver->error_name, "cuGetErrorName", 6000) &&
           find(&driver->device, "cuDeviceGet", 2000) &&
           find(&driver->resource, "cuDeviceGetDevResource", 12040) &&
           find(&driver->split, "cuDevSmResourceSplitByCount", 12040) &&
           find(&driver->describe, "cuDevResourceGenerateDesc", 12040) &&
           find(&driver->create, "cuGreenCtxCreate", 12040) &&
           find(&driver->destroy, "cuGreenCtxDestroy", 12040) &&
           find(&driver->stream, "cuGreenCtxStreamCreate", 12050);
}

/* Creates the green context and its stream. Whatever was created stays in the state after a
 * failure. */
static CUresult limit(const green_driver *driver, cuda_state *state, unsigned wanted)
{
    CUdevice          device = 0;
    CUdevResource     all = {}, part = {}, rest = {};
    CUdevResourceDesc desc = NULL;
    CUgreenCtx        green = NULL;
    CUstream          stream = NULL;
    unsigned          groups = 1;
    CUresult          error = driver->device(&device, state->facts.device);
    if (error == CUDA_SUCCESS)
        error = driver->resource(device, &all, CU_DEV_RESOURCE_TYPE_SM);
    if (error == CUDA_SUCCESS)
        error = driver->split(&part, &groups, &all, &rest, 0, wanted);
    if (error == CUDA_SUCCESS && (groups != 1 || part.sm.smCount < wanted))
        error = CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
    if (error == CUDA_SUCCESS)
        error = driver->describe(&desc, &part, 1);
    if (error == CUDA_SUCCESS)
        error = driver->create(&green, desc, device, CU_GREEN_CTX_DEFAULT_STREAM);
    if (error != CUDA_SUCCESS)
        return error;
    state->green = green;
    error = driver->stream(&stream, green, CU_STREAM_NON_BLOCKING, 0);
    if (error != CUDA_SUCCESS)
        return error;
    state->own = stream;
    state->facts.sms = (int)part.sm.smCount;
    state->facts.limited = true;
    return CUDA_SUCCESS;
}

ordo_status cuda_limit_open(cuda_state *state, size_t wanted, char *why, size_t why_size)
{
    int const    all = state->facts.sms;
    green_driver driver = {};
    if (wanted > (size_t)all) {
        snprintf(why, why_size, "device_sms is %zu, but device %d has %d multiprocessors", wanted,
                 state->facts.device, all);
        return ORDO_E_ARG;
    }
    if (wanted == (size_t)all)
        return ORDO_OK;
    if (!find_driver(&driver)) {
        snprintf(why, why_size,
                 "device_sms is %zu, but the driver has no green contexts; a driver for CUDA 12.5 "
                 "or newer has them",
                 wanted);
        return ORDO_E_DEVICE;
    }
    CUresult const error = limit(&driver, state, (unsigned)wanted);
    if (error != CUDA_SUCCESS) {
        const char *name = NULL;
        (void)driver.error_name(error, &name);
        snprintf(why, why_size, "device %d cannot be limited to %zu of its %d multiprocessors: %s",
                 state->facts.device, wanted, all, name != NULL ? name : "unknown error");
        return ORDO_E_DEVICE;
    }
    return ORDO_OK;
}

void cuda_limit_close(cuda_state *state)
{
    CUresult (*destroy)(CUgreenCtx green) = NULL;
    if (state->green != NULL && find(&destroy, "cuGreenCtxDestroy", 12040))
        (void)destroy((CUgreenCtx)state->green);
    state->green = NULL;
}

#else

ordo_status cuda_limit_open(cuda_state *state, size_t wanted, char *why, size_t why_size)
{
    (void)state;
    snprintf(why, why_size,
             "device_sms is %zu, but this plugin was built with CUDA %d.%d; a limit needs 12.5 or "
             "newer",
             wanted, CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10);
    return ORDO_E_DEVICE;
}

void cuda_limit_close(cuda_state *state) { (void)state; }

#endif
