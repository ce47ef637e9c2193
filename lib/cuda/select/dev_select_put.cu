/* dev_select_put.cu - the positions that a selection asks for, brought to the device.
 *
 * Few travel as the parameter of a launch, which a captured graph keeps with it; more are copied
 * from the job's array, which must then outlast the work. Called by dev_select.cu and
 * dev_select_bitonic.cu. */
#include "cuda/select/dev_select.cuh"

struct positions_given { /* with a launch */
    size_t k[SELECT_GIVEN];
};

static __global__ void __launch_bounds__(SELECT_GIVEN)
    positions_kernel(const __grid_constant__ positions_given given, unsigned count, uint64_t *k)
{
    if (threadIdx.x < count)
        k[threadIdx.x] = given.k[threadIdx.x];
}

ordo_status select_put_positions(cuda_call *call, const ordo_select_job *job, uint64_t *k)
{
    if (job->count > 2 * SELECT_GIVEN) {
        CUDA_TRY(call->exec, cudaMemcpyAsync(k, job->k, job->count * sizeof *job->k,
                                             cudaMemcpyHostToDevice, call->stream));
        return ORDO_OK;
    }
    for (size_t first = 0; first < job->count; first += SELECT_GIVEN) {
        positions_given given = {};
        size_t const    count = ordo_min(job->count - first, SELECT_GIVEN);
        memcpy(given.k, job->k + first, count * sizeof *given.k);
        CUDA_LAUNCH(call, positions_kernel, 1, SELECT_GIVEN, 0, given, (unsigned)count, k + first);
    }
    return ORDO_OK;
}
