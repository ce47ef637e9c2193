/* dev_rotate.cu - the transforms of many blocks of bzip2 at once: the last bytes of the sorted
 * rotations of each block.
 *
 * The doubling of dev_suffix.cu sorts the rotations of all blocks together, with the number of the
 * block as the first digit of the first keys. So the rotations of a block are where the block was.
 * Scratch: 40 bytes per byte of text. */
#include "cuda/text/text.cuh"

struct rotate_room {
    uint64_t *offsets;
    uint32_t *sa;
    uint64_t *rows; /* of the rotations that begin at 0 */
};

static rotate_room layout(cuda_scratch *scratch, const ordo_text_job *job)
{
    rotate_room room = {};
    room.offsets = scratch_take<uint64_t>(scratch, job->count + 1);
    room.sa = scratch_take<uint32_t>(scratch, job->n);
    room.rows = scratch_take<uint64_t>(scratch, job->count);
    return room;
}

size_t dev_rotate_scratch(const ordo_text_job *job)
{
    return scratch_of(layout, job) + dev_suffix_scratch(job);
}

static __global__ void __launch_bounds__(TEXT_THREADS)
    last_bytes(text_view view, rotate_room room, uint8_t *column)
{
    grid_each(view.n, [&](size_t i) {
        uint32_t const at = room.sa[i], number = circle_number_at(view, at);
        uint64_t const begin = view.offsets[number];
        if (at == begin)
            room.rows[number] = i - begin;
        column[i] = view.text[at > begin ? at - 1 : view.offsets[number + 1] - 1];
    });
}

ordo_status dev_rotate(cuda_call *call, const ordo_text_job *job)
{
    rotate_room const room = layout(&call->scratch, job);
    text_view         view = {job->text, job->n, room.offsets, job->count, NULL, 1};
    for (size_t i = 0; i < job->count; i++)
        view.circle =
            (uint32_t)ordo_max(view.circle, (size_t)(job->offsets[i + 1] - job->offsets[i]));
    CUDA_TRY(call->exec,
             cudaMemcpyAsync(room.offsets, job->offsets, (job->count + 1) * sizeof *room.offsets,
                             cudaMemcpyHostToDevice, call->stream));
    TRY(dev_suffix(call, view, room.sa));
    TRY(CUDA_LAUNCH(call, last_bytes, text_grid(call, job->n), TEXT_THREADS, 0, view, room,
                    job->bwt));
    CUDA_TRY(call->exec, cudaMemcpyAsync(job->primary, room.rows, job->count * sizeof *room.rows,
                                         cudaMemcpyDeviceToHost, call->stream));
    CUDA_TRY(call->exec, cudaStreamSynchronize(call->stream));
    return ORDO_OK;
}
