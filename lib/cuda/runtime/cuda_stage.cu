/* cuda_stage.cu - copies host arrays to the device and back, through pinned staging buffers that
 * several threads fill.
 *
 * A plain copy of pageable memory runs on one thread through a small buffer of the driver: 7 GB/s
 * on an H200 whose link does 55 GB/s. Here every thread of the call has a lane: a stream and two
 * pinned buffers of 4 MiB. While the link empties one buffer, the thread fills the other. Pinned
 * arrays are copied directly. */
#include "cuda/runtime/cuda_arrays.cuh"

#include <sched.h>

/* Chunks per piece of work of a thread. Even, because the two buffers of a lane alternate. */
static constexpr int PIECE_CHUNKS = 4;

struct stage_copy {
    cuda_state *state;
    char       *host, *device;
    size_t      bytes;
    size_t      chunk; /* bytes of a chunk: a whole buffer, or less for small arrays */
    bool        inward;
    int         error; /* the first cudaError_t; changed atomically */
};

static cudaError_t make_lane(cuda_lane *lane)
{
    cudaError_t error = cudaStreamCreateWithFlags(&lane->stream, cudaStreamNonBlocking);
    for (int i = 0; i < 2 && error == cudaSuccess; i++) {
        error = cudaMallocHost((void **)&lane->buffer[i], CUDA_STAGE_BYTES);
        if (error == cudaSuccess)
            error = cudaEventCreateWithFlags(&lane->done[i], cudaEventDisableTiming);
    }
    return error;
}

static void free_lane(cuda_lane *lane)
{
    for (int i = 0; i < 2; i++) {
        if (lane->done[i] != NULL)
            (void)cudaEventDestroy(lane->done[i]);
        if (lane->buffer[i] != NULL)
            (void)cudaFreeHost(lane->buffer[i]);
    }
    if (lane->stream != NULL)
        (void)cudaStreamDestroy(lane->stream);
    memset(lane, 0, sizeof *lane);
}

void stage_close(cuda_state *state)
{
    for (unsigned i = 0; i < state->lane_count; i++) {
        (void)cudaStreamSynchronize(state->lanes[i].stream);
        free_lane(&state->lanes[i]);
    }
    state->lane_count = 0;
}

/* Creates as many lanes as the threads can use. If pinned memory is short there may be fewer, but
 * at least one. */
ordo_status stage_lanes(cuda_state *state, ordo_exec *exec, size_t wanted)
{
    wanted = ordo_min(wanted, ordo_min(exec->threads, CUDA_LANES));
    while (state->lane_count < wanted) {
        cuda_lane *const  lane = &state->lanes[state->lane_count];
        cudaError_t const error = make_lane(lane);
        if (error != cudaSuccess) {
            free_lane(lane);
            if (state->lane_count > 0) {
                (void)cudaGetLastError();
                break;
            }
            return cuda_failed(exec, error, "pinned memory for copies");
        }
        state->lane_count++;
    }
    return ORDO_OK;
}

static cuda_lane *take_lane(cuda_state *state)
{
    for (;;) {
        for (unsigned i = 0; i < state->lane_count; i++)
            if (__atomic_exchange_n(&state->lanes[i].taken, 1, __ATOMIC_ACQUIRE) == 0)
                return &state->lanes[i];
        sched_yield();
    }
}

static void give_lane(cuda_lane *lane) { __atomic_store_n(&lane->taken, 0, __ATOMIC_RELEASE); }

static size_t chunk_size(const stage_copy *copy, size_t chunk)
{
    return ordo_min(copy->chunk, copy->bytes - chunk * copy->chunk);
}

static cudaError_t chunks_in(const stage_copy *copy, cuda_lane *lane, size_t lo, size_t hi)
{
    for (size_t chunk = lo; chunk < hi; chunk++) {
        int const    side = (int)(chunk & 1);
        size_t const at = chunk * copy->chunk, size = chunk_size(copy, chunk);
        cudaError_t  error = cudaEventSynchronize(lane->done[side]);
        if (error == cudaSuccess) {
            memcpy(lane->buffer[side], copy->host + at, size);
            error = cudaMemcpyAsync(copy->device + at, lane->buffer[side], size,
                                    cudaMemcpyHostToDevice, lane->stream);
        }
        if (error == cudaSuccess)
            error = cudaEventRecord(lane->done[side], lane->stream);
        if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}

static cudaError_t fetch_chunk(const stage_copy *copy, cuda_lane *lane, size_t chunk)
{
    int const         side = (int)(chunk & 1);
    cudaError_t const error =
        cudaMemcpyAsync(lane->buffer[side], copy->device + chunk * copy->chunk,
                        chunk_size(copy, chunk), cudaMemcpyDeviceToHost, lane->stream);
    return error != cudaSuccess ? error : cudaEventRecord(lane->done[side], lane->stream);
}

static cudaError_t chunks_out(const stage_copy *copy, cuda_lane *lane, size_t lo, size_t hi)
{
    cudaError_t error = fetch_chunk(copy, lane, lo);
    for (size_t chunk = lo; chunk < hi && error == cudaSuccess; chunk++) {
        int const side = (int)(chunk & 1);
        if (chunk + 1 < hi)
            error = fetch_chunk(copy, lane, chunk + 1);
        if (error == cudaSuccess)
            error = cudaEventSynchronize(lane->done[side]);
        if (error == cudaSuccess)
            memcpy(copy->host + chunk * copy->chunk, lane->buffer[side], chunk_size(copy, chunk));
    }
    return error;
}

static void stage_piece(void *arg, size_t lo, size_t hi)
{
    stage_copy *const copy = (stage_copy *)arg;
    if (__atomic_load_n(&copy->error, __ATOMIC_RELAXED) != cudaSuccess)
        return;
    cudaError_t error =
        cudaSetDevice(copy->state->facts.device); /* threads of a pool start with device 0 */
    if (error == cudaSuccess) {
        cuda_lane *const lane = take_lane(copy->state);
        error = (copy->inward ? chunks_in : chunks_out)(copy, lane, lo, hi);
        give_lane(lane);
    }
    int none = cudaSuccess;
    if (error != cudaSuccess)
        __atomic_compare_exchange_n(&copy->error, &none, (int)error, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
}

bool cuda_is_pinned(const void *host)
{
    cudaPointerAttributes attributes;
    if (cudaPointerGetAttributes(&attributes, host) != cudaSuccess) {
        (void)cudaGetLastError();
        return false;
    }
    return attributes.type == cudaMemoryTypeHost;
}

static ordo_status run(cuda_frame *frame, stage_copy *copy)
{
    cuda_state *const state = frame->state;
    cuda_call *const  call = &frame->call;
    size_t const      lanes = ordo_min(call->exec->threads, CUDA_LANES);
    /* Every lane gets work, and each piece is large enough to justify waking a thread. */
    copy->chunk =
        ordo_round_up(ordo_max(copy->bytes / lanes / PIECE_CHUNKS, CUDA_STAGE_LEAST), 4096);
    copy->chunk = ordo_min(copy->chunk, CUDA_STAGE_BYTES);
    size_t const chunks = ordo_div_up(copy->bytes, copy->chunk);
    TRY(stage_lanes(state, call->exec, ordo_div_up(chunks, PIECE_CHUNKS)));

    /* Lanes wait until the call's stream no longer uses the memory. */
    CUDA_TRY(call->exec, cudaEventRecord(state->last, call->stream));
    for (unsigned i = 0; i < state->lane_count; i++)
        CUDA_TRY(call->exec, cudaStreamWaitEvent(state->lanes[i].stream, state->last, 0));
    bool const all = ordo_loop(call->exec, chunks, PIECE_CHUNKS, stage_piece, copy);
    for (unsigned i = 0; i < state->lane_count; i++)
        for (int side = 0; side < 2; side++)
            CUDA_TRY(call->exec, cudaStreamWaitEvent(call->stream, state->lanes[i].done[side], 0));
    if (copy->error != cudaSuccess)
        return cuda_failed(call->exec, (cudaError_t)copy->error, "copy between host and device");
    return all ? ORDO_OK : ORDO_E_CANCELLED;
}

ordo_status stage_in(cuda_frame *frame, void *device, const void *host, size_t bytes)
{
    if (bytes == 0)
        return ORDO_OK;
    if (cuda_is_pinned(host)) {
        CUDA_TRY(frame->call.exec,
                 cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, frame->call.stream));
        return ORDO_OK;
    }
    stage_copy copy = {frame->state, (char *)host, (char *)device, bytes, 0, true, cudaSuccess};
    return run(frame, &copy);
}

ordo_status stage_out(cuda_frame *frame, void *host, const void *device, size_t bytes)
{
    ordo_exec *const exec = frame->call.exec;
    if (bytes == 0)
        return ORDO_OK;
    /* A failure on the device must be reported before the first byte of the result is
     * overwritten. */
    CUDA_TRY(exec, cudaStreamSynchronize(frame->call.stream));
    exec->changed = true;
    if (cuda_is_pinned(host)) {
        CUDA_TRY(exec,
                 cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, frame->call.stream));
        CUDA_TRY(exec, cudaStreamSynchronize(frame->call.stream));
        return ORDO_OK;
    }
    stage_copy copy = {frame->state, (char *)host, (char *)device, bytes, 0, false, cudaSuccess};
    return run(frame, &copy);
}
