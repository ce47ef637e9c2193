/* segment_keys.cuh - the keys that a verb reads, as segments of neighbours: the array of the
 * caller, or rows in scratch if the segments have a step. */
#ifndef ORDO_CUDA_SEGMENTS_SEGMENT_KEYS_H
#define ORDO_CUDA_SEGMENTS_SEGMENT_KEYS_H

#include "cuda/segments/segments.cuh"

struct segment_input {
    ordo_segment_view view; /* of `keys` */
    const void       *keys;
    size_t            n;     /* elements of `keys` */
    const void       *given; /* the array of the caller */
    void             *rows;
    size_t            size;   /* of a key */
    bool              copies; /* keys are rows */
};

/* Whether two segments of a fixed layout may share elements. */
static inline bool segments_overlap(const ordo_segment_view *view)
{
    size_t const span = view->length == 0 ? 0 : (view->length - 1) * view->step + 1;
    return (view->group > 1 && view->stride < span) ||
           (view->count > view->group &&
            view->group_stride < (view->group - 1) * view->stride + span);
}

/* apart: segments that share elements are copied, too. */
static inline segment_input segment_input_layout(cuda_scratch            *scratch,
                                                 const ordo_segment_view *view, ordo_type type,
                                                 const void *keys, size_t n, bool apart)
{
    segment_input input = {*view, keys, n, keys, NULL, cuda_type_size(type), false};
    input.copies = view->offsets == NULL && view->count > 0 &&
                   (view->step != 1 || (apart && segments_overlap(view)));
    if (!input.copies)
        return input;
    input.view = segment_rows(view);
    input.n = view->count * view->length;
    input.rows = scratch_take<char>(scratch, input.n * input.size);
    input.keys = input.rows;
    return input;
}

/* Copies the segments to their rows, if there are any. */
static inline ordo_status segment_input_fill(cuda_call *call, const segment_input &input,
                                             const ordo_segment_view *view)
{
    if (!input.copies)
        return ORDO_OK;
    return segments_to_rows(call, view, input.given, input.size, input.rows);
}

#endif
