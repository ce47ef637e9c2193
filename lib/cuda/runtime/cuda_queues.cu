/* cuda_queues.cu - pinned host memory of a context, and two queues that copy between that memory
 * and the device, one for each direction (backend/dist.h). */
#include "cuda/runtime/cuda_state.cuh"

#include <stdlib.h>

struct cuda_queues {
    char        *memory;
    size_t       bytes;
    cudaStream_t streams[ORDO_QUEUES];
    cudaEvent_t  marks[ORDO_QUEUES][ORDO_QUEUE_SIDES];
};

static cudaError_t make(cuda_queues *queues)
{
    cudaError_t error = cudaSuccess;
    for (int q = 0; q < ORDO_QUEUES && error == cudaSuccess; q++) {
        error = cudaStreamCreateWithFlags(&queues->streams[q], cudaStreamNonBlocking);
        for (int side = 0; side < ORDO_QUEUE_SIDES && error == cudaSuccess; side++)
            error = cudaEventCreateWithFlags(&queues->marks[q][side], cudaEventDisableTiming);
    }
    return error;
}

void queues_close(cuda_state *state)
{
    cuda_queues *const queues = state->queues;
    if (queues == NULL)
        return;
    for (int q = 0; q < ORDO_QUEUES; q++) {
        if (queues->streams[q] != NULL) {
            (void)cudaStreamSynchronize(queues->streams[q]);
            (void)cudaStreamDestroy(queues->streams[q]);
        }
        for (int side = 0; side < ORDO_QUEUE_SIDES; side++)
            if (queues->marks[q][side] != NULL)
                (void)cudaEventDestroy(queues->marks[q][side]);
    }
    (void)cudaFreeHost(queues->memory); /* NULL is allowed */
    free(queues);
    state->queues = NULL;
}

static ordo_status open_queues(cuda_state *state, ordo_exec *exec)
{
    if (state->queues != NULL)
        return ORDO_OK;
    state->queues = (cuda_queues *)calloc(1, sizeof *state->queues);
    if (state->queues == NULL)
        return ordo_fail(exec, ORDO_E_NOMEM, "out of host memory for the queues of a device");
    cudaError_t const error = make(state->queues);
    if (error == cudaSuccess)
        return ORDO_OK;
    queues_close(state);
    return cuda_failed(exec, error, "queues for copies");
}

static ordo_status hold_pinned(cuda_state *state, ordo_exec *exec, size_t bytes)
{
    TRY(open_queues(state, exec));
    cuda_queues *const queues = state->queues;
    if (bytes <= queues->bytes)
        return ORDO_OK;
    CUDA_TRY(exec, cudaFreeHost(queues->memory));
    queues->memory = NULL;
    queues->bytes = 0;
    cudaError_t const error = cudaMallocHost((void **)&queues->memory, bytes);
    if (error != cudaSuccess) {
        queues->memory = NULL;
        return cuda_failed(exec, error, "pinned memory for an exchange");
    }
    queues->bytes = bytes;
    return ORDO_OK;
}

ordo_status queues_pinned(void *opened, ordo_exec *exec, size_t bytes, char **out)
{
    cuda_state *const state = (cuda_state *)opened;
    cuda_frame        frame;
    TRY(frame_begin(&frame, state, exec, 0));
    ordo_status const status = frame_end(&frame, hold_pinned(state, exec, bytes));
    *out = status == ORDO_OK ? state->queues->memory : NULL;
    return status;
}

ordo_status queues_transfer(void *opened, ordo_exec *exec, unsigned queue, void *to,
                            const void *from, size_t bytes)
{
    cuda_state *const state = (cuda_state *)opened;
    CUDA_TRY(exec,
             cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, state->queues->streams[queue]));
    return ORDO_OK;
}

ordo_status queues_mark(void *opened, ordo_exec *exec, unsigned queue, unsigned side)
{
    cuda_queues *const queues = ((cuda_state *)opened)->queues;
    CUDA_TRY(exec, cudaEventRecord(queues->marks[queue][side], queues->streams[queue]));
    return ORDO_OK;
}

ordo_status queues_wait(void *opened, ordo_exec *exec, unsigned queue, unsigned side)
{
    CUDA_TRY(exec, cudaEventSynchronize(((cuda_state *)opened)->queues->marks[queue][side]));
    return ORDO_OK;
}

ordo_status queues_finish(void *opened, ordo_exec *exec)
{
    cuda_state *const state = (cuda_state *)opened;
    for (int q = 0; state->queues != NULL && q < ORDO_QUEUES; q++)
        CUDA_TRY(exec, cudaStreamSynchronize(state->queues->streams[q]));
    CUDA_TRY(exec, cudaStreamSynchronize((cudaStream_t)exec->stream));
    return ORDO_OK;
}
