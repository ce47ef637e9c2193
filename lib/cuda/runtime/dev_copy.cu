/* dev_copy.cu - a copy within device memory, or a few keys to it, by the driver's own kernel: the
 * physical limit that other results are compared with. Reads and writes each byte once; no scratch.
 * Called through the backend's table; dst is valid once the stream has done the work. */
#include "cuda/runtime/cuda_dev.cuh"

ordo_status dev_copy(cuda_call *call, const ordo_copy_job *job)
{
    call->exec->algorithm = "copy";
    if (job->bytes > 0)
        CUDA_TRY(call->exec,
                 cudaMemcpyAsync(job->dst, job->src, job->bytes, cudaMemcpyDefault, call->stream));
    return ORDO_OK;
}
