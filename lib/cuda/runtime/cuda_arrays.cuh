/* cuda_arrays.cuh - a list of the arrays of a job, for copies to the device and back. */
#ifndef ORDO_CUDA_RUNTIME_CUDA_ARRAYS_H
#define ORDO_CUDA_RUNTIME_CUDA_ARRAYS_H

#include "cuda/runtime/cuda_state.cuh"

enum {
    MOST_ARRAYS = 20,
    READ = 1,   /* the device reads its contents */
    WRITTEN = 2 /* the caller reads what the device writes */
};

struct job_array {
    void      **pointer; /* the pointer in the job; replaced by device memory */
    void       *host;
    size_t      bytes;
    int         use;
    const char *what;
};

struct job_arrays {
    job_array at[MOST_ARRAYS];
    int       count;
};

template <typename T>
static void add(job_arrays *arrays, T **pointer, size_t bytes, int use, const char *what)
{
    arrays->at[arrays->count++] = {(void **)pointer, (void *)*pointer, bytes, use, what};
}

/* cuda_stage.cu: whether an address is in pinned host memory. */
bool cuda_is_pinned(const void *host);

/* Bytes of device memory for copies of host arrays; 0 for device arrays. */
size_t arrays_bytes(const job_arrays *arrays, const ordo_exec *exec);

/* Copies host arrays that are read, and lets the job point to the copies. Device arrays are checked
 * and used in place. */
ordo_status arrays_in(cuda_frame *frame, const job_arrays *arrays);

/* Copies the arrays that are written back to the host. */
ordo_status arrays_out(cuda_frame *frame, const job_arrays *arrays);

/* Makes a call with `scratch` bytes of scratch: copies the arrays in, calls run(call), copies the
 * results out. */
template <typename RUN>
static ordo_status with_arrays(void *state, ordo_exec *exec, const job_arrays *arrays,
                               size_t scratch, RUN &&run)
{
    cuda_frame frame;
    TRY(frame_begin(&frame, (cuda_state *)state, exec, arrays_bytes(arrays, exec) + scratch));
    ordo_status status = arrays_in(&frame, arrays);
    if (status == ORDO_OK)
        status = run(&frame.call);
    if (!exec->on_device) /* only the copies on the device have changed */
        exec->changed = false;
    if (status == ORDO_OK)
        status = arrays_out(&frame, arrays);
    if (status != ORDO_OK && !cuda_capturing(frame.call.stream))
        (void)cudaStreamSynchronize(frame.call.stream); /* a copy may still read an array */
    return frame_end(&frame, status);
}

#endif
