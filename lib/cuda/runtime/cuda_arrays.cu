/* cuda_arrays.cu - copies the arrays of a job to the device and back (see cuda_arrays.cuh). */
#include "cuda/runtime/cuda_arrays.cuh"

size_t arrays_bytes(const job_arrays *arrays, const ordo_exec *exec)
{
    size_t bytes = 0;
    for (int i = 0; i < arrays->count && !exec->on_device; i++)
        bytes += ordo_round_up(arrays->at[i].bytes, CUDA_SCRATCH_ALIGN);
    return bytes;
}

/* Refuses host memory: a kernel that reads a host pointer makes the GPU unusable for the
 * process. */
ordo_status cuda_check_memory(ordo_exec *exec, const void *array, const char *what)
{
    cudaPointerAttributes attributes;
    cudaError_t const     error = cudaPointerGetAttributes(&attributes, array);
    if (error != cudaSuccess)
        return cuda_failed(exec, error, "cudaPointerGetAttributes");
    if (attributes.devicePointer == NULL)
        return ordo_fail(exec, ORDO_E_ARG,
                         "ORDO_ON_DEVICE is set, but %s is host memory; expected device memory",
                         what);
    return ORDO_OK;
}

ordo_status arrays_in(cuda_frame *frame, const job_arrays *arrays)
{
    ordo_exec *const exec = frame->call.exec;
    exec->phases = 2 + (unsigned)arrays->count;
    for (int i = 0; i < arrays->count; i++) {
        const job_array *const array = &arrays->at[i];
        if (exec->on_device) {
            if (array->bytes > 0)
                TRY(cuda_check_memory(exec, array->host, array->what));
            continue;
        }
        *array->pointer = scratch_take<char>(&frame->call.scratch, array->bytes);
        if ((array->use & READ) != 0 && array->bytes > 0)
            TRY(stage_in(frame, *array->pointer, array->host, array->bytes));
        exec->phase++;
    }
    return ORDO_OK;
}

ordo_status arrays_out(cuda_frame *frame, const job_arrays *arrays)
{
    ordo_exec *const exec = frame->call.exec;
    exec->phase = exec->phases - 1;
    for (int i = 0; i < arrays->count && !exec->on_device; i++) {
        const job_array *const array = &arrays->at[i];
        if ((array->use & WRITTEN) != 0 && array->bytes > 0)
            TRY(stage_out(frame, array->host, *array->pointer, array->bytes));
    }
    return ORDO_OK;
}
