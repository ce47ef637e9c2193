/* cuda_link.cu - the link by which lib/hybrid streams arrays through the device (backend/link.h). A
 * lane is a lane of cuda_stage.cu: a stream with two pinned staging buffers. Kernels run on the
 * state's own stream, and events order the streams. */
#include "cuda/runtime/cuda_arrays.cuh"
#include "cuda/runtime/cuda_dev.cuh"

static size_t link_room(void *opened)
{
    cuda_state *const state = (cuda_state *)opened;
    size_t            free_bytes = 0, all = 0;
    int               previous = 0;
    (void)cudaGetDevice(&previous);
    if (cudaSetDevice(state->facts.device) != cudaSuccess ||
        cudaMemGetInfo(&free_bytes, &all) != cudaSuccess)
        (void)cudaGetLastError();
    (void)cudaSetDevice(previous);
    size_t const room = free_bytes + state->block_bytes + state->store_bytes;
    return state->limit != 0 ? ordo_min(room, state->limit) : room;
}

static ordo_status link_begin(void *opened, ordo_exec *exec, size_t memory, size_t scratch,
                              unsigned *lanes, char **base, void **stream)
{
    cuda_state *const state = (cuda_state *)opened;
    cuda_frame        frame;
    TRY(frame_begin(&frame, state, exec, 0));
    ordo_status status = cuda_hold_stream(state, exec, memory, scratch);
    if (status == ORDO_OK)
        status = stage_lanes(state, exec, *lanes);
    *lanes = *lanes < state->lane_count ? *lanes : state->lane_count;
    *base = state->store;
    *stream = state->own;
    TRY(frame_end(&frame, status));
    CUDA_TRY(exec, cudaEventSynchronize(state->last));
    state->streaming = true;
    state->before = frame.previous;
    return ORDO_OK;
}

static ordo_status link_end(void *opened, ordo_exec *exec)
{
    cuda_state *const state = (cuda_state *)opened;
    state->streaming = false;
    profile_end(state);
    if (state->before != state->facts.device)
        (void)cudaSetDevice(state->before);
    for (unsigned i = 0; i < state->lane_count; i++)
        CUDA_TRY(exec, cudaStreamSynchronize(state->lanes[i].stream));
    CUDA_TRY(exec, cudaStreamSynchronize(state->own));
    return ORDO_OK;
}

static bool link_pinned(void *, const void *array, size_t bytes)
{
    return bytes > 0 && cuda_is_pinned(array) && cuda_is_pinned((const char *)array + bytes - 1);
}

/* ---- Lanes. A thread of the pool starts with device 0 as its current device. ---- */

static char *link_buffer(void *opened, unsigned lane, unsigned side)
{
    return ((cuda_state *)opened)->lanes[lane].buffer[side];
}

static ordo_status lane_copy(void *opened, ordo_exec *exec, unsigned lane, void *to,
                             const void *from, size_t bytes, cudaMemcpyKind way)
{
    cuda_state *const state = (cuda_state *)opened;
    CUDA_TRY(exec, cudaSetDevice(state->facts.device));
    TRY(profile_copy(state, exec, lane));
    CUDA_TRY(exec, cudaMemcpyAsync(to, from, bytes, way, state->lanes[lane].stream));
    return ORDO_OK;
}

static ordo_status link_copy_in(void *opened, ordo_exec *exec, unsigned lane, void *device,
                                const void *buffer, size_t bytes)
{
    return lane_copy(opened, exec, lane, device, buffer, bytes, cudaMemcpyHostToDevice);
}

static ordo_status link_copy_out(void *opened, ordo_exec *exec, unsigned lane, void *buffer,
                                 const void *device, size_t bytes)
{
    return lane_copy(opened, exec, lane, buffer, device, bytes, cudaMemcpyDeviceToHost);
}

static ordo_status link_close_side(void *opened, ordo_exec *exec, unsigned lane, unsigned side)
{
    cuda_state *const state = (cuda_state *)opened;
    cuda_lane *const  at = &state->lanes[lane];
    TRY(profile_side(state, exec, lane, side));
    CUDA_TRY(exec, cudaEventRecord(at->done[side], at->stream));
    return ORDO_OK;
}

static ordo_status link_wait_side(void *opened, ordo_exec *exec, unsigned lane, unsigned side)
{
    CUDA_TRY(exec, cudaEventSynchronize(((cuda_state *)opened)->lanes[lane].done[side]));
    return ORDO_OK;
}

static ordo_status link_join(void *opened, ordo_exec *exec)
{
    cuda_state *const state = (cuda_state *)opened;
    CUDA_TRY(exec, cudaSetDevice(state->facts.device));
    for (unsigned i = 0; i < state->lane_count; i++)
        for (int side = 0; side < ORDO_LINK_SIDES; side++)
            CUDA_TRY(exec, cudaStreamWaitEvent(state->own, state->lanes[i].done[side], 0));
    return ORDO_OK;
}

static ordo_status link_mark(void *opened, ordo_exec *exec, unsigned mark)
{
    cuda_state *const state = (cuda_state *)opened;
    CUDA_TRY(exec, cudaEventRecord(state->marks[mark], state->own));
    return ORDO_OK;
}

static ordo_status link_await(void *opened, ordo_exec *exec, unsigned lane, unsigned mark)
{
    cuda_state *const state = (cuda_state *)opened;
    CUDA_TRY(exec, cudaStreamWaitEvent(state->lanes[lane].stream, state->marks[mark], 0));
    return ORDO_OK;
}

static ordo_status link_iota(void *opened, ordo_exec *exec, void *device, size_t n, ordo_type type,
                             uint64_t first)
{
    cuda_frame frame;
    TRY(frame_begin(&frame, (cuda_state *)opened, exec, 0));
    return frame_end(&frame, dev_iota(&frame.call, device, n, type, first));
}

ordo_status cuda_search(void *opened, const ordo_search_job *job, ordo_exec *exec)
{
    cuda_frame frame;
    TRY(frame_begin(&frame, (cuda_state *)opened, exec, dev_search_scratch(job)));
    return frame_end(&frame, dev_search(&frame.call, job));
}

ordo_status cuda_pack(void *opened, const ordo_pack_job *job, ordo_exec *exec)
{
    cuda_frame frame;
    TRY(frame_begin(&frame, (cuda_state *)opened, exec, 0));
    return frame_end(&frame, dev_pack(&frame.call, job));
}

const ordo_link cuda_link = {CUDA_STAGE_BYTES, link_room,      link_begin,    link_end,
                             link_pinned,      link_buffer,    link_copy_in,  link_copy_out,
                             link_close_side,  link_wait_side, link_join,     link_mark,
                             link_await,       link_iota,      profile_begin, profile_side_times,
                             profile_tick,     profile_ticked};
